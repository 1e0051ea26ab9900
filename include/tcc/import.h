/* import.h - model files into modules of the tcc dialect. */
#ifndef TCC_IMPORT_H
#define TCC_IMPORT_H
#include "tcc/ir.h"
#include "tcc/sources.h"
#include "tcc/tensor.h"

typedef struct {
  TccStr name;
  const TccHostTensor *tensor;
} TccImportInput;

/* What the caller knows beyond the file. Everything is borrowed. */
typedef struct {
  /* Data of inputs, by name; an empty name is the input at that position among those without a default, "#K", with a zero behind
   * it, the one at position K. It is used where a shape depends on an input's values: the input is then specialised (its data
   * becomes a constant, its argument stays and carries the data in the attribute tcc.specialised), and where an input has no
   * rank in the file. */
  const TccImportInput *inputs;
  size_t ninputs;
  /* Values of symbolic sizes, by name: a size that is named here becomes that constant. A name that no input has, here, among hints or
   * among inputs, is an error. */
  const TccSize *dims;
  size_t ndims;
  /* The same, for where a size must be a constant and no data of inputs tells it: the others stay symbolic. */
  const TccSize *hints;
  size_t nhints;
  /* Gets the files of a model that was imported, with what was read of them; the caller closes them. NULL: they are closed. */
  TccSources **sources;
  const char *weights_dir; /* where files lie that the model names; NULL: beside it */
  const char *weights;     /* a safetensors file, or the index of several, whose tensors replace the model's weights; NULL: none */
  /* Indices of gathers that are outside are clamped, updates of scatters left out; otherwise they are errors where the operator's
   * standard says so: attribute `valid`. */
  bool clamp_indices;
  /* For training: float tensors of the file that may be parameters are weights however small they are, and those that the model says are
   * none have the attribute `buffer`: buffers of PyTorch, running statistics, constants of ONNX's nodes. What the model writes of them is a
   * result of the same name; otherwise it is a state. */
  bool parameters;
  /* Dropout passes its input on, as where a model that is being trained is evaluated. */
  bool no_dropout;
  /* Parameters that the model takes as inputs get the attribute tcc.static, but for those that are written. */
  bool freeze;
  /* The model, if it is in memory: the path is a name for it. Of a kind that has no weights of its own (tcc_model_in_memory). */
  TccStr bytes;
} TccImportOptions;

/* What an import that failed had against the model: the model is well formed and tcc lacks something, or the file is wrong. */
typedef enum { TCC_IMPORT_OK, TCC_IMPORT_UNSUPPORTED, TCC_IMPORT_INVALID } TccImportOutcome;

/* Imports the model at path by the front end that takes it (lib/frontend/frontends.def): a builtin.module with func.func @main, one
 * argument an input (attribute tcc.name, and tcc.specialised where the data was used), one result an output (tcc.name). A weight that the
 * model writes is a state, kept from run to run: an argument behind all inputs (tcc.state), and behind all outputs a result that is what
 * it becomes (tcc.state, tcc.tied) and one that is what it begins as (tcc.initial: the number of the argument). The module's
 * attribute tcc.sources lists the files that tcc.weight refers to, relative to the model's folder, the model itself first. Owned by the
 * caller. tcc.constraints, where present, lists size expressions that must not be negative for the module to be right, and
 * tcc.constraint_origins the nodes that ask: whoever binds sizes checks them. A null operation if the import failed; diagnostics have then
 * been emitted at the places in question: one for each op type and reason that is not supported, all of them at once, or one for the first
 * error in the file. options and out_outcome may be NULL. */
TCC_EXPORT MlirOperation tcc_import_file(TccIr *ir, const char *path, const TccImportOptions *options,
                                         TccImportOutcome *out_outcome);
/* What a file is by its name's ending, by the table frontends.def: TCC_MODEL_IMPORTED is what tcc_import_file takes. */
typedef enum { TCC_MODEL_NONE, TCC_MODEL_IMPORTED, TCC_MODEL_MLIR } TccModelKind;
TCC_EXPORT TccModelKind tcc_model_kind(const char *path);
/* Whether a model of this name may be in memory: of a kind that has no weights of its own, which no artifact could find again. Else
 * tcc_model_refuse_memory says which may. */
TCC_EXPORT bool tcc_model_in_memory(const char *name);
TCC_EXPORT TccStatus *tcc_model_refuse_memory(void) TCC_CHECKED;
/* Why a file is no model: the endings that there are, and what it is. in_mlir: modules in MLIR would do, too. TCC_INVALID; what
 * tcc_file_map says of a file that cannot be read. */
TCC_EXPORT TccStatus *tcc_model_refuse(const char *path, bool in_mlir) TCC_CHECKED;

/* The table of ONNX operators as the Markdown page docs/onnx-ops.md. */
TCC_EXPORT void tcc_onnx_document(TccText *out);
#endif

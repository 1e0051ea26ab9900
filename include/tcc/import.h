/* import.h - model files into modules of the tcc dialect. */
#ifndef TCC_IMPORT_H
#define TCC_IMPORT_H
#include "tcc/ir.h"
#include "tcc/tensor.h"

typedef struct {
  TccStr name;
  const TccHostTensor *tensor;
} TccImportInput;
typedef struct {
  TccStr name;
  int64_t value;
} TccImportDim;

/* What the caller knows beyond the file. Everything is borrowed. */
typedef struct {
  /* Data of inputs, by name; an empty name is the input at that position among those without a default, "#K", with a zero behind
   * it, the one at position K. It is used where a shape depends on an input's values: the input is then specialised (its data
   * becomes a constant, its argument stays and carries the data in the attribute tcc.specialised), and where an input has no
   * rank in the file. */
  const TccImportInput *inputs;
  size_t ninputs;
  /* Values of symbolic sizes, by name: a size that is named here becomes that constant. */
  const TccImportDim *dims;
  size_t ndims;
  /* The same, for where a size must be a constant and no data of inputs tells it: the others stay symbolic. */
  const TccImportDim *told;
  size_t ntold;
} TccOnnxImportOptions;

/* What an import that failed had against the model: the model is well formed and tcc lacks something, or the file is wrong. */
typedef enum { TCC_IMPORT_OK, TCC_IMPORT_UNSUPPORTED, TCC_IMPORT_INVALID } TccImportOutcome;

/* Imports the ONNX model at path: a builtin.module with func.func @main, one argument an input (attribute tcc.name, and
 * tcc.specialised where the data was used), one result an output (tcc.name). The module's attribute tcc.sources lists the
 * files that tcc.weight refers to, relative to the model's folder, the model itself first. Owned by the caller.
 * tcc.constraints, where present, lists size expressions that must not be negative for the module to be right: whoever binds
 * sizes checks them. A null operation if the import failed; diagnostics have then been emitted at the places in question: one for each op
 * type and reason that is not supported, all of them at once, or one for the first error in the file.
 * options and out_outcome may be NULL. */
TCC_EXPORT MlirOperation tcc_onnx_import(TccIr *ir, const char *path, const TccOnnxImportOptions *options,
                                         TccImportOutcome *out_outcome);

/* The table of ONNX operators as the Markdown page docs/onnx-ops.md. */
TCC_EXPORT void tcc_onnx_document(TccText *out);
#endif

/* compile.h - from a model file to an artifact: import, passes, emitters, code generation, plan, link.
 *
 * The compile cache stands beside it (cache.h): it is consulted before the compiler library is loaded. */
#ifndef TCC_COMPILE_H
#define TCC_COMPILE_H
#include "tcc/base.h"
#include "tcc/digest.h"
#include "tcc/file.h"
#include "tcc/options.h"
#include "tcc/runtime.h"
#include "tcc/tensor.h"

/* The value of a graph input that is known when compiling: the importer makes it a constant where it decides shapes. */
typedef struct {
  const char *name; /* "#K": the K-th input */
  const TccHostTensor *tensor;
} TccCompileInput;

typedef struct {
  const char *name;
  int64_t size;
} TccCompileDim; /* the value of a symbolic size */

/* An output that is written in place of an input of the same type. A * in both names stands for the same text: "present_*", "past_*". */
typedef struct {
  const char *output, *input;
} TccCompileTie;

typedef struct {
  const char *weights_dir; /* where files lie that the model names; NULL: beside it. Borrowed */
  const char *weights;  /* a safetensors file, or the index of several, whose tensors replace the model's weights (docs/weights.md);
                            * NULL: none. TCC_INVALID, with all of them, where some are missing or of another type or size. Borrowed */
  const char *target;   /* tcc_target_parse; NULL: this machine */
  const char *ptxas;    /* of targets on a GPU, machine code beside the PTX: tcc_ptxas_find (ptxas.h); NULL: PTX alone. Borrowed */
  TccMode mode;         /* MAX_AUTOTUNE: kernels are measured once; REDUCE_OVERHEAD: as DEFAULT, see TccContextOptions.graphs */
  TccNumerics numerics; /* docs/numerics.md; FAST: as a module in text says of itself */
  TccAutocast autocast; /* products, convolutions and attention of f32 in 16 bits, what is sensitive in f32 (docs/numerics.md) */
  TccIndices indices;   /* CHECK: invalid ones are errors (docs/indices.md); CLAMP: they are moved inside */
  TccEffort effort;    /* LITTLE: slower code, in a third of the time; FULL: that is for kernels that hardly count in a run alone */
  bool no_dedup;       /* do not compile repeated regions once */
  bool no_cache;       /* neither read nor write objects of kernels */
  bool digest_weights; /* the artifact knows its weights by all their bytes: TCC_VERIFY_FULL */
  bool embed_weights;  /* they are given in the result, to be written behind the artifact */
  bool freeze;         /* parameters that the model takes as inputs are static (TccRunOptions); those of a file are so anyway */
  bool explain; /* list the tensors that lie in memory between kernels, print the plan; of a target without artifacts, that alone */
  bool kernel_modules; /* give each kernel as a model of its own: TccCompiledKernel.module */
  unsigned threads;    /* 0: as many as the machine runs */
  const TccCompileInput *inputs;
  size_t ninputs;
  /* Symbolic sizes, besides those of inputs: where a size must be a constant it is compiled in, otherwise kernels are measured
   * with it. */
  const TccCompileDim *dims;
  size_t ndims;
  const TccCompileTie *ties;
  size_t nties;
  bool specialise; /* dims are compiled in everywhere: the artifact takes these sizes and no others */
  /* For max-autotune, which measures the schedules of kernels (tune.h) before it compiles. */
  double tune_seconds; /* after which measuring stops; 0: it goes on to the end */
  unsigned jobs;       /* threads that compile candidates; 0: one for each CPU */
  void (*progress)(const char *line,
                   void *user); /* of work that takes more than a second, without a newline, one call at a time; may be NULL */
  void *user;
  /* Limits of a compilation; beyond one it ends with TCC_NO_MEMORY, and the message names the node, op or kernel that was next. */
  double compile_seconds;   /* 0: none */
  size_t compile_megabytes; /* that the process may grow by; 0: three quarters of the machine's memory */
} TccCompileOptions;

typedef struct {
  const char *name;
  double ms;
} TccPhase; /* the name belongs to whoever has the phase */
typedef struct {
  const char *function, *kind, *symbol, *emitter, *schedule; /* one per kernel function */
  const char *launch;                                        /* of a GPU's kernel (tcc_kernel_launch_text), else "" */
  const char *body;                                          /* its ops in order: "dot_general add max" */
  const char *chosen;   /* who chose its schedule: "the heuristic", "a record of tcc-tune" or "the model"; "" if there is none */
  const char *unpacked; /* why its right operand is not packed; NULL: it is, or there is none (if asked for) */
  const char *module;   /* in text, its main is what the kernel computes (if asked for); sizes are named as in the model */
  const char **nodes;   /* of the model, one for each call and copy of its region: "/layer.0/MatMul (+3)", with three others */
  size_t nnodes;
  uint32_t calls, ops;  /* in a run (tcc_plan_count_calls) */
  bool cached, by_mlir; /* its object was in the cache; was made by way of MLIR, which takes longer */
  bool cold;            /* little effort was made of its code: it was asked for, or a run spends next to no time in it */
} TccCompiledKernel;
typedef struct {
  const char *name;
  uint32_t kernels, ops, calls;
} TccCompiledRegion;
/* function: main or a region; maker: the kernel or region that writes it; readers: those that read it, with blanks between;
 * bytes: -1 where sizes are symbolic */
typedef struct {
  const char *function, *maker, *readers, *type, *why;
  const char *place; /* "in place of operand 0", if the buffer of one may serve; else "" */
  int64_t bytes;
} TccCompiledTensor;
/* A node that is almost something faster, and what stops it. */
typedef struct {
  const char *node, *almost, *why; /* "/layer.0/MatMul (+11)", "an attention", ... */
} TccCompiledRemark;
typedef struct {
  const char *name, *type; /* "f32[batch x 64]"; an input that was compiled in with its value says so behind it */
} TccCompiledPort;
/* Bytes of a file with weights that are compiled in, in the order in which they were read. */
typedef struct {
  const char *file; /* relative to the model's directory */
  uint64_t offset, length;
  uint8_t digest[TCC_DIGEST_BYTES];
} TccCompiledRead;
typedef struct {
  TccArena *arena;                        /* owns everything here but the artifact and what is mapped */
  TccText artifact;                       /* sealed; empty on failure */
  uint8_t model_digest[TCC_DIGEST_BYTES]; /* of the model as it was compiled: tcc_wire_digest */
  TccCompiledRead *reads;
  size_t nreads;
  TccStr *weights; /* with embed_weights: pieces of TccWeightsRecord.bytes, in mapped files */
  size_t nweights;
  struct TccSources *sources; /* the model's, mapped as long as the result lives; or NULL */
  TccFileMap *maps;           /* of a module's sources; or NULL */
  size_t nmaps;
  const char **files; /* paths of the files that weights are in, and of the model where it was imported, as they were opened */
  size_t nfiles;
  TccText plan; /* printed, if it was to be explained */
  TccPhase *phases;
  size_t nphases;
  TccCompiledKernel *kernels;
  size_t nkernels;
  TccCompiledRegion *regions;
  size_t nregions;
  TccCompiledTensor *tensors; /* these four if asked for */
  size_t ntensors;
  TccCompiledRemark *remarks;
  size_t nremarks;
  TccCompiledPort *inputs, *outputs;
  size_t ninputs, noutputs;
  size_t cache_hits, cache_misses; /* objects of kernels */
  double import_ms, compile_ms;
} TccCompileResult;

/* Compiles a model. What is wrong with it is told all at once, one line each, in the status. TCC_UNSUPPORTED: the model is
 * well formed and asks for what tcc does not do. TCC_IO: a file could not be read, or was written to meanwhile. *out must be
 * destroyed in either case. Thread-safe. */
TCC_EXPORT TccStatus *tcc_compile(const char *model, const TccCompileOptions *options, TccCompileResult *out) TCC_CHECKED;
/* The same of a model in memory; its bytes are borrowed. name: what messages call it; its ending says what the bytes are (.mlir, .mlirbc),
 * its folder is where files lie that the model names. TCC_UNSUPPORTED: a model of another kind, which is read from its file. */
TCC_EXPORT TccStatus *tcc_compile_memory(const char *name, TccStr bytes, const TccCompileOptions *options,
                                         TccCompileResult *out) TCC_CHECKED;
TCC_EXPORT void tcc_compile_result_destroy(TccCompileResult *result);
/* A module in text with values in place of these symbolic sizes; names that it has not are left out. Appends it. TCC_INVALID: it does not
 * parse. Thread-safe. */
TCC_EXPORT TccStatus *tcc_module_specialise(TccStr text, const TccCompileDim *dims, size_t ndims, TccText *out) TCC_CHECKED;
/* Runs main of a module in text in the interpreter: tcc_interpret_shifted (interp.h). Thread-safe. */
TCC_EXPORT TccStatus *tcc_module_interpret(TccStr text, double shift, const TccHostTensor *const *inputs, size_t ninputs,
                                           TccHostTensor ***out_outputs, size_t *out_count) TCC_CHECKED;

/* ---- in the run-time library: from a path to a loaded model, by way of the cache ---- */
typedef struct {
  double import_ms, compile_ms, load_ms;
  size_t cache_hits, cache_misses; /* the model itself, and objects of kernels where it was compiled */
  bool artifact, compiled;         /* path was one; the cache had none, so the compiler ran */
  TccPhase phases[32];
  size_t nphases;
  TccArena *arena; /* of the phases' names */
} TccOpenReport;

/* Loads path if it is an artifact. Else it is a model: its artifact comes from the cache, or the compiler library is
 * loaded from beside libtccrt and makes it. load->weights_dir is where the files lie that the model names, when it is
 * compiled too; default: the model's directory. What was compiled in and where weights lie is part of the key: load->verify is for artifacts. explain (may be NULL)
 * receives what the cache did and why. *out_report must be destroyed in either case. */
TCC_EXPORT TccStatus *tcc_model_open(const char *path, const TccCompileOptions *options, const TccLoadOptions *load, TccModel **out,
                                     TccOpenReport *out_report, TccText *explain) TCC_CHECKED;
/* The same of a model in memory, as tcc_compile_memory takes it: its artifact is kept in the cache under the digest of the bytes, whatever
 * process made them. */
TCC_EXPORT TccStatus *tcc_model_open_memory(const char *name, TccStr bytes, const TccCompileOptions *options,
                                            const TccLoadOptions *load, TccModel **out, TccOpenReport *out_report,
                                            TccText *explain) TCC_CHECKED;
/* The artifact of a model in memory, to be kept elsewhere than in the cache: it is compiled, of kernels' objects that the cache has. *out
 * must be destroyed in either case. */
TCC_EXPORT TccStatus *tcc_artifact_of_memory(const char *name, TccStr bytes, const TccCompileOptions *options,
                                             TccText *out) TCC_CHECKED;
TCC_EXPORT void tcc_open_report_destroy(TccOpenReport *report);
/* Whether path is a file that tcc_model_open would take for an artifact: a shared object. */
TCC_EXPORT bool tcc_is_artifact(const char *path);
/* The functions of the compiler library that bear these names, for programs that link the run-time alone. */
typedef struct {
  TccStatus *(*compile)(const char *, const TccCompileOptions *, TccCompileResult *);
  TccStatus *(*compile_memory)(const char *, TccStr, const TccCompileOptions *, TccCompileResult *);
  void (*compile_result_destroy)(TccCompileResult *);
  TccStatus *(*module_specialise)(TccStr, const TccCompileDim *, size_t, TccText *);
  TccStatus *(*module_interpret)(TccStr, double, const TccHostTensor *const *, size_t, TccHostTensor ***, size_t *);
} TccCompiler;
/* Loads the compiler library from beside libtccrt; it stays loaded. TCC_NOT_FOUND: it is not there. Thread-safe. */
TCC_EXPORT TccStatus *tcc_compiler_load(TccCompiler *out) TCC_CHECKED;
/* Loads the compiler library now, if it can be: children of a fork then share it. */
TCC_EXPORT void tcc_compiler_preload(void);
/* DLPack's element types and tcc's; TCC_ELEM_NONE if there is none. */
TCC_EXPORT TccDtype tcc_elem_dtype(TccElem elem);
TCC_EXPORT TccElem tcc_dtype_elem(TccDtype dtype);
/* Appends the readable key of a model: its digest, the machine, the options, the versions. */
TCC_EXPORT TccStatus *tcc_compile_key(const char *model, const TccCompileOptions *options, TccText *key) TCC_CHECKED;
#endif

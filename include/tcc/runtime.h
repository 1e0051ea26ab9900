/* runtime.h - running a compiled model. The only header that a program needs; link with libtccrt.
 *
 *     TccModel *model; TccContext *context; TccTensor result = {0};
 *     float data[8 * 64] = {0}; int64_t shape[] = {8, 64};
 *     TccTensor x = {.data = data, .device = {TCC_DEVICE_CPU, 0}, .rank = 2, .dtype = {TCC_DTYPE_FLOAT, 32, 1}, .shape = shape};
 *     TccStatus *status = tcc_model_load("mlp.so", NULL, &model);
 *     if (!status) status = tcc_context_create(model, NULL, &context);
 *     if (!status) status = tcc_context_run(context, &x, 1, &result, 1);
 *     if (status) puts(tcc_status_message(status));
 *
 * A TccModel is immutable and shared by threads; a TccContext belongs to one thread at a time and owns a team of worker
 * threads and the memory of intermediate results. An artifact is code: load only what you trust as you would trust any
 * shared object. Its digest, ABI version and CPU features are checked before it is loaded. examples/hello is a whole program.
 *
 * The child of a fork has what its parent had and may use it as the parent may, but for what another thread was in a call with.
 *
 * Functions that can fail give a TccStatus, NULL for success, which the caller destroys; their out_ parameters are NULL then. What
 * a function gives a pointer to without saying more belongs to the object that it was asked for, and lives as long. */
#ifndef TCC_RUNTIME_H
#define TCC_RUNTIME_H
#include "tcc/status.h"
#include <stdbool.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* ---- tensors: the memory layout of DLPack's DLTensor, so that one pointer serves as the other ---- */
/* Where a tensor lies. A model of a GPU takes tensors of the host and of its device alike; a device's are addresses that its driver gave. */
enum { TCC_DEVICE_CPU = 1, TCC_DEVICE_CUDA = 2, TCC_DEVICE_CUDA_HOST = 3 /* pinned */, TCC_DEVICE_CUDA_MANAGED = 13 };
enum {
  TCC_DTYPE_INT = 0,
  TCC_DTYPE_UINT = 1,
  TCC_DTYPE_FLOAT = 2,
  TCC_DTYPE_BFLOAT = 4,
  TCC_DTYPE_BOOL = 6,
  TCC_DTYPE_F8E4M3FN = 10,
  TCC_DTYPE_F8E4M3FNUZ = 11,
  TCC_DTYPE_F8E5M2 = 12,
  TCC_DTYPE_F8E5M2FNUZ = 13,
  TCC_DTYPE_F8E8M0FNU = 14,
  TCC_DTYPE_F4E2M1FN = 17
};
typedef struct {
  int32_t type, id; /* TCC_DEVICE_X, and the number of a CUDA device, else 0 */
} TccDevice;
typedef struct {
  uint8_t code, bits; /* TCC_DTYPE_X and the bits of an element; fewer than 8 are packed, the first element lowest */
  uint16_t lanes;     /* 1 */
} TccDtype;
typedef struct {
  void *data;
  TccDevice device;
  int32_t rank;
  TccDtype dtype;
  int64_t *shape;       /* rank entries */
  int64_t *strides;     /* in elements; NULL: dense, row-major */
  uint64_t byte_offset; /* of the first element from data */
} TccTensor;

/* ---- models ---- */
typedef struct TccModel TccModel;
/* Memory of weights and results, for a model and its contexts: called by their threads, perhaps at once. */
typedef struct {
  void *(*allocate)(size_t bytes, size_t alignment, void *user); /* NULL on failure */
  void (*release)(void *memory, size_t bytes, void *user);
  void *user;
} TccAllocator;
/* How an artifact makes sure that the files with its weights are those that it was compiled with. Sizes of files, what a model says besides its
 * large tensors, and all that was compiled in are compared by each but the last; a difference is TCC_MISMATCH. An artifact that reads no
 * file asks for none. */
typedef enum {
  TCC_VERIFY_SAMPLES, /* and 256 bytes of each weight: a weight that was trained on is found, a few numbers that were changed are not */
  TCC_VERIFY_LAYOUT, /* other weights may be in the same places */
  TCC_VERIFY_FULL, /* and all bytes of each weight; the artifact must have been compiled with their digests (tcc-compile --digest-weights) */
  TCC_VERIFY_NONE /* the caller knows */
} TccVerify;
/* A kernel of a run, for a caller that looks at what each one does (TccInspect). Tensors are dense and in host memory, which is the run's own:
 * they are read during the call, and not written to. An operand that is absent has rank -1. */
typedef struct {
  const char *kernel, *kind, *emitter; /* as in TccProfileEvent */
  const char *node;                    /* of the model, "" if it is not known */
  bool done;                           /* false: it is about to run, and a result may lie where an operand does; true: it has run */
  bool initial;                        /* it depends on weights alone and runs while the model is loaded */
  const TccTensor *operands, *results;
  size_t operand_count, result_count;
  const char *const *size_names; /* symbolic sizes of the model that are known now */
  const int64_t *sizes;
  size_t size_count;
} TccKernelRun;
/* Called before each kernel and after it, by the thread that runs the model. A status that it returns ends the run, or the load. */
typedef TccStatus *TccInspect(const TccKernelRun *run, void *user);
typedef struct {
  const char *weights_dir; /* where the model's weight files are; NULL: the artifact's directory */
  TccAllocator allocator;  /* all zero: aligned_alloc and free */
  unsigned threads;        /* for work on weights while loading; 0: as many as the machine runs */
  TccVerify verify;        /* of the weights' files */
  bool cache; /* look into the user's cache folder for the results of that work, or make them there: see tcc_model_keep */
  bool keep; /* with cache: a thread of this process calls tcc_model_keep once the model is loaded, for services whose first results
               * need not wait for it; tcc_model_destroy waits for it (0.1 ms a megabyte at most). Without: nothing runs in the background */
  size_t static_sets;  /* sets of static inputs that are remembered, those that were used last; 0: 256 */
  TccInspect *inspect; /* of kernels that run while the model is loaded; all of them run then, whatever the cache has. NULL: none.
                        * TCC_UNSUPPORTED: they run on a device */
  void *inspect_user;
} TccLoadOptions;

/* Maps the artifact, checks it, binds its weights and does the work that depends on weights alone. options may be NULL.
 * TCC_NOT_FOUND: no such file, or a weight file is missing; TCC_INVALID: damaged; TCC_INCOMPATIBLE: made for another
 * version or another CPU; TCC_MISMATCH: the files with weights are others than it was compiled with (TccVerify); TCC_UNSUPPORTED: it has
 * not what TCC_VERIFY_FULL asks for. */
TCC_EXPORT TccStatus *tcc_model_load(const char *path, const TccLoadOptions *options, TccModel **out) TCC_CHECKED;
/* The same from memory (copied). options->weights_dir must be given if the model has weights in files. */
TCC_EXPORT TccStatus *tcc_model_load_memory(const void *bytes, size_t length, const TccLoadOptions *options,
                                            TccModel **out) TCC_CHECKED;
/* Contexts keep their model alive. NULL does nothing. */
TCC_EXPORT void tcc_model_destroy(TccModel *model);

/* Keeps what loading made of the weights in the user's cache folder, unless it is from there: the next process that loads
 * the same artifact with the same weight files maps it. It lies in a file already; this sums it, 0.05 to 0.1 ms a megabyte on one thread,
 * and gives the file its name. A program calls it when its first results are delivered; without it the file goes away with the model.
 * True if it is there now; false if the model was loaded without TccLoadOptions.cache, if a weight file
 * changed meanwhile, or if there is no room (docs/cache.md). In a child of the process that loaded the model it keeps nothing.
 * Thread-safe; returns when it is done. */
TCC_EXPORT bool tcc_model_keep(const TccModel *model);

typedef struct {
  const char *name;
  TccDtype dtype;
  int32_t rank;
  const int64_t *dims;            /* -1 where the size varies */
  const char *const *dim_symbols; /* its name where it is a symbol alone, else NULL */
  int32_t tied;                   /* output: the input that it is written in place of, or -1 */
  bool is_static;                 /* input: address and version are looked at, see TccRunOptions */
} TccPortInfo;
/* What goes in and comes out, in the order of tcc_context_run. Thread-safe, as all that takes a const TccModel. */
TCC_EXPORT size_t tcc_model_input_count(const TccModel *model);
TCC_EXPORT size_t tcc_model_output_count(const TccModel *model);
TCC_EXPORT const TccPortInfo *tcc_model_input(const TccModel *model, size_t index); /* NULL if out of range */
TCC_EXPORT const TccPortInfo *tcc_model_output(const TccModel *model, size_t index);
/* What the model keeps from run to run (tcc_context_state_get). Their sizes are fixed; tied is -1. */
TCC_EXPORT size_t tcc_model_state_count(const TccModel *model);
TCC_EXPORT const TccPortInfo *tcc_model_state(const TccModel *model, size_t index); /* NULL if out of range */

typedef struct {
  uint64_t calls, ops;
} TccRegionInfo;
typedef struct {
  size_t kernels_launched; /* per run, regions expanded, work on weights not counted */
  size_t kernels_unique;
  size_t kernels_initial; /* run once when loaded, unless their results were mapped */
  size_t packed_bytes;    /* of what they make for later ones */
  size_t kernels_static;  /* run once for each set of static inputs */
  size_t static_bytes;    /* of what they make of one set for later ones */
  bool packed_mapped;     /* it is from the cache folder */
  size_t region_count;
  const TccRegionInfo *regions; /* calls: of the region in one run; ops: tcc operations in its kernels */
  size_t artifact_bytes;
  const char *target, *machine; /* what the code was made for: "x86", the name of the CPU for LLVM */
  bool on_device;               /* its kernels run on a GPU */
} TccModelInfo;
TCC_EXPORT const TccModelInfo *tcc_model_info(const TccModel *model); /* never NULL */

/* ---- contexts ---- */
typedef struct TccContext TccContext;
typedef struct {
  const char *kernel; /* function name in the module */
  const char *kind;   /* map, row, contract, ... */
  const char *emitter;
  size_t command; /* position in the run */
  int64_t tiles;
  double nanoseconds; /* from its first thread's start to its last one's end, of all iterations of a loop together */
  const char *node;   /* of the model: "/layer/MatMul (+3)", with three other nodes; "" if it is not known */
  /* Operations on single numbers that its ops ask for, and bytes of operands and results that they read and make; 0: none, or not known. Counted
   * by the formulas of docs/ops.md, whatever way the kernel goes. */
  int64_t flops, bytes;
  int64_t times; /* that it ran: of a loop's kernel the iterations, else 1 */
} TccProfileEvent;
/* What a thread did: tiles of a kernel, or nothing. */
typedef struct {
  const char *kernel, *kind, *node; /* as in TccProfileEvent; all NULL: the thread waited for work */
  unsigned thread;                  /* 0: the caller's */
  double begin, end;                /* nanoseconds of CLOCK_MONOTONIC */
  int64_t first, tiles;             /* which tiles of the kernel's; 0, 0 while it waits */
  uint64_t lost;                    /* events of this thread between the last one and this one that there was no room for */
} TccTraceEvent;
/* Numbers that a run looks for in what its kernels make. */
typedef enum { TCC_UNUSUAL_NONE, TCC_UNUSUAL_NAN, TCC_UNUSUAL_INFINITE } TccUnusual;
typedef struct {
  unsigned threads;                                          /* 0: as many as the machine runs */
  unsigned instances;                                        /* sets of input sizes whose plans are remembered; 0: 8 */
  void (*profile)(const TccProfileEvent *event, void *user); /* for each kernel, in order, when a run is over; slows it */
  void *user;                                                /* of profile and inspect */
  /* A run ends with TCC_INVALID at the first such number in an input or in what a kernel has made, and the message names the kernel and the
   * node; the results are undefined then. Slow. */
  TccUnusual unusual;
  /* Of each kernel of a run, but for those that depend on static inputs alone; NULL: none. TCC_UNSUPPORTED on a device. */
  TccInspect *inspect;
  /* On a device: from the second run on with the same sizes, and the same addresses of inputs and outputs, all launches of a stage are one CUDA
   * graph, started by one call. 8 tuples of addresses are remembered; with others a run is started launch by launch, or small tensors are copied.
   * Nothing changes for stages in which the host has work, or on the host. */
  bool graphs;
  /* For each piece of work of each thread and each wait between, by the caller's thread when a stage of a run is over: thread by thread, each
   * in order. A wait that has not ended then is told of later. Some 50 ns a piece, and 2.5 MB a thread; TCC_UNSUPPORTED on a device. */
  void (*trace)(const TccTraceEvent *event, void *trace_user);
  void *trace_user;
} TccContextOptions;
/* Starts the worker threads; memory is taken by the first run. options may be NULL. TCC_NO_MEMORY: no memory, or the system gives
 * no more threads; TCC_INVALID: more than 1024 threads. Thread-safe. */
TCC_EXPORT TccStatus *tcc_context_create(TccModel *model, const TccContextOptions *options, TccContext **out) TCC_CHECKED;
TCC_EXPORT void tcc_context_destroy(TccContext *context); /* ends its threads; not during a run. NULL does nothing */

/* Runs the model. inputs: one for each of the model's, in order, any strides, aligned to their element. outputs: where
 * data is NULL the result is put into the context's memory (valid until the context runs again) and the whole descriptor
 * is filled in: on the host, or on the model's device where device.type says TCC_DEVICE_CUDA; else data is written to, and device,
 * shape, rank and dtype must be right (dense, or strides given). An output tied
 * to an input and without data of its own is written in place of that input. TCC_INVALID: an input or output has another type, rank or
 * size than the model takes, and the message names it, the axis and both numbers; nothing was written then but outputs of an earlier stage
 * (sizes that depend on data). TCC_INVALID too: an index in the data is outside of what it names, and the message names the node that
 * reads it, the index and the axis; outputs are undefined then, those tied to inputs as well, and the next run is not affected.
 * TCC_NO_MEMORY. Allocates nothing for sizes seen before. One call at a time for a context. */
TCC_EXPORT TccStatus *tcc_context_run(TccContext *context, const TccTensor *inputs, size_t ninputs, TccTensor *outputs,
                                      size_t noutputs) TCC_CHECKED;
/* ---- states ---- */
/* Buffers that a model writes (a cache of keys and values, running statistics) are states: no inputs and no outputs, but memory of the
 * context, which each run reads and writes in place. They begin as the model file has them; each context has its own. What a run that
 * fails leaves in them is undefined, but where TCC_INVALID says that nothing was written. TCC_NOT_FOUND: no state of that name, and the message
 * has all names. One call at a time for a context. */
/* The memory itself, dense; it may be read and written between runs, and stays where it is until the context is destroyed. For a model that
 * runs on a device it lies there, as out->device says; runs on a caller's stream may still write it. */
TCC_EXPORT TccStatus *tcc_context_state_get(const TccContext *context, const char *name, TccTensor *out) TCC_CHECKED;
/* Copies the value to memory of the host, of any strides, once all runs are over. TCC_INVALID: it has another type, rank or size. */
TCC_EXPORT TccStatus *tcc_context_state_copy(const TccContext *context, const char *name, const TccTensor *to) TCC_CHECKED;
/* Copies a value in, of any strides, from the host or the model's device, where it must have been written. TCC_INVALID: as above. */
TCC_EXPORT TccStatus *tcc_context_state_set(TccContext *context, const char *name, const TccTensor *value) TCC_CHECKED;
/* As it was at first; NULL: all of them. */
TCC_EXPORT TccStatus *tcc_context_state_reset(TccContext *context, const char *name) TCC_CHECKED;
/* ---- tensors where a model runs ---- */
/* Memory for a dense tensor on the model's device, or on the host if it runs there; rank, dtype and shape are given, the rest is filled in. A
 * run reads it as an input where it lies, and writes it there as a result that is tied to the input: nothing is copied. The contents are not
 * defined. TCC_INVALID: no such tensor; TCC_NO_MEMORY. Thread-safe. */
TCC_EXPORT TccStatus *tcc_model_tensor_create(TccModel *model, TccTensor *tensor) TCC_CHECKED;
/* data NULL does nothing. No run may use it; shape and dtype are as they were. */
TCC_EXPORT void tcc_model_tensor_destroy(TccModel *model, TccTensor *tensor);
/* Copies between such a tensor and one of the host, of any strides, once all runs are over. TCC_INVALID: they differ in type, rank or size;
 * TCC_UNSUPPORTED: both are on a device, or the model has none; the one on the device has gaps, or both have. */
TCC_EXPORT TccStatus *tcc_model_tensor_copy(TccModel *model, const TccTensor *from, const TccTensor *to) TCC_CHECKED;
/* ---- static inputs ---- */
/* A model compiled so (tcc-compile --freeze) takes its parameters as inputs and has what depends on them alone made once: the first run that
 * gets a set of them does it (packing, folding), later ones use it while address, strides and version of each are the same. Contents are
 * not compared: whoever changes them gives another version, and the next run makes it again. Sets are the model's, for all of its contexts;
 * it remembers several, so that equal layers with weights of their own share an artifact, and of one set of addresses the newest version. */
typedef struct {
  const uint64_t *versions; /* of each input, in order; those whose TccPortInfo.is_static is false are not read. NULL: all 0 */
  /* Of a model on a device: a CUstream of the caller's, where the work goes behind what is there (1 is the legacy default stream, 2 the thread's,
   * as in CUDA). The call does not wait for results on the device; it does for those on the host, for sizes that data decides, for models that check
   * indices, and for kernels of the host. Inputs stay as they are until the stream has come so far. NULL: the model's own, for which the call waits. */
  void *stream;
  /* With a stream, where all results are on the device: the call does not wait for whether indices were inside of their axes, as PyTorch does not. One that was not is the
   * error of a later run of the context with tensors of the same sizes, at the latest of the second that begins after the work is done ("an
   * earlier run"), which then does nothing else. What no run has told is said on standard error when the context goes. */
  bool late_checks;
} TccRunOptions;
/* tcc_context_run; options may be NULL. TCC_NO_MEMORY also where there is no room for what is made of static inputs. A call whose set is
 * known allocates nothing. */
TCC_EXPORT TccStatus *tcc_context_run_with(TccContext *context, const TccTensor *inputs, size_t ninputs, TccTensor *outputs,
                                           size_t noutputs, const TccRunOptions *options) TCC_CHECKED;
/* The number of the set that the last run used, from 1 on, never the same for two that were made; 0: none. */
TCC_EXPORT uint64_t tcc_context_static_set(const TccContext *context);
/* Forgets what was made of the static input whose first element is at data, or of all (NULL): before its memory is given back and may come
 * again with the same version. Thread-safe; a run that goes on meanwhile ends with what it began with. */
TCC_EXPORT void tcc_model_forget(TccModel *model, const void *data);

/* What the outputs of a run with such inputs will be, for whoever gives them memory: fills in device, rank, dtype and shape of each, data and
 * strides are NULL. A shape is -1 all over where the data of the run decides it. Shapes belong to the context, until its next call. Inputs
 * are checked as by tcc_context_run; their data is not read. One call at a time for a context. */
TCC_EXPORT TccStatus *tcc_context_shapes(TccContext *context, const TccTensor *inputs, size_t ninputs, TccTensor *outputs,
                                         size_t noutputs) TCC_CHECKED;
/* Bytes of intermediate results held, all remembered sizes together. */
TCC_EXPORT size_t tcc_context_bytes(const TccContext *context);
/* Memory of intermediate results for the sizes of the last run: bytes held, and the most that were alive at once. Zeros
 * before the first run. */
TCC_EXPORT void tcc_context_arena(const TccContext *context, size_t *out_bytes, size_t *out_live);
/* Memory that kernels work in, of all threads together, for the sizes of the last run, or of tcc_context_shapes. */
TCC_EXPORT size_t tcc_context_scratch(const TccContext *context);

TCC_EXPORT const char *tcc_runtime_version(void); /* "MAJOR.MINOR.PATCH", static */
#ifdef __cplusplus
}
#endif
#endif

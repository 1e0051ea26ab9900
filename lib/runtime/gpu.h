/* gpu.h - a CUDA device beside the team of threads: its driver, memory and launches (docs/runtime.md).
 *
 * Addresses of the device are void * as those of the host are: a plan says in which space a value lies. All calls but tcc_gpu_open stand
 * between tcc_gpu_enter and tcc_gpu_leave, which let one thread in at a time. Errors are one line: the driver's function, its name for the
 * error, and what was being done. */
#ifndef TCC_GPU_H
#define TCC_GPU_H
#include "internal.h"

typedef struct TccGpu TccGpu;

/* The chip of device 0 as ISA bits (TCC_ISA_GPU). TCC_INCOMPATIBLE: there is no driver or no device, or the driver is too old. */
TccStatus *tcc_gpu_isa(uint64_t *out) TCC_CHECKED;
/* Whether code for a chip runs on a device. */
bool tcc_gpu_fits(uint64_t code, uint64_t device);

/* Device 0 with the images of the plan that fit it. */
TccStatus *tcc_gpu_open(const TccPlanHeader *plan, TccGpu **out) TCC_CHECKED;
void tcc_gpu_close(TccGpu *gpu);
TccStatus *tcc_gpu_enter(TccGpu *gpu) TCC_CHECKED;
void tcc_gpu_leave(TccGpu *gpu);

/* Enters; from here to tcc_gpu_leave_run, work goes to this stream, behind that of earlier runs; NULL: the model's own, for which
 * tcc_gpu_leave_run waits. That is called whatever fails in between, with the status so far, which it gives back; NULL: its own. */
TccStatus *tcc_gpu_enter_run(TccGpu *gpu, void *stream) TCC_CHECKED;
TccStatus *tcc_gpu_leave_run(TccGpu *gpu, TccStatus *status) TCC_CHECKED;
void tcc_gpu_settle(TccGpu *gpu); /* waits for runs on callers' streams: before memory that they use goes */

/* what: that it is for, in messages. */
TccStatus *tcc_gpu_allocate(TccGpu *gpu, size_t bytes, const char *what, void **out) TCC_CHECKED;
void tcc_gpu_release(TccGpu *gpu, void *memory); /* NULL does nothing */
TccStatus *tcc_gpu_upload(TccGpu *gpu, void *to, const void *from, size_t bytes) TCC_CHECKED;
TccStatus *tcc_gpu_download(TccGpu *gpu, void *to, const void *from, size_t bytes) TCC_CHECKED; /* waits */
TccStatus *tcc_gpu_fetch(TccGpu *gpu, void *to, const void *from, size_t bytes) TCC_CHECKED;    /* does not, if `to` is pinned */
TccStatus *tcc_gpu_copy(TccGpu *gpu, void *to, const void *from, size_t bytes) TCC_CHECKED;
TccStatus *tcc_gpu_zero(TccGpu *gpu, void *to, size_t bytes) TCC_CHECKED;
TccStatus *tcc_gpu_wait(TccGpu *gpu) TCC_CHECKED;
/* Memory of the host that copies need not be staged from; NULL: there is none, which is no error. */
void *tcc_gpu_pinned(TccGpu *gpu, size_t bytes);
void tcc_gpu_unpin(TccGpu *gpu, void *memory);
/* Marks: places in the order of a stream. */
TccStatus *tcc_gpu_mark_create(TccGpu *gpu, void **out) TCC_CHECKED;
void tcc_gpu_mark_destroy(TccGpu *gpu, void *mark); /* NULL does nothing */
TccStatus *tcc_gpu_mark(TccGpu *gpu, void *mark) TCC_CHECKED;
TccStatus *tcc_gpu_mark_wait(TccGpu *gpu, void *mark) TCC_CHECKED; /* until the stream has come there; at once for a new one */
TccStatus *tcc_gpu_mark_ask(TccGpu *gpu, void *mark, bool *out_there) TCC_CHECKED; /* whether it has */
/* Whether the driver knows this address as memory of the model's device. */
bool tcc_gpu_owns(TccGpu *gpu, const void *data);

/* A step with the values that its launch needs. */
typedef struct {
  const TccModel *model;
  const TccStep *step;
  void *const *arguments; /* of the step: operands, results */
  const int64_t *exprs;
  int64_t *sizes;        /* of the step, on the host; words of faults in front */
  void *faults;          /* on the device, behind the step's words of faults */
  TccGpuTensorMap *maps; /* of the step in its instance, which keeps them; NULL: it is no instance's */
  int64_t tiles;         /* of a builtin */
  TccTeam *team;         /* for builtins, which run on copies on the host */
} TccGpuStep;
/* Starts a kernel, or runs a builtin. */
TccStatus *tcc_gpu_step(TccGpu *gpu, const TccGpuStep *step) TCC_CHECKED;
/* The steps [first, last) of an instance in order, loops as often as they go. unusual: what each makes is looked at (unusual.c). */
TccStatus *tcc_gpu_run(TccGpu *gpu, TccInstance *instance, TccTeam *team, size_t first, size_t last, TccUnusual unusual,
                       TccCommandTime *out_times) TCC_CHECKED;
/* A stage of an instance, as a graph if it captures and the host has nothing to do between its launches (gpu_graph.c). out_times: NULL,
 * or the time of each step, one by one. With `unusual` and out_times there is no graph. */
TccStatus *tcc_gpu_run_stage(TccGpu *gpu, TccInstance *instance, TccTeam *team, size_t stage, TccUnusual unusual,
                             TccCommandTime *out_times) TCC_CHECKED;
void tcc_gpu_graphs_drop(TccGpu *gpu, TccGpuGraphs *graphs); /* all zero: nothing */
/* Words of faults that kernels wrote since the last call, to where those of the host are. */
TccStatus *tcc_gpu_faults(TccGpu *gpu, TccInstance *instance) TCC_CHECKED;
/* Asks for them behind what the stream has, unless an answer is still on its way, and does not wait; tcc_gpu_faults_asked takes an answer that has come, or
 * waits for it. Words stay on the device until they are taken. */
TccStatus *tcc_gpu_faults_ask(TccGpu *gpu, TccInstance *instance) TCC_CHECKED;
TccStatus *tcc_gpu_faults_asked(TccGpu *gpu, TccInstance *instance, bool wait) TCC_CHECKED;
/* What an instance has on the device beside its arenas; gone with tcc_instance_destroy. */
TccStatus *tcc_gpu_instance_open(TccGpu *gpu, TccInstance *instance) TCC_CHECKED;
/* Small tensors of sizes of an instance as the device reads them. */
TccStatus *tcc_gpu_upload_sizes(TccGpu *gpu, TccInstance *instance, void *const *host) TCC_CHECKED;

/* Weights and constants to the device, where the initial steps are run (gpu_weights.c). */
TccStatus *tcc_gpu_weights_bind(TccModel *model, const TccLoadOptions *options) TCC_CHECKED;
void tcc_gpu_weights_release(TccModel *model);
#endif

/* gpu_ports.h - inputs and outputs of a run on a device: see ports.c. All but those of states stand between tcc_gpu_enter and tcc_gpu_leave. */
#ifndef TCC_GPU_PORTS_H
#define TCC_GPU_PORTS_H
#include "gpu.h"

static inline bool tcc_tensor_on_device(const TccTensor *tensor) {
  return tensor->device.type == TCC_DEVICE_CUDA || tensor->device.type == TCC_DEVICE_CUDA_MANAGED;
}
int tcc_gpu_ordinal(const TccGpu *gpu); /* of the model's device */

/* TCC_INVALID: a tensor with elements says that it is on the device, and the driver does not know its address as one of there. */
TccStatus *tcc_gpu_check_address(const TccModel *model, const TccTensor *tensor, const TccPortInfo *port, const char *what,
                                 size_t index) TCC_CHECKED;
/* Points the input's node to where the device reads it. */
TccStatus *tcc_gpu_input(TccInstance *instance, size_t index, const TccTensor *input) TCC_CHECKED;
/* Whether an input, whose place is known, has these bytes. */
TccStatus *tcc_gpu_input_equals(TccInstance *instance, size_t index, const TccTensor *input, const void *bytes,
                                bool *out) TCC_CHECKED;
/* Whether a kernel may write output number index where this dense tensor lies. */
bool tcc_gpu_writes_there(const TccInstance *instance, size_t index, const TccTensor *target);
/* Brings output number index to a tensor; data NULL: to memory of the context, on the side that its device says. */
TccStatus *tcc_gpu_output(TccInstance *instance, size_t index, TccElem elem, size_t bytes, TccTensor *target) TCC_CHECKED;
/* A tensor of the device or the host as dense bytes of the host. */
TccStatus *tcc_gpu_pack(TccGpu *gpu, const TccTensor *tensor, TccElem elem, size_t bytes, void *out) TCC_CHECKED;

/* ---- gpu_strided.c ---- */
/* Whether the device itself copies such a tensor: of whole bytes, not of more elements than a launch has threads. */
bool tcc_gpu_strided_fits(const TccTensor *tensor, TccElem elem);
/* A tensor of the device, of any strides, to dense memory there; into: from there. */
TccStatus *tcc_gpu_copy_strided(TccGpu *gpu, const TccTensor *tensor, TccElem elem, void *dense, bool into) TCC_CHECKED;

/* ---- gpu_states.c: memory of states; between runs, outside of tcc_gpu_enter ---- */
TccStatus *tcc_gpu_state_make(TccGpu *gpu, size_t bytes, void **out) TCC_CHECKED;
void tcc_gpu_state_release(TccGpu *gpu, void *state); /* NULL does nothing; runs on callers' streams are waited for */
TccStatus *tcc_gpu_state_fill(TccGpu *gpu, void *state, const void *from, size_t bytes) TCC_CHECKED; /* from: of the device */
/* value: on either side, of any strides, not empty. */
TccStatus *tcc_gpu_state_write(TccGpu *gpu, void *state, TccElem elem, size_t bytes, const TccTensor *value) TCC_CHECKED;
/* to: on the host, of any strides, not empty. */
TccStatus *tcc_gpu_state_read(TccGpu *gpu, const void *state, TccElem elem, size_t bytes, const TccTensor *to) TCC_CHECKED;
#endif

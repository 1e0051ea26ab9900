/* gpu_states.c - states of a model that runs on a device: memory there, which runs read and write in place, as states of the host are.
 *
 * What is done between runs goes to the model's own stream, behind the runs before it, and is waited for. */
#include "gpu_ports.h"

TccStatus *tcc_gpu_state_make(TccGpu *gpu, size_t bytes, void **out) {
  TCC_TRY(tcc_gpu_enter(gpu));
  TccStatus *status = tcc_gpu_allocate(gpu, bytes, "states", out);
  tcc_gpu_leave(gpu);
  return status;
}

void tcc_gpu_state_release(TccGpu *gpu, void *state) {
  TccStatus *status = state ? tcc_gpu_enter(gpu) : NULL; /* what fails now has nobody to tell */
  if (state && !status) {
    tcc_gpu_settle(gpu);
    tcc_gpu_release(gpu, state);
    tcc_gpu_leave(gpu);
  }
  tcc_status_destroy(status);
}

TccStatus *tcc_gpu_state_fill(TccGpu *gpu, void *state, const void *from, size_t bytes) {
  TCC_TRY(tcc_gpu_enter_run(gpu, NULL));
  return tcc_gpu_leave_run(gpu, tcc_gpu_copy(gpu, state, from, bytes));
}

static TccStatus *write_packed(TccGpu *gpu, void *state, TccElem elem, size_t bytes, const TccTensor *value) {
  void *packed = malloc(bytes);
  TccStatus *status = packed ? tcc_gpu_pack(gpu, value, elem, bytes, packed) : TCC_ERROR_NO_MEMORY();
  if (!status) status = tcc_gpu_upload(gpu, state, packed, bytes);
  if (!status) status = tcc_gpu_wait(gpu); /* the copy goes */
  free(packed);
  return status;
}

TccStatus *tcc_gpu_state_write(TccGpu *gpu, void *state, TccElem elem, size_t bytes, const TccTensor *value) {
  const char *data = (const char *)value->data + value->byte_offset;
  TCC_TRY(tcc_gpu_enter_run(gpu, NULL));
  TccStatus *status = !tcc_tensor_is_dense(value)   ? write_packed(gpu, state, elem, bytes, value)
                      : tcc_tensor_on_device(value) ? tcc_gpu_copy(gpu, state, data, bytes)
                                                    : tcc_gpu_upload(gpu, state, data, bytes);
  return tcc_gpu_leave_run(gpu, status);
}

static TccStatus *read_packed(TccGpu *gpu, const void *state, TccElem elem, size_t bytes, const TccTensor *to) {
  void *packed = malloc(bytes);
  TccStatus *status = packed ? tcc_gpu_download(gpu, packed, state, bytes) : TCC_ERROR_NO_MEMORY();
  if (!status) tcc_tensor_unpack(packed, elem, bytes, to);
  free(packed);
  return status;
}

TccStatus *tcc_gpu_state_read(TccGpu *gpu, const void *state, TccElem elem, size_t bytes, const TccTensor *to) {
  TCC_TRY(tcc_gpu_enter_run(gpu, NULL));
  TccStatus *status = tcc_tensor_is_dense(to) ? tcc_gpu_download(gpu, (char *)to->data + to->byte_offset, state, bytes)
                                              : read_packed(gpu, state, elem, bytes, to);
  return tcc_gpu_leave_run(gpu, status);
}

/* device.c - tensors on a GPU: which device and stream a run is for.
 *
 * All tensors of a call lie on one side. Work goes to the stream that the library of the inputs has as its current one, behind what made
 * them, and results are that library's. What comes as a capsule of __dlpack__ is asked for on the legacy default stream, and its run goes there. */
#include "python/native/native.h"

static bool is_on_device(const TccTensor *tensor) {
  return tensor->device.type == TCC_DEVICE_CUDA || tensor->device.type == TCC_DEVICE_CUDA_MANAGED;
}

/* A number, or a size that nobody reads: it goes to either side. */
static bool is_number(const NativeSlot *slot, size_t i) {
  return slot->inputs[i].rank == 0 || slot->inputs[i].data == (void *)&slot->scalars[i];
}

int native_device_set(NativeModel *model, NativeSlot *slot, const DlExchange *exchange) {
  size_t host = model->ninputs, device = model->ninputs;
  slot->device = (TccDevice){TCC_DEVICE_CPU, 0};
  slot->stream = NULL;
  for (size_t i = 0; i < model->ninputs; i++) {
    if (device == model->ninputs && is_on_device(&slot->inputs[i])) device = i;
    if (host == model->ninputs && !is_on_device(&slot->inputs[i]) && !is_number(slot, i)) host = i;
  }
  if (device == model->ninputs) return 0;
  slot->device = slot->inputs[device].device;
  if (host < model->ninputs)
    return native_fail(TCC_INVALID,
                       "input %zu '%s' is in host memory, input %zu '%s' on CUDA device %d: all of a call are on one side", host,
                       tcc_model_input(model->model, host)->name, device, tcc_model_input(model->model, device)->name,
                       (int)slot->device.id),
           -1;
  if (exchange && exchange->stream && exchange->stream(TCC_DEVICE_CUDA, slot->device.id, &slot->stream) != 0) return -1;
  if (!slot->stream) slot->stream = (void *)(uintptr_t)1; /* CU_STREAM_LEGACY, which 0 stands for elsewhere */
  return 0;
}

/* ---- tensors with gaps ---- */
static bool is_dense(const TccTensor *tensor) {
  int64_t step = 1;
  for (int axis = tensor->rank - 1; tensor->strides && axis >= 0; axis--) {
    if (tensor->shape[axis] != 1 && tensor->strides[axis] != step) return false;
    step *= tensor->shape[axis];
  }
  return true;
}

static bool is_written(const NativeModel *model, size_t input) {
  for (size_t i = 0; i < model->noutputs; i++)
    if (tcc_model_output(model->model, i)->tied == (int32_t)input) return true;
  return false;
}

static void release_object(void *object) { Py_DECREF((PyObject *)object); }

int native_device_pack(NativeModel *model, size_t input, PyObject *object, const DlExchange *exchange, TccTensor *view,
                       NativeOwner *owner) {
  if (!exchange || !is_on_device(view) || is_dense(view) || is_written(model, input)) return 0;
  PyObject *method = PyObject_GetAttrString(object, "contiguous");
  if (!method) return native_forget_error() ? 0 : -1; /* of a library without it: the run-time copies */
  PyObject *dense = PyObject_CallObject(method, NULL);
  Py_DECREF(method);
  if (!dense) return -1;
  native_release(owner);
  if (exchange->view_object(dense, view) != 0) {
    Py_DECREF(dense);
    return -1;
  }
  *owner = (NativeOwner){dense, release_object};
  return 0;
}

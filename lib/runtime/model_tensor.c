/* model_tensor.c - tensors that a caller keeps where a model runs: on its device, or on the host. */
#include "gpu_ports.h"

static TccStatus *bytes_of(const TccTensor *tensor, size_t *out) {
  const TccElem elem = tcc_dtype_elem(tensor->dtype);
  if (elem == TCC_ELEM_NONE || tensor->rank < 0 || tensor->rank > TCC_PLAN_MAX_RANK)
    return TCC_ERROR(TCC_INVALID, "a tensor of rank %d and type %d of %d bits is none of a model", tensor->rank, tensor->dtype.code,
                     tensor->dtype.bits);
  if (tensor->rank && !tensor->shape) return TCC_ERROR(TCC_INVALID, "a tensor of rank %d has no shape", tensor->rank);
  for (int32_t axis = 0; axis < tensor->rank; axis++)
    if (tensor->shape[axis] < 0)
      return TCC_ERROR(TCC_INVALID, "axis %d: size %lld is negative", axis, (long long)tensor->shape[axis]);
  if (tcc_elem_dense_bytes(elem, tensor->shape, (size_t)tensor->rank, NULL, out) && *out < SIZE_MAX / 2) return NULL;
  return TCC_ERROR(TCC_NO_MEMORY, "a tensor is too large for the address space");
}

TccStatus *tcc_model_tensor_create(TccModel *model, TccTensor *tensor) {
  size_t bytes;
  tensor->data = NULL, tensor->byte_offset = 0, tensor->strides = NULL;
  tensor->device = (TccDevice){model->gpu ? TCC_DEVICE_CUDA : TCC_DEVICE_CPU, model->gpu ? tcc_gpu_ordinal(model->gpu) : 0};
  TCC_TRY(bytes_of(tensor, &bytes));
  if (model->gpu) return tcc_gpu_state_make(model->gpu, bytes + 1, &tensor->data);
  tensor->data = tcc_allocate(&model->allocator, tcc_align(bytes + 1));
  return tensor->data ? NULL : TCC_ERROR(TCC_NO_MEMORY, "no memory for the %zu bytes of a tensor", bytes);
}

void tcc_model_tensor_destroy(TccModel *model, TccTensor *tensor) {
  size_t bytes = 0;
  if (!tensor->data) return;
  tcc_status_destroy(bytes_of(tensor, &bytes)); /* it had none when the tensor was made */
  if (model->gpu) tcc_gpu_state_release(model->gpu, tensor->data);
  else tcc_release(&model->allocator, tensor->data, tcc_align(bytes + 1));
  tensor->data = NULL;
}

static bool is_alike(const TccTensor *a, const TccTensor *b) {
  bool alike = a->rank == b->rank && tcc_dtype_elem(a->dtype) == tcc_dtype_elem(b->dtype);
  for (int32_t axis = 0; alike && axis < a->rank; axis++) alike = a->shape[axis] == b->shape[axis];
  return alike;
}

/* One of both is where the model runs, dense, the other one anywhere that the host reads and writes. */
TccStatus *tcc_model_tensor_copy(TccModel *model, const TccTensor *from, const TccTensor *to) {
  const TccElem elem = tcc_dtype_elem(from->dtype);
  const bool reads = tcc_tensor_on_device(from), writes = tcc_tensor_on_device(to);
  size_t bytes;
  TCC_TRY(bytes_of(from, &bytes));
  TCC_TRY(bytes_of(to, &bytes));
  if (!is_alike(from, to)) return TCC_ERROR(TCC_INVALID, "tensors of other types or sizes are not copied");
  if (!bytes) return NULL;
  if (!from->data || !to->data) return TCC_ERROR(TCC_INVALID, "a tensor without data is not copied");
  if ((reads && writes) || ((reads || writes) && !model->gpu))
    return TCC_ERROR(TCC_UNSUPPORTED, "a tensor is copied between the host and the device of its model");
  const bool from_dense = tcc_tensor_is_dense(from), to_dense = tcc_tensor_is_dense(to);
  if (from->dtype.bits % 8 != 0 && !(from_dense && to_dense))
    return TCC_ERROR(TCC_INVALID, "elements of %u bits must be dense", from->dtype.bits);
  if (writes ? !to_dense : reads ? !from_dense : !from_dense && !to_dense)
    return TCC_ERROR(TCC_UNSUPPORTED, "a tensor with gaps is not copied from or to where a model runs");
  char *source = (char *)from->data + from->byte_offset, *target = (char *)to->data + to->byte_offset;
  if (writes) return tcc_gpu_state_write(model->gpu, target, elem, bytes, from);
  if (reads) return tcc_gpu_state_read(model->gpu, source, elem, bytes, to);
  if (to_dense) tcc_tensor_pack(from, elem, bytes, target);
  else tcc_tensor_unpack(source, elem, bytes, to);
  return NULL;
}

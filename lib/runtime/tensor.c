/* tensor.c - element types as DLPack's, and copies between strided and dense tensors. */
#include "internal.h"

TccDtype tcc_elem_dtype(TccElem elem) {
  uint8_t bits = (uint8_t)tcc_elem_bits(elem), code;
  switch (elem) {
  case TCC_ELEM_BOOL: code = TCC_DTYPE_BOOL; break;
  case TCC_ELEM_BF16: code = TCC_DTYPE_BFLOAT; break;
  case TCC_ELEM_F8E4M3FN: code = TCC_DTYPE_F8E4M3FN; break;
  case TCC_ELEM_F8E4M3FNUZ: code = TCC_DTYPE_F8E4M3FNUZ; break;
  case TCC_ELEM_F8E5M2: code = TCC_DTYPE_F8E5M2; break;
  case TCC_ELEM_F8E5M2FNUZ: code = TCC_DTYPE_F8E5M2FNUZ; break;
  case TCC_ELEM_F4E2M1FN: code = TCC_DTYPE_F4E2M1FN; break;
  case TCC_ELEM_F8E8M0FNU: code = TCC_DTYPE_F8E8M0FNU; break;
  default: code = tcc_elem_is_float(elem) ? TCC_DTYPE_FLOAT : tcc_elem_is_unsigned(elem) ? TCC_DTYPE_UINT : TCC_DTYPE_INT;
  }
  return (TccDtype){code, bits, 1};
}

TccElem tcc_dtype_elem(TccDtype dtype) {
  for (int elem = TCC_ELEM_NONE + 1; elem < TCC_ELEM_COUNT; elem++) {
    TccDtype candidate = tcc_elem_dtype((TccElem)elem);
    if (candidate.code == dtype.code && candidate.bits == dtype.bits && dtype.lanes == 1) return (TccElem)elem;
  }
  return TCC_ELEM_NONE;
}

bool tcc_tensor_is_dense(const TccTensor *tensor) {
  if (!tensor->strides) return true;
  int64_t expected = 1;
  for (int axis = tensor->rank - 1; axis >= 0; axis--) {
    if (tensor->shape[axis] == 0) return true;
    if (tensor->shape[axis] != 1 && tensor->strides[axis] != expected) return false;
    if (__builtin_mul_overflow(expected, tensor->shape[axis], &expected)) return false;
  }
  return true;
}

/* Copies element by element along the odometer of the shape, the innermost axis in a loop of its own. Addresses are sums modulo
 * 2^64: the stride of an axis of size 1 may be any number. */
static void copy_strided(const TccTensor *tensor, TccElem elem, size_t bytes, char *dense, bool pack) {
  const size_t width = tcc_elem_bytes(elem, 1);
  if (bytes == 0) return;
  if (tcc_tensor_is_dense(tensor)) {
    char *data = (char *)tensor->data + tensor->byte_offset;
    memcpy(pack ? dense : data, pack ? data : dense, bytes);
    return;
  }
  const int last = tensor->rank - 1;
  const int64_t inner = tensor->shape[last];
  const uintptr_t first = (uintptr_t)tensor->data + tensor->byte_offset, step = (uintptr_t)tensor->strides[last] * width;
  int64_t index[TCC_PLAN_MAX_RANK] = {0};
  for (const char *end = dense + bytes; dense < end;) {
    uintptr_t at = first;
    for (int axis = 0; axis < last; axis++) at += (uintptr_t)index[axis] * (uintptr_t)tensor->strides[axis] * width;
    for (int64_t i = 0; i < inner; i++, at += step, dense += width)
      memcpy(pack ? dense : (char *)at, pack ? (const char *)at : dense, width);
    for (int axis = last - 1; axis >= 0 && ++index[axis] == tensor->shape[axis]; axis--) index[axis] = 0;
  }
}

void tcc_tensor_pack(const TccTensor *from, TccElem elem, size_t bytes, void *to) { copy_strided(from, elem, bytes, to, true); }
void tcc_tensor_unpack(const void *from, TccElem elem, size_t bytes, const TccTensor *to) {
  copy_strided(to, elem, bytes, (char *)from, false);
}

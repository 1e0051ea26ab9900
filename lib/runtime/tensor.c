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
    expected *= tensor->shape[axis];
  }
  return true;
}

/* Copies element by element along the odometer of the shape, the innermost axis in a loop of its own. */
static void copy_strided(const TccTensor *tensor, TccElem elem, char *dense, bool pack) {
  size_t bytes = tcc_elem_bytes(elem, 1);
  char *strided = (char *)tensor->data + tensor->byte_offset;
  int64_t index[TCC_PLAN_MAX_RANK] = {0}, count = 1;
  for (int axis = 0; axis < tensor->rank; axis++) count *= tensor->shape[axis];
  if (tcc_tensor_is_dense(tensor)) {
    size_t all = tcc_elem_bytes(elem, (size_t)count);
    if (all) memcpy(pack ? dense : strided, pack ? strided : dense, all);
    return;
  }
  int last = tensor->rank - 1;
  int64_t inner = tensor->shape[last], step = tensor->strides[last] * (int64_t)bytes;
  for (int64_t done = 0; done < count; done += inner) {
    char *at = strided;
    for (int axis = 0; axis < last; axis++) at += index[axis] * tensor->strides[axis] * (int64_t)bytes;
    for (int64_t i = 0; i < inner; i++, at += step, dense += bytes) memcpy(pack ? dense : at, pack ? at : dense, bytes);
    for (int axis = last - 1; axis >= 0 && ++index[axis] == tensor->shape[axis]; axis--) index[axis] = 0;
  }
}

void tcc_tensor_pack(const TccTensor *from, TccElem elem, void *to) { copy_strided(from, elem, to, true); }
void tcc_tensor_unpack(const void *from, TccElem elem, const TccTensor *to) { copy_strided(to, elem, (char *)from, false); }

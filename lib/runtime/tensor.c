/* tensor.c - element types as DLPack's, and which tensors are dense. */
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

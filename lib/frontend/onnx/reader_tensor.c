/* reader_tensor.c - the values of a tensor as bytes (tcc_onnx_tensor_data).
 *
 * raw_data and one packed run of floats or doubles are the bytes already; everything else is decoded from the wire. */
#include "lib/frontend/onnx/reader.h"
#include <inttypes.h>

static TccStatus *decode(TccArena *arena, const TccOnnxTensor *tensor, const void **out_data) {
  const TccOnnxStrings *bodies = &tensor->bodies;
  TCC_TRY(tcc_wire_tensor_numbers(bodies->data, bodies->count, tensor->elem, tensor->count, NULL));
  void *data = tcc_arena_alloc(arena, tensor->bytes);
  *out_data = data;
  return tcc_wire_tensor_numbers(bodies->data, bodies->count, tensor->elem, tensor->count, data);
}

TccStatus *tcc_onnx_tensor_data(TccArena *arena, const TccOnnxTensor *tensor, const void **out_data) {
  *out_data = NULL;
  if (!tensor->elem) return TCC_ERROR(TCC_UNSUPPORTED, "data_type %" PRId64, tensor->data_type);
  switch (tensor->data) {
  case TCC_ONNX_DATA_RAW:
    *out_data = tensor->raw_data.data;
    if (tensor->elem == TCC_ELEM_BOOL) *out_data = tcc_elem_clean_bools(arena, *out_data, tensor->bytes);
    return NULL;
  case TCC_ONNX_DATA_EXTERNAL: return TCC_ERROR(TCC_UNSUPPORTED, "external data where it cannot be looked up");
  case TCC_ONNX_DATA_TYPED:
    for (int i = 0; i < 2; i++) {
      const TccOnnxNumbers *numbers = i ? &tensor->double_data : &tensor->float_data;
      if (numbers->occurrences != 1 || numbers->unpacked) continue;
      if (numbers->first.length != tensor->bytes)
        return TCC_ERROR(TCC_INVALID, "the tensor holds %zu bytes, dims ask for %zu", numbers->first.length, tensor->bytes);
      *out_data = numbers->first.data;
      return NULL;
    }
    return decode(arena, tensor, out_data);
  default: *out_data = ""; return NULL; /* no elements */
  }
}

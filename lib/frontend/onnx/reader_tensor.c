/* reader_tensor.c - the values of a tensor as bytes (tcc_onnx_tensor_data).
 *
 * raw_data and one packed run of floats or doubles are the bytes already. Everything else is decoded from the wire: values of
 * 32 bits and less travel as varints in int32_data, f16, bf16 and f8 as their bits, types below 8 bits as packed bytes. */
#include "lib/frontend/onnx/reader.h"
#include <inttypes.h>

/* The values of one number field, over all occurrences in all bodies of the message. */
typedef struct {
  const TccOnnxTensor *tensor;
  unsigned number;   /* of the field */
  size_t width;      /* 0: varints */
  size_t body;       /* next */
  TccWire wire, packed;
} Numbers;

static TccStatus *next_number(Numbers *n, bool *out_end, uint64_t *out) {
  *out_end = false;
  for (;;) {
    if (n->packed.at < n->packed.end) {
      bool ok = n->width ? tcc_wire_fixed(&n->packed, n->width, out) : tcc_wire_varint(&n->packed, out);
      return ok ? NULL : TCC_ERROR(TCC_INVALID, "a packed number is cut off or too long");
    }
    if (n->wire.at == n->wire.end) {
      if (n->body == n->tensor->bodies.count) return *out_end = true, NULL;
      n->wire = tcc_wire(n->tensor->bodies.data[n->body++]);
      continue;
    }
    TccWireField field;
    const char *why = tcc_wire_next(&n->wire, &field);
    if (why) return TCC_ERROR(TCC_INVALID, "%s", why);
    if (field.number != n->number) continue;
    if (field.type != TCC_WIRE_BYTES) return *out = field.value, NULL;
    n->packed = tcc_wire(field.bytes);
  }
}

static Numbers numbers_of(const TccOnnxTensor *tensor) {
  Numbers n = {.tensor = tensor, .number = 5};
  switch (tensor->elem) {
  case TCC_ELEM_F32: n.number = 4, n.width = 4; break;
  case TCC_ELEM_F64: n.number = 10, n.width = 8; break;
  case TCC_ELEM_I64: n.number = 7; break;
  case TCC_ELEM_U32:
  case TCC_ELEM_U64: n.number = 11; break;
  default: break;
  }
  return n;
}

/* Whether a varint is a value of the type. Bit patterns of floats and packed bytes may be written signed or unsigned. */
static bool fits(TccElem elem, uint64_t value) {
  unsigned bits = tcc_elem_bits(elem) < 8 ? 8 : tcc_elem_bits(elem);
  if (bits == 64) return true;
  int64_t v = (int64_t)value, limit = (int64_t)1 << bits;
  if (tcc_elem_is_signed(elem) && bits != 8) return v >= -limit / 2 && v < limit / 2;
  if (elem == TCC_ELEM_I8) return v >= -128 && v < 128;
  bool pattern = tcc_elem_is_float(elem) || tcc_elem_bits(elem) < 8;
  return v < limit && v >= (pattern ? -limit / 2 : 0);
}

static TccStatus *decode(TccArena *arena, const TccOnnxTensor *tensor, const void **out_data) {
  /* Count before memory is taken: dims may lie. Types below 8 bits are stored as bytes. */
  size_t expected = tcc_elem_bits(tensor->elem) < 8 ? tensor->bytes : tensor->count, count = 0;
  bool end;
  uint64_t value = 0;
  Numbers n = numbers_of(tensor);
  for (;; count++) {
    TCC_TRY(next_number(&n, &end, &value));
    if (end) break;
  }
  if (count != expected) return TCC_ERROR(TCC_INVALID, "the tensor holds %zu numbers, dims ask for %zu", count, expected);
  size_t width = tensor->count ? tensor->bytes / expected : 0;
  unsigned char *data = tcc_arena_alloc(arena, tensor->bytes);
  n = numbers_of(tensor);
  for (size_t i = 0; i < count; i++) {
    TCC_TRY(next_number(&n, &end, &value));
    if (tensor->elem == TCC_ELEM_BOOL) value = value != 0;
    if (!n.width && !fits(tensor->elem, value))
      return TCC_ERROR(TCC_INVALID, "number %zu of the tensor, %" PRId64 ", is not a value of %s", i, (int64_t)value, tcc_elem_name(tensor->elem));
    memcpy(data + i * width, &value, width);
  }
  *out_data = data;
  return NULL;
}

const void *tcc_onnx_clean_bools(TccArena *arena, const void *data, size_t bytes) {
  const char *raw = data;
  size_t i = 0;
  while (i < bytes && !(raw[i] & ~1)) i++;
  if (i == bytes) return data;
  char *clean = tcc_arena_copy(arena, raw, bytes);
  for (; i < bytes; i++) clean[i] = clean[i] != 0;
  return clean;
}

TccStatus *tcc_onnx_tensor_data(TccArena *arena, const TccOnnxTensor *tensor, const void **out_data) {
  *out_data = NULL;
  if (!tensor->elem) return TCC_ERROR(TCC_UNSUPPORTED, "data_type %" PRId64, tensor->data_type);
  switch (tensor->data) {
  case TCC_ONNX_DATA_RAW:
    *out_data = tensor->raw_data.data;
    if (tensor->elem == TCC_ELEM_BOOL) *out_data = tcc_onnx_clean_bools(arena, *out_data, tensor->bytes);
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

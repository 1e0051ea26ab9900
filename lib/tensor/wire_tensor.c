/* wire_tensor.c - the number fields of a TensorProto (include/tcc/wire.h; comments of onnx.proto3).
 *
 * Values of 32 bits and less travel as varints in int32_data, f16, bf16 and f8 as their bits, types below 8 bits as packed
 * bytes, ui32 and ui64 in uint64_data. */
#include "tcc/wire.h"
#include <inttypes.h>

typedef struct {
  const TccStr *bodies;
  size_t nbodies, body; /* body: the next */
  unsigned number;
  size_t width;
  TccWire wire, packed;
} Numbers;

unsigned tcc_wire_tensor_field(TccElem elem, size_t *out_width) {
  *out_width = 0;
  switch (elem) {
  case TCC_ELEM_F32: *out_width = 4; return 4;
  case TCC_ELEM_F64: *out_width = 8; return 10;
  case TCC_ELEM_I64: return 7;
  case TCC_ELEM_U32:
  case TCC_ELEM_U64: return 11;
  default: return 5;
  }
}

static TccStatus *next_number(Numbers *n, bool *out_end, uint64_t *out) {
  *out_end = false;
  for (;;) {
    if (n->packed.at < n->packed.end) {
      bool ok = n->width ? tcc_wire_fixed(&n->packed, n->width, out) : tcc_wire_varint(&n->packed, out);
      return ok ? NULL : TCC_ERROR(TCC_INVALID, "a packed number is cut off or too long");
    }
    if (n->wire.at == n->wire.end) {
      if (n->body == n->nbodies) return *out_end = true, NULL;
      n->wire = tcc_wire(n->bodies[n->body++]);
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

/* Whether a varint is a value of the type. Bit patterns of floats and packed bytes may be written signed or unsigned. */
static bool fits(TccElem elem, uint64_t value) {
  unsigned bits = tcc_elem_bits(elem) < 8 ? 8 : tcc_elem_bits(elem);
  if (bits == 64) return true;
  int64_t v = (int64_t)value, limit = (int64_t)1 << bits;
  if (tcc_elem_is_signed(elem) && tcc_elem_bits(elem) >= 8) return v >= -limit / 2 && v < limit / 2;
  bool pattern = tcc_elem_is_float(elem) || tcc_elem_bits(elem) < 8;
  return v < limit && v >= (pattern ? -limit / 2 : 0);
}

TccStatus *tcc_wire_tensor_numbers(const TccStr *bodies, size_t nbodies, TccElem elem, size_t count, void *data) {
  bool packed = tcc_elem_bits(elem) < 8;
  size_t expected = packed ? tcc_elem_bytes(elem, count) : count, bytes = packed ? 1 : tcc_elem_bits(elem) / 8;
  Numbers n = {.bodies = bodies, .nbodies = nbodies};
  n.number = tcc_wire_tensor_field(elem, &n.width);
  for (size_t i = 0;; i++) {
    bool end;
    uint64_t value = 0;
    TCC_TRY(next_number(&n, &end, &value));
    if (end && i == expected) return NULL;
    if (end || i == expected)
      return TCC_ERROR(TCC_INVALID, "the tensor holds %s numbers than its dims ask for (%zu)", end ? "fewer" : "more", expected);
    if (elem == TCC_ELEM_BOOL) value = value != 0;
    if (!n.width && !fits(elem, value))
      return TCC_ERROR(TCC_INVALID, "number %zu of the tensor, %" PRId64 ", is not a value of %s", i, (int64_t)value,
                       tcc_elem_name(elem));
    if (data) memcpy((char *)data + i * bytes, &value, bytes);
  }
}

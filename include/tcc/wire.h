/* wire.h - protobuf's wire format, one field at a time (protobuf encoding guide). No MLIR.
 *
 * A message is a sequence of fields, each a key (number and wire type) and a value. Every length is checked against the
 * end of the enclosing bytes before use; groups, which proto3 has not, are refused. */
#ifndef TCC_WIRE_H
#define TCC_WIRE_H
#include "tcc/digest.h"
#include "tcc/elem.h"

enum { TCC_WIRE_LARGE = 64 }; /* bytes: numbers of tensors that tcc_wire_graph leaves out */

typedef struct {
  const unsigned char *at, *end;
} TccWire;

enum { TCC_WIRE_VARINT = 0, TCC_WIRE_FIXED64 = 1, TCC_WIRE_BYTES = 2, TCC_WIRE_FIXED32 = 5 };
typedef struct {
  uint32_t number;
  unsigned type;
  uint64_t value;             /* varint and fixed */
  TccStr bytes;               /* TCC_WIRE_BYTES */
  const unsigned char *start; /* of the key */
} TccWireField;

static inline TccWire tcc_wire(TccStr bytes) {
  const unsigned char *first = (const unsigned char *)(bytes.length ? bytes.data : ""); /* NULL takes no arithmetic */
  TccWire wire = {first, first + bytes.length};
  return wire;
}

/* At most ten bytes; bits above 64 are dropped, as protobuf does. */
static inline bool tcc_wire_varint(TccWire *wire, uint64_t *out) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 70 && wire->at < wire->end; shift += 7) {
    unsigned char byte = *wire->at++;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return *out = value, true;
  }
  return false;
}

/* width: 4 or 8, little endian */
static inline bool tcc_wire_fixed(TccWire *wire, size_t width, uint64_t *out) {
  if ((size_t)(wire->end - wire->at) < width) return false;
  *out = 0;
  memcpy(out, wire->at, width);
  wire->at += width;
  return true;
}

/* Takes the next field; only while at < end. NULL, or what is wrong. */
static inline const char *tcc_wire_next(TccWire *wire, TccWireField *field) {
  uint64_t key = 0, length = 0;
  *field = (TccWireField){.start = wire->at};
  if (!tcc_wire_varint(wire, &key)) return "a field's key is cut off or too long";
  if (key >> 32 || key >> 3 == 0) return "a field has an impossible number";
  field->number = (uint32_t)(key >> 3);
  field->type = key & 7;
  switch (field->type) {
  case TCC_WIRE_VARINT: return tcc_wire_varint(wire, &field->value) ? NULL : "a number is cut off or too long";
  case TCC_WIRE_FIXED64: return tcc_wire_fixed(wire, 8, &field->value) ? NULL : "a number is cut off";
  case TCC_WIRE_FIXED32: return tcc_wire_fixed(wire, 4, &field->value) ? NULL : "a number is cut off";
  case TCC_WIRE_BYTES:
    if (!tcc_wire_varint(wire, &length)) return "a length is cut off or too long";
    if (length > (uint64_t)(wire->end - wire->at)) return "a field is longer than what it is in";
    field->bytes = (TccStr){(const char *)wire->at, (size_t)length};
    wire->at += length;
    return NULL;
  default: return "a field has a wire type that proto3 has not";
  }
}

/* ---- TensorProto's number fields ---- */

/* The field that holds the elements of a type, and the bytes of one number there, 0 for varints. */
TCC_EXPORT unsigned tcc_wire_tensor_field(TccElem elem, size_t *out_width);
/* Decodes the elements of a type from that field, over all its occurrences in the bodies of one message (several if it was
 * merged), packed or not: count elements into data, in the form of tensor.h. data NULL: only checks how many there are,
 * so that no memory is taken for dims that lie. TCC_INVALID if there are more or fewer, or one does not fit the type. */
TCC_EXPORT TccStatus *tcc_wire_tensor_numbers(const TccStr *bodies, size_t nbodies, TccElem elem, size_t count,
                                              void *data) TCC_CHECKED;

/* ---- ModelProto ---- */

/* Appends the bytes of a model but for the numbers of its tensors (raw_data, packed float_data and double_data of initializers and of
 * attributes) that are TCC_WIRE_LARGE bytes or more; their lengths are kept. Takes any bytes. */
TCC_EXPORT void tcc_wire_graph(TccStr model, TccText *out);
/* Appends what an archive of a model (.pt2) says but for the numbers of its large tensors: of members below data/weights and data/constants that
 * are stored as they are, TCC_WIRE_LARGE bytes or more, name, size and place alone. What is no such archive is appended whole. Takes any
 * bytes. */
TCC_EXPORT void tcc_wire_archive(TccStr file, TccText *out);
/* Digest of the file of a model: of tcc_wire_graph if its name ends in .onnx, of tcc_wire_archive for .pt2, else of all its bytes.
 * TCC_NO_MEMORY. */
TCC_EXPORT TccStatus *tcc_wire_digest(const char *name, TccStr model, uint8_t out[TCC_DIGEST_BYTES]) TCC_CHECKED;
static inline bool tcc_wire_ends(const char *name, const char *ending) {
  size_t length = strlen(name), n = strlen(ending);
  return length >= n && memcmp(name + length - n, ending, n) == 0;
}
/* Whether a file of this name is an archive of a model. */
static inline bool tcc_wire_is_archive(const char *name) { return tcc_wire_ends(name, ".pt2"); }
/* Whether the digest of a file of this name leaves large tensors out. */
static inline bool tcc_wire_is_model(const char *name) { return tcc_wire_ends(name, ".onnx") || tcc_wire_is_archive(name); }
#endif

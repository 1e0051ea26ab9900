/* tensor_file.c - TensorProto and NumPy files; see include/tcc/tensor.h.
 *
 * TensorProto is read straight from the wire format: field 1 dims, 2 data_type, 4 float_data, 5 int32_data, 7 int64_data,
 * 6 string_data, 8 name, 9 raw_data, 10 double_data, 11 uint64_data, 14 data_location. All sizes come from the file and are checked
 * before use. */
#include "tcc/file.h"
#include "tcc/tensor.h"
#include "tcc/wire.h"
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- TensorProto ---- */

/* A shape is believed only as far as the bytes at hand can fill it: four elements a byte at most. Memory comes after that. */
static TccStatus *check_shape(int rank, const int64_t *dims, size_t bytes) {
  size_t count, least;
  if (tcc_elem_dense_bytes(TCC_ELEM_U2, dims, (size_t)rank, &count, &least) && least <= bytes) return NULL;
  return TCC_ERROR(TCC_INVALID, "%zu bytes do not fill the tensor's shape", bytes);
}

/* What a TensorProto says, before any of it is believed. */
typedef struct {
  int64_t dims[TCC_HOST_MAX_RANK];
  int rank, data_type;
  TccStr raw, name;
  bool has_raw;
  uint32_t typed; /* bit n: number field n has values */
  size_t strings, widest;
} Proto;

static TccStatus *read_dims(const TccWireField *field, Proto *proto) {
  TccWire wire = tcc_wire(field->bytes);
  uint64_t value = field->value;
  do {
    if (field->type == TCC_WIRE_BYTES && wire.at == wire.end) break;
    if (field->type == TCC_WIRE_BYTES && !tcc_wire_varint(&wire, &value))
      return TCC_ERROR(TCC_INVALID, "damaged TensorProto: dims");
    if (proto->rank == TCC_HOST_MAX_RANK) return TCC_ERROR(TCC_UNSUPPORTED, "more than %d dimensions", TCC_HOST_MAX_RANK);
    proto->dims[proto->rank++] = (int64_t)value;
  } while (wire.at < wire.end);
  return NULL;
}

static TccStatus *read_proto(TccStr all, Proto *proto) {
  TccWire wire = tcc_wire(all);
  while (wire.at < wire.end) {
    TccWireField field;
    const char *why = tcc_wire_next(&wire, &field);
    if (why) return TCC_ERROR(TCC_INVALID, "damaged TensorProto: %s", why);
    bool bytes = field.type == TCC_WIRE_BYTES;
    switch (field.number) {
    case 1: TCC_TRY(read_dims(&field, proto)); break;
    case 2:
      if (!bytes) proto->data_type = (int)field.value;
      break;
    case 3: return TCC_ERROR(TCC_UNSUPPORTED, "TensorProto in segments, or a sequence or optional");
    case 4:
    case 5:
    case 7:
    case 10:
    case 11:
      if (!bytes || field.bytes.length) proto->typed |= 1u << field.number;
      break;
    case 6:
      if (!bytes) return TCC_ERROR(TCC_INVALID, "damaged TensorProto: strings");
      if (field.bytes.length && memchr(field.bytes.data, 0, field.bytes.length))
        return TCC_ERROR(TCC_UNSUPPORTED, "a string with a zero byte in it");
      proto->strings++;
      if (field.bytes.length > proto->widest) proto->widest = field.bytes.length;
      break;
    case 8:
      if (bytes) proto->name = field.bytes;
      break;
    case 9:
      if (bytes) proto->raw = field.bytes, proto->has_raw = true;
      break;
    case 14:
      if (field.value == 1) return TCC_ERROR(TCC_UNSUPPORTED, "TensorProto with external data");
      break;
    default: break;
    }
  }
  return NULL;
}

/* bool is a byte 0 or 1, whatever the file has. */
static void clean_bools(TccHostTensor *tensor) {
  unsigned char *data = tensor->data;
  for (size_t i = 0; tensor->elem == TCC_ELEM_BOOL && i < tensor->count; i++) data[i] = data[i] != 0;
}

static TccStatus *fill(const Proto *proto, TccStr all, TccHostTensor *tensor) {
  size_t width;
  unsigned field = tcc_wire_tensor_field(tensor->elem, &width);
  if (proto->raw.length && proto->typed) return TCC_ERROR(TCC_INVALID, "TensorProto holds its data in two ways");
  if (proto->typed & ~(1u << field)) return TCC_ERROR(TCC_INVALID, "the data of TensorProto is not in the field for its type");
  if (proto->typed || !proto->has_raw) return tcc_wire_tensor_numbers(&all, 1, tensor->elem, tensor->count, tensor->data);
  if (proto->raw.length != tensor->bytes)
    return TCC_ERROR(TCC_INVALID, "raw_data has %zu bytes, the shape needs %zu", proto->raw.length, tensor->bytes);
  memcpy(tensor->data, proto->raw.data, tensor->bytes);
  clean_bools(tensor);
  return NULL;
}

enum { STRINGS = 8 /* data_type */, MOST_TEXT = 1 << 28 /* bytes: one wide string makes all wide */ };

/* Strings as bytes, one axis more. */
static TccStatus *parse_strings(const Proto *proto, TccStr all, TccHostTensor **out) {
  int64_t dims[TCC_HOST_MAX_RANK + 1];
  size_t count = 1, at = 0;
  const size_t width = proto->widest ? proto->widest : 1;
  for (int i = 0; i < proto->rank; i++) {
    dims[i] = proto->dims[i];
    if (dims[i] < 0 || !tcc_mul_size(count, (size_t)dims[i], &count))
      return TCC_ERROR(TCC_INVALID, "strings of an impossible shape");
  }
  if (count != proto->strings || proto->typed || proto->has_raw)
    return TCC_ERROR(TCC_INVALID, "the tensor holds %zu strings, its dims ask for %zu", proto->strings, count);
  size_t size;
  if (!tcc_mul_size(count, width, &size) || size > MOST_TEXT)
    return TCC_ERROR(TCC_UNSUPPORTED, "%zu strings of up to %zu bytes", count, width);
  dims[proto->rank] = (int64_t)width;
  TCC_TRY(tcc_host_tensor_create(TCC_ELEM_U8, proto->rank + 1, dims, out));
  (*out)->is_text = true;
  for (TccWire wire = tcc_wire(all); wire.at < wire.end;) {
    TccWireField field;
    if (tcc_wire_next(&wire, &field) || field.number != 6) continue;
    if (field.bytes.length) memcpy((char *)(*out)->data + at, field.bytes.data, field.bytes.length);
    at += width;
  }
  return NULL;
}

TccStatus *tcc_host_tensor_parse_proto(const void *bytes, size_t length, TccHostTensor **out) {
  *out = NULL;
  Proto proto = {.rank = 0};
  TccStr all = {bytes, length};
  TCC_TRY(read_proto(all, &proto));
  if (proto.data_type == STRINGS) return parse_strings(&proto, all, out);
  if (proto.strings) return TCC_ERROR(TCC_INVALID, "strings in a TensorProto of numbers");
  TccElem elem = tcc_elem_from_onnx(proto.data_type);
  if (elem == TCC_ELEM_NONE)
    return TCC_ERROR(proto.data_type ? TCC_UNSUPPORTED : TCC_INVALID, "element type %d (%s)", proto.data_type,
                     tcc_elem_onnx_name(proto.data_type));
  TccHostTensor *tensor;
  TCC_TRY(check_shape(proto.rank, proto.dims, length));
  TCC_TRY(tcc_host_tensor_create(elem, proto.rank, proto.dims, &tensor));
  TccStatus *status = fill(&proto, all, tensor);
  if (!status && proto.name.length) {
    tensor->name = strndup(proto.name.data, proto.name.length);
    if (!tensor->name) status = TCC_ERROR_NO_MEMORY();
  }
  if (status) tcc_host_tensor_destroy(tensor);
  else *out = tensor;
  return status;
}

/* ---- .npy ---- */

/* Finds 'key': in the header's Python dictionary and returns what follows. */
static const char *header_value(const char *header, const char *key) {
  const char *found = strstr(header, key);
  if (!found) return NULL;
  found += strlen(key);
  while (*found == ' ' || *found == ':') found++;
  return found;
}

static TccElem elem_from_numpy(const char *descr) {
  for (int elem = 1; elem < TCC_ELEM_COUNT; elem++) {
    const char *name = tcc_elem_numpy((TccElem)elem);
    size_t n = strlen(name);
    if (n && !strncmp(descr, name, n) && (descr[n] == '\'' || descr[n] == '"')) return (TccElem)elem;
  }
  return TCC_ELEM_NONE;
}

/* Fortran order: element (i0, i1, ...) stands at i0 + d0 * (i1 + d1 * ...). */
static void copy_fortran(TccHostTensor *tensor, const unsigned char *from) {
  size_t width = tcc_elem_bits(tensor->elem) / 8;
  for (size_t i = 0; i < tensor->count; i++) {
    size_t rest = i, at = 0, index[TCC_HOST_MAX_RANK];
    for (int axis = tensor->rank - 1; axis >= 0; axis--) {
      index[axis] = rest % (size_t)tensor->dims[axis];
      rest /= (size_t)tensor->dims[axis];
    }
    for (int axis = tensor->rank - 1; axis >= 0; axis--) at = at * (size_t)tensor->dims[axis] + index[axis];
    memcpy((unsigned char *)tensor->data + i * width, from + at * width, width);
  }
}

/* "2, 3)": what follows the opening parenthesis of a shape. */
static TccStatus *parse_npy_shape(const char *text, int64_t *dims, int *out_rank) {
  for (*out_rank = 0; *text && *text != ')';) {
    if (*text == ' ' || *text == ',') {
      text++;
      continue;
    }
    if (!isdigit((unsigned char)*text)) return TCC_ERROR(TCC_INVALID, "NumPy shape has '%c' in it", *text);
    if (*out_rank == TCC_HOST_MAX_RANK) return TCC_ERROR(TCC_UNSUPPORTED, "more than %d dimensions", TCC_HOST_MAX_RANK);
    char *end;
    dims[(*out_rank)++] = strtoll(text, &end, 10);
    text = end;
  }
  return NULL;
}

/* header: the dictionary, NUL-terminated. */
static TccStatus *parse_npy_header(const char *header, TccNpy *out) {
  const char *descr = header_value(header, "'descr'"), *order = header_value(header, "'fortran_order'"),
             *shape = header_value(header, "'shape'");
  if (!descr || !*descr || !order || !shape || *shape != '(') /* what is read behind descr's quote is inside the header */
    return TCC_ERROR(TCC_INVALID, "NumPy header lacks descr, fortran_order or shape");
  const bool text = !strncmp(descr + 1, "|S", 2);
  out->width = text ? strtoll(descr + 3, NULL, 10) : 0;
  out->elem = text && out->width > 0 ? TCC_ELEM_U8 : elem_from_numpy(descr + 1);
  if (out->elem == TCC_ELEM_NONE)
    return TCC_ERROR(TCC_UNSUPPORTED, "NumPy element type '%.*s' is not supported", (int)strcspn(descr + 1, "'\","), descr + 1);
  out->fortran = !strncmp(order, "True", 4);
  TCC_TRY(parse_npy_shape(shape + 1, out->dims, &out->rank));
  if (!text) return NULL;
  if (out->rank == TCC_HOST_MAX_RANK || (out->fortran && out->rank > 1))
    return TCC_ERROR(TCC_UNSUPPORTED, "such an array of strings");
  out->fortran = false;
  out->dims[out->rank++] = out->width;
  return NULL;
}

TccStatus *tcc_npy_parse(const void *bytes, size_t length, TccNpy *out) {
  const unsigned char *b = bytes;
  *out = (TccNpy){0};
  if (length < 12 || memcmp(b, "\x93NUMPY", 6) || b[6] < 1 || b[6] > 3) return TCC_ERROR(TCC_INVALID, "no NumPy file");
  size_t start = b[6] == 1 ? 10 : 12, header_length = b[8] | (size_t)b[9] << 8, need;
  if (b[6] != 1) header_length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
  if (header_length > length - start) return TCC_ERROR(TCC_INVALID, "NumPy header is cut off");
  char *header = strndup((const char *)b + start, header_length);
  if (!header) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  TccStatus *status = parse_npy_header(header, out);
  free(header);
  size_t available = length - start - header_length;
  out->data = b + start + header_length;
  if (!status) status = check_shape(out->rank, out->dims, available);
  if (status) return status;
  if (!tcc_elem_dense_bytes(out->elem, out->dims, (size_t)out->rank, NULL, &need))
    return TCC_ERROR(TCC_NO_MEMORY, "the tensor is too large for the address space");
  if (available < need) return TCC_ERROR(TCC_INVALID, "NumPy file has %zu bytes of data, the shape needs %zu", available, need);
  return NULL;
}

TccStatus *tcc_host_tensor_parse_npy(const void *bytes, size_t length, TccHostTensor **out) {
  TccHostTensor *tensor = NULL;
  TccNpy npy;
  *out = NULL;
  TCC_TRY(tcc_npy_parse(bytes, length, &npy));
  TCC_TRY(tcc_host_tensor_create(npy.elem, npy.rank, npy.dims, &tensor));
  if (npy.fortran) copy_fortran(tensor, npy.data);
  else memcpy(tensor->data, npy.data, tensor->bytes);
  clean_bools(tensor);
  tensor->is_text = npy.width > 0;
  *out = tensor;
  return NULL;
}

TccStatus *tcc_host_tensor_write_npy(const TccHostTensor *tensor, const char *path) {
  static const char *const by_width[] = {[1] = "|u1", [2] = "<u2", [4] = "<u4", [8] = "<u8"};
  unsigned bits = tcc_elem_bits(tensor->elem);
  if (bits < 8) return TCC_ERROR(TCC_UNSUPPORTED, "%s: NumPy has no %s", path, tcc_elem_name(tensor->elem));
  const char *descr = tcc_elem_numpy(tensor->elem);
  if (!*descr) descr = by_width[bits / 8];
  TccText header = {0};
  tcc_text_printf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (int i = 0; i < tensor->rank; i++)
    tcc_text_printf(&header, "%" PRId64 ",%s", tensor->dims[i], i + 1 < tensor->rank ? " " : "");
  tcc_text_printf(&header, "), }");
  while (!header.failed && (10 + header.length + 1) % 64) tcc_text_put(&header, " ", 1);
  tcc_text_put(&header, "\n", 1);
  unsigned char magic[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, header.length & 255, (unsigned char)(header.length >> 8)};
  TccText bytes = {0};
  tcc_text_put(&bytes, (const char *)magic, sizeof magic);
  tcc_text_put(&bytes, header.data, header.length);
  tcc_text_put(&bytes, tensor->data, tensor->bytes);
  TccStatus *status = tcc_text_status(header.failed ? &header : &bytes);
  if (!status) status = tcc_file_write(path, bytes.data, bytes.length);
  tcc_text_destroy(&bytes);
  tcc_text_destroy(&header);
  return status;
}

/* ---- files ---- */
TccStatus *tcc_host_tensor_read(const char *path, TccHostTensor **out) {
  *out = NULL;
  TccFileMap map;
  TCC_TRY(tcc_file_map(path, &map));
  size_t length = strlen(path);
  bool npy = length > 4 && !strcmp(path + length - 4, ".npy");
  TccStatus *status =
      npy ? tcc_host_tensor_parse_npy(map.data, map.length, out) : tcc_host_tensor_parse_proto(map.data, map.length, out);
  const char *kind = tcc_file_kind(map.data, map.length);
  tcc_file_unmap(&map);
  if (status && tcc_status_code(status) == TCC_INVALID && !npy)
    status = tcc_status_context(status, "no tensor: files that do not end in .npy hold a TensorProto, this one %s%s",
                                kind ? "is " : "does not", kind ? kind : "");
  else if (status && kind && tcc_status_code(status) == TCC_INVALID && strcmp(kind, "a NumPy file"))
    status = tcc_status_context(status, "it is %s", kind);
  return tcc_status_context(status, "%s", path);
}

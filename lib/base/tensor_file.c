/* tensor_file.c - TensorProto and NumPy files; see include/tcc/tensor.h.
 *
 * TensorProto is read straight from the wire format (protobuf encoding guide): field 1 dims, 2 data_type, 4 float_data,
 * 5 int32_data, 7 int64_data, 8 name, 9 raw_data, 10 double_data, 11 uint64_data, 14 data_location. A repeated number
 * field may come packed or not. Values below 32 bits travel in int32_data, f16 and bf16 as their bits, 4-bit types as
 * packed bytes. All sizes come from the file and are checked before use. */
#include "tcc/tensor.h"
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

/* ---- protobuf wire format ---- */
typedef struct { const unsigned char *at, *end; } Wire;
typedef struct {
  unsigned number, type;  /* wire type: 0 varint, 1 64-bit, 2 bytes, 5 32-bit */
  uint64_t value;         /* types 0, 1, 5 */
  Wire bytes;             /* type 2; for 1 and 5 the raw bytes */
} Field;

static bool read_varint(Wire *wire, uint64_t *out) {
  uint64_t value = 0;
  for (unsigned shift = 0; shift < 64 && wire->at < wire->end; shift += 7) {
    unsigned char byte = *wire->at++;
    value |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return *out = value, true;
  }
  return false;
}

static bool take_bytes(Wire *wire, uint64_t length, Wire *out) {
  if (length > (uint64_t)(wire->end - wire->at)) return false;
  out->at = wire->at;
  wire->at = out->end = wire->at + length;
  return true;
}

static bool read_field(Wire *wire, Field *field) {
  uint64_t key;
  if (!read_varint(wire, &key) || key >> 35) return false;
  field->number = (unsigned)(key >> 3), field->type = key & 7, field->value = 0;
  switch (field->type) {
  case 0: field->bytes = (Wire){0}; return read_varint(wire, &field->value);
  case 1:
  case 5: {
    size_t width = field->type == 1 ? 8 : 4;
    if (!take_bytes(wire, width, &field->bytes)) return false;
    memcpy(&field->value, field->bytes.at, width);
    return true;
  }
  case 2: {
    uint64_t length;
    return read_varint(wire, &length) && take_bytes(wire, length, &field->bytes);
  }
  default: return false;
  }
}

/* ---- TensorProto ---- */

/* The number of values in one occurrence of a repeated number field, and the values one by one. */
static bool next_number(Field *field, unsigned width, bool *done, uint64_t *out) {
  *done = false;
  if (field->type != 2) { /* a single value: deliver it once */
    if (field->type == 6) return *done = true;
    *out = field->value;
    field->type = 6;
    return true;
  }
  if (field->bytes.at == field->bytes.end) return *done = true;
  if (!width) return read_varint(&field->bytes, out);
  Wire value;
  if (!take_bytes(&field->bytes, width, &value)) return false;
  *out = 0;
  memcpy(out, value.at, width);
  return true;
}

/* Puts value i of a typed field into the tensor; false if there are too many. */
static bool put_number(TccHostTensor *tensor, size_t i, uint64_t value) {
  unsigned bits = tcc_elem_bits(tensor->elem);
  unsigned char *data = tensor->data;
  if (bits < 8) { /* int32_data holds packed bytes */
    if (i >= tensor->bytes) return false;
    data[i] = (unsigned char)value;
    return true;
  }
  size_t width = bits / 8;
  if (i >= tensor->count) return false;
  if (tensor->elem == TCC_ELEM_BOOL) value = value != 0;
  memcpy(data + i * width, &value, width);
  return true;
}

static TccStatus *fill_typed(TccHostTensor *tensor, Wire wire) {
  size_t filled = 0;
  Field field;
  while (wire.at < wire.end) {
    if (!read_field(&wire, &field)) return TCC_ERROR(TCC_INVALID, "damaged TensorProto");
    unsigned width;
    switch (field.number) {
    case 4: width = 4; break;
    case 10: width = 8; break;
    case 5:
    case 7:
    case 11: width = 0; break;
    default: continue;
    }
    for (;;) {
      bool done;
      uint64_t value = 0;
      if (!next_number(&field, width, &done, &value)) return TCC_ERROR(TCC_INVALID, "damaged TensorProto: field %u", field.number);
      if (done) break;
      if (!put_number(tensor, filled++, value))
        return TCC_ERROR(TCC_INVALID, "TensorProto holds more values than its shape");
    }
  }
  size_t expected = tcc_elem_bits(tensor->elem) < 8 ? tensor->bytes : tensor->count;
  if (filled != expected) return TCC_ERROR(TCC_INVALID, "TensorProto holds %zu values, its shape %zu", filled, expected);
  return NULL;
}

/* A shape is believed only as far as the bytes at hand can fill it: two elements a byte at most. Memory comes after that. */
static TccStatus *check_shape(int rank, const int64_t *dims, size_t bytes) {
  size_t count = 1, most = 2 * bytes;
  bool empty = false;
  for (int i = 0; i < rank; i++) empty |= dims[i] == 0;
  for (int i = 0; i < rank && !empty; i++)
    if (dims[i] < 0 || !tcc_mul_size(count, (size_t)dims[i], &count) || count > most)
      return TCC_ERROR(TCC_INVALID, "%zu bytes do not fill the tensor's shape", bytes);
  return NULL;
}

TccStatus *tcc_host_tensor_parse_proto(const void *bytes, size_t length, TccHostTensor **out) {
  *out = NULL;
  Wire all = {bytes, (const unsigned char *)bytes + length}, wire = all, raw = {0}, name = {0};
  int64_t dims[TCC_HOST_MAX_RANK];
  int rank = 0, data_type = 0;
  Field field;
  while (wire.at < wire.end) {
    if (!read_field(&wire, &field)) return TCC_ERROR(TCC_INVALID, "damaged TensorProto");
    if (field.number == 1) {
      for (;;) {
        bool done;
        uint64_t value = 0;
        if (!next_number(&field, 0, &done, &value)) return TCC_ERROR(TCC_INVALID, "damaged TensorProto: dims");
        if (done) break;
        if (rank == TCC_HOST_MAX_RANK) return TCC_ERROR(TCC_UNSUPPORTED, "more than %d dimensions", TCC_HOST_MAX_RANK);
        dims[rank++] = (int64_t)value;
      }
    } else if (field.number == 2 && field.type == 0) {
      data_type = (int)field.value;
    } else if (field.number == 3) {
      return TCC_ERROR(TCC_UNSUPPORTED, "TensorProto in segments");
    } else if (field.number == 6) {
      return TCC_ERROR(TCC_UNSUPPORTED, "tensor of strings");
    } else if (field.number == 8 && field.type == 2) {
      name = field.bytes;
    } else if (field.number == 9 && field.type == 2) {
      raw = field.bytes;
    } else if (field.number == 14 && field.value == 1) {
      return TCC_ERROR(TCC_UNSUPPORTED, "TensorProto with external data");
    }
  }
  TccElem elem = tcc_elem_from_onnx(data_type);
  if (elem == TCC_ELEM_NONE) return TCC_ERROR(TCC_UNSUPPORTED, "element type %d", data_type);
  TccHostTensor *tensor;
  TCC_TRY(check_shape(rank, dims, length));
  TCC_TRY(tcc_host_tensor_create(elem, rank, dims, &tensor));
  TccStatus *status = NULL;
  if (raw.at) {
    if ((size_t)(raw.end - raw.at) != tensor->bytes)
      status = TCC_ERROR(TCC_INVALID, "raw_data has %zu bytes, the shape needs %zu", (size_t)(raw.end - raw.at), tensor->bytes);
    else memcpy(tensor->data, raw.at, tensor->bytes);
  } else {
    status = fill_typed(tensor, all);
  }
  if (!status && name.at) tensor->name = strndup((const char *)name.at, (size_t)(name.end - name.at));
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

TccStatus *tcc_host_tensor_parse_npy(const void *bytes, size_t length, TccHostTensor **out) {
  *out = NULL;
  const unsigned char *b = bytes;
  if (length < 12 || memcmp(b, "\x93NUMPY", 6)) return TCC_ERROR(TCC_INVALID, "no NumPy file");
  size_t start = b[6] == 1 ? 10 : 12, header_length = b[8] | (size_t)b[9] << 8;
  if (b[6] != 1) header_length |= (size_t)b[10] << 16 | (size_t)b[11] << 24;
  if (header_length > length - start) return TCC_ERROR(TCC_INVALID, "NumPy header is cut off");
  char *header = strndup((const char *)b + start, header_length);
  if (!header) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  TccStatus *status = NULL;
  TccHostTensor *tensor = NULL;
  const char *descr = header_value(header, "'descr'"), *order = header_value(header, "'fortran_order'"), *shape = header_value(header, "'shape'");
  TccElem elem = descr && *descr ? elem_from_numpy(descr + 1) : TCC_ELEM_NONE;
  if (!descr || !order || !shape || *shape != '(') {
    status = TCC_ERROR(TCC_INVALID, "NumPy header lacks descr, fortran_order or shape");
    goto done;
  }
  if (elem == TCC_ELEM_NONE) {
    status = TCC_ERROR(TCC_UNSUPPORTED, "NumPy element type %.8s", descr);
    goto done;
  }
  int64_t dims[TCC_HOST_MAX_RANK];
  int rank = 0;
  for (shape++; *shape && *shape != ')';) {
    if (!isdigit((unsigned char)*shape)) {
      shape++;
      continue;
    }
    if (rank == TCC_HOST_MAX_RANK) {
      status = TCC_ERROR(TCC_UNSUPPORTED, "more than %d dimensions", TCC_HOST_MAX_RANK);
      goto done;
    }
    char *end;
    dims[rank++] = strtoll(shape, &end, 10);
    shape = end;
  }
  size_t available = length - start - header_length;
  TCC_GOTO(check_shape(rank, dims, available));
  TCC_GOTO(tcc_host_tensor_create(elem, rank, dims, &tensor));
  if (available < tensor->bytes) {
    status = TCC_ERROR(TCC_INVALID, "NumPy file has %zu bytes of data, the shape needs %zu", available, tensor->bytes);
    goto done;
  }
  const unsigned char *data = b + start + header_length;
  if (!strncmp(order, "True", 4)) copy_fortran(tensor, data);
  else memcpy(tensor->data, data, tensor->bytes);
  *out = tensor;
  tensor = NULL;
done:
  tcc_host_tensor_destroy(tensor);
  free(header);
  return status;
}

TccStatus *tcc_host_tensor_write_npy(const TccHostTensor *tensor, const char *path) {
  static const char *const by_width[] = {[1] = "|u1", [2] = "<u2", [4] = "<u4", [8] = "<u8"};
  unsigned bits = tcc_elem_bits(tensor->elem);
  if (bits < 8) return TCC_ERROR(TCC_UNSUPPORTED, "%s: NumPy has no %s", path, tcc_elem_name(tensor->elem));
  const char *descr = tcc_elem_numpy(tensor->elem);
  if (!*descr) descr = by_width[bits / 8];
  TccText header = {0};
  tcc_text_printf(&header, "{'descr': '%s', 'fortran_order': False, 'shape': (", descr);
  for (int i = 0; i < tensor->rank; i++) tcc_text_printf(&header, "%" PRId64 ",%s", tensor->dims[i], i + 1 < tensor->rank ? " " : "");
  tcc_text_printf(&header, "), }");
  while ((10 + header.length + 1) % 64) tcc_text_put(&header, " ", 1);
  tcc_text_put(&header, "\n", 1);
  unsigned char magic[10] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0, header.length & 255, (unsigned char)(header.length >> 8)};
  FILE *file = fopen(path, "wb");
  bool ok = file && fwrite(magic, 1, sizeof magic, file) == sizeof magic &&
            fwrite(header.data, 1, header.length, file) == header.length &&
            fwrite(tensor->data, 1, tensor->bytes, file) == tensor->bytes;
  if (file && fclose(file)) ok = false;
  tcc_text_destroy(&header);
  return ok ? NULL : TCC_ERROR(TCC_IO, "%s: %s", path, strerror(errno));
}

/* ---- files ---- */
TccStatus *tcc_host_tensor_read(const char *path, TccHostTensor **out) {
  *out = NULL;
  FILE *file = fopen(path, "rb");
  if (!file) return TCC_ERROR(errno == ENOENT ? TCC_NOT_FOUND : TCC_IO, "%s: %s", path, strerror(errno));
  TccText bytes = {0};
  char chunk[1 << 16];
  size_t n;
  while ((n = fread(chunk, 1, sizeof chunk, file)) > 0) tcc_text_put(&bytes, chunk, n);
  TccStatus *status = ferror(file) ? TCC_ERROR(TCC_IO, "%s: read error", path) : NULL;
  fclose(file);
  size_t length = strlen(path);
  if (!status)
    status = length > 4 && !strcmp(path + length - 4, ".npy") ? tcc_host_tensor_parse_npy(bytes.data, bytes.length, out)
                                                              : tcc_host_tensor_parse_proto(bytes.data, bytes.length, out);
  tcc_text_destroy(&bytes);
  return tcc_status_context(status, "%s", path);
}

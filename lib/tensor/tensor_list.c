/* tensor_list.c - files of tensors that may hold a list of them: SequenceProto and OptionalProto (comments of onnx-data.proto).
 *
 * Both are kind, in field 2, and tensors in field 3 or lists in field 5; what stands in a list is taken in its order, so that an optional is a
 * list of at most one. A file does not say which message it holds. One that is a whole tensor is one; a list never is: read as a TensorProto, its
 * name is a shape, and what it holds is too little to fill that. */
#include "tcc/file.h"
#include "tcc/tensor.h"
#include "tcc/wire.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KIND_NONE, KIND_TENSOR, KIND_SPARSE, KIND_SEQUENCE, MOST_DEPTH = 4 };

void tcc_host_tensors_clear(TccHostTensors *tensors) {
  for (size_t i = 0; i < tensors->count; i++) tcc_host_tensor_destroy(tensors->tensors[i]);
  free(tensors->tensors);
  free(tensors->lengths);
  *tensors = (TccHostTensors){0};
}

TccStatus *tcc_host_tensors_push(TccHostTensors *tensors, TccHostTensor *tensor) {
  TccHostTensor **grown = realloc(tensors->tensors, (tensors->count + 1) * sizeof *grown);
  if (!grown) {
    tcc_host_tensor_destroy(tensor);
    return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  }
  tensors->tensors = grown;
  grown[tensors->count++] = tensor;
  return NULL;
}

static bool is_name(TccStr text) {
  for (size_t i = 0; i < text.length; i++)
    if ((unsigned char)text.data[i] < ' ') return false;
  return true;
}

static TccStatus *read_list(TccStr all, int depth, TccHostTensors *out) {
  TccWire wire = tcc_wire(all);
  uint64_t kind = 0, kinds = 0, held = 0;
  if (depth > MOST_DEPTH) return TCC_ERROR(TCC_INVALID, "lists of tensors nested more than %d deep", MOST_DEPTH);
  while (wire.at < wire.end) {
    TccWireField field;
    TccHostTensor *tensor = NULL;
    const char *why = tcc_wire_next(&wire, &field);
    if (why) return TCC_ERROR(TCC_INVALID, "damaged list of tensors: %s", why);
    bool bytes = field.type == TCC_WIRE_BYTES;
    if (field.number == 2 && !bytes) kind = field.value, kinds++;
    else if (field.number == 3 && bytes) TCC_TRY(tcc_host_tensor_parse_proto(field.bytes.data, field.bytes.length, &tensor));
    else if (field.number == 5 && bytes) TCC_TRY(read_list(field.bytes, depth + 1, out));
    else if (field.number != 1 || !bytes || !is_name(field.bytes)) return TCC_ERROR(TCC_INVALID, "no list of tensors");
    if (tensor) TCC_TRY(tcc_host_tensors_push(out, tensor));
    if (field.number == 3 || field.number == 5) held |= (uint64_t)1 << field.number;
  }
  bool fits = kind == KIND_TENSOR ? !(held & 1u << 5) : kind == KIND_SEQUENCE ? !(held & 1u << 3) : kind == KIND_NONE && !held;
  return kinds && fits ? NULL : TCC_ERROR(TCC_INVALID, "no list of tensors");
}

/* A file more, whose tensors are those behind the first `before`. */
static TccStatus *push_file(TccHostTensors *tensors, size_t before, bool is_list) {
  int64_t *grown = realloc(tensors->lengths, (tensors->files + 1) * sizeof *grown);
  if (!grown) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  tensors->lengths = grown;
  grown[tensors->files++] = is_list ? (int64_t)(tensors->count - before) : -1;
  return NULL;
}

static TccStatus *push_list(TccHostTensors *tensors, TccStr bytes) {
  size_t before = tensors->count;
  TccStatus *status = read_list(bytes, 0, tensors);
  if (!status) return push_file(tensors, before, true);
  while (tensors->count > before) tcc_host_tensor_destroy(tensors->tensors[--tensors->count]);
  return status;
}

TccStatus *tcc_host_tensors_parse(const void *bytes, size_t length, TccHostTensors *out) {
  TccHostTensor *tensor = NULL;
  TccStatus *status = tcc_host_tensor_parse_proto(bytes, length, &tensor);
  if (!status) {
    TCC_TRY(tcc_host_tensors_push(out, tensor));
    return push_file(out, out->count - 1, false);
  }
  TccStatus *other = push_list(out, (TccStr){bytes, length});
  tcc_status_destroy(other ? other : status);
  return other ? status : NULL;
}

TccStatus *tcc_host_tensors_read(const char *path, TccHostTensors *out) {
  TccFileMap map;
  TccHostTensor *tensor = NULL;
  TccStatus *status = tcc_host_tensor_read(path, &tensor);
  if (!status) {
    TCC_TRY(tcc_host_tensors_push(out, tensor));
    return push_file(out, out->count - 1, false);
  }
  if (tcc_wire_ends(path, ".npy")) return status;
  TccStatus *other = tcc_file_map(path, &map);
  if (!other) {
    other = push_list(out, (TccStr){map.data, map.length});
    tcc_file_unmap(&map);
  }
  tcc_status_destroy(other ? other : status);
  return other ? status : NULL;
}

TccStatus *tcc_host_tensors_read_folder(const char *folder, const char *stem, TccHostTensors *out) {
  static const char *const endings[] = {"pb", "npy"};
  struct stat about;
  if (stat(folder, &about) != 0) return TCC_ERROR(TCC_NOT_FOUND, "%s: %s", folder, strerror(errno));
  if (!S_ISDIR(about.st_mode)) return TCC_ERROR(TCC_INVALID, "%s: no directory", folder);
  for (;;) {
    TccText path = {0};
    bool found = false;
    for (size_t e = 0; e < 2 && !found; e++) {
      tcc_text_clear(&path);
      tcc_text_printf(&path, "%s/%s_%zu.%s", folder, stem, out->files, endings[e]);
      found = access(path.data, R_OK) == 0;
    }
    TccStatus *status = found ? tcc_host_tensors_read(path.data, out) : NULL;
    tcc_text_destroy(&path);
    if (status) tcc_host_tensors_clear(out);
    if (status || !found) return status;
  }
}

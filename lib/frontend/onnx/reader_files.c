/* reader_files.c - the files a model's data lies in: the model itself is number 0, external files follow as they are met.
 *
 * Each location is opened once and stays mapped; a name that was refused is refused with the same words for every tensor
 * that asks for it. */
#include "lib/frontend/onnx/reader.h"
#include <inttypes.h>
#include <stdlib.h>

typedef struct {
  const char *path;
  TccFileMap map;
} MappedFile;
struct TccOnnxFiles {
  TccArena *arena;
  const char *directory;
  TccMap *numbers; /* location -> number */
  TCC_VEC(MappedFile) files;
};

TccStatus *tcc_onnx_files_open(const char *model_path, TccOnnxFiles **out) {
  *out = NULL;
  TccFileMap map;
  TCC_TRY(tcc_file_map(model_path, &map));
  TccArena *arena = tcc_arena_create();
  TccOnnxFiles *files = TCC_NEW(arena, TccOnnxFiles);
  files->arena = arena;
  files->directory = tcc_path_directory(arena, model_path);
  files->numbers = tcc_map_create(arena);
  MappedFile model = {tcc_arena_copy(arena, model_path, strlen(model_path)), map};
  TCC_VEC_PUSH(arena, &files->files, model);
  *out = files;
  return NULL;
}

void tcc_onnx_files_close(TccOnnxFiles *files) {
  if (!files) return;
  for (size_t i = 0; i < files->files.count; i++) tcc_file_unmap(&files->files.data[i].map);
  tcc_arena_destroy(files->arena);
}

size_t tcc_onnx_files_count(const TccOnnxFiles *files) { return files->files.count; }
const TccFileMap *tcc_onnx_files_file(const TccOnnxFiles *files, size_t index) { return &files->files.data[index].map; }
const char *tcc_onnx_files_path(const TccOnnxFiles *files, size_t index) { return files->files.data[index].path; }

static TccStatus *open_external(TccOnnxFiles *files, TccStr location, int64_t *out_number) {
  TccMapEntry *entry = tcc_map_find(files->numbers, location);
  if (entry) return *out_number = entry->integer, NULL;
  MappedFile file = {NULL};
  TCC_TRY(tcc_status_context(tcc_file_map_beneath(files->directory, location, &file.map), "external data"));
  const char *slash = *files->directory && files->directory[strlen(files->directory) - 1] != '/' ? "/" : "";
  file.path = tcc_arena_printf(files->arena, "%s%s%.*s", files->directory, slash, TCC_STR_ARG(location));
  tcc_map_put(files->numbers, location, NULL)->integer = *out_number = (int64_t)files->files.count;
  TCC_VEC_PUSH(files->arena, &files->files, file);
  return NULL;
}

static TccStatus *locate_external(TccOnnxFiles *files, TccArena *arena, const TccOnnxTensor *tensor, TccOnnxPlace *out) {
  if (!tensor->elem) return TCC_ERROR(TCC_UNSUPPORTED, "data_type %" PRId64, tensor->data_type);
  TCC_TRY(open_external(files, tensor->external.location, &out->file));
  const TccFileMap *map = &files->files.data[out->file].map;
  uint64_t offset = tensor->external.offset;
  if (offset > map->length || tensor->bytes > map->length - offset)
    return TCC_ERROR(TCC_INVALID, "external data: bytes %" PRIu64 " to %" PRIu64 " + %zu are not in '%.*s', which has %zu", offset,
                     offset, tensor->bytes, TCC_STR_ARG(tensor->external.location), map->length);
  out->offset = offset;
  out->data = tensor->bytes ? (const char *)map->data + offset : "";
  const void *clean = tensor->elem == TCC_ELEM_BOOL ? tcc_onnx_clean_bools(arena, out->data, tensor->bytes) : out->data;
  if (clean != out->data) *out = (TccOnnxPlace){.file = -1, .data = clean};
  return NULL;
}

TccStatus *tcc_onnx_locate(TccOnnxFiles *files, TccArena *arena, const TccOnnxTensor *tensor, TccOnnxPlace *out) {
  *out = (TccOnnxPlace){.file = -1};
  if (tensor->data == TCC_ONNX_DATA_EXTERNAL) return locate_external(files, arena, tensor, out);
  TCC_TRY(tcc_onnx_tensor_data(arena, tensor, &out->data));
  const TccFileMap *model = &files->files.data[0].map;
  uintptr_t start = (uintptr_t)model->data, data = (uintptr_t)out->data;
  if (data >= start && data < start + model->length) {
    out->file = 0;
    out->offset = data - start;
  }
  return NULL;
}

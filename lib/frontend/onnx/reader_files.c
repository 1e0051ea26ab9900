/* reader_files.c - where a tensor's elements lie: in the model, in a file beside it, or nowhere as they are. */
#include "lib/frontend/onnx/reader.h"
#include "tcc/wire.h"
#include <inttypes.h>

static TccStatus *locate_external(TccSources *sources, const TccOnnxTensor *tensor, TccSourcePlace *out) {
  int64_t file;
  if (!tensor->elem) return TCC_ERROR(TCC_UNSUPPORTED, "data_type %" PRId64, tensor->data_type);
  TCC_TRY(tcc_status_context(tcc_sources_beside(sources, tensor->external.location, &file), "external data"));
  return tcc_status_context(tcc_sources_place(sources, file, tensor->external.offset, tensor->bytes, out), "external data");
}

static bool is_in(const TccFileMap *map, const void *data) {
  return (uintptr_t)data >= (uintptr_t)map->data && (uintptr_t)data < (uintptr_t)map->data + map->length;
}

static TccStatus *locate_here(TccSources *sources, TccArena *arena, const TccOnnxTensor *tensor, TccSourcePlace *out) {
  const TccFileMap *model = tcc_sources_file(sources, 0);
  const char *start = model->data;
  const void *data = tensor->raw_data.data;
  if (!tensor->elem || tensor->data != TCC_ONNX_DATA_RAW) TCC_TRY(tcc_onnx_tensor_data(arena, tensor, &data));
  if (is_in(model, data)) {
    *out = (TccSourcePlace){.file = 0, .offset = (uint64_t)((const char *)data - start), .length = tensor->bytes};
    return NULL;
  }
  /* What was decoded was read; only numbers that may be long runs of floats are no part of the digest (tcc_wire_graph). */
  for (size_t i = 0; i < tensor->bodies.count && (tensor->elem == TCC_ELEM_F32 || tensor->elem == TCC_ELEM_F64); i++)
    tcc_sources_note(sources, tensor->name, 0, (uint64_t)(tensor->bodies.data[i].data - start), tensor->bodies.data[i].length);
  out->decoded = data;
  return NULL;
}

TccStatus *tcc_onnx_locate(TccSources *sources, TccArena *arena, const TccOnnxTensor *tensor, TccSourcePlace *out) {
  *out = (TccSourcePlace){.file = -1, .length = tensor->bytes};
  return tensor->data == TCC_ONNX_DATA_EXTERNAL ? locate_external(sources, tensor, out) : locate_here(sources, arena, tensor, out);
}

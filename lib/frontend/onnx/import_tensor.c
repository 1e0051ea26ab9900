/* import_tensor.c - tensors of an ONNX file, dense and sparse. */
#include "lib/frontend/onnx/import.h"

static MlirValue no_value(void) { return (MlirValue){NULL}; }

static bool has_form(ImportCall *c, const TccOnnxTensor *tensor) {
  if (!tensor->elem)
    return import_unsupported(c, "a tensor of element type %lld (%s)", (long long)tensor->data_type,
                              tcc_elem_onnx_name(tensor->data_type));
  return tensor->dims.count <= TCC_MAX_RANK || import_unsupported(c, "a tensor of rank %zu", tensor->dims.count);
}

static MlirValue at(ImportCall *c, const TccOnnxTensor *tensor, TccStr name, ImportRole role, const TccSourcePlace *place) {
  ImportTensor form = {.elem = tensor->elem, .rank = (int)tensor->dims.count, .dims = tensor->dims.data, .role = role};
  return import_weight(c, &form, name, place);
}

MlirValue onnx_tensor_at(ImportCall *c, const TccOnnxTensor *tensor, ImportRole role, const TccSourcePlace *place) {
  return has_form(c, tensor) ? at(c, tensor, tensor->name, role, place) : no_value();
}

MlirValue onnx_tensor(ImportCall *c, const TccOnnxTensor *tensor, TccStr name, ImportRole role) {
  TccSourcePlace place;
  Importer *run = c->importer;
  if (!has_form(c, tensor) || !import_fail_status(c, tcc_onnx_locate(run->sources, run->arena, tensor, &place))) return no_value();
  return at(c, tensor, name, role, &place);
}

static void put_element(TccElem elem, char *to, size_t at, const void *from, size_t i) {
  size_t width = tcc_elem_bits(elem) / 8;
  if (width) memcpy(to + at * width, (const char *)from + i * width, width);
  else tcc_elem_store_i64(elem, to, at, tcc_elem_load_i64(elem, from, i));
}

/* Position of the i-th value in row-major order; false if an index leaves the shape. */
static bool sparse_position(const TccOnnxSparse *sparse, size_t count, const void *indices, size_t i, size_t *out) {
  size_t rank = sparse->dims.count;
  bool linear = sparse->indices->dims.count == 1;
  *out = 0;
  for (size_t d = 0; d < (linear ? 1 : rank); d++) {
    int64_t index = tcc_elem_load_i64(sparse->indices->elem, indices, linear ? i : i * rank + d);
    int64_t size = linear ? (int64_t)count : sparse->dims.data[d];
    if (index < 0 || index >= size) return false;
    *out = *out * (size_t)size + (size_t)index;
  }
  return true;
}

MlirValue onnx_sparse_tensor(ImportCall *c, const TccOnnxSparse *sparse) {
  const TccOnnxTensor *values = sparse->values, *indices = sparse->indices;
  size_t count = 1, rank = sparse->dims.count;
  TccSourcePlace data, at;
  if (!has_form(c, values) || !has_form(c, indices)) return no_value();
  for (size_t i = 0; i < rank; i++)
    if (!tcc_mul_size(count, (size_t)sparse->dims.data[i], &count) || count > IMPORT_MOST_DENSE) {
      import_unsupported(c, "a sparse tensor that is too large to be made dense");
      return no_value();
    }
  bool fits = indices->elem == TCC_ELEM_I64 && rank <= TCC_MAX_RANK &&
              (indices->dims.count == 1 ? indices->count == values->count
                                        : indices->dims.count == 2 && indices->count == values->count * rank);
  if (!fits || tcc_elem_bytes(values->elem, count) > IMPORT_MOST_DENSE) {
    import_invalid(c, "the indices of a sparse tensor do not fit its values");
    return no_value();
  }
  if (!import_fail_status(c, tcc_onnx_locate(c->importer->sources, c->importer->arena, values, &data)) ||
      !import_fail_status(c, tcc_onnx_locate(c->importer->sources, c->importer->arena, indices, &at)))
    return no_value();
  enum { COPIES = 3 /* here, in the constant and in the plan */ };
  char text[96];
  if (!tcc_limit_fits(&c->ir->limit, COPIES * tcc_elem_bytes(values->elem, count))) {
    import_invalid(c, "a sparse tensor made dense: %s", tcc_limit_text(&c->ir->limit, text));
    return no_value();
  }
  const void *numbers = tcc_sources_take(c->importer->sources, values->name, values->elem, &data),
             *positions = tcc_sources_take(c->importer->sources, indices->name, indices->elem, &at);
  char *dense = tcc_arena_alloc(c->importer->arena, tcc_elem_bytes(values->elem, count) + 1);
  for (size_t i = 0; i < values->count; i++) {
    size_t position;
    if (!sparse_position(sparse, count, positions, i, &position)) {
      import_invalid(c, "index %zu of a sparse tensor leaves its shape", i);
      return no_value();
    }
    put_element(values->elem, dense, position, numbers, i);
  }
  return tcc_build_constant(&c->b, values->elem, (int)rank, sparse->dims.data, dense);
}

/* import_tensor.c - tensors of the file: weights that stay there, small ones and decoded ones as constants. */
#include "lib/frontend/onnx/import_run.h"
#include <float.h>
#include <math.h>

/* Elements: more would make printed IR unusable. Tables of floats are weights earlier, so that layers that differ in them are alike. */
enum { MOST_CONSTANT = 64, MOST_FLOATS = 8 };
static const size_t most_dense_bytes = (size_t)1 << 31;

static MlirValue no_value(void) { return (MlirValue){NULL}; }

static bool status_ok(OnnxCall *c, TccStatus *status) {
  if (!status) return true;
  if (tcc_status_code(status) == TCC_UNSUPPORTED) onnx_unsupported(c, "%s", tcc_status_message(status));
  else onnx_invalid(c, "%s", tcc_status_message(status));
  tcc_status_destroy(status);
  return false;
}

/* The tensor's name within its scope; a number behind it where two functions or branches use one name. */
static const char *unique_name(OnnxCall *c, TccStr name) {
  OnnxImport *run = c->import;
  const char *full = tcc_arena_printf(run->arena, "%s%.*s", c->scope->prefix, TCC_STR_ARG(name));
  int64_t times = tcc_map_put(run->weight_names, tcc_str(full), NULL)->integer++;
  while (times) {
    bool inserted;
    const char *numbered = tcc_arena_printf(run->arena, "%s#%lld", full, (long long)times++);
    TccMapEntry *entry = tcc_map_put(run->weight_names, tcc_str(numbered), &inserted);
    if (!inserted) continue;
    entry->integer = 1;
    return numbered;
  }
  return full;
}

typedef struct {
  double inside, outside;
  int64_t offset;
} Triangle;

static bool holds(TccElem elem, const void *data, size_t i, double value) { return tcc_elem_load_f64(elem, data, i) == value; }

/* Whether the last two axes of a tensor are a triangle, as causal masks are: most others are seen not to be by a few
 * elements. Only what lies in the model file itself may be looked at: the compile cache knows weight files by name alone. */
static bool is_triangle(const TccOnnxTensor *tensor, const TccOnnxPlace *place, Triangle *out) {
  size_t rank = tensor->dims.count;
  bool comparable = tensor->elem == TCC_ELEM_BOOL || (tcc_elem_is_float(tensor->elem) && tcc_elem_bits(tensor->elem) >= 16);
  if (place->file != 0 || !place->data || rank < 2 || !tensor->count || !comparable) return false;
  size_t rows = (size_t)tensor->dims.data[rank - 2], columns = (size_t)tensor->dims.data[rank - 1], first = 1;
  const double inside = tcc_elem_load_f64(tensor->elem, place->data, 0);
  while (first < columns && holds(tensor->elem, place->data, first, inside)) first++;
  if (first == columns) return false;
  const double outside = tcc_elem_load_f64(tensor->elem, place->data, first);
  for (size_t row = 0, at = 0; row < tensor->count / columns; row++)
    for (size_t column = 0; column < columns; column++, at++)
      if (!holds(tensor->elem, place->data, at, column < first + row % rows ? inside : outside)) return false;
  *out = (Triangle){inside, outside, (int64_t)first - 1};
  return true;
}

/* Whether f32 numbers are subnormal, as scales and weights of channels are that training has switched off. Of more than a few
 * thousand a sample is looked at, since each page of a weight costs time; it must have a number beside which they are nothing. */
static bool has_subnormals(TccElem elem, size_t count, const void *data) {
  enum { MOST_CHANNELS = 1 << 14, SAMPLE = 128 };
  const double beside = 0x1p-60;
  size_t looked = count <= MOST_CHANNELS ? count : SAMPLE;
  bool found = false, large = false;
  if (elem != TCC_ELEM_F32 || !data) return false;
  for (uint64_t i = 0; i < looked; i++) { /* Weyl's sequence: no stride that a layout has (Knuth, TAOCP 6.4) */
    size_t at = looked == count ? i : (size_t)(((i * 0x9e3779b97f4a7c15u) >> 32) * (count & 0xffffffff) >> 32);
    double value = tcc_elem_load_f64(elem, data, at);
    found |= fpclassify((float)value) == FP_SUBNORMAL;
    large |= fabs(value) >= beside;
  }
  return found && large;
}

static MlirValue weight(OnnxCall *c, const TccOnnxTensor *tensor, TccStr name, const TccOnnxPlace *place) {
  MlirType type = tcc_tensor_type_static(c->ir, tensor->elem, (int)tensor->dims.count, tensor->dims.data);
  Triangle triangle = {0};
  bool known = is_triangle(tensor, place, &triangle),
       subnormal = !known && place->file == 0 && has_subnormals(tensor->elem, tensor->count, place->data);
  const TccExpr *offset = tcc_expr_const(c->ir->exprs, triangle.offset);
  TccNamedAttr attrs[7] = {{"name", tcc_attr_str(c->ir, tcc_str(unique_name(c, name)))},
                           {"source", tcc_attr_i64(c->ir, place->file)},
                           {"offset", tcc_attr_i64(c->ir, (int64_t)place->offset)},
                           {"length", tcc_attr_i64(c->ir, (int64_t)tensor->bytes)}};
  size_t nattrs = 4;
  if (known) {
    attrs[nattrs++] = (TccNamedAttr){"triangle", tcc_attr_exprs(c->ir, &offset, 1)};
    attrs[nattrs++] = (TccNamedAttr){"inside", tcc_attr_f64(c->ir, triangle.inside)};
    attrs[nattrs++] = (TccNamedAttr){"outside", tcc_attr_f64(c->ir, triangle.outside)};
  }
  if (subnormal) attrs[nattrs++] = (TccNamedAttr){"subnormal", tcc_attr_bool(c->ir, true)};
  MlirOperation op = tcc_build(&c->b, TCC_OP_WEIGHT, NULL, 0, attrs, nattrs, &type);
  return mlirOperationIsNull(op) ? no_value() : mlirOperationGetResult(op, 0);
}

bool onnx_has_subnormals(OnnxCall *c, MlirValue value) {
  size_t count;
  const void *data = tcc_constant_data(c->ir, value, &count);
  if (data) return tcc_type_rank(tcc_value_type(value)) == 1 && has_subnormals(onnx_value_elem(value), count, data);
  return tcc_value_kind(c->ir, value) == TCC_OP_WEIGHT && tcc_bool(c->ir, tcc_value_op(value), "subnormal");
}

MlirValue onnx_without_subnormals(OnnxCall *c, MlirValue w) {
  if (tcc_value_kind(c->ir, w) != TCC_OP_WEIGHT || !tcc_bool(c->ir, tcc_value_op(w), "subnormal") || onnx_shape(c, w).rank < 2)
    return w;
  MlirValue off = onnx_compare(c, "lt", onnx_unary(c, TCC_OP_ABS, w), onnx_scalar(c, TCC_ELEM_F32, (double)FLT_MIN));
  return onnx_select(c, off, onnx_scalar(c, TCC_ELEM_F32, 0), w);
}

static bool has_form(OnnxCall *c, const TccOnnxTensor *tensor) {
  if (!tensor->elem) return onnx_unsupported(c, "a tensor of element type %lld", (long long)tensor->data_type);
  return tensor->dims.count <= TCC_MAX_RANK || onnx_unsupported(c, "a tensor of rank %zu", tensor->dims.count);
}

MlirValue onnx_tensor(OnnxCall *c, const TccOnnxTensor *tensor, TccStr name) {
  TccOnnxPlace place;
  if (!has_form(c, tensor) || !status_ok(c, tcc_onnx_locate(c->import->files, c->import->arena, tensor, &place))) return no_value();
  if (tensor->count > (tcc_elem_is_float(tensor->elem) ? MOST_FLOATS : MOST_CONSTANT) && place.file >= 0)
    return weight(c, tensor, name, &place);
  if (tensor->bytes > most_dense_bytes) {
    onnx_unsupported(c, "%zu bytes in a form that must be decoded", tensor->bytes);
    return no_value();
  }
  return tcc_build_constant(&c->b, tensor->elem, (int)tensor->dims.count, tensor->dims.data, place.data ? place.data : "");
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

MlirValue onnx_sparse_tensor(OnnxCall *c, const TccOnnxSparse *sparse) {
  const TccOnnxTensor *values = sparse->values, *indices = sparse->indices;
  size_t count = 1, rank = sparse->dims.count;
  TccOnnxPlace data, at;
  if (!has_form(c, values) || !has_form(c, indices)) return no_value();
  for (size_t i = 0; i < rank; i++)
    if (!tcc_mul_size(count, (size_t)sparse->dims.data[i], &count) || count > most_dense_bytes) {
      onnx_unsupported(c, "a sparse tensor that is too large to be made dense");
      return no_value();
    }
  bool fits = indices->elem == TCC_ELEM_I64 && rank <= TCC_MAX_RANK &&
              (indices->dims.count == 1 ? indices->count == values->count
                                        : indices->dims.count == 2 && indices->count == values->count * rank);
  if (!fits || tcc_elem_bytes(values->elem, count) > most_dense_bytes) {
    onnx_invalid(c, "the indices of a sparse tensor do not fit its values");
    return no_value();
  }
  if (!status_ok(c, tcc_onnx_locate(c->import->files, c->import->arena, values, &data)) ||
      !status_ok(c, tcc_onnx_locate(c->import->files, c->import->arena, indices, &at)))
    return no_value();
  char *dense = tcc_arena_alloc(c->import->arena, tcc_elem_bytes(values->elem, count) + 1);
  for (size_t i = 0; i < values->count; i++) {
    size_t position;
    if (!sparse_position(sparse, count, at.data, i, &position)) {
      onnx_invalid(c, "index %zu of a sparse tensor leaves its shape", i);
      return no_value();
    }
    put_element(values->elem, dense, position, data.data, i);
  }
  return tcc_build_constant(&c->b, values->elem, (int)rank, sparse->dims.data, dense);
}

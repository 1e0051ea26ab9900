/* weight.c - tensors of files: weights that stay there, small ones and decoded ones as constants.
 *
 * A weight in a file is dense there, in the order of its strides: one that is transposed in memory becomes a transpose of what the file
 * has, an axis of stride 0 a broadcast. */
#include "lib/frontend/import/importer.h"
#include "tcc/op_kinds.h"
#include <float.h>
#include <sys/mman.h>
#include <unistd.h>

/* Elements: more would make printed IR unusable. Tables of floats are weights earlier, so that layers that differ in them are alike. */
enum { MOST_CONSTANT = 64, MOST_FLOATS = 8 };

static MlirValue no_value(void) { return (MlirValue){NULL}; }

/* The tensor's name within its scope; a number behind it where two functions or branches use one name. */
static const char *unique_name(ImportCall *c, TccStr name) {
  Importer *run = c->importer;
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
 * elements. Only what lies in the model file itself is looked at. A triangle is compiled in; what is none is a weight, which a triangle
 * may be too. */
static bool is_triangle(ImportCall *c, const ImportTensor *tensor, size_t count, TccStr name, const TccSourcePlace *place,
                        Triangle *out) {
  int rank = tensor->rank;
  bool comparable = tensor->elem == TCC_ELEM_BOOL || (tcc_elem_is_float(tensor->elem) && tcc_elem_bits(tensor->elem) >= 16);
  if (place->file != 0 || rank < 2 || !count || !comparable) return false;
  const void *data = tcc_sources_peek(c->importer->sources, place);
  size_t rows = (size_t)tensor->dims[rank - 2], columns = (size_t)tensor->dims[rank - 1], first = 1;
  const double inside = tcc_elem_load_f64(tensor->elem, data, 0);
  while (first < columns && holds(tensor->elem, data, first, inside)) first++;
  if (first == columns) return false;
  const double outside = tcc_elem_load_f64(tensor->elem, data, first);
  for (size_t row = 0, at = 0; row < count / columns; row++)
    for (size_t column = 0; column < columns; column++, at++)
      if (!holds(tensor->elem, data, at, column < first + row % rows ? inside : outside)) return false;
  tcc_sources_take(c->importer->sources, name, tensor->elem, place);
  *out = (Triangle){inside, outside, (int64_t)first - 1};
  return true;
}

/* Whether f32 numbers are subnormal, as scales and weights of channels are that training has switched off. Of more than a few
 * thousand a sample is looked at, since each page of a weight costs time; it must have a number beside which they are nothing.
 * A page comes with its neighbours, 64 KiB in all: of a weight of megabytes a few places are looked at, some numbers each. 3 billion
 * numbers in 290 weights took 6.3 s otherwise. Kernels are right either way. Looked at as bits: a call for each number was half of an import. */
static bool has_subnormals(TccElem elem, size_t count, const void *data) {
  enum { MOST_CHANNELS = 1 << 14, SAMPLE = 128, LARGE = 1 << 20, RUN = 32 };
  const size_t run = count > LARGE ? RUN : 1;
  const uint32_t least_normal = 1u << 23, beside = (127u - 60) << 23, infinity = 255u << 23; /* of f32; beside: 2^-60 */
  size_t looked = count <= MOST_CHANNELS ? count : SAMPLE;
  bool found = false, large = false;
  if (elem != TCC_ELEM_F32 || !data) return false;
  for (uint64_t i = 0; i < looked; i++) { /* Weyl's sequence: no stride that a layout has (Knuth, TAOCP 6.4) */
    size_t at =
        looked == count ? i : (size_t)(((i / run * 0x9e3779b97f4a7c15u) >> 32) * ((count - run) & 0xffffffff) >> 32) + i % run;
    uint32_t magnitude;
    memcpy(&magnitude, (const char *)data + at * sizeof magnitude, sizeof magnitude);
    magnitude &= INT32_MAX;
    found |= magnitude - 1 < least_normal - 1;
    large |= magnitude >= beside && magnitude <= infinity;
  }
  return found && large;
}

/* Of a large weight in a file, pages are read one by one meanwhile, without those around them. */
static bool peek_subnormals(TccElem elem, size_t count, const void *data) {
  enum { LARGE_BYTES = 4 << 20 };
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = ((uintptr_t)data + page - 1) & ~(page - 1);
  const size_t bytes = tcc_elem_bytes(elem, count);
  const bool large = data && bytes > LARGE_BYTES;
  if (large) posix_madvise((void *)from, bytes - page, POSIX_MADV_RANDOM); /* advice: no error matters */
  const bool found = has_subnormals(elem, count, data);
  if (large) posix_madvise((void *)from, bytes - page, POSIX_MADV_NORMAL);
  return found;
}

static MlirValue weight(ImportCall *c, const ImportTensor *tensor, size_t count, TccStr name, const TccSourcePlace *place) {
  MlirType type = tcc_tensor_type_static(c->ir, tensor->elem, tensor->rank, tensor->dims);
  Triangle triangle = {0};
  bool known = is_triangle(c, tensor, count, name, place, &triangle),
       subnormal =
           !known && place->file == 0 && peek_subnormals(tensor->elem, count, tcc_sources_peek(c->importer->sources, place));
  const TccExpr *offset = tcc_expr_const(c->ir->exprs, triangle.offset);
  TccNamedAttr attrs[8] = {{"name", tcc_attr_str(c->ir, tcc_str(unique_name(c, name)))},
                           {"source", tcc_attr_i64(c->ir, place->file)},
                           {"offset", tcc_attr_i64(c->ir, (int64_t)place->offset)},
                           {"length", tcc_attr_i64(c->ir, (int64_t)place->length)}};
  size_t nattrs = 4;
  if (known) {
    attrs[nattrs++] = (TccNamedAttr){"triangle", tcc_attr_exprs(c->ir, &offset, 1)};
    attrs[nattrs++] = (TccNamedAttr){"inside", tcc_attr_f64(c->ir, triangle.inside)};
    attrs[nattrs++] = (TccNamedAttr){"outside", tcc_attr_f64(c->ir, triangle.outside)};
  }
  if (subnormal) attrs[nattrs++] = (TccNamedAttr){"subnormal", tcc_attr_bool(c->ir, true)};
  if (c->importer->options->parameters && tensor->role != IMPORT_PARAMETER)
    attrs[nattrs++] = (TccNamedAttr){"buffer", tcc_attr_bool(c->ir, true)};
  return tcc_build_value(&c->b, TCC_OP_WEIGHT, NULL, 0, attrs, nattrs, &type);
}

/* The number of elements up to which a tensor is compiled in. */
static size_t most_constant(const ImportCall *c, const ImportTensor *tensor) {
  if (!tcc_elem_is_float(tensor->elem)) return MOST_CONSTANT;
  return c->importer->options->parameters && tensor->role != IMPORT_CONSTANT ? 0 : MOST_FLOATS;
}

/* As the file has it, dense and row-major. */
static MlirValue dense(ImportCall *c, const ImportTensor *tensor, TccStr name, const TccSourcePlace *place) {
  size_t count, bytes;
  if (!tcc_elem_dense_bytes(tensor->elem, tensor->dims, (size_t)tensor->rank, &count, &bytes) || bytes != place->length) {
    import_invalid(c, "the sizes of '%.*s' do not fit its %zu bytes", TCC_STR_ARG(name), place->length);
    return no_value();
  }
  if (count > most_constant(c, tensor) && place->file >= 0) return weight(c, tensor, count, name, place);
  if (place->length > IMPORT_MOST_DENSE) {
    import_unsupported(c, "%zu bytes in a form that must be decoded", place->length);
    return no_value();
  }
  const void *data = tcc_sources_take(c->importer->sources, name, tensor->elem, place);
  return tcc_build_constant(&c->b, tensor->elem, tensor->rank, tensor->dims, data ? data : "");
}

/* The axes in the order of the file, the largest stride first. Those of size 1 and of stride 0 stay where they are. */
static void order_axes(const ImportTensor *tensor, int64_t *out) {
  int64_t sorted[TCC_MAX_RANK];
  int n = 0, taken = 0;
  for (int i = 0; i < tensor->rank; i++) {
    int at = n;
    if (tensor->dims[i] == 1 || tensor->strides[i] == 0) continue;
    for (; at > 0 && tensor->strides[sorted[at - 1]] < tensor->strides[i]; at--) sorted[at] = sorted[at - 1];
    sorted[at] = i;
    n++;
  }
  for (int i = 0; i < tensor->rank; i++) out[i] = tensor->dims[i] == 1 || tensor->strides[i] == 0 ? i : sorted[taken++];
}

MlirValue import_weight(ImportCall *c, const ImportTensor *tensor, TccStr name, const TccSourcePlace *place) {
  bool empty = false;
  for (int i = 0; i < tensor->rank; i++) empty = empty || tensor->dims[i] == 0;
  if (!tensor->strides || empty) return dense(c, tensor, name, place);
  const TccExpr *sizes[TCC_MAX_RANK];
  int64_t order[TCC_MAX_RANK], stored[TCC_MAX_RANK], perm[TCC_MAX_RANK], step = 1;
  order_axes(tensor, order);
  for (int i = tensor->rank; i-- > 0;) {
    int64_t axis = order[i], size = tensor->dims[axis], stride = tensor->strides[axis];
    bool repeated = size != 1 && stride == 0;
    if (size != 1 && !repeated && stride != step) {
      import_unsupported(c, "the strides of '%.*s' leave gaps or overlap", TCC_STR_ARG(name));
      return no_value();
    }
    stored[i] = repeated ? 1 : size;
    if (stored[i] > INT64_MAX / step) {
      import_invalid(c, "the sizes of '%.*s' are too large", TCC_STR_ARG(name));
      return no_value();
    }
    step *= stored[i];
    perm[axis] = i;
    sizes[axis] = import_size(c, size);
  }
  ImportTensor whole = {.elem = tensor->elem, .rank = tensor->rank, .dims = stored, .role = tensor->role};
  MlirValue value = tcc_build_transpose(&c->b, dense(c, &whole, name, place), perm);
  return tcc_build_broadcast(&c->b, value, tensor->rank, sizes);
}

void import_mark_buffer(ImportCall *c, MlirValue value) {
  if (c->importer->options->parameters && tcc_value_kind(c->ir, value) == TCC_OP_WEIGHT)
    tcc_set_attribute(tcc_value_op(value), "buffer", tcc_attr_bool(c->ir, true));
}

const void *import_small_data(ImportCall *c, MlirValue value, size_t *out_count) {
  const void *data = tcc_constant_data(c->ir, value, out_count);
  int64_t count;
  if (data || tcc_value_kind(c->ir, value) != TCC_OP_WEIGHT) return data;
  if (!tcc_expr_is_const(tcc_type_count(c->ir, tcc_value_type(value)), &count) || count > MOST_FLOATS) return NULL;
  MlirOperation op = tcc_value_op(value);
  TccSourcePlace place = {.file = tcc_i64(c->ir, op, "source"),
                          .offset = (uint64_t)tcc_i64(c->ir, op, "offset"),
                          .length = (size_t)tcc_i64(c->ir, op, "length")};
  *out_count = (size_t)count;
  return tcc_sources_take(c->importer->sources, tcc_string(c->ir, op, "name"), tcc_value_elem(value), &place);
}

bool import_has_subnormals(ImportCall *c, MlirValue value) {
  size_t count;
  const void *data = tcc_constant_data(c->ir, value, &count);
  if (data) return tcc_type_rank(tcc_value_type(value)) == 1 && has_subnormals(tcc_value_elem(value), count, data);
  return tcc_value_kind(c->ir, value) == TCC_OP_WEIGHT && tcc_bool(c->ir, tcc_value_op(value), "subnormal");
}

MlirValue import_without_subnormals(ImportCall *c, MlirValue w) {
  if (tcc_value_kind(c->ir, w) != TCC_OP_WEIGHT || !tcc_bool(c->ir, tcc_value_op(w), "subnormal") || import_shape(c, w).rank < 2)
    return w;
  MlirValue off =
      tcc_build_compare(&c->b, "lt", tcc_build1(&c->b, TCC_OP_ABS, w), tcc_build_scalar(&c->b, TCC_ELEM_F32, (double)FLT_MIN));
  return tcc_build_select(&c->b, off, tcc_build_scalar(&c->b, TCC_ELEM_F32, 0), w);
}

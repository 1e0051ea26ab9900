/* ops_shape.c - ONNX operators about shapes: views, concat and split, and those that make a tensor out of sizes.
 *
 * Integer tensors that decide a shape are read as size expressions (import_values); the op that is built carries the result
 * in its type or attributes and no longer needs them. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/text.h"
#include "tcc/op_kinds.h"

static const TccExpr *size_min(ImportCall *c, const TccExpr *a, const TccExpr *b) {
  if (tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, b, a))) return a;
  if (tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, a, b))) return b;
  return tcc_expr_call(c->ir->exprs, TCC_EXPR_MIN, a, b);
}

static const TccExpr *size_max(ImportCall *c, const TccExpr *a, const TccExpr *b) {
  if (tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, a, b))) return a;
  if (tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, b, a))) return b;
  return tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, a, b);
}

/* Entries of an attribute before opset `until`, of an input from then on, where the run may decide them; *out NULL if there are none. */
static bool sizes_of(ImportCall *c, const char *attribute, int until, size_t input, const TccExpr *const **out, size_t *out_count) {
  *out = NULL;
  *out_count = 0;
  if (onnx_call(c)->opset < until) {
    const int64_t *values;
    if (!onnx_ints(c, attribute, &values, out_count)) return true;
    const TccExpr **made = TCC_NEW_ARRAY(import_arena(c), const TccExpr *, *out_count + 1);
    for (size_t i = 0; i < *out_count; i++) made[i] = import_size(c, values[i]);
    *out = made;
    return true;
  }
  if (!import_has_input(c, input)) return true;
  *out = import_sizes(c, input, out_count);
  return *out != NULL;
}

static bool ints_of(ImportCall *c, const char *attribute, int until, size_t input, const int64_t **out, size_t *out_count) {
  *out = NULL;
  *out_count = 0;
  if (onnx_call(c)->opset < until) {
    onnx_ints(c, attribute, out, out_count);
    return true;
  }
  if (!import_has_input(c, input)) return true;
  *out = import_constants(c, input, out_count);
  return *out != NULL;
}

bool onnx_op_flatten(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  ImportShape shape = import_shape(c, import_input(c, 0));
  int64_t axis = onnx_int(c, "axis", 1);
  if (axis < 0) axis += shape.rank;
  if (axis < 0 || axis > shape.rank) return import_invalid(c, "axis does not fit rank %d", shape.rank);
  const TccExpr *dims[] = {import_product(c, shape.dims, (int)axis), import_product(c, shape.dims + axis, shape.rank - (int)axis)};
  return import_output(c, 0, tcc_build_reshape(&c->b, import_input(c, 0), 2, dims));
}

bool onnx_op_squeeze(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  ImportShape shape = import_shape(c, import_input(c, 0));
  const int64_t *axes;
  size_t n;
  bool drop[TCC_MAX_RANK] = {false};
  if (!ints_of(c, "axes", 13, 1, &axes, &n)) return false;
  for (size_t i = 0; i < n; i++) {
    int64_t axis;
    if (!import_axis(c, axes[i], shape.rank, &axis)) return false;
    if (!import_require_equal(c, shape.dims[axis], import_size(c, 1), "a squeezed axis")) return false;
    drop[axis] = true;
  }
  ImportShape to = {.elem = shape.elem};
  for (int i = 0; i < shape.rank && !axes; i++) { /* a size decides the rank: it is not 1 unless given */
    int64_t size;
    if (import_size_is_given(c, shape.dims[i]) && !import_fix_size(c, shape.dims[i], &size)) return false;
    if (!tcc_expr_is_const(shape.dims[i], NULL) && !import_assume_at_most(c, import_size(c, 2), shape.dims[i]))
      return import_unsupported(c, "whether size '%s' is 1 decides the rank: give%s", tcc_expr_text(c->ir->exprs, shape.dims[i]),
                                import_wanted_dims(c, shape.dims[i]));
  }
  for (int i = 0; i < shape.rank; i++)
    if (!(axes ? drop[i] : import_is_size(shape.dims[i], 1))) to.dims[to.rank++] = shape.dims[i];
  return import_output(c, 0, tcc_build_reshape(&c->b, import_input(c, 0), to.rank, to.dims));
}

bool onnx_op_unsqueeze(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  ImportShape shape = import_shape(c, import_input(c, 0)), to = {.elem = shape.elem};
  const int64_t *axes;
  size_t n;
  bool added[TCC_MAX_RANK] = {false};
  if (!ints_of(c, "axes", 13, 1, &axes, &n)) return false;
  if (shape.rank + n > TCC_MAX_RANK) return import_unsupported(c, "a result of rank %zu", (size_t)shape.rank + n);
  to.rank = shape.rank + (int)n;
  for (size_t i = 0; i < n; i++) {
    int64_t axis;
    if (!import_axis(c, axes[i], to.rank, &axis)) return false;
    if (added[axis]) return import_invalid(c, "axis %lld is named twice", (long long)axis);
    added[axis] = true;
  }
  for (int i = 0, k = 0; i < to.rank; i++) to.dims[i] = added[i] ? import_size(c, 1) : shape.dims[k++];
  return import_output(c, 0, tcc_build_reshape(&c->b, import_input(c, 0), to.rank, to.dims));
}

bool onnx_op_transpose(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  int rank = import_shape(c, import_input(c, 0)).rank;
  int64_t perm[TCC_MAX_RANK];
  bool seen[TCC_MAX_RANK] = {false};
  const int64_t *given;
  size_t n;
  for (int i = 0; i < rank; i++) perm[i] = rank - 1 - i;
  if (onnx_ints(c, "perm", &given, &n)) {
    if (n != (size_t)rank) return import_invalid(c, "perm has %zu entries, the input rank %d", n, rank);
    for (int i = 0; i < rank; i++) {
      if (!import_axis(c, given[i], rank, &perm[i])) return false;
      if (seen[perm[i]]) return import_invalid(c, "perm names axis %lld twice", (long long)perm[i]);
      seen[perm[i]] = true;
    }
  }
  return import_output(c, 0, tcc_build_transpose(&c->b, import_input(c, 0), perm));
}

bool onnx_op_concat(ImportCall *c) {
  if (!import_need(c, c->ninputs ? c->ninputs : 1)) return false;
  MlirValue *values = TCC_NEW_ARRAY(import_arena(c), MlirValue, c->ninputs);
  for (size_t i = 0; i < c->ninputs; i++) values[i] = import_input(c, i);
  int64_t axis;
  if (!import_axis(c, onnx_int(c, "axis", onnx_call(c)->opset < 4 ? 1 : 0), import_shape(c, values[0]).rank, &axis)) return false;
  return import_output(c, 0, tcc_build_concat(&c->b, values, c->ninputs, axis));
}

/* Sizes of the parts: given, or equal ones, the last of which may be smaller (num_outputs). */
bool onnx_op_split(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  int64_t axis;
  const TccExpr *const *parts;
  size_t n;
  bool uneven = false;
  if (!import_axis(c, onnx_int(c, "axis", 0), shape.rank, &axis) || !sizes_of(c, "split", 13, 1, &parts, &n)) return false;
  if (parts && n != c->noutputs) return import_invalid(c, "%zu parts for %zu outputs", n, c->noutputs);
  if (onnx_int(c, "num_outputs", (int64_t)c->noutputs) != (int64_t)c->noutputs)
    return import_invalid(c, "num_outputs is not %zu", c->noutputs);
  const TccExpr *start = import_size(c, 0), *each = NULL;
  if (!parts) {
    n = c->noutputs;
    const TccExpr *count = import_size(c, (int64_t)n);
    uneven = onnx_has_attribute(c, "num_outputs") || tcc_expr_is_const(shape.dims[axis], NULL);
    if (uneven) each = tcc_expr_call(c->ir->exprs, TCC_EXPR_CEILDIV, shape.dims[axis], count);
    else if (!(each = import_divide(c, shape.dims[axis], count))) return false;
  }
  for (size_t i = 0; i < n; i++) {
    const TccExpr *end = parts ? import_size_add(c, start, parts[i]) : import_size_mul(c, each, import_size(c, (int64_t)i + 1));
    if (!parts && i + 1 == n) end = shape.dims[axis];
    else if (uneven) end = size_min(c, end, shape.dims[axis]);
    const TccExpr *size = import_size_sub(c, end, start);
    if (!import_output(c, i, tcc_build_slice_axis(&c->b, x, axis, start, 1, size))) return false;
    start = end;
  }
  if (!parts || tcc_expr_agree(start, shape.dims[axis])) return true;
  return import_invalid(c, "the parts do not add up to '%s'", tcc_expr_text(c->ir->exprs, shape.dims[axis]));
}

/* A bound of Slice as a position in [low, high]; negative ones count from the end. */
static const TccExpr *slice_bound(ImportCall *c, const TccExpr *bound, const TccExpr *size, const TccExpr *low,
                                  const TccExpr *high) {
  int64_t value;
  if (tcc_expr_is_const(bound, &value)) {
    if (value >= INT32_MAX) return high;
    if (value <= -INT32_MAX) return low;
    if (value >= 1000000000 && import_assume_at_most(c, size, bound)) return high; /* another number for "to the end" */
  }
  bool from_end = tcc_expr_is_const(bound, &value)
                      ? value < 0
                      : tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, import_size(c, -1), bound));
  if (from_end) bound = import_size_add(c, bound, size);
  if (tcc_expr_known_nonnegative(bound) && !tcc_expr_is_const(bound, NULL) && import_assume_at_most(c, bound, high)) return bound;
  return size_min(c, size_max(c, bound, low), high);
}

/* One axis: x[start : end : step]. Negative steps walk from start down to end, which is exclusive and may lie before 0. */
static MlirValue slice_axis(ImportCall *c, MlirValue x, int64_t axis, const TccExpr *start, const TccExpr *end, int64_t step) {
  const TccExpr *size = import_shape(c, x).dims[axis], *zero = import_size(c, 0), *one = import_size(c, 1), *span;
  if (step > 0) {
    start = slice_bound(c, start, size, zero, size);
    end = slice_bound(c, end, size, zero, size);
    span = import_size_sub(c, end, start);
  } else {
    const TccExpr *last = import_size_sub(c, size, one), *before = import_size(c, -1);
    int64_t value;
    start = slice_bound(c, start, size, zero, last);
    end = tcc_expr_is_const(end, &value) && value == -1 ? last : slice_bound(c, end, size, before, last);
    span = import_size_sub(c, start, end);
  }
  span = size_max(c, span, zero);
  int64_t stride = step > 0 ? step : -step;
  const TccExpr *count = stride == 1 ? span : tcc_expr_call(c->ir->exprs, TCC_EXPR_CEILDIV, span, import_size(c, stride));
  ImportShape shape = import_shape(c, x);
  if (count == shape.dims[axis] && step == 1) return x;
  if (import_is_size(count, 0)) start = zero;
  const TccExpr *starts[TCC_MAX_RANK], *sizes[TCC_MAX_RANK];
  int64_t steps[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) starts[i] = zero, steps[i] = 1, sizes[i] = shape.dims[i];
  starts[axis] = start, steps[axis] = step, sizes[axis] = count;
  return tcc_build_slice(&c->b, x, starts, steps, sizes);
}

bool onnx_op_slice(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  int rank = import_shape(c, x).rank;
  const TccExpr *const *starts, *const *ends;
  const int64_t *axes, *steps;
  size_t nstarts, nends, naxes, nsteps;
  bool again = false;
  if (onnx_call(c)->opset >= 10 && onnx_slice_has_data(c, &again)) return !again && onnx_slice_by_data(c);
  if (!sizes_of(c, "starts", 10, 1, &starts, &nstarts) || !sizes_of(c, "ends", 10, 2, &ends, &nends) ||
      !ints_of(c, "axes", 10, 3, &axes, &naxes) || !ints_of(c, "steps", 10, 4, &steps, &nsteps))
    return false;
  if (!starts || !ends || nstarts != nends || (axes && naxes != nstarts) || (steps && nsteps != nstarts) || nstarts > (size_t)rank)
    return import_invalid(c, "starts, ends, axes and steps do not fit together");
  for (size_t i = 0; i < nstarts && x.ptr; i++) {
    int64_t axis, step = steps ? steps[i] : 1;
    if (!import_axis(c, axes ? axes[i] : (int64_t)i, rank, &axis)) return false;
    if (step == 0) return import_invalid(c, "a step is 0");
    if (step <= -INT32_MAX || step >= INT32_MAX) step = step < 0 ? -INT32_MAX : INT32_MAX;
    x = slice_axis(c, x, axis, starts[i], ends[i], step);
  }
  return import_output(c, 0, x);
}

/* Slice-10 under the name it had before, in any opset; steps are a later one's. */
bool onnx_op_dynamic_slice(ImportCall *c) {
  if (c->ninputs > 4) return import_invalid(c, "%zu inputs", c->ninputs);
  onnx_call(c)->opset = 10;
  return onnx_op_slice(c);
}

/* Of an entry that the run decides, for an axis of size `from`: 1 leaves it as it is. */
static const TccExpr *expanded_size(ImportCall *c, MlirValue entry, const TccExpr *from) {
  if (import_is_size(from, 1)) return import_counted_size(c, entry, NULL);
  MlirValue one = tcc_build_compare(&c->b, "eq", entry, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 1));
  return import_counted_size(c, tcc_build_select(&c->b, one, tcc_build_size(&c->b, from), entry), NULL);
}

bool onnx_op_expand(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  ImportShape from = import_shape(c, import_input(c, 0)), wanted = {.elem = from.elem}, to;
  size_t n;
  const ImportEntry *given = import_entries(c, 1, &n);
  if (!given) return false;
  if (n > TCC_MAX_RANK) return import_unsupported(c, "a result of rank %zu", n);
  wanted.rank = (int)n;
  for (int i = 0; i < wanted.rank; i++) {
    const int axis = i - (wanted.rank - from.rank);
    const TccExpr *size =
        given[i].size ? given[i].size : expanded_size(c, given[i].value, axis < 0 ? import_size(c, 1) : from.dims[axis]);
    if (!size) return false;
    if (!given[i].size && axis >= 0 && !import_is_size(from.dims[axis], 1)) {
      if (!import_require_equal(c, size, from.dims[axis], "a size that data decide")) return false;
      size = from.dims[axis];
    }
    wanted.dims[i] = size;
  }
  if (!import_broadcast_shape(c, &from, &wanted, &to)) return false;
  return import_output(c, 0, tcc_build_broadcast(&c->b, import_input(c, 0), to.rank, to.dims));
}

/* Each axis [d] becomes [repeats, d], is broadcast, and joined. */
bool onnx_op_tile(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  size_t n;
  const TccExpr *const *repeats = import_sizes(c, 1, &n);
  if (!repeats) return false;
  if (n != (size_t)shape.rank) return import_invalid(c, "repeats has %zu entries, the input rank %d", n, shape.rank);
  const TccExpr *split[2 * TCC_MAX_RANK], *wide[2 * TCC_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < shape.rank; i++) {
    if (!import_is_size(repeats[i], 1)) split[rank] = import_size(c, 1), wide[rank++] = repeats[i];
    split[rank] = shape.dims[i], wide[rank++] = shape.dims[i];
    shape.dims[i] = import_size_mul(c, shape.dims[i], repeats[i]);
  }
  if (rank > TCC_MAX_RANK) return import_unsupported(c, "repeats along so many axes that the rank exceeds %d", TCC_MAX_RANK);
  return import_output(c, 0,
                       tcc_build_reshape(&c->b, tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, x, rank, split), rank, wide),
                                         shape.rank, shape.dims));
}

/* How far an axis of size `from` is padded, or cut where that is negative. */
static const TccExpr *padded_by(ImportCall *c, MlirValue entry, const TccExpr *from) {
  MlirValue zero = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0);
  const TccExpr *cut =
      import_counted_size(c, tcc_build2(&c->b, TCC_OP_MAX, tcc_build2(&c->b, TCC_OP_SUB, zero, entry), zero), from);
  const TccExpr *added = cut ? import_counted_size(c, tcc_build2(&c->b, TCC_OP_MAX, entry, zero), NULL) : NULL;
  return added ? import_size_sub(c, added, cut) : NULL;
}

/* pads: begins, then ends, of all axes or of those in `axes`. */
static bool read_pads(ImportCall *c, const ImportShape *shape, const TccExpr **low, const TccExpr **high) {
  const TccExpr *const *pads = NULL;
  const ImportEntry *entries = NULL;
  const int64_t *axes = NULL;
  size_t n = 0, naxes = 0;
  if (onnx_call(c)->opset < 11 && !sizes_of(c, onnx_call(c)->opset < 2 ? "paddings" : "pads", 11, 1, &pads, &n)) return false;
  if (onnx_call(c)->opset >= 11 && import_has_input(c, 1) && !(entries = import_entries(c, 1, &n))) return false;
  if (!ints_of(c, "axes", 18, 3, &axes, &naxes)) return false;
  if ((!pads && !entries) || n != 2 * (axes ? naxes : (size_t)shape->rank)) return import_invalid(c, "pads has %zu entries", n);
  for (int i = 0; i < shape->rank; i++) low[i] = high[i] = import_size(c, 0);
  for (size_t i = 0; i < n; i++) {
    int64_t axis;
    if (!import_axis(c, axes ? axes[i % (n / 2)] : (int64_t)(i % (n / 2)), shape->rank, &axis)) return false;
    const TccExpr *size = pads ? pads[i] : entries[i].size ? entries[i].size : padded_by(c, entries[i].value, shape->dims[axis]);
    if (!size) return false;
    if (i < n / 2) low[axis] = size;
    else high[axis] = size;
  }
  return true;
}

bool onnx_op_pad(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue operands[] = {import_input(c, 0), {NULL}};
  ImportShape shape = import_shape(c, operands[0]);
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  if (!read_pads(c, &shape, low, high)) return false;
  TccStr mode = onnx_string(c, "mode", "constant");
  if (tcc_str_is(mode, "constant")) {
    if (onnx_call(c)->opset >= 11 && import_has_input(c, 2)) operands[1] = tcc_build_reshape(&c->b, import_input(c, 2), 0, NULL);
    else if (onnx_call(c)->opset < 11 && onnx_float(c, "value", 0) != 0)
      operands[1] = tcc_build_scalar(&c->b, shape.elem, onnx_float(c, "value", 0));
  }
  TccNamedAttr attrs[] = {{"low", tcc_attr_exprs(c->ir, low, (size_t)shape.rank)},
                          {"high", tcc_attr_exprs(c->ir, high, (size_t)shape.rank)},
                          {"mode", tcc_attr_str(c->ir, mode)}};
  return import_output(c, 0, import_op(c, TCC_OP_PAD, operands, 2, attrs, 3));
}

/* ---- sizes as data, data from sizes ---- */
static int64_t clamp_axis(int64_t axis, int rank) {
  if (axis < 0) axis += rank;
  return axis < 0 ? 0 : axis > rank ? rank : axis;
}

bool onnx_op_shape(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  ImportShape shape = import_shape(c, import_input(c, 0));
  int64_t start = clamp_axis(onnx_int(c, "start", 0), shape.rank), end = clamp_axis(onnx_int(c, "end", shape.rank), shape.rank);
  return import_output(c, 0, tcc_build_sizes(&c->b, shape.dims + start, end > start ? (size_t)(end - start) : 0));
}

bool onnx_op_size(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  ImportShape shape = import_shape(c, import_input(c, 0));
  return import_output(c, 0, tcc_build_size(&c->b, import_product(c, shape.dims, shape.rank)));
}

bool onnx_op_constant_of_shape(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  size_t n;
  const TccExpr *const *dims = import_sizes(c, 0, &n);
  if (!dims) return false;
  if (n > TCC_MAX_RANK) return import_unsupported(c, "a result of rank %zu", n);
  const TccOnnxAttribute *value = onnx_attribute(c, "value");
  MlirValue fill = value && value->t ? onnx_tensor(c, value->t, onnx_call(c)->node->output.data[0], IMPORT_CONSTANT)
                                     : tcc_build_scalar(&c->b, TCC_ELEM_F32, 0);
  return import_output(c, 0, tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, fill, 0, NULL), (int)n, dims));
}

bool onnx_op_constant(ImportCall *c) {
  const TccOnnxAttribute *a;
  TccStr name = onnx_call(c)->node->output.count ? onnx_call(c)->node->output.data[0] : onnx_call(c)->node->name;
  if ((a = onnx_attribute(c, "value")) && a->t && a->t->data_type == TCC_ONNX_STRING)
    return onnx_text_output(c, 0, onnx_text_tensor(c, a->t));
  if (a && a->t) return import_output(c, 0, onnx_tensor(c, a->t, name, IMPORT_CONSTANT));
  if ((a = onnx_attribute(c, "sparse_value")) && a->sparse_tensor)
    return import_output(c, 0, onnx_sparse_tensor(c, a->sparse_tensor));
  if (onnx_has_attribute(c, "value_int"))
    return import_output(c, 0, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, onnx_int(c, "value_int", 0)));
  if (onnx_has_attribute(c, "value_float"))
    return import_output(c, 0, tcc_build_scalar(&c->b, TCC_ELEM_F32, onnx_float(c, "value_float", 0)));
  const int64_t *ints;
  const float *floats;
  size_t n;
  if (onnx_ints(c, "value_ints", &ints, &n)) {
    int64_t size = (int64_t)n;
    return import_output(c, 0, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &size, ints));
  }
  if (onnx_floats(c, "value_floats", &floats, &n)) {
    int64_t size = (int64_t)n;
    return import_output(c, 0, tcc_build_constant(&c->b, TCC_ELEM_F32, 1, &size, floats));
  }
  const TccStr *strings, one = onnx_string(c, "value_string", "");
  if (onnx_has_attribute(c, "value_string")) return onnx_text_output(c, 0, onnx_text_constant(c, &one, 1, 0, NULL));
  if (onnx_strings(c, "value_strings", &strings, &n)) {
    int64_t size = (int64_t)n;
    return onnx_text_output(c, 0, onnx_text_constant(c, strings, n, 1, &size));
  }
  return import_invalid(c, "no value");
}

/* ---- masks and diagonals ---- */
static MlirValue index_grid(ImportCall *c, const ImportShape *shape, int axis) { /* i64 positions along axis, ones elsewhere */
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < shape->rank; i++) dims[i] = i == axis ? shape->dims[i] : import_size(c, 1);
  return tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, shape->dims[axis]), shape->rank, dims);
}

bool onnx_op_trilu(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  if (shape.rank < 2) return import_invalid(c, "the input has rank %d", shape.rank);
  ImportShape matrix = {TCC_ELEM_I64, 2, {shape.dims[shape.rank - 2], shape.dims[shape.rank - 1]}};
  MlirValue distance = tcc_build2(&c->b, TCC_OP_SUB, index_grid(c, &matrix, 1), index_grid(c, &matrix, 0));
  MlirValue k =
      import_has_input(c, 1) ? tcc_build_reshape(&c->b, import_input(c, 1), 0, NULL) : tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0);
  MlirValue keep =
      tcc_build_compare(&c->b, onnx_int(c, "upper", 1) ? "ge" : "le", distance, tcc_build_convert(&c->b, k, TCC_ELEM_I64));
  return import_output(c, 0, tcc_build_select(&c->b, keep, x, tcc_build_scalar(&c->b, shape.elem, 0)));
}

bool onnx_op_eye_like(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  ImportShape shape = import_shape(c, import_input(c, 0));
  TccElem elem = onnx_elem(c, "dtype", shape.elem);
  if (!elem) return false;
  if (shape.rank != 2) return import_invalid(c, "the input has rank %d", shape.rank);
  MlirValue distance = tcc_build2(&c->b, TCC_OP_SUB, index_grid(c, &shape, 1), index_grid(c, &shape, 0));
  MlirValue on = tcc_build_compare(&c->b, "eq", distance, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, onnx_int(c, "k", 0)));
  return import_output(c, 0, tcc_build_convert(&c->b, on, elem));
}

/* indices == position along the new axis ? on : off; negative indices count from the end. */
bool onnx_op_one_hot(ImportCall *c) {
  if (!import_need(c, 3)) return false;
  size_t n;
  const TccExpr *const *depth = import_sizes(c, 1, &n);
  if (!depth) return false;
  if (n != 1) return import_invalid(c, "depth must be a scalar");
  MlirValue indices = tcc_build_convert(&c->b, import_input(c, 0), TCC_ELEM_I64), values = import_input(c, 2);
  ImportShape to = import_shape(c, indices);
  int64_t axis;
  if (to.rank >= TCC_MAX_RANK) return import_unsupported(c, "a result of rank %d", to.rank + 1);
  if (!import_axis(c, onnx_int(c, "axis", -1), to.rank + 1, &axis)) return false;
  MlirValue negative = tcc_build_compare(&c->b, "lt", indices, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
  indices = tcc_build_select(&c->b, negative, tcc_build2(&c->b, TCC_OP_ADD, indices, tcc_build_size(&c->b, depth[0])), indices);
  indices = import_unsqueeze(c, indices, axis);
  to = import_shape(c, indices);
  if (!indices.ptr) return false;
  to.dims[axis] = depth[0];
  MlirValue hit = tcc_build_compare(&c->b, "eq", indices, index_grid(c, &to, (int)axis));
  MlirValue off = tcc_build_slice_axis(&c->b, values, 0, import_size(c, 0), 1, import_size(c, 1)),
            on = tcc_build_slice_axis(&c->b, values, 0, import_size(c, 1), 1, import_size(c, 1));
  return import_output(c, 0,
                       tcc_build_select(&c->b, hit, tcc_build_reshape(&c->b, on, 0, NULL), tcc_build_reshape(&c->b, off, 0, NULL)));
}

/* ---- pixels ---- */
bool onnx_op_depth_to_space(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  ImportShape x = import_shape(c, import_input(c, 0));
  const TccExpr *block = import_size(c, onnx_int(c, "blocksize", 0));
  bool crd = tcc_str_is(onnx_string(c, "mode", "DCR"), "CRD");
  if (x.rank != 4 || onnx_int(c, "blocksize", 0) < 1) return import_invalid(c, "needs rank 4 and a positive blocksize");
  if (onnx_int(c, "blocksize", 0) > INT32_MAX) return import_invalid(c, "blocksize is out of range");
  const TccExpr *depth = import_divide(c, x.dims[1], import_size_mul(c, block, block));
  if (!depth) return false;
  const TccExpr *dcr[] = {x.dims[0], block, block, depth, x.dims[2], x.dims[3]},
                *crd_dims[] = {x.dims[0], depth, block, block, x.dims[2], x.dims[3]};
  static const int64_t dcr_perm[] = {0, 3, 4, 1, 5, 2}, crd_perm[] = {0, 1, 4, 2, 5, 3};
  const TccExpr *to[] = {x.dims[0], depth, import_size_mul(c, x.dims[2], block), import_size_mul(c, x.dims[3], block)};
  MlirValue y =
      tcc_build_transpose(&c->b, tcc_build_reshape(&c->b, import_input(c, 0), 6, crd ? crd_dims : dcr), crd ? crd_perm : dcr_perm);
  return import_output(c, 0, tcc_build_reshape(&c->b, y, 4, to));
}

bool onnx_op_space_to_depth(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  ImportShape x = import_shape(c, import_input(c, 0));
  const TccExpr *block = import_size(c, onnx_int(c, "blocksize", 0));
  if (x.rank != 4 || onnx_int(c, "blocksize", 0) < 1) return import_invalid(c, "needs rank 4 and a positive blocksize");
  if (onnx_int(c, "blocksize", 0) > INT32_MAX) return import_invalid(c, "blocksize is out of range");
  const TccExpr *rows = import_divide(c, x.dims[2], block), *columns = rows ? import_divide(c, x.dims[3], block) : NULL;
  if (!columns) return false;
  const TccExpr *dims[] = {x.dims[0], x.dims[1], rows, block, columns, block};
  static const int64_t perm[] = {0, 3, 5, 1, 2, 4};
  const TccExpr *to[] = {x.dims[0], import_size_mul(c, x.dims[1], import_size_mul(c, block, block)), rows, columns};
  return import_output(
      c, 0,
      tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, tcc_build_reshape(&c->b, import_input(c, 0), 6, dims), perm), 4, to));
}

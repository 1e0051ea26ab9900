/* ops_shape.c - ONNX operators about shapes: views, concat and split, and those that make a tensor out of sizes.
 *
 * Integer tensors that decide a shape are read as size expressions (onnx_values); the op that is built carries the result
 * in its type or attributes and no longer needs them. */
#include "lib/frontend/onnx/ops.h"

static const TccExpr *size_min(OnnxCall *c, const TccExpr *a, const TccExpr *b) {
  if (tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, b, a))) return a;
  if (tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, a, b))) return b;
  return tcc_expr_call(c->ir->exprs, TCC_EXPR_MIN, a, b);
}

static const TccExpr *size_max(OnnxCall *c, const TccExpr *a, const TccExpr *b) {
  if (tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, a, b))) return a;
  if (tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, b, a))) return b;
  return tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, a, b);
}

/* Entries of an attribute before opset `until`, of an input from then on; *out NULL if there are none. */
static bool sizes_of(OnnxCall *c, const char *attribute, int until, size_t input, const TccExpr *const **out, size_t *out_count) {
  *out = NULL;
  *out_count = 0;
  if (c->opset < until) {
    const int64_t *values;
    if (!onnx_ints(c, attribute, &values, out_count)) return true;
    const TccExpr **made = TCC_NEW_ARRAY(onnx_arena(c), const TccExpr *, *out_count + 1);
    for (size_t i = 0; i < *out_count; i++) made[i] = onnx_size(c, values[i]);
    *out = made;
    return true;
  }
  if (!onnx_has_input(c, input)) return true;
  *out = onnx_values(c, input, out_count);
  return *out != NULL;
}

static bool ints_of(OnnxCall *c, const char *attribute, int until, size_t input, const int64_t **out, size_t *out_count) {
  *out = NULL;
  *out_count = 0;
  if (c->opset < until) {
    onnx_ints(c, attribute, out, out_count);
    return true;
  }
  if (!onnx_has_input(c, input)) return true;
  *out = onnx_constants(c, input, out_count);
  return *out != NULL;
}

/* 0 copies a size (unless allowzero), -1 takes what is left. */
bool import_reshape(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue x = onnx_input(c, 0);
  OnnxShape from = onnx_shape(c, x), to = {.elem = from.elem};
  const TccExpr *const *given;
  size_t n;
  if (!sizes_of(c, "shape", 5, 1, &given, &n)) return false;
  if (!given) return onnx_invalid(c, "shape is missing");
  if (n > TCC_MAX_RANK) return onnx_unsupported(c, "a result of rank %zu", n);
  int rest = -1;
  bool allow_zero = onnx_int(c, "allowzero", 0) != 0;
  to.rank = (int)n;
  for (int i = 0; i < to.rank; i++) {
    int64_t value;
    to.dims[i] = given[i];
    if (!tcc_expr_is_const(given[i], &value)) continue;
    if (value == 0 && !allow_zero) {
      if (i >= from.rank) return onnx_invalid(c, "entry %d copies a size that the input does not have", i);
      to.dims[i] = from.dims[i];
    } else if (value == -1) {
      if (rest >= 0) return onnx_invalid(c, "shape has two entries -1");
      rest = i;
    } else if (value < 0) {
      return onnx_invalid(c, "entry %d of shape is %lld", i, (long long)value);
    }
  }
  if (rest >= 0) {
    const TccExpr *left = onnx_product(c, from.dims, from.rank), *right = onnx_size(c, 1);
    for (int i = 0; i < to.rank; i++)
      if (i != rest) right = onnx_size_mul(c, right, to.dims[i]);
    int64_t zero;
    if (tcc_expr_is_const(right, &zero) && zero == 0) return onnx_invalid(c, "-1 in shape beside a size of 0");
    to.dims[rest] = onnx_divide(c, left, right);
    if (!to.dims[rest]) return false;
  }
  return onnx_output(c, 0, onnx_reshape(c, x, to.rank, to.dims));
}

bool import_flatten(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  OnnxShape shape = onnx_shape(c, onnx_input(c, 0));
  int64_t axis = onnx_int(c, "axis", 1);
  if (axis < 0) axis += shape.rank;
  if (axis < 0 || axis > shape.rank) return onnx_invalid(c, "axis does not fit rank %d", shape.rank);
  const TccExpr *dims[] = {onnx_product(c, shape.dims, (int)axis), onnx_product(c, shape.dims + axis, shape.rank - (int)axis)};
  return onnx_output(c, 0, onnx_reshape(c, onnx_input(c, 0), 2, dims));
}

bool import_squeeze(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  OnnxShape shape = onnx_shape(c, onnx_input(c, 0));
  const int64_t *axes;
  size_t n;
  bool drop[TCC_MAX_RANK] = {false};
  if (!ints_of(c, "axes", 13, 1, &axes, &n)) return false;
  for (size_t i = 0; i < n; i++) {
    int64_t axis;
    if (!onnx_axis(c, axes[i], shape.rank, &axis)) return false;
    if (tcc_expr_is_const(shape.dims[axis], NULL) && !onnx_is_size(shape.dims[axis], 1))
      return onnx_invalid(c, "axis %lld has not size 1", (long long)axis);
    drop[axis] = true;
  }
  OnnxShape to = {.elem = shape.elem};
  for (int i = 0; i < shape.rank && !axes; i++) { /* a size decides the rank: it is not 1 unless given */
    int64_t size;
    if (onnx_size_is_given(c, shape.dims[i]) && !onnx_fix_size(c, shape.dims[i], &size)) return false;
    if (!tcc_expr_is_const(shape.dims[i], NULL) && !onnx_assume_at_most(c, onnx_size(c, 2), shape.dims[i]))
      return onnx_unsupported(c, "whether size '%s' is 1 decides the rank: give%s", tcc_expr_text(c->ir->exprs, shape.dims[i]),
                              onnx_wanted_dims(c, shape.dims[i]));
  }
  for (int i = 0; i < shape.rank; i++)
    if (!(axes ? drop[i] : onnx_is_size(shape.dims[i], 1))) to.dims[to.rank++] = shape.dims[i];
  return onnx_output(c, 0, onnx_reshape(c, onnx_input(c, 0), to.rank, to.dims));
}

bool import_unsqueeze(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  OnnxShape shape = onnx_shape(c, onnx_input(c, 0)), to = {.elem = shape.elem};
  const int64_t *axes;
  size_t n;
  bool added[TCC_MAX_RANK] = {false};
  if (!ints_of(c, "axes", 13, 1, &axes, &n)) return false;
  if (shape.rank + n > TCC_MAX_RANK) return onnx_unsupported(c, "a result of rank %zu", (size_t)shape.rank + n);
  to.rank = shape.rank + (int)n;
  for (size_t i = 0; i < n; i++) {
    int64_t axis;
    if (!onnx_axis(c, axes[i], to.rank, &axis)) return false;
    if (added[axis]) return onnx_invalid(c, "axis %lld is named twice", (long long)axis);
    added[axis] = true;
  }
  for (int i = 0, k = 0; i < to.rank; i++) to.dims[i] = added[i] ? onnx_size(c, 1) : shape.dims[k++];
  return onnx_output(c, 0, onnx_reshape(c, onnx_input(c, 0), to.rank, to.dims));
}

bool import_transpose(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  int rank = onnx_shape(c, onnx_input(c, 0)).rank;
  int64_t perm[TCC_MAX_RANK];
  bool seen[TCC_MAX_RANK] = {false};
  const int64_t *given;
  size_t n;
  for (int i = 0; i < rank; i++) perm[i] = rank - 1 - i;
  if (onnx_ints(c, "perm", &given, &n)) {
    if (n != (size_t)rank) return onnx_invalid(c, "perm has %zu entries, the input rank %d", n, rank);
    for (int i = 0; i < rank; i++) {
      if (!onnx_axis(c, given[i], rank, &perm[i])) return false;
      if (seen[perm[i]]) return onnx_invalid(c, "perm names axis %lld twice", (long long)perm[i]);
      seen[perm[i]] = true;
    }
  }
  return onnx_output(c, 0, onnx_transpose(c, onnx_input(c, 0), perm));
}

bool import_concat(OnnxCall *c) {
  if (!onnx_need(c, c->ninputs ? c->ninputs : 1)) return false;
  MlirValue *values = TCC_NEW_ARRAY(onnx_arena(c), MlirValue, c->ninputs);
  for (size_t i = 0; i < c->ninputs; i++) values[i] = onnx_input(c, i);
  int64_t axis;
  if (!onnx_axis(c, onnx_int(c, "axis", c->opset < 4 ? 1 : 0), onnx_shape(c, values[0]).rank, &axis)) return false;
  return onnx_output(c, 0, onnx_concat(c, values, c->ninputs, axis));
}

/* Sizes of the parts: given, or equal ones, the last of which may be smaller (num_outputs). */
bool import_split(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue x = onnx_input(c, 0);
  OnnxShape shape = onnx_shape(c, x);
  int64_t axis, whole;
  const TccExpr *const *parts;
  size_t n;
  if (!onnx_axis(c, onnx_int(c, "axis", 0), shape.rank, &axis) || !sizes_of(c, "split", 13, 1, &parts, &n)) return false;
  if (parts && n != c->noutputs) return onnx_invalid(c, "%zu parts for %zu outputs", n, c->noutputs);
  if (onnx_int(c, "num_outputs", (int64_t)c->noutputs) != (int64_t)c->noutputs)
    return onnx_invalid(c, "num_outputs is not %zu", c->noutputs);
  const TccExpr *start = onnx_size(c, 0), *each = NULL;
  if (!parts) {
    n = c->noutputs;
    if (tcc_expr_is_const(shape.dims[axis], &whole)) each = onnx_size(c, (whole + (int64_t)n - 1) / (int64_t)n);
    else if (!(each = onnx_divide(c, shape.dims[axis], onnx_size(c, (int64_t)n)))) return false;
  }
  for (size_t i = 0; i < n; i++) {
    const TccExpr *left = onnx_size_sub(c, shape.dims[axis], start);
    const TccExpr *size = parts ? parts[i] : i + 1 < n ? size_min(c, each, size_max(c, left, onnx_size(c, 0))) : left;
    if (!onnx_output(c, i, onnx_slice(c, x, axis, start, size))) return false;
    start = onnx_size_add(c, start, size);
  }
  if (!parts || tcc_expr_agree(start, shape.dims[axis])) return true;
  return onnx_invalid(c, "the parts do not add up to '%s'", tcc_expr_text(c->ir->exprs, shape.dims[axis]));
}

/* A bound of Slice as a position in [low, high]; negative ones count from the end. */
static const TccExpr *slice_bound(OnnxCall *c, const TccExpr *bound, const TccExpr *size, const TccExpr *low, const TccExpr *high) {
  int64_t value;
  if (tcc_expr_is_const(bound, &value)) {
    if (value >= INT32_MAX) return high;
    if (value <= -INT32_MAX) return low;
    if (value >= 1000000000 && onnx_assume_at_most(c, size, bound)) return high; /* another number for "to the end" */
  }
  bool from_end = tcc_expr_is_const(bound, &value)
                      ? value < 0
                      : tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, onnx_size(c, -1), bound));
  if (from_end) bound = onnx_size_add(c, bound, size);
  if (tcc_expr_known_nonnegative(bound) && !tcc_expr_is_const(bound, NULL) && onnx_assume_at_most(c, bound, high)) return bound;
  return size_min(c, size_max(c, bound, low), high);
}

/* One axis: x[start : end : step]. Negative steps walk from start down to end, which is exclusive and may lie before 0. */
static MlirValue slice_axis(OnnxCall *c, MlirValue x, int64_t axis, const TccExpr *start, const TccExpr *end, int64_t step) {
  const TccExpr *size = onnx_shape(c, x).dims[axis], *zero = onnx_size(c, 0), *one = onnx_size(c, 1), *span;
  if (step > 0) {
    start = slice_bound(c, start, size, zero, size);
    end = slice_bound(c, end, size, zero, size);
    span = onnx_size_sub(c, end, start);
  } else {
    const TccExpr *last = onnx_size_sub(c, size, one), *before = onnx_size(c, -1);
    int64_t value;
    start = slice_bound(c, start, size, zero, last);
    end = tcc_expr_is_const(end, &value) && value == -1 ? last : slice_bound(c, end, size, before, last);
    span = onnx_size_sub(c, start, end);
  }
  span = size_max(c, span, zero);
  int64_t stride = step > 0 ? step : -step;
  const TccExpr *count = stride == 1 ? span : tcc_expr_call(c->ir->exprs, TCC_EXPR_CEILDIV, span, onnx_size(c, stride));
  OnnxShape shape = onnx_shape(c, x);
  if (count == shape.dims[axis] && step == 1) return x;
  if (onnx_is_size(count, 0)) start = zero;
  const TccExpr *starts[TCC_MAX_RANK], *sizes[TCC_MAX_RANK];
  int64_t steps[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) starts[i] = zero, steps[i] = 1, sizes[i] = shape.dims[i];
  starts[axis] = start, steps[axis] = step, sizes[axis] = count;
  return tcc_build_slice(&c->b, x, starts, steps, sizes);
}

bool import_slice(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue x = onnx_input(c, 0);
  int rank = onnx_shape(c, x).rank;
  const TccExpr *const *starts, *const *ends;
  const int64_t *axes, *steps;
  size_t nstarts, nends, naxes, nsteps;
  if (!sizes_of(c, "starts", 10, 1, &starts, &nstarts) || !sizes_of(c, "ends", 10, 2, &ends, &nends) ||
      !ints_of(c, "axes", 10, 3, &axes, &naxes) || !ints_of(c, "steps", 10, 4, &steps, &nsteps))
    return false;
  if (!starts || !ends || nstarts != nends || (axes && naxes != nstarts) || (steps && nsteps != nstarts) || nstarts > (size_t)rank)
    return onnx_invalid(c, "starts, ends, axes and steps do not fit together");
  for (size_t i = 0; i < nstarts && x.ptr; i++) {
    int64_t axis, step = steps ? steps[i] : 1;
    if (!onnx_axis(c, axes ? axes[i] : (int64_t)i, rank, &axis)) return false;
    if (step == 0) return onnx_invalid(c, "a step is 0");
    if (step <= -INT32_MAX || step >= INT32_MAX) step = step < 0 ? -INT32_MAX : INT32_MAX;
    x = slice_axis(c, x, axis, starts[i], ends[i], step);
  }
  return onnx_output(c, 0, x);
}

bool import_expand(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  OnnxShape from = onnx_shape(c, onnx_input(c, 0)), wanted = {.elem = from.elem}, to;
  size_t n;
  const TccExpr *const *given = onnx_values(c, 1, &n);
  if (!given) return false;
  if (n > TCC_MAX_RANK) return onnx_unsupported(c, "a result of rank %zu", n);
  wanted.rank = (int)n;
  for (int i = 0; i < wanted.rank; i++) wanted.dims[i] = given[i];
  if (!onnx_broadcast_shape(c, &from, &wanted, &to)) return false;
  return onnx_output(c, 0, onnx_broadcast(c, onnx_input(c, 0), to.rank, to.dims));
}

/* Each axis [d] becomes [repeats, d], is broadcast, and joined. */
bool import_tile(OnnxCall *c) {
  if (!onnx_need(c, 2)) return false;
  MlirValue x = onnx_input(c, 0);
  OnnxShape shape = onnx_shape(c, x);
  size_t n;
  const TccExpr *const *repeats = onnx_values(c, 1, &n);
  if (!repeats) return false;
  if (n != (size_t)shape.rank) return onnx_invalid(c, "repeats has %zu entries, the input rank %d", n, shape.rank);
  const TccExpr *split[2 * TCC_MAX_RANK], *wide[2 * TCC_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < shape.rank; i++) {
    if (!onnx_is_size(repeats[i], 1)) split[rank] = onnx_size(c, 1), wide[rank++] = repeats[i];
    split[rank] = shape.dims[i], wide[rank++] = shape.dims[i];
    shape.dims[i] = onnx_size_mul(c, shape.dims[i], repeats[i]);
  }
  if (rank > TCC_MAX_RANK) return onnx_unsupported(c, "repeats along so many axes that the rank exceeds %d", TCC_MAX_RANK);
  return onnx_output(c, 0, onnx_reshape(c, onnx_broadcast(c, onnx_reshape(c, x, rank, split), rank, wide), shape.rank, shape.dims));
}

/* pads: begins, then ends, of all axes or of those in `axes`. */
bool import_pad(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue operands[] = {onnx_input(c, 0), {NULL}};
  OnnxShape shape = onnx_shape(c, operands[0]);
  const TccExpr *const *pads, *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  const int64_t *axes = NULL;
  size_t n, naxes = 0;
  if (!sizes_of(c, c->opset < 2 ? "paddings" : "pads", 11, 1, &pads, &n) || !ints_of(c, "axes", 18, 3, &axes, &naxes)) return false;
  if (!pads || n != 2 * (axes ? naxes : (size_t)shape.rank)) return onnx_invalid(c, "pads has %zu entries", n);
  for (int i = 0; i < shape.rank; i++) low[i] = high[i] = onnx_size(c, 0);
  for (size_t i = 0; i < n / 2; i++) {
    int64_t axis;
    if (!onnx_axis(c, axes ? axes[i] : (int64_t)i, shape.rank, &axis)) return false;
    low[axis] = pads[i], high[axis] = pads[i + n / 2];
  }
  TccStr mode = onnx_string(c, "mode", "constant");
  if (tcc_str_is(mode, "constant")) {
    if (c->opset >= 11 && onnx_has_input(c, 2)) operands[1] = onnx_reshape(c, onnx_input(c, 2), 0, NULL);
    else if (c->opset < 11 && onnx_float(c, "value", 0) != 0) operands[1] = onnx_scalar(c, shape.elem, onnx_float(c, "value", 0));
  }
  for (int i = 0; tcc_str_is(mode, "reflect") && i < shape.rank;
       i++) { /* constants are the op's rule's; sizes of run time are checked then */
    const TccExpr *one = onnx_size(c, 1);
    if (tcc_expr_is_const(shape.dims[i], NULL) || (onnx_is_size(low[i], 0) && onnx_is_size(high[i], 0))) continue;
    if (!onnx_assume_at_most(c, onnx_size_add(c, low[i], one), shape.dims[i]) ||
        !onnx_assume_at_most(c, onnx_size_add(c, high[i], one), shape.dims[i]))
      return onnx_unsupported(c, "reflecting more than there is of '%s'", tcc_expr_text(c->ir->exprs, shape.dims[i]));
  }
  TccNamedAttr attrs[] = {{"low", tcc_attr_exprs(c->ir, low, (size_t)shape.rank)},
                          {"high", tcc_attr_exprs(c->ir, high, (size_t)shape.rank)},
                          {"mode", tcc_attr_str(c->ir, mode)}};
  return onnx_output(c, 0, onnx_op(c, TCC_OP_PAD, operands, 2, attrs, 3));
}

/* ---- sizes as data, data from sizes ---- */
static int64_t clamp_axis(int64_t axis, int rank) {
  if (axis < 0) axis += rank;
  return axis < 0 ? 0 : axis > rank ? rank : axis;
}

bool import_shape(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  OnnxShape shape = onnx_shape(c, onnx_input(c, 0));
  int64_t start = clamp_axis(onnx_int(c, "start", 0), shape.rank), end = clamp_axis(onnx_int(c, "end", shape.rank), shape.rank);
  return onnx_output(c, 0, onnx_sizes(c, shape.dims + start, end > start ? (size_t)(end - start) : 0));
}

bool import_size(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  OnnxShape shape = onnx_shape(c, onnx_input(c, 0));
  return onnx_output(c, 0, onnx_size_scalar(c, onnx_product(c, shape.dims, shape.rank)));
}

bool import_constant_of_shape(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  size_t n;
  const TccExpr *const *dims = onnx_values(c, 0, &n);
  if (!dims) return false;
  if (n > TCC_MAX_RANK) return onnx_unsupported(c, "a result of rank %zu", n);
  const TccOnnxAttribute *value = onnx_attribute(c, "value");
  MlirValue fill = value && value->t ? onnx_tensor(c, value->t, c->node->output.data[0]) : onnx_scalar(c, TCC_ELEM_F32, 0);
  return onnx_output(c, 0, onnx_broadcast(c, onnx_reshape(c, fill, 0, NULL), (int)n, dims));
}

/* start + i * delta, for max(ceil((limit - start) / delta), 0) values of i. */
/* Start, limit and delta are integers that are known, though they may be written as floats: a size that was converted. */
static bool are_whole(OnnxCall *c) {
  for (size_t i = 0; i < 3; i++) {
    size_t n;
    if (!tcc_symbolic_value(c->ir, onnx_input(c, i), &n) || n != 1) return false;
  }
  return true;
}

bool import_range(OnnxCall *c) {
  if (!onnx_need(c, 3)) return false;
  MlirValue start = onnx_reshape(c, onnx_input(c, 0), 0, NULL), delta = onnx_reshape(c, onnx_input(c, 2), 0, NULL);
  TccElem elem = onnx_value_elem(onnx_input(c, 0));
  const TccExpr *count;
  size_t n;
  if (tcc_elem_is_float(elem) && !are_whole(c)) {
    const double *bounds[3];
    for (size_t i = 0; i < 3; i++) {
      bounds[i] = onnx_reals(c, i, &n);
      if (!bounds[i]) return false;
      if (n != 1) return onnx_invalid(c, "start, limit and delta must be scalars");
    }
    double steps = (bounds[1][0] - bounds[0][0]) / bounds[2][0];
    if (!(steps < 2147483648.0 && steps > -2147483648.0)) return onnx_invalid(c, "the range is not finite");
    int64_t whole = (int64_t)steps;
    if ((double)whole < steps) whole++;
    count = onnx_size(c, whole < 0 ? 0 : whole);
  } else {
    const TccExpr *bounds[3];
    for (size_t i = 0; i < 3; i++) {
      const TccExpr *const *given = onnx_values(c, i, &n);
      if (!given) return false;
      if (n != 1) return onnx_invalid(c, "start, limit and delta must be scalars");
      bounds[i] = given[0];
    }
    int64_t step;
    if (!tcc_expr_is_const(bounds[2], &step)) return onnx_unsupported(c, "a delta that is not constant");
    if (step == 0) return onnx_invalid(c, "delta is 0");
    if (step == INT64_MIN) return onnx_invalid(c, "delta is out of range");
    const TccExpr *span = step > 0 ? onnx_size_sub(c, bounds[1], bounds[0]) : onnx_size_sub(c, bounds[0], bounds[1]);
    span = size_max(c, span, onnx_size(c, 0));
    count =
        step == 1 || step == -1 ? span : tcc_expr_call(c->ir->exprs, TCC_EXPR_CEILDIV, span, onnx_size(c, step < 0 ? -step : step));
  }
  MlirValue x = onnx_iota(c, elem, count);
  int64_t number;
  if (!onnx_known_constant(c, delta, &number) || number != 1) x = onnx_binary(c, TCC_OP_MUL, x, delta);
  if (!onnx_known_constant(c, start, &number) || number != 0) x = onnx_binary(c, TCC_OP_ADD, x, start);
  return onnx_output(c, 0, x);
}

bool import_constant(OnnxCall *c) {
  const TccOnnxAttribute *a;
  TccStr name = c->node->output.count ? c->node->output.data[0] : c->node->name;
  if ((a = onnx_attribute(c, "value")) && a->t) return onnx_output(c, 0, onnx_tensor(c, a->t, name));
  if ((a = onnx_attribute(c, "sparse_value")) && a->sparse_tensor)
    return onnx_output(c, 0, onnx_sparse_tensor(c, a->sparse_tensor));
  if (onnx_has_attribute(c, "value_int")) return onnx_output(c, 0, onnx_scalar_i64(c, TCC_ELEM_I64, onnx_int(c, "value_int", 0)));
  if (onnx_has_attribute(c, "value_float")) return onnx_output(c, 0, onnx_scalar(c, TCC_ELEM_F32, onnx_float(c, "value_float", 0)));
  const int64_t *ints;
  const float *floats;
  size_t n;
  if (onnx_ints(c, "value_ints", &ints, &n)) {
    int64_t size = (int64_t)n;
    return onnx_output(c, 0, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &size, ints));
  }
  if (onnx_floats(c, "value_floats", &floats, &n)) {
    int64_t size = (int64_t)n;
    return onnx_output(c, 0, tcc_build_constant(&c->b, TCC_ELEM_F32, 1, &size, floats));
  }
  if (onnx_has_attribute(c, "value_string") || onnx_has_attribute(c, "value_strings")) return onnx_unsupported(c, "strings");
  return onnx_invalid(c, "no value");
}

/* ---- masks and diagonals ---- */
static MlirValue index_grid(OnnxCall *c, const OnnxShape *shape, int axis) { /* i64 positions along axis, ones elsewhere */
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < shape->rank; i++) dims[i] = i == axis ? shape->dims[i] : onnx_size(c, 1);
  return onnx_reshape(c, onnx_iota(c, TCC_ELEM_I64, shape->dims[axis]), shape->rank, dims);
}

bool import_trilu(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue x = onnx_input(c, 0);
  OnnxShape shape = onnx_shape(c, x);
  if (shape.rank < 2) return onnx_invalid(c, "the input has rank %d", shape.rank);
  OnnxShape matrix = {TCC_ELEM_I64, 2, {shape.dims[shape.rank - 2], shape.dims[shape.rank - 1]}};
  MlirValue distance = onnx_binary(c, TCC_OP_SUB, index_grid(c, &matrix, 1), index_grid(c, &matrix, 0));
  MlirValue k = onnx_has_input(c, 1) ? onnx_reshape(c, onnx_input(c, 1), 0, NULL) : onnx_scalar_i64(c, TCC_ELEM_I64, 0);
  MlirValue keep = onnx_compare(c, onnx_int(c, "upper", 1) ? "ge" : "le", distance, onnx_convert(c, k, TCC_ELEM_I64));
  return onnx_output(c, 0, onnx_select(c, keep, x, onnx_scalar(c, shape.elem, 0)));
}

bool import_eye_like(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  OnnxShape shape = onnx_shape(c, onnx_input(c, 0));
  TccElem elem = onnx_elem(c, "dtype", shape.elem);
  if (!elem) return false;
  if (shape.rank != 2) return onnx_invalid(c, "the input has rank %d", shape.rank);
  MlirValue distance = onnx_binary(c, TCC_OP_SUB, index_grid(c, &shape, 1), index_grid(c, &shape, 0));
  MlirValue on = onnx_compare(c, "eq", distance, onnx_scalar_i64(c, TCC_ELEM_I64, onnx_int(c, "k", 0)));
  return onnx_output(c, 0, onnx_convert(c, on, elem));
}

/* indices == position along the new axis ? on : off; negative indices count from the end. */
bool import_one_hot(OnnxCall *c) {
  if (!onnx_need(c, 3)) return false;
  size_t n;
  const TccExpr *const *depth = onnx_values(c, 1, &n);
  if (!depth) return false;
  if (n != 1) return onnx_invalid(c, "depth must be a scalar");
  MlirValue indices = onnx_convert(c, onnx_input(c, 0), TCC_ELEM_I64), values = onnx_input(c, 2);
  OnnxShape to = onnx_shape(c, indices);
  int64_t axis;
  if (to.rank >= TCC_MAX_RANK) return onnx_unsupported(c, "a result of rank %d", to.rank + 1);
  if (!onnx_axis(c, onnx_int(c, "axis", -1), to.rank + 1, &axis)) return false;
  MlirValue negative = onnx_compare(c, "lt", indices, onnx_scalar_i64(c, TCC_ELEM_I64, 0));
  indices = onnx_select(c, negative, onnx_binary(c, TCC_OP_ADD, indices, onnx_size_scalar(c, depth[0])), indices);
  indices = onnx_unsqueeze(c, indices, axis);
  to = onnx_shape(c, indices);
  if (!indices.ptr) return false;
  to.dims[axis] = depth[0];
  MlirValue hit = onnx_compare(c, "eq", indices, index_grid(c, &to, (int)axis));
  MlirValue off = onnx_slice(c, values, 0, onnx_size(c, 0), onnx_size(c, 1)),
            on = onnx_slice(c, values, 0, onnx_size(c, 1), onnx_size(c, 1));
  return onnx_output(c, 0, onnx_select(c, hit, onnx_reshape(c, on, 0, NULL), onnx_reshape(c, off, 0, NULL)));
}

/* ---- pixels ---- */
bool import_depth_to_space(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  OnnxShape x = onnx_shape(c, onnx_input(c, 0));
  const TccExpr *block = onnx_size(c, onnx_int(c, "blocksize", 0));
  bool crd = tcc_str_is(onnx_string(c, "mode", "DCR"), "CRD");
  if (x.rank != 4 || onnx_int(c, "blocksize", 0) < 1) return onnx_invalid(c, "needs rank 4 and a positive blocksize");
  const TccExpr *depth = tcc_expr_divide_exactly(c->ir->exprs, x.dims[1], onnx_size_mul(c, block, block));
  if (!depth) return onnx_invalid(c, "blocksize^2 does not divide the channels");
  const TccExpr *dcr[] = {x.dims[0], block, block, depth, x.dims[2], x.dims[3]},
                *crd_dims[] = {x.dims[0], depth, block, block, x.dims[2], x.dims[3]};
  static const int64_t dcr_perm[] = {0, 3, 4, 1, 5, 2}, crd_perm[] = {0, 1, 4, 2, 5, 3};
  const TccExpr *to[] = {x.dims[0], depth, onnx_size_mul(c, x.dims[2], block), onnx_size_mul(c, x.dims[3], block)};
  MlirValue y = onnx_transpose(c, onnx_reshape(c, onnx_input(c, 0), 6, crd ? crd_dims : dcr), crd ? crd_perm : dcr_perm);
  return onnx_output(c, 0, onnx_reshape(c, y, 4, to));
}

bool import_space_to_depth(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  OnnxShape x = onnx_shape(c, onnx_input(c, 0));
  const TccExpr *block = onnx_size(c, onnx_int(c, "blocksize", 0));
  if (x.rank != 4 || onnx_int(c, "blocksize", 0) < 1) return onnx_invalid(c, "needs rank 4 and a positive blocksize");
  const TccExpr *rows = onnx_divide(c, x.dims[2], block), *columns = rows ? onnx_divide(c, x.dims[3], block) : NULL;
  if (!columns) return false;
  const TccExpr *dims[] = {x.dims[0], x.dims[1], rows, block, columns, block};
  static const int64_t perm[] = {0, 3, 5, 1, 2, 4};
  const TccExpr *to[] = {x.dims[0], onnx_size_mul(c, x.dims[1], onnx_size_mul(c, block, block)), rows, columns};
  return onnx_output(c, 0, onnx_reshape(c, onnx_transpose(c, onnx_reshape(c, onnx_input(c, 0), 6, dims), perm), 4, to));
}

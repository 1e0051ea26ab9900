/* ops_slice.c - Slice whose bounds, axes or steps are data that nobody gave. Bounds: the positions between them are those whose mask is true, and their number
 * is a fresh symbol (tcc.nonzero), at most the size of the axis. Steps, whose sign is data too: positions are worked out, and gathered; so they are along
 * each axis where it is data which of them are meant. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

bool onnx_slice_has_data(ImportCall *c, bool *out_again) {
  bool data = false;
  for (size_t input = 1; input <= 4; input++) {
    size_t n;
    if (!import_has_input(c, input) || !import_input(c, input).ptr || tcc_symbolic_value(c->ir, import_input(c, input), &n))
      continue;
    data = true;
    if (import_specialise_given(c, input)) *out_again = true;
  }
  return data;
}

/* Entry i of an input, a vector, as an i64 scalar. */
static MlirValue entry_of(ImportCall *c, size_t input, int64_t i) {
  MlirValue one = tcc_build_slice_axis(&c->b, import_input(c, input), 0, import_size(c, i), 1, import_size(c, 1));
  return tcc_build_reshape(&c->b, tcc_build_convert(&c->b, one, TCC_ELEM_I64), 0, NULL);
}

/* A bound as a position in [low, high]; negative ones count from the end. */
static MlirValue position_of(ImportCall *c, MlirValue bound, MlirValue size, MlirValue low, MlirValue high) {
  MlirValue negative = tcc_build_compare(&c->b, "lt", bound, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
  bound = tcc_build_select(&c->b, negative, tcc_build2(&c->b, TCC_OP_ADD, bound, size), bound);
  return tcc_build2(&c->b, TCC_OP_MIN, tcc_build2(&c->b, TCC_OP_MAX, bound, low), high);
}

/* x[start : end : step] along axis, the bounds being scalars. A negative step walks over x turned round. */
static MlirValue slice_by_data(ImportCall *c, MlirValue x, int64_t axis, MlirValue start, MlirValue end, int64_t step) {
  const TccExpr *dim = import_shape(c, x).dims[axis];
  const bool back = step < 0;
  MlirValue size = tcc_build_size(&c->b, dim), zero = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0), last;
  last = tcc_build2_number(&c->b, TCC_OP_SUB, size, 1);
  start = position_of(c, start, size, zero, back ? last : size);
  end = position_of(c, end, size, back ? tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, -1) : zero, back ? last : size);
  if (back) {
    x = tcc_build_slice_axis(&c->b, x, axis, import_size_sub(c, dim, import_size(c, 1)), -1, dim);
    start = tcc_build2(&c->b, TCC_OP_SUB, last, start), end = tcc_build2(&c->b, TCC_OP_SUB, last, end);
  }
  MlirValue place = import_iota(c, TCC_ELEM_I64, dim), from = tcc_build2(&c->b, TCC_OP_SUB, place, start);
  MlirValue met =
      tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "ge", from, zero), tcc_build_compare(&c->b, "lt", place, end));
  MlirValue rest = tcc_build2(&c->b, TCC_OP_MOD, from, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, back ? -step : step));
  return onnx_take_where(c, x, axis, tcc_build2(&c->b, TCC_OP_AND, met, tcc_build_compare(&c->b, "eq", rest, zero)));
}

static MlirValue number(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, value); }

/* The same, step being a scalar, too: start + i * step for as many i as there are before end. A step of 0 makes more than fit. */
static MlirValue slice_by_steps(ImportCall *c, MlirValue x, int64_t axis, MlirValue start, MlirValue end, MlirValue step) {
  const TccExpr *dim = import_shape(c, x).dims[axis];
  MlirValue size = tcc_build_size(&c->b, dim), zero = number(c, 0), one = number(c, 1),
            last = tcc_build2(&c->b, TCC_OP_SUB, size, one);
  step = tcc_build2(&c->b, TCC_OP_MIN, tcc_build2(&c->b, TCC_OP_MAX, step, number(c, -INT32_MAX)), number(c, INT32_MAX));
  MlirValue back = tcc_build_compare(&c->b, "lt", step, zero), high = tcc_build_select(&c->b, back, last, size);
  start = position_of(c, start, size, zero, high);
  end = position_of(c, end, size, tcc_build_select(&c->b, back, number(c, -1), zero), high);
  MlirValue span = tcc_build2(&c->b, TCC_OP_SUB, end, start), stride = tcc_build1(&c->b, TCC_OP_ABS, step);
  span = tcc_build_select(&c->b, back, tcc_build1(&c->b, TCC_OP_NEG, span), span);
  stride = tcc_build2(&c->b, TCC_OP_MAX, stride, one);
  MlirValue count =
      tcc_build2(&c->b, TCC_OP_DIV, tcc_build2(&c->b, TCC_OP_ADD, span, tcc_build2(&c->b, TCC_OP_SUB, stride, one)), stride);
  count = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", step, zero), tcc_build2(&c->b, TCC_OP_ADD, size, one),
                           tcc_build2(&c->b, TCC_OP_MAX, count, zero));
  const TccExpr *length = import_counted_size(c, count, dim);
  if (!length) return (MlirValue){NULL};
  MlirValue steps = tcc_build2(&c->b, TCC_OP_MUL, import_iota(c, TCC_ELEM_I64, length), step);
  return tcc_build_gather(&c->b, x, tcc_build2(&c->b, TCC_OP_ADD, steps, start), axis);
}

/* A slice of x along each axis by the entry of starts, ends and steps whose entry of axes says this one, or by none. An axis that x has not is as
 * wrong as a step of 0: it makes one. */
static MlirValue slice_by_axes(ImportCall *c, MlirValue x, int64_t count) {
  const int rank = import_shape(c, x).rank;
  for (int axis = 0; axis < rank && x.ptr; axis++) {
    MlirValue start = number(c, 0), end = number(c, INT64_MAX), step = number(c, 1);
    for (int64_t i = 0; i < count; i++) {
      MlirValue named = entry_of(c, 3, i);
      MlirValue meant = tcc_build2(&c->b, TCC_OP_OR, tcc_build_compare(&c->b, "eq", named, number(c, axis)),
                                   tcc_build_compare(&c->b, "eq", named, number(c, axis - rank)));
      start = tcc_build_select(&c->b, meant, entry_of(c, 1, i), start);
      end = tcc_build_select(&c->b, meant, entry_of(c, 2, i), end);
      if (import_has_input(c, 4)) step = tcc_build_select(&c->b, meant, entry_of(c, 4, i), step);
    }
    for (int64_t i = 0; axis == 0 && i < count; i++) {
      MlirValue named = entry_of(c, 3, i);
      MlirValue outside = tcc_build2(&c->b, TCC_OP_OR, tcc_build_compare(&c->b, "lt", named, number(c, -rank)),
                                     tcc_build_compare(&c->b, "ge", named, number(c, rank)));
      step = tcc_build_select(&c->b, outside, number(c, 0), step);
    }
    x = slice_by_steps(c, x, axis, start, end, step);
  }
  return x;
}

/* How many axes the inputs name, all of which are vectors of that length: known of one of them at least. Of the others the run says whether they
 * are so long. -1 after a reason. */
static int64_t count_axes(ImportCall *c, int rank) {
  const char *lengths = "the lengths of starts, ends, axes and steps";
  int64_t n = -1, length;
  bool fit = true;
  for (size_t input = 1; input <= 4; input++) {
    if (!import_has_input(c, input)) continue;
    ImportShape shape = import_shape(c, import_input(c, input));
    const bool known = tcc_expr_is_const(shape.dims[0], &length);
    fit = fit && shape.rank == 1 && (!known || n < 0 || n == length);
    if (known) n = length;
  }
  if (fit && n < 0) import_unsupported(c, "data decide how many axes are sliced");
  else if (!fit || n > rank) import_invalid(c, "starts, ends, axes and steps do not fit together");
  for (size_t input = 1; !c->reason && input <= 4; input++)
    if (import_has_input(c, input))
      import_require_equal(c, import_shape(c, import_input(c, input)).dims[0], import_size(c, n), lengths);
  return c->reason ? -1 : n;
}

static bool is_known(ImportCall *c, size_t input) {
  size_t n;
  return !import_has_input(c, input) || tcc_symbolic_value(c->ir, import_input(c, input), &n);
}

bool onnx_slice_by_data(ImportCall *c) {
  MlirValue x = import_input(c, 0);
  const int rank = import_shape(c, x).rank;
  const int64_t *axes = NULL, *steps = NULL, n = count_axes(c, rank);
  const bool names_axes = !is_known(c, 3), counts = !is_known(c, 4);
  size_t count;
  if (n < 0) return false;
  if (names_axes) return import_output(c, 0, slice_by_axes(c, x, n));
  if (import_has_input(c, 3) && !(axes = import_constants(c, 3, &count))) return false;
  if (import_has_input(c, 4) && !counts && !(steps = import_constants(c, 4, &count))) return false;
  for (int64_t i = 0; i < n && x.ptr; i++) {
    int64_t axis, step = steps ? steps[i] : 1;
    if (!import_axis(c, axes ? axes[i] : i, rank, &axis)) return false;
    if (counts) {
      x = slice_by_steps(c, x, axis, entry_of(c, 1, i), entry_of(c, 2, i), entry_of(c, 4, i));
      continue;
    }
    if (step == 0) return import_invalid(c, "a step is 0");
    if (step <= -INT32_MAX || step >= INT32_MAX) step = step < 0 ? -INT32_MAX : INT32_MAX;
    x = slice_by_data(c, x, axis, entry_of(c, 1, i), entry_of(c, 2, i), step);
  }
  return import_output(c, 0, x);
}

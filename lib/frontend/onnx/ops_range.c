/* ops_range.c - Range: how many elements it has is worked out of sizes or floats that are known, or by the run. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

/* Start, limit and delta are integers that are known, though they may be written as floats: a size that was converted. */
static bool are_whole(ImportCall *c) {
  for (size_t i = 0; i < 3; i++) {
    size_t n;
    if (!tcc_symbolic_value(c->ir, import_input(c, i), &n) || n != 1) return false;
  }
  return true;
}

/* Whether the run decides one of them: what nobody knows, and the caller did not give. */
static bool range_is_data(ImportCall *c, bool *out_again) {
  bool data = false;
  for (size_t i = 0; i < 3; i++) {
    size_t n;
    MlirValue value = import_input(c, i);
    if (tcc_symbolic_value(c->ir, value, &n) || import_known_reals(c, value, &n)) continue;
    data = true;
    if (import_specialise_given(c, i)) *out_again = true;
  }
  return data;
}

static const int64_t TOO_MANY = INT64_C(1) << 60;

/* max(ceil((limit - start) / delta), 0); a delta of 0 is as many as are too many. */
static MlirValue range_count(ImportCall *c, bool is_float) {
  MlirValue bound[3], zero = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0), one = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 1),
                      count;
  for (size_t i = 0; i < 3; i++)
    bound[i] =
        tcc_build_convert(&c->b, tcc_build_reshape(&c->b, import_input(c, i), 0, NULL), is_float ? TCC_ELEM_F64 : TCC_ELEM_I64);
  MlirValue span = tcc_build2(&c->b, TCC_OP_SUB, bound[1], bound[0]);
  if (is_float) {
    count = tcc_build1(&c->b, TCC_OP_CEIL, tcc_build2(&c->b, TCC_OP_DIV, span, bound[2]));
    count = tcc_build2_number(&c->b, TCC_OP_MIN, tcc_build2_number(&c->b, TCC_OP_MAX, count, 0), (double)TOO_MANY);
    return tcc_build_convert(&c->b, count, TCC_ELEM_I64);
  }
  MlirValue whole = tcc_build2(&c->b, TCC_OP_DIV, span, bound[2]); /* towards zero */
  MlirValue rest = tcc_build_compare(&c->b, "ne", tcc_build2(&c->b, TCC_OP_MUL, whole, bound[2]), span);
  MlirValue same =
      tcc_build_compare(&c->b, "eq", tcc_build_compare(&c->b, "lt", span, zero), tcc_build_compare(&c->b, "lt", bound[2], zero));
  count = tcc_build_select(&c->b, tcc_build2(&c->b, TCC_OP_AND, rest, same), tcc_build2(&c->b, TCC_OP_ADD, whole, one), whole);
  return tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", bound[2], zero),
                          tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, TOO_MANY), tcc_build2(&c->b, TCC_OP_MAX, count, zero));
}

/* The number of elements of a range of floats that are known. */
static const TccExpr *count_of_reals(ImportCall *c) {
  const double *bounds[3];
  size_t n;
  for (size_t i = 0; i < 3; i++) {
    bounds[i] = import_reals(c, i, &n);
    if (!bounds[i]) return NULL;
  }
  double steps = (bounds[1][0] - bounds[0][0]) / bounds[2][0];
  if (!(steps < 2147483648.0 && steps > -2147483648.0)) {
    import_invalid(c, "the range is not finite");
    return NULL;
  }
  int64_t whole = (int64_t)steps;
  if ((double)whole < steps) whole++;
  return import_size(c, whole < 0 ? 0 : whole);
}

/* Of one of sizes, whose delta is a constant. */
static const TccExpr *count_of_sizes(ImportCall *c) {
  const TccExpr *bounds[3];
  size_t n;
  int64_t step;
  for (size_t i = 0; i < 3; i++) {
    const TccExpr *const *given = import_values(c, i, &n);
    if (!given) return NULL;
    bounds[i] = given[0];
  }
  if (!tcc_expr_is_const(bounds[2], &step)) return import_unsupported(c, "a delta that is not constant"), NULL;
  if (step == 0) return import_invalid(c, "delta is 0"), NULL;
  if (step == INT64_MIN) return import_invalid(c, "delta is out of range"), NULL;
  const TccExpr *span = step > 0 ? import_size_sub(c, bounds[1], bounds[0]) : import_size_sub(c, bounds[0], bounds[1]);
  if (tcc_expr_known_nonnegative(tcc_expr_sub(c->ir->exprs, import_size(c, 0), span))) span = import_size(c, 0);
  else if (!tcc_expr_known_nonnegative(span)) span = tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, span, import_size(c, 0));
  return step == 1 || step == -1 ? span
                                 : tcc_expr_call(c->ir->exprs, TCC_EXPR_CEILDIV, span, import_size(c, step < 0 ? -step : step));
}

/* start + i * delta, for max(ceil((limit - start) / delta), 0) values of i. */
bool onnx_op_range(ImportCall *c) {
  bool again = false;
  if (!import_need(c, 3)) return false;
  for (size_t i = 0; i < 3; i++) {
    ImportShape shape = import_shape(c, import_input(c, i));
    if (!import_is_size(import_product(c, shape.dims, shape.rank), 1))
      return import_invalid(c, "start, limit and delta must be scalars");
  }
  MlirValue start = tcc_build_reshape(&c->b, import_input(c, 0), 0, NULL),
            delta = tcc_build_reshape(&c->b, import_input(c, 2), 0, NULL);
  TccElem elem = tcc_value_elem(import_input(c, 0));
  const bool is_float = tcc_elem_is_float(elem);
  const TccExpr *count = NULL;
  if (import_may_count(c) && range_is_data(c, &again))
    count = again ? NULL : import_counted_size(c, range_count(c, is_float), NULL);
  else count = is_float && !are_whole(c) ? count_of_reals(c) : count_of_sizes(c);
  if (!count) return false;
  MlirValue x = import_iota(c, elem, count);
  int64_t number;
  if (!import_known_constant(c, delta, &number) || number != 1) x = tcc_build2(&c->b, TCC_OP_MUL, x, delta);
  if (!import_known_constant(c, start, &number) || number != 0) x = tcc_build2(&c->b, TCC_OP_ADD, x, start);
  return import_output(c, 0, x);
}

/* onnxruntime's Range: delta may be left out, and is 1 then. */
bool onnx_op_contrib_range(ImportCall *c) {
  if (import_has_input(c, 2)) return onnx_op_range(c);
  if (!import_need(c, 2)) return false;
  MlirValue one = tcc_build_scalar(&c->b, tcc_value_elem(import_input(c, 0)), 1);
  ImportValue *given = c->inputs, all[] = {given[0], given[1], {.kind = IMPORT_TENSOR, .tensor = one}};
  const size_t count = c->ninputs;
  c->inputs = all, c->ninputs = 3;
  const bool is_made = onnx_op_range(c);
  c->inputs = given, c->ninputs = count;
  return is_made;
}

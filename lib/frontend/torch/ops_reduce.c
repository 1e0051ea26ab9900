/* ops_reduce.c - overloads that combine elements along axes: sums, extremes, statistics, norms, running sums; sorting. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

typedef struct {
  int64_t axes[TCC_MAX_RANK];
  size_t count;
  bool keepdims;
} Axes;

/* `dim` and `keepdim` where the overload has them; all axes where it has not. */
static bool read_axes(ImportCall *c, int rank, bool has_dim, Axes *out) {
  *out = (Axes){0};
  if (has_dim && !torch_axes(c, "dim", rank, out->axes, &out->count)) return false;
  out->keepdims = has_dim && torch_bool(c, "keepdim");
  if (!has_dim)
    for (int i = 0; i < rank; i++) out->axes[out->count++] = i;
  return true;
}

static bool has_dim(ImportCall *c) { return torch_has_parameter(c, "dim"); }

static MlirValue reduce(ImportCall *c, const char *kind, MlirValue x, const Axes *a) {
  return a->count && x.ptr ? tcc_build_reduce(&c->b, kind, x, a->axes, a->count, a->keepdims) : x;
}

/* Number of elements that axes combine, as a value of rank 0. */
static const TccExpr *combined(ImportCall *c, const ImportShape *x, const Axes *a) {
  const TccExpr *n = import_size(c, 1);
  for (size_t i = 0; i < a->count; i++) n = import_size_mul(c, n, x->dims[a->axes[i]]);
  return n;
}

static bool is_integer(TccElem elem) { return !tcc_elem_is_float(elem); }

/* Integers and bools are summed as i64 unless `dtype` says otherwise. */
static MlirValue widened(ImportCall *c, MlirValue x, TccElem *out_elem) {
  TccElem own = tcc_value_elem(x);
  *out_elem = torch_elem(c, "dtype", is_integer(own) ? TCC_ELEM_I64 : own);
  return *out_elem ? torch_convert(c, x, torch_wide(*out_elem)) : (MlirValue){NULL};
}

bool torch_op_sum(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  Axes axes;
  TccElem elem;
  if (!x.ptr || !read_axes(c, shape.rank, has_dim(c), &axes)) return false;
  x = widened(c, x, &elem);
  if (c->kind == SUM_NAN && tcc_elem_is_float(elem))
    x = x.ptr ? torch_if(c, tcc_build1(&c->b, TCC_OP_IS_NAN, x), torch_constant(c, tcc_value_elem(x), 0), x) : x;
  const char *kind = c->kind == SUM_PROD ? "prod" : "sum";
  if (elem == TCC_ELEM_BOOL) kind = c->kind == SUM_PROD ? "and" : "or";
  return torch_output(c, 0, torch_convert(c, reduce(c, kind, x, &axes), elem));
}

bool torch_op_mean(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  Axes axes;
  if (!x.ptr || !read_axes(c, shape.rank, has_dim(c), &axes)) return false;
  TccElem elem = torch_elem(c, "dtype", shape.elem);
  if (!elem) return false;
  if (is_integer(elem)) return import_invalid(c, "a mean of %s", tcc_elem_name(elem));
  x = torch_convert(c, x, torch_wide(elem));
  MlirValue y = axes.count ? tcc_build_mean(&c->b, x, axes.axes, axes.count, axes.keepdims) : x;
  return torch_output(c, 0, torch_convert(c, y, elem));
}

bool torch_op_nanmean(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  Axes axes;
  TccElem elem = torch_elem(c, "dtype", shape.elem);
  if (!x.ptr || !elem || !read_axes(c, shape.rank, true, &axes)) return false;
  x = torch_convert(c, x, torch_wide(elem));
  MlirValue nan = tcc_build1(&c->b, TCC_OP_IS_NAN, x), some = tcc_build1(&c->b, TCC_OP_NOT, nan);
  if (!nan.ptr) return false;
  MlirValue sum = reduce(c, "sum", torch_if(c, nan, torch_constant(c, tcc_value_elem(x), 0), x), &axes);
  MlirValue y = torch_div(c, sum, reduce(c, "sum", torch_convert(c, some, tcc_value_elem(x)), &axes));
  return torch_output(c, 0, torch_convert(c, y, elem));
}

/* amax, amin; max and min of all. kind: TCC_OP_MAX or MIN. */
bool torch_op_extreme(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  Axes axes;
  if (!x.ptr || !read_axes(c, import_shape(c, x).rank, has_dim(c), &axes)) return false;
  TccElem elem = tcc_value_elem(x);
  if (elem == TCC_ELEM_BOOL) return torch_output(c, 0, reduce(c, c->kind == TCC_OP_MAX ? "or" : "and", x, &axes));
  return torch_output(c, 0, reduce(c, c->kind == TCC_OP_MAX ? "max" : "min", x, &axes));
}

bool torch_op_aminmax(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  Axes axes = {.keepdims = torch_bool(c, "keepdim")};
  if (!x.ptr) return false;
  if (torch_given(c, "dim")) {
    if (!torch_axis(c, "dim", shape.rank, axes.axes)) return false;
    axes.count = shape.rank > 0;
  } else {
    for (; axes.count < (size_t)shape.rank; axes.count++) axes.axes[axes.count] = (int64_t)axes.count;
  }
  bool is_bool = shape.elem == TCC_ELEM_BOOL;
  return torch_output(c, 0, reduce(c, is_bool ? "and" : "min", x, &axes)) &&
         torch_output(c, 1, reduce(c, is_bool ? "or" : "max", x, &axes));
}

static MlirValue arg_reduce(ImportCall *c, MlirValue x, bool max, int64_t axis, bool keepdims) {
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str(max ? "max" : "min"))},
                          {"axis", tcc_attr_i64(c->ir, axis)},
                          {"keepdims", tcc_attr_bool(c->ir, keepdims)}};
  if (x.ptr && tcc_value_elem(x) == TCC_ELEM_BOOL) x = torch_convert(c, x, TCC_ELEM_U8);
  return x.ptr ? import_op(c, TCC_OP_ARG_REDUCE, &x, 1, attrs, 3) : x;
}

bool torch_op_arg_extreme(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  int64_t axis = 0;
  bool keepdims = torch_bool(c, "keepdim"), all = !torch_given(c, "dim");
  if (!x.ptr) return false;
  if (!all && !torch_axis(c, "dim", shape.rank, &axis)) return false;
  const TccExpr *count = import_product(c, shape.dims, shape.rank);
  if (all || shape.rank == 0) x = tcc_build_reshape(&c->b, x, 1, &count);
  MlirValue y = arg_reduce(c, x, c->kind == TCC_OP_MAX, axis, !all && shape.rank > 0 && keepdims);
  if (all && keepdims) {
    for (int i = 0; i < shape.rank; i++) shape.dims[i] = import_size(c, 1);
    y = tcc_build_reshape(&c->b, y, shape.rank, shape.dims);
  }
  return torch_output(c, 0, y);
}

/* max.dim, min.dim: values and indices. */
bool torch_op_extreme_dim(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  int64_t axis;
  if (!x.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  bool max = c->kind == TCC_OP_MAX, keepdims = torch_bool(c, "keepdim"), is_bool = shape.elem == TCC_ELEM_BOOL;
  if (shape.rank == 0) return torch_output(c, 0, x) && torch_output(c, 1, torch_constant(c, TCC_ELEM_I64, 0));
  return torch_output(c, 0,
                      tcc_build_reduce(&c->b,
                                       is_bool ? max ? "or" : "and"
                                       : max   ? "max"
                                               : "min",
                                       x, &axis, 1, keepdims)) &&
         torch_output(c, 1, arg_reduce(c, x, max, axis, keepdims));
}

/* any, all, of whatever is not 0; of u8 the result is u8. kind: TCC_OP_OR or AND. */
bool torch_op_logical_reduce(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  Axes axes = {0};
  if (!x.ptr) return false;
  const TccTorchArg *dim = torch_argument(c, "dim");
  if (dim && dim->kind == TCC_TORCH_INT) {
    if (!torch_axis(c, "dim", shape.rank, axes.axes)) return false;
    axes.count = shape.rank > 0, axes.keepdims = torch_bool(c, "keepdim");
  } else if (!read_axes(c, shape.rank, has_dim(c), &axes)) return false;
  MlirValue y = reduce(c, c->kind == TCC_OP_OR ? "or" : "and", torch_convert(c, x, TCC_ELEM_BOOL), &axes);
  return torch_output(c, 0, torch_convert(c, y, shape.elem == TCC_ELEM_U8 ? TCC_ELEM_U8 : TCC_ELEM_BOOL));
}

bool torch_op_count_nonzero(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  Axes axes = {0};
  if (!x.ptr) return false;
  if (torch_given(c, "dim")) {
    if (!torch_axes(c, "dim", shape.rank, axes.axes, &axes.count)) return false;
  } else {
    for (int i = 0; i < shape.rank; i++) axes.axes[axes.count++] = i;
  }
  return torch_output(c, 0, reduce(c, "sum", torch_convert(c, torch_convert(c, x, TCC_ELEM_BOOL), TCC_ELEM_I64), &axes));
}

/* ---- statistics ---- */
/* sum (x - mean)^2 / max(0, n - correction); `unbiased` is a correction of 1. A negative divisor is 0. */
bool torch_op_variance(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  double correction = 1;
  Axes axes;
  if (!x.ptr || !read_axes(c, shape.rank, has_dim(c), &axes)) return false;
  if (is_integer(shape.elem)) return import_invalid(c, "a variance of %s", tcc_elem_name(shape.elem));
  if (torch_has_parameter(c, "unbiased")) correction = torch_bool(c, "unbiased") ? 1 : 0;
  else if (torch_given(c, "correction")) correction = torch_float(c, "correction");
  TccElem wide = torch_wide(shape.elem);
  x = torch_convert(c, x, wide);
  const TccExpr *n = combined(c, &shape, &axes);
  int64_t count;
  MlirValue mean = axes.count ? tcc_build_mean(&c->b, x, axes.axes, axes.count, true) : x;
  MlirValue centred = torch_sub(c, x, mean), sum = reduce(c, "sum", torch_mul(c, centred, centred), &axes), divisor;
  if (tcc_expr_is_const(n, &count)) divisor = torch_constant(c, wide, fmax(0, (double)count - correction));
  else
    divisor = tcc_build2(&c->b, TCC_OP_MAX, torch_plus(c, torch_convert(c, tcc_build_size(&c->b, n), wide), -correction),
                         torch_constant(c, wide, 0));
  MlirValue y = torch_div(c, sum, divisor);
  if (c->kind == VARIANCE_STD || c->kind == VARIANCE_STD_MEAN) y = tcc_build1(&c->b, TCC_OP_SQRT, y);
  if (!torch_output(c, 0, torch_convert(c, y, shape.elem))) return false;
  if (c->kind == VARIANCE_VAR || c->kind == VARIANCE_STD) return true;
  if (!axes.keepdims && axes.count) {
    ImportShape to = import_shape(c, y);
    mean = tcc_build_reshape(&c->b, mean, to.rank, to.dims);
  }
  return torch_output(c, 1, torch_convert(c, mean, shape.elem));
}

/* max + log sum e^(x - max), with an infinite maximum taken as 0. */
bool torch_op_logsumexp(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  Axes axes;
  if (!x.ptr || !read_axes(c, import_shape(c, x).rank, true, &axes)) return false;
  TccElem elem = is_integer(tcc_value_elem(x)) ? TCC_ELEM_F32 : tcc_value_elem(x), wide = torch_wide(elem);
  x = torch_convert(c, x, wide);
  if (!axes.count) return torch_output(c, 0, torch_convert(c, x, elem));
  MlirValue max = tcc_build_reduce(&c->b, "max", x, axes.axes, axes.count, true);
  max =
      max.ptr ? torch_if(c, torch_is(c, "eq", tcc_build1(&c->b, TCC_OP_ABS, max), INFINITY), torch_constant(c, wide, 0), max) : max;
  MlirValue sum = reduce(c, "sum", tcc_build1(&c->b, TCC_OP_EXP, torch_sub(c, x, max)), &axes);
  ImportShape to = import_shape(c, sum);
  max = tcc_build_reshape(&c->b, max, to.rank, to.dims);
  return torch_output(c, 0, torch_convert(c, torch_add(c, tcc_build1(&c->b, TCC_OP_LOG, sum), max), elem));
}

/* (sum x^p)^(1/p) of x >= 0; p = 0 counts, infinities are the extremes. */
static MlirValue norm_of(ImportCall *c, MlirValue sizes, double p, const Axes *a) {
  return sizes.ptr ? torch_norm(c, sizes, p, a->axes, a->count, a->keepdims) : sizes;
}

/* Rows of a table that `indices` name: bool [rows, 1]. */
static MlirValue named_rows(ImportCall *c, const TccExpr *rows) {
  MlirValue index = import_index(c, torch_tensor(c, "indices"));
  ImportShape is = import_shape(c, index);
  const TccExpr *count = import_product(c, is.dims, is.rank);
  MlirValue operands[] = {torch_filled(c, torch_constant(c, TCC_ELEM_BOOL, 0), 1, &rows),
                          tcc_build_reshape(&c->b, index, 1, &count),
                          torch_filled(c, torch_constant(c, TCC_ELEM_BOOL, 1), 1, &count)};
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, 0)}};
  size_t nattrs = 1;
  if (!operands[1].ptr || !import_valid(c, TCC_VALID_UNSIGNED, operands[0], operands[1], 0, 1, attrs, &nattrs))
    return (MlirValue){NULL};
  return import_unsqueeze(c, import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, nattrs), 1);
}

/* As renorm: rows of an embedding's table that are about to be read. */
bool torch_op_embedding_renorm(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue x = elem ? torch_tensor_as(c, "self", wide) : (MlirValue){NULL};
  ImportShape shape = import_shape(c, x);
  Axes axes = {.axes = {1}, .count = 1, .keepdims = true};
  double p = torch_float(c, "norm_type"), most = torch_float(c, "max_norm");
  if (!x.ptr || c->reason) return false;
  if (shape.rank != 2) return import_invalid(c, "a table of rank %d", shape.rank);
  MlirValue norm = norm_of(c, tcc_build1(&c->b, TCC_OP_ABS, x), p, &axes);
  MlirValue large = torch_both(c, named_rows(c, shape.dims[0]), torch_is(c, "gt", norm, most));
  MlirValue scale = torch_div(c, torch_constant(c, wide, most), torch_plus(c, norm, 1e-7));
  return torch_output(c, 0, torch_convert(c, torch_if(c, large, torch_mul(c, x, scale), x), elem));
}

/* Slices of self along `dim` whose norm is above maxnorm are scaled down to it; 1e-7 more, as torch has it. */
bool torch_op_renorm(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue x = elem ? torch_tensor_as(c, "self", wide) : (MlirValue){NULL};
  int rank = import_shape(c, x).rank;
  Axes axes = {.keepdims = true};
  int64_t axis;
  if (!x.ptr || !torch_axis(c, "dim", rank, &axis)) return false;
  double p = torch_float(c, "p"), most = torch_float(c, "maxnorm");
  if (c->reason) return false;
  if (p <= 0 || most < 0) return import_invalid(c, "p %g, maxnorm %g", p, most);
  axes.count = torch_other_axes(rank, axis, axes.axes);
  MlirValue norm = norm_of(c, tcc_build1(&c->b, TCC_OP_ABS, x), p, &axes);
  MlirValue scale = torch_div(c, torch_constant(c, wide, most), torch_plus(c, norm, 1e-7));
  MlirValue y = torch_if(c, torch_is(c, "gt", norm, most), torch_mul(c, x, scale), x);
  return torch_output(c, 0, torch_convert(c, y, elem));
}

/* `ord` or `p`. */
bool torch_op_vector_norm(ImportCall *c) {
  const char *order = torch_has_parameter(c, "ord") ? "ord" : "p";
  MlirValue x = torch_tensor(c, "self"), y;
  Axes axes;
  if (!x.ptr || !read_axes(c, import_shape(c, x).rank, has_dim(c), &axes)) return false;
  TccElem elem = torch_has_parameter(c, "dtype") ? torch_elem(c, "dtype", tcc_value_elem(x)) : tcc_value_elem(x);
  double p = torch_given(c, order) ? torch_float(c, order) : 2;
  if (!elem) return false;
  if (is_integer(elem)) return import_invalid(c, "a norm of %s", tcc_elem_name(elem));
  x = tcc_build1(&c->b, TCC_OP_ABS, torch_convert(c, x, torch_wide(elem)));
  y = norm_of(c, x, p, &axes);
  return torch_output(c, 0, torch_convert(c, y, elem));
}

/* ---- along an axis ---- */
/* kind: SUM_PLAIN or SUM_PROD */
bool torch_op_cumulative(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  int rank = import_shape(c, x).rank;
  TccElem elem;
  int64_t axis;
  if (!x.ptr || !torch_axis(c, "dim", rank, &axis)) return false;
  x = widened(c, x, &elem);
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str(c->kind == SUM_PLAIN ? "sum" : "prod"))},
                          {"axis", tcc_attr_i64(c->ir, axis)}};
  MlirValue y = rank && x.ptr ? import_op(c, TCC_OP_CUMULATIVE, &x, 1, attrs, 2) : x;
  return torch_output(c, 0, torch_convert(c, y, elem));
}

/* cummax, cummin: the extreme so far, and where it was last met. kind: TCC_OP_MAX or MIN. */
bool torch_op_cumulative_extreme(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  const bool flag = shape.elem == TCC_ELEM_BOOL;
  int64_t axis;
  if (!x.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  if (!shape.rank) return torch_output(c, 0, x) && torch_output(c, 1, torch_constant(c, TCC_ELEM_I64, 0));
  if (flag) x = torch_convert(c, x, TCC_ELEM_U8);
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str(c->kind == TCC_OP_MAX ? "max" : "min"))},
                          {"axis", tcc_attr_i64(c->ir, axis)}};
  MlirValue y = import_op(c, TCC_OP_CUMULATIVE, &x, 1, attrs, 2), met = tcc_build_compare(&c->b, "eq", x, y);
  if (tcc_elem_is_float(shape.elem)) met = tcc_build2(&c->b, TCC_OP_OR, met, tcc_build1(&c->b, TCC_OP_IS_NAN, x));
  MlirValue at = torch_if_number(c, met, tcc_build_iota(&c->b, TCC_ELEM_I64, axis, shape.rank, shape.dims), 0);
  attrs[0].value = tcc_attr_str(c->ir, tcc_str("max"));
  return at.ptr && torch_output(c, 0, flag ? torch_convert(c, y, TCC_ELEM_BOOL) : y) &&
         torch_output(c, 1, import_op(c, TCC_OP_CUMULATIVE, &at, 1, attrs, 2));
}

/* The k extreme elements along an axis in order, and where they are. */
static bool topk(ImportCall *c, MlirValue x, const TccExpr *k, int64_t axis, bool largest, bool last, MlirValue *values,
                 MlirValue *indices) {
  bool is_bool = x.ptr && tcc_value_elem(x) == TCC_ELEM_BOOL;
  TccNamedAttr attrs[] = {{"k", tcc_attr_exprs(c->ir, &k, 1)},
                          {"axis", tcc_attr_i64(c->ir, axis)},
                          {"largest", tcc_attr_bool(c->ir, largest)},
                          {"sorted", tcc_attr_bool(c->ir, true)},
                          {"last", tcc_attr_bool(c->ir, last)}};
  if (is_bool) x = torch_convert(c, x, TCC_ELEM_U8);
  *values = x.ptr ? import_op(c, TCC_OP_TOPK, &x, 1, attrs, 5) : x;
  if (!values->ptr) return false;
  *indices = mlirOperationGetResult(tcc_value_op(*values), 1);
  if (is_bool) *values = torch_convert(c, *values, TCC_ELEM_BOOL);
  return true;
}

/* x, values and indices of the present number of axes; of all elements (all) or a tensor without axes, without any. */
static bool answer_places(ImportCall *c, MlirValue values, MlirValue indices, int64_t axis, bool keepdims, bool flat, bool all) {
  if (flat) values = tcc_build_reshape(&c->b, values, 0, NULL), indices = tcc_build_reshape(&c->b, indices, 0, NULL);
  else if (!keepdims) values = tcc_build_squeeze(&c->b, values, axis), indices = tcc_build_squeeze(&c->b, indices, axis);
  return torch_output(c, 0, values) && (all || torch_output(c, 1, indices));
}

/* The middle one of the elements that are numbers, the lower one of two; NaN where there is none. In order NaN stands last. */
bool torch_op_nanmedian(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), values, indices;
  ImportShape shape = import_shape(c, x);
  const bool all = !has_dim(c);
  int64_t axis = 0;
  if (!x.ptr || (!all && !torch_axis(c, "dim", shape.rank, &axis))) return false;
  const TccExpr *count = import_product(c, shape.dims, shape.rank);
  if (all || !shape.rank) x = tcc_build_reshape(&c->b, x, 1, &count);
  const TccExpr *size = import_shape(c, x).dims[axis];
  if (import_is_size(size, 0)) return import_unsupported(c, "an axis without elements");
  MlirValue number = tcc_build_compare(&c->b, "eq", x, x), many;
  if (!topk(c, x, size, axis, false, false, &values, &indices) || !number.ptr) return false;
  many = tcc_build_reduce(&c->b, "sum", torch_convert(c, number, TCC_ELEM_I64), &axis, 1, true);
  MlirValue at = torch_plus(c, many, -1); /* division rounds -1 / 2 to 0 */
  at = tcc_build2(&c->b, TCC_OP_DIV, at, torch_constant(c, TCC_ELEM_I64, 2));
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, axis)};
  MlirValue place[] = {values, at}, index[] = {torch_convert(c, indices, TCC_ELEM_I64), at};
  if (!at.ptr) return false;
  values = import_op(c, TCC_OP_GATHER_ELEMENTS, place, 2, &attr, 1);
  indices = import_op(c, TCC_OP_GATHER_ELEMENTS, index, 2, &attr, 1);
  return answer_places(c, values, indices, axis, !all && torch_bool(c, "keepdim"), all || !shape.rank, all);
}

/* The element that stands there most often, the least of several, and its last place. Compares each with each. */
bool torch_op_mode(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  const bool flag = shape.elem == TCC_ELEM_BOOL;
  int64_t axis;
  if (!x.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  if (!shape.rank) return torch_output(c, 0, x) && torch_output(c, 1, torch_constant(c, TCC_ELEM_I64, 0));
  if (shape.rank == TCC_MAX_RANK) return import_unsupported(c, "rank %d", shape.rank);
  if (import_is_size(shape.dims[axis], 0)) return import_unsupported(c, "an axis without elements");
  MlirValue number = flag ? torch_convert(c, x, TCC_ELEM_U8) : x;
  MlirValue same = tcc_build_compare(&c->b, "eq", import_unsqueeze(c, number, axis + 1), import_unsqueeze(c, number, axis));
  int64_t other = axis + 1;
  MlirValue often = tcc_build_reduce(&c->b, "sum", torch_convert(c, same, TCC_ELEM_I64), &other, 1, false);
  MlirValue best = tcc_build_compare(&c->b, "eq", often, tcc_build_reduce(&c->b, "max", often, &axis, 1, true));
  MlirValue most = tcc_build_reduce(&c->b, "max", number, &axis, 1, true); /* stands in the other places */
  MlirValue values = tcc_build_reduce(&c->b, "min", torch_if(c, best, number, most), &axis, 1, true);
  MlirValue found = tcc_build_compare(&c->b, "eq", number, values),
            place = tcc_build_iota(&c->b, TCC_ELEM_I64, axis, shape.rank, shape.dims);
  MlirValue indices = tcc_build_reduce(&c->b, "max", torch_if_number(c, found, place, 0), &axis, 1, true);
  if (flag) values = torch_convert(c, values, TCC_ELEM_BOOL);
  return answer_places(c, values, indices, axis, torch_bool(c, "keepdim"), false, false);
}

/* log(e^x + e^far). */
static MlirValue log_add(ImportCall *c, MlirValue x, MlirValue far) {
  MlirValue most = tcc_build2(&c->b, TCC_OP_MAX, x, far);
  MlirValue less = torch_neg(c, tcc_build1(&c->b, TCC_OP_ABS, torch_sub(c, x, far)));
  MlirValue sum = torch_add(c, most, tcc_build1(&c->b, TCC_OP_LOG1P, tcc_build1(&c->b, TCC_OP_EXP, less)));
  MlirValue endless = torch_is(c, "eq", tcc_build1(&c->b, TCC_OP_ABS, most), INFINITY);
  return torch_if(c, endless, most, sum);
}

/* A step of logcumsumexp that the run counts: values[0] x, values[1] how far back (i64). user: the axis. */
static MlirValue log_add_back(ImportCall *c, MlirValue *values, const void *user) {
  const int64_t axis = *(const int64_t *)user;
  const ImportShape shape = import_shape(c, values[0]);
  const TccExpr *length = shape.dims[axis], *along[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) along[i] = i == axis ? length : import_size(c, 1);
  MlirValue from = torch_sub(c, import_iota(c, TCC_ELEM_I64, length), values[1]);
  MlirValue before = tcc_build_reshape(&c->b, torch_is(c, "lt", from, 0), shape.rank, along);
  MlirValue read =
      tcc_build_gather(&c->b, values[0], tcc_build2(&c->b, TCC_OP_MAX, from, torch_constant(c, TCC_ELEM_I64, 0)), axis);
  values[0] = log_add(c, values[0], torch_if(c, before, torch_constant(c, shape.elem, -INFINITY), read));
  values[1] = torch_times(c, values[1], 2);
  return tcc_build_compare(&c->b, "lt", values[1], tcc_build_size(&c->b, length));
}

/* log of the sum of e^x so far: each step adds what lies twice as far back, so that no sum leaves the range of its elements. */
bool torch_op_logcumsumexp(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue x = elem ? torch_tensor_as(c, "self", wide) : (MlirValue){NULL};
  ImportShape shape = import_shape(c, x);
  int64_t axis, length;
  if (!x.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  if (!shape.rank) return torch_output(c, 0, torch_convert(c, x, elem));
  if (!torch_is_fixed(c, shape.dims[axis])) {
    MlirValue values[] = {x, torch_constant(c, TCC_ELEM_I64, 1)};
    MlirValue go = tcc_build_compare(&c->b, "gt", tcc_build_size(&c->b, shape.dims[axis]), values[1]);
    return torch_iterate(c, go, values, 2, log_add_back, &axis) && torch_output(c, 0, torch_convert(c, values[0], elem));
  }
  if (!torch_fixed(c, shape.dims[axis], &length)) return false;
  for (int64_t back = 1; back < length; back *= 2) {
    ImportShape front = shape;
    front.dims[axis] = import_size(c, back);
    MlirValue parts[] = {torch_filled(c, torch_constant(c, wide, -INFINITY), front.rank, front.dims),
                         tcc_build_slice_axis(&c->b, x, axis, import_size(c, 0), 1, import_size(c, length - back))};
    x = log_add(c, x, tcc_build_concat(&c->b, parts, 2, axis));
  }
  return torch_output(c, 0, torch_convert(c, x, elem));
}

bool torch_op_sort(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), values, indices;
  ImportShape shape = import_shape(c, x);
  int64_t axis = 0;
  bool all = c->kind == SORT_MEDIAN && !has_dim(c), largest = false, keepdims = false;
  if (!x.ptr || (!all && c->kind != SORT_FIRST && !torch_axis(c, "dim", shape.rank, &axis))) return false;
  const TccExpr *count = import_product(c, shape.dims, shape.rank), *k;
  if (all || shape.rank == 0) x = tcc_build_reshape(&c->b, x, 1, &count);
  const TccExpr *size = import_shape(c, x).dims[axis];
  if (c->kind == SORT_FIRST) k = size;
  else if (c->kind == SORT_ALL || c->kind == SORT_INDICES) k = size, largest = torch_bool(c, "descending");
  else if (c->kind == SORT_MEDIAN)
    k = tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, import_size_add(c, size, import_size(c, 1)), import_size(c, 2));
  else k = torch_size(c, "k");
  if (c->kind == SORT_TOPK) largest = torch_bool(c, "largest");
  if (c->kind >= SORT_KTHVALUE && !all) keepdims = torch_bool(c, "keepdim");
  if (!k || !topk(c, x, k, axis, largest, c->kind >= SORT_KTHVALUE, &values, &indices)) return false;
  if (c->kind >= SORT_KTHVALUE) { /* the last of them */
    MlirValue *both[] = {&values, &indices};
    for (int i = 0; i < 2; i++)
      if (!keepdims && shape.rank) *both[i] = tcc_build_squeeze(&c->b, *both[i], axis);
    if (tcc_elem_is_float(shape.elem) && c->kind == SORT_MEDIAN) { /* NaN where there is one, and where it is */
      MlirValue nan = tcc_build1(&c->b, TCC_OP_IS_NAN, x);
      MlirValue any = tcc_build_reduce(&c->b, "or", nan, &axis, 1, keepdims && shape.rank);
      values = torch_if(c, any, torch_constant(c, shape.elem, NAN), values);
      indices = torch_if(c, any, arg_reduce(c, nan, true, axis, keepdims && shape.rank), indices);
    }
  }
  if (shape.rank == 0 || all) {
    values = tcc_build_reshape(&c->b, values, 0, NULL), indices = tcc_build_reshape(&c->b, indices, 0, NULL);
  }
  if (c->kind == SORT_INDICES) return torch_output(c, 0, indices);
  if (c->kind == SORT_FIRST) return torch_output(c, 0, values);
  return torch_output(c, 0, values) && (all || torch_output(c, 1, indices));
}

/* As torch has it, from the nearer end: what is between infinite ones is NaN. */
static MlirValue between(ImportCall *c, MlirValue a, MlirValue b, MlirValue weight) {
  MlirValue all = torch_sub(c, b, a), up = torch_add(c, a, torch_mul(c, weight, all));
  return torch_if(c, torch_is(c, "lt", weight, 0.5), up, torch_sub(c, b, torch_mul(c, all, torch_from(c, 1, weight))));
}

static bool between_two(TccStr how) { return tcc_str_is(how, "linear") || tcc_str_is(how, "midpoint"); }

/* The element at q (n - 1) of n in order along an axis, between two as `interpolation` says; NaN where there is one. Axes of q come first. */
bool torch_op_quantile(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  MlirValue x = torch_tensor_as(c, "self", elem), q = torch_operand(c, "q", elem), sorted, places;
  ImportShape s = import_shape(c, x), to = torch_declared(c, 0);
  const bool all = !torch_given(c, "dim");
  const TccExpr *count = import_product(c, s.dims, s.rank);
  TccStr how = torch_string(c, "interpolation");
  int64_t axis = 0;
  if (!elem || !x.ptr || !q.ptr || !to.elem || c->reason || (!all && !torch_axis(c, "dim", s.rank, &axis))) return false;
  if (all || !s.rank) x = tcc_build_reshape(&c->b, x, 1, &count);
  const TccExpr *n = import_shape(c, x).dims[axis];
  if (!topk(c, x, n, axis, false, false, &sorted, &places)) return false;
  MlirValue last = torch_convert(c, tcc_build_size(&c->b, import_size_sub(c, n, import_size(c, 1))), elem);
  MlirValue rank = torch_mul(c, q, last), below = tcc_build1(&c->b, TCC_OP_FLOOR, rank),
            above = tcc_build1(&c->b, TCC_OP_CEIL, rank);
  MlirValue weight = torch_sub(c, rank, below);
  if (tcc_str_is(how, "nearest")) below = above = tcc_build1(&c->b, TCC_OP_ROUND, rank);
  else if (tcc_str_is(how, "lower")) above = below;
  else if (tcc_str_is(how, "higher")) below = above;
  else if (tcc_str_is(how, "midpoint")) weight = torch_constant(c, elem, 0.5);
  const int own = import_shape(c, q).rank;
  MlirValue ends[] = {below, above};
  for (int i = 0; i < 2; i++) {
    ends[i] = tcc_build_gather(&c->b, sorted, torch_convert(c, ends[i], TCC_ELEM_I64), axis);
    if (own) ends[i] = torch_move_axis(c, ends[i], axis, 0);
  }
  if (own && weight.ptr && import_shape(c, weight).rank) { /* [Q] beside [Q, ...] */
    ImportShape made = import_shape(c, ends[0]);
    const TccExpr *line[TCC_MAX_RANK];
    for (int i = 0; i < made.rank; i++) line[i] = i ? import_size(c, 1) : made.dims[0];
    weight = tcc_build_reshape(&c->b, weight, made.rank, line);
  }
  MlirValue y = between_two(how) ? between(c, ends[0], ends[1], weight) : ends[0];
  MlirValue none = tcc_build_reduce(&c->b, "or", tcc_build1(&c->b, TCC_OP_IS_NAN, x), &axis, 1, false);
  return torch_output(c, 0, tcc_build_reshape(&c->b, torch_if(c, none, torch_constant(c, elem, NAN), y), to.rank, to.dims));
}

/* The same of what is not NaN, of which each row has a number of its own; NaN where there is none. */
bool torch_op_nanquantile(ImportCall *c) {
  const TccElem elem = torch_result(c, 0);
  MlirValue x = torch_tensor_as(c, "self", elem), q = torch_operand(c, "q", elem), sorted, places;
  ImportShape s = import_shape(c, x), to = torch_declared(c, 0);
  const bool all = !torch_given(c, "dim");
  const TccExpr *count = import_product(c, s.dims, s.rank);
  const TccStr how = torch_string(c, "interpolation");
  int64_t axis = 0;
  if (!elem || !x.ptr || !q.ptr || !to.elem || c->reason || (!all && !torch_axis(c, "dim", s.rank, &axis))) return false;
  if (all || !s.rank) x = tcc_build_reshape(&c->b, x, 1, &count), axis = 0;
  const bool several = import_shape(c, q).rank > 0;
  x = torch_move_axis(c, x, axis, import_shape(c, x).rank - 1);
  s = import_shape(c, x), axis = s.rank - 1;
  MlirValue nan = tcc_build1(&c->b, TCC_OP_IS_NAN, x), there = torch_convert(c, tcc_build1(&c->b, TCC_OP_NOT, nan), TCC_ELEM_I64);
  MlirValue last = torch_plus(c, torch_convert(c, torch_sum(c, there, &axis, 1, true), elem), -1);
  if (!topk(c, torch_if_number(c, tcc_build1(&c->b, TCC_OP_NOT, nan), x, INFINITY), s.dims[axis], axis, false, false, &sorted,
            &places))
    return false;
  MlirValue rank = torch_mul(c, q, last); /* [..., Q] */
  MlirValue none = torch_is(c, "lt", last, 0), below, above, weight;
  rank = tcc_build2_number(&c->b, TCC_OP_MAX, rank, 0);
  below = tcc_build1(&c->b, TCC_OP_FLOOR, rank), above = tcc_build1(&c->b, TCC_OP_CEIL, rank);
  weight = torch_sub(c, rank, below);
  if (tcc_str_is(how, "nearest")) below = above = tcc_build1(&c->b, TCC_OP_ROUND, rank);
  else if (tcc_str_is(how, "lower")) above = below;
  else if (tcc_str_is(how, "higher")) below = above;
  else if (tcc_str_is(how, "midpoint")) weight = torch_constant(c, elem, 0.5);
  MlirValue ends[] = {below, above};
  TccNamedAttr along = {"axis", tcc_attr_i64(c->ir, axis)};
  for (int i = 0; i < 2; i++) {
    MlirValue operands[] = {sorted, torch_convert(c, ends[i], TCC_ELEM_I64)};
    ends[i] = operands[1].ptr ? import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &along, 1) : operands[1];
  }
  MlirValue y = between_two(how) ? between(c, ends[0], ends[1], weight) : ends[0];
  y = torch_if(c, none, torch_constant(c, elem, NAN), y);
  if (several) y = torch_move_axis(c, y, axis, 0);
  return torch_output(c, 0, tcc_build_reshape(&c->b, y, to.rank, to.dims));
}

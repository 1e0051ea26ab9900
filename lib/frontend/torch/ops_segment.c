/* ops_segment.c - reductions of segments of an axis, whose lengths or offsets are data, and their gradients; rows of compressed matrices.
 *
 * Each element is compared with each segment of its axis, so that a reduction is one over the elements that lie in it. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

typedef enum { SEGMENT_SUM, SEGMENT_MEAN, SEGMENT_MAX, SEGMENT_MIN, SEGMENT_PROD } Reduction;

/* Values below are [batch ..., segments, elements, rest ...]. */
typedef struct {
  Reduction reduction;
  int64_t axis;     /* of segments; elements are the next one */
  MlirValue data;   /* with an axis of size 1 for segments */
  MlirValue inside; /* bool: the element lies in the segment; size 1 along the rest */
  MlirValue length; /* of the segment, in the data's type; size 1 along elements and the rest */
  bool has_initial;
  double initial; /* where the reduction begins */
} Segments;

static bool read_reduction(ImportCall *c, Segments *s) {
  static const struct {
    const char *name;
    double initial;
  } known[] = {[SEGMENT_SUM] = {"sum", 0},
               [SEGMENT_MEAN] = {"mean", 0},
               [SEGMENT_MAX] = {"max", -INFINITY},
               [SEGMENT_MIN] = {"min", INFINITY},
               [SEGMENT_PROD] = {"prod", 1}};
  TccStr word = torch_string(c, "reduce");
  for (int i = SEGMENT_SUM; i <= SEGMENT_PROD; i++)
    if (tcc_str_is(word, known[i].name)) {
      s->reduction = (Reduction)i;
      s->has_initial = torch_given(c, "initial");
      s->initial = s->has_initial ? torch_float(c, "initial") : known[i].initial;
      return !c->reason;
    }
  return import_invalid(c, "reduce is '%.*s'", TCC_STR_ARG(word));
}

/* v [batch ..., n] with axes of size 1 behind, up to that rank. */
static MlirValue padded(ImportCall *c, MlirValue v, int rank) {
  ImportShape shape = import_shape(c, v);
  while (shape.rank < rank) shape.dims[shape.rank++] = import_size(c, 1);
  return tcc_build_reshape(&c->b, v, shape.rank, shape.dims);
}

static bool read_segments(ImportCall *c, MlirValue data, Segments *s) {
  ImportShape shape = import_shape(c, data);
  *s = (Segments){.axis = torch_int(c, "axis")};
  if (!data.ptr || c->reason || !read_reduction(c, s)) return false;
  if (torch_has_parameter(c, "indices") && torch_given(c, "indices")) return import_unsupported(c, "segments by indices");
  if (s->axis < 0 || s->axis >= shape.rank) return import_invalid(c, "axis %lld", (long long)s->axis);
  if (shape.rank == TCC_MAX_RANK) return import_unsupported(c, "rank %d", shape.rank);
  const bool by_offsets = torch_given(c, "offsets");
  MlirValue given = torch_tensor_as(c, by_offsets ? "offsets" : "lengths", TCC_ELEM_I64), begin = given, end;
  ImportShape gs = import_shape(c, given);
  if (!given.ptr) return false;
  if (gs.rank != s->axis + 1) return import_invalid(c, "lengths or offsets of rank %d", gs.rank);
  const TccExpr *one = import_size(c, 1), *zero = import_size(c, 0);
  if (by_offsets) {
    const TccExpr *count = import_size_sub(c, gs.dims[s->axis], one);
    begin = tcc_build_slice_axis(&c->b, given, s->axis, zero, 1, count);
    end = tcc_build_slice_axis(&c->b, given, s->axis, one, 1, count);
  } else {
    TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("sum"))}, {"axis", tcc_attr_i64(c->ir, s->axis)}};
    end = import_op(c, TCC_OP_CUMULATIVE, &given, 1, attrs, 2);
    begin = torch_sub(c, end, given);
  }
  const int rank = shape.rank + 1;
  s->data = import_unsqueeze(c, data, s->axis);
  const TccExpr *line[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) line[i] = i == s->axis + 1 ? shape.dims[s->axis] : one;
  MlirValue place = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, shape.dims[s->axis]), rank, line);
  begin = padded(c, begin, rank), end = padded(c, end, rank);
  s->inside = torch_both(c, tcc_build_compare(&c->b, "ge", place, begin), tcc_build_compare(&c->b, "lt", place, end));
  s->length = torch_convert(c, torch_sub(c, end, begin), shape.elem);
  return s->inside.ptr && s->length.ptr;
}

/* Along the elements; what lies in other segments counts as `neutral`. */
static MlirValue over(ImportCall *c, const Segments *s, const char *kind, MlirValue x, double neutral) {
  const int64_t axis = s->axis + 1;
  return tcc_build_reduce(&c->b, kind, torch_if_number(c, s->inside, x, neutral), &axis, 1, true);
}

/* A mean of nothing is NaN, or where it began. */
bool torch_op_segment_reduce(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue y, begin;
  Segments s;
  if (!elem || !read_segments(c, torch_tensor_as(c, "data", wide), &s)) return false;
  begin = torch_constant(c, wide, s.initial);
  switch (s.reduction) {
  case SEGMENT_MAX: y = tcc_build2(&c->b, TCC_OP_MAX, over(c, &s, "max", s.data, -INFINITY), begin); break;
  case SEGMENT_MIN: y = tcc_build2(&c->b, TCC_OP_MIN, over(c, &s, "min", s.data, INFINITY), begin); break;
  case SEGMENT_PROD: y = torch_mul(c, over(c, &s, "prod", s.data, 1), begin); break;
  default:
    y = torch_add(c, over(c, &s, "sum", s.data, 0), begin);
    if (s.reduction == SEGMENT_SUM) break;
    MlirValue nothing = torch_is(c, "eq", s.length, 0);
    y = torch_if(c, nothing, torch_constant(c, wide, s.has_initial ? s.initial : NAN), torch_div(c, y, s.length));
  }
  return torch_output(c, 0, torch_convert(c, tcc_build_squeeze(&c->b, y, s.axis + 1), elem));
}

/* Of a product in each factor: output / factor, and where that is 0 or NaN the product of the others. */
static MlirValue factor_gradient(ImportCall *c, const Segments *s, MlirValue output) {
  MlirValue odd = torch_either(c, torch_is(c, "eq", s->data, 0), tcc_build1(&c->b, TCC_OP_IS_NAN, s->data));
  TccElem elem = tcc_value_elem(s->data);
  MlirValue one = torch_constant(c, elem, 1), count = over(c, s, "sum", torch_convert(c, odd, elem), 0);
  MlirValue others = torch_times(c, over(c, s, "prod", torch_if(c, odd, one, s->data), 1), s->initial);
  MlirValue all_odd = over(c, s, "sum", torch_if_number(c, odd, s->data, 0), 0); /* NaN beside a zero */
  MlirValue exclusive = torch_if(c, torch_is(c, "eq", count, 1), others, torch_times(c, all_odd, 0));
  return torch_if(c, odd, exclusive, torch_div(c, output, s->data));
}

/* Of an extreme's several elements each gets its part, as torch where the gradient is positive. */
bool torch_op_segment_reduce_backward(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue y, output = torch_tensor_as(c, "output", wide), grad = torch_tensor_as(c, "grad", wide);
  Segments s;
  if (!elem || !output.ptr || !grad.ptr || !read_segments(c, torch_tensor_as(c, "data", wide), &s)) return false;
  output = import_unsqueeze(c, output, s.axis + 1), grad = import_unsqueeze(c, grad, s.axis + 1);
  if (s.reduction == SEGMENT_SUM) y = grad;
  else if (s.reduction == SEGMENT_MEAN) y = torch_div(c, grad, s.length);
  else if (s.reduction == SEGMENT_PROD) y = torch_mul(c, grad, factor_gradient(c, &s, output));
  else {
    MlirValue met = torch_either(c, tcc_build_compare(&c->b, "eq", s.data, output), tcc_build1(&c->b, TCC_OP_IS_NAN, s.data));
    MlirValue count = over(c, &s, "sum", torch_convert(c, met, wide), 0);
    y = torch_if(c, torch_is(c, "gt", grad, 0), torch_div(c, grad, count), grad);
    y = torch_if_number(c, met, y, 0);
  }
  const int64_t axis = s.axis;
  y = torch_if_number(c, s.inside, y, 0); /* of the segment that each element lies in */
  return torch_output(c, 0, torch_convert(c, torch_sum(c, y, &axis, 1, false), elem));
}

/* ---- rows of compressed matrices ---- */
/* Rows of elements in ascending order as where each row begins, and behind the last one the end: [size + 1]. */
bool torch_op_coo_to_csr(ImportCall *c) {
  MlirValue rows = torch_tensor_as(c, "self", TCC_ELEM_I64);
  const TccExpr *size = torch_size(c, "size"), *one = import_size(c, 1);
  if (!rows.ptr || !size) return false;
  if (import_shape(c, rows).rank != 1) return import_unsupported(c, "rows of rank %d", import_shape(c, rows).rank);
  return torch_answer(c, torch_count_up_to(c, torch_plus(c, rows, 1), import_size_add(c, size, one)));
}

/* The row and column of each element: [2, elements]. A row is how many begin, but the first one, up to there. */
bool torch_op_csr_to_coo(ImportCall *c) {
  MlirValue begins = torch_tensor_as(c, "crow_indices", TCC_ELEM_I64), columns = torch_tensor_as(c, "col_indices", TCC_ELEM_I64);
  ImportShape bs = import_shape(c, begins), cs = import_shape(c, columns);
  const TccExpr *one = import_size(c, 1), *zero = import_size(c, 0);
  if (!begins.ptr || !columns.ptr) return false;
  if (bs.rank != 1 || cs.rank != 1) return import_unsupported(c, "matrices in batches");
  MlirValue inner = tcc_build_slice_axis(&c->b, begins, 0, one, 1, import_size_sub(c, bs.dims[0], import_size(c, 2)));
  MlirValue rows = torch_count_up_to(c, inner, import_size_add(c, cs.dims[0], one)); /* empty rows at the end begin behind all */
  rows = tcc_build_slice_axis(&c->b, rows, 0, zero, 1, cs.dims[0]);
  const bool turned = torch_bool(c, "transpose");
  MlirValue both[] = {import_unsqueeze(c, turned ? columns : rows, 0), import_unsqueeze(c, turned ? rows : columns, 0)};
  return both[0].ptr && both[1].ptr && torch_answer(c, tcc_build_concat(&c->b, both, 2, 0));
}

/* ops_search.c - overloads that look elements up among others: sorted sequences, sets. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

/* ---- places in sorted sequences ---- */

/* The sequence's elements at these places of its last axis, of each row, or of the one that all values share. */
static MlirValue elements_at(ImportCall *c, MlirValue sequence, MlirValue places) {
  const int rank = import_shape(c, sequence).rank;
  if (rank <= 1) return tcc_build_gather(&c->b, sequence, places, 0);
  MlirValue operands[] = {sequence, places};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, rank - 1)};
  return places.ptr ? import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1) : places;
}

/* Binary search in a sequence of n elements: the number that is found gets its bits from the highest down. */
static MlirValue search(ImportCall *c, MlirValue sequence, int64_t n, MlirValue values, bool right) {
  const ImportShape v = import_shape(c, values);
  MlirValue count = torch_filled(c, torch_constant(c, TCC_ELEM_I64, 0), v.rank, v.dims),
            all = torch_constant(c, TCC_ELEM_I64, (double)n);
  int64_t step = 1;
  while (step <= n / 2) step *= 2;
  for (; step > 0; step /= 2) {
    MlirValue more = torch_plus(c, count, (double)step), at = torch_plus(c, tcc_build2(&c->b, TCC_OP_MIN, more, all), -1);
    MlirValue behind = tcc_build_compare(&c->b, right ? "gt" : "ge", elements_at(c, sequence, at), values);
    MlirValue none = torch_either(c, behind, tcc_build_compare(&c->b, "gt", more, all));
    count = torch_if(c, none, count, more);
  }
  return count;
}

MlirValue torch_count_before(ImportCall *c, MlirValue sequence, MlirValue values, bool right) {
  enum { FEW = 32 /* are compared with each value, in vectors: a step of a search is a gather and two compares */ };
  ImportShape s = import_shape(c, sequence), v = import_shape(c, values);
  int64_t n;
  if (!sequence.ptr || !values.ptr) return sequence;
  if (s.rank && tcc_expr_is_const(s.dims[s.rank - 1], &n) && n > FEW) return search(c, sequence, n, values, right);
  MlirValue row = s.rank > 1 ? import_unsqueeze(c, sequence, s.rank - 1) : sequence, column = import_unsqueeze(c, values, v.rank);
  MlirValue behind = tcc_build_compare(&c->b, right ? "gt" : "ge", row, column);
  int64_t axis = v.rank;
  return torch_sum(c, torch_convert(c, tcc_build1(&c->b, TCC_OP_NOT, behind), TCC_ELEM_I64), &axis, 1, false);
}

MlirValue torch_count_up_to(ImportCall *c, MlirValue at, const TccExpr *n) {
  MlirValue one = torch_constant(c, TCC_ELEM_I64, 1);
  MlirValue operands[] = {torch_filled(c, torch_constant(c, TCC_ELEM_I64, 0), 1, &n), at,
                          torch_filled(c, one, 1, import_shape(c, at).dims)};
  TccNamedAttr attrs[4] = {{"axis", tcc_attr_i64(c->ir, 0)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}};
  TccNamedAttr sums[] = {{"kind", tcc_attr_str(c->ir, tcc_str("sum"))}, {"axis", tcc_attr_i64(c->ir, 0)}};
  size_t nattrs = 2;
  if (!operands[0].ptr || !operands[1].ptr || !operands[2].ptr) return (MlirValue){NULL};
  if (!import_valid(c, TCC_VALID_UNSIGNED, operands[0], at, 0, 1, attrs, &nattrs)) return (MlirValue){NULL};
  MlirValue counts = import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, nattrs);
  return counts.ptr ? import_op(c, TCC_OP_CUMULATIVE, &counts, 1, sums, 2) : counts;
}

/* searchsorted, bucketize. */
bool torch_op_search(ImportCall *c) {
  bool buckets = c->kind == SEARCH_BUCKETS, right = torch_bool(c, "right");
  const char *in = buckets ? "boundaries" : "sorted_sequence";
  TccElem result = torch_result(c, 0), elem = torch_promote(c, "self", in);
  MlirValue sequence = torch_tensor_as(c, in, elem), values = torch_operand(c, "self", elem);
  if (!result || !sequence.ptr || !values.ptr) return false;
  ImportShape s = import_shape(c, sequence), v = import_shape(c, values);
  if (!buckets && torch_given(c, "side")) right = tcc_str_is(torch_string(c, "side"), "right");
  if (v.rank == TCC_MAX_RANK || (s.rank > 1 && s.rank != v.rank)) return import_unsupported(c, "ranks %d and %d", s.rank, v.rank);
  if (!buckets && torch_given(c, "sorter")) {
    MlirValue operands[] = {sequence, import_index(c, torch_tensor(c, "sorter"))};
    TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, s.rank - 1)};
    if (!operands[1].ptr) return false;
    sequence = import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &attr, 1);
  }
  return torch_output(c, 0, torch_convert(c, torch_count_before(c, sequence, values, right), result));
}

/* Whether an element is one of test_elements. */
bool torch_op_isin(ImportCall *c) {
  TccElem elem = torch_promote(c, torch_argument(c, "elements") ? "elements" : "element",
                               torch_argument(c, "test_elements") ? "test_elements" : "test_element");
  MlirValue x = torch_operand(c, torch_argument(c, "elements") ? "elements" : "element", elem),
            set = torch_operand(c, torch_argument(c, "test_elements") ? "test_elements" : "test_element", elem);
  ImportShape xs = import_shape(c, x), ss = import_shape(c, set);
  if (!x.ptr || !set.ptr) return false;
  if (xs.rank == TCC_MAX_RANK) return import_unsupported(c, "rank %d", xs.rank);
  const TccExpr *all = import_product(c, ss.dims, ss.rank);
  int64_t axis = xs.rank;
  MlirValue same = tcc_build_compare(&c->b, "eq", import_unsqueeze(c, x, axis), tcc_build_reshape(&c->b, set, 1, &all));
  MlirValue found = tcc_build_reduce(&c->b, "or", same, &axis, 1, false);
  return torch_output(c, 0, torch_bool(c, "invert") ? tcc_build1(&c->b, TCC_OP_NOT, found) : found);
}

/* The coordinates of the first `size` elements that are not 0, fill_value behind them. Elements are numbered as they are found; those that
 * are 0 or come too late go to a row that is cut off. */
bool torch_op_nonzero_static(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), fill = torch_scalar(c, "fill_value", TCC_ELEM_I64);
  const TccExpr *size = torch_size(c, "size");
  ImportShape shape = import_shape(c, x);
  if (!x.ptr || !size || !fill.ptr) return false;
  const TccExpr *all = import_product(c, shape.dims, shape.rank), *rows = import_size_add(c, size, import_size(c, 1));
  if (!shape.rank || import_is_size(all, 0)) {
    const TccExpr *dims[] = {size, import_size(c, shape.rank)};
    return torch_output(c, 0, torch_filled(c, fill, 2, dims));
  }
  MlirValue found = torch_convert(c, tcc_build_reshape(&c->b, x, 1, &all), TCC_ELEM_BOOL),
            steps = torch_convert(c, found, TCC_ELEM_I64);
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("sum"))}, {"axis", tcc_attr_i64(c->ir, 0)}};
  if (!steps.ptr) return false;
  MlirValue number = torch_plus(c, import_op(c, TCC_OP_CUMULATIVE, &steps, 1, attrs, 2), -1), last = tcc_build_size(&c->b, size);
  MlirValue row = tcc_build2(&c->b, TCC_OP_MIN, torch_if(c, found, number, last), last), place = import_iota(c, TCC_ELEM_I64, all);
  MlirValue columns[TCC_MAX_RANK];
  for (int i = shape.rank; i-- > 0;) { /* the last axis first */
    MlirValue length = tcc_build_size(&c->b, shape.dims[i]);
    MlirValue operands[] = {torch_filled(c, fill, 1, &rows), row, tcc_build2(&c->b, TCC_OP_MOD, place, length)};
    TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 0)};
    if (!operands[0].ptr || !row.ptr || !operands[2].ptr) return false;
    MlirValue y = import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, &axis, 1);
    columns[i] = import_unsqueeze(c, tcc_build_slice_axis(&c->b, y, 0, import_size(c, 0), 1, size), 1);
    place = tcc_build2(&c->b, TCC_OP_DIV, place, length);
  }
  return torch_output(c, 0, shape.rank == 1 ? columns[0] : tcc_build_concat(&c->b, columns, (size_t)shape.rank, 1));
}

/* ---- sets ---- */
static MlirValue flat(ImportCall *c, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *all = import_product(c, shape.dims, shape.rank);
  return tcc_build_reshape(&c->b, x, 1, &all);
}

/* [n] in ascending order, NaN last, and where each was. */
static bool sorted(ImportCall *c, MlirValue x, MlirValue *values, MlirValue *order) {
  const TccExpr *size = import_shape(c, x).dims[0];
  const bool flag = tcc_value_elem(x) == TCC_ELEM_BOOL;
  TccNamedAttr attrs[] = {{"k", tcc_attr_exprs(c->ir, &size, 1)},
                          {"axis", tcc_attr_i64(c->ir, 0)},
                          {"largest", tcc_attr_bool(c->ir, false)},
                          {"sorted", tcc_attr_bool(c->ir, true)}};
  if (flag) x = torch_convert(c, x, TCC_ELEM_U8);
  *values = import_op(c, TCC_OP_TOPK, &x, 1, attrs, 4);
  if (!values->ptr) return false;
  *order = torch_convert(c, mlirOperationGetResult(tcc_value_op(*values), 1), TCC_ELEM_I64);
  if (flag) *values = torch_convert(c, *values, TCC_ELEM_BOOL);
  return order->ptr != NULL;
}

/* What nobody asked for torch gives as [0], or all the same. */
static bool is_declared_empty(ImportCall *c, size_t index) {
  ImportShape shape = torch_declared(c, index);
  return shape.elem && shape.rank == 1 && import_is_size(shape.dims[0], 0);
}

/* Of each of n slices along the first axis whether it differs from the one before: [n]. */
static MlirValue begin_runs(ImportCall *c, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *n = shape.dims[0], *one = import_size(c, 1), *zero = import_size(c, 0), *rest = import_size_sub(c, n, one);
  int64_t others[TCC_MAX_RANK];
  size_t nothers = torch_other_axes(shape.rank, 0, others);
  MlirValue differs = tcc_build_compare(&c->b, "ne", tcc_build_slice_axis(&c->b, x, 0, one, 1, rest),
                                        tcc_build_slice_axis(&c->b, x, 0, zero, 1, rest));
  if (nothers) differs = tcc_build_reduce(&c->b, "or", differs, others, nothers, false);
  MlirValue all[] = {torch_filled(c, torch_constant(c, TCC_ELEM_BOOL, 1), 1, &one), differs};
  return import_is_size(n, 1) ? all[0] : tcc_build_concat(&c->b, all, 2, 0);
}

/* Sorts rows by one column more, from the last to the first; equal ones stay as they were. values: the column, the order so far [n]. */
static MlirValue sort_by_column(ImportCall *c, MlirValue *values, const void *user) {
  MlirValue column = tcc_build_gather(&c->b, *(const MlirValue *)user, values[0], 1), key, order;
  if (!column.ptr || !sorted(c, tcc_build_gather(&c->b, column, values[1], 0), &key, &order)) return (MlirValue){NULL};
  values[1] = tcc_build_gather(&c->b, values[1], order, 0);
  values[0] = torch_plus(c, values[0], -1);
  return torch_is(c, "ge", values[0], 0);
}

/* The order in which slices along the first axis stand by their elements: [n]. */
static MlirValue order_of_slices(ImportCall *c, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *rows[] = {shape.dims[0], import_product(c, shape.dims + 1, shape.rank - 1)};
  MlirValue flat_rows = tcc_build_reshape(&c->b, x, 2, rows);
  MlirValue last = torch_plus(c, tcc_build_size(&c->b, rows[1]), -1), values[] = {last, import_iota(c, TCC_ELEM_I64, rows[0])};
  return torch_iterate(c, torch_is(c, "ge", last, 0), values, 2, sort_by_column, &flat_rows) ? values[1] : (MlirValue){NULL};
}

/* Of a tensor without elements: itself, and nothing, in the sizes that the graph declares. */
static bool unique_of_nothing(ImportCall *c, MlirValue x) {
  if (!torch_output(c, 0, x)) return false;
  for (size_t i = 1; i < torch_call(c)->noutputs; i++) {
    ImportShape shape = torch_declared(c, i);
    if (!shape.elem || !torch_output(c, i, torch_filled(c, torch_constant(c, shape.elem, 0), shape.rank, shape.dims))) return false;
  }
  return true;
}

/* Elements of which each differs from the one before, of all elements in order (kind UNIQUE_SORTED) or as they lie, or slices along an axis
 * as they lie or in order (UNIQUE_SLICES). Outputs: these, of each element which of them it is, and how many there are of each. NaN differs from everything. */
bool torch_op_unique(ImportCall *c) {
  bool slices = c->kind == UNIQUE_SLICES || (c->kind == UNIQUE_CONSECUTIVE && torch_given(c, "dim"));
  MlirValue self = torch_tensor(c, "self"), x = slices ? self : flat(c, self), order = {NULL};
  ImportShape shape = import_shape(c, self);
  int64_t axis = 0;
  if (!self.ptr || (slices && !torch_axis(c, "dim", shape.rank, &axis))) return false;
  if (slices && !shape.rank) return import_unsupported(c, "slices of a tensor without axes");
  if (slices) x = torch_move_axis(c, self, axis, 0);
  const TccExpr *n = import_shape(c, x).dims[0], *zero = import_size(c, 0);
  if (import_is_size(import_product(c, shape.dims, shape.rank), 0)) return unique_of_nothing(c, slices ? self : x);
  if (c->kind == UNIQUE_SORTED && !sorted(c, x, &x, &order)) return false;
  if (c->kind == UNIQUE_SLICES) {
    order = order_of_slices(c, x);
    x = tcc_build_gather(&c->b, x, order, 0);
    if (!order.ptr) return false;
  }
  MlirValue begins = begin_runs(c, x);
  MlirValue places = begins.ptr ? import_nonzero(c, begins) : begins;
  if (!places.ptr) return false;
  const TccExpr *count = import_shape(c, places).dims[1];
  places = tcc_build_reshape(&c->b, places, 1, &count);
  if (!torch_output(c, 0, torch_move_axis(c, tcc_build_gather(&c->b, x, places, 0), 0, axis))) return false;
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("sum"))}, {"axis", tcc_attr_i64(c->ir, 0)}};
  MlirValue steps = torch_convert(c, begins, TCC_ELEM_I64), which = import_op(c, TCC_OP_CUMULATIVE, &steps, 1, attrs, 2);
  which = torch_plus(c, which, -1);
  MlirValue ones = torch_filled(c, torch_constant(c, TCC_ELEM_I64, 1), 1, &n), none = torch_constant(c, TCC_ELEM_I64, 0);
  MlirValue counted[] = {torch_filled(c, none, 1, &count), which, ones}, back[] = {torch_filled(c, none, 1, &n), order, which};
  TccNamedAttr add[] = {{"axis", tcc_attr_i64(c->ir, 0)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}};
  if (order.ptr) which = import_op(c, TCC_OP_SCATTER_ELEMENTS, back, 3, add, 1);
  MlirValue empty = torch_filled(c, none, 1, &zero);
  if (!torch_output(c, 1,
                    is_declared_empty(c, 1) ? empty
                    : slices                ? which
                                            : tcc_build_reshape(&c->b, which, shape.rank, shape.dims)))
    return false;
  if (torch_call(c)->noutputs < 3) return true;
  return torch_output(c, 2, is_declared_empty(c, 2) ? empty : import_op(c, TCC_OP_SCATTER_ELEMENTS, counted, 3, add, 2));
}

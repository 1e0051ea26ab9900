/* ops_unique.c - Unique: elements of a tensor, or slices along an axis, each once.
 *
 * A stable sort brings equal ones together, lowest index first; a running sum over the places where a group begins numbers the
 * groups. Slices are compared element by element: sorting by the last element first and by the first one last leaves them in
 * lexicographic order. How many groups there are is data, so each output is made for all n and cut by tcc.nonzero in the end. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

enum { LONGEST_SLICE = 64 }; /* elements: each is a sort of its own */

/* Everything is [n]. By place in the sorted order: order, the index before sorting; begins, whether a group begins there; group, its
 * number. By number of a group: first, its lowest index; count, of its members. */
typedef struct {
  const TccExpr *n;
  MlirValue order, begins, group, first, count;
} Groups;

static MlirValue filled(ImportCall *c, int64_t value, const TccExpr *n) {
  return tcc_build_broadcast(&c->b, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, value), 1, &n);
}

/* The indices that sort x [n], equal ones as they lie. */
static MlirValue sorting(ImportCall *c, MlirValue x, const TccExpr *n) {
  TccNamedAttr attrs[] = {{"k", tcc_attr_exprs(c->ir, &n, 1)},
                          {"axis", tcc_attr_i64(c->ir, 0)},
                          {"largest", tcc_attr_bool(c->ir, false)},
                          {"sorted", tcc_attr_bool(c->ir, true)}};
  if (x.ptr && tcc_value_elem(x) == TCC_ELEM_BOOL) x = tcc_build_convert(&c->b, x, TCC_ELEM_U8);
  MlirValue values = x.ptr ? import_op(c, TCC_OP_TOPK, &x, 1, attrs, 4) : x;
  return values.ptr ? tcc_build_convert(&c->b, mlirOperationGetResult(tcc_value_op(values), 1), TCC_ELEM_I64) : values;
}

/* The indices that sort the rows of x [n, length]. */
static MlirValue sort_rows(ImportCall *c, MlirValue x, const TccExpr *n, int64_t length) {
  MlirValue order = {NULL};
  for (int64_t i = length - 1; i >= 0; i--) {
    MlirValue key = tcc_build_squeeze(&c->b, tcc_build_slice_axis(&c->b, x, 1, import_size(c, i), 1, import_size(c, 1)), 1);
    MlirValue by_key = sorting(c, order.ptr ? tcc_build_gather(&c->b, key, order, 0) : key, n);
    order = order.ptr ? tcc_build_gather(&c->b, order, by_key, 0) : by_key;
    if (!order.ptr) return order;
  }
  return order;
}

static MlirValue running_number(ImportCall *c, MlirValue flags) {
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("sum"))}, {"axis", tcc_attr_i64(c->ir, 0)}};
  MlirValue steps = tcc_build_convert(&c->b, flags, TCC_ELEM_I64);
  return steps.ptr ? tcc_build2_number(&c->b, TCC_OP_SUB, import_op(c, TCC_OP_CUMULATIVE, &steps, 1, attrs, 2), 1) : steps;
}

static MlirValue scattered(ImportCall *c, const char *reduction, MlirValue to, MlirValue index, MlirValue updates) {
  MlirValue operands[] = {to, index, updates};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 0)}, {"reduction", tcc_attr_str(c->ir, tcc_str(reduction))}};
  return to.ptr && index.ptr && updates.ptr ? import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2) : (MlirValue){NULL};
}

/* rows: [n, length]. */
static bool group_rows(ImportCall *c, MlirValue rows, int64_t length, Groups *g) {
  const int64_t across = 1;
  g->n = import_shape(c, rows).dims[0];
  g->order = sort_rows(c, rows, g->n, length);
  MlirValue place = import_iota(c, TCC_ELEM_I64, g->n), zero = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0);
  MlirValue before = tcc_build2(&c->b, TCC_OP_MAX, tcc_build2_number(&c->b, TCC_OP_SUB, place, 1), zero);
  MlirValue in_order = tcc_build_gather(&c->b, rows, g->order, 0);
  MlirValue differs = tcc_build_compare(&c->b, "ne", in_order, tcc_build_gather(&c->b, in_order, before, 0));
  differs = tcc_build_reduce(&c->b, "or", differs, &across, 1, false);
  g->begins = tcc_build2(&c->b, TCC_OP_OR, differs, tcc_build_compare(&c->b, "eq", place, zero));
  g->group = running_number(c, g->begins);
  g->first = scattered(c, "min", tcc_build_broadcast(&c->b, tcc_build_size(&c->b, g->n), 1, &g->n), g->group, g->order);
  g->count = scattered(c, "add", filled(c, 0, g->n), g->group, filled(c, 1, g->n));
  return g->first.ptr && g->count.ptr;
}

/* In order of their values, or of the first of each in x. x's slices lie along its first axis. kind: onnxruntime's own, of a vector, as they come and
 * without the indices of the first. */
bool onnx_op_unique(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  if (c->kind && shape.rank != 1) return import_invalid(c, "x of rank %d", shape.rank);
  bool slices = !c->kind && onnx_has_attribute(c, "axis"), sorted = !c->kind && onnx_int(c, "sorted", 1) != 0;
  const size_t of_indices = c->kind ? SIZE_MAX : 1, of_inverse = c->kind ? 1 : 2, of_counts = of_inverse + 1;
  int64_t axis = 0, length = 1;
  if (slices && !import_axis(c, onnx_int(c, "axis", 0), shape.rank, &axis)) return false;
  const TccExpr *all = import_product(c, shape.dims, shape.rank), *one = import_size(c, 1), *others = one;
  for (int i = 0; slices && i < shape.rank; i++)
    if (i != axis) others = import_size_mul(c, others, shape.dims[i]);
  if (!import_fix_size(c, others, &length)) return false;
  if (length < 1 || length > LONGEST_SLICE)
    return import_unsupported(c, "slices of %lld elements; at most %d", (long long)length, LONGEST_SLICE);
  int64_t perm[TCC_MAX_RANK] = {axis};
  for (int i = 0, at = 1; i < shape.rank; i++)
    if (i != axis) perm[at++] = i;
  const TccExpr *to[] = {slices ? shape.dims[axis] : all, others};
  MlirValue rows = tcc_build_reshape(&c->b, slices ? tcc_build_transpose(&c->b, x, perm) : x, 2, to);
  Groups g;
  if (!rows.ptr || !group_rows(c, rows, length, &g)) return false;
  MlirValue of_each = scattered(c, "none", filled(c, 0, g.n), g.order, g.group); /* by index */
  MlirValue inverse = of_each, kept = g.begins, counts = tcc_build_gather(&c->b, g.count, g.group, 0);
  if (!sorted) { /* by index, and numbered anew as the first ones lie */
    MlirValue none = tcc_build_convert(&c->b, filled(c, 0, g.n), TCC_ELEM_BOOL);
    kept = scattered(c, "none", none, g.order, g.begins);
    inverse = tcc_build_gather(&c->b, running_number(c, kept), tcc_build_gather(&c->b, g.first, of_each, 0), 0);
    counts = tcc_build_gather(&c->b, g.count, of_each, 0);
  }
  MlirValue places = kept.ptr ? import_nonzero(c, kept) : kept;
  if (!places.ptr) return false;
  const TccExpr *count = import_shape(c, places).dims[1];
  places = tcc_build_reshape(&c->b, places, 1, &count);
  MlirValue indices = sorted ? tcc_build_gather(&c->b, g.order, places, 0) : places;
  MlirValue from = slices ? x : tcc_build_reshape(&c->b, x, 1, &all);
  return import_output(c, 0, tcc_build_gather(&c->b, from, indices, axis)) &&
         (!import_has_output(c, of_indices) || import_output(c, of_indices, indices)) &&
         (!import_has_output(c, of_inverse) || import_output(c, of_inverse, inverse)) &&
         (!import_has_output(c, of_counts) || import_output(c, of_counts, tcc_build_gather(&c->b, counts, places, 0)));
}

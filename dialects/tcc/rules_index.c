/* rules_index.c - ops that move elements by indices that are data: gather and scatter, top-k, nonzero. */
#include "dialects/tcc/rules.h"

static bool is_index(TccElem elem) { return elem == TCC_ELEM_I32 || elem == TCC_ELEM_I64; }

/* Where there is an index at all (the product of the first `count` sizes), the axis of x has an element. */
static bool index_axis(TccRuleInput *in, const char *label, const Shape *x, int64_t axis, const Shape *indices, int count) {
  return dims_indexable(in, x->dims[axis], indices->dims, count) ||
         rule_fail(in, "%s: an index into axis %lld, which has no elements", label, (long long)axis);
}

static bool index_elems(TccRuleInput *in, TccElem elem) {
  return is_index(elem) || rule_fail(in, "C1: 'indices' must have i32 or i64 elements, not %s", tcc_elem_name(elem));
}

/* C1: index elements.  C2: axis.  C3: no index of an empty axis. */
bool rule_gather(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), indices = rule_operand(in, 1), r = {.present = true, .elem = x.elem};
  int64_t axis = rule_i64(in, "axis");
  if (!index_elems(in, indices.elem) || !rule_axis(in, "C2", axis, x.rank) ||
      !index_axis(in, "C3", &x, axis, &indices, indices.rank))
    return false;
  if (x.rank - 1 + indices.rank > TCC_MAX_RANK) return rule_fail(in, "C0: the result's rank is more than %d", TCC_MAX_RANK);
  for (int i = 0; i < axis; i++) r.dims[r.rank++] = x.dims[i];
  for (int i = 0; i < indices.rank; i++) r.dims[r.rank++] = indices.dims[i];
  for (int i = (int)axis + 1; i < x.rank; i++) r.dims[r.rank++] = x.dims[i];
  return rule_result(in, &r, out);
}

/* indices has x's rank and is not larger than x, other than along axis. */
static bool elements_fit(TccRuleInput *in, const Shape *x, const Shape *indices, int64_t axis) {
  if (indices->rank != x->rank) return rule_fail(in, "C3: 'indices' has rank %d, x has rank %d", indices->rank, x->rank);
  for (int i = 0; i < x->rank; i++)
    if (i != axis && !dims_at_most(in, indices->dims[i], x->dims[i]))
      return rule_fail(in, "C3: 'indices' has size %s on axis %d, x has %s", dims_text(in, indices->dims[i]), i,
                       dims_text(in, x->dims[i]));
  return true;
}

/* C1: index elements.  C2: axis.  C3: indices fits into x.  C4: no index of an empty axis. */
bool rule_gather_elements(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), indices = rule_operand(in, 1), r = indices;
  int64_t axis = rule_i64(in, "axis");
  if (!index_elems(in, indices.elem) || !rule_axis(in, "C2", axis, x.rank) || !elements_fit(in, &x, &indices, axis) ||
      !index_axis(in, "C4", &x, axis, &indices, indices.rank))
    return false;
  r.elem = x.elem;
  return rule_result(in, &r, out);
}

/* The constant length of the last axis of indices: how many leading axes an index names. */
static bool index_depth(TccRuleInput *in, const Shape *indices, int most, int64_t *out) {
  if (indices->rank < 1 || !indices->dims[indices->rank - 1] || !tcc_expr_is_const(indices->dims[indices->rank - 1], out))
    return rule_fail(in, "C2: the last size of 'indices' must be a constant");
  if (*out < 0 || *out > most) return rule_fail(in, "C2: an index names %lld axes, there are %d", (long long)*out, most);
  return true;
}

/* C1: index elements.  C2: depth of an index.  C3: batch axes: in range, equal sizes.  C4: no index of an empty axis. */
bool rule_gather_nd(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), indices = rule_operand(in, 1), r = {.present = true, .elem = x.elem};
  int64_t batch = rule_i64(in, "batch_dims"), depth;
  if (!index_elems(in, indices.elem)) return false;
  if (batch < 0 || batch > x.rank || batch >= (indices.rank > 0 ? indices.rank : 1))
    return rule_fail(in, "C3: batch_dims %lld does not fit ranks %d and %d", (long long)batch, x.rank, indices.rank);
  if (!index_depth(in, &indices, x.rank - (int)batch, &depth)) return false;
  for (int i = 0; i < batch; i++)
    if (!dims_agree(x.dims[i], indices.dims[i]))
      return rule_fail(in, "C3: sizes '%s' and '%s' of batch axis %d differ", dims_text(in, x.dims[i]),
                       dims_text(in, indices.dims[i]), i);
  for (int i = 0; i < depth; i++)
    if (!index_axis(in, "C4", &x, batch + i, &indices, indices.rank - 1)) return false;
  if (indices.rank - 1 + x.rank - batch - depth > TCC_MAX_RANK)
    return rule_fail(in, "C0: the result's rank is more than %d", TCC_MAX_RANK);
  for (int i = 0; i < indices.rank - 1; i++) r.dims[r.rank++] = indices.dims[i];
  for (int i = (int)(batch + depth); i < x.rank; i++) r.dims[r.rank++] = x.dims[i];
  return rule_result(in, &r, out);
}

static bool update_elems(TccRuleInput *in, TccElem x, TccElem updates) {
  return x == updates || rule_fail(in, "C1: 'updates' must have x's element type, %s", tcc_elem_name(x));
}

/* C1: index elements, updates of x's type.  C2: axis.  C3: indices fits into x.  C4: updates has the shape of indices.
 * C5: no index of an empty axis. */
bool rule_scatter_elements(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), indices = rule_operand(in, 1), updates = rule_operand(in, 2);
  int64_t axis = rule_i64(in, "axis");
  if (!index_elems(in, indices.elem) || !update_elems(in, x.elem, updates.elem) || !rule_axis(in, "C2", axis, x.rank) ||
      !elements_fit(in, &x, &indices, axis))
    return false;
  bool same = updates.rank == indices.rank;
  for (int i = 0; same && i < indices.rank; i++) same = dims_agree(updates.dims[i], indices.dims[i]);
  if (!same) return rule_fail(in, "C4: 'updates' must have the shape of 'indices'");
  if (!index_axis(in, "C5", &x, axis, &indices, indices.rank)) return false;
  return rule_result(in, &x, out);
}

/* C1: index elements, updates of x's type.  C2: depth of an index.  C3: updates is indices' shape, then the rest of x.
 * C4: no index of an empty axis. */
bool rule_scatter_nd(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), indices = rule_operand(in, 1), updates = rule_operand(in, 2);
  int64_t depth;
  if (!index_elems(in, indices.elem) || !update_elems(in, x.elem, updates.elem) || !index_depth(in, &indices, x.rank, &depth))
    return false;
  int outer = indices.rank - 1, rank = outer + x.rank - (int)depth;
  if (updates.rank != rank) return rule_fail(in, "C3: 'updates' must have rank %d, not %d", rank, updates.rank);
  for (int i = 0; i < rank; i++) {
    const TccExpr *size = i < outer ? indices.dims[i] : x.dims[i - outer + depth];
    if (!dims_agree(updates.dims[i], size))
      return rule_fail(in, "C3: 'updates' has size '%s' on axis %d, not '%s'", dims_text(in, updates.dims[i]), i,
                       dims_text(in, size));
  }
  for (int i = 0; i < depth; i++)
    if (!index_axis(in, "C4", &x, i, &indices, outer)) return false;
  return rule_result(in, &x, out);
}

/* C1: index is one index.  C2: row has x's type.  C3: row is x's shape without axis 0.  C4: x has a row. */
bool rule_dynamic_update_slice(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), index = rule_operand(in, 1), row = rule_operand(in, 2);
  if (index.elem != TCC_ELEM_I64 || index.rank != 0) return rule_fail(in, "C1: operand 'index' must be a scalar of type i64");
  if (row.elem != x.elem) return rule_fail(in, "C2: operand 'row' must have the element type of 'x'");
  if (x.rank < 1 || row.rank != x.rank - 1)
    return rule_fail(in, "C3: operand 'row' must have rank %d, not %d", x.rank - 1, row.rank);
  for (int i = 0; i < row.rank; i++)
    if (!dims_agree(row.dims[i], x.dims[i + 1]))
      return rule_fail(in, "C3: 'row' has size '%s' on axis %d, not '%s'", dims_text(in, row.dims[i]), i,
                       dims_text(in, x.dims[i + 1]));
  if (!index_axis(in, "C4", &x, 0, &index, 0)) return false;
  return rule_result(in, &x, out);
}

/* C1: number elements.  C2: axis.  C3: k is one size, not larger than x's.  C4: there is a last one. */
bool rule_topk(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), r = x;
  int64_t axis = rule_i64(in, "axis");
  size_t count;
  const TccExpr *const *sizes = rule_exprs(in, "k", &count);
  if (!rule_is_number(x.elem)) return rule_fail(in, "C1: operand 'x' must have number elements");
  if (!rule_axis(in, "C2", axis, x.rank)) return false;
  if (count != 1) return rule_fail(in, "C3: k must have one entry");
  if (!dims_at_least(in, sizes[0], 0) || !dims_at_most(in, sizes[0], x.dims[axis]))
    return rule_fail(in, "C3: k is %s, x has size '%s' on axis %lld", dims_text(in, sizes[0]), dims_text(in, x.dims[axis]),
                     (long long)axis);
  const bool last = rule_bool(in, "last");
  if (last && !dims_at_least(in, sizes[0], 1)) return rule_fail(in, "C4: the last of %s", dims_text(in, sizes[0]));
  r.dims[axis] = last ? tcc_expr_const(in->ir->exprs, 1) : sizes[0];
  if (!rule_result(in, &r, &out[0])) return false;
  r.elem = TCC_ELEM_I64;
  return rule_result(in, &r, &out[1]);
}

/* C1: boxes and scores are f32.  C2: boxes [B, N, 4], scores [B, C, N].  C3: most is a scalar of i64, overlap and least are of f32. */
bool rule_non_max_suppression(TccRuleInput *in, MlirType *out) {
  Shape boxes = rule_operand(in, 0), scores = rule_operand(in, 1), r = scores;
  if (boxes.elem != TCC_ELEM_F32 || scores.elem != TCC_ELEM_F32)
    return rule_fail(in, "C1: operands 'boxes' and 'scores' must have element type f32");
  if (boxes.rank != 3 || scores.rank != 3 || !dims_agree(boxes.dims[0], scores.dims[0]) ||
      !dims_agree(boxes.dims[1], scores.dims[2]) || !dims_agree(boxes.dims[2], tcc_expr_const(in->ir->exprs, 4)))
    return rule_fail(in, "C2: 'boxes' must be [B, N, 4] and 'scores' [B, C, N]");
  for (size_t i = 2; i < 5; i++) {
    Shape limit = rule_operand(in, i);
    if (limit.rank != 0 || limit.elem != (i == 2 ? TCC_ELEM_I64 : TCC_ELEM_F32))
      return rule_fail(in, "C3: 'most' must be a scalar of type i64, 'overlap' and 'least' of type f32");
  }
  r.elem = TCC_ELEM_I64;
  return rule_result(in, &r, out);
}

/* C1: size is the name of a symbol. */
bool rule_nonzero(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0);
  TccStr name = rule_str(in, "size");
  if (!name.length) return rule_fail(in, "C1: size must name a symbol");
  Shape r = {true, TCC_ELEM_I64, 2, {tcc_expr_const(in->ir->exprs, x.rank), tcc_expr_symbol(in->ir->exprs, name)}};
  return rule_result(in, &r, out);
}

/* C1: index elements.  C2: table is a matrix.  C3: it has a row if there is an index. */
bool rule_embedding(TccRuleInput *in, MlirType *out) {
  Shape table = rule_operand(in, 0), indices = rule_operand(in, 1), r = indices;
  if (!index_elems(in, indices.elem)) return false;
  if (table.rank != 2) return rule_fail(in, "C2: 'table' must have rank 2, not %d", table.rank);
  if (!index_axis(in, "C3", &table, 0, &indices, indices.rank)) return false;
  if (indices.rank + 1 > TCC_MAX_RANK) return rule_fail(in, "C0: the result's rank is more than %d", TCC_MAX_RANK);
  r.elem = table.elem;
  r.dims[r.rank++] = table.dims[1];
  return rule_result(in, &r, out);
}

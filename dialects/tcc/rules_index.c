/* rules_index.c - ops that move elements by indices that are data: gather and scatter, top-k, nonzero. */
#include "dialects/tcc/rules.h"

static bool is_index(TccElem elem) { return elem == TCC_ELEM_I32 || elem == TCC_ELEM_I64; }

static bool index_elems(TccRuleInput *in, TccElem elem) {
  return is_index(elem) || rule_fail(in, "C1: 'indices' must have i32 or i64 elements, not %s", tcc_elem_name(elem));
}

/* C1: index elements.  C2: axis. */
bool rule_gather(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), indices = rule_operand(in, 1), r = {.present = true, .elem = x.elem};
  int64_t axis = rule_i64(in, "axis");
  if (!index_elems(in, indices.elem) || !rule_axis(in, "C2", axis, x.rank)) return false;
  if (x.rank - 1 + indices.rank > TCC_MAX_RANK) return rule_fail(in, "C0: the result's rank is more than %d", TCC_MAX_RANK);
  for (int i = 0; i < axis; i++) r.dims[r.rank++] = x.dims[i];
  for (int i = 0; i < indices.rank; i++) r.dims[r.rank++] = indices.dims[i];
  for (int i = (int)axis + 1; i < x.rank; i++) r.dims[r.rank++] = x.dims[i];
  return rule_result(in, &r, out);
}

/* indices has x's rank and is not larger than x, other than along axis. */
static bool elements_fit(TccRuleInput *in, const Shape *x, const Shape *indices, int64_t axis) {
  if (indices->rank != x->rank) return rule_fail(in, "C3: 'indices' has rank %d, x has rank %d", indices->rank, x->rank);
  for (int i = 0; i < x->rank; i++) {
    int64_t size, dim;
    if (i != axis && x->dims[i] && indices->dims[i] && tcc_expr_is_const(indices->dims[i], &size) &&
        tcc_expr_is_const(x->dims[i], &dim) && size > dim)
      return rule_fail(in, "C3: 'indices' has size %lld on axis %d, x has %lld", (long long)size, i, (long long)dim);
  }
  return true;
}

/* C1: index elements.  C2: axis.  C3: indices fits into x. */
bool rule_gather_elements(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), indices = rule_operand(in, 1), r = indices;
  int64_t axis = rule_i64(in, "axis");
  if (!index_elems(in, indices.elem) || !rule_axis(in, "C2", axis, x.rank) || !elements_fit(in, &x, &indices, axis)) return false;
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

/* C1: index elements.  C2: depth of an index.  C3: batch axes: in range, equal sizes. */
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
 */
bool rule_scatter_elements(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), indices = rule_operand(in, 1), updates = rule_operand(in, 2);
  int64_t axis = rule_i64(in, "axis");
  if (!index_elems(in, indices.elem) || !update_elems(in, x.elem, updates.elem) || !rule_axis(in, "C2", axis, x.rank) ||
      !elements_fit(in, &x, &indices, axis))
    return false;
  bool same = updates.rank == indices.rank;
  for (int i = 0; same && i < indices.rank; i++) same = dims_agree(updates.dims[i], indices.dims[i]);
  if (!same) return rule_fail(in, "C4: 'updates' must have the shape of 'indices'");
  return rule_result(in, &x, out);
}

/* C1: index elements, updates of x's type.  C2: depth of an index.  C3: updates is indices' shape, then the rest of x.
 */
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
  return rule_result(in, &x, out);
}

/* C1: index is one index.  C2: row has x's type.  C3: row is x's shape without axis 0. */
bool rule_put_row(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), index = rule_operand(in, 1), row = rule_operand(in, 2);
  if (index.elem != TCC_ELEM_I64 || index.rank != 0) return rule_fail(in, "C1: operand 'index' must be a scalar of type i64");
  if (row.elem != x.elem) return rule_fail(in, "C2: operand 'row' must have the element type of 'x'");
  if (x.rank < 1 || row.rank != x.rank - 1)
    return rule_fail(in, "C3: operand 'row' must have rank %d, not %d", x.rank - 1, row.rank);
  for (int i = 0; i < row.rank; i++)
    if (!dims_agree(row.dims[i], x.dims[i + 1]))
      return rule_fail(in, "C3: 'row' has size '%s' on axis %d, not '%s'", dims_text(in, row.dims[i]), i,
                       dims_text(in, x.dims[i + 1]));
  return rule_result(in, &x, out);
}

/* C1: number elements.  C2: axis.  C3: k is one size, not larger than x's. */
bool rule_topk(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), r = x;
  int64_t axis = rule_i64(in, "axis"), k, size;
  size_t count;
  const TccExpr *const *sizes = rule_exprs(in, "k", &count);
  if (!rule_is_number(x.elem)) return rule_fail(in, "C1: operand 'x' must have number elements");
  if (!rule_axis(in, "C2", axis, x.rank)) return false;
  if (count != 1) return rule_fail(in, "C3: k must have one entry");
  if (tcc_expr_is_const(sizes[0], &k) && (k < 0 || (x.dims[axis] && tcc_expr_is_const(x.dims[axis], &size) && k > size)))
    return rule_fail(in, "C3: k is %lld, x has size '%s' on axis %lld", (long long)k, dims_text(in, x.dims[axis]), (long long)axis);
  r.dims[axis] = sizes[0];
  if (!rule_result(in, &r, &out[0])) return false;
  r.elem = TCC_ELEM_I64;
  return rule_result(in, &r, &out[1]);
}

/* C1: boxes and scores are f32.  C2: boxes [B, N, 4], scores [B, C, N].  C3: most is a scalar of i64, overlap and least are of f32. */
bool rule_suppress(TccRuleInput *in, MlirType *out) {
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

/* C1: index elements.  C2: table is a matrix. */
bool rule_embedding(TccRuleInput *in, MlirType *out) {
  Shape table = rule_operand(in, 0), indices = rule_operand(in, 1), r = indices;
  if (!index_elems(in, indices.elem)) return false;
  if (table.rank != 2) return rule_fail(in, "C2: 'table' must have rank 2, not %d", table.rank);
  if (indices.rank + 1 > TCC_MAX_RANK) return rule_fail(in, "C0: the result's rank is more than %d", TCC_MAX_RANK);
  r.elem = table.elem;
  r.dims[r.rank++] = table.dims[1];
  return rule_result(in, &r, out);
}

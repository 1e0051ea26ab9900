/* pull_views.c - ops that ask their operands at another index: reshapes taken apart into the axes that they join, gathers at
 * values, pads and concatenations behind bounds. */
#include "lib/codegen/read/pull_internal.h"
#include "tcc/op_kinds.h"

/* ---- reshape ---- */

/* Parts [first, last) of a row-major list of sizes that `index` runs through: taken apart term by term where every term is
 * a multiple of the stride of a part and the part's terms cannot run over. */
static bool take_apart(TccPull *p, const TccPullIndex *index, const TccExpr *const *size, int n, TccPullIndex *out) {
  const TccExpr *stride[TCC_MAX_RANK + 1], *most[TCC_MAX_RANK];
  stride[n] = number(p, 1);
  for (int i = n; i-- > 0;) stride[i] = times(p, stride[i + 1], size[i]);
  if (index->nterms || index->offset != number(p, 0)) return false;
  for (int i = 0; i < n; i++) out[i] = tcc_pull_constant(p, number(p, 0)), most[i] = number(p, 0);
  for (int d = 0; d < p->ndims; d++) {
    if (!index->coef[d]) continue;
    int part = -1;
    const TccExpr *coef = NULL;
    for (int i = 0; i < n && part < 0; i++) {
      if (size[i] == number(p, 1)) continue;
      coef = tcc_expr_divide_exactly(p->ir->exprs, index->coef[d], stride[i + 1]);
      if (coef) part = i;
    }
    if (part < 0) return false;
    out[part].coef[d] = coef;
    most[part] = plus(p, most[part], times(p, coef, tcc_expr_sub(p->ir->exprs, p->dim[d], number(p, 1))));
  }
  for (int i = 0; i < n; i++) {
    const TccExpr *room = tcc_expr_sub(p->ir->exprs, tcc_expr_sub(p->ir->exprs, size[i], number(p, 1)), most[i]);
    if (!tcc_expr_known_nonnegative(room)) return false;
  }
  return true;
}

/* Asks for a dim to be split whose term starts at the stride of a part and runs over it. */
static bool ask_split(TccPull *p, const TccPullIndex *index, const TccExpr *const *size, int n) {
  if (index->nterms || index->offset != number(p, 0)) return false;
  for (int d = 0; d < p->ndims; d++) {
    const TccExpr *stride = number(p, 1), *inner = number(p, 1), *outer = p->dim[d];
    int last = n - 1, first;
    if (!index->coef[d]) continue;
    while (last >= 0 && stride != index->coef[d]) stride = times(p, stride, size[last--]);
    for (first = last; first >= 0; first--) { /* whole parts inside the dim, the rest of it in front of them */
      const TccExpr *more = times(p, inner, size[first]), *rest = tcc_expr_divide_exactly(p->ir->exprs, p->dim[d], more);
      if (!rest || rest == number(p, 1)) break;
      inner = more, outer = rest;
    }
    if (first == last || p->ndims + last - first > TCC_PULL_DIMS) continue;
    p->nparts = 0;
    p->part[p->nparts++] = outer;
    for (int i = first + 1; i <= last; i++)
      if (size[i] != number(p, 1)) p->part[p->nparts++] = size[i];
    if (p->nparts < 2) continue; /* inner parts of size 1 split nothing */
    p->split = d;
    return true;
  }
  return false;
}

bool pull_reshape_index(TccPull *p, MlirType from, MlirType to, const TccPullIndex *index, TccPullIndex *out,
                        TccPullIndex *checks) {
  TccIr *ir = p->ir;
  int from_rank = tcc_type_rank(from), to_rank = tcc_type_rank(to), f = 0, t = 0;
  const TccExpr *sizes[TCC_MAX_RANK];
  *checks = tcc_pull_constant(p, number(p, 0));
  while (f < from_rank || t < to_rank) {
    int f0 = f, t0 = t;
    const TccExpr *a = number(p, 1), *b = number(p, 1);
    if (f < from_rank) a = tcc_type_dim(ir, from, f++);
    if (t < to_rank) b = tcc_type_dim(ir, to, t++);
    while (a != b) { /* multiply the side that divides the other, or the one with axes left */
      bool grow_from = f < from_rank && (t == to_rank || tcc_expr_divide_exactly(ir->exprs, b, a));
      if (grow_from) a = times(p, a, tcc_type_dim(ir, from, f++));
      else if (t < to_rank) b = times(p, b, tcc_type_dim(ir, to, t++));
      else if (f < from_rank) a = times(p, a, tcc_type_dim(ir, from, f++));
      else break;
    }
    if (a != b) { /* sizes that only agree as a whole: one group */
      f0 = t0 = 0, f = from_rank, t = to_rank;
    }
    TccPullIndex flat = tcc_pull_constant(p, number(p, 0));
    for (int i = t0; i < t; i++) {
      flat = tcc_pull_scale(p, &flat, tcc_type_dim(ir, to, i));
      flat = tcc_pull_add(p, &flat, &index[i]);
    }
    int n = f - f0;
    for (int i = 0; i < n; i++) sizes[i] = tcc_type_dim(ir, from, f0 + i);
    if (n == 0) {
      flat = pull_only_place(p, &flat);
      *checks = tcc_pull_add(p, checks, &flat);
      continue;
    }
    if (n == 1) {
      out[f0] = flat;
      continue;
    }
    if (take_apart(p, &flat, sizes, n, out + f0)) continue;
    if (ask_split(p, &flat, sizes, n)) return false;
    TccPullNode *whole = pull_index_node(p, &flat);
    const TccExpr *stride = number(p, 1);
    for (int i = n; i-- > 0;) {
      TccPullNode *part = pull_new_node(p, TCC_PULL_DIVMOD, TCC_ELEM_I64);
      part->child[part->nchildren++] = whole;
      part->divisor = stride, part->size = sizes[i];
      out[f0 + i] = pull_computed(p, part);
      stride = times(p, stride, sizes[i]);
    }
  }
  return true;
}

/* ---- views and indices from values ---- */

/* Whether a constant, or a count along dims, is in [0, size) wherever it is asked for. */
static bool is_inside(TccPull *p, const TccPullNode *raw, const TccExpr *size) {
  const TccExpr *least, *most, *one = number(p, 1);
  if (raw->kind == TCC_PULL_LOAD && raw->argument < 0 && raw->count == 1) {
    least = most = number(p, tcc_elem_load_i64(raw->elem, raw->data, 0));
  } else if (raw->kind == TCC_PULL_INDEX && !raw->index.nterms) {
    least = most = raw->index.offset;
    for (int d = 0; d < p->ndims; d++)
      if (raw->index.coef[d]) most = plus(p, most, times(p, raw->index.coef[d], tcc_expr_sub(p->ir->exprs, p->dim[d], one)));
    for (int d = 0; d < p->ndims; d++)
      if (raw->index.coef[d] && !tcc_expr_known_nonnegative(raw->index.coef[d])) return false;
  } else {
    return false;
  }
  return tcc_expr_known_nonnegative(least) &&
         tcc_expr_known_nonnegative(tcc_expr_sub(p->ir->exprs, tcc_expr_sub(p->ir->exprs, size, one), most));
}

/* An index that op reads, which names the n-th of the axes that it names. */
static TccPullNode *wrapped(TccPull *p, MlirOperation op, int n, TccPullNode *raw, const TccExpr *size) {
  TccPullNode *node = pull_new_node(p, TCC_PULL_WRAP, TCC_ELEM_I64);
  node->child[node->nchildren++] = raw;
  node->size = size;
  int check = tcc_index_check_of(p->ir, op);
  if (check < 0 || is_inside(p, raw, size)) return node;
  node->check = 1 + check + n;
  node->natural = tcc_valid(p->ir, op) == TCC_VALID_UNSIGNED;
  return node;
}

TccPullNode *pull_gather(TccPull *p, MlirOperation op, TccOpKind kind, const TccPullIndex *index) {
  TccIr *ir = p->ir;
  MlirValue x = mlirOperationGetOperand(op, 0), indices = mlirOperationGetOperand(op, 1);
  MlirType from = tcc_value_type(x);
  int rank = tcc_type_rank(from), index_rank = tcc_type_rank(tcc_value_type(indices));
  TccPullIndex at[TCC_MAX_RANK];
  if (kind == TCC_OP_GATHER_ND) {
    int batch = (int)tcc_i64(ir, op, "batch_dims");
    int64_t depth;
    if (!tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(indices), index_rank - 1), &depth))
      return pull_fail(p, "gather_nd with a dynamic depth of its indices");
    TccPullIndex place[TCC_MAX_RANK];
    for (int a = 0; a < index_rank - 1; a++) place[a] = index[a];
    for (int a = 0; a < batch; a++) at[a] = index[a];
    for (int d = 0; d < (int)depth; d++) {
      place[index_rank - 1] = tcc_pull_constant(p, number(p, d));
      TccPullNode *raw = tcc_pull_value(p, indices, place);
      if (!raw) return NULL;
      at[batch + d] = pull_computed(p, wrapped(p, op, d, raw, tcc_type_dim(ir, from, batch + d)));
    }
    for (int a = batch + (int)depth; a < rank; a++) at[a] = index[index_rank - 1 + a - batch - (int)depth];
    return tcc_pull_value(p, x, at);
  }
  int axis = (int)tcc_i64(ir, op, "axis");
  bool elements = kind == TCC_OP_GATHER_ELEMENTS;
  TccPullNode *raw = tcc_pull_value(p, indices, elements ? index : index + axis);
  if (!raw) return NULL;
  for (int a = 0; a < rank; a++)
    if (a == axis) at[a] = pull_computed(p, wrapped(p, op, 0, raw, tcc_type_dim(ir, from, axis)));
    else at[a] = a < axis || elements ? index[a] : index[a - 1 + index_rank];
  return tcc_pull_value(p, x, at);
}

TccPullNode *pull_dynamic_slice(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  MlirValue x = mlirOperationGetOperand(op, 0), starts = mlirOperationGetOperand(op, 1);
  MlirType from = tcc_value_type(x), to = tcc_value_type(mlirOperationGetResult(op, 0));
  TccPullIndex at[TCC_MAX_RANK];
  for (int a = 0; a < tcc_type_rank(from); a++) {
    TccPullIndex place = tcc_pull_constant(p, number(p, a));
    TccPullNode *raw = tcc_pull_value(p, starts, &place);
    if (!raw) return NULL;
    TccPullNode *start = pull_new_node(p, TCC_PULL_WRAP, TCC_ELEM_I64); /* clamped so that the slice is inside */
    start->child[start->nchildren++] = raw;
    start->size = plus(p, tcc_expr_sub(p->ir->exprs, tcc_type_dim(p->ir, from, a), tcc_type_dim(p->ir, to, a)), number(p, 1));
    start->divisor = number(p, 0); /* a negative start is clamped, not counted from the end */
    TccPullIndex base = pull_computed(p, start);
    at[a] = tcc_pull_add(p, &base, &index[a]);
  }
  return tcc_pull_value(p, x, at);
}

static TccPullNode *guard(TccPull *p, TccPullNode *inside, TccPullNode *outside, const TccPullBound *bounds, int n) {
  if (!n) return inside;
  TccPullNode *node = pull_new_node(p, TCC_PULL_GUARD, inside->elem);
  node->child[0] = inside, node->child[1] = outside, node->nchildren = 2;
  node->bound = TCC_NEW_ARRAY(p->arena, TccPullBound, n);
  memcpy(node->bound, bounds, sizeof *bounds * (size_t)n);
  node->nbounds = n;
  for (int b = 0; b < n; b++)
    for (int d = 0; d < p->ndims; d++) p->indexed[d] |= bounds[b].index.coef[d] != NULL;
  return node;
}

TccPullNode *pull_pad(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  TccIr *ir = p->ir;
  MlirValue x = mlirOperationGetOperand(op, 0), fill = mlirOperationGetOperand(op, 1);
  MlirType from = tcc_value_type(x);
  TccStr mode = tcc_string(ir, op, "mode");
  const TccExpr *const *low, *const *high;
  size_t n, nhigh;
  if (!tcc_get_exprs(ir, op, "low", &low, &n) || !tcc_get_exprs(ir, op, "high", &high, &nhigh))
    return pull_fail(p, "pad without sizes");
  TccPullIndex at[TCC_MAX_RANK];
  TccPullBound bounds[TCC_MAX_RANK];
  int nbounds = 0;
  const TccExpr *zero = number(p, 0);
  for (size_t a = 0; a < n; a++) {
    const TccExpr *size = tcc_type_dim(ir, from, (int)a);
    TccPullIndex shift = tcc_pull_constant(p, tcc_expr_sub(ir->exprs, zero, low[a]));
    at[a] = tcc_pull_add(p, &index[a], &shift);
    bool never_low = tcc_expr_known_nonnegative(tcc_expr_sub(ir->exprs, zero, low[a]));
    bool never_high = tcc_expr_known_nonnegative(tcc_expr_sub(ir->exprs, zero, high[a]));
    if (never_low && never_high) continue;
    if (tcc_str_is(mode, "constant")) {
      bounds[nbounds++] = (TccPullBound){at[a], never_low ? NULL : zero, never_high ? NULL : size};
      continue;
    }
    TccPullNode *raw = pull_index_node(p, &at[a]);
    TccPullKind kind = tcc_str_is(mode, "reflect") ? TCC_PULL_MIRROR : tcc_str_is(mode, "wrap") ? TCC_PULL_CYCLE : TCC_PULL_WRAP;
    TccPullNode *inside = pull_new_node(p, kind, TCC_ELEM_I64);
    inside->child[inside->nchildren++] = raw;
    inside->size = size;
    inside->divisor = zero; /* edge: clamp only */
    at[a] = pull_computed(p, inside);
  }
  TccPullNode *value = tcc_pull_value(p, x, at), *other = NULL;
  if (!value) return NULL;
  if (nbounds && !tcc_value_is_none(ir, fill)) {
    TccPullIndex first[TCC_MAX_RANK];
    for (int a = 0; a < tcc_type_rank(tcc_value_type(fill)); a++) first[a] = tcc_pull_constant(p, zero);
    other = tcc_pull_value(p, fill, first);
    if (!other) return NULL;
  }
  return guard(p, value, other, bounds, nbounds);
}

TccPullNode *pull_concat(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  MlirValue a = mlirOperationGetOperand(op, 0), b = mlirOperationGetOperand(op, 1);
  int axis = (int)tcc_i64(p->ir, op, "axis"), rank = tcc_type_rank(tcc_value_type(a));
  const TccExpr *size = tcc_type_dim(p->ir, tcc_value_type(a), axis);
  TccPullIndex at[TCC_MAX_RANK], back = tcc_pull_constant(p, tcc_expr_sub(p->ir->exprs, number(p, 0), size));
  TccPullNode *first = tcc_pull_value(p, a, index);
  if (!first) return NULL;
  for (int k = 0; k < rank; k++) at[k] = index[k];
  at[axis] = tcc_pull_add(p, &index[axis], &back);
  TccPullNode *second = tcc_pull_value(p, b, at);
  if (!second) return NULL;
  TccPullBound bound = {index[axis], NULL, size};
  return guard(p, first, second, &bound, 1);
}

TccPullNode *pull_count(TccPull *p, MlirOperation op, TccOpKind kind, const TccPullIndex *index) {
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0));
  TccPullNode *count;
  if (kind == TCC_OP_IOTA) {
    count = pull_index_node(p, &index[tcc_i64(p->ir, op, "axis")]);
  } else {
    const TccExpr *const *values;
    size_t n;
    const TccExpr *place;
    int64_t which;
    if (!tcc_get_exprs(p->ir, op, "values", &values, &n)) return pull_fail(p, "sizes without values");
    if (tcc_pull_is_constant(p, &index[0], &place) && tcc_expr_is_const(place, &which) && which >= 0 && (size_t)which < n) {
      TccPullIndex value = tcc_pull_constant(p, values[which]);
      count = pull_index_node(p, &value);
    } else { /* a chain of selections over its few entries */
      TccPullIndex value = tcc_pull_constant(p, n ? values[n - 1] : number(p, 0));
      count = pull_index_node(p, &value);
      for (size_t i = n; i-- > 1;) {
        TccPullIndex here = tcc_pull_constant(p, values[i - 1]);
        TccPullBound bound = {index[0], NULL, number(p, (int64_t)i)};
        count = guard(p, pull_index_node(p, &here), count, &bound, 1);
      }
    }
  }
  TccElem elem = tcc_type_elem(type);
  if (elem == TCC_ELEM_I64) return count;
  TccPullNode *node = pull_new_node(p, TCC_PULL_OP, elem); /* an op without an MLIR op: a conversion from i64 */
  node->child[node->nchildren++] = count;
  return node;
}

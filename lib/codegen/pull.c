/* pull.c - from values and indices to nodes. See pull.h. */
#include "lib/codegen/pull.h"

void tcc_pull_init(TccPull *p, TccIr *ir, MlirOperation kernel) {
  memset(p, 0, sizeof *p);
  p->ir = ir, p->arena = ir->arena, p->kernel = kernel, p->split = -1;
  p->memo = tcc_map_create(p->arena);
}

static const TccExpr *number(TccPull *p, int64_t v) { return tcc_expr_const(p->ir->exprs, v); }
static const TccExpr *plus(TccPull *p, const TccExpr *a, const TccExpr *b) { return tcc_expr_add(p->ir->exprs, a, b); }
static const TccExpr *times(TccPull *p, const TccExpr *a, const TccExpr *b) { return tcc_expr_mul(p->ir->exprs, a, b); }

static void *fail(TccPull *p, const char *format, ...) TCC_PRINTF(2, 3);
static void *fail(TccPull *p, const char *format, ...) {
  if (p->status) return NULL;
  TccText text = {0};
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(&text, format, args);
  va_end(args);
  p->status = TCC_ERROR(TCC_UNSUPPORTED, "%s", text.data);
  tcc_text_destroy(&text);
  return NULL;
}

/* ---- indices ---- */

TccPullIndex tcc_pull_constant(TccPull *p, const TccExpr *value) {
  (void)p;
  return (TccPullIndex){.offset = value};
}

TccPullIndex tcc_pull_dim(TccPull *p, int d) {
  if (p->dim[d] == number(p, 1)) return tcc_pull_constant(p, number(p, 0));
  TccPullIndex index = {.offset = number(p, 0)};
  index.coef[d] = number(p, 1);
  return index;
}

bool tcc_pull_is_constant(const TccPull *p, const TccPullIndex *a, const TccExpr **out) {
  for (int d = 0; d < p->ndims; d++)
    if (a->coef[d]) return false;
  *out = a->offset;
  return a->nterms == 0;
}

static TccPullNode *new_node(TccPull *p, TccPullKind kind, TccElem elem) {
  TccPullNode *node = TCC_NEW(p->arena, TccPullNode);
  node->kind = kind;
  node->elem = elem;
  node->id = (int)p->nodes.count;
  TCC_VEC_PUSH(p->arena, &p->nodes, node);
  return node;
}

/* An index as a value: its dims cannot be joined any more. */
static TccPullNode *index_node(TccPull *p, const TccPullIndex *index) {
  if (index->nterms == 1 && index->offset == number(p, 0) && index->term[0].scale == number(p, 1)) {
    bool plain = true;
    for (int d = 0; d < p->ndims; d++) plain &= !index->coef[d];
    if (plain) return index->term[0].node;
  }
  TccPullNode *node = new_node(p, TCC_PULL_INDEX, TCC_ELEM_I64);
  node->index = *index;
  for (int d = 0; d < p->ndims; d++) p->pinned[d] |= index->coef[d] != NULL;
  return node;
}

TccPullIndex tcc_pull_add(TccPull *p, const TccPullIndex *a, const TccPullIndex *b) {
  TccPullIndex r = *a;
  r.offset = plus(p, a->offset, b->offset);
  for (int d = 0; d < p->ndims; d++) {
    if (!b->coef[d]) continue;
    r.coef[d] = a->coef[d] ? plus(p, a->coef[d], b->coef[d]) : b->coef[d];
    if (r.coef[d] == number(p, 0)) r.coef[d] = NULL;
  }
  for (int t = 0; t < b->nterms; t++) {
    int same = 0;
    while (same < r.nterms && r.term[same].node != b->term[t].node) same++;
    if (same < r.nterms) {
      r.term[same].scale = plus(p, r.term[same].scale, b->term[t].scale);
    } else if (r.nterms < TCC_PULL_TERMS) {
      r.term[r.nterms++] = b->term[t];
    } else { /* sum what there is into one computed value */
      TccPullNode *sum = index_node(p, &r);
      r = (TccPullIndex){.offset = number(p, 0), .nterms = 1};
      r.term[0].node = sum, r.term[0].scale = number(p, 1);
      r.term[r.nterms++] = b->term[t];
    }
  }
  return r;
}

TccPullIndex tcc_pull_scale(TccPull *p, const TccPullIndex *a, const TccExpr *factor) {
  TccPullIndex r = *a;
  if (factor == number(p, 0)) return tcc_pull_constant(p, factor);
  r.offset = times(p, a->offset, factor);
  for (int d = 0; d < p->ndims; d++)
    if (a->coef[d]) r.coef[d] = times(p, a->coef[d], factor);
  for (int t = 0; t < a->nterms; t++) r.term[t].scale = times(p, a->term[t].scale, factor);
  return r;
}

TccPullIndex tcc_pull_flat(TccPull *p, MlirType type, const TccPullIndex *index) {
  TccPullIndex flat = tcc_pull_constant(p, number(p, 0));
  for (int axis = 0; axis < tcc_type_rank(type); axis++) {
    flat = tcc_pull_scale(p, &flat, tcc_type_dim(p->ir, type, axis));
    flat = tcc_pull_add(p, &flat, &index[axis]);
  }
  return flat;
}

void tcc_pull_dims_of(TccIr *ir, MlirType type, TccPullDims *out) {
  out->count = tcc_type_rank(type);
  for (int a = 0; a < out->count; a++) out->size[a] = tcc_type_dim(ir, type, a), out->axis[a] = a;
}

void tcc_pull_dims_split(TccPullDims *dims, const TccPull *p) {
  int extra = p->nparts - 1, at = p->split;
  size_t tail = (size_t)(dims->count - at - 1);
  memmove(dims->size + at + 1 + extra, dims->size + at + 1, sizeof *dims->size * tail);
  memmove(dims->axis + at + 1 + extra, dims->axis + at + 1, sizeof *dims->axis * tail);
  for (int i = 0; i <= extra; i++) dims->size[at + i] = p->part[i], dims->axis[at + i] = dims->axis[at];
  dims->count += extra;
}

void tcc_pull_use_dims(TccPull *p, const TccPullDims *dims, int rank, TccPullIndex *out_index) {
  p->ndims = dims->count;
  memcpy(p->dim, dims->size, sizeof *dims->size * (size_t)dims->count);
  for (int a = 0; a < rank; a++) {
    out_index[a] = tcc_pull_constant(p, number(p, 0));
    for (int d = 0; d < dims->count; d++) {
      if (dims->axis[d] != a) continue;
      TccPullIndex dim = tcc_pull_dim(p, d);
      out_index[a] = tcc_pull_scale(p, &out_index[a], p->dim[d]);
      out_index[a] = tcc_pull_add(p, &out_index[a], &dim);
    }
  }
}

static TccPullIndex computed(TccPull *p, TccPullNode *node) {
  TccPullIndex index = {.offset = number(p, 0), .nterms = 1};
  index.term[0].node = node, index.term[0].scale = number(p, 1);
  return index;
}

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
    p->split = d;
    p->nparts = 0;
    p->part[p->nparts++] = outer;
    for (int i = first + 1; i <= last; i++)
      if (size[i] != number(p, 1)) p->part[p->nparts++] = size[i];
    return p->nparts > 1;
  }
  return false;
}

/* The operand's index of a reshape: axes are matched in groups of equal products. */
static bool reshape_index(TccPull *p, MlirType from, MlirType to, const TccPullIndex *index, TccPullIndex *out) {
  TccIr *ir = p->ir;
  int from_rank = tcc_type_rank(from), to_rank = tcc_type_rank(to), f = 0, t = 0;
  const TccExpr *sizes[TCC_MAX_RANK];
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
    if (n == 0) continue;
    if (n == 1) {
      out[f0] = flat;
      continue;
    }
    if (take_apart(p, &flat, sizes, n, out + f0)) continue;
    if (ask_split(p, &flat, sizes, n)) return false;
    TccPullNode *whole = index_node(p, &flat);
    const TccExpr *stride = number(p, 1);
    for (int i = n; i-- > 0;) {
      TccPullNode *part = new_node(p, TCC_PULL_DIVMOD, TCC_ELEM_I64);
      part->child[part->nchildren++] = whole;
      part->divisor = stride, part->size = sizes[i];
      out[f0 + i] = computed(p, part);
      stride = times(p, stride, sizes[i]);
    }
  }
  return true;
}

/* ---- ops ---- */

static TccPullNode *op_node(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0));
  TccPullNode *child[4] = {0};
  intptr_t n = mlirOperationGetNumOperands(op);
  int rank = tcc_type_rank(type);
  for (intptr_t i = 0; i < n && i < 4; i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (tcc_value_is_none(p->ir, operand)) continue;
    MlirType from = tcc_value_type(operand);
    int from_rank = tcc_type_rank(from);
    TccPullIndex at[TCC_MAX_RANK];
    for (int a = 0; a < from_rank; a++) {
      bool unit = tcc_type_dim(p->ir, from, a) == number(p, 1);
      at[a] = unit ? tcc_pull_constant(p, number(p, 0)) : index[rank - from_rank + a];
    }
    child[i] = tcc_pull_value(p, operand, at);
    if (!child[i]) return NULL;
  }
  TccPullNode *node = new_node(p, TCC_PULL_OP, tcc_type_elem(type));
  node->op = op;
  node->nchildren = (int)n;
  memcpy(node->child, child, sizeof child);
  return node;
}

static TccPullNode *wrapped(TccPull *p, TccPullNode *raw, const TccExpr *size) {
  TccPullNode *node = new_node(p, TCC_PULL_WRAP, TCC_ELEM_I64);
  node->child[node->nchildren++] = raw;
  node->size = size;
  return node;
}

static TccPullNode *gather_node(TccPull *p, MlirOperation op, TccOpKind kind, const TccPullIndex *index) {
  TccIr *ir = p->ir;
  MlirValue x = mlirOperationGetOperand(op, 0), indices = mlirOperationGetOperand(op, 1);
  MlirType from = tcc_value_type(x);
  int rank = tcc_type_rank(from), index_rank = tcc_type_rank(tcc_value_type(indices));
  TccPullIndex at[TCC_MAX_RANK];
  if (kind == TCC_OP_GATHER_ND) {
    int batch = (int)tcc_i64(ir, op, "batch_dims");
    int64_t depth;
    if (!tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(indices), index_rank - 1), &depth))
      return fail(p, "gather_nd with a dynamic depth of its indices");
    TccPullIndex place[TCC_MAX_RANK];
    for (int a = 0; a < index_rank - 1; a++) place[a] = index[a];
    for (int a = 0; a < batch; a++) at[a] = index[a];
    for (int d = 0; d < (int)depth; d++) {
      place[index_rank - 1] = tcc_pull_constant(p, number(p, d));
      TccPullNode *raw = tcc_pull_value(p, indices, place);
      if (!raw) return NULL;
      at[batch + d] = computed(p, wrapped(p, raw, tcc_type_dim(ir, from, batch + d)));
    }
    for (int a = batch + (int)depth; a < rank; a++) at[a] = index[index_rank - 1 + a - batch - (int)depth];
    return tcc_pull_value(p, x, at);
  }
  int axis = (int)tcc_i64(ir, op, "axis");
  bool elements = kind == TCC_OP_GATHER_ELEMENTS;
  TccPullNode *raw = tcc_pull_value(p, indices, elements ? index : index + axis);
  if (!raw) return NULL;
  for (int a = 0; a < rank; a++) at[a] = a < axis || elements ? index[a] : index[a - 1 + index_rank];
  at[axis] = computed(p, wrapped(p, raw, tcc_type_dim(ir, from, axis)));
  return tcc_pull_value(p, x, at);
}

static TccPullNode *dynamic_slice_node(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  MlirValue x = mlirOperationGetOperand(op, 0), starts = mlirOperationGetOperand(op, 1);
  MlirType from = tcc_value_type(x), to = tcc_value_type(mlirOperationGetResult(op, 0));
  TccPullIndex at[TCC_MAX_RANK];
  for (int a = 0; a < tcc_type_rank(from); a++) {
    TccPullIndex place = tcc_pull_constant(p, number(p, a));
    TccPullNode *raw = tcc_pull_value(p, starts, &place);
    if (!raw) return NULL;
    TccPullNode *start = new_node(p, TCC_PULL_WRAP, TCC_ELEM_I64); /* clamped so that the slice is inside */
    start->child[start->nchildren++] = raw;
    start->size = plus(p, tcc_expr_sub(p->ir->exprs, tcc_type_dim(p->ir, from, a), tcc_type_dim(p->ir, to, a)), number(p, 1));
    start->divisor = number(p, 0); /* a negative start is clamped, not counted from the end */
    TccPullIndex base = computed(p, start);
    at[a] = tcc_pull_add(p, &base, &index[a]);
  }
  return tcc_pull_value(p, x, at);
}

static TccPullNode *guard(TccPull *p, TccPullNode *inside, TccPullNode *outside, const TccPullBound *bounds, int n) {
  if (!n) return inside;
  TccPullNode *node = new_node(p, TCC_PULL_GUARD, inside->elem);
  node->child[0] = inside, node->child[1] = outside, node->nchildren = 2;
  node->bound = TCC_NEW_ARRAY(p->arena, TccPullBound, n);
  memcpy(node->bound, bounds, sizeof *bounds * (size_t)n);
  node->nbounds = n;
  for (int b = 0; b < n; b++)
    for (int d = 0; d < p->ndims; d++) p->pinned[d] |= bounds[b].index.coef[d] != NULL;
  return node;
}

static TccPullNode *pad_node(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  TccIr *ir = p->ir;
  MlirValue x = mlirOperationGetOperand(op, 0), fill = mlirOperationGetOperand(op, 1);
  MlirType from = tcc_value_type(x);
  TccStr mode = tcc_string(ir, op, "mode");
  const TccExpr *const *low, *const *high;
  size_t n, nhigh;
  if (!tcc_get_exprs(ir, op, "low", &low, &n) || !tcc_get_exprs(ir, op, "high", &high, &nhigh)) return fail(p, "pad without sizes");
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
    TccPullNode *raw = index_node(p, &at[a]);
    TccPullKind kind = tcc_str_is(mode, "reflect") ? TCC_PULL_MIRROR : tcc_str_is(mode, "wrap") ? TCC_PULL_CYCLE : TCC_PULL_WRAP;
    TccPullNode *inside = new_node(p, kind, TCC_ELEM_I64);
    inside->child[inside->nchildren++] = raw;
    inside->size = size;
    inside->divisor = zero; /* edge: clamp only */
    at[a] = computed(p, inside);
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

static TccPullNode *concat_node(TccPull *p, MlirOperation op, const TccPullIndex *index) {
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

static TccPullNode *count_node(TccPull *p, MlirOperation op, TccOpKind kind, const TccPullIndex *index) {
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0));
  TccPullNode *count;
  if (kind == TCC_OP_IOTA) {
    count = index_node(p, &index[tcc_i64(p->ir, op, "axis")]);
  } else {
    const TccExpr *const *values;
    size_t n;
    const TccExpr *place;
    int64_t which;
    if (!tcc_get_exprs(p->ir, op, "values", &values, &n)) return fail(p, "sizes without values");
    if (tcc_pull_is_constant(p, &index[0], &place) && tcc_expr_is_const(place, &which) && which >= 0 && (size_t)which < n) {
      TccPullIndex value = tcc_pull_constant(p, values[which]);
      count = index_node(p, &value);
    } else { /* a chain of selections over its few entries */
      TccPullIndex value = tcc_pull_constant(p, n ? values[n - 1] : number(p, 0));
      count = index_node(p, &value);
      for (size_t i = n; i-- > 1;) {
        TccPullIndex here = tcc_pull_constant(p, values[i - 1]);
        TccPullBound bound = {index[0], NULL, number(p, (int64_t)i)};
        count = guard(p, index_node(p, &here), count, &bound, 1);
      }
    }
  }
  TccElem elem = tcc_type_elem(type);
  if (elem == TCC_ELEM_I64) return count;
  TccPullNode *node = new_node(p, TCC_PULL_OP, elem); /* an op without an MLIR op: a conversion from i64 */
  node->child[node->nchildren++] = count;
  return node;
}

static TccPullNode *load_node(TccPull *p, TccElem elem, int argument, const void *data, size_t count, const TccPullIndex *flat) {
  if (!tcc_scalar_type(elem)) return fail(p, "element type %s does not compute", tcc_elem_name(elem));
  TccPullNode *node = new_node(p, TCC_PULL_LOAD, elem);
  node->argument = argument, node->data = data, node->count = count;
  node->index = *flat;
  return node;
}

/* A reduction asked for by a row kernel: at the row's own index only. */
static TccPullNode *reduced_node(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0)), domain = tcc_value_type(mlirOperationGetOperand(op, 0));
  if (!p->rows) return fail(p, "a reduction outside of a row kernel");
  int rank = tcc_type_rank(domain), at = 0;
  bool keep = tcc_bool(p->ir, op, "keepdims");
  for (int axis = 0; axis < rank; axis++) {
    bool gone = p->reduced >> axis & 1;
    if (gone && !keep) continue;
    TccPullIndex want = gone ? tcc_pull_constant(p, number(p, 0)) : p->axis[axis];
    if (memcmp(&want, &index[at], sizeof want)) return fail(p, "a reduction read at another row");
    at++;
  }
  TccPullNode *node = new_node(p, TCC_PULL_REDUCED, tcc_type_elem(type));
  node->op = op;
  return node;
}

static TccPullNode *make(TccPull *p, MlirValue value, const TccPullIndex *index) {
  TccIr *ir = p->ir;
  MlirType type = tcc_value_type(value);
  int rank = tcc_type_rank(type);
  TccPullIndex at[TCC_MAX_RANK];
  if (!mlirValueIsAOpResult(value)) {
    TccPullIndex flat = tcc_pull_flat(p, type, index);
    return load_node(p, tcc_type_elem(type), (int)mlirBlockArgumentGetArgNumber(value), NULL, 0, &flat);
  }
  MlirOperation op = tcc_value_op(value);
  TccOpKind kind = tcc_op_kind(ir, op);
  if (!mlirOperationIsNull(p->anchor) && mlirOperationEqual(op, p->anchor)) {
    TccPullNode *node = new_node(p, TCC_PULL_REDUCED, tcc_type_elem(type));
    node->op = op;
    return node;
  }
  MlirType from = mlirOperationGetNumOperands(op) ? tcc_value_type(mlirOperationGetOperand(op, 0)) : type;
  switch (kind) {
  case TCC_OP_CONSTANT: {
    size_t count;
    const void *data = tcc_constant_data(ir, value, &count);
    if (!data) return fail(p, "a constant whose data cannot be read");
    TccPullIndex flat = tcc_pull_flat(p, type, index);
    return load_node(p, tcc_type_elem(type), -1, data, count, &flat);
  }
  case TCC_OP_TRANSPOSE: {
    const int64_t *perm;
    size_t n;
    if (!tcc_get_ints(ir, op, "perm", &perm, &n)) return fail(p, "transpose without perm");
    for (size_t i = 0; i < n; i++) at[perm[i]] = index[i];
    return tcc_pull_value(p, mlirOperationGetOperand(op, 0), at);
  }
  case TCC_OP_BROADCAST: {
    int from_rank = tcc_type_rank(from);
    for (int a = 0; a < from_rank; a++)
      at[a] = tcc_type_dim(ir, from, a) == number(p, 1) ? tcc_pull_constant(p, number(p, 0)) : index[rank - from_rank + a];
    return tcc_pull_value(p, mlirOperationGetOperand(op, 0), at);
  }
  case TCC_OP_SLICE: {
    const TccExpr *const *starts;
    const int64_t *steps;
    size_t n, nsteps;
    if (!tcc_get_exprs(ir, op, "starts", &starts, &n) || !tcc_get_ints(ir, op, "steps", &steps, &nsteps)) return fail(p, "slice without starts");
    for (size_t a = 0; a < n; a++) {
      TccPullIndex moved = tcc_pull_scale(p, &index[a], number(p, steps[a])), start = tcc_pull_constant(p, starts[a]);
      at[a] = tcc_pull_add(p, &moved, &start);
    }
    return tcc_pull_value(p, mlirOperationGetOperand(op, 0), at);
  }
  case TCC_OP_RESHAPE:
    if (!reshape_index(p, from, type, index, at)) return NULL;
    return tcc_pull_value(p, mlirOperationGetOperand(op, 0), at);
  case TCC_OP_GATHER:
  case TCC_OP_GATHER_ELEMENTS:
  case TCC_OP_GATHER_ND: return gather_node(p, op, kind, index);
  case TCC_OP_DYNAMIC_SLICE: return dynamic_slice_node(p, op, index);
  case TCC_OP_PAD: return pad_node(p, op, index);
  case TCC_OP_CONCAT: return concat_node(p, op, index);
  case TCC_OP_IOTA:
  case TCC_OP_SIZES: return count_node(p, op, kind, index);
  case TCC_OP_REDUCE:
  case TCC_OP_ARG_REDUCE: return reduced_node(p, op, index);
  default: break;
  }
  if (kind == TCC_OP_UNKNOWN || !tcc_op_has_trait(kind, 'E')) return fail(p, "'%s' in a kernel that pulls", tcc_op_name(kind));
  return op_node(p, op, index);
}

TccPullNode *tcc_pull_value(TccPull *p, MlirValue value, const TccPullIndex *index) {
  if (p->status || p->split >= 0) return NULL;
  int rank = tcc_type_rank(tcc_value_type(value));
  TccText key = {0};
  tcc_text_put(&key, (const char *)&value.ptr, sizeof value.ptr);
  for (int a = 0; a < rank; a++) tcc_text_put(&key, (const char *)&index[a], sizeof index[a]);
  TccMapEntry *known = tcc_map_find(p->memo, tcc_text_str(&key));
  TccPullNode *node = known ? known->pointer : make(p, value, index);
  if (!known && node) tcc_map_put(p->memo, tcc_text_str(&key), NULL)->pointer = node;
  tcc_text_destroy(&key);
  return node;
}

TccPullNode *tcc_pull_result(TccPull *p, TccIr *ir, MlirOperation kernel, MlirValue result, TccPullIndex *store) {
  MlirType type = tcc_value_type(result);
  TccPullDims dims;
  tcc_pull_dims_of(ir, type, &dims);
  for (;; tcc_pull_dims_split(&dims, p)) {
    TccPullIndex index[TCC_MAX_RANK];
    tcc_pull_init(p, ir, kernel);
    tcc_pull_use_dims(p, &dims, tcc_type_rank(type), index);
    TccPullNode *root = tcc_pull_value(p, result, index);
    if (root) *store = tcc_pull_flat(p, type, index);
    if (root || p->status) return p->status ? NULL : root;
  }
}

/* ---- joining dims ---- */

static bool walks_evenly(TccPull *p, const TccPullIndex *index, int d) {
  const TccExpr *inner = index->coef[d + 1], *outer = index->coef[d];
  if (!inner || !outer) return !inner && !outer;
  return outer == times(p, inner, p->dim[d + 1]);
}

static void drop_dim(TccPull *p, TccPullIndex *index, int d) { /* the joined dim d walks with the coefficient of d + 1 */
  index->coef[d] = index->coef[d + 1];
  for (int i = d + 1; i + 1 < p->ndims; i++) index->coef[i] = index->coef[i + 1];
  index->coef[p->ndims - 1] = NULL;
}

void tcc_pull_join_dims(TccPull *p, TccPullIndex *const *stores, int nstores) {
  for (int d = p->ndims - 1; d-- > 0;) {
    bool even = !p->pinned[d] && !p->pinned[d + 1];
    for (size_t n = 0; n < p->nodes.count && even; n++)
      if (p->nodes.data[n]->kind == TCC_PULL_LOAD) even = walks_evenly(p, &p->nodes.data[n]->index, d);
    for (int s = 0; s < nstores && even; s++) even = walks_evenly(p, stores[s], d);
    if (!even) continue;
    for (size_t n = 0; n < p->nodes.count; n++) {
      drop_dim(p, &p->nodes.data[n]->index, d);
      for (int b = 0; b < p->nodes.data[n]->nbounds; b++) drop_dim(p, &p->nodes.data[n]->bound[b].index, d);
    }
    for (int s = 0; s < nstores; s++) drop_dim(p, stores[s], d);
    p->dim[d] = times(p, p->dim[d], p->dim[d + 1]);
    for (int i = d + 1; i + 1 < p->ndims; i++) p->dim[i] = p->dim[i + 1], p->pinned[i] = p->pinned[i + 1];
    p->ndims--;
  }
}

/* rules_attention.c - the derivatives of attention and of the logarithms L of its sums: the weights p = softmax(scores) are computed again, so
 * that the forward kernel keeps no score matrix, and for a block of queries after the other, so that the backward has none either (Dao et al.,
 * FlashAttention, 2022, section 3.1; here the keys of a block stay whole, so its softmax needs nothing from outside).
 *
 *   dv = p^T g     dp = g v^T     t = p * (dp - sum(g * r))     dmask = t     t * scale (* 1 - tanh^2 with softcap)     dq = t k    dk = t^T q
 *
 * sum(p * dp) over the keys is sum(g * r) over the elements of the result r: with that t is made where the product g v^T is. Of L itself
 * p = e^(scores - L) and t = p * g. With causal a block has no keys but those that its last query sees. A row without a visible key has
 * p = NaN, or 0 with zero_masked and for L. Heads that share keys lie on an axis of their own, [B, G, H/G, S, D]; where none do there is no
 * such axis, so that what follows a product can join it. */
#include "passes/grad/grad.h"
#include <math.h>

/* Of fewer queries or more blocks the products would be too small to be fast. */
enum { BLOCK_QUERIES = 128, MOST_BLOCKS = 16 };

typedef struct {
  GradOp *a;
  bool wants[4];                  /* of q, k, v and mask */
  TccElem compute, narrow;        /* between products; of what products read */
  const TccExpr *groups, *inside; /* heads of k; heads of q for each */
  int64_t at;                     /* the axis of queries in q and g: 3, or 2 where no heads share keys */
  MlirValue q, k, v, g;  /* [B, G, H/G, S, D], [B, G, T, D], [B, G, T, E], [B, G, H/G, S, E]; v and g null: of logarithms */
  MlirValue mask, delta; /* delta: sum of g * r, or g of the logarithms, [B, H, S, 1] */
  MlirValue sums;        /* L, [B, H, S, 1]; null: of attention */
  const TccExpr *first;  /* number of the first query, for causal; null: 0 */
  MlirValue moved;       /* the same of an iteration, i64; null: 0 */
  MlirValue tanh;        /* of score / cap, [B, H, S, T]; null without softcap */
  MlirValue p;           /* [B, H, S, T] */
} Attention;

static MlirType type_of(const GradOp *a, int i) { return tcc_value_type(mlirOperationGetOperand(a->op, i)); }
static MlirValue op2(Attention *t, TccOpKind kind, MlirValue x, MlirValue y) { return tcc_build2(t->a->b, kind, x, y); }
static MlirValue times(Attention *t, MlirValue x, double factor) { return tcc_build2_number(t->a->b, TCC_OP_MUL, x, factor); }

static MlirValue in(Attention *t, MlirValue value) { return tcc_build_convert(t->a->b, value, t->compute); }
static MlirValue narrow(Attention *t, MlirValue value) { return tcc_build_convert(t->a->b, value, t->narrow); }

/* [B, H, X, Y] -> [B, G, H/G, X, Y] */
static MlirValue split(Attention *t, MlirValue value) {
  if (t->at == 2) return value;
  GradShape s = grad_shape(t->a->ir, value);
  const TccExpr *dims[5] = {s.dims[0], t->groups, t->inside, s.dims[2], s.dims[3]};
  return tcc_build_reshape(t->a->b, value, 5, dims);
}

static MlirValue join(Attention *t, MlirValue value) {
  if (t->at == 2) return value;
  GradShape s = grad_shape(t->a->ir, value);
  const TccExpr *dims[4] = {s.dims[0], tcc_expr_mul(t->a->ir->exprs, t->groups, t->inside), s.dims[3], s.dims[4]};
  return tcc_build_reshape(t->a->b, value, 4, dims);
}

/* Batch axes B and G; x and y are contracted along these axes. */
static MlirValue dot(Attention *t, MlirValue x, MlirValue y, const int64_t *lhs, const int64_t *rhs, size_t n) {
  static const int64_t batch[] = {0, 1};
  return in(t, tcc_build_dot_general(t->a->b, narrow(t, x), narrow(t, y), batch, batch, 2, lhs, rhs, n));
}

static MlirValue dot1(Attention *t, MlirValue x, MlirValue y, int64_t lhs, int64_t rhs) { return dot(t, x, y, &lhs, &rhs, 1); }

/* q k^T. The logarithms of sums are of scores that nobody rounded to 16 bits, so that their weights would not add up to 1. */
static MlirValue products(Attention *t) {
  TccIr *ir = t->a->ir;
  const int64_t last[] = {t->at + 1, 3}, batch[] = {0, 1};
  if (!t->sums.ptr || tcc_elem_bits(t->narrow) >= 32) return dot1(t, t->q, t->k, last[0], last[1]);
  TccNamedAttr attrs[] = {{"lhs_batch", tcc_attr_ints(ir, batch, 2)},
                          {"rhs_batch", tcc_attr_ints(ir, batch, 2)},
                          {"lhs_contract", tcc_attr_ints(ir, &last[0], 1)},
                          {"rhs_contract", tcc_attr_ints(ir, &last[1], 1)},
                          {"wide", tcc_attr_bool(ir, true)}};
  MlirValue operands[] = {t->q, t->k};
  return tcc_build_value(t->a->b, TCC_OP_DOT_GENERAL, operands, 2, attrs, 5, NULL);
}

/* Contracts queries, and the heads that share keys. */
static MlirValue dot_queries(Attention *t, MlirValue x, MlirValue y) {
  static const int64_t axes[] = {2, 3};
  return dot(t, x, y, axes, axes, (size_t)t->at - 1);
}

/* j <= i + first + offset as bool [S, T] */
static MlirValue visible(Attention *t) {
  GradOp *a = t->a;
  const TccExpr *dims[2] = {tcc_type_dim(a->ir, tcc_value_type(t->q), (int)t->at), tcc_type_dim(a->ir, tcc_value_type(t->k), 2)};
  const TccExpr *const *offset, *ahead = t->first;
  size_t n;
  MlirValue row = tcc_build_iota(a->b, TCC_ELEM_I64, 0, 2, dims), key = tcc_build_iota(a->b, TCC_ELEM_I64, 1, 2, dims);
  if (tcc_get_exprs(a->ir, a->op, "offset", &offset, &n) && n == 1)
    ahead = ahead ? tcc_expr_add(a->ir->exprs, ahead, offset[0]) : offset[0];
  if (ahead) row = op2(t, TCC_OP_ADD, row, grad_size_as(a->b, ahead, TCC_ELEM_I64));
  if (t->moved.ptr) row = op2(t, TCC_OP_ADD, row, t->moved);
  return tcc_build_compare(a->b, "le", key, row);
}

static void weights(Attention *t) {
  GradOp *a = t->a;
  double cap = tcc_f64(a->ir, a->op, "softcap");
  MlirValue mask = t->mask, hidden = tcc_build_scalar(a->b, t->compute, -INFINITY);
  MlirValue scores = times(t, join(t, products(t)), tcc_f64(a->ir, a->op, "scale"));
  if (cap > 0) {
    t->tanh = tcc_build1(a->b, TCC_OP_TANH, times(t, scores, 1 / cap));
    scores = times(t, t->tanh, cap);
  }
  if (tcc_value_elem(mask) == TCC_ELEM_BOOL) scores = tcc_build_select(a->b, mask, scores, hidden);
  else if (mask.ptr) scores = op2(t, TCC_OP_ADD, scores, in(t, mask));
  if (tcc_bool(a->ir, a->op, "causal")) scores = tcc_build_select(a->b, visible(t), scores, hidden);
  TccNamedAttr axis = {"axis", tcc_attr_i64(a->ir, 3)};
  if (t->sums.ptr) {
    t->p = tcc_build1(a->b, TCC_OP_EXP, op2(t, TCC_OP_SUB, scores, t->sums));
    return;
  }
  t->p = scores.ptr ? tcc_build_value(a->b, TCC_OP_SOFTMAX, &scores, 1, &axis, 1, NULL) : scores;
  if (tcc_bool(a->ir, a->op, "zero_masked"))
    t->p = tcc_build_select(a->b, tcc_build1(a->b, TCC_OP_IS_NAN, t->p), tcc_build_scalar(a->b, t->compute, 0), t->p);
}

/* What follows from q and k. */
static bool open_scores(Attention *t, GradOp *a, TccElem elem) {
  *t = (Attention){.a = a, .compute = grad_compute(elem), .narrow = elem};
  const TccExpr *heads = tcc_type_dim(a->ir, type_of(a, 0), 1);
  t->groups = tcc_type_dim(a->ir, type_of(a, 1), 1);
  t->at = heads == t->groups ? 2 : 3;
  t->inside = heads == t->groups ? grad_const(a, 1) : tcc_expr_divide_known(a->ir->exprs, heads, t->groups);
  if (!t->inside) return grad_fail(a, "heads of q do not divide into those of k");
  t->q = split(t, narrow(t, grad_operand(a, 0)));
  t->k = narrow(t, grad_operand(a, 1));
  t->wants[0] = a->wanted[0], t->wants[1] = a->wanted[1];
  return true;
}

/* [B, H, S] -> [B, H, S, 1] */
static MlirValue with_keys(Attention *t, MlirValue x) {
  GradShape s = grad_shape(t->a->ir, x);
  s.dims[3] = grad_const(t->a, 1);
  return in(t, tcc_build_reshape(t->a->b, x, 4, s.dims));
}

/* Logarithms as weights are relative to them: of a row without a visible key, where they are -inf, infinite, so that its weights are 0. */
static MlirValue log_sums(Attention *t, MlirValue x) {
  TccBuilder *b = t->a->b;
  x = with_keys(t, x);
  MlirValue none = tcc_build_compare(b, "eq", x, tcc_build_scalar(b, t->compute, -INFINITY));
  return tcc_build_select(b, none, tcc_build_scalar(b, t->compute, INFINITY), x);
}

static bool open_attention(Attention *t, GradOp *a) {
  int64_t elements = 3;
  if (!open_scores(t, a, tcc_value_elem(a->g[0]))) return false;
  t->wants[2] = a->wanted[2], t->wants[3] = a->wanted[3];
  t->g = split(t, a->g[0]);
  t->v = narrow(t, grad_operand(a, 2));
  t->mask = grad_operand(a, 3);
  if (t->wants[0] || t->wants[1] || t->wants[3])
    t->delta = tcc_build_reduce(a->b, "sum", op2(t, TCC_OP_MUL, in(t, a->g[0]), in(t, grad_result(a))), &elements, 1, true);
  return true;
}

static bool open_sums(Attention *t, GradOp *a) {
  if (!open_scores(t, a, tcc_type_elem(type_of(a, 0)))) return false;
  t->wants[3] = a->wanted[2];
  t->mask = grad_operand(a, 2);
  t->delta = with_keys(t, a->g[0]), t->sums = log_sums(t, grad_result(a));
  return true;
}

/* ---- a block of queries ---- */
/* Gradients of what is wanted; null: not wanted. */
typedef struct {
  MlirValue q, k, v, mask;
} Gradients;

static Gradients gradients(Attention *t) {
  GradOp *a = t->a;
  Gradients d = {0};
  weights(t);
  if (t->wants[2]) d.v = dot_queries(t, split(t, t->p), t->g);
  if (!t->delta.ptr) return d;
  MlirValue slope_of_p = t->delta;
  if (t->v.ptr) slope_of_p = op2(t, TCC_OP_SUB, join(t, dot1(t, t->g, t->v, t->at + 1, 3)), t->delta);
  MlirValue scores = op2(t, TCC_OP_MUL, t->p, slope_of_p);
  if (t->wants[3]) d.mask = scores;
  if (t->tanh.ptr) {
    MlirValue slope = op2(t, TCC_OP_SUB, tcc_build_scalar(a->b, t->compute, 1), op2(t, TCC_OP_MUL, t->tanh, t->tanh));
    scores = op2(t, TCC_OP_MUL, scores, slope);
  }
  scores = split(t, times(t, scores, tcc_f64(a->ir, a->op, "scale")));
  if (t->wants[0]) d.q = join(t, dot1(t, scores, t->k, t->at + 1, 2));
  if (t->wants[1]) d.k = dot_queries(t, scores, t->q);
  return d;
}

/* ---- blocks ---- */
/* [from, from + count) of an axis. */
static MlirValue part(Attention *t, MlirValue x, int64_t axis, int64_t from, int64_t count) {
  return x.ptr ? tcc_build_slice_axis(t->a->b, x, axis, grad_const(t->a, from), 1, grad_const(t->a, count)) : x;
}

/* The part of a mask, whose axes may have size 1 or be absent. */
static MlirValue mask_part(Attention *t, MlirValue mask, int64_t from_end, int64_t from, int64_t count) {
  int64_t size, axis = mask.ptr ? tcc_type_rank(tcc_value_type(mask)) - from_end : -1;
  if (axis < 0 || (tcc_expr_is_const(tcc_type_dim(t->a->ir, tcc_value_type(mask), (int)axis), &size) && size == 1)) return mask;
  return part(t, mask, axis, from, count);
}

/* How many keys queries in front of `end` see. */
static int64_t keys_seen(const Attention *t, int64_t end, int64_t keys) {
  const TccExpr *const *offset;
  size_t n;
  int64_t ahead = 0;
  if (!tcc_bool(t->a->ir, t->a->op, "causal")) return keys;
  if (tcc_get_exprs(t->a->ir, t->a->op, "offset", &offset, &n) && n == 1 && !tcc_expr_is_const(offset[0], &ahead)) return keys;
  int64_t seen = end + ahead;
  return seen < 1 || seen > keys ? keys : seen;
}

static Gradients block(const Attention *whole, int64_t from, int64_t count, int64_t keys) {
  Attention t = *whole;
  int64_t seen = keys_seen(whole, from + count, keys);
  t.q = part(&t, t.q, t.at, from, count), t.g = part(&t, t.g, t.at, from, count), t.delta = part(&t, t.delta, 2, from, count);
  t.sums = part(&t, t.sums, 2, from, count);
  t.k = part(&t, t.k, 2, 0, seen), t.v = part(&t, t.v, 2, 0, seen);
  t.mask = mask_part(&t, mask_part(&t, t.mask, 2, from, count), 1, 0, seen);
  t.first = grad_const(t.a, from);
  Gradients d = gradients(&t);
  const TccExpr *none = grad_const(t.a, 0), *unseen = grad_const(t.a, keys - seen);
  d.k = grad_pad_axis(t.a->b, d.k, 2, none, unseen), d.v = grad_pad_axis(t.a->b, d.v, 2, none, unseen);
  return d;
}

static MlirValue sum(Attention *t, MlirValue all, MlirValue more) { return all.ptr ? op2(t, TCC_OP_ADD, all, more) : more; }

/* ---- blocks where sizes are symbols: iterations of a loop ---- */
/* What a loop's body reads of, and what it carries: of values outside, in one order. */
typedef struct {
  MlirBlock body;
  MlirValue outside[16], inside[16], next[16];
  size_t n, carried;
} Loop;

enum { COUNTER, SUM_Q, SUM_K, SUM_V, CARRIED };

static MlirValue enter(Loop *l, MlirValue value, MlirLocation location) {
  if (!value.ptr) return value;
  l->outside[l->n] = value;
  return l->inside[l->n++] = mlirBlockAddArgument(l->body, tcc_value_type(value), location);
}

/* The last axis but one in blocks that stand in front: [..., S, D] -> [blocks, ..., each, D]. Behind the last query are
 * zeros, whose gradients are zero, or of a mask that query again: what has no visible key has none in the model, either. Logarithms are
 * infinite there, so that weights are 0. */
static MlirValue in_front(Attention *t, MlirValue x, const TccExpr *blocks, const TccExpr *each, const char *mode, double filler) {
  TccBuilder *b = t->a->b;
  TccIr *ir = t->a->ir;
  int64_t size, perm[TCC_MAX_RANK];
  if (!x.ptr) return x;
  GradShape s = grad_shape(ir, x);
  int axis = s.rank - 2;
  if (axis < 0 || (tcc_expr_is_const(s.dims[axis], &size) && size == 1)) return x;
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  for (int i = 0; i < s.rank; i++) low[i] = high[i] = grad_const(t->a, 0);
  high[axis] = tcc_expr_sub(ir->exprs, tcc_expr_mul(ir->exprs, blocks, each), s.dims[axis]);
  MlirValue value = filler != 0 ? tcc_build_scalar(b, tcc_value_elem(x), filler) : (MlirValue){NULL};
  x = tcc_build_pad(b, x, value, low, high, mode);
  for (int i = s.rank++; i > axis; i--) s.dims[i] = s.dims[i - 1];
  s.dims[axis] = blocks, s.dims[axis + 1] = each;
  for (int i = 0; i < s.rank; i++) perm[i] = i == 0 ? axis : i <= axis ? i - 1 : i;
  return tcc_build_transpose(b, tcc_build_reshape(b, x, s.rank, s.dims), perm);
}

/* [blocks, B, H, each, D] -> [B, H, S, D] */
static MlirValue from_front(Attention *t, MlirValue x, const TccExpr *queries) {
  static const int64_t perm[] = {1, 2, 0, 3, 4};
  GradShape s = grad_shape(t->a->ir, x);
  const TccExpr *dims[] = {s.dims[1], s.dims[2], tcc_expr_mul(t->a->ir->exprs, s.dims[0], s.dims[3]), s.dims[4]};
  x = tcc_build_reshape(t->a->b, tcc_build_transpose(t->a->b, x, perm), 4, dims);
  return tcc_build_slice_axis(t->a->b, x, 2, grad_const(t->a, 0), 1, queries);
}

static MlirValue zeros_of(Attention *t, int rank, const TccExpr *const *dims) {
  GradShape s = {.rank = rank};
  for (int i = 0; i < rank; i++) s.dims[i] = dims[i];
  return grad_full(t->a->b, t->compute, 0, &s);
}

/* What a block has of `plain` where that is `in_blocks` outside; inside: what the body reads. */
static MlirValue of_block(Attention *t, MlirValue plain, MlirValue in_blocks, MlirValue inside, MlirValue counter) {
  return plain.ptr && !mlirValueEqual(plain, in_blocks) ? tcc_build_gather(t->a->b, inside, counter, 0) : inside;
}

/* One iteration a block: sums of dk and dv are carried, and the parts of dq. */
static Gradients in_iterations(Attention *t) {
  GradOp *a = t->a;
  TccIr *ir = a->ir;
  TccExprPool *pool = ir->exprs;
  MlirLocation location = a->b->location;
  const TccExpr *one = grad_const(a, 1), *queries = tcc_type_dim(ir, tcc_value_type(t->q), (int)t->at);
  const TccExpr *some = tcc_expr_call(pool, TCC_EXPR_MAX, queries, one),
                *each = tcc_expr_call(pool, TCC_EXPR_MIN, some, grad_const(a, BLOCK_QUERIES)),
                *blocks = tcc_expr_call(pool, TCC_EXPR_CEILDIV, queries, each);
  MlirValue q = in_front(t, t->q, blocks, each, "constant", 0), g = in_front(t, t->g, blocks, each, "constant", 0),
            delta = in_front(t, t->delta, blocks, each, "constant", 0), mask = in_front(t, t->mask, blocks, each, "edge", 0),
            row_sums = in_front(t, t->sums, blocks, each, "constant", INFINITY);
  Loop l = {.body = mlirBlockCreate(0, NULL, NULL)};
  GradShape k = grad_shape(ir, t->k), v = t->v.ptr ? grad_shape(ir, t->v) : k, whole = grad_shape(ir, grad_operand(a, 0));
  const TccExpr *parts[] = {blocks, whole.dims[0], whole.dims[1], each, whole.dims[3]};
  MlirValue sums[CARRIED] = {[COUNTER] = tcc_build_scalar_i64(a->b, TCC_ELEM_I64, 0)};
  if (t->wants[0]) sums[SUM_Q] = zeros_of(t, 5, parts);
  if (t->wants[1]) sums[SUM_K] = zeros_of(t, 4, k.dims);
  if (t->wants[2]) sums[SUM_V] = zeros_of(t, 4, v.dims);
  for (int i = 0; i < CARRIED; i++) sums[i] = enter(&l, sums[i], location);
  l.carried = l.n;
  TccBuilder inside = {ir, l.body, {NULL}, location};
  GradOp within = *a;
  Attention block = *t;
  within.b = &inside, block.a = &within;
  block.q = enter(&l, q, location), block.g = enter(&l, g, location), block.delta = enter(&l, delta, location);
  block.sums = enter(&l, row_sums, location);
  block.k = enter(&l, t->k, location), block.v = enter(&l, t->v, location), block.mask = enter(&l, mask, location);
  block.q = of_block(&block, t->q, q, block.q, sums[COUNTER]), block.g = of_block(&block, t->g, g, block.g, sums[COUNTER]);
  block.delta = of_block(&block, t->delta, delta, block.delta, sums[COUNTER]);
  block.mask = of_block(&block, t->mask, mask, block.mask, sums[COUNTER]);
  block.sums = of_block(&block, t->sums, row_sums, block.sums, sums[COUNTER]);
  block.moved = op2(&block, TCC_OP_MUL, sums[COUNTER], grad_size_as(&inside, each, TCC_ELEM_I64));
  Gradients d = gradients(&block);
  size_t n = 0;
  l.next[n++] = op2(&block, TCC_OP_ADD, sums[COUNTER], tcc_build_scalar_i64(&inside, TCC_ELEM_I64, 1));
  MlirValue part[] = {sums[SUM_Q], sums[COUNTER], d.q};
  if (t->wants[0]) l.next[n++] = d.q.ptr ? tcc_build_value(&inside, TCC_OP_DYNAMIC_UPDATE_SLICE, part, 3, NULL, 0, NULL) : d.q;
  if (t->wants[1]) l.next[n++] = op2(&block, TCC_OP_ADD, sums[SUM_K], d.k);
  if (t->wants[2]) l.next[n++] = op2(&block, TCC_OP_ADD, sums[SUM_V], d.v);
  for (size_t i = 0; i < n; i++)
    if (!l.next[i].ptr) return mlirBlockDestroy(l.body), (Gradients){0};
  grad_set_return(a->grad, l.body, l.next, n);
  const char *name = grad_name(a->grad, tcc_str("attention"), "_bwd");
  grad_add_function(a->grad, name, location, l.body);
  MlirOperation call = grad_build_call(a->b, name, l.outside, l.n);
  tcc_call_set_loop(ir, call, blocks, false);
  intptr_t at = 1;
  Gradients all = {0};
  if (t->wants[0]) all.q = from_front(t, mlirOperationGetResult(call, at++), queries);
  if (t->wants[1]) all.k = mlirOperationGetResult(call, at++);
  if (t->wants[2]) all.v = mlirOperationGetResult(call, at++);
  return all;
}

/* Queries of a block: all for the gradient of a mask, which is as large as the scores. */
static int64_t block_queries(const Attention *t, int64_t queries) {
  if (t->wants[3]) return queries;
  int64_t each = (queries + MOST_BLOCKS - 1) / MOST_BLOCKS;
  return each < BLOCK_QUERIES ? BLOCK_QUERIES : each;
}

static Gradients in_blocks(Attention *t) {
  TccIr *ir = t->a->ir;
  const TccExpr *rows = tcc_type_dim(ir, tcc_value_type(t->q), (int)t->at);
  int64_t queries, keys;
  bool known = tcc_expr_is_const(rows, &queries) && tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(t->k), 2), &keys);
  if (!known) return t->wants[3] || tcc_ir_likely(ir, rows) < 2 * BLOCK_QUERIES ? gradients(t) : in_iterations(t);
  int64_t each = block_queries(t, queries);
  if (queries < 2 * each) return gradients(t);
  Gradients all = {0};
  MlirValue parts[MOST_BLOCKS];
  size_t n = 0;
  for (int64_t from = 0; from < queries; from += each) {
    Gradients d = block(t, from, queries - from < each ? queries - from : each, keys);
    parts[n++] = d.q;
    if (d.k.ptr) all.k = sum(t, all.k, d.k);
    if (d.v.ptr) all.v = sum(t, all.v, d.v);
  }
  if (parts[0].ptr) all.q = tcc_build_concat(t->a->b, parts, n, 2);
  return all;
}

static bool give(Attention *t, int mask_at) {
  GradOp *a = t->a;
  Gradients d = in_blocks(t);
  if (t->wants[0]) grad_give(a, 0, grad_narrow(a, d.q, 0));
  if (t->wants[1]) grad_give(a, 1, grad_narrow(a, d.k, 1));
  if (t->wants[2]) grad_give(a, 2, grad_narrow(a, d.v, 2));
  if (t->wants[3]) grad_give(a, mask_at, grad_narrow(a, grad_sum_to(a->b, d.mask, type_of(a, mask_at)), mask_at));
  return true;
}

bool tcc_grad_attention(GradOp *a) {
  Attention t;
  return open_attention(&t, a) && give(&t, 3);
}

bool tcc_grad_attention_logsumexp(GradOp *a) {
  Attention t;
  return open_sums(&t, a) && give(&t, 2);
}

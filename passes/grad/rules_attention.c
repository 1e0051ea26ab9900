/* rules_attention.c - the derivative of attention: the weights p = softmax(scores) are computed again, so that the forward kernel keeps
 * no score matrix (Dao et al., FlashAttention, 2022, section 3.1).
 *
 *   dv = p^T g     dp = g v^T     t = p * (dp - sum(p * dp))     dmask = t     t * scale (* 1 - tanh^2 with softcap)     dq = t k    dk = t^T q
 *
 * A row without a visible key has p = NaN, or 0 with zero_masked. Heads that share keys lie on an axis of their own: [B, G, H/G, S, D]. */
#include "passes/grad/grad.h"
#include <math.h>

typedef struct {
  GradOp *a;
  TccElem compute;
  const TccExpr *groups, *inside; /* heads of k; heads of q for each */
  MlirValue q, k, v, g;           /* [B, G, H/G, S, D], [B, G, T, D], [B, G, T, E], [B, G, H/G, S, E] */
  MlirValue tanh;                 /* of score / cap, [B, H, S, T]; null without softcap */
  MlirValue p;                    /* [B, H, S, T] */
} Attention;

static MlirType type_of(const GradOp *a, int i) { return tcc_value_type(mlirOperationGetOperand(a->op, i)); }
static MlirValue op2(Attention *t, TccOpKind kind, MlirValue x, MlirValue y) { return tcc_build2(t->a->b, kind, x, y); }
static MlirValue times(Attention *t, MlirValue x, double factor) { return tcc_build2_number(t->a->b, TCC_OP_MUL, x, factor); }

static MlirValue in(Attention *t, MlirValue value) { return tcc_build_convert(t->a->b, value, t->compute); }

/* [B, H, X, Y] -> [B, G, H/G, X, Y] */
static MlirValue split(Attention *t, MlirValue value) {
  GradShape s = grad_shape(t->a->ir, value);
  const TccExpr *dims[5] = {s.dims[0], t->groups, t->inside, s.dims[2], s.dims[3]};
  return tcc_build_reshape(t->a->b, value, 5, dims);
}

static MlirValue join(Attention *t, MlirValue value) {
  GradShape s = grad_shape(t->a->ir, value);
  const TccExpr *dims[4] = {s.dims[0], tcc_expr_mul(t->a->ir->exprs, t->groups, t->inside), s.dims[3], s.dims[4]};
  return tcc_build_reshape(t->a->b, value, 4, dims);
}

/* Batch axes B and G; x and y are contracted along these axes. */
static MlirValue dot(Attention *t, MlirValue x, MlirValue y, const int64_t *lhs, const int64_t *rhs, size_t n) {
  static const int64_t batch[] = {0, 1};
  return tcc_build_dot_general(t->a->b, x, y, batch, batch, 2, lhs, rhs, n);
}

static MlirValue dot1(Attention *t, MlirValue x, MlirValue y, int64_t lhs, int64_t rhs) { return dot(t, x, y, &lhs, &rhs, 1); }

/* j <= i + offset as bool [S, T] */
static MlirValue visible(Attention *t) {
  GradOp *a = t->a;
  const TccExpr *dims[2] = {tcc_type_dim(a->ir, type_of(a, 0), 2), tcc_type_dim(a->ir, type_of(a, 1), 2)}, *const * offset;
  size_t n;
  MlirValue row = tcc_build_iota(a->b, TCC_ELEM_I64, 0, 2, dims), key = tcc_build_iota(a->b, TCC_ELEM_I64, 1, 2, dims);
  if (tcc_get_exprs(a->ir, a->op, "offset", &offset, &n) && n == 1)
    row = op2(t, TCC_OP_ADD, row, grad_size_as(a->b, offset[0], TCC_ELEM_I64));
  return tcc_build_compare(a->b, "le", key, row);
}

static void weights(Attention *t) {
  GradOp *a = t->a;
  double cap = tcc_f64(a->ir, a->op, "softcap");
  MlirValue mask = grad_operand(a, 3), hidden = tcc_build_scalar(a->b, t->compute, -INFINITY);
  MlirValue scores = times(t, join(t, dot1(t, t->q, t->k, 4, 3)), tcc_f64(a->ir, a->op, "scale"));
  if (cap > 0) {
    t->tanh = tcc_build1(a->b, TCC_OP_TANH, times(t, scores, 1 / cap));
    scores = times(t, t->tanh, cap);
  }
  if (tcc_value_elem(mask) == TCC_ELEM_BOOL) scores = tcc_build_select(a->b, mask, scores, hidden);
  else if (mask.ptr) scores = op2(t, TCC_OP_ADD, scores, in(t, mask));
  if (tcc_bool(a->ir, a->op, "causal")) scores = tcc_build_select(a->b, visible(t), scores, hidden);
  TccNamedAttr axis = {"axis", tcc_attr_i64(a->ir, 3)};
  t->p = scores.ptr ? tcc_build_value(a->b, TCC_OP_SOFTMAX, &scores, 1, &axis, 1, NULL) : scores;
  if (tcc_bool(a->ir, a->op, "zero_masked"))
    t->p = tcc_build_select(a->b, tcc_build1(a->b, TCC_OP_IS_NAN, t->p), tcc_build_scalar(a->b, t->compute, 0), t->p);
}

static bool open_attention(Attention *t, GradOp *a) {
  *t = (Attention){.a = a, .compute = grad_compute(tcc_value_elem(a->g[0]))};
  const TccExpr *heads = tcc_type_dim(a->ir, type_of(a, 0), 1);
  t->groups = tcc_type_dim(a->ir, type_of(a, 1), 1);
  t->inside = heads == t->groups ? grad_const(a, 1) : tcc_expr_divide_exactly(a->ir->exprs, heads, t->groups);
  if (!t->inside) return grad_fail(a, "heads of q do not divide into those of k");
  t->q = split(t, in(t, grad_operand(a, 0)));
  t->g = split(t, in(t, a->g[0]));
  t->k = in(t, grad_operand(a, 1));
  t->v = in(t, grad_operand(a, 2));
  weights(t);
  return true;
}

bool tcc_grad_attention(GradOp *a) {
  static const int64_t rows[] = {2, 3}; /* head in its group, query */
  Attention t;
  if (!open_attention(&t, a)) return false;
  if (a->wanted[2]) grad_give(a, 2, grad_narrow(a, dot(&t, split(&t, t.p), t.g, rows, rows, 2), 2));
  if (!a->wanted[0] && !a->wanted[1] && !a->wanted[3]) return true;
  MlirValue dp = join(&t, dot1(&t, t.g, t.v, 4, 3));
  int64_t keys = 3;
  MlirValue sum = tcc_build_reduce(a->b, "sum", op2(&t, TCC_OP_MUL, t.p, dp), &keys, 1, true);
  MlirValue scores = op2(&t, TCC_OP_MUL, t.p, op2(&t, TCC_OP_SUB, dp, sum));
  if (a->wanted[3]) grad_give(a, 3, grad_narrow(a, grad_sum_to(a->b, scores, type_of(a, 3)), 3));
  if (t.tanh.ptr) {
    MlirValue slope = op2(&t, TCC_OP_SUB, tcc_build_scalar(a->b, t.compute, 1), op2(&t, TCC_OP_MUL, t.tanh, t.tanh));
    scores = op2(&t, TCC_OP_MUL, scores, slope);
  }
  scores = split(&t, times(&t, scores, tcc_f64(a->ir, a->op, "scale")));
  if (a->wanted[0]) grad_give(a, 0, grad_narrow(a, join(&t, dot1(&t, scores, t.k, 4, 2)), 0));
  if (a->wanted[1]) grad_give(a, 1, grad_narrow(a, dot(&t, scores, t.q, rows, rows, 2), 1));
  return true;
}

/* attention.c - expansions of attention and rotary embedding. */
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"
#include <math.h>

/* [B, H, S, D] -> [B, G, H/G, S, D]: the heads that share keys lie together, so no key is repeated. */
static MlirValue split_heads(TccExpand *x, MlirValue v, const TccExpr *groups, const TccExpr *inside) {
  TccShape s;
  if (!tcc_ex_shape(x, v, &s)) return (MlirValue){NULL};
  const TccExpr *dims[5] = {s.dims[0], groups, inside, s.dims[2], s.dims[3]};
  return tcc_build_reshape(x->b, v, 5, dims);
}

static MlirValue join_heads(TccExpand *x, MlirValue v, const TccExpr *heads) {
  TccShape s;
  if (!tcc_ex_shape(x, v, &s)) return (MlirValue){NULL};
  const TccExpr *dims[4] = {s.dims[0], heads, s.dims[3], s.dims[4]};
  return tcc_build_reshape(x->b, v, 4, dims);
}

/* k or v with the row of its heads that each head of q reads, where sizes do not tell how many share one: a quotient of symbols is no
 * axis that a reshape could be checked with. That it is exact is a constraint (tcc.attention, C4). */
static MlirValue repeat_heads(TccExpand *x, MlirValue v, const TccExpr *heads, const TccExpr *groups) {
  MlirValue inside = tcc_build2(x->b, TCC_OP_DIV, tcc_ex_size(x, heads, TCC_ELEM_I64), tcc_ex_size(x, groups, TCC_ELEM_I64));
  MlirValue head = tcc_build_iota(x->b, TCC_ELEM_I64, 0, 1, &heads);
  return tcc_build_gather(x->b, v, tcc_build2(x->b, TCC_OP_DIV, head, inside), 1);
}

/* j <= i + offset as bool [S, T] */
static MlirValue causal_mask(TccExpand *x, const TccExpr *queries, const TccExpr *keys) {
  const TccExpr *dims[2] = {queries, keys}, *const * offset;
  size_t n;
  MlirValue row = tcc_build_iota(x->b, TCC_ELEM_I64, 0, 2, dims), column = tcc_build_iota(x->b, TCC_ELEM_I64, 1, 2, dims);
  int64_t value;
  if (tcc_get_exprs(x->ir, x->op, "offset", &offset, &n) && n == 1 && !(tcc_expr_is_const(offset[0], &value) && value == 0))
    row = tcc_build2(x->b, TCC_OP_ADD, row, tcc_ex_size(x, offset[0], TCC_ELEM_I64));
  return tcc_build_compare(x->b, "le", column, row);
}

bool tcc_expand_attention(TccExpand *x, MlirValue *results) {
  MlirValue q = tcc_ex_in(x, 0), k = tcc_ex_in(x, 1), v = tcc_ex_in(x, 2), mask = tcc_ex_operand(x, 3);
  TccShape sq, sk;
  if (!tcc_ex_shape(x, q, &sq) || !tcc_ex_shape(x, k, &sk)) return false;
  const TccExpr *heads = sq.dims[1], *groups = sk.dims[1];
  bool grouped = heads != groups;
  const TccExpr *inside = grouped ? tcc_expr_divide_known(x->ir->exprs, heads, groups) : NULL;
  if (grouped && !inside) {
    k = repeat_heads(x, k, heads, groups), v = repeat_heads(x, v, heads, groups);
    grouped = false;
  }
  MlirValue scores;
  if (grouped) scores = join_heads(x, tcc_ex_dot(x, split_heads(x, q, groups, inside), k, 2, 4, 3), heads);
  else scores = tcc_ex_dot(x, q, k, 2, 3, 3);
  scores = tcc_ex_times(x, scores, tcc_f64(x->ir, x->op, "scale"));
  double cap = tcc_f64(x->ir, x->op, "softcap");
  if (cap > 0) scores = tcc_ex_times(x, tcc_build1(x->b, TCC_OP_TANH, tcc_ex_times(x, scores, 1 / cap)), cap);
  if (mask.ptr && tcc_type_elem(tcc_value_type(mask)) == TCC_ELEM_BOOL)
    scores = tcc_build_select(x->b, mask, scores, tcc_ex_scalar(x, -INFINITY));
  else if (mask.ptr) scores = tcc_build2(x->b, TCC_OP_ADD, scores, tcc_build_convert(x->b, mask, x->compute));
  if (tcc_bool(x->ir, x->op, "causal"))
    scores = tcc_build_select(x->b, causal_mask(x, sq.dims[2], sk.dims[2]), scores, tcc_ex_scalar(x, -INFINITY));
  MlirValue p = tcc_ex_softmax(x, scores, 3);
  if (tcc_bool(x->ir, x->op, "zero_masked")) p = tcc_build_select(x->b, tcc_build1(x->b, TCC_OP_IS_NAN, p), tcc_ex_scalar(x, 0), p);
  MlirValue r;
  if (grouped) r = join_heads(x, tcc_ex_dot(x, split_heads(x, p, groups, inside), v, 2, 4, 2), heads);
  else r = tcc_ex_dot(x, p, v, 2, 3, 2);
  results[0] = tcc_ex_out(x, r);
  return results[0].ptr != NULL;
}

/* The pairs are halves of the rotated part, or its even and odd elements. That it is even and no wider than x is a constraint where sizes
 * are symbols (tcc.rotary_embedding, C3): what two halves leave of x is nothing then, but makes the result as wide as x without knowing. */
bool tcc_expand_rotary_embedding(TccExpand *x, MlirValue *results) {
  MlirValue v = tcc_ex_in(x, 0), c = tcc_ex_in(x, 1), s = tcc_ex_in(x, 2);
  TccShape shape;
  if (!tcc_ex_shape(x, v, &shape)) return false;
  const int64_t given = tcc_i64(x->ir, x->op, "rotary_dim");
  const bool interleaved = tcc_bool(x->ir, x->op, "interleaved");
  const TccExpr *depth = shape.dims[3], *rotary = given ? tcc_ex_const(x, given) : depth, *one = tcc_ex_const(x, 1);
  const TccExpr *half = tcc_expr_call(x->ir->exprs, TCC_EXPR_FLOORDIV, rotary, tcc_ex_const(x, 2));
  const TccExpr *turned = tcc_expr_add(x->ir->exprs, half, half);
  MlirValue first = tcc_ex_slice(x, v, 3, 0, interleaved ? 2 : 1, half);
  MlirValue second = tcc_build_slice_axis(x->b, v, 3, interleaved ? one : half, interleaved ? 2 : 1, half);
  MlirValue rotated[3] = {
      tcc_build2(x->b, TCC_OP_SUB, tcc_build2(x->b, TCC_OP_MUL, first, c), tcc_build2(x->b, TCC_OP_MUL, second, s)),
      tcc_build2(x->b, TCC_OP_ADD, tcc_build2(x->b, TCC_OP_MUL, second, c), tcc_build2(x->b, TCC_OP_MUL, first, s))};
  size_t parts = 2;
  if (interleaved) {
    const TccExpr *pairs[5] = {shape.dims[0], shape.dims[1], shape.dims[2], half, one};
    const TccExpr *flat[4] = {shape.dims[0], shape.dims[1], shape.dims[2], turned};
    for (int i = 0; i < 2; i++) rotated[i] = tcc_build_reshape(x->b, rotated[i], 5, pairs);
    rotated[0] = tcc_build_reshape(x->b, tcc_build_concat(x->b, rotated, 2, 4), 4, flat);
    parts = 1;
  }
  if (turned != depth) rotated[parts++] = tcc_build_slice_axis(x->b, v, 3, turned, 1, tcc_expr_sub(x->ir->exprs, depth, turned));
  results[0] = tcc_ex_out(x, tcc_build_concat(x->b, rotated, parts, 3));
  return results[0].ptr != NULL;
}

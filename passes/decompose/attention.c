/* attention.c - expansions of attention, of the logarithms of its sums, and of rotary embedding. */
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

/* Queries, from the number `first` on, and the keys that they meet. */
typedef struct {
  MlirValue q, k, mask; /* mask: null where there is none */
  const TccExpr *heads, *groups, *inside;
  bool grouped;
  int64_t first;
} Scores;

static bool open_scores(TccExpand *x, MlirValue mask, Scores *out) {
  TccShape sq, sk;
  *out = (Scores){.q = tcc_ex_in(x, 0), .k = tcc_ex_in(x, 1), .mask = mask};
  if (!tcc_ex_shape(x, out->q, &sq) || !tcc_ex_shape(x, out->k, &sk)) return false;
  out->heads = sq.dims[1], out->groups = sk.dims[1];
  out->grouped = out->heads != out->groups;
  out->inside = out->grouped ? tcc_expr_divide_known(x->ir->exprs, out->heads, out->groups) : NULL;
  if (out->grouped && !out->inside) out->k = repeat_heads(x, out->k, out->heads, out->groups);
  return true;
}

static bool is_grouped(const Scores *s) { return s->grouped && s->inside; }

/* j <= i + first + offset as bool [S, T] */
static MlirValue causal_mask(TccExpand *x, const TccExpr *queries, const TccExpr *keys, int64_t first) {
  const TccExpr *dims[2] = {queries, keys}, *const * offset, *ahead = tcc_ex_const(x, first);
  size_t n;
  MlirValue row = tcc_build_iota(x->b, TCC_ELEM_I64, 0, 2, dims), column = tcc_build_iota(x->b, TCC_ELEM_I64, 1, 2, dims);
  int64_t value;
  if (tcc_get_exprs(x->ir, x->op, "offset", &offset, &n) && n == 1) ahead = tcc_expr_add(x->ir->exprs, ahead, offset[0]);
  if (!tcc_expr_is_const(ahead, &value) || value != 0) row = tcc_build2(x->b, TCC_OP_ADD, row, tcc_ex_size(x, ahead, TCC_ELEM_I64));
  return tcc_build_compare(x->b, "le", column, row);
}

static MlirValue scores_of(TccExpand *x, const Scores *s) {
  TccShape sq, sk;
  MlirValue scores, mask = s->mask;
  if (!tcc_ex_shape(x, s->q, &sq) || !tcc_ex_shape(x, s->k, &sk)) return (MlirValue){NULL};
  if (is_grouped(s)) scores = join_heads(x, tcc_ex_dot(x, split_heads(x, s->q, s->groups, s->inside), s->k, 2, 4, 3), s->heads);
  else scores = tcc_ex_dot(x, s->q, s->k, 2, 3, 3);
  scores = tcc_ex_times(x, scores, tcc_f64(x->ir, x->op, "scale"));
  double cap = tcc_f64(x->ir, x->op, "softcap");
  if (cap > 0) scores = tcc_ex_times(x, tcc_build1(x->b, TCC_OP_TANH, tcc_ex_times(x, scores, 1 / cap)), cap);
  if (mask.ptr && tcc_type_elem(tcc_value_type(mask)) == TCC_ELEM_BOOL)
    scores = tcc_build_select(x->b, mask, scores, tcc_ex_scalar(x, -INFINITY));
  else if (mask.ptr) scores = tcc_build2(x->b, TCC_OP_ADD, scores, tcc_build_convert(x->b, mask, x->compute));
  if (tcc_bool(x->ir, x->op, "causal"))
    scores = tcc_build_select(x->b, causal_mask(x, sq.dims[2], sk.dims[2], s->first), scores, tcc_ex_scalar(x, -INFINITY));
  return scores;
}

bool tcc_expand_attention(TccExpand *x, MlirValue *results) {
  MlirValue v = tcc_ex_in(x, 2);
  Scores s;
  if (!open_scores(x, tcc_ex_operand(x, 3), &s)) return false;
  if (s.grouped && !s.inside) v = repeat_heads(x, v, s.heads, s.groups);
  MlirValue p = tcc_ex_softmax(x, scores_of(x, &s), 3);
  if (tcc_bool(x->ir, x->op, "zero_masked")) p = tcc_build_select(x->b, tcc_build1(x->b, TCC_OP_IS_NAN, p), tcc_ex_scalar(x, 0), p);
  MlirValue r;
  if (is_grouped(&s)) r = join_heads(x, tcc_ex_dot(x, split_heads(x, p, s.groups, s.inside), v, 2, 4, 2), s.heads);
  else r = tcc_ex_dot(x, p, v, 2, 3, 2);
  results[0] = tcc_ex_out(x, r);
  return results[0].ptr != NULL;
}

/* ---- logarithms of the sums of rows ---- */
/* Of fewer queries or more blocks the products would be too small to be fast. */
enum { BLOCK_QUERIES = 128, MOST_BLOCKS = 16 };

static MlirValue log_sums(TccExpand *x, MlirValue scores) {
  static const int64_t last[] = {3};
  if (!scores.ptr) return scores;
  MlirValue most = tcc_build_reduce(x->b, "max", scores, last, 1, true);
  MlirValue none = tcc_build_compare(x->b, "eq", most, tcc_ex_scalar(x, -INFINITY));
  most = tcc_build_select(x->b, none, tcc_ex_scalar(x, 0), most);
  MlirValue weights = tcc_build1(x->b, TCC_OP_EXP, tcc_build2(x->b, TCC_OP_SUB, scores, most));
  MlirValue sum = tcc_build1(x->b, TCC_OP_LOG, tcc_build_reduce(x->b, "sum", weights, last, 1, true));
  return tcc_build_squeeze(x->b, tcc_build2(x->b, TCC_OP_ADD, sum, most), 3);
}

/* [from, from + count) of an axis, counted from the last, which a mask may not have, or have once for all. */
static MlirValue part(TccExpand *x, MlirValue v, int from_end, int64_t from, int64_t count) {
  int64_t size, axis = v.ptr ? tcc_type_rank(tcc_value_type(v)) - from_end : -1;
  if (axis < 0 || (tcc_expr_is_const(tcc_type_dim(x->ir, tcc_value_type(v), (int)axis), &size) && size == 1)) return v;
  return tcc_build_slice_axis(x->b, v, axis, tcc_ex_const(x, from), 1, tcc_ex_const(x, count));
}

/* How many keys queries in front of `end` see. */
static int64_t keys_seen(TccExpand *x, int64_t end, int64_t keys) {
  const TccExpr *const *offset;
  size_t n;
  int64_t ahead = 0;
  if (!tcc_bool(x->ir, x->op, "causal")) return keys;
  if (tcc_get_exprs(x->ir, x->op, "offset", &offset, &n) && n == 1 && !tcc_expr_is_const(offset[0], &ahead)) return keys;
  return ahead < 1 - end || ahead >= keys - end ? keys : end + ahead;
}

/* Of known sizes for a block of queries after the other, so that no matrix of all scores is in memory. */
bool tcc_expand_attention_logsumexp(TccExpand *x, MlirValue *results) {
  Scores s;
  TccShape sq, sk;
  int64_t queries = 0, keys = 0, each = BLOCK_QUERIES;
  MlirValue parts[MOST_BLOCKS];
  size_t n = 0;
  if (!open_scores(x, tcc_ex_operand(x, 2), &s) || !tcc_ex_shape(x, s.q, &sq) || !tcc_ex_shape(x, s.k, &sk)) return false;
  bool known = tcc_expr_is_const(sq.dims[2], &queries) && tcc_expr_is_const(sk.dims[2], &keys);
  if (queries > BLOCK_QUERIES * MOST_BLOCKS) each = (queries + MOST_BLOCKS - 1) / MOST_BLOCKS;
  if (!known || queries < 2 * each) {
    results[0] = log_sums(x, scores_of(x, &s));
    return results[0].ptr != NULL;
  }
  for (int64_t from = 0; from < queries; from += each) {
    int64_t count = queries - from < each ? queries - from : each, seen = keys_seen(x, from + count, keys);
    Scores block = s;
    block.first = from;
    block.q = part(x, s.q, 2, from, count), block.k = part(x, s.k, 2, 0, seen);
    block.mask = part(x, part(x, s.mask, 2, from, count), 1, 0, seen);
    parts[n] = log_sums(x, scores_of(x, &block));
    if (!parts[n++].ptr) return false;
  }
  results[0] = tcc_build_concat(x->b, parts, n, 2);
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

/* rules_contract.c - ops that sum products: dot_general, linear, matmul, attention; rotary_embedding; recurrent layers.
 */
#include "dialects/tcc/rules.h"
#include <math.h>

/* 8-bit integers accumulate into i32; their signs may differ. */
static bool is_byte(TccElem elem) { return elem == TCC_ELEM_I8 || elem == TCC_ELEM_U8; }

static bool contract_elems(TccRuleInput *in, TccElem a, TccElem b, TccElem *out) {
  *out = is_byte(a) ? TCC_ELEM_I32 : a;
  if (rule_is_number(a) && (a == b || (is_byte(a) && is_byte(b)))) return true;
  return rule_fail(in, "C1: element types %s and %s do not multiply", tcc_elem_name(a), tcc_elem_name(b));
}

/* C1: element types.  C2: axes are distinct and in range.  C3: as many on both sides, of equal sizes. */
bool rule_dot_general(TccRuleInput *in, MlirType *out) {
  Shape a = rule_operand(in, 0), b = rule_operand(in, 1), r = {.present = true};
  size_t lhs_nbatch, rhs_nbatch, lhs_ncontract, rhs_ncontract;
  const int64_t *lhs_batch = rule_ints(in, "lhs_batch", &lhs_nbatch), *rhs_batch = rule_ints(in, "rhs_batch", &rhs_nbatch);
  const int64_t *lhs_contract = rule_ints(in, "lhs_contract", &lhs_ncontract);
  const int64_t *rhs_contract = rule_ints(in, "rhs_contract", &rhs_ncontract);
  bool lhs_mask[TCC_MAX_RANK] = {false}, rhs_mask[TCC_MAX_RANK] = {false};
  if (!contract_elems(in, a.elem, b.elem, &r.elem)) return false;
  if (rule_bool(in, "wide") && (a.elem == TCC_ELEM_F16 || a.elem == TCC_ELEM_BF16)) r.elem = TCC_ELEM_F32;
  if (!rule_axes(in, "C2", "lhs_batch", lhs_batch, lhs_nbatch, a.rank, lhs_mask) ||
      !rule_axes(in, "C2", "lhs_contract", lhs_contract, lhs_ncontract, a.rank, lhs_mask) ||
      !rule_axes(in, "C2", "rhs_batch", rhs_batch, rhs_nbatch, b.rank, rhs_mask) ||
      !rule_axes(in, "C2", "rhs_contract", rhs_contract, rhs_ncontract, b.rank, rhs_mask))
    return false;
  if (lhs_nbatch != rhs_nbatch || lhs_ncontract != rhs_ncontract)
    return rule_fail(in, "C3: both sides must name as many batch and contracted axes");
  for (size_t i = 0; i < lhs_nbatch + lhs_ncontract; i++) {
    const TccExpr *left = i < lhs_nbatch ? a.dims[lhs_batch[i]] : a.dims[lhs_contract[i - lhs_nbatch]];
    const TccExpr *right = i < lhs_nbatch ? b.dims[rhs_batch[i]] : b.dims[rhs_contract[i - lhs_nbatch]];
    if (!dims_agree(left, right))
      return rule_fail(in, "C3: %s sizes '%s' and '%s' differ", i < lhs_nbatch ? "batch" : "contracted", dims_text(in, left),
                       dims_text(in, right));
    if (i < lhs_nbatch) r.dims[r.rank++] = dims_merge(left, right);
  }
  if (a.rank + b.rank - (int)lhs_nbatch - 2 * (int)lhs_ncontract > TCC_MAX_RANK)
    return rule_fail(in, "C0: the result's rank is more than %d", TCC_MAX_RANK);
  for (int i = 0; i < a.rank; i++)
    if (!lhs_mask[i]) r.dims[r.rank++] = a.dims[i];
  for (int i = 0; i < b.rank; i++)
    if (!rhs_mask[i]) r.dims[r.rank++] = b.dims[i];
  return rule_result(in, &r, out);
}

/* C1: element types.  C2: x has rank 1 at least, w has rank 2.  C3: sizes.  C4: bias broadcasts to the result. */
bool rule_linear(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), w = rule_operand(in, 1), bias = rule_operand(in, 2), r = x;
  if (!contract_elems(in, x.elem, w.elem, &r.elem)) return false;
  if (x.rank < 1 || w.rank != 2)
    return rule_fail(in, "C2: x must have rank 1 at least and w rank 2, not %d and %d", x.rank, w.rank);
  int input = rule_bool(in, "transposed") ? 1 : 0;
  if (!dims_agree(x.dims[x.rank - 1], w.dims[input]))
    return rule_fail(in, "C3: x has '%s' features, w takes '%s'", dims_text(in, x.dims[x.rank - 1]), dims_text(in, w.dims[input]));
  r.dims[x.rank - 1] = w.dims[1 - input];
  if (bias.present && bias.elem != r.elem) return rule_fail(in, "C1: bias must have element type %s", tcc_elem_name(r.elem));
  if (bias.present && !rule_broadcasts_to(in, "C4", "bias", &bias, &r)) return false;
  return rule_result(in, &r, out);
}

/* C1: element types.  C2: rank 1 at least.  C3: contracted sizes are equal.  C4: batch sizes broadcast. */
bool rule_matmul(TccRuleInput *in, MlirType *out) {
  Shape a = rule_operand(in, 0), b = rule_operand(in, 1), r = {.present = true};
  if (!contract_elems(in, a.elem, b.elem, &r.elem)) return false;
  if (a.rank < 1 || b.rank < 1) return rule_fail(in, "C2: operands must have rank 1 at least");
  const TccExpr *left = a.dims[a.rank - 1], *right = b.dims[b.rank > 1 ? b.rank - 2 : 0];
  if (!dims_agree(left, right))
    return rule_fail(in, "C3: contracted sizes '%s' and '%s' differ", dims_text(in, left), dims_text(in, right));
  Shape outer_a = a, outer_b = b;
  outer_a.rank = a.rank > 2 ? a.rank - 2 : 0;
  outer_b.rank = b.rank > 2 ? b.rank - 2 : 0;
  if (!rule_broadcast_shapes(in, "C4", &outer_a, &outer_b, &r)) return false;
  if (a.rank > 1) r.dims[r.rank++] = a.dims[a.rank - 2];
  if (b.rank > 1) r.dims[r.rank++] = b.dims[b.rank - 1];
  return rule_result(in, &r, out);
}

/* C1: f32 or f64, the same.  C2: as many axes, two at least.  C3: a is square, of as many rows as b.  C4: batch sizes are equal. */
bool rule_triangular_solve(TccRuleInput *in, MlirType *out) {
  Shape a = rule_operand(in, 0), b = rule_operand(in, 1), r = b;
  if (a.elem != b.elem || (a.elem != TCC_ELEM_F32 && a.elem != TCC_ELEM_F64))
    return rule_fail(in, "C1: a and b must both be f32 or f64, not %s and %s", tcc_elem_name(a.elem), tcc_elem_name(b.elem));
  if (a.rank < 2 || a.rank != b.rank)
    return rule_fail(in, "C2: a and b must have one rank, 2 at least, not %d and %d", a.rank, b.rank);
  const TccExpr *rows = a.dims[a.rank - 2], *columns = a.dims[a.rank - 1];
  if (!dims_agree(rows, columns) || !dims_agree(rows, b.dims[b.rank - 2]))
    return rule_fail(in, "C3: a is '%s' x '%s', b has '%s' rows", dims_text(in, rows), dims_text(in, columns),
                     dims_text(in, b.dims[b.rank - 2]));
  for (int i = 0; i < a.rank - 1; i++) {
    if (!dims_agree(a.dims[i], b.dims[i]))
      return rule_fail(in, "C4: batch sizes '%s' and '%s' differ", dims_text(in, a.dims[i]), dims_text(in, b.dims[i]));
    r.dims[i] = dims_merge(a.dims[i], b.dims[i]);
  }
  return rule_result(in, &r, out);
}

/* C1: one float type, ends i32 or i64.  C2: ranks.  C3: contracted sizes are equal.  C4: an entry of ends for each group, one at least. */
bool rule_ragged_dot(TccRuleInput *in, MlirType *out) {
  Shape a = rule_operand(in, 0), b = rule_operand(in, 1), ends = rule_operand(in, 2), r = {.present = true, .elem = a.elem};
  bool rows = tcc_str_is(rule_str(in, "ragged"), "rows");
  if (!tcc_elem_is_float(a.elem) || a.elem != b.elem || (ends.elem != TCC_ELEM_I32 && ends.elem != TCC_ELEM_I64))
    return rule_fail(in, "C1: a and b must have one float type, ends i32 or i64");
  if (a.rank != 2 || b.rank != (rows ? 3 : 2) || ends.rank != 1)
    return rule_fail(in, "C2: a, b and ends must have ranks 2, %d and 1, not %d, %d and %d", rows ? 3 : 2, a.rank, b.rank,
                     ends.rank);
  const TccExpr *depth = b.dims[rows ? 1 : 0];
  if (!dims_agree(a.dims[1], depth))
    return rule_fail(in, "C3: contracted sizes '%s' and '%s' differ", dims_text(in, a.dims[1]), dims_text(in, depth));
  if ((rows && !dims_agree(ends.dims[0], b.dims[0])) || !dims_at_least(in, ends.dims[0], 1))
    return rule_fail(in, "C4: '%s' ends of groups do not fit", dims_text(in, ends.dims[0]));
  if (!rows) r.dims[r.rank++] = ends.dims[0];
  r.dims[r.rank++] = a.dims[0];
  r.dims[r.rank++] = b.dims[b.rank - 1];
  return rule_result(in, &r, out);
}

/* What follows from q, k and mask alone; *scores: [B, H, S, T], in q's type. */
static bool read_scores(TccRuleInput *in, const Shape *q, const Shape *k, const Shape *mask, Shape *scores) {
  if (!dims_divides(in, k->dims[1], q->dims[1]))
    return rule_fail(in, "C4: %s heads of k do not divide %s heads of q", dims_text(in, k->dims[1]), dims_text(in, q->dims[1]));
  *scores = (Shape){true, q->elem, 4, {dims_merge(q->dims[0], k->dims[0]), q->dims[1], q->dims[2], k->dims[2]}};
  if (mask->present && !rule_broadcasts_to(in, "C5", "mask", mask, scores)) return false;
  size_t count;
  const TccExpr *const *offset = rule_exprs(in, "offset", &count);
  if (count > 1) return rule_fail(in, "C6: offset must have one entry or none");
  double softcap = rule_f64(in, "softcap");
  if (!isfinite(softcap) || softcap < 0)
    return rule_fail(in, "C7: softcap must be 0, for none, or positive and finite, not %g", softcap);
  if (count && !dims_in_range(offset[0])) return rule_fail(in, "C6: offset %s is out of range", dims_text(in, offset[0]));
  return true;
}

static bool mask_has_type(const Shape *mask, TccElem elem) {
  return !mask->present || mask->elem == TCC_ELEM_BOOL || mask->elem == elem;
}

/* C1: one float type; mask is bool or that type.  C2: rank 4.  C3: sizes of q, k and v.  C4: heads.  C5: mask
 * broadcasts to [B, H, S, T].  C6: offset is one size or none.  C7: softcap is a number that is not
 * negative. */
bool rule_attention(TccRuleInput *in, MlirType *out) {
  Shape q = rule_operand(in, 0), k = rule_operand(in, 1), v = rule_operand(in, 2), mask = rule_operand(in, 3), scores;
  if (!tcc_elem_is_float(q.elem) || k.elem != q.elem || v.elem != q.elem || !mask_has_type(&mask, q.elem))
    return rule_fail(in, "C1: q, k and v must have one float type, mask that or bool");
  if (q.rank != 4 || k.rank != 4 || v.rank != 4) return rule_fail(in, "C2: q, k and v must have rank 4");
  if (!dims_agree(q.dims[0], k.dims[0]) || !dims_agree(q.dims[0], v.dims[0]) || !dims_agree(k.dims[1], v.dims[1]) ||
      !dims_agree(k.dims[2], v.dims[2]) || !dims_agree(q.dims[3], k.dims[3]))
    return rule_fail(in, "C3: q [B, H, S, D], k [B, G, T, D] and v [B, G, T, E] do not fit");
  k.dims[2] = dims_merge(k.dims[2], v.dims[2]);
  if (!read_scores(in, &q, &k, &mask, &scores)) return false;
  scores.dims[3] = v.dims[3];
  return rule_result(in, &scores, out);
}

/* C1: one float type; mask is bool or that type.  C2: rank 4.  C3: sizes of q and k.  C4 to C7: as of attention. */
bool rule_attention_logsumexp(TccRuleInput *in, MlirType *out) {
  Shape q = rule_operand(in, 0), k = rule_operand(in, 1), mask = rule_operand(in, 2), scores;
  if (!tcc_elem_is_float(q.elem) || k.elem != q.elem || !mask_has_type(&mask, q.elem))
    return rule_fail(in, "C1: q and k must have one float type, mask that or bool");
  if (q.rank != 4 || k.rank != 4) return rule_fail(in, "C2: q and k must have rank 4");
  if (!dims_agree(q.dims[0], k.dims[0]) || !dims_agree(q.dims[3], k.dims[3]))
    return rule_fail(in, "C3: q [B, H, S, D] and k [B, G, T, D] do not fit");
  if (!read_scores(in, &q, &k, &mask, &scores)) return false;
  scores.rank = 3;
  if (tcc_elem_bits(q.elem) < 32) scores.elem = TCC_ELEM_F32;
  return rule_result(in, &scores, out);
}

/* C1: one float type.  C2: rank 4.  C3: rotary_dim is even and within D.  C4: cos and sin broadcast to [B, 1, S,
 * rotary_dim/2]. */
bool rule_rotary_embedding(TccRuleInput *in, MlirType *out) {
  Shape x = rule_operand(in, 0), cos = rule_operand(in, 1), sin = rule_operand(in, 2);
  if (!tcc_elem_is_float(x.elem) || cos.elem != x.elem || sin.elem != x.elem)
    return rule_fail(in, "C1: x, cos and sin must have one float type");
  if (x.rank != 4) return rule_fail(in, "C2: operand 'x' must have rank 4, not %d", x.rank);
  TccExprPool *pool = in->ir->exprs;
  int64_t given = rule_i64(in, "rotary_dim");
  const TccExpr *rotary = given ? tcc_expr_const(pool, given) : x.dims[3]; /* NULL: unknown */
  if (rotary && (!dims_at_least(in, rotary, 0) || !dims_multiple(in, rotary, 2) || !dims_at_most(in, rotary, x.dims[3])))
    return rule_fail(in, "C3: rotary_dim %s must be even and at most '%s'", dims_text(in, rotary), dims_text(in, x.dims[3]));
  const TccExpr *half = rotary ? tcc_expr_call(pool, TCC_EXPR_FLOORDIV, rotary, tcc_expr_const(pool, 2)) : NULL;
  Shape angles = {true, x.elem, 4, {x.dims[0], tcc_expr_const(pool, 1), x.dims[2], half}};
  if (!rule_broadcasts_to(in, "C4", "cos", &cos, &angles) || !rule_broadcasts_to(in, "C4", "sin", &sin, &angles)) return false;
  return rule_result(in, &x, out);
}

/* ---- recurrent layers: operands as in ONNX.  C1: float elements.  C2: x, w and r have rank 3.  C3: sizes of w, r and
 * b. C4: sizes of the states and of lengths.  C5: hidden is positive, layout 0 or 1. ---- */
static bool state_shape(TccRuleInput *in, size_t index, const char *name, const Shape *expected) {
  if (index >= in->noperands) return true;
  Shape state = rule_operand(in, index);
  if (!state.present) return true;
  bool same = state.rank == expected->rank && state.elem == expected->elem;
  for (int i = 0; same && i < state.rank; i++) same = dims_agree(state.dims[i], expected->dims[i]);
  return same || rule_fail(in, "C4: '%s' must have shape [%s, %s, %s] and x's element type", name, dims_text(in, expected->dims[0]),
                           dims_text(in, expected->dims[1]), dims_text(in, expected->dims[2]));
}

static bool recurrent(TccRuleInput *in, MlirType *out, int gates, bool has_cell) {
  Shape x = rule_operand(in, 0), w = rule_operand(in, 1), r = rule_operand(in, 2), b = rule_operand(in, 3),
        lengths = rule_operand(in, 4);
  TccExprPool *pool = in->ir->exprs;
  if (!tcc_elem_is_float(x.elem) || w.elem != x.elem || r.elem != x.elem || (b.present && b.elem != x.elem))
    return rule_fail(in, "C1: x, w, r and b must have one float type");
  if (x.rank != 3 || w.rank != 3 || r.rank != 3) return rule_fail(in, "C2: x, w and r must have rank 3");
  int64_t hidden = rule_i64(in, "hidden"), layout = rule_i64(in, "layout");
  if (hidden < 1 || hidden > INT32_MAX || layout < 0 || layout > 1)
    return rule_fail(in, "C5: hidden must be positive, layout 0 or 1");
  int64_t directions = tcc_str_is(rule_str(in, "direction"), "bidirectional") ? 2 : 1;
  const TccExpr *d = tcc_expr_const(pool, directions), *h = tcc_expr_const(pool, hidden),
                *gh = tcc_expr_const(pool, gates * hidden);
  if (!dims_agree(w.dims[0], d) || !dims_agree(w.dims[1], gh) || !dims_agree(w.dims[2], x.dims[2]))
    return rule_fail(in, "C3: w must have shape [%s, %s, %s]", dims_text(in, d), dims_text(in, gh), dims_text(in, x.dims[2]));
  if (!dims_agree(r.dims[0], d) || !dims_agree(r.dims[1], gh) || !dims_agree(r.dims[2], h))
    return rule_fail(in, "C3: r must have shape [%s, %s, %s]", dims_text(in, d), dims_text(in, gh), dims_text(in, h));
  if (b.present && (b.rank != 2 || !dims_agree(b.dims[0], d) || !dims_agree(b.dims[1], tcc_expr_const(pool, 2 * gates * hidden))))
    return rule_fail(in, "C3: b must have shape [%s, %lld]", dims_text(in, d), (long long)(2 * gates * hidden));
  const TccExpr *steps = x.dims[layout ? 1 : 0], *batch = x.dims[layout ? 0 : 1];
  if (lengths.present && (!tcc_elem_is_integer(lengths.elem) || lengths.rank != 1 || !dims_agree(lengths.dims[0], batch)))
    return rule_fail(in, "C4: 'lengths' must be a vector of '%s' integers", dims_text(in, batch));
  Shape state = {true, x.elem, 3, {layout ? batch : d, layout ? d : batch, h}};
  if (!state_shape(in, 5, "h0", &state) || (has_cell && !state_shape(in, 6, "c0", &state))) return false;
  if (has_cell) {
    Shape p = rule_operand(in, 7);
    if (p.present &&
        (p.elem != x.elem || p.rank != 2 || !dims_agree(p.dims[0], d) || !dims_agree(p.dims[1], tcc_expr_const(pool, 3 * hidden))))
      return rule_fail(in, "C3: p must have shape [%s, %lld]", dims_text(in, d), (long long)(3 * hidden));
  }
  Shape y = {true, x.elem, 4, {layout ? batch : steps, layout ? steps : d, layout ? d : batch, h}};
  return rule_result(in, &y, &out[0]) && rule_result(in, &state, &out[1]) && (!has_cell || rule_result(in, &state, &out[2]));
}

bool rule_lstm(TccRuleInput *in, MlirType *out) { return recurrent(in, out, 4, true); }
bool rule_gru(TccRuleInput *in, MlirType *out) { return recurrent(in, out, 3, false); }
bool rule_rnn(TccRuleInput *in, MlirType *out) { return recurrent(in, out, 1, false); }

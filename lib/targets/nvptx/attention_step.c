/* attention_step.c - one block of keys for 16 rows of a warp: scores, weights, results, as in FlashAttention-2 (Dao, 2023).
 *
 * Scores stay in registers: lane 4 g + t has rows g and g + 8, columns 2 t and 2 t + 1 of each tile of 8 keys, which is how the second product
 * takes its left operand. Of f32 it takes columns t and t + 4 of 8; a sum over keys may take them in any order, so column t is key 2 t there,
 * t + 4 is key 2 t + 1. Exponents are of 2: scores are scaled by log2(e) as well. */
#include "lib/targets/nvptx/attention_internal.h"
#include "tcc/op_kinds.h"
#include <math.h>

enum { MOST_TILES = 64 / 8 };

static TccVal mulf(Attention *a, TccVal x, TccVal y) { return tcc_emit_bin(&a->n.e, "fmul", "f32", x, y); }
static TccVal addf(Attention *a, TccVal x, TccVal y) { return tcc_emit_bin(&a->n.e, "fadd", "f32", x, y); }
static TccVal subf(Attention *a, TccVal x, TccVal y) { return tcc_emit_bin(&a->n.e, "fsub", "f32", x, y); }
static TccVal f32(Attention *a, double v) { return tcc_emit_float(&a->n.e, "f32", v); }
static TccVal larger(Attention *a, TccVal x, TccVal y) { return tcc_emit_intrinsic(&a->n.e, "maxnum", "f32", 2, (TccVal[]){x, y}); }
static TccVal and_bits(Attention *a, TccVal v, int64_t bits) { return tcc_emit_bin(&a->n.e, "and", "i64", v, att_i64(a, bits)); }
static TccVal times(Attention *a, TccVal v, int64_t by) { return tcc_emit_mul(&a->n.e, v, att_i64(a, by)); }

TccVal att_exp2(Attention *a, TccVal x) {
  return tcc_emit_call_intrinsic(&a->n.e, "llvm.nvvm.ex2.approx.ftz", "f32", 1, &x, (const char *const[]){"f32"});
}

TccVal att_base(Attention *a, TccVal max) {
  TccVal none = tcc_emit_fcmp(&a->n.e, "oeq", "f32", max, f32(a, -INFINITY));
  return tcc_emit_select(&a->n.e, "f32", none, f32(a, 0), max);
}

/* ---- products ---- */

#define FOUR_WORDS "!llvm.struct<(i32, i32, i32, i32)>"

static void load_matrices(Attention *a, TccVal address, bool turned, TccVal *out) {
  TccEmit *t = &a->n.e;
  const char *name = turned ? "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16" : "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16";
  TccVal all = tcc_emit_call_intrinsic(t, name, FOUR_WORDS, 1, &address, (const char *const[]){"!llvm.ptr<3>"});
  for (int i = 0; i < 4; i++) out[i] = tcc_emit_extract_value(t, FOUR_WORDS, all, i, "i32");
}

/* Where this lane reads 16 rows by 32 bytes: rows before bytes, as the left operand has its four matrices, or bytes before rows. */
static TccVal lane_address(Attention *a, const Panel *panel, TccVal base, TccVal first_row, bool rows_first) {
  TccEmit *t = &a->n.e;
  TccVal low = and_bits(a, a->lane, 7), second = and_bits(a, tcc_emit_div(t, a->lane, att_i64(a, 8)), 1),
         third = tcc_emit_div(t, a->lane, att_i64(a, 16));
  TccVal row = tcc_emit_add(t, low, times(a, rows_first ? second : third, 8)), byte = times(a, rows_first ? third : second, 16);
  return att_panel_at(a, panel, base, tcc_emit_add(t, first_row, row), byte);
}

static TccVal moved(Attention *a, TccVal address, int64_t bytes) {
  return tcc_emit_shared_gep(&a->n.e, "i8", address, att_i64(a, bytes));
}

static int depth_steps(const Attention *a) { return a->panel[ATT_Q].columns * a->bytes / NVPTX_FRAGMENT_BYTES; }

void att_load_queries(Attention *a, TccVal base) {
  TccVal at = lane_address(a, &a->panel[ATT_Q], base, times(a, a->group, NVPTX_FRAGMENT_ROWS), true);
  for (int s = 0; s < depth_steps(a); s++)
    load_matrices(a, moved(a, at, (int64_t)s * NVPTX_FRAGMENT_BYTES), false, a->fragments[s]);
}

/* sums[4] += left * right, words of fragments; split: of left, if they are of f32. */
static void multiply(Attention *a, const TccVal *left, const NvptxSplit *split, const TccVal *right, TccVal *sums) {
  if (a->elem != TCC_ELEM_F32) {
    nvptx_mma(&a->n, a->elem, left, right, sums);
    return;
  }
  NvptxSplit b[2] = {nvptx_split(&a->n, right[0]), nvptx_split(&a->n, right[1])};
  nvptx_mma_split(&a->n, split, b, sums);
}

static void split_left(Attention *a, const TccVal *left, NvptxSplit *out) {
  for (int i = 0; i < 4 && a->elem == TCC_ELEM_F32; i++) out[i] = nvptx_split(&a->n, left[i]);
}

static TccVal first_row_of_slice(Attention *a) { return times(a, a->slice, att_keys(a)); }

/* One step of the depth. q, k: addresses of this lane's; fragments: of q, NULL: they are read. */
static void score_step(Attention *a, TccVal q, TccVal k, const TccVal *fragments, TccVal *scores) {
  TccVal left[4], right[4];
  NvptxSplit split[4];
  if (fragments) memcpy(left, fragments, sizeof left);
  else load_matrices(a, q, false, left);
  split_left(a, left, split);
  for (int c = 0; c < att_keys(a) / 8; c += 2) {
    load_matrices(a, moved(a, k, (int64_t)c * 8 * a->panel[ATT_K].pitch), false, right);
    for (int i = 0; i < 2; i++) multiply(a, left, split, right + 2 * i, scores + 4 * (c + i));
  }
}

/* Steps that take much code are a loop. */
static void score(Attention *a, const TccVal *bases, TccVal *scores) {
  TccEmit *t = &a->n.e;
  TccVal q = lane_address(a, &a->panel[ATT_Q], bases[ATT_Q], times(a, a->group, NVPTX_FRAGMENT_ROWS), true),
         k = lane_address(a, &a->panel[ATT_K], bases[ATT_K], first_row_of_slice(a), false), next[MOST_TILES * 4];
  const char *types[MOST_TILES * 4];
  int n = att_keys(a) / 8 * 4;
  for (int i = 0; i < n; i++) scores[i] = f32(a, 0), types[i] = "f32";
  if (a->elem != TCC_ELEM_F32) {
    for (int s = 0; s < depth_steps(a); s++) {
      int64_t at = (int64_t)s * NVPTX_FRAGMENT_BYTES;
      score_step(a, moved(a, q, at), moved(a, k, at), a->keeps_fragments ? a->fragments[s] : NULL, scores);
    }
    return;
  }
  TccLoop steps;
  tcc_emit_for(t, &steps, att_i64(a, 0), att_i64(a, (int64_t)depth_steps(a) * NVPTX_FRAGMENT_BYTES), NVPTX_FRAGMENT_BYTES, n,
               scores, types);
  memcpy(next, steps.in, (size_t)n * sizeof *next);
  score_step(a, tcc_emit_shared_gep(t, "i8", q, steps.iv), tcc_emit_shared_gep(t, "i8", k, steps.iv), NULL, next);
  tcc_emit_end_for(t, &steps, next);
  memcpy(scores, steps.out, (size_t)n * sizeof *scores);
}

/* Words of the left operand of two numbers each, or of one. */
TccVal att_two_halves(Attention *a, TccVal low, TccVal high) {
  TccEmit *t = &a->n.e;
  bool f16 = a->elem == TCC_ELEM_F16;
  const char *type = f16 ? "vector<2xf16>" : "vector<2xbf16>";
  TccVal v = tcc_emit_call_intrinsic(t, f16 ? "llvm.nvvm.ff2f16x2.rn" : "llvm.nvvm.ff2bf16x2.rn", type, 2, (TccVal[]){high, low},
                                     (const char *const[]){"f32", "f32"});
  return tcc_emit_cast(t, "bitcast", type, "i32", v);
}

static void add_halves(Attention *a, TccVal base, const TccVal *weights, TccVal *sums) {
  const Panel *panel = &a->panel[ATT_V];
  TccVal v = lane_address(a, panel, base, first_row_of_slice(a), true), left[4], right[4];
  for (int s = 0; s < att_keys(a) / 16; s++) {
    for (int i = 0; i < 4; i++) left[i] = att_two_halves(a, weights[8 * s + 2 * i], weights[8 * s + 2 * i + 1]);
    for (int c = 0; c < panel->columns / 8; c += 2) {
      load_matrices(a, moved(a, v, (int64_t)s * 16 * panel->pitch + (int64_t)c * 8 * a->bytes), true, right);
      for (int i = 0; i < 2; i++) multiply(a, left, NULL, right + 2 * i, sums + 4 * (c + i));
    }
  }
}

/* A step of 8 keys. v: address of this lane's; weights: of these keys. */
static void add_float_step(Attention *a, TccVal v, const TccVal *weights, TccVal *sums) {
  static const int order[4] = {0, 2, 1, 3}; /* of a fragment of the left operand: row g, g + 8 of column t, then of t + 4 */
  TccEmit *t = &a->n.e;
  TccVal left[4], right[2];
  NvptxSplit split[4];
  for (int i = 0; i < 4; i++) left[i] = tcc_emit_cast(t, "bitcast", "f32", "i32", weights[order[i]]);
  split_left(a, left, split);
  for (int c = 0; c < a->panel[ATT_V].columns / 8; c++) {
    for (int i = 0; i < 2; i++)
      right[i] = tcc_emit_shared_load(t, "i32", moved(a, v, (int64_t)i * a->panel[ATT_V].pitch + (int64_t)c * 32));
    multiply(a, left, split, right, sums + 4 * c);
  }
}

/* A loop, through which the weights move: each step takes the first four and puts them behind the others. */
static void add_floats(Attention *a, TccVal base, const TccVal *weights, TccVal *sums) {
  TccEmit *t = &a->n.e;
  const Panel *panel = &a->panel[ATT_V];
  TccVal row = tcc_emit_add(t, first_row_of_slice(a), times(a, and_bits(a, a->lane, 3), 2));
  TccVal v = att_panel_at(a, panel, base, row, times(a, tcc_emit_div(t, a->lane, att_i64(a, 4)), 4));
  int nweights = att_keys(a) / 8 * 4, nsums = att_sums(a), n = nsums + nweights;
  TccVal carried[MOST_SUMS + MOST_TILES * 4];
  const char *types[MOST_SUMS + MOST_TILES * 4];
  TccLoop steps;
  for (int i = 0; i < n; i++) carried[i] = i < nsums ? sums[i] : weights[i - nsums], types[i] = "f32";
  int64_t step = 8 * (int64_t)panel->pitch;
  tcc_emit_for(t, &steps, att_i64(a, 0), att_i64(a, att_keys(a) / 8 * step), step, n, carried, types);
  memcpy(carried, steps.in, (size_t)nsums * sizeof *carried);
  add_float_step(a, tcc_emit_shared_gep(t, "i8", v, steps.iv), steps.in + nsums, carried);
  for (int i = 0; i < nweights; i++) carried[nsums + i] = steps.in[nsums + (i + 4) % nweights];
  tcc_emit_end_for(t, &steps, carried);
  memcpy(sums, steps.out, (size_t)nsums * sizeof *sums);
}

/* ---- weights ---- */

/* mask: i1, or f32 */
static TccVal masked_score(Attention *a, TccVal mask, TccVal x) {
  if (tcc_type_elem(a->operand[ATT_MASK].type) == TCC_ELEM_BOOL) return tcc_emit_select(&a->n.e, "f32", mask, x, f32(a, -INFINITY));
  return tcc_emit_fma(&a->n.e, "f32", mask, f32(a, M_LOG2E), x);
}

/* What scores are multiplied by as exponents of 2 where nothing but that is done to them, or 0: the largest is found before. */
static double plain_unit(const Attention *a) { return a->softcap == 0 && !a->has_mask && a->scale > 0 ? a->scale * M_LOG2E : 0; }

/* How many of the keys from `own` on the row sees, but 1, in 32 bits; no number is too large to be compared with those of a block. */
static TccVal last_seen(Attention *a, int row, TccVal own) {
  enum { ALL = 1 << 16 };
  TccEmit *t = &a->n.e;
  TccVal last = tcc_emit_sub(t, a->last_key[row], own);
  last = tcc_emit_max(t, tcc_emit_min(t, last, att_i64(a, ALL)), att_i64(a, -1));
  return tcc_emit_cast(t, "trunc", "i64", "i32", last);
}

/* The score of the at'th key from the thread's first on as an exponent of 2, but for plain_unit. last: last_seen, or 0 where all are seen. */
static TccStatus *exponent(Attention *a, int at, TccVal mask, TccVal last, TccVal *x) {
  TccEmit *t = &a->n.e;
  if (a->softcap != 0) {
    TccVal scaled = mulf(a, *x, f32(a, a->scale / a->softcap));
    if (!tcc_math_function(t, TCC_OP_TANH, "f32", scaled, x)) return TCC_ERROR(TCC_UNSUPPORTED, "softcap of f32 scores");
    *x = mulf(a, *x, f32(a, a->softcap * M_LOG2E));
  } else if (plain_unit(a) == 0) {
    *x = mulf(a, *x, f32(a, a->scale * M_LOG2E));
  }
  if (a->has_mask) *x = masked_score(a, mask, *x);
  if (last) {
    TccVal hidden = tcc_emit_icmp(t, "slt", "i32", last, tcc_emit_int(t, "i32", at));
    *x = tcc_emit_select(t, "f32", hidden, f32(a, -INFINITY), *x);
  }
  return NULL;
}

/* Of the four lanes that have a row. */
static TccVal fold_maximum(Attention *a, TccVal v) {
  for (int bit = 1; bit < 4; bit *= 2) v = larger(a, v, nvptx_shuffle_float(&a->n, v, bit));
  return v;
}

TccStatus *att_weights(Attention *a, TccVal first_key, int tiles, bool masked, TccVal *x, TccVal *stats, TccVal *factor) {
  TccEmit *t = &a->n.e;
  TccVal own = tcc_emit_add(t, first_key, times(a, and_bits(a, a->lane, 3), 2));
  TccVal unit = plain_unit(a) == 0 ? 0 : f32(a, plain_unit(a));
  TccVal last[2] = {0};
  for (int row = 0; row < 2 && masked; row++) last[row] = last_seen(a, row, own);
  for (int i = 0; i < tiles * 4; i += 2) {
    TccVal mask[2] = {0};
    int row = i / 2 % 2, at = i / 4 * 8;
    if (a->has_mask) TCC_TRY(att_mask_two(a, row, own, at, masked, mask));
    for (int k = 0; k < 2; k++) TCC_TRY(exponent(a, at + k, mask[k], last[row], &x[i + k]));
  }
  for (int row = 0; row < 2; row++) {
    TccVal most = x[2 * row], sum = 0;
    for (int i = 1; i < 2 * tiles; i++) most = larger(a, most, x[i / 2 * 4 + 2 * row + i % 2]);
    most = fold_maximum(a, most);
    most = larger(a, stats[row], unit ? mulf(a, most, unit) : most);
    TccVal base = att_base(a, most), below = subf(a, f32(a, 0), base);
    factor[row] = att_exp2(a, subf(a, stats[row], base));
    for (int i = 0; i < 2 * tiles; i++) {
      TccVal *at = &x[i / 2 * 4 + 2 * row + i % 2];
      *at = att_exp2(a, unit ? tcc_emit_fma(t, "f32", *at, unit, below) : subf(a, *at, base));
      sum = i ? addf(a, sum, *at) : *at;
    }
    stats[row] = most, stats[2 + row] = tcc_emit_fma(t, "f32", stats[2 + row], factor[row], sum);
  }
  return NULL;
}

void att_rescale(Attention *a, const TccVal *factor, TccVal *sums) {
  for (int i = 0; i < att_sums(a); i++) sums[i] = mulf(a, sums[i], factor[i / 2 % 2]);
}

TccStatus *att_step(Attention *a, const TccVal *bases, TccVal first_key, bool masked, TccVal *sums, TccVal *stats) {
  TccVal x[MOST_TILES * 4], factor[2];
  TccVal pair = and_bits(a, a->lane, 3), row = tcc_emit_div(&a->n.e, a->lane, att_i64(a, 4));
  att_mask_show(a, bases[ATT_MASK], tcc_emit_add(&a->n.e, times(a, a->group, ATT_ROWS), row),
                tcc_emit_add(&a->n.e, first_row_of_slice(a), times(a, pair, 2)));
  score(a, bases, x);
  TCC_TRY(att_weights(a, tcc_emit_add(&a->n.e, first_key, first_row_of_slice(a)), att_keys(a) / 8, masked, x, stats, factor));
  att_rescale(a, factor, sums);
  if (a->elem == TCC_ELEM_F32) add_floats(a, bases[ATT_V], x, sums);
  else add_halves(a, bases[ATT_V], x, sums);
  return NULL;
}

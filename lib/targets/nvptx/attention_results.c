/* attention_results.c - results of attention from registers to memory: divided by the sums of weights, through shared memory so that a warp writes rows. */
#include "lib/targets/nvptx/attention_internal.h"

static TccVal add(Attention *a, TccVal x, TccVal y) { return tcc_emit_add(&a->n.e, x, y); }
static TccVal times(Attention *a, TccVal v, int64_t by) { return tcc_emit_mul(&a->n.e, v, att_i64(a, by)); }
static TccVal below(Attention *a, TccVal x, TccVal y) { return tcc_emit_icmp(&a->n.e, "slt", "i64", x, y); }

/* The warps that share rows: what each has to be scaled by, and the sum of weights of all. Each row's maximum and sum of each warp go through
 * shared memory. */
static void join_slices(Attention *a, TccVal stats_at, TccVal *stats, TccVal *factor) {
  TccEmit *t = &a->n.e;
  TccVal row = tcc_emit_div(t, a->lane, att_i64(a, 4)), pair = tcc_emit_rem(t, a->lane, att_i64(a, 4));
  TccVal group = att_shared_at(a, add(a, stats_at, times(a, a->group, (int64_t)a->slices * ATT_STAT_BYTES)));
  TccVal most[2], sum[2], zero = tcc_emit_zero(t, "f32");
  TccIf first;
  tcc_emit_if(t, &first, tcc_emit_icmp(t, "eq", "i64", pair, att_i64(a, 0)), 0, NULL);
  TccVal own = tcc_emit_shared_gep(t, "i8", group, times(a, a->slice, ATT_STAT_BYTES));
  for (int i = 0; i < 4; i++) { /* rows, then maximum and sum */
    TccVal at = add(a, times(a, row, 2), att_i64(a, i % 2 * 16 + i / 2));
    tcc_emit_shared_store(t, "f32", stats[i], tcc_emit_shared_gep(t, "f32", own, at));
  }
  tcc_emit_end_if(t, &first, NULL);
  nvptx_barrier(&a->n);
  for (int r = 0; r < 2; r++) {
    TccVal maxima[ATT_MOST_SLICES], parts[ATT_MOST_SLICES];
    for (int s = 0; s < a->slices; s++) {
      TccVal at = add(a, times(a, row, 2), att_i64(a, s * (ATT_STAT_BYTES / 4) + r * 16));
      maxima[s] = tcc_emit_shared_load(t, "f32", tcc_emit_shared_gep(t, "f32", group, at));
      parts[s] = tcc_emit_shared_load(t, "f32", tcc_emit_shared_gep(t, "f32", group, add(a, at, att_i64(a, 1))));
      most[r] = s ? tcc_emit_intrinsic(t, "maxnum", "f32", 2, (TccVal[]){most[r], maxima[s]}) : maxima[s];
    }
    TccVal base = att_base(a, most[r]);
    sum[r] = zero;
    for (int s = 0; s < a->slices; s++)
      sum[r] = tcc_emit_fma(t, "f32", parts[s], att_exp2(a, tcc_emit_bin(t, "fsub", "f32", maxima[s], base)), sum[r]);
    factor[r] = att_exp2(a, tcc_emit_bin(t, "fsub", "f32", stats[r], base));
    stats[r] = most[r], stats[2 + r] = sum[r];
  }
}

TccVal att_divisor(Attention *a, TccVal sum) {
  TccEmit *t = &a->n.e;
  int64_t known;
  if (tcc_expr_is_const(a->keys, &known) && known > 0) return sum;
  TccVal none = tcc_emit_icmp(t, "eq", "i64", tcc_kernel_size(&a->n.k, a->keys), att_i64(a, 0));
  return tcc_emit_select1(t, "f32", none, tcc_emit_float(t, "f32", 1), sum);
}

/* Divides by the sums of weights, which are left for later where blocks share them. */
static void finish_sums(Attention *a, TccVal stats_at, TccVal *sums, TccVal *stats) {
  TccEmit *t = &a->n.e;
  TccVal factor[2] = {0}, zero = tcc_emit_zero(t, "f32"), valid[2] = {0};
  for (int r = 0; r < 2; r++)
    for (int bit = 1; bit < 4; bit *= 2)
      stats[2 + r] = tcc_emit_bin(t, "fadd", "f32", stats[2 + r], nvptx_shuffle_float(&a->n, stats[2 + r], bit));
  if (a->slices > 1) join_slices(a, stats_at, stats, factor);
  if (a->parts.parts > 1) att_leave_stats(a, stats);
  for (int r = 0; r < 2 && a->parts.parts == 1; r++) {
    TccVal one = tcc_emit_float(t, "f32", 1), inverse = tcc_emit_bin(t, "fdiv", "f32", one, att_divisor(a, stats[2 + r]));
    factor[r] = factor[r] ? tcc_emit_bin(t, "fmul", "f32", factor[r], inverse) : inverse;
    valid[r] = a->zero_masked ? tcc_emit_fcmp(t, "ogt", "f32", stats[2 + r], zero) : 0;
  }
  for (int i = 0; i < att_sums(a); i++) {
    int r = i / 2 % 2;
    if (factor[r]) sums[i] = tcc_emit_bin(t, "fmul", "f32", sums[i], factor[r]);
    if (valid[r]) sums[i] = tcc_emit_select(t, "f32", valid[r], sums[i], zero);
  }
}

TccStatus *att_write(Attention *a, TccVal row, TccVal column, TccVal value) {
  TccVal index[4] = {a->place[0], 0, 0, column};
  att_place_row(a, row, &index[1], &index[2]);
  for (int i = 0; i < 4; i++) nvptx_result_set_axes(&a->result, i, 1, index[i]);
  return nvptx_result_store(&a->result, TCC_ELEM_F32, value);
}

/* Rows of a part that the group's warps have put into shared memory; a lane has a column. */
static TccStatus *write_part(Attention *a, TccVal parts, TccVal column) {
  TccEmit *t = &a->n.e;
  TccLoop rows;
  TccIf inside;
  TccVal first = add(a, a->first_row, times(a, a->group, ATT_ROWS)), sum = 0;
  TccVal end = tcc_emit_min(t, tcc_emit_sub(t, a->nrows, first), att_i64(a, ATT_ROWS));
  tcc_emit_if(t, &inside, below(a, column, att_i64(a, a->width)), 0, NULL);
  tcc_emit_for(t, &rows, a->slice, end, a->slices, 0, NULL, NULL);
  TccVal at = add(a, times(a, rows.iv, NVPTX_SUMS_PITCH), a->lane);
  for (int s = 0; s < a->slices; s++) {
    TccVal p = tcc_emit_shared_gep(t, "f32", parts, add(a, at, att_i64(a, s * (ATT_PART_BYTES / 4))));
    TccVal v = tcc_emit_shared_load(t, "f32", p);
    sum = s ? tcc_emit_bin(t, "fadd", "f32", sum, v) : v;
  }
  if (a->parts.parts > 1) att_leave(a, rows.iv, column, sum);
  else TCC_TRY(att_write(a, add(a, first, rows.iv), column, sum));
  tcc_emit_end_for(t, &rows, NULL);
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

static void group_barrier(Attention *a) {
  if (a->slices > 1) nvptx_barrier(&a->n);
  else nvptx_warp_barrier(&a->n);
}

TccStatus *att_write_results(Attention *a, TccVal *sums, TccVal *stats) {
  TccEmit *t = &a->n.e;
  int warps = a->groups * a->slices, columns = a->panel[ATT_V].columns;
  TccVal group = add(a, att_i64(a, a->staging), times(a, a->group, (int64_t)a->slices * ATT_PART_BYTES)),
         own = add(a, group, times(a, a->slice, ATT_PART_BYTES));
  finish_sums(a, att_i64(a, a->staging + (int64_t)warps * ATT_PART_BYTES), sums, stats);
  for (int c = 0; c < columns; c += NVPTX_SUMS_COLUMNS) {
    int width = columns - c < NVPTX_SUMS_COLUMNS ? columns - c : NVPTX_SUMS_COLUMNS;
    if (c || a->tiles.persistent) group_barrier(a); /* of a tile before, too: one without keys has no turn between */
    nvptx_sums_put(&a->n, a->lane, att_shared_at(a, own), ATT_ROWS, width, columns, sums + c / 8 * 4);
    group_barrier(a);
    TCC_TRY(write_part(a, att_shared_at(a, group), tcc_emit_add(t, a->lane, att_i64(a, c))));
  }
  return NULL;
}

/* attention.c - attention as one kernel: an online softmax over blocks of keys, so that scores never leave registers.
 *
 * FlashAttention-2 (Dao, 2023) on mma.sync. A block of up to four warps has 16 rows for each; where there are not so many rows, several warps
 * share them, each with its part of the keys, and their results are put together at the end, in an order of their own. Heads that share keys are
 * rows of one block where their queries are few. Keys and values of the next block are copied while one is worked on. Only blocks that some row
 * does not see whole, behind the last key or above the diagonal, are masked; those that no row sees are not read.
 * Operands are pulled through any views; those in plain memory come in pieces of 16 bytes. */
#include "lib/codegen/read/attention.h"
#include "lib/codegen/read/kernel.h"
#include "lib/targets/nvptx/attention_internal.h"
#include "tcc/op_kinds.h"
#include <math.h>

enum { ROWS = ATT_ROWS, MOST_WARPS = ATT_MOST_SLICES, FEW_ROWS = MOST_WARPS * ROWS, MANY = 4096 };

bool nvptx_keeps(const TccMachine *machine, TccIr *ir, MlirOperation op) {
  if (tcc_op_kind(ir, op) != TCC_OP_ATTENTION || tcc_isa_gpu_chip(machine->isa) < 80) return false;
  TccElem elem = tcc_type_elem(tcc_value_type(mlirOperationGetOperand(op, 0)));
  MlirOperation module = op;
  for (MlirOperation up = op; !mlirOperationIsNull(up); up = mlirOperationGetParentOperation(up)) module = up;
  bool f32 = elem == TCC_ELEM_F32 && tcc_numerics(module) == TCC_NUMERICS_FAST;
  return (f32 || elem == TCC_ELEM_F16 || elem == TCC_ELEM_BF16) && tcc_attention_takes(ir, op, NVPTX_ATTENTION_DEPTH);
}

/* ---- reading ---- */

static TccStatus *read_heads(Attention *a, TccIr *ir) {
  const TccExpr *groups = tcc_type_dim(ir, a->operand[ATT_K].type, 1);
  a->repeat = 1;
  if (a->heads == groups) return NULL;
  const TccExpr *repeat = tcc_expr_divide_exactly(ir->exprs, a->heads, groups);
  if (!repeat || !tcc_expr_is_const(repeat, &a->repeat))
    return TCC_ERROR(TCC_UNSUPPORTED, "attention with an unknown number of heads in a group");
  return NULL;
}

static TccStatus *read_kernel(Attention *a, TccIr *ir, MlirOperation kernel) {
  a->ir = ir, a->op = tcc_read_find(ir, kernel, TCC_OP_ATTENTION);
  if (mlirOperationIsNull(a->op)) return TCC_ERROR(TCC_UNSUPPORTED, "no attention in an attention kernel");
  a->has_mask = !tcc_value_is_none(ir, mlirOperationGetOperand(a->op, ATT_MASK));
  for (int i = 0; i < (a->has_mask ? 4 : 3); i++)
    TCC_TRY(nvptx_operand_read(ir, kernel, mlirOperationGetOperand(a->op, i), &a->operand[i]));
  TCC_TRY(nvptx_result_read(ir, kernel, a->op, &a->result));
  MlirType q = a->operand[ATT_Q].type, v = a->operand[ATT_V].type;
  a->elem = tcc_type_elem(q), a->bytes = (int)tcc_elem_bits(a->elem) / 8;
  if (a->elem != TCC_ELEM_F16 && a->elem != TCC_ELEM_BF16 && a->elem != TCC_ELEM_F32)
    return TCC_ERROR(TCC_UNSUPPORTED, "attention of %s", tcc_elem_name(a->elem));
  a->batch = tcc_type_dim(ir, q, 0), a->heads = tcc_type_dim(ir, q, 1), a->queries = tcc_type_dim(ir, q, 2);
  a->keys = tcc_type_dim(ir, v, 2);
  if (!tcc_expr_is_const(tcc_type_dim(ir, q, 3), &a->depth) || !tcc_expr_is_const(tcc_type_dim(ir, v, 3), &a->width) ||
      a->depth > NVPTX_ATTENTION_DEPTH || a->width > NVPTX_ATTENTION_DEPTH)
    return TCC_ERROR(TCC_UNSUPPORTED, "attention with a head dimension that is dynamic or above %d", NVPTX_ATTENTION_DEPTH);
  TCC_TRY(read_heads(a, ir));
  for (int i = 0; i < 3; i++) a->pieces[i] = nvptx_operand_is_pieces(&a->operand[i], a->elem, (const int[]){3}, 1);
  a->scale = tcc_f64(ir, a->op, "scale"), a->softcap = tcc_f64(ir, a->op, "softcap");
  a->causal = tcc_bool(ir, a->op, "causal"), a->zero_masked = tcc_bool(ir, a->op, "zero_masked");
  const TccExpr *const *offset;
  size_t n;
  a->offset = tcc_expr_const(ir->exprs, 0);
  if (tcc_get_exprs(ir, a->op, "offset", &offset, &n) && n) a->offset = offset[0];
  return NULL;
}

/* ---- the plan ---- */

static int panel_size(const Panel *p) { return p->rows * p->pitch; }

/* Columns are a multiple of two tiles of 8, and of what a step of the depth takes. */
static Panel panel_of(const Attention *a, int rows, int64_t columns) {
  Panel p = {rows, (int)(columns + 15) / 16 * 16, 0};
  if (!p.columns) p.columns = 16;
  p.pitch = p.columns * a->bytes + NVPTX_PIECE;
  return p;
}

static int values_at(const Attention *a) { return panel_size(&a->panel[ATT_K]); } /* in a stage */
static int mask_at(const Attention *a) { return values_at(a) + panel_size(&a->panel[ATT_V]); }
static int stage_size(const Attention *a) { return mask_at(a) + att_mask_panel(a, a->groups * ROWS); }

static uint32_t shared_size(const Attention *a) {
  int tiles = panel_size(&a->panel[ATT_Q]) + a->stages * stage_size(a);
  int end = a->groups * a->slices * (ATT_PART_BYTES + ATT_STAT_BYTES);
  return (uint32_t)(tiles > end ? tiles : end);
}

static void set_panels(Attention *a) {
  a->panel[ATT_Q] = panel_of(a, a->groups * ROWS, a->depth);
  a->panel[ATT_K] = panel_of(a, a->key_block, a->depth);
  a->panel[ATT_V] = panel_of(a, a->key_block, a->width);
}

/* As many warps and keys as shared memory has room for, better twice, and registers: 16 bits leave them free for longer blocks. */
static TccStatus *make_plan(Attention *a, const TccMachine *machine) {
  enum { SHORT = 16, WIDE = 128 };
  int64_t queries = MANY, rows = MANY;
  bool known = tcc_expr_is_const(a->queries, &queries);
  set_panels(a);
  att_mask_plan(a);
  a->by_groups = att_groups_fit(a, machine);
  if (a->by_groups) {
    a->shared = (uint32_t)att_groups_plan(a);
    return NULL;
  }
  a->stacked = known && a->repeat > 1 && queries < FEW_ROWS;
  if (known) rows = a->stacked ? queries * a->repeat : queries;
  a->groups = rows <= ROWS ? 1 : rows <= 2 * ROWS ? 2 : MOST_WARPS;
  a->slices = MOST_WARPS / a->groups;
  a->key_block = a->elem == TCC_ELEM_F32 ? 2 * SHORT : 4 * SHORT;
  if (a->width > WIDE) a->key_block /= 2;
  if (a->key_block < SHORT * a->slices) a->key_block = SHORT * a->slices;
  for (;; a->stages = 2) {
    set_panels(a);
    for (a->stages = 2; a->stages > 0; a->stages--)
      if (shared_size(a) <= machine->gpu.block_shared) break;
    if (a->stages) break;
    if (a->slices > 1) a->slices /= 2, a->key_block /= 2;
    else if (a->groups > 1) a->groups /= 2;
    else return TCC_ERROR(TCC_UNSUPPORTED, "attention whose tiles do not fit into the shared memory of %s", machine->cpu);
  }
  a->keeps_fragments = a->elem != TCC_ELEM_F32 && a->depth <= WIDE;
  a->shared = shared_size(a);
  return NULL;
}

/* ---- arithmetic ---- */

static TccVal add(Attention *a, TccVal x, TccVal y) { return tcc_emit_add(&a->n.e, x, y); }
static TccVal times(Attention *a, TccVal v, int64_t by) { return tcc_emit_mul(&a->n.e, v, att_i64(a, by)); }
static TccVal below(Attention *a, TccVal x, TccVal y) { return tcc_emit_icmp(&a->n.e, "slt", "i64", x, y); }
static int threads_of(const Attention *a) { return (att_first_warp(a) + a->groups * a->slices) * NVPTX_WARP; }

TccVal att_panel_at(Attention *a, const Panel *panel, TccVal base, TccVal row, TccVal byte) {
  return att_shared_at(a, add(a, base, add(a, times(a, row, panel->pitch), byte)));
}

void att_place_row(Attention *a, TccVal row, TccVal *head, TccVal *query) {
  *head = a->place[1], *query = row;
  if (!a->stacked) return;
  TccVal queries = tcc_kernel_size(&a->n.k, a->queries), rest = tcc_emit_rem(&a->n.e, row, queries);
  *head = add(a, times(a, a->place[1], a->repeat), tcc_emit_div(&a->n.e, row, queries));
  *query = rest;
}

/* ---- filling panels ---- */

static void put_index(Attention *a, int which, TccVal row, TccVal column, TccVal *index) {
  index[0] = a->place[0], index[3] = column;
  if (which == ATT_Q) {
    att_place_row(a, row, &index[1], &index[2]);
  } else {
    index[1] = a->place[1], index[2] = row;
    if (!a->stacked && a->repeat > 1) index[1] = tcc_emit_div(&a->n.e, index[1], att_i64(a, a->repeat));
  }
}

static int64_t columns_of(const Attention *a, int which) { return which == ATT_V ? a->width : a->depth; }
static TccVal limit_of(Attention *a, int which) { return which == ATT_Q ? a->nrows : a->end_key; }

/* Pieces of a row, in the order in which threads copy them: where eight neighbours are in several rows, what lies between two rows is one of them, which
 * gets zeros, so that all eight go to different banks. */
static int pieces_of_row(const Attention *a, const Panel *panel) {
  int pieces = panel->columns * a->bytes / NVPTX_PIECE;
  return pieces % 8 ? pieces + 1 : pieces;
}

static void copy_piece(Attention *a, int which, TccVal base, TccVal first_row, TccVal at) {
  TccEmit *t = &a->n.e;
  const Panel *panel = &a->panel[which];
  NvptxOperand *o = &a->operand[which];
  int per_row = pieces_of_row(a, panel);
  TccVal in_row = tcc_emit_div(t, at, att_i64(a, per_row)), piece = tcc_emit_rem(t, at, att_i64(a, per_row)), index[4], from, step;
  TccVal row = add(a, first_row, in_row), byte = times(a, piece, NVPTX_PIECE), bytes = att_i64(a, NVPTX_PIECE);
  put_index(a, which, row, times(a, piece, NVPTX_PIECE / a->bytes), index);
  nvptx_operand_place(o, index);
  tcc_pull_emit_affine(&o->emit, &o->root->index, &from, &step);
  from = tcc_emit_gep(t, tcc_scalar_memory_type(a->elem), tcc_kernel_argument(&a->n.k, o->root->argument), from);
  int64_t row_bytes = columns_of(a, which) * a->bytes;
  if (row_bytes < (int64_t)per_row * NVPTX_PIECE) {
    TccVal left = tcc_emit_sub(t, att_i64(a, row_bytes), byte);
    bytes = tcc_emit_max(t, tcc_emit_min(t, left, bytes), att_i64(a, 0));
  }
  bytes = tcc_emit_select1(t, "i64", below(a, row, limit_of(a, which)), bytes, att_i64(a, 0));
  nvptx_copy_async(&a->n, att_panel_at(a, panel, base, in_row, byte), from, bytes);
}

/* A loop, where there are many, so that their addresses do not stay in registers. */
static void fill_pieces(Attention *a, int which, TccVal base, TccVal first_row) {
  enum { AT_ONCE = 4 };
  TccEmit *t = &a->n.e;
  const Panel *panel = &a->panel[which];
  int total = panel->rows * pieces_of_row(a, panel), step = AT_ONCE * threads_of(a);
  bool loops = total > step && total % step == 0;
  TccLoop some = {.iv = a->n.thread};
  if (loops) tcc_emit_for(t, &some, a->n.thread, att_i64(a, total), step, 0, NULL, NULL);
  for (int done = 0; done < (loops ? step : total); done += threads_of(a)) {
    TccVal at = add(a, some.iv, att_i64(a, done));
    bool partly = done + threads_of(a) > total;
    TccIf inside;
    if (partly) tcc_emit_if(t, &inside, below(a, at, att_i64(a, total)), 0, NULL);
    copy_piece(a, which, base, first_row, at);
    if (partly) tcc_emit_end_if(t, &inside, NULL);
  }
  if (loops) tcc_emit_end_for(t, &some, NULL);
}

static TccStatus *fill_elements(Attention *a, int which, TccVal base, TccVal first_row) {
  TccEmit *t = &a->n.e;
  const Panel *panel = &a->panel[which];
  const char *type = tcc_scalar_type(a->elem);
  TccLoop each;
  TccVal index[4], v;
  tcc_emit_for(t, &each, a->n.thread, att_i64(a, (int64_t)panel->rows * panel->columns), threads_of(a), 0, NULL, NULL);
  TccVal in_row = tcc_emit_div(t, each.iv, att_i64(a, panel->columns)),
         column = tcc_emit_rem(t, each.iv, att_i64(a, panel->columns));
  TccVal row = add(a, first_row, in_row), inside = below(a, row, limit_of(a, which));
  if (columns_of(a, which) < panel->columns)
    inside = tcc_emit_bin(t, "and", "i1", inside, below(a, column, att_i64(a, columns_of(a, which))));
  put_index(a, which, row, column, index);
  TCC_TRY(nvptx_operand_inside(&a->operand[which], inside, index, a->elem, &v));
  tcc_emit_shared_store(t, type, v, att_panel_at(a, panel, base, in_row, times(a, column, a->bytes)));
  tcc_emit_end_for(t, &each, NULL);
  return NULL;
}

static TccStatus *fill(Attention *a, int which, TccVal base, TccVal first_row) {
  if (!a->pieces[which]) return fill_elements(a, which, base, first_row);
  fill_pieces(a, which, base, first_row);
  return NULL;
}

/* Where a stage lies: that of the block of keys that begins at `key`. */
static TccVal stage_at(Attention *a, TccVal key) {
  TccEmit *t = &a->n.e;
  TccVal first = att_i64(a, panel_size(&a->panel[ATT_Q]));
  if (a->stages == 1) return first;
  TccVal number = tcc_emit_rem(t, tcc_emit_div(t, key, att_i64(a, a->key_block)), att_i64(a, 2));
  return add(a, first, times(a, number, stage_size(a)));
}

static TccStatus *fill_stage(Attention *a, TccVal key) {
  TccVal base = stage_at(a, key);
  TCC_TRY(fill(a, ATT_K, base, key));
  TCC_TRY(fill(a, ATT_V, add(a, base, att_i64(a, values_at(a))), key));
  TCC_TRY(att_mask_fill(a, &(AttMaskFill){.panel = add(a, base, att_i64(a, mask_at(a))),
                                          .first_row = a->first_row,
                                          .first_key = key,
                                          .end_key = a->end_key,
                                          .rows = a->groups * ROWS,
                                          .threads = threads_of(a),
                                          .thread = a->n.thread}));
  nvptx_copy_commit(&a->n);
  return NULL;
}

/* ---- the loops over keys ---- */

/* Keys that row `row` of the block sees, if it is causal, counted from the first. */
static TccVal seen(Attention *a, TccVal row) {
  TccEmit *t = &a->n.e;
  TccVal all = add(a, add(a, row, tcc_kernel_size(&a->n.k, a->offset)), att_i64(a, 1));
  return tcc_emit_max(t, tcc_emit_min(t, a->nkeys, all), att_i64(a, 0));
}

void att_find_ends(Attention *a, TccVal *whole, TccVal *end) {
  TccEmit *t = &a->n.e;
  TccVal block = att_i64(a, a->key_block), queries = tcc_kernel_size(&a->n.k, a->queries), one = att_i64(a, 1);
  *whole = *end = a->nkeys;
  if (a->causal) {
    TccVal behind = a->stacked ? queries : tcc_emit_min(t, add(a, a->first_row, att_i64(a, a->groups * ROWS)), queries);
    *whole = seen(a, a->stacked ? att_i64(a, 0) : a->first_row), *end = seen(a, tcc_emit_sub(t, behind, one));
  }
  *whole = tcc_emit_mul(t, tcc_emit_div(t, *whole, block), block);
  a->first_key = att_i64(a, 0), a->end_key = a->nkeys;
  if (a->parts.parts == 1) return;
  TccVal each = times(a, tcc_emit_ceil_div(t, *end, (int64_t)a->key_block * a->parts.parts), a->key_block);
  a->first_key = tcc_emit_mul(t, a->parts.at, each), a->end_key = tcc_emit_min(t, *end, add(a, a->first_key, each));
  *end = a->end_key, *whole = tcc_emit_max(t, tcc_emit_min(t, *whole, *end), a->first_key);
}

static TccStatus *emit_blocks(Attention *a, TccVal from, TccVal to, bool masked, TccVal *sums, TccVal *stats) {
  TccEmit *t = &a->n.e;
  int nsums = att_sums(a);
  const char *types[MOST_SUMS + STATS];
  TccVal carried[MOST_SUMS + STATS], block = att_i64(a, a->key_block);
  TccLoop keys;
  for (int i = 0; i < nsums + STATS; i++) carried[i] = i < nsums ? sums[i] : stats[i - nsums], types[i] = "f32";
  tcc_emit_for(t, &keys, from, to, a->key_block, nsums + STATS, carried, types);
  if (a->stages == 1) { /* what was there has been read */
    nvptx_barrier(&a->n);
    TCC_TRY(fill_stage(a, keys.iv));
  }
  nvptx_copy_wait(&a->n, 0);
  nvptx_barrier(&a->n);
  if (a->stages == 2) TCC_TRY(fill_stage(a, add(a, keys.iv, block)));
  TccVal stage = stage_at(a, keys.iv), bases[ATT_OPERANDS] = {att_i64(a, 0), stage, add(a, stage, att_i64(a, values_at(a))),
                                                              add(a, stage, att_i64(a, mask_at(a)))};
  memcpy(carried, keys.in, (size_t)(nsums + STATS) * sizeof *carried);
  TCC_TRY(att_step(a, bases, keys.iv, masked, carried, carried + nsums));
  tcc_emit_end_for(t, &keys, carried);
  memcpy(sums, keys.out, (size_t)nsums * sizeof *sums);
  memcpy(stats, keys.out + nsums, STATS * sizeof *stats);
  return NULL;
}

void att_start(Attention *a, TccVal *sums, TccVal *stats) {
  TccEmit *t = &a->n.e;
  for (int i = 0; i < att_sums(a); i++) sums[i] = tcc_emit_zero(t, "f32");
  for (int row = 0; row < 2; row++) stats[row] = tcc_emit_float(t, "f32", -INFINITY), stats[2 + row] = tcc_emit_zero(t, "f32");
}

static TccStatus *emit_loops(Attention *a, TccVal *sums, TccVal *stats) {
  TccEmit *t = &a->n.e;
  TccVal whole, end, zero = att_i64(a, 0);
  int64_t known, last;
  att_find_ends(a, &whole, &end);
  TCC_TRY(fill(a, ATT_Q, zero, a->first_row));
  nvptx_copy_commit(&a->n);
  if (a->stages == 2) TCC_TRY(fill_stage(a, a->first_key));
  if (a->keeps_fragments) {
    nvptx_copy_wait(&a->n, a->stages - 1);
    nvptx_barrier(&a->n);
    att_load_queries(a, zero);
  }
  att_start(a, sums, stats);
  bool none = tcc_emit_known(t, whole, &known) && known == 0;
  if (!none) TCC_TRY(emit_blocks(a, a->first_key, whole, false, sums, stats));
  bool all = tcc_emit_known(t, whole, &known) && tcc_emit_known(t, end, &last) && known == last;
  return all ? NULL : emit_blocks(a, whole, end, true, sums, stats);
}

/* ---- the kernel ---- */

static TccStatus *emit_kernel(Attention *a) {
  TccVal sums[MOST_SUMS], stats[STATS];
  a->memory = nvptx_dynamic_shared(&a->n, "tiles", a->shared, a->by_groups ? NVPTX_TILE_ALIGNMENT : NVPTX_SHARED_ALIGNMENT);
  att_place_warp(a);
  if (a->by_groups) return att_groups_emit(a);
  a->parts.thread = a->n.thread;
  nvptx_parts_place(&a->n, &a->parts, a->n.block);
  att_place_tile(a, a->parts.group);
  TCC_TRY(emit_loops(a, sums, stats));
  nvptx_copy_wait(&a->n, 0);
  nvptx_barrier(&a->n); /* the panels have been read */
  TCC_TRY(att_write_results(a, sums, stats));
  return a->parts.parts > 1 ? att_join_parts(a) : NULL;
}

static TccStatus *read_plan(Attention *a, const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  TCC_TRY(read_kernel(a, ir, kernel));
  TCC_TRY(make_plan(a, &target->machine));
  att_plan_tiles(a, &target->machine);
  return NULL;
}

Attention *att_read(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  Attention *a = TCC_NEW(ir->arena, Attention);
  TccStatus *status = read_plan(a, target, ir, kernel); /* said when the kernel is emitted */
  bool ok = !status;
  tcc_status_destroy(status);
  return ok ? a : NULL;
}

TccStatus *nvptx_attention(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Attention *a = TCC_NEW(ir->arena, Attention);
  TccExprPool *exprs = ir->exprs;
  const TccExpr *scratch;
  TCC_TRY(read_plan(a, target, ir, kernel));
  TCC_TRY(att_plan_parts(a, &target->machine, kernel, a->tiles.all, &scratch));
  nvptx_open_with(&a->n, ir, target, kernel, a->maps, a->by_groups ? 3 : 0, scratch);
  for (int i = 0; i < (a->has_mask ? 4 : 3); i++) nvptx_operand_begin(&a->operand[i], &a->n);
  nvptx_result_begin(&a->result, &a->n);
  TccStatus *status = emit_kernel(a);
  if (status) {
    nvptx_abandon(&a->n);
    return status;
  }
  const char *parts = a->parts.parts > 1    ? tcc_arena_printf(ir->arena, ", parts = %d", a->parts.parts)
                      : a->tiles.persistent ? ", persistent"
                                            : "";
  const char *schedule =
      tcc_arena_printf(ir->arena, "%s, rows = %d, keys = %d, slices = %d, stages = %d%s",
                       a->by_groups ? "wgmma by tensor maps" : "mma", a->groups * ROWS, a->key_block, a->slices, a->stages, parts);
  const TccExpr *blocks = tcc_expr_mul(exprs, a->tiles.blocks, tcc_expr_const(exprs, a->parts.parts));
  return nvptx_close(&a->n, "nvptx.attention", schedule, blocks, (uint32_t)threads_of(a), 0, out);
}

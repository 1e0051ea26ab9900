/* attention_tiles.c - which rows of which head a block of attention has: one tile of them, or, where there are more tiles than multiprocessors, one after
 * the other, as the persistent kernels of FlashAttention-3 have it: no block begins anew, and while its results are written the next tile is copied.
 *
 * A block's tiles are known beforehand. Of a causal attention those come first that see most keys, and rounds go through the blocks forth and back: round
 * 0 gives block b tile b, round 1 gives it tile 2 n - 1 - b, and so on, so that each pair of rounds is as much work for every block. Rows of as many
 * heads as have their keys and values in half of the second cache go through their tiles together (longest first within such a section, Shah et al.,
 * FlashAttention-3, hopper/tile_scheduler.hpp); where nothing is causal tiles are equal, and a head's follow each other. */
#include "lib/targets/nvptx/attention_internal.h"

static TccVal add(Attention *a, TccVal x, TccVal y) { return tcc_emit_add(&a->n.e, x, y); }
static TccVal sub(Attention *a, TccVal x, TccVal y) { return tcc_emit_sub(&a->n.e, x, y); }
static TccVal times(Attention *a, TccVal v, int64_t by) { return tcc_emit_mul(&a->n.e, v, att_i64(a, by)); }
static TccVal size(Attention *a, const TccExpr *e) { return tcc_kernel_size(&a->n.k, e); }

/* ---- the plan ---- */

/* As many whole groups of heads as the cache holds, one at least. */
static const TccExpr *section_of(Attention *a, const TccMachine *machine, const TccExpr *all_heads) {
  TccExprPool *p = a->ir->exprs;
  const TccExpr *one = tcc_expr_const(p, 1), *row = tcc_expr_const(p, (a->depth + a->width) * a->bytes);
  const TccExpr *bytes = tcc_expr_call(p, TCC_EXPR_MAX, tcc_expr_mul(p, a->keys, row), one);
  const TccExpr *groups = tcc_expr_call(p, TCC_EXPR_FLOORDIV, tcc_expr_const(p, machine->l2_bytes / 2), bytes);
  const TccExpr *heads = tcc_expr_mul(p, tcc_expr_call(p, TCC_EXPR_MAX, groups, one), tcc_expr_const(p, a->repeat));
  return tcc_expr_call(p, TCC_EXPR_MAX, tcc_expr_call(p, TCC_EXPR_MIN, heads, all_heads), one);
}

void att_plan_tiles(Attention *a, const TccMachine *machine) {
  TccExprPool *p = a->ir->exprs;
  AttTiles *t = &a->tiles;
  int64_t known;
  t->rows = a->queries, t->heads = a->heads;
  if (a->stacked) {
    t->rows = tcc_expr_mul(p, t->rows, tcc_expr_const(p, a->repeat));
    t->heads = tcc_type_dim(a->ir, a->operand[ATT_K].type, 1);
  }
  t->of_head = nvptx_blocks(a->ir, t->rows, (int64_t)a->groups * ATT_ROWS);
  const TccExpr *heads = tcc_expr_mul(p, a->batch, t->heads);
  t->all = t->blocks = tcc_expr_mul(p, heads, t->of_head);
  t->persistent = a->by_groups && !(tcc_expr_is_const(t->all, &known) && known <= machine->gpu.sms);
  if (!t->persistent) return;
  t->blocks = tcc_expr_call(p, TCC_EXPR_MIN, t->all, tcc_expr_const(p, machine->gpu.sms));
  t->section = section_of(a, machine, heads);
}

/* ---- rounds ---- */

static TccVal tile_in_round(Attention *a, TccVal round) {
  TccEmit *t = &a->n.e;
  TccVal blocks = size(a, a->tiles.blocks), back = sub(a, sub(a, blocks, att_i64(a, 1)), a->n.block);
  TccVal odd = tcc_emit_icmp(t, "eq", "i64", tcc_emit_rem(t, round, att_i64(a, 2)), att_i64(a, 1));
  return tcc_emit_select1(t, "i64", odd, back, a->n.block);
}

TccVal att_tile_of_round(Attention *a, TccVal round) {
  return add(a, tcc_emit_mul(&a->n.e, round, size(a, a->tiles.blocks)), tile_in_round(a, round));
}

TccVal att_rounds(Attention *a) {
  TccEmit *t = &a->n.e;
  TccExprPool *p = a->ir->exprs;
  const TccExpr *blocks = tcc_expr_call(p, TCC_EXPR_MAX, a->tiles.blocks, tcc_expr_const(p, 1));
  const TccExpr *whole = tcc_expr_call(p, TCC_EXPR_FLOORDIV, a->tiles.all, blocks);
  TccVal rounds = size(a, whole), rest = size(a, tcc_expr_call(p, TCC_EXPR_MOD, a->tiles.all, blocks));
  TccVal one_more = tcc_emit_icmp(t, "slt", "i64", tile_in_round(a, rounds), rest);
  return add(a, rounds, tcc_emit_cast(t, "zext", "i1", "i64", one_more));
}

/* ---- places ---- */

void att_place_warp(Attention *a) {
  TccEmit *t = &a->n.e;
  TccVal warp = tcc_emit_div(t, a->n.thread, att_i64(a, NVPTX_WARP)), slices = att_i64(a, a->slices);
  if (att_first_warp(a)) /* 4 to 11 become 0 to 7, whose higher bits are known */
    warp = tcc_emit_rem(t, add(a, warp, att_i64(a, att_first_warp(a))), att_i64(a, (int64_t)a->groups * a->slices));
  a->lane = tcc_emit_rem(t, a->n.thread, att_i64(a, NVPTX_WARP));
  a->group = tcc_emit_div(t, warp, slices), a->slice = tcc_emit_rem(t, warp, slices);
  a->nrows = size(a, a->tiles.rows), a->nkeys = size(a, a->keys);
}

/* Of a section each head's last tile, then each head's last but one, and so on. out: head among all of the batch, tile of it from the last. */
static void place_in_section(Attention *a, TccVal tile, TccVal *head, TccVal *from_last) {
  TccExprPool *p = a->ir->exprs;
  const AttTiles *tiles = &a->tiles;
  TccVal section, inside, in_section, all_heads = size(a, tcc_expr_mul(p, a->batch, tiles->heads));
  nvptx_divide(&a->n.k, tile, tcc_expr_mul(p, tiles->section, tiles->of_head), &section, &inside);
  TccVal first = tcc_emit_mul(&a->n.e, section, size(a, tiles->section));
  nvptx_divide_small(&a->n, inside, tcc_emit_min(&a->n.e, size(a, tiles->section), sub(a, all_heads, first)), from_last,
                     &in_section);
  *head = add(a, first, in_section);
}

/* Tiles go through rows first, then heads, then the batch; of a causal one those come first that see most keys. */
void att_place_tile(Attention *a, TccVal tile) {
  TccEmit *t = &a->n.e;
  TccVal head, in_head;
  if (a->causal && a->tiles.persistent) place_in_section(a, tile, &head, &in_head);
  else nvptx_divide(&a->n.k, tile, a->tiles.of_head, &head, &in_head);
  nvptx_divide(&a->n.k, head, a->tiles.heads, &a->place[0], &a->place[1]);
  if (a->causal) in_head = sub(a, sub(a, size(a, a->tiles.of_head), att_i64(a, 1)), in_head);
  a->first_row = times(a, in_head, (int64_t)a->groups * ATT_ROWS);
  TccVal last = sub(a, a->nkeys, att_i64(a, 1));
  for (int r = 0; r < 2; r++) {
    TccVal row = add(a, add(a, a->first_row, times(a, a->group, ATT_ROWS)), tcc_emit_div(t, a->lane, att_i64(a, 4)));
    row = tcc_emit_min(t, add(a, row, att_i64(a, 8 * r)), sub(a, a->nrows, att_i64(a, 1)));
    att_place_row(a, row, &a->head[r], &a->query[r]);
    a->last_key[r] = last;
    if (a->causal) a->last_key[r] = tcc_emit_min(t, last, add(a, a->query[r], size(a, a->offset)));
  }
}

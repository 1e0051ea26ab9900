/* attention_wgmma.c - attention of 16-bit floats on sm_90a: a warp copies boxes of keys and values by tensor maps into rings of stages, two warpgroups
 * multiply them from there, 64 rows each.
 *
 * FlashAttention-3 (Shah, Bikshandi, Zhang, Thakkar, Ramani, Dao, 2024). Scores are products of queries and keys in shared memory; weights stay in
 * registers, where wgmma takes them as its left operand. Two overlaps keep the tensor cores at work: the warpgroups take turns, so that one multiplies
 * while the other one computes weights (named barriers 1 and 2); and in each of them the products with the values of one step go on while the weights of
 * the next are computed. Of a ring's stage there are two barriers (product_tma.c). A persistent block counts stages on from tile to tile
 * (attention_tiles.c): queries, keys and values of the next tile are copied as soon as both warpgroups have done with those of this one, while its
 * results are still written. Queries have one place; each tile is a phase of their barriers. */
#include "lib/targets/nvptx/attention_wgmma.h"
#include "lib/codegen/read/kernel.h"

enum {
  STAGES = 2,
  MASK_PANELS = 2 /* of a warp */,
  MANY = 4096,
  WIDE = 128,
  MOST_KEYS = 128,
  MOST_WORDS = MOST_KEYS / 4,
  MOST_SCORES = MOST_KEYS / 2
};
enum { FULL, EMPTY, OF_STAGE, FIRST_OF_STAGES = OF_STAGE /* behind the barriers of the queries */ };

typedef struct {
  Attention *a;
  AttShape shape;
  int bytes[3];               /* of a tile: of all queries, of a stage of keys, of values */
  TccVal barriers, matrix[3]; /* i32; descriptors, of first stages */
  TccVal group, end;          /* of warps that multiply; of the keys */
  TccVal round, counted;      /* tiles and blocks of keys before this tile, of a persistent block */
  AttTurn turn;               /* what is the same for all steps */
} Groups;

static TccVal i64(Groups *w, int64_t v) { return att_i64(w->a, v); }
static TccVal i32(Groups *w, int64_t v) { return tcc_emit_int(&w->a->n.e, "i32", v); }
static TccVal add(Groups *w, TccVal x, TccVal y) { return tcc_emit_add(&w->a->n.e, x, y); }
static TccVal times(Groups *w, TccVal v, int64_t by) { return tcc_emit_mul(&w->a->n.e, v, i64(w, by)); }
static TccVal narrow(Groups *w, TccVal v) { return tcc_emit_cast(&w->a->n.e, "trunc", "i64", "i32", v); }
static TccVal is(Groups *w, TccVal x, int64_t y) { return tcc_emit_icmp(&w->a->n.e, "eq", "i64", x, i64(w, y)); }
static int rows_of(const Groups *w, int which) { return which == ATT_Q ? ATT_BLOCK_ROWS : w->shape.keys; }
static int boxes_of(const Attention *a, int which) {
  return (int)tcc_ceil_div(which == ATT_V ? a->width : a->depth, NVPTX_BOX_COLUMNS);
}
static int box_bytes(const Groups *w, int which) { return rows_of(w, which) * NVPTX_BOX_COLUMNS * 2; }

/* ---- the plan ---- */

bool att_groups_fit(Attention *a, const TccMachine *machine) {
  int64_t queries = MANY, keys = MANY;
  bool half = a->elem == TCC_ELEM_F16 || a->elem == TCC_ELEM_BF16;
  tcc_expr_is_const(a->queries, &queries);
  tcc_expr_is_const(a->keys, &keys);
  if (tcc_isa_gpu_chip(machine->isa) != 90 || !tcc_isa_gpu_alone(machine->isa) || !half || queries <= NVPTX_GROUP_ROWS || !keys)
    return false;
  for (int i = 0; i < 3; i++) {
    const NvptxTensorAxes axes = {(const int[]){3}, (const int[]){2}, (const int[]){0, 1}, 1, 1, 2};
    if (!a->pieces[i]) return false;
    a->tensor[i] = nvptx_tensor_of(a->ir, &a->operand[i], a->elem, &axes);
    if (!a->tensor[i].map.rank) return false;
  }
  return true;
}

static Groups groups_of(Attention *a) {
  Groups w = {.a = a, .shape = {a->elem, a->key_block, a->panel[ATT_Q].columns, a->panel[ATT_V].columns}};
  for (int i = 0; i < 3; i++) w.bytes[i] = boxes_of(a, i) * box_bytes(&w, i);
  return w;
}

static int masks_at(const Groups *w) { return w->a->staging + ATT_BLOCK_ROWS / ATT_ROWS * ATT_PART_BYTES; }
static int barriers_at(const Groups *w) {
  return masks_at(w) + ATT_BLOCK_ROWS / ATT_ROWS * MASK_PANELS * att_mask_panel(w->a, ATT_ROWS);
}

/* Scores and results of a thread stay in registers together, with what a mask or a cap takes: fewer keys where these are many. */
int att_groups_plan(Attention *a) {
  bool wide = a->depth > WIDE || a->width > WIDE, more = a->has_mask || a->softcap != 0;
  a->groups = ATT_BLOCK_ROWS / ATT_ROWS, a->slices = 1, a->stages = STAGES, a->key_block = MOST_KEYS >> (wide + more);
  Groups w = groups_of(a);
  for (int i = 0; i < 3; i++) a->maps[i] = nvptx_tensor_boxes(&a->tensor[i], rows_of(&w, i));
  a->staging = w.bytes[ATT_Q] + STAGES * (w.bytes[ATT_K] + w.bytes[ATT_V]);
  return barriers_at(&w) + (FIRST_OF_STAGES + 2 * STAGES * OF_STAGE) * NVPTX_BARRIER_BYTES;
}

/* ---- places ---- */

/* Barrier of a stage of keys or values; those of the queries stand in front. */
static TccVal barrier_of(Groups *w, int which, int kind, TccVal stage) {
  int at = kind + (which == ATT_Q ? 0 : FIRST_OF_STAGES + (which == ATT_V ? OF_STAGE : 0));
  TccVal offset = times(w, add(w, times(w, stage, 2 * OF_STAGE), i64(w, at)), NVPTX_BARRIER_BYTES);
  return tcc_emit_bin(&w->a->n.e, "add", "i32", w->barriers, narrow(w, offset));
}

static int first_at(const Groups *w, int which) {
  return which == ATT_Q ? 0 : w->bytes[ATT_Q] + (which == ATT_V ? STAGES * w->bytes[ATT_K] : 0);
}

/* The stage of block number `count`. */
static AttStage stage_of(Groups *w, int which, TccVal count) {
  TccEmit *t = &w->a->n.e;
  TccVal stage = tcc_emit_rem(t, count, i64(w, STAGES)), round = tcc_emit_div(t, count, i64(w, STAGES));
  return (AttStage){.matrix = add(w, w->matrix[which], times(w, stage, w->bytes[which] / 16)),
                    .full = barrier_of(w, which, FULL, stage),
                    .empty = barrier_of(w, which, EMPTY, stage),
                    .parity = narrow(w, tcc_emit_rem(t, round, i64(w, 2)))};
}

/* Where the tile's queries lie, and the parity of their phase. */
static AttStage queries_of(Groups *w) {
  TccVal zero = i64(w, 0), parity = narrow(w, tcc_emit_rem(&w->a->n.e, w->round, i64(w, 2)));
  return (AttStage){w->matrix[ATT_Q], barrier_of(w, ATT_Q, FULL, zero), barrier_of(w, ATT_Q, EMPTY, zero), parity};
}

static TccVal number_of(Groups *w, TccVal key) { return add(w, w->counted, tcc_emit_div(&w->a->n.e, key, i64(w, w->shape.keys))); }
/* Waits until a stage is empty, before it is filled. */
static void wait_empty(Groups *w, const AttStage *stage) {
  nvptx_mbarrier_wait(&w->a->n, stage->empty, tcc_emit_bin(&w->a->n.e, "sub", "i32", i32(w, 1), stage->parity));
}

static void init_barriers(Groups *w) {
  TccEmit *t = &w->a->n.e;
  NvptxKernel *n = &w->a->n;
  TccIf one;
  tcc_emit_if(t, &one, is(w, n->thread, 0), 0, NULL);
  for (int which = ATT_Q; which <= ATT_V; which++)
    for (int i = 0; i < (which == ATT_Q ? 1 : STAGES); i++) {
      nvptx_mbarrier_init(n, barrier_of(w, which, FULL, i64(w, i)), 1);
      nvptx_mbarrier_init(n, barrier_of(w, which, EMPTY, i64(w, i)), ATT_GROUPS * NVPTX_GROUP_WARPS);
    }
  nvptx_mbarriers_show(n);
  tcc_emit_end_if(t, &one, NULL);
  nvptx_barrier(n);
}

/* ---- copies ---- */

static TccVal batch_of(Groups *w, int which) {
  Attention *a = w->a;
  TccVal head = a->place[1];
  if (which != ATT_Q && a->repeat > 1) head = tcc_emit_div(&a->n.e, head, i64(w, a->repeat));
  TccVal heads = tcc_kernel_size(&a->n.k, tcc_type_dim(a->ir, a->operand[which].type, 1));
  return add(w, tcc_emit_mul(&a->n.e, a->place[0], heads), head);
}

static void copy(Groups *w, int which, TccVal stage, TccVal full, TccVal row) {
  Attention *a = w->a;
  nvptx_mbarrier_expect(&a->n, full, w->bytes[which]);
  for (int i = 0; i < boxes_of(a, which); i++) {
    TccVal at = add(w, i64(w, first_at(w, which) + i * box_bytes(w, which)), times(w, stage, w->bytes[which]));
    nvptx_tensor_copy(&a->n, &a->tensor[which], a->n.map[which], nvptx_shared_number(&a->n, att_shared_at(a, at)), full,
                      i64(w, (int64_t)i * NVPTX_BOX_COLUMNS), row, batch_of(w, which), 1);
  }
}

static void copy_tile(Groups *w) {
  TccEmit *t = &w->a->n.e;
  TccLoop keys;
  AttStage queries = queries_of(w);
  if (w->a->tiles.persistent) wait_empty(w, &queries);
  copy(w, ATT_Q, i64(w, 0), queries.full, w->a->first_row);
  tcc_emit_for(t, &keys, i64(w, 0), w->end, w->shape.keys, 0, NULL, NULL);
  TccVal count = number_of(w, keys.iv);
  for (int which = ATT_K; which <= ATT_V; which++) {
    AttStage stage = stage_of(w, which, count);
    wait_empty(w, &stage);
    copy(w, which, tcc_emit_rem(t, count, i64(w, STAGES)), stage.full, keys.iv);
  }
  tcc_emit_end_for(t, &keys, NULL);
}

/* ---- products ---- */

static AttTurn turn_of(Groups *w, TccVal count) {
  AttTurn turn = w->turn;
  turn.keys = stage_of(w, ATT_K, count), turn.values = stage_of(w, ATT_V, count);
  turn.before = stage_of(w, ATT_V, tcc_emit_sub(&w->a->n.e, count, i64(w, 1)));
  return turn;
}

static void pack(Groups *w, const TccVal *weights, TccVal *words) {
  for (int i = 0; i < att_words(&w->shape); i++) words[i] = att_two_halves(w->a, weights[2 * i], weights[2 * i + 1]);
}

/* The warp's panel of the block that begins at a key. */
static TccVal mask_panel(Groups *w, TccVal key) {
  Attention *a = w->a;
  TccVal own = add(w, times(w, a->group, MASK_PANELS),
                   tcc_emit_rem(&a->n.e, tcc_emit_div(&a->n.e, key, i64(w, w->shape.keys)), i64(w, MASK_PANELS)));
  return add(w, i64(w, masks_at(w)), times(w, own, att_mask_panel(a, ATT_ROWS)));
}

/* Begins to copy the mask of the keys from `key` on, whose panel has been read. */
static TccStatus *fill_mask(Groups *w, TccVal key) {
  Attention *a = w->a;
  if (!a->mask.is_staged) return NULL;
  nvptx_warp_barrier(&a->n);
  TCC_TRY(att_mask_fill(a, &(AttMaskFill){.panel = mask_panel(w, key),
                                          .first_row = add(w, a->first_row, times(w, a->group, ATT_ROWS)),
                                          .first_key = key,
                                          .end_key = w->end,
                                          .rows = ATT_ROWS,
                                          .threads = NVPTX_WARP,
                                          .thread = a->lane}));
  nvptx_copy_commit(&a->n);
  return NULL;
}

/* Until the mask of the keys from `key` on is there, that of the next still under way. */
static void show_mask(Groups *w, TccVal key) {
  Attention *a = w->a;
  if (!a->mask.is_staged) return;
  nvptx_copy_wait(&a->n, 1);
  nvptx_warp_barrier(&a->n);
  att_mask_show(a, mask_panel(w, key), tcc_emit_div(&a->n.e, a->lane, i64(w, 4)),
                times(w, tcc_emit_rem(&a->n.e, a->lane, i64(w, 4)), 2));
}

static TccStatus *weights(Groups *w, TccVal key, bool masked, TccVal *x, TccVal *stats, TccVal *factor) {
  show_mask(w, key);
  return att_weights(w->a, key, w->shape.keys / 8, masked, x, stats, factor);
}

static TccStatus *step(Groups *w, TccVal key, bool masked, TccVal *sums, TccVal *words, TccVal *stats) {
  Attention *a = w->a;
  TccVal x[MOST_SCORES], factor[2];
  AttTurn turn = turn_of(w, number_of(w, key));
  TCC_TRY(fill_mask(w, add(w, key, i64(w, w->shape.keys))));
  att_put_turn(&a->n, &w->shape, &turn, words, x, sums);
  TCC_TRY(weights(w, key, masked, x, stats, factor));
  att_put_wait(&a->n, &w->shape, &turn, words, sums);
  att_rescale(a, factor, sums);
  pack(w, x, words);
  return NULL;
}

/* The first step's weights, if there is any. */
static TccStatus *first_step(Groups *w, TccVal any, bool masked, TccVal *words, TccVal *stats) {
  Attention *a = w->a;
  TccEmit *t = &a->n.e;
  int nwords = att_words(&w->shape), n = nwords + STATS;
  TccVal x[MOST_SCORES], factor[2], before[MOST_WORDS + STATS], made[MOST_WORDS + STATS];
  const char *types[MOST_WORDS + STATS];
  TccIf some;
  for (int i = 0; i < n; i++) {
    before[i] = i < nwords ? i32(w, 0) : stats[i - nwords];
    types[i] = i < nwords ? "i32" : "f32";
  }
  memcpy(made + nwords, stats, STATS * sizeof *stats);
  tcc_emit_if(t, &some, any, n, types);
  AttTurn turn = turn_of(w, w->counted);
  TCC_TRY(fill_mask(w, i64(w, w->shape.keys)));
  att_put_first(&a->n, &w->shape, &turn, x);
  TCC_TRY(weights(w, i64(w, 0), masked, x, made + nwords, factor));
  nvptx_mbarrier_wait(&a->n, turn.values.full, turn.values.parity);
  pack(w, x, made);
  tcc_emit_else(t, &some, made);
  tcc_emit_end_if(t, &some, before);
  memcpy(words, some.out, (size_t)nwords * sizeof *words);
  memcpy(stats, some.out + nwords, STATS * sizeof *stats);
  return NULL;
}

static TccStatus *emit_steps(Groups *w, TccVal from, TccVal to, bool masked, TccVal *sums, TccVal *words, TccVal *stats) {
  TccEmit *t = &w->a->n.e;
  int nsums = att_results(&w->shape), nwords = att_words(&w->shape), n = nsums + nwords + STATS;
  TccVal carried[TCC_LOOP_MAX];
  const char *types[TCC_LOOP_MAX];
  TccLoop keys;
  for (int i = 0; i < n; i++) {
    carried[i] = i < nsums ? sums[i] : i < nsums + nwords ? words[i - nsums] : stats[i - nsums - nwords];
    types[i] = i >= nsums && i < nsums + nwords ? "i32" : "f32";
  }
  tcc_emit_for(t, &keys, from, to, w->shape.keys, n, carried, types);
  memcpy(carried, keys.in, (size_t)n * sizeof *carried);
  TCC_TRY(step(w, keys.iv, masked, carried, carried + nsums, carried + nsums + nwords));
  tcc_emit_end_for(t, &keys, carried);
  memcpy(sums, keys.out, (size_t)nsums * sizeof *sums);
  memcpy(words, keys.out + nsums, (size_t)nwords * sizeof *words);
  memcpy(stats, keys.out + nsums + nwords, STATS * sizeof *stats);
  return NULL;
}

/* Both warpgroups are done with the queries of a tile, which each of their warps tells. */
static void tell_queries(Groups *w) {
  AttStage queries = queries_of(w);
  tcc_emit_inline_asm(&w->a->n.e, "@$0 mbarrier.arrive.shared::cta.b64 _, [$1];", "b,r,~{memory}", NULL, 2,
                      (TccVal[]){w->turn.tells, queries.empty}, (const char *const[]){"i1", "i32"});
}

/* whole: of the keys, those that all rows see. */
static TccStatus *multiply_tile(Groups *w, TccVal whole) {
  Attention *a = w->a;
  TccEmit *t = &a->n.e;
  TccVal sums[MOST_SUMS], words[MOST_WORDS], stats[STATS];
  int64_t whole_keys = 0, keys;
  AttStage queries = queries_of(w);
  att_start(a, sums, stats);
  if (a->mask.is_staged) nvptx_copy_wait(&a->n, 0); /* what was begun behind the last keys of a tile before */
  TCC_TRY(fill_mask(w, i64(w, 0)));
  nvptx_mbarrier_wait(&a->n, queries.full, queries.parity);
  TccVal block = i64(w, w->shape.keys), any = tcc_emit_icmp(t, "sgt", "i64", w->end, i64(w, 0));
  bool known = tcc_emit_known(t, whole, &whole_keys), all = known && tcc_emit_known(t, w->end, &keys) && whole_keys == keys;
  TCC_TRY(first_step(w, any, !known || whole_keys < w->shape.keys, words, stats));
  if (!known || whole_keys > w->shape.keys) TCC_TRY(emit_steps(w, block, whole, false, sums, words, stats));
  if (!all) TCC_TRY(emit_steps(w, tcc_emit_max(t, whole, block), w->end, true, sums, words, stats));
  if (a->tiles.persistent) tell_queries(w);
  AttTurn turn = turn_of(w, add(w, w->counted, tcc_emit_ceil_div(t, w->end, w->shape.keys)));
  att_put_last(&a->n, &w->shape, &turn, any, a->tiles.persistent, words, sums);
  return att_write_results(a, sums, stats);
}

/* ---- tiles ---- */

static TccStatus *do_tile(Groups *w, bool multiplies) {
  TccVal whole;
  att_find_ends(w->a, &whole, &w->end);
  if (multiplies) return multiply_tile(w, whole);
  copy_tile(w);
  return NULL;
}

/* The block's only tile, or one after the other. */
static TccStatus *each_tile(Groups *w, bool multiplies) {
  Attention *a = w->a;
  TccEmit *t = &a->n.e;
  TccLoop rounds;
  w->round = w->counted = i64(w, 0);
  if (!a->tiles.persistent) {
    att_place_tile(a, a->n.block);
    return do_tile(w, multiplies);
  }
  tcc_emit_for(t, &rounds, w->round, att_rounds(a), 1, 1, &w->counted, (const char *const[]){"i64"});
  w->round = rounds.iv, w->counted = rounds.in[0];
  att_place_tile(a, att_tile_of_round(a, w->round));
  TCC_TRY(do_tile(w, multiplies));
  TccVal counted = add(w, w->counted, tcc_emit_ceil_div(t, w->end, w->shape.keys));
  tcc_emit_end_for(t, &rounds, &counted);
  return NULL;
}

/* One thread copies for all. */
static TccStatus *produce(Groups *w) {
  TccIf one;
  tcc_emit_if(&w->a->n.e, &one, is(w, w->a->n.thread, 0), 0, NULL);
  TCC_TRY(each_tile(w, false));
  tcc_emit_end_if(&w->a->n.e, &one, NULL);
  return NULL;
}

/* The first warpgroup begins, as if the other one had had its turn, and waits for the turn that nobody takes at the end. In between they take turns
 * from tile to tile: both have the same steps. */
static TccStatus *consume(Groups *w) {
  att_put_barrier(&w->a->n, false, 1, is(w, w->group, 1));
  TCC_TRY(each_tile(w, true));
  att_put_barrier(&w->a->n, true, 1, is(w, w->group, 0));
  return NULL;
}

/* ---- the kernel ---- */

static TccVal matrix_at(Groups *w, int which) {
  TccEmit *t = &w->a->n.e;
  NvptxMatrix m = nvptx_matrix(which != ATT_V, w->shape.keys);
  TccVal address = nvptx_shared_number(&w->a->n, att_shared_at(w->a, i64(w, first_at(w, which))));
  address = tcc_emit_cast(t, "zext", "i32", "i64", address);
  if (which == ATT_Q) address = add(w, address, times(w, w->group, m.rows));
  return nvptx_matrix_at(&w->a->n, &m, address);
}

static void prepare(Groups *w) {
  Attention *a = w->a;
  TccEmit *t = &a->n.e;
  w->barriers = nvptx_shared_number(&a->n, att_shared_at(a, i64(w, barriers_at(w))));
  w->group = tcc_emit_div(t, a->group, i64(w, NVPTX_GROUP_WARPS));
  for (int i = 0; i < 3; i++) w->matrix[i] = matrix_at(w, i);
  TccVal own = narrow(w, w->group);
  w->turn = (AttTurn){.queries = w->matrix[ATT_Q],
                      .tells = is(w, a->lane, 0),
                      .own = tcc_emit_bin(t, "add", "i32", own, i32(w, 1)),
                      .other = tcc_emit_bin(t, "sub", "i32", i32(w, 2), own)};
}

TccStatus *att_groups_emit(Attention *a) {
  TccEmit *t = &a->n.e;
  Groups w = groups_of(a);
  TccIf producer;
  prepare(&w);
  init_barriers(&w);
  tcc_emit_if(t, &producer, tcc_emit_icmp(t, "slt", "i64", a->n.thread, i64(&w, NVPTX_GROUP_THREADS)), 0, NULL);
  nvptx_set_registers(&a->n, false, NVPTX_COPY_REGISTERS);
  TCC_TRY(produce(&w));
  tcc_emit_else(t, &producer, NULL);
  nvptx_set_registers(&a->n, true, NVPTX_MULTIPLY_REGISTERS);
  TCC_TRY(consume(&w));
  tcc_emit_end_if(t, &producer, NULL);
  return NULL;
}

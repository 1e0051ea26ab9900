/* attention.c - attention without a score matrix in memory.
 *
 * A tile is a few panels of queries of one head. Keys go by in blocks (Milakov and Gimelshein 2018; Dao et al. 2022):
 *
 *   block[key][query] = K q^T;  weights, running maximum and sum (attention_softmax.c);  o[width][query] += V^T block
 *
 * Both products are transposed: keys and values are the rows of the left operands and are copied straight, in runs of
 * memory, once for all panels of a tile; queries, which stay, are the packed panel of the first product, and its result is
 * the packed panel of the second as it stands. A register tile of 13 x 2 vectors wastes 1 of 65 rows of a head of 64. Queries are lanes of the softmax.
 * Buffers are read through strides, so q, k and v may be slices of one tensor. */
#include "lib/targets/x86/attention/attention.h"
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/attention/attention_schedule.h"
#include "lib/targets/x86/contract/contract_pack.h"
#include <math.h>

typedef struct {
  int64_t q, k, v, s, o, max, sum, mask, piece, weights, prefetch, total;
} Scratch; /* offsets in elements */

static Scratch scratch_layout(const Attention *a) {
  Scratch s = {0};
  int64_t at = 0, queries = a->plan.panels * a->plan.nr, lanes = a->plan.type.lanes;
  if (a->plan.tiles) { /* operands of 16 bits */
    s.q = at, at += queries * a->plan.d_padded / 2;
    s.k = at, at += (a->plan.block + 1) * a->plan.lda / 2;
    s.v = at, at += a->plan.e_padded * a->plan.ldv / 2;
    s.weights = at, at += a->plan.block * a->plan.nr / 2;
  } else {
    s.q = at, at += tcc_round_up(queries * a->read.d, lanes);
    s.k = at, at += a->plan.block * a->plan.lda;
    s.v = at, at += (a->read.e + a->plan.rows - 1) / a->plan.rows * a->plan.block * lanes;
  }
  s.s = at, at += a->plan.block * a->plan.nr;
  s.o = at, at += queries * a->plan.e_padded;
  s.sum = at, at += queries;
  s.max = at, at += queries;
  s.mask = at, at += a->read.mask == TCC_ATTENTION_MASK_BLOCK ? a->plan.block * a->plan.nr : 0;
  s.piece = at, at += 2 * lanes * lanes;
  s.prefetch = at, at += tcc_round_up(a->plan.prefetch_columns * 16 / a->plan.type.acc_bytes, lanes);
  s.total = at;
  return s;
}

typedef struct {
  TccKernelEmit *k;
  const Attention *a;
  Scratch at;
  TccVal scratch, head, kv_head, q0, queries, t0, kcount;
  TccVal next_head, next_kv_head, next_q0; /* of the tile after this one */
} Tile;

static TccVal part(const Tile *t, int64_t offset) { return tcc_emit_at(t->k->e, t->a->plan.type.acc, t->scratch, offset); }

static TccVal panel_count(const Tile *t, TccVal p) {
  TccEmit *e = t->k->e;
  return tcc_emit_min(e, tcc_emit_i64(e, t->a->plan.nr), tcc_emit_sub(e, t->queries, p));
}

bool attention_is_even(const TccSpan *rows) { return rows->n <= 1 && !rows->lookup; }

AttentionRows attention_rows(TccKernelEmit *k, const Attention *a, int tensor, const TccSpan *heads, TccVal head,
                             const TccSpan *rows, TccVal first) {
  TccEmit *e = k->e;
  const TccView *view = &a->read.view[tensor];
  const char *memory = tcc_scalar_memory_type(view->elem);
  AttentionRows out = {tcc_emit_gep(e, memory, tcc_view_pointer(k, view), tcc_span_offset(k, heads, tensor, head)), 0};
  if (!rows) return out;
  out.first = tcc_emit_gep(e, memory, out.first, tcc_span_offset(k, rows, tensor, first));
  out.apart = tcc_emit_mul(e, tcc_kernel_size(k, tcc_span_inner_stride(k->ir, rows, tensor)),
                           tcc_emit_i64(e, (int64_t)tcc_elem_bits(view->elem) / 8));
  return out;
}

/* Keys that the queries before q see. */
static TccVal visible_keys(const Tile *t, TccVal q) {
  TccVal last = t->a->read.stacked ? tcc_emit_i64(t->k->e, 1) : q;
  return tcc_emit_min(t->k->e, tcc_kernel_size(t->k, t->a->read.keys.count),
                      tcc_emit_add(t->k->e, last, tcc_kernel_size(t->k, t->a->read.offset)));
}

static TccVal packed_queries(const Tile *t, TccVal p) {
  const AttentionPlan *plan = &t->a->plan;
  TccVal depth = tcc_emit_i64(t->k->e, plan->tiles ? plan->d_padded : t->a->read.d);
  return tcc_emit_gep(t->k->e, plan->tiles ? plan->tile.packed : plan->type.packed, part(t, t->at.q),
                      tcc_emit_mul(t->k->e, p, depth));
}

/* fill(to, count, value): `count` numbers, a multiple of a vector. All kernels of a model share it. */
static void fill_emit(TccEmit *e, const Attention *a) {
  const char *elem = a->plan.type.acc, *type = tcc_emit_vector(e, elem, a->plan.type.lanes);
  TccVal arg[3];
  TccLoop i;
  tcc_emit_function(e, "fill", true, 3, (const char *const[]){TCC_PTR, "i64", elem}, NULL, arg);
  TccVal value = tcc_emit_splat(e, type, arg[2]);
  tcc_emit_for(e, &i, tcc_emit_i64(e, 0), arg[1], a->plan.type.lanes, 0, NULL, NULL);
  tcc_emit_store(e, type, value, tcc_emit_gep(e, elem, arg[0], i.iv));
  tcc_emit_end_for(e, &i, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* Nothing seen: results and sums 0, maxima -inf. A single block of keys gives results of its own. */
static void emit_clear(const Tile *t) {
  TccEmit *e = t->k->e;
  const Attention *a = t->a;
  const char *elem = a->plan.type.acc;
  const struct {
    int64_t from, each;
    double value;
  } fill[] = {{t->at.o, a->plan.e_padded, 0}, {t->at.sum, 1, 0}, {t->at.max, 1, -INFINITY}};
  TccVal queries = tcc_emit_round_up(e, t->queries, a->plan.nr);
  for (int f = a->plan.one_block ? 1 : 0; f < 3; f++) {
    TccVal args[] = {part(t, fill[f].from), tcc_emit_mul(e, queries, tcc_emit_i64(e, fill[f].each)),
                     tcc_emit_float(e, elem, fill[f].value)};
    tcc_emit_call(e, "fill", 3, args, (const char *const[]){TCC_PTR, "i64", elem}, NULL);
  }
}

static void emit_start(const Tile *t) {
  TccEmit *e = t->k->e;
  const Attention *a = t->a;
  TccVal zero = tcc_emit_i64(e, 0);
  TccLoop p;
  tcc_emit_for(e, &p, zero, t->queries, a->plan.nr, 0, NULL, NULL);
  TccVal count = panel_count(t, p.iv), depth = tcc_emit_i64(e, a->read.d),
         padded = a->plan.tiles ? tcc_emit_i64(e, a->plan.d_padded) : depth;
  TccPackCall call = {packed_queries(t, p.iv), t->head, tcc_emit_add(e, t->q0, p.iv), count, count, zero, depth, padded};
  tcc_pack_call(t->k, "pack_queries", &call);
  tcc_emit_end_for(e, &p, NULL);
  emit_clear(t);
}

static const char *const copy_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64"};

/* Where rows of keys and values are one axis, a copy is told where they begin and how many bytes they lie apart. */
static void copy_call(const Tile *t, const char *name, int64_t to, int tensor) {
  const Attention *a = t->a;
  TccVal args[] = {part(t, to), t->k->arguments, t->k->size_pointer, t->kv_head, t->t0, t->kcount};
  if (attention_is_even(&a->read.keys)) {
    AttentionRows rows = attention_rows(t->k, a, tensor, &a->read.kv_heads, t->kv_head, &a->read.keys, t->t0);
    args[1] = rows.first, args[3] = rows.apart;
  }
  tcc_emit_call(t->k->e, name, 6, args, copy_types, NULL);
}

/* prefetch: the entry of the table of what is prefetched; 0: none. */
static void product_call(TccEmit *e, const char *name, TccVal a, TccVal b, TccVal c, TccVal k, TccVal prefetch) {
  static const char *const types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", TCC_PTR, "i64"};
  TccVal args[] = {a, b, c, k, 0, 0};
  if (prefetch)
    args[4] = tcc_emit_load(e, TCC_PTR, prefetch), args[5] = tcc_emit_load(e, "i64", tcc_emit_at(e, "i64", prefetch, 1));
  tcc_emit_call(e, name, prefetch ? 6 : 4, args, types, NULL);
}

/* What the second product prefetches for column `row` of panel `p`. */
static TccVal prefetch_entry(const Tile *t, TccVal p, TccVal row) {
  TccEmit *e = t->k->e;
  const Attention *a = t->a;
  if (!a->plan.prefetches) return 0;
  TccVal calls = tcc_emit_i64(e, (a->read.e + a->plan.rows - 1) / a->plan.rows);
  TccVal number = tcc_emit_add(e, tcc_emit_mul(e, tcc_emit_div(e, p, tcc_emit_i64(e, a->plan.nr)), calls),
                               tcc_emit_div(e, row, tcc_emit_i64(e, a->plan.rows)));
  number = tcc_emit_min(e, number, tcc_emit_i64(e, a->plan.prefetch_columns - 1));
  return tcc_emit_gep(e, "i64", part(t, t->at.prefetch), tcc_emit_mul(e, number, tcc_emit_i64(e, 2)));
}

/* s = K q^T, and o = or += V^T weights of s, for one panel. */
static void emit_scores(const Tile *t, TccVal p, TccVal s, TccVal kcount) {
  TccEmit *e = t->k->e;
  const Attention *a = t->a;
  TccVal q = packed_queries(t, p);
  if (a->plan.tiles) {
    attention_tiles_scores(e, a, part(t, t->at.k), q, s, kcount);
    return;
  }
  TccLoop row;
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), kcount, a->plan.rows, 0, NULL, NULL);
  TccVal keys = tcc_emit_gep(e, a->plan.type.packed, part(t, t->at.k), tcc_emit_mul(e, row.iv, tcc_emit_i64(e, a->plan.lda)));
  TccVal to = tcc_emit_gep(e, a->plan.type.acc, s, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, a->plan.nr)));
  product_call(e, "scores", keys, q, to, tcc_emit_i64(e, a->read.d), 0);
  tcc_emit_end_for(e, &row, NULL);
}

static void emit_result(const Tile *t, TccVal p, TccVal s, TccVal o, TccVal kcount) {
  TccEmit *e = t->k->e;
  const Attention *a = t->a;
  if (a->plan.tiles) {
    attention_tiles_result(e, a, part(t, t->at.v), part(t, t->at.weights), s, o, kcount);
    return;
  }
  TccLoop row;
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), tcc_emit_i64(e, a->read.e), a->plan.rows, 0, NULL, NULL);
  TccVal column =
      tcc_emit_mul(e, tcc_emit_div(e, row.iv, tcc_emit_i64(e, a->plan.rows)), tcc_emit_i64(e, a->plan.block * a->plan.type.lanes));
  TccVal values = tcc_emit_gep(e, a->plan.type.packed, part(t, t->at.v), column);
  TccVal to = tcc_emit_gep(e, a->plan.type.acc, o, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, a->plan.nr)));
  product_call(e, "result", values, s, to, kcount, prefetch_entry(t, p, row.iv));
  tcc_emit_end_for(e, &row, NULL);
}

static void emit_panel(const Tile *t, TccVal p) {
  TccEmit *e = t->k->e;
  const Attention *a = t->a;
  TccVal zero = tcc_emit_i64(e, 0), s = part(t, t->at.s), mask = part(t, t->at.mask), count = panel_count(t, p),
         q0 = tcc_emit_add(e, t->q0, p);
  TccVal o = tcc_emit_gep(e, a->plan.type.acc, part(t, t->at.o), tcc_emit_mul(e, p, tcc_emit_i64(e, a->plan.e_padded)));
  TccVal kcount = t->kcount;
  TccIf seen;
  if (a->read.causal) { /* keys beyond the panel's last query are not looked at */
    kcount = tcc_emit_min(e, kcount, tcc_emit_sub(e, visible_keys(t, tcc_emit_add(e, q0, count)), t->t0));
    tcc_emit_if(e, &seen, tcc_emit_icmp(e, "sgt", "i64", kcount, zero), 0, NULL);
  }
  emit_scores(t, p, s, kcount);
  if (a->read.mask == TCC_ATTENTION_MASK_BLOCK) {
    SpreadCall spread = {mask, part(t, t->at.piece), t->head, q0, count, t->t0, kcount};
    attention_spread_call(t->k, a, &spread);
  }
  WeighCall weigh = {s,
                     tcc_emit_gep(e, a->plan.type.acc, part(t, t->at.max), p),
                     tcc_emit_gep(e, a->plan.type.acc, part(t, t->at.sum), p),
                     o,
                     mask,
                     kcount,
                     q0,
                     t->t0,
                     t->head};
  attention_weigh_call(t->k, t->a, &weigh);
  if (a->read.gives_result) emit_result(t, p, s, o, kcount);
  if (a->read.causal) tcc_emit_end_if(e, &seen, NULL);
}

static void emit_tile(Tile *t) {
  TccEmit *e = t->k->e;
  const Attention *a = t->a;
  TccVal zero = tcc_emit_i64(e, 0), end = tcc_kernel_size(t->k, a->read.keys.count);
  emit_start(t);
  if (a->read.causal) end = visible_keys(t, tcc_emit_add(e, t->q0, t->queries)); /* keys beyond are never read */
  TccLoop block, p;
  tcc_emit_for(e, &block, zero, end, a->plan.block, 0, NULL, NULL);
  t->t0 = block.iv;
  t->kcount = tcc_emit_min(e, tcc_emit_i64(e, a->plan.block), tcc_emit_sub(e, end, block.iv));
  if (a->plan.tiles) {
    TilesCopy copy = {part(t, t->at.k), part(t, t->at.v), t->kv_head, t->t0, t->kcount};
    attention_tiles_copy(t->k, a, &copy);
  } else {
    copy_call(t, "copy_keys", t->at.k, ATT_K);
    if (a->read.gives_result) copy_call(t, "copy_values", t->at.v, ATT_V);
  }
  if (a->plan.prefetches) { /* a block follows, or a tile */
    TccVal following = tcc_emit_add(e, block.iv, tcc_emit_i64(e, a->plan.block)),
           more = tcc_emit_icmp(e, "slt", "i64", following, end);
    PrefetchCall prefetch = {part(t, t->at.prefetch),
                             t->next_head,
                             tcc_emit_select1(e, "i64", more, t->kv_head, t->next_kv_head),
                             t->next_q0,
                             tcc_emit_select1(e, "i64", more, following, zero),
                             t->kcount};
    attention_prefetch_call(t->k, &prefetch);
  }
  tcc_emit_for(e, &p, zero, t->queries, a->plan.nr, 0, NULL, NULL);
  emit_panel(t, p.iv);
  tcc_emit_end_for(e, &p, NULL);
  tcc_emit_end_for(e, &block, NULL);

  tcc_emit_for(e, &p, zero, t->queries, a->plan.nr, 0, NULL, NULL);
  TccVal sum = tcc_emit_gep(e, a->plan.type.acc, part(t, t->at.sum), p.iv), q0 = tcc_emit_add(e, t->q0, p.iv),
         count = panel_count(t, p.iv);
  if (a->read.gives_result) {
    TccVal o = tcc_emit_gep(e, a->plan.type.acc, part(t, t->at.o), tcc_emit_mul(e, p.iv, tcc_emit_i64(e, a->plan.e_padded)));
    attention_epilogue_call(t->k, a, &(AttentionEpilogueCall){o, sum, part(t, t->at.piece), t->head, q0, count});
  }
  if (a->read.gives_sums) {
    TccVal max = tcc_emit_gep(e, a->plan.type.acc, part(t, t->at.max), p.iv);
    attention_log_sums_call(t->k, &(LogSumsCall){max, sum, part(t, t->at.piece), t->head, q0, count});
  }
  tcc_emit_end_for(e, &p, NULL);
}

static void emit_entry(TccKernelEmit *k, const Attention *a) {
  TccEmit *e = k->e;
  TccKernelEntry entry;
  tcc_kernel_entry(k, &entry);
  Tile t = {.k = k, .a = a, .at = scratch_layout(a), .scratch = entry.scratch};
  int64_t size = a->plan.panels * a->plan.nr;
  TccVal queries = tcc_kernel_size(k, a->read.queries.count),
         tiles = tcc_emit_max(e, tcc_emit_ceil_div(e, queries, size), tcc_emit_i64(e, 1));
  TccLoop tile;
  if (a->plan.tiles) tcc_micro_tiles_begin(e);
  tcc_emit_for(e, &tile, entry.begin, entry.end, 1, 0, NULL, NULL);
  t.head = tcc_emit_div(e, tile.iv, tiles);
  t.q0 = tcc_emit_mul(e, tcc_emit_rem(e, tile.iv, tiles), tcc_emit_i64(e, size));
  t.queries = tcc_emit_min(e, tcc_emit_i64(e, size), tcc_emit_sub(e, queries, t.q0));
  TccVal next = tcc_emit_min(e, tcc_emit_add(e, tile.iv, tcc_emit_i64(e, 1)), tcc_emit_sub(e, entry.end, tcc_emit_i64(e, 1)));
  t.next_head = tcc_emit_div(e, next, tiles);
  t.next_q0 = tcc_emit_mul(e, tcc_emit_rem(e, next, tiles), tcc_emit_i64(e, size));
  t.kv_head = t.head, t.next_kv_head = t.next_head;
  if (a->read.repeat != 1 &&
      !a->read.stacked) { /* head h of batch b reads h / repeat of b: both are row-major, so one division does it */
    t.kv_head = tcc_emit_div(e, t.head, tcc_emit_i64(e, a->read.repeat));
    t.next_kv_head = tcc_emit_div(e, t.next_head, tcc_emit_i64(e, a->read.repeat));
  }
  emit_tile(&t);
  tcc_emit_end_for(e, &tile, NULL);
  if (a->plan.tiles) tcc_micro_tiles_end(e);
  tcc_emit_return(e, 0, NULL);
}

/* name(dst, arguments, sizes, head, t0, count): rows [t0, t0 + count) of keys or values, in columns of `step` elements:
 * element i of row t at dst + i / step * column + t * row + i % step; a column is one vector. See copy_call. */
static void copy_emit(TccKernelEmit *k, const char *name, const Attention *a, int tensor, const TccSpan *inner, int64_t step,
                      int64_t column, int64_t row) {
  static const char *const params[] = {TCC_PTR " {llvm.noalias}", TCC_PTR, TCC_PTR, "i64", "i64", "i64"};
  enum { AHEAD = 8 /* rows */ };
  TccEmit *e = k->e;
  const TccView *view = &a->read.view[tensor];
  const bool told = attention_is_even(&a->read.keys);
  int64_t stride, width;
  bool even = tcc_expr_is_const(tcc_span_inner_stride(k->ir, inner, tensor), &stride) && stride == 1 && inner->n <= 1;
  int lanes = even ? a->plan.type.lanes : 1;
  (void)tcc_expr_is_const(inner->count, &width);
  const char *memory = tcc_scalar_memory_type(view->elem), *packed = a->plan.type.packed;
  const char *from_type = tcc_emit_vector(e, memory, lanes), *to_type = tcc_emit_vector(e, packed, lanes);
  TccVal arg[6];
  tcc_emit_tell(e, TCC_TELL_PLACES);
  tcc_emit_function(e, name, true, 6, params, NULL, arg);
  k->arguments = arg[1], k->size_pointer = arg[2];
  TccVal base = told ? arg[1] : attention_rows(k, a, tensor, &a->read.kv_heads, arg[3], NULL, 0).first;
  TccVal zero = tcc_emit_i64(e, 0), size = tcc_emit_i64(e, step);
  TccLoop c, t;
  tcc_emit_for(e, &t, zero, arg[5], 1, 0, NULL, NULL);
  TccVal from = told ? tcc_emit_gep(e, "i8", base, tcc_emit_mul(e, t.iv, arg[3]))
                     : tcc_emit_gep(e, memory, base, tcc_span_offset(k, &a->read.keys, tensor, tcc_emit_add(e, arg[4], t.iv)));
  TccVal to = tcc_emit_gep(e, packed, arg[0], tcc_emit_mul(e, t.iv, tcc_emit_i64(e, row)));
  if (even && width <= 8 * step) { /* rows of heads lie a page apart: no hardware looks ahead there */
    TccVal later = tcc_emit_add(e, t.iv, tcc_emit_i64(e, AHEAD)), prefetch;
    if (told) prefetch = tcc_emit_gep(e, "i8", base, tcc_emit_mul(e, later, arg[3]));
    else prefetch = tcc_emit_gep(e, memory, base, tcc_span_offset(k, &a->read.keys, tensor, tcc_emit_add(e, arg[4], later)));
    for (int64_t at = 0; at < width; at += 64 / (int64_t)(tcc_elem_bits(view->elem) / 8))
      tcc_emit_prefetch(e, tcc_emit_at(e, memory, prefetch, at), false, 3);
    for (int64_t at = 0; at < width; at += step) {
      TccVal on = at + lanes > width ? tcc_emit_mask(e, tcc_emit_i64(e, width - at), lanes) : 0;
      TccVal v = tcc_emit_masked_load(e, from_type, tcc_emit_at(e, memory, from, at), on);
      tcc_emit_store(e, to_type, tcc_scalar_convert(e, view->elem, a->plan.type.acc_elem, lanes, v),
                     tcc_emit_at(e, packed, to, at / step * column));
    }
  } else {
    tcc_emit_for(e, &c, zero, tcc_emit_i64(e, width), even ? step : 1, 0, NULL, NULL);
    TccVal on = even ? tcc_emit_mask(e, tcc_emit_sub(e, tcc_emit_i64(e, width), c.iv), lanes) : 0;
    TccVal v = tcc_emit_masked_load(e, from_type, tcc_emit_gep(e, memory, from, tcc_span_offset(k, inner, tensor, c.iv)), on);
    TccVal dst = tcc_emit_gep(e, packed, to, tcc_emit_mul(e, tcc_emit_div(e, c.iv, size), tcc_emit_i64(e, column)));
    if (!even) dst = tcc_emit_gep(e, packed, dst, tcc_emit_rem(e, c.iv, size));
    tcc_emit_store(e, to_type, tcc_scalar_convert(e, view->elem, a->plan.type.acc_elem, lanes, v), dst);
    tcc_emit_end_for(e, &c, NULL);
  }
  tcc_emit_end_for(e, &t, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* The products of fused multiply-adds and what copies their operands. */
static void emit_products(TccKernelEmit *k, const Attention *a) {
  attention_product_emit(k->e, "scores", a, a->plan.lda, 1, false, 0);
  if (a->read.gives_result)
    attention_product_emit(k->e, "result", a, 1, a->plan.type.lanes, !a->plan.one_block, a->plan.prefetches);
  TccPackSource q = {&a->read.view[ATT_Q], &a->read.heads, &a->read.queries, &a->read.depth, ATT_Q, a->read.d, a->read.d};
  tcc_pack_panel_emit(k, "pack_queries", &a->plan.type, &q, a->plan.nr);
  copy_emit(k, "copy_keys", a, ATT_K, &a->read.depth, a->plan.type.lanes, a->plan.type.lanes, a->plan.lda);
  if (a->read.gives_result)
    copy_emit(k, "copy_values", a, ATT_V, &a->read.width, a->plan.rows, a->plan.block * a->plan.type.lanes, a->plan.type.lanes);
}

TccStatus *tcc_attention_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Attention *a = TCC_NEW(ir->arena, Attention);
  TCC_TRY(attention_plan(ir, &target->machine, kernel, a));
  TccEmit emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, &emit, ir, target, kernel);
  if (attention_decodes(a)) {
    const TccExpr *count, *bytes;
    TccStatus *status = attention_decode_emit(&k, a, &count, &bytes);
    if (status) tcc_kernel_abandon(&k);
    else
      tcc_kernel_finish(&k, "x86.attention", tcc_arena_printf(ir->arena, "x86.attention/%d decode", ATTENTION_VERSION), count,
                        bytes, out);
    return status;
  }
  if (a->read.joins) {
    tcc_kernel_abandon(&k);
    return TCC_ERROR(TCC_UNSUPPORTED, "attention that joins keys and values, but not of one query");
  }
  if (a->plan.tiles) attention_tiles_emit(&k, a);
  else emit_products(&k, a);
  if (a->plan.prefetches) attention_prefetch_emit(&k, a);
  if (a->read.mask == TCC_ATTENTION_MASK_BLOCK) attention_spread_emit(&k, a);
  if (a->read.gives_result) attention_epilogue_emit(&k, a);
  TccStatus *status = attention_weigh_emit(&k, a);
  if (!status && a->read.gives_sums) status = attention_log_sums_emit(&k, a);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  fill_emit(&emit, a);
  emit.optnone = true;
  emit_entry(&k, a);
  TccExprPool *pool = ir->exprs;
  const TccExpr *tiles = tcc_expr_call(pool, TCC_EXPR_CEILDIV, tcc_kernel_slot(&k, a->read.queries.count),
                                       tcc_expr_const(pool, a->plan.panels * a->plan.nr));
  tiles = tcc_expr_mul(pool, tcc_kernel_slot(&k, a->read.heads.count), tiles);
  const char *schedule = tcc_arena_printf(ir->arena, "x86.attention/%d rows=%d vectors=%d panels=%d block=%lld", ATTENTION_VERSION,
                                          a->plan.rows, a->plan.vectors, a->plan.panels, (long long)a->plan.block);
  tcc_kernel_finish(&k, "x86.attention", schedule, tiles, tcc_expr_const(pool, scratch_layout(a).total * a->plan.type.acc_bytes),
                    out);
  return NULL;
}

/* gemv.c - the entry of a contraction of few rows: which tiles a thread takes, and what becomes of their sums. See gemv.h. */
#include "lib/targets/x86/contract/contract_pack.h"
#include "lib/targets/x86/contract/partial_sums.h"
#include "lib/targets/x86/gemv/gemv_internal.h"
#include "lib/targets/x86/gemv/gemv_schedule.h"

enum { A = TCC_CONTRACT_A, R = TCC_CONTRACT_R };

/* f32 of a thread's own scratch. */
static int64_t sums_at(const TccGemv *g) {
  return tcc_round_up(g->read.rows * g->plan.lda + 64 + (g->plan.depths > 1 ? g->plan.tiles : 1) * tcc_gemv_slices(g), 16);
}
static int64_t own_scratch(const TccGemv *g) { return tcc_round_up(sums_at(g) + g->read.rows * g->plan.ldc + g->form.lanes, 16); }

const char *tcc_gemv_name(TccKernelEmit *k, const TccGemv *g, const char *name) {
  return g->at_most ? tcc_arena_printf(k->ir->arena, "%s_%lld", name, (long long)g->read.rows) : name;
}

static TccVal row_count(TccKernelEmit *k, const TccGemv *g) {
  return g->at_most ? tcc_kernel_size(k, g->read.product.m.count) : tcc_emit_i64(k->e, g->read.rows);
}

static void pack_rows(TccKernelEmit *k, const TccGemv *g, TccVal to, TccVal from, TccVal count, TccVal padded) {
  TccEmit *e = k->e;
  TccVal zero = tcc_emit_i64(e, 0), rows = row_count(k, g);
  TccPackCall pack = {tcc_emit_gep(e, "f32", to, from), zero, zero, rows, tcc_emit_i64(e, g->read.rows), from, count, padded};
  tcc_pack_call(k, tcc_gemv_name(k, g, "pack_rows"), &pack);
}

/* Sums of columns [from, to) -> results. */
static void epilogue(TccKernelEmit *k, const TccGemv *g, const TccGemvCall *call) {
  TccEmit *e = k->e;
  if (tcc_gemv_orders(g)) tcc_gemv_call(k, tcc_gemv_name(k, g, "order"), call);
  if (g->form.factor) tcc_gemv_call(k, tcc_gemv_name(k, g, "factor"), call);
  TccEpilogueCall end = {call->sums, tcc_emit_i64(e, 0), tcc_emit_i64(e, 0),
                         call->from, row_count(k, g),    tcc_emit_sub(e, call->to, call->from)};
  tcc_epilogue_call(k, tcc_gemv_name(k, g, "epilogue"), &end);
}

/* Tiles are columns. */
static void emit_column_tiles(TccKernelEmit *k, const TccGemv *g, const TccKernelEntry *entry) {
  TccEmit *e = k->e;
  TccVal zero = tcc_emit_i64(e, 0), tile = tcc_emit_i64(e, g->plan.tile);
  pack_rows(k, g, entry->scratch, zero, tcc_emit_i64(e, g->read.depth),
            tcc_emit_i64(e, tcc_round_up(g->read.depth, g->form.lanes)));
  TccGemvCall all = {entry->scratch, entry->scratch, zero, zero, zero, tcc_emit_i64(e, tcc_gemv_depth_size(g))};
  if (g->form.bytes) tcc_gemv_call(k, tcc_gemv_name(k, g, "slices"), &all);
  TccLoop span;
  TccVal end = tcc_emit_min(e, tcc_emit_mul(e, entry->end, tile), tcc_emit_i64(e, g->read.columns));
  tcc_emit_for(e, &span, tcc_emit_mul(e, entry->begin, tile), end, g->plan.span, 0, NULL, NULL);
  TccVal to = tcc_emit_min(e, tcc_emit_add(e, span.iv, tcc_emit_i64(e, g->plan.span)), end);
  TccGemvCall call = {entry->scratch, tcc_emit_at(e, "f32", entry->scratch, sums_at(g)),
                      span.iv,        to,
                      zero,           tcc_emit_i64(e, tcc_gemv_depth_size(g))};
  if (!g->form.along_depth) tcc_gemv_call(k, tcc_gemv_name(k, g, "clear"), &call);
  tcc_gemv_call(k, tcc_gemv_name(k, g, "columns"), &call);
  epilogue(k, g, &call);
  tcc_emit_end_for(e, &span, NULL);
}

/* Where a tile of the depth begins, or the last one ends: the same in each group of tiles. */
static TccVal tile_start(TccEmit *e, const TccGemv *g, TccVal tile) {
  TccVal share = tcc_emit_i64(e, g->plan.share), start = tcc_emit_mul(e, tile, share);
  if (g->plan.small) {
    TccVal count = tcc_emit_i64(e, TCC_GEMV_GROUP), large = tcc_emit_i64(e, TCC_GEMV_LARGE), in = tcc_emit_rem(e, tile, count);
    TccVal wholes = tcc_emit_min(e, in, large), cut = tcc_emit_max(e, tcc_emit_sub(e, in, large), tcc_emit_i64(e, 0));
    wholes = tcc_emit_add(e, wholes, tcc_emit_mul(e, tcc_emit_div(e, tile, count), tcc_emit_i64(e, TCC_GEMV_LARGE + 1)));
    start = tcc_emit_add(e, tcc_emit_mul(e, wholes, share), tcc_emit_mul(e, cut, tcc_emit_i64(e, g->plan.small)));
  }
  TccVal behind = tcc_emit_icmp(e, "eq", "i64", tile, tcc_emit_i64(e, g->plan.tiles));
  return tcc_emit_select1(e, "i64", behind, tcc_emit_i64(e, tcc_gemv_depth_size(g)), start);
}

TccVal tcc_gemv_tile_at(TccEmit *e, const TccGemv *g, TccVal begin) {
  TccVal share = tcc_emit_i64(e, g->plan.share), tile = tcc_emit_div(e, begin, share);
  if (!g->plan.small) return tile;
  TccVal four = tcc_emit_i64(e, TCC_GEMV_LARGE + 1),
         large = tcc_emit_min(e, tcc_emit_rem(e, tile, four), tcc_emit_i64(e, TCC_GEMV_LARGE));
  TccVal group = tcc_emit_div(e, tile, four), from = tcc_emit_mul(e, tcc_emit_add(e, tcc_emit_mul(e, group, four), large), share);
  TccVal cut =
      tcc_emit_div(e, tcc_emit_sub(e, begin, from), tcc_emit_i64(e, g->plan.small)); /* of a large tile none: it begins at `from` */
  return tcc_emit_add(e, tcc_emit_add(e, tcc_emit_mul(e, group, tcc_emit_i64(e, TCC_GEMV_GROUP)), large), cut);
}

/* Opens a loop over the tiles of the depth of a call: sets the ends of `out`. A large tile that is cut, but all of which the call has, is
 * taken as one. is_last: of the call. */
typedef struct {
  TccLoop tile;
  TccIf begins;
  TccVal is_last;
} DepthLoop;

static void open_tiles(TccEmit *e, const TccGemv *g, const TccKernelEntry *entry, DepthLoop *loop, TccGemvCall *out) {
  TccVal one = tcc_emit_i64(e, 1), next;
  tcc_emit_for(e, &loop->tile, entry->begin, entry->end, 1, 0, NULL, NULL);
  next = tcc_emit_add(e, loop->tile.iv, one);
  if (g->plan.small) {
    TccVal large = tcc_emit_i64(e, TCC_GEMV_LARGE), in = tcc_emit_rem(e, loop->tile.iv, tcc_emit_i64(e, TCC_GEMV_GROUP));
    TccVal cut = tcc_emit_add(e, tcc_emit_sub(e, loop->tile.iv, in), large),
           behind = tcc_emit_add(e, cut, tcc_emit_i64(e, TCC_GEMV_SMALL));
    TccVal all = tcc_emit_bin(e, "and", "i1", tcc_emit_icmp(e, "sle", "i64", entry->begin, cut),
                              tcc_emit_icmp(e, "sge", "i64", entry->end, behind));
    TccVal is_slice = tcc_emit_bin(e, "and", "i1", all, tcc_emit_icmp(e, "sge", "i64", in, large));
    next = tcc_emit_select1(e, "i64", is_slice, behind, next);
    TccVal first = tcc_emit_select1(e, "i64", all, large, tcc_emit_i64(e, TCC_GEMV_GROUP)); /* later ones are done then */
    tcc_emit_if(e, &loop->begins, tcc_emit_icmp(e, "sle", "i64", in, first), 0, NULL);
  }
  out->begin = tile_start(e, g, loop->tile.iv), out->end = tile_start(e, g, next);
  loop->is_last = tcc_emit_icmp(e, "eq", "i64", next, entry->end);
}

static void close_tiles(TccEmit *e, const TccGemv *g, DepthLoop *loop) {
  if (g->plan.small) tcc_emit_end_if(e, &loop->begins, NULL);
  tcc_emit_end_for(e, &loop->tile, NULL);
}

static void merge_sums(TccKernelEmit *k, TccVal from, TccVal to, void *user) {
  const TccGemv *g = user;
  TccVal zero = tcc_emit_i64(k->e, 0);
  tcc_gemv_call(k, tcc_gemv_name(k, g, "merge"), &(TccGemvCall){from, to, zero, zero, zero, zero});
}

/* Tiles are of the depth: sums meet in the common scratch (partial_sums.h). */
static void emit_depth_tiles(TccKernelEmit *k, const TccGemv *g, const TccKernelEntry *entry) {
  TccEmit *e = k->e;
  TccVal zero = tcc_emit_i64(e, 0);
  const TccPartialSums partial = {g->plan.tiles, g->plan.slot, merge_sums, (void *)(uintptr_t)g};
  TccPartialCall p;
  tcc_partial_begin(k, &partial, entry, tcc_emit_at(e, "f32", entry->scratch, sums_at(g)), own_scratch(g), &p);
  TccVal from = tile_start(e, g, entry->begin), to = tile_start(e, g, entry->end);
  TccVal unit = tcc_emit_i64(e, g->read.depth / tcc_gemv_depth_size(g)), steps = tcc_emit_mul(e, tcc_emit_sub(e, to, from), unit);
  pack_rows(k, g, entry->scratch, tcc_emit_mul(e, from, unit), steps, steps);
  TccLoop span;
  DepthLoop tile;
  if (g->form.bytes) {
    TccGemvCall one = {entry->scratch, p.part, zero, zero};
    open_tiles(e, g, entry, &tile, &one);
    tcc_gemv_call(k, tcc_gemv_name(k, g, "slices"), &one);
    close_tiles(e, g, &tile);
  }
  tcc_emit_for(e, &span, zero, tcc_emit_i64(e, g->read.columns), g->plan.span, 0, NULL, NULL);
  TccGemvCall call = {
      entry->scratch, tcc_emit_gep(e, "f32", p.part, span.iv),
      span.iv,        tcc_emit_min(e, tcc_emit_add(e, span.iv, tcc_emit_i64(e, g->plan.span)), tcc_emit_i64(e, g->read.columns)),
      from,           to};
  tcc_gemv_call(k, tcc_gemv_name(k, g, "clear"), &call);
  open_tiles(e, g, entry, &tile, &call);
  TccIf near; /* the end of a share: sums are finished soon, by one thread alone, which would wait for line after line */
  TccVal whole = tcc_emit_icmp(e, "eq", "i64", p.count, p.all);
  tcc_emit_if(e, &near, tcc_emit_bin(e, "and", "i1", tile.is_last, tcc_emit_bin(e, "or", "i1", whole, p.follows)), 0, NULL);
  tcc_gemv_call(k, tcc_gemv_name(k, g, "prefetch"), &call);
  tcc_emit_end_if(e, &near, NULL);
  tcc_gemv_call(k, tcc_gemv_name(k, g, "columns"), &call);
  close_tiles(e, g, &tile);
  tcc_emit_end_for(e, &span, NULL);

  TccIf ends;
  TccVal sums;
  tcc_partial_end(k, &p, &ends, &sums);
  tcc_emit_for(e, &span, zero, tcc_emit_i64(e, g->read.columns), g->plan.span, 0, NULL, NULL);
  call = (TccGemvCall){
      entry->scratch, tcc_emit_gep(e, "f32", sums, span.iv),
      span.iv,        tcc_emit_min(e, tcc_emit_add(e, span.iv, tcc_emit_i64(e, g->plan.span)), tcc_emit_i64(e, g->read.columns)),
      zero,           zero};
  epilogue(k, g, &call);
  tcc_emit_end_for(e, &span, NULL);
  tcc_emit_end_if(e, &ends, NULL);
}

TccStatus *tcc_gemv_emit_functions(TccKernelEmit *k, const TccGemv *g) {
  TccPackSource source = {
      &g->read.product.a, &g->read.product.batch, &g->read.product.m, &g->read.product.k, A, .any_start = g->plan.depths > 1};
  tcc_pack_rows_emit(k, tcc_gemv_name(k, g, "pack_rows"), &g->form.type, &source, g->plan.lda);
  TccGemv plain = *g;
  if (g->form.bytes) plain.plan.unroll = 1, k->e->optnone = true; /* what is rare need not be fast */
  TCC_TRY(tcc_gemv_emit_columns(k, g->form.bytes ? tcc_gemv_name(k, g, "plain") : tcc_gemv_name(k, g, "columns"), &plain));
  k->e->optnone = false;
  if (g->form.bytes && g->form.along_depth) {
    TCC_TRY(tcc_gemv_emit_depth_slices(k, tcc_gemv_name(k, g, "slices"), g));
    tcc_gemv_emit_depth(k, tcc_gemv_name(k, g, "columns"), tcc_gemv_name(k, g, "plain"), g);
  } else if (g->form.bytes) {
    TCC_TRY(tcc_gemv_emit_tile_slices(k, tcc_gemv_name(k, g, "slices"), g));
    tcc_gemv_emit_order(k, tcc_gemv_name(k, g, "order"), g);
    tcc_gemv_emit_bytes(k, tcc_gemv_name(k, g, "columns"), tcc_gemv_name(k, g, "plain"), tcc_gemv_name(k, g, "order"), g);
  }
  if (!g->form.along_depth) TCC_TRY(tcc_gemv_emit_clear(k, tcc_gemv_name(k, g, "clear"), g));
  if (g->form.factor) TCC_TRY(tcc_gemv_emit_factor(k, tcc_gemv_name(k, g, "factor"), g));
  if (g->plan.depths > 1) tcc_gemv_emit_merge(k, tcc_gemv_name(k, g, "merge"), g);
  TccEpilogueBlock block = {&g->read.product.epilogue,
                            &g->read.product.batch,
                            &g->read.product.m,
                            &g->read.product.n,
                            R,
                            TCC_ELEM_F32,
                            g->plan.ldc,
                            g->form.lanes};
  TCC_TRY(tcc_epilogue_emit(k, tcc_gemv_name(k, g, "epilogue"), &block));
  if (g->plan.depths > 1)
    tcc_gemv_emit_prefetch(
        k, tcc_gemv_name(k, g, "prefetch"),
        tcc_epilogue_prefetch_emit(k, tcc_gemv_name(k, g, "epilogue_prefetch"), &block, TCC_GEMV_PREFETCH, true, NULL)
            ? tcc_gemv_name(k, g, "epilogue_prefetch")
            : NULL,
        g);
  return NULL;
}

void tcc_gemv_emit_tiles(TccKernelEmit *k, const TccGemv *g, const TccKernelEntry *entry) {
  if (g->plan.depths > 1) emit_depth_tiles(k, g, entry);
  else emit_column_tiles(k, g, entry);
}

int64_t tcc_gemv_scratch_bytes(const TccGemv *g) {
  return tcc_round_up((own_scratch(g) + (g->plan.depths > 1 ? g->plan.tiles * g->plan.slot : 0)) * 4, 64);
}

/* The lines side by side that a tile begins with, of the operand with the most bytes. */
void tcc_gemv_prefetch(const TccGemv *g, TccPrefetch *out) {
  int outer = g->read.block_dim >= 0 ? g->read.block_dim : g->read.depth_dim,
      along = g->plan.depths > 1 ? outer : g->read.column_dim;
  int line = g->form.along_depth ? g->read.column_dim : g->form.block_factor ? g->read.depth_dim : outer;
  int64_t best = 0,
          lines = g->form.along_depth || g->form.block_factor ? 1
                  : g->plan.part                              ? g->plan.part
                                                              : 1,
          places = g->plan.depths == 1 ? g->plan.tile : g->plan.share;
  for (size_t i = 0; i < g->read.pull.nodes.count; i++) {
    const TccPullNode *node = g->read.pull.nodes.data[i];
    int64_t bits = tcc_elem_bits(node->elem), offset, pitch, step;
    if (!tcc_gemv_streams(g, node) || node->argument < 0 || bits <= best || !node->index.coef[line] || !node->index.coef[along])
      continue;
    if (!tcc_expr_is_const(node->index.offset, &offset) || !tcc_expr_is_const(node->index.coef[line], &pitch) ||
        !tcc_expr_is_const(node->index.coef[along], &step))
      continue;
    best = bits;
    if (g->plan.small) step = step * (TCC_GEMV_LARGE + 1) / TCC_GEMV_GROUP; /* on average: shares of threads are whole groups */
    *out = (TccPrefetch){(uint32_t)node->argument, (uint32_t)g->plan.unroll, offset * bits / 8, step * places * bits / 8,
                         pitch * lines * bits / 8};
  }
}

TccStatus *tcc_gemv_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  TccGemv *g = TCC_NEW(ir->arena, TccGemv);
  if (!tcc_gemv_read(&target->machine, ir, kernel, TCC_GEMV_ROWS, g))
    return TCC_ERROR(TCC_UNSUPPORTED, "not a contraction of few rows");
  tcc_gemv_plan(&target->machine, g);
  TCC_TRY(tcc_gemv_apply_schedule(g));
  TccEmit emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, &emit, ir, target, kernel);
  TccStatus *status = tcc_gemv_emit_functions(&k, g);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  TccKernelEntry entry;
  tcc_kernel_entry(&k, &entry);
  tcc_gemv_emit_tiles(&k, g, &entry);
  tcc_emit_return(k.e, 0, NULL);
  const char *schedule =
      tcc_arena_printf(ir->arena, "x86.gemv/%d along=%s%s unroll=%d tile=%lld span=%lld depths=%lld", TCC_GEMV_VERSION,
                       g->form.along_depth ? "depth" : "columns", g->form.bytes ? " in integers" : "", g->plan.unroll,
                       (long long)g->plan.tile, (long long)g->plan.span, (long long)g->plan.depths);
  tcc_kernel_finish(&k, "x86.gemv", schedule, tcc_expr_const(ir->exprs, g->plan.tiles),
                    tcc_expr_const(ir->exprs, tcc_gemv_scratch_bytes(g)), out);
  tcc_gemv_prefetch(g, &out->prefetch);
  return NULL;
}

/* contract_depth.c - tiles that are parts of the depth, of a product with few sums beside what is packed for them.
 *
 * Threads that share the columns of a product each pack all rows, and again for each piece of their share where those do not stay in the
 * scratch (contract_rows.c); threads that share the rows each pack all columns. Threads that share the depth pack nothing twice: a tile is a
 * range of it with all rows and columns, whose sums meet in the common scratch (partial_sums.h), as gradients of weights do over a batch. */
#include "lib/targets/x86/contract/contract_internal.h"
#include "lib/targets/x86/contract/partial_sums.h"

static int64_t slot_words(const TccContract *c) {
  return TCC_PARTIAL_HEAD + tcc_round_up(c->plan.mb * c->plan.ldc * c->type.acc_bytes, 64) / 4;
}

int64_t tcc_contract_depth_bytes(const TccContract *c) { return c->plan.depths * slot_words(c) * 4; }

/* ---- what is chosen ---- */

/* How often a thread takes tiles of a share of so many: a third of what is left (team.c). */
static int64_t pieces(int64_t tiles) {
  enum { PART = 3 };
  int64_t n = 0;
  for (; tiles > 0; n++) tiles -= tcc_ceil_div(tiles, PART);
  return n;
}

/* Cycles of a thread for each column of k that it meets: products, and elements that are packed. */
static double column_cycles(const TccContract *c, double products, double packed) {
  enum { MULTIPLY_ADDS = 2 /* a cycle */ };
  return products / (MULTIPLY_ADDS * c->type.lanes) + packed;
}

/* Of the thread that has most to do where threads share rows and columns. */
static double shared_cycles(const TccContract *c, int64_t cores) {
  const TccContractPlan *p = &c->plan;
  const int64_t m = c->sizes.m, n = c->sizes.n;
  int64_t nr = (int64_t)p->vectors * c->type.lanes, runs = tcc_ceil_div(m, p->mb), panels = tcc_ceil_div(n, nr);
  int64_t share = tcc_ceil_div(runs * panels, cores), rows = tcc_ceil_div(m, runs);
  TccContract kept = *c;
  tcc_contract_plan_kept(&kept);
  int64_t times = p->in_place             ? 0
                  : kept.plan.kept_blocks ? tcc_ceil_div(share, panels)
                  : share < panels        ? pieces(share)
                                          : share / panels;
  return (double)c->sizes.k * column_cycles(c, (double)(share * rows * nr), (double)(times * rows + share * nr));
}

/* Where they share the depth: each call adds its sums to those before, and the last one those of all threads. */
static double depth_cycles(const TccContract *c, int64_t cores, int64_t tiles) {
  const int64_t m = c->sizes.m, nr = (int64_t)c->plan.vectors * c->type.lanes, columns = tcc_round_up(c->sizes.n, nr);
  double sums = (double)(m * columns * (pieces(tiles / cores) + cores)) * 2 / c->type.lanes;
  return (double)c->sizes.k / (double)cores *
             column_cycles(c, (double)(m * columns), (double)(c->plan.in_place ? 0 : m) + (double)columns) +
         sums;
}

/* A share has as many tiles as make its last piece a small one. Sums of a tile stay in half of the second cache. A block of k of a right operand
 * that lies along its columns is as many rows of memory, mostly pages: fewer of them are met again before they are forgotten (512x16384x128,
 * 768x50257x256 and 512x8192x64, two threads of an Emerald Rapids, blocks of 1,056, 528 and 272, ms: 13.9, 12.6, 11.9; 83.8, 67.9, 69.4; 2.6, 2.1, 2.1). */
void tcc_contract_plan_depths(TccContract *c, const TccMachine *machine) {
  enum { OF_A_CORE = 4, MOST_CORES = 4, LEAST_BLOCK = 256, MOST_PAGES = 512, GAIN = 32 };
  TccContractPlan *p = &c->plan, own = *p;
  const int64_t m = c->sizes.m, n = c->sizes.n, depth = c->sizes.k;
  int64_t cores = machine->cores, l2 = machine->l2_bytes ? machine->l2_bytes : 1 << 20, nr = (int64_t)p->vectors * c->type.lanes,
          unit = tcc_contract_depth_unit(&c->type), tiles = cores * OF_A_CORE;
  if (cores < 2 || cores > MOST_CORES || c->sizes.packed_nr || c->sizes.batch != 1 || m < 1 || n < 1 ||
      c->type.engine != TCC_MICRO_FMA || depth < tiles * LEAST_BLOCK || m * tcc_round_up(n, nr) * c->type.acc_bytes > l2 / 2 ||
      tcc_has_attribute(c->read->kernel, "tcc.schedule"))
    return;
  double shared = shared_cycles(c, cores);
  if (depth_cycles(c, cores, tiles) > shared - shared / GAIN) return;
  int64_t share = tcc_ceil_div(depth, tiles), most = tcc_contract_packs_along(c->read) && p->kc > MOST_PAGES ? MOST_PAGES : p->kc;
  if (!p->in_place || c->read->k.n == 1)
    p->kc = tcc_round_up(tcc_ceil_div(share, tcc_ceil_div(share, most)), unit); /* else a part of a run */
  p->share = tcc_round_up(share, p->kc), p->depths = tcc_ceil_div(depth, p->share);
  p->mb = tcc_round_up(m, p->rows), p->nb = tcc_round_up(n, nr);
  tcc_contract_finish(&c->type, &c->sizes, p);
  if (p->in_place) p->lda = own.lda;
  c->stores = TCC_CONTRACT_STORES_LATER;
}

/* ---- what is emitted ---- */

static const char MERGE[] = "merge";
static const char *const merge_types[] = {TCC_PTR, TCC_PTR};

/* merge(from, to): adds the sums of a tile. */
void tcc_contract_merge_emit(TccKernelEmit *k, const TccContract *c) {
  TccEmit *e = k->e;
  const TccMicroType *t = &c->type;
  const char *vector = tcc_emit_vector(e, t->acc, t->lanes), *add = tcc_elem_is_float(t->acc_elem) ? "fadd" : "add";
  TccVal arg[2];
  TccLoop row, i;
  tcc_emit_function(e, MERGE, true, 2, merge_types, NULL, arg);
  int64_t columns = c->plan.ldc - t->lanes;
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), tcc_emit_i64(e, c->plan.mb * c->plan.ldc), c->plan.ldc, 0, NULL, NULL);
  tcc_emit_for(e, &i, row.iv, tcc_emit_add(e, row.iv, tcc_emit_i64(e, columns)), t->lanes, 0, NULL, NULL);
  TccVal to = tcc_emit_gep(e, t->acc, arg[1], i.iv), more = tcc_emit_load(e, vector, tcc_emit_gep(e, t->acc, arg[0], i.iv));
  tcc_emit_store(e, vector, tcc_emit_bin(e, add, vector, tcc_emit_load(e, vector, to), more), to);
  tcc_emit_end_for(e, &i, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_return(e, 0, NULL);
}

static void merge(TccKernelEmit *k, TccVal from, TccVal to, void *user) {
  (void)user;
  const TccVal args[] = {from, to};
  tcc_emit_call(k->e, MERGE, 2, args, merge_types, NULL);
}

/* All rows and columns of the result. */
static void emit_epilogue(TccKernelEmit *k, const TccContract *c, const TccContractTile *t, TccVal sums) {
  TccEmit *e = k->e;
  int64_t nr = (int64_t)c->plan.vectors * c->type.lanes;
  TccVal zero = tcc_emit_i64(e, 0), n = tcc_kernel_size(k, c->read->n.count);
  TccLoop row, column;
  tcc_emit_for(e, &row, zero, t->rows, c->plan.rows, 0, NULL, NULL);
  tcc_emit_for(e, &column, zero, n, nr, 0, NULL, NULL);
  TccVal at = tcc_emit_add(e, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, c->plan.ldc)), column.iv);
  TccVal rows = tcc_emit_min(e, tcc_emit_i64(e, c->plan.rows), tcc_emit_sub(e, t->rows, row.iv)),
         columns = tcc_emit_min(e, tcc_emit_i64(e, nr), tcc_emit_sub(e, n, column.iv));
  TccEpilogueCall call = {tcc_emit_gep(e, c->type.acc, sums, at), zero, row.iv, column.iv, rows, columns, t->frame};
  tcc_epilogue_call(k, "epilogue", &call);
  tcc_emit_end_for(e, &column, NULL);
  tcc_emit_end_for(e, &row, NULL);
}

void tcc_contract_depths_emit(TccKernelEmit *k, const TccContract *c, const TccKernelEntry *entry, TccContractTile *t,
                              int64_t scratch) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  const TccPartialSums partial = {p->depths, slot_words(c), merge, NULL};
  TccPartialCall call;
  tcc_partial_begin(k, &partial, entry, t->c, scratch / 4, &call);
  TccVal share = tcc_emit_i64(e, p->share);
  if (t->frame) tcc_epilogue_frame_batch(k, &c->end, t->frame, tcc_emit_i64(e, 0));
  t->c = call.part, t->batch = t->row0 = t->first = tcc_emit_i64(e, 0), t->rows = tcc_kernel_size(k, c->read->m.count);
  t->last = tcc_emit_ceil_div(e, tcc_kernel_size(k, c->read->n.count), (int64_t)p->vectors * c->type.lanes);
  t->k_first = tcc_emit_mul(e, entry->begin, share);
  TccVal end = tcc_emit_min(e, tcc_emit_mul(e, entry->end, share), tcc_kernel_size(k, c->read->k.count));
  TccLoop block;
  tcc_emit_for(e, &block, t->k_first, end, p->kc, 0, NULL, NULL);
  t->k0 = block.iv;
  tcc_contract_block_emit(k, c, t);
  tcc_emit_end_for(e, &block, NULL);
  TccIf ends;
  TccVal sums;
  tcc_partial_end(k, &call, &ends, &sums);
  emit_epilogue(k, c, t, sums);
  tcc_emit_end_if(e, &ends, NULL);
}

/* contract_rows.c - the left operand of a contraction: rows that are read where they lie, or are copied into the scratch of a thread.
 *
 * A thread takes the panels that meet a block of rows in pieces (team.c), and each call of the tile function packs the rows again; so do
 * groups of panels whose sums do not fit at once. Where that is more than a sweep over them, the scratch keeps the rows of all blocks of k,
 * and TccScratchHead.own_end the run of tiles that they belong to, until the command ends. */
#include "lib/targets/x86/contract/contract_internal.h"
#include "tcc/abi.h"

enum { A = TCC_CONTRACT_A, WAYS = 8, MOST_KEPT = 8 << 20 /* bytes */ };

/* ---- what is chosen ---- */

int64_t tcc_contract_run(const TccSpan *k, int tensor) {
  int64_t run = 1, size, stride;
  for (int i = k->n - 1; i >= 0; i--) {
    if (!tcc_expr_is_const(k->stride[i][tensor], &stride) || stride != run || !tcc_expr_is_const(k->size[i], &size)) break;
    run *= size;
  }
  return run;
}

/* Lines of the first cache that meet in one of its sets when the rows of a register tile lie `stride` bytes apart. */
static int64_t rows_in_a_set(int64_t rows, int64_t stride) {
  int64_t page = 4096, apart = stride & -stride; /* 64 sets of lines of 64 bytes */
  return apart >= page ? rows : (rows * apart + page - 1) / page;
}

/* What rows that are read where they lie must be a multiple of: an iteration of the loop. */
static int64_t whole_k_groups(const TccContract *c) {
  bool unrolled = c->type.engine != TCC_MICRO_TILES && c->type.k_group == 1 && c->plan.rows > 1 && c->sizes.m >= 0;
  return unrolled ? tcc_micro_unroll(&c->type) : tcc_micro_unit(&c->type);
}

/* No block of k ends within an iteration, or goes from one run to the next. */
static bool lie_in_blocks(const TccContract *c) {
  const TccContractPlan *p = &c->plan;
  if (c->read->k.n == 1) return c->sizes.k % whole_k_groups(c) == 0;
  return c->type.engine == TCC_MICRO_FMA && p->kc % whole_k_groups(c) == 0 && tcc_contract_run(&c->read->k, A) % p->kc == 0;
}

/* Rows that fill no register tile are copied, as far apart as they lie, with rows of zeros behind them: these would be written into rows that overlap. */
static bool lie_apart(const TccContract *c, int64_t stride) {
  const TccContractPlan *p = &c->plan;
  const int64_t m = c->sizes.m, depth = c->sizes.k;
  return (m > 0 && m % p->rows == 0) || stride >= (p->kc < depth ? p->kc : depth);
}

/* Rows of the left operand are read where they lie if they are runs of packed elements without a tail of a k-group, and if
 * what a register tile reads of them fits into a set of the cache. (Rows of 12 KB, eight of them in a set: 128x768x3072 is
 * 4 % faster than by a copy; each piece that a thread takes of a command would copy again.) */
void tcc_contract_place_rows(TccContract *c) {
  TccContractPlan *p = &c->plan;
  const int64_t m = c->sizes.m;
  int64_t stride, step, bytes = c->type.packed_bytes;
  p->in_place =
      tcc_micro_packs_as_is(&c->type, c->read->a.elem) && c->sizes.k > 0 && c->read->k.n > 0 && lie_in_blocks(c) &&
      tcc_expr_is_const(tcc_span_inner_stride(c->read->ir, &c->read->k, A), &step) && step == 1 && c->read->m.n == 1 &&
      tcc_expr_is_const(c->read->m.stride[0][A], &stride) &&
      (m == 1 || (stride > 0 && stride < 1 << 16 && lie_apart(c, stride) && rows_in_a_set(p->rows, stride * bytes) <= WAYS));
  if (!p->in_place) return;
  p->lda = m == 1 ? p->lda : stride;
  c->plan.ragged = m < 0 || m % p->rows != 0;
}

/* Rows of several axes, as pixels of some images are, lie in runs: blocks of k that do not cross from one to the next are read where they lie, too. */
void tcc_contract_fit_runs(TccContract *c) {
  enum { LEAST = 256 };
  TccContractPlan *p = &c->plan, before = *p;
  int64_t run = tcc_contract_run(&c->read->k, A), unit = tcc_contract_depth_unit(&c->type);
  if (c->read->k.n < 2 || c->sizes.k <= run || tcc_has_attribute(c->read->kernel, "tcc.schedule")) return;
  for (p->kc -= p->kc % unit; p->kc >= LEAST && run % p->kc;) p->kc -= unit;
  if (p->kc >= LEAST) {
    p->one_block = false, p->ldc = p->nb + c->type.lanes;
    tcc_contract_place_rows(c);
  }
  if (!p->in_place) *p = before;
}

/* Rows that lie side by side, as those of a transposed operand do, are packed a tile of them at each k: along k they are as far apart as the
 * operand is wide, often a page, and each element would be a line of its own. */
void tcc_contract_place_columns(TccContract *c) {
  TccContractPlan *p = &c->plan;
  const int64_t m = c->sizes.m;
  int64_t step, stride;
  p->k_major = !p->in_place && p->rows > 1 && (m < 0 || m > 1) && c->type.engine == TCC_MICRO_FMA && c->type.k_group == 1 &&
               c->read->m.n == 1 && tcc_expr_is_const(c->read->m.stride[0][A], &step) && step == 1 && c->read->k.n > 0 &&
               !(tcc_expr_is_const(tcc_span_inner_stride(c->read->ir, &c->read->k, A), &stride) && stride == 1);
  if (p->k_major) p->lda = p->kc;
}

/* Threads that share the panels of one block of rows each pack all of its rows; those that share the rows each pack all panels. So rows that are
 * copied are shared where they are more than the columns. (Gradients of weights [512, 128] of 6,272 pixels, two threads: 4.4 to 2.9 ms.) */
void tcc_contract_share_rows(TccContract *c, const TccMachine *machine) {
  TccContractPlan *p = &c->plan;
  const int64_t m = c->sizes.m, n = c->sizes.n, batch = c->sizes.batch < 0 ? 1 : c->sizes.batch;
  int64_t cores = machine->cores, all = tcc_ceil_div(m, p->mb) * batch;
  if (p->in_place || p->single || cores < 2 || m <= n || n < 0 || batch < 1 || all >= cores ||
      tcc_has_attribute(c->read->kernel, "tcc.schedule"))
    return;
  int64_t each = tcc_round_up(tcc_ceil_div(m, tcc_ceil_div(cores, batch)), p->rows);
  if (each < 4 * p->rows || each >= p->mb) return;
  p->mb = each;
  tcc_contract_finish(&c->type, &c->sizes, p);
}

int64_t tcc_contract_left_bytes(const TccContract *c) {
  const TccContractPlan *p = &c->plan;
  int64_t rows = p->in_place ? p->ragged ? p->rows : 0 : p->mb;
  return rows ? tcc_round_up((rows * p->lda + 64) * c->type.packed_bytes, 64) : 0;
}

void tcc_contract_plan_kept(TccContract *c) {
  TccContractPlan *p = &c->plan;
  const int64_t n = c->sizes.n, depth = c->sizes.k;
  int64_t nr = (int64_t)p->vectors * c->type.lanes, blocks = p->one_block ? 1 : depth > 0 ? tcc_ceil_div(depth, p->kc) : 0;
  bool many = n < 0 || n > nr; /* one panel meets the rows once */
  if (!p->in_place && !p->depths && many && blocks * tcc_contract_left_bytes(c) <= MOST_KEPT) p->kept_blocks = blocks;
}

/* ---- what is emitted ---- */

static TccVal own_end(TccEmit *e, TccVal scratch) {
  return tcc_emit_at(e, "i8", scratch, (int64_t)offsetof(TccScratchHead, own_end) - (int64_t)sizeof(TccScratchHead));
}

void tcc_contract_keep_begin(TccKernelEmit *k, const TccContract *c, TccContractTile *t, TccVal scratch, TccVal run, TccVal first,
                             TccVal last, TccVal panels) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  if (!p->kept_blocks) return;
  TccVal part = tcc_emit_icmp(e, "slt", "i64", tcc_emit_sub(e, last, first), panels);
  if (!p->one_block) { /* another group of panels meets the rows */
    TccVal group = tcc_emit_i64(e, p->nb / ((int64_t)p->vectors * c->type.lanes));
    part = tcc_emit_bin(e, "or", "i1", part, tcc_emit_icmp(e, "sgt", "i64", panels, group));
  }
  t->stays = part;
  t->fresh = t->missing = tcc_emit_icmp(e, "ne", "i64", tcc_emit_load(e, "i64", own_end(e, scratch)), run);
}

TccVal tcc_contract_keep_again(TccKernelEmit *k, const TccContract *c, const TccContractTile *t, TccVal is_first_group) {
  return c->plan.kept_blocks ? tcc_emit_bin(k->e, "and", "i1", t->missing, is_first_group) : t->fresh;
}

void tcc_contract_keep_end(TccKernelEmit *k, const TccContract *c, const TccContractTile *t, TccVal scratch, TccVal run) {
  TccEmit *e = k->e;
  if (!c->plan.kept_blocks) return;
  tcc_emit_store(e, "i64", tcc_emit_select1(e, "i64", t->stays, run, tcc_emit_i64(e, -1)), own_end(e, scratch));
}

static void pack_rows(TccKernelEmit *k, const TccContract *c, const TccContractTile *t) {
  TccVal padded = tcc_emit_round_up(k->e, t->rows, c->plan.rows);
  TccPackCall call = {t->a, t->batch, t->row0, t->rows, padded, t->k0, t->kcount, t->kpadded};
  tcc_pack_call(k, "pack_rows", &call);
}

/* Rows that do not stay are packed in one place, which the second cache holds. */
static void copy_rows(TccKernelEmit *k, const TccContract *c, TccContractTile *t) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  if (!p->kept_blocks) {
    pack_rows(k, c, t);
    return;
  }
  if (!p->one_block) {
    TccVal block = tcc_emit_mul(e, tcc_emit_div(e, t->k0, tcc_emit_i64(e, p->kc)), tcc_emit_i64(e, tcc_contract_left_bytes(c)));
    t->a = tcc_emit_gep(e, "i8", t->scratch, tcc_emit_select1(e, "i64", t->stays, block, tcc_emit_i64(e, 0)));
  }
  t->a_prefetch = t->a;
  TccIf fresh;
  tcc_emit_if(e, &fresh, t->fresh, 0, NULL);
  pack_rows(k, c, t);
  tcc_emit_end_if(e, &fresh, NULL);
}

/* The left operand of this k block: rows are copied, or read where they lie but for those that fill no register tile. */
void tcc_contract_left(TccKernelEmit *k, const TccContract *c, TccContractTile *t) {
  TccEmit *e = k->e;
  const TccContractPlan *p = &c->plan;
  TccVal height = tcc_emit_i64(e, p->rows);
  t->a_prefetch = t->a;
  if (!p->in_place) {
    copy_rows(k, c, t);
    return;
  }
  TccVal offset = tcc_emit_add(e, tcc_span_offset(k, &c->read->batch, A, t->batch), tcc_span_offset(k, &c->read->m, A, t->row0));
  TccVal along = c->read->k.n == 1 ? t->k0 : tcc_span_offset(k, &c->read->k, A, t->k0);
  t->a_source = tcc_emit_gep(e, c->type.packed, tcc_view_pointer(k, &c->read->a), tcc_emit_add(e, offset, along));
  t->a_prefetch = t->a_source;
  TccVal rest = tcc_emit_rem(e, t->rows, height);
  t->whole_rows = tcc_emit_sub(e, t->rows, rest);
  if (!c->plan.ragged) return;
  TccIf copy;
  tcc_emit_if(e, &copy, tcc_emit_icmp(e, "sgt", "i64", rest, tcc_emit_i64(e, tcc_contract_single_rows(p))), 0, NULL);
  TccPackCall call = {t->a, t->batch, tcc_emit_add(e, t->row0, t->whole_rows), rest, height, t->k0, t->kcount, t->kpadded};
  tcc_pack_call(k, "pack_rows", &call);
  tcc_emit_end_if(e, &copy, NULL);
}

/* parts.c - see parts.h. The arrival as in threadFenceReduction of the CUDA samples, with release and acquire in place of fences: the barrier before
 * it orders the block's writes before the addition, the one behind it what the block reads after it (PTX ISA 8.9, causality). */
#include "lib/targets/nvptx/parts.h"

enum { COUNTER_BYTES = 4 };

static TccVal i64(NvptxKernel *n, int64_t v) { return tcc_emit_i64(&n->e, v); }

int nvptx_parts_count(int64_t places, const TccExpr *groups, const TccExpr *steps, int64_t least) {
  int64_t ngroups, nsteps;
  if (!tcc_expr_is_const(groups, &ngroups) || !tcc_expr_is_const(steps, &nsteps) || ngroups < 1 || ngroups > TCC_SCRATCH_COUNTERS)
    return 1;
  int64_t parts = places / ngroups, most = nsteps / least;
  if (parts > most) parts = most;
  if (parts > NVPTX_MOST_PARTS) parts = NVPTX_MOST_PARTS;
  return parts > 1 ? (int)parts : 1;
}

const TccExpr *nvptx_parts_scratch(TccIr *ir, int parts, const TccExpr *groups, int64_t sums_of_block) {
  return parts > 1 ? tcc_expr_mul(ir->exprs, groups, tcc_expr_const(ir->exprs, parts * sums_of_block * 4)) : NULL;
}

void nvptx_parts_place(NvptxKernel *n, NvptxParts *p, TccVal block) {
  p->at = i64(n, 0), p->group = block;
  if (p->parts == 1) return;
  p->at = tcc_emit_rem(&n->e, block, i64(n, p->parts)), p->group = tcc_emit_div(&n->e, block, i64(n, p->parts));
}

static const char *type_of(const NvptxParts *p) { return p->integers ? "i32" : "f32"; }

/* Neighbouring threads side by side. */
static TccVal sum_at(NvptxKernel *n, const NvptxParts *p, TccVal part, int nsums, int index) {
  TccEmit *t = &n->e;
  TccVal block = tcc_emit_add(t, tcc_emit_mul(t, p->group, i64(n, p->parts)), part);
  TccVal own = tcc_emit_add(t, tcc_emit_mul(t, block, i64(n, (int64_t)nsums * p->threads)), p->thread);
  return tcc_emit_gep(t, type_of(p), n->scratch, tcc_emit_add(t, own, i64(n, (int64_t)index * p->threads)));
}

/* Sum `index` of part `part` (i64), of this thread. */
static TccVal read_sum(NvptxKernel *n, const NvptxParts *p, TccVal part, int nsums, int index) {
  return tcc_emit_load(&n->e, type_of(p), sum_at(n, p, part, nsums, index));
}

static void meet(NvptxKernel *n, const NvptxParts *p) {
  const char *text = tcc_arena_printf(n->k.ir->arena, "barrier.cta.sync.aligned %d, %d;", p->barrier, p->threads);
  if (p->barrier) tcc_emit_inline_asm(&n->e, text, "~{memory}", NULL, 0, NULL, NULL);
  else nvptx_barrier(n);
}

void nvptx_parts_begin(NvptxKernel *n, NvptxParts *p, int nsums, const TccVal *sums) {
  TccEmit *t = &n->e;
  TccIf one;
  TccVal is_first = tcc_emit_icmp(t, "eq", "i64", p->thread, i64(n, 0));
  TccVal counter = tcc_emit_mul(t, tcc_emit_add(t, p->group, i64(n, 1)), i64(n, -COUNTER_BYTES));
  counter = tcc_emit_gep(t, "i8", n->scratch, counter);
  for (int i = 0; i < nsums; i++) tcc_emit_store(t, type_of(p), sums[i], sum_at(n, p, p->at, nsums, i));
  meet(n, p);
  tcc_emit_if(t, &one, is_first, 0, NULL);
  TccVal arrived = tcc_emit_inline_asm(t, "atom.acq_rel.gpu.add.u32 $0, [$1], 1;", "=r,l,~{memory}", "i32", 1, &counter,
                                       (const char *const[]){TCC_PTR});
  tcc_emit_shared_store(t, "i32", arrived, p->word);
  tcc_emit_end_if(t, &one, NULL);
  meet(n, p);
  TccVal before = tcc_emit_shared_load(t, "i32", p->word);
  tcc_emit_if(t, &p->last, tcc_emit_icmp(t, "eq", "i32", before, tcc_emit_int(t, "i32", p->parts - 1)), 0, NULL);
  tcc_emit_if(t, &one, is_first, 0, NULL);
  tcc_emit_store(t, "i32", tcc_emit_int(t, "i32", 0), counter); /* for the next launch */
  tcc_emit_end_if(t, &one, NULL);
}

void nvptx_parts_add(NvptxKernel *n, const NvptxParts *p, int nsums, TccVal *sums) {
  enum { MOST = 128 };
  TccEmit *t = &n->e;
  TccLoop parts;
  TccVal carried[MOST];
  const char *types[MOST];
  for (int i = 0; i < nsums; i++) carried[i] = tcc_emit_zero(t, type_of(p)), types[i] = type_of(p);
  tcc_emit_for(t, &parts, i64(n, 0), i64(n, p->parts), 1, nsums, carried, types);
  for (int i = 0; i < nsums; i++)
    carried[i] = tcc_emit_bin(t, p->integers ? "add" : "fadd", type_of(p), parts.in[i], read_sum(n, p, parts.iv, nsums, i));
  tcc_emit_end_for(t, &parts, carried);
  memcpy(sums, parts.out, (size_t)nsums * sizeof *sums);
}

void nvptx_parts_end(NvptxKernel *n, NvptxParts *p) { tcc_emit_end_if(&n->e, &p->last, NULL); }

/* product_wgmma.c - products of 16-bit floats and of bytes on sm_90a: wgmma, by which a warpgroup multiplies 64 rows by all columns of the block straight out of
 * the ring of tiles in shared memory.
 *
 * The tiles are swizzled as wgmma reads them (tile.h): rows of 64 bytes along the depth with a swizzle of 64 bytes, atoms of 128 bytes by
 * eight of the depth with one of 128. Bytes lie along the depth alone: the instruction has no other form for them. Matrix descriptors, fragments: PTX ISA, 9.7.15.5. Accumulators are touched by nobody but wgmma
 * between its fence and its wait: one text of assembler has both, so that neither LLVM nor ptxas can put anything in between. What copies
 * wrote is seen by the async proxy after a fence of the thread that wrote it, before the barrier. */
#include "lib/targets/nvptx/product_ring.h"
#include "lib/targets/nvptx/wgmma.h"

enum { STEPS = NVPTX_TILE_BYTES / NVPTX_FRAGMENT_BYTES };

static TccVal i64(NvptxRing *w, int64_t v) { return tcc_emit_i64(&w->n->e, v); }

/* ---- descriptors ---- */

static TccVal descriptor(NvptxRing *w, const NvptxMatrix *m, TccVal address) {
  TccVal low = tcc_emit_bin(&w->n->e, "and", "i64", address, i64(w, 0x3ffff));
  return nvptx_matrix_at(w->n, m, low);
}

static TccVal address_of(NvptxRing *w, TccVal base) { return tcc_emit_cast(&w->n->e, "ptrtoint", "!llvm.ptr<3>", "i64", base); }

/* ---- a stage ---- */

/* What the text of a stage is made of, once. */
typedef struct {
  const char *sum, *sums /* types */, *text, *constraints;
} Words;

/* "{wgmma.fence...; wgmma.mma_async... {$0, ...}, $64, $65, $68, 1, 1, 0, 1; ... }": operands are a pair of descriptors for each step, a true
 * predicate, the sums. */
static const char *stage_text(NvptxRing *w, int nsums, const char **constraints) {
  TccText text = {0}, c = {0};
  TccArena *arena = w->n->k.ir->arena;
  tcc_text_printf(&text, "{ wgmma.fence.sync.aligned; ");
  for (int step = 0; step < STEPS; step++) {
    const char *operands = tcc_arena_printf(arena, "$%d, $%d, $%d%s", nsums + 2 * step, nsums + 2 * step + 1, nsums + 2 * STEPS,
                                            nvptx_wgmma_flags(w->p->elem, w->p->along_depth));
    nvptx_wgmma_put(&text, w->p->of, nsums * 2, 0, operands);
  }
  tcc_text_printf(&text, "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }");
  for (int i = 0; i < nsums; i++) tcc_text_printf(&c, nvptx_product_is_bytes(w->p) ? "=r," : "=f,");
  for (int i = 0; i < 2 * STEPS; i++) tcc_text_printf(&c, "l,");
  tcc_text_printf(&c, "b,");
  for (int i = 0; i < nsums; i++) tcc_text_printf(&c, "%d,", i);
  tcc_text_printf(&c, "~{memory}");
  *constraints = nvptx_text_keep(arena, &c);
  return nvptx_text_keep(arena, &text);
}

static void multiply_stage(NvptxRing *w, const TccVal *base, TccVal *sums) {
  TccEmit *t = &w->n->e;
  int nsums = w->span[1] / 2, n = 0;
  const Words *words = w->user;
  TccVal args[2 * STEPS + 1 + NVPTX_RING_SUMS];
  const char *types[2 * STEPS + 1 + NVPTX_RING_SUMS];
  NvptxMatrix left = nvptx_tile_matrix(&w->tile[0]), right = nvptx_tile_matrix(&w->tile[1]);
  TccVal group = tcc_emit_div(t, w->warp[0], i64(w, NVPTX_GROUP_WARPS));
  TccVal a = tcc_emit_add(t, address_of(w, base[0]), tcc_emit_mul(t, group, i64(w, left.rows))), b = address_of(w, base[1]);
  for (int step = 0; step < STEPS; step++) {
    args[n] = descriptor(w, &left, tcc_emit_add(t, a, i64(w, (int64_t)step * left.step * NVPTX_PIECE))), types[n++] = "i64";
    args[n] = descriptor(w, &right, tcc_emit_add(t, b, i64(w, (int64_t)step * right.step * NVPTX_PIECE))), types[n++] = "i64";
  }
  args[n] = tcc_emit_int(t, "i1", 1), types[n++] = "i1";
  for (int i = 0; i < nsums; i++) args[n] = sums[i], types[n++] = words->sum;
  TccVal all = tcc_emit_inline_asm(t, words->text, words->constraints, words->sums, n, args, types);
  for (int i = 0; i < nsums; i++) sums[i] = tcc_emit_extract_value(t, words->sums, all, i, words->sum);
}

static void begin(NvptxRing *w) {
  TccArena *arena = w->n->k.ir->arena;
  Words *words = w->user;
  int nsums = w->span[1] / 2;
  words->sum = tcc_scalar_type(w->p->acc), words->sums = nvptx_sums_type(arena, words->sum, nsums);
  words->text = stage_text(w, nsums, &words->constraints);
}

bool nvptx_product_wgmma_fits(const TccMachine *machine, const NvptxProduct *p) {
  bool halves = p->acc == TCC_ELEM_F32 && (p->elem == TCC_ELEM_F16 || p->elem == TCC_ELEM_BF16),
       bytes = nvptx_product_is_bytes(p) && p->along_depth[0] && p->along_depth[1];
  return tcc_isa_gpu_chip(machine->isa) == 90 && tcc_isa_gpu_alone(machine->isa) && (halves || bytes);
}

TccStatus *nvptx_product_wgmma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) {
  Words words;
  NvptxRing w = {
      .n = n, .p = p, .name = "wgmma by cp.async", .async = true, .begin = begin, .multiply = multiply_stage, .user = &words};
  w.side = p->side;
  w.warps[0] = w.side / NVPTX_FRAGMENT_ROWS, w.warps[1] = 1;
  w.span[0] = NVPTX_FRAGMENT_ROWS, w.span[1] = w.side;
  return nvptx_ring_emit(&w, out);
}

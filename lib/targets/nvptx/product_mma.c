/* product_mma.c - products on tensor cores from sm_80 on: mma.sync of fragments that ldmatrix reads from a ring of tiles in shared memory. */
#include "lib/targets/nvptx/product_ring.h"
#include "lib/targets/nvptx/split.h"

enum { WARP_COLUMNS = 32, COLUMN_TILES = WARP_COLUMNS / 8 };

/* right[c]: words of columns 8 c on (of turned bytes: of each other of 16). */
static void multiply_group(NvptxRing *w, const TccVal *left, const TccVal (*right)[2], const NvptxSplit (*parts)[2], TccVal *sums) {
  NvptxSplit a[4] = {{0}};
  for (int i = 0; i < 4 && parts; i++) a[i] = nvptx_split(w->n, left[i]);
  for (int c = 0; c < COLUMN_TILES; c++) {
    if (parts) nvptx_mma_split(w->n, a, parts[c], sums + 4 * c);
    else if (nvptx_product_is_bytes(w->p)) nvptx_mma_bytes(w->n, w->p->of[0], w->p->of[1], left, right[c], sums + 4 * c);
    else nvptx_mma(w->n, w->p->elem, left, right[c], sums + 4 * c);
  }
}

static void multiply_stage(NvptxRing *w, const TccVal *base, TccVal *sums) {
  const NvptxFragments *fragments = w->user;
  bool f32 = w->p->elem == TCC_ELEM_F32;
  for (int step = 0; step < NVPTX_TILE_BYTES / NVPTX_FRAGMENT_BYTES; step++) {
    TccVal left[4], words[4], right[COLUMN_TILES][2];
    NvptxSplit parts[COLUMN_TILES][2];
    for (int c = 0; c < COLUMN_TILES; c += 2) {
      nvptx_fragment_load(w->n, &fragments[1], base[1], c / 2, step, words);
      for (int i = 0; i < 4; i++) right[c + i % 2][i / 2] = words[i];
    }
    for (int i = 0; i < 2 * COLUMN_TILES && f32; i++) parts[i / 2][i % 2] = nvptx_split(w->n, right[i / 2][i % 2]);
    for (int g = 0; g < w->span[0] / NVPTX_FRAGMENT_ROWS; g++) {
      nvptx_fragment_load(w->n, &fragments[0], base[0], g, step, left);
      multiply_group(w, left, right, f32 ? parts : NULL, sums + g * COLUMN_TILES * 4);
    }
  }
}

static void begin(NvptxRing *w) {
  NvptxFragments *fragments = w->user;
  for (int side = 0; side < 2; side++) {
    TccVal first = tcc_emit_mul(&w->n->e, w->warp[side], tcc_emit_i64(&w->n->e, w->span[side]));
    fragments[side] = nvptx_fragments(w->n, &w->tile[side], w->lane, first);
  }
}

bool nvptx_product_mma_fits(const TccMachine *machine, const NvptxProduct *p) {
  bool floats = p->acc == TCC_ELEM_F32 && !(p->elem == TCC_ELEM_F32 && p->exact);
  return tcc_isa_gpu_chip(machine->isa) >= 80 && (floats || nvptx_product_is_bytes(p));
}

TccStatus *nvptx_product_mma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) {
  NvptxFragments fragments[2];
  NvptxRing w = {.n = n, .p = p, .name = "mma.sync", .begin = begin, .multiply = multiply_stage, .user = fragments};
  w.side = p->side;
  w.warps[0] = 2, w.warps[1] = w.side / WARP_COLUMNS;
  w.span[0] = w.side / w.warps[0], w.span[1] = WARP_COLUMNS;
  return nvptx_ring_emit(&w, out);
}

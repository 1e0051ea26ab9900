/* product_mma.c - products on tensor cores from sm_80 on: mma.sync of fragments that ldmatrix reads from a ring of tiles in shared memory.
 *
 * f32 is made of three products of TF32 (Ootomo and Yokota, Recovering single precision accuracy from Tensor Cores, 2022): x = high + low, of 19
 * bits each, low * high + high * low + high * high; tensor cores cut their sums, so that these are added to f32 accumulators each 8 steps
 * of the depth. An infinite x has no part in the small products, where it would meet zeros.
 */
#include "lib/targets/nvptx/product_ring.h"
#include <math.h>

enum { WARP_COLUMNS = 32, COLUMN_TILES = WARP_COLUMNS / 8 };

/* A word of a fragment as the products of f32 take it. */
typedef struct {
  TccVal high, low, finite; /* i32: 19 bits of x; what is left of it; high, or zero if that is infinite */
} Split;

/* The nearest value of 19 bits, so that errors of `low`, which loses its last bits, have no sign of their own. What would become infinite by that
 * is cut. */
static TccVal highest_bits(NvptxRing *w, TccVal x, TccVal size) {
  TccEmit *t = &w->n->e;
  TccVal kept = tcc_emit_int(t, "i32", (int32_t)0xffffe000), half = tcc_emit_int(t, "i32", 0x1000);
  TccVal near_infinity = tcc_emit_fcmp(t, "uge", "f32", size, tcc_emit_float(t, "f32", 0x1.ffep127));
  TccVal rounded = tcc_emit_bin(t, "add", "i32", x, half);
  return tcc_emit_bin(t, "and", "i32", tcc_emit_select1(t, "i32", near_infinity, x, rounded), kept);
}

static Split split(NvptxRing *w, TccVal x) {
  TccEmit *t = &w->n->e;
  TccVal f = tcc_emit_cast(t, "bitcast", "i32", "f32", x), size = tcc_emit_intrinsic(t, "fabs", "f32", 1, &f);
  TccVal high = highest_bits(w, x, size), zero = tcc_emit_int(t, "i32", 0);
  TccVal infinite = tcc_emit_fcmp(t, "oeq", "f32", size, tcc_emit_float(t, "f32", INFINITY));
  TccVal low = tcc_emit_bin(t, "fsub", "f32", f, tcc_emit_cast(t, "bitcast", "i32", "f32", high));
  low = tcc_emit_select1(t, "i32", infinite, zero, tcc_emit_cast(t, "bitcast", "f32", "i32", low));
  return (Split){high, low, tcc_emit_select1(t, "i32", infinite, zero, high)};
}

static void multiply_split(NvptxRing *w, const Split *a, const Split *b, TccVal *sums) {
  TccEmit *t = &w->n->e;
  TccVal part[4], x[4], y[2];
  for (int i = 0; i < 4; i++) part[i] = tcc_emit_zero(t, "f32"), x[i] = a[i].low;
  y[0] = b[0].finite, y[1] = b[1].finite;
  nvptx_mma(w->n, TCC_ELEM_F32, x, y, part);
  for (int i = 0; i < 4; i++) x[i] = a[i].finite;
  y[0] = b[0].low, y[1] = b[1].low;
  nvptx_mma(w->n, TCC_ELEM_F32, x, y, part);
  for (int i = 0; i < 4; i++) x[i] = a[i].high;
  y[0] = b[0].high, y[1] = b[1].high;
  nvptx_mma(w->n, TCC_ELEM_F32, x, y, part);
  for (int i = 0; i < 4; i++) sums[i] = tcc_emit_bin(t, "fadd", "f32", sums[i], part[i]);
}

/* right[c]: words of columns 8 c on. */
static void multiply_group(NvptxRing *w, const TccVal *left, const TccVal (*right)[2], const Split (*parts)[2], TccVal *sums) {
  Split a[4] = {{0}};
  for (int i = 0; i < 4 && parts; i++) a[i] = split(w, left[i]);
  for (int c = 0; c < COLUMN_TILES; c++) {
    if (parts) multiply_split(w, a, parts[c], sums + 4 * c);
    else nvptx_mma(w->n, w->p->elem, left, right[c], sums + 4 * c);
  }
}

static void multiply_stage(NvptxRing *w, const TccVal *base, TccVal *sums) {
  const NvptxFragments *fragments = w->user;
  bool f32 = w->p->elem == TCC_ELEM_F32;
  for (int step = 0; step < NVPTX_TILE_BYTES / NVPTX_FRAGMENT_BYTES; step++) {
    TccVal left[4], words[4], right[COLUMN_TILES][2];
    Split parts[COLUMN_TILES][2];
    for (int c = 0; c < COLUMN_TILES; c += 2) {
      nvptx_fragment_load(w->n, &fragments[1], base[1], c / 2, step, words);
      for (int i = 0; i < 4; i++) right[c + i % 2][i / 2] = words[i];
    }
    for (int i = 0; i < 2 * COLUMN_TILES && f32; i++) parts[i / 2][i % 2] = split(w, right[i / 2][i % 2]);
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

bool nvptx_product_mma_fits(const NvptxKernel *n, const NvptxProduct *p) {
  return tcc_isa_gpu_chip(n->k.machine->isa) >= 80 && p->acc == TCC_ELEM_F32 && !(p->elem == TCC_ELEM_F32 && p->exact);
}

TccStatus *nvptx_product_mma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) {
  NvptxFragments fragments[2];
  NvptxRing w = {.n = n, .p = p, .name = "mma", .begin = begin, .multiply = multiply_stage, .user = fragments};
  bool large = nvptx_ring_is_large(n, p);
  w.side = large ? NVPTX_RING_LARGE : NVPTX_RING_SMALL;
  w.warps[0] = 2, w.warps[1] = w.side / WARP_COLUMNS;
  w.span[0] = w.side / w.warps[0], w.span[1] = WARP_COLUMNS;
  return nvptx_ring_emit(&w, out);
}

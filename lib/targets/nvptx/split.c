/* split.c - see split.h. */
#include "lib/targets/nvptx/split.h"
#include <math.h>

/* The nearest value of 19 bits, so that errors of `low`, which loses its last bits, have no sign of their own. What would become infinite by that
 * is cut. */
static TccVal highest_bits(NvptxKernel *n, TccVal x, TccVal size) {
  TccEmit *t = &n->e;
  TccVal kept = tcc_emit_int(t, "i32", (int32_t)0xffffe000), half = tcc_emit_int(t, "i32", 0x1000);
  TccVal near_infinity = tcc_emit_fcmp(t, "uge", "f32", size, tcc_emit_float(t, "f32", 0x1.ffep127));
  TccVal rounded = tcc_emit_bin(t, "add", "i32", x, half);
  return tcc_emit_bin(t, "and", "i32", tcc_emit_select1(t, "i32", near_infinity, x, rounded), kept);
}

NvptxSplit nvptx_split(NvptxKernel *n, TccVal x) {
  TccEmit *t = &n->e;
  TccVal f = tcc_emit_cast(t, "bitcast", "i32", "f32", x), size = tcc_emit_intrinsic(t, "fabs", "f32", 1, &f);
  TccVal high = highest_bits(n, x, size), zero = tcc_emit_int(t, "i32", 0);
  TccVal infinite = tcc_emit_fcmp(t, "oeq", "f32", size, tcc_emit_float(t, "f32", INFINITY));
  TccVal low = tcc_emit_bin(t, "fsub", "f32", f, tcc_emit_cast(t, "bitcast", "i32", "f32", high));
  low = tcc_emit_select1(t, "i32", infinite, zero, tcc_emit_cast(t, "bitcast", "f32", "i32", low));
  return (NvptxSplit){high, low, tcc_emit_select1(t, "i32", infinite, zero, high)};
}

void nvptx_mma_split(NvptxKernel *n, const NvptxSplit *a, const NvptxSplit *b, TccVal *sums) {
  TccEmit *t = &n->e;
  TccVal part[4], x[4], y[2];
  for (int i = 0; i < 4; i++) part[i] = tcc_emit_zero(t, "f32"), x[i] = a[i].low;
  y[0] = b[0].finite, y[1] = b[1].finite;
  nvptx_mma(n, TCC_ELEM_F32, x, y, part);
  for (int i = 0; i < 4; i++) x[i] = a[i].finite;
  y[0] = b[0].low, y[1] = b[1].low;
  nvptx_mma(n, TCC_ELEM_F32, x, y, part);
  for (int i = 0; i < 4; i++) x[i] = a[i].high;
  y[0] = b[0].high, y[1] = b[1].high;
  nvptx_mma(n, TCC_ELEM_F32, x, y, part);
  for (int i = 0; i < 4; i++) sums[i] = tcc_emit_bin(t, "fadd", "f32", sums[i], part[i]);
}

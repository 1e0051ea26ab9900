/* conv_columns.c - see conv_columns.h.
 *
 * Where a panel is a single vector, a multiply-add for each broadcast leaves the processor waiting for its loads and its front
 * end (product.c: two instructions and a load for each). Here a column of the image is broadcast once for all pixels whose window it lies
 * in, and the weights of a row of the window stay in registers; a column that one pixel sees is repeated by its multiply-add, where there is
 * that: 58 instructions where the steps take 102 (3 x 3, stride 2, 14 pixels). */
#include "lib/targets/x86/conv/conv_columns.h"

enum { BROADCASTS = 3 };

bool tcc_conv_columns_fit(int pixels, int64_t columns, int registers) { return pixels + columns + BROADCASTS <= registers; }

/* The pixel that meets column `at` in column k of its window; -1: none. */
static int64_t pixel_of(const TccConvColumns *c, int64_t at, int64_t k) {
  const int64_t from = at - k * c->dilation;
  return from >= 0 && from % c->stride == 0 && from / c->stride < c->pixels ? from / c->stride : -1;
}

static void emit_row(TccX86 *x, const TccConvColumns *c, int64_t row) {
  int weight = c->pixels, broadcast = weight + (int)c->columns;
  for (int64_t k = 0; k < c->columns; k++)
    tcc_x86_vector_at(x, TCC_X86_LOAD, weight + (int)k, 0, tcc_x86_at(c->w, (row * c->columns + k) * x->vector));
  const int64_t last = (c->pixels - 1) * c->stride + (c->columns - 1) * c->dilation;
  for (int64_t at = 0, loads = 0; at <= last; at++) {
    const int one = broadcast + (int)(loads % BROADCASTS);
    int64_t readers = 0;
    for (int64_t k = 0; k < c->columns; k++) readers += pixel_of(c, at, k) >= 0;
    const bool repeated = readers == 1 && x->vector == 64; /* by the only multiply-add that reads it */
    if (readers && !repeated) tcc_x86_vector_at(x, TCC_X86_BROADCAST32, one, 0, tcc_x86_at(c->x, at * 4)), loads++;
    for (int64_t k = 0; k < c->columns; k++) {
      const int64_t pixel = pixel_of(c, at, k);
      TccX86At element = tcc_x86_at(c->x, at * 4);
      element.repeated = true;
      if (pixel < 0) continue;
      if (repeated) tcc_x86_vector_at(x, TCC_X86_FMADD_PS, (int)pixel, weight + (int)k, element);
      else tcc_x86_vector(x, TCC_X86_FMADD_PS, (int)pixel, one, weight + (int)k);
    }
  }
  tcc_x86_op(x, TCC_X86_ADD, c->x, c->row_bytes);
}

void tcc_conv_columns_emit(TccX86 *x, const TccConvColumns *c) {
  size_t channel = tcc_x86_here(x, true);
  for (int64_t r = 0; r < c->rows; r++) emit_row(x, c, r);
  tcc_x86_op(x, TCC_X86_ADD, c->x, c->rest_bytes);
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, c->w, c->rows * c->columns * x->vector);
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, c->channels, -1);
  tcc_x86_jump_back(x, TCC_X86_NOT_EQUAL, channel);
}

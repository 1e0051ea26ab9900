/* linalg_rotate.c - rotations of neighbouring rows, which the iterations on a tridiagonal or bidiagonal matrix ask for on its vectors.
 *
 * Sweeps are kept until there are TCC_LINALG_SWEEPS of them, and done in one pass over the rows (Van Zee, van de Geijn and Quintana-Orti 2014): what the first
 * sweep is done with is what the second one takes, a row later, and so on, in registers. Rows are taken and left in between by rotations by nothing. */
#include "linalg_vectors.h"

enum {
  SWEEPS = TCC_LINALG_SWEEPS,
  NUMBERS = 2 * SWEEPS, /* of one pair of rows: cosine and sine for each sweep */
  AHEAD = 8             /* rows asked for ahead: they lie on pages of their own, which no machine looks ahead on */
};

static void forget(TccSweeps *s, int64_t from, int64_t end) {
  for (double *at = s->rotations + from * NUMBERS; from < end; from++)
    for (int i = 0; i < SWEEPS; i++) *at++ = 1, *at++ = 0;
}

double *tcc_linalg_sweeps_begin(TccSweeps *s, double *scratch, double *z, int64_t rows, int64_t columns, int64_t step) {
  *s = (TccSweeps){.z = z, .rows = rows, .columns = columns, .step = step, .rotations = scratch, .first = rows, .last = -1};
  forget(s, 0, rows + SWEEPS);
  return scratch + (rows + SWEEPS) * NUMBERS;
}

/* All sweeps for `vectors` vectors of each row. */
INLINE void pass(int vectors, const TccSweeps *s, double *z) {
  Lanes carried[SWEEPS][2] = {{{0}}};
  const int64_t count = s->last - s->first + 2;
  const double *rotation = s->rotations + s->first * NUMBERS, *in = z + s->first * s->step;
  double *out = z + s->first * s->step;
  for (int64_t row = 0; row < count + SWEEPS; row++, rotation += NUMBERS) {
    Lanes x[2] = {{0}};
    if (row < count) {
      __builtin_prefetch(in + AHEAD * s->step), __builtin_prefetch(in + AHEAD * s->step + LANES);
      for (int k = 0; k < vectors; k++) memcpy(&x[k], in + k * LANES, sizeof x[k]);
      in += s->step;
    }
#pragma GCC unroll 4
    for (int i = 0; i < SWEEPS; i++)
#pragma GCC unroll 2
      for (int k = 0; k < vectors; k++) {
        const Lanes done = rotation[2 * i] * carried[i][k] + rotation[2 * i + 1] * x[k];
        carried[i][k] = rotation[2 * i] * x[k] - rotation[2 * i + 1] * carried[i][k];
        x[k] = done;
      }
    if (row < SWEEPS) continue;
    for (int k = 0; k < vectors; k++) memcpy(out + k * LANES, &x[k], sizeof x[k]);
    out += s->step;
  }
}

/* 32 registers hold two vectors of each sweep, 16 one, which is two registers. */
INLINE void passes(int vectors, const TccSweeps *s) {
  int64_t column = 0;
  for (; column + vectors * LANES <= s->columns; column += vectors * LANES) pass(vectors, s, s->z + column);
  for (; column < s->columns; column += LANES) pass(1, s, s->z + column);
}
static void passes_any(const TccSweeps *s) { passes(1, s); }
AVX2 static void passes_avx2(const TccSweeps *s) { passes(1, s); }
AVX512 static void passes_avx512(const TccSweeps *s) { passes(2, s); }

void tcc_linalg_sweeps_end(TccSweeps *s) {
  if (s->first <= s->last) {
    if (has_avx512()) passes_avx512(s);
    else if (has_avx2()) passes_avx2(s);
    else passes_any(s);
    forget(s, s->first + 1, s->last + 1 + SWEEPS);
  }
  s->count = 0, s->first = s->rows, s->last = -1;
}

void tcc_linalg_sweep_end(TccSweeps *s) {
  if (++s->count == SWEEPS) tcc_linalg_sweeps_end(s);
}

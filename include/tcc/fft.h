/* fft.h - how the run-time transforms lines of n numbers (lib/runtime/fft.c), from which the compiler knows what scratch that takes. No MLIR. */
#ifndef TCC_FFT_H
#define TCC_FFT_H
#include <stdint.h>

/* The sizes of the builtin "fft": f32 or f64; elements of a line; elements between two of a line; lines; lines of a tile, an even number; what it does; 1 + the
 * place of the imaginary part among the arguments, 0: there is none; where the results are, 0: nobody wants it. The real part is the first argument. */
enum {
  TCC_FFT_ELEM,
  TCC_FFT_LENGTH,
  TCC_FFT_INNER,
  TCC_FFT_LINES,
  TCC_FFT_TILE,
  TCC_FFT_KIND,
  TCC_FFT_IMAGINARY,
  TCC_FFT_RESULT,
  TCC_FFT_RESULT_2,
  TCC_FFT_SIZES,
  TCC_FFT_MOST_LINES = 32 /* of a tile */
};
/* forward or inverse, of all frequencies or of 0 to n / 2; what is real is made of those of 0 to n / 2 */
typedef enum { TCC_FFT_FORWARD, TCC_FFT_INVERSE, TCC_FFT_FORWARD_HALF, TCC_FFT_INVERSE_HALF, TCC_FFT_TO_REAL } TccFftKind;

enum { TCC_FFT_MOST = 1 << 28 }; /* elements of a line */

enum {
  TCC_FFT_LANES = 8,       /* lines side by side, and the least rows and columns of a line that is taken as a matrix */
  TCC_FFT_MOST_RADIX = 64, /* a line with a larger prime factor is a convolution */
  TCC_FFT_SHORT = 4096     /* longer lines are not transformed side by side */
};
typedef enum { TCC_FFT_COLUMNS, TCC_FFT_MATRIX, TCC_FFT_CHIRP } TccFftWay;

/* The greatest divisor of n up to its root. */
static inline int64_t tcc_fft_rows(int64_t n) {
  int64_t rows = 1;
  for (int64_t d = 2; d * d <= n; d++)
    if (n % d == 0) rows = d;
  return rows;
}

static inline int64_t tcc_fft_greatest_factor(int64_t n) {
  int64_t greatest = 1;
  for (int64_t d = 2; d * d <= n; d++)
    for (; n % d == 0; n /= d) greatest = d;
  return n > 1 ? n : greatest;
}

static inline TccFftWay tcc_fft_way(int64_t n) {
  if (tcc_fft_greatest_factor(n) > TCC_FFT_MOST_RADIX) return TCC_FFT_CHIRP;
  return tcc_fft_rows(n) >= TCC_FFT_LANES ? TCC_FFT_MATRIX : TCC_FFT_COLUMNS;
}

/* The length of the convolution: a power of two. */
static inline int64_t tcc_fft_chirp_length(int64_t n) {
  int64_t length = TCC_FFT_LANES * TCC_FFT_LANES;
  while (length < 2 * n - 1) length *= 2;
  return length;
}

/* Numbers of scratch that a thread takes: of a matrix [a, b] = n one line, rows filled up to whole vectors four times, what lies between both passes, and
 * roots; of lines side by side two of each part; of a convolution also the numbers that it multiplies by. */
enum { TCC_FFT_SCRATCH_ANY = 66, TCC_FFT_SCRATCH_MORE = 1024 }; /* of n: MORE + ANY n at the most */
static inline int64_t tcc_fft_matrix_scratch(int64_t n) { return 16 * n + 64; }
static inline int64_t tcc_fft_scratch(int64_t n) {
  const int64_t columns = n <= TCC_FFT_SHORT || tcc_fft_way(n) == TCC_FFT_COLUMNS ? 4 * TCC_FFT_LANES * n + 2 * n : 0;
  const int64_t way = tcc_fft_way(n) == TCC_FFT_CHIRP
                          ? tcc_fft_matrix_scratch(tcc_fft_chirp_length(n)) - 2 * tcc_fft_chirp_length(n) + 6 * n
                      : tcc_fft_way(n) == TCC_FFT_MATRIX ? tcc_fft_matrix_scratch(n)
                                                         : 0;
  return 512 + (columns > way ? columns : way);
}
#endif

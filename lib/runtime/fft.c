/* fft.c - the builtin fft: discrete Fourier transforms of lines of a tensor.
 *
 * Passes are Stockham's (a self-sorting transform of mixed radices, Temperton 1983) over columns: neighbours in memory are of different transforms, so
 * that each of them is a lane. Lines side by side are columns as they lie. A line alone is a matrix [a, b], near a square: the transforms of its columns,
 * factors, and, turned, those of its rows. One with a large prime factor is a convolution of a power of two. Nothing is kept from call to call: a
 * tile's lines share the roots that it computes. Roots are computed in f64. */
#include "tcc/fft.h"
#include "linalg_vectors.h"
#include <math.h>

static const double PI = 3.14159265358979323846;
static double cosine_of(int64_t k, int64_t n) { return cos(2 * PI * (double)k / (double)n); }
static double sine_of(int64_t k, int64_t n) { return sin(2 * PI * (double)k / (double)n); }
static int64_t whole_vectors(int64_t n) { return (n + TCC_FFT_LANES - 1) / TCC_FFT_LANES * TCC_FFT_LANES; }

#define REAL float
#define NAME(function) function##_f32
#include "fft_passes.h"
#undef REAL
#undef NAME
#define REAL double
#define NAME(function) function##_f64
#include "fft_passes.h"

void tcc_fft(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t first = begin * sizes[TCC_FFT_TILE], lines = sizes[TCC_FFT_LINES], behind = end * sizes[TCC_FFT_TILE];
  if (sizes[TCC_FFT_ELEM] == TCC_ELEM_F64) lines_f64(arguments, sizes, scratch, first, behind < lines ? behind : lines);
  else lines_f32(arguments, sizes, scratch, first, behind < lines ? behind : lines);
}

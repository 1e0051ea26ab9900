/* The builtins eigh and svd, beside what they promise: a is what its factors multiply to, vectors are orthonormal, values are sorted. Of matrices of several
 * blocks, of one element, of none; of numbers whose squares are none; of rank 1, of equal values, graded, diagonal and of zeros. */
#include "lib/runtime/linalg.h"
#include <math.h>
#include <stdio.h>

static int failures;

static void expect(bool ok, const char *what, int kind, int64_t m, int64_t n, double error) {
  if (ok) return;
  printf("failed: %s of matrix %d, %lld x %lld: %g\n", what, kind, (long long)m, (long long)n, error);
  failures++;
}

/* The scratch that lib/compile/plan_builtins.c asks for. */
static size_t doubles(int64_t m, int64_t n, int64_t more) { return (size_t)(m * (n + TCC_LINALG_PADDING) + more) * sizeof(double); }
static size_t reflectors(int64_t m) { return doubles(m, TCC_LINALG_BLOCK, 0) + doubles(2 * TCC_LINALG_BLOCK, TCC_LINALG_BLOCK, 0); }
static size_t eigh_scratch(int64_t n) {
  return 2 * doubles(n, n, 0) + doubles(TCC_LINALG_BLOCK, n, 4 * n) + reflectors(n) + doubles(2 * n, TCC_LINALG_BLOCK, 0);
}
static size_t svd_scratch(int64_t m, int64_t n, bool full) {
  const size_t vectors = full ? doubles(m, m, 0) + doubles(n, n, 0) : doubles(m, n, 0) + doubles(n, m, 0);
  return doubles(m, n, 0) + doubles(n, m, 0) + vectors + doubles(2 * (m + n), TCC_LINALG_BLOCK, 6 * (m + n)) +
         doubles(3 * TCC_LINALG_BLOCK, m + n, 0) + reflectors(m + n);
}

static double random_number(void) {
  static uint64_t state = 1;
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (double)(state >> 11) * 0x1p-52 - 1;
}

enum { RANDOM, HUGE_NUMBERS, TINY_NUMBERS, ZEROS, ONES, DIAGONAL, GRADED, EQUAL_VALUES, HALF_ZERO, KINDS };

static double element(int kind, int64_t i, int64_t j) {
  switch (kind) {
  case HUGE_NUMBERS: return 1e250 * random_number();
  case TINY_NUMBERS: return 1e-290 * random_number();
  case ZEROS: return 0;
  case ONES: return 1;
  case DIAGONAL: return i == j ? (double)(i % 5) - 2 : 0;
  case GRADED: return random_number() * pow(10, -(double)(i + j) / 4);
  case EQUAL_VALUES: return i == j ? 3 : 1e-17 * random_number();
  case HALF_ZERO: return i % 2 || j % 2 ? 0 : random_number();
  default: return random_number();
  }
}

/* The largest |u diag(s) v - a| / |a|, u [m, k] and v [k, n], element [i, p] of u at u[i * k + p]. */
static double residual(const double *a, const double *u, const double *s, const double *v, int64_t m, int64_t n, int64_t k) {
  double worst = 0, size = 0;
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++) {
      double sum = 0;
      for (int64_t p = 0; p < k && p < m && p < n; p++) sum += u[i * k + p] * s[p] * v[p * n + j];
      worst = fmax(worst, fabs(sum - a[i * n + j])), size = fmax(size, fabs(a[i * n + j]));
    }
  return size > 0 ? worst / size : worst;
}

/* How far rows (columns) of x are from being orthonormal; rows lie `row` apart, elements `step`. */
static double skew(const double *x, int64_t count, int64_t length, int64_t row, int64_t step) {
  double worst = 0;
  for (int64_t i = 0; i < count; i++)
    for (int64_t j = 0; j <= i; j++) {
      double sum = 0;
      for (int64_t p = 0; p < length; p++) sum += x[i * row + p * step] * x[j * row + p * step];
      worst = fmax(worst, fabs(sum - (i == j)));
    }
  return worst;
}

static void try_eigh(int kind, int64_t n) {
  const int64_t sizes[TCC_LINALG_SIZES] = {TCC_ELEM_F64, n, n, 0, 0, 0, 1, 2, 0};
  const size_t bytes = (size_t)(n * n) * sizeof(double);
  double *a = malloc(bytes + 8), *d = malloc((size_t)n * 8 + 8), *z = malloc(bytes + 8), *zt = malloc(bytes + 8);
  void *scratch = malloc(eigh_scratch(n) + 8), *const arguments[] = {a, d, z};
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j <= i; j++) a[i * n + j] = a[j * n + i] = element(kind, i, j);
  tcc_eigh(arguments, sizes, scratch, 0, 1);
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < n; j++) zt[i * n + j] = z[j * n + i];
  const double error = residual(a, z, d, zt, n, n, n), turned = skew(zt, n, n, n, 1);
  expect(error < 1e-13 * (double)(n + 10), "eigh", kind, n, n, error);
  expect(turned < 1e-14 * (double)(n + 10), "eigenvectors", kind, n, n, turned);
  for (int64_t i = 1; i < n; i++) expect(d[i - 1] <= d[i], "order", kind, n, n, d[i]);
  free(a), free(d), free(z), free(zt), free(scratch);
}

static void try_svd(int kind, int64_t m, int64_t n, bool full) {
  const int64_t least = m < n ? m : n, ku = full ? m : least, kv = full ? n : least;
  const int64_t sizes[TCC_LINALG_SIZES] = {TCC_ELEM_F64, m, n, full, 0, 0, 1, 2, 3};
  double *a = malloc((size_t)(m * n) * 8 + 8), *u = malloc((size_t)(m * ku) * 8 + 8), *s = malloc((size_t)least * 8 + 8),
         *v = malloc((size_t)(kv * n) * 8 + 8);
  void *scratch = malloc(svd_scratch(m, n, full) + 8), *const arguments[] = {a, u, s, v};
  for (int64_t i = 0; i < m * n; i++) a[i] = element(kind, i / n, i % n);
  tcc_svd(arguments, sizes, scratch, 0, 1);
  const double error = residual(a, u, s, v, m, n, ku), left = skew(u, ku, m, 1, ku), right = skew(v, kv, n, n, 1);
  expect(error < 1e-13 * (double)(m + n + 10), "svd", kind, m, n, error);
  expect(left < 1e-14 * (double)(m + n + 10), "left vectors", kind, m, n, left);
  expect(right < 1e-14 * (double)(m + n + 10), "right vectors", kind, m, n, right);
  for (int64_t i = 0; i < least; i++) expect(s[i] >= 0 && (i == 0 || s[i - 1] >= s[i]), "order", kind, m, n, s[i]);
  free(a), free(u), free(s), free(v), free(scratch);
}

int main(void) {
  static const int64_t sizes[] = {0, 1, 2, 3, 8, 31, 32, 33, 64, 97, 130};
  static const int64_t shapes[][2] = {{1, 5}, {7, 2}, {40, 33}, {33, 40}, {100, 3}, {3, 100}, {130, 70}, {65, 65}};
  for (int kind = 0; kind < KINDS; kind++) {
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) try_eigh(kind, sizes[i]), try_svd(kind, sizes[i], sizes[i], false);
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
      for (int full = 0; full < 2; full++) try_svd(kind, shapes[i][0], shapes[i][1], full);
  }
  printf("%d failures\n", failures);
  return failures != 0;
}

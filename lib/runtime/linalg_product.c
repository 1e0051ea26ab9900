/* linalg_product.c - what factorisations spend their time in: products of doubles, and operations on rows.
 *
 * The product is Goto's (Goto and van de Geijn 2008) with one level: DEPTH rows of b by LANES * 2 columns are laid side by side, which the first
 * cache holds, and all rows of a pass over them, as many at once as registers have sums. Copies for machines that have wider vectors. */
#include "linalg.h"
#include <math.h>

enum { LANES = 8, WIDTH = 2 * LANES, DEPTH = 128, MOST_ROWS = 8 };
typedef double Lanes __attribute__((vector_size(8 * LANES)));

/* c [rows, 16] -= a [rows, depth] b [depth, 16]; of c the first `columns`. */
static inline __attribute__((always_inline)) void tile(int rows, int64_t depth, const double *a, int64_t row, int64_t step,
                                                       const double *b, double *c, int64_t c_row, int64_t columns) {
  Lanes sum[MOST_ROWS][2];
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) sum[i][0] = sum[i][1] = (Lanes){0};
  for (int64_t p = 0; p < depth; p++) {
    Lanes x[2];
    memcpy(x, b + p * WIDTH, sizeof x);
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      const double f = a[i * row + p * step];
      sum[i][0] += f * x[0], sum[i][1] += f * x[1];
    }
  }
  double out[MOST_ROWS][WIDTH];
#pragma GCC unroll 8
  for (int i = 0; i < rows; i++) {
    if (columns < WIDTH) {
      memcpy(out[i], sum[i], sizeof out[i]);
      for (int64_t j = 0; j < columns; j++) c[i * c_row + j] -= out[i][j];
    } else {
      Lanes y[2];
      memcpy(y, c + i * c_row, sizeof y);
      y[0] -= sum[i][0], y[1] -= sum[i][1];
      memcpy(c + i * c_row, y, sizeof y);
    }
  }
}

static inline __attribute__((always_inline)) void rows_of(int at_once, int64_t m, int64_t depth, TccMatrix a, const double *b,
                                                          double *c, int64_t row, int64_t columns) {
  int64_t i = 0;
  for (; i + at_once <= m; i += at_once) tile(at_once, depth, a.at + i * a.row, a.row, a.column, b, c + i * row, row, columns);
  for (; i < m; i++) tile(1, depth, a.at + i * a.row, a.row, a.column, b, c + i * row, row, columns);
}

typedef void Rows(int64_t m, int64_t depth, TccMatrix a, const double *b, double *c, int64_t row, int64_t columns);
static void rows_any(int64_t m, int64_t depth, TccMatrix a, const double *b, double *c, int64_t row, int64_t columns) {
  rows_of(1, m, depth, a, b, c, row, columns);
}
__attribute__((target("avx2,fma"))) static void rows_avx2(int64_t m, int64_t depth, TccMatrix a, const double *b, double *c,
                                                          int64_t row, int64_t columns) {
  rows_of(3, m, depth, a, b, c, row, columns);
}
__attribute__((target("avx512f,avx512dq,avx512vl"))) static void rows_avx512(int64_t m, int64_t depth, TccMatrix a, const double *b,
                                                                             double *c, int64_t row, int64_t columns) {
  rows_of(8, m, depth, a, b, c, row, columns);
}

static bool has_avx512(void) {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
static bool has_avx2(void) { return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"); }

/* [depth, columns] of b side by side, columns that it lacks as zeros. */
static void pack(int64_t depth, int64_t columns, TccMatrix b, double *to) {
  for (int64_t p = 0; p < depth; p++, to += WIDTH) {
    for (int64_t j = 0; j < columns; j++) to[j] = b.at[p * b.row + j * b.column];
    for (int64_t j = columns; j < WIDTH; j++) to[j] = 0;
  }
}

void tcc_linalg_subtract(int64_t m, int64_t n, int64_t k, TccMatrix a, TccMatrix b, double *c, int64_t row) {
  Rows *rows = has_avx512() ? rows_avx512 : has_avx2() ? rows_avx2 : rows_any;
  double packed[DEPTH * WIDTH];
  for (int64_t p = 0; p < k; p += DEPTH) {
    const int64_t depth = k - p < DEPTH ? k - p : DEPTH;
    for (int64_t j = 0; j < n; j += WIDTH) {
      const int64_t columns = n - j < WIDTH ? n - j : WIDTH;
      pack(depth, columns, (TccMatrix){b.at + p * b.row + j * b.column, b.row, b.column}, packed);
      rows(m, depth, (TccMatrix){a.at + p * a.column, a.row, a.column}, packed, c + j, row, columns);
    }
  }
}

/* ---- rows ---- */
#define FOR_MACHINES(result, name, parameters, arguments)                                                                          \
  static result name##_any parameters { return name##_with arguments; }                                                            \
  __attribute__((target("avx2,fma"))) static result name##_avx2 parameters { return name##_with arguments; }                       \
  __attribute__((target("avx512f,avx512dq,avx512vl"))) static result name##_avx512 parameters { return name##_with arguments; }    \
  result tcc_linalg_##name parameters {                                                                                            \
    return has_avx512() ? name##_avx512 arguments : has_avx2() ? name##_avx2 arguments : name##_any arguments;                     \
  }

static inline __attribute__((always_inline)) double dot_with(int64_t n, const double *x, const double *y) {
  Lanes sum[2] = {{0}};
  int64_t i = 0;
  for (; i + WIDTH <= n; i += WIDTH) {
    Lanes a[2], b[2];
    memcpy(a, x + i, sizeof a), memcpy(b, y + i, sizeof b);
    sum[0] += a[0] * b[0], sum[1] += a[1] * b[1];
  }
  double total = 0;
  sum[0] += sum[1];
  for (int lane = 0; lane < LANES; lane++) total += sum[0][lane];
  for (; i < n; i++) total += x[i] * y[i];
  return total;
}
FOR_MACHINES(double, dot, (int64_t n, const double *x, const double *y), (n, x, y))

static inline __attribute__((always_inline)) void add_scaled_with(int64_t n, double factor, const double *x, double *y) {
  int64_t i = 0;
  for (; i + WIDTH <= n; i += WIDTH) {
    Lanes a[2], b[2];
    memcpy(a, x + i, sizeof a), memcpy(b, y + i, sizeof b);
    b[0] += factor * a[0], b[1] += factor * a[1];
    memcpy(y + i, b, sizeof b);
  }
  for (; i < n; i++) y[i] += factor * x[i];
}
FOR_MACHINES(void, add_scaled, (int64_t n, double factor, const double *x, double *y), (n, factor, x, y))

static inline __attribute__((always_inline)) double update_dot_with(int64_t n, double f, const double *x, double g, const double *y,
                                                                    double *z, const double *v) {
  Lanes sum[2] = {{0}};
  int64_t i = 0;
  for (; i + WIDTH <= n; i += WIDTH) {
    Lanes a[2], b[2], c[2], d[2];
    memcpy(a, x + i, sizeof a), memcpy(b, y + i, sizeof b), memcpy(c, z + i, sizeof c), memcpy(d, v + i, sizeof d);
    c[0] -= f * a[0] + g * b[0], c[1] -= f * a[1] + g * b[1];
    sum[0] += c[0] * d[0], sum[1] += c[1] * d[1];
    memcpy(z + i, c, sizeof c);
  }
  double total = 0;
  sum[0] += sum[1];
  for (int lane = 0; lane < LANES; lane++) total += sum[0][lane];
  for (; i < n; i++) {
    z[i] -= f * x[i] + g * y[i];
    total += z[i] * v[i];
  }
  return total;
}
FOR_MACHINES(double, update_dot, (int64_t n, double f, const double *x, double g, const double *y, double *z, const double *v),
             (n, f, x, g, y, z, v))

static inline __attribute__((always_inline)) void rotate_with(int64_t n, double cosine, double sine, double *x, double *y) {
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    Lanes a, b;
    memcpy(&a, x + i, sizeof a), memcpy(&b, y + i, sizeof b);
    const Lanes first = cosine * a + sine * b, second = cosine * b - sine * a;
    memcpy(x + i, &first, sizeof first), memcpy(y + i, &second, sizeof second);
  }
  for (; i < n; i++) {
    const double first = cosine * x[i] + sine * y[i];
    y[i] = cosine * y[i] - sine * x[i], x[i] = first;
  }
}
FOR_MACHINES(void, rotate, (int64_t n, double cosine, double sine, double *x, double *y), (n, cosine, sine, x, y))

/* The row that goes on from one rotation to the next stays in registers. */
static inline __attribute__((always_inline)) void rotate_columns(int vectors, int64_t count, const double *cosine,
                                                                 const double *sine, double *z, int64_t step) {
  Lanes carried[4];
  memcpy(carried, z, (size_t)vectors * sizeof *carried);
  for (int64_t i = 0; i < count; i++, z += step) {
    Lanes next[4], done[4];
    memcpy(next, z + step, (size_t)vectors * sizeof *next);
#pragma GCC unroll 4
    for (int k = 0; k < vectors; k++) {
      done[k] = cosine[i] * carried[k] + sine[i] * next[k];
      carried[k] = cosine[i] * next[k] - sine[i] * carried[k];
    }
    memcpy(z, done, (size_t)vectors * sizeof *done);
  }
  memcpy(z, carried, (size_t)vectors * sizeof *carried);
}

static inline __attribute__((always_inline)) void rotate_rows_with(int64_t n, int64_t count, const double *cosine,
                                                                   const double *sine, double *z, int64_t step) {
  int64_t j = 0;
  for (; j + 4 * LANES <= n; j += 4 * LANES) rotate_columns(4, count, cosine, sine, z + j, step);
  for (; j < n; j += LANES) rotate_columns(1, count, cosine, sine, z + j, step);
}
FOR_MACHINES(void, rotate_rows, (int64_t n, int64_t count, const double *cosine, const double *sine, double *z, int64_t step),
             (n, count, cosine, sine, z, step))

/* ---- tensors ---- */
void tcc_linalg_read(TccElem elem, const void *from, int64_t matrix, int64_t rows, int64_t columns, double *to, int64_t row) {
  for (int64_t i = 0; i < rows; i++, to += row) {
    const int64_t at = (matrix * rows + i) * columns;
    if (elem == TCC_ELEM_F64) memcpy(to, (const double *)from + at, (size_t)columns * sizeof *to);
    else
      for (int64_t j = 0; j < columns; j++) to[j] = ((const float *)from)[at + j];
    for (int64_t j = columns; j < row; j++) to[j] = 0;
  }
}

void tcc_linalg_write(TccElem elem, void *to, int64_t matrix, int64_t rows, int64_t columns, const double *from, int64_t row) {
  for (int64_t i = 0; i < rows; i++) tcc_linalg_put_row(elem, to, (matrix * rows + i) * columns, 1, columns, from + i * row);
}

void tcc_linalg_put_row(TccElem elem, void *to, int64_t at, int64_t step, int64_t n, const double *from) {
  for (int64_t j = 0; j < n; j++) tcc_linalg_put(elem, to, at + j * step, from[j]);
}

/* ---- signs ---- */
bool tcc_linalg_is_turned(int64_t n, const double *x) {
  double most = 0;
  int64_t i = 0;
  for (int64_t j = 0; j < n; j++) most = fmax(most, fabs(x[j]));
  while (i < n && !(fabs(x[i]) >= 0.61 * most)) i++;
  return i < n && x[i] < 0;
}

void tcc_linalg_negate(int64_t n, double *x) {
  for (int64_t i = 0; i < n; i++) x[i] = -x[i];
}

/* linalg_product.c - what factorisations spend their time in: products of doubles, and operations on rows.
 *
 * The product is Goto's (Goto and van de Geijn 2008) with one level: DEPTH rows of b by LANES * 2 columns are laid side by side, which the first
 * cache holds, and all rows of a pass over them, as many at once as registers have sums. Copies for machines that have wider vectors. */
#include "linalg_vectors.h"
#include <math.h>

enum { DEPTH = 128, MOST_ROWS = 8 };

/* c [rows, 16] -= a [rows, depth] b [depth, 16]; of c the first `columns`. */
INLINE void tile(int rows, int64_t depth, const double *a, int64_t row, int64_t step, const double *b, double *c, int64_t c_row,
                 int64_t columns) {
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

INLINE void rows_of(int at_once, int64_t m, int64_t depth, TccMatrix a, const double *b, double *c, int64_t row, int64_t columns) {
  int64_t i = 0;
  for (; i + at_once <= m; i += at_once) tile(at_once, depth, a.at + i * a.row, a.row, a.column, b, c + i * row, row, columns);
  for (; i < m; i++) tile(1, depth, a.at + i * a.row, a.row, a.column, b, c + i * row, row, columns);
}

typedef void Rows(int64_t m, int64_t depth, TccMatrix a, const double *b, double *c, int64_t row, int64_t columns);
static void rows_any(int64_t m, int64_t depth, TccMatrix a, const double *b, double *c, int64_t row, int64_t columns) {
  rows_of(1, m, depth, a, b, c, row, columns);
}
AVX2 static void rows_avx2(int64_t m, int64_t depth, TccMatrix a, const double *b, double *c, int64_t row, int64_t columns) {
  rows_of(3, m, depth, a, b, c, row, columns);
}
AVX512 static void rows_avx512(int64_t m, int64_t depth, TccMatrix a, const double *b, double *c, int64_t row, int64_t columns) {
  rows_of(8, m, depth, a, b, c, row, columns);
}

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
INLINE double dot_with(int64_t n, const double *x, const double *y) {
  Lanes sum[2] = {{0}};
  int64_t i = 0;
  for (; i + WIDTH <= n; i += WIDTH) {
    Lanes a[2], b[2];
    memcpy(a, x + i, sizeof a), memcpy(b, y + i, sizeof b);
    sum[0] += a[0] * b[0], sum[1] += a[1] * b[1];
  }
  double total = sum_of(sum[0] + sum[1]);
  for (; i < n; i++) total += x[i] * y[i];
  return total;
}
FOR_MACHINES(double, dot, (int64_t n, const double *x, const double *y), (n, x, y))

INLINE void add_scaled_with(int64_t n, double factor, const double *x, double *y) {
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

INLINE void add_two_with(int64_t n, double f, const double *x, double g, const double *y, double *z) {
  int64_t i = 0;
  for (; i + LANES <= n; i += LANES) {
    Lanes a, b, c;
    memcpy(&a, x + i, sizeof a), memcpy(&b, y + i, sizeof b), memcpy(&c, z + i, sizeof c);
    c += f * a + g * b;
    memcpy(z + i, &c, sizeof c);
  }
  for (; i < n; i++) z[i] += f * x[i] + g * y[i];
}
FOR_MACHINES(void, add_two, (int64_t n, double f, const double *x, double g, const double *y, double *z), (n, f, x, g, y, z))

/* ROWS rows at once: each vector of them is read once, for its column and for its row. */
INLINE void symmetric_rows(int rows, int64_t n, const double *a, int64_t row, const double *x, double *y) {
  enum { ROWS = 4 };
  Lanes sum[ROWS];
  double total[ROWS];
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++) {
    sum[i] = (Lanes){0}, total[i] = a[i * row + i] * x[i];
    for (int j = i + 1; j < rows; j++) total[i] += a[i * row + j] * x[j], y[j] += a[i * row + j] * x[i];
  }
  int64_t j = rows;
  for (; j + LANES <= n; j += LANES) {
    Lanes in, out;
    memcpy(&in, x + j, sizeof in), memcpy(&out, y + j, sizeof out);
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
      Lanes of;
      memcpy(&of, a + i * row + j, sizeof of);
      sum[i] += of * in, out += x[i] * of;
    }
    memcpy(y + j, &out, sizeof out);
  }
  for (; j < n; j++)
    for (int i = 0; i < rows; i++) total[i] += a[i * row + j] * x[j], y[j] += a[i * row + j] * x[i];
  for (int i = 0; i < rows; i++) y[i] += total[i] + sum_of(sum[i]);
}

INLINE void symmetric_with(int64_t n, const double *a, int64_t row, const double *x, double *y) {
  int64_t i = 0;
  memset(y, 0, (size_t)n * sizeof *y);
  for (; i + 4 <= n; i += 4) symmetric_rows(4, n - i, a + i * row + i, row, x + i, y + i);
  for (; i < n; i++) symmetric_rows(1, n - i, a + i * row + i, row, x + i, y + i);
}
FOR_MACHINES(void, symmetric, (int64_t n, const double *a, int64_t row, const double *x, double *y), (n, a, row, x, y))

INLINE void add_rows_of(int rows, int64_t n, const double *a, int64_t row, const double *x, double *y) {
  int64_t j = 0;
  for (; j + LANES <= n; j += LANES) {
    Lanes sum;
    memcpy(&sum, y + j, sizeof sum);
#pragma GCC unroll 8
    for (int i = 0; i < rows; i++) {
      Lanes of;
      memcpy(&of, a + i * row + j, sizeof of);
      sum += x[i] * of;
    }
    memcpy(y + j, &sum, sizeof sum);
  }
  for (; j < n; j++)
    for (int i = 0; i < rows; i++) y[j] += x[i] * a[i * row + j];
}

INLINE void add_rows_with(int64_t m, int64_t n, const double *a, int64_t row, const double *x, double *y) {
  int64_t i = 0;
  for (; i + 8 <= m; i += 8) add_rows_of(8, n, a + i * row, row, x + i, y);
  for (; i < m; i++) add_rows_of(1, n, a + i * row, row, x + i, y);
}
FOR_MACHINES(void, add_rows, (int64_t m, int64_t n, const double *a, int64_t row, const double *x, double *y), (m, n, a, row, x, y))

INLINE void dot_rows_of(int rows, int64_t n, const double *a, int64_t row, const double *x, double *y) {
  Lanes sum[4];
  int64_t j = 0;
#pragma GCC unroll 4
  for (int i = 0; i < rows; i++) sum[i] = (Lanes){0};
  for (; j + LANES <= n; j += LANES) {
    Lanes in;
    memcpy(&in, x + j, sizeof in);
#pragma GCC unroll 4
    for (int i = 0; i < rows; i++) {
      Lanes of;
      memcpy(&of, a + i * row + j, sizeof of);
      sum[i] += of * in;
    }
  }
  for (int i = 0; i < rows; i++) {
    y[i] = sum_of(sum[i]);
    for (int64_t k = j; k < n; k++) y[i] += a[i * row + k] * x[k];
  }
}

INLINE void dot_rows_with(int64_t m, int64_t n, const double *a, int64_t row, const double *x, double *y) {
  int64_t i = 0;
  for (; i + 4 <= m; i += 4) dot_rows_of(4, n, a + i * row, row, x, y + i);
  for (; i < m; i++) dot_rows_of(1, n, a + i * row, row, x, y + i);
}
FOR_MACHINES(void, dot_rows, (int64_t m, int64_t n, const double *a, int64_t row, const double *x, double *y), (m, n, a, row, x, y))

INLINE void rotate_with(int64_t n, double cosine, double sine, double *x, double *y) {
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

/* ---- sizes and signs ---- */
double tcc_linalg_scale(double most) {
  enum { FREE = 300, MOST = 1000 }; /* exponents */
  int exponent = 0;
  frexp(most, &exponent);
  if (exponent > -FREE && exponent < FREE) return 1;
  return ldexp(1, exponent < -MOST ? MOST : -exponent);
}

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

/* linalg_eigh.c - the builtin eigh: eigenvalues and eigenvectors of symmetric matrices.
 *
 * Reflectors make the matrix tridiagonal (Golub and Van Loan, Matrix Computations, 8.3.1), BLOCK of them before the rest of the matrix loses what they take
 * from it, as products (Dongarra, Sorensen and Hammarling 1989). The implicit QL method makes that diagonal (Dubrulle, Martin and Wilkinson 1968).
 * Eigenvectors are kept as rows, and the rotations of the iterations are done by linalg_rotate.c. */
#include "linalg.h"
#include <float.h>
#include <math.h>

enum { MOST_ITERATIONS = 60 /* for one eigenvalue; two is what it takes */, BLOCK = TCC_LINALG_BLOCK, TRIANGLE = 48 };

typedef struct {
  int64_t n, row;
  double *a, *z;     /* [n, n]: the matrix, whose upper triangle counts; eigenvectors, NULL: not wanted */
  double *w;         /* [BLOCK, n]: what a block of reflectors takes */
  double *d, *e;     /* [n]: diagonal, and beside it */
  double *tau;       /* [n] */
  double scale;      /* of a, d and e */
  double negligible; /* beside 1 */
  double *product;   /* 2 x [n, BLOCK] */
  TccReflectors block;
  TccSweeps sweeps; /* of z, from the last row to the first one */
} Eigh;

/* Rows and columns [first, first + count) of the upper triangle lose u w' + w u' of each of the reflectors [begin, end). */
static void take(Eigh *s, int64_t begin, int64_t end, int64_t first, int64_t count) {
  const int64_t half = count <= TRIANGLE ? count : (count / 2 + 7) / 8 * 8, rest = count - half;
  const double *u = s->a + begin * s->row + first, *w = s->w + first;
  double *top = s->a + first * s->row + first;
  if (rest) take(s, begin, end, first, half), take(s, begin, end, first + half, rest);
  const int64_t at = rest ? half : 0, columns = rest ? rest : half;
  tcc_linalg_subtract(half, columns, end - begin, tcc_matrix_transposed(u, s->row), tcc_matrix(w + at, s->row), top + at, s->row);
  tcc_linalg_subtract(half, columns, end - begin, tcc_matrix_transposed(w, s->row), tcc_matrix(u + at, s->row), top + at, s->row);
}

/* Step k of a block that began at `begin`: row k of a becomes d[k], e[k] and, behind the diagonal, the reflector u of this step; w is such that the matrix
 * loses u w' + w u'. */
static void reduce_row(Eigh *s, int64_t begin, int64_t k) {
  const int64_t rest = s->n - k - 1;
  double *row = s->a + k * s->row, *u = row + k + 1, *w = s->w + (k - begin) * s->row + k + 1;
  for (int64_t j = begin; j < k; j++) {
    const double *u_j = s->a + j * s->row, *w_j = s->w + (j - begin) * s->row;
    tcc_linalg_add_two(rest + 1, -u_j[k], w_j + k, -w_j[k], u_j + k, row + k);
  }
  s->d[k] = row[k], s->e[k] = 0, s->tau[k] = 0;
  if (!rest) return;
  const double tau = s->tau[k] = tcc_linalg_reflector(rest, u, 1);
  s->e[k] = u[0], u[0] = 1;
  if (tau == 0) {
    memset(w, 0, (size_t)rest * sizeof *w);
    return;
  }
  tcc_linalg_symmetric(rest, u + s->row, s->row, u, w);
  for (int64_t j = begin; j < k; j++) {
    const double *u_j = s->a + j * s->row + k + 1, *w_j = s->w + (j - begin) * s->row + k + 1;
    tcc_linalg_add_two(rest, -tcc_linalg_dot(rest, w_j, u), u_j, -tcc_linalg_dot(rest, u_j, u), w_j, w);
  }
  const double along = tcc_linalg_dot(rest, w, u);
  for (int64_t i = 0; i < rest; i++) w[i] = tau * (w[i] - tau / 2 * along * u[i]);
}

/* Q T Q' = a; row k of a holds the reflector of step k behind the diagonal. */
static void make_tridiagonal(Eigh *s) {
  for (int64_t begin = 0, end; begin < s->n; begin = end) {
    end = begin + BLOCK < s->n ? begin + BLOCK : s->n;
    for (int64_t k = begin; k < end; k++) reduce_row(s, begin, k);
    if (end < s->n) take(s, begin, end, end, s->n - end);
  }
}

/* z = Q'. */
static void make_vectors(Eigh *s) {
  memset(s->z, 0, (size_t)(s->n * s->row) * sizeof(double));
  for (int64_t i = 0; i < s->n; i++) s->z[i * s->row + i] = 1;
  const int64_t steps = s->n - 1;
  for (int64_t first = (steps - 1) / BLOCK * BLOCK; steps > 0 && first >= 0; first -= BLOCK) {
    const int64_t count = steps - first < BLOCK ? steps - first : BLOCK, rest = s->n - first - 1;
    for (int64_t i = 0; i < rest; i++)
      for (int64_t j = 0; j < count; j++)
        tcc_linalg_reflector_at(&s->block, i)[j] = i < j ? 0 : s->a[(first + j) * s->row + first + 1 + i];
    tcc_linalg_reflectors_make(&s->block, rest, count, s->tau + first);
    tcc_linalg_reflect_right(&s->block, rest, count, s->z + (first + 1) * (s->row + 1), rest, s->row, s->product, true);
  }
}

/* One implicit step on [l, m]: the shift is the eigenvalue of the upper corner that lies nearer to d[l]. No square overflows, for the matrix is scaled. */
static void step(Eigh *s, int64_t l, int64_t m) {
  double *d = s->d, *e = s->e, g = (d[l + 1] - d[l]) / (2 * e[l]), c = 1, sine = 1, p = 0;
  int64_t i = m - 1;
  g = d[m] - d[l] + e[l] / (g + copysign(sqrt(g * g + 1), g));
  for (; i >= l; i--) {
    const double f = sine * e[i], b = c * e[i], r = sqrt(f * f + g * g);
    e[i + 1] = r;
    if (r == 0) break;
    sine = f / r, c = g / r;
    const double h = d[i + 1] - p, q = (d[i] - h) * sine + 2 * c * b;
    p = sine * q;
    d[i + 1] = h + p, g = c * q - b;
    if (s->z) tcc_linalg_sweep_rotate(&s->sweeps, s->n - 2 - i, c, sine);
  }
  if (i < l) d[l] -= p, e[l] = g;
  else d[i + 1] -= p;
  e[m] = 0;
  if (s->z) tcc_linalg_sweep_end(&s->sweeps);
}

static void make_diagonal(Eigh *s) {
  for (int64_t l = 0; l < s->n; l++)
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
      int64_t m = l;
      while (m < s->n - 1 && fabs(s->e[m]) > s->negligible * (fabs(s->d[m]) + fabs(s->d[m + 1])) && fabs(s->e[m]) >= DBL_MIN) m++;
      if (m == l) break;
      step(s, l, m);
    }
  if (s->z) tcc_linalg_sweeps_end(&s->sweeps);
}

/* order: places of eigenvalues, ascending. */
static void sort(const Eigh *s, int64_t *order) {
  for (int64_t i = 0; i < s->n; i++) {
    int64_t j = i;
    for (; j > 0 && s->d[order[j - 1]] > s->d[i]; j--) order[j] = order[j - 1];
    order[j] = i;
  }
}

/* The triangle that counts is the lower one; it becomes the upper one. False: there are elements that are no finite numbers. */
static bool read(Eigh *s, TccElem elem, const void *from, int64_t tile) {
  double most = 0, sum = 0;
  memset(s->a, 0, (size_t)(s->n * s->row) * sizeof(double));
  for (int64_t i = 0; i < s->n; i++)
    for (int64_t j = 0; j <= i; j++) {
      const double x = tcc_linalg_get(elem, from, (tile * s->n + i) * s->n + j);
      s->a[j * s->row + i] = x, most = fmax(most, fabs(x)), sum += x * 0;
    }
  s->scale = tcc_linalg_scale(most);
  for (int64_t i = 0; s->scale != 1 && i < s->n * s->row; i++) s->a[i] *= s->scale;
  return sum == 0;
}

static Eigh begin_eigh(double *scratch, TccElem elem, int64_t n, bool vectors) {
  Eigh s = {.n = n, .negligible = tcc_linalg_negligible(elem), .row = tcc_linalg_row(n), .a = scratch};
  s.w = s.a + n * s.row;
  s.d = s.w + BLOCK * s.row, s.e = s.d + n, s.tau = s.e + n;
  if (!vectors) return s;
  s.z = s.tau + n;
  s.product = tcc_linalg_reflectors_begin(&s.block, s.z + n * s.row, n);
  return s;
}

static void decompose(Eigh *s, bool finite) {
  if (finite) {
    make_tridiagonal(s);
    if (s->z) make_vectors(s);
    if (s->z) tcc_linalg_sweeps_begin(&s->sweeps, s->product, s->z + (s->n - 1) * s->row, s->n, s->n, -s->row);
    make_diagonal(s);
    return;
  }
  for (int64_t i = 0; i < s->n; i++) s->d[i] = NAN;
  for (int64_t i = 0; s->z && i < s->n * s->row; i++) s->z[i] = NAN;
}

void tcc_eigh(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t n = sizes[TCC_LINALG_ROWS], *out = sizes + TCC_LINALG_RESULT;
  const TccElem elem = (TccElem)sizes[TCC_LINALG_ELEM];
  int64_t *order = scratch;
  Eigh s = begin_eigh((double *)(order + n), elem, n, out[1] != 0);
  for (int64_t tile = begin; tile < end; tile++) {
    decompose(&s, read(&s, elem, arguments[sizes[TCC_LINALG_OPERAND]], tile));
    sort(&s, order);
    for (int64_t i = 0; i < n; i++) {
      if (out[0]) tcc_linalg_put(elem, arguments[out[0]], tile * n + i, s.d[order[i]] / s.scale);
      if (!s.z) continue;
      double *vector = s.z + order[i] * s.row;
      if (tcc_linalg_is_turned(n, vector)) tcc_linalg_negate(n, vector);
      tcc_linalg_put_row(elem, arguments[out[1]], tile * n * n + i, n, n, vector);
    }
  }
}

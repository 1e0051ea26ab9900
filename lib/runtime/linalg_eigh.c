/* linalg_eigh.c - the builtin eigh: eigenvalues and eigenvectors of symmetric matrices.
 *
 * Reflectors make the matrix tridiagonal (Golub and Van Loan, Matrix Computations, 8.3.1), the implicit QL method makes that diagonal (Dubrulle, Martin and
 * Wilkinson 1968). Eigenvectors are kept as rows. The rotations of an iteration go from one row to the next, so they are collected, and done for some
 * columns after the others: each row is read and written once. */
#include "linalg.h"
#include <float.h>
#include <math.h>

enum { MOST_ITERATIONS = 60 /* for one eigenvalue; two is what it takes */ };

typedef struct {
  int64_t n, row;
  double *a, *z;                   /* [n, n]: the matrix; eigenvectors, NULL: not wanted */
  double *d, *e;                   /* [n]: diagonal, and beside it */
  double *tau, *p, *cosine, *sine; /* [n] */
} Eigh;

/* Q T Q' = a; row k of a holds the reflector of step k behind the diagonal. What a step takes from the rest of the matrix, u w' + w u', is taken in the next one's
 * pass over it, which is its product with the next reflector. */
static void make_tridiagonal(Eigh *s) {
  const double *u = NULL, *w = NULL; /* from row k on; NULL: nothing is to be taken */
  double *p[2] = {s->p, s->cosine};
  for (int64_t k = 0; k < s->n; k++) {
    const int64_t rest = s->n - k - 1;
    double *row = s->a + k * s->row + k, *v = row + 1;
    if (u) tcc_linalg_update_dot(rest + 1, u[0], w, w[0], u, row, row);
    s->d[k] = row[0], s->e[k] = 0, s->tau[k] = 0;
    if (!rest) break;
    const double tau = s->tau[k] = tcc_linalg_reflector(rest, v, 1);
    s->e[k] = v[0], v[0] = 1;
    for (int64_t i = 1; i <= rest; i++) {
      double *of = row + i * s->row + 1;
      p[k % 2][i - 1] = tau * (u ? tcc_linalg_update_dot(rest, u[i], w + 1, w[i], u + 1, of, v) : tcc_linalg_dot(rest, of, v));
    }
    w = p[k % 2], u = tau != 0 ? v : NULL;
    tcc_linalg_add_scaled(rest, -tau / 2 * tcc_linalg_dot(rest, w, v), v, p[k % 2]);
  }
}

/* z = Q'. */
static void make_vectors(Eigh *s) {
  memset(s->z, 0, (size_t)(s->n * s->row) * sizeof(double));
  for (int64_t i = 0; i < s->n; i++) s->z[i * s->row + i] = 1;
  for (int64_t k = s->n - 2; k >= 0; k--) {
    const double *v = s->a + k * s->row + k + 1;
    const int64_t rest = s->n - k - 1;
    for (int64_t i = k + 1; s->tau[k] != 0 && i < s->n; i++) {
      double *of = s->z + i * s->row + k + 1;
      tcc_linalg_add_scaled(rest, -s->tau[k] * tcc_linalg_dot(rest, of, v), v, of);
    }
  }
}

/* One implicit step on [l, m]: the shift is the eigenvalue of the upper corner that lies nearer to d[l]. */
static void step(Eigh *s, int64_t l, int64_t m) {
  double *d = s->d, *e = s->e, g = (d[l + 1] - d[l]) / (2 * e[l]), c = 1, sine = 1, p = 0;
  int64_t count = 0, i = m - 1;
  g = d[m] - d[l] + e[l] / (g + copysign(hypot(g, 1), g));
  for (; i >= l; i--) {
    const double f = sine * e[i], b = c * e[i], r = hypot(f, g);
    e[i + 1] = r;
    if (r == 0) break;
    sine = f / r, c = g / r;
    const double h = d[i + 1] - p, q = (d[i] - h) * sine + 2 * c * b;
    p = sine * q;
    d[i + 1] = h + p, g = c * q - b;
    s->cosine[count] = c, s->sine[count++] = sine;
  }
  if (i < l) d[l] -= p, e[l] = g;
  else d[i + 1] -= p;
  e[m] = 0;
  if (s->z) tcc_linalg_rotate_rows(s->n, count, s->cosine, s->sine, s->z + m * s->row, -s->row);
}

static void make_diagonal(Eigh *s) {
  for (int64_t l = 0; l < s->n; l++)
    for (int iteration = 0; iteration < MOST_ITERATIONS; iteration++) {
      int64_t m = l;
      while (m < s->n - 1 && fabs(s->e[m]) > DBL_EPSILON * (fabs(s->d[m]) + fabs(s->d[m + 1])) && fabs(s->e[m]) >= DBL_MIN) m++;
      if (m == l) break;
      step(s, l, m);
    }
}

/* order: places of eigenvalues, ascending. */
static void sort(const Eigh *s, int64_t *order) {
  for (int64_t i = 0; i < s->n; i++) {
    int64_t j = i;
    for (; j > 0 && s->d[order[j - 1]] > s->d[i]; j--) order[j] = order[j - 1];
    order[j] = i;
  }
}

/* The triangle that counts is the lower one; both are filled. False: there are elements that are no finite numbers. */
static bool read(Eigh *s, TccElem elem, const void *from, int64_t tile) {
  bool finite = true;
  tcc_linalg_read(elem, from, tile, s->n, s->n, s->a, s->row);
  for (int64_t i = 0; i < s->n; i++)
    for (int64_t j = 0; j <= i; j++) {
      s->a[j * s->row + i] = s->a[i * s->row + j];
      finite &= isfinite(s->a[i * s->row + j]) != 0;
    }
  return finite;
}

void tcc_eigh(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t n = sizes[TCC_LINALG_ROWS], *out = sizes + TCC_LINALG_RESULT;
  const TccElem elem = (TccElem)sizes[TCC_LINALG_ELEM];
  Eigh s = {.n = n, .row = tcc_linalg_row(n), .a = scratch};
  s.d = s.a + n * s.row;
  s.e = s.d + n, s.tau = s.e + n, s.p = s.tau + n, s.cosine = s.p + n, s.sine = s.cosine + n;
  int64_t *order = (int64_t *)(s.sine + n);
  s.z = out[1] ? (double *)(order + n) : NULL;
  for (int64_t tile = begin; tile < end; tile++) {
    const bool finite = read(&s, elem, arguments[sizes[TCC_LINALG_OPERAND]], tile);
    if (finite) make_tridiagonal(&s);
    if (finite && s.z) make_vectors(&s);
    if (finite) make_diagonal(&s);
    for (int64_t i = 0; !finite && i < n; i++) s.d[i] = NAN;
    for (int64_t i = 0; !finite && s.z && i < n * s.row; i++) s.z[i] = NAN;
    sort(&s, order);
    for (int64_t i = 0; i < n; i++) {
      if (out[0]) tcc_linalg_put(elem, arguments[out[0]], tile * n + i, s.d[order[i]]);
      if (!s.z) continue;
      double *vector = s.z + order[i] * s.row;
      if (tcc_linalg_is_turned(n, vector)) tcc_linalg_negate(n, vector);
      tcc_linalg_put_row(elem, arguments[out[1]], tile * n * n + i, n, n, vector);
    }
  }
}

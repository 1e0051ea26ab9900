/* linalg_svd.c - the builtin svd: singular values and vectors.
 *
 * Reflectors from both sides make the matrix bidiagonal, implicit QR steps make that diagonal (Golub and Kahan 1965; Golub and Reinsch 1970; the tests for what is
 * negligible are LINPACK's dsvdc). A matrix with more columns than rows is factored transposed. Singular vectors are kept as rows, and the rotations
 * of a step are collected as in linalg_eigh.c. */
#include "linalg.h"
#include <float.h>
#include <math.h>

enum { MOST_ITERATIONS = 75 /* for one singular value; two is what it takes */ };

typedef struct {
  int64_t m, n, kept;              /* m >= n; rows of u */
  int64_t row, row_u;              /* elements from row to row of a and v; of u */
  double *a, *u, *v;               /* [m, n], [kept, m], [n, n]; u, v NULL: not wanted */
  double *d, *e, *tau, *tau_v, *y; /* [n]: diagonal, and above it; y [m] */
  double *cosine[2], *sine[2];     /* [n]: of v, of u */
} Svd;

/* u' a v = the bidiagonal; columns and rows of a hold the reflectors. */
static void make_bidiagonal(Svd *s) {
  for (int64_t k = 0; k < s->n; k++) {
    const int64_t rest = s->n - k - 1;
    double *top = s->a + k * s->row + k;
    const double tau = s->tau[k] = tcc_linalg_reflector(s->m - k, top, s->row);
    s->d[k] = top[0], s->e[k] = 0, s->tau_v[k] = 0, top[0] = 1;
    if (!rest) continue;
    if (tau != 0) {
      memset(s->y, 0, (size_t)rest * sizeof(double));
      for (int64_t i = 0; i < s->m - k; i++) tcc_linalg_add_scaled(rest, top[i * s->row], top + i * s->row + 1, s->y);
      for (int64_t i = 0; i < s->m - k; i++) tcc_linalg_add_scaled(rest, -tau * top[i * s->row], s->y, top + i * s->row + 1);
    }
    const double tau_v = s->tau_v[k] = tcc_linalg_reflector(rest, top + 1, 1);
    s->e[k] = top[1], top[1] = 1;
    for (int64_t i = 1; tau_v != 0 && i < s->m - k; i++) {
      double *of = top + i * s->row + 1;
      tcc_linalg_add_scaled(rest, -tau_v * tcc_linalg_dot(rest, of, top + 1), top + 1, of);
    }
  }
}

/* Rows of x from `first` on lose tau times their product with v, an element of which stands for each of their columns from `first` on. */
static void reflect(double *x, int64_t rows, int64_t columns, int64_t row, int64_t first, double tau, const double *v) {
  for (int64_t i = first; tau != 0 && i < rows; i++) {
    double *of = x + i * row + first;
    tcc_linalg_add_scaled(columns - first, -tau * tcc_linalg_dot(columns - first, of, v), v, of);
  }
}

static void make_vectors(Svd *s) {
  memset(s->u, 0, (size_t)(s->kept * s->row_u) * sizeof(double));
  memset(s->v, 0, (size_t)(s->n * s->row) * sizeof(double));
  for (int64_t i = 0; i < s->kept; i++) s->u[i * s->row_u + i] = 1;
  for (int64_t i = 0; i < s->n; i++) s->v[i * s->row + i] = 1;
  for (int64_t k = s->n - 1; k >= 0; k--) {
    const double *top = s->a + k * s->row + k;
    for (int64_t i = 0; i < s->m - k; i++) s->y[i] = top[i * s->row];
    reflect(s->u, s->kept, s->m, s->row_u, k, s->tau[k], s->y);
    if (k < s->n - 1) reflect(s->v, s->n, s->n, s->row, k + 1, s->tau_v[k], top + 1);
  }
}

/* The rotation that makes (f, g) (r, 0); r is returned. */
static double rotation(double f, double g, double *cosine, double *sine) {
  const double r = hypot(f, g);
  *cosine = r == 0 ? 1 : f / r, *sine = r == 0 ? 0 : g / r;
  return r;
}

/* d[p - 1] is 0: so becomes e[p - 2]. */
static void chase_up(Svd *s, int64_t k, int64_t p) {
  double f = s->e[p - 2], c, sine;
  s->e[p - 2] = 0;
  for (int64_t j = p - 2; j >= k; j--) {
    s->d[j] = rotation(s->d[j], f, &c, &sine);
    if (j != k) f = -sine * s->e[j - 1], s->e[j - 1] *= c;
    if (s->v) tcc_linalg_rotate(s->n, c, sine, s->v + j * s->row, s->v + (p - 1) * s->row);
  }
}

/* d[k - 1] is 0: so becomes e[k - 1]. */
static void chase_down(Svd *s, int64_t k, int64_t p) {
  double f = s->e[k - 1], c, sine;
  s->e[k - 1] = 0;
  for (int64_t j = k; j < p; j++) {
    s->d[j] = rotation(s->d[j], f, &c, &sine);
    f = -sine * s->e[j], s->e[j] *= c;
    if (s->u) tcc_linalg_rotate(s->m, c, sine, s->u + j * s->row_u, s->u + (k - 1) * s->row_u);
  }
}

/* The eigenvalue of the last two rows' product with their transposed that is nearer to its last element, less that. */
static double shift_of(const Svd *s, int64_t k, int64_t p, double scale) {
  const double last = s->d[p - 1] / scale, before = s->d[p - 2] / scale, above = s->e[p - 2] / scale, first = s->d[k] / scale;
  const double b = ((before + last) * (before - last) + above * above) / 2, c = last * above * (last * above);
  double shift = 0;
  if (b != 0 || c != 0) shift = c / (b + copysign(sqrt(b * b + c), b));
  return (first + last) * (first - last) + shift;
}

static void step(Svd *s, int64_t k, int64_t p) {
  double *d = s->d, *e = s->e, scale = fmax(fmax(fabs(d[p - 1]), fabs(d[p - 2])), fabs(e[p - 2]));
  scale = fmax(scale, fmax(fabs(d[k]), fabs(e[k])));
  double f = shift_of(s, k, p, scale), g = d[k] / scale * (e[k] / scale);
  for (int64_t j = k; j < p - 1; j++) {
    double c, sine, r = rotation(f, g, &c, &sine);
    if (j != k) e[j - 1] = r;
    s->cosine[0][j - k] = c, s->sine[0][j - k] = sine;
    f = c * d[j] + sine * e[j], e[j] = c * e[j] - sine * d[j];
    g = sine * d[j + 1], d[j + 1] *= c;
    d[j] = rotation(f, g, &c, &sine);
    s->cosine[1][j - k] = c, s->sine[1][j - k] = sine;
    f = c * e[j] + sine * d[j + 1], d[j + 1] = c * d[j + 1] - sine * e[j];
    g = sine * e[j + 1], e[j + 1] *= c;
  }
  e[p - 2] = f;
  if (s->v) tcc_linalg_rotate_rows(s->n, p - 1 - k, s->cosine[0], s->sine[0], s->v + k * s->row, s->row);
  if (s->u) tcc_linalg_rotate_rows(s->m, p - 1 - k, s->cosine[1], s->sine[1], s->u + k * s->row_u, s->row_u);
}

static bool negligible(double x, double beside) { return fabs(x) <= DBL_MIN + DBL_EPSILON * beside; }

static void make_diagonal(Svd *s) {
  double *d = s->d, *e = s->e;
  int iterations = 0;
  for (int64_t p = s->n; p > 1;) {
    int64_t k = p - 2, zero;
    while (k >= 0 && !negligible(e[k], fabs(d[k]) + fabs(d[k + 1]))) k--;
    if (k >= 0) e[k] = 0;
    if (k == p - 2 || ++iterations > MOST_ITERATIONS) {
      p--, iterations = 0;
      continue;
    }
    for (zero = p - 1; zero > k; zero--)
      if (negligible(d[zero], (zero < p - 1 ? fabs(e[zero]) : 0) + (zero > k + 1 ? fabs(e[zero - 1]) : 0))) break;
    if (zero == k) step(s, k + 1, p);
    else if (d[zero] = 0, zero == p - 1) chase_up(s, k + 1, p);
    else chase_down(s, zero + 1, p);
  }
}

/* Positive; order: their places, the largest first. */
static void sort(Svd *s, int64_t *order) {
  for (int64_t i = 0; i < s->n; i++) {
    if (signbit(s->d[i])) {
      s->d[i] = -s->d[i];
      if (s->v) tcc_linalg_negate(s->n, s->v + i * s->row);
    }
    int64_t j = i;
    for (; j > 0 && s->d[order[j - 1]] < s->d[i]; j--) order[j] = order[j - 1];
    order[j] = i;
  }
}

static Svd begin_svd(double *scratch, int64_t m, int64_t n, bool full, bool vectors) {
  Svd s = {.m = m, .n = n, .kept = full ? m : n, .row = tcc_linalg_row(n), .row_u = tcc_linalg_row(m), .a = scratch};
  double **const parts[] = {&s.d, &s.e, &s.tau, &s.tau_v, &s.cosine[0], &s.sine[0], &s.cosine[1], &s.sine[1]};
  double *at = s.a + m * s.row;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, at += n) *parts[i] = at;
  s.y = at, at += m;
  if (vectors) s.u = at, s.v = at + s.kept * s.row_u;
  return s;
}

/* False: there are elements that are no finite numbers. */
static bool read(Svd *s, TccElem elem, const void *from, int64_t tile, bool turned) {
  bool finite = true;
  if (!turned) tcc_linalg_read(elem, from, tile, s->m, s->n, s->a, s->row);
  for (int64_t i = 0; turned && i < s->n; i++)
    for (int64_t j = 0; j < s->m; j++) s->a[j * s->row + i] = tcc_linalg_get(elem, from, (tile * s->n + i) * s->m + j);
  for (int64_t i = 0; i < s->m; i++)
    for (int64_t j = 0; j < s->n; j++) finite &= isfinite(s->a[i * s->row + j]) != 0;
  return finite;
}

static void decompose(Svd *s, bool finite) {
  if (finite) {
    make_bidiagonal(s);
    if (s->v) make_vectors(s);
    make_diagonal(s);
    return;
  }
  for (int64_t i = 0; i < s->n; i++) s->d[i] = NAN;
  for (int64_t i = 0; s->v && i < s->kept * s->row_u; i++) s->u[i] = NAN;
  for (int64_t i = 0; s->v && i < s->n * s->row; i++) s->v[i] = NAN;
}

/* Of a [m, n], or of the transposed (turned) [n, m], whose u is v and whose v is u. Pairs of vectors have the sign that the one of vh asks for. */
static void write_vectors(Svd *s, TccElem elem, void *u, void *vh, int64_t tile, const int64_t *order, bool turned) {
  const int64_t rows = turned ? s->n : s->m, kept_u = turned ? s->n : s->kept, kept_v = turned ? s->kept : s->n,
                columns = turned ? s->m : s->n;
  for (int64_t i = 0; i < s->kept; i++) {
    double *x = s->u + (i < s->n ? order[i] : i) * s->row_u, *y = i < s->n ? s->v + order[i] * s->row : NULL;
    double *left = turned ? y : x, *right = turned ? x : y;
    if (left && right && tcc_linalg_is_turned(columns, right)) tcc_linalg_negate(rows, left), tcc_linalg_negate(columns, right);
    if (left && u) tcc_linalg_put_row(elem, u, tile * rows * kept_u + i, kept_u, rows, left);
    if (right && vh) tcc_linalg_put_row(elem, vh, (tile * kept_v + i) * columns, 1, columns, right);
  }
}

void tcc_svd(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t m = sizes[TCC_LINALG_ROWS], n = sizes[TCC_LINALG_COLUMNS], least = m < n ? m : n, *out = sizes + TCC_LINALG_RESULT;
  const TccElem elem = (TccElem)sizes[TCC_LINALG_ELEM];
  const bool turned = m < n, vectors = out[0] || out[2];
  int64_t *order = scratch;
  Svd s = begin_svd((double *)(order + least), turned ? n : m, least, sizes[TCC_LINALG_OPTION] != 0, vectors);
  for (int64_t tile = begin; tile < end; tile++) {
    decompose(&s, read(&s, elem, arguments[sizes[TCC_LINALG_OPERAND]], tile, turned));
    sort(&s, order);
    for (int64_t i = 0; out[1] && i < least; i++) tcc_linalg_put(elem, arguments[out[1]], tile * least + i, s.d[order[i]]);
    if (vectors) write_vectors(&s, elem, out[0] ? arguments[out[0]] : NULL, out[2] ? arguments[out[2]] : NULL, tile, order, turned);
  }
}

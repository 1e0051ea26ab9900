/* linalg_svd.c - the builtin svd: singular values and vectors.
 *
 * Reflectors from both sides make the matrix bidiagonal, implicit QR steps make that diagonal (Golub and Kahan 1965; Golub and Reinsch 1970; the tests for what is
 * negligible are LINPACK's dsvdc). The rest of the matrix loses what BLOCK reflectors from each side take as products (Dongarra, Sorensen and Hammarling 1989). A matrix with more columns than rows is factored transposed. Singular vectors are kept as rows, and the rotations
 * of the steps are done by linalg_rotate.c. */
#include "linalg.h"
#include <float.h>
#include <math.h>

enum { MOST_ITERATIONS = 75 /* for one singular value; two is what it takes */, BLOCK = TCC_LINALG_BLOCK };

typedef struct {
  int64_t m, n, kept;          /* m >= n; rows of u */
  int64_t row, row_u;          /* elements from row to row of a and v; of u */
  double *a, *u, *v;           /* [m, n], [kept, m], [n, n]; u, v NULL: not wanted */
  double *d, *e, *tau, *tau_v; /* [n]: diagonal, and above it */
  double *left, *x, *y;        /* of a block: column reflectors [BLOCK, m]; what is taken: x [BLOCK, m], y [BLOCK, n] */
  double scale;                /* of a, d and e */
  double negligible;           /* beside 1 */
  double *product;             /* 2 x [m, BLOCK] */
  TccReflectors block;
  TccSweeps of_u, of_v;
} Svd;

/* What the steps [first, k) of a block take from a, v y' + x u' each. */
typedef struct {
  const double *v, *y, *x, *u;
} Taken;

static Taken taken(const Svd *s, int64_t first, int64_t j) {
  const int64_t i = j - first;
  return (Taken){s->left + i * s->row_u, s->y + i * s->row, s->x + i * s->row_u, s->a + j * s->row};
}

/* Column k from the diagonal on becomes d[k] and the reflector v of this step, y what it takes from each column behind. */
static void reduce_column(Svd *s, int64_t first, int64_t k) {
  const int64_t rest = s->n - k - 1, rows = s->m - k;
  double *top = s->a + k * s->row + k, *v = s->left + (k - first) * s->row_u + k, *y = s->y + (k - first) * s->row + k + 1;
  for (int64_t i = 0; i < rows; i++) v[i] = top[i * s->row];
  for (int64_t j = first; j < k; j++) {
    const Taken t = taken(s, first, j);
    tcc_linalg_add_two(rows, -t.y[k], t.v + k, -t.u[k], t.x + k, v);
  }
  const double tau = s->tau[k] = tcc_linalg_reflector(rows, v, 1);
  s->d[k] = v[0], v[0] = 1;
  for (int64_t i = 0; i < rows; i++) top[i * s->row] = v[i];
  memset(y, 0, (size_t)rest * sizeof *y);
  if (tau == 0) return;
  tcc_linalg_add_rows(rows, rest, top + 1, s->row, v, y);
  for (int64_t j = first; j < k; j++) {
    const Taken t = taken(s, first, j);
    tcc_linalg_add_two(rest, -tcc_linalg_dot(rows, t.v + k, v), t.y + k + 1, -tcc_linalg_dot(rows, t.x + k, v), t.u + k + 1, y);
  }
  for (int64_t i = 0; i < rest; i++) y[i] *= tau;
}

/* Row k behind the diagonal becomes e[k] and the reflector u of this step, x what it takes from each row below. */
static void reduce_row(Svd *s, int64_t first, int64_t k) {
  const int64_t rest = s->n - k - 1, rows = s->m - k - 1;
  double *u = s->a + k * s->row + k + 1, *x = s->x + (k - first) * s->row_u + k + 1;
  for (int64_t j = first; j <= k; j++) {
    const Taken t = taken(s, first, j);
    tcc_linalg_add_two(rest, -t.v[k], t.y + k + 1, j < k ? -t.x[k] : 0, t.u + k + 1, u);
  }
  const double tau = s->tau_v[k] = tcc_linalg_reflector(rest, u, 1);
  s->e[k] = u[0], u[0] = 1;
  memset(x, 0, (size_t)rows * sizeof *x);
  if (tau == 0) return;
  tcc_linalg_dot_rows(rows, rest, u + s->row, s->row, u, x);
  for (int64_t j = first; j <= k; j++) {
    const Taken t = taken(s, first, j);
    const double along = j < k ? tcc_linalg_dot(rest, t.u + k + 1, u) : 0;
    tcc_linalg_add_two(rows, -tcc_linalg_dot(rest, t.y + k + 1, u), t.v + k + 1, -along, t.x + k + 1, x);
  }
  for (int64_t i = 0; i < rows; i++) x[i] *= tau;
}

/* u' a v = the bidiagonal; columns and rows of a hold the reflectors. */
static void make_bidiagonal(Svd *s) {
  for (int64_t first = 0, end; first < s->n; first = end) {
    end = first + BLOCK < s->n ? first + BLOCK : s->n;
    for (int64_t k = first; k < end; k++) {
      reduce_column(s, first, k);
      s->e[k] = 0, s->tau_v[k] = 0;
      if (k + 1 < s->n) reduce_row(s, first, k);
    }
    const int64_t rows = s->m - end, columns = s->n - end;
    double *rest = s->a + end * (s->row + 1);
    tcc_linalg_subtract(rows, columns, end - first, tcc_matrix_transposed(s->left + end, s->row_u), tcc_matrix(s->y + end, s->row),
                        rest, s->row);
    tcc_linalg_subtract(rows, columns, end - first, tcc_matrix_transposed(s->x + end, s->row_u),
                        tcc_matrix(s->a + first * s->row + end, s->row), rest, s->row);
  }
}

/* x [rows, columns], whose first rows are those of 1, loses what a block of reflectors from the right takes. */
static void reflect(Svd *s, double *x, int64_t rows, int64_t columns, int64_t row, int64_t count, const double *tau) {
  tcc_linalg_reflectors_make(&s->block, columns, count, tau);
  tcc_linalg_reflect_right(&s->block, columns, count, x, rows, row, s->product, true);
}

static void set_identity(double *x, int64_t rows, int64_t row) {
  memset(x, 0, (size_t)(rows * row) * sizeof *x);
  for (int64_t i = 0; i < rows; i++) x[i * (row + 1)] = 1;
}

static void make_vectors(Svd *s) {
  set_identity(s->u, s->kept, s->row_u);
  set_identity(s->v, s->n, s->row);
  for (int64_t first = (s->n - 1) / BLOCK * BLOCK; s->n && first >= 0; first -= BLOCK) {
    const double *top = s->a + first * (s->row + 1);
    const int64_t rest = s->n - first, count = rest < BLOCK ? rest : BLOCK, count_v = rest - 1 < BLOCK ? rest - 1 : BLOCK;
    for (int64_t i = 0; i < s->m - first; i++)
      for (int64_t j = 0; j < count; j++) tcc_linalg_reflector_at(&s->block, i)[j] = i < j ? 0 : top[i * s->row + j];
    reflect(s, s->u + first * (s->row_u + 1), s->kept - first, s->m - first, s->row_u, count, s->tau + first);
    if (!count_v) continue;
    for (int64_t i = 0; i < rest - 1; i++)
      for (int64_t j = 0; j < count_v; j++) tcc_linalg_reflector_at(&s->block, i)[j] = i < j ? 0 : top[j * s->row + i + 1];
    reflect(s, s->v + (first + 1) * (s->row + 1), rest - 1, rest - 1, s->row, count_v, s->tau_v + first);
  }
}

/* The rotation that makes (f, g) (r, 0); r is returned. No square overflows, for the matrix is scaled. */
static double rotation(double f, double g, double *cosine, double *sine) {
  const double r = sqrt(f * f + g * g);
  *cosine = r == 0 ? 1 : f / r, *sine = r == 0 ? 0 : g / r;
  return r;
}

static void end_sweeps(Svd *s) {
  if (s->u) tcc_linalg_sweeps_end(&s->of_u), tcc_linalg_sweeps_end(&s->of_v);
}

/* d[p - 1] is 0: so becomes e[p - 2]. */
static void chase_up(Svd *s, int64_t k, int64_t p) {
  double f = s->e[p - 2], c, sine;
  end_sweeps(s);
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
  end_sweeps(s);
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
    if (s->v) tcc_linalg_sweep_rotate(&s->of_v, j, c, sine);
    f = c * d[j] + sine * e[j], e[j] = c * e[j] - sine * d[j];
    g = sine * d[j + 1], d[j + 1] *= c;
    d[j] = rotation(f, g, &c, &sine);
    if (s->u) tcc_linalg_sweep_rotate(&s->of_u, j, c, sine);
    f = c * e[j] + sine * d[j + 1], d[j + 1] = c * d[j + 1] - sine * e[j];
    g = sine * e[j + 1], e[j + 1] *= c;
  }
  e[p - 2] = f;
  if (s->u) tcc_linalg_sweep_end(&s->of_u), tcc_linalg_sweep_end(&s->of_v);
}

static bool negligible(const Svd *s, double x, double beside) { return fabs(x) <= DBL_MIN + s->negligible * beside; }

static void make_diagonal(Svd *s) {
  double *d = s->d, *e = s->e;
  int iterations = 0;
  for (int64_t p = s->n; p > 1;) {
    int64_t k = p - 2, zero;
    while (k >= 0 && !negligible(s, e[k], fabs(d[k]) + fabs(d[k + 1]))) k--;
    if (k >= 0) e[k] = 0;
    if (k == p - 2 || ++iterations > MOST_ITERATIONS) {
      p--, iterations = 0;
      continue;
    }
    for (zero = p - 1; zero > k; zero--)
      if (negligible(s, d[zero], (zero < p - 1 ? fabs(e[zero]) : 0) + (zero > k + 1 ? fabs(e[zero - 1]) : 0))) break;
    if (zero == k) step(s, k + 1, p);
    else if (d[zero] = 0, zero == p - 1) chase_up(s, k + 1, p);
    else chase_down(s, zero + 1, p);
  }
  end_sweeps(s);
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

static Svd begin_svd(double *scratch, TccElem elem, int64_t m, int64_t n, bool full, bool vectors) {
  Svd s = {.negligible = tcc_linalg_negligible(elem),
           .m = m,
           .n = n,
           .kept = full ? m : n,
           .row = tcc_linalg_row(n),
           .row_u = tcc_linalg_row(m),
           .a = scratch};
  double **const parts[] = {&s.d, &s.e, &s.tau, &s.tau_v};
  double *at = s.a + m * s.row;
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++, at += n) *parts[i] = at;
  s.left = at, s.x = s.left + BLOCK * s.row_u, s.y = s.x + BLOCK * s.row_u, at = s.y + BLOCK * s.row;
  if (!vectors) return s;
  s.u = at, s.v = at + s.kept * s.row_u;
  s.product = tcc_linalg_reflectors_begin(&s.block, s.v + n * s.row, m);
  return s;
}

/* False: there are elements that are no finite numbers. */
static bool read(Svd *s, TccElem elem, const void *from, int64_t tile, bool turned) {
  double most = 0, sum = 0;
  for (int64_t i = 0; i < s->m; i++)
    for (int64_t j = 0; j < s->n; j++) {
      const int64_t at = turned ? (tile * s->n + j) * s->m + i : (tile * s->m + i) * s->n + j;
      const double x = s->a[i * s->row + j] = tcc_linalg_get(elem, from, at);
      most = fmax(most, fabs(x)), sum += x * 0;
    }
  s->scale = tcc_linalg_scale(most);
  for (int64_t i = 0; s->scale != 1 && i < s->m; i++)
    for (int64_t j = 0; j < s->n; j++) s->a[i * s->row + j] *= s->scale;
  return sum == 0;
}

static void decompose(Svd *s, bool finite) {
  if (finite) {
    make_bidiagonal(s);
    if (s->v) make_vectors(s);
    if (s->v)
      tcc_linalg_sweeps_begin(&s->of_v, tcc_linalg_sweeps_begin(&s->of_u, s->product, s->u, s->n, s->m, s->row_u), s->v, s->n, s->n,
                              s->row);
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
  Svd s = begin_svd((double *)(order + least), elem, turned ? n : m, least, sizes[TCC_LINALG_OPTION] != 0, vectors);
  for (int64_t tile = begin; tile < end; tile++) {
    decompose(&s, read(&s, elem, arguments[sizes[TCC_LINALG_OPERAND]], tile, turned));
    sort(&s, order);
    for (int64_t i = 0; out[1] && i < least; i++)
      tcc_linalg_put(elem, arguments[out[1]], tile * least + i, s.d[order[i]] / s.scale);
    if (vectors) write_vectors(&s, elem, out[0] ? arguments[out[0]] : NULL, out[2] ? arguments[out[2]] : NULL, tile, order, turned);
  }
}

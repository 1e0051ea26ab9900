/* linalg.c - factorisations of matrices, an element at a time. They are other algorithms than the run-time's (lib/runtime/linalg_*.c) where there are
 * others: eigenvectors and singular vectors by rotations of two columns at a time (Jacobi 1846; Hestenes 1958). */
#include "lib/interp/internal.h"
#include <math.h>

typedef struct {
  int64_t count, m, n;
} Matrices;

static Matrices matrices_of(const TccArray *a) {
  return (Matrices){tcc_product(a->dims, 0, a->rank - 2), a->dims[a->rank - 2], a->dims[a->rank - 1]};
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

/* `rows` rows of n numbers for an op; NULL: no memory. */
static double *numbers(TccEval *e, int64_t rows, int64_t n) {
  return tcc_interp_scratch(e, (size_t)(rows * n + 1) * sizeof(double));
}

static void exchange(TccCell *a, int64_t n, int64_t i, int64_t j) {
  for (int64_t c = 0; i != j && c < n; c++) {
    TccCell held = a[i * n + c];
    a[i * n + c] = a[j * n + c], a[j * n + c] = held;
  }
}

TccStatus *tcc_eval_lu(TccEval *e) {
  const TccArray *x = e->in[0];
  const Matrices s = matrices_of(x);
  const int64_t steps = least(s.m, s.n);
  for (int64_t k = 0; k < s.count; k++) {
    TccCell *a = e->out[0]->at + k * s.m * s.n, *pivots = e->out[1]->at + k * steps, *info = e->out[2]->at + k;
    for (int64_t i = 0; i < s.m * s.n; i++) a[i] = x->at[k * s.m * s.n + i];
    info->i = 0;
    for (int64_t j = 0; j < steps; j++) {
      int64_t best = j;
      for (int64_t i = j + 1; i < s.m; i++)
        if (fabs(a[i * s.n + j].f) > fabs(a[best * s.n + j].f)) best = i;
      pivots[j].i = best + 1;
      exchange(a, s.n, j, best);
      if (a[j * s.n + j].f == 0) {
        if (!info->i) info->i = j + 1;
        continue;
      }
      for (int64_t i = j + 1; i < s.m; i++) {
        a[i * s.n + j].f /= a[j * s.n + j].f;
        for (int64_t c = j + 1; c < s.n; c++) a[i * s.n + c].f -= a[i * s.n + j].f * a[j * s.n + c].f;
      }
    }
  }
  return NULL;
}

TccStatus *tcc_eval_pivots_to_permutation(TccEval *e) {
  const TccArray *pivots = e->in[0];
  TccArray *r = e->out[0];
  const int64_t steps = pivots->dims[pivots->rank - 1], n = r->dims[r->rank - 1], count = tcc_product(r->dims, 0, r->rank - 1);
  for (int64_t k = 0; k < count; k++) {
    for (int64_t i = 0; i < n; i++) r->at[k * n + i].i = i;
    for (int64_t i = 0; i < least(steps, n); i++) {
      const int64_t other = pivots->at[k * steps + i].i - 1;
      if (other < 0 || other >= n) continue;
      exchange(r->at + k * n, 1, i, other);
    }
  }
  return NULL;
}

TccStatus *tcc_eval_cholesky(TccEval *e) {
  const TccArray *x = e->in[0];
  const Matrices s = matrices_of(x);
  for (int64_t k = 0; k < s.count; k++) {
    const TccCell *a = x->at + k * s.n * s.n;
    TccCell *r = e->out[0]->at + k * s.n * s.n, *info = e->out[1]->at + k;
    info->i = 0;
    for (int64_t i = 0; i < s.n; i++)
      for (int64_t j = 0; j < s.n; j++) r[i * s.n + j].f = j <= i ? a[i * s.n + j].f : 0;
    for (int64_t j = 0; j < s.n && !info->i; j++) {
      for (int64_t i = j; i < s.n; i++)
        for (int64_t p = 0; p < j; p++) r[i * s.n + j].f -= r[i * s.n + p].f * r[j * s.n + p].f;
      if (!(r[j * s.n + j].f > 0)) info->i = j + 1;
      const double root = sqrt(r[j * s.n + j].f);
      for (int64_t i = j; i < s.n && !info->i; i++) r[i * s.n + j].f /= root;
    }
  }
  return NULL;
}

/* Column j of a from row `first` on loses factor v (v' column), v being 1 and then column `of` of `from`. */
static void reflect(TccCell *a, const TccCell *from, int64_t m, int64_t n, int64_t first, int64_t of, int64_t j, double factor) {
  double sum = 0;
  for (int64_t i = first; i < m; i++) sum += (i == first ? 1 : from[i * n + of].f) * a[i * n + j].f;
  for (int64_t i = first; i < m; i++) a[i * n + j].f -= factor * sum * (i == first ? 1 : from[i * n + of].f);
}

TccStatus *tcc_eval_geqrf(TccEval *e) {
  const TccArray *x = e->in[0];
  const Matrices s = matrices_of(x);
  const int64_t steps = least(s.m, s.n);
  for (int64_t k = 0; k < s.count; k++) {
    TccCell *a = e->out[0]->at + k * s.m * s.n, *tau = e->out[1]->at + k * steps;
    for (int64_t i = 0; i < s.m * s.n; i++) a[i] = x->at[k * s.m * s.n + i];
    for (int64_t j = 0; j < steps; j++) {
      double rest = 0, alpha = a[j * s.n + j].f;
      for (int64_t i = j + 1; i < s.m; i++) rest = hypot(rest, a[i * s.n + j].f);
      tau[j].f = 0;
      if (rest == 0) continue;
      const double beta = -copysign(hypot(alpha, rest), alpha);
      tau[j].f = (beta - alpha) / beta;
      for (int64_t i = j + 1; i < s.m; i++) a[i * s.n + j].f /= alpha - beta;
      a[j * s.n + j].f = beta;
      for (int64_t c = j + 1; c < s.n; c++) reflect(a, a, s.m, s.n, j, j, c, tau[j].f);
    }
  }
  return NULL;
}

TccStatus *tcc_eval_householder_product(TccEval *e) {
  const TccArray *x = e->in[0], *tau = e->in[1];
  const Matrices s = matrices_of(x);
  const int64_t steps = tau->dims[tau->rank - 1];
  if (steps > s.n || s.n > s.m) return TCC_ERROR(TCC_INVALID, "more reflectors than columns, or more columns than rows");
  for (int64_t k = 0; k < s.count; k++) {
    const TccCell *a = x->at + k * s.m * s.n;
    TccCell *r = e->out[0]->at + k * s.m * s.n;
    for (int64_t i = 0; i < s.m * s.n; i++) r[i].f = i / s.n == i % s.n;
    for (int64_t j = steps; j-- > 0;)
      for (int64_t c = 0; c < s.n; c++) reflect(r, a, s.m, s.n, j, j, c, tau->at[k * steps + j].f);
  }
  return NULL;
}

/* ---- rotations ---- */
static void rotate(double *x, double *y, int64_t n, double cosine, double sine) {
  for (int64_t i = 0; i < n; i++) {
    const double a = x[i], b = y[i];
    x[i] = cosine * a - sine * b, y[i] = sine * a + cosine * b;
  }
}

/* The rotation that makes [[a, b], [b, c]] diagonal, by the smaller angle. */
static void jacobi(double a, double b, double c, double *cosine, double *sine) {
  const double zeta = (c - a) / (2 * b), t = copysign(1, zeta) / (fabs(zeta) + hypot(1, zeta));
  *cosine = 1 / hypot(1, t), *sine = *cosine * t;
}

static bool is_turned(const double *x, int64_t n) {
  double most = 0;
  int64_t i = 0;
  for (int64_t j = 0; j < n; j++) most = fmax(most, fabs(x[j]));
  while (i < n && !(fabs(x[i]) >= 0.61 * most)) i++;
  return i < n && x[i] < 0;
}

/* order: the places of n numbers, the least (the largest) first. */
static void sort(const double *values, int64_t n, bool descending, double *order) {
  for (int64_t i = 0; i < n; i++) {
    int64_t j = i;
    for (; j > 0; j--) {
      const double before = values[(int64_t)order[j - 1]];
      if (descending ? !(before < values[i]) : !(before > values[i])) break;
      order[j] = order[j - 1];
    }
    order[j] = (double)i;
  }
}

enum { SWEEPS = 60 };

static void not_numbers(TccArray *r, int64_t at, int64_t count) {
  for (int64_t i = 0; i < count; i++) r->at[at + i].f = NAN;
}

/* a [n, n] becomes diagonal, rows of z, which are the identity at first, eigenvectors. */
static void diagonalise(double *a, double *z, int64_t n) {
  bool done = false;
  for (int sweep = 0; !done && sweep < SWEEPS; sweep++) {
    done = true;
    for (int64_t p = 0; p < n; p++)
      for (int64_t q = p + 1; q < n; q++) {
        double c, sine, b = a[p * n + q];
        if (fabs(b) <= 0x1p-60 * sqrt(fabs(a[p * n + p] * a[q * n + q])) || fabs(b) < 1e-300) continue;
        done = false;
        jacobi(a[p * n + p], b, a[q * n + q], &c, &sine);
        rotate(a + p * n, a + q * n, n, c, sine);
        for (int64_t i = 0; i < n; i++) rotate(a + i * n + p, a + i * n + q, 1, c, sine);
        rotate(z + p * n, z + q * n, n, c, sine);
      }
  }
}

TccStatus *tcc_eval_eigh(TccEval *e) {
  const TccArray *x = e->in[0];
  const int64_t n = matrices_of(x).n, count = matrices_of(x).count;
  double *a = numbers(e, n, n), *z = numbers(e, n, n), *values = numbers(e, n, 1), *order = numbers(e, n, 1);
  if (!a || !z || !values || !order) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (int64_t k = 0; k < count; k++) {
    bool finite = true;
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = 0; j < n; j++) {
        a[i * n + j] = x->at[k * n * n + (i > j ? i * n + j : j * n + i)].f, z[i * n + j] = i == j;
        finite &= isfinite(a[i * n + j]) != 0;
      }
    if (!finite) {
      not_numbers(e->out[0], k * n, n), not_numbers(e->out[1], k * n * n, n * n);
      continue;
    }
    diagonalise(a, z, n);
    for (int64_t i = 0; i < n; i++) values[i] = a[i * n + i];
    sort(values, n, false, order);
    for (int64_t i = 0; i < n; i++) {
      const double *vector = z + (int64_t)order[i] * n, sign = is_turned(vector, n) ? -1 : 1;
      e->out[0]->at[k * n + i].f = values[(int64_t)order[i]];
      for (int64_t j = 0; j < n; j++) e->out[1]->at[(k * n + j) * n + i].f = sign * vector[j];
    }
  }
  return NULL;
}

/* ---- singular values ---- */
typedef struct {
  int64_t m, n, kept;        /* m >= n; vectors of m numbers that are wanted */
  double *u, *v, *s, *order; /* rows: [kept, m] and [n, n] */
} Svd;

/* Rows of u, at first the columns of the matrix, become orthogonal to each other, and those of v what makes them so. */
static void orthogonalise(const Svd *d) {
  bool done = false;
  for (int sweep = 0; !done && sweep < SWEEPS; sweep++) {
    done = true;
    for (int64_t p = 0; p < d->n; p++)
      for (int64_t q = p + 1; q < d->n; q++) {
        double a = 0, b = 0, c = 0, cosine, sine, *x = d->u + p * d->m, *y = d->u + q * d->m;
        for (int64_t i = 0; i < d->m; i++) a += x[i] * x[i], b += x[i] * y[i], c += y[i] * y[i];
        if (fabs(b) <= 0x1p-52 * sqrt(a * c) || fabs(b) < 1e-300) continue;
        done = false;
        jacobi(a, b, c, &cosine, &sine);
        rotate(x, y, d->m, cosine, sine);
        rotate(d->v + p * d->n, d->v + q * d->n, d->n, cosine, sine);
      }
  }
  for (int64_t i = 0; i < d->n; i++) {
    double sum = 0;
    for (int64_t j = 0; j < d->m; j++) sum = hypot(sum, d->u[i * d->m + j]);
    d->s[i] = sum;
  }
}

/* Row i of u, which nothing decides, as a unit vector that is orthogonal to rows 0 to i - 1 in that order. */
static void complete(const Svd *d, double *u, int64_t i) {
  double size = 0, *x = u + i * d->m;
  for (int64_t axis = 0; size < 0.5 / sqrt((double)d->m) && axis < d->m; axis++) {
    for (int64_t j = 0; j < d->m; j++) x[j] = j == axis;
    for (int again = 0; again < 2; again++)
      for (int64_t r = 0; r < i; r++) {
        double sum = 0;
        for (int64_t j = 0; j < d->m; j++) sum += u[r * d->m + j] * x[j];
        for (int64_t j = 0; j < d->m; j++) x[j] -= sum * u[r * d->m + j];
      }
    size = 0;
    for (int64_t j = 0; j < d->m; j++) size = hypot(size, x[j]);
  }
  for (int64_t j = 0; j < d->m; j++) x[j] /= size;
}

/* sorted [kept, m]: unit vectors in the order of the values. */
static void make_left(const Svd *d, double *sorted) {
  const double most = d->n ? d->s[(int64_t)d->order[0]] : 0;
  for (int64_t i = 0; i < d->kept; i++) {
    const int64_t from = i < d->n ? (int64_t)d->order[i] : 0;
    if (i >= d->n || d->s[from] <= 0x1p-50 * most) complete(d, sorted, i);
    else
      for (int64_t j = 0; j < d->m; j++) sorted[i * d->m + j] = d->u[from * d->m + j] / d->s[from];
  }
}

/* Where turned, u and vh change places. */
static void put_vectors(TccEval *e, const Svd *d, const double *left, int64_t k, bool turned) {
  const Matrices s = matrices_of(e->in[0]);
  const int64_t kept_u = turned ? d->n : d->kept, kept_v = turned ? d->kept : d->n;
  for (int64_t i = 0; i < d->kept; i++) {
    const double *x = left + i * d->m, *y = i < d->n ? d->v + (int64_t)d->order[i] * d->n : NULL;
    const double *of_u = turned ? y : x, *of_v = turned ? x : y;
    const double sign = of_u && of_v && is_turned(of_v, s.n) ? -1 : 1;
    for (int64_t j = 0; of_u && j < s.m; j++) e->out[0]->at[(k * s.m + j) * kept_u + i].f = sign * of_u[j];
    for (int64_t j = 0; of_v && j < s.n; j++) e->out[2]->at[(k * kept_v + i) * s.n + j].f = sign * of_v[j];
  }
}

TccStatus *tcc_eval_svd(TccEval *e) {
  const TccArray *x = e->in[0];
  const Matrices s = matrices_of(x);
  const bool turned = s.m < s.n;
  Svd d = {.m = turned ? s.n : s.m, .n = least(s.m, s.n)};
  d.kept = tcc_bool(e->ir, e->op, "full") ? d.m : d.n;
  d.u = numbers(e, d.n, d.m), d.v = numbers(e, d.n, d.n), d.s = numbers(e, d.n, 1), d.order = numbers(e, d.n, 1);
  double *left = numbers(e, d.kept, d.m);
  if (!d.u || !d.v || !d.s || !d.order || !left) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (int64_t k = 0; k < s.count; k++) {
    const TccCell *a = x->at + k * s.m * s.n;
    bool finite = true;
    for (int64_t i = 0; i < d.n; i++)
      for (int64_t j = 0; j < d.m; j++) {
        d.u[i * d.m + j] = turned ? a[i * s.n + j].f : a[j * s.n + i].f;
        finite &= isfinite(d.u[i * d.m + j]) != 0;
      }
    for (int64_t i = 0; i < d.n * d.n; i++) d.v[i] = i / d.n == i % d.n;
    if (!finite) {
      for (int i = 0; i < 3; i++) {
        const int64_t each = s.count ? e->out[i]->count / s.count : 0;
        not_numbers(e->out[i], k * each, each);
      }
      continue;
    }
    orthogonalise(&d);
    sort(d.s, d.n, true, d.order);
    for (int64_t i = 0; i < d.n; i++) e->out[1]->at[k * d.n + i].f = d.s[(int64_t)d.order[i]];
    make_left(&d, left);
    put_vectors(e, &d, left, k, turned);
  }
  return NULL;
}

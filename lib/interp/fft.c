/* fft.c - discrete Fourier transforms, as the sums that define them. */
#include "lib/interp/internal.h"
#include <math.h>

typedef struct {
  int64_t outer, inner;
  double *cosine, *sine; /* of 2 pi k / n */
} Lines;

static bool find_lines(TccEval *e, const TccArray *x, int64_t n, Lines *out) {
  const int64_t axis = tcc_i64(e->ir, e->op, "axis");
  *out = (Lines){tcc_product(x->dims, 0, (int)axis), tcc_product(x->dims, (int)axis + 1, x->rank), NULL, NULL};
  out->cosine = tcc_interp_scratch(e, (size_t)(2 * n + 1) * sizeof(double));
  if (!out->cosine) return false;
  out->sine = out->cosine + n;
  for (int64_t k = 0; k < n; k++) {
    const double angle = 2 * 3.14159265358979323846 * (double)k / (double)n;
    out->cosine[k] = cos(angle), out->sine[k] = sin(angle);
  }
  return true;
}

TccStatus *tcc_eval_fft(TccEval *e) {
  const TccArray *x = e->in[0], *y = e->in[1];
  const int64_t axis = tcc_i64(e->ir, e->op, "axis"), n = x->dims[axis], bins = e->out[0]->dims[axis];
  const double sign = tcc_bool(e->ir, e->op, "inverse") ? 1 : -1;
  Lines l;
  if (!find_lines(e, x, n, &l)) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  if (y && y->count != x->count) return TCC_ERROR(TCC_INVALID, "x and y have other shapes");
  for (int64_t line = 0; line < l.outer * l.inner; line++) {
    const int64_t from = line / l.inner * l.inner * n + line % l.inner, to = line / l.inner * l.inner * bins + line % l.inner;
    for (int64_t k = 0; k < bins; k++) {
      double re = 0, im = 0;
      for (int64_t j = 0, at = 0; j < n; j++, at = (at + k) % n) {
        const double a = x->at[from + j * l.inner].f, b = y ? y->at[from + j * l.inner].f : 0, c = l.cosine[at],
                     s = sign * l.sine[at];
        re += a * c - b * s, im += a * s + b * c;
      }
      e->out[0]->at[to + k * l.inner].f = re, e->out[1]->at[to + k * l.inner].f = im;
    }
  }
  return NULL;
}

TccStatus *tcc_eval_irfft(TccEval *e) {
  const TccArray *x = e->in[0], *y = e->in[1];
  const int64_t axis = tcc_i64(e->ir, e->op, "axis"), bins = x->dims[axis], n = e->out[0]->dims[axis];
  Lines l;
  if (!find_lines(e, x, n, &l)) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  if (bins != n / 2 + 1 || (y && y->count != x->count)) return TCC_ERROR(TCC_INVALID, "x and y have other shapes");
  for (int64_t line = 0; line < l.outer * l.inner; line++) {
    const int64_t from = line / l.inner * l.inner * bins + line % l.inner, to = line / l.inner * l.inner * n + line % l.inner;
    for (int64_t j = 0; j < n; j++) {
      double sum = 0;
      for (int64_t k = 0; k < bins; k++) {
        const bool twice = k > 0 && 2 * k != n;
        const int64_t at = j * k % n;
        const double a = x->at[from + k * l.inner].f, b = y && twice ? y->at[from + k * l.inner].f : 0;
        sum += (twice ? 2 : 1) * (a * l.cosine[at] - b * l.sine[at]);
      }
      e->out[0]->at[to + j * l.inner].f = sum;
    }
  }
  return NULL;
}

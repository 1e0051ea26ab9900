/* ops_polynomial.c - Hermite's, Laguerre's and Legendre's polynomials of degrees that are data: their recurrences in three terms (DLMF 18.9)
 * as a loop of the run-time, up to the largest degree. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

typedef struct {
  MlirValue x, n;
} Polynomial;

/* values: the number k (rank 0), polynomials k - 1 and k, those of the wanted degrees that were met. */
static MlirValue more(ImportCall *c, const MlirValue *values, MlirValue n) {
  return torch_any(c, tcc_build_compare(&c->b, "lt", values[0], n));
}

static MlirValue next_degree(ImportCall *c, MlirValue *values, const void *user) {
  const Polynomial *of = user;
  MlirValue k = values[0], before = torch_mul(c, values[1], k), y = values[2], one = torch_plus(c, k, 1);
  switch (c->kind) {
  case POLYNOMIAL_HERMITE_H: y = torch_times(c, torch_sub(c, torch_mul(c, of->x, y), before), 2); break;
  case POLYNOMIAL_HERMITE_HE: y = torch_sub(c, torch_mul(c, of->x, y), before); break;
  case POLYNOMIAL_LAGUERRE:
    y = torch_mul(c, torch_sub(c, torch_plus(c, torch_times(c, k, 2), 1), of->x), y);
    y = torch_div(c, torch_sub(c, y, before), one);
    break;
  default: /* POLYNOMIAL_LEGENDRE */
    y = torch_mul(c, torch_mul(c, torch_plus(c, torch_times(c, k, 2), 1), of->x), y);
    y = torch_div(c, torch_sub(c, y, before), one);
    break;
  }
  values[1] = values[2], values[2] = y, values[0] = one;
  values[3] = torch_if(c, tcc_build_compare(&c->b, "eq", of->n, one), y, values[3]);
  return more(c, values, of->n);
}

/* kind: which. Of a negative degree 0. Hermite's overflow beyond a degree: NaN, as torch. */
bool torch_op_polynomial(ImportCall *c) {
  static const char *const names[] = {"x", "n"};
  enum { MOST_HERMITE_F32 = 128, MOST_HERMITE_F64 = 512 };
  MlirValue v[2];
  ImportShape shape;
  TccElem elem = torch_result(c, 0);
  if (!elem || !torch_operands(c, names, 2, TCC_ELEM_F64, v, &shape)) return false;
  const bool hermite = c->kind == POLYNOMIAL_HERMITE_H || c->kind == POLYNOMIAL_HERMITE_HE;
  const int most = elem == TCC_ELEM_F64 ? MOST_HERMITE_F64 : MOST_HERMITE_F32;
  MlirValue n = tcc_build1(&c->b, TCC_OP_TRUNC, v[1]), far = torch_is(c, "gt", n, most);
  MlirValue finite = torch_is(c, "lt", tcc_build1(&c->b, TCC_OP_ABS, n), INFINITY);
  Polynomial of = {v[0], torch_if_number(c, hermite ? torch_is(c, "le", n, most) : finite, n, -1)};
  MlirValue zero = torch_filled(c, torch_constant(c, TCC_ELEM_F64, 0), shape.rank, shape.dims), one = torch_plus(c, zero, 1);
  MlirValue values[] = {torch_constant(c, TCC_ELEM_F64, 0), zero, one, torch_if(c, torch_is(c, "eq", of.n, 0), one, zero)};
  if (!torch_iterate(c, more(c, values, of.n), values, 4, next_degree, &of)) return false;
  MlirValue y = values[3];
  if (hermite) y = torch_if(c, far, torch_constant(c, TCC_ELEM_F64, NAN), y);
  return torch_answer(c, y);
}

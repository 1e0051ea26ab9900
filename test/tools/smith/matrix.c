/* matrix.c - factorisations of matrices that are far from singular, and whose factors are what small errors leave as they are.
 *
 * A matrix is d on its diagonal and at most SMALL beside it, with rows in any order where the op finds them again. Columns are dominated by
 * their diagonal, so that elimination finds it largest in each step, whatever rounding does (Higham, Accuracy and Stability of Numerical
 * Algorithms, theorem 9.9), and growth is 2 at most; values on the diagonal are 2 apart where the op is about eigenvalues, so that vectors
 * turn by less than an error, and the first large element of each is its own. */
#include "test/tools/smith/ops.h"

enum { MOST = 6, DIAGONAL = 4 };
#define SMALL 0.25

typedef struct {
  size_t value;
  SmithValue is;
  int64_t m, n;
  double most;  /* element */
  double error; /* of what is made of it: its own, and rounding */
} Matrix;

static bool is_matrix(const SmithValue *v, const void *more) {
  (void)more;
  if ((v->elem != TCC_ELEM_F32 && v->elem != TCC_ELEM_F64) || v->rank < 2 || v->rank > 3) return false;
  const int64_t m = v->dims[v->rank - 2], n = v->dims[v->rank - 1];
  return m > 0 && n > 0 && m <= MOST && n <= MOST;
}

/* A value that is there, made small, or a leaf. */
static size_t any_part(SmithGraph *g, bool square) {
  const size_t found = smith_chance(g, 60) ? smith_pick(g, is_matrix, NULL) : SIZE_MAX;
  const SmithValue *v = found == SIZE_MAX ? NULL : &g->values[found];
  if (v && (!square || v->dims[v->rank - 2] == v->dims[v->rank - 1])) return smith_bring_below(g, found, SMALL / 2);
  const int64_t n = 1 + (int64_t)smith_random(g, MOST), m = square ? n : 1 + (int64_t)smith_random(g, MOST);
  const int64_t dims[] = {smith_chance(g, 50) ? g->symbol : 2, m, n};
  const int rank = 2 + (int)smith_random(g, 2);
  return smith_leaf(g, smith_chance(g, 70) ? TCC_ELEM_F32 : TCC_ELEM_F64, rank, dims + 3 - rank, false, -SMALL / 2, SMALL / 2,
                    true);
}

/* DIAGONAL plus 2 i for each row i of a matrix if `apart`, and beside it numbers from SMALL / 8 to SMALL / 2: no column has exact zeros. */
static size_t diagonal(SmithGraph *g, TccElem elem, int64_t m, int64_t n, bool apart) {
  double values[MOST * MOST];
  for (int64_t i = 0; i < m; i++)
    for (int64_t j = 0; j < n; j++)
      values[i * n + j] =
          i == j ? DIAGONAL + (apart ? 2 * (double)i : 0) : SMALL / 8 + SMALL * 3 / 8 * (double)smith_random(g, 1000) / 1000;
  return smith_leaf_of(g, elem, 2, (int64_t[]){m, n}, false, values);
}

/* Rows in another order. */
static size_t shuffled(SmithGraph *g, size_t a) {
  const SmithValue x = g->values[a];
  const int64_t m = x.dims[x.rank - 2];
  double order[MOST];
  char attributes[60];
  for (int64_t i = 0; i < m; i++) order[i] = (double)i;
  for (int64_t i = m - 1; i > 0; i--) {
    const size_t k = smith_random(g, (uint64_t)i + 1);
    const double kept = order[i];
    order[i] = order[k], order[k] = kept;
  }
  const size_t rows = smith_leaf_of(g, TCC_ELEM_I64, 1, &m, true, order);
  if (rows == SIZE_MAX) return rows;
  snprintf(attributes, sizeof attributes, "{axis = %d : i64}", x.rank - 2);
  return smith_op(g, "tcc.gather", (size_t[]){a, rows}, 2, attributes, rule_tells, false, x.bound, x.error);
}

static bool make(SmithGraph *g, bool square, bool apart, bool any_order, Matrix *out) {
  const size_t part = any_part(g, square);
  if (part == SIZE_MAX || !is_matrix(&g->values[part], NULL)) return false;
  const SmithValue x = g->values[part];
  out->m = x.dims[x.rank - 2], out->n = x.dims[x.rank - 1];
  const size_t d = diagonal(g, x.elem, out->m, out->n, apart);
  out->most = DIAGONAL + 2 * MOST + SMALL;
  if (d == SIZE_MAX) return false;
  size_t a = smith_op(g, "tcc.add", (size_t[]){part, d}, 2, "", rule_tells, false, out->most,
                      smith_rounded(g, part, x.error, 1, out->most));
  if (a != SIZE_MAX && any_order && smith_chance(g, 60)) a = shuffled(g, a);
  if (a == SIZE_MAX) return false;
  out->value = a, out->is = g->values[a];
  out->error = smith_rounded(g, a, 8 * out->is.error, 64, out->most);
  return true;
}

void smith_add_lu(SmithGraph *g) {
  Matrix a;
  if (!make(g, smith_chance(g, 50), false, true, &a)) return;
  const SmithFact facts[] = {{.bound = 2 * a.most, .error = a.error},
                             {.integral = true, .certain = true, .bound = (double)a.m},
                             {.integral = true, .certain = true}};
  const size_t lu = smith_op_with(g, "tcc.lu", &a.value, 1, "", rule_tells, facts);
  if (lu == SIZE_MAX || smith_chance(g, 30)) return;
  char attributes[40];
  snprintf(attributes, sizeof attributes, "{size = [%d]}", (int)a.m);
  smith_op(g, "tcc.pivots_to_permutation", (size_t[]){lu + 1}, 1, attributes, rule_tells, true, (double)a.m, 0);
}

void smith_add_cholesky(SmithGraph *g) {
  Matrix a;
  if (!make(g, true, false, false, &a)) return;
  smith_op_with(g, "tcc.cholesky", &a.value, 1, "", rule_tells,
                (SmithFact[]){{.bound = 4, .error = a.error}, {.integral = true, .certain = true}});
}

/* Reflectors, and often what they multiply to. */
void smith_add_geqrf(SmithGraph *g) {
  Matrix a;
  if (!make(g, false, false, false, &a)) return;
  const size_t r = smith_op_with(g, "tcc.geqrf", &a.value, 1, "", rule_tells,
                                 (SmithFact[]){{.bound = 2 * a.most, .error = a.error}, {.bound = 2, .error = a.error}});
  if (r == SIZE_MAX || a.n > a.m || smith_chance(g, 30)) return;
  smith_op(g, "tcc.householder_product", (size_t[]){r, r + 1}, 2, "", rule_tells, false, 1, 4 * a.error);
}

void smith_add_eigh(SmithGraph *g) {
  Matrix a;
  if (!make(g, true, true, false, &a)) return;
  smith_op_with(g, "tcc.eigh", &a.value, 1, "", rule_tells,
                (SmithFact[]){{.bound = 2 * a.most, .error = a.error}, {.bound = 1, .error = 2 * a.error}});
}

/* Full: what is beside the first columns of u or rows of vh may be any basis. */
void smith_add_svd(SmithGraph *g) {
  Matrix a;
  if (!make(g, false, true, true, &a)) return;
  const bool full = smith_chance(g, 40);
  smith_op_with(g, "tcc.svd", &a.value, 1, full ? "{full = true}" : "", rule_tells,
                (SmithFact[]){{.bound = 1, .error = 2 * a.error, .hidden = full && a.m > a.n},
                              {.bound = 2 * a.most, .error = a.error},
                              {.bound = 1, .error = 2 * a.error, .hidden = full && a.n > a.m}});
}

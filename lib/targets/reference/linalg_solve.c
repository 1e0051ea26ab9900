/* linalg_solve.c - triangular systems as loops in scf: over matrices, steps of the substitution and columns, with the solution so far as a tensor
 * that they carry; the right side is what it holds at first. */
#include "lib/targets/reference/linalg_text.h"

typedef struct {
  LinalgText *t;
  MlirOperation op;
  MlirType type; /* of the right side and the solution */
  TccElem elem;
  bool upper;
  int rank, zero, one, rows, iv[TCC_MAX_RANK]; /* iv[rank - 2]: the step */
} Solve;

static void put_yield(const Solve *s, int value) {
  linalg_put(s->t, "  scf.yield %%v%d : ", value);
  linalg_put_type(s->t, s->type);
  linalg_put(s->t, "\n  }\n");
}

/* Element [matrix, row, column] of the carried tensor: what stands in the brackets, and the type. */
static void put_place(const Solve *s, int row) {
  for (int a = 0; a < s->rank; a++) linalg_put(s->t, "%s%%v%d", a ? ", " : "", a == s->rank - 2 ? row : s->iv[a]);
  linalg_put(s->t, "] : ");
  linalg_put_type(s->t, s->type);
  linalg_put(s->t, "\n");
}

static int extract(const Solve *s, int carried, int row) {
  int number = linalg_text_fresh(s->t);
  linalg_put(s->t, "  %%v%d = tensor.extract %%v%d[", number, carried);
  put_place(s, row);
  return number;
}

static int row_of(const Solve *s, int step) { return s->upper ? linalg_sub(s->t, linalg_sub(s->t, s->rows, s->one), step) : step; }

static int element(const Solve *s, int row, int column) {
  int at[TCC_MAX_RANK];
  for (int a = 0; a < s->rank - 2; a++) at[a] = s->iv[a];
  at[s->rank - 2] = row, at[s->rank - 1] = column;
  return linalg_extract(s->t, mlirOperationGetOperand(s->op, 0), at);
}

/* The carried tensor with the element that this step makes. */
static int solve_element(const Solve *s, int carried) {
  LinalgText *t = s->t;
  const char *elem = linalg_elem(s->elem);
  int row = row_of(s, s->iv[s->rank - 2]), first = extract(s, carried, row), sum = linalg_text_fresh(t), j = linalg_text_fresh(t),
      acc = linalg_text_fresh(t);
  linalg_put(t, "  %%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d) -> (%s) {\n", sum, j, s->zero,
             s->iv[s->rank - 2], s->one, acc, first, elem);
  int before = row_of(s, j), factor = element(s, row, before), x = extract(s, carried, before);
  int product = linalg_op(t, "arith.mulf %%v%d, %%v%d : %s", factor, x, elem);
  linalg_put(t, "  scf.yield %%v%d : %s\n  }\n", linalg_op(t, "arith.subf %%v%d, %%v%d : %s", acc, product, elem), elem);
  if (!tcc_bool(t->ir, s->op, "unit")) sum = linalg_op(t, "arith.divf %%v%d, %%v%d : %s", sum, element(s, row, row), elem);
  int inserted = linalg_text_fresh(t);
  linalg_put(t, "  %%v%d = tensor.insert %%v%d into %%v%d[", inserted, sum, carried);
  put_place(s, row);
  return inserted;
}

void linalg_solve(LinalgText *t, MlirOperation op) {
  MlirValue b = mlirOperationGetOperand(op, 1);
  Solve s = {.t = t, .op = op, .type = tcc_value_type(b), .upper = tcc_bool(t->ir, op, "upper")};
  s.elem = tcc_type_elem(s.type), s.rank = tcc_type_rank(s.type);
  s.zero = linalg_index_constant(t, 0), s.one = linalg_index_constant(t, 1), s.rows = linalg_dim(t, b, s.rank - 2);
  int carried = linalg_text_number(t, b), results[TCC_MAX_RANK];
  for (int d = 0; d < s.rank; d++) {
    int size = linalg_dim(t, b, d), inner = linalg_text_fresh(t);
    results[d] = linalg_text_fresh(t), s.iv[d] = linalg_text_fresh(t);
    linalg_put(t, "  %%v%d = scf.for %%v%d = %%v%d to %%v%d step %%v%d iter_args(%%v%d = %%v%d) -> (", results[d], s.iv[d], s.zero,
               size, s.one, inner, carried);
    linalg_put_type(t, s.type);
    linalg_put(t, ") {\n");
    carried = inner;
  }
  int next = solve_element(&s, carried);
  for (int d = s.rank; d-- > 0;) {
    put_yield(&s, next);
    next = results[d];
  }
  linalg_text_bind(t, mlirOperationGetResult(op, 0), next);
}

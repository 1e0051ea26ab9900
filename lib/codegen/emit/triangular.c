/* triangular.c - forward and backward substitution (Golub and Van Loan, Matrix Computations, 3.1), four rows at a time.
 *
 * Step p is row p of a lower triangle, row n - 1 - p of an upper one: then both go alike. Rows p to p + 3 first lose what the solution's rows before
 * them contribute, in registers; each of those is read once for four rows. Then the four are solved one after the other, which needs the
 * square of the matrix between them alone. What rows are left go one at a time. */
#include "lib/codegen/emit/triangular.h"
#include "tcc/op_kinds.h"

TccStatus *tcc_triangular_op(TccIr *ir, MlirOperation kernel, MlirOperation *out) {
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel)), op = {NULL};
  if (mlirOperationGetNumOperands(end) == 1) op = tcc_value_op(mlirOperationGetOperand(end, 0));
  if (mlirOperationIsNull(op) || tcc_op_kind(ir, op) != TCC_OP_TRIANGULAR_SOLVE)
    return TCC_ERROR(TCC_UNSUPPORTED, "a triangular_solve that is not the one result of its kernel");
  *out = op;
  return NULL;
}

static TccVal row_of(TccEmit *e, const TccTriangular *t, TccVal step) {
  return t->upper ? tcc_emit_sub(e, tcc_emit_sub(e, t->rows, tcc_emit_i64(e, 1)), step) : step;
}

static TccVal place(TccEmit *e, const TccTriangular *t, TccVal base, TccVal row, int vector) {
  return tcc_emit_gep(e, t->elem, base, tcc_emit_add(e, tcc_emit_mul(e, row, t->width), tcc_emit_i64(e, vector * t->lanes)));
}

static TccVal load(TccEmit *e, const TccTriangular *t, TccVal base, TccVal row, int vector) {
  return tcc_emit_masked_load(e, t->type, place(e, t, base, row, vector), t->mask[vector]);
}

/* a[row, column] in all lanes */
static TccVal element(TccEmit *e, const TccTriangular *t, TccVal row, TccVal column) {
  TccVal at = tcc_emit_add(e, tcc_emit_mul(e, row, t->rows), column);
  return tcc_emit_splat(e, t->type, tcc_emit_load(e, t->elem, tcc_emit_gep(e, t->elem, t->a, at)));
}

/* sum - factor * x */
static TccVal less(TccEmit *e, const TccTriangular *t, TccVal sum, TccVal factor, TccVal x) {
  TccVal negated = tcc_emit_bin(e, "fsub", t->type, tcc_emit_float(e, t->type, -0.0), factor);
  return tcc_emit_fma(e, t->type, negated, x, sum);
}

/* Steps `step` to step + count - 1. */
static void solve_rows(TccEmit *e, const TccTriangular *t, TccVal step, int count) {
  TccVal row[TCC_TRIANGULAR_ROWS], sum[TCC_TRIANGULAR_ROWS * TCC_TRIANGULAR_VECTORS];
  const char *types[TCC_TRIANGULAR_ROWS * TCC_TRIANGULAR_VECTORS];
  const int n = count * t->vectors;
  TccLoop loop;
  for (int i = 0; i < count; i++) {
    row[i] = row_of(e, t, tcc_emit_add(e, step, tcc_emit_i64(e, i)));
    for (int v = 0; v < t->vectors; v++) sum[i * t->vectors + v] = load(e, t, t->b, row[i], v), types[i * t->vectors + v] = t->type;
  }
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), step, 1, n, sum, types);
  TccVal before = row_of(e, t, loop.iv), x[TCC_TRIANGULAR_VECTORS], next[TCC_TRIANGULAR_ROWS * TCC_TRIANGULAR_VECTORS];
  for (int v = 0; v < t->vectors; v++) x[v] = load(e, t, t->to, before, v);
  for (int i = 0; i < count; i++) {
    TccVal factor = element(e, t, row[i], before);
    for (int v = 0; v < t->vectors; v++) next[i * t->vectors + v] = less(e, t, loop.in[i * t->vectors + v], factor, x[v]);
  }
  tcc_emit_end_for(e, &loop, next);
  for (int i = 0; i < count; i++) {
    TccVal *mine = loop.out + i * t->vectors;
    for (int k = 0; k < i; k++) {
      TccVal factor = element(e, t, row[i], row[k]);
      for (int v = 0; v < t->vectors; v++) mine[v] = less(e, t, mine[v], factor, loop.out[k * t->vectors + v]);
    }
    TccVal diagonal = t->unit ? 0 : element(e, t, row[i], row[i]);
    for (int v = 0; v < t->vectors; v++) {
      if (!t->unit) mine[v] = tcc_emit_bin(e, "fdiv", t->type, mine[v], diagonal);
      tcc_emit_masked_store(e, t->type, mine[v], place(e, t, t->to, row[i], v), t->mask[v]);
    }
  }
}

void tcc_emit_triangular(TccEmit *e, const TccTriangular *t) {
  TccVal many = tcc_emit_sub(e, t->rows, tcc_emit_rem(e, t->rows, tcc_emit_i64(e, TCC_TRIANGULAR_ROWS)));
  TccLoop loop;
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), many, TCC_TRIANGULAR_ROWS, 0, NULL, NULL);
  solve_rows(e, t, loop.iv, TCC_TRIANGULAR_ROWS);
  tcc_emit_end_for(e, &loop, NULL);
  tcc_emit_for(e, &loop, many, t->rows, 1, 0, NULL, NULL);
  solve_rows(e, t, loop.iv, 1);
  tcc_emit_end_for(e, &loop, NULL);
}

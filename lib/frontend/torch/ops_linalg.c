/* ops_linalg.c - what follows from LU and Cholesky factorisations: determinants, inverses, solutions.
 *
 * For determinants of matrices that lie in row-major order torch factors the transposed ones, which LAPACK reads as they lie; what it gives beside
 * the determinants, and hands to the derivative's graph, is that factorisation (aten/src/ATen/native/BatchLinearAlgebra.cpp). */
#include "lib/frontend/torch/ops_linalg.h"
#include "lib/frontend/torch/import_complex.h"
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "tcc/op_kinds.h"
#include <math.h>

MlirValue torch_matrices(ImportCall *c, const char *name) {
  MlirValue x = torch_tensor(c, name);
  ImportShape s = import_shape(c, x);
  if (!x.ptr) return x;
  if (s.elem != TCC_ELEM_F32 && s.elem != TCC_ELEM_F64)
    return import_unsupported(c, "a factorisation of %s", tcc_elem_name(s.elem)), (MlirValue){NULL};
  if (s.rank < 2) return import_invalid(c, "a matrix of rank less than 2"), (MlirValue){NULL};
  return x;
}

static MlirValue first_argument(ImportCall *c) { return torch_matrices(c, torch_has_parameter(c, "A") ? "A" : "self"); }

MlirValue torch_product(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_MATMUL, a, b); }

/* Of one batch. */
static MlirValue solution(ImportCall *c, MlirValue triangle, MlirValue b, bool upper, bool unit) {
  MlirValue operands[] = {triangle, b};
  TccNamedAttr attrs[] = {{"upper", tcc_attr_bool(c->ir, upper)}, {"unit", tcc_attr_bool(c->ir, unit)}};
  return triangle.ptr && b.ptr ? import_op(c, TCC_OP_TRIANGULAR_SOLVE, operands, 2, attrs, 2) : (MlirValue){NULL};
}

static MlirValue places(ImportCall *c, const char *predicate, const TccExpr *rows, const TccExpr *columns) {
  const TccExpr *dims[] = {rows, columns};
  return tcc_build_compare(&c->b, predicate, tcc_build_iota(&c->b, TCC_ELEM_I64, 0, 2, dims),
                           tcc_build_iota(&c->b, TCC_ELEM_I64, 1, 2, dims));
}

MlirValue torch_triangle(ImportCall *c, MlirValue x, const char *predicate) {
  ImportShape s = import_shape(c, x);
  return x.ptr ? torch_if_number(c, places(c, predicate, s.dims[s.rank - 2], s.dims[s.rank - 1]), x, 0) : x;
}

MlirValue torch_identity(ImportCall *c, TccElem elem, ImportShape like, const TccExpr *rows, const TccExpr *columns) {
  like.dims[like.rank - 2] = rows, like.dims[like.rank - 1] = columns;
  return torch_filled(c, torch_convert(c, places(c, "eq", rows, columns), elem), like.rank, like.dims);
}

MlirValue torch_resized(ImportCall *c, MlirValue x, int from_end, const TccExpr *size) {
  ImportShape s = import_shape(c, x);
  if (!x.ptr) return x;
  const int axis = s.rank - from_end;
  if (tcc_expr_agree(s.dims[axis], size)) return x;
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  for (int i = 0; i < s.rank; i++) low[i] = high[i] = import_size(c, 0);
  high[axis] = import_size_sub(c, size, s.dims[axis]);
  return tcc_build_pad(&c->b, x, torch_constant(c, s.elem, 0), low, high, "constant");
}

const TccExpr *torch_least(ImportCall *c, const TccExpr *a, const TccExpr *b) {
  return tcc_expr_agree(a, b) ? a : tcc_expr_call(c->ir->exprs, TCC_EXPR_MIN, a, b);
}

bool torch_empty(ImportCall *c, size_t index) {
  ImportShape to = torch_declared(c, index);
  return !to.elem || torch_output(c, index, torch_filled(c, torch_constant(c, to.elem, 0), to.rank, to.dims));
}

/* ---- what must hold ---- */
/* What the run checks as an assertion: all of info is 0. name: "linalg.inv", ... */
static bool check_info(ImportCall *c, MlirValue info, TccStr name) {
  static const struct {
    const char *prefix, *text;
  } texts[] = {
      {"linalg.inv", "a diagonal element is zero, the inversion could not be completed because the input matrix is singular"},
      {"linalg.solve", "the solver failed because the input matrix is singular"},
      {"linalg.tensorsolve", "the solver failed because the input matrix is singular"},
      {"linalg.tensorinv", "the inversion could not be completed because the input matrix is singular"},
      {"linalg.cholesky", "the factorization could not be completed because the input is not positive-definite"},
      {"cholesky", "the factorization could not be completed because the input is not positive-definite"},
      {"", "a diagonal element is zero, using it could lead to a division by zero"},
  };
  static const char prefix[] = "torch.";
  if (tcc_str_starts(name, prefix)) name.data += sizeof prefix - 1, name.length -= sizeof prefix - 1;
  size_t i = 0;
  int64_t axes[TCC_MAX_RANK];
  const int rank = import_shape(c, info).rank;
  while (!tcc_str_starts(name, texts[i].prefix)) i++;
  for (int axis = 0; axis < rank; axis++) axes[axis] = axis;
  MlirValue holds = torch_is(c, "eq", info, 0);
  if (rank) holds = tcc_build_reduce(&c->b, "and", holds, axes, (size_t)rank, false);
  return torch_assert(c, holds, tcc_str(tcc_arena_printf(import_arena(c), "%.*s: %s", TCC_STR_ARG(name), texts[i].text)));
}

bool torch_op_check_errors(ImportCall *c) {
  MlirValue info = torch_tensor(c, "info");
  return info.ptr && check_info(c, info, torch_string(c, "api_name"));
}

/* Of an overload with the argument check_errors. */
static bool check_if_asked(ImportCall *c, MlirValue info, const char *name) {
  return !torch_has_parameter(c, "check_errors") || !torch_bool(c, "check_errors") || check_info(c, info, tcc_str(name));
}

/* ---- LU ---- */
typedef struct {
  MlirValue lu, pivots, info;
} Lu;

static Lu factor(ImportCall *c, MlirValue a) {
  MlirValue lu = a.ptr ? import_op(c, TCC_OP_LU, &a, 1, NULL, 0) : a;
  return (Lu){lu, torch_nth(lu, 1), torch_nth(lu, 2)};
}

/* [..., size] i64: which row each row was. */
static MlirValue permutation(ImportCall *c, MlirValue pivots, const TccExpr *size) {
  TccNamedAttr attr = {"size", tcc_attr_exprs(c->ir, &size, 1)};
  return pivots.ptr ? import_op(c, TCC_OP_PIVOTS_TO_PERMUTATION, &pivots, 1, &attr, 1) : pivots;
}

/* Rows of x in the order of the permutation, or, back, where they were before. */
static MlirValue permuted(ImportCall *c, MlirValue x, MlirValue order, bool back) {
  ImportShape s = import_shape(c, x), column = s;
  if (!x.ptr || !order.ptr) return (MlirValue){NULL};
  column.dims[s.rank - 1] = import_size(c, 1);
  order = torch_filled(c, tcc_build_reshape(&c->b, order, s.rank, column.dims), s.rank, s.dims);
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, s.rank - 2)};
  MlirValue given[] = {x, order}, moved[] = {torch_filled(c, torch_constant(c, s.elem, 0), s.rank, s.dims), order, x};
  return back ? import_op(c, TCC_OP_SCATTER_ELEMENTS, moved, 3, &axis, 1)
              : import_op(c, TCC_OP_GATHER_ELEMENTS, given, 2, &axis, 1);
}

/* x with the batch of `other` and its own broadcast together. */
static bool share_batch(ImportCall *c, MlirValue *x, MlirValue *other) {
  ImportShape a = import_shape(c, *x), b = import_shape(c, *other), to = {.elem = a.elem};
  if (!x->ptr || !other->ptr) return false;
  const int batch = (a.rank > b.rank ? a.rank : b.rank) - 2;
  for (int i = 0; i < batch; i++) {
    const TccExpr *p = i - batch + a.rank - 2 >= 0 ? a.dims[i - batch + a.rank - 2] : import_size(c, 1),
                  *q = i - batch + b.rank - 2 >= 0 ? b.dims[i - batch + b.rank - 2] : import_size(c, 1);
    to.dims[i] = import_is_size(p, 1) ? q : p;
  }
  to.rank = batch + 2;
  *x = torch_batched(c, *x, to), *other = torch_batched(c, *other, to);
  return x->ptr && other->ptr;
}

/* [..., k] of a batch that has become another one. */
static MlirValue batched_pivots(ImportCall *c, MlirValue pivots, ImportShape to) {
  if (!pivots.ptr) return pivots;
  const int rank = import_shape(c, pivots).rank;
  to.dims[to.rank - 2] = import_shape(c, pivots).dims[rank - 1];
  return torch_filled(c, pivots, to.rank - 1, to.dims);
}

/* x with a x = b, or, adjoint, a' x = b; of one batch: P a = L U. */
static MlirValue solve_left(ImportCall *c, const Lu *lu, MlirValue b, bool adjoint) {
  ImportShape s = import_shape(c, lu->lu);
  if (!lu->lu.ptr) return lu->lu;
  MlirValue order = permutation(c, batched_pivots(c, lu->pivots, s), s.dims[s.rank - 2]);
  if (!adjoint) return solution(c, lu->lu, solution(c, lu->lu, permuted(c, b, order, false), false, true), true, false);
  MlirValue turned = torch_turned(c, lu->lu);
  return permuted(c, solution(c, turned, solution(c, turned, b, false, false), true, true), order, true);
}

static MlirValue solve(ImportCall *c, Lu lu, MlirValue b, bool left, bool adjoint) {
  if (!share_batch(c, &lu.lu, &b)) return (MlirValue){NULL};
  return left ? solve_left(c, &lu, b, adjoint) : torch_turned(c, solve_left(c, &lu, torch_turned(c, b), !adjoint));
}

MlirValue torch_solved(ImportCall *c, MlirValue a, MlirValue b) { return solve(c, factor(c, a), b, true, false); }

/* Whether torch factors the transposed of an argument: it lies in row-major order. */
static bool is_turned(ImportCall *c, const char *name) {
  TorchTensor *x = torch_storage(c, name);
  return !x || !x->meta || torch_is_row_major(c, x->meta);
}

static Lu factor_as_torch(ImportCall *c, const char *name, MlirValue a) {
  return factor(c, is_turned(c, name) ? torch_turned(c, a) : a);
}

static MlirValue diagonal(ImportCall *c, MlirValue x) {
  const int64_t axis = import_shape(c, x).rank - 1;
  return torch_sum(c, torch_triangle(c, x, "eq"), &axis, 1, false);
}

/* 1 or -1: how many rows changed places. */
static MlirValue parity(ImportCall *c, const Lu *lu, TccElem elem) {
  ImportShape s = import_shape(c, lu->pivots);
  const int64_t axis = s.rank - 1;
  MlirValue step = torch_convert(c, torch_plus(c, tcc_build_iota(&c->b, TCC_ELEM_I64, 0, 1, &s.dims[axis]), 1), TCC_ELEM_I32);
  MlirValue moved = tcc_build_compare(&c->b, "ne", lu->pivots, step);
  MlirValue sign = torch_if(c, moved, torch_constant(c, elem, -1), torch_constant(c, elem, 1));
  return tcc_build_reduce(&c->b, "prod", sign, &axis, 1, false);
}

static bool is_square(ImportCall *c, MlirValue a) {
  ImportShape s = import_shape(c, a);
  return a.ptr && import_require_equal(c, s.dims[s.rank - 2], s.dims[s.rank - 1], "a matrix's sizes");
}

bool torch_op_det(ImportCall *c) {
  MlirValue a = first_argument(c);
  if (!is_square(c, a)) return false;
  const Lu lu = factor_as_torch(c, torch_has_parameter(c, "A") ? "A" : "self", a);
  const int64_t axis = import_shape(c, lu.pivots).rank - 1;
  if (!lu.lu.ptr) return false;
  MlirValue product = tcc_build_reduce(&c->b, "prod", diagonal(c, lu.lu), &axis, 1, false);
  if (!torch_output(c, 0, torch_mul(c, product, parity(c, &lu, tcc_value_elem(a))))) return false;
  return c->kind != DET_WITH_FACTORS || (torch_output(c, 1, lu.lu) && torch_output(c, 2, lu.pivots));
}

/* Sign and logarithm; of logdet the logarithm, NaN where the determinant is negative. */
bool torch_op_slogdet(ImportCall *c) {
  MlirValue a = first_argument(c);
  if (!is_square(c, a)) return false;
  const Lu lu = factor_as_torch(c, torch_has_parameter(c, "A") ? "A" : "self", a);
  const int64_t axis = import_shape(c, lu.pivots).rank - 1;
  if (!lu.lu.ptr) return false;
  MlirValue elements = diagonal(c, lu.lu),
            logs = torch_sum(c, tcc_build1(&c->b, TCC_OP_LOG, tcc_build1(&c->b, TCC_OP_ABS, elements)), &axis, 1, false);
  MlirValue signs = tcc_build_reduce(&c->b, "prod", tcc_build1(&c->b, TCC_OP_SIGN, elements), &axis, 1, false);
  MlirValue sign = torch_mul(c, signs, parity(c, &lu, tcc_value_elem(a)));
  if (c->kind == DET_LOGARITHM) return torch_output(c, 0, torch_if_number(c, torch_is(c, "ge", sign, 0), logs, NAN));
  if (!torch_output(c, 0, sign) || !torch_output(c, 1, logs)) return false;
  return c->kind != DET_WITH_FACTORS || (torch_output(c, 2, lu.lu) && torch_output(c, 3, lu.pivots));
}

bool torch_op_inverse(ImportCall *c) {
  MlirValue a = first_argument(c);
  if (!is_square(c, a)) return false;
  ImportShape s = import_shape(c, a);
  const Lu lu = factor(c, a);
  MlirValue unit = torch_identity(c, s.elem, s, s.dims[s.rank - 1], s.dims[s.rank - 1]);
  if (!torch_output(c, 0, solve(c, lu, unit, true, false))) return false;
  if (c->kind == LINALG_CHECKED) return check_info(c, lu.info, tcc_str("linalg.inv"));
  return torch_output(c, 1, lu.info) && check_if_asked(c, lu.info, "linalg.inv");
}

/* b is a vector for each matrix: of one axis, or of a's sizes without the last. */
static bool is_vector(ImportCall *c, MlirValue a, MlirValue b) {
  ImportShape of_a = import_shape(c, a), of_b = import_shape(c, b);
  bool vector = of_b.rank == 1 || of_b.rank == of_a.rank - 1;
  for (int i = 0; of_b.rank > 1 && vector && i < of_b.rank; i++) vector = tcc_expr_agree(of_a.dims[i], of_b.dims[i]);
  return vector;
}

bool torch_op_solve(ImportCall *c) {
  MlirValue a = first_argument(c), b = torch_tensor(c, "B");
  if (!is_square(c, a) || !b.ptr) return false;
  const bool vector = is_vector(c, a, b);
  if (!vector && import_shape(c, b).rank < 2) return import_invalid(c, "a right side of rank less than 2");
  if (vector) b = import_unsqueeze(c, b, import_shape(c, b).rank);
  const Lu lu = factor(c, a);
  MlirValue x = solve(c, lu, b, torch_bool(c, "left"), false);
  if (vector && x.ptr) x = tcc_build_squeeze(&c->b, x, import_shape(c, x).rank - 1);
  if (!torch_output(c, 0, x)) return false;
  if (c->kind == LINALG_CHECKED) return check_info(c, lu.info, tcc_str("linalg.solve"));
  const bool factors = c->kind == LINALG_FACTORS;
  if (factors && (!torch_output(c, 1, lu.lu) || !torch_output(c, 2, lu.pivots))) return false;
  return torch_output(c, factors ? 3 : 1, lu.info) && check_if_asked(c, lu.info, "linalg.solve");
}

/* [a, b] or [a; b] of matrices: beside (1) or above (2) each other. */
static MlirValue joined(ImportCall *c, MlirValue a, MlirValue b, int from_end) {
  MlirValue both[] = {a, b};
  return a.ptr && b.ptr ? tcc_build_concat(&c->b, both, 2, import_shape(c, a).rank - from_end) : (MlirValue){NULL};
}

/* linalg_solve, linalg_inv and their like of complex matrices: A = R + i S is the real matrix [[R, -S], [S, R]], and B = P + i Q is [[P], [Q]]. */
bool torch_complex_solve(ImportCall *c) {
  const bool inverse = !torch_has_parameter(c, "B"), left = inverse || torch_bool(c, "left");
  const char *name = inverse ? "linalg.inv" : "linalg.solve";
  const TccElem elem = torch_complex_elem(c, 0);
  TorchComplex a, b = {{NULL}, {NULL}};
  if (!elem || !torch_complex_operand(c, torch_has_parameter(c, "A") ? "A" : "self", elem, &a) || !is_square(c, a.real))
    return false;
  torch_complex_fill(c, &a);
  ImportShape s = import_shape(c, a.real);
  const TccExpr *size = s.dims[s.rank - 1];
  if (inverse) b.real = torch_identity(c, elem, s, size, size);
  else if (!torch_complex_operand(c, "B", elem, &b)) return false;
  torch_complex_fill(c, &b);
  const bool vector = !inverse && is_vector(c, a.real, b.real);
  const int rank = import_shape(c, b.real).rank;
  if (!vector && rank < 2) return import_invalid(c, "a right side of rank less than 2");
  if (vector) b = (TorchComplex){import_unsqueeze(c, b.real, rank), import_unsqueeze(c, b.imaginary, rank)};
  if (!left) { /* x A = B is A' x' = B' */
    a = (TorchComplex){torch_turned(c, a.real), torch_turned(c, a.imaginary)};
    b = (TorchComplex){torch_turned(c, b.real), torch_turned(c, b.imaginary)};
  }
  MlirValue top = joined(c, a.real, torch_neg(c, a.imaginary), 1), bottom = joined(c, a.imaginary, a.real, 1);
  const Lu lu = factor(c, joined(c, top, bottom, 2));
  MlirValue x = solve(c, lu, joined(c, b.real, b.imaginary, 2), true, false), parts[2];
  if (!x.ptr) return false;
  const int axis = import_shape(c, x).rank - 2;
  for (int i = 0; i < 2; i++) {
    parts[i] = tcc_build_slice_axis(&c->b, x, axis, i ? size : import_size(c, 0), 1, size);
    if (!left) parts[i] = torch_turned(c, parts[i]);
    if (vector && parts[i].ptr) parts[i] = tcc_build_squeeze(&c->b, parts[i], axis + 1);
  }
  if (!parts[0].ptr || !parts[1].ptr || !torch_complex_output(c, 0, (TorchComplex){parts[0], parts[1]})) return false;
  const size_t results = torch_call(c)->noutputs;
  if (results < 2) return check_info(c, lu.info, tcc_str(name));
  for (size_t i = 1; i + 1 < results; i++) torch_output_lacks(c, i, "factors of complex matrices are not computed");
  return torch_output(c, results - 1, lu.info) && check_if_asked(c, lu.info, name);
}

bool torch_op_lu_factor(ImportCall *c) {
  MlirValue a = first_argument(c);
  if (a.ptr && !torch_bool(c, "pivot")) return import_unsupported(c, "without pivoting");
  const Lu lu = factor(c, a);
  if (!torch_output(c, 0, lu.lu) || !torch_output(c, 1, lu.pivots)) return false;
  if (c->kind == LINALG_CHECKED) return check_info(c, lu.info, tcc_str("linalg.lu_factor"));
  return torch_output(c, 2, lu.info) && check_if_asked(c, lu.info, "linalg.lu_factor");
}

/* P, L and U with a = P L U. */
static bool unpack(ImportCall *c, MlirValue lu, MlirValue pivots, bool data, bool rows) {
  ImportShape s = import_shape(c, lu);
  if (!lu.ptr || !pivots.ptr) return false;
  const TccExpr *m = s.dims[s.rank - 2], *n = s.dims[s.rank - 1], *k = torch_least(c, m, n);
  if (rows) {
    MlirValue unit = torch_identity(c, s.elem, s, m, m);
    if (!torch_output(c, 0, permuted(c, unit, permutation(c, pivots, m), true))) return false;
  } else if (!torch_empty(c, 0)) return false;
  if (!data) return torch_empty(c, 1) && torch_empty(c, 2);
  MlirValue lower = torch_triangle(c, torch_resized(c, lu, 1, k), "gt");
  return torch_output(c, 1, torch_add(c, lower, torch_identity(c, s.elem, s, m, k))) &&
         torch_output(c, 2, torch_triangle(c, torch_resized(c, lu, 2, k), "le"));
}

bool torch_op_lu_unpack(ImportCall *c) {
  MlirValue lu = torch_matrices(c, "LU_data"), pivots = torch_tensor(c, "LU_pivots");
  return !c->reason && unpack(c, lu, pivots, torch_bool(c, "unpack_data"), torch_bool(c, "unpack_pivots"));
}

bool torch_op_lu(ImportCall *c) {
  MlirValue a = first_argument(c);
  if (a.ptr && !torch_bool(c, "pivot")) return import_unsupported(c, "without pivoting");
  const Lu lu = factor(c, a);
  return unpack(c, lu.lu, lu.pivots, true, true);
}

bool torch_op_lu_solve(ImportCall *c) {
  const bool older = c->kind == LU_SOLVE_LEGACY;
  const Lu lu = {torch_matrices(c, older ? "LU_data" : "LU"), torch_tensor(c, older ? "LU_pivots" : "pivots"), {NULL}};
  MlirValue b = torch_matrices(c, older ? "self" : "B");
  if (c->reason || !is_square(c, lu.lu)) return false;
  return torch_output(c, 0, solve(c, lu, b, older || torch_bool(c, "left"), !older && torch_bool(c, "adjoint")));
}

/* ---- Cholesky ---- */
bool torch_op_cholesky(ImportCall *c) {
  MlirValue a = torch_matrices(c, "self");
  const bool upper = torch_bool(c, "upper");
  if (c->reason || !is_square(c, a)) return false;
  if (upper) a = torch_turned(c, a);
  MlirValue r = import_op(c, TCC_OP_CHOLESKY, &a, 1, NULL, 0), info = torch_nth(r, 1);
  if (!torch_output(c, 0, upper ? torch_turned(c, r) : r)) return false;
  if (c->kind == LINALG_CHECKED) return check_info(c, info, tcc_str("linalg.cholesky"));
  return torch_output(c, 1, info) && check_if_asked(c, info, "linalg.cholesky");
}

/* x with l l' x = b, or u' u x = b. */
static MlirValue solve_square(ImportCall *c, MlirValue triangle, MlirValue b, bool upper) {
  MlirValue turned = torch_turned(c, triangle);
  return solution(c, upper ? triangle : turned, solution(c, upper ? turned : triangle, b, false, false), true, false);
}

bool torch_op_cholesky_solve(ImportCall *c) {
  MlirValue b = torch_matrices(c, "self"), triangle = torch_matrices(c, torch_has_parameter(c, "A") ? "A" : "input2");
  const bool upper = torch_bool(c, "upper");
  if (c->reason || !is_square(c, triangle) || !share_batch(c, &triangle, &b)) return false;
  return torch_output(c, 0, solve_square(c, triangle, b, upper));
}

bool torch_op_cholesky_inverse(ImportCall *c) {
  MlirValue triangle = torch_matrices(c, "self");
  const bool upper = torch_bool(c, "upper");
  if (c->reason || !is_square(c, triangle)) return false;
  ImportShape s = import_shape(c, triangle);
  return torch_output(c, 0, solve_square(c, triangle, torch_identity(c, s.elem, s, s.dims[s.rank - 1], s.dims[s.rank - 1]), upper));
}

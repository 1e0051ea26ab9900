/* ops_linalg_vectors.c - what follows from reflectors, eigenvectors and singular vectors: QR, pseudoinverses, ranks, least squares; and the exponential. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_linalg.h"
#include "tcc/op_kinds.h"
#include <float.h>

static const TccExpr *dim_of(ImportCall *c, MlirValue x, int from_end) {
  ImportShape s = import_shape(c, x);
  return x.ptr ? s.dims[s.rank - from_end] : NULL;
}

/* ---- QR ---- */
static MlirValue reflectors_product(ImportCall *c, MlirValue a, MlirValue tau) {
  MlirValue operands[] = {a, tau};
  return a.ptr && tau.ptr ? import_op(c, TCC_OP_HOUSEHOLDER_PRODUCT, operands, 2, NULL, 0) : (MlirValue){NULL};
}

/* mode: "reduced", "complete" (Q is square) or "r" (Q is not wanted). */
bool torch_op_qr(ImportCall *c) {
  MlirValue a = torch_matrices(c, c->kind == QR_REFLECTORS ? "self" : "A");
  if (!a.ptr) return false;
  MlirValue r = import_op(c, TCC_OP_GEQRF, &a, 1, NULL, 0), tau = torch_nth(r, 1);
  if (c->kind == QR_REFLECTORS) return torch_output(c, 0, r) && torch_output(c, 1, tau);
  const TccStr mode = torch_string(c, "mode");
  const bool complete = tcc_str_is(mode, "complete"), alone = tcc_str_is(mode, "r");
  if (c->reason) return false;
  if (!complete && !alone && !tcc_str_is(mode, "reduced")) return import_invalid(c, "mode '%.*s'", TCC_STR_ARG(mode));
  const TccExpr *m = dim_of(c, a, 2), *k = torch_least(c, m, dim_of(c, a, 1)), *kept = complete ? m : k;
  MlirValue of_r = torch_triangle(c, torch_resized(c, r, 2, kept), "le");
  if (alone) return torch_empty(c, 0) && torch_output(c, 1, of_r);
  MlirValue vectors = torch_resized(c, torch_resized(c, r, 1, k), 1, kept);
  return torch_output(c, 0, reflectors_product(c, vectors, tau)) && torch_output(c, 1, of_r);
}

/* The first columns of a product of reflectors; or that product, square, or its transposed, times another matrix, from the left or the right. */
bool torch_op_reflectors(ImportCall *c) {
  const bool by_name = c->kind == REFLECTORS_Q;
  MlirValue a = torch_matrices(c, by_name ? "input" : "self"), tau = torch_tensor(c, by_name ? "tau" : "input2");
  if (c->reason || !a.ptr || !tau.ptr) return false;
  if (c->kind != REFLECTORS_PRODUCT) return torch_output(c, 0, reflectors_product(c, a, tau));
  const TccElem elem = tcc_value_elem(a); /* what is between both steps is not rounded */
  MlirValue other = torch_tensor_as(c, "input3", TCC_ELEM_F64), wide = torch_convert(c, a, TCC_ELEM_F64);
  MlirValue q = reflectors_product(c, torch_resized(c, wide, 1, dim_of(c, a, 2)), torch_convert(c, tau, TCC_ELEM_F64));
  if (torch_bool(c, "transpose")) q = torch_turned(c, q);
  if (!q.ptr || !other.ptr || c->reason) return false;
  return torch_output(c, 0,
                      torch_convert(c, torch_bool(c, "left") ? torch_product(c, q, other) : torch_product(c, other, q), elem));
}

/* columns diag(values) rows */
static MlirValue scaled_product(ImportCall *c, MlirValue columns, MlirValue values, MlirValue rows) {
  if (!values.ptr || !rows.ptr) return (MlirValue){NULL};
  return torch_product(c, torch_mul(c, columns, import_unsqueeze(c, values, import_shape(c, values).rank - 1)), rows);
}

/* ---- eigenvectors ---- */
/* Of a matrix of which one triangle is read. */
static MlirValue eigenvalues(ImportCall *c, MlirValue a, bool upper) {
  if (upper) a = torch_turned(c, a);
  return a.ptr ? import_op(c, TCC_OP_EIGH, &a, 1, NULL, 0) : a;
}

bool torch_op_eigh(ImportCall *c) {
  MlirValue a = torch_matrices(c, torch_has_parameter(c, "A") ? "A" : "self");
  const TccStr triangle = torch_string(c, "UPLO");
  if (c->reason || !a.ptr) return false;
  MlirValue values = eigenvalues(c, a, triangle.length && (triangle.data[0] | 32) == 'u');
  if (!torch_output(c, 0, values)) return false;
  if (c->kind == EIGH_VALUES) return true;
  return c->kind == EIGH_AS_ASKED && !torch_bool(c, "compute_v") ? torch_empty(c, 1) : torch_output(c, 1, torch_nth(values, 1));
}

/* The square root of a symmetric matrix: eigenvalues that are negative give NaN. */
bool torch_op_matrix_root(ImportCall *c) {
  MlirValue a = torch_matrices(c, "self"), values = eigenvalues(c, a, false), vectors = torch_nth(values, 1);
  return a.ptr && torch_output(c, 0, scaled_product(c, vectors, tcc_build1(&c->b, TCC_OP_SQRT, values), torch_turned(c, vectors)));
}

/* ---- singular vectors ---- */
/* u; s and vh are results 1 and 2 of what made it. */
static MlirValue singular(ImportCall *c, MlirValue a, bool full) {
  TccNamedAttr attr = {"full", tcc_attr_bool(c->ir, full)};
  return a.ptr ? import_op(c, TCC_OP_SVD, &a, 1, &attr, 1) : a;
}

static MlirValue singular_values(ImportCall *c, MlirValue x) { return torch_nth(singular(c, x, false), 1); }

MlirValue torch_singular_norm(ImportCall *c, MlirValue x, const int64_t *axes, const char *kind, bool keepdims) {
  ImportShape s = import_shape(c, x);
  int64_t perm[TCC_MAX_RANK];
  int n = 0;
  if (!x.ptr) return x;
  if (s.elem != TCC_ELEM_F32 && s.elem != TCC_ELEM_F64)
    return import_unsupported(c, "a factorisation of %s", tcc_elem_name(s.elem)), (MlirValue){NULL};
  for (int i = 0; i < s.rank; i++)
    if (i != axes[0] && i != axes[1]) perm[n++] = i;
  perm[n] = axes[0], perm[n + 1] = axes[1];
  MlirValue values = singular_values(c, tcc_build_transpose(&c->b, x, perm));
  const int64_t last = s.rank - 2;
  values = values.ptr ? tcc_build_reduce(&c->b, kind, values, &last, 1, false) : values;
  for (int i = 0; keepdims && values.ptr && i < s.rank; i++) /* axes from the first on, so that each gets its place */
    if (i == axes[0] || i == axes[1]) values = import_unsqueeze(c, values, i);
  return values;
}

bool torch_op_nuclear_norm(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  int64_t axes[TCC_MAX_RANK] = {0, 1};
  const int64_t *given;
  size_t count = 2;
  const int rank = import_shape(c, x).rank;
  if (!x.ptr || (c->kind && !torch_ints(c, "dim", &given, &count))) return false;
  if (count != 2 || rank < 2 || (!c->kind && rank != 2))
    return import_invalid(c, "a nuclear norm of %zu axes of rank %d", count, rank);
  for (size_t i = 0; c->kind && i < 2; i++)
    if (!import_axis(c, given[i], rank, &axes[i])) return false;
  return torch_output(c, 0, torch_singular_norm(c, x, axes, "sum", torch_bool(c, "keepdim")));
}

/* The largest singular value by the least (p None or 2), or the other way about (-2). */
bool torch_op_condition(ImportCall *c) {
  MlirValue a = torch_matrices(c, "self"), values = singular_values(c, a);
  const double p = torch_given(c, "p") ? torch_float(c, "p") : 2;
  if (c->reason || !values.ptr) return false;
  if (p != 2 && p != -2) return import_unsupported(c, "a condition number of order %g", p);
  const int64_t axis = import_shape(c, values).rank - 1;
  MlirValue most = tcc_build_reduce(&c->b, "max", values, &axis, 1, false),
            least = tcc_build_reduce(&c->b, "min", values, &axis, 1, false);
  return torch_output(c, 0, p > 0 ? torch_div(c, most, least) : torch_div(c, least, most));
}

bool torch_op_svd(ImportCall *c) {
  const bool older = c->kind == SVD_LEGACY, asked = older || c->kind == SVD_AS_ASKED;
  MlirValue a = torch_matrices(c, older ? "self" : "A");
  if (!a.ptr) return false;
  if (c->kind == SVD_VALUES) return torch_output(c, 0, singular_values(c, a));
  const bool full = older ? !torch_bool(c, "some") : torch_bool(c, "full_matrices"), wanted = !asked || torch_bool(c, "compute_uv");
  if (c->reason) return false;
  MlirValue u = singular(c, a, full && wanted), vh = torch_nth(u, 2);
  if (!torch_output(c, 1, torch_nth(u, 1))) return false;
  if (!wanted) return torch_empty(c, 0) && torch_empty(c, 2);
  return torch_output(c, 0, u) && torch_output(c, 2, older ? torch_turned(c, vh) : vh);
}

/* a = U H, of as many rows as columns or more: U has orthonormal columns, H is symmetric. */
bool torch_op_polar_factors(ImportCall *c) {
  MlirValue a = torch_matrices(c, "A"), u = singular(c, a, false), values = torch_nth(u, 1), vh = torch_nth(u, 2);
  return a.ptr && torch_output(c, 0, torch_product(c, u, vh)) &&
         torch_output(c, 1, scaled_product(c, torch_turned(c, vh), values, vh));
}

/* An argument that is a number or a tensor of the batch, as [..., 1]; null: None. */
static MlirValue bound_of(ImportCall *c, const char *name, TccElem elem) {
  if (!torch_has_parameter(c, name) || !torch_given(c, name)) return (MlirValue){NULL};
  MlirValue x = torch_operand(c, name, elem);
  return x.ptr ? import_unsqueeze(c, x, import_shape(c, x).rank) : x;
}

/* The size from which singular values of an [m, n] count, as [..., 1]: max(atol, rtol * the largest), rtol being max(m, n) times the type's precision if
 * it is None and atol None or not positive. `one`: the argument that is rtol where the overload has one bound alone; absolute: it is atol. */
static MlirValue cutoff(ImportCall *c, MlirValue a, MlirValue sizes, const char *one, bool absolute) {
  ImportShape s = import_shape(c, a);
  const TccElem elem = s.elem;
  const TccExpr *m = s.dims[s.rank - 2], *n = s.dims[s.rank - 1];
  const TccExpr *most = tcc_expr_agree(m, n) ? m : tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, m, n);
  MlirValue atol = bound_of(c, one && absolute ? one : "atol", elem), rtol = bound_of(c, one && !absolute ? one : "rtol", elem);
  if (!rtol.ptr) {
    rtol = torch_times(c, torch_convert(c, tcc_build_size(&c->b, most), elem), elem == TCC_ELEM_F64 ? DBL_EPSILON : FLT_EPSILON);
    if (atol.ptr) rtol = torch_if(c, torch_is(c, "gt", atol, 0), torch_constant(c, elem, 0), rtol);
  }
  const int64_t axis = import_shape(c, sizes).rank - 1;
  MlirValue largest = sizes.ptr ? tcc_build_reduce(&c->b, "max", sizes, &axis, 1, true) : sizes;
  MlirValue relative = torch_mul(c, largest, rtol);
  return atol.ptr ? tcc_build2(&c->b, TCC_OP_MAX, relative, atol) : relative;
}

/* 1 / x where its size exceeds the bound, else 0. */
static MlirValue reciprocal_above(ImportCall *c, MlirValue x, MlirValue sizes, MlirValue bound) {
  MlirValue counts = sizes.ptr && bound.ptr ? tcc_build_compare(&c->b, "gt", sizes, bound) : sizes;
  return torch_if_number(c, counts, tcc_build1(&c->b, TCC_OP_RECIPROCAL, torch_if_number(c, counts, x, 1)), 0);
}

static MlirValue pseudoinverse(ImportCall *c, MlirValue a, const char *one, bool hermitian) {
  ImportShape s = import_shape(c, a);
  if (import_is_size(s.dims[s.rank - 2], 0) || import_is_size(s.dims[s.rank - 1], 0)) {
    const TccExpr *held = s.dims[s.rank - 2];
    s.dims[s.rank - 2] = s.dims[s.rank - 1], s.dims[s.rank - 1] = held;
    return torch_filled(c, torch_constant(c, s.elem, 0), s.rank, s.dims);
  }
  if (hermitian) {
    MlirValue values = eigenvalues(c, a, false), vectors = torch_nth(values, 1), sizes = tcc_build1(&c->b, TCC_OP_ABS, values);
    return scaled_product(c, vectors, reciprocal_above(c, values, sizes, cutoff(c, a, sizes, one, false)),
                          torch_turned(c, vectors));
  }
  MlirValue u = singular(c, a, false), values = torch_nth(u, 1);
  return scaled_product(c, torch_turned(c, torch_nth(u, 2)), reciprocal_above(c, values, values, cutoff(c, a, values, one, false)),
                        torch_turned(c, u));
}

bool torch_op_pinv(ImportCall *c) {
  MlirValue a = torch_matrices(c, "self");
  const bool hermitian = torch_has_parameter(c, "hermitian") && torch_bool(c, "hermitian");
  return !c->reason && torch_output(c, 0, pseudoinverse(c, a, torch_has_parameter(c, "rcond") ? "rcond" : NULL, hermitian));
}

bool torch_op_matrix_rank(ImportCall *c) {
  MlirValue a = torch_matrices(c, torch_has_parameter(c, "input") ? "input" : "self");
  const bool hermitian = torch_bool(c, "hermitian");
  if (c->reason || !a.ptr) return false;
  ImportShape s = import_shape(c, a), to = torch_declared(c, 0);
  if (import_is_size(s.dims[s.rank - 2], 0) || import_is_size(s.dims[s.rank - 1], 0))
    return torch_output(c, 0, torch_filled(c, torch_constant(c, TCC_ELEM_I64, 0), to.rank, to.dims));
  MlirValue sizes = hermitian ? tcc_build1(&c->b, TCC_OP_ABS, eigenvalues(c, a, false)) : singular_values(c, a);
  MlirValue bound = cutoff(c, a, sizes, torch_has_parameter(c, "tol") ? "tol" : NULL, true);
  if (!sizes.ptr || !bound.ptr) return false;
  const int64_t axis = import_shape(c, sizes).rank - 1;
  return torch_output(c, 0,
                      torch_sum(c, torch_convert(c, tcc_build_compare(&c->b, "gt", sizes, bound), TCC_ELEM_I64), &axis, 1, false));
}

/* The solution of least size of those with least squares; squares are told where the graph's type has room for them. */
bool torch_op_lstsq(ImportCall *c) {
  MlirValue a = torch_matrices(c, "self"), b = torch_tensor(c, "b");
  if (c->reason || !a.ptr || !b.ptr) return false;
  ImportShape s = import_shape(c, a), residuals = torch_declared(c, 1), rank = torch_declared(c, 2);
  const bool vector = import_shape(c, b).rank == s.rank - 1;
  if (vector) b = import_unsqueeze(c, b, s.rank - 1);
  MlirValue x = torch_product(c, pseudoinverse(c, a, "rcond", false), b), solution = x;
  if (vector && x.ptr) solution = tcc_build_squeeze(&c->b, x, import_shape(c, x).rank - 1);
  if (!torch_output(c, 0, solution)) return false;
  if (residuals.elem && residuals.rank && !import_is_size(residuals.dims[residuals.rank - 1], 0)) {
    MlirValue off = torch_sub(c, torch_product(c, a, x), b);
    const int64_t axis = import_shape(c, off).rank - 2;
    if (!torch_output(c, 1, torch_sum(c, torch_mul(c, off, off), &axis, 1, false))) return false;
  } else if (!torch_empty(c, 1)) return false;
  if (rank.elem && !(rank.rank && import_is_size(rank.dims[rank.rank - 1], 0)) && rank.rank == s.rank - 2) {
    MlirValue values = singular_values(c, a), bound = cutoff(c, a, values, "rcond", false);
    const int64_t axis = import_shape(c, values).rank - 1;
    MlirValue counts = values.ptr && bound.ptr ? tcc_build_compare(&c->b, "gt", values, bound) : (MlirValue){NULL};
    if (!torch_output(c, 2, torch_sum(c, torch_convert(c, counts, TCC_ELEM_I64), &axis, 1, false))) return false;
  } else if (!torch_empty(c, 2)) return false;
  ImportShape values = torch_declared(c, 3);
  if (values.elem && values.rank && !import_is_size(values.dims[values.rank - 1], 0))
    return torch_output(c, 3, singular_values(c, a));
  return torch_empty(c, 3);
}

/* ---- the exponential ----
 * By the Pade approximation of order 13 of a / 2^s, squared s times (Higham 2005), each matrix with its own s; in f64, whatever the type. */
static const double pade[] = {64764752532480000.0,
                              32382376266240000.0,
                              7771770303897600.0,
                              1187353796428800.0,
                              129060195264000.0,
                              10559470521600.0,
                              670442572800.0,
                              33522128640.0,
                              1323241920.0,
                              40840800.0,
                              960960.0,
                              16380.0,
                              182.0,
                              1.0};

/* sum of pade[first + 2 i] powers[i] */
static MlirValue terms(ImportCall *c, const MlirValue *powers, int count, int first) {
  MlirValue sum = torch_times(c, powers[0], pade[first]);
  for (int i = 1; i < count; i++) sum = torch_add(c, sum, torch_times(c, powers[i], pade[first + 2 * i]));
  return sum;
}

static MlirValue approximate(ImportCall *c, MlirValue a) {
  ImportShape s = import_shape(c, a);
  MlirValue powers[4] = {torch_identity(c, s.elem, s, s.dims[s.rank - 1], s.dims[s.rank - 1]),
                         torch_product(c, a, a)}; /* 1, a^2, a^4, a^6 */
  for (int i = 2; i < 4; i++) powers[i] = torch_product(c, powers[i - 1], powers[1]);
  MlirValue odd = torch_add(c, torch_product(c, powers[3], terms(c, powers + 1, 3, 9)), terms(c, powers, 4, 1));
  MlirValue even = torch_add(c, torch_product(c, powers[3], terms(c, powers + 1, 3, 8)), terms(c, powers, 4, 0));
  odd = torch_product(c, a, odd);
  return torch_solved(c, torch_sub(c, even, odd), torch_add(c, even, odd));
}

/* values: the matrices, and how often each is still to be squared. */
static MlirValue square_once(ImportCall *c, MlirValue *values, const void *user) {
  (void)user;
  MlirValue more = torch_is(c, "gt", values[1], 0);
  values[0] = torch_if(c, more, torch_product(c, values[0], values[0]), values[0]);
  values[1] = torch_plus(c, values[1], -1);
  return torch_any(c, torch_is(c, "gt", values[1], 0));
}

bool torch_op_matrix_exp(ImportCall *c) {
  static const double theta = 5.371920351148152, most = 1100; /* beyond which all overflows */
  MlirValue a = torch_tensor(c, "self");
  ImportShape s = import_shape(c, a);
  if (!a.ptr) return false;
  if (!tcc_elem_is_float(s.elem) || s.rank < 2) return import_invalid(c, "%s of rank %d", tcc_elem_name(s.elem), s.rank);
  const int64_t down = s.rank - 2, across = s.rank - 1;
  if (!import_require_equal(c, s.dims[down], s.dims[across], "a matrix's sizes")) return false;
  if (import_is_size(s.dims[across], 0)) return torch_output(c, 0, a);
  MlirValue x = torch_convert(c, a, TCC_ELEM_F64), sums = torch_sum(c, tcc_build1(&c->b, TCC_OP_ABS, x), &down, 1, true);
  MlirValue norm = tcc_build_reduce(&c->b, "max", sums, &across, 1, true);
  MlirValue doublings = torch_times(c, tcc_build1(&c->b, TCC_OP_LOG, torch_times(c, norm, 1 / theta)), 1.4426950408889634);
  doublings = tcc_build1(&c->b, TCC_OP_CEIL, doublings);
  doublings = torch_if_number(c, torch_is(c, "gt", doublings, 0), doublings, 0); /* of NaN, too */
  doublings = torch_if_number(c, torch_is(c, "lt", doublings, most), doublings, most);
  MlirValue scale = tcc_build2(&c->b, TCC_OP_POW, torch_constant(c, TCC_ELEM_F64, 2), torch_neg(c, doublings));
  MlirValue values[] = {approximate(c, torch_mul(c, x, scale)), torch_convert(c, doublings, TCC_ELEM_I64)};
  if (!values[0].ptr || !torch_iterate(c, torch_any(c, torch_is(c, "gt", values[1], 0)), values, 2, square_once, NULL))
    return false;
  return torch_output(c, 0, torch_convert(c, values[0], s.elem));
}

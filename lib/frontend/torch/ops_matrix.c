/* ops_matrix.c - overloads of vectors and matrices that are short formulas: products with a sum, crosses, traces, turns. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include "lib/frontend/torch/ops_linalg.h"
#include <math.h>

static MlirValue matmul(ImportCall *c, MlirValue a, MlirValue b) {
  MlirValue y = tcc_build2(&c->b, TCC_OP_MATMUL, a, b);
  return y.ptr && !tcc_elem_is_float(tcc_value_elem(a)) ? torch_convert(c, y, tcc_value_elem(a)) : y;
}

/* [b, n, m] and [b, m, p] as one product: [n, b m] and [b m, p]. */
static MlirValue summed_product(ImportCall *c, MlirValue a, MlirValue b) {
  static const int64_t perm[] = {1, 0, 2};
  ImportShape as = import_shape(c, a), bs = import_shape(c, b);
  if (as.rank != 3 || bs.rank != 3) return import_invalid(c, "ranks %d and %d", as.rank, bs.rank), (MlirValue){NULL};
  const TccExpr *k = import_size_mul(c, as.dims[0], as.dims[2]);
  const TccExpr *left[] = {as.dims[1], k}, *right[] = {import_size_mul(c, bs.dims[0], bs.dims[1]), bs.dims[2]};
  return matmul(c, tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, a, perm), 2, left), tcc_build_reshape(&c->b, b, 2, right));
}

static MlirValue outer(ImportCall *c, MlirValue a, MlirValue b) {
  return torch_build2(c, TCC_OP_MUL, import_unsqueeze(c, a, 1), import_unsqueeze(c, b, 0));
}

bool torch_is_number(TorchNumber n, double number) {
  return n.size ? import_is_size(n.size, (int64_t)number) : !n.value.ptr && n.real == number;
}

MlirValue torch_scaled_sum(ImportCall *c, MlirValue product) {
  const TccElem wide = product.ptr ? tcc_value_elem(product) : TCC_ELEM_NONE;
  const TorchNumber alpha = torch_number(c, "alpha"), beta = torch_number(c, "beta");
  if (!product.ptr || c->reason) return (MlirValue){NULL};
  if (!torch_is_number(alpha, 1)) product = torch_build2(c, TCC_OP_MUL, product, torch_scalar(c, "alpha", wide));
  if (torch_is_number(beta, 0)) return product;
  MlirValue self = torch_tensor_as(c, "self", wide), factor = torch_scalar(c, "beta", wide);
  if (beta.value.ptr || (beta.size && !tcc_expr_is_const(beta.size, NULL)))
    self = torch_if(c, torch_is(c, "eq", factor, 0), torch_constant(c, wide, 0), self);
  return torch_build2(c, TCC_OP_ADD, product, torch_is_number(beta, 1) ? self : torch_build2(c, TCC_OP_MUL, self, factor));
}

/* addbmm, addmv, addr. 16-bit floats are rounded at the end. */
bool torch_op_add_product(ImportCall *c) {
  static const char *const names[][2] = {
      [PRODUCT_BATCHES] = {"batch1", "batch2"}, [PRODUCT_VECTOR] = {"mat", "vec"}, [PRODUCT_OUTER] = {"vec1", "vec2"}};
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue a = torch_tensor_as(c, names[c->kind][0], wide), b = torch_tensor_as(c, names[c->kind][1], wide), y;
  if (!elem || !a.ptr || !b.ptr) return false;
  y = c->kind == PRODUCT_BATCHES ? summed_product(c, a, b) : c->kind == PRODUCT_OUTER ? outer(c, a, b) : matmul(c, a, b);
  y = torch_scaled_sum(c, y);
  ImportShape to = torch_declared(c, 0);
  return torch_output(c, 0, torch_convert(c, torch_filled(c, y, to.rank, to.dims), elem));
}

/* The sum of products of two vectors. */
bool torch_op_dot(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue a = torch_tensor_as(c, "self", wide), b = torch_tensor_as(c, torch_argument(c, "tensor") ? "tensor" : "other", wide);
  const int64_t axis = 0;
  return elem && torch_output(c, 0, torch_convert(c, torch_sum(c, torch_mul(c, a, b), &axis, 1, false), elem));
}

/* The sum of the diagonal. */
bool torch_op_trace(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue x = torch_tensor_as(c, "self", wide);
  ImportShape s = import_shape(c, x);
  const int64_t axes[] = {0, 1};
  if (!elem || !x.ptr) return false;
  if (s.rank != 2) return import_invalid(c, "rank %d", s.rank);
  MlirValue diagonal = tcc_build_compare(&c->b, "eq", tcc_build_iota(&c->b, TCC_ELEM_I64, 0, 2, s.dims),
                                         tcc_build_iota(&c->b, TCC_ELEM_I64, 1, 2, s.dims));
  return torch_output(c, 0, torch_convert(c, torch_sum(c, torch_if_number(c, diagonal, x, 0), axes, 2, false), elem));
}

/* x along an axis, at three places. */
static MlirValue turned(ImportCall *c, MlirValue x, int64_t axis, const int64_t *places) {
  const int64_t three = 3;
  return tcc_build_gather(&c->b, x, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &three, places), axis);
}

/* The cross product along an axis of three. */
bool torch_op_cross(ImportCall *c) {
  static const int64_t next[] = {1, 2, 0}, last[] = {2, 0, 1};
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue v[] = {torch_tensor_as(c, "self", wide), torch_tensor_as(c, "other", wide)};
  ImportShape shape;
  int64_t axis;
  if (!elem || !v[0].ptr || !v[1].ptr || !torch_broadcast_all(c, v, 2, &shape)) return false;
  for (axis = 0; axis < shape.rank && !import_is_size(shape.dims[axis], 3);) axis++; /* without dim: the first such axis */
  if (torch_given(c, "dim") && !torch_axis(c, "dim", shape.rank, &axis)) return false;
  if (axis >= shape.rank || !import_is_size(shape.dims[axis], 3)) return import_invalid(c, "an axis of other than three elements");
  MlirValue y = torch_sub(c, torch_mul(c, turned(c, v[0], axis, next), turned(c, v[1], axis, last)),
                          torch_mul(c, turned(c, v[0], axis, last), turned(c, v[1], axis, next)));
  return torch_output(c, 0, torch_convert(c, y, elem));
}

/* Matrices along the diagonal of one. Scalars and vectors are matrices of one row. */
bool torch_op_block_diag(ImportCall *c) {
  const MlirValue *given;
  size_t count;
  TccElem elem = torch_result(c, 0);
  ImportShape to = torch_declared(c, 0);
  if (!elem || !torch_tensors(c, "tensors", &given, &count)) return false;
  if (!count) return import_unsupported(c, "no tensors");
  if (to.rank != 2) return import_invalid(c, "a result of rank %d", to.rank);
  MlirValue *rows = TCC_NEW_ARRAY(import_arena(c), MlirValue, count);
  const TccExpr *at = import_size(c, 0), *zero = at;
  for (size_t i = 0; i < count; i++) {
    MlirValue x = torch_convert(c, given[i], elem);
    ImportShape s = import_shape(c, x);
    const TccExpr *dims[] = {s.rank == 2 ? s.dims[0] : import_size(c, 1), s.rank ? s.dims[s.rank - 1] : import_size(c, 1)};
    const TccExpr *low[] = {zero, at}, *end = import_size_add(c, at, dims[1]),
                  *high[] = {zero, import_size_sub(c, to.dims[1], end)};
    if (s.rank > 2) return import_invalid(c, "a matrix of rank %d", s.rank);
    x = tcc_build_reshape(&c->b, x, 2, dims);
    if (!x.ptr) return false;
    rows[i] = tcc_build_pad(&c->b, x, torch_constant(c, elem, 0), low, high, "constant");
    at = end;
  }
  return torch_output(c, 0, count == 1 ? rows[0] : tcc_build_concat(&c->b, rows, count, 0));
}

MlirValue torch_turned(ImportCall *c, MlirValue x) {
  int64_t perm[TCC_MAX_RANK];
  int rank = import_shape(c, x).rank;
  for (int i = 0; i < rank; i++) perm[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  return x.ptr ? tcc_build_transpose(&c->b, x, perm) : x;
}

MlirValue torch_batched(ImportCall *c, MlirValue x, ImportShape to) {
  ImportShape s = import_shape(c, x);
  for (int i = 0; i < 2 && x.ptr; i++) to.dims[to.rank - 2 + i] = s.dims[s.rank - 2 + i];
  return x.ptr ? tcc_build_broadcast(&c->b, x, to.rank, to.dims) : x;
}

/* A X = B, or X A = B as A' X' = B'. The older overload has them in the other order, and a copy of the matrix as a second result. */
bool torch_op_solve_triangular(ImportCall *c) {
  const bool older = c->kind == SOLVE_TRIANGULAR_LEGACY, left = older || torch_bool(c, "left");
  const bool turn = older ? torch_bool(c, "transpose") : !left, upper = torch_bool(c, "upper") != turn;
  const char *const matrix = older ? "A" : "self", *const side = older ? "self" : "B";
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue a = torch_tensor_as(c, matrix, wide), b = torch_tensor_as(c, side, wide);
  if (!elem || !a.ptr || !b.ptr || c->reason) return false;
  if (import_shape(c, a).rank < 2 || import_shape(c, b).rank < 2) return import_invalid(c, "a matrix of rank less than 2");
  ImportShape to = torch_declared(c, 0);
  MlirValue operands[] = {torch_batched(c, turn ? torch_turned(c, a) : a, to), torch_batched(c, left ? b : torch_turned(c, b), to)};
  TccNamedAttr attrs[] = {{"upper", tcc_attr_bool(c->ir, upper)}, {"unit", tcc_attr_bool(c->ir, torch_bool(c, "unitriangular"))}};
  MlirValue x = import_op(c, TCC_OP_TRIANGULAR_SOLVE, operands, 2, attrs, 2);
  if (!torch_output(c, 0, torch_convert(c, left ? x : torch_turned(c, x), elem))) return false;
  return !older || torch_output(c, 1, torch_tensor(c, matrix));
}

/* k quarter turns of two axes. */
bool torch_op_rot90(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  const int64_t *dims;
  size_t count;
  int64_t turns = torch_int(c, "k"), axes[2], perm[TCC_MAX_RANK];
  if (!x.ptr || c->reason || !torch_ints(c, "dims", &dims, &count)) return false;
  if (count != 2) return import_invalid(c, "dims has %zu entries", count);
  for (int i = 0; i < 2; i++)
    if (!import_axis(c, dims[i], shape.rank, &axes[i])) return false;
  turns = (turns % 4 + 4) % 4;
  for (int i = 0; i < shape.rank; i++) perm[i] = i;
  for (int i = 0; i < 2; i++) { /* once: the second axis backwards, then both change places; thrice: the first */
    const TccExpr *size = shape.dims[axes[i]];
    if ((turns == 2 || turns == (i ? 1 : 3)) && !import_is_size(size, 0))
      x = tcc_build_slice_axis(&c->b, x, axes[i], import_size_sub(c, size, import_size(c, 1)), -1, size);
  }
  perm[axes[0]] = axes[1], perm[axes[1]] = axes[0];
  return torch_output(c, 0, turns % 2 ? tcc_build_transpose(&c->b, x, perm) : x);
}

/* The product of three tensors, each with new axes of size 1 at expand1 to expand3, summed over the axes sumdim. */
bool torch_op_trilinear(ImportCall *c) {
  static const char *const names[][2] = {{"i1", "expand1"}, {"i2", "expand2"}, {"i3", "expand3"}};
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  const int64_t *axes, *summed;
  size_t n, nsummed;
  MlirValue y = {NULL};
  if (!elem || !torch_ints(c, "sumdim", &summed, &nsummed)) return false;
  for (int i = 0; i < 3; i++) {
    MlirValue x = torch_tensor_as(c, names[i][0], wide);
    if (!x.ptr || !torch_ints(c, names[i][1], &axes, &n)) return false;
    for (size_t k = 0; k < n; k++) {
      int rank = import_shape(c, x).rank;
      if (axes[k] < 0 || axes[k] > rank || rank == TCC_MAX_RANK) return import_invalid(c, "a new axis %lld", (long long)axes[k]);
      x = import_unsqueeze(c, x, axes[k]);
    }
    y = i ? torch_mul(c, y, x) : x;
  }
  return torch_output(c, 0, torch_convert(c, nsummed ? torch_sum(c, y, summed, nsummed, false) : y, elem));
}

/* ops_products.c - sums of products that archives hold by name: einsum, tensordot and their kin. torch.compile makes products of matrices of them. */
#include "lib/frontend/torch/import_complex.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

/* By an equation, in the type that torch computes in; null, and a reason, where it does not fit. */
static MlirValue by_equation(ImportCall *c, const char *equation, const MlirValue *operands, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!operands[i].ptr) return operands[i];
  return import_einsum(c, tcc_str(equation), operands, count);
}

static bool answer(ImportCall *c, TccElem elem, MlirValue y) { return torch_output(c, 0, torch_convert(c, y, elem)); }

bool torch_op_einsum(ImportCall *c) {
  const MlirValue *given;
  size_t count;
  TccElem elem = torch_result(c, 0);
  TccStr equation = torch_string(c, "equation");
  if (!elem || c->reason || !torch_tensors(c, "tensors", &given, &count)) return false;
  return answer(c, elem, import_einsum(c, equation, given, count));
}

/* Each element of a vector times each of another. */
bool torch_op_outer(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  MlirValue v[] = {torch_tensor_as(c, "self", elem), torch_tensor_as(c, "vec2", elem)};
  return elem && torch_output(c, 0, by_equation(c, "i,j->ij", v, 2));
}

/* Over the last axis of both; a number times the other. */
bool torch_op_inner(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  MlirValue a = torch_tensor_as(c, "self", elem), b = torch_tensor_as(c, "other", elem);
  if (!elem || !a.ptr || !b.ptr) return false;
  const int ranks[] = {import_shape(c, a).rank, import_shape(c, b).rank};
  if (!ranks[0] || !ranks[1]) return torch_output(c, 0, torch_mul(c, a, b));
  const int64_t last[] = {ranks[0] - 1, ranks[1] - 1};
  return torch_output(c, 0, tcc_build_dot_general(&c->b, a, b, NULL, NULL, 0, &last[0], &last[1], 1));
}

/* Where one of two axes has the size 1 the other is summed. */
static void sum_beside_one(ImportCall *c, MlirValue *v, int64_t first, int64_t second) {
  const int64_t axes[] = {first, second};
  for (int i = 0; i < 2; i++) {
    const TccExpr *own = import_shape(c, v[i]).dims[axes[i]], *other = import_shape(c, v[1 - i]).dims[axes[1 - i]];
    if (import_is_size(other, 1) && !import_is_size(own, 1)) v[i] = torch_sum(c, v[i], &axes[i], 1, true);
  }
}

bool torch_op_tensordot(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  MlirValue v[] = {torch_tensor_as(c, "self", elem), torch_tensor_as(c, "other", elem)};
  static const char *const names[] = {"dims_self", "dims_other"};
  int64_t axes[2][TCC_MAX_RANK];
  size_t counts[2];
  for (int i = 0; i < 2; i++) {
    const int64_t *given;
    if (!elem || !v[i].ptr || !torch_ints(c, names[i], &given, &counts[i])) return false;
    if (counts[i] > TCC_MAX_RANK) return import_invalid(c, "%s has %zu entries", names[i], counts[i]);
    for (size_t k = 0; k < counts[i]; k++)
      if (!import_axis(c, given[k], import_shape(c, v[i]).rank, &axes[i][k])) return false;
  }
  if (counts[0] != counts[1]) return import_invalid(c, "%zu axes with %zu", counts[0], counts[1]);
  for (size_t k = 0; k < counts[0]; k++) sum_beside_one(c, v, axes[0][k], axes[1][k]);
  return torch_output(c, 0, tcc_build_dot_general(&c->b, v[0], v[1], NULL, NULL, 0, axes[0], axes[1], counts[0]));
}

/* Each element of self times all of other: axes [a, b] of the products are one of a b. */
bool torch_op_kron(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  MlirValue v[] = {torch_tensor_as(c, "self", elem), torch_tensor_as(c, "other", elem)};
  ImportShape s[] = {import_shape(c, v[0]), import_shape(c, v[1])}, to = torch_declared(c, 0);
  const TccExpr *dims[2][TCC_MAX_RANK], *one = import_size(c, 1);
  if (!elem || !v[0].ptr || !v[1].ptr || !to.elem) return false;
  const int rank = s[0].rank > s[1].rank ? s[0].rank : s[1].rank;
  if (2 * rank > TCC_MAX_RANK) return import_unsupported(c, "tensors of rank %d", rank);
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < rank; k++) {
      const int own = k - (rank - s[i].rank);
      dims[i][2 * k + i] = own >= 0 ? s[i].dims[own] : one, dims[i][2 * k + 1 - i] = one;
    }
    v[i] = tcc_build_reshape(&c->b, v[i], 2 * rank, dims[i]);
  }
  return torch_output(c, 0, tcc_build_reshape(&c->b, torch_mul(c, v[0], v[1]), to.rank, to.dims));
}

/* Matrices, of which the first and the last may be vectors, from left to right. */
bool torch_op_multi_dot(ImportCall *c) {
  const MlirValue *given;
  size_t count;
  if (!torch_tensors(c, torch_has_parameter(c, "matrices") ? "matrices" : "tensors", &given, &count)) return false;
  if (!count) return import_invalid(c, "no matrices");
  MlirValue y = given[0];
  for (size_t i = 1; i < count; i++) y = tcc_build2(&c->b, TCC_OP_MATMUL, y, given[i]);
  return torch_output(c, 0, y);
}

/* Of two tensors along an axis. */
bool torch_op_vecdot(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue v[] = {torch_tensor_as(c, "x", wide), torch_tensor_as(c, "y", wide)};
  ImportShape shape;
  int64_t axis;
  if (!elem || !v[0].ptr || !v[1].ptr || !torch_broadcast_all(c, v, 2, &shape) || !torch_axis(c, "dim", shape.rank, &axis))
    return false;
  return answer(c, elem, torch_sum(c, torch_mul(c, v[0], v[1]), &axis, 1, false));
}

/* y_o = sum of x1_i w_oij x2_j, and a bias. */
bool torch_op_bilinear(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  MlirValue v[] = {torch_tensor(c, "input1"), torch_tensor(c, "weight"), torch_tensor(c, "input2")},
            bias = torch_optional(c, "bias"), y = by_equation(c, "...i,oij,...j->...o", v, 3);
  return elem && !c->reason && answer(c, elem, bias.ptr ? torch_add(c, y, bias) : y);
}

/* The n-th power of square matrices, by squares. */
bool torch_op_matrix_power(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), y = {NULL};
  ImportShape s = import_shape(c, x);
  int64_t n = torch_int(c, "n");
  if (!x.ptr || c->reason) return false;
  if (s.rank < 2) return import_invalid(c, "a tensor of rank %d", s.rank);
  if (n < 0) return import_unsupported(c, "an inverse");
  if (n == 0) {
    MlirValue one = tcc_build_compare(&c->b, "eq", tcc_build_iota(&c->b, TCC_ELEM_I64, s.rank - 2, s.rank, s.dims),
                                      tcc_build_iota(&c->b, TCC_ELEM_I64, s.rank - 1, s.rank, s.dims));
    return torch_output(c, 0, torch_convert(c, one, s.elem));
  }
  for (; n && x.ptr; n /= 2) {
    if (n % 2) y = y.ptr ? tcc_build2(&c->b, TCC_OP_MATMUL, y, x) : x;
    if (n > 1) x = tcc_build2(&c->b, TCC_OP_MATMUL, x, x);
  }
  return torch_output(c, 0, y);
}

/* ---- of complex numbers: four products of parts ---- */
static MlirValue matrix_product(ImportCall *c, const void *context, MlirValue a, MlirValue b) {
  (void)context;
  return tcc_build2(&c->b, TCC_OP_MATMUL, a, b);
}

static MlirValue transposed_product(ImportCall *c, const void *context, MlirValue a, MlirValue b) {
  (void)context; /* a b', b a matrix */
  if (!a.ptr || !b.ptr) return a.ptr ? b : a;
  const int64_t axis = import_shape(c, a).rank - 1, one = 1;
  return tcc_build_dot_general(&c->b, a, b, NULL, NULL, 0, &axis, &one, 1);
}

static MlirValue equation_product(ImportCall *c, const void *context, MlirValue a, MlirValue b) {
  (void)context;
  return a.ptr && b.ptr ? import_einsum(c, torch_string(c, "equation"), (MlirValue[]){a, b}, 2) : a.ptr ? b : a;
}

static MlirValue outer_product(ImportCall *c, const void *context, MlirValue a, MlirValue b) {
  (void)context;
  return by_equation(c, "i,j->ij", (MlirValue[]){a, b}, 2);
}

TorchComplex torch_complex_bilinear(ImportCall *c, TorchBilinear *f, const void *context, TorchComplex a, TorchComplex b) {
  TorchComplex r = {f(c, context, a.real, b.real), {NULL}};
  if (a.imaginary.ptr && b.imaginary.ptr) r.real = torch_sub(c, r.real, f(c, context, a.imaginary, b.imaginary));
  if (b.imaginary.ptr) r.imaginary = f(c, context, a.real, b.imaginary);
  MlirValue other = a.imaginary.ptr ? f(c, context, a.imaginary, b.real) : a.imaginary;
  if (other.ptr) r.imaginary = r.imaginary.ptr ? torch_add(c, r.imaginary, other) : other;
  return r;
}

TorchComplex torch_complex_sum(ImportCall *c, TorchComplex a, TorchComplex b) {
  a.real = torch_add(c, a.real, b.real);
  if (b.imaginary.ptr) a.imaginary = a.imaginary.ptr ? torch_add(c, a.imaginary, b.imaginary) : b.imaginary;
  return a;
}

bool torch_complex_matmul(ImportCall *c) {
  static const char *const names[] = {"other", "mat2", "vec", "vec2", "tensor"};
  const char *second = names[0];
  TorchComplex a, b;
  TccElem elem = torch_complex_elem(c, 0);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (torch_argument(c, names[i])) second = names[i];
  if (!torch_complex_operand(c, "self", elem, &a) || !torch_complex_operand(c, second, elem, &b)) return false;
  if (tcc_str_is(c->op, "aten.vdot.default") && a.imaginary.ptr) a.imaginary = torch_neg(c, a.imaginary);
  const bool outer = tcc_str_is(c->op, "aten.outer.default") || tcc_str_is(c->op, "aten.ger.default");
  return torch_complex_output(c, 0, torch_complex_bilinear(c, outer ? outer_product : matrix_product, NULL, a, b));
}

/* beta * self + alpha * mat1 mat2 with real factors. */
bool torch_complex_addmm(ImportCall *c) {
  const bool batched = torch_argument(c, "batch1") != NULL;
  TorchComplex a, b, self;
  TccElem elem = torch_complex_elem(c, 0);
  const double alpha = torch_float(c, "alpha"), beta = torch_float(c, "beta");
  if (c->reason || !torch_complex_operand(c, batched ? "batch1" : "mat1", elem, &a) ||
      !torch_complex_operand(c, batched ? "batch2" : "mat2", elem, &b) || !torch_complex_operand(c, "self", elem, &self))
    return false;
  TorchComplex y = torch_complex_bilinear(c, matrix_product, NULL, a, b);
  if (alpha != 1) y = torch_complex_product(c, y, (TorchComplex){torch_constant(c, elem, alpha), {NULL}});
  if (beta != 1) self = torch_complex_product(c, self, (TorchComplex){torch_constant(c, elem, beta), {NULL}});
  return torch_complex_output(c, 0, beta == 0 ? y : torch_complex_sum(c, y, self));
}

bool torch_complex_linear(ImportCall *c) {
  TorchComplex x, w, bias;
  TccElem elem = torch_complex_elem(c, 0);
  if (!torch_complex_operand(c, "input", elem, &x) || !torch_complex_operand(c, "weight", elem, &w)) return false;
  if (import_shape(c, w.real).rank != 2) return import_unsupported(c, "a weight of complex numbers that is no matrix");
  TorchComplex y = torch_complex_bilinear(c, transposed_product, NULL, x, w);
  if (torch_given(c, "bias")) {
    if (!torch_complex_operand(c, "bias", elem, &bias)) return false;
    y = torch_complex_sum(c, y, bias);
  }
  return torch_complex_output(c, 0, y);
}

/* Of one or two tensors. */
bool torch_complex_einsum(ImportCall *c) {
  const TccTorchArg *list = torch_argument(c, "tensors");
  TorchComplex v[2];
  TccElem elem = torch_complex_elem(c, 0);
  if (!list || list->kind != TCC_TORCH_TENSORS || list->list.count < 1) return import_invalid(c, "no tensors");
  if (list->list.count > 2) return import_unsupported(c, "more than two tensors, of complex numbers");
  for (size_t i = 0; i < list->list.count; i++)
    if (!torch_complex_item(c, list, i, elem, &v[i])) return false;
  if (list->list.count == 2) return torch_complex_output(c, 0, torch_complex_bilinear(c, equation_product, NULL, v[0], v[1]));
  TccStr equation = torch_string(c, "equation");
  TorchComplex y = {import_einsum(c, equation, &v[0].real, 1), {NULL}};
  if (v[0].imaginary.ptr) y.imaginary = import_einsum(c, equation, &v[0].imaginary, 1);
  return torch_complex_output(c, 0, y);
}

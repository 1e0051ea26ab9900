/* ops_matmul.c - ONNX operators that sum products: MatMul, Gemm, Einsum. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

bool onnx_op_matmul(ImportCall *c) {
  return import_need(c, 2) &&
         import_output(c, 0,
                       tcc_build2(&c->b, TCC_OP_MATMUL, import_input(c, 0), import_without_subnormals(c, import_input(c, 1))));
}

static MlirValue scaled(ImportCall *c, MlirValue x, double factor) {
  return factor == 1.0 ? x : tcc_build2_number(&c->b, TCC_OP_MUL, x, factor);
}

/* alpha * a b + beta * c, as linear: x w (+ bias where alpha is 1). */
bool onnx_op_gemm(ImportCall *c) {
  static const int64_t swap[] = {1, 0};
  if (!import_need(c, 2)) return false;
  MlirValue a = import_input(c, 0), b = import_without_subnormals(c, import_input(c, 1)), bias = {NULL};
  if (import_shape(c, a).rank != 2 || import_shape(c, b).rank != 2) return import_invalid(c, "A and B must have rank 2");
  double alpha = onnx_float(c, "alpha", 1.0), beta = onnx_float(c, "beta", 1.0);
  if (onnx_int(c, "transA", 0)) a = tcc_build_transpose(&c->b, a, swap);
  if (import_has_input(c, 2) && beta != 0) {
    bias = scaled(c, import_input(c, 2), beta);
    if (!bias.ptr) return false;
  }
  TccNamedAttr transposed = {"transposed", tcc_attr_bool(c->ir, onnx_int(c, "transB", 0) != 0)};
  MlirValue operands[] = {a, b, alpha == 1.0 ? bias : (MlirValue){NULL}};
  if (!a.ptr) return false;
  MlirValue y = scaled(c, import_op(c, TCC_OP_LINEAR, operands, 3, &transposed, 1), alpha);
  if (alpha != 1.0 && bias.ptr) y = tcc_build2(&c->b, TCC_OP_ADD, y, bias);
  return import_output(c, 0, y);
}

bool onnx_op_einsum(ImportCall *c) {
  if (!import_need(c, c->ninputs ? c->ninputs : 1)) return false;
  MlirValue *operands = TCC_NEW_ARRAY(import_arena(c), MlirValue, c->ninputs);
  for (size_t i = 0; i < c->ninputs; i++) operands[i] = import_input(c, i);
  return import_output(c, 0, import_einsum(c, onnx_string(c, "equation", ""), operands, c->ninputs));
}

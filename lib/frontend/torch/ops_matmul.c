/* ops_matmul.c - overloads that sum products. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

static MlirValue weight(ImportCall *c, MlirValue w) { return w.ptr ? import_without_subnormals(c, w) : w; }

/* Products of bytes are sums in i32, which torch has in bytes. */
static MlirValue as_result(ImportCall *c, MlirValue y) {
  TccElem elem = y.ptr ? torch_result(c, 0) : TCC_ELEM_NONE;
  return elem && !tcc_elem_is_float(elem) ? tcc_build_convert(&c->b, y, elem) : y;
}

static MlirValue product(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_MATMUL, a, weight(c, b)); }

bool torch_op_matmul(ImportCall *c) {
  static const char *const names[] = {"other", "mat2", "vec"};
  const char *second = names[0];
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (torch_argument(c, names[i])) second = names[i];
  MlirValue y = product(c, torch_tensor(c, "self"), torch_tensor(c, second));
  return torch_output(c, 0, as_result(c, y));
}

bool torch_op_linear(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input"), w = weight(c, torch_tensor(c, "weight"));
  MlirValue operands[] = {x, w, torch_optional(c, "bias")};
  if (c->reason || !x.ptr || !w.ptr) return false;
  if (import_shape(c, w).rank == 1) {
    MlirValue y = product(c, x, w);
    return torch_output(c, 0, operands[2].ptr ? tcc_build2(&c->b, TCC_OP_ADD, y, operands[2]) : y);
  }
  TccNamedAttr transposed = {"transposed", tcc_attr_bool(c->ir, true)};
  return torch_output(c, 0, import_op(c, TCC_OP_LINEAR, operands, 3, &transposed, 1));
}

/* beta * self + alpha * mat1 mat2, rounded once; self is not read where beta is 0. */
bool torch_op_addmm(ImportCall *c) {
  bool batched = torch_argument(c, "batch1") != NULL;
  MlirValue a = torch_tensor(c, batched ? "batch1" : "mat1"), b = weight(c, torch_tensor(c, batched ? "batch2" : "mat2"));
  if (c->reason || !a.ptr || !b.ptr) return false;
  const bool plain = !batched && torch_is_number(torch_number(c, "alpha"), 1) && torch_is_number(torch_number(c, "beta"), 1);
  MlirValue bias = plain ? torch_tensor(c, "self") : (MlirValue){NULL};
  if (bias.ptr && tcc_elem_is_float(tcc_value_elem(a)) && import_shape(c, bias).rank == 1 && import_shape(c, b).rank == 2 &&
      import_shape(c, bias).dims[0] == import_shape(c, b).dims[1]) {
    MlirValue operands[] = {a, b, bias};
    TccNamedAttr transposed = {"transposed", tcc_attr_bool(c->ir, false)};
    return torch_output(c, 0, import_op(c, TCC_OP_LINEAR, operands, 3, &transposed, 1));
  }
  MlirValue y = as_result(c, tcc_build2(&c->b, TCC_OP_MATMUL, a, b));
  TccElem elem = y.ptr ? tcc_value_elem(y) : TCC_ELEM_NONE;
  return y.ptr && torch_output(c, 0, torch_convert(c, torch_scaled_sum(c, torch_convert(c, y, torch_wide(elem))), elem));
}

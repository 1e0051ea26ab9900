/* ops_grouped.c - products of groups of rows, as experts have them: torch's grouped_mm, and that of transformers for types that it lacks. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include "tcc/op_kinds.h"

static MlirValue ragged_dot(ImportCall *c, const char *ragged, MlirValue a, MlirValue b, MlirValue ends) {
  MlirValue operands[] = {a, b, ends};
  TccNamedAttr attr = {"ragged", tcc_attr_str(c->ir, tcc_str(ragged))};
  return a.ptr && b.ptr && ends.ptr ? import_op(c, TCC_OP_RAGGED_DOT, operands, 3, &attr, 1) : (MlirValue){NULL};
}

/* A matrix, or those of a batch, turned. */
static MlirValue turned(ImportCall *c, MlirValue x) {
  if (!x.ptr) return x;
  return tcc_build_transpose(&c->b, x, tcc_type_rank(tcc_value_type(x)) == 2 ? (int64_t[]){1, 0} : (int64_t[]){0, 2, 1});
}

/* Ranks of the operands say what `offs` cuts: the rows (2, 3), the columns (3, 2) or what is summed (2, 2) into groups, or nothing (3, 3). */
bool torch_op_grouped_mm(ImportCall *c) {
  MlirValue a = torch_tensor(c, "self"), b = torch_tensor(c, "mat2"), y;
  TccElem elem = torch_result(c, 0);
  if (!a.ptr || !b.ptr || !elem) return false;
  if (torch_given(c, "bias")) return import_unsupported(c, "'bias' of a grouped product");
  int left = import_shape(c, a).rank, right = import_shape(c, b).rank;
  if (left == 3 && right == 3) return torch_output(c, 0, torch_convert(c, tcc_build2(&c->b, TCC_OP_MATMUL, a, b), elem));
  MlirValue ends = torch_tensor(c, "offs");
  if (left == 3) y = turned(c, ragged_dot(c, "rows", turned(c, b), turned(c, a), ends));
  else y = ragged_dot(c, right == 3 ? "rows" : "depth", a, b, ends);
  return y.ptr && torch_output(c, 0, torch_convert(c, y, elem));
}

bool torch_op_grouped_rows(ImportCall *c) {
  return torch_output(c, 0, ragged_dot(c, "rows", torch_tensor(c, "input"), torch_tensor(c, "weight"), torch_tensor(c, "offs")));
}

bool torch_op_grouped_rows_backward(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input"), w = torch_tensor(c, "weight"), ends = torch_tensor(c, "offs"),
            g = torch_tensor(c, "grad_output");
  return torch_output(c, 0, ragged_dot(c, "rows", g, turned(c, w), ends)) &&
         torch_output(c, 1, ragged_dot(c, "depth", turned(c, x), g, ends));
}

/* solve.c - triangular systems: a thread for a column of the right side (lib/codegen/emit/triangular.c). Threads of a warp have columns side by
 * side, so that they read an element of the matrix together, and rows of the solution that lie in a piece. */
#include "lib/codegen/emit/scalar.h"
#include "lib/codegen/emit/triangular.h"
#include "lib/targets/nvptx/nvptx.h"
#include "tcc/op_kinds.h"

enum { THREADS = 64 };

static TccStatus *operand_pointer(NvptxKernel *n, MlirOperation op, int index, TccVal *out) {
  MlirValue value = mlirOperationGetOperand(op, index);
  TccIr *ir = n->k.ir;
  size_t count;
  *out = 0;
  if (!mlirValueIsAOpResult(value)) {
    *out = tcc_kernel_argument(&n->k, (int)mlirBlockArgumentGetArgNumber(value));
    return NULL;
  }
  const void *data = tcc_value_kind(ir, value) == TCC_OP_CONSTANT ? tcc_constant_data(ir, value, &count) : NULL;
  if (!data) return TCC_ERROR(TCC_UNSUPPORTED, "an operand that is computed inside the kernel");
  *out = tcc_emit_data(&n->e, data, tcc_elem_bytes(tcc_value_elem(value), count));
  return NULL;
}

static void solve_column(NvptxKernel *n, TccTriangular *t, const TccExpr *columns, const TccExpr *width) {
  TccEmit *e = &n->e;
  TccVal thread = nvptx_global_thread(n, THREADS), matrix, column;
  TccIf inside;
  tcc_emit_if(e, &inside, tcc_emit_icmp(e, "slt", "i64", thread, tcc_kernel_size(&n->k, columns)), 0, NULL);
  nvptx_divide(&n->k, thread, width, &matrix, &column);
  TccVal at = tcc_emit_add(e, tcc_emit_mul(e, matrix, tcc_emit_mul(e, t->rows, t->width)), column);
  t->a = tcc_emit_gep(e, t->elem, t->a, tcc_emit_mul(e, matrix, tcc_emit_mul(e, t->rows, t->rows)));
  t->b = tcc_emit_gep(e, t->elem, t->b, at), t->to = tcc_emit_gep(e, t->elem, t->to, at);
  tcc_emit_triangular(e, t);
  tcc_emit_end_if(e, &inside, NULL);
}

TccStatus *nvptx_solve(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  NvptxKernel n;
  MlirOperation op;
  TCC_TRY(tcc_triangular_op(ir, kernel, &op));
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0));
  const int rank = tcc_type_rank(type);
  const TccExpr *width = tcc_type_dim(ir, type, rank - 1), *columns = width;
  for (int i = 0; i < rank - 2; i++) columns = tcc_expr_mul(ir->exprs, columns, tcc_type_dim(ir, type, i));
  nvptx_open(&n, ir, target, kernel);
  const char *elem = tcc_scalar_type(tcc_type_elem(type));
  TccTriangular t = {.elem = elem, .type = elem, .lanes = 1, .vectors = 1};
  t.upper = tcc_bool(ir, op, "upper"), t.unit = tcc_bool(ir, op, "unit");
  TccStatus *status = operand_pointer(&n, op, 0, &t.a);
  if (!status) status = operand_pointer(&n, op, 1, &t.b);
  if (status) {
    nvptx_abandon(&n);
    return status;
  }
  t.to = tcc_kernel_argument(&n.k, (int)mlirBlockGetNumArguments(tcc_func_body(kernel)));
  t.rows = tcc_kernel_size(&n.k, tcc_type_dim(ir, type, rank - 2)), t.width = tcc_kernel_size(&n.k, width);
  solve_column(&n, &t, columns, width);
  return nvptx_close(&n, "nvptx.solve", "a thread for a column", nvptx_blocks(ir, columns, THREADS), THREADS, 0, out);
}

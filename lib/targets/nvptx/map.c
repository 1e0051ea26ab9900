/* map.c - elementwise ops, views, gathers, pads: one thread per element of each result. */
#include "lib/targets/nvptx/nvptx.h"

enum { THREADS = 256 };

TccStatus *nvptx_map(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t nresults = mlirOperationGetNumOperands(end);
  NvptxKernel n;
  nvptx_open(&n, ir, target, kernel);
  TccEmit *t = &n.e;
  TccVal thread = nvptx_global_thread(&n, THREADS);
  const TccExpr *most = tcc_expr_const(ir->exprs, 1);
  TccStatus *status = NULL;
  for (intptr_t r = 0; r < nresults && !status; r++) {
    MlirValue result = mlirOperationGetOperand(end, r);
    MlirType type = tcc_value_type(result);
    TccPull *p = TCC_NEW(ir->arena, TccPull);
    TccPullIndex store;
    TccPullNode *root = tcc_pull_result(p, ir, kernel, result, &store);
    if ((status = p->status)) break;
    TccPullIndex *stores = &store;
    tcc_pull_join_dims(p, &stores, 1);
    const TccExpr *count = tcc_type_count(ir, type);
    most = most == tcc_expr_const(ir->exprs, 1) ? count : tcc_expr_call(ir->exprs, TCC_EXPR_MAX, most, count);
    TccPullEmit e;
    TccIf inside;
    TccVal value;
    tcc_pull_emit_init(&e, &n.k, p, 1);
    tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", thread, tcc_kernel_size(&n.k, count)), 0, NULL);
    nvptx_take_apart(&n.k, p->dim, p->ndims, thread, e.iv);
    status = tcc_pull_emit_node(&e, root, &value);
    if (!status)
      status = tcc_pull_emit_store(&e, (int)mlirBlockGetNumArguments(block) + (int)r, tcc_type_elem(type), &store, value);
    tcc_emit_end_if(t, &inside, NULL);
  }
  if (status) {
    nvptx_abandon(&n);
    return status;
  }
  return nvptx_close(&n, "nvptx.map", "", nvptx_blocks(ir, most, THREADS), THREADS, 0, out);
}

/* map.c - elementwise ops, views, gathers, pads: for each result a thread has one element, or those of 16 bytes that lie side by side where all
 * that is read for them does, too. */
#include "lib/targets/nvptx/operand.h"

enum { THREADS = 256, PIECE = 16, MOST_NODES = 256 /* that there is code for, of a run */ };

typedef struct {
  NvptxKernel *n;
  TccPull *p;
  TccPullNode *root;
  TccPullIndex store;
  TccElem elem;
  int argument, run; /* elements of a thread */
} Result;

/* Elements of a thread, along the last dim. */
static int run_of(const Result *r) {
  const TccPull *p = r->p;
  int run = PIECE * 8 / (int)tcc_elem_bits(r->elem);
  if (run > NVPTX_MOST_RUN) run = NVPTX_MOST_RUN;
  while (run > 1 && ((size_t)run * p->nodes.count > MOST_NODES || !p->ndims || !tcc_pull_has_runs(p, &r->store, p->ndims - 1, run)))
    run /= 2;
  return run > 1 ? run : 1;
}

static TccStatus *read_result(Result *r, MlirOperation kernel, MlirValue result) {
  TccIr *ir = r->n->k.ir;
  r->p = TCC_NEW(ir->arena, TccPull);
  r->root = tcc_pull_result(r->p, ir, kernel, result, &r->store);
  if (r->p->status) return r->p->status;
  TccPullIndex *stores = &r->store;
  tcc_pull_join_dims(r->p, &stores, 1);
  r->elem = tcc_type_elem(tcc_value_type(result));
  r->run = tcc_elem_bits(r->elem) < 8 ? 1 : run_of(r);
  return NULL;
}

/* All is read before any is stored: a result may lie where an operand does. */
static TccStatus *emit_run(Result *r, TccPullEmit *e) {
  TccEmit *t = &r->n->e;
  int last = r->p->ndims - 1;
  TccVal v[NVPTX_MOST_RUN], first = 0;
  if (r->run > 1) first = e->iv[last] = tcc_emit_mul(t, e->iv[last], tcc_emit_i64(t, r->run));
  e->run_dim = last;
  for (int i = 0; i < r->run; i++) {
    if (i) e->iv[last] = tcc_emit_add(t, first, tcc_emit_i64(t, i)), tcc_pull_emit_reset(e);
    e->run = i || r->run == 1 ? 0 : r->run;
    TCC_TRY(tcc_pull_emit_node(e, r->root, &v[i]));
  }
  for (int i = 0; i < r->run; i++) {
    if (r->run > 1) e->iv[last] = tcc_emit_add(t, first, tcc_emit_i64(t, i));
    e->run = i || r->run == 1 ? 0 : r->run;
    TCC_TRY(tcc_pull_emit_store(e, r->argument, r->elem, &r->store, v[i]));
  }
  return NULL;
}

/* threads: that there are for it. */
static TccStatus *emit_result(Result *r, TccVal thread, const TccExpr *threads) {
  TccEmit *t = &r->n->e;
  TccExprPool *exprs = r->n->k.ir->exprs;
  const TccExpr *sizes[TCC_PULL_DIMS];
  TccPullEmit e;
  TccIf inside;
  tcc_pull_emit_init(&e, &r->n->k, r->p, 1);
  for (int d = 0; d < r->p->ndims; d++) sizes[d] = r->p->dim[d];
  if (r->run > 1) {
    int last = r->p->ndims - 1;
    sizes[last] = tcc_expr_call(exprs, TCC_EXPR_FLOORDIV, sizes[last], tcc_expr_const(exprs, r->run));
  }
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", thread, tcc_kernel_size(&r->n->k, threads)), 0, NULL);
  nvptx_take_apart(&r->n->k, sizes, r->p->ndims, thread, e.iv);
  TccStatus *status = emit_run(r, &e);
  tcc_emit_end_if(t, &inside, NULL);
  return status;
}

TccStatus *nvptx_map(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t nresults = mlirOperationGetNumOperands(end);
  NvptxKernel n;
  nvptx_open(&n, ir, target, kernel);
  TccVal thread = nvptx_global_thread(&n, THREADS);
  const TccExpr *most = tcc_expr_const(ir->exprs, 1);
  TccStatus *status = NULL;
  int widest = 1;
  for (intptr_t i = 0; i < nresults && !status; i++) {
    MlirValue result = mlirOperationGetOperand(end, i);
    Result r = {.n = &n, .argument = (int)mlirBlockGetNumArguments(block) + (int)i};
    if ((status = read_result(&r, kernel, result))) break;
    const TccExpr *count = tcc_type_count(ir, tcc_value_type(result)),
                  *threads = r.run > 1 ? nvptx_blocks(ir, count, r.run) : count;
    most = most == tcc_expr_const(ir->exprs, 1) ? threads : tcc_expr_call(ir->exprs, TCC_EXPR_MAX, most, threads);
    if (r.run > widest) widest = r.run;
    status = emit_result(&r, thread, threads);
  }
  if (status) {
    nvptx_abandon(&n);
    return status;
  }
  const char *schedule = widest > 1 ? tcc_arena_printf(ir->arena, "elements of a thread = %d", widest) : "";
  return nvptx_close(&n, "nvptx.map", schedule, nvptx_blocks(ir, most, THREADS), THREADS, 0, out);
}

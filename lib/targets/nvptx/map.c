/* map.c - elementwise ops, views, gathers, pads: for the results of each shape a thread has one element, or those of 16 bytes that lie side by
 * side where all that is read for them does, too. */
#include "lib/codegen/read/map_nests.h"
#include "lib/targets/nvptx/operand.h"

enum { THREADS = 256, MOST_NODES = 256 /* that there is code for, of a run */ };

typedef struct {
  NvptxKernel *n;
  TccMapNest *of;
  int run; /* elements of a thread */
} Nest;

/* Elements of a thread, along the last dim. */
static int run_of(const Nest *nest) {
  const TccPull *p = &nest->of->pull;
  int run = NVPTX_MOST_RUN;
  for (size_t i = 0; i < nest->of->count; i++) run = nvptx_run_within(nest->of->results[i].elem, run);
  while (run > 1 && ((size_t)run * p->nodes.count > MOST_NODES || !p->ndims)) run /= 2;
  for (size_t i = 0; i < nest->of->count; i++)
    while (run > 1 && !tcc_pull_has_runs(p, &nest->of->results[i].store, p->ndims - 1, run)) run /= 2;
  return run > 1 ? run : 1;
}

/* All is read before any is stored: a result may lie where an operand does. */
static TccStatus *emit_run(Nest *nest, TccPullEmit *e) {
  TccEmit *t = &nest->n->e;
  int last = nest->of->pull.ndims - 1;
  TccVal first = 0, *values = TCC_NEW_ARRAY(nest->of->pull.arena, TccVal, nest->of->count * NVPTX_MOST_RUN);
  if (nest->run > 1) first = e->iv[last] = tcc_emit_mul(t, e->iv[last], tcc_emit_i64(t, nest->run));
  e->run_dim = last;
  for (int i = 0; i < nest->run; i++) {
    if (i) e->iv[last] = tcc_emit_add(t, first, tcc_emit_i64(t, i)), tcc_pull_emit_reset(e);
    e->run = i || nest->run == 1 ? 0 : nest->run;
    for (size_t r = 0; r < nest->of->count; r++)
      TCC_TRY(tcc_pull_emit_node(e, nest->of->results[r].root, &values[r * NVPTX_MOST_RUN + (size_t)i]));
  }
  for (size_t r = 0; r < nest->of->count; r++)
    for (int i = 0; i < nest->run; i++) {
      const TccMapResult *result = &nest->of->results[r];
      if (nest->run > 1) e->iv[last] = tcc_emit_add(t, first, tcc_emit_i64(t, i));
      e->run = i || nest->run == 1 ? 0 : nest->run;
      TCC_TRY(tcc_pull_emit_store(e, result->argument, result->elem, &result->store, values[r * NVPTX_MOST_RUN + (size_t)i]));
    }
  return NULL;
}

/* threads: that there are for it. */
static TccStatus *emit_nest(Nest *nest, TccVal thread, const TccExpr *threads) {
  TccEmit *t = &nest->n->e;
  TccExprPool *exprs = nest->n->k.ir->exprs;
  const TccExpr *sizes[TCC_PULL_DIMS];
  TccPullEmit e;
  TccIf inside;
  tcc_pull_emit_init(&e, &nest->n->k, &nest->of->pull, 1);
  for (int d = 0; d < nest->of->pull.ndims; d++) sizes[d] = nest->of->pull.dim[d];
  if (nest->run > 1) {
    int last = nest->of->pull.ndims - 1;
    sizes[last] = tcc_expr_call(exprs, TCC_EXPR_FLOORDIV, sizes[last], tcc_expr_const(exprs, nest->run));
  }
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", thread, tcc_kernel_size(&nest->n->k, threads)), 0, NULL);
  nvptx_take_apart(&nest->n->k, sizes, nest->of->pull.ndims, thread, e.iv);
  TccStatus *status = emit_run(nest, &e);
  tcc_emit_end_if(t, &inside, NULL);
  return status;
}

TccStatus *nvptx_map(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  TccMapNest *nests;
  size_t count;
  TCC_TRY(tcc_map_nests_read(ir, kernel, &nests, &count));
  NvptxKernel n;
  nvptx_open(&n, ir, target, kernel);
  TccVal thread = nvptx_global_thread(&n, THREADS);
  const TccExpr *most = tcc_expr_const(ir->exprs, 1);
  TccStatus *status = NULL;
  int widest = 1;
  for (size_t i = 0; i < count && !status; i++) {
    Nest nest = {.n = &n, .of = &nests[i]};
    nest.run = run_of(&nest);
    MlirValue result = mlirOperationGetOperand(end, nests[i].results[0].argument - mlirBlockGetNumArguments(block));
    const TccExpr *elements = tcc_type_count(ir, tcc_value_type(result)),
                  *threads = nest.run > 1 ? nvptx_blocks(ir, elements, nest.run) : elements;
    most = most == tcc_expr_const(ir->exprs, 1) ? threads : tcc_expr_call(ir->exprs, TCC_EXPR_MAX, most, threads);
    if (nest.run > widest) widest = nest.run;
    status = emit_nest(&nest, thread, threads);
  }
  if (status) {
    nvptx_abandon(&n);
    return status;
  }
  const char *schedule = widest > 1 ? tcc_arena_printf(ir->arena, "elements of a thread = %d", widest) : "";
  return nvptx_close(&n, "nvptx.map", schedule, nvptx_blocks(ir, most, THREADS), THREADS, 0, out);
}

/* import_body.c - bodies of loops that the run-time runs, as functions. */
#include "lib/frontend/onnx/import_run.h"

static void enter(OnnxCall *c, MlirBlock block) { c->b.block = c->import->b.block = block; }

size_t onnx_loops(const OnnxCall *c) { return c->import->loops.count; }

void onnx_loops_forget(OnnxCall *c, size_t count) {
  OnnxImport *run = c->import;
  while (run->loops.count > count) mlirOperationDestroy(run->loops.data[--run->loops.count]);
  tcc_symbolic_forget(c->ir);
}

void onnx_body_open(OnnxCall *c, OnnxBody *body) {
  *body = (OnnxBody){.block = mlirBlockCreate(0, NULL, NULL),
                     .outer = c->b.block,
                     .problems = c->import->problems.count,
                     .loops = c->import->loops.count};
  enter(c, body->block);
}

void onnx_body_drop(OnnxCall *c, OnnxBody *body, bool forgive) {
  enter(c, body->outer);
  mlirBlockDestroy(body->block);
  onnx_loops_forget(c, body->loops);
  if (!forgive) return;
  c->import->problems.count = body->problems;
  c->reason = NULL;
  c->is_unsupported = false;
}

MlirValue onnx_body_argument(OnnxCall *c, OnnxBody *body, MlirType type) {
  return mlirBlockAddArgument(body->block, type, c->b.location);
}

/* What a function that is called often cannot have. */
static bool counts(OnnxCall *c, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (tcc_op_kind(c->ir, op) == TCC_OP_NONZERO) return true;
  return false;
}

bool onnx_body_close(OnnxCall *c, OnnxBody *body, size_t carried, const MlirValue *initial, const MlirValue *results,
                     const TccExpr *trips, bool conditional, MlirValue *out) {
  OnnxImport *run = c->import;
  bool ok = !c->reason && !run->restart;
  for (size_t i = 0; ok && i < carried; i++) {
    ok = results[i].ptr && initial[i].ptr;
    if (ok && !mlirTypeEqual(tcc_value_type(initial[i]), tcc_value_type(results[i])))
      ok = onnx_same_type(c, initial[i], results[i], "a carried value before and after an iteration");
  }
  if (ok && counts(c, body->block)) ok = onnx_unsupported(c, "a size that depends on data inside of a loop");
  if (!ok) return false;
  MlirOperation function;
  const char *name = tcc_arena_printf(c->ir->arena, "loop_%zu", run->loops.count);
  MlirOperation call =
      tcc_make_loop(c->ir, name, c->b.location, body->block, carried, initial, results, trips, conditional, &function);
  enter(c, body->outer);
  TCC_VEC_PUSH(run->arena, &run->loops, function);
  mlirBlockAppendOwnedOperation(body->outer, call);
  for (size_t i = 0; i < carried; i++) out[i] = mlirOperationGetResult(call, (intptr_t)i);
  return true;
}

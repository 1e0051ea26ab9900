/* body.c - bodies of loops that the run-time runs, and graphs that are called often, as functions. */
#include "lib/frontend/import/importer.h"
#include "tcc/op_kinds.h"

static void enter(ImportCall *c, MlirBlock block) { c->b.block = c->importer->b.block = block; }

size_t import_loops(const ImportCall *c) { return c->importer->loops.count; }

void import_loops_forget(ImportCall *c, size_t count) {
  Importer *run = c->importer;
  while (run->loops.count > count) mlirOperationDestroy(run->loops.data[--run->loops.count]);
  tcc_symbolic_forget(c->ir);
}

void import_body_open(ImportCall *c, ImportBody *body) {
  *body = (ImportBody){.block = mlirBlockCreate(0, NULL, NULL),
                       .outer = c->b.block,
                       .problems = c->importer->problems.count,
                       .loops = c->importer->loops.count,
                       .constraints = c->importer->constraints.count};
  enter(c, body->block);
}

void import_body_drop(ImportCall *c, ImportBody *body, bool forgive) {
  enter(c, body->outer);
  mlirBlockDestroy(body->block);
  import_loops_forget(c, body->loops);
  c->importer->constraints.count = c->importer->constraint_origins.count = body->constraints;
  if (!forgive) return;
  c->importer->problems.count = body->problems;
  c->reason = NULL;
  c->is_unsupported = false;
}

void import_body_inline(ImportCall *c, ImportBody *body) {
  enter(c, body->outer);
  for (MlirOperation op; !mlirOperationIsNull(op = mlirBlockGetFirstOperation(body->block));) {
    mlirOperationRemoveFromParent(op);
    mlirBlockAppendOwnedOperation(body->outer, op);
  }
  mlirBlockDestroy(body->block);
}

MlirValue import_body_argument(ImportCall *c, ImportBody *body, MlirType type) {
  return mlirBlockAddArgument(body->block, type, c->b.location);
}

/* What a function that is called often cannot have. */
static bool counts(ImportCall *c, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    if (tcc_op_kind(c->ir, op) == TCC_OP_NONZERO) return true;
  return false;
}

bool import_body_function(ImportCall *c, ImportBody *body, const char *name, size_t count, const MlirValue *results) {
  Importer *run = c->importer;
  bool ok = !c->reason && !run->restart;
  for (size_t i = 0; i < count; i++) ok = ok && results[i].ptr;
  if (ok && counts(c, body->block)) ok = import_unsupported(c, "a size that depends on data");
  if (!ok) return false;
  mlirBlockAppendOwnedOperation(body->block, tcc_make_return(c->ir, c->b.location, count, results));
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body->block);
  MlirOperation function = tcc_make_function(c->ir, name, TCC_KERNEL_NONE, c->b.location, region);
  TCC_VEC_PUSH(run->arena, &run->loops, function);
  enter(c, body->outer);
  return true;
}

bool import_body_close(ImportCall *c, ImportBody *body, size_t carried, const MlirValue *initial, const MlirValue *results,
                       const TccExpr *trips, bool conditional, MlirValue *out) {
  Importer *run = c->importer;
  bool ok = !c->reason && !run->restart;
  for (size_t i = 0; ok && i < carried; i++) {
    ok = results[i].ptr && initial[i].ptr;
    if (ok && !mlirTypeEqual(tcc_value_type(initial[i]), tcc_value_type(results[i])))
      ok = import_same_type(c, initial[i], results[i], "a carried value before and after an iteration");
  }
  if (ok && counts(c, body->block)) ok = import_unsupported(c, "a size that depends on data inside of a loop");
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

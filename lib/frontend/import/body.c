/* body.c - bodies of loops that the run-time runs, and graphs that are called often, as functions. */
#include "lib/frontend/import/importer.h"
#include "tcc/op_kinds.h"

static void enter(ImportCall *c, MlirBlock block) { c->b.block = c->importer->b.block = block; }

size_t import_loops(const ImportCall *c) { return c->importer->loops.count; }

void import_loops_forget(ImportCall *c, size_t count) {
  Importer *run = c->importer;
  while (run->loops.count > count) {
    MlirOperation function = run->loops.data[--run->loops.count];
    if (!function.ptr) continue;
    import_forget_sizes(c, tcc_func_body(function));
    mlirOperationDestroy(function);
  }
  tcc_symbolic_forget(c->ir);
}

void import_forget_loop(ImportCall *c, MlirOperation function) {
  Importer *run = c->importer;
  TCC_EACH_OP (op, tcc_func_body(function)) {
    MlirOperation inner = import_called_loop(c, op);
    if (inner.ptr) import_forget_loop(c, inner);
  }
  import_forget_sizes(c, tcc_func_body(function));
  for (size_t i = 0; i < run->loops.count; i++)
    if (mlirOperationEqual(run->loops.data[i], function)) run->loops.data[i].ptr = NULL; /* names of functions are their places */
  mlirOperationDestroy(function);
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
  import_forget_sizes(c, body->block);
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

/* ---- sizes that data decide in a body ---- */
/* Their names -> the ops that count them; NULL: there are none. */
static TccMap *counted_sizes(ImportCall *c, MlirBlock block) {
  TccMap *sizes = NULL;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (tcc_op_kind(c->ir, op) != TCC_OP_NONZERO) continue;
    if (!sizes) sizes = tcc_map_create(import_arena(c));
    tcc_map_put(sizes, tcc_string(c->ir, op, "size"), NULL)->pointer = op.ptr;
  }
  return sizes;
}

typedef struct {
  const TccMap *sizes;
  bool found;
} Search;

static void find_size(TccStr name, void *user) {
  Search *s = user;
  s->found = s->found || tcc_map_find(s->sizes, name);
}

static bool has_size_of(ImportCall *c, MlirType type, const TccMap *sizes) {
  Search s = {.sizes = sizes};
  for (int axis = 0; axis < tcc_type_rank(type); axis++) {
    const TccExpr *dim = tcc_type_dim(c->ir, type, axis);
    if (dim) tcc_expr_symbols(dim, find_size, &s);
  }
  return s.found;
}

bool import_body_decides(ImportCall *c, const ImportBody *body, MlirValue value) {
  const TccMap *sizes = counted_sizes(c, body->block);
  return sizes && has_size_of(c, tcc_value_type(value), sizes);
}

bool import_body_decides_size(ImportCall *c, const ImportBody *body, const TccExpr *size) {
  Search s = {.sizes = counted_sizes(c, body->block)};
  if (s.sizes) tcc_expr_symbols(size, find_size, &s);
  return s.found;
}

/* ---- bounds of such sizes ---- */
typedef struct {
  TccStr name;
  const TccExpr *value; /* in its place */
} Replaced;

static const TccExpr *replace_size(TccStr name, void *user) {
  const Replaced *r = user;
  return tcc_str_equal(name, r->name) ? r->value : NULL;
}

static const TccExpr *with_size(ImportCall *c, const TccExpr *e, TccStr name, const TccExpr *value) {
  return tcc_expr_substitute(c->ir->exprs, e, replace_size, &(Replaced){name, value});
}

/* The size `name`, which the op counts, is at most what a constraint says, or the number of elements that are looked at. */
static const TccExpr *count_bound(ImportCall *c, const ImportBody *body, MlirOperation op, TccStr name) {
  const TccExpr *symbol = tcc_expr_symbol(c->ir->exprs, name), *zero = import_size(c, 0);
  const Importer *run = c->importer;
  for (size_t i = body->constraints; i < run->constraints.count; i++) {
    const TccExpr *bound = import_size_add(c, run->constraints.data[i], symbol); /* of most - size, which is not negative */
    if (with_size(c, bound, name, zero) == bound) return bound;
  }
  ImportShape shape = import_shape(c, mlirOperationGetOperand(op, 0));
  return import_product(c, shape.dims, shape.rank);
}

typedef struct {
  const TccMap *sizes, *kept;
  TccStr name;
} Next;

static void find_next(TccStr name, void *user) {
  Next *n = user;
  if (!n->name.length && tcc_map_find(n->sizes, name) && !tcc_map_find(n->kept, name)) n->name = name;
}

const TccExpr *import_body_bound(ImportCall *c, const ImportBody *body, const TccExpr *size, const TccMap *kept) {
  enum { MOST_STEPS = 64 };
  const TccMap *sizes = counted_sizes(c, body->block);
  for (int step = 0; sizes && step < MOST_STEPS; step++) {
    Next next = {.sizes = sizes, .kept = kept};
    tcc_expr_symbols(size, find_next, &next);
    if (!next.name.length) return size;
    const TccExpr *symbol = tcc_expr_symbol(c->ir->exprs, next.name),
                  *more = with_size(c, size, next.name, import_size_add(c, symbol, import_size(c, 1)));
    if (!tcc_expr_known_at_most(size, more)) return NULL; /* it may be largest where the count is small */
    size = with_size(c, size, next.name, count_bound(c, body, (MlirOperation){tcc_map_find(sizes, next.name)->pointer}, next.name));
  }
  return sizes ? NULL : size;
}

/* Each iteration has sizes of its own: nothing that goes from one to the next, or out of the loop, can be so large. */
static bool keeps_sizes(ImportCall *c, const ImportBody *body, size_t count, const MlirValue *initial, const MlirValue *results) {
  const TccMap *sizes = counted_sizes(c, body->block);
  for (size_t i = 0; sizes && i < count; i++)
    if (has_size_of(c, tcc_value_type(results[i]), sizes) || has_size_of(c, tcc_value_type(initial[i]), sizes))
      return import_unsupported(c, "what an iteration gives has a size that its data decide");
  return true;
}

bool import_body_function(ImportCall *c, ImportBody *body, const char *name, size_t count, const MlirValue *results) {
  Importer *run = c->importer;
  bool ok = !c->reason && !run->restart;
  for (size_t i = 0; i < count; i++) ok = ok && results[i].ptr;
  if (ok && counted_sizes(c, body->block)) ok = import_unsupported(c, "a size that depends on data"); /* it is called often */
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
  for (size_t i = 0; ok && i < carried; i++) ok = results[i].ptr && initial[i].ptr;
  ok = ok && keeps_sizes(c, body, carried, initial, results);
  for (size_t i = 0; ok && i < carried; i++) {
    if (!mlirTypeEqual(tcc_value_type(initial[i]), tcc_value_type(results[i])))
      ok = import_same_type(c, initial[i], results[i], "a carried value before and after an iteration");
  }
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

/* constrain.c - what the rules ask of sizes and cannot decide becomes the module's constraints.
 *
 * Every op that @main reaches is asked once a way to it: its rule fills TccRuleInput.bounds. What is asked inside of the body of a loop
 * need not hold for a loop without iterations: `e >= 0 or trips <= 0` is `max(e, -trips) >= 0`. A callee's symbols are its caller's,
 * since the types of a call are those of its callee; so bounds are over the symbols of main's arguments and of tcc.nonzero. */
#include "lib/ir/internal.h"
#include "lib/ir/names.h"

enum { MOST_DEPTH = 256 }; /* of calls */

typedef struct {
  TccIr *ir;
  MlirOperation module;
  TccMap *known; /* bounds that were looked at */
  TccMap *seen;  /* (function, loop trips around it) */
  TccBounds bounds;
  TCC_VEC(const char *) origins;
  TCC_VEC(const TccExpr *) trips; /* of the loops around */
} Constrain;

static const char *origin_of(TccIr *ir, MlirOperation op, TccOpKind kind) {
  MlirLocation location = mlirOperationGetLocation(op);
  if (!mlirLocationIsAName(location)) return tcc_op_name(kind);
  MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(location));
  return tcc_arena_printf(ir->arena, "node '%.*s', %s", (int)name.length, name.data, tcc_op_name(kind));
}

/* e is not negative, as it is or with one of the equations. */
static bool known(TccExprPool *pool, const TccExpr *e) {
  size_t count;
  const TccExpr *const *zeros = tcc_expr_assumptions(pool, &count);
  bool yes = tcc_expr_known_nonnegative(e);
  for (size_t i = 0; i < count && !yes; i++)
    yes =
        tcc_expr_known_nonnegative(tcc_expr_add(pool, e, zeros[i])) || tcc_expr_known_nonnegative(tcc_expr_sub(pool, e, zeros[i]));
  return yes;
}

typedef struct {
  TccExprPool *pool;
  TccStr name;
} Increment;

static const TccExpr *add_one(TccStr name, void *user) {
  Increment *by = user;
  if (!tcc_str_equal(name, by->name)) return NULL;
  return tcc_expr_add(by->pool, tcc_expr_symbol(by->pool, name), tcc_expr_const(by->pool, 1));
}

/* e, or no iteration of the loop. */
static const TccExpr *unless_idle(TccExprPool *pool, const TccExpr *e, const TccExpr *trips) {
  Increment by = {.pool = pool};
  const TccExpr *zero = tcc_expr_const(pool, 0);
  if (tcc_expr_known_at_most(tcc_expr_const(pool, 1), trips)) return e;
  if (tcc_expr_is_symbol(trips, &by.name) && known(pool, tcc_expr_substitute(pool, e, add_one, &by))) return zero;
  return tcc_expr_call(pool, TCC_EXPR_MAX, e, tcc_expr_sub(pool, zero, trips));
}

/* Sizes and attributes are constants: the rule has decided everything. */
static bool is_decided(TccIr *ir, MlirOperation op, TccOpKind kind) {
  const TccOpRow *row = tcc_op_row(kind);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirType type = mlirValueGetType(mlirOperationGetOperand(op, i));
    if (!tcc_type_is_static(type) && !mlirTypeEqual(type, ir->tables->none)) return false;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (!tcc_type_is_static(mlirValueGetType(mlirOperationGetResult(op, i)))) return false;
  for (size_t i = 0; i < row->nattributes && row->noperands; i++)
    if (row->attributes[i].kind == TCC_ATTR_EXPRS) return false;
  return true;
}

static void constrain_op(Constrain *c, MlirOperation op, TccOpKind kind) {
  if (is_decided(c->ir, op, kind)) return;
  MlirType results[TCC_MAX_RESULTS];
  const char *why;
  TccBounds bounds = {0};
  if (!tcc_op_infer_types(c->ir, op, results, &why, &bounds)) return; /* tcc-verify has complained */
  for (size_t i = 0; i < bounds.count; i++) {
    const TccExpr *e = bounds.data[i];
    for (size_t k = c->trips.count; k-- > 0;) e = unless_idle(c->ir->exprs, e, c->trips.data[k]);
    bool inserted;
    const void *key = e;
    tcc_map_put(c->known, tcc_key_pointer(&key), &inserted);
    if (!inserted || known(c->ir->exprs, e)) continue;
    TCC_VEC_PUSH(c->ir->arena, &c->bounds, e);
    TCC_VEC_PUSH(c->ir->arena, &c->origins, origin_of(c->ir, op, kind));
  }
}

static void constrain_function(Constrain *c, MlirOperation function, int depth);

static void constrain_call(Constrain *c, MlirOperation call, int depth) {
  MlirAttribute callee = tcc_attribute(call, "callee");
  if (mlirAttributeIsNull(callee) || !mlirAttributeIsAFlatSymbolRef(callee)) return;
  MlirOperation function = tcc_module_find(c->ir, c->module, tcc_from_ref(mlirFlatSymbolRefAttrGetValue(callee)));
  TccLoopCall loop;
  bool loops = tcc_call_loop(c->ir, call, &loop);
  if (mlirOperationIsNull(function)) return;
  if (loops) TCC_VEC_PUSH(c->ir->arena, &c->trips, loop.trips);
  constrain_function(c, function, depth + 1);
  if (loops) c->trips.count--;
}

static void constrain_function(Constrain *c, MlirOperation function, int depth) {
  MlirBlock body = tcc_func_body(function);
  if (mlirBlockIsNull(body) || depth > MOST_DEPTH) return;
  size_t words = c->trips.count + 1;
  const void **way = TCC_NEW_ARRAY(c->ir->arena, const void *, words);
  way[0] = function.ptr;
  for (size_t i = 1; i < words; i++) way[i] = c->trips.data[i - 1];
  bool inserted;
  tcc_map_put(c->seen, (TccStr){(const char *)way, words * sizeof *way}, &inserted);
  if (!inserted) return;
  TCC_EACH_OP (op, body) {
    TccOpKind kind = tcc_op_kind(c->ir, op);
    if (kind) constrain_op(c, op, kind);
    else if (tcc_op_is_named(op, "func.call")) constrain_call(c, op, depth);
  }
}

void tcc_ir_constrain(TccIr *ir, MlirOperation module) {
  MlirOperation main = tcc_module_find(ir, module, tcc_str("main"));
  if (mlirOperationIsNull(main)) return;
  Constrain c = {ir, module, tcc_map_create(ir->arena), tcc_map_create(ir->arena)};
  constrain_function(&c, main, 0);
  tcc_ir_add_constraints(ir, module, c.bounds.data, c.origins.data, c.bounds.count);
}

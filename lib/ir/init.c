/* init.c - what depends on weights and constants alone: the init plan.
 *
 * Optimistic data flow, once over the module: everything is init until something that is not reaches it. What is not:
 * arguments of functions that nobody calls, but for static ones (tcc.static), results of foreign ops, values of a dynamic type, attributes with a
 * symbolic size, and anything inside the region of a foreign op. It spreads from an operand to the results of an op,
 * through func.call into the callee's arguments and through func.return back to the results of every call. What a loop carries
 * and gives is not init: the run-time runs loops with the model. */
#include "lib/ir/internal.h"
#include "lib/ir/names.h"
#include "tcc/codegen.h"
#include "tcc/op_kinds.h"

struct TccInit {
  TccIr *ir;
  TccPointerMap varying; /* values that are not init */
  TccMap *functions;     /* name -> Function */
  TCC_VEC(MlirValue) work;
};

typedef struct {
  MlirOperation op;
  TCC_VEC(MlirOperation) calls;
} Function;

static void mark(TccInit *init, TccArena *arena, MlirValue value) {
  if (tcc_pointer_map_get(&init->varying, value.ptr)) return;
  tcc_pointer_map_set(&init->varying, value.ptr, init);
  TCC_VEC_PUSH(arena, &init->work, value);
}

static void mark_results(TccInit *init, TccArena *arena, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) mark(init, arena, mlirOperationGetResult(op, i));
}

static void mark_arguments(TccInit *init, TccArena *arena, MlirBlock block) {
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) mark(init, arena, mlirBlockGetArgument(block, i));
}

/* Static arguments of a function that nobody calls are init, if their sizes are known. */
static void mark_entry(TccInit *init, TccArena *arena, MlirOperation function, MlirBlock body) {
  MlirAttribute all = tcc_attribute(function, "arg_attrs");
  const bool has = !mlirAttributeIsNull(all) && mlirAttributeIsAArray(all);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirAttribute attrs = has && i < mlirArrayAttrGetNumElements(all) ? mlirArrayAttrGetElement(all, i) : mlirAttributeGetNull();
    bool fixed = !mlirAttributeIsNull(attrs) &&
                 !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(attrs, mlirStringRefCreateFromCString("tcc.static")));
    if (!fixed || !tcc_type_is_static(mlirValueGetType(mlirBlockGetArgument(body, i))))
      mark(init, arena, mlirBlockGetArgument(body, i));
  }
}

static Function *callee(TccInit *init, MlirOperation call) {
  MlirAttribute symbol = tcc_attribute(call, "callee");
  if (mlirAttributeIsNull(symbol) || !mlirAttributeIsAFlatSymbolRef(symbol)) return NULL;
  TccMapEntry *entry = tcc_map_find(init->functions, tcc_from_ref(mlirFlatSymbolRefAttrGetValue(symbol)));
  return entry ? entry->pointer : NULL;
}

static void seed_block(TccInit *init, TccArena *arena, MlirBlock block, bool nested);

static void seed(TccInit *init, TccArena *arena, MlirOperation op, bool nested) {
  TccIr *ir = init->ir;
  TccOpKind kind = tcc_op_kind(ir, op);
  if (nested) {
    mark_results(init, arena, op);
  } else if (kind) {
    bool varying = tcc_op_has_symbolic_attribute(ir, op);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
      MlirType type = mlirValueGetType(mlirOperationGetResult(op, i));
      varying = varying || (kind != TCC_OP_NONE && !tcc_type_is_static(type));
    }
    if (varying) mark_results(init, arena, op);
  } else if (tcc_op_is_named(op, "func.call")) {
    Function *function = callee(init, op);
    TccLoopCall loop;
    bool loops = tcc_call_loop(ir, op, &loop);
    if (!function || loops) mark_results(init, arena, op);
    if (function) TCC_VEC_PUSH(arena, &function->calls, op);
    MlirBlock body = function ? tcc_func_body(function->op) : (MlirBlock){NULL};
    for (intptr_t i = 0; loops && !mlirBlockIsNull(body) && i < loop.carried && i < mlirBlockGetNumArguments(body); i++)
      mark(init, arena, mlirBlockGetArgument(body, i));
  } else {
    mark_results(init, arena, op);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumRegions(op); i++)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, i)); !mlirBlockIsNull(block);
         block = mlirBlockGetNextInRegion(block)) {
      mark_arguments(init, arena, block);
      seed_block(init, arena, block, true);
    }
}

static void seed_block(TccInit *init, TccArena *arena, MlirBlock block, bool nested) {
  TCC_EACH_OP (op, block) seed(init, arena, op, nested);
}

/* value is operand `index` of user, and varies. */
static void spread(TccInit *init, TccArena *arena, MlirOperation user, unsigned index) {
  Function *function = tcc_op_is_named(user, "func.call") ? callee(init, user) : NULL;
  if (function) {
    MlirBlock body = tcc_func_body(function->op);
    if (mlirBlockIsNull(body)) mark_results(init, arena, user);
    else if ((intptr_t)index < mlirBlockGetNumArguments(body)) mark(init, arena, mlirBlockGetArgument(body, index));
    return;
  }
  if (!tcc_op_is_named(user, "func.return")) {
    mark_results(init, arena, user);
    return;
  }
  MlirStringRef symbol = mlirSymbolTableGetSymbolAttributeName();
  MlirAttribute name = mlirOperationGetAttributeByName(mlirOperationGetParentOperation(user), symbol);
  TccMapEntry *entry = mlirAttributeIsNull(name) ? NULL : tcc_map_find(init->functions, tcc_from_ref(mlirStringAttrGetValue(name)));
  if (!entry) return;
  Function *returned = entry->pointer;
  for (size_t i = 0; i < returned->calls.count; i++)
    if ((intptr_t)index < mlirOperationGetNumResults(returned->calls.data[i]))
      mark(init, arena, mlirOperationGetResult(returned->calls.data[i], index));
}

TccInit *tcc_init_analyse(TccIr *ir, MlirOperation module, TccArena *arena) {
  TccInit *init = TCC_NEW(arena, TccInit);
  init->ir = ir;
  init->varying.arena = arena;
  init->functions = tcc_map_create(arena);
  MlirBlock top = tcc_func_body(module);
  TCC_EACH_OP (op, top) {
    MlirAttribute name = mlirOperationGetAttributeByName(op, mlirSymbolTableGetSymbolAttributeName());
    if (mlirAttributeIsNull(name) || !tcc_op_is_named(op, "func.func")) continue;
    Function *function = TCC_NEW(arena, Function);
    function->op = op;
    tcc_map_put(init->functions, tcc_from_ref(mlirStringAttrGetValue(name)), NULL)->pointer = function;
  }
  size_t count = tcc_map_count(init->functions);
  for (size_t i = 0; i < count; i++) {
    MlirBlock body = tcc_func_body(((Function *)tcc_map_at(init->functions, i)->pointer)->op);
    if (!mlirBlockIsNull(body)) seed_block(init, arena, body, false);
  }
  for (size_t i = 0; i < count; i++) {
    Function *function = tcc_map_at(init->functions, i)->pointer;
    MlirBlock body = tcc_func_body(function->op);
    if (function->calls.count == 0 && !mlirBlockIsNull(body)) mark_entry(init, arena, function->op, body);
    for (size_t k = 0; k < function->calls.count && mlirBlockIsNull(body); k++) mark_results(init, arena, function->calls.data[k]);
  }
  while (init->work.count) {
    MlirValue value = init->work.data[--init->work.count];
    for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
      spread(init, arena, mlirOpOperandGetOwner(use), mlirOpOperandGetOperandNumber(use));
  }
  return init;
}

bool tcc_init_is(const TccInit *init, MlirValue value) { return !tcc_pointer_map_get(&init->varying, value.ptr); }

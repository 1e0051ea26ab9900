/* loop_invariant.c - finds what is the same in each iteration of a loop, and moves it in front of the loop: loop-invariant code motion, for
 * loops that are calls (loop.c). */
#include "lib/ir/loop_invariant.h"
#include "lib/ir/internal.h"
#include "lib/ir/names.h"

typedef struct {
  MlirOperation func;
  TCC_VEC(MlirOperation) calls;
  bool other; /* something that is no loop calls it, too */
  intptr_t carried;
} Body;

struct TccLoopBodies {
  TccIr *ir;
  TccArena *arena;
  TccMap *functions; /* name -> Body */
  TccPointerMap of;  /* function -> Body */
};

static void note_call(void *user, MlirOperation call) {
  TccLoopBodies *bodies = user;
  TccMapEntry *entry = tcc_map_find(bodies->functions, tcc_callee_name(call));
  if (!entry) return;
  Body *body = entry->pointer;
  TccLoopCall loop;
  if (!tcc_call_loop(bodies->ir, call, &loop)) body->other = true;
  else body->carried = loop.carried;
  TCC_VEC_PUSH(bodies->arena, &body->calls, call);
}

TccLoopBodies *tcc_loop_bodies(TccIr *ir, MlirOperation module, TccArena *arena) {
  TccLoopBodies *bodies = TCC_NEW(arena, TccLoopBodies);
  *bodies = (TccLoopBodies){.ir = ir, .arena = arena, .functions = tcc_map_create(arena), .of = {.arena = arena}};
  TCC_EACH_FUNCTION (func, module) {
    Body *body = TCC_NEW(arena, Body);
    body->func = func;
    tcc_map_put(bodies->functions, tcc_function_name(func), NULL)->pointer = body;
    tcc_pointer_map_set(&bodies->of, func.ptr, body);
  }
  tcc_each_call(tcc_func_body(module), note_call, bodies);
  return bodies;
}

static Body *body_of(const TccLoopBodies *bodies, MlirOperation func) {
  Body *body = mlirOperationIsNull(func) ? NULL : tcc_pointer_map_get(&bodies->of, func.ptr);
  return body && body->calls.count && !body->other && !tcc_has_attribute(func, "arg_attrs") ? body : NULL;
}

/* The body whose own block the op stands in; NULL: none. */
static Body *body_around(const TccLoopBodies *bodies, MlirOperation op) {
  return body_of(bodies, mlirOperationGetParentOperation(op));
}

static bool is_source(TccIr *ir, MlirOperation op) {
  TccOpKind kind = tcc_op_kind(ir, op);
  return kind && tcc_op_has_trait(kind, 'P') && mlirOperationGetNumOperands(op) == 0;
}

static bool is_view(TccIr *ir, MlirOperation op) {
  TccOpKind kind = tcc_op_kind(ir, op);
  return kind && tcc_op_has_trait(kind, 'V') && mlirOperationGetNumResults(op) == 1;
}

static bool operands_are_invariant(const TccLoopBodies *bodies, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!tcc_loop_invariant(bodies, mlirOperationGetOperand(op, i))) return false;
  return true;
}

bool tcc_loop_invariant(const TccLoopBodies *bodies, MlirValue value) {
  TccIr *ir = bodies->ir;
  if (mlirValueIsABlockArgument(value)) {
    Body *body = body_of(bodies, mlirBlockGetParentOperation(mlirBlockArgumentGetOwner(value)));
    return body && tcc_type_is_static(tcc_value_type(value)) && mlirBlockArgumentGetArgNumber(value) >= body->carried;
  }
  MlirOperation op = tcc_value_op(value);
  if (!body_around(bodies, op) || tcc_op_has_symbolic_attribute(ir, op)) return false;
  if (tcc_value_is_none(ir, value)) return true;
  return tcc_type_is_static(tcc_value_type(value)) && (is_source(ir, op) || is_view(ir, op)) && operands_are_invariant(bodies, op);
}

static bool can_move(const TccLoopBodies *bodies, MlirOperation op) {
  return mlirOperationGetNumRegions(op) == 0 && mlirOperationGetNumResults(op) == 1 &&
         tcc_type_is_static(tcc_value_type(mlirOperationGetResult(op, 0))) && !tcc_op_has_symbolic_attribute(bodies->ir, op) &&
         operands_are_invariant(bodies, op);
}

/* What the value of a loop's body is in front of a call of it. */
static MlirValue outside(MlirValue value, MlirOperation call) {
  if (mlirValueIsABlockArgument(value)) return mlirOperationGetOperand(call, mlirBlockArgumentGetArgNumber(value));
  MlirOperation clone = mlirOperationClone(tcc_value_op(value));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(clone); i++)
    mlirOperationSetOperand(clone, i, outside(mlirOperationGetOperand(clone, i), call));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, clone);
  return mlirOperationGetResult(clone, mlirOpResultGetResultNumber(value));
}

/* Erases op and the views and constants that nothing else reads. */
static void erase(TccIr *ir, MlirOperation op) {
  intptr_t n = mlirOperationGetNumOperands(op);
  MlirValue *operands = TCC_NEW_ARRAY(ir->arena, MlirValue, n + 1);
  for (intptr_t i = 0; i < n; i++) operands[i] = mlirOperationGetOperand(op, i);
  tcc_erase(op);
  for (intptr_t i = 0; i < n; i++) {
    bool again = false; /* an operand that stands twice is gone */
    for (intptr_t k = 0; k < i; k++) again = again || mlirValueEqual(operands[k], operands[i]);
    if (again || mlirValueIsABlockArgument(operands[i]) || !mlirOpOperandIsNull(mlirValueGetFirstUse(operands[i]))) continue;
    erase(ir, tcc_value_op(operands[i]));
  }
}

static void hoist(TccLoopBodies *bodies, Body *body, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  for (size_t i = 0; i < body->calls.count; i++)
    tcc_call_add_operand(bodies->ir, body->calls.data[i], outside(result, body->calls.data[i]));
  tcc_replace_uses(result, tcc_func_add_argument(bodies->ir, body->func, tcc_value_type(result)));
  erase(bodies->ir, op);
}

void tcc_loop_hoist(TccLoopBodies *bodies, MlirOperation module, bool (*wanted)(void *user, MlirOperation op), void *user) {
  for (bool any = true; any;) { /* once for each depth of loops at most */
    any = false;
    TCC_EACH_FUNCTION (func, module) {
      Body *body = body_of(bodies, func);
      MlirOperation next, op = mlirBlockGetFirstOperation(tcc_func_body(func));
      for (; body && !mlirOperationIsNull(op); op = next) {
        next = mlirOperationGetNextInBlock(op);
        if (!wanted(user, op) || !can_move(bodies, op)) continue;
        hoist(bodies, body, op);
        any = true;
      }
    }
  }
}

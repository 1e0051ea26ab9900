/* infer_shapes.c - tcc-infer-shapes: recomputes result types from the rules.
 *
 *   %1 = "tcc.add"(%0, %b) : (tensor<?x64xf32, ["S", 64]>, tensor<64xf32>) -> tensor<?x64xf32>
 *   ->                                                                     -> tensor<?x64xf32, ["S", 64]>
 *
 * Types flow forwards, once: an op's result from its operands, a private function's arguments from its first call, a
 * call's results from its callee, a function's type from its body. Ops whose type is given (trait X) keep it; only its
 * unknown sizes, and for convert and bitcast the whole shape, come from the operand.
 *
 * requires: nothing of the types but what the rules ask. ensures: every tcc op has the type that its rule gives.
 * keeps: ops, attributes, uses. */
#include "lib/ir/internal.h"
#include "lib/ir/names.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

enum { MOST_CALL_DEPTH = 256 };

typedef struct {
  MlirOperation op;
  bool done;
} Function;
typedef struct {
  TccIr *ir;
  TccArena *arena;
  TccMap *functions; /* name -> Function */
} Infer;

static bool infer_function(Infer *infer, Function *function, int depth);

static bool is_private(MlirOperation function) {
  TccStr visibility;
  return tcc_attr_read_str(tcc_attribute(function, "sym_visibility"), &visibility) && tcc_str_is(visibility, "private");
}

/* The declared shape of a conversion follows its operand: only the element type is its own. */
static void follow_operand(TccIr *ir, MlirOperation op) {
  MlirType from = mlirValueGetType(mlirOperationGetOperand(op, 0));
  TccElem elem = tcc_type_elem(mlirValueGetType(mlirOperationGetResult(op, 0)));
  if (elem && tcc_type_rank(from) >= 0 && tcc_type_rank(from) <= TCC_MAX_RANK)
    mlirValueSetType(mlirOperationGetResult(op, 0), tcc_type_with_elem(ir, from, elem));
}

static bool infer_op(TccIr *ir, MlirOperation op, TccOpKind kind) {
  MlirType results[TCC_MAX_RESULTS];
  const char *why;
  if ((kind == TCC_OP_CONVERT || kind == TCC_OP_BITCAST) && mlirOperationGetNumOperands(op) == 1) follow_operand(ir, op);
  if (!tcc_op_infer_types(ir, op, results, &why, NULL)) {
    tcc_error(op, "'%s': %s", tcc_op_name(kind), why);
    return false;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) mlirValueSetType(mlirOperationGetResult(op, i), results[i]);
  return true;
}

static bool infer_call(Infer *infer, MlirOperation call, int depth) {
  MlirAttribute symbol = tcc_attribute(call, "callee");
  TccMapEntry *entry =
      mlirAttributeIsNull(symbol) ? NULL : tcc_map_find(infer->functions, tcc_from_ref(mlirFlatSymbolRefAttrGetValue(symbol)));
  Function *callee = entry ? entry->pointer : NULL;
  MlirBlock body = callee ? tcc_func_body(callee->op) : (MlirBlock){NULL};
  if (mlirBlockIsNull(body)) return true; /* external: its type is what it says */
  if (!callee->done) {
    bool retype = is_private(callee->op) && mlirBlockGetNumArguments(body) == mlirOperationGetNumOperands(call);
    for (intptr_t i = 0; retype && i < mlirBlockGetNumArguments(body); i++)
      mlirBlockArgumentSetType(mlirBlockGetArgument(body, i), mlirValueGetType(mlirOperationGetOperand(call, i)));
    if (depth >= MOST_CALL_DEPTH) {
      tcc_error(call, "calls are nested more than %d deep", MOST_CALL_DEPTH);
      return false;
    }
    if (!infer_function(infer, callee, depth + 1)) return false;
  }
  MlirType type = mlirTypeAttrGetValue(tcc_attribute(callee->op, "function_type"));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call) && i < mlirFunctionTypeGetNumResults(type); i++)
    mlirValueSetType(mlirOperationGetResult(call, i), mlirFunctionTypeGetResult(type, i));
  return true;
}

static bool infer_block(Infer *infer, MlirBlock block, int depth) {
  bool ok = true;
  TCC_EACH_OP (op, block) {
    TccOpKind kind = tcc_op_kind(infer->ir, op);
    if (kind) ok = infer_op(infer->ir, op, kind) && ok;
    else if (tcc_op_is_named(op, "func.call")) ok = infer_call(infer, op, depth) && ok;
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock inner = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(inner);
           inner = mlirBlockGetNextInRegion(inner))
        ok = infer_block(infer, inner, depth) && ok;
  }
  return ok;
}

static bool infer_function(Infer *infer, Function *function, int depth) {
  function->done = true; /* before the body: a recursive call takes the declared type */
  MlirBlock body = tcc_func_body(function->op);
  if (mlirBlockIsNull(body)) return true;
  if (!infer_block(infer, body, depth)) return false;
  MlirOperation end = mlirBlockGetTerminator(body);
  if (mlirOperationIsNull(end) || !tcc_op_is_named(end, "func.return")) return true;
  intptr_t ninputs = mlirBlockGetNumArguments(body), nresults = mlirOperationGetNumOperands(end);
  MlirType *types = TCC_NEW_ARRAY(infer->arena, MlirType, ninputs + nresults + 1);
  for (intptr_t i = 0; i < ninputs; i++) types[i] = mlirValueGetType(mlirBlockGetArgument(body, i));
  for (intptr_t i = 0; i < nresults; i++) types[ninputs + i] = mlirValueGetType(mlirOperationGetOperand(end, i));
  MlirType type = mlirFunctionTypeGet(infer->ir->context, ninputs, types, nresults, types + ninputs);
  tcc_set_attribute(function->op, "function_type", mlirTypeAttrGet(type));
  return true;
}

MlirLogicalResult tcc_pass_infer_shapes(TccPassRun *run, MlirOperation module) {
  Infer infer = {run->ir, run->scratch, tcc_map_create(run->scratch)};
  MlirBlock top = tcc_func_body(module);
  TCC_EACH_OP (op, top) {
    TccStr name;
    if (!tcc_op_is_named(op, "func.func") || !tcc_attr_read_str(tcc_attribute(op, "sym_name"), &name)) continue;
    Function *function = TCC_NEW(run->scratch, Function);
    function->op = op;
    tcc_map_put(infer.functions, name, NULL)->pointer = function;
  }
  bool ok = true;
  for (int private_ones = 0; private_ones < 2; private_ones++) /* what is called gets its argument types from the caller */
    for (size_t i = 0; i < tcc_map_count(infer.functions); i++) {
      Function *function = tcc_map_at(infer.functions, i)->pointer;
      if (function->done || is_private(function->op) != private_ones) continue;
      ok = infer_function(&infer, function, 0) && ok;
    }
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

/* memory_plan.c - mark last uses and in-place candidates on every call.
 *
 *   %1 = call @k0(%0)                 %1 = call @k0(%0) {tcc.dead = array<i64: 0>, tcc.inplace = array<i64: 0, 0>}
 *
 * Sizes may be symbolic, so offsets are the run-time's business (it plans by lifetime when sizes are known); what it cannot
 * see in its command list without the IR is which buffer is read for the last time and which kernels may write over what
 * they read. One backward walk per function. A reshape is an alias: it keeps its operand's buffer alive.
 *
 * requires: fuse. ensures: docs/kernels.md, "What memory-plan writes". keeps: everything else. */
#include "tcc/pass.h"

typedef struct { MlirOperation function; bool known; int64_t *pairs; size_t count; } Callee; /* pairs: what shares a buffer, once known */

typedef struct {
  TccPassRun *run;
  TccMap *alive;  /* buffer (root value) -> read further down */
  TccMap *safe;   /* symbol of a function -> Callee */
} MemoryPlan;

/* The value whose buffer this one is. */
static MlirValue buffer_of(TccIr *ir, MlirValue value) {
  while (tcc_value_kind(ir, value) == TCC_OP_RESHAPE) value = mlirOperationGetOperand(tcc_value_op(value), 0);
  return value;
}

static bool is_call(MlirOperation op) {
  return !mlirOperationIsNull(op) && mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), mlirStringRefCreateFromCString("func.call"));
}

/* A map kernel may write result r over operand a if every path from a to a result is elementwise at the same index, no
 * other result exists, and the types take the same bytes. */
static bool reads_where_it_writes(TccIr *ir, MlirOperation kernel, MlirValue argument) {
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  if (mlirOperationGetNumOperands(end) != 1) return false;
  MlirType type = tcc_value_type(argument);
  if (!mlirTypeEqual(type, tcc_value_type(mlirOperationGetOperand(end, 0)))) return false;
  /* In a kernel without views, pads or gathers, an operand of the result's shape is read at the result's index. */
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(ir, op);
    if (kind == TCC_OP_UNKNOWN || kind == TCC_OP_CONSTANT || kind == TCC_OP_SIZES || kind == TCC_OP_IOTA || kind == TCC_OP_NONE) continue;
    if (tcc_op_has_trait(kind, 'E')) continue;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      if (mlirTypeEqual(tcc_value_type(mlirOperationGetOperand(op, i)), type)) return false;
    if (mlirTypeEqual(tcc_value_type(mlirOperationGetResult(op, 0)), type)) return false;
  }
  return true;
}

/* Pairs (operand, result) of a kernel that may share a buffer; empty for regions and kernels other than map. */
static const int64_t *inplace_pairs(MemoryPlan *plan, MlirOperation call, size_t *out_count) {
  TccIr *ir = plan->run->ir;
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(mlirOperationGetAttributeByName(call, mlirStringRefCreateFromCString("callee")));
  TccMapEntry *entry = tcc_map_find(plan->safe, (TccStr){name.data, name.length});
  *out_count = 0;
  if (!entry) return NULL;
  Callee *known = entry->pointer;
  if (!known->known) {
    known->known = true;
    MlirOperation kernel = known->function;
    TccStr kind;
    if (tcc_get_str(ir, kernel, "tcc.kernel", &kind) && tcc_str_is(kind, "map")) {
      MlirBlock block = tcc_func_body(kernel);
      intptr_t n = mlirBlockGetNumArguments(block);
      known->pairs = TCC_NEW_ARRAY(plan->run->scratch, int64_t, 2 * n);
      for (intptr_t i = 0; i < n; i++)
        if (reads_where_it_writes(ir, kernel, mlirBlockGetArgument(block, i))) {
          known->pairs[2 * known->count] = i;
          known->pairs[2 * known->count++ + 1] = 0;
        }
    }
  }
  *out_count = known->count;
  return known->pairs;
}

static void mark_call(MemoryPlan *plan, MlirOperation call) {
  TccIr *ir = plan->run->ir;
  TccArena *arena = plan->run->scratch;
  TCC_VEC(int64_t) dead = {0}, inplace = {0};
  size_t npairs;
  const int64_t *pairs = inplace_pairs(plan, call, &npairs);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirValue buffer = buffer_of(ir, mlirOperationGetOperand(call, i));
    bool first;
    tcc_map_put(plan->alive, tcc_key_pointer((const void *const *)&buffer.ptr), &first);
    if (!first || !mlirValueIsAOpResult(buffer) || !is_call(mlirOpResultGetOwner(buffer))) continue;
    TCC_VEC_PUSH(arena, &dead, i);
    bool twice = false; /* read through another operand as well, perhaps at another index */
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(call); k++)
      twice |= k != i && mlirValueEqual(buffer, buffer_of(ir, mlirOperationGetOperand(call, k)));
    for (size_t p = 0; p < npairs && !twice && !inplace.count; p++)
      if (pairs[2 * p] == i) {
        TCC_VEC_PUSH(arena, &inplace, i);
        TCC_VEC_PUSH(arena, &inplace, pairs[2 * p + 1]);
      }
  }
  if (dead.count)
    mlirOperationSetAttributeByName(call, mlirStringRefCreateFromCString("tcc.dead"), tcc_attr_ints(ir, dead.data, dead.count));
  if (inplace.count)
    mlirOperationSetAttributeByName(call, mlirStringRefCreateFromCString("tcc.inplace"), tcc_attr_ints(ir, inplace.data, inplace.count));
}

MlirLogicalResult tcc_pass_memory_plan(TccPassRun *run, MlirOperation module) {
  MemoryPlan plan = {.run = run, .safe = tcc_map_create(run->scratch)};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func); func = mlirOperationGetNextInBlock(func)) {
    TccStr name;
    if (!tcc_get_str(run->ir, func, "sym_name", &name) || mlirBlockIsNull(tcc_func_body(func))) continue;
    Callee *callee = TCC_NEW(run->scratch, Callee);
    callee->function = func;
    tcc_map_put(plan.safe, name, NULL)->pointer = callee;
  }
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func); func = mlirOperationGetNextInBlock(func)) {
    if (mlirOperationGetNumRegions(func) == 0 || mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0)))) continue;
    if (!mlirAttributeIsNull(mlirOperationGetAttributeByName(func, mlirStringRefCreateFromCString("tcc.kernel")))) continue;
    plan.alive = tcc_map_create(run->scratch);
    TCC_VEC(MlirOperation) ops = {0};
    MlirBlock block = tcc_func_body(func);
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
      TCC_VEC_PUSH(run->scratch, &ops, op);
    for (size_t i = ops.count; i-- > 0;) {
      if (is_call(ops.data[i])) {
        mark_call(&plan, ops.data[i]);
        continue;
      }
      if (tcc_op_kind(run->ir, ops.data[i]) != TCC_OP_UNKNOWN) continue; /* an alias or a source: not a reader */
      for (intptr_t k = 0; k < mlirOperationGetNumOperands(ops.data[i]); k++) { /* the return */
        MlirValue buffer = buffer_of(run->ir, mlirOperationGetOperand(ops.data[i], k));
        tcc_map_put(plan.alive, tcc_key_pointer((const void *const *)&buffer.ptr), NULL);
      }
    }
  }
  return mlirLogicalResultSuccess();
}

/* memory_plan.c - mark in-place candidates on every call.
 *
 *   %1 = call @k0(%0)                 %1 = call @k0(%0) {tcc.inplace = array<i64: 0, 0>}
 *
 * Sizes may be symbolic, so offsets are the run-time's business (it plans by lifetime when sizes are known); what it cannot
 * see in its command list without the IR is which buffer is read for the last time and which kernels may write over what
 * they read. One backward walk per function. A reshape and a slice are aliases: they keep their operand's buffer alive. What a
 * join puts together may lie in the concatenation's buffer, so nothing is said of it. An argument is dead where its function reads it
 * last for all that is known here: of a call it may be the caller's buffer, of main an input that a result is tied to.
 *
 * requires: fuse, concat-in-place. ensures: docs/kernels.md, "What memory-plan writes". keeps: everything else. */
#include "lib/ir/names.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

typedef struct {
  MlirOperation function;
  TccKernelKind kind;
  bool known;
  const int64_t *pairs; /* what shares a buffer, once known */
  size_t count;
} Callee;

typedef struct {
  TccPassRun *run;
  TccMap *alive; /* buffer (root value) -> read further down */
  TccMap *safe;  /* symbol of a function -> Callee */
} MemoryPlan;

static bool is_call(MlirOperation op) { return !mlirOperationIsNull(op) && tcc_op_is_named(op, "func.call"); }

static Callee *callee_of(const MemoryPlan *plan, MlirOperation call) {
  TccMapEntry *entry = tcc_map_find(plan->safe, tcc_callee_name(call));
  return entry ? entry->pointer : NULL;
}

static bool is_call_of(const MemoryPlan *plan, MlirOperation op, TccKernelKind kind) {
  Callee *callee = is_call(op) ? callee_of(plan, op) : NULL;
  return callee && callee->kind == kind;
}

/* The value whose buffer this one is. */
static MlirValue buffer_of(const MemoryPlan *plan, MlirValue value) {
  while (tcc_value_kind(plan->run->ir, value) == TCC_OP_RESHAPE ||
         (mlirValueIsAOpResult(value) && is_call_of(plan, mlirOpResultGetOwner(value), TCC_KERNEL_SLICE)))
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  return value;
}

/* Whether all that a map kernel makes of an argument is made at the argument's index: elementwise ops lead from it to the results, none of
 * which has another shape. */
static bool reads_where_it_writes(TccIr *ir, TccArena *arena, MlirOperation kernel, MlirValue argument) {
  MlirBlock block = tcc_func_body(kernel);
  TccMap *made = tcc_map_create(arena);
  tcc_map_put(made, tcc_key_pointer((const void *const *)&argument.ptr), NULL);
  TCC_EACH_OP (op, block) {
    TccOpKind kind = tcc_op_kind(ir, op);
    bool reads = false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
      MlirValue operand = mlirOperationGetOperand(op, i);
      reads |= tcc_map_find(made, tcc_key_pointer((const void *const *)&operand.ptr)) != NULL;
    }
    if (!reads || kind == TCC_OP_UNKNOWN) continue; /* unknown: the return */
    MlirValue result = mlirOperationGetResult(op, 0);
    if (!tcc_op_has_trait(kind, 'E') || !tcc_type_same_shape(ir, tcc_value_type(result), tcc_value_type(argument))) return false;
    tcc_map_put(made, tcc_key_pointer((const void *const *)&result.ptr), NULL);
  }
  return true;
}

/* The builtin dynamic_update_slice of its arguments in their order: it writes one row if it need not copy the others. */
static bool updates_a_slice(TccIr *ir, MlirBlock block) {
  MlirOperation op = mlirBlockGetFirstOperation(block);
  return tcc_op_kind(ir, op) == TCC_OP_DYNAMIC_UPDATE_SLICE &&
         mlirValueEqual(mlirOperationGetOperand(op, 0), mlirBlockGetArgument(block, 0));
}

static void find_map_pairs(MemoryPlan *plan, Callee *map) {
  MlirBlock block = tcc_func_body(map->function);
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t n = mlirBlockGetNumArguments(block), results = mlirOperationGetNumOperands(end);
  int64_t *pairs = TCC_NEW_ARRAY(plan->run->scratch, int64_t, 2 * n * results + 1);
  map->pairs = pairs;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    if (!reads_where_it_writes(plan->run->ir, plan->run->scratch, map->function, argument)) continue;
    for (intptr_t r = 0; r < results; r++) {
      if (!mlirTypeEqual(tcc_value_type(argument), tcc_value_type(mlirOperationGetOperand(end, r)))) continue;
      pairs[2 * map->count] = i;
      pairs[2 * map->count++ + 1] = r;
    }
  }
}

/* Pairs (operand, result) of a kernel that may share a buffer; empty for regions and kernels other than map and dynamic_update_slice. */
static const int64_t *inplace_pairs(MemoryPlan *plan, MlirOperation call, size_t *out_count) {
  TccIr *ir = plan->run->ir;
  Callee *known = callee_of(plan, call);
  *out_count = 0;
  if (!known) return NULL;
  if (!known->known) {
    known->known = true;
    MlirBlock block = tcc_func_body(known->function);
    if (known->kind == TCC_KERNEL_BUILTIN && updates_a_slice(ir, block)) {
      static const int64_t pair[2] = {0, 0};
      known->pairs = pair;
      known->count = 1;
    } else if (known->kind == TCC_KERNEL_MAP) {
      find_map_pairs(plan, known);
    }
  }
  *out_count = known->count;
  return known->pairs;
}

static void mark_call(MemoryPlan *plan, MlirOperation call) {
  TccIr *ir = plan->run->ir;
  TccArena *arena = plan->run->scratch;
  TCC_VEC(int64_t) inplace = {0};
  size_t npairs;
  const int64_t *pairs = inplace_pairs(plan, call, &npairs);
  intptr_t noperands = mlirOperationGetNumOperands(call);
  MlirValue *buffers = TCC_NEW_ARRAY(arena, MlirValue, noperands);
  for (intptr_t i = 0; i < noperands; i++) buffers[i] = buffer_of(plan, mlirOperationGetOperand(call, i));
  for (intptr_t i = 0; i < noperands; i++) {
    MlirValue buffer = buffers[i];
    bool first;
    tcc_map_put(plan->alive, tcc_key_pointer((const void *const *)&buffer.ptr), &first);
    bool source = mlirValueIsAOpResult(buffer) && !is_call(mlirOpResultGetOwner(buffer));
    if (!first || source) continue;
    for (size_t p = 0; p < npairs; p++) {
      if (pairs[2 * p] != i) continue;
      bool twice = false; /* read through another operand as well, perhaps at another index */
      for (intptr_t k = 0; k < noperands; k++) twice |= k != i && mlirValueEqual(buffer, buffers[k]);
      if (twice) continue;
      TCC_VEC_PUSH(arena, &inplace, i);
      TCC_VEC_PUSH(arena, &inplace, pairs[2 * p + 1]);
    }
  }
  if (inplace.count) tcc_set_attribute(call, "tcc.inplace", tcc_attr_ints(ir, inplace.data, inplace.count));
}

MlirLogicalResult tcc_pass_memory_plan(TccPassRun *run, MlirOperation module) {
  MemoryPlan plan = {.run = run, .safe = tcc_map_create(run->scratch)};
  TCC_EACH_FUNCTION (func, module) {
    Callee *callee = TCC_NEW(run->scratch, Callee);
    callee->function = func;
    callee->kind = tcc_kernel_kind(run->ir, func);
    tcc_map_put(plan.safe, tcc_function_name(func), NULL)->pointer = callee;
  }
  TCC_EACH_FUNCTION (func, module) {
    if (tcc_kernel_kind(run->ir, func)) continue;
    plan.alive = tcc_map_create(run->scratch);
    TCC_VEC(MlirOperation) ops = {0};
    MlirBlock block = tcc_func_body(func);
    TCC_EACH_OP (op, block) {
      if (!is_call_of(&plan, op, TCC_KERNEL_SLICE)) TCC_VEC_PUSH(run->scratch, &ops, op);
      if (!is_call_of(&plan, op, TCC_KERNEL_CONCAT)) continue;
      for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++) {
        MlirValue buffer = buffer_of(&plan, mlirOperationGetOperand(op, k));
        tcc_map_put(plan.alive, tcc_key_pointer((const void *const *)&buffer.ptr), NULL);
      }
    }
    for (size_t i = ops.count; i-- > 0;) {
      if (is_call(ops.data[i])) {
        mark_call(&plan, ops.data[i]);
        continue;
      }
      if (tcc_op_kind(run->ir, ops.data[i]) != TCC_OP_UNKNOWN) continue;        /* an alias or a source: not a reader */
      for (intptr_t k = 0; k < mlirOperationGetNumOperands(ops.data[i]); k++) { /* the return */
        MlirValue buffer = buffer_of(&plan, mlirOperationGetOperand(ops.data[i], k));
        tcc_map_put(plan.alive, tcc_key_pointer((const void *const *)&buffer.ptr), NULL);
      }
    }
  }
  return mlirLogicalResultSuccess();
}

/* memory_plan.c - mark in-place candidates on every call.
 *
 *   %1 = call @k0(%0)                 %1 = call @k0(%0) {tcc.inplace = array<i64: 0, 0>}
 *
 * A call that writes a few rows of what it takes over copies all the others if they are read behind it. It moves behind its readers first, as does a map
 * of arguments whose results are the function's, such as a step of a counter:
 *
 *   %1 = call @scatter(%0, %i, %u)         %2 = call @k1(%0)
 *   %2 = call @k1(%0)                =>    %1 = call @scatter(%0, %i, %u) {tcc.inplace = array<i64: 0, 0>}
 *
 * Sizes may be symbolic, so offsets are the run-time's business (it plans by lifetime when sizes are known); what it cannot
 * see in its command list without the IR is which buffer is read for the last time and which kernels may write over what
 * they read. One backward walk per function. A reshape and a slice are aliases: they keep their operand's buffer alive. What a
 * join puts together may lie in the concatenation's buffer, so nothing is said of it. An argument is dead where its function reads it
 * last for all that is known here: of a call it may be the caller's buffer, of main an input that a result is tied to.
 *
 * requires: fuse, concat-in-place. ensures: docs/kernels.md, "What memory-plan writes". keeps: everything else, but for the order of calls. */
#include "lib/ir/buffers.h"
#include "lib/ir/names.h"
#include "lib/ir/row_domain.h"
#include "tcc/pass.h"
#include "tcc/target.h"

typedef struct {
  const int64_t *pairs; /* what shares a buffer */
  size_t count;
} Pairs;

typedef struct {
  TccPassRun *run;
  TccBuffers buffers;
  TccMap *alive; /* buffer (root value) -> read further down */
  TccMap *safe;  /* symbol of a function -> Pairs */
} MemoryPlan;

static MlirValue buffer_of(const MemoryPlan *plan, MlirValue value) { return tcc_buffer_of(&plan->buffers, value); }

typedef struct {
  TccIr *ir;
  TccMap *made;         /* of the argument */
  intptr_t first, last; /* results of the kernel that are made of it; first > last: none is */
} Reach;

/* Whether all that a map kernel makes of `value` is made at the value's index: elementwise ops lead from it to the results, none of which has another
 * shape. */
static bool reads_where_it_writes(Reach *reach, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    TccOpKind kind = tcc_op_kind(reach->ir, op);
    if (kind == TCC_OP_UNKNOWN) { /* the return */
      intptr_t number = mlirOpOperandGetOperandNumber(use);
      if (number < reach->first) reach->first = number;
      if (number > reach->last) reach->last = number;
      continue;
    }
    MlirValue result = mlirOperationGetResult(op, 0);
    bool is_new;
    if (!tcc_op_has_trait(kind, 'E') || !tcc_type_same_shape(reach->ir, tcc_value_type(result), tcc_value_type(value)))
      return false;
    tcc_map_put(reach->made, tcc_key_pointer((const void *const *)&result.ptr), &is_new);
    if (is_new && !reads_where_it_writes(reach, result)) return false;
  }
  return true;
}

/* The builtin dynamic_update_slice of its arguments in their order: it writes one row if it need not copy the others. */
static bool updates_a_slice(TccIr *ir, MlirBlock block) {
  MlirOperation op = mlirBlockGetFirstOperation(block);
  return tcc_op_kind(ir, op) == TCC_OP_DYNAMIC_UPDATE_SLICE &&
         mlirValueEqual(mlirOperationGetOperand(op, 0), mlirBlockGetArgument(block, 0));
}

/* Members of a kernel (tcc.members) are done at any time of each other: one writes over what it alone reads. */
static void find_map_pairs(MemoryPlan *plan, MlirOperation map, Pairs *out) {
  MlirBlock block = tcc_func_body(map);
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t n = mlirBlockGetNumArguments(block), results = mlirOperationGetNumOperands(end), each = results;
  int64_t members;
  if (tcc_get_i64(plan->run->ir, map, "tcc.members", &members) && members > 0 && members <= results)
    each = results / (intptr_t)members;
  int64_t *pairs = TCC_NEW_ARRAY(plan->run->scratch, int64_t, 2 * n * each + 1);
  out->pairs = pairs;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    Reach reach = {plan->run->ir, tcc_map_create(plan->run->scratch), results, -1};
    if (!reads_where_it_writes(&reach, argument)) continue;
    intptr_t first = 0;
    if (each < results) {
      if (reach.first > reach.last || reach.first / each != reach.last / each) continue;
      first = reach.first / each * each;
    }
    for (intptr_t r = first; r < first + each && r < results; r++) {
      if (!mlirTypeEqual(tcc_value_type(argument), tcc_value_type(mlirOperationGetOperand(end, r)))) continue;
      pairs[2 * out->count] = i;
      pairs[2 * out->count++ + 1] = r;
    }
  }
}

/* Of a row kernel, where the target can: what has an element for each row and meets the row's results alone, as the parameter does whose gradient is
 * summed. What has the shape of the rows themselves stays. */
static void find_row_pairs(MemoryPlan *plan, MlirOperation row, Pairs *out) {
  TccIr *ir = plan->run->ir;
  MlirBlock block = tcc_func_body(row);
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t n = mlirBlockGetNumArguments(block), results = mlirOperationGetNumOperands(end);
  MlirType domain = tcc_row_domain(ir, row);
  if (!plan->run->target->of->rows_in_place || mlirTypeIsNull(domain)) return;
  int64_t *pairs = TCC_NEW_ARRAY(plan->run->scratch, int64_t, 2 * n * results + 1);
  out->pairs = pairs;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    Reach reach = {ir, tcc_map_create(plan->run->scratch), results, -1};
    if (tcc_type_same_shape(ir, tcc_value_type(argument), domain) || !reads_where_it_writes(&reach, argument)) continue;
    for (intptr_t r = 0; r < results; r++) {
      if (!mlirTypeEqual(tcc_value_type(argument), tcc_value_type(mlirOperationGetOperand(end, r)))) continue;
      pairs[2 * out->count] = i;
      pairs[2 * out->count++ + 1] = r;
    }
  }
}

/* A scatter takes over its first operand as it is, which nothing else in the kernel reads, and writes the updates alone where the result lies there. */
static void find_scatter_pairs(MemoryPlan *plan, MlirOperation kernel, Pairs *out) {
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  const intptr_t results = mlirOperationGetNumOperands(end);
  int64_t *pairs = TCC_NEW_ARRAY(plan->run->scratch, int64_t, 2 * results + 1);
  out->pairs = pairs;
  for (intptr_t r = 0; r < results; r++) {
    MlirOperation op = tcc_value_op(mlirOperationGetOperand(end, r));
    TccOpKind kind = mlirOperationIsNull(op) ? TCC_OP_UNKNOWN : tcc_op_kind(plan->run->ir, op);
    if (kind != TCC_OP_SCATTER_ND && kind != TCC_OP_SCATTER_ELEMENTS) continue;
    MlirValue x = mlirOperationGetOperand(op, 0);
    if (!mlirValueIsABlockArgument(x) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(mlirValueGetFirstUse(x)))) continue;
    pairs[2 * out->count] = mlirBlockArgumentGetArgNumber(x);
    pairs[2 * out->count++ + 1] = r;
  }
}

/* Pairs (operand, result) of a kernel that may share a buffer; empty for regions and kernels other than map, row, scatter and
 * dynamic_update_slice. */
static Pairs inplace_pairs(MemoryPlan *plan, MlirOperation call) {
  static const int64_t first[2] = {0, 0};
  const TccCallee *callee = tcc_buffers_callee(&plan->buffers, call);
  bool is_new;
  if (!callee || (callee->kind != TCC_KERNEL_MAP && callee->kind != TCC_KERNEL_ROW && callee->kind != TCC_KERNEL_SCATTER &&
                  callee->kind != TCC_KERNEL_BUILTIN))
    return (Pairs){0};
  TccMapEntry *entry = tcc_map_put(plan->safe, tcc_callee_name(call), &is_new);
  if (!is_new) return *(Pairs *)entry->pointer;
  Pairs *pairs = TCC_NEW(plan->run->scratch, Pairs);
  entry->pointer = pairs;
  if (callee->kind == TCC_KERNEL_MAP) find_map_pairs(plan, callee->function, pairs);
  else if (callee->kind == TCC_KERNEL_ROW) find_row_pairs(plan, callee->function, pairs);
  else if (callee->kind == TCC_KERNEL_SCATTER) find_scatter_pairs(plan, callee->function, pairs);
  else if (updates_a_slice(plan->run->ir, tcc_func_body(callee->function))) *pairs = (Pairs){first, 1};
  return *pairs;
}

static void mark_call(MemoryPlan *plan, MlirOperation call) {
  TccIr *ir = plan->run->ir;
  TccArena *arena = plan->run->scratch;
  TCC_VEC(int64_t) inplace = {0};
  const Pairs known = inplace_pairs(plan, call);
  intptr_t noperands = mlirOperationGetNumOperands(call);
  MlirValue *buffers = TCC_NEW_ARRAY(arena, MlirValue, noperands);
  for (intptr_t i = 0; i < noperands; i++) buffers[i] = buffer_of(plan, mlirOperationGetOperand(call, i));
  for (intptr_t i = 0; i < noperands; i++) {
    MlirValue buffer = buffers[i];
    bool first;
    tcc_map_put(plan->alive, tcc_key_pointer((const void *const *)&buffer.ptr), &first);
    bool source = mlirValueIsAOpResult(buffer) && !tcc_buffers_callee(&plan->buffers, mlirOpResultGetOwner(buffer));
    if (!first || source) continue;
    for (size_t p = 0; p < known.count; p++) {
      if (known.pairs[2 * p] != i) continue;
      bool twice = false; /* read through another operand as well, perhaps at another index */
      for (intptr_t k = 0; k < noperands; k++) twice |= k != i && mlirValueEqual(buffer, buffers[k]);
      if (twice) continue;
      TCC_VEC_PUSH(arena, &inplace, i);
      TCC_VEC_PUSH(arena, &inplace, known.pairs[2 * p + 1]);
    }
  }
  if (inplace.count) tcc_set_attribute(call, "tcc.inplace", tcc_attr_ints(ir, inplace.data, inplace.count));
}

/* ---- updates behind the other readers ---- */
typedef struct {
  TccMap *last;      /* buffer -> number of the op that reads it last */
  TccMap *number_of; /* op -> its number */
} Readers;

static int64_t *entry_of(TccMap *map, const void *const *pointer) {
  return &tcc_map_put(map, tcc_key_pointer(pointer), NULL)->integer;
}

/* The operand that a call of a scatter or of dynamic_update_slice takes over; else null. */
static MlirValue taken_over(MemoryPlan *plan, MlirOperation call) {
  const TccCallee *callee = tcc_buffers_callee(&plan->buffers, call);
  if (!callee || callee->kind == TCC_KERNEL_MAP || callee->kind == TCC_KERNEL_ROW) return (MlirValue){NULL};
  const Pairs pairs = inplace_pairs(plan, call);
  return pairs.count ? mlirOperationGetOperand(call, pairs.pairs[0]) : (MlirValue){NULL};
}

/* Whether a call makes results of the function alone, of what is there from its begin on, so that it may stand anywhere: a step of a counter. */
static bool may_stand_last(const MemoryPlan *plan, MlirOperation call) {
  TccIr *ir = plan->run->ir;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirValue buffer = buffer_of(plan, mlirOperationGetOperand(call, i));
    TccOpKind kind = mlirValueIsABlockArgument(buffer) ? TCC_OP_WEIGHT : tcc_value_kind(ir, buffer);
    if (kind != TCC_OP_WEIGHT && kind != TCC_OP_CONSTANT && kind != TCC_OP_NONE) return false;
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); i++)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(call, i)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      if (!mlirOperationIsNull(mlirOperationGetNextInBlock(mlirOpOperandGetOwner(use)))) return false;
  return true;
}

/* The number of the op that reads last what a call takes over: of a map all that it does, if it may stand behind anything. -1: none. */
static int64_t last_reader(MemoryPlan *plan, const Readers *r, MlirOperation call) {
  const TccCallee *callee = tcc_buffers_callee(&plan->buffers, call);
  MlirValue taken = taken_over(plan, call);
  Pairs pairs = {0};
  int64_t last = -1;
  if (callee && callee->kind == TCC_KERNEL_MAP && may_stand_last(plan, call)) pairs = inplace_pairs(plan, call);
  for (size_t p = 0; p < (taken.ptr ? 1 : pairs.count); p++) {
    MlirValue buffer = buffer_of(plan, taken.ptr ? taken : mlirOperationGetOperand(call, pairs.pairs[2 * p]));
    const int64_t at = *entry_of(r->last, (const void *const *)&buffer.ptr);
    if (at > last) last = at;
  }
  return last;
}

static int64_t first_use(const Readers *r, MlirOperation call) {
  int64_t first = INT64_MAX;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); i++)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(call, i)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      const int64_t number = *entry_of(r->number_of, (const void *const *)&user.ptr);
      if (number < first) first = number;
    }
  return first;
}

static void sink_updates(MemoryPlan *plan, MlirBlock block) {
  TccArena *arena = plan->run->scratch;
  Readers r = {tcc_map_create(arena), tcc_map_create(arena)};
  TCC_VEC(MlirOperation) ops = {0};
  TCC_EACH_OP (op, block) {
    TCC_VEC_PUSH(arena, &ops, op);
    *entry_of(r.number_of, (const void *const *)&op.ptr) = (int64_t)ops.count - 1;
    if (tcc_buffers_is_alias(&plan->buffers, op)) continue;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
      MlirValue buffer = buffer_of(plan, mlirOperationGetOperand(op, i));
      *entry_of(r.last, (const void *const *)&buffer.ptr) = (int64_t)ops.count - 1;
    }
  }
  for (int64_t n = 0; n < (int64_t)ops.count; n++) {
    const int64_t last = last_reader(plan, &r, ops.data[n]);
    if (last <= n || last + 1 == (int64_t)ops.count || last >= first_use(&r, ops.data[n]) || taken_over(plan, ops.data[last]).ptr)
      continue;
    mlirOperationMoveAfter(ops.data[n], ops.data[last]);
  }
}

MlirLogicalResult tcc_pass_memory_plan(TccPassRun *run, MlirOperation module) {
  MemoryPlan plan = {.run = run, .safe = tcc_map_create(run->scratch)};
  tcc_buffers_read(run->ir, run->scratch, module, &plan.buffers);
  TCC_EACH_FUNCTION (func, module) {
    if (tcc_kernel_kind(run->ir, func)) continue;
    plan.alive = tcc_map_create(run->scratch);
    TCC_VEC(MlirOperation) ops = {0};
    MlirBlock block = tcc_func_body(func);
    sink_updates(&plan, block);
    TCC_EACH_OP (op, block) {
      if (!tcc_buffers_is_call_of(&plan.buffers, op, TCC_KERNEL_SLICE)) TCC_VEC_PUSH(run->scratch, &ops, op);
      if (!tcc_buffers_is_call_of(&plan.buffers, op, TCC_KERNEL_CONCAT)) continue;
      for (intptr_t k = 0; k < mlirOperationGetNumOperands(op); k++) {
        MlirValue buffer = buffer_of(&plan, mlirOperationGetOperand(op, k));
        tcc_map_put(plan.alive, tcc_key_pointer((const void *const *)&buffer.ptr), NULL);
      }
    }
    for (size_t i = ops.count; i-- > 0;) {
      if (tcc_buffers_callee(&plan.buffers, ops.data[i])) {
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

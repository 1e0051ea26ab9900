/* tensors.c - a model's inputs and outputs; which tensors lie in memory between its kernels, and why.
 *
 * The reasons are those that the passes wrote down where they decided: tcc.why of a call, one for each result (tcc-fuse,
 * tcc-dedup-regions, tcc-pack-weights), and tcc.inplace (tcc-memory-plan). A reshape is an alias: its
 * readers are readers of what it reshapes. Weights, constants and arguments are not listed: nobody chose to store them. */
#include "lib/compile/tensors.h"
#include "lib/ir/names.h"
#include "tcc/op_kinds.h"

typedef struct {
  TccIr *ir;
  MlirOperation module;
  TccArena *arena;
  TCC_VEC(TccCompiledTensor) tensors;
} Listing;

typedef struct {
  TCC_VEC(MlirOperation) calls; /* that read the value, each once */
  bool returned;
} Readers;

static void find_readers(const Listing *l, MlirValue value, Readers *out) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    if (tcc_op_kind(l->ir, user) == TCC_OP_RESHAPE) {
      find_readers(l, mlirOperationGetResult(user, 0), out);
    } else if (tcc_op_is_named(user, "func.return")) {
      out->returned = true;
    } else {
      bool known = false;
      for (size_t i = 0; i < out->calls.count && !known; i++) known = mlirOperationEqual(out->calls.data[i], user);
      if (!known) TCC_VEC_PUSH(l->arena, &out->calls, user);
    }
  }
}

static const char *why_of(const Listing *l, MlirOperation call, intptr_t result) {
  MlirAttribute all = tcc_attribute(call, "tcc.why");
  TccLoopCall loop;
  if (tcc_call_loop(l->ir, call, &loop)) return "kind: what a loop carries is written by one iteration and read by the next";
  if (mlirAttributeIsNull(all) || result >= mlirArrayAttrGetNumElements(all)) return "the model calls kernels itself";
  MlirStringRef why = mlirStringAttrGetValue(mlirArrayAttrGetElement(all, result));
  return tcc_arena_copy(l->arena, why.data, why.length);
}

static bool calls_kind(const Listing *l, MlirOperation call, TccKernelKind kind) {
  MlirOperation callee = tcc_module_find(l->ir, l->module, tcc_callee_name(call));
  return !mlirOperationIsNull(callee) && tcc_kernel_kind(l->ir, callee) == kind;
}

/* What the run-time copies has a place already; which that is it knows when it sees all regions. */
static const char *place_of(const Listing *l, MlirOperation call, intptr_t result, const Readers *readers) {
  const int64_t *pairs;
  size_t n;
  if (calls_kind(l, call, TCC_KERNEL_SLICE)) return "where it lies in its operand, unless it is a result of the model";
  if (calls_kind(l, call, TCC_KERNEL_CONCAT)) return "its operands are written there, those that have no other place";
  for (size_t i = readers->calls.count; i-- > 0;) /* the last use stands first */
    if (calls_kind(l, readers->calls.data[i], TCC_KERNEL_CONCAT))
      return tcc_arena_printf(l->arena, "in the result of %.*s, unless it has another place",
                              TCC_STR_ARG(tcc_callee_name(readers->calls.data[i])));
  if (!tcc_get_ints(l->ir, call, "tcc.inplace", &pairs, &n)) return "";
  const char *operands = NULL;
  bool several = false;
  for (size_t i = 0; i + 1 < n; i += 2) {
    if (pairs[i + 1] != result) continue;
    several = operands != NULL;
    operands = several ? tcc_arena_printf(l->arena, "%s, %lld", operands, (long long)pairs[i])
                       : tcc_arena_printf(l->arena, "%lld", (long long)pairs[i]);
  }
  if (!operands) return "";
  return tcc_arena_printf(l->arena, several ? "in place of one of operands %s" : "in place of operand %s", operands);
}

static void add_tensor(Listing *l, TccStr function, MlirOperation call, intptr_t result) {
  MlirValue value = mlirOperationGetResult(call, result);
  Readers readers = {0};
  find_readers(l, value, &readers);
  TccText type = {0}, names = {0};
  mlirTypePrint(tcc_value_type(value), tcc_append, &type);
  tcc_text_put(&names, "", 0);
  for (size_t i = 0; i < readers.calls.count; i++) { /* calls of one callee that follow each other are named once */
    TccStr callee = tcc_callee_name(readers.calls.data[i]);
    if (!i || !tcc_str_equal(callee, tcc_callee_name(readers.calls.data[i - 1])))
      tcc_text_printf(&names, "%s%.*s", i ? " " : "", TCC_STR_ARG(callee));
  }
  TccStr maker = tcc_callee_name(call);
  int64_t count, bytes = -1;
  const TccExpr *size = tcc_type_count(l->ir, tcc_value_type(value));
  if (size && tcc_expr_is_const(size, &count)) bytes = (int64_t)tcc_elem_bytes(tcc_type_elem(tcc_value_type(value)), (size_t)count);
  TccCompiledTensor tensor = {tcc_arena_copy(l->arena, function.data, function.length),
                              tcc_arena_copy(l->arena, maker.data, maker.length),
                              tcc_arena_copy(l->arena, names.data, names.length),
                              tcc_arena_copy(l->arena, type.data, type.length),
                              why_of(l, call, result),
                              place_of(l, call, result, &readers),
                              bytes};
  TCC_VEC_PUSH(l->arena, &l->tensors, tensor);
  tcc_text_destroy(&type);
  tcc_text_destroy(&names);
}

void tcc_tensors_list(TccIr *ir, MlirOperation module, TccArena *arena, TccCompiledTensor **out, size_t *out_count) {
  Listing l = {.ir = ir, .module = module, .arena = arena};
  TCC_EACH_FUNCTION (func, module) {
    if (tcc_kernel_kind(ir, func)) continue;
    TCC_EACH_OP (op, tcc_func_body(func))
      for (intptr_t r = 0; tcc_op_is_named(op, "func.call") && r < mlirOperationGetNumResults(op); r++)
        add_tensor(&l, tcc_function_name(func), op, r);
  }
  *out = l.tensors.data;
  *out_count = l.tensors.count;
}

/* ---- inputs and outputs ---- */
/* The caller's: states stand behind them. */
static TccCompiledPort *ports_list(const TccPlanHeader *plan, bool output, size_t count, TccArena *arena) {
  const TccPlanPort *ports = tcc_plan_at(plan, output ? plan->outputs : plan->inputs);
  TccCompiledPort *list = TCC_NEW_ARRAY(arena, TccCompiledPort, count + 1);
  for (uint32_t i = 0; i < count; i++) {
    const char *name = tcc_plan_text(plan, ports[i].name);
    TccText type = {0};
    tcc_plan_print_type(plan, output, i, &type);
    list[i] = (TccCompiledPort){tcc_arena_copy(arena, name, strlen(name)), tcc_arena_copy(arena, type.data, type.length)};
    tcc_text_destroy(&type);
  }
  return list;
}

void tcc_ports_list(const TccPlanHeader *plan, TccCompileResult *result) {
  const TccPlanPort *inputs = tcc_plan_at(plan, plan->inputs);
  size_t states = 0;
  for (size_t i = 0; i < plan->inputs.count; i++) states += inputs[i].kind == TCC_PORT_STATE;
  result->ninputs = plan->inputs.count - states, result->noutputs = plan->outputs.count - 2 * states;
  result->inputs = ports_list(plan, false, result->ninputs, result->arena);
  result->outputs = ports_list(plan, true, result->noutputs, result->arena);
}

void tcc_remarks_list(MlirOperation module, TccArena *arena, TccCompiledRemark **out, size_t *out_count) {
  MlirAttribute all = tcc_attribute(module, "tcc.almost");
  *out_count = mlirAttributeIsNull(all) ? 0 : (size_t)mlirArrayAttrGetNumElements(all) / 2;
  *out = TCC_NEW_ARRAY(arena, TccCompiledRemark, *out_count);
  for (size_t i = 0; i < *out_count; i++) {
    MlirStringRef node = mlirStringAttrGetValue(mlirArrayAttrGetElement(all, (intptr_t)(2 * i))),
                  why = mlirStringAttrGetValue(mlirArrayAttrGetElement(all, (intptr_t)(2 * i + 1)));
    (*out)[i] = (TccCompiledRemark){tcc_arena_copy(arena, node.data, node.length), "an attention",
                                    tcc_arena_copy(arena, why.data, why.length)};
  }
}

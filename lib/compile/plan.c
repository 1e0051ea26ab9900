/* plan.c - from a module of calls to a plan.
 *
 *   func @main(%x) { %w = tcc.weight ...; %0 = call @k0(%x, %w); %1 = tcc.reshape %0; %2 = call @layer(%1, ...) ... }
 *
 * Each function that is not a kernel becomes a table of values and a list of commands: a call of a kernel, a call of
 * another function (a region), or the counting of non-zero elements, which cuts the plan into stages (plan.h). Names of inputs and
 * outputs are the attribute tcc.name of main's arguments and results, a result written in place of an argument has
 * tcc.tied, a static one has tcc.static, and an argument whose value was compiled in has it as tcc.specialised.
 *
 * requires: fuse, dedup-kernels, memory-plan. */
#include "lib/compile/plan.h"
#include "lib/compile/plan_builtins.h"
#include "lib/ir/internal.h"
#include "lib/ir/names.h"
#include "mlir-c/BuiltinAttributes.h"
#include "tcc/op_kinds.h"

typedef struct {
  const TccPlanRequest *request;
  TccIr *ir; /* the request's */
  MlirOperation module;
  TccPlanTables tables;
  TccMap *kernel_map;   /* symbol -> kernel */
  TccMap *call_map;     /* kernel function -> call */
  TccMap *function_map; /* function that is not a kernel -> its index; -1 while its callees are collected */
  TCC_VEC(MlirOperation) order;
  uint32_t stages;
  TccMap *counting; /* functions that count a size, or call one that does */
  TccMap *staged;   /* sizes that are counted -> the stage behind that */
  TccMap *early;    /* sizes that kernels use and nothing has given yet */
} PlanBuilder;

typedef struct {
  TccMap *values;
  uint32_t first, count;
} Scope; /* of one function: MLIR value -> number */

/* The attribute `name` of argument or result `index` of a function; list is "arg_attrs" or "res_attrs". */
static MlirAttribute port_attribute(MlirOperation func, const char *list, intptr_t index, const char *name) {
  MlirAttribute all = tcc_attribute(func, list);
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all) || index >= mlirArrayAttrGetNumElements(all))
    return mlirAttributeGetNull();
  return mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, index), mlirStringRefCreateFromCString(name));
}

/* ---- values ---- */
static uint32_t number_of(const Scope *scope, MlirValue value) {
  TccMapEntry *entry = tcc_map_find(scope->values, tcc_key_pointer((const void *const *)&value.ptr));
  return entry ? (uint32_t)entry->integer : UINT32_MAX;
}

static MlirLogicalResult refuse_type(MlirOperation where, MlirValue value) {
  TccText text = {0};
  tcc_text_printf(&text, "plan: ");
  if (mlirValueIsABlockArgument(value)) {
    tcc_text_printf(&text, "argument %ld", (long)mlirBlockArgumentGetArgNumber(value));
  } else {
    tcc_text_printf(&text, "a result of ");
    tcc_append(mlirIdentifierStr(mlirOperationGetName(tcc_value_op(value))), &text);
  }
  tcc_text_printf(&text, " has a type that is no tensor of a known element type: ");
  mlirTypePrint(tcc_value_type(value), tcc_append, &text);
  tcc_error(where, "%s", text.data);
  tcc_text_destroy(&text);
  return mlirLogicalResultFailure();
}

static MlirLogicalResult add_value(PlanBuilder *b, Scope *scope, MlirValue value, TccPlanValue record, MlirOperation where) {
  MlirType type = tcc_value_type(value);
  if (record.kind != TCC_PLAN_NONE) {
    int rank = tcc_type_rank(type);
    TccElem elem = tcc_type_elem(type);
    if (rank < 0 || elem == TCC_ELEM_NONE) return refuse_type(where, value);
    if (rank > TCC_PLAN_MAX_RANK) return tcc_error(where, "plan: rank %d, the limit is %d", rank, TCC_PLAN_MAX_RANK);
    const TccExpr *dims[TCC_PLAN_MAX_RANK];
    for (int axis = 0; axis < rank; axis++) {
      dims[axis] = tcc_type_dim(b->ir, type, axis);
      if (!dims[axis]) return tcc_error(where, "plan: axis %d of a value has no known size", axis);
    }
    record.elem = (uint8_t)elem;
    record.rank = (uint8_t)rank;
    record.dims = tcc_plan_put_exprs(&b->tables, dims, (size_t)rank);
  }
  record.space = (uint8_t)b->tables.space;
  tcc_map_put(scope->values, tcc_key_pointer((const void *const *)&value.ptr), NULL)->integer = scope->count++;
  TCC_VEC_PUSH(b->ir->arena, &b->tables.values, record);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult put_numbers(PlanBuilder *b, const Scope *scope, MlirOperation op, TccPlanRange *out) {
  *out = (TccPlanRange){(uint32_t)b->tables.indices.count, (uint32_t)mlirOperationGetNumOperands(op)};
  for (uint32_t i = 0; i < out->count; i++) {
    uint32_t number = number_of(scope, mlirOperationGetOperand(op, i));
    if (number == UINT32_MAX) return tcc_error(op, "plan: operand #%u has no command that makes it", i);
    TCC_VEC_PUSH(b->ir->arena, &b->tables.indices, number);
  }
  return mlirLogicalResultSuccess();
}

/* ---- kernels ---- */
static uint32_t put_kernel(PlanBuilder *b, TccStr symbol, const char *emitter, const char *schedule, bool builtin) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(b->kernel_map, symbol, &inserted);
  if (inserted) {
    entry->integer = (int64_t)b->tables.kernels.count;
    TccPlanKernel kernel = {tcc_plan_put_text(&b->tables, symbol), tcc_plan_put_text(&b->tables, tcc_str(emitter)),
                            tcc_plan_put_text(&b->tables, tcc_str(schedule)), builtin};
    TCC_VEC_PUSH(b->ir->arena, &b->tables.kernels, kernel);
  }
  return (uint32_t)entry->integer;
}

static uint32_t count_ops(TccIr *ir, MlirOperation func) {
  uint32_t count = 0;
  TCC_EACH_OP (op, tcc_func_body(func)) {
    TccOpKind kind = tcc_op_kind(ir, op);
    count += kind != TCC_OP_UNKNOWN && kind != TCC_OP_CONSTANT && kind != TCC_OP_NONE && kind != TCC_OP_SIZES;
  }
  return count;
}

static MlirLogicalResult put_builtin(PlanBuilder *b, MlirOperation kernel, TccPlanCall *call) {
  TccBuiltinCall builtin;
  MlirLogicalResult read = tcc_builtin_call_read(b->ir, kernel, &builtin);
  if (mlirLogicalResultIsFailure(read)) return read;
  call->kernel = put_kernel(b, tcc_str(tcc_builtin_name(builtin.builtin)), "builtin", "", true);
  call->sizes = tcc_plan_put_exprs(&b->tables, builtin.sizes, builtin.nsizes);
  call->tiles = tcc_plan_put_expr(&b->tables, builtin.tiles);
  call->scratch = tcc_plan_put_expr(&b->tables, builtin.scratch);
  return mlirLogicalResultSuccess();
}

static void put_tensor_map(PlanBuilder *b, const TccKernelCode *code, const TccTensorMap *map) {
  TccPlanTensorMap out = {.value = (uint32_t)map->buffer,
                          .elem = (uint32_t)map->elem,
                          .rank = (uint32_t)map->rank,
                          .swizzle = map->swizzle,
                          .im2col = map->im2col,
                          .offset = tcc_plan_put_expr(&b->tables, tcc_kernel_code_expr(b->ir, code, map->offset))};
  for (int i = 0; i < map->rank; i++) {
    out.size[i] = tcc_plan_put_expr(&b->tables, tcc_kernel_code_expr(b->ir, code, map->size[i]));
    out.stride[i] = tcc_plan_put_expr(&b->tables, tcc_kernel_code_expr(b->ir, code, map->stride[i]));
    out.box[i] = map->box[i];
  }
  for (int i = 0; map->im2col && i < map->rank - 2; i++)
    out.lower[i] = map->lower[i], out.upper[i] = map->upper[i], out.step[i] = map->step[i];
  TCC_VEC_PUSH(b->ir->arena, &b->tables.tensor_maps, out);
}

static uint32_t put_launch(PlanBuilder *b, const TccKernelCode *code) {
  const TccKernelLaunch *l = &code->launch;
  if (!l->grid[0]) return 0;
  TccPlanLaunch launch = {.static_shared = l->static_shared};
  for (int i = 0; i < 3; i++) {
    launch.grid[i] = tcc_plan_put_expr(&b->tables, tcc_kernel_code_expr(b->ir, code, l->grid[i]));
    launch.block[i] = l->block[i], launch.cluster[i] = l->cluster[i];
  }
  launch.dynamic_shared = tcc_plan_put_expr(&b->tables, tcc_kernel_code_expr(b->ir, code, l->dynamic_shared));
  launch.maps = (TccPlanRange){(uint32_t)b->tables.tensor_maps.count, (uint32_t)l->nmaps};
  for (size_t i = 0; i < l->nmaps; i++) put_tensor_map(b, code, &l->maps[i]);
  TCC_VEC_PUSH(b->ir->arena, &b->tables.launches, launch);
  return (uint32_t)b->tables.launches.count;
}

_Static_assert(TCC_PLAN_INDEX_ANY == (int)TCC_VALID_ANY && TCC_PLAN_INDEX_SIGNED == (int)TCC_VALID_SIGNED &&
                   TCC_PLAN_INDEX_UNSIGNED == (int)TCC_VALID_UNSIGNED,
               "the plan says which indices are valid as ops do");

/* What messages of the run call an op: its node, without the file, since an artifact depends on no path; else its kernel. */
static TccPlanText put_place(PlanBuilder *b, MlirOperation op, MlirOperation kernel) {
  MlirLocation location = mlirOperationGetLocation(op);
  bool node = mlirLocationIsAName(location);
  TccStr name = node ? tcc_from_ref(mlirIdentifierStr(mlirLocationNameGetName(location))) : tcc_function_name(kernel);
  return tcc_plan_put_text(&b->tables,
                           tcc_str(tcc_arena_printf(b->ir->arena, "%s \"%.*s\"", node ? "node" : "kernel", TCC_STR_ARG(name))));
}

static TccPlanRange put_checks(PlanBuilder *b, MlirOperation kernel) {
  const TccIndexCheck *checks;
  TccPlanRange range = {(uint32_t)b->tables.checks.count, (uint32_t)tcc_index_checks(b->ir, kernel, &checks)};
  for (uint32_t i = 0; i < range.count; i++) {
    TccPlanCheck check = {.where = put_place(b, checks[i].op, kernel),
                          .message = tcc_plan_put_text(&b->tables, checks[i].message),
                          .valid = checks[i].valid,
                          .axis = (uint32_t)checks[i].axis,
                          .size = tcc_plan_put_expr(&b->tables, checks[i].size),
                          .count = tcc_plan_put_expr(&b->tables, checks[i].count),
                          .reads = checks[i].reads};
    TCC_VEC_PUSH(b->ir->arena, &b->tables.checks, check);
  }
  return range;
}

static MlirLogicalResult put_call(PlanBuilder *b, MlirOperation kernel, uint32_t *out) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(b->call_map, tcc_function_name(kernel), &inserted);
  *out = (uint32_t)entry->integer;
  if (!inserted) return mlirLogicalResultSuccess();
  entry->integer = (int64_t)b->tables.calls.count;
  *out = (uint32_t)entry->integer;
  TccPlanCall call = {.name = tcc_plan_put_text(&b->tables, tcc_function_name(kernel)),
                      .kind = tcc_plan_put_text(&b->tables, tcc_str(tcc_kernel_kind_name(tcc_kernel_kind(b->ir, kernel)))),
                      .ops = count_ops(b->ir, kernel)};
  const TccKernelCode *code = b->request->lookup(tcc_function_name(kernel), b->request->user);
  if (!code) {
    MlirLogicalResult put = put_builtin(b, kernel, &call);
    if (mlirLogicalResultIsFailure(put)) return put;
  } else {
    call.kernel = put_kernel(b, tcc_str(code->symbol), code->emitter, code->schedule ? code->schedule : "", false);
    call.sizes = tcc_plan_put_exprs(&b->tables, code->sizes, code->nsizes);
    call.tiles = tcc_plan_put_expr(&b->tables, tcc_kernel_code_expr(b->ir, code, code->tiles));
    call.scratch = tcc_plan_put_expr(&b->tables, tcc_kernel_code_expr(b->ir, code, code->scratch_bytes));
    call.launch = put_launch(b, code);
    call.prefetch = code->prefetch;
    call.checks = put_checks(b, kernel);
  }
  TccPlanWork work = tcc_plan_work(&b->tables, kernel);
  TCC_VEC_PUSH(b->ir->arena, &b->tables.calls, call);
  TCC_VEC_PUSH(b->ir->arena, &b->tables.work, work);
  return mlirLogicalResultSuccess();
}

/* ---- functions ---- */
static MlirLogicalResult add_weight(PlanBuilder *b, Scope *scope, MlirOperation op) {
  int64_t source = tcc_i64(b->ir, op, "source"), offset = tcc_i64(b->ir, op, "offset"), length = tcc_i64(b->ir, op, "length");
  if (source < 0 || (size_t)source >= b->tables.sources.count)
    return tcc_error(op, "plan: source %lld is not in tcc.sources", (long long)source);
  TccPlanWeight weight = {.name = tcc_plan_put_text(&b->tables, tcc_string(b->ir, op, "name")),
                          .source = (uint32_t)source,
                          .offset = (uint64_t)offset,
                          .length = (uint64_t)length};
  TccPlanValue value = {.kind = TCC_PLAN_WEIGHT, .index = (uint32_t)b->tables.weights.count};
  TCC_VEC_PUSH(b->ir->arena, &b->tables.weights, weight);
  return add_value(b, scope, mlirOperationGetResult(op, 0), value, op);
}

static MlirLogicalResult add_leaf(PlanBuilder *b, Scope *scope, MlirOperation op) {
  TccPlanValue value = {0};
  switch (tcc_op_kind(b->ir, op)) {
  case TCC_OP_WEIGHT: return add_weight(b, scope, op);
  case TCC_OP_NONE: value.kind = TCC_PLAN_NONE; break;
  case TCC_OP_CONSTANT: {
    size_t count;
    const void *data = tcc_constant_data(b->ir, mlirOperationGetResult(op, 0), &count);
    if (!data) return tcc_error(op, "plan: a constant without data");
    value.kind = TCC_PLAN_CONSTANT;
    value.index = tcc_plan_put_constant(&b->tables, data,
                                        tcc_elem_bytes(tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0))), count));
    break;
  }
  case TCC_OP_SIZES: {
    const TccExpr *const *exprs;
    size_t count;
    if (!tcc_get_exprs(b->ir, op, "values", &exprs, &count)) return tcc_error(op, "plan: sizes without values");
    value.kind = TCC_PLAN_SIZES;
    value.sizes = tcc_plan_put_exprs(&b->tables, exprs, count);
    break;
  }
  case TCC_OP_RESHAPE:
    value.kind = TCC_PLAN_ALIAS;
    value.index = number_of(scope, mlirOperationGetOperand(op, 0));
    if (value.index == UINT32_MAX) return tcc_error(op, "plan: its operand has no command that makes it");
    break;
  default:
    return tcc_error(op, "plan: '%.*s' cannot stand outside of a kernel",
                     TCC_STR_ARG(tcc_from_ref(mlirIdentifierStr(mlirOperationGetName(op)))));
  }
  return add_value(b, scope, mlirOperationGetResult(op, 0), value, op);
}

/* ---- stages ---- */
/* The op that a call counts the non-zero elements for; null: it counts nothing. */
static MlirOperation counted_op(PlanBuilder *b, MlirOperation callee) {
  MlirOperation op = tcc_kernel_kind(b->ir, callee) == TCC_KERNEL_BUILTIN ? tcc_builtin_op(b->ir, callee) : (MlirOperation){NULL};
  return !mlirOperationIsNull(op) && tcc_op_kind(b->ir, op) == TCC_OP_NONZERO ? op : (MlirOperation){NULL};
}

static bool counts(const PlanBuilder *b, MlirOperation callee) { return tcc_map_find(b->counting, tcc_function_name(callee)); }

/* Gives each size that is counted in func, or in what it calls, its stage. */
static MlirLogicalResult number_stages(PlanBuilder *b, MlirOperation func) {
  TCC_EACH_OP (op, tcc_func_body(func)) {
    MlirOperation callee =
        tcc_op_is_named(op, "func.call") ? tcc_module_find(b->ir, b->module, tcc_callee_name(op)) : (MlirOperation){NULL};
    MlirOperation nonzero = mlirOperationIsNull(callee) ? callee : counted_op(b, callee);
    if (mlirOperationIsNull(callee) || (mlirOperationIsNull(nonzero) && !counts(b, callee))) continue;
    if (!mlirOperationIsNull(nonzero)) {
      bool inserted;
      tcc_map_put(b->staged, tcc_string(b->ir, nonzero, "size"), &inserted)->integer = ++b->stages;
      if (!inserted) return tcc_error(op, "plan: the size '%.*s' has two values", TCC_STR_ARG(tcc_string(b->ir, nonzero, "size")));
      continue;
    }
    TccLoopCall loop;
    const bool loops = tcc_call_loop(b->ir, op, &loop);
    b->stages += loops; /* the body's first, and the one behind the loop */
    if (mlirLogicalResultIsFailure(number_stages(b, callee))) return mlirLogicalResultFailure();
    b->stages += loops;
  }
  return mlirLogicalResultSuccess();
}

/* The counting command in front of a nonzero: from here on its symbol has a value. */
static MlirLogicalResult add_count(PlanBuilder *b, const Scope *scope, MlirOperation call, MlirOperation op) {
  uint32_t symbol = tcc_plan_put_symbol(&b->tables, tcc_string(b->ir, op, "size"));
  if (b->tables.bound.data[symbol]) /* an input's */
    return tcc_error(call, "plan: the size '%.*s' has two values", TCC_STR_ARG(tcc_string(b->ir, op, "size")));
  if (tcc_map_find(b->early, tcc_string(b->ir, op, "size")))
    return tcc_error(call, "plan: the size '%.*s' is used before it is counted", TCC_STR_ARG(tcc_string(b->ir, op, "size")));
  b->tables.bound.data[symbol] = true;
  b->tables.symbols.data[symbol].stage = (uint32_t)tcc_map_find(b->staged, tcc_string(b->ir, op, "size"))->integer;
  TccPlanCommand command = {.kind = TCC_PLAN_COUNT, .index = symbol};
  if (mlirLogicalResultIsFailure(put_numbers(b, scope, call, &command.operands))) return mlirLogicalResultFailure();
  TCC_VEC_PUSH(b->ir->arena, &b->tables.commands, command);
  return mlirLogicalResultSuccess();
}

static void note_use(TccStr name, void *user) {
  PlanBuilder *b = user;
  if (!b->tables.bound.data[tcc_plan_put_symbol(&b->tables, name)]) tcc_map_put(b->early, name, NULL);
}

/* Remembers sizes of a kernel that nothing has given yet: what counts one must stand before the kernel. */
static void note_sizes(PlanBuilder *b, uint32_t call) {
  const TccPlanRange sizes = b->tables.calls.data[call].sizes;
  for (uint32_t i = 0; i < sizes.count; i++)
    tcc_expr_symbols(b->tables.sources_of.data[b->tables.indices.data[sizes.first + i]], note_use, b);
}

static MlirLogicalResult add_call(PlanBuilder *b, Scope *scope, MlirOperation call, uint32_t *ops) {
  MlirOperation callee = tcc_module_find(b->ir, b->module, tcc_callee_name(call));
  if (mlirOperationIsNull(callee)) return tcc_error(call, "plan: no function '%.*s'", TCC_STR_ARG(tcc_callee_name(call)));
  TccPlanCommand command = {0};
  TccKernelKind kind = tcc_kernel_kind(b->ir, callee);
  if (!kind) {
    TccLoopCall loop;
    command.kind = TCC_PLAN_REGION;
    command.copy = tcc_plan_copy(mlirOperationGetLocation(call));
    if (tcc_call_loop(b->ir, call, &loop)) {
      command.kind = TCC_PLAN_LOOP;
      command.trips = tcc_plan_put_expr(&b->tables, loop.trips);
      command.conditional = loop.conditional;
    }
    command.index = (uint32_t)tcc_map_find(b->function_map, tcc_callee_name(call))->integer;
  } else {
    MlirOperation op = counted_op(b, callee);
    if (!mlirOperationIsNull(op) && mlirLogicalResultIsFailure(add_count(b, scope, call, op))) return mlirLogicalResultFailure();
    if (mlirLogicalResultIsFailure(put_call(b, callee, &command.index))) return mlirLogicalResultFailure();
    note_sizes(b, command.index);
    *ops += b->tables.calls.data[command.index].ops;
    command.nodes = tcc_plan_put_nodes(&b->tables, mlirOperationGetLocation(call));
  }
  if (mlirLogicalResultIsFailure(put_numbers(b, scope, call, &command.operands))) return mlirLogicalResultFailure();
  intptr_t results = mlirOperationGetNumResults(call);
  for (intptr_t i = 0; i < results; i++)
    if (mlirLogicalResultIsFailure(
            add_value(b, scope, mlirOperationGetResult(call, i), (TccPlanValue){.kind = TCC_PLAN_RESULT}, call)))
      return mlirLogicalResultFailure();
  command.results = (TccPlanRange){(uint32_t)b->tables.indices.count, (uint32_t)results};
  for (intptr_t i = 0; i < results; i++)
    TCC_VEC_PUSH(b->ir->arena, &b->tables.indices, number_of(scope, mlirOperationGetResult(call, i)));
  const int64_t *pairs;
  size_t npairs;
  command.inplace.first = (uint32_t)b->tables.indices.count;
  if (tcc_get_ints(b->ir, call, "tcc.inplace", &pairs, &npairs))
    for (size_t i = 0; i < npairs; i++, command.inplace.count++) TCC_VEC_PUSH(b->ir->arena, &b->tables.indices, (uint32_t)pairs[i]);
  for (uint32_t i = 0; command.kind == TCC_PLAN_LOOP && i < 2 * (uint32_t)results;
       i++, command.inplace.count++) /* what it carries begins where it lies */
    TCC_VEC_PUSH(b->ir->arena, &b->tables.indices, i / 2);
  TCC_VEC_PUSH(b->ir->arena, &b->tables.commands, command);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult add_function(PlanBuilder *b, MlirOperation func, bool is_main) {
  Scope scope = {.values = tcc_map_create(b->ir->arena), .first = (uint32_t)b->tables.values.count};
  TccPlanFunction function = {.name = tcc_plan_put_text(&b->tables, tcc_function_name(func)),
                              .values = {scope.first, 0},
                              .commands = {(uint32_t)b->tables.commands.count, 0}};
  MlirBlock body = tcc_func_body(func);
  function.arguments = (uint32_t)mlirBlockGetNumArguments(body);
  for (uint32_t i = 0; i < function.arguments; i++) {
    MlirValue argument = mlirBlockGetArgument(body, i);
    if (mlirLogicalResultIsFailure(add_value(b, &scope, argument, (TccPlanValue){.kind = TCC_PLAN_ARGUMENT, .index = i}, func)))
      return mlirLogicalResultFailure();
    for (int axis = 0; is_main && axis < tcc_type_rank(tcc_value_type(argument)); axis++) {
      TccStr name;
      if (tcc_expr_is_symbol(tcc_type_dim(b->ir, tcc_value_type(argument), axis), &name))
        b->tables.bound.data[tcc_plan_put_symbol(&b->tables, name)] = true;
    }
  }
  TCC_EACH_OP (op, body) {
    MlirLogicalResult result = mlirLogicalResultSuccess();
    if (tcc_op_is_named(op, "func.return")) result = put_numbers(b, &scope, op, &function.results);
    else if (tcc_op_is_named(op, "func.call")) result = add_call(b, &scope, op, &function.ops);
    else result = add_leaf(b, &scope, op);
    if (mlirLogicalResultIsFailure(result)) return result;
  }
  function.values.count = scope.count;
  function.commands.count = (uint32_t)b->tables.commands.count - function.commands.first;
  TCC_VEC_PUSH(b->ir->arena, &b->tables.functions, function);
  return mlirLogicalResultSuccess();
}

enum { VISITING = -1, MAX_DEPTH = 64 };

/* Callees before callers; the list is walked backwards, so that a callee's number is larger than its callers'. */
static MlirLogicalResult collect_functions(PlanBuilder *b, MlirOperation func, int depth) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(b->function_map, tcc_function_name(func), &inserted);
  if (!inserted && entry->integer == VISITING) return tcc_error(func, "plan: functions call each other in a circle");
  if (!inserted) return mlirLogicalResultSuccess();
  if (depth > MAX_DEPTH) return tcc_error(func, "plan: calls are nested deeper than %d", MAX_DEPTH);
  entry->integer = VISITING;
  TCC_EACH_OP (op, tcc_func_body(func)) {
    if (!tcc_op_is_named(op, "func.call")) continue;
    MlirOperation callee = tcc_module_find(b->ir, b->module, tcc_callee_name(op));
    if (mlirOperationIsNull(callee)) continue;
    if (!tcc_kernel_kind(b->ir, callee) && mlirLogicalResultIsFailure(collect_functions(b, callee, depth + 1)))
      return mlirLogicalResultFailure();
    if (!mlirOperationIsNull(counted_op(b, callee)) || counts(b, callee)) tcc_map_put(b->counting, tcc_function_name(func), NULL);
  }
  tcc_map_find(b->function_map, tcc_function_name(func))->integer = 0;
  TCC_VEC_PUSH(b->ir->arena, &b->order, func);
  return mlirLogicalResultSuccess();
}

/* ---- inputs and outputs ---- */
TccStr tcc_plan_port_name(TccArena *arena, MlirOperation func, const char *list, uint32_t index, const char *otherwise) {
  MlirAttribute name = port_attribute(func, list, index, "tcc.name");
  if (!mlirAttributeIsNull(name) && mlirAttributeIsAString(name)) return tcc_from_ref(mlirStringAttrGetValue(name));
  return tcc_str(tcc_arena_printf(arena, "%s_%u", otherwise, index));
}

static TccPlanText port_name(PlanBuilder *b, MlirOperation func, const char *list, uint32_t index, const char *otherwise) {
  return tcc_plan_put_text(&b->tables, tcc_plan_port_name(b->ir->arena, func, list, index, otherwise));
}

static MlirLogicalResult add_ports(PlanBuilder *b, MlirOperation func) {
  const TccPlanFunction *entry = &b->tables.functions.data[0];
  for (uint32_t i = 0; i < entry->arguments; i++) {
    TccPlanPort port = {.name = port_name(b, func, "arg_attrs", i, "input"), .value = i, .tied = -1};
    if (!mlirAttributeIsNull(port_attribute(func, "arg_attrs", i, "tcc.static"))) port.kind = TCC_PORT_STATIC;
    if (!mlirAttributeIsNull(port_attribute(func, "arg_attrs", i, "tcc.state"))) port.kind = TCC_PORT_STATE;
    TCC_VEC_PUSH(b->ir->arena, &b->tables.inputs, port);
    MlirAttribute value = port_attribute(func, "arg_attrs", i, "tcc.specialised");
    if (mlirAttributeIsNull(value)) continue;
    if (!mlirAttributeIsADenseElements(value))
      return tcc_error(func, "plan: the value of input %u is too large to be compiled in", i);
    size_t count;
    const void *data = tcc_elements_data(b->ir, value, &count);
    if (!data) return tcc_error(func, "plan: the value of input %u cannot be read", i);
    TccPlanSpecialised specialised = {
        i, tcc_plan_put_constant(&b->tables, data, tcc_elem_bytes(tcc_type_elem(mlirAttributeGetType(value)), count))};
    TCC_VEC_PUSH(b->ir->arena, &b->tables.specialised, specialised);
  }
  for (uint32_t i = 0; i < entry->results.count; i++) {
    TccPlanPort port = {.name = port_name(b, func, "res_attrs", i, "output"),
                        .value = b->tables.indices.data[entry->results.first + i],
                        .tied = -1};
    MlirAttribute tied = port_attribute(func, "res_attrs", i, "tcc.tied"),
                  initial = port_attribute(func, "res_attrs", i, "tcc.initial");
    if (!mlirAttributeIsNull(port_attribute(func, "res_attrs", i, "tcc.state"))) port.kind = TCC_PORT_STATE;
    if (!mlirAttributeIsNull(initial)) tied = initial, port.kind = TCC_PORT_INITIAL;
    if (!mlirAttributeIsNull(tied) && mlirAttributeIsAInteger(tied)) port.tied = (int32_t)mlirIntegerAttrGetValueInt(tied);
    TCC_VEC_PUSH(b->ir->arena, &b->tables.outputs, port);
  }
  size_t states;
  if (!tcc_plan_states(b->tables.inputs.data, b->tables.inputs.count, b->tables.outputs.data, b->tables.outputs.count, &states))
    return tcc_error(
        func, "plan: each tcc.state must be an argument behind all others, with a result tcc.state, tcc.tied to it, behind all "
              "others and behind those a result tcc.initial, in the same order");
  return mlirLogicalResultSuccess();
}

static void add_sources(PlanBuilder *b) {
  MlirAttribute sources = tcc_attribute(b->module, "tcc.sources");
  if (mlirAttributeIsNull(sources) || !mlirAttributeIsAArray(sources)) return;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(sources); i++) {
    TccPlanSource source = {
        .name = tcc_plan_put_text(&b->tables, tcc_from_ref(mlirStringAttrGetValue(mlirArrayAttrGetElement(sources, i))))};
    TCC_VEC_PUSH(b->ir->arena, &b->tables.sources, source);
  }
}

static void add_constraints(PlanBuilder *b) {
  size_t count;
  const TccConstraint *constraints = tcc_ir_constraints(b->ir, b->module, &count);
  for (size_t i = 0; i < count; i++) {
    const TccConstraint *c = &constraints[i];
    TccPlanConstraint constraint = {.relation = c->relation,
                                    .left = tcc_plan_put_expr(&b->tables, c->left),
                                    .right = tcc_plan_put_expr(&b->tables, c->right),
                                    .left_text = tcc_plan_put_text(&b->tables, tcc_str(tcc_expr_text(b->ir->exprs, c->left))),
                                    .right_text = tcc_plan_put_text(&b->tables, tcc_str(tcc_expr_text(b->ir->exprs, c->right))),
                                    .origin = tcc_plan_put_text(&b->tables, tcc_str(c->origin))};
    TCC_VEC_PUSH(b->ir->arena, &b->tables.constraints, constraint);
  }
}

static void put_images(PlanBuilder *b) {
  for (size_t i = 0; i < b->request->ncodes; i++) {
    const TccPlanCode *code = &b->request->codes[i];
    TccPlanImage image = {.chip = tcc_plan_put_text(&b->tables, tcc_str(b->request->target->machine.cpu)),
                          .kind = code->kind,
                          .offset = tcc_plan_put_data(&b->tables, code->bytes.data, code->bytes.length),
                          .length = code->bytes.length,
                          .kernels = {(uint32_t)b->tables.indices.count, 0}};
    for (size_t k = 0; k < code->nsymbols; k++) {
      TccMapEntry *entry = tcc_map_find(b->kernel_map, tcc_str(code->symbols[k]));
      if (!entry) continue;
      TCC_VEC_PUSH(b->ir->arena, &b->tables.indices, (uint32_t)entry->integer);
      image.kernels.count++;
    }
    TCC_VEC_PUSH(b->ir->arena, &b->tables.images, image);
  }
}

static MlirLogicalResult build(PlanBuilder *b, TccText *out, TccStr **out_weights, size_t *out_count) {
  MlirOperation main = tcc_module_find(b->ir, b->module, tcc_str("main"));
  if (mlirOperationIsNull(main)) return tcc_error(b->module, "plan: the module has no function 'main'");
  add_sources(b);
  if (mlirLogicalResultIsFailure(collect_functions(b, main, 0))) return mlirLogicalResultFailure();
  if (mlirLogicalResultIsFailure(number_stages(b, main))) return mlirLogicalResultFailure();
  for (size_t i = 0; i < b->order.count; i++)
    tcc_map_find(b->function_map, tcc_function_name(b->order.data[i]))->integer = (int64_t)(b->order.count - 1 - i);
  for (size_t i = b->order.count; i-- > 0;)
    if (mlirLogicalResultIsFailure(add_function(b, b->order.data[i], i + 1 == b->order.count))) return mlirLogicalResultFailure();
  add_constraints(b);
  put_images(b);
  const char *unbound = tcc_plan_unbound_symbol(&b->tables);
  if (unbound)
    return tcc_error(main, "plan: the size '%s' is not the size of an input's dimension, and nothing else gives it", unbound);
  if (mlirLogicalResultIsFailure(add_ports(b, main))) return mlirLogicalResultFailure();
  TccStatus *status = tcc_plan_identify(&b->tables, b->request->files, out_weights, out_count);
  if (status) return tcc_status_emit(status, mlirOperationGetLocation(main));
  tcc_plan_serialise(&b->tables, b->request->target, b->request->options, out);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tcc_plan_build(const TccPlanRequest *request, TccText *out, TccStr **out_weights, size_t *out_count) {
  TccIr *ir = request->ir;
  PlanBuilder builder = {.request = request,
                         .ir = ir,
                         .module = request->module,
                         .kernel_map = tcc_map_create(ir->arena),
                         .call_map = tcc_map_create(ir->arena),
                         .function_map = tcc_map_create(ir->arena),
                         .counting = tcc_map_create(ir->arena),
                         .staged = tcc_map_create(ir->arena),
                         .early = tcc_map_create(ir->arena)};
  tcc_plan_tables_open(&builder.tables, ir, request->target->of->space);
  MlirLogicalResult result = build(&builder, out, out_weights, out_count);
  tcc_plan_tables_close(&builder.tables);
  return result;
}

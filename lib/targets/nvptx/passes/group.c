/* group.c - see group.h. */
#include "lib/targets/nvptx/passes/group.h"
#include "lib/ir/names.h"
#include "tcc/location.h"
#include "tcc/op_kinds.h"

void nvptx_grouping_init(NvptxGrouping *g, TccPassRun *run, MlirOperation module) {
  *g = (NvptxGrouping){
      .run = run, .ir = run->ir, .module = module, .kernels = tcc_map_create(run->scratch), .joined = tcc_map_create(run->scratch)};
  TCC_EACH_FUNCTION (func, module) {
    MlirOperation unknown;
    int axis;
    if (tcc_kernel_kind(run->ir, func) == TCC_KERNEL_NONE) TCC_VEC_PUSH(run->scratch, &g->blocks, tcc_func_body(func));
    else if (tcc_sizes_known(run->ir, func, &unknown, &axis)) /* of others whoever emits them says it */
      tcc_map_put(g->kernels, tcc_function_name(func), NULL)->pointer = func.ptr;
  }
}

MlirOperation nvptx_grouping_kernel(const NvptxGrouping *g, MlirOperation op) {
  if (!tcc_op_is_named(op, "func.call") || tcc_has_attribute(op, "tcc.trips")) return (MlirOperation){NULL};
  TccMapEntry *found = tcc_map_find(g->kernels, tcc_callee_name(op));
  return (MlirOperation){found ? found->pointer : NULL};
}

intptr_t nvptx_argument_of(TccIr *ir, MlirValue v) {
  while (!mlirValueIsABlockArgument(v)) {
    TccOpKind kind = tcc_value_kind(ir, v);
    if (kind != TCC_OP_RESHAPE && kind != TCC_OP_TRANSPOSE && kind != TCC_OP_BROADCAST && kind != TCC_OP_SLICE) return -1;
    v = mlirOperationGetOperand(tcc_value_op(v), 0);
  }
  return mlirBlockArgumentGetArgNumber(v);
}

/* ---- order ---- */

static bool comes_before(TccIr *ir, MlirValue value, MlirOperation first) {
  if (mlirValueIsABlockArgument(value)) return true;
  MlirOperation op = mlirOpResultGetOwner(value);
  if (mlirOperationIsBeforeInBlock(op, first)) return true;
  TccOpKind kind = tcc_op_kind(ir, op);
  if (kind != TCC_OP_WEIGHT && kind != TCC_OP_CONSTANT && kind != TCC_OP_NONE && kind != TCC_OP_RESHAPE) return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!comes_before(ir, mlirOperationGetOperand(op, i), first)) return false;
  return true;
}

static void move_before(MlirValue value, MlirOperation first) {
  if (mlirValueIsABlockArgument(value) || mlirOperationIsBeforeInBlock(mlirOpResultGetOwner(value), first)) return;
  MlirOperation op = mlirOpResultGetOwner(value);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) move_before(mlirOperationGetOperand(op, i), first);
  mlirOperationMoveBefore(op, first);
}

bool nvptx_group_may_stand(TccIr *ir, MlirOperation call, MlirOperation first) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    if (!comes_before(ir, mlirOperationGetOperand(call, i), first)) return false;
  return true;
}

bool nvptx_is_scalar(TccIr *ir, MlirValue v) {
  return tcc_type_rank(tcc_value_type(v)) >= 0 && tcc_type_count(ir, tcc_value_type(v)) == tcc_expr_const(ir->exprs, 1);
}

bool nvptx_group_is_read_between(TccIr *ir, MlirOperation first, MlirOperation call) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirValue v = mlirOperationGetOperand(call, i);
    if (nvptx_is_scalar(ir, v)) continue;
    for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
      MlirOperation user = mlirOpOperandGetOwner(use);
      if (mlirOperationIsBeforeInBlock(first, user) && mlirOperationIsBeforeInBlock(user, call)) return true;
    }
  }
  return false;
}

bool nvptx_group_is_of_weights(const TccInit *init, MlirOperation call) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    if (!tcc_init_is(init, mlirOperationGetOperand(call, i))) return false;
  return true;
}

/* ---- the kernel ---- */

/* Operands of all calls, each once; of[m][i]: which one is operand i of call m. */
typedef struct {
  TCC_VEC(MlirValue) operands;
  intptr_t **of;
} Operands;

static void collect(NvptxGrouping *g, const NvptxGroup *group, Operands *out) {
  TccArena *arena = g->run->scratch;
  TccMap *known = tcc_map_create(arena);
  *out = (Operands){.of = TCC_NEW_ARRAY(arena, intptr_t *, group->count)};
  for (size_t m = 0; m < group->count; m++) {
    intptr_t n = mlirOperationGetNumOperands(group->data[m].call);
    out->of[m] = TCC_NEW_ARRAY(arena, intptr_t, n + 1);
    for (intptr_t i = 0; i < n; i++) {
      MlirValue v = mlirOperationGetOperand(group->data[m].call, i);
      bool is_new;
      TccMapEntry *entry = tcc_map_put(known, tcc_key_pointer((const void *const *)&v.ptr), &is_new);
      if (is_new) {
        entry->integer = (int64_t)out->operands.count;
        TCC_VEC_PUSH(arena, &out->operands, v);
      }
      out->of[m][i] = (intptr_t)entry->integer;
    }
  }
}

void nvptx_grouping_put(NvptxGrouping *g, MlirOperation kernel, const MlirValue *arguments, MlirBlock to, MlirValue *out) {
  MlirBlock body = tcc_func_body(kernel);
  TccMap *inside = tcc_map_create(g->run->scratch);
  MlirOperation end = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirValue v = mlirBlockGetArgument(body, i);
    tcc_map_put(inside, tcc_key_pointer((const void *const *)&v.ptr), NULL)->constant = arguments[i].ptr;
  }
  TCC_EACH_OP (op, body) {
    if (mlirOperationEqual(op, end)) break;
    MlirOperation clone = mlirOperationClone(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
      MlirValue v = mlirOperationGetOperand(op, i);
      const void *now = tcc_map_find(inside, tcc_key_pointer((const void *const *)&v.ptr))->constant;
      mlirOperationSetOperand(clone, i, (MlirValue){now});
    }
    mlirBlockAppendOwnedOperation(to, clone);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
      MlirValue v = mlirOperationGetResult(op, r);
      tcc_map_put(inside, tcc_key_pointer((const void *const *)&v.ptr), NULL)->constant = mlirOperationGetResult(clone, r).ptr;
    }
  }
  for (intptr_t r = 0; r < mlirOperationGetNumOperands(end); r++) {
    MlirValue v = mlirOperationGetOperand(end, r);
    out[r] = (MlirValue){tcc_map_find(inside, tcc_key_pointer((const void *const *)&v.ptr))->constant};
  }
}

/* The same as a member has it. */
static void put_member(NvptxGrouping *g, MlirOperation kernel, const intptr_t *of, MlirBlock to, MlirValue *out) {
  intptr_t n = mlirBlockGetNumArguments(tcc_func_body(kernel));
  MlirValue *arguments = TCC_NEW_ARRAY(g->run->scratch, MlirValue, n + 1);
  for (intptr_t i = 0; i < n; i++) arguments[i] = mlirBlockGetArgument(to, of[i]);
  nvptx_grouping_put(g, kernel, arguments, to, out);
}

static intptr_t results_of(const NvptxGroup *group) { return mlirOperationGetNumResults(group->data[0].call); }

static void make_kernel(NvptxGrouping *g, const NvptxGroup *group, const Operands *operands, const char *name, bool marked) {
  MlirOperation first = group->data[0].kernel;
  MlirLocation location = mlirOperationGetLocation(first);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  const intptr_t each = results_of(group);
  MlirValue *results = TCC_NEW_ARRAY(g->run->scratch, MlirValue, group->count * (size_t)each);
  mlirRegionAppendOwnedBlock(region, block);
  for (size_t i = 0; i < operands->operands.count; i++)
    mlirBlockAddArgument(block, tcc_value_type(operands->operands.data[i]), location);
  for (size_t m = 0; m < group->count; m++)
    put_member(g, group->data[m].kernel, operands->of[m], block, results + m * (size_t)each);
  mlirBlockAppendOwnedOperation(block, tcc_make_return(g->ir, location, (intptr_t)group->count * each, results));
  MlirOperation func = tcc_make_function(g->ir, name, tcc_kernel_kind(g->ir, first), location, region);
  if (tcc_numerics(first) != TCC_NUMERICS_FAST) tcc_set_numerics(g->ir, func, tcc_numerics(first));
  if (marked) tcc_set_attribute(func, "tcc.members", tcc_attr_i64(g->ir, (int64_t)group->count));
  mlirBlockInsertOwnedOperationBefore(tcc_func_body(g->module), first, func);
}

const char *nvptx_grouping_name(NvptxGrouping *g, const char *name) {
  if (mlirOperationIsNull(tcc_module_find(g->ir, g->module, tcc_str(name)))) return name;
  return tcc_arena_printf(g->run->scratch, "%s_%zu", name, tcc_map_count(g->joined) - 1);
}

/* Its name; one for all groups of the same kernels that share the same operands. */
static const char *kernel_of(NvptxGrouping *g, const NvptxGroup *group, const Operands *operands, bool marked) {
  TccText key = {0};
  for (size_t m = 0; m < group->count; m++) {
    intptr_t n = mlirOperationGetNumOperands(group->data[m].call);
    tcc_text_put(&key, (const char *)&group->data[m].kernel.ptr, sizeof group->data[m].kernel.ptr);
    tcc_text_put(&key, (const char *)operands->of[m], (size_t)n * sizeof *operands->of[m]);
  }
  bool inserted;
  TccMapEntry *entry = tcc_map_put(g->joined, tcc_text_str(&key), &inserted);
  tcc_text_destroy(&key);
  if (!inserted) return entry->constant;
  TccStr of = tcc_function_name(group->data[0].kernel);
  const char *name = nvptx_grouping_name(g, tcc_arena_printf(g->run->scratch, "%.*s_x%zu", TCC_STR_ARG(of), group->count));
  make_kernel(g, group, operands, name, marked);
  for (size_t m = 0; m < group->count; m++) TCC_VEC_PUSH(g->run->scratch, &g->replaced, group->data[m].kernel);
  entry->constant = name;
  return name;
}

/* ---- calls ---- */

/* Why results lie in memory: as it was said of each. */
static void keep_reasons(NvptxGrouping *g, const NvptxGroup *group, MlirOperation call) {
  const intptr_t each = results_of(group);
  MlirAttribute *all = TCC_NEW_ARRAY(g->run->scratch, MlirAttribute, group->count * (size_t)each);
  for (size_t m = 0; m < group->count; m++) {
    MlirAttribute why = tcc_attribute(group->data[m].call, "tcc.why");
    if (mlirAttributeIsNull(why) || mlirArrayAttrGetNumElements(why) != each) return;
    for (intptr_t r = 0; r < each; r++) all[(intptr_t)m * each + r] = mlirArrayAttrGetElement(why, r);
  }
  tcc_set_attribute(call, "tcc.why", mlirArrayAttrGet(g->ir->context, (intptr_t)group->count * each, all));
}

void nvptx_grouping_join(NvptxGrouping *g, const NvptxGroup *group, bool marked) {
  TccArena *arena = g->run->scratch;
  Operands operands;
  MlirOperation first = group->data[0].call;
  const intptr_t each = results_of(group), count = (intptr_t)group->count;
  MlirType *types = TCC_NEW_ARRAY(arena, MlirType, count * each);
  MlirLocation *locations = TCC_NEW_ARRAY(arena, MlirLocation, count);
  collect(g, group, &operands);
  const char *name = kernel_of(g, group, &operands, marked);
  for (size_t i = 0; i < operands.operands.count; i++) move_before(operands.operands.data[i], first);
  for (intptr_t m = 0; m < count; m++) {
    for (intptr_t r = 0; r < each; r++) types[m * each + r] = tcc_value_type(mlirOperationGetResult(group->data[m].call, r));
    locations[m] = mlirOperationGetLocation(group->data[m].call);
  }
  MlirOperation call = tcc_make_call(g->ir, name, tcc_location_fuse(g->ir, locations, (size_t)count), operands.operands.count,
                                     operands.operands.data, (size_t)(count * each), types);
  keep_reasons(g, group, call);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(first), first, call);
  for (intptr_t m = 0; m < count; m++) {
    for (intptr_t r = 0; r < each; r++)
      tcc_replace_uses(mlirOperationGetResult(group->data[m].call, r), mlirOperationGetResult(call, m * each + r));
    mlirOperationDestroy(group->data[m].call);
  }
}

void nvptx_grouping_finish(NvptxGrouping *g) {
  TccMap *called = tcc_map_create(g->run->scratch), *gone = tcc_map_create(g->run->scratch);
  TCC_EACH_FUNCTION (func, g->module)
    TCC_EACH_OP (op, tcc_func_body(func))
      if (tcc_op_is_named(op, "func.call")) tcc_map_put(called, tcc_callee_name(op), NULL);
  for (size_t i = 0; i < g->replaced.count; i++) {
    MlirOperation kernel = g->replaced.data[i];
    bool first;
    tcc_map_put(gone, tcc_key_pointer((const void *const *)&kernel.ptr), &first);
    if (first && !tcc_map_find(called, tcc_function_name(kernel))) mlirOperationDestroy(kernel);
  }
}

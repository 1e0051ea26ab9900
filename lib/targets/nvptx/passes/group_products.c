/* group_products.c - products of one left operand that leave multiprocessors idle become one launch: queries, keys and values of attention.
 *
 *   %q = call @k(%x, %wq, %bq)
 *   %k = call @k(%x, %wk, %bk)      =>    %q, %k, %v = call @k_x3(%x, %wq, %bq, %wk, %bk, %wv, %bv)
 *   %v = call @k(%x, %wv, %bv)
 *
 * The kernel has the body of @k three times (lib/codegen/read/members.h), its grid the tiles of all: a block finds out which weight, bias and result its
 * tile has. The horizontal fusion of XLA (horizontal_loop_fusion.cc) and Inductor (combo kernels) for products, with the pointers of cuBLAS's grouped
 * products. XLA's dot merger joins the weights to one instead, which is a copy of them in each run where they are inputs of the model, as torch's parameters
 * are; and one result, of which what follows reads slices. The decision is one about launches of this target, so it comes when kernels are made.
 *
 * The joined call stands where the first one did: what others read beside the left operand must be there, or be moved in front of it.
 *
 * requires: fuse, dedup-kernels. ensures: nothing is computed twice or copied. keeps: results, to the bit where parts of sums stay the same. */
#include "lib/codegen/read/members.h"
#include "lib/ir/names.h"
#include "lib/targets/nvptx/passes/passes.h"
#include "tcc/codegen.h"
#include "tcc/location.h"
#include "tcc/op_kinds.h"
#include "tcc/target.h"

enum { SQUARE = 128 /* rows and columns of a tile of a large product */ };

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  MlirOperation module;
  TccMap *functions; /* name -> kernel */
  TccMap *lefts;     /* kernel -> argument + 1 that is the left operand of a product worth joining; 0: it is none */
  TccMap *joined;    /* kernel, number of members, operands that they share -> name */
  TCC_VEC(MlirOperation) replaced;
} Grouping;

typedef struct {
  MlirOperation kernel;
  int count;
  MlirOperation call[TCC_MOST_MEMBERS];
} Group;

/* ---- which products ---- */

/* The argument that a value is a view of; -1: it is computed. */
static intptr_t argument_of(TccIr *ir, MlirValue v) {
  while (!mlirValueIsABlockArgument(v)) {
    TccOpKind kind = tcc_value_kind(ir, v);
    if (kind != TCC_OP_RESHAPE && kind != TCC_OP_TRANSPOSE && kind != TCC_OP_BROADCAST && kind != TCC_OP_SLICE) return -1;
    v = mlirOperationGetOperand(tcc_value_op(v), 0);
  }
  return mlirBlockArgumentGetArgNumber(v);
}

/* Whether tiles of such a product leave multiprocessors without one. */
static bool is_small(Grouping *g, MlirOperation dot) {
  MlirType left = tcc_value_type(mlirOperationGetOperand(dot, 0)), result = tcc_value_type(mlirOperationGetResult(dot, 0));
  const int64_t *batch;
  size_t nbatch;
  int rank = tcc_type_rank(result), rows = tcc_type_rank(left);
  const int64_t *depth;
  size_t ndepth;
  if (!tcc_get_ints(g->ir, dot, "lhs_batch", &batch, &nbatch) || !tcc_get_ints(g->ir, dot, "lhs_contract", &depth, &ndepth))
    return false;
  rows -= (int)ndepth; /* axes of the result that the left operand gives: the batch first */
  int64_t count[3] = {1, 1, 1};
  for (int axis = 0; axis < rank; axis++)
    count[axis < (int)nbatch ? 0 : axis < rows ? 1 : 2] *= tcc_ir_likely(g->ir, tcc_type_dim(g->ir, result, axis));
  int64_t tiles = count[0] * tcc_ceil_div(count[1], SQUARE) * tcc_ceil_div(count[2], SQUARE);
  return tiles < (int64_t)g->run->target->machine.gpu.sms;
}

static intptr_t find_left(Grouping *g, MlirOperation kernel) {
  const TccIndexCheck *checks;
  MlirOperation dot = {NULL};
  if (tcc_kernel_kind(g->ir, kernel) != TCC_KERNEL_CONTRACT || tcc_index_checks(g->ir, kernel, &checks) > 0 ||
      mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel))) != 1)
    return -1;
  TCC_EACH_OP (op, tcc_func_body(kernel))
    if (tcc_op_kind(g->ir, op) == TCC_OP_DOT_GENERAL) dot = op;
  if (mlirOperationIsNull(dot) || !is_small(g, dot)) return -1;
  return argument_of(g->ir, mlirOperationGetOperand(dot, 0));
}

/* The operand of a call that is the left one of such a product; -1: it calls none. */
static intptr_t left_of(Grouping *g, MlirOperation call, MlirOperation *out_kernel) {
  if (!tcc_op_is_named(call, "func.call") || tcc_has_attribute(call, "tcc.trips")) return -1;
  TccMapEntry *found = tcc_map_find(g->functions, tcc_callee_name(call));
  if (!found) return -1;
  bool inserted;
  TccMapEntry *left = tcc_map_put(g->lefts, tcc_callee_name(call), &inserted);
  *out_kernel = (MlirOperation){found->pointer};
  if (inserted) left->pointer = (void *)(find_left(g, *out_kernel) + 1);
  return (intptr_t)left->pointer - 1;
}

/* ---- order ---- */

/* Whether `value` is there in front of `first`, or what makes it can be moved there, and all that this reads. */
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

static bool may_join(TccIr *ir, const Group *group, MlirOperation call) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    if (!comes_before(ir, mlirOperationGetOperand(call, i), group->call[0])) return false;
  return true;
}

/* ---- the kernel ---- */

/* Operands of all calls, each once; of[m][i]: which one is operand i of call m. */
typedef struct {
  TCC_VEC(MlirValue) operands;
  intptr_t *of[TCC_MOST_MEMBERS];
} Operands;

static void collect(Grouping *g, const Group *group, Operands *out) {
  TccArena *arena = g->run->scratch;
  *out = (Operands){0};
  for (int m = 0; m < group->count; m++) {
    intptr_t n = mlirOperationGetNumOperands(group->call[m]);
    out->of[m] = TCC_NEW_ARRAY(arena, intptr_t, n + 1);
    for (intptr_t i = 0; i < n; i++) {
      MlirValue v = mlirOperationGetOperand(group->call[m], i);
      size_t at = 0;
      while (at < out->operands.count && !mlirValueEqual(out->operands.data[at], v)) at++;
      if (at == out->operands.count) TCC_VEC_PUSH(arena, &out->operands, v);
      out->of[m][i] = (intptr_t)at;
    }
  }
}

/* Appends the kernel's body as member m has it; gives its result. */
static MlirValue put_member(Grouping *g, MlirOperation kernel, const intptr_t *of, MlirBlock to) {
  MlirBlock body = tcc_func_body(kernel);
  TccMap *inside = tcc_map_create(g->run->scratch);
  MlirOperation end = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirValue v = mlirBlockGetArgument(body, i);
    tcc_map_put(inside, tcc_key_pointer((const void *const *)&v.ptr), NULL)->constant = mlirBlockGetArgument(to, of[i]).ptr;
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
  MlirValue result = mlirOperationGetOperand(end, 0);
  return (MlirValue){tcc_map_find(inside, tcc_key_pointer((const void *const *)&result.ptr))->constant};
}

static void make_kernel(Grouping *g, const Group *group, const Operands *operands, const char *name) {
  MlirLocation location = mlirOperationGetLocation(group->kernel);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirValue results[TCC_MOST_MEMBERS];
  mlirRegionAppendOwnedBlock(region, block);
  for (size_t i = 0; i < operands->operands.count; i++)
    mlirBlockAddArgument(block, tcc_value_type(operands->operands.data[i]), location);
  for (int m = 0; m < group->count; m++) results[m] = put_member(g, group->kernel, operands->of[m], block);
  mlirBlockAppendOwnedOperation(block, tcc_make_return(g->ir, location, group->count, results));
  MlirOperation func = tcc_make_function(g->ir, name, TCC_KERNEL_CONTRACT, location, region);
  if (tcc_numerics(group->kernel) != TCC_NUMERICS_FAST) tcc_set_numerics(g->ir, func, tcc_numerics(group->kernel));
  mlirBlockInsertOwnedOperationBefore(tcc_func_body(g->module), group->kernel, func);
}

/* Its name; one for all groups of a kernel that share the same operands. */
static const char *kernel_of(Grouping *g, const Group *group, const Operands *operands) {
  TccText key = {0};
  tcc_text_put(&key, (const char *)&group->kernel.ptr, sizeof group->kernel.ptr);
  intptr_t n = mlirOperationGetNumOperands(group->call[0]);
  for (int m = 0; m < group->count; m++) tcc_text_put(&key, (const char *)operands->of[m], (size_t)n * sizeof *operands->of[m]);
  bool inserted;
  TccMapEntry *entry = tcc_map_put(g->joined, tcc_text_str(&key), &inserted);
  tcc_text_destroy(&key);
  if (!inserted) return entry->constant;
  const char *name = tcc_arena_printf(g->run->scratch, "%.*s_x%d", TCC_STR_ARG(tcc_function_name(group->kernel)), group->count);
  if (!mlirOperationIsNull(tcc_module_find(g->ir, g->module, tcc_str(name))))
    name = tcc_arena_printf(g->run->scratch, "%s_%zu", name, tcc_map_count(g->joined) - 1);
  make_kernel(g, group, operands, name);
  TCC_VEC_PUSH(g->run->scratch, &g->replaced, group->kernel);
  entry->constant = name;
  return name;
}

/* ---- calls ---- */

/* Why results lie in memory: as it was said of each. */
static void keep_reasons(Grouping *g, const Group *group, MlirOperation call) {
  MlirAttribute all[TCC_MOST_MEMBERS];
  for (int m = 0; m < group->count; m++) {
    MlirAttribute why = tcc_attribute(group->call[m], "tcc.why");
    if (mlirAttributeIsNull(why)) return;
    all[m] = mlirArrayAttrGetElement(why, 0);
  }
  tcc_set_attribute(call, "tcc.why", mlirArrayAttrGet(g->ir->context, group->count, all));
}

static void join(Grouping *g, const Group *group) {
  Operands operands;
  MlirOperation first = group->call[0];
  MlirType types[TCC_MOST_MEMBERS];
  MlirLocation locations[TCC_MOST_MEMBERS];
  collect(g, group, &operands);
  const char *name = kernel_of(g, group, &operands);
  for (size_t i = 0; i < operands.operands.count; i++) move_before(operands.operands.data[i], first);
  for (int m = 0; m < group->count; m++) {
    types[m] = tcc_value_type(mlirOperationGetResult(group->call[m], 0));
    locations[m] = mlirOperationGetLocation(group->call[m]);
  }
  MlirOperation call = tcc_make_call(g->ir, name, tcc_location_fuse(g->ir, locations, group->count), operands.operands.count,
                                     operands.operands.data, group->count, types);
  keep_reasons(g, group, call);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(first), first, call);
  for (int m = 0; m < group->count; m++) {
    tcc_replace_uses(mlirOperationGetResult(group->call[m], 0), mlirOperationGetResult(call, m));
    mlirOperationDestroy(group->call[m]);
  }
}

typedef TCC_VEC(Group *) Groups;

/* Puts a call into the last group of its kernel and left operand, if that has room and the call may stand there, else into one of its own. */
static void find_group(Grouping *g, TccMap *last, Groups *groups, MlirOperation call, MlirOperation kernel, intptr_t left) {
  const void *const key[] = {kernel.ptr, mlirOperationGetOperand(call, left).ptr};
  bool inserted;
  TccMapEntry *entry = tcc_map_put(last, (TccStr){(const char *)key, sizeof key}, &inserted);
  Group *group = entry->pointer;
  if (inserted || group->count == TCC_MOST_MEMBERS || !may_join(g->ir, group, call)) {
    entry->pointer = group = TCC_NEW(g->run->scratch, Group);
    group->kernel = kernel;
    TCC_VEC_PUSH(g->run->scratch, groups, group);
  }
  group->call[group->count++] = call;
}

/* Calls are joined when all groups are known: they move up only, so what stood in front of a group's first call still does. */
static void visit(Grouping *g, MlirBlock block) {
  Groups groups = {0};
  TccMap *last = tcc_map_create(g->run->scratch);
  TCC_EACH_OP (op, block) {
    MlirOperation kernel;
    intptr_t left = left_of(g, op, &kernel);
    if (left >= 0) find_group(g, last, &groups, op, kernel, left);
  }
  for (size_t i = 0; i < groups.count; i++)
    if (groups.data[i]->count > 1) join(g, groups.data[i]);
}

/* Kernels that nobody calls any more. */
static void erase_replaced(Grouping *g) {
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

MlirLogicalResult tcc_pass_group_products(TccPassRun *run, MlirOperation module) {
  TccArena *arena = run->scratch;
  Grouping g = {.run = run,
                .ir = run->ir,
                .module = module,
                .functions = tcc_map_create(arena),
                .lefts = tcc_map_create(arena),
                .joined = tcc_map_create(arena)};
  TCC_VEC(MlirBlock) blocks = {0};
  TCC_EACH_FUNCTION (func, module)
    if (tcc_kernel_kind(run->ir, func) != TCC_KERNEL_NONE)
      tcc_map_put(g.functions, tcc_function_name(func), NULL)->pointer = func.ptr;
    else TCC_VEC_PUSH(arena, &blocks, tcc_func_body(func));
  for (size_t i = 0; i < blocks.count; i++) visit(&g, blocks.data[i]);
  erase_replaced(&g);
  return mlirLogicalResultSuccess();
}

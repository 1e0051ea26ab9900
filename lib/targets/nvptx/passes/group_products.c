/* group_products.c - products of one left operand that leave multiprocessors idle become one launch: queries, keys and values of attention.
 *
 *   %q = call @k(%x, %wq, %bq)
 *   %k = call @k(%x, %wk, %bk)      =>    %q, %k, %v = call @k_x3(%x, %wq, %bq, %wk, %bk, %wv, %bv)
 *   %v = call @k(%x, %wv, %bv)
 *
 * The kernel has the body of @k three times (lib/codegen/read/members.h), its grid the tiles of all: a block finds out which weight, bias and result its
 * tile has. Kernels may differ in their widths and in what follows the product, as queries of more heads than keys and values (contract_kinds.c). The horizontal fusion of XLA (horizontal_loop_fusion.cc) and Inductor (combo kernels) for products, with the pointers of cuBLAS's grouped
 * products. XLA's dot merger joins the weights to one instead, which is a copy of them in each run where they are inputs of the model, as torch's parameters
 * are; and one result, of which what follows reads slices. The decision is one about launches of this target, so it comes when kernels are made.
 * requires: fuse, dedup-kernels. ensures: nothing is computed twice or copied. keeps: results, to the bit where parts of sums stay the same. */
#include "lib/codegen/read/members.h"
#include "lib/ir/names.h"
#include "lib/targets/nvptx/passes/group.h"
#include "lib/targets/nvptx/passes/passes.h"
#include "lib/targets/nvptx/product.h"
#include "tcc/op_kinds.h"
#include "tcc/target.h"

enum { SQUARE = 128 /* rows and columns of a tile of a large product */ };

typedef struct {
  NvptxGrouping all;
  TccMap *lefts;  /* kernel -> argument + 1 that is the left operand of a product worth joining; 0: it is none */
  TccMap *beside; /* two kernels -> whether they may be members of one */
} Products;

/* ---- which products ---- */

/* Whether tiles of such a product leave multiprocessors without one. */
static bool is_small(Products *g, MlirOperation dot) {
  MlirType left = tcc_value_type(mlirOperationGetOperand(dot, 0)), result = tcc_value_type(mlirOperationGetResult(dot, 0));
  const int64_t *batch;
  size_t nbatch;
  int rank = tcc_type_rank(result), rows = tcc_type_rank(left);
  const int64_t *depth;
  size_t ndepth;
  if (!tcc_get_ints(g->all.ir, dot, "lhs_batch", &batch, &nbatch) || !tcc_get_ints(g->all.ir, dot, "lhs_contract", &depth, &ndepth))
    return false;
  rows -= (int)ndepth; /* axes of the result that the left operand gives: the batch first */
  int64_t count[3] = {1, 1, 1};
  for (int axis = 0; axis < rank; axis++)
    count[axis < (int)nbatch ? 0 : axis < rows ? 1 : 2] *= tcc_ir_likely(g->all.ir, tcc_type_dim(g->all.ir, result, axis));
  int64_t tiles = count[0] * tcc_ceil_div(count[1], SQUARE) * tcc_ceil_div(count[2], SQUARE);
  return tiles < (int64_t)g->all.run->target->machine.gpu.sms;
}

static intptr_t find_left(Products *g, MlirOperation kernel) {
  const TccIndexCheck *checks;
  MlirOperation dot = {NULL};
  int dots = 0;
  if (tcc_kernel_kind(g->all.ir, kernel) != TCC_KERNEL_CONTRACT || tcc_index_checks(g->all.ir, kernel, &checks) > 0 ||
      mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel))) != 1)
    return -1;
  TCC_EACH_OP (op, tcc_func_body(kernel))
    if (tcc_op_kind(g->all.ir, op) == TCC_OP_DOT_GENERAL) dot = op, dots++;
  if (mlirOperationIsNull(dot) || !is_small(g, dot)) return -1;
  return dots == 1 ? nvptx_argument_of(g->all.ir, mlirOperationGetOperand(dot, 0)) : -1;
}

/* The operand of a call that is the left one of such a product; -1: it calls none. */
static intptr_t left_of(Products *g, MlirOperation call, MlirOperation kernel) {
  bool inserted;
  TccMapEntry *left = tcc_map_put(g->lefts, tcc_callee_name(call), &inserted);
  if (inserted) left->pointer = (void *)(find_left(g, kernel) + 1);
  return (intptr_t)left->pointer - 1;
}

/* ---- calls ---- */

/* Groups of one left operand are a chain, the last one first. */
typedef struct Group {
  NvptxGroup members;
  struct Group *before;
} Group;
typedef TCC_VEC(Group *) Groups;

static bool are_beside(Products *g, MlirOperation a, MlirOperation b) {
  const void *const key[] = {a.ptr, b.ptr};
  bool inserted;
  if (mlirOperationEqual(a, b)) return true;
  TccMapEntry *entry = tcc_map_put(g->beside, (TccStr){(const char *)key, sizeof key}, &inserted);
  if (inserted) entry->integer = nvptx_contracts_are_beside(g->all.ir, a, b);
  return entry->integer != 0;
}

static bool may_join(Products *g, const Group *group, MlirOperation call, MlirOperation kernel) {
  const NvptxMember *first = group->members.data;
  return group->members.count < TCC_MOST_MEMBERS && are_beside(g, first->kernel, kernel) &&
         nvptx_group_may_stand(g->all.ir, call, first->call);
}

/* Puts a call into the last group of its left operand that takes it, else into one of its own. */
static void find_group(Products *g, TccMap *last, Groups *groups, MlirOperation call, MlirOperation kernel, intptr_t left) {
  MlirValue v = mlirOperationGetOperand(call, left);
  TccArena *arena = g->all.run->scratch;
  TccMapEntry *entry = tcc_map_put(last, tcc_key_pointer((const void *const *)&v.ptr), NULL);
  Group *group = entry->pointer;
  while (group && !may_join(g, group, call, kernel)) group = group->before;
  if (!group) {
    group = TCC_NEW(arena, Group);
    group->before = entry->pointer, entry->pointer = group;
    TCC_VEC_PUSH(arena, groups, group);
  }
  TCC_VEC_PUSH(arena, &group->members, ((NvptxMember){call, kernel}));
}

/* Calls are joined when all groups are known: they move up only, so what stood in front of a group's first call still does. */
static void visit(Products *g, MlirBlock block) {
  Groups groups = {0};
  TccMap *last = tcc_map_create(g->all.run->scratch);
  TCC_EACH_OP (op, block) {
    MlirOperation kernel = nvptx_grouping_kernel(&g->all, op);
    intptr_t left = mlirOperationIsNull(kernel) ? -1 : left_of(g, op, kernel);
    if (left >= 0) find_group(g, last, &groups, op, kernel, left);
  }
  for (size_t i = 0; i < groups.count; i++)
    if (groups.data[i]->members.count > 1) nvptx_grouping_join(&g->all, &groups.data[i]->members, false);
}

MlirLogicalResult tcc_pass_group_products(TccPassRun *run, MlirOperation module) {
  Products g = {.lefts = tcc_map_create(run->scratch), .beside = tcc_map_create(run->scratch)};
  nvptx_grouping_init(&g.all, run, module);
  for (size_t i = 0; i < g.all.blocks.count; i++) visit(&g, g.all.blocks.data[i]);
  nvptx_grouping_finish(&g.all);
  return mlirLogicalResultSuccess();
}

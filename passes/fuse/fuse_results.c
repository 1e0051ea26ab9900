/* fuse_results.c - maps that write more than their root.
 *
 *   %m = call @k0_mul_add(%g, %m0)              %m, %p = call @k1_mul_add_sub(%g, %m0, %p0)
 *   %p = call @k1_mul_sub(%m, %p0)        =>
 *
 * What a map reads at its own index although others need it in memory, too, the map computes and writes itself: one pass over memory
 * instead of two. An update of an optimiser is one kernel so. Nobody else may read the value before the map runs. Maps that move elements
 * are left alone: their loops follow what they move, and run for one result. */
#include "passes/fuse/fuse_groups.h"
#include "tcc/op_kinds.h"

enum { MOST_RESULTS = 8, MOST_LOOKED_AT = 64, LEAST_BITS = 8 };

static bool moves_elements(const FuseNode *node) {
  return node->class == CLASS_INDEXED || (node->class == CLASS_VIEW && node->kind != TCC_OP_BROADCAST);
}

/* Whether ops that may still join the kernel of `node` before it move elements; `left`: as many are looked at. */
static bool moves_before(const FuseNode *node, int *left) {
  for (intptr_t i = 0; i < node->operands; i++) {
    const FuseNode *producer = node->producers[i];
    if (!producer || producer->groups.count || producer->class == CLASS_ANCHOR || producer->class <= CLASS_CHEAP) continue;
    if (moves_elements(producer) || --*left < 0 || moves_before(producer, left)) return true;
  }
  return false;
}

static bool is_elementwise(const FuseGroup *group, const FuseNode *more) {
  int left = MOST_LOOKED_AT;
  for (size_t m = 0; m < group->members.count; m++) {
    const FuseNode *member = group->members.data[m];
    if (member->class == CLASS_RESHAPE || moves_elements(member) || moves_before(member, &left)) return false;
  }
  return !moves_before(more, &left);
}

/* Whether somebody else reads `user`'s operand before the group runs: of a node that several groups have copied, each of them. */
static bool is_read_before(const FuseGroup *group, const FuseNode *user) {
  for (size_t g = 0; g < user->groups.count; g++)
    if (user->groups.data[g] != group && user->groups.data[g]->position <= group->position) return true;
  return !user->groups.count && user->position <= group->position;
}

static bool may_write(FuseGraph *graph, const FuseGroup *group, const FuseNode *node) {
  MlirType type = tcc_value_type(mlirOperationGetResult(node->op, 0));
  if (group->kind != TCC_KERNEL_MAP || group->init || group->more_results + 2 > MOST_RESULTS) return false;
  if (!tcc_type_same_shape(graph->ir, type, group->domain) || tcc_elem_bits(tcc_type_elem(type)) < LEAST_BITS) return false;
  for (size_t u = 0; u < node->results[0].uses; u++)
    if (is_read_before(group, node->results[0].use[u].user)) return false;
  return fuse_is_read_at_root(graph, group, node) && is_elementwise(group, node);
}

FuseGroup *fuse_writer(FuseGraph *graph, FuseNode *node, FuseGroup *const *readers, size_t count) {
  if (node->class != CLASS_ELEMENT || node->nresults != 1) return NULL;
  for (size_t i = 0; i < count; i++) {
    if (!may_write(graph, readers[i], node) || fuse_budget_take(graph, readers[i], node)) continue;
    readers[i]->more_results++;
    return readers[i];
  }
  return NULL;
}

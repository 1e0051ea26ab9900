/* fuse_groups.c - the graph that tcc-fuse works on: classes of ops, shapes, membership. */
#include "passes/fuse/fuse_groups.h"
#include "tcc/op_kinds.h"

/* Numbers that are copied into kernels. Tables of floats (a bias of 24 channels) are operands as larger ones are: kernels that
 * differ in them alone would not be one. */
enum { SMALL_CONSTANT = 64, SMALL_FLOATS = 4 };

static bool is_small_constant(TccIr *ir, MlirOperation op) {
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0));
  int64_t elements;
  if (!tcc_expr_is_const(tcc_type_count(ir, type), &elements) || elements > SMALL_CONSTANT) return false;
  MlirAttribute value = tcc_attribute(op, "value");
  return !tcc_elem_is_float(tcc_type_elem(type)) || elements <= SMALL_FLOATS ||
         (mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value));
}

bool fuse_is_filled(const FuseNode *producer, const FuseNode *reader) {
  const bool scatters = reader->kind == TCC_OP_SCATTER_ELEMENTS || reader->kind == TCC_OP_SCATTER_ND;
  if (!scatters || producer->kind != TCC_OP_CONSTANT || reader->producers[0] != producer) return false;
  for (intptr_t i = 1; i < reader->operands; i++)
    if (reader->producers[i] == producer) return false; /* indices that are what they are put into, too */
  MlirAttribute value = tcc_attribute(producer->op, "value");
  return mlirAttributeIsADenseElements(value) && mlirDenseElementsAttrIsSplat(value);
}

static FuseClass class_of(TccIr *ir, MlirOperation op, TccOpKind kind) {
  switch (kind) {
  case TCC_OP_UNKNOWN:
  case TCC_OP_BARRIER:
  case TCC_OP_WEIGHT: return CLASS_OUTSIDE;
  case TCC_OP_CONSTANT: return is_small_constant(ir, op) ? CLASS_CHEAP : CLASS_OUTSIDE;
  case TCC_OP_NONE:
  case TCC_OP_SIZES:
  case TCC_OP_IOTA: return CLASS_CHEAP;
  case TCC_OP_RESHAPE: return CLASS_RESHAPE;
  case TCC_OP_TRANSPOSE:
  case TCC_OP_SLICE:
  case TCC_OP_UNFOLD:
  case TCC_OP_BROADCAST: return CLASS_VIEW;
  case TCC_OP_GATHER:
  case TCC_OP_GATHER_ELEMENTS:
  case TCC_OP_GATHER_ND:
  case TCC_OP_DYNAMIC_SLICE:
  case TCC_OP_PAD:
  case TCC_OP_CONCAT: return CLASS_INDEXED;
  default: break;
  }
  return tcc_op_has_trait(kind, 'E') ? CLASS_ELEMENT : CLASS_ANCHOR;
}

/* Who reads what, asked of MLIR once: growing a group walks the uses of its members many times. */
static void link_nodes(FuseGraph *graph) {
  for (size_t i = 0; i < graph->count; i++) {
    FuseNode *node = &graph->nodes[i];
    node->operands = mlirOperationGetNumOperands(node->op), node->nresults = mlirOperationGetNumResults(node->op);
    node->producers = TCC_NEW_ARRAY(graph->arena, FuseNode *, node->operands + 1);
    node->results = TCC_NEW_ARRAY(graph->arena, FuseResult, node->nresults + 1);
  }
  for (size_t i = 0; i < graph->count; i++) {
    FuseNode *node = &graph->nodes[i];
    for (intptr_t r = 0; r < node->nresults; r++) {
      FuseResult *result = &node->results[r];
      MlirOpOperand first = mlirValueGetFirstUse(mlirOperationGetResult(node->op, r));
      for (MlirOpOperand use = first; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) result->uses++;
      result->use = TCC_NEW_ARRAY(graph->arena, FuseUse, result->uses + 1);
      size_t n = 0;
      for (MlirOpOperand use = first; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
        FuseUse *u = &result->use[n++];
        *u = (FuseUse){fuse_node_of(graph, mlirOpOperandGetOwner(use)), mlirOpOperandGetOperandNumber(use)};
        u->user->producers[u->operand] = node;
      }
    }
  }
}

void fuse_graph_build(FuseGraph *graph, TccIr *ir, const TccTargetInfo *target, TccArena *arena, MlirBlock block,
                      const TccInit *init) {
  *graph = (FuseGraph){.ir = ir, .target = target, .arena = arena, .block = block, .index = {.arena = arena}};
  TCC_EACH_OP (op, block) graph->count++;
  graph->nodes = TCC_NEW_ARRAY(arena, FuseNode, graph->count);
  size_t i = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op), i++) {
    FuseNode *node = &graph->nodes[i];
    node->op = op;
    node->kind = tcc_op_kind(ir, op);
    node->class = class_of(ir, op, node->kind);
    node->position = (double)i;
    node->init = mlirOperationGetNumResults(op) > 0;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) node->init &= tcc_init_is(init, mlirOperationGetResult(op, r));
    tcc_pointer_map_set(&graph->index, op.ptr, node);
  }
  link_nodes(graph);
}

FuseNode *fuse_node_of(const FuseGraph *graph, MlirOperation op) { return tcc_pointer_map_get(&graph->index, op.ptr); }

FuseNode *fuse_producer(const FuseGraph *graph, MlirValue value) {
  return mlirValueIsAOpResult(value) ? fuse_node_of(graph, mlirOpResultGetOwner(value)) : NULL;
}

FuseGroup *fuse_group_add(FuseGraph *graph, TccKernelKind kind, FuseNode *first, MlirType domain) {
  FuseGroup *group = TCC_NEW(graph->arena, FuseGroup);
  group->kind = kind;
  group->init = first->init;
  group->position = first->position;
  group->domain = domain;
  fuse_group_join(graph, group, first);
  TCC_VEC_PUSH(graph->arena, &graph->groups, group);
  return group;
}

void fuse_group_join(FuseGraph *graph, FuseGroup *group, FuseNode *node) {
  TCC_VEC_PUSH(graph->arena, &group->members, node);
  TCC_VEC_PUSH(graph->arena, &node->groups, group);
}

bool fuse_in_group(const FuseNode *node, const FuseGroup *group) {
  for (size_t i = 0; i < node->groups.count; i++)
    if (node->groups.data[i] == group) return true;
  return false;
}

bool fuse_reshape_splits(TccIr *ir, MlirType x, MlirType r) {
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  int xrank = tcc_type_rank(x), rrank = tcc_type_rank(r), at = 0;
  for (int axis = 0; axis < xrank; axis++) {
    const TccExpr *size = tcc_type_dim(ir, x, axis), *product = one;
    if (size == one) continue;
    while (product != size) {
      if (at == rrank) return false;
      const TccExpr *next = tcc_expr_mul(ir->exprs, product, tcc_type_dim(ir, r, at++));
      if (next != size && !tcc_expr_divide_exactly(ir->exprs, size, next)) return false;
      product = next;
    }
  }
  while (at < rrank)
    if (tcc_type_dim(ir, r, at++) != one) return false;
  return true;
}

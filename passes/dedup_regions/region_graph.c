/* region_graph.c - labels and colours of the ops of a block.
 *
 * A label says what an op is without saying where it stands: name, attributes, types of operands and results, and of
 * leaves their kind: a weight or a floating-point scalar by its type alone (they become parameters of the region), any
 * other constant by its value. Colours are labels refined three times by the colours of operands and users, as in the
 * Weisfeiler-Leman test; equal copies of a layer have equal colours away from the ends of the stack. Attributes and types
 * are uniqued by MLIR, so their addresses stand for their content; hashes only group, what is grouped is compared again.
 *
 * A graph that has a loss, a float scalar, among its results and more that the loss does not need is one of forward and backward, as
 * AOTAutograd makes it. What the loss does not need is late, and its label says so: a layer's backward reads what its forward saved, so a
 * copy that held both would be in a circle with all layers behind it. */
#include "passes/dedup_regions/region_graph.h"
#include "lib/ir/op_symbols.h"
#include "tcc/op_kinds.h"

enum { ROUNDS = 3 };

static uint64_t mix(uint64_t hash, uint64_t word) { return tcc_hash(&word, sizeof word, hash); }

static uint64_t hash_attributes(MlirOperation op, uint64_t hash) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute a = mlirOperationGetAttribute(op, i);
    hash = mix(mix(hash, (uintptr_t)a.name.ptr), (uintptr_t)a.attribute.ptr);
  }
  return hash;
}

static bool is_leaf(TccOpKind kind) {
  return kind == TCC_OP_UNKNOWN || kind == TCC_OP_WEIGHT || kind == TCC_OP_CONSTANT || kind == TCC_OP_SIZES || kind == TCC_OP_NONE;
}

static uint64_t hash_operand(const RegionGraph *graph, MlirValue value, RegionProducer producer) {
  uint64_t hash = mix(1, (uintptr_t)tcc_value_type(value).ptr);
  if (producer.node == REGION_NO_NODE) return mix(mix(hash, 3), 0); /* a first layer may read the graph's input */
  const RegionNode *node = &graph->nodes[producer.node];
  if (!node->leaf) return mix(mix(hash, 3), (uint64_t)producer.result);
  TccOpKind kind = tcc_op_kind(graph->ir, node->op);
  MlirType type = tcc_value_type(value);
  bool parameter =
      kind == TCC_OP_WEIGHT || kind == TCC_OP_UNKNOWN || (kind == TCC_OP_CONSTANT && tcc_elem_is_float(tcc_type_elem(type)));
  hash = mix(hash, kind == TCC_OP_CONSTANT && parameter ? TCC_OP_WEIGHT : kind);
  return parameter ? hash : hash_attributes(node->op, hash);
}

static void refine(RegionGraph *graph) {
  uint64_t *next = TCC_NEW_ARRAY(graph->arena, uint64_t, graph->count);
  for (int round = 0; round < ROUNDS; round++) {
    for (int32_t v = 0; v < graph->count; v++) {
      const RegionNode *node = &graph->nodes[v];
      uint64_t hash = node->colour, users = 0;
      for (int32_t i = 0; i < node->noperands; i++) {
        RegionProducer p = graph->producers[node->first_operand + i];
        hash = mix(hash, p.node == REGION_NO_NODE || graph->nodes[p.node].leaf ? 0 : graph->nodes[p.node].colour);
      }
      for (int32_t u = 0; u < node->nuses; u++) { /* a sum: the order of users means nothing */
        RegionUse use = graph->uses[node->first_use + u];
        users += mix(mix(graph->nodes[use.node].colour, (uint64_t)use.operand), (uint64_t)use.result);
      }
      next[v] = mix(hash, users);
    }
    for (int32_t v = 0; v < graph->count; v++) graph->nodes[v].colour = next[v];
  }
}

/* ---- sizes that an op counts ---- */
/* Which nodes have such a size: for each of them an entry a counting node. */
static void find_waits(RegionGraph *graph) {
  typedef struct {
    int32_t counter, node;
  } Wait;
  TCC_VEC(Wait) waits = {0};
  TccMap *counters = tcc_map_create(graph->arena);
  for (int32_t v = 0; v < graph->count; v++) {
    RegionNode *node = &graph->nodes[v];
    if (tcc_map_count(counters)) {
      TccMap *names = tcc_map_create(graph->arena);
      tcc_op_symbols(graph->ir, node->op, names);
      for (size_t i = 0; i < tcc_map_count(names); i++) {
        const TccMapEntry *counter = tcc_map_find(counters, tcc_map_at(names, i)->key);
        if (!counter) continue;
        TCC_VEC_PUSH(graph->arena, &waits, ((Wait){(int32_t)counter->integer, v}));
        graph->nodes[counter->integer].nwaits++;
      }
    }
    if (tcc_op_kind(graph->ir, node->op) == TCC_OP_NONZERO)
      tcc_map_put(counters, tcc_string(graph->ir, node->op, "size"), NULL)->integer = v;
  }
  graph->waits = TCC_NEW_ARRAY(graph->arena, int32_t, waits.count + 1);
  int32_t at = 0;
  for (int32_t v = 0; v < graph->count; v++) {
    graph->nodes[v].first_wait = at;
    at += graph->nodes[v].nwaits;
    graph->nodes[v].nwaits = 0;
  }
  for (size_t i = 0; i < waits.count; i++) {
    RegionNode *counter = &graph->nodes[waits.data[i].counter];
    graph->waits[counter->first_wait + counter->nwaits++] = waits.data[i].node;
  }
}

int32_t region_followers(const RegionGraph *graph, int32_t v) { return graph->nodes[v].nuses + graph->nodes[v].nwaits; }

int32_t region_follower(const RegionGraph *graph, int32_t v, int32_t i) {
  const RegionNode *node = &graph->nodes[v];
  return i < node->nuses ? graph->uses[node->first_use + i].node : graph->waits[node->first_wait + i - node->nuses];
}

/* ---- sides of a loss ---- */
static bool is_loss(MlirValue value) {
  return tcc_elem_is_float(tcc_value_elem(value)) && tcc_type_rank(tcc_value_type(value)) == 0;
}

/* A result that is written back, as the statistics of a batch norm are. */
static bool is_tied(const RegionGraph *graph, intptr_t result) {
  MlirAttribute all = tcc_attribute(mlirBlockGetParentOperation(graph->block), "res_attrs");
  if (mlirAttributeIsNull(all) || result >= mlirArrayAttrGetNumElements(all)) return false;
  MlirAttribute port = mlirArrayAttrGetElement(all, result);
  return !mlirAttributeIsNull(mlirDictionaryAttrGetElementByName(port, mlirStringRefCreateFromCString("tcc.tied")));
}

/* Users come behind what they use, so one walk from the end finds all that the roots need. */
static void find_late(RegionGraph *graph) {
  const RegionNode *end = &graph->nodes[graph->count - 1];
  bool *needed = TCC_NEW_ARRAY(graph->arena, bool, graph->count), any = false;
  for (int32_t i = 0; i < end->noperands; i++) {
    RegionProducer p = graph->producers[end->first_operand + i];
    bool loss = is_loss(mlirOperationGetOperand(end->op, i));
    any |= loss;
    if (p.node != REGION_NO_NODE && (loss || is_tied(graph, i))) needed[p.node] = true;
  }
  for (int32_t v = graph->count - 1; any && v-- > 0;) {
    RegionNode *node = &graph->nodes[v];
    for (int32_t i = 0; needed[v] && i < node->noperands; i++) {
      RegionProducer p = graph->producers[node->first_operand + i];
      if (p.node != REGION_NO_NODE) needed[p.node] = true;
    }
    node->late = !needed[v] && !node->leaf;
    if (node->late) node->label = node->colour = mix(node->label, 1);
  }
}

void region_graph_build(RegionGraph *graph, TccIr *ir, TccArena *arena, MlirBlock block) {
  *graph = (RegionGraph){.ir = ir, .arena = arena, .block = block, .index = tcc_map_create(arena)};
  int32_t edges = 0;
  TCC_EACH_OP (op, block) {
    graph->count++;
    edges += (int32_t)mlirOperationGetNumOperands(op);
  }
  graph->nodes = TCC_NEW_ARRAY(arena, RegionNode, graph->count);
  graph->producers = TCC_NEW_ARRAY(arena, RegionProducer, edges + 1);
  graph->uses = TCC_NEW_ARRAY(arena, RegionUse, edges + 1);
  int32_t v = 0, at = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op), v++) {
    RegionNode *node = &graph->nodes[v];
    *node = (RegionNode){.op = op,
                         .leaf = is_leaf(tcc_op_kind(ir, op)),
                         .cluster = -1,
                         .first_operand = at,
                         .noperands = (int32_t)mlirOperationGetNumOperands(op)};
    tcc_map_put(graph->index, tcc_key_pointer((const void *const *)&op.ptr), NULL)->integer = v;
    node->initial = !node->leaf;
    uint64_t hash = hash_attributes(op, mix(0, (uintptr_t)mlirOperationGetName(op).ptr));
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++)
      hash = mix(hash, (uintptr_t)tcc_value_type(mlirOperationGetResult(op, r)).ptr);
    for (int32_t i = 0; i < node->noperands; i++, at++) {
      MlirValue value = mlirOperationGetOperand(op, i);
      RegionProducer p = {REGION_NO_NODE, 0};
      if (mlirValueIsAOpResult(value)) {
        MlirOperation owner = mlirOpResultGetOwner(value);
        p.node = (int32_t)tcc_map_find(graph->index, tcc_key_pointer((const void *const *)&owner.ptr))->integer;
        p.result = (int32_t)mlirOpResultGetResultNumber(value);
        graph->nodes[p.node].nuses++;
      }
      node->initial &= p.node != REGION_NO_NODE && (graph->nodes[p.node].leaf || graph->nodes[p.node].initial);
      graph->producers[at] = p;
      hash = mix(hash, hash_operand(graph, value, p));
    }
    node->label = node->colour = hash;
  }
  at = 0;
  for (v = 0; v < graph->count; v++) {
    graph->nodes[v].first_use = at;
    at += graph->nodes[v].nuses;
    graph->nodes[v].nuses = 0;
  }
  for (v = 0; v < graph->count; v++)
    for (int32_t i = 0; i < graph->nodes[v].noperands; i++) {
      RegionProducer p = graph->producers[graph->nodes[v].first_operand + i];
      if (p.node == REGION_NO_NODE) continue;
      RegionNode *producer = &graph->nodes[p.node];
      graph->uses[producer->first_use + producer->nuses++] = (RegionUse){v, i, p.result};
    }
  find_waits(graph);
  find_late(graph);
  refine(graph);
}

void region_claim(RegionGraph *graph, const Region *region) {
  for (int32_t c = 0; c < region->copies; c++) {
    int32_t cluster = graph->nclusters++;
    for (int32_t s = 0; s < region->slots; s++) graph->nodes[region->op[s * region->copies + c]].cluster = cluster;
  }
}

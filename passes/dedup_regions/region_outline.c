/* region_outline.c - one function per region, a call per copy, and a new order for the block.
 *
 * Arguments of the function are the values that enter a copy, in order of first use in copy 0; two places share an argument
 * if they read one value in every copy. Constants that are equal in all copies are copied into the body. Results are the
 * values that leave some copy. Afterwards the block is scheduled anew: the units (lone ops, calls) by Kahn's algorithm with
 * the earliest old position first, so that the order is the old one wherever a region does not force another. */
#include "passes/dedup_regions/region_graph.h"
#include "tcc/location.h"
#include "tcc/op_kinds.h"

typedef struct {
  int32_t slot, operand;
} Place;

static MlirValue value_at(const RegionGraph *graph, const Region *region, Place place, int32_t copy) {
  return mlirOperationGetOperand(graph->nodes[region->op[place.slot * region->copies + copy]].op, place.operand);
}

static const RegionNode *leaf_of(const RegionGraph *graph, MlirValue value) {
  if (!mlirValueIsAOpResult(value)) return NULL;
  MlirOperation owner = mlirOpResultGetOwner(value);
  const RegionNode *node = &graph->nodes[tcc_map_find(graph->index, tcc_key_pointer((const void *const *)&owner.ptr))->integer];
  return node->leaf ? node : NULL;
}

/* Constants, sizes and none that every copy reads alike are part of the body. */
static bool is_baked(const RegionGraph *graph, const Region *region, Place place) {
  const RegionNode *first = leaf_of(graph, value_at(graph, region, place, 0));
  if (!first) return false;
  TccOpKind kind = tcc_op_kind(graph->ir, first->op);
  if (kind == TCC_OP_WEIGHT || kind == TCC_OP_UNKNOWN) return false;
  for (int32_t c = 1; c < region->copies; c++) {
    const RegionNode *other = leaf_of(graph, value_at(graph, region, place, c));
    if (!other || tcc_op_kind(graph->ir, other->op) != kind) return false;
    MlirStringRef key = mlirStringRefCreateFromCString(kind == TCC_OP_SIZES ? "values" : "value");
    if (!mlirAttributeEqual(mlirOperationGetAttributeByName(first->op, key), mlirOperationGetAttributeByName(other->op, key)))
      return false;
  }
  return true;
}

typedef struct {
  const char *name;
  TCC_VEC(Place) arguments; /* one representative place each */
  TCC_VEC(Place) results;   /* slot, result number */
} Shape;

static bool leaves(const RegionGraph *graph, const Region *region, int32_t slot, int32_t result) {
  for (int32_t c = 0; c < region->copies; c++) {
    const RegionNode *node = &graph->nodes[region->op[slot * region->copies + c]];
    for (int32_t u = 0; u < node->nuses; u++) {
      RegionUse use = graph->uses[node->first_use + u];
      if (use.result == result && graph->nodes[use.node].cluster != node->cluster) return true;
    }
  }
  return false;
}

/* The nodes that an op of the function stands for, one in each copy. */
static MlirLocation location_of(RegionGraph *graph, const Region *region, int32_t slot) {
  MlirLocation *copies = TCC_NEW_ARRAY(graph->arena, MlirLocation, region->copies);
  for (int32_t c = 0; c < region->copies; c++)
    copies[c] =
        tcc_location_in_copy(graph->ir, mlirOperationGetLocation(graph->nodes[region->op[slot * region->copies + c]].op), c);
  return tcc_location_fuse(graph->ir, copies, (size_t)region->copies);
}

static void make_function(RegionGraph *graph, const Region *region, Shape *shape, MlirBlock module_body, MlirOperation before) {
  TccArena *arena = graph->arena;
  MlirLocation location = mlirOperationGetLocation(graph->nodes[region->op[0]].op);
  TccMap *inside = tcc_map_create(arena), *arguments = tcc_map_create(arena);
  MlirRegion body = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(body, block);
  TCC_VEC(MlirValue) results = {0};
  void **key = TCC_NEW_ARRAY(arena, void *, region->copies);
  for (int32_t s = 0; s < region->slots; s++) {
    const RegionNode *node = &graph->nodes[region->op[s * region->copies]];
    MlirOperation clone = mlirOperationClone(node->op);
    mlirOperationSetLocation(clone, location_of(graph, region, s));
    for (int32_t i = 0; i < node->noperands; i++) {
      Place place = {s, i};
      MlirValue value = value_at(graph, region, place, 0);
      RegionProducer p = graph->producers[node->first_operand + i];
      if (p.node != REGION_NO_NODE && graph->nodes[p.node].cluster == node->cluster) {
        mlirOperationSetOperand(clone, i,
                                (MlirValue){tcc_map_find(inside, tcc_key_pointer((const void *const *)&value.ptr))->constant});
        continue;
      }
      for (int32_t c = 0; c < region->copies; c++) key[c] = (void *)(uintptr_t)value_at(graph, region, place, c).ptr;
      TccMapEntry *entry = tcc_map_put(arguments, (TccStr){(const char *)key, sizeof *key * (size_t)region->copies}, NULL);
      if (!entry->constant) {
        if (is_baked(graph, region, place)) {
          MlirOperation copy = mlirOperationClone(mlirOpResultGetOwner(value));
          mlirBlockAppendOwnedOperation(block, copy);
          entry->constant = mlirOperationGetResult(copy, mlirOpResultGetResultNumber(value)).ptr;
        } else {
          entry->constant = mlirBlockAddArgument(block, tcc_value_type(value), location).ptr;
          TCC_VEC_PUSH(arena, &shape->arguments, place);
        }
      }
      mlirOperationSetOperand(clone, i, (MlirValue){entry->constant});
    }
    mlirBlockAppendOwnedOperation(block, clone);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(clone); r++) {
      MlirValue outside = mlirOperationGetResult(node->op, r), value = mlirOperationGetResult(clone, r);
      tcc_map_put(inside, tcc_key_pointer((const void *const *)&outside.ptr), NULL)->constant = value.ptr;
      if (!leaves(graph, region, s, (int32_t)r)) continue;
      TCC_VEC_PUSH(arena, &shape->results, ((Place){s, (int32_t)r}));
      TCC_VEC_PUSH(arena, &results, value);
    }
  }
  mlirBlockAppendOwnedOperation(block, tcc_make_return(graph->ir, location, results.count, results.data));
  mlirBlockInsertOwnedOperationBefore(module_body, before,
                                      tcc_make_function(graph->ir, shape->name, TCC_KERNEL_NONE, location, body));
}

/* The call of one copy, at the end of the block; results of the copy's ops are replaced by its results. */
static MlirOperation make_call(RegionGraph *graph, const Region *region, const Shape *shape, int32_t copy,
                               MlirOperation terminator) {
  TccArena *arena = graph->arena;
  MlirValue *operands = TCC_NEW_ARRAY(arena, MlirValue, shape->arguments.count + 1);
  MlirType *types = TCC_NEW_ARRAY(arena, MlirType, shape->results.count + 1);
  for (size_t a = 0; a < shape->arguments.count; a++) operands[a] = value_at(graph, region, shape->arguments.data[a], copy);
  for (size_t r = 0; r < shape->results.count; r++) {
    Place place = shape->results.data[r];
    types[r] =
        tcc_value_type(mlirOperationGetResult(graph->nodes[region->op[place.slot * region->copies + copy]].op, place.operand));
  }
  MlirLocation location = tcc_location_in_copy(graph->ir, mlirOperationGetLocation(graph->nodes[region->op[copy]].op), copy);
  MlirOperation call =
      tcc_make_call(graph->ir, shape->name, location, shape->arguments.count, operands, shape->results.count, types);
  mlirBlockInsertOwnedOperationBefore(graph->block, terminator, call);
  if (graph->explain) {
    const char **why = TCC_NEW_ARRAY(arena, const char *, shape->results.count + 1);
    for (size_t r = 0; r < shape->results.count; r++)
      why[r] = "border of a region: what is compiled once for all copies writes its results to memory";
    tcc_call_set_why(graph->ir, call, why);
  }
  return call;
}

typedef struct {
  int32_t *data, count;
  const int32_t *order;
} Heap;
static void heap_push(Heap *heap, int32_t unit) {
  int32_t at = heap->count++;
  while (at > 0 && heap->order[heap->data[(at - 1) / 2]] > heap->order[unit])
    heap->data[at] = heap->data[(at - 1) / 2], at = (at - 1) / 2;
  heap->data[at] = unit;
}
static int32_t heap_pop(Heap *heap) {
  int32_t top = heap->data[0], last = heap->data[--heap->count], at = 0;
  for (;;) {
    int32_t child = 2 * at + 1;
    if (child >= heap->count) break;
    if (child + 1 < heap->count && heap->order[heap->data[child + 1]] < heap->order[heap->data[child]]) child++;
    if (heap->order[heap->data[child]] >= heap->order[last]) break;
    heap->data[at] = heap->data[child];
    at = child;
  }
  heap->data[at] = last;
  return top;
}

/* Moves lone ops and calls (call[cluster]) into an order that respects all uses. */
static void schedule(RegionGraph *graph, const MlirOperation *call, MlirOperation terminator) {
  TccArena *arena = graph->arena;
  int32_t units = graph->count + graph->nclusters;
  int32_t *waiting = TCC_NEW_ARRAY(arena, int32_t, units), *order = TCC_NEW_ARRAY(arena, int32_t, units);
  int32_t *head = TCC_NEW_ARRAY(arena, int32_t, units), *next = TCC_NEW_ARRAY(arena, int32_t, graph->count);
  for (int32_t u = 0; u < units; u++) head[u] = -1, order[u] = -1;
#define UNIT(v) (graph->nodes[v].cluster >= 0 ? graph->count + graph->nodes[v].cluster : (v))
  for (int32_t v = graph->count; v-- > 0;) {
    next[v] = head[UNIT(v)];
    head[UNIT(v)] = v;
    if (order[UNIT(v)] < v) order[UNIT(v)] = v; /* a call stands where its last op stood */
    for (int32_t u = 0; u < region_followers(graph, v); u++) {
      int32_t user = UNIT(region_follower(graph, v, u));
      if (user != UNIT(v)) waiting[user]++;
    }
  }
  Heap heap = {TCC_NEW_ARRAY(arena, int32_t, units), 0, order};
  for (int32_t u = 0; u < units; u++)
    if (head[u] >= 0 && !waiting[u]) heap_push(&heap, u);
  while (heap.count) {
    int32_t unit = heap_pop(&heap);
    MlirOperation op = unit >= graph->count ? call[unit - graph->count] : graph->nodes[unit].op;
    if (!mlirOperationEqual(op, terminator)) mlirOperationMoveBefore(op, terminator);
    for (int32_t v = head[unit]; v >= 0; v = next[v])
      for (int32_t u = 0; u < region_followers(graph, v); u++) {
        int32_t user = UNIT(region_follower(graph, v, u));
        if (user != unit && --waiting[user] == 0) heap_push(&heap, user);
      }
  }
#undef UNIT
}

MlirLogicalResult region_outline(RegionGraph *graph, const Region *const *regions, size_t nregions, MlirBlock module_body,
                                 MlirOperation before) {
  TccArena *arena = graph->arena;
  MlirOperation terminator = mlirBlockGetTerminator(graph->block);
  MlirOperation *call = TCC_NEW_ARRAY(arena, MlirOperation, graph->nclusters + 1);
  Shape *shapes = TCC_NEW_ARRAY(arena, Shape, nregions + 1);
  for (size_t i = 0; i < nregions; i++) {
    shapes[i].name = tcc_arena_printf(arena, "region%zu", i);
    make_function(graph, regions[i], &shapes[i], module_body, before);
    for (int32_t c = 0; c < regions[i]->copies; c++)
      call[graph->nodes[regions[i]->op[c]].cluster] = make_call(graph, regions[i], &shapes[i], c, terminator);
  }
  schedule(graph, call, terminator);
  for (size_t i = 0; i < nregions; i++)
    for (int32_t c = 0; c < regions[i]->copies; c++)
      for (size_t r = 0; r < shapes[i].results.count; r++) {
        Place place = shapes[i].results.data[r];
        const RegionNode *node = &graph->nodes[regions[i]->op[place.slot * regions[i]->copies + c]];
        tcc_replace_uses(mlirOperationGetResult(node->op, place.operand), mlirOperationGetResult(call[node->cluster], (intptr_t)r));
      }
  for (int32_t v = graph->count; v-- > 0;)
    if (graph->nodes[v].cluster >= 0) tcc_erase(graph->nodes[v].op);
  return mlirLogicalResultSuccess();
}

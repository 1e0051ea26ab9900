/* fuse_outline.c - turn groups into kernel functions and calls.
 *
 * Units (groups, and ops that stay outside) are sorted by position, which is a schedule (fuse_groups.h); each group is
 * cloned into a function in the order of the original block, cheap producers and copied views with it. Operands of the
 * function are in order of first use, results in order of the block, so equal groups give equal functions. Only the first of
 * them is made: of 6,000 groups of a graph that does not repeat 700 differ, and making a function costs more than all else here.
 * What a group is comes as the pointers of names, attributes and types, which MLIR uniques, and the numbers of its values. */
#include "passes/fuse/fuse_groups.h"
#include "tcc/location.h"
#include "tcc/op_kinds.h"
#include <stdlib.h>

typedef struct {
  double position;
  FuseGroup *group;
  FuseNode *node;
} Unit;

static int by_position(const void *a, const void *b) {
  const Unit *x = a, *y = b;
  if (x->position != y->position) return x->position < y->position ? -1 : 1;
  return 0;
}

static size_t place_of(const Unit *unit, size_t places) {
  return unit->position < 0 ? 0 : unit->position < (double)places ? (size_t)unit->position : places - 1;
}

static int by_block_order(const void *a, const void *b) {
  const FuseNode *x = *(FuseNode *const *)a, *y = *(FuseNode *const *)b;
  return x < y ? -1 : x > y;
}

static bool copies_into_reader(const FuseNode *producer, const FuseNode *reader) {
  bool reader_computes = reader->class != CLASS_ANCHOR || reader->kind == TCC_OP_REDUCE || reader->kind == TCC_OP_ARG_REDUCE;
  return producer->kind == TCC_OP_NONE || (producer->class == CLASS_CHEAP && reader_computes) || fuse_is_filled(producer, reader);
}

/* Whether someone reads a result of node from memory. */
static bool is_stored(const FuseNode *node, intptr_t result) {
  for (size_t u = 0; u < node->results[result].uses; u++) {
    const FuseNode *user = node->results[result].use[u].user;
    if (!user->groups.count) return true;
    if (copies_into_reader(node, user)) continue;
    for (size_t g = 0; g < user->groups.count; g++)
      if (!fuse_in_group(node, user->groups.data[g])) return true;
  }
  return false;
}

typedef struct {
  FuseNode **body; /* in order of the block */
  size_t count;
  TCC_VEC(MlirValue) operands, stored; /* of the original block */
  TCC_VEC(FuseResult *) made;          /* of stored */
  TCC_VEC(const FuseResult *) from;    /* of operands; NULL for arguments of the block */
  TCC_VEC(MlirType) types;             /* of stored */
  TccText key;                         /* heap */
} Outline;

/* Orders the nodes of a group with the cheap producers that are copied into it. */
static FuseNode **kernel_body(FuseGroup *group, TccArena *arena, size_t *out_count) {
  TCC_VEC(FuseNode *) body = {0}, cheap = {0};
  for (size_t m = 0; m < group->members.count; m++) {
    FuseNode *member = group->members.data[m];
    TCC_VEC_PUSH(arena, &body, member);
    for (intptr_t i = 0; i < member->operands; i++) {
      FuseNode *producer = member->producers[i];
      if (!producer || fuse_in_group(producer, group) || !copies_into_reader(producer, member)) continue;
      bool known = false;
      for (size_t k = 0; k < cheap.count && !known; k++) known = cheap.data[k] == producer;
      if (known) continue;
      TCC_VEC_PUSH(arena, &cheap, producer);
      TCC_VEC_PUSH(arena, &body, producer);
    }
  }
  if (body.count > 1) qsort(body.data, body.count, sizeof *body.data, by_block_order);
  *out_count = body.count;
  return body.data;
}

static const char *kernel_name(TccArena *arena, FuseGroup *group, FuseNode **body, size_t count, size_t number) {
  TccText text = {0};
  tcc_text_printf(&text, "k%zu", number);
  size_t words = 0;
  const char *last = "";
  if (group->anchor) last = tcc_op_name(group->anchor->kind) + 4, words++, tcc_text_printf(&text, "_%s", last);
  for (size_t i = 0; i < count && words < 4; i++) {
    if (body[i]->class == CLASS_CHEAP || body[i] == group->anchor) continue;
    const char *name = tcc_op_name(body[i]->kind) + 4;
    if (!strcmp(name, last)) continue;
    tcc_text_printf(&text, "_%s", name);
    last = name, words++;
  }
  if (!words) tcc_text_printf(&text, "_%s", tcc_op_name(group->members.data[0]->kind) + 4); /* a kernel that only counts */
  const char *copy = tcc_arena_copy(arena, text.data, text.length);
  tcc_text_destroy(&text);
  return copy;
}

static void put(TccText *key, const void *word) { tcc_text_put(key, (const char *)&word, sizeof word); }

/* Numbers the values of a group, which gives its operands, results and key. */
static void describe_group(FuseGroup *group, TccArena *arena, Outline *o) {
  TccPointerMap numbers = {.arena = arena};
  uintptr_t next = 1;
  o->body = kernel_body(group, arena, &o->count);
  put(&o->key, (const void *)(uintptr_t)group->kind);
  for (size_t i = 0; i < o->count; i++) {
    MlirOperation op = o->body[i]->op;
    put(&o->key, mlirOperationGetName(op).ptr);
    for (intptr_t k = 0; k < mlirOperationGetNumAttributes(op); k++) {
      MlirNamedAttribute attribute = mlirOperationGetAttribute(op, k);
      put(&o->key, attribute.name.ptr);
      put(&o->key, attribute.attribute.ptr);
    }
    for (intptr_t k = 0; k < o->body[i]->operands; k++) {
      MlirValue value = mlirOperationGetOperand(op, k);
      void *number = tcc_pointer_map_get(&numbers, value.ptr);
      if (!number) {
        const FuseNode *maker = o->body[i]->producers[k];
        TCC_VEC_PUSH(arena, &o->operands, value);
        TCC_VEC_PUSH(arena, &o->from, maker ? &maker->results[mlirOpResultGetResultNumber(value)] : NULL);
        tcc_pointer_map_set(&numbers, value.ptr, number = (void *)next++);
        put(&o->key, tcc_value_type(value).ptr);
      }
      put(&o->key, number);
    }
    bool first = fuse_in_group(o->body[i], group) && o->body[i]->groups.data[0] == group;
    for (intptr_t r = 0; r < o->body[i]->nresults; r++) {
      MlirValue result = mlirOperationGetResult(op, r);
      bool stored = first && is_stored(o->body[i], r);
      tcc_pointer_map_set(&numbers, result.ptr, (void *)next++);
      put(&o->key, tcc_value_type(result).ptr);
      put(&o->key, (const void *)(uintptr_t)stored);
      if (!stored) continue;
      TCC_VEC_PUSH(arena, &o->stored, result);
      TCC_VEC_PUSH(arena, &o->made, &o->body[i]->results[r]);
      TCC_VEC_PUSH(arena, &o->types, tcc_value_type(result));
    }
  }
}

static MlirOperation make_kernel(FuseGraph *graph, FuseGroup *group, const Outline *o, const char *name, MlirLocation location,
                                 TccArena *arena) {
  TccPointerMap inside = {.arena = arena}; /* value outside -> value inside the kernel */
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, block);
  for (size_t i = 0; i < o->operands.count; i++) {
    MlirValue argument = mlirBlockAddArgument(block, tcc_value_type(o->operands.data[i]), location);
    tcc_pointer_map_set(&inside, o->operands.data[i].ptr, (void *)(uintptr_t)argument.ptr);
  }
  for (size_t i = 0; i < o->count; i++) {
    MlirOperation op = o->body[i]->op, clone = mlirOperationClone(op);
    for (intptr_t k = 0; k < mlirOperationGetNumOperands(clone); k++)
      mlirOperationSetOperand(clone, k, (MlirValue){tcc_pointer_map_get(&inside, mlirOperationGetOperand(clone, k).ptr)});
    mlirBlockAppendOwnedOperation(block, clone);
    for (intptr_t r = 0; r < mlirOperationGetNumResults(clone); r++)
      tcc_pointer_map_set(&inside, mlirOperationGetResult(op, r).ptr, (void *)(uintptr_t)mlirOperationGetResult(clone, r).ptr);
  }
  MlirValue *results = TCC_NEW_ARRAY(arena, MlirValue, o->stored.count + 1);
  for (size_t i = 0; i < o->stored.count; i++) results[i] = (MlirValue){tcc_pointer_map_get(&inside, o->stored.data[i].ptr)};
  mlirBlockAppendOwnedOperation(block, tcc_make_return(graph->ir, location, o->stored.count, results));
  MlirOperation kernel = tcc_make_function(graph->ir, name, group->kind, location, region);
  if (graph->numerics != TCC_NUMERICS_FAST) tcc_set_numerics(graph->ir, kernel, graph->numerics);
  return kernel;
}

/* The nodes of the group, those of its most important op first. */
static MlirLocation location_of(FuseGraph *graph, const FuseGroup *group, TccArena *arena) {
  MlirLocation *all = TCC_NEW_ARRAY(arena, MlirLocation, group->members.count + 1);
  size_t count = 0;
  if (group->anchor) all[count++] = mlirOperationGetLocation(group->anchor->op);
  for (size_t i = 0; i < group->members.count; i++) all[count++] = mlirOperationGetLocation(group->members.data[i]->op);
  return tcc_location_fuse(graph->ir, all, count);
}

static void outline_group(FuseGraph *graph, FuseGroup *group, MlirBlock module_body, MlirOperation before, MlirOperation terminator,
                          FuseKernels *kernels, TccArena *arena) {
  Outline o = {0};
  describe_group(group, arena, &o);
  MlirLocation location = location_of(graph, group, arena);
  bool inserted;
  TccMapEntry *kernel = tcc_map_put(kernels->names, tcc_text_str(&o.key), &inserted);
  tcc_text_destroy(&o.key);
  if (inserted) {
    kernel->constant = kernel_name(graph->arena, group, o.body, o.count, kernels->groups);
    mlirBlockInsertOwnedOperationBefore(module_body, before, make_kernel(graph, group, &o, kernel->constant, location, arena));
  }
  kernels->groups++;
  for (size_t i = 0; i < o.operands.count; i++) /* values of kernels that were outlined before */
    if (o.from.data[i] && !mlirValueIsNull(o.from.data[i]->now)) o.operands.data[i] = o.from.data[i]->now;
  MlirOperation call =
      tcc_make_call(graph->ir, kernel->constant, location, o.operands.count, o.operands.data, o.stored.count, o.types.data);
  mlirBlockInsertOwnedOperationBefore(graph->block, terminator, call);
  if (graph->why && o.stored.count) {
    const char **why = TCC_NEW_ARRAY(arena, const char *, o.stored.count);
    for (size_t i = 0; i < o.stored.count; i++) why[i] = fuse_why(graph, fuse_producer(graph, o.stored.data[i]), o.stored.data[i]);
    tcc_call_set_why(graph->ir, call, why);
  }
  for (size_t i = 0; i < o.stored.count; i++) o.made.data[i]->now = mlirOperationGetResult(call, (intptr_t)i);
}

/* By position, and as they came where that is the same: positions lie between those of ops, which are whole numbers. */
static Unit *sort_units(const Unit *units, size_t count, size_t places, TccArena *arena) {
  size_t *begin = TCC_NEW_ARRAY(arena, size_t, places + 2);
  Unit *sorted = TCC_NEW_ARRAY(arena, Unit, count + 1);
  for (size_t i = 0; i < count; i++) begin[place_of(&units[i], places) + 1]++;
  for (size_t i = 0; i < places; i++) begin[i + 1] += begin[i];
  for (size_t i = 0; i < count; i++) sorted[begin[place_of(&units[i], places)]++] = units[i]; /* begin: the end of each place now */
  for (size_t i = 0, from = 0; i < places; from = begin[i++])
    if (begin[i] - from > 1) qsort(sorted + from, begin[i] - from, sizeof *sorted, by_position);
  return sorted;
}

MlirLogicalResult fuse_outline(FuseGraph *graph, MlirBlock module_body, MlirOperation before, FuseKernels *kernels) {
  TccArena *arena = graph->arena;
  MlirOperation terminator = mlirBlockGetTerminator(graph->block);
  TCC_VEC(Unit) units = {0};
  for (size_t i = 0; i < graph->groups.count; i++) {
    FuseGroup *group = graph->groups.data[i];
    TCC_VEC_PUSH(arena, &units, ((Unit){group->position, group, NULL}));
  }
  for (size_t i = 0; i + 1 < graph->count; i++) { /* the last one is the terminator */
    FuseNode *node = &graph->nodes[i];
    if (!node->groups.count) TCC_VEC_PUSH(arena, &units, ((Unit){node->position, NULL, node}));
  }
  const Unit *sorted = sort_units(units.data, units.count, graph->count, arena);
  TccArena *scratch = tcc_arena_create(); /* of one group: thousands of groups would touch thousands of pages */
  for (size_t i = 0; i < units.count; i++) {
    if (sorted[i].group) {
      outline_group(graph, sorted[i].group, module_body, before, terminator, kernels, scratch);
      tcc_arena_reset(scratch);
    } else {
      mlirOperationMoveBefore(sorted[i].node->op, terminator);
    }
  }
  tcc_arena_destroy(scratch);
  for (size_t i = 0; i < graph->count; i++)
    for (intptr_t r = 0; r < graph->nodes[i].nresults; r++)
      if (!mlirValueIsNull(graph->nodes[i].results[r].now))
        mlirValueReplaceAllUsesOfWith(mlirOperationGetResult(graph->nodes[i].op, r), graph->nodes[i].results[r].now);
  for (size_t i = graph->count - 1; i-- > 0;) { /* readers before producers */
    FuseNode *node = &graph->nodes[i];
    if (node->groups.count) mlirOperationDestroy(node->op);
  }
  for (size_t i = graph->count - 1; i-- > 0;) { /* constants that every reader copied */
    FuseNode *node = &graph->nodes[i];
    if (node->groups.count || (node->class != CLASS_CHEAP && node->kind != TCC_OP_CONSTANT)) continue;
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(node->op, 0)))) mlirOperationDestroy(node->op);
  }
  return mlirLogicalResultSuccess();
}

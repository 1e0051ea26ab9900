/* plan_nodes.c - which nodes of the model a command does: a call's location, as text.
 *
 *   fused["/a/MatMul", "/a/Add", "/a/Relu"]    =>    "/a/MatMul (+2)"
 *
 * In a region each node is one of a copy (location.h); there is a text for each copy then. */
#include "lib/compile/plan.h"
#include "tcc/location.h"

typedef struct {
  TccText name; /* of its first node */
  uint32_t others;
} Copy;
typedef struct {
  TccArena *arena;
  TCC_VEC(Copy) copies;
  TccMap *seen; /* "COPY NAME": a node of several ops counts once */
} Nodes;

static void add_node(MlirLocation node, int copy, void *user) {
  Nodes *nodes = user;
  TccText name = {0};
  bool inserted = false;
  uint32_t index = copy < 0 ? 0 : (uint32_t)copy;
  tcc_text_printf(&name, "%u ", index);
  size_t prefix = name.length;
  if (tcc_location_name(node, &name)) tcc_map_put(nodes->seen, tcc_text_str(&name), &inserted);
  while (inserted && nodes->copies.count <= index) TCC_VEC_PUSH(nodes->arena, &nodes->copies, (Copy){0});
  if (inserted && nodes->copies.data[index].name.length) nodes->copies.data[index].others++;
  else if (inserted) tcc_text_put(&nodes->copies.data[index].name, name.data + prefix, name.length - prefix);
  tcc_text_destroy(&name);
}

TccPlanRange tcc_plan_put_nodes(TccPlanTables *tables, MlirLocation call) {
  TccArena *arena = tcc_arena_create();
  Nodes nodes = {.arena = arena, .seen = tcc_map_create(arena)};
  tcc_location_nodes(call, add_node, &nodes);
  TccPlanRange range = {(uint32_t)tables->indices.count, (uint32_t)nodes.copies.count};
  for (size_t i = 0; i < nodes.copies.count; i++) {
    Copy *copy = &nodes.copies.data[i];
    if (copy->others) tcc_text_printf(&copy->name, " (+%u)", copy->others);
    TCC_VEC_PUSH(tables->ir->arena, &tables->indices, tcc_plan_put_text(tables, tcc_text_str(&copy->name)));
    tcc_text_destroy(&copy->name);
  }
  tcc_arena_destroy(arena);
  return range;
}

static void note_copy(MlirLocation node, int copy, void *user) {
  (void)node;
  if (copy > 0) *(uint32_t *)user = (uint32_t)copy;
}

uint32_t tcc_plan_copy(MlirLocation call) {
  uint32_t copy = 0;
  tcc_location_nodes(call, note_copy, &copy);
  return copy;
}

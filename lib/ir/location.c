/* location.c - see include/tcc/location.h. */
#include "tcc/location.h"

MlirLocation tcc_location_fuse(TccIr *ir, const MlirLocation *locations, size_t count) {
  return mlirLocationFusedGet(ir->context, (intptr_t)count, locations, mlirAttributeGetNull());
}

/* A caller that is no place in a file. Models in MLIR may have call sites of their own, which mean nothing here. */
static const char copy_file[] = "tcc.copy";
enum { MOST_COPIES = 1 << 20 };

MlirLocation tcc_location_in_copy(TccIr *ir, MlirLocation node, int copy) {
  MlirLocation caller = mlirLocationFileLineColGet(ir->context, mlirStringRefCreateFromCString(copy_file), (unsigned)copy, 0);
  return mlirLocationCallSiteGet(node, caller);
}

static bool is_copy(MlirLocation caller, int *out_copy) {
  if (!mlirLocationIsAFileLineColRange(caller)) return false;
  MlirStringRef file = mlirIdentifierStr(mlirLocationFileLineColRangeGetFilename(caller));
  *out_copy = mlirLocationFileLineColRangeGetStartLine(caller);
  return mlirStringRefEqual(file, mlirStringRefCreateFromCString(copy_file)) && *out_copy >= 0 && *out_copy < MOST_COPIES;
}

static void visit_nodes(MlirLocation location, int copy, void (*visit)(MlirLocation node, int copy, void *user), void *user) {
  if (mlirLocationIsACallSite(location)) {
    int number;
    if (is_copy(mlirLocationCallSiteGetCaller(location), &number)) copy = number;
    visit_nodes(mlirLocationCallSiteGetCallee(location), copy, visit, user);
  } else if (mlirLocationIsAFused(location)) {
    unsigned count = mlirLocationFusedGetNumLocations(location);
    TccArena *arena = tcc_arena_create();
    MlirLocation *nodes = TCC_NEW_ARRAY(arena, MlirLocation, count + 1);
    mlirLocationFusedGetLocations(location, nodes);
    for (unsigned i = 0; i < count; i++) visit_nodes(nodes[i], copy, visit, user);
    tcc_arena_destroy(arena);
  } else {
    visit(location, copy, user);
  }
}

void tcc_location_nodes(MlirLocation location, void (*visit)(MlirLocation node, int copy, void *user), void *user) {
  visit_nodes(location, -1, visit, user);
}

bool tcc_location_name(MlirLocation node, TccText *out) {
  if (mlirLocationIsAName(node)) {
    MlirStringRef name = mlirIdentifierStr(mlirLocationNameGetName(node));
    tcc_text_put(out, name.data, name.length);
    return true;
  }
  int line = mlirLocationIsAFileLineColRange(node) ? mlirLocationFileLineColRangeGetStartLine(node) : 0;
  if (line > 0) tcc_text_printf(out, "line %d", line);
  return line > 0;
}

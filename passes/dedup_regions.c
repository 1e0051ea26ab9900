/* dedup_regions.c - outline repeated subgraphs into one function each.
 *
 *   layer 0 ... layer 5 in line   =>   %1 = call @region0(%0, %w0...) ; %2 = call @region0(%1, %w1...) ; ...
 *
 * Structure alone decides: op, attributes, types and wiring; weights are parameters. Nothing is marked and no names are
 * read. From here on the compile time grows with the number of different layers. Colour refinement gives classes of ops
 * that look alike; the most promising classes are grown in lock step (region_grow.c), upwards first and downwards first,
 * and the growth that saves most ops wins, then the one with the fewest activations across its border: a cut where few
 * tensors cross is one where a tensor is stored anyway. What is claimed is not looked at again.
 *
 * Cost: O((V + E) * candidates) per region found; regions are few.
 *
 * requires: simplify (symbolic sizes evaluated). ensures: main holds calls of region functions; regions hold no calls.
 * keeps: values, order of results. */
#include "region_graph.h"
#include "tcc/pass.h"
#include <stdlib.h>

enum { CANDIDATES = 16, PER_SIZE = 2, LEAST_OPS = 4, LEAST_GAIN = 12 };

typedef struct { uint64_t colour; int32_t first, count; } ColourClass;

static int by_size(const void *a, const void *b) {
  const ColourClass *x = a, *y = b;
  if (x->count != y->count) return y->count - x->count;
  return x->first - y->first;
}

/* Classes of at least two free ops, largest first, at most PER_SIZE of one size and CANDIDATES in all. */
static size_t candidate_classes(const RegionGraph *graph, TccArena *scratch, ColourClass *out) {
  TccMap *classes = tcc_map_create(scratch);
  ColourClass *all = TCC_NEW_ARRAY(scratch, ColourClass, graph->count + 1);
  size_t nall = 0;
  for (int32_t v = 0; v < graph->count; v++) {
    const RegionNode *node = &graph->nodes[v];
    if (node->leaf || node->cluster >= 0) continue;
    bool inserted;
    TccMapEntry *entry = tcc_map_put(classes, (TccStr){(const char *)&node->colour, sizeof node->colour}, &inserted);
    if (inserted) {
      entry->integer = (int64_t)nall;
      all[nall++] = (ColourClass){node->colour, v, 0};
    }
    all[entry->integer].count++;
  }
  qsort(all, nall, sizeof *all, by_size);
  size_t count = 0;
  int32_t size = 0, of_size = 0;
  for (size_t i = 0; i < nall && all[i].count >= 2 && count < CANDIDATES; i++) {
    of_size = all[i].count == size ? of_size + 1 : 1;
    size = all[i].count;
    if (of_size <= PER_SIZE) out[count++] = all[i];
  }
  return count;
}

static bool best_region(RegionGraph *graph, TccArena *scratch, int64_t least_ops, Region *best) {
  ColourClass classes[CANDIDATES];
  size_t count = candidate_classes(graph, scratch, classes);
  *best = (Region){0};
  for (size_t i = 0; i < count; i++) {
    int32_t *seeds = TCC_NEW_ARRAY(scratch, int32_t, classes[i].count), n = 0;
    for (int32_t v = 0; v < graph->count; v++)
      if (graph->nodes[v].colour == classes[i].colour && graph->nodes[v].cluster < 0 && !graph->nodes[v].leaf) seeds[n++] = v;
    for (int users_first = 0; users_first < 2; users_first++) {
      Region region;
      if (!region_grow(graph, seeds, n, users_first, scratch, &region) || region.slots < least_ops) continue;
      if (region.gain > best->gain || (region.gain == best->gain && region.border < best->border)) *best = region;
    }
  }
  return best->gain >= LEAST_GAIN;
}

MlirLogicalResult tcc_pass_dedup_regions(TccPassRun *run, MlirOperation module) {
  TccStr text;
  int64_t least_ops = tcc_pass_option(run, "min-ops", &text) ? strtoll(text.data, NULL, 10) : LEAST_OPS;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  MlirOperation main = tcc_module_find(run->ir, module, tcc_str("main"));
  if (mlirOperationIsNull(main)) return mlirLogicalResultSuccess();
  RegionGraph graph;
  region_graph_build(&graph, run->ir, run->scratch, tcc_func_body(main));
  TCC_VEC(const Region *) regions = {0};
  TccArena *scratch = tcc_arena_create();
  for (;;) {
    Region *region = TCC_NEW(run->scratch, Region);
    bool found = best_region(&graph, scratch, least_ops, region);
    tcc_arena_reset(scratch);
    if (!found) break;
    region_claim(&graph, region);
    TCC_VEC_PUSH(run->scratch, &regions, region);
  }
  tcc_arena_destroy(scratch);
  if (!regions.count) return mlirLogicalResultSuccess();
  return region_outline(&graph, regions.data, regions.count, body, main);
}

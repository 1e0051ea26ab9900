/* dedup_regions.c - outline repeated subgraphs into one function each.
 *
 *   layer 0 ... layer 5 in line   =>   %1 = call @region0(%0, %w0...) ; %2 = call @region0(%1, %w1...) ; ...
 *
 * Structure alone decides: op, attributes, types and wiring; weights are parameters. Nothing is marked and no names are
 * read. From here on the compile time grows with the number of different layers. Colour refinement gives classes of ops
 * that look alike; the most promising classes are grown in lock step (region_grow.c), upwards first and downwards first,
 * and the growth that saves most ops wins, then the one with the fewest activations across its border. A stack of layers may
 * be cut anywhere in its period: the winner is grown once more from the op of its period before which fewest activations are
 * alive, for a cut where few tensors cross is one where a tensor is stored anyway. What is claimed is not looked at again. Ops of weights
 * alone, as those that make two numbers a channel of a batch norm's four, run once: they may join a region, and count for none.
 *
 * Cost: O((V + E) * candidates) per region found; regions are few.
 *
 * requires: simplify (symbolic sizes evaluated). ensures: main holds calls of region functions; regions hold no calls.
 * keeps: values, order of results. */
#include "passes/dedup_regions/region_graph.h"
#include "tcc/pass.h"
#include <stdlib.h>

enum { CANDIDATES = 16, PER_SIZE = 2, LEAST_GAIN = 12 };

typedef struct {
  uint64_t colour;
  int32_t first, count;
} ColourClass;

static int by_size(const void *a, const void *b) {
  const ColourClass *x = a, *y = b;
  if (x->count != y->count) return y->count - x->count;
  return x->first - y->first;
}

/* Classes of at least two free ops, largest first, at most PER_SIZE of one size on each side of the loss and CANDIDATES in all: the forward,
 * which comes first, would leave none of its size to the backward. */
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
  int32_t size = 0, of_size[2] = {0}; /* of each side of the loss */
  for (size_t i = 0; i < nall && all[i].count >= 2 && count < CANDIDATES; i++) {
    if (all[i].count != size) of_size[0] = of_size[1] = 0;
    size = all[i].count;
    if (++of_size[graph->nodes[all[i].first].late] <= PER_SIZE) out[count++] = all[i];
  }
  return count;
}

/* live[v]: activations defined before op v of the block and read by it or behind it. */
static int32_t *live_before(const RegionGraph *graph, TccArena *scratch) {
  int32_t *live = TCC_NEW_ARRAY(scratch, int32_t, graph->count + 1);
  for (int32_t v = 0; v < graph->count; v++) {
    const RegionNode *node = &graph->nodes[v];
    if (node->leaf || node->initial || !node->nuses) continue;
    int32_t last = v;
    for (int32_t u = 0; u < node->nuses; u++)
      if (graph->uses[node->first_use + u].node > last) last = graph->uses[node->first_use + u].node;
    live[v + 1]++;
    live[last + 1 <= graph->count ? last + 1 : graph->count]--;
  }
  for (int32_t v = 1; v <= graph->count; v++) live[v] += live[v - 1];
  return live;
}

/* The same period cut where fewest activations are alive, if that saves nearly as many ops. Colours of short layers see the
 * ends of the stack and lose copies there: labels do not, so ops that have the label of the cut are seeds as well. */
static void rotate(RegionGraph *graph, TccArena *scratch, Region *best) {
  const int32_t *live = live_before(graph, scratch);
  int32_t middle = best->copies / 2, start = 0, alike = 0;
  for (int32_t s = 1; s < best->slots; s++)
    if (live[best->op[s * best->copies + middle]] < live[best->op[start * best->copies + middle]]) start = s;
  const int32_t *seeds = best->op + start * best->copies;
  int32_t *labelled = TCC_NEW_ARRAY(scratch, int32_t, graph->count);
  for (int32_t v = 0; v < graph->count; v++)
    if (graph->nodes[v].label == graph->nodes[seeds[0]].label && graph->nodes[v].cluster < 0) labelled[alike++] = v;
  Region turned = {0}, longer = {0};
  region_grow(graph, seeds, best->copies, true, scratch, &turned);
  if (alike > best->copies && alike < 2 * best->copies) region_grow(graph, labelled, alike, true, scratch, &longer);
  if (longer.gain > best->gain && longer.border <= best->border) *best = longer;
  else if (turned.gain >= best->gain - best->gain / 8 && turned.border < best->border) *best = turned;
}

/* Whether growing this class would give again what has been grown: as many copies or a few less, and its first op lies in
 * one of them. With half the copies each may be twice as large. */
static bool is_covered(const Region *best, const uint8_t *in_best, const ColourClass *class) {
  return class->count <= best->copies && class->count > best->copies / 2 && in_best[class->first];
}

static bool best_region(RegionGraph *graph, TccArena *scratch, int64_t least_ops, Region *best) {
  ColourClass classes[CANDIDATES];
  size_t count = candidate_classes(graph, scratch, classes);
  uint8_t *in_best = TCC_NEW_ARRAY(scratch, uint8_t, graph->count + 1);
  *best = (Region){0};
  for (size_t i = 0; i < count; i++) {
    if (is_covered(best, in_best, &classes[i])) continue;
    int32_t *seeds = TCC_NEW_ARRAY(scratch, int32_t, classes[i].count), n = 0;
    for (int32_t v = 0; v < graph->count; v++)
      if (graph->nodes[v].colour == classes[i].colour && graph->nodes[v].cluster < 0 && !graph->nodes[v].leaf) seeds[n++] = v;
    for (int users_first = 0; users_first < 2; users_first++) {
      Region region;
      if (!region_grow(graph, seeds, n, users_first, scratch, &region) || region.work < least_ops) continue;
      if (region.gain < best->gain || (region.gain == best->gain && region.border >= best->border)) continue;
      *best = region;
      memset(in_best, 0, (size_t)graph->count);
      for (int32_t k = 0; k < region.slots * region.copies; k++) in_best[region.op[k]] = 1;
    }
  }
  if (best->gain < LEAST_GAIN) return false;
  rotate(graph, scratch, best);
  return true;
}

MlirLogicalResult tcc_pass_dedup_regions(TccPassRun *run, MlirOperation module) {
  int least_ops = tcc_pass_number(run, "min-ops");
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  MlirOperation main = tcc_module_find(run->ir, module, tcc_str("main"));
  if (mlirOperationIsNull(main)) return mlirLogicalResultSuccess();
  RegionGraph graph;
  region_graph_build(&graph, run->ir, run->scratch, tcc_func_body(main));
  graph.explain = run->explain;
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

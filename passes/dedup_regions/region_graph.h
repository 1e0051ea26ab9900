/* region_graph.h - what tcc-dedup-regions works on: the ops of main as a graph with labels and colours. */
#ifndef TCC_REGION_GRAPH_H
#define TCC_REGION_GRAPH_H
#include "tcc/ir.h"

enum { REGION_NO_NODE = -1 };

typedef struct {
  int32_t node, operand, result;
} RegionUse;
typedef struct {
  MlirOperation op;
  bool leaf;                        /* weight, constant, sizes, none, foreign op: never inside a region by itself */
  bool late;                        /* a loss, and what is written back, do not need it: it is of a backward pass */
  bool initial;                     /* no leaf, and computed of weights and constants alone: it runs once */
  uint64_t label;                   /* op, attributes, types, kinds of operands */
  uint64_t colour;                  /* label and the labels around it */
  int32_t first_operand, noperands; /* into RegionGraph.producers */
  int32_t first_use, nuses;         /* into RegionGraph.uses */
  int32_t first_wait, nwaits;       /* into RegionGraph.waits */
  int32_t cluster;                  /* claimed copy that the node belongs to, or -1 */
} RegionNode;
typedef struct {
  int32_t node, result;
} RegionProducer; /* node is REGION_NO_NODE for function arguments */

typedef struct {
  TccIr *ir;
  TccArena *arena;
  MlirBlock block;
  RegionNode *nodes;
  int32_t count;
  RegionProducer *producers;
  RegionUse *uses;
  int32_t *waits; /* ops that have a size which the node counts: they come behind it, as if they read it */
  TccMap *index;
  int32_t nclusters;
  bool explain; /* as in TccPassRun */
} RegionGraph;

/* A set of equal subgraphs: slot s of copy c is op[s * copies + c]; slots are in the order of copy 0's ops. */
typedef struct {
  int32_t copies, slots;
  int32_t work; /* slots that are not initial */
  int32_t *op;
  int64_t gain;   /* ops that need not be compiled again, but initial ones */
  int32_t border; /* activations that cross the border of one copy */
} Region;

void region_graph_build(RegionGraph *graph, TccIr *ir, TccArena *arena, MlirBlock block);
/* Nodes that must stand behind node v, `i` from 0 on: its users, and those that have a size which it counts. */
int32_t region_followers(const RegionGraph *graph, int32_t v);
int32_t region_follower(const RegionGraph *graph, int32_t v, int32_t i);
/* Grows the copies around the seeds (one node per copy, all of equal colour) in lock step. False if nothing useful. */
bool region_grow(RegionGraph *graph, const int32_t *seeds, int32_t copies, bool users_first, TccArena *scratch, Region *out);
void region_claim(RegionGraph *graph, const Region *region);
/* One function for the region, a call for each copy. The block must be rescheduled afterwards: the calls stand at its end. */
MlirLogicalResult region_outline(RegionGraph *graph, const Region *const *regions, size_t nregions, MlirBlock module_body,
                                 MlirOperation before);
#endif

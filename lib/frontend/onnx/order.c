/* order.c - nodes in an order in which each stands behind those whose values it reads.
 *
 * ONNX asks files for such an order, and most have it. Converters to float16 put their casts at the end, and onnxruntime sorts what it reads, so that
 * nobody notices. Here nodes keep the order of the file but for those that a node reads and that stand behind it: they come directly in front
 * of it. What a node's subgraphs read, it reads. Of nodes that read each other in a circle the file's order stays, and their import says what is
 * not defined. */
#include "lib/frontend/onnx/import.h"

typedef struct {
  TccArena *arena;
  TccMap *makers; /* of the graph's values: name -> 1 + the node */
  const TccOnnxNode *nodes;
  size_t count;
} Order;

static void sort_graph(TccArena *arena, TccOnnxGraph *graph);

typedef struct {
  size_t *data, count, capacity;
} Places;

static void add_reads(const Order *order, const TccOnnxNode *node, Places *out) {
  for (size_t i = 0; i < node->input.count; i++) {
    const TccMapEntry *maker = tcc_map_find(order->makers, node->input.data[i]);
    if (maker && node->input.data[i].length) TCC_VEC_PUSH(order->arena, out, (size_t)maker->integer - 1);
  }
  for (size_t a = 0; a < node->attribute.count; a++) {
    const TccOnnxAttribute *attribute = &node->attribute.data[a];
    for (size_t g = 0; g < attribute->graphs.count + (attribute->g != NULL); g++) {
      const TccOnnxGraph *inner = g < attribute->graphs.count ? &attribute->graphs.data[g] : attribute->g;
      for (size_t n = 0; n < inner->node.count; n++) add_reads(order, &inner->node.data[n], out);
      for (size_t i = 0; i < inner->output.count; i++) {
        const TccMapEntry *maker = tcc_map_find(order->makers, inner->output.data[i].name);
        if (maker) TCC_VEC_PUSH(order->arena, out, (size_t)maker->integer - 1);
      }
    }
  }
}

/* Depth first, without recursion: a chain may be as long as the file. False for a circle. */
static bool place_all(const Order *order, const Places *reads, TccOnnxNode *out) {
  enum { NEW, OPEN, DONE };
  unsigned char *state = TCC_NEW_ARRAY(order->arena, unsigned char, order->count + 1);
  size_t *stack = TCC_NEW_ARRAY(order->arena, size_t, order->count + 1),
         *next = TCC_NEW_ARRAY(order->arena, size_t, order->count + 1);
  size_t placed = 0;
  for (size_t first = 0; first < order->count; first++) {
    size_t depth = 0;
    if (state[first] == NEW) stack[depth++] = first, state[first] = OPEN;
    while (depth) {
      const size_t at = stack[depth - 1];
      if (next[at] == reads[at].count) {
        out[placed++] = order->nodes[at], state[at] = DONE, depth--;
        continue;
      }
      const size_t read = reads[at].data[next[at]++];
      if (state[read] == OPEN) return false;
      if (state[read] == NEW) stack[depth++] = read, state[read] = OPEN;
    }
  }
  return true;
}

static void sort_nodes(TccArena *arena, TccOnnxNode *nodes, size_t count) {
  Order order = {arena, tcc_map_create(arena), nodes, count};
  Places *reads = TCC_NEW_ARRAY(arena, Places, count + 1);
  bool sorted = true, is_new;
  for (size_t n = 0; n < count; n++)
    for (size_t i = 0; i < nodes[n].output.count; i++)
      tcc_map_put(order.makers, nodes[n].output.data[i], &is_new)->integer = (int64_t)n + 1;
  for (size_t n = 0; n < count; n++) {
    for (size_t a = 0; a < nodes[n].attribute.count; a++) {
      TccOnnxAttribute *attribute = &nodes[n].attribute.data[a];
      if (attribute->g) sort_graph(arena, attribute->g);
      for (size_t g = 0; g < attribute->graphs.count; g++) sort_graph(arena, &attribute->graphs.data[g]);
    }
    add_reads(&order, &nodes[n], &reads[n]);
    for (size_t i = 0; i < reads[n].count; i++) sorted = sorted && reads[n].data[i] < n;
  }
  TccOnnxNode *moved = sorted ? NULL : TCC_NEW_ARRAY(arena, TccOnnxNode, count);
  if (moved && place_all(&order, reads, moved)) memcpy(nodes, moved, count * sizeof *nodes);
}

static void sort_graph(TccArena *arena, TccOnnxGraph *graph) { sort_nodes(arena, graph->node.data, graph->node.count); }

void onnx_sort_nodes(TccArena *arena, TccOnnxModel *model) {
  sort_graph(arena, model->graph);
  for (size_t i = 0; i < model->functions.count; i++)
    sort_nodes(arena, model->functions.data[i].node.data, model->functions.data[i].node.count);
}

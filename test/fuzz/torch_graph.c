/* JSON of a graph: the reader, places of nodes, sizes and guards of what it takes. */
#include "lib/frontend/torch/expr.h"
#include "tcc/json.h"

static TccArena *arena;

static void visit(TccExprPool *pool, const TccTorchGraph *graph) {
  for (size_t i = 0; i < graph->nnodes; i++) {
    const TccTorchNode *node = &graph->nodes[i];
    TccStr file;
    int64_t line;
    tcc_torch_node_place(arena, node, &file, &line);
    for (size_t k = 0; k < node->ninputs; k++)
      if (node->inputs[k].arg.kind == TCC_TORCH_GRAPH) visit(pool, node->inputs[k].arg.graph.graph);
  }
  for (size_t i = 0; i < tcc_map_count(graph->values) && i < 64; i++) {
    const TccTorchValue *value = tcc_map_at(graph->values, i)->constant;
    for (size_t k = 0; value->kind == TCC_TORCH_VALUE_TENSOR && k < value->meta.rank && k < 8; k++) {
      const TccExpr *e;
      tcc_status_destroy(tcc_torch_size_expr(pool, &value->meta.sizes[k], &e));
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!arena) arena = tcc_arena_create();
  tcc_arena_reset(arena);
  TccTorchProgram *program;
  TccTorchConstraints constraints;
  TccStatus *status = tcc_torch_graph_read(arena, (TccStr){(const char *)data, size}, "fuzz", &program);
  if (!status) {
    TccExprPool *pool = tcc_expr_pool_create(arena);
    visit(pool, program->graph);
    tcc_torch_constraints(arena, pool, program, &constraints);
  }
  tcc_status_destroy(status);
  return 0;
}

/* ONNX bytes: the reader, and the values of every tensor that it takes. */
#include "tcc/onnx.h"
#include "tcc/wire.h"
#include <sanitizer/allocator_interface.h>
#include <stdlib.h>

static TccArena *arena;

static unsigned touch(const void *data, size_t length) { /* so that a span that leaves the input is seen */
  unsigned sum = 0;
  for (size_t i = 0; i < length; i++) sum += ((const unsigned char *)data)[i];
  return sum;
}

static void visit_tensor(const TccOnnxTensor *tensor) {
  const void *data;
  TccStatus *status = tcc_onnx_tensor_data(arena, tensor, &data);
  if (!status) touch(data, tensor->bytes);
  tcc_status_destroy(status);
  touch(tensor->name.data, tensor->name.length);
  for (size_t i = 0; i < tensor->string_data.count; i++)
    touch(tensor->string_data.data[i].data, tensor->string_data.data[i].length);
}

static void visit_graph(const TccOnnxGraph *graph);

static void visit_attributes(const TccOnnxAttributes *attributes) {
  for (size_t i = 0; i < attributes->count; i++) {
    const TccOnnxAttribute *a = &attributes->data[i];
    if (a->type == TCC_ONNX_TENSOR && !a->ref_attr_name.length && !a->t) abort();
    if (a->t) visit_tensor(a->t);
    if (a->g) visit_graph(a->g);
    if (a->sparse_tensor) visit_tensor(a->sparse_tensor->values), visit_tensor(a->sparse_tensor->indices);
    for (size_t k = 0; k < a->tensors.count; k++) visit_tensor(&a->tensors.data[k]);
    for (size_t k = 0; k < a->graphs.count; k++) visit_graph(&a->graphs.data[k]);
    touch(a->s.data, a->s.length);
    touch(a->ints.data, a->ints.count * sizeof *a->ints.data);
    touch(a->floats.data, a->floats.count * sizeof *a->floats.data);
  }
}

static void visit_nodes(const TccOnnxNodes *nodes) {
  for (size_t i = 0; i < nodes->count; i++) {
    if (!nodes->data[i].op_type.length) abort();
    for (size_t k = 0; k < nodes->data[i].input.count; k++)
      touch(nodes->data[i].input.data[k].data, nodes->data[i].input.data[k].length);
    visit_attributes(&nodes->data[i].attribute);
  }
}

static void visit_graph(const TccOnnxGraph *graph) {
  visit_nodes(&graph->node);
  for (size_t i = 0; i < graph->initializer.count; i++) visit_tensor(&graph->initializer.data[i]);
  for (size_t i = 0; i < graph->sparse_initializer.count; i++) visit_tensor(graph->sparse_initializer.data[i].values);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!size) return 0;
  TccOnnxModel *model;
  size_t before = __sanitizer_get_current_allocated_bytes();
  arena = tcc_arena_create();
  TccStatus *status = tcc_onnx_read(arena, data, size, &model);
  if (!status) {
    visit_graph(model->graph);
    for (size_t i = 0; i < model->functions.count; i++) {
      visit_nodes(&model->functions.data[i].node);
      visit_attributes(&model->functions.data[i].attribute_proto);
    }
  }
  TccText graph = {0};
  tcc_wire_graph((TccStr){(const char *)data, size}, &graph);
  if (graph.length > size) abort();
  tcc_text_destroy(&graph);
  if (__sanitizer_get_current_allocated_bytes() - before > (1 << 20) + 200 * size) abort(); /* memory in proportion to the file */
  tcc_status_destroy(status);
  tcc_arena_destroy(arena);
  return 0;
}

/* loop_append.c - loops that append a tensor or an element of a sequence in each iteration.
 *
 * torch.jit's loops over lists come like this: a value of a size that changes, or a sequence, goes through the body, and a Concat or
 * SequenceInsert puts the iteration's row behind it. As long as nothing else in the body reads it, the rows are a scan output. */
#include "lib/frontend/onnx/loop_append.h"
#include "lib/frontend/onnx/ops_sequence.h"

/* A value that is carried, before and after an iteration: how often the body reads it, in its subgraphs, too. */
typedef struct {
  size_t before_reads, after_reads;
} Reads;

static void count_read(const TccMap *names, TccStr name) {
  const TccMapEntry *entry = tcc_map_find(names, name);
  if (entry && entry->pointer) ++*(size_t *)entry->pointer;
}

/* Names are defined once, in a graph and in what stands in it. */
static void count_reads(const TccMap *names, const TccOnnxGraph *graph) {
  for (size_t n = 0; n < graph->node.count; n++) {
    const TccOnnxNode *node = &graph->node.data[n];
    for (size_t i = 0; i < node->input.count; i++) count_read(names, node->input.data[i]);
    for (size_t a = 0; a < node->attribute.count; a++) {
      const TccOnnxAttribute *attribute = &node->attribute.data[a];
      if (attribute->g) count_reads(names, attribute->g);
      for (size_t g = 0; g < attribute->graphs.count; g++) count_reads(names, &attribute->graphs.data[g]);
    }
  }
  for (size_t i = 0; i < graph->output.count; i++) count_read(names, graph->output.data[i].name);
}

/* Whether the node appends its second input to its first. */
static bool is_append(const TccOnnxNode *node, OnnxAppend *out) {
  if (node->domain.length || node->input.count != 2 || node->output.count != 1) return false;
  out->row = node->input.data[1];
  out->is_sequence = tcc_str_is(node->op_type, "SequenceInsert");
  if (out->is_sequence) return true;
  const TccOnnxAttribute *axis = node->attribute.count == 1 ? &node->attribute.data[0] : NULL;
  if (!tcc_str_is(node->op_type, "Concat") || !axis || !tcc_str_is(axis->name, "axis") || axis->ref_attr_name.length) return false;
  out->axis = axis->i;
  return true;
}

const OnnxAppend *onnx_appends(ImportCall *c, const TccOnnxGraph *body, size_t carried) {
  OnnxAppend *appends = TCC_NEW_ARRAY(import_arena(c), OnnxAppend, carried + 1);
  Reads *reads = TCC_NEW_ARRAY(import_arena(c), Reads, carried + 1);
  TccMap *names = tcc_map_create(import_arena(c)), *made = tcc_map_create(import_arena(c));
  bool any = false, is_new;
  for (size_t k = 0; k < carried; k++) {
    appends[k].node = SIZE_MAX;
    tcc_map_put(names, body->input.data[2 + k].name, &is_new)->pointer = &reads[k].before_reads;
    tcc_map_put(names, body->output.data[1 + k].name, &is_new)->pointer = &reads[k].after_reads;
  }
  count_reads(names, body);
  for (size_t n = 0; n < body->node.count; n++) {
    OnnxAppend append = {.node = n};
    if (is_append(&body->node.data[n], &append))
      *(OnnxAppend *)(tcc_map_put(made, body->node.data[n].output.data[0], &is_new)->pointer =
                          TCC_NEW(import_arena(c), OnnxAppend)) = append;
  }
  for (size_t k = 0; k < carried; k++) {
    const TccMapEntry *entry = tcc_map_find(made, body->output.data[1 + k].name);
    const OnnxAppend *append = entry ? entry->pointer : NULL;
    if (!append || reads[k].before_reads != 1 || reads[k].after_reads != 1 ||
        !tcc_str_equal(body->node.data[append->node].input.data[0], body->input.data[2 + k].name))
      continue;
    appends[k] = *append;
    any = true;
  }
  return any ? appends : NULL;
}

const TccOnnxGraph *onnx_without_appends(ImportCall *c, const TccOnnxGraph *body, const OnnxAppend *appends, size_t carried) {
  TccOnnxGraph *made = TCC_NEW(import_arena(c), TccOnnxGraph);
  *made = *body;
  made->node.data = TCC_NEW_ARRAY(import_arena(c), TccOnnxNode, body->node.count + 1);
  made->output.data = TCC_NEW_ARRAY(import_arena(c), TccOnnxValueInfo, body->output.count);
  memcpy(made->output.data, body->output.data, body->output.count * sizeof *body->output.data);
  bool *leaves = TCC_NEW_ARRAY(import_arena(c), bool, body->node.count + 1);
  for (size_t k = 0; k < carried; k++) {
    if (appends[k].node == SIZE_MAX) continue;
    leaves[appends[k].node] = true;
    made->output.data[1 + k].name = appends[k].row;
  }
  made->node.count = 0;
  for (size_t n = 0; n < body->node.count; n++)
    if (!leaves[n]) made->node.data[made->node.count++] = body->node.data[n];
  return made;
}

bool onnx_append_rows(ImportCall *c, const OnnxAppend *append, const ImportValue *initial, MlirValue rows, ImportValue *out) {
  if (append->is_sequence) {
    MlirValue first = {NULL};
    *out = (ImportValue){.kind = IMPORT_ROWS, .tensor = rows};
    if (!onnx_rows(c, initial, &first)) return false;
    MlirValue both[] = {first, rows};
    if (first.ptr) out->tensor = tcc_build_concat(&c->b, both, 2, 0);
    return out->tensor.ptr != NULL;
  }
  MlirValue both[] = {initial->tensor, onnx_join_rows(c, rows, append->axis)};
  int64_t axis;
  *out = (ImportValue){.kind = IMPORT_TENSOR};
  if (initial->kind != IMPORT_TENSOR) return import_invalid(c, "a Concat in the body of what is no tensor");
  if (!both[1].ptr || !import_axis(c, append->axis, import_shape(c, both[0]).rank, &axis)) return false;
  out->tensor = tcc_build_concat(&c->b, both, 2, axis);
  return out->tensor.ptr != NULL;
}

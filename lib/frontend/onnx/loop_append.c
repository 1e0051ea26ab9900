/* loop_append.c - loops that append a tensor or an element of a sequence in each iteration.
 *
 * torch.jit's loops over lists come like this: a value of a size that changes, or a sequence, goes through the body, and a Concat or
 * SequenceInsert puts the iteration's row behind it, perhaps behind a Cast to the type that it has. As long as nothing else in the body reads it, the rows are a scan output. */
#include "lib/frontend/onnx/loop_append.h"
#include "lib/frontend/onnx/ops_sequence.h"

/* Counts how often each name is read, in subgraphs, too. Names are defined once, in a graph and in what stands in it. */
static void count_read(TccMap *names, TccStr name) {
  bool is_new;
  tcc_map_put(names, name, &is_new)->integer++;
}

static void count_reads(TccMap *names, const TccOnnxGraph *graph) {
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

/* What a body's nodes make, and how often it is read. */
typedef struct {
  const TccOnnxGraph *body;
  TccMap *made;  /* name -> 1 + the node */
  TccMap *reads; /* name -> times */
} Uses;

/* The node that makes a value which nobody reads but once; SIZE_MAX: there is none. */
static size_t maker_of(const Uses *uses, TccStr name) {
  const TccMapEntry *made = tcc_map_find(uses->made, name), *reads = tcc_map_find(uses->reads, name);
  return made && reads && reads->integer == 1 ? (size_t)made->integer - 1 : SIZE_MAX;
}

static bool is_cast(const TccOnnxNode *node) {
  return !node->domain.length && node->input.count == 1 && node->output.count == 1 &&
         (tcc_str_is(node->op_type, "Cast") || tcc_str_is(node->op_type, "Identity"));
}

/* The nodes from the body's output back to its input, all of which do nothing but append to it. */
static OnnxAppend find_append(const Uses *uses, TccStr before, TccStr after) {
  const OnnxAppend none = {.node = SIZE_MAX};
  OnnxAppend append = {.node = maker_of(uses, after)};
  if (append.node == SIZE_MAX || !is_append(&uses->body->node.data[append.node], &append)) return none;
  TccStr name = uses->body->node.data[append.node].input.data[0];
  for (size_t at, behind = append.node; !tcc_str_equal(name, before); behind = at, append.casts++) {
    at = maker_of(uses, name);
    if (at >= behind || !is_cast(&uses->body->node.data[at])) return none;
    name = uses->body->node.data[at].input.data[0];
  }
  const TccMapEntry *reads = tcc_map_find(uses->reads, before);
  return reads && reads->integer == 1 ? append : none;
}

const OnnxAppend *onnx_appends(ImportCall *c, const TccOnnxGraph *body, size_t carried) {
  OnnxAppend *appends = TCC_NEW_ARRAY(import_arena(c), OnnxAppend, carried + 1);
  Uses uses = {body, tcc_map_create(import_arena(c)), tcc_map_create(import_arena(c))};
  bool any = false, is_new;
  count_reads(uses.reads, body);
  for (size_t n = 0; n < body->node.count; n++)
    for (size_t i = 0; i < body->node.data[n].output.count; i++)
      tcc_map_put(uses.made, body->node.data[n].output.data[i], &is_new)->integer = (int64_t)n + 1;
  for (size_t k = 0; k < carried; k++) {
    appends[k] = find_append(&uses, body->input.data[2 + k].name, body->output.data[1 + k].name);
    any = any || appends[k].node != SIZE_MAX;
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
    made->output.data[1 + k].name = appends[k].row;
    leaves[appends[k].node] = true;
    TccStr name = body->node.data[appends[k].node].input.data[0];
    for (size_t n = appends[k].node, casts = appends[k].casts; casts;) { /* they stand in front of it, in their order */
      const TccOnnxNode *node = &body->node.data[--n];
      if (node->output.count != 1 || !tcc_str_equal(node->output.data[0], name)) continue;
      leaves[n] = true, casts--;
      name = node->input.data[0];
    }
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

/* tcc-onnx-print.c - test tool: what the ONNX reader made of files, field by field, with digests in the place of data.
 *
 *   tcc-onnx-print [--tensor] FILE...       --tensor: each file is one TensorProto
 *
 * The output is compared with what protobuf's Python makes of the same files. A file that is refused prints one error to
 * stderr; the exit status is then 1. */
#include "tcc/digest.h"
#include "tcc/onnx.h"
#include <inttypes.h>
#include <stdio.h>

static TccSources *files;
static TccArena *arena;
static TccStatus *data_status; /* first tensor whose data was refused */

static void print_name(const char *key, TccStr value) {
  if (value.length) printf(" %s=%.*s", key, TCC_STR_ARG(value));
}

static void print_names(const char *key, const TccOnnxStrings *values) {
  printf(" %s=", key);
  for (size_t i = 0; i < values->count; i++) printf("%s%.*s", i ? "," : "", TCC_STR_ARG(values->data[i]));
}

static void print_ints(const char *key, const TccOnnxInts *values) {
  printf(" %s=", key);
  for (size_t i = 0; i < values->count; i++) printf("%s%" PRId64, i ? "," : "", values->data[i]);
}

static void print_digest(const void *data, size_t length) {
  char hex[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_hex(data, length, hex);
  printf(" %.16s", hex);
}

static void print_float(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  printf(" %08" PRIx32, bits);
}

static void print_tensor(const TccOnnxTensor *tensor) {
  printf("tensor");
  print_name("name", tensor->name);
  printf(" type=%" PRId64, tensor->data_type);
  print_ints("dims", &tensor->dims);
  if (tensor->data == TCC_ONNX_DATA_STRINGS) {
    for (size_t i = 0; i < tensor->string_data.count; i++)
      print_digest(tensor->string_data.data[i].data, tensor->string_data.data[i].length);
  } else if (tensor->elem) {
    TccSourcePlace place;
    TccStatus *status = tcc_onnx_locate(files, arena, tensor, &place);
    if (!status) print_digest(tcc_sources_take(files, tensor->name, tensor->elem, &place), tensor->bytes);
    else if (!data_status) data_status = status;
    else tcc_status_destroy(status);
  }
  putchar('\n');
}

static void print_sparse(const TccOnnxSparse *sparse) {
  printf("sparse");
  print_ints("dims", &sparse->dims);
  putchar('\n');
  print_tensor(sparse->values);
  print_tensor(sparse->indices);
}

static void print_type(const TccOnnxType *type) {
  const TccOnnxTensorType *tensor = NULL;
  if (!type) printf(" untyped");
  else if (type->sequence_type) printf(" sequence"), print_type(type->sequence_type->elem_type);
  else if (type->optional_type) printf(" optional"), print_type(type->optional_type->elem_type);
  else if (type->tensor_type) printf(" dense"), tensor = type->tensor_type;
  else if (type->sparse_tensor_type) printf(" sparse"), tensor = type->sparse_tensor_type;
  else printf(" open");
  if (!tensor) return;
  printf(" %" PRId64, tensor->elem_type);
  if (!tensor->shape) return;
  putchar('[');
  for (size_t i = 0; i < tensor->shape->dim.count; i++) {
    const TccOnnxDim *dim = &tensor->shape->dim.data[i];
    if (i) putchar(',');
    if (dim->kind == TCC_ONNX_DIM_VALUE) printf("%" PRId64, dim->dim_value);
    else if (dim->kind == TCC_ONNX_DIM_PARAM) printf("%.*s", TCC_STR_ARG(dim->dim_param));
    else putchar('?');
  }
  putchar(']');
}

static void print_values(const char *what, const TccOnnxValueInfos *values) {
  for (size_t i = 0; i < values->count; i++) {
    printf("%s %.*s", what, TCC_STR_ARG(values->data[i].name));
    print_type(values->data[i].type);
    putchar('\n');
  }
}

static void print_graph(const TccOnnxGraph *graph);

static void print_attribute(const TccOnnxAttribute *a) {
  printf("attribute %.*s type=%" PRId64, TCC_STR_ARG(a->name), a->type);
  print_name("ref", a->ref_attr_name);
  if (a->type == TCC_ONNX_FLOAT) print_float(a->f);
  if (a->type == TCC_ONNX_INT) printf(" %" PRId64, a->i);
  if (a->type == TCC_ONNX_STR) print_digest(a->s.data, a->s.length);
  for (size_t i = 0; i < a->floats.count; i++) print_float(a->floats.data[i]);
  if (a->ints.count) print_ints("ints", &a->ints);
  for (size_t i = 0; i < a->strings.count; i++) print_digest(a->strings.data[i].data, a->strings.data[i].length);
  if (a->tp) print_type(a->tp);
  for (size_t i = 0; i < a->type_protos.count; i++) print_type(&a->type_protos.data[i]);
  putchar('\n');
  if (a->t) print_tensor(a->t);
  if (a->g) print_graph(a->g);
  if (a->sparse_tensor) print_sparse(a->sparse_tensor);
  for (size_t i = 0; i < a->tensors.count; i++) print_tensor(&a->tensors.data[i]);
  for (size_t i = 0; i < a->graphs.count; i++) print_graph(&a->graphs.data[i]);
  for (size_t i = 0; i < a->sparse_tensors.count; i++) print_sparse(&a->sparse_tensors.data[i]);
}

static void print_nodes(const TccOnnxNodes *nodes) {
  for (size_t i = 0; i < nodes->count; i++) {
    const TccOnnxNode *node = &nodes->data[i];
    printf("node %.*s", TCC_STR_ARG(node->op_type));
    print_name("name", node->name);
    print_name("domain", node->domain);
    print_name("overload", node->overload);
    print_names("in", &node->input);
    print_names("out", &node->output);
    putchar('\n');
    for (size_t k = 0; k < node->attribute.count; k++) print_attribute(&node->attribute.data[k]);
  }
}

static void print_graph(const TccOnnxGraph *graph) {
  printf("graph %.*s\n", TCC_STR_ARG(graph->name));
  print_values("input", &graph->input);
  print_values("output", &graph->output);
  print_values("value", &graph->value_info);
  for (size_t i = 0; i < graph->initializer.count; i++) print_tensor(&graph->initializer.data[i]);
  for (size_t i = 0; i < graph->sparse_initializer.count; i++) print_sparse(&graph->sparse_initializer.data[i]);
  print_nodes(&graph->node);
  printf("end\n");
}

static void print_opsets(const TccOnnxOpsets *opsets) {
  for (size_t i = 0; i < opsets->count; i++)
    printf("opset %.*s %" PRId64 "\n", TCC_STR_ARG(opsets->data[i].domain), opsets->data[i].version);
}

static void print_model(const TccOnnxModel *model) {
  printf("model %" PRId64 " %" PRId64, model->ir_version, model->model_version);
  print_name("producer", model->producer_name);
  print_name("version", model->producer_version);
  print_name("domain", model->domain);
  putchar('\n');
  print_opsets(&model->opset_import);
  print_graph(model->graph);
  for (size_t i = 0; i < model->functions.count; i++) {
    const TccOnnxFunction *f = &model->functions.data[i];
    printf("function %.*s", TCC_STR_ARG(f->name));
    print_name("domain", f->domain);
    print_name("overload", f->overload);
    print_names("in", &f->input);
    print_names("out", &f->output);
    print_names("attributes", &f->attribute);
    putchar('\n');
    print_opsets(&f->opset_import);
    print_values("value", &f->value_info);
    for (size_t k = 0; k < f->attribute_proto.count; k++) print_attribute(&f->attribute_proto.data[k]);
    print_nodes(&f->node);
  }
}

static void put_field(TccText *out, unsigned field, const void *data, size_t length) {
  char bytes[12] = {(char)(field << 3 | 2)};
  size_t count = 1;
  for (size_t rest = length; count == 1 || rest; rest >>= 7) bytes[count++] = (char)((rest & 127) | (rest > 127 ? 128 : 0));
  tcc_text_put(out, bytes, count);
  tcc_text_put(out, data, length);
}

/* The model whose only node is a Constant of the tensor, which needs no name there. */
static void put_model(TccText *out, const TccFileMap *tensor) {
  TccText attribute = {0}, node = {0}, graph = {0};
  put_field(&attribute, 1, "value", 5);
  put_field(&attribute, 5, tensor->length ? tensor->data : "", tensor->length);
  tcc_text_put(&attribute, "\xa0\x01\x04", 3); /* type: a tensor */
  put_field(&node, 4, "Constant", 8);
  put_field(&node, 5, attribute.data, attribute.length);
  put_field(&graph, 1, node.data, node.length);
  tcc_text_put(out, "\x08\x08", 2); /* ir_version */
  put_field(out, 7, graph.data, graph.length);
  tcc_text_destroy(&attribute), tcc_text_destroy(&node), tcc_text_destroy(&graph);
}

static TccStatus *print_file(const char *path, bool one_tensor) {
  TCC_TRY(tcc_sources_open(path, NULL, &files));
  const TccFileMap *map = tcc_sources_file(files, 0);
  TccOnnxModel *model;
  TccText whole = {0};
  if (one_tensor) put_model(&whole, map);
  TccStatus *status =
      one_tensor ? tcc_onnx_read(arena, whole.data, whole.length, &model) : tcc_onnx_read(arena, map->data, map->length, &model);
  if (!status) {
    if (one_tensor) print_tensor(model->graph->node.data[0].attribute.data[0].t);
    else print_model(model);
    status = data_status;
    data_status = NULL;
  }
  tcc_sources_close(files);
  tcc_text_destroy(&whole);
  return status;
}

int main(int argc, char **argv) {
  int first = argc > 1 && strcmp(argv[1], "--tensor") == 0 ? 2 : 1, result = 0;
  arena = tcc_arena_create();
  for (int i = first; i < argc; i++) {
    if (argc > first + 1) printf("file %s\n", argv[i]);
    TccStatus *status = print_file(argv[i], first == 2);
    if (status) {
      fprintf(stderr, "%s: error: %s\n", argv[i], tcc_status_message(status));
      result = 1;
    }
    tcc_status_destroy(status);
    tcc_arena_reset(arena);
  }
  tcc_arena_destroy(arena);
  return result;
}

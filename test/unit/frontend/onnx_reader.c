/* The ONNX reader on hand-made bytes: protobuf's rules, limits, and what an error says. */
#include "tcc/onnx.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static int failures;
static TccArena *arena;

static const TccOnnxAttribute *attribute_of(const TccOnnxNode *node, const char *name) {
  for (size_t i = 0; i < node->attribute.count; i++)
    if (tcc_str_is(node->attribute.data[i].name, name)) return &node->attribute.data[i];
  return NULL;
}

static void expect(bool ok, const char *what) {
  if (!ok) printf("failed: %s\n", what), failures++;
}

/* ---- writing protobuf ---- */
static void put_varint(TccText *out, uint64_t value) {
  for (;; value >>= 7) {
    char byte = (char)(value > 127 ? (value & 127) | 128 : value);
    tcc_text_put(out, &byte, 1);
    if (value < 128) return;
  }
}
static void put_number(TccText *out, unsigned field, uint64_t value) {
  put_varint(out, field << 3);
  put_varint(out, value);
}
static void put_bytes(TccText *out, unsigned field, const void *data, size_t length) {
  put_varint(out, field << 3 | 2);
  put_varint(out, length);
  tcc_text_put(out, data, length);
}
static void put_string(TccText *out, unsigned field, const char *text) { put_bytes(out, field, text, strlen(text)); }
static void put_message(TccText *out, unsigned field, TccText *message) {
  put_bytes(out, field, message->length ? message->data : "", message->length);
  tcc_text_destroy(message);
}

/* ---- reading ---- */
static TccOnnxModel *read_model(TccText *bytes) {
  TccOnnxModel *model = NULL;
  TccStatus *status = tcc_onnx_read(arena, bytes->data, bytes->length, &model);
  if (status) printf("refused: %s\n", tcc_status_message(status)), failures++;
  tcc_status_destroy(status);
  return model; /* names point into bytes */
}

static void refuse_model(TccText *bytes, const char *message) {
  TccOnnxModel *model;
  TccStatus *status = tcc_onnx_read(arena, bytes->length ? bytes->data : "", bytes->length, &model);
  if (!status || model || !strstr(tcc_status_message(status), message))
    printf("got '%s', want '%s'\n", status ? tcc_status_message(status) : "no error", message), failures++;
  tcc_status_destroy(status);
  tcc_text_destroy(bytes);
}

static void wrap_graph(TccText *model, TccText *graph) {
  put_number(model, 1, 8);
  put_message(model, 7, graph);
}

/* The data of a tensor, as the constant of a model. Takes the text; *model is the caller's, and data may point into it. */
static TccStatus *read_tensor(TccText *tensor, TccText *model, const void **data) {
  TccText attribute = {0}, node = {0}, graph = {0};
  TccOnnxModel *read;
  put_string(&attribute, 1, "value");
  put_number(&attribute, 20, TCC_ONNX_TENSOR);
  put_message(&attribute, 5, tensor);
  put_string(&node, 4, "Constant");
  put_message(&node, 5, &attribute);
  put_message(&graph, 1, &node);
  wrap_graph(model, &graph);
  TCC_TRY(tcc_onnx_read(arena, model->data, model->length, &read));
  return tcc_onnx_tensor_data(arena, read->graph->node.data[0].attribute.data[0].t, data);
}

static void refuse_tensor(TccText *bytes, const char *message) {
  TccText model = {0};
  const void *data;
  TccStatus *status = read_tensor(bytes, &model, &data);
  if (!status || !strstr(tcc_status_message(status), message))
    printf("got '%s', want '%s'\n", status ? tcc_status_message(status) : "no error", message), failures++;
  tcc_status_destroy(status);
  tcc_text_destroy(&model);
}

/* The last of repeated scalars wins, submessages merge, numbers may be packed or not, unknown fields are skipped. */
static void protobuf_rules(void) {
  TccText node = {0}, attribute = {0}, graph = {0}, more = {0}, model = {0}, tensor = {0}, tensor_more = {0};
  put_string(&attribute, 1, "axes");
  put_number(&attribute, 20, TCC_ONNX_INTS);
  put_number(&attribute, 8, 7);
  put_bytes(&attribute, 8, "\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11); /* 1, -1 */
  put_number(&attribute, 8, (uint64_t)-3);
  TccText none = {0};
  put_string(&none, 1, "none"); /* an empty list, packed */
  put_string(&none, 7, "");
  put_message(&node, 5, &none);
  put_string(&node, 4, "Add");
  put_string(&node, 4, "Sub");
  put_string(&node, 99, "unknown");
  put_number(&node, 31, 5);
  put_message(&node, 5, &attribute);
  put_message(&graph, 1, &node);
  put_string(&graph, 2, "first");
  put_string(&more, 2, "second");
  put_string(&tensor, 8, "w");
  put_number(&tensor, 2, 1);
  put_number(&tensor, 1, 3);
  put_bytes(&tensor, 4, "\0\0\x80?", 4); /* 1.0 */
  put_varint(&tensor, 4 << 3 | 5);       /* 2.0, not packed */
  tcc_text_put(&tensor, "\0\0\0@", 4);
  put_bytes(&tensor, 4, "\0\0@@", 4); /* 3.0 */
  put_message(&more, 5, &tensor);
  put_number(&model, 1, 8);
  put_message(&model, 7, &graph);
  put_message(&model, 7, &more);
  TccOnnxModel *m = read_model(&model);
  if (!m) return;
  expect(tcc_str_is(m->graph->name, "second") && m->graph->node.count == 1 && m->graph->initializer.count == 1, "merged graph");
  const TccOnnxNode *n = &m->graph->node.data[0];
  expect(tcc_str_is(n->op_type, "Sub"), "the last op_type");
  const TccOnnxAttribute *a = attribute_of(n, "axes");
  expect(a && a->ints.count == 4 && a->ints.data[0] == 7 && a->ints.data[1] == 1 && a->ints.data[2] == -1 && a->ints.data[3] == -3,
         "packed and unpacked");
  expect(!attribute_of(n, "axe"), "no such attribute");
  a = attribute_of(n, "none");
  expect(a && a->type == TCC_ONNX_FLOATS && a->floats.count == 0, "an empty list");
  const void *data;
  expect(!tcc_onnx_tensor_data(arena, &m->graph->initializer.data[0], &data) && ((const float *)data)[0] == 1 &&
             ((const float *)data)[1] == 2 && ((const float *)data)[2] == 3,
         "a tensor in three pieces");
  tcc_text_destroy(&model);

  /* a tensor attribute in two pieces: type in one, data in the other */
  TccText merged = {0};
  put_number(&tensor, 2, 7);
  put_bytes(&tensor_more, 7, "\x05", 1);
  put_string(&attribute, 1, "value");
  put_message(&attribute, 5, &tensor);
  put_message(&attribute, 5, &tensor_more);
  put_string(&node, 4, "Constant");
  put_message(&node, 5, &attribute);
  put_message(&graph, 1, &node);
  wrap_graph(&merged, &graph);
  m = read_model(&merged);
  if (!m) return;
  a = attribute_of(&m->graph->node.data[0], "value");
  expect(a && a->type == TCC_ONNX_TENSOR && !tcc_onnx_tensor_data(arena, a->t, &data) && *(const int64_t *)data == 5,
         "a merged tensor, and the type worked out");
  tcc_text_destroy(&merged);
}

/* Submessages below the model: graph, node, attribute, graph, ... */
static void depth_case(int levels, bool fine) {
  TccText inner = {0}, model = {0};
  for (int level = levels; level > 1; level--) {
    TccText outer = {0};
    int kind = level % 3;                       /* of what is around: 2 node in graph, 0 attribute in node, 1 graph in attribute */
    if (kind == 0) put_string(&inner, 1, "g");  /* inner is an attribute */
    if (kind == 2) put_string(&inner, 4, "If"); /* inner is a node */
    put_message(&outer, kind == 0 ? 5 : kind == 1 ? 6 : 1, &inner);
    inner = outer;
  }
  wrap_graph(&model, &inner);
  TccOnnxModel *m;
  TccStatus *status = tcc_onnx_read(arena, model.data, model.length, &m);
  if (fine ? status != NULL : !status || !strstr(tcc_status_message(status), "nested more than 100 deep"))
    printf("%d levels: %s\n", levels, status ? tcc_status_message(status) : "taken"), failures++;
  tcc_status_destroy(status);
  tcc_text_destroy(&model);
}

static TccText scalar(int data_type) {
  TccText tensor = {0};
  put_number(&tensor, 2, (uint64_t)data_type);
  return tensor;
}

static void tensors(void) {
  TccText t = scalar(1);
  put_bytes(&t, 9, "\0\0\x80?", 4);
  put_bytes(&t, 4, "\0\0\x80?", 4);
  refuse_tensor(&t, "holds its data in 2 ways");
  t = scalar(1), put_bytes(&t, 9, "\0\0", 2), refuse_tensor(&t, "raw_data has 2 bytes, dims ask for 4");
  t = scalar(1), put_number(&t, 5, 1), refuse_tensor(&t, "not in the field for data_type 1");
  t = scalar(1), refuse_tensor(&t, "holds no data");
  t = scalar(2), put_number(&t, 5, 300), refuse_tensor(&t, "300, is not a value of ui8");
  t = scalar(3), put_number(&t, 5, 128), refuse_tensor(&t, "is not a value of i8");
  t = scalar(7), put_bytes(&t, 7, "\x80", 1), refuse_tensor(&t, "cut off");
  t = scalar(7), put_bytes(&t, 7, "\x01\x02", 2), refuse_tensor(&t, "holds more numbers than its dims ask for (1)");
  t = scalar(7), put_number(&t, 1, (uint64_t)-1), refuse_tensor(&t, "dims[0] is -1");
  t = scalar(7), put_number(&t, 1, 1ull << 32), put_number(&t, 1, 1ull << 31), refuse_tensor(&t, "product of dims");
  t = scalar(7), put_number(&t, 1, 1ull << 40), put_number(&t, 7, 1), refuse_tensor(&t, "holds fewer numbers");
  t = scalar(8), put_bytes(&t, 9, "a", 1), refuse_tensor(&t, "raw_data in a tensor of strings");
  t = scalar(0), refuse_tensor(&t, "no data_type");
  t = scalar(14), put_bytes(&t, 4, "\0\0\0\0\0\0\0\0", 8), refuse_tensor(&t, "data_type 14");
  t = scalar(1), put_string(&t, 3, ""), refuse_tensor(&t, "segments");
  TccText model = {0};
  const void *data;
  t = scalar(9);
  put_number(&t, 1, 3);
  put_bytes(&t, 9, "\0\x01\x02", 3);
  expect(!read_tensor(&t, &model, &data) && !memcmp(data, "\0\1\1", 3), "bool is 0 or 1");
  tcc_text_destroy(&model);
  t = scalar(22);
  put_number(&t, 1, 3);
  put_bytes(&t, 5, "\x21\x03", 2);
  expect(!read_tensor(&t, &model, &data) && !memcmp(data, "\x21\x03", 2), "packed int4");
  tcc_text_destroy(&model);
}

static void external(const char *key, const char *value, const char *message) {
  TccText t = scalar(1), entry = {0}, location = {0};
  put_string(&location, 1, "location");
  put_string(&location, 2, "w");
  put_message(&t, 13, &location);
  put_string(&entry, 1, key);
  put_string(&entry, 2, value);
  put_message(&t, 13, &entry);
  put_number(&t, 14, 1);
  refuse_tensor(&t, message);
}

/* One graph with one message in it that is wrong. */
static void graph_case(unsigned field, TccText *message, const char *want) {
  TccText graph = {0}, model = {0};
  put_message(&graph, field, message);
  wrap_graph(&model, &graph);
  refuse_model(&model, want);
}

static void errors(void) {
  TccText b = {0}, inner = {0};
  refuse_model(&b, "there is no graph");
  put_message(&b, 7, &inner), refuse_model(&b, "no ir_version");
  tcc_text_put(&b, "\x3a\x7f", 2), refuse_model(&b, "at byte 0: a field is longer than what it is in");
  tcc_text_put(&b, "\x3b", 1), refuse_model(&b, "proto3 has not");
  tcc_text_put(&b, "\x00\x01", 2), refuse_model(&b, "impossible number");
  tcc_text_put(&b, "\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12), refuse_model(&b, "cut off or too long");
  put_string(&b, 1, "8"), refuse_model(&b, "ir_version at byte 0: the field has the wrong wire type");
  graph_case(1, &inner, "graph.node[0] at byte 6: the node has no op_type");
  put_bytes(&inner, 4, "A\0b", 3), graph_case(1, &inner, "graph.node[0].op_type at byte 8: a name contains a NUL");
  put_number(&inner, 2, 1), put_number(&inner, 4, 0),
      graph_case(5, &inner, "graph.initializer[0].float_data at byte 8: the field has the wrong wire type");
  graph_case(11, &inner, "graph.input[0] at byte 6: the value has no name");
  TccText attribute = {0};
  put_string(&attribute, 1, "a"), put_number(&attribute, 3, 1), put_string(&attribute, 4, "s");
  put_string(&inner, 4, "X"), put_message(&inner, 5, &attribute),
      graph_case(1, &inner, "graph.node[0].attribute[0] at byte 11: attribute 'a' holds two values");
  put_string(&attribute, 1, "a"), put_number(&attribute, 3, 1), put_number(&attribute, 20, 1);
  put_string(&inner, 4, "X"), put_message(&inner, 5, &attribute), graph_case(1, &inner, "is of type FLOAT and holds a INT");
}

int main(void) {
  arena = tcc_arena_create();
  protobuf_rules();
  depth_case(100, true);
  depth_case(101, false);
  depth_case(3000, false);
  tensors();
  external("offset", "-1", "is not a number >= 0");
  external("offset", "18446744073709551616", "is not a number >= 0");
  external("length", "5", "has 5 bytes, dims ask for 4");
  external("length", "", "is not a number >= 0");
  external("__class__", "x", "unknown key '__class__'");
  external("location", "v", "given twice");
  errors();
  tcc_arena_destroy(arena);
  return failures != 0;
}

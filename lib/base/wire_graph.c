/* wire_graph.c - what a ModelProto says besides the numbers of its large tensors (tcc_wire_graph).
 *
 * This is no reader of models: it knows under which field numbers of onnx.proto3 tensors lie in messages, and steps over lengths.
 * What it does not understand is kept as it is, so that the text differs wherever two files differ in anything but such numbers. */
#include "tcc/wire.h"

typedef enum { MODEL, FUNCTION, GRAPH, NODE, ATTRIBUTE, TENSOR, NUMBERS, OTHER } Message;
static const struct {
  Message in;
  uint32_t field;
  Message is;
} fields[] = {
    {MODEL, 7, GRAPH},    {MODEL, 25, FUNCTION}, {FUNCTION, 7, NODE},    {GRAPH, 1, NODE},
    {GRAPH, 5, TENSOR},   {NODE, 5, ATTRIBUTE},  {ATTRIBUTE, 5, TENSOR}, {ATTRIBUTE, 6, GRAPH},
    {TENSOR, 4, NUMBERS}, {TENSOR, 9, NUMBERS},  {TENSOR, 10, NUMBERS},
};
enum { MOST_DEPTH = 100 }; /* as the reader of models has it */

static Message message_of(Message in, const TccWireField *field) {
  if (field->type != TCC_WIRE_BYTES || field->bytes.length < TCC_WIRE_LARGE) return OTHER;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
    if (fields[i].in == in && fields[i].field == field->number) return fields[i].is;
  return OTHER;
}

/* Bytes that are kept are put in runs: from `kept` to where something is left out. */
typedef struct {
  const char *kept;
  TccText *out;
} Walk;

static void keep_until(Walk *walk, const char *end) { tcc_text_put(walk->out, walk->kept, (size_t)(end - walk->kept)); }

static void walk_message(Walk *walk, Message message, TccStr bytes, int depth) {
  TccWire wire = tcc_wire(bytes);
  while (wire.at < wire.end) {
    TccWireField field;
    if (tcc_wire_next(&wire, &field)) return; /* the rest is kept */
    Message is = message_of(message, &field);
    if (is == NUMBERS) {
      keep_until(walk, field.bytes.data);
      walk->kept = field.bytes.data + field.bytes.length;
    } else if (is != OTHER && depth < MOST_DEPTH) {
      walk_message(walk, is, field.bytes, depth + 1);
    }
  }
}

void tcc_wire_graph(TccStr model, TccText *out) {
  Walk walk = {model.data, out};
  if (!model.length) return;
  walk_message(&walk, MODEL, model, 0);
  keep_until(&walk, model.data + model.length);
}

TccStatus *tcc_wire_digest(const char *name, TccStr model, uint8_t out[TCC_DIGEST_BYTES]) {
  if (!tcc_wire_is_model(name)) return tcc_digest_tree(model.data, model.length, out);
  TccText graph = {0};
  if (tcc_wire_is_archive(name)) tcc_wire_archive(model, &graph);
  else tcc_wire_graph(model, &graph);
  TccStatus *status = tcc_text_status(&graph);
  if (!status) status = tcc_digest_tree(graph.data, graph.length, out);
  tcc_text_destroy(&graph);
  return status;
}

/* graph.c - the JSON of an ExportedProgram into the structs of tcc/torch_graph.h, in one walk over the text.
 *
 * The order of fields is free, so what needs two of them (the signature and the graph's inputs) is compared at the end. Nested graphs
 * of higher-order ops are read by the same functions; json.h bounds the depth, and with it this recursion. */
#include "lib/frontend/torch/graph_internal.h"

static const TccTorchNamedArg *read_named_args(TccTorchReader *reader, size_t *out_count) {
  static const TccStr names[] = {TCC_TORCH_FIELD("name"), TCC_TORCH_FIELD("arg"), TCC_TORCH_FIELD("kind")};
  TccJson *json = &reader->json;
  size_t mark = tcc_torch_mark(reader);
  for (tcc_json_array(json); tcc_json_element(json);) {
    TccTorchNamedArg named = {0};
    unsigned seen = 0;
    int64_t kind = 1;
    tcc_json_object(json);
    for (int field; (field = tcc_torch_field(reader, names, 3, &seen)) >= 0;) {
      if (field == 0) tcc_json_string(json, &named.name);
      else if (field == 1) tcc_torch_read_arg(reader, &named.arg);
      else if (!tcc_json_null(json)) tcc_json_int(json, &kind);
    }
    tcc_torch_require(reader, names, seen, 3);
    named.by_name = kind == 2;
    tcc_torch_push(reader, &named, sizeof named);
  }
  return tcc_torch_pop(reader, mark, sizeof(TccTorchNamedArg), out_count);
}

static void read_metadata(TccTorchReader *reader, TccTorchNode *node) {
  static const TccStr names[] = {TCC_TORCH_FIELD("stack_trace"), TCC_TORCH_FIELD("nn_module_stack")};
  unsigned seen = 0;
  tcc_json_object(&reader->json);
  for (int field; (field = tcc_torch_field(reader, names, 2, &seen)) >= 0;)
    tcc_json_raw_string(&reader->json, field ? &node->module_stack : &node->stack_trace);
}

static void read_node(TccTorchReader *reader, TccTorchNode *node) {
  enum { TARGET, INPUTS, OUTPUTS, METADATA, SINGLE, NAME, COUNT };
  static const TccStr names[COUNT] = {TCC_TORCH_FIELD("target"),
                                      TCC_TORCH_FIELD("inputs"),
                                      TCC_TORCH_FIELD("outputs"),
                                      TCC_TORCH_FIELD("metadata"),
                                      TCC_TORCH_FIELD("is_hop_single_tensor_return"),
                                      TCC_TORCH_FIELD("name")};
  TccJson *json = &reader->json;
  unsigned seen = 0;
  tcc_json_peek(json);
  *node = (TccTorchNode){.at = (size_t)(json->at - json->first)};
  tcc_json_object(json);
  for (int field; (field = tcc_torch_field(reader, names, COUNT, &seen)) >= 0;) switch (field) {
    case TARGET: tcc_json_string(json, &node->target); break;
    case INPUTS: node->inputs = read_named_args(reader, &node->ninputs); break;
    case OUTPUTS: node->outputs = tcc_torch_read_args(reader, &node->noutputs); break;
    case METADATA: read_metadata(reader, node); break;
    case SINGLE:
      if (!tcc_json_null(json)) tcc_json_bool(json, &node->single_tensor);
      break;
    default:
      if (!tcc_json_null(json)) tcc_json_string(json, &node->name);
    }
  tcc_torch_require(reader, names, seen, 1 << TARGET | 1 << INPUTS | 1 << OUTPUTS);
}

static const TccTorchNode *read_nodes(TccTorchReader *reader, size_t *out_count) {
  size_t mark = tcc_torch_mark(reader);
  TccTorchNode node;
  for (tcc_json_array(&reader->json); tcc_json_element(&reader->json);) {
    read_node(reader, &node);
    tcc_torch_push(reader, &node, sizeof node);
  }
  return tcc_torch_pop(reader, mark, sizeof node, out_count);
}

/* name -> TensorMeta, SymInt, SymFloat, SymBool or CustomObjArgument */
static void read_values(TccTorchReader *reader, TccTorchValueKind kind, TccMap *values) {
  TccJson *json = &reader->json;
  TccStr name;
  for (tcc_json_object(json); tcc_json_key(json, &name);) {
    bool inserted;
    TccMapEntry *entry = tcc_map_put(values, name, &inserted);
    if (!inserted) tcc_json_fail(json, TCC_INVALID, "'%.*s' is declared twice", TCC_STR_ARG(name));
    TccTorchValue *value = TCC_NEW(reader->arena, TccTorchValue);
    entry->constant = value;
    value->kind = kind;
    if (kind == TCC_TORCH_VALUE_TENSOR) tcc_torch_read_meta(reader, &value->meta);
    else if (kind == TCC_TORCH_VALUE_OBJECT) tcc_json_skip(json);
    else tcc_torch_read_size(reader, &value->size);
  }
}

TccTorchGraph *tcc_torch_read_graph(TccTorchReader *reader) {
  enum { INPUTS, OUTPUTS, NODES, TENSORS, INTS, BOOLS, FLOATS, OBJECTS, SINGLE, COUNT };
  static const TccStr names[COUNT] = {
      TCC_TORCH_FIELD("inputs"),           TCC_TORCH_FIELD("outputs"),           TCC_TORCH_FIELD("nodes"),
      TCC_TORCH_FIELD("tensor_values"),    TCC_TORCH_FIELD("sym_int_values"),    TCC_TORCH_FIELD("sym_bool_values"),
      TCC_TORCH_FIELD("sym_float_values"), TCC_TORCH_FIELD("custom_obj_values"), TCC_TORCH_FIELD("is_single_tensor_return")};
  TccJson *json = &reader->json;
  TccTorchGraph *graph = TCC_NEW(reader->arena, TccTorchGraph);
  unsigned seen = 0;
  graph->values = tcc_map_create(reader->arena);
  tcc_json_object(json);
  for (int field; (field = tcc_torch_field(reader, names, COUNT, &seen)) >= 0;) switch (field) {
    case INPUTS: graph->inputs = tcc_torch_read_args(reader, &graph->ninputs); break;
    case OUTPUTS: graph->outputs = tcc_torch_read_args(reader, &graph->noutputs); break;
    case NODES: graph->nodes = read_nodes(reader, &graph->nnodes); break;
    case TENSORS: read_values(reader, TCC_TORCH_VALUE_TENSOR, graph->values); break;
    case INTS: read_values(reader, TCC_TORCH_VALUE_INT, graph->values); break;
    case BOOLS: read_values(reader, TCC_TORCH_VALUE_BOOL, graph->values); break;
    case FLOATS: read_values(reader, TCC_TORCH_VALUE_FLOAT, graph->values); break;
    case OBJECTS: read_values(reader, TCC_TORCH_VALUE_OBJECT, graph->values); break;
    default: tcc_json_bool(json, &graph->single_tensor);
    }
  tcc_torch_require(reader, names, seen, 1 << INPUTS | 1 << OUTPUTS | 1 << NODES | 1 << TENSORS);
  return graph;
}

const TccTorchValue *tcc_torch_value(const TccTorchGraph *graph, TccStr name) {
  const TccMapEntry *entry = tcc_map_find(graph->values, name);
  return entry ? entry->constant : NULL;
}

/* ---- the program ---- */
static void read_module(TccTorchReader *reader, TccTorchProgram *program) {
  static const TccStr names[] = {TCC_TORCH_FIELD("graph"), TCC_TORCH_FIELD("signature")};
  unsigned seen = 0;
  tcc_json_object(&reader->json);
  for (int field; (field = tcc_torch_field(reader, names, 2, &seen)) >= 0;) {
    if (field == 0) program->graph = tcc_torch_read_graph(reader);
    else tcc_torch_read_signature(reader, program);
  }
  tcc_torch_require(reader, names, seen, 3);
}

static void read_opsets(TccTorchReader *reader, int64_t *aten) {
  static const TccStr names[] = {TCC_TORCH_FIELD("aten")};
  unsigned seen = 0;
  tcc_json_object(&reader->json);
  while (tcc_torch_field(reader, names, 1, &seen) >= 0) tcc_json_int(&reader->json, aten);
}

static void read_ranges(TccTorchReader *reader, TccTorchProgram *program) {
  static const TccStr names[] = {TCC_TORCH_FIELD("min_val"), TCC_TORCH_FIELD("max_val")};
  TccJson *json = &reader->json;
  size_t mark = tcc_torch_mark(reader);
  TccTorchRange range = {0};
  for (tcc_json_object(json); tcc_json_key(json, &range.symbol);) {
    unsigned seen = 0;
    range.least = INT64_MIN, range.most = INT64_MAX;
    tcc_json_object(json);
    for (int field; (field = tcc_torch_field(reader, names, 2, &seen)) >= 0;)
      if (!tcc_json_null(json)) tcc_json_int(json, field ? &range.most : &range.least);
    tcc_torch_push(reader, &range, sizeof range);
  }
  program->ranges = tcc_torch_pop(reader, mark, sizeof range, &program->nranges);
}

static void read_guards(TccTorchReader *reader, TccTorchProgram *program) {
  TccJson *json = &reader->json;
  size_t mark = tcc_torch_mark(reader);
  TccStr guard;
  if (tcc_json_null(json)) return;
  for (tcc_json_array(json); tcc_json_element(json);) {
    tcc_json_string(json, &guard);
    tcc_torch_push(reader, &guard, sizeof guard);
  }
  program->guards = tcc_torch_pop(reader, mark, sizeof guard, &program->nguards);
}

static void read_version(TccTorchReader *reader, TccTorchProgram *program) {
  static const TccStr names[] = {TCC_TORCH_FIELD("major"), TCC_TORCH_FIELD("minor")};
  unsigned seen = 0;
  tcc_json_object(&reader->json);
  for (int field; (field = tcc_torch_field(reader, names, 2, &seen)) >= 0;)
    tcc_json_int(&reader->json, field ? &program->minor : &program->major);
  tcc_torch_require(reader, names, seen, 3);
  if (program->major != TCC_TORCH_MAJOR)
    tcc_json_fail(&reader->json, TCC_UNSUPPORTED, "schema version %lld.%lld; tcc reads %d", (long long)program->major,
                  (long long)program->minor, TCC_TORCH_MAJOR);
}

/* Inputs (or outputs) of the graph and their specifications go by place, so they must be the same ones. */
static void check_signature(TccTorchReader *reader, const char *what, const TccTorchArg *args, size_t count,
                            const TccTorchArg *specs, size_t stride, size_t nspecs) {
  if (count != nspecs) {
    tcc_json_fail(&reader->json, TCC_INVALID, "the graph has %zu %ss, and its signature %zu", count, what, nspecs);
    return;
  }
  for (size_t i = 0; i < count; i++) {
    const TccTorchArg *a = &args[i], *b = (const TccTorchArg *)(const void *)((const char *)specs + i * stride);
    if (a->kind == TCC_TORCH_TENSOR && b->kind == TCC_TORCH_TENSOR && !tcc_str_equal(a->text, b->text))
      tcc_json_fail(&reader->json, TCC_INVALID, "%s %zu is '%.*s' in the graph, and '%.*s' in its signature", what, i,
                    TCC_STR_ARG(a->text), TCC_STR_ARG(b->text));
  }
}

static void read_program(TccTorchReader *reader, TccTorchProgram *program) {
  enum { MODULE, OPSETS, RANGES, VERSION, TORCH, GUARDS, COUNT };
  static const TccStr names[COUNT] = {TCC_TORCH_FIELD("graph_module"),      TCC_TORCH_FIELD("opset_version"),
                                      TCC_TORCH_FIELD("range_constraints"), TCC_TORCH_FIELD("schema_version"),
                                      TCC_TORCH_FIELD("torch_version"),     TCC_TORCH_FIELD("guards_code")};
  TccJson *json = &reader->json;
  unsigned seen = 0;
  program->aten = -1;
  tcc_json_object(json);
  for (int field; (field = tcc_torch_field(reader, names, COUNT, &seen)) >= 0;) switch (field) {
    case MODULE: read_module(reader, program); break;
    case OPSETS: read_opsets(reader, &program->aten); break;
    case RANGES: read_ranges(reader, program); break;
    case VERSION: read_version(reader, program); break;
    case TORCH: tcc_json_string(json, &program->torch_version); break;
    default: read_guards(reader, program);
    }
  if (!tcc_torch_require(reader, names, seen, 1 << MODULE | 1 << VERSION)) return;
  if (json->status) return;
  const TccTorchGraph *graph = program->graph;
  check_signature(reader, "input", graph->inputs, graph->ninputs, program->inputs ? &program->inputs->arg : NULL,
                  sizeof(TccTorchInput), program->ninputs);
  check_signature(reader, "output", graph->outputs, graph->noutputs, program->outputs ? &program->outputs->arg : NULL,
                  sizeof(TccTorchOutput), program->noutputs);
}

TccStatus *tcc_torch_graph_read(TccArena *arena, TccStr text, const char *name, TccTorchProgram **out) {
  enum { LONGEST = 256 << 20 };
  *out = NULL;
  if (text.length > LONGEST) return TCC_ERROR(TCC_UNSUPPORTED, "%s: more than %d MiB", name, LONGEST >> 20);
  TccTorchReader *reader = TCC_NEW(arena, TccTorchReader);
  TccTorchProgram *program = TCC_NEW(arena, TccTorchProgram);
  reader->arena = arena;
  reader->graphs = tcc_map_create(arena);
  tcc_json_start(&reader->json, arena, name, text);
  read_program(reader, program);
  tcc_text_destroy(&reader->stack);
  TCC_TRY(tcc_json_finish(&reader->json));
  *out = program;
  return NULL;
}

/* ---- places ---- */

/* Whether a file is of torch itself: a folder of its path is called torch. */
static bool is_torch(TccStr file) {
  static const char folder[] = "torch/";
  for (size_t i = 0; i + 6 <= file.length; i++)
    if ((!i || file.data[i - 1] == '/') && memcmp(file.data + i, folder, 6) == 0) return true;
  return false;
}

/* A line `  File "NAME", line N, in f` of a stack trace. */
static bool read_frame(TccStr line, TccStr *out_file, int64_t *out_line) {
  static const char start[] = "File \"", middle[] = "\", line ";
  while (line.length && line.data[0] == ' ') line.data++, line.length--;
  if (!tcc_str_starts(line, start)) return false;
  TccStr rest = {line.data + sizeof start - 1, line.length - (sizeof start - 1)};
  const char *end = memmem(rest.data, rest.length, middle, sizeof middle - 1);
  if (!end) return false;
  *out_file = (TccStr){rest.data, (size_t)(end - rest.data)};
  *out_line = 0;
  for (const char *at = end + sizeof middle - 1; at < line.data + line.length && *at >= '0' && *at <= '9' && *out_line < INT32_MAX;
       at++)
    *out_line = *out_line * 10 + (*at - '0');
  return true;
}

bool tcc_torch_node_place(TccArena *arena, const TccTorchNode *node, TccStr *out_file, int64_t *out_line) {
  TccStr trace = tcc_json_decode(arena, node->stack_trace), file;
  int64_t number;
  bool found = false, own = false;
  *out_file = (TccStr){0};
  *out_line = 0;
  while (trace.length) {
    const char *end = memchr(trace.data, '\n', trace.length);
    TccStr line = {trace.data, end ? (size_t)(end - trace.data) : trace.length};
    size_t step = line.length + (end != NULL);
    trace.data += step, trace.length -= step;
    if (!read_frame(line, &file, &number) || (own && is_torch(file))) continue;
    own = own || !is_torch(file);
    found = true;
    *out_file = file;
    *out_line = number;
  }
  return found;
}

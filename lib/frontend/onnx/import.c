/* import.c - an ONNX model's graph, walked by what lib/frontend/import has: arguments, nodes in file order (ONNX asks for a topological
 * one), results. */
#include "lib/frontend/onnx/import.h"
#include "lib/frontend/frontends.h"
#include "tcc/file.h"

static bool is_initialised(const TccMap *defaults, const TccOnnxValueInfo *info) {
  return tcc_map_find(defaults, info->name) != NULL;
}

/* What a type says of a tensor, of strings: of their bytes (text.h). named: its sizes' names are those of the model's, not of one tensor of a
 * list. */
static bool read_shape(Importer *run, TccStr name, const TccOnnxTensorType *type, bool named, ImportShape *out) {
  if (!type) return import_run_fail(run, true, "input '%.*s' is neither a tensor nor a list of tensors", TCC_STR_ARG(name));
  const bool text = named && type->elem_type == TCC_ONNX_STRING;
  if (!type->elem && !text)
    return import_run_fail(run, true, "input '%.*s' has element type %lld (%s)", TCC_STR_ARG(name), (long long)type->elem_type,
                           tcc_elem_onnx_name(type->elem_type));
  *out = (ImportShape){.elem = text ? TCC_ELEM_U8 : type->elem, .rank = -1};
  if (type->shape && type->shape->dim.count + text > TCC_MAX_RANK)
    return import_run_fail(run, true, "input '%.*s' has rank %zu", TCC_STR_ARG(name), type->shape->dim.count);
  if (type->shape) out->rank = (int)type->shape->dim.count;
  for (int i = 0; i < out->rank; i++) {
    const TccOnnxDim *dim = &type->shape->dim.data[i];
    if (dim->kind == TCC_ONNX_DIM_VALUE) out->dims[i] = tcc_expr_const(run->ir->exprs, dim->dim_value);
    else if (dim->kind == TCC_ONNX_DIM_PARAM && named) out->dims[i] = import_parse_size(run, dim->dim_param);
  }
  if (text && type->shape) out->rank++; /* a size of its own: bytes of a string */
  return true;
}

/* A sequence of tensors, an optional tensor or an optional sequence; an optional sequence without tensors is absent. */
static bool bind_list(Importer *run, TccStr name, const TccOnnxType *type, size_t number) {
  const bool optional = type->optional_type != NULL;
  const TccOnnxType *inner = optional ? type->optional_type->elem_type : type;
  const bool sequence = inner && inner->sequence_type;
  if (sequence) inner = inner->sequence_type->elem_type;
  ImportShape shape;
  ImportValue value = {.kind = sequence ? IMPORT_SEQUENCE : IMPORT_ABSENT, .is_meant = true};
  if (!import_list_length(run, name, number, &value.count)) return false;
  if (!sequence && value.count > 1)
    return import_run_fail(run, false, "input '%.*s' is an optional tensor, not %zu of them", TCC_STR_ARG(name), value.count);
  if (!read_shape(run, name, inner ? inner->tensor_type : NULL, !sequence, &shape)) return false;
  if (!sequence && value.count && !import_argument_value(run, name, &shape, &value)) return false;
  value.items = TCC_NEW_ARRAY(run->arena, ImportValue, value.count + 1);
  for (size_t i = 0; sequence && i < value.count; i++) {
    TccStr item = tcc_str(tcc_arena_printf(run->arena, "%.*s[%zu]", TCC_STR_ARG(name), i));
    if (!import_argument_value(run, item, &shape, &value.items[i])) return false;
  }
  if (optional && sequence && !value.count) value.kind = IMPORT_ABSENT;
  return import_bind_argument(run, &onnx_import_of(run)->scope->names, name, value);
}

/* A map of numbers is two vectors, NAME[keys] and NAME[values]; of strings a key has its bytes (text.h). */
static bool bind_map(Importer *run, TccStr name, const TccOnnxMapType *map) {
  const bool text = map->key_type == TCC_ONNX_STRING;
  const TccOnnxTensorType *type = map->value_type ? map->value_type->tensor_type : NULL;
  ImportShape keys = {.elem = text                                              ? TCC_ELEM_U8
                              : map->key_type > 0 && map->key_type <= INT32_MAX ? tcc_elem_from_onnx((int)map->key_type)
                                                                                : TCC_ELEM_NONE,
                      .rank = text ? 2 : 1},
              values = {.elem = type ? type->elem : TCC_ELEM_NONE, .rank = 1};
  ImportValue *items = TCC_NEW_ARRAY(run->arena, ImportValue, 2);
  for (size_t i = 0; type && type->shape && i < type->shape->dim.count; i++) /* skl2onnx gives a number the shape [1] */
    if (type->shape->dim.data[i].kind == TCC_ONNX_DIM_VALUE && type->shape->dim.data[i].dim_value != 1) values.elem = TCC_ELEM_NONE;
  if (!keys.elem || !values.elem || (!text && tcc_elem_is_float(keys.elem)))
    return import_run_fail(run, true, "input '%.*s' is a map, but not one of integers or strings to numbers", TCC_STR_ARG(name));
  if (!import_argument_value(run, tcc_str(tcc_arena_printf(run->arena, "%.*s[keys]", TCC_STR_ARG(name))), &keys, &items[0]))
    return false;
  if (text) items[0].kind = IMPORT_TEXT;
  values.dims[0] = tcc_type_dim(run->ir, tcc_value_type(items[0].tensor), 0);
  return import_argument_value(run, tcc_str(tcc_arena_printf(run->arena, "%.*s[values]", TCC_STR_ARG(name))), &values, &items[1]) &&
         import_bind_argument(run, &onnx_import_of(run)->scope->names, name,
                              (ImportValue){.kind = IMPORT_MAP, .items = items, .count = 2});
}

/* A list of maps, or a map that may be absent: tensors say nothing of where one ends. */
static bool has_maps(const TccOnnxType *type) {
  if (type && type->map_type) return false;
  while (type && (type->sequence_type || type->optional_type))
    type = (type->sequence_type ? type->sequence_type : type->optional_type)->elem_type;
  return type && type->map_type;
}

/* number: among the inputs without a default. */
static bool bind_input(Importer *run, const TccOnnxValueInfo *info, size_t number) {
  const TccOnnxType *type = info->type;
  ImportShape shape;
  if (type && type->map_type) return bind_map(run, info->name, type->map_type);
  if (type && (type->sequence_type || type->optional_type)) return bind_list(run, info->name, type, number);
  if (!read_shape(run, info->name, type ? type->tensor_type : NULL, true, &shape)) return false;
  ImportValue value;
  if (!import_argument_value(run, info->name, &shape, &value)) return false;
  if (type->tensor_type->elem_type == TCC_ONNX_STRING) value.kind = IMPORT_TEXT;
  return import_bind_argument(run, &onnx_import_of(run)->scope->names, info->name, value);
}

/* Inputs with a default are no arguments: they have their initializer's value. */
static bool bind_inputs(Importer *run) {
  OnnxImport *import = onnx_import_of(run);
  const TccOnnxGraph *graph = import->model->graph;
  TccMap *defaults = tcc_map_create(run->arena);
  import->scope = onnx_scope_create(run, NULL);
  import->scope->opsets = &import->model->opset_import;
  for (size_t i = 0; i < graph->initializer.count; i++) tcc_map_put(defaults, graph->initializer.data[i].name, NULL);
  for (size_t i = 0; i < graph->sparse_initializer.count; i++)
    tcc_map_put(defaults, graph->sparse_initializer.data[i].values->name, NULL);
  TccText maps = {0};
  onnx_declare_blocks(run);
  for (size_t i = 0, number = 0; i < graph->input.count; i++) {
    const TccOnnxValueInfo *info = &graph->input.data[i];
    if (is_initialised(defaults, info)) continue;
    if (has_maps(info->type)) { /* the walk goes on, for what else is not supported */
      tcc_text_printf(&maps, "%s'%.*s'", maps.length ? ", " : "", TCC_STR_ARG(info->name));
      import_scope_put(run, &import->scope->names, info->name, (ImportValue){.kind = IMPORT_POISON});
      number++;
    } else if (!bind_input(run, info, number++)) {
      return false;
    }
  }
  if (maps.length) import_run_fail(run, true, "inputs that are lists of maps: %s", maps.data);
  tcc_text_destroy(&maps);
  return true;
}

static void walk_nodes(Importer *run) {
  OnnxImport *import = onnx_import_of(run);
  onnx_graph_import(run, import->scope, import->model->graph);
}

static bool bind_outputs(Importer *run) {
  OnnxImport *import = onnx_import_of(run);
  const TccOnnxGraph *graph = import->model->graph;
  if (!graph->output.count) return import_run_fail(run, false, "the graph has no output");
  for (size_t i = 0; i < graph->output.count; i++) {
    TccStr name = graph->output.data[i].name;
    if (!import_result(run, name, import_scope_find(&import->scope->names, name))) return false;
  }
  return true;
}

/* Those of subgraphs too. */
static size_t count_nodes(const TccOnnxNode *nodes, size_t count) {
  size_t all = count;
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < nodes[i].attribute.count; k++) {
      const TccOnnxGraph *graph = nodes[i].attribute.data[k].g;
      if (graph) all += count_nodes(graph->node.data, graph->node.count);
    }
  return all;
}

/* The sizes that an expression may refer to. */
static void declare_sizes(Importer *run) {
  const TccOnnxGraph *graph = onnx_import_of(run)->model->graph;
  for (size_t i = 0; i < graph->input.count; i++) {
    const TccOnnxType *type = graph->input.data[i].type;
    if (!type || !type->tensor_type || !type->tensor_type->shape) continue;
    for (size_t k = 0; k < type->tensor_type->shape->dim.count; k++) {
      const TccOnnxDim *dim = &type->tensor_type->shape->dim.data[k];
      if (dim->kind == TCC_ONNX_DIM_PARAM) import_declare_size(run, dim->dim_param);
    }
  }
}

static bool check_model(Importer *run) {
  OnnxImport *import = onnx_import_of(run);
  enum { NEWEST_OPSET = 27 };
  int64_t opset = tcc_onnx_opset(&import->model->opset_import, tcc_str(""));
  size_t nodes = count_nodes(import->model->graph->node.data, import->model->graph->node.count);
  if (opset > NEWEST_OPSET)
    return import_run_fail(run, true, "opset %lld; %d is the newest that is known", (long long)opset, NEWEST_OPSET);
  for (size_t i = 0; i < import->model->functions.count; i++) {
    const TccOnnxFunction *f = &import->model->functions.data[i];
    TccText key = {0};
    bool inserted;
    tcc_text_printf(&key, "%.*s%c%.*s%c%.*s", TCC_STR_ARG(f->domain), 0, TCC_STR_ARG(f->name), 0, TCC_STR_ARG(f->overload));
    tcc_map_put(import->functions, tcc_text_str(&key), &inserted)->constant = f;
    tcc_text_destroy(&key);
    if (!inserted) return import_run_fail(run, false, "function '%.*s' is defined twice", TCC_STR_ARG(f->name));
    nodes += count_nodes(f->node.data, f->node.count);
  }
  /* Functions that call others twice double at each level, loops in loops are unrolled: kilobytes could ask for any number of nodes.
   * A loop by itself is read as a function and for each of up to 64 iterations (ops_loop.c). */
  run->expanded_nodes = 50000 + 66 * nodes;
  declare_sizes(run);
  return true;
}

static bool read_model(Importer *run) {
  const TccFileMap *file = tcc_sources_file(run->sources, 0);
  const char *kind = tcc_file_kind(file->data, file->length);
  TccOnnxModel *model = NULL;
  TccStatus *status = tcc_onnx_read(run->arena, file->data, file->length, &model);
  if (kind) status = tcc_status_context(status, "the file is %s", kind);
  if (!status && model->graph) onnx_sort_nodes(run->arena, model);
  onnx_import_of(run)->model = model;
  return import_run_fail_status(run, status);
}

/* Floats and bytes of more than one element are weights; others are shapes and the like, which a checkpoint need not have. */
static bool is_weight(const TccOnnxTensor *tensor) {
  bool numbers = tcc_elem_is_float(tensor->elem) || (tensor->elem != TCC_ELEM_BOOL && tcc_elem_bits(tensor->elem) <= 8);
  return tensor->elem && numbers && tensor->count > 1;
}

static bool replace_weights(Importer *run) {
  const TccOnnxGraph *graph = onnx_import_of(run)->model->graph;
  size_t count = graph->initializer.count;
  ImportReplaceable *weights = TCC_NEW_ARRAY(run->arena, ImportReplaceable, count + 1);
  for (size_t i = 0; i < count; i++) {
    const TccOnnxTensor *tensor = &graph->initializer.data[i];
    weights[i] = (ImportReplaceable){.name = tensor->name,
                                     .elem = tensor->elem,
                                     .rank = tensor->dims.count,
                                     .dims = tensor->dims.data,
                                     .optional = !is_weight(tensor)};
  }
  return import_replace_weights(run, weights, count);
}

MlirOperation onnx_import(TccIr *ir, const char *path, const TccImportOptions *options, TccImportOutcome *out_outcome) {
  static const ImportWalk walk = {bind_inputs, walk_nodes, bind_outputs};
  OnnxImport import = {0};
  bool ok = import_begin(&import.run, ir, path, options);
  import.functions = tcc_map_create(import.run.arena);
  ok = ok && read_model(&import.run) && check_model(&import.run) && (!import.run.options->weights || replace_weights(&import.run));
  return import_end(&import.run, ok ? &walk : NULL, out_outcome);
}

/* graph_args.c - the unions of torch's schema: arguments, sizes, and what a tensor is. */
#include "lib/frontend/torch/graph_internal.h"
#include <math.h>

TccElem tcc_torch_elem(int64_t scalar_type) {
  switch (scalar_type) {
#define TCC_TORCH_TYPE(number, name, elem)                                                                                         \
  case number: return TCC_ELEM_##elem;
    TCC_TORCH_TYPES(TCC_TORCH_TYPE)
#undef TCC_TORCH_TYPE
  default: return TCC_ELEM_NONE;
  }
}

size_t tcc_torch_type_bytes(int64_t scalar_type) {
  switch (scalar_type) {
  case 9: return 4; /* complex32 */
  case 10: return 8;
  case 11: return 16;
  default: return tcc_elem_bytes(tcc_torch_elem(scalar_type), 1);
  }
}

const char *tcc_torch_type_name(int64_t scalar_type) {
  switch (scalar_type) {
#define TCC_TORCH_TYPE(number, name, elem)                                                                                         \
  case number: return name;
    TCC_TORCH_TYPES(TCC_TORCH_TYPE)
#undef TCC_TORCH_TYPE
  default: return "an unknown type";
  }
}

int tcc_torch_field(TccTorchReader *reader, const TccStr *names, size_t count, unsigned *seen) {
  TccStr key;
  while (tcc_json_key(&reader->json, &key)) {
    for (size_t i = 0; i < count; i++) {
      if (!tcc_str_equal(key, names[i])) continue;
      if (*seen & 1u << i) {
        tcc_json_fail(&reader->json, TCC_INVALID, "'%.*s' is there twice", TCC_STR_ARG(key));
        return -1;
      }
      *seen |= 1u << i;
      return (int)i;
    }
    tcc_json_skip(&reader->json);
  }
  return -1;
}

bool tcc_torch_require(TccTorchReader *reader, const TccStr *names, unsigned seen, unsigned needed) {
  for (unsigned i = 0; needed >> i; i++)
    if (needed & ~seen & 1u << i)
      return tcc_json_fail(&reader->json, TCC_INVALID, "'%.*s' is missing before here", TCC_STR_ARG(names[i]));
  return true;
}

void *tcc_torch_pop(TccTorchReader *reader, size_t mark, size_t bytes, size_t *out_count) {
  size_t length = reader->stack.length - mark;
  *out_count = length / bytes;
  if (!length) return NULL;
  void *items = tcc_arena_alloc(reader->arena, length);
  memcpy(items, reader->stack.data + mark, length);
  reader->stack.length = mark;
  return items;
}

/* ---- scalars ---- */

/* A number; torch writes those that JSON has not as strings. */
static void read_float(TccTorchReader *reader, double *out) {
  TccJson *json = &reader->json;
  TccStr text;
  *out = 0;
  if (tcc_json_peek(json) != '"') {
    tcc_json_double(json, out);
    return;
  }
  if (!tcc_json_string(json, &text)) return;
  if (tcc_str_is(text, "Infinity")) *out = INFINITY;
  else if (tcc_str_is(text, "-Infinity")) *out = -INFINITY;
  else if (tcc_str_is(text, "NaN")) *out = NAN;
  else tcc_json_fail(json, TCC_INVALID, "a number expected, not \"%.*s\"", TCC_STR_ARG(text));
}

/* An object that holds a name. */
static void read_name(TccTorchReader *reader, TccStr *out) {
  static const TccStr names[] = {TCC_TORCH_FIELD("name")};
  unsigned seen = 0;
  *out = (TccStr){0};
  for (tcc_json_object(&reader->json); tcc_torch_field(reader, names, 1, &seen) >= 0;) tcc_json_string(&reader->json, out);
  tcc_torch_require(reader, names, seen, 1);
  if (!out->length) tcc_json_fail(&reader->json, TCC_INVALID, "a value has no name");
}

static void read_device(TccTorchReader *reader, TccTorchDevice *out) {
  static const TccStr names[] = {TCC_TORCH_FIELD("type"), TCC_TORCH_FIELD("index")};
  unsigned seen = 0;
  *out = (TccTorchDevice){.index = -1};
  tcc_json_object(&reader->json);
  for (int field; (field = tcc_torch_field(reader, names, 2, &seen)) >= 0;) {
    if (field == 0) tcc_json_string(&reader->json, &out->type);
    else if (!tcc_json_null(&reader->json)) tcc_json_int(&reader->json, &out->index);
  }
  tcc_torch_require(reader, names, seen, 1);
}

/* The only member of a union, whose value comes next. Empty: an error. */
static TccStr enter_union(TccTorchReader *reader) {
  TccStr key;
  if (tcc_json_object(&reader->json) && !tcc_json_key(&reader->json, &key))
    tcc_json_fail(&reader->json, TCC_INVALID, "a union is empty");
  return reader->json.status ? (TccStr){0} : key;
}

static void leave_union(TccTorchReader *reader) {
  TccStr key;
  if (tcc_json_key(&reader->json, &key))
    tcc_json_fail(&reader->json, TCC_INVALID, "a union has a second member '%.*s'", TCC_STR_ARG(key));
}

/* ---- sizes and tensors ---- */
static void read_hint(TccTorchReader *reader, int64_t *out) {
  if (tcc_json_null(&reader->json)) return;
  TccStr key = enter_union(reader);
  if (tcc_str_is(key, "as_int")) tcc_json_int(&reader->json, out);
  else tcc_json_skip(&reader->json);
  leave_union(reader);
}

static void read_expression(TccTorchReader *reader, TccTorchSize *out) {
  static const TccStr names[] = {TCC_TORCH_FIELD("expr_str"), TCC_TORCH_FIELD("hint")};
  unsigned seen = 0;
  tcc_json_object(&reader->json);
  for (int field; (field = tcc_torch_field(reader, names, 2, &seen)) >= 0;) {
    if (field == 0) tcc_json_string(&reader->json, &out->text);
    else read_hint(reader, &out->value);
  }
  tcc_torch_require(reader, names, seen, 1);
  if (!out->text.length) tcc_json_fail(&reader->json, TCC_INVALID, "an expression is empty");
}

void tcc_torch_read_size(TccTorchReader *reader, TccTorchSize *out) {
  *out = (TccTorchSize){.value = INT64_MIN};
  TccStr key = enter_union(reader);
  if (tcc_str_is(key, "as_int")) tcc_json_int(&reader->json, &out->value);
  else if (tcc_str_is(key, "as_expr")) read_expression(reader, out);
  else if (tcc_str_is(key, "as_float") || tcc_str_is(key, "as_bool")) tcc_json_skip(&reader->json);
  else if (key.length) tcc_json_fail(&reader->json, TCC_INVALID, "a size is no '%.*s'", TCC_STR_ARG(key));
  leave_union(reader);
}

static const TccTorchSize *read_sizes(TccTorchReader *reader, size_t *out_count) {
  size_t mark = tcc_torch_mark(reader);
  TccTorchSize size;
  for (tcc_json_array(&reader->json); tcc_json_element(&reader->json);) {
    tcc_torch_read_size(reader, &size);
    tcc_torch_push(reader, &size, sizeof size);
  }
  return tcc_torch_pop(reader, mark, sizeof size, out_count);
}

void tcc_torch_read_meta(TccTorchReader *reader, TccTorchMeta *out) {
  enum { TYPE, SIZES, GRAD, DEVICE, STRIDES, OFFSET, LAYOUT, COUNT };
  static const TccStr names[COUNT] = {TCC_TORCH_FIELD("dtype"),  TCC_TORCH_FIELD("sizes"),   TCC_TORCH_FIELD("requires_grad"),
                                      TCC_TORCH_FIELD("device"), TCC_TORCH_FIELD("strides"), TCC_TORCH_FIELD("storage_offset"),
                                      TCC_TORCH_FIELD("layout")};
  TccJson *json = &reader->json;
  size_t nstrides = 0;
  unsigned seen = 0;
  *out = (TccTorchMeta){.layout = TCC_TORCH_STRIDED, .device.index = -1};
  tcc_json_object(json);
  for (int field; (field = tcc_torch_field(reader, names, COUNT, &seen)) >= 0;) switch (field) {
    case TYPE: tcc_json_int(json, &out->type); break;
    case SIZES: out->sizes = read_sizes(reader, &out->rank); break;
    case GRAD: tcc_json_bool(json, &out->requires_grad); break;
    case DEVICE: read_device(reader, &out->device); break;
    case STRIDES: out->strides = read_sizes(reader, &nstrides); break;
    case OFFSET: tcc_torch_read_size(reader, &out->offset); break;
    default: tcc_json_int(json, &out->layout);
    }
  tcc_torch_require(reader, names, seen, 1 << TYPE | 1 << SIZES | 1 << STRIDES | 1 << OFFSET);
  out->elem = tcc_torch_elem(out->type);
  if (nstrides != out->rank) tcc_json_fail(json, TCC_INVALID, "a tensor has %zu sizes and %zu strides", out->rank, nstrides);
  for (size_t i = 0; i < out->rank; i++)
    if (!out->sizes[i].text.length && out->sizes[i].value < 0)
      tcc_json_fail(json, TCC_INVALID, "a tensor has the size %lld", (long long)out->sizes[i].value);
}

/* ---- arguments ---- */
typedef void ReadItem(TccTorchReader *reader, void *item);

static const void *read_list(TccTorchReader *reader, size_t bytes, ReadItem *read, size_t *out_count) {
  size_t mark = tcc_torch_mark(reader);
  TccTorchArg item; /* as large as any */
  for (tcc_json_array(&reader->json); tcc_json_element(&reader->json);) {
    read(reader, &item);
    tcc_torch_push(reader, &item, bytes);
  }
  return tcc_torch_pop(reader, mark, bytes, out_count);
}

static void read_int_item(TccTorchReader *reader, void *item) { tcc_json_int(&reader->json, item); }
static void read_float_item(TccTorchReader *reader, void *item) { read_float(reader, item); }
static void read_bool_item(TccTorchReader *reader, void *item) { tcc_json_bool(&reader->json, item); }
static void read_string_item(TccTorchReader *reader, void *item) { tcc_json_string(&reader->json, item); }
static void read_name_item(TccTorchReader *reader, void *item) { read_name(reader, item); }

static void read_optional_tensor(TccTorchReader *reader, void *item) {
  TccStr *out = item, key = enter_union(reader);
  *out = (TccStr){0};
  if (tcc_str_is(key, "as_tensor")) read_name(reader, out);
  else if (tcc_str_is(key, "as_none")) tcc_json_skip(&reader->json);
  else if (key.length) tcc_json_fail(&reader->json, TCC_INVALID, "an optional tensor is no '%.*s'", TCC_STR_ARG(key));
  leave_union(reader);
}

static void read_sym(TccTorchReader *reader, void *item) {
  TccTorchSym *out = item;
  TccJson *json = &reader->json;
  TccStr key = enter_union(reader);
  *out = (TccTorchSym){0};
  if (tcc_str_is(key, "as_name")) {
    if (tcc_json_string(json, &out->name) && !out->name.length) tcc_json_fail(json, TCC_INVALID, "a value has no name");
  } else if (tcc_str_is(key, "as_int")) tcc_json_int(json, &out->integer);
  else if (tcc_str_is(key, "as_float")) read_float(reader, &out->number);
  else if (tcc_str_is(key, "as_bool")) tcc_json_bool(json, &out->flag);
  else if (key.length) tcc_json_fail(json, TCC_INVALID, "a symbolic value is no '%.*s'", TCC_STR_ARG(key));
  leave_union(reader);
}

static void read_sym_arg(TccTorchReader *reader, TccTorchKind literal, TccTorchArg *out) {
  TccTorchSym sym;
  read_sym(reader, &sym);
  if (sym.name.length) {
    out->text = sym.name;
    return;
  }
  out->kind = literal;
  if (literal == TCC_TORCH_INT) out->integer = sym.integer;
  else if (literal == TCC_TORCH_FLOAT) out->number = sym.number;
  else out->flag = sym.flag;
}

/* A graph in a graph. torch writes one that is called often at each call: equal texts are one graph. */
static TccTorchGraph *read_inner(TccTorchReader *reader) {
  TccJson *json = &reader->json;
  tcc_json_peek(json);
  const char *first = json->at;
  TccTorchGraph *graph = tcc_torch_read_graph(reader);
  if (json->status) return graph;
  bool inserted;
  TccMapEntry *entry = tcc_map_put(reader->graphs, (TccStr){first, (size_t)(json->at - first)}, &inserted);
  if (inserted) entry->pointer = graph;
  return entry->pointer;
}

static void read_graph_arg(TccTorchReader *reader, TccTorchArg *out) {
  static const TccStr names[] = {TCC_TORCH_FIELD("name"), TCC_TORCH_FIELD("graph")};
  unsigned seen = 0;
  tcc_json_object(&reader->json);
  for (int field; (field = tcc_torch_field(reader, names, 2, &seen)) >= 0;) {
    if (field == 0) tcc_json_string(&reader->json, &out->graph.name);
    else out->graph.graph = read_inner(reader);
  }
  tcc_torch_require(reader, names, seen, 3);
}

static void read_complex(TccTorchReader *reader, TccTorchArg *out) {
  static const TccStr names[] = {TCC_TORCH_FIELD("real"), TCC_TORCH_FIELD("imag")};
  unsigned seen = 0;
  tcc_json_object(&reader->json);
  for (int field; (field = tcc_torch_field(reader, names, 2, &seen)) >= 0;)
    read_float(reader, field ? &out->complex.imaginary : &out->complex.real);
  tcc_torch_require(reader, names, seen, 3);
}

static const struct {
  TccStr key;
  TccTorchKind kind;
} kinds[] = {
    /* the commonest first */
    {TCC_TORCH_FIELD("as_tensor"), TCC_TORCH_TENSOR},
    {TCC_TORCH_FIELD("as_int"), TCC_TORCH_INT},
    {TCC_TORCH_FIELD("as_ints"), TCC_TORCH_INTS},
    {TCC_TORCH_FIELD("as_float"), TCC_TORCH_FLOAT},
    {TCC_TORCH_FIELD("as_bool"), TCC_TORCH_BOOL},
    {TCC_TORCH_FIELD("as_none"), TCC_TORCH_NONE},
    {TCC_TORCH_FIELD("as_tensors"), TCC_TORCH_TENSORS},
    {TCC_TORCH_FIELD("as_scalar_type"), TCC_TORCH_SCALAR_TYPE},
    {TCC_TORCH_FIELD("as_device"), TCC_TORCH_DEVICE},
    {TCC_TORCH_FIELD("as_layout"), TCC_TORCH_LAYOUT},
    {TCC_TORCH_FIELD("as_memory_format"), TCC_TORCH_MEMORY_FORMAT},
    {TCC_TORCH_FIELD("as_sym_int"), TCC_TORCH_SYM_INT},
    {TCC_TORCH_FIELD("as_sym_ints"), TCC_TORCH_SYM_INTS},
    {TCC_TORCH_FIELD("as_string"), TCC_TORCH_STRING},
    {TCC_TORCH_FIELD("as_strings"), TCC_TORCH_STRINGS},
    {TCC_TORCH_FIELD("as_floats"), TCC_TORCH_FLOATS},
    {TCC_TORCH_FIELD("as_bools"), TCC_TORCH_BOOLS},
    {TCC_TORCH_FIELD("as_sym_float"), TCC_TORCH_SYM_FLOAT},
    {TCC_TORCH_FIELD("as_sym_floats"), TCC_TORCH_SYM_FLOATS},
    {TCC_TORCH_FIELD("as_sym_bool"), TCC_TORCH_SYM_BOOL},
    {TCC_TORCH_FIELD("as_sym_bools"), TCC_TORCH_SYM_BOOLS},
    {TCC_TORCH_FIELD("as_optional_tensors"), TCC_TORCH_OPTIONAL_TENSORS},
    {TCC_TORCH_FIELD("as_graph"), TCC_TORCH_GRAPH},
    {TCC_TORCH_FIELD("as_operator"), TCC_TORCH_OPERATOR},
    {TCC_TORCH_FIELD("as_complex"), TCC_TORCH_COMPLEX},
    {TCC_TORCH_FIELD("as_custom_obj"), TCC_TORCH_CUSTOM_OBJ},
};

static void read_value(TccTorchReader *reader, TccTorchArg *out) {
  TccJson *json = &reader->json;
  size_t *count = &out->list.count;
  switch (out->kind) {
  case TCC_TORCH_UNKNOWN:
  case TCC_TORCH_KINDS:
  case TCC_TORCH_NONE: tcc_json_skip(json); break;
  case TCC_TORCH_TENSOR:
  case TCC_TORCH_CUSTOM_OBJ: read_name(reader, &out->text); break;
  case TCC_TORCH_STRING:
  case TCC_TORCH_OPERATOR: tcc_json_string(json, &out->text); break;
  case TCC_TORCH_INT:
  case TCC_TORCH_SCALAR_TYPE:
  case TCC_TORCH_MEMORY_FORMAT:
  case TCC_TORCH_LAYOUT: tcc_json_int(json, &out->integer); break;
  case TCC_TORCH_FLOAT: read_float(reader, &out->number); break;
  case TCC_TORCH_BOOL: tcc_json_bool(json, &out->flag); break;
  case TCC_TORCH_SYM_INT: read_sym_arg(reader, TCC_TORCH_INT, out); break;
  case TCC_TORCH_SYM_FLOAT: read_sym_arg(reader, TCC_TORCH_FLOAT, out); break;
  case TCC_TORCH_SYM_BOOL: read_sym_arg(reader, TCC_TORCH_BOOL, out); break;
  case TCC_TORCH_DEVICE: read_device(reader, &out->device); break;
  case TCC_TORCH_GRAPH: read_graph_arg(reader, out); break;
  case TCC_TORCH_COMPLEX: read_complex(reader, out); break;
  case TCC_TORCH_TENSORS: out->list.texts = read_list(reader, sizeof(TccStr), read_name_item, count); break;
  case TCC_TORCH_OPTIONAL_TENSORS: out->list.texts = read_list(reader, sizeof(TccStr), read_optional_tensor, count); break;
  case TCC_TORCH_STRINGS: out->list.texts = read_list(reader, sizeof(TccStr), read_string_item, count); break;
  case TCC_TORCH_INTS: out->list.integers = read_list(reader, sizeof(int64_t), read_int_item, count); break;
  case TCC_TORCH_FLOATS: out->list.numbers = read_list(reader, sizeof(double), read_float_item, count); break;
  case TCC_TORCH_BOOLS: out->list.flags = read_list(reader, sizeof(bool), read_bool_item, count); break;
  case TCC_TORCH_SYM_INTS:
  case TCC_TORCH_SYM_FLOATS:
  case TCC_TORCH_SYM_BOOLS: out->list.syms = read_list(reader, sizeof(TccTorchSym), read_sym, count); break;
  }
}

void tcc_torch_read_arg(TccTorchReader *reader, TccTorchArg *out) {
  *out = (TccTorchArg){0};
  TccStr key = enter_union(reader);
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds && !out->kind; i++)
    if (tcc_str_equal(key, kinds[i].key)) out->kind = kinds[i].kind;
  if (tcc_str_is(key, "as_optional_tensor")) {
    read_optional_tensor(reader, &out->text);
    out->kind = out->text.length ? TCC_TORCH_TENSOR : TCC_TORCH_NONE;
  } else {
    if (out->kind == TCC_TORCH_UNKNOWN) out->text = key;
    read_value(reader, out);
  }
  leave_union(reader);
}

const TccTorchArg *tcc_torch_read_args(TccTorchReader *reader, size_t *out_count) {
  size_t mark = tcc_torch_mark(reader);
  TccTorchArg arg;
  for (tcc_json_array(&reader->json); tcc_json_element(&reader->json);) {
    tcc_torch_read_arg(reader, &arg);
    tcc_torch_push(reader, &arg, sizeof arg);
  }
  return tcc_torch_pop(reader, mark, sizeof arg, out_count);
}

/* schema.c - reads the texts of aten_schemas.def: "Tensor(a!) self, int[2] stride=[], *, Scalar alpha=1". */
#include "lib/frontend/torch/schema.h"
#include <stdlib.h>

typedef struct {
  const char *overload, *parameters, *results;
} Row;
static const Row rows[] = {
#define ATEN_SCHEMA(overload, parameters, results) {overload, parameters, results},
#include "lib/frontend/torch/aten_schemas.def"
};
enum { NROWS = sizeof rows / sizeof *rows };

static TccStr trim(TccStr text) {
  while (text.length && text.data[0] == ' ') text.data++, text.length--;
  while (text.length && text.data[text.length - 1] == ' ') text.length--;
  return text;
}

/* What stands before the next comma outside of brackets and quotes; *text goes on behind it. */
static TccStr next_part(TccStr *text) {
  size_t i = 0;
  int depth = 0;
  for (bool quoted = false; i < text->length && (depth || quoted || text->data[i] != ','); i++) {
    char c = text->data[i];
    if (c == '"') quoted = !quoted;
    else if (!quoted) depth += (c == '[' || c == '(') - (c == ']' || c == ')');
  }
  TccStr part = {text->data, i};
  if (i < text->length) i++;
  text->data += i, text->length -= i;
  return trim(part);
}

static TorchParameterType base_type(TccStr word) {
  static const struct {
    const char *word;
    TorchParameterType type;
  } names[] = {{"Tensor", TORCH_PARAMETER_TENSOR},
               {"int", TORCH_PARAMETER_INT},
               {"SymInt", TORCH_PARAMETER_INT},
               {"float", TORCH_PARAMETER_FLOAT},
               {"bool", TORCH_PARAMETER_BOOL},
               {"Scalar", TORCH_PARAMETER_SCALAR},
               {"str", TORCH_PARAMETER_STRING},
               {"Layout", TORCH_PARAMETER_LAYOUT},
               {"ScalarType", TORCH_PARAMETER_SCALAR_TYPE},
               {"Device", TORCH_PARAMETER_DEVICE},
               {"MemoryFormat", TORCH_PARAMETER_MEMORY_FORMAT}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (tcc_str_is(word, names[i].word)) return names[i].type;
  return TORCH_PARAMETER_OTHER;
}

/* "int[2]? stride=[]": base word, alias in parentheses, "?" of items, list, "?" of all. */
static void parse_parameter(TccStr text, TorchParameter *out) {
  size_t i = 0, begin;
  while (i < text.length && ((text.data[i] | 32) >= 'a' && (text.data[i] | 32) <= 'z')) i++;
  out->type = base_type((TccStr){text.data, i});
  for (; i < text.length && text.data[i] != ' '; i++) switch (text.data[i]) {
    case '!': out->is_mutated = true; break;
    case '?': out->is_optional = true; break;
    case '[':
      out->is_list = true;
      out->has_optional_items = out->is_optional;
      out->is_optional = false;
      out->list_size = strtoll(text.data + i + 1, NULL, 10);
      break;
    default: break;
    }
  for (begin = ++i; i < text.length && text.data[i] != '=';) i++;
  out->name = (TccStr){text.data + begin, i - begin};
  if (i < text.length) out->otherwise = (TccStr){text.data + i + 1, text.length - i - 1};
}

bool torch_schema_at(size_t index, TorchSchema *out) {
  if (index >= NROWS) return false;
  TccStr parameters = tcc_str(rows[index].parameters), results = tcc_str(rows[index].results);
  memset(out, 0, sizeof *out);
  out->overload = tcc_str(rows[index].overload);
  for (bool by_name = false; parameters.length && out->nparameters < TORCH_MOST_PARAMETERS;) {
    TccStr part = next_part(&parameters);
    if (tcc_str_is(part, "*")) {
      by_name = true;
      continue;
    }
    out->parameters[out->nparameters].by_name = by_name;
    parse_parameter(part, &out->parameters[out->nparameters++]);
  }
  if (results.length && results.data[0] == '(') results.data++, results.length -= 2;
  while (results.length) {
    TccStr part = next_part(&results);
    out->returns_list = memchr(part.data, '[', part.length) != NULL;
    out->nresults++;
  }
  return true;
}

static int compare_row(const void *key, const void *row) {
  TccStr wanted = *(const TccStr *)key, name = tcc_str(((const Row *)row)->overload);
  int order = memcmp(wanted.data, name.data, wanted.length < name.length ? wanted.length : name.length);
  return order ? order : (wanted.length > name.length) - (wanted.length < name.length);
}

static const Row *find_row(TccStr overload) {
  enum { DEFAULT = sizeof ".default" - 1 };
  if (overload.length > DEFAULT && !memcmp(overload.data + overload.length - DEFAULT, ".default", DEFAULT))
    overload.length -= DEFAULT;
  return bsearch(&overload, rows, NROWS, sizeof *rows, compare_row);
}

bool torch_schema_find(TccStr overload, TorchSchema *out) {
  const Row *row = find_row(overload);
  return row && torch_schema_at((size_t)(row - rows), out);
}

const TorchParameter *torch_schema_parameter(const TorchSchema *schema, TccStr name) {
  for (size_t i = 0; i < schema->nparameters; i++)
    if (tcc_str_equal(schema->parameters[i].name, name)) return &schema->parameters[i];
  return NULL;
}

/* ---- defaults ---- */
static bool is_fraction(TccStr text) { return memchr(text.data, '.', text.length) || memchr(text.data, 'e', text.length); }

static void single_default(const TorchParameter *p, TccStr text, TccTorchArg *out) {
  TorchParameterType type = p->type;
  if (tcc_str_is(text, "None")) *out = (TccTorchArg){.kind = TCC_TORCH_NONE};
  else if (tcc_str_is(text, "True") || tcc_str_is(text, "False"))
    *out = (TccTorchArg){.kind = TCC_TORCH_BOOL, .flag = text.data[0] == 'T'};
  else if (text.data[0] == '"') *out = (TccTorchArg){.kind = TCC_TORCH_STRING, .text = {text.data + 1, text.length - 2}};
  else if (type == TORCH_PARAMETER_FLOAT || (type == TORCH_PARAMETER_SCALAR && is_fraction(text)))
    *out = (TccTorchArg){.kind = TCC_TORCH_FLOAT, .number = strtod(text.data, NULL)};
  else if (type == TORCH_PARAMETER_SCALAR_TYPE) /* c10's number, which up to bool is the schema's less one */
    *out = (TccTorchArg){.kind = TCC_TORCH_SCALAR_TYPE, .integer = strtoll(text.data, NULL, 10) + 1};
  else *out = (TccTorchArg){.kind = TCC_TORCH_INT, .integer = strtoll(text.data, NULL, 10)};
}

/* "[0, 1]", "[]", or one for all `list_size`. False for a list of what no default is. */
static bool list_default(TccArena *arena, const TorchParameter *p, TccTorchArg *out) {
  TccStr text = p->otherwise;
  bool single = text.data[0] != '[';
  TCC_VEC(int64_t) integers = {0};
  if (p->type != TORCH_PARAMETER_INT && text.length != 2) return false;
  if (!single) text.data++, text.length -= 2;
  while (text.length) {
    TccStr part = next_part(&text);
    for (int64_t n = single ? p->list_size : 1; n > 0; n--) TCC_VEC_PUSH(arena, &integers, strtoll(part.data, NULL, 10));
  }
  *out = (TccTorchArg){.kind = p->type == TORCH_PARAMETER_FLOAT    ? TCC_TORCH_FLOATS
                               : p->type == TORCH_PARAMETER_BOOL   ? TCC_TORCH_BOOLS
                               : p->type == TORCH_PARAMETER_TENSOR ? TCC_TORCH_TENSORS
                                                                   : TCC_TORCH_INTS};
  out->list.integers = integers.data;
  out->list.count = integers.count;
  return true;
}

bool torch_schema_default(TccArena *arena, const TorchParameter *parameter, TccTorchArg *out) {
  TccStr text = parameter->otherwise;
  if (!text.length) return false;
  if (parameter->is_list && !tcc_str_is(text, "None")) return list_default(arena, parameter, out);
  single_default(parameter, text, out);
  return true;
}

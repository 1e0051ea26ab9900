/* table.c - ops.def as data: each row's lists are split once per process.
 *
 * The table's strings are literals, so rows borrow from them and live for ever. */
#include "tcc/op_kinds.h"
#include "tcc/optable.h"
#include <assert.h>
#include <pthread.h>

typedef struct {
  const char *name, *level, *operands, *results, *attributes, *rule, *traits, *semantics;
} RawRow;
static const RawRow raw_rows[TCC_OP_COUNT] = {
#define TCC_OP(SYM, mnemonic, level, operands, results, attributes, rule, traits, semantics)                                       \
  [TCC_OP_##SYM] = {"tcc." mnemonic, #level, operands, results, attributes, #rule, traits, semantics},
#include "dialects/tcc/ops.def"
};

static TccOpRow rows[TCC_OP_COUNT];
static pthread_once_t parsed = PTHREAD_ONCE_INIT;

/* Takes the next item off a ", "-separated list; false at its end. */
static bool next_item(TccStr *list, TccStr *out) {
  while (list->length && (*list->data == ' ' || *list->data == ',')) list->data++, list->length--;
  if (!list->length) return false;
  size_t length = 0;
  while (length < list->length && list->data[length] != ',') length++;
  *out = (TccStr){list->data, length};
  list->data += length, list->length -= length;
  return true;
}

/* Splits text at the first c: text becomes the part before it, the result is the part after it (data NULL if no c). */
static TccStr split(TccStr *text, char c) {
  const char *at = text->length ? memchr(text->data, c, text->length) : NULL;
  if (!at) return (TccStr){NULL, 0};
  TccStr after = {at + 1, text->length - (size_t)(at + 1 - text->data)};
  text->length = (size_t)(at - text->data);
  return after;
}

static TccAttrKind attr_kind(TccStr type) {
  static const char *const names[] = {"i64", "f64", "bool", "str", "ints", "exprs", "elements"};
  for (int kind = 0; kind < TCC_ATTR_CHOICE; kind++)
    if (tcc_str_is(type, names[kind])) return (TccAttrKind)kind;
  return TCC_ATTR_CHOICE;
}

static void parse_row(TccOpKind kind) {
  const RawRow *raw = &raw_rows[kind];
  TccOpRow *row = &rows[kind];
  row->kind = kind;
  row->name = raw->name;
  row->level = raw->level[0] == 'S' ? TCC_LEVEL_STRUCT : raw->level[0] == 'P' ? TCC_LEVEL_PRIM : TCC_LEVEL_COMP;
  row->rule = raw->rule, row->traits = raw->traits, row->semantics = raw->semantics;
  TccStr item, list = tcc_str(raw->operands);
  while (next_item(&list, &item)) {
    bool optional = item.data[item.length - 1] == '?';
    if (optional) item.length--;
    assert(row->noperands < TCC_MAX_OPERANDS);
    row->operands[row->noperands++] = (TccOperandRow){item, optional};
  }
  list = tcc_str(raw->results);
  while (next_item(&list, &item)) {
    assert(row->nresults < TCC_MAX_RESULTS);
    row->results[row->nresults++] = item;
  }
  list = tcc_str(raw->attributes);
  while (next_item(&list, &item)) {
    TccAttrRow attribute = {.name = item};
    attribute.type = split(&attribute.name, ':');
    attribute.default_text = split(&attribute.type, '=');
    attribute.has_default = attribute.default_text.data != NULL;
    attribute.kind = attr_kind(attribute.type);
    assert(row->nattributes < TCC_MAX_ATTRIBUTES);
    row->attributes[row->nattributes++] = attribute;
  }
}

static void parse_table(void) {
  for (int kind = 1; kind < TCC_OP_COUNT; kind++) parse_row((TccOpKind)kind);
}

const TccOpRow *tcc_op_row(TccOpKind kind) {
  assert(kind > TCC_OP_UNKNOWN && kind < TCC_OP_COUNT);
  pthread_once(&parsed, parse_table);
  return &rows[kind];
}

const TccAttrRow *tcc_op_attribute(TccOpKind kind, TccStr name) {
  const TccOpRow *row = tcc_op_row(kind);
  for (size_t i = 0; i < row->nattributes; i++)
    if (tcc_str_equal(row->attributes[i].name, name)) return &row->attributes[i];
  return NULL;
}

const char *tcc_op_name(TccOpKind kind) { return kind == TCC_OP_UNKNOWN ? "unknown" : tcc_op_row(kind)->name; }
TccLevel tcc_op_level(TccOpKind kind) { return tcc_op_row(kind)->level; }
bool tcc_op_has_trait(TccOpKind kind, char trait) {
  return kind != TCC_OP_UNKNOWN && strchr(tcc_op_row(kind)->traits, trait) != NULL;
}

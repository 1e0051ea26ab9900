/* emit.c - functions, types and constants, as a list of ops of the LLVM dialect. See emit.h. */
#include "lib/codegen/emit/emit_internal.h"
#include "tcc/digest.h"
#include "tcc/elem.h"
#include <assert.h>
#include <stdlib.h>

void tcc_emit_init(TccEmit *e, TccArena *arena) {
  memset(e, 0, sizeof *e);
  e->arena = arena;
  e->module = TCC_NEW(arena, TccLlvmModule);
  e->words = tcc_map_create(arena);
  e->declared = tcc_map_create(arena);
  e->data = tcc_map_create(arena);
  e->symbols = tcc_map_create(arena);
  e->routines = tcc_map_create(arena);
  e->tables = tcc_map_create(arena);
  e->next = 1;
}

void tcc_emit_destroy(TccEmit *e) { tcc_text_destroy(&e->text); }

static void declare(TccEmit *e, const char *name) { tcc_map_put(e->declared, tcc_str(name), NULL); }

/* ---- ops ---- */

TccLlvmOp emit_op_of(TccLlvmForm form, const char *word) {
  size_t i = 0;
  while (i < TCC_LLVM_OPS && (tcc_llvm_rows[i].form != form || strcmp(tcc_llvm_rows[i].word, word) != 0)) i++;
  assert(i < TCC_LLVM_OPS);
  return (TccLlvmOp)i;
}

TccLlvmInst *emit_inst(TccEmit *e, TccLlvmOp op, const char *type, TccVal a, TccVal b, TccVal c) {
  assert(e->function);
  TccLlvmInst inst = {.op = (uint8_t)op, .type = type, .v = {a, b, c}};
  TCC_VEC_PUSH(e->arena, &e->body, inst);
  return &e->body.data[e->body.count - 1];
}

TccLlvmInst *emit_value(TccEmit *e, TccLlvmOp op, const char *type, TccVal a, TccVal b, TccVal c) {
  TccLlvmInst *inst = emit_inst(e, op, type, a, b, c);
  inst->result = e->next++;
  return inst;
}

const int32_t *emit_copy_list(TccEmit *e, int n, const int32_t *list) {
  return n ? memcpy(tcc_arena_alloc(e->arena, (size_t)n * sizeof *list), list, (size_t)n * sizeof *list) : NULL;
}

const char *const *emit_copy_types(TccEmit *e, int n, const char *const *types) {
  return n ? memcpy(tcc_arena_alloc(e->arena, (size_t)n * sizeof *types), types, (size_t)n * sizeof *types) : NULL;
}

const char *emit_word(TccEmit *e, TccStr word) {
  TccMapEntry *entry = tcc_map_put(e->words, word, NULL);
  if (!entry->pointer) entry->pointer = tcc_arena_copy(e->arena, word.data, word.length);
  return entry->pointer;
}

/* ---- types ---- */

const char *tcc_emit_vector(TccEmit *e, const char *elem, int lanes) {
  if (lanes == 1) return elem;
  char name[80];
  int length = snprintf(name, sizeof name, "vector<%dx%s>", lanes, elem);
  return emit_word(e, (TccStr){name, (size_t)length});
}

int tcc_emit_lanes(const char *type) { return tcc_llvm_lanes(type); }

const char *tcc_emit_elem(TccEmit *e, const char *type) {
  if (strncmp(type, "vector<", 7) != 0) return type;
  const char *elem = strchr(type, 'x') + 1;
  return emit_word(e, (TccStr){elem, strlen(elem) - 1});
}

/* Bytes of an element spelled in the LLVM dialect; what loads and stores are aligned to. */
int emit_elem_bytes(const char *elem) {
  if (elem[0] == '!') return 8;
  int bits = strncmp(elem, "bf16", 4) == 0 ? 16 : atoi(elem + 1);
  return bits <= 8 ? 1 : bits / 8;
}

/* ---- functions ---- */

static void push_item(TccEmit *e, TccLlvmItem *item) {
  TccLlvmEntry entry = {item, false};
  TCC_VEC_PUSH(e->arena, &e->module->items, entry);
}

static void set_text(TccEmit *e, TccLlvmItem *item) { tcc_llvm_set_text(e->arena, item, &e->text); }

/* The last parameter of a function that is told its numbers. */
static void add_table(TccEmit *e, TccLlvmItem *function) {
  const char **params = TCC_NEW_ARRAY(e->arena, const char *, function->nparams + 1);
  memcpy(params, function->params, (size_t)function->nparams * sizeof *params);
  params[function->nparams++] = TCC_PTR;
  function->params = params;
}

void tcc_emit_function(TccEmit *e, const char *name, bool internal, int nparams, const char *const *params, const char *result,
                       TccVal *args) {
  assert(!e->function);
  declare(e, name);
  e->constants = tcc_map_create(e->arena);
  e->name = tcc_arena_copy(e->arena, name, strlen(name));
  e->next = 1; /* equal functions have equal texts */
  if (e->ninteger) memset(e->integer, 0, e->ninteger * sizeof *e->integer);
  e->head.count = e->body.count = 0;
  for (int i = 0; i < nparams; i++) args[i] = e->next++;
  e->table = e->tells ? e->next++ : 0;
  e->function = TCC_NEW(e->arena, TccLlvmItem);
  *e->function = (TccLlvmItem){.kind = TCC_LLVM_FUNCTION,
                               .linkage = internal ? TCC_LLVM_INTERNAL : TCC_LLVM_EXTERNAL,
                               .symbol = e->name,
                               .role = e->optnone ? TCC_LLVM_OPTNONE
                                       : internal ? TCC_LLVM_NEST
                                                  : TCC_LLVM_ENTRY,
                               .near = e->near,
                               .nparams = nparams,
                               .params = emit_copy_types(e, nparams, params),
                               .result = result};
  if (e->tells) add_table(e, e->function);
  e->tells = false;
}

void tcc_emit_tell(TccEmit *e, unsigned what) { e->tells = true, e->told = what; }

/* Whether every symbol in the function is a routine of this module. */
static bool uses_parts_alone(const TccEmit *e, const TccLlvmItem *function) {
  for (size_t i = 0; i < function->ninsts; i++)
    if (tcc_llvm_names_item(&function->insts[i]) && !tcc_map_find(e->routines, tcc_str(function->insts[i].symbol))) return false;
  return true;
}

static TccLlvmItem *new_bytes(TccEmit *e, TccLlvmKind kind, TccLlvmLinkage linkage, const char *symbol, TccStr bytes);

/* The symbol of constant bytes, which the function that is being written needs. */
static const char *data_symbol(TccEmit *e, const void *bytes, size_t length) {
  TccStr key = {bytes, length};
  TccMapEntry *entry = tcc_map_put(e->data, key, NULL);
  if (!entry->pointer) {
    char digest[2 * TCC_DIGEST_BYTES + 1];
    tcc_digest_hex(bytes, length, digest);
    const char *symbol = tcc_arena_printf(e->arena, "data_%.16s", digest);
    entry->pointer = (void *)(uintptr_t)symbol;
    tcc_map_put(e->routines, tcc_str(symbol), NULL);
    TCC_VEC_PUSH(e->arena, &e->waiting, new_bytes(e, TCC_LLVM_DATA, TCC_LLVM_HIDDEN, symbol, key));
  }
  return entry->pointer;
}

static void tell(TccEmit *e, TccLlvmItem *function) {
  TccWords words = {0};
  assert(function->linkage == TCC_LLVM_INTERNAL && !tcc_map_find(e->symbols, tcc_str(e->name)));
  emit_tell(e->arena, function, e->table, e->told, &words);
  int64_t *table = TCC_NEW_ARRAY(e->arena, int64_t, words.count + 1);
  for (size_t i = 0; i < words.count; i++) table[i] = words.data[i].number;
  const char *symbol = data_symbol(e, table, (words.count ? words.count : 1) * sizeof *table);
  tcc_map_put(e->tables, tcc_str(e->name), NULL)->pointer = (void *)(uintptr_t)symbol;
}

/* A function that is finished becomes a routine if it can: one that was called before it was written has its name in those calls. False
 * where the module has that routine already. */
static bool make_part(TccEmit *e, TccLlvmItem *function) {
  bool first;
  TccMapEntry *entry = tcc_map_put(e->symbols, tcc_str(e->name), &first);
  if (function->linkage != TCC_LLVM_INTERNAL || !first || !uses_parts_alone(e, function)) return true;
  tcc_text_clear(&e->text);
  tcc_llvm_print_content(function, &e->text);
  char digest[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_hex(e->text.data, e->text.length, digest);
  char *symbol = tcc_arena_printf(e->arena, "%.*s_%.16s", (int)strcspn(e->name, "."), e->name, digest);
  entry->pointer = symbol;
  function->symbol = symbol, function->linkage = TCC_LLVM_HIDDEN;
  tcc_map_put(e->routines, tcc_str(symbol), &first);
  return first;
}

void tcc_emit_return(TccEmit *e, TccVal value, const char *type) {
  emit_inst(e, TCC_LLVM_RETURN, value ? type : NULL, value, 0, 0);
  TccLlvmItem *function = e->function;
  function->ninsts = e->head.count + e->body.count, function->numbers = e->next;
  function->insts = TCC_NEW_ARRAY(e->arena, TccLlvmInst, function->ninsts);
  if (e->head.count) memcpy(function->insts, e->head.data, e->head.count * sizeof *e->head.data);
  memcpy(function->insts + e->head.count, e->body.data, e->body.count * sizeof *e->body.data);
  if (e->table) tell(e, function);
  bool is_new = make_part(e, function);
  for (size_t i = 0; i < e->waiting.count; i++) push_item(e, e->waiting.data[i]);
  e->waiting.count = 0;
  set_text(e, function);
  if (is_new) push_item(e, function);
  e->function = NULL;
}

bool tcc_emit_routine_again(TccEmit *e, const TccMap *known, TccStr key, const char *name) {
  TccMapEntry *entry = tcc_map_find(known, key);
  if (!entry) return false;
  TccLlvmItem *routine = entry->pointer;
  declare(e, name);
  tcc_map_put(e->symbols, tcc_str(name), NULL)->pointer = (void *)(uintptr_t)routine->symbol;
  tcc_map_put(e->routines, tcc_str(routine->symbol), NULL);
  push_item(e, routine);
  return true;
}

void tcc_emit_routine_keep(TccEmit *e, TccMap *known, TccStr key, const char *name) {
  TccLlvmItem *last = e->module->items.data[e->module->items.count - 1].item;
  assert(last->symbol == tcc_map_find(e->symbols, tcc_str(name))->pointer);
  (void)name;
  tcc_map_put(known, key, NULL)->pointer = last;
}

static const char *symbol_of(TccEmit *e, const char *name) {
  TccMapEntry *entry = tcc_map_put(e->symbols, tcc_str(name), NULL);
  return entry->pointer ? entry->pointer : entry->key.data;
}

static void set_call(TccEmit *e, TccLlvmInst *inst, int n, const TccVal *args, const char *const *types) {
  inst->n = (uint16_t)n;
  inst->list = emit_copy_list(e, n, args), inst->types = emit_copy_types(e, n, types);
}

static TccVal head_constant(TccEmit *e, TccLlvmOp op, const char *type, int64_t number, const char *symbol);

/* The arguments of a call of one that is told its numbers. */
static int add_table_argument(TccEmit *e, const char *name, int n, const TccVal **args, const char *const **types) {
  const TccMapEntry *table = tcc_map_find(e->tables, tcc_str(name));
  if (!table) return n;
  TccVal *all = TCC_NEW_ARRAY(e->arena, TccVal, n + 1);
  const char **all_types = TCC_NEW_ARRAY(e->arena, const char *, n + 1);
  memcpy(all, *args, (size_t)n * sizeof *all), memcpy(all_types, *types, (size_t)n * sizeof *all_types);
  all[n] = head_constant(e, TCC_LLVM_ADDRESS, TCC_PTR, 0, table->pointer), all_types[n] = TCC_PTR;
  *args = all, *types = all_types;
  return n + 1;
}

TccVal tcc_emit_call(TccEmit *e, const char *name, int n, const TccVal *args, const char *const *types, const char *result) {
  const char *symbol = symbol_of(e, name);
  n = add_table_argument(e, name, n, &args, &types);
  TccMapEntry *routine = tcc_map_find(e->routines, tcc_str(symbol));
  if (routine && routine->integer) { /* machine code: to LLVM a constant */
    assert(!result);
    set_call(e, emit_inst(e, TCC_LLVM_CALL_POINTER, NULL, tcc_emit_function_address(e, name), 0, 0), n, args, types);
    return 0;
  }
  TccLlvmInst *inst = emit_inst(e, TCC_LLVM_CALL, result, 0, 0, 0);
  if (result) inst->result = e->next++;
  inst->symbol = symbol;
  set_call(e, inst, n, args, types);
  return inst->result;
}

TccVal tcc_emit_call_intrinsic(TccEmit *e, const char *name, const char *result, int n, const TccVal *args,
                               const char *const *types) {
  TccLlvmInst *inst = emit_inst(e, TCC_LLVM_CALL_INTRINSIC, result, 0, 0, 0);
  if (result) inst->result = e->next++;
  inst->symbol = emit_word(e, tcc_str(name));
  set_call(e, inst, n, args, types);
  return inst->result;
}

TccVal tcc_emit_inline_asm(TccEmit *e, const char *text, const char *constraints, const char *result, int n, const TccVal *args,
                           const char *const *types) {
  TccLlvmInst *inst = emit_inst(e, TCC_LLVM_INLINE_ASM, result, 0, 0, 0);
  if (result) inst->result = e->next++;
  inst->symbol = emit_word(e, tcc_str(text)), inst->other = emit_word(e, tcc_str(constraints));
  set_call(e, inst, n, args, types);
  return inst->result;
}

TccVal tcc_emit_extract_value(TccEmit *e, const char *struct_type, TccVal v, int index, const char *type) {
  TccLlvmInst *inst = emit_value(e, TCC_LLVM_EXTRACT_VALUE, type, v, 0, 0);
  inst->other = struct_type, inst->number = index;
  return inst->result;
}

/* ---- constants ---- */

/* An op without operands at the head of the function, once: its number or (symbol not NULL) symbol says what it is. */
static TccVal head_constant(TccEmit *e, TccLlvmOp op, const char *type, int64_t number, const char *symbol) {
  char key[200] = {(char)op};
  size_t length = 1 + sizeof number, n = strlen(type) + 1;
  memcpy(key + 1, &number, sizeof number);
  assert(length + n + (symbol ? strlen(symbol) : 0) < sizeof key);
  memcpy(key + length, type, n), length += n;
  if (symbol) n = strlen(symbol), memcpy(key + length, symbol, n), length += n;
  TccMapEntry *entry = tcc_map_put(e->constants, (TccStr){key, length}, NULL);
  if (!entry->integer) {
    entry->integer = e->next++;
    TccLlvmInst inst = {.op = (uint8_t)op, .result = (TccVal)entry->integer, .type = type};
    if (symbol) inst.symbol = symbol;
    else inst.number = number;
    TCC_VEC_PUSH(e->arena, &e->head, inst);
  }
  return (TccVal)entry->integer;
}

TccVal tcc_emit_function_address(TccEmit *e, const char *name) {
  return head_constant(e, TCC_LLVM_ADDRESS, TCC_PTR, 0, symbol_of(e, name));
}

static void reach(TccEmit *e, TccVal v) {
  if ((size_t)v >= e->ninteger) {
    size_t n = (size_t)v + 256;
    e->integer = tcc_arena_grow(e->arena, e->integer, e->ninteger * sizeof *e->integer, n * sizeof *e->integer);
    memset(e->integer + e->ninteger, 0, (n - e->ninteger) * sizeof *e->integer);
    e->ninteger = n;
  }
}

/* v is known (TccEmit.integer). */
static void note_integer(TccEmit *e, TccVal v, int64_t value) {
  reach(e, v);
  e->integer[v].value = value;
  e->integer[v].known = true;
}

void emit_note_mask(TccEmit *e, TccVal mask, TccVal count) {
  int64_t known;
  reach(e, mask);
  e->integer[mask].count = count;
  if (tcc_emit_known(e, count, &known)) note_integer(e, mask, known);
}

bool tcc_emit_known(const TccEmit *e, TccVal v, int64_t *out) {
  if ((size_t)v >= e->ninteger || !e->integer[v].known) return false;
  *out = e->integer[v].value;
  return true;
}

static TccLlvmItem *new_bytes(TccEmit *e, TccLlvmKind kind, TccLlvmLinkage linkage, const char *symbol, TccStr bytes) {
  TccLlvmItem *item = TCC_NEW(e->arena, TccLlvmItem);
  *item = (TccLlvmItem){.kind = kind, .linkage = linkage, .symbol = symbol};
  item->bytes = (TccStr){tcc_arena_copy(e->arena, bytes.data, bytes.length), bytes.length};
  if (kind == TCC_LLVM_DATA) set_text(e, item);
  return item;
}

TccVal tcc_emit_data(TccEmit *e, const void *bytes, size_t length) {
  return head_constant(e, TCC_LLVM_ADDRESS, TCC_PTR, 0, data_symbol(e, bytes, length));
}

void tcc_emit_code(TccEmit *e, const char *name, TccStr bytes) {
  char digest[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_hex(bytes.data, bytes.length, digest);
  const char *symbol = tcc_arena_printf(e->arena, "%s_%.16s", name, digest);
  TccMapEntry *entry = tcc_map_put(e->symbols, tcc_str(name), NULL);
  entry->pointer = (void *)(uintptr_t)symbol;
  bool first;
  tcc_map_put(e->routines, tcc_str(symbol), &first)->integer = 1;
  if (first) push_item(e, new_bytes(e, TCC_LLVM_CODE, TCC_LLVM_HIDDEN, symbol, bytes));
}

void tcc_emit_shared(TccEmit *e, const char *name, size_t count, const char *elem, uint32_t alignment) {
  TccLlvmItem *item = TCC_NEW(e->arena, TccLlvmItem);
  *item = (TccLlvmItem){.kind = TCC_LLVM_SHARED,
                        .linkage = count ? TCC_LLVM_INTERNAL : TCC_LLVM_EXTERNAL,
                        .symbol = emit_word(e, tcc_str(name)),
                        .count = count,
                        .elem = elem,
                        .alignment = alignment};
  set_text(e, item);
  push_item(e, item);
}

TccVal tcc_emit_int(TccEmit *e, const char *type, int64_t value) {
  if (strcmp(tcc_emit_elem(e, type), "i1") == 0) value = value != 0;
  TccVal v = head_constant(e, TCC_LLVM_INT, type, value, NULL);
  if (strcmp(type, "i64") == 0) note_integer(e, v, value);
  return v;
}

TccVal tcc_emit_i64(TccEmit *e, int64_t value) { return tcc_emit_int(e, "i64", value); }

TccVal tcc_emit_float(TccEmit *e, const char *type, double value) {
  const char *elem = tcc_emit_elem(e, type);
  TccElem kind = strcmp(elem, "f64") == 0    ? TCC_ELEM_F64
                 : strcmp(elem, "f16") == 0  ? TCC_ELEM_F16
                 : strcmp(elem, "bf16") == 0 ? TCC_ELEM_BF16
                                             : TCC_ELEM_F32;
  uint64_t bits = 0;
  tcc_elem_store_f64(kind, &bits, 0, value);
  return head_constant(e, TCC_LLVM_FLOAT, type, (int64_t)bits, NULL);
}

TccVal tcc_emit_zero(TccEmit *e, const char *type) { return head_constant(e, TCC_LLVM_ZERO, type, 0, NULL); }
TccVal tcc_emit_poison(TccEmit *e, const char *type) { return head_constant(e, TCC_LLVM_POISON, type, 0, NULL); }

TccVal tcc_emit_iota(TccEmit *e, const char *elem, int lanes) {
  return lanes == 1 ? tcc_emit_int(e, elem, 0) : head_constant(e, TCC_LLVM_IOTA, tcc_emit_vector(e, elem, lanes), 0, NULL);
}

void tcc_emit_note_number(TccEmit *e, TccVal constant) {
  for (size_t i = e->head.count; i-- > 0;)
    if (e->head.data[i].result == constant) e->head.data[i].flag |= e->head.data[i].op == TCC_LLVM_FLOAT;
}

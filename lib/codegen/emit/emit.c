/* emit.c - functions, types and constants, as text of the LLVM dialect. See emit.h. */
#include "lib/codegen/emit/emit_internal.h"
#include "tcc/digest.h"
#include "tcc/elem.h"
#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

void tcc_emit_init(TccEmit *e, TccArena *arena) {
  memset(e, 0, sizeof *e);
  e->arena = arena;
  e->types = tcc_map_create(arena);
  e->declared = tcc_map_create(arena);
  e->data = tcc_map_create(arena);
  e->symbols = tcc_map_create(arena);
  e->parts = tcc_map_create(arena);
  e->next = 1;
}

void tcc_emit_destroy(TccEmit *e) {
  tcc_text_destroy(&e->globals);
  tcc_text_destroy(&e->head);
  tcc_text_destroy(&e->body);
  tcc_text_destroy(&e->data_text);
}

TccStr tcc_emit_text(TccEmit *e) { return tcc_text_str(&e->globals); }

static TccText *current(TccEmit *e) { return e->constants ? &e->body : &e->globals; }

void tcc_emit_put(TccEmit *e, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(current(e), format, args);
  va_end(args);
}

TccVal tcc_emit_op(TccEmit *e, const char *format, ...) {
  TccVal v = e->next++;
  tcc_text_printf(&e->body, "%%%d = ", v);
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(&e->body, format, args);
  va_end(args);
  tcc_text_put(&e->body, "\n", 1);
  return v;
}

bool tcc_emit_declare(TccEmit *e, const char *name) {
  bool inserted;
  tcc_map_put(e->declared, tcc_str(name), &inserted);
  return inserted;
}

/* ---- types ---- */

const char *tcc_emit_vector(TccEmit *e, const char *elem, int lanes) {
  if (lanes == 1) return elem;
  char name[80];
  int length = snprintf(name, sizeof name, "vector<%dx%s>", lanes, elem);
  TccStr key = {name, (size_t)length};
  TccMapEntry *entry = tcc_map_put(e->types, key, NULL);
  if (!entry->pointer) entry->pointer = tcc_arena_copy(e->arena, name, (size_t)length);
  return entry->pointer;
}

int tcc_emit_lanes(const char *type) { return strncmp(type, "vector<", 7) == 0 ? atoi(type + 7) : 1; }

const char *tcc_emit_elem(TccEmit *e, const char *type) {
  if (strncmp(type, "vector<", 7) != 0) return type;
  const char *elem = strchr(type, 'x') + 1;
  TccStr key = {elem, strlen(elem) - 1};
  TccMapEntry *entry = tcc_map_put(e->types, key, NULL);
  if (!entry->pointer) entry->pointer = tcc_arena_copy(e->arena, key.data, key.length);
  return entry->pointer;
}

/* Bytes of an element spelled in the LLVM dialect; what loads and stores are aligned to. */
int emit_elem_bytes(const char *elem) {
  if (elem[0] == '!') return 8;
  int bits = strncmp(elem, "bf16", 4) == 0 ? 16 : atoi(elem + 1);
  return bits <= 8 ? 1 : bits / 8;
}

/* ---- functions ---- */

void tcc_emit_function(TccEmit *e, const char *name, bool internal, int nparams, const char *const *params, const char *result,
                       TccVal *args) {
  assert(!e->constants);
  tcc_emit_declare(e, name);
  e->constants = tcc_map_create(e->arena);
  e->function = tcc_arena_copy(e->arena, name, strlen(name));
  e->internal = internal;
  e->next = 1; /* equal functions have equal texts */
  if (e->ninteger) memset(e->integer, 0, e->ninteger * sizeof *e->integer);
  tcc_text_clear(&e->head);
  tcc_text_clear(&e->body);
  tcc_text_put(&e->head, "(", 1);
  for (int i = 0; i < nparams; i++) {
    args[i] = e->next++;
    tcc_text_printf(&e->head, "%s%%%d: %s", i ? ", " : "", args[i], params[i]);
  }
  tcc_text_printf(&e->head, ")%s%s%s {\n", result ? " -> " : "", result ? result : "",
                  e->drives  ? " attributes {passthrough = [\"noinline\", \"optnone\", \"nounwind\"]}"
                  : internal ? " attributes {passthrough = [\"noinline\", \"nounwind\", \"stackrealign\"]}"
                             : " attributes {passthrough = [\"nounwind\"]}");
}

/* Whether every symbol in text is a part of this module. */
static bool uses_parts_alone(const TccEmit *e, TccStr text) {
  const char *end = text.data + text.length;
  for (const char *at = text.data; at < end && (at = memchr(at, '@', (size_t)(end - at)));) {
    const char *name = ++at;
    while (at < end && (isalnum((unsigned char)*at) || *at == '_')) at++;
    if (!tcc_map_find(e->parts, (TccStr){name, (size_t)(at - name)})) return false;
  }
  return true;
}

/* The symbol of the finished function. One that was called before it was written has its name in those calls. */
static const char *finished_symbol(TccEmit *e) {
  bool first;
  TccMapEntry *entry = tcc_map_put(e->symbols, tcc_str(e->function), &first);
  if (!e->internal || !first || !uses_parts_alone(e, tcc_text_str(&e->head)) || !uses_parts_alone(e, tcc_text_str(&e->body)))
    return e->function;
  TccText text = {0};
  tcc_text_put(&text, e->head.data, e->head.length);
  tcc_text_put(&text, e->body.data, e->body.length);
  char digest[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_hex(text.data, text.length, digest);
  tcc_text_destroy(&text);
  char *symbol = tcc_arena_printf(e->arena, "%s_%.16s", e->function, digest);
  entry->pointer = symbol;
  tcc_map_put(e->parts, tcc_str(symbol), NULL);
  return symbol;
}

void tcc_emit_return(TccEmit *e, TccVal value, const char *type) {
  if (value) tcc_text_printf(&e->body, "llvm.return %%%d : %s\n}\n", value, type);
  else tcc_text_printf(&e->body, "llvm.return\n}\n");
  const char *symbol = finished_symbol(e);
  if (e->data_text.length) tcc_text_put(&e->globals, e->data_text.data, e->data_text.length);
  tcc_text_clear(&e->data_text);
  e->last = e->globals.length;
  tcc_text_printf(&e->globals, "llvm.func %s@%s", symbol != e->function ? "hidden " : e->internal ? "internal " : "", symbol);
  tcc_text_put(&e->globals, e->head.data, e->head.length);
  tcc_text_put(&e->globals, e->body.data, e->body.length);
  e->constants = NULL;
}

typedef struct {
  const char *symbol;
  TccStr text;
} Part;

bool tcc_emit_part_again(TccEmit *e, const TccMap *known, TccStr key, const char *name) {
  TccMapEntry *entry = tcc_map_find(known, key);
  if (!entry) return false;
  const Part *part = entry->pointer;
  tcc_emit_declare(e, name);
  tcc_map_put(e->symbols, tcc_str(name), NULL)->pointer = (void *)(uintptr_t)part->symbol;
  tcc_map_put(e->parts, tcc_str(part->symbol), NULL);
  tcc_text_put(&e->globals, part->text.data, part->text.length);
  return true;
}

void tcc_emit_part_keep(TccEmit *e, TccMap *known, TccStr key, const char *name) {
  Part *part = TCC_NEW(e->arena, Part);
  part->symbol = tcc_map_find(e->symbols, tcc_str(name))->pointer;
  part->text.length = e->globals.length - e->last;
  part->text.data = tcc_arena_copy(e->arena, e->globals.data + e->last, part->text.length);
  tcc_map_put(known, key, NULL)->pointer = part;
}

void emit_values(TccEmit *e, int n, const TccVal *v, const char *const *types) {
  if (n == 0) return;
  tcc_emit_put(e, "(");
  for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%%%d", i ? ", " : "", v[i]);
  tcc_emit_put(e, " : ");
  for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%s", i ? ", " : "", types[i]);
  tcc_emit_put(e, ")");
}

static const char *symbol_of(TccEmit *e, const char *name) {
  const char *symbol = tcc_map_put(e->symbols, tcc_str(name), NULL)->pointer;
  return symbol ? symbol : name;
}

static void put_arguments(TccEmit *e, int n, const TccVal *args) {
  tcc_emit_put(e, "(");
  for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%%%d", i ? ", " : "", args[i]);
  tcc_emit_put(e, ")");
}

static void put_signature(TccEmit *e, int n, const char *const *types, const char *result) {
  tcc_emit_put(e, "(");
  for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%s", i ? ", " : "", types[i]);
  tcc_emit_put(e, ") -> %s\n", result ? result : "()");
}

TccVal tcc_emit_call(TccEmit *e, const char *name, int n, const TccVal *args, const char *const *types, const char *result) {
  TccVal v = 0;
  const char *symbol = symbol_of(e, name);
  TccMapEntry *part = tcc_map_find(e->parts, tcc_str(symbol));
  if (part && part->integer) { /* machine code: to LLVM a constant */
    assert(!result);
    tcc_emit_call_pointer(e, tcc_emit_function_address(e, name), n, args, types);
    return 0;
  }
  if (result) {
    v = e->next++;
    tcc_emit_put(e, "%%%d = ", v);
  }
  tcc_emit_put(e, "llvm.call @%s", symbol);
  put_arguments(e, n, args);
  tcc_emit_put(e, " : ");
  put_signature(e, n, types, result);
  return v;
}

void tcc_emit_call_pointer(TccEmit *e, TccVal callee, int n, const TccVal *args, const char *const *types) {
  tcc_emit_put(e, "llvm.call %%%d", callee);
  put_arguments(e, n, args);
  tcc_emit_put(e, " : !llvm.ptr, ");
  put_signature(e, n, types, NULL);
}

/* ---- constants ---- */

static TccVal constant(TccEmit *e, const char *literal, const char *type) {
  char key[1200];
  int length = snprintf(key, sizeof key, "%s : %s", literal, type);
  assert(length > 0 && (size_t)length < sizeof key);
  TccStr text = {key, (size_t)length};
  TccMapEntry *entry = tcc_map_put(e->constants, text, NULL);
  if (!entry->integer) {
    entry->integer = e->next++;
    tcc_text_printf(&e->head, "%%%d = llvm.mlir.%s\n", (int)entry->integer, key);
  }
  return (TccVal)entry->integer;
}

TccVal tcc_emit_function_address(TccEmit *e, const char *name) {
  char literal[120];
  snprintf(literal, sizeof literal, "addressof @%s", symbol_of(e, name));
  return constant(e, literal, TCC_PTR);
}

static void note_integer(TccEmit *e, TccVal v, int64_t value) {
  if ((size_t)v >= e->ninteger) {
    size_t n = (size_t)v + 256;
    e->integer = tcc_arena_grow(e->arena, e->integer, e->ninteger * sizeof *e->integer, n * sizeof *e->integer);
    memset(e->integer + e->ninteger, 0, (n - e->ninteger) * sizeof *e->integer);
    e->ninteger = n;
  }
  e->integer[v].value = value;
  e->integer[v].known = true;
}

bool tcc_emit_known(const TccEmit *e, TccVal v, int64_t *out) {
  if ((size_t)v >= e->ninteger || !e->integer[v].known) return false;
  *out = e->integer[v].value;
  return true;
}

/* As a string of MLIR. */
static void put_bytes(TccText *text, const unsigned char *bytes, size_t length) {
  static const char digits[] = "0123456789ABCDEF";
  char buffer[3 * 256];
  for (size_t done = 0; done < length;) {
    size_t n = 0;
    for (; done < length && n < sizeof buffer; done++)
      buffer[n++] = '\\', buffer[n++] = digits[bytes[done] >> 4], buffer[n++] = digits[bytes[done] & 15];
    tcc_text_put(text, buffer, n);
  }
}

TccVal tcc_emit_data(TccEmit *e, const void *bytes, size_t length) {
  TccStr key = {bytes, length};
  TccMapEntry *entry = tcc_map_put(e->data, key, NULL);
  if (!entry->integer) {
    entry->integer = (int64_t)tcc_map_count(e->data);
    tcc_text_printf(&e->data_text, "llvm.mlir.global internal constant @data%d(\"", (int)entry->integer);
    put_bytes(&e->data_text, bytes, length);
    tcc_text_printf(&e->data_text, "\") {addr_space = 0 : i32, alignment = 64 : i64} : !llvm.array<%zu x i8>\n", length);
  }
  char literal[40];
  snprintf(literal, sizeof literal, "addressof @data%d", (int)entry->integer);
  return constant(e, literal, TCC_PTR);
}

void tcc_emit_code(TccEmit *e, const char *name, TccStr bytes) {
  char digest[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_hex(bytes.data, bytes.length, digest);
  const char *symbol = tcc_arena_printf(e->arena, "%s_%.16s", name, digest);
  TccMapEntry *entry = tcc_map_put(e->symbols, tcc_str(name), NULL);
  entry->pointer = (void *)(uintptr_t)symbol;
  bool first;
  tcc_map_put(e->parts, tcc_str(symbol), &first)->integer = 1;
  if (!first) return;
  tcc_text_printf(&e->globals, "llvm.mlir.global hidden constant @%s(\"", symbol);
  put_bytes(&e->globals, (const unsigned char *)bytes.data, bytes.length);
  tcc_text_printf(&e->globals,
                  "\") {addr_space = 0 : i32, alignment = 64 : i64, section = \"" TCC_CODE_SECTION "\"} : !llvm.array<%zu x i8>\n",
                  bytes.length);
}

TccVal tcc_emit_int(TccEmit *e, const char *type, int64_t value) {
  char literal[160];
  const char *elem = tcc_emit_elem(e, type);
  bool is_bool = strcmp(elem, "i1") == 0, vector = elem != type && tcc_emit_lanes(type) > 1;
  char number[40];
  if (is_bool) snprintf(number, sizeof number, "%s", value ? "true" : "false");
  else snprintf(number, sizeof number, "%" PRId64, value);
  if (vector) snprintf(literal, sizeof literal, "constant(dense<%s> : %s)", number, type);
  else if (is_bool) snprintf(literal, sizeof literal, "constant(%s)", number);
  else snprintf(literal, sizeof literal, "constant(%s : %s)", number, type);
  TccVal v = constant(e, literal, type);
  if (strcmp(type, "i64") == 0) note_integer(e, v, value);
  return v;
}

TccVal tcc_emit_i64(TccEmit *e, int64_t value) { return tcc_emit_int(e, "i64", value); }

TccVal tcc_emit_float(TccEmit *e, const char *type, double value) {
  char literal[160];
  const char *elem = tcc_emit_elem(e, type);
  TccElem kind = strcmp(elem, "f64") == 0    ? TCC_ELEM_F64
                 : strcmp(elem, "f16") == 0  ? TCC_ELEM_F16
                 : strcmp(elem, "bf16") == 0 ? TCC_ELEM_BF16
                                             : TCC_ELEM_F32;
  uint64_t bits = 0;
  tcc_elem_store_f64(kind, &bits, 0, value);
  int digits = (int)tcc_elem_bits(kind) / 4;
  if (tcc_emit_lanes(type) > 1) snprintf(literal, sizeof literal, "constant(dense<0x%0*" PRIX64 "> : %s)", digits, bits, type);
  else snprintf(literal, sizeof literal, "constant(0x%0*" PRIX64 " : %s)", digits, bits, type);
  return constant(e, literal, type);
}

TccVal tcc_emit_zero(TccEmit *e, const char *type) { return constant(e, "zero", type); }
TccVal tcc_emit_poison(TccEmit *e, const char *type) { return constant(e, "poison", type); }

TccVal tcc_emit_iota(TccEmit *e, const char *elem, int lanes) {
  if (lanes == 1) return tcc_emit_int(e, elem, 0);
  char literal[600];
  int n = snprintf(literal, sizeof literal, "constant(dense<[");
  for (int i = 0; i < lanes; i++) n += snprintf(literal + n, sizeof literal - (size_t)n, "%s%d", i ? ", " : "", i);
  const char *type = tcc_emit_vector(e, elem, lanes);
  snprintf(literal + n, sizeof literal - (size_t)n, "]> : %s)", type);
  return constant(e, literal, type);
}

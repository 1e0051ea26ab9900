/* emit.c - text of the LLVM dialect. See emit.h. */
#include "lib/codegen/emit/emit.h"
#include "tcc/elem.h"
#include "tcc/digest.h"
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
static int elem_bytes(const char *elem) {
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
  if (!e->internal || !first || !uses_parts_alone(e, tcc_text_str(&e->head)) || !uses_parts_alone(e, tcc_text_str(&e->body))) return e->function;
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

typedef struct { const char *symbol; TccStr text; } Part;

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

static void put_values(TccEmit *e, int n, const TccVal *v, const char *const *types) {
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
    for (; done < length && n < sizeof buffer; done++) buffer[n++] = '\\', buffer[n++] = digits[bytes[done] >> 4], buffer[n++] = digits[bytes[done] & 15];
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
  tcc_text_printf(&e->globals, "\") {addr_space = 0 : i32, alignment = 64 : i64, section = \"" TCC_CODE_SECTION "\"} : !llvm.array<%zu x i8>\n", bytes.length);
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
  TccElem kind = strcmp(elem, "f64") == 0   ? TCC_ELEM_F64
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

/* ---- i64 arithmetic ---- */

TccVal tcc_emit_bin(TccEmit *e, const char *op, const char *type, TccVal a, TccVal b) {
  return tcc_emit_op(e, "llvm.%s %%%d, %%%d%s : %s", op, a, b,
                     op[0] == 'f' ? " {fastmathFlags = #llvm.fastmath<contract>}" : "", type);
}

TccVal tcc_emit_add(TccEmit *e, TccVal a, TccVal b) {
  int64_t x, y;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (ka && kb) return tcc_emit_i64(e, x + y);
  if (ka && x == 0) return b;
  if (kb && y == 0) return a;
  return tcc_emit_bin(e, "add", "i64", a, b);
}

TccVal tcc_emit_sub(TccEmit *e, TccVal a, TccVal b) {
  int64_t x, y;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (ka && kb) return tcc_emit_i64(e, x - y);
  if (kb && y == 0) return a;
  return tcc_emit_bin(e, "sub", "i64", a, b);
}

TccVal tcc_emit_mul(TccEmit *e, TccVal a, TccVal b) {
  int64_t x, y;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (ka && kb) return tcc_emit_i64(e, x * y);
  if ((ka && x == 0) || (kb && y == 0)) return tcc_emit_i64(e, 0);
  if (ka && x == 1) return b;
  if (kb && y == 1) return a;
  return tcc_emit_bin(e, "mul", "i64", a, b);
}

TccVal tcc_emit_div(TccEmit *e, TccVal a, TccVal b) {
  int64_t x = 0, y = 0;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (kb && y == 1) return a;
  if (ka && kb && x >= 0 && y > 0) return tcc_emit_i64(e, x / y);
  return tcc_emit_bin(e, "udiv", "i64", a, b);
}

TccVal tcc_emit_rem(TccEmit *e, TccVal a, TccVal b) {
  int64_t x = 0, y = 0;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (kb && y == 1) return tcc_emit_i64(e, 0);
  if (ka && kb && x >= 0 && y > 0) return tcc_emit_i64(e, x % y);
  return tcc_emit_bin(e, "urem", "i64", a, b);
}

static TccVal pick(TccEmit *e, const char *predicate, bool want_less, TccVal a, TccVal b) {
  int64_t x, y;
  if (a == b) return a;
  if (tcc_emit_known(e, a, &x) && tcc_emit_known(e, b, &y)) return (x < y) == want_less ? a : b;
  return tcc_emit_select1(e, "i64", tcc_emit_icmp(e, predicate, "i64", a, b), a, b);
}

TccVal tcc_emit_min(TccEmit *e, TccVal a, TccVal b) { return pick(e, "slt", true, a, b); }
TccVal tcc_emit_max(TccEmit *e, TccVal a, TccVal b) { return pick(e, "sgt", false, a, b); }

TccVal tcc_emit_ceil_div(TccEmit *e, TccVal a, int64_t b) {
  return tcc_emit_div(e, tcc_emit_add(e, a, tcc_emit_i64(e, b - 1)), tcc_emit_i64(e, b));
}

TccVal tcc_emit_round_up(TccEmit *e, TccVal a, int64_t b) { return tcc_emit_mul(e, tcc_emit_ceil_div(e, a, b), tcc_emit_i64(e, b)); }

/* ---- ops ---- */

TccVal tcc_emit_fma(TccEmit *e, const char *type, TccVal a, TccVal b, TccVal c) {
  return tcc_emit_op(e, "llvm.intr.fma(%%%d, %%%d, %%%d) : (%s, %s, %s) -> %s", a, b, c, type, type, type, type);
}

TccVal tcc_emit_icmp(TccEmit *e, const char *predicate, const char *type, TccVal a, TccVal b) {
  return tcc_emit_op(e, "llvm.icmp \"%s\" %%%d, %%%d : %s", predicate, a, b, type);
}

TccVal tcc_emit_fcmp(TccEmit *e, const char *predicate, const char *type, TccVal a, TccVal b) {
  return tcc_emit_op(e, "llvm.fcmp \"%s\" %%%d, %%%d : %s", predicate, a, b, type);
}

TccVal tcc_emit_select(TccEmit *e, const char *type, TccVal condition, TccVal a, TccVal b) {
  const char *mask = tcc_emit_vector(e, "i1", tcc_emit_lanes(type));
  return tcc_emit_op(e, "llvm.select %%%d, %%%d, %%%d : %s, %s", condition, a, b, mask, type);
}

TccVal tcc_emit_select1(TccEmit *e, const char *type, TccVal condition, TccVal a, TccVal b) {
  return a == b ? a : tcc_emit_op(e, "llvm.select %%%d, %%%d, %%%d : i1, %s", condition, a, b, type);
}

TccVal tcc_emit_cast(TccEmit *e, const char *op, const char *from, const char *to, TccVal v) {
  return strcmp(from, to) == 0 ? v : tcc_emit_op(e, "llvm.%s %%%d : %s to %s", op, v, from, to);
}

TccVal tcc_emit_intrinsic(TccEmit *e, const char *name, const char *type, int n, const TccVal *args) {
  TccVal v = e->next++;
  tcc_emit_put(e, "%%%d = llvm.intr.%s(", v, name);
  for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%%%d", i ? ", " : "", args[i]);
  tcc_emit_put(e, ") : (");
  for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%s", i ? ", " : "", type);
  tcc_emit_put(e, ") -> %s\n", type);
  return v;
}

TccVal tcc_emit_splat(TccEmit *e, const char *type, TccVal scalar) {
  int lanes = tcc_emit_lanes(type);
  if (lanes == 1) return scalar;
  TccVal poison = tcc_emit_poison(e, type), zero = tcc_emit_i64(e, 0);
  TccVal first = tcc_emit_op(e, "llvm.insertelement %%%d, %%%d[%%%d : i64] : %s", scalar, poison, zero, type);
  TccVal v = e->next++;
  tcc_emit_put(e, "%%%d = llvm.shufflevector %%%d, %%%d [0", v, first, poison);
  for (int i = 1; i < lanes; i++) tcc_emit_put(e, ", 0");
  tcc_emit_put(e, "] : %s\n", type);
  return v;
}

TccVal tcc_emit_shuffle(TccEmit *e, const char *type, TccVal a, TccVal b, const int *index) {
  TccVal v = e->next++;
  tcc_emit_put(e, "%%%d = llvm.shufflevector %%%d, %%%d [", v, a, b);
  for (int i = 0; i < tcc_emit_lanes(type); i++) tcc_emit_put(e, "%s%d", i ? ", " : "", index[i]);
  tcc_emit_put(e, "] : %s\n", type);
  return v;
}

TccVal tcc_emit_even(TccEmit *e, const char *type, TccVal a, TccVal b) {
  int lanes = tcc_emit_lanes(type), index[64];
  for (int i = 0; i < lanes; i++) index[i] = 2 * i;
  return tcc_emit_shuffle(e, type, a, b, index);
}

/* Rows i and i + lanes / 2 interleaved, log2(lanes) times over: each round turns the bits of an element's place, row and
 * column, by one (Stone 1971). The squares lie in memory and the rounds are a loop, since the 64 shuffles of 16 x 16 in one
 * block take the code generator long; two rounds at once, where their number is even, halve the stores. */
TccVal tcc_emit_transpose(TccEmit *e, const char *type, TccVal square) {
  int lanes = tcc_emit_lanes(type), rounds = 0, index[2][64];
  if (lanes == 1) return square;
  for (int i = 0; i < lanes; i++) {
    index[0][i] = i % 2 * lanes + i / 2;
    index[1][i] = index[0][i] + lanes / 2;
  }
  while (1 << rounds < lanes) rounds++;
  int n = rounds % 2 ? 2 : 4, step = lanes / n;
  TccVal zero = tcc_emit_i64(e, 0), start[2] = {square, tcc_emit_at(e, type, square, lanes)}, rows[4], next[4];
  TccLoop round, row;
  tcc_emit_for(e, &round, zero, tcc_emit_i64(e, rounds), n / 2, 2, start, (const char *const[]){TCC_PTR, TCC_PTR});
  tcc_emit_for(e, &row, zero, tcc_emit_i64(e, step), 1, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, type, round.in[0], row.iv), to = tcc_emit_gep(e, type, round.in[1], tcc_emit_mul(e, row.iv, tcc_emit_i64(e, n)));
  for (int i = 0; i < n; i++) rows[i] = tcc_emit_load(e, type, tcc_emit_at(e, type, from, i * step));
  for (int d = n / 2; d > 0; d /= 2) { /* rows i and i + n / 2, to 2 i and 2 i + 1 */
    for (int i = 0; i < n; i++) next[i] = tcc_emit_shuffle(e, type, rows[i / 2], rows[i / 2 + n / 2], index[i % 2]);
    memcpy(rows, next, sizeof rows);
  }
  for (int i = 0; i < n; i++) tcc_emit_store(e, type, rows[i], tcc_emit_at(e, type, to, i));
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &round, (TccVal[]){round.in[1], round.in[0]});
  return round.out[0];
}

TccVal tcc_emit_extract(TccEmit *e, const char *type, TccVal v, int lane) {
  if (tcc_emit_lanes(type) == 1) return v;
  return tcc_emit_op(e, "llvm.extractelement %%%d[%%%d : i64] : %s", v, tcc_emit_i64(e, lane), type);
}

/* ---- memory ---- */

TccVal tcc_emit_gep(TccEmit *e, const char *elem, TccVal p, TccVal index) {
  int64_t known;
  if (tcc_emit_known(e, index, &known) && known >= INT32_MIN / 2 && known <= INT32_MAX / 2) return tcc_emit_at(e, elem, p, known);
  return tcc_emit_op(e, "llvm.getelementptr %%%d[%%%d] : (!llvm.ptr, i64) -> !llvm.ptr, %s", p, index, elem);
}

TccVal tcc_emit_at(TccEmit *e, const char *elem, TccVal p, int64_t index) {
  if (index == 0) return p;
  return tcc_emit_op(e, "llvm.getelementptr %%%d[%" PRId64 "] : (!llvm.ptr) -> !llvm.ptr, %s", p, index, elem);
}

TccVal tcc_emit_load(TccEmit *e, const char *type, TccVal p) {
  return tcc_emit_op(e, "llvm.load %%%d {alignment = %d : i64} : !llvm.ptr -> %s", p, elem_bytes(tcc_emit_elem(e, type)), type);
}

TccVal tcc_emit_load_once(TccEmit *e, const char *type, TccVal p, int64_t index) {
  char key[120];
  int length = snprintf(key, sizeof key, "load %%%d[%" PRId64 "] : %s", p, index, type);
  TccStr text = {key, (size_t)length};
  TccMapEntry *entry = tcc_map_put(e->constants, text, NULL);
  if (!entry->integer) {
    TccVal at = e->next++, v = e->next++;
    tcc_text_printf(&e->head, "%%%d = llvm.getelementptr %%%d[%" PRId64 "] : (!llvm.ptr) -> !llvm.ptr, %s\n", at, p, index, type);
    tcc_text_printf(&e->head, "%%%d = llvm.load %%%d : !llvm.ptr -> %s\n", v, at, type);
    entry->integer = v;
  }
  return (TccVal)entry->integer;
}

void tcc_emit_store(TccEmit *e, const char *type, TccVal v, TccVal p) {
  tcc_emit_put(e, "llvm.store %%%d, %%%d {alignment = %d : i64} : %s, !llvm.ptr\n", v, p, elem_bytes(tcc_emit_elem(e, type)), type);
}

TccVal tcc_emit_masked_load(TccEmit *e, const char *type, TccVal p, TccVal mask) {
  if (!mask) return tcc_emit_load(e, type, p);
  return tcc_emit_op(e, "llvm.intr.masked.load %%%d, %%%d, %%%d {alignment = %d : i32} : (!llvm.ptr, vector<%dxi1>, %s) -> %s", p, mask,
                     tcc_emit_zero(e, type), elem_bytes(tcc_emit_elem(e, type)), tcc_emit_lanes(type), type, type);
}

void tcc_emit_masked_store(TccEmit *e, const char *type, TccVal v, TccVal p, TccVal mask) {
  if (!mask) {
    tcc_emit_store(e, type, v, p);
    return;
  }
  tcc_emit_put(e, "llvm.intr.masked.store %%%d, %%%d, %%%d {alignment = %d : i32} : %s, vector<%dxi1> into !llvm.ptr\n", v, p, mask,
               elem_bytes(tcc_emit_elem(e, type)), type, tcc_emit_lanes(type));
}

static TccVal lane_pointers(TccEmit *e, const char *elem, int lanes, TccVal p, const char *index_type, TccVal index) {
  return tcc_emit_op(e, "llvm.getelementptr %%%d[%%%d] : (!llvm.ptr, %s) -> vector<%dx!llvm.ptr>, %s", p, index, index_type, lanes, elem);
}

TccVal tcc_emit_gather(TccEmit *e, const char *type, TccVal p, const char *index_type, TccVal index, TccVal mask) {
  const char *elem = tcc_emit_elem(e, type);
  int lanes = tcc_emit_lanes(type);
  if (lanes == 1) return tcc_emit_load(e, type, tcc_emit_gep(e, elem, p, index));
  if (!mask) mask = tcc_emit_int(e, tcc_emit_vector(e, "i1", lanes), 1);
  TccVal pointers = lane_pointers(e, elem, lanes, p, index_type, index);
  return tcc_emit_op(e, "llvm.intr.masked.gather %%%d, %%%d, %%%d {alignment = %d : i32} : (vector<%dx!llvm.ptr>, vector<%dxi1>, %s) -> %s",
                     pointers, mask, tcc_emit_zero(e, type), elem_bytes(elem), lanes, lanes, type, type);
}

void tcc_emit_scatter(TccEmit *e, const char *type, TccVal v, TccVal p, const char *index_type, TccVal index, TccVal mask) {
  const char *elem = tcc_emit_elem(e, type);
  int lanes = tcc_emit_lanes(type);
  if (lanes == 1) {
    tcc_emit_store(e, type, v, tcc_emit_gep(e, elem, p, index));
    return;
  }
  if (!mask) mask = tcc_emit_int(e, tcc_emit_vector(e, "i1", lanes), 1);
  TccVal pointers = lane_pointers(e, elem, lanes, p, index_type, index);
  tcc_emit_put(e, "llvm.intr.masked.scatter %%%d, %%%d, %%%d {alignment = %d : i32} : %s, vector<%dxi1> into vector<%dx!llvm.ptr>\n", v, pointers,
               mask, elem_bytes(elem), type, lanes, lanes);
}

TccVal tcc_emit_mask(TccEmit *e, TccVal count, int lanes) {
  const char *type = tcc_emit_vector(e, "i32", lanes);
  TccVal clamped = tcc_emit_max(e, tcc_emit_min(e, count, tcc_emit_i64(e, lanes)), tcc_emit_i64(e, 0));
  TccVal narrow = tcc_emit_cast(e, "trunc", "i64", "i32", clamped);
  return tcc_emit_icmp(e, "slt", type, tcc_emit_iota(e, "i32", lanes), tcc_emit_splat(e, type, narrow));
}

void tcc_emit_prefetch(TccEmit *e, TccVal p, bool write, int locality) {
  tcc_emit_put(e, "\"llvm.intr.prefetch\"(%%%d) {cache = 1 : i32, hint = %d : i32, rw = %d : i32} : (!llvm.ptr) -> ()\n", p, locality, write);
}

/* ---- control flow ---- */

static void put_block(TccEmit *e, int block, int n, const TccVal *values, const char *const *types) {
  tcc_emit_put(e, "^b%d", block);
  if (n) {
    tcc_emit_put(e, "(");
    for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%%%d: %s", i ? ", " : "", values[i], types[i]);
    tcc_emit_put(e, ")");
  }
  tcc_emit_put(e, ":\n");
}

/* cond_br to the body with (iv, carried) or to the exit with (carried). */
static void loop_branch(TccEmit *e, TccLoop *loop, TccVal iv, const TccVal *carried) {
  TccVal values[TCC_LOOP_MAX + 1];
  const char *types[TCC_LOOP_MAX + 1];
  values[0] = iv;
  types[0] = "i64";
  for (int i = 0; i < loop->n; i++) {
    values[i + 1] = carried[i];
    types[i + 1] = loop->type[i];
  }
  TccVal more = tcc_emit_icmp(e, "slt", "i64", iv, loop->upper);
  tcc_emit_put(e, "llvm.cond_br %%%d, ^b%d", more, loop->body);
  put_values(e, loop->n + 1, values, types);
  tcc_emit_put(e, ", ^b%d", loop->exit);
  put_values(e, loop->n, values + 1, types + 1);
  tcc_emit_put(e, "\n");
}

void tcc_emit_for(TccEmit *e, TccLoop *loop, TccVal lower, TccVal upper, int64_t step, int n, const TccVal *init, const char *const *types) {
  tcc_emit_for_by(e, loop, lower, upper, tcc_emit_i64(e, step), n, init, types);
}

void tcc_emit_for_by(TccEmit *e, TccLoop *loop, TccVal lower, TccVal upper, TccVal step, int n, const TccVal *init, const char *const *types) {
  assert(n <= TCC_LOOP_MAX);
  loop->n = n;
  loop->upper = upper;
  loop->step = step;
  loop->body = e->next++;
  loop->exit = e->next++;
  TccVal values[TCC_LOOP_MAX + 1];
  const char *all[TCC_LOOP_MAX + 1];
  loop->iv = values[0] = e->next++;
  all[0] = "i64";
  for (int i = 0; i < n; i++) {
    loop->type[i] = all[i + 1] = types[i];
    loop->in[i] = values[i + 1] = e->next++;
    loop->out[i] = e->next++;
  }
  loop_branch(e, loop, lower, init);
  put_block(e, loop->body, n + 1, values, all);
}

void tcc_emit_end_for(TccEmit *e, TccLoop *loop, const TccVal *next) {
  loop_branch(e, loop, tcc_emit_add(e, loop->iv, loop->step), next);
  put_block(e, loop->exit, loop->n, loop->out, loop->type);
}

void tcc_emit_if(TccEmit *e, TccIf *i, TccVal condition, int n, const char *const *types) {
  assert(n <= 16);
  i->then = e->next++;
  i->otherwise = e->next++;
  i->end = e->next++;
  i->n = n;
  i->has_else = false;
  for (int k = 0; k < n; k++) {
    i->type[k] = types[k];
    i->out[k] = e->next++;
  }
  tcc_emit_put(e, "llvm.cond_br %%%d, ^b%d, ^b%d\n", condition, i->then, i->otherwise);
  put_block(e, i->then, 0, NULL, NULL);
}

void tcc_emit_else(TccEmit *e, TccIf *i, const TccVal *yield) {
  i->has_else = true;
  tcc_emit_put(e, "llvm.br ^b%d", i->end);
  put_values(e, i->n, yield, i->type);
  tcc_emit_put(e, "\n");
  put_block(e, i->otherwise, 0, NULL, NULL);
}

void tcc_emit_end_if(TccEmit *e, TccIf *i, const TccVal *yield) {
  assert(i->has_else || i->n == 0);
  int to = i->has_else ? i->end : i->otherwise;
  tcc_emit_put(e, "llvm.br ^b%d", to);
  put_values(e, i->n, yield, i->type);
  tcc_emit_put(e, "\n");
  put_block(e, to, i->n, i->out, i->type);
}

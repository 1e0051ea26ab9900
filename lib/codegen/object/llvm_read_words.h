/* llvm_read_words.h - the state of llvm_read.c's reader, and what both of its files take from the text: words, numbers, types, values.
 *
 * What does not fit ends the attempt (give_up): no caller looks at a failure. */
#ifndef TCC_CODEGEN_LLVM_READ_WORDS_H
#define TCC_CODEGEN_LLVM_READ_WORDS_H
#include "tcc/base.h"
#include "llvm-c/Core.h"
#include <setjmp.h>
#include <stdlib.h>

enum { MOST_ARGS = 128, MOST_NUMBER = 1 << 24 };
typedef struct Edge Edge;
struct Edge {
  Edge *next;
  LLVMBasicBlockRef from;
  LLVMValueRef *values;
};
typedef struct {
  LLVMBasicBlockRef block;
  int nphis;
  LLVMValueRef *phi;
  Edge *edges; /* into it, the last first */
} Block;
typedef struct {
  const char *at, *end;
  TccArena *arena;
  LLVMContextRef context;
  LLVMModuleRef module;
  LLVMBuilderRef builder;
  TccMap *symbols; /* of this text: name -> function or constant */
  LLVMValueRef function;
  LLVMValueRef *value; /* of the function, by number */
  Block *block;
  size_t count;    /* of both */
  jmp_buf unknown; /* what is not known here */
} Reader;

_Noreturn static inline void give_up(Reader *r) { longjmp(r->unknown, 1); }

/* ---- words ---- */

static inline bool next_is(const Reader *r, const char *word) {
  size_t n = strlen(word);
  return (size_t)(r->end - r->at) >= n && memcmp(r->at, word, n) == 0;
}

static inline bool take(Reader *r, const char *word) {
  if (!next_is(r, word)) return false;
  r->at += strlen(word);
  return true;
}

static inline void want(Reader *r, const char *word) {
  if (!take(r, word)) give_up(r);
}

static inline int64_t take_integer(Reader *r) {
  char *after;
  if (r->at == r->end || (*r->at != '-' && (*r->at < '0' || *r->at > '9'))) give_up(r); /* the text ends with a NUL or a line */
  int64_t v = strtoll(r->at, &after, 10);
  r->at = after;
  return v;
}

static inline int take_number(Reader *r) {
  int64_t v = take_integer(r);
  if (v < 0 || v >= MOST_NUMBER) give_up(r);
  return (int)v;
}

/* Letters, digits, '_' and '.'. */
static inline TccStr take_word(Reader *r) {
  const char *from = r->at;
  while (r->at < r->end &&
         ((*r->at | 32) >= 'a' && (*r->at | 32) <= 'z' ? true : (*r->at >= '0' && *r->at <= '9') || *r->at == '_' || *r->at == '.'))
    r->at++;
  if (r->at == from) give_up(r);
  return (TccStr){from, (size_t)(r->at - from)};
}

static inline const char *copy(Reader *r, TccStr s) { return tcc_arena_copy(r->arena, s.data, s.length); }

/* ---- types ---- */

static inline LLVMTypeRef take_type(Reader *r) {
  LLVMContextRef c = r->context;
  if (take(r, "!llvm.ptr")) return LLVMPointerTypeInContext(c, 0);
  if (take(r, "vector<")) {
    int64_t lanes = take_integer(r);
    want(r, "x");
    LLVMTypeRef elem = take_type(r);
    want(r, ">");
    if (lanes < 1 || lanes > 4096 || LLVMGetTypeKind(elem) == LLVMVectorTypeKind) give_up(r);
    return LLVMVectorType(elem, (unsigned)lanes);
  }
  TccStr word = take_word(r);
  static const struct {
    const char *name;
    LLVMTypeRef (*get)(LLVMContextRef);
  } types[] = {{"i64", LLVMInt64TypeInContext},  {"f32", LLVMFloatTypeInContext}, {"i1", LLVMInt1TypeInContext},
               {"i32", LLVMInt32TypeInContext},  {"i8", LLVMInt8TypeInContext},   {"i16", LLVMInt16TypeInContext},
               {"f64", LLVMDoubleTypeInContext}, {"f16", LLVMHalfTypeInContext},  {"bf16", LLVMBFloatTypeInContext},
               {"i128", LLVMInt128TypeInContext}};
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    if (tcc_str_is(word, types[i].name)) return types[i].get(c);
  give_up(r);
}

/* "(T, T, ...)" */
static inline int take_types(Reader *r, LLVMTypeRef *types) {
  int n = 0;
  want(r, "(");
  while (!take(r, ")")) {
    if (n == MOST_ARGS || (n && !take(r, ", "))) give_up(r);
    types[n++] = take_type(r);
  }
  return n;
}

/* " -> T", or void for " -> ()" */
static inline LLVMTypeRef take_result(Reader *r) {
  want(r, " -> ");
  return take(r, "()") ? LLVMVoidTypeInContext(r->context) : take_type(r);
}

/* ---- values ---- */

static inline size_t place(Reader *r, int number) {
  if ((size_t)number >= r->count) {
    size_t n = 2 * (size_t)number + 64;
    r->value = tcc_arena_grow(r->arena, r->value, r->count * sizeof *r->value, n * sizeof *r->value);
    r->block = tcc_arena_grow(r->arena, r->block, r->count * sizeof *r->block, n * sizeof *r->block);
    memset(r->value + r->count, 0, (n - r->count) * sizeof *r->value);
    memset(r->block + r->count, 0, (n - r->count) * sizeof *r->block);
    r->count = n;
  }
  return (size_t)number;
}

static inline LLVMValueRef take_value(Reader *r) {
  want(r, "%");
  size_t at = place(r, take_number(r)); /* may move r->value */
  LLVMValueRef v = r->value[at];
  if (!v) give_up(r);
  return v;
}

/* "%1, %2, ..." up to `n` of them */
static inline void take_operands(Reader *r, int n, LLVMValueRef *out) {
  for (int i = 0; i < n; i++) {
    if (i) want(r, ", ");
    out[i] = take_value(r);
  }
}

static inline int take_arguments(Reader *r, LLVMValueRef *out) {
  int n = 0;
  want(r, "(");
  while (!take(r, ")")) {
    if (n == MOST_ARGS || (n && !take(r, ", "))) give_up(r);
    out[n++] = take_value(r);
  }
  return n;
}

static inline void same_type(Reader *r, LLVMValueRef v, LLVMTypeRef type) {
  if (LLVMTypeOf(v) != type) give_up(r);
}

/* llvm_read.c: "^b5" or "^b5(%1, %2 : T, T)", a branch from the open block. */
LLVMBasicBlockRef llvm_read_target(Reader *r);
/* llvm_read_ops.c: an op; its value, or NULL. */
LLVMValueRef llvm_read_op(Reader *r);
#endif

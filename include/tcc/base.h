/* base.h - memory, strings and containers of the byte world (no MLIR).
 *
 * Compile-time data lives in arenas: nothing is freed one by one. The run-time uses its own allocator and never an arena in
 * steady state. Strings are (pointer, length); where a NUL is guaranteed the field says so.
 *
 * Where there is no memory, the run-time tells its caller: lib/base, lib/runtime and lib/image are built with TCC_CHECKED_MEMORY, and there
 * what allocates in an arena gives NULL, and a text says that it `failed`. All others, the compiler, the commands and tests, end
 * with a message, as LLVM and MLIR do inside of them. */
#ifndef TCC_BASE_H
#define TCC_BASE_H
#include "tcc/status.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* ---- no memory ---- */
typedef void TccNoMemory(size_t bytes); /* does not return */
#ifdef TCC_CHECKED_MEMORY
#define TCC_NO_MEMORY_HANDLER NULL
#else
#define TCC_NO_MEMORY_HANDLER tcc_end_without_memory
_Noreturn void exit(int status); /* of stdlib.h, which has more names than every includer of this file wants */
static inline _Noreturn void tcc_end_without_memory(size_t bytes) {
  fprintf(stderr, "tcc: out of memory (%zu bytes)\n", bytes);
  exit(1);
}
#endif
#define TCC_ERROR_NO_MEMORY() TCC_ERROR(TCC_NO_MEMORY, "out of memory")

/* ---- checked arithmetic on sizes; false on overflow ---- */
static inline bool tcc_mul_size(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }
static inline bool tcc_add_size(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }

/* ---- arena: bump allocation in chunks; not thread-safe, one per run, pass or thread ---- */
typedef struct TccArena TccArena;
#define tcc_arena_create() tcc_arena_create_with(TCC_NO_MEMORY_HANDLER)
/* "a, b or c"; last: what stands in front of the last one, "or". */
#define tcc_text_put_words(text, words, count, last)                                                                               \
  tcc_text_put_words_with(TCC_NO_MEMORY_HANDLER, (text), (words), (count), (last))
/* handler: called where there is no memory; NULL: all that allocates gives NULL then, and so it does with NULL as the arena. */
TCC_EXPORT TccArena *tcc_arena_create_with(TccNoMemory *handler);
TCC_EXPORT void tcc_arena_destroy(TccArena *arena);
TCC_EXPORT void tcc_arena_reset(TccArena *arena);                /* frees all, keeps one chunk */
TCC_EXPORT void *tcc_arena_alloc(TccArena *arena, size_t bytes); /* zeroed, 16-byte aligned */
TCC_EXPORT void *tcc_arena_grow(TccArena *arena, void *old, size_t old_bytes, size_t new_bytes);
TCC_EXPORT char *tcc_arena_copy(TccArena *arena, const char *data, size_t length); /* adds a NUL */
TCC_EXPORT char *tcc_arena_printf(TccArena *arena, const char *format, ...) TCC_PRINTF(2, 3);
TCC_EXPORT void *tcc_arena_array(TccArena *arena, size_t bytes, size_t n); /* n * bytes; a product that overflows is no memory */
TCC_EXPORT void *tcc_arena_fail(TccArena *arena, size_t bytes);            /* as if an allocation had failed */
#define TCC_NEW(arena, Type) ((Type *)tcc_arena_alloc((arena), sizeof(Type)))
#define TCC_NEW_ARRAY(arena, Type, n) ((Type *)tcc_arena_array((arena), sizeof(Type), (size_t)(n)))
/* Sets a pointer to an array of n. For functions that return a TccStatus, and an arena that may have no memory. */
#define TCC_TRY_ARRAY(arena, pointer, n)                                                                                           \
  do {                                                                                                                             \
    (pointer) = tcc_arena_array((arena), sizeof *(pointer), (size_t)(n));                                                          \
    if (!(pointer)) return TCC_ERROR_NO_MEMORY();                                                                                  \
  } while (0)

/* ---- sizes: a >= 0, b > 0 ---- */
static inline int64_t tcc_ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static inline int64_t tcc_round_up(int64_t a, int64_t b) { return tcc_ceil_div(a, b) * b; } /* to a multiple of b */
/* The greatest common divisor, 0 of 0 and 0 (Euclid). */
static inline int64_t tcc_gcd(int64_t a, int64_t b) {
  while (b) {
    int64_t rest = a % b;
    a = b, b = rest;
  }
  return a < 0 ? -a : a;
}

/* ---- strings ---- */
typedef struct {
  const char *data;
  size_t length;
} TccStr; /* borrowed, not NUL-terminated */
static inline TccStr tcc_str(const char *text) {
  TccStr s = {text, text ? strlen(text) : 0};
  return s;
}
static inline bool tcc_str_equal(TccStr a, TccStr b) {
  return a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
}
static inline bool tcc_str_is(TccStr a, const char *text) { return tcc_str_equal(a, tcc_str(text)); }
/* Cuts the first item off a list that has `separator` between its items; false where nothing is left. Items may be empty. */
static inline bool tcc_str_next(TccStr *rest, char separator, TccStr *out) {
  if (!rest->length) return false;
  const char *end = (const char *)memchr(rest->data, separator, rest->length);
  *out = (TccStr){rest->data, end ? (size_t)(end - rest->data) : rest->length};
  const size_t taken = out->length + (end != NULL);
  rest->data += taken, rest->length -= taken;
  return true;
}
static inline bool tcc_str_starts(TccStr a, const char *prefix) {
  size_t n = strlen(prefix);
  return a.length >= n && memcmp(a.data, prefix, n) == 0;
}
#define TCC_STR_ARG(s) (int)(s).length, (s).data /* for "%.*s" */

/* The word that `word` was probably meant to be, by edit distance; NULL if none is near. For messages. */
TCC_EXPORT const char *tcc_nearest(TccStr word, const char *const *words, size_t count);

/* ---- text: a growing buffer, always NUL-terminated once something was put ---- */
typedef struct {
  char *data;
  size_t length, capacity;
  bool failed; /* there was no memory for a part of it: nothing is put any more; asked once, when all was put */
} TccText;     /* zero-initialise; heap-owned */
#define tcc_text_put(text, data, length) tcc_text_put_with(TCC_NO_MEMORY_HANDLER, (text), (data), (length))
#define tcc_text_printf(text, ...) tcc_text_printf_with(TCC_NO_MEMORY_HANDLER, (text), __VA_ARGS__)
#define tcc_text_vprintf(text, format, args) tcc_text_vprintf_with(TCC_NO_MEMORY_HANDLER, (text), (format), (args))
/* handler: called where there is no memory; NULL: the text has failed then. */
TCC_EXPORT void tcc_text_put_with(TccNoMemory *handler, TccText *text, const char *data, size_t length);
TCC_EXPORT void tcc_text_printf_with(TccNoMemory *handler, TccText *text, const char *format, ...) TCC_PRINTF(3, 4);
TCC_EXPORT void tcc_text_vprintf_with(TccNoMemory *handler, TccText *text, const char *format, va_list args);
TCC_EXPORT void tcc_text_put_words_with(TccNoMemory *handler, TccText *text, const char *const *words, size_t count,
                                        const char *last);
TCC_EXPORT void tcc_text_clear(TccText *text); /* keeps the memory; a text that failed begins anew */
TCC_EXPORT void tcc_text_destroy(TccText *text);
TCC_EXPORT TccStatus *tcc_text_status(const TccText *text) TCC_CHECKED; /* TCC_NO_MEMORY if it failed */
static inline TccStr tcc_text_str(const TccText *text) {
  TccStr s = {text->data, text->length};
  return s;
}

/* ---- vectors: struct { T *data; size_t count, capacity; } in an arena ---- */
#define TCC_VEC(Type)                                                                                                              \
  struct {                                                                                                                         \
    Type *data;                                                                                                                    \
    size_t count, capacity;                                                                                                        \
  }
#define TCC_VEC_PUSH(arena, vec, value)                                                                                            \
  do {                                                                                                                             \
    if ((vec)->count == (vec)->capacity) {                                                                                         \
      size_t tcc_new_capacity = (vec)->capacity ? (vec)->capacity * 2 : 8;                                                         \
      (vec)->data =                                                                                                                \
          tcc_arena_grow((arena), (vec)->data, (vec)->capacity * sizeof *(vec)->data, tcc_new_capacity * sizeof *(vec)->data);     \
      (vec)->capacity = tcc_new_capacity;                                                                                          \
    }                                                                                                                              \
    (vec)->data[(vec)->count++] = (value);                                                                                         \
  } while (0)

/* The same for functions that return a TccStatus, and an arena that may have no memory. */
#define TCC_VEC_TRY_PUSH(arena, vec, value)                                                                                        \
  do {                                                                                                                             \
    if ((vec)->count == (vec)->capacity) {                                                                                         \
      size_t tcc_new_capacity = (vec)->capacity ? (vec)->capacity * 2 : 8;                                                         \
      void *tcc_new_data =                                                                                                         \
          tcc_arena_grow((arena), (vec)->data, (vec)->capacity * sizeof *(vec)->data, tcc_new_capacity * sizeof *(vec)->data);     \
      if (!tcc_new_data) return TCC_ERROR_NO_MEMORY();                                                                             \
      (vec)->data = tcc_new_data;                                                                                                  \
      (vec)->capacity = tcc_new_capacity;                                                                                          \
    }                                                                                                                              \
    (vec)->data[(vec)->count++] = (value);                                                                                         \
  } while (0)

/* ---- map: bytes -> pointer or integer; insertion order is kept, so that iteration is deterministic. Its arena has a handler ---- */
typedef struct TccMap TccMap;
typedef struct {
  TccStr key;
  union {
    void *pointer;
    const void *constant;
    int64_t integer;
  };
} TccMapEntry;
TCC_EXPORT TccMap *tcc_map_create(TccArena *arena);
TCC_EXPORT TccMapEntry *tcc_map_find(const TccMap *map, TccStr key); /* NULL if absent */
/* Finds or inserts (value zero, key bytes copied into the arena). out_inserted may be NULL. The entry's address is valid
 * until the next insertion. */
TCC_EXPORT TccMapEntry *tcc_map_put(TccMap *map, TccStr key, bool *out_inserted);
TCC_EXPORT size_t tcc_map_count(const TccMap *map);
TCC_EXPORT TccMapEntry *tcc_map_at(const TccMap *map, size_t index); /* in order of insertion */
static inline TccStr tcc_key_pointer(const void *const *pointer) {
  TccStr s = {(const char *)pointer, sizeof *pointer};
  return s;
}
TCC_EXPORT uint64_t tcc_hash(const void *data, size_t length, uint64_t seed); /* for tables only, never for content */
#endif

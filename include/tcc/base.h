/* base.h - memory, strings and containers of the byte world (no MLIR).
 *
 * Compile-time data lives in arenas: nothing is freed one by one. Out of memory inside an arena ends the process with a
 * message through the arena's handler (the compiler); the run-time uses its own allocator and never an arena in steady
 * state. Strings are (pointer, length); where a NUL is guaranteed the field says so. */
#ifndef TCC_BASE_H
#define TCC_BASE_H
#include "tcc/status.h"
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* ---- arena: bump allocation in chunks; not thread-safe, one per run, pass or thread ---- */
typedef struct TccArena TccArena;
TCC_EXPORT TccArena *tcc_arena_create(void);
TCC_EXPORT void tcc_arena_destroy(TccArena *arena);
TCC_EXPORT void tcc_arena_reset(TccArena *arena);                /* frees all, keeps one chunk */
TCC_EXPORT void *tcc_arena_alloc(TccArena *arena, size_t bytes); /* zeroed, 16-byte aligned */
TCC_EXPORT void *tcc_arena_grow(TccArena *arena, void *old, size_t old_bytes, size_t new_bytes);
TCC_EXPORT char *tcc_arena_copy(TccArena *arena, const char *data, size_t length); /* adds a NUL */
TCC_EXPORT char *tcc_arena_printf(TccArena *arena, const char *format, ...) TCC_PRINTF(2, 3);
TCC_EXPORT size_t tcc_arena_bytes(const TccArena *arena);
#define TCC_NEW(arena, Type) ((Type *)tcc_arena_alloc((arena), sizeof(Type)))
#define TCC_NEW_ARRAY(arena, Type, n) ((Type *)tcc_arena_alloc((arena), sizeof(Type) * (size_t)(n)))

/* ---- sizes: a >= 0, b > 0 ---- */
static inline int64_t tcc_ceil_div(int64_t a, int64_t b) { return (a + b - 1) / b; }
static inline int64_t tcc_round_up(int64_t a, int64_t b) { return tcc_ceil_div(a, b) * b; } /* to a multiple of b */

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
} TccText; /* zero-initialise; heap-owned */
TCC_EXPORT void tcc_text_put(TccText *text, const char *data, size_t length);
TCC_EXPORT void tcc_text_printf(TccText *text, const char *format, ...) TCC_PRINTF(2, 3);
TCC_EXPORT void tcc_text_vprintf(TccText *text, const char *format, va_list args);
TCC_EXPORT void tcc_text_clear(TccText *text); /* keeps the memory */
TCC_EXPORT void tcc_text_destroy(TccText *text);
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

/* ---- map: bytes -> pointer or integer; insertion order is kept, so that iteration is deterministic ---- */
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

/* ---- checked arithmetic on sizes; false on overflow ---- */
static inline bool tcc_mul_size(size_t a, size_t b, size_t *out) { return !__builtin_mul_overflow(a, b, out); }
static inline bool tcc_add_size(size_t a, size_t b, size_t *out) { return !__builtin_add_overflow(a, b, out); }
#endif

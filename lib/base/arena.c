/* arena.c - bump allocation: chunks that double up to 1 MiB, freed together. */
#include "tcc/base.h"
#include <stdlib.h>

typedef struct Chunk {
  struct Chunk *next;
  size_t capacity, used;
} Chunk;
struct TccArena {
  TccNoMemory *handler; /* or NULL */
  Chunk *chunk;
  size_t next_capacity;
};

enum { ALIGNMENT = 16, FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 1 << 20 };
#define CHUNK_HEADER ((sizeof(Chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

void *tcc_arena_fail(TccArena *arena, size_t bytes) {
  if (arena && arena->handler) arena->handler(bytes);
  return NULL;
}

static bool add_chunk(TccArena *arena, size_t least) {
  size_t capacity = arena->next_capacity > least ? arena->next_capacity : least, bytes;
  Chunk *chunk = tcc_add_size(capacity, CHUNK_HEADER, &bytes) ? malloc(bytes) : NULL;
  if (!chunk) return tcc_arena_fail(arena, capacity) != NULL;
  *chunk = (Chunk){arena->chunk, capacity, 0};
  arena->chunk = chunk;
  if (arena->next_capacity < LARGEST_CHUNK) arena->next_capacity *= 2;
  return true;
}

TccArena *tcc_arena_create_with(TccNoMemory *handler) {
  TccArena *arena = malloc(sizeof *arena);
  if (arena) *arena = (TccArena){handler, NULL, FIRST_CHUNK};
  else if (handler) handler(sizeof *arena);
  return arena;
}

void tcc_arena_reset(TccArena *arena) {
  while (arena->chunk && arena->chunk->next) {
    Chunk *next = arena->chunk->next;
    free(arena->chunk);
    arena->chunk = next;
  }
  if (arena->chunk) arena->chunk->used = 0;
}

void tcc_arena_destroy(TccArena *arena) {
  if (!arena) return;
  tcc_arena_reset(arena);
  free(arena->chunk);
  free(arena);
}

void *tcc_arena_alloc(TccArena *arena, size_t bytes) {
  if (!arena || bytes > SIZE_MAX - ALIGNMENT) return tcc_arena_fail(arena, bytes);
  size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  bool room = arena->chunk && arena->chunk->capacity - arena->chunk->used >= rounded;
  if (!room && !add_chunk(arena, rounded)) return NULL;
  char *memory = (char *)arena->chunk + CHUNK_HEADER + arena->chunk->used;
  arena->chunk->used += rounded;
  return memset(memory, 0, rounded);
}

void *tcc_arena_array(TccArena *arena, size_t bytes, size_t n) {
  size_t all;
  return tcc_mul_size(bytes, n, &all) ? tcc_arena_alloc(arena, all) : tcc_arena_fail(arena, SIZE_MAX);
}

void *tcc_arena_grow(TccArena *arena, void *old, size_t old_bytes, size_t new_bytes) {
  void *memory = tcc_arena_alloc(arena, new_bytes);
  if (memory && old_bytes) memcpy(memory, old, old_bytes);
  return memory;
}

char *tcc_arena_copy(TccArena *arena, const char *data, size_t length) {
  char *copy = length == SIZE_MAX ? tcc_arena_fail(arena, length) : tcc_arena_alloc(arena, length + 1);
  if (copy && length) memcpy(copy, data, length);
  return copy;
}

char *tcc_arena_printf(TccArena *arena, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = length < 0 ? tcc_arena_fail(arena, 0) : tcc_arena_alloc(arena, (size_t)length + 1);
  if (text) vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

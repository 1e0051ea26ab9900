/* arena.c - bump allocation: chunks that double up to 1 MiB, freed together. */
#include "tcc/base.h"
#include <stdio.h>
#include <stdlib.h>

typedef struct Chunk {
  struct Chunk *next;
  size_t capacity, used;
} Chunk;
struct TccArena {
  Chunk *chunk;
  size_t next_capacity, total;
};

enum { ALIGNMENT = 16, FIRST_CHUNK = 16 << 10, LARGEST_CHUNK = 1 << 20 };
#define CHUNK_HEADER ((sizeof(Chunk) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

static void *must_allocate(size_t bytes) {
  void *memory = malloc(bytes);
  if (memory) return memory;
  fprintf(stderr, "tcc: out of memory (%zu bytes)\n", bytes);
  exit(1);
}

static void add_chunk(TccArena *arena, size_t least) {
  size_t capacity = arena->next_capacity > least ? arena->next_capacity : least;
  Chunk *chunk = must_allocate(CHUNK_HEADER + capacity);
  *chunk = (Chunk){arena->chunk, capacity, 0};
  arena->chunk = chunk;
  if (arena->next_capacity < LARGEST_CHUNK) arena->next_capacity *= 2;
}

TccArena *tcc_arena_create(void) {
  TccArena *arena = must_allocate(sizeof *arena);
  *arena = (TccArena){NULL, FIRST_CHUNK, 0};
  return arena;
}

void tcc_arena_reset(TccArena *arena) {
  while (arena->chunk && arena->chunk->next) {
    Chunk *next = arena->chunk->next;
    free(arena->chunk);
    arena->chunk = next;
  }
  if (arena->chunk) arena->chunk->used = 0;
  arena->total = 0;
}

void tcc_arena_destroy(TccArena *arena) {
  if (!arena) return;
  tcc_arena_reset(arena);
  free(arena->chunk);
  free(arena);
}

void *tcc_arena_alloc(TccArena *arena, size_t bytes) {
  size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  if (rounded < bytes) {
    fprintf(stderr, "tcc: allocation size overflows\n");
    exit(1);
  }
  if (!arena->chunk || arena->chunk->capacity - arena->chunk->used < rounded) add_chunk(arena, rounded);
  char *memory = (char *)arena->chunk + CHUNK_HEADER + arena->chunk->used;
  arena->chunk->used += rounded;
  arena->total += rounded;
  return memset(memory, 0, rounded);
}

void *tcc_arena_grow(TccArena *arena, void *old, size_t old_bytes, size_t new_bytes) {
  void *memory = tcc_arena_alloc(arena, new_bytes);
  if (old_bytes) memcpy(memory, old, old_bytes);
  return memory;
}

char *tcc_arena_copy(TccArena *arena, const char *data, size_t length) {
  char *copy = tcc_arena_alloc(arena, length + 1);
  if (length) memcpy(copy, data, length);
  return copy;
}

char *tcc_arena_printf(TccArena *arena, const char *format, ...) {
  va_list args, again;
  va_start(args, format);
  va_copy(again, args);
  int length = vsnprintf(NULL, 0, format, args);
  va_end(args);
  char *text = tcc_arena_alloc(arena, (size_t)length + 1);
  vsnprintf(text, (size_t)length + 1, format, again);
  va_end(again);
  return text;
}

size_t tcc_arena_bytes(const TccArena *arena) { return arena->total; }

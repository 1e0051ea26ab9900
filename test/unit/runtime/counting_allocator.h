/* counting_allocator.h - memory for tests: how much is held, and allocations that fail. */
#ifndef TCC_TEST_COUNTING_ALLOCATOR_H
#define TCC_TEST_COUNTING_ALLOCATOR_H
#include <stdint.h>
#include <stdlib.h>

static size_t held, left = SIZE_MAX; /* bytes; allocations until one fails */
static void *take(size_t bytes, size_t alignment, void *user) {
  (void)user;
  if (!left) return NULL;
  if (left != SIZE_MAX) left--;
  held += bytes;
  return aligned_alloc(alignment, bytes);
}
static void release(void *memory, size_t bytes, void *user) { (void)user, held -= bytes, free(memory); }
#endif

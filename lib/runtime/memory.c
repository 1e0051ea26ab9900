/* memory.c - the allocator hook, and offsets for buffers with lifetimes.
 *
 * Offsets are planned by running an allocator ahead of time: buffers are taken and given back in the order in which steps
 * run, best fit among the free blocks, which are kept sorted by offset and merged with their neighbours. The number of free
 * blocks is small (the width of the graph), so this is close to linear in the number of buffers. Where that leaves holes, all
 * buffers are placed at once, the largest first (greedy by size: Pisarchyk and Lee 2020). */
#include "internal.h"
#include <sys/mman.h>

enum { HUGE_PAGE = 2 << 20 };

/* Large blocks on huge pages where the kernel has them: fewer faults when they are first written, fewer TLB misses later. */
static void *allocate_default(size_t bytes) {
  void *memory;
  if (posix_memalign(&memory, bytes < HUGE_PAGE ? TCC_CACHE_LINE : HUGE_PAGE, bytes) != 0) return NULL;
  if (bytes >= HUGE_PAGE) madvise(memory, bytes & ~(size_t)(HUGE_PAGE - 1), MADV_HUGEPAGE); /* advice: no error matters */
  return memory;
}

void *tcc_allocate(const TccAllocator *allocator, size_t bytes) {
  if (bytes > SIZE_MAX - TCC_CACHE_LINE) return NULL;
  bytes = tcc_align(bytes ? bytes : 1);
  return allocator->allocate ? allocator->allocate(bytes, TCC_CACHE_LINE, allocator->user) : allocate_default(bytes);
}

void tcc_release(const TccAllocator *allocator, void *memory, size_t bytes) {
  if (!memory) return;
  if (allocator->release) allocator->release(memory, tcc_align(bytes ? bytes : 1), allocator->user);
  else free(memory);
}

static void remove_block(TccOffsets *offsets, size_t index) {
  memmove(&offsets->free[index], &offsets->free[index + 1], (offsets->count - index - 1) * sizeof *offsets->free);
  offsets->count--;
}

bool tcc_offsets_take(TccOffsets *offsets, size_t bytes, size_t *out_offset) {
  if (bytes > SIZE_MAX / 2 - offsets->live) return false;
  offsets->live += bytes;
  if (offsets->live > offsets->peak) offsets->peak = offsets->live;
  size_t best = SIZE_MAX;
  for (size_t i = 0; i < offsets->count; i++)
    if (offsets->free[i].bytes >= bytes && (best == SIZE_MAX || offsets->free[i].bytes < offsets->free[best].bytes)) best = i;
  if (best != SIZE_MAX) {
    *out_offset = offsets->free[best].offset;
    offsets->free[best].offset += bytes;
    offsets->free[best].bytes -= bytes;
    if (offsets->free[best].bytes == 0) remove_block(offsets, best);
    return true;
  }
  size_t last = offsets->count - 1; /* a free block at the end grows */
  bool grows = offsets->count && offsets->free[last].offset + offsets->free[last].bytes == offsets->end;
  *out_offset = grows ? offsets->free[last].offset : offsets->end;
  if (bytes > SIZE_MAX / 2 - *out_offset) return false;
  offsets->end = *out_offset + bytes;
  if (grows) remove_block(offsets, last);
  return true;
}

bool tcc_offsets_give(TccOffsets *offsets, size_t offset, size_t bytes) {
  if (bytes == 0) return true;
  offsets->live -= bytes;
  if (offsets->count == offsets->capacity) {
    size_t capacity = offsets->capacity ? offsets->capacity * 2 : 16;
    TccBlock *grown = realloc(offsets->free, capacity * sizeof *grown);
    if (!grown) return false;
    offsets->free = grown;
    offsets->capacity = capacity;
  }
  size_t low = 0, high = offsets->count; /* first block behind offset */
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (offsets->free[middle].offset < offset) low = middle + 1;
    else high = middle;
  }
  memmove(&offsets->free[low + 1], &offsets->free[low], (offsets->count - low) * sizeof *offsets->free);
  offsets->free[low] = (TccBlock){offset, bytes};
  offsets->count++;
  if (low + 1 < offsets->count && offset + bytes == offsets->free[low + 1].offset) {
    offsets->free[low].bytes += offsets->free[low + 1].bytes;
    remove_block(offsets, low + 1);
  }
  if (low > 0 && offsets->free[low - 1].offset + offsets->free[low - 1].bytes == offset) {
    offsets->free[low - 1].bytes += offsets->free[low].bytes;
    remove_block(offsets, low);
  }
  return true;
}

/* ---- all at once ---- */

/* The lowest of the smallest gaps that take `bytes` among the placed lifetimes, sorted by offset, that overlap [first, last].
 * Sums do not overflow: each buffer is below half the address space, and one that would end above it is not placed. */
static size_t find_gap(const TccLifetime *lifetimes, const uint32_t *placed, size_t count, const TccLifetime *buffer) {
  size_t at = 0, best = SIZE_MAX, smallest = SIZE_MAX;
  for (size_t i = 0; i < count; i++) {
    const TccLifetime *other = &lifetimes[placed[i]];
    if (other->last < buffer->first || buffer->last < other->first) continue;
    if (other->offset > at && other->offset - at >= buffer->bytes && other->offset - at < smallest)
      best = at, smallest = other->offset - at;
    if (other->offset + other->bytes > at) at = other->offset + other->bytes;
  }
  return best != SIZE_MAX ? best : at;
}

size_t tcc_lifetimes_pack(TccLifetime *lifetimes, size_t count, uint32_t *order, uint32_t *placed) {
  size_t end = 0;
  for (size_t i = 0; i < count; i++) { /* by size, the largest first; insertion by halves */
    size_t low = 0, high = i;
    while (low < high) {
      size_t middle = (low + high) / 2;
      if (lifetimes[order[middle]].bytes >= lifetimes[i].bytes) low = middle + 1;
      else high = middle;
    }
    memmove(&order[low + 1], &order[low], (i - low) * sizeof *order);
    order[low] = (uint32_t)i;
  }
  for (size_t i = 0; i < count; i++) {
    TccLifetime *buffer = &lifetimes[order[i]];
    buffer->offset = find_gap(lifetimes, placed, i, buffer);
    if (buffer->bytes > SIZE_MAX / 2 - buffer->offset) return SIZE_MAX;
    if (buffer->offset + buffer->bytes > end) end = buffer->offset + buffer->bytes;
    size_t low = 0, high = i;
    while (low < high) {
      size_t middle = (low + high) / 2;
      if (lifetimes[placed[middle]].offset <= buffer->offset) low = middle + 1;
      else high = middle;
    }
    memmove(&placed[low + 1], &placed[low], (i - low) * sizeof *placed);
    placed[low] = order[i];
  }
  return end;
}

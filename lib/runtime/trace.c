/* trace.c - what each thread of a team did when: a ring for each thread, which it writes and the team's caller empties.
 *
 * One writer and one reader (Lamport 1983): a record counts as written when the count says so, and its place is written again only
 * when the other count says that it was read. Where there is no place the record is lost, and counted. */
#include "internal.h"

enum { RECORDS = 1 << 16 /* 2.5 MB a thread: several thousand kernels between two readings */ };

struct TccTraceRing {
  _Alignas(TCC_CACHE_LINE) _Atomic size_t written;
  _Atomic uint64_t lost;
  _Alignas(TCC_CACHE_LINE) _Atomic size_t read;
  uint64_t told; /* of `lost`; the reader's */
  TccTraceRecord records[RECORDS];
};

TccTraceRing *tcc_trace_ring(void) {
  TccTraceRing *ring = aligned_alloc(TCC_CACHE_LINE, tcc_align(sizeof *ring));
  if (!ring) return NULL;
  atomic_init(&ring->written, 0);
  atomic_init(&ring->lost, 0);
  atomic_init(&ring->read, 0);
  ring->told = 0;
  return ring;
}

void tcc_trace_put(TccTraceRing *ring, const TccTraceRecord *record) {
  const size_t at = atomic_load_explicit(&ring->written, memory_order_relaxed);
  if (at - atomic_load_explicit(&ring->read, memory_order_acquire) == RECORDS) {
    atomic_fetch_add_explicit(&ring->lost, 1, memory_order_relaxed);
    return;
  }
  ring->records[at % RECORDS] = *record;
  atomic_store_explicit(&ring->written, at + 1, memory_order_release);
}

bool tcc_trace_take(TccTraceRing *ring, TccTraceRecord *out) {
  const size_t at = atomic_load_explicit(&ring->read, memory_order_relaxed);
  if (at == atomic_load_explicit(&ring->written, memory_order_acquire)) return false;
  *out = ring->records[at % RECORDS];
  atomic_store_explicit(&ring->read, at + 1, memory_order_release);
  return true;
}

uint64_t tcc_trace_lost(TccTraceRing *ring) {
  const uint64_t all = atomic_load_explicit(&ring->lost, memory_order_relaxed), since = all - ring->told;
  ring->told = all;
  return since;
}

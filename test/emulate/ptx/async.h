/* async.h - what works beside the warps of a block: copies that are under way, mbarriers that count them. */
#ifndef EMU_ASYNC_H
#define EMU_ASYNC_H
#include "internal.h"

/* An mbarrier (section 9.7.13.15 of the PTX ISA): a phase ends when nobody is pending and all bytes that were announced have come. */
typedef struct {
  uint32_t offset; /* in the block's shared memory */
  bool live, visible /* a fence has shown it to the async proxy and the cluster */;
  uint32_t expected, pending, phase;
  int64_t bytes; /* announced and not come, or come and not announced */
  Access init;
  Clock clock, proxied, last, last_proxied;
  uint32_t issued; /* bulk copies that report to it: their epochs */
} Mbarrier;

/* cp.async of a lane. */
typedef struct {
  uint32_t epoch, warp, offset;
  uint8_t bytes, data[16];
} Copy;

/* A bulk copy, to shared memory (data, and whom it tells) or from it (addresses). */
typedef struct {
  uint32_t epoch, warp, offset /* in shared memory */, bytes;
  uint8_t swizzle;
  uint8_t *data;     /* what goes to shared memory */
  Block *to;         /* whose */
  unsigned mbarrier; /* of `to` */
  uint64_t *address; /* of each element that goes to global memory; 0: outside of the tensor */
  uint32_t element;  /* its bytes */
} Transfer;

typedef struct AsyncState {
  Copy *copies;
  size_t count, room;
  Transfer *transfers; /* of this block's warps */
  size_t ntransfers, transfers_room;
  Mbarrier *mbarriers; /* MAX_BULK; NULL: none yet */
  uint32_t polls;      /* tests of mbarriers in vain since one went on */
} AsyncState;

/* The mbarrier at an address, known to this lane; NULL: a finding. async: for a unit of the async proxy. */
Mbarrier *mbarrier_at(Warp *w, const Inst *inst, uint32_t lane, Space space, uint64_t address, bool async, Block **out_owner);
/* Bytes have come, or are announced (negative): the phase may end. */
void mbarrier_bytes(Block *b, Mbarrier *m, int64_t bytes);
/* The copies of a warp come to their end. */
void copies_finish(Warp *w, uint32_t until);
void transfers_close(Block *b);
/* One comes to its end, by chance; false: none is under way. */
bool transfers_advance(Block *b);

/* Where the 16 bytes at an offset of shared memory lie under a swizzle of 1: 32, 2: 64, 3: 128 bytes. */
static inline uint32_t swizzled(uint32_t offset, unsigned swizzle) { return offset ^ ((offset >> 7 & ((1u << swizzle) - 1)) << 4); }
#endif

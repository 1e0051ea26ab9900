/* order.c - what blocks know of each other: release and acquire at the scope of the device.
 *
 * A release (st.release, atom.release, or a fence and a relaxed one behind it) leaves at its address the blocks whose writes can be seen from there: its
 * own, and those that it has acquired. An acquire (ld.acquire, atom.acquire, or a relaxed one and a fence behind it) takes them over.
 * Blocks run one behind the other, so that a counter of arrivals (split-K, the last block adds up) is seen in some order; waits of one block for
 * another that has not begun are not run. Section 8.8 of the PTX ISA. */
#include "internal.h"

typedef struct {
  uint64_t address;
  uint8_t *blocks; /* a bit each */
} Meeting;
struct Order {
  size_t blocks;
  Meeting *meetings;
  size_t count, room;
  struct Release {
    uint32_t epochs[MAX_WARPS];  /* all that its warps did until then */
    uint32_t warp, epoch, lanes; /* what these lanes of the warp that released did in its own epoch */
  } *released;                   /* of each block, the last one */
};
struct Acquire {
  uint32_t epoch;
  uint8_t warp, lane;
  uint8_t *blocks;
};

static size_t set_bytes(const struct Order *o) { return o->blocks / 8 + 1; }
static bool in_set(const uint8_t *set, size_t block) { return set[block / 8] >> block % 8 & 1; }

static void *zeroed(size_t count, size_t bytes) {
  void *made = calloc(count, bytes);
  if (!made) abort();
  return made;
}

/* ---- life ---- */
void order_open(EmuDevice *device, size_t blocks) {
  device->order = zeroed(1, sizeof *device->order);
  device->order->blocks = blocks;
}

void order_close(EmuDevice *device) {
  struct Order *o = device->order;
  for (size_t i = 0; i < o->count; i++) free(o->meetings[i].blocks);
  free(o->meetings);
  free(o->released);
  free(o);
  device->order = NULL;
}

void order_forget(Block *b) {
  for (size_t i = 0; i < b->nacquires; i++) free(b->acquires[i].blocks);
  free(b->acquires);
  b->acquires = NULL, b->nacquires = 0;
}

/* ---- release and acquire ---- */
static Meeting *meeting_at(struct Order *o, uint64_t address, bool make) {
  for (size_t i = 0; i < o->count; i++)
    if (o->meetings[i].address == address) return &o->meetings[i];
  if (!make) return NULL;
  if (o->count == o->room) {
    o->room = o->room ? 2 * o->room : 16;
    o->meetings = realloc(o->meetings, o->room * sizeof *o->meetings);
    if (!o->meetings) abort();
  }
  o->meetings[o->count] = (Meeting){address, zeroed(set_bytes(o), 1)};
  return &o->meetings[o->count++];
}

static void release(Warp *w, uint32_t lane, uint64_t address, const uint32_t *epochs) {
  Block *b = w->block;
  struct Order *o = b->device->order;
  Meeting *m = meeting_at(o, address, true);
  if (!o->released) o->released = zeroed(o->blocks, sizeof *o->released);
  struct Release *known = &o->released[b->number];
  for (uint32_t i = 0; i < MAX_WARPS; i++) {
    uint32_t until = epochs[i] - (i == w->index); /* its other lanes may be elsewhere in its epoch */
    if (until > known->epochs[i]) known->epochs[i] = until;
  }
  bool same = known->warp == w->index && known->epoch == epochs[w->index];
  known->warp = w->index, known->epoch = epochs[w->index], known->lanes = (same ? known->lanes : 0) | 1u << lane;
  m->blocks[b->number / 8] |= (uint8_t)(1u << b->number % 8);
  for (size_t i = 0; i < b->nacquires; i++)
    for (size_t k = 0; k < set_bytes(o); k++) m->blocks[k] |= b->acquires[i].blocks[k];
}

static void acquire(Warp *w, uint32_t lane, uint64_t address) {
  Block *b = w->block;
  struct Order *o = b->device->order;
  const Meeting *m = meeting_at(o, address, false);
  if (!m) return;
  b->acquires = realloc(b->acquires, (b->nacquires + 1) * sizeof *b->acquires);
  if (!b->acquires) abort();
  struct Acquire *a = &b->acquires[b->nacquires++];
  *a = (struct Acquire){w->clock.at[w->index], (uint8_t)w->index, (uint8_t)lane, zeroed(set_bytes(o), 1)};
  memcpy(a->blocks, m->blocks, set_bytes(o));
}

void order_access(Warp *w, const Inst *inst, uint32_t lane, uint64_t address) {
  bool reads = !inst->is_store;
  if (inst->order & ORDER_ACQUIRE) acquire(w, lane, address);
  else if (reads) w->met[w->nmet++ % MAX_MET] = (struct Met){address, (uint8_t)lane};
  if (inst->order & ORDER_RELEASE) release(w, lane, address, w->clock.at);
  else if (w->fenced && (inst->is_store || inst->is_change)) release(w, lane, address, w->fenced_at);
}

void order_fence(Warp *w) {
  memcpy(w->fenced_at, w->clock.at, sizeof w->fenced_at);
  w->fenced = true;
  for (unsigned i = 0; i < w->nmet && i < MAX_MET; i++) acquire(w, w->met[i].lane, w->met[i].address);
  w->nmet = 0;
}

/* ---- who knows what ---- */
static bool has_released(const struct Release *r, unsigned warp, unsigned lane, uint32_t epoch) {
  return epoch <= r->epochs[warp] || (warp == r->warp && epoch <= r->epoch && r->lanes >> lane & 1);
}

bool order_knows(const Warp *w, uint32_t lane, uint32_t block, unsigned warp, unsigned other, uint32_t epoch) {
  const Block *b = w->block;
  const struct Order *o = b->device->order;
  if (!o->released || block >= o->blocks || !has_released(&o->released[block], warp, other, epoch)) return false;
  for (size_t i = 0; i < b->nacquires; i++) {
    const struct Acquire *a = &b->acquires[i];
    bool behind = a->warp == w->index ? a->lane == lane || a->epoch < w->clock.at[a->warp] : a->epoch <= w->clock.at[a->warp];
    if (behind && in_set(a->blocks, block)) return true;
  }
  return false;
}

bool order_knows_all(const Warp *w, uint32_t lane) {
  const struct Order *o = w->block->device->order;
  for (uint32_t i = 0; i < o->blocks; i++)
    if (i != w->block->number && !order_knows(w, lane, i, 0, 0, 0)) return false;
  return true;
}

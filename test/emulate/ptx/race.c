/* race.c - who may see what: vector clocks of warps and of units beside them, over words of shared and global memory.
 *
 * An access is ordered before a later one if the later one's actor has its epoch in its clock; clocks go along barriers and waits
 * (Flanagan and Freund, FastTrack, 2009: the last write and last reads of a word are kept, not all). Threads of one warp are ordered by what
 * synchronises the warp, not by lock step. What generic stores wrote is seen by the async proxy behind fence.proxy.async alone
 * (section 8.9 of the PTX ISA). */
#include "internal.h"
#include <sys/mman.h>

void clock_join(Clock *into, const Clock *from) {
  for (int i = 0; i < ACTORS; i++)
    if (from->at[i] > into->at[i]) into->at[i] = from->at[i];
}

void clock_release(Warp *w) { w->clock.at[w->index]++, w->copies_seen = w->clock.at[ACTOR_COPY + w->index]; }

static bool ordered(const Warp *w, uint32_t lane, const Access *before, bool async) {
  unsigned actor = before->actor - 1u;
  if (async && !before->async) return before->epoch <= w->proxied.at[actor];
  if (actor == w->index && !before->async) return before->lane == lane || before->epoch < w->clock.at[actor];
  if (actor == ACTOR_COPY + w->index && before->lane != lane) return before->epoch <= w->copies_seen;
  return before->epoch <= w->clock.at[actor];
}

bool race_ordered(const Warp *w, uint32_t lane, const Access *before) { return ordered(w, lane, before, false); }

static const char *actor_name(unsigned actor, char text[40]) {
  if (actor < ACTOR_COPY) snprintf(text, 40, "warp %u", actor);
  else if (actor < ACTOR_BULK) snprintf(text, 40, "cp.async of warp %u", actor - ACTOR_COPY);
  else if (actor < ACTOR_STORE) snprintf(text, 40, "a bulk copy");
  else if (actor < ACTOR_PRODUCT) snprintf(text, 40, "a bulk store of warp %u", actor - ACTOR_STORE);
  else snprintf(text, 40, "wgmma of warpgroup %u", actor - ACTOR_PRODUCT);
  return text;
}

static void report(Warp *w, const Inst *inst, uint32_t lane, const Access *before, const char *verb, const char *verb_before,
                   uint64_t at, bool fence) {
  char text[40];
  fail(w, inst, lane, "race: %s shared memory at %llu that %s%s%u%s %s on line %d%s", verb, (unsigned long long)at,
       actor_name(before->actor - 1u, text), before->actor <= ACTOR_COPY ? " lane " : " (lane ", before->lane,
       before->actor <= ACTOR_COPY ? "" : ")", verb_before, before->line,
       fence ? ", with no fence.proxy.async behind it" : ", and nothing is between them");
}

static void note_read(Shadow *s, const Warp *w, const Access *access) {
  int at = 0;
  for (int i = 0; i < READERS; i++) {
    if (!s->read[i].actor || s->read[i].actor == access->actor) {
      at = i;
      break;
    }
    if (s->read[i].epoch <= w->clock.at[s->read[i].actor - 1u]) at = i; /* ordered before this one */
  }
  s->read[at] = *access;
}

void race_shared(Warp *w, const Inst *inst, uint32_t lane, Block *owner, uint32_t offset, unsigned bytes, int how, unsigned actor,
                 uint32_t epoch) {
  if (owner != w->block) return; /* clocks are of one block */
  unsigned granule = owner->launch->kernel->shared_granule;
  bool async = actor >= ACTOR_BULK;
  Access access = {
      .epoch = w->clock.at[w->index], .actor = (uint16_t)(actor + 1), .lane = (uint8_t)lane, .async = async, .line = inst->line};
  if (actor != w->index) access.epoch = epoch;
  for (uint32_t at = offset / granule; at <= (offset + bytes - 1) / granule; at++) {
    Shadow *s = &owner->shadow[at];
    if (s->stamp != owner->number + 1u) *s = (Shadow){.stamp = owner->number + 1u};
    if (s->barrier) {
      fail(w, inst, lane, "%s shared memory at %u, where an mbarrier lives", how == READ ? "reads" : "writes", at * granule);
      return;
    }
    if (how == READ && !s->write.actor) {
      fail(w, inst, lane, "reads shared memory at %u that nobody wrote", at * granule);
      return;
    }
    bool both_atomic = how == ATOMIC && s->atomic;
    if (s->write.actor && !both_atomic && !ordered(w, lane, &s->write, async)) {
      report(w, inst, lane, &s->write, how == READ ? "reads" : "writes", "wrote", (uint64_t)at * granule, async && !s->write.async);
      return;
    }
    if (how == READ) {
      note_read(s, w, &access);
      continue;
    }
    for (int i = 0; i < READERS; i++) {
      const Access *r = &s->read[i];
      Access as_generic = *r;
      if (async) as_generic.async = true; /* a read needs no fence */
      if (r->actor && !(r->actor - 1u == w->index && !r->async && (r->lane == lane || r->epoch < w->clock.at[w->index])) &&
          !(r->actor - 1u != w->index && ordered(w, lane, &as_generic, async))) {
        report(w, inst, lane, r, "writes", "read", (uint64_t)at * granule, false);
        return;
      }
    }
    s->write = access, s->atomic = how == ATOMIC;
    memset(s->read, 0, sizeof s->read);
  }
}

/* ---- global memory ---- */
typedef struct {
  uint32_t stamp, writer, reader, writer_epoch, reader_epoch; /* launch; blocks + 1, reader FULL: several */
  uint8_t writer_warp, writer_lane, reader_warp, reader_lane;
  bool atomic;
  int line, reader_line;
} GlobalShadow;

/* Pages are made when they are touched: of a tensor of 2^31 elements few are. */
static GlobalShadow *shadow_of(Allocation *a, unsigned granule) {
  if (a->shadow && a->granule <= granule) return (GlobalShadow *)a->shadow;
  race_forget(a);
  a->granule = (uint8_t)granule, a->shadow_bytes = (a->bytes / granule + 1) * sizeof(GlobalShadow);
  void *memory = mmap(NULL, a->shadow_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) abort();
  return (GlobalShadow *)(a->shadow = memory);
}

void race_forget(Allocation *a) {
  if (a->shadow) munmap(a->shadow, a->shadow_bytes);
  a->shadow = NULL;
}

static bool ordered_in_block(const Warp *w, uint32_t lane, unsigned warp, unsigned other, uint32_t epoch) {
  return warp == w->index ? other == lane || epoch < w->clock.at[warp] : epoch <= w->clock.at[warp];
}

/* writer: a block, + 1; epoch 0: of another block's atomics, which any release behind them covers. */
static bool behind(const Warp *w, uint32_t lane, uint32_t block, unsigned warp, unsigned other, uint32_t epoch) {
  if (block == w->block->number + 1) return ordered_in_block(w, lane, warp, other, epoch);
  return order_knows(w, lane, block - 1, warp, other, epoch);
}

void race_global(Warp *w, const Inst *inst, uint32_t lane, const Allocation *allocation, uint64_t address, unsigned bytes,
                 int how) {
  EmuDevice *device = w->block->device;
  GlobalShadow *shadow = shadow_of((Allocation *)(uintptr_t)allocation, w->block->launch->kernel->global_granule);
  unsigned granule = allocation->granule;
  uint64_t from = address - (uint64_t)(uintptr_t)allocation->base;
  uint32_t me = w->block->number + 1, now = (uint32_t)device->launches;
  bool racy = inst->mode != 0; /* relaxed, volatile and stronger ones are meant to meet others */
  for (uint64_t at = from / granule; at <= (from + bytes - 1) / granule; at++) {
    GlobalShadow *s = &shadow[at];
    if (s->stamp != now) *s = (GlobalShadow){.stamp = now};
    bool both_atomic = s->atomic && (how == ATOMIC || racy);
    bool alike = how == REWRITE && !s->atomic; /* threads that write the same do not disturb each other */
    if (s->writer && !both_atomic && !alike &&
        !behind(w, lane, s->writer, s->writer_warp, s->writer_lane, s->atomic && s->writer != me ? 0 : s->writer_epoch)) {
      fail(w, inst, lane, "race: %s global memory that block %u warp %u lane %u wrote on line %d, and nothing is between them",
           how == READ ? "reads" : "writes", s->writer - 1, s->writer_warp, s->writer_lane, s->line);
      return;
    }
    if (how == READ) {
      s->reader = !s->reader || s->reader == me ? me : FULL;
      s->reader_warp = (uint8_t)w->index, s->reader_lane = (uint8_t)lane, s->reader_epoch = w->clock.at[w->index],
      s->reader_line = inst->line;
      continue;
    }
    bool known =
        s->reader == FULL ? order_knows_all(w, lane) : behind(w, lane, s->reader, s->reader_warp, s->reader_lane, s->reader_epoch);
    if (s->reader && how != ATOMIC && !racy && !known) {
      fail(w, inst, lane, "race: writes global memory that %s read on line %d, and nothing is between them",
           s->reader == FULL ? "other blocks"
           : s->reader == me ? "another thread of the block"
                             : "another block",
           s->reader_line);
      return;
    }
    s->writer = me, s->writer_warp = (uint8_t)w->index, s->writer_lane = (uint8_t)lane, s->writer_epoch = w->clock.at[w->index];
    s->line = inst->line, s->atomic = how == ATOMIC || racy;
  }
}

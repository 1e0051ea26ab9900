/* mbarrier.c - mbarriers: arrivals and bytes end a phase, waits see one that has ended.
 *
 * State is kept beside shared memory, whose words are closed to other accesses while the mbarrier lives. A wait joins the clocks of those who have
 * arrived in the phase, and of the bulk copies whose bytes came (race.c). try_wait lets the warp wait, and fails once in a while without a
 * reason, as it may; test_wait never waits. Section 9.7.13.15 of the PTX ISA. */
#include "async.h"
#include "ops.h"

enum { MOST_COUNT = (1 << 20) - 1, MOST_POLLS = 1 << 20 };

static void end_phase(Block *b, Mbarrier *m) {
  if (m->pending || m->bytes) return;
  m->last = m->clock, m->last_proxied = m->proxied;
  memset(&m->clock, 0, sizeof m->clock);
  memset(&m->proxied, 0, sizeof m->proxied);
  m->pending = m->expected;
  m->phase++;
  for (unsigned i = 0; i < b->cluster->count; i++) b->cluster->blocks[i].async->polls = 0;
}

void mbarrier_bytes(Block *b, Mbarrier *m, int64_t bytes) {
  m->bytes -= bytes;
  end_phase(b, m);
}

static Block *words_of(Warp *w, const Inst *inst, uint32_t lane, Space space, uint64_t address, uint32_t *out_offset) {
  Block *owner = address & (LOCAL_WINDOW | PARAM_WINDOW)
                     ? NULL
                     : shared_block(w, space == SPACE_GENERIC ? SPACE_CLUSTER : space, address, out_offset);
  if (!owner || *out_offset % 8 || *out_offset + 8 > owner->shared_bytes) {
    fail(w, inst, lane, "an mbarrier at 0x%llx, which is no 8 aligned bytes of shared memory", (unsigned long long)address);
    return NULL;
  }
  return owner;
}

Mbarrier *mbarrier_at(Warp *w, const Inst *inst, uint32_t lane, Space space, uint64_t address, bool async, Block **out_owner) {
  uint32_t offset;
  Block *owner = *out_owner = words_of(w, inst, lane, space, address, &offset);
  if (!owner || !is_there(w, inst, lane, owner)) return NULL;
  for (unsigned i = 0; owner->async->mbarriers && i < MAX_BULK; i++) {
    Mbarrier *m = &owner->async->mbarriers[i];
    if (!m->live || m->offset != offset) continue;
    bool known = owner == w->block ? race_ordered(w, lane, &m->init) : m->visible;
    if (!known)
      fail(w, inst, lane, "race: uses an mbarrier that is initialised on line %d, and nothing is between them", m->init.line);
    else if (async && !m->visible)
      fail(w, inst, lane, "an mbarrier of which the async proxy knows nothing: no fence is behind its initialisation on line %d",
           m->init.line);
    else return m;
    return NULL;
  }
  fail(w, inst, lane, "no mbarrier is initialised at %u of shared memory", offset);
  return NULL;
}

/* ---- life ---- */
static void mark(Block *b, uint32_t offset, bool barrier) {
  unsigned granule = b->launch->kernel->shared_granule;
  for (uint32_t at = offset / granule; at <= (offset + 7) / granule; at++) b->shadow[at].barrier = barrier;
}

static Outcome exec_init(Warp *w, const Inst *inst, uint32_t mask) {
  Block *b = w->block;
  EACH_LANE(l, mask) {
    uint64_t address = lane_bits(w, &inst->src[0], l) + (uint64_t)inst->immediate, count = lane_bits(w, &inst->src[1], l);
    uint32_t offset;
    Block *owner = words_of(w, inst, l, (Space)inst->space, address, &offset);
    if (!owner) return FAILED;
    if (owner != b) return fail(w, inst, l, "initialises an mbarrier of another block");
    if (count < 1 || count > MOST_COUNT) return fail(w, inst, l, "an mbarrier of %llu arrivals", (unsigned long long)count);
    race_shared(w, inst, l, b, offset, 8, WRITE, w->index, 0);
    if (b->device->findings) return FAILED;
    if (!b->async->mbarriers) b->async->mbarriers = calloc(MAX_BULK, sizeof *b->async->mbarriers);
    Mbarrier *m = b->async->mbarriers;
    if (!m) abort();
    while (m < b->async->mbarriers + MAX_BULK && m->live) m++;
    if (m == b->async->mbarriers + MAX_BULK) return fail(w, inst, l, "more than %d mbarriers: the emulator has no more", MAX_BULK);
    *m = (Mbarrier){.offset = offset, .live = true, .expected = (uint32_t)count, .pending = (uint32_t)count, .issued = m->issued};
    m->init = (Access){.epoch = w->clock.at[w->index], .actor = (uint16_t)(w->index + 1), .lane = (uint8_t)l, .line = inst->line};
    mark(b, offset, true);
  }
  return NEXT;
}

static Outcome exec_inval(Warp *w, const Inst *inst, uint32_t mask) {
  EACH_LANE(l, mask) {
    Block *owner;
    uint64_t address = lane_bits(w, &inst->src[0], l) + (uint64_t)inst->immediate;
    Mbarrier *m = mbarrier_at(w, inst, l, (Space)inst->space, address, false, &owner);
    if (!m) return FAILED;
    if (m->bytes) return fail(w, inst, l, "an mbarrier is given up while %lld bytes are on their way", (long long)m->bytes);
    m->live = false;
    mark(owner, m->offset, false);
  }
  return NEXT;
}

/* ---- arrivals ---- */
enum { ARRIVE, ARRIVE_EXPECT, DROP, EXPECT, COMPLETE };

static Outcome arrive(Warp *w, const Inst *inst, uint32_t lane, Block *owner, Mbarrier *m, uint32_t count) {
  if (count == 0 || count > m->pending)
    return fail(w, inst, lane, "mbarrier at %u: %u arrive, it waits for %u", m->offset, count, m->pending);
  if (owner == w->block) clock_join(&m->clock, &w->clock), clock_join(&m->proxied, &w->proxied);
  m->pending -= count;
  end_phase(owner, m);
  return NEXT;
}

/* atomic: which of them; src: the address, a count or bytes. */
static Outcome exec_arrive(Warp *w, const Inst *inst, uint32_t mask) {
  Outcome out = NEXT;
  EACH_LANE(l, mask) {
    Block *owner;
    uint64_t address = lane_bits(w, &inst->src[0], l) + (uint64_t)inst->immediate;
    Mbarrier *m = mbarrier_at(w, inst, l, (Space)inst->space, address, false, &owner);
    if (!m) return FAILED;
    uint32_t number = inst->nsrc > 1 ? (uint32_t)lane_bits(w, &inst->src[1], l) : 1;
    if (inst->ndst && !inst->dst[0].sink) set_lane(w, &inst->dst[0], l, m->phase);
    if (inst->atomic == ARRIVE_EXPECT || inst->atomic == EXPECT) {
      if (number > MOST_COUNT) return fail(w, inst, l, "%u bytes announced: more than an mbarrier counts", number);
      m->bytes += number;
    }
    if (inst->atomic == COMPLETE) mbarrier_bytes(owner, m, number);
    if (inst->atomic == DROP && m->expected) m->expected -= number;
    if (inst->atomic <= DROP) out = arrive(w, inst, l, owner, m, inst->atomic == ARRIVE_EXPECT ? 1 : number);
    if (out != NEXT) return out;
  }
  clock_release(w);
  return NEXT;
}

/* cp.async.mbarrier.arrive: when what this thread has copied is there. atomic: without an arrival that is added first (noinc). */
static Outcome exec_copy_arrive(Warp *w, const Inst *inst, uint32_t mask) {
  copies_finish(w, w->copies);
  EACH_LANE(l, mask) {
    Block *owner;
    uint64_t address = lane_bits(w, &inst->src[0], l) + (uint64_t)inst->immediate;
    Mbarrier *m = mbarrier_at(w, inst, l, (Space)inst->space, address, false, &owner);
    if (!m) return FAILED;
    if (owner == w->block && w->copies > m->clock.at[ACTOR_COPY + w->index]) m->clock.at[ACTOR_COPY + w->index] = w->copies;
    if (!inst->atomic) continue; /* one more, and it has come */
    if (!m->pending) return fail(w, inst, l, "mbarrier at %u: an arrival of a copy for which it does not wait", m->offset);
    m->pending--;
    end_phase(owner, m);
  }
  return NEXT;
}

const char *decode_copy_arrive(Parser_ *p, const Statement *s, Inst *inst) {
  const char *wrong = op_unknown_part(s, "async mbarrier arrive noinc shared shared::cta");
  if (wrong || s->noperands != 1) return wrong ? wrong : "an address expected";
  inst->exec = exec_copy_arrive, inst->class = EMU_CLASS_MEMORY, inst->space = (uint8_t)op_space(s);
  inst->atomic = op_has(s, "noinc");
  op_sources(p, inst, 1);
  return op_address(p, &s->operand[0], &inst->src[0], &inst->immediate);
}

/* ---- waits ---- */
/* Has the phase ended? compare: it is given by its parity. */
static bool ended(const Mbarrier *m, uint64_t phase, bool parity) {
  return parity ? (m->phase & 1) != (phase & 1) : m->phase > phase;
}

/* combine: may wait. */
static Outcome exec_wait(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t yes = 0;
  AsyncState *s = w->block->async;
  bool in_vain = inst->combine && !w->failed_once && emu_random(w->block->device) % 4 == 0;
  if (in_vain) w->failed_once = true;
  EACH_LANE(l, mask) {
    Block *owner;
    uint64_t address = lane_bits(w, &inst->src[0], l) + (uint64_t)inst->immediate;
    Mbarrier *m = mbarrier_at(w, inst, l, (Space)inst->space, address, false, &owner);
    if (!m) return FAILED;
    if (owner != w->block) return fail(w, inst, l, "waits for an mbarrier of another block");
    if (in_vain || !ended(m, lane_bits(w, &inst->src[1], l), inst->compare)) continue;
    yes |= 1u << l, w->failed_once = false;
    clock_join(&w->clock, &m->last);
    clock_join(&w->proxied, &m->last_proxied);
  }
  if (!yes && !in_vain && inst->combine) return WAIT;
  if (!yes && ++s->polls > MOST_POLLS) return fail(w, inst, 0, "deadlock: asks for a phase that does not end");
  uint32_t *d = DST(0);
  *d = (*d & ~mask) | yes;
  return NEXT;
}

/* ---- decoding ---- */
static const char *decode_wait(Parser_ *p, const Statement *s, Inst *inst) {
  inst->exec = exec_wait, inst->compare = op_has(s, "parity"), inst->combine = op_has(s, "try_wait");
  if (s->noperands < 3 || s->noperands > 4) return "a predicate, an address and a phase expected";
  op_sources(p, inst, 2);
  const char *wrong = op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]);
  if (!wrong && (inst->dst[0].bytes || inst->dst[0].sink)) wrong = "a predicate expected";
  if (!wrong) wrong = op_address(p, &s->operand[1], &inst->src[0], &inst->immediate);
  return wrong ? wrong : op_source(p, &s->operand[2], inst->compare ? T_B32 : T_B64, &inst->src[1]);
}

static const char *decode_life(Parser_ *p, const Statement *s, Inst *inst) {
  bool init = op_has(s, "init");
  inst->exec = init ? exec_init : exec_inval;
  if (s->noperands != 1 + init) return "another number of operands expected";
  op_sources(p, inst, 1 + init);
  const char *wrong = op_address(p, &s->operand[0], &inst->src[0], &inst->immediate);
  return wrong || !init ? wrong : op_source(p, &s->operand[1], T_B32, &inst->src[1]);
}

static const char *decode_arrive(Parser_ *p, const Statement *s, Inst *inst) {
  bool arrives = op_has(s, "arrive"), drops = op_has(s, "arrive_drop"), expects = op_has(s, "expect_tx");
  int state = arrives || drops, n = s->noperands - state;
  inst->exec = exec_arrive;
  inst->atomic = drops ? DROP : arrives ? (expects ? ARRIVE_EXPECT : ARRIVE) : expects ? EXPECT : COMPLETE;
  if ((drops && expects) || n < 1 || n > 2 || (n == 1 && inst->atomic != ARRIVE && inst->atomic != DROP))
    return "a form of mbarrier that the emulator does not run";
  const char *wrong = state ? op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]) : NULL;
  op_sources(p, inst, n);
  if (!wrong) wrong = op_address(p, &s->operand[state], &inst->src[0], &inst->immediate);
  return wrong || n == 1 ? wrong : op_source(p, &s->operand[state + 1], T_B32, &inst->src[1]);
}

const char *decode_mbarrier(Parser_ *p, const Statement *s, Inst *inst) {
  const char *wrong = op_unknown_part(
      s,
      "init inval arrive arrive_drop expect_tx complete_tx test_wait try_wait parity shared shared::cta shared::cluster cta cluster release acquire relaxed");
  if (wrong) return wrong;
  inst->class = EMU_CLASS_MEMORY, inst->space = (uint8_t)op_space(s);
  if (op_has(s, "init") || op_has(s, "inval")) return decode_life(p, s, inst);
  return op_has(s, "test_wait") || op_has(s, "try_wait") ? decode_wait(p, s, inst) : decode_arrive(p, s, inst);
}

/* sync.c - what lanes and warps do together: barriers, shuffles, votes, reductions, fences.
 *
 * A lane that comes to one of these waits until the lanes that it names are there (CONVERGE); a barrier of a block waits for warps (WAIT).
 * Sections 9.7.13.1 to 9.7.13.8 and 9.7.9.6 of the PTX ISA. */
#include "alu.h"
#include "async.h"
#include "ops.h"

/* ---- barriers ---- */
static uint32_t alive_threads(const Block *b) {
  uint32_t n = 0;
  for (unsigned i = 0; i < b->nwarps; i++) n += (uint32_t)__builtin_popcount(b->warps[i].alive);
  return n;
}

static void complete(Barrier *b) {
  b->last = b->clock, b->last_proxied = b->proxied, b->last_any = b->any, b->any = false;
  memset(&b->clock, 0, sizeof b->clock);
  memset(&b->proxied, 0, sizeof b->proxied);
  b->arrived = 0, b->expected = 0;
  b->phase++;
}

static void arrive(Barrier *b, Warp *w, uint32_t threads) {
  clock_join(&b->clock, &w->clock);
  clock_join(&b->proxied, &w->proxied);
  clock_release(w);
  b->arrived += threads;
}

/* A warp has ended: barriers of all threads of the block no longer wait for it. */
void barriers_of_ended(Block *b);
void barriers_of_ended(Block *b) {
  for (int i = 0; i < MAX_BARRIERS; i++)
    if (b->barriers[i].arrived && b->barriers[i].expected == FULL && b->barriers[i].arrived >= alive_threads(b))
      complete(&b->barriers[i]);
}

static Outcome pass(Warp *w, Barrier *b, uint32_t *tried) {
  if (b->phase + 1 == *tried) return WAIT;
  clock_join(&w->clock, &b->last);
  clock_join(&w->proxied, &b->last_proxied);
  *tried = 0;
  return NEXT;
}

enum { BAR_SYNC, BAR_ARRIVE, BAR_VOTE };

/* What all threads of a barrier learn: whether some of them came with a predicate that holds. */
static Outcome pass_vote(Warp *w, const Inst *inst, uint32_t mask, Barrier *b, uint32_t *tried) {
  Outcome out = pass(w, b, tried);
  uint32_t *d = DST(0);
  if (out == NEXT) *d = (*d & ~mask) | (b->last_any ? mask : 0);
  return out;
}

/* mode: 0 sync, 1 arrive, 2 red.or; sat: aligned. src: barrier, threads, of red.or a predicate. */
Outcome exec_bar(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t *tried = &w->split[w->at].tried;
  uint64_t number = lane_bits(w, &inst->src[0], (uint32_t)__builtin_ctz(mask));
  if (number >= MAX_BARRIERS) return fail(w, inst, 0, "barrier %llu of 16", (unsigned long long)number);
  Barrier *b = &w->block->barriers[number];
  if (!*tried) {
    if (inst->sat && mask != w->alive) return CONVERGE;
    uint32_t expected = inst->nsrc > 1 ? (uint32_t)lane_bits(w, &inst->src[1], (uint32_t)__builtin_ctz(mask)) : FULL;
    if (expected != FULL && (expected % LANES || expected == 0))
      return fail(w, inst, 0, "a barrier of %u threads, which are no whole warps", expected);
    if (b->arrived && b->expected != expected)
      return fail(w, inst, 0, "barrier %llu is used with %u threads and with %u", (unsigned long long)number, b->expected,
                  expected);
    b->expected = expected;
    if (inst->mode == BAR_VOTE && lanes_of(w, &inst->src[2]) & mask) b->any = true;
    uint32_t phase = b->phase;
    arrive(b, w, expected == FULL ? (uint32_t)__builtin_popcount(mask) : LANES);
    uint32_t all = expected == FULL ? alive_threads(w->block) : expected;
    if (b->arrived > all)
      return fail(w, inst, 0, "barrier %llu: %u threads arrive, it is for %u", (unsigned long long)number, b->arrived, all);
    if (b->arrived == all) complete(b);
    if (inst->mode == BAR_ARRIVE) return NEXT;
    *tried = phase + 1;
  }
  return inst->mode == BAR_VOTE ? pass_vote(w, inst, mask, b, tried) : pass(w, b, tried);
}

static Outcome exec_bar_warp(Warp *w, const Inst *inst, uint32_t mask) {
  EACH_LANE(l, mask) {
    uint32_t members = (uint32_t)lane_bits(w, &inst->src[0], l);
    if (!(members >> l & 1)) return fail(w, inst, l, "a lane that is not in its own mask");
    if (members & w->alive & ~mask) return CONVERGE;
    break;
  }
  clock_release(w);
  return NEXT;
}

/* mode: 0 arrive, 1 wait. A warp's arrival is noted in the barrier of the cluster. */
static Outcome exec_bar_cluster(Warp *w, const Inst *inst, uint32_t mask) {
  Cluster *c = w->block->cluster;
  Barrier *b = &c->barrier;
  uint32_t *tried = &w->split[w->at].tried;
  if (mask != w->alive) return CONVERGE;
  if (inst->mode == 0) {
    if (b->waiting >> 31) return fail(w, inst, 0, "a cluster's barrier is broken");
    uint32_t all = 0;
    for (unsigned i = 0; i < c->count; i++) all += alive_threads(&c->blocks[i]);
    w->cluster_phase = b->phase + 1; /* the phase that it arrived in: what its wait waits for */
    arrive(b, w, (uint32_t)__builtin_popcount(mask));
    if (b->arrived >= all) complete(b);
    return NEXT;
  }
  if (!*tried) *tried = w->cluster_phase;
  if (!*tried) return fail(w, inst, 0, "waits at the cluster's barrier without having arrived");
  Outcome out = pass(w, b, tried);
  if (out == NEXT) w->cluster_phase = 0;
  return out;
}

/* barrier.cta.red.or.pred p, barrier, threads, q */
static const char *decode_bar_vote(Parser_ *p, const Statement *s, Inst *inst) {
  const char *wrong = op_unknown_part(s, "cta red or aligned pred");
  inst->exec = exec_bar, inst->mode = BAR_VOTE, inst->sat = strcmp(s->opcode, "bar") == 0 || op_has(s, "aligned");
  if (wrong || s->noperands != 4) return wrong ? wrong : "another number of operands expected";
  op_sources(p, inst, 3);
  wrong = op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]);
  for (int i = 0; i < 3 && !wrong; i++) wrong = op_source(p, &s->operand[1 + i], i < 2 ? T_U32 : T_PRED, &inst->src[i]);
  return wrong;
}

const char *decode_bar(Parser_ *p, const Statement *s, Inst *inst) {
  if (op_has(s, "red")) {
    inst->class = EMU_CLASS_CONTROL;
    return decode_bar_vote(p, s, inst);
  }
  const char *wrong = op_unknown_part(s, "cta sync arrive aligned warp cluster wait release acquire relaxed");
  if (wrong) return wrong;
  inst->class = EMU_CLASS_CONTROL;
  if (op_has(s, "cluster")) {
    inst->exec = exec_bar_cluster, inst->mode = op_has(s, "wait");
    return NULL;
  }
  op_sources(p, inst, s->noperands);
  for (int i = 0; i < s->noperands && !wrong; i++) wrong = op_source(p, &s->operand[i], T_U32, &inst->src[i]);
  if (wrong || s->noperands < 1 || s->noperands > 2) return wrong ? wrong : "another number of operands expected";
  if (op_has(s, "warp")) {
    inst->exec = exec_bar_warp;
    return NULL;
  }
  inst->exec = exec_bar, inst->mode = op_has(s, "arrive") ? BAR_ARRIVE : BAR_SYNC;
  inst->sat = strcmp(s->opcode, "bar") == 0 || op_has(s, "aligned");
  if (inst->mode == BAR_ARRIVE && s->noperands != 2) return "bar.arrive needs a number of threads";
  return NULL;
}

/* ---- shuffles ---- */
enum { SHFL_UP, SHFL_DOWN, SHFL_BFLY, SHFL_IDX };

static Outcome members_here(Warp *w, const Inst *inst, const Operand *members, uint32_t mask, uint32_t *out) {
  EACH_LANE(l, mask) {
    *out = (uint32_t)lane_bits(w, members, l);
    if (!(*out >> l & 1)) return fail(w, inst, l, "a lane that is not in its own mask 0x%x", *out);
    if (*out & w->alive & ~mask) return CONVERGE;
  }
  return NEXT;
}

/* Which lane each one reads; out_inside: those whose source lies in their segment, the others read their own. */
static void shuffle_sources(const Warp *w, const Inst *inst, uint32_t *from, uint32_t *out_inside) {
  const uint32_t *distance = SRC(1), *clamps = SRC(2);
  uint32_t ok[LANES];
  for (int l = 0; l < LANES; l++) {
    int b = (int)(distance[l] & 31), clamp = (int)(clamps[l] & 31), segment = (int)(clamps[l] >> 8 & 31);
    int most = (l & segment) | (clamp & ~segment), least = l & segment;
    int j = inst->mode == SHFL_UP     ? l - b
            : inst->mode == SHFL_DOWN ? l + b
            : inst->mode == SHFL_BFLY ? l ^ b
                                      : least | (b & ~segment);
    ok[l] = inst->mode == SHFL_UP ? j >= most : j <= most;
    from[l] = (uint32_t)(ok[l] ? j : l);
  }
  *out_inside = 0;
  for (int l = 0; l < LANES; l++) *out_inside |= ok[l] << l;
}

Outcome exec_shfl(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t members, inside, from[LANES], value[LANES];
  Outcome here = members_here(w, inst, &inst->src[3], mask, &members);
  if (here != NEXT) return here;
  memcpy(value, SRC(0), sizeof value);
  shuffle_sources(w, inst, from, &inside);
  EACH_LANE(l, mask) {
    if (!(mask >> from[l] & 1)) return fail(w, inst, l, "reads lane %u, which does not take part", from[l]);
  }
  uint32_t *to = DST(0);
  EACH_LANE(l, inst->dst[0].sink ? 0 : mask) to[l] = value[from[l]];
  if (inst->ndst > 1 && !inst->dst[1].sink) {
    uint32_t *p = DST(1);
    *p = (*p & ~mask) | (inside & mask);
  }
  return NEXT;
}

const char *decode_shfl(Parser_ *p, const Statement *s, Inst *inst) {
  static const char *const modes[] = {"up", "down", "bfly", "idx"};
  const char *wrong = op_unknown_part(s, "sync up down bfly idx");
  if (wrong) return wrong;
  for (int i = 0; i < 4; i++)
    if (op_has(s, modes[i])) inst->mode = (uint8_t)i;
  inst->exec = exec_shfl, inst->class = EMU_CLASS_OTHER;
  if (s->noperands != 5) return "five operands expected";
  wrong = op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]);
  if (!wrong && s->operand[0].second) {
    RawOperand second = {.kind = OPERAND_REGISTER, .name = s->operand[0].second};
    wrong = op_destination(p, &second, &inst->dst[inst->ndst++]);
  }
  op_sources(p, inst, 4);
  for (int i = 0; i < 4 && !wrong; i++) wrong = op_source(p, &s->operand[1 + i], T_B32, &inst->src[i]);
  return wrong;
}

/* ---- votes ---- */
enum { VOTE_ALL, VOTE_ANY, VOTE_UNI, VOTE_BALLOT, VOTE_ACTIVE };

static Outcome exec_vote(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t members = mask;
  if (inst->mode != VOTE_ACTIVE) {
    Outcome here = members_here(w, inst, &inst->src[1], mask, &members);
    if (here != NEXT) return here;
  }
  uint32_t votes = inst->mode == VOTE_ACTIVE ? mask : lanes_of(w, &inst->src[0]) & mask;
  if (inst->mode >= VOTE_BALLOT) {
    EACH_LANE(l, mask) set_lane(w, &inst->dst[0], l, votes);
    return NEXT;
  }
  bool yes = inst->mode == VOTE_ALL ? votes == mask : inst->mode == VOTE_ANY ? votes != 0 : votes == mask || !votes;
  uint32_t *d = DST(0);
  *d = (*d & ~mask) | (yes ? mask : 0);
  return NEXT;
}

const char *decode_vote(Parser_ *p, const Statement *s, Inst *inst) {
  static const char *const modes[] = {"all", "any", "uni", "ballot"};
  inst->exec = exec_vote, inst->class = EMU_CLASS_OTHER, inst->mode = VOTE_ACTIVE;
  const char *wrong = op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]);
  if (wrong || strcmp(s->opcode, "activemask") == 0) return wrong;
  wrong = op_unknown_part(s, "sync all any uni ballot");
  for (int i = 0; i < 4; i++)
    if (op_has(s, modes[i])) inst->mode = (uint8_t)i;
  op_sources(p, inst, 2);
  if (!wrong) wrong = op_source(p, &s->operand[1], T_PRED, &inst->src[0]);
  if (!wrong) wrong = op_source(p, &s->operand[2], T_B32, &inst->src[1]);
  return wrong;
}

enum { REDUX_ADD, REDUX_MIN, REDUX_MAX, REDUX_AND, REDUX_OR, REDUX_XOR };
static Outcome exec_redux(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t members, out = 0;
  Outcome here = members_here(w, inst, &inst->src[1], mask, &members);
  if (here != NEXT) return here;
  bool first = true, is_signed = inst->type == T_S32;
  EACH_LANE(l, mask) {
    uint32_t v = (uint32_t)lane_bits(w, &inst->src[0], l);
    bool less = is_signed ? (int32_t)v < (int32_t)out : v < out;
    switch (inst->mode) {
    case REDUX_ADD: out += v; break;
    case REDUX_MIN: out = first || less ? v : out; break;
    case REDUX_MAX: out = first || !less ? v : out; break;
    case REDUX_AND: out = first ? v : out & v; break;
    case REDUX_OR: out |= v; break;
    default: out ^= v; break;
    }
    first = false;
  }
  EACH_LANE(l, mask) set_lane(w, &inst->dst[0], l, out);
  return NEXT;
}

const char *decode_redux(Parser_ *p, const Statement *s, Inst *inst) {
  static const char *const modes[] = {"add", "min", "max", "and", "or", "xor"};
  const char *wrong = op_unknown_part(s, "sync add min max and or xor");
  if (wrong) return wrong;
  if (op_type(s, 0) == T_F32) return "redux of floats";
  for (int i = 0; i < 6; i++)
    if (op_has(s, modes[i])) inst->mode = (uint8_t)i;
  inst->exec = exec_redux, inst->type = (uint8_t)op_type(s, 0), inst->class = EMU_CLASS_OTHER;
  wrong = op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]);
  op_sources(p, inst, 2);
  for (int i = 0; i < 2 && !wrong; i++) wrong = op_source(p, &s->operand[1 + i], T_B32, &inst->src[i]);
  return wrong;
}

static Outcome exec_elect(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t members;
  Outcome here = members_here(w, inst, &inst->src[0], mask, &members);
  if (here != NEXT) return here;
  uint32_t leader = (uint32_t)__builtin_ctz(mask), *d = DST(1);
  EACH_LANE(l, mask)
  if (!inst->dst[0].sink) set_lane(w, &inst->dst[0], l, leader);
  *d = (*d & ~mask) | 1u << leader;
  return NEXT;
}

const char *decode_elect(Parser_ *p, const Statement *s, Inst *inst) {
  inst->exec = exec_elect, inst->class = EMU_CLASS_OTHER;
  if (s->noperands != 2 || !s->operand[0].second) return "a register, a predicate and a mask expected";
  const char *wrong = op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]);
  RawOperand second = {.kind = OPERAND_REGISTER, .name = s->operand[0].second};
  if (!wrong) wrong = op_destination(p, &second, &inst->dst[inst->ndst++]);
  op_sources(p, inst, 1);
  return wrong ? wrong : op_source(p, &s->operand[1], T_B32, &inst->src[0]);
}

/* ---- fences ---- */
enum { FENCE_PROXY = 1, FENCE_MBARRIERS = 2, FENCE_DEVICE = 4 };

/* Mbarriers of whose initialisation these threads know are shown to the cluster and the async proxy. */
static void show_mbarriers(Warp *w, uint32_t mask) {
  Mbarrier *m = w->block->async->mbarriers;
  for (unsigned i = 0; m && i < MAX_BULK; i++)
    if (m[i].live) { EACH_LANE(l, mask) m[i].visible |= race_ordered(w, l, &m[i].init); }
}

/* mode: FENCE_X. The async proxy sees what generic accesses of these threads, and all that happened before, have written. */
static Outcome exec_fence(Warp *w, const Inst *inst, uint32_t mask) {
  if (inst->mode & FENCE_PROXY) clock_join(&w->proxied, &w->clock);
  if (inst->mode & (FENCE_PROXY | FENCE_MBARRIERS)) show_mbarriers(w, mask);
  if (inst->mode & FENCE_DEVICE) order_fence(w);
  return NEXT;
}

const char *decode_fence(Parser_ *p, const Statement *s, Inst *inst) {
  (void)p;
  inst->exec = exec_fence, inst->class = EMU_CLASS_MEMORY;
  bool proxy = op_has(s, "proxy"), cta = op_has(s, "cta") || op_has(s, "cluster");
  if (proxy && (op_has(s, "async") || op_has(s, "async::generic"))) inst->mode |= FENCE_PROXY;
  if (op_has(s, "mbarrier_init")) inst->mode |= FENCE_MBARRIERS;
  if (!proxy && !cta) inst->mode |= FENCE_DEVICE;
  return op_unknown_part(
      s,
      "sc acq_rel acquire release relaxed cta cluster gpu sys gl proxy async async::generic shared::cta shared::cluster global mbarrier_init sync_restrict::shared::cta sync_restrict::shared::cluster alias");
}

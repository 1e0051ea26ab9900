/* run.c - launches: clusters one behind the other, their warps in an order by seed, lanes of a warp in lock step.
 *
 * A warp is a set of splits, lanes that are at one instruction. The one that is farthest behind runs until it meets the next one, with which
 * it becomes one, so that lanes come together where their ways do (min-PC scheduling); one that waits lets others go first. A block in which
 * nobody can go on has a deadlock. */
#include "internal.h"

void barriers_of_ended(Block *b);
void async_open(Block *b);
void async_close(Block *b);
bool async_advance(Cluster *c); /* lets something that is under way come to its end; false: nothing is */
void products_close(Block *b);

/* ---- control ---- */
Outcome exec_ret(Warp *w, const Inst *inst, uint32_t mask) {
  (void)w, (void)inst, (void)mask;
  return RETURN;
}

Outcome exec_trap(Warp *w, const Inst *inst, uint32_t mask) { return fail(w, inst, (uint32_t)__builtin_ctz(mask), "a trap"); }

Outcome exec_bra(Warp *w, const Inst *inst, uint32_t mask) {
  (void)w, (void)inst, (void)mask;
  return JUMP;
}

static void merge(Warp *w) {
  for (unsigned i = 0; i < w->nsplits; i++)
    for (unsigned k = i + 1; k < w->nsplits; k++)
      if (w->split[i].pc == w->split[k].pc && !w->split[i].tried && !w->split[k].tried) {
        w->split[i].mask |= w->split[k].mask;
        w->split[i].state = NEXT;
        w->split[k] = w->split[--w->nsplits];
        k = i;
      }
}

static void remove_lanes(Warp *w, uint32_t lanes) {
  w->split[w->at].mask &= ~lanes;
  w->alive &= ~lanes;
  if (!w->split[w->at].mask) w->split[w->at] = w->split[--w->nsplits];
  for (unsigned i = 0; i < w->nsplits; i++)
    if (w->split[i].state == CONVERGE) w->split[i].state = NEXT; /* whom they wait for is gone, perhaps */
  w->done = w->nsplits == 0;
  barriers_of_ended(w->block);
}

/* The lanes in `taken` go to target, the rest of the split behind the branch. */
static void branch(Warp *w, uint32_t taken, uint32_t target, uint32_t next) {
  uint32_t rest = w->split[w->at].mask & ~taken;
  if (!rest) {
    w->split[w->at].pc = target;
  } else {
    w->split[w->at].pc = next, w->split[w->at].mask = rest;
    if (taken) {
      w->split[w->nsplits] = w->split[w->at];
      w->split[w->nsplits].pc = target, w->split[w->nsplits].mask = taken;
      w->nsplits++;
    }
  }
}

static void branch_table(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t left = mask, next = w->split[w->at].pc + 1;
  while (left) {
    uint32_t index = (uint32_t)lane_bits(w, &inst->src[0], (uint32_t)__builtin_ctz(left)), same = 0;
    if (index >= inst->ntargets) {
      fail(w, inst, 0, "a branch to target %u of %u", index, inst->ntargets);
      return;
    }
    EACH_LANE(l, left)
    if ((uint32_t)lane_bits(w, &inst->src[0], l) == index) same |= 1u << l;
    left &= ~same;
    if (!left && w->split[w->at].mask == same) {
      w->split[w->at].pc = inst->targets[index];
      break;
    }
    w->split[w->nsplits] = w->split[w->at];
    w->split[w->nsplits].pc = inst->targets[index], w->split[w->nsplits].mask = same;
    w->nsplits++;
    w->split[w->at].mask &= ~same;
    w->split[w->at].pc = next;
    if (!w->split[w->at].mask) w->split[w->at] = w->split[--w->nsplits];
  }
}

/* The split that is farthest behind and need not wait; false: all must. */
static bool choose(Warp *w, uint32_t *out_limit) {
  uint32_t best = FULL;
  *out_limit = FULL;
  for (unsigned i = 0; i < w->nsplits; i++) {
    uint32_t pc = w->split[i].pc;
    if (w->split[i].state != NEXT) {
      if (pc < *out_limit) *out_limit = pc;
    } else if (best == FULL || pc < w->split[best].pc) {
      best = i;
    }
  }
  if (best == FULL) return false;
  w->at = best;
  for (unsigned i = 0; i < w->nsplits; i++)
    if (i != best && w->split[i].pc > w->split[best].pc && w->split[i].pc < *out_limit) *out_limit = w->split[i].pc;
  if (*out_limit <= w->split[best].pc) *out_limit = FULL;
  return true;
}

static void count(EmuCounters *c, const Inst *inst) {
  c->instructions++;
  c->by_class[inst->class]++;
}

/* Runs the warp for some time; false: it cannot go on now. */
static bool run_warp(Warp *w, unsigned quantum) {
  Block *b = w->block;
  EmuDevice *device = b->device;
  const Inst *code = b->launch->kernel->code;
  bool moved = false;
  for (unsigned i = 0; i < w->nsplits; i++)
    if (w->split[i].state == WAIT) w->split[i].state = NEXT;
  uint32_t limit;
  while (quantum && w->nsplits && choose(w, &limit)) {
    for (; quantum; quantum--) {
      unsigned at = w->at;
      uint32_t pc = w->split[at].pc, mask = w->split[at].mask;
      const Inst *inst = &code[pc];
      if (inst->guard != UINT32_MAX) {
        uint32_t p = *(const uint32_t *)(w->regs + inst->guard);
        mask &= inst->unless ? ~p : p;
      }
      count(device->now, inst);
      if (!mask) {
        w->split[at].pc++, moved = true;
        if (w->split[at].pc >= limit) break;
        continue;
      }
      Outcome out = inst->exec(w, inst, mask);
      if (device->findings) return false;
      if (out == NEXT) {
        w->split[at].pc = pc + 1, moved = true;
        if (pc + 1 >= limit) break;
        continue;
      }
      if (out == JUMP) {
        moved = true;
        if (inst->ntargets) branch_table(w, inst, mask);
        else branch(w, mask, inst->target, pc + 1);
        break;
      }
      if (out == RETURN) {
        moved = true;
        uint32_t rest = w->split[at].mask & ~mask;
        w->split[at].pc = rest ? pc + 1 : pc;
        remove_lanes(w, mask);
        break;
      }
      w->split[at].state = (uint8_t)out;
      break;
    }
    merge(w);
  }
  return moved;
}

/* ---- blocks ---- */
static const char *const names_of_special[38];

static void set_all(Warp *w, uint32_t index, uint32_t value) {
  uint32_t *lanes = (uint32_t *)(w->regs) + (size_t)index * LANES;
  for (int l = 0; l < LANES; l++) lanes[l] = value;
}

/* In the order of parse.c, special_registers. */
static void set_special(Warp *w) {
  const Block *b = w->block;
  const EmuLaunch *launch = b->launch;
  uint32_t (*lanes)[LANES] = (void *)w->regs;
  (void)names_of_special;
  for (uint32_t l = 0; l < LANES; l++) {
    uint32_t t = w->index * LANES + l;
    lanes[0][l] = t % launch->block[0], lanes[1][l] = t / launch->block[0] % launch->block[1],
    lanes[2][l] = t / launch->block[0] / launch->block[1];
    lanes[12][l] = l;
    lanes[29][l] = 1u << l, lanes[30][l] = (1u << l) - 1, lanes[31][l] = (2u << l) - 1, lanes[32][l] = ~((2u << l) - 1),
    lanes[33][l] = ~((1u << l) - 1);
  }
  for (uint32_t i = 0; i < 3; i++) {
    uint32_t in = b->id[i] % launch->cluster[i];
    set_all(w, 3 + i, launch->block[i]);
    set_all(w, 6 + i, b->id[i]);
    set_all(w, 9 + i, launch->grid[i]);
    set_all(w, 15 + i, b->id[i] / launch->cluster[i]);
    set_all(w, 18 + i, launch->grid[i] / launch->cluster[i]);
    set_all(w, 21 + i, in);
    set_all(w, 24 + i, launch->cluster[i]);
  }
  set_all(w, 13, w->index);
  set_all(w, 14, b->nwarps);
  set_all(w, 27, b->rank);
  set_all(w, 28, b->cluster->count);
  set_all(w, 34, launch->dynamic_shared);
  set_all(w, 35, b->shared_bytes);
  set_all(w, 36, b->number % 132);
  set_all(w, 37, 132);
}

static void start_block(Block *b) {
  memset(b->shared, 0xff, b->shared_bytes);
  memset(b->barriers, 0, sizeof b->barriers);
  for (unsigned i = 0; i < b->nwarps; i++) {
    Warp *w = &b->warps[i];
    uint32_t threads = b->threads - i * LANES, alive = threads >= LANES ? FULL : (1u << threads) - 1;
    w->index = i, w->block = b, w->alive = alive, w->nsplits = 1, w->done = false;
    w->split[0].pc = 0, w->split[0].mask = alive, w->split[0].state = NEXT, w->split[0].tried = 0;
    memset(&w->clock, 0, sizeof w->clock);
    memset(&w->proxied, 0, sizeof w->proxied);
    w->clock.at[i] = 1;
    w->copies = w->ncommitted = w->stores = w->ncommitted_stores = 0;
    w->cluster_phase = 0, w->store_lane = 0, w->failed_once = w->fenced = false, w->nmet = 0;
    memset(w->regs, 0xcd, b->launch->kernel->register_bytes);
    set_special(w);
  }
  async_open(b);
}

uint64_t emu_random(EmuDevice *device) {
  uint64_t x = device->random += UINT64_C(0x9e3779b97f4a7c15);
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

static void report_deadlock(Cluster *c) {
  for (unsigned k = 0; k < c->count; k++)
    for (unsigned i = 0; i < c->blocks[k].nwarps; i++) {
      Warp *w = &c->blocks[k].warps[i];
      if (w->done) continue;
      const Inst *inst = &w->block->launch->kernel->code[w->split[0].pc];
      fail(w, inst, (uint32_t)__builtin_ctz(w->split[0].mask),
           w->split[0].state == CONVERGE ? "deadlock: waits for lanes that do not come here"
                                         : "deadlock: waits, and nobody can go on");
      return;
    }
}

static bool run_cluster(Cluster *c) {
  EmuDevice *device = c->blocks[0].device;
  Warp *order[MAX_CLUSTER * MAX_WARPS];
  unsigned n = 0;
  for (unsigned k = 0; k < c->count; k++)
    for (unsigned i = 0; i < c->blocks[k].nwarps; i++) order[n++] = &c->blocks[k].warps[i];
  while (n) {
    bool moved = false;
    for (unsigned i = n; i > 1; i--) {
      unsigned k = (unsigned)(emu_random(device) % i);
      Warp *w = order[i - 1];
      order[i - 1] = order[k], order[k] = w;
    }
    for (unsigned i = 0; i < n && !device->findings; i++) moved |= run_warp(order[i], 200 + (unsigned)(emu_random(device) % 4096));
    if (device->findings) return false;
    unsigned left = 0;
    for (unsigned i = 0; i < n; i++)
      if (!order[i]->done) order[left++] = order[i];
    n = left;
    if (emu_random(device) % 2 || !moved) moved |= async_advance(c);
    if (n && !moved) {
      report_deadlock(c);
      return false;
    }
  }
  while (async_advance(c)) {}
  return !device->findings;
}

static size_t up(size_t bytes) { return (bytes + 127) / 128 * 128; }

static char *make_blocks(EmuDevice *device, const EmuLaunch *l, Cluster *c, unsigned threads) {
  const EmuKernel *k = l->kernel;
  unsigned nwarps = (threads + LANES - 1) / LANES;
  size_t shared = up(k->static_shared + l->dynamic_shared), words = shared / k->shared_granule + 1;
  size_t local = up((size_t)k->local_bytes * LANES), registers = up(k->register_bytes);
  size_t each = up(nwarps * sizeof(Warp)) + up(shared + 1024) + up(words * sizeof(Shadow)) + nwarps * (local + registers);
  char *memory = NULL;
  if (posix_memalign((void **)&memory, 1024, up(c->count * sizeof(Block)) + c->count * (each + 1024))) abort();
  memset(memory, 0, up(c->count * sizeof(Block)) + c->count * (each + 1024));
  c->blocks = (Block *)memory;
  char *at = memory + up(c->count * sizeof(Block));
  for (unsigned i = 0; i < c->count; i++) {
    Block *b = &c->blocks[i];
    *b = (Block){.device = device,
                 .launch = l,
                 .cluster = c,
                 .rank = i,
                 .nwarps = nwarps,
                 .threads = threads,
                 .shared_bytes = k->static_shared + l->dynamic_shared};
    at = (char *)(((uintptr_t)at + 1023) & ~(uintptr_t)1023);
    b->shared = (uint8_t *)at, at += up(shared);
    b->warps = (Warp *)at, at += up(nwarps * sizeof(Warp));
    b->shadow = (Shadow *)at, at += up(words * sizeof(Shadow));
    for (unsigned w = 0; w < nwarps; w++) {
      b->warps[w].regs = (uint8_t *)at, at += registers;
      b->warps[w].local = (uint8_t *)at, at += local;
    }
  }
  return memory;
}

static bool legal(EmuDevice *device, const EmuLaunch *l, unsigned *out_threads) {
  const EmuKernel *k = l->kernel;
  uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];
  *out_threads = (unsigned)threads;
  const char *wrong = NULL;
  if (threads == 0 || threads > 1024) wrong = "a block has no threads, or more than 1024";
  if (!l->grid[0] || !l->grid[1] || !l->grid[2]) wrong = "a grid without blocks";
  if (k->max_threads && threads > k->max_threads) wrong = "more threads than .maxntid";
  if (k->required[0] && (k->required[0] != l->block[0] || k->required[1] != l->block[1] || k->required[2] != l->block[2]))
    wrong = "other threads than .reqntid";
  if (k->static_shared + l->dynamic_shared > 227 * 1024) wrong = "more than 227 KB of shared memory";
  for (int i = 0; i < 3; i++)
    if (!l->cluster[i] || l->grid[i] % l->cluster[i]) wrong = "a grid that is no whole clusters";
  if (l->cluster[0] * l->cluster[1] * l->cluster[2] > MAX_CLUSTER) wrong = "a cluster of more than 16 blocks";
  if (wrong) note(device, "%s: %s", k->name, wrong);
  return !wrong;
}

static EmuCounters *counters_of(EmuDevice *device, const char *name) {
  for (size_t i = 0; i < device->nkernels; i++)
    if (strcmp(device->kernels[i].name, name) == 0) return &device->kernels[i].counters;
  device->kernels = realloc(device->kernels, (device->nkernels + 1) * sizeof *device->kernels);
  if (!device->kernels) abort();
  device->kernels[device->nkernels].name = strdup(name);
  device->kernels[device->nkernels].counters = (EmuCounters){0};
  return &device->kernels[device->nkernels++].counters;
}

static void place(Block *b, const EmuLaunch *l, uint64_t cluster) {
  uint32_t per[3], in = b->rank;
  for (int i = 0; i < 3; i++) per[i] = l->grid[i] / l->cluster[i];
  b->id[0] = (uint32_t)(cluster % per[0]) * l->cluster[0] + in % l->cluster[0];
  b->id[1] = (uint32_t)(cluster / per[0] % per[1]) * l->cluster[1] + in / l->cluster[0] % l->cluster[1];
  b->id[2] = (uint32_t)(cluster / per[0] / per[1]) * l->cluster[2] + in / l->cluster[0] / l->cluster[1];
  b->number = (b->id[2] * l->grid[1] + b->id[1]) * l->grid[0] + b->id[0];
}

bool emu_launch(EmuDevice *device, const EmuLaunch *l) {
  unsigned threads, before = device->findings;
  device->findings = 0;
  if (!legal(device, l, &threads)) {
    device->findings += before;
    return false;
  }
  Cluster c = {.count = l->cluster[0] * l->cluster[1] * l->cluster[2]};
  char *memory = make_blocks(device, l, &c, threads);
  device->launches++;
  device->now = counters_of(device, l->kernel->name);
  device->now->launches++;
  uint64_t clusters = (uint64_t)l->grid[0] * l->grid[1] * l->grid[2] / c.count, first = emu_random(device) % clusters;
  order_open(device, (size_t)clusters * c.count);
  for (uint64_t i = 0; i < clusters && !device->findings; i++) {
    device->now->blocks += c.count;
    memset(&c.barrier, 0, sizeof c.barrier);
    for (unsigned k = 0; k < c.count; k++) {
      place(&c.blocks[k], l, (first + i) % clusters);
      start_block(&c.blocks[k]);
    }
    run_cluster(&c);
    for (unsigned k = 0; k < c.count; k++) async_close(&c.blocks[k]), products_close(&c.blocks[k]), order_forget(&c.blocks[k]);
  }
  order_close(device);
  free(memory);
  bool ok = !device->findings;
  device->findings += before;
  return ok;
}

/* bulk.c - bulk copies (cp.async.bulk, and .tensor of boxes) between global and shared memory.
 *
 * A copy to shared memory takes its bytes at once and writes them later, by chance, when it tells its mbarrier; a copy to global memory reads
 * shared memory as late as its group is waited for. Both are of the async proxy, so generic writes that they meet need
 * fence.proxy.async (race.c). Groups of stores are a thread's. Shared memory of other blocks of the cluster gets its bytes
 * and its reads are checked for a wait; that it may be written already is checked for the block's own alone.
 * Sections 9.7.9.25.4 and 9.7.9.25.5 of the PTX ISA. */
#include "async.h"
#include "ops.h"
#include "tensor_map.h"

/* Places in inst->src. */
enum { TO_OR_FROM, BARRIER, GLOBAL, SIZE, COORDINATE, OFFSET = COORDINATE + MAP_RANK, BLOCKS = OFFSET + 3, SOURCES };
enum { COMMIT, WAIT_READ, WAIT_ALL };

static Transfer *new_transfer(Block *b) {
  AsyncState *s = b->async;
  if (s->ntransfers == s->transfers_room) {
    s->transfers_room = s->transfers_room ? 2 * s->transfers_room : 16;
    s->transfers = realloc(s->transfers, s->transfers_room * sizeof *s->transfers);
    if (!s->transfers) abort();
  }
  s->transfers[s->ntransfers] = (Transfer){0};
  return &s->transfers[s->ntransfers++];
}

static void *copy_of(const void *from, size_t bytes) {
  void *made = malloc(bytes + 1);
  if (!made) abort();
  return from ? memcpy(made, from, bytes) : made;
}

/* ---- the end of a copy ---- */
/* Epochs before the oldest copy that is under way to this mbarrier are over. */
static uint32_t done_epoch(const Block *b, const Block *to, unsigned mbarrier) {
  uint32_t done = to->async->mbarriers[mbarrier].issued;
  for (unsigned k = 0; k < b->cluster->count; k++) {
    const AsyncState *s = b->cluster->blocks[k].async;
    for (size_t i = 0; i < s->ntransfers; i++) {
      const Transfer *t = &s->transfers[i];
      if (t->to == to && t->mbarrier == mbarrier && t->epoch <= done) done = t->epoch - 1;
    }
  }
  return done;
}

static void finish_load(Block *b, const Transfer *t) {
  Mbarrier *m = &t->to->async->mbarriers[t->mbarrier];
  for (uint32_t at = 0; at < t->bytes; at += 16) memcpy(t->to->shared + swizzled(t->offset + at, t->swizzle), t->data + at, 16);
  uint32_t done = done_epoch(b, t->to, t->mbarrier), *known = &m->clock.at[ACTOR_BULK + t->mbarrier];
  if (done > *known) *known = done;
  if (m->live) mbarrier_bytes(t->to, m, t->bytes);
}

static void finish_store(Block *b, const Transfer *t) {
  for (uint32_t i = 0; i * t->element < t->bytes; i++)
    if (t->address[i]) {
      uint32_t at = t->offset + i * t->element;
      memcpy((void *)(uintptr_t)t->address[i], b->shared + (swizzled(at & ~15u, t->swizzle) | (at & 15)), t->element);
    }
}

static void finish(Block *b, size_t i) {
  AsyncState *s = b->async;
  Transfer t = s->transfers[i];
  memmove(&s->transfers[i], &s->transfers[i + 1], (s->ntransfers - i - 1) * sizeof t);
  s->ntransfers--;
  if (t.to) finish_load(b, &t);
  else finish_store(b, &t);
  free(t.data);
  free(t.address);
}

bool transfers_advance(Block *b) {
  if (!b->async->ntransfers) return false;
  finish(b, (size_t)(emu_random(b->device) % b->async->ntransfers));
  return true;
}

void transfers_close(Block *b) {
  AsyncState *s = b->async;
  for (size_t i = 0; i < s->ntransfers; i++) free(s->transfers[i].data), free(s->transfers[i].address);
  free(s->transfers);
}

/* ---- what is copied ---- */
typedef struct {
  uint64_t *address;
  uint32_t elements, element;
  uint8_t swizzle;
  bool nan, is_double;
  bool below; /* a coordinate is negative */
} Box;

static bool tensor_box(Warp *w, const Inst *inst, uint32_t l, Box *out) {
  uint64_t address = lane_bits(w, &inst->src[GLOBAL], l) + (uint64_t)inst->extra[1];
  const uint8_t *half = memory_at(w, inst, l, SPACE_GENERIC, address, MAP_ALIGNMENT, READ);
  if (!half || !memory_at(w, inst, l, SPACE_GENERIC, address + MAP_ALIGNMENT, MAP_ALIGNMENT, READ)) return false;
  TensorMap map;
  memcpy(&map, half, sizeof map);
  const char *wrong = tensor_map_wrong(&map);
  if (!wrong && map.rank != inst->count) wrong = "a tensor of another rank than the map's";
  if (!wrong && map.im2col != inst->compare) wrong = "tile and im2col mixed up: the map is for the other";
  if (wrong) {
    fail(w, inst, l, "%s", wrong);
    return false;
  }
  int32_t at[MAP_RANK];
  uint16_t offsets[3] = {0};
  for (unsigned i = 0; i < map.rank; i++) at[i] = (int32_t)lane_bits(w, &inst->src[COORDINATE + i], l);
  for (unsigned i = 0; map.im2col && i + 2 < map.rank; i++) offsets[i] = (uint16_t)lane_bits(w, &inst->src[OFFSET + i], l);
  *out = (Box){.elements = tensor_map_box(&map, at, offsets, NULL), .element = map.element, .swizzle = map.swizzle};
  out->nan = map.nan, out->is_double = map.is_double;
  for (unsigned i = 0; i < map.rank; i++) out->below |= at[i] < 0;
  out->address = copy_of(NULL, out->elements * sizeof *out->address);
  tensor_map_box(&map, at, offsets, out->address);
  return true;
}

static bool plain_box(Warp *w, const Inst *inst, uint32_t l, Box *out) {
  uint64_t address = lane_bits(w, &inst->src[GLOBAL], l) + (uint64_t)inst->extra[1], bytes = lane_bits(w, &inst->src[SIZE], l);
  if (bytes % 16 || address % 16) {
    fail(w, inst, l, "a bulk copy of %llu bytes at 0x%llx: both must be multiples of 16", (unsigned long long)bytes,
         (unsigned long long)address);
    return false;
  }
  *out = (Box){.elements = (uint32_t)bytes / 4, .element = 4};
  out->address = copy_of(NULL, out->elements * sizeof *out->address);
  for (uint32_t i = 0; i < out->elements; i++) out->address[i] = address + 4 * i;
  return true;
}

static bool box_of(Warp *w, const Inst *inst, uint32_t l, Box *out) {
  return inst->count ? tensor_box(w, inst, l, out) : plain_box(w, inst, l, out);
}

/* Each element is looked up as one that is read, or written. */
static bool touch(Warp *w, const Inst *inst, uint32_t l, const Box *box, int how, uint8_t *data) {
  static const uint8_t ones[8] = {0xff, 0xff, 0xff, 0x7f, 0xff, 0xff, 0xff, 0x7f};
  for (uint32_t i = 0; i < box->elements; i++) {
    const uint8_t *at = NULL;
    if (box->address[i]) {
      at = memory_at(w, inst, l, SPACE_GLOBAL, box->address[i], box->element, how);
      if (!at || w->block->device->findings) return false;
    }
    uint8_t *to = data + (size_t)i * box->element;
    if (!data) continue;
    if (at) memcpy(to, at, box->element);
    else if (box->nan) memcpy(to, ones + 8 - box->element, box->element);
    else memset(to, 0, box->element);
  }
  EmuCounters *c = w->block->device->now;
  uint64_t sectors = ((uint64_t)box->elements * box->element + 31) / 32;
  c->requests++, c->sectors += sectors, c->ideal_sectors += sectors, c->global_bytes += (uint64_t)box->elements * box->element;
  return true;
}

/* ---- to shared memory ---- */
static void mark_written(Block *b, uint32_t offset, uint32_t bytes, Access access) {
  unsigned granule = b->launch->kernel->shared_granule;
  for (uint32_t at = offset / granule; at <= (offset + bytes - 1) / granule; at++)
    b->shadow[at] = (Shadow){.stamp = b->number + 1u, .write = access};
}

static bool load_to(Warp *w, const Inst *inst, uint32_t l, Block *to, uint32_t offset, Mbarrier *m, const Box *box,
                    const uint8_t *data) {
  uint32_t bytes = box->elements * box->element, index = (uint32_t)(m - to->async->mbarriers), actor = ACTOR_BULK + index;
  if (offset % (inst->count ? 128 : 16) || offset > to->shared_bytes || bytes > to->shared_bytes - offset) {
    fail(w, inst, l,
         "a bulk copy of %u bytes to %u of shared memory, of which the block has %u: there is no room, or it is not aligned", bytes,
         offset, to->shared_bytes);
    return false;
  }
  m->issued++;
  for (uint32_t at = 0; at < bytes; at += 16) {
    uint32_t where = swizzled(offset + at, box->swizzle);
    if (where + 16 > to->shared_bytes) {
      fail(w, inst, l, "a swizzled box ends outside of shared memory");
      return false;
    }
    if (to == w->block) race_shared(w, inst, l, to, where, 16, WRITE, actor, m->issued);
    else
      mark_written(to, where, 16, (Access){.epoch = m->issued, .actor = (uint16_t)(actor + 1), .async = true, .line = inst->line});
    if (w->block->device->findings) return false;
  }
  Transfer *t = new_transfer(w->block);
  *t = (Transfer){.epoch = m->issued, .warp = w->index, .offset = offset, .bytes = bytes, .swizzle = box->swizzle, .to = to};
  t->mbarrier = index, t->data = copy_of(data, bytes);
  return true;
}

/* Of each block that is named, or the one in which the address lies. */
static bool load_lane(Warp *w, const Inst *inst, uint32_t l, const Box *box, uint8_t *data) {
  uint64_t to = lane_bits(w, &inst->src[TO_OR_FROM], l) + (uint64_t)inst->immediate,
           barrier = lane_bits(w, &inst->src[BARRIER], l) + (uint64_t)inst->extra[0];
  uint32_t offset, blocks = inst->combine ? (uint32_t)lane_bits(w, &inst->src[BLOCKS], l) & 0xffff : 0;
  Block *first = shared_block(w, SPACE_CLUSTER, to, &offset), *owner;
  Mbarrier *m = mbarrier_at(w, inst, l, SPACE_CLUSTER, barrier, true, &owner);
  if (!m || !touch(w, inst, l, box, READ, data)) return false;
  if (!first || (!inst->combine && owner != first) || (inst->combine && (!blocks || blocks >> w->block->cluster->count))) {
    fail(w, inst, l, "a bulk copy to a block that is not in the cluster, or to another than its mbarrier is in");
    return false;
  }
  if (!inst->combine) return load_to(w, inst, l, first, offset, m, box, data);
  for (uint32_t k = 0; k < w->block->cluster->count; k++) {
    if (!(blocks >> k & 1)) continue;
    Block *unused;
    Mbarrier *there = mbarrier_at(w, inst, l, SPACE_GENERIC, SHARED_WINDOW | (uint64_t)k << 32 | m->offset, true, &unused);
    if (!there || !load_to(w, inst, l, &w->block->cluster->blocks[k], offset, there, box, data)) return false;
  }
  return true;
}

/* count: rank of the tensor, 0: plain bytes; compare: im2col; combine: to several blocks. */
static Outcome exec_load(Warp *w, const Inst *inst, uint32_t mask) {
  EACH_LANE(l, mask) {
    Box box;
    if (!box_of(w, inst, l, &box)) return FAILED;
    uint8_t *data = copy_of(NULL, (size_t)box.elements * box.element);
    bool ok = load_lane(w, inst, l, &box, data);
    free(data);
    free(box.address);
    if (!ok) return FAILED;
  }
  return NEXT;
}

/* ---- to global memory ---- */
static bool store_lane(Warp *w, const Inst *inst, uint32_t l, const Box *box) {
  Block *b = w->block;
  uint64_t from = lane_bits(w, &inst->src[TO_OR_FROM], l) + (uint64_t)inst->immediate;
  uint32_t offset, bytes = box->elements * box->element;
  Block *owner = shared_block(w, SPACE_CLUSTER, from, &offset);
  if (owner != b || offset % (inst->count ? 128 : 16) || offset > b->shared_bytes || bytes > b->shared_bytes - offset) {
    fail(w, inst, l, "a bulk copy of %u bytes from %u of shared memory, of which the block has %u: not there, or not aligned",
         bytes, offset, b->shared_bytes);
    return false;
  }
  if (box->below) { /* seen on an H100: CUDA_ERROR_ILLEGAL_INSTRUCTION */
    fail(w, inst, l, "a tensor is stored to at a negative coordinate");
    return false;
  }
  for (uint32_t at = 0; at < bytes && !b->device->findings; at += 16)
    race_shared(w, inst, l, b, swizzled(offset + at, box->swizzle), 16, READ, ACTOR_STORE + w->index, w->stores);
  return !b->device->findings && touch(w, inst, l, box, WRITE, NULL);
}

static Outcome exec_store(Warp *w, const Inst *inst, uint32_t mask) {
  EACH_LANE(l, mask) {
    Box box;
    if (!box_of(w, inst, l, &box)) return FAILED;
    w->stores++, w->store_lane = (uint8_t)l;
    if (!store_lane(w, inst, l, &box)) {
      free(box.address);
      return FAILED;
    }
    uint64_t from = lane_bits(w, &inst->src[TO_OR_FROM], l) + (uint64_t)inst->immediate;
    Transfer *t = new_transfer(w->block);
    *t = (Transfer){.epoch = w->stores, .warp = w->index, .offset = (uint32_t)from & 0xffffff, .swizzle = box.swizzle};
    t->bytes = box.elements * box.element, t->element = box.element, t->address = box.address;
  }
  return NEXT;
}

/* mode: COMMIT, WAIT_READ, WAIT_ALL; immediate: so many groups may be under way. */
static Outcome exec_group(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t room = sizeof w->committed_stores / sizeof *w->committed_stores;
  if (!w->stores || !(mask >> w->store_lane & 1)) return NEXT; /* these threads have no stores */
  if (inst->mode == COMMIT) {
    if (w->ncommitted_stores == room) {
      memmove(w->committed_stores, w->committed_stores + 1, (room - 1) * sizeof *w->committed_stores);
      w->ncommitted_stores--;
    }
    w->committed_stores[w->ncommitted_stores++] = w->stores;
    return NEXT;
  }
  if (inst->immediate >= (int64_t)w->ncommitted_stores) return NEXT;
  uint32_t until = w->committed_stores[w->ncommitted_stores - 1 - (uint32_t)inst->immediate];
  AsyncState *s = w->block->async;
  for (size_t i = 0; i < s->ntransfers;)
    if (!s->transfers[i].to && s->transfers[i].warp == w->index && s->transfers[i].epoch <= until) finish(w->block, i);
    else i++;
  if (until > w->clock.at[ACTOR_STORE + w->index]) w->clock.at[ACTOR_STORE + w->index] = until;
  return NEXT;
}

static Outcome exec_prefetch(Warp *w, const Inst *inst, uint32_t mask) {
  (void)w, (void)inst, (void)mask;
  return NEXT;
}

/* ---- decoding ---- */
static const char *decode_list(Parser_ *p, const Statement *s, const RawOperand *raw, Operand *out, int count, Type type) {
  const char *wrong = NULL;
  for (int i = 0; i < count && !wrong; i++) wrong = op_source(p, &s->operand[raw->first + i], type, &out[i]);
  return wrong;
}

/* The global side: the map and coordinates, or an address. */
static const char *decode_global(Parser_ *p, const Statement *s, Inst *inst, const RawOperand *raw) {
  if (raw->kind != OPERAND_ADDRESS || !raw->name) return "an address expected";
  RawOperand base = {.kind = OPERAND_REGISTER, .name = raw->name};
  inst->extra[1] = raw->offset;
  const char *wrong = op_source(p, &base, T_B64, &inst->src[GLOBAL]);
  if (wrong || !inst->count) return wrong ? wrong : raw->count ? "coordinates of a copy without a tensor" : NULL;
  if (raw->count != inst->count) return "another number of coordinates than the tensor has axes";
  return decode_list(p, s, raw, &inst->src[COORDINATE], raw->count, T_B32);
}

static const char *decode_load(Parser_ *p, const Statement *s, Inst *inst) {
  int n = 2;
  inst->exec = exec_load;
  if (s->noperands < 3) return "too few operands";
  const char *wrong = op_address(p, &s->operand[0], &inst->src[TO_OR_FROM], &inst->immediate);
  if (!wrong) wrong = decode_global(p, s, inst, &s->operand[1]);
  if (!wrong && !inst->count) wrong = op_source(p, &s->operand[n++], T_B32, &inst->src[SIZE]);
  if (!wrong && n < s->noperands) wrong = op_address(p, &s->operand[n++], &inst->src[BARRIER], &inst->extra[0]);
  else if (!wrong) wrong = "an mbarrier expected";
  if (!wrong && inst->compare) {
    if (n >= s->noperands || s->operand[n].kind != OPERAND_LIST || s->operand[n].count != inst->count - 2)
      return "offsets of im2col expected, one for each axis between channels and batch";
    wrong = decode_list(p, s, &s->operand[n], &inst->src[OFFSET], inst->count - 2, T_B16);
    n++;
  }
  if (!wrong && inst->combine)
    wrong = n < s->noperands ? op_source(p, &s->operand[n++], T_B16, &inst->src[BLOCKS]) : "blocks expected";
  n += op_has(s, "L2::cache_hint");
  return wrong ? wrong : n == s->noperands ? NULL : "another number of operands expected";
}

static const char *decode_store(Parser_ *p, const Statement *s, Inst *inst) {
  inst->exec = exec_store;
  int n = 2 + !inst->count + op_has(s, "L2::cache_hint");
  if (s->noperands != n || inst->compare) return "a form of a bulk store that the emulator does not run";
  const char *wrong = decode_global(p, s, inst, &s->operand[0]);
  if (!wrong) wrong = op_address(p, &s->operand[1], &inst->src[TO_OR_FROM], &inst->immediate);
  return wrong || inst->count ? wrong : op_source(p, &s->operand[2], T_B32, &inst->src[SIZE]);
}

const char *decode_bulk(Parser_ *p, const Statement *s, Inst *inst) {
  static const char *const ranks[] = {"1d", "2d", "3d", "4d", "5d"};
  const char *wrong = op_unknown_part(
      s,
      "async bulk tensor 1d 2d 3d 4d 5d tile im2col shared::cluster shared::cta global mbarrier::complete_tx::bytes bulk_group commit_group wait_group read multicast::cluster L2::cache_hint prefetch L2");
  if (wrong) return wrong;
  inst->class = EMU_CLASS_MEMORY;
  if (op_has(s, "commit_group") || op_has(s, "wait_group")) {
    inst->exec = exec_group, inst->mode = op_has(s, "commit_group") ? COMMIT : op_has(s, "read") ? WAIT_READ : WAIT_ALL;
    if (inst->mode == COMMIT) return NULL;
    if (s->noperands != 1 || s->operand[0].kind != OPERAND_NUMBER) return "a number of groups expected";
    inst->immediate = (int64_t)s->operand[0].bits;
    return NULL;
  }
  for (uint8_t i = 0; i < MAP_RANK; i++)
    if (op_has(s, ranks[i])) inst->count = (uint8_t)(i + 1);
  inst->compare = op_has(s, "im2col"), inst->combine = op_has(s, "multicast::cluster");
  if (op_has(s, "tensor") != (inst->count != 0)) return "a tensor of so many axes expected, as .tensor.2d";
  op_sources(p, inst, SOURCES);
  if (op_has(s, "prefetch")) {
    inst->exec = exec_prefetch;
    return NULL;
  }
  if (op_has(s, "bulk_group")) return decode_store(p, s, inst);
  if (!op_has(s, "global")) return "a bulk copy between blocks: the emulator does not run it";
  return op_has(s, "mbarrier::complete_tx::bytes") ? decode_load(p, s, inst)
                                                   : "a form of a bulk copy that the emulator does not run";
}

/* access.c - loads, stores and atomics: each lane's bytes looked up, checked and counted.
 *
 * An access is aligned to all of its bytes, lies in shared memory of the block or in one allocation, and where the tensors of an allocation
 * are known (emu_regions) in one tensor. Sectors of 32 bytes and banks of 4 are counted for each instruction of a warp. Sections 9.7.9
 * and 9.7.13 of the PTX ISA. */
#include "alu.h"
#include "ops.h"

/* ---- addresses ---- */
const Allocation *find_allocation(const EmuDevice *device, uint64_t address) {
  size_t low = 0, high = device->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if ((uint64_t)(uintptr_t)device->allocations[middle].base <= address) low = middle + 1;
    else high = middle;
  }
  return low ? &device->allocations[low - 1] : NULL;
}

/* The region in which an address lies; NULL: in none that is known. */
static const Region *find_region(const EmuDevice *device, uint64_t address) {
  size_t low = 0, high = device->nregions;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (device->regions[middle].base <= address) low = middle + 1;
    else high = middle;
  }
  return low && address - device->regions[low - 1].base < device->regions[low - 1].bytes ? &device->regions[low - 1] : NULL;
}

static uint8_t *module_variable(const Warp *w, uint64_t address, unsigned bytes) {
  const EmuModule *m = w->block->launch->kernel->module;
  for (size_t i = 0; i < m->nglobals; i++) {
    uint64_t base = (uint64_t)(uintptr_t)m->globals[i].data;
    if (base && address >= base && address - base + bytes <= m->globals[i].bytes) return m->globals[i].data + (address - base);
  }
  return NULL;
}

static uint8_t *global_at(Warp *w, const Inst *inst, uint32_t lane, uint64_t address, unsigned bytes, int how) {
  static const char *const verbs[] = {"reads", "writes", "changes", "writes"};
  EmuDevice *device = w->block->device;
  const Allocation *a = find_allocation(device, address);
  uint64_t at = a ? address - (uint64_t)(uintptr_t)a->base : 0;
  if (!a || at >= a->bytes || bytes > a->bytes - at) {
    uint8_t *variable = module_variable(w, address, bytes);
    if (variable) return variable;
    if (a && at < a->bytes + 4096)
      fail(w, inst, lane, "%s %u bytes at %llu of an allocation of %zu", verbs[how], bytes, (unsigned long long)at, a->bytes);
    else fail(w, inst, lane, "%s %u bytes at 0x%llx, which is in no allocation", verbs[how], bytes, (unsigned long long)address);
    return NULL;
  }
  if (device->nregions && a->regions) {
    const Region *r = find_region(device, address);
    if (!r || address - r->base + bytes > r->bytes) {
      fail(w, inst, lane, "%s %u bytes outside of the launch's tensors", verbs[how], bytes);
      return NULL;
    }
  }
  race_global(w, inst, lane, a, address, bytes, how);
  return (uint8_t *)(uintptr_t)address;
}

Block *shared_block(Warp *w, Space space, uint64_t address, uint32_t *out_offset) {
  bool generic = address & SHARED_WINDOW; /* rank in the upper half; else only offsets, or rank + 1 above 24 bits of offset */
  *out_offset = (uint32_t)address;
  if (space == SPACE_SHARED && address >> 32 == 0) return w->block;
  uint32_t rank = (uint32_t)(address >> 32) & 0xffffff;
  if (!generic && address >> 32) return NULL;
  if (!generic) {
    rank = (uint32_t)address >> 24;
    *out_offset = (uint32_t)address & 0xffffff;
    rank = rank ? rank - 1 : w->block->rank;
  }
  return rank < w->block->cluster->count ? &w->block->cluster->blocks[rank] : NULL;
}

bool is_there(Warp *w, const Inst *inst, uint32_t lane, const Block *other) {
  for (unsigned i = 0; i < other->nwarps; i++)
    if (!other->warps[i].done) return true;
  fail(w, inst, lane, "shared memory of block %u of the cluster, which has ended", other->rank);
  return false;
}

uint8_t *memory_at(Warp *w, const Inst *inst, uint32_t lane, Space space, uint64_t address, unsigned bytes, int how) {
  Block *b = w->block;
  if (address % bytes) {
    fail(w, inst, lane, "an access of %u bytes at 0x%llx, which is not aligned to them", bytes, (unsigned long long)address);
    return NULL;
  }
  if (space == SPACE_GENERIC)
    space = address & SHARED_WINDOW  ? SPACE_CLUSTER
            : address & LOCAL_WINDOW ? SPACE_LOCAL
            : address & PARAM_WINDOW ? SPACE_PARAM
                                     : SPACE_GLOBAL;
  if (space == SPACE_GLOBAL) return global_at(w, inst, lane, address, bytes, how);
  if (space == SPACE_SHARED || space == SPACE_CLUSTER) {
    uint32_t offset;
    Block *owner = shared_block(w, space, address, &offset);
    if (!owner || offset >= owner->shared_bytes || bytes > owner->shared_bytes - offset) {
      fail(w, inst, lane, "%u bytes at %u of shared memory, of which the block has %u", bytes, offset, b->shared_bytes);
      return NULL;
    }
    if (!is_there(w, inst, lane, owner)) return NULL;
    race_shared(w, inst, lane, owner, offset, bytes, how, w->index, 0);
    return owner->shared + offset;
  }
  address &= ~(LOCAL_WINDOW | PARAM_WINDOW);
  uint32_t limit = space == SPACE_LOCAL ? b->launch->kernel->local_bytes : b->launch->kernel->parameter_bytes;
  if (address >= limit || bytes > limit - address) {
    fail(w, inst, lane, "%u bytes at %llu of %u of %s", bytes, (unsigned long long)address, limit,
         space == SPACE_LOCAL ? "local memory" : "parameters");
    return NULL;
  }
  if (space == SPACE_PARAM && how != READ) {
    fail(w, inst, lane, "a parameter is written to");
    return NULL;
  }
  return space == SPACE_LOCAL ? w->local + lane * limit + address : (uint8_t *)(uintptr_t)b->launch->parameters + address;
}

/* ---- counters ---- */
static unsigned distinct(const uint64_t *values, unsigned count, uint64_t *out) {
  unsigned n = 0;
  for (unsigned i = 0; i < count; i++) {
    unsigned k = n;
    while (k && out[k - 1] != values[i]) k--;
    if (!k) out[n++] = values[i];
  }
  return n;
}

static void count_global(EmuCounters *c, const uint64_t *address, unsigned count, unsigned bytes) {
  uint64_t values[LANES], seen[LANES];
  for (unsigned i = 0; i < count; i++) values[i] = address[i] / 32;
  unsigned sectors = distinct(values, count, seen), different = distinct(address, count, seen);
  c->requests++, c->sectors += sectors, c->global_bytes += (uint64_t)count * bytes;
  c->ideal_sectors += ((uint64_t)different * bytes + 31) / 32;
}

/* Words of 8 and 16 bytes go by halves and quarters of a warp. */
static void count_shared(EmuCounters *c, const uint64_t *address, unsigned count, unsigned bytes) {
  unsigned together = bytes <= 4 ? LANES : LANES * 4 / bytes;
  c->shared_requests++;
  for (unsigned first = 0; first < count; first += together) {
    unsigned n = count - first < together ? count - first : together, most = 1, words = 0;
    uint64_t word[LANES * 4], seen[LANES * 4];
    for (unsigned i = 0; i < n; i++)
      for (unsigned b = 0; b < (bytes < 4 ? 4 : bytes); b += 4) word[words++] = (address[first + i] + b) / 4;
    words = distinct(word, words, seen);
    unsigned in_bank[32] = {0};
    for (unsigned i = 0; i < words; i++)
      if (++in_bank[seen[i] % 32] > most) most = in_bank[seen[i] % 32];
    c->shared_wavefronts += most, c->ideal_wavefronts += (words + 31) / 32;
  }
}

void count_access(Warp *w, const Inst *inst, Space space, const uint64_t *address, uint32_t mask, unsigned bytes) {
  uint64_t packed[LANES];
  unsigned n = 0;
  (void)inst;
  EACH_LANE(l, mask) packed[n++] = address[l];
  if (!n) return;
  if (space == SPACE_GENERIC)
    space = packed[0] & SHARED_WINDOW ? SPACE_SHARED : packed[0] & (LOCAL_WINDOW | PARAM_WINDOW) ? SPACE_LOCAL : SPACE_GLOBAL;
  if (space == SPACE_GLOBAL) count_global(w->block->device->now, packed, n, bytes);
  else if (space == SPACE_SHARED || space == SPACE_CLUSTER) count_shared(w->block->device->now, packed, n, bytes);
}

static void addresses_of(const Warp *w, const Inst *inst, uint64_t *address) {
  const Operand *o = &inst->src[0];
  if (o->bytes == 8) {
    const uint64_t *from = src_(w, o);
    for (int l = 0; l < LANES; l++) address[l] = from[l] + (uint64_t)inst->immediate;
  } else {
    const uint32_t *from = src_(w, o);
    for (int l = 0; l < LANES; l++) address[l] = (uint32_t)(from[l] + (uint32_t)inst->immediate);
  }
}

/* ---- loads and stores ---- */
/* A register may be wider than what is loaded: signs go through all of it. */
static uint64_t load_bits(const uint8_t *from, unsigned bytes, Type type) {
  uint64_t v = 0;
  memcpy(&v, from, bytes);
  if (type == T_S8) return (uint64_t)(int64_t)(int8_t)v;
  if (type == T_S16) return (uint64_t)(int64_t)(int16_t)v;
  if (type == T_S32) return (uint64_t)(int64_t)(int32_t)v;
  return v;
}

static bool is_global(const Inst *inst, uint64_t address) {
  return inst->space == SPACE_GLOBAL ||
         (inst->space == SPACE_GENERIC && !(address & (SHARED_WINDOW | LOCAL_WINDOW | PARAM_WINDOW)));
}

/* Is that word in global memory already? Of 8 bytes, as kernels write an invalid index where several threads have met it: results that all
 * threads write are a bug, alike or not. */
static bool rewrites(const Warp *w, const Inst *inst, uint64_t address, const uint8_t *value, unsigned bytes) {
  return bytes == 8 && inst->count == 1 && is_global(inst, address) &&
         emu_holds(w->block->device, (const void *)(uintptr_t)address, bytes) &&
         memcmp((const void *)(uintptr_t)address, value, bytes) == 0;
}

Outcome exec_ld(Warp *w, const Inst *inst, uint32_t mask) {
  uint64_t address[LANES];
  unsigned bytes = type_bytes((Type)inst->type), all = bytes * inst->count;
  addresses_of(w, inst, address);
  count_access(w, inst, (Space)inst->space, address, mask, all);
  EACH_LANE(l, mask) {
    const uint8_t *from = memory_at(w, inst, l, (Space)inst->space, address[l], all, READ);
    if (!from) return FAILED;
    if (inst->order && is_global(inst, address[l])) order_access(w, inst, l, address[l]);
    for (unsigned i = 0; i < inst->count; i++)
      if (!inst->dst[i].sink) set_lane(w, &inst->dst[i], l, load_bits(from + i * bytes, bytes, (Type)inst->type));
  }
  return NEXT;
}

/* The same for all lanes. */
Outcome exec_ld_param(Warp *w, const Inst *inst, uint32_t mask) {
  unsigned bytes = type_bytes((Type)inst->type), all = bytes * inst->count;
  uint64_t at = lane_bits(w, &inst->src[0], 0) + (uint64_t)inst->immediate;
  const uint8_t *from = memory_at(w, inst, 0, SPACE_PARAM, at & ~PARAM_WINDOW, all, READ);
  if (!from) return FAILED;
  for (unsigned i = 0; i < inst->count; i++) {
    uint64_t v = load_bits(from + i * bytes, bytes, (Type)inst->type);
    EACH_LANE(l, mask) set_lane(w, &inst->dst[i], l, v);
  }
  return NEXT;
}

Outcome exec_st(Warp *w, const Inst *inst, uint32_t mask) {
  uint64_t address[LANES];
  unsigned bytes = type_bytes((Type)inst->type), all = bytes * inst->count;
  addresses_of(w, inst, address);
  count_access(w, inst, (Space)inst->space, address, mask, all);
  EACH_LANE(l, mask) {
    uint8_t value[32];
    for (unsigned i = 0; i < inst->count; i++) {
      uint64_t v = lane_bits(w, &inst->src[1 + i], l);
      memcpy(value + i * bytes, &v, bytes);
    }
    unsigned findings = w->block->device->findings;
    int how = rewrites(w, inst, address[l], value, all) ? REWRITE : WRITE;
    uint8_t *to = memory_at(w, inst, l, (Space)inst->space, address[l], all, how);
    if (!to) return FAILED;
    if (w->block->device->findings != findings) return FAILED;
    if (inst->order && is_global(inst, address[l])) order_access(w, inst, l, address[l]);
    memcpy(to, value, all);
  }
  return NEXT;
}

static const char *decode_values(Parser_ *p, const Statement *s, Inst *inst, const RawOperand *values, bool load) {
  int n = values->kind == OPERAND_LIST ? values->count : 1;
  const char *wrong = NULL;
  if (n != inst->count) return "a vector of another length";
  for (int i = 0; i < n && !wrong; i++) {
    const RawOperand *raw = values->kind == OPERAND_LIST ? &s->operand[values->first + i] : values;
    wrong = load ? op_destination(p, raw, &inst->dst[inst->ndst++])
                 : op_source(p, raw, (Type)inst->type == T_B8 || (Type)inst->type == T_U8 ? T_B16 : (Type)inst->type,
                             &inst->src[1 + i]);
  }
  return wrong;
}

static const char known_parts[] =
    "global shared shared::cta shared::cluster local param param::entry const nc weak volatile relaxed acquire release cta cluster gpu sys v2 v4 v8 "
    "ca cg cs lu cv wb wt L1::evict_last L1::no_allocate L1::evict_first L1::evict_normal L2::64B L2::128B L2::256B";

static void note_width(Parser_ *p, const Inst *inst) {
  EmuKernel *k = parser_kernel(p);
  unsigned bytes = type_bytes((Type)inst->type) * inst->count;
  if (bytes > 4) bytes = 4;
  bool shared = inst->space == SPACE_SHARED || inst->space == SPACE_CLUSTER || inst->space == SPACE_GENERIC;
  if (shared && bytes < k->shared_granule) k->shared_granule = (uint8_t)bytes;
  if ((inst->space == SPACE_GLOBAL || inst->space == SPACE_GENERIC) && bytes < k->global_granule)
    k->global_granule = (uint8_t)bytes;
}

static uint8_t order_of(const Statement *s) {
  bool both = op_has(s, "acq_rel");
  return (uint8_t)(ORDER_STRONG | (both || op_has(s, "acquire") ? ORDER_ACQUIRE : 0) |
                   (both || op_has(s, "release") ? ORDER_RELEASE : 0));
}

static const char *decode_access(Parser_ *p, const Statement *s, Inst *inst, bool load) {
  const char *wrong = op_unknown_part(s, known_parts);
  if (wrong) return wrong;
  inst->class = EMU_CLASS_MEMORY;
  inst->type = (uint8_t)op_type(s, 0), inst->space = (uint8_t)op_space(s);
  inst->count = op_has(s, "v2") ? 2 : op_has(s, "v4") ? 4 : op_has(s, "v8") ? 8 : 1;
  inst->is_store = !load;
  inst->mode = op_has(s, "relaxed") || op_has(s, "volatile") || op_has(s, "acquire") || op_has(s, "release");
  if (inst->mode && !op_has(s, "cta")) inst->order = order_of(s);
  if (s->noperands != 2) return "two operands expected";
  note_width(p, inst);
  op_sources(p, inst, load ? 1 : 1 + inst->count);
  wrong = op_address(p, &s->operand[load], &inst->src[0], &inst->immediate);
  if (!wrong) wrong = decode_values(p, s, inst, &s->operand[!load], load);
  inst->exec = !load ? exec_st : inst->space == SPACE_PARAM ? exec_ld_param : exec_ld;
  return wrong;
}
const char *decode_ld(Parser_ *p, const Statement *s, Inst *inst) { return decode_access(p, s, inst, true); }
const char *decode_st(Parser_ *p, const Statement *s, Inst *inst) { return decode_access(p, s, inst, false); }

/* ---- atomics ---- */
enum { ATOM_ADD, ATOM_MIN, ATOM_MAX, ATOM_AND, ATOM_OR, ATOM_XOR, ATOM_EXCH, ATOM_CAS, ATOM_INC, ATOM_DEC };

static uint64_t changed(const Inst *inst, uint64_t old, uint64_t a, uint64_t b) {
  Type t = (Type)inst->type;
  bool narrow = type_bytes(t) == 4;
  switch (inst->atomic) {
  case ATOM_ADD:
    if (t == T_F32) return float_bits(as_float((uint32_t)old) + as_float((uint32_t)a));
    if (t == T_F64) {
      double x, y;
      memcpy(&x, &old, 8), memcpy(&y, &a, 8);
      x += y;
      memcpy(&old, &x, 8);
      return old;
    }
    if (t == T_F16X2 || t == T_BF16X2 || t == T_F16 || t == T_BF16) {
      uint64_t out = 0;
      for (unsigned h = 0; h < 8 * type_bytes(t); h += 16) {
        uint16_t x = (uint16_t)(old >> h), y = (uint16_t)(a >> h);
        bool half = t == T_F16X2 || t == T_F16;
        out |= (uint64_t)(half ? float_to_half((double)half_to_float(x) + (double)half_to_float(y))
                               : float_to_bfloat((double)bfloat_to_float(x) + (double)bfloat_to_float(y)))
               << h;
      }
      return out;
    }
    return old + a;
  case ATOM_MIN:
    return t == T_S32   ? ((int32_t)old < (int32_t)a ? old : a)
           : t == T_S64 ? ((int64_t)old < (int64_t)a ? old : a)
           : old < a    ? old
                        : a;
  case ATOM_MAX:
    return t == T_S32   ? ((int32_t)old > (int32_t)a ? old : a)
           : t == T_S64 ? ((int64_t)old > (int64_t)a ? old : a)
           : old > a    ? old
                        : a;
  case ATOM_AND: return old & a;
  case ATOM_OR: return old | a;
  case ATOM_XOR: return old ^ a;
  case ATOM_EXCH: return a;
  case ATOM_CAS: return old == a ? b : old;
  case ATOM_INC: return old >= a ? 0 : old + 1;
  default: return old == 0 || (narrow ? (uint32_t)old > (uint32_t)a : old > a) ? a : old - 1;
  }
}

Outcome exec_atom(Warp *w, const Inst *inst, uint32_t mask) {
  uint64_t address[LANES];
  unsigned bytes = type_bytes((Type)inst->type);
  addresses_of(w, inst, address);
  count_access(w, inst, (Space)inst->space, address, mask, bytes);
  EACH_LANE(l, mask) {
    uint8_t *at = memory_at(w, inst, l, (Space)inst->space, address[l], bytes, ATOMIC);
    if (!at) return FAILED;
    if (inst->order && is_global(inst, address[l])) order_access(w, inst, l, address[l]);
    uint64_t old = 0, a = 0, b = 0;
    memcpy(&old, at, bytes);
    uint64_t va = lane_bits(w, &inst->src[1], l);
    memcpy(&a, &va, bytes);
    if (inst->nsrc > 2) {
      uint64_t vb = lane_bits(w, &inst->src[2], l);
      memcpy(&b, &vb, bytes);
    }
    uint64_t made = changed(inst, old, a, b);
    memcpy(at, &made, bytes);
    if (inst->ndst && !inst->dst[0].sink) set_lane(w, &inst->dst[0], l, old);
  }
  return NEXT;
}

const char *decode_atom(Parser_ *p, const Statement *s, Inst *inst) {
  static const char *const names[] = {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"};
  const char *wrong = op_unknown_part(
      s,
      "global shared shared::cta shared::cluster relaxed acquire release acq_rel cta cluster gpu sys noftz add min max and or xor exch cas inc dec");
  if (wrong) return wrong;
  bool atom = strcmp(s->opcode, "atom") == 0;
  int which = -1;
  for (int i = 0; i < 10; i++)
    if (op_has(s, names[i])) which = i;
  if (which < 0) return "an unknown operation";
  inst->exec = exec_atom, inst->class = EMU_CLASS_MEMORY, inst->atomic = (uint8_t)which;
  inst->type = (uint8_t)op_type(s, 0), inst->space = (uint8_t)op_space(s), inst->count = 1;
  inst->order = op_has(s, "cta") ? 0 : order_of(s), inst->is_change = true;
  note_width(p, inst);
  int operands = which == ATOM_CAS ? 2 : 1;
  if (s->noperands != atom + 1 + operands) return "another number of operands expected";
  if (atom) wrong = op_destination(p, &s->operand[0], &inst->dst[inst->ndst++]);
  op_sources(p, inst, 1 + operands);
  if (!wrong) wrong = op_address(p, &s->operand[atom], &inst->src[0], &inst->immediate);
  for (int i = 0; i < operands && !wrong; i++) wrong = op_source(p, &s->operand[atom + 1 + i], (Type)inst->type, &inst->src[1 + i]);
  return wrong;
}

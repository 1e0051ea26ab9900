/* wgmma.c - products of a warpgroup: D (64 x N) += A (64 x K) B (K x N), B and A, or B alone, in shared memory.
 *
 * A warp makes its 16 rows. What it makes is kept back until its group is waited for; until then the registers of D hold NaN, so that who reads
 * them too early is seen, and products of the same D take it from here. Registers that somebody else has written since the last wgmma.fence are
 * no operands, and those of A stay as they are until the wait. Matrices in shared memory are said by descriptors, read by
 * the async proxy (race.c). Fragments, layouts and descriptors: section 9.7.15.5 of the PTX ISA. With a swizzle of W bytes, rows of a matrix that
 * is contiguous along K are W bytes apart, groups of 8 rows a stride; one that is contiguous along M or N is made of atoms of W bytes by
 * 8 of K, a leading offset apart along M or N, a stride along K. Without a swizzle atoms are 8 rows of 16 bytes. */
#include "alu.h"
#include "async.h"
#include "ops.h"

enum { MOST_N = 256, ROWS = 16, MOST_UNDER_WAY = 16, MOST_HELD = 64, POISON = 0x7fffdead };
enum { FENCE, COMMIT, WAIT_GROUP };

/* An accumulator that is kept back: the last product's value of it. */
typedef struct {
  uint32_t first; /* offset of its first register: its name */
  uint32_t words, group /* of the last product: 0 not committed, else which one */;
  const Inst *inst;
  uint32_t value[MOST_N / 2][LANES];
} Accumulator;
/* Registers of A of a product that is under way, as it found them. */
typedef struct {
  const Inst *inst;
  uint32_t group, word[4][LANES];
} Held;
typedef struct Products {
  Accumulator under_way[MOST_UNDER_WAY];
  unsigned count, nheld;
  Held held[MOST_HELD];
  uint32_t committed, issued, epoch_of[32]; /* groups; products; the last product of a group */
  uint8_t *fenced; /* registers as they were at the last fence, or as products have given them back since; NULL: none yet */
} Products;

static Products *products_of(Warp *w) {
  if (!w->products) w->products = calloc(1, sizeof *w->products);
  if (!w->products) abort();
  return w->products;
}

/* ---- matrices in shared memory ---- */
typedef struct {
  uint32_t start, leading, stride;
  unsigned swizzle; /* 0 to 3 */
  bool across;      /* contiguous along M or N */
} Matrix;

static bool matrix_of(const Warp *w, const Inst *inst, uint64_t descriptor, bool across, Matrix *out) {
  static const uint8_t swizzles[] = {0, 3, 2, 1};
  *out = (Matrix){.start = (uint32_t)(descriptor & 0x3fff) << 4,
                  .leading = (uint32_t)(descriptor >> 16 & 0x3fff) << 4,
                  .stride = (uint32_t)(descriptor >> 32 & 0x3fff) << 4,
                  .swizzle = swizzles[descriptor >> 62],
                  .across = across};
  if (descriptor >> 49 & 7) fail(w, inst, 0, "a descriptor with a base offset: the emulator knows none");
  return !(descriptor >> 49 & 7);
}

/* Where element (row along M or N, k) lies. */
static uint32_t element_at(const Matrix *m, uint32_t row, uint32_t k, uint32_t bytes) {
  uint32_t width = 16u << m->swizzle, offset;
  if (!m->across) {
    uint32_t at = k * bytes;
    offset = row / 8 * m->stride + row % 8 * width + (m->swizzle ? at : at / 16 * m->leading + at % 16);
  } else {
    uint32_t at = row * bytes, atom = at / width, group = k / 8;
    offset =
        k % 8 * width + at % width + (m->swizzle ? atom * m->leading + group * m->stride : atom * m->stride + group * m->leading);
  }
  offset += m->start;
  return swizzled(offset & ~15u, m->swizzle) | (offset & 15);
}

static double number(Type t, const uint8_t *at) {
  uint32_t word = 0;
  memcpy(&word, at, type_bytes(t) == 4 ? 4 : type_bytes(t) == 2 ? 2 : 1);
  switch (t) {
  case T_F16: return (double)half_to_float((uint16_t)word);
  case T_BF16: return (double)bfloat_to_float((uint16_t)word);
  case T_TF32: return (double)as_float(word & ~0x1fffu);
  case T_S8: return (int8_t)word;
  default: return (uint8_t)word;
  }
}

static bool read_matrix(Warp *w, const Inst *inst, const Matrix *m, Type t, uint32_t first, uint32_t rows, uint32_t k,
                        TensorVector *out) {
  Block *b = w->block;
  uint32_t bytes = type_bytes(t);
  for (uint32_t r = 0; r < rows; r++)
    for (uint32_t i = 0; i < k; i++) {
      uint32_t at = element_at(m, first + r, i, bytes);
      if (at + bytes > b->shared_bytes) {
        fail(w, inst, 0, "a matrix reaches to %u of shared memory, of which the block has %u", at + bytes, b->shared_bytes);
        return false;
      }
      if (at % 4 == 0 || m->across)
        race_shared(w, inst, 0, b, at & ~3u, 4, READ, ACTOR_PRODUCT + w->index / 4, w->products->issued);
      if (b->device->findings) return false;
      out[r].value[i] = number(t, b->shared + at);
    }
  return true;
}

/* ---- a product ---- */
static Accumulator *accumulator_of(Warp *w, const Inst *inst) {
  Products *p = w->products;
  uint32_t first = inst->src[0].offset;
  for (unsigned i = 0; i < p->count; i++)
    if (p->under_way[i].first == first) return &p->under_way[i];
  if (p->count == MOST_UNDER_WAY) return NULL;
  Accumulator *a = &p->under_way[p->count++];
  a->first = first, a->words = inst->ndst;
  for (uint32_t i = 0; i < a->words; i++)
    for (uint32_t l = 0; l < LANES; l++) a->value[i][l] = (uint32_t)lane_bits(w, &inst->src[i], l);
  return a;
}

static void read_fragment(const Warp *w, const Inst *inst, const Operand *registers, TensorVector *out) {
  unsigned bytes = type_bytes((Type)inst->from), e = 4 / bytes;
  for (uint32_t l = 0; l < LANES; l++)
    for (unsigned r = 0; r < 4; r++) {
      uint32_t word = (uint32_t)lane_bits(w, &registers[r], l);
      for (unsigned i = 0; i < e; i++)
        out[l / 4 + 8 * (r & 1)].value[e * (l % 4) + i + 4 * e * (r >> 1)] =
            number((Type)inst->from, (const uint8_t *)&word + i * bytes);
    }
}

/* Whether nobody has written a register since the last fence. */
static bool is_fenced(const Warp *w, const Operand *o) {
  return o->lanes || memcmp(w->regs + o->offset, w->products->fenced + o->offset, LANES * 4) == 0;
}

static Outcome hold(Warp *w, const Inst *inst, const Operand *registers) {
  Products *p = w->products;
  if (p->nheld == MOST_HELD)
    return fail(w, inst, 0, "more than %d products of registers under way: the emulator has no more", MOST_HELD);
  Held *held = &p->held[p->nheld++];
  *held = (Held){.inst = inst};
  for (unsigned r = 0; r < 4; r++) {
    if (!is_fenced(w, &registers[r])) return fail(w, inst, 0, "a register of A was written since the last wgmma.fence");
    for (uint32_t l = 0; l < LANES; l++) held->word[r][l] = (uint32_t)lane_bits(w, &registers[r], l);
  }
  return NEXT;
}

static uint32_t old_bits(const Accumulator *acc, uint32_t l, uint32_t i, bool half) {
  uint32_t word = acc->value[half ? i / 2 : i][l];
  return half ? word >> 16 * (i & 1) & 0xffff : word;
}

static void multiply(const Inst *inst, Accumulator *acc, bool keep, TensorVector *a, TensorVector *b) {
  bool whole = inst->type == T_S32, half = inst->type == T_F16;
  uint32_t n = (uint32_t)inst->extra[0], k = (uint32_t)inst->extra[1];
  if (!whole) tensor_exponents(a, ROWS, k), tensor_exponents(b, n, k);
  for (uint32_t l = 0; l < LANES; l++)
    for (uint32_t i = 0; i < n / 2; i++) {
      uint32_t row = l / 4 + 8 * (i >> 1 & 1), column = i / 4 * 8 + l % 4 * 2 + (i & 1), old = old_bits(acc, l, i, half);
      double sum = !keep ? 0 : whole ? (double)(int32_t)old : half ? (double)half_to_float((uint16_t)old) : (double)as_float(old);
      if (!whole) sum = tensor_sum(&a[row], &b[column], k, sum, (double)inst->extra[2]);
      for (uint32_t j = 0; j < k && whole; j++) sum += a[row].value[j] * b[column].value[j] * (double)inst->extra[2];
      uint32_t made = whole ? tensor_integer(sum, inst->sat) : half ? float_to_half(sum) : float_bits(tensor_round(sum));
      uint32_t *word = &acc->value[half ? i / 2 : i][l];
      *word = !half ? made : i & 1 ? (*word & 0xffff) | made << 16 : (*word & 0xffff0000) | made;
    }
}

/* src: D, A's descriptor or four registers, B's descriptor, scale of D. ndst: registers of D; extra: N, K, sign; mode: A in registers;
 * compare, combine: A, B contiguous along M, N. */
static Outcome exec_product(Warp *w, const Inst *inst, uint32_t mask) {
  static __thread TensorVector a[ROWS], b[MOST_N];
  if (mask != w->alive || mask != FULL) return mask == w->alive ? fail(w, inst, 0, "wgmma by a warp that is not whole") : CONVERGE;
  if (w->index / 4 * 4 + 4 > w->block->nwarps) return fail(w, inst, 0, "wgmma by warps that are no warpgroup");
  Products *p = products_of(w);
  if (!p->fenced) return fail(w, inst, 0, "wgmma.mma_async with no wgmma.fence before it");
  Accumulator *acc = accumulator_of(w, inst);
  if (!acc) return fail(w, inst, 0, "more than %d accumulators under way: the emulator has no more", MOST_UNDER_WAY);
  for (uint32_t i = 0; i < inst->ndst && !acc->inst; i++)
    if (!is_fenced(w, &inst->src[i])) return fail(w, inst, 0, "an accumulator was written since the last wgmma.fence");
  if (acc->inst && acc->words != inst->ndst) return fail(w, inst, 0, "an accumulator under way is used with another shape");
  acc->inst = inst, acc->group = 0;
  p->issued++;
  const Operand *from = &inst->src[inst->ndst], *of_b = from + (inst->mode ? 4 : 1);
  uint32_t n = (uint32_t)inst->extra[0], k = (uint32_t)inst->extra[1];
  Matrix ma, mb;
  if (inst->mode && hold(w, inst, from) != NEXT) return FAILED;
  if (inst->mode) read_fragment(w, inst, from, a);
  else if (!matrix_of(w, inst, lane_bits(w, from, 0), inst->compare, &ma) ||
           !read_matrix(w, inst, &ma, (Type)inst->from, w->index % 4 * ROWS, ROWS, k, a))
    return FAILED;
  if (!matrix_of(w, inst, lane_bits(w, of_b, 0), inst->combine, &mb) || !read_matrix(w, inst, &mb, (Type)inst->atomic, 0, n, k, b))
    return FAILED;
  multiply(inst, acc, lane_bits(w, of_b + 1, 0) != 0, a, b);
  for (uint32_t i = 0; i < acc->words; i++)
    for (uint32_t l = 0; l < LANES; l++) set_lane(w, &inst->src[i], l, POISON);
  return NEXT;
}

/* ---- groups ---- */
static void give_back(Warp *w, const Accumulator *acc) {
  for (uint32_t i = 0; i < acc->words; i++)
    for (uint32_t l = 0; l < LANES; l++) set_lane(w, &acc->inst->src[i], l, acc->value[i][l]);
  for (uint32_t i = 0; i < acc->words; i++) {
    uint32_t at = acc->inst->src[i].offset;
    memcpy(w->products->fenced + at, w->regs + at, LANES * 4);
  }
}

static Outcome release(Warp *w, Products *p, uint32_t until) {
  unsigned left = 0;
  for (unsigned i = 0; i < p->nheld; i++) {
    const Held *held = &p->held[i];
    const Operand *registers = &held->inst->src[held->inst->ndst];
    if (!held->group || held->group > until) {
      p->held[left++] = *held;
      continue;
    }
    for (unsigned r = 0; r < 4; r++)
      for (uint32_t l = 0; l < LANES; l++)
        if ((uint32_t)lane_bits(w, &registers[r], l) != held->word[r][l])
          return fail(w, held->inst, l, "a register of A was written while its product was under way");
  }
  p->nheld = left;
  return NEXT;
}

static Outcome wait_for(Warp *w, Products *p, uint32_t most) {
  if (p->committed <= most) return NEXT;
  uint32_t until = p->committed - most, epoch = p->epoch_of[until % 32], *known = &w->clock.at[ACTOR_PRODUCT + w->index / 4];
  unsigned left = 0;
  for (unsigned i = 0; i < p->count; i++) {
    Accumulator *acc = &p->under_way[i];
    if (acc->group && acc->group <= until) give_back(w, acc);
    else if (left++ != i) p->under_way[left - 1] = *acc;
  }
  p->count = left;
  for (unsigned i = left; i < MOST_UNDER_WAY; i++) p->under_way[i].inst = NULL;
  if (epoch > *known) *known = epoch;
  return release(w, p, until);
}

static void fence(Warp *w, Products *p) {
  size_t bytes = w->block->launch->kernel->register_bytes;
  if (!p->fenced) p->fenced = malloc(bytes);
  if (!p->fenced) abort();
  memcpy(p->fenced, w->regs, bytes);
}

static Outcome exec_group(Warp *w, const Inst *inst, uint32_t mask) {
  if (mask != w->alive) return CONVERGE;
  Products *p = products_of(w);
  if (inst->mode == FENCE) fence(w, p);
  if (inst->mode == WAIT_GROUP) return wait_for(w, p, (uint32_t)inst->immediate);
  if (inst->mode != COMMIT) return NEXT;
  p->epoch_of[++p->committed % 32] = p->issued;
  for (unsigned i = 0; i < p->count; i++)
    if (!p->under_way[i].group) p->under_way[i].group = p->committed;
  for (unsigned i = 0; i < p->nheld; i++)
    if (!p->held[i].group) p->held[i].group = p->committed;
  return NEXT;
}

void products_close(Block *b);
void products_close(Block *b) {
  for (unsigned i = 0; i < b->nwarps; i++) {
    if (b->warps[i].products) free(b->warps[i].products->fenced);
    free(b->warps[i].products);
    b->warps[i].products = NULL;
  }
}

/* ---- decoding ---- */
static bool shape_of(const Statement *s, uint32_t *n, uint32_t *k) {
  for (int i = 0; i < s->nparts; i++)
    if (sscanf(s->part[i], "m64n%uk%u", n, k) == 2) return *n % 8 == 0 && *n >= 8 && *n <= MOST_N;
  return false;
}

static bool types_of(const Statement *s, Inst *inst, uint32_t k) {
  Type d = op_type(s, 2), a = op_type(s, 1), b = op_type(s, 0);
  inst->type = (uint8_t)d, inst->from = (uint8_t)a, inst->atomic = (uint8_t)b;
  if (a == T_F16 || a == T_BF16) return a == b && k == 16 && (d == T_F32 || (d == T_F16 && a == T_F16));
  if (a == T_TF32) return a == b && k == 8 && d == T_F32;
  return (a == T_S8 || a == T_U8) && (b == T_S8 || b == T_U8) && k == 32 && d == T_S32;
}

static bool is_number(const RawOperand *raw, int64_t least, int64_t most) {
  int64_t value = (int32_t)raw->bits;
  return raw->kind == OPERAND_NUMBER && value >= least && value <= most && value != (least < 0 ? 0 : 2);
}

/* Behind scale-d: signs of A and B, then for 16 bits whether A, if it is in shared memory, and B are transposed. */
static const char *decode_flags(const Statement *s, Inst *inst, int at) {
  bool floats = inst->type != T_S32, wide = inst->from == T_F16 || inst->from == T_BF16;
  int want = !floats ? 0 : 2 + (wide ? 1 + !inst->mode : 0);
  inst->extra[2] = 1;
  if (s->noperands - at != want) return "another number of operands of wgmma expected";
  for (int i = 0; i < want; i++)
    if (!is_number(&s->operand[at + i], i < 2 ? -1 : 0, 1)) return "1 or -1 expected for a sign, 0 or 1 for a transposition";
  if (floats) inst->extra[2] = (int32_t)s->operand[at].bits * (int32_t)s->operand[at + 1].bits;
  if (wide && !inst->mode) inst->compare = s->operand[at + 2].bits != 0;
  if (wide) inst->combine = s->operand[s->noperands - 1].bits != 0;
  return NULL;
}

static const char *decode_product(Parser_ *p, const Statement *s, Inst *inst) {
  uint32_t n = 0, k = 0;
  if (!shape_of(s, &n, &k) || !types_of(s, inst, k) || (inst->type != T_S32 && op_has(s, "satfinite")) || op_has(s, "sp") ||
      s->noperands < 4)
    return "a form of wgmma that the emulator does not run";
  if (inst->type == T_S32 && n % 16 && n != 8 && n != 24) return "a width that wgmma of 8-bit integers does not have";
  const RawOperand *d = &s->operand[0], *a = &s->operand[1];
  inst->exec = exec_product, inst->class = EMU_CLASS_TENSOR, inst->mode = a->kind == OPERAND_LIST;
  inst->extra[0] = n, inst->extra[1] = k, inst->sat = op_has(s, "satfinite");
  int nd = (int)n / (inst->type == T_F16 ? 4 : 2), na = inst->mode ? 4 : 1;
  if (d->kind != OPERAND_LIST || d->count != nd || (inst->mode && a->count != 4)) return "another number of registers expected";
  Operand *src = op_sources(p, inst, nd + na + 2);
  inst->targets = NULL;
  const char *wrong = NULL;
  for (int i = 0; i < nd && !wrong; i++) wrong = op_destination(p, &s->operand[d->first + i], &src[i]);
  for (int i = 0; i < na && !wrong; i++)
    wrong = op_source(p, inst->mode ? &s->operand[a->first + i] : a, inst->mode ? T_B32 : T_B64, &src[nd + i]);
  if (!wrong) wrong = op_source(p, &s->operand[2], T_B64, &src[nd + na]);
  if (!wrong) wrong = op_source(p, &s->operand[3], T_PRED, &src[nd + na + 1]);
  inst->ndst = (uint16_t)nd;
  return wrong ? wrong : decode_flags(s, inst, 4);
}

const char *decode_wgmma(Parser_ *p, const Statement *s, Inst *inst) {
  if (op_has(s, "mma_async")) return decode_product(p, s, inst);
  const char *wrong = op_unknown_part(s, "fence commit_group wait_group sync aligned");
  if (wrong) return wrong;
  inst->exec = exec_group, inst->class = EMU_CLASS_TENSOR;
  inst->mode = op_has(s, "fence") ? FENCE : op_has(s, "commit_group") ? COMMIT : WAIT_GROUP;
  if (inst->mode != WAIT_GROUP) return NULL;
  if (s->noperands != 1 || s->operand[0].kind != OPERAND_NUMBER) return "a number of groups expected";
  inst->immediate = (int64_t)s->operand[0].bits;
  return NULL;
}

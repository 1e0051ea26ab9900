/* compare.c - instructions that compare, choose and put bits together, of each lane by itself. */
#include "alu.h"

/* ---- comparisons ---- */
enum { EQ, NE, LT, LE, GT, GE, EQU, NEU, LTU, LEU, GTU, GEU, NUM, NAN_ };
#define COMPARED(T, S)                                                                                                             \
  do {                                                                                                                             \
    const S *sa = SRC(0), *sb = SRC(1);                                                                                            \
    switch (inst->compare) {                                                                                                       \
    case EQ:                                                                                                                       \
      for (int l = 0; l < LANES; l++) r |= (uint32_t)((T)sa[l] == (T)sb[l]) << l;                                                  \
      break;                                                                                                                       \
    case NE:                                                                                                                       \
      for (int l = 0; l < LANES; l++) r |= (uint32_t)((T)sa[l] != (T)sb[l]) << l;                                                  \
      break;                                                                                                                       \
    case LT:                                                                                                                       \
      for (int l = 0; l < LANES; l++) r |= (uint32_t)((T)sa[l] < (T)sb[l]) << l;                                                   \
      break;                                                                                                                       \
    case LE:                                                                                                                       \
      for (int l = 0; l < LANES; l++) r |= (uint32_t)((T)sa[l] <= (T)sb[l]) << l;                                                  \
      break;                                                                                                                       \
    case GT:                                                                                                                       \
      for (int l = 0; l < LANES; l++) r |= (uint32_t)((T)sa[l] > (T)sb[l]) << l;                                                   \
      break;                                                                                                                       \
    default:                                                                                                                       \
      for (int l = 0; l < LANES; l++) r |= (uint32_t)((T)sa[l] >= (T)sb[l]) << l;                                                  \
      break;                                                                                                                       \
    }                                                                                                                              \
  } while (0)

static bool compare_doubles(unsigned how, double a, double b) {
  bool unordered = isnan(a) || isnan(b);
  switch (how) {
  case EQ: return a == b;
  case NE: return !unordered && a != b;
  case LT: return a < b;
  case LE: return a <= b;
  case GT: return a > b;
  case GE: return a >= b;
  case EQU: return unordered || a == b;
  case NEU: return unordered || a != b;
  case LTU: return unordered || a < b;
  case LEU: return unordered || a <= b;
  case GTU: return unordered || a > b;
  case GEU: return unordered || a >= b;
  case NUM: return !unordered;
  default: return unordered;
  }
}

static uint32_t compare(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t r = 0;
  switch ((Type)inst->type) {
  case T_B16:
  case T_U16: COMPARED(uint16_t, uint32_t); break;
  case T_S16: COMPARED(int16_t, uint32_t); break;
  case T_B32:
  case T_U32: COMPARED(uint32_t, uint32_t); break;
  case T_S32: COMPARED(int32_t, uint32_t); break;
  case T_B64:
  case T_U64: COMPARED(uint64_t, uint64_t); break;
  case T_S64: COMPARED(int64_t, uint64_t); break;
  case T_F64: {
    const double *a = SRC(0), *b = SRC(1);
    EACH_LANE(l, mask) r |= (uint32_t)compare_doubles(inst->compare, a[l], b[l]) << l;
    break;
  }
  case T_F32: {
    const float *a = SRC(0), *b = SRC(1);
    EACH_LANE(l, mask)
    r |=
        (uint32_t)compare_doubles(inst->compare, (double)(inst->ftz ? flush(a[l]) : a[l]), (double)(inst->ftz ? flush(b[l]) : b[l]))
        << l;
    break;
  }
  default: {
    const uint32_t *a = SRC(0), *b = SRC(1);
    bool half = inst->type == T_F16;
    EACH_LANE(l, mask)
    r |= (uint32_t)compare_doubles(inst->compare, half ? half_of((uint16_t)a[l]) : bfloat_of((uint16_t)a[l]),
                                   half ? half_of((uint16_t)b[l]) : bfloat_of((uint16_t)b[l]))
         << l;
  }
  }
  return r;
}

Outcome exec_setp(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t r = compare(w, inst, mask), other = ~r;
  if (inst->combine) {
    uint32_t c = lanes_of(w, &inst->src[2]);
    r = inst->combine == 1 ? r & c : inst->combine == 2 ? r | c : r ^ c;
    other = inst->combine == 1 ? other & c : inst->combine == 2 ? other | c : other ^ c;
  }
  for (int i = 0; i < inst->ndst; i++) {
    if (inst->dst[i].sink) continue;
    uint32_t *d = DST(i);
    *d = (*d & ~mask) | ((i ? other : r) & mask);
  }
  return NEXT;
}

/* The first word where a test of floats holds. */
Outcome exec_testp(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t r = 0, *d = DST(0);
  EACH_LANE(l, mask) {
    double a = inst->type == T_F64 ? ((const double *)SRC(0))[l] : (double)((const float *)SRC(0))[l];
    bool is[] = {isfinite(a) != 0, isinf(a) != 0, !isnan(a), isnan(a) != 0};
    r |= (uint32_t)is[inst->compare] << l;
  }
  *d = (*d & ~mask) | r;
  return NEXT;
}

Outcome exec_selp(Warp *w, const Inst *inst, uint32_t mask) {
  uint32_t p = lanes_of(w, &inst->src[2]);
  if (inst->dst[0].bytes == 8) {
    const uint64_t *sa = SRC(0), *sb = SRC(1);
    LOOP(uint64_t, p >> l & 1 ? sa[l] : sb[l]);
  }
  const uint32_t *sa = SRC(0), *sb = SRC(1);
  LOOP(uint32_t, p >> l & 1 ? sa[l] : sb[l]);
}

Outcome exec_prmt(Warp *w, const Inst *inst, uint32_t mask) {
  const uint32_t *sa = SRC(0), *sb = SRC(1), *sc = SRC(2);
  uint32_t *d = DST(0);
  EACH_LANE(l, mask) {
    uint64_t both = (uint64_t)sb[l] << 32 | sa[l];
    uint32_t out = 0;
    for (int i = 0; i < 4; i++) {
      uint32_t pick = sc[l] >> (4 * i) & 15, byte = (uint32_t)(both >> (8 * (pick & 7))) & 0xff;
      if (pick & 8) byte = byte & 0x80 ? 0xff : 0;
      out |= byte << (8 * i);
    }
    d[l] = out;
  }
  return NEXT;
}

Outcome exec_lop3(Warp *w, const Inst *inst, uint32_t mask) {
  const uint32_t *sa = SRC(0), *sb = SRC(1), *sc = SRC(2);
  const uint32_t table = (uint32_t)inst->immediate;
  uint32_t t[8];
  for (int i = 0; i < 8; i++) t[i] = table >> i & 1 ? FULL : 0;
  LOOP(uint32_t, ({
         uint32_t a = sa[l], b = sb[l], c = sc[l];
         (t[7] & a & b & c) | (t[6] & a & b & ~c) | (t[5] & a & ~b & c) | (t[4] & a & ~b & ~c) | (t[3] & ~a & b & c) |
             (t[2] & ~a & b & ~c) | (t[1] & ~a & ~b & c) | (t[0] & ~a & ~b & ~c);
       }));
}

/* mov of a list into a register, or of a register into a list. */
Outcome exec_mov_pack(Warp *w, const Inst *inst, uint32_t mask) {
  unsigned bits = type_bytes((Type)inst->type) * 8 / (inst->ndst > 1 ? inst->ndst : inst->nsrc);
  EACH_LANE(l, mask) {
    uint64_t low = 0, high = 0;
    for (unsigned i = 0; i < inst->nsrc; i++) {
      uint64_t part = lane_bits(w, &inst->src[i], l);
      if (inst->nsrc == 1 && inst->type != T_B128) low = part;
      else if (i * bits < 64) low |= (bits == 64 ? part : part & ((UINT64_C(1) << bits) - 1)) << (i * bits);
      else high |= (bits == 64 ? part : part & ((UINT64_C(1) << bits) - 1)) << (i * bits - 64);
    }
    for (unsigned i = 0; i < inst->ndst; i++) {
      if (inst->dst[i].sink) continue;
      uint64_t whole = i * bits < 64 || inst->ndst == 1 ? low : high;
      set_lane(w, &inst->dst[i], l,
               inst->ndst == 1 ? whole : (bits == 64 ? whole : whole >> (i * bits % 64) & ((UINT64_C(1) << bits) - 1)));
    }
  }
  return NEXT;
}

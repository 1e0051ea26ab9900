/* convert.c - conversions between types, one value or two packed ones: section 9.7.9.21 of the PTX ISA. */
#include "alu.h"

/* Integers: from T to the storage of the other. mode: what is kept of the source. */
Outcome exec_cvt_int(Warp *w, const Inst *inst, uint32_t mask) {
#define FROM(S, T, D)                                                                                                              \
  {                                                                                                                                \
    const S *sa = SRC(0);                                                                                                          \
    LOOP(D, (D)(T)sa[l]);                                                                                                          \
  }
#define TO(S, T)                                                                                                                   \
  {                                                                                                                                \
    if (inst->dst[0].bytes == 8) FROM(S, T, uint64_t)                                                                              \
    switch (type_bytes((Type)inst->type)) {                                                                                        \
    case 4: FROM(S, T, uint32_t)                                                                                                   \
    case 2: {                                                                                                                      \
      const S *sa = SRC(0);                                                                                                        \
      LOOP(uint32_t, (uint16_t)(T)sa[l]);                                                                                          \
    }                                                                                                                              \
    default: {                                                                                                                     \
      const S *sa = SRC(0);                                                                                                        \
      bool is_signed = inst->type == T_S8;                                                                                         \
      LOOP(uint32_t, is_signed ? (uint16_t)(int8_t)(T)sa[l] : (uint8_t)(T)sa[l]);                                                  \
    }                                                                                                                              \
    }                                                                                                                              \
  }
/* The register may be wider than the type. */
#define EITHER(T)                                                                                                                  \
  {                                                                                                                                \
    if (inst->src[0].bytes == 8) TO(uint64_t, T)                                                                                   \
    TO(uint32_t, T)                                                                                                                \
  }
  switch ((Type)inst->from) {
  case T_U8:
  case T_B8: EITHER(uint8_t)
  case T_S8: EITHER(int8_t)
  case T_U16:
  case T_B16: EITHER(uint16_t)
  case T_S16: EITHER(int16_t)
  case T_U32:
  case T_B32: EITHER(uint32_t)
  case T_S32: EITHER(int32_t)
  case T_S64: TO(uint64_t, int64_t)
  default: TO(uint64_t, uint64_t)
  }
}

static bool is_signed(Type t) { return t == T_S8 || t == T_S16 || t == T_S32 || t == T_S64; }

static double float_from(Type t, uint64_t bits) {
  double d;
  switch (t) {
  case T_F64: memcpy(&d, &bits, 8); return d;
  case T_F32:
  case T_TF32: return (double)as_float((uint32_t)bits);
  case T_BF16: return bfloat_of((uint16_t)bits);
  default: return half_of((uint16_t)bits);
  }
}

/* Rounded to an integer by n, z, m, p. */
static double to_integer(char how, double a) {
  return how == 'z' ? trunc(a) : how == 'm' ? floor(a) : how == 'p' ? ceil(a) : nearbyint(a);
}

static uint64_t integer_bits(Type t, double a) {
  unsigned bits = 8 * type_bytes(t);
  if (isnan(a)) return bits == 64 ? UINT64_C(1) << 63 : 0;
  if (is_signed(t)) {
    double low = -ldexp(1, (int)bits - 1), high = -low;
    int64_t v = a <= low ? INT64_MIN >> (64 - bits) : a >= high ? INT64_MAX >> (64 - bits) : (int64_t)a;
    return (uint64_t)v & (bits == 64 ? UINT64_MAX : bits == 32 ? FULL : 0xffff);
  }
  return a <= 0 ? 0 : a >= ldexp(1, (int)bits) ? UINT64_MAX >> (64 - bits) : (uint64_t)a;
}

/* a rounded toward zero to so many bits of the significand below those of f32. */
static uint64_t float_to(const Inst *inst, Type t, double a, char how) {
  if (inst->sat) a = a > 0 ? a < 1 ? a : 1 : 0;
  if (inst->relu && a < 0) a = 0;
  uint64_t bits;
  switch (t) {
  case T_F64: memcpy(&bits, &a, 8); return bits;
  case T_F32: {
    float f = (float)a;
    if (how == 'z' && fabs((double)f) > fabs(a)) f = nextafterf(f, 0);
    return float_bits(inst->ftz ? flush(canonical(f)) : canonical(f));
  }
  case T_TF32: { /* to nearest, ties away, the low 13 bits are zero */
    uint32_t b = float_bits((float)a);
    return isnan(a) ? 0x7fffffff : isinf(a) ? b : (b + 0x1000) & ~0x1fffu;
  }
  case T_BF16: {
    if (how != 'z' || !isfinite(a)) return float_to_bfloat(a);
    float f = (float)a;
    if (fabs((double)f) > fabs(a)) f = nextafterf(f, 0);
    return float_bits(f) >> 16;
  }
  default: {
    uint16_t h = float_to_half(a);
    if (how == 'z' && isfinite(a) && fabs(half_of(h)) > fabs(a)) h--;
    return h;
  }
  }
}

/* mode: 'n', 'z', 'm', 'p' of the rounding; combine: 1 if to an integer. */
Outcome exec_cvt(Warp *w, const Inst *inst, uint32_t mask) {
  Type to = (Type)inst->type, from = (Type)inst->from;
  EACH_LANE(l, mask) {
    uint64_t bits = lane_bits(w, &inst->src[0], l), out;
    if (is_float(from)) {
      double a = float_from(from, bits);
      if (inst->ftz && from == T_F32) a = (double)flush((float)a);
      if (inst->combine) a = to_integer((char)inst->mode, a);
      out = is_float(to) ? float_to(inst, to, a, inst->combine ? 'n' : (char)inst->mode) : integer_bits(to, a);
    } else {
      unsigned width = 8 * type_bytes(from);
      int64_t v = (int64_t)(bits << (64 - width)) >> (64 - width);
      uint64_t u = bits << (64 - width) >> (64 - width);
      if (to == T_F32) out = float_bits(is_signed(from) ? (float)v : (float)u);
      else if (is_float(to)) out = float_to(inst, to, is_signed(from) ? (double)v : (double)u, 'n');
      else { /* with .sat: between integers */ double a = is_signed(from) ? (double)v : (double)u;
        out = integer_bits(to, a);
      }
    }
    set_lane(w, &inst->dst[0], l, out);
  }
  return NEXT;
}

/* f8: e4m3 has no infinity, e5m2 has; to nearest even and to the largest finite number (section 5.2.3). */
static uint8_t to_f8(double a, bool e5m2) {
  int mantissa = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7;
  double most = e5m2 ? 57344 : 448;
  uint8_t sign = signbit(a) ? 0x80 : 0;
  if (isnan(a)) return sign | 0x7f;
  a = fabs(a);
  if (a >= most) return sign | (e5m2 ? 0x7b : 0x7e);
  int e;
  frexp(a, &e);
  int exponent = e - 1 < 1 - bias ? 1 - bias : e - 1;
  double scaled = nearbyint(ldexp(a, mantissa - exponent));
  if (scaled >= ldexp(1, mantissa + 1)) scaled /= 2, exponent++;
  if (scaled == 0) return sign;
  uint8_t field_ =
      scaled < ldexp(1, mantissa) ? (uint8_t)scaled : (uint8_t)((exponent + bias) << mantissa | ((int)scaled - (1 << mantissa)));
  return ldexp(scaled, exponent - mantissa) > most ? sign | (e5m2 ? 0x7b : 0x7e) : sign | field_;
}
static double of_f8(uint8_t b, bool e5m2) {
  int mantissa = e5m2 ? 2 : 3, bias = e5m2 ? 15 : 7, exponent = b >> mantissa & (e5m2 ? 31 : 15), m = b & ((1 << mantissa) - 1);
  double sign = b & 0x80 ? -1 : 1;
  if (!e5m2 && (b & 0x7f) == 0x7f) return NAN;
  if (e5m2 && exponent == 31) return m ? NAN : sign * INFINITY;
  return sign * (exponent ? ldexp(1 + ldexp(m, -mantissa), exponent - bias) : ldexp(m, 1 - bias - mantissa));
}

/* Two at a time: cvt.rn.bf16x2.f32 d, a, b has a above b; e4m3x2 of two floats, or of f16x2, and back. */
Outcome exec_cvt_pack(Warp *w, const Inst *inst, uint32_t mask) {
  Type to = (Type)inst->type, from = (Type)inst->from;
  bool e5m2 = to == T_E5M2X2 || from == T_E5M2X2;
  EACH_LANE(l, mask) {
    double part[2]; /* the upper one first */
    uint64_t bits = lane_bits(w, &inst->src[0], l), out;
    if (inst->nsrc == 2) part[0] = float_from(from, bits), part[1] = float_from(from, lane_bits(w, &inst->src[1], l));
    else if (from == T_F16X2) part[0] = half_of((uint16_t)(bits >> 16)), part[1] = half_of((uint16_t)bits);
    else part[0] = of_f8((uint8_t)(bits >> 8), e5m2), part[1] = of_f8((uint8_t)bits, e5m2);
    if (to == T_E4M3X2 || to == T_E5M2X2) out = (uint64_t)(to_f8(part[0], e5m2) << 8 | to_f8(part[1], e5m2));
    else
      out = float_to(inst, to == T_F16X2 ? T_F16 : T_BF16, part[0], (char)inst->mode) << 16 |
            float_to(inst, to == T_F16X2 ? T_F16 : T_BF16, part[1], (char)inst->mode);
    set_lane(w, &inst->dst[0], l, out);
  }
  return NEXT;
}

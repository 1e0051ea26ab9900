/* alu.c - arithmetic and logic: 32 lanes by loops that the compiler makes vectors of.
 *
 * An instruction computes all lanes and keeps the old value where its mask has none; sections 9.7.1 to 9.7.8 of the PTX ISA. Approximate
 * functions are exact ones with an error of the size that the manual allows, whose sign follows from the device's seed and the
 * argument (section 9.7.3). */
#include "alu.h"

/* S: how a lane is stored; T: as what it is read. */
#define UNARY(name, D, S, T, expr)                                                                                                 \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    const S *sa = SRC(0);                                                                                                          \
    (void)sa;                                                                                                                      \
    LOOP(D, ({                                                                                                                     \
           T a = (T)sa[l];                                                                                                         \
           expr;                                                                                                                   \
         }));                                                                                                                      \
  }
#define BINARY(name, D, S, T, expr)                                                                                                \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    const S *sa = SRC(0), *sb = SRC(1);                                                                                            \
    LOOP(D, ({                                                                                                                     \
           T a = (T)sa[l], b = (T)sb[l];                                                                                           \
           expr;                                                                                                                   \
         }));                                                                                                                      \
  }
#define TERNARY(name, D, S, T, expr)                                                                                               \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    const S *sa = SRC(0), *sb = SRC(1), *sc = SRC(2);                                                                              \
    LOOP(D, ({                                                                                                                     \
           T a = (T)sa[l], b = (T)sb[l], c = (T)sc[l];                                                                             \
           expr;                                                                                                                   \
         }));                                                                                                                      \
  }

/* ---- integers; those of 16 bits lie in words of 32 ---- */
#define INTEGERS(bits, S, U, I)                                                                                                    \
  BINARY(add_b##bits, S, S, U, (U)(a + b))                                                                                         \
  BINARY(sub_b##bits, S, S, U, (U)(a - b))                                                                                         \
  BINARY(mul_b##bits, S, S, U, (U)((uint64_t)a * b))                                                                               \
  TERNARY(mad_b##bits, S, S, U, (U)((uint64_t)a * b + c))                                                                          \
  BINARY(div_u##bits, S, S, U, b ? (U)(a / b) : (U) - 1)                                                                           \
  BINARY(rem_u##bits, S, S, U, b ? (U)(a % b) : a)                                                                                 \
  BINARY(div_s##bits, S, S, I, (U)(b == 0 ? -1 : b == -1 ? (I)(0 - (U)a) : (I)(a / b)))                                            \
  BINARY(rem_s##bits, S, S, I, (U)(b == 0 ? a : b == -1 ? 0 : (I)(a % b)))                                                         \
  BINARY(min_u##bits, S, S, U, a < b ? a : b)                                                                                      \
  BINARY(max_u##bits, S, S, U, a > b ? a : b)                                                                                      \
  BINARY(min_s##bits, S, S, I, (U)(a < b ? a : b))                                                                                 \
  BINARY(max_s##bits, S, S, I, (U)(a > b ? a : b))                                                                                 \
  UNARY(abs_s##bits, S, S, I, (U)(a < 0 ? 0 - (U)a : (U)a))                                                                        \
  UNARY(neg_s##bits, S, S, U, (U)(0 - a))                                                                                          \
  BINARY(and_b##bits, S, S, U, (U)(a & b))                                                                                         \
  BINARY(or_b##bits, S, S, U, (U)(a | b))                                                                                          \
  BINARY(xor_b##bits, S, S, U, (U)(a ^ b))                                                                                         \
  UNARY(not_b##bits, S, S, U, (U)~a)                                                                                               \
  UNARY(mov_b##bits, S, S, S, a)
INTEGERS(16, uint32_t, uint16_t, int16_t)
INTEGERS(32, uint32_t, uint32_t, int32_t)
INTEGERS(64, uint64_t, uint64_t, int64_t)

/* The count is a word of 32 bits whatever is shifted; more than the width gives what shifting all bits out gives. */
#define SHIFT(name, S, T, full, expr)                                                                                              \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    const S *sa = SRC(0);                                                                                                          \
    const uint32_t *sb = SRC(1);                                                                                                   \
    LOOP(S, ({                                                                                                                     \
           T a = (T)sa[l];                                                                                                         \
           uint32_t b = sb[l];                                                                                                     \
           b >= 8 * sizeof(T) ? (S)(full) : (S)(expr);                                                                             \
         }));                                                                                                                      \
  }
SHIFT(shl_b16, uint32_t, uint16_t, 0, (uint16_t)(a << b))
SHIFT(shl_b32, uint32_t, uint32_t, 0, a << b)
SHIFT(shl_b64, uint64_t, uint64_t, 0, a << b)
SHIFT(shr_u16, uint32_t, uint16_t, 0, (uint16_t)(a >> b))
SHIFT(shr_u32, uint32_t, uint32_t, 0, a >> b)
SHIFT(shr_u64, uint64_t, uint64_t, 0, a >> b)
SHIFT(shr_s16, uint32_t, int16_t, (uint16_t)(a < 0 ? -1 : 0), (uint16_t)(a >> b))
SHIFT(shr_s32, uint32_t, int32_t, a < 0 ? -1 : 0, a >> b)
SHIFT(shr_s64, uint64_t, int64_t, a < 0 ? -1 : 0, a >> b)

BINARY(mul_wide_u16, uint32_t, uint32_t, uint16_t, (uint32_t)a *b)
BINARY(mul_wide_s16, uint32_t, uint32_t, int16_t, (uint32_t)((int32_t)a * b))
BINARY(mul_wide_u32, uint64_t, uint32_t, uint32_t, (uint64_t)a *b)
BINARY(mul_wide_s32, uint64_t, uint32_t, int32_t, (uint64_t)((int64_t)a * b))
BINARY(mul_hi_u32, uint32_t, uint32_t, uint32_t, (uint32_t)((uint64_t)a * b >> 32))
BINARY(mul_hi_s32, uint32_t, uint32_t, int32_t, (uint32_t)((int64_t)a * b >> 32))
BINARY(mul_hi_u64, uint64_t, uint64_t, uint64_t, (uint64_t)((unsigned __int128)a * b >> 64))
BINARY(mul_hi_s64, uint64_t, uint64_t, int64_t, (uint64_t)((__int128)a * b >> 64))
TERNARY(mad_hi_u32, uint32_t, uint32_t, uint32_t, (uint32_t)((uint64_t)a * b >> 32) + c)
#define WIDE(name, I, O)                                                                                                           \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    const uint32_t *sa = SRC(0), *sb = SRC(1);                                                                                     \
    const uint64_t *sc = SRC(2);                                                                                                   \
    LOOP(uint64_t, (uint64_t)((O)(I)sa[l] * (O)(I)sb[l]) + sc[l]);                                                                 \
  }
WIDE(mad_wide_u32, uint32_t, uint64_t)
WIDE(mad_wide_s32, int32_t, int64_t)
UNARY(popc_b32, uint32_t, uint32_t, uint32_t, (uint32_t)__builtin_popcount(a))
UNARY(popc_b64, uint32_t, uint64_t, uint64_t, (uint32_t)__builtin_popcountll(a))
UNARY(clz_b32, uint32_t, uint32_t, uint32_t, a ? (uint32_t)__builtin_clz(a) : 32)
UNARY(clz_b64, uint32_t, uint64_t, uint64_t, a ? (uint32_t)__builtin_clzll(a) : 64)
static uint64_t reverse(uint64_t a, int bits) {
  uint64_t r = 0;
  for (int i = 0; i < bits; i++) r |= (a >> i & 1) << (bits - 1 - i);
  return r;
}
UNARY(brev_b32, uint32_t, uint32_t, uint32_t, (uint32_t)reverse(a, 32))
UNARY(brev_b64, uint64_t, uint64_t, uint64_t, reverse(a, 64))
UNARY(bfind_u32, uint32_t, uint32_t, uint32_t, a ? 31u - (uint32_t)__builtin_clz(a) : FULL)

static uint64_t field(uint64_t a, uint32_t position, uint32_t length, uint32_t bits, bool is_signed) {
  position &= 0xff, length &= 0xff;
  uint32_t last = position + length - 1 < bits ? position + length - 1 : bits - 1, room = position < bits ? bits - position : 0;
  uint64_t sign = is_signed && length ? a >> last & 1 : 0, low = room < length ? room : length;
  low = low < 64 ? (UINT64_C(1) << low) - 1 : UINT64_MAX;
  return (room ? a >> position & low : 0) | (sign ? ~low : 0);
}
#define FIELD(name, S, bits, is_signed)                                                                                            \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    const S *sa = SRC(0);                                                                                                          \
    const uint32_t *sb = SRC(1), *sc = SRC(2);                                                                                     \
    LOOP(S, field(sa[l], sb[l], sc[l], bits, is_signed));                                                                          \
  }
FIELD(bfe_u32, uint32_t, 32, false)
FIELD(bfe_s32, uint32_t, 32, true)
FIELD(bfe_u64, uint64_t, 64, false)
FIELD(bfe_s64, uint64_t, 64, true)
static uint64_t inserted(uint64_t a, uint64_t b, uint32_t position, uint32_t length, int bits) {
  position &= 0xff, length &= 0xff;
  for (uint32_t i = 0; i < length && position + i < (uint32_t)bits; i++) {
    b &= ~(UINT64_C(1) << (position + i));
    b |= (a >> i & 1) << (position + i);
  }
  return b;
}
#define INSERT(name, S, bits)                                                                                                      \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    const S *sa = SRC(0), *sb = SRC(1);                                                                                            \
    const uint32_t *sc = SRC(2), *sd = SRC(3);                                                                                     \
    LOOP(S, inserted(sa[l], sb[l], sc[l], sd[l], bits));                                                                           \
  }
INSERT(bfi_b32, uint32_t, 32)
INSERT(bfi_b64, uint64_t, 64)
TERNARY(shf_l_wrap, uint32_t, uint32_t, uint32_t, (c & 31) ? b << (c & 31) | a >> (32 - (c & 31)) : b)
TERNARY(shf_r_wrap, uint32_t, uint32_t, uint32_t, (c & 31) ? a >> (c & 31) | b << (32 - (c & 31)) : a)
TERNARY(shf_l_clamp, uint32_t, uint32_t, uint32_t, c >= 32 ? a : c ? b << c | a >> (32 - c) : b)
TERNARY(shf_r_clamp, uint32_t, uint32_t, uint32_t, c >= 32 ? b : c ? a >> c | b << (32 - c) : a)

static uint32_t dot_bytes(uint32_t a, uint32_t b, uint32_t c, bool a_signed, bool b_signed) {
  for (int i = 0; i < 32; i += 8) {
    int32_t x = a_signed ? (int8_t)(a >> i) : (uint8_t)(a >> i), y = b_signed ? (int8_t)(b >> i) : (uint8_t)(b >> i);
    c += (uint32_t)(x * y);
  }
  return c;
}
TERNARY(dp4a_uu, uint32_t, uint32_t, uint32_t, dot_bytes(a, b, c, false, false))
TERNARY(dp4a_ss, uint32_t, uint32_t, uint32_t, dot_bytes(a, b, c, true, true))
TERNARY(dp4a_us, uint32_t, uint32_t, uint32_t, dot_bytes(a, b, c, false, true))
TERNARY(dp4a_su, uint32_t, uint32_t, uint32_t, dot_bytes(a, b, c, true, false))

/* ---- predicates ---- */
#define PREDICATES(name, expr)                                                                                                     \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    uint32_t *d = DST(0), a = lanes_of(w, &inst->src[0]), b = inst->nsrc > 1 ? lanes_of(w, &inst->src[1]) : 0;                     \
    (void)b;                                                                                                                       \
    *d = (*d & ~mask) | ((expr) & mask);                                                                                           \
    return NEXT;                                                                                                                   \
  }
PREDICATES(and_pred, a &b)
PREDICATES(or_pred, a | b)
PREDICATES(xor_pred, a ^ b)
PREDICATES(not_pred, ~a)
PREDICATES(mov_pred, a)

/* ---- floats ---- */
static float saturate(float a) { return a > 0 ? a < 1 ? a : 1 : 0; }
#define FLOAT_LOOP(expr)                                                                                                           \
  if (inst->ftz || inst->sat) {                                                                                                    \
    float *d = DST(0);                                                                                                             \
    EACH_LANE(l, mask) {                                                                                                           \
      float r = ({ expr; });                                                                                                       \
      if (inst->ftz) r = flush(r);                                                                                                 \
      d[l] = inst->sat ? saturate(r) : r;                                                                                          \
    }                                                                                                                              \
    return NEXT;                                                                                                                   \
  }
#define FLOAT1(name, expr)                                                                                                         \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    const float *sa = SRC(0);                                                                                                      \
    FLOAT_LOOP(float a = inst->ftz ? flush(sa[l]) : sa[l]; expr)                                                                   \
    LOOP(float, ({                                                                                                                 \
           float a = sa[l];                                                                                                        \
           expr;                                                                                                                   \
         }));                                                                                                                      \
  }
#define FLOAT2(name, expr)                                                                                                         \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    const float *sa = SRC(0), *sb = SRC(1);                                                                                        \
    FLOAT_LOOP(float a = inst->ftz ? flush(sa[l]) : sa[l]; float b = inst->ftz ? flush(sb[l]) : sb[l]; expr)                       \
    LOOP(float, ({                                                                                                                 \
           float a = sa[l], b = sb[l];                                                                                             \
           expr;                                                                                                                   \
         }));                                                                                                                      \
  }
#define FLOAT3(name, expr)                                                                                                         \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    const float *sa = SRC(0), *sb = SRC(1), *sc = SRC(2);                                                                          \
    FLOAT_LOOP(float a = inst->ftz ? flush(sa[l]) : sa[l]; float b = inst->ftz ? flush(sb[l]) : sb[l];                             \
               float c = inst->ftz ? flush(sc[l]) : sc[l]; expr)                                                                   \
    LOOP(float, ({                                                                                                                 \
           float a = sa[l], b = sb[l], c = sc[l];                                                                                  \
           expr;                                                                                                                   \
         }));                                                                                                                      \
  }
/* The NaN that arithmetic gives. */
/* -0 is less than +0; of one NaN the other; .NaN: NaN. */
static float min_f(float a, float b) {
  if (isnan(a)) return canonical(b);
  if (isnan(b)) return a;
  return a == b ? (signbit(a) ? a : b) : a < b ? a : b;
}
static float max_f(float a, float b) {
  if (isnan(a)) return canonical(b);
  if (isnan(b)) return a;
  return a == b ? (signbit(a) ? b : a) : a > b ? a : b;
}
FLOAT2(add_f32, a + b)
FLOAT2(sub_f32, a - b)
FLOAT2(mul_f32, a *b)
FLOAT3(fma_f32, __builtin_fmaf(a, b, c))
FLOAT2(div_f32, a / b)
FLOAT1(rcp_f32, 1 / a)
FLOAT1(sqrt_f32, sqrtf(a))
FLOAT1(neg_f32, -a)
FLOAT1(abs_f32, fabsf(a))
FLOAT2(min_f32, min_f(a, b))
FLOAT2(max_f32, max_f(a, b))
FLOAT2(min_nan_f32, isnan(a) || isnan(b) ? as_float(0x7fffffff) : min_f(a, b))
FLOAT2(max_nan_f32, isnan(a) || isnan(b) ? as_float(0x7fffffff) : max_f(a, b))
FLOAT2(copysign_f32, copysignf(b, a)) /* the sign of the first operand */
#define DOUBLE1(name, expr) UNARY(name, double, double, double, expr)
#define DOUBLE2(name, expr) BINARY(name, double, double, double, expr)
DOUBLE2(add_f64, a + b)
DOUBLE2(sub_f64, a - b)
DOUBLE2(mul_f64, a *b)
TERNARY(fma_f64, double, double, double, __builtin_fma(a, b, c))
DOUBLE2(div_f64, a / b)
DOUBLE1(rcp_f64, 1 / a)
DOUBLE1(sqrt_f64, sqrt(a))
DOUBLE1(neg_f64, -a)
DOUBLE1(abs_f64, fabs(a))
DOUBLE2(min_f64, isnan(a) ? b : isnan(b) ? a : a == b ? (signbit(a) ? a : b) : a < b ? a : b)
DOUBLE2(max_f64, isnan(a) ? b : isnan(b) ? a : a == b ? (signbit(a) ? b : a) : a > b ? a : b)
DOUBLE2(copysign_f64, copysign(b, a))

/* ---- approximate functions ---- */
/* A number in [-1, 1] that the argument and the seed decide. */
static double error_of(const Warp *w, float a) {
  uint64_t h = (float_bits(a) + w->block->device->seed * UINT64_C(0x9e3779b97f4a7c15)) * UINT64_C(0xbf58476d1ce4e5b9);
  h ^= h >> 31, h *= UINT64_C(0x94d049bb133111eb), h ^= h >> 29;
  return (double)(h >> 11) / 4503599627370496.0 - 1;
}
static float relative(const Warp *w, float a, double exact, double error) {
  float plain = (float)exact;
  return !isfinite(plain) || plain == 0 ? plain : (float)(exact * (1 + error * error_of(w, a)));
}
static float absolute(const Warp *w, float a, double exact, double error) {
  return !isfinite(exact) ? (float)exact : (float)(exact + error * error_of(w, a));
}
static const double ulp = 1.0 / (1 << 23);
static double lg2_error(float a) { return a > 0.5f && a < 2 ? 1 : fabs(log2((double)a)); }
FLOAT1(ex2_approx, isinf(a) ? (a < 0 ? 0 : a) : relative(w, a, exp2((double)a), 0x1p-22))
FLOAT1(lg2_approx, absolute(w, a, log2((double)a), 0x1.4p-23 * lg2_error(a)))
FLOAT1(rcp_approx, relative(w, a, 1 / (double)a, ulp / 2))
FLOAT1(rsqrt_approx, relative(w, a, 1 / sqrt((double)a), 0x1p-22))
FLOAT1(sqrt_approx, relative(w, a, sqrt((double)a), 0x1p-23))
FLOAT1(sin_approx, absolute(w, a, sin((double)a), 0x1.2p-21))
FLOAT1(cos_approx, absolute(w, a, cos((double)a), 0x1.2p-21))
FLOAT1(tanh_approx, relative(w, a, tanh((double)a), 0x1p-11))
FLOAT2(div_approx, relative(w, a, (double)a / (double)b, ulp))
FLOAT2(div_full, relative(w, a, (double)a / (double)b, ulp))
DOUBLE1(rsqrt_f64, 1 / sqrt(a))

/* ---- halves: computed in double, which holds each product and all but contrived sums exactly, and rounded once ---- */
float half_to_float(uint16_t h) {
  _Float16 f;
  memcpy(&f, &h, 2);
  return (float)f;
}
uint16_t float_to_half(double x) {
  _Float16 f = (_Float16)x;
  uint16_t h;
  memcpy(&h, &f, 2);
  return isnan(x) ? 0x7fff : h;
}
uint16_t float_to_bfloat(double x) {
  if (isnan(x)) return 0x7fff;
  float f = (float)x;
  if (isinf(f)) return (uint16_t)(float_bits(f) >> 16);
  if ((double)f != x && ((float_bits(f) & 0xffff) == 0x8000 || (float_bits(f) & 0xffff) == 0)) /* rounding twice: to odd first */
    f = as_float(float_bits(f) + (fabs((double)f) < fabs(x) ? 1 : -1u));
  uint32_t bits = float_bits(f);
  return (uint16_t)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
static double min_h(double a, double b) { return (double)min_f((float)a, (float)b); }
static double max_h(double a, double b) { return (double)max_f((float)a, (float)b); }
static double nan_min(double a, double b) { return isnan(a) || isnan(b) ? NAN : min_h(a, b); }
static double nan_max(double a, double b) { return isnan(a) || isnan(b) ? NAN : max_h(a, b); }
static double positive(const Inst *inst, double r) {
  return inst->relu && !(r > 0) && !isnan(r) ? 0 : inst->sat ? (double)saturate((float)r) : r;
}
#define HALVES(name, arity, of, to, expr)                                                                                          \
  static Outcome name(Warp *w, const Inst *inst, uint32_t mask) {                                                                  \
    const uint32_t *sa = SRC(0), *sb = arity > 1 ? SRC(1) : sa, *sc = arity > 2 ? SRC(2) : sa;                                     \
    bool two = inst->type == T_F16X2 || inst->type == T_BF16X2;                                                                    \
    uint32_t *d = DST(0);                                                                                                          \
    EACH_LANE(l, mask) {                                                                                                           \
      uint32_t out = 0;                                                                                                            \
      for (int h = 0; h < (two ? 32 : 16); h += 16) {                                                                              \
        double a = of((uint16_t)(sa[l] >> h)), b = of((uint16_t)(sb[l] >> h)), c = of((uint16_t)(sc[l] >> h));                     \
        (void)a, (void)b, (void)c;                                                                                                 \
        out |= (uint32_t)to(positive(inst, expr)) << h;                                                                            \
      }                                                                                                                            \
      d[l] = out;                                                                                                                  \
    }                                                                                                                              \
    return NEXT;                                                                                                                   \
  }
#define HALF_SET(suffix, of, to)                                                                                                   \
  HALVES(add_##suffix, 2, of, to, a + b)                                                                                           \
  HALVES(sub_##suffix, 2, of, to, a - b)                                                                                           \
  HALVES(mul_##suffix, 2, of, to, a *b)                                                                                            \
  HALVES(fma_##suffix, 3, of, to, __builtin_fma(a, b, c))                                                                          \
  HALVES(neg_##suffix, 1, of, to, -a)                                                                                              \
  HALVES(abs_##suffix, 1, of, to, fabs(a))                                                                                         \
  HALVES(min_##suffix, 2, of, to, min_h(a, b))                                                                                     \
  HALVES(max_##suffix, 2, of, to, max_h(a, b))                                                                                     \
  HALVES(min_nan_##suffix, 2, of, to, nan_min(a, b))                                                                               \
  HALVES(max_nan_##suffix, 2, of, to, nan_max(a, b))                                                                               \
  HALVES(ex2_##suffix, 1, of, to, (double)relative(w, (float)a, exp2(a), 0x1p-9))                                                  \
  HALVES(tanh_##suffix, 1, of, to, (double)relative(w, (float)a, tanh(a), 0x1p-10))
HALF_SET(half, half_of, float_to_half)
HALF_SET(bfloat, bfloat_of, float_to_bfloat)

/* ---- the table ---- */
#define INTEGER_ROWS(op, fn)                                                                                                       \
  {op, T_B16, fn##_b16, EMU_CLASS_INTEGER}, {op, T_B32, fn##_b32, EMU_CLASS_INTEGER}, { op, T_B64, fn##_b64, EMU_CLASS_INTEGER }
#define SIGN_ROWS(op, fn, class64)                                                                                                 \
  {op, T_U16, fn##_u16, EMU_CLASS_INTEGER}, {op, T_U32, fn##_u32, EMU_CLASS_INTEGER}, {op, T_U64, fn##_u64, class64},              \
      {op, T_S16, fn##_s16, EMU_CLASS_INTEGER}, {op, T_S32, fn##_s32, EMU_CLASS_INTEGER}, {                                        \
    op, T_S64, fn##_s64, class64                                                                                                   \
  }
#define FLOAT_ROWS(op, fn)                                                                                                         \
  {op, T_F32, fn##_f32, EMU_CLASS_FLOAT}, { op, T_F64, fn##_f64, EMU_CLASS_FLOAT }
#define HALF_ROWS(op, fn)                                                                                                          \
  {op, T_F16, fn##_half, EMU_CLASS_FLOAT}, {op, T_F16X2, fn##_half, EMU_CLASS_FLOAT}, {op, T_BF16, fn##_bfloat, EMU_CLASS_FLOAT},  \
  {                                                                                                                                \
    op, T_BF16X2, fn##_bfloat, EMU_CLASS_FLOAT                                                                                     \
  }
#define NUMBER_ROWS(op, fn) FLOAT_ROWS(op, fn), HALF_ROWS(op, fn)
static const struct {
  const char *key;
  Type type;
  Exec *exec;
  uint8_t class;
} rows[] = {
    INTEGER_ROWS("add", add),
    INTEGER_ROWS("sub", sub),
    INTEGER_ROWS("mul.lo", mul),
    INTEGER_ROWS("mad.lo", mad),
    SIGN_ROWS("div", div, EMU_CLASS_DIVIDE64),
    SIGN_ROWS("rem", rem, EMU_CLASS_DIVIDE64),
    SIGN_ROWS("min", min, EMU_CLASS_INTEGER),
    SIGN_ROWS("max", max, EMU_CLASS_INTEGER),
    {"abs", T_S16, abs_s16, 0},
    {"abs", T_S32, abs_s32, 0},
    {"abs", T_S64, abs_s64, 0},
    {"neg", T_S16, neg_s16, 0},
    {"neg", T_S32, neg_s32, 0},
    {"neg", T_S64, neg_s64, 0},
    INTEGER_ROWS("and", and),
    INTEGER_ROWS("or", or),
    INTEGER_ROWS("xor", xor),
    INTEGER_ROWS("not", not),
    INTEGER_ROWS("mov", mov),
    INTEGER_ROWS("shl", shl),
    SIGN_ROWS("shr", shr, 0),
    {"mul.wide", T_U16, mul_wide_u16, 0},
    {"mul.wide", T_S16, mul_wide_s16, 0},
    {"mul.wide", T_U32, mul_wide_u32, 0},
    {"mul.wide", T_S32, mul_wide_s32, 0},
    {"mul.hi", T_U32, mul_hi_u32, 0},
    {"mul.hi", T_S32, mul_hi_s32, 0},
    {"mul.hi", T_U64, mul_hi_u64, 0},
    {"mul.hi", T_S64, mul_hi_s64, 0},
    {"mad.hi", T_U32, mad_hi_u32, 0},
    {"mad.wide", T_U32, mad_wide_u32, 0},
    {"mad.wide", T_S32, mad_wide_s32, 0},
    {"popc", T_B32, popc_b32, 0},
    {"popc", T_B64, popc_b64, 0},
    {"clz", T_B32, clz_b32, 0},
    {"clz", T_B64, clz_b64, 0},
    {"brev", T_B32, brev_b32, 0},
    {"brev", T_B64, brev_b64, 0},
    {"bfind", T_U32, bfind_u32, 0},
    {"bfe", T_U32, bfe_u32, 0},
    {"bfe", T_S32, bfe_s32, 0},
    {"bfe", T_U64, bfe_u64, 0},
    {"bfe", T_S64, bfe_s64, 0},
    {"bfi", T_B32, bfi_b32, 0},
    {"bfi", T_B64, bfi_b64, 0},
    {"shf.l.wrap", T_B32, shf_l_wrap, 0},
    {"shf.r.wrap", T_B32, shf_r_wrap, 0},
    {"shf.l.clamp", T_B32, shf_l_clamp, 0},
    {"shf.r.clamp", T_B32, shf_r_clamp, 0},
    {"dp4a.u32", T_U32, dp4a_uu, 0},
    {"dp4a.s32", T_S32, dp4a_ss, 0},
    {"dp4a.u32", T_S32, dp4a_us, 0},
    {"dp4a.s32", T_U32, dp4a_su, 0},
    {"and", T_PRED, and_pred, 0},
    {"or", T_PRED, or_pred, 0},
    {"xor", T_PRED, xor_pred, 0},
    {"not", T_PRED, not_pred, 0},
    {"mov", T_PRED, mov_pred, 0},
    NUMBER_ROWS("add", add),
    NUMBER_ROWS("sub", sub),
    NUMBER_ROWS("mul", mul),
    NUMBER_ROWS("fma", fma),
    FLOAT_ROWS("mad", fma),
    FLOAT_ROWS("div", div),
    FLOAT_ROWS("rcp", rcp),
    FLOAT_ROWS("sqrt", sqrt),
    NUMBER_ROWS("neg", neg),
    NUMBER_ROWS("abs", abs),
    NUMBER_ROWS("min", min),
    NUMBER_ROWS("max", max),
    FLOAT_ROWS("copysign", copysign),
    {"min.NaN", T_F32, min_nan_f32, EMU_CLASS_FLOAT},
    {"max.NaN", T_F32, max_nan_f32, EMU_CLASS_FLOAT},
    {"ex2.approx", T_F32, ex2_approx, EMU_CLASS_SPECIAL},
    {"lg2.approx", T_F32, lg2_approx, EMU_CLASS_SPECIAL},
    {"rcp.approx", T_F32, rcp_approx, EMU_CLASS_SPECIAL},
    {"rsqrt.approx", T_F32, rsqrt_approx, EMU_CLASS_SPECIAL},
    {"rsqrt.approx", T_F64, rsqrt_f64, EMU_CLASS_SPECIAL},
    {"sqrt.approx", T_F32, sqrt_approx, EMU_CLASS_SPECIAL},
    {"sin.approx", T_F32, sin_approx, EMU_CLASS_SPECIAL},
    {"cos.approx", T_F32, cos_approx, EMU_CLASS_SPECIAL},
    {"tanh.approx", T_F32, tanh_approx, EMU_CLASS_SPECIAL},
    {"div.approx", T_F32, div_approx, EMU_CLASS_SPECIAL},
    {"div.full", T_F32, div_full, EMU_CLASS_SPECIAL},
    HALF_ROWS("min.NaN", min_nan),
    HALF_ROWS("max.NaN", max_nan),
    HALF_ROWS("ex2.approx", ex2),
    HALF_ROWS("tanh.approx", tanh),
};

/* The same bits whatever the type says. */
static Type plain(Type t) {
  switch (t) {
  case T_U16:
  case T_S16:
  case T_F16:
  case T_BF16: return T_B16;
  case T_U32:
  case T_S32:
  case T_F32:
  case T_F16X2:
  case T_BF16X2: return T_B32;
  case T_U64:
  case T_S64:
  case T_F64: return T_B64;
  default: return t;
  }
}

Exec *alu_find(const char *key, Type type, uint8_t *out_class) {
  bool is_mov = strcmp(key, "mov") == 0;
  Type wanted[] = {is_mov ? plain(type) : type, is_float(type) || type == T_F16X2 || type == T_BF16X2 ? T_NONE : plain(type),
                   type == T_B16   ? T_U16
                   : type == T_B32 ? T_U32
                   : type == T_B64 ? T_U64
                                   : T_NONE};
  for (int w = 0; w < 3; w++)
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
      if (rows[i].type == wanted[w] && strcmp(rows[i].key, key) == 0) {
        *out_class = rows[i].class;
        return rows[i].exec;
      }
  return NULL;
}

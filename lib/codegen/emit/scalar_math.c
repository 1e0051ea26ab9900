/* scalar_math.c - exp, log, tanh, erf, sin and their kin on lanes of f32 or f64, without libm.
 *
 * Every function has a body of its own in f32 and in f64, but for fmod, which is exact in f64, and pow, of which the f32 body computes in f64 as
 * far as f32 shows it. `eager` has all of f32 computed in f64 and rounded once. Polynomials of f64 are Chebyshev expansions on the reduced range,
 * computed with 60 digits; reductions after Cody and Waite (1980): r = x - n ln 2 in two parts, 2^n put together from exponent bits in two
 * factors so that subnormal results and the overflow to infinity come out right. The rounding constant 1.5 * 2^(p-1) gives n as float and as
 * integer bits without a conversion that is undefined for NaN.
 * sin, asin, atan and pow of f32 have polynomials that are minimax by Lawson's weights (1961), and so are tanh and erf of f32, which are
 * quotients; the coefficients of these two were then moved by bits so that the worst rounded result, of 65,536 arguments, is best.
 * Whole AVX-512 registers of f32 have shorter bodies of exp, tanh and erf (TccScalarFunctions of the machine).
 * sin, cos, tan: arguments of f32 from 2^16 on are reduced in f64, all from 2^30 on after Payne and Hanek (1983), in branches of their own. */
#include "lib/codegen/emit/scalar.h"
#include "tcc/op_kinds.h"
#include <math.h>
#include <stdio.h>

typedef struct {
  TccEmit *e;
  const char *type, *bits; /* "vector<16xf32>", "vector<16xi32>" */
  bool wide;               /* f64 */
  bool widened;            /* f64 lanes that hold f32 values */
} Lanes;

static Lanes lanes_of(TccEmit *e, const char *type) {
  bool wide = !strcmp(tcc_emit_elem(e, type), "f64");
  return (Lanes){.e = e, .type = type, .bits = tcc_emit_vector(e, wide ? "i64" : "i32", tcc_emit_lanes(type)), .wide = wide};
}

static TccVal num(Lanes *l, double v) { return tcc_emit_float(l->e, l->type, v); }
static TccVal add(Lanes *l, TccVal a, TccVal b) { return tcc_emit_bin(l->e, "fadd", l->type, a, b); }
static TccVal sub(Lanes *l, TccVal a, TccVal b) { return tcc_emit_bin(l->e, "fsub", l->type, a, b); }
static TccVal mul(Lanes *l, TccVal a, TccVal b) { return tcc_emit_bin(l->e, "fmul", l->type, a, b); }
static TccVal quo(Lanes *l, TccVal a, TccVal b) { return tcc_emit_bin(l->e, "fdiv", l->type, a, b); }
static TccVal fma_(Lanes *l, TccVal a, TccVal b, TccVal c) { return tcc_emit_fma(l->e, l->type, a, b, c); }
static TccVal sel(Lanes *l, TccVal c, TccVal a, TccVal b) { return tcc_emit_select(l->e, l->type, c, a, b); }
static TccVal cmp(Lanes *l, const char *p, TccVal a, TccVal b) { return tcc_emit_fcmp(l->e, p, l->type, a, b); }
static TccVal call(Lanes *l, const char *name, TccVal x) { return tcc_emit_intrinsic(l->e, name, l->type, 1, &x); }
static TccVal ibin(Lanes *l, const char *op, TccVal a, TccVal b) { return tcc_emit_bin(l->e, op, l->bits, a, b); }
static TccVal icon(Lanes *l, int64_t v) { return tcc_emit_int(l->e, l->bits, v); }
static TccVal to_bits(Lanes *l, TccVal x) { return tcc_emit_cast(l->e, "bitcast", l->type, l->bits, x); }
static TccVal to_float(Lanes *l, TccVal x) { return tcc_emit_cast(l->e, "bitcast", l->bits, l->type, x); }
static TccVal logic(Lanes *l, const char *op, TccVal a, TccVal b) {
  return tcc_emit_bin(l->e, op, tcc_emit_vector(l->e, "i1", tcc_emit_lanes(l->type)), a, b);
}
/* |value| with the sign of x */
static TccVal with_sign(Lanes *l, TccVal value, TccVal x) {
  TccVal args[2] = {value, x};
  return tcc_emit_intrinsic(l->e, "copysign", l->type, 2, args);
}

static TccVal widen(Lanes *l, Lanes *wide, TccVal x) { return tcc_emit_cast(l->e, "fpext", l->type, wide->type, x); }
static TccVal narrow(Lanes *l, Lanes *wide, TccVal x) { return tcc_emit_cast(l->e, "fptrunc", wide->type, l->type, x); }
static Lanes wide_lanes(Lanes *l) {
  Lanes wide = lanes_of(l->e, tcc_emit_vector(l->e, "f64", tcc_emit_lanes(l->type)));
  wide.widened = !l->wide;
  return wide;
}

enum { NARROW = 8 /* lanes of a machine with sixteen registers */ };

/* A number that multiply-adds read from memory: as a constant LLVM repeats it by an instruction of its own where registers are few. */
static TccVal in_memory(Lanes *l, double v) {
  float lane[NARROW];
  for (int i = 0; i < NARROW; i++) lane[i] = (float)v;
  return tcc_emit_load(l->e, l->type, tcc_emit_data(l->e, lane, sizeof lane));
}

static TccVal horner(Lanes *l, const double *c, int n, TccVal x) {
  bool narrow = !l->wide && tcc_emit_lanes(l->type) == NARROW;
  TccVal p = num(l, c[n - 1]);
  for (int i = n - 2; i >= 0; i--) p = fma_(l, p, x, narrow ? in_memory(l, c[i]) : num(l, c[i]));
  return p;
}
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))
#define POLY(l, table, x) horner((l), table, COUNT(table), (x))

/* (e^r - 1 - r) / r^2 on |r| <= ln(2)/2 */
static const double expm1_32[] = {0.5000000000, 0.1666657338, 0.04166655011, 0.008363773874, 0.001392692661};
static const double expm1_64[] = {0.50000000000000000,   0.16666666666666671,    0.041666666666666670,  0.0083333333333255447,
                                  0.0013888888888883327, 0.00019841269876864355, 2.4801587327007187e-5, 2.7557252833516910e-6,
                                  2.7557271810219800e-7, 2.5106274733573295e-8,  2.0915442297780115e-9};
/* (ln((1+s)/(1-s)) - 2s) / s^3 in s^2 */
static const double log_32[] = {0.6666666655, 0.4000012572, 0.2855038335, 0.2334231004};
static const double log_64[] = {0.66666666666666667, 0.39999999999999992, 0.28571428571435874,
                                0.22222222219705429, 0.18181818615879293, 0.15384573395429817,
                                0.13335713423289777, 0.11686457043610610, 0.11897023970366274};
/* Of pow of f32, in f64: log_64 and expm1_64 to what f32 shows, relative errors 2^-37 and 2^-28 */
static const double pow_log_32[] = {0.66666665645338564, 0.40000335218585648, 0.28537306702243568, 0.23582187792455514};
static const double pow_exp_32[] = {0.50000000951381095, 0.16666518876170395, 0.041666205964705438, 0.0083688849010320977,
                                    0.0013950479931472452};
/* (sin r - r) / r^3 and (cos r - 1 + r^2/2) / r^4 in r^2, |r| <= pi/4, of f32 a little more */
static const double sin_32[] = {-0.1666665421, 0.008332130534, -0.0001951070735};
static const double cos_32[] = {0.041666664534, -0.00138882788832, 2.45427763656e-05};
static const double sin_64[] = {-0.16666666666666667,   0.0083333333333333333,  -0.00019841269841269837, 2.7557319223980052e-6,
                                -2.5052108381866980e-8, 1.6059042648140950e-10, -7.6469447104697118e-13, 2.7904305979731444e-15};
static const double cos_64[] = {0.041666666666666667,  -0.0013888888888888889,  2.4801587301587299e-5,  -2.7557319223982970e-7,
                                2.0876756986079799e-9, -1.1470745003097763e-11, 4.7793677737342760e-14, -1.5514039024426117e-16};
/* (asin v - v) / v^3 in v^2, |v| <= 1/2 */
static const double asin_32[] = {0.1666675394, 0.07495241351, 0.04547715545, 0.02414730186, 0.04221910789};
/* (atan t - t) / t^3 in t^2, |t| <= 1 */
static const double atan_32[] = {-0.3333315271,  0.1999377215,  -0.1421104916,  0.1066597844,
                                 -0.07552154504, 0.04321111115, -0.01636744116, 0.002920564308};
/* The same, |t| <= tan(pi/8) */
static const double atan_64[] = {-0.33333333333333333,  0.19999999999999992,  -0.14285714285711507,  0.11111111110753377,
                                 -0.090909090669292167, 0.076923067331645879, -0.066666419571505960, 0.058819243371907509,
                                 -0.052580326790031669, 0.047193383620360123, -0.041042072944434329, 0.030630399494587394,
                                 -0.013912862083935092};
/* Of f32: t/x in x^2, t = tanh(x/2) on |x| <= 9.02, and t = tanh(atanh(erf x)/2) on |x| <= 3.92; beyond, the functions round to 1. The limits
 * at which arguments are held are a little larger, and such that the quotient is 1 there, not a unit less: 1 - tanh^2 is a derivative. */
static const double tanh_top_32[] = {0.921778977, 0.027440697, 0.000105235071};
static const double tanh_bottom_32[] = {1.84355795, 0.208511204, 0.00222347979, 2.262728e-06};
static const double erf_top_32[] = {0.987329245, 0.260213614, 0.0282454938, 0.00222312775};
static const double erf_bottom_32[] = {1.74999547, 0.487509489, 0.0847951919, 0.0105850548, 0.000173112552};
/* erf(x)/x in x^2 for |x| below 1.02; above: erfc(x) e^(x^2) in (x-2)/(x+2) */
static const double erf_low_64[] = {1.1283791670955126,     -0.37612638903183752,    0.11283791670955126,    -0.026866170645131199,
                                    0.0052239776254414071,  -0.00085483270233809602, 0.00012055332977703544, -1.4925650194486686e-5,
                                    1.6462109715007841e-6,  -1.6365749808683660e-7,  1.4805794161731059e-8,  -1.2275759277493230e-9,
                                    9.3127895645988909e-11, -6.1611451241799551e-12, 2.7550543089947394e-13};
static const double erf_high_64[] = {
    0.25539567631050574,   -0.42718584741395840,    0.24165819424246633,     -0.078978581015732517, 0.0037328924043495592,
    0.0069974617392275964, -0.00084714325227923623, -0.00098197702687742963, 4.3555644364822271e-5, 0.00017436114220703505,
    2.7524766486566404e-5, -2.7579001327022315e-5,  -1.3961490208954965e-5,  1.3805016982841543e-6, 3.7602250539640723e-6,
    1.2562616545796949e-6, -5.0640953936621861e-7,  -6.1471170867971999e-7,  1.3447454050267915e-7};

/* Clamps that let NaN through. */
static TccVal at_most(Lanes *l, TccVal x, double high) { return sel(l, cmp(l, "ogt", x, num(l, high)), num(l, high), x); }
static TccVal at_least(Lanes *l, TccVal x, double low) { return sel(l, cmp(l, "olt", x, num(l, low)), num(l, low), x); }

typedef struct {
  TccVal n, r;    /* x = n ln 2 + r */
  TccVal shifted; /* bits of an integer that ends in n + 2 bias */
} Reduced;
static Reduced reduce_exp(Lanes *l, TccVal x) {
  double magic = l->wide ? 6755399441055744.0 + 2046 : 12582912.0 + 254; /* 1.5 * 2^52, 1.5 * 2^23, and the bias twice */
  TccVal shifted = fma_(l, x, num(l, 1.4426950408889634), num(l, magic));
  TccVal n = sub(l, shifted, num(l, magic));
  TccVal high = num(l, l->wide ? -6.93147180369123816490e-01 : -0.693145751953125);
  TccVal low = num(l, l->wide ? -1.90821492927058770002e-10 : -1.42860677e-06);
  return (Reduced){.n = n, .r = fma_(l, n, low, fma_(l, n, high, x)), .shifted = to_bits(l, shifted)};
}

/* 2^n = half * rest, both normal numbers for n from twice the least to twice the largest exponent */
typedef struct {
  TccVal half, rest;
} Factors;
static Factors factors(Lanes *l, const Reduced *d) {
  int place = l->wide ? 52 : 23;
  TccVal exponents = icon(l, l->wide ? 0x7FF0000000000000 : 0x7F800000);
  TccVal half = ibin(l, "and", ibin(l, "shl", d->shifted, icon(l, place - 1)), exponents);
  TccVal rest = ibin(l, "sub", ibin(l, "shl", d->shifted, icon(l, place)), half);
  return (Factors){to_float(l, half), to_float(l, rest)};
}

/* 2^n where it is a normal number */
static TccVal power_of_two(Lanes *l, const Reduced *d) {
  int place = l->wide ? 52 : 23;
  int64_t bias = l->wide ? 1023 : 127;
  return to_float(l, ibin(l, "sub", ibin(l, "shl", d->shifted, icon(l, place)), icon(l, bias << place)));
}

/* 2^f on |f| <= 1/2, relative error 7.5e-8 */
static const double exp2_32[] = {1.0000000716552198,   0.693146967063264,  0.2402211972116583,
                                 0.055507132746516114, 0.0096755414798866, 0.0013276472028239104};

/* The place of n in the sum with the rounding constant is 2^n's but for the bias. A lane that is not kept has a factor that is normal,
 * infinite or zero: none is subnormal, which would cost hundreds of cycles. */
TccVal tcc_math_exp2_below(TccEmit *e, const char *type, TccVal x, double least) {
  Lanes l = lanes_of(e, type);
  TccVal keep = cmp(&l, "uge", x, num(&l, least)), magic = num(&l, 12582912.0), shifted = add(&l, x, magic);
  TccVal p = POLY(&l, exp2_32, sub(&l, x, sub(&l, shifted, magic)));
  TccVal factor = to_float(&l, ibin(&l, "add", ibin(&l, "shl", to_bits(&l, shifted), icon(&l, 23)), icon(&l, 127 << 23)));
  return sel(&l, keep, mul(&l, p, factor), num(&l, 0));
}

/* e^r - 1 for reduced r */
static TccVal expm1_reduced(Lanes *l, TccVal r) {
  TccVal q = l->wide ? POLY(l, expm1_64, r) : POLY(l, expm1_32, r);
  return fma_(l, mul(l, r, r), q, r);
}

static TccVal exp_reduced(Lanes *l, TccVal r) {
  if (l->wide) return add(l, expm1_reduced(l, r), num(l, 1));
  return fma_(l, fma_(l, POLY(l, expm1_32, r), r, num(l, 1)), r, num(l, 1));
}

static TccVal exp_(Lanes *l, TccVal x) {
  const TccScalarFunctions *own = tcc_scalar_functions(l->e, l->type);
  if (own && own->near_exp && l->e->narrow) return own->near_exp(l->e, x);
  if (own && own->scale) { /* results below half the least subnormal are zero: by a mask, and +inf by a clamp */
    TccVal keep = cmp(l, "uge", x, num(l, -104.0)), y = sel(l, cmp(l, "olt", num(l, 89.0), x), num(l, 89.0), x);
    Reduced d = reduce_exp(l, y);
    return own->scale(l->e, l->type, exp_reduced(l, d.r), d.n, keep);
  }
  x = at_least(l, at_most(l, x, l->wide ? 710.0 : 89.0), l->wide ? -746.0 : -104.0);
  Reduced d = reduce_exp(l, x);
  Factors f = factors(l, &d);
  return mul(l, mul(l, exp_reduced(l, d.r), f.half), f.rest);
}

/* 2 e^r on |r| <= ln(2)/2, relative error 9.2e-8 */
static const double twice_exp_32[] = {
    2, 1.9999994039535522, 0.9999829530715942, 0.3333527743816376, 0.08379632234573364, 0.016580544412136078};

/* A sum with 1 does not show what is less than 2^-124, so that one factor does: 2^(n-1), a normal number for all n up to 128, of twice e^r. Where
 * n is 128 their product may overflow, as it should. */
bool tcc_math_exp_beside_one(TccEmit *e, const char *type, TccVal x, TccVal *out) {
  Lanes l = lanes_of(e, type);
  if (l.wide || e->eager || tcc_emit_lanes(type) != NARROW || tcc_scalar_functions(e, type)) return false;
  const double magic = 12582912.0 + 126; /* 1.5 * 2^23, and the bias less one */
  x = at_least(&l, at_most(&l, x, 89.0), -86.0);
  TccVal shifted = fma_(&l, x, in_memory(&l, 1.4426950408889634), num(&l, magic)), n = sub(&l, shifted, num(&l, magic));
  TccVal r = fma_(&l, n, in_memory(&l, -1.42860677e-06), fma_(&l, n, in_memory(&l, -0.693145751953125), x));
  TccVal factor = to_float(&l, ibin(&l, "shl", to_bits(&l, shifted), icon(&l, 23)));
  *out = mul(&l, POLY(&l, twice_exp_32, r), factor);
  return true;
}

/* 2^n (e^r - 1) + (2^n - 1): exact where n = 0, so small arguments keep their digits */
static TccVal expm1_(Lanes *l, TccVal x) {
  TccVal y = at_least(l, at_most(l, x, l->wide ? 710.0 : 89.0), l->wide ? -40.0 : -20.0);
  Reduced d = reduce_exp(l, y);
  TccVal small = expm1_reduced(l, d.r);
  Factors f = factors(l, &d);
  TccVal scale = mul(l, f.half, f.rest);
  TccVal usual = add(l, mul(l, small, scale), sub(l, scale, num(l, 1)));
  TccVal large = mul(l, mul(l, add(l, small, num(l, 1)), f.half), f.rest); /* 2^n alone may overflow where the result does not */
  TccVal r = sel(l, cmp(l, "ogt", y, num(l, l->wide ? 50.0 : 30.0)), large, usual);
  return sel(l, cmp(l, "oeq", x, num(l, 0)), x, r); /* keeps -0 */
}

static TccVal log_(Lanes *l, TccVal x) {
  TccVal tiny = cmp(l, "olt", x, num(l, l->wide ? 2.2250738585072014e-308 : 1.17549435e-38));
  TccVal y = sel(l, tiny, mul(l, x, num(l, l->wide ? 18014398509481984.0 : 33554432.0)), x); /* 2^54, 2^25 */
  TccVal bits = to_bits(l, y), shift = icon(l, l->wide ? 52 : 23);
  /* mantissa in [sqrt(1/2), sqrt(2)): the exponent of y / sqrt(1/2) */
  TccVal offset = icon(l, l->wide ? 0x3FE6A09E667F3BCDLL : 0x3F3504F3);
  TccVal k = ibin(l, "ashr", ibin(l, "sub", bits, offset), shift);
  TccVal m = to_float(l, ibin(l, "sub", bits, ibin(l, "shl", k, shift)));
  TccVal exponent = tcc_emit_cast(l->e, "sitofp", l->bits, l->type, k);
  exponent = sel(l, tiny, sub(l, exponent, num(l, l->wide ? 54 : 25)), exponent);
  TccVal f = sub(l, m, num(l, 1)), s = quo(l, f, add(l, f, num(l, 2))), z = mul(l, s, s);
  TccVal tail = mul(l, mul(l, s, z), l->wide ? POLY(l, log_64, z) : POLY(l, log_32, z));
  /* 2s = f - f s, which is exact where f is small */
  TccVal low = fma_(l, exponent, num(l, l->wide ? 1.90821492927058770002e-10 : 1.42860677e-06), sub(l, tail, mul(l, f, s)));
  TccVal r = fma_(l, exponent, num(l, l->wide ? 6.93147180369123816490e-01 : 0.693145751953125), add(l, f, low));
  r = sel(l, cmp(l, "oeq", x, num(l, INFINITY)), x, r);
  r = sel(l, cmp(l, "oeq", x, num(l, 0)), num(l, -INFINITY), r);
  return sel(l, cmp(l, "uge", x, num(l, 0)), sel(l, cmp(l, "uno", x, x), x, r), num(l, NAN));
}

/* ln u + (x - (u - 1)) / u with u = 1 + x rounded (Kahan) */
static TccVal log1p_(Lanes *l, TccVal x) {
  TccVal one = num(l, 1), u = add(l, x, one), lost = sub(l, x, sub(l, u, one));
  TccVal r = add(l, log_(l, u), quo(l, lost, u));
  r = sel(l, cmp(l, "oeq", u, one), x, r);
  r = sel(l, cmp(l, "oeq", x, num(l, -1)), num(l, -INFINITY), r);
  return sel(l, cmp(l, "oeq", x, num(l, INFINITY)), x, r);
}

/* ln((1 + t) / 2^k) = ln((1 + s) / (1 - s)), k = 0 or 1: t is never added to 1 and rounded, so nothing has to be put right, and what log_ does for
 * other arguments is not needed. */
TccVal tcc_math_log1p_to_one(TccEmit *e, const char *type, TccVal t) {
  Lanes l = lanes_of(e, type);
  TccVal large = cmp(&l, "ogt", t, num(&l, 0.41421356237309503)), none = num(&l, 0), two = num(&l, 2);
  TccVal f = sel(&l, large, mul(&l, sub(&l, t, num(&l, 1)), num(&l, 0.5)), t), s = quo(&l, f, add(&l, f, two)), z = mul(&l, s, s);
  TccVal tail = mul(&l, mul(&l, s, z), l.wide ? POLY(&l, log_64, z) : POLY(&l, log_32, z));
  TccVal low =
      add(&l, sel(&l, large, num(&l, l.wide ? 1.90821492927058770002e-10 : 1.42860677e-06), none), sub(&l, tail, mul(&l, f, s)));
  return add(&l, sel(&l, large, num(&l, l.wide ? 6.93147180369123816490e-01 : 0.693145751953125), none), add(&l, f, low));
}

static TccVal within(Lanes *l, TccVal x, double limit) { return at_least(l, at_most(l, x, limit), -limit); }

/* 2t / (1 + t^2) with t = x P(x^2) / Q(x^2), that is 2NQ / (N^2 + Q^2): where the result nears 1, t's error does not count. */
#define DOUBLED(l, name, x, limit)                                                                                                 \
  doubled((l), name##_top_32, COUNT(name##_top_32), name##_bottom_32, COUNT(name##_bottom_32), (x), (limit))
static TccVal doubled(Lanes *l, const double *top, int ntop, const double *bottom, int nbottom, TccVal x, double limit) {
  TccVal a = within(l, x, limit), z = mul(l, a, a);
  TccVal n = mul(l, a, horner(l, top, ntop, z)), q = horner(l, bottom, nbottom, z);
  TccVal half = quo(l, mul(l, n, q), fma_(l, n, n, mul(l, q, q)));
  return within(l, add(l, half, half), 1);
}

/* f64: (e^2|x| - 1) / (e^2|x| + 1), both far from the ends of what numbers can be */
static TccVal tanh_(Lanes *l, TccVal x) {
  const TccScalarFunctions *own = tcc_scalar_functions(l->e, l->type);
  if (own && own->tanh) return own->tanh(l->e, x);
  if (!l->wide) return DOUBLED(l, tanh, x, 9.03);
  TccVal a = at_most(l, call(l, "fabs", x), 20.0);
  Reduced d = reduce_exp(l, add(l, a, a));
  TccVal scale = power_of_two(l, &d), t = fma_(l, expm1_reduced(l, d.r), scale, sub(l, scale, num(l, 1)));
  return with_sign(l, quo(l, t, add(l, t, num(l, 2))), x);
}

static TccVal erf_(Lanes *l, TccVal x) {
  const TccScalarFunctions *own = tcc_scalar_functions(l->e, l->type);
  if (own && own->erf) return own->erf(l->e, x);
  if (!l->wide) return DOUBLED(l, erf, x, 3.93);
  TccVal a = at_most(l, call(l, "fabs", x), 6.0), low = mul(l, x, POLY(l, erf_low_64, mul(l, x, x)));
  TccVal two = num(l, 2), u = quo(l, sub(l, a, two), add(l, a, two));
  TccVal tail = mul(l, exp_(l, sub(l, num(l, 0), mul(l, a, a))), POLY(l, erf_high_64, u));
  TccVal high = with_sign(l, sub(l, num(l, 1), tail), x);
  return sel(l, cmp(l, "olt", a, num(l, 1)), low, sel(l, cmp(l, "uno", x, x), x, high));
}

/* ---- functions of angles ---- */

/* The first bits of 2/pi behind the point. */
static const uint64_t two_over_pi[] = {0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
                                       0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
                                       0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
                                       0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
                                       0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab};

/* 53 bits from bit `first` on, as an integer; bit 1 weighs 1/2 */
static uint64_t bits_of_two_over_pi(int first) {
  uint64_t r = 0;
  for (int i = first - 1; i < first + 52; i++) r = r << 1 | (two_over_pi[i / 64] >> (63 - i % 64) & 1);
  return r;
}

enum { LARGE = 30 }; /* arguments from 2^LARGE on */

/* Row e of the table, for x = m 2^e with a 53-bit integer m: 2^e 2/pi modulo 4 in three doubles of 53 bits. */
static TccVal reduction_table(Lanes *l, int *out_rows) {
  int rows = (l->widened ? 128 : 1024) - LARGE;
  double *table = TCC_NEW_ARRAY(l->e->arena, double, 3 * rows);
  for (int row = 0; row < rows; row++) {
    int e = row + LARGE - 52, first = e > 2 ? e - 1 : 1;
    for (int part = 0; part < 3; part++)
      table[3 * row + part] = ldexp((double)bits_of_two_over_pi(first + 53 * part), e - (first + 53 * part + 52));
  }
  *out_rows = rows;
  return tcc_emit_data(l->e, table, sizeof *table * 3 * (size_t)rows);
}

/* a + b and what rounding lost (Knuth) */
static TccVal two_sum(Lanes *l, TccVal a, TccVal b, TccVal *lost) {
  TccVal s = add(l, a, b), part = sub(l, s, a);
  *lost = add(l, sub(l, a, sub(l, s, part)), sub(l, b, part));
  return s;
}

/* |x| >= 2^LARGE: m (2/pi 2^e mod 4) = n + f, r = f pi/2 */
static void reduce_large(Lanes *l, TccVal x, TccVal *out_n, TccVal *out_r) {
  int rows;
  TccVal table = reduction_table(l, &rows), bits = ibin(l, "and", to_bits(l, x), icon(l, INT64_MAX)), parts[3];
  TccVal row = ibin(l, "sub", ibin(l, "lshr", bits, icon(l, 52)), icon(l, 1023 + LARGE)), bounds[2] = {row, icon(l, 0)};
  bounds[0] = tcc_emit_intrinsic(l->e, "smax", l->bits, 2, bounds), bounds[1] = icon(l, rows - 1);
  row = ibin(l, "mul", tcc_emit_intrinsic(l->e, "smin", l->bits, 2, bounds), icon(l, 3));
  for (int i = 0; i < 3; i++) parts[i] = tcc_emit_gather(l->e, l->type, table, l->bits, ibin(l, "add", row, icon(l, i)), 0);
  TccVal m = to_float(l, ibin(l, "or", ibin(l, "and", bits, icon(l, 0xfffffffffffff)), icon(l, 0x4330000000000000)));
  TccVal high = mul(l, m, parts[0]), high_lost = fma_(l, m, parts[0], sub(l, num(l, -0.0), high));
  TccVal middle = mul(l, m, parts[1]), middle_lost = fma_(l, m, parts[1], sub(l, num(l, -0.0), middle)), lost[2];
  high = sub(l, high, mul(l, num(l, 4), call(l, "roundeven", mul(l, high, num(l, 0.25)))));
  TccVal sum = two_sum(l, two_sum(l, high, high_lost, &lost[0]), middle, &lost[1]);
  TccVal tail = add(l, add(l, lost[0], lost[1]), fma_(l, m, parts[2], middle_lost)), n = call(l, "roundeven", sum), f_lost;
  TccVal f = two_sum(l, sub(l, sum, n), tail, &f_lost);
  TccVal r =
      fma_(l, f, num(l, 1.5707963267948966), fma_(l, f, num(l, 6.123233995736766e-17), mul(l, f_lost, num(l, 1.5707963267948966))));
  TccVal negative = cmp(l, "olt", x, num(l, 0));
  *out_n = sel(l, negative, sub(l, num(l, -0.0), n), n);
  *out_r = sel(l, negative, sub(l, num(l, -0.0), r), r);
}

/* x = n pi/2 + r, pi/2 in three parts (Cody and Waite), in f64 */
static void reduce_angle(Lanes *l, TccVal x, TccVal *out_n, TccVal *out_r) {
  TccVal n = call(l, "roundeven", mul(l, x, num(l, 0.63661977236758134308)));
  TccVal r = fma_(l, n, num(l, -1.5707963267948966), x);
  r = fma_(l, n, num(l, -6.123233995736766e-17), r);
  r = fma_(l, n, num(l, 1.4973849048591833e-33), r);
  TccVal a = call(l, "fabs", x), large = logic(l, "and", cmp(l, "oge", a, num(l, 1 << LARGE)), cmp(l, "olt", a, num(l, INFINITY)));
  TccIf branch;
  tcc_emit_if(l->e, &branch, tcc_emit_any_lane(l->e, tcc_emit_lanes(l->type), large), 2, (const char *const[]){l->type, l->type});
  TccVal large_n, large_r;
  reduce_large(l, x, &large_n, &large_r);
  tcc_emit_else(l->e, &branch, (TccVal[]){sel(l, large, large_n, n), sel(l, large, large_r, r)});
  tcc_emit_end_if(l->e, &branch, (TccVal[]){n, r});
  *out_n = branch.out[0], *out_r = branch.out[1];
}

typedef struct {
  TccVal sin, cos; /* of r, where x = n pi/2 + r */
  TccVal quarter;  /* bits of an integer that ends in n modulo 4 */
} Circular;

enum { LARGE_32 = 16 /* arguments of f32 from 2^LARGE_32 on are reduced in f64 */ };

/* n + magic with the bits of n modulo 4 at its end. n is below 2^30. */
static TccVal quarter_bits(Lanes *l, TccVal n) { return to_bits(l, add(l, n, num(l, l->wide ? 6755399441055744.0 : 12582912.0))); }

static Circular circular_64(Lanes *l, TccVal x) {
  TccVal n, r;
  reduce_angle(l, x, &n, &r);
  TccVal z = mul(l, r, r);
  return (Circular){.sin = fma_(l, mul(l, r, z), POLY(l, sin_64, z), r),
                    .cos = fma_(l, mul(l, z, z), POLY(l, cos_64, z), fma_(l, z, num(l, -0.5), num(l, 1))),
                    .quarter = quarter_bits(l, n)};
}

/* pi/2 in three parts of 24 bits, the first product of which leaves nothing to round */
static Circular circular_32(Lanes *l, TccVal x) {
  TccVal magic = num(l, 12582912.0), shifted = fma_(l, x, num(l, 0.63661977236758134), magic), n = sub(l, shifted, magic);
  TccVal r =
      fma_(l, n, num(l, 1.7151245e-15), fma_(l, n, num(l, 4.371138828673793e-08), fma_(l, n, num(l, -1.5707963705062866), x)));
  TccVal large = cmp(l, "oge", call(l, "fabs", x), num(l, 1 << LARGE_32));
  TccIf branch;
  tcc_emit_if(l->e, &branch, tcc_emit_any_lane(l->e, tcc_emit_lanes(l->type), large), 2, (const char *const[]){l->bits, l->type});
  Lanes w = wide_lanes(l);
  TccVal wide_n, wide_r;
  reduce_angle(&w, widen(l, &w, x), &wide_n, &wide_r);
  wide_n = sub(&w, wide_n, mul(&w, num(&w, 4), call(&w, "floor", mul(&w, wide_n, num(&w, 0.25)))));
  TccVal quarter = tcc_emit_select(l->e, l->bits, large, quarter_bits(l, narrow(l, &w, wide_n)), to_bits(l, shifted));
  tcc_emit_else(l->e, &branch, (TccVal[]){quarter, sel(l, large, narrow(l, &w, wide_r), r)});
  tcc_emit_end_if(l->e, &branch, (TccVal[]){to_bits(l, shifted), r});
  r = branch.out[1];
  TccVal z = mul(l, r, r);
  return (Circular){.sin = fma_(l, mul(l, r, z), POLY(l, sin_32, z), r),
                    .cos = fma_(l, mul(l, z, z), POLY(l, cos_32, z), fma_(l, z, num(l, -0.5), num(l, 1))),
                    .quarter = branch.out[0]};
}

static Circular circular(Lanes *l, TccVal x) { return l->wide ? circular_64(l, x) : circular_32(l, x); }

static TccVal is_odd(Lanes *l, TccVal quarter) {
  return tcc_emit_icmp(l->e, "ne", l->bits, ibin(l, "and", quarter, icon(l, 1)), icon(l, 0));
}
/* x, its sign changed where bit 1 of `quarter` is set */
static TccVal flip(Lanes *l, TccVal quarter, TccVal x) {
  TccVal sign = ibin(l, "shl", ibin(l, "and", quarter, icon(l, 2)), icon(l, l->wide ? 62 : 30));
  return to_float(l, ibin(l, "xor", to_bits(l, x), sign));
}
static TccVal sin_(Lanes *l, TccVal x) {
  Circular c = circular(l, x);
  TccVal r = flip(l, c.quarter, sel(l, is_odd(l, c.quarter), c.cos, c.sin));
  return sel(l, cmp(l, "oeq", x, num(l, 0)), x, r);
}
static TccVal cos_(Lanes *l, TccVal x) {
  Circular c = circular(l, x);
  return flip(l, ibin(l, "add", c.quarter, icon(l, 1)), sel(l, is_odd(l, c.quarter), c.sin, c.cos));
}
static TccVal tan_(Lanes *l, TccVal x) {
  Circular c = circular(l, x);
  TccVal odd = is_odd(l, c.quarter), up = sel(l, odd, c.cos, c.sin), down = sel(l, odd, c.sin, c.cos);
  TccVal r = flip(l, ibin(l, "shl", c.quarter, icon(l, 1)), quo(l, up, down)); /* -cos / sin */
  return sel(l, cmp(l, "oeq", x, num(l, 0)), x, r);
}

/* atan(y / x) for y, x >= 0, x not 0: the greater divides */
static TccVal atan_quotient_32(Lanes *l, TccVal y, TccVal x) {
  TccVal above = cmp(l, "ogt", y, x), t = quo(l, sel(l, above, x, y), sel(l, above, y, x)), z = mul(l, t, t);
  TccVal r = fma_(l, mul(l, t, z), POLY(l, atan_32, z), t);
  return sel(l, above, sub(l, num(l, 1.5707963267948966), r), r);
}

/* |x| > tan(3pi/8): pi/2 + atan(-1/x); |x| > tan(pi/8): pi/4 + atan((x-1)/(x+1)) */
static TccVal atan_positive(Lanes *l, TccVal a) {
  if (!l->wide) return atan_quotient_32(l, a, num(l, 1));
  TccVal one = num(l, 1), large = cmp(l, "ogt", a, num(l, 2.414213562373095)),
         middle = cmp(l, "ogt", a, num(l, 0.41421356237309503));
  TccVal up = sel(l, large, num(l, -1), sel(l, middle, sub(l, a, one), a)),
         down = sel(l, large, a, sel(l, middle, add(l, a, one), one)), t = quo(l, up, down);
  TccVal base = sel(l, large, num(l, 1.5707963267948966), sel(l, middle, num(l, 0.78539816339744828), num(l, 0)));
  TccVal z = mul(l, t, t), r = fma_(l, mul(l, t, z), POLY(l, atan_64, z), t);
  return add(l, base, r);
}
static TccVal atan_(Lanes *l, TccVal x) { return with_sign(l, atan_positive(l, call(l, "fabs", x)), x); }

/* Of f32, a = |x|: asin a where a <= 1/2, else asin of v = sqrt((1 - a) / 2), which is half of acos a. NaN where a > 1. */
static TccVal asin_near_32(Lanes *l, TccVal a, TccVal near) {
  TccVal z = sel(l, near, mul(l, a, a), fma_(l, a, num(l, -0.5), num(l, 0.5))), v = sel(l, near, a, call(l, "sqrt", z));
  return fma_(l, mul(l, v, z), POLY(l, asin_32, z), v);
}
static TccVal asin_(Lanes *l, TccVal x) {
  TccVal one = num(l, 1), a = call(l, "fabs", x);
  if (!l->wide) {
    TccVal near = cmp(l, "ole", a, num(l, 0.5)), r = asin_near_32(l, a, near);
    return with_sign(l, sel(l, near, r, fma_(l, r, num(l, -2), num(l, 1.5707963267948966))), x);
  }
  TccVal r = atan_positive(l, quo(l, a, call(l, "sqrt", mul(l, sub(l, one, a), add(l, one, a)))));
  return with_sign(l, r, x); /* |x| > 1: the root is NaN */
}
static TccVal acos_(Lanes *l, TccVal x) {
  TccVal one = num(l, 1);
  if (!l->wide) {
    TccVal a = call(l, "fabs", x), near = cmp(l, "ole", a, num(l, 0.5)), r = with_sign(l, asin_near_32(l, a, near), x);
    TccVal far = fma_(l, r, num(l, 2), sel(l, cmp(l, "olt", x, num(l, 0)), num(l, 3.1415926535897931), num(l, 0)));
    return sel(l, near, sub(l, num(l, 1.5707963267948966), r), far);
  }
  TccVal r = atan_positive(l, call(l, "sqrt", quo(l, sub(l, one, x), add(l, one, x))));
  return add(l, r, r);
}

static TccVal sinh_(Lanes *l, TccVal x) {
  TccVal a = call(l, "fabs", x), t = expm1_(l, at_most(l, a, 30)), half = num(l, 0.5);
  TccVal small = mul(l, half, add(l, t, quo(l, t, add(l, t, num(l, 1)))));
  TccVal root = exp_(l, mul(l, half, a)), large = mul(l, mul(l, half, root), root); /* e^a alone overflows too early */
  return with_sign(l, sel(l, cmp(l, "ogt", a, num(l, 25)), large, small), x);
}
static TccVal cosh_(Lanes *l, TccVal x) {
  TccVal half = num(l, 0.5), root = exp_(l, mul(l, half, call(l, "fabs", x))), large = mul(l, mul(l, half, root), root);
  return add(l, large, quo(l, num(l, 0.25), large));
}
static TccVal asinh_(Lanes *l, TccVal x) {
  TccVal a = call(l, "fabs", x), one = num(l, 1), square = mul(l, a, a);
  TccVal usual = log1p_(l, add(l, a, quo(l, square, add(l, one, call(l, "sqrt", add(l, square, one))))));
  TccVal large = add(l, log_(l, a), num(l, 0.69314718055994531));
  return with_sign(l, sel(l, cmp(l, "ogt", a, num(l, 1e9)), large, usual), x);
}
static TccVal acosh_(Lanes *l, TccVal x) {
  TccVal t = sub(l, x, num(l, 1));
  TccVal usual = log1p_(l, add(l, t, call(l, "sqrt", fma_(l, t, t, add(l, t, t)))));
  TccVal large = add(l, log_(l, x), num(l, 0.69314718055994531));
  TccVal r = sel(l, cmp(l, "ogt", x, num(l, 1e9)), large, usual);
  return sel(l, cmp(l, "olt", x, num(l, 1)), num(l, NAN), r);
}
static TccVal atanh_(Lanes *l, TccVal x) {
  TccVal a = call(l, "fabs", x);
  return with_sign(l, mul(l, num(l, 0.5), log1p_(l, quo(l, add(l, a, a), sub(l, num(l, 1), a)))), x);
}

typedef TccVal (*Body)(Lanes *l, TccVal x);
static const struct {
  TccOpKind kind;
  Body body;
} functions[] = {
    {TCC_OP_EXP, exp_},     {TCC_OP_EXPM1, expm1_}, {TCC_OP_LOG, log_},   {TCC_OP_LOG1P, log1p_}, {TCC_OP_TANH, tanh_},
    {TCC_OP_ERF, erf_},     {TCC_OP_SIN, sin_},     {TCC_OP_COS, cos_},   {TCC_OP_TAN, tan_},     {TCC_OP_ASIN, asin_},
    {TCC_OP_ACOS, acos_},   {TCC_OP_ATAN, atan_},   {TCC_OP_SINH, sinh_}, {TCC_OP_COSH, cosh_},   {TCC_OP_ASINH, asinh_},
    {TCC_OP_ACOSH, acosh_}, {TCC_OP_ATANH, atanh_},
};

const TccScalarFunctions *tcc_scalar_functions(const TccEmit *e, const char *type) {
  return e->functions && !strcmp(type, e->functions->type) ? e->functions : NULL;
}

bool tcc_math_function(TccEmit *e, TccOpKind kind, const char *type, TccVal x, TccVal *out) {
  Lanes l = lanes_of(e, type);
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    if (functions[i].kind != kind) continue;
    if (l.wide || !e->eager) {
      *out = functions[i].body(&l, x);
    } else {
      Lanes w = wide_lanes(&l);
      *out = narrow(&l, &w, functions[i].body(&w, widen(&l, &w, x)));
    }
    return true;
  }
  return false;
}

/* a^y for a > 0 of f32, in lanes of f64: what goes over or under f32's range is infinite or zero when it is rounded */
static TccVal pow_positive_32(Lanes *l, TccVal a, TccVal y) {
  TccVal bits = to_bits(l, a), shift = icon(l, 52), k = ibin(l, "ashr", ibin(l, "sub", bits, icon(l, 0x3FE6A09E667F3BCDLL)), shift);
  TccVal m = to_float(l, ibin(l, "sub", bits, ibin(l, "shl", k, shift))),
         exponent = tcc_emit_cast(l->e, "sitofp", l->bits, l->type, k);
  TccVal f = sub(l, m, num(l, 1)), s = quo(l, f, add(l, f, num(l, 2))), z = mul(l, s, s);
  TccVal log = fma_(l, mul(l, s, z), POLY(l, pow_log_32, z), add(l, s, s));
  log = fma_(l, exponent, num(l, 0.69314718055994531), log);
  Reduced d = reduce_exp(l, at_least(l, at_most(l, mul(l, y, log), 200), -200));
  TccVal r = fma_(l, mul(l, d.r, d.r), POLY(l, pow_exp_32, d.r), d.r), power = power_of_two(l, &d);
  return fma_(l, r, power, power);
}

/* |x|^y. f32: zero and infinite |x| are put right afterwards, in f32. */
static TccVal pow_of_magnitude(Lanes *l, TccVal a, TccVal y) {
  if (l->wide) return exp_(l, mul(l, y, log_(l, a)));
  Lanes w = wide_lanes(l);
  TccVal r = narrow(l, &w, pow_positive_32(&w, widen(l, &w, a), widen(l, &w, y))), zero = num(l, 0), inf = num(l, INFINITY);
  TccVal endless = cmp(l, "oeq", a, inf), edge = logic(l, "or", endless, cmp(l, "oeq", a, zero));
  TccVal grows = logic(l, "xor", endless, cmp(l, "olt", y, zero)); /* with y: to infinity */
  r = sel(l, edge, sel(l, grows, inf, zero), r);
  return sel(l, cmp(l, "uno", a, y), add(l, a, y), r);
}

/* The cases of C99 F.10.4.4 */
static TccVal pow_(Lanes *l, TccVal x, TccVal y) {
  TccVal zero = num(l, 0), one = num(l, 1), a = call(l, "fabs", x), magnitude = pow_of_magnitude(l, a, y);
  TccVal is_whole = cmp(l, "oeq", call(l, "floor", y), y);
  TccVal half = mul(l, y, num(l, 0.5)), odd = logic(l, "and", is_whole, cmp(l, "one", call(l, "floor", half), half));
  TccVal negative_base = tcc_emit_icmp(l->e, "slt", l->bits, to_bits(l, x), icon(l, 0));
  TccVal r = sel(l, logic(l, "and", negative_base, odd), sub(l, num(l, -0.0), magnitude), magnitude);
  TccVal no_root = logic(l, "and", cmp(l, "olt", x, zero),
                         logic(l, "and", cmp(l, "one", call(l, "floor", y), y), cmp(l, "one", a, num(l, INFINITY))));
  r = sel(l, no_root, num(l, NAN), r);
  TccVal endless = cmp(l, "oeq", call(l, "fabs", y), num(l, INFINITY));
  r = sel(l, logic(l, "and", endless, cmp(l, "oeq", a, one)), one, r);
  return sel(l, logic(l, "or", cmp(l, "oeq", y, zero), cmp(l, "oeq", x, one)), one, r);
}

static TccVal atan2_(Lanes *l, TccVal y, TccVal x) {
  TccVal zero = num(l, 0), one = num(l, 1), ay = call(l, "fabs", y), ax = call(l, "fabs", x), inf = num(l, INFINITY), r;
  TccVal ends = logic(l, "and", cmp(l, "oeq", ax, inf), cmp(l, "oeq", ay, inf));
  TccVal none = logic(l, "and", cmp(l, "oeq", ax, zero), cmp(l, "oeq", ay, zero));
  if (l->wide) {
    TccVal ratio = sel(l, ends, one, quo(l, ay, ax));
    r = atan_positive(l, sel(l, none, zero, ratio));
  } else {
    r = atan_quotient_32(l, sel(l, ends, one, ay), sel(l, logic(l, "or", ends, none), one, ax));
  }
  TccVal left = tcc_emit_icmp(l->e, "slt", l->bits, to_bits(l, x), icon(l, 0)); /* -0 too */
  return with_sign(l, sel(l, left, sub(l, num(l, 3.1415926535897931), r), r), y);
}

/* x - q d for x >= 0, d > 0 and q = x / d rounded down to 53 bits, which is exact; where the quotient
 * is past all numbers, that by d 2^1000 or 2^2000 */
static TccVal remainder_step(Lanes *l, TccVal x, TccVal d) {
  TccVal q = quo(l, x, d), zero = num(l, -0.0);
  for (int i = 0; i < 2 && !l->widened; i++) {
    d = sel(l, cmp(l, "oeq", q, num(l, INFINITY)), mul(l, d, num(l, ldexp(1, 1000))), d);
    q = quo(l, x, d);
  }
  q = call(l, "trunc", q);
  TccVal below = call(l, "trunc", to_float(l, ibin(l, "sub", to_bits(l, q), icon(l, 1))));
  TccVal r = fma_(l, sub(l, zero, q), d, x);
  return sel(l, cmp(l, "olt", r, num(l, 0)), fma_(l, sub(l, zero, below), d, x), r);
}

/* Of magnitudes. One step leaves less than d where the quotient has 53 bits; each further one takes 52 bits off it. */
static TccVal fmod_(Lanes *l, TccVal a, TccVal b) {
  TccVal x = call(l, "fabs", a), d = call(l, "fabs", b), zero = num(l, 0), r = remainder_step(l, x, d);
  TccIf branch;
  TccLoop loop;
  tcc_emit_if(l->e, &branch, tcc_emit_any_lane(l->e, tcc_emit_lanes(l->type), cmp(l, "oge", r, d)), 1, &l->type);
  tcc_emit_for(l->e, &loop, tcc_emit_i64(l->e, 0), tcc_emit_i64(l->e, l->widened ? 6 : 42), 1, 1, &r, &l->type);
  TccVal next = remainder_step(l, loop.in[0], d);
  tcc_emit_end_for(l->e, &loop, &next);
  tcc_emit_else(l->e, &branch, &loop.out[0]);
  tcc_emit_end_if(l->e, &branch, &r);
  r = sel(l, cmp(l, "oeq", d, num(l, INFINITY)), x, branch.out[0]);
  return sel(l, logic(l, "or", cmp(l, "oeq", x, num(l, INFINITY)), cmp(l, "oeq", d, zero)), num(l, NAN), r);
}

static TccVal in_f64(TccEmit *e, const char *type, TccVal a, TccVal b, TccVal (*body)(Lanes *, TccVal, TccVal)) {
  Lanes l = lanes_of(e, type), w = wide_lanes(&l);
  return l.wide ? body(&l, a, b) : narrow(&l, &w, body(&w, widen(&l, &w, a), widen(&l, &w, b)));
}
static TccVal binary(TccEmit *e, const char *type, TccVal a, TccVal b, TccVal (*body)(Lanes *, TccVal, TccVal)) {
  Lanes l = lanes_of(e, type);
  return e->eager ? in_f64(e, type, a, b, body) : body(&l, a, b);
}
TccVal tcc_math_pow(TccEmit *e, const char *type, TccVal x, TccVal y) { return binary(e, type, x, y, pow_); }
TccVal tcc_math_atan2(TccEmit *e, const char *type, TccVal y, TccVal x) { return binary(e, type, y, x, atan2_); }
/* The sign comes last: as a copysign of f64 whose result goes to f16, LLVM would round the sign's operand by a library's function. */
TccVal tcc_math_fmod(TccEmit *e, const char *type, TccVal x, TccVal y) {
  Lanes l = lanes_of(e, type);
  return with_sign(&l, in_f64(e, type, x, y, fmod_), x);
}

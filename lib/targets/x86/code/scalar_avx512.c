/* scalar_avx512.c - erf and tanh of 16 lanes of f32, piecewise: a segment of the argument picks the coefficients.
 *
 * A permutation of a 512-bit register (vpermps) is a table of 16 entries for each lane, so that sixteen segments of degree
 * 5 or 6 cost about as much as one polynomial of twice the degree, without a division, an exponential or a second case
 * (table-driven functions: Tang 1989; here the table is a register). Coefficients interpolate at Chebyshev nodes; where a segment begins at 0 they are
 * odd, so that small arguments keep their digits. Above the last segment the functions round to 1. */
#include "lib/targets/x86/code/scalar_avx512.h"

/* erf in t = |x| - k / 4 for |x| within 1/8 of k / 4: coefficient of t^0, t^1, ... for k = 0 ... 15 */
static const float erf_segments[][16] = {
    {0, 0.276326388f, 0.520499885f, 0.711155653f, 0.842700779f, 0.92290014f, 0.966105163f, 0.986671686f, 0.995322287f, 0.998537302f,
     0.999593019f, 0.999899387f, 0.999977887f, 0.999995708f, 0.999999285f, 0.999999881f},
    {1.12837911f, 1.06001413f, 0.87878257f, 0.642931044f, 0.415107489f, 0.236521125f, 0.118930288f, 0.0527749956f, 0.0206669848f,
     0.00714231888f, 0.00217828434f, 0.00058627734f, 0.000139253098f, 2.91890465e-05f, 5.39943358e-06f, 1.06543416e-06f},
    {0, -0.264997989f, -0.43938446f, -0.482194632f, -0.415108114f, -0.295654297f, -0.178398088f, -0.092357479f, -0.0413340405f,
     -0.016069822f, -0.00544532714f, -0.00161203451f, -0.000417657371f, -9.48278903e-05f, -1.88872109e-05f, -3.30268949e-06f},
    {-0.376122713f, -0.309168577f, -0.146464497f, 0.0267862752f, 0.138367087f, 0.16753529f, 0.138752654f, 0.0901581123f,
     0.0482234284f, 0.0217246469f, 0.00835001562f, 0.00276030018f, 0.000789046928f, 0.000195786284f, 4.22874691e-05f,
     7.96736185e-06f},
    {0, 0.126034856f, 0.181910977f, 0.150058091f, 0.0692907274f, -0.0056624976f, -0.0441468768f, -0.0478918403f, -0.0344335586f,
     -0.0191510431f, -0.00868785661f, -0.00329699367f, -0.00106175116f, -0.000292779441f, -6.95540803e-05f, -1.42975441e-05f},
    {0.112210386f, 0.0796753541f, 0.00744898291f, -0.0528122857f, -0.0688301697f, -0.0470956936f, -0.0149767483f, 0.00648272783f,
     0.0130098779f, 0.0106418133f, 0.00612995774f, 0.00277092052f, 0.001025707f, 0.000317792117f, 8.3486535e-05f, 1.8754954e-05f},
};

/* tanh in t = |x| - first row, by the last bit of the exponent and the first of the fraction of |x|, that is two segments
 * for each power of two from 1/8 on; what is below 1/8 takes the entry 7 of the numbers just below it. */
static const float tanh_segments[][16] = {
    {2.5f, 3.5f, 5, 7, 10, 14, 0, 0, 0.15625f, 0.21875f, 0.3125f, 0.4375f, 0.625f, 0.875f, 1.25f, 1.75f},
    {0.986614287f, 0.998177886f, 0.999909222f, 0.999998331f, 1, 1, 0, 0, 0.154990733f, 0.215326339f, 0.302709728f, 0.411570042f,
     0.554599702f, 0.703905582f, 0.848283648f, 0.941375554f},
    {0.0265923385f, 0.00364095578f, 0.000181858966f, 3.33119829e-06f, 9.32061983e-09f, 3.12653809e-12f, 0, 1, 0.975977898f,
     0.95363456f, 0.908366799f, 0.830610096f, 0.692419171f, 0.5045169f, 0.28041476f, 0.113812044f},
    {-0.0262361951f, -0.00363426586f, -0.000181633892f, -3.32735158e-06f, -8.49435988e-09f, -2.84952986e-12f, 0, 0, -0.151267529f,
     -0.205342636f, -0.274971485f, -0.341854244f, -0.384015471f, -0.355132282f, -0.237871364f, -0.1071399f},
    {0.0170173794f, 0.00241172756f, 0.0001188311f, 2.17695651e-06f, 3.39692274e-09f, 1.13982879e-12f, 0, -0.333325982f,
     -0.301880866f, -0.273662478f, -0.219552398f, -0.136173368f, -0.017837828f, 0.0818049312f, 0.108326137f, 0.0629282296f},
    {-0.00805013347f, -0.00119769503f, -5.99548512e-05f, -1.09876123e-06f, -2.25878849e-09f, -7.57680431e-13f, 0, 0, 0.0972112268f,
     0.127374277f, 0.158117428f, 0.169995964f, 0.13789548f, 0.0607949533f, -0.0125845121f, -0.0235224459f},
    {0.00288762478f, 0.000490369508f, 2.84743473e-05f, 5.22717187e-07f, 2.07201145e-09f, 6.94997499e-13f, 0, 0.132077411f,
     0.107186332f, 0.0849474594f, 0.0455060638f, -0.00596181629f, -0.0543354079f, -0.0585474186f, -0.0196909122f, 0.0034823285f},
    {-0.000700921926f, -0.000156666618f, -9.09981827e-06f, -1.67354528e-07f, -5.96311556e-10f, -2.00066661e-13f, 0, 0,
     -0.0523462296f, -0.0652724281f, -0.0723985955f, -0.0616372712f, -0.0240397919f, 0.0129941432f, 0.0150892772f, 0.00207437132f},
};

#define ROWS(table) ((int)(sizeof(table) / sizeof *(table)))
static const char *const floats = "vector<16xf32>", *const words = "vector<16xi32>";

static TccVal number(TccEmit *e, double v) { return tcc_emit_float(e, floats, v); }
static TccVal bits(TccEmit *e, TccVal x) { return tcc_emit_cast(e, "bitcast", floats, words, x); }

/* One instruction, of a whole register of f32. */
static TccVal permute_floats(TccEmit *e, TccVal v, TccVal index, int lanes) {
  const char *name = lanes == 8 ? "llvm.x86.avx2.permps" : "llvm.x86.avx512.permvar.sf.512",
             *type = tcc_emit_vector(e, "f32", lanes);
  return tcc_emit_call_intrinsic(e, name, type, 2, (TccVal[]){v, index},
                                 (const char *const[]){type, tcc_emit_vector(e, "i32", lanes)});
}

static TccVal permute(TccEmit *e, const char *type, TccVal v, TccVal index) {
  const int lanes = tcc_emit_lanes(type);
  const char *in = tcc_emit_vector(e, "f32", lanes);
  if (!strcmp(type, in)) return permute_floats(e, v, index, lanes);
  return tcc_emit_cast(e, "bitcast", in, type, permute_floats(e, tcc_emit_cast(e, "bitcast", type, in, v), index, lanes));
}

static TccVal look_up(TccEmit *e, const float *row, TccVal segment) {
  return permute_floats(e, tcc_emit_load(e, floats, tcc_emit_data(e, row, 16 * sizeof *row)), segment, 16);
}

/* The same without AVX-512. */
static TccVal lookup_lowered(TccEmit *e, const float *row, TccVal segment) {
  TccVal index = tcc_emit_bin(e, "and", words, segment, tcc_emit_int(e, words, 15));
  return tcc_emit_gather(e, floats, tcc_emit_data(e, row, 16 * sizeof *row), "i32", index, 0);
}

static TccVal lookup(TccEmit *e, const float *row, TccVal segment) { return e->functions->lookup(e, row, segment); }

static TccVal segments(TccEmit *e, const float (*rows)[16], int n, TccVal segment, TccVal t) {
  TccVal p = lookup(e, rows[n - 1], segment);
  for (int i = n - 2; i >= 0; i--) p = tcc_emit_fma(e, floats, p, t, lookup(e, rows[i], segment));
  return p;
}

/* |x|, at most high; NaN stays */
static TccVal magnitude(TccEmit *e, TccVal x, double high) {
  TccVal a = tcc_emit_intrinsic(e, "fabs", floats, 1, &x), limit = number(e, high);
  return tcc_emit_select(e, floats, tcc_emit_fcmp(e, "olt", floats, limit, a), limit, a);
}

static TccVal with_sign(TccEmit *e, TccVal value, TccVal x) {
  TccVal args[2] = {value, x};
  return tcc_emit_intrinsic(e, "copysign", floats, 2, args);
}

static TccVal erf_(TccEmit *e, TccVal x) {
  TccVal magic = number(e, 3145728.0); /* 1.5 * 2^21: the sum's last bit is 1/4 */
  TccVal a = magnitude(e, x, 3.8749), shifted = tcc_emit_bin(e, "fadd", floats, a, magic);
  TccVal t = tcc_emit_bin(e, "fsub", floats, a, tcc_emit_bin(e, "fsub", floats, shifted, magic));
  return with_sign(e, segments(e, erf_segments, ROWS(erf_segments), bits(e, shifted), t), x);
}

static TccVal tanh_(TccEmit *e, TccVal x) {
  TccVal a = magnitude(e, x, 9.1), least = number(e, 0.12);
  TccVal from = tcc_emit_select(e, floats, tcc_emit_fcmp(e, "ogt", floats, a, least), a, least);
  TccVal segment = tcc_emit_bin(e, "lshr", words, bits(e, from), tcc_emit_int(e, words, 22));
  TccVal t = tcc_emit_bin(e, "fsub", floats, a, lookup(e, tanh_segments[0], segment));
  return with_sign(e, segments(e, tanh_segments + 1, ROWS(tanh_segments) - 1, segment, t), x);
}

/* p 2^floor(n) in one step (vscalefps), zero where `keep` is off: such a lane must not underflow, which costs hundreds of cycles. */
static TccVal scale(TccEmit *e, const char *type, TccVal p, TccVal n, TccVal keep) {
  bool wide = !strcmp(tcc_emit_elem(e, type), "f64");
  int lanes = tcc_emit_lanes(type);
  TccVal all = tcc_emit_int(e, lanes == 16 ? "i16" : "i8", -1), rounding = tcc_emit_int(e, "i32", 4);
  const char *name = wide ? "llvm.x86.avx512.mask.scalef.pd.512" : "llvm.x86.avx512.mask.scalef.ps.512";
  TccVal r = tcc_emit_call_intrinsic(e, name, type, 5, (TccVal[]){p, n, tcc_emit_zero(e, type), all, rounding},
                                     (const char *const[]){type, type, type, lanes == 16 ? "i16" : "i8", "i32"});
  return tcc_emit_select(e, type, keep, r, tcc_emit_zero(e, type));
}

/* The same by two factors, each a power of two that is a normal number, so that only the last product rounds. */
static TccVal scale_lowered(TccEmit *e, const char *type, TccVal p, TccVal n, TccVal keep) {
  bool wide = !strcmp(tcc_emit_elem(e, type), "f64");
  const char *integers = tcc_emit_vector(e, wide ? "i64" : "i32", tcc_emit_lanes(type));
  TccVal floor = tcc_emit_intrinsic(e, "floor", type, 1, &n), one = tcc_emit_int(e, integers, 1), zero = tcc_emit_zero(e, type);
  TccVal k = tcc_emit_cast(e, "fptosi", type, integers, tcc_emit_select(e, type, keep, floor, zero));
  TccVal half = tcc_emit_bin(e, "ashr", integers, k, one), rest = tcc_emit_bin(e, "sub", integers, k, half);
  TccVal bias = tcc_emit_int(e, integers, wide ? 1023 : 127), shift = tcc_emit_int(e, integers, wide ? 52 : 23),
         factor[] = {half, rest};
  for (int i = 0; i < 2; i++) {
    TccVal bits_of = tcc_emit_bin(e, "shl", integers, tcc_emit_bin(e, "add", integers, factor[i], bias), shift);
    p = tcc_emit_bin(e, "fmul", type, p, tcc_emit_cast(e, "bitcast", integers, type, bits_of));
  }
  return tcc_emit_select(e, type, keep, p, zero);
}

/* 2^t on [0, 1), relative error 1.8e-7 */
static const double exp2_fraction[] = {0.999999881, 0.693154514, 0.240141824, 0.0558603369, 0.00894959085, 0.001893754};

/* x - floor(x), by vreduceps */
static TccVal fraction(TccEmit *e, TccVal x) {
  TccVal floor = tcc_emit_int(e, "i32", 9), none = tcc_emit_zero(e, floats), all = tcc_emit_int(e, "i16", -1),
         current = tcc_emit_int(e, "i32", 4);
  return tcc_emit_call_intrinsic(e, "llvm.x86.avx512.mask.reduce.ps.512", floats, 5, (TccVal[]){x, floor, none, all, current},
                                 (const char *const[]){floats, "i32", floats, "i16", "i32"});
}

static TccVal exp2_of(TccEmit *e, TccVal x, TccVal t, double least) {
  TccVal keep = tcc_emit_fcmp(e, "uge", floats, x, number(e, least));
  int n = (int)(sizeof exp2_fraction / sizeof *exp2_fraction);
  TccVal p = number(e, exp2_fraction[n - 1]);
  for (int i = n - 2; i >= 0; i--) p = tcc_emit_fma(e, floats, p, t, number(e, exp2_fraction[i]));
  return e->functions->scale(e, floats, p, x, keep);
}

static TccVal exp2_(TccEmit *e, TccVal x, double least) { return exp2_of(e, x, fraction(e, x), least); }
static TccVal exp2_lowered(TccEmit *e, TccVal x, double least) {
  return exp2_of(e, x, tcc_emit_bin(e, "fsub", floats, x, tcc_emit_intrinsic(e, "floor", floats, 1, &x)), least);
}

static TccVal to_i32(TccEmit *e, TccVal x) {
  const char *type = "vector<16xi32>";
  TccVal none = tcc_emit_zero(e, type), all = tcc_emit_int(e, "i16", -1), current = tcc_emit_int(e, "i32", 4);
  return tcc_emit_call_intrinsic(e, "llvm.x86.avx512.mask.cvtps2dq.512", type, 4, (TccVal[]){x, none, all, current},
                                 (const char *const[]){floats, type, "i16", "i32"});
}

/* Subnormal numbers become zero, as in products of bf16. */
static TccVal to_bf16(TccEmit *e, TccVal x) {
  static const char *const halves = "vector<16xbf16>";
  TccVal v = tcc_emit_call_intrinsic(e, "llvm.x86.avx512bf16.cvtneps2bf16.512", halves, 1, &x, &floats);
  return tcc_emit_cast(e, "bitcast", halves, "vector<16xi16>", v);
}

#define FUNCTIONS                                                                                                                  \
  .type = "vector<16xf32>", .lookup = look_up, .permute = permute, .erf = erf_, .tanh = tanh_, .exp2 = exp2_, .scale = scale,      \
  .to_i32 = to_i32
static const TccScalarFunctions functions = {FUNCTIONS}, flushing = {FUNCTIONS, .to_bf16 = to_bf16};
#undef FUNCTIONS
static const TccScalarFunctions lowered = {
    .type = "vector<16xf32>", .lookup = lookup_lowered, .erf = erf_, .tanh = tanh_, .exp2 = exp2_lowered, .scale = scale_lowered};

/* The low half of the table by three bits of the segment, the high half by the same; the fourth says which. */
static TccVal lookup_eight(TccEmit *e, const float *row, TccVal segment) {
  static const char *const eight = "vector<8xf32>", *const index = "vector<8xi32>";
  TccVal from = tcc_emit_data(e, row, 16 * sizeof *row), half[2];
  for (int i = 0; i < 2; i++) {
    TccVal table = tcc_emit_load(e, eight, tcc_emit_at(e, "f32", from, i * 8));
    half[i] = permute_floats(e, table, segment, 8);
  }
  TccVal top = tcc_emit_bin(e, "shl", index, segment, tcc_emit_int(e, index, 28));
  return tcc_emit_select(e, eight, tcc_emit_icmp(e, "slt", index, top, tcc_emit_zero(e, index)), half[1], half[0]);
}

/* vmaskmovps to memory is microcode on AMD's cores without AVX-512: 9 to 18 ns on a Zen 3, where pieces take 2.5 and a whole vector 0.5. LLVM
 * makes loads of gathers and stores of scatters there, each at an address that is put into a vector and taken out of it again. */
static const TccScalarFunctions without_masks = {
    .type = "", .permute = permute, .lookup_eight = lookup_eight, .cuts_masks = true, .steps_apart = true};

const TccScalarFunctions *tcc_x86_scalars(const TccMachine *machine) {
  return !(machine->isa & TCC_ISA_AVX512) ? &without_masks : machine->lowered ? &lowered : &functions;
}

const TccScalarFunctions *tcc_x86_flushing_scalars(const TccMachine *machine) {
  return (machine->isa & TCC_ISA_AVX512_BF16) && !machine->lowered ? &flushing : tcc_x86_scalars(machine);
}

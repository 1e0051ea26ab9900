/* Worst errors of the functions that kernels compute without libm, in units in the last place (ULP).
 *
 *     accuracy [STRIDE]        every STRIDE-th of the 2^32 f32 inputs; 1: all of them (minutes a function); default 10007
 *     accuracy --table STRIDE  the table of docs/scalar-accuracy.md
 *
 * f32 results are compared with libm in double, f64 results (random bits and the range around 1) with libm in long double,
 * functions of two arguments on random pairs. Each row states its bound; a function that gets worse fails. The code is that
 * for this machine, for one with AVX2 alone, and for `--numerics=eager`, whose f32 results are rounded once. It is linked with no library at hand, so what calls any fails too. */
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/code/scalar_avx512.h"
#include "lib/targets/x86/machine.h"
#include "tcc/op_kinds.h"
#include "llvm-c/Core.h"
#include "llvm-c/LLJIT.h"
#include "llvm-c/Target.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 4096, F64_BLOCKS = 40 };
static const double ROUNDED_ONCE = 0.51; /* ULP of f32, what f64 lacks included */

typedef struct {
  const char *name;
  TccOpKind kind;
  double (*exact)(double);
  long double (*exact_long)(long double);
  double bound32, bound64; /* ULP */
  double most;             /* that no result may exceed in magnitude, by no unit; 0: any may */
  double most_from;        /* from there on it is that, in f32 without AVX-512's own bodies; 0: nowhere */
} Function;

static const Function functions[] = {
    {"exp", TCC_OP_EXP, exp, expl, 2, 2},
    {"expm1", TCC_OP_EXPM1, expm1, expm1l, 2, 2},
    {"log", TCC_OP_LOG, log, logl, 2, 2},
    {"log1p", TCC_OP_LOG1P, log1p, log1pl, 2, 2},
    {"tanh", TCC_OP_TANH, tanh, tanhl, 4, 4, 1, 9.03},
    {"erf", TCC_OP_ERF, erf, erfl, 4, 4, 1, 3.93},
    {"sin", TCC_OP_SIN, sin, sinl, 2, 2},
    {"cos", TCC_OP_COS, cos, cosl, 2, 2},
    {"tan", TCC_OP_TAN, tan, tanl, 4, 4},
    {"asin", TCC_OP_ASIN, asin, asinl, 3, 4},
    {"acos", TCC_OP_ACOS, acos, acosl, 2, 4},
    {"atan", TCC_OP_ATAN, atan, atanl, 3, 4},
    {"sinh", TCC_OP_SINH, sinh, sinhl, 3, 4},
    {"cosh", TCC_OP_COSH, cosh, coshl, 4, 4},
    {"asinh", TCC_OP_ASINH, asinh, asinhl, 3, 4},
    {"acosh", TCC_OP_ACOSH, acosh, acoshl, 3, 4},
    {"atanh", TCC_OP_ATANH, atanh, atanhl, 3, 4},
};
enum { FUNCTIONS = sizeof functions / sizeof *functions };

typedef struct {
  const char *name;
  TccVal (*body)(TccEmit *e, const char *type, TccVal a, TccVal b);
  double (*exact)(double, double);
  long double (*exact_long)(long double, long double);
  double bound32, bound64;
} Binary;

static const Binary binaries[] = {
    {"pow", tcc_math_pow, pow, powl, 1, 2e3}, /* e^(y ln x): the error of the logarithm is multiplied by y */
    {"atan2", tcc_math_atan2, atan2, atan2l, 3, 4},
    {"fmod", tcc_math_fmod, fmod, fmodl, 0.5, 0},
};
enum { BINARIES = sizeof binaries / sizeof *binaries };

typedef void Pair32(const float *x, const float *y, float *z);
typedef void Pair64(const double *x, const double *y, double *z);
typedef void Code32(const float *x, float *y);
typedef void Code64(const double *x, double *y);

static bool own_bodies; /* of AVX-512 */

static void fail(const char *what, const char *why) {
  printf("failed: %s: %s\n", what, why);
  exit(1);
}

static void check(LLVMErrorRef error, const char *what) {
  if (error) fail(what, LLVMGetErrorMessage(error));
}

/* NAME(x, y): y[i] = f(x[i]) for a block, `lanes` at a time */
static void emit_function(TccEmit *e, const char *name, const Function *f, const char *elem, int lanes) {
  const char *type = tcc_emit_vector(e, elem, lanes), *params[] = {TCC_PTR, TCC_PTR};
  TccVal args[2], y;
  TccLoop loop;
  tcc_emit_function(e, name, false, 2, params, NULL, args);
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), tcc_emit_i64(e, BLOCK), lanes, 0, NULL, NULL);
  TccVal x = tcc_emit_load(e, type, tcc_emit_gep(e, elem, args[0], loop.iv));
  if (!tcc_math_function(e, f->kind, type, x, &y)) fail(name, "no such function");
  tcc_emit_store(e, type, y, tcc_emit_gep(e, elem, args[1], loop.iv));
  tcc_emit_end_for(e, &loop, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* e^x as it is added to 1 (tcc_math_exp_beside_one), which only lanes of AVX2 have: nothing is less than e^-86. */
static double exact_beside_one(double x) { return x < -86 ? exp(-86) : exp(x); }
static const Function beside_one = {.name = "beside_one", .exact = exact_beside_one, .bound32 = 2.5};

static void emit_beside_one(TccEmit *e, const char *type, int lanes) {
  const char *params[] = {TCC_PTR, TCC_PTR};
  TccVal args[2], y;
  TccLoop loop;
  tcc_emit_function(e, "beside_one32", false, 2, params, NULL, args);
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), tcc_emit_i64(e, BLOCK), lanes, 0, NULL, NULL);
  TccVal x = tcc_emit_load(e, type, tcc_emit_gep(e, "f32", args[0], loop.iv));
  if (!tcc_math_exp_beside_one(e, type, x, &y)) fail("beside_one32", "no such function");
  tcc_emit_store(e, type, y, tcc_emit_gep(e, "f32", args[1], loop.iv));
  tcc_emit_end_for(e, &loop, NULL);
  tcc_emit_return(e, 0, NULL);
}

static void emit_binary(TccEmit *e, const char *name, const Binary *f, const char *elem, int lanes) {
  const char *type = tcc_emit_vector(e, elem, lanes), *params[] = {TCC_PTR, TCC_PTR, TCC_PTR};
  TccVal args[3];
  TccLoop loop;
  tcc_emit_function(e, name, false, 3, params, NULL, args);
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), tcc_emit_i64(e, BLOCK), lanes, 0, NULL, NULL);
  TccVal x = tcc_emit_load(e, type, tcc_emit_gep(e, elem, args[0], loop.iv)),
         y = tcc_emit_load(e, type, tcc_emit_gep(e, elem, args[1], loop.iv));
  tcc_emit_store(e, type, f->body(e, type, x, y), tcc_emit_gep(e, elem, args[2], loop.iv));
  tcc_emit_end_for(e, &loop, NULL);
  tcc_emit_return(e, 0, NULL);
}

static LLVMOrcLLJITRef compile(const TccMachine *machine, bool eager) {
  TccArena *arena = tcc_arena_create();
  TccEmit e;
  tcc_emit_init(&e, arena);
  e.functions = tcc_x86_scalars(machine);
  e.eager = eager;
  int lanes = machine->isa & TCC_ISA_AVX512 ? 16 : 8;
  own_bodies = lanes == 16 && !eager;
  for (int i = 0; i < FUNCTIONS; i++) {
    emit_function(&e, tcc_arena_printf(arena, "%s32", functions[i].name), &functions[i], "f32", lanes);
    emit_function(&e, tcc_arena_printf(arena, "%s64", functions[i].name), &functions[i], "f64", lanes / 2);
  }
  for (int i = 0; i < BINARIES; i++) {
    emit_binary(&e, tcc_arena_printf(arena, "%s32", binaries[i].name), &binaries[i], "f32", lanes);
    emit_binary(&e, tcc_arena_printf(arena, "%s64", binaries[i].name), &binaries[i], "f64", lanes / 2);
  }
  if (!own_bodies && !eager) emit_beside_one(&e, "vector<8xf32>", lanes);
  TccText object = {0};
  TccStatus *status = tcc_codegen_object(machine, &(TccLlvm){.module = e.module}, false, &object);
  if (status) fail("code generation", tcc_status_message(status));
  LLVMOrcLLJITRef jit;
  LLVMInitializeNativeTarget();
  check(LLVMOrcCreateLLJIT(&jit, NULL), "jit");
  check(LLVMOrcLLJITAddObjectFile(jit, LLVMOrcLLJITGetMainJITDylib(jit),
                                  LLVMCreateMemoryBufferWithMemoryRangeCopy(object.data, object.length, "functions")),
        "link");
  tcc_text_destroy(&object);
  tcc_emit_destroy(&e);
  tcc_arena_destroy(arena);
  return jit;
}

static uint64_t find(LLVMOrcLLJITRef jit, const char *name, const char *width) {
  char symbol[32];
  snprintf(symbol, sizeof symbol, "%s%s", name, width);
  LLVMOrcExecutorAddress address;
  check(LLVMOrcLLJITLookup(jit, &address, symbol), symbol);
  return address;
}

/* Distance of got from want in places of the result's type: `digits` of fraction, least exponent, first power that overflows. */
static double ulps(long double got, long double want, int digits, int least, int overflow) {
  if (isnan(want) || isnan(got)) return isnan(want) && isnan(got) ? 0 : INFINITY;
  if (want == 0 && got == 0) return !signbit(want) == !signbit(got) ? 0 : INFINITY;
  long double most = ldexpl(1, overflow);
  if (fabsl(got) > most) got = copysignl(most, got);
  if (fabsl(want) > most) want = copysignl(most, want);
  int exponent = want == 0 ? least : ilogbl(want);
  if (exponent < least) exponent = least;
  if (exponent >= overflow) exponent = overflow - 1;
  return (double)(fabsl(got - want) / ldexpl(1, exponent - digits));
}

typedef struct {
  double error, at;
} Worst;

static void note(Worst *worst, double error, double at) {
  if (error > worst->error) *worst = (Worst){error, at};
}

static Worst measure32(const Function *f, Code32 *code, uint64_t stride) {
  static _Alignas(64) float x[BLOCK], y[BLOCK];
  Worst worst = {0};
  for (uint64_t at = 0; at < UINT64_C(1) << 32;) {
    for (int i = 0; i < BLOCK; i++, at += stride) {
      uint32_t bits = at >> 32 ? 0 : (uint32_t)at;
      memcpy(&x[i], &bits, sizeof bits);
    }
    code(x, y);
    for (int i = 0; i < BLOCK; i++) {
      double want = f->exact((double)x[i]);
      const bool is_most = f->most_from > 0 && !own_bodies && fabs((double)x[i]) > f->most_from;
      if (f->most > 0 && (fabs((double)y[i]) > f->most || (is_most && fabs((double)y[i]) != f->most)))
        note(&worst, INFINITY, (double)x[i]);
      if ((double)y[i] != want) note(&worst, ulps((long double)y[i], (long double)want, 23, -126, 128), (double)x[i]);
    }
  }
  return worst;
}

static uint64_t random_bits(uint64_t *state) { /* SplitMix64 */
  uint64_t z = *state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

static Worst measure64(const Function *f, Code64 *code) {
  static _Alignas(64) double x[BLOCK], y[BLOCK];
  static const double special[] = {
      0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 5e-324, -5e-324, 1.7976931348623157e308, 2.2250738585072014e-308};
  Worst worst = {0};
  uint64_t state = 1;
  for (int block = 0; block < F64_BLOCKS; block++) {
    for (int i = 0; i < BLOCK; i++) {
      uint64_t bits = random_bits(&state);
      if (block & 1) bits = (bits & 0x800fffffffffffff) | (0x3c0 + (bits >> 53 & 63) + (bits >> 60 & 7)) << 52; /* 2^-63 .. 2^6 */
      memcpy(&x[i], &bits, sizeof bits);
    }
    if (!block) memcpy(x, special, sizeof special);
    code(x, y);
    for (int i = 0; i < BLOCK; i++) {
      long double want = f->exact_long((long double)x[i]);
      if (f->most > 0 && fabs(y[i]) > f->most) note(&worst, INFINITY, x[i]);
      if ((long double)y[i] != want) note(&worst, ulps((long double)y[i], want, 52, -1022, 1024), x[i]);
    }
  }
  return worst;
}

/* Random bits, and pairs of magnitudes around 1, half of the second ones whole. */
static double random_double(uint64_t *state, bool near, bool whole) {
  uint64_t bits = random_bits(state);
  double x;
  if (near) bits = (bits & 0x800fffffffffffff) | (0x3f8 + (bits >> 60 & 15)) << 52; /* 2^-7 .. 2^8 */
  memcpy(&x, &bits, sizeof x);
  return whole ? rint(x) : x;
}

static void measure_pairs(const Binary *f, Pair32 *code32, Pair64 *code64, Worst *worst32, Worst *worst64) {
  static _Alignas(64) float a32[BLOCK], b32[BLOCK], r32[BLOCK];
  static _Alignas(64) double a64[BLOCK], b64[BLOCK], r64[BLOCK];
  static const double special[] = {0.0, -0.0, 1, -1, INFINITY, -INFINITY, NAN, 2, -2, 0.5, -0.5, 3, -3, 1e30, 1e-30};
  enum { SPECIAL = sizeof special / sizeof *special };
  *worst32 = *worst64 = (Worst){0};
  uint64_t state = 2;
  for (int block = 0; block < F64_BLOCKS; block++) {
    for (int i = 0; i < BLOCK; i++) {
      a64[i] = random_double(&state, block % 2, false), b64[i] = random_double(&state, block % 2, block % 4 == 1);
      if (!block && i < SPECIAL * SPECIAL) a64[i] = special[i / SPECIAL], b64[i] = special[i % SPECIAL];
      uint32_t a = (uint32_t)random_bits(&state), b = (uint32_t)random_bits(&state);
      memcpy(&a32[i], &a, sizeof a), memcpy(&b32[i], &b, sizeof b);
      if (block % 2 || (!block && i < SPECIAL * SPECIAL)) a32[i] = (float)a64[i], b32[i] = (float)b64[i];
    }
    code32(a32, b32, r32), code64(a64, b64, r64);
    for (int i = 0; i < BLOCK; i++) {
      note(worst32, ulps((long double)r32[i], (long double)f->exact((double)a32[i], (double)b32[i]), 23, -126, 128),
           (double)a32[i]);
      note(worst64, ulps((long double)r64[i], f->exact_long((long double)a64[i], (long double)b64[i]), 52, -1022, 1024), a64[i]);
    }
  }
}

static int report(bool table, const char *name, Worst a, double bound32, Worst b, double bound64) {
  bool ok = a.error <= bound32 && b.error <= bound64;
  if (table) printf("| %s | %.2f | %.9g | %.2f | %.17g |\n", name, a.error, a.at, b.error, b.at);
  else if (!ok)
    printf("failed: %s: f32 %.3f ULP at %.9g (bound %g), f64 %.3f ULP at %.17g (bound %g)\n", name, a.error, a.at, bound32, b.error,
           b.at, bound64);
  return !ok;
}

static int measure(const TccMachine *machine, uint64_t stride, bool table, bool eager) {
  LLVMOrcLLJITRef jit = compile(machine, eager);
  int failures = 0;
  for (int i = 0; i < FUNCTIONS; i++) {
    const Function *f = &functions[i];
    union {
      uint64_t address;
      Code32 *code32;
      Code64 *code64;
    } single = {find(jit, f->name, "32")}, wide = {find(jit, f->name, "64")};
    failures += report(table, f->name, measure32(f, single.code32, stride), eager ? ROUNDED_ONCE : f->bound32,
                       eager ? (Worst){0} : measure64(f, wide.code64), f->bound64); /* eager: f64 is the same */
  }
  if (!own_bodies && !eager) {
    union {
      uint64_t address;
      Code32 *code;
    } single = {find(jit, beside_one.name, "32")};
    failures += report(false, beside_one.name, measure32(&beside_one, single.code, stride), beside_one.bound32, (Worst){0}, 0);
  }
  for (int i = 0; i < BINARIES; i++) {
    const Binary *f = &binaries[i];
    union {
      uint64_t address;
      Pair32 *code32;
      Pair64 *code64;
    } single = {find(jit, f->name, "32")}, wide = {find(jit, f->name, "64")};
    Worst a, b;
    measure_pairs(f, single.code32, wide.code64, &a, &b);
    failures += report(table, f->name, a, eager ? ROUNDED_ONCE : f->bound32, b, f->bound64);
  }
  check(LLVMOrcDisposeLLJIT(jit), "jit");
  return failures;
}

int main(int argc, char **argv) {
  bool table = argc > 2 && !strcmp(argv[1], "--table");
  uint64_t stride = argc > 1 ? strtoull(argv[argc - 1], NULL, 10) : 10007;
  if (!stride) fail("usage", "accuracy [--table] [STRIDE]");
  TccMachine machine, avx2;
  TccStatus *status = tcc_x86_machine((TccStr){0}, &machine);
  if (status) fail("this machine", tcc_status_message(status));
  if (!(machine.isa & TCC_ISA_AVX2)) return 0; /* no code for this machine */
  status = tcc_x86_machine(tcc_str("avx2"), &avx2);
  if (status) fail("avx2", tcc_status_message(status));
  if (table) printf("| function | f32, ULP | at | f64, ULP | at |\n|---|---|---|---|---|\n");
  int failures = measure(&machine, stride, table, false);
  if (!table) failures += measure(&avx2, stride, false, false) + measure(&machine, stride, false, true);
  return failures != 0;
}

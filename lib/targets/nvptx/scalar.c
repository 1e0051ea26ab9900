/* scalar.c - what chips from sm_80 on have instructions for, of arithmetic on f32: extremes of which NaN is one, rounding to bf16, and functions that
 * are near enough where 16 bits are kept of what comes of them (TccScalarFunctions).
 *
 * exp as CUDA's expf: 2^f by ex2.approx for |f| <= 1/2, whose relative error is 2^-22 at most, times 2^n. A quotient is a product with rcp.approx: of a
 * divisor that a row has alone, both the reciprocal and what keeps it from the ends of what numbers can be are computed once. */
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/nvptx/nvptx.h"
#include <math.h>

static TccVal number(TccEmit *e, double v) { return tcc_emit_float(e, "f32", v); }
static TccVal bin(TccEmit *e, const char *op, TccVal a, TccVal b) { return tcc_emit_bin(e, op, "f32", a, b); }

static TccVal approximate(TccEmit *e, const char *name, TccVal x) {
  return tcc_emit_call_intrinsic(e, name, "f32", 1, &x, (const char *const[]){"f32"});
}

static TccVal near_exp(TccEmit *e, TccVal x) {
  const double magic = 12582912.0 + 127; /* 1.5 * 2^23, and the bias: the sum's last bits are the exponent of 2^n */
  TccVal y = bin(e, "fmul", x, number(e, 1.4426950408889634));
  y = tcc_emit_intrinsic(e, "maxnum", "f32", 2, (TccVal[]){y, number(e, -126)}); /* of NaN and a number the number */
  y = tcc_emit_intrinsic(e, "minnum", "f32", 2, (TccVal[]){y, number(e, 127)});
  TccVal shifted = bin(e, "fadd", y, number(e, magic)), minus_n = bin(e, "fsub", number(e, magic), shifted);
  TccVal f =
      tcc_emit_fma(e, "f32", x, number(e, 1.925963033500011e-8), tcc_emit_fma(e, "f32", x, number(e, 1.4426950216293335), minus_n));
  TccVal bits = tcc_emit_bin(e, "shl", "i32", tcc_emit_cast(e, "bitcast", "f32", "i32", shifted), tcc_emit_int(e, "i32", 23));
  return bin(e, "fmul", approximate(e, "llvm.nvvm.ex2.approx.ftz.f", f), tcc_emit_cast(e, "bitcast", "i32", "f32", bits));
}

/* Divisors beyond 2^64 or below 2^-64 are brought between, so that no reciprocal is subnormal, and infinite that of zero alone. */
static TccVal near_divide(TccEmit *e, TccVal a, TccVal b) {
  const double far = 0x1p64;
  TccVal size = tcc_emit_intrinsic(e, "fabs", "f32", 1, &b);
  TccVal small = tcc_emit_select(e, "f32", tcc_emit_fcmp(e, "olt", "f32", size, number(e, 1 / far)), number(e, far), number(e, 1));
  TccVal by = tcc_emit_select(e, "f32", tcc_emit_fcmp(e, "ogt", "f32", size, number(e, far)), number(e, 1 / far), small);
  TccVal reciprocal = approximate(e, "llvm.nvvm.rcp.approx.ftz.f", bin(e, "fmul", b, by));
  return bin(e, "fmul", bin(e, "fmul", a, reciprocal), by);
}

static TccVal to_bf16(TccEmit *e, TccVal x) {
  return tcc_emit_cast(e, "bitcast", "bf16", "i16", tcc_emit_cast(e, "fptrunc", "f32", "bf16", x));
}

static const TccScalarFunctions functions = {
    .type = "f32", .near_exp = near_exp, .near_divide = near_divide, .to_bf16 = to_bf16, .from_words = true, .has_extremes = true};

const TccScalarFunctions *nvptx_scalars(const TccMachine *machine) {
  return tcc_isa_gpu_chip(machine->isa) >= 80 ? &functions : NULL;
}

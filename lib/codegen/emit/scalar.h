/* scalar.h - elementwise tcc ops as arithmetic of the LLVM dialect, one lane or many: shared by all emitters.
 *
 * Values in flight have the element's own type, bool as i1 (in memory a byte: callers of loads and stores convert). f16 and
 * bf16 are widened to f32 around each op and rounded once behind it. Functions are polynomials of our own (scalar_math.c):
 * no kernel calls libm. The worst error of each f32 function is in docs/scalar-accuracy.md. No fast-math flag but
 * contract; NaN, infinities and subnormals behave as ops.def says. */
#ifndef TCC_CODEGEN_SCALAR_H
#define TCC_CODEGEN_SCALAR_H
#include "lib/codegen/emit/emit.h"
#include "tcc/codegen.h"

/* What a machine does better than the common bodies, for one type; `cuts_masks` is about all types. Functions may be NULL. */
typedef struct TccScalarFunctions {
  const char *type; /* "vector<16xf32>", "f32" */
  /* row[segment] of each lane, of 16 values; only the low four bits of a segment (i32 lanes) count. */
  TccVal (*lookup)(TccEmit *e, const float *row, TccVal segment);
  /* Lanes `index` (i32 lanes; only as many low bits as lanes have count) of v, a whole register of lanes of 32 bits; of any type of functions. */
  TccVal (*permute)(TccEmit *e, const char *type, TccVal v, TccVal index);
  /* `lookup` in eight lanes, for more than a conversion and a sum; of any type of functions. */
  TccVal (*lookup_eight)(TccEmit *e, const float *row, TccVal segment);
  TccVal (*erf)(TccEmit *e, TccVal x);
  TccVal (*tanh)(TccEmit *e, TccVal x);
  /* 2^x to about 2 ULP, 0 below 2^least: -150, or -100 for what only adds to a sum of at least 1. NaN stays, 2^-inf is 0. */
  TccVal (*exp2)(TccEmit *e, TccVal x, double least);
  /* p 2^floor(n) in lanes that `keep` (i1) has on, 0 in others; type: of f32 or f64. */
  TccVal (*scale)(TccEmit *e, const char *type, TccVal p, TccVal n, TccVal keep);
  /* e^x and a / b to 2^-21 of the result, where all that comes of them is rounded to 16 bits (TccEmit.narrow). */
  TccVal (*near_exp)(TccEmit *e, TccVal x);
  TccVal (*near_divide)(TccEmit *e, TccVal a, TccVal b);
  /* To nearest even, as the bits of bf16 (i16). */
  TccVal (*to_bf16)(TccEmit *e, TccVal x);
  /* The nearest integers, to even where two are, as i32; INT32_MIN where they are beyond it, and of NaN. NULL: there is no such instruction. */
  TccVal (*to_i32)(TccEmit *e, TccVal x);
  bool from_words;   /* integers of fewer bits become floats faster by way of 32 bits */
  bool has_extremes; /* maximum and minimum of which NaN is one are instructions */
  /* Stores under a mask are slow: the first lanes of a vector are stored whole, or as halves, quarters and so on. */
  bool cuts_masks;
  /* Gathers and scatters at even steps are no faster than loads and stores of single elements, and take LLVM several times as long. */
  bool steps_apart;
} TccScalarFunctions;
/* Those of the emitter's machine (TccEmit.functions), if they are of this type; else NULL. */
const TccScalarFunctions *tcc_scalar_functions(const TccEmit *e, const char *type);

/* "f32", "i8" (signed or not), "i1" for bool, "i16" for bf16, which travels as its bits: LLVM would call a library for it; "i8" for the types of
 * scalar_narrow.h, which an op computes in i8 or f32. NULL: none. */
const char *tcc_scalar_type(TccElem elem);
const char *tcc_scalar_memory_type(TccElem elem); /* the same, "i8" for bool */
/* The result of elementwise op on `lanes` lanes (1: scalars); operands that are tcc.none are 0. */
TccStatus *tcc_scalar_op(TccEmit *e, TccIr *ir, MlirOperation op, int lanes, const TccVal *operands, TccVal *out) TCC_CHECKED;
/* The number that value is (tcc_read_number) in all lanes. */
TccVal tcc_scalar_constant(TccEmit *e, TccIr *ir, MlirValue value, int lanes);
TccVal tcc_scalar_number(TccEmit *e, TccElem elem, const void *data, int lanes); /* the element at data, in all lanes */
/* v from one element type to another, as tcc.convert does. */
TccVal tcc_scalar_convert(TccEmit *e, TccElem from, TccElem to, int lanes, TccVal v);
/* Between memory and flight: bool bytes to i1 and back; other types pass. */
TccVal tcc_scalar_from_memory(TccEmit *e, TccElem elem, int lanes, TccVal v);
TccVal tcc_scalar_to_memory(TccEmit *e, TccElem elem, int lanes, TccVal v);

/* Reductions, on accumulator types. kind: sum prod max min and or, and add mul for scatters. */
TccVal tcc_scalar_combine(TccEmit *e, TccStr kind, TccElem elem, int lanes, TccVal a, TccVal b);
TccVal tcc_scalar_neutral(TccEmit *e, TccStr kind, TccElem elem, int lanes);
TccVal tcc_scalar_fold(TccEmit *e, TccStr kind, TccElem elem, int lanes, TccVal v); /* all lanes into one scalar */
/* The sums of the lanes of `count` vectors of f32, in their order, in a vector of as many lanes. Two vectors become one, again and again, so that
 * eight of sixteen lanes take 16 shuffles and 8 additions, one by one 32 and 32. count: a power of two, from 4 to lanes. */
TccVal tcc_scalar_sums(TccEmit *e, int lanes, int count, const TccVal *v);

/* scalar_random.c: tcc.random on i64 lanes; i32. */
TccVal tcc_scalar_random(TccEmit *e, int lanes, TccVal index, TccVal seed, TccVal offset);

/* scalar_math.c: functions on f32 or f64; type is the scalar or vector type. False if kind is no function. */
bool tcc_math_function(TccEmit *e, TccOpKind kind, const char *type, TccVal x, TccVal *out);
/* 2^x of f32 lanes, x <= 0, to about 2 ULP; 0 below 2^least, which is -125 or more: -100 for what only adds to a sum of at least 1. NaN
 * stays, 2^-inf is 0. */
TccVal tcc_math_exp2_below(TccEmit *e, const char *type, TccVal x, double least);
/* e^x that is only added to 1, on vectors of f32 of a machine with sixteen registers: at least 2^-124, else within 2 ULP, NaN stays. False: the
 * type has no such body. */
bool tcc_math_exp_beside_one(TccEmit *e, const char *type, TccVal x, TccVal *out);
/* ln(1 + t) for t in [0, 1], of f32 or f64. NaN stays. */
TccVal tcc_math_log1p_to_one(TccEmit *e, const char *type, TccVal t);
TccVal tcc_math_pow(TccEmit *e, const char *type, TccVal x, TccVal y);
TccVal tcc_math_atan2(TccEmit *e, const char *type, TccVal y, TccVal x);
TccVal tcc_math_fmod(TccEmit *e, const char *type, TccVal x, TccVal y);
#endif

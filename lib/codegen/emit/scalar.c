/* scalar.c - see scalar.h. */
#include "lib/codegen/emit/scalar.h"
#include "lib/codegen/emit/scalar_narrow.h"
#include "lib/codegen/read/kernel.h"
#include "tcc/op_kinds.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>

typedef struct {
  TccEmit *e;
  TccElem elem;
  const char *type; /* of `lanes` lanes of elem */
  int lanes;
} Ops;

static Ops ops_of(TccEmit *e, TccElem elem, int lanes) {
  return (Ops){e, elem, tcc_emit_vector(e, tcc_scalar_type(elem), lanes), lanes};
}

const char *tcc_scalar_type(TccElem elem) {
  switch (elem) {
  case TCC_ELEM_F32: return "f32";
  case TCC_ELEM_F64: return "f64";
  case TCC_ELEM_F16: return "f16";
  case TCC_ELEM_BOOL: return "i1";
  case TCC_ELEM_I8:
  case TCC_ELEM_U8:
  case TCC_ELEM_I4:
  case TCC_ELEM_U4:
  case TCC_ELEM_I2:
  case TCC_ELEM_U2:
  case TCC_ELEM_F8E4M3FN:
  case TCC_ELEM_F8E4M3FNUZ:
  case TCC_ELEM_F8E5M2:
  case TCC_ELEM_F8E5M2FNUZ:
  case TCC_ELEM_F8E8M0FNU:
  case TCC_ELEM_F4E2M1FN: return "i8";
  case TCC_ELEM_I16:
  case TCC_ELEM_U16:
  case TCC_ELEM_BF16: return "i16";
  case TCC_ELEM_I32:
  case TCC_ELEM_U32: return "i32";
  case TCC_ELEM_I64:
  case TCC_ELEM_U64: return "i64";
  default: return NULL;
  }
}

const char *tcc_scalar_memory_type(TccElem elem) { return elem == TCC_ELEM_BOOL ? "i8" : tcc_scalar_type(elem); }

TccVal tcc_scalar_from_memory(TccEmit *e, TccElem elem, int lanes, TccVal v) {
  if (elem != TCC_ELEM_BOOL) return v;
  const char *bytes = tcc_emit_vector(e, "i8", lanes);
  return tcc_emit_icmp(e, "ne", bytes, v, tcc_emit_zero(e, bytes));
}

TccVal tcc_scalar_to_memory(TccEmit *e, TccElem elem, int lanes, TccVal v) {
  return elem == TCC_ELEM_BOOL ? tcc_emit_cast(e, "zext", tcc_emit_vector(e, "i1", lanes), tcc_emit_vector(e, "i8", lanes), v) : v;
}

/* ---- conversions ---- */

/* bf16 is the upper half of f32: in integer arithmetic, since LLVM would call a library on machines without AVX512-BF16. */
static TccVal bf16_to_f32(TccEmit *e, int lanes, TccVal v) {
  const char *half = tcc_emit_vector(e, "i16", lanes), *word = tcc_emit_vector(e, "i32", lanes);
  TccVal bits = tcc_emit_bin(e, "shl", word, tcc_emit_cast(e, "zext", half, word, v), tcc_emit_int(e, word, 16));
  return tcc_emit_cast(e, "bitcast", word, tcc_emit_vector(e, "f32", lanes), bits);
}

/* Nearest even: add half of the last place, less one unless that place is odd; NaN keeps a quiet bit. */
static TccVal f32_to_bf16(TccEmit *e, int lanes, TccVal v) {
  const TccScalarFunctions *own = tcc_scalar_functions(e, tcc_emit_vector(e, "f32", lanes));
  if (own && own->to_bf16) return own->to_bf16(e, v);
  const char *half = tcc_emit_vector(e, "i16", lanes), *word = tcc_emit_vector(e, "i32", lanes),
             *f32 = tcc_emit_vector(e, "f32", lanes);
  TccVal bits = tcc_emit_cast(e, "bitcast", f32, word, v), sixteen = tcc_emit_int(e, word, 16);
  TccVal odd = tcc_emit_bin(e, "and", word, tcc_emit_bin(e, "lshr", word, bits, sixteen), tcc_emit_int(e, word, 1));
  TccVal rounded = tcc_emit_bin(e, "add", word, bits, tcc_emit_bin(e, "add", word, odd, tcc_emit_int(e, word, 0x7fff)));
  TccVal quiet = tcc_emit_bin(e, "or", word, bits, tcc_emit_int(e, word, 0x400000));
  TccVal picked = tcc_emit_select(e, word, tcc_emit_fcmp(e, "uno", f32, v, v), quiet, rounded);
  return tcc_emit_cast(e, "trunc", word, half, tcc_emit_bin(e, "lshr", word, picked, sixteen));
}

/* To odd: where f32 cannot hold v, of its two neighbours the one whose last bit is 1. Rounding that to nearest in f16 or bf16, which has
 * two digits less at least, gives what rounding v itself would (Boldo and Melquiond, "Emulation of a FMA and correctly rounded sums:
 * proved algorithms using rounding to odd", 2008). Without it f32 may make a tie of what is none; PyTorch has it so. */
static TccVal f64_to_f32(TccEmit *e, int lanes, TccVal v, bool to_odd) {
  const char *wide = tcc_emit_vector(e, "f64", lanes), *f32 = tcc_emit_vector(e, "f32", lanes),
             *word = tcc_emit_vector(e, "i32", lanes);
  TccVal near = tcc_emit_cast(e, "fptrunc", wide, f32, v);
  if (!to_odd) return near;
  TccVal back = tcc_emit_cast(e, "fpext", f32, wide, near), bits = tcc_emit_cast(e, "bitcast", f32, word, near);
  TccVal outward =
      tcc_emit_fcmp(e, "ogt", wide, tcc_emit_intrinsic(e, "fabs", wide, 1, &back), tcc_emit_intrinsic(e, "fabs", wide, 1, &v));
  TccVal inner = tcc_emit_select(e, word, outward, tcc_emit_bin(e, "sub", word, bits, tcc_emit_int(e, word, 1)), bits);
  TccVal odd = tcc_emit_bin(e, "or", word, inner, tcc_emit_int(e, word, 1));
  TccVal picked = tcc_emit_select(e, word, tcc_emit_fcmp(e, "one", wide, back, v), odd, bits);
  return tcc_emit_cast(e, "bitcast", word, f32, picked);
}

static TccVal float_to_float(TccEmit *e, TccElem from, TccElem to, int lanes, TccVal v) {
  if (tcc_narrow_is_float(from)) {
    v = tcc_narrow_to_f32(e, from, lanes, v);
    return to == TCC_ELEM_F32 ? v : float_to_float(e, TCC_ELEM_F32, to, lanes, v);
  }
  if (from == TCC_ELEM_BF16) {
    v = bf16_to_f32(e, lanes, v);
    return to == TCC_ELEM_F32 ? v : float_to_float(e, TCC_ELEM_F32, to, lanes, v);
  }
  bool narrow_to = tcc_elem_bits(to) < 32;
  if (from == TCC_ELEM_F64 && narrow_to) { /* through f32: one conversion from f64 would be a library call */
    v = f64_to_f32(e, lanes, v, !e->eager);
    from = TCC_ELEM_F32;
  }
  if (from == TCC_ELEM_F16 && to != TCC_ELEM_F32) {
    v = tcc_emit_cast(e, "fpext", tcc_emit_vector(e, "f16", lanes), tcc_emit_vector(e, "f32", lanes), v);
    return float_to_float(e, TCC_ELEM_F32, to, lanes, v);
  }
  if (to == TCC_ELEM_BF16) return f32_to_bf16(e, lanes, v);
  if (tcc_narrow_is_float(to)) return tcc_narrow_from_f32(e, to, true, lanes, v);
  const char *a = tcc_emit_vector(e, tcc_scalar_type(from), lanes), *b = tcc_emit_vector(e, tcc_scalar_type(to), lanes);
  return tcc_emit_cast(e, tcc_elem_bits(from) < tcc_elem_bits(to) ? "fpext" : "fptrunc", a, b, v);
}

/* f32 to 32 bits, which wrap: vectors by one instruction, whose result for what does not fit is the least number; only if there is one by way
 * of 64 bits, which machines without AVX-512 convert one lane at a time. */
static TccVal f32_to_i32(TccEmit *e, int lanes, TccVal v) {
  const char *floats = tcc_emit_vector(e, "f32", lanes), *words = tcc_emit_vector(e, "i32", lanes),
             *wide = tcc_emit_vector(e, "i64", lanes);
  if (lanes == 1) return tcc_emit_cast(e, "trunc", wide, words, tcc_emit_cast(e, "fptosi", floats, wide, v));
  TccVal near = tcc_emit_cast(e, "fptosi", floats, words, v);
  TccVal far = tcc_emit_icmp(e, "eq", words, near, tcc_emit_int(e, words, INT32_MIN));
  TccIf some;
  tcc_emit_if_rare(e, &some, tcc_emit_any_lane(e, lanes, far), 1, &words);
  TccVal wrapped = tcc_emit_cast(e, "trunc", wide, words, tcc_emit_cast(e, "fptosi", floats, wide, v));
  tcc_emit_else(e, &some, &wrapped);
  tcc_emit_end_if(e, &some, &near);
  return some.out[0];
}

/* to: of 32 bits or more. */
static TccVal integer_to_float(TccEmit *e, TccElem from, int lanes, TccVal v, const char *to) {
  const char *type = tcc_emit_vector(e, tcc_scalar_type(from), lanes), *words = tcc_emit_vector(e, "i32", lanes);
  const TccScalarFunctions *own = tcc_scalar_functions(e, to);
  bool is_signed = tcc_elem_is_signed(from);
  if (own && own->from_words && from != TCC_ELEM_BOOL && tcc_elem_bits(from) < 32) {
    v = tcc_emit_cast(e, is_signed ? "sext" : "zext", type, words, v);
    type = words;
  }
  return tcc_emit_cast(e, is_signed ? "sitofp" : "uitofp", type, to, v);
}

TccVal tcc_scalar_convert(TccEmit *e, TccElem from, TccElem to, int lanes, TccVal v) {
  if (from == to) return v;
  const char *a = tcc_emit_vector(e, tcc_scalar_type(from), lanes), *b = tcc_emit_vector(e, tcc_scalar_type(to), lanes);
  bool from_float = tcc_elem_is_float(from), to_float = tcc_elem_is_float(to);
  unsigned from_bits = from == TCC_ELEM_BOOL ? 1 : tcc_elem_bits(from), to_bits = to == TCC_ELEM_BOOL ? 1 : tcc_elem_bits(to);
  TccElem way = to == TCC_ELEM_F8E8M0FNU && from_bits >= 32 ? TCC_ELEM_F64 : TCC_ELEM_F32; /* it rounds upwards */
  if (from_float && to_float) return float_to_float(e, from, to, lanes, v);
  if (from_float && from_bits < 32)
    return tcc_scalar_convert(e, TCC_ELEM_F32, to, lanes, float_to_float(e, from, TCC_ELEM_F32, lanes, v));
  if (to_float && to_bits < 32) return float_to_float(e, way, to, lanes, tcc_scalar_convert(e, from, way, lanes, v));
  if (to == TCC_ELEM_BOOL) {
    TccVal zero = tcc_emit_zero(e, a);
    return from_float ? tcc_emit_fcmp(e, "une", a, v, zero) : tcc_emit_icmp(e, "ne", a, v, zero);
  }
  bool is_signed = tcc_elem_is_signed(from);
  if (to_float) return integer_to_float(e, from, lanes, v, b);
  if (from_float) { /* through 64 bits, so that 32 wrap, signed or not; through 32, which is one instruction, to what is narrower */
    const char *wide = tcc_emit_vector(e, to_bits < 32 ? "i32" : "i64", lanes);
    if (to_bits == 64) return tcc_emit_cast(e, to == TCC_ELEM_U64 ? "fptoui" : "fptosi", a, b, v);
    if (to_bits == 32 && from == TCC_ELEM_F32) return f32_to_i32(e, lanes, v);
    return tcc_narrow_wrap(e, to, lanes, tcc_emit_cast(e, "trunc", wide, b, tcc_emit_cast(e, "fptosi", a, wide, v)));
  }
  if (to_bits < 8 && from_bits <= 8 && from != TCC_ELEM_BOOL) return tcc_narrow_wrap(e, to, lanes, v);
  if (to_bits < 8) return tcc_narrow_wrap(e, to, lanes, tcc_emit_cast(e, from == TCC_ELEM_BOOL ? "zext" : "trunc", a, b, v));
  if (from_bits == to_bits || strcmp(a, b) == 0) return v;
  return tcc_emit_cast(e, from_bits > to_bits ? "trunc" : is_signed ? "sext" : "zext", a, b, v);
}

/* ---- constants ---- */

TccVal tcc_scalar_number(TccEmit *e, TccElem elem, const void *data, int lanes) {
  const char *flight = tcc_emit_vector(e, tcc_scalar_type(elem), lanes);
  if (tcc_narrow_is_float(elem)) return tcc_emit_int(e, flight, *(const unsigned char *)data & ((1 << tcc_elem_bits(elem)) - 1));
  if (elem == TCC_ELEM_BF16) {
    uint16_t bits;
    memcpy(&bits, data, sizeof bits);
    return tcc_emit_int(e, flight, (int16_t)bits);
  }
  return tcc_elem_is_float(elem) ? tcc_emit_float(e, flight, tcc_elem_load_f64(elem, data, 0))
                                 : tcc_emit_int(e, flight, tcc_elem_load_i64(elem, data, 0));
}

TccVal tcc_scalar_constant(TccEmit *e, TccIr *ir, MlirValue value, int lanes) {
  TccElem elem;
  const void *data = tcc_read_number(ir, value, &elem);
  return tcc_scalar_number(e, elem, data, lanes);
}

/* A constant that is a number, not NaN. */
static bool is_number(TccIr *ir, MlirValue value) {
  TccElem elem;
  const void *data = tcc_read_number(ir, value, &elem);
  return data && !(tcc_elem_is_float(elem) && isnan(tcc_elem_load_f64(elem, data, 0)));
}

/* ---- combining ---- */

static bool is_unsigned(TccElem elem) { return tcc_elem_is_unsigned(elem) || elem == TCC_ELEM_BOOL; }

static bool has_extremes(const Ops *o) {
  const TccScalarFunctions *own = tcc_scalar_functions(o->e, o->type);
  return own && own->has_extremes;
}

/* IEEE maximum and minimum: NaN wins; the machine instruction takes the second operand where either is NaN. */
static TccVal extreme(const Ops *o, bool is_max, TccVal a, TccVal b) {
  TccVal args[] = {a, b};
  if (!tcc_elem_is_float(o->elem)) {
    const char *name = is_max ? (is_unsigned(o->elem) ? "umax" : "smax") : (is_unsigned(o->elem) ? "umin" : "smin");
    return tcc_emit_intrinsic(o->e, name, o->type, 2, args);
  }
  if (has_extremes(o)) return tcc_emit_intrinsic(o->e, is_max ? "maximum" : "minimum", o->type, 2, args);
  TccVal picked = tcc_emit_select(o->e, o->type, tcc_emit_fcmp(o->e, is_max ? "ogt" : "olt", o->type, a, b), a, b);
  return tcc_emit_select(o->e, o->type, tcc_emit_fcmp(o->e, "uno", o->type, a, a), a, picked);
}

/* The same where b is known to be a number: then the machine's instruction, b first, is right as it is. */
static TccVal extreme_of_number(const Ops *o, bool is_max, TccVal a, TccVal b) {
  if (!tcc_elem_is_float(o->elem) || has_extremes(o)) return extreme(o, is_max, a, b);
  return tcc_emit_select(o->e, o->type, tcc_emit_fcmp(o->e, is_max ? "ogt" : "olt", o->type, b, a), b, a);
}

TccVal tcc_scalar_combine(TccEmit *e, TccStr kind, TccElem elem, int lanes, TccVal a, TccVal b) {
  Ops o = ops_of(e, elem, lanes);
  bool f = tcc_elem_is_float(elem);
  if (tcc_str_is(kind, "sum") || tcc_str_is(kind, "add"))
    return tcc_emit_bin(e, f ? "fadd" : elem == TCC_ELEM_BOOL ? "or" : "add", o.type, a, b);
  if (tcc_str_is(kind, "prod") || tcc_str_is(kind, "mul"))
    return tcc_emit_bin(e, f ? "fmul" : elem == TCC_ELEM_BOOL ? "and" : "mul", o.type, a, b);
  if (tcc_str_is(kind, "max")) return extreme(&o, true, a, b);
  if (tcc_str_is(kind, "min")) return extreme(&o, false, a, b);
  if (tcc_str_is(kind, "and")) return tcc_emit_bin(e, "and", o.type, a, b);
  if (tcc_str_is(kind, "or")) return tcc_emit_bin(e, "or", o.type, a, b);
  return b;
}

TccVal tcc_scalar_neutral(TccEmit *e, TccStr kind, TccElem elem, int lanes) {
  Ops o = ops_of(e, elem, lanes);
  bool max = tcc_str_is(kind, "max"), min = tcc_str_is(kind, "min"), f = tcc_elem_is_float(elem);
  if (tcc_str_is(kind, "prod") || tcc_str_is(kind, "mul")) return f ? tcc_emit_float(e, o.type, 1) : tcc_emit_int(e, o.type, 1);
  if (tcc_str_is(kind, "and")) return tcc_emit_int(e, o.type, elem == TCC_ELEM_BOOL ? 1 : -1);
  if (!max && !min) return tcc_emit_zero(e, o.type);
  if (f) return tcc_emit_float(e, o.type, max ? -INFINITY : INFINITY);
  if (is_unsigned(elem)) return max ? tcc_emit_zero(e, o.type) : tcc_emit_int(e, o.type, elem == TCC_ELEM_BOOL ? 1 : -1);
  unsigned bits = tcc_elem_bits(elem);
  int64_t least = bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1));
  return tcc_emit_int(e, o.type, max ? least : -(least + 1));
}

TccVal tcc_scalar_fold(TccEmit *e, TccStr kind, TccElem elem, int lanes, TccVal v) {
  const char *type = tcc_emit_vector(e, tcc_scalar_type(elem), lanes);
  while (lanes > 1) { /* halves onto each other */
    lanes /= 2;
    const char *half = tcc_emit_vector(e, tcc_scalar_type(elem), lanes);
    TccVal parts[2];
    for (int part = 0; part < 2; part++) {
      if (lanes == 1) {
        parts[part] = tcc_emit_extract(e, type, v, part);
        continue;
      }
      parts[part] = tcc_emit_slice(e, type, v, part * lanes, lanes);
    }
    v = tcc_scalar_combine(e, kind, elem, lanes, parts[0], parts[1]);
    type = half;
  }
  return v;
}

/* Neighbours of a and b, the even or the odd ones: single lanes within each four, as one instruction takes them, or runs of four. */
static TccVal alternate(TccEmit *e, int lanes, int run, bool odd, TccVal a, TccVal b) {
  int index[64];
  for (int i = 0; i < lanes; i++)
    index[i] = run == 1 ? i / 4 * 4 + i % 2 * 2 + odd + (i % 4 < 2 ? 0 : lanes) : (i / 4 * 2 + odd) * 4 + i % 4;
  return tcc_emit_shuffle(e, tcc_emit_vector(e, "f32", lanes), a, b, index);
}

static TccVal add_neighbours(TccEmit *e, int lanes, int run, TccVal a, TccVal b) {
  return tcc_emit_bin(e, "fadd", tcc_emit_vector(e, "f32", lanes), alternate(e, lanes, run, false, a, b),
                      alternate(e, lanes, run, true, a, b));
}

TccVal tcc_scalar_sums(TccEmit *e, int lanes, int count, const TccVal *v) {
  assert(count >= 4 && count <= lanes && (count & (count - 1)) == 0);
  TccVal sums[64];
  memcpy(sums, v, sizeof *v * (size_t)count);
  for (int left = count / 2, round = 0; left > 0; left /= 2, round++)
    for (int i = 0; i < left; i++) sums[i] = add_neighbours(e, lanes, round < 2 ? 1 : 4, sums[2 * i], sums[2 * i + 1]);
  for (; lanes > count; lanes /= 2)
    sums[0] = tcc_emit_slice(e, tcc_emit_vector(e, "f32", lanes), add_neighbours(e, lanes, 4, sums[0], sums[0]), 0, lanes / 2);
  return sums[0];
}

/* ---- single ops on computing types ---- */

static TccVal number(const Ops *o, double v) {
  return tcc_elem_is_float(o->elem) ? tcc_emit_float(o->e, o->type, v) : tcc_emit_int(o->e, o->type, (int64_t)v);
}
static TccVal all_ones(const Ops *o) { return tcc_emit_int(o->e, o->type, o->elem == TCC_ELEM_BOOL ? 1 : -1); }
static TccVal bin(const Ops *o, const char *name, TccVal a, TccVal b) { return tcc_emit_bin(o->e, name, o->type, a, b); }
static TccVal choose(const Ops *o, TccVal c, TccVal a, TccVal b) { return tcc_emit_select(o->e, o->type, c, a, b); }

static TccVal compare(const Ops *o, const char *predicate, TccVal a, TccVal b) {
  char name[8];
  bool equality = !strcmp(predicate, "eq") || !strcmp(predicate, "ne"), is_float = tcc_elem_is_float(o->elem);
  const char *prefix = is_float ? (!strcmp(predicate, "ne") ? "u" : "o") : equality ? "" : is_unsigned(o->elem) ? "u" : "s";
  snprintf(name, sizeof name, "%s%s", prefix, predicate);
  return is_float ? tcc_emit_fcmp(o->e, name, o->type, a, b) : tcc_emit_icmp(o->e, name, o->type, a, b);
}

static TccVal divide(const Ops *o, TccVal a, TccVal b) {
  const TccScalarFunctions *own = tcc_scalar_functions(o->e, o->type);
  return own && own->near_divide && o->e->narrow ? own->near_divide(o->e, a, b) : bin(o, "fdiv", a, b);
}

/* A float that holds a 64-bit integer within 2^51 in its low bits. */
static TccVal integer_bits(const Ops *o, const Ops *floats, TccVal v, bool to_float) {
  const double magic = 0x1.8p52;
  uint64_t bits;
  memcpy(&bits, &magic, sizeof bits);
  TccVal offset = tcc_emit_int(o->e, o->type, (int64_t)bits);
  if (to_float) {
    v = tcc_emit_cast(o->e, "bitcast", o->type, floats->type, bin(o, "add", v, offset));
    return bin(floats, "fsub", v, number(floats, magic));
  }
  return bin(o, "sub", tcc_emit_cast(o->e, "bitcast", floats->type, o->type, bin(floats, "fadd", v, number(floats, magic))),
             offset);
}

/* Lanes of 64 bits: where all numbers are within 2^51, as doubles, of which what is left is exact, too. */
static TccVal divide_words(const Ops *o, bool remainder, TccVal a, TccVal b) {
  TccEmit *e = o->e;
  const Ops floats = ops_of(e, TCC_ELEM_F64, o->lanes);
  const char *flags = tcc_emit_vector(e, "i1", o->lanes);
  const bool is_signed = !is_unsigned(o->elem);
  TccVal half = tcc_emit_int(e, o->type, is_signed ? INT64_C(1) << 51 : 0),
         whole = tcc_emit_int(e, o->type, INT64_C(1) << (is_signed ? 52 : 51)), far = 0;
  for (int i = 0; i < 2; i++) {
    TccVal beyond = tcc_emit_icmp(e, "uge", o->type, bin(o, "add", i ? b : a, half), whole);
    far = far ? tcc_emit_bin(e, "or", flags, far, beyond) : beyond;
  }
  TccIf some;
  tcc_emit_if_rare(e, &some, tcc_emit_any_lane(e, o->lanes, far), 1, &o->type);
  TccVal exact = bin(o, is_signed ? (remainder ? "srem" : "sdiv") : remainder ? "urem" : "udiv", a, b);
  tcc_emit_else(e, &some, &exact);
  TccVal x = integer_bits(o, &floats, a, true), y = integer_bits(o, &floats, b, true), near = bin(&floats, "fdiv", x, y);
  near = tcc_emit_intrinsic(e, "trunc", floats.type, 1, &near);
  if (remainder) near = bin(&floats, "fsub", x, bin(&floats, "fmul", near, y));
  near = integer_bits(o, &floats, near, false);
  tcc_emit_end_if(e, &some, &near);
  return some.out[0];
}

/* Lanes of integers, b not 0: no vector machine divides them but one by one. A quotient of floats that hold both, and their sum, exactly, is cut to the
 * right integer, since the next one is 1 / b away, more than half of a last place. */
static TccVal divide_lanes(const Ops *o, bool remainder, TccVal a, TccVal b) {
  TccEmit *e = o->e;
  const unsigned bits = tcc_elem_bits(o->elem);
  const bool is_signed = !is_unsigned(o->elem);
  if (bits > 32) return divide_words(o, remainder, a, b);
  const Ops floats = ops_of(e, bits < 32 ? TCC_ELEM_F32 : TCC_ELEM_F64, o->lanes), words = ops_of(e, TCC_ELEM_I32, o->lanes);
  TccVal x[] = {a, b};
  for (int i = 0; i < 2; i++) {
    if (bits < 32) x[i] = tcc_emit_cast(e, is_signed ? "sext" : "zext", o->type, words.type, x[i]);
    x[i] = tcc_emit_cast(e, bits < 32 || is_signed ? "sitofp" : "uitofp", words.type, floats.type, x[i]);
  }
  TccVal q =
      tcc_emit_cast(e, bits < 32 || is_signed ? "fptosi" : "fptoui", floats.type, words.type, bin(&floats, "fdiv", x[0], x[1]));
  if (bits < 32) q = tcc_emit_cast(e, "trunc", words.type, o->type, q);
  return remainder ? bin(o, "sub", a, bin(o, "mul", q, b)) : q;
}

/* fixed: b is a number of the program, by which LLVM multiplies. */
static TccVal quotient_of(const Ops *o, bool remainder, bool fixed, TccVal a, TccVal b) {
  const unsigned bits = tcc_elem_bits(o->elem);
  if (o->lanes > 1 && bits >= 8 && (!fixed || bits > 32)) return divide_lanes(o, remainder, a, b);
  return is_unsigned(o->elem) ? bin(o, remainder ? "urem" : "udiv", a, b) : bin(o, remainder ? "srem" : "sdiv", a, b);
}

/* Integer division that never traps: by zero gives 0, the least value by -1 wraps. */
static TccVal safe_divide(const Ops *o, bool remainder, bool fixed, TccVal a, TccVal b) {
  TccVal zero = number(o, 0), one = number(o, 1), is_zero = compare(o, "eq", b, zero), divisor = choose(o, is_zero, one, b);
  if (is_unsigned(o->elem)) return choose(o, is_zero, zero, quotient_of(o, remainder, fixed, a, divisor));
  TccVal is_minus = compare(o, "eq", b, all_ones(o));
  TccVal quotient = quotient_of(o, remainder, fixed, a, choose(o, is_minus, one, divisor));
  TccVal wrapped = remainder ? zero : bin(o, "sub", zero, a);
  return choose(o, is_zero, zero, choose(o, is_minus, wrapped, quotient));
}

static TccVal modulo(const Ops *o, TccVal a, TccVal b, bool fixed, bool floored) {
  bool f = tcc_elem_is_float(o->elem);
  TccVal r = f ? tcc_math_fmod(o->e, o->type, a, b) : safe_divide(o, true, fixed, a, b);
  if (!floored || (!f && is_unsigned(o->elem))) return r;
  const char *flags = tcc_emit_vector(o->e, "i1", o->lanes);
  TccVal zero = number(o, 0), differ = tcc_emit_bin(o->e, "xor", flags, compare(o, "lt", r, zero), compare(o, "lt", b, zero));
  TccVal fix = tcc_emit_bin(o->e, "and", flags, differ, compare(o, "ne", r, zero));
  return choose(o, fix, bin(o, f ? "fadd" : "add", r, b), r);
}

static TccVal shift(const Ops *o, bool left, TccVal a, TccVal b) {
  TccVal width = number(o, tcc_elem_bits(o->elem)), most = number(o, tcc_elem_bits(o->elem) - 1), zero = number(o, 0);
  TccVal over = tcc_emit_icmp(o->e, "uge", o->type, b, width);
  bool arithmetic = !left && tcc_elem_is_signed(o->elem);
  TccVal r = bin(o, left ? "shl" : arithmetic ? "ashr" : "lshr", a, choose(o, over, most, b));
  return arithmetic ? r : choose(o, over, zero, r);
}

/* Integer power by squaring over the low 16 bits of the exponent; a negative exponent leaves 1/a truncated. */
static TccVal integer_power(const Ops *o, TccVal a, TccVal b) {
  TccVal zero = number(o, 0), one = number(o, 1), r = one, square = a;
  int bits = (int)tcc_elem_bits(o->elem) - 1 < 16 ? (int)tcc_elem_bits(o->elem) - 1 : 16;
  for (int i = 0; i < bits; i++) {
    TccVal on = compare(o, "ne", bin(o, "and", b, number(o, (double)(1 << i))), zero);
    r = choose(o, on, bin(o, "mul", r, square), r);
    if (i + 1 < bits) square = bin(o, "mul", square, square);
  }
  if (is_unsigned(o->elem)) return r;
  TccVal unit = choose(o, compare(o, "eq", a, one), one, zero);
  TccVal sign = choose(o, compare(o, "ne", bin(o, "and", b, one), zero), all_ones(o), one);
  TccVal inverse = choose(o, compare(o, "eq", a, all_ones(o)), sign, unit);
  return choose(o, compare(o, "lt", b, zero), inverse, r);
}

/* x^(magnitude) of quarters up to 3/2, by square roots. pow(-0) is 0, pow(-inf) infinite. */
static bool power_of_roots(const Ops *o, double magnitude, TccVal x, TccVal *out) {
  if (magnitude != 0.25 && magnitude != 0.5 && magnitude != 0.75 && magnitude != 1.5) return false;
  x = choose(o, compare(o, "eq", x, number(o, -INFINITY)), number(o, INFINITY), bin(o, "fadd", x, number(o, 0)));
  TccVal root = tcc_emit_intrinsic(o->e, "sqrt", o->type, 1, &x);
  *out = root;
  if (magnitude == 1.5) *out = bin(o, "fmul", x, root);
  if (magnitude < 0.5 || magnitude == 0.75) *out = tcc_emit_intrinsic(o->e, "sqrt", o->type, 1, &root);
  if (magnitude == 0.75) *out = bin(o, "fmul", root, *out);
  return true;
}

/* Exponents that are constants of the program: x^2, x^3, x^4, square roots and their inverses need no logarithm. In eager numerics x^2, x^3 and x^-2
 * alone do not, as in PyTorch, which rounds each of their steps to bf16 but not to f16. base: x's type, of which o computes in the wide one. */
static bool power_of_constant(const Ops *o, TccIr *ir, MlirValue exponent, TccElem base, TccVal x, TccVal *out) {
  size_t count;
  const void *data = tcc_value_kind(ir, exponent) == TCC_OP_CONSTANT ? tcc_constant_data(ir, exponent, &count) : NULL;
  if (!data || count != 1) return false;
  double p = tcc_elem_load_f64(tcc_type_elem(tcc_value_type(exponent)), data, 0), magnitude = fabs(p);
  if (o->e->eager && (magnitude == 4 || p == -3)) return false;
  TccVal square = 0, r;
  if (magnitude == 2 || magnitude == 3 || magnitude == 4) square = bin(o, "fmul", x, x);
  if (square && o->e->eager && base == TCC_ELEM_BF16)
    square = tcc_scalar_convert(o->e, base, o->elem, o->lanes, tcc_scalar_convert(o->e, o->elem, base, o->lanes, square));
  if (magnitude == 1) r = x;
  else if (magnitude == 2) r = square;
  else if (magnitude == 3) r = bin(o, "fmul", square, x);
  else if (magnitude == 4) r = bin(o, "fmul", square, square);
  else if (o->e->eager || !power_of_roots(o, magnitude, x, &r)) return false;
  *out = p < 0 ? bin(o, "fdiv", number(o, 1), r) : r;
  return true;
}

static TccVal absolute(const Ops *o, TccVal x) {
  if (tcc_elem_is_float(o->elem)) return tcc_emit_intrinsic(o->e, "fabs", o->type, 1, &x);
  return is_unsigned(o->elem) ? x : choose(o, compare(o, "lt", x, number(o, 0)), bin(o, "sub", number(o, 0), x), x);
}

/* Zeros and NaN give themselves. */
static TccVal sign(const Ops *o, TccVal x) {
  TccVal zero = number(o, 0), low = is_unsigned(o->elem) ? zero : choose(o, compare(o, "lt", x, zero), number(o, -1), x);
  return choose(o, compare(o, "gt", x, zero), number(o, 1), low);
}

static TccVal is_infinite(const Ops *o, TccVal x, bool positive, bool negative) {
  const char *flags = tcc_emit_vector(o->e, "i1", o->lanes);
  TccVal none = tcc_emit_int(o->e, flags, 0);
  TccVal high = positive ? compare(o, "eq", x, number(o, INFINITY)) : none;
  TccVal low = negative ? compare(o, "eq", x, number(o, -INFINITY)) : none;
  return tcc_emit_bin(o->e, "or", flags, high, low);
}

/* Both operands are alike for most; a number as one of them saves the handling of NaN for it. */
static TccVal extreme_of(const Ops *o, TccIr *ir, MlirOperation op, bool max, const TccVal *x) {
  if (is_number(ir, mlirOperationGetOperand(op, 1))) return extreme_of_number(o, max, x[0], x[1]);
  if (is_number(ir, mlirOperationGetOperand(op, 0))) return extreme_of_number(o, max, x[1], x[0]);
  return extreme(o, max, x[0], x[1]);
}

/* Functions that LLVM has for every float; NULL: it is none. */
static const char *float_intrinsic(TccOpKind kind) {
  switch (kind) {
  case TCC_OP_FLOOR: return "floor";
  case TCC_OP_CEIL: return "ceil";
  case TCC_OP_ROUND: return "roundeven";
  case TCC_OP_TRUNC: return "trunc";
  case TCC_OP_SQRT: return "sqrt";
  default: return NULL;
  }
}

/* Whether all that comes of the op's result is its sum with 1. */
static bool is_beside_one(TccIr *ir, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(result); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation sum = mlirOpOperandGetOwner(use);
    TccElem elem;
    if (tcc_op_kind(ir, sum) != TCC_OP_ADD) return false;
    const unsigned other = mlirOpOperandGetOperandNumber(use) == 0 ? 1 : 0;
    const void *number = tcc_read_number(ir, mlirOperationGetOperand(sum, other), &elem);
    if (!number || tcc_elem_load_f64(elem, number, 0) != 1) return false;
  }
  return true;
}

/* The op's first operand, if that is the result of such an op; else null. */
static MlirOperation operand_made_by(TccIr *ir, MlirOperation op, TccOpKind kind) {
  MlirValue value = mlirOperationGetOperand(op, 0);
  MlirOperation made = mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
  return made.ptr && tcc_op_kind(ir, made) == kind ? made : (MlirOperation){NULL};
}

/* e^-|x|, as softplus has it */
static bool is_at_most_one(TccIr *ir, MlirOperation user) {
  MlirOperation power = operand_made_by(ir, user, TCC_OP_EXP),
                negative = power.ptr ? operand_made_by(ir, power, TCC_OP_NEG) : (MlirOperation){NULL};
  return negative.ptr && operand_made_by(ir, negative, TCC_OP_ABS).ptr;
}

static TccStatus *compute(const Ops *o, TccIr *ir, MlirOperation op, TccOpKind kind, const TccVal *x, TccVal *out) {
  TccEmit *e = o->e;
  bool f = tcc_elem_is_float(o->elem);
  if (kind == TCC_OP_EXP && is_beside_one(ir, op) && tcc_math_exp_beside_one(e, o->type, x[0], out)) return NULL;
  if (f && kind == TCC_OP_LOG1P && !e->eager && is_at_most_one(ir, op)) {
    *out = tcc_math_log1p_to_one(e, o->type, x[0]);
    return NULL;
  }
  if (f && tcc_math_function(e, kind, o->type, x[0], out)) return NULL;
  const char *intrinsic = f ? float_intrinsic(kind) : NULL;
  if (intrinsic) {
    *out = tcc_emit_intrinsic(e, intrinsic, o->type, 1, x);
    return NULL;
  }
  switch (kind) {
  case TCC_OP_NEG: *out = f ? bin(o, "fsub", number(o, -0.0), x[0]) : bin(o, "sub", number(o, 0), x[0]); break;
  case TCC_OP_ABS: *out = absolute(o, x[0]); break;
  case TCC_OP_SIGN: *out = sign(o, x[0]); break;
  case TCC_OP_RSQRT: *out = bin(o, "fdiv", number(o, 1), tcc_emit_intrinsic(e, "sqrt", o->type, 1, x)); break;
  case TCC_OP_RECIPROCAL: *out = bin(o, "fdiv", number(o, 1), x[0]); break;
  case TCC_OP_NOT: *out = bin(o, "xor", x[0], all_ones(o)); break;
  case TCC_OP_IS_NAN: *out = tcc_emit_fcmp(e, "uno", o->type, x[0], x[0]); break;
  case TCC_OP_IS_INF: *out = is_infinite(o, x[0], tcc_bool(ir, op, "positive"), tcc_bool(ir, op, "negative")); break;
  case TCC_OP_ADD: *out = bin(o, f ? "fadd" : "add", x[0], x[1]); break;
  case TCC_OP_SUB: *out = bin(o, f ? "fsub" : "sub", x[0], x[1]); break;
  case TCC_OP_MUL: *out = bin(o, f ? "fmul" : "mul", x[0], x[1]); break;
  case TCC_OP_DIV:
    *out = f ? divide(o, x[0], x[1]) : safe_divide(o, false, is_number(ir, mlirOperationGetOperand(op, 1)), x[0], x[1]);
    break;
  case TCC_OP_MOD: *out = modulo(o, x[0], x[1], is_number(ir, mlirOperationGetOperand(op, 1)), true); break;
  case TCC_OP_FMOD: *out = modulo(o, x[0], x[1], is_number(ir, mlirOperationGetOperand(op, 1)), false); break;
  case TCC_OP_MIN:
  case TCC_OP_MAX: *out = extreme_of(o, ir, op, kind == TCC_OP_MAX, x); break;
  case TCC_OP_AND: *out = bin(o, "and", x[0], x[1]); break;
  case TCC_OP_OR: *out = bin(o, "or", x[0], x[1]); break;
  case TCC_OP_XOR: *out = bin(o, "xor", x[0], x[1]); break;
  case TCC_OP_SHIFT_LEFT: *out = shift(o, true, x[0], x[1]); break;
  case TCC_OP_SHIFT_RIGHT: *out = shift(o, false, x[0], x[1]); break;
  case TCC_OP_ATAN2: *out = tcc_math_atan2(e, o->type, x[0], x[1]); break;
  case TCC_OP_COMPARE: {
    TccStr predicate = tcc_string(ir, op, "predicate");
    char name[4] = {predicate.data[0], predicate.data[1]};
    *out = compare(o, name, x[0], x[1]);
    break;
  }
  default: return TCC_ERROR(TCC_UNSUPPORTED, "no code for '%s' on %s", tcc_op_name(kind), tcc_elem_name(o->elem));
  }
  return NULL;
}

static TccVal power(TccEmit *e, TccIr *ir, MlirOperation op, TccElem base, int lanes, const TccVal *x) {
  TccElem exponent = tcc_type_elem(tcc_value_type(mlirOperationGetOperand(op, 1)));
  if (tcc_elem_is_float(base)) {
    TccElem wide = tcc_elem_accumulator(base);
    Ops o = ops_of(e, wide, lanes);
    TccVal a = tcc_scalar_convert(e, base, wide, lanes, x[0]), r;
    if (!power_of_constant(&o, ir, mlirOperationGetOperand(op, 1), base, a, &r))
      r = tcc_math_pow(e, o.type, a, tcc_scalar_convert(e, exponent, wide, lanes, x[1]));
    return tcc_scalar_convert(e, wide, base, lanes, r);
  }
  Ops o = ops_of(e, base, lanes);
  if (!tcc_elem_is_float(exponent)) return integer_power(&o, x[0], tcc_scalar_convert(e, exponent, base, lanes, x[1]));
  /* An integer to a float power is cut to an integer: a power that is whole must not fall short of it by a rounding. */
  Ops wide = ops_of(e, TCC_ELEM_F64, lanes);
  TccVal a = tcc_scalar_convert(e, base, TCC_ELEM_F64, lanes, x[0]), b = tcc_scalar_convert(e, exponent, TCC_ELEM_F64, lanes, x[1]);
  TccVal r = tcc_math_pow(e, wide.type, a, b), whole = tcc_emit_intrinsic(e, "roundeven", wide.type, 1, &r),
         off = bin(&wide, "fsub", r, whole);
  TccVal near = compare(&wide, "le", tcc_emit_intrinsic(e, "fabs", wide.type, 1, &off),
                        bin(&wide, "fmul", number(&wide, 1e-12), tcc_emit_intrinsic(e, "fabs", wide.type, 1, &r)));
  return tcc_scalar_convert(e, TCC_ELEM_F64, base, lanes, choose(&wide, near, whole, r));
}

static TccVal convert(TccEmit *e, TccIr *ir, MlirOperation op, TccElem from, TccElem to, int lanes, TccVal x) {
  if (!tcc_narrow_is_float(to) || tcc_bool(ir, op, "saturate")) return tcc_scalar_convert(e, from, to, lanes, x);
  if (from == to) return x;
  TccVal single = from == TCC_ELEM_F64 ? f64_to_f32(e, lanes, x, !e->eager) : tcc_scalar_convert(e, from, TCC_ELEM_F32, lanes, x);
  return tcc_narrow_from_f32(e, to, false, lanes, single);
}

/* The type that an elementwise op is computed in, its result being rounded, or wrapped, once. Of floats of 8 and 4 bits there are comparisons
 * alone: beyond their largest number, what a sum is in them is nowhere written down. */
static TccElem computes_in(TccElem elem) {
  if (tcc_elem_bits(elem) < 8 && !tcc_elem_is_float(elem)) return tcc_elem_is_signed(elem) ? TCC_ELEM_I8 : TCC_ELEM_U8;
  return tcc_narrow_is_float(elem) ? TCC_ELEM_F32 : tcc_elem_accumulator(elem);
}

TccStatus *tcc_scalar_op(TccEmit *e, TccIr *ir, MlirOperation op, int lanes, const TccVal *x, TccVal *out) {
  TccOpKind kind = tcc_op_kind(ir, op);
  TccElem from = tcc_type_elem(tcc_value_type(mlirOperationGetOperand(op, 0)));
  TccElem elem = tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0)));
  *out = 0;
  if (!tcc_scalar_type(from) || !tcc_scalar_type(elem))
    return TCC_ERROR(TCC_UNSUPPORTED, "no code for '%s' on %s", tcc_op_name(kind),
                     tcc_elem_name(tcc_scalar_type(from) ? elem : from));
  switch (kind) {
  case TCC_OP_CONVERT: *out = convert(e, ir, op, from, elem, lanes, x[0]); return NULL;
  case TCC_OP_SELECT: *out = tcc_emit_select(e, tcc_emit_vector(e, tcc_scalar_type(elem), lanes), x[0], x[1], x[2]); return NULL;
  case TCC_OP_POW: *out = power(e, ir, op, from, lanes, x); return NULL;
  case TCC_OP_RANDOM: *out = tcc_scalar_random(e, lanes, x[0], x[1], x[2]); return NULL;
  case TCC_OP_BITCAST: {
    const char *a = tcc_emit_vector(e, tcc_scalar_type(from), lanes), *b = tcc_emit_vector(e, tcc_scalar_type(elem), lanes);
    if (from == TCC_ELEM_BOOL || elem == TCC_ELEM_BOOL) *out = tcc_scalar_convert(e, from, elem, lanes, x[0]); /* a byte 0 or 1 */
    else *out = tcc_narrow_wrap(e, elem, lanes, tcc_emit_cast(e, "bitcast", a, b, x[0]));
    return NULL;
  }
  default: break;
  }
  if (tcc_narrow_is_float(elem))
    return TCC_ERROR(TCC_UNSUPPORTED, "'%s' on %s, which does not compute", tcc_op_name(kind), tcc_elem_name(elem));
  TccElem wide = computes_in(from);
  Ops o = ops_of(e, wide, lanes);
  if (wide == from) return compute(&o, ir, op, kind, x, out);
  TccVal widened[3] = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && i < 3; i++)
    widened[i] = tcc_scalar_convert(e, from, wide, lanes, x[i]);
  TCC_TRY(compute(&o, ir, op, kind, widened, out));
  if (elem != TCC_ELEM_BOOL) *out = tcc_scalar_convert(e, wide, elem, lanes, *out);
  return NULL;
}

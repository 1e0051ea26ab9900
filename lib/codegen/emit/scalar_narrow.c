/* scalar_narrow.c - see scalar_narrow.h. In integer arithmetic on the bits of f32, which holds each of these numbers; subnormal ones
 * by a sum with a power of two whose last place is theirs, so that no step depends on how the machine treats its own. */
#include "lib/codegen/emit/scalar_narrow.h"
#include <math.h>

enum { F32_FRACTION = 23, F32_BIAS = 127, F32_INFINITY = 0x7f800000, F32_NAN = 0x7fc00000 };

typedef struct {
  TccEmit *e;
  const char *word, *f32;
  int lanes;
} Words;

static Words words_of(TccEmit *e, int lanes) {
  return (Words){e, tcc_emit_vector(e, "i32", lanes), tcc_emit_vector(e, "f32", lanes), lanes};
}

static TccVal number(Words *w, int64_t value) { return tcc_emit_int(w->e, w->word, value); }
static TccVal bin(Words *w, const char *op, TccVal a, int64_t b) { return tcc_emit_bin(w->e, op, w->word, a, number(w, b)); }
static TccVal is(Words *w, const char *how, TccVal a, int64_t b) { return tcc_emit_icmp(w->e, how, w->word, a, number(w, b)); }
static TccVal choose(Words *w, TccVal flag, TccVal a, TccVal b) { return tcc_emit_select(w->e, w->word, flag, a, b); }
static TccVal to_float(Words *w, TccVal bits) { return tcc_emit_cast(w->e, "bitcast", w->word, w->f32, bits); }
static TccVal to_bits(Words *w, TccVal x) { return tcc_emit_cast(w->e, "bitcast", w->f32, w->word, x); }

bool tcc_narrow_is_float(TccElem elem) { return tcc_elem_is_float(elem) && !tcc_elem_computes(elem); }

static TccVal e8m0_to_f32(Words *w, TccVal bits) {
  TccVal normal = bin(w, "shl", bits, F32_FRACTION);
  TccVal least =
      choose(w, is(w, "eq", bits, 0), number(w, 1 << (F32_FRACTION - 1)), normal); /* 2^-127, which f32 has as a subnormal */
  return to_float(w, choose(w, is(w, "eq", bits, 255), number(w, F32_NAN), least));
}

TccVal tcc_narrow_to_f32(TccEmit *e, TccElem from, int lanes, TccVal v) {
  Words w = words_of(e, lanes);
  TccSmallFloat f;
  TccVal bits = tcc_emit_cast(e, "zext", tcc_emit_vector(e, "i8", lanes), w.word, v);
  if (!tcc_elem_small_float(from, &f)) return e8m0_to_f32(&w, bits);
  const int top = f.fraction + f.exponent, shift = F32_FRACTION - f.fraction;
  TccVal sign = bin(&w, "shl", bin(&w, "and", bits, 1 << top), 31 - top), size = bin(&w, "and", bits, (1 << top) - 1);
  TccVal wide = bin(&w, "add", bin(&w, "shl", size, shift), (int64_t)(F32_BIAS - f.bias) << F32_FRACTION);
  /* 2^(1 - bias) (1 + fraction), less that power. */
  TccVal above = to_float(&w, bin(&w, "add", wide, 1 << F32_FRACTION));
  TccVal power = to_float(&w, number(&w, (int64_t)(F32_BIAS + 1 - f.bias) << F32_FRACTION));
  TccVal r = choose(&w, is(&w, "ult", size, 1 << f.fraction), to_bits(&w, tcc_emit_bin(e, "fsub", w.f32, above, power)), wide);
  const int64_t infinity = ((1 << f.exponent) - 1) << f.fraction;
  if (f.kind == TCC_SMALL_IEEE) {
    r = choose(&w, is(&w, "eq", size, infinity), number(&w, F32_INFINITY), r);
    r = choose(&w, is(&w, "ugt", size, infinity), number(&w, F32_NAN), r);
  } else if (f.kind != TCC_SMALL_FINITE) {
    r = choose(&w, is(&w, "eq", f.kind == TCC_SMALL_FN ? size : bits, tcc_small_float_nan(f)), number(&w, F32_NAN), r);
  }
  return to_float(&w, tcc_emit_bin(e, "or", w.word, r, sign));
}

static TccVal f32_to_e8m0(Words *w, TccVal size) {
  TccVal up = bin(w, "lshr", bin(w, "add", size, (1 << F32_FRACTION) - 1), F32_FRACTION);
  up = choose(w, is(w, "ugt", up, 254), number(w, 254), up);
  up = choose(w, is(w, "ule", size, 1 << (F32_FRACTION - 1)), number(w, 0), up);
  return choose(w, is(w, "uge", size, F32_INFINITY), number(w, 255), up);
}

/* Numbers and infinities of this size, without the sign. */
static TccVal round_size(Words *w, TccSmallFloat f, bool saturate, TccVal size) {
  const int shift = F32_FRACTION - f.fraction;
  TccVal odd = bin(w, "and", bin(w, "lshr", size, shift), 1);
  TccVal up = tcc_emit_bin(w->e, "add", w->word, bin(w, "add", size, (1 << (shift - 1)) - 1), odd);
  TccVal normal = bin(w, "sub", bin(w, "lshr", up, shift), (int64_t)(F32_BIAS - f.bias) << f.fraction);
  const int64_t unit = (int64_t)(F32_BIAS + 1 - f.bias + shift)
                       << F32_FRACTION; /* of whose last place subnormal ones are multiples */
  TccVal sum = tcc_emit_bin(w->e, "fadd", w->f32, to_float(w, size), to_float(w, number(w, unit)));
  TccVal is_small = is(w, "ult", size, (int64_t)(F32_BIAS + 1 - f.bias) << F32_FRACTION);
  TccVal r = choose(w, is_small, bin(w, "sub", to_bits(w, sum), unit), normal);
  const unsigned largest = tcc_small_float_largest(f), beyond = tcc_small_float_store(f, HUGE_VAL, saturate);
  return choose(w, is(w, "ugt", r, largest), number(w, beyond), r);
}

TccVal tcc_narrow_from_f32(TccEmit *e, TccElem to, bool saturate, int lanes, TccVal v) {
  Words w = words_of(e, lanes);
  TccSmallFloat f;
  TccVal bits = to_bits(&w, v), size = bin(&w, "and", bits, INT32_MAX), r;
  if (tcc_elem_small_float(to, &f)) {
    const int top = f.fraction + f.exponent;
    TccVal sign = bin(&w, "and", bin(&w, "lshr", bits, 31 - top), 1 << top);
    r = round_size(&w, f, saturate, size);
    if (f.kind == TCC_SMALL_FNUZ) sign = choose(&w, is(&w, "eq", r, 0), r, sign); /* the negative zero is NaN */
    r = choose(&w, is(&w, "ugt", size, F32_INFINITY), number(&w, tcc_small_float_nan(f)), r);
    r = tcc_emit_bin(e, "or", w.word, r, sign);
  } else {
    r = f32_to_e8m0(&w, size);
  }
  return tcc_emit_cast(e, "trunc", w.word, tcc_emit_vector(e, "i8", lanes), r);
}

TccVal tcc_narrow_wrap(TccEmit *e, TccElem elem, int lanes, TccVal v) {
  const int bits = (int)tcc_elem_bits(elem);
  const char *bytes = tcc_emit_vector(e, "i8", lanes);
  if (bits >= 8) return v;
  if (!tcc_elem_is_signed(elem)) return tcc_emit_bin(e, "and", bytes, v, tcc_emit_int(e, bytes, (1 << bits) - 1));
  TccVal up = tcc_emit_int(e, bytes, 8 - bits);
  return tcc_emit_bin(e, "ashr", bytes, tcc_emit_bin(e, "shl", bytes, v, up), up);
}

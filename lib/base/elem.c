/* elem.c - element types: facts from the table, and exact conversions to and from double and int64.
 *
 * Small floats go through one routine each way: sign, exponent and fraction fields of given widths, rounding to nearest
 * even from double. The formats differ in how they spend the largest exponent (IEEE: infinities and NaN; FN: only NaN,
 * at all ones; FNUZ: NaN is the negative zero, bias one larger; FINITE: numbers only). */
#include "tcc/elem.h"
#include <math.h>

typedef struct {
  const char *name, *numpy;
  unsigned bits;
  int onnx;
  const char *kind;
} Row;
static const Row rows[TCC_ELEM_COUNT] = {[TCC_ELEM_NONE] = {"none", "", 0, 0, "-"},
#define TCC_ELEM(SYM, mlir, bits, onnx, npy, kind) [TCC_ELEM_##SYM] = {mlir, npy, bits, onnx, #kind},
                                         TCC_ELEMS(TCC_ELEM)
#undef TCC_ELEM
};

const char *tcc_elem_name(TccElem elem) { return rows[elem].name; }
unsigned tcc_elem_bits(TccElem elem) { return rows[elem].bits; }
size_t tcc_elem_bytes(TccElem elem, size_t n) {
  if (rows[elem].bits >= 8) return n * (rows[elem].bits / 8);
  size_t each = rows[elem].bits ? 8 / rows[elem].bits : 1; /* in a byte; their bits together may be more than a size_t holds */
  return rows[elem].bits ? n / each + (n % each != 0) : 0;
}
bool tcc_elem_dense_bytes(TccElem elem, const int64_t *dims, size_t rank, size_t *out_count, size_t *out_bytes) {
  size_t count = 1, bits;
  bool empty = false, fits = true;
  for (size_t i = 0; i < rank; i++) {
    if (dims[i] < 0) return false;
    empty |= dims[i] == 0;
    fits = fits && tcc_mul_size(count, (size_t)dims[i], &count);
  }
  if (empty) count = 0;
  if (!empty && (!fits || !tcc_mul_size(count, rows[elem].bits, &bits))) return false;
  if (out_count) *out_count = count;
  *out_bytes = tcc_elem_bytes(elem, count);
  return true;
}
bool tcc_elem_is_float(TccElem elem) { return rows[elem].kind[0] == 'F'; }
bool tcc_elem_is_signed(TccElem elem) { return rows[elem].kind[0] == 'S'; }
bool tcc_elem_is_unsigned(TccElem elem) { return rows[elem].kind[0] == 'U'; }
bool tcc_elem_is_integer(TccElem elem) { return rows[elem].kind[0] == 'S' || rows[elem].kind[0] == 'U'; }
bool tcc_elem_computes(TccElem elem) { return elem != TCC_ELEM_NONE && !(tcc_elem_is_float(elem) && rows[elem].bits < 16); }
TccElem tcc_elem_accumulator(TccElem elem) { return elem == TCC_ELEM_F16 || elem == TCC_ELEM_BF16 ? TCC_ELEM_F32 : elem; }
const char *tcc_elem_numpy(TccElem elem) { return rows[elem].numpy; }

double tcc_elem_tolerance(TccElem elem, double *out_least) {
  if (out_least) *out_least = tcc_elem_is_float(elem) ? 1e-7 : 0;
  return elem == TCC_ELEM_BF16 ? 0x1p-6 : elem == TCC_ELEM_F16 ? 0x1p-9 : tcc_elem_is_float(elem) ? 1e-3 : 0;
}

const char *tcc_elem_onnx_name(int64_t data_type) {
  static const char *const others[] = {[0] = "undefined", [8] = "string", [14] = "complex64", [15] = "complex128"};
  TccElem elem = data_type > 0 && data_type <= INT32_MAX ? tcc_elem_from_onnx((int)data_type) : TCC_ELEM_NONE;
  if (elem) return tcc_elem_name(elem);
  bool listed = data_type >= 0 && data_type < (int64_t)(sizeof others / sizeof *others);
  return listed && others[data_type] ? others[data_type] : "that ONNX does not have";
}

TccElem tcc_elem_from_onnx(int data_type) {
  for (int elem = 1; elem < TCC_ELEM_COUNT; elem++)
    if (rows[elem].onnx == data_type) return (TccElem)elem;
  return TCC_ELEM_NONE;
}

/* ---- small floats ---- */
bool tcc_elem_small_float(TccElem elem, TccSmallFloat *out) {
  switch (elem) {
  case TCC_ELEM_F16: *out = (TccSmallFloat){10, 5, 15, TCC_SMALL_IEEE}; return true;
  case TCC_ELEM_BF16: *out = (TccSmallFloat){7, 8, 127, TCC_SMALL_IEEE}; return true;
  case TCC_ELEM_F8E4M3FN: *out = (TccSmallFloat){3, 4, 7, TCC_SMALL_FN}; return true;
  case TCC_ELEM_F8E4M3FNUZ: *out = (TccSmallFloat){3, 4, 8, TCC_SMALL_FNUZ}; return true;
  case TCC_ELEM_F8E5M2: *out = (TccSmallFloat){2, 5, 15, TCC_SMALL_IEEE}; return true;
  case TCC_ELEM_F8E5M2FNUZ: *out = (TccSmallFloat){2, 5, 16, TCC_SMALL_FNUZ}; return true;
  case TCC_ELEM_F4E2M1FN: *out = (TccSmallFloat){1, 2, 1, TCC_SMALL_FINITE}; return true;
  default: return false;
  }
}

unsigned tcc_small_float_largest(TccSmallFloat format) {
  unsigned ones = (1u << (format.fraction + format.exponent)) - 1, infinity = ((1u << format.exponent) - 1) << format.fraction;
  return format.kind == TCC_SMALL_IEEE ? infinity - 1 : format.kind == TCC_SMALL_FN ? ones - 1 : ones;
}

unsigned tcc_small_float_nan(TccSmallFloat format) {
  unsigned infinity = ((1u << format.exponent) - 1) << format.fraction;
  return format.kind == TCC_SMALL_IEEE ? infinity | 1u << (format.fraction - 1)
         : format.kind == TCC_SMALL_FN ? tcc_small_float_largest(format) + 1
                                       : 1u << (format.fraction + format.exponent);
}

double tcc_small_float_load(TccSmallFloat f, unsigned bits) {
  unsigned sign = bits >> (f.fraction + f.exponent) & 1, exponent = bits >> f.fraction & ((1u << f.exponent) - 1);
  unsigned fraction = bits & ((1u << f.fraction) - 1), top = (1u << f.exponent) - 1;
  if (f.kind == TCC_SMALL_IEEE && exponent == top) return fraction ? NAN : sign ? -INFINITY : INFINITY;
  if (f.kind == TCC_SMALL_FN && exponent == top && fraction == (1u << f.fraction) - 1) return NAN;
  if (f.kind == TCC_SMALL_FNUZ && sign && !exponent && !fraction) return NAN;
  double value = exponent ? ldexp((double)(fraction | 1u << f.fraction), (int)exponent - f.bias - f.fraction)
                          : ldexp((double)fraction, 1 - f.bias - f.fraction);
  return sign ? -value : value;
}

unsigned tcc_small_float_store(TccSmallFloat f, double value, bool saturate) {
  unsigned sign = signbit(value) ? 1u << (f.fraction + f.exponent) : 0, top = (1u << f.exponent) - 1;
  unsigned largest = tcc_small_float_largest(f);
  unsigned beyond = saturate || f.kind == TCC_SMALL_FINITE ? largest
                    : f.kind == TCC_SMALL_IEEE             ? top << f.fraction
                                                           : tcc_small_float_nan(f);
  if (isnan(value)) return sign | tcc_small_float_nan(f);
  double magnitude = fabs(value);
  if (isinf(magnitude)) return sign | beyond;
  int exponent = 0;
  if (magnitude > 0) frexp(magnitude, &exponent);
  exponent = exponent - 1 < 1 - f.bias ? 1 - f.bias : exponent - 1;
  /* The encoded magnitude in units of the last place: the carry of a round-up moves into the exponent field by itself.
   */
  double units = nearbyint(ldexp(magnitude, f.fraction - exponent));
  unsigned long bits = (unsigned long)units;
  if (bits >= 1ul << f.fraction) bits += (unsigned long)(exponent + f.bias - 1) << f.fraction;
  if (bits > largest) return sign | beyond;
  if (f.kind == TCC_SMALL_FNUZ && bits == 0) return 0;
  return sign | (unsigned)bits;
}

static double decode_e8m0(unsigned bits) { return bits == 255 ? NAN : ldexp(1, (int)bits - 127); }

/* Rounds up to a power of two, the sign is lost: ONNX Cast with round_mode "up". */
static unsigned encode_e8m0(double value) {
  if (isnan(value) || isinf(value)) return 255;
  int exponent = 0;
  double fraction = frexp(fabs(value), &exponent); /* |value| = fraction * 2^exponent, fraction in [0.5, 1) or 0 */
  exponent -= fraction <= 0.5;
  return fraction == 0 || exponent < -127 ? 0 : exponent > 127 ? 254 : (unsigned)(exponent + 127);
}

/* ---- raw integers ---- */
/* Below 8 bits: the byte that element i is in, and where it begins there. */
static size_t packed_place(unsigned bits, size_t i, unsigned *out_shift) {
  *out_shift = (unsigned)(i % (8 / bits)) * bits;
  return i / (8 / bits);
}

static uint64_t load_bits(TccElem elem, const void *data, size_t i) {
  const unsigned char *bytes = data;
  unsigned bits = rows[elem].bits, shift;
  if (bits < 8) {
    size_t at = packed_place(bits, i, &shift);
    return bytes[at] >> shift & ((1u << bits) - 1);
  }
  uint64_t value = 0;
  memcpy(&value, bytes + i * (bits / 8), bits / 8);
  return value;
}

static void store_bits(TccElem elem, void *data, size_t i, uint64_t value) {
  unsigned char *bytes = data;
  unsigned bits = rows[elem].bits, shift;
  if (bits < 8) {
    size_t at = packed_place(bits, i, &shift);
    unsigned mask = ((1u << bits) - 1) << shift;
    bytes[at] = (unsigned char)((bytes[at] & ~mask) | ((unsigned)value << shift & mask));
  } else {
    memcpy(bytes + i * (bits / 8), &value, bits / 8);
  }
}

static int64_t sign_extend(uint64_t value, unsigned bits) {
  return bits == 64 ? (int64_t)value : (int64_t)(value << (64 - bits)) >> (64 - bits);
}

double tcc_elem_load_f64(TccElem elem, const void *data, size_t i) {
  uint64_t bits = load_bits(elem, data, i);
  TccSmallFloat format;
  if (elem == TCC_ELEM_F64) {
    double value;
    memcpy(&value, &bits, 8);
    return value;
  }
  if (elem == TCC_ELEM_F32) {
    float value;
    uint32_t word = (uint32_t)bits;
    memcpy(&value, &word, 4);
    return value;
  }
  if (tcc_elem_small_float(elem, &format)) return tcc_small_float_load(format, (unsigned)bits);
  if (elem == TCC_ELEM_F8E8M0FNU) return decode_e8m0((unsigned)bits);
  if (elem == TCC_ELEM_BOOL) return bits != 0;
  return tcc_elem_is_signed(elem) ? (double)sign_extend(bits, rows[elem].bits) : (double)bits;
}

static int64_t clamp_i64(double value) {
  if (isnan(value)) return 0;
  if (value >= 9223372036854775808.0) return INT64_MAX;
  if (value <= -9223372036854775808.0) return INT64_MIN;
  return (int64_t)value;
}

int64_t tcc_elem_load_i64(TccElem elem, const void *data, size_t i) {
  if (tcc_elem_is_float(elem)) return clamp_i64(tcc_elem_load_f64(elem, data, i));
  uint64_t bits = load_bits(elem, data, i);
  if (elem == TCC_ELEM_BOOL) return bits != 0;
  return tcc_elem_is_signed(elem) ? sign_extend(bits, rows[elem].bits) : (int64_t)bits;
}

void tcc_elem_store_f64(TccElem elem, void *data, size_t i, double value) {
  TccSmallFloat format;
  if (elem == TCC_ELEM_F64) {
    memcpy((char *)data + i * 8, &value, 8);
  } else if (elem == TCC_ELEM_F32) {
    float narrow = (float)value;
    memcpy((char *)data + i * 4, &narrow, 4);
  } else if (tcc_elem_small_float(elem, &format)) {
    store_bits(elem, data, i, tcc_small_float_store(format, value, rows[elem].bits < 16));
  } else if (elem == TCC_ELEM_F8E8M0FNU) {
    store_bits(elem, data, i, encode_e8m0(value));
  } else if (elem == TCC_ELEM_BOOL) {
    store_bits(elem, data, i, value != 0);
  } else if (elem == TCC_ELEM_U64 && value >= 9223372036854775808.0) {
    store_bits(elem, data, i, value >= 18446744073709551616.0 ? UINT64_MAX : (uint64_t)value);
  } else {
    store_bits(elem, data, i, (uint64_t)clamp_i64(value));
  }
}

void tcc_elem_store_i64(TccElem elem, void *data, size_t i, int64_t value) {
  if (tcc_elem_is_float(elem)) tcc_elem_store_f64(elem, data, i, (double)value);
  else store_bits(elem, data, i, elem == TCC_ELEM_BOOL ? value != 0 : (uint64_t)value);
}

const void *tcc_elem_clean_bools(TccArena *arena, const void *data, size_t bytes) {
  const char *raw = data;
  size_t i = 0;
  while (i < bytes && !(raw[i] & ~1)) i++;
  if (i == bytes) return data;
  char *clean = tcc_arena_copy(arena, raw, bytes);
  for (; i < bytes; i++) clean[i] = clean[i] != 0;
  return clean;
}

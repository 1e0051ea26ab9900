/* linalg_scalar.c - scalar arithmetic of elementwise ops in arith and math; libm gives the functions on purpose. */
#include "lib/targets/reference/linalg_text.h"
#include "tcc/op_kinds.h"

TccElem linalg_accumulator(TccElem elem) { return elem == TCC_ELEM_F16 || elem == TCC_ELEM_BF16 ? TCC_ELEM_F32 : elem; }

static bool is_unsigned(TccElem elem) { return tcc_elem_is_unsigned(elem) || elem == TCC_ELEM_BOOL; }

static int literal(LinalgText *t, TccElem elem, double value) {
  if (tcc_elem_is_float(elem)) return linalg_op(t, "arith.constant %.17e : %s", value, linalg_elem(elem));
  if (elem == TCC_ELEM_BOOL) return linalg_op(t, "arith.constant %s", value != 0 ? "true" : "false");
  return linalg_op(t, "arith.constant %lld : %s", (long long)value, linalg_elem(elem));
}

int linalg_zero(LinalgText *t, TccElem elem) { return literal(t, elem, 0); }

unsigned linalg_bits(TccElem elem) {
  unsigned bits = tcc_elem_bits(elem);
  return elem == TCC_ELEM_BOOL ? 1 : bits < 8 ? 8 : bits;
}

/* From f64 to 16 bits would be a call of a library: through f32, rounded to odd (its last bit says that there was more), so that the second
 * rounding gives what one alone would. */
static int f64_to_odd_f32(LinalgText *t, int x) {
  int near = linalg_op(t, "arith.truncf %%v%d : f64 to f32", x), back = linalg_op(t, "arith.extf %%v%d : f32 to f64", near);
  int bits = linalg_op(t, "arith.bitcast %%v%d : f32 to i32", near), one = linalg_op(t, "arith.constant 1 : i32");
  int size = linalg_op(t, "math.absf %%v%d : f64", x), near_size = linalg_op(t, "math.absf %%v%d : f64", back);
  int outward = linalg_op(t, "arith.cmpf ogt, %%v%d, %%v%d : f64", near_size, size);
  int less = linalg_op(t, "arith.subi %%v%d, %%v%d : i32", bits, one);
  int inner = linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : i32", outward, less, bits);
  int odd = linalg_op(t, "arith.ori %%v%d, %%v%d : i32", inner, one);
  int inexact = linalg_op(t, "arith.cmpf one, %%v%d, %%v%d : f64", back, x);
  int picked = linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : i32", inexact, odd, bits);
  return linalg_op(t, "arith.bitcast %%v%d : i32 to f32", picked);
}

int linalg_convert(LinalgText *t, int x, TccElem from, TccElem to) {
  if (from == to) return x;
  const char *a = linalg_elem(from), *b = linalg_elem(to);
  if (!a || !b) {
    linalg_fail(t, "conversion between %s and %s", tcc_elem_name(from), tcc_elem_name(to));
    return x;
  }
  bool from_float = tcc_elem_is_float(from), to_float = tcc_elem_is_float(to);
  unsigned from_bits = linalg_bits(from), to_bits = linalg_bits(to);
  if (to == TCC_ELEM_BOOL) {
    int zero = linalg_zero(t, from);
    return linalg_op(t, from_float ? "arith.cmpf une, %%v%d, %%v%d : %s" : "arith.cmpi ne, %%v%d, %%v%d : %s", x, zero, a);
  }
  if (from_float && to_float) {
    if (from == TCC_ELEM_F64 && to_bits < 32) return linalg_convert(t, f64_to_odd_f32(t, x), TCC_ELEM_F32, to);
    if (from_bits == to_bits) return linalg_convert(t, linalg_convert(t, x, from, TCC_ELEM_F32), TCC_ELEM_F32, to);
    return linalg_op(t, "arith.%s %%v%d : %s to %s", from_bits < to_bits ? "extf" : "truncf", x, a, b);
  }
  if (from_float) { /* through i64: narrower types wrap, as a C cast of an in-range value does */
    int wide = linalg_op(t, "arith.%s %%v%d : %s to i64", to == TCC_ELEM_U64 ? "fptoui" : "fptosi", x, a);
    return to_bits == 64 ? wide : linalg_op(t, "arith.trunci %%v%d : i64 to %s", wide, b);
  }
  if (to_float) return linalg_op(t, "arith.%s %%v%d : %s to %s", is_unsigned(from) ? "uitofp" : "sitofp", x, a, b);
  if (from_bits == to_bits) return x;
  const char *widen = is_unsigned(from) ? "extui" : "extsi";
  return linalg_op(t, "arith.%s %%v%d : %s to %s", from_bits < to_bits ? widen : "trunci", x, a, b);
}

static int compare(LinalgText *t, const char *predicate, TccElem elem, int a, int b) {
  if (tcc_elem_is_float(elem))
    return linalg_op(t, "arith.cmpf %s%s, %%v%d, %%v%d : %s", strcmp(predicate, "ne") ? "o" : "u", predicate, a, b,
                     linalg_elem(elem));
  bool equality = !strcmp(predicate, "eq") || !strcmp(predicate, "ne");
  return linalg_op(t, "arith.cmpi %s%s, %%v%d, %%v%d : %s",
                   equality            ? ""
                   : is_unsigned(elem) ? "u"
                                       : "s",
                   predicate, a, b, linalg_elem(elem));
}

static int choose(LinalgText *t, int c, int a, int b, TccElem elem) {
  return linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : %s", c, a, b, linalg_elem(elem));
}

static int binary(LinalgText *t, const char *name, int a, int b, TccElem elem) {
  return linalg_op(t, "%s %%v%d, %%v%d : %s", name, a, b, linalg_elem(elem));
}

int linalg_combine(LinalgText *t, TccStr kind, TccElem elem, int a, int b) {
  bool f = tcc_elem_is_float(elem);
  if (tcc_str_is(kind, "sum") || tcc_str_is(kind, "avg") || tcc_str_is(kind, "add"))
    return binary(t, f ? "arith.addf" : elem == TCC_ELEM_BOOL ? "arith.ori" : "arith.addi", a, b, elem);
  if (tcc_str_is(kind, "prod") || tcc_str_is(kind, "mul")) return binary(t, f ? "arith.mulf" : "arith.muli", a, b, elem);
  if (tcc_str_is(kind, "max"))
    return binary(t, f ? "arith.maximumf" : is_unsigned(elem) ? "arith.maxui" : "arith.maxsi", a, b, elem);
  if (tcc_str_is(kind, "min"))
    return binary(t, f ? "arith.minimumf" : is_unsigned(elem) ? "arith.minui" : "arith.minsi", a, b, elem);
  if (tcc_str_is(kind, "and")) return binary(t, "arith.andi", a, b, elem);
  if (tcc_str_is(kind, "or")) return binary(t, "arith.ori", a, b, elem);
  return b; /* none: the later one */
}

int linalg_neutral(LinalgText *t, TccStr kind, TccElem elem) {
  bool max = tcc_str_is(kind, "max"), min = tcc_str_is(kind, "min");
  if (tcc_str_is(kind, "prod") || tcc_str_is(kind, "mul")) return literal(t, elem, 1);
  if (tcc_str_is(kind, "and") && elem == TCC_ELEM_BOOL) return literal(t, elem, 1);
  if (tcc_str_is(kind, "and")) return linalg_op(t, "arith.constant -1 : %s", linalg_elem(elem));
  if (!max && !min) return literal(t, elem, 0);
  unsigned bits = elem == TCC_ELEM_BOOL ? 1 : tcc_elem_bits(elem);
  if (tcc_elem_is_float(elem)) {
    static const struct {
      TccElem elem;
      const char *high, *low;
    } infinities[] = {{TCC_ELEM_F32, "0x7F800000", "0xFF800000"},
                      {TCC_ELEM_F64, "0x7FF0000000000000", "0xFFF0000000000000"},
                      {TCC_ELEM_F16, "0x7C00", "0xFC00"},
                      {TCC_ELEM_BF16, "0x7F80", "0xFF80"}};
    for (size_t i = 0; i < sizeof infinities / sizeof *infinities; i++)
      if (infinities[i].elem == elem)
        return linalg_op(t, "arith.constant %s : %s", max ? infinities[i].low : infinities[i].high, linalg_elem(elem));
  }
  if (is_unsigned(elem))
    return max                     ? literal(t, elem, 0)
           : elem == TCC_ELEM_BOOL ? literal(t, elem, 1)
                                   : linalg_op(t, "arith.constant -1 : %s", linalg_elem(elem));
  int64_t least = bits == 64 ? INT64_MIN : -((int64_t)1 << (bits - 1));
  return linalg_op(t, "arith.constant %lld : %s", (long long)(max ? least : -(least + 1)), linalg_elem(elem));
}

/* Integer division that never traps: by zero gives 0, the least value by -1 wraps. */
static int safe_divide(LinalgText *t, const char *name, int a, int b, TccElem elem) {
  int zero = literal(t, elem, 0), one = literal(t, elem, 1), is_zero = compare(t, "eq", elem, b, zero);
  int divisor = choose(t, is_zero, one, b, elem);
  if (is_unsigned(elem)) return choose(t, is_zero, zero, binary(t, name, a, divisor, elem), elem);
  int minus = linalg_op(t, "arith.constant -1 : %s", linalg_elem(elem)), is_minus = compare(t, "eq", elem, b, minus);
  int quotient = binary(t, name, a, choose(t, is_minus, one, divisor, elem), elem);
  int wrapped = strstr(name, "rem") ? zero : binary(t, "arith.subi", zero, a, elem);
  return choose(t, is_zero, zero, choose(t, is_minus, wrapped, quotient, elem), elem);
}

static int modulo(LinalgText *t, int a, int b, TccElem elem, bool floored) {
  bool f = tcc_elem_is_float(elem);
  int r = f ? binary(t, "arith.remf", a, b, elem) : safe_divide(t, is_unsigned(elem) ? "arith.remui" : "arith.remsi", a, b, elem);
  if (!floored || (!f && is_unsigned(elem))) return r;
  int zero = literal(t, elem, 0), other = compare(t, "ne", elem, r, zero);
  int r_negative = compare(t, "lt", elem, r, zero), b_negative = compare(t, "lt", elem, b, zero);
  int differ = linalg_op(t, "arith.xori %%v%d, %%v%d : i1", r_negative, b_negative);
  int fix = linalg_op(t, "arith.andi %%v%d, %%v%d : i1", differ, other);
  return choose(t, fix, binary(t, f ? "arith.addf" : "arith.addi", r, b, elem), r, elem);
}

static int shift(LinalgText *t, const char *name, int a, int b, TccElem elem) {
  int width = literal(t, elem, tcc_elem_bits(elem)), zero = literal(t, elem, 0), most = literal(t, elem, tcc_elem_bits(elem) - 1);
  int over = linalg_op(t, "arith.cmpi uge, %%v%d, %%v%d : %s", b, width, linalg_elem(elem));
  int r = binary(t, name, a, choose(t, over, most, b, elem), elem);
  return strstr(name, "shrsi") ? r : choose(t, over, zero, r, elem);
}

static const char *math_function(TccOpKind kind) {
  switch (kind) {
  case TCC_OP_FLOOR: return "math.floor";
  case TCC_OP_CEIL: return "math.ceil";
  case TCC_OP_ROUND: return "math.roundeven";
  case TCC_OP_TRUNC: return "math.trunc";
  case TCC_OP_SQRT: return "math.sqrt";
  case TCC_OP_EXP: return "math.exp";
  case TCC_OP_EXPM1: return "math.expm1";
  case TCC_OP_LOG: return "math.log";
  case TCC_OP_LOG1P: return "math.log1p";
  case TCC_OP_SIN: return "math.sin";
  case TCC_OP_COS: return "math.cos";
  case TCC_OP_TAN: return "math.tan";
  case TCC_OP_ASIN: return "math.asin";
  case TCC_OP_ACOS: return "math.acos";
  case TCC_OP_ATAN: return "math.atan";
  case TCC_OP_SINH: return "math.sinh";
  case TCC_OP_COSH: return "math.cosh";
  case TCC_OP_TANH: return "math.tanh";
  case TCC_OP_ASINH: return "math.asinh";
  case TCC_OP_ACOSH: return "math.acosh";
  case TCC_OP_ATANH: return "math.atanh";
  case TCC_OP_ERF: return "math.erf";
  default: return NULL;
  }
}

static int compute(LinalgText *t, MlirOperation op, TccOpKind kind, const int *x, TccElem elem) {
  bool f = tcc_elem_is_float(elem);
  const char *function = math_function(kind), *name = linalg_elem(elem);
  if (function && f) return linalg_op(t, "%s %%v%d : %s", function, x[0], name);
  switch (kind) {
  case TCC_OP_NEG:
    return f ? linalg_op(t, "arith.negf %%v%d : %s", x[0], name) : binary(t, "arith.subi", literal(t, elem, 0), x[0], elem);
  case TCC_OP_ABS:
    if (f) return linalg_op(t, "math.absf %%v%d : %s", x[0], name);
    return is_unsigned(elem) ? x[0] : linalg_op(t, "math.absi %%v%d : %s", x[0], name);
  case TCC_OP_SIGN: {
    int zero = literal(t, elem, 0), one = literal(t, elem, 1);
    int positive = compare(t, "gt", elem, x[0], zero), negative = compare(t, "lt", elem, x[0], zero);
    int below = f ? literal(t, elem, -1) : linalg_op(t, "arith.constant -1 : %s", name);
    return choose(t, positive, one, choose(t, negative, below, f ? x[0] : zero, elem), elem); /* zeros and NaN give themselves */
  }
  case TCC_OP_RSQRT: return binary(t, "arith.divf", literal(t, elem, 1), linalg_op(t, "math.sqrt %%v%d : %s", x[0], name), elem);
  case TCC_OP_RECIPROCAL: return binary(t, "arith.divf", literal(t, elem, 1), x[0], elem);
  case TCC_OP_NOT:
    return binary(t, "arith.xori", x[0], elem == TCC_ELEM_BOOL ? literal(t, elem, 1) : linalg_op(t, "arith.constant -1 : %s", name),
                  elem);
  case TCC_OP_IS_NAN: return linalg_op(t, "arith.cmpf uno, %%v%d, %%v%d : %s", x[0], x[0], name);
  case TCC_OP_IS_INF: {
    int high = linalg_neutral(t, tcc_str("min"), elem), low = linalg_neutral(t, tcc_str("max"), elem),
        no = literal(t, TCC_ELEM_BOOL, 0);
    int a = tcc_bool(t->ir, op, "positive") ? compare(t, "eq", elem, x[0], high) : no;
    int b = tcc_bool(t->ir, op, "negative") ? compare(t, "eq", elem, x[0], low) : no;
    return linalg_op(t, "arith.ori %%v%d, %%v%d : i1", a, b);
  }
  case TCC_OP_ADD: return binary(t, f ? "arith.addf" : "arith.addi", x[0], x[1], elem);
  case TCC_OP_SUB: return binary(t, f ? "arith.subf" : "arith.subi", x[0], x[1], elem);
  case TCC_OP_MUL: return binary(t, f ? "arith.mulf" : "arith.muli", x[0], x[1], elem);
  case TCC_OP_DIV:
    return f ? binary(t, "arith.divf", x[0], x[1], elem)
             : safe_divide(t, is_unsigned(elem) ? "arith.divui" : "arith.divsi", x[0], x[1], elem);
  case TCC_OP_MOD: return modulo(t, x[0], x[1], elem, true);
  case TCC_OP_FMOD: return modulo(t, x[0], x[1], elem, false);
  case TCC_OP_MIN: return linalg_combine(t, tcc_str("min"), elem, x[0], x[1]);
  case TCC_OP_MAX: return linalg_combine(t, tcc_str("max"), elem, x[0], x[1]);
  case TCC_OP_AND: return binary(t, "arith.andi", x[0], x[1], elem);
  case TCC_OP_OR: return binary(t, "arith.ori", x[0], x[1], elem);
  case TCC_OP_XOR: return binary(t, "arith.xori", x[0], x[1], elem);
  case TCC_OP_SHIFT_LEFT: return shift(t, "arith.shli", x[0], x[1], elem);
  case TCC_OP_SHIFT_RIGHT: return shift(t, is_unsigned(elem) ? "arith.shrui" : "arith.shrsi", x[0], x[1], elem);
  case TCC_OP_ATAN2: return binary(t, "math.atan2", x[0], x[1], elem);
  case TCC_OP_COMPARE:
    return compare(t, tcc_arena_copy(t->ir->arena, tcc_string(t->ir, op, "predicate").data, 2), elem, x[0], x[1]);
  default: linalg_fail(t, "has no scalar form for %s", tcc_elem_name(elem)); return x[0];
  }
}

/* Integers of up to 32 bits are exact in double; 64-bit ones above 2^53 are not, as in NumPy's float power. */
static int power(LinalgText *t, const int *x, TccElem base, TccElem exponent) {
  TccElem wide = tcc_elem_is_float(base) ? linalg_accumulator(base) : TCC_ELEM_F64;
  int a = linalg_convert(t, x[0], base, wide), b = linalg_convert(t, x[1], exponent, wide);
  return linalg_convert(t, binary(t, "math.powf", a, b, wide), wide, base);
}

int linalg_scalar(LinalgText *t, MlirOperation op, TccOpKind kind, const int *x) {
  TccElem first = tcc_type_elem(tcc_value_type(mlirOperationGetOperand(op, 0)));
  TccElem result = tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0)));
  if (kind == TCC_OP_CONVERT) return linalg_convert(t, x[0], first, result);
  if (kind == TCC_OP_BITCAST)
    return first == result || (!tcc_elem_is_float(first) && !tcc_elem_is_float(result))
               ? x[0]
               : linalg_op(t, "arith.bitcast %%v%d : %s to %s", x[0], linalg_elem(first), linalg_elem(result));
  if (kind == TCC_OP_SELECT) return choose(t, x[0], x[1], x[2], result);
  if (kind == TCC_OP_RANDOM) return linalg_random(t, x[0], x[1], x[2]);
  if (kind == TCC_OP_POW) return power(t, x, first, tcc_type_elem(tcc_value_type(mlirOperationGetOperand(op, 1))));
  TccElem wide = linalg_accumulator(first); /* narrow floats compute in f32 and are rounded once */
  if (wide == first) return compute(t, op, kind, x, first);
  int widened[3];
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++) widened[i] = linalg_convert(t, x[i], first, wide);
  int r = compute(t, op, kind, widened, wide);
  return result == TCC_ELEM_BOOL ? r : linalg_convert(t, r, wide, result);
}

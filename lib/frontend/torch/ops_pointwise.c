/* ops_pointwise.c - overloads of elements that are a short formula of the table's ops. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

static MlirValue one_op(ImportCall *c, TccOpKind kind, MlirValue x) { return tcc_build1(&c->b, kind, x); }

/* The type to compute a result of float type in; of others the result's own. */
static TccElem computes_in(ImportCall *c) { return torch_wide(torch_result(c, 0)); }

/* floor, ceil, trunc, round, which may keep `decimals`: nothing for integers. */
bool torch_op_rounding(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  TccElem elem = tcc_value_elem(x);
  if (!x.ptr) return false;
  if (!tcc_elem_is_float(elem)) return torch_output(c, 0, x);
  int64_t decimals = torch_has_parameter(c, "decimals") ? torch_int(c, "decimals") : 0;
  if (!decimals) return torch_output(c, 0, one_op(c, (TccOpKind)c->kind, x));
  double ten = pow(10, fabs((double)decimals));
  x = torch_convert(c, x, torch_wide(elem));
  MlirValue unit = torch_constant(c, tcc_value_elem(x), ten);
  MlirValue y = one_op(c, (TccOpKind)c->kind, decimals > 0 ? torch_mul(c, x, unit) : torch_div(c, x, unit));
  return torch_output(c, 0, torch_convert(c, decimals > 0 ? torch_div(c, y, unit) : torch_mul(c, y, unit), elem));
}

bool torch_op_bits_not(ImportCall *c) { return torch_output(c, 0, one_op(c, TCC_OP_NOT, torch_tensor(c, "self"))); }

bool torch_op_sign(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  return x.ptr && torch_output(c, 0, tcc_value_elem(x) == TCC_ELEM_BOOL ? x : one_op(c, TCC_OP_SIGN, x));
}

static MlirValue is_infinite(ImportCall *c, MlirValue x, bool negative, bool positive) {
  TccNamedAttr attrs[] = {{"negative", tcc_attr_bool(c->ir, negative)}, {"positive", tcc_attr_bool(c->ir, positive)}};
  return x.ptr ? import_op(c, TCC_OP_IS_INF, &x, 1, attrs, 2) : x;
}

bool torch_op_float_class(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), y = {NULL};
  ImportShape shape = import_shape(c, x);
  if (!x.ptr) return false;
  bool is_float = tcc_elem_is_float(shape.elem);
  if (!is_float && c->kind != CLASS_SIGNBIT)
    return torch_output(c, 0, torch_filled(c, torch_constant(c, TCC_ELEM_BOOL, c->kind == CLASS_FINITE), shape.rank, shape.dims));
  switch (c->kind) {
  case CLASS_NAN: y = one_op(c, TCC_OP_IS_NAN, x); break;
  case CLASS_INF: y = is_infinite(c, x, true, true); break;
  case CLASS_POSINF: y = is_infinite(c, x, false, true); break;
  case CLASS_NEGINF: y = is_infinite(c, x, true, false); break;
  case CLASS_FINITE: y = torch_is(c, "lt", one_op(c, TCC_OP_ABS, x), INFINITY); break;
  case CLASS_SIGNBIT:
    if (!is_float && !tcc_elem_is_signed(shape.elem))
      y = torch_filled(c, torch_constant(c, TCC_ELEM_BOOL, 0), shape.rank, shape.dims);
    else if (is_float) { /* the sign of 1 / x tells that of zeros, NaN has none here */
      MlirValue zero = torch_is(c, "eq", x, 0), inverse = torch_is(c, "lt", one_op(c, TCC_OP_RECIPROCAL, x), 0);
      y = torch_if(c, zero, inverse, torch_is(c, "lt", x, 0));
    } else y = torch_is(c, "lt", x, 0);
    break;
  default: break;
  }
  return torch_output(c, 0, y);
}

bool torch_op_formula(ImportCall *c) {
  TccElem wide = computes_in(c);
  MlirValue x = wide ? torch_tensor_as(c, "self", wide) : (MlirValue){NULL}, y = {NULL};
  if (!x.ptr) return false;
  switch (c->kind) {
  case FORMULA_SQUARE: y = torch_mul(c, x, x); break;
  case FORMULA_EXP2: y = one_op(c, TCC_OP_EXP, torch_times(c, x, M_LN2)); break;
  case FORMULA_LOG2: y = torch_times(c, one_op(c, TCC_OP_LOG, x), M_LOG2E); break;
  case FORMULA_LOG10: y = torch_times(c, one_op(c, TCC_OP_LOG, x), M_LOG10E); break;
  case FORMULA_FRAC: y = torch_sub(c, x, one_op(c, TCC_OP_TRUNC, x)); break;
  case FORMULA_DEG2RAD: y = torch_times(c, x, M_PI / 180); break;
  case FORMULA_RAD2DEG: y = torch_times(c, x, 180 / M_PI); break;
  case FORMULA_SINC: {
    MlirValue p = torch_times(c, x, M_PI);
    y = torch_if(c, torch_is(c, "eq", x, 0), torch_constant(c, wide, 1), torch_div(c, one_op(c, TCC_OP_SIN, p), p));
    break;
  }
  case FORMULA_ENTR:
    y = torch_neg(c, torch_mul(c, x, one_op(c, TCC_OP_LOG, x)));
    y = torch_if(c, torch_is(c, "eq", x, 0), torch_constant(c, wide, 0), y);
    y = torch_if(c, torch_is(c, "lt", x, 0), torch_constant(c, wide, -INFINITY), y);
    break;
  case FORMULA_ANGLE: /* of a number beside 0: pi where it is negative, NaN where it is none */
    y = torch_if(c, torch_is(c, "lt", x, 0), torch_constant(c, wide, M_PI), torch_constant(c, wide, 0));
    y = torch_if(c, one_op(c, TCC_OP_IS_NAN, x), x, y);
    break;
  case FORMULA_NDTR: y = torch_times(c, torch_plus(c, one_op(c, TCC_OP_ERF, torch_times(c, x, M_SQRT1_2)), 1), 0.5); break;
  default: break;
  }
  return torch_answer(c, y);
}

/* ---- two operands, by torch's promotion ---- */
bool torch_op_pair(ImportCall *c) {
  TccElem result = torch_result(c, 0), wide = torch_wide(result);
  if (!wide) return false;
  if (result == TCC_ELEM_BOOL) wide = torch_promote(c, "self", "other");
  MlirValue a = torch_operand(c, "self", wide), b = torch_operand(c, "other", wide), y = {NULL}, m;
  bool is_float = tcc_elem_is_float(wide);
  if (!a.ptr || !b.ptr) return false;
  switch (c->kind) {
  case PAIR_REMAINDER: y = tcc_build2(&c->b, TCC_OP_MOD, a, b); break;
  case PAIR_FMOD: y = tcc_build2(&c->b, TCC_OP_FMOD, a, b); break;
  case PAIR_FLOOR_DIVIDE:
    y = is_float ? one_op(c, TCC_OP_FLOOR, torch_div(c, a, b))
                 : torch_div(c, torch_sub(c, a, tcc_build2(&c->b, TCC_OP_MOD, a, b)), b);
    break;
  case PAIR_ATAN2: y = tcc_build2(&c->b, TCC_OP_ATAN2, a, b); break;
  case PAIR_FMAX:
  case PAIR_FMIN: /* of a number and NaN the number */
    y = torch_build2(c, c->kind == PAIR_FMAX ? TCC_OP_MAX : TCC_OP_MIN, a, b);
    if (is_float) y = torch_if(c, one_op(c, TCC_OP_IS_NAN, a), b, torch_if(c, one_op(c, TCC_OP_IS_NAN, b), a, y));
    break;
  case PAIR_HYPOT: /* as torch: of the larger one times sqrt(1 + ratio^2), without overflow */
    a = one_op(c, TCC_OP_ABS, a), b = one_op(c, TCC_OP_ABS, b);
    m = tcc_build2(&c->b, TCC_OP_MAX, a, b);
    y = torch_div(c, tcc_build2(&c->b, TCC_OP_MIN, a, b), m);
    y = torch_mul(c, m, one_op(c, TCC_OP_SQRT, torch_plus(c, torch_mul(c, y, y), 1)));
    y = torch_if(c, torch_is(c, "eq", m, 0), m, y);
    y = torch_if_number(
        c, tcc_build1(&c->b, TCC_OP_NOT, torch_either(c, torch_is(c, "eq", a, INFINITY), torch_is(c, "eq", b, INFINITY))), y,
        INFINITY); /* beside NaN, too */
    break;
  case PAIR_LOGADDEXP:
  case PAIR_LOGADDEXP2: {
    double scale = c->kind == PAIR_LOGADDEXP ? 1 : M_LN2;
    m = tcc_build2(&c->b, TCC_OP_MAX, a, b);
    MlirValue d = torch_neg(c, one_op(c, TCC_OP_ABS, torch_sub(c, a, b)));
    y = torch_add(c, m, torch_times(c, one_op(c, TCC_OP_LOG1P, one_op(c, TCC_OP_EXP, torch_times(c, d, scale))), 1 / scale));
    MlirValue same = tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "eq", a, b), is_infinite(c, a, true, true));
    y = torch_if(c, same, a, y);
    break;
  }
  case PAIR_XLOGY:
  case PAIR_XLOG1PY:
    m = torch_mul(c, a, one_op(c, c->kind == PAIR_XLOGY ? TCC_OP_LOG : TCC_OP_LOG1P, b));
    y = torch_if(c, torch_is(c, "eq", a, 0), torch_constant(c, wide, 0), m);
    y = torch_if(c, one_op(c, TCC_OP_IS_NAN, b), b, y);
    break;
  case PAIR_COPYSIGN: {
    MlirValue zero = torch_is(c, "eq", b, 0), inverse = torch_is(c, "lt", one_op(c, TCC_OP_RECIPROCAL, b), 0);
    MlirValue negative = torch_if(c, zero, inverse, torch_is(c, "lt", b, 0));
    a = one_op(c, TCC_OP_ABS, a);
    y = torch_if(c, negative, torch_neg(c, a), a);
    break;
  }
  case PAIR_SHIFT_LEFT:
  case PAIR_SHIFT_RIGHT: y = tcc_build2(&c->b, c->kind == PAIR_SHIFT_LEFT ? TCC_OP_SHIFT_LEFT : TCC_OP_SHIFT_RIGHT, a, b); break;
  case PAIR_LDEXP: y = torch_mul(c, a, one_op(c, TCC_OP_EXP, torch_times(c, b, M_LN2))); break;
  case PAIR_LOGICAL_XOR: y = tcc_build2(&c->b, TCC_OP_XOR, torch_is(c, "ne", a, 0), torch_is(c, "ne", b, 0)); break;
  default: break;
  }
  return torch_answer(c, y);
}

/* rounding_mode: None, "trunc", "floor" */
bool torch_op_div_mode(ImportCall *c) {
  TccElem wide = computes_in(c);
  TccStr mode = torch_string(c, "rounding_mode");
  MlirValue a = torch_operand(c, "self", wide), b = torch_operand(c, "other", wide);
  if (!a.ptr || !b.ptr || !wide) return false;
  bool is_float = tcc_elem_is_float(wide), is_floor = tcc_str_is(mode, "floor");
  MlirValue y = torch_div(c, a, b);
  if (!is_floor && mode.length && !tcc_str_is(mode, "trunc"))
    return import_invalid(c, "rounding_mode is '%.*s'", TCC_STR_ARG(mode));
  if (!is_float && is_floor) y = torch_div(c, torch_sub(c, a, tcc_build2(&c->b, TCC_OP_MOD, a, b)), b);
  if (is_float && mode.length) y = one_op(c, is_floor ? TCC_OP_FLOOR : TCC_OP_TRUNC, y);
  return torch_answer(c, y);
}

/* Bounds that are tensors, numbers or None. kind: bits 1 and 2, whether there is a lower, an upper one. */
bool torch_op_clamp(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  MlirValue x = elem ? torch_tensor_as(c, "self", elem) : (MlirValue){NULL};
  if (!x.ptr) return false;
  if ((c->kind & 1) && torch_given(c, "min")) x = torch_bound(c, TCC_OP_MAX, x, "min");
  if ((c->kind & 2) && torch_given(c, "max")) x = torch_bound(c, TCC_OP_MIN, x, "max");
  return torch_output(c, 0, x);
}

/* start + weight * (end - start), from the end where the weight is at least a half, as torch computes it. */
bool torch_op_lerp(ImportCall *c) {
  TccElem wide = computes_in(c);
  MlirValue a = torch_tensor_as(c, "self", wide), b = torch_tensor_as(c, "end", wide), w = torch_operand(c, "weight", wide);
  if (!a.ptr || !b.ptr || !w.ptr) return false;
  MlirValue d = torch_sub(c, b, a), low = torch_add(c, a, torch_mul(c, w, d)),
            high = torch_sub(c, b, torch_mul(c, d, torch_from(c, 1, w)));
  return torch_answer(c, torch_if(c, torch_is(c, "lt", one_op(c, TCC_OP_ABS, w), 0.5), low, high));
}

/* self + value * tensor1 * tensor2, or / tensor2. kind: TCC_OP_MUL or DIV. */
bool torch_op_addc(ImportCall *c) {
  TccElem wide = computes_in(c);
  MlirValue x = torch_tensor_as(c, "self", wide), a = torch_tensor_as(c, "tensor1", wide), b = torch_tensor_as(c, "tensor2", wide);
  MlirValue value = torch_scalar(c, "value", wide);
  if (!x.ptr || !a.ptr || !b.ptr || !value.ptr) return false;
  return torch_answer(c, torch_add(c, x, torch_mul(c, value, tcc_build2(&c->b, (TccOpKind)c->kind, a, b))));
}

bool torch_op_nan_to_num(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  TccElem elem = tcc_value_elem(x);
  if (!x.ptr) return false;
  if (!tcc_elem_is_float(elem)) return torch_output(c, 0, x);
  double most = elem == TCC_ELEM_F64    ? 0x1.fffffffffffffp1023
                : elem == TCC_ELEM_F32  ? 0x1.fffffep127
                : elem == TCC_ELEM_BF16 ? 0x1.fep127
                                        : 65504;
  double nan = torch_given(c, "nan") ? torch_float(c, "nan") : 0, high = torch_given(c, "posinf") ? torch_float(c, "posinf") : most,
         low = torch_given(c, "neginf") ? torch_float(c, "neginf") : -most;
  MlirValue y = torch_if(c, is_infinite(c, x, false, true), torch_constant(c, elem, high), x);
  y = torch_if(c, is_infinite(c, x, true, false), torch_constant(c, elem, low), y);
  return torch_output(c, 0, torch_if(c, one_op(c, TCC_OP_IS_NAN, x), torch_constant(c, elem, nan), y));
}

bool torch_op_heaviside(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), at_zero = torch_tensor(c, "values");
  if (!x.ptr || !at_zero.ptr) return false;
  TccElem elem = tcc_value_elem(x);
  MlirValue y = torch_if(c, torch_is(c, "gt", x, 0), torch_constant(c, elem, 1), torch_constant(c, elem, 0));
  return torch_output(c, 0, torch_if(c, torch_is(c, "eq", x, 0), at_zero, y));
}

/* |self - other| <= atol + rtol * |other|, or equal */
bool torch_op_isclose(ImportCall *c) {
  TccElem elem = torch_promote(c, "self", "other"), wide = tcc_elem_is_float(elem) ? torch_wide(elem) : TCC_ELEM_F64;
  MlirValue a = torch_tensor_as(c, "self", wide), b = torch_tensor_as(c, "other", wide);
  if (!a.ptr || !b.ptr) return false;
  MlirValue room = torch_plus(c, torch_times(c, one_op(c, TCC_OP_ABS, b), torch_float(c, "rtol")), torch_float(c, "atol"));
  MlirValue d = one_op(c, TCC_OP_ABS, torch_sub(c, a, b)), near = tcc_build_compare(&c->b, "le", d, room);
  MlirValue y = tcc_build2(&c->b, TCC_OP_OR, tcc_build_compare(&c->b, "eq", a, b),
                           tcc_build2(&c->b, TCC_OP_AND, near, torch_is(c, "lt", d, INFINITY)));
  if (torch_bool(c, "equal_nan"))
    y = tcc_build2(&c->b, TCC_OP_OR, y, tcc_build2(&c->b, TCC_OP_AND, one_op(c, TCC_OP_IS_NAN, a), one_op(c, TCC_OP_IS_NAN, b)));
  return torch_output(c, 0, y);
}

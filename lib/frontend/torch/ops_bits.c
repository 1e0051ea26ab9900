/* ops_bits.c - overloads that look at numbers bit by bit, or as whole numbers: gcd, lcm, nextafter, frexp. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

static MlirValue one_op(ImportCall *c, TccOpKind kind, MlirValue x) { return tcc_build1(&c->b, kind, x); }

/* Euclid: values a, b become b, a mod b. */
static MlirValue more(ImportCall *c, MlirValue b) { return torch_any(c, torch_is(c, "ne", b, 0)); }
static MlirValue euclid(ImportCall *c, MlirValue *values, const void *user) {
  MlirValue a = values[0], b = values[1], done = torch_is(c, "eq", b, 0);
  (void)user;
  values[0] = torch_if(c, done, a, b);
  values[1] = torch_if_number(c, torch_is(c, "ne", b, 0), tcc_build2(&c->b, TCC_OP_FMOD, a, b), 0);
  return more(c, values[1]);
}

/* kind 1: the least common multiple. */
bool torch_op_common_divisor(ImportCall *c) {
  static const char *const names[] = {"self", "other"};
  TccElem elem = torch_result(c, 0);
  MlirValue v[2];
  ImportShape shape;
  if (!elem || !torch_operands(c, names, 2, elem, v, &shape)) return false;
  for (int i = 0; i < 2; i++)
    if (tcc_elem_is_signed(elem)) v[i] = one_op(c, TCC_OP_ABS, v[i]);
  MlirValue last[] = {v[0], v[1]};
  if (!torch_iterate(c, more(c, v[1]), last, 2, euclid, NULL)) return false;
  return torch_output(c, 0, c->kind ? torch_mul(c, torch_div(c, v[0], last[0]), v[1]) : last[0]);
}

/* The next number of the type towards other: its bits are one more, or one less. */
bool torch_op_next_after(ImportCall *c) {
  static const char *const names[] = {"self", "other"};
  TccElem elem = torch_result(c, 0);
  MlirValue v[2];
  ImportShape shape;
  if (!elem || !torch_operands(c, names, 2, elem, v, &shape)) return false;
  TccElem bits = elem == TCC_ELEM_F64 ? TCC_ELEM_I64 : elem == TCC_ELEM_F32 ? TCC_ELEM_I32 : TCC_ELEM_I16;
  ImportShape as_bits = shape, as_number = shape;
  as_bits.elem = bits, as_number.elem = elem;
  MlirValue up = tcc_build_compare(&c->b, "gt", v[1], v[0]), positive = torch_is(c, "gt", v[0], 0),
            one = torch_constant(c, bits, 1);
  MlirValue old = import_op_typed(c, TCC_OP_BITCAST, v, 1, NULL, 0, &as_bits);
  MlirValue away = torch_if(c, tcc_build2(&c->b, TCC_OP_XOR, up, positive), torch_neg(c, one), one);
  MlirValue least = torch_if(c, up, one,
                             torch_constant(c, bits,
                                            bits == TCC_ELEM_I64   ? -0x1p63
                                            : bits == TCC_ELEM_I32 ? -0x1p31
                                                                   : -0x1p15));
  if (!up.ptr || !least.ptr) return false;
  least = torch_if(c, up, least, tcc_build2(&c->b, TCC_OP_OR, least, one));
  MlirValue moved = torch_if(c, torch_is(c, "eq", v[0], 0), least, torch_add(c, old, away));
  if (!moved.ptr) return false;
  MlirValue y = import_op_typed(c, TCC_OP_BITCAST, &moved, 1, NULL, 0, &as_number);
  y = torch_if(c, tcc_build_compare(&c->b, "eq", v[0], v[1]), v[1], y);
  y = torch_if(c, one_op(c, TCC_OP_IS_NAN, v[0]), v[0], torch_if(c, one_op(c, TCC_OP_IS_NAN, v[1]), v[1], y));
  return torch_output(c, 0, y);
}

/* x = mantissa * 2^exponent, the mantissa in [1/2, 1): by the bits of an f64. Zeros, infinities and NaN are their own mantissa. */
bool torch_op_mantissa(ImportCall *c) {
  enum { BIAS = 1022, SHIFT = 54 };
  MlirValue x = torch_tensor_as(c, "self", TCC_ELEM_F64);
  ImportShape number = import_shape(c, x), bits = number;
  bits.elem = TCC_ELEM_I64;
  if (!x.ptr) return false;
  MlirValue size = one_op(c, TCC_OP_ABS, x), tiny = torch_is(c, "lt", size, 0x1p-1022);
  MlirValue normal = torch_if(c, tiny, torch_times(c, x, 0x1p54), x);
  MlirValue old = import_op_typed(c, TCC_OP_BITCAST, &normal, 1, NULL, 0, &bits);
  MlirValue field = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0x7ff), place = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 52);
  MlirValue exponent = tcc_build2(&c->b, TCC_OP_AND, tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, old, place), field);
  MlirValue rest = tcc_build2(&c->b, TCC_OP_AND, old, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, ~((int64_t)0x7ff << 52)));
  rest = tcc_build2(&c->b, TCC_OP_OR, rest, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, (int64_t)BIAS << 52));
  if (!rest.ptr || !exponent.ptr) return false;
  exponent = torch_plus(c, exponent, -BIAS);
  exponent = torch_if(c, tiny, torch_plus(c, exponent, -SHIFT), exponent);
  MlirValue mantissa = import_op_typed(c, TCC_OP_BITCAST, &rest, 1, NULL, 0, &number);
  MlirValue plain = torch_both(c, torch_is(c, "gt", size, 0), torch_is(c, "lt", size, INFINITY));
  return torch_answer(c, torch_if(c, plain, mantissa, x)) &&
         torch_output(c, 1, torch_convert(c, torch_if_number(c, plain, exponent, 0), torch_result(c, 1)));
}

/* ops_elementwise.c - overloads that act on each element. Operands are converted to the type that torch computes in. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include "tcc/op_kinds.h"

/* ---- promotion: torch/c10/core/ScalarType.h, aten/src/ATen/native/TypeProperties.cpp ---- */
static TccElem promote(TccElem a, TccElem b) {
  if (a == b || !b) return a;
  if (!a || a == TCC_ELEM_BOOL) return b;
  if (b == TCC_ELEM_BOOL) return a;
  bool real_a = tcc_elem_is_float(a), real_b = tcc_elem_is_float(b);
  if (real_a != real_b) return real_a ? a : b;
  unsigned bits_a = tcc_elem_bits(a), bits_b = tcc_elem_bits(b);
  if (real_a) return bits_a == bits_b ? TCC_ELEM_F32 : bits_a > bits_b ? a : b;
  if (tcc_elem_is_signed(a) == tcc_elem_is_signed(b)) return bits_a > bits_b ? a : b;
  unsigned bits_u = tcc_elem_is_unsigned(a) ? bits_a : bits_b, bits_s = tcc_elem_is_unsigned(a) ? bits_b : bits_a;
  if (bits_s > bits_u) return tcc_elem_is_unsigned(a) ? b : a;
  return bits_u == 8 ? TCC_ELEM_I16 : bits_u == 16 ? TCC_ELEM_I32 : TCC_ELEM_I64;
}

static TccElem combine(TccElem higher, TccElem lower) {
  if (tcc_elem_is_float(higher)) return higher;
  if (higher == TCC_ELEM_BOOL || tcc_elem_is_float(lower)) return promote(higher, lower);
  return higher ? higher : lower;
}

TccElem torch_promote(ImportCall *c, const char *a, const char *b) {
  const char *names[] = {a, b};
  TccElem with_axes = TCC_ELEM_NONE, without = TCC_ELEM_NONE, numbers = TCC_ELEM_NONE;
  for (int i = 0; i < 2; i++) {
    const TccTorchArg *given = torch_argument(c, names[i]);
    if (!given || given->kind == TCC_TORCH_TENSOR) {
      ImportShape shape = import_shape(c, torch_tensor(c, names[i]));
      TccElem *kind = shape.rank ? &with_axes : &without;
      *kind = promote(*kind, shape.elem);
      continue;
    }
    TorchNumber n = torch_number(c, names[i]);
    numbers = promote(numbers, n.kind == TORCH_REAL ? TCC_ELEM_F32 : n.kind == TORCH_INTEGER ? TCC_ELEM_I64 : TCC_ELEM_BOOL);
  }
  return combine(with_axes, combine(without, numbers));
}

static bool is_tensor(ImportCall *c, const char *name) {
  const TccTorchArg *a = torch_argument(c, name);
  return a && a->kind == TCC_TORCH_TENSOR;
}

MlirValue torch_operand(ImportCall *c, const char *name, TccElem elem) {
  return is_tensor(c, name) ? torch_tensor_as(c, name, elem) : torch_scalar(c, name, elem);
}

/* The type to compute in: that of the result, or f32 where a number is no f16 or bf16, since torch does not round it. */
static TccElem computes_in(ImportCall *c, const char *a, const char *b, TccElem elem) {
  const char *names[] = {a, b};
  if (torch_wide(elem) == elem) return elem;
  for (int i = 0; i < 2; i++) {
    if (is_tensor(c, names[i])) continue;
    TorchNumber n = torch_number(c, names[i]);
    uint16_t rounded;
    int64_t integer = 0;
    if (n.value.ptr || (n.size && !tcc_expr_is_const(n.size, &integer))) return TCC_ELEM_F32;
    double value = n.kind == TORCH_INTEGER ? (double)integer : n.real;
    tcc_elem_store_f64(elem, &rounded, 0, value);
    if (tcc_elem_load_f64(elem, &rounded, 0) != value && value == value) return TCC_ELEM_F32;
  }
  return elem;
}

static bool output_as(ImportCall *c, MlirValue value) {
  TccElem elem = torch_result(c, 0);
  return value.ptr && elem && torch_output(c, 0, tcc_build_convert(&c->b, value, elem));
}

/* ---- one operand ---- */
bool torch_op_unary(ImportCall *c) { return torch_output(c, 0, tcc_build1(&c->b, (TccOpKind)c->kind, torch_tensor(c, "self"))); }

bool torch_op_unary_float(ImportCall *c) {
  MlirValue x = torch_tensor_as(c, "self", torch_result(c, 0));
  if (c->kind != TCC_OP_SWISH) return torch_output(c, 0, tcc_build1(&c->b, (TccOpKind)c->kind, x));
  TccNamedAttr alpha = {"alpha", tcc_attr_f64(c->ir, 1)};
  return x.ptr && torch_output(c, 0, import_op(c, TCC_OP_SWISH, &x, 1, &alpha, 1));
}

bool torch_op_gelu(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  TccNamedAttr attr = {"approximate", tcc_attr_str(c->ir, torch_string(c, "approximate"))};
  return x.ptr && torch_output(c, 0, import_op(c, TCC_OP_GELU, &x, 1, &attr, 1));
}

bool torch_op_hard_sigmoid(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  TccNamedAttr attrs[] = {{"alpha", tcc_attr_f64(c->ir, 1.0 / 6)}, {"beta", tcc_attr_f64(c->ir, 0.5)}};
  return x.ptr && torch_output(c, 0, import_op(c, TCC_OP_HARD_SIGMOID, &x, 1, attrs, 2));
}

/* ---- two operands ---- */
bool torch_op_binary(ImportCall *c) {
  TccElem elem = computes_in(c, "self", torch_argument(c, "exponent") ? "exponent" : "other", torch_result(c, 0));
  MlirValue a = torch_operand(c, "self", elem), b = torch_operand(c, torch_argument(c, "exponent") ? "exponent" : "other", elem);
  return output_as(c, torch_build2(c, (TccOpKind)c->kind, a, b));
}

/* self + alpha * other, self - alpha * other, other - alpha * self */
bool torch_op_add(ImportCall *c) {
  TorchNumber alpha = torch_number(c, "alpha");
  int64_t integer;
  bool one = alpha.size ? tcc_expr_is_const(alpha.size, &integer) && integer == 1 : !alpha.value.ptr && alpha.real == 1;
  TccElem result = torch_result(c, 0), elem = one ? computes_in(c, "self", "other", result) : torch_wide(result);
  MlirValue a = torch_operand(c, "self", elem), b = torch_operand(c, "other", elem), *scaled = c->kind == TCC_OP_NEG ? &a : &b;
  if (!one) *scaled = torch_build2(c, TCC_OP_MUL, *scaled, torch_scalar(c, "alpha", elem));
  if (c->kind == TCC_OP_NEG) return output_as(c, tcc_build2(&c->b, TCC_OP_SUB, b, a));
  return output_as(c, torch_build2(c, (TccOpKind)c->kind, a, b));
}

/* a * b + c; b may be a number. Of f16 and bf16 the product is not rounded. */
bool torch_op_fma(ImportCall *c) {
  TccElem elem = torch_wide(torch_result(c, 0));
  MlirValue a = torch_operand(c, "a", elem), b = torch_operand(c, "b", elem), addend = torch_operand(c, "c", elem);
  return output_as(c, torch_build2(c, TCC_OP_ADD, torch_build2(c, TCC_OP_MUL, a, b), addend));
}

bool torch_op_power(ImportCall *c) {
  TorchNumber n = torch_number(c, "exponent");
  TccElem elem = torch_result(c, 0);
  int64_t integer = 0;
  if (n.value.ptr || (n.size && !tcc_expr_is_const(n.size, &integer)) || !elem) return torch_op_binary(c);
  double exponent = n.kind == TORCH_INTEGER ? (double)integer : n.real;
  MlirValue x = torch_tensor_as(c, "self", elem), square = exponent == 2 || exponent == 3 ? tcc_build2(&c->b, TCC_OP_MUL, x, x) : x;
  if (exponent == 1 || exponent == 2) return torch_output(c, 0, square);
  if (exponent == 3) return torch_output(c, 0, tcc_build2(&c->b, TCC_OP_MUL, square, x));
  if (!tcc_elem_is_float(elem)) {
    c->kind = TCC_OP_POW;
    return torch_op_binary(c);
  }
  if (exponent == 0.5) return torch_output(c, 0, tcc_build1(&c->b, TCC_OP_SQRT, x));
  if (exponent == -0.5) return torch_output(c, 0, tcc_build1(&c->b, TCC_OP_RSQRT, x));
  if (exponent == -1) return torch_output(c, 0, tcc_build1(&c->b, TCC_OP_RECIPROCAL, x));
  c->kind = TCC_OP_POW;
  return torch_op_binary(c);
}

bool torch_op_compare(ImportCall *c) {
  static const char *const predicates[] = {"eq", "ne", "lt", "le", "gt", "ge"};
  TccElem elem = torch_promote(c, "self", "other");
  MlirValue a = torch_operand(c, "self", elem), b = torch_operand(c, "other", elem);
  return torch_output(c, 0, tcc_build_compare(&c->b, predicates[c->kind], a, b));
}

static MlirValue truth(ImportCall *c, const char *name, const char *predicate) {
  MlirValue x = torch_tensor(c, name);
  TccElem elem = tcc_value_elem(x);
  if (elem == TCC_ELEM_BOOL) return *predicate == 'n' ? x : tcc_build1(&c->b, TCC_OP_NOT, x);
  return x.ptr ? tcc_build_compare(&c->b, predicate, x, tcc_build_scalar(&c->b, elem, 0)) : x;
}

bool torch_op_logical(ImportCall *c) {
  return torch_output(c, 0, tcc_build2(&c->b, (TccOpKind)c->kind, truth(c, "self", "ne"), truth(c, "other", "ne")));
}

bool torch_op_logical_not(ImportCall *c) { return torch_output(c, 0, truth(c, "self", "eq")); }

bool torch_op_where(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  return torch_output(
      c, 0, tcc_build_select(&c->b, truth(c, "condition", "ne"), torch_operand(c, "self", elem), torch_operand(c, "other", elem)));
}

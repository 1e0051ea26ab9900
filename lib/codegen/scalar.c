/* scalar.c - see scalar.h. */
#include "lib/codegen/scalar.h"
#include <stdio.h>

const char *tcc_scalar_type(TccElem elem) {
  switch (elem) {
  case TCC_ELEM_F32: return "f32";
  case TCC_ELEM_F64: return "f64";
  case TCC_ELEM_F16: return "f16";
  case TCC_ELEM_BF16: return "bf16";
  case TCC_ELEM_BOOL: return "i1";
  case TCC_ELEM_I8: case TCC_ELEM_U8: return "i8";
  case TCC_ELEM_I16: case TCC_ELEM_U16: return "i16";
  case TCC_ELEM_I32: case TCC_ELEM_U32: return "i32";
  case TCC_ELEM_I64: case TCC_ELEM_U64: return "i64";
  default: return NULL;
  }
}

TccVal tcc_scalar_convert(TccEmit *e, TccElem from, TccElem to, int lanes, TccVal v) {
  if (from == to) return v;
  const char *a = tcc_emit_vector(e, tcc_scalar_type(from), lanes), *b = tcc_emit_vector(e, tcc_scalar_type(to), lanes);
  bool ff = tcc_elem_is_float(from), tf = tcc_elem_is_float(to);
  unsigned fb = from == TCC_ELEM_BOOL ? 1 : tcc_elem_bits(from), tb = to == TCC_ELEM_BOOL ? 1 : tcc_elem_bits(to);
  if (to == TCC_ELEM_BOOL) {
    TccVal zero = tcc_emit_zero(e, a);
    return ff ? tcc_emit_fcmp(e, "une", a, v, zero) : tcc_emit_icmp(e, "ne", a, v, zero);
  }
  if (ff && tf) {
    if (fb == tb) { /* f16 and bf16 meet in f32 */
      const char *f32 = tcc_emit_vector(e, "f32", lanes);
      return tcc_emit_cast(e, "fptrunc", f32, b, tcc_emit_cast(e, "fpext", a, f32, v));
    }
    return tcc_emit_cast(e, fb < tb ? "fpext" : "fptrunc", a, b, v);
  }
  bool is_signed = tcc_elem_is_signed(from);
  if (tf) return tcc_emit_cast(e, is_signed ? "sitofp" : "uitofp", a, b, v);
  if (ff) { /* through 64 bits, so that unsigned and narrow types wrap alike */
    const char *wide = tcc_emit_vector(e, "i64", lanes);
    if (tb == 64) return tcc_emit_cast(e, to == TCC_ELEM_U64 ? "fptoui" : "fptosi", a, b, v);
    return tcc_emit_cast(e, "trunc", wide, b, tcc_emit_cast(e, "fptosi", a, wide, v));
  }
  if (fb == tb) return v;
  return tcc_emit_cast(e, fb > tb ? "trunc" : is_signed ? "sext" : "zext", a, b, v);
}

static TccVal extreme(TccEmit *e, bool is_max, TccElem elem, const char *type, TccVal a, TccVal b) {
  TccVal args[] = {a, b};
  if (tcc_elem_is_float(elem)) return tcc_emit_intrinsic(e, is_max ? "maximum" : "minimum", type, 2, args);
  bool is_signed = tcc_elem_is_signed(elem);
  return tcc_emit_intrinsic(e, is_max ? (is_signed ? "smax" : "umax") : (is_signed ? "smin" : "umin"), type, 2, args);
}

static TccVal compare(TccEmit *e, TccStr predicate, TccElem elem, const char *type, TccVal a, TccVal b) {
  char name[8];
  bool equality = tcc_str_is(predicate, "eq") || tcc_str_is(predicate, "ne"), is_float = tcc_elem_is_float(elem);
  const char *prefix = is_float ? (tcc_str_is(predicate, "ne") ? "u" : "o") : equality ? "" : tcc_elem_is_signed(elem) ? "s" : "u";
  snprintf(name, sizeof name, "%s%.*s", prefix, TCC_STR_ARG(predicate));
  return is_float ? tcc_emit_fcmp(e, name, type, a, b) : tcc_emit_icmp(e, name, type, a, b);
}

TccStatus *tcc_scalar_op(TccEmit *e, TccIr *ir, const TccMachine *machine, MlirOperation op, int lanes, const TccVal *x, TccVal *out) {
  (void)machine;
  TccOpKind kind = tcc_op_kind(ir, op);
  TccElem from = tcc_type_elem(tcc_value_type(mlirOperationGetOperand(op, 0)));
  TccElem elem = tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0)));
  *out = 0;
  if (!tcc_scalar_type(from) || !tcc_scalar_type(elem)) return TCC_ERROR(TCC_UNSUPPORTED, "'%s' on %s", tcc_op_name(kind), tcc_elem_name(from));
  const char *type = tcc_emit_vector(e, tcc_scalar_type(from), lanes);
  bool is_float = tcc_elem_is_float(from);
  switch (kind) {
  case TCC_OP_ADD: *out = tcc_emit_bin(e, is_float ? "fadd" : "add", type, x[0], x[1]); return NULL;
  case TCC_OP_SUB: *out = tcc_emit_bin(e, is_float ? "fsub" : "sub", type, x[0], x[1]); return NULL;
  case TCC_OP_MUL: *out = tcc_emit_bin(e, is_float ? "fmul" : "mul", type, x[0], x[1]); return NULL;
  case TCC_OP_MAX: *out = extreme(e, true, from, type, x[0], x[1]); return NULL;
  case TCC_OP_MIN: *out = extreme(e, false, from, type, x[0], x[1]); return NULL;
  case TCC_OP_CONVERT: *out = tcc_scalar_convert(e, from, elem, lanes, x[0]); return NULL;
  case TCC_OP_COMPARE: *out = compare(e, tcc_string(ir, op, "predicate"), from, type, x[0], x[1]); return NULL;
  case TCC_OP_SELECT:
    *out = tcc_emit_select(e, tcc_emit_vector(e, tcc_scalar_type(elem), lanes), x[0], x[1], x[2]);
    return NULL;
  case TCC_OP_DIV:
    if (is_float) {
      *out = tcc_emit_bin(e, "fdiv", type, x[0], x[1]);
      return NULL;
    }
    break;
  case TCC_OP_SQRT:
    *out = tcc_emit_intrinsic(e, "sqrt", type, 1, x);
    return NULL;
  default: break;
  }
  return TCC_ERROR(TCC_UNSUPPORTED, "'%s' on %s", tcc_op_name(kind), tcc_elem_name(from));
}

/* lower_qdq_conv.c - convolutions of dequantised bytes, as convolutions of bytes.
 *
 *   %a = (convert %p - z) * s,   %p: ui8                 %i = tcc.conv %p, %q, -z * (sum of %q over its taps)  : i32
 *   %b = (convert %q) * t,       %q: i8, t a channel  => %r = convert(%i) * (s * t) + %bias
 *   %r = tcc.conv %a, %b, %bias
 *
 * Zeros beside the image are z in bytes: with a zero point other than 0 the image is padded with it first. Where a target takes
 * no signed activations, those that are quantised to signed bytes are quantised to unsigned ones, 128 above, whose zero point is 0 behind a relu. Only what the
 * target takes is lowered (TccByteProducts); other convolutions stay in f32.
 *
 * requires, ensures, keeps: as tcc-lower-qdq. */
#include "lib/ir/dequantize.h"
#include "passes/lower_qdq/lower_qdq.h"
#include "tcc/codegen.h"
#include "tcc/op_kinds.h"
#include "tcc/target.h"
#include <string.h>

enum { DEEPEST = 1 << 15 /* 255 * 128 * DEEPEST fits i32 */, SHIFT = 128 };

static TccElem elem_of(MlirValue v) { return tcc_type_elem(tcc_value_type(v)); }
static MlirValue operand(MlirValue v, intptr_t i) { return mlirOperationGetOperand(tcc_value_op(v), i); }

/* A constant of one element. */
static bool read_scalar(TccIr *ir, MlirValue v, double *out) {
  size_t count;
  const void *data = tcc_constant_data(ir, v, &count);
  const TccExpr *size = tcc_type_count(ir, tcc_value_type(v));
  if (!data || !size || size != tcc_expr_const(ir->exprs, 1)) return false;
  *out = tcc_elem_load_f64(elem_of(v), data, 0);
  return true;
}

/* A zero point that is known; none is 0. */
static bool known_zero(TccIr *ir, MlirValue zero, int64_t *out) {
  double value = 0;
  if (!mlirValueIsNull(zero)) {
    if (tcc_value_kind(ir, zero) == TCC_OP_CONVERT) zero = operand(zero, 0);
    if (!read_scalar(ir, zero, &value) || !tcc_is_zero_point(value)) return false;
  }
  *out = (int64_t)value;
  return true;
}

/* ---- unsigned activations ---- */

/* What reads a number of %q as a float reads it of %u, which is 128 above. */
static void read_unsigned(TccBuilder *b, MlirValue q, MlirValue u) {
  TccIr *ir = b->ir;
  for (MlirOpOperand use = mlirValueGetFirstUse(q), next; !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation convert = mlirOpOperandGetOwner(use);
    if (tcc_op_kind(ir, convert) != TCC_OP_CONVERT) continue;
    MlirValue old = mlirOperationGetResult(convert, 0);
    if (elem_of(old) != TCC_ELEM_F32) continue;
    TccBuilder at = {ir, b->block, convert, mlirOperationGetLocation(convert)};
    MlirValue real = tcc_build_convert(&at, u, TCC_ELEM_F32);
    for (MlirOpOperand reader = mlirValueGetFirstUse(old), after; !mlirOpOperandIsNull(reader); reader = after) {
      after = mlirOpOperandGetNextUse(reader);
      MlirOperation user = mlirOpOperandGetOwner(reader);
      int64_t zero;
      if (tcc_op_kind(ir, user) != TCC_OP_SUB || !mlirValueEqual(mlirOperationGetOperand(user, 0), old) ||
          !known_zero(ir, mlirOperationGetOperand(user, 1), &zero))
        continue;
      TccBuilder there = {ir, b->block, user, mlirOperationGetLocation(user)};
      MlirValue difference = real;
      if (zero + SHIFT)
        difference = tcc_build2(&there, TCC_OP_SUB, real, tcc_build_scalar(&there, TCC_ELEM_F32, (double)(zero + SHIFT)));
      tcc_replace_uses(mlirOperationGetResult(user, 0), difference);
    }
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(old))) continue;
    tcc_replace_uses(old, tcc_build2(&at, TCC_OP_SUB, real, tcc_build_scalar(&at, TCC_ELEM_F32, SHIFT)));
  }
}

/* convert(clamp(%x, -128, 127)) : i8 as unsigned bytes; false: it is something else. */
static bool make_unsigned(TccIr *ir, MlirBlock block, MlirValue q) {
  double low, high;
  if (!mlirValueIsAOpResult(q) || tcc_value_kind(ir, q) != TCC_OP_CONVERT || tcc_value_kind(ir, operand(q, 0)) != TCC_OP_CLAMP)
    return false;
  MlirValue clamp = operand(q, 0);
  if (elem_of(clamp) != TCC_ELEM_F32 || !read_scalar(ir, operand(clamp, 1), &low) || !read_scalar(ir, operand(clamp, 2), &high) ||
      low != -SHIFT || high != SHIFT - 1)
    return false;
  TccBuilder b = {ir, block, tcc_value_op(q), mlirOperationGetLocation(tcc_value_op(q))};
  MlirValue moved[] = {tcc_build2(&b, TCC_OP_ADD, operand(clamp, 0), tcc_build_scalar(&b, TCC_ELEM_F32, SHIFT)),
                       tcc_build_scalar(&b, TCC_ELEM_F32, 0), tcc_build_scalar(&b, TCC_ELEM_F32, 2 * SHIFT - 1)};
  MlirValue clamped = tcc_build_value(&b, TCC_OP_CLAMP, moved, 3, NULL, 0, NULL);
  if (mlirValueIsNull(clamped)) return false;
  read_unsigned(&b, q, tcc_build_convert(&b, clamped, TCC_ELEM_U8));
  return true;
}

/* ---- convolutions ---- */

typedef struct {
  TccDequantized p, q;
  int64_t zero;     /* of p */
  int64_t channels; /* of the result */
} Product;

static bool static_dim(TccIr *ir, MlirType type, int axis, int64_t *out) {
  const TccExpr *size = tcc_type_dim(ir, type, axis);
  return size && tcc_expr_is_const(size, out);
}

/* Whether sizes are such as sums of bytes may have, and known as far as a target asks. */
static bool has_sizes(TccIr *ir, MlirOperation op, Product *r) {
  MlirType xt = tcc_value_type(mlirOperationGetOperand(op, 0)), wt = tcc_value_type(mlirOperationGetOperand(op, 1)),
           rt = tcc_value_type(mlirOperationGetResult(op, 0));
  int64_t size, depth = 1;
  if (tcc_type_rank(xt) != 4 || tcc_type_elem(rt) != TCC_ELEM_F32 || !static_dim(ir, wt, 0, &r->channels)) return false;
  for (int i = 0; i < 4; i++) {
    if (!static_dim(ir, wt, i, &size) || size < 1) return false;
    depth *= i ? size : 1;
    int64_t known = 1;
    if (!tcc_type_dim(ir, xt, i) || !tcc_type_dim(ir, rt, i)) return false;
    if (static_dim(ir, xt, i, &known) && known < 1) return false;
    if (static_dim(ir, rt, i, &known) && known < 1) return false;
  }
  return depth <= DEEPEST;
}

/* Scales of the weights as a factor of the result's channels: one number, or [M, 1, 1]. */
static MlirValue channel_scale(TccBuilder *b, const Product *r) {
  TccIr *ir = b->ir;
  MlirType type = tcc_value_type(r->q.scale);
  int rank = tcc_type_rank(type);
  const TccExpr *one = tcc_expr_const(ir->exprs, 1), *all = tcc_expr_const(ir->exprs, r->channels);
  const TccExpr *dims[] = {all, one, one};
  if (tcc_type_count(ir, type) == one) return rank ? tcc_build_reshape(b, r->q.scale, 0, NULL) : r->q.scale;
  if (rank != 4 || tcc_type_dim(ir, type, 0) != all || tcc_type_count(ir, type) != all) return (MlirValue){NULL};
  return tcc_build_reshape(b, r->q.scale, 3, dims);
}

/* The image with the zero point around it, where there is padding: *out_pads are zeros then. Null after a diagnostic. */
static MlirValue padded(TccBuilder *b, MlirOperation op, const Product *r, MlirAttribute *out_pads) {
  TccIr *ir = b->ir;
  const int64_t *pads, none[4] = {0};
  size_t n;
  if (!r->zero || !tcc_get_ints(ir, op, "pads", &pads, &n) || n != 4 || !(pads[0] | pads[1] | pads[2] | pads[3])) return r->p.q;
  const TccExpr *zero = tcc_expr_const(ir->exprs, 0), *low[] = {zero, zero, zero, zero}, *high[] = {zero, zero, zero, zero};
  for (int i = 0; i < 2; i++) low[i + 2] = tcc_expr_const(ir->exprs, pads[i]), high[i + 2] = tcc_expr_const(ir->exprs, pads[i + 2]);
  *out_pads = tcc_attr_ints(ir, none, 4);
  return tcc_build_pad(b, r->p.q, tcc_build_scalar_i64(b, elem_of(r->p.q), r->zero), low, high, "constant");
}

/* any_sign: of activations. */
static bool read_product(TccIr *ir, MlirOperation op, bool any_sign, Product *r) {
  int64_t y;
  MlirValue x = mlirOperationGetOperand(op, 0), w = mlirOperationGetOperand(op, 1);
  if (!tcc_read_dequantized(ir, x, &r->p) || !known_zero(ir, r->p.zero, &r->zero)) return false;
  if (elem_of(r->p.q) != TCC_ELEM_U8 && !(any_sign && elem_of(r->p.q) == TCC_ELEM_I8)) return false;
  if (tcc_type_count(ir, tcc_value_type(r->p.scale)) != tcc_expr_const(ir->exprs, 1)) return false;
  if (!tcc_read_dequantized(ir, w, &r->q) || elem_of(r->q.q) != TCC_ELEM_I8 || !known_zero(ir, r->q.zero, &y) || y) return false;
  TccOpKind kind = tcc_value_kind(ir, r->q.q);
  return kind == TCC_OP_WEIGHT || kind == TCC_OP_CONSTANT;
}

static MlirValue build_product(TccBuilder *b, MlirOperation op, const Product *r) {
  TccIr *ir = b->ir;
  const TccExpr *one = tcc_expr_const(ir->exprs, 1), *dims[] = {tcc_expr_const(ir->exprs, r->channels), one, one};
  MlirAttribute pads = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("pads"));
  MlirValue bias = mlirOperationGetOperand(op, 2), scale = channel_scale(b, r), operands[] = {{NULL}, r->q.q, {NULL}};
  if (mlirValueIsNull(scale)) return scale;
  operands[0] = padded(b, op, r, &pads);
  if (mlirValueIsNull(operands[0])) return operands[0];
  if (r->zero) {
    const int64_t taps[] = {1, 2, 3};
    operands[2] = tcc_build2(b, TCC_OP_MUL, tcc_build_reduce(b, "sum", tcc_build_convert(b, r->q.q, TCC_ELEM_I32), taps, 3, false),
                             tcc_build_scalar_i64(b, TCC_ELEM_I32, -r->zero));
  }
  TccNamedAttr attrs[8];
  size_t n = tcc_named_attributes(op, attrs, 8);
  for (size_t i = 0; i < n; i++)
    if (!strcmp(attrs[i].name, "pads")) attrs[i].value = pads;
  MlirValue sums = tcc_build_value(b, TCC_OP_CONV, operands, 3, attrs, n, NULL);
  if (mlirValueIsNull(sums)) return sums;
  MlirValue of_x = tcc_type_rank(tcc_value_type(r->p.scale)) ? tcc_build_reshape(b, r->p.scale, 0, NULL) : r->p.scale;
  MlirValue made = tcc_build2(b, TCC_OP_MUL, tcc_build_convert(b, sums, TCC_ELEM_F32), tcc_build2(b, TCC_OP_MUL, scale, of_x));
  if (tcc_value_is_none(ir, bias)) return made;
  return tcc_build2(b, TCC_OP_ADD, made, tcc_build_reshape(b, bias, 3, dims));
}

/* The bytes that the convolution's left operand is made of, if they are signed. */
static MlirValue signed_bytes(TccIr *ir, MlirOperation op) {
  TccDequantized p;
  bool found = tcc_read_dequantized(ir, mlirOperationGetOperand(op, 0), &p) && elem_of(p.q) == TCC_ELEM_I8;
  return found ? p.q : (MlirValue){NULL};
}

bool tcc_lower_qdq_convolutions(TccPassRun *run, MlirBlock block) {
  TccIr *ir = run->ir;
  bool changed = false;
  const TccByteProducts *bytes = run->target->of->bytes;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    Product r;
    if (tcc_op_kind(ir, op) != TCC_OP_CONV || !has_sizes(ir, op, &r) || !bytes->takes_conv(&run->target->machine, ir, op)) continue;
    MlirValue q = signed_bytes(ir, op);
    if (!mlirValueIsNull(q) && !bytes->any_sign) changed |= make_unsigned(ir, block, q);
    if (!read_product(ir, op, bytes->any_sign, &r)) continue;
    TccBuilder b = {ir, block, op, mlirOperationGetLocation(op)};
    MlirValue made = build_product(&b, op, &r), old = mlirOperationGetResult(op, 0);
    if (mlirValueIsNull(made) || !mlirTypeEqual(tcc_value_type(made), tcc_value_type(old))) continue;
    tcc_replace_uses(old, made);
    changed = true;
  }
  return changed;
}

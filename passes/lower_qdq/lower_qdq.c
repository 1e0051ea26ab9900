/* lower_qdq.c - products of quantised numbers, in the arithmetic in which the target is fast at them.
 *
 *   %a = (convert %p - z) * s,   %p: ui8                 %i = tcc.matmul %p, %q            : i32
 *   %b = (convert %q) * t,       %q: i8             =>   %j = %i - z * (sum of %q over the depth)
 *   %r = tcc.matmul %a, %b                               %r = convert(%j) * (s * t)
 *
 *   %c = tcc.conv %x, %w : i32, of differences of bytes  %c = tcc.conv convert(%x), convert(%w) : f32
 *   %d = %c + %bias : i32                           =>   %d = %c + convert(%bias) : f32
 *   %r = convert %d : f32
 *
 * The first is how exporters spell a quantised model (DequantizeLinear in front of every product). Sums of products of bytes are
 * exact in i32, where f32 rounds, and four of them or more are one instruction (vpdpbusd, dp4a, mma). Where a target has it for unsigned by signed ones alone,
 * bytes of the other kind are moved by 128, their zero point with them. With both zero points, (p - z)(q - y) summed over k is
 * pq - z * sum q - y * (sum p - z * K). The second is ONNX's ConvInteger where its sums become floats: convolutions in f32 work on
 * blocked channels, those in i32 do not, and sums in f32 lose no more than those of any other convolution. What a target is fast at: TccByteProducts.
 *
 * A tensor that is quantised again with its own scale and zero point is the bytes that it was, also behind a max pool. What is computed is quantised by a product with the
 * reciprocal of its scale, which the terms of a sum take into their own scales.
 *
 * Convolutions of dequantised bytes are in lower_qdq_conv.c.
 *
 * requires: simplify; a target with TccTarget.bytes, for others it does nothing. ensures: no product of dequantised bytes in f32 whose depth is static and whose rows
 * are not few; of few rows none that the target takes.
 * keeps: values up to f32's rounding, integers that are read as integers. */
#include "passes/lower_qdq/lower_qdq.h"
#include "lib/ir/dequantize.h"
#include "tcc/codegen.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include "tcc/target.h"

enum { DEEPEST = 1 << 15, /* 255 * 255 * DEEPEST fits i32 */ LEAST_DEPTH = 16, FEW_ROWS = 4, MOST_VIEWS = 4 };

static bool is_byte(TccElem elem) { return elem == TCC_ELEM_U8 || elem == TCC_ELEM_I8; }
static TccElem elem_of(MlirValue v) { return tcc_type_elem(tcc_value_type(v)); }
static MlirValue operand(MlirValue v, intptr_t i) { return mlirOperationGetOperand(tcc_value_op(v), i); }

static bool has_one_element(TccIr *ir, MlirValue v) {
  const TccExpr *count = tcc_type_count(ir, tcc_value_type(v));
  return count && count == tcc_expr_const(ir->exprs, 1);
}

static bool read_numbers(TccIr *ir, MlirValue v, TccDequantized *out) {
  return tcc_read_dequantized(ir, v, out) && is_byte(elem_of(out->q));
}

/* A zero point in i32: what was converted to f32, or a constant. */
static bool integer_zero(TccBuilder *b, MlirValue zero, MlirValue *out) {
  size_t count;
  if (!has_one_element(b->ir, zero)) return false;
  if (tcc_value_kind(b->ir, zero) == TCC_OP_CONVERT && is_byte(elem_of(operand(zero, 0)))) {
    MlirValue source = operand(zero, 0);
    *out = tcc_build_convert(b, source, TCC_ELEM_I32);
    return true;
  }
  const void *data = tcc_constant_data(b->ir, zero, &count);
  if (!data || elem_of(zero) != TCC_ELEM_F32) return false;
  double value = tcc_elem_load_f64(TCC_ELEM_F32, data, 0);
  if (!tcc_is_zero_point(value)) return false;
  *out = tcc_build_scalar_i64(b, TCC_ELEM_I32, (int64_t)value);
  return true;
}

/* Bytes of the sign that is wanted, and their zero point. */
static void with_sign(TccBuilder *b, TccElem wanted, MlirValue *q, MlirValue *zero) {
  if (elem_of(*q) == wanted) return;
  MlirValue by = tcc_build_scalar_i64(b, TCC_ELEM_I32, wanted == TCC_ELEM_U8 ? 128 : -128);
  *q = tcc_build_convert(b, tcc_build2(b, TCC_OP_ADD, tcc_build_convert(b, *q, TCC_ELEM_I32), by), wanted);
  *zero = mlirValueIsNull(*zero) ? by : tcc_build2(b, TCC_OP_ADD, *zero, by);
}

/* Scales of columns, whatever the tensor: nothing varies along the depth. */
static bool is_of_columns(TccIr *ir, MlirValue scale) {
  MlirType type = tcc_value_type(scale);
  int rank = tcc_type_rank(type);
  return has_one_element(ir, scale) || rank == 1 || (rank > 1 && tcc_type_dim(ir, type, rank - 2) == tcc_expr_const(ir->exprs, 1));
}

/* The right operand [.., K, N], which may be a transpose of dequantised numbers. */
static bool read_right(TccBuilder *b, MlirValue v, bool transposed, TccDequantized *out) {
  TccIr *ir = b->ir;
  int64_t swapped[TCC_MAX_RANK];
  const int64_t *perm = NULL;
  size_t rank = (size_t)tcc_type_rank(tcc_value_type(v));
  if (tcc_value_kind(ir, v) == TCC_OP_TRANSPOSE) {
    if (transposed || !tcc_get_ints(ir, tcc_value_op(v), "perm", &perm, &rank)) return false;
    v = operand(v, 0);
  } else if (transposed) {
    for (size_t i = 0; i < rank; i++) swapped[i] = (int64_t)(i + 2 < rank ? i : i + 2 == rank ? rank - 1 : rank - 2);
    perm = swapped;
  }
  if (!read_numbers(ir, v, out)) return false;
  if (!perm) return is_of_columns(ir, out->scale);
  out->q = tcc_build_transpose(b, out->q, perm);
  if (has_one_element(ir, out->scale)) return true;
  if ((size_t)tcc_type_rank(tcc_value_type(out->scale)) != rank) return false;
  out->scale = tcc_build_transpose(b, out->scale, perm);
  return is_of_columns(ir, out->scale);
}

static MlirValue sum_over(TccBuilder *b, MlirValue bytes, int64_t axis) {
  return tcc_build_reduce(b, "sum", tcc_build_convert(b, bytes, TCC_ELEM_I32), &axis, 1, true);
}

/* Bytes of the model, whatever their order: packed when it is loaded. */
static bool is_stored(TccIr *ir, MlirValue v) {
  for (int i = 0; i < MOST_VIEWS; i++) {
    TccOpKind kind = tcc_value_kind(ir, v);
    if (kind == TCC_OP_WEIGHT || kind == TCC_OP_CONSTANT) return true;
    if (kind != TCC_OP_TRANSPOSE && kind != TCC_OP_RESHAPE) return false;
    v = operand(v, 0);
  }
  return false;
}

/* Null where the product stays. What was built until then has no use. */
static MlirValue integer_product(TccBuilder *b, const TccTargetInfo *target, MlirOperation op) {
  const MlirValue none = {NULL};
  TccIr *ir = b->ir;
  bool linear = tcc_op_kind(ir, op) == TCC_OP_LINEAR;
  MlirValue left = mlirOperationGetOperand(op, 0), right = mlirOperationGetOperand(op, 1);
  int rank = tcc_type_rank(tcc_value_type(left)), right_rank = tcc_type_rank(tcc_value_type(right));
  int64_t depth, rows = FEW_ROWS;
  TccDequantized p, q;
  if (rank < 2 || right_rank < 2 || elem_of(mlirOperationGetResult(op, 0)) != TCC_ELEM_F32) return none;
  if (!tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(left), rank - 1), &depth) || depth < LEAST_DEPTH || depth > DEEPEST)
    return none;
  tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(left), rank - 2), &rows);
  if (!read_numbers(ir, left, &p) || !has_one_element(ir, p.scale)) return none;
  if (!read_right(b, right, linear && tcc_bool(ir, op, "transposed"), &q)) return none;
  const TccByteProducts *bytes = target->of->bytes;
  if (rows < FEW_ROWS && !bytes->few_rows(&target->machine, is_stored(ir, q.q))) return none;
  MlirValue z = none, y = none;
  if (!mlirValueIsNull(p.zero) && !integer_zero(b, p.zero, &z)) return none;
  if (!mlirValueIsNull(q.zero) && !integer_zero(b, q.zero, &y)) return none;
  if (!bytes->any_sign) with_sign(b, TCC_ELEM_U8, &p.q, &z), with_sign(b, TCC_ELEM_I8, &q.q, &y);
  MlirValue sums = tcc_build2(b, TCC_OP_MATMUL, p.q, q.q);
  if (!mlirValueIsNull(z)) sums = tcc_build2(b, TCC_OP_SUB, sums, tcc_build2(b, TCC_OP_MUL, sum_over(b, q.q, right_rank - 2), z));
  if (!mlirValueIsNull(y)) {
    MlirValue row = sum_over(b, p.q, rank - 1);
    if (!mlirValueIsNull(z))
      row = tcc_build2(b, TCC_OP_SUB, row, tcc_build2(b, TCC_OP_MUL, z, tcc_build_scalar_i64(b, TCC_ELEM_I32, depth)));
    sums = tcc_build2(b, TCC_OP_SUB, sums, tcc_build2(b, TCC_OP_MUL, row, y));
  }
  MlirValue r = tcc_build2(b, TCC_OP_MUL, tcc_build_convert(b, sums, TCC_ELEM_F32), tcc_build2(b, TCC_OP_MUL, q.scale, p.scale));
  if (linear && !tcc_value_is_none(ir, mlirOperationGetOperand(op, 2)))
    r = tcc_build2(b, TCC_OP_ADD, r, mlirOperationGetOperand(op, 2));
  return r;
}

/* ---- convolutions of integers ---- */
/* At most 255 in magnitude: a byte, or a difference of bytes of one sign. */
static bool is_small(TccIr *ir, MlirValue v) {
  TccDequantized d;
  if (!tcc_read_difference(ir, v, &d) || !is_byte(elem_of(d.q))) return false;
  if (mlirValueIsNull(d.zero)) return true;
  return tcc_value_kind(ir, d.zero) == TCC_OP_CONVERT
             ? is_byte(elem_of(operand(d.zero, 0)))
             : tcc_value_kind(ir, d.zero) == TCC_OP_CONSTANT; /* a zero point that was folded */
}

static bool only_read_as_float(TccIr *ir, MlirValue v, int depth) {
  if (mlirOpOperandIsNull(mlirValueGetFirstUse(v))) return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    TccOpKind kind = tcc_op_kind(ir, user);
    if (kind == TCC_OP_CONVERT && tcc_elem_is_float(elem_of(mlirOperationGetResult(user, 0)))) continue;
    if ((kind != TCC_OP_ADD && kind != TCC_OP_SUB) || !depth || !only_read_as_float(ir, mlirOperationGetResult(user, 0), depth - 1))
      return false;
  }
  return true;
}

/* What reads v, in i32, reads `real`, the same in f32. */
static void read_as_float(TccIr *ir, MlirBlock block, MlirValue v, MlirValue real) {
  for (MlirOpOperand use = mlirValueGetFirstUse(v), next; !mlirOpOperandIsNull(use); use = next) {
    next = mlirOpOperandGetNextUse(use);
    MlirOperation user = mlirOpOperandGetOwner(use);
    TccBuilder b = {ir, block, user, mlirOperationGetLocation(user)};
    MlirValue old = mlirOperationGetResult(user, 0);
    if (tcc_op_kind(ir, user) == TCC_OP_CONVERT) {
      tcc_replace_uses(old, tcc_build_convert(&b, real, elem_of(old)));
    } else {
      MlirValue side[2];
      for (int i = 0; i < 2; i++) {
        MlirValue x = mlirOperationGetOperand(user, i);
        side[i] = mlirValueEqual(x, v) ? real : tcc_build_convert(&b, x, TCC_ELEM_F32);
      }
      read_as_float(ir, block, old, tcc_build2(&b, tcc_op_kind(ir, user), side[0], side[1]));
    }
  }
}

static bool float_conv(TccIr *ir, MlirBlock block, MlirOperation op) {
  enum { SUMS = 3 };
  MlirValue old = mlirOperationGetResult(op, 0);
  if (elem_of(old) != TCC_ELEM_I32 || !is_small(ir, mlirOperationGetOperand(op, 0)) ||
      !is_small(ir, mlirOperationGetOperand(op, 1)) || !only_read_as_float(ir, old, SUMS))
    return false;
  TccBuilder b = {ir, block, op, mlirOperationGetLocation(op)};
  MlirValue operands[3];
  TccNamedAttr attrs[8];
  for (intptr_t i = 0; i < 3; i++) {
    MlirValue x = mlirOperationGetOperand(op, i);
    operands[i] = tcc_value_is_none(ir, x) ? x : tcc_build_convert(&b, x, TCC_ELEM_F32);
  }
  MlirOperation made = tcc_build(&b, TCC_OP_CONV, operands, 3, attrs, tcc_named_attributes(op, attrs, 8), NULL);
  if (mlirOperationIsNull(made)) return false;
  read_as_float(ir, block, old, mlirOperationGetResult(made, 0));
  return true;
}

/* ---- quantised again ---- */
static bool is_same_number(TccIr *ir, MlirValue a, MlirValue b) {
  size_t na, nb;
  if (mlirValueIsNull(a) || mlirValueIsNull(b)) return mlirValueIsNull(a) && mlirValueIsNull(b);
  if (mlirValueEqual(a, b)) return true;
  const void *x = tcc_constant_data(ir, a, &na), *y = tcc_constant_data(ir, b, &nb);
  return x && y && na == 1 && nb == 1 && elem_of(a) == elem_of(b) &&
         tcc_elem_load_f64(elem_of(a), x, 0) == tcc_elem_load_f64(elem_of(b), y, 0);
}

/* Ops that bytes pass as the numbers that they stand for do: those that move elements, and a maximum, as long as `scale` is known to be positive. */
static bool commutes(TccIr *ir, MlirValue v, MlirValue scale) {
  size_t count;
  switch (tcc_value_kind(ir, v)) {
  case TCC_OP_RESHAPE:
  case TCC_OP_TRANSPOSE: return true;
  case TCC_OP_POOL: {
    const void *data = tcc_constant_data(ir, scale, &count);
    return tcc_str_is(tcc_string(ir, tcc_value_op(v), "kind"), "max") && data && count == 1 &&
           tcc_elem_load_f64(elem_of(scale), data, 0) > 0;
  }
  default: return false;
  }
}

/* One of those ops again, of q. */
static MlirValue build_again(TccBuilder *b, MlirValue v, MlirValue q) {
  TccIr *ir = b->ir;
  MlirType type = tcc_value_type(v);
  const TccExpr *dims[TCC_MAX_RANK];
  const int64_t *perm;
  TccNamedAttr attrs[8];
  size_t n;
  MlirOperation op = tcc_value_op(v);
  switch (tcc_op_kind(ir, op)) {
  case TCC_OP_RESHAPE:
    for (int i = 0; i < tcc_type_rank(type); i++) dims[i] = tcc_type_dim(ir, type, i);
    return tcc_build_reshape(b, q, tcc_type_rank(type), dims);
  case TCC_OP_TRANSPOSE: return tcc_get_ints(ir, op, "perm", &perm, &n) ? tcc_build_transpose(b, q, perm) : (MlirValue){NULL};
  default: return tcc_build_value(b, tcc_op_kind(ir, op), &q, 1, attrs, tcc_named_attributes(op, attrs, 8), NULL);
  }
}

/* convert(clamp(round(moved((q - z) * s) / s) + z)) -> moved(q); null if op is not that. (q - z) * s / s is less than a half from q - z. */
static MlirValue same_bytes(TccBuilder *b, MlirOperation op) {
  const MlirValue none = {NULL};
  TccIr *ir = b->ir;
  MlirValue result = mlirOperationGetResult(op, 0), x = mlirOperationGetOperand(op, 0), zero = none, moved[MOST_VIEWS];
  int count = 0;
  TccDequantized numbers;
  if (!is_byte(elem_of(result)) || tcc_value_kind(ir, x) != TCC_OP_CLAMP) return none;
  for (int side = 1; side < 3; side++) {
    size_t elements;
    const void *data = tcc_constant_data(ir, operand(x, side), &elements);
    double end = elem_of(result) == TCC_ELEM_U8 ? side == 1 ? 0 : 255 : side == 1 ? -128 : 127;
    if (!data || elements != 1 || tcc_elem_load_f64(elem_of(x), data, 0) != end) return none;
  }
  x = operand(x, 0);
  if (tcc_value_kind(ir, x) == TCC_OP_ADD) zero = operand(x, 1), x = operand(x, 0);
  if (tcc_value_kind(ir, x) != TCC_OP_ROUND || tcc_value_kind(ir, x = operand(x, 0)) != TCC_OP_DIV) return none;
  MlirValue scale = operand(x, 1);
  for (x = operand(x, 0); commutes(ir, x, scale); x = operand(x, 0)) {
    if (count == MOST_VIEWS) return none;
    moved[count++] = x;
  }
  if (!has_one_element(ir, scale) || !read_numbers(ir, x, &numbers) || elem_of(numbers.q) != elem_of(result)) return none;
  if (!is_same_number(ir, scale, numbers.scale) || !is_same_number(ir, zero, numbers.zero)) return none;
  MlirValue q = numbers.q;
  while (count-- > 0 && !mlirValueIsNull(q)) q = build_again(b, moved[count], q);
  return q;
}

/* Whether v is made of the model's numbers alone, by a few ops. */
static bool is_of_model(TccIr *ir, MlirValue v, int depth) {
  enum { MOST_DEPTH = 4 };
  if (is_stored(ir, v)) return true;
  if (mlirValueIsABlockArgument(v) || depth == MOST_DEPTH) return false;
  MlirOperation op = tcc_value_op(v);
  TccOpKind kind = tcc_op_kind(ir, op);
  if (kind != TCC_OP_MUL && kind != TCC_OP_SUB && kind != TCC_OP_CONVERT && kind != TCC_OP_RESHAPE) return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (!is_of_model(ir, mlirOperationGetOperand(op, i), depth + 1)) return false;
  return true;
}

/* Whether an op reads v whose results nobody reads: what has been replaced stands until tcc-simplify takes it away. */
static bool is_dead(MlirOpOperand use) {
  MlirOperation op = mlirOpOperandGetOwner(use);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, i)))) return false;
  return mlirOperationGetNumResults(op) > 0;
}

static bool has_one_use(MlirValue v) {
  int count = 0;
  for (MlirOpOperand use = mlirValueGetFirstUse(v); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    count += !is_dead(use);
  return count == 1;
}

/* ---- quantised by a product ---- */

enum { MOST_TERMS = 3 };

/* x[0] * a[0] + x[1] * a[1] + ... + constant, a and the constant (null: none) of the model. */
typedef struct {
  MlirValue x[MOST_TERMS], a[MOST_TERMS], constant;
  int n;
  bool folds; /* a factor or a number of the model took r */
} Sum;

/* The terms of x * r; false: there are too many. */
static bool add_terms(TccBuilder *b, MlirValue x, MlirValue r, Sum *sum) {
  TccIr *ir = b->ir;
  TccOpKind kind = has_one_use(x) ? tcc_value_kind(ir, x) : TCC_OP_UNKNOWN;
  if (is_of_model(ir, x, 0)) {
    MlirValue v = tcc_build2(b, TCC_OP_MUL, x, r);
    sum->constant = mlirValueIsNull(sum->constant) ? v : tcc_build2(b, TCC_OP_ADD, sum->constant, v);
    return sum->folds = true;
  }
  if (kind == TCC_OP_ADD) return add_terms(b, operand(x, 0), r, sum) && add_terms(b, operand(x, 1), r, sum);
  if (sum->n == MOST_TERMS) return false;
  if (kind == TCC_OP_MUL && is_of_model(ir, operand(x, 1), 0)) {
    sum->folds = true;
    r = tcc_build2(b, TCC_OP_MUL, operand(x, 1), r), x = operand(x, 0);
  }
  sum->x[sum->n] = x, sum->a[sum->n++] = r;
  return true;
}

/* x * r, r of the model. Sums of products with numbers of the model take r into these, which are made once: each term is one multiply-add, of a
 * residual as well. Zero points are not made parts of the constant: differences of bytes are exact. */
static MlirValue scaled(TccBuilder *b, MlirValue x, MlirValue r) {
  Sum sum = {0};
  if (!add_terms(b, x, r, &sum) || !sum.folds || !sum.n) return tcc_build2(b, TCC_OP_MUL, x, r);
  MlirValue made = sum.constant;
  while (sum.n--) {
    MlirValue product = tcc_build2(b, TCC_OP_MUL, sum.x[sum.n], sum.a[sum.n]);
    made = mlirValueIsNull(made) ? product : tcc_build2(b, TCC_OP_ADD, product, made);
  }
  return made;
}

/* round(x / s) of a number s of the model as round(x * (1 / s)), where x is computed: of a vector a division takes as long as the rest of an epilogue. Null
 * if op is not that division. x is rounded itself; an integer differs where a quotient is as good as halfway between two. Inputs of the model are divided. */
static MlirValue by_reciprocal(TccBuilder *b, MlirOperation op) {
  const MlirValue none = {NULL};
  TccIr *ir = b->ir;
  MlirValue x = mlirOperationGetOperand(op, 0), by = mlirOperationGetOperand(op, 1), result = mlirOperationGetResult(op, 0);
  if (elem_of(result) != TCC_ELEM_F32 || !has_one_element(ir, by) || !is_stored(ir, by) || mlirValueIsABlockArgument(x) ||
      is_stored(ir, x))
    return none;
  if (!has_one_use(result) || tcc_op_kind(ir, mlirOpOperandGetOwner(mlirValueGetFirstUse(result))) != TCC_OP_ROUND) return none;
  return scaled(b, x, tcc_build2(b, TCC_OP_DIV, tcc_build_scalar(b, TCC_ELEM_F32, 1), by));
}

/* False if there is no such division. */
static bool multiply_by_reciprocals(TccIr *ir, MlirBlock block) {
  bool changed = false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (tcc_op_kind(ir, op) != TCC_OP_DIV) continue;
    TccBuilder b = {ir, block, op, mlirOperationGetLocation(op)};
    MlirValue made = by_reciprocal(&b, op), old = mlirOperationGetResult(op, 0);
    if (mlirValueIsNull(made) || !mlirTypeEqual(tcc_value_type(made), tcc_value_type(old))) continue;
    tcc_replace_uses(old, made);
    changed = true;
  }
  return changed;
}

MlirLogicalResult tcc_pass_lower_qdq(TccPassRun *run, MlirOperation module) {
  if (tcc_numerics(module) == TCC_NUMERICS_EAGER || !run->target->of->bytes) return mlirLogicalResultSuccess();
  TccIr *ir = run->ir;
  bool changed = false;
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func);
       func = mlirOperationGetNextInBlock(func)) {
    if (mlirOperationGetNumRegions(func) == 0 || mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0))))
      continue;
    MlirBlock block = tcc_func_body(func);
    changed |= tcc_lower_qdq_convolutions(run, block);
    for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !mlirOperationIsNull(op); op = next) {
      next = mlirOperationGetNextInBlock(op);
      TccBuilder b = {ir, block, op, mlirOperationGetLocation(op)};
      MlirValue made = {NULL};
      switch (tcc_op_kind(ir, op)) {
      case TCC_OP_MATMUL:
      case TCC_OP_LINEAR: made = integer_product(&b, run->target, op); break;
      case TCC_OP_CONVERT: made = same_bytes(&b, op); break;
      case TCC_OP_CONV: changed |= run->target->of->bytes->float_sums && float_conv(ir, block, op); break;
      default: break;
      }
      if (mlirValueIsNull(made) || !mlirTypeEqual(tcc_value_type(made), tcc_value_type(mlirOperationGetResult(op, 0)))) continue;
      tcc_replace_uses(mlirOperationGetResult(op, 0), made);
      changed = true;
    }
    changed |= multiply_by_reciprocals(ir, block);
  }
  return changed ? tcc_pass_simplify(run, module) : mlirLogicalResultSuccess(); /* what nobody reads any more goes */
}

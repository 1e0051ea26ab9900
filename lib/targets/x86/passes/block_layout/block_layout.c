/* block_layout.c - channels of convolutions in blocks of one vector.
 *
 *   %1 = tcc.conv %x, %w, %b : [1, 64, 56, 56]       %xb = transpose(reshape(%x))          : [1, 4, 56, 56, 16]
 *   %2 = tcc.relu %1                            =>   %1 = tcc.conv_blocked %xb, %wp, %bp   : [1, 4, 56, 56, 16]
 *   %3 = tcc.mean %2 {axes = [2, 3]}                 %2 = tcc.relu %1; %3 = tcc.mean %2    : [1, 4, 1, 1, 16]
 *
 * An output channel is a lane, so that a convolution is broadcasts of x times vectors of weights and its result is stored as
 * it stands in registers (nChw16c of oneDNN; Georganas et al., Anatomy of high-performance deep learning convolutions, SC
 * 2018). One forward walk: a convolution with static channels gives a blocked value,
 * whatever the image's size; elementwise ops, pools, reductions of the image, concatenations and slices of channels keep what they read blocked; any other
 * reader gets the plain value, made once behind the op. A first layer reads the plain image. Channels are rounded up: what
 * stands in the lanes past them is never read into others (weights of such lanes are not there, reorders cut them off).
 * Weights and biases are re-laid out by ordinary ops, which depend on weights alone and run at load time; of inputs in each call, where
 * the result has enough positions to pay for it.
 *
 * Files: convolutions, block_layout_conv.c; those along one axis or of few channels, block_layout_lines.c; of many into few,
 * block_layout_taps.c; networks that work with channels last, block_layout_last.c; channels that are joined or taken,
 * block_layout_channels.c.
 *
 * requires: simplify. ensures: no reorder between two blocked ops. keeps: values, symbols, results of functions. */
#include "lib/targets/x86/passes/block_layout/block_layout.h"
#include "tcc/op_kinds.h"

TccStr tcc_layout_key(const MlirValue *value) { return tcc_key_pointer((const void *const *)&value->ptr); }

TccBlocked *tcc_layout_blocked(TccLayout *l, MlirValue value) {
  TccMapEntry *entry = tcc_map_find(l->blocked, tcc_layout_key(&value));
  return entry ? entry->pointer : NULL;
}

MlirValue tcc_layout_blocks_of(TccLayout *l, TccBuilder *b, const TccBlocked *x) {
  return mlirValueIsNull(x->last) ? x->value : tcc_layout_last_to_blocks(l, b, x->last, x->channels);
}

void tcc_layout_set_blocked(TccLayout *l, MlirValue plain, MlirValue blocked, int64_t channels) {
  TccBlocked *b = TCC_NEW(l->run->scratch, TccBlocked);
  *b = (TccBlocked){.value = blocked, .channels = channels};
  tcc_map_put(l->blocked, tcc_layout_key(&plain), NULL)->pointer = b;
}

const TccExpr *tcc_layout_number(TccLayout *l, int64_t n) { return tcc_expr_const(l->ir->exprs, n); }
int64_t tcc_layout_blocks(const TccLayout *l, int64_t channels) { return (channels + l->lanes - 1) / l->lanes; }

bool tcc_layout_static_dim(TccLayout *l, MlirType type, int axis, int64_t *out) {
  const TccExpr *size = tcc_type_dim(l->ir, type, axis);
  return size && tcc_expr_is_const(size, out);
}

/* x with zeros around each axis. */
MlirValue tcc_layout_pad_axes(TccLayout *l, TccBuilder *b, MlirValue x, const int64_t *before, const int64_t *behind) {
  int rank = tcc_type_rank(tcc_value_type(x));
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  bool any = false;
  for (int i = 0; i < rank; i++)
    low[i] = tcc_layout_number(l, before[i]), high[i] = tcc_layout_number(l, behind[i]), any = any || before[i] || behind[i];
  if (!any) return x;
  return tcc_build_pad(b, x, (MlirValue){NULL}, low, high, "constant");
}

/* x with zeros behind axis up to `size`. */
MlirValue tcc_layout_pad_axis(TccLayout *l, TccBuilder *b, MlirValue x, int axis, int64_t size) {
  int64_t before[TCC_MAX_RANK] = {0}, behind[TCC_MAX_RANK] = {0}, old;
  if (!tcc_layout_static_dim(l, tcc_value_type(x), axis, &old)) return x;
  behind[axis] = size - old;
  return tcc_layout_pad_axes(l, b, x, before, behind);
}

/* [N, C, H, W] -> [N, C/L, H, W, L]; sizes other than C may be anything. */
MlirValue tcc_layout_to_blocks(TccLayout *l, TccBuilder *b, MlirValue x, int64_t channels) {
  int64_t blocks = tcc_layout_blocks(l, channels);
  x = tcc_layout_pad_axis(l, b, x, 1, blocks * l->lanes);
  if (mlirValueIsNull(x)) return x;
  MlirType type = tcc_value_type(x);
  const TccExpr *h = tcc_type_dim(l->ir, type, 2), *w = tcc_type_dim(l->ir, type, 3), *n = tcc_type_dim(l->ir, type, 0),
                *one = tcc_layout_number(l, 1);
  if (h == one && w == one)
    return tcc_build_reshape(b, x, 5,
                             (const TccExpr *[]){n, tcc_layout_number(l, blocks), one, one, tcc_layout_number(l, l->lanes)});
  x = tcc_build_reshape(b, x, 5, (const TccExpr *[]){n, tcc_layout_number(l, blocks), tcc_layout_number(l, l->lanes), h, w});
  return mlirValueIsNull(x) ? x : tcc_build_transpose(b, x, (const int64_t[]){0, 1, 3, 4, 2});
}

MlirValue tcc_layout_to_plain(TccLayout *l, TccBuilder *b, const TccBlocked *x) {
  MlirType type = tcc_value_type(x->value);
  const TccExpr *one = tcc_layout_number(l, 1), *zero = tcc_layout_number(l, 0), *start[TCC_MAX_RANK], *size[TCC_MAX_RANK];
  int64_t blocks = tcc_layout_blocks(l, x->channels), perm[TCC_MAX_RANK], steps[TCC_MAX_RANK];
  const int rank = tcc_type_rank(type) - 1;
  bool one_place = true;
  for (int i = 0; i < rank; i++) {
    size[i] = i == 1 ? tcc_layout_number(l, blocks * l->lanes) : tcc_type_dim(l->ir, type, i);
    start[i] = zero, steps[i] = 1, perm[i + 1] = i;
    one_place = one_place && (i < 2 || size[i] == one);
  }
  perm[0] = 0, perm[1] = 1, perm[2] = rank; /* lanes behind their block */
  MlirValue v = one_place ? x->value : tcc_build_transpose(b, x->value, perm);
  if (mlirValueIsNull(v)) return v;
  v = tcc_build_reshape(b, v, rank, size);
  if (mlirValueIsNull(v) || blocks * l->lanes == x->channels) return v;
  size[1] = tcc_layout_number(l, x->channels);
  return tcc_build_slice(b, v, start, steps, size);
}

/* ---- ops that keep blocks ---- */

MlirValue tcc_layout_rebuild(TccBuilder *b, MlirOperation op, TccOpKind kind, const MlirValue *operands, size_t n,
                             const TccNamedAttr *changed, size_t nchanged, const MlirType *declared) {
  TccNamedAttr attrs[16];
  size_t count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op) && count < 16; i++) {
    MlirNamedAttribute a = mlirOperationGetAttribute(op, i);
    attrs[count] = (TccNamedAttr){mlirIdentifierStr(a.name).data, a.attribute};
    for (size_t k = 0; k < nchanged; k++)
      if (!strcmp(attrs[count].name, changed[k].name)) attrs[count] = changed[k];
    count++;
  }
  for (size_t k = 0; k < nchanged && count < 16; k++) /* those that the op has by default */
    if (mlirAttributeIsNull(tcc_attribute(op, changed[k].name))) attrs[count++] = changed[k];
  return tcc_build_value(b, kind, operands, n, attrs, count, declared);
}

/* An operand of an elementwise op as one that broadcasts to blocks of `channels`: scalars as they are, a value a channel
 * ([C, 1, 1] or [N, C, 1, 1]), a value an image ([N, 1, 1, 1]) and whole images re-laid out. Null without an error: it cannot. */
static bool fits_blocks(TccLayout *l, MlirValue v, MlirType shape, int64_t channels) {
  MlirType type = tcc_value_type(v);
  int rank = tcc_type_rank(type);
  int all = tcc_type_rank(shape);
  if (tcc_layout_blocked(l, v)) return tcc_layout_blocked(l, v)->channels == channels && rank == all;
  if (rank > all) return false;
  const TccExpr *one = tcc_layout_number(l, 1);
  for (int i = 0; i < rank; i++) {
    int axis = i + all - rank;
    const TccExpr *size = tcc_type_dim(l->ir, type, i);
    if (!size) return false;
    if (size == one || (axis == 0 && size == tcc_type_dim(l->ir, shape, 0))) continue;
    if (axis != 1 || size != tcc_layout_number(l, channels)) return false; /* a plain image: its other readers want it plain */
  }
  return true;
}

static MlirValue as_blocks(TccLayout *l, TccBuilder *b, MlirValue v, MlirType shape, int64_t channels) {
  TccBlocked *known = tcc_layout_blocked(l, v);
  if (known) return tcc_layout_blocks_of(l, b, known);
  MlirType type = tcc_value_type(v);
  int rank = tcc_type_rank(type);
  const TccExpr *one = tcc_layout_number(l, 1), *n = rank == tcc_type_rank(shape) ? tcc_type_dim(l->ir, type, 0) : one;
  bool single = true;
  for (int i = 0; i < rank; i++) single = single && tcc_type_dim(l->ir, type, i) == one;
  if (single) return rank == 0 ? v : tcc_build_reshape(b, v, 0, NULL);
  if (tcc_type_count(l->ir, type) == n) return tcc_build_reshape(b, v, 5, (const TccExpr *[]){n, one, one, one, one});
  v = tcc_build_reshape(b, v, 4, (const TccExpr *[]){n, tcc_layout_number(l, channels), one, one});
  return mlirValueIsNull(v) ? v : tcc_layout_to_blocks(l, b, v, channels);
}

static bool elementwise(TccLayout *l, MlirOperation op, TccOpKind kind) {
  MlirValue result = mlirOperationGetResult(op, 0), operands[TCC_MAX_RANK];
  MlirType type = tcc_value_type(result);
  intptr_t n = mlirOperationGetNumOperands(op);
  TccBlocked *image = NULL;
  if (tcc_type_rank(type) > 4 || !mlirValueIsNull(tcc_layout_last(l, result))) return true;
  for (intptr_t i = 0; i < n; i++) {
    TccBlocked *b = tcc_layout_blocked(l, mlirOperationGetOperand(op, i));
    if (b && tcc_type_same_shape(l->ir, tcc_value_type(mlirOperationGetOperand(op, i)), type)) image = b;
  }
  if (!image) return true;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue v = mlirOperationGetOperand(op, i);
    if (!tcc_value_is_none(l->ir, v) && !fits_blocks(l, v, type, image->channels)) return true;
  }
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  for (intptr_t i = 0; i < n; i++) {
    MlirValue v = mlirOperationGetOperand(op, i);
    operands[i] = tcc_value_is_none(l->ir, v) ? v : as_blocks(l, &b, v, type, image->channels);
    if (mlirValueIsNull(operands[i])) return false;
  }
  MlirType declared = tcc_type_with_elem(l->ir, tcc_value_type(image->value), tcc_type_elem(type));
  MlirValue made = tcc_layout_rebuild(&b, op, kind, operands, (size_t)n, NULL, 0, tcc_op_has_trait(kind, 'X') ? &declared : NULL);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, result, made, image->channels);
  return kind != TCC_OP_CONVERT || tcc_layout_bytes_last(l, &b, op);
}

/* A value as `type`, which has the same sizes, perhaps written otherwise. */
MlirValue tcc_layout_with_type(TccBuilder *b, MlirValue v, MlirType type) {
  if (mlirValueIsNull(v) || mlirTypeEqual(tcc_value_type(v), type)) return v;
  return tcc_build_value(b, TCC_OP_RESHAPE, &v, 1, NULL, 0, &type);
}

static bool pool(TccLayout *l, MlirOperation op, TccOpKind kind) {
  TccBlocked *x = tcc_layout_blocked(l, mlirOperationGetOperand(op, 0));
  if (!x) return true;
  static const char *const names[] = {"kernel", "strides", "dilations", "pads"};
  TccNamedAttr changed[4];
  for (int i = 0; i < 4; i++) { /* a third axis, the lanes: windows of one */
    const int64_t *old;
    size_t n;
    if (!tcc_get_ints(l->ir, op, names[i], &old, &n)) return true;
    bool line = n == (i == 3 ? 2 : 1); /* the row stands before its only axis */
    if (!line && n != (i == 3 ? 4 : 2)) return true;
    int64_t window[] = {line ? 1 : old[0], line ? old[0] : old[1], 1}, pads[6] = {0};
    if (i == 3 && line) pads[1] = old[0], pads[4] = old[1];
    else if (i == 3) pads[0] = old[0], pads[1] = old[1], pads[3] = old[2], pads[4] = old[3];
    changed[i] = (TccNamedAttr){names[i], i == 3 ? tcc_attr_ints(l->ir, pads, 6) : tcc_attr_ints(l->ir, window, 3)};
  }
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue made = tcc_layout_rebuild(&b, op, kind, &x->value, 1, changed, 4, NULL);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, mlirOperationGetResult(op, 0), made, x->channels);
  return true;
}

/* Reductions over the image, or images. Where axes go, the plain value is made of the blocks' sums and takes the place of the result. */
static bool reduction(TccLayout *l, MlirOperation op, TccOpKind kind) {
  TccBlocked *x = tcc_layout_blocked(l, mlirOperationGetOperand(op, 0));
  MlirValue result = mlirOperationGetResult(op, 0);
  const int64_t *axes;
  size_t n;
  if (!x || tcc_type_rank(tcc_value_type(mlirOperationGetOperand(op, 0))) > 4 || !tcc_get_ints(l->ir, op, "axes", &axes, &n) || !n)
    return true;
  for (size_t i = 0; i < n; i++)
    if (axes[i] != 0 && axes[i] != 2 && axes[i] != 3) return true;
  const int rank = tcc_type_rank(tcc_value_type(mlirOperationGetOperand(op, 0)));
  const bool line = rank == 3, keeps = tcc_bool(l->ir, op, "keepdims"); /* a line's only axis stands at 3, behind a row */
  if (!keeps && n + 1 < (size_t)rank - 1) return true;                  /* some of an image's axes stay */
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  int64_t behind[3];
  for (size_t i = 0; i < n; i++) behind[i] = line && axes[i] != 0 ? 3 : axes[i];
  TccNamedAttr changed[] = {{"axes", tcc_attr_ints(l->ir, behind, n)}, {"keepdims", tcc_attr_bool(l->ir, true)}};
  MlirValue made = tcc_layout_rebuild(&b, op, kind, &x->value, 1, changed, 2, NULL);
  if (mlirValueIsNull(made)) return false;
  if (!keeps) {
    MlirValue plain =
        tcc_layout_with_type(&b, tcc_layout_to_plain(l, &b, &(TccBlocked){made, x->channels}), tcc_value_type(result));
    if (mlirValueIsNull(plain)) return false;
    tcc_replace_uses(result, plain);
    return true;
  }
  tcc_layout_set_blocked(l, result, made, x->channels);
  return true;
}

/* What keeps blocks apart from what reads them twice. */
static bool barrier(TccLayout *l, MlirOperation op) {
  TccBlocked *x = tcc_layout_blocked(l, mlirOperationGetOperand(op, 0));
  if (!x) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue made = tcc_build1(&b, TCC_OP_BARRIER, x->value);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, mlirOperationGetResult(op, 0), made, x->channels);
  return true;
}

/* What stands beside an image, and is the same for all channels. */
static bool pad(TccLayout *l, MlirOperation op) {
  TccBlocked *x = tcc_layout_blocked(l, mlirOperationGetOperand(op, 0));
  const TccExpr *const *low, *const *high, *zero = tcc_layout_number(l, 0), *before[TCC_MAX_RANK], *behind[TCC_MAX_RANK];
  size_t n, nhigh;
  if (!x || !tcc_get_exprs(l->ir, op, "low", &low, &n) || !tcc_get_exprs(l->ir, op, "high", &high, &nhigh) || n < 4 ||
      n >= TCC_MAX_RANK)
    return true;
  if (low[0] != zero || high[0] != zero || low[1] != zero || high[1] != zero) return true;
  for (size_t i = 0; i <= n; i++) before[i] = i < n ? low[i] : zero, behind[i] = i < n ? high[i] : zero;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  TccNamedAttr changed[] = {{"low", tcc_attr_exprs(l->ir, before, n + 1)}, {"high", tcc_attr_exprs(l->ir, behind, n + 1)}};
  MlirValue operands[] = {x->value, mlirOperationGetOperand(op, 1)};
  MlirValue made = tcc_layout_rebuild(&b, op, TCC_OP_PAD, operands, 2, changed, 2, NULL);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, mlirOperationGetResult(op, 0), made, x->channels);
  return true;
}

/* Interpolation of an image leaves channels where they are, so that the lanes are one more axis that keeps its size. Not of whole blocks,
 * or read by nobody but the caller: the plain tensor is the smaller one to resize. */
static bool resize(TccLayout *l, MlirOperation op) {
  TccIr *ir = l->ir;
  MlirValue operand = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
  TccBlocked *x = tcc_layout_blocked(l, operand);
  MlirOpOperand use = mlirValueGetFirstUse(result);
  MlirAttribute scales = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("scales"));
  MlirAttribute roi = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("roi"));
  if (!x || x->channels % l->lanes || mlirOpOperandIsNull(use) || tcc_op_kind(ir, mlirOpOperandGetOwner(use)) == TCC_OP_UNKNOWN)
    return true;
  MlirType from = tcc_value_type(operand), to = tcc_value_type(result), blocks = tcc_value_type(x->value);
  int64_t nscales = mlirElementsAttrGetNumElements(scales);
  if (tcc_type_rank(from) != 4 || mlirElementsAttrGetNumElements(roi) || (nscales && nscales != 4)) return true;
  if (nscales && !mlirTypeIsAF64(mlirShapedTypeGetElementType(mlirAttributeGetType(scales)))) return true;
  double scale[5] = {1, 1, 1, 1, 1};
  for (int i = 0; i < 4; i++) {
    if (nscales)
      scale[i] = mlirDenseElementsAttrIsSplat(scales) ? mlirDenseElementsAttrGetDoubleSplatValue(scales)
                                                      : mlirDenseElementsAttrGetDoubleValue(scales, i);
    if (i < 2 && (scale[i] != 1 || tcc_type_dim(ir, from, i) != tcc_type_dim(ir, to, i))) return true;
  }
  const TccExpr *dims[5];
  for (int i = 0; i < 5; i++) dims[i] = tcc_type_dim(ir, i == 2 || i == 3 ? to : blocks, i);
  MlirType declared = tcc_tensor_type(ir, tcc_type_elem(to), 5, dims);
  int64_t n = 5;
  TccNamedAttr changed = {"scales", mlirDenseElementsAttrDoubleGet(tcc_tensor_type_static(ir, TCC_ELEM_F64, 1, &n), n, scale)};
  TccBuilder b = {ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue made = tcc_layout_rebuild(&b, op, TCC_OP_RESIZE, &x->value, 1, &changed, nscales != 0, &declared);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, result, made, x->channels);
  return true;
}

/* Lines as images of one row or one column, and back (block_layout_lines.c): blocks stay where they are. */
static bool reshape_line(TccLayout *l, MlirOperation op) {
  MlirValue operand = mlirOperationGetOperand(op, 0);
  TccBlocked *x = tcc_layout_blocked(l, operand);
  MlirType from = tcc_value_type(operand), to = tcc_value_type(mlirOperationGetResult(op, 0));
  const TccExpr *one = tcc_layout_number(l, 1), *length[2] = {one, one};
  int rank = tcc_type_rank(to);
  if (!x || (rank != 3 && rank != 4)) return true;
  for (int side = 0; side < 2; side++) {
    MlirType type = side ? to : from;
    for (int i = 2; i < tcc_type_rank(type); i++) {
      const TccExpr *size = tcc_type_dim(l->ir, type, i);
      if (!size || (size != one && length[side] != one)) return true;
      if (size != one) length[side] = size;
    }
  }
  if (length[0] != length[1] || tcc_type_dim(l->ir, from, 0) != tcc_type_dim(l->ir, to, 0) ||
      tcc_type_dim(l->ir, from, 1) != tcc_type_dim(l->ir, to, 1))
    return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirType type = tcc_value_type(x->value);
  const TccExpr *dims[] = {tcc_type_dim(l->ir, type, 0), tcc_type_dim(l->ir, type, 1), rank == 3 ? one : tcc_type_dim(l->ir, to, 2),
                           tcc_type_dim(l->ir, to, rank - 1), tcc_layout_number(l, l->lanes)};
  MlirValue made = tcc_build_reshape(&b, x->value, 5, dims);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, mlirOperationGetResult(op, 0), made, x->channels);
  return true;
}

/* Phases of an image beside each other: only axes behind the channels change. */
static bool reshape_places(TccLayout *l, MlirOperation op) {
  MlirValue operand = mlirOperationGetOperand(op, 0);
  TccBlocked *x = tcc_layout_blocked(l, operand);
  MlirType from = tcc_value_type(operand), to = tcc_value_type(mlirOperationGetResult(op, 0));
  const TccExpr *dims[TCC_MAX_RANK];
  const int rank = tcc_type_rank(to);
  if (!x || rank < 4 || rank >= TCC_MAX_RANK || tcc_type_rank(from) < 4 || (rank == 4 && tcc_type_rank(from) == 4)) return true;
  for (int i = 0; i < 2; i++)
    if (tcc_type_dim(l->ir, from, i) != tcc_type_dim(l->ir, to, i)) return true;
  for (int i = 0; i < rank; i++) dims[i] = tcc_type_dim(l->ir, i == 1 ? tcc_value_type(x->value) : to, i);
  dims[rank] = tcc_layout_number(l, l->lanes);
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue made = tcc_build_reshape(&b, x->value, rank + 1, dims);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, mlirOperationGetResult(op, 0), made, x->channels);
  return true;
}

static bool reshape(TccLayout *l, MlirOperation op) {
  return reshape_line(l, op) && (tcc_layout_blocked(l, mlirOperationGetResult(op, 0)) || reshape_places(l, op));
}

/* A number for each channel all over an image, as the gradient of a mean is. */
static bool broadcast(TccLayout *l, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
  MlirType from = tcc_value_type(x), to = tcc_value_type(result);
  const TccExpr *one = tcc_layout_number(l, 1);
  int64_t channels;
  if (tcc_type_rank(from) != 4 || tcc_type_rank(to) != 4 || !tcc_layout_static_dim(l, from, 1, &channels) || channels % l->lanes ||
      tcc_type_dim(l->ir, from, 1) != tcc_type_dim(l->ir, to, 1) || tcc_type_dim(l->ir, from, 2) != one ||
      tcc_type_dim(l->ir, from, 3) != one)
    return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  const TccExpr *dims[] = {tcc_type_dim(l->ir, to, 0), tcc_layout_number(l, channels / l->lanes), tcc_type_dim(l->ir, to, 2),
                           tcc_type_dim(l->ir, to, 3), tcc_layout_number(l, l->lanes)};
  MlirValue blocked = tcc_layout_to_blocks(l, &b, x, channels);
  MlirValue made = mlirValueIsNull(blocked) ? blocked : tcc_build_broadcast(&b, blocked, 5, dims);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, result, made, channels);
  return true;
}

/* The gradient of a max pool goes by places of plain planes. What reads it beside blocks gets it in blocks. */
static bool pool_grad(TccLayout *l, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  TccBlocked *x = tcc_layout_blocked(l, mlirOperationGetOperand(op, 0));
  if (!x || x->channels % l->lanes || tcc_type_rank(tcc_value_type(result)) != 4) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), mlirOperationGetNextInBlock(op), mlirOperationGetLocation(op)};
  MlirValue made = tcc_layout_to_blocks(l, &b, result, x->channels);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, result, made, x->channels);
  tcc_layout_blocked(l, result)->first = true;
  return true;
}

/* ---- the walk ---- */

/* Readers that the walk left as they were read the plain value, made behind the op that it replaces. */
typedef struct {
  MlirOperation op;
  MlirValue last;
} Replaced; /* last: null, or what the op became; else it became blocks */

static bool restore_plain(TccLayout *l, const Replaced *r) {
  MlirOperation op = r->op;
  MlirValue result = mlirOperationGetResult(op, 0);
  if (!mlirOpOperandIsNull(mlirValueGetFirstUse(result))) {
    TccBuilder builder = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
    MlirValue plain = mlirValueIsNull(r->last) ? tcc_layout_to_plain(l, &builder, tcc_layout_blocked(l, result))
                                               : tcc_build_transpose(&builder, r->last, tcc_layout_from_last);
    plain = tcc_layout_with_type(&builder, plain, tcc_value_type(result));
    if (mlirValueIsNull(plain)) return false;
    tcc_replace_uses(result, plain);
  }
  tcc_erase(op);
  return true;
}

bool tcc_layout_block(TccLayout *l, MlirBlock block) {
  TCC_VEC(Replaced) replaced = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(l->ir, op);
    bool ok = true;
    if (kind == TCC_OP_UNKNOWN) {
      if (!tcc_layout_call(l, op)) return false;
      tcc_layout_return(l, op);
      continue;
    }
    if (kind == TCC_OP_CONV) ok = tcc_layout_convolution(l, op);
    else if (kind == TCC_OP_CONV_TRANSPOSE) ok = tcc_layout_transposed_convolution(l, op);
    else if (kind == TCC_OP_POOL) ok = pool(l, op, kind);
    else if (kind == TCC_OP_REDUCE || kind == TCC_OP_MEAN) ok = reduction(l, op, kind);
    else if (kind == TCC_OP_CONCAT) ok = tcc_layout_concat(l, op);
    else if (kind == TCC_OP_SLICE) ok = tcc_layout_slice(l, op);
    else if (kind == TCC_OP_RESIZE) ok = resize(l, op);
    else if (kind == TCC_OP_BARRIER) ok = barrier(l, op);
    else if (kind == TCC_OP_BROADCAST) ok = broadcast(l, op);
    else if (kind == TCC_OP_POOL_GRAD) ok = pool_grad(l, op);
    else if (kind == TCC_OP_CONV_FILTER_GRAD) ok = tcc_layout_filter_grad(l, op);
    else if (kind == TCC_OP_PAD) ok = pad(l, op);
    else if (kind == TCC_OP_TRANSPOSE) ok = tcc_layout_transpose(l, op);
    else if (kind == TCC_OP_RESHAPE) ok = reshape(l, op);
    else if (tcc_op_has_trait(kind, 'E') && mlirOperationGetNumResults(op) == 1)
      ok = tcc_layout_elementwise_last(l, op, kind) && elementwise(l, op, kind);
    if (!ok) return false;
    if (mlirOperationGetNumResults(op) != 1 || kind == TCC_OP_CONSTANT || kind == TCC_OP_TRANSPOSE) continue;
    MlirValue result = mlirOperationGetResult(op, 0), last = tcc_layout_last(l, result);
    const TccBlocked *blocked = tcc_layout_blocked(l, result);
    const bool unread = tcc_op_has_trait(kind, 'P') && kind != TCC_OP_NONZERO /* its count may be a size */ &&
                        mlirOpOperandIsNull(mlirValueGetFirstUse(result)) && (!blocked || !blocked->first);
    if (unread || !mlirValueIsNull(last) || (blocked && !blocked->first))
      TCC_VEC_PUSH(l->run->scratch, &replaced, ((Replaced){op, last}));
  }
  for (size_t i = replaced.count; i-- > 0;)
    if (!restore_plain(l, &replaced.data[i])) return false;
  return true;
}

bool tcc_layout_prepare(TccLayout *l, MlirBlock block) {
  bool phases = false, lines = false, rows = false;
  if (!tcc_block_layout_grouped_lines(l->run, l->init, l->lanes, block, &rows)) return false;
  if (rows) l->init = tcc_init_analyse(l->ir, l->module, l->run->scratch);
  if (!tcc_layout_phases_as_channels(l, block, &phases)) return false;
  if (phases) l->init = tcc_init_analyse(l->ir, l->module, l->run->scratch);
  if (!tcc_block_layout_lines(l->run, l->init, l->lanes, l->direct, block, &lines)) return false;
  if (lines) l->init = tcc_init_analyse(l->ir, l->module, l->run->scratch); /* weights have been changed */
  return true;
}

MlirLogicalResult tcc_pass_block_layout(TccPassRun *run, MlirOperation module) {
  TccLayout l = {.run = run, .ir = run->ir, .lanes = tcc_pass_number(run, "lanes")};
  if (l.lanes > 1024) return tcc_error(module, "tcc-block-layout: lanes=%d is above 1024", (int)l.lanes);
  tcc_conv_machine(&run->target->machine, &l.machine);
  if (!l.lanes) l.lanes = l.machine.lanes;
  l.direct = tcc_numerics(module) != TCC_NUMERICS_FAST;
  l.init = tcc_init_analyse(run->ir, module, run->scratch);
  l.module = module;
  if (!tcc_layout_module(&l, module)) return mlirLogicalResultFailure();
  tcc_symbolic_forget(run->ir);
  return mlirLogicalResultSuccess();
}

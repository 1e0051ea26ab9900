/* block_layout_last.c - networks that work with channels last between convolutions. See block_layout.c.
 *
 * Bytes between convolutions in tile registers: tcc_layout_bytes_last.
 *
 * Where a network works with channels last (the norms and products of ConvNeXt between transposes), elementwise ops with such an
 * operand are done there, and a convolution reads and writes [N, H, W, C/L, L] as a view: tcc-fuse gives it the transpose, which
 * moves no lane. */
#include "lib/targets/x86/passes/block_layout/block_layout.h"
#include "tcc/op_kinds.h"

static bool is_transpose(TccIr *ir, MlirOperation op, const int64_t *perm) {
  const int64_t *have;
  size_t n;
  return tcc_op_kind(ir, op) == TCC_OP_TRANSPOSE && tcc_get_ints(ir, op, "perm", &have, &n) && n == 4 &&
         !memcmp(have, perm, 4 * sizeof *perm);
}

const int64_t tcc_layout_from_last[] = {0, 3, 1, 2};
static const int64_t to_last[] = {0, 2, 3, 1};

MlirValue tcc_layout_last(TccLayout *l, MlirValue value) {
  TccMapEntry *entry = tcc_map_find(l->last, tcc_layout_key(&value));
  if (entry) return (MlirValue){entry->pointer};
  if (!mlirValueIsAOpResult(value) || !is_transpose(l->ir, tcc_value_op(value), tcc_layout_from_last)) return (MlirValue){NULL};
  return mlirOperationGetOperand(tcc_value_op(value), 0);
}

static void set_last(TccLayout *l, MlirValue plain, MlirValue last) {
  tcc_map_put(l->last, tcc_layout_key(&plain), NULL)->pointer = (void *)last.ptr;
}

static bool whole_blocks(TccLayout *l, MlirType type, int axis) {
  int64_t channels;
  return tcc_layout_static_dim(l, type, axis, &channels) && channels % l->lanes == 0;
}

/* [N, H, W, C] -> [N, C/L, H, W, L]: lanes stay neighbours. */
MlirValue tcc_layout_last_to_blocks(TccLayout *l, TccBuilder *b, MlirValue last, int64_t channels) {
  MlirType type = tcc_value_type(last);
  const TccExpr *dims[] = {tcc_type_dim(l->ir, type, 0), tcc_type_dim(l->ir, type, 1), tcc_type_dim(l->ir, type, 2),
                           tcc_layout_number(l, channels / l->lanes), tcc_layout_number(l, l->lanes)};
  MlirValue v = tcc_build_reshape(b, last, 5, dims);
  return mlirValueIsNull(v) ? v : tcc_build_transpose(b, v, (const int64_t[]){0, 3, 1, 2, 4});
}

/* Channels last of a blocked value, made right behind it: its other readers then read the blocks as a view, so that what makes
 * it writes channels last alone, and equal layers look alike whatever stands before them. */
static MlirValue last_behind(TccLayout *l, MlirValue v) {
  TccBlocked *x = tcc_layout_blocked(l, v);
  MlirOperation op = tcc_value_op(x->value);
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), mlirOperationGetNextInBlock(op), mlirOperationGetLocation(op)};
  MlirValue old = x->value, moved = tcc_build_transpose(&b, old, (const int64_t[]){0, 2, 3, 1, 4});
  if (mlirValueIsNull(moved)) return moved;
  MlirType type = tcc_value_type(moved);
  MlirValue last = tcc_build_reshape(&b, moved, 4,
                                     (const TccExpr *[]){tcc_type_dim(l->ir, type, 0), tcc_type_dim(l->ir, type, 1),
                                                         tcc_type_dim(l->ir, type, 2), tcc_layout_number(l, x->channels)});
  MlirValue view = mlirValueIsNull(last) ? last : tcc_layout_last_to_blocks(l, &b, last, x->channels);
  if (mlirValueIsNull(view)) return view;
  tcc_replace_uses(old, view);
  mlirOperationSetOperand(tcc_value_op(moved), 0, old);
  x->value = view;
  set_last(l, v, last);
  return last;
}

/* ---- bytes ---- */

/* Whether tiles of a convolution on words made the value, and elementwise ops of its sums. */
static bool is_made_by_tiles(TccIr *ir, MlirValue v, int most) {
  if (!mlirValueIsAOpResult(v) || !most) return false;
  MlirOperation op = tcc_value_op(v);
  TccOpKind kind = tcc_op_kind(ir, op);
  if (kind == TCC_OP_CONV_BLOCKED)
    return tcc_value_elem(mlirOperationGetOperand(op, 0)) == TCC_ELEM_U8 &&
           tcc_type_rank(tcc_value_type(mlirOperationGetOperand(op, 1))) > 4;
  if (!tcc_op_has_trait(kind, 'E')) return false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (is_made_by_tiles(ir, mlirOperationGetOperand(op, i), most - 1)) return true;
  return false;
}

static bool is_all(TccIr *ir, MlirOperation op, const char *name, int64_t value) {
  const int64_t *have;
  size_t n;
  if (!tcc_get_ints(ir, op, name, &have, &n)) return false;
  for (size_t i = 0; i < n; i++)
    if (have[i] != value) return false;
  return true;
}

/* A window of one pixel whose copies would not be few beside its products: into fewer channels. */
static bool has_pixel_window(TccLayout *l, MlirOperation conv) {
  MlirType w = tcc_value_type(mlirOperationGetOperand(conv, 1));
  const TccExpr *one = tcc_layout_number(l, 1);
  int64_t channels, out_channels;
  return tcc_layout_static_dim(l, w, 0, &out_channels) && tcc_layout_static_dim(l, w, 1, &channels) && out_channels < channels &&
         tcc_type_dim(l->ir, w, 2) == one && tcc_type_dim(l->ir, w, 3) == one && is_all(l->ir, conv, "strides", 1) &&
         is_all(l->ir, conv, "pads", 0);
}

/* Whether what is made of bytes alone meets another tensor behind a further convolution: they are stored until then. */
static bool waits(TccLayout *l, MlirOperation op) {
  const TccExpr *one = tcc_layout_number(l, 1);
  bool conv = false;
  MlirValue v = mlirOperationGetResult(op, 0);
  for (MlirOperation at = mlirOperationGetNextInBlock(op); !mlirOperationIsNull(at); at = mlirOperationGetNextInBlock(at)) {
    TccOpKind kind = tcc_op_kind(l->ir, at);
    conv |= kind == TCC_OP_CONV;
    MlirOpOperand use = mlirValueGetFirstUse(v);
    if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))) return false;
    if (!mlirOperationEqual(mlirOpOperandGetOwner(use), at)) continue;
    if (!tcc_op_has_trait(kind, 'E')) return false;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(at); i++) {
      MlirValue other = mlirOperationGetOperand(at, i);
      if (!mlirValueEqual(other, v) && tcc_type_count(l->ir, tcc_value_type(other)) != one) return conv;
    }
    v = mlirOperationGetResult(at, 0);
  }
  return false;
}

/* Readers are convolutions and what makes floats of bytes, one of them a convolution that reads pixels where they lie (conv_plan.h); or they are added to what
 * such a one makes. */
static bool is_read_by_pixels(TccLayout *l, MlirValue bytes) {
  bool pixels = waits(l, tcc_value_op(bytes));
  for (MlirOpOperand use = mlirValueGetFirstUse(bytes); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation user = mlirOpOperandGetOwner(use);
    TccOpKind kind = tcc_op_kind(l->ir, user);
    if (kind == TCC_OP_CONVERT) continue;
    if (kind != TCC_OP_CONV || mlirOpOperandGetOperandNumber(use) != 0 || tcc_i64(l->ir, user, "groups") != 1 ||
        tcc_value_elem(mlirOperationGetOperand(user, 1)) != TCC_ELEM_I8)
      return false;
    pixels |= has_pixel_window(l, user);
  }
  return pixels;
}

/* Rows of a tile register are 64 bytes: of a pixel with channels last they need no copy. */
bool tcc_layout_bytes_last(TccLayout *l, TccBuilder *b, MlirOperation op) {
  enum { DEEPEST = 16, ROW_BYTES = 64 };
  MlirValue result = mlirOperationGetResult(op, 0);
  TccBlocked *x = tcc_layout_blocked(l, result);
  MlirType type = tcc_value_type(result);
  int64_t height, width;
  if (tcc_type_elem(type) != TCC_ELEM_U8 || tcc_type_rank(type) != 4 || x->channels % ROW_BYTES ||
      !(l->run->target->machine.isa & TCC_ISA_AMX) || !tcc_layout_static_dim(l, type, 2, &height) ||
      !tcc_layout_static_dim(l, type, 3, &width) || !tcc_conv_direct_pixels(height * width) || !is_read_by_pixels(l, result) ||
      !is_made_by_tiles(l->ir, x->value, DEEPEST))
    return true;
  MlirValue moved = tcc_build_transpose(b, x->value, (const int64_t[]){0, 2, 3, 1, 4});
  if (mlirValueIsNull(moved)) return false;
  MlirType rows = tcc_value_type(moved);
  const TccExpr *dims[] = {tcc_type_dim(l->ir, rows, 0), tcc_type_dim(l->ir, rows, 1), tcc_type_dim(l->ir, rows, 2),
                           tcc_layout_number(l, x->channels)};
  MlirValue last = tcc_build_reshape(b, moved, 4, dims); /* apart from its readers, else the two views would be none */
  if (!mlirValueIsNull(last)) last = tcc_build1(b, TCC_OP_BARRIER, last);
  x->last = last;
  return !mlirValueIsNull(last);
}

/* An operand of an elementwise op as one that broadcasts to channels last: as fits_blocks and as_blocks. */
static bool fits_last(TccLayout *l, MlirValue v, MlirType shape) {
  MlirType type = tcc_value_type(v);
  if (tcc_type_same_shape(l->ir, type, shape))
    return !mlirValueIsNull(tcc_layout_last(l, v)) || (tcc_layout_blocked(l, v) && whole_blocks(l, type, 1));
  int rank = tcc_type_rank(type);
  if (rank > 4 || tcc_layout_blocked(l, v)) return false;
  for (int i = 0; i < rank; i++) {
    const TccExpr *size = tcc_type_dim(l->ir, type, i);
    if (size != tcc_layout_number(l, 1) && (i + 4 - rank != 1 || size != tcc_type_dim(l->ir, shape, 1))) return false;
  }
  return true;
}

static MlirValue as_last(TccLayout *l, TccBuilder *b, MlirValue v, MlirType shape) {
  MlirValue last = tcc_layout_last(l, v);
  if (!mlirValueIsNull(last)) return last;
  if (!tcc_type_same_shape(l->ir, tcc_value_type(v), shape)) { /* a value a channel, or one for all */
    const TccExpr *count = tcc_type_count(l->ir, tcc_value_type(v));
    return count == tcc_layout_number(l, 1) ? tcc_build_reshape(b, v, 0, NULL) : tcc_build_reshape(b, v, 1, &count);
  }
  return last_behind(l, v);
}

bool tcc_layout_elementwise_last(TccLayout *l, MlirOperation op, TccOpKind kind) {
  MlirValue result = mlirOperationGetResult(op, 0), operands[TCC_MAX_RANK];
  MlirType type = tcc_value_type(result);
  intptr_t n = mlirOperationGetNumOperands(op);
  bool any = false;
  if (tcc_type_rank(type) != 4) return true;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue v = mlirOperationGetOperand(op, i);
    if (tcc_value_is_none(l->ir, v)) continue;
    if (!fits_last(l, v, type)) return true;
    any = any || (tcc_type_same_shape(l->ir, tcc_value_type(v), type) && !mlirValueIsNull(tcc_layout_last(l, v)));
  }
  if (!any) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirType image = {NULL};
  for (intptr_t i = 0; i < n; i++) {
    MlirValue v = mlirOperationGetOperand(op, i);
    operands[i] = tcc_value_is_none(l->ir, v) ? v : as_last(l, &b, v, type);
    if (mlirValueIsNull(operands[i])) return false;
    if (tcc_type_same_shape(l->ir, tcc_value_type(v), type)) image = tcc_value_type(operands[i]);
  }
  MlirType declared = tcc_type_with_elem(l->ir, image, tcc_type_elem(type));
  MlirValue made = tcc_layout_rebuild(&b, op, kind, operands, (size_t)n, NULL, 0, tcc_op_has_trait(kind, 'X') ? &declared : NULL);
  if (mlirValueIsNull(made)) return false;
  set_last(l, result, made);
  return true;
}

/* A reader that wants channels last of a value that has them so, or in blocks. */
bool tcc_layout_transpose(TccLayout *l, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  if (!is_transpose(l->ir, op, to_last)) return true;
  bool known = !mlirValueIsNull(tcc_layout_last(l, x)), blocked = tcc_layout_blocked(l, x) && whole_blocks(l, tcc_value_type(x), 1);
  if (!known && !blocked) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue result = mlirOperationGetResult(op, 0),
            last = tcc_layout_with_type(&b, as_last(l, &b, x, tcc_value_type(x)), tcc_value_type(result));
  if (mlirValueIsNull(last)) return false;
  tcc_replace_uses(result, last);
  return true;
}

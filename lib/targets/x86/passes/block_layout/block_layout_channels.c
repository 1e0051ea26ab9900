/* block_layout_channels.c - images in blocks of channels that are joined, or of which some channels are taken.
 *
 * Where what is joined begins in the midst of a block of s channels, or what is taken there, each block of the result has the first lanes of one block
 * and the last ones of another, L lanes each:
 *
 *   x: [x0 x1 .. | xs ..]  y: [y0 .. | ..]       joined, behind x's whole blocks: [x0 .. xs-1 y0 .. yL-s-1] [yL-s .. yL-1 yL .. ]
 *
 * So it is slices and concatenations along the lanes, which are one kernel that reads each operand once; the image turned into planes, joined, filled up
 * and turned back were five (GhostNet, with x of 36 channels and y of 36: 5 blocks of 16). What stands in the lanes behind the last channel is
 * anybody's, as it is of any image in blocks. */
#include "lib/targets/x86/passes/block_layout/block_layout.h"
#include "tcc/op_kinds.h"

enum { BLOCKS = 1, LANES = 4, RANK = 5, MOST_STEPS = 6 };

/* Blocks, or lanes, [from, from + count) of an image. */
static MlirValue take(TccLayout *l, TccBuilder *b, MlirValue x, int axis, int64_t from, int64_t count) {
  int64_t all;
  if (mlirValueIsNull(x) || (from == 0 && tcc_layout_static_dim(l, tcc_value_type(x), axis, &all) && all == count)) return x;
  return tcc_build_slice_axis(b, x, axis, tcc_layout_number(l, from), 1, tcc_layout_number(l, count));
}

static MlirValue join(TccBuilder *b, MlirValue x, MlirValue y, int axis) {
  if (mlirValueIsNull(x) || mlirValueIsNull(y)) return (MlirValue){NULL};
  return tcc_build_concat(b, (const MlirValue[]){x, y}, 2, axis);
}

/* Of blocks of images with `channels` channels those that hold x's first. */
static MlirValue join_channels(TccLayout *l, TccBuilder *b, MlirValue x, int64_t x_channels, MlirValue y, int64_t y_channels) {
  const int64_t whole = x_channels / l->lanes, cut = x_channels % l->lanes, y_blocks = tcc_layout_blocks(l, y_channels),
                mixed = tcc_layout_blocks(l, x_channels + y_channels) - whole;
  if (!cut) return join(b, x, y, BLOCKS);
  MlirValue low = take(l, b, take(l, b, x, BLOCKS, whole, 1), LANES, 0, cut), high = take(l, b, y, LANES, 0, l->lanes - cut);
  if (mixed > 1) low = join(b, low, take(l, b, take(l, b, y, BLOCKS, 0, mixed - 1), LANES, l->lanes - cut, cut), BLOCKS);
  if (mixed > y_blocks && !mlirValueIsNull(high)) high = tcc_layout_pad_axis(l, b, high, BLOCKS, mixed);
  MlirValue made = join(b, low, high, LANES);
  return whole ? join(b, take(l, b, x, BLOCKS, 0, whole), made, BLOCKS) : made;
}

/* Channels [from, from + channels) of an image in blocks. */
static MlirValue take_channels(TccLayout *l, TccBuilder *b, MlirValue x, int64_t from, int64_t channels) {
  const int64_t first = from / l->lanes, cut = from % l->lanes, blocks = tcc_layout_blocks(l, channels);
  int64_t all, behind;
  if (!cut) return take(l, b, x, BLOCKS, first, blocks);
  if (!tcc_layout_static_dim(l, tcc_value_type(x), BLOCKS, &all)) return (MlirValue){NULL};
  behind = all - first - 1 < blocks ? all - first - 1 : blocks; /* blocks that there are one further on */
  MlirValue low = take(l, b, take(l, b, x, BLOCKS, first, blocks), LANES, cut, l->lanes - cut), high;
  if (!behind) return tcc_layout_pad_axis(l, b, low, LANES, l->lanes);
  high = take(l, b, take(l, b, x, BLOCKS, first + 1, behind), LANES, 0, cut);
  if (behind < blocks && !mlirValueIsNull(high)) high = tcc_layout_pad_axis(l, b, high, BLOCKS, blocks);
  return join(b, low, high, LANES);
}

/* Whether what reads the image, perhaps behind a few ops, works on blocks: else they would be made for nobody. */
static bool is_read_in_blocks(TccLayout *l, MlirValue image, int steps) {
  if (!steps) return false;
  for (MlirOpOperand use = mlirValueGetFirstUse(image); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    TccOpKind kind = tcc_op_kind(l->ir, reader);
    switch (kind) {
    case TCC_OP_CONV:
    case TCC_OP_POOL:
    case TCC_OP_MEAN: return true;
    case TCC_OP_CONCAT:
    case TCC_OP_SLICE:
      if (is_read_in_blocks(l, mlirOperationGetResult(reader, 0), steps - 1)) return true;
      break;
    default:
      if (kind != TCC_OP_UNKNOWN && tcc_op_has_trait(kind, 'E') && mlirOperationGetNumResults(reader) == 1 &&
          is_read_in_blocks(l, mlirOperationGetResult(reader, 0), steps - 1))
        return true;
    }
  }
  return false;
}

bool tcc_layout_concat(TccLayout *l, MlirOperation op) {
  TccBlocked *x = tcc_layout_blocked(l, mlirOperationGetOperand(op, 0)), *y = tcc_layout_blocked(l, mlirOperationGetOperand(op, 1));
  MlirValue result = mlirOperationGetResult(op, 0);
  const int64_t axis = tcc_i64(l->ir, op, "axis");
  if (!x || !y) return true;
  const int rank = tcc_type_rank(tcc_value_type(x->value));
  const bool places = axis > 1 && x->channels == y->channels && rank > RANK, cut = x->channels % l->lanes != 0;
  if (!places && (axis != 1 || (cut && (rank != RANK || !is_read_in_blocks(l, result, MOST_STEPS))))) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue made = cut && !places ? join_channels(l, &b, tcc_layout_blocks_of(l, &b, x), x->channels,
                                                  tcc_layout_blocks_of(l, &b, y), y->channels)
                                  : join(&b, x->value, y->value, (int)axis);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, result, made, places ? x->channels : x->channels + y->channels);
  return true;
}

bool tcc_layout_slice(TccLayout *l, MlirOperation op) {
  MlirValue operand = mlirOperationGetOperand(op, 0), result = mlirOperationGetResult(op, 0);
  TccBlocked *x = tcc_layout_blocked(l, operand);
  MlirType from = tcc_value_type(operand), to = tcc_value_type(result);
  const TccExpr *const *starts;
  const int64_t *steps;
  size_t n, nsteps;
  int64_t start, channels;
  if (!x || tcc_type_rank(tcc_value_type(x->value)) != RANK || !tcc_get_exprs(l->ir, op, "starts", &starts, &n) ||
      !tcc_get_ints(l->ir, op, "steps", &steps, &nsteps) || n < 3 || n > 4)
    return true;
  for (size_t i = 0; i < n; i++)
    if (steps[i] != 1 || (i != 1 && tcc_type_dim(l->ir, from, (int)i) != tcc_type_dim(l->ir, to, (int)i))) return true;
  if (!tcc_expr_is_const(starts[1], &start) || !tcc_layout_static_dim(l, to, 1, &channels) || !channels ||
      !is_read_in_blocks(l, result, MOST_STEPS))
    return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue made = take_channels(l, &b, tcc_layout_blocks_of(l, &b, x), start, channels);
  if (mlirValueIsNull(made)) return false;
  tcc_layout_set_blocked(l, result, made, channels);
  return true;
}

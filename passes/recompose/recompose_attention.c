/* recompose_attention.c - softmax(q k^T * scale + mask) v, in the spellings of exporters.
 *
 * Seen: the scale before the product on q and k (its root on each), behind it, or as a division; the mask added, or
 * selected against a large negative number; k transposed by one transpose or by reshape, transpose, reshape; grouped heads
 * repeated by reshape, broadcast, reshape; a guard that turns NaN rows into zeros behind the softmax. */
#include "lib/ir/attention.h"
#include "passes/recompose/recompose.h"
#include "tcc/op_kinds.h"
#include <math.h>
#include <stdarg.h>

/* x such that value is x with its last two axes swapped: through one transpose (x is what was transposed, or is transposed
 * from it by the rest of the permutation), or one between reshapes that merge the leading axes (then x is a reshape of what
 * was transposed: an alias, made here). */
static MlirValue swapped_source(TccBuilder *b, MlirValue value) {
  TccIr *ir = b->ir;
  MlirType type = tcc_value_type(value);
  int rank = tcc_type_rank(type);
  MlirValue inner = value;
  if (tcc_value_kind(ir, inner) == TCC_OP_RESHAPE) inner = recompose_operand(tcc_value_op(inner), 0);
  MlirOperation transpose = recompose_op(ir, inner, TCC_OP_TRANSPOSE);
  const int64_t *perm;
  size_t n;
  if (mlirOperationIsNull(transpose) || !tcc_get_ints(ir, transpose, "perm", &perm, &n) || n < 2) return (MlirValue){NULL};
  MlirType transposed = tcc_value_type(inner);
  for (int back = 1; back <= 2; back++) /* the outer reshape must leave the swapped axes alone */
    if (rank < 2 || tcc_type_dim(ir, transposed, (int)n - back) != tcc_type_dim(ir, type, rank - back)) return (MlirValue){NULL};
  MlirValue source = recompose_operand(transpose, 0);
  bool swaps_alone = perm[n - 1] == (int64_t)n - 2 && perm[n - 2] == (int64_t)n - 1;
  for (size_t i = 0; i + 2 < n; i++) swaps_alone = swaps_alone && perm[i] == (int64_t)i;
  if (!swaps_alone) { /* [B, S, H, D] by [0, 2, 3, 1], [S, B * H, D] by [1, 2, 0] */
    int64_t straight[TCC_MAX_RANK];
    memcpy(straight, perm, n * sizeof *perm);
    straight[n - 1] = perm[n - 2], straight[n - 2] = perm[n - 1];
    source = tcc_build_transpose(b, source, straight);
  }
  if (mlirValueEqual(inner, value)) return source;
  const TccExpr *dims[TCC_MAX_RANK];
  for (int axis = 0; axis < rank; axis++) {
    int other = axis == rank - 1 ? rank - 2 : axis == rank - 2 ? rank - 1 : axis;
    dims[axis] = tcc_type_dim(ir, type, other);
  }
  if (tcc_value_kind(ir, source) == TCC_OP_RESHAPE) source = recompose_operand(tcc_value_op(source), 0);
  MlirType from = tcc_value_type(source);
  bool same = tcc_type_rank(from) == rank;
  for (int axis = 0; axis < rank && same; axis++) same = tcc_type_dim(ir, from, axis) == dims[axis];
  return same ? source : tcc_build_reshape(b, source, rank, dims);
}

/* Of rank 4 by leading axes of 1: what has no batch, or heads that are a part of the batch, is a batch of one. */
static MlirValue with_four_axes(TccBuilder *b, MlirValue value) {
  TccIr *ir = b->ir;
  MlirType type = tcc_value_type(value);
  const int rank = tcc_type_rank(type);
  if (rank == 4) return value;
  const TccExpr *dims[4];
  for (int axis = 0; axis < 4; axis++)
    dims[axis] = axis < 4 - rank ? tcc_expr_const(ir->exprs, 1) : tcc_type_dim(ir, type, axis - (4 - rank));
  return tcc_build_reshape(b, value, 4, dims);
}

/* [B, G, T, D] that is repeated along heads to give value [B, G * R, T, D]; value itself if it is not. */
static MlirValue ungrouped(TccIr *ir, MlirValue value) {
  MlirOperation merge = recompose_op(ir, value, TCC_OP_RESHAPE);
  if (mlirOperationIsNull(merge)) return value;
  MlirOperation repeat = recompose_op(ir, recompose_operand(merge, 0), TCC_OP_BROADCAST);
  if (mlirOperationIsNull(repeat)) return value;
  MlirOperation split = recompose_op(ir, recompose_operand(repeat, 0), TCC_OP_RESHAPE);
  if (mlirOperationIsNull(split)) return value;
  MlirValue source = recompose_operand(split, 0);
  MlirType from = tcc_value_type(source), wide = tcc_value_type(recompose_operand(repeat, 0)), type = tcc_value_type(value);
  MlirType repeated = tcc_value_type(recompose_operand(merge, 0));
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  if (tcc_type_rank(from) != 4 || tcc_type_rank(wide) != 5 || tcc_type_rank(repeated) != 5 || tcc_type_rank(type) != 4)
    return value;
  if (tcc_type_dim(ir, wide, 2) != one) return value;
  for (int axis = 0; axis < 4; axis++) {
    int to = axis < 2 ? axis : axis + 1;
    if (tcc_type_dim(ir, from, axis) != tcc_type_dim(ir, wide, to) || tcc_type_dim(ir, wide, to) != tcc_type_dim(ir, repeated, to))
      return value;
    if (axis != 1 && tcc_type_dim(ir, from, axis) != tcc_type_dim(ir, type, axis)) return value;
  }
  return source;
}

/* value = factor * x with a constant factor (through mul and div). */
static MlirValue scaled_source(TccIr *ir, MlirValue value, double *factor) {
  for (;;) {
    double constant;
    MlirOperation op = tcc_value_op(value);
    TccOpKind kind = mlirOperationIsNull(op) ? TCC_OP_UNKNOWN : tcc_op_kind(ir, op);
    if (kind == TCC_OP_DIV && recompose_scalar(ir, recompose_operand(op, 1), &constant) && constant != 0) {
      *factor /= constant;
      value = recompose_operand(op, 0);
    } else if (kind == TCC_OP_MUL && recompose_scalar(ir, recompose_operand(op, 1), &constant)) {
      *factor *= constant;
      value = recompose_operand(op, 0);
    } else if (kind == TCC_OP_MUL && recompose_scalar(ir, recompose_operand(op, 0), &constant)) {
      *factor *= constant;
      value = recompose_operand(op, 1);
    } else {
      return value;
    }
  }
}

/* The product q k^T behind an optional scale; out_factor collects the scale. */
static MlirOperation scores_of(TccIr *ir, MlirValue value, double *factor) {
  return recompose_op(ir, scaled_source(ir, value, factor), TCC_OP_MATMUL);
}

/* Takes the mask off the logits: an added one, or a selection against a number that underflows the softmax. The mask gets
 * rank 4 by leading unit axes. */
static MlirOperation unmasked_scores(TccBuilder *b, MlirValue logits, double *factor, MlirValue *out_mask) {
  TccIr *ir = b->ir;
  *out_mask = (MlirValue){NULL};
  MlirOperation scores = scores_of(ir, logits, factor);
  if (!mlirOperationIsNull(scores)) return scores;
  MlirOperation add = recompose_op(ir, logits, TCC_OP_ADD);
  if (!mlirOperationIsNull(add))
    for (int i = 0; i < 2; i++) {
      double scale = 1;
      scores = scores_of(ir, recompose_operand(add, i), &scale);
      if (mlirOperationIsNull(scores)) continue;
      *factor *= scale;
      *out_mask = recompose_operand(add, 1 - i);
      return scores;
    }
  MlirOperation select = recompose_op(ir, logits, TCC_OP_SELECT);
  double constant;
  if (mlirOperationIsNull(select)) return select;
  /* select(mask, scores, -inf); a finite number would not hide the key where a whole row is masked. */
  if (recompose_scalar(ir, recompose_operand(select, 2), &constant) && isinf(constant) && constant < 0) {
    scores = scores_of(ir, recompose_operand(select, 1), factor);
    *out_mask = recompose_operand(select, 0);
    return scores;
  }
  return (MlirOperation){NULL};
}

/* The softmax behind an optional guard select(is_nan(s), 0, s). */
static MlirOperation softmax_of(TccIr *ir, MlirValue value, bool *out_guarded) {
  *out_guarded = false;
  MlirOperation select = recompose_op(ir, value, TCC_OP_SELECT);
  if (!mlirOperationIsNull(select)) {
    MlirOperation is_nan = recompose_op(ir, recompose_operand(select, 0), TCC_OP_IS_NAN);
    double zero;
    if (mlirOperationIsNull(is_nan) || !mlirValueEqual(recompose_operand(is_nan, 0), recompose_operand(select, 2)))
      return (MlirOperation){NULL};
    if (!recompose_scalar(ir, recompose_operand(select, 1), &zero) || zero != 0) return (MlirOperation){NULL};
    *out_guarded = true;
    value = recompose_operand(select, 2);
  }
  MlirOperation softmax = recompose_op(ir, value, TCC_OP_SOFTMAX);
  if (mlirOperationIsNull(softmax)) return softmax;
  return tcc_i64(ir, softmax, "axis") == tcc_type_rank(tcc_value_type(value)) - 1 ? softmax : (MlirOperation){NULL};
}

/* ---- what stops one ---- */
/* Why a product behind a softmax is no attention; nobody asks where `ir` is NULL. */
typedef struct {
  TccIr *ir;
  const char *why;
} Miss;

static MlirValue missed(Miss *miss, const char *format, ...) TCC_PRINTF(2, 3);
static MlirValue missed(Miss *miss, const char *format, ...) {
  va_list args;
  TccText text = {0};
  va_start(args, format);
  if (miss->ir) tcc_text_vprintf(&text, format, args);
  va_end(args);
  if (miss->ir) miss->why = tcc_arena_copy(miss->ir->arena, text.data, text.length);
  tcc_text_destroy(&text);
  return (MlirValue){NULL};
}

static TccStr name_of(MlirOperation op) {
  MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
  return (TccStr){name.data, name.length};
}

/* Whether `value` is made of a product by at most `depth` ops, whose names are appended, the last one first. */
static bool stands_behind_product(TccIr *ir, MlirValue value, int depth, TccText *names) {
  MlirOperation op = tcc_value_op(value);
  if (mlirOperationIsNull(op)) return false;
  if (tcc_op_kind(ir, op) == TCC_OP_MATMUL) return true;
  const size_t before = names->length;
  TccStr name = name_of(op);
  tcc_text_printf(names, "%s%.*s", before ? ", " : "", TCC_STR_ARG(name));
  for (intptr_t i = 0; depth > 0 && i < mlirOperationGetNumOperands(op); i++)
    if (stands_behind_product(ir, recompose_operand(op, i), depth - 1, names)) return true;
  if (names->data) names->data[names->length = before] = 0;
  return false;
}

/* The logits are no product with a scale and a mask: what they are is told where there is a product at all. */
static MlirValue missed_scores(Miss *miss, MlirValue logits) {
  enum { NEAR = 5 /* ops */ };
  TccText names = {0};
  if (miss->ir && stands_behind_product(miss->ir, logits, NEAR, &names))
    missed(miss, "between the product of queries and keys and the softmax stand %s; a scale and then one mask may", names.data);
  tcc_text_destroy(&names);
  return (MlirValue){NULL};
}

/* The scores must have one reader chain: if somebody else reads them they are computed anyway. */
static bool has_one_use(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

static MlirValue attention(TccBuilder *b, MlirOperation root, Miss *miss) {
  TccIr *ir = b->ir;
  const MlirValue null = {NULL};
  bool guarded;
  MlirOperation softmax = softmax_of(ir, recompose_operand(root, 0), &guarded);
  const int rank = tcc_type_rank(tcc_value_type(recompose_operand(root, 1)));
  if (mlirOperationIsNull(softmax) || rank < 3) return null;
  if (rank > 4) return missed(miss, "its values have rank %d, not 3 or 4", rank);
  double scale = 1;
  MlirValue mask;
  MlirOperation scores = unmasked_scores(b, recompose_operand(softmax, 0), &scale, &mask);
  if (mlirOperationIsNull(scores)) return missed_scores(miss, recompose_operand(softmax, 0));
  if (!has_one_use(mlirOperationGetResult(scores, 0))) return missed(miss, "another op reads its scores, too");
  if (!mlirValueIsNull(mask) && tcc_type_rank(tcc_value_type(mask)) > rank)
    return missed(miss, "its mask has rank %d, its values %d", tcc_type_rank(tcc_value_type(mask)), rank);
  MlirValue q = scaled_source(ir, recompose_operand(scores, 0), &scale),
            keys = scaled_source(ir, recompose_operand(scores, 1), &scale);
  MlirValue v = recompose_operand(root, 1);
  if (tcc_type_rank(tcc_value_type(q)) != rank || tcc_type_rank(tcc_value_type(keys)) != rank)
    return missed(miss, "its queries have rank %d, its keys %d, its values %d", tcc_type_rank(tcc_value_type(q)),
                  tcc_type_rank(tcc_value_type(keys)), rank);
  for (int axis = 0; axis < rank - 2; axis++) /* matmul broadcasts batch axes, attention does not */
    if (tcc_type_dim(ir, tcc_value_type(q), axis) != tcc_type_dim(ir, tcc_value_type(keys), axis) ||
        tcc_type_dim(ir, tcc_value_type(q), axis) != tcc_type_dim(ir, tcc_value_type(v), axis))
      return missed(miss, "axis %d of its queries, keys and values differs: an attention repeats neither batch nor heads so", axis);
  MlirValue k = swapped_source(b, keys);
  if (mlirValueIsNull(k)) return missed(miss, "its keys come to the product without a transposition of their last two axes");
  k = scaled_source(ir, k, &scale);
  q = with_four_axes(b, q), k = with_four_axes(b, k), v = with_four_axes(b, v);
  MlirValue k_groups = ungrouped(ir, k), v_groups = ungrouped(ir, v);
  if (tcc_type_dim(ir, tcc_value_type(k_groups), 1) == tcc_type_dim(ir, tcc_value_type(v_groups), 1)) k = k_groups, v = v_groups;
  MlirValue operands[4] = {q, k, v, mlirValueIsNull(mask) ? mask : with_four_axes(b, mask)};
  TccNamedAttr attributes[] = {{"scale", tcc_attr_f64(ir, scale)}, {"zero_masked", tcc_attr_bool(ir, guarded)}};
  MlirOperation composite = tcc_build(b, TCC_OP_ATTENTION, operands, 4, attributes, 2, NULL);
  if (mlirOperationIsNull(composite)) return null;
  MlirValue made = mlirOperationGetResult(composite, 0);
  if (rank == 4) return made;
  const TccExpr *dims[3];
  for (int axis = 0; axis < 3; axis++) dims[axis] = tcc_type_dim(ir, tcc_value_type(made), axis + 1);
  return tcc_build_reshape(b, made, 3, dims);
}

MlirValue recompose_attention(TccBuilder *b, MlirOperation root) { return attention(b, root, &(Miss){0}); }

const char *recompose_no_attention(TccBuilder *b, MlirOperation root) {
  Miss miss = {b->ir, NULL};
  if (mlirValueIsNull(attention(b, root, &miss))) return miss.why;
  return "its result has other sizes than its queries and values give";
}

/* Whether an attention's keys and values are repeated along heads; *keys, *values: those that are. */
static bool repeats_heads(TccIr *ir, MlirOperation attention, MlirValue *keys, MlirValue *values) {
  MlirValue k = recompose_operand(attention, 1), v = recompose_operand(attention, 2);
  *keys = ungrouped(ir, k), *values = ungrouped(ir, v);
  return !mlirValueEqual(*keys, k) && !mlirValueEqual(*values, v) &&
         tcc_type_dim(ir, tcc_value_type(*keys), 1) == tcc_type_dim(ir, tcc_value_type(*values), 1);
}

MlirValue recompose_grouped_heads(TccBuilder *b, MlirOperation root) {
  MlirValue keys, values;
  if (!repeats_heads(b->ir, root, &keys, &values)) return (MlirValue){NULL};
  MlirOperation attention = mlirOperationClone(root);
  mlirOperationSetOperand(attention, 1, keys);
  mlirOperationSetOperand(attention, 2, values);
  mlirBlockInsertOwnedOperationBefore(b->block, b->before, attention);
  return mlirOperationGetResult(attention, 0);
}

/* Its attention's keys stay as they are where values are not repeated as keys are, and so do its own. */
MlirValue recompose_grouped_keys(TccBuilder *b, MlirOperation root) {
  MlirValue k = recompose_operand(root, 1), keys = ungrouped(b->ir, k), both[2];
  MlirOperation attention = tcc_attention_beside(b->ir, root, TCC_OP_ATTENTION);
  if (mlirValueEqual(keys, k)) return (MlirValue){NULL};
  if (!mlirOperationIsNull(attention) && !repeats_heads(b->ir, attention, &both[0], &both[1])) return (MlirValue){NULL};
  MlirOperation sums = mlirOperationClone(root);
  mlirOperationSetOperand(sums, 1, keys);
  mlirBlockInsertOwnedOperationBefore(b->block, b->before, sums);
  return mlirOperationGetResult(sums, 0);
}

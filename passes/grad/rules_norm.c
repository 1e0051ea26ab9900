/* rules_norm.c - derivatives of softmax and of normalisations, in closed form: statistics are computed again from x. Narrow floats are
 * computed in f32, as in the expansions (passes/decompose/norm.c). */
#include "passes/grad/grad.h"

static MlirType type_of(const GradOp *a, int i) { return tcc_value_type(mlirOperationGetOperand(a->op, i)); }
static MlirValue op1(GradOp *a, TccOpKind kind, MlirValue x) { return tcc_build1(a->b, kind, x); }
static MlirValue op2(GradOp *a, TccOpKind kind, MlirValue x, MlirValue y) { return tcc_build2(a->b, kind, x, y); }
static MlirValue sub(GradOp *a, MlirValue x, MlirValue y) { return op2(a, TCC_OP_SUB, x, y); }
static MlirValue mul(GradOp *a, MlirValue x, MlirValue y) { return op2(a, TCC_OP_MUL, x, y); }

/* ---- softmax ---- */
bool tcc_grad_softmax(GradOp *a) {
  int64_t axis = tcc_i64(a->ir, a->op, "axis");
  TccElem compute = grad_compute(tcc_value_elem(a->g[0]));
  MlirValue r = tcc_build_convert(a->b, grad_result(a), compute), g = tcc_build_convert(a->b, a->g[0], compute);
  MlirValue sum = tcc_build_reduce(a->b, "sum", mul(a, g, r), &axis, 1, true);
  grad_give(a, 0, grad_narrow(a, mul(a, r, sub(a, g, sum)), 0));
  return true;
}

/* Whether these are the indices at which r, the result, is read along axis: then they are in range. */
static bool reads_result_at(GradOp *a, MlirValue indices, int64_t axis) {
  MlirOperation owner = tcc_value_op(indices);
  if (!mlirOperationIsNull(owner) && tcc_op_kind(a->ir, owner) == TCC_OP_CONVERT) indices = mlirOperationGetOperand(owner, 0);
  for (MlirOpOperand use = mlirValueGetFirstUse(grad_result(a)); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    if (tcc_op_kind(a->ir, reader) == TCC_OP_GATHER_ELEMENTS && mlirOpOperandGetOperandNumber(use) == 0 &&
        tcc_i64(a->ir, reader, "axis") == axis && tcc_valid(a->ir, reader) == TCC_VALID_UNSIGNED &&
        mlirValueEqual(mlirOperationGetOperand(reader, 1), indices))
      return true;
  }
  return false;
}

static bool is_zero(GradOp *a, MlirValue value) {
  const void *splat = tcc_constant_splat(a->ir, value);
  return splat && tcc_elem_load_f64(tcc_value_elem(value), splat, 0) == 0;
}

/* Whether value has a number for each line of r along axis. */
static bool is_of_lines(GradOp *a, MlirValue value, int64_t axis) {
  GradShape s = grad_shape(a->ir, value), r = grad_shape(a->ir, grad_result(a));
  for (int i = 0; i < s.rank && i < r.rank; i++)
    if (s.dims[i] != (i == axis ? grad_const(a, 1) : r.dims[i])) return false;
  return s.rank == r.rank;
}

/* The sum of g along axis. Where g is u at one label of each line and 0 elsewhere (rules_index.c), that is u. */
static MlirValue sum_of_lines(GradOp *a, MlirValue g, int64_t axis) {
  MlirOperation select = tcc_value_op(g);
  if (tcc_value_kind(a->ir, g) == TCC_OP_SELECT && tcc_value_kind(a->ir, mlirOperationGetOperand(select, 0)) == TCC_OP_COMPARE) {
    MlirOperation here = tcc_value_op(mlirOperationGetOperand(select, 0));
    MlirValue u = mlirOperationGetOperand(select, 1);
    if (tcc_str_is(tcc_string(a->ir, here, "predicate"), "eq") && is_of_lines(a, u, axis) &&
        tcc_value_kind(a->ir, mlirOperationGetOperand(here, 0)) == TCC_OP_IOTA && is_zero(a, mlirOperationGetOperand(select, 2)) &&
        reads_result_at(a, mlirOperationGetOperand(here, 1), axis))
      return u;
  }
  return tcc_build_reduce(a->b, "sum", g, &axis, 1, true);
}

static MlirValue barrier(GradOp *a, MlirValue value) { return value.ptr ? op1(a, TCC_OP_BARRIER, value) : value; }

/* e^r is made of x, where it is read, and of two numbers for each line. These stand in the forward, as they do in the expansion, and are one
 * with them then. So neither r nor e^r has to be kept, and what is made can lie in place of x. Behind barriers, or the forward would make it
 * beside the numbers and write it. */
bool tcc_grad_log_softmax(GradOp *a) {
  int64_t axis = tcc_i64(a->ir, a->op, "axis");
  TccElem compute = grad_compute(tcc_value_elem(a->g[0]));
  TccBuilder f = {a->ir, mlirOperationGetBlock(a->op), mlirOperationGetNextInBlock(a->op), mlirOperationGetLocation(a->op)};
  MlirValue x = tcc_build_convert(&f, grad_operand(a, 0), compute), most = tcc_build_reduce(&f, "max", x, &axis, 1, true);
  MlirValue all = tcc_build1(&f, TCC_OP_EXP, tcc_build2(&f, TCC_OP_SUB, x, most));
  MlirValue log = tcc_build1(&f, TCC_OP_LOG, tcc_build_reduce(&f, "sum", all, &axis, 1, true));
  MlirValue again = tcc_build_convert(a->b, barrier(a, grad_operand(a, 0)), compute);
  MlirValue r = sub(a, sub(a, again, barrier(a, most)), barrier(a, log));
  MlirValue sum = tcc_build_convert(a->b, sum_of_lines(a, a->g[0], axis), compute), g = tcc_build_convert(a->b, a->g[0], compute);
  grad_give(a, 0, grad_narrow(a, sub(a, g, mul(a, op1(a, TCC_OP_EXP, r), sum)), 0));
  return true;
}

/* ---- norms ---- */
typedef struct {
  GradOp *a;
  TccElem compute;
  int64_t axes[TCC_MAX_RANK];
  size_t naxes;
  bool centred;
  MlirValue h, root; /* normalised x, and 1 / sqrt(var + eps) */
} Norm;

static void norm_open(Norm *n, GradOp *a, bool centred) {
  *n = (Norm){.a = a, .centred = centred, .compute = grad_compute(tcc_value_elem(grad_operand(a, 0)))};
  for (int i = 1; i < mlirOperationGetNumOperands(a->op); i++) /* as in the expansion */
    if (tcc_value_elem(grad_operand(a, i)) == TCC_ELEM_F64) n->compute = TCC_ELEM_F64;
}

static MlirValue norm_in(Norm *n, MlirValue value) { return tcc_build_convert(n->a->b, value, n->compute); }
static MlirValue mean(Norm *n, MlirValue value) { return tcc_build_mean(n->a->b, value, n->axes, n->naxes, true); }

static void normalise(Norm *n, MlirValue x) {
  GradOp *a = n->a;
  MlirValue d = n->centred ? sub(a, x, mean(n, x)) : x;
  n->root = op1(a, TCC_OP_RSQRT, tcc_build2_number(a->b, TCC_OP_ADD, mean(n, mul(a, d, d)), tcc_f64(a->ir, a->op, "eps")));
  n->h = mul(a, d, n->root);
}

/* The cotangent of x from that of the normalised x. The sum that more is made for comes first: nothing that reads the one stands in front of the other, so that
 * tcc-fuse makes one kernel of both. */
static MlirValue back(Norm *n, MlirValue s) {
  GradOp *a = n->a;
  MlirValue slope = mean(n, mul(a, s, n->h)), rest = n->centred ? sub(a, s, mean(n, s)) : s;
  return mul(a, n->root, sub(a, rest, mul(a, n->h, slope)));
}

/* Where operand i is an absent scale, g itself. */
static MlirValue scaled(Norm *n, MlirValue g, MlirValue scale) { return scale.ptr ? mul(n->a, g, norm_in(n, scale)) : g; }

bool tcc_grad_norm(GradOp *a) {
  Norm n;
  norm_open(&n, a, a->kind == TCC_OP_LAYER_NORM);
  for (int i = (int)tcc_i64(a->ir, a->op, "axis"); i < tcc_type_rank(type_of(a, 0)); i++) n.axes[n.naxes++] = i;
  MlirValue g = norm_in(&n, a->g[0]);
  normalise(&n, norm_in(&n, grad_operand(a, 0)));
  if (a->wanted[0]) grad_give(a, 0, grad_narrow(a, back(&n, scaled(&n, g, grad_operand(a, 1))), 0));
  if (a->wanted[1]) grad_give(a, 1, grad_narrow(a, grad_sum_to(a->b, mul(a, g, n.h), type_of(a, 1)), 1));
  if (a->wanted[2]) grad_give(a, 2, grad_narrow(a, grad_sum_to(a->b, g, type_of(a, 2)), 2));
  return true;
}

/* A vector of channels as [C, 1, ...] for axis 1 of x. */
static MlirValue column(GradOp *a, MlirValue vector) {
  if (!vector.ptr) return vector;
  GradShape s = {tcc_type_rank(type_of(a, 0)) - 1, {tcc_type_dim(a->ir, tcc_value_type(vector), 0)}};
  for (int i = 1; i < s.rank; i++) s.dims[i] = grad_const(a, 1);
  return tcc_build_reshape(a->b, vector, s.rank, s.dims);
}

/* The sum of value over all but axis 1. */
static MlirValue channel_total(GradOp *a, MlirValue value) {
  int64_t axes[TCC_MAX_RANK] = {0};
  int rank = tcc_type_rank(tcc_value_type(value));
  for (int i = 2; i < rank; i++) axes[i - 1] = i;
  return tcc_build_reduce(a->b, "sum", value, axes, (size_t)rank - 1, false);
}

/* A vector of channels as the cotangent of an operand. */
static MlirValue of_channels(GradOp *a, MlirValue vector, int operand) {
  return grad_as_type(a->b, grad_narrow(a, vector, operand), type_of(a, operand));
}

static MlirValue channel_sum(GradOp *a, MlirValue value, int operand) { return of_channels(a, channel_total(a, value), operand); }

/* [N, C, ...] -> [N, G, C/G, ...] and back; the normalised axes are those from 2 on. */
bool tcc_grad_group_norm(GradOp *a) {
  Norm n;
  norm_open(&n, a, true);
  MlirValue x = norm_in(&n, grad_operand(a, 0)), g = norm_in(&n, a->g[0]), scale = grad_operand(a, 1);
  GradShape s = grad_shape(a->ir, x), split = {s.rank + 1, {s.dims[0]}};
  const TccExpr *groups = a->kind == TCC_OP_INSTANCE_NORM ? s.dims[1] : grad_const(a, tcc_i64(a->ir, a->op, "groups"));
  split.dims[1] = groups, split.dims[2] = tcc_expr_divide_known(a->ir->exprs, s.dims[1], groups);
  if (!split.dims[2] || s.rank == TCC_MAX_RANK) return grad_fail(a, "channels do not divide into groups");
  for (int i = 2; i < s.rank; i++) split.dims[i + 1] = s.dims[i];
  for (int i = 2; i < split.rank; i++) n.axes[n.naxes++] = i;
  normalise(&n, tcc_build_reshape(a->b, x, split.rank, split.dims));
  if (a->wanted[0]) {
    MlirValue at = tcc_build_reshape(a->b, scaled(&n, g, column(a, scale)), split.rank, split.dims);
    grad_give(a, 0, grad_narrow(a, tcc_build_reshape(a->b, back(&n, at), s.rank, s.dims), 0));
  }
  if (a->wanted[1]) grad_give(a, 1, channel_sum(a, mul(a, g, tcc_build_reshape(a->b, n.h, s.rank, s.dims)), 1));
  if (a->wanted[2]) grad_give(a, 2, channel_sum(a, g, 2));
  return true;
}

/* Behind reshapes and conversions, or conversions alone. */
static MlirValue behind(TccIr *ir, MlirValue value, bool reshapes) {
  for (TccOpKind kind; (kind = tcc_value_kind(ir, value)) == TCC_OP_CONVERT || (reshapes && kind == TCC_OP_RESHAPE);)
    value = mlirOperationGetOperand(tcc_value_op(value), 0);
  return value;
}

/* The mean over all axes but 1 that value is; null: it is none. */
static MlirValue batch_mean(GradOp *a, MlirValue value) {
  const int64_t *axes;
  size_t n;
  MlirValue mean = behind(a->ir, value, true);
  if (tcc_value_kind(a->ir, mean) != TCC_OP_MEAN || !tcc_get_ints(a->ir, tcc_value_op(mean), "axes", &axes, &n) ||
      (int)n != tcc_type_rank(type_of(a, 0)) - 1)
    return (MlirValue){NULL};
  for (size_t i = 0; i < n; i++)
    if (axes[i] != (int64_t)(i ? i + 1 : 0)) return (MlirValue){NULL};
  return mean;
}

/* Whether value, converted, is what x is, converted. */
static bool is_image(GradOp *a, MlirValue value) {
  return mlirValueEqual(behind(a->ir, value, false), behind(a->ir, grad_operand(a, 0), false)) &&
         tcc_type_rank(tcc_value_type(value)) == tcc_type_rank(type_of(a, 0));
}

/* Whether mean and var are those of x itself: the mean, and the mean of the squares of what is left of x without it. */
static bool has_own_statistics(GradOp *a) {
  MlirValue mean = batch_mean(a, grad_operand(a, 3)), var = batch_mean(a, grad_operand(a, 4));
  if (!mean.ptr || !var.ptr || !is_image(a, mlirOperationGetOperand(tcc_value_op(mean), 0))) return false;
  MlirValue square = behind(a->ir, mlirOperationGetOperand(tcc_value_op(var), 0), false);
  if (tcc_value_kind(a->ir, square) != TCC_OP_MUL) return false;
  MlirValue centred = mlirOperationGetOperand(tcc_value_op(square), 0);
  return mlirValueEqual(centred, mlirOperationGetOperand(tcc_value_op(square), 1)) &&
         tcc_value_kind(a->ir, centred) == TCC_OP_SUB && is_image(a, mlirOperationGetOperand(tcc_value_op(centred), 0)) &&
         mlirValueEqual(behind(a->ir, mlirOperationGetOperand(tcc_value_op(centred), 1), true), mean);
}

/* What a batch norm's rule computes with: vectors of channels, but for g and d, which are images. */
typedef struct {
  MlirValue g, d, root, factor; /* the cotangent; x - mean; 1 / sqrt(var + eps); scale * root */
  MlirValue sum_g, sum_gd;      /* over all but channels */
} BatchNorm;

/* Statistics of the batch depend on x: with n elements of a channel x has factor * (g - sum_g / n - d * root^2 * sum_gd / n), which two sums
 * and one pass make. By way of the statistics it would be five sums, of tensors that are written for some. The pass makes d again from x,
 * behind a barrier: as one value for the sums and the pass it would be written. */
static MlirValue back_through_statistics(GradOp *a, const BatchNorm *n, MlirValue d) {
  GradShape s = grad_shape(a->ir, n->g);
  const TccExpr *count = s.dims[0];
  for (int i = 2; i < s.rank; i++) count = tcc_expr_mul(a->ir->exprs, count, s.dims[i]);
  MlirValue number = grad_size_as(a->b, count, tcc_value_elem(n->g));
  MlirValue shift = op2(a, TCC_OP_DIV, n->sum_g, number), slope = op2(a, TCC_OP_DIV, n->sum_gd, number);
  slope = mul(a, mul(a, slope, n->root), n->root);
  MlirValue rest = sub(a, sub(a, n->g, column(a, shift)), mul(a, d, column(a, slope)));
  return mul(a, rest, column(a, n->factor));
}

bool tcc_grad_batch_norm(GradOp *a) {
  Norm n;
  norm_open(&n, a, true);
  MlirValue x = norm_in(&n, grad_operand(a, 0)), scale = norm_in(&n, grad_operand(a, 1)), centre = norm_in(&n, grad_operand(a, 3)),
            var = norm_in(&n, grad_operand(a, 4));
  BatchNorm t = {.g = norm_in(&n, a->g[0]), .d = sub(a, x, column(a, centre))};
  const bool own = a->wanted[0] && has_own_statistics(a);
  t.root = op1(a, TCC_OP_RSQRT, tcc_build2_number(a->b, TCC_OP_ADD, var, tcc_f64(a->ir, a->op, "eps")));
  t.factor = mul(a, scale, t.root);
  t.sum_g = channel_total(a, t.g), t.sum_gd = channel_total(a, mul(a, t.g, t.d));
  if (own) {
    MlirValue kept = grad_operand(a, 0); /* before it was widened */
    if (tcc_value_kind(a->ir, kept) == TCC_OP_CONVERT) kept = mlirOperationGetOperand(tcc_value_op(kept), 0);
    MlirValue again = tcc_build_convert(a->b, barrier(a, kept), tcc_value_elem(grad_operand(a, 0)));
    grad_give(a, 0, grad_narrow(a, back_through_statistics(a, &t, sub(a, norm_in(&n, again), column(a, centre))), 0));
  } else if (a->wanted[0]) {
    grad_give(a, 0, grad_narrow(a, mul(a, t.g, column(a, t.factor)), 0));
  }
  if (a->wanted[1]) grad_give(a, 1, of_channels(a, mul(a, t.sum_gd, t.root), 1));
  if (a->wanted[2]) grad_give(a, 2, of_channels(a, t.sum_g, 2));
  if (own) return true; /* they have given theirs to x */
  if (a->wanted[3]) grad_give(a, 3, of_channels(a, op1(a, TCC_OP_NEG, mul(a, t.sum_g, t.factor)), 3));
  if (a->wanted[4]) {
    MlirValue cube = tcc_build2_number(a->b, TCC_OP_MUL, mul(a, t.factor, mul(a, t.root, t.root)), -0.5);
    grad_give(a, 4, of_channels(a, mul(a, t.sum_gd, cube), 4));
  }
  return true;
}

/* ---- clamp: r = min(max(x, low), high); at a bound x has the cotangent ---- */
bool tcc_grad_clamp(GradOp *a) {
  MlirValue x = grad_operand(a, 0), low = grad_operand(a, 1), high = grad_operand(a, 2), g = a->g[0];
  MlirValue zero = tcc_build_scalar(a->b, tcc_value_elem(g), 0), passes = g, raised = low.ptr ? op2(a, TCC_OP_MAX, x, low) : x;
  if (low.ptr) passes = tcc_build_select(a->b, tcc_build_compare(a->b, "lt", x, low), zero, passes);
  if (high.ptr) passes = tcc_build_select(a->b, tcc_build_compare(a->b, "gt", raised, high), zero, passes);
  if (a->wanted[0]) grad_give(a, 0, passes);
  if (low.ptr && a->wanted[1]) {
    MlirValue part = tcc_build_select(a->b, tcc_build_compare(a->b, "lt", x, low), g, zero);
    if (high.ptr) part = tcc_build_select(a->b, tcc_build_compare(a->b, "gt", raised, high), zero, part);
    grad_give(a, 1, grad_sum_to(a->b, part, type_of(a, 1)));
  }
  if (high.ptr && a->wanted[2])
    grad_give(a, 2, grad_sum_to(a->b, tcc_build_select(a->b, tcc_build_compare(a->b, "gt", raised, high), g, zero), type_of(a, 2)));
  return true;
}

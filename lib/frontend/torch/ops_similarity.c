/* ops_similarity.c - distances, norms and losses of pairs, and cells of recurrent layers, which archives hold by name and torch.compile takes apart. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include "lib/frontend/torch/ops_linalg.h"
#include <math.h>

/* ---- losses ---- */
/* reduction: 0 none, 1 the mean, 2 the sum. */
static bool reduced(ImportCall *c, TccElem elem, MlirValue loss) {
  const int64_t how = torch_int(c, "reduction");
  const int rank = import_shape(c, loss).rank;
  int64_t axes[TCC_MAX_RANK];
  if (c->reason || !loss.ptr) return false;
  for (int i = 0; i < rank; i++) axes[i] = i;
  if (how == 1 && rank) loss = tcc_build_mean(&c->b, loss, axes, (size_t)rank, false);
  if (how == 2 && rank) loss = torch_sum(c, loss, axes, (size_t)rank, false);
  return torch_output(c, 0, torch_convert(c, loss, elem));
}

static MlirValue positive(ImportCall *c, MlirValue x) { return tcc_build1(&c->b, TCC_OP_RELU, x); }

/* |a - b + eps|_p along the last axis. */
static MlirValue distance(ImportCall *c, MlirValue a, MlirValue b, double p, double eps, bool keepdims) {
  MlirValue d = torch_plus(c, torch_sub(c, a, b), eps);
  if (!d.ptr) return d;
  const int64_t axis = import_shape(c, d).rank - 1;
  if (axis < 0) return import_invalid(c, "tensors without axes"), (MlirValue){NULL};
  return torch_norm(c, tcc_build1(&c->b, TCC_OP_ABS, d), p, &axis, 1, keepdims);
}

bool torch_op_pairwise_distance(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue a = torch_tensor_as(c, "x1", wide), b = torch_tensor_as(c, "x2", wide);
  const double p = torch_float(c, "p"), eps = torch_float(c, "eps");
  const bool keepdims = torch_bool(c, "keepdim");
  return elem && !c->reason && torch_output(c, 0, torch_convert(c, distance(c, a, b, p, eps, keepdims), elem));
}

bool torch_op_triplet_margin_loss(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue anchor = torch_tensor_as(c, "anchor", wide), like = torch_tensor_as(c, "positive", wide),
            unlike = torch_tensor_as(c, "negative", wide);
  const double p = torch_float(c, "p"), eps = torch_float(c, "eps"), margin = torch_float(c, "margin");
  if (!elem || c->reason) return false;
  MlirValue near = distance(c, anchor, like, p, eps, false), far = distance(c, anchor, unlike, p, eps, false);
  if (torch_bool(c, "swap")) far = tcc_build2(&c->b, TCC_OP_MIN, far, distance(c, like, unlike, p, eps, false));
  return reduced(c, elem, positive(c, torch_plus(c, torch_sub(c, near, far), margin)));
}

bool torch_op_margin_ranking_loss(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue a = torch_tensor_as(c, "input1", wide), b = torch_tensor_as(c, "input2", wide),
            target = torch_tensor_as(c, "target", wide);
  const double margin = torch_float(c, "margin");
  if (!elem || c->reason) return false;
  return reduced(c, elem, positive(c, torch_plus(c, torch_mul(c, target, torch_sub(c, b, a)), margin)));
}

/* The cosine of the angle between slices along `dim`; no length counts as less than eps. */
bool torch_op_cosine_similarity(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue v[] = {torch_tensor_as(c, "x1", wide), torch_tensor_as(c, "x2", wide)};
  const double eps = torch_float(c, "eps");
  ImportShape shape;
  int64_t axis;
  if (!elem || c->reason || !v[0].ptr || !v[1].ptr || !torch_broadcast_all(c, v, 2, &shape) ||
      !torch_axis(c, "dim", shape.rank, &axis))
    return false;
  const size_t naxes = shape.rank > 0; /* numbers have none */
  for (int i = 0; i < 2; i++) {
    MlirValue length = torch_norm(c, tcc_build1(&c->b, TCC_OP_ABS, v[i]), 2, &axis, naxes, true);
    v[i] = torch_div(c, v[i], tcc_build2_number(&c->b, TCC_OP_MAX, length, eps));
  }
  return torch_output(c, 0, torch_convert(c, torch_sum(c, torch_mul(c, v[0], v[1]), &axis, naxes, false), elem));
}

bool torch_op_cosine_embedding_loss(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue a = torch_tensor_as(c, "input1", wide), b = torch_tensor_as(c, "input2", wide),
            target = torch_tensor_as(c, "target", wide);
  const double margin = torch_float(c, "margin");
  if (!elem || c->reason || !a.ptr || !b.ptr || !target.ptr) return false;
  const int64_t axis = import_shape(c, target).rank;
  if (import_shape(c, a).rank != axis + 1 || import_shape(c, b).rank != axis + 1)
    return import_invalid(c, "pairs of other ranks than the target's");
  MlirValue both = torch_sum(c, torch_mul(c, a, b), &axis, 1, false);
  MlirValue first = torch_plus(c, torch_sum(c, torch_mul(c, a, a), &axis, 1, false), 1e-12),
            second = torch_plus(c, torch_sum(c, torch_mul(c, b, b), &axis, 1, false), 1e-12);
  MlirValue cosine = torch_div(c, both, tcc_build1(&c->b, TCC_OP_SQRT, torch_mul(c, first, second)));
  MlirValue loss = torch_if_number(c, torch_is(c, "eq", target, -1), positive(c, torch_plus(c, cosine, -margin)), 0);
  return reduced(c, elem, torch_if(c, torch_is(c, "eq", target, 1), torch_from(c, 1, cosine), loss));
}

bool torch_op_poisson_nll_loss(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue x = torch_tensor_as(c, "input", wide), target = torch_tensor_as(c, "target", wide), loss;
  const bool logs = torch_bool(c, "log_input"), full = torch_bool(c, "full");
  const double eps = torch_float(c, "eps");
  if (!elem || c->reason) return false;
  if (logs) loss = torch_sub(c, tcc_build1(&c->b, TCC_OP_EXP, x), torch_mul(c, target, x));
  else loss = torch_sub(c, x, torch_mul(c, target, tcc_build1(&c->b, TCC_OP_LOG, torch_plus(c, x, eps))));
  if (full) { /* Stirling's approximation of log(target!) */
    static const double two_pi = 6.283185307179586;
    MlirValue rest = torch_sub(c, torch_mul(c, target, tcc_build1(&c->b, TCC_OP_LOG, target)), target);
    rest = torch_add(c, rest, torch_times(c, tcc_build1(&c->b, TCC_OP_LOG, torch_times(c, target, two_pi)), 0.5));
    loss = torch_add(c, loss, torch_if_number(c, torch_is(c, "gt", target, 1), rest, 0));
  }
  return reduced(c, elem, loss);
}

/* ---- norms ---- */
/* Over two axes: 'fro', or sums along one and the extreme along the other. */
static MlirValue matrix_norm(ImportCall *c, MlirValue x, const int64_t *axes, double order, bool keepdims) {
  if (order == 2 || order == -2) return torch_singular_norm(c, x, axes, order > 0 ? "max" : "min", keepdims);
  if (fabs(order) != 1 && !isinf(order)) return import_unsupported(c, "a matrix norm of order %g", order), (MlirValue){NULL};
  MlirValue sizes = tcc_build1(&c->b, TCC_OP_ABS, x);
  const int64_t summed = axes[isinf(order) ? 1 : 0], other = axes[isinf(order) ? 0 : 1];
  MlirValue y = torch_sum(c, sizes, &summed, 1, true);
  y = y.ptr ? tcc_build_reduce(&c->b, order > 0 ? "max" : "min", y, &other, 1, true) : y;
  if (keepdims || !y.ptr) return y;
  const int64_t last = summed > other ? summed : other, first = summed + other - last;
  return tcc_build_squeeze(&c->b, tcc_build_squeeze(&c->b, y, last), first);
}

/* linalg_norm, linalg_matrix_norm, frobenius_norm: `ord` a number, a name or none, over one or two axes or all. */
bool torch_op_named_norm(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue x = torch_tensor_as(c, "self", wide);
  ImportShape s = import_shape(c, x);
  int64_t axes[TCC_MAX_RANK];
  size_t count = (size_t)s.rank;
  const TccTorchArg *given = torch_argument(c, "ord");
  const bool named = torch_has_parameter(c, "ord") && (given ? given->kind == TCC_TORCH_STRING : c->kind == NORM_MATRIX_NAMED);
  const bool none = !torch_has_parameter(c, "ord") || (!named && !torch_given(c, "ord"));
  if (!elem || !x.ptr || !torch_axes(c, "dim", s.rank, axes, &count)) return false;
  const bool keepdims = torch_bool(c, "keepdim"), all = !torch_given(c, "dim");
  const int64_t *order_of_axes;
  size_t n;
  if (!all && torch_ints(c, "dim", &order_of_axes, &n))
    for (size_t i = 0; i < n && n == count; i++) /* in the order that they were named in */
      if (!import_axis(c, order_of_axes[i], s.rank, &axes[i])) return false;
  const bool nuclear = named && given && tcc_str_is(torch_string(c, "ord"), "nuc");
  if (named && !nuclear && given && !tcc_str_is(torch_string(c, "ord"), "fro")) return import_invalid(c, "a norm of that name");
  const double order = none || named ? 2 : torch_float(c, "ord");
  if (c->reason) return false;
  if (nuclear && count != 2) return import_invalid(c, "a nuclear norm of %zu axes", count);
  if (nuclear) return torch_output(c, 0, torch_convert(c, torch_singular_norm(c, x, axes, "sum", keepdims), elem));
  if (none || named || count != 2)
    return torch_output(c, 0,
                        torch_convert(c, torch_norm(c, tcc_build1(&c->b, TCC_OP_ABS, x), order, axes, count, keepdims), elem));
  return torch_output(c, 0, torch_convert(c, matrix_norm(c, x, axes, order, keepdims), elem));
}

/* Over all axes but `dim`, which are there with size 1; -1: over all. */
bool torch_op_norm_except(ImportCall *c) {
  MlirValue v = torch_tensor(c, "v");
  const int rank = import_shape(c, v).rank;
  const double power = torch_float(c, "pow");
  const int64_t dim = torch_int(c, "dim");
  int64_t axes[TCC_MAX_RANK], axis;
  size_t count = (size_t)rank;
  if (!v.ptr || c->reason) return false;
  for (int i = 0; i < rank; i++) axes[i] = i;
  if (dim != -1) {
    if (!import_axis(c, dim, rank, &axis)) return false;
    count = torch_other_axes(rank, axis, axes);
  }
  return torch_output(c, 0, torch_norm(c, tcc_build1(&c->b, TCC_OP_ABS, v), power, axes, count, dim != -1));
}

/* ---- cells ---- */
/* x w' + b of `input` or the hidden state. */
static MlirValue gates(ImportCall *c, MlirValue x, const char *weight, const char *bias) {
  MlirValue operands[] = {x, torch_tensor(c, weight), torch_optional(c, bias)};
  TccNamedAttr transposed = {"transposed", tcc_attr_bool(c->ir, true)};
  return x.ptr && operands[1].ptr ? import_op(c, TCC_OP_LINEAR, operands, 3, &transposed, 1) : (MlirValue){NULL};
}

/* The i-th of n parts of the last axis. */
static MlirValue part(ImportCall *c, MlirValue x, int i, int n) {
  ImportShape s = import_shape(c, x);
  const TccExpr *size = s.rank ? import_divide(c, s.dims[s.rank - 1], import_size(c, n)) : NULL;
  return size ? tcc_build_slice_axis(&c->b, x, s.rank - 1, import_size_mul(c, size, import_size(c, i)), 1, size)
              : (MlirValue){NULL};
}

/* kind: what a plain cell ends in, RELU or TANH; GRU and LSTM have gates. */
bool torch_op_plain_cell(ImportCall *c) {
  const MlirValue *states = NULL;
  size_t count = 1;
  if (c->kind == TCC_OP_LSTM && (!torch_tensors(c, "hx", &states, &count) || count != 2))
    return import_invalid(c, "hx has %zu tensors", count);
  MlirValue h = states ? states[0] : torch_tensor(c, "hx");
  MlirValue a = gates(c, torch_tensor(c, "input"), "w_ih", "b_ih"), b = gates(c, h, "w_hh", "b_hh");
  if (!a.ptr || !b.ptr) return false;
  if (c->kind == TCC_OP_GRU) {
    MlirValue reset = tcc_build1(&c->b, TCC_OP_SIGMOID, torch_add(c, part(c, a, 0, 3), part(c, b, 0, 3))),
              keep = tcc_build1(&c->b, TCC_OP_SIGMOID, torch_add(c, part(c, a, 1, 3), part(c, b, 1, 3)));
    MlirValue next = tcc_build1(&c->b, TCC_OP_TANH, torch_add(c, part(c, a, 2, 3), torch_mul(c, reset, part(c, b, 2, 3))));
    return torch_output(c, 0, torch_add(c, torch_mul(c, torch_sub(c, h, next), keep), next));
  }
  MlirValue sum = torch_add(c, a, b), g[4];
  if (c->kind != TCC_OP_LSTM) return torch_output(c, 0, tcc_build1(&c->b, (TccOpKind)c->kind, sum));
  for (int i = 0; i < 4; i++) g[i] = tcc_build1(&c->b, i == 2 ? TCC_OP_TANH : TCC_OP_SIGMOID, part(c, sum, i, 4));
  MlirValue cell = torch_add(c, torch_mul(c, g[1], states[1]), torch_mul(c, g[0], g[2]));
  return torch_output(c, 0, torch_mul(c, g[3], tcc_build1(&c->b, TCC_OP_TANH, cell))) && torch_output(c, 1, cell);
}

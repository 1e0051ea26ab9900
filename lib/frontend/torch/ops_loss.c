/* ops_loss.c - losses and their gradients. A loss of elements is reduced by `reduction`: 0 not at all, 1 mean, 2 sum. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

enum { REDUCTION_NONE, REDUCTION_MEAN, REDUCTION_SUM };

static MlirValue all_of(ImportCall *c, const char *kind, MlirValue x) {
  int64_t axes[TCC_MAX_RANK];
  size_t n = torch_other_axes(import_shape(c, x).rank, -1, axes);
  if (!n || !x.ptr) return x;
  return kind[0] == 'm' ? tcc_build_mean(&c->b, x, axes, n, false) : torch_sum(c, x, axes, n, false);
}

static bool reduced(ImportCall *c, MlirValue loss, TccElem elem) {
  int64_t reduction = torch_int(c, "reduction");
  if (reduction != REDUCTION_NONE) loss = all_of(c, reduction == REDUCTION_MEAN ? "mean" : "sum", loss);
  return torch_output(c, 0, torch_convert(c, loss, elem));
}

/* log x, at least -100: a zero gives no infinity */
static MlirValue clamped_log(ImportCall *c, MlirValue x) {
  return tcc_build2_number(&c->b, TCC_OP_MAX, tcc_build1(&c->b, TCC_OP_LOG, x), -100);
}

static MlirValue softplus(ImportCall *c, MlirValue x) { return tcc_build1(&c->b, TCC_OP_SOFTPLUS, x); }

/* For each element; x and t in the type to compute in. */
static MlirValue element_loss(ImportCall *c, MlirValue x, MlirValue t) {
  MlirValue d = torch_sub(c, x, t), a = tcc_build1(&c->b, TCC_OP_ABS, d), y;
  double p;
  switch (c->kind) {
  case LOSS_MSE: return torch_mul(c, d, d);
  case LOSS_L1: return a;
  case LOSS_SMOOTH_L1:
    p = torch_float(c, "beta");
    if (p == 0) return a;
    return torch_if(c, torch_is(c, "lt", a, p), torch_times(c, torch_mul(c, d, d), 0.5 / p), torch_plus(c, a, -0.5 * p));
  case LOSS_HUBER:
    p = torch_float(c, "delta");
    return torch_if(c, torch_is(c, "le", a, p), torch_times(c, torch_mul(c, d, d), 0.5),
                    torch_times(c, torch_plus(c, a, -0.5 * p), p));
  case LOSS_BCE:
    y = torch_add(c, torch_mul(c, t, clamped_log(c, x)), torch_mul(c, torch_from(c, 1, t), clamped_log(c, torch_from(c, 1, x))));
    return torch_neg(c, y);
  case LOSS_BCE_LOGITS: /* (1 - t) x + (1 + (pos_weight - 1) t) softplus(-x) */
    y = softplus(c, torch_neg(c, x));
    if (torch_given(c, "pos_weight")) {
      MlirValue w = torch_tensor_as(c, "pos_weight", tcc_value_elem(x));
      y = torch_mul(c, y, torch_plus(c, torch_mul(c, torch_plus(c, w, -1), t), 1));
    }
    return torch_add(c, torch_mul(c, torch_from(c, 1, t), x), y);
  case LOSS_SOFT_MARGIN: return softplus(c, torch_neg(c, torch_mul(c, x, t)));
  case LOSS_KL_DIV:
    if (torch_bool(c, "log_target")) return torch_mul(c, tcc_build1(&c->b, TCC_OP_EXP, t), torch_sub(c, t, x));
    y = torch_mul(c, t, torch_sub(c, tcc_build1(&c->b, TCC_OP_LOG, t), x)); /* 0 where t is */
    return torch_if(c, torch_is(c, "gt", t, 0), y, torch_if_number(c, tcc_build1(&c->b, TCC_OP_IS_NAN, t), t, 0));
  case LOSS_HINGE:
    p = torch_float(c, "margin");
    y = tcc_build2_number(&c->b, TCC_OP_MAX, torch_from(c, p, x), 0);
    return torch_add(c, torch_if_number(c, torch_is(c, "ne", t, 1), y, 0), torch_if_number(c, torch_is(c, "ne", t, -1), x, 0));
  default: return (MlirValue){NULL};
  }
}

bool torch_op_element_loss(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), t = torch_tensor(c, "target");
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  if (!x.ptr || !t.ptr || !elem) return false;
  MlirValue loss = element_loss(c, torch_convert(c, x, wide), torch_convert(c, t, wide));
  if ((c->kind == LOSS_BCE || c->kind == LOSS_BCE_LOGITS) && torch_given(c, "weight"))
    loss = torch_mul(c, loss, torch_tensor_as(c, "weight", wide));
  return reduced(c, loss, elem);
}

/* Of element_loss in self, times grad_output, by the number of elements for a mean. */
bool torch_op_element_loss_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_output"), x = torch_tensor(c, "self"), t = torch_tensor(c, "target"), y = {NULL};
  if (!grad.ptr || !x.ptr || !t.ptr) return false;
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  double p;
  grad = torch_convert(c, grad, wide), x = torch_convert(c, x, wide), t = torch_convert(c, t, wide);
  MlirValue d = torch_sub(c, x, t), a = tcc_build1(&c->b, TCC_OP_ABS, d), sign = tcc_build1(&c->b, TCC_OP_SIGN, d);
  switch (c->kind) {
  case LOSS_MSE: y = torch_times(c, d, 2); break;
  case LOSS_SMOOTH_L1:
    p = torch_float(c, "beta");
    y = p == 0 ? sign : torch_if(c, torch_is(c, "lt", a, p), torch_times(c, d, 1 / p), sign);
    break;
  case LOSS_HUBER:
    p = torch_float(c, "delta");
    y = torch_if(c, torch_is(c, "le", a, p), d, torch_times(c, sign, p));
    break;
  case LOSS_BCE: /* (x - t) / max(x (1 - x), 1e-12) */
    y = torch_div(c, d, tcc_build2_number(&c->b, TCC_OP_MAX, torch_mul(c, x, torch_from(c, 1, x)), 1e-12));
    if (torch_given(c, "weight")) y = torch_mul(c, y, torch_tensor_as(c, "weight", wide));
    break;
  case LOSS_SOFT_MARGIN: { /* -t sigmoid(-x t) */
    y = torch_neg(c, torch_mul(c, t, tcc_build1(&c->b, TCC_OP_SIGMOID, torch_neg(c, torch_mul(c, x, t)))));
    break;
  }
  default: break;
  }
  ImportShape shape = import_shape(c, x);
  if (torch_int(c, "reduction") == REDUCTION_MEAN)
    y = torch_div(c, y, torch_convert(c, tcc_build_size(&c->b, import_product(c, shape.dims, shape.rank)), wide));
  return torch_output(c, 0, torch_convert(c, torch_mul(c, y, grad), elem));
}

/* ---- losses of classes: x [N, C, ...] or [C], target [N, ...] or [] ---- */
typedef struct {
  MlirValue index;  /* the target, 0 where it is ignored */
  MlirValue used;   /* bool */
  MlirValue weight; /* of each target's class, 0 where it is ignored */
  int64_t axis;     /* of the classes in x */
} Targets;

static bool read_targets(ImportCall *c, const ImportShape *x, TccElem wide, Targets *out) {
  MlirValue target = torch_tensor(c, "target");
  TccNamedAttr attrs[1];
  if (!target.ptr) return false;
  out->axis = x->rank > 1 ? 1 : 0;
  int64_t ignored = torch_int(c, "ignore_index");
  out->used = tcc_build_compare(&c->b, "ne", target, tcc_build_scalar_i64(&c->b, tcc_value_elem(target), ignored));
  out->index = torch_convert(c, torch_if_number(c, out->used, target, 0), TCC_ELEM_I64);
  MlirValue weight = torch_optional(c, "weight");
  (void)attrs;
  if (weight.ptr) weight = import_gather_valid(c, torch_convert(c, weight, wide), out->index, 0, TCC_VALID_UNSIGNED);
  else weight = torch_constant(c, wide, 1);
  out->weight = torch_if_number(c, out->used, weight, 0);
  ImportShape ts = import_shape(c, out->index);
  out->weight = tcc_build_broadcast(&c->b, out->weight, ts.rank, ts.dims);
  return out->weight.ptr && out->index.ptr;
}

/* x at each target's class. */
static MlirValue at_targets(ImportCall *c, MlirValue x, const Targets *t) {
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, t->axis)}};
  size_t n = 1;
  MlirValue operands[] = {x, import_unsqueeze(c, t->index, t->axis)};
  if (!x.ptr || !operands[1].ptr || !import_valid(c, TCC_VALID_UNSIGNED, x, operands[1], (int)t->axis, 1, attrs, &n))
    return (MlirValue){NULL};
  return tcc_build_squeeze(&c->b, import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, attrs, n), t->axis);
}

/* kind: 1 for the forms with the total weight as a second result. */
bool torch_op_nll_loss(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  TccElem wide = torch_wide(shape.elem);
  Targets t;
  if (!x.ptr || !read_targets(c, &shape, wide, &t)) return false;
  int64_t reduction = torch_int(c, "reduction");
  MlirValue loss = torch_neg(c, torch_mul(c, at_targets(c, torch_convert(c, x, wide), &t), t.weight)),
            total = all_of(c, "sum", t.weight);
  loss = torch_if_number(c, t.used, loss, 0);
  if (reduction != REDUCTION_NONE) loss = all_of(c, "sum", loss);
  if (reduction == REDUCTION_MEAN) loss = torch_div(c, loss, total);
  if (!torch_output(c, 0, torch_convert(c, loss, shape.elem))) return false;
  if (!c->kind) return true;
  if (reduction == REDUCTION_NONE && shape.rank > 1) total = torch_constant(c, wide, 0);
  return torch_output(c, 1, torch_convert(c, total, shape.elem));
}

/* One where the class is the target's: bool, of x's shape. */
static MlirValue is_target(ImportCall *c, const ImportShape *x, const Targets *t) {
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < x->rank; i++) dims[i] = i == t->axis ? x->dims[i] : import_size(c, 1);
  MlirValue classes = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, x->dims[t->axis]), x->rank, dims);
  return tcc_build_compare(&c->b, "eq", import_unsqueeze(c, t->index, t->axis), classes);
}

bool torch_op_nll_loss_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_output"), x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  TccElem wide = torch_wide(shape.elem);
  Targets t;
  if (!grad.ptr || !x.ptr || !read_targets(c, &shape, wide, &t)) return false;
  MlirValue share = torch_neg(c, torch_mul(c, torch_convert(c, grad, wide), t.weight));
  if (torch_int(c, "reduction") == REDUCTION_MEAN) share = torch_div(c, share, torch_tensor_as(c, "total_weight", wide));
  share = import_unsqueeze(c, torch_if_number(c, t.used, share, 0), t.axis);
  MlirValue y = torch_if(c, is_target(c, &shape, &t), share, torch_constant(c, wide, 0));
  return torch_output(c, 0, torch_convert(c, tcc_build_broadcast(&c->b, y, shape.rank, shape.dims), shape.elem));
}

/* Targets are classes, or probabilities of x's shape. */
bool torch_op_cross_entropy(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), target = torch_tensor(c, "target"), loss;
  ImportShape shape = import_shape(c, x);
  TccElem wide = torch_wide(shape.elem);
  int64_t axis = shape.rank > 1 ? 1 : 0, reduction = torch_int(c, "reduction"), classes;
  double smoothing = torch_float(c, "label_smoothing");
  if (!x.ptr || !target.ptr || !torch_fixed(c, shape.dims[axis], &classes)) return false;
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, axis)};
  MlirValue wx = torch_convert(c, x, wide), log = import_op(c, TCC_OP_LOG_SOFTMAX, &wx, 1, &attr, 1);
  MlirValue weight = torch_optional(c, "weight");
  if (weight.ptr) weight = torch_convert(c, weight, wide);
  MlirValue by_class = weight.ptr && axis ? torch_channels(c, weight, shape.rank) : weight;
  if (tcc_elem_is_float(tcc_value_elem(target))) {
    MlirValue p = torch_convert(c, target, wide);
    if (smoothing > 0) p = torch_plus(c, torch_times(c, p, 1 - smoothing), smoothing / (double)classes);
    loss = torch_mul(c, log, p);
    if (by_class.ptr) loss = torch_mul(c, loss, by_class);
    loss = torch_neg(c, torch_sum(c, loss, &axis, 1, false));
    if (reduction == REDUCTION_MEAN && shape.rank > 1) {
      ImportShape ls = import_shape(c, loss);
      loss =
          torch_div(c, all_of(c, "sum", loss), torch_convert(c, tcc_build_size(&c->b, import_product(c, ls.dims, ls.rank)), wide));
    } else if (reduction != REDUCTION_NONE) loss = all_of(c, "sum", loss);
    return torch_output(c, 0, torch_convert(c, loss, shape.elem));
  }
  Targets t;
  if (!read_targets(c, &shape, wide, &t)) return false;
  loss = torch_neg(c, torch_mul(c, at_targets(c, log, &t), t.weight));
  if (smoothing > 0) {
    MlirValue smooth = torch_neg(c, torch_sum(c, by_class.ptr ? torch_mul(c, log, by_class) : log, &axis, 1, false));
    loss = torch_add(c, torch_times(c, loss, 1 - smoothing), torch_times(c, smooth, smoothing / (double)classes));
  }
  loss = torch_if_number(c, t.used, loss, 0);
  if (reduction != REDUCTION_NONE) loss = all_of(c, "sum", loss);
  if (reduction == REDUCTION_MEAN) loss = torch_div(c, loss, all_of(c, "sum", t.weight));
  return torch_output(c, 0, torch_convert(c, loss, shape.elem));
}

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

/* A number over a size. */
static MlirValue shared(ImportCall *c, double number, const TccExpr *size, TccElem elem) {
  int64_t known;
  if (tcc_expr_is_const(size, &known)) return torch_constant(c, elem, number / (double)known);
  return torch_div(c, torch_constant(c, elem, number), torch_convert(c, tcc_build_size(&c->b, size), elem));
}

/* Targets are classes, or probabilities of x's shape. */
bool torch_op_cross_entropy(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), target = torch_tensor(c, "target"), loss;
  ImportShape shape = import_shape(c, x);
  TccElem wide = torch_wide(shape.elem);
  int64_t axis = shape.rank > 1 ? 1 : 0, reduction = torch_int(c, "reduction");
  double smoothing = torch_float(c, "label_smoothing");
  if (!x.ptr || !target.ptr || c->reason) return false;
  MlirValue share = shared(c, smoothing, shape.dims[axis], wide);
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, axis)};
  MlirValue wx = torch_convert(c, x, wide), log = import_op(c, TCC_OP_LOG_SOFTMAX, &wx, 1, &attr, 1);
  MlirValue weight = torch_optional(c, "weight");
  if (weight.ptr) weight = torch_convert(c, weight, wide);
  MlirValue by_class = weight.ptr && axis ? torch_channels(c, weight, shape.rank) : weight;
  if (tcc_elem_is_float(tcc_value_elem(target))) {
    MlirValue p = torch_convert(c, target, wide);
    if (smoothing > 0) p = torch_add(c, torch_times(c, p, 1 - smoothing), share);
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
    loss = torch_add(c, torch_times(c, loss, 1 - smoothing), torch_mul(c, smooth, share));
  }
  loss = torch_if_number(c, t.used, loss, 0);
  if (reduction != REDUCTION_NONE) loss = all_of(c, "sum", loss);
  if (reduction == REDUCTION_MEAN) loss = torch_div(c, loss, all_of(c, "sum", t.weight));
  return torch_output(c, 0, torch_convert(c, loss, shape.elem));
}

/* ---- margins between classes: x [N, C], [C] or [] ---- */
/* x as [N, C], or [N] targets beside them. */
static MlirValue as_rows(ImportCall *c, MlirValue x, const ImportShape *rows) {
  return tcc_build_reshape(&c->b, x, rows->rank, rows->dims);
}

static bool read_rows(ImportCall *c, MlirValue *x, ImportShape *out) {
  ImportShape shape = import_shape(c, *x);
  const TccExpr *one = import_size(c, 1);
  if (!x->ptr) return false;
  if (shape.rank > 2) return import_invalid(c, "an input of rank %d", shape.rank);
  *out = (ImportShape){.elem = torch_wide(shape.elem), .rank = 2};
  out->dims[0] = shape.rank == 2 ? shape.dims[0] : one, out->dims[1] = shape.rank ? shape.dims[shape.rank - 1] : one;
  *x = as_rows(c, torch_convert(c, *x, out->elem), out);
  return x->ptr != NULL;
}

static MlirValue size_as(ImportCall *c, const TccExpr *size, TccElem elem) {
  return torch_convert(c, tcc_build_size(&c->b, size), elem);
}

/* margin - x at the target's class + x of each other class j, where that is positive: raised to p, weighted, summed over j by the number of
 * classes. kind: 1 for the gradient. */
bool torch_op_multi_margin_loss(ImportCall *c) {
  MlirValue self = torch_tensor(c, "self"), x = self;
  ImportShape given = import_shape(c, self), rows, targets = {.rank = 1};
  double p = torch_float(c, "p"), margin = torch_float(c, "margin");
  int64_t axis = 1;
  if (c->reason || !read_rows(c, &x, &rows)) return false;
  if (p != 1 && p != 2) return import_invalid(c, "p %g", p);
  targets.dims[0] = rows.dims[0];
  Targets t = {.index = as_rows(c, torch_tensor_as(c, "target", TCC_ELEM_I64), &targets), .axis = 1};
  MlirValue weight = torch_optional(c, "weight"), own = import_unsqueeze(c, at_targets(c, x, &t), 1);
  MlirValue z = torch_plus(c, torch_sub(c, x, own), margin), classes = size_as(c, rows.dims[1], rows.elem);
  MlirValue counts = torch_both(c, torch_is(c, "gt", z, 0), tcc_build1(&c->b, TCC_OP_NOT, is_target(c, &rows, &t)));
  MlirValue share = torch_div(c, torch_constant(c, rows.elem, 1), classes);
  if (weight.ptr) {
    weight = import_gather_valid(c, torch_convert(c, weight, rows.elem), t.index, 0, TCC_VALID_UNSIGNED);
    share = torch_mul(c, share, import_unsqueeze(c, weight, 1));
  }
  if (!c->kind) {
    MlirValue y = torch_if_number(c, counts, torch_mul(c, p == 1 ? z : torch_mul(c, z, z), share), 0);
    y = torch_sum(c, y, &axis, 1, false);
    return reduced(c, given.rank == 2 ? y : tcc_build_squeeze(&c->b, y, 0), given.elem);
  }
  MlirValue grad = torch_tensor_as(c, "grad_output", rows.elem);
  if (torch_int(c, "reduction") == REDUCTION_MEAN) grad = torch_div(c, grad, size_as(c, rows.dims[0], rows.elem));
  if (import_shape(c, grad).rank) grad = import_unsqueeze(c, grad, 1);
  MlirValue one = torch_constant(c, rows.elem, 1),
            y = torch_if_number(c, counts, torch_mul(c, p == 1 ? one : torch_times(c, z, 2), share), 0);
  y = tcc_build_broadcast(&c->b, y, 2, rows.dims);
  y = torch_if(c, is_target(c, &rows, &t), torch_neg(c, torch_sum(c, y, &axis, 1, true)), y);
  y = tcc_build_broadcast(&c->b, torch_mul(c, y, grad), 2, rows.dims);
  return torch_output(c, 0, torch_convert(c, as_rows(c, y, &given), given.elem));
}

/* Each target's class against each class that is no target: [N, targets, C]. Targets end at the first -1. */
typedef struct {
  MlirValue hit;  /* bool [N, targets, C]: the target is this class */
  MlirValue used; /* bool [N, targets, 1] */
  MlirValue own;  /* x at the target's class, [N, targets, 1] */
} Labels;

static bool read_labels(ImportCall *c, MlirValue x, const ImportShape *rows, Labels *out) {
  MlirValue target = as_rows(c, torch_tensor_as(c, "target", TCC_ELEM_I64), rows);
  MlirValue ends = torch_convert(c, torch_is(c, "eq", target, -1), TCC_ELEM_I64);
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 1)}, {"kind", tcc_attr_str(c->ir, tcc_str("sum"))}};
  const TccExpr *classes[] = {import_size(c, 1), import_size(c, 1), rows->dims[1]};
  if (!ends.ptr) return false;
  MlirValue used = torch_is(c, "eq", import_op(c, TCC_OP_CUMULATIVE, &ends, 1, attrs, 2), 0);
  MlirValue operands[] = {x, torch_if_number(c, used, target, 0)};
  TccNamedAttr gather[2] = {attrs[0]};
  size_t n = 1;
  if (!operands[1].ptr || !import_valid(c, TCC_VALID_UNSIGNED, x, operands[1], 1, 1, gather, &n)) return false;
  out->own = import_unsqueeze(c, import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, gather, n), 2);
  out->used = import_unsqueeze(c, used, 2);
  MlirValue number = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, rows->dims[1]), 3, classes);
  out->hit = torch_both(c, out->used, tcc_build_compare(&c->b, "eq", import_unsqueeze(c, target, 2), number));
  return out->hit.ptr != NULL;
}

/* 1 - (x at a target - x elsewhere), where that is positive, summed by the number of classes; and which classes are targets. kind: 1 for the
 * gradient. */
bool torch_op_multilabel_margin_loss(ImportCall *c) {
  MlirValue self = torch_tensor(c, "self"), x = self, is_one;
  ImportShape given = import_shape(c, self), rows;
  const int64_t targets = 1, classes = 2, both[] = {1, 2};
  Labels l;
  if (c->reason || !read_rows(c, &x, &rows) || !read_labels(c, x, &rows, &l)) return false;
  if (c->kind) is_one = torch_is(c, "ne", as_rows(c, torch_tensor(c, "is_target"), &rows), 0);
  else is_one = tcc_build_reduce(&c->b, "or", l.hit, &targets, 1, false);
  MlirValue z = torch_plus(c, torch_sub(c, import_unsqueeze(c, x, 1), l.own), 1), none = tcc_build1(&c->b, TCC_OP_NOT, is_one);
  MlirValue counts = torch_both(c, torch_is(c, "gt", z, 0), torch_both(c, l.used, import_unsqueeze(c, none, 1)));
  MlirValue size = size_as(c, rows.dims[1], rows.elem);
  if (!c->kind) {
    MlirValue y = torch_div(c, torch_sum(c, torch_if_number(c, counts, z, 0), both, 2, false), size);
    return reduced(c, given.rank == 2 ? y : tcc_build_squeeze(&c->b, y, 0), given.elem) &&
           torch_output(c, 1, torch_convert(c, as_rows(c, is_one, &given), given.elem));
  }
  MlirValue grad = torch_tensor_as(c, "grad_output", rows.elem), one = torch_convert(c, counts, rows.elem);
  if (torch_int(c, "reduction") == REDUCTION_MEAN) size = torch_mul(c, size, size_as(c, rows.dims[0], rows.elem));
  if (import_shape(c, grad).rank) grad = import_unsqueeze(c, grad, 1);
  MlirValue lost = torch_mul(c, torch_convert(c, l.hit, rows.elem), torch_sum(c, one, &classes, 1, true));
  MlirValue y = torch_sub(c, torch_sum(c, one, &targets, 1, false), torch_sum(c, lost, &targets, 1, false));
  y = torch_mul(c, torch_div(c, y, size), grad);
  return torch_output(c, 0, torch_convert(c, as_rows(c, tcc_build_broadcast(&c->b, y, 2, rows.dims), &given), given.elem));
}

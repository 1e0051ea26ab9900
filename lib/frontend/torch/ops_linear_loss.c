/* ops_linear_loss.c - a linear layer and the cross entropy of its result as one operator, with its gradients.
 *
 * torch computes it in chunks of the batch and in mixed precision, as its other arguments say; here it is one product, whose sums and loss are
 * f32 at least. The gradient in the logits is (softmax - one at the target) times the row's weight. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

typedef struct {
  MlirValue x, w;       /* [N, F], [C, F] */
  MlirValue log;        /* of the softmax: [N, C] */
  MlirValue goal;       /* what each class counts: weights of classes times the target, [N, C] */
  MlirValue of_row;     /* the sum of a row of goal, [N, 1] */
  const TccExpr *batch; /* N */
  bool probabilities;   /* the target is [N, C] */
} LinearLoss;

static MlirValue product(ImportCall *c, MlirValue a, int64_t a_axis, MlirValue b, int64_t b_axis) {
  return tcc_build_dot_general(&c->b, a, b, NULL, NULL, 0, &a_axis, &b_axis, 1);
}

/* Targets that are classes: one at the class, nothing in rows of ignore_index. */
static MlirValue one_hot(ImportCall *c, MlirValue target, const TccExpr *classes, TccElem elem) {
  MlirValue used = tcc_build_compare(&c->b, "ne", target,
                                     torch_convert(c, torch_scalar(c, "ignore_index", TCC_ELEM_I64), tcc_value_elem(target)));
  MlirValue number = torch_convert(c, import_iota(c, TCC_ELEM_I64, classes), tcc_value_elem(target));
  MlirValue hit = tcc_build_compare(&c->b, "eq", import_unsqueeze(c, target, 1), number);
  return torch_convert(c, torch_both(c, hit, import_unsqueeze(c, used, 1)), elem);
}

static bool read_linear_loss(ImportCall *c, TccElem wide, LinearLoss *l) {
  *l = (LinearLoss){.x = torch_tensor_as(c, "input", wide), .w = torch_tensor_as(c, "linear_weight", wide)};
  MlirValue target = torch_tensor(c, "target"), bias = torch_optional(c, "linear_bias"), weight = torch_optional(c, "weight");
  ImportShape xs = import_shape(c, l->x), ws = import_shape(c, l->w), ts = import_shape(c, target);
  const int64_t classes = 1;
  if (!l->x.ptr || !l->w.ptr || !target.ptr || c->reason) return false;
  if (xs.rank != 2 || ws.rank != 2 || ts.rank < 1 || ts.rank > 2)
    return import_unsupported(c, "an input of rank %d, a weight of rank %d, a target of rank %d", xs.rank, ws.rank, ts.rank);
  if (torch_argument(c, "label_smoothing") && torch_float(c, "label_smoothing") != 0)
    return import_unsupported(c, "label_smoothing");
  l->batch = xs.dims[0], l->probabilities = ts.rank == 2;
  MlirValue logits = product(c, l->x, 1, l->w, 1);
  if (bias.ptr) logits = torch_add(c, logits, torch_convert(c, bias, wide));
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, 1)};
  l->log = logits.ptr ? import_op(c, TCC_OP_LOG_SOFTMAX, &logits, 1, &attr, 1) : logits;
  l->goal = l->probabilities ? torch_convert(c, target, wide) : one_hot(c, target, ws.dims[0], wide);
  if (weight.ptr) l->goal = torch_mul(c, l->goal, torch_convert(c, weight, wide));
  l->of_row = torch_sum(c, l->goal, &classes, 1, true);
  return l->log.ptr && l->of_row.ptr;
}

/* The loss of each row: [N]. */
static MlirValue losses(ImportCall *c, const LinearLoss *l) {
  const int64_t classes = 1;
  MlirValue zero = torch_constant(c, tcc_value_elem(l->log), 0);
  MlirValue counted = torch_if(c, torch_is(c, "ne", l->goal, 0), torch_mul(c, l->log, l->goal), zero);
  return torch_neg(c, torch_sum(c, counted, &classes, 1, false));
}

bool torch_op_linear_losses(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  LinearLoss l;
  return elem && read_linear_loss(c, torch_wide(elem), &l) && torch_answer(c, losses(c, &l));
}

/* A gradient that is asked for; else nothing, in the sizes that torch gives that. */
static bool answer_gradient(ImportCall *c, size_t index, const char *flag, MlirValue y) {
  ImportShape to = torch_declared(c, index);
  if (!to.elem || c->reason) return false;
  if (!torch_bool(c, flag)) y = torch_filled(c, torch_constant(c, to.elem, 0), to.rank, to.dims);
  return torch_output(c, index, torch_convert(c, y, to.elem));
}

/* The sum, or the mean: by the weights of the targets' classes, or for probabilities by the number of rows. And the gradients in the input,
 * the weight and the bias. */
bool torch_op_linear_loss(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  TccStr reduction = torch_string(c, "reduction");
  const int64_t rows = 0, all[] = {0, 1};
  LinearLoss l;
  if (!elem || !read_linear_loss(c, wide, &l)) return false;
  const bool mean = tcc_str_is(reduction, "mean");
  if (!mean && !tcc_str_is(reduction, "sum")) return import_invalid(c, "reduction is '%.*s'", TCC_STR_ARG(reduction));
  MlirValue y = torch_sum(c, losses(c, &l), &rows, 1, false), scale = torch_constant(c, wide, 1);
  if (mean)
    scale = torch_div(
        c, scale, l.probabilities ? torch_convert(c, tcc_build_size(&c->b, l.batch), wide) : torch_sum(c, l.of_row, all, 2, false));
  if (!torch_output(c, 0, torch_convert(c, torch_mul(c, y, scale), elem))) return false;
  MlirValue softmax = tcc_build1(&c->b, TCC_OP_EXP, l.log);
  MlirValue g = torch_mul(c, torch_sub(c, torch_mul(c, softmax, l.of_row), l.goal), scale);
  return answer_gradient(c, 1, "compute_input_grad", product(c, g, 1, l.w, 0)) &&
         answer_gradient(c, 2, "compute_linear_weight_grad", product(c, g, 0, l.x, 0)) &&
         answer_gradient(c, 3, "compute_linear_bias_grad", torch_sum(c, g, &rows, 1, false));
}

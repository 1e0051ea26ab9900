/* spread_windows.c - transposed convolutions as convolutions of stride 1.
 *
 *   conv_transpose [N, C, H, W] by w [C, M, h, w], stride 2  =>  conv for each of the 2 x 2 remainders, by the taps that it sees, turned; concats, reshape
 *
 * Weights that stay are packed once for all phases of an image, which tcc-block-layout does; where a call may change them (the gradient of an image
 * in a training step), and over three axes, its forms do not hold, and the general emitter divides for each patch and multiplies by the zeros between strides.
 * Such a one is what tcc-grad makes of a convolution's gradient (tcc_build_spread_windows). Into few channels, or of many phases in one group, phases are the
 * channels of one convolution instead, and windows as long as their strides are no windows: these are tcc-block-layout's, too (block_layout_phases.c), and
 * stay, in the form of an image if they go along one axis.
 *
 * requires: nothing. ensures: no tcc.conv_transpose of weights that a call may change but in these forms, where the sizes of its image are known. keeps: results,
 * but for the order of sums. */
#include "lib/targets/x86/passes/passes.h"
#include "tcc/codegen.h"
#include "tcc/op_kinds.h"
#include "tcc/window.h"

enum { MOST_PHASES = 16 /* convolutions of one */ };

typedef struct {
  MlirValue x, w, bias;
  MlirType type; /* of the result */
  TccWindow window;
  const int64_t *extra; /* output_padding */
  int64_t phases;
} Transposed;

static bool read_transposed(TccIr *ir, MlirOperation op, Transposed *t) {
  size_t n;
  *t = (Transposed){mlirOperationGetOperand(op, 0),
                    mlirOperationGetOperand(op, 1),
                    mlirOperationGetOperand(op, 2),
                    tcc_value_type(mlirOperationGetResult(op, 0)),
                    {.groups = tcc_i64(ir, op, "groups")},
                    NULL,
                    1};
  TccWindow *w = &t->window;
  w->spatial = tcc_type_rank(t->type) - 2;
  if (!tcc_get_ints(ir, op, "strides", &w->strides, &n) || !tcc_get_ints(ir, op, "pads", &w->pads, &n) ||
      !tcc_get_ints(ir, op, "dilations", &w->dilations, &n) || !tcc_get_ints(ir, op, "output_padding", &t->extra, &n))
    return false;
  for (int i = 0; i < w->spatial; i++) {
    if (w->strides[i] > MOST_PHASES) t->phases = MOST_PHASES + 1;
    else if (t->phases <= MOST_PHASES) t->phases *= w->strides[i];
  }
  return tcc_elem_is_float(tcc_type_elem(t->type));
}

static bool stays_at_calls(const TccInit *init, TccIr *ir, const Transposed *t) {
  return tcc_init_is(init, t->w) && (tcc_value_is_none(ir, t->bias) || tcc_init_is(init, t->bias));
}

/* Whether each window is as long as its stride, and so is the result as all windows together. */
static bool is_tiled(TccIr *ir, const Transposed *t) {
  for (int i = 0; i < t->window.spatial; i++) {
    int64_t kernel;
    if (!tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(t->w), i + 2), &kernel) || kernel != t->window.strides[i]) return false;
    if (t->window.pads[i] || t->window.pads[i + t->window.spatial] || t->extra[i]) return false;
    if (kernel > 1 && t->window.dilations[i] != 1) return false;
  }
  return true;
}

/* Whether phases are channels, or share an image in blocks: of one group, each with taps. */
static bool has_phases(TccIr *ir, const Transposed *t) {
  if (tcc_type_elem(t->type) != TCC_ELEM_F32) return false;
  if (t->window.spatial > 2) return is_tiled(ir, t);
  if (t->window.groups != 1 || t->phases == 1 || !tcc_pays_to_pack_phases(ir, tcc_value_type(t->x))) return false;
  for (int i = 0; i < t->window.spatial; i++) {
    int64_t kernel;
    if (!tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(t->w), i + 2), &kernel)) return false;
    if (kernel < t->window.strides[i] || (kernel > 1 && t->window.dilations[i] != 1) || t->window.pads[i] < 0) return false;
  }
  return true;
}

static MlirValue add_bias(TccBuilder *b, const Transposed *t, MlirValue y) {
  if (tcc_value_is_none(b->ir, t->bias) || mlirValueIsNull(y)) return y;
  const TccExpr *one = tcc_expr_const(b->ir->exprs, 1), *dims[TCC_MAX_RANK] = {tcc_type_dim(b->ir, t->type, 1)};
  for (int i = 1; i <= t->window.spatial; i++) dims[i] = one;
  return tcc_build2(b, TCC_OP_ADD, y, tcc_build_reshape(b, t->bias, t->window.spatial + 1, dims));
}

/* A line as an image of one row. */
static MlirValue as_row(TccBuilder *b, const Transposed *t) {
  const TccExpr *one = tcc_expr_const(b->ir->exprs, 1), *x[4], *w[4], *y[3];
  for (int i = 0; i < 3; i++) {
    x[i < 2 ? i : 3] = tcc_type_dim(b->ir, tcc_value_type(t->x), i),
                  w[i < 2 ? i : 3] = tcc_type_dim(b->ir, tcc_value_type(t->w), i);
    y[i] = tcc_type_dim(b->ir, t->type, i);
  }
  x[2] = w[2] = one;
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(b->ir, (const int64_t[]){1, t->window.strides[0]}, 2)},
                          {"pads", tcc_attr_ints(b->ir, (const int64_t[]){0, t->window.pads[0], 0, t->window.pads[1]}, 4)},
                          {"dilations", tcc_attr_ints(b->ir, (const int64_t[]){1, t->window.dilations[0]}, 2)},
                          {"output_padding", tcc_attr_ints(b->ir, (const int64_t[]){0, t->extra[0]}, 2)},
                          {"groups", tcc_attr_i64(b->ir, t->window.groups)}};
  MlirValue operands[] = {tcc_build_reshape(b, t->x, 4, x), tcc_build_reshape(b, t->w, 4, w), t->bias};
  if (mlirValueIsNull(operands[0]) || mlirValueIsNull(operands[1])) return (MlirValue){NULL};
  MlirValue made = tcc_build_value(b, TCC_OP_CONV_TRANSPOSE, operands, 3, attrs, 5, NULL);
  return mlirValueIsNull(made) ? made : tcc_build_reshape(b, made, 3, y);
}

/* In place of op; null: it stays, or after a diagnostic (*out_failed). */
static MlirValue spread(TccPassRun *run, TccInit *init, MlirOperation op, bool *out_failed) {
  TccIr *ir = run->ir;
  TccBuilder b = {ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue made = {NULL};
  Transposed t;
  if (!read_transposed(ir, op, &t)) return made;
  if (t.window.spatial <= 2 && stays_at_calls(init, ir, &t)) return made;
  if (has_phases(ir, &t)) {
    if (t.window.spatial != 1) return made;
    made = as_row(&b, &t);
  } else {
    if (t.phases > MOST_PHASES || !tcc_build_spread_windows(&b, run->scratch, &t.window, t.x, t.w, t.type, &made)) return made;
    made = add_bias(&b, &t, made);
  }
  *out_failed = mlirValueIsNull(made);
  return made;
}

MlirLogicalResult tcc_pass_spread_windows(TccPassRun *run, MlirOperation module) {
  TccInit *init = tcc_init_analyse(run->ir, module, run->scratch);
  bool failed = false;
  TCC_EACH_FUNCTION (func, module) {
    for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(func)), next; !mlirOperationIsNull(op); op = next) {
      next = mlirOperationGetNextInBlock(op);
      if (tcc_op_kind(run->ir, op) != TCC_OP_CONV_TRANSPOSE) continue;
      MlirValue made = spread(run, init, op, &failed);
      if (failed) return mlirLogicalResultFailure();
      if (mlirValueIsNull(made)) continue;
      tcc_replace_uses(mlirOperationGetResult(op, 0), made);
      tcc_erase(op);
    }
  }
  return mlirLogicalResultSuccess();
}

/* split_volumes.c - windows over three axes as windows over two.
 *
 *   pool [N, C, D, H, W]  =>  reshape [N, C * D, H, W], pool, reshape [N, C, D, H' * W'], pool over D, reshape [N, C, D', H', W']
 *
 * A window is the product of its axes' windows, padding or not, so that its maximum is that of maxima, and its mean that of means: as many elements
 * of each of its planes are counted. Planes are images, whose pools go by rows, and of the last pool rows side by side are whole planes. Where a window has one element of the last axis, rows of that axis lie side by side already, as
 * blocks of channels do: it stays.
 *
 *   conv [N, C, D, H, W] by w [M, C, K, h, w]  =>  unfold over D [N, C, K, D', H, W], transpose, reshape [N * D', C * K, H, W],
 *                                                  conv by [M, C * K, h, w], reshape, transpose [N, M, D', H', W']
 *   where h and w are 1                        =>  conv [N, C, D, H * W] by [M, C, K, 1]
 *
 * The K planes that give one of the result are channels of an image. That reads and writes the input K times, and convolutions of images go by blocks
 * of channels and by Winograd's filtering. Those of one channel a group stay, which have nothing to sum but windows; so do windows whose depth is not known, and
 * images of which all these planes would take too much memory. The gradient of the weights of these images is that of the volumes' weights, of one channel a
 * group, too: conv_filter_grad of x and g [N, M, D', H', W'] => of these planes and the images [N * D', M, H', W'].
 *
 * requires: nothing. ensures: no tcc.pool of f32, or of maxima, has a window over three axes but of one element along the last. keeps: results, bit for bit
 * of maxima; else but for the order of sums. */
#include "lib/targets/x86/passes/passes.h"
#include "tcc/location.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

enum { D, H, W, AXES };

typedef struct {
  const int64_t *kernel, *strides, *dilations, *pads; /* pads: in front, then behind */
} Window;

static bool read_window(TccIr *ir, MlirOperation op, Window *w) {
  size_t n[4];
  return tcc_get_ints(ir, op, "kernel", &w->kernel, &n[0]) && tcc_get_ints(ir, op, "strides", &w->strides, &n[1]) &&
         tcc_get_ints(ir, op, "dilations", &w->dilations, &n[2]) && tcc_get_ints(ir, op, "pads", &w->pads, &n[3]) && n[0] == AXES;
}

/* ---- pools ---- */
/* The same pool of an image along two of the axes; second AXES: along the first alone, an axis of 1 behind it. */
static MlirValue pool_along(TccBuilder *b, MlirOperation op, const Window *w, MlirValue x, int first, int second) {
  const int axes[] = {first, second};
  int64_t kernel[2], strides[2], dilations[2], pads[4];
  for (int i = 0; i < 2; i++) {
    const bool none = axes[i] == AXES;
    kernel[i] = none ? 1 : w->kernel[axes[i]], strides[i] = none ? 1 : w->strides[axes[i]];
    dilations[i] = none ? 1 : w->dilations[axes[i]];
    pads[i] = none ? 0 : w->pads[axes[i]], pads[i + 2] = none ? 0 : w->pads[axes[i] + AXES];
  }
  TccNamedAttr attrs[] = {{"kind", tcc_attribute(op, "kind")},
                          {"kernel", tcc_attr_ints(b->ir, kernel, 2)},
                          {"strides", tcc_attr_ints(b->ir, strides, 2)},
                          {"pads", tcc_attr_ints(b->ir, pads, 4)},
                          {"dilations", tcc_attr_ints(b->ir, dilations, 2)},
                          {"ceil_mode", tcc_attr_bool(b->ir, tcc_bool(b->ir, op, "ceil_mode"))},
                          {"count_include_pad", tcc_attr_bool(b->ir, true)}};
  const int count = tcc_bool(b->ir, op, "count_include_pad") ? 7 : 6;
  return mlirValueIsNull(x) ? x : tcc_build_value(b, TCC_OP_POOL, &x, 1, attrs, count, NULL);
}

static bool is_single(const Window *w, int axis) {
  return w->kernel[axis] == 1 && w->strides[axis] == 1 && w->pads[axis] == 0 && w->pads[axis + AXES] == 0;
}

/* Maxima of anything; means and sums where what lies between is no less exact than the result. */
static bool goes_by_axes(TccIr *ir, MlirOperation op) {
  const TccElem elem = tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0)));
  return tcc_str_is(tcc_string(ir, op, "kind"), "max") || elem == TCC_ELEM_F32 || elem == TCC_ELEM_F64;
}

static MlirValue planes_first(TccIr *ir, MlirOperation op, const Window *w) {
  TccExprPool *pool = ir->exprs;
  TccBuilder b = {ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue x = mlirOperationGetOperand(op, 0);
  const TccExpr *in[2 + AXES], *out[2 + AXES];
  for (int i = 0; i < 2 + AXES; i++) {
    in[i] = tcc_type_dim(ir, tcc_value_type(x), i);
    out[i] = tcc_type_dim(ir, tcc_value_type(mlirOperationGetResult(op, 0)), i);
  }
  x = tcc_build_reshape(&b, x, 4, (const TccExpr *[]){in[0], tcc_expr_mul(pool, in[1], in[2 + D]), in[2 + H], in[2 + W]});
  x = pool_along(&b, op, w, x, H, W);
  if (is_single(w, D)) return mlirValueIsNull(x) ? x : tcc_build_reshape(&b, x, 2 + AXES, out);
  if (!mlirValueIsNull(x))
    x = tcc_build_reshape(&b, x, 4, (const TccExpr *[]){in[0], in[1], in[2 + D], tcc_expr_mul(pool, out[2 + H], out[2 + W])});
  x = pool_along(&b, op, w, x, D, AXES);
  if (!mlirValueIsNull(x)) x = tcc_build_reshape(&b, x, 2 + AXES, out);
  return x;
}

/* ---- convolutions ---- */
typedef struct {
  Window window;
  const TccExpr *in[2 + AXES], *out[2 + AXES]; /* sizes of x and of the result */
  const TccExpr *filter[2 + AXES];
  int64_t depth; /* of a window */
} Conv;

/* Whether the planes of all windows are no more than what is worth writing. Of sizes that are not known they are. */
static bool is_modest(TccIr *ir, const Conv *c) {
  enum { MOST_ELEMENTS = 1 << 27 };
  const TccExpr *all = tcc_expr_const(ir->exprs, 1);
  int64_t elements;
  for (int i = 0; i < 2 + AXES; i++) all = tcc_expr_mul(ir->exprs, all, i == 2 + D ? c->out[i] : c->in[i]);
  return !tcc_expr_is_const(all, &elements) || elements <= MOST_ELEMENTS / c->depth;
}

static bool read_conv(TccIr *ir, MlirOperation op, Conv *c) {
  MlirType xt = tcc_value_type(mlirOperationGetOperand(op, 0)), wt = tcc_value_type(mlirOperationGetOperand(op, 1)),
           rt = tcc_value_type(mlirOperationGetResult(op, 0));
  Window *w = &c->window;
  size_t n;
  if (tcc_type_rank(xt) != 2 + AXES || !tcc_elem_is_float(tcc_type_elem(xt))) return false;
  if (!tcc_get_ints(ir, op, "strides", &w->strides, &n) || !tcc_get_ints(ir, op, "dilations", &w->dilations, &n) ||
      !tcc_get_ints(ir, op, "pads", &w->pads, &n))
    return false;
  for (int i = 0; i < 2 + AXES; i++) {
    c->in[i] = tcc_type_dim(ir, xt, i), c->out[i] = tcc_type_dim(ir, rt, i), c->filter[i] = tcc_type_dim(ir, wt, i);
    if (!c->in[i] || !c->out[i] || !c->filter[i]) return false;
  }
  for (int i = 0; i < AXES; i++)
    if (w->pads[i] < 0 || w->pads[i + AXES] < 0) return false;
  int64_t channels;
  if (!tcc_expr_is_const(c->filter[2 + D], &c->depth) || c->depth < 1) return false;
  return tcc_i64(ir, op, "groups") == 1 || !tcc_expr_is_const(c->filter[1], &channels) || channels > 1;
}

static bool is_column(TccIr *ir, const Conv *c) {
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  bool column = true;
  for (int i = H; i <= W; i++)
    column &= c->filter[2 + i] == one && c->window.strides[i] == 1 && c->window.pads[i] == 0 && c->window.pads[i + AXES] == 0;
  return column;
}

/* A convolution of images; first AXES: over an axis of 1 in its place. */
static MlirValue convolution(TccBuilder *b, MlirOperation op, const Conv *c, MlirValue x, MlirValue w, int first, int second) {
  const int axes[] = {first, second};
  int64_t strides[2], dilations[2], pads[4];
  for (int i = 0; i < 2; i++) {
    const bool none = axes[i] == AXES;
    strides[i] = none ? 1 : c->window.strides[axes[i]], dilations[i] = none ? 1 : c->window.dilations[axes[i]];
    pads[i] = none ? 0 : c->window.pads[axes[i]], pads[i + 2] = none ? 0 : c->window.pads[axes[i] + AXES];
  }
  MlirValue operands[] = {x, w, mlirOperationGetOperand(op, 2)};
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(b->ir, strides, 2)},
                          {"pads", tcc_attr_ints(b->ir, pads, 4)},
                          {"dilations", tcc_attr_ints(b->ir, dilations, 2)},
                          {"groups", tcc_attribute(op, "groups")}};
  return mlirValueIsNull(x) || mlirValueIsNull(w) ? (MlirValue){NULL}
                                                  : tcc_build_value(b, TCC_OP_CONV, operands, 3, attrs, 4, NULL);
}

/* Columns of planes, which are rows of an image. */
static MlirValue of_columns(TccBuilder *b, MlirOperation op, const Conv *c) {
  TccExprPool *pool = b->ir->exprs;
  const TccExpr *image[] = {c->in[0], c->in[1], c->in[2 + D], tcc_expr_mul(pool, c->in[2 + H], c->in[2 + W])},
                *filter[] = {c->filter[0], c->filter[1], c->filter[2 + D], tcc_expr_const(pool, 1)};
  MlirValue x = tcc_build_reshape(b, mlirOperationGetOperand(op, 0), 4, image),
            w = tcc_build_reshape(b, mlirOperationGetOperand(op, 1), 4, filter);
  MlirValue y = convolution(b, op, c, x, w, D, AXES);
  return mlirValueIsNull(y) ? y : tcc_build_reshape(b, y, 2 + AXES, c->out);
}

/* [N, C, D, H, W] -> [N, C, K, D', H, W]: the planes of each window. */
static MlirValue planes_of_windows(TccBuilder *b, const Conv *c, MlirValue x) {
  TccExprPool *pool = b->ir->exprs;
  const Window *w = &c->window;
  const TccExpr *one = tcc_expr_const(pool, 1), *none = tcc_expr_const(pool, 0), *depth = c->in[2 + D],
                *plane = tcc_expr_mul(pool, c->in[2 + H], c->in[2 + W]), *channels = tcc_expr_mul(pool, c->in[0], c->in[1]);
  if (w->pads[D] || w->pads[D + AXES]) {
    const TccExpr *low[] = {none, none, tcc_expr_const(pool, w->pads[D]), none, none},
                  *high[] = {none, none, tcc_expr_const(pool, w->pads[D + AXES]), none, none};
    x = tcc_build_pad(b, x, (MlirValue){NULL}, low, high, "constant");
    depth = tcc_expr_add(pool, depth, tcc_expr_const(pool, w->pads[D] + w->pads[D + AXES]));
  }
  if (!mlirValueIsNull(x)) x = tcc_build_reshape(b, x, 4, (const TccExpr *[]){channels, one, depth, plane});
  TccNamedAttr attrs[] = {{"kernel", tcc_attr_ints(b->ir, (const int64_t[]){c->depth, 1}, 2)},
                          {"strides", tcc_attr_ints(b->ir, (const int64_t[]){w->strides[D], 1}, 2)},
                          {"dilations", tcc_attr_ints(b->ir, (const int64_t[]){w->dilations[D], 1}, 2)}};
  if (!mlirValueIsNull(x)) x = tcc_build_value(b, TCC_OP_UNFOLD, &x, 1, attrs, 3, NULL);
  const TccExpr *to[] = {c->in[0], c->in[1], c->filter[2 + D], c->out[2 + D], c->in[2 + H], c->in[2 + W]};
  return mlirValueIsNull(x) ? x : tcc_build_reshape(b, x, 6, to);
}

/* The same as images [N * D', C * K, H, W]. */
static MlirValue images_of_planes(TccBuilder *b, const Conv *c, MlirValue x) {
  TccExprPool *pool = b->ir->exprs;
  const TccExpr *image[] = {tcc_expr_mul(pool, c->in[0], c->out[2 + D]), tcc_expr_mul(pool, c->in[1], c->filter[2 + D]),
                            c->in[2 + H], c->in[2 + W]};
  x = planes_of_windows(b, c, x);
  if (!mlirValueIsNull(x)) x = tcc_build_transpose(b, x, (const int64_t[]){0, 3, 1, 2, 4, 5});
  return mlirValueIsNull(x) ? x : tcc_build_reshape(b, x, 4, image);
}

static MlirValue of_planes(TccBuilder *b, MlirOperation op, const Conv *c) {
  TccExprPool *pool = b->ir->exprs;
  const TccExpr *filter[] = {c->filter[0], tcc_expr_mul(pool, c->filter[1], c->filter[2 + D]), c->filter[2 + H], c->filter[2 + W]},
                *split[] = {c->in[0], c->out[2 + D], c->out[1], c->out[2 + H], c->out[2 + W]};
  MlirValue x = images_of_planes(b, c, mlirOperationGetOperand(op, 0));
  MlirValue y = convolution(b, op, c, x, tcc_build_reshape(b, mlirOperationGetOperand(op, 1), 4, filter), H, W);
  if (!mlirValueIsNull(y)) y = tcc_build_reshape(b, y, 2 + AXES, split);
  return mlirValueIsNull(y) ? y : tcc_build_transpose(b, y, (const int64_t[]){0, 2, 1, 3, 4});
}

/* ---- gradients of weights ---- */
static bool read_filter_grad(TccIr *ir, MlirOperation op, Conv *c, int64_t pads[2 * AXES]) {
  MlirType xt = tcc_value_type(mlirOperationGetOperand(op, 0)), gt = tcc_value_type(mlirOperationGetOperand(op, 1)),
           rt = tcc_value_type(mlirOperationGetResult(op, 0));
  Window *w = &c->window;
  size_t n;
  if (tcc_type_rank(xt) != 2 + AXES || !tcc_elem_is_float(tcc_type_elem(xt)) || !tcc_get_ints(ir, op, "kernel", &w->kernel, &n) ||
      !tcc_get_ints(ir, op, "strides", &w->strides, &n) || !tcc_get_ints(ir, op, "dilations", &w->dilations, &n) ||
      !tcc_get_ints(ir, op, "pads", &w->pads, &n))
    return false;
  for (int i = 0; i < 2 + AXES; i++) {
    c->in[i] = tcc_type_dim(ir, xt, i), c->out[i] = tcc_type_dim(ir, gt, i), c->filter[i] = tcc_type_dim(ir, rt, i);
    if (!c->in[i] || !c->out[i] || !c->filter[i]) return false;
  }
  for (int i = 0; i < 2 * AXES; i++) pads[i] = w->pads[i];
  c->depth = w->kernel[D];
  /* No window reads what lies further behind, if something does: so many planes are padded, or left out. */
  const TccExpr *last = tcc_expr_mul(ir->exprs, tcc_expr_sub(ir->exprs, c->out[2 + D], tcc_expr_const(ir->exprs, 1)),
                                     tcc_expr_const(ir->exprs, w->strides[D]));
  const int64_t reach = (c->depth - 1) * w->dilations[D] + 1 - w->pads[D];
  if (!tcc_expr_is_const(tcc_expr_sub(ir->exprs, tcc_expr_add(ir->exprs, last, tcc_expr_const(ir->exprs, reach)), c->in[2 + D]),
                         &pads[D + AXES]))
    return false;
  w->pads = pads;
  int64_t planes;
  return c->depth >= 1 && (!tcc_expr_is_const(c->out[2 + D], &planes) || planes >= 1);
}

/* The gradient of weights over two axes; first AXES: over an axis of 1 in its place. */
static MlirValue filter_grad(TccBuilder *b, MlirOperation op, const Conv *c, MlirValue x, MlirValue g, int first, int second) {
  const int axes[] = {first, second};
  int64_t kernel[2], strides[2], dilations[2], pads[4];
  for (int i = 0; i < 2; i++) {
    const bool none = axes[i] == AXES;
    kernel[i] = none ? 1 : c->window.kernel[axes[i]], strides[i] = none ? 1 : c->window.strides[axes[i]];
    dilations[i] = none ? 1 : c->window.dilations[axes[i]];
    pads[i] = none ? 0 : c->window.pads[axes[i]], pads[i + 2] = none ? 0 : c->window.pads[axes[i] + AXES];
  }
  TccNamedAttr attrs[] = {{"kernel", tcc_attr_ints(b->ir, kernel, 2)},
                          {"strides", tcc_attr_ints(b->ir, strides, 2)},
                          {"pads", tcc_attr_ints(b->ir, pads, 4)},
                          {"dilations", tcc_attr_ints(b->ir, dilations, 2)},
                          {"groups", tcc_attribute(op, "groups")}};
  MlirValue operands[] = {x, g}, r = {NULL};
  if (!mlirValueIsNull(x) && !mlirValueIsNull(g)) r = tcc_build_value(b, TCC_OP_CONV_FILTER_GRAD, operands, 2, attrs, 5, NULL);
  return mlirValueIsNull(r) ? r : tcc_build_reshape(b, r, 2 + AXES, c->filter);
}

static MlirValue grad_of_columns(TccBuilder *b, MlirOperation op, const Conv *c) {
  TccExprPool *pool = b->ir->exprs;
  const TccExpr *image[] = {c->in[0], c->in[1], c->in[2 + D], tcc_expr_mul(pool, c->in[2 + H], c->in[2 + W])},
                *places[] = {c->out[0], c->out[1], c->out[2 + D], image[3]};
  return filter_grad(b, op, c, tcc_build_reshape(b, mlirOperationGetOperand(op, 0), 4, image),
                     tcc_build_reshape(b, mlirOperationGetOperand(op, 1), 4, places), D, AXES);
}

static MlirValue grad_of_planes(TccBuilder *b, MlirOperation op, const Conv *c) {
  const TccExpr *images = tcc_expr_mul(b->ir->exprs, c->in[0], c->out[2 + D]),
                *places[] = {images, c->out[1], c->out[2 + H], c->out[2 + W]};
  MlirValue g = tcc_build_transpose(b, mlirOperationGetOperand(op, 1), (const int64_t[]){0, 2, 1, 3, 4});
  return filter_grad(b, op, c, images_of_planes(b, c, mlirOperationGetOperand(op, 0)), tcc_build_reshape(b, g, 4, places), H, W);
}

/* In place of op; null: it stays, or after a diagnostic (*out_failed). */
static MlirValue split(TccIr *ir, MlirOperation op, bool *out_failed) {
  const TccOpKind kind = tcc_op_kind(ir, op);
  TccBuilder b = {ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  Window w;
  Conv c = {0};
  int64_t pads[2 * AXES];
  MlirValue made = {NULL};
  if (kind == TCC_OP_CONV_FILTER_GRAD) {
    if (!read_filter_grad(ir, op, &c, pads)) return made;
    if (is_column(ir, &c)) made = grad_of_columns(&b, op, &c);
    else if (is_modest(ir, &c)) made = grad_of_planes(&b, op, &c);
    else return made;
  } else if (kind == TCC_OP_POOL && goes_by_axes(ir, op) && read_window(ir, op, &w) && !is_single(&w, W))
    made = planes_first(ir, op, &w);
  else if (kind != TCC_OP_CONV || !read_conv(ir, op, &c)) return made;
  else if (is_column(ir, &c)) made = of_columns(&b, op, &c);
  else if (is_modest(ir, &c)) made = of_planes(&b, op, &c);
  else return made;
  *out_failed = mlirValueIsNull(made);
  return made;
}

MlirLogicalResult tcc_pass_split_volumes(TccPassRun *run, MlirOperation module) {
  bool failed = false;
  TCC_EACH_FUNCTION (func, module) {
    for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(func)), next; !mlirOperationIsNull(op); op = next) {
      next = mlirOperationGetNextInBlock(op);
      MlirValue made = split(run->ir, op, &failed);
      if (failed) return mlirLogicalResultFailure();
      if (mlirValueIsNull(made)) continue;
      tcc_replace_uses(mlirOperationGetResult(op, 0), made);
      tcc_erase(op);
    }
  }
  return mlirLogicalResultSuccess();
}

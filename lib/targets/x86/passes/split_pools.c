/* split_pools.c - maxima of windows over three axes, as maxima over two, and then over one.
 *
 *   pool [N, C, D, H, W]  =>  reshape [N, C * D, H, W], pool, reshape [N, C, D, H' * W'], pool over D, reshape [N, C, D', H', W']
 *
 * A window is the product of its axes' windows, padding or not, so that its maximum is that of maxima. Planes are images, whose pools go
 * by rows, and of the last pool rows side by side are whole planes.
 *
 * requires: nothing. ensures: no tcc.pool of maxima has a window over three axes. keeps: results, bit for bit. */
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

/* The maxima of an image along two of the axes; second AXES: along the first alone, an axis of 1 behind it. */
static MlirValue maxima(TccBuilder *b, MlirOperation op, const Window *w, MlirValue x, int first, int second) {
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
                          {"ceil_mode", tcc_attr_bool(b->ir, tcc_bool(b->ir, op, "ceil_mode"))}};
  return mlirValueIsNull(x) ? x : tcc_build_value(b, TCC_OP_POOL, &x, 1, attrs, 6, NULL);
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
  x = maxima(&b, op, w, x, H, W);
  if (!mlirValueIsNull(x))
    x = tcc_build_reshape(&b, x, 4, (const TccExpr *[]){in[0], in[1], in[2 + D], tcc_expr_mul(pool, out[2 + H], out[2 + W])});
  x = maxima(&b, op, w, x, D, AXES);
  if (!mlirValueIsNull(x)) x = tcc_build_reshape(&b, x, 2 + AXES, out);
  return x;
}

MlirLogicalResult tcc_pass_split_pools(TccPassRun *run, MlirOperation module) {
  TccIr *ir = run->ir;
  TCC_EACH_FUNCTION (func, module) {
    for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(func)), next; !mlirOperationIsNull(op); op = next) {
      Window w;
      next = mlirOperationGetNextInBlock(op);
      if (tcc_op_kind(ir, op) != TCC_OP_POOL || !tcc_str_is(tcc_string(ir, op, "kind"), "max") || !read_window(ir, op, &w))
        continue;
      MlirValue made = planes_first(ir, op, &w);
      if (mlirValueIsNull(made)) return mlirLogicalResultFailure();
      tcc_replace_uses(mlirOperationGetResult(op, 0), made);
      tcc_erase(op);
    }
  }
  return mlirLogicalResultSuccess();
}

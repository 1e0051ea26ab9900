/* ops_window.c - ONNX operators with a window over spatial axes: convolutions and pools.
 *
 * auto_pad becomes explicit pads. The pads of tcc ops are numbers; those that SAME_* gives a window with steps over a symbolic
 * size are not, and stand in a pad in front of it. */
#include "lib/frontend/import/fold.h"
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <float.h>
#include <math.h>

enum { MOST_SPATIAL = TCC_MAX_RANK - 2 };
typedef struct {
  int spatial;
  int64_t kernel[MOST_SPATIAL], strides[MOST_SPATIAL], dilations[MOST_SPATIAL], pads[2 * MOST_SPATIAL];
  const TccExpr *ahead[2 * MOST_SPATIAL]; /* pads that only sizes tell, NULL elsewhere; those of `pads` are 0 there */
} Window;

/* SAME_* over a symbolic size: (ceil(size / stride) - 1) * stride + reach - size in all, if that is not negative. */
static void same_pads(ImportCall *c, const TccExpr *size, int64_t stride, int64_t reach, bool upper, const TccExpr **low,
                      const TccExpr **high) {
  TccExprPool *exprs = c->ir->exprs;
  const TccExpr *step = import_size(c, stride), *two = import_size(c, 2), *none = import_size(c, 0);
  const TccExpr *steps = import_size_sub(c, tcc_expr_call(exprs, TCC_EXPR_CEILDIV, size, step), import_size(c, 1));
  const TccExpr *total = import_size_sub(c, import_size_add(c, import_size_mul(c, steps, step), import_size(c, reach)), size);
  if (reach < stride) total = tcc_expr_call(exprs, TCC_EXPR_MAX, total, none);
  const TccExpr *half = tcc_expr_call(exprs, TCC_EXPR_FLOORDIV, total, two), *rest = import_size_sub(c, total, half);
  *low = upper ? half : rest;
  *high = upper ? rest : half;
}

/* x with the pads that only sizes tell, of value. */
static MlirValue with_pads(ImportCall *c, const Window *w, MlirValue x, MlirValue value) {
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  bool any = false;
  for (int i = 0; i < w->spatial + 2; i++) low[i] = high[i] = import_size(c, 0);
  for (int i = 0; i < w->spatial; i++) {
    if (!w->ahead[i]) continue;
    low[i + 2] = w->ahead[i], high[i + 2] = w->ahead[i + w->spatial];
    any = true;
  }
  if (!any || !x.ptr) return x;
  return value.ptr ? tcc_build_pad(&c->b, x, value, low, high, "constant") : value;
}

static MlirValue with_zeros(ImportCall *c, const Window *w, MlirValue x) {
  if (!x.ptr) return x;
  TccElem elem = tcc_value_elem(x);
  return with_pads(c, w, x, tcc_elem_is_float(elem) ? tcc_build_scalar(&c->b, elem, 0) : tcc_build_scalar_i64(&c->b, elem, 0));
}

static bool has_pads_ahead(const Window *w) {
  for (int i = 0; i < w->spatial; i++)
    if (w->ahead[i]) return true;
  return false;
}

/* kernel: NULL to read kernel_shape; transposed: the pads of ConvTranspose's SAME modes are worked out by its caller. */
static bool read_window(ImportCall *c, const ImportShape *x, const ImportShape *weight, bool transposed, Window *out) {
  *out = (Window){.spatial = x->rank - 2};
  if (out->spatial < 1) return import_invalid(c, "the input has rank %d, 3 is the least", x->rank);
  int n = out->spatial;
  if (weight) {
    if (weight->rank != x->rank) return import_invalid(c, "input and weight have ranks %d and %d", x->rank, weight->rank);
    for (int i = 0; i < n; i++)
      if (!import_fix_size(c, weight->dims[i + 2], &out->kernel[i])) return false;
  } else {
    if (!onnx_has_attribute(c, "kernel_shape")) return import_invalid(c, "kernel_shape is missing");
    if (!onnx_int_list(c, "kernel_shape", n, 1, out->kernel)) return false;
  }
  if (!onnx_int_list(c, "strides", n, 1, out->strides) || !onnx_int_list(c, "dilations", n, 1, out->dilations) ||
      !onnx_int_list(c, "pads", 2 * n, 0, out->pads))
    return false;
  for (int i = 0; i < n; i++)
    if (out->strides[i] < 1 || out->dilations[i] < 1 || out->kernel[i] < 1)
      return import_invalid(c, "kernel, strides and dilations must be positive");
  TccStr mode = onnx_string(c, "auto_pad", "NOTSET");
  bool upper = tcc_str_is(mode, "SAME_UPPER");
  if (tcc_str_is(mode, "NOTSET") || mode.length == 0) return true;
  memset(out->pads, 0, sizeof out->pads);
  if (tcc_str_is(mode, "VALID") || transposed) return true;
  if (!upper && !tcc_str_is(mode, "SAME_LOWER")) return import_invalid(c, "auto_pad is '%.*s'", TCC_STR_ARG(mode));
  for (int i = 0; i < n; i++) {
    int64_t size, reach = (out->kernel[i] - 1) * out->dilations[i] + 1;
    int64_t total;
    if (tcc_expr_is_const(x->dims[i + 2], &size))
      total = ((size + out->strides[i] - 1) / out->strides[i] - 1) * out->strides[i] + reach - size;
    else if (out->strides[i] == 1) total = reach - 1;
    else {
      same_pads(c, x->dims[i + 2], out->strides[i], reach, upper, &out->ahead[i], &out->ahead[i + n]);
      continue;
    }
    if (total < 0) total = 0;
    out->pads[i] = upper ? total / 2 : total - total / 2;
    out->pads[i + n] = total - out->pads[i];
  }
  return true;
}

static size_t window_attrs(ImportCall *c, const Window *w, TccNamedAttr *out) {
  size_t n = (size_t)w->spatial;
  out[0] = (TccNamedAttr){"strides", tcc_attr_ints(c->ir, w->strides, n)};
  out[1] = (TccNamedAttr){"pads", tcc_attr_ints(c->ir, w->pads, 2 * n)};
  out[2] = (TccNamedAttr){"dilations", tcc_attr_ints(c->ir, w->dilations, n)};
  return 3;
}

/* The convolution that the node's attributes say; bias may be null. */
static MlirValue convolution(ImportCall *c, MlirValue x, MlirValue w, MlirValue bias) {
  ImportShape image = import_shape(c, x), taps = import_shape(c, w);
  Window window;
  TccNamedAttr attrs[4];
  if (!x.ptr || !w.ptr || !read_window(c, &image, &taps, false, &window)) return (MlirValue){NULL};
  size_t n = window_attrs(c, &window, attrs);
  attrs[n++] = (TccNamedAttr){"groups", tcc_attr_i64(c->ir, onnx_int(c, "group", 1))};
  MlirValue operands[] = {with_zeros(c, &window, x), w, bias};
  return operands[0].ptr ? import_op(c, TCC_OP_CONV, operands, 3, attrs, n) : operands[0];
}

bool onnx_op_conv(ImportCall *c) {
  return import_need(c, 2) &&
         import_output(c, 0,
                       convolution(c, import_input(c, 0), import_without_subnormals(c, import_input(c, 1)), import_input(c, 2)));
}

/* x - its zero point, as i32; the point is a scalar or (by_channel) one a leading channel of x. */
static MlirValue without_zero_point(ImportCall *c, MlirValue x, size_t point, bool by_channel) {
  MlirValue wide = tcc_build_convert(&c->b, x, TCC_ELEM_I32);
  if (!import_has_input(c, point)) return wide;
  MlirValue zero = tcc_build_convert(&c->b, import_input(c, point), TCC_ELEM_I32);
  ImportShape z = import_shape(c, zero), shape = import_shape(c, x);
  if (by_channel && z.rank == 1) {
    for (int i = 1; i < shape.rank; i++) z.dims[z.rank++] = import_size(c, 1);
    zero = tcc_build_reshape(&c->b, zero, z.rank, z.dims);
  }
  return tcc_build2(&c->b, TCC_OP_SUB, wide, zero);
}

/* Inputs x, w, zero points of both: sums of i32. */
bool onnx_op_conv_integer(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue sums = convolution(c, without_zero_point(c, import_input(c, 0), 2, false),
                               without_zero_point(c, import_input(c, 1), 3, true), (MlirValue){NULL});
  return import_output(c, 0, sums);
}

/* Inputs x, scale, zero point; w, scale (one or one a channel), zero point; y's scale and zero point; bias in i32, in steps of x's scale times w's:
 * a convolution of dequantised numbers, as DequantizeLinear in front of a Conv is, for which targets have one of bytes. */
bool onnx_op_qlinear_conv(ImportCall *c) {
  enum { X, X_SCALE, X_ZERO, W, W_SCALE, W_ZERO, Y_SCALE, Y_ZERO, BIAS };
  if (!import_need(c, 8)) return false;
  ImportShape taps = import_shape(c, import_input(c, W));
  MlirValue x_scale = tcc_build_reshape(&c->b, import_input(c, X_SCALE), 0, NULL), bias = import_input(c, BIAS),
            zero = tcc_build_reshape(&c->b, import_input(c, Y_ZERO), 0, NULL);
  if (bias.ptr)
    bias = tcc_build2(&c->b, TCC_OP_MUL, tcc_build_convert(&c->b, bias, TCC_ELEM_F32),
                      tcc_build2(&c->b, TCC_OP_MUL, x_scale, import_input(c, W_SCALE)));
  MlirValue x = onnx_dequantize(c, import_input(c, X), x_scale, tcc_build_reshape(&c->b, import_input(c, X_ZERO), 0, NULL)),
            w = onnx_dequantize(c, import_input(c, W), onnx_spread(c, import_input(c, W_SCALE), &taps, 0, 0),
                                onnx_spread(c, import_input(c, W_ZERO), &taps, 0, 0));
  MlirValue y_scale = tcc_build_reshape(&c->b, import_input(c, Y_SCALE), 0, NULL);
  return import_output(c, 0, onnx_quantize(c, convolution(c, x, w, bias), y_scale, zero, tcc_value_elem(zero), 1));
}

/* Of onnxruntime's ConvTransposeWithDynamicPads: pads as an input, [2 * spatial]. Where they are not known, out_around gets them as sizes, and the window has
 * none. Ignored beside the SAME modes of auto_pad. */
static bool read_pads(ImportCall *c, Window *w, const TccExpr **out_around) {
  enum { PADS = 2 };
  size_t n;
  TccStr mode = onnx_string(c, "auto_pad", "NOTSET");
  if (!import_has_input(c, PADS)) return import_invalid(c, "Pads are missing");
  if (tcc_str_is(mode, "SAME_UPPER") || tcc_str_is(mode, "SAME_LOWER")) return true;
  const TccExpr *const *pads = import_sizes(c, PADS, &n);
  if (!pads) return false;
  if (n != 2 * (size_t)w->spatial) return import_invalid(c, "%zu pads of %d axes", n, w->spatial);
  bool known = true;
  for (size_t i = 0; i < n; i++) {
    if (!import_require_at_most(c, import_size(c, 0), pads[i], "Pads")) return false;
    known &= tcc_expr_is_const(pads[i], &w->pads[i]) && w->pads[i] <= INT32_MAX;
    out_around[i] = pads[i];
  }
  for (size_t i = 0; i < n && known; i++) out_around[i] = NULL;
  if (!known) memset(w->pads, 0, sizeof w->pads);
  return true;
}

/* x without its border, [begins, ends] of its spatial axes, or none where these are null; something must be left. */
static MlirValue without_border(ImportCall *c, MlirValue x, const TccExpr *const *around, int spatial) {
  const TccExpr *one = import_size(c, 1);
  for (int i = 0; x.ptr && i < spatial; i++) {
    const TccExpr *both = around[0] ? import_size_add(c, around[i], around[i + spatial]) : import_size(c, 0),
                  *size = import_shape(c, x).dims[i + 2];
    if (!import_require_at_most(c, import_size_add(c, both, one), size, "Pads")) return (MlirValue){NULL};
    if (around[0]) x = tcc_build_slice_axis(&c->b, x, i + 2, around[i], 1, import_size_sub(c, size, both));
  }
  return x;
}

/* output_shape and the SAME modes give the total padding: stride * (in - 1) + output_padding + reach - out. kind: pads are the third input, the bias is
 * behind it. */
bool onnx_op_conv_transpose(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  const TccExpr *around[2 * MOST_SPATIAL] = {NULL};
  MlirValue operands[] = {import_input(c, 0), import_without_subnormals(c, import_input(c, 1)), import_input(c, c->kind ? 3 : 2)};
  ImportShape x = import_shape(c, operands[0]), w = import_shape(c, operands[1]);
  Window window;
  int64_t extra[MOST_SPATIAL], wanted[MOST_SPATIAL];
  TccNamedAttr attrs[5];
  if (!read_window(c, &x, &w, true, &window) || !onnx_int_list(c, "output_padding", window.spatial, 0, extra)) return false;
  if (c->kind && !read_pads(c, &window, around)) return false;
  TccStr mode = onnx_string(c, "auto_pad", "NOTSET");
  bool upper = tcc_str_is(mode, "SAME_UPPER"), same = upper || tcc_str_is(mode, "SAME_LOWER");
  bool given = onnx_has_attribute(c, "output_shape");
  const int64_t *sizes;
  size_t nsizes;
  if (given) {
    onnx_ints(c, "output_shape", &sizes, &nsizes);
    if (nsizes < (size_t)window.spatial) return import_invalid(c, "output_shape has %zu entries", nsizes);
    for (int i = 0; i < window.spatial; i++) wanted[i] = sizes[nsizes - (size_t)window.spatial + (size_t)i];
  }
  for (int i = 0; (given || same) && i < window.spatial; i++) {
    int64_t size, reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t total = extra[i] + reach - window.strides[i];                 /* SAME: of in * stride, whatever the size */
    if (given && !import_fix_size(c, x.dims[i + 2], &size)) return false; /* pads are numbers */
    if (given) total += window.strides[i] * size - wanted[i];
    if (total < 0) { /* the image is smaller than wanted: rows without any input are added at the end */
      extra[i] -= total;
      total = 0;
    }
    window.pads[i] = upper ? total / 2 : total - total / 2;
    window.pads[i + window.spatial] = total - window.pads[i];
  }
  size_t n = window_attrs(c, &window, attrs);
  attrs[n++] = (TccNamedAttr){"output_padding", tcc_attr_ints(c->ir, extra, (size_t)window.spatial)};
  attrs[n++] = (TccNamedAttr){"groups", tcc_attr_i64(c->ir, onnx_int(c, "group", 1))};
  MlirValue y = import_op(c, TCC_OP_CONV_TRANSPOSE, operands, 3, attrs, n);
  return import_output(c, 0, c->kind ? without_border(c, y, around, window.spatial) : y);
}

/* ---- pools ---- */
static MlirValue pool(ImportCall *c, const char *kind, MlirValue x, const Window *window) {
  TccNamedAttr attrs[8];
  if (!x.ptr) return x;
  size_t n = window_attrs(c, window, attrs);
  attrs[n++] = (TccNamedAttr){"kernel", tcc_attr_ints(c->ir, window->kernel, (size_t)window->spatial)};
  attrs[n++] = (TccNamedAttr){"kind", tcc_attr_str(c->ir, tcc_str(kind))};
  attrs[n++] = (TccNamedAttr){"ceil_mode", tcc_attr_bool(c->ir, onnx_int(c, "ceil_mode", 0) != 0)};
  if (onnx_int(c, "count_include_pad", 0)) attrs[n++] = (TccNamedAttr){"count_include_pad", tcc_attr_bool(c->ir, true)};
  return import_op(c, TCC_OP_POOL, &x, 1, attrs, n);
}

bool onnx_op_average_pool(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  Window window;
  if (!read_window(c, &shape, NULL, false, &window)) return false;
  if (!has_pads_ahead(&window)) return import_output(c, 0, pool(c, "avg", x, &window));
  MlirValue sum = pool(c, onnx_int(c, "count_include_pad", 0) ? "avg" : "sum", with_zeros(c, &window, x), &window);
  if (onnx_int(c, "count_include_pad", 0)) return import_output(c, 0, sum);
  shape.dims[0] = shape.dims[1] = import_size(c, 1); /* by the elements that are none of the pads: a sum of ones */
  MlirValue ones = tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, shape.elem, 1), shape.rank, shape.dims);
  return import_output(c, 0, tcc_build2(&c->b, TCC_OP_DIV, sum, pool(c, "sum", with_zeros(c, &window, ones), &window)));
}

/* The least number of a type, which no maximum is changed by. */
static MlirValue least(ImportCall *c, TccElem elem) {
  if (tcc_elem_is_float(elem)) return tcc_build_scalar(&c->b, elem, -INFINITY);
  return tcc_build_scalar_i64(&c->b, elem, tcc_elem_is_signed(elem) ? INT64_MIN >> (64 - tcc_elem_bits(elem)) : 0);
}

bool onnx_op_max_pool(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  Window window;
  if (!read_window(c, &shape, NULL, false, &window)) return false;
  if (import_has_output(c, 1)) {
    if (has_pads_ahead(&window)) return import_unsupported(c, "indices with auto_pad SAME and a stride over a symbolic size");
    TccNamedAttr attrs[6];
    size_t n = window_attrs(c, &window, attrs);
    attrs[n++] = (TccNamedAttr){"kernel", tcc_attr_ints(c->ir, window.kernel, (size_t)window.spatial)};
    attrs[n++] = (TccNamedAttr){"ceil_mode", tcc_attr_bool(c->ir, onnx_int(c, "ceil_mode", 0) != 0)};
    attrs[n++] = (TccNamedAttr){"column_major", tcc_attr_bool(c->ir, onnx_int(c, "storage_order", 0) != 0)};
    if (!import_output(c, 1, import_op(c, TCC_OP_POOL_INDEX, &x, 1, attrs, n))) return false;
  }
  return import_output(c, 0, pool(c, "max", with_pads(c, &window, x, least(c, shape.elem)), &window));
}

/* ---- MaxpoolWithMask ---- */

/* bool [N, C, spatial] like x, where a mask [n, c, spatial] is not 0. One of a single plane is that of all; of more, onnxruntime's kernel, whose meaning
 * this is, begins to read plane p at element p * size % (n * c). Of images the first element counts as unmasked. */
static MlirValue mask_planes(ImportCall *c, MlirValue mask, const ImportShape *x) {
  ImportShape m = import_shape(c, mask);
  const TccExpr *planes = import_product(c, m.dims, 2), *all = import_product(c, x->dims, 2), *one = import_size(c, 1),
                *size = import_product(c, x->dims + 2, x->rank - 2), *column[] = {all, one},
                *flat = import_size_mul(c, planes, size);
  MlirValue place = import_iota(c, TCC_ELEM_I64, size), zero = tcc_build_scalar_i64(&c->b, tcc_value_elem(mask), 0);
  MlirValue first = tcc_build2(&c->b, TCC_OP_MUL, tcc_build_iota(&c->b, TCC_ELEM_I64, 0, 2, column), tcc_build_size(&c->b, size));
  first = tcc_build2(&c->b, TCC_OP_MOD, first, tcc_build_size(&c->b, planes));
  MlirValue at = tcc_build2(&c->b, TCC_OP_ADD, first, place);
  MlirValue open = tcc_build_compare(&c->b, "ne", tcc_build_gather(&c->b, tcc_build_reshape(&c->b, mask, 1, &flat), at, 0), zero);
  if (x->rank > 3)
    open = tcc_build2(&c->b, TCC_OP_OR, open, tcc_build_compare(&c->b, "eq", place, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0)));
  return tcc_build_reshape(&c->b, open, x->rank, x->dims);
}

/* Windows of x with `around` in place of its pads: [N, C, kernel, out]. */
static MlirValue windows_of(ImportCall *c, const Window *w, MlirValue x, MlirValue around) {
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  const size_t n = (size_t)w->spatial;
  for (int i = 0; i < w->spatial + 2; i++) low[i] = high[i] = import_size(c, 0);
  for (int i = 0; i < w->spatial; i++) {
    low[i + 2] = w->ahead[i] ? w->ahead[i] : import_size(c, w->pads[i]);
    high[i + 2] = w->ahead[i] ? w->ahead[i + w->spatial] : import_size(c, w->pads[i + w->spatial]);
  }
  TccNamedAttr attrs[] = {{"kernel", tcc_attr_ints(c->ir, w->kernel, n)},
                          {"strides", tcc_attr_ints(c->ir, w->strides, n)},
                          {"dilations", tcc_attr_ints(c->ir, w->dilations, n)}};
  x = x.ptr && around.ptr ? tcc_build_pad(&c->b, x, around, low, high, "constant") : (MlirValue){NULL};
  return x.ptr ? import_op(c, TCC_OP_UNFOLD, &x, 1, attrs, 3) : x;
}

/* The largest element of each window up to the first of each of its lines that is masked; the smallest number where there is none. */
bool onnx_op_masked_max_pool(ImportCall *c) {
  enum { MOST_AXES = 3 };
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), mask = import_input(c, 1), lowest = tcc_build_scalar(&c->b, TCC_ELEM_F32, -(double)FLT_MAX);
  ImportShape shape = import_shape(c, x), m = import_shape(c, mask);
  Window window;
  if (shape.elem != TCC_ELEM_F32 || m.elem != TCC_ELEM_I32)
    return import_invalid(c, "X of %s, a mask of %s", tcc_elem_name(shape.elem), tcc_elem_name(m.elem));
  if (!read_window(c, &shape, NULL, false, &window)) return false;
  if (window.spatial > MOST_AXES) return import_unsupported(c, "an input of rank %d", shape.rank);
  const TccExpr *like[TCC_MAX_RANK] = {NULL};
  int64_t axes[MOST_AXES];
  for (int i = 0; i < window.spatial; i++) like[i + 2] = shape.dims[i + 2], axes[i] = i + 2;
  if (!import_require_shape(c, &m, shape.rank, like, "M")) return false;
  MlirValue open = windows_of(c, &window, tcc_build_convert(&c->b, mask_planes(c, mask, &shape), TCC_ELEM_I32),
                              tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, 1));
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("min"))}, {"axis", tcc_attr_i64(c->ir, window.spatial + 1)}};
  MlirValue reached = open.ptr ? import_op(c, TCC_OP_CUMULATIVE, &open, 1, attrs, 2) : open;
  reached = tcc_build_convert(&c->b, reached, TCC_ELEM_BOOL);
  MlirValue seen = tcc_build_select(&c->b, reached, windows_of(c, &window, x, lowest), lowest);
  seen = tcc_build_reduce(&c->b, "max", seen, axes, (size_t)window.spatial, false);
  return import_output(c, 0, tcc_build2(&c->b, TCC_OP_MAX, seen, lowest));
}

static MlirValue power(ImportCall *c, MlirValue x, double exponent) {
  return exponent == 2.0   ? tcc_build2(&c->b, TCC_OP_MUL, x, x)
         : exponent == 0.5 ? tcc_build1(&c->b, TCC_OP_SQRT, x)
         : exponent == 1.0 ? x
                           : tcc_build2_number(&c->b, TCC_OP_POW, x, exponent);
}

/* (sum |x|^p)^(1/p) over a window or over all spatial axes. */
bool onnx_op_lp_pool(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  double p = onnx_call(c)->opset < 2 ? onnx_float(c, "p", 2.0) : (double)onnx_int(c, "p", 2);
  MlirValue powers = power(c, tcc_build1(&c->b, TCC_OP_ABS, import_input(c, 0)), p);
  ImportShape shape = import_shape(c, import_input(c, 0));
  Window window;
  return read_window(c, &shape, NULL, false, &window) &&
         import_output(c, 0, power(c, pool(c, "sum", with_zeros(c, &window, powers), &window), 1 / p));
}

bool onnx_op_global_pool(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  int64_t axes[TCC_MAX_RANK];
  size_t n = 0;
  for (int i = 2; i < shape.rank; i++) axes[n++] = i;
  if (c->kind == GLOBAL_AVERAGE) return import_output(c, 0, tcc_build_mean(&c->b, x, axes, n, true));
  if (c->kind == GLOBAL_MAX) return import_output(c, 0, tcc_build_reduce(&c->b, "max", x, axes, n, true));
  double p = onnx_call(c)->opset < 2 ? onnx_float(c, "p", 2.0) : (double)onnx_int(c, "p", 2);
  MlirValue sum = tcc_build_reduce(&c->b, "sum", power(c, tcc_build1(&c->b, TCC_OP_ABS, x), p), axes, n, true);
  return import_output(c, 0, power(c, sum, 1 / p));
}

/* What a MaxPool of this graph pooled whose flat positions, row by row, these are; null if they are not. */
static MlirValue pooled_from(ImportCall *c, MlirValue places) {
  if (tcc_value_kind(c->ir, places) != TCC_OP_POOL_INDEX) return (MlirValue){NULL};
  MlirOperation op = tcc_value_op(places);
  return tcc_bool(c->ir, op, "column_major") ? (MlirValue){NULL} : mlirOperationGetOperand(op, 0);
}

/* Zeros, with x scattered to the flat positions that MaxPool gave. With an output_shape those of a MaxPool of this graph count in what it pooled;
 * others, as in ONNX's reference, in the least tensor that may have been pooled. A larger output_shape has zeros behind that. */
bool onnx_op_max_unpool(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x), to = shape, places = import_shape(c, import_input(c, 1));
  Window window;
  if (!read_window(c, &shape, NULL, false, &window) || !import_require_shape(c, &places, shape.rank, shape.dims, "indices"))
    return false;
  for (int i = 0; i < window.spatial; i++) {
    const TccExpr *spread =
        import_size_mul(c, import_size_sub(c, shape.dims[i + 2], import_size(c, 1)), import_size(c, window.strides[i]));
    to.dims[i + 2] =
        import_size_add(c, spread, import_size(c, window.kernel[i] - window.pads[i] - window.pads[i + window.spatial]));
  }
  MlirValue pooled = import_has_input(c, 2) ? pooled_from(c, import_input(c, 1)) : (MlirValue){NULL};
  if (pooled.ptr && import_shape(c, pooled).rank == to.rank) {
    ImportShape whole = import_shape(c, pooled);
    for (int i = 0; i < to.rank; i++) to.dims[i] = whole.dims[i];
  }
  const TccExpr *flat = import_product(c, to.dims, to.rank), *from = import_product(c, shape.dims, shape.rank);
  MlirValue operands[] = {tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, shape.elem, 0), 1, &flat),
                          tcc_build_reshape(&c->b, import_index(c, import_input(c, 1)), 1, &from),
                          tcc_build_reshape(&c->b, x, 1, &from)};
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, 0)}};
  size_t n = 1;
  for (int i = 0; i < 3; i++)
    if (!operands[i].ptr) return false;
  if (!import_valid(c, TCC_VALID_UNSIGNED, operands[0], operands[1], 0, 1, attrs, &n)) return false;
  MlirValue y = tcc_build_reshape(&c->b, import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, n), to.rank, to.dims);
  if (!import_has_input(c, 2) || !y.ptr) return import_output(c, 0, y);
  size_t count;
  const TccExpr *const *sizes = import_sizes(c, 2, &count), *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  if (!sizes) return false;
  if (count != (size_t)to.rank) return import_invalid(c, "output_shape has %zu entries", count);
  for (int i = 0; i < to.rank; i++) low[i] = import_size(c, 0), high[i] = import_size_sub(c, sizes[i], to.dims[i]);
  return import_output(c, 0, tcc_build_pad(&c->b, y, (MlirValue){NULL}, low, high, "constant"));
}

/* Sizes that an input of rank 1 tells, `count` of them. */
static bool sizes_of(ImportCall *c, size_t input, int *count, const TccExpr **out) {
  size_t n;
  const TccExpr *const *values = import_sizes(c, input, &n);
  if (!values) return false;
  if (n < 1 || n > IMPORT_MOST_FOLDED || (*count && n != (size_t)*count))
    return import_invalid(c, "input %zu has %zu sizes", input, n);
  *count = (int)n;
  for (size_t i = 0; i < n; i++) out[i] = values[i];
  return true;
}

bool onnx_op_col2im(ImportCall *c) {
  ImportFold f = {0};
  int64_t pads[2 * IMPORT_MOST_FOLDED];
  if (!import_need(c, 3) || !sizes_of(c, 1, &f.axes, f.image) || !sizes_of(c, 2, &f.axes, f.block)) return false;
  if (!onnx_int_list(c, "strides", f.axes, 1, f.strides) || !onnx_int_list(c, "dilations", f.axes, 1, f.dilations) ||
      !onnx_int_list(c, "pads", 2 * f.axes, 0, pads))
    return false;
  for (int d = 0; d < f.axes; d++) f.low[d] = pads[d], f.high[d] = pads[d + f.axes];
  return import_output(c, 0, import_fold(c, import_input(c, 0), &f));
}

/* ---- windows as an axis ---- */

MlirValue onnx_windows(ImportCall *c, MlirValue x, int64_t axis, int64_t size, int64_t step) {
  enum { TO_FRONT = 4 };
  ImportShape s = import_shape(c, x);
  const int64_t kernel[] = {size, 1}, strides[] = {step, 1}, dilations[] = {1, 1}, perm[TO_FRONT] = {0, 2, 3, 1};
  const int behind = s.rank - (int)axis - 1;
  const TccExpr *lead = import_product(c, s.dims, (int)axis), *tail = import_product(c, s.dims + axis + 1, behind);
  const TccExpr *planes[] = {lead, import_size(c, 1), s.dims[axis], tail};
  TccNamedAttr attrs[] = {{"kernel", tcc_attr_ints(c->ir, kernel, 2)},
                          {"strides", tcc_attr_ints(c->ir, strides, 2)},
                          {"dilations", tcc_attr_ints(c->ir, dilations, 2)}};
  x = tcc_build_reshape(&c->b, x, 4, planes);
  if (!x.ptr || !(x = import_op(c, TCC_OP_UNFOLD, &x, 1, attrs, 3)).ptr) return x; /* [lead, 1, size, 1, windows, tail] */
  const TccExpr *count = import_shape(c, x).dims[4], *flat[TO_FRONT] = {lead, import_size(c, size), count, tail};
  s.dims[axis] = count;
  s.dims[s.rank] = flat[1];
  return tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, tcc_build_reshape(&c->b, x, TO_FRONT, flat), perm), s.rank + 1,
                           s.dims);
}

bool onnx_op_unfold_tensor(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  ImportShape s = import_shape(c, import_input(c, 0));
  const int64_t size = onnx_int(c, "size", 0), step = onnx_int(c, "step", 1);
  int64_t axis;
  if (size < 1 || step < 1) return import_invalid(c, "size %lld, step %lld", (long long)size, (long long)step);
  if (s.rank == TCC_MAX_RANK) return import_unsupported(c, "an input of rank %d", s.rank);
  return import_axis(c, onnx_int(c, "dim", -1), s.rank, &axis) &&
         import_require_at_most(c, import_size(c, size), s.dims[axis], "size") &&
         import_output(c, 0, onnx_windows(c, import_input(c, 0), axis, size, step));
}

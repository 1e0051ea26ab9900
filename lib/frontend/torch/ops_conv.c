/* ops_conv.c - convolutions, transposed ones, and their gradients. */
#include "lib/frontend/torch/import_complex.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

enum { MOST_SPATIAL = TCC_MAX_RANK - 2 };
typedef struct {
  int spatial;
  int64_t strides[MOST_SPATIAL], pads[2 * MOST_SPATIAL], dilations[MOST_SPATIAL], extra[MOST_SPATIAL]; /* extra: output_padding */
  int64_t groups;
} Window;

static MlirValue conv(ImportCall *c, const Window *w, MlirValue x, MlirValue weight, MlirValue bias) {
  MlirValue operands[] = {x, weight, bias};
  size_t n = (size_t)w->spatial;
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(c->ir, w->strides, n)},
                          {"pads", tcc_attr_ints(c->ir, w->pads, 2 * n)},
                          {"dilations", tcc_attr_ints(c->ir, w->dilations, n)},
                          {"groups", tcc_attr_i64(c->ir, w->groups)}};
  return x.ptr && weight.ptr ? import_op(c, TCC_OP_CONV, operands, 3, attrs, 4) : (MlirValue){NULL};
}

static MlirValue conv_transpose(ImportCall *c, const Window *w, MlirValue x, MlirValue weight, MlirValue bias) {
  MlirValue operands[] = {x, weight, bias};
  size_t n = (size_t)w->spatial;
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(c->ir, w->strides, n)},
                          {"pads", tcc_attr_ints(c->ir, w->pads, 2 * n)},
                          {"dilations", tcc_attr_ints(c->ir, w->dilations, n)},
                          {"output_padding", tcc_attr_ints(c->ir, w->extra, n)},
                          {"groups", tcc_attr_i64(c->ir, w->groups)}};
  return x.ptr && weight.ptr ? import_op(c, TCC_OP_CONV_TRANSPOSE, operands, 3, attrs, 5) : (MlirValue){NULL};
}

/* stride, padding, dilation, groups; padding may be "valid" or "same", which splits an odd total with the smaller part first. */
static bool read_window(ImportCall *c, const ImportShape *weight, Window *out) {
  *out = (Window){.spatial = weight->rank - 2};
  size_t n = (size_t)out->spatial;
  if (out->spatial < 1) return import_unsupported(c, "a weight of rank %d", weight->rank);
  const TorchParameter *parameter = torch_schema_parameter(&torch_call(c)->schema, tcc_str("padding"));
  bool is_text = parameter && parameter->type == TORCH_PARAMETER_STRING;
  TccStr padding = is_text ? torch_string(c, "padding") : (TccStr){0};
  if (!torch_ints_of(c, "stride", n, NULL, out->strides) || !torch_ints_of(c, "dilation", n, NULL, out->dilations)) return false;
  if (!is_text && !torch_ints_of(c, "padding", n, NULL, out->pads)) return false;
  for (size_t i = 0; i < n; i++) out->pads[i + n] = out->pads[i];
  if (is_text && tcc_str_is(padding, "same")) {
    for (size_t i = 0; i < n; i++) {
      int64_t kernel;
      if (!torch_fixed(c, weight->dims[i + 2], &kernel)) return false;
      int64_t total = (kernel - 1) * out->dilations[i];
      out->pads[i] = total / 2, out->pads[i + n] = total - total / 2;
    }
  } else if (is_text && !tcc_str_is(padding, "valid")) {
    return import_invalid(c, "padding is '%.*s'", TCC_STR_ARG(padding));
  }
  for (size_t i = 0; i < n; i++)
    if (out->strides[i] < 1 || out->dilations[i] < 1) return import_invalid(c, "stride and dilation must be positive");
  out->groups = torch_int(c, "groups");
  return true;
}

/* Where the input has no batch, it gets one of 1, which the result loses again. */
static MlirValue convolved(ImportCall *c, const Window *w, MlirValue x, MlirValue weight, MlirValue bias, bool transposed) {
  bool alone = import_shape(c, x).rank == w->spatial + 1;
  if (alone) x = import_unsqueeze(c, x, 0);
  MlirValue y = transposed ? conv_transpose(c, w, x, weight, bias) : conv(c, w, x, weight, bias);
  return alone && y.ptr ? tcc_build_squeeze(&c->b, y, 0) : y;
}

/* conv1d, conv2d, conv3d; kind: 1 for conv_transpose. convolution has both in `transposed`. */
static bool convolve(ImportCall *c, bool transposed) {
  MlirValue x = torch_tensor(c, "input"), weight = torch_tensor(c, "weight"), bias = torch_optional(c, "bias");
  ImportShape shape = import_shape(c, weight);
  Window w;
  if (!x.ptr || !weight.ptr || !read_window(c, &shape, &w)) return false;
  if (transposed && !torch_ints_of(c, "output_padding", (size_t)w.spatial, NULL, w.extra)) return false;
  return torch_output(c, 0, convolved(c, &w, x, weight, bias, transposed));
}

bool torch_op_conv(ImportCall *c) { return convolve(c, c->kind != 0); }
bool torch_op_convolution(ImportCall *c) { return convolve(c, torch_bool(c, "transposed")); }

/* ---- of complex numbers ---- */
typedef struct {
  Window window;
  bool transposed;
} ComplexConv;

static MlirValue part(ImportCall *c, const void *context, MlirValue x, MlirValue weight) {
  const ComplexConv *of = context;
  return convolved(c, &of->window, x, weight, (MlirValue){NULL}, of->transposed);
}

/* [channels, 1, ...] of a bias. */
static MlirValue along_channels(ImportCall *c, MlirValue bias, int spatial) {
  for (int i = 0; i < spatial && bias.ptr; i++) bias = import_unsqueeze(c, bias, 1);
  return bias;
}

bool torch_complex_conv(ImportCall *c) {
  const TccElem elem = torch_complex_elem(c, 0);
  ComplexConv of = {.transposed = tcc_str_starts(c->op, "aten.conv_transpose")};
  TorchComplex x, weight, bias = {{NULL}, {NULL}};
  if (!torch_complex_operand(c, "input", elem, &x) || !torch_complex_operand(c, "weight", elem, &weight)) return false;
  if (torch_given(c, "bias") && !torch_complex_operand(c, "bias", elem, &bias)) return false;
  const ImportShape shape = import_shape(c, weight.real);
  if (!read_window(c, &shape, &of.window)) return false;
  const int spatial = of.window.spatial;
  if (of.transposed && !torch_ints_of(c, "output_padding", (size_t)spatial, NULL, of.window.extra)) return false;
  TorchComplex y = torch_complex_bilinear(c, part, &of, x, weight);
  if (!bias.real.ptr) return torch_complex_output(c, 0, y);
  bias = (TorchComplex){along_channels(c, bias.real, spatial), along_channels(c, bias.imaginary, spatial)};
  return torch_complex_output(c, 0, torch_complex_sum(c, y, bias));
}

/* ---- gradients ---- */
/* [.., n, ..] with zeros behind, of which the first `size` along the axis are taken. */
static MlirValue first_of_filled(ImportCall *c, MlirValue x, int axis, int64_t zeros, const TccExpr *size) {
  const TccExpr *none = import_size(c, 0), *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  for (int i = 0; i < TCC_MAX_RANK; i++) low[i] = high[i] = none;
  high[axis] = import_size(c, zeros);
  if (zeros > 0 && x.ptr) x = tcc_build_pad(&c->b, x, torch_constant(c, tcc_value_elem(x), 0), low, high, "constant");
  return x.ptr ? tcc_build_slice_axis(&c->b, x, axis, none, 1, size) : x;
}

/* Of conv(x, weight) in x: the transposed convolution, of x's size. How far the last window is from x's end depends on that size: where it is not
 * known, all that windows reach is made, zeros for the rows behind it, and the first rows are x's. */
static MlirValue input_gradient(ImportCall *c, Window w, MlirValue grad, MlirValue weight, const ImportShape *x) {
  ImportShape out = import_shape(c, grad), kernel = import_shape(c, weight);
  int64_t zeros[MOST_SPATIAL];
  for (int i = 0; i < w.spatial; i++) {
    int64_t reach, extra, *end = &w.pads[i + w.spatial];
    if (!torch_fixed(c, kernel.dims[i + 2], &reach)) return (MlirValue){NULL};
    const TccExpr *rows = import_size_mul(c, import_size_sub(c, out.dims[i + 2], import_size(c, 1)), import_size(c, w.strides[i]));
    zeros[i] = -1;
    if (tcc_expr_is_const(import_size_sub(c, x->dims[i + 2], rows), &extra))
      w.extra[i] = extra + w.pads[i] + *end - (reach - 1) * w.dilations[i] - 1;
    else zeros[i] = w.strides[i] - 1 > *end ? w.strides[i] - 1 - *end : 0, *end = 0;
  }
  MlirValue dx = conv_transpose(c, &w, grad, weight, (MlirValue){NULL});
  for (int i = 0; i < w.spatial; i++)
    if (zeros[i] >= 0) dx = first_of_filled(c, dx, i + 2, zeros[i], x->dims[i + 2]);
  return dx;
}

/* Of conv(x, weight) in weight. */
static MlirValue weight_gradient(ImportCall *c, const Window *w, MlirValue x, MlirValue grad, const ImportShape *weight) {
  int64_t kernel[TCC_MAX_RANK];
  for (int i = 0; i < w->spatial; i++)
    if (!torch_fixed(c, weight->dims[i + 2], &kernel[i])) return (MlirValue){NULL};
  size_t n = (size_t)w->spatial;
  TccNamedAttr attrs[] = {{"kernel", tcc_attr_ints(c->ir, kernel, n)},
                          {"strides", tcc_attr_ints(c->ir, w->strides, n)},
                          {"pads", tcc_attr_ints(c->ir, w->pads, 2 * n)},
                          {"dilations", tcc_attr_ints(c->ir, w->dilations, n)},
                          {"groups", tcc_attr_i64(c->ir, w->groups)}};
  MlirValue operands[] = {x, grad};
  return x.ptr && grad.ptr ? import_op(c, TCC_OP_CONV_FILTER_GRAD, operands, 2, attrs, 5) : (MlirValue){NULL};
}

bool torch_op_convolution_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_output"), x = torch_tensor(c, "input"), weight = torch_tensor(c, "weight");
  ImportShape xs = import_shape(c, x), ws = import_shape(c, weight), gs = import_shape(c, grad);
  const bool *mask;
  size_t nmask;
  Window w;
  if (!grad.ptr || !x.ptr || !weight.ptr || !torch_bools(c, "output_mask", &mask, &nmask) || nmask != 3) return false;
  if (xs.rank != ws.rank) return import_unsupported(c, "an input without a batch");
  if (!read_window(c, &ws, &w)) return false;
  bool transposed = torch_bool(c, "transposed");
  if (transposed && !torch_ints_of(c, "output_padding", (size_t)w.spatial, NULL, w.extra)) return false;
  for (int i = 0; i < w.spatial; i++) w.pads[w.spatial + i] -= w.extra[i]; /* behind the last window */
  if (mask[0]) {
    MlirValue dx = transposed ? conv(c, &w, grad, weight, (MlirValue){NULL}) : input_gradient(c, w, grad, weight, &xs);
    if (!torch_output(c, 0, dx)) return false;
  }
  if (mask[1]) {
    MlirValue dw = transposed ? weight_gradient(c, &w, grad, x, &ws) : weight_gradient(c, &w, x, grad, &ws);
    if (!torch_output(c, 1, dw)) return false;
  }
  if (mask[2]) {
    int64_t axes[TCC_MAX_RANK];
    size_t n = torch_other_axes(gs.rank, 1, axes);
    MlirValue sum = torch_sum(c, torch_convert(c, grad, torch_wide(gs.elem)), axes, n, false);
    if (!torch_output(c, 2, torch_convert(c, sum, gs.elem))) return false;
  }
  return true;
}

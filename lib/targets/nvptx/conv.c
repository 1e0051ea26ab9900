/* conv.c - convolutions and their adjoints, any number of spatial axes, groups, dilations.
 *
 * As an implicit product: rows are output channels of a group, columns output positions, the depth runs over channels and places of the
 * window, one batch entry is an image and a group; an element of the image is looked up where the product asks for it, and is zero in the
 * padding. Few output channels a group (depthwise ones) would leave most of a tile empty: there each thread sums one output. */
#include "lib/codegen/read/kernel.h"
#include "lib/targets/nvptx/operand.h"
#include "lib/targets/nvptx/product.h"

enum { FEW_ROWS = 8, DIRECT_THREADS = 256 };

typedef struct {
  TccIr *ir;
  MlirOperation op;
  bool transposed, has_bias;
  int rank;                                  /* spatial axes */
  int64_t groups, in_channels, out_channels; /* channels of one group */
  int64_t kernel[TCC_MAX_RANK];
  const int64_t *strides, *pads, *dilations;
  NvptxOperand x, w, bias;
  NvptxResult result;
  NvptxProduct product;
  NvptxKernel n;
} Conv;

/* ---- reading ---- */

static TccStatus *read_window(Conv *c) {
  MlirType w = c->w.type;
  int64_t w0, w1;
  size_t n;
  if (c->rank < 1 || !tcc_type_is_static(w)) return TCC_ERROR(TCC_UNSUPPORTED, "convolution weights of dynamic shape");
  if (!tcc_get_ints(c->ir, c->op, "strides", &c->strides, &n) || !tcc_get_ints(c->ir, c->op, "pads", &c->pads, &n) ||
      !tcc_get_ints(c->ir, c->op, "dilations", &c->dilations, &n))
    return TCC_ERROR(TCC_INVALID, "a convolution without its window");
  c->groups = tcc_i64(c->ir, c->op, "groups");
  tcc_expr_is_const(tcc_type_dim(c->ir, w, 0), &w0), tcc_expr_is_const(tcc_type_dim(c->ir, w, 1), &w1);
  c->in_channels = c->transposed ? w0 / c->groups : w1;
  c->out_channels = c->transposed ? w1 : w0 / c->groups;
  for (int i = 0; i < c->rank; i++) tcc_expr_is_const(tcc_type_dim(c->ir, w, i + 2), &c->kernel[i]);
  return NULL;
}

static TccStatus *read_conv(Conv *c, TccIr *ir, MlirOperation kernel) {
  c->ir = ir;
  c->op = tcc_read_find(ir, kernel, TCC_OP_CONV);
  c->transposed = mlirOperationIsNull(c->op);
  if (c->transposed) c->op = tcc_read_find(ir, kernel, TCC_OP_CONV_TRANSPOSE);
  if (mlirOperationIsNull(c->op)) return TCC_ERROR(TCC_UNSUPPORTED, "no convolution in a conv kernel");
  TCC_TRY(nvptx_operand_read(ir, kernel, mlirOperationGetOperand(c->op, 0), &c->x));
  TCC_TRY(nvptx_operand_read(ir, kernel, mlirOperationGetOperand(c->op, 1), &c->w));
  c->has_bias = mlirOperationGetNumOperands(c->op) > 2 && !tcc_value_is_none(ir, mlirOperationGetOperand(c->op, 2));
  if (c->has_bias) TCC_TRY(nvptx_operand_read(ir, kernel, mlirOperationGetOperand(c->op, 2), &c->bias));
  TCC_TRY(nvptx_result_read(ir, kernel, c->op, &c->result));
  c->rank = tcc_type_rank(c->x.type) - 2;
  TccElem elem = tcc_type_elem(c->result.type);
  c->product.acc = tcc_elem_accumulator(elem);
  if (!tcc_elem_computes(c->product.acc) || c->product.acc == TCC_ELEM_BOOL)
    return TCC_ERROR(TCC_UNSUPPORTED, "a convolution of %s", tcc_elem_name(elem));
  nvptx_product_elem(&c->product, kernel, tcc_type_elem(c->x.type), tcc_type_elem(c->w.type));
  return read_window(c);
}

/* ---- elements ---- */

static TccVal i64(Conv *c, int64_t v) { return tcc_emit_i64(&c->n.e, v); }

static TccVal both(Conv *c, TccVal a, TccVal b) { return a && b ? tcc_emit_bin(&c->n.e, "and", "i1", a, b) : a ? a : b; }

/* The input coordinate that output coordinate `at` meets at place `tap` of the window along an axis; *inside: it exists. */
static TccVal input_coordinate(Conv *c, int axis, TccVal at, TccVal tap, TccVal *inside) {
  TccEmit *t = &c->n.e;
  TccVal size = tcc_kernel_size(&c->n.k, tcc_type_dim(c->ir, c->x.type, axis + 2)),
         moved = tcc_emit_mul(t, tap, i64(c, c->dilations[axis]));
  if (!c->transposed) {
    TccVal in = tcc_emit_sub(t, tcc_emit_add(t, tcc_emit_mul(t, at, i64(c, c->strides[axis])), moved), i64(c, c->pads[axis]));
    bool always = c->kernel[axis] == 1 && c->pads[axis] == 0 && c->pads[c->rank + axis] == 0;
    if (!always) *inside = both(c, *inside, tcc_emit_icmp(t, "ult", "i64", in, size));
    return in;
  }
  TccVal in = tcc_emit_sub(t, tcc_emit_add(t, at, i64(c, c->pads[axis])), moved), stride = i64(c, c->strides[axis]);
  *inside = both(c, *inside, tcc_emit_icmp(t, "sge", "i64", in, i64(c, 0)));
  if (c->strides[axis] > 1) {
    *inside = both(c, *inside, tcc_emit_icmp(t, "eq", "i64", tcc_emit_rem(t, in, stride), i64(c, 0)));
    in = tcc_emit_div(t, in, stride);
  }
  *inside = both(c, *inside, tcc_emit_icmp(t, "ult", "i64", in, size)); /* a negative one is large as unsigned */
  return in;
}

static TccStatus *image_element(Conv *c, TccVal image, TccVal channel, const TccVal *at, const TccVal *tap, TccVal *out) {
  TccVal index[TCC_MAX_RANK] = {image, channel}, inside = 0;
  for (int i = 0; i < c->rank; i++) index[i + 2] = input_coordinate(c, i, at[i], tap[i], &inside);
  return nvptx_operand_inside(&c->x, inside, index, c->product.elem, out);
}

/* in: channel of the image, in the group; to: output channel, in the group. */
static TccStatus *weight_element(Conv *c, TccVal group, TccVal in, TccVal to, const TccVal *tap, TccVal *out) {
  TccEmit *t = &c->n.e;
  TccVal index[TCC_MAX_RANK];
  TccVal first = tcc_emit_mul(t, group, i64(c, c->transposed ? c->in_channels : c->out_channels));
  index[0] = tcc_emit_add(t, first, c->transposed ? in : to), index[1] = c->transposed ? to : in;
  for (int i = 0; i < c->rank; i++) index[i + 2] = tap[i];
  return nvptx_operand_at(&c->w, index, c->product.elem, out);
}

static void coordinates(Conv *c, TccVal position, TccVal *out) {
  const TccExpr *sizes[TCC_MAX_RANK] = {0};
  for (int i = 0; i < c->rank; i++) sizes[i] = tcc_type_dim(c->ir, c->result.type, i + 2);
  nvptx_take_apart(&c->n.k, sizes, c->rank, position, out);
}

/* place[0]: channel; then the window's. */
static void take_depth(Conv *c, TccVal k, TccVal *place) {
  const TccExpr *sizes[TCC_MAX_RANK] = {tcc_expr_const(c->ir->exprs, c->in_channels)};
  for (int i = 0; i < c->rank; i++) sizes[i + 1] = tcc_expr_const(c->ir->exprs, c->kernel[i]);
  nvptx_take_apart(&c->n.k, sizes, c->rank + 1, k, place);
}

static TccStatus *write_output(Conv *c, TccVal image, TccVal channel, TccVal position, TccVal sum) {
  TccElem acc = c->product.acc;
  TccVal bias;
  if (c->has_bias) {
    TCC_TRY(nvptx_operand_at(&c->bias, &channel, acc, &bias));
    sum = tcc_emit_bin(&c->n.e, tcc_elem_is_float(acc) ? "fadd" : "add", tcc_scalar_type(acc), sum, bias);
  }
  nvptx_result_set_axes(&c->result, 0, 1, image);
  nvptx_result_set_axes(&c->result, 1, 1, channel);
  nvptx_result_set_axes(&c->result, 2, c->rank, position);
  return nvptx_result_store(&c->result, acc, sum);
}

/* ---- as a product ---- */

static TccStatus *read_element(void *user, int side, TccVal batch, TccVal at, TccVal k, TccVal *out) {
  Conv *c = user;
  TccEmit *t = &c->n.e;
  TccVal groups = i64(c, c->groups), image = tcc_emit_div(t, batch, groups), group = tcc_emit_rem(t, batch, groups);
  TccVal place[TCC_MAX_RANK], o[TCC_MAX_RANK];
  take_depth(c, k, place);
  if (side == 0) return weight_element(c, group, place[0], at, place + 1, out);
  coordinates(c, at, o);
  TccVal channel = tcc_emit_add(t, tcc_emit_mul(t, group, i64(c, c->in_channels)), place[0]);
  return image_element(c, image, channel, o, place + 1, out);
}

static TccStatus *write_result(void *user, TccVal batch, TccVal row, TccVal column, TccVal sum) {
  Conv *c = user;
  TccEmit *t = &c->n.e;
  TccVal groups = i64(c, c->groups), group = tcc_emit_rem(t, batch, groups);
  TccVal channel = tcc_emit_add(t, tcc_emit_mul(t, group, i64(c, c->out_channels)), row);
  return write_output(c, tcc_emit_div(t, batch, groups), channel, column, sum);
}

static const TccExpr *positions(Conv *c) {
  const TccExpr *count = tcc_expr_const(c->ir->exprs, 1);
  for (int i = 0; i < c->rank; i++) count = tcc_expr_mul(c->ir->exprs, count, tcc_type_dim(c->ir, c->result.type, i + 2));
  return count;
}

static int64_t depth_of(const Conv *c) {
  int64_t depth = c->in_channels;
  for (int i = 0; i < c->rank; i++) depth *= c->kernel[i];
  return depth;
}

static void set_product(Conv *c) {
  TccExprPool *exprs = c->ir->exprs;
  NvptxProduct *p = &c->product;
  p->batch = tcc_expr_mul(exprs, tcc_type_dim(c->ir, c->result.type, 0), tcc_expr_const(exprs, c->groups));
  p->rows = tcc_expr_const(exprs, c->out_channels), p->columns = positions(c), p->depth = tcc_expr_const(exprs, depth_of(c));
  p->along_depth[0] = nvptx_operand_inner_axis(c->ir, &c->w) != (c->transposed ? 1 : 0);
  p->read = read_element, p->write = write_result, p->user = c;
}

/* ---- one thread for each output ---- */

static TccStatus *emit_direct(Conv *c, NvptxProductLaunch *out) {
  TccEmit *t = &c->n.e;
  TccExprPool *exprs = c->ir->exprs;
  const char *type = tcc_scalar_type(c->product.acc);
  bool f = tcc_elem_is_float(c->product.acc);
  const TccExpr *sizes[3] = {tcc_type_dim(c->ir, c->result.type, 0), tcc_expr_const(exprs, c->groups * c->out_channels),
                             positions(c)},
                *count = tcc_expr_mul(exprs, sizes[0], tcc_expr_mul(exprs, sizes[1], sizes[2]));
  TccVal thread = nvptx_global_thread(&c->n, DIRECT_THREADS), at[3], o[TCC_MAX_RANK], place[TCC_MAX_RANK], x, w;
  TccIf inside;
  TccLoop depth;
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", thread, tcc_kernel_size(&c->n.k, count)), 0, NULL);
  nvptx_take_apart(&c->n.k, sizes, 3, thread, at);
  coordinates(c, at[2], o);
  TccVal group = tcc_emit_div(t, at[1], i64(c, c->out_channels)), row = tcc_emit_rem(t, at[1], i64(c, c->out_channels));
  TccVal zero = tcc_emit_zero(t, type), first = tcc_emit_mul(t, group, i64(c, c->in_channels));
  tcc_emit_for(t, &depth, i64(c, 0), i64(c, depth_of(c)), 1, 1, &zero, &type);
  take_depth(c, depth.iv, place);
  TCC_TRY(image_element(c, at[0], tcc_emit_add(t, first, place[0]), o, place + 1, &x));
  TCC_TRY(weight_element(c, group, place[0], row, place + 1, &w));
  x = tcc_scalar_convert(t, c->product.elem, c->product.acc, 1, x),
  w = tcc_scalar_convert(t, c->product.elem, c->product.acc, 1, w);
  TccVal sum =
      f ? tcc_emit_fma(t, type, x, w, depth.in[0]) : tcc_emit_bin(t, "add", type, depth.in[0], tcc_emit_bin(t, "mul", type, x, w));
  tcc_emit_end_for(t, &depth, &sum);
  TCC_TRY(write_output(c, at[0], at[1], at[2], depth.out[0]));
  tcc_emit_end_if(t, &inside, NULL);
  *out = (NvptxProductLaunch){nvptx_blocks(c->ir, count, DIRECT_THREADS), DIRECT_THREADS, 0, "direct"};
  return NULL;
}

TccStatus *nvptx_conv(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Conv *c = TCC_NEW(ir->arena, Conv);
  NvptxProductLaunch launch = {0};
  TCC_TRY(read_conv(c, ir, kernel));
  bool direct = c->out_channels <= FEW_ROWS;
  if (!direct) set_product(c);
  nvptx_open_with(&c->n, ir, target, kernel, NULL, 0, direct ? NULL : nvptx_product_parts(&target->machine, ir, &c->product));
  nvptx_operand_begin(&c->x, &c->n), nvptx_operand_begin(&c->w, &c->n);
  if (c->has_bias) nvptx_operand_begin(&c->bias, &c->n);
  nvptx_result_begin(&c->result, &c->n);
  TccStatus *status = direct ? emit_direct(c, &launch) : nvptx_product_emit(&c->n, &c->product, &launch);
  if (status) {
    nvptx_abandon(&c->n);
    return status;
  }
  return nvptx_close(&c->n, "nvptx.conv", launch.schedule, launch.blocks, launch.threads, launch.shared, out);
}

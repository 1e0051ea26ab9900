/* conv_lowered.c - which convolutions of dequantised bytes are faster in bytes (tcc-lower-qdq): those of which blocks of channels can be made
 * (block_layout_conv.c) whose products are of whole words, and whose few channels tile registers take. Without vpdpbusd a step of k is two products of bytes in
 * 16 bits, by vpmaddwd, which never saturates; those whose cycles are fewer than in f32. */
#include "lib/targets/x86/conv/conv_winograd.h"
#include "tcc/codegen.h"

enum { WIDEST = 7 /* window of one channel a group */ };

/* Whether tile registers take the few channels of an image of bytes. */
static bool takes_few_channels(const TccMachine *machine, TccIr *ir, MlirOperation op, int64_t channels, int64_t columns) {
  const int64_t *dilations;
  size_t n;
  if (!tcc_get_ints(ir, op, "dilations", &dilations, &n) || n != 2) return false;
  TccConvShape shape = {.bytes = true,
                        .plain = true,
                        .channels = channels,
                        .groups = 1,
                        .lanes = 1,
                        .kernel = {1, columns},
                        .dilation = {1, dilations[1]}};
  return tcc_conv_joined(machine, &shape) != 0;
}

static bool static_dim(TccIr *ir, MlirType type, int axis, int64_t *out) {
  const TccExpr *size = tcc_type_dim(ir, type, axis);
  return size && tcc_expr_is_const(size, out);
}

/* ---- bytes in 16 bits ---- */

static bool likely_dim(TccIr *ir, MlirType type, int axis, bool *dynamic, int64_t *out) {
  const TccExpr *size = tcc_type_dim(ir, type, axis);
  if (!size) return false;
  if (tcc_expr_is_const(size, out)) return *out >= 1;
  *dynamic = true, *out = tcc_ir_likely(ir, size);
  return true;
}

static bool read_shape(const TccMachine *machine, TccIr *ir, MlirOperation op, TccConvShape *s, int64_t *images) {
  MlirType xt = tcc_value_type(mlirOperationGetOperand(op, 0)), wt = tcc_value_type(mlirOperationGetOperand(op, 1)),
           rt = tcc_value_type(mlirOperationGetResult(op, 0));
  const int64_t *strides, *pads, *dilations;
  size_t n;
  bool any_images = false;
  *s = (TccConvShape){.groups = 1};
  tcc_conv_machine(machine, s);
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || n != 2 || !tcc_get_ints(ir, op, "pads", &pads, &n) || n != 4 ||
      !tcc_get_ints(ir, op, "dilations", &dilations, &n) || n != 2)
    return false;
  if (!static_dim(ir, xt, 1, &s->channels) || !static_dim(ir, wt, 0, &s->out_channels) ||
      !likely_dim(ir, xt, 0, &any_images, images))
    return false;
  for (int i = 0; i < 2; i++) {
    if (!likely_dim(ir, xt, i + 2, &s->dynamic, &s->in[i]) || !likely_dim(ir, rt, i + 2, &s->dynamic, &s->out[i]) ||
        !static_dim(ir, wt, i + 2, &s->kernel[i]))
      return false;
    s->stride[i] = strides[i], s->pad[i] = pads[i], s->pad_end[i] = pads[i + 2], s->dilation[i] = dilations[i];
  }
  return true;
}

/* Cycles of sums of all of the depth, one by one: products, and weights from beyond the second cache where they do not stay there. */
static double direct_cycles(const TccConvShape *s, int64_t images) {
  enum { TILE_CYCLES = 60, L3_BYTES = 10, L2_BYTES = 20 /* a cycle */ };
  TccConvPlan p;
  tcc_conv_plan(s, 0, &p);
  int64_t width = s->out[1] < 1 ? 1 : s->out[1], across = tcc_ceil_div(width, p.pixels), taps = s->kernel[0] * s->kernel[1];
  double used = (double)width / (double)across, steps = (double)(taps * tcc_conv_words(s) * tcc_conv_depth(s)),
         weights = (double)(taps * s->channels * p.panels * p.vectors * s->lanes * (s->bytes ? 1 : 4));
  double tile = tcc_conv_step_cycles(s, p.pixels, p.vectors, used) * steps + TILE_CYCLES;
  return (double)(images * s->out[0] * across * p.panels) * tile +
         weights / (weights > (double)s->l2_bytes / 2 ? L3_BYTES : L2_BYTES);
}

/* Two products an instruction, but an addition beside it, and a quarter of the weights: where vectors of 512 bits leave two ports for all of these only
 * the weights are less. Fewer products of floats, as Winograd's filtering has them, may be faster. */
static bool is_faster_widened(const TccMachine *machine, TccIr *ir, MlirOperation op) {
  TccConvShape s;
  TccWinogradPlan plan = {.m = 1};
  int64_t images;
  MlirOperation module = op;
  for (MlirOperation up = op; !mlirOperationIsNull(up); up = mlirOperationGetParentOperation(up)) module = up;
  if (!read_shape(machine, ir, op, &s, &images)) return false;
  if (tcc_numerics(module) == TCC_NUMERICS_FAST) tcc_winograd_plan(&s, images, 0, 0, &plan);
  double floats = plan.m > 1 ? tcc_winograd_cycles(&s, images, &plan) : direct_cycles(&s, images);
  s.bytes = s.wide = true;
  return direct_cycles(&s, images) < floats;
}

bool tcc_conv_is_lowered(const TccMachine *machine, TccIr *ir, MlirOperation op) {
  MlirType xt = tcc_value_type(mlirOperationGetOperand(op, 0)), wt = tcc_value_type(mlirOperationGetOperand(op, 1));
  TccConvShape shape = {0};
  int64_t channels, filters, columns, groups = tcc_i64(ir, op, "groups");
  if (!tcc_conv_takes_bytes(machine) || !static_dim(ir, xt, 1, &channels) || !static_dim(ir, wt, 0, &filters) ||
      !static_dim(ir, wt, 3, &columns))
    return false;
  tcc_conv_machine(machine, &shape);
  if (tcc_conv_widens_bytes(machine))
    return groups == 1 && channels >= shape.lanes && filters * 2 >= shape.lanes && is_faster_widened(machine, ir, op);
  if (groups > 1) return channels == groups && filters == groups && channels * 2 >= shape.lanes && columns <= WIDEST;
  return groups == 1 && (channels >= shape.lanes || takes_few_channels(machine, ir, op, channels, columns)) &&
         filters * 2 >= shape.lanes;
}

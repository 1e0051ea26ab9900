/* conv_lowered.c - which convolutions of dequantised bytes are faster in bytes (tcc-lower-qdq): those of which blocks of channels can be made
 * (block_layout_conv.c) whose products are of whole words, and whose few channels tile registers take. */
#include "lib/targets/x86/conv/conv_plan.h"
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

bool tcc_conv_is_lowered(const TccMachine *machine, TccIr *ir, MlirOperation op) {
  MlirType xt = tcc_value_type(mlirOperationGetOperand(op, 0)), wt = tcc_value_type(mlirOperationGetOperand(op, 1));
  TccConvShape shape = {0};
  int64_t channels, filters, columns, groups = tcc_i64(ir, op, "groups");
  if (!tcc_conv_takes_bytes(machine) || !static_dim(ir, xt, 1, &channels) || !static_dim(ir, wt, 0, &filters) ||
      !static_dim(ir, wt, 3, &columns))
    return false;
  tcc_conv_machine(machine, &shape);
  if (groups > 1) return channels == groups && filters == groups && channels * 2 >= shape.lanes && columns <= WIDEST;
  return groups == 1 && (channels >= shape.lanes || takes_few_channels(machine, ir, op, channels, columns)) &&
         filters * 2 >= shape.lanes;
}

/* conv_blocked.c - reads a kernel around one conv_blocked and emits it. See conv_blocked.h.
 *
 * A tile of work is an output row of one image and all panels, or some rows of one panel (conv_plan.h). What of one image
 * (and panel) falls to one thread is walked together, some rows at once: blocks of input channels, panels, rows, tiles of
 * pixels, in this order; with several blocks of channels the sums wait in scratch. While tiles use one block of large weights,
 * each fetches its share of the next into the second cache. Widths are cut into tiles that differ by one pixel at most, so that
 * two bodies serve any width. A plain image is copied row by row into scratch first, with its padding. */
#include "lib/codegen/conv_blocked.h"
#include "lib/codegen/conv_schedule.h"
#include "lib/codegen/scalar.h"

/* ---- reading ---- */

static bool plain_axis(const TccViewAxis *axis, int64_t *out) {
  return axis->n == 1 && tcc_expr_is_const(axis->stride[0], out);
}

static TccStatus *read_tensors(TccConvBlocked *c) {
  TccIr *ir = c->ir;
  for (int i = 0; i < 5; i++) {
    const TccViewAxis *axes[TCC_CONV_TENSORS] = {0};
    tcc_epilogue_axes(ir, &c->epilogue, i, 0, axes);
    for (int t = 0; t <= c->epilogue.nleaves; t++) {
      int64_t stride = 0;
      if (axes[t] && !plain_axis(axes[t], &stride)) return TCC_ERROR(TCC_UNSUPPORTED, "an operand of a blocked convolution's epilogue is a joined view");
      if (i == 2 || i == 3) stride *= c->phases[i - 2];
      int64_t *at[] = {&c->at[t].image, &c->at[t].block, &c->at[t].row, &c->at[t].pixel, &c->at[t].lane};
      *at[i] = stride;
    }
  }
  for (int t = 0; t <= c->epilogue.nleaves; t++)
    if (c->at[t].lane != 1 && (t == 0 || c->at[t].lane != 0)) return TCC_ERROR(TCC_UNSUPPORTED, "an operand of a blocked convolution's epilogue is not blocked");
  return NULL;
}

TccStatus *tcc_conv_blocked_read(TccConvBlocked *c, const TccMachine *machine, MlirOperation kernel) {
  TccIr *ir = c->ir;
  TccConvShape *s = &c->shape;
  tcc_conv_machine(machine, s);
  MlirValue x = mlirOperationGetOperand(c->op, 0), w = mlirOperationGetOperand(c->op, 1), bias = mlirOperationGetOperand(c->op, 2), r = mlirOperationGetResult(c->op, 0);
  MlirType xt = tcc_value_type(x), wt = tcc_value_type(w), rt = tcc_value_type(r);
  if (tcc_type_elem(xt) != TCC_ELEM_F32 || tcc_i64(ir, c->op, "lanes") != s->lanes) return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution of another type than f32 or of other lanes than the machine's");
  const int64_t *strides, *pads, *dilations;
  size_t n;
  if (!tcc_get_ints(ir, c->op, "strides", &strides, &n) || !tcc_get_ints(ir, c->op, "pads", &pads, &n) || !tcc_get_ints(ir, c->op, "dilations", &dilations, &n))
    return TCC_ERROR(TCC_INVALID, "a convolution without its window");
  s->plain = tcc_type_rank(xt) == 4, s->depthwise = tcc_type_rank(wt) == 4;
  s->channels = tcc_i64(ir, c->op, "channels"), s->out_channels = tcc_i64(ir, c->op, "out_channels"), s->groups = tcc_i64(ir, c->op, "groups");
  c->images = tcc_type_dim(ir, xt, 0);
  c->phases[0] = tcc_i64(ir, c->op, "phases_h"), c->phases[1] = tcc_i64(ir, c->op, "phases_w"), s->phases = c->phases[0] * c->phases[1];
  for (int i = 0; i < 2; i++) {
    s->stride[i] = strides[i], s->pad[i] = pads[i], s->dilation[i] = dilations[i];
    if (!tcc_expr_is_const(tcc_type_dim(ir, xt, i + 2), &s->in[i]) || !tcc_expr_is_const(tcc_type_dim(ir, rt, i + 2), &s->out[i]) ||
        !tcc_expr_is_const(tcc_type_dim(ir, wt, i + (s->depthwise ? 1 : 2)), &s->kernel[i]))
      return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution of dynamic image size");
    s->out[i] /= c->phases[i];
  }
  int64_t columns = s->lanes;
  if (!s->depthwise && (!tcc_expr_is_const(tcc_type_dim(ir, wt, 5), &columns) || columns / s->lanes > 8)) return TCC_ERROR(TCC_UNSUPPORTED, "panels of more than 8 vectors");
  if (s->depthwise && s->kernel[1] > 7) return TCC_ERROR(TCC_UNSUPPORTED, "a window of more than 7 columns");
  tcc_conv_plan(s, (int)(columns / s->lanes), &c->plan);
  TCC_TRY(tcc_conv_obey(kernel, s, c->plan.vectors, &c->plan));
  c->out_blocks = (s->out_channels + s->lanes - 1) / s->lanes;
  c->blocks = s->plain ? s->channels : (s->channels / s->groups + s->lanes - 1) / s->lanes;
  if (c->plan.ahead && s->channels / s->groups % s->lanes == 0) {
    int64_t calls = s->out[0] * ((s->out[1] + c->plan.pixels - 1) / c->plan.pixels), lines = TCC_CONV_UNROLL * columns / TCC_CONV_LINE;
    c->ahead = calls > 0 ? (lines + calls - 1) / calls : 0;
  }
  if (!tcc_view_of(ir, x, &c->x) || !tcc_view_of(ir, w, &c->w)) return TCC_ERROR(TCC_UNSUPPORTED, "an operand of a blocked convolution is no buffer");
  c->has_bias = !tcc_value_is_none(ir, bias);
  if (c->has_bias && !tcc_view_of(ir, bias, &c->bias)) return TCC_ERROR(TCC_UNSUPPORTED, "the bias of a blocked convolution is no buffer");
  int64_t *strides_of_x[] = {&c->x_image, &c->x_block, &c->x_row, &c->x_pixel}, width = s->in[1], lane = 1;
  for (int i = 0; i < 4; i++)
    if (!plain_axis(&c->x.axis[i], strides_of_x[i])) return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution reads a joined view");
  if (!s->plain && !plain_axis(&c->x.axis[4], &lane)) return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution reads a joined view");
  if (lane != 1 || (s->plain && c->x_pixel != 1)) return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution whose input is not blocked");
  if (s->plain) {
    int64_t need = (s->out[1] - 1) * s->stride[1] + (s->kernel[1] - 1) * s->dilation[1] + 1, have = s->pad[1] + width;
    c->copy_width = ((need > have ? need : have) + 2 * s->lanes - 1) / s->lanes * s->lanes; /* a vector of slack */
    c->copy_rows = (c->plan.rows - 1) * s->stride[0] + (s->kernel[0] - 1) * s->dilation[0] + 1;
  }
  TCC_TRY(tcc_epilogue_read(ir, kernel, r, &c->epilogue));
  return read_tensors(c);
}

/* Tiles of the width: T = ceil(width / pixels), the first width % T of them one pixel wider. */
static int cut_width(const TccConvBlocked *c, TccConvGroup *out) {
  int64_t width = c->shape.out[1], tiles = (width + c->plan.pixels - 1) / c->plan.pixels, low = width / tiles, wide = width % tiles;
  int n = 0;
  if (wide) out[n++] = (TccConvGroup){(int)low + 1, 0, wide * (low + 1)};
  if (tiles > wide) out[n++] = (TccConvGroup){(int)low, wide * (low + 1), width};
  return n;
}

/* ---- the padded copy of a plain image: copy(to, from, first row) ---- */

static const char *const copy_types[] = {TCC_PTR, TCC_PTR, "i64"};

static void emit_copy(TccConvBlocked *c) {
  TccEmit *e = c->k->e;
  const TccConvShape *s = &c->shape;
  int lanes = s->lanes;
  TccVal arg[3], zero;
  tcc_emit_function(e, "copy", true, 3, copy_types, NULL, arg);
  zero = tcc_emit_i64(e, 0);
  TccLoop channel, row, fill, move;
  tcc_emit_for(e, &channel, zero, tcc_emit_i64(e, s->channels), 1, 0, NULL, NULL);
  TccVal plane = tcc_emit_gep(e, "f32", arg[1], tcc_emit_mul(e, channel.iv, tcc_emit_i64(e, c->x_block)));
  TccVal copy = tcc_emit_gep(e, "f32", arg[0], tcc_emit_mul(e, channel.iv, tcc_emit_i64(e, c->copy_rows * c->copy_width)));
  tcc_emit_for(e, &row, zero, tcc_emit_i64(e, c->copy_rows), 1, 0, NULL, NULL);
  TccVal to = tcc_emit_gep(e, "f32", copy, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, c->copy_width))), at = tcc_emit_add(e, arg[2], row.iv);
  tcc_emit_for(e, &fill, zero, tcc_emit_i64(e, c->copy_width), lanes, 0, NULL, NULL);
  tcc_emit_store(e, c->vector, tcc_emit_zero(e, c->vector), tcc_emit_gep(e, "f32", to, fill.iv));
  tcc_emit_end_for(e, &fill, NULL);
  TccVal inside = tcc_emit_icmp(e, "ult", "i64", at, tcc_emit_i64(e, s->in[0]));
  TccVal width = tcc_emit_select1(e, "i64", inside, tcc_emit_i64(e, s->in[1]), zero);
  TccVal from = tcc_emit_gep(e, "f32", plane, tcc_emit_mul(e, at, tcc_emit_i64(e, c->x_row)));
  to = tcc_emit_at(e, "f32", to, s->pad[1]);
  tcc_emit_for(e, &move, zero, width, lanes, 0, NULL, NULL);
  TccVal mask = tcc_emit_mask(e, tcc_emit_sub(e, width, move.iv), lanes);
  TccVal v = tcc_emit_masked_load(e, c->vector, tcc_emit_gep(e, "f32", from, move.iv), mask);
  tcc_emit_masked_store(e, c->vector, v, tcc_emit_gep(e, "f32", to, move.iv), mask);
  tcc_emit_end_for(e, &move, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &channel, NULL);
  tcc_emit_return(e, 0, NULL);
}

TccStatus *tcc_conv_blocked_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, MlirOperation op, TccKernelCode *out) {
  TccConvBlocked *c = TCC_NEW(ir->arena, TccConvBlocked);
  c->ir = ir, c->op = op;
  TCC_TRY(tcc_conv_blocked_read(c, &target->machine, kernel));
  TccEmit emit, *e = &emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, e, ir, &target->machine, kernel);
  c->k = &k;
  const TccConvShape *s = &c->shape;
  const TccConvPlan *p = &c->plan;
  c->vector = tcc_emit_vector(e, "f32", s->lanes);
  bool whole = p->depth_blocks >= c->blocks;
  int64_t x_image = c->x_image;
  if (s->plain) {
    emit_copy(c);
    c->x_image = 0, c->x_row = c->copy_width, c->x_block = c->copy_rows * c->copy_width;
  }
  TccConvGroup groups[2];
  int ngroups = cut_width(c, groups);
  TccStatus *status = NULL;
  for (int g = 0; g < ngroups && !status; g++)
    status = (s->depthwise ? tcc_conv_micro_depthwise_emit : tcc_conv_micro_emit)(c, g ? "tile1" : "tile0", &groups[g]);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  int64_t tile_rows = p->tile_rows, out_tiles = (s->out[0] + tile_rows - 1) / tile_rows;
  e->drives = true;
  tcc_conv_driver_emit(c);
  TccKernelEntry entry;
  tcc_kernel_entry(&k, &entry);
  tcc_conv_driver_call(c, &entry, tcc_conv_table_emit(c, x_image, groups, ngroups), ngroups);
  tcc_emit_return(e, 0, NULL);

  TccExprPool *pool = ir->exprs;
  const TccExpr *tiles = tcc_expr_mul(pool, tcc_kernel_slot(&k, c->images), tcc_expr_const(pool, out_tiles * (p->by_panel ? p->panels : 1)));
  int64_t scratch = s->plain ? s->channels * c->copy_rows * c->copy_width * 4 : whole ? 0 : p->rows * s->out[1] * p->vectors * s->lanes * 4;
  const char *schedule = tcc_arena_printf(ir->arena, "x86.conv_blocked/1 pixels=%d vectors=%d panels=%lld depth=%lld rows=%lld%s", p->pixels, p->vectors,
                                          (long long)p->panels, (long long)p->depth_blocks, (long long)p->rows,
                                          p->by_panel ? tcc_arena_printf(ir->arena, " by-panel tile=%lld", (long long)tile_rows) : "");
  tcc_kernel_finish(&k, "x86.conv", schedule, tiles, tcc_expr_const(pool, scratch), out);
  return NULL;
}

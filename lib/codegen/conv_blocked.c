/* conv_blocked.c - reads a kernel around one conv_blocked and emits its driver. See conv_blocked.h.
 *
 * A tile of work is an output row of one image and all panels, or some rows of one panel (conv_plan.h). What of one image
 * (and panel) falls to one thread is walked together, some rows at once: blocks of input channels, panels, rows, tiles of
 * pixels, in this order; with several blocks of channels the sums wait in scratch. While tiles use one block of large weights,
 * each fetches its share of the next into the second cache. Widths are cut into tiles that differ by one pixel at most, so that
 * two bodies serve any width. A plain image is copied row by row into scratch first, with its padding. */
#include "lib/codegen/conv_blocked.h"
#include "lib/codegen/conv_schedule.h"
#include "lib/codegen/scalar.h"

enum { LINE = 16 /* floats */ };

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
    int64_t calls = s->out[0] * ((s->out[1] + c->plan.pixels - 1) / c->plan.pixels), lines = TCC_CONV_UNROLL * columns / LINE;
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

/* ---- driver ---- */

static TccVal scaled(TccEmit *e, TccVal index, int64_t stride) { return tcc_emit_mul(e, index, tcc_emit_i64(e, stride)); }

/* Rows of the window that lie in the image, where its first row is image row `top`. */
static void rows_inside(TccEmit *e, const TccConvShape *s, TccVal top, TccVal *t0, TccVal *t1) {
  int64_t d = s->dilation[0];
  TccVal zero = tcc_emit_i64(e, 0), above = tcc_emit_max(e, tcc_emit_sub(e, zero, top), zero);
  TccVal below = tcc_emit_max(e, tcc_emit_sub(e, tcc_emit_i64(e, s->in[0]), top), zero);
  *t0 = tcc_emit_ceil_div(e, above, d);
  *t1 = tcc_emit_min(e, tcc_emit_ceil_div(e, below, d), tcc_emit_i64(e, s->kernel[0]));
}

static TccVal emit_sizes(TccConvBlocked *c) {
  struct { int64_t size[TCC_CONV_SIZES]; float zeros[64]; } table = {0};
  const TccConvShape *s = &c->shape;
  table.size[TCC_CONV_SIZE_X_BLOCK] = c->x_block;
  table.size[TCC_CONV_SIZE_X_ROW] = s->dilation[0] * c->x_row;
  table.size[TCC_CONV_SIZE_WIDTH] = s->in[1];
  table.size[TCC_CONV_SIZE_REST] = s->channels / s->groups % s->lanes;
  for (int t = 0; t <= c->epilogue.nleaves; t++) table.size[TCC_CONV_SIZE_BLOCKS + t] = c->at[t].block;
  return tcc_emit_data(c->k->e, &table, sizeof table.size + sizeof *table.zeros * (size_t)s->lanes);
}

typedef struct { TccVal image, first_row, last_row, panel, sums; } Work;

static void emit_rows(TccConvBlocked *c, const TccConvGroup *groups, int ngroups, const Work *t, TccVal panel, TccVal depth_from, TccVal copy) {
  TccKernelEmit *k = c->k;
  TccEmit *e = k->e;
  const TccConvShape *s = &c->shape;
  const TccConvPlan *p = &c->plan;
  int lanes = s->lanes, columns = p->vectors * lanes, nleaves = c->epilogue.nleaves;
  bool whole = p->depth_blocks >= c->blocks;
  TccVal table = emit_sizes(c);
  TccVal zero = tcc_emit_i64(e, 0), x0 = copy ? copy : tcc_view_pointer(k, &c->x), block = zero;
  int64_t taps = s->kernel[0] * s->kernel[1], w_block = s->depthwise ? taps * lanes : taps * (s->plain ? 1 : lanes) * columns;
  if (s->depthwise) block = panel;
  else if (s->groups > 1) block = scaled(e, tcc_emit_div(e, panel, tcc_emit_i64(e, p->panels / s->groups)), c->blocks);
  block = tcc_emit_add(e, block, depth_from);
  TccVal w = tcc_emit_gep(e, "f32", tcc_view_pointer(k, &c->w), scaled(e, panel, (s->depthwise ? 1 : c->blocks) * w_block));
  w = tcc_emit_gep(e, "f32", w, scaled(e, depth_from, w_block));
  TccVal phase = zero; /* of the result; panel goes on as one of its phase */
  if (s->phases > 1) {
    TccVal panels = tcc_emit_i64(e, p->panels / s->phases);
    phase = tcc_emit_div(e, panel, panels), panel = tcc_emit_rem(e, panel, panels);
  }
  TccVal depth = tcc_emit_i64(e, c->blocks), flags = zero;
  TccVal bias = c->has_bias ? tcc_emit_gep(e, "f32", tcc_view_pointer(k, &c->bias), scaled(e, panel, columns)) : tcc_emit_data(e, (const float[256]){0}, sizeof(float) * 256);
  if (!s->depthwise && c->out_blocks % p->vectors) {
    TccVal left = tcc_emit_sub(e, tcc_emit_i64(e, c->out_blocks), scaled(e, panel, p->vectors));
    flags = scaled(e, tcc_emit_min(e, left, tcc_emit_i64(e, p->vectors)), 16);
  }
  TccVal start = bias, first = 0;
  if (!whole) {
    depth = tcc_emit_min(e, tcc_emit_sub(e, depth, depth_from), tcc_emit_i64(e, p->depth_blocks));
    first = tcc_emit_icmp(e, "eq", "i64", depth_from, zero);
    TccVal last = tcc_emit_icmp(e, "eq", "i64", tcc_emit_add(e, depth_from, depth), tcc_emit_i64(e, c->blocks));
    flags = tcc_emit_add(e, flags, tcc_emit_select1(e, "i64", first, zero, tcc_emit_i64(e, 1)));
    flags = tcc_emit_add(e, flags, tcc_emit_select1(e, "i64", last, tcc_emit_i64(e, 4), tcc_emit_i64(e, 2)));
  }
  TccVal tensor[TCC_CONV_TENSORS];
  for (int i = 0; i <= nleaves; i++) {
    const TccView *view = i ? &c->epilogue.view[i - 1] : &c->epilogue.result;
    TccVal offset = tcc_emit_add(e, scaled(e, t->image, c->at[i].image), scaled(e, scaled(e, panel, p->vectors), c->at[i].block));
    if (s->phases > 1) {
      TccVal wide = tcc_emit_i64(e, c->phases[1]);
      offset = tcc_emit_add(e, offset, scaled(e, tcc_emit_div(e, phase, wide), c->at[i].row / c->phases[0]));
      offset = tcc_emit_add(e, offset, scaled(e, tcc_emit_rem(e, phase, wide), c->at[i].pixel / c->phases[1]));
    }
    tensor[i] = tcc_emit_gep(e, tcc_scalar_memory_type(view->elem), tcc_view_pointer(k, view), offset);
  }
  if (!copy) x0 = tcc_emit_gep(e, "f32", x0, scaled(e, t->image, c->x_image));
  x0 = tcc_emit_gep(e, "f32", x0, scaled(e, block, c->x_block));
  int64_t tiles = (s->out[1] + p->pixels - 1) / p->pixels;
  TccLoop row, tile;
  tcc_emit_for(e, &row, t->first_row, t->last_row, 1, 0, NULL, NULL);
  TccVal top = tcc_emit_sub(e, scaled(e, row.iv, s->stride[0]), tcc_emit_i64(e, s->pad[0])), t0 = zero, t1 = tcc_emit_i64(e, s->kernel[0]);
  TccVal row_in_work = tcc_emit_sub(e, row.iv, t->first_row), x = 0;
  if (copy) {
    x = tcc_emit_gep(e, "f32", x0, scaled(e, row_in_work, s->stride[0] * c->x_row));
  } else {
    bool padded = s->pad[0] || (s->out[0] - 1) * s->stride[0] - s->pad[0] + (s->kernel[0] - 1) * s->dilation[0] >= s->in[0];
    if (padded) rows_inside(e, s, top, &t0, &t1);
    x = tcc_emit_gep(e, "f32", x0, scaled(e, top, c->x_row));
  }
  for (int g = 0; g < ngroups; g++) {
    tcc_emit_for(e, &tile, tcc_emit_i64(e, groups[g].first), tcc_emit_i64(e, groups[g].end), groups[g].pixels, 0, NULL, NULL);
    TccVal column = scaled(e, tile.iv, s->stride[1]);
    if (!copy) column = tcc_emit_sub(e, column, tcc_emit_i64(e, s->pad[1]));
    TccVal sums = t->sums, from = start, ahead = w;
    if (c->ahead) { /* tiles take turns; those after the last share fetch what is there */
      TccVal call = tcc_emit_add(e, scaled(e, row_in_work, tiles), tcc_emit_div(e, tile.iv, tcc_emit_i64(e, groups[0].pixels)));
      TccVal share = scaled(e, depth, taps * lanes * c->ahead * LINE / TCC_CONV_UNROLL), size = scaled(e, depth, w_block);
      TccVal at = tcc_emit_mul(e, call, share), more = tcc_emit_icmp(e, "slt", "i64", at, size);
      ahead = tcc_emit_gep(e, "f32", w, tcc_emit_select1(e, "i64", more, tcc_emit_add(e, at, size), zero));
    }
    if (!whole) {
      sums = tcc_emit_gep(e, "f32", sums, scaled(e, tcc_emit_add(e, scaled(e, row_in_work, s->out[1]), tile.iv), columns));
      from = tcc_emit_select1(e, TCC_PTR, first, start, sums);
    }
    TccVal args[TCC_CONV_MICRO_ARGS + TCC_CONV_TENSORS] = {tcc_emit_gep(e, "f32", x, scaled(e, column, c->x_pixel)), w, from, sums, t0, t1, column, depth, flags, ahead, table};
    const char *types[TCC_CONV_MICRO_ARGS + TCC_CONV_TENSORS] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64", TCC_PTR, TCC_PTR};
    for (int i = 0; i <= nleaves; i++) {
      TccElem elem = i ? c->epilogue.view[i - 1].elem : c->epilogue.result.elem;
      TccVal offset = tcc_emit_add(e, scaled(e, row.iv, c->at[i].row), scaled(e, tile.iv, c->at[i].pixel));
      args[TCC_CONV_MICRO_ARGS + i] = tcc_emit_gep(e, tcc_scalar_memory_type(elem), tensor[i], offset);
      types[TCC_CONV_MICRO_ARGS + i] = TCC_PTR;
    }
    tcc_emit_call(e, g ? "tile1" : "tile0", TCC_CONV_MICRO_ARGS + 1 + nleaves, args, types, NULL);
    tcc_emit_end_for(e, &tile, NULL);
  }
  tcc_emit_end_for(e, &row, NULL);
}

TccStatus *tcc_conv_blocked_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, MlirOperation op, TccKernelCode *out) {
  TccConvBlocked *c = TCC_NEW(ir->arena, TccConvBlocked);
  c->ir = ir, c->op = op;
  TCC_TRY(tcc_conv_blocked_read(c, &target->machine, kernel));
  TccEmit emit, *e = &emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, e, ir, &target->machine, kernel);
  e->drives = true; /* a sixth of the time of MobileNetV3's compilation; no network is slower for it */
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
  TccKernelEntry entry;
  tcc_kernel_entry(&k, &entry);
  TccVal zero = tcc_emit_i64(e, 0), images = tcc_kernel_size(&k, c->images), height = tcc_emit_i64(e, out_tiles > 1 ? out_tiles : 1);
  TccLoop work, rows, depth, panels;
  tcc_emit_for(e, &work, tcc_emit_div(e, entry.begin, height), tcc_emit_ceil_div(e, entry.end, out_tiles > 1 ? out_tiles : 1), 1, 0, NULL, NULL);
  Work t = {.sums = entry.scratch, .image = work.iv, .panel = zero};
  if (p->by_panel) t.image = tcc_emit_rem(e, work.iv, images), t.panel = tcc_emit_div(e, work.iv, images);
  TccVal start = tcc_emit_mul(e, work.iv, height), first = tcc_emit_max(e, tcc_emit_sub(e, entry.begin, start), zero);
  TccVal last = tcc_emit_min(e, tcc_emit_sub(e, entry.end, start), height);
  if (tile_rows > 1) {
    first = scaled(e, first, tile_rows);
    last = tcc_emit_min(e, scaled(e, last, tile_rows), tcc_emit_i64(e, s->out[0]));
  }
  tcc_emit_for(e, &rows, first, last, p->rows, 0, NULL, NULL);
  t.first_row = rows.iv, t.last_row = tcc_emit_min(e, tcc_emit_add(e, rows.iv, tcc_emit_i64(e, p->rows)), last);
  TccVal copy = 0;
  if (s->plain) {
    copy = entry.scratch;
    TccVal args[] = {copy, tcc_emit_gep(e, "f32", tcc_view_pointer(&k, &c->x), scaled(e, t.image, x_image)),
                     tcc_emit_sub(e, scaled(e, t.first_row, s->stride[0]), tcc_emit_i64(e, s->pad[0]))};
    tcc_emit_call(e, "copy", 3, args, copy_types, NULL);
  }
  if (!whole) tcc_emit_for(e, &depth, zero, tcc_emit_i64(e, c->blocks), p->depth_blocks, 0, NULL, NULL);
  TccVal from = whole ? zero : depth.iv;
  if (p->by_panel) {
    emit_rows(c, groups, ngroups, &t, t.panel, from, copy);
  } else {
    tcc_emit_for(e, &panels, zero, tcc_emit_i64(e, p->panels), 1, 0, NULL, NULL);
    emit_rows(c, groups, ngroups, &t, panels.iv, from, copy);
    tcc_emit_end_for(e, &panels, NULL);
  }
  if (!whole) tcc_emit_end_for(e, &depth, NULL);
  tcc_emit_end_for(e, &rows, NULL);
  tcc_emit_end_for(e, &work, NULL);
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

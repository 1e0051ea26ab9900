/* conv_blocked.c - reads a kernel around one conv_blocked and emits it. See conv_blocked.h.
 *
 * A tile of work is an output row of one image and all panels, or some rows of one panel (conv_plan.h). What of one image
 * (and panel) falls to one thread is walked together, some rows at once: blocks of input channels, panels, rows, tiles of
 * pixels, in this order; with several blocks of channels the sums wait in scratch. While tiles use one block of large weights,
 * each prefetches its share of the next into the second cache. Widths are cut into tiles that differ by one pixel at most, so that
 * two bodies serve any width; those of a dynamic width are of three fixed sizes (conv_plan.h), and the last one begins where it
 * must so as to end with the row. A plain image is copied row by row into scratch first, with its padding. */
#include "lib/targets/x86/conv/conv_blocked.h"
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/code/scalar_avx512.h"
#include "lib/targets/x86/contract/micro.h"
#include "lib/targets/x86/conv/conv_schedule.h"
#include "lib/targets/x86/conv/conv_tile_registers.h"

/* ---- reading ---- */

static bool plain_axis(const TccViewAxis *axis, int64_t *out) { return axis->n == 1 && tcc_expr_is_const(axis->stride[0], out); }

static TccStatus *read_tensors(TccConvBlocked *c) {
  TccIr *ir = c->read.ir;
  for (int i = 0; i < 5; i++) {
    const TccViewAxis *axes[TCC_CONV_TENSORS] = {0};
    tcc_epilogue_axes(ir, &c->read.epilogue, i, 0, axes);
    for (int t = 0; t <= c->read.epilogue.nleaves; t++) {
      TccConvStrides *at = &c->read.at[t];
      const TccExpr *stride = tcc_expr_const(ir->exprs, 0);
      if (axes[t] && axes[t]->n != 1)
        return TCC_ERROR(TCC_UNSUPPORTED, "an operand of a blocked convolution's epilogue is a joined view");
      if (axes[t]) stride = axes[t]->stride[0];
      if (i == 2 || i == 3) stride = tcc_expr_mul(ir->exprs, stride, tcc_expr_const(ir->exprs, c->read.phases[i - 2]));
      if (i < 3) *(const TccExpr **[]){&at->image, &at->block, &at->row}[i] = stride;
      else if (!tcc_expr_is_const(stride, i == 3 ? &at->pixel : &at->lane))
        return TCC_ERROR(TCC_UNSUPPORTED,
                         "an operand of a blocked convolution's epilogue has pixels in a distance that is known at run time only");
    }
  }
  for (int t = 0; t <= c->read.epilogue.nleaves; t++)
    if (c->read.at[t].lane != 1 && (t == 0 || c->read.at[t].lane != 0))
      return TCC_ERROR(TCC_UNSUPPORTED, "an operand of a blocked convolution's epilogue is not blocked");
  return NULL;
}

/* Rows of all channels follow each other in the buffer between two stages, so that it may begin with any row. */
static void view_buffer(TccIr *ir, MlirType type, TccView *out) {
  int64_t size[5] = {0}, stride[5];
  memset(out, 0, sizeof *out);
  for (int i = 1; i < 5; i++) tcc_expr_is_const(tcc_type_dim(ir, type, i), &size[i]);
  stride[0] = 0, stride[1] = size[3] * size[4], stride[2] = size[1] * stride[1], stride[3] = size[4], stride[4] = 1;
  out->argument = -1, out->elem = tcc_type_elem(type), out->rank = 5, out->offset = tcc_expr_const(ir->exprs, 0);
  for (int i = 0; i < 5; i++) {
    out->axis[i].n = 1;
    out->axis[i].size[0] = tcc_type_dim(ir, type, i), out->axis[i].stride[0] = tcc_expr_const(ir->exprs, stride[i]);
  }
}

/* Strides of x in words instead of elements; of a plain image in bytes. */
static bool read_words(TccConvBlocked *c) {
  enum { WORD_BYTES = 4 };
  TccExprPool *pool = c->read.ir->exprs;
  int64_t bytes = tcc_conv_elem_bytes(&c->read.shape), word = WORD_BYTES / bytes;
  const TccExpr **strides[] = {&c->read.x_image, &c->read.x_block, &c->read.x_row};
  for (int i = 0; i < 3; i++) {
    *strides[i] = c->read.shape.plain ? tcc_expr_mul(pool, *strides[i], tcc_expr_const(pool, bytes))
                                      : tcc_expr_divide_exactly(pool, *strides[i], tcc_expr_const(pool, word));
    if (!*strides[i]) return false;
  }
  if (c->read.shape.plain) return true;
  bool words = c->read.x_pixel % word == 0;
  c->read.x_pixel /= word;
  return words;
}

/* Weights [panels, blocks, KH, KW, J * L/W, V * L, W] of blocks that J of x are joined in. */
static int64_t joined_blocks(const TccConvBlocked *c, MlirType weights) {
  int64_t words = 0;
  tcc_expr_is_const(tcc_type_dim(c->read.ir, weights, 4), &words);
  return words / (c->read.shape.lanes / tcc_conv_word(&c->read.shape));
}

/* Whether the machine has what the elements ask for. */
static TccStatus *check_elems(TccConvBlocked *c, const TccMachine *machine, TccElem x, TccElem w) {
  TccConvShape *s = &c->read.shape;
  s->pairs = x == TCC_ELEM_BF16, s->wide = x == TCC_ELEM_I16 && w == TCC_ELEM_I8;
  s->bytes = s->wide || (x == TCC_ELEM_U8 && w == TCC_ELEM_I8);
  if ((x != TCC_ELEM_F32 && !s->bytes && !s->pairs) || tcc_i64(c->read.ir, c->read.op, "lanes") != s->lanes)
    return TCC_ERROR(TCC_UNSUPPORTED,
                     "a blocked convolution of another type than f32 or bf16 or of other lanes than the machine's");
  if (s->bytes && !tcc_conv_takes_bytes(machine))
    return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution of bytes in tiles that are LLVM's");
  if (s->bytes && !s->wide && tcc_conv_widens_bytes(machine))
    return TCC_ERROR(TCC_UNSUPPORTED,
                     "a blocked convolution of bytes that are not held in 16 bits, on a machine without AVX-512 VNNI");
  if (s->pairs && !tcc_conv_takes_pairs(machine))
    return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution of bf16 on a machine without AVX512-BF16");
  return NULL;
}

/* Once the shape is known. Weights say how many blocks are joined; those of single blocks serve tile registers as well. */
static TccStatus *read_joined(TccConvBlocked *c, const TccMachine *machine, MlirType weights) {
  TccConvShape *s = &c->read.shape;
  if (!tcc_conv_has_words(s)) return NULL;
  int64_t joined = s->plain ? 1 : joined_blocks(c, weights);
  bool wanted = joined > 1 || s->plain;
  s->joined = wanted || tcc_conv_joined(machine, s) ? (int)joined : 0;
  if (wanted && (s->wide || c->read.stage || !(machine->isa & TCC_ISA_AMX)))
    return TCC_ERROR(TCC_UNSUPPORTED, "weights of joined blocks, where there are no tile registers");
  if (c->read.stage) s->joined = 0;
  if (s->pairs && !s->joined && s->channels / s->groups % tcc_conv_word(s))
    return TCC_ERROR(TCC_UNSUPPORTED, "an odd number of channels of bf16, where there are no tile registers");
  return NULL;
}

/* ---- images with channels last, read where they lie ---- */

static bool is_size(const TccConvBlocked *c, const TccExpr *e, int64_t n) { return e == tcc_expr_const(c->read.ir->exprs, n); }

/* Whether the rows of a tensor follow each other, so that all pixels are one row. */
static bool is_one_row(const TccConvBlocked *c, const TccExpr *row, int64_t pixel, int64_t width) {
  return is_size(c, row, pixel * width);
}

/* Whether pixels of whole joined blocks lie side by side, and the result's and its leaves' pixels in a row each. */
static bool reads_directly(const TccConvBlocked *c, MlirOperation kernel) {
  const TccConvShape *s = &c->read.shape;
  int64_t pixel;
  TccView x;
  if (!s->bytes || s->plain || s->dynamic || s->joined != TCC_TILE_K_GROUPS * 4 / s->lanes || s->channels % (s->lanes * s->joined))
    return false;
  for (int i = 0; i < 2; i++)
    if (s->kernel[i] != 1 || s->stride[i] != 1 || s->pad[i] || s->pad_end[i]) return false;
  if (!mlirAttributeIsNull(tcc_attribute(kernel, "tcc.schedule")) || !tcc_conv_direct_pixels(s->out[0] * s->out[1])) return false;
  if (!tcc_view_of(c->read.ir, mlirOperationGetOperand(c->read.op, 0), &x) || x.axis[1].n != 1 || x.axis[2].n != 1 ||
      !is_size(c, x.axis[1].stride[0], s->lanes) || !plain_axis(&x.axis[3], &pixel) ||
      !is_one_row(c, x.axis[2].stride[0], pixel, s->in[1]))
    return false;
  for (int t = 0; t <= c->read.epilogue.nleaves; t++)
    if (!is_one_row(c, c->read.at[t].row, c->read.at[t].pixel, s->out[1])) return false;
  return true;
}

static void make_one_row(TccConvBlocked *c) {
  TccExprPool *pool = c->read.ir->exprs;
  TccConvShape *s = &c->read.shape;
  s->direct = s->line = true;
  s->in[1] = s->out[1] = s->out[0] * s->out[1], s->in[0] = s->out[0] = 1;
  for (int i = 0; i < 2; i++) c->read.in[i] = c->read.out[i] = tcc_expr_const(pool, s->out[i]);
}

static TccStatus *read_epilogue(TccConvBlocked *c, MlirOperation kernel) {
  TccIr *ir = c->read.ir;
  MlirValue r = mlirOperationGetResult(c->read.op, 0);
  if (mlirValueIsNull(c->read.end)) {
    TCC_TRY(tcc_epilogue_read(ir, kernel, r, &c->read.epilogue));
  } else {
    TccView buffer;
    view_buffer(ir, tcc_value_type(c->read.end), &buffer);
    TCC_TRY(tcc_epilogue_read_to(ir, kernel, r, c->read.end, &buffer, &c->read.epilogue));
  }
  return read_tensors(c);
}

/* Sizes and strides of the window, of the image and of the result. */
static TccStatus *read_window(TccConvBlocked *c, MlirType xt, MlirType wt, MlirType rt) {
  TccIr *ir = c->read.ir;
  TccConvShape *s = &c->read.shape;
  const int64_t *strides, *pads, *dilations;
  size_t n;
  if (!tcc_get_ints(ir, c->read.op, "strides", &strides, &n) || !tcc_get_ints(ir, c->read.op, "pads", &pads, &n) ||
      !tcc_get_ints(ir, c->read.op, "dilations", &dilations, &n))
    return TCC_ERROR(TCC_INVALID, "a convolution without its window");
  for (int i = 0; i < 2; i++) {
    s->stride[i] = strides[i], s->pad[i] = pads[i], s->pad_end[i] = pads[i + 2] + (c->read.shift[i] > 0),
    s->dilation[i] = dilations[i];
    c->read.in[i] = tcc_type_dim(ir, xt, i + 2), c->read.out[i] = tcc_type_dim(ir, rt, i + 2);
    if (c->read.out[i])
      c->read.out[i] = tcc_expr_divide_exactly(ir->exprs, c->read.out[i], tcc_expr_const(ir->exprs, c->read.phases[i]));
    if (!c->read.images || !c->read.in[i] || !c->read.out[i] ||
        !tcc_expr_is_const(tcc_type_dim(ir, wt, i + (s->depthwise ? 1 : 2)), &s->kernel[i]))
      return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution of unknown size");
    s->dynamic = s->dynamic || !tcc_expr_is_const(c->read.in[i], &s->in[i]) || !tcc_expr_is_const(c->read.out[i], &s->out[i]);
    if (s->winograd > 1) s->kernel[i] = 3;
  }
  s->in_place = s->plain && !(pads[0] | pads[1] | pads[2] | pads[3]);
  int64_t high;
  s->line = tcc_expr_is_const(c->read.out[0], &high) && high == 1;
  for (int i = 0; i < 2 && s->dynamic; i++)
    s->in[i] = tcc_ir_likely(ir, c->read.in[i]), s->out[i] = tcc_ir_likely(ir, c->read.out[i]);
  return NULL;
}

/* Operands where they lie. */
static TccStatus *read_operands(TccConvBlocked *c) {
  TccIr *ir = c->read.ir;
  const TccConvShape *s = &c->read.shape;
  MlirValue x = mlirOperationGetOperand(c->read.op, 0), w = mlirOperationGetOperand(c->read.op, 1),
            bias = mlirOperationGetOperand(c->read.op, 2);
  if (c->read.reads_stage) view_buffer(ir, tcc_value_type(x), &c->read.x);
  else if (!tcc_view_of(ir, x, &c->read.x)) return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution reads no buffer");
  if (!tcc_view_of(ir, w, &c->read.w)) return TCC_ERROR(TCC_UNSUPPORTED, "the weights of a blocked convolution are no buffer");
  c->read.has_bias = !tcc_value_is_none(ir, bias);
  if (c->read.has_bias && !tcc_view_of(ir, bias, &c->read.bias))
    return TCC_ERROR(TCC_UNSUPPORTED, "the bias of a blocked convolution is no buffer");
  int64_t lane = 1;
  for (int i = 0; i < 3; i++) {
    if (c->read.x.axis[i].n != 1) return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution reads a joined view");
    *(const TccExpr **[]){&c->read.x_image, &c->read.x_block, &c->read.x_row}[i] = c->read.x.axis[i].stride[0];
  }
  if (!plain_axis(&c->read.x.axis[3], &c->read.x_pixel))
    return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution reads pixels in a distance that is known at run time only");
  if (!s->plain && !plain_axis(&c->read.x.axis[4], &lane))
    return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution reads a joined view");
  if (lane != 1 || (s->plain && c->read.x_pixel != 1))
    return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution whose input is not blocked");
  if ((s->bytes || s->pairs) && !read_words(c))
    return TCC_ERROR(TCC_UNSUPPORTED, "a blocked convolution of bytes or bf16 that are not in words");
  return NULL;
}

/* ---- what is chosen ---- */

/* vectors: of a panel of weights. */
static TccStatus *plan(TccConvBlocked *c, MlirOperation kernel, int vectors) {
  const TccConvShape *s = &c->read.shape;
  tcc_conv_plan(s, vectors, &c->plan);
  if (c->read.stage) c->plan.by_panel = c->plan.prefetch = c->plan.tile_by_size = false, c->plan.tile_rows = 1, c->plan.share = 0;
  else if (!c->read.unscheduled) TCC_TRY(tcc_conv_apply_schedule(kernel, s, c->plan.vectors, &c->plan));
  c->read.out_blocks = (s->out_channels + s->lanes - 1) / s->lanes;
  c->read.blocks = tcc_conv_depth(s);
  if (c->plan.prefetch && !tcc_conv_rest(s)) {
    int64_t calls = tcc_ceil_div(c->plan.rows, c->plan.high) * ((s->out[1] + c->plan.pixels - 1) / c->plan.pixels),
            lines = (int64_t)TCC_CONV_UNROLL * vectors * s->lanes * tcc_conv_word_bytes(s) / 4 / TCC_CONV_LINE;
    c->plan.ahead_lines = calls > 0 ? (lines + calls - 1) / calls : 0;
    if (calls == 1 && s->out[0] == 1) c->plan.prefetch_distance = TCC_CONV_PREFETCH_BYTES;
  }
  return NULL;
}

/* Rows of the image that are copied: how many a tile takes, and how wide one is. */
static void plan_copies(TccConvBlocked *c) {
  TccExprPool *pool = c->read.ir->exprs;
  const TccConvShape *s = &c->read.shape;
  int64_t lanes = s->joined ? 1 : s->lanes, stride = tcc_conv_copy_stride(s, 1), step = tcc_conv_copy_step(s, 1);
  const TccExpr *need =
      tcc_expr_mul(pool, tcc_expr_sub(pool, c->read.out[1], tcc_expr_const(pool, 1)), tcc_expr_const(pool, stride));
  need = tcc_expr_add(pool, need, tcc_expr_const(pool, (s->kernel[1] - 1) * s->dilation[1] + 1));
  c->plan.copy_lead = (s->pad[1] + lanes - 1) / lanes * lanes; /* rows of the image begin where a vector does */
  need = tcc_expr_add(pool, need, tcc_expr_const(pool, c->plan.copy_lead - s->pad[1]));
  const TccExpr *have = tcc_expr_add(pool, tcc_expr_const(pool, c->plan.copy_lead), c->read.in[1]);
  if (step > 1) have = need;
  need = tcc_expr_call(pool, TCC_EXPR_MAX, need, have);
  if (!s->joined) need = tcc_expr_add(pool, need, tcc_expr_const(pool, lanes)); /* a vector of slack */
  c->plan.copy_width =
      tcc_expr_mul(pool, tcc_expr_call(pool, TCC_EXPR_CEILDIV, need, tcc_expr_const(pool, lanes)), tcc_expr_const(pool, lanes));
  c->plan.copy_rows = (c->plan.rows - 1) * tcc_conv_copy_stride(s, 0) + (s->kernel[0] - 1) * s->dilation[0] + 1;
}

TccStatus *tcc_conv_blocked_read(TccConvBlocked *c, const TccMachine *machine, MlirOperation kernel) {
  TccIr *ir = c->read.ir;
  TccConvShape *s = &c->read.shape;
  MlirOperation op = c->read.op;
  tcc_conv_machine(machine, s);
  MlirType xt = tcc_value_type(mlirOperationGetOperand(op, 0)), wt = tcc_value_type(mlirOperationGetOperand(op, 1)),
           rt = tcc_value_type(mlirOperationGetResult(op, 0));
  s->plain = tcc_type_rank(xt) == 4, s->depthwise = tcc_type_rank(wt) == 4;
  TCC_TRY(check_elems(c, machine, tcc_type_elem(xt), tcc_type_elem(wt)));
  s->channels = tcc_i64(ir, op, "channels"), s->out_channels = tcc_i64(ir, op, "out_channels"),
  s->groups = tcc_i64(ir, op, "groups");
  c->read.images = tcc_type_dim(ir, xt, 0);
  s->winograd = (int)tcc_i64(ir, op, "winograd");
  c->read.phases[0] = tcc_i64(ir, op, "phases_h"), c->read.phases[1] = tcc_i64(ir, op, "phases_w"),
  s->phases = c->read.phases[0] * c->read.phases[1];
  c->read.shift[0] = tcc_i64(ir, op, "shift_h"), c->read.shift[1] = tcc_i64(ir, op, "shift_w");
  TCC_TRY(read_window(c, xt, wt, rt));
  TCC_TRY(read_joined(c, machine, wt));
  if (s->joined) s->in_place = false;
  int64_t columns = s->lanes;
  if (!s->depthwise && (!tcc_expr_is_const(tcc_type_dim(ir, wt, 5), &columns) || columns / s->lanes > 8))
    return TCC_ERROR(TCC_UNSUPPORTED, "panels of more than 8 vectors");
  if (s->depthwise && s->kernel[1] > 7) return TCC_ERROR(TCC_UNSUPPORTED, "a window of more than 7 columns");
  TCC_TRY(read_epilogue(c, kernel));
  if (!c->read.stage && reads_directly(c, kernel)) make_one_row(c);
  TCC_TRY(plan(c, kernel, (int)(columns / s->lanes)));
  TCC_TRY(read_operands(c));
  if (tcc_conv_copies(s)) plan_copies(c);
  return NULL;
}

/* A group whose first (last) tile has columns beside the image at its left (right) becomes two, so that the others do not ask. */
static int part_edges(const TccConvBlocked *c, int n, TccConvGroup *g) {
  TccConvGroup first = g[0], last = g[n - 1];
  int64_t columns = (last.pixels - 1) * c->read.shape.stride[1] + (c->read.shape.kernel[1] - 1) * c->read.shape.dilation[1];
  if (first.end > first.first + first.pixels && tcc_conv_at_edge(c, &first, 0, 0)) {
    memmove(g + 1, g, sizeof *g * (size_t)n++);
    g[0].end = g[1].first = first.first + first.pixels;
    last = g[n - 1];
  }
  if (last.end > last.first + last.pixels && tcc_conv_at_edge(c, &last, 0, columns)) {
    g[n] = last;
    g[n - 1].end = g[n].first = last.end - last.pixels;
    n++;
  }
  return n;
}

/* Tiles of a dynamic width: whole ones, remainder tiles or such as are one pixel narrower, pixels. Else T = ceil(width / pixels), the first width % T of them one pixel wider. */
static int cut_width(const TccConvBlocked *c, TccConvGroup *out) {
  if (c->read.shape.dynamic) {
    int sizes[] = {c->plan.pixels, c->plan.remainder, 1}, count = 0;
    for (int i = 0; i < 3; i++)
      if (i == 0 || sizes[i] < sizes[i - 1]) out[count++] = (TccConvGroup){.pixels = sizes[i]};
    return count;
  }
  int64_t width = c->read.shape.out[1], tiles = (width + c->plan.pixels - 1) / c->plan.pixels, low = width / tiles,
          wide = width % tiles;
  int n = 0;
  if (wide) out[n++] = (TccConvGroup){(int)low + 1, 0, wide * (low + 1)};
  if (tiles > wide) out[n++] = (TccConvGroup){(int)low, wide * (low + 1), width};
  return n;
}

/* All tiles of a static row in one function: what is between two of them takes as long as a short depth. */
static bool emit_rows(TccConvBlocked *c, const char *name, const TccConvGroup *groups, int ngroups) {
  TccConvGroup parts[TCC_CONV_ROW_GROUPS];
  if (c->read.shape.dynamic || c->plan.share || c->read.shape.joined || c->read.shape.out[1] < 1 ||
      c->read.shape.out[1] > INT32_MAX)
    return false;
  memcpy(parts, groups, sizeof *parts * (size_t)ngroups);
  return tcc_conv_row_emit(c, name, parts, part_edges(c, ngroups, parts));
}

TccStatus *tcc_conv_tiles_emit(TccConvBlocked *c, const char *const *names, TccConvGroup *groups, int *ngroups) {
  const TccConvShape *s = &c->read.shape;
  c->vector = tcc_emit_vector(c->k->e, s->bytes ? "i32" : "f32", s->lanes);
  *ngroups = cut_width(c, groups);
  if (emit_rows(c, names[0], groups, *ngroups)) {
    groups[0] = (TccConvGroup){(int)s->out[1], 0, s->out[1]}, *ngroups = 1;
    return NULL;
  }
  c->runs = true;
  for (int g = 0; g < *ngroups; g++) TCC_TRY(tcc_conv_micro_emit(c, names[g], &groups[g]));
  return NULL;
}

const TccExpr *tcc_conv_scratch_bytes(const TccConvBlocked *c) {
  const TccConvShape *s = &c->read.shape;
  const TccConvPlan *p = &c->plan;
  TccExprPool *pool = c->read.ir->exprs;
  bool whole = p->depth_blocks >= c->read.blocks;
  if (s->plain && !s->in_place && !s->joined)
    return tcc_expr_mul(pool, tcc_kernel_slot(c->k, c->plan.copy_width), tcc_expr_const(pool, s->channels * c->plan.copy_rows * 4));
  if (s->joined && !s->direct) { /* rows of a tile that no pixel has are read as well */
    int64_t pixel = tcc_conv_joined_pixel(s) * 4, width = 0, behind = p->high > 1 ? p->high * tcc_conv_joined_pitch(s) : 0;
    if (p->apart && tcc_expr_is_const(p->copy_width, &width)) behind = p->high * tcc_conv_copy_stride(s, 0) * width;
    return tcc_expr_add(pool,
                        tcc_expr_mul(pool, tcc_kernel_slot(c->k, c->plan.copy_width),
                                     tcc_expr_const(pool, c->read.blocks * c->plan.copy_rows * pixel)),
                        tcc_expr_const(pool, (behind + 2 * TCC_TILE_ROWS * s->stride[1]) * pixel));
  }
  return tcc_expr_mul(pool, tcc_kernel_slot(c->k, tcc_conv_sums_width(c)),
                      tcc_expr_const(pool, whole ? 0 : p->rows * p->vectors * s->lanes * 4));
}

TccStatus *tcc_conv_blocked_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, MlirOperation op,
                                 TccKernelCode *out) {
  TccConvBlocked on_stack = {.read = {.ir = ir, .op = op}}, *c = &on_stack; /* an arena's pages would be new ones for each kernel */
  TCC_TRY(tcc_conv_blocked_read(c, &target->machine, kernel));
  TccEmit emit, *e = &emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, e, ir, target, kernel);
  if (c->read.shape.pairs && !e->eager) e->functions = tcc_x86_flushing_scalars(&target->machine);
  c->k = &k;
  const TccConvPlan *p = &c->plan;
  TccConvGroup groups[TCC_CONV_GROUPS];
  int ngroups;
  TccStatus *status = tcc_conv_tiles_emit(c, tcc_conv_tile_names, groups, &ngroups);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  tcc_conv_driver_emit(c);
  TccKernelEntry entry;
  tcc_kernel_entry(&k, &entry);
  if (c->read.shape.joined) tcc_conv_tile_registers_begin(e, &c->read.shape, tcc_conv_tile_registers_rows(c, groups, ngroups));
  tcc_conv_driver_call(c, &entry, tcc_conv_table_emit(c, groups, ngroups), ngroups);
  if (c->read.shape.joined) tcc_micro_tiles_end(e);
  tcc_emit_return(e, 0, NULL);

  TccExprPool *pool = ir->exprs;
  const TccExpr *tiles =
      tcc_expr_mul(pool, tcc_kernel_slot(&k, tcc_conv_tiles(c)), tcc_expr_const(pool, p->by_panel ? p->panels : 1));
  tiles = tcc_expr_mul(pool, tiles, tcc_kernel_slot(&k, c->read.images));
  const char *schedule = tcc_arena_printf(
      ir->arena, "x86.conv_blocked/1 pixels=%d vectors=%d panels=%lld depth=%lld rows=%lld%s%s", p->pixels, p->vectors,
      (long long)p->panels, (long long)p->depth_blocks, (long long)p->rows, c->read.shape.dynamic && p->even ? " even" : "",
      p->share          ? tcc_arena_printf(ir->arena, "%s share=%lld", p->by_panel ? " by-panel" : "", (long long)p->share)
      : p->tile_by_size ? " by-panel tile=size"
      : p->by_panel     ? tcc_arena_printf(ir->arena, " by-panel tile=%lld", (long long)p->tile_rows)
                        : "");
  tcc_kernel_finish(&k, "x86.conv", schedule, tiles, tcc_conv_scratch_bytes(c), out);
  return NULL;
}

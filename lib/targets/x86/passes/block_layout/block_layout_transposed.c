/* block_layout_transposed.c - transposed convolutions on blocked channels. See block_layout.c.
 *
 * A transposed convolution of stride s is one of stride 1 whose s * s images of output channels are interleaved (sub-pixel
 * convolution: Shi et al., Real-time single image and video super-resolution, CVPR 2016): row q * s + a sees taps
 * k = a + pad (mod s) of the window alone, at input rows q + (a + pad - k) / s. The interleaving is where results are stored. Phases of
 * uneven numbers of taps, as of a kernel of 3 and a stride of 2, would share the largest window: they are convolutions of their own, whose
 * results a copy interleaves. */
#include "lib/targets/x86/passes/block_layout/block_layout.h"
#include "tcc/op_kinds.h"

bool tcc_layout_read_phases(TccLayout *l, const TccExpr *in, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation,
                            const TccExpr *out, TccPhases *p) {
  if (kernel < 1 || pad < 0 || stride > 16 || (dilation != 1 && kernel > 1)) return false;
  TccExprPool *pool = l->ir->exprs;
  int64_t more, size;
  if (tcc_expr_is_const(out, &size) && size < 1) return false; /* there is no convolution with an empty result */
  p->stride = stride, p->out = out, p->shift = 0;
  p->front = (stride - pad % stride) % stride;
  p->taps = (kernel + p->front + stride - 1) / stride;
  p->rows = tcc_expr_call(pool, TCC_EXPR_CEILDIV, out, tcc_layout_number(l, stride));
  if (!tcc_expr_is_const(tcc_expr_sub(pool, p->rows, in), &more)) return false;
  p->low = p->taps - 1 - (pad + p->front) / stride;
  p->high = more - p->low + p->taps - 1;
  return p->low >= 0 && p->high >= 0;
}

/* With a stride of 2, a kernel of 4 and a padding of 1, results between two pixels read these two, results on a pixel the one before
 * and itself: windows of three taps, of which each has one zero. They become windows of two, of phases that see x shifted. */
static void shift_windows(TccPhases *p, int64_t kernel) {
  int64_t taps = (kernel + p->stride - 1) / p->stride;
  if (taps == p->taps || p->high < 1) return;
  p->shift = p->front;
  p->taps = taps, p->high--;
}

static bool read_transposed(TccLayout *l, MlirOperation op, TccConvShape *s, TccPhases p[2]) {
  TccIr *ir = l->ir;
  *s = l->machine;
  s->lanes = (int)l->lanes;
  MlirValue x = mlirOperationGetOperand(op, 0), w = mlirOperationGetOperand(op, 1), bias = mlirOperationGetOperand(op, 2);
  MlirType xt = tcc_value_type(x), wt = tcc_value_type(w), rt = tcc_value_type(mlirOperationGetResult(op, 0));
  if (tcc_type_rank(xt) != 4 || tcc_type_elem(xt) != TCC_ELEM_F32 || !tcc_type_is_static(wt) || tcc_i64(ir, op, "groups") != 1)
    return false;
  if (!tcc_layout_packs_phases(l, x, w, bias)) return false;
  const int64_t *strides, *pads, *dilations;
  size_t n;
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "pads", &pads, &n) ||
      !tcc_get_ints(ir, op, "dilations", &dilations, &n))
    return false;
  if (!tcc_layout_static_dim(l, xt, 1, &s->channels) || !tcc_layout_static_dim(l, rt, 1, &s->out_channels)) return false;
  s->groups = 1;
  for (int i = 0; i < 2; i++) {
    int64_t out, kernel;
    if (!tcc_layout_image_size(l, xt, i + 2, s, &s->in[i]) || !tcc_layout_image_size(l, rt, i + 2, s, &out) ||
        !tcc_layout_static_dim(l, wt, i + 2, &kernel))
      return false;
    if (!tcc_layout_read_phases(l, tcc_type_dim(ir, xt, i + 2), kernel, strides[i], pads[i], dilations[i],
                                tcc_type_dim(ir, rt, i + 2), &p[i]))
      return false;
    shift_windows(&p[i], kernel);
    s->kernel[i] = p[i].taps, s->stride[i] = s->dilation[i] = 1, s->pad[i] = p[i].low, s->pad_end[i] = p[i].high + (p[i].shift > 0),
    s->out[i] = tcc_ir_likely(ir, p[i].rows);
  }
  s->phases = p[0].stride * p[1].stride;
  return tcc_layout_blocked(l, x) || s->out_channels * 2 >= l->lanes;
}

/* The axis of phases of w, which begins with phase `first`, from phase 0 on. */
static MlirValue turn_phases(TccLayout *l, TccBuilder *b, MlirValue w, int rank, const int64_t *dims, int axis, int64_t first) {
  const TccExpr *starts[8], *sizes[8];
  const int64_t steps[] = {1, 1, 1, 1, 1, 1, 1, 1};
  MlirValue part[2];
  for (int i = 0; i < 2; i++) {
    for (int k = 0; k < rank; k++) starts[k] = tcc_layout_number(l, 0), sizes[k] = tcc_layout_number(l, dims[k]);
    starts[axis] = tcc_layout_number(l, i ? 0 : dims[axis] - first);
    sizes[axis] = tcc_layout_number(l, i ? dims[axis] - first : first);
    part[i] = tcc_build_slice(b, w, starts, steps, sizes);
    if (mlirValueIsNull(part[i])) return part[i];
  }
  return tcc_build_concat(b, part, 2, axis);
}

/* w [C, M, KH, KW] -> [phases * panels, blocks, taps, taps, lanes of x, V * L]: taps of a phase stand in reverse order. */
static MlirValue pack_transposed(TccLayout *l, TccBuilder *b, const TccConvShape *s, const TccPhases p[2], MlirValue w) {
  TccConvPlan plan;
  tcc_conv_plan(s, 0, &plan);
  int64_t L = l->lanes, columns = plan.vectors * L, blocks = tcc_layout_blocks(l, s->channels), panels = plan.panels / s->phases;
  MlirType type = tcc_value_type(w);
  int64_t size[4] = {0};
  for (int i = 0; i < 4; i++)
    if (!tcc_layout_static_dim(l, type, i, &size[i])) return (MlirValue){NULL};
  int64_t low[] = {0, 0, p[0].shift ? 0 : p[0].front, p[1].shift ? 0 : p[1].front};
  int64_t high[] = {blocks * L - size[0], panels * columns - size[1], p[0].taps * p[0].stride - low[2] - size[2],
                    p[1].taps * p[1].stride - low[3] - size[3]};
  w = tcc_layout_pad_axes(l, b, w, low, high);
  int64_t split[] = {blocks, L, panels, columns, p[0].taps, p[0].stride, p[1].taps, p[1].stride};
  if (!mlirValueIsNull(w)) w = tcc_layout_reshape(l, b, w, 8, split);
  for (int i = 0; i < 2 && !mlirValueIsNull(w); i++)
    if (p[i].shift) w = turn_phases(l, b, w, 8, split, 5 + 2 * i, p[i].shift);
  if (mlirValueIsNull(w)) return w;
  if (p[0].taps > 1 || p[1].taps > 1) {
    const TccExpr *starts[8], *sizes[8];
    int64_t steps[8];
    for (int i = 0; i < 8; i++) starts[i] = tcc_layout_number(l, 0), sizes[i] = tcc_layout_number(l, split[i]), steps[i] = 1;
    for (int i = 4; i < 8; i += 2) starts[i] = tcc_layout_number(l, split[i] - 1), steps[i] = -1;
    w = tcc_build_slice(b, w, starts, steps, sizes);
    if (mlirValueIsNull(w)) return w;
  }
  w = tcc_build_transpose(b, w, (const int64_t[]){5, 7, 2, 0, 4, 6, 1, 3});
  return mlirValueIsNull(w)
             ? w
             : tcc_layout_reshape(l, b, w, 6, (const int64_t[]){plan.panels, blocks, p[0].taps, p[1].taps, L, columns});
}

bool tcc_layout_phases_fill(TccLayout *l, const TccPhases *p) {
  return tcc_expr_known_equal(tcc_expr_mul(l->ir->exprs, p->rows, tcc_layout_number(l, p->stride)), p->out);
}

/* ---- phases of uneven numbers of taps ---- */

/* One phase of an axis: taps first, first + stride, ... of the window, which a convolution reads from the last to the first. */
typedef struct {
  int64_t first, taps, low, high; /* low, high: padding of x */
} Phase;

/* False: the phase reads x from further inside than its first row, or to before its last. */
static bool read_phase(const TccPhases *p, int64_t which, int64_t kernel, int64_t pad, Phase *out) {
  out->first = (which + pad) % p->stride;
  out->taps = tcc_ceil_div(kernel - out->first, p->stride);
  out->low = out->taps - 1 - (which + pad - out->first) / p->stride;
  out->high = p->high + p->low - (p->taps - 1) + out->taps - 1 - out->low; /* as many rows more than x has */
  return out->taps >= 1 && out->low >= 0 && out->high >= 0;
}

typedef struct {
  Phase phase[2][4]; /* of each axis */
  int64_t kernel[2];
} Uneven;
enum { MOST_STRIDE = 4 };

/* Whether windows as large as the largest take so many multiply-adds more than windows of their own (a kernel of 3 and a stride of 2: 16 taps
 * for 9) that copying the result costs less: a vector of it takes as long as about COPY multiply-adds of a vector. */
static bool is_uneven(TccLayout *l, MlirOperation op, const TccConvShape *s, const TccPhases p[2], Uneven *out) {
  enum { COPY = 4 };
  const int64_t *pads;
  size_t n;
  MlirType w = tcc_value_type(mlirOperationGetOperand(op, 1));
  int64_t needed = 1, taken = 1;
  if (!tcc_get_ints(l->ir, op, "pads", &pads, &n)) return false;
  for (int i = 0; i < 2; i++) {
    if (p[i].stride > MOST_STRIDE || p[i].shift || !tcc_layout_static_dim(l, w, i + 2, &out->kernel[i])) return false;
    needed *= out->kernel[i], taken *= p[i].taps * p[i].stride;
    for (int64_t a = 0; a < p[i].stride; a++)
      if (!read_phase(&p[i], a, out->kernel[i], pads[i], &out->phase[i][a])) return false;
  }
  return 2 * taken >= 3 * needed && s->channels * (taken - needed) >= COPY * l->lanes * s->phases;
}

/* w [C, M, KH, KW] -> [M, C, taps, taps] of one phase. */
static MlirValue phase_weights(TccLayout *l, TccBuilder *b, MlirValue w, const TccPhases p[2], const Phase *const phase[2]) {
  MlirType type = tcc_value_type(w);
  const TccExpr *starts[4], *sizes[4];
  int64_t steps[4] = {1, 1, 1, 1};
  for (int i = 0; i < 4; i++) starts[i] = tcc_layout_number(l, 0), sizes[i] = tcc_type_dim(l->ir, type, i);
  for (int i = 0; i < 2; i++) {
    starts[i + 2] = tcc_layout_number(l, phase[i]->first + (phase[i]->taps - 1) * p[i].stride);
    sizes[i + 2] = tcc_layout_number(l, phase[i]->taps), steps[i + 2] = -p[i].stride;
  }
  w = tcc_build_slice(b, w, starts, steps, sizes);
  return mlirValueIsNull(w) ? w : tcc_build_transpose(b, w, (const int64_t[]){1, 0, 2, 3});
}

/* operands: x and bias in blocks, as of the convolution. */
static MlirValue phase_convolution(TccLayout *l, TccBuilder *b, const TccConvShape *all, const TccPhases p[2],
                                   const Phase *const phase[2], MlirValue w, const MlirValue operands[3]) {
  TccConvShape s = *all;
  s.phases = l->machine.phases;
  for (int i = 0; i < 2; i++) s.kernel[i] = phase[i]->taps, s.pad[i] = phase[i]->low, s.pad_end[i] = phase[i]->high;
  w = phase_weights(l, b, w, p, phase);
  if (!mlirValueIsNull(w)) w = tcc_layout_pack_weights(l, b, &s, w);
  if (mlirValueIsNull(w)) return w;
  return tcc_layout_conv_blocked(l, b, &s, (MlirValue[]){operands[0], w, operands[2]}, NULL, 0);
}

/* [N, blocks, H, W, L] of each phase -> [N, blocks, H * stride, W * stride, L]. */
static MlirValue interleave(TccLayout *l, TccBuilder *b, const TccPhases p[2], MlirValue (*part)[MOST_STRIDE]) {
  MlirValue row[MOST_STRIDE];
  for (int64_t i = 0; i < p[0].stride; i++) {
    for (int64_t k = 0; k < p[1].stride; k++) {
      part[i][k] = tcc_build_unsqueeze(b, part[i][k], 4);
      if (mlirValueIsNull(part[i][k])) return part[i][k];
    }
    row[i] = p[1].stride > 1 ? tcc_build_concat(b, part[i], (size_t)p[1].stride, 4) : part[i][0];
    if (!mlirValueIsNull(row[i])) row[i] = tcc_build_unsqueeze(b, row[i], 3);
    if (mlirValueIsNull(row[i])) return row[i];
  }
  MlirValue all = p[0].stride > 1 ? tcc_build_concat(b, row, (size_t)p[0].stride, 3) : row[0];
  if (mlirValueIsNull(all)) return all;
  const TccExpr *dims[5];
  MlirType type = tcc_value_type(all);
  for (int i = 0; i < 5; i++) dims[i] = tcc_type_dim(l->ir, type, i < 3 ? i : i == 3 ? 4 : 6);
  for (int i = 0; i < 2; i++) dims[i + 2] = tcc_expr_mul(l->ir->exprs, p[i].rows, tcc_layout_number(l, p[i].stride));
  return tcc_build_reshape(b, all, 5, dims);
}

static MlirValue uneven_phases(TccLayout *l, TccBuilder *b, const TccConvShape *s, const TccPhases p[2], const Uneven *uneven,
                               MlirValue w, const MlirValue operands[3]) {
  MlirValue part[MOST_STRIDE][MOST_STRIDE];
  for (int64_t i = 0; i < p[0].stride; i++)
    for (int64_t k = 0; k < p[1].stride; k++) {
      const Phase *phase[] = {&uneven->phase[0][i], &uneven->phase[1][k]};
      part[i][k] = phase_convolution(l, b, s, p, phase, w, operands);
      if (mlirValueIsNull(part[i][k])) return part[i][k];
    }
  return interleave(l, b, p, part);
}

/* One convolution of all phases. */
static MlirValue even_phases(TccLayout *l, TccBuilder *b, const TccConvShape *s, const TccPhases p[2], MlirValue w,
                             const MlirValue operands[3]) {
  w = pack_transposed(l, b, s, p, w);
  if (mlirValueIsNull(w)) return w;
  TccConvShape padded = *s;
  for (int i = 0; i < 2; i++) padded.pad_end[i] = p[i].high;
  TccNamedAttr phases[] = {{"phases_h", tcc_attr_i64(l->ir, p[0].stride)},
                           {"phases_w", tcc_attr_i64(l->ir, p[1].stride)},
                           {"shift_h", tcc_attr_i64(l->ir, p[0].shift)},
                           {"shift_w", tcc_attr_i64(l->ir, p[1].shift)}};
  return tcc_layout_conv_blocked(l, b, &padded, (MlirValue[]){operands[0], w, operands[2]}, phases, 4);
}

bool tcc_layout_transposed_convolution(TccLayout *l, MlirOperation op) {
  TccConvShape s;
  TccPhases p[2];
  Uneven uneven;
  if (!read_transposed(l, op, &s, p)) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue x = mlirOperationGetOperand(op, 0), w = mlirOperationGetOperand(op, 1), bias = mlirOperationGetOperand(op, 2),
            operands[3] = {{NULL}, {NULL}, bias};
  if (!tcc_layout_blocked_operand(l, &b, x, s.channels, &operands[0]) ||
      !tcc_layout_blocked_bias(l, &b, bias, s.out_channels, &operands[2]))
    return false;
  MlirValue made =
      is_uneven(l, op, &s, p, &uneven) ? uneven_phases(l, &b, &s, p, &uneven, w, operands) : even_phases(l, &b, &s, p, w, operands);
  if (mlirValueIsNull(made)) return false;
  if (!tcc_layout_phases_fill(l, &p[0]) || !tcc_layout_phases_fill(l, &p[1])) { /* the last phases have fewer rows */
    const TccExpr *zero = tcc_layout_number(l, 0), *starts[] = {zero, zero, zero, zero, zero}, *sizes[5];
    for (int i = 0; i < 5; i++) sizes[i] = i == 2 || i == 3 ? p[i - 2].out : tcc_type_dim(l->ir, tcc_value_type(made), i);
    made = tcc_build_slice(&b, made, starts, (const int64_t[]){1, 1, 1, 1, 1}, sizes);
    if (mlirValueIsNull(made)) return false;
  }
  tcc_layout_set_blocked(l, mlirOperationGetResult(op, 0), made, s.out_channels);
  return true;
}

/* block_layout.c - channels of convolutions in blocks of one vector.
 *
 *   %1 = tcc.conv %x, %w, %b : [1, 64, 56, 56]       %xb = transpose(reshape(%x))          : [1, 4, 56, 56, 16]
 *   %2 = tcc.relu %1                            =>   %1 = tcc.conv_blocked %xb, %wp, %bp   : [1, 4, 56, 56, 16]
 *   %3 = tcc.mean %2 {axes = [2, 3]}                 %2 = tcc.relu %1; %3 = tcc.mean %2    : [1, 4, 1, 1, 16]
 *
 * An output channel is a lane, so that a convolution is broadcasts of x times vectors of weights and its result is stored as
 * it stands in registers (nChw16c of oneDNN; Georganas et al., Anatomy of high-performance deep learning convolutions, SC
 * 2018). One forward walk: a convolution with static channels and weights that are known at load time gives a blocked value, whatever the image's size;
 * elementwise ops, pools, reductions of the image and concatenations of whole blocks keep what they read blocked; any other
 * reader gets the plain value, made once behind the op. A first layer reads the plain image. Channels are rounded up: what
 * stands in the lanes past them is never read into others (weights of such lanes are not there, reorders cut them off).
 * Weights and biases are re-laid out by ordinary ops, which depend on weights alone and run at load time.
 *
 * A transposed convolution of stride s is one of stride 1 whose s * s images of output channels are interleaved (sub-pixel
 * convolution: Shi et al., Real-time single image and video super-resolution, CVPR 2016): row q * s + a sees taps
 * k = a + pad (mod s) of the window alone, at input rows q + (a + pad - k) / s. The interleaving is where results are stored.
 *
 * Where a network works with channels last (the norms and products of ConvNeXt between transposes), elementwise ops with such an
 * operand are done there, and a convolution reads and writes [N, H, W, C/L, L] as a view: tcc-fuse gives it the transpose, which
 * moves no lane.
 *
 * requires: simplify. ensures: no reorder between two blocked ops. keeps: values, symbols, results of functions. */
#include "passes/block_layout.h"
#include "lib/codegen/conv_plan.h"

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  TccInit *init;
  int64_t lanes;
  TccConvShape machine;
  TccMap *blocked; /* plain value -> its blocked form */
  TccMap *last;    /* plain value -> its form with channels last */
} Layout;

typedef struct { MlirValue value; int64_t channels; } Blocked;

static TccStr key_of(const MlirValue *value) { return tcc_key_pointer((const void *const *)&value->ptr); }

static Blocked *blocked_of(Layout *l, MlirValue value) {
  TccMapEntry *entry = tcc_map_find(l->blocked, key_of(&value));
  return entry ? entry->pointer : NULL;
}

static void set_blocked(Layout *l, MlirValue plain, MlirValue blocked, int64_t channels) {
  Blocked *b = TCC_NEW(l->run->scratch, Blocked);
  *b = (Blocked){blocked, channels};
  tcc_map_put(l->blocked, key_of(&plain), NULL)->pointer = b;
}

static const TccExpr *number(Layout *l, int64_t n) { return tcc_expr_const(l->ir->exprs, n); }
static int64_t blocks_of(const Layout *l, int64_t channels) { return (channels + l->lanes - 1) / l->lanes; }

static bool static_dim(Layout *l, MlirType type, int axis, int64_t *out) {
  const TccExpr *size = tcc_type_dim(l->ir, type, axis);
  return size && tcc_expr_is_const(size, out);
}

/* Sizes of an image: as they are, or where they are known at run time only as they are likely to be. False: there are none. */
static bool image_size(Layout *l, MlirType type, int axis, TccConvShape *s, int64_t *out) {
  const TccExpr *size = tcc_type_dim(l->ir, type, axis);
  if (!size) return false;
  if (tcc_expr_is_const(size, out)) return *out >= 1;
  s->dynamic = true, *out = tcc_ir_likely(l->ir, size);
  return true;
}

/* x with zeros around each axis. */
static MlirValue pad_axes(Layout *l, TccBuilder *b, MlirValue x, const int64_t *before, const int64_t *behind) {
  int rank = tcc_type_rank(tcc_value_type(x));
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  bool any = false;
  for (int i = 0; i < rank; i++) low[i] = number(l, before[i]), high[i] = number(l, behind[i]), any = any || before[i] || behind[i];
  if (!any) return x;
  TccNamedAttr attrs[] = {{"low", tcc_attr_exprs(l->ir, low, (size_t)rank)}, {"high", tcc_attr_exprs(l->ir, high, (size_t)rank)}, {"mode", tcc_attr_str(l->ir, tcc_str("constant"))}};
  MlirValue operands[] = {x, {NULL}};
  MlirOperation pad = tcc_build(b, TCC_OP_PAD, operands, 2, attrs, 3, NULL);
  return mlirOperationIsNull(pad) ? (MlirValue){NULL} : mlirOperationGetResult(pad, 0);
}

/* x with zeros behind axis up to `size`. */
static MlirValue pad_axis(Layout *l, TccBuilder *b, MlirValue x, int axis, int64_t size) {
  int64_t before[TCC_MAX_RANK] = {0}, behind[TCC_MAX_RANK] = {0}, old;
  if (!static_dim(l, tcc_value_type(x), axis, &old)) return x;
  behind[axis] = size - old;
  return pad_axes(l, b, x, before, behind);
}

static MlirValue reshape(Layout *l, TccBuilder *b, MlirValue x, int rank, const int64_t *dims) {
  const TccExpr *e[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) e[i] = number(l, dims[i]);
  return tcc_build_reshape(b, x, rank, e);
}

/* [N, C, H, W] -> [N, C/L, H, W, L]; sizes other than C may be anything. */
static MlirValue to_blocks(Layout *l, TccBuilder *b, MlirValue x, int64_t channels) {
  int64_t blocks = blocks_of(l, channels);
  x = pad_axis(l, b, x, 1, blocks * l->lanes);
  if (mlirValueIsNull(x)) return x;
  MlirType type = tcc_value_type(x);
  const TccExpr *h = tcc_type_dim(l->ir, type, 2), *w = tcc_type_dim(l->ir, type, 3), *n = tcc_type_dim(l->ir, type, 0), *one = number(l, 1);
  if (h == one && w == one) return tcc_build_reshape(b, x, 5, (const TccExpr *[]){n, number(l, blocks), one, one, number(l, l->lanes)});
  x = tcc_build_reshape(b, x, 5, (const TccExpr *[]){n, number(l, blocks), number(l, l->lanes), h, w});
  return mlirValueIsNull(x) ? x : tcc_build_transpose(b, x, (const int64_t[]){0, 1, 3, 4, 2});
}

static MlirValue to_plain(Layout *l, TccBuilder *b, const Blocked *x) {
  MlirType type = tcc_value_type(x->value);
  const TccExpr *n = tcc_type_dim(l->ir, type, 0), *h = tcc_type_dim(l->ir, type, 2), *w = tcc_type_dim(l->ir, type, 3), *one = number(l, 1);
  int64_t blocks = blocks_of(l, x->channels);
  MlirValue v = h == one && w == one ? x->value : tcc_build_transpose(b, x->value, (const int64_t[]){0, 1, 4, 2, 3});
  if (mlirValueIsNull(v)) return v;
  v = tcc_build_reshape(b, v, 4, (const TccExpr *[]){n, number(l, blocks * l->lanes), h, w});
  if (mlirValueIsNull(v) || blocks * l->lanes == x->channels) return v;
  const TccExpr *zero = number(l, 0), *start[] = {zero, zero, zero, zero}, *size[] = {n, number(l, x->channels), h, w};
  return tcc_build_slice(b, v, start, (const int64_t[]){1, 1, 1, 1}, size);
}

/* ---- channels last ---- */

static bool is_transpose(TccIr *ir, MlirOperation op, const int64_t *perm) {
  const int64_t *have;
  size_t n;
  return tcc_op_kind(ir, op) == TCC_OP_TRANSPOSE && tcc_get_ints(ir, op, "perm", &have, &n) && n == 4 && !memcmp(have, perm, 4 * sizeof *perm);
}

static const int64_t from_last[] = {0, 3, 1, 2}, to_last[] = {0, 2, 3, 1};

static MlirValue last_of(Layout *l, MlirValue value) {
  TccMapEntry *entry = tcc_map_find(l->last, key_of(&value));
  if (entry) return (MlirValue){entry->pointer};
  if (!mlirValueIsAOpResult(value) || !is_transpose(l->ir, tcc_value_op(value), from_last)) return (MlirValue){NULL};
  return mlirOperationGetOperand(tcc_value_op(value), 0);
}

static void set_last(Layout *l, MlirValue plain, MlirValue last) { tcc_map_put(l->last, key_of(&plain), NULL)->pointer = (void *)last.ptr; }

static bool whole_blocks(Layout *l, MlirType type, int axis) {
  int64_t channels;
  return static_dim(l, type, axis, &channels) && channels % l->lanes == 0;
}

/* [N, H, W, C] -> [N, C/L, H, W, L]: lanes stay neighbours. */
static MlirValue last_to_blocks(Layout *l, TccBuilder *b, MlirValue last, int64_t channels) {
  MlirType type = tcc_value_type(last);
  const TccExpr *dims[] = {tcc_type_dim(l->ir, type, 0), tcc_type_dim(l->ir, type, 1), tcc_type_dim(l->ir, type, 2), number(l, channels / l->lanes), number(l, l->lanes)};
  MlirValue v = tcc_build_reshape(b, last, 5, dims);
  return mlirValueIsNull(v) ? v : tcc_build_transpose(b, v, (const int64_t[]){0, 3, 1, 2, 4});
}

/* ---- convolutions ---- */

static bool read_conv(Layout *l, MlirOperation op, TccConvShape *s) {
  TccIr *ir = l->ir;
  *s = l->machine;
  s->lanes = (int)l->lanes;
  MlirValue x = mlirOperationGetOperand(op, 0), w = mlirOperationGetOperand(op, 1), bias = mlirOperationGetOperand(op, 2);
  MlirType xt = tcc_value_type(x), wt = tcc_value_type(w), rt = tcc_value_type(mlirOperationGetResult(op, 0));
  if (tcc_type_rank(xt) != 4 || tcc_type_elem(xt) != TCC_ELEM_F32 || !tcc_type_is_static(wt)) return false;
  if (!tcc_init_is(l->init, w) || (!tcc_value_is_none(ir, bias) && !tcc_init_is(l->init, bias))) return false;
  const int64_t *strides, *pads, *dilations;
  size_t n;
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "pads", &pads, &n) || !tcc_get_ints(ir, op, "dilations", &dilations, &n)) return false;
  s->groups = tcc_i64(ir, op, "groups");
  if (!static_dim(l, xt, 1, &s->channels) || !static_dim(l, rt, 1, &s->out_channels)) return false;
  for (int i = 0; i < 2; i++) {
    if (!image_size(l, xt, i + 2, s, &s->in[i]) || !image_size(l, rt, i + 2, s, &s->out[i]) || !static_dim(l, wt, i + 2, &s->kernel[i])) return false;
    s->stride[i] = strides[i], s->pad[i] = pads[i], s->pad_end[i] = pads[i + 2], s->dilation[i] = dilations[i];
    if (pads[i] < 0 || pads[i + 2] < 0 || s->kernel[i] < 1) return false;
  }
  bool is_blocked = blocked_of(l, x) != NULL;
  if (s->groups > 1) {
    s->depthwise = s->groups == s->channels && s->groups == s->out_channels;
    if (s->depthwise) return s->kernel[1] <= 7;
    return (s->channels / s->groups) % l->lanes == 0 && (s->out_channels / s->groups) % l->lanes == 0;
  }
  s->plain = !is_blocked && s->channels < l->lanes;
  return is_blocked || s->out_channels * 2 >= l->lanes;
}

/* w [M, C, KH, KW] -> [panels, blocks, KH, KW, lanes of x, V * L], or [blocks, KH, KW, L]. */
static MlirValue pack_weights(Layout *l, TccBuilder *b, const TccConvShape *s, MlirValue w) {
  int64_t kh = s->kernel[0], kw = s->kernel[1], L = l->lanes;
  if (s->depthwise) {
    int64_t blocks = blocks_of(l, s->channels);
    w = pad_axis(l, b, w, 0, blocks * L);
    if (!mlirValueIsNull(w)) w = reshape(l, b, w, 4, (const int64_t[]){blocks, L, kh, kw});
    return mlirValueIsNull(w) ? w : tcc_build_transpose(b, w, (const int64_t[]){0, 2, 3, 1});
  }
  TccConvPlan plan;
  tcc_conv_plan(s, 0, &plan);
  int64_t columns = plan.vectors * L, depth = s->channels / s->groups, x_lanes = s->plain ? 1 : L, blocks = s->plain ? depth : (depth + L - 1) / L;
  w = pad_axis(l, b, w, 0, plan.panels * columns);
  if (!mlirValueIsNull(w)) w = pad_axis(l, b, w, 1, blocks * x_lanes);
  if (!mlirValueIsNull(w)) w = reshape(l, b, w, 6, (const int64_t[]){plan.panels, columns, blocks, x_lanes, kh, kw});
  return mlirValueIsNull(w) ? w : tcc_build_transpose(b, w, (const int64_t[]){0, 2, 4, 5, 3, 1});
}

static MlirValue attr_free(MlirOperation op) { return mlirOperationIsNull(op) ? (MlirValue){NULL} : mlirOperationGetResult(op, 0); }

static bool blocked_operand(Layout *l, TccBuilder *b, MlirValue x, int64_t channels, MlirValue *out) {
  Blocked *known = blocked_of(l, x);
  MlirValue last = last_of(l, x);
  if (known) *out = known->value;
  else if (!mlirValueIsNull(last) && channels % l->lanes == 0) *out = last_to_blocks(l, b, last, channels);
  else *out = to_blocks(l, b, x, channels);
  if (mlirValueIsNull(*out)) return false;
  if (!known) set_blocked(l, x, *out, channels);
  return true;
}

static bool blocked_bias(Layout *l, TccBuilder *b, MlirValue bias, int64_t channels, MlirValue *out) {
  if (tcc_value_is_none(l->ir, bias)) return true;
  *out = pad_axis(l, b, bias, 0, blocks_of(l, channels) * l->lanes);
  return !mlirValueIsNull(*out);
}

static bool convolution(Layout *l, MlirOperation op) {
  TccConvShape s;
  if (!read_conv(l, op, &s)) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue x = mlirOperationGetOperand(op, 0), bias = mlirOperationGetOperand(op, 2), result = mlirOperationGetResult(op, 0);
  MlirValue operands[3] = {x, pack_weights(l, &b, &s, mlirOperationGetOperand(op, 1)), {NULL}};
  if (mlirValueIsNull(operands[1]) || !blocked_bias(l, &b, bias, s.out_channels, &operands[2])) return false;
  if (!s.plain && !blocked_operand(l, &b, x, s.channels, &operands[0])) return false;
  MlirAttribute strides = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("strides"));
  MlirAttribute pads = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("pads"));
  MlirAttribute dilations = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("dilations"));
  TccNamedAttr attrs[] = {{"strides", strides}, {"pads", pads}, {"dilations", dilations}, {"channels", tcc_attr_i64(l->ir, s.channels)},
                          {"out_channels", tcc_attr_i64(l->ir, s.out_channels)}, {"groups", tcc_attr_i64(l->ir, s.groups)}, {"lanes", tcc_attr_i64(l->ir, l->lanes)}};
  MlirValue made = attr_free(tcc_build(&b, TCC_OP_CONV_BLOCKED, operands, 3, attrs, 7, NULL));
  if (mlirValueIsNull(made)) return false;
  set_blocked(l, result, made, s.out_channels);
  return true;
}

/* ---- transposed convolutions ---- */

/* One axis: with z zeros in front of the window stride divides the padding, so that tap j * stride + a belongs to phase a
 * and all phases see the same `taps` input rows. */
typedef struct { int64_t stride, front, taps, low, high; const TccExpr *out, *rows; } Phases; /* low, high: padding of x; rows: of one phase */

static bool read_phases(Layout *l, const TccExpr *in, int64_t kernel, int64_t stride, int64_t pad, int64_t dilation, const TccExpr *out, Phases *p) {
  if (kernel < 1 || pad < 0 || stride > 16 || (dilation != 1 && kernel > 1)) return false;
  TccExprPool *pool = l->ir->exprs;
  int64_t more;
  p->stride = stride, p->out = out;
  p->front = (stride - pad % stride) % stride;
  p->taps = (kernel + p->front + stride - 1) / stride;
  p->rows = tcc_expr_call(pool, TCC_EXPR_CEILDIV, out, number(l, stride));
  if (!tcc_expr_is_const(tcc_expr_sub(pool, p->rows, in), &more)) return false;
  p->low = p->taps - 1 - (pad + p->front) / stride;
  p->high = more - p->low + p->taps - 1;
  return p->low >= 0 && p->high >= 0;
}

static bool read_transposed(Layout *l, MlirOperation op, TccConvShape *s, Phases p[2]) {
  TccIr *ir = l->ir;
  *s = l->machine;
  s->lanes = (int)l->lanes;
  MlirValue x = mlirOperationGetOperand(op, 0), w = mlirOperationGetOperand(op, 1), bias = mlirOperationGetOperand(op, 2);
  MlirType xt = tcc_value_type(x), wt = tcc_value_type(w), rt = tcc_value_type(mlirOperationGetResult(op, 0));
  if (tcc_type_rank(xt) != 4 || tcc_type_elem(xt) != TCC_ELEM_F32 || !tcc_type_is_static(wt) || tcc_i64(ir, op, "groups") != 1) return false;
  if (!tcc_init_is(l->init, w) || (!tcc_value_is_none(ir, bias) && !tcc_init_is(l->init, bias))) return false;
  const int64_t *strides, *pads, *dilations;
  size_t n;
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "pads", &pads, &n) || !tcc_get_ints(ir, op, "dilations", &dilations, &n)) return false;
  if (!static_dim(l, xt, 1, &s->channels) || !static_dim(l, rt, 1, &s->out_channels)) return false;
  s->groups = 1;
  for (int i = 0; i < 2; i++) {
    int64_t out, kernel;
    if (!image_size(l, xt, i + 2, s, &s->in[i]) || !image_size(l, rt, i + 2, s, &out) || !static_dim(l, wt, i + 2, &kernel)) return false;
    if (!read_phases(l, tcc_type_dim(ir, xt, i + 2), kernel, strides[i], pads[i], dilations[i], tcc_type_dim(ir, rt, i + 2), &p[i])) return false;
    s->kernel[i] = p[i].taps, s->stride[i] = s->dilation[i] = 1, s->pad[i] = p[i].low, s->pad_end[i] = p[i].high, s->out[i] = tcc_ir_likely(ir, p[i].rows);
  }
  s->phases = p[0].stride * p[1].stride;
  return blocked_of(l, x) || s->out_channels * 2 >= l->lanes;
}

/* w [C, M, KH, KW] -> [phases * panels, blocks, taps, taps, lanes of x, V * L]: taps of a phase stand in reverse order. */
static MlirValue pack_transposed(Layout *l, TccBuilder *b, const TccConvShape *s, const Phases p[2], MlirValue w) {
  TccConvPlan plan;
  tcc_conv_plan(s, 0, &plan);
  int64_t L = l->lanes, columns = plan.vectors * L, blocks = blocks_of(l, s->channels), panels = plan.panels / s->phases;
  MlirType type = tcc_value_type(w);
  int64_t size[4] = {0};
  for (int i = 0; i < 4; i++)
    if (!static_dim(l, type, i, &size[i])) return (MlirValue){NULL};
  int64_t high[] = {blocks * L - size[0], panels * columns - size[1], p[0].taps * p[0].stride - p[0].front - size[2], p[1].taps * p[1].stride - p[1].front - size[3]};
  w = pad_axes(l, b, w, (const int64_t[]){0, 0, p[0].front, p[1].front}, high);
  int64_t split[] = {blocks, L, panels, columns, p[0].taps, p[0].stride, p[1].taps, p[1].stride};
  if (!mlirValueIsNull(w)) w = reshape(l, b, w, 8, split);
  if (mlirValueIsNull(w)) return w;
  if (p[0].taps > 1 || p[1].taps > 1) {
    const TccExpr *starts[8], *sizes[8];
    int64_t steps[8];
    for (int i = 0; i < 8; i++) starts[i] = number(l, 0), sizes[i] = number(l, split[i]), steps[i] = 1;
    for (int i = 4; i < 8; i += 2) starts[i] = number(l, split[i] - 1), steps[i] = -1;
    w = tcc_build_slice(b, w, starts, steps, sizes);
    if (mlirValueIsNull(w)) return w;
  }
  w = tcc_build_transpose(b, w, (const int64_t[]){5, 7, 2, 0, 4, 6, 1, 3});
  return mlirValueIsNull(w) ? w : reshape(l, b, w, 6, (const int64_t[]){plan.panels, blocks, p[0].taps, p[1].taps, L, columns});
}

static bool fills(Layout *l, const Phases *p) { return tcc_expr_known_equal(tcc_expr_mul(l->ir->exprs, p->rows, number(l, p->stride)), p->out); }

static bool transposed_convolution(Layout *l, MlirOperation op) {
  TccConvShape s;
  Phases p[2];
  if (!read_transposed(l, op, &s, p)) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue x = mlirOperationGetOperand(op, 0), bias = mlirOperationGetOperand(op, 2);
  MlirValue operands[3] = {{NULL}, pack_transposed(l, &b, &s, p, mlirOperationGetOperand(op, 1)), {NULL}};
  if (mlirValueIsNull(operands[1]) || !blocked_operand(l, &b, x, s.channels, &operands[0]) || !blocked_bias(l, &b, bias, s.out_channels, &operands[2])) return false;
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(l->ir, s.stride, 2)}, {"pads", tcc_attr_ints(l->ir, (const int64_t[]){p[0].low, p[1].low, p[0].high, p[1].high}, 4)},
                          {"dilations", tcc_attr_ints(l->ir, s.dilation, 2)}, {"channels", tcc_attr_i64(l->ir, s.channels)}, {"out_channels", tcc_attr_i64(l->ir, s.out_channels)},
                          {"groups", tcc_attr_i64(l->ir, 1)}, {"lanes", tcc_attr_i64(l->ir, l->lanes)}, {"phases_h", tcc_attr_i64(l->ir, p[0].stride)},
                          {"phases_w", tcc_attr_i64(l->ir, p[1].stride)}};
  MlirValue made = attr_free(tcc_build(&b, TCC_OP_CONV_BLOCKED, operands, 3, attrs, 9, NULL));
  if (mlirValueIsNull(made)) return false;
  if (!fills(l, &p[0]) || !fills(l, &p[1])) { /* the last phases have fewer rows */
    const TccExpr *zero = number(l, 0), *starts[] = {zero, zero, zero, zero, zero}, *sizes[5];
    for (int i = 0; i < 5; i++) sizes[i] = i == 2 || i == 3 ? p[i - 2].out : tcc_type_dim(l->ir, tcc_value_type(made), i);
    made = tcc_build_slice(&b, made, starts, (const int64_t[]){1, 1, 1, 1, 1}, sizes);
    if (mlirValueIsNull(made)) return false;
  }
  set_blocked(l, mlirOperationGetResult(op, 0), made, s.out_channels);
  return true;
}

/* ---- ops that keep blocks ---- */

static MlirValue rebuild(TccBuilder *b, MlirOperation op, TccOpKind kind, const MlirValue *operands, size_t n, const TccNamedAttr *changed, size_t nchanged,
                         const MlirType *declared) {
  TccNamedAttr attrs[16];
  size_t count = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op) && count < 16; i++) {
    MlirNamedAttribute a = mlirOperationGetAttribute(op, i);
    attrs[count] = (TccNamedAttr){mlirIdentifierStr(a.name).data, a.attribute};
    for (size_t k = 0; k < nchanged; k++)
      if (!strcmp(attrs[count].name, changed[k].name)) attrs[count] = changed[k];
    count++;
  }
  return attr_free(tcc_build(b, kind, operands, n, attrs, count, declared));
}

/* An operand of an elementwise op as one that broadcasts to blocks of `channels`: scalars as they are, a value a channel
 * ([C, 1, 1] or [N, C, 1, 1]) and whole images re-laid out. Null without an error: it cannot. */
static bool fits_blocks(Layout *l, MlirValue v, MlirType shape, int64_t channels) {
  MlirType type = tcc_value_type(v);
  int rank = tcc_type_rank(type);
  int all = tcc_type_rank(shape);
  if (blocked_of(l, v)) return blocked_of(l, v)->channels == channels && rank == all;
  if (rank > all) return false;
  const TccExpr *one = number(l, 1);
  for (int i = 0; i < rank; i++) {
    int axis = i + all - rank;
    const TccExpr *size = tcc_type_dim(l->ir, type, i);
    if (!size) return false;
    if (size == one) continue;
    if (axis != 1 || size != number(l, channels)) return false; /* a plain image: its other readers want it plain */
  }
  return true;
}

static MlirValue as_blocks(Layout *l, TccBuilder *b, MlirValue v, MlirType shape, int64_t channels) {
  Blocked *known = blocked_of(l, v);
  if (known) return known->value;
  MlirType type = tcc_value_type(v);
  int rank = tcc_type_rank(type);
  const TccExpr *one = number(l, 1), *n = rank == tcc_type_rank(shape) ? tcc_type_dim(l->ir, type, 0) : one;
  bool single = true;
  for (int i = 0; i < rank; i++) single = single && tcc_type_dim(l->ir, type, i) == one;
  if (single) return rank == 0 ? v : tcc_build_reshape(b, v, 0, NULL);
  v = tcc_build_reshape(b, v, 4, (const TccExpr *[]){n, number(l, channels), one, one});
  return mlirValueIsNull(v) ? v : to_blocks(l, b, v, channels);
}

static bool elementwise(Layout *l, MlirOperation op, TccOpKind kind) {
  MlirValue result = mlirOperationGetResult(op, 0), operands[TCC_MAX_RANK];
  MlirType type = tcc_value_type(result);
  intptr_t n = mlirOperationGetNumOperands(op);
  Blocked *image = NULL;
  if (!mlirValueIsNull(last_of(l, result))) return true;
  for (intptr_t i = 0; i < n; i++) {
    Blocked *b = blocked_of(l, mlirOperationGetOperand(op, i));
    if (b && tcc_type_same_shape(l->ir, tcc_value_type(mlirOperationGetOperand(op, i)), type)) image = b;
  }
  if (!image) return true;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue v = mlirOperationGetOperand(op, i);
    if (!tcc_value_is_none(l->ir, v) && !fits_blocks(l, v, type, image->channels)) return true;
  }
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  for (intptr_t i = 0; i < n; i++) {
    MlirValue v = mlirOperationGetOperand(op, i);
    operands[i] = tcc_value_is_none(l->ir, v) ? v : as_blocks(l, &b, v, type, image->channels);
    if (mlirValueIsNull(operands[i])) return false;
  }
  MlirType declared = tcc_type_with_elem(l->ir, tcc_value_type(image->value), tcc_type_elem(type));
  MlirValue made = rebuild(&b, op, kind, operands, (size_t)n, NULL, 0, tcc_op_has_trait(kind, 'X') ? &declared : NULL);
  if (mlirValueIsNull(made)) return false;
  set_blocked(l, result, made, image->channels);
  return true;
}

/* Channels last of a blocked value, made right behind it: its other readers then read the blocks as a view, so that what makes
 * it writes channels last alone, and equal layers look alike whatever stands before them. */
static MlirValue last_behind(Layout *l, MlirValue v) {
  Blocked *x = blocked_of(l, v);
  MlirOperation op = tcc_value_op(x->value);
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), mlirOperationGetNextInBlock(op), mlirOperationGetLocation(op)};
  MlirValue old = x->value, moved = tcc_build_transpose(&b, old, (const int64_t[]){0, 2, 3, 1, 4});
  if (mlirValueIsNull(moved)) return moved;
  MlirType type = tcc_value_type(moved);
  MlirValue last = tcc_build_reshape(&b, moved, 4, (const TccExpr *[]){tcc_type_dim(l->ir, type, 0), tcc_type_dim(l->ir, type, 1), tcc_type_dim(l->ir, type, 2), number(l, x->channels)});
  MlirValue view = mlirValueIsNull(last) ? last : last_to_blocks(l, &b, last, x->channels);
  if (mlirValueIsNull(view)) return view;
  tcc_replace_uses(old, view);
  mlirOperationSetOperand(tcc_value_op(moved), 0, old);
  x->value = view;
  set_last(l, v, last);
  return last;
}

/* An operand of an elementwise op as one that broadcasts to channels last: as fits_blocks and as_blocks. */
static bool fits_last(Layout *l, MlirValue v, MlirType shape) {
  MlirType type = tcc_value_type(v);
  if (tcc_type_same_shape(l->ir, type, shape)) return !mlirValueIsNull(last_of(l, v)) || (blocked_of(l, v) && whole_blocks(l, type, 1));
  int rank = tcc_type_rank(type);
  if (rank > 4 || blocked_of(l, v)) return false;
  for (int i = 0; i < rank; i++) {
    const TccExpr *size = tcc_type_dim(l->ir, type, i);
    if (size != number(l, 1) && (i + 4 - rank != 1 || size != tcc_type_dim(l->ir, shape, 1))) return false;
  }
  return true;
}

static MlirValue as_last(Layout *l, TccBuilder *b, MlirValue v, MlirType shape) {
  MlirValue last = last_of(l, v);
  if (!mlirValueIsNull(last)) return last;
  if (!tcc_type_same_shape(l->ir, tcc_value_type(v), shape)) { /* a value a channel, or one for all */
    const TccExpr *count = tcc_type_count(l->ir, tcc_value_type(v));
    return count == number(l, 1) ? tcc_build_reshape(b, v, 0, NULL) : tcc_build_reshape(b, v, 1, &count);
  }
  return last_behind(l, v);
}

static bool elementwise_last(Layout *l, MlirOperation op, TccOpKind kind) {
  MlirValue result = mlirOperationGetResult(op, 0), operands[TCC_MAX_RANK];
  MlirType type = tcc_value_type(result);
  intptr_t n = mlirOperationGetNumOperands(op);
  bool any = false;
  if (tcc_type_rank(type) != 4) return true;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue v = mlirOperationGetOperand(op, i);
    if (tcc_value_is_none(l->ir, v)) continue;
    if (!fits_last(l, v, type)) return true;
    any = any || (tcc_type_same_shape(l->ir, tcc_value_type(v), type) && !mlirValueIsNull(last_of(l, v)));
  }
  if (!any) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirType image = {NULL};
  for (intptr_t i = 0; i < n; i++) {
    MlirValue v = mlirOperationGetOperand(op, i);
    operands[i] = tcc_value_is_none(l->ir, v) ? v : as_last(l, &b, v, type);
    if (mlirValueIsNull(operands[i])) return false;
    if (tcc_type_same_shape(l->ir, tcc_value_type(v), type)) image = tcc_value_type(operands[i]);
  }
  MlirType declared = tcc_type_with_elem(l->ir, image, tcc_type_elem(type));
  MlirValue made = rebuild(&b, op, kind, operands, (size_t)n, NULL, 0, tcc_op_has_trait(kind, 'X') ? &declared : NULL);
  if (mlirValueIsNull(made)) return false;
  set_last(l, result, made);
  return true;
}

/* A value as `type`, which has the same sizes, perhaps written otherwise. */
static MlirValue with_type(TccBuilder *b, MlirValue v, MlirType type) {
  if (mlirValueIsNull(v) || mlirTypeEqual(tcc_value_type(v), type)) return v;
  return attr_free(tcc_build(b, TCC_OP_RESHAPE, &v, 1, NULL, 0, &type));
}

/* A reader that wants channels last of a value that has them so, or in blocks. */
static bool transpose(Layout *l, MlirOperation op) {
  MlirValue x = mlirOperationGetOperand(op, 0);
  if (!is_transpose(l->ir, op, to_last)) return true;
  bool known = !mlirValueIsNull(last_of(l, x)), blocked = blocked_of(l, x) && whole_blocks(l, tcc_value_type(x), 1);
  if (!known && !blocked) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue result = mlirOperationGetResult(op, 0), last = with_type(&b, as_last(l, &b, x, tcc_value_type(x)), tcc_value_type(result));
  if (mlirValueIsNull(last)) return false;
  tcc_replace_uses(result, last);
  return true;
}

static bool pool(Layout *l, MlirOperation op, TccOpKind kind) {
  Blocked *x = blocked_of(l, mlirOperationGetOperand(op, 0));
  if (!x) return true;
  static const char *const names[] = {"kernel", "strides", "dilations", "pads"};
  TccNamedAttr changed[4];
  for (int i = 0; i < 4; i++) { /* a third axis, the lanes: windows of one */
    const int64_t *old;
    size_t n;
    if (!tcc_get_ints(l->ir, op, names[i], &old, &n)) return true;
    bool line = n == (i == 3 ? 2 : 1); /* the row stands before its only axis */
    if (!line && n != (i == 3 ? 4 : 2)) return true;
    int64_t window[] = {line ? 1 : old[0], line ? old[0] : old[1], 1}, pads[6] = {0};
    if (i == 3 && line) pads[1] = old[0], pads[4] = old[1];
    else if (i == 3) pads[0] = old[0], pads[1] = old[1], pads[3] = old[2], pads[4] = old[3];
    changed[i] = (TccNamedAttr){names[i], i == 3 ? tcc_attr_ints(l->ir, pads, 6) : tcc_attr_ints(l->ir, window, 3)};
  }
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue made = rebuild(&b, op, kind, &x->value, 1, changed, 4, NULL);
  if (mlirValueIsNull(made)) return false;
  set_blocked(l, mlirOperationGetResult(op, 0), made, x->channels);
  return true;
}

/* Reductions over the image that keep its axes. */
static bool reduction(Layout *l, MlirOperation op, TccOpKind kind) {
  Blocked *x = blocked_of(l, mlirOperationGetOperand(op, 0));
  const int64_t *axes;
  size_t n;
  if (!x || !tcc_get_ints(l->ir, op, "axes", &axes, &n) || !tcc_bool(l->ir, op, "keepdims")) return true;
  for (size_t i = 0; i < n; i++)
    if (axes[i] != 2 && axes[i] != 3) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  bool line = tcc_type_rank(tcc_value_type(mlirOperationGetOperand(op, 0))) == 3;
  TccNamedAttr changed = {"axes", tcc_attr_ints(l->ir, (const int64_t[]){3}, 1)};
  MlirValue made = rebuild(&b, op, kind, &x->value, 1, &changed, line, NULL);
  if (mlirValueIsNull(made)) return false;
  set_blocked(l, mlirOperationGetResult(op, 0), made, x->channels);
  return true;
}

static bool concat(Layout *l, MlirOperation op, TccOpKind kind) {
  Blocked *x = blocked_of(l, mlirOperationGetOperand(op, 0)), *y = blocked_of(l, mlirOperationGetOperand(op, 1));
  if (!x || !y || tcc_i64(l->ir, op, "axis") != 1 || x->channels % l->lanes != 0) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue operands[] = {x->value, y->value}, made = rebuild(&b, op, kind, operands, 2, NULL, 0, NULL);
  if (mlirValueIsNull(made)) return false;
  set_blocked(l, mlirOperationGetResult(op, 0), made, x->channels + y->channels);
  return true;
}

/* Lines as images of one row or one column, and back (block_layout_lines.c): blocks stay where they are. */
static bool reshape_line(Layout *l, MlirOperation op) {
  MlirValue operand = mlirOperationGetOperand(op, 0);
  Blocked *x = blocked_of(l, operand);
  MlirType from = tcc_value_type(operand), to = tcc_value_type(mlirOperationGetResult(op, 0));
  const TccExpr *one = number(l, 1), *length[2] = {one, one};
  int rank = tcc_type_rank(to);
  if (!x || (rank != 3 && rank != 4)) return true;
  for (int side = 0; side < 2; side++) {
    MlirType type = side ? to : from;
    for (int i = 2; i < tcc_type_rank(type); i++) {
      const TccExpr *size = tcc_type_dim(l->ir, type, i);
      if (!size || (size != one && length[side] != one)) return true;
      if (size != one) length[side] = size;
    }
  }
  if (length[0] != length[1] || tcc_type_dim(l->ir, from, 0) != tcc_type_dim(l->ir, to, 0) || tcc_type_dim(l->ir, from, 1) != tcc_type_dim(l->ir, to, 1)) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirType type = tcc_value_type(x->value);
  const TccExpr *dims[] = {tcc_type_dim(l->ir, type, 0), tcc_type_dim(l->ir, type, 1), rank == 3 ? one : tcc_type_dim(l->ir, to, 2), tcc_type_dim(l->ir, to, rank - 1), number(l, l->lanes)};
  MlirValue made = tcc_build_reshape(&b, x->value, 5, dims);
  if (mlirValueIsNull(made)) return false;
  set_blocked(l, mlirOperationGetResult(op, 0), made, x->channels);
  return true;
}

/* ---- the walk ---- */

/* Readers that the walk left as they were read the plain value, made behind the op that it replaces. */
typedef struct { MlirOperation op; MlirValue last; } Replaced; /* last: null, or what the op became; else it became blocks */

static bool restore_plain(Layout *l, const Replaced *r) {
  MlirOperation op = r->op;
  MlirValue result = mlirOperationGetResult(op, 0);
  if (!mlirOpOperandIsNull(mlirValueGetFirstUse(result))) {
    TccBuilder builder = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
    MlirValue plain = mlirValueIsNull(r->last) ? to_plain(l, &builder, blocked_of(l, result)) : tcc_build_transpose(&builder, r->last, from_last);
    plain = with_type(&builder, plain, tcc_value_type(result));
    if (mlirValueIsNull(plain)) return false;
    tcc_replace_uses(result, plain);
  }
  tcc_erase(op);
  return true;
}

static bool has_convolution(Layout *l, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(l->ir, op);
    if (kind == TCC_OP_CONV || kind == TCC_OP_CONV_TRANSPOSE) return true;
  }
  return false;
}

static bool walk(Layout *l, MlirBlock block) {
  TCC_VEC(Replaced) replaced = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(l->ir, op);
    bool ok = true;
    if (kind == TCC_OP_UNKNOWN) continue;
    if (kind == TCC_OP_CONV) ok = convolution(l, op);
    else if (kind == TCC_OP_CONV_TRANSPOSE) ok = transposed_convolution(l, op);
    else if (kind == TCC_OP_POOL) ok = pool(l, op, kind);
    else if (kind == TCC_OP_REDUCE || kind == TCC_OP_MEAN) ok = reduction(l, op, kind);
    else if (kind == TCC_OP_CONCAT) ok = concat(l, op, kind);
    else if (kind == TCC_OP_TRANSPOSE) ok = transpose(l, op);
    else if (kind == TCC_OP_RESHAPE) ok = reshape_line(l, op);
    else if (tcc_op_has_trait(kind, 'E') && mlirOperationGetNumResults(op) == 1) ok = elementwise_last(l, op, kind) && elementwise(l, op, kind);
    if (!ok) return false;
    if (mlirOperationGetNumResults(op) != 1 || kind == TCC_OP_CONSTANT || kind == TCC_OP_TRANSPOSE) continue;
    MlirValue result = mlirOperationGetResult(op, 0), last = last_of(l, result);
    if (!mlirValueIsNull(last) || blocked_of(l, result)) TCC_VEC_PUSH(l->run->scratch, &replaced, ((Replaced){op, last}));
  }
  for (size_t i = replaced.count; i-- > 0;)
    if (!restore_plain(l, &replaced.data[i])) return false;
  return true;
}

MlirLogicalResult tcc_pass_block_layout(TccPassRun *run, MlirOperation module) {
  Layout l = {.run = run, .ir = run->ir};
  TccStr lanes;
  if (tcc_pass_option(run, "lanes", &lanes))
    for (size_t i = 0; i < lanes.length && lanes.data[i] >= '0' && lanes.data[i] <= '9' && l.lanes < 1024; i++) l.lanes = l.lanes * 10 + lanes.data[i] - '0';
  bool x86 = !strcmp(run->target->name, "x86");
  if (!l.lanes && !x86) return mlirLogicalResultSuccess();
  tcc_conv_machine(&run->target->machine, &l.machine);
  if (!l.lanes) l.lanes = l.machine.lanes;
  l.init = tcc_init_analyse(run->ir, module, run->scratch);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func); func = mlirOperationGetNextInBlock(func)) {
    if (mlirOperationGetNumRegions(func) == 0 || mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0)))) continue;
    l.blocked = tcc_map_create(run->scratch), l.last = tcc_map_create(run->scratch);
    MlirBlock block = tcc_func_body(func);
    bool changed = false;
    if (!has_convolution(&l, block)) continue;
    if (!tcc_block_layout_lines(run, l.init, l.lanes, block, &changed)) return mlirLogicalResultFailure();
    if (changed) l.init = tcc_init_analyse(run->ir, module, run->scratch); /* weights have been changed */
    if (!walk(&l, block)) return mlirLogicalResultFailure();
  }
  tcc_symbolic_forget(run->ir);
  return mlirLogicalResultSuccess();
}

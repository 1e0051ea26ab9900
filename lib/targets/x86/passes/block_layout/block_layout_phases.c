/* block_layout_phases.c - transposed convolutions into few channels, in groups, and over more than two axes.
 *
 * With strides s x t the result is s * t images, its phases, each of which a convolution of stride 1 makes. On blocked channels a phase
 * takes a block, so that of 16 lanes one is used where a segmentation network ends in one channel, or a group has one. There the phases are
 * channels, of each group its own:
 *
 *   conv_transpose [N, C, H, W] -> [N, M, sH, tW]  =>  conv -> [N, M * s * t, H, W], reshape, transpose -> [N, M, H, s, W, t], reshape
 *
 * All phases share a window. With a stride of 2, a kernel of 4 and a padding of 1 it has three taps an axis, of which each phase has two,
 * unless the convolution makes the result without its padding's crop: then windows of two do, of a row more, and a slice crops.
 *
 * requires, ensures, keeps: as tcc-block-layout. */
#include "lib/targets/x86/passes/block_layout/block_layout.h"
#include "tcc/op_kinds.h"

typedef struct {
  MlirValue x, w, bias;
  int64_t channels, out_channels, groups;
  TccPhases p[2];
  int64_t crop[2]; /* rows, columns of the interleaved phases in front of the result */
} Transposed;

/* Phases without zeros in front of the window, and with a row more where theirs do not reach, if that is fewer multiply-adds. */
static void crop_later(TccExprPool *pool, int64_t kernel, int64_t pad, TccPhases *p, int64_t *crop) {
  const TccExpr *all = tcc_expr_mul(pool, p->rows, tcc_expr_const(pool, p->stride));
  int64_t taps = tcc_ceil_div(kernel, p->stride), low = taps - 1 - pad / p->stride, spare, n;
  int64_t more = !tcc_expr_is_const(tcc_expr_sub(pool, all, p->out), &spare) || spare < pad % p->stride;
  int64_t high = p->high + p->low - (p->taps - 1) + more - low + taps - 1;
  if (taps == p->taps || low < 0 || high < 0) return;
  if (tcc_expr_is_const(p->rows, &n) && (n + more) * taps >= n * p->taps) return;
  p->front = 0, p->taps = taps, p->low = low, p->high = high, p->rows = tcc_expr_add(pool, p->rows, tcc_expr_const(pool, more));
  *crop = pad % p->stride;
}

static bool read(TccLayout *l, MlirOperation op, Transposed *t) {
  TccIr *ir = l->ir;
  *t = (Transposed){mlirOperationGetOperand(op, 0),
                    mlirOperationGetOperand(op, 1),
                    mlirOperationGetOperand(op, 2),
                    0,
                    0,
                    tcc_i64(ir, op, "groups"),
                    {{0}},
                    {0}};
  MlirType xt = tcc_value_type(t->x), wt = tcc_value_type(t->w), rt = tcc_value_type(mlirOperationGetResult(op, 0));
  if (tcc_type_rank(xt) != 4 || tcc_type_elem(xt) != TCC_ELEM_F32 || !tcc_type_is_static(wt)) return false;
  if (!tcc_layout_packs_phases(l, t->x, t->w, t->bias)) return false;
  const int64_t *strides, *pads, *dilations;
  size_t n;
  if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "pads", &pads, &n) ||
      !tcc_get_ints(ir, op, "dilations", &dilations, &n))
    return false;
  if (!tcc_layout_static_dim(l, xt, 1, &t->channels) || !tcc_layout_static_dim(l, rt, 1, &t->out_channels)) return false;
  for (int i = 0; i < 2; i++) {
    const TccExpr *in = tcc_type_dim(ir, xt, i + 2), *out = tcc_type_dim(ir, rt, i + 2);
    int64_t kernel;
    if (!in || !out || !tcc_layout_static_dim(l, wt, i + 2, &kernel) ||
        !tcc_layout_read_phases(l, in, kernel, strides[i], pads[i], dilations[i], out, &t->p[i]))
      return false;
    crop_later(ir->exprs, kernel, pads[i], &t->p[i], &t->crop[i]);
  }
  if (!tcc_type_dim(ir, xt, 0)) return false;
  return t->groups > 1 || (t->out_channels * 2 <= l->lanes && t->p[0].stride * t->p[1].stride > 1);
}

static MlirValue reshape(TccLayout *l, TccBuilder *b, MlirValue x, int rank, const int64_t *sizes) {
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) dims[i] = tcc_layout_number(l, sizes[i]);
  return mlirValueIsNull(x) ? x : tcc_build_reshape(b, x, rank, dims);
}

/* w [groups * C, M, KH, KW] -> [groups * M * phases, C, taps, taps]: taps of a phase stand in reverse order. */
static MlirValue weights(TccLayout *l, TccBuilder *b, const Transposed *t) {
  enum { G, C, M, ROW_TAPS, ROW_PHASES, COLUMN_TAPS, COLUMN_PHASES, SPLIT };
  const TccPhases *p = t->p;
  int64_t high[4] = {0}, kernel;
  const int64_t split[SPLIT] = {t->groups,  t->channels / t->groups, t->out_channels / t->groups, p[0].taps, p[0].stride, p[1].taps,
                                p[1].stride};
  for (int i = 0; i < 2; i++) {
    if (!tcc_layout_static_dim(l, tcc_value_type(t->w), i + 2, &kernel)) return (MlirValue){NULL};
    high[i + 2] = p[i].taps * p[i].stride - p[i].front - kernel;
  }
  MlirValue w = tcc_layout_pad_axes(l, b, t->w, (const int64_t[]){0, 0, p[0].front, p[1].front}, high);
  w = reshape(l, b, w, SPLIT, split);
  if (!mlirValueIsNull(w) && (p[0].taps > 1 || p[1].taps > 1)) {
    const TccExpr *starts[SPLIT], *sizes[SPLIT];
    int64_t steps[SPLIT];
    for (int i = 0; i < SPLIT; i++) {
      const bool reversed = i == ROW_TAPS || i == COLUMN_TAPS;
      starts[i] = tcc_layout_number(l, reversed ? split[i] - 1 : 0), sizes[i] = tcc_layout_number(l, split[i]);
      steps[i] = reversed ? -1 : 1;
    }
    w = tcc_build_slice(b, w, starts, steps, sizes);
  }
  if (!mlirValueIsNull(w))
    w = tcc_build_transpose(b, w, (const int64_t[]){G, M, ROW_PHASES, COLUMN_PHASES, C, ROW_TAPS, COLUMN_TAPS});
  return reshape(l, b, w, 4, (const int64_t[]){t->out_channels * p[0].stride * p[1].stride, split[C], p[0].taps, p[1].taps});
}

/* bias [M] -> [M * times]. */
static MlirValue repeated_bias(TccLayout *l, TccBuilder *b, MlirValue bias, int64_t channels, int64_t times) {
  if (tcc_value_is_none(l->ir, bias)) return bias;
  MlirValue v = reshape(l, b, bias, 2, (const int64_t[]){channels, 1});
  if (!mlirValueIsNull(v))
    v = tcc_build_broadcast(b, v, 2, (const TccExpr *[]){tcc_layout_number(l, channels), tcc_layout_number(l, times)});
  return reshape(l, b, v, 1, (const int64_t[]){channels * times});
}

static bool replace(TccLayout *l, MlirOperation op, const Transposed *t) {
  TccExprPool *pool = l->ir->exprs;
  const TccPhases *p = t->p;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue operands[] = {t->x, weights(l, &b, t), repeated_bias(l, &b, t->bias, t->out_channels, p[0].stride * p[1].stride)},
            old = mlirOperationGetResult(op, 0);
  if (mlirValueIsNull(operands[1]) || mlirValueIsNull(operands[2])) return false;
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(l->ir, (const int64_t[]){1, 1}, 2)},
                          {"pads", tcc_attr_ints(l->ir, (const int64_t[]){p[0].low, p[1].low, p[0].high, p[1].high}, 4)},
                          {"dilations", tcc_attr_ints(l->ir, (const int64_t[]){1, 1}, 2)},
                          {"groups", tcc_attr_i64(l->ir, t->groups)}};
  MlirValue y = tcc_build_value(&b, TCC_OP_CONV, operands, 3, attrs, 4, NULL);
  const TccExpr *n = tcc_type_dim(l->ir, tcc_value_type(t->x), 0), *m = tcc_layout_number(l, t->out_channels),
                *zero = tcc_layout_number(l, 0);
  const TccExpr *s[] = {tcc_layout_number(l, p[0].stride), tcc_layout_number(l, p[1].stride)};
  if (!mlirValueIsNull(y)) y = tcc_build_reshape(&b, y, 6, (const TccExpr *[]){n, m, s[0], s[1], p[0].rows, p[1].rows});
  if (!mlirValueIsNull(y)) y = tcc_build_transpose(&b, y, (const int64_t[]){0, 1, 4, 2, 5, 3});
  if (!mlirValueIsNull(y))
    y = tcc_build_reshape(&b, y, 4,
                          (const TccExpr *[]){n, m, tcc_expr_mul(pool, p[0].rows, s[0]), tcc_expr_mul(pool, p[1].rows, s[1])});
  if (!mlirValueIsNull(y) && (!tcc_layout_phases_fill(l, &p[0]) || !tcc_layout_phases_fill(l, &p[1])))
    y = tcc_build_slice(&b, y, (const TccExpr *[]){zero, zero, tcc_layout_number(l, t->crop[0]), tcc_layout_number(l, t->crop[1])},
                        (const int64_t[]){1, 1, 1, 1}, (const TccExpr *[]){n, m, p[0].out, p[1].out});
  y = tcc_layout_with_type(&b, y, tcc_value_type(old));
  if (mlirValueIsNull(y)) return false;
  tcc_replace_uses(old, y);
  tcc_erase(op);
  return true;
}

/* ---- windows of as many axes as there are, each as long as its stride ----
 * Windows do not overlap, so that each pixel gives one of its own:
 *   conv_transpose [N, C, D, H, W] -> [N, M, dD, hH, wW]  =>  conv [N, C, D, H * W] -> [N, M * d * h * w, D, H * W] by 1x1, transposed */
typedef struct {
  MlirValue x, w, bias;
  int axes;
  int64_t channels, out_channels, groups, places; /* places: of a window */
  const int64_t *window;
} Tiled;

static bool read_tiled(TccLayout *l, MlirOperation op, Tiled *t) {
  TccIr *ir = l->ir;
  *t = (Tiled){.x = mlirOperationGetOperand(op, 0),
               .w = mlirOperationGetOperand(op, 1),
               .bias = mlirOperationGetOperand(op, 2),
               .groups = tcc_i64(ir, op, "groups"),
               .places = 1};
  MlirType xt = tcc_value_type(t->x), wt = tcc_value_type(t->w), rt = tcc_value_type(mlirOperationGetResult(op, 0));
  t->axes = tcc_type_rank(xt) - 2;
  if (t->axes < 3 || 2 + 2 * t->axes > TCC_MAX_RANK || tcc_type_elem(xt) != TCC_ELEM_F32 || !tcc_type_is_static(wt)) return false;
  if (!tcc_layout_packs_phases(l, t->x, t->w, t->bias)) return false;
  const int64_t *pads, *more, *dilations;
  size_t n;
  if (!tcc_get_ints(ir, op, "dilations", &dilations, &n) || !tcc_get_ints(ir, op, "strides", &t->window, &n) ||
      !tcc_get_ints(ir, op, "pads", &pads, &n) || !tcc_get_ints(ir, op, "output_padding", &more, &n))
    return false;
  if (!tcc_layout_static_dim(l, xt, 1, &t->channels) || !tcc_layout_static_dim(l, rt, 1, &t->out_channels)) return false;
  for (int i = 0; i < t->axes; i++) {
    int64_t kernel;
    if (!tcc_type_dim(ir, xt, i + 2) || !tcc_layout_static_dim(l, wt, i + 2, &kernel) || kernel != t->window[i]) return false;
    if (pads[i] || pads[i + t->axes] || more[i] || (kernel > 1 && dilations[i] != 1)) return false;
    t->places *= kernel;
  }
  return tcc_type_dim(ir, xt, 0) != NULL;
}

/* w [groups * C, M, window ...] -> [groups * M * places, C, 1, 1]. */
static MlirValue tiled_weights(TccLayout *l, TccBuilder *b, const Tiled *t) {
  const int64_t C = t->channels / t->groups, M = t->out_channels / t->groups;
  MlirValue w = reshape(l, b, t->w, 4, (const int64_t[]){t->groups, C, M, t->places});
  if (!mlirValueIsNull(w)) w = tcc_build_transpose(b, w, (const int64_t[]){0, 2, 3, 1});
  return reshape(l, b, w, 4, (const int64_t[]){t->out_channels * t->places, C, 1, 1});
}

static MlirValue untile(TccLayout *l, TccBuilder *b, const Tiled *t, MlirValue y, MlirType type) {
  TccExprPool *pool = l->ir->exprs;
  MlirType xt = tcc_value_type(t->x);
  const TccExpr *dims[TCC_MAX_RANK] = {tcc_type_dim(l->ir, xt, 0), tcc_layout_number(l, t->out_channels)}, *to[TCC_MAX_RANK];
  int64_t perm[TCC_MAX_RANK] = {0, 1};
  to[0] = dims[0], to[1] = dims[1];
  for (int i = 0; i < t->axes; i++) {
    dims[2 + i] = tcc_layout_number(l, t->window[i]), dims[2 + t->axes + i] = tcc_type_dim(l->ir, xt, 2 + i);
    perm[2 + 2 * i] = 2 + t->axes + i, perm[3 + 2 * i] = 2 + i;
    to[2 + i] = tcc_expr_mul(pool, dims[2 + i], dims[2 + t->axes + i]);
  }
  if (!mlirValueIsNull(y)) y = tcc_build_reshape(b, y, 2 + 2 * t->axes, dims);
  if (!mlirValueIsNull(y)) y = tcc_build_transpose(b, y, perm);
  if (!mlirValueIsNull(y)) y = tcc_build_reshape(b, y, 2 + t->axes, to);
  return tcc_layout_with_type(b, y, type);
}

static bool replace_tiled(TccLayout *l, MlirOperation op, const Tiled *t) {
  TccExprPool *pool = l->ir->exprs;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirType xt = tcc_value_type(t->x);
  const TccExpr *rest = tcc_layout_number(l, 1);
  for (int i = 3; i < 2 + t->axes; i++) rest = tcc_expr_mul(pool, rest, tcc_type_dim(l->ir, xt, i));
  const TccExpr *image[] = {tcc_type_dim(l->ir, xt, 0), tcc_type_dim(l->ir, xt, 1), tcc_type_dim(l->ir, xt, 2), rest};
  MlirValue operands[] = {tcc_build_reshape(&b, t->x, 4, image), tiled_weights(l, &b, t),
                          repeated_bias(l, &b, t->bias, t->out_channels, t->places)};
  for (int i = 0; i < 3; i++)
    if (mlirValueIsNull(operands[i])) return false;
  TccNamedAttr attrs[] = {{"strides", tcc_attr_ints(l->ir, (const int64_t[]){1, 1}, 2)},
                          {"pads", tcc_attr_ints(l->ir, (const int64_t[]){0, 0, 0, 0}, 4)},
                          {"dilations", tcc_attr_ints(l->ir, (const int64_t[]){1, 1}, 2)},
                          {"groups", tcc_attr_i64(l->ir, t->groups)}};
  MlirValue old = mlirOperationGetResult(op, 0), y = tcc_build_value(&b, TCC_OP_CONV, operands, 3, attrs, 4, NULL);
  y = untile(l, &b, t, y, tcc_value_type(old));
  if (mlirValueIsNull(y)) return false;
  tcc_replace_uses(old, y);
  tcc_erase(op);
  return true;
}

bool tcc_layout_phases_as_channels(TccLayout *l, MlirBlock block, bool *changed) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block), next; !mlirOperationIsNull(op); op = next) {
    Transposed t;
    Tiled tiled;
    next = mlirOperationGetNextInBlock(op);
    if (tcc_op_kind(l->ir, op) != TCC_OP_CONV_TRANSPOSE) continue;
    const bool is_tiled = read_tiled(l, op, &tiled);
    if (!is_tiled && !read(l, op, &t)) continue;
    *changed = true;
    if (is_tiled ? !replace_tiled(l, op, &tiled) : !replace(l, op, &t)) return false;
  }
  return true;
}

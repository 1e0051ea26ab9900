/* block_layout.c - channels of convolutions in blocks of one vector.
 *
 *   %1 = tcc.conv %x, %w, %b : [1, 64, 56, 56]       %xb = transpose(reshape(%x))          : [1, 4, 56, 56, 16]
 *   %2 = tcc.relu %1                            =>   %1 = tcc.conv_blocked %xb, %wp, %bp   : [1, 4, 56, 56, 16]
 *   %3 = tcc.mean %2 {axes = [2, 3]}                 %2 = tcc.relu %1; %3 = tcc.mean %2    : [1, 4, 1, 1, 16]
 *
 * An output channel is a lane, so that a convolution is broadcasts of x times vectors of weights and its result is stored as
 * it stands in registers (nChw16c of oneDNN; Georganas et al., Anatomy of high-performance deep learning convolutions, SC
 * 2018). One forward walk: a convolution of static image size with weights that are known at load time gives a blocked value;
 * elementwise ops, pools, reductions of the image and concatenations of whole blocks keep what they read blocked; any other
 * reader gets the plain value, made once behind the op. A first layer reads the plain image. Channels are rounded up: what
 * stands in the lanes past them is never read into others (weights of such lanes are not there, reorders cut them off).
 * Weights and biases are re-laid out by ordinary ops, which depend on weights alone and run at load time.
 *
 * requires: simplify. ensures: no reorder between two blocked ops. keeps: values, symbols, results of functions. */
#include "lib/codegen/conv_plan.h"
#include "tcc/codegen.h"
#include "tcc/pass.h"

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  TccInit *init;
  int64_t lanes;
  TccConvShape machine;
  TccMap *blocked; /* plain value -> its blocked form */

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

/* x with zeros behind axis up to `size`. */
static MlirValue pad_axis(Layout *l, TccBuilder *b, MlirValue x, int axis, int64_t size) {
  MlirType type = tcc_value_type(x);
  int rank = tcc_type_rank(type);
  int64_t old;
  if (!static_dim(l, type, axis, &old) || old == size) return x;
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) low[i] = high[i] = number(l, 0);
  high[axis] = number(l, size - old);
  TccNamedAttr attrs[] = {{"low", tcc_attr_exprs(l->ir, low, (size_t)rank)}, {"high", tcc_attr_exprs(l->ir, high, (size_t)rank)}, {"mode", tcc_attr_str(l->ir, tcc_str("constant"))}};
  MlirValue operands[] = {x, {NULL}};
  MlirOperation pad = tcc_build(b, TCC_OP_PAD, operands, 2, attrs, 3, NULL);
  return mlirOperationIsNull(pad) ? (MlirValue){NULL} : mlirOperationGetResult(pad, 0);
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
    if (!static_dim(l, xt, i + 2, &s->in[i]) || !static_dim(l, rt, i + 2, &s->out[i]) || !static_dim(l, wt, i + 2, &s->kernel[i])) return false;
    s->stride[i] = strides[i], s->pad[i] = pads[i], s->dilation[i] = dilations[i];
    if (pads[i] < 0 || pads[i + 2] < 0 || s->kernel[i] < 1 || s->in[i] < 1 || s->out[i] < 1) return false;
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

static bool convolution(Layout *l, MlirOperation op) {
  TccConvShape s;
  if (!read_conv(l, op, &s)) return true;
  TccBuilder b = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue x = mlirOperationGetOperand(op, 0), bias = mlirOperationGetOperand(op, 2), result = mlirOperationGetResult(op, 0);
  MlirValue operands[3] = {x, pack_weights(l, &b, &s, mlirOperationGetOperand(op, 1)), {NULL}};
  if (mlirValueIsNull(operands[1])) return false;
  if (!s.plain) {
    Blocked *known = blocked_of(l, x);
    operands[0] = known ? known->value : to_blocks(l, &b, x, s.channels);
    if (mlirValueIsNull(operands[0])) return false;
    if (!known) set_blocked(l, x, operands[0], s.channels);
  }
  if (!tcc_value_is_none(l->ir, bias)) {
    operands[2] = pad_axis(l, &b, bias, 0, blocks_of(l, s.out_channels) * l->lanes);
    if (mlirValueIsNull(operands[2])) return false;
  }
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
  if (blocked_of(l, v)) return blocked_of(l, v)->channels == channels && tcc_type_rank(shape) == 4;
  if (rank > 4) return false;
  const TccExpr *one = number(l, 1);
  for (int i = 0; i < rank; i++) {
    int axis = i + 4 - rank;
    const TccExpr *size = tcc_type_dim(l->ir, type, i);
    if (!size) return false;
    if (size == one) continue;
    if (axis != 1 || size != number(l, channels)) return false; /* a plain image: its other readers want it plain */
  }
  return true;
}

static MlirValue as_blocks(Layout *l, TccBuilder *b, MlirValue v, int64_t channels) {
  Blocked *known = blocked_of(l, v);
  if (known) return known->value;
  MlirType type = tcc_value_type(v);
  int rank = tcc_type_rank(type);
  const TccExpr *one = number(l, 1), *n = rank == 4 ? tcc_type_dim(l->ir, type, 0) : one;
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
    operands[i] = tcc_value_is_none(l->ir, v) ? v : as_blocks(l, &b, v, image->channels);
    if (mlirValueIsNull(operands[i])) return false;
  }
  MlirType declared = tcc_type_with_elem(l->ir, tcc_value_type(image->value), tcc_type_elem(type));
  MlirValue made = rebuild(&b, op, kind, operands, (size_t)n, NULL, 0, tcc_op_has_trait(kind, 'X') ? &declared : NULL);
  if (mlirValueIsNull(made)) return false;
  set_blocked(l, result, made, image->channels);
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
    if (!tcc_get_ints(l->ir, op, names[i], &old, &n) || n != (i == 3 ? 4 : 2)) return true;
    int64_t window[] = {old[0], old[1], 1}, pads[] = {old[0], old[1], 0, i == 3 ? old[2] : 0, i == 3 ? old[3] : 0, 0};
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
  MlirValue made = rebuild(&b, op, kind, &x->value, 1, NULL, 0, NULL);
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

/* ---- the walk ---- */

/* Readers that the walk left as they were read the plain value, made behind the op that it replaces. */
static bool restore_plain(Layout *l, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  Blocked *b = blocked_of(l, result);
  if (!mlirOpOperandIsNull(mlirValueGetFirstUse(result))) {
    TccBuilder builder = {l->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
    MlirValue plain = to_plain(l, &builder, b);
    if (mlirValueIsNull(plain)) return false;
    if (!mlirTypeEqual(tcc_value_type(plain), tcc_value_type(result))) {
      MlirType type = tcc_value_type(result);
      MlirOperation same = tcc_build(&builder, TCC_OP_RESHAPE, &plain, 1, NULL, 0, &type);
      if (mlirOperationIsNull(same)) return false;
      plain = mlirOperationGetResult(same, 0);
    }
    tcc_replace_uses(result, plain);
  }
  tcc_erase(op);
  return true;
}

static bool walk(Layout *l, MlirBlock block) {
  TCC_VEC(MlirOperation) replaced = {0};
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(l->ir, op);
    bool ok = true;
    if (kind == TCC_OP_UNKNOWN) continue;
    if (kind == TCC_OP_CONV) ok = convolution(l, op);
    else if (kind == TCC_OP_POOL) ok = pool(l, op, kind);
    else if (kind == TCC_OP_REDUCE || kind == TCC_OP_MEAN) ok = reduction(l, op, kind);
    else if (kind == TCC_OP_CONCAT) ok = concat(l, op, kind);
    else if (tcc_op_has_trait(kind, 'E') && mlirOperationGetNumResults(op) == 1) ok = elementwise(l, op, kind);
    if (!ok) return false;
    if (mlirOperationGetNumResults(op) == 1 && kind != TCC_OP_CONSTANT && blocked_of(l, mlirOperationGetResult(op, 0)))
      TCC_VEC_PUSH(l->run->scratch, &replaced, op);
  }
  for (size_t i = replaced.count; i-- > 0;)
    if (!restore_plain(l, replaced.data[i])) return false;
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
    l.blocked = tcc_map_create(run->scratch);
    if (!walk(&l, tcc_func_body(func))) return mlirLogicalResultFailure();
  }
  tcc_symbolic_forget(run->ir);
  return mlirLogicalResultSuccess();
}

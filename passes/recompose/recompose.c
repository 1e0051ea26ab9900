/* recompose.c - find composites in their decomposed spellings.
 *
 *   %s = tcc.softmax(tcc.matmul(%q, %kt) * 0.125 + %mask)     =>   %r = tcc.attention %q, %k, %v, %mask {scale = 0.125}
 *   %r = tcc.matmul(%s, %v)
 *
 * Exporters write composites out below the opset that has them. Each matcher starts at the last op of a spelling and walks
 * up through values; it checks constants and axes, not names. One walk in program order, so that what is found first can
 * be part of a larger spelling (a norm without its scale, then with it).
 *
 * A composite rounds once where its spelling rounds at each op: with tcc.numerics = "eager" nothing is recomposed.
 *
 * requires: simplify. ensures: nothing is computed that was not. keeps: values up to the rounding that a composite's own
 * definition allows. */
#include "passes/recompose/recompose.h"
#include "tcc/location.h"
#include "tcc/op_kinds.h"
#include <math.h>

typedef MlirValue (*Matcher)(TccBuilder *b, MlirOperation root);
static const struct {
  TccOpKind root;
  Matcher match;
} matchers[] = {
    {TCC_OP_MATMUL, recompose_attention},
    {TCC_OP_MUL, recompose_gelu},
    {TCC_OP_MUL, recompose_swish},
    {TCC_OP_DIV, recompose_softmax},
    {TCC_OP_MUL, recompose_rms_norm},
    {TCC_OP_DIV, recompose_rms_norm},
    {TCC_OP_MUL, recompose_layer_norm},
    {TCC_OP_DIV, recompose_layer_norm},
    {TCC_OP_MUL, recompose_norm_affine},
    {TCC_OP_ADD, recompose_norm_affine},
    {TCC_OP_ADD, recompose_rotary},
    {TCC_OP_ATTENTION, recompose_grouped_heads},
    {TCC_OP_ATTENTION_LOGSUMEXP, recompose_grouped_keys},
};

MlirOperation recompose_op(TccIr *ir, MlirValue value, TccOpKind kind) {
  return tcc_value_kind(ir, value) == kind ? tcc_value_op(value) : (MlirOperation){NULL};
}

bool recompose_scalar(TccIr *ir, MlirValue value, double *out) {
  while (tcc_value_kind(ir, value) == TCC_OP_BROADCAST || tcc_value_kind(ir, value) == TCC_OP_RESHAPE)
    value = mlirOperationGetOperand(tcc_value_op(value), 0);
  size_t count;
  if (tcc_value_kind(ir, value) != TCC_OP_CONSTANT) return false;
  TccElem elem = tcc_type_elem(tcc_value_type(value));
  const void *splat = tcc_elem_is_float(elem) ? tcc_constant_splat(ir, value) : NULL;
  if (splat) {
    *out = tcc_elem_load_f64(elem, splat, 0);
    return !isnan(*out);
  }
  const void *data = tcc_elem_is_float(elem) ? tcc_constant_data(ir, value, &count) : NULL;
  if (!data || !count) return false;
  *out = tcc_elem_load_f64(elem, data, 0);
  for (size_t i = 1; i < count; i++)
    if (tcc_elem_load_f64(elem, data, i) != *out) return false;
  return true;
}

bool recompose_near(double a, double b) { return fabs(a - b) <= 1e-6 * fabs(b); }

static bool multiply_in(TccIr *ir, MlirValue value, RecomposeProduct *product, int depth) {
  double constant;
  if (recompose_scalar(ir, value, &constant)) {
    product->constant *= constant;
    return true;
  }
  MlirOperation op = depth < 4 ? tcc_value_op(value) : (MlirOperation){NULL};
  switch (mlirOperationIsNull(op) ? TCC_OP_UNKNOWN : tcc_op_kind(ir, op)) {
  case TCC_OP_NEG: product->constant = -product->constant; return multiply_in(ir, recompose_operand(op, 0), product, depth + 1);
  case TCC_OP_MUL:
    return multiply_in(ir, recompose_operand(op, 0), product, depth + 1) &&
           multiply_in(ir, recompose_operand(op, 1), product, depth + 1);
  case TCC_OP_DIV:
    if (!recompose_scalar(ir, recompose_operand(op, 1), &constant) || constant == 0) break;
    product->constant /= constant;
    return multiply_in(ir, recompose_operand(op, 0), product, depth + 1);
  case TCC_OP_POW:
    if (!recompose_scalar(ir, recompose_operand(op, 1), &constant) || (constant != 2 && constant != 3)) break;
    for (int i = 0; i < (int)constant; i++)
      if (!multiply_in(ir, recompose_operand(op, 0), product, depth + 1)) return false;
    return true;
  default: break;
  }
  if (product->count == RECOMPOSE_FACTORS) return false;
  product->factor[product->count++] = value;
  return true;
}

bool recompose_product(TccIr *ir, MlirValue value, RecomposeProduct *out) {
  *out = (RecomposeProduct){.constant = 1};
  return multiply_in(ir, value, out, 0);
}

/* ---- what a composite stands for ---- */
enum { MOST_NODES = 64 };
typedef struct {
  MlirOperation op[MOST_NODES];
  size_t count;
} Replaced;

static bool is_replaced(const Replaced *r, MlirOperation op) {
  for (size_t i = 0; i < r->count; i++)
    if (mlirOperationEqual(r->op[i], op)) return true;
  return false;
}

static bool is_unread(const Replaced *r, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    for (MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, i)); !mlirOpOperandIsNull(use);
         use = mlirOpOperandGetNextUse(use))
      if (!is_replaced(r, mlirOpOperandGetOwner(use))) return false;
  return true;
}

/* Erases root, whose result nobody reads now, and what only such ops read; the composite gets the nodes of all of them. Were they
 * left, they would be decomposed as the composite is, and the equal ones of the two be merged under the older names. */
static void replace(TccIr *ir, MlirOperation root, MlirOperation composite) {
  Replaced r = {.op = {root}, .count = 1};
  for (size_t before = 0; before != r.count;) { /* an op with two readers may be met before the second of them is known */
    before = r.count;
    for (size_t i = 0; i < r.count; i++)
      for (intptr_t k = 0; k < mlirOperationGetNumOperands(r.op[i]) && r.count < MOST_NODES; k++) {
        MlirOperation maker = tcc_value_op(mlirOperationGetOperand(r.op[i], k));
        if (mlirOperationIsNull(maker) || mlirOperationGetNumOperands(maker) == 0) continue; /* constants have no part in it */
        if (tcc_op_has_trait(tcc_op_kind(ir, maker), 'P') && !is_replaced(&r, maker) && is_unread(&r, maker))
          r.op[r.count++] = maker;
      }
  }
  MlirLocation nodes[MOST_NODES];
  for (size_t i = 0; i < r.count; i++) nodes[i] = mlirOperationGetLocation(r.op[i]);
  bool made = !mlirOperationIsNull(composite) && mlirLocationEqual(mlirOperationGetLocation(composite), nodes[0]);
  if (made) /* else it was there before */
    mlirOperationSetLocation(composite, tcc_location_fuse(ir, nodes, r.count));
  while (r.count) /* readers first */
    for (size_t i = r.count; i-- > 0;)
      if (is_unread(&(Replaced){0}, r.op[i])) {
        tcc_erase(r.op[i]);
        r.op[i] = r.op[--r.count];
      }
}

/* ---- what tcc-explain tells ---- */
typedef struct {
  TccPassRun *run;
  TCC_VEC(MlirAttribute) texts; /* a node, why, ...: tcc.almost */
} Remarks;

typedef struct {
  TccText name; /* of the first node */
  uint32_t others;
} Origin;

static void add_origin(MlirLocation node, int copy, void *user) {
  Origin *origin = user;
  (void)copy;
  if (origin->name.length) origin->others++;
  else tcc_location_name(node, &origin->name);
}

static void remark(Remarks *r, MlirOperation op, const char *why) {
  Origin origin = {0};
  if (!why) return;
  tcc_location_nodes(mlirOperationGetLocation(op), add_origin, &origin);
  if (origin.others) tcc_text_printf(&origin.name, " (+%u)", origin.others);
  MlirAttribute texts[] = {tcc_attr_str(r->run->ir, tcc_text_str(&origin.name)), tcc_attr_str(r->run->ir, tcc_str(why))};
  for (int i = 0; i < 2; i++) TCC_VEC_PUSH(r->run->scratch, &r->texts, texts[i]);
  tcc_text_destroy(&origin.name);
}

MlirLogicalResult tcc_pass_recompose(TccPassRun *run, MlirOperation module) {
  if (tcc_numerics(module) == TCC_NUMERICS_EAGER) return mlirLogicalResultSuccess();
  Remarks remarks = {.run = run};
  TCC_EACH_FUNCTION (func, module) {
    MlirBlock block = tcc_func_body(func);
    MlirOperation next;
    for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = next) {
      next = mlirOperationGetNextInBlock(op);
      TccOpKind kind = tcc_op_kind(run->ir, op);
      TccBuilder b = {run->ir, block, op, mlirOperationGetLocation(op)};
      bool matched = false;
      for (size_t i = 0; i < sizeof matchers / sizeof *matchers && !matched; i++) {
        if (matchers[i].root != kind) continue;
        MlirValue found = matchers[i].match(&b, op), old = mlirOperationGetResult(op, 0);
        if (mlirValueIsNull(found)) continue;
        if (!mlirTypeEqual(tcc_value_type(found), tcc_value_type(old))) continue; /* a broadcast that the composite lacks */
        matched = true;
        tcc_replace_uses(old, found);
        const bool viewed = tcc_value_kind(run->ir, found) == TCC_OP_RESHAPE; /* of the composite */
        replace(run->ir, op, tcc_value_op(viewed ? recompose_operand(tcc_value_op(found), 0) : found));
      }
      if (run->explain && !matched && kind == TCC_OP_MATMUL) remark(&remarks, op, recompose_no_attention(&b, op));
    }
  }
  if (remarks.texts.count)
    tcc_set_attribute(module, "tcc.almost", mlirArrayAttrGet(run->ir->context, (intptr_t)remarks.texts.count, remarks.texts.data));
  return mlirLogicalResultSuccess();
}

/* row_blocks.c - a cross-entropy over many words, one block of rows after the other.
 *
 *   %z = tcc.linear %h, %w  : [4096, 50257]        %a = tcc.barrier %h;       %a0 = tcc.slice %a [0, 1024) ...
 *   %l = tcc.log_softmax %z                  =>    %z0 = tcc.linear %a0, %w : [1024, 50257]; %l0 = tcc.log_softmax %z0
 *   %y = tcc.gather_elements %l, %i                %y0 = tcc.gather_elements %l0, %i [0, 1024) ...
 *                                                  %y = tcc.concat %y0, %y1, ...
 *
 * Logits are the largest tensor of a model of language, and nothing needs those of all rows at once: what a block's gradient needs is the
 * block's own logits. tcc-grad does the ops behind the barrier as late as it can (late.c), which is in front of the block's gradient, so
 * that one block is alive. Nothing is computed twice. It costs that the weight is packed, and its gradient added up, for each block.
 * The chunks of Liger Kernel's fused cross-entropy (Hsu et al., 2024) are the same.
 *
 * requires: valid types, composites. ensures: nothing. keeps: results; heads of a symbolic size or with other readers. */
#include "lib/ir/internal.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

typedef struct {
  MlirOperation gather, softmax, product;
  TCC_VEC(MlirOperation) between; /* conversions, from the softmax up to the product */
  int64_t rows, words;
} Head;

static bool used_once(MlirValue v) {
  MlirOpOperand use = mlirValueGetFirstUse(v);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

static bool size_of(TccIr *ir, MlirValue value, int axis, int64_t *out) {
  int rank = tcc_type_rank(tcc_value_type(value));
  return rank > 0 && tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(value), axis < 0 ? axis + rank : axis), out);
}

/* A product of rows, all axes of the left operand but its last, and a matrix that all rows share. */
static bool is_product(TccIr *ir, MlirOperation op) {
  const int64_t *batch, *contract;
  size_t nbatch, n;
  TccOpKind kind = tcc_op_kind(ir, op);
  if (kind != TCC_OP_LINEAR && kind != TCC_OP_MATMUL && kind != TCC_OP_DOT_GENERAL) return false;
  int left = tcc_type_rank(tcc_value_type(mlirOperationGetOperand(op, 0)));
  if (left < 2 || tcc_type_rank(tcc_value_type(mlirOperationGetOperand(op, 1))) != 2) return false;
  if (kind != TCC_OP_DOT_GENERAL) return true;
  return tcc_get_ints(ir, op, "lhs_batch", &batch, &nbatch) && !nbatch && tcc_get_ints(ir, op, "lhs_contract", &contract, &n) &&
         n == 1 && contract[0] == left - 1;
}

/* From the softmax up, each value with one reader. */
static bool find_product(TccPassRun *run, Head *h) {
  MlirValue v = mlirOperationGetOperand(h->softmax, 0);
  int64_t words;
  for (;; v = mlirOperationGetOperand(tcc_value_op(v), 0)) {
    TccOpKind kind = tcc_value_kind(run->ir, v);
    if (!kind || !used_once(v) || !size_of(run->ir, v, -1, &words) || words != h->words) return false;
    if (kind == TCC_OP_CONVERT) TCC_VEC_PUSH(run->scratch, &h->between, tcc_value_op(v));
    else if (kind != TCC_OP_RESHAPE) break;
  }
  h->product = tcc_value_op(v);
  return is_product(run->ir, h->product);
}

static bool find_head(TccPassRun *run, MlirOperation gather, Head *out) {
  TccIr *ir = run->ir;
  *out = (Head){.gather = gather};
  if (tcc_op_kind(ir, gather) != TCC_OP_GATHER_ELEMENTS || tcc_i64(ir, gather, "axis") != 1) return false;
  MlirValue l = mlirOperationGetOperand(gather, 0), indices = mlirOperationGetOperand(gather, 1);
  int64_t rows, each;
  if (tcc_value_kind(ir, l) != TCC_OP_LOG_SOFTMAX || tcc_type_rank(tcc_value_type(l)) != 2 || !used_once(l)) return false;
  out->softmax = tcc_value_op(l);
  return tcc_i64(ir, out->softmax, "axis") == 1 && size_of(ir, l, 0, &out->rows) && size_of(ir, l, 1, &out->words) &&
         size_of(ir, indices, 0, &rows) && rows == out->rows && size_of(ir, indices, 1, &each) && each == 1 &&
         find_product(run, out);
}

/* ---- blocks ---- */
/* The op with other operands; the contracted axis of a left operand of two axes is the second. */
static MlirValue again(TccBuilder *b, MlirOperation op, const MlirValue *operands) {
  TccNamedAttr attrs[16];
  size_t n = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op) && n < 16; i++) {
    MlirNamedAttribute own = mlirOperationGetAttribute(op, i);
    const char *name = mlirIdentifierStr(own.name).data;
    attrs[n++] = (TccNamedAttr){name, strcmp(name, "lhs_contract") ? own.attribute : tcc_attr_ints(b->ir, (int64_t[]){1}, 1)};
  }
  return tcc_build_value(b, tcc_op_kind(b->ir, op), operands, (size_t)mlirOperationGetNumOperands(op), attrs, n, NULL);
}

static MlirValue part(TccBuilder *b, MlirValue x, int64_t from, int64_t count) {
  return tcc_build_slice_axis(b, x, 0, tcc_expr_const(b->ir->exprs, from), 1, tcc_expr_const(b->ir->exprs, count));
}

static MlirValue block(TccBuilder *b, const Head *h, MlirValue rows, int64_t from, int64_t count) {
  MlirValue operands[TCC_MAX_OPERANDS];
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(h->product); i++) operands[i] = mlirOperationGetOperand(h->product, i);
  operands[0] = part(b, rows, from, count);
  if (!operands[0].ptr) return operands[0];
  MlirValue v = again(b, h->product, operands);
  for (size_t i = h->between.count; i-- > 0 && v.ptr;) v = again(b, h->between.data[i], &v);
  if (v.ptr) v = again(b, h->softmax, &v);
  MlirValue pair[] = {v, part(b, mlirOperationGetOperand(h->gather, 1), from, count)};
  return v.ptr && pair[1].ptr ? again(b, h->gather, pair) : (MlirValue){NULL};
}

static bool split(TccPassRun *run, MlirBlock in, const Head *h, int64_t each) {
  TccIr *ir = run->ir;
  TccBuilder b = {ir, in, h->gather, mlirOperationGetLocation(h->product)};
  MlirValue left = mlirOperationGetOperand(h->product, 0), *parts = TCC_NEW_ARRAY(run->scratch, MlirValue, h->rows / each + 2);
  const TccExpr *dims[] = {tcc_expr_const(ir->exprs, h->rows),
                           tcc_type_dim(ir, tcc_value_type(left), tcc_type_rank(tcc_value_type(left)) - 1)};
  MlirValue rows = tcc_build_reshape(&b, tcc_build1(&b, TCC_OP_BARRIER, left), 2, dims);
  size_t n = 0;
  for (int64_t from = 0; from < h->rows && rows.ptr; from += each) {
    parts[n] = block(&b, h, rows, from, h->rows - from < each ? h->rows - from : each);
    if (!parts[n++].ptr) return false;
  }
  MlirValue all = rows.ptr ? tcc_build_concat(&b, parts, n, 0) : rows;
  if (!all.ptr) return false;
  tcc_replace_uses(mlirOperationGetResult(h->gather, 0), all);
  for (MlirOperation op = h->gather, above;; op = above) { /* nothing reads them any more */
    bool last = mlirOperationEqual(op, h->product);
    above = last ? op : tcc_value_op(mlirOperationGetOperand(op, 0));
    tcc_erase(op);
    if (last) return true;
  }
}

MlirLogicalResult tcc_pass_row_blocks(TccPassRun *run, MlirOperation module) {
  int64_t each = tcc_pass_number(run, "rows");
  MlirOperation main = tcc_module_find(run->ir, module, tcc_str("main"));
  if (mlirOperationIsNull(main) || each < 1) return mlirLogicalResultSuccess();
  MlirBlock in = tcc_func_body(main);
  for (MlirOperation op = mlirBlockGetFirstOperation(in), next; !mlirOperationIsNull(op); op = next) {
    Head h;
    next = mlirOperationGetNextInBlock(op);
    if (find_head(run, op, &h) && h.rows >= 2 * each && !split(run, in, &h, each)) return mlirLogicalResultFailure();
  }
  return mlirLogicalResultSuccess();
}

/* dequantize.c - see dequantize.h. */
#include "lib/ir/dequantize.h"
#include "tcc/op_kinds.h"

static bool is_stored(TccElem elem) {
  return elem == TCC_ELEM_I8 || elem == TCC_ELEM_U8 || elem == TCC_ELEM_I4 || elem == TCC_ELEM_U4;
}

const void *tcc_stored_number(const TccOperandGraph *graph, const void *node) {
  if (graph->kind(graph->of, node) != TCC_OP_CONVERT) return NULL;
  const void *q = graph->operand(graph->of, node, 0);
  return is_stored(graph->elem(graph->of, q)) ? q : NULL;
}

const void *tcc_stored_difference(const TccOperandGraph *graph, const void *node, const void **out_zero) {
  *out_zero = NULL;
  if (graph->kind(graph->of, node) == TCC_OP_SUB) {
    *out_zero = graph->operand(graph->of, node, 1);
    node = graph->operand(graph->of, node, 0);
  }
  return tcc_stored_number(graph, node);
}

bool tcc_is_zero_point(double value) { return value >= -128 && value <= 255 && value == (double)(int)value; }

/* ---- values of the IR ---- */
static TccOpKind kind_of(const void *ir, const void *node) { return tcc_value_kind((TccIr *)ir, (MlirValue){node}); }
static TccElem elem_of(const void *ir, const void *node) {
  (void)ir;
  return tcc_value_elem((MlirValue){node});
}
static const void *operand_of(const void *ir, const void *node, int i) {
  (void)ir;
  return mlirOperationGetOperand(tcc_value_op((MlirValue){node}), i).ptr;
}

bool tcc_read_difference(TccIr *ir, MlirValue v, TccDequantized *out) {
  const TccOperandGraph graph = {ir, kind_of, elem_of, operand_of};
  *out = (TccDequantized){0};
  out->q.ptr = tcc_stored_difference(&graph, v.ptr, &out->zero.ptr);
  return out->q.ptr && tcc_type_same_shape(ir, tcc_value_type(out->q), tcc_value_type(v));
}

bool tcc_read_dequantized(TccIr *ir, MlirValue v, TccDequantized *out) {
  if (tcc_value_kind(ir, v) != TCC_OP_MUL || tcc_value_elem(v) != TCC_ELEM_F32) return false;
  for (int side = 0; side < 2; side++) {
    MlirValue x = mlirOperationGetOperand(tcc_value_op(v), side);
    if (!tcc_type_same_shape(ir, tcc_value_type(x), tcc_value_type(v)) || !tcc_read_difference(ir, x, out)) continue;
    out->scale = mlirOperationGetOperand(tcc_value_op(v), 1 - side);
    return true;
  }
  return false;
}

/* contract.c - expansions into dot_general: linear, matmul; embedding. */
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"

/* v * w over v's last axis, floats of 16 bits, as f32. */
static MlirValue wide_product(TccExpand *x, MlirValue v, MlirValue w, int64_t last, int64_t input) {
  MlirAttribute none = tcc_attr_ints(x->ir, NULL, 0);
  TccNamedAttr attributes[] = {{"lhs_batch", none},
                               {"rhs_batch", none},
                               {"lhs_contract", tcc_attr_ints(x->ir, &last, 1)},
                               {"rhs_contract", tcc_attr_ints(x->ir, &input, 1)},
                               {"wide", tcc_attr_bool(x->ir, true)}};
  return tcc_build_value(x->b, TCC_OP_DOT_GENERAL, (MlirValue[]){v, w}, 2, attributes, 5, NULL);
}

/* To a sum of 16 bits a bias is added before it is rounded, as PyTorch has it. */
bool tcc_expand_linear(TccExpand *x, MlirValue *results) {
  MlirValue v = tcc_ex_operand(x, 0), w = tcc_ex_operand(x, 1), bias = tcc_ex_operand(x, 2);
  int64_t last = tcc_type_rank(tcc_value_type(v)) - 1, input = tcc_bool(x->ir, x->op, "transposed") ? 1 : 0;
  bool half = x->elem == TCC_ELEM_F16 || x->elem == TCC_ELEM_BF16;
  MlirValue r = bias.ptr && half ? wide_product(x, v, w, last, input) : tcc_ex_dot(x, v, w, 0, last, input);
  if (bias.ptr && half) bias = tcc_ex_in(x, 2);
  if (bias.ptr) r = tcc_build2(x->b, TCC_OP_ADD, r, bias);
  results[0] = bias.ptr && half ? tcc_ex_out(x, r) : r;
  return results[0].ptr != NULL;
}

/* The batch axes of both under their common shape; a is broadcast only where it differs. */
static MlirValue with_batch(TccExpand *x, MlirValue a, const TccShape *shape, const TccExpr *const *batch, int nbatch) {
  TccShape full = {nbatch + 2, {NULL}};
  for (int i = 0; i < nbatch; i++) full.dims[i] = batch[i];
  full.dims[nbatch] = shape->dims[shape->rank - 2];
  full.dims[nbatch + 1] = shape->dims[shape->rank - 1];
  return tcc_build_broadcast(x->b, a, full.rank, full.dims);
}

MlirValue tcc_ex_row_sums(TccExpand *x, MlirValue a, MlirValue b, int rank) {
  const int64_t *perm;
  int64_t swapped[TCC_MAX_RANK], k = rank - 2;
  size_t n;
  bool along = tcc_value_kind(x->ir, b) == TCC_OP_TRANSPOSE && tcc_get_ints(x->ir, tcc_value_op(b), "perm", &perm, &n);
  for (int i = 0; i < rank; i++) swapped[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  for (int i = 0; i < rank && along; i++) along = perm[i] == swapped[i];
  if (along) b = mlirOperationGetOperand(tcc_value_op(b), 0), k = rank - 1;
  else a = tcc_build_transpose(x->b, a, swapped);
  MlirValue sums = a.ptr ? tcc_build_reduce(x->b, "sum", tcc_build2(x->b, TCC_OP_MUL, a, b), &k, 1, true) : a;
  return along && sums.ptr ? tcc_build_transpose(x->b, sums, swapped) : sums;
}

static bool is_one(const TccExpr *size) {
  int64_t n;
  return tcc_expr_is_const(size, &n) && n == 1;
}

/* NumPy matmul. A vector is contracted away; b of rank 2 is shared by all batches, which then are plain rows. */
bool tcc_expand_matmul(TccExpand *x, MlirValue *results) {
  MlirValue a = tcc_ex_operand(x, 0), b = tcc_ex_operand(x, 1);
  TccShape sa, sb;
  if (!tcc_ex_shape(x, a, &sa) || !tcc_ex_shape(x, b, &sb)) return false;
  if (sa.rank <= 1 || sb.rank <= 2) {
    results[0] = tcc_ex_dot(x, a, b, 0, sa.rank - 1, sb.rank > 1 ? sb.rank - 2 : 0);
    return results[0].ptr != NULL;
  }
  int nbatch = (sa.rank > sb.rank ? sa.rank : sb.rank) - 2;
  const TccExpr *batch[TCC_MAX_RANK];
  bool one = true, own = true; /* each batch has its own b */
  for (int i = 0; i < nbatch; i++) {
    int ia = i - nbatch + sa.rank - 2, ib = i - nbatch + sb.rank - 2;
    const TccExpr *da = ia < 0 ? tcc_ex_const(x, 1) : sa.dims[ia], *db = ib < 0 ? tcc_ex_const(x, 1) : sb.dims[ib];
    batch[i] = is_one(da) ? db : da;
    one = one && is_one(batch[i]), own = own && db == batch[i];
  }
  bool full = tcc_elem_is_float(x->elem) && x->compute == x->elem && sa.rank == sb.rank && own;
  if (x->row_sums && full && !one && is_one(sa.dims[sa.rank - 2])) {
    results[0] = tcc_ex_row_sums(x, a, b, sa.rank);
    return results[0].ptr != NULL;
  }
  a = with_batch(x, a, &sa, batch, nbatch);
  b = with_batch(x, b, &sb, batch, nbatch);
  results[0] = tcc_ex_dot(x, a, b, (size_t)nbatch, nbatch + 1, nbatch);
  return results[0].ptr != NULL;
}

bool tcc_expand_embedding(TccExpand *x, MlirValue *results) {
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(x->b->ir, 0)},
                          {"valid", tcc_attr_str(x->b->ir, tcc_string(x->b->ir, x->op, "valid"))}};
  MlirValue operands[] = {tcc_ex_operand(x, 0), tcc_ex_operand(x, 1)};
  MlirOperation gather = tcc_build(x->b, TCC_OP_GATHER, operands, 2, attrs, 2, NULL);
  results[0] = mlirOperationIsNull(gather) ? (MlirValue){NULL} : mlirOperationGetResult(gather, 0);
  return results[0].ptr != NULL;
}

/* attention_takes.c - which attentions the emitter takes, as far as their types tell. */
#include "lib/targets/x86/attention/attention.h"
#include "lib/targets/x86/attention/attention_internal.h"

bool tcc_attention_keeps(TccIr *ir, MlirOperation op) { return tcc_attention_takes(ir, op, MOST_DEPTH); }

bool tcc_attention_joins(const TccMachine *machine, TccIr *ir, MlirOperation op) {
  MlirType q = tcc_value_type(mlirOperationGetOperand(op, 0)), k = tcc_value_type(mlirOperationGetOperand(op, 1));
  MlirValue mask = mlirOperationGetOperand(op, 3);
  const TccExpr *one = tcc_expr_const(ir->exprs, 1), *heads = tcc_type_dim(ir, q, 1), *groups = tcc_type_dim(ir, k, 1);
  const TccExpr *ratio = heads == groups ? one : tcc_expr_divide_exactly(ir->exprs, heads, groups);
  TccMicroType type;
  int64_t repeat;
  if (!tcc_attention_keeps(ir, op) || tcc_type_dim(ir, q, 2) != one || !ratio || !tcc_expr_is_const(ratio, &repeat)) return false;
  if (!tcc_micro_type_plain(machine, tcc_type_elem(q), tcc_type_elem(q), &type)) return false;
  if (repeat == 1) return true;
  /* A group's queries are taken together where they have one mask. */
  bool shared = tcc_value_is_none(ir, mask) || tcc_type_rank(tcc_value_type(mask)) < 3 ||
                tcc_type_dim(ir, tcc_value_type(mask), tcc_type_rank(tcc_value_type(mask)) - 3) == one;
  return shared && attention_padded_queries(repeat) <= type.lanes && repeat <= MOST_QUERIES;
}

/* simplify.c - tcc-simplify: one pass forwards over each block, one backwards.
 *
 *   %1 = "tcc.transpose"(%0) {perm = [1, 0]}; %2 = "tcc.transpose"(%1) {perm = [1, 0]}; use(%2)    ->    use(%0)
 *
 * Forwards: an op's operands have been simplified before it, and every rewrite looks only at the op and the ops that
 * define its operands; so one visit an op is enough, and an op that a rewrite makes is visited at once, before the op
 * it was made for. An op is first replaced by a constant or by algebra, else by an equal op seen before (common
 * subexpressions, by hash of name, attributes, types and operands). Backwards: pure ops without uses go, but not one that counts a size
 * which something else has. Linear in the
 * number of ops.
 *
 * requires: verified ops. ensures: no dead pure op, no two equal pure ops in a block. keeps: result types, other
 * dialects. */
#include "passes/simplify/simplify.h"
#include "lib/ir/op_symbols.h"
#include "tcc/op_kinds.h"

enum { MOST_DEPTH = 8 };

static MlirValue null_value(void) { return (MlirValue){NULL}; }

TccBuilder tcc_simplify_builder(const Simplify *s) {
  return (TccBuilder){s->ir, mlirOperationGetBlock(s->op), s->op, mlirOperationGetLocation(s->op)};
}

/* The key of common subexpressions. Operands of commutative ops are ordered by address: only equality matters. */
static TccStr key_of(Simplify *s, MlirOperation op, TccOpKind kind) {
  intptr_t noperands = mlirOperationGetNumOperands(op), nresults = mlirOperationGetNumResults(op);
  const void **key = TCC_NEW_ARRAY(s->arena, const void *, 2 + noperands + nresults);
  size_t count = 0;
  key[count++] = mlirOperationGetName(op).ptr;
  key[count++] = tcc_op_attributes(s->ir, op).ptr;
  for (intptr_t i = 0; i < noperands; i++) key[count++] = mlirOperationGetOperand(op, i).ptr;
  if (tcc_op_has_trait(kind, 'C') && key[2] > key[3]) {
    const void *first = key[2];
    key[2] = key[3], key[3] = first;
  }
  for (intptr_t i = 0; i < nresults; i++) key[count++] = mlirValueGetType(mlirOperationGetResult(op, i)).ptr;
  return (TccStr){(const char *)key, count * sizeof *key};
}

/* Replaces all results by those of an equal op, if there is one; remembers op otherwise. */
static bool replace_by_equal(Simplify *s, MlirOperation op, TccOpKind kind) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(s->seen, key_of(s, op, kind), &inserted);
  if (inserted) {
    entry->pointer = op.ptr;
    return false;
  }
  MlirOperation equal = {entry->pointer};
  if (mlirOperationEqual(equal, op)) return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    tcc_replace_uses(mlirOperationGetResult(op, i), mlirOperationGetResult(equal, i));
  return true;
}

/* The value that stands for op's first result afterwards. */
static MlirValue visit(Simplify *s, MlirOperation op) {
  Simplify inner = *s;
  inner.op = op;
  inner.kind = tcc_op_kind(s->ir, op);
  MlirValue result = mlirOperationGetNumResults(op) ? mlirOperationGetResult(op, 0) : null_value();
  if (!inner.kind || !tcc_op_has_trait(inner.kind, 'P')) return result;
  MlirValue replacement = null_value();
  if (mlirOperationGetNumResults(op) == 1 && s->depth < MOST_DEPTH) {
    replacement = tcc_simplify_fold(&inner);
    if (!replacement.ptr) replacement = tcc_simplify_algebra(&inner);
    if (!replacement.ptr) replacement = tcc_simplify_view(&inner);
  }
  if (replacement.ptr) {
    tcc_replace_uses(result, replacement);
    return replacement;
  }
  if (!replace_by_equal(s, op, inner.kind)) return result;
  MlirOperation equal = {tcc_map_find(s->seen, key_of(s, op, inner.kind))->pointer};
  return mlirOperationGetResult(equal, 0);
}

MlirValue tcc_simplify_made(Simplify *s, MlirValue v) {
  if (!v.ptr || mlirOperationIsNull(tcc_value_op(v))) return v;
  if (mlirOperationGetNumResults(tcc_value_op(v)) != 1) return v; /* nothing was made: it is an operand, and maybe not result 0 */
  Simplify inner = *s;
  inner.depth++;
  return visit(&inner, tcc_value_op(v));
}

static bool is_used(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, i)))) return true;
  return false;
}

/* ---- sizes that an op decides ---- */
static void note_symbol(TccStr name, void *named) { tcc_map_put(named, name, NULL); }

/* Where an op of these counts a size: the sizes that constraints are about, and room for those that ops have. Else NULL. */
static TccMap *named_sizes(const Simplify *s, const MlirOperation *ops, size_t count) {
  size_t i = 0, constraints;
  while (i < count && tcc_op_kind(s->ir, ops[i]) != TCC_OP_NONZERO) i++;
  if (i == count) return NULL;
  TccMap *named = tcc_map_create(s->arena);
  const TccConstraint *all = tcc_ir_constraints(s->ir, s->module, &constraints);
  for (size_t c = 0; c < constraints; c++) {
    tcc_expr_symbols(all[c].left, note_symbol, named);
    tcc_expr_symbols(all[c].right, note_symbol, named);
  }
  return named;
}

/* From the last op on, so that what only dead ops read is dead too. An op that counts a size lives while another op or a constraint has it. */
static void erase_dead(const Simplify *s, const MlirOperation *ops, size_t count) {
  TccMap *named = named_sizes(s, ops, count);
  for (size_t i = count; i-- > 0;) {
    TccOpKind kind = tcc_op_kind(s->ir, ops[i]);
    bool counts = kind == TCC_OP_NONZERO && tcc_map_find(named, tcc_string(s->ir, ops[i], "size"));
    if (tcc_op_has_trait(kind, 'P') && !is_used(ops[i]) && !counts) tcc_erase(ops[i]);
    else if (named) tcc_op_symbols(s->ir, ops[i], named);
  }
}

static MlirLogicalResult simplify_block(Simplify *s, MlirBlock block) {
  TCC_VEC(MlirOperation) ops = {0};
  Simplify inner = *s;
  inner.seen = tcc_map_create(s->arena);
  TCC_EACH_OP (op, block) {
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock nested = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(nested);
           nested = mlirBlockGetNextInRegion(nested))
        if (mlirLogicalResultIsFailure(simplify_block(s, nested))) return mlirLogicalResultFailure();
    if (mlirLogicalResultIsFailure(tcc_limit_check(s->ir, op))) return mlirLogicalResultFailure();
    visit(&inner, op);
  }
  TCC_EACH_OP (op, block) TCC_VEC_PUSH(s->arena, &ops, op);
  erase_dead(s, ops.data, ops.count);
  return mlirLogicalResultSuccess();
}

MlirLogicalResult tcc_pass_simplify(TccPassRun *run, MlirOperation module) {
  Simplify s = {.ir = run->ir, .module = module, .arena = run->scratch, .eager = tcc_numerics(module) == TCC_NUMERICS_EAGER};
  MlirLogicalResult result = mlirLogicalResultSuccess();
  tcc_symbolic_forget(run->ir);
  for (intptr_t r = 0; r < mlirOperationGetNumRegions(module); r++)
    for (MlirBlock block = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, r));
         !mlirBlockIsNull(block) && mlirLogicalResultIsSuccess(result); block = mlirBlockGetNextInRegion(block))
      result = simplify_block(&s, block);
  tcc_symbolic_forget(run->ir);
  return result;
}

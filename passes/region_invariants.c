/* region_invariants.c - compute once what every call of a region computes from the same operands.
 *
 *   %1 = call @layer(%0, %mask, %w1)                %m = tcc.select %mask, 0, -inf
 *   %2 = call @layer(%1, %mask, %w2)          =>    %1 = call @layer(%0, %w1, %m)
 *   @layer(%x, %mask, %w):                          %2 = call @layer(%1, %w2, %m)
 *     %m = tcc.select %mask, 0, -inf                @layer(%x, %w, %m):
 *     ... tcc.attention %q, %k, %v, %m                ... tcc.attention %q, %k, %v, %m
 *
 * Regions that PyTorch compiles by themselves have masks and tables of positions in them, which each layer makes anew. An op moves if it computes
 * much, or if what reads it reads memory (attention, products), so that it would be a kernel of its own; what else elementwise ops read is fused into
 * their kernels for nothing. Its result has no more elements than the largest of its operands, so that memory does not grow much. Ops that check
 * indices stay, and what no argument decides is computed once as it is, when the model is loaded.
 *
 * requires: decompose. ensures: nothing. keeps: results. */
#include "lib/ir/attention.h"
#include "lib/ir/callers.h"
#include "lib/ir/internal.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

/* What is known of an op of the region. */
typedef struct {
  bool same;     /* each call gives the same */
  bool argument; /* an argument decides it */
  bool moves;    /* is an argument afterwards */
  bool gone;     /* nobody in the region reads it afterwards */
  bool needed;   /* stands in front of the first call afterwards */
} Facts;

typedef struct {
  TccPassRun *run;
  const TccCallers *region;
  TccPointerMap facts;   /* op -> Facts */
  TccPointerMap outside; /* value of the region -> the value in front of the first call */
} Hoist;

/* ---- what is the same ---- */

/* All calls give the argument the same value, of the type that the region has for it. */
static bool is_same_argument(const TccCallers *region, MlirValue argument) {
  intptr_t n = mlirBlockArgumentGetArgNumber(argument);
  MlirValue value = mlirOperationGetOperand(region->calls.data[0], n);
  for (size_t i = 1; i < region->calls.count; i++)
    if (!mlirValueEqual(value, mlirOperationGetOperand(region->calls.data[i], n))) return false;
  return mlirTypeEqual(mlirValueGetType(value), mlirValueGetType(argument));
}

static bool computes(TccOpKind kind) { return tcc_op_has_trait(kind, 'E') || kind == TCC_OP_DOT_GENERAL || kind == TCC_OP_REDUCE; }

static bool is_view(TccOpKind kind) { return kind && tcc_op_has_trait(kind, 'V'); }

static Facts *facts_of(const Hoist *h, MlirValue value) {
  return mlirValueIsABlockArgument(value) ? NULL : tcc_pointer_map_get(&h->facts, tcc_value_op(value).ptr);
}

/* Of an op whose operands' ops are known. */
static void note_op(Hoist *h, MlirOperation op) {
  Facts *f = TCC_NEW(h->run->scratch, Facts);
  TccOpKind kind = tcc_op_kind(h->run->ir, op);
  intptr_t noperands = mlirOperationGetNumOperands(op);
  *f = (Facts){.same = kind && tcc_op_has_trait(kind, 'P') && !mlirOperationGetNumRegions(op) &&
                       mlirOperationGetNumResults(op) == 1 && (!noperands || computes(kind) || is_view(kind))};
  for (intptr_t i = 0; i < noperands; i++) {
    MlirValue x = mlirOperationGetOperand(op, i);
    const Facts *of = facts_of(h, x);
    f->same = f->same && (of ? of->same : is_same_argument(h->region, x));
    f->argument = f->argument || !of || of->argument;
  }
  tcc_pointer_map_set(&h->facts, op.ptr, f);
}

/* ---- what is worth it ---- */

static bool is_expensive(TccOpKind kind) {
  switch (kind) {
  case TCC_OP_DOT_GENERAL:
  case TCC_OP_REDUCE:
  case TCC_OP_SIN:
  case TCC_OP_COS:
  case TCC_OP_TAN:
  case TCC_OP_POW: return true;
  default: return false;
  }
}

/* Kernels of these read the operand from memory. */
static bool is_read_from_memory(TccIr *ir, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation reader = mlirOpOperandGetOwner(use);
    TccOpKind kind = tcc_op_kind(ir, reader);
    if (tcc_is_attention(kind) || kind == TCC_OP_DOT_GENERAL || kind == TCC_OP_CONV) return true;
    if (is_view(kind) && is_read_from_memory(ir, mlirOperationGetResult(reader, 0))) return true;
  }
  return false;
}

static bool is_at_most(const TccExpr *a, const TccExpr *b) {
  int64_t x, y;
  return a == b || (tcc_expr_is_const(a, &x) && tcc_expr_is_const(b, &y) && x <= y);
}

static bool is_worth_it(TccIr *ir, MlirOperation op) {
  TccOpKind kind = tcc_op_kind(ir, op);
  if (!kind || !computes(kind) || mlirOperationGetNumResults(op) != 1) return false;
  MlirValue result = mlirOperationGetResult(op, 0);
  if (!is_expensive(kind) && !is_read_from_memory(ir, result)) return false;
  const TccExpr *count = tcc_type_count(ir, tcc_value_type(result));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue x = mlirOperationGetOperand(op, i);
    if (!tcc_value_is_none(ir, x) && is_at_most(count, tcc_type_count(ir, tcc_value_type(x)))) return true;
  }
  return false;
}

/* ---- moving ---- */

/* What a value of the region is in front of its first call. */
static MlirValue outside(const Hoist *h, MlirValue value) {
  if (mlirValueIsABlockArgument(value))
    return mlirOperationGetOperand(h->region->calls.data[0], mlirBlockArgumentGetArgNumber(value));
  return (MlirValue){tcc_pointer_map_get(&h->outside, value.ptr)};
}

static void copy_outside(Hoist *h, MlirOperation op) {
  MlirOperation call = h->region->calls.data[0], copy = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(copy); i++)
    mlirOperationSetOperand(copy, i, outside(h, mlirOperationGetOperand(copy, i)));
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, copy);
  tcc_pointer_map_set(&h->outside, mlirOperationGetResult(op, 0).ptr, (void *)mlirOperationGetResult(copy, 0).ptr);
}

/* Whether an op moves, and what it needs then. Of an op whose readers are known. */
static void decide(Hoist *h, MlirOperation op) {
  Facts *f = tcc_pointer_map_get(&h->facts, op.ptr);
  if (!f->same) return;
  f->gone = true;
  MlirOpOperand use = mlirValueGetFirstUse(mlirOperationGetResult(op, 0));
  for (; !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    const Facts *reader = tcc_pointer_map_get(&h->facts, mlirOpOperandGetOwner(use).ptr);
    f->gone = f->gone && reader->gone;
    f->needed = f->needed || reader->needed;
  }
  f->moves = !f->gone && f->argument && is_worth_it(h->run->ir, op);
  f->gone = f->gone || f->moves, f->needed = f->needed || f->moves;
}

static void hoist_from(TccPassRun *run, const TccCallers *region) {
  Hoist h = {.run = run, .region = region, .facts = {.arena = run->scratch}, .outside = {.arena = run->scratch}};
  TCC_VEC(MlirOperation) ops = {0};
  TCC_EACH_OP (op, tcc_func_body(region->func)) TCC_VEC_PUSH(run->scratch, &ops, op);
  for (size_t i = 0; i < ops.count; i++) note_op(&h, ops.data[i]);
  for (size_t i = ops.count; i-- > 0;) decide(&h, ops.data[i]);
  for (size_t i = 0; i < ops.count; i++)
    if (((Facts *)tcc_pointer_map_get(&h.facts, ops.data[i].ptr))->needed) copy_outside(&h, ops.data[i]);
  for (size_t i = ops.count; i-- > 0;) {
    const Facts *f = tcc_pointer_map_get(&h.facts, ops.data[i].ptr);
    if (f->moves) {
      MlirValue result = mlirOperationGetResult(ops.data[i], 0), value = outside(&h, result);
      for (size_t c = 0; c < region->calls.count; c++) tcc_call_add_operand(run->ir, region->calls.data[c], value);
      tcc_replace_uses(result, tcc_func_add_argument(run->ir, region->func, tcc_value_type(result)));
    }
    if (f->gone) tcc_erase(ops.data[i]);
  }
}

MlirLogicalResult tcc_pass_region_invariants(TccPassRun *run, MlirOperation module) {
  size_t count;
  const TccCallers *regions = tcc_callers(run->ir, run->scratch, module, &count);
  for (size_t i = 0; i < count; i++) {
    const TccCallers *region = &regions[i];
    if (region->calls.count > 1 && !region->loop && !region->blocks && !tcc_has_attribute(region->func, "arg_attrs"))
      hoist_from(run, region);
  }
  return mlirLogicalResultSuccess();
}

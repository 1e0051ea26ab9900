/* autocast.c - tcc-autocast: mixed precision, by the lists that traits N and W of the table of ops are.
 *
 *   before: %y = tcc.linear %x, %w, %b : f32                     %z = tcc.relu %y : f32; %p = tcc.softmax %z : f32
 *   after:  %y = tcc.linear bf16(%x), bf16(%w), bf16(%b) : bf16  %z = tcc.relu %y : bf16; %p = tcc.softmax f32(%z) : f32
 *
 * Products, convolutions and attention (N) compute in the narrow type, which they sum up in f32; exponentials, logarithms, norms and
 * reductions (W) in f32, as PyTorch's autocast has it; the batch norm of a narrow image gives a narrow image. Other ops follow: narrow where
 * all that they read was made narrow, scalar constants left aside, else f32. A value is converted once, where it is first asked for; parameters stay f32, so that tcc-grad, which comes behind,
 * gives f32 gradients. Only what was f32 is touched. A machine whose
 * convolutions are no faster for it keeps them in f32; products with numbers of bytes stay what they are, too. LSTMs, GRUs and RNNs become
 * loops here: their products are narrow, gates and states f32.
 *
 * requires: valid types; kernels are not made yet. ensures: nothing else. keeps: the types of functions, and of what calls and loops
 * pass. */
#include "lib/ir/dequantize.h"
#include "lib/ir/internal.h"
#include "passes/decompose/expand.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include "tcc/target.h"

typedef struct {
  TccIr *ir;
  TccElem narrow;
  const TccTargetInfo *target;
  TccPointerMap narrowed; /* value -> itself: was f32 and is narrow now */
  TccPointerMap as[2];    /* value -> its value in f32, in the narrow type */
} Autocast;

static bool is_narrowed(Autocast *a, MlirValue value) { return tcc_pointer_map_get(&a->narrowed, value.ptr) != NULL; }
static bool was_f32(Autocast *a, MlirValue value) { return tcc_value_elem(value) == TCC_ELEM_F32 || is_narrowed(a, value); }

static bool is_scalar_constant(Autocast *a, MlirValue value) {
  return tcc_value_kind(a->ir, value) == TCC_OP_CONSTANT && tcc_type_rank(tcc_value_type(value)) == 0;
}

/* The value in f32 or the narrow type, in front of op. */
static MlirValue cast(Autocast *a, MlirOperation op, MlirValue value, bool narrow) {
  TccElem elem = narrow ? a->narrow : TCC_ELEM_F32;
  if (tcc_value_elem(value) == elem) return value;
  void *known = tcc_pointer_map_get(&a->as[narrow], value.ptr);
  if (known) return (MlirValue){known};
  TccBuilder b = {a->ir, mlirOperationGetBlock(op), op, mlirOperationGetLocation(op)};
  MlirValue made = tcc_build_convert(&b, value, elem);
  tcc_pointer_map_set(&a->as[narrow], value.ptr, (void *)made.ptr);
  return made;
}

/* Whether an op that follows is narrow. */
static bool follows_narrow(Autocast *a, MlirOperation op) {
  bool any = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (is_narrowed(a, value)) any = true;
    else if (was_f32(a, value) && !is_scalar_constant(a, value)) return false;
  }
  return any;
}

static bool is_convolution(TccOpKind kind) {
  return kind == TCC_OP_CONV || kind == TCC_OP_CONV_TRANSPOSE || kind == TCC_OP_CONV_FILTER_GRAD;
}

/* Numbers that are kept in bytes or halves of bytes: kernels read them so, and convert each where it meets a product. */
static bool is_quantized(Autocast *a, MlirValue value) {
  for (TccOpKind kind;
       (kind = tcc_value_kind(a->ir, value)) == TCC_OP_TRANSPOSE || kind == TCC_OP_RESHAPE || kind == TCC_OP_CONVERT;) {
    value = mlirOperationGetOperand(tcc_value_op(value), 0);
    if (!tcc_elem_is_float(tcc_value_elem(value))) return kind == TCC_OP_CONVERT;
  }
  TccDequantized numbers;
  return tcc_read_dequantized(a->ir, value, &numbers);
}

static bool reads_quantized(Autocast *a, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    if (is_quantized(a, mlirOperationGetOperand(op, i))) return true;
  return false;
}

static bool is_narrow(Autocast *a, MlirOperation op, TccOpKind kind) {
  const TccTarget *target = a->target->of;
  if (is_convolution(kind) && target->wide_convolution && target->wide_convolution(&a->target->machine, a->narrow, kind))
    return false;
  if (kind == TCC_OP_UNKNOWN || kind == TCC_OP_BITCAST || tcc_op_has_trait(kind, 'W')) return false;
  return tcc_op_has_trait(kind, 'N') ? !reads_quantized(a, op) : follows_narrow(a, op);
}

/* Whether what it gives stays f32 where its operands are narrow. */
static bool gives_wide(Autocast *a, MlirOperation op, TccOpKind kind) {
  return kind == TCC_OP_ATTENTION_LOGSUMEXP || (kind == TCC_OP_DOT_GENERAL && tcc_bool(a->ir, op, "wide"));
}

/* A result in f32 that its readers get in the narrow type. */
static void narrow_result(Autocast *a, MlirOperation op, MlirValue result) {
  TccBuilder b = {a->ir, mlirOperationGetBlock(op), mlirOperationGetNextInBlock(op), mlirOperationGetLocation(op)};
  MlirValue made = tcc_build_convert(&b, result, a->narrow);
  mlirValueReplaceAllUsesExcept(result, made, 1, (MlirOperation[]){tcc_value_op(made)});
  tcc_pointer_map_set(&a->narrowed, made.ptr, (void *)made.ptr);
}

static void visit(Autocast *a, MlirOperation op) {
  TccOpKind kind = tcc_op_kind(a->ir, op);
  if (kind == TCC_OP_CONVERT) return; /* it says itself what it makes */
  bool narrow = is_narrow(a, op, kind), any = false,
       norm = kind == TCC_OP_BATCH_NORM && is_narrowed(a, mlirOperationGetOperand(op, 0));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    if (!was_f32(a, value)) continue;
    mlirOperationSetOperand(op, i, cast(a, op, value, narrow));
    any = true;
  }
  for (intptr_t i = 0; narrow && any && !gives_wide(a, op, kind) && i < mlirOperationGetNumResults(op); i++) {
    MlirValue result = mlirOperationGetResult(op, i);
    if (tcc_value_elem(result) != TCC_ELEM_F32) continue;
    mlirValueSetType(result, tcc_type_with_elem(a->ir, tcc_value_type(result), a->narrow));
    tcc_pointer_map_set(&a->narrowed, result.ptr, (void *)result.ptr);
  }
  if (norm) narrow_result(a, op, mlirOperationGetResult(op, 0));
}

/* ---- recurrent ops ---- */

typedef struct {
  TccPassRun *run;
  TCC_VEC(MlirOperation) found;
} Recurrent;

static MlirWalkResult collect_recurrent(MlirOperation op, void *user) {
  Recurrent *r = user;
  TccOpKind kind = tcc_op_kind(r->run->ir, op);
  if (kind == TCC_OP_LSTM || kind == TCC_OP_GRU || kind == TCC_OP_RNN) TCC_VEC_PUSH(r->run->scratch, &r->found, op);
  return MlirWalkResultAdvance;
}

/* As one op they would be wide or narrow as a whole. */
static bool expand_recurrent(TccPassRun *run, MlirOperation module) {
  Recurrent r = {.run = run};
  mlirOperationWalk(module, collect_recurrent, &r, MlirWalkPreOrder);
  for (size_t i = 0; i < r.found.count; i++)
    if (!tcc_expand_op(run, r.found.data[i], tcc_numerics(module) == TCC_NUMERICS_EAGER)) return false;
  return true;
}

MlirLogicalResult tcc_pass_autocast(TccPassRun *run, MlirOperation module) {
  Autocast a = {.ir = run->ir,
                .target = run->target,
                .narrowed.arena = run->scratch,
                .as = {{.arena = run->scratch}, {.arena = run->scratch}}};
  TccStr to;
  tcc_pass_option(run, "to", &to);
  a.narrow = tcc_str_is(to, "bf16") ? TCC_ELEM_BF16 : TCC_ELEM_F16;
  if (!tcc_str_is(to, "bf16") && !tcc_str_is(to, "f16"))
    return tcc_error(module, "tcc-autocast: to must be bf16 or f16, not '%.*s'", TCC_STR_ARG(to));
  if (!expand_recurrent(run, module)) return mlirLogicalResultFailure();
  TCC_EACH_FUNCTION (func, module)
    for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(func)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      visit(&a, op);
  tcc_symbolic_forget(run->ir);
  return mlirLogicalResultSuccess();
}

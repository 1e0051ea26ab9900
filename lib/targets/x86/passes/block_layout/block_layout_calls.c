/* block_layout_calls.c - blocks across calls: layers that repeat are functions, and an image would be reordered at each border.
 *
 *   %y = call @layer(%x) : [8, 64, 56, 56]    =>    %y = call @layer(%xb) : [8, 4, 56, 56, 16]
 *
 * A private function has the layout that its first call meets: arguments are blocks where this call's operands are, results where its body makes
 * them so. Other calls follow. A function that a loop calls keeps its types, for its results are its operands.
 *
 * requires, ensures: as tcc-block-layout. keeps: the types of functions that are not private. */
#include "lib/ir/callers.h"
#include "lib/ir/names.h"
#include "lib/targets/x86/passes/block_layout/block_layout.h"
#include "tcc/op_kinds.h"

struct TccLayoutFunction {
  MlirOperation func;
  bool done, fixed;             /* fixed: its types stay */
  int64_t *arguments, *results; /* channels of those that are blocks, else 0 */
  TCC_VEC(MlirValue) plain;     /* made of blocks for readers that may be gone when all ops have been seen */
};

static bool is_private(MlirOperation func) {
  MlirAttribute visibility = tcc_attribute(func, "sym_visibility");
  return !mlirAttributeIsNull(visibility) &&
         mlirStringRefEqual(mlirStringAttrGetValue(visibility), mlirStringRefCreateFromCString("private"));
}

static int64_t *zeros(TccLayout *l, intptr_t n) {
  int64_t *made = TCC_NEW_ARRAY(l->run->scratch, int64_t, (size_t)n + 1);
  memset(made, 0, sizeof *made * ((size_t)n + 1));
  return made;
}

static void read_functions(TccLayout *l, MlirOperation module) {
  size_t count;
  TccCallers *callers = tcc_callers(l->ir, l->run->scratch, module, &count);
  l->functions = tcc_map_create(l->run->scratch);
  for (size_t i = 0; i < count; i++) {
    TccLayoutFunction *f = TCC_NEW(l->run->scratch, TccLayoutFunction);
    MlirBlock body = tcc_func_body(callers[i].func);
    MlirOperation end = mlirBlockGetTerminator(body);
    bool returns = !mlirOperationIsNull(end) && tcc_op_is_named(end, "func.return");
    *f = (TccLayoutFunction){.func = callers[i].func, .fixed = callers[i].loop || !is_private(callers[i].func) || !returns};
    f->arguments = zeros(l, mlirBlockGetNumArguments(body));
    f->results = zeros(l, returns ? mlirOperationGetNumOperands(end) : 0);
    tcc_map_put(l->functions, tcc_function_name(callers[i].func), NULL)->pointer = f;
  }
}

static TccLayoutFunction *find(TccLayout *l, TccStr name) {
  TccMapEntry *entry = tcc_map_find(l->functions, name);
  return entry ? entry->pointer : NULL;
}

static MlirType in_blocks(TccLayout *l, MlirType plain, int64_t channels) {
  const TccExpr *dims[] = {tcc_type_dim(l->ir, plain, 0), tcc_layout_number(l, tcc_layout_blocks(l, channels)),
                           tcc_type_dim(l->ir, plain, 2), tcc_type_dim(l->ir, plain, 3), tcc_layout_number(l, l->lanes)};
  return tcc_tensor_type(l->ir, tcc_type_elem(plain), 5, dims);
}

/* value gets the type of its blocks; its readers a plain value, which is made in front of `before` and known as theirs. */
static bool become_blocks(TccLayout *l, MlirValue value, int64_t channels, MlirBlock block, MlirOperation before) {
  TccBuilder b = {l->ir, block, before, mlirOperationGetLocation(before)};
  MlirType type = tcc_value_type(value);
  mlirValueSetType(value, in_blocks(l, type, channels));
  MlirValue plain = tcc_layout_with_type(&b, tcc_layout_to_plain(l, &b, &(TccBlocked){value, channels}), type);
  if (mlirValueIsNull(plain)) return false;
  MlirOperation first = tcc_value_op(plain);
  while (!mlirValueEqual(mlirOperationGetOperand(first, 0), value)) first = tcc_value_op(mlirOperationGetOperand(first, 0));
  tcc_replace_uses(value, plain);
  mlirOperationSetOperand(first, 0, value);
  tcc_layout_set_blocked(l, plain, value, channels);
  tcc_layout_blocked(l, plain)->first = true;
  TCC_VEC_PUSH(l->run->scratch, &l->function->plain, plain);
  return true;
}

/* Erases plain values that nobody reads, with what they are made of. */
static void forget(TccLayout *l, const TccLayoutFunction *f) {
  for (size_t i = 0; i < f->plain.count; i++) {
    MlirValue value = f->plain.data[i];
    const TccBlocked *of = tcc_layout_blocked(l, value);
    while (!mlirValueEqual(value, of->value) && mlirOpOperandIsNull(mlirValueGetFirstUse(value))) {
      MlirOperation op = tcc_value_op(value);
      value = mlirOperationGetOperand(op, 0);
      tcc_erase(op);
    }
  }
}

void tcc_layout_return(TccLayout *l, MlirOperation op) {
  TccLayoutFunction *f = l->function;
  if (f->fixed || !tcc_op_is_named(op, "func.return")) return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue value = mlirOperationGetOperand(op, i);
    TccBlocked *x = tcc_layout_blocked(l, value);
    if (!x || tcc_type_rank(tcc_value_type(value)) != 4) continue;
    f->results[i] = x->channels;
    mlirOperationSetOperand(op, i, x->value);
  }
}

/* The function's type from its block and its return. */
static void set_type(TccLayout *l, const TccLayoutFunction *f) {
  MlirBlock body = tcc_func_body(f->func);
  MlirOperation end = mlirBlockGetTerminator(body);
  intptr_t n = mlirBlockGetNumArguments(body), results = mlirOperationGetNumOperands(end);
  MlirType *types = TCC_NEW_ARRAY(l->run->scratch, MlirType, (size_t)(n + results) + 1);
  for (intptr_t i = 0; i < n; i++) types[i] = tcc_value_type(mlirBlockGetArgument(body, i));
  for (intptr_t i = 0; i < results; i++) types[n + i] = tcc_value_type(mlirOperationGetOperand(end, i));
  tcc_set_attribute(f->func, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(l->ir->context, n, types, results, types + n)));
}

/* A function with a convolution, a call or an argument in blocks; others have none. */
static bool is_concerned(TccLayout *l, const TccLayoutFunction *f) {
  MlirBlock body = tcc_func_body(f->func);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    if (f->arguments[i]) return true;
  TCC_EACH_OP (op, body) {
    TccOpKind kind = tcc_op_kind(l->ir, op);
    if (kind == TCC_OP_CONV || kind == TCC_OP_CONV_TRANSPOSE || tcc_op_is_named(op, "func.call")) return true;
  }
  return false;
}

static bool lay_out(TccLayout *l, TccLayoutFunction *f) {
  f->done = true;
  if (!is_concerned(l, f)) return true;
  TccLayout outer = *l;
  MlirBlock body = tcc_func_body(f->func);
  l->function = f;
  l->blocked = tcc_map_create(l->run->scratch), l->last = tcc_map_create(l->run->scratch);
  bool ok = tcc_layout_prepare(l, body);
  for (intptr_t i = 0; ok && i < mlirBlockGetNumArguments(body); i++)
    if (f->arguments[i])
      ok = become_blocks(l, mlirBlockGetArgument(body, i), f->arguments[i], body, mlirBlockGetFirstOperation(body));
  ok = ok && tcc_layout_block(l, body);
  if (ok) forget(l, f);
  if (ok && !f->fixed) set_type(l, f);
  l->function = outer.function, l->blocked = outer.blocked, l->last = outer.last;
  return ok;
}

/* The first call of a function says what its arguments are. */
static void take_layout(TccLayout *l, TccLayoutFunction *f, MlirOperation call) {
  for (intptr_t i = 0; !f->fixed && i < mlirOperationGetNumOperands(call); i++) {
    MlirValue value = mlirOperationGetOperand(call, i);
    TccBlocked *x = tcc_type_rank(tcc_value_type(value)) == 4 ? tcc_layout_blocked(l, value) : NULL;
    if (x) f->arguments[i] = x->channels;
  }
}

bool tcc_layout_call(TccLayout *l, MlirOperation call) {
  TccLayoutFunction *f = tcc_op_is_named(call, "func.call") ? find(l, tcc_callee_name(call)) : NULL;
  if (!f) return true;
  if (!f->done) {
    take_layout(l, f, call);
    if (!lay_out(l, f)) return false;
  }
  MlirBlock block = mlirOperationGetBlock(call);
  TccBuilder b = {l->ir, block, call, mlirOperationGetLocation(call)};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirValue blocked;
    if (!f->arguments[i]) continue;
    if (!tcc_layout_blocked_operand(l, &b, mlirOperationGetOperand(call, i), f->arguments[i], &blocked)) return false;
    mlirOperationSetOperand(call, i, blocked);
  }
  for (intptr_t i = 0; i < mlirOperationGetNumResults(call); i++)
    if (f->results[i] &&
        !become_blocks(l, mlirOperationGetResult(call, i), f->results[i], block, mlirOperationGetNextInBlock(call)))
      return false;
  return true;
}

bool tcc_layout_module(TccLayout *l, MlirOperation module) {
  read_functions(l, module);
  for (int privates = 0; privates < 2; privates++)
    TCC_EACH_FUNCTION (func, module) {
      TccLayoutFunction *f = find(l, tcc_function_name(func));
      if (!f->done && (privates || !is_private(func)) && !lay_out(l, f)) return false;
    }
  return true;
}

/* gradient.c - tcc-gradient: derivatives that a model asks for in its graph.
 *
 *   before: %d:2 = call @gradient_0(%y, %a, %b) {tcc.gradient}     and a declaration of @gradient_0
 *   after:  %g = 1 of y's shape; the ops that tcc-grad's rules make of those between %a, %b and %y; their cotangents in place of %d
 *
 * The first operand is what is differentiated, the sum of its elements where it is no scalar; the results are the derivatives by the others. An
 * importer cannot build them itself: what is between is known, but the rules are here. Calls are replaced in their order, so that the
 * derivative of a derivative is one, too.
 *
 * requires: valid types; composites may be whole. ensures: no call with tcc.gradient. keeps: all else. An error: an op without a derivative, a loop
 * without a bound. */
#include "passes/grad/grad.h"

static bool is_asked(MlirOperation op) {
  return tcc_op_is_named(op, "func.call") && !mlirAttributeIsNull(tcc_attribute(op, "tcc.gradient"));
}

/* The cotangents of the call's operands but the first, in front of it; null: 0. */
static bool differentiate(Grad *g, MlirOperation call, TccBuilder *b, size_t n, MlirValue *out) {
  MlirBlock block = mlirOperationGetBlock(call);
  MlirValue *wrt = TCC_NEW_ARRAY(g->scratch, MlirValue, n + 1);
  for (size_t i = 0; i < n && !g->failed; i++) { /* one by one: an expansion may make the value of another operand anew */
    wrt[i] = mlirOperationGetOperand(call, (intptr_t)i + 1);
    grad_expand(g, block, &wrt[i], 1, call, &(intptr_t){0}, 1);
  }
  MlirValue of = mlirOperationGetOperand(call, 0);
  for (size_t i = 0; i < n; i++) wrt[i] = mlirOperationGetOperand(call, (intptr_t)i + 1);
  if (!g->failed) grad_check(g, block, call, wrt, n, &of, 1);
  if (g->failed) return false;
  GradActivity activity;
  grad_activity(g, mlirBlockGetFirstOperation(block), call, wrt, n, &of, 1, &activity);
  MlirValue one = tcc_build_scalar(b, tcc_value_elem(of), 1), seed = grad_spread(b, one, tcc_value_type(of));
  return grad_reverse(g, block, mlirBlockGetFirstOperation(block), tcc_value_op(one), call, &activity, wrt, n, &of, &seed, 1, out);
}

static bool replace(Grad *g, MlirOperation call) {
  const size_t n = (size_t)mlirOperationGetNumResults(call);
  TccBuilder b = {g->ir, mlirOperationGetBlock(call), call, mlirOperationGetLocation(call)};
  MlirValue *out = TCC_NEW_ARRAY(g->scratch, MlirValue, n + 1);
  bool fits = (size_t)mlirOperationGetNumOperands(call) == n + 1;
  for (intptr_t i = 0; fits && i <= (intptr_t)n; i++) fits = tcc_elem_is_float(tcc_value_elem(mlirOperationGetOperand(call, i)));
  for (intptr_t i = 0; fits && i < (intptr_t)n; i++)
    fits = mlirTypeEqual(tcc_value_type(mlirOperationGetResult(call, i)), tcc_value_type(mlirOperationGetOperand(call, i + 1)));
  if (!fits) {
    tcc_error(
        call,
        "tcc-gradient: operands are a value and what it is differentiated by, of float types; results have the types of the latter");
    return false;
  }
  if (!differentiate(g, call, &b, n, out)) return false;
  for (size_t i = 0; i < n; i++) {
    MlirValue result = mlirOperationGetResult(call, (intptr_t)i);
    MlirType type = tcc_value_type(result);
    tcc_replace_uses(result, out[i].ptr ? grad_as_type(&b, out[i], type) : grad_zeros(&b, type));
  }
  TccStr callee = tcc_callee_name(call);
  MlirOperation declaration = tcc_module_find(g->ir, g->module, callee);
  tcc_erase(call);
  if (!mlirOperationIsNull(declaration) && mlirBlockIsNull(tcc_func_body(declaration))) mlirOperationDestroy(declaration);
  return true;
}

MlirLogicalResult tcc_pass_gradient(TccPassRun *run, MlirOperation module) {
  Grad g = {.run = run, .ir = run->ir, .scratch = run->scratch, .module = module, .keep_price = 1, .reverse = true};
  MlirOperation main = tcc_module_find(run->ir, module, tcc_str("main"));
  bool ok = true;
  if (mlirOperationIsNull(main) || mlirBlockIsNull(tcc_func_body(main))) return mlirLogicalResultSuccess();
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(main)), next; ok && !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!is_asked(op)) continue;
    g.reaches = tcc_map_create(run->scratch);
    g.pairs = tcc_map_create(run->scratch);
    ok = replace(&g, op);
  }
  tcc_symbolic_forget(run->ir);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

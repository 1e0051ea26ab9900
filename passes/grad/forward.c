/* forward.c - forward mode: the tangent of each value beside it.
 *
 * A formula gives it with the tangent of the operand in the place of g; a linear op is applied to the tangents; everything else is the
 * transpose of its own reverse rule, which is linear in g: the rule is built for a g that nobody reads and differentiated for it, with
 * the operands' tangents as cotangents (Townsend, "A new trick for calculating Jacobian vector products", 2017). */
#include "passes/grad/grad.h"

typedef struct {
  Grad *grad;
  TccBuilder b;
  TccPointerMap tangents;
} Forward;

static MlirValue tangent_of(const Forward *f, MlirValue value) { return (MlirValue){tcc_pointer_map_get(&f->tangents, value.ptr)}; }

static void add_tangent(Forward *f, MlirValue value, MlirValue term) {
  MlirValue old = tangent_of(f, value);
  if (!term.ptr) {
    f->grad->failed = true;
    return;
  }
  term = tcc_build_convert(&f->b, grad_spread(&f->b, term, tcc_value_type(value)), tcc_value_elem(value));
  term = grad_as_type(&f->b, term, tcc_value_type(value));
  if (old.ptr) term = tcc_build2(&f->b, TCC_OP_ADD, old, term);
  if (term.ptr) tcc_pointer_map_set(&f->tangents, value.ptr, (void *)(uintptr_t)term.ptr);
}

/* ---- formulas ---- */
static void by_formulas(Forward *f, GradOp *a, const GradRow *row) {
  for (int i = 0; i < mlirOperationGetNumOperands(a->op); i++) {
    bool failed = false;
    if (!a->wanted[i]) continue;
    MlirValue value = grad_formula(a, row->text, i, tangent_of(f, mlirOperationGetOperand(a->op, i)), &failed);
    if (value.ptr || failed) add_tangent(f, grad_result(a), value);
  }
}

/* ---- linear ops ---- */
static bool names(TccStr group, TccStr operand) {
  for (size_t i = 0; i + operand.length <= group.length; i++) {
    bool starts = i == 0 || group.data[i - 1] == ' ', ends = i + operand.length == group.length ||
                                                             group.data[i + operand.length] == ',' ||
                                                             group.data[i + operand.length] == ' ';
    if (starts && ends && !memcmp(group.data + i, operand.data, operand.length)) return true;
  }
  return false;
}

/* The op on the tangents of the operands in group, 0 for those that have none. */
static void by_group(Forward *f, GradOp *a, TccStr group) {
  const TccOpRow *row = tcc_op_row(a->kind);
  MlirValue operands[TCC_MAX_OPERANDS];
  bool any = false;
  for (size_t i = 0; i < row->noperands; i++) {
    operands[i] = mlirOperationGetOperand(a->op, (intptr_t)i);
    if (!names(group, row->operands[i].name) || tcc_value_is_none(a->ir, operands[i])) continue;
    any = any || a->wanted[i];
    operands[i] = a->wanted[i] ? tangent_of(f, operands[i]) : grad_zeros(a->b, tcc_value_type(operands[i]));
  }
  if (!any) return;
  MlirOperation clone = mlirOperationClone(a->op);
  for (size_t i = 0; i < row->noperands; i++) mlirOperationSetOperand(clone, (intptr_t)i, operands[i]);
  mlirBlockInsertOwnedOperationBefore(a->b->block, a->b->before, clone);
  for (intptr_t j = 0; j < mlirOperationGetNumResults(clone); j++)
    add_tangent(f, mlirOperationGetResult(a->op, j), mlirOperationGetResult(clone, j));
}

static void by_linearity(Forward *f, GradOp *a, const GradRow *row) {
  for (TccStr rest = tcc_str(row->linear); rest.length;) {
    const char *bar = memchr(rest.data, '|', rest.length);
    TccStr group = {rest.data, bar ? (size_t)(bar - rest.data) : rest.length};
    by_group(f, a, group);
    rest = bar ? (TccStr){bar + 1, rest.length - group.length - 1} : (TccStr){NULL, 0};
  }
}

/* ---- by the reverse rule ---- */
static void by_transposition(Forward *f, GradOp *a) {
  Grad *g = f->grad;
  MlirValue results[TCC_MAX_RESULTS], placeholders[TCC_MAX_RESULTS], of[TCC_MAX_OPERANDS], seeds[TCC_MAX_OPERANDS],
      out[TCC_MAX_RESULTS];
  size_t nresults = 0, nof = 0;
  MlirOperation first = tcc_build(a->b, TCC_OP_NONE, NULL, 0, NULL, 0, NULL);
  for (intptr_t j = 0; j < mlirOperationGetNumResults(a->op); j++) {
    MlirValue result = mlirOperationGetResult(a->op, j);
    if (!tcc_elem_is_float(tcc_value_elem(result))) continue;
    results[nresults] = result;
    placeholders[nresults++] = a->g[j] = grad_zeros(a->b, tcc_value_type(result));
  }
  if (!grad_cotangents(a)) return;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(a->op); i++) {
    if (!a->wanted[i] || !a->given[i].ptr) continue;
    of[nof] = a->given[i];
    seeds[nof++] = tangent_of(f, mlirOperationGetOperand(a->op, i));
  }
  GradActivity activity;
  grad_activity(g, first, a->b->before, placeholders, nresults, of, nof, &activity);
  if (!grad_reverse(g, a->b->block, first, a->b->before, a->b->before, &activity, placeholders, nresults, of, seeds, nof, out))
    return;
  for (size_t j = 0; j < nresults; j++)
    if (out[j].ptr) add_tangent(f, results[j], out[j]);
}

/* ---- calls ---- */
static bool forward_call(Forward *f, MlirOperation call);

static void forward_op(Forward *f, MlirOperation op) {
  intptr_t nin = mlirOperationGetNumOperands(op);
  bool any = false;
  for (intptr_t i = 0; i < nin; i++) any = any || tangent_of(f, mlirOperationGetOperand(op, i)).ptr;
  if (!any || !mlirOperationGetNumResults(op)) return;
  f->b.before = mlirOperationGetNextInBlock(op);
  f->b.location = mlirOperationGetLocation(op);
  if (tcc_op_is_named(op, "func.call")) {
    if (!forward_call(f, op)) f->grad->failed = true;
    return;
  }
  GradOp a = {.grad = f->grad, .ir = f->grad->ir, .b = &f->b, .scratch = f->grad->scratch, .op = op};
  a.kind = tcc_op_kind(f->grad->ir, op);
  for (intptr_t i = 0; i < nin; i++) a.wanted[i] = tangent_of(f, mlirOperationGetOperand(op, i)).ptr != NULL;
  const GradRow *row = grad_row(a.kind);
  if (row->kind == GRAD_ZERO || !tcc_elem_is_float(tcc_value_elem(grad_result(&a)))) return;
  if (row->kind == GRAD_FORMULA) by_formulas(f, &a, row);
  else if (row->kind == GRAD_LINEAR) by_linearity(f, &a, row);
  else by_transposition(f, &a);
}

bool grad_forward(Grad *g, MlirBlock block, const MlirValue *wrt, const MlirValue *tangents, size_t nwrt, const MlirValue *of,
                  size_t nof, MlirValue *out) {
  Forward f = {.grad = g, .b = {g->ir, block, {NULL}, mlirLocationUnknownGet(g->ir->context)}, .tangents = {.arena = g->scratch}};
  TCC_VEC(MlirOperation) ops = {0};
  TCC_VEC(MlirValue) ends = {0};
  for (size_t i = 0; i < nof; i++) TCC_VEC_PUSH(g->scratch, &ends, of[i]);
  TCC_EACH_OP (op, block) TCC_VEC_PUSH(g->scratch, &ops, op);
  for (size_t i = 0; i < nwrt; i++) tcc_pointer_map_set(&f.tangents, wrt[i].ptr, (void *)(uintptr_t)tangents[i].ptr);
  for (size_t k = 0; k < ops.count; k++) forward_op(&f, ops.data[k]);
  for (size_t j = 0; j < nof; j++) out[j] = tangent_of(&f, ends.data[j]);
  return !g->failed;
}

typedef struct {
  const char *name;
  bool *given; /* results whose tangent the function gives */
} Tangents;

/* Tangents of carried arguments stand behind those, others at the end; of results behind all of them. */
static bool make_tangents(Grad *g, MlirOperation func, const bool *wanted, intptr_t carried, Tangents *out) {
  out->name = grad_name(g, tcc_function_name(func), "_jvp");
  MlirOperation copy = grad_copy(g, func, out->name);
  MlirBlock block = tcc_func_body(copy);
  MlirLocation location = mlirOperationGetLocation(func);
  intptr_t nin = mlirBlockGetNumArguments(block), nout = mlirOperationGetNumOperands(mlirBlockGetTerminator(block)), before = 0;
  MlirValue *wrt = TCC_NEW_ARRAY(g->scratch, MlirValue, nin + 1), *tangents = TCC_NEW_ARRAY(g->scratch, MlirValue, nin + 1),
            *of = TCC_NEW_ARRAY(g->scratch, MlirValue, nout + 1), *made = TCC_NEW_ARRAY(g->scratch, MlirValue, nout + 1);
  intptr_t *results = TCC_NEW_ARRAY(g->scratch, intptr_t, nout + 1);
  size_t n = 0;
  for (intptr_t i = 0; i < nin; i++)
    if (wanted[i]) wrt[n++] = mlirBlockGetArgument(block, i);
  n = 0;
  for (intptr_t i = 0; i < nin; i++) {
    if (!wanted[i]) continue;
    tangents[n] = i < carried ? mlirBlockInsertArgument(block, carried + before++, tcc_value_type(wrt[n]), location)
                              : mlirBlockAddArgument(block, tcc_value_type(wrt[n]), location);
    n++;
  }
  for (intptr_t j = 0; j < nout; j++) results[j] = j;
  grad_expand(g, block, wrt, n, mlirBlockGetTerminator(block), results, (size_t)nout);
  for (intptr_t j = 0; j < nout; j++) of[j] = mlirOperationGetOperand(mlirBlockGetTerminator(block), j);
  if (!grad_forward(g, block, wrt, tangents, n, of, (size_t)nout, made)) return false;
  TCC_VEC(MlirValue) all = {0};
  out->given = TCC_NEW_ARRAY(g->scratch, bool, nout + 1);
  TccBuilder b = {g->ir, block, mlirBlockGetTerminator(block), location};
  for (intptr_t j = 0; j < nout; j++) TCC_VEC_PUSH(g->scratch, &all, mlirOperationGetOperand(mlirBlockGetTerminator(block), j));
  for (intptr_t j = 0; j < nout; j++) {
    if (j < carried && wanted[j] && !made[j].ptr) made[j] = grad_zeros(&b, tcc_value_type(all.data[j]));
    if ((out->given[j] = made[j].ptr && (j >= carried || wanted[j]))) TCC_VEC_PUSH(g->scratch, &all, made[j]);
  }
  grad_set_return(g, block, all.data, all.count);
  grad_retype(g, copy, out->name);
  return true;
}

/* Of a loop: carried values that depend on a tangent after some iteration. */
static void close_wanted(Grad *g, MlirOperation func, intptr_t nin, intptr_t carried, bool *wanted) {
  const GradReach *once = grad_reach(g, func);
  for (bool changed = carried > 0; changed;) {
    changed = false;
    for (intptr_t j = 0; j < carried; j++)
      for (intptr_t i = 0; i < nin; i++)
        if (wanted[i] && !wanted[j] && grad_reaches(once, i, j)) wanted[j] = changed = true;
  }
}

static bool forward_call(Forward *f, MlirOperation call) {
  Grad *g = f->grad;
  intptr_t nin = mlirOperationGetNumOperands(call), nout = mlirOperationGetNumResults(call);
  MlirOperation func = tcc_module_find(g->ir, g->module, tcc_callee_name(call));
  TccLoopCall loop;
  bool is_loop = tcc_call_loop(g->ir, call, &loop), *wanted = TCC_NEW_ARRAY(g->scratch, bool, nin + 1);
  intptr_t carried = is_loop ? loop.carried : 0;
  for (intptr_t i = 0; i < nin; i++) wanted[i] = tangent_of(f, mlirOperationGetOperand(call, i)).ptr != NULL;
  close_wanted(g, func, nin, carried, wanted);
  TccText key = {0};
  tcc_text_printf(&key, "%.*s jvp%d ", TCC_STR_ARG(tcc_callee_name(call)), (int)carried);
  for (intptr_t i = 0; i < nin; i++) tcc_text_put(&key, wanted[i] ? "1" : "0", 1);
  bool inserted;
  TccMapEntry *entry = tcc_map_put(g->pairs, tcc_text_str(&key), &inserted);
  tcc_text_destroy(&key);
  Tangents *t = inserted ? TCC_NEW(g->scratch, Tangents) : entry->pointer;
  entry->pointer = t;
  if (inserted && !make_tangents(g, func, wanted, carried, t)) return false;
  TCC_VEC(MlirValue) operands = {0};
  for (int part = 0; part < 4; part++) /* carried, their tangents, others, their tangents */
    for (intptr_t i = part < 2 ? 0 : carried; i < (part < 2 ? carried : nin); i++) {
      MlirValue value = mlirOperationGetOperand(call, i), tangent = tangent_of(f, value);
      if (part % 2 == 0) TCC_VEC_PUSH(g->scratch, &operands, value);
      else if (wanted[i]) TCC_VEC_PUSH(g->scratch, &operands, tangent.ptr ? tangent : grad_zeros(&f->b, tcc_value_type(value)));
    }
  MlirOperation made = grad_build_call(&f->b, t->name, operands.data, operands.count);
  if (is_loop) tcc_call_set_loop(g->ir, made, loop.trips, loop.conditional);
  for (intptr_t j = 0, k = nout; j < nout; j++) {
    if (t->given[j]) add_tangent(f, mlirOperationGetResult(call, j), mlirOperationGetResult(made, k++));
    MlirValue now = mlirOperationGetResult(made, j), tangent = tangent_of(f, mlirOperationGetResult(call, j));
    tcc_replace_uses(mlirOperationGetResult(call, j), now);
    tcc_pointer_map_set(&f->tangents, now.ptr, (void *)(uintptr_t)tangent.ptr); /* null: an erased value may have had its address */
  }
  tcc_erase(call);
  return true;
}

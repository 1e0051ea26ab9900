/* grad.c - tcc-grad: reverse-mode and forward-mode differentiation of @main.
 *
 *   before: func @main(%x) -> loss                 %w = tcc.weight "w"; %h = call @r(%x, %w); %y = tcc.mul %h, %h; %loss = tcc.reduce sum %y
 *   after:  func @main(%x) -> (loss, grad.w)       ... %h, %s = call @r_fwd(%x, %w); ...; %dh = tcc.mul 2 %h; %dw = call @r_bwd(%s, %x, %dh)
 *
 * Each float weight and argument that `wrt` names gets a result more, grad.NAME, of its own type; `of` names the loss, a scalar. With
 * mode=forward each gets an argument more, tangent.NAME, and each float result that `of` names a result tangent.NAME. The derivatives are
 * those of dialects/tcc/grads.def. What repeats as a function (tcc-dedup-regions) stays one: a forward and a backward function for each
 * pattern of what needs a gradient. The backward of a function, and that of @main itself, computes again what is not worth keeping
 * (recompute.c). Sizes may be symbols. A second run differentiates the gradients again: `of` may name grad.NAME.
 *
 * requires: valid types; kernels are not made yet. ensures: nothing is active but what a gradient needs; functions that are not called any
 * more are gone. keeps: arguments and results of @main and their order; composites, but those that are differentiated by expansion. */
#include "passes/grad/grad.h"
#include <fnmatch.h>

typedef struct {
  MlirValue value;
  const char *name;
} Leaf;

typedef struct {
  Grad g;
  MlirOperation main;
  MlirBlock block;
  const char *wrt, *of;               /* globs with commas; "" */
  TccMap *wrt_names;                  /* those of wrt: a trainer lists each of its parameters */
  TCC_VEC(const char *) wrt_patterns; /* of them, those that take more than their own name */
  TCC_VEC(Leaf) leaves;               /* what is differentiated with respect to */
  TccMap *leaf_names;
  TCC_VEC(intptr_t) results;
} Run;

/* ---- names ---- */
static const char *port_name(Run *r, const char *list, intptr_t i, const char *otherwise) {
  MlirAttribute all = tcc_attribute(r->main, list);
  TccStr name;
  if (!mlirAttributeIsNull(all) && mlirAttributeIsAArray(all) && i < mlirArrayAttrGetNumElements(all)) {
    MlirAttribute own =
        mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, i), mlirStringRefCreateFromCString("tcc.name"));
    if (!mlirAttributeIsNull(own) && tcc_attr_read_str(own, &name)) return tcc_arena_copy(r->g.scratch, name.data, name.length);
  }
  return tcc_arena_printf(r->g.scratch, "%s%d", otherwise, (int)i);
}

/* Names may have brackets, which mean themselves where the glob is the name. */
static bool matches(const char *glob, const char *name) { return !strcmp(glob, name) || !fnmatch(glob, name, 0); }

/* Calls each for the globs of a list; false where it does. */
static bool each_glob(Run *r, const char *globs, bool (*each)(Run *r, const char *glob)) {
  bool ok = true;
  TccStr rest = tcc_str(globs), glob;
  while (tcc_str_next(&rest, ',', &glob))
    if (glob.length) ok = each(r, tcc_arena_copy(r->g.scratch, glob.data, glob.length)) && ok;
  return ok;
}

static bool any_glob(Run *r, const char *globs, const char *name) {
  TccStr rest = tcc_str(globs), glob;
  while (tcc_str_next(&rest, ',', &glob))
    if (glob.length && matches(tcc_arena_copy(r->g.scratch, glob.data, glob.length), name)) return true;
  return false;
}

static bool note_wrt(Run *r, const char *glob) {
  tcc_map_put(r->wrt_names, tcc_str(glob), NULL);
  if (strpbrk(glob, "*?[\\")) TCC_VEC_PUSH(r->g.scratch, &r->wrt_patterns, glob);
  return true;
}

/* Whether wrt has the name of a value. */
static bool is_wanted(const Run *r, const char *name) {
  if (tcc_map_find(r->wrt_names, tcc_str(name))) return true;
  for (size_t i = 0; i < r->wrt_patterns.count; i++)
    if (!fnmatch(r->wrt_patterns.data[i], name, 0)) return true;
  return false;
}

/* ---- weights of functions become arguments of theirs ---- */
static const char *weight_name(Run *r, MlirOperation op) {
  TccStr name = tcc_string(r->g.ir, op, "name");
  return tcc_arena_copy(r->g.scratch, name.data, name.length);
}

static bool is_trained(Run *r, MlirOperation op) {
  if (tcc_op_kind(r->g.ir, op) != TCC_OP_WEIGHT || !tcc_elem_is_float(tcc_value_elem(mlirOperationGetResult(op, 0)))) return false;
  if (!*r->wrt) return !tcc_bool(r->g.ir, op, "buffer");
  return is_wanted(r, weight_name(r, op));
}

static void append_operand(Run *r, MlirOperation call, MlirOperation weight) {
  MlirOperation copy = mlirOperationClone(weight);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, copy);
  tcc_call_add_operand(r->g.ir, call, mlirOperationGetResult(copy, 0));
}

/* The first trained weight of a function is an argument afterwards. */
static bool hoist_weight(Run *r, MlirOperation func) {
  MlirBlock block = tcc_func_body(func);
  MlirOperation weight = mlirBlockGetFirstOperation(block);
  while (!mlirOperationIsNull(weight) && !is_trained(r, weight)) weight = mlirOperationGetNextInBlock(weight);
  if (mlirOperationIsNull(weight)) return false;
  TccStr name = tcc_function_name(func);
  const char *copy = tcc_arena_copy(r->g.scratch, name.data, name.length);
  MlirValue result = mlirOperationGetResult(weight, 0);
  tcc_replace_uses(result, mlirBlockAddArgument(block, tcc_value_type(result), mlirOperationGetLocation(weight)));
  TCC_EACH_FUNCTION (caller, r->g.module)
    TCC_EACH_OP (op, tcc_func_body(caller))
      if (tcc_op_is_named(op, "func.call") && tcc_str_is(tcc_callee_name(op), copy)) append_operand(r, op, weight);
  tcc_erase(weight);
  grad_retype(&r->g, func, copy);
  return true;
}

static void hoist_weights(Run *r) {
  for (bool found = true; found;) {
    found = false;
    TCC_EACH_FUNCTION (func, r->g.module) {
      found = !mlirOperationEqual(func, r->main) && hoist_weight(r, func);
      if (found) break; /* the function is another one now */
    }
  }
}

/* Equal weights of @main are one value: tied ones have one gradient. */
static void merge_weights(Run *r) {
  TccMap *first = tcc_map_create(r->g.scratch);
  for (MlirOperation op = mlirBlockGetFirstOperation(r->block), next; !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (!is_trained(r, op)) continue;
    const void *key[] = {tcc_op_attributes(r->g.ir, op).ptr, tcc_value_type(mlirOperationGetResult(op, 0)).ptr};
    TccMapEntry *entry = tcc_map_put(first, (TccStr){(const char *)key, sizeof key}, NULL);
    if (!entry->constant) {
      entry->constant = op.ptr;
      continue;
    }
    tcc_replace_uses(mlirOperationGetResult(op, 0), mlirOperationGetResult((MlirOperation){(void *)(uintptr_t)entry->constant}, 0));
    tcc_erase(op);
  }
}

/* ---- what is asked for ---- */
static void add_leaf(Run *r, MlirValue value, const char *name) {
  Leaf leaf = {value, name};
  tcc_map_put(r->leaf_names, tcc_str(name), NULL);
  TCC_VEC_PUSH(r->g.scratch, &r->leaves, leaf);
}

/* Whether a glob of wrt names something that has a gradient. */
static bool check_wrt(Run *r, const char *glob) {
  const char *integer = NULL;
  if (tcc_map_find(r->leaf_names, tcc_str(glob))) return true;
  for (size_t i = 0; i < r->leaves.count; i++)
    if (matches(glob, r->leaves.data[i].name)) return true;
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(r->block); i++)
    if (matches(glob, port_name(r, "arg_attrs", i, "input"))) integer = port_name(r, "arg_attrs", i, "input");
  TCC_EACH_OP (op, r->block)
    if (tcc_op_kind(r->g.ir, op) == TCC_OP_WEIGHT && matches(glob, weight_name(r, op))) integer = weight_name(r, op);
  if (integer) tcc_error(r->main, "tcc-grad: '%s' of wrt has no float elements, so there is no gradient", integer);
  else tcc_error(r->main, "tcc-grad: no argument and no weight is called '%s', as wrt says", glob);
  return false;
}

/* Without wrt: all float weights but for buffers; in forward mode and where there are none all float arguments. */
static bool find_leaves(Run *r, bool forward) {
  TCC_EACH_OP (op, r->block)
    if (is_trained(r, op)) add_leaf(r, mlirOperationGetResult(op, 0), weight_name(r, op));
  bool all = !*r->wrt && (forward || !r->leaves.count);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(r->block); i++) {
    const char *name = port_name(r, "arg_attrs", i, "input");
    MlirValue argument = mlirBlockGetArgument(r->block, i);
    if (tcc_elem_is_float(tcc_value_elem(argument)) && (all || is_wanted(r, name))) add_leaf(r, argument, name);
  }
  bool ok = each_glob(r, r->wrt, check_wrt);
  if (ok && !r->leaves.count) tcc_error(r->main, "tcc-grad: @main has no weight and no argument of a float type");
  return ok && r->leaves.count;
}

static bool is_loss(MlirValue value) {
  return tcc_elem_is_float(tcc_value_elem(value)) && tcc_type_rank(tcc_value_type(value)) == 0;
}

static bool check_of(Run *r, const char *glob) {
  MlirOperation end = mlirBlockGetTerminator(r->block);
  for (intptr_t j = 0; j < mlirOperationGetNumOperands(end); j++)
    if (matches(glob, port_name(r, "res_attrs", j, "output"))) return true;
  tcc_error(r->main, "tcc-grad: no result is called '%s', as of says", glob);
  return false;
}

/* The loss is the only result that of names, or without of the only float scalar. Forward mode takes all float results. */
static bool find_results(Run *r, bool forward) {
  MlirOperation end = mlirBlockGetTerminator(r->block);
  const char *wrong = NULL;
  for (intptr_t j = 0; j < mlirOperationGetNumOperands(end); j++) {
    MlirValue value = mlirOperationGetOperand(end, j);
    const char *name = port_name(r, "res_attrs", j, "output");
    if (*r->of && !any_glob(r, r->of, name)) continue;
    if (forward ? tcc_elem_is_float(tcc_value_elem(value)) : is_loss(value)) TCC_VEC_PUSH(r->g.scratch, &r->results, j);
    else if (*r->of) wrong = name;
  }
  if (*r->of && !each_glob(r, r->of, check_of)) return false;
  if (wrong && forward) tcc_error(r->main, "tcc-grad: result '%s' has no float elements, so there is no tangent", wrong);
  else if (wrong) tcc_error(r->main, "tcc-grad: result '%s' is no float scalar, so it is no loss", wrong);
  else if (!forward && r->results.count != 1)
    tcc_error(r->main, "tcc-grad: of has to name the loss: %d results are float scalars", (int)r->results.count);
  else if (!r->results.count) tcc_error(r->main, "tcc-grad: no result has float elements");
  else return true;
  return false;
}

/* ---- the function's border ---- */
static MlirAttribute with_names(Run *r, const char *list, intptr_t before, const char *const *names, size_t count) {
  TccIr *ir = r->g.ir;
  MlirAttribute old = tcc_attribute(r->main, list), *all = TCC_NEW_ARRAY(r->g.scratch, MlirAttribute, (size_t)before + count + 1);
  for (intptr_t i = 0; i < before; i++)
    all[i] = mlirAttributeIsNull(old) ? mlirDictionaryAttrGet(ir->context, 0, NULL) : mlirArrayAttrGetElement(old, i);
  for (size_t i = 0; i < count; i++) {
    MlirNamedAttribute name = mlirNamedAttributeGet(mlirIdentifierGet(ir->context, mlirStringRefCreateFromCString("tcc.name")),
                                                    tcc_attr_str(ir, tcc_str(names[i])));
    all[(size_t)before + i] = mlirDictionaryAttrGet(ir->context, 1, &name);
  }
  return mlirArrayAttrGet(ir->context, before + (intptr_t)count, all);
}

/* Results more, and a type that says so; arguments have been added to the block. */
static void widen_main(Run *r, const MlirValue *values, const char *const *names, size_t count) {
  MlirOperation end = mlirBlockGetTerminator(r->block);
  intptr_t before = mlirOperationGetNumOperands(end), nin = mlirBlockGetNumArguments(r->block);
  MlirValue *all = TCC_NEW_ARRAY(r->g.scratch, MlirValue, (size_t)before + count + 1);
  MlirType *types = TCC_NEW_ARRAY(r->g.scratch, MlirType, (size_t)(before + nin) + count + 1);
  for (intptr_t j = 0; j < before; j++) all[j] = mlirOperationGetOperand(end, j);
  for (size_t k = 0; k < count; k++) all[(size_t)before + k] = values[k];
  for (intptr_t i = 0; i < nin; i++) types[i] = tcc_value_type(mlirBlockGetArgument(r->block, i));
  for (size_t k = 0; k < (size_t)before + count; k++) types[(size_t)nin + k] = tcc_value_type(all[k]);
  grad_set_return(&r->g, r->block, all, (size_t)before + count);
  tcc_set_attribute(r->main, "function_type",
                    mlirTypeAttrGet(mlirFunctionTypeGet(r->g.ir->context, nin, types, before + (intptr_t)count, types + nin)));
  tcc_set_attribute(r->main, "res_attrs", with_names(r, "res_attrs", before, names, count));
}

/* Private functions that nobody calls any more. */
static void drop_functions(Run *r) {
  for (bool found = true; found;) {
    found = false;
    TccMap *called = tcc_map_create(r->g.scratch);
    TCC_EACH_FUNCTION (func, r->g.module)
      TCC_EACH_OP (op, tcc_func_body(func))
        if (tcc_op_is_named(op, "func.call")) tcc_map_put(called, tcc_callee_name(op), NULL);
    for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(r->g.module)), next; !mlirOperationIsNull(op); op = next) {
      TccStr visibility;
      next = mlirOperationGetNextInBlock(op);
      if (mlirOperationIsNull(tcc_function_from(op)) || !mlirOperationEqual(tcc_function_from(op), op)) continue;
      if (!tcc_attr_read_str(tcc_attribute(op, "sym_visibility"), &visibility) || !tcc_str_is(visibility, "private")) continue;
      if (tcc_map_find(called, tcc_function_name(op))) continue;
      mlirOperationDestroy(op);
      found = true;
    }
  }
}

/* ---- the two modes ---- */
static MlirValue *loss_and_leaves(Run *r, MlirValue *of) {
  MlirValue *wrt = TCC_NEW_ARRAY(r->g.scratch, MlirValue, r->leaves.count + 1);
  for (size_t i = 0; i < r->leaves.count; i++) wrt[i] = r->leaves.data[i].value;
  for (size_t j = 0; j < r->results.count; j++)
    of[j] = mlirOperationGetOperand(mlirBlockGetTerminator(r->block), r->results.data[j]);
  return wrt;
}

static bool reverse_main(Run *r) {
  size_t n = r->leaves.count;
  MlirValue of, *wrt = loss_and_leaves(r, &of), *out = TCC_NEW_ARRAY(r->g.scratch, MlirValue, n + 1);
  grad_expand(&r->g, r->block, wrt, n, mlirBlockGetTerminator(r->block), r->results.data, 1);
  if (r->g.failed) return false;
  MlirOperation end = mlirBlockGetTerminator(r->block);
  loss_and_leaves(r, &of);
  GradActivity activity;
  grad_activity(&r->g, mlirBlockGetFirstOperation(r->block), end, wrt, n, &of, 1, &activity);
  if (!grad_is_varied(&activity, of)) {
    tcc_error(r->main, "tcc-grad: the loss depends on nothing that it is differentiated with respect to");
    return false;
  }
  TccBuilder b = {r->g.ir, r->block, end, mlirOperationGetLocation(end)};
  MlirValue one = tcc_build_scalar(&b, tcc_value_elem(of), 1);
  MlirOperation first = mlirBlockGetFirstOperation(r->block), until = tcc_value_op(one);
  GradLate late;
  grad_find_late(&r->g, r->block, until, &late);
  r->g.late = late.ops.count ? &late.set : NULL;
  if (!grad_reverse(&r->g, r->block, first, until, end, &activity, wrt, n, &of, &one, 1, out)) return false;
  grad_find_late(&r->g, r->block, until, &late); /* rules may have added some */
  intptr_t narguments = mlirBlockGetNumArguments(r->block);
  bool *alive = TCC_NEW_ARRAY(r->g.scratch, bool, narguments + 1);
  for (intptr_t i = 0; i < narguments; i++) alive[i] = true;
  GradCut cut = {"main", r->block, until, alive, narguments, out, n, &late.set};
  grad_again(&r->g, &cut);
  grad_move_late(&r->g, &late);
  const char **names = TCC_NEW_ARRAY(r->g.scratch, const char *, n + 1);
  for (size_t i = 0; i < n; i++) {
    if (!out[i].ptr) out[i] = grad_zeros(&b, tcc_value_type(wrt[i]));
    if (!out[i].ptr) return false; /* with a diagnostic: a value of that size there cannot be */
    names[i] = tcc_arena_printf(r->g.scratch, "grad.%s", r->leaves.data[i].name);
  }
  widen_main(r, out, names, n);
  return true;
}

static bool forward_main(Run *r) {
  size_t n = r->leaves.count, m = r->results.count;
  MlirValue *of = TCC_NEW_ARRAY(r->g.scratch, MlirValue, m + 1), *wrt = loss_and_leaves(r, of),
            *tangents = TCC_NEW_ARRAY(r->g.scratch, MlirValue, n + 1), *out = TCC_NEW_ARRAY(r->g.scratch, MlirValue, m + 1);
  grad_expand(&r->g, r->block, wrt, n, mlirBlockGetTerminator(r->block), r->results.data, m);
  if (r->g.failed) return false;
  loss_and_leaves(r, of);
  intptr_t before = mlirBlockGetNumArguments(r->block);
  const char **names = TCC_NEW_ARRAY(r->g.scratch, const char *, n + m + 1);
  for (size_t i = 0; i < n; i++) {
    tangents[i] = mlirBlockAddArgument(r->block, tcc_value_type(wrt[i]), mlirOperationGetLocation(r->main));
    names[i] = tcc_arena_printf(r->g.scratch, "tangent.%s", r->leaves.data[i].name);
  }
  MlirAttribute arguments = with_names(r, "arg_attrs", before, names, n);
  if (!grad_forward(&r->g, r->block, wrt, tangents, n, of, m, out)) return false;
  MlirOperation end = mlirBlockGetTerminator(r->block);
  TccBuilder b = {r->g.ir, r->block, end, mlirOperationGetLocation(end)};
  for (size_t j = 0; j < m; j++) {
    intptr_t result = r->results.data[j];
    if (!out[j].ptr) out[j] = grad_zeros(&b, tcc_value_type(mlirOperationGetOperand(end, result)));
    if (!out[j].ptr) return false;
    names[j] = tcc_arena_printf(r->g.scratch, "tangent.%s", port_name(r, "res_attrs", result, "output"));
  }
  tcc_set_attribute(r->main, "arg_attrs", arguments);
  widen_main(r, out, names, m);
  return true;
}

static bool differentiate(Run *r, bool forward) {
  if (!find_leaves(r, forward) || !find_results(r, forward)) return false;
  MlirValue *of = TCC_NEW_ARRAY(r->g.scratch, MlirValue, r->results.count + 1), *wrt = loss_and_leaves(r, of);
  grad_check(&r->g, r->block, (MlirOperation){NULL}, wrt, r->leaves.count, of, r->results.count);
  if (r->g.failed || !(forward ? forward_main(r) : reverse_main(r))) return false;
  drop_functions(r);
  return !r->g.failed;
}

static const char *text_option(TccPassRun *run, const char *name) {
  TccStr value = {0};
  tcc_pass_option(run, name, &value);
  return tcc_arena_copy(run->scratch, value.data, value.length);
}

/* Whether derivatives that the model asks for have been built: calls that ask have no body. */
static bool has_gradients(MlirBlock block) {
  bool ok = true;
  TCC_EACH_OP (op, block)
    if (!mlirAttributeIsNull(tcc_attribute(op, "tcc.gradient"))) {
      tcc_error(op, "tcc-grad: a derivative that the model asks for: tcc-gradient has to run first");
      ok = false;
    }
  return ok;
}

MlirLogicalResult tcc_pass_grad(TccPassRun *run, MlirOperation module) {
  Run r = {.g = {.run = run, .ir = run->ir, .scratch = run->scratch, .module = module}};
  r.g.reaches = tcc_map_create(run->scratch);
  r.g.pairs = tcc_map_create(run->scratch);
  r.wrt = text_option(run, "wrt"), r.of = text_option(run, "of");
  r.wrt_names = tcc_map_create(run->scratch), r.leaf_names = tcc_map_create(run->scratch);
  each_glob(&r, r.wrt, note_wrt);
  const char *mode = text_option(run, "mode");
  bool forward = !strcmp(mode, "forward");
  if (!forward && strcmp(mode, "reverse") != 0) return tcc_error(module, "tcc-grad: mode is reverse or forward, not '%s'", mode);
  r.g.reverse = !forward;
  r.g.keep_price = tcc_pass_number(run, "recompute");
  r.main = tcc_module_find(run->ir, module, tcc_str("main"));
  if (mlirOperationIsNull(r.main)) return tcc_error(module, "tcc-grad: the module has no function @main");
  r.block = tcc_func_body(r.main);
  if (!has_gradients(r.block) || mlirLogicalResultIsFailure(tcc_pass_known_sizes(run, module))) return mlirLogicalResultFailure();
  hoist_weights(&r);
  merge_weights(&r);
  bool ok = differentiate(&r, forward);
  if (ok && run->explain) grad_set_saved(&r.g);
  return ok ? mlirLogicalResultSuccess() : mlirLogicalResultFailure();
}

/* activity.c - activity analysis: which values depend on what is differentiated for, and which the result depends on.
 *
 * A cotangent runs from a float result to a float operand of an op whose row is not ZERO. Of a function it is enough to know which
 * results depend on which arguments (GradReach), found once with a set of arguments for each value; a loop's set is closed under
 * its carried values. The idea is old (Bischof et al., ADIFOR, 1992; Hascoet and Pascual, Tapenade, 2013: "varied" and "useful"). */
#include "passes/decompose/expand.h"
#include "passes/grad/grad.h"

static char present;

static bool has(const TccPointerMap *set, MlirValue value) { return tcc_pointer_map_get(set, value.ptr) != NULL; }
static void add(TccPointerMap *set, MlirValue value) { tcc_pointer_map_set(set, value.ptr, &present); }

bool grad_is_varied(const GradActivity *a, MlirValue value) { return has(&a->varied, value); }
bool grad_is_active(const GradActivity *a, MlirValue value) { return has(&a->varied, value) && has(&a->useful, value); }

static bool is_float(MlirValue value) { return tcc_elem_is_float(tcc_value_elem(value)); }

static MlirOperation callee_of(Grad *g, MlirOperation op) {
  if (!tcc_op_is_named(op, "func.call")) return (MlirOperation){NULL};
  return tcc_module_find(g->ir, g->module, tcc_callee_name(op));
}

/* Whether a cotangent of result j of op gives one of operand i. reach: of the function that op calls, or NULL. */
static bool connects(Grad *g, MlirOperation op, const GradReach *reach, intptr_t i, intptr_t j) {
  if (!is_float(mlirOperationGetResult(op, j)) || !is_float(mlirOperationGetOperand(op, i))) return false;
  return reach ? grad_reaches(reach, i, j) : grad_row(tcc_op_kind(g->ir, op))->kind != GRAD_ZERO;
}

/* ---- functions ---- */
bool grad_reaches(const GradReach *r, intptr_t argument, intptr_t result) {
  return r->bits[(size_t)result * r->words + (size_t)argument / 64] >> argument % 64 & 1;
}

/* Dependences of a loop's results: any number of iterations, also none. */
static GradReach *close_loop(Grad *g, const GradReach *once, const TccLoopCall *loop) {
  GradReach *r = TCC_NEW(g->scratch, GradReach);
  *r = *once;
  size_t bytes = sizeof *r->bits * (size_t)r->nresults * r->words;
  r->bits = TCC_NEW_ARRAY(g->scratch, uint64_t, (size_t)r->nresults * r->words + 1);
  memcpy(r->bits, once->bits, bytes);
  for (intptr_t j = 0; j < loop->carried; j++) r->bits[(size_t)j * r->words + (size_t)j / 64] |= UINT64_C(1) << j % 64;
  for (bool changed = true; changed;) {
    changed = false;
    for (intptr_t j = 0; j < loop->carried; j++)
      for (intptr_t k = 0; k < loop->carried; k++)
        for (size_t w = 0; grad_reaches(r, k, j) && w < r->words; w++) {
          uint64_t *to = &r->bits[(size_t)j * r->words + w], more = r->bits[(size_t)k * r->words + w];
          changed = changed || (more & ~*to);
          *to |= more;
        }
  }
  return r;
}

static const GradReach *reach_of(Grad *g, MlirOperation op) {
  MlirOperation callee = callee_of(g, op);
  if (mlirOperationIsNull(callee)) return NULL;
  const GradReach *once = grad_reach(g, callee);
  TccLoopCall loop;
  return tcc_call_loop(g->ir, op, &loop) ? close_loop(g, once, &loop) : once;
}

static void reach_op(Grad *g, MlirOperation op, TccPointerMap *sets, size_t words) {
  const GradReach *reach = reach_of(g, op);
  for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++)
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
      const uint64_t *from = tcc_pointer_map_get(sets, mlirOperationGetOperand(op, i).ptr);
      if (!from || !connects(g, op, reach, i, j)) continue;
      MlirValue result = mlirOperationGetResult(op, j);
      uint64_t *to = tcc_pointer_map_get(sets, result.ptr);
      if (!to) tcc_pointer_map_set(sets, result.ptr, to = TCC_NEW_ARRAY(g->scratch, uint64_t, words));
      for (size_t w = 0; w < words; w++) to[w] |= from[w];
    }
}

const GradReach *grad_reach(Grad *g, MlirOperation func) {
  TccMapEntry *entry = tcc_map_find(g->reaches, tcc_function_name(func));
  if (entry) return entry->pointer;
  MlirBlock block = tcc_func_body(func);
  MlirOperation end = mlirBlockGetTerminator(block);
  GradReach *r = TCC_NEW(g->scratch, GradReach);
  r->narguments = mlirBlockGetNumArguments(block), r->nresults = mlirOperationGetNumOperands(end);
  r->words = (size_t)r->narguments / 64 + 1;
  r->bits = TCC_NEW_ARRAY(g->scratch, uint64_t, (size_t)r->nresults * r->words + 1);
  TccPointerMap sets = {.arena = g->scratch};
  for (intptr_t i = 0; i < r->narguments; i++) {
    uint64_t *own = TCC_NEW_ARRAY(g->scratch, uint64_t, r->words);
    own[i / 64] = UINT64_C(1) << i % 64;
    if (is_float(mlirBlockGetArgument(block, i))) tcc_pointer_map_set(&sets, mlirBlockGetArgument(block, i).ptr, own);
  }
  TCC_EACH_OP (op, block) reach_op(g, op, &sets, r->words);
  for (intptr_t j = 0; j < r->nresults; j++) {
    const uint64_t *set = tcc_pointer_map_get(&sets, mlirOperationGetOperand(end, j).ptr);
    if (set) memcpy(r->bits + (size_t)j * r->words, set, sizeof *set * r->words);
  }
  tcc_map_put(g->reaches, tcc_function_name(func), NULL)->pointer = r;
  return r;
}

/* ---- ops ---- */
void grad_activity(Grad *g, MlirOperation first, MlirOperation until, const MlirValue *wrt, size_t nwrt, const MlirValue *of,
                   size_t nof, GradActivity *out) {
  *out = (GradActivity){{.arena = g->scratch}, {.arena = g->scratch}};
  for (size_t i = 0; i < nwrt; i++) add(&out->varied, wrt[i]);
  for (size_t i = 0; i < nof; i++) add(&out->useful, of[i]);
  TCC_VEC(MlirOperation) ops = {0};
  for (MlirOperation op = first; !mlirOperationIsNull(op) && !mlirOperationEqual(op, until); op = mlirOperationGetNextInBlock(op)) {
    TCC_VEC_PUSH(g->scratch, &ops, op);
    const GradReach *reach = reach_of(g, op);
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++)
      for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
        if (has(&out->varied, mlirOperationGetOperand(op, i)) && connects(g, op, reach, i, j))
          add(&out->varied, mlirOperationGetResult(op, j));
  }
  for (size_t k = ops.count; k-- > 0;) {
    MlirOperation op = ops.data[k];
    const GradReach *reach = reach_of(g, op);
    for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++)
      for (intptr_t i = 0; has(&out->useful, mlirOperationGetResult(op, j)) && i < mlirOperationGetNumOperands(op); i++)
        if (connects(g, op, reach, i, j)) add(&out->useful, mlirOperationGetOperand(op, i));
  }
}

/* An op with an active result that depends on an active operand. */
static bool op_is_active(const GradActivity *a, MlirOperation op) {
  bool in = false, out = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) in = in || grad_is_active(a, mlirOperationGetOperand(op, i));
  for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++) out = out || grad_is_active(a, mlirOperationGetResult(op, j));
  return in && out;
}

static void check_block(Grad *g, TccMap *seen, MlirBlock block, MlirOperation until, const MlirValue *wrt, size_t nwrt,
                        const MlirValue *of, size_t nof);

/* Whether an op is met for the first time. */
static bool is_new(TccMap *seen, MlirOperation op) {
  bool inserted;
  const void *key = op.ptr;
  tcc_map_put(seen, tcc_key_pointer(&key), &inserted);
  return inserted;
}

/* INT64_MAX iterations: a loop that data ends. */
static void check_bound(Grad *g, TccMap *seen, MlirOperation call, const TccExpr *trips) {
  int64_t most;
  if (!tcc_expr_is_const(trips, &most) || most < INT64_MAX || !is_new(seen, call)) return;
  tcc_error(call, "tcc-grad: a loop without a bound, whose iterations have to be kept for its derivative");
  g->failed = true;
}

static void check_call(Grad *g, TccMap *seen, const GradActivity *a, MlirOperation call, MlirOperation callee) {
  MlirBlock block = tcc_func_body(callee);
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t nin = mlirOperationGetNumOperands(call), nout = mlirOperationGetNumResults(call);
  MlirValue *wrt = TCC_NEW_ARRAY(g->scratch, MlirValue, nin + 1), *of = TCC_NEW_ARRAY(g->scratch, MlirValue, nout + 1);
  size_t nwrt = 0, nof = 0;
  TccLoopCall loop;
  bool is_loop = tcc_call_loop(g->ir, call, &loop);
  if (is_loop && g->reverse) check_bound(g, seen, call, loop.trips);
  for (intptr_t i = 0; i < nin; i++)
    if (grad_is_active(a, mlirOperationGetOperand(call, i)) ||
        (is_loop && i < nout && grad_is_active(a, mlirOperationGetResult(call, i))))
      wrt[nwrt++] = mlirBlockGetArgument(block, i);
  for (intptr_t j = 0; j < nout; j++)
    if (grad_is_active(a, mlirOperationGetResult(call, j)) || (is_loop && grad_is_active(a, mlirOperationGetOperand(call, j))))
      of[nof++] = mlirOperationGetOperand(end, j);
  check_block(g, seen, block, (MlirOperation){NULL}, wrt, nwrt, of, nof);
}

/* One diagnostic for each op, however often its function is called. */
static void check_block(Grad *g, TccMap *seen, MlirBlock block, MlirOperation until, const MlirValue *wrt, size_t nwrt,
                        const MlirValue *of, size_t nof) {
  GradActivity a;
  grad_activity(g, mlirBlockGetFirstOperation(block), until, wrt, nwrt, of, nof, &a);
  TCC_EACH_OP (op, block) {
    if (!op_is_active(&a, op)) continue;
    MlirOperation callee = callee_of(g, op);
    if (!mlirOperationIsNull(callee)) {
      check_call(g, seen, &a, op, callee);
      continue;
    }
    TccOpKind kind = tcc_op_kind(g->ir, op);
    if (grad_row(kind)->kind != GRAD_NONE || !is_new(seen, op)) continue;
    MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
    tcc_error(op, "'%.*s' has no derivative and a gradient has to pass it: %s", (int)name.length, name.data, grad_row(kind)->text);
    g->failed = true;
  }
}

void grad_check(Grad *g, MlirBlock block, MlirOperation until, const MlirValue *wrt, size_t nwrt, const MlirValue *of, size_t nof) {
  check_block(g, tcc_map_create(g->scratch), block, until, wrt, nwrt, of, nof);
}

void grad_expand(Grad *g, MlirBlock block, const MlirValue *wrt, size_t nwrt, MlirOperation end, const intptr_t *operands,
                 size_t nof) {
  bool eager = tcc_numerics(g->module) == TCC_NUMERICS_EAGER;
  MlirValue *of = TCC_NEW_ARRAY(g->scratch, MlirValue, nof + 1);
  for (bool found = true; found && !g->failed;) { /* an expansion may be made of others */
    GradActivity a;
    TCC_VEC(MlirOperation) ops = {0};
    for (size_t i = 0; i < nof; i++) of[i] = mlirOperationGetOperand(end, operands[i]);
    grad_activity(g, mlirBlockGetFirstOperation(block), end, wrt, nwrt, of, nof, &a);
    TCC_EACH_OP (op, block)
      if (grad_row(tcc_op_kind(g->ir, op))->kind == GRAD_EXPAND && op_is_active(&a, op)) TCC_VEC_PUSH(g->scratch, &ops, op);
    found = ops.count > 0;
    for (size_t i = 0; i < ops.count; i++)
      if (!tcc_expand_op(g->run, ops.data[i], eager)) g->failed = true;
  }
}

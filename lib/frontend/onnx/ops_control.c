/* ops_control.c - If.
 *
 * Ops are pure, so an If whose condition is not known takes both branches and selects between their results
 * (if-conversion; Allen et al., POPL 1983). Where a branch is more than a few nodes - one of two models - and the caller gave what
 * the condition is computed from, it is compiled for that value; else the run-time takes one of the two, as loops of at most one
 * iteration. Sizes that depend on data, of branches that differ, come from tcc.nonzero: the wanted rows are those whose mask is
 * true. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

enum { SMALL_BRANCH = 16 /* nodes */ };

static ImportValue *new_values(ImportCall *c, size_t count) { return TCC_NEW_ARRAY(import_arena(c), ImportValue, count + 1); }

MlirValue onnx_condition(ImportCall *c, MlirValue value) { return tcc_build_reshape(&c->b, value, 0, NULL); }

bool import_same_type(ImportCall *c, MlirValue a, MlirValue b, const char *what) {
  if (mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b))) return true;
  ImportShape x = import_shape(c, a), y = import_shape(c, b);
  TccText text = {0};
  for (int side = 0; side < 2; side++) {
    const ImportShape *shape = side ? &y : &x;
    tcc_text_printf(&text, side ? " and " : "");
    for (int i = 0; i < shape->rank; i++) tcc_text_printf(&text, "%sx", tcc_expr_text(c->ir->exprs, shape->dims[i]));
    tcc_text_printf(&text, "%s", tcc_elem_name(shape->elem));
  }
  import_unsupported(c, "%s have different types, %s", what, text.data);
  tcc_text_destroy(&text);
  return false;
}

MlirValue onnx_take_where(ImportCall *c, MlirValue x, int64_t axis, MlirValue mask) {
  MlirValue found = import_nonzero(c, mask);
  ImportShape shape = import_shape(c, found);
  return found.ptr ? tcc_build_gather(&c->b, x, tcc_build_reshape(&c->b, found, 1, &shape.dims[1]), axis) : found;
}

MlirValue onnx_pad_end(ImportCall *c, MlirValue x, const TccExpr *const *to) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) low[i] = import_size(c, 0), high[i] = import_size_sub(c, to[i], shape.dims[i]);
  return tcc_build_pad(&c->b, x, (MlirValue){NULL}, low, high, "constant");
}

/* condition ? a : b for tensors of one rank: both are padded to the larger sizes, and what is too much is dropped. */
static MlirValue select_sizes(ImportCall *c, MlirValue condition, MlirValue a, MlirValue b) {
  ImportShape x = import_shape(c, a), y = import_shape(c, b);
  if (x.rank != y.rank || x.elem != y.elem) {
    import_same_type(c, a, b, "the branches' results");
    return (MlirValue){NULL};
  }
  const TccExpr *larger[TCC_MAX_RANK] = {NULL};
  for (int i = 0; i < x.rank; i++)
    larger[i] = x.dims[i] == y.dims[i] ? x.dims[i] : tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, x.dims[i], y.dims[i]);
  MlirValue r = tcc_build_select(&c->b, condition, onnx_pad_end(c, a, larger), onnx_pad_end(c, b, larger));
  for (int i = 0; i < x.rank; i++) {
    if (x.dims[i] == y.dims[i]) continue;
    MlirValue size = tcc_build_select(&c->b, condition, tcc_build_size(&c->b, x.dims[i]), tcc_build_size(&c->b, y.dims[i]));
    r = onnx_take_where(c, r, i, tcc_build_compare(&c->b, "lt", import_iota(c, TCC_ELEM_I64, larger[i]), size));
  }
  return r;
}

/* Makes constants of the symbolic sizes that value is computed from, if the caller's data tell them, so that the walk begins
 * again; else the call has a reason. False if there are none. */
static bool fix_sizes(ImportCall *c, MlirValue value, int depth) {
  enum { MOST_DEPTH = 16 };
  MlirOperation op = tcc_value_op(value);
  if (mlirOperationIsNull(op) || depth > MOST_DEPTH) return false;
  bool fixed = false;
  const TccExpr *const *sizes;
  size_t count;
  int64_t size;
  if (tcc_op_kind(c->ir, op) == TCC_OP_SIZES && tcc_get_exprs(c->ir, op, "values", &sizes, &count))
    for (size_t i = 0; i < count; i++) fixed |= !import_fix_size(c, sizes[i], &size);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) fixed |= fix_sizes(c, mlirOperationGetOperand(op, i), depth + 1);
  return fixed;
}

/* A branch as a loop of at most one iteration, in place of values[] if go is true. values[i] null: zeros in that place. */
static bool call_branch(ImportCall *c, const TccOnnxGraph *graph, MlirValue go, MlirValue *values) {
  size_t n = c->noutputs;
  ImportBody body;
  ImportValue *made = new_values(c, n);
  MlirValue *initial = TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1),
            *results = TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1);
  MlirValue *out = TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1);
  import_body_open(c, &body);
  import_body_argument(c, &body, tcc_value_type(go));
  import_uncertain(c, 1);
  bool ok = onnx_subgraph(c, graph, NULL, 0, made, n);
  import_uncertain(c, -1);
  initial[0] = go;
  results[0] = tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 0);
  for (size_t i = 0; ok && i < n; i++) {
    ok = made[i].kind == IMPORT_TENSOR;
    if (!ok) continue;
    results[1 + i] = made[i].tensor;
    import_body_argument(c, &body, tcc_value_type(made[i].tensor));
    ImportShape shape = import_shape(c, made[i].tensor);
    c->b.block = body.outer;
    initial[1 + i] = values[i].ptr ? values[i]
                                   : tcc_build_broadcast(&c->b,
                                                         tcc_elem_is_float(shape.elem) ? tcc_build_scalar(&c->b, shape.elem, 0)
                                                                                       : tcc_build_scalar_i64(&c->b, shape.elem, 0),
                                                         shape.rank, shape.dims);
    c->b.block = body.block;
  }
  ok = ok && import_body_close(c, &body, n + 1, initial, results, import_size(c, 1), true, out);
  if (!ok) import_body_drop(c, &body, true);
  else memcpy(values, out + 1, n * sizeof *values);
  return ok;
}

/* The run-time takes one of the branches. */
static bool call_branches(ImportCall *c) {
  const TccOnnxGraph *graphs[] = {onnx_graph(c, "then_branch"), onnx_graph(c, "else_branch")};
  MlirValue *values = TCC_NEW_ARRAY(import_arena(c), MlirValue, c->noutputs + 1), go = onnx_condition(c, import_input(c, 0));
  size_t loops = import_loops(c);
  bool one = call_branch(c, graphs[0], go, values),
       called = one && call_branch(c, graphs[1], tcc_build1(&c->b, TCC_OP_NOT, go), values);
  if (one && !called && c->noutputs) { /* the branches' types differ */
    mlirOperationDestroy(tcc_value_op(values[0]));
    import_loops_forget(c, loops);
  }
  for (size_t i = 0; called && i < c->noutputs; i++) called = import_output(c, i, values[i]);
  return called;
}

/* condition ? a : b; of lists of one length tensor by tensor. Other lists: one branch alone, if the caller gave what the condition is made of. */
static bool select_value(ImportCall *c, MlirValue condition, const ImportValue *a, const ImportValue *b, ImportValue *out) {
  if (a->kind != b->kind || a->count != b->count)
    return !import_specialise_given(c, 0) &&
           import_unsupported(c, "branches that give lists of different lengths, or one that gives nothing");
  *out = *a;
  if (a->kind == IMPORT_TENSOR) {
    bool same = mlirTypeEqual(mlirValueGetType(a->tensor), mlirValueGetType(b->tensor));
    out->tensor =
        same ? tcc_build_select(&c->b, condition, a->tensor, b->tensor) : select_sizes(c, condition, a->tensor, b->tensor);
    return out->tensor.ptr != NULL;
  }
  if (a->kind == IMPORT_TEXT) return import_unsupported(c, "branches that give strings");
  if (a->kind == IMPORT_ROWS || a->kind == IMPORT_PARTS)
    return import_unsupported(c, "branches that give lists whose length a loop decides");
  out->items = new_values(c, a->count);
  for (size_t i = 0; i < a->count; i++)
    if (!select_value(c, condition, &a->items[i], &b->items[i], &out->items[i])) return false;
  return true;
}

/* Both branches, and a choice between their results. */
static bool select_branches(ImportCall *c) {
  const TccOnnxGraph *graphs[] = {onnx_graph(c, "then_branch"), onnx_graph(c, "else_branch")};
  MlirValue condition = import_input(c, 0);
  ImportValue *branch[] = {new_values(c, c->noutputs), new_values(c, c->noutputs)};
  bool ok = true, dropped = import_drops(c, true);
  import_uncertain(c, 1);
  for (int i = 0; ok && i < 2; i++) ok = onnx_subgraph(c, graphs[i], NULL, 0, branch[i], c->noutputs);
  import_uncertain(c, -1);
  import_drops(c, dropped);
  if (!ok) return false;
  for (size_t i = 0; i < c->noutputs; i++) /* ranks that differ: only one branch is meant, whichever the sizes say */
    if (branch[0][i].kind == IMPORT_TENSOR && branch[1][i].kind == IMPORT_TENSOR &&
        import_shape(c, branch[0][i].tensor).rank != import_shape(c, branch[1][i].tensor).rank && fix_sizes(c, condition, 0))
      return false;
  condition = onnx_condition(c, condition);
  for (size_t i = 0; i < c->noutputs; i++)
    if (!select_value(c, condition, &branch[0][i], &branch[1][i], &c->outputs[i])) return false;
  return true;
}

bool onnx_op_if(ImportCall *c) {
  const TccOnnxGraph *graphs[] = {onnx_graph(c, "then_branch"), onnx_graph(c, "else_branch")};
  int64_t known;
  if (!import_need(c, 1) || !graphs[0] || !graphs[1]) return false;
  if (import_known_constant(c, import_input(c, 0), &known))
    return onnx_subgraph(c, graphs[known ? 0 : 1], NULL, 0, c->outputs, c->noutputs);
  bool large = graphs[0]->node.count > SMALL_BRANCH || graphs[1]->node.count > SMALL_BRANCH;
  if (large && import_specialise_given(c, 0)) return false;
  if (large) {
    bool called = call_branches(c);
    if (called || import_restarts(c)) return called;
  }
  return import_speculate(c, select_branches, large ? NULL : call_branches);
}

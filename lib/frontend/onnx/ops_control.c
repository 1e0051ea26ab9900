/* ops_control.c - If, sequences and optionals.
 *
 * Ops are pure, so an If whose condition is not known takes both branches and selects between their results
 * (if-conversion; Allen et al., POPL 1983). Where a branch is more than a few nodes - one of two models - and the caller gave what
 * the condition is computed from, it is compiled for that value; else the run-time takes one of the two, as loops of at most one
 * iteration. Sizes that depend on data, of branches that differ, come from tcc.nonzero: the wanted rows are those whose mask is
 * true. A sequence is a list of values while importing, of known length. */
#include "lib/frontend/onnx/ops.h"

enum { SMALL_BRANCH = 16 /* nodes */ };

static OnnxValue *new_values(OnnxCall *c, size_t count) { return TCC_NEW_ARRAY(onnx_arena(c), OnnxValue, count + 1); }

MlirValue onnx_condition(OnnxCall *c, MlirValue value) { return onnx_reshape(c, value, 0, NULL); }

bool onnx_same_type(OnnxCall *c, MlirValue a, MlirValue b, const char *what) {
  if (mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b))) return true;
  OnnxShape x = onnx_shape(c, a), y = onnx_shape(c, b);
  TccText text = {0};
  for (int side = 0; side < 2; side++) {
    const OnnxShape *shape = side ? &y : &x;
    tcc_text_printf(&text, side ? " and " : "");
    for (int i = 0; i < shape->rank; i++) tcc_text_printf(&text, "%sx", tcc_expr_text(c->ir->exprs, shape->dims[i]));
    tcc_text_printf(&text, "%s", tcc_elem_name(shape->elem));
  }
  onnx_unsupported(c, "%s have different types, %s", what, text.data);
  tcc_text_destroy(&text);
  return false;
}

MlirValue onnx_take_where(OnnxCall *c, MlirValue x, int64_t axis, MlirValue mask) {
  MlirValue found = onnx_nonzero(c, mask);
  OnnxShape shape = onnx_shape(c, found);
  return found.ptr ? onnx_gather(c, x, onnx_reshape(c, found, 1, &shape.dims[1]), axis) : found;
}

static MlirValue pad_end(OnnxCall *c, MlirValue x, const TccExpr *const *to) {
  OnnxShape shape = onnx_shape(c, x);
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) low[i] = onnx_size(c, 0), high[i] = onnx_size_sub(c, to[i], shape.dims[i]);
  TccNamedAttr attrs[] = {{"low", tcc_attr_exprs(c->ir, low, (size_t)shape.rank)},
                          {"high", tcc_attr_exprs(c->ir, high, (size_t)shape.rank)},
                          {"mode", tcc_attr_str(c->ir, tcc_str("constant"))}};
  return onnx_op(c, TCC_OP_PAD, &x, 1, attrs, 3);
}

/* condition ? a : b for tensors of one rank: both are padded to the larger sizes, and what is too much is dropped. */
static MlirValue select_sizes(OnnxCall *c, MlirValue condition, MlirValue a, MlirValue b) {
  OnnxShape x = onnx_shape(c, a), y = onnx_shape(c, b);
  if (x.rank != y.rank || x.elem != y.elem) {
    onnx_same_type(c, a, b, "the branches' results");
    return (MlirValue){NULL};
  }
  const TccExpr *larger[TCC_MAX_RANK] = {NULL};
  for (int i = 0; i < x.rank; i++)
    larger[i] = x.dims[i] == y.dims[i] ? x.dims[i] : tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, x.dims[i], y.dims[i]);
  MlirValue r = onnx_select(c, condition, pad_end(c, a, larger), pad_end(c, b, larger));
  for (int i = 0; i < x.rank; i++) {
    if (x.dims[i] == y.dims[i]) continue;
    MlirValue size = onnx_select(c, condition, onnx_size_scalar(c, x.dims[i]), onnx_size_scalar(c, y.dims[i]));
    r = onnx_take_where(c, r, i, onnx_compare(c, "lt", onnx_iota(c, TCC_ELEM_I64, larger[i]), size));
  }
  return r;
}

/* Makes constants of the symbolic sizes that value is computed from, if the caller's data tell them, so that the walk begins
 * again; else the call has a reason. False if there are none. */
static bool fix_sizes(OnnxCall *c, MlirValue value, int depth) {
  enum { MOST_DEPTH = 16 };
  MlirOperation op = tcc_value_op(value);
  if (mlirOperationIsNull(op) || depth > MOST_DEPTH) return false;
  bool fixed = false;
  const TccExpr *const *sizes;
  size_t count;
  int64_t size;
  if (tcc_op_kind(c->ir, op) == TCC_OP_SIZES && tcc_get_exprs(c->ir, op, "values", &sizes, &count))
    for (size_t i = 0; i < count; i++) fixed |= !onnx_fix_size(c, sizes[i], &size);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) fixed |= fix_sizes(c, mlirOperationGetOperand(op, i), depth + 1);
  return fixed;
}

/* A branch as a loop of at most one iteration, in place of values[] if go is true. values[i] null: zeros in that place. */
static bool call_branch(OnnxCall *c, const TccOnnxGraph *graph, MlirValue go, MlirValue *values) {
  size_t n = c->noutputs;
  OnnxBody body;
  OnnxValue *made = new_values(c, n);
  MlirValue *initial = TCC_NEW_ARRAY(onnx_arena(c), MlirValue, n + 1), *results = TCC_NEW_ARRAY(onnx_arena(c), MlirValue, n + 1);
  MlirValue *out = TCC_NEW_ARRAY(onnx_arena(c), MlirValue, n + 1);
  onnx_body_open(c, &body);
  onnx_body_argument(c, &body, tcc_value_type(go));
  bool ok = onnx_subgraph(c, graph, NULL, 0, made, n);
  initial[0] = go;
  results[0] = onnx_scalar_i64(c, TCC_ELEM_BOOL, 0);
  for (size_t i = 0; ok && i < n; i++) {
    ok = made[i].kind == ONNX_TENSOR;
    if (!ok) continue;
    results[1 + i] = made[i].tensor;
    onnx_body_argument(c, &body, tcc_value_type(made[i].tensor));
    OnnxShape shape = onnx_shape(c, made[i].tensor);
    c->b.block = body.outer;
    initial[1 + i] =
        values[i].ptr
            ? values[i]
            : onnx_broadcast(c, tcc_elem_is_float(shape.elem) ? onnx_scalar(c, shape.elem, 0) : onnx_scalar_i64(c, shape.elem, 0),
                             shape.rank, shape.dims);
    c->b.block = body.block;
  }
  ok = ok && onnx_body_close(c, &body, n + 1, initial, results, onnx_size(c, 1), true, out);
  if (!ok) onnx_body_drop(c, &body, true);
  else memcpy(values, out + 1, n * sizeof *values);
  return ok;
}

bool import_if(OnnxCall *c) {
  const TccOnnxGraph *graphs[] = {onnx_graph(c, "then_branch"), onnx_graph(c, "else_branch")};
  int64_t known;
  if (!onnx_need(c, 1) || !graphs[0] || !graphs[1]) return false;
  MlirValue condition = onnx_input(c, 0);
  if (onnx_known_constant(c, condition, &known)) return onnx_subgraph(c, graphs[known ? 0 : 1], NULL, 0, c->outputs, c->noutputs);
  if ((graphs[0]->node.count > SMALL_BRANCH || graphs[1]->node.count > SMALL_BRANCH) && onnx_specialise_given(c, 0)) return false;
  if (graphs[0]->node.count > SMALL_BRANCH || graphs[1]->node.count > SMALL_BRANCH) {
    MlirValue *values = TCC_NEW_ARRAY(onnx_arena(c), MlirValue, c->noutputs + 1), go = onnx_condition(c, condition);
    size_t loops = onnx_loops(c);
    bool one = call_branch(c, graphs[0], go, values),
         called = one && call_branch(c, graphs[1], onnx_unary(c, TCC_OP_NOT, go), values);
    if (one && !called && c->noutputs) { /* the branches' types differ */
      mlirOperationDestroy(tcc_value_op(values[0]));
      onnx_loops_forget(c, loops);
    }
    for (size_t i = 0; called && i < c->noutputs; i++) called = onnx_output(c, i, values[i]);
    if (called || onnx_restarts(c)) return called;
  }
  OnnxValue *branch[] = {new_values(c, c->noutputs), new_values(c, c->noutputs)};
  for (int i = 0; i < 2; i++)
    if (!onnx_subgraph(c, graphs[i], NULL, 0, branch[i], c->noutputs)) return false;
  for (size_t i = 0; i < c->noutputs; i++) /* ranks that differ: only one branch is meant, whichever the sizes say */
    if (branch[0][i].kind == ONNX_TENSOR && branch[1][i].kind == ONNX_TENSOR &&
        onnx_shape(c, branch[0][i].tensor).rank != onnx_shape(c, branch[1][i].tensor).rank && fix_sizes(c, condition, 0))
      return false;
  condition = onnx_condition(c, condition);
  for (size_t i = 0; i < c->noutputs; i++) {
    if (branch[0][i].kind != ONNX_TENSOR || branch[1][i].kind != ONNX_TENSOR)
      return onnx_unsupported(c, "branches that give sequences");
    MlirValue a = branch[0][i].tensor, b = branch[1][i].tensor;
    bool same = mlirTypeEqual(mlirValueGetType(a), mlirValueGetType(b));
    if (!onnx_output(c, i, same ? onnx_select(c, condition, a, b) : select_sizes(c, condition, a, b))) return false;
  }
  return true;
}

/* ---- sequences ---- */
static bool read_sequence(OnnxCall *c, size_t input) {
  if (input < c->ninputs && c->inputs[input].kind == ONNX_SEQUENCE) return true;
  return onnx_invalid(c, "input %zu is no sequence", input);
}

static bool give_sequence(OnnxCall *c, OnnxValue *items, size_t count) {
  if (!c->noutputs) return onnx_invalid(c, "has no output");
  c->outputs[0] = (OnnxValue){.kind = ONNX_SEQUENCE, .items = items, .count = count};
  return true;
}

bool import_sequence_empty(OnnxCall *c) { return give_sequence(c, NULL, 0); }
bool import_sequence_construct(OnnxCall *c) { return onnx_need(c, c->ninputs) && give_sequence(c, c->inputs, c->ninputs); }

/* The position that a scalar input names, in [0, limit); -1 counts from `length`. */
static bool read_position(OnnxCall *c, size_t input, size_t length, size_t limit, size_t *out) {
  size_t n;
  const int64_t *given = onnx_constants(c, input, &n);
  if (!given) return false;
  int64_t at = n == 1 ? given[0] < 0 ? given[0] + (int64_t)length : given[0] : -1;
  *out = (size_t)at;
  return (at >= 0 && (size_t)at < limit) || onnx_invalid(c, "the position is outside of the sequence");
}

bool import_sequence_at(OnnxCall *c) {
  size_t at;
  if (!read_sequence(c, 0) || !read_position(c, 1, c->inputs[0].count, c->inputs[0].count, &at) || !c->noutputs) return false;
  c->outputs[0] = c->inputs[0].items[at];
  return true;
}

bool import_sequence_insert(OnnxCall *c) {
  if (!read_sequence(c, 0)) return false;
  size_t count = c->inputs[0].count, at = count;
  if (!onnx_input(c, 1).ptr || (onnx_has_input(c, 2) && !read_position(c, 2, count, count + 1, &at)))
    return onnx_invalid(c, "nothing to insert");
  OnnxValue *items = new_values(c, count + 1);
  for (size_t i = 0; i <= count; i++) items[i] = i == at ? c->inputs[1] : c->inputs[0].items[i < at ? i : i - 1];
  return give_sequence(c, items, count + 1);
}

bool import_sequence_erase(OnnxCall *c) {
  if (!read_sequence(c, 0)) return false;
  size_t count = c->inputs[0].count, at = count - 1;
  if (!count) return onnx_invalid(c, "the sequence is empty");
  if (onnx_has_input(c, 1) && !read_position(c, 1, count, count, &at)) return false;
  OnnxValue *items = new_values(c, count);
  for (size_t i = 0; i + 1 < count; i++) items[i] = c->inputs[0].items[i < at ? i : i + 1];
  return give_sequence(c, items, count - 1);
}

bool import_sequence_length(OnnxCall *c) {
  return read_sequence(c, 0) && onnx_output(c, 0, onnx_scalar_i64(c, TCC_ELEM_I64, (int64_t)c->inputs[0].count));
}

bool import_concat_from_sequence(OnnxCall *c) {
  if (!read_sequence(c, 0)) return false;
  size_t count = c->inputs[0].count;
  if (!count) return onnx_invalid(c, "the sequence is empty");
  bool stacked = onnx_int(c, "new_axis", 0) != 0;
  MlirValue *values = TCC_NEW_ARRAY(onnx_arena(c), MlirValue, count);
  int64_t axis;
  if (!onnx_axis(c, onnx_int(c, "axis", 0), onnx_shape(c, c->inputs[0].items[0].tensor).rank + stacked, &axis)) return false;
  for (size_t i = 0; i < count; i++)
    values[i] = stacked ? onnx_unsqueeze(c, c->inputs[0].items[i].tensor, axis) : c->inputs[0].items[i].tensor;
  return onnx_output(c, 0, onnx_concat(c, values, count, axis));
}

/* Parts of a given size each (the last may be smaller), or of given sizes; without split, of size 1, its axis dropped
 * unless keepdims. */
bool import_split_to_sequence(OnnxCall *c) {
  if (!onnx_need(c, 1)) return false;
  MlirValue x = onnx_input(c, 0);
  OnnxShape shape = onnx_shape(c, x);
  int64_t axis, size, each = 1;
  size_t n = 0, count = 0;
  const int64_t *given = NULL;
  if (!onnx_axis(c, onnx_int(c, "axis", 0), shape.rank, &axis)) return false;
  if (!tcc_expr_is_const(shape.dims[axis], &size))
    return onnx_unsupported(c, "a sequence of '%s' tensors", tcc_expr_text(c->ir->exprs, shape.dims[axis]));
  if (onnx_has_input(c, 1) && !(given = onnx_constants(c, 1, &n))) return false;
  bool parts = given && onnx_shape(c, onnx_input(c, 1)).rank == 1;
  if (given && !parts) each = given[0];
  if (each < 1) return onnx_invalid(c, "split must be positive");
  count = parts ? n : (size_t)((size + each - 1) / each);
  OnnxValue *items = new_values(c, count);
  for (size_t i = 0, start = 0; i < count; i++) {
    int64_t here = parts ? given[i] : size - (int64_t)start < each ? size - (int64_t)start : each;
    MlirValue part = onnx_slice(c, x, axis, onnx_size(c, (int64_t)start), onnx_size(c, here));
    if (!given && !onnx_int(c, "keepdims", 1)) part = onnx_squeeze(c, part, axis);
    if (!part.ptr) return false;
    items[i] = (OnnxValue){.kind = ONNX_TENSOR, .tensor = part};
    start += (size_t)here;
  }
  return give_sequence(c, items, count);
}

/* ---- optionals: an absent one is an absent value ---- */
bool import_optional_has_element(OnnxCall *c) { return onnx_output(c, 0, onnx_scalar_i64(c, TCC_ELEM_BOOL, onnx_has_input(c, 0))); }

bool import_optional_get_element(OnnxCall *c) {
  if (!onnx_has_input(c, 0) || !c->noutputs) return onnx_invalid(c, "the optional is empty");
  c->outputs[0] = c->inputs[0];
  return true;
}

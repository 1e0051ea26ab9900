/* ops_loop.c - Loop and Scan.
 *
 * A loop becomes a function that the run-time calls again with its own results (tcc_call_loop); its number of iterations may be a
 * size, or end by data. Scanned inputs are read by gather, scan outputs written row by row by dynamic_update_slice. A few iterations of a few
 * nodes are unrolled instead, and so is, up to MOST_ITERATIONS, what cannot be a function: bodies that need the number of an
 * iteration at compile time, that carry sequences, or values whose types change. Where a condition ends an unrolled loop early, what
 * came later is dropped: rows that were made are those whose mask is true. What a loop only appends to is a scan output (loop_append.c). Where iterations
 * decide sizes of what leaves them, see loop_sized.c. */
#include "lib/frontend/onnx/loop.h"
#include "lib/frontend/onnx/ops_sequence.h"
#include "tcc/op_kinds.h"

enum { MOST_ITERATIONS = 64, MOST_UNROLLED = 64 /* nodes in all */ };

static ImportValue *new_values(ImportCall *c, size_t count) { return TCC_NEW_ARRAY(import_arena(c), ImportValue, count + 1); }
static MlirValue *new_tensors(ImportCall *c, size_t count) { return TCC_NEW_ARRAY(import_arena(c), MlirValue, count + 1); }

/* The results of an iteration stand for themselves while the loop is known to go on; once its condition is data, they
 * count only where it has held so far. */
static bool carry(ImportCall *c, MlirValue alive, ImportValue *carried, const ImportValue *next, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (!alive.ptr) {
      carried[i] = next[i];
      continue;
    }
    if (carried[i].kind != IMPORT_TENSOR || next[i].kind != IMPORT_TENSOR)
      return !(import_has_input(c, 1) && import_specialise_given(c, 1)) &&
             import_unsupported(c, "a sequence carried by a loop whose end is data");
    if (!import_same_type(c, carried[i].tensor, next[i].tensor, "a carried value before and after an iteration")) return false;
    carried[i].tensor = tcc_build_select(&c->b, alive, next[i].tensor, carried[i].tensor);
    if (!carried[i].tensor.ptr) return false;
  }
  return true;
}

static int64_t entry(ImportCall *c, const char *name, size_t index) {
  const int64_t *values;
  size_t n;
  return onnx_ints(c, name, &values, &n) && index < n ? values[index] : 0;
}

MlirValue onnx_zeros(ImportCall *c, const ImportShape *shape) {
  MlirValue zero =
      tcc_elem_is_float(shape->elem) ? tcc_build_scalar(&c->b, shape->elem, 0) : tcc_build_scalar_i64(&c->b, shape->elem, 0);
  return tcc_build_broadcast(&c->b, zero, shape->rank, shape->dims);
}

/* Scan outputs of a body that never runs: no rows, of the shape that it would give them for these inputs. first: of its outputs and of the
 * node's. */
static bool no_rows(ImportCall *c, const TccOnnxGraph *body, const ImportValue *inputs, size_t ninputs, size_t first_result,
                    size_t first_output, const char *axes) {
  ImportValue *results = new_values(c, body->output.count);
  ImportShape *shapes = TCC_NEW_ARRAY(import_arena(c), ImportShape, body->output.count + 1);
  ImportBody trial;
  import_body_open(c, &trial);
  import_uncertain(c, 1);
  bool ok = onnx_subgraph(c, body, inputs, ninputs, results, body->output.count);
  import_uncertain(c, -1);
  for (size_t i = first_result; ok && i < body->output.count; i++) {
    ok = results[i].kind == IMPORT_TENSOR || import_invalid(c, "a scan output is no tensor");
    if (ok) shapes[i] = import_shape(c, results[i].tensor);
  }
  import_body_drop(c, &trial, false);
  for (size_t i = first_result; ok && i < body->output.count; i++) {
    ImportShape rows = shapes[i];
    size_t output = first_output + i - first_result;
    int64_t axis;
    if (!import_has_output(c, output)) continue;
    if (rows.rank == TCC_MAX_RANK) return import_unsupported(c, "a result of rank %d", rows.rank + 1);
    ok = import_axis(c, axes ? entry(c, axes, i - first_result) : 0, ++rows.rank, &axis);
    if (!ok) break;
    for (int d = rows.rank - 1; d > axis; d--) rows.dims[d] = rows.dims[d - 1];
    rows.dims[axis] = import_size(c, 0);
    ok = import_output(c, output, onnx_zeros(c, &rows));
  }
  return ok;
}

/* Joins what each iteration gave for one scan output, along axis; those that counted, where `ran` says it. */
static bool stack(ImportCall *c, size_t output, const MlirValue *parts, size_t count, int64_t axis, bool reverse, MlirValue ran) {
  MlirValue *made = TCC_NEW_ARRAY(import_arena(c), MlirValue, count + 1);
  int rank = import_shape(c, parts[0]).rank + 1;
  if (!import_axis(c, axis, rank, &axis)) return false;
  for (size_t i = 0; i < count; i++) made[reverse ? count - 1 - i : i] = import_unsqueeze(c, parts[i], axis);
  if (!import_has_output(c, output)) return true;
  MlirValue all = tcc_build_concat(&c->b, made, count, axis);
  return import_output(c, output, ran.ptr ? onnx_take_where(c, all, axis, ran) : all);
}

bool onnx_loop_appends(const OnnxLoopShape *shape, size_t k) { return shape->appends && shape->appends[k].node != SIZE_MAX; }

static bool loop_shape(ImportCall *c, const TccOnnxGraph *body, OnnxLoopShape *out) {
  out->carried = c->ninputs > 2 ? c->ninputs - 2 : 0;
  if (body->input.count < 2 || body->output.count < 1) return import_invalid(c, "the body lacks its iteration number or condition");
  if (body->input.count > out->carried + 2) out->carried = body->input.count - 2;
  if (body->output.count < 1 + out->carried || c->noutputs > body->output.count - 1)
    return import_invalid(c, "the body's outputs do not fit");
  out->scans = body->output.count - 1 - out->carried;
  return true;
}

ImportValue onnx_loop_counter(ImportCall *c, const TccOnnxGraph *body, size_t input, MlirValue value) {
  const TccOnnxType *type = body->input.data[input].type;
  const TccExpr *one = import_size(c, 1);
  const bool vector = type && type->tensor_type && type->tensor_type->shape && type->tensor_type->shape->dim.count == 1;
  return (ImportValue){.kind = IMPORT_TENSOR, .tensor = tcc_build_reshape(&c->b, value, vector, &one)};
}

static bool unroll_loop(ImportCall *c) {
  const TccOnnxGraph *body = onnx_graph(c, "body");
  int64_t trips = INT64_MAX, go_on = 1;
  if (!body) return false;
  if (import_has_input(c, 0)) {
    size_t n;
    const int64_t *given = import_constants(c, 0, &n);
    if (!given) return false;
    if (n != 1) return import_invalid(c, "the trip count is no scalar");
    trips = given[0];
  }
  OnnxLoopShape shape;
  if (!loop_shape(c, body, &shape)) return false;
  size_t ncarried = shape.carried, nscans = shape.scans, nresults = body->output.count;
  ImportValue *inputs = new_values(c, ncarried + 2), *results = new_values(c, nresults);
  for (size_t i = 0; i < ncarried && i + 2 < c->ninputs; i++) inputs[i + 2] = c->inputs[i + 2];
  MlirValue *scans = TCC_NEW_ARRAY(import_arena(c), MlirValue, (nscans + 1) * MOST_ITERATIONS), alive = {NULL},
            ran[MOST_ITERATIONS];
  MlirValue condition = import_has_input(c, 1) ? import_input(c, 1) : tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 1);
  if (!condition.ptr) return false;
  if (!import_known_constant(c, condition, &go_on)) alive = onnx_condition(c, condition), go_on = 1;
  size_t done = 0;
  for (; go_on && (int64_t)done < trips; done++) {
    if (done == MOST_ITERATIONS || (alive.ptr && done && trips == INT64_MAX))
      return import_unsupported(c, "more than %d iterations, or a number that is not known", MOST_ITERATIONS);
    ran[done] = import_unsqueeze(c, alive.ptr ? alive : tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 1), 0);
    inputs[0] = onnx_loop_counter(c, body, 0, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, (int64_t)done));
    inputs[1] = onnx_loop_counter(c, body, 1, condition);
    bool may_end = alive.ptr != NULL, dropped = import_drops(c, true);
    import_drops(c, dropped || may_end);
    import_uncertain(c, may_end);
    bool ok = onnx_subgraph(c, body, inputs, ncarried + 2, results, nresults);
    import_uncertain(c, -may_end);
    import_drops(c, dropped);
    if (!ok) return false;
    if (results[0].kind != IMPORT_TENSOR) return import_invalid(c, "the body's condition is no tensor");
    condition = results[0].tensor;
    if (!carry(c, alive, inputs + 2, results + 1, ncarried)) return false;
    for (size_t i = 0; i < nscans; i++) {
      if (results[1 + ncarried + i].kind != IMPORT_TENSOR) return import_invalid(c, "a scan output is no tensor");
      scans[i * MOST_ITERATIONS + done] = results[1 + ncarried + i].tensor;
    }
    int64_t known;
    if (import_known_constant(c, condition, &known)) {
      if (!known) go_on = 0;
    } else {
      MlirValue holds = onnx_condition(c, condition);
      alive = alive.ptr ? tcc_build2(&c->b, TCC_OP_AND, alive, holds) : holds;
    }
  }
  for (size_t i = 0; i < ncarried && i < c->noutputs; i++) c->outputs[i] = inputs[i + 2];
  if (!done && nscans) {
    inputs[0] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0)};
    inputs[1] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = condition};
    return no_rows(c, body, inputs, ncarried + 2, 1 + ncarried, ncarried, NULL);
  }
  MlirValue mask = alive.ptr && nscans && done ? tcc_build_concat(&c->b, ran, done, 0) : (MlirValue){NULL};
  for (size_t i = 0; i < nscans; i++)
    if (ncarried + i < c->noutputs && !stack(c, ncarried + i, scans + i * MOST_ITERATIONS, done, 0, false, mask)) return false;
  return true;
}

static bool unroll_scan(ImportCall *c) {
  const TccOnnxGraph *body = onnx_graph(c, "body");
  int64_t nscanned = onnx_int(c, "num_scan_inputs", 0), steps = -1;
  if (!body || !import_need(c, 1)) return false;
  if (nscanned < 1 || (size_t)nscanned > c->ninputs || body->output.count < c->ninputs - (size_t)nscanned)
    return import_invalid(c, "num_scan_inputs does not fit");
  size_t nstates = c->ninputs - (size_t)nscanned, nresults = body->output.count, nscans = nresults - nstates;
  ImportValue *inputs = new_values(c, c->ninputs), *results = new_values(c, nresults);
  for (size_t i = 0; i < nstates; i++) inputs[i] = c->inputs[i];
  for (size_t i = 0; i < (size_t)nscanned; i++) {
    ImportShape shape = import_shape(c, import_input(c, nstates + i));
    int64_t axis, size;
    if (!import_axis(c, entry(c, "scan_input_axes", i), shape.rank, &axis)) return false;
    if (!import_fix_size(c, shape.dims[axis], &size)) return false;
    if (steps >= 0 && size != steps) return import_invalid(c, "scanned inputs differ in length");
    steps = size;
  }
  if (steps > MOST_ITERATIONS) return import_unsupported(c, "a scan over more than %d steps", MOST_ITERATIONS);
  MlirValue *scans = TCC_NEW_ARRAY(import_arena(c), MlirValue, (nscans + 1) * MOST_ITERATIONS);
  for (int64_t step = 0; step < steps; step++) {
    for (size_t i = 0; i < (size_t)nscanned; i++) {
      MlirValue x = import_input(c, nstates + i);
      int64_t axis, at = entry(c, "scan_input_directions", i) ? steps - 1 - step : step;
      import_axis(c, entry(c, "scan_input_axes", i), import_shape(c, x).rank, &axis);
      MlirValue slice =
          tcc_build_squeeze(&c->b, tcc_build_slice_axis(&c->b, x, axis, import_size(c, at), 1, import_size(c, 1)), axis);
      if (!slice.ptr) return false;
      inputs[nstates + i] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = slice};
    }
    if (!onnx_subgraph(c, body, inputs, c->ninputs, results, nresults)) return false;
    for (size_t i = 0; i < nstates; i++) inputs[i] = results[i];
    for (size_t i = 0; i < nscans; i++) {
      if (results[nstates + i].kind != IMPORT_TENSOR) return import_invalid(c, "a scan output is no tensor");
      scans[i * MOST_ITERATIONS + (size_t)step] = results[nstates + i].tensor;
    }
  }
  for (size_t i = 0; i < nstates && i < c->noutputs; i++) c->outputs[i] = inputs[i];
  if (!steps && nscans) {
    for (size_t i = 0; i < (size_t)nscanned; i++) {
      ImportShape shape = import_shape(c, import_input(c, nstates + i));
      int64_t axis;
      import_axis(c, entry(c, "scan_input_axes", i), shape.rank--, &axis);
      for (int d = (int)axis; d < shape.rank; d++) shape.dims[d] = shape.dims[d + 1];
      inputs[nstates + i] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = onnx_zeros(c, &shape)};
    }
    return no_rows(c, body, inputs, c->ninputs, nstates, nstates, "scan_output_axes");
  }
  for (size_t i = 0; i < nscans; i++)
    if (nstates + i < c->noutputs &&
        !stack(c, nstates + i, scans + i * MOST_ITERATIONS, (size_t)steps, entry(c, "scan_output_axes", i),
               entry(c, "scan_output_directions", i) != 0, (MlirValue){NULL}))
      return false;
  return true;
}

/* ---- at run time ---- */
/* Rows for as many iterations as there are, [trips, shape of an iteration's value], zeros at first. */
static MlirValue make_rows(ImportCall *c, const TccExpr *trips, MlirValue value) {
  ImportShape shape = import_shape(c, value);
  if (shape.rank == TCC_MAX_RANK) return (MlirValue){NULL};
  for (int i = shape.rank++; i > 0; i--) shape.dims[i] = shape.dims[i - 1];
  shape.dims[0] = trips;
  return onnx_zeros(c, &shape);
}

bool onnx_carry_rows(ImportCall *c, ImportBody *body, const TccExpr *trips, const ImportValue *values, size_t count,
                     const MlirValue *index, MlirValue *initial, MlirValue *results) {
  for (size_t i = 0; i < count; i++) {
    if (values[i].kind != IMPORT_TENSOR) return import_unsupported(c, "a scan output that is no tensor");
    c->b.block = body->outer;
    initial[i] = make_rows(c, trips, values[i].tensor);
    c->b.block = body->block;
    if (!initial[i].ptr) return false;
    MlirValue operands[] = {import_body_argument(c, body, tcc_value_type(initial[i])), index[i], values[i].tensor};
    results[i] = import_op(c, TCC_OP_DYNAMIC_UPDATE_SLICE, operands, 3, NULL, 0);
    if (!results[i].ptr) return false;
  }
  return true;
}

/* How often a Loop runs: its trip count where that is a size; null: data says. */
static const TccExpr *loop_trips(ImportCall *c) {
  if (!import_has_input(c, 0)) return import_size(c, INT64_MAX);
  size_t n;
  const TccExpr *const *known = import_input(c, 0).ptr ? tcc_symbolic_value(c->ir, import_input(c, 0), &n) : NULL;
  return known && n == 1 ? known[0] : NULL;
}

static MlirValue unwrapped(ImportCall *c, MlirValue v) { /* of casts and reshapes */
  while (tcc_value_kind(c->ir, v) == TCC_OP_CONVERT || tcc_value_kind(c->ir, v) == TCC_OP_RESHAPE)
    v = mlirOperationGetOperand(tcc_value_op(v), 0);
  return v;
}

/* x and y of x < y; false for what is no such comparison. */
static bool is_less(ImportCall *c, MlirValue v, MlirValue out[2]) {
  v = unwrapped(c, v);
  if (tcc_value_kind(c->ir, v) != TCC_OP_COMPARE || !tcc_str_is(tcc_string(c->ir, tcc_value_op(v), "predicate"), "lt"))
    return false;
  for (int i = 0; i < 2; i++) out[i] = mlirOperationGetOperand(tcc_value_op(v), i);
  return true;
}

static const TccExpr *known_size(ImportCall *c, MlirValue v) {
  size_t n;
  const TccExpr *const *known = tcc_symbolic_value(c->ir, v, &n);
  return known && n == 1 ? known[0] : NULL;
}

/* How often a body is run that goes on while k + 1 < n, from 0 < n on, where it carries k from 0 on and n as it is: n times. That is
 * how Keras' loops over time come. NULL: it is no such loop. initial, in, out: what is carried, at first, before and after an
 * iteration. */
static const TccExpr *counted(ImportCall *c, MlirValue first, MlirValue again, const ImportValue *initial, const ImportValue *in,
                              const ImportValue *out, size_t carried) {
  MlirValue begin[2], end[2];
  int64_t zero, one;
  if (!is_less(c, first, begin) || !is_less(c, again, end) || !import_known_constant(c, begin[0], &zero) || zero != 0) return NULL;
  const TccExpr *count = known_size(c, begin[1]);
  bool steps = false, stays = count && known_size(c, end[1]) == count;
  MlirValue next = unwrapped(c, end[0]), bound = unwrapped(c, end[1]);
  for (size_t k = 0; count && k < carried; k++) {
    if (in[k].kind != IMPORT_TENSOR || out[k].kind != IMPORT_TENSOR || !initial[k].tensor.ptr) continue;
    if (mlirValueEqual(bound, in[k].tensor))
      stays = mlirValueEqual(out[k].tensor, in[k].tensor) && known_size(c, initial[k].tensor) == count;
    if (tcc_value_kind(c->ir, next) != TCC_OP_ADD || !mlirValueEqual(out[k].tensor, next) ||
        !import_known_constant(c, initial[k].tensor, &zero) || zero != 0)
      continue;
    for (int side = 0; side < 2; side++)
      steps |= mlirValueEqual(mlirOperationGetOperand(tcc_value_op(next), side), in[k].tensor) &&
               import_known_constant(c, mlirOperationGetOperand(tcc_value_op(next), 1 - side), &one) && one == 1;
  }
  return steps && stays ? count : NULL;
}

/* Whether a body gives back what it carries k-th, by its names: such a value is read where it is, so that weights which Keras takes
 * through its loops are weights in the body too. */
bool onnx_loop_keeps(const TccOnnxGraph *body, size_t k) {
  TccStr name = body->output.data[1 + k].name, given = body->input.data[2 + k].name;
  for (size_t n = body->node.count;
       n-- && !tcc_str_equal(name, given);) { /* in topological order, so one walk backwards meets a chain */
    const TccOnnxNode *node = &body->node.data[n];
    if (node->output.count == 1 && tcc_str_equal(node->output.data[0], name)) {
      if (!tcc_str_is(node->op_type, "Identity") || !tcc_str_is(node->domain, "") || node->input.count != 1) return false;
      name = node->input.data[0];
    }
  }
  return tcc_str_equal(name, given);
}

MlirValue onnx_appended_row(ImportCall *c, const ImportBody *body, const OnnxAppend *append, const ImportValue *initial,
                            MlirValue row) {
  if (append->is_sequence || initial->kind != IMPORT_TENSOR || !import_body_decides(c, body, row)) return row;
  const ImportShape to = import_shape(c, initial->tensor), from = import_shape(c, row);
  int64_t axis;
  if (from.rank != to.rank || !import_axis(c, append->axis, to.rank, &axis)) return row;
  for (int i = 0; i < to.rank && row.ptr; i++) {
    if (i == axis || tcc_expr_known_equal(from.dims[i], to.dims[i])) continue;
    if (!import_require_at_most(c, from.dims[i], to.dims[i], "sizes of what a loop appends")) return (MlirValue){NULL};
    row = tcc_build_slice_axis(&c->b, row, i, import_size(c, 0), 1, to.dims[i]); /* which asks for no less */
  }
  return row;
}

typedef struct {
  size_t count;      /* of what the loop carries, scan outputs included */
  size_t *slot;      /* for each of the body's carried values its place there; 0: it is kept, or appended to */
  size_t first_scan; /* place of the first scan output, behind which there is what is appended */
  size_t rows;       /* how many these are */
  MlirValue *initial, *results;
} LoopValues;

/* in: the body's inputs behind the number of the iteration and the condition. */
static bool bind_carried(ImportCall *c, const TccOnnxGraph *graph, const OnnxLoopShape *shape, ImportBody *body, LoopValues *values,
                         ImportValue *in) {
  for (size_t k = 0; k < shape->carried; k++) {
    bool given =
        LOOP_FIRST + k < c->ninputs && (c->inputs[LOOP_FIRST + k].kind != IMPORT_TENSOR || c->inputs[LOOP_FIRST + k].tensor.ptr);
    if (given && onnx_loop_keeps(graph, k)) {
      in[k] = c->inputs[LOOP_FIRST + k];
      continue;
    }
    if (given && onnx_loop_appends(shape, k)) continue; /* nothing in the body reads it */
    if (!given || c->inputs[LOOP_FIRST + k].kind != IMPORT_TENSOR)
      return import_unsupported(c, "carrying a sequence, or nothing, in a loop of more than %d iterations", MOST_ITERATIONS);
    values->initial[values->count] = c->inputs[LOOP_FIRST + k].tensor;
    in[k] = (ImportValue){.kind = IMPORT_TENSOR,
                          .tensor = import_body_argument(c, body, tcc_value_type(values->initial[values->count]))};
    values->slot[k] = values->count++;
  }
  return true;
}

/* out: the body's outputs behind its condition. */
static bool take_carried(ImportCall *c, const OnnxLoopShape *shape, const LoopValues *values, const ImportValue *out) {
  for (size_t k = 0; k < shape->carried; k++) {
    if (!values->slot[k]) continue;
    if (out[k].kind != IMPORT_TENSOR) return import_unsupported(c, "carrying a sequence");
    values->results[values->slot[k]] = out[k].tensor;
  }
  return true;
}

/* *count: the trip count, NULL where data says it; a better one if the body's condition counts. */
static bool call_loop_body(ImportCall *c, const TccOnnxGraph *graph, const OnnxLoopShape *shape, const TccExpr **count,
                           ImportBody *body, LoopValues *values, bool *conditional) {
  const TccExpr *trips = *count;
  MlirValue *initial = values->initial, *results = values->results;
  ImportValue *in = new_values(c, shape->carried + 2), *out = new_values(c, graph->output.count),
              *rows = new_values(c, graph->output.count);
  MlirValue *index = new_tensors(c, graph->output.count);
  if (!initial[LOOP_GO].ptr || !initial[LOOP_INDEX].ptr) return false;
  MlirValue go = import_body_argument(c, body, tcc_value_type(initial[LOOP_GO])),
            i = import_body_argument(c, body, tcc_value_type(initial[LOOP_INDEX]));
  in[0] = onnx_loop_counter(c, graph, 0, i);
  in[1] = onnx_loop_counter(c, graph, 1, go);
  if (!bind_carried(c, graph, shape, body, values, in + 2)) return false;
  import_uncertain(c, 1);
  bool made = onnx_subgraph(c, graph, in, shape->carried + 2, out, graph->output.count);
  import_uncertain(c, -1);
  if (!made || !take_carried(c, shape, values, out + 1)) return false;
  if (out[0].kind != IMPORT_TENSOR) return import_invalid(c, "the body's condition is no tensor");
  results[LOOP_INDEX] = tcc_build2(&c->b, TCC_OP_ADD, i, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 1));
  int64_t first, again;
  bool always = import_known_constant(c, initial[LOOP_GO], &first) && first &&
                (mlirValueEqual(unwrapped(c, out[0].tensor), go) || (import_known_constant(c, out[0].tensor, &again) && again));
  results[LOOP_GO] = onnx_condition(c, out[0].tensor);
  if (!trips) { /* data */
    MlirValue more = tcc_build_compare(&c->b, "lt", results[LOOP_INDEX],
                                       onnx_condition(c, tcc_build_convert(&c->b, import_input(c, 0), TCC_ELEM_I64)));
    results[LOOP_GO] = tcc_build2(&c->b, TCC_OP_AND, results[LOOP_GO], more);
  }
  *conditional = !trips || !always;
  int64_t endless;
  bool unbounded = !trips || (tcc_expr_is_const(trips, &endless) && endless == INT64_MAX);
  const TccExpr *exact = trips && unbounded
                             ? counted(c, initial[LOOP_GO], out[0].tensor, c->inputs + LOOP_FIRST, in + 2, out + 1, shape->carried)
                             : NULL;
  if (exact) trips = *count = exact, unbounded = false, *conditional = false;
  if (!*conditional) results[LOOP_GO] = go;
  values->first_scan = values->count;
  values->rows = 0;
  for (size_t k = 0; k < shape->scans; k++) rows[values->rows++] = out[1 + shape->carried + k];
  for (size_t k = 0; k < shape->carried; k++) {
    if (!onnx_loop_appends(shape, k)) continue;
    if (out[1 + k].kind == IMPORT_TENSOR)
      out[1 + k].tensor = onnx_appended_row(c, body, &shape->appends[k], &c->inputs[LOOP_FIRST + k], out[1 + k].tensor);
    rows[values->rows++] = out[1 + k];
  }
  if (unbounded && values->rows) return import_unsupported(c, "a scan output of a loop whose number of iterations only data tells");
  for (size_t k = 0; k < values->rows; k++) index[k] = i;
  values->count += values->rows;
  return onnx_carry_rows(c, body, trips, rows, values->rows, index, initial + values->first_scan, results + values->first_scan);
}

MlirValue onnx_rows_made(ImportCall *c, MlirValue rows, const TccExpr *most, MlirValue count) {
  if (!most) return rows;
  return onnx_take_where(c, rows, 0, tcc_build_compare(&c->b, "lt", import_iota(c, TCC_ELEM_I64, most), count));
}

static bool call_loop(ImportCall *c, const TccOnnxGraph *graph, const OnnxLoopShape *shape, const TccExpr *trips, bool forgive) {
  size_t most = LOOP_FIRST + shape->carried + shape->scans;
  LoopValues values = {.count = LOOP_FIRST,
                       .slot = TCC_NEW_ARRAY(import_arena(c), size_t, shape->carried + 1),
                       .initial = new_tensors(c, most),
                       .results = new_tensors(c, most)};
  MlirValue *initial = values.initial, *out = new_tensors(c, most);
  ImportBody body;
  bool conditional = false;
  initial[LOOP_GO] = import_has_input(c, 1) ? onnx_condition(c, import_input(c, 1)) : tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 1);
  initial[LOOP_INDEX] = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0);
  if (!trips) {
    MlirValue some = tcc_build_compare(&c->b, "gt", onnx_condition(c, tcc_build_convert(&c->b, import_input(c, 0), TCC_ELEM_I64)),
                                       initial[LOOP_INDEX]);
    initial[LOOP_GO] = tcc_build2(&c->b, TCC_OP_AND, initial[LOOP_GO], some);
  }
  import_body_open(c, &body);
  if (!call_loop_body(c, graph, shape, &trips, &body, &values, &conditional) ||
      !import_body_close(c, &body, values.count, initial, values.results, trips ? trips : import_size(c, INT64_MAX), conditional,
                         out)) {
    import_body_drop(c, &body, forgive && !import_restarts(c));
    return false;
  }
  const MlirValue *rows = out + values.first_scan, *appended = rows + shape->scans;
  const TccExpr *ran = conditional ? trips : NULL;
  for (size_t i = 0; i < shape->carried && i < c->noutputs; i++) {
    const ImportValue *given = &c->inputs[LOOP_FIRST + i];
    if (onnx_loop_appends(shape, i)) {
      if (!onnx_append_rows(c, &shape->appends[i], given, onnx_rows_made(c, *appended++, ran, out[LOOP_INDEX]), &c->outputs[i]))
        return false;
    } else if (!values.slot[i]) {
      c->outputs[i] = *given;
    } else if (!import_output(c, i, out[values.slot[i]])) {
      return false;
    }
  }
  for (size_t i = 0; i < shape->scans && shape->carried + i < c->noutputs; i++)
    if (!import_output(c, shape->carried + i, onnx_rows_made(c, rows[i], ran, out[LOOP_INDEX]))) return false;
  return true;
}

static bool is_short(const TccExpr *trips, const TccOnnxGraph *body) {
  int64_t n;
  return trips && tcc_expr_is_const(trips, &n) &&
         (n <= 1 || (n <= MOST_ITERATIONS && (size_t)n * body->node.count <= MOST_UNROLLED));
}

/* Whether unrolling is worth a try where a function could not be made. A trip count that is data may be given. */
static bool may_unroll(const TccExpr *trips) {
  int64_t n;
  return !trips || (tcc_expr_is_const(trips, &n) && (n <= MOST_ITERATIONS || n == INT64_MAX));
}

/* The body as a function has it: without what only appends. */
static const TccOnnxGraph *function_body(ImportCall *c, OnnxLoopShape *shape) {
  const TccOnnxGraph *body = onnx_graph(c, "body");
  if (!body || !loop_shape(c, body, shape)) return NULL;
  shape->appends = onnx_appends(c, body, shape->carried);
  return shape->appends ? onnx_without_appends(c, body, shape->appends, shape->carried) : body;
}

static bool run_short_loop(ImportCall *c) {
  OnnxLoopShape shape = {0};
  const TccOnnxGraph *body = function_body(c, &shape);
  if (!body) return false;
  const TccExpr *trips = loop_trips(c);
  return !c->reason && call_loop(c, body, &shape, trips, may_unroll(trips));
}

/* A trip count that data tell as a size; a negative one is none. */
static const TccExpr *count_trips(ImportCall *c) {
  MlirValue count = onnx_condition(c, tcc_build_convert(&c->b, import_input(c, 0), TCC_ELEM_I64));
  return import_counted_size(c, tcc_build2(&c->b, TCC_OP_MAX, count, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0)), NULL);
}

/* The same where scan outputs have as many rows. NULL: they have not. */
static const TccExpr *counted_trips(ImportCall *c, const OnnxLoopShape *shape) {
  bool has_rows = false;
  for (size_t i = 0; i < c->noutputs; i++)
    has_rows |= (i >= shape->carried || onnx_loop_appends(shape, i)) && import_has_output(c, i);
  return has_rows && import_may_count(c) && !import_specialise_given(c, 0) ? count_trips(c) : NULL;
}

/* A loop whose iterations give sizes that are known without them. */
static bool fixed_loop(ImportCall *c, const TccOnnxGraph *graph, const OnnxLoopShape *shape, const TccExpr *trips) {
  if (is_short(trips, graph)) return import_speculate(c, unroll_loop, run_short_loop);
  if (call_loop(c, graph, shape, trips, may_unroll(trips))) return true;
  return may_unroll(trips) && !import_restarts(c) && import_speculate(c, unroll_loop, NULL);
}

bool onnx_op_loop(ImportCall *c) {
  OnnxLoopShape shape = {0};
  const TccOnnxGraph *body = function_body(c, &shape);
  if (!body) return false;
  const TccExpr *trips = loop_trips(c);
  if (!trips && !c->reason) trips = counted_trips(c, &shape);
  if (c->reason || import_restarts(c)) return false;
  ImportBody trial;
  const size_t refusals = import_refusals(c);
  import_body_open(c, &trial);
  if (fixed_loop(c, body, &shape, trips)) {
    import_body_inline(c, &trial);
    return true;
  }
  const bool fails_again = import_problems(c) != trial.problems && import_refusals(c) == refusals; /* as a node inside did */
  const bool sized = !fails_again && !import_restarts(c) && !import_could_assume(c);
  import_body_drop(c, &trial, sized);
  if (!sized || !import_may_count(c)) return false;
  if (!trips) trips = count_trips(c);
  return trips && onnx_sized_loop(c, body, &shape, trips);
}

/* ---- Scan ---- */
/* A state keeps its sizes: what a body makes of other symbols than those it begins with is taken to be equal. */
static MlirValue as_state(ImportCall *c, MlirValue next, MlirValue state) {
  ImportShape from = import_shape(c, next), to = import_shape(c, state);
  bool same = from.rank == to.rank;
  for (int i = 0; same && i < to.rank; i++) same = tcc_expr_agree(from.dims[i], to.dims[i]);
  return same ? tcc_build_reshape(&c->b, next, to.rank, to.dims) : next;
}

static bool call_scan(ImportCall *c, const TccOnnxGraph *graph, size_t nscanned, const TccExpr *trips, bool forgive) {
  size_t nstates = c->ninputs - nscanned, nscans = graph->output.count - nstates, all = 1 + nstates + nscans;
  MlirValue *initial = new_tensors(c, all), *results = new_tensors(c, all), *out = new_tensors(c, all),
            *index = new_tensors(c, nscans);
  ImportValue *in = new_values(c, c->ninputs), *made = new_values(c, graph->output.count);
  ImportBody body;
  initial[0] = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0);
  import_body_open(c, &body);
  MlirValue step = import_body_argument(c, &body, tcc_value_type(initial[0]));
  MlirValue last = tcc_build_size(&c->b, import_size_sub(c, trips, import_size(c, 1))),
            back = tcc_build2(&c->b, TCC_OP_SUB, last, step);
  bool ok = true;
  for (size_t i = 0; ok && i < nstates; i++) {
    initial[1 + i] = import_input(c, i);
    ok = initial[1 + i].ptr != NULL;
    if (ok) in[i] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = import_body_argument(c, &body, tcc_value_type(initial[1 + i]))};
  }
  for (size_t i = 0; ok && i < nscanned; i++) {
    MlirValue x = import_input(c, nstates + i);
    int64_t axis;
    ok = import_axis(c, entry(c, "scan_input_axes", i), import_shape(c, x).rank, &axis);
    in[nstates + i] =
        (ImportValue){.kind = IMPORT_TENSOR,
                      .tensor = ok ? tcc_build_gather(&c->b, x, entry(c, "scan_input_directions", i) ? back : step, axis) : x};
    ok = ok && in[nstates + i].tensor.ptr;
  }
  import_uncertain(c, 1);
  ok = ok && onnx_subgraph(c, graph, in, c->ninputs, made, graph->output.count);
  import_uncertain(c, -1);
  results[0] = tcc_build2(&c->b, TCC_OP_ADD, step, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 1));
  for (size_t i = 0; ok && i < nstates; i++) {
    ok = made[i].kind == IMPORT_TENSOR;
    if (ok) results[1 + i] = as_state(c, made[i].tensor, initial[1 + i]);
  }
  for (size_t i = 0; i < nscans; i++) index[i] = entry(c, "scan_output_directions", i) ? back : step;
  ok = ok && onnx_carry_rows(c, &body, trips, made + nstates, nscans, index, initial + 1 + nstates, results + 1 + nstates);
  if (!ok || !import_body_close(c, &body, all, initial, results, trips, false, out)) {
    import_body_drop(c, &body, forgive && !import_restarts(c));
    return false;
  }
  for (size_t i = 0; i < nstates && i < c->noutputs; i++)
    if (!import_output(c, i, out[1 + i])) return false;
  for (size_t i = 0; i < nscans && nstates + i < c->noutputs; i++)
    if (!import_output(c, nstates + i, onnx_move_first(c, out[1 + nstates + i], entry(c, "scan_output_axes", i)))) return false;
  return true;
}

bool onnx_op_scan(ImportCall *c) {
  const TccOnnxGraph *body = onnx_graph(c, "body");
  int64_t nscanned = onnx_int(c, "num_scan_inputs", 0), axis;
  if (!body || !import_need(c, 1)) return false;
  if (nscanned < 1 || (size_t)nscanned > c->ninputs || body->output.count < c->ninputs - (size_t)nscanned)
    return import_invalid(c, "num_scan_inputs does not fit");
  const TccExpr *trips = NULL;
  for (size_t i = 0; i < (size_t)nscanned; i++) {
    ImportShape shape = import_shape(c, import_input(c, c->ninputs - (size_t)nscanned + i));
    if (!import_axis(c, entry(c, "scan_input_axes", i), shape.rank, &axis)) return false;
    const TccExpr *size = shape.dims[axis];
    if (!trips) trips = size;
    if (!import_require_equal(c, size, trips, "lengths of scanned inputs")) return false;
  }
  if (is_short(trips, body)) return unroll_scan(c);
  if (call_scan(c, body, (size_t)nscanned, trips, may_unroll(trips))) return true;
  return may_unroll(trips) && !import_restarts(c) && unroll_scan(c);
}

/* ops_scan.c - higher_order.scan and its like: a graph that is run for each row of its inputs, with what it carries.
 *
 * carried, rows = graph(carried, row of each scanned input, others). A loop of the run-time, whose body reads its rows by gather and puts what
 * it makes into rows that the loop carries, too. map_impl carries nothing. associative_scan carries the row before and gives it; torch has a tree
 * of log2(rows) steps, which does twice the work. */
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include "lib/frontend/torch/ops_kinds.h"

/* Tensors of the argument at this position, a list. */
static bool tensors_at(ImportCall *c, size_t position, MlirValue **out, size_t *out_count) {
  const TccTorchNode *node = torch_call(c)->node;
  const TorchValue *list = position < node->ninputs ? torch_value(c, &node->inputs[position].arg) : NULL;
  if (!list || list->kind != TORCH_LIST) return import_invalid(c, "argument %zu is no list", position);
  *out = TCC_NEW_ARRAY(import_arena(c), MlirValue, list->count + 1);
  *out_count = list->count;
  for (size_t i = 0; i < list->count; i++) {
    if (list->items[i].kind != TORCH_TENSOR) return import_unsupported(c, "a value that is no tensor");
    (*out)[i] = torch_read(c, list->items[i].tensor);
    if (!(*out)[i].ptr) return false;
  }
  return true;
}

typedef struct {
  const TccTorchGraph *graph;
  MlirValue *carried, *scanned;
  TorchValue *others;                        /* tensors and numbers */
  size_t ncarried, nscanned, nothers, nrows; /* nrows: what the graph gives of each row */
  const TccExpr *trips;
  bool associative; /* what is carried is what the graph gave of the row before: its rows; of the first row, that row */
} Scan;

/* carried[i]: zeros, which nothing reads, as the rows of what is scanned. */
static bool carry_rows(ImportCall *c, Scan *s) {
  s->ncarried = s->nscanned;
  s->carried = TCC_NEW_ARRAY(import_arena(c), MlirValue, s->ncarried + 1);
  for (size_t i = 0; i < s->nscanned; i++) {
    ImportShape shape = import_shape(c, s->scanned[i]);
    s->carried[i] = torch_filled(c, torch_constant(c, shape.elem, 0), shape.rank - 1, shape.dims + 1);
    if (!s->carried[i].ptr) return false;
  }
  return true;
}

/* What the graph is given beside its rows, from this position on. */
static bool read_others(ImportCall *c, size_t position, Scan *s) {
  const TorchValue *given = torch_values_from(c, position, &s->nothers);
  if (!given) return false;
  s->others = TCC_NEW_ARRAY(import_arena(c), TorchValue, s->nothers + 1);
  for (size_t i = 0; i < s->nothers; i++) {
    s->others[i] = given[i];
    if (given[i].kind == TORCH_TENSOR && !(s->others[i].tensor = torch_tensor_make(c, torch_read(c, given[i].tensor))))
      return false;
  }
  return true;
}

static bool read_scan(ImportCall *c, Scan *s) {
  const TccTorchNode *node = torch_call(c)->node;
  if (!node->ninputs || node->inputs[0].arg.kind != TCC_TORCH_GRAPH) return import_invalid(c, "argument 0 is no graph");
  *s = (Scan){.graph = node->inputs[0].arg.graph.graph, .associative = c->kind == SCAN_ASSOCIATIVE};
  size_t next = 1;
  if (c->kind == SCAN_CARRIES && !tensors_at(c, next++, &s->carried, &s->ncarried)) return false;
  if (!tensors_at(c, next, &s->scanned, &s->nscanned) || !read_others(c, next + 1, s)) return false;
  if (!s->nscanned || torch_call(c)->noutputs < s->ncarried)
    return import_invalid(c, "scans nothing, or gives less than it carries");
  s->nrows = torch_call(c)->noutputs - s->ncarried;
  if (s->associative && s->nrows != s->nscanned) return import_invalid(c, "scans %zu tensors and gives %zu", s->nscanned, s->nrows);
  for (size_t i = 0; i < s->nscanned; i++) {
    ImportShape shape = import_shape(c, s->scanned[i]);
    if (!shape.rank) return import_invalid(c, "scans a tensor without axes");
    if (!s->trips) s->trips = shape.dims[0];
    if (!import_require_equal(c, shape.dims[0], s->trips, "the lengths of what is scanned")) return false;
  }
  return !s->associative || carry_rows(c, s);
}

/* A tensor of the body's own, which what it writes does not leave. */
static TorchValue inside(ImportCall *c, MlirValue value) {
  TorchTensor *t = torch_tensor_make(c, value);
  if (t) t->fixed = "writes to what a branch or a loop was given";
  return (TorchValue){.kind = t ? TORCH_TENSOR : TORCH_POISON, .tensor = t};
}

/* The graph on the row `step`; out: what is carried on, and what it gives of the row. */
static bool run_row(ImportCall *c, const Scan *s, MlirValue step, const MlirValue *carried, MlirValue *out) {
  size_t count = s->ncarried + s->nscanned + s->nothers, nout = s->associative ? s->nrows : s->ncarried + s->nrows;
  TorchValue *in = TCC_NEW_ARRAY(import_arena(c), TorchValue, count + 1),
             *made = TCC_NEW_ARRAY(import_arena(c), TorchValue, nout + 1);
  MlirValue *rows = TCC_NEW_ARRAY(import_arena(c), MlirValue, s->nscanned + 1);
  for (size_t i = 0; i < s->nscanned; i++) rows[i] = tcc_build_gather(&c->b, s->scanned[i], step, 0);
  for (size_t i = 0; i < s->ncarried; i++) in[i] = inside(c, carried[i]);
  for (size_t i = 0; i < s->nscanned; i++) in[s->ncarried + i] = inside(c, rows[i]);
  for (size_t i = 0; i < s->nothers; i++)
    in[s->ncarried + s->nscanned + i] = s->others[i].kind == TORCH_TENSOR ? inside(c, s->others[i].tensor->value) : s->others[i];
  for (size_t i = 0; i < count; i++)
    if (in[i].kind == TORCH_POISON) return false;
  import_uncertain(c, 1);
  bool ok = torch_subgraph(c, s->graph, in, count, made, nout);
  import_uncertain(c, -1);
  for (size_t i = 0; ok && i < nout; i++) {
    if (made[i].kind != TORCH_TENSOR) return import_unsupported(c, "a graph in it that gives something else than tensors");
    out[i] = torch_read(c, made[i].tensor);
    if (s->associative) {
      ok = import_same_type(c, rows[i], out[i], "a row and what it becomes");
      out[i] = out[s->ncarried + i] = ok ? torch_if(c, torch_is(c, "eq", step, 0), rows[i], out[i]) : out[i];
    }
    ok = ok && out[i].ptr;
  }
  return ok;
}

/* What a row gives goes into rows that the loop carries, zeros at first. */
static bool put_row(ImportCall *c, ImportBody *body, const Scan *s, MlirValue step, MlirValue row, MlirValue *initial,
                    MlirValue *result) {
  ImportShape shape = import_shape(c, row);
  if (shape.rank == TCC_MAX_RANK) return import_unsupported(c, "a result of rank %d", shape.rank + 1);
  for (int i = shape.rank++; i > 0; i--) shape.dims[i] = shape.dims[i - 1];
  shape.dims[0] = s->trips;
  c->b.block = body->outer;
  *initial = torch_filled(c, torch_constant(c, shape.elem, 0), shape.rank, shape.dims);
  c->b.block = body->block;
  if (!initial->ptr) return false;
  MlirValue operands[] = {import_body_argument(c, body, tcc_value_type(*initial)), step, row};
  *result = import_op(c, TCC_OP_DYNAMIC_UPDATE_SLICE, operands, 3, NULL, 0);
  return result->ptr != NULL;
}

/* combine, carried at first, scanned along axis 0, others. SCAN_MAP, SCAN_ASSOCIATIVE: combine, scanned, others. */
bool torch_op_scan(ImportCall *c) {
  Scan s;
  if (!read_scan(c, &s)) return false;
  size_t nout = s.ncarried + s.nrows;
  MlirValue *initial = TCC_NEW_ARRAY(import_arena(c), MlirValue, nout + 1),
            *results = TCC_NEW_ARRAY(import_arena(c), MlirValue, nout + 1),
            *out = TCC_NEW_ARRAY(import_arena(c), MlirValue, nout + 1),
            *carried = TCC_NEW_ARRAY(import_arena(c), MlirValue, s.ncarried + 1);
  ImportBody body;
  initial[0] = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0);
  import_body_open(c, &body);
  MlirValue step = import_body_argument(c, &body, tcc_value_type(initial[0]));
  for (size_t i = 0; i < s.ncarried; i++) {
    initial[1 + i] = s.carried[i];
    carried[i] = import_body_argument(c, &body, tcc_value_type(s.carried[i]));
  }
  bool ok = run_row(c, &s, step, carried, results + 1);
  results[0] = torch_plus(c, step, 1);
  for (size_t i = s.ncarried; ok && i < nout; i++)
    ok = put_row(c, &body, &s, step, results[1 + i], &initial[1 + i], &results[1 + i]);
  ok = ok && import_body_close(c, &body, nout + 1, initial, results, s.trips, false, out);
  if (!ok) import_body_drop(c, &body, false);
  size_t first = s.associative ? s.ncarried : 0;
  for (size_t i = first; ok && i < nout; i++) ok = torch_output(c, i - first, out[1 + i]);
  return ok;
}

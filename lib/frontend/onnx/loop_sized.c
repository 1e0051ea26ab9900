/* loop_sized.c - a Loop whose iterations decide sizes of what leaves them.
 *
 *   v: [K, 2] before, [K + n, 2] after     ->   v: [R, 2] of which K rows count, and the number K
 *   rows: [n, 2], joined or stacked        ->   rows: [sum of all n, 2], and how many are there so far
 *
 * What a loop carries has one type, so a value whose size changes lies at the beginning of one with room for the largest, and its sizes are carried beside it.
 * A body reads them by counting (import_counted_size): its value is a slice of a size that the run knows in each iteration, like all sizes there that
 * data decide. How much room there must be is known where no iteration makes a value larger than it was (a list that is filtered). Else the loop is done
 * twice: first the part of it that sizes and the end of the loop depend on, which gives the largest, the last and the sum of all; then the whole. A value
 * whose size changes has no elements in the first one, so where its own elements decide its size, that must not grow. A loop that its condition alone ends
 * is counted by the first one in the same way, where it gives rows. */
#include "lib/frontend/onnx/loop.h"
#include "lib/frontend/onnx/ops_sequence.h"
#include "tcc/op_kinds.h"

typedef const TccExpr *Sizes[TCC_MAX_RANK];

typedef struct {
  ImportCall *c;
  const TccOnnxGraph *graph;
  const OnnxLoopShape *shape;
  const TccExpr *trips;          /* how often it runs, or the most that it may */
  bool endless, exact;           /* there is no such number; it is that number */
  size_t nrows;                  /* scan outputs, and behind them what is appended */
  size_t *row_append;            /* of a row: the carried value that it is appended to; SIZE_MAX: it is a scan output */
  uint32_t *varies, *row_varies; /* axes of carried values, and of rows, whose sizes iterations decide */
  Sizes *room;                   /* of carried values: what such a size never exceeds; NULL: not known */
  Sizes *last;                   /* of carried values: such a size behind the loop; NULL: not known in front of it */
  Sizes *row_sizes;              /* of rows: such a size; of an appended one, along its axis: of all together */
} Sized;

/* A body at hand, and the places of what it carries. */
typedef struct {
  ImportBody body;
  size_t count;
  MlirValue *initial, *results, go, index;
  size_t *value, *sizes; /* of carried values: of the value, of its first size. 0: there is none */
  Sizes *now;            /* of carried values, before an iteration */
  MlirValue *hollow;     /* of carried values: in place of one without room */
  ImportValue *in, *out;
  bool conditional;
} Pass;

static bool has(uint32_t axes, int axis) { return axes >> axis & 1; }
static MlirValue number(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, value); }
static const ImportValue *given(const Sized *s, size_t k) { return &s->c->inputs[LOOP_FIRST + k]; }
static bool is_given(const Sized *s, size_t k) { return LOOP_FIRST + k < s->c->ninputs && given(s, k)->kind == IMPORT_TENSOR; }
static const OnnxAppend *append_of(const Sized *s, size_t r) {
  return s->row_append[r] == SIZE_MAX ? NULL : &s->shape->appends[s->row_append[r]];
}

static Sized sized_of(ImportCall *c, const TccOnnxGraph *graph, const OnnxLoopShape *shape, const TccExpr *trips) {
  TccArena *arena = import_arena(c);
  const size_t most = shape->scans + shape->carried + 1;
  Sized s = {.c = c, .graph = graph, .shape = shape, .trips = trips, .endless = import_is_size(trips, INT64_MAX)};
  s.row_append = TCC_NEW_ARRAY(arena, size_t, most);
  s.varies = TCC_NEW_ARRAY(arena, uint32_t, most);
  s.row_varies = TCC_NEW_ARRAY(arena, uint32_t, most);
  s.room = TCC_NEW_ARRAY(arena, Sizes, most);
  s.last = TCC_NEW_ARRAY(arena, Sizes, most);
  s.row_sizes = TCC_NEW_ARRAY(arena, Sizes, most);
  for (size_t k = 0; k < shape->scans; k++) s.row_append[s.nrows++] = SIZE_MAX;
  for (size_t k = 0; k < shape->carried; k++)
    if (onnx_loop_appends(shape, k)) s.row_append[s.nrows++] = k;
  return s;
}

/* ---- a body ---- */
/* Of a value itself and its sizes, and what is counted of it. */
static size_t most_carried(const Sized *s) { return LOOP_FIRST + (s->shape->carried + s->nrows) * 2 * (TCC_MAX_RANK + 1); }

/* One more value that is carried: its place. In the block around the body initial is made. */
static size_t carry(Sized *s, Pass *p, MlirValue initial, MlirValue *out_argument) {
  p->initial[p->count] = initial;
  *out_argument = initial.ptr ? import_body_argument(s->c, &p->body, tcc_value_type(initial)) : initial;
  return p->count++;
}

/* A value with the sizes that it has now, of which those in `varies` are carried. counts: it may be hollow. */
static bool bind_sized(Sized *s, Pass *p, size_t k, bool counts) {
  ImportCall *c = s->c;
  ImportShape shape = import_shape(c, given(s, k)->tensor), room = shape;
  bool roomy = true;
  p->sizes[k] = p->count;
  for (int a = 0; a < shape.rank; a++) {
    if (!has(s->varies[k], a)) continue;
    MlirValue size;
    c->b.block = p->body.outer;
    MlirValue initial = tcc_build_size(&c->b, shape.dims[a]);
    c->b.block = p->body.block;
    carry(s, p, initial, &size);
    if (!(p->now[k][a] = import_counted_size(c, size, s->room[k][a]))) return false;
    roomy = roomy && s->room[k][a];
    if (s->room[k][a]) room.dims[a] = s->room[k][a];
  }
  ImportShape now = shape;
  for (int a = 0; a < shape.rank; a++)
    if (has(s->varies[k], a)) now.dims[a] = p->now[k][a];
  if (!roomy) {
    p->hollow[k] = counts ? onnx_zeros(c, &now) : (MlirValue){NULL};
    p->in[2 + k].tensor = p->hollow[k];
    return p->hollow[k].ptr != NULL;
  }
  MlirValue value;
  c->b.block = p->body.outer;
  MlirValue initial = onnx_pad_end(c, given(s, k)->tensor, room.dims);
  c->b.block = p->body.block;
  p->value[k] = carry(s, p, initial, &value);
  for (int a = 0; a < shape.rank; a++)
    if (has(s->varies[k], a)) value = tcc_build_slice_axis(&c->b, value, a, import_size(c, 0), 1, now.dims[a]);
  p->in[2 + k].tensor = value;
  return value.ptr != NULL;
}

static bool bind_values(Sized *s, Pass *p, bool counts) {
  ImportCall *c = s->c;
  for (size_t k = 0; k < s->shape->carried; k++) {
    const bool is_there = LOOP_FIRST + k < c->ninputs && (given(s, k)->kind != IMPORT_TENSOR || given(s, k)->tensor.ptr);
    if (is_there && onnx_loop_keeps(s->graph, k)) {
      p->in[2 + k] = *given(s, k);
      continue;
    }
    if (is_there && onnx_loop_appends(s->shape, k)) continue; /* nothing in the body reads it */
    if (!is_given(s, k)) return import_unsupported(c, "carrying a sequence, or nothing, where iterations decide sizes");
    p->in[2 + k].kind = IMPORT_TENSOR;
    if (s->varies[k] && !bind_sized(s, p, k, counts)) return false;
    if (!s->varies[k]) p->value[k] = carry(s, p, given(s, k)->tensor, &p->in[2 + k].tensor);
  }
  return true;
}

static MlirValue first_condition(ImportCall *c) {
  return import_has_input(c, 1) ? onnx_condition(c, import_input(c, 1)) : tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 1);
}

static MlirValue unwrapped(ImportCall *c, MlirValue v) { /* of reshapes */
  while (tcc_value_kind(c->ir, v) == TCC_OP_RESHAPE) v = mlirOperationGetOperand(tcc_value_op(v), 0);
  return v;
}

static ImportValue *row_of(const Sized *s, const Pass *p, size_t r) {
  return &p->out[1 + (append_of(s, r) ? s->row_append[r] : s->shape->carried + r)];
}

/* Opens a body and imports its graph: its own results are left to do. It is open afterwards, also where this fails. */
static bool begin(Sized *s, Pass *p, bool counts) {
  ImportCall *c = s->c;
  TccArena *arena = import_arena(c);
  const size_t carried = s->shape->carried, most = most_carried(s);
  *p = (Pass){.initial = TCC_NEW_ARRAY(arena, MlirValue, most),
              .results = TCC_NEW_ARRAY(arena, MlirValue, most),
              .value = TCC_NEW_ARRAY(arena, size_t, carried + 1),
              .sizes = TCC_NEW_ARRAY(arena, size_t, carried + 1),
              .now = TCC_NEW_ARRAY(arena, Sizes, carried + 1),
              .hollow = TCC_NEW_ARRAY(arena, MlirValue, carried + 1),
              .in = TCC_NEW_ARRAY(arena, ImportValue, carried + 2),
              .out = TCC_NEW_ARRAY(arena, ImportValue, s->graph->output.count)};
  MlirValue first = first_condition(c), none = number(c, 0);
  import_body_open(c, &p->body);
  carry(s, p, first, &p->go);
  carry(s, p, none, &p->index);
  p->in[0] = onnx_loop_counter(c, s->graph, 0, p->index);
  p->in[1] = onnx_loop_counter(c, s->graph, 1, p->go);
  if (!bind_values(s, p, counts)) return false;
  import_uncertain(c, 1);
  const bool made = onnx_subgraph(c, s->graph, p->in, carried + 2, p->out, s->graph->output.count);
  import_uncertain(c, -1);
  if (!made) return false;
  if (p->out[0].kind != IMPORT_TENSOR) return import_invalid(c, "the body's condition is no tensor");
  int64_t at_first, again;
  const bool always =
      import_known_constant(c, first, &at_first) && at_first &&
      (mlirValueEqual(unwrapped(c, p->out[0].tensor), p->go) || (import_known_constant(c, p->out[0].tensor, &again) && again));
  p->conditional = !s->exact && !always;
  p->results[LOOP_GO] = p->conditional ? onnx_condition(c, p->out[0].tensor) : p->go;
  p->results[LOOP_INDEX] = tcc_build2(&c->b, TCC_OP_ADD, p->index, number(c, 1));
  for (size_t r = 0; r < s->nrows; r++)
    if (row_of(s, p, r)->kind != IMPORT_TENSOR) return import_unsupported(c, "a scan output that is no tensor");
  return true;
}

/* The results of the carried values: those with room in their place, and the sizes. */
static bool put_values(Sized *s, Pass *p) {
  ImportCall *c = s->c;
  for (size_t k = 0; k < s->shape->carried; k++) {
    if (!p->value[k] && !p->sizes[k]) continue;
    MlirValue next = p->out[1 + k].tensor;
    ImportShape to = import_shape(c, next);
    size_t place = p->sizes[k];
    for (int a = 0; a < to.rank; a++) {
      if (!has(s->varies[k], a)) continue;
      p->results[place++] = tcc_build_size(&c->b, to.dims[a]);
      if (!s->room[k][a]) continue;
      if (p->value[k] && !import_require_at_most(c, to.dims[a], s->room[k][a], "a size that an iteration decides")) return false;
      to.dims[a] = s->room[k][a];
    }
    if (p->value[k]) p->results[p->value[k]] = s->varies[k] ? onnx_pad_end(c, next, to.dims) : next;
  }
  return true;
}

/* ---- which sizes change ---- */
/* Adds the axes whose sizes an iteration changes or decides. False after a reason; *out_more: there were some that nobody knew of. */
static bool find_varying(Sized *s, Pass *p, bool *out_more) {
  ImportCall *c = s->c;
  *out_more = false;
  for (size_t k = 0; k < s->shape->carried; k++) {
    if (!p->value[k] && !p->sizes[k]) continue;
    if (p->out[1 + k].kind != IMPORT_TENSOR) return import_unsupported(c, "carrying a sequence");
    ImportShape from = import_shape(c, given(s, k)->tensor), to = import_shape(c, p->out[1 + k].tensor);
    if (from.rank != to.rank || from.elem != to.elem)
      return import_same_type(c, given(s, k)->tensor, p->out[1 + k].tensor, "a carried value before and after an iteration");
    for (int a = 0; a < from.rank; a++) {
      if (has(s->varies[k], a) || tcc_expr_known_equal(from.dims[a], to.dims[a])) continue;
      s->varies[k] |= 1u << a;
      *out_more = true;
    }
  }
  for (size_t r = 0; r < s->nrows; r++) {
    ImportShape row = import_shape(c, row_of(s, p, r)->tensor);
    const OnnxAppend *append = append_of(s, r);
    int64_t axis = -1;
    if (append && !append->is_sequence && !import_axis(c, append->axis, row.rank, &axis)) return false;
    for (int a = 0; a < row.rank; a++) {
      if (!import_body_decides_size(c, &p->body, row.dims[a]) || (axis >= 0 && a != axis)) continue;
      s->row_varies[r] |= 1u << a;
    }
    if (append && append->is_sequence && (s->row_varies[r] & (s->row_varies[r] - 1)))
      return import_unsupported(c, "a sequence to which a loop appends tensors that differ along several axes");
  }
  return true;
}

/* Bounds of the carried values that no iteration makes larger. */
static void find_room(Sized *s, Pass *p) {
  ImportCall *c = s->c;
  TccMap *kept = tcc_map_create(import_arena(c));
  TccStr name;
  for (size_t k = 0; k < s->shape->carried; k++)
    for (int a = 0; a < TCC_MAX_RANK; a++)
      if (p->now[k][a] && tcc_expr_is_symbol(p->now[k][a], &name)) tcc_map_put(kept, name, NULL);
  for (size_t k = 0; k < s->shape->carried; k++) {
    if (!s->varies[k]) continue;
    ImportShape from = import_shape(c, given(s, k)->tensor), to = import_shape(c, p->out[1 + k].tensor);
    for (int a = 0; a < from.rank; a++) {
      if (!has(s->varies[k], a)) continue;
      const TccExpr *bound = import_body_bound(c, &p->body, to.dims[a], kept);
      if (bound && tcc_expr_known_at_most(bound, p->now[k][a])) s->room[k][a] = from.dims[a];
    }
  }
}

static bool wants_count(const Sized *s, const Pass *p) {
  bool wants = s->endless && p->conditional && s->nrows;
  for (size_t k = 0; k < s->shape->carried; k++)
    for (int a = 0; a < TCC_MAX_RANK; a++) wants |= has(s->varies[k], a) && !s->room[k][a];
  for (size_t r = 0; r < s->nrows; r++) wants |= s->row_varies[r] != 0;
  return wants;
}

/* ---- the loop that counts ---- */
/* One more number that is carried, made of itself and `value` in each iteration, and wanted afterwards. */
static size_t accumulate(Sized *s, Pass *p, TccOpKind kind, MlirValue initial, const TccExpr *value, bool *wanted) {
  MlirValue so_far;
  size_t place = carry(s, p, initial, &so_far);
  p->results[place] = tcc_build2(&s->c->b, kind, so_far, tcc_build_size(&s->c->b, value));
  wanted[place] = true;
  return place;
}

static MlirValue size_outside(Sized *s, Pass *p, const TccExpr *size) {
  s->c->b.block = p->body.outer;
  MlirValue value = tcc_build_size(&s->c->b, size);
  s->c->b.block = p->body.block;
  return value;
}

typedef size_t Places[TCC_MAX_RANK];
typedef struct {
  Places *most, *last, *rows;
} Counts; /* places of what is counted; 0: none */

static void accumulate_all(Sized *s, Pass *p, Counts *counts, bool *wanted) {
  ImportCall *c = s->c;
  for (size_t k = 0; k < s->shape->carried; k++) {
    if (!s->varies[k]) continue;
    ImportShape from = import_shape(c, given(s, k)->tensor), to = import_shape(c, p->out[1 + k].tensor);
    size_t place = p->sizes[k];
    for (int a = 0; a < to.rank; a++) {
      if (!has(s->varies[k], a)) continue;
      counts->last[k][a] = place++;
      if (s->room[k][a]) continue;
      counts->most[k][a] = accumulate(s, p, TCC_OP_MAX, size_outside(s, p, from.dims[a]), to.dims[a], wanted);
      wanted[counts->last[k][a]] = true;
    }
  }
  for (size_t r = 0; r < s->nrows; r++) {
    ImportShape row = import_shape(c, row_of(s, p, r)->tensor);
    const TccOpKind kind = append_of(s, r) ? TCC_OP_ADD : TCC_OP_MAX;
    for (int a = 0; a < row.rank; a++)
      if (has(s->row_varies[r], a))
        counts->rows[r][a] = accumulate(s, p, kind, size_outside(s, p, import_size(c, 0)), row.dims[a], wanted);
  }
}

/* The sizes of these places, each at most one of `most`. */
static bool take_sizes(ImportCall *c, const Places *counted, const size_t *places, const MlirValue *out, size_t count, Sizes *most,
                       Sizes *to) {
  for (size_t i = 0; i < count; i++)
    for (int a = 0; a < TCC_MAX_RANK; a++) {
      const size_t place = counted[i][a] ? places[counted[i][a]] : SIZE_MAX;
      if (place != SIZE_MAX && !(to[i][a] = import_counted_size(c, out[place], most ? most[i][a] : NULL))) return false;
    }
  return true;
}

static bool take_counts(Sized *s, const Counts *counts, const size_t *places, const MlirValue *out, bool conditional) {
  ImportCall *c = s->c;
  const size_t carried = s->shape->carried;
  if (!take_sizes(c, counts->most, places, out, carried, NULL, s->room) ||
      !take_sizes(c, counts->last, places, out, carried, s->room, s->last) ||
      !take_sizes(c, counts->rows, places, out, s->nrows, NULL, s->row_sizes))
    return false;
  if (conditional) s->trips = import_counted_size(c, out[places[LOOP_INDEX]], s->endless ? NULL : s->trips);
  s->exact = true;
  s->endless = s->endless && !conditional;
  return s->trips != NULL;
}

/* Whether what is left of the body reads a value that has no elements there. */
static bool reads_hollow(const Sized *s, const Pass *p, const MlirOperation *hollow) {
  TCC_EACH_OP (op, p->body.block)
    for (size_t k = 0; k < s->shape->carried; k++)
      if (hollow[k].ptr && mlirOperationEqual(op, hollow[k])) return true;
  return false;
}

/* Counts what must be known in front of the loop. */
static bool count_sizes(Sized *s) {
  ImportCall *c = s->c;
  TccArena *arena = import_arena(c);
  Pass p;
  Counts counts = {TCC_NEW_ARRAY(arena, Places, s->shape->carried + 1), TCC_NEW_ARRAY(arena, Places, s->shape->carried + 1),
                   TCC_NEW_ARRAY(arena, Places, s->nrows + 1)};
  bool ok = begin(s, &p, true) && put_values(s, &p);
  const size_t most = most_carried(s);
  bool *wanted = TCC_NEW_ARRAY(arena, bool, most);
  size_t *places = TCC_NEW_ARRAY(arena, size_t, most);
  MlirValue *out = TCC_NEW_ARRAY(arena, MlirValue, most);
  MlirOperation *hollow = TCC_NEW_ARRAY(arena, MlirOperation, s->shape->carried + 1);
  if (ok) accumulate_all(s, &p, &counts, wanted);
  wanted[LOOP_GO] = wanted[LOOP_INDEX] = true;
  for (size_t i = 0; i < p.count; i++) ok = ok && p.results[i].ptr;
  for (size_t k = 0; ok && k < s->shape->carried; k++)
    if (p.hollow[k].ptr) hollow[k] = tcc_value_op(p.hollow[k]);
  if (ok) import_body_prune(c, &p.body, wanted, &p.count, p.initial, p.results, places);
  if (ok && s->endless && !p.conditional) ok = import_invalid(c, "nothing ends the loop");
  if (ok && reads_hollow(s, &p, hollow))
    ok = import_unsupported(c, "a carried value whose own elements decide how much larger an iteration makes it");
  if (!ok || !import_body_close(c, &p.body, p.count, p.initial, p.results, s->trips, p.conditional, out)) {
    import_body_drop(c, &p.body, false);
    return false;
  }
  return take_counts(s, &counts, places, out, p.conditional);
}

/* ---- the loop itself ---- */
/* The axis along which appended rows of sizes of their own are joined. */
static int64_t joined_along(const Sized *s, size_t r) {
  int64_t axis = 0;
  while (!has(s->row_varies[r], (int)axis)) axis++;
  return axis;
}

/* An appended row of a size of its own is written behind those that are there. */
static size_t carry_joined(Sized *s, Pass *p, size_t r, MlirValue row) {
  ImportCall *c = s->c;
  const int64_t axis = joined_along(s, r);
  row = onnx_move_to_front(c, row, axis);
  ImportShape all = import_shape(c, row);
  const TccExpr *here = all.dims[0], *index_dims[] = {here, import_size(c, 1)};
  all.dims[0] = s->row_sizes[r][axis];
  c->b.block = p->body.outer;
  MlirValue initial = onnx_zeros(c, &all), none = number(c, 0);
  c->b.block = p->body.block;
  MlirValue offset, rows;
  const size_t offset_place = carry(s, p, none, &offset), place = carry(s, p, initial, &rows);
  MlirValue at = tcc_build2(&c->b, TCC_OP_ADD, import_iota(c, TCC_ELEM_I64, here), offset);
  MlirValue operands[] = {rows, tcc_build_reshape(&c->b, at, 2, index_dims), row};
  p->results[place] = import_op(c, TCC_OP_SCATTER_ND, operands, 3, NULL, 0);
  p->results[offset_place] = tcc_build2(&c->b, TCC_OP_ADD, offset, tcc_build_size(&c->b, here));
  return p->results[place].ptr ? place : 0;
}

/* A scan output has the same sizes in all iterations: those that were counted. */
static MlirValue narrow(Sized *s, size_t r, MlirValue row) {
  ImportCall *c = s->c;
  ImportShape shape = import_shape(c, row);
  for (int a = 0; a < shape.rank && row.ptr; a++) {
    if (!has(s->row_varies[r], a)) continue;
    if (!import_require_at_most(c, shape.dims[a], s->row_sizes[r][a], "sizes of a scan output")) return (MlirValue){NULL};
    row = tcc_build_slice_axis(&c->b, row, a, import_size(c, 0), 1, s->row_sizes[r][a]); /* which asks for no less */
  }
  return row;
}

/* A value that each iteration gives: the place of its rows; 0 after a reason. */
static size_t carry_stacked(Sized *s, Pass *p, MlirValue value) {
  const ImportValue row = {.kind = IMPORT_TENSOR, .tensor = value};
  const size_t place = p->count++;
  const bool ok =
      value.ptr && onnx_carry_rows(s->c, &p->body, s->trips, &row, 1, &p->index, p->initial + place, p->results + place);
  return ok ? place : 0;
}

/* The place of its rows, and of the sizes of what joins a sequence; 0 after a reason. */
static size_t carry_row(Sized *s, Pass *p, size_t r, size_t *out_sizes) {
  ImportCall *c = s->c;
  ImportValue row = *row_of(s, p, r);
  if (append_of(s, r)) row.tensor = onnx_appended_row(c, &p->body, append_of(s, r), given(s, s->row_append[r]), row.tensor);
  if (!append_of(s, r) || !s->row_varies[r]) return carry_stacked(s, p, narrow(s, r, row.tensor));
  if (append_of(s, r)->is_sequence &&
      !(*out_sizes = carry_stacked(s, p, tcc_build_size(&c->b, import_shape(c, row.tensor).dims[joined_along(s, r)]))))
    return 0;
  return row.tensor.ptr ? carry_joined(s, p, r, row.tensor) : 0;
}

/* What a value with room holds behind the loop. */
static MlirValue taken(Sized *s, const Pass *p, const MlirValue *out, size_t k) {
  ImportCall *c = s->c;
  MlirValue value = out[p->value[k]];
  size_t place = p->sizes[k];
  for (int a = 0; a < TCC_MAX_RANK && value.ptr; a++) {
    if (!has(s->varies[k], a)) continue;
    const TccExpr *size = s->last[k][a] ? s->last[k][a] : import_counted_size(c, out[place], s->room[k][a]);
    place++;
    value = size ? tcc_build_slice_axis(&c->b, value, a, import_size(c, 0), 1, size) : (MlirValue){NULL};
  }
  return value;
}

/* The sequence `initial` with what was joined behind it. */
static bool give_parts(Sized *s, const ImportValue *initial, size_t r, MlirValue joined, MlirValue sizes, ImportValue *out) {
  ImportCall *c = s->c;
  ImportValue *items = TCC_NEW_ARRAY(import_arena(c), ImportValue, 1);
  if (initial->kind != IMPORT_SEQUENCE) return import_unsupported(c, "a list whose length another loop decides");
  items[0] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = sizes};
  *out = (ImportValue){.kind = IMPORT_PARTS, .tensor = joined, .items = items, .count = (size_t)joined_along(s, r)};
  for (size_t i = initial->count; i-- > 0;)
    if (!onnx_add_part(c, out, initial->items[i].tensor, true)) return false;
  return true;
}

static bool give_rows(Sized *s, const Pass *p, const MlirValue *out, size_t r, size_t place, size_t sizes) {
  ImportCall *c = s->c;
  const size_t k = append_of(s, r) ? s->row_append[r] : s->shape->carried + r;
  if (k >= c->noutputs) return true;
  if (!append_of(s, r) || !s->row_varies[r]) {
    MlirValue rows = onnx_rows_made(c, out[place], p->conditional ? s->trips : NULL, out[LOOP_INDEX]);
    return append_of(s, r) ? onnx_append_rows(c, append_of(s, r), given(s, k), rows, &c->outputs[k]) : import_output(c, k, rows);
  }
  if (append_of(s, r)->is_sequence) return give_parts(s, given(s, k), r, out[place], out[sizes], &c->outputs[k]);
  MlirValue both[] = {given(s, k)->tensor, onnx_move_first(c, out[place], append_of(s, r)->axis)};
  int64_t axis;
  return import_axis(c, append_of(s, r)->axis, import_shape(c, both[0]).rank, &axis) &&
         import_output(c, k, tcc_build_concat(&c->b, both, 2, axis));
}

static bool run_loop(Sized *s) {
  ImportCall *c = s->c;
  Pass p;
  size_t *places = TCC_NEW_ARRAY(import_arena(c), size_t, s->nrows + 1),
         *sizes = TCC_NEW_ARRAY(import_arena(c), size_t, s->nrows + 1);
  MlirValue *out = TCC_NEW_ARRAY(import_arena(c), MlirValue, most_carried(s));
  bool ok = begin(s, &p, false) && put_values(s, &p);
  for (size_t r = 0; ok && r < s->nrows; r++) ok = (places[r] = carry_row(s, &p, r, &sizes[r])) != 0;
  if (!ok || !import_body_close(c, &p.body, p.count, p.initial, p.results, s->trips, p.conditional, out)) {
    import_body_drop(c, &p.body, false);
    return false;
  }
  for (size_t k = 0; ok && k < s->shape->carried && k < c->noutputs; k++) {
    if (onnx_loop_appends(s->shape, k)) continue;
    if (!p.value[k]) c->outputs[k] = *given(s, k);
    else ok = import_output(c, k, s->varies[k] ? taken(s, &p, out, k) : out[p.value[k]]);
  }
  for (size_t r = 0; ok && r < s->nrows; r++) ok = give_rows(s, &p, out, r, places[r], sizes[r]);
  return ok;
}

bool onnx_sized_loop(ImportCall *c, const TccOnnxGraph *graph, const OnnxLoopShape *shape, const TccExpr *trips) {
  Sized s = sized_of(c, graph, shape, trips);
  bool more = true, counts = false;
  while (more) { /* bodies whose results have other sizes than they were given */
    Pass p;
    const bool ok = begin(&s, &p, true) && find_varying(&s, &p, &more);
    if (ok && !more) find_room(&s, &p);
    counts = ok && wants_count(&s, &p);
    import_body_drop(c, &p.body, false);
    if (!ok) return false;
  }
  return (!counts || count_sizes(&s)) && run_loop(&s);
}

/* ops_sequence.c - sequences and optionals.
 *
 * A sequence is a list of values while importing, of known length; an absent optional is an absent value. Those at the model's border are as
 * many arguments or results as they hold tensors (import.c). A sequence to which a loop appends (loop_append.c) has elements of one type, as many as the
 * run decides: it is a tensor, whose rows they are. */
#include "lib/frontend/onnx/ops_sequence.h"
#include "tcc/op_kinds.h"

static ImportValue *new_values(ImportCall *c, size_t count) { return TCC_NEW_ARRAY(import_arena(c), ImportValue, count + 1); }

/* ---- sequences ---- */
static bool has_rows(const ImportCall *c, size_t input) { return input < c->ninputs && c->inputs[input].kind == IMPORT_ROWS; }
static bool has_parts(const ImportCall *c, size_t input) { return input < c->ninputs && c->inputs[input].kind == IMPORT_PARTS; }

static bool read_sequence(ImportCall *c, size_t input) {
  if (input < c->ninputs && c->inputs[input].kind == IMPORT_SEQUENCE) return true;
  if (has_rows(c, input) || has_parts(c, input)) return import_unsupported(c, "a sequence whose length a loop decides");
  return import_invalid(c, "input %zu is no sequence", input);
}

static bool give_sequence(ImportCall *c, ImportValue *items, size_t count) {
  if (!c->noutputs) return import_invalid(c, "has no output");
  c->outputs[0] = (ImportValue){.kind = IMPORT_SEQUENCE, .items = items, .count = count};
  return true;
}

bool onnx_op_sequence_empty(ImportCall *c) { return give_sequence(c, NULL, 0); }
bool onnx_op_sequence_construct(ImportCall *c) { return import_need(c, c->ninputs) && give_sequence(c, c->inputs, c->ninputs); }

/* The position that a scalar input names, in [0, limit); -1 counts from `length`. */
static bool read_position(ImportCall *c, size_t input, size_t length, size_t limit, size_t *out) {
  size_t n;
  const int64_t *given = import_constants(c, input, &n);
  if (!given) return false;
  int64_t at = n == 1 ? given[0] < 0 ? given[0] + (int64_t)length : given[0] : -1;
  *out = (size_t)at;
  return (at >= 0 && (size_t)at < limit) || import_invalid(c, "the position is outside of the sequence");
}

/* Whether the elements, of one type, can be rows of one tensor. */
static bool can_stack(ImportCall *c, const ImportValue *sequence) {
  for (size_t i = 0; i < sequence->count; i++)
    if (sequence->items[i].kind != IMPORT_TENSOR || !sequence->items[i].tensor.ptr ||
        !mlirTypeEqual(tcc_value_type(sequence->items[i].tensor), tcc_value_type(sequence->items[0].tensor)))
      return false;
  return sequence->count && import_shape(c, sequence->items[0].tensor).rank < TCC_MAX_RANK;
}

bool onnx_rows(ImportCall *c, const ImportValue *sequence, MlirValue *out) {
  *out = (MlirValue){NULL};
  if (sequence->kind == IMPORT_ROWS) return (*out = sequence->tensor).ptr != NULL;
  if (sequence->kind != IMPORT_SEQUENCE) return import_invalid(c, "no sequence");
  if (!sequence->count) return true;
  if (!can_stack(c, sequence)) return import_unsupported(c, "a sequence of tensors of several types to which a loop appends");
  MlirValue *rows = TCC_NEW_ARRAY(import_arena(c), MlirValue, sequence->count);
  for (size_t i = 0; i < sequence->count; i++) rows[i] = import_unsqueeze(c, sequence->items[i].tensor, 0);
  return (*out = tcc_build_concat(&c->b, rows, sequence->count, 0)).ptr != NULL;
}

MlirValue onnx_move_first(ImportCall *c, MlirValue x, int64_t axis) {
  int rank = import_shape(c, x).rank;
  int64_t perm[TCC_MAX_RANK];
  if (!import_axis(c, axis, rank, &axis)) return (MlirValue){NULL};
  for (int i = 0; i < rank; i++) perm[i] = i < axis ? i + 1 : i == axis ? 0 : i;
  return axis ? tcc_build_transpose(&c->b, x, perm) : x;
}

MlirValue onnx_move_to_front(ImportCall *c, MlirValue x, int64_t axis) {
  int64_t perm[TCC_MAX_RANK] = {axis};
  for (int i = 1; i < import_shape(c, x).rank; i++) perm[i] = i <= axis ? i - 1 : i;
  return axis ? tcc_build_transpose(&c->b, x, perm) : x;
}

MlirValue onnx_join_rows(ImportCall *c, MlirValue rows, int64_t axis) {
  ImportShape shape = import_shape(c, rows);
  if (!import_axis(c, axis, shape.rank - 1, &axis)) return (MlirValue){NULL};
  MlirValue beside = onnx_move_first(c, rows, axis);
  shape.rank--;
  shape.dims[axis] = import_size_mul(c, shape.dims[0], shape.dims[axis + 1]);
  ImportShape moved = import_shape(c, beside);
  for (int i = 0; i < shape.rank; i++)
    if (i != axis) shape.dims[i] = moved.dims[i < axis ? i : i + 1];
  return tcc_build_reshape(&c->b, beside, shape.rank, shape.dims);
}

/* Whether the position of SequenceAt is data. */
static bool is_at_data(ImportCall *c) {
  size_t n;
  MlirValue position = import_input(c, 1);
  return position.ptr && !tcc_symbolic_value(c->ir, position, &n) && import_shape(c, position).rank == 0;
}

static bool gather_element(ImportCall *c) {
  MlirValue rows;
  return import_input(c, 1).ptr && onnx_rows(c, &c->inputs[0], &rows) &&
         import_output(c, 0, import_gather_valid(c, rows, import_index(c, import_input(c, 1)), 0, TCC_VALID_SIGNED));
}

/* An element of a sequence whose elements are parts of a tensor: the places from the sum of the sizes in front of it on. */
static bool take_part(ImportCall *c) {
  const ImportValue *parts = &c->inputs[0];
  MlirValue position = import_index(c, import_input(c, 1)), sizes = parts->items[0].tensor;
  if (!position.ptr) return false;
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("sum"))}, {"axis", tcc_attr_i64(c->ir, 0)}};
  MlirValue ends = import_op(c, TCC_OP_CUMULATIVE, &sizes, 1, attrs, 2);
  MlirValue end = onnx_condition(c, import_gather_valid(c, ends, position, 0, TCC_VALID_SIGNED)),
            size = onnx_condition(c, tcc_build_gather(&c->b, sizes, position, 0));
  MlirValue places = import_iota(c, TCC_ELEM_I64, import_shape(c, parts->tensor).dims[0]);
  MlirValue met = tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "lt", places, end),
                             tcc_build_compare(&c->b, "ge", places, tcc_build2(&c->b, TCC_OP_SUB, end, size)));
  return import_output(c, 0, onnx_move_first(c, onnx_take_where(c, parts->tensor, 0, met), (int64_t)parts->count));
}

/* One part more, at the end. */
static bool insert_part(ImportCall *c) {
  ImportValue parts = c->inputs[0];
  if (!import_input(c, 1).ptr) return import_invalid(c, "nothing to insert");
  if (import_has_input(c, 2)) return import_unsupported(c, "a position in a sequence whose length a loop decides");
  return c->noutputs && onnx_add_part(c, &parts, import_input(c, 1), false) && ((c->outputs[0] = parts), true);
}

bool onnx_add_part(ImportCall *c, ImportValue *parts, MlirValue part, bool in_front) {
  const int64_t axis = (int64_t)parts->count;
  ImportShape shape = import_shape(c, part);
  if (shape.rank <= axis) return import_unsupported(c, "a sequence of tensors of several ranks whose length a loop decides");
  MlirValue moved = onnx_move_to_front(c, part, axis), size = tcc_build_sizes(&c->b, &shape.dims[axis], 1);
  MlirValue tensors[] = {in_front ? moved : parts->tensor, in_front ? parts->tensor : moved},
            sizes[] = {in_front ? size : parts->items[0].tensor, in_front ? parts->items[0].tensor : size};
  ImportValue *items = new_values(c, 1);
  items[0] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = tcc_build_concat(&c->b, sizes, 2, 0)};
  *parts =
      (ImportValue){.kind = IMPORT_PARTS, .tensor = tcc_build_concat(&c->b, tensors, 2, 0), .items = items, .count = (size_t)axis};
  return parts->tensor.ptr && items[0].tensor.ptr;
}

bool onnx_op_sequence_at(ImportCall *c) {
  size_t at;
  if (has_parts(c, 0)) return take_part(c);
  if (has_rows(c, 0)) return gather_element(c);
  if (!read_sequence(c, 0)) return false;
  if (is_at_data(c) && can_stack(c, &c->inputs[0])) return !import_specialise_given(c, 1) && gather_element(c);
  if (!read_position(c, 1, c->inputs[0].count, c->inputs[0].count, &at) || !c->noutputs) return false;
  c->outputs[0] = c->inputs[0].items[at];
  return true;
}

static bool insert_row(ImportCall *c) {
  if (!import_input(c, 1).ptr) return import_invalid(c, "nothing to insert");
  if (import_has_input(c, 2)) return import_unsupported(c, "a position in a sequence whose length a loop decides");
  MlirValue both[] = {c->inputs[0].tensor, import_unsqueeze(c, import_input(c, 1), 0)}, all = tcc_build_concat(&c->b, both, 2, 0);
  if (!all.ptr || !c->noutputs) return false;
  c->outputs[0] = (ImportValue){.kind = IMPORT_ROWS, .tensor = all};
  return true;
}

bool onnx_op_sequence_insert(ImportCall *c) {
  if (has_rows(c, 0)) return insert_row(c);
  if (has_parts(c, 0)) return insert_part(c);
  if (!read_sequence(c, 0)) return false;
  size_t count = c->inputs[0].count, at = count;
  if (!import_input(c, 1).ptr || (import_has_input(c, 2) && !read_position(c, 2, count, count + 1, &at)))
    return import_invalid(c, "nothing to insert");
  ImportValue *items = new_values(c, count + 1);
  for (size_t i = 0; i <= count; i++) items[i] = i == at ? c->inputs[1] : c->inputs[0].items[i < at ? i : i - 1];
  return give_sequence(c, items, count + 1);
}

bool onnx_op_sequence_erase(ImportCall *c) {
  if (!read_sequence(c, 0)) return false;
  size_t count = c->inputs[0].count, at = count - 1;
  if (!count) return import_invalid(c, "the sequence is empty");
  if (import_has_input(c, 1) && !read_position(c, 1, count, count, &at)) return false;
  ImportValue *items = new_values(c, count);
  for (size_t i = 0; i + 1 < count; i++) items[i] = c->inputs[0].items[i < at ? i : i + 1];
  return give_sequence(c, items, count - 1);
}

bool onnx_op_sequence_length(ImportCall *c) {
  if (has_parts(c, 0)) return import_output(c, 0, tcc_build_size(&c->b, import_shape(c, c->inputs[0].items[0].tensor).dims[0]));
  if (has_rows(c, 0)) return import_output(c, 0, tcc_build_size(&c->b, import_shape(c, c->inputs[0].tensor).dims[0]));
  return read_sequence(c, 0) && import_output(c, 0, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, (int64_t)c->inputs[0].count));
}

bool onnx_op_concat_from_sequence(ImportCall *c) {
  bool stacked = onnx_int(c, "new_axis", 0) != 0;
  if (has_parts(c, 0)) {
    const ImportValue *parts = &c->inputs[0];
    int64_t along;
    if (!import_axis(c, onnx_int(c, "axis", 0), import_shape(c, parts->tensor).rank + stacked, &along)) return false;
    if (stacked || along != (int64_t)parts->count)
      return import_unsupported(
          c, "tensors of sizes that a loop decides, joined along another axis than the one on which they differ");
    return import_output(c, 0, onnx_move_first(c, parts->tensor, along));
  }
  if (has_rows(c, 0)) {
    MlirValue rows = c->inputs[0].tensor;
    return import_output(c, 0, (stacked ? onnx_move_first : onnx_join_rows)(c, rows, onnx_int(c, "axis", 0)));
  }
  if (!read_sequence(c, 0)) return false;
  size_t count = c->inputs[0].count;
  if (!count) return import_invalid(c, "the sequence is empty");
  MlirValue *values = TCC_NEW_ARRAY(import_arena(c), MlirValue, count);
  int64_t axis;
  if (!import_axis(c, onnx_int(c, "axis", 0), import_shape(c, c->inputs[0].items[0].tensor).rank + stacked, &axis)) return false;
  for (size_t i = 0; i < count; i++)
    values[i] = stacked ? import_unsqueeze(c, c->inputs[0].items[i].tensor, axis) : c->inputs[0].items[i].tensor;
  return import_output(c, 0, tcc_build_concat(&c->b, values, count, axis));
}

/* Parts of given sizes, which the run may decide; how many there are is known. */
static bool split_by_sizes(ImportCall *c, int64_t axis) {
  size_t count;
  MlirValue x = import_input(c, 0);
  const TccExpr *const *sizes = import_sizes(c, 1, &count), *start = import_size(c, 0), *whole = start;
  if (!sizes) return false;
  ImportValue *items = new_values(c, count);
  for (size_t i = 0; i < count; i++) whole = import_size_add(c, whole, sizes[i]);
  if (!import_require_equal(c, whole, import_shape(c, x).dims[axis], "the sum of the parts and the size of the axis")) return false;
  for (size_t i = 0; i < count; i++) {
    items[i] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = tcc_build_slice_axis(&c->b, x, axis, start, 1, sizes[i])};
    if (!items[i].tensor.ptr) return false;
    start = import_size_add(c, start, sizes[i]);
  }
  return give_sequence(c, items, count);
}

/* Parts of a given size each (the last may be smaller), or of given sizes; without split, of size 1, its axis dropped
 * unless keepdims. */
bool onnx_op_split_to_sequence(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  int64_t axis, size, each = 1;
  size_t n = 0, count = 0;
  const int64_t *given = NULL;
  if (!import_axis(c, onnx_int(c, "axis", 0), shape.rank, &axis)) return false;
  if (import_has_input(c, 1) && import_shape(c, import_input(c, 1)).rank == 1) return split_by_sizes(c, axis);
  if (!import_fix_size(c, shape.dims[axis], &size)) return false; /* how many tensors there are is known while importing */
  if (import_has_input(c, 1) && !(given = import_constants(c, 1, &n))) return false;
  if (given) each = given[0];
  if (each < 1) return import_invalid(c, "split must be positive");
  count = (size_t)((size + each - 1) / each);
  ImportValue *items = new_values(c, count);
  for (size_t i = 0, start = 0; i < count; i++) {
    int64_t here = size - (int64_t)start < each ? size - (int64_t)start : each;
    MlirValue part = tcc_build_slice_axis(&c->b, x, axis, import_size(c, (int64_t)start), 1, import_size(c, here));
    if (!given && !onnx_int(c, "keepdims", 1)) part = tcc_build_squeeze(&c->b, part, axis);
    if (!part.ptr) return false;
    items[i] = (ImportValue){.kind = IMPORT_TENSOR, .tensor = part};
    start += (size_t)here;
  }
  return give_sequence(c, items, count);
}

/* The body once for each element of the first sequence; further inputs are sequences of that length, or tensors that each gets. */
bool onnx_op_sequence_map(ImportCall *c) {
  const TccOnnxGraph *body = onnx_graph(c, "body");
  if (!body || !read_sequence(c, 0)) return false;
  for (size_t k = 1; k < c->ninputs; k++)
    if (has_rows(c, k) && !read_sequence(c, k)) return false;
  size_t count = c->inputs[0].count;
  ImportValue *in = new_values(c, c->ninputs), *out = new_values(c, c->noutputs),
              **items = TCC_NEW_ARRAY(import_arena(c), ImportValue *, c->noutputs + 1);
  for (size_t k = 0; k < c->noutputs; k++) items[k] = new_values(c, count);
  for (size_t k = 1; k < c->ninputs; k++)
    if (c->inputs[k].kind == IMPORT_SEQUENCE && c->inputs[k].count != count)
      return import_invalid(c, "input %zu has %zu elements, the first %zu", k, c->inputs[k].count, count);
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < c->ninputs; k++) in[k] = c->inputs[k].kind == IMPORT_SEQUENCE ? c->inputs[k].items[i] : c->inputs[k];
    if (!onnx_subgraph(c, body, in, c->ninputs, out, c->noutputs)) return false;
    for (size_t k = 0; k < c->noutputs; k++) items[k][i] = out[k];
  }
  for (size_t k = 0; k < c->noutputs; k++)
    c->outputs[k] = (ImportValue){.kind = IMPORT_SEQUENCE, .items = items[k], .count = count};
  return true;
}

/* ---- optionals: an absent one is an absent value ---- */
bool onnx_op_optional(ImportCall *c) {
  if (c->noutputs != 1) return import_invalid(c, "has no output");
  if (!import_has_input(c, 0)) return import_absent_output(c, 0);
  c->outputs[0] = c->inputs[0];
  return true;
}

bool onnx_op_optional_has_element(ImportCall *c) {
  return import_output(c, 0, tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, import_has_input(c, 0)));
}

bool onnx_op_optional_get_element(ImportCall *c) {
  if (!import_has_input(c, 0) || !c->noutputs) return import_invalid(c, "the optional is empty");
  c->outputs[0] = c->inputs[0];
  return true;
}

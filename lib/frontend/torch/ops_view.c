/* ops_view.c - overloads that look at a tensor in another shape, and those that put tensors together. */
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

static const TccExpr *one(ImportCall *c) { return import_size(c, 1); }

/* Whether a tensor of these strides has a view of that shape (aten/src/ATen/TensorUtils.cpp, computeStride): for the sizes that were
 * exported with, as torch decided it. */
static bool has_view(const TccTorchMeta *from, const TccTorchMeta *to) {
  if (!from || !to) return true;
  size_t axis = to->rank;
  int64_t chunk = 1, numbers = 1;
  for (size_t i = from->rank; i-- > 0;) {
    if (from->sizes[i].value == INT64_MIN || from->strides[i].value == INT64_MIN) return true;
    if (from->sizes[i].value == 0) return true;
  }
  if (!from->rank) return true;
  int64_t base = from->strides[from->rank - 1].value;
  for (size_t i = from->rank; i-- > 0;) {
    numbers *= from->sizes[i].value;
    bool ends = i == 0 || (from->sizes[i - 1].value != 1 && from->strides[i - 1].value != numbers * base);
    if (!ends) continue;
    while (axis > 0 && (chunk < numbers || to->sizes[axis - 1].value == 1)) chunk *= to->sizes[--axis].value;
    if (chunk != numbers) return false;
    if (i > 0) base = from->strides[i - 1].value, numbers = chunk = 1;
  }
  return axis == 0;
}

static bool reshaped(ImportCall *c, TorchTensor *self, int rank, const TccExpr *const *dims, bool may_copy) {
  const TccTorchMeta *to = torch_meta(torch_call(c)->scope, torch_call(c)->names[0]);
  if (may_copy && self && !has_view(self->meta, to))
    return torch_output(c, 0, tcc_build_reshape(&c->b, torch_read(c, self), rank, dims));
  return torch_output_view(c, 0, torch_view_reshape(c, self, rank, dims));
}

bool torch_op_view(ImportCall *c) {
  const TccExpr *const *given, *dims[TCC_MAX_RANK];
  size_t count;
  ImportShape declared = torch_declared(c, 0);
  if (c->kind == DECLARED || c->kind == RAVEL)
    return declared.elem && reshaped(c, torch_storage(c, "self"), declared.rank, declared.dims, c->kind == RAVEL);
  if (torch_argument(c, "other")) return declared.elem && reshaped(c, torch_storage(c, "self"), declared.rank, declared.dims, true);
  if (!torch_sizes(c, torch_argument(c, "shape") ? "shape" : "size", &given, &count)) return false;
  if (count > TCC_MAX_RANK) return import_unsupported(c, "rank %zu", count);
  for (size_t i = 0; i < count; i++) {
    dims[i] = import_is_size(given[i], -1) && declared.rank == (int)count ? declared.dims[i] : given[i];
    if (import_is_size(dims[i], -1)) return import_invalid(c, "the graph does not say what size axis %zu has", i);
  }
  return reshaped(c, torch_storage(c, "self"), (int)count, dims, c->kind == RESHAPE);
}

/* view.dtype: the bits of the elements as another type. */
bool torch_op_view_bits(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  TccElem elem = torch_elem(c, "dtype", TCC_ELEM_NONE), old = tcc_value_elem(torch_read(c, self));
  if (!self || !elem || !old) return false;
  if (tcc_elem_bits(elem) != tcc_elem_bits(old)) {
    if (tcc_elem_bits(elem) < 8 || tcc_elem_bits(old) < 8)
      return import_unsupported(c, "%s as %s, of which one has less than a byte", tcc_elem_name(old), tcc_elem_name(elem));
    if (!import_shape(c, torch_read(c, self)).rank)
      return import_invalid(c, "a tensor without axes as a type of another width: %s as %s", tcc_elem_name(old),
                            tcc_elem_name(elem));
  }
  return torch_output_view(c, 0, elem == old ? torch_view_alias(c, self) : torch_view_bits(c, self, elem));
}

bool torch_op_flatten(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  ImportShape shape = import_shape(c, torch_read(c, self));
  int64_t first, last;
  const TccExpr *dims[TCC_MAX_RANK];
  int rank = 0;
  if (!torch_axis(c, "start_dim", shape.rank, &first) || !torch_axis(c, "end_dim", shape.rank, &last)) return false;
  if (last < first) return import_invalid(c, "start_dim is behind end_dim");
  for (int i = 0; i < shape.rank; i++) {
    if (i > first && i <= last) dims[rank - 1] = import_size_mul(c, dims[rank - 1], shape.dims[i]);
    else dims[rank++] = shape.dims[i];
  }
  if (!shape.rank) dims[rank++] = one(c);
  return reshaped(c, self, rank, dims, true);
}

bool torch_op_unsqueeze(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  ImportShape shape = import_shape(c, torch_read(c, self));
  const TccExpr *dims[TCC_MAX_RANK + 1];
  int64_t axis;
  if (!torch_axis(c, "dim", shape.rank + 1, &axis)) return false;
  if (shape.rank == TCC_MAX_RANK) return import_unsupported(c, "a result of rank %d", shape.rank + 1);
  for (int i = 0, k = 0; i <= shape.rank; i++) dims[i] = i == axis ? one(c) : shape.dims[k++];
  return torch_output_view(c, 0, torch_view_reshape(c, self, shape.rank + 1, dims));
}

/* All axes of size 1, or those that are named. */
bool torch_op_squeeze(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  ImportShape shape = import_shape(c, torch_read(c, self));
  int64_t axes[TCC_MAX_RANK];
  size_t count = (size_t)shape.rank;
  bool named = torch_argument(c, "dim") != NULL, drop[TCC_MAX_RANK] = {false};
  const TccTorchArg *dim = torch_argument(c, "dim");
  bool none = dim && dim->kind == TCC_TORCH_INTS && !dim->list.count; /* [] is no axis here */
  if (named && !none && !torch_axes(c, "dim", shape.rank, axes, &count)) return false;
  for (size_t i = 0; i < count && !none; i++) drop[named ? axes[i] : (int64_t)i] = true;
  const TccExpr *dims[TCC_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < shape.rank; i++)
    if (!drop[i] || !import_is_size(shape.dims[i], 1)) dims[rank++] = shape.dims[i];
  return torch_output_view(c, 0, torch_view_reshape(c, self, rank, dims));
}

/* ---- order of axes ---- */
bool torch_op_transpose(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  int rank = import_shape(c, torch_read(c, self)).rank;
  int64_t a = 0, b = 1, perm[TCC_MAX_RANK];
  const bool numpy = torch_argument(c, "axis0") != NULL; /* swapaxes */
  const char *const names[] = {numpy ? "axis0" : "dim0", numpy ? "axis1" : "dim1"};
  const bool named = torch_argument(c, names[0]) != NULL;
  if (named && (!torch_axis(c, names[0], rank, &a) || !torch_axis(c, names[1], rank, &b))) return false;
  if (rank < 2) return torch_output_view(c, 0, torch_view_alias(c, self));
  if (c->kind == LAST) a = rank - 2, b = rank - 1;
  for (int i = 0; i < rank; i++) perm[i] = c->kind == REVERSED ? rank - 1 - i : i == a ? b : i == b ? a : i;
  return torch_output_view(c, 0, torch_view_transpose(c, self, perm));
}

bool torch_op_permute(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  int rank = import_shape(c, torch_read(c, self)).rank;
  int64_t perm[TCC_MAX_RANK];
  size_t count;
  if (rank == 0) return torch_output_view(c, 0, torch_view_alias(c, self));
  if (!torch_axes(c, "dims", rank, perm, &count)) return false;
  if ((int)count != rank) return import_invalid(c, "dims has %zu entries for rank %d", count, rank);
  return torch_output_view(c, 0, torch_view_transpose(c, self, perm));
}

bool torch_op_movedim(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  int rank = import_shape(c, torch_read(c, self)).rank, n = 0;
  int64_t from, to, perm[TCC_MAX_RANK];
  if (!torch_axis(c, "source", rank, &from) || !torch_axis(c, "destination", rank, &to)) return false;
  for (int i = 0; i < rank; i++) {
    if (n == from) n++;
    perm[i] = i == to ? from : n++;
  }
  return torch_output_view(c, 0, torch_view_transpose(c, self, perm));
}

bool torch_op_like(ImportCall *c) {
  ImportShape shape = import_shape(c, torch_tensor(c, "other"));
  return torch_output_view(c, 0, torch_view_broadcast(c, torch_storage(c, "self"), shape.rank, shape.dims));
}

/* [..., size, ...] as [..., 1, size, ...] broadcast to [..., times, size, ...]. */
bool torch_op_repeat(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  const TccExpr *const *times, *wide[2 * TCC_MAX_RANK], *single[2 * TCC_MAX_RANK], *dims[TCC_MAX_RANK];
  size_t count;
  if (!x.ptr || !torch_sizes(c, "repeats", &times, &count)) return false;
  int rank = (int)count;
  if (count > TCC_MAX_RANK / 2 || rank < shape.rank)
    return import_unsupported(c, "repeats has %zu entries for rank %d", count, shape.rank);
  for (int i = 0; i < rank; i++) {
    const TccExpr *size = i < rank - shape.rank ? one(c) : shape.dims[i - (rank - shape.rank)];
    single[2 * i] = one(c);
    wide[2 * i] = times[i];
    single[2 * i + 1] = wide[2 * i + 1] = size;
    dims[i] = import_size_mul(c, times[i], size);
  }
  x = tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, x, 2 * rank, single), 2 * rank, wide);
  return torch_output(c, 0, tcc_build_reshape(&c->b, x, rank, dims));
}

bool torch_op_expand(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  ImportShape shape = import_shape(c, torch_read(c, self));
  const TccExpr *const *given, *dims[TCC_MAX_RANK];
  size_t count;
  if (!torch_sizes(c, "size", &given, &count)) return false;
  if (count > TCC_MAX_RANK || (int)count < shape.rank)
    return import_invalid(c, "size has %zu entries for rank %d", count, shape.rank);
  for (int i = 0; i < (int)count; i++) {
    int own = i - ((int)count - shape.rank);
    dims[i] = import_is_size(given[i], -1) && own >= 0 ? shape.dims[own] : given[i];
  }
  return torch_output_view(c, 0, torch_view_broadcast(c, self, (int)count, dims));
}

bool torch_op_broadcast_tensors(ImportCall *c) {
  TorchTensor *const *given;
  size_t count;
  if (!torch_storages(c, "tensors", &given, &count)) return false;
  if (!count || count != torch_call(c)->noutputs)
    return import_invalid(c, "%zu tensors for %zu outputs", count, torch_call(c)->noutputs);
  ImportShape shape = import_shape(c, torch_read(c, given[0]));
  for (size_t i = 1; i < count; i++) {
    const ImportShape next = import_shape(c, torch_read(c, given[i]));
    if (!import_broadcast_shape(c, &shape, &next, &shape)) return false;
  }
  for (size_t i = 0; i < count; i++)
    if (!torch_output_view(c, i, torch_view_broadcast(c, given[i], shape.rank, shape.dims))) return false;
  return true;
}

/* ---- parts ---- */
/* A position that may be negative, then from the end: size is added min(max(-at, 0), 1) times. */
static const TccExpr *from_end(ImportCall *c, const TccExpr *at, const TccExpr *size) {
  TccExprPool *pool = c->ir->exprs;
  const TccExpr *zero = import_size(c, 0), *below = tcc_expr_call(pool, TCC_EXPR_MAX, import_size_sub(c, zero, at), zero);
  at = import_size_add(c, at, import_size_mul(c, size, tcc_expr_call(pool, TCC_EXPR_MIN, below, one(c))));
  if (import_never_at_most(c, at, import_size(c, -1))) return at;
  return import_never_at_most(c, zero, at) ? zero : tcc_expr_call(pool, TCC_EXPR_MAX, at, zero);
}

const TccExpr *torch_slice_position(ImportCall *c, const TccExpr *at, const TccExpr *size) {
  int64_t value;
  bool known = tcc_expr_is_const(at, &value);
  if (known && value == INT64_MAX) return size;
  if (known && value < 0) return from_end(c, at, size);
  if (!tcc_expr_known_nonnegative(at)) at = from_end(c, at, size);
  if (tcc_expr_known_at_most(at, size)) return at;
  return import_never_at_most(c, at, size) ? size : tcc_expr_call(c->ir->exprs, TCC_EXPR_MIN, at, size);
}

/* ---- positions that data decide ---- */
static bool is_data(const TorchNumber *n) { return n->kind == TORCH_INTEGER && n->value.ptr && !n->size; }

/* A number as a position in an axis of that size, from the end if it is negative. */
static MlirValue position(ImportCall *c, const TorchNumber *n, const TccExpr *size) {
  MlirValue at = torch_number_value(c, n, TCC_ELEM_I64), whole = tcc_build_size(&c->b, size);
  return torch_if(c, torch_is(c, "lt", at, 0), torch_add(c, at, whole), at);
}

static MlirValue within(ImportCall *c, MlirValue at, const TccExpr *size) { /* [0, size] */
  return tcc_build2(&c->b, TCC_OP_MIN, tcc_build2_number(&c->b, TCC_OP_MAX, at, 0), tcc_build_size(&c->b, size));
}

/* Where output 0 begins in its storage, which the graph gives a name if data decide it: behind self by `start` elements of the axis. */
static bool name_offset(ImportCall *c, const TorchTensor *self, int64_t axis, const TccExpr *start) {
  const TccTorchMeta *from = self->meta, *to = torch_meta(torch_call(c)->scope, torch_call(c)->names[0]);
  const TccExpr *offset = from && to ? torch_size_if_known(c, &from->offset) : NULL,
                *stride = offset && axis < (int64_t)from->rank ? torch_size_if_known(c, &from->strides[axis]) : NULL;
  return !stride || torch_name_size(c, &to->offset, import_size_add(c, offset, import_size_mul(c, start, stride)));
}

/* Elements from `first` to the position `last`, each `step`-th. */
static const TccExpr *count_between(ImportCall *c, MlirValue first, const TorchNumber *last, int64_t step, const TccExpr *whole) {
  MlirValue end = within(c, position(c, last, whole), whole);
  MlirValue many = torch_sub(c, tcc_build2(&c->b, TCC_OP_MAX, first, end), first);
  if (step > 1) many = tcc_build2_number(&c->b, TCC_OP_DIV, torch_plus(c, many, (double)step - 1), (double)step);
  return import_counted_size(c, many, whole);
}

/* self[start:end] where data decide one of them: its size is what the graph says, or counted. */
static bool slice_by_data(ImportCall *c, TorchTensor *self, int64_t axis, int64_t step, const TorchNumber *start,
                          const TorchNumber *end) {
  const TccExpr *whole = import_shape(c, torch_read(c, self)).dims[axis], *from = start->size, *size = NULL;
  const TccTorchMeta *declared = torch_meta(torch_call(c)->scope, torch_call(c)->names[0]);
  MlirValue first = {NULL};
  if (declared && axis < (int64_t)declared->rank) size = torch_size_if_known(c, &declared->sizes[axis]);
  if (is_data(start) || !size) first = within(c, position(c, start, whole), whole);
  if (is_data(start)) from = import_counted_size(c, first, whole);
  else if (from) from = torch_slice_position(c, from, whole);
  if (!size && !c->reason) size = count_between(c, first, end, step, whole);
  if (!from || !size) return c->reason ? false : import_invalid(c, "'start' is not an integer");
  return name_offset(c, self, axis, from) && torch_output_view(c, 0, torch_view_slice(c, self, axis, from, step, size));
}

bool torch_op_slice(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  ImportShape shape = import_shape(c, torch_read(c, self));
  int64_t axis, step = torch_int(c, "step");
  if (!torch_axis(c, "dim", shape.rank, &axis)) return false;
  if (step < 1) return import_invalid(c, "step %lld", (long long)step);
  const TccExpr *whole = shape.dims[axis], *start = import_size(c, 0), *end = whole;
  TorchNumber first = {.kind = TORCH_INTEGER, .size = start}, last = {.kind = TORCH_INTEGER, .size = end};
  if (torch_given(c, "start")) first = torch_number(c, "start");
  if (torch_given(c, "end")) last = torch_number(c, "end");
  if (!c->reason && (is_data(&first) || is_data(&last))) return slice_by_data(c, self, axis, step, &first, &last);
  if (torch_given(c, "start") && !(start = torch_size(c, "start"))) return false;
  if (torch_given(c, "end") && !(end = torch_size(c, "end"))) return false;
  start = torch_slice_position(c, start, whole);
  end = torch_slice_position(c, end, whole);
  const TccExpr *size = import_size_sub(c, end, start);
  if (!tcc_expr_known_nonnegative(size)) size = tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, size, import_size(c, 0));
  if (step > 1) size = tcc_expr_call(c->ir->exprs, TCC_EXPR_CEILDIV, size, import_size(c, step));
  const TccTorchMeta *declared = torch_meta(torch_call(c)->scope, torch_call(c)->names[0]);
  const TccExpr *said = declared && (int)declared->rank == shape.rank ? torch_size_if_known(c, &declared->sizes[axis]) : NULL;
  if (said && said != size) { /* in fewer words, where it takes knowing what sizes there can be */
    if (!import_require_equal(c, size, said, "a slice and what the graph says of it")) return false;
    size = said;
  }
  return torch_output_view(c, 0, torch_view_slice(c, self, axis, start, step, size));
}

/* An argument as a position in an axis of that size, from the end if it is negative. */
static const TccExpr *position_of(ImportCall *c, const char *name, const TccExpr *size) {
  TorchNumber n = torch_number(c, name);
  int64_t value;
  if (!c->reason && is_data(&n)) return import_counted_size(c, position(c, &n, size), size);
  const TccExpr *at = torch_size(c, name);
  return at && tcc_expr_is_const(at, &value) && value < 0 ? import_size_add(c, size, at) : at;
}

bool torch_op_narrow(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  ImportShape shape = import_shape(c, torch_read(c, self));
  int64_t axis;
  if (!torch_axis(c, "dim", shape.rank, &axis)) return false;
  const TccExpr *start = position_of(c, "start", shape.dims[axis]), *size = torch_size(c, "length");
  if (!start || !size) return false;
  return import_require_at_most(c, import_size_add(c, start, size), shape.dims[axis], "a part of an axis") &&
         name_offset(c, self, axis, start) && torch_output_view(c, 0, torch_view_slice(c, self, axis, start, 1, size));
}

/* x[..., at, ...] without the axis. */
static TorchTensor *row(ImportCall *c, TorchTensor *self, int64_t axis, const TccExpr *at) {
  TorchTensor *part = torch_view_slice(c, self, axis, at, 1, one(c));
  ImportShape shape = import_shape(c, torch_read(c, part));
  const TccExpr *dims[TCC_MAX_RANK];
  int rank = 0;
  for (int i = 0; i < shape.rank; i++)
    if (i != axis) dims[rank++] = shape.dims[i];
  return torch_view_reshape(c, part, rank, dims);
}

bool torch_op_select(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  ImportShape shape = import_shape(c, torch_read(c, self));
  int64_t axis;
  if (!torch_axis(c, "dim", shape.rank, &axis)) return false;
  const TccExpr *at = position_of(c, "index", shape.dims[axis]);
  if (!at) return false;
  return import_require_at_most(c, import_size_add(c, at, one(c)), shape.dims[axis], "index of an axis") &&
         name_offset(c, self, axis, at) && torch_output_view(c, 0, row(c, self, axis, at));
}

bool torch_op_unbind(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  int64_t axis;
  if (!torch_axis(c, "dim", import_shape(c, torch_read(c, self)).rank, &axis)) return false;
  for (size_t i = 0; i < torch_call(c)->noutputs; i++)
    if (!torch_output_view(c, i, row(c, self, axis, import_size(c, (int64_t)i)))) return false;
  return true;
}

/* Parts one behind the other along an axis; sizes NULL: as large as the graph says. */
static bool parts(ImportCall *c, const TccExpr *const *sizes) {
  TorchTensor *self = torch_storage(c, "self");
  ImportShape shape = import_shape(c, torch_read(c, self));
  int64_t axis;
  const TccExpr *start = import_size(c, 0);
  if (!torch_axis(c, "dim", shape.rank, &axis)) return false;
  for (size_t i = 0; i < torch_call(c)->noutputs; i++) {
    ImportShape declared = torch_declared(c, i);
    const TccExpr *size = sizes ? sizes[i] : declared.rank == shape.rank ? declared.dims[axis] : NULL;
    if (!size) return import_invalid(c, "the graph does not say how large part %zu is", i);
    if (!torch_output_view(c, i, torch_view_slice(c, self, axis, start, 1, size))) return false;
    start = import_size_add(c, start, size);
  }
  return import_require_equal(c, start, shape.dims[axis], "the parts and the whole");
}

bool torch_op_split(ImportCall *c) { return parts(c, NULL); }

bool torch_op_split_sizes(ImportCall *c) {
  const TccExpr *const *sizes;
  size_t count;
  if (!torch_sizes(c, torch_argument(c, "split_size") ? "split_size" : "split_sizes", &sizes, &count)) return false;
  return count == torch_call(c)->noutputs ? parts(c, sizes) : import_invalid(c, "split_sizes has %zu entries", count);
}

/* ---- joined ---- */
/* torch passes over tensors of shape [0], whatever the others are. */
static bool is_nothing(ImportCall *c, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  return shape.rank == 1 && import_is_size(shape.dims[0], 0);
}

bool torch_op_cat(ImportCall *c) {
  const MlirValue *given;
  size_t count, used = 0;
  TccElem elem = torch_result(c, 0);
  int rank = torch_declared(c, 0).rank;
  int64_t axis;
  if (!elem || !torch_tensors(c, "tensors", &given, &count) || !torch_axis(c, "dim", rank, &axis)) return false;
  MlirValue *values = TCC_NEW_ARRAY(import_arena(c), MlirValue, count + 1);
  for (size_t i = 0; i < count; i++)
    if (rank == 1 || !is_nothing(c, given[i])) values[used++] = tcc_build_convert(&c->b, given[i], elem);
  if (!used) return import_invalid(c, "no tensors");
  return torch_output(c, 0, used == 1 ? values[0] : tcc_build_concat(&c->b, values, used, axis));
}

bool torch_op_stack(ImportCall *c) {
  const MlirValue *given;
  size_t count;
  TccElem elem = torch_result(c, 0);
  int64_t axis;
  if (!elem || !torch_tensors(c, "tensors", &given, &count) || !torch_axis(c, "dim", torch_declared(c, 0).rank, &axis))
    return false;
  if (!count) return import_invalid(c, "no tensors");
  MlirValue *values = TCC_NEW_ARRAY(import_arena(c), MlirValue, count);
  for (size_t i = 0; i < count; i++) values[i] = import_unsqueeze(c, tcc_build_convert(&c->b, given[i], elem), axis);
  return torch_output(c, 0, count == 1 ? values[0] : tcc_build_concat(&c->b, values, count, axis));
}

/* x[1:] - x[:-1] along an axis, n times; of bools, whether the two differ. */
bool torch_op_diff(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), ends[] = {torch_optional(c, "prepend"), x, torch_optional(c, "append")};
  ImportShape shape = import_shape(c, x);
  int64_t axis, times = torch_int(c, "n");
  if (c->reason || !x.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  if (!shape.rank) return import_invalid(c, "a tensor without axes");
  if (ends[0].ptr) x = tcc_build_concat(&c->b, ends, 2, axis);
  if (ends[2].ptr) x = tcc_build_concat(&c->b, (MlirValue[]){x, ends[2]}, 2, axis);
  for (; times > 0 && x.ptr; times--) {
    const TccExpr *size = import_size_sub(c, import_shape(c, x).dims[axis], one(c));
    x = tcc_build2(&c->b, shape.elem == TCC_ELEM_BOOL ? TCC_OP_XOR : TCC_OP_SUB,
                   tcc_build_slice_axis(&c->b, x, axis, one(c), 1, size),
                   tcc_build_slice_axis(&c->b, x, axis, import_size(c, 0), 1, size));
  }
  return torch_output(c, 0, x);
}

/* A copy: torch's strides are not negative. */
bool torch_op_flip(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  const TccExpr *starts[TCC_MAX_RANK];
  int64_t axes[TCC_MAX_RANK], steps[TCC_MAX_RANK];
  const int64_t *given;
  size_t count;
  if (!x.ptr || !torch_ints(c, "dims", &given, &count)) return false;
  if (!count || !shape.rank) return torch_output(c, 0, x);
  if (!torch_axes(c, "dims", shape.rank, axes, &count)) return false;
  for (int i = 0; i < shape.rank; i++) starts[i] = import_size(c, 0), steps[i] = 1;
  for (size_t i = 0; i < count; i++) {
    if (import_is_size(shape.dims[axes[i]], 0)) return torch_output(c, 0, x); /* nothing to turn round, and no last element */
    starts[axes[i]] = import_size_sub(c, shape.dims[axes[i]], one(c)), steps[axes[i]] = -1;
  }
  return torch_output(c, 0, tcc_build_slice(&c->b, x, starts, steps, shape.dims));
}

/* Along an axis, elements move `shift` places on, and those behind the end come back in front: the two parts change places. */
static MlirValue rolled(ImportCall *c, MlirValue x, int64_t axis, const TccExpr *shift) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *size = x.ptr ? shape.dims[axis] : NULL;
  if (!x.ptr || import_is_size(size, 0)) return x;
  const TccExpr *cut = tcc_expr_call(c->ir->exprs, TCC_EXPR_MOD, import_size_sub(c, import_size(c, 0), shift), size);
  MlirValue parts[] = {tcc_build_slice_axis(&c->b, x, axis, cut, 1, import_size_sub(c, size, cut)),
                       tcc_build_slice_axis(&c->b, x, axis, import_size(c, 0), 1, cut)};
  return import_is_size(cut, 0) ? x : tcc_build_concat(&c->b, parts, 2, axis);
}

/* Without dims the tensor is one row. */
bool torch_op_roll(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  const TccExpr *const *shifts;
  const int64_t *dims;
  size_t count, ndims;
  if (!x.ptr || !torch_sizes(c, "shifts", &shifts, &count) || !torch_ints(c, "dims", &dims, &ndims)) return false;
  if (count != (ndims ? ndims : 1)) return import_invalid(c, "%zu shifts for %zu dims", count, ndims);
  if (!shape.rank) return torch_output(c, 0, x);
  if (!ndims) {
    const TccExpr *all = import_product(c, shape.dims, shape.rank);
    x = rolled(c, tcc_build_reshape(&c->b, x, 1, &all), 0, shifts[0]);
    return torch_output(c, 0, tcc_build_reshape(&c->b, x, shape.rank, shape.dims));
  }
  for (size_t i = 0; i < ndims; i++) {
    if (dims[i] < -shape.rank || dims[i] >= shape.rank) return import_invalid(c, "dims names axis %lld", (long long)dims[i]);
    x = rolled(c, x, dims[i] < 0 ? dims[i] + shape.rank : dims[i], shifts[i]);
  }
  return torch_output(c, 0, x);
}

/* The n windows of `size` elements along an axis, each `step` behind the last: [..., n, ..., size]. */
static MlirValue window_places(ImportCall *c, const TccExpr *count, int64_t size, int64_t step) {
  const TccExpr *column[] = {count, one(c)}, *row[] = {one(c), import_size(c, size)};
  MlirValue first = tcc_build2_number(&c->b, TCC_OP_MUL, import_iota(c, TCC_ELEM_I64, count), (double)step);
  return tcc_build2(&c->b, TCC_OP_ADD, tcc_build_reshape(&c->b, first, 2, column),
                    tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, row[1]), 2, row));
}

static bool read_windows(ImportCall *c, int rank, int64_t *axis, int64_t *size, int64_t *step) {
  *size = torch_int(c, "size"), *step = torch_int(c, "step");
  if (c->reason || !torch_axis(c, torch_argument(c, "dim") ? "dim" : "dimension", rank, axis)) return false;
  return (*size >= 0 && *step > 0) || import_invalid(c, "windows of %lld, %lld apart", (long long)*size, (long long)*step);
}

/* The windows along an axis, as torch's `unfold` shows them. */
typedef struct {
  int64_t axis, size, step;
  ImportShape to;
} Windows;

static MlirValue read_unfolded(ImportCall *c, const TorchTensor *view, MlirValue x) {
  const Windows *w = view->places;
  ImportShape shape = import_shape(c, x);
  if (!x.ptr) return x;
  if (!shape.rank) shape.dims[shape.rank++] = one(c), x = tcc_build_reshape(&c->b, x, 1, shape.dims);
  int64_t perm[TCC_MAX_RANK];
  for (int64_t i = 0, n = 0; i <= shape.rank; i++)
    if (i != w->axis + 1) perm[n++] = i;
  perm[shape.rank] = w->axis + 1;
  MlirValue y = tcc_build_gather(&c->b, x, window_places(c, w->to.dims[w->axis], w->size, w->step), w->axis);
  return tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, y, perm), w->to.rank, w->to.dims);
}

/* x with windows [.., size] of it in their places, or added there. written (null: all): which elements of the windows. */
static MlirValue with_windows(ImportCall *c, MlirValue x, MlirValue windows, MlirValue written, int64_t axis, int64_t size,
                              int64_t step, const char *reduction) {
  const MlirValue none = {NULL};
  if (!x.ptr || !windows.ptr) return none;
  const ImportShape to = import_shape(c, x), from = import_shape(c, windows);
  int64_t perm[TCC_MAX_RANK];
  const TccExpr *lying[TCC_MAX_RANK], *line[TCC_MAX_RANK], *places = import_size_mul(c, from.dims[axis], from.dims[to.rank]);
  for (int64_t i = 0, n = 0; i < from.rank; i++) perm[i] = i == axis + 1 ? to.rank : n++;
  for (int i = 0; i < to.rank; i++) lying[i] = i == axis ? places : from.dims[i], line[i] = i == axis ? places : one(c);
  MlirValue index = tcc_build_reshape(&c->b, window_places(c, from.dims[axis], size, step), to.rank, line);
  MlirValue operands[] = {x, tcc_build_broadcast(&c->b, index, to.rank, lying),
                          tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, windows, perm), to.rank, lying)};
  if (written.ptr) { /* others go behind the end, where nothing is written */
    written = tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, written, perm), to.rank, lying);
    operands[1] = tcc_build_select(&c->b, written, operands[1], tcc_build_size(&c->b, to.dims[axis]));
  }
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, axis)}, {"reduction", tcc_attr_str(c->ir, tcc_str(reduction))}};
  return operands[1].ptr && operands[2].ptr ? import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2) : none;
}

/* Where two tensors are not the same; NaN is the same as NaN. */
static MlirValue changed(ImportCall *c, MlirValue before, MlirValue now) {
  MlirValue differs = tcc_build_compare(&c->b, "ne", before, now);
  if (!before.ptr || !now.ptr || !tcc_elem_is_float(tcc_value_elem(now))) return differs;
  MlirValue both = tcc_build2(&c->b, TCC_OP_AND, tcc_build1(&c->b, TCC_OP_IS_NAN, before), tcc_build1(&c->b, TCC_OP_IS_NAN, now));
  return tcc_build2(&c->b, TCC_OP_AND, differs, tcc_build1(&c->b, TCC_OP_NOT, both));
}

/* Of windows that share elements those are written that are not what they were: PyTorch writes such a window alone, or all with one number. */
static bool write_unfolded(ImportCall *c, const TorchTensor *view, MlirValue value) {
  const Windows *w = view->places;
  MlirValue x = torch_read(c, view->of);
  const ImportShape shape = import_shape(c, x);
  const TccExpr *whole[] = {one(c)}, *windows[] = {one(c), w->to.dims[0]};
  MlirValue written = w->step < w->size ? changed(c, read_unfolded(c, view, x), value) : (MlirValue){NULL};
  if (!shape.rank) {
    x = tcc_build_reshape(&c->b, x, 1, whole), value = tcc_build_reshape(&c->b, value, 2, windows);
    if (written.ptr) written = tcc_build_reshape(&c->b, written, 2, windows);
  }
  x = with_windows(c, x, value, written, w->axis, w->size, w->step, "none");
  return torch_write(c, view->of, tcc_build_reshape(&c->b, x, shape.rank, shape.dims));
}

bool torch_op_unfold(ImportCall *c) {
  static const TorchForm form = {read_unfolded, write_unfolded, NULL};
  TorchTensor *self = torch_storage(c, "self");
  ImportShape shape = import_shape(c, torch_read(c, self));
  Windows *w = TCC_NEW(import_arena(c), Windows);
  w->to = torch_declared(c, 0);
  if (!self || !read_windows(c, shape.rank, &w->axis, &w->size, &w->step)) return false;
  if (!w->to.elem) return import_invalid(c, "the graph does not say how large it is");
  if (shape.rank == TCC_MAX_RANK) return import_unsupported(c, "an input of rank %d", shape.rank);
  if (!shape.rank) w->to.dims[0] = one(c);
  return torch_output_view(c, 0, torch_view_form(c, self, NULL, &form, w));
}

/* What the windows hold of each element, summed. */
bool torch_op_unfold_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_in");
  ImportShape from = import_shape(c, grad), to = torch_declared(c, 0);
  int64_t axis, size, step;
  if (!grad.ptr || !to.elem || !read_windows(c, to.rank, &axis, &size, &step)) return false;
  if (!to.rank) return torch_output(c, 0, tcc_build_reshape(&c->b, grad, 0, NULL));
  if (from.rank != to.rank + 1) return import_invalid(c, "a gradient of rank %d for rank %d", from.rank, to.rank);
  for (int i = 0; i < to.rank; i++) /* istft has windows of one row for all */
    if (i != axis) from.dims[i] = to.dims[i];
  grad = tcc_build_broadcast(&c->b, grad, from.rank, from.dims);
  MlirValue zero = tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, to.elem, 0), to.rank, to.dims);
  return torch_output(c, 0, with_windows(c, zero, grad, (MlirValue){NULL}, axis, size, step, "add"));
}

/* ---- images: pixels and channels that change places ---- */
/* x as `from`, its axes in another order, as `to`. */
static MlirValue rearranged(ImportCall *c, MlirValue x, int rank, const TccExpr *const *from, const int64_t *perm,
                            const ImportShape *to) {
  return tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, tcc_build_reshape(&c->b, x, rank, from), perm), to->rank, to->dims);
}

/* pixel_shuffle, [..., C r r, H, W] -> [..., C, H r, W r] (kind SHUFFLE_PIXELS), its inverse, and channel_shuffle: [N, G K, ...] -> [N, K G, ...]. */
bool torch_op_shuffle(ImportCall *c) {
  static const int64_t up[] = {0, 1, 4, 2, 5, 3}, down[] = {0, 1, 3, 5, 2, 4}, groups[] = {0, 2, 1, 3};
  MlirValue x = torch_tensor(c, "self");
  ImportShape s = import_shape(c, x), to = torch_declared(c, 0);
  if (!x.ptr || !to.elem) return false;
  if (s.rank < 3 || to.rank != s.rank) return import_invalid(c, "rank %d", s.rank);
  if (c->kind == SHUFFLE_CHANNELS) {
    const TccExpr *g = import_size(c, torch_int(c, "groups")), *k = c->reason ? NULL : import_divide(c, s.dims[1], g);
    if (!k) return false;
    const TccExpr *parts[] = {s.dims[0], g, k, import_product(c, s.dims + 2, s.rank - 2)};
    return torch_output(c, 0, rearranged(c, x, 4, parts, groups, &s));
  }
  const bool shuffle = c->kind == SHUFFLE_PIXELS;
  const int at = s.rank - 3;
  const TccExpr *r = import_size(c, torch_int(c, shuffle ? "upscale_factor" : "downscale_factor")),
                *lead = import_product(c, s.dims, at);
  const ImportShape *small = shuffle ? &s : &to, *few = shuffle ? &to : &s; /* of few pixels, of few channels */
  const TccExpr *channels = few->dims[at], *rows = small->dims[at + 1], *columns = small->dims[at + 2];
  const TccExpr *apart[] = {lead, channels, r, r, rows, columns}, *close[] = {lead, channels, rows, r, columns, r};
  return !c->reason && torch_output(c, 0, rearranged(c, x, 6, shuffle ? apart : close, shuffle ? up : down, &to));
}

static MlirValue read_negated(ImportCall *c, const TorchTensor *view, MlirValue x) {
  (void)view;
  return torch_neg(c, x);
}
static bool write_negated(ImportCall *c, const TorchTensor *view, MlirValue value) {
  return torch_write(c, view->of, torch_neg(c, value));
}

TorchTensor *torch_view_negated(ImportCall *c, TorchTensor *t) {
  static const TorchForm form = {read_negated, write_negated, NULL};
  return torch_view_form(c, t, NULL, &form, NULL);
}

bool torch_op_neg_view(ImportCall *c) { return torch_output_view(c, 0, torch_view_negated(c, torch_storage(c, "self"))); }

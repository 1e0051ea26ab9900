/* ops_arrange.c - stacks, splits and orders of axes by NumPy's names. torch.compile takes them apart; archives hold them as they were written. */
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

/* ---- at least so many axes ---- */
/* The sizes of a tensor as one of at least `rank` axes: [n] is [1, n] and [1, n, 1], [m, n] is [m, n, 1]. */
static ImportShape with_axes(ImportCall *c, ImportShape s, int rank) {
  const TccExpr *one = import_size(c, 1);
  for (; s.rank < rank; s.rank++) {
    const bool front = s.rank == 0 || (s.rank == 1 && rank > 1);
    for (int i = s.rank; front && i > 0; i--) s.dims[i] = s.dims[i - 1];
    s.dims[front ? 0 : s.rank] = one;
  }
  return s;
}

/* kind: the number of axes. Of a tensor, or each of a list. */
bool torch_op_atleast(ImportCall *c) {
  TorchTensor *single = torch_argument(c, "tensors") ? NULL : torch_storage(c, "self");
  const MlirValue *given;
  size_t count;
  if (single) {
    ImportShape to = with_axes(c, import_shape(c, torch_read(c, single)), c->kind);
    return torch_output_view(c, 0, torch_view_reshape(c, single, to.rank, to.dims));
  }
  if (c->reason || !torch_tensors(c, "tensors", &given, &count)) return false;
  for (size_t i = 0; i < count && i < torch_call(c)->noutputs; i++) {
    ImportShape to = with_axes(c, import_shape(c, given[i]), c->kind);
    if (!torch_output(c, i, tcc_build_reshape(&c->b, given[i], to.rank, to.dims))) return false;
  }
  return true;
}

/* Rows, columns, or what lies behind each other; kind STACK_COLUMNS: vectors are columns. */
bool torch_op_stack_along(ImportCall *c) {
  static const int axes[] = {[STACK_ACROSS] = 1, [STACK_ROWS] = 1, [STACK_DEEP] = 3, [STACK_COLUMNS] = 1};
  const MlirValue *given;
  size_t count;
  TccElem elem = torch_result(c, 0);
  if (!elem || !torch_tensors(c, "tensors", &given, &count)) return false;
  if (!count) return import_invalid(c, "no tensors");
  MlirValue *values = TCC_NEW_ARRAY(import_arena(c), MlirValue, count);
  int64_t axis = c->kind == STACK_ROWS ? 0 : c->kind == STACK_DEEP ? 2 : 1;
  for (size_t i = 0; i < count; i++) {
    ImportShape to = with_axes(c, import_shape(c, given[i]), c->kind == STACK_ROWS ? 2 : axes[c->kind]);
    if (c->kind == STACK_COLUMNS && to.rank == 1) to.dims[to.rank++] = import_size(c, 1);
    if (c->kind == STACK_ACROSS && to.rank == 1) axis = 0;
    values[i] = tcc_build_reshape(&c->b, torch_convert(c, given[i], elem), to.rank, to.dims);
  }
  return torch_output(c, 0, count == 1 ? values[0] : tcc_build_concat(&c->b, values, count, axis));
}

/* ---- parts ---- */
/* Parts one behind the other, as large as the graph says. kind SPLIT_NAMED: along `dim`; else along this axis, of vectors SPLIT_ACROSS along 0. */
bool torch_op_split_along(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  ImportShape shape = import_shape(c, torch_read(c, self));
  int64_t axis = c->kind == SPLIT_ACROSS && shape.rank == 1 ? 0 : c->kind;
  const TccExpr *start = import_size(c, 0);
  if (!self || (c->kind == SPLIT_NAMED && !torch_axis(c, "dim", shape.rank, &axis))) return false;
  if (axis >= shape.rank) return import_invalid(c, "a tensor of rank %d", shape.rank);
  for (size_t i = 0; i < torch_call(c)->noutputs; i++) {
    ImportShape part = torch_declared(c, i);
    if (part.rank != shape.rank) return import_invalid(c, "the graph does not say how large part %zu is", i);
    if (!torch_output_view(c, i, torch_view_slice(c, self, axis, start, 1, part.dims[axis]))) return false;
    start = import_size_add(c, start, part.dims[axis]);
  }
  return import_require_equal(c, start, shape.dims[axis], "the parts and the whole");
}

/* ---- orders of axes ---- */
/* Axes `source` go to the places `destination`; the others keep their order. */
bool torch_op_movedims(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  const int rank = import_shape(c, torch_read(c, self)).rank;
  const int64_t *from, *to;
  size_t count, places;
  int64_t perm[TCC_MAX_RANK];
  bool taken[TCC_MAX_RANK] = {false}, filled[TCC_MAX_RANK] = {false};
  if (!self || !torch_ints(c, "source", &from, &count) || !torch_ints(c, "destination", &to, &places)) return false;
  if (count != places) return import_invalid(c, "%zu axes for %zu places", count, places);
  for (size_t i = 0; i < count; i++) {
    int64_t a, b;
    if (!import_axis(c, from[i], rank, &a) || !import_axis(c, to[i], rank, &b)) return false;
    if (taken[a] || filled[b]) return import_invalid(c, "an axis is there twice");
    perm[b] = a, taken[a] = filled[b] = true;
  }
  for (int i = 0, next = 0; i < rank; i++) {
    while (next < rank && taken[next]) next++;
    if (!filled[i]) perm[i] = next++;
  }
  return torch_output_view(c, 0, torch_view_transpose(c, self, perm));
}

/* kind: an axis that is turned round. A copy, as flip. */
bool torch_op_flip_axis(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape s = import_shape(c, x);
  if (!x.ptr) return false;
  if (c->kind >= s.rank) return import_invalid(c, "a tensor of rank %d", s.rank);
  const TccExpr *size = s.dims[c->kind];
  if (import_is_size(size, 0)) return torch_output(c, 0, x);
  return torch_output(c, 0, tcc_build_slice_axis(&c->b, x, c->kind, import_size_sub(c, size, import_size(c, 1)), -1, size));
}

/* Half of each axis changes places with the other half; kind 1: back again. */
bool torch_op_shift_halves(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape s = import_shape(c, x);
  int64_t axes[TCC_MAX_RANK];
  size_t count = (size_t)s.rank;
  if (!x.ptr || !torch_axes(c, "dim", s.rank, axes, &count)) return false;
  for (size_t i = 0; i < count; i++) {
    const TccExpr *size = s.dims[axes[i]], *two = import_size(c, 2);
    if (import_is_size(size, 0)) continue;
    const TccExpr *cut = tcc_expr_call(c->ir->exprs, c->kind ? TCC_EXPR_FLOORDIV : TCC_EXPR_CEILDIV, size, two);
    MlirValue parts[] = {tcc_build_slice_axis(&c->b, x, axes[i], cut, 1, import_size_sub(c, size, cut)),
                         tcc_build_slice_axis(&c->b, x, axes[i], import_size(c, 0), 1, cut)};
    x = parts[0].ptr && parts[1].ptr ? tcc_build_concat(&c->b, parts, 2, axes[i]) : parts[0];
  }
  return torch_output(c, 0, x);
}

/* ---- repeated and joined ---- */
/* As repeat, with ones in front where there are fewer numbers than axes. */
bool torch_op_tile(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape s = import_shape(c, x);
  const TccExpr *const *times, *one = import_size(c, 1), *single[TCC_MAX_RANK], *wide[TCC_MAX_RANK], *dims[TCC_MAX_RANK];
  size_t count;
  if (!x.ptr || !torch_sizes(c, "dims", &times, &count)) return false;
  const int rank = (int)count > s.rank ? (int)count : s.rank;
  if (count > TCC_MAX_RANK / 2 || rank > TCC_MAX_RANK / 2) return import_unsupported(c, "a result of rank %d", rank);
  for (int i = 0; i < rank; i++) {
    const int own = i - (rank - s.rank), named = i - (rank - (int)count);
    const TccExpr *size = own >= 0 ? s.dims[own] : one, *often = named >= 0 ? times[named] : one;
    single[2 * i] = one, wide[2 * i] = often, single[2 * i + 1] = wide[2 * i + 1] = size;
    dims[i] = import_size_mul(c, often, size);
  }
  x = tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, x, 2 * rank, single), 2 * rank, wide);
  return torch_output(c, 0, tcc_build_reshape(&c->b, x, rank, dims));
}

/* Vectors [n_i], each along an axis of its own; by "xy" the first two change places. */
bool torch_op_meshgrid(ImportCall *c) {
  TorchTensor *const *given;
  size_t count;
  TccStr order = torch_has_parameter(c, "indexing") ? torch_string(c, "indexing") : tcc_str("ij");
  if (c->reason || !torch_storages(c, "tensors", &given, &count)) return false;
  if (count > TCC_MAX_RANK) return import_unsupported(c, "%zu tensors", count);
  const TccExpr *one = import_size(c, 1), *dims[TCC_MAX_RANK], *line[TCC_MAX_RANK];
  const bool swaps = tcc_str_is(order, "xy") && count > 1;
  for (size_t i = 0; i < count; i++) {
    ImportShape s = import_shape(c, torch_read(c, given[i]));
    dims[swaps && i < 2 ? 1 - i : i] = s.rank ? s.dims[0] : one;
  }
  for (size_t i = 0; i < count; i++) {
    const size_t axis = swaps && i < 2 ? 1 - i : i;
    for (size_t k = 0; k < count; k++) line[k] = k == axis ? dims[k] : one;
    TorchTensor *x = torch_view_reshape(c, given[i], (int)count, line);
    if (!torch_output_view(c, i, torch_view_broadcast(c, x, (int)count, dims))) return false;
  }
  return true;
}

/* columns - rows == offset, [rows, columns]. */
static MlirValue on_diagonal(ImportCall *c, const ImportShape *s, int64_t offset) {
  MlirValue rows = tcc_build_iota(&c->b, TCC_ELEM_I64, 0, 2, s->dims), columns = tcc_build_iota(&c->b, TCC_ELEM_I64, 1, 2, s->dims);
  return torch_is(c, "eq", torch_sub(c, columns, rows), (double)offset);
}

/* The matrix with a vector as its diagonal. */
static MlirValue embedded(ImportCall *c, MlirValue x, int64_t offset, const ImportShape *to) {
  MlirValue none = torch_constant(c, to->elem, 0);
  const TccExpr *n = import_shape(c, x).dims[0];
  if (import_is_size(n, 0)) return torch_filled(c, none, 2, to->dims);
  MlirValue place = tcc_build_iota(&c->b, TCC_ELEM_I64, offset < 0 ? 1 : 0, 2, to->dims);
  place = tcc_build2(&c->b, TCC_OP_MIN, place, tcc_build_size(&c->b, import_size_sub(c, n, import_size(c, 1))));
  return torch_if(c, on_diagonal(c, to, offset), tcc_build_gather(&c->b, x, place, 0), none);
}

/* Rows of one element of each vector, in all ways; the last vector's turn comes first. */
bool torch_op_cartesian_product(ImportCall *c) {
  const MlirValue *given;
  TorchTensor *const *vectors;
  size_t count;
  if (!torch_tensors(c, "tensors", &given, &count)) return false;
  if (!count || count > TCC_MAX_RANK) return import_unsupported(c, "%zu tensors", count);
  if (count == 1) return torch_storages(c, "tensors", &vectors, &count) && torch_output_view(c, 0, torch_view_alias(c, vectors[0]));
  const TccExpr *one = import_size(c, 1), *dims[TCC_MAX_RANK], *line[TCC_MAX_RANK];
  MlirValue columns[TCC_MAX_RANK];
  for (size_t i = 0; i < count; i++) dims[i] = import_shape(c, given[i]).rank == 1 ? import_shape(c, given[i]).dims[0] : one;
  const TccExpr *flat[] = {import_product(c, dims, (int)count), one};
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < count; k++) line[k] = k == i ? dims[k] : one;
    MlirValue x = torch_filled(c, tcc_build_reshape(&c->b, given[i], (int)count, line), (int)count, dims);
    columns[i] = tcc_build_reshape(&c->b, x, 2, flat);
    if (!columns[i].ptr) return false;
  }
  return torch_output(c, 0, tcc_build_concat(&c->b, columns, count, 1));
}

static MlirValue running(ImportCall *c, const char *kind, MlirValue x, int64_t axis) {
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str(kind))}, {"axis", tcc_attr_i64(c->ir, axis)}};
  return x.ptr ? import_op(c, TCC_OP_CUMULATIVE, &x, 1, attrs, 2) : x;
}

/* Elements of a vector, `r` at a time, in the order of the places that they are taken from. */
bool torch_op_combinations(ImportCall *c) {
  enum { MOST = 1 << 20 };
  MlirValue x = torch_tensor(c, "self");
  const int64_t r = torch_int(c, "r");
  const bool again = torch_bool(c, "with_replacement");
  int64_t n, dims[2] = {0, r}, at[TCC_MAX_RANK];
  if (!x.ptr || c->reason || !torch_fixed(c, import_shape(c, x).dims[0], &n)) return false;
  if (r < 1 || r > TCC_MAX_RANK) return import_unsupported(c, "%lld at a time", (long long)r);
  for (int pass = 0; pass < 2; pass++) { /* their number, then their places */
    int64_t *places = pass ? TCC_NEW_ARRAY(import_arena(c), int64_t, dims[0] * r + 1) : NULL, count = 0, k;
    for (k = 0; k < r; k++) at[k] = again ? 0 : k;
    for (bool more = again ? n > 0 : n >= r; more; count++) {
      if (count == MOST) return import_unsupported(c, "more than %d combinations", MOST);
      for (k = 0; pass && k < r; k++) places[count * r + k] = at[k];
      for (k = r - 1; k >= 0 && at[k] == (again ? n - 1 : n - r + k);) k--;
      more = k >= 0;
      if (more) at[k]++;
      for (int64_t i = k + 1; more && i < r; i++) at[i] = again ? at[k] : at[i - 1] + 1;
    }
    dims[0] = count;
    if (pass) return torch_output(c, 0, tcc_build_gather(&c->b, x, tcc_build_constant(&c->b, TCC_ELEM_I64, 2, dims, places), 0));
  }
  return false;
}

/* Powers 0, 1, ... of elements along a new last axis. kind 1: from the highest on, unless they shall increase. */
bool torch_op_vander(ImportCall *c) {
  const TccElem elem = torch_result(c, 0);
  const ImportShape to = torch_declared(c, 0);
  MlirValue x = torch_tensor_as(c, "x", elem);
  if (!elem || !x.ptr || to.rank < 2) return false;
  const int64_t axis = to.rank - 1;
  const TccExpr *one = import_size(c, 1), *n = to.dims[axis];
  const bool down = c->kind && !torch_bool(c, "increasing");
  if (import_is_size(n, 0)) return import_unsupported(c, "no powers");
  ImportShape first = to, rest = to;
  first.dims[axis] = one, rest.dims[axis] = import_size_sub(c, n, one);
  MlirValue parts[] = {torch_filled(c, torch_constant(c, elem, 1), first.rank, first.dims),
                       torch_filled(c, import_unsqueeze(c, x, axis), rest.rank, rest.dims)};
  if (import_is_size(n, 1) || !parts[1].ptr) return parts[1].ptr && torch_output(c, 0, parts[0]);
  MlirValue y = running(c, "prod", tcc_build_concat(&c->b, parts, 2, axis), axis);
  return torch_output(c, 0, down ? tcc_build_slice_axis(&c->b, y, axis, rest.dims[axis], -1, n) : y);
}

/* Sequences one behind the other, all as long as the longest. */
bool torch_op_pad_sequence(ImportCall *c) {
  const MlirValue *given;
  size_t count;
  const ImportShape to = torch_declared(c, 0);
  const bool left = tcc_str_is(torch_string(c, "padding_side"), "left"), first = torch_bool(c, "batch_first");
  if (c->reason || !torch_tensors(c, "sequences", &given, &count)) return false;
  if (!count || to.rank < 2) return import_invalid(c, "the graph does not say how large it is");
  MlirValue *rows = TCC_NEW_ARRAY(import_arena(c), MlirValue, count), value = torch_scalar(c, "padding_value", to.elem);
  for (size_t i = 0; i < count; i++) {
    const ImportShape s = import_shape(c, given[i]);
    const TccExpr *none[TCC_MAX_RANK], *more[TCC_MAX_RANK];
    if (!given[i].ptr || s.rank < 1) return given[i].ptr && import_invalid(c, "a sequence without axes");
    for (int k = 0; k < s.rank; k++) none[k] = more[k] = import_size(c, 0);
    more[0] = import_size_sub(c, to.dims[first ? 1 : 0], s.dims[0]);
    MlirValue x =
        tcc_build_pad(&c->b, torch_convert(c, given[i], to.elem), value, left ? more : none, left ? none : more, "constant");
    rows[i] = import_unsqueeze(c, x, first ? 0 : 1);
    if (!rows[i].ptr) return false;
  }
  return torch_output(c, 0, count == 1 ? rows[0] : tcc_build_concat(&c->b, rows, count, first ? 0 : 1));
}

/* A vector as a diagonal; a matrix's own, as a copy. kind DIAG_FLAT: of all elements row after row. */
bool torch_op_diag(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape s = import_shape(c, x), to = torch_declared(c, 0);
  const int64_t offset = torch_int(c, c->kind == DIAG_FLAT ? "offset" : "diagonal");
  if (!x.ptr || c->reason || !to.elem) return false;
  const TccExpr *count = import_product(c, s.dims, s.rank);
  int64_t width;
  if (to.rank != (c->kind == DIAG_FLAT || s.rank == 1 ? 2 : 1)) return import_invalid(c, "a result of rank %d", to.rank);
  if (c->kind == DIAG_FLAT || s.rank == 1)
    return torch_output(c, 0, embedded(c, tcc_build_reshape(&c->b, x, 1, &count), offset, &to));
  if (s.rank != 2) return import_invalid(c, "a tensor of rank %d", s.rank);
  if (!torch_fixed(c, s.dims[1], &width)) return false;
  MlirValue index = torch_times(c, import_iota(c, TCC_ELEM_I64, to.dims[0]), (double)width + 1);
  index = torch_plus(c, index, (double)(offset < 0 ? -offset * width : offset));
  return torch_output(c, 0, tcc_build_gather(&c->b, tcc_build_reshape(&c->b, x, 1, &count), index, 0));
}

/* Axes in front of those of `size`, and those of size 1 there, are summed. */
bool torch_op_sum_to_size(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape s = import_shape(c, x);
  const TccExpr *const *size;
  size_t count, naxes = 0;
  int64_t axes[TCC_MAX_RANK];
  if (!x.ptr || !torch_sizes(c, "size", &size, &count)) return false;
  if ((int)count > s.rank) return import_invalid(c, "size has %zu entries for rank %d", count, s.rank);
  for (int i = 0; i < s.rank; i++) {
    const int at = i - (s.rank - (int)count);
    if (at < 0 || (import_is_size(size[at], 1) && !import_is_size(s.dims[i], 1))) axes[naxes++] = i;
  }
  if (naxes) x = torch_sum(c, x, axes, naxes, true);
  return torch_output(c, 0, tcc_build_reshape(&c->b, x, (int)count, size));
}

/* In the type of another tensor. */
bool torch_op_to_other(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  return elem && torch_output(c, 0, torch_convert(c, torch_tensor(c, "self"), elem));
}

/* ---- where something is ---- */
/* The places of what is not 0, an output for each axis. */
bool torch_op_where_places(ImportCall *c) {
  MlirValue x = torch_tensor(c, torch_has_parameter(c, "condition") ? "condition" : "self");
  ImportShape s = import_shape(c, x);
  if (!x.ptr) return false;
  const TccExpr *one = import_size(c, 1);
  if (!s.rank) x = tcc_build_reshape(&c->b, x, s.rank = 1, &one);
  MlirValue places = import_nonzero(c, x); /* [rank, n] */
  if (!places.ptr) return false;
  const TccExpr *count = import_shape(c, places).dims[1];
  for (int i = 0; i < s.rank; i++) {
    MlirValue line = tcc_build_slice_axis(&c->b, places, 0, import_size(c, i), 1, one);
    if (!torch_output(c, (size_t)i, tcc_build_reshape(&c->b, line, 1, &count))) return false;
  }
  return true;
}

/* [..., classes]: 1 where the class is. */
bool torch_op_one_hot(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape s = import_shape(c, x);
  int64_t classes = torch_int(c, "num_classes");
  if (!x.ptr || c->reason) return false;
  if (classes < 0) return import_unsupported(c, "a number of classes that data decide");
  if (s.rank == TCC_MAX_RANK) return import_unsupported(c, "an input of rank %d", s.rank);
  MlirValue outside = torch_either(c, torch_is(c, "lt", x, 0), torch_is(c, "ge", x, (double)classes));
  MlirValue holds = tcc_build1(&c->b, TCC_OP_NOT, torch_any(c, outside));
  x = import_assert(c, x, holds, tcc_str("one_hot: a class is negative, or not below num_classes"));
  MlirValue index = import_iota(c, s.elem, import_size(c, classes));
  return torch_output(c, 0, torch_convert(c, tcc_build_compare(&c->b, "eq", import_unsqueeze(c, x, s.rank), index), TCC_ELEM_I64));
}

/* ---- others ---- */
bool torch_op_is_real(ImportCall *c) {
  ImportShape to = torch_declared(c, 0);
  return to.elem && torch_output(c, 0, torch_filled(c, torch_constant(c, TCC_ELEM_BOOL, 1), to.rank, to.dims));
}

bool torch_op_float_power(ImportCall *c) {
  MlirValue x = torch_operand(c, "self", TCC_ELEM_F64), n = torch_operand(c, "exponent", TCC_ELEM_F64);
  return torch_output(c, 0, tcc_build2(&c->b, TCC_OP_POW, x, n));
}

/* Dropouts that nobody has formulas of, where they drop nothing. */
bool torch_op_dropout_off(ImportCall *c) {
  const bool off = !torch_bool(c, "train") || torch_float(c, "p") == 0;
  if (c->reason) return false;
  return off ? torch_output_view(c, 0, torch_view_alias(c, torch_storage(c, torch_dropout_input(c))))
             : import_unsupported(c, "in training");
}

/* Half the sum of neighbours along an axis, each pair times its distance. kind 1: the sum up to each pair, added in f64. */
bool torch_op_trapezoid(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  MlirValue y = torch_tensor_as(c, "y", elem), d = {NULL};
  ImportShape s = import_shape(c, y);
  int64_t axis;
  if (!elem || !y.ptr || !torch_axis(c, "dim", s.rank, &axis)) return false;
  if (!s.rank) return import_invalid(c, "a tensor without axes");
  const TccExpr *one = import_size(c, 1), *zero = import_size(c, 0), *pairs = import_size_sub(c, s.dims[axis], one);
  if (torch_has_parameter(c, "x")) {
    MlirValue x = torch_tensor_as(c, "x", elem);
    ImportShape places = import_shape(c, x);
    const int64_t own = places.rank == 1 ? 0 : axis;
    if (places.rank != 1 && places.rank != s.rank) return import_unsupported(c, "places of rank %d", places.rank);
    d = torch_sub(c, tcc_build_slice_axis(&c->b, x, own, one, 1, pairs), tcc_build_slice_axis(&c->b, x, own, zero, 1, pairs));
    if (places.rank == 1) {
      const TccExpr *line[TCC_MAX_RANK];
      for (int i = 0; i < s.rank; i++) line[i] = i == axis ? pairs : one;
      d = tcc_build_reshape(&c->b, d, s.rank, line);
    }
  } else {
    d = torch_scalar(c, "dx", elem);
  }
  MlirValue sums =
      torch_add(c, tcc_build_slice_axis(&c->b, y, axis, one, 1, pairs), tcc_build_slice_axis(&c->b, y, axis, zero, 1, pairs));
  MlirValue areas = torch_mul(c, sums, d);
  if (!c->kind) return torch_output(c, 0, torch_times(c, torch_sum(c, areas, &axis, 1, false), 0.5));
  return torch_answer(c, torch_times(c, running(c, "sum", torch_convert(c, areas, TCC_ELEM_F64), axis), 0.5));
}

/* ops_index.c - overloads that read or write elements by indices that are data.
 *
 * index and index_put take a tensor of indices for some axes. These axes become the first, and the tensors one tensor of tuples: then it is
 * gather_nd or scatter_nd. A mask stands for the coordinates of its true elements. The axes of the result that the indices make stand
 * where the indexed axes were if these were neighbours, else in front. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

static MlirValue with_indices(ImportCall *c, TccOpKind kind, const MlirValue *operands, size_t n, const TccNamedAttr *given,
                              size_t ngiven, int axis, int depth, TccValid valid) {
  TccNamedAttr attrs[4];
  size_t nattrs = ngiven;
  for (size_t i = 0; i < ngiven; i++) attrs[i] = given[i];
  for (size_t i = 0; i < n; i++)
    if (!operands[i].ptr) return operands[i];
  if (!import_valid(c, valid, operands[0], operands[1], axis, depth, attrs, &nattrs)) return (MlirValue){NULL};
  return import_op(c, kind, operands, n, attrs, nattrs);
}

static MlirValue scatter_elements(ImportCall *c, MlirValue x, MlirValue index, MlirValue updates, int64_t axis,
                                  const char *reduction) {
  MlirValue operands[] = {x, index, updates};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, axis)}, {"reduction", tcc_attr_str(c->ir, tcc_str(reduction))}};
  return with_indices(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2, (int)axis, 1, TCC_VALID_UNSIGNED);
}

/* x of rank 0 as [1]. */
static MlirValue at_least_one_axis(ImportCall *c, MlirValue x) {
  return x.ptr && import_shape(c, x).rank == 0 ? import_unsqueeze(c, x, 0) : x;
}
static MlirValue as_shape(ImportCall *c, MlirValue x, const ImportShape *shape) {
  return shape->rank == import_shape(c, x).rank ? x : tcc_build_reshape(&c->b, x, shape->rank, shape->dims);
}

bool torch_op_index_select(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), index = import_index(c, torch_tensor(c, "index"));
  ImportShape shape = import_shape(c, x);
  int64_t axis;
  if (!x.ptr || !index.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  MlirValue y = import_gather_valid(c, at_least_one_axis(c, x), at_least_one_axis(c, index), axis, TCC_VALID_UNSIGNED);
  return torch_output(c, 0, shape.rank ? y : tcc_build_reshape(&c->b, y, 0, NULL));
}

/* x cut to the sizes of `like` in all axes but `axis`: torch's gather and scatter read that part alone. */
static MlirValue cut(ImportCall *c, MlirValue x, const ImportShape *like, int64_t axis) {
  ImportShape shape = import_shape(c, x);
  for (int i = 0; i < shape.rank; i++)
    if (i != axis && shape.dims[i] != like->dims[i]) x = tcc_build_slice_axis(&c->b, x, i, import_size(c, 0), 1, like->dims[i]);
  return x;
}

bool torch_op_gather(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), index = import_index(c, torch_tensor(c, "index"));
  ImportShape shape = import_shape(c, index);
  int64_t axis;
  if (!x.ptr || !index.ptr || !torch_axis(c, "dim", import_shape(c, x).rank, &axis)) return false;
  x = at_least_one_axis(c, x), index = at_least_one_axis(c, index);
  ImportShape is = import_shape(c, index);
  if (is.rank != import_shape(c, x).rank) /* torch lets an empty index have any rank */
    return torch_output(c, 0, torch_filled(c, torch_constant(c, tcc_value_elem(x), 0), is.rank, is.dims));
  MlirValue operands[] = {cut(c, x, &is, axis), index};
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, axis)};
  MlirValue y = with_indices(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &attr, 1, (int)axis, 1, TCC_VALID_UNSIGNED);
  return torch_output(c, 0, as_shape(c, y, &shape));
}

/* The flat elements of self at `index`. */
bool torch_op_take(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), index = import_index(c, torch_tensor(c, "index"));
  ImportShape shape = import_shape(c, x);
  const TccExpr *count = import_product(c, shape.dims, shape.rank);
  if (!x.ptr || !index.ptr) return false;
  return torch_output(c, 0, import_gather_valid(c, tcc_build_reshape(&c->b, x, 1, &count), index, 0, TCC_VALID_SIGNED));
}

bool torch_op_take_along_dim(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), index = import_index(c, torch_tensor(c, "indices"));
  ImportShape xs = import_shape(c, x), is = import_shape(c, index), to;
  int64_t axis = 0;
  if (!x.ptr || !index.ptr) return false;
  if (!torch_given(c, "dim")) {
    const TccExpr *n = import_product(c, xs.dims, xs.rank), *m = import_product(c, is.dims, is.rank);
    x = tcc_build_reshape(&c->b, x, 1, &n), index = tcc_build_reshape(&c->b, index, 1, &m);
  } else {
    if (xs.rank != is.rank) return import_invalid(c, "ranks %d and %d", xs.rank, is.rank);
    if (!torch_axis(c, "dim", xs.rank, &axis)) return false;
    ImportShape xr = xs, ir = is;
    xr.dims[axis] = ir.dims[axis] = import_size(c, 1);
    if (!import_broadcast_shape(c, &xr, &ir, &to)) return false;
    xr = to, ir = to;
    xr.dims[axis] = xs.dims[axis], ir.dims[axis] = is.dims[axis];
    x = tcc_build_broadcast(&c->b, x, xr.rank, xr.dims), index = tcc_build_broadcast(&c->b, index, ir.rank, ir.dims);
  }
  MlirValue operands[] = {x, index};
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, axis)};
  return torch_output(c, 0, with_indices(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &attr, 1, (int)axis, 1, TCC_VALID_SIGNED));
}

/* scatter.src, .value, .reduce, .value_reduce, scatter_add. kind: 1 to add. */
bool torch_op_scatter(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), index = import_index(c, torch_tensor(c, "index"));
  ImportShape shape = import_shape(c, x);
  int64_t axis;
  if (!x.ptr || !index.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  x = at_least_one_axis(c, x), index = at_least_one_axis(c, index);
  ImportShape is = import_shape(c, index);
  if (import_is_size(import_product(c, is.dims, is.rank), 0)) return torch_output(c, 0, torch_tensor(c, "self")); /* of any rank */
  const char *reduction = c->kind ? "add" : "none";
  if (torch_has_parameter(c, "reduce")) {
    TccStr word = torch_string(c, "reduce");
    if (!tcc_str_is(word, "add") && !tcc_str_is(word, "multiply")) return import_invalid(c, "reduce is '%.*s'", TCC_STR_ARG(word));
    reduction = tcc_str_is(word, "add") ? "add" : "mul";
  }
  MlirValue updates;
  if (torch_has_parameter(c, "src")) updates = cut(c, at_least_one_axis(c, torch_tensor_as(c, "src", shape.elem)), &is, -1);
  else updates = tcc_build_broadcast(&c->b, torch_scalar(c, "value", shape.elem), is.rank, is.dims);
  return torch_output(c, 0, as_shape(c, scatter_elements(c, x, index, updates, axis, reduction), &shape));
}

/* Where something was written: bool, of x's shape. */
static MlirValue written(ImportCall *c, MlirValue x, MlirValue index, int64_t axis) {
  ImportShape xs = import_shape(c, x), is = import_shape(c, index);
  return scatter_elements(c, tcc_build_broadcast(&c->b, torch_constant(c, TCC_ELEM_BOOL, 0), xs.rank, xs.dims), index,
                          tcc_build_broadcast(&c->b, torch_constant(c, TCC_ELEM_BOOL, 1), is.rank, is.dims), axis, "none");
}

/* The value that a reduction begins with. */
static MlirValue neutral(ImportCall *c, TccElem elem, const char *reduction) {
  bool most = !strcmp(reduction, "min");
  if (!strcmp(reduction, "add")) return torch_constant(c, elem, 0);
  if (!strcmp(reduction, "mul")) return torch_constant(c, elem, 1);
  if (tcc_elem_is_float(elem)) return torch_constant(c, elem, most ? __builtin_inf() : -__builtin_inf());
  unsigned bits = tcc_elem_bits(elem);
  if (tcc_elem_is_unsigned(elem)) return tcc_build_scalar_i64(&c->b, elem, most ? (int64_t)(~0ull >> (64 - bits)) : 0);
  return tcc_build_scalar_i64(&c->b, elem, most ? INT64_MAX >> (64 - bits) : INT64_MIN >> (64 - bits));
}

static MlirValue along(ImportCall *c, MlirValue index, const ImportShape *like, int64_t axis);

/* scatter_reduce.two: index and src of one shape; index_reduce (kind 1): index [n] of slices. Without include_self what is written to begins
 * with the reduction's neutral value. */
bool torch_op_scatter_reduce(ImportCall *c) {
  static const struct {
    const char *torch, *tcc;
  } names[] = {{"sum", "add"}, {"prod", "mul"}, {"mean", "add"}, {"amax", "max"}, {"amin", "min"}};
  MlirValue x = torch_tensor(c, "self"), index = import_index(c, torch_tensor(c, "index"));
  ImportShape shape = import_shape(c, x);
  int64_t axis;
  TccStr word = torch_string(c, "reduce");
  const char *reduction = NULL;
  for (size_t i = 0; i < 5; i++)
    if (tcc_str_is(word, names[i].torch)) reduction = names[i].tcc;
  if (!reduction) return import_invalid(c, "reduce is '%.*s'", TCC_STR_ARG(word));
  if (!x.ptr || !index.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  bool include = torch_bool(c, "include_self"), mean = tcc_str_is(word, "mean");
  MlirValue given = at_least_one_axis(c, torch_tensor_as(c, c->kind ? "source" : "src", shape.elem));
  x = at_least_one_axis(c, x), index = at_least_one_axis(c, index);
  if (c->kind) {
    ImportShape like = import_shape(c, given);
    index = given.ptr ? along(c, index, &like, axis) : given;
  }
  ImportShape is = import_shape(c, index), xs = import_shape(c, x);
  TccElem wide = shape.elem == TCC_ELEM_BOOL ? TCC_ELEM_U8 : torch_wide(shape.elem);
  MlirValue source = torch_convert(c, cut(c, given, &is, -1), wide), to = torch_convert(c, x, wide);
  MlirValue touched = include ? (MlirValue){NULL} : written(c, x, index, axis);
  if (!include) to = torch_if(c, touched, neutral(c, wide, reduction), to);
  if (!include) to = tcc_build_broadcast(&c->b, to, xs.rank, xs.dims);
  MlirValue y = scatter_elements(c, to, index, source, axis, reduction);
  if (mean) {
    MlirValue ones = tcc_build_broadcast(&c->b, torch_constant(c, wide, 1), is.rank, is.dims),
              base = tcc_build_broadcast(&c->b, torch_constant(c, wide, include), xs.rank, xs.dims);
    MlirValue count = scatter_elements(c, base, index, ones, axis, "add");
    count = tcc_build2(&c->b, TCC_OP_MAX, count, torch_constant(c, wide, 1));
    if (tcc_elem_is_float(wide)) y = torch_div(c, y, count);
    else y = torch_div(c, torch_sub(c, y, tcc_build2(&c->b, TCC_OP_MOD, y, count)), count); /* rounded down */
  }
  return torch_output(c, 0, as_shape(c, torch_convert(c, y, shape.elem), &shape));
}

/* ---- slices of one axis: index_add, index_copy, index_fill ---- */
/* index [n] as [1, n, 1, ...], repeated to `like`. */
static MlirValue along(ImportCall *c, MlirValue index, const ImportShape *like, int64_t axis) {
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < like->rank; i++) dims[i] = i == axis ? like->dims[i] : import_size(c, 1);
  return tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, index, like->rank, dims), like->rank, like->dims);
}

bool torch_op_index_write(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), index = import_index(c, torch_tensor(c, "index")), updates;
  ImportShape shape = import_shape(c, x);
  int64_t axis;
  if (!x.ptr || !index.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  x = at_least_one_axis(c, x), index = at_least_one_axis(c, index);
  ImportShape to = import_shape(c, x);
  TccElem wide = c->kind != INDEX_ADD ? shape.elem : shape.elem == TCC_ELEM_BOOL ? TCC_ELEM_U8 : torch_wide(shape.elem);
  to.dims[axis] = import_shape(c, index).dims[0];
  if (c->kind == INDEX_FILL) {
    MlirValue value = torch_operand(c, "value", shape.elem);
    if (value.ptr && import_shape(c, value).rank) value = tcc_build_reshape(&c->b, value, 0, NULL);
    updates = tcc_build_broadcast(&c->b, value, to.rank, to.dims);
  } else {
    updates = tcc_build_reshape(&c->b, torch_tensor_as(c, "source", wide), to.rank, to.dims);
  }
  if (c->kind == INDEX_ADD) {
    TorchNumber alpha = torch_number(c, "alpha");
    if (alpha.kind == TORCH_REAL || !alpha.size || !import_is_size(alpha.size, 1))
      updates = torch_build2(c, TCC_OP_MUL, updates, torch_scalar(c, "alpha", wide));
  }
  MlirValue y = scatter_elements(c, torch_convert(c, x, wide), along(c, index, &to, axis), updates, axis,
                                 c->kind == INDEX_ADD ? "add" : "none");
  return torch_output(c, 0, as_shape(c, torch_convert(c, y, shape.elem), &shape));
}

/* ---- tuples of indices ---- */
typedef struct {
  int indexed[TCC_MAX_RANK];  /* axes of self that have indices */
  size_t count;               /* of them */
  int64_t perm[TCC_MAX_RANK]; /* of self: the indexed axes first */
  bool neighbours;
  ImportShape index; /* what the indices broadcast to */
  MlirValue tuples;  /* [index, count] */
} Tuples;

static bool read_tuples(ImportCall *c, const ImportShape *x, Tuples *out) {
  const MlirValue *given;
  MlirValue values[TCC_MAX_RANK];
  size_t ngiven;
  int axis = 0;
  *out = (Tuples){.neighbours = true};
  if (!torch_tensors(c, "indices", &given, &ngiven)) return false;
  int last_place = -1;
  for (size_t i = 0; i < ngiven; i++) {
    if (!given[i].ptr) {
      axis++;
      continue;
    }
    ImportShape s = import_shape(c, given[i]);
    if (out->count && last_place + 1 != (int)i) out->neighbours = false;
    last_place = (int)i;
    bool mask = s.elem == TCC_ELEM_BOOL || s.elem == TCC_ELEM_U8;
    int used = mask ? s.rank : 1;
    if (mask && s.rank == 0) return import_unsupported(c, "a mask without axes");
    if (axis + used > x->rank) return import_invalid(c, "too many indices for rank %d", x->rank);
    if (!mask) {
      out->indexed[out->count] = axis;
      values[out->count++] = torch_convert(c, given[i], TCC_ELEM_I64);
    } else {
      for (int k = 0; k < used; k++)
        if (!import_require_equal(c, s.dims[k], x->dims[axis + k], "a mask")) return false;
      MlirValue where = import_nonzero(c, given[i]);
      for (int k = 0; k < used; k++) {
        out->indexed[out->count] = axis + k;
        values[out->count++] =
            tcc_build_squeeze(&c->b, tcc_build_slice_axis(&c->b, where, 0, import_size(c, k), 1, import_size(c, 1)), 0);
      }
    }
    axis += used;
  }
  if (!out->count) return import_unsupported(c, "no indices");
  if (!torch_broadcast_all(c, values, out->count, &out->index)) return false;
  if (torch_has_parameter(c, "mask")) { /* where it is false the indices may be anything */
    MlirValue mask = torch_tensor_as(c, "mask", TCC_ELEM_BOOL);
    for (size_t i = 0; i < out->count; i++) values[i] = torch_if_number(c, mask, values[i], 0);
    if (!torch_broadcast_all(c, values, out->count, &out->index)) return false;
  }
  for (size_t i = 0; i < out->count; i++) values[i] = import_unsqueeze(c, values[i], out->index.rank);
  out->tuples = tcc_build_concat(&c->b, values, out->count, out->index.rank);
  int n = 0;
  for (size_t i = 0; i < out->count; i++) out->perm[n++] = out->indexed[i];
  for (int i = 0; i < x->rank; i++) {
    bool taken = false;
    for (size_t k = 0; k < out->count; k++) taken |= out->indexed[k] == i;
    if (!taken) out->perm[n++] = i;
  }
  return out->tuples.ptr != NULL;
}

/* Of a result [index, rest] or of updates: where the axes of the index stand in the result. back: from there to the front. */
static MlirValue place(ImportCall *c, const Tuples *t, MlirValue y, bool back) {
  int64_t perm[TCC_MAX_RANK], inverse[TCC_MAX_RANK];
  int rank = import_shape(c, y).rank, before = t->neighbours ? t->indexed[0] : 0, n = 0;
  if (!before || !y.ptr) return y;
  for (int i = 0; i < before; i++) perm[n++] = t->index.rank + i;
  for (int i = 0; i < t->index.rank; i++) perm[n++] = i;
  while (n < rank) perm[n] = n, n++;
  for (int i = 0; i < rank; i++) inverse[perm[i]] = i;
  return tcc_build_transpose(&c->b, y, back ? inverse : perm);
}

/* y where `mask` is true, `fill` elsewhere. */
static MlirValue filled(ImportCall *c, MlirValue y) {
  return y.ptr ? torch_if(c, torch_tensor_as(c, "mask", TCC_ELEM_BOOL), y, torch_scalar(c, "fill", tcc_value_elem(y))) : y;
}

/* kind: INDEX_MASKED where a mask says which tuples count. */
bool torch_op_index(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), y;
  ImportShape shape = import_shape(c, x);
  Tuples t;
  if (!x.ptr || !read_tuples(c, &shape, &t)) return false;
  if (t.count == 1) {
    MlirValue index = tcc_build_squeeze(&c->b, t.tuples, t.index.rank);
    y = import_gather_valid(c, x, index, t.indexed[0], TCC_VALID_SIGNED);
    return torch_output(c, 0, c->kind == INDEX_MASKED ? filled(c, y) : y);
  }
  MlirValue operands[] = {tcc_build_transpose(&c->b, x, t.perm), t.tuples};
  TccNamedAttr attr = {"batch_dims", tcc_attr_i64(c->ir, 0)};
  y = place(c, &t, with_indices(c, TCC_OP_GATHER_ND, operands, 2, &attr, 1, 0, (int)t.count, TCC_VALID_SIGNED), false);
  return torch_output(c, 0, c->kind == INDEX_MASKED ? filled(c, y) : y);
}

bool torch_op_index_put(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x), result = {.elem = shape.elem};
  bool masked = c->kind == INDEX_MASKED, accumulate = masked || torch_bool(c, "accumulate");
  Tuples t;
  int64_t inverse[TCC_MAX_RANK];
  MlirValue values = torch_tensor_as(c, "values", shape.elem);
  if (masked) values = torch_if_number(c, torch_tensor_as(c, "mask", TCC_ELEM_BOOL), values, 0);
  if (!x.ptr || !values.ptr || !read_tuples(c, &shape, &t)) return false;
  int before = t.neighbours ? t.indexed[0] : 0, rest = shape.rank - (int)t.count; /* sizes as index would give them */
  if (t.index.rank + rest > TCC_MAX_RANK) return import_unsupported(c, "a result of rank %d", t.index.rank + rest);
  for (int i = 0; i < before; i++) result.dims[result.rank++] = shape.dims[t.perm[t.count + (size_t)i]];
  for (int i = 0; i < t.index.rank; i++) result.dims[result.rank++] = t.index.dims[i];
  for (int i = before; i < rest; i++) result.dims[result.rank++] = shape.dims[t.perm[t.count + (size_t)i]];
  ImportShape vs = import_shape(c, values);
  while (vs.rank > result.rank && import_is_size(vs.dims[0], 1)) {
    values = tcc_build_squeeze(&c->b, values, 0);
    vs = import_shape(c, values);
  }
  if (vs.rank > result.rank) return import_invalid(c, "values have rank %d, not %d", vs.rank, result.rank);
  values = place(c, &t, tcc_build_broadcast(&c->b, values, result.rank, result.dims), true);
  TccElem wide = accumulate ? torch_wide(shape.elem) : shape.elem;
  MlirValue operands[] = {torch_convert(c, tcc_build_transpose(&c->b, x, t.perm), wide), t.tuples, torch_convert(c, values, wide)};
  TccNamedAttr attr = {"reduction", tcc_attr_str(c->ir, tcc_str(accumulate ? "add" : "none"))};
  MlirValue y = with_indices(c, TCC_OP_SCATTER_ND, operands, 3, &attr, 1, 0, (int)t.count, TCC_VALID_SIGNED);
  for (int i = 0; i < shape.rank; i++) inverse[t.perm[i]] = i;
  return torch_output(c, 0, torch_convert(c, tcc_build_transpose(&c->b, y, inverse), shape.elem));
}

/* put: flat elements of self at `index` are written. */
bool torch_op_put(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), index = import_index(c, torch_tensor(c, "index"));
  ImportShape shape = import_shape(c, x), is = import_shape(c, index);
  if (!x.ptr || !index.ptr) return false;
  const TccExpr *count = import_product(c, shape.dims, shape.rank), *n = import_product(c, is.dims, is.rank);
  MlirValue operands[] = {tcc_build_reshape(&c->b, x, 1, &count), tcc_build_reshape(&c->b, index, 1, &n),
                          tcc_build_reshape(&c->b, torch_tensor_as(c, "source", shape.elem), 1, &n)};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 0)},
                          {"reduction", tcc_attr_str(c->ir, tcc_str(torch_bool(c, "accumulate") ? "add" : "none"))}};
  MlirValue y = with_indices(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2, 0, 1, TCC_VALID_SIGNED);
  return torch_output(c, 0, tcc_build_reshape(&c->b, y, shape.rank, shape.dims));
}

/* ---- parts of an axis that are written ---- */
/* self with what `start`, `step` and the size of src say of axis replaced. */
static MlirValue write_part(ImportCall *c, MlirValue x, MlirValue part, int64_t axis, const TccExpr *start, int64_t step) {
  ImportShape ps = import_shape(c, part), xs = import_shape(c, x);
  if (!x.ptr || !part.ptr) return (MlirValue){NULL};
  if (step == 1) {
    const TccExpr *end = import_size_add(c, start, ps.dims[axis]), *zero = import_size(c, 0);
    MlirValue parts[] = {tcc_build_slice_axis(&c->b, x, axis, zero, 1, start), part,
                         tcc_build_slice_axis(&c->b, x, axis, end, 1, import_size_sub(c, xs.dims[axis], end))};
    return tcc_build_concat(&c->b, parts, 3, axis);
  }
  MlirValue index =
      torch_add(c, torch_mul(c, import_iota(c, TCC_ELEM_I64, ps.dims[axis]), torch_constant(c, TCC_ELEM_I64, (double)step)),
                tcc_build_size(&c->b, start));
  return scatter_elements(c, x, along(c, index, &ps, axis), part, axis, "none");
}

/* A start or end of a slice in [0, size]. NULL where it is no size. */
static const TccExpr *slice_bound(ImportCall *c, const char *name, const TccExpr *size, bool is_end) {
  if (!torch_given(c, name)) return is_end ? size : import_size(c, 0);
  const TccExpr *at = torch_size(c, name);
  return at ? torch_slice_position(c, at, size) : NULL;
}

typedef struct {
  int64_t axis, step;
  const TccExpr *start, *size;
} Part;
static bool read_slice(ImportCall *c, const TccExpr *const *dims, int rank, Part *out) {
  if (!rank) return import_invalid(c, "a slice of a tensor without axes");
  if (!torch_axis(c, "dim", rank, &out->axis)) return false;
  out->step = torch_int(c, "step");
  if (out->step < 1) return import_invalid(c, "step is %lld", (long long)out->step);
  out->start = slice_bound(c, "start", dims[out->axis], false);
  const TccExpr *end = out->start ? slice_bound(c, "end", dims[out->axis], true) : NULL;
  if (!end) return false;
  const TccExpr *length = tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, import_size_sub(c, end, out->start), import_size(c, 0));
  out->size = tcc_expr_call(c->ir->exprs, TCC_EXPR_CEILDIV, length, import_size(c, out->step));
  return true;
}

bool torch_op_slice_scatter(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), src;
  ImportShape shape = import_shape(c, x);
  Part part;
  if (!x.ptr || !read_slice(c, shape.dims, shape.rank, &part)) return false;
  src = torch_tensor_as(c, "src", shape.elem);
  ImportShape to = shape, given = import_shape(c, src);
  to.dims[part.axis] = part.size;
  if (given.rank == to.rank && !import_is_size(given.dims[part.axis], 1)) {
    if (!import_require_equal(c, given.dims[part.axis], part.size, "the source of a slice and the slice")) return false;
    to.dims[part.axis] = given.dims[part.axis];
  }
  src = tcc_build_broadcast(&c->b, src, to.rank, to.dims);
  return torch_output(c, 0, write_part(c, x, src, part.axis, part.start, part.step));
}

/* An index in [0, size) of axis, from the end if it is negative. */
static const TccExpr *select_index(ImportCall *c, const TccExpr *size) {
  const TccExpr *at = torch_size(c, "index");
  int64_t value;
  if (!at) return NULL;
  if (tcc_expr_is_const(at, &value) && value < 0) at = import_size_add(c, size, at);
  return import_require_at_most(c, import_size_add(c, at, import_size(c, 1)), size, "index") ? at : NULL;
}

bool torch_op_select_scatter(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  int64_t axis;
  if (!x.ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
  const TccExpr *at = select_index(c, shape.dims[axis]);
  if (!at) return false;
  return torch_output(c, 0, write_part(c, x, import_unsqueeze(c, torch_tensor_as(c, "src", shape.elem), axis), axis, at, 1));
}

/* slice_backward, select_backward: grad where it came from in zeros of input_sizes. kind: 1 for select */
bool torch_op_part_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_output");
  const TccExpr *const *sizes;
  size_t n;
  Part part = {.step = 1};
  if (!grad.ptr || !torch_sizes(c, "input_sizes", &sizes, &n)) return false;
  if (!n) return import_invalid(c, "a part of a tensor without axes");
  if (c->kind) {
    if (!torch_axis(c, "dim", (int)n, &part.axis)) return false;
    part.start = select_index(c, sizes[part.axis]);
    grad = import_unsqueeze(c, grad, part.axis);
    if (!part.start) return false;
  } else if (!read_slice(c, sizes, (int)n, &part)) {
    return false;
  }
  if (import_shape(c, grad).rank != (int)n)
    return grad.ptr ? import_invalid(c, "a gradient of another rank than the tensor") : false;
  MlirValue zeros = torch_filled(c, torch_constant(c, tcc_value_elem(grad), 0), (int)n, sizes);
  return torch_output(c, 0, write_part(c, zeros, grad, part.axis, part.start, part.step));
}

/* ---- embeddings ---- */
/* How often each index stands there: of index [n, 1] into so many rows, [n, 1]. */
static MlirValue times_there(ImportCall *c, MlirValue index, const TccExpr *rows, TccElem elem) {
  ImportShape shape = import_shape(c, index);
  const TccExpr *table[] = {rows};
  MlirValue ones = torch_filled(c, torch_constant(c, elem, 1), 1, shape.dims),
            zeros = torch_filled(c, torch_constant(c, elem, 0), 1, table);
  MlirValue operands[] = {zeros, index, ones};
  TccNamedAttr attr = {"reduction", tcc_attr_str(c->ir, tcc_str("add"))};
  MlirValue counts = with_indices(c, TCC_OP_SCATTER_ND, operands, 3, &attr, 1, 0, 1, TCC_VALID_UNSIGNED);
  return tcc_build_gather(&c->b, counts, index, 0);
}

/* The rows of the table that were read get the sum of what was read there; those of padding_idx nothing. */
bool torch_op_embedding_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_output"), indices = import_index(c, torch_tensor(c, "indices"));
  ImportShape gs = import_shape(c, grad), is = import_shape(c, indices);
  const TccExpr *rows = torch_size(c, "num_weights");
  if (!grad.ptr || !indices.ptr || !rows) return false;
  if (gs.rank < 1) return import_invalid(c, "a gradient of rank 0");
  const TccExpr *padding = torch_size(c, "padding_idx"), *count = import_product(c, is.dims, is.rank),
                *width = gs.dims[gs.rank - 1];
  const TccExpr *updates[] = {count, width}, *tuples[] = {count, import_size(c, 1)}, *table[] = {rows, width};
  TccElem wide = torch_wide(gs.elem);
  MlirValue index = tcc_build_reshape(&c->b, indices, 2, tuples),
            share = torch_convert(c, tcc_build_reshape(&c->b, grad, 2, updates), wide);
  if (!padding) return false;
  if (!import_is_size(padding, -1)) {
    MlirValue skipped =
        tcc_build_compare(&c->b, "eq", index, torch_convert(c, tcc_build_size(&c->b, padding), tcc_value_elem(index)));
    share = torch_if(c, skipped, torch_constant(c, wide, 0), share);
  }
  if (torch_bool(c, "scale_grad_by_freq")) share = torch_div(c, share, times_there(c, index, rows, wide));
  MlirValue operands[] = {torch_filled(c, torch_constant(c, wide, 0), 2, table), index, share};
  TccNamedAttr attr = {"reduction", tcc_attr_str(c->ir, tcc_str("add"))};
  MlirValue y = with_indices(c, TCC_OP_SCATTER_ND, operands, 3, &attr, 1, 0, 1, TCC_VALID_UNSIGNED);
  return torch_output(c, 0, torch_convert(c, y, gs.elem));
}

/* import_tensor.c - tensors that are written in place, and views of them: functionalisation.
 *
 * A storage has a present value and a count of writes. A view has the value that it had at some count; it is made again from what it views
 * where the storage has been written since. A write to a view is one to what it views, at its place. */
#include "lib/frontend/torch/import_internal.h"
#include "tcc/op_kinds.h"

static const MlirValue no_value = {NULL};

TorchTensor *torch_storage_of(TorchTensor *t) {
  while (t->of) t = t->of;
  return t;
}

static MlirValue bits_as(ImportCall *c, MlirValue x, TccElem elem) {
  ImportShape shape = import_shape(c, x);
  shape.elem = elem;
  return x.ptr ? import_op_typed(c, TCC_OP_BITCAST, &x, 1, NULL, 0, &shape) : x;
}

/* ---- the value of a view from what it views ---- */
static MlirValue apply(ImportCall *c, const TorchTensor *view, MlirValue x) {
  switch (view->step) {
  case TORCH_RESHAPE: return tcc_build_reshape(&c->b, x, view->rank, view->dims);
  case TORCH_TRANSPOSE: return tcc_build_transpose(&c->b, x, view->perm);
  case TORCH_SLICE: return tcc_build_slice_axis(&c->b, x, view->axis, view->start, view->stride, view->size);
  case TORCH_BROADCAST: return tcc_build_broadcast(&c->b, x, view->rank, view->dims);
  case TORCH_BITS: return bits_as(c, x, view->elem);
  default: return x;
  }
}

MlirValue torch_read(ImportCall *c, TorchTensor *t) {
  if (!t) return no_value;
  unsigned now = torch_storage_of(t)->version;
  if (!t->of || t->version == now) return t->value;
  MlirValue value = apply(c, t, torch_read(c, t->of));
  if (value.ptr) t->value = value, t->version = now;
  return value;
}

/* ---- writing ---- */
/* i along axis, of a tensor like `shape`. */
static MlirValue positions(ImportCall *c, const ImportShape *shape, int64_t axis) {
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < shape->rank; i++) dims[i] = i == axis ? shape->dims[i] : import_size(c, 1);
  return tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, shape->dims[axis]), shape->rank, dims);
}

/* x with `part` at start, start + step, ... along axis. */
static MlirValue insert(ImportCall *c, const TorchTensor *view, MlirValue x, MlirValue part) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *zero = import_size(c, 0), *whole = shape.dims[view->axis], *end = import_size_add(c, view->start, view->size);
  if (view->size == zero) return x;
  if (view->stride == 1) {
    MlirValue r = part;
    if (view->start != zero)
      r = tcc_build_concat(&c->b, (MlirValue[]){tcc_build_slice_axis(&c->b, x, view->axis, zero, 1, view->start), r}, 2,
                           view->axis);
    if (!tcc_expr_known_equal(end, whole))
      r = tcc_build_concat(&c->b,
                           (MlirValue[]){r, tcc_build_slice_axis(&c->b, x, view->axis, end, 1, import_size_sub(c, whole, end))}, 2,
                           view->axis);
    return r;
  }
  MlirValue step = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, view->stride), none = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0),
            from = tcc_build2(&c->b, TCC_OP_SUB, positions(c, &shape, view->axis), tcc_build_size(&c->b, view->start)),
            at = tcc_build2(&c->b, TCC_OP_DIV, from, step);
  MlirValue inside = tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "ge", from, none),
                                tcc_build_compare(&c->b, "eq", tcc_build2(&c->b, TCC_OP_MOD, from, step), none));
  inside = tcc_build2(&c->b, TCC_OP_AND, inside, tcc_build_compare(&c->b, "lt", at, tcc_build_size(&c->b, view->size)));
  MlirValue line = tcc_build_reshape(&c->b, at, 1, &whole);
  return tcc_build_select(&c->b, inside, tcc_build_gather(&c->b, part, line, view->axis), x);
}

static MlirValue put_back(ImportCall *c, const TorchTensor *view, MlirValue x, MlirValue part) {
  ImportShape shape = import_shape(c, x);
  int64_t inverse[TCC_MAX_RANK];
  switch (view->step) {
  case TORCH_ALIAS: return part;
  case TORCH_RESHAPE: return tcc_build_reshape(&c->b, part, shape.rank, shape.dims);
  case TORCH_TRANSPOSE:
    for (int i = 0; i < shape.rank; i++) inverse[view->perm[i]] = i;
    return tcc_build_transpose(&c->b, part, inverse);
  case TORCH_SLICE: return insert(c, view, x, part);
  case TORCH_BITS: return bits_as(c, part, shape.elem);
  default: import_unsupported(c, "writes to an expanded tensor"); return no_value;
  }
}

static bool write(ImportCall *c, TorchTensor *t, MlirValue value) {
  if (!value.ptr) return false;
  if (!t->of && t->fixed) return import_unsupported(c, "%s", t->fixed);
  if (!t->of) t->version++;
  else if (!write(c, t->of, put_back(c, t, torch_read(c, t->of), value))) return false;
  t->value = value;
  t->version = torch_storage_of(t)->version;
  return true;
}

bool torch_write(ImportCall *c, TorchTensor *t, MlirValue value) {
  MlirValue old = torch_read(c, t);
  if (!old.ptr || !value.ptr) return false;
  ImportShape shape = import_shape(c, old), given = import_shape(c, value);
  value = tcc_build_convert(&c->b, value, shape.elem);
  bool same = shape.rank == given.rank;
  for (int i = 0; same && i < shape.rank; i++) same = tcc_expr_agree(shape.dims[i], given.dims[i]);
  return write(c, t, same ? value : tcc_build_broadcast(&c->b, value, shape.rank, shape.dims));
}

/* ---- making ---- */
TorchTensor *torch_tensor_make(ImportCall *c, MlirValue value) {
  if (!value.ptr) return NULL;
  TorchTensor *t = TCC_NEW(import_arena(c), TorchTensor);
  t->value = value;
  return t;
}

static TorchTensor *make_view(ImportCall *c, TorchTensor *of, TorchTensor form) {
  MlirValue x = torch_read(c, of);
  TorchTensor *t = TCC_NEW(import_arena(c), TorchTensor);
  if (!x.ptr) return NULL;
  *t = form;
  t->of = of;
  t->version = torch_storage_of(of)->version;
  t->value = apply(c, t, x);
  return t->value.ptr ? t : NULL;
}

static TorchTensor shaped(TorchStep step, int rank, const TccExpr *const *dims) {
  TorchTensor form = {.step = step, .rank = rank};
  for (int i = 0; i < rank; i++) form.dims[i] = dims[i];
  return form;
}

TorchTensor *torch_view_alias(ImportCall *c, TorchTensor *t) {
  return t ? make_view(c, t, (TorchTensor){.step = TORCH_ALIAS}) : NULL;
}

TorchTensor *torch_view_reshape(ImportCall *c, TorchTensor *t, int rank, const TccExpr *const *dims) {
  return t ? make_view(c, t, shaped(TORCH_RESHAPE, rank, dims)) : NULL;
}

TorchTensor *torch_view_broadcast(ImportCall *c, TorchTensor *t, int rank, const TccExpr *const *dims) {
  return t ? make_view(c, t, shaped(TORCH_BROADCAST, rank, dims)) : NULL;
}

TorchTensor *torch_view_transpose(ImportCall *c, TorchTensor *t, const int64_t *perm) {
  TorchTensor form = {.step = TORCH_TRANSPOSE};
  int rank = t ? import_shape(c, torch_read(c, t)).rank : 0;
  for (int i = 0; i < rank; i++) form.perm[i] = perm[i];
  return t ? make_view(c, t, form) : NULL;
}

TorchTensor *torch_view_slice(ImportCall *c, TorchTensor *t, int64_t axis, const TccExpr *start, int64_t step,
                              const TccExpr *size) {
  return t && start && size
             ? make_view(c, t, (TorchTensor){.step = TORCH_SLICE, .axis = axis, .start = start, .stride = step, .size = size})
             : NULL;
}

TorchTensor *torch_view_bits(ImportCall *c, TorchTensor *t, TccElem elem) {
  return t ? make_view(c, t, (TorchTensor){.step = TORCH_BITS, .elem = elem}) : NULL;
}

TorchTensor *torch_view_again(ImportCall *c, TorchTensor *view, const TorchTensor *from, TorchTensor *to) {
  if (view == from || !view->of) return to;
  TorchTensor *of = torch_view_again(c, view->of, from, to);
  return of ? make_view(c, of, *view) : NULL;
}

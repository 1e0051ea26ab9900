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

/* How often what a tensor is a view of was written. */
static unsigned writes(const TorchTensor *t) {
  unsigned others = 0;
  for (; t->of; t = t->of)
    if (t->also) others += writes(t->also);
  return t->version + others;
}

/* ---- bits as another type ---- */
static MlirValue cast_bits(ImportCall *c, MlirValue x, TccElem elem) {
  ImportShape shape = import_shape(c, x);
  if (!x.ptr || shape.elem == elem) return x;
  shape.elem = elem;
  return import_op_typed(c, TCC_OP_BITCAST, &x, 1, NULL, 0, &shape);
}

static TccElem unsigned_of(size_t bits) {
  return bits == 8 ? TCC_ELEM_U8 : bits == 16 ? TCC_ELEM_U16 : bits == 32 ? TCC_ELEM_U32 : TCC_ELEM_U64;
}

/* Elements [n] of a narrow type as [n / times] of a type of so many times its width, the first one the lowest bits, as they lie in memory. */
static MlirValue join_bits(ImportCall *c, MlirValue x, TccElem elem, int64_t times, const TccExpr *count) {
  const size_t bits = tcc_elem_bits(elem);
  const TccElem wide = unsigned_of(bits), narrow = unsigned_of(bits / (size_t)times);
  MlirValue r = {NULL};
  x = tcc_build_reshape(&c->b, cast_bits(c, x, narrow), 2, (const TccExpr *[]){count, import_size(c, times)});
  for (int64_t i = 0; i < times; i++) {
    MlirValue part = tcc_build_slice_axis(&c->b, x, 1, import_size(c, i), 1, import_size(c, 1));
    part = tcc_build_convert(&c->b, tcc_build_reshape(&c->b, part, 1, &count), wide);
    part = tcc_build2(&c->b, TCC_OP_SHIFT_LEFT, part, tcc_build_scalar_i64(&c->b, wide, i * (int64_t)bits / times));
    r = i ? tcc_build2(&c->b, TCC_OP_OR, r, part) : part;
  }
  return cast_bits(c, r, elem);
}

/* Elements [n] of a wide type as [n, times] of a narrow one, the lowest bits first. */
static MlirValue split_bits(ImportCall *c, MlirValue x, TccElem elem, int64_t times, const TccExpr *count) {
  const size_t bits = tcc_elem_bits(elem);
  const TccElem wide = unsigned_of(bits * (size_t)times), narrow = unsigned_of(bits);
  MlirValue parts[8], mask = tcc_build_scalar_i64(&c->b, wide, ((int64_t)1 << bits) - 1);
  x = tcc_build_reshape(&c->b, cast_bits(c, x, wide), 2, (const TccExpr *[]){count, import_size(c, 1)});
  for (int64_t i = 0; i < times; i++) {
    parts[i] = tcc_build2(&c->b, TCC_OP_SHIFT_RIGHT, x, tcc_build_scalar_i64(&c->b, wide, i * (int64_t)bits));
    parts[i] = tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_AND, parts[i], mask), narrow);
    if (!parts[i].ptr) return no_value;
  }
  return cast_bits(c, tcc_build_concat(&c->b, parts, (size_t)times, 1), elem);
}

/* Of another width the last axis is as much longer or shorter. */
static MlirValue bits_as(ImportCall *c, MlirValue x, TccElem elem) {
  ImportShape shape = import_shape(c, x);
  const int64_t from = (int64_t)tcc_elem_bits(shape.elem), to = (int64_t)tcc_elem_bits(elem);
  if (!x.ptr || from == to) return cast_bits(c, x, elem);
  const TccExpr *count = import_size(c, 1), **last = &shape.dims[shape.rank - 1];
  if (from < to) *last = import_divide(c, *last, import_size(c, to / from));
  if (!*last) return no_value;
  for (int i = 0; i < shape.rank; i++) count = import_size_mul(c, count, shape.dims[i]);
  MlirValue r = from < to ? join_bits(c, x, elem, to / from, count) : split_bits(c, x, elem, from / to, count);
  if (from > to) *last = import_size_mul(c, *last, import_size(c, from / to));
  return tcc_build_reshape(&c->b, r, shape.rank, shape.dims);
}

/* ---- the value of a view from what it views ---- */
static MlirValue apply(ImportCall *c, const TorchTensor *view, MlirValue x) {
  switch (view->step) {
  case TORCH_RESHAPE: return tcc_build_reshape(&c->b, x, view->rank, view->dims);
  case TORCH_TRANSPOSE: return tcc_build_transpose(&c->b, x, view->perm);
  case TORCH_SLICE: return tcc_build_slice_axis(&c->b, x, view->axis, view->start, view->stride, view->size);
  case TORCH_BROADCAST: return tcc_build_broadcast(&c->b, x, view->rank, view->dims);
  case TORCH_BITS: return bits_as(c, x, view->elem);
  case TORCH_FORM: return view->form->read(c, view, x);
  default: return x;
  }
}

MlirValue torch_read(ImportCall *c, TorchTensor *t) {
  if (!t) return no_value;
  unsigned now = writes(t);
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

/* Whether axis i of what a tensor was expanded to repeats its elements. */
static bool repeats(const ImportShape *from, const ImportShape *to, int i) {
  const int own = i - (to->rank - from->rank);
  return own < 0 || (import_is_size(from->dims[own], 1) && !import_is_size(to->dims[i], 1));
}

/* x, whose elements `part` repeats, of which some copies were written: of each element the first copy that is not what it was. PyTorch writes the one
 * element that all of them are, and does not say in which order. */
static MlirValue changed_copies(ImportCall *c, MlirValue x, MlirValue part) {
  const ImportShape own = import_shape(c, x), s = import_shape(c, part);
  const TccExpr *dims[TCC_MAX_RANK], *copies = import_size(c, 1);
  int64_t perm[TCC_MAX_RANK];
  int kept = 0, end;
  for (int i = 0; i < s.rank; i++)
    if (!repeats(&own, &s, i)) dims[kept] = s.dims[i], perm[kept++] = i;
  end = kept;
  for (int i = 0; i < s.rank; i++)
    if (repeats(&own, &s, i)) copies = import_size_mul(c, copies, s.dims[i]), perm[end++] = i;
  if (import_is_size(copies, 1)) return tcc_build_reshape(&c->b, part, own.rank, own.dims);
  dims[kept] = copies; /* an axis at least is no kept one */
  MlirValue differs = tcc_build_compare(&c->b, "ne", part, tcc_build_broadcast(&c->b, x, s.rank, s.dims));
  MlirValue lines[] = {part, tcc_build_convert(&c->b, differs, TCC_ELEM_U8)};
  for (int i = 0; i < 2; i++) lines[i] = tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, lines[i], perm), kept + 1, dims);
  TccNamedAttr first[] = {
      {"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, kept)}, {"keepdims", tcc_attr_bool(c->ir, true)}};
  if (!lines[0].ptr || !lines[1].ptr) return no_value;
  lines[1] = import_op(c, TCC_OP_ARG_REDUCE, &lines[1], 1, first, 3);
  if (!lines[1].ptr) return no_value;
  return tcc_build_reshape(&c->b, import_op(c, TCC_OP_GATHER_ELEMENTS, lines, 2, &first[1], 1), own.rank, own.dims);
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
  default: return changed_copies(c, x, part); /* BROADCAST */
  }
}

static bool write(ImportCall *c, TorchTensor *t, MlirValue value) {
  if (!value.ptr) return false;
  if (!t->of && t->fixed) return import_unsupported(c, "%s", t->fixed);
  if (t->step == TORCH_FORM) return t->form->write ? t->form->write(c, t, value) : import_unsupported(c, "%s", t->form->fixed);
  if (!t->of) t->version++;
  else if (!write(c, t->of, put_back(c, t, torch_read(c, t->of), value))) return false;
  if (t->step == TORCH_BROADCAST) return true; /* other copies may be written, too: it is read again */
  t->value = value;
  t->version = writes(t);
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
  t->version = writes(t);
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

TorchTensor *torch_view_form(ImportCall *c, TorchTensor *of, TorchTensor *also, const TorchForm *form, const void *places) {
  return of ? make_view(c, of, (TorchTensor){.step = TORCH_FORM, .also = also, .form = form, .places = places}) : NULL;
}

TorchTensor *torch_view_again(ImportCall *c, TorchTensor *view, const TorchTensor *from, TorchTensor *to) {
  if (view == from || !view->of) return to;
  TorchTensor *of = torch_view_again(c, view->of, from, to);
  return of ? make_view(c, of, *view) : NULL;
}

/* ops_strided.c - diagonals, tensors seen through strides, and windows of images as columns. */
#include "lib/frontend/import/fold.h"
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

/* ---- diagonals: of two axes as one, each (columns + 1)-th element ---- */
/* self[..., i, i + offset, ...] of two axes, which become the last; size: how many there are. */
static TorchTensor *diagonal(ImportCall *c, TorchTensor *t, int64_t offset, int64_t first, int64_t second, const TccExpr *size) {
  ImportShape s = import_shape(c, torch_read(c, t));
  int64_t perm[TCC_MAX_RANK], columns;
  const TccExpr *dims[TCC_MAX_RANK];
  int n = 0;
  for (int i = 0; i < s.rank; i++)
    if (i != first && i != second) perm[n++] = i;
  perm[n] = first, perm[n + 1] = second;
  for (int i = 0; i < n; i++) dims[i] = s.dims[perm[i]];
  dims[n] = import_size_mul(c, s.dims[first], s.dims[second]);
  if (!torch_fixed(c, s.dims[second], &columns)) return NULL;
  const TccExpr *start = import_size(c, import_is_size(size, 0) ? 0 : offset >= 0 ? offset : -offset * columns);
  TorchTensor *flat = torch_view_reshape(c, torch_view_transpose(c, t, perm), n + 1, dims);
  return torch_view_slice(c, flat, n, start, columns + 1, size);
}

/* min(rows, columns) past the offset, not below 0. */
static const TccExpr *diagonal_size(ImportCall *c, const ImportShape *s, int64_t offset, int64_t first, int64_t second) {
  TccExprPool *pool = c->ir->exprs;
  const TccExpr *rows = import_size_sub(c, s->dims[first], import_size(c, offset < 0 ? -offset : 0)),
                *columns = import_size_sub(c, s->dims[second], import_size(c, offset > 0 ? offset : 0));
  return tcc_expr_call(pool, TCC_EXPR_MAX, tcc_expr_call(pool, TCC_EXPR_MIN, rows, columns), import_size(c, 0));
}

/* A tensor's diagonal: of which two axes, from which place on, how many elements. */
typedef struct {
  int64_t offset, first, second;
  const TccExpr *size;
} Diagonal;

static bool find_diagonal(ImportCall *c, MlirValue x, Diagonal *out) {
  ImportShape s = import_shape(c, x);
  out->offset = torch_int(c, "offset");
  if (!x.ptr || s.rank < 2 || !torch_axis(c, "dim1", s.rank, &out->first) || !torch_axis(c, "dim2", s.rank, &out->second))
    return x.ptr && !c->reason ? import_invalid(c, "rank %d", s.rank) : false;
  if (out->first == out->second) return import_invalid(c, "both axes are the same");
  out->size = diagonal_size(c, &s, out->offset, out->first, out->second);
  return true;
}

/* Where x has its diagonal, as bool of its rank. */
static MlirValue is_diagonal(ImportCall *c, ImportShape s, const Diagonal *d) {
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < s.rank; i++) dims[i] = i == d->first || i == d->second ? s.dims[i] : import_size(c, 1);
  MlirValue row = tcc_build_iota(&c->b, TCC_ELEM_I64, d->first, s.rank, dims),
            column = tcc_build_iota(&c->b, TCC_ELEM_I64, d->second, s.rank, dims);
  return tcc_build_compare(&c->b, "eq", torch_plus(c, row, (double)d->offset), column);
}

/* The axis along which the diagonal starts at 0, and the other one. */
static int64_t along(const Diagonal *d) { return d->offset >= 0 ? d->first : d->second; }
static int64_t across(const Diagonal *d) { return d->offset >= 0 ? d->second : d->first; }

/* The elements themselves, of axes of any size. */
static MlirValue gathered(ImportCall *c, MlirValue x, const Diagonal *d) {
  const int64_t other = across(d), axis = along(d) - (along(d) > other);
  const TccElem elem = tcc_value_elem(x);
  if (elem == TCC_ELEM_BOOL) x = torch_convert(c, x, TCC_ELEM_U8); /* which can be summed */
  MlirValue y = torch_sum(c, torch_if_number(c, is_diagonal(c, import_shape(c, x), d), x, 0), &other, 1, false);
  y = torch_convert(c, y, elem);
  y = tcc_build_slice_axis(&c->b, y, axis, import_size(c, 0), 1, d->size);
  return torch_move_axis(c, y, axis, import_shape(c, y).rank - 1);
}

/* x with other elements there. */
static MlirValue replaced(ImportCall *c, MlirValue x, MlirValue part, const Diagonal *d) {
  ImportShape s = import_shape(c, x), p = import_shape(c, part);
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  if (!x.ptr || !part.ptr) return (MlirValue){NULL};
  if (p.rank != s.rank - 1) return import_invalid(c, "a diagonal of rank %d", p.rank), (MlirValue){NULL};
  for (int i = 0; i < p.rank; i++) low[i] = high[i] = import_size(c, 0);
  high[p.rank - 1] = import_size_sub(c, s.dims[along(d)], d->size);
  part = tcc_build_pad(&c->b, part, torch_constant(c, p.elem, 0), low, high, "constant");
  part = torch_move_axis(c, part, p.rank - 1, along(d) - (along(d) > across(d)));
  return torch_if(c, is_diagonal(c, s, d), torch_convert(c, import_unsqueeze(c, part, across(d)), s.elem), x);
}

static MlirValue read_diagonal(ImportCall *c, const TorchTensor *view, MlirValue x) { return gathered(c, x, view->places); }
static bool write_to_diagonal(ImportCall *c, const TorchTensor *view, MlirValue value) {
  return torch_write(c, view->of, replaced(c, torch_read(c, view->of), value, view->places));
}

/* Where elements are a number of places apart that is known it is a slice of both axes as one. */
static TorchTensor *view_of(ImportCall *c, TorchTensor *t, const Diagonal *d) {
  static const TorchForm form = {read_diagonal, write_to_diagonal, NULL};
  const ImportShape s = import_shape(c, torch_read(c, t));
  return tcc_expr_is_const(s.dims[d->second], NULL)
             ? diagonal(c, t, d->offset, d->first, d->second, d->size)
             : torch_view_form(c, t, NULL, &form, tcc_arena_copy(import_arena(c), (const char *)d, sizeof *d));
}

/* kind DIAGONAL_VIEW; DIAGONAL_COPY. */
bool torch_op_diagonal(ImportCall *c) {
  TorchTensor *x = torch_storage(c, torch_has_parameter(c, "A") ? "A" : "self");
  Diagonal d;
  if (!x || !find_diagonal(c, torch_read(c, x), &d)) return false;
  TorchTensor *view = view_of(c, x, &d);
  return view && (c->kind == DIAGONAL_VIEW ? torch_output_view(c, 0, view) : torch_output(c, 0, torch_read(c, view)));
}

static bool write_diagonal(ImportCall *c, MlirValue x, MlirValue part) {
  Diagonal d;
  if (!part.ptr || !find_diagonal(c, x, &d)) return false;
  TorchTensor *base = torch_tensor_make(c, x), *view = base ? view_of(c, base, &d) : NULL;
  return view && torch_write(c, view, part) && torch_output(c, 0, torch_read(c, base));
}

/* Zeros of the result's shape. */
static MlirValue zeros(ImportCall *c) {
  ImportShape s = torch_declared(c, 0);
  return s.elem ? torch_filled(c, torch_constant(c, s.elem, 0), s.rank, s.dims) : (MlirValue){NULL};
}

/* self (DIAGONAL_SCATTER), or zeros (DIAGONAL_BACKWARD), with the diagonal written. */
bool torch_op_diagonal_write(ImportCall *c) {
  const bool given = c->kind == DIAGONAL_SCATTER;
  MlirValue base = given ? torch_tensor(c, "self") : zeros(c);
  return base.ptr && write_diagonal(c, base, torch_tensor(c, given ? "src" : "grad_output"));
}

/* self as the diagonal of two new axes, zeros around it. */
bool torch_op_diag_embed(ImportCall *c) {
  MlirValue base = zeros(c);
  return base.ptr && write_diagonal(c, base, torch_tensor(c, "self"));
}

/* ---- strides ---- */
bool torch_is_row_major(ImportCall *c, const TccTorchMeta *meta) {
  const TccExpr *step = import_size(c, 1), *stride, *size;
  bool dense = true;
  for (size_t i = meta->rank; dense && i-- > 0;) {
    if (!import_fail_status(c, torch_size_of(c->importer, &meta->strides[i], &stride)) ||
        !import_fail_status(c, torch_size_of(c->importer, &meta->sizes[i], &size)))
      return false;
    dense = import_is_size(size, 1) || stride == step;
    step = import_size_mul(c, step, size);
  }
  return dense;
}

/* The tensor whose storage t is a view of, if it lies there without gaps in row-major order. */
static TorchTensor *dense_root(ImportCall *c, TorchTensor *t) {
  while (t && t->of) t = t->of;
  const bool dense = t && t->meta && torch_is_row_major(c, t->meta);
  if (!dense) import_unsupported(c, "a storage that does not lie in row-major order");
  return dense ? t : NULL;
}

/* storage_offset, or where self begins; NULL and a reason. */
static const TccExpr *offset_asked(ImportCall *c, const TorchTensor *self) {
  const TccExpr *offset = import_size(c, 0);
  if (torch_given(c, "storage_offset")) return torch_size(c, "storage_offset");
  return !self->meta || import_fail_status(c, torch_size_of(c->importer, &self->meta->offset, &offset)) ? offset : NULL;
}

/* Where a look at a root's storage begins, in elements of the root: it may lie in its storage behind the beginning itself, and what it does not
 * have of that is out of reach. NULL and a reason where the look goes there. */
static const TccExpr *place_in_root(ImportCall *c, const TorchTensor *root, const TccExpr *const *sizes,
                                    const TccExpr *const *strides, size_t rank, const TccExpr *offset) {
  static const char outside[] = "looks at its storage outside of the tensor";
  const TccExpr *begin, *zero = import_size(c, 0), *one = import_size(c, 1);
  const ImportShape s = import_shape(c, root->value);
  if (!import_fail_status(c, torch_size_of(c->importer, &root->meta->offset, &begin))) return NULL;
  const TccExpr *at = import_size_sub(c, offset, begin), *end = import_size_add(c, at, one),
                *all = import_product(c, s.dims, s.rank);
  for (size_t i = 0; i < rank; i++) {
    if (import_is_size(sizes[i], 0)) return zero;
    end = import_size_add(c, end, import_size_mul(c, import_size_sub(c, sizes[i], one), strides[i]));
  }
  if (import_never_at_most(c, zero, at) || import_never_at_most(c, end, all)) return import_unsupported(c, outside), NULL;
  return import_require_at_most(c, zero, at, outside) && import_require_at_most(c, end, all, outside) ? at : NULL;
}

/* Where each element lies: offset + sum of index * stride, as rank 1. */
static MlirValue strided_places(ImportCall *c, const TccExpr *const *sizes, const TccExpr *const *strides, size_t rank,
                                const TccExpr *offset) {
  MlirValue at = tcc_build_size(&c->b, offset);
  const TccExpr *count = import_product(c, sizes, (int)rank), *line[TCC_MAX_RANK];
  for (size_t i = 0; i < rank; i++) {
    for (size_t k = 0; k < rank; k++) line[k] = import_size(c, 1);
    line[i] = sizes[i];
    MlirValue along = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, sizes[i]), (int)rank, line);
    at = torch_add(c, at, torch_mul(c, along, tcc_build_size(&c->b, strides[i])));
  }
  return tcc_build_reshape(&c->b, tcc_build_broadcast(&c->b, at, (int)rank, sizes), 1, &count);
}

/* Any look at a storage. */
typedef struct {
  const TccExpr *const *sizes, *const *strides, *offset;
  size_t rank;
} Look;

static MlirValue flat(ImportCall *c, MlirValue x) {
  const ImportShape s = import_shape(c, x);
  const TccExpr *all = import_product(c, s.dims, s.rank);
  return tcc_build_reshape(&c->b, x, 1, &all);
}

static MlirValue read_look(ImportCall *c, const TorchTensor *view, MlirValue x) {
  const Look *l = view->places;
  MlirValue r = tcc_build_gather(&c->b, flat(c, x), strided_places(c, l->sizes, l->strides, l->rank, l->offset), 0);
  return tcc_build_reshape(&c->b, r, (int)l->rank, l->sizes);
}

/* x with other elements there. */
static MlirValue scattered(ImportCall *c, MlirValue x, const Look *l, MlirValue src) {
  const ImportShape s = import_shape(c, x);
  MlirValue operands[] = {flat(c, x), strided_places(c, l->sizes, l->strides, l->rank, l->offset),
                          flat(c, torch_convert(c, src, s.elem))};
  TccNamedAttr attrs[2] = {{"axis", tcc_attr_i64(c->ir, 0)}};
  size_t nattrs = 1;
  if (!operands[0].ptr || !operands[1].ptr || !operands[2].ptr ||
      !import_valid(c, TCC_VALID_UNSIGNED, operands[0], operands[1], 0, 1, attrs, &nattrs))
    return (MlirValue){NULL};
  return tcc_build_reshape(&c->b, import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, nattrs), s.rank, s.dims);
}

static bool write_look(ImportCall *c, const TorchTensor *view, MlirValue value) {
  return torch_write(c, view->of, scattered(c, torch_read(c, view->of), view->places, value));
}

static bool look(ImportCall *c) {
  static const TorchForm form = {read_look, write_look, NULL};
  TorchTensor *self = torch_storage(c, "self"), *root = self ? dense_root(c, self) : NULL, *view;
  Look *l = TCC_NEW(import_arena(c), Look);
  size_t nstrides;
  if (!root || !torch_sizes(c, "size", &l->sizes, &l->rank) || !torch_sizes(c, "stride", &l->strides, &nstrides)) return false;
  if (l->rank != nstrides || l->rank > TCC_MAX_RANK) return import_invalid(c, "%zu sizes and %zu strides", l->rank, nstrides);
  l->offset = offset_asked(c, self);
  if (!l->offset || !torch_read(c, root).ptr || !(l->offset = place_in_root(c, root, l->sizes, l->strides, l->rank, l->offset)))
    return false;
  view = torch_view_form(c, root, NULL, &form, l);
  return view && (c->kind == DIAGONAL_VIEW ? torch_output_view(c, 0, view) : torch_output(c, 0, torch_read(c, view)));
}

/* How size and stride look at a tensor: as it lies (an axis of size 1 may have any stride), or all of it, row-major, in another
 * shape; neither: otherwise, or from another place of the storage. */
typedef struct {
  bool alike, reshaped;
  const TccExpr *const *sizes, *const *strides;
  size_t rank;
} Strided;

static bool row_major(ImportCall *c, size_t rank, const TccExpr *const *sizes, const TccExpr *const *strides,
                      const TccExpr **out_count) {
  const TccExpr *step = import_size(c, 1);
  bool is = true;
  for (size_t i = rank; i-- > 0; step = import_size_mul(c, step, sizes[i]))
    is = is && (import_is_size(sizes[i], 1) || strides[i] == step);
  *out_count = step;
  return is;
}

/* What the archive says of a tensor's layout. */
static bool read_layout(ImportCall *c, const TccTorchMeta *meta, const TccExpr **sizes, const TccExpr **strides,
                        const TccExpr **offset) {
  for (size_t i = 0; i < meta->rank; i++)
    if (!import_fail_status(c, torch_size_of(c->importer, &meta->sizes[i], &sizes[i])) ||
        !import_fail_status(c, torch_size_of(c->importer, &meta->strides[i], &strides[i])))
      return false;
  return import_fail_status(c, torch_size_of(c->importer, &meta->offset, offset));
}

static bool read_strided(ImportCall *c, const TorchTensor *self, Strided *out) {
  const TccTorchMeta *meta = self->meta;
  const TccExpr *sizes[TCC_MAX_RANK], *strides[TCC_MAX_RANK], *mine, *theirs, *offset;
  size_t nstrides;
  *out = (Strided){0};
  if (!torch_sizes(c, "size", &out->sizes, &out->rank) || !torch_sizes(c, "stride", &out->strides, &nstrides)) return false;
  if (nstrides != out->rank || out->rank > TCC_MAX_RANK) return import_invalid(c, "%zu sizes and %zu strides", out->rank, nstrides);
  if (!meta || meta->rank > TCC_MAX_RANK) return true;
  if (!read_layout(c, meta, sizes, strides, &offset)) return false;
  if (torch_given(c, "storage_offset") && torch_size(c, "storage_offset") != offset) return !c->reason;
  out->alike = meta->rank == out->rank;
  for (size_t i = 0; out->alike && i < meta->rank; i++)
    out->alike = out->sizes[i] == sizes[i] && (import_is_size(sizes[i], 1) || out->strides[i] == strides[i]);
  out->reshaped = row_major(c, meta->rank, sizes, strides, &mine) && row_major(c, out->rank, out->sizes, out->strides, &theirs) &&
                  mine == theirs;
  return true;
}

/* Where AOTAutograd makes a view anew it looks at all of a tensor: that is a view. */
bool torch_op_as_strided(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  Strided view;
  if (!self || !read_strided(c, self, &view)) return false;
  if (c->kind == DIAGONAL_VIEW && view.alike) return torch_output_view(c, 0, torch_view_alias(c, self));
  if (c->kind == DIAGONAL_VIEW && view.reshaped)
    return torch_output_view(c, 0, torch_view_reshape(c, self, (int)view.rank, view.sizes));
  return look(c);
}

/* self with `src` at the places that sizes and strides name. */
static bool scatter_strided(ImportCall *c, TorchTensor *self, const Strided *view, MlirValue src) {
  if (self->of || !dense_root(c, self)) return import_unsupported(c, "a view that does not lie in row-major order");
  const TccExpr *offset = offset_asked(c, self);
  MlirValue whole = torch_read(c, self);
  if (!offset || !whole.ptr || !(offset = place_in_root(c, self, view->sizes, view->strides, view->rank, offset))) return false;
  const Look l = {view->sizes, view->strides, offset, view->rank};
  return torch_output(c, 0, scattered(c, whole, &l, src));
}

/* All of self is written, or a part. */
bool torch_op_as_strided_scatter(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  ImportShape shape = import_shape(c, torch_read(c, self));
  MlirValue y = torch_tensor(c, "src");
  Strided view;
  if (!self || !y.ptr || !read_strided(c, self, &view)) return false;
  if (!view.alike && !view.reshaped) return scatter_strided(c, self, &view, y);
  return torch_output(c, 0, view.alike ? y : tcc_build_reshape(&c->b, y, shape.rank, shape.dims));
}

/* What the archive says of the tensor. */
bool torch_op_sym_layout(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  const TccTorchMeta *meta = self ? self->meta : NULL;
  const TccExpr *value;
  int64_t axis = 0;
  if (!meta) return import_unsupported(c, "the graph does not say how the tensor lies");
  if (c->kind == LAYOUT_STRIDE && !torch_axis(c, "dim", (int)meta->rank, &axis)) return false;
  const TccTorchSize *size = c->kind == LAYOUT_STRIDE ? &meta->strides[axis] : &meta->offset;
  value = torch_size_if_known(c, size);
  if (!value) return c->reason ? false : import_unsupported(c, "where the tensor lies depends on data of the run");
  return torch_output_number(c, 0, (TorchNumber){.kind = TORCH_INTEGER, .size = value});
}

/* ---- images as columns ---- */
typedef struct {
  int64_t kernel[2], stride[2], dilation[2], padding[2];
} Window;

static bool read_window(ImportCall *c, Window *w) {
  return torch_ints_of(c, "kernel_size", 2, NULL, w->kernel) && torch_ints_of(c, "stride", 2, NULL, w->stride) &&
         torch_ints_of(c, "dilation", 2, NULL, w->dilation) && torch_ints_of(c, "padding", 2, NULL, w->padding);
}

/* [N, C, H, W] with zeros around it, its windows [N, C, kh, kw, oh, ow] as [N, C*kh*kw, oh*ow]. */
bool torch_op_im2col(ImportCall *c) {
  Window w;
  MlirValue x = torch_tensor(c, "self");
  ImportShape s = import_shape(c, x), to = torch_declared(c, 0);
  if (!x.ptr || !to.elem || !read_window(c, &w)) return false;
  if (s.rank != 3 && s.rank != 4) return import_invalid(c, "an image of rank %d", s.rank);
  const TccExpr *around[4] = {import_size(c, 0), import_size(c, 0), import_size(c, w.padding[0]), import_size(c, w.padding[1])};
  if (s.rank == 3) x = import_unsqueeze(c, x, 0);
  TccNamedAttr attrs[] = {{"kernel", tcc_attr_ints(c->ir, w.kernel, 2)},
                          {"strides", tcc_attr_ints(c->ir, w.stride, 2)},
                          {"dilations", tcc_attr_ints(c->ir, w.dilation, 2)}};
  if (x.ptr) x = tcc_build_pad(&c->b, x, torch_constant(c, s.elem, 0), around, around, "constant");
  if (x.ptr) x = import_op(c, TCC_OP_UNFOLD, &x, 1, attrs, 3);
  return x.ptr && torch_output(c, 0, tcc_build_reshape(&c->b, x, to.rank, to.dims));
}

/* Whether a tensor lies in row-major order, as it was exported. */
bool torch_op_sym_is_contiguous(ImportCall *c) {
  enum { CONTIGUOUS_FORMAT = 1 };
  const TorchTensor *self = torch_storage(c, "self");
  const TccTorchArg *format = torch_argument(c, "memory_format");
  if (!self) return false;
  if (format && format->kind == TCC_TORCH_MEMORY_FORMAT && format->integer != CONTIGUOUS_FORMAT)
    return import_unsupported(c, "another memory format");
  if (!self->meta) return import_unsupported(c, "a tensor whose strides the graph does not say");
  const TorchNumber flag = {.kind = TORCH_FLAG, .real = torch_is_row_major(c, self->meta)};
  return !c->reason && torch_output_number(c, 0, flag);
}

/* self with other sizes, in place: the first elements of its storage, or with elements of any value behind them, here zeros. */
bool torch_op_resize(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self"), *root = self ? dense_root(c, self) : NULL, *made;
  const TccExpr *const *sizes;
  size_t rank;
  int64_t have, want;
  if (!root || !torch_sizes(c, "size", &sizes, &rank)) return false;
  if (rank > TCC_MAX_RANK) return import_unsupported(c, "rank %zu", rank);
  ImportShape s = import_shape(c, torch_read(c, self)), whole = import_shape(c, torch_read(c, root));
  if (self != root && (!self->meta || !torch_is_row_major(c, self->meta) ||
                       import_product(c, s.dims, s.rank) != import_product(c, whole.dims, whole.rank)))
    return c->reason ? false : import_unsupported(c, "a view of a part of a storage, or in another order");
  const TccExpr *all = import_product(c, s.dims, s.rank), *count = import_product(c, sizes, (int)rank);
  if (tcc_expr_known_equal(all, count)) {
    made = torch_view_reshape(c, self, (int)rank, sizes);
  } else if (!torch_fixed(c, all, &have) || !torch_fixed(c, count, &want)) {
    return false;
  } else if (want < have) {
    TorchTensor *flat = torch_view_reshape(c, self, 1, &all);
    made = torch_view_reshape(c, torch_view_slice(c, flat, 0, import_size(c, 0), 1, count), (int)rank, sizes);
  } else {
    const TccExpr *more = import_size(c, want - have);
    MlirValue parts[] = {tcc_build_reshape(&c->b, torch_read(c, self), 1, &all),
                         torch_filled(c, torch_constant(c, s.elem, 0), 1, &more)};
    MlirValue longer = have ? tcc_build_concat(&c->b, parts, 2, 0) : parts[1];
    root->fixed = "writes to a storage that a tensor has outgrown";
    made = torch_tensor_make(c, tcc_build_reshape(&c->b, longer, (int)rank, sizes));
  }
  return torch_becomes(c, self, made);
}

/* The adjoint of im2col: what lies at one place is summed. */
bool torch_op_col2im(ImportCall *c) {
  Window w;
  ImportFold fold = {.axes = 2};
  const TccExpr *const *size;
  size_t axes;
  MlirValue x = torch_tensor(c, "self");
  ImportShape s = import_shape(c, x), to = torch_declared(c, 0);
  if (!x.ptr || !to.elem || !read_window(c, &w) || !torch_sizes(c, "output_size", &size, &axes)) return false;
  if (axes != 2) return import_invalid(c, "output_size has %zu entries", axes);
  for (int d = 0; d < 2; d++) {
    fold.image[d] = size[d], fold.block[d] = import_size(c, w.kernel[d]);
    fold.strides[d] = w.stride[d], fold.dilations[d] = w.dilation[d];
    fold.low[d] = fold.high[d] = w.padding[d];
  }
  MlirValue r = import_fold(c, s.rank == 2 ? import_unsqueeze(c, x, 0) : x, &fold);
  return r.ptr && torch_output(c, 0, tcc_build_reshape(&c->b, r, to.rank, to.dims));
}

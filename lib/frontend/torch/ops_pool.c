/* ops_pool.c - pools over windows, adaptive pools, and their gradients.
 *
 * An adaptive pool's window i of an axis goes from floor(i * in / out) to ceil((i + 1) * in / out). Where out divides in it is a plain
 * pool; an average over it is a product with a constant matrix for each axis; a maximum is a plain pool over an image whose rows and
 * columns were gathered window by window, the last of a short window again. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

enum { MOST_SPATIAL = 3 };
typedef struct {
  int spatial;
  int64_t kernel[MOST_SPATIAL], strides[MOST_SPATIAL], pads[2 * MOST_SPATIAL], dilations[MOST_SPATIAL];
  bool ceil_mode, counts_pads;
} Window;

static size_t window_attrs(ImportCall *c, const Window *w, TccNamedAttr *out) {
  size_t n = (size_t)w->spatial;
  out[0] = (TccNamedAttr){"kernel", tcc_attr_ints(c->ir, w->kernel, n)};
  out[1] = (TccNamedAttr){"strides", tcc_attr_ints(c->ir, w->strides, n)};
  out[2] = (TccNamedAttr){"pads", tcc_attr_ints(c->ir, w->pads, 2 * n)};
  out[3] = (TccNamedAttr){"dilations", tcc_attr_ints(c->ir, w->dilations, n)};
  out[4] = (TccNamedAttr){"ceil_mode", tcc_attr_bool(c->ir, w->ceil_mode)};
  return 5;
}

static MlirValue pool(ImportCall *c, const char *kind, const Window *w, MlirValue x) {
  TccNamedAttr attrs[8];
  size_t n = window_attrs(c, w, attrs);
  attrs[n++] = (TccNamedAttr){"kind", tcc_attr_str(c->ir, tcc_str(kind))};
  if (w->counts_pads) attrs[n++] = (TccNamedAttr){"count_include_pad", tcc_attr_bool(c->ir, true)};
  return x.ptr ? import_op(c, TCC_OP_POOL, &x, 1, attrs, n) : x;
}

/* Of each window's maximum its flat index in the plane of its channel. */
static MlirValue pool_index(ImportCall *c, const Window *w, MlirValue x) {
  TccNamedAttr attrs[8];
  size_t n = window_attrs(c, w, attrs);
  ImportShape shape = import_shape(c, x);
  MlirValue flat = x.ptr ? import_op(c, TCC_OP_POOL_INDEX, &x, 1, attrs, n) : x;
  MlirValue plane = tcc_build_size(&c->b, import_product(c, shape.dims + 2, shape.rank - 2));
  return flat.ptr ? tcc_build2(&c->b, TCC_OP_MOD, flat, plane) : flat;
}

static bool read_window(ImportCall *c, int spatial, bool dilated, Window *out) {
  size_t n = (size_t)spatial;
  *out = (Window){.spatial = spatial};
  if (!torch_ints_of(c, "kernel_size", n, NULL, out->kernel) || !torch_ints_of(c, "stride", n, out->kernel, out->strides) ||
      !torch_ints_of(c, "padding", n, NULL, out->pads))
    return false;
  for (size_t i = 0; i < n; i++) out->dilations[i] = 1;
  if (dilated && !torch_ints_of(c, "dilation", n, NULL, out->dilations)) return false;
  for (size_t i = 0; i < n; i++) {
    if (out->kernel[i] < 1 || out->strides[i] < 1 || out->dilations[i] < 1)
      return import_invalid(c, "kernel, stride and dilation must be positive");
    if (out->kernel[i] > INT32_MAX || out->strides[i] > INT32_MAX || out->dilations[i] > INT32_MAX || out->pads[i] > INT32_MAX ||
        out->pads[i] < -INT32_MAX)
      return import_unsupported(c, "a window of more than 2^31 elements");
    out->pads[i + n] = out->pads[i];
  }
  out->ceil_mode = torch_bool(c, "ceil_mode");
  return true;
}

/* The input with a batch; *out_alone: it had none. */
static MlirValue with_batch(ImportCall *c, MlirValue x, int spatial, bool *out_alone) {
  *out_alone = import_shape(c, x).rank == spatial + 1;
  return *out_alone ? import_unsqueeze(c, x, 0) : x;
}
static MlirValue as_before(ImportCall *c, MlirValue y, bool alone) { return alone ? tcc_build_squeeze(&c->b, y, 0) : y; }

/* kind: the number of spatial axes; where the node has a second output it is given the indices. */
bool torch_op_max_pool(ImportCall *c) {
  Window w;
  bool alone;
  MlirValue x = torch_tensor(c, "self");
  if (!x.ptr || !read_window(c, c->kind, true, &w)) return false;
  x = with_batch(c, x, c->kind, &alone);
  if (!torch_output(c, 0, as_before(c, pool(c, "max", &w, x), alone))) return false;
  return torch_call(c)->noutputs < 2 || torch_output(c, 1, as_before(c, pool_index(c, &w, x), alone));
}

bool torch_op_avg_pool(ImportCall *c) {
  Window w;
  bool alone;
  MlirValue x = torch_tensor(c, "self"), y;
  ImportShape shape = import_shape(c, x);
  if (!x.ptr || !read_window(c, c->kind, false, &w)) return false;
  w.counts_pads = torch_bool(c, "count_include_pad");
  x = with_batch(c, x, c->kind, &alone);
  if (c->kind > 1 && torch_given(c, "divisor_override") && !tcc_elem_is_float(shape.elem))
    y = tcc_build2(&c->b, TCC_OP_DIV, pool(c, "sum", &w, x),
                   torch_constant(c, shape.elem, (double)torch_int(c, "divisor_override")));
  else if (c->kind > 1 && torch_given(c, "divisor_override"))
    y = torch_times(c, pool(c, "sum", &w, x), 1.0 / (double)torch_int(c, "divisor_override"));
  else y = pool(c, "avg", &w, x);
  return torch_output(c, 0, as_before(c, y, alone));
}

/* ---- gradients ---- */
/* Whether an input and the gradient of its pool have the spatial axes and the same ones before. */
static bool have_axes(ImportCall *c, const ImportShape *x, const ImportShape *grad) {
  return (x->rank >= c->kind && x->rank == grad->rank) ||
         import_invalid(c, "an input of rank %d, a gradient of rank %d", x->rank, grad->rank);
}

/* Each element's share goes to where its window's maximum was. */
bool torch_op_max_pool_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_output"), x = torch_tensor(c, "self"), indices = torch_tensor(c, "indices");
  ImportShape xs = import_shape(c, x), gs = import_shape(c, grad);
  int lead = xs.rank - c->kind;
  if (!grad.ptr || !x.ptr || !indices.ptr || !have_axes(c, &xs, &gs)) return false;
  const TccExpr *outer = import_product(c, xs.dims, lead), *plane = import_product(c, xs.dims + lead, c->kind);
  const TccExpr *flat[] = {outer, plane}, *given[] = {outer, import_product(c, gs.dims + lead, c->kind)};
  MlirValue operands[] = {torch_filled(c, torch_constant(c, gs.elem, 0), 2, flat), tcc_build_reshape(&c->b, indices, 2, given),
                          tcc_build_reshape(&c->b, grad, 2, given)};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 1)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}};
  if (!operands[0].ptr || !operands[1].ptr || !operands[2].ptr) return false;
  MlirValue y = import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2);
  return torch_output(c, 0, tcc_build_reshape(&c->b, y, xs.rank, xs.dims));
}

/* Elements where a pooling found them, zeros elsewhere. kind: the number of spatial axes. */
bool torch_op_max_unpool(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), indices = torch_tensor(c, "indices");
  ImportShape xs = import_shape(c, x), to = torch_declared(c, 0);
  int lead = xs.rank - c->kind;
  if (!x.ptr || !indices.ptr || !to.elem) return false;
  if (lead < 0 || to.rank != xs.rank) return import_invalid(c, "rank %d", xs.rank);
  const TccExpr *outer = import_product(c, xs.dims, lead);
  const TccExpr *whole[] = {outer, import_product(c, to.dims + lead, c->kind)},
                *given[] = {outer, import_product(c, xs.dims + lead, c->kind)};
  MlirValue operands[] = {torch_filled(c, torch_constant(c, xs.elem, 0), 2, whole), tcc_build_reshape(&c->b, indices, 2, given),
                          tcc_build_reshape(&c->b, x, 2, given)};
  TccNamedAttr attrs[4] = {{"axis", tcc_attr_i64(c->ir, 1)}};
  size_t nattrs = 1;
  if (!operands[0].ptr || !operands[1].ptr || !operands[2].ptr) return false;
  if (!import_valid(c, TCC_VALID_UNSIGNED, operands[0], operands[1], 1, 1, attrs, &nattrs)) return false;
  MlirValue y = import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, nattrs);
  return torch_output(c, 0, tcc_build_reshape(&c->b, y, to.rank, to.dims));
}

/* Windows that do not overlap: each element of grad at all places of its window, zeros behind the last. kernel: of each of the last `kind` axes. */
static MlirValue over_windows(ImportCall *c, MlirValue grad, const ImportShape *x, int lead, const int64_t *kernel) {
  const ImportShape gs = import_shape(c, grad);
  const TccExpr *split[TCC_MAX_RANK], *whole[TCC_MAX_RANK], *joined[TCC_MAX_RANK], *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  int rank = 0;
  bool rest = false;
  for (int i = 0; i < gs.rank; i++) {
    split[rank] = whole[rank] = joined[i] = gs.dims[i], low[i] = high[i] = import_size(c, 0), rank++;
    if (i < lead) continue;
    split[rank] = import_size(c, 1), whole[rank] = import_size(c, kernel[i - lead]), rank++;
    joined[i] = import_size_mul(c, gs.dims[i], import_size(c, kernel[i - lead]));
    high[i] = import_size_sub(c, x->dims[i], joined[i]);
    rest = rest || !import_is_size(high[i], 0);
  }
  MlirValue y = tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, grad, rank, split), rank, whole);
  y = tcc_build_reshape(&c->b, y, gs.rank, joined);
  return rest && y.ptr ? tcc_build_pad(&c->b, y, torch_constant(c, tcc_value_elem(y), 0), low, high, "constant") : y;
}

/* Whether windows of whole strides, all inside, cover each place at most once; *out_places: of a window. */
static bool are_apart(ImportCall *c, const Window *w, const ImportShape *x, const ImportShape *grad, int lead, double *out_places) {
  *out_places = 1;
  for (int a = 0; a < c->kind; a++) {
    int64_t in, out, all;
    if (w->kernel[a] < 1 || w->kernel[a] != w->strides[a] || w->pads[a] || !tcc_expr_is_const(x->dims[lead + a], &in) ||
        !tcc_expr_is_const(grad->dims[lead + a], &out) || __builtin_mul_overflow(out, w->kernel[a], &all) || all > in)
      return false;
    *out_places *= (double)w->kernel[a];
  }
  return grad->rank + c->kind <= TCC_MAX_RANK;
}

/* Whether the spatial axes of both are numbers. */
static bool are_numbers(ImportCall *c, const ImportShape *x, const ImportShape *grad, int lead) {
  int64_t size;
  for (int a = 0; a < c->kind; a++)
    if (!tcc_expr_is_const(x->dims[lead + a], &size) || !tcc_expr_is_const(grad->dims[lead + a], &size)) return false;
  return true;
}

/* Of images whose sizes are symbols. kind: avg, or sum where grad was divided before. */
static MlirValue pool_grad(ImportCall *c, const char *kind, const Window *w, MlirValue x, MlirValue grad) {
  bool alone;
  MlirValue operands[] = {with_batch(c, torch_convert(c, x, tcc_value_elem(grad)), w->spatial, &alone),
                          with_batch(c, grad, w->spatial, &alone)};
  TccNamedAttr attrs[8];
  size_t n = window_attrs(c, w, attrs);
  attrs[n++] = (TccNamedAttr){"kind", tcc_attr_str(c->ir, tcc_str(kind))};
  if (w->counts_pads) attrs[n++] = (TccNamedAttr){"count_include_pad", tcc_attr_bool(c->ir, true)};
  if (!operands[0].ptr || !operands[1].ptr) return (MlirValue){NULL};
  return as_before(c, import_op(c, TCC_OP_POOL_GRAD, operands, 2, attrs, n), alone);
}

/* The gradient of a separable average: along each axis r[i] = sum over windows o that have i of grad[o] / size of o, as a matrix. */
bool torch_op_avg_pool_backward(ImportCall *c) {
  Window w;
  MlirValue grad = torch_tensor(c, "grad_output"), x = torch_tensor(c, "self");
  ImportShape xs = import_shape(c, x), gs = import_shape(c, grad);
  int lead = xs.rank - c->kind;
  if (!grad.ptr || !x.ptr || !have_axes(c, &xs, &gs) || !read_window(c, c->kind, false, &w)) return false;
  bool include = torch_bool(c, "count_include_pad"), override = torch_given(c, "divisor_override");
  TccElem wide = torch_wide(gs.elem);
  grad = torch_convert(c, grad, wide);
  if (override) grad = torch_times(c, grad, 1.0 / (double)torch_int(c, "divisor_override"));
  double places;
  if (are_apart(c, &w, &xs, &gs, lead, &places)) {
    MlirValue y = over_windows(c, override ? grad : torch_times(c, grad, 1.0 / places), &xs, lead, w.kernel);
    return torch_output(c, 0, torch_convert(c, y, gs.elem));
  }
  if (!are_numbers(c, &xs, &gs, lead)) {
    w.counts_pads = include && !override;
    return torch_output(c, 0, torch_convert(c, pool_grad(c, override ? "sum" : "avg", &w, x, grad), gs.elem));
  }
  for (int a = 0; a < c->kind; a++) {
    int64_t in, out;
    if (!torch_fixed(c, xs.dims[lead + a], &in) || !torch_fixed(c, gs.dims[lead + a], &out)) return false;
    double *matrix = torch_axis_matrix(c, out, in);
    if (!matrix) return false;
    for (int64_t o = 0; o < out; o++) {
      int64_t begin = o * w.strides[a] - w.pads[a], end = begin + w.kernel[a];
      if (end > in + w.pads[a]) end = in + w.pads[a];
      int64_t first = begin < 0 ? 0 : begin, last = end > in ? in : end;
      for (int64_t i = first; i < last; i++)
        matrix[o * in + i] = override ? 1.0 : 1.0 / (double)(include ? end - begin : last - first);
    }
    grad = torch_axis_product(c, grad, lead + a, matrix, out, in);
  }
  return torch_output(c, 0, torch_convert(c, grad, gs.elem));
}

/* ---- adaptive ---- */
static int64_t window_begin(int64_t i, int64_t in, int64_t out) { return i * in / out; }
static int64_t window_end(int64_t i, int64_t in, int64_t out) { return ((i + 1) * in + out - 1) / out; }

/* in * out entries: how much input i counts in output o; transposed: out * in. */
static const double *average_matrix(ImportCall *c, int64_t in, int64_t out, bool transposed) {
  double *matrix = torch_axis_matrix(c, in, out);
  for (int64_t o = 0; matrix && o < out; o++) {
    int64_t begin = window_begin(o, in, out), end = window_end(o, in, out);
    for (int64_t i = begin; i < end; i++) matrix[transposed ? o * in + i : i * out + o] = 1.0 / (double)(end - begin);
  }
  return matrix;
}

/* The same where a size is a symbol: made in the run. */
static MlirValue average_matrix_in_run(ImportCall *c, TccElem elem, const TccExpr *in, const TccExpr *out, bool transposed) {
  MlirValue i = import_unsqueeze(c, import_iota(c, TCC_ELEM_I64, in), transposed ? 0 : 1);
  MlirValue o = import_unsqueeze(c, import_iota(c, TCC_ELEM_I64, out), transposed ? 1 : 0);
  MlirValue ins = tcc_build_size(&c->b, in), outs = tcc_build_size(&c->b, out);
  MlirValue begin = torch_div(c, torch_mul(c, o, ins), outs);
  MlirValue end = torch_div(c, torch_add(c, torch_mul(c, torch_plus(c, o, 1), ins), torch_plus(c, outs, -1)), outs);
  MlirValue inside = torch_both(c, tcc_build_compare(&c->b, "ge", i, begin), tcc_build_compare(&c->b, "lt", i, end));
  MlirValue length = torch_convert(c, torch_sub(c, end, begin), elem);
  return torch_if_number(c, inside, torch_div(c, torch_constant(c, elem, 1), length), 0);
}

/* x's axis of `from` elements to one of `to`: the averages, or what each gives back (transposed). */
static MlirValue averaged(ImportCall *c, MlirValue x, int axis, const TccExpr *from, const TccExpr *to, bool transposed) {
  int64_t rows, columns;
  const int64_t at = axis, first = 0;
  if (tcc_expr_is_const(from, &rows) && tcc_expr_is_const(to, &columns)) {
    const double *matrix = transposed ? average_matrix(c, columns, rows, true) : average_matrix(c, rows, columns, false);
    return torch_axis_product(c, x, axis, matrix, rows, columns);
  }
  if (!x.ptr) return x;
  MlirValue m = average_matrix_in_run(c, tcc_value_elem(x), transposed ? to : from, transposed ? from : to, transposed);
  return torch_move_axis(c, tcc_build_dot_general(&c->b, x, m, NULL, NULL, 0, &at, &first, 1), import_shape(c, x).rank - 1, axis);
}

/* Output sizes of the last `kind` axes. */
bool torch_op_adaptive_avg_pool(ImportCall *c) {
  const TccExpr *const *wanted;
  size_t n;
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  int lead = shape.rank - c->kind;
  if (!x.ptr || !torch_sizes(c, "output_size", &wanted, &n)) return false;
  if (lead < 1 || (n != (size_t)c->kind && n != 1)) return import_invalid(c, "output_size has %zu entries", n);
  int64_t axes[MOST_SPATIAL];
  size_t naxes = 0;
  for (int a = 0; a < c->kind; a++)
    if (import_is_size(wanted[n == 1 ? 0 : a], 1)) axes[naxes++] = lead + a;
  TccElem wide = torch_wide(shape.elem);
  MlirValue y = torch_convert(c, x, wide);
  if (naxes) y = tcc_build_mean(&c->b, y, axes, naxes, true);
  for (int a = 0; a < c->kind; a++) {
    const TccExpr *size = wanted[n == 1 ? 0 : a];
    if (!import_is_size(size, 1) && size != shape.dims[lead + a]) y = averaged(c, y, lead + a, shape.dims[lead + a], size, false);
  }
  return torch_output(c, 0, torch_convert(c, y, shape.elem));
}

bool torch_op_adaptive_avg_pool_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_output"), x = torch_tensor(c, "self");
  ImportShape xs = import_shape(c, x), gs = import_shape(c, grad);
  int lead = xs.rank - c->kind;
  if (!grad.ptr || !x.ptr || !have_axes(c, &xs, &gs)) return false;
  MlirValue y = torch_convert(c, grad, torch_wide(gs.elem));
  Window w = {.spatial = c->kind};
  double places;
  for (int a = 0; a < c->kind; a++) {
    int64_t in = 0, out = 0;
    if (!tcc_expr_is_const(xs.dims[lead + a], &in) || !tcc_expr_is_const(gs.dims[lead + a], &out)) continue;
    w.kernel[a] = w.strides[a] = out > 0 && in % out == 0 ? in / out : 0; /* 0: windows overlap */
  }
  if (are_apart(c, &w, &xs, &gs, lead, &places))
    return torch_output(c, 0, torch_convert(c, over_windows(c, torch_times(c, y, 1.0 / places), &xs, lead, w.kernel), gs.elem));
  for (int a = 0; a < c->kind; a++)
    if (gs.dims[lead + a] != xs.dims[lead + a]) y = averaged(c, y, lead + a, gs.dims[lead + a], xs.dims[lead + a], true);
  return torch_output(c, 0, torch_convert(c, y, gs.elem));
}

/* The maximum of each channel, [N, C, 1 ...], and where it is in its plane. */
static bool max_of_planes(ImportCall *c, MlirValue x, const ImportShape *shape, bool alone) {
  const TccExpr *plane[] = {shape->dims[0], shape->dims[1], import_product(c, shape->dims + 2, c->kind)}, *to[TCC_MAX_RANK];
  const int64_t axis = 2;
  for (int i = 0; i < shape->rank; i++) to[i] = i < 2 ? shape->dims[i] : import_size(c, 1);
  MlirValue flat = tcc_build_reshape(&c->b, x, 3, plane), most = tcc_build_reduce(&c->b, "max", flat, &axis, 1, false);
  if (!torch_output(c, 0, as_before(c, tcc_build_reshape(&c->b, most, shape->rank, to), alone))) return false;
  if (torch_call(c)->noutputs < 2) return true;
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, axis)}};
  MlirValue index = flat.ptr ? import_op(c, TCC_OP_ARG_REDUCE, &flat, 1, attrs, 2) : flat;
  return torch_output(c, 1, as_before(c, tcc_build_reshape(&c->b, index, shape->rank, to), alone));
}

bool torch_op_adaptive_max_pool(ImportCall *c) {
  enum { MOST_PLACES = 1 << 25 };
  const int64_t *wanted;
  size_t n;
  bool alone;
  MlirValue x = torch_tensor(c, "self");
  if (!x.ptr || !torch_ints(c, "output_size", &wanted, &n)) return false;
  x = with_batch(c, x, c->kind, &alone);
  ImportShape shape = import_shape(c, x);
  Window w = {.spatial = c->kind};
  if (shape.rank != c->kind + 2 || (n != (size_t)c->kind && n != 1)) return import_invalid(c, "output_size has %zu entries", n);
  int64_t sizes[MOST_SPATIAL], lengths[MOST_SPATIAL];
  int64_t *tables[MOST_SPATIAL];
  bool whole = true;
  MlirValue wide = x;
  for (int a = 0; a < c->kind; a++) {
    int64_t in;
    whole = whole && wanted[n == 1 ? 0 : a] == 1 && (!tcc_expr_is_const(shape.dims[2 + a], &in) || in > 0);
  }
  if (whole) return max_of_planes(c, x, &shape, alone);
  for (int a = 0; a < c->kind; a++) {
    int64_t in, out = wanted[n == 1 ? 0 : a], most = 1;
    if (!torch_fixed(c, shape.dims[2 + a], &in)) return false;
    if (in < 1 || out < 1) return import_unsupported(c, "a size of 0");
    if (in > MOST_PLACES || out > MOST_PLACES || in + out > MOST_PLACES)
      return import_unsupported(c, "an axis of %lld elements to %lld", (long long)in, (long long)out);
    for (int64_t o = 0; o < out; o++) {
      int64_t length = window_end(o, in, out) - window_begin(o, in, out);
      if (length > most) most = length;
    }
    int64_t count = out * most, *table = TCC_NEW_ARRAY(import_arena(c), int64_t, count);
    for (int64_t i = 0; i < count; i++) {
      int64_t at = window_begin(i / most, in, out) + i % most, end = window_end(i / most, in, out);
      table[i] = at < end ? at : end - 1;
    }
    wide = tcc_build_gather(&c->b, wide, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &count, table), 2 + a);
    tables[a] = table, sizes[a] = in, lengths[a] = count;
    w.kernel[a] = w.strides[a] = most, w.dilations[a] = 1;
  }
  if (!torch_output(c, 0, as_before(c, pool(c, "max", &w, wide), alone))) return false;
  if (torch_call(c)->noutputs < 2) return true;
  int64_t places = 1; /* where the elements of the gathered image lie in x */
  for (int a = 0; a < c->kind; a++) {
    if (lengths[a] > MOST_PLACES / places) return import_unsupported(c, "places of an image of more than %d elements", MOST_PLACES);
    places *= lengths[a];
  }
  int64_t *place = TCC_NEW_ARRAY(import_arena(c), int64_t, places + 1);
  for (int64_t i = 0; i < places; i++) {
    int64_t rest = i, at[MOST_SPATIAL];
    for (int a = c->kind - 1; a >= 0; a--) at[a] = tables[a][rest % lengths[a]], rest /= lengths[a];
    for (int a = 0; a < c->kind; a++) place[i] = place[i] * sizes[a] + at[a];
  }
  MlirValue flat = pool_index(c, &w, wide);
  return torch_output(
      c, 1, as_before(c, tcc_build_gather(&c->b, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &places, place), flat, 0), alone));
}

/* ---- fractional ---- */
/* Where the windows of an axis begin, [N, C, out]: (i + u) * step - u * step, each rounded down, u being a number of the plane's own, step (in -
 * kernel) / (out - 1); the last at in - kernel. samples [N, C]. */
static MlirValue fractional_begins(ImportCall *c, MlirValue samples, const TccExpr *in, int64_t kernel, int64_t out) {
  TccElem elem = tcc_value_elem(samples);
  const TccExpr *room = import_size_sub(c, in, import_size(c, kernel));
  MlirValue last = tcc_build_size(&c->b, room), u = import_unsqueeze(c, samples, 2);
  MlirValue index = import_iota(c, TCC_ELEM_I64, import_size(c, out)),
            count = torch_constant(c, elem, (double)(out > 1 ? out - 1 : 1));
  MlirValue step = torch_div(c, torch_convert(c, last, elem), count);
  MlirValue at = torch_mul(c, torch_add(c, torch_convert(c, index, elem), u), step);
  at = torch_sub(c, torch_convert(c, at, TCC_ELEM_I64), torch_convert(c, torch_mul(c, u, step), TCC_ELEM_I64));
  return torch_if(c, torch_is(c, "lt", index, (double)out - 1), at, last);
}

/* The maximum of each window, whose places are `random_samples`, and its flat index. kind: the number of spatial axes. */
bool torch_op_fractional_max_pool(ImportCall *c) {
  const int spatial = c->kind;
  int64_t kernel[MOST_SPATIAL], out[MOST_SPATIAL];
  MlirValue x = torch_tensor(c, "self"), samples = torch_tensor(c, "random_samples"), place = {NULL};
  bool alone;
  if (!x.ptr || !samples.ptr || !torch_ints_of(c, "kernel_size", (size_t)spatial, NULL, kernel) ||
      !torch_ints_of(c, "output_size", (size_t)spatial, NULL, out))
    return false;
  x = with_batch(c, x, spatial, &alone);
  ImportShape xs = import_shape(c, x), ss = import_shape(c, samples);
  if (xs.rank != spatial + 2 || ss.rank != 3) return import_invalid(c, "an input of rank %d, samples of rank %d", xs.rank, ss.rank);
  const TccExpr *wanted[] = {xs.dims[0], xs.dims[1], import_size(c, spatial)};
  if (!import_require_shape(c, &ss, 3, wanted, "random_samples")) return false;
  /* [N, C, outputs of each axis, kernel of each axis], of which an axis varies along two */
  const int rank = 2 + 2 * spatial;
  if (rank > TCC_MAX_RANK) return import_unsupported(c, "rank %d", rank);
  for (int a = 0; a < spatial; a++) {
    if (kernel[a] < 1 || out[a] < 1) return import_invalid(c, "kernel and output_size must be positive");
    if (kernel[a] > INT32_MAX || out[a] > INT32_MAX) return import_unsupported(c, "a window of more than 2^31 elements");
    if (!import_require_at_most(c, import_size(c, kernel[a] + out[a] - 1), xs.dims[2 + a], "kernel and output_size")) return false;
    const int own = spatial == 3 ? a : 1 - a; /* torch's order of samples */
    MlirValue sample =
        tcc_build_squeeze(&c->b, tcc_build_slice_axis(&c->b, samples, 2, import_size(c, own), 1, import_size(c, 1)), 2);
    ImportShape begin = {.rank = rank}, step = {.rank = rank};
    for (int i = 0; i < rank; i++) begin.dims[i] = i < 2 ? xs.dims[i] : import_size(c, 1), step.dims[i] = import_size(c, 1);
    begin.dims[2 + a] = import_size(c, out[a]), step.dims[2 + spatial + a] = import_size(c, kernel[a]);
    MlirValue at = tcc_build_reshape(&c->b, fractional_begins(c, sample, xs.dims[2 + a], kernel[a], out[a]), rank, begin.dims);
    at = torch_add(c, at, tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, import_size(c, kernel[a])), rank, step.dims));
    place = a ? torch_add(c, torch_mul(c, place, tcc_build_size(&c->b, xs.dims[2 + a])), at) : at;
  }
  ImportShape all = import_shape(c, place);
  const TccExpr *plane[] = {xs.dims[0], xs.dims[1], import_product(c, xs.dims + 2, spatial)};
  const TccExpr *found[] = {xs.dims[0], xs.dims[1], import_product(c, all.dims + 2, 2 * spatial)};
  const TccExpr *windows[] = {xs.dims[0], xs.dims[1], import_product(c, all.dims + 2, spatial),
                              import_product(c, all.dims + 2 + spatial, spatial)};
  MlirValue operands[] = {tcc_build_reshape(&c->b, x, 3, plane), tcc_build_reshape(&c->b, place, 3, found)};
  TccNamedAttr attr = {"axis", tcc_attr_i64(c->ir, 2)};
  if (!operands[0].ptr || !operands[1].ptr) return false;
  MlirValue values = tcc_build_reshape(&c->b, import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &attr, 1), 4, windows);
  TccNamedAttr reduce[] = {
      {"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, 3)}, {"keepdims", tcc_attr_bool(c->ir, true)}};
  int64_t axis = 3;
  ImportShape to = {.rank = 2 + spatial, .dims = {xs.dims[0], xs.dims[1]}};
  for (int a = 0; a < spatial; a++) to.dims[2 + a] = import_size(c, out[a]);
  MlirValue most = tcc_build_reduce(&c->b, "max", values, &axis, 1, false);
  if (!values.ptr || !torch_output(c, 0, as_before(c, tcc_build_reshape(&c->b, most, to.rank, to.dims), alone))) return false;
  MlirValue pick[] = {tcc_build_reshape(&c->b, place, 4, windows), import_op(c, TCC_OP_ARG_REDUCE, &values, 1, reduce, 3)};
  TccNamedAttr last = {"axis", tcc_attr_i64(c->ir, 3)};
  if (!pick[0].ptr || !pick[1].ptr) return false;
  MlirValue index = import_op(c, TCC_OP_GATHER_ELEMENTS, pick, 2, &last, 1);
  return torch_output(c, 1, as_before(c, tcc_build_reshape(&c->b, index, to.rank, to.dims), alone));
}

/* ops_pad.c - constant_pad_nd, pads by reflection, replication or wrapping, and their gradients. torch lists pads from the last axis on. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

static bool read_pads(ImportCall *c, const char *name, int rank, const TccExpr **low, const TccExpr **high) {
  const TccExpr *const *pads;
  size_t n;
  if (!torch_sizes(c, name, &pads, &n)) return false;
  if (n % 2 || n > 2 * (size_t)rank) return import_invalid(c, "%zu pads for rank %d", n, rank);
  for (int i = 0; i < rank; i++) low[i] = high[i] = import_size(c, 0);
  for (size_t i = 0; i < n / 2; i++) low[(size_t)rank - 1 - i] = pads[2 * i], high[(size_t)rank - 1 - i] = pads[2 * i + 1];
  return true;
}

/* x without what pads below 0 cut off, which are 0 from now on: what is left wraps around. */
static MlirValue cut(ImportCall *c, MlirValue x, const TccExpr **low, const TccExpr **high) {
  TccExprPool *pool = c->ir->exprs;
  const TccExpr *zero = import_size(c, 0);
  const ImportShape s = import_shape(c, x);
  for (int i = 0; i < s.rank; i++) {
    const TccExpr *front = tcc_expr_call(pool, TCC_EXPR_MAX, import_size_sub(c, zero, low[i]), zero),
                  *behind = tcc_expr_call(pool, TCC_EXPR_MAX, import_size_sub(c, zero, high[i]), zero);
    if (front == zero && behind == zero) continue;
    x = tcc_build_slice_axis(&c->b, x, i, front, 1, import_size_sub(c, import_size_sub(c, s.dims[i], front), behind));
    low[i] = import_size_add(c, low[i], front), high[i] = import_size_add(c, high[i], behind);
  }
  return x;
}

static bool padded(ImportCall *c, MlirValue x, const char *name, int mode, MlirValue value) {
  static const char *const modes[] = {"constant", "reflect", "edge", "wrap"};
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  int rank = import_shape(c, x).rank;
  if (!x.ptr || !read_pads(c, name, rank, low, high)) return false;
  if (mode == PAD_WRAP && !(x = cut(c, x, low, high)).ptr) return false;
  MlirValue operands[] = {x, value};
  TccNamedAttr attrs[] = {{"low", tcc_attr_exprs(c->ir, low, (size_t)rank)},
                          {"high", tcc_attr_exprs(c->ir, high, (size_t)rank)},
                          {"mode", tcc_attr_str(c->ir, tcc_str(modes[mode]))}};
  return torch_output(c, 0, import_op(c, TCC_OP_PAD, operands, 2, attrs, 3));
}

bool torch_op_constant_pad(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  if (!x.ptr) return false;
  MlirValue value = torch_scalar(c, "value", tcc_value_elem(x));
  return value.ptr && padded(c, x, "pad", PAD_CONSTANT, value);
}

/* kind: a mode */
bool torch_op_pad_mode(ImportCall *c) { return padded(c, torch_tensor(c, "self"), "padding", c->kind, (MlirValue){NULL}); }

bool torch_op_pad(ImportCall *c) {
  static const char *const names[] = {"constant", "reflect", "replicate", "circular"};
  MlirValue x = torch_tensor(c, "self"), none = {NULL};
  TccStr mode = torch_string(c, "mode");
  if (!x.ptr) return false;
  for (int i = PAD_REFLECT; i <= PAD_WRAP; i++)
    if (tcc_str_is(mode, names[i])) return padded(c, x, "pad", i, none);
  if (!tcc_str_is(mode, "constant")) return import_invalid(c, "mode is '%.*s'", TCC_STR_ARG(mode));
  MlirValue value = torch_given(c, "value") ? torch_scalar(c, "value", tcc_value_elem(x)) : torch_constant(c, tcc_value_elem(x), 0);
  return value.ptr && padded(c, x, "pad", PAD_CONSTANT, value);
}

/* An axis of a gradient, and what was put in front of it and behind it. */
typedef struct {
  int axis, rank;
  const TccExpr *low, *high;    /* less than 0: what was cut off */
  const TccExpr *size, *padded; /* without and with them */
} PaddedAxis;

/* x with zeros in front of it and behind it along the axis. */
static MlirValue placed(ImportCall *c, const PaddedAxis *p, MlirValue x, const TccExpr *before, const TccExpr *behind) {
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  for (int i = 0; i < p->rank; i++) low[i] = high[i] = import_size(c, 0);
  low[p->axis] = before, high[p->axis] = behind;
  return x.ptr ? tcc_build_pad(&c->b, x, torch_constant(c, tcc_value_elem(x), 0), low, high, "constant") : x;
}

/* What the n elements of one end give to x: turned around and put beside x's last element there, or their sum in its place. */
static MlirValue from_end(ImportCall *c, const PaddedAxis *p, MlirValue g, bool front, const TccExpr *n) {
  const TccExpr *one = import_size(c, 1), *zero = import_size(c, 0), *rest = import_size_sub(c, p->size, one);
  const TccExpr *first = front ? zero : import_size_sub(c, p->padded, n);
  if (c->kind == PAD_EDGE) {
    const int64_t axis = p->axis;
    MlirValue sum = torch_sum(c, tcc_build_slice_axis(&c->b, g, axis, first, 1, n), &axis, 1, true);
    return placed(c, p, sum, front ? zero : rest, front ? rest : zero);
  }
  if (!import_require_at_most(c, n, rest, "a pad by reflection and the axis")) return (MlirValue){NULL};
  const TccExpr *last = tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, import_size_sub(c, import_size_add(c, first, n), one), zero);
  MlirValue turned = tcc_build_slice_axis(&c->b, g, p->axis, last, -1, n);
  const TccExpr *other = import_size_sub(c, rest, n);
  return placed(c, p, turned, front ? one : other, front ? other : one);
}

static MlirValue pad_gradient(ImportCall *c, const PaddedAxis *p, MlirValue g) {
  const TccExpr *zero = import_size(c, 0), *low = tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, p->low, zero),
                *high = tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, p->high, zero);
  const TccExpr *kept = import_size_sub(c, import_size_sub(c, p->padded, low), high);
  MlirValue own = tcc_build_slice_axis(&c->b, g, p->axis, low, 1, kept);
  MlirValue r = placed(c, p, own, import_size_sub(c, low, p->low), import_size_sub(c, high, p->high));
  if (!import_is_size(low, 0)) r = torch_add(c, r, from_end(c, p, g, true, low));
  return import_is_size(high, 0) ? r : torch_add(c, r, from_end(c, p, g, false, high));
}

/* Each element's share goes to where the element came from; kind: PAD_REFLECT or PAD_EDGE. */
bool torch_op_pad_backward(ImportCall *c) {
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  MlirValue grad = torch_tensor(c, "grad_output"), x = torch_tensor(c, "self");
  ImportShape xs = import_shape(c, x), gs = import_shape(c, grad);
  if (!grad.ptr || !x.ptr || !read_pads(c, "padding", xs.rank, low, high)) return false;
  if (gs.rank != xs.rank) return import_invalid(c, "an input of rank %d, a gradient of rank %d", xs.rank, gs.rank);
  MlirValue y = torch_convert(c, grad, torch_wide(gs.elem));
  for (int a = 0; a < xs.rank; a++) {
    PaddedAxis p = {.axis = a, .rank = xs.rank, .low = low[a], .high = high[a], .size = xs.dims[a], .padded = gs.dims[a]};
    if (!import_is_size(low[a], 0) || !import_is_size(high[a], 0)) y = pad_gradient(c, &p, y);
  }
  return torch_output(c, 0, torch_convert(c, y, gs.elem));
}

/* Of each tensor num_chunks parts of an axis, zeros behind the last, as rows; the rows of all tensors side by side: [..., num_chunks, all]. */
bool torch_op_chunk_cat(ImportCall *c) {
  const MlirValue *given;
  size_t count;
  int64_t axis, chunks = torch_int(c, "num_chunks");
  if (c->reason || !torch_tensors(c, "tensors", &given, &count)) return false;
  if (!count || chunks < 1) return import_invalid(c, "%zu tensors in %lld chunks", count, (long long)chunks);
  MlirValue *rows = TCC_NEW_ARRAY(import_arena(c), MlirValue, count);
  for (size_t i = 0; i < count; i++) {
    ImportShape shape = import_shape(c, given[i]), to = shape;
    if (!given[i].ptr || !torch_axis(c, "dim", shape.rank, &axis)) return false;
    if (!shape.rank) return import_invalid(c, "a tensor without axes");
    if (axis + 2 > TCC_MAX_RANK) return import_unsupported(c, "rank %d", shape.rank + 1);
    const TccExpr *number = import_size(c, chunks), *each = tcc_expr_call(c->ir->exprs, TCC_EXPR_CEILDIV, shape.dims[axis], number);
    to.dims[axis] = import_size_sub(c, import_size_mul(c, each, number), shape.dims[axis]);
    MlirValue parts[] = {given[i], torch_filled(c, torch_constant(c, shape.elem, 0), to.rank, to.dims)};
    to.dims[axis] = number;
    to.dims[axis + 1] = import_size_mul(c, each, import_product(c, shape.dims + axis + 1, shape.rank - (int)axis - 1));
    to.rank = (int)axis + 2;
    rows[i] = tcc_build_reshape(&c->b, tcc_build_concat(&c->b, parts, 2, axis), to.rank, to.dims);
  }
  return torch_output(c, 0, count == 1 ? rows[0] : tcc_build_concat(&c->b, rows, count, axis + 1));
}

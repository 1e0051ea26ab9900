/* ops_distance.c - distances between rows: cdist, pdist. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

enum { MOST_PAIRS = 1 << 20 }; /* of pdist, whose numbers of rows become constants */

/* (sum |d|^p)^(1/p) along the last axis; p = 0 counts, infinity is the greatest. */
static MlirValue norm_of(ImportCall *c, MlirValue d, double p) {
  if (!d.ptr) return d;
  int64_t axis = import_shape(c, d).rank - 1;
  return torch_norm(c, tcc_build1(&c->b, TCC_OP_ABS, d), p, &axis, 1, false);
}

/* What an element d of a difference of norm `norm` adds to the gradient of the norm, times `grad`; 0 where the norm is. */
static MlirValue norm_gradient(ImportCall *c, MlirValue d, MlirValue norm, MlirValue grad, double p) {
  MlirValue sign = tcc_build1(&c->b, TCC_OP_SIGN, d), size = tcc_build1(&c->b, TCC_OP_ABS, d), y;
  if (p == 0) return torch_times(c, torch_mul(c, d, grad), 0);
  if (p == 1) return torch_mul(c, sign, grad);
  if (isinf(p)) return torch_mul(c, torch_if_number(c, tcc_build_compare(&c->b, "eq", size, norm), sign, 0), grad);
  if (p == 2) y = torch_div(c, torch_mul(c, d, grad), norm);
  else {
    y = torch_div(c, tcc_build2_number(&c->b, TCC_OP_POW, size, p - 1), tcc_build2_number(&c->b, TCC_OP_POW, norm, p - 1));
    y = torch_mul(c, torch_mul(c, sign, y), grad);
    if (p < 1) y = torch_if_number(c, torch_is(c, "ne", d, 0), y, 0);
  }
  return torch_if_number(c, torch_is(c, "ne", norm, 0), y, 0);
}

/* Of cdist in x1: grad_output and cdist [..., P, R]. */
bool torch_op_cdist_backward(ImportCall *c) {
  MlirValue x = torch_tensor(c, "x1"), y = torch_tensor(c, "x2"), grad = torch_tensor(c, "grad_output"),
            norm = torch_tensor(c, "cdist");
  ImportShape a = import_shape(c, x), b = import_shape(c, y), g = import_shape(c, grad), to = torch_declared(c, 0);
  double p = torch_float(c, "p");
  if (!x.ptr || !y.ptr || !grad.ptr || !norm.ptr || c->reason || !to.elem) return false;
  if (a.rank < 2 || b.rank < 2 || p < 0) return import_invalid(c, "rows of ranks %d and %d, p %g", a.rank, b.rank, p);
  if (a.rank == TCC_MAX_RANK || b.rank == TCC_MAX_RANK || g.rank == TCC_MAX_RANK)
    return import_unsupported(c, "an input of rank %d", TCC_MAX_RANK);
  if (import_is_size(import_product(c, g.dims, g.rank), 0)) /* a batch of nothing is x1's own shape here */
    return torch_output(c, 0, torch_filled(c, torch_constant(c, to.elem, 0), to.rank, to.dims));
  MlirValue d = torch_sub(c, import_unsqueeze(c, x, a.rank - 1), import_unsqueeze(c, y, b.rank - 2));
  MlirValue dx = norm_gradient(c, d, import_unsqueeze(c, norm, g.rank), import_unsqueeze(c, grad, g.rank), p);
  int64_t axis = import_shape(c, dx).rank - 2;
  return dx.ptr && torch_output(c, 0, torch_filled(c, torch_sum(c, dx, &axis, 1, false), to.rank, to.dims));
}

/* x1 [..., P, M], x2 [..., R, M] -> [..., P, R]. By differences, whatever compute_mode says: products of rows lose digits. */
bool torch_op_cdist(ImportCall *c) {
  MlirValue x = torch_tensor(c, "x1"), y = torch_tensor(c, "x2");
  double p = torch_has_parameter(c, "p") ? torch_float(c, "p") : 2;
  ImportShape a = import_shape(c, x), b = import_shape(c, y);
  if (!x.ptr || !y.ptr || c->reason) return false;
  if (a.rank < 2 || b.rank < 2 || p < 0) return import_invalid(c, "rows of ranks %d and %d, p %g", a.rank, b.rank, p);
  if (a.rank == TCC_MAX_RANK || b.rank == TCC_MAX_RANK) return import_unsupported(c, "an input of rank %d", TCC_MAX_RANK);
  if (isinf(p) && (import_is_size(a.dims[a.rank - 1], 0))) return import_unsupported(c, "rows without elements");
  MlirValue d = torch_sub(c, import_unsqueeze(c, x, a.rank - 1), import_unsqueeze(c, y, b.rank - 2));
  return torch_output(c, 0, norm_of(c, d, p));
}

/* The norm of the difference of two tensors. */
bool torch_op_dist(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue d = torch_sub(c, torch_tensor_as(c, "self", wide), torch_tensor_as(c, "other", wide));
  ImportShape shape = import_shape(c, d);
  double p = torch_float(c, "p");
  if (!elem || !d.ptr || c->reason) return false;
  const TccExpr *all = import_product(c, shape.dims, shape.rank);
  if (p < 0) return import_unsupported(c, "p %g", p);
  if (isinf(p) && import_is_size(all, 0)) return import_unsupported(c, "tensors without elements");
  return torch_output(c, 0, torch_convert(c, norm_of(c, tcc_build_reshape(&c->b, d, 1, &all), p), elem));
}

/* self [N, M] -> [N (N - 1) / 2]: rows i < j, by i and then j. */
bool torch_op_pdist(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  double p = torch_float(c, "p");
  ImportShape shape = import_shape(c, x);
  int64_t n;
  if (!x.ptr || c->reason) return false;
  if (shape.rank != 2 || p < 0) return import_invalid(c, "an input of rank %d, p %g", shape.rank, p);
  if (!torch_fixed(c, shape.dims[0], &n)) return false;
  if (n > 1024 || n * (n - 1) / 2 > MOST_PAIRS) return import_unsupported(c, "%lld rows", (long long)n);
  if (isinf(p) && import_is_size(shape.dims[1], 0)) return import_unsupported(c, "rows without elements");
  int64_t pairs = n > 1 ? n * (n - 1) / 2 : 0, at = 0;
  int64_t *index[2] = {TCC_NEW_ARRAY(import_arena(c), int64_t, (size_t)pairs + 1),
                       TCC_NEW_ARRAY(import_arena(c), int64_t, (size_t)pairs + 1)};
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = i + 1; j < n; j++, at++) index[0][at] = i, index[1][at] = j;
  MlirValue row[2];
  for (int k = 0; k < 2; k++) row[k] = tcc_build_gather(&c->b, x, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &pairs, index[k]), 0);
  return torch_output(c, 0, norm_of(c, torch_sub(c, row[0], row[1]), p));
}

/* Of pdist: grad_output and pdist [N (N - 1) / 2]. Each row with each: a pair's norm and gradient stand for both orders, and for a row with itself
 * the first pair's, whose difference is 0. */
bool torch_op_pdist_backward(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), grad = torch_tensor(c, "grad_output"), norm = torch_tensor(c, "pdist");
  ImportShape shape = import_shape(c, x);
  double p = torch_float(c, "p");
  int64_t n, axis = 1;
  if (!x.ptr || !grad.ptr || !norm.ptr || c->reason) return false;
  if (shape.rank != 2 || p < 0) return import_invalid(c, "an input of rank %d, p %g", shape.rank, p);
  if (!torch_fixed(c, shape.dims[0], &n)) return false;
  if (n > 1024) return import_unsupported(c, "%lld rows", (long long)n);
  if (n < 2) return torch_output(c, 0, torch_times(c, x, 0));
  int64_t *pair = TCC_NEW_ARRAY(import_arena(c), int64_t, (size_t)(n * n)), at = 0, dims[] = {n, n};
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = i + 1; j < n; j++, at++) pair[i * n + j] = pair[j * n + i] = at;
  MlirValue index = tcc_build_constant(&c->b, TCC_ELEM_I64, 2, dims, pair);
  MlirValue d = torch_sub(c, import_unsqueeze(c, x, 1), import_unsqueeze(c, x, 0));
  norm = import_unsqueeze(c, tcc_build_gather(&c->b, norm, index, 0), 2);
  grad = import_unsqueeze(c, tcc_build_gather(&c->b, grad, index, 0), 2);
  MlirValue dx = norm_gradient(c, d, norm, grad, p);
  return torch_output(c, 0, torch_sum(c, dx, &axis, 1, false));
}

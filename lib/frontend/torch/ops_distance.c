/* ops_distance.c - distances between rows: cdist, pdist. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

enum { MOST_PAIRS = 1 << 20 }; /* of pdist, whose numbers of rows become constants */

/* (sum |d|^p)^(1/p) along the last axis; p = 0 counts, infinity is the greatest. */
static MlirValue norm_of(ImportCall *c, MlirValue d, double p) {
  if (!d.ptr) return d;
  int64_t axis = import_shape(c, d).rank - 1;
  MlirValue size = tcc_build1(&c->b, TCC_OP_ABS, d);
  if (p == 0) return torch_sum(c, torch_convert(c, torch_is(c, "ne", d, 0), tcc_value_elem(d)), &axis, 1, false);
  if (p == 1) return torch_sum(c, size, &axis, 1, false);
  if (p == 2) return tcc_build1(&c->b, TCC_OP_SQRT, torch_sum(c, torch_mul(c, d, d), &axis, 1, false));
  if (isinf(p)) return tcc_build_reduce(&c->b, "max", size, &axis, 1, false);
  MlirValue sum = torch_sum(c, tcc_build2_number(&c->b, TCC_OP_POW, size, p), &axis, 1, false);
  return tcc_build2_number(&c->b, TCC_OP_POW, sum, 1 / p);
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

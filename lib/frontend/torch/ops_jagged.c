/* ops_jagged.c - tensors of parts of different lengths (torch.nested, layout jagged): their rows one behind the other, [T, ...], and offsets [B + 1] of
 * the parts, to [B, S, ...] with padding and back. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

typedef struct {
  MlirValue begin, length; /* i64 [B] */
  MlirValue end;           /* i64 [B]: the row behind the last one */
  const TccExpr *count;    /* B */
} Parts;

static bool read_parts(ImportCall *c, Parts *out) {
  const MlirValue *offsets;
  size_t count;
  if (!torch_tensors(c, "offsets", &offsets, &count)) return false;
  if (count != 1 || !offsets[0].ptr) return import_unsupported(c, "%zu axes along which parts differ", count);
  const ImportShape shape = import_shape(c, offsets[0]);
  const TccExpr *zero = import_size(c, 0), *one = import_size(c, 1);
  if (shape.rank != 1) return import_invalid(c, "offsets of rank %d", shape.rank);
  out->count = import_size_sub(c, shape.dims[0], one);
  MlirValue whole = torch_convert(c, offsets[0], TCC_ELEM_I64);
  out->begin = tcc_build_slice_axis(&c->b, whole, 0, zero, 1, out->count);
  out->end = tcc_build_slice_axis(&c->b, whole, 0, one, 1, out->count);
  out->length = torch_sub(c, out->end, out->begin);
  return out->length.ptr != NULL;
}

/* x with rows of that value behind its last one: [dims[0] + 1, ...]. */
static MlirValue with_row(ImportCall *c, MlirValue x, double value) {
  ImportShape shape = import_shape(c, x);
  shape.dims[0] = import_size(c, 1);
  MlirValue parts[] = {x, torch_filled(c, torch_constant(c, shape.elem, value), shape.rank, shape.dims)};
  return tcc_build_concat(&c->b, parts, 2, 0);
}

bool torch_op_jagged_to_padded(ImportCall *c) {
  MlirValue x = torch_tensor(c, "values");
  const double padding = torch_float(c, "padding_value");
  const TccExpr *const *longest;
  size_t count;
  Parts parts;
  if (!x.ptr || c->reason || !torch_sizes(c, "max_lengths", &longest, &count) || !read_parts(c, &parts)) return false;
  const ImportShape shape = import_shape(c, x);
  if (count != 1 || !shape.rank) return import_invalid(c, "rank %d, %zu lengths", shape.rank, count);
  const TccExpr *dims[] = {parts.count, longest[0]};
  MlirValue place = tcc_build_iota(&c->b, TCC_ELEM_I64, 1, 2, dims), begin = import_unsqueeze(c, parts.begin, 1);
  MlirValue inside = tcc_build_compare(&c->b, "lt", place, import_unsqueeze(c, parts.length, 1));
  MlirValue row = torch_if(c, inside, torch_add(c, begin, place), tcc_build_size(&c->b, shape.dims[0]));
  return torch_output(c, 0, tcc_build_gather(&c->b, with_row(c, x, padding), row, 0));
}

/* Rows behind the S of dense are 0, as are those that no part has. */
bool torch_op_padded_to_jagged(ImportCall *c) {
  MlirValue x = torch_tensor(c, "dense");
  Parts parts;
  if (!x.ptr || !read_parts(c, &parts)) return false;
  if (!torch_given(c, "total_L")) return import_unsupported(c, "a number of rows that offsets decide: total_L is not given");
  const TccExpr *total = torch_size(c, "total_L");
  ImportShape shape = import_shape(c, x);
  if (!total) return false;
  if (shape.rank < 2) return import_invalid(c, "rank %d", shape.rank);
  MlirValue row = import_iota(c, TCC_ELEM_I64, total),
            part = torch_count_up_to(c, parts.end, import_size_add(c, total, import_size(c, 1)));
  part = tcc_build_slice_axis(&c->b, part, 0, import_size(c, 0), 1, total);
  MlirValue place = torch_sub(c, row, tcc_build_gather(&c->b, parts.begin, part, 0)),
            longest = tcc_build_size(&c->b, shape.dims[1]);
  MlirValue inside = torch_both(c, tcc_build_compare(&c->b, "lt", place, longest),
                                tcc_build_compare(&c->b, "lt", part, tcc_build_size(&c->b, parts.count)));
  const TccExpr *rows = import_product(c, shape.dims, 2);
  MlirValue from = torch_if(c, inside, torch_add(c, torch_mul(c, part, longest), place), tcc_build_size(&c->b, rows));
  shape.dims[1] = rows;
  MlirValue flat = tcc_build_reshape(&c->b, x, shape.rank - 1, shape.dims + 1);
  return torch_output(c, 0, tcc_build_gather(&c->b, with_row(c, flat, 0), from, 0));
}

/* ops_reshape.c - Reshape: its entries are sizes, copies of sizes (0) or what is left (-1), and any of them may be the run's. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

/* What is left of x's elements beside the entries that are not -1, as a value of the run. */
static MlirValue rest_of(ImportCall *c, const ImportShape *from, const MlirValue *entries, int count) {
  MlirValue right = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 1), one = right;
  for (int i = 0; i < count; i++) {
    MlirValue is_rest = tcc_build_compare(&c->b, "eq", entries[i], tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, -1));
    right = tcc_build2(&c->b, TCC_OP_MUL, right, tcc_build_select(&c->b, is_rest, one, entries[i]));
  }
  return tcc_build2(&c->b, TCC_OP_DIV, tcc_build_size(&c->b, import_product(c, from->dims, from->rank)), right);
}

/* Entries that the run decides, each of which may copy a size or be what is left, as sizes. */
static bool count_reshaped(ImportCall *c, const ImportShape *from, const ImportEntry *given, int count, bool allow_zero,
                           const TccExpr **out) {
  MlirValue entries[TCC_MAX_RANK], zero = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0), rest;
  bool is_counted = false;
  for (int i = 0; i < count; i++) {
    int64_t number;
    entries[i] = import_entry_value(c, &given[i]);
    is_counted |= !given[i].size;
    const bool copies = !allow_zero && (!given[i].size || (tcc_expr_is_const(given[i].size, &number) && number == 0));
    if (copies && i < from->rank)
      entries[i] = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", entries[i], zero), tcc_build_size(&c->b, from->dims[i]),
                                    entries[i]);
    if (!entries[i].ptr) return false;
  }
  if (is_counted) rest = rest_of(c, from, entries, count);
  for (int i = 0; i < count; i++) {
    out[i] = given[i].size;
    if (out[i]) continue;
    MlirValue is_rest = tcc_build_compare(&c->b, "eq", entries[i], tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, -1));
    out[i] = import_counted_size(c, tcc_build_select(&c->b, is_rest, rest, entries[i]), NULL);
    if (!out[i]) return false;
  }
  return true;
}

/* Entries of Reshape's shape: of an attribute, or sizes that may be the run's. */
static bool reshaped_sizes(ImportCall *c, const ImportShape *from, bool allow_zero, const TccExpr **out, size_t *out_count) {
  if (onnx_call(c)->opset < 5) {
    const int64_t *given;
    if (!onnx_ints(c, "shape", &given, out_count)) return import_invalid(c, "shape is missing");
    if (*out_count > TCC_MAX_RANK) return import_unsupported(c, "a result of rank %zu", *out_count);
    for (size_t i = 0; i < *out_count; i++) out[i] = import_size(c, given[i]);
    return true;
  }
  if (!import_has_input(c, 1)) return import_invalid(c, "shape is missing");
  const ImportEntry *given = import_entries(c, 1, out_count);
  if (!given) return false;
  if (*out_count > TCC_MAX_RANK) return import_unsupported(c, "a result of rank %zu", *out_count);
  return count_reshaped(c, from, given, (int)*out_count, allow_zero, out);
}

/* The elements of x and those of the result but for the axis `rest`, without the sizes that stand on both sides. */
static void divide_sides(ImportCall *c, const ImportShape *from, const ImportShape *to, int rest, const TccExpr **out_left,
                         const TccExpr **out_right) {
  bool is_used[TCC_MAX_RANK] = {false};
  *out_left = *out_right = import_size(c, 1);
  for (int i = 0; i < to->rank; i++) {
    int k = 0;
    while (k < from->rank && (is_used[k] || from->dims[k] != to->dims[i] || tcc_expr_is_const(from->dims[k], NULL))) k++;
    if (i != rest && k < from->rank) is_used[k] = true;
    else if (i != rest) *out_right = import_size_mul(c, *out_right, to->dims[i]);
  }
  for (int k = 0; k < from->rank; k++)
    if (!is_used[k]) *out_left = import_size_mul(c, *out_left, from->dims[k]);
}

/* 0 copies a size (unless allowzero), -1 takes what is left. */
bool onnx_op_reshape(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape from = import_shape(c, x), to = {.elem = from.elem};
  const TccExpr *given[TCC_MAX_RANK];
  size_t n;
  int rest = -1;
  bool allow_zero = onnx_int(c, "allowzero", 0) != 0;
  if (!reshaped_sizes(c, &from, allow_zero, given, &n)) return false;
  to.rank = (int)n;
  for (int i = 0; i < to.rank; i++) {
    int64_t value;
    to.dims[i] = given[i];
    if (!tcc_expr_is_const(given[i], &value)) continue;
    if (value == 0 && !allow_zero) {
      if (i >= from.rank) return import_invalid(c, "entry %d copies a size that the input does not have", i);
      to.dims[i] = from.dims[i];
    } else if (value == -1) {
      if (rest >= 0) return import_invalid(c, "shape has two entries -1");
      rest = i;
    } else if (value < 0) {
      return import_invalid(c, "entry %d of shape is %lld", i, (long long)value);
    }
  }
  if (rest >= 0) {
    const TccExpr *left, *right;
    divide_sides(c, &from, &to, rest, &left, &right);
    int64_t zero;
    if (tcc_expr_is_const(right, &zero) && zero == 0) return import_invalid(c, "-1 in shape beside a size of 0");
    to.dims[rest] = import_divide(c, left, right);
    if (!to.dims[rest]) return false;
  }
  return import_output(c, 0, tcc_build_reshape(&c->b, x, to.rank, to.dims));
}

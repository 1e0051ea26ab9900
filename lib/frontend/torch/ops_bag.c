/* ops_bag.c - bags of embeddings: rows of a table, summed, averaged or their largest, bag by bag. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

enum { BAG_SUM, BAG_MEAN, BAG_MAX };

typedef struct {
  const TccExpr *bags, *count; /* indices in all of them */
  MlirValue of;                /* i64 [count]: the bag of each index */
  MlirValue keep;              /* bool [count]: the index counts; null: all do */
} Bags;

/* An index is in the last bag that begins at it or before; begins: i64 [bags], or with the end of the last one behind them. */
static bool read_bags(ImportCall *c, MlirValue indices, MlirValue begins, bool ends, Bags *out) {
  static const int64_t last[] = {1};
  *out = (Bags){.bags = import_shape(c, begins).dims[0], .count = import_shape(c, indices).dims[0]};
  if (ends) {
    out->bags = import_size_sub(c, out->bags, import_size(c, 1));
    begins = tcc_build_slice_axis(&c->b, begins, 0, import_size(c, 0), 1, out->bags);
  }
  const TccExpr *column[] = {out->count, import_size(c, 1)}, *row[] = {import_size(c, 1), out->bags};
  MlirValue place = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, out->count), 2, column);
  MlirValue begun = tcc_build_compare(&c->b, "le", tcc_build_reshape(&c->b, torch_convert(c, begins, TCC_ELEM_I64), 2, row), place);
  out->of = torch_plus(c, torch_sum(c, torch_convert(c, begun, TCC_ELEM_I64), last, 1, false), -1);
  return out->of.ptr != NULL;
}

/* rows [count, ...] into [bags, ...], by their bags. */
static MlirValue collect(ImportCall *c, const Bags *bags, MlirValue rows, const char *reduction, double initial) {
  ImportShape from = import_shape(c, rows), to = from;
  const TccExpr *lead[TCC_MAX_RANK];
  if (!rows.ptr) return rows;
  to.dims[0] = bags->bags;
  for (int i = 0; i < from.rank; i++) lead[i] = i ? import_size(c, 1) : bags->count;
  MlirValue index = torch_filled(c, tcc_build_reshape(&c->b, bags->of, from.rank, lead), from.rank, from.dims);
  MlirValue operands[] = {torch_filled(c, torch_constant(c, from.elem, initial), to.rank, to.dims), index, rows};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 0)}, {"reduction", tcc_attr_str(c->ir, tcc_str(reduction))}};
  return operands[0].ptr && index.ptr ? import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2) : (MlirValue){NULL};
}

/* As a column beside rows. */
static MlirValue beside(ImportCall *c, MlirValue x) { return x.ptr ? import_unsqueeze(c, x, 1) : x; }

/* The rows that indices name, scaled, in the type in which they are summed. */
static MlirValue rows_of(ImportCall *c, MlirValue weight, MlirValue indices, MlirValue scale) {
  MlirValue operands[] = {weight, indices};
  TccNamedAttr attrs[1];
  size_t nattrs = 0;
  if (!import_valid(c, TCC_VALID_UNSIGNED, weight, indices, 0, 1, attrs, &nattrs)) return (MlirValue){NULL};
  TccElem wide = torch_wide(tcc_value_elem(weight));
  MlirValue rows = torch_convert(c, import_op(c, TCC_OP_EMBEDDING, operands, 2, attrs, nattrs), wide);
  return scale.ptr ? torch_mul(c, rows, beside(c, torch_convert(c, scale, wide))) : rows;
}

static MlirValue reduce_bags(ImportCall *c, const Bags *bags, MlirValue rows, int64_t mode) {
  TccElem elem = tcc_value_elem(rows);
  const bool max = mode == BAG_MAX;
  if (bags->keep.ptr) rows = torch_if_number(c, beside(c, bags->keep), rows, max ? -INFINITY : 0);
  MlirValue all = collect(c, bags, rows, max ? "max" : "add", max ? -INFINITY : 0);
  if (mode == BAG_SUM) return all;
  MlirValue one = torch_filled(c, torch_constant(c, elem, 1), 1, &bags->count);
  if (bags->keep.ptr) one = torch_if_number(c, bags->keep, one, 0);
  MlirValue size = beside(c, collect(c, bags, one, "add", 0));
  if (max) return torch_if(c, torch_is(c, "eq", size, 0), torch_constant(c, elem, 0), all);
  return size.ptr ? torch_div(c, all, tcc_build2_number(&c->b, TCC_OP_MAX, size, 1)) : size;
}

/* weight [rows, width], indices [n], offsets [bags] -> [bags, width]. What else torch gives is for its backward pass. */
bool torch_op_embedding_bag(ImportCall *c) {
  static const char why[] = "a result of an embedding bag that torch's backward pass reads";
  MlirValue weight = torch_tensor(c, "weight"), indices = import_index(c, torch_tensor(c, "indices")),
            offsets = import_index(c, torch_tensor(c, "offsets")), scale = torch_optional(c, "per_sample_weights");
  int64_t mode = torch_int(c, "mode"), padding = torch_given(c, "padding_idx") ? torch_int(c, "padding_idx") : -1;
  bool ends = torch_bool(c, "include_last_offset");
  Bags bags;
  if (c->reason || !weight.ptr || !indices.ptr || !offsets.ptr) return false;
  if (import_shape(c, weight).rank != 2 || import_shape(c, indices).rank != 1 || import_shape(c, offsets).rank != 1)
    return import_invalid(c, "a table, indices or offsets of another rank");
  if (mode < BAG_SUM || mode > BAG_MAX) return import_invalid(c, "mode %lld", (long long)mode);
  if (!read_bags(c, indices, offsets, ends, &bags)) return false;
  if (padding >= 0) bags.keep = torch_is(c, "ne", indices, (double)padding);
  MlirValue rows = rows_of(c, weight, indices, scale);
  if (!rows.ptr || !torch_output(c, 0, torch_convert(c, reduce_bags(c, &bags, rows, mode), tcc_value_elem(weight)))) return false;
  for (size_t i = 1; i < torch_call(c)->noutputs; i++) torch_output_lacks(c, i, why);
  return true;
}

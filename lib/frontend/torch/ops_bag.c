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

/* An index is in the last bag that begins at it or before: so many bags have begun there, less one. begins: i64 [bags], or with the end of the last one behind
 * them; bags that begin behind the last index have none. */
static bool read_bags(ImportCall *c, MlirValue indices, MlirValue begins, bool ends, Bags *out) {
  *out = (Bags){.bags = import_shape(c, begins).dims[0], .count = import_shape(c, indices).dims[0]};
  if (ends) {
    out->bags = import_size_sub(c, out->bags, import_size(c, 1));
    begins = tcc_build_slice_axis(&c->b, begins, 0, import_size(c, 0), 1, out->bags);
  }
  MlirValue zero = torch_constant(c, TCC_ELEM_I64, 0), one = torch_constant(c, TCC_ELEM_I64, 1), begun;
  MlirValue operands[] = {torch_filled(c, zero, 1, &out->count), begins, torch_filled(c, one, 1, &out->bags)};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 0)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}},
               sums[] = {attrs[0], {"kind", tcc_attr_str(c->ir, tcc_str("sum"))}};
  if (!operands[0].ptr || !begins.ptr || !operands[2].ptr) return false;
  begun = import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2);
  if (begun.ptr) out->of = torch_plus(c, import_op(c, TCC_OP_CUMULATIVE, &begun, 1, sums, 2), -1);
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

/* Of each bag and column the index whose row `best` came from, the first of several; 0 of an empty bag. */
static MlirValue best_indices(ImportCall *c, const Bags *bags, MlirValue rows, MlirValue best, MlirValue indices) {
  ImportShape shape = import_shape(c, rows);
  MlirValue found = tcc_build_compare(&c->b, "eq", rows, tcc_build_gather(&c->b, best, bags->of, 0));
  if (bags->keep.ptr) found = torch_both(c, found, beside(c, bags->keep));
  MlirValue place = tcc_build_iota(&c->b, TCC_ELEM_I64, 0, 2, shape.dims), none = tcc_build_size(&c->b, bags->count);
  Bags all = *bags;
  MlirValue first = collect(c, &all, torch_if(c, found, place, none), "min", 0x1p52);
  MlirValue empty = torch_is(c, "eq", first, 0x1p52);
  empty = torch_either(c, empty, tcc_build_compare(&c->b, "eq", first, none));
  MlirValue index = tcc_build_gather(&c->b, torch_convert(c, indices, TCC_ELEM_I64),
                                     torch_if_number(c, tcc_build1(&c->b, TCC_OP_NOT, empty), first, 0), 0);
  return torch_if(c, empty, torch_constant(c, TCC_ELEM_I64, 0), index);
}

/* A result of indices, which are of 32 bits where those of the table are. */
static bool output_indices(ImportCall *c, size_t index, MlirValue value) {
  const TccElem elem = torch_declared(c, index).elem;
  return torch_output(c, index, elem ? torch_convert(c, value, elem) : value);
}

/* What torch's backward pass reads: the bag of each index (nothing where it knows better), the sizes of the bags, and for a maximum where it was
 * found. Of sums the latter two are zeros. */
static bool answer_bags(ImportCall *c, const Bags *bags, MlirValue rows, MlirValue best, MlirValue indices, int64_t mode) {
  ImportShape of = torch_declared(c, 1);
  const TccExpr *none = import_size(c, 0);
  MlirValue zero = torch_constant(c, TCC_ELEM_I64, 0), size = torch_filled(c, zero, 1, &bags->bags);
  if (torch_call(c)->noutputs < 4) return true;
  const bool left_out = of.elem && of.rank == 1 && import_is_size(of.dims[0], 0) && !import_is_size(bags->count, 0);
  if (!output_indices(c, 1, left_out ? torch_filled(c, zero, 1, &none) : bags->of)) return false;
  if (mode != BAG_SUM) {
    MlirValue one = torch_filled(c, torch_constant(c, TCC_ELEM_I64, 1), 1, &bags->count);
    size = collect(c, bags, bags->keep.ptr ? torch_if_number(c, bags->keep, one, 0) : one, "add", 0);
  }
  ImportShape sizes = torch_declared(c, 2); /* of sums torch counts the end of the last bag here, too */
  if (mode == BAG_SUM && sizes.rank == 1) size = torch_filled(c, zero, 1, sizes.dims);
  return output_indices(c, 2, size) && output_indices(c, 3, mode == BAG_MAX ? best_indices(c, bags, rows, best, indices) : size);
}

/* weight [rows, width], indices [n], offsets [bags] -> [bags, width]. What else torch gives is for its backward pass. */
bool torch_op_embedding_bag(ImportCall *c) {
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
  MlirValue y = rows.ptr ? reduce_bags(c, &bags, rows, mode) : rows;
  return torch_output(c, 0, torch_convert(c, y, tcc_value_elem(weight))) && answer_bags(c, &bags, rows, y, indices, mode);
}

/* ---- gradients ---- */
/* The bags of indices as `offsets` say; an end of the last bag behind them changes nothing. grad [bags, width]: its rows by index. */
static MlirValue grad_of_rows(ImportCall *c, MlirValue grad, MlirValue indices, Bags *bags) {
  MlirValue offsets = import_index(c, torch_tensor(c, "offsets"));
  int64_t padding = torch_int(c, "padding_idx");
  if (!grad.ptr || !indices.ptr || !offsets.ptr || c->reason || !read_bags(c, indices, offsets, false, bags))
    return (MlirValue){NULL};
  bags->bags = import_shape(c, grad).dims[0];
  if (padding >= 0) bags->keep = torch_is(c, "ne", indices, (double)padding);
  MlirValue rows = tcc_build_gather(&c->b, grad, bags->of, 0);
  return bags->keep.ptr ? torch_if_number(c, beside(c, bags->keep), rows, 0) : rows;
}

/* Updates [n, width] of a table of zeros, added where index [n, width] says. */
static MlirValue added(ImportCall *c, const TccExpr *rows, MlirValue index, MlirValue updates) {
  ImportShape to = import_shape(c, updates);
  MlirValue full = tcc_build_broadcast(&c->b, index, to.rank, to.dims);
  to.dims[0] = rows;
  MlirValue operands[] = {torch_filled(c, torch_constant(c, to.elem, 0), to.rank, to.dims), full, updates};
  TccNamedAttr attrs[4] = {{"axis", tcc_attr_i64(c->ir, 0)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}};
  size_t nattrs = 2;
  if (!operands[0].ptr || !full.ptr || !updates.ptr ||
      !import_valid(c, TCC_VALID_UNSIGNED, operands[0], full, 0, 1, attrs, &nattrs))
    return (MlirValue){NULL};
  return import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, nattrs);
}

/* In the table: [num_weights, width]. */
bool torch_op_embedding_bag_backward(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue grad = elem ? torch_tensor_as(c, "grad", wide) : (MlirValue){NULL},
            indices = import_index(c, torch_tensor(c, "indices"));
  MlirValue size = torch_tensor_as(c, "bag_size", TCC_ELEM_I64), scale = torch_optional(c, "per_sample_weights");
  const TccExpr *count = torch_size(c, "num_weights");
  int64_t mode = torch_int(c, "mode");
  Bags bags;
  if (!size.ptr || !count || c->reason) return false;
  if (torch_bool(c, "sparse")) return import_unsupported(c, "a sparse gradient");
  if (mode == BAG_MAX) {
    MlirValue some = beside(c, torch_is(c, "gt", size, 0));
    MlirValue y = added(c, count, torch_tensor(c, "maximum_indices"), torch_if_number(c, some, grad, 0));
    return torch_output(c, 0, torch_convert(c, y, elem));
  }
  MlirValue rows = grad_of_rows(c, grad, indices, &bags);
  if (!rows.ptr) return false;
  if (mode == BAG_MEAN) rows = torch_div(c, rows, beside(c, torch_convert(c, tcc_build_gather(&c->b, size, bags.of, 0), wide)));
  if (mode == BAG_MEAN && bags.keep.ptr) rows = torch_if_number(c, beside(c, bags.keep), rows, 0); /* of a bag of paddings alone */
  if (scale.ptr) rows = torch_mul(c, rows, beside(c, torch_convert(c, scale, wide)));
  if (torch_bool(c, "scale_grad_by_freq")) { /* by how often an index stands there */
    const int64_t axis = 1;
    MlirValue same = tcc_build_compare(&c->b, "eq", beside(c, indices), import_unsqueeze(c, indices, 0));
    rows = torch_div(c, rows, beside(c, torch_sum(c, torch_convert(c, same, wide), &axis, 1, false)));
  }
  return torch_output(c, 0, torch_convert(c, added(c, count, beside(c, indices), rows), elem));
}

/* In the weight of each index: the product of its row with the bag's gradient. */
bool torch_op_embedding_bag_weights_backward(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue grad = elem ? torch_tensor_as(c, "grad", wide) : (MlirValue){NULL},
            indices = import_index(c, torch_tensor(c, "indices"));
  MlirValue weight = torch_tensor(c, "weight");
  const int64_t axis = 1;
  Bags bags;
  MlirValue rows = grad_of_rows(c, grad, indices, &bags);
  if (!rows.ptr || !weight.ptr) return false;
  MlirValue y = torch_mul(c, rows, rows_of(c, weight, indices, (MlirValue){NULL}));
  return torch_output(c, 0, torch_convert(c, torch_sum(c, y, &axis, 1, false), elem));
}

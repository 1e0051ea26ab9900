/* ops_repeat.c - repeat_interleave: elements as often as a number or a tensor says, each beside itself. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

static MlirValue running_sum(ImportCall *c, MlirValue x) {
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("sum"))}, {"axis", tcc_attr_i64(c->ir, 0)}};
  return x.ptr ? import_op(c, TCC_OP_CUMULATIVE, &x, 1, attrs, 2) : x;
}

/* How many there are: output_size, or the sum of repeats; negative where one of them is. */
static const TccExpr *repeated_size(ImportCall *c, MlirValue repeats) {
  const int64_t axis = 0;
  if (torch_given(c, "output_size")) return torch_size(c, "output_size");
  if (import_is_size(import_shape(c, repeats).dims[0], 0)) return import_size(c, 0);
  MlirValue least = tcc_build_reduce(&c->b, "min", repeats, &axis, 1, false);
  return import_counted_size(c, torch_if(c, torch_is(c, "lt", least, 0), least, torch_sum(c, repeats, &axis, 1, false)), NULL);
}

/* repeats [n], i64: 0 repeats[0] times, then 1 repeats[1] times, and so on: at each place as many as end there or before. */
static MlirValue numbers(ImportCall *c, MlirValue repeats) {
  const TccExpr *size = repeats.ptr ? repeated_size(c, repeats) : NULL;
  if (!size) return (MlirValue){NULL};
  MlirValue ended = torch_count_up_to(c, running_sum(c, repeats), import_size_add(c, size, import_size(c, 1)));
  return tcc_build_slice_axis(&c->b, ended, 0, import_size(c, 0), 1, size);
}

/* repeat_interleave.Tensor: of the numbers from 0. */
bool torch_op_repeated_numbers(ImportCall *c) {
  MlirValue repeats = torch_tensor_as(c, "repeats", TCC_ELEM_I64);
  if (repeats.ptr && import_shape(c, repeats).rank != 1) return import_invalid(c, "rank %d", import_shape(c, repeats).rank);
  return repeats.ptr && torch_answer(c, numbers(c, repeats));
}

/* self, whose axis dim is repeated, or all its elements in a row. */
static bool read_repeated(ImportCall *c, MlirValue *x, ImportShape *shape, int64_t *axis) {
  *x = torch_tensor(c, "self");
  *shape = import_shape(c, *x);
  *axis = 0;
  if (!torch_given(c, "dim") || !shape->rank) {
    shape->dims[0] = import_product(c, shape->dims, shape->rank), shape->rank = 1;
    *x = tcc_build_reshape(&c->b, *x, 1, shape->dims);
  }
  return x->ptr && (!torch_given(c, "dim") || torch_axis(c, "dim", shape->rank, axis));
}

/* repeat_interleave.self_Tensor; one number stands for all. */
bool torch_op_repeat_interleave(ImportCall *c) {
  MlirValue x;
  ImportShape shape;
  int64_t axis;
  if (!read_repeated(c, &x, &shape, &axis)) return false;
  MlirValue repeats = torch_operand(c, "repeats", TCC_ELEM_I64);
  ImportShape rs = import_shape(c, repeats);
  if (!repeats.ptr) return false;
  if (rs.rank > 1) return import_invalid(c, "repeats of rank %d", rs.rank);
  if (!rs.rank || import_is_size(rs.dims[0], 1)) repeats = tcc_build_broadcast(&c->b, repeats, 1, &shape.dims[axis]);
  else if (!import_require_equal(c, rs.dims[0], shape.dims[axis], "the number of repeats and an axis")) return false;
  return torch_output(c, 0, tcc_build_gather(&c->b, x, numbers(c, repeats), axis));
}

/* repeat_interleave by a number: a new axis behind dim, which becomes one with it. */
bool torch_op_repeat_each(ImportCall *c) {
  MlirValue x;
  ImportShape shape, wide;
  int64_t axis;
  const TccExpr *times = torch_size(c, "repeats");
  if (!times || !read_repeated(c, &x, &shape, &axis)) return false;
  x = import_unsqueeze(c, x, axis + 1);
  wide = import_shape(c, x);
  if (!x.ptr) return false;
  wide.dims[axis + 1] = times, shape.dims[axis] = import_size_mul(c, shape.dims[axis], times);
  return torch_output(c, 0, tcc_build_reshape(&c->b, tcc_build_broadcast(&c->b, x, wide.rank, wide.dims), shape.rank, shape.dims));
}

/* ops_convert.c - overloads that change the element type, copy, or do nothing to the numbers. */
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "tcc/op_kinds.h"

bool torch_op_alias(ImportCall *c) { return torch_output_view(c, 0, torch_view_alias(c, torch_storage(c, "self"))); }

/* torch gives the tensor itself where nothing changes and no copy is asked for. */
bool torch_op_convert(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  if (c->kind == COPY) return elem && torch_output(c, 0, torch_operand(c, "self", elem)); /* torch.vmap has numbers there */
  TorchTensor *self = torch_storage(c, "self");
  MlirValue x = torch_read(c, self);
  if (!x.ptr || !elem) return false;
  bool copies = elem != tcc_value_elem(x) || (torch_argument(c, "copy") && torch_bool(c, "copy"));
  return copies ? torch_output(c, 0, tcc_build_convert(&c->b, x, elem)) : torch_output_view(c, 0, torch_view_alias(c, self));
}

/* The tensor itself if it is laid out so. */
bool torch_op_contiguous(ImportCall *c) {
  TorchTensor *self = torch_storage(c, "self");
  MlirValue x = torch_read(c, self);
  const TccTorchMeta *from = self ? self->meta : NULL, *to = torch_meta(torch_call(c)->scope, torch_call(c)->names[0]);
  bool same = from && to && from->rank == to->rank;
  for (size_t i = 0; same && i < to->rank; i++)
    same = to->strides[i].value != INT64_MIN && from->strides[i].value == to->strides[i].value;
  return same ? torch_output_view(c, 0, torch_view_alias(c, self)) : torch_output(c, 0, x);
}

bool torch_op_copy(ImportCall *c) {
  ImportShape shape = import_shape(c, torch_tensor(c, "self"));
  return torch_output(c, 0, tcc_build_broadcast(&c->b, torch_tensor_as(c, "src", shape.elem), shape.rank, shape.dims));
}

bool torch_op_convert_element(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  return elem && torch_output(c, 0, torch_tensor_as(c, "a", elem));
}

/* A tensor that takes the sizes of another one, where it has them already. */
bool torch_op_resize_as(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape own = import_shape(c, x), wanted = import_shape(c, torch_tensor(c, "the_template"));
  if (!x.ptr || c->reason) return false;
  bool same = own.rank == wanted.rank;
  for (int i = 0; same && i < own.rank; i++) same = own.dims[i] == wanted.dims[i];
  return same ? torch_output(c, 0, x) : import_unsupported(c, "a tensor that gets other sizes");
}

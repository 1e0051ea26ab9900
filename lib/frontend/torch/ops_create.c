/* ops_create.c - overloads that make tensors of nothing but sizes and numbers. */
#include "lib/frontend/torch/ops.h"
#include "tcc/op_kinds.h"

bool torch_op_fill(ImportCall *c) {
  static const char *const names[] = {"fill_value", "value", "s"};
  ImportShape shape = torch_declared(c, 0);
  TccElem elem = torch_result(c, 0);
  MlirValue value = {NULL};
  if (!elem || !shape.elem) return false;
  if (c->kind != FILL_VALUE) value = tcc_build_scalar(&c->b, elem, c->kind == FILL_ONE);
  for (size_t i = 0; c->kind == FILL_VALUE && i < sizeof names / sizeof *names; i++)
    if (torch_argument(c, names[i])) value = torch_scalar(c, names[i], elem);
  if (!value.ptr) return import_invalid(c, "no value");
  return torch_output(c, 0, shape.rank ? tcc_build_broadcast(&c->b, value, shape.rank, shape.dims) : value);
}

static bool is_number(ImportCall *c, const char *name, int64_t value) {
  TorchNumber n = torch_number(c, name);
  return n.size ? import_is_size(n.size, value) : !n.value.ptr && n.real == (double)value;
}

/* start + i * step; torch counts in the type of the result, reals in f64. */
bool torch_op_arange(ImportCall *c) {
  TccElem elem = torch_result(c, 0), inner = tcc_elem_is_float(elem) ? TCC_ELEM_F64 : TCC_ELEM_I64;
  ImportShape shape = torch_declared(c, 0);
  if (!elem || shape.rank != 1) return import_invalid(c, "the graph does not say how large it is");
  bool from = torch_argument(c, "start") && !is_number(c, "start", 0),
       steps = torch_argument(c, "step") && !is_number(c, "step", 1);
  if (!from && !steps) return torch_output(c, 0, import_iota(c, elem, shape.dims[0]));
  MlirValue value = import_iota(c, inner, shape.dims[0]);
  if (steps) value = tcc_build2(&c->b, TCC_OP_MUL, value, torch_scalar(c, "step", inner));
  if (from) value = tcc_build2(&c->b, TCC_OP_ADD, value, torch_scalar(c, "start", inner));
  return value.ptr && torch_output(c, 0, tcc_build_convert(&c->b, value, elem));
}

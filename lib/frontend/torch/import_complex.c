/* import_complex.c - nodes that take or give complex tensors: as pairs of real ones.
 *
 * A complex tensor is the TorchTensor of its real part, which knows that of the imaginary part; there are none in the IR. What is linear with real
 * factors, views among it, is its own handler twice: once for the real parts of what it is given and once for the imaginary ones. Products and
 * the others have formulas here. Fourier transforms are in ops_fourier.c. */
#include "lib/frontend/torch/import_complex.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

/* ---- what is complex ---- */
static TccElem part_elem(const TccTorchMeta *meta) {
  enum { COMPLEX32 = 9, COMPLEX64, COMPLEX128 }; /* numbers of the schema */
  return !meta ? TCC_ELEM_NONE : meta->type == COMPLEX64 ? TCC_ELEM_F32 : meta->type == COMPLEX128 ? TCC_ELEM_F64 : TCC_ELEM_NONE;
}

TccElem torch_complex_elem(ImportCall *c, size_t index) {
  return part_elem(torch_meta(torch_call(c)->scope, torch_call(c)->names[index]));
}

static bool is_complex_name(const TorchCall *call, TccStr name) {
  const TccMapEntry *entry = name.data ? tcc_map_find(call->scope->values, name) : NULL;
  const TorchValue *value = entry ? entry->constant : NULL;
  return value && value->kind == TORCH_TENSOR && value->tensor->imaginary;
}

bool torch_is_complex(TorchCall *call) {
  for (size_t i = 0; i < call->node->ninputs; i++) {
    const TccTorchArg *a = &call->node->inputs[i].arg;
    if (a->kind == TCC_TORCH_TENSOR && is_complex_name(call, a->text)) return true;
    for (size_t k = 0; (a->kind == TCC_TORCH_TENSORS || a->kind == TCC_TORCH_OPTIONAL_TENSORS) && k < a->list.count; k++)
      if (is_complex_name(call, a->list.texts[k])) return true;
  }
  for (size_t i = 0; i < call->noutputs; i++)
    if (call->names[i].length && part_elem(torch_meta(call->scope, call->names[i]))) return true;
  return false;
}

/* ---- operands and results ---- */
bool torch_complex_operand(ImportCall *c, const char *name, TccElem elem, TorchComplex *out) {
  const TccTorchArg *a = torch_argument(c, name);
  *out = (TorchComplex){{NULL}, {NULL}};
  if (a && a->kind == TCC_TORCH_COMPLEX) {
    out->real = tcc_build_scalar(&c->b, elem, a->complex.real);
    out->imaginary = tcc_build_scalar(&c->b, elem, a->complex.imaginary);
    return true;
  }
  if (a && a->kind == TCC_TORCH_TENSOR) {
    TorchTensor *t = torch_storage(c, name);
    if (t) out->real = torch_convert(c, torch_read(c, t), elem);
    if (t && t->imaginary) out->imaginary = torch_convert(c, torch_read(c, t->imaginary), elem);
    return out->real.ptr != NULL;
  }
  out->real = torch_operand(c, name, elem);
  return out->real.ptr != NULL;
}

static MlirValue zeros_like(ImportCall *c, MlirValue x) {
  ImportShape s = import_shape(c, x);
  return x.ptr ? torch_filled(c, torch_constant(c, s.elem, 0), s.rank, s.dims) : x;
}

bool torch_complex_output(ImportCall *c, size_t index, TorchComplex v) {
  if (!v.imaginary.ptr) v.imaginary = zeros_like(c, v.real);
  TorchTensor *t = torch_tensor_make(c, v.real);
  if (t) t->imaginary = torch_tensor_make(c, v.imaginary);
  return t && t->imaginary && torch_output_view(c, index, t);
}

TorchComplex torch_complex_product(ImportCall *c, TorchComplex a, TorchComplex b) {
  if (!a.imaginary.ptr)
    return (TorchComplex){torch_mul(c, a.real, b.real), b.imaginary.ptr ? torch_mul(c, a.real, b.imaginary) : b.imaginary};
  if (!b.imaginary.ptr) return (TorchComplex){torch_mul(c, a.real, b.real), torch_mul(c, a.imaginary, b.real)};
  return (TorchComplex){torch_sub(c, torch_mul(c, a.real, b.real), torch_mul(c, a.imaginary, b.imaginary)),
                        torch_add(c, torch_mul(c, a.real, b.imaginary), torch_mul(c, a.imaginary, b.real))};
}

static MlirValue square_of(ImportCall *c, TorchComplex x) {
  return torch_add(c, torch_mul(c, x.real, x.real), torch_mul(c, x.imaginary, x.imaginary));
}

/* ---- formulas ---- */
static bool polar(ImportCall *c) {
  TccElem elem = torch_complex_elem(c, 0);
  MlirValue size = torch_tensor_as(c, "abs", elem), angle = torch_tensor_as(c, "angle", elem);
  return size.ptr && angle.ptr &&
         torch_complex_output(c, 0,
                              (TorchComplex){torch_mul(c, size, tcc_build1(&c->b, TCC_OP_COS, angle)),
                                             torch_mul(c, size, tcc_build1(&c->b, TCC_OP_SIN, angle))});
}

static bool from_parts(ImportCall *c) {
  TccElem elem = torch_complex_elem(c, 0);
  MlirValue v[] = {torch_tensor_as(c, "real", elem), torch_tensor_as(c, "imag", elem)};
  ImportShape shape;
  return v[0].ptr && v[1].ptr && torch_broadcast_all(c, v, 2, &shape) && torch_complex_output(c, 0, (TorchComplex){v[0], v[1]});
}

/* Parts of [..., 2] are views of it. */
static bool view_as_complex(ImportCall *c) {
  TorchTensor *x = torch_storage(c, "self"), *part[2];
  ImportShape s = import_shape(c, torch_read(c, x));
  if (!x || s.rank < 1) return import_invalid(c, "no pairs");
  for (int i = 0; i < 2; i++) {
    part[i] = torch_view_slice(c, x, s.rank - 1, import_size(c, i), 1, import_size(c, 1));
    part[i] = torch_view_reshape(c, part[i], s.rank - 1, s.dims);
  }
  if (!part[0] || !part[1]) return false;
  part[0]->imaginary = part[1];
  return torch_output_view(c, 0, part[0]);
}

static bool view_as_real(ImportCall *c) {
  TorchTensor *x = torch_storage(c, "self");
  if (!x || !x->imaginary) return false;
  const int rank = import_shape(c, torch_read(c, x)).rank;
  MlirValue parts[] = {import_unsqueeze(c, torch_read(c, x), rank), import_unsqueeze(c, torch_read(c, x->imaginary), rank)};
  TorchTensor *pairs = parts[0].ptr && parts[1].ptr ? torch_tensor_make(c, tcc_build_concat(&c->b, parts, 2, rank)) : NULL;
  if (pairs) pairs->fixed = "writes to the numbers that complex ones are made of";
  return torch_output_view(c, 0, pairs);
}

static bool mul(ImportCall *c) {
  TorchComplex a, b;
  TccElem elem = torch_complex_elem(c, 0);
  return torch_complex_operand(c, "self", elem, &a) && torch_complex_operand(c, "other", elem, &b) &&
         torch_complex_output(c, 0, torch_complex_product(c, a, b));
}

/* a / b = a conj(b) / |b|^2 */
static bool quotient(ImportCall *c) {
  TorchComplex a, b;
  TccElem elem = torch_complex_elem(c, 0);
  if (!torch_complex_operand(c, "self", elem, &a) || !torch_complex_operand(c, "other", elem, &b)) return false;
  if (!b.imaginary.ptr)
    return torch_complex_output(
        c, 0, (TorchComplex){torch_div(c, a.real, b.real), a.imaginary.ptr ? torch_div(c, a.imaginary, b.real) : a.imaginary});
  MlirValue size = square_of(c, b);
  TorchComplex r = torch_complex_product(c, a, (TorchComplex){b.real, torch_neg(c, b.imaginary)});
  return torch_complex_output(c, 0, (TorchComplex){torch_div(c, r.real, size), torch_div(c, r.imaginary, size)});
}

/* kind: 1 or -1, of alpha times other */
static bool sum(ImportCall *c, double sign) {
  TorchComplex a, b;
  TccElem elem = torch_complex_elem(c, 0);
  double alpha = (torch_has_parameter(c, "alpha") ? torch_float(c, "alpha") : 1) * sign;
  if (c->reason || !torch_complex_operand(c, "self", elem, &a) || !torch_complex_operand(c, "other", elem, &b)) return false;
  if (!a.imaginary.ptr) a.imaginary = zeros_like(c, a.real);
  if (!b.imaginary.ptr) b.imaginary = zeros_like(c, b.real);
  if (alpha != 1) b = (TorchComplex){torch_times(c, b.real, alpha), torch_times(c, b.imaginary, alpha)};
  return torch_complex_output(c, 0, (TorchComplex){torch_add(c, a.real, b.real), torch_add(c, a.imaginary, b.imaginary)});
}
static bool add(ImportCall *c) { return sum(c, 1); }
static bool sub(ImportCall *c) { return sum(c, -1); }

static bool conjugate(ImportCall *c) {
  TorchComplex x;
  return torch_complex_operand(c, "self", torch_complex_elem(c, 0), &x) &&
         torch_complex_output(c, 0, (TorchComplex){x.real, x.imaginary.ptr ? torch_neg(c, x.imaginary) : x.imaginary});
}

/* To a real type: the real part. */
static bool convert(ImportCall *c) {
  TorchComplex x;
  TccElem elem = torch_complex_elem(c, 0), real = elem ? elem : torch_result(c, 0);
  if (!real || !torch_complex_operand(c, "self", real, &x)) return false;
  return elem ? torch_complex_output(c, 0, x) : torch_output(c, 0, x.real);
}

/* sqrt(a^2 + b^2), scaled by the greater one, so that no square leaves the type. */
static MlirValue magnitude_of(ImportCall *c, TorchComplex x) {
  MlirValue a = tcc_build1(&c->b, TCC_OP_ABS, x.real), b = tcc_build1(&c->b, TCC_OP_ABS, x.imaginary);
  MlirValue most = tcc_build2(&c->b, TCC_OP_MAX, a, b), ratio = torch_div(c, tcc_build2(&c->b, TCC_OP_MIN, a, b), most);
  MlirValue r = torch_mul(c, most, tcc_build1(&c->b, TCC_OP_SQRT, torch_plus(c, torch_mul(c, ratio, ratio), 1)));
  MlirValue is_end = torch_either(c, torch_is(c, "eq", most, 0), torch_is(c, "eq", most, INFINITY));
  return torch_if(c, is_end, most, r);
}

static bool magnitude(ImportCall *c) {
  TorchComplex x;
  TccElem elem = torch_result(c, 0);
  return elem && torch_complex_operand(c, "self", elem, &x) && torch_output(c, 0, magnitude_of(c, x));
}

static bool angle(ImportCall *c) {
  TorchComplex x;
  TccElem elem = torch_result(c, 0);
  return elem && torch_complex_operand(c, "self", elem, &x) &&
         torch_output(c, 0, tcc_build2(&c->b, TCC_OP_ATAN2, x.imaginary, x.real));
}

static bool real_part(ImportCall *c) {
  TorchTensor *x = torch_storage(c, "self");
  return x && torch_output_view(c, 0, torch_view_alias(c, x));
}
static bool imaginary_part(ImportCall *c) {
  TorchTensor *x = torch_storage(c, "self");
  return x && torch_output_view(c, 0, torch_view_alias(c, x->imaginary));
}

/* x / |x|; 0 is 0. */
static bool sign(ImportCall *c) {
  TorchComplex x;
  if (!torch_complex_operand(c, "self", torch_complex_elem(c, 0), &x)) return false;
  MlirValue size = magnitude_of(c, x);
  size = torch_if_number(c, torch_is(c, "ne", size, 0), size, 1);
  return torch_complex_output(c, 0, (TorchComplex){torch_div(c, x.real, size), torch_div(c, x.imaginary, size)});
}

/* Of a tensor and a number or a tensor. */
static bool equal(ImportCall *c) {
  TorchComplex a, b;
  if (!torch_complex_operand(c, "self", TCC_ELEM_F64, &a) || !torch_complex_operand(c, "other", TCC_ELEM_F64, &b)) return false;
  MlirValue zero = torch_constant(c, TCC_ELEM_F64, 0);
  return torch_output(
      c, 0,
      torch_both(c, tcc_build_compare(&c->b, "eq", a.real, b.real),
                 tcc_build_compare(&c->b, "eq", a.imaginary.ptr ? a.imaginary : zero, b.imaginary.ptr ? b.imaginary : zero)));
}

/* A number as often as the result asks. */
static bool filled(ImportCall *c) {
  TorchComplex x;
  ImportShape to = torch_declared(c, 0);
  if (!torch_complex_operand(c, torch_has_parameter(c, "s") ? "s" : "fill_value", to.elem, &x)) return false;
  x.real = torch_filled(c, x.real, to.rank, to.dims);
  if (x.imaginary.ptr) x.imaginary = torch_filled(c, x.imaginary, to.rank, to.dims);
  return torch_complex_output(c, 0, x);
}

static const struct {
  const char *name;
  bool (*formula)(ImportCall *c);
} formulas[] = {{"aten.polar.default", polar},
                {"aten.complex.default", from_parts},
                {"aten.view_as_complex.default", view_as_complex},
                {"aten.view_as_real.default", view_as_real},
                {"aten.mul.Tensor", mul},
                {"aten.mul.Scalar", mul},
                {"aten.div.Tensor", quotient},
                {"aten.div.Scalar", quotient},
                {"aten.add.Tensor", add},
                {"aten.sub.Tensor", sub},
                {"aten._conj.default", conjugate},
                {"aten._conj_physical.default", conjugate},
                {"aten.conj_physical.default", conjugate},
                {"aten._to_copy.default", convert},
                {"aten.to.dtype", convert},
                {"aten.scalar_tensor.default", filled},
                {"aten.full.default", filled},
                {"aten.sgn.default", sign},
                {"aten.eq.Scalar", equal},
                {"aten.eq.Tensor", equal},
                {"prims.convert_element_type.default", convert},
                {"aten.abs.default", magnitude},
                {"aten.angle.default", angle},
                {"aten.real.default", real_part},
                {"prims.real.default", real_part},
                {"prims.imag.default", imaginary_part},
                {"aten.imag.default", imaginary_part},
                {"aten._fft_c2c.default", torch_fourier_complex},
                {"aten._fft_r2c.default", torch_fourier_real},
                {"aten._fft_c2r.default", torch_fourier_to_real}};

/* ---- each part alone ---- */
/* Operators, or one overload of them, that do the same to both parts, and take no numbers but sizes. The imaginary parts of real tensors are 0
 * (import_args.c). */
// clang-format off
static const char *const linear[] = {"alias", "clone", "contiguous", "detach", "view", "reshape", "_unsafe_view", "unsqueeze",
  "squeeze", "expand", "permute", "transpose", "t", "slice", "select", "cat", "stack", "neg", "sum", "mean", "split", "unbind",
  "split_with_sizes", "flatten", "gather", "index", "index_select", "roll", "flip", "repeat", "movedim", "resolve_conj",
  "resolve_neg", "slice_backward", "select_backward", "expand_as", "lift_fresh_copy", "zeros", "zeros_like", "new_zeros",
  "diagonal", "copy", "where.self", "slice_scatter", "select_scatter"};
// clang-format on

static bool is_linear(TccStr op) {
  static const char prefix[] = "aten.";
  if (!tcc_str_starts(op, prefix)) return false;
  op.data += sizeof prefix - 1, op.length -= sizeof prefix - 1;
  for (size_t i = 0; i < sizeof linear / sizeof *linear; i++) {
    const size_t length = strlen(linear[i]);
    if (op.length >= length && memcmp(op.data, linear[i], length) == 0 && (op.length == length || op.data[length] == '.'))
      return true;
  }
  return false;
}

static bool by_parts(TorchCall *call) {
  ImportCall *c = &call->call;
  const TorchOp *op = torch_find_op(c->op);
  TorchValue *outputs = call->outputs, *imaginary = TCC_NEW_ARRAY(import_arena(c), TorchValue, call->noutputs + 1);
  if (!op) return import_unsupported(c, "of complex numbers");
  c->kind = op->kind;
  if (!op->handler(c)) return false;
  call->imaginary = true, call->outputs = imaginary;
  const bool ok = op->handler(c);
  call->imaginary = false, call->outputs = outputs;
  for (size_t i = 0; ok && i < call->noutputs; i++) {
    if (outputs[i].kind != TORCH_TENSOR || imaginary[i].kind != TORCH_TENSOR) return import_unsupported(c, "of complex numbers");
    outputs[i].tensor->imaginary = imaginary[i].tensor;
  }
  return ok;
}

bool torch_complex(TorchCall *call) {
  ImportCall *c = &call->call;
  torch_find_schema(c->op, &call->schema);
  for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
    if (tcc_str_is(c->op, formulas[i].name)) return formulas[i].formula(c);
  return is_linear(c->op) ? by_parts(call) : import_unsupported(c, "of complex numbers");
}

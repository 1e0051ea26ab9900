/* import_complex.c - nodes that take or give complex tensors: as pairs of real ones.
 *
 * A complex tensor is the TorchTensor of its real part, which knows that of the imaginary part; there are none in the IR. What is linear with real
 * factors, views among it, is its own handler twice: once for the real parts of what it is given and once for the imaginary ones. Products and
 * the others have formulas here. Fourier transforms are in ops_fourier.c. */
#include "lib/frontend/torch/import_complex.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

/* ---- what is complex ---- */
TccElem torch_complex_part(const TccTorchMeta *meta) {
  enum { COMPLEX32 = 9, COMPLEX64, COMPLEX128 }; /* numbers of the schema */
  return !meta ? TCC_ELEM_NONE : meta->type == COMPLEX64 ? TCC_ELEM_F32 : meta->type == COMPLEX128 ? TCC_ELEM_F64 : TCC_ELEM_NONE;
}

TccElem torch_complex_elem(ImportCall *c, size_t index) {
  return torch_complex_part(torch_meta(torch_call(c)->scope, torch_call(c)->names[index]));
}

static bool is_complex_name(const TorchCall *call, TccStr name) {
  const TccMapEntry *entry = name.data ? tcc_map_find(call->scope->values, name) : NULL;
  const TorchValue *value = entry ? entry->constant : NULL;
  return value && value->kind == TORCH_TENSOR && value->tensor->imaginary;
}

/* Those that have formulas here alone, whatever they are of: aten.fft_irfft of real numbers. */
static bool is_fourier(TccStr op) {
  const bool shifts = tcc_str_starts(op, "aten.fft_fftshift") || tcc_str_starts(op, "aten.fft_ifftshift");
  return (tcc_str_starts(op, "aten.fft_") && !shifts) || tcc_str_starts(op, "aten.stft.") || tcc_str_starts(op, "aten.istft.");
}

bool torch_is_complex(TorchCall *call) {
  if (is_fourier(call->call.op)) return true;
  for (size_t i = 0; i < call->node->ninputs; i++) {
    const TccTorchArg *a = &call->node->inputs[i].arg;
    if (a->kind == TCC_TORCH_TENSOR && is_complex_name(call, a->text)) return true;
    for (size_t k = 0; (a->kind == TCC_TORCH_TENSORS || a->kind == TCC_TORCH_OPTIONAL_TENSORS) && k < a->list.count; k++)
      if (is_complex_name(call, a->list.texts[k])) return true;
  }
  for (size_t i = 0; i < call->noutputs; i++)
    if (call->names[i].length && torch_complex_part(torch_meta(call->scope, call->names[i]))) return true;
  return false;
}

/* ---- operands and results ---- */
static bool parts_of(ImportCall *c, TorchTensor *t, TccElem elem, TorchComplex *out) {
  *out = (TorchComplex){{NULL}, {NULL}};
  if (t) out->real = torch_convert(c, torch_read(c, t), elem);
  if (t && t->imaginary) out->imaginary = torch_convert(c, torch_read(c, t->imaginary), elem);
  return out->real.ptr != NULL;
}

bool torch_complex_item(ImportCall *c, const TccTorchArg *list, size_t index, TccElem elem, TorchComplex *out) {
  const TccTorchArg item = {.kind = TCC_TORCH_TENSOR, .text = list->list.texts[index]};
  const TorchValue *value = torch_value(c, &item);
  return value && value->kind == TORCH_TENSOR && parts_of(c, value->tensor, elem, out);
}

bool torch_complex_operand(ImportCall *c, const char *name, TccElem elem, TorchComplex *out) {
  const TccTorchArg *a = torch_argument(c, name);
  *out = (TorchComplex){{NULL}, {NULL}};
  if (a && a->kind == TCC_TORCH_COMPLEX) {
    out->real = tcc_build_scalar(&c->b, elem, a->complex.real);
    out->imaginary = tcc_build_scalar(&c->b, elem, a->complex.imaginary);
    return true;
  }
  if (a && a->kind == TCC_TORCH_TENSOR) return parts_of(c, torch_storage(c, name), elem, out);
  out->real = torch_operand(c, name, elem);
  return out->real.ptr != NULL;
}

static MlirValue zeros_like(ImportCall *c, MlirValue x) {
  ImportShape s = import_shape(c, x);
  return x.ptr ? torch_filled(c, torch_constant(c, s.elem, 0), s.rank, s.dims) : x;
}

void torch_complex_fill(ImportCall *c, TorchComplex *x) {
  if (!x->imaginary.ptr) x->imaginary = zeros_like(c, x->real);
}

bool torch_complex_output(ImportCall *c, size_t index, TorchComplex v) {
  torch_complex_fill(c, &v);
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

TorchTensor *torch_complex_from_pairs(ImportCall *c, TorchTensor *pairs) {
  TorchTensor *part[2];
  ImportShape s = import_shape(c, torch_read(c, pairs));
  if (!pairs || s.rank < 1) return NULL;
  for (int i = 0; i < 2; i++) {
    part[i] = torch_view_slice(c, pairs, s.rank - 1, import_size(c, i), 1, import_size(c, 1));
    part[i] = torch_view_reshape(c, part[i], s.rank - 1, s.dims);
  }
  if (!part[0] || !part[1]) return NULL;
  part[0]->imaginary = part[1];
  return part[0];
}

static MlirValue read_pairs(ImportCall *c, const TorchTensor *view, MlirValue real) {
  MlirValue imaginary = torch_read(c, view->also);
  const int rank = import_shape(c, real).rank;
  MlirValue parts[] = {import_unsqueeze(c, real, rank), import_unsqueeze(c, imaginary, rank)};
  return parts[0].ptr && parts[1].ptr ? tcc_build_concat(&c->b, parts, 2, rank) : (MlirValue){NULL};
}

static bool write_pairs(ImportCall *c, const TorchTensor *view, MlirValue value) {
  const ImportShape s = import_shape(c, value);
  const int axis = s.rank - 1;
  for (int i = 0; i < 2; i++) {
    MlirValue part = tcc_build_slice_axis(&c->b, value, axis, import_size(c, i), 1, import_size(c, 1));
    if (!torch_write(c, i ? view->also : view->of, tcc_build_reshape(&c->b, part, axis, s.dims))) return false;
  }
  return true;
}

TorchTensor *torch_complex_pairs(ImportCall *c, TorchTensor *t) {
  static const TorchForm form = {read_pairs, write_pairs, NULL};
  return t && t->imaginary ? torch_view_form(c, t, t->imaginary, &form, NULL) : t;
}

/* Parts of [..., 2] are views of it. */
static bool view_as_complex(ImportCall *c) {
  TorchTensor *z = torch_complex_from_pairs(c, torch_storage(c, "self"));
  return z ? torch_output_view(c, 0, z) : c->reason ? false : import_invalid(c, "no pairs");
}

static bool view_as_real(ImportCall *c) {
  TorchTensor *x = torch_storage(c, "self");
  return torch_output_view(c, 0, x && x->imaginary ? torch_complex_pairs(c, x) : NULL);
}

static bool mul(ImportCall *c) {
  TorchComplex a, b;
  TccElem elem = torch_complex_elem(c, 0);
  return torch_complex_operand(c, "self", elem, &a) && torch_complex_operand(c, "other", elem, &b) &&
         torch_complex_output(c, 0, torch_complex_product(c, a, b));
}

/* a / b = a conj(b) / |b|^2, b divided by its greater part first, so that no square leaves the type. */
TorchComplex torch_complex_quotient(ImportCall *c, TorchComplex a, TorchComplex b) {
  if (!b.imaginary.ptr)
    return (TorchComplex){torch_div(c, a.real, b.real), a.imaginary.ptr ? torch_div(c, a.imaginary, b.real) : a.imaginary};
  MlirValue most = tcc_build2(&c->b, TCC_OP_MAX, tcc_build1(&c->b, TCC_OP_ABS, b.real), tcc_build1(&c->b, TCC_OP_ABS, b.imaginary));
  b = (TorchComplex){torch_div(c, b.real, most), torch_div(c, b.imaginary, most)};
  MlirValue size = torch_mul(c, square_of(c, b), most);
  TorchComplex r = torch_complex_product(c, a, (TorchComplex){b.real, torch_neg(c, b.imaginary)});
  return (TorchComplex){torch_div(c, r.real, size), torch_div(c, r.imaginary, size)};
}

static bool quotient(ImportCall *c) {
  TorchComplex a, b;
  TccElem elem = torch_complex_elem(c, 0);
  return torch_complex_operand(c, "self", elem, &a) && torch_complex_operand(c, "other", elem, &b) &&
         torch_complex_output(c, 0, torch_complex_quotient(c, a, b));
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

/* other - alpha self */
static bool reversed(ImportCall *c) {
  TorchComplex a, b;
  TccElem elem = torch_complex_elem(c, 0);
  const double alpha = torch_float(c, "alpha");
  if (c->reason || !torch_complex_operand(c, "self", elem, &a) || !torch_complex_operand(c, "other", elem, &b)) return false;
  torch_complex_fill(c, &a), torch_complex_fill(c, &b);
  if (alpha != 1) a = (TorchComplex){torch_times(c, a.real, alpha), torch_times(c, a.imaginary, alpha)};
  return torch_complex_output(c, 0, (TorchComplex){torch_sub(c, b.real, a.real), torch_sub(c, b.imaginary, a.imaginary)});
}

static bool conjugate(ImportCall *c) {
  TorchComplex x;
  return torch_complex_operand(c, "self", torch_complex_elem(c, 0), &x) &&
         torch_complex_output(c, 0, (TorchComplex){x.real, x.imaginary.ptr ? torch_neg(c, x.imaginary) : x.imaginary});
}

/* The same as a view. */
static bool conjugate_view(ImportCall *c) {
  const TccTorchArg *self = torch_argument(c, "self");
  if (!self || self->kind != TCC_TORCH_TENSOR) return conjugate(c); /* a number */
  TorchTensor *x = torch_storage(c, "self"), *view = torch_view_alias(c, x);
  if (!view || !x->imaginary) return conjugate(c);
  view->imaginary = torch_view_negated(c, x->imaginary);
  return view->imaginary && torch_output_view(c, 0, view);
}

/* To a real type: the real part. */
static bool convert(ImportCall *c) {
  TorchComplex x;
  TccElem elem = torch_complex_elem(c, 0), real = elem ? elem : torch_result(c, 0);
  if (!real || !torch_complex_operand(c, "self", real, &x)) return false;
  return elem ? torch_complex_output(c, 0, x) : torch_output(c, 0, x.real);
}

/* sqrt(a^2 + b^2), scaled by the greater one, so that no square leaves the type. */
MlirValue torch_complex_magnitude(ImportCall *c, TorchComplex x) {
  MlirValue a = tcc_build1(&c->b, TCC_OP_ABS, x.real), b = tcc_build1(&c->b, TCC_OP_ABS, x.imaginary);
  MlirValue most = tcc_build2(&c->b, TCC_OP_MAX, a, b), ratio = torch_div(c, tcc_build2(&c->b, TCC_OP_MIN, a, b), most);
  MlirValue r = torch_mul(c, most, tcc_build1(&c->b, TCC_OP_SQRT, torch_plus(c, torch_mul(c, ratio, ratio), 1)));
  MlirValue is_end = torch_either(c, torch_is(c, "eq", most, 0), torch_is(c, "eq", most, INFINITY));
  return torch_if(c, is_end, most, r);
}

static bool magnitude(ImportCall *c) {
  TorchComplex x;
  TccElem elem = torch_result(c, 0);
  return elem && torch_complex_operand(c, "self", elem, &x) && torch_output(c, 0, torch_complex_magnitude(c, x));
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
  MlirValue size = torch_complex_magnitude(c, x);
  size = torch_if_number(c, torch_is(c, "ne", size, 0), size, 1);
  return torch_complex_output(c, 0, (TorchComplex){torch_div(c, x.real, size), torch_div(c, x.imaginary, size)});
}

/* Of a tensor and a number or a tensor. */
static MlirValue is_equal(ImportCall *c) {
  TorchComplex a, b;
  static const MlirValue none = {NULL};
  if (!torch_complex_operand(c, "self", TCC_ELEM_F64, &a) || !torch_complex_operand(c, "other", TCC_ELEM_F64, &b)) return none;
  MlirValue zero = torch_constant(c, TCC_ELEM_F64, 0);
  return torch_both(c, tcc_build_compare(&c->b, "eq", a.real, b.real),
                    tcc_build_compare(&c->b, "eq", a.imaginary.ptr ? a.imaginary : zero, b.imaginary.ptr ? b.imaginary : zero));
}
static bool equal(ImportCall *c) { return torch_output(c, 0, is_equal(c)); }
static bool unequal(ImportCall *c) { return torch_output(c, 0, tcc_build1(&c->b, TCC_OP_NOT, is_equal(c))); }

/* isnan and isinf: either part is; isfinite: both are. */
static bool classified(ImportCall *c) {
  TorchComplex x;
  if (!torch_complex_operand(c, "self", TCC_ELEM_F64, &x)) return false;
  torch_complex_fill(c, &x);
  const bool nan = tcc_str_is(c->op, "aten.isnan.default"), inf = tcc_str_is(c->op, "aten.isinf.default");
  MlirValue v[] = {x.real, x.imaginary}, r[2];
  for (int i = 0; i < 2; i++) {
    MlirValue endless = torch_is(c, "eq", tcc_build1(&c->b, TCC_OP_ABS, v[i]), INFINITY),
              none = tcc_build1(&c->b, TCC_OP_IS_NAN, v[i]);
    r[i] = nan ? none : inf ? endless : torch_either(c, none, endless);
  }
  MlirValue any = torch_either(c, r[0], r[1]);
  return torch_output(c, 0, nan || inf ? any : tcc_build1(&c->b, TCC_OP_NOT, any));
}
static bool is_real(ImportCall *c) {
  TorchComplex x;
  if (!torch_complex_operand(c, "self", TCC_ELEM_F64, &x)) return false;
  torch_complex_fill(c, &x);
  return torch_output(c, 0, torch_is(c, "eq", x.imaginary, 0));
}

/* value where the mask is. */
static bool masked(ImportCall *c) {
  TorchComplex x, v;
  TccElem elem = torch_complex_elem(c, 0);
  MlirValue mask = torch_tensor_as(c, "mask", TCC_ELEM_BOOL);
  if (!mask.ptr || !torch_complex_operand(c, "self", elem, &x) || !torch_complex_operand(c, "value", elem, &v)) return false;
  torch_complex_fill(c, &x), torch_complex_fill(c, &v);
  return torch_complex_output(c, 0, (TorchComplex){torch_if(c, mask, v.real, x.real), torch_if(c, mask, v.imaginary, x.imaginary)});
}

/* A number as often as the result asks. */
static bool filled(ImportCall *c) {
  TorchComplex x;
  ImportShape to = torch_declared(c, 0);
  const char *name = torch_has_parameter(c, "s") ? "s" : torch_has_parameter(c, "value") ? "value" : "fill_value";
  if (!torch_complex_operand(c, name, to.elem, &x)) return false;
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
                {"aten.add.Scalar", add},
                {"aten.sub.Tensor", sub},
                {"aten.sub.Scalar", sub},
                {"aten.rsub.Tensor", reversed},
                {"aten.rsub.Scalar", reversed},
                {"aten.new_full.default", filled},
                {"aten._conj.default", conjugate_view},
                {"aten._conj_physical.default", conjugate},
                {"aten.conj_physical.default", conjugate},
                {"aten._to_copy.default", convert},
                {"aten.to.dtype", convert},
                {"aten.to.dtype_layout", convert},
                {"aten.to.device", convert},
                {"aten.to.other", convert},
                {"aten.type_as.default", convert},
                {"aten.scalar_tensor.default", filled},
                {"aten.full.default", filled},
                {"aten.sgn.default", sign},
                {"aten.full_like.default", filled},
                {"aten.fill.Scalar", filled},
                {"aten.fill.Tensor", filled},
                {"aten.masked_fill.Scalar", masked},
                {"aten.masked_fill.Tensor", masked},
                {"aten.isnan.default", classified},
                {"aten.isinf.default", classified},
                {"aten.isfinite.default", classified},
                {"aten.isreal.default", is_real},
                {"aten.conj.default", conjugate_view},
                {"aten.pow.Tensor_Scalar", torch_complex_power},
                {"aten.pow.Tensor_Tensor", torch_complex_power},
                {"aten.pow.Scalar", torch_complex_power},
                {"aten.tanh_backward.default", torch_complex_slope},
                {"aten.sigmoid_backward.default", torch_complex_slope},
                {"aten.linalg_solve.default", torch_complex_solve},
                {"aten.linalg_solve_ex.default", torch_complex_solve},
                {"aten._linalg_solve_ex.default", torch_complex_solve},
                {"aten.linalg_inv.default", torch_complex_solve},
                {"aten.linalg_inv_ex.default", torch_complex_solve},
                {"aten.inverse.default", torch_complex_solve},
                {"aten.mm.default", torch_complex_matmul},
                {"aten.bmm.default", torch_complex_matmul},
                {"aten.matmul.default", torch_complex_matmul},
                {"aten.linalg_matmul.default", torch_complex_matmul},
                {"aten.mv.default", torch_complex_matmul},
                {"aten.dot.default", torch_complex_matmul},
                {"aten.vdot.default", torch_complex_matmul},
                {"aten.outer.default", torch_complex_matmul},
                {"aten.ger.default", torch_complex_matmul},
                {"aten.addmm.default", torch_complex_addmm},
                {"aten.baddbmm.default", torch_complex_addmm},
                {"aten.linear.default", torch_complex_linear},
                {"aten.einsum.default", torch_complex_einsum},
                {"aten.stft.default", torch_fourier_short},
                {"aten.stft.center", torch_fourier_short},
                {"aten.istft.default", torch_fourier_short_back},
                {"aten.ne.Scalar", unequal},
                {"aten.ne.Tensor", unequal},
                {"aten.eq.Scalar", equal},
                {"aten.eq.Tensor", equal},
                {"aten.conv1d.default", torch_complex_conv},
                {"aten.conv2d.default", torch_complex_conv},
                {"aten.conv3d.default", torch_complex_conv},
                {"aten.conv1d.padding", torch_complex_conv},
                {"aten.conv2d.padding", torch_complex_conv},
                {"aten.conv3d.padding", torch_complex_conv},
                {"aten.conv_transpose1d.default", torch_complex_conv},
                {"aten.conv_transpose2d.input", torch_complex_conv},
                {"aten.conv_transpose3d.input", torch_complex_conv},
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
  "diagonal", "copy", "where.self", "slice_scatter", "empty", "empty_like", "empty_strided", "empty_permuted", "new_empty", "new_empty_strided", "select_scatter", "zero", "cumsum", "tril", "triu", "index_put", "_unsafe_index",
  "_unsafe_index_put", "index_add", "index_copy", "scatter.src", "scatter_add", "masked_scatter", "diag_embed", "diag", "diagflat", "unfold", "as_strided",
  "as_strided_scatter", "diagonal_scatter", "diagonal_backward", "unfold_backward", "repeat_interleave", "broadcast_tensors", "broadcast_to",
  "reflection_pad1d", "reflection_pad2d", "replication_pad1d", "replication_pad2d", "narrow", "chunk", "unflatten", "swapaxes", "swapdims",
  "moveaxis", "ravel", "atleast_1d", "atleast_2d", "atleast_3d", "concat", "concatenate", "hstack", "vstack", "dstack", "column_stack", "row_stack",
  "tensor_split", "hsplit", "vsplit", "dsplit", "sum_to_size", "tile", "fliplr", "flipud", "fft_fftshift", "fft_ifftshift", "meshgrid", "positive",
  "trace", "diff", "rot90", "mT", "numpy_T", "take_along_dim", "index_put_", "view_as", "reshape_as", "to.memory_format", "unsafe_split",
  "unsafe_chunk", "unsafe_split_with_sizes", "pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "im2col", "col2im", "linalg_diagonal", "block_diag", "masked_select", "take", "detach_copy", "lift"};

/* Numbers that are drawn, for each part by itself; of normal ones the parts have half of the variance. */
static const char *const drawn[] = {"rand", "rand_like", "randn", "randn_like"};
/* Those that do it where they put zeros around. */
static const char *const padded[] = {"constant_pad_nd", "pad"};
/* Of the sizes of the numbers alone, which are 0 where the numbers are. */
static const char *const sized[] = {"linalg_vector_norm", "norm", "linalg_norm", "linalg_matrix_norm", "frobenius_norm", "all", "any", "count_nonzero", "nonzero",
  "nonzero_static", "argwhere", "logical_not", "logical_and", "logical_or", "logical_xor"};
/* Numbers without imaginary parts. */
static const char *const of_reals[] = {"ones", "ones_like", "new_ones", "eye"};
/* Of sizes and types. */
static const char *const of_form[] = {"sym_size", "sym_stride", "sym_numel", "sym_storage_offset", "_assert_tensor_metadata"};
// clang-format on

static bool is_among(TccStr op, const char *const *names, size_t count) {
  static const char prefix[] = "aten.";
  if (!tcc_str_starts(op, prefix)) return false;
  op.data += sizeof prefix - 1, op.length -= sizeof prefix - 1;
  for (size_t i = 0; i < count; i++) {
    const size_t length = strlen(names[i]);
    if (op.length >= length && memcmp(op.data, names[i], length) == 0 && (op.length == length || op.data[length] == '.'))
      return true;
  }
  return false;
}
#define IS_AMONG(op, names) is_among(op, names, sizeof names / sizeof *(names))

static bool row(ImportCall *c, TorchPart part) {
  const TorchOp *op = torch_find_op(c->op);
  if (!op) return import_unsupported(c, "of complex numbers");
  c->kind = op->kind;
  torch_call(c)->part = part;
  torch_call(c)->of_parts = true;
  const bool ok = op->handler(c);
  torch_call(c)->part = TORCH_REAL_PART;
  torch_call(c)->of_parts = false;
  return ok;
}

static bool by_parts(TorchCall *call) {
  ImportCall *c = &call->call;
  TorchValue *outputs = call->outputs, *imaginary = TCC_NEW_ARRAY(import_arena(c), TorchValue, call->noutputs + 1);
  if (!row(c, TORCH_REAL_PART)) return false;
  call->outputs = imaginary;
  const bool ok = row(c, TORCH_IMAGINARY_PART);
  call->outputs = outputs;
  for (size_t i = 0; ok && i < call->noutputs; i++) {
    if (outputs[i].kind != TORCH_TENSOR || imaginary[i].kind != TORCH_TENSOR) return import_unsupported(c, "of complex numbers");
    outputs[i].tensor->imaginary = imaginary[i].tensor;
  }
  return ok;
}

static bool with_zeros(TorchCall *call) {
  ImportCall *c = &call->call;
  if (!row(c, TORCH_REAL_PART) || call->outputs[0].kind != TORCH_TENSOR) return false;
  TorchTensor *t = call->outputs[0].tensor;
  t->imaginary = torch_tensor_make(c, zeros_like(c, torch_read(c, t)));
  return t->imaginary != NULL;
}

static bool pads_zeros(ImportCall *c) {
  if (torch_given(c, "value") && torch_float(c, "value") != 0)
    return import_unsupported(c, "of complex numbers, with a value around them");
  return !c->reason && by_parts(torch_call(c));
}

/* Transposed, and conjugates. */
static bool adjoint(ImportCall *c) {
  if (!by_parts(torch_call(c))) return false;
  TorchTensor *t = torch_call(c)->outputs[0].tensor;
  t->imaginary = torch_view_negated(c, t->imaginary);
  return t->imaginary != NULL;
}

static bool functional(TorchCall *call) {
  ImportCall *c = &call->call;
  for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
    if (tcc_str_is(c->op, formulas[i].name)) return formulas[i].formula(c);
  if (is_fourier(c->op)) return torch_fourier_named(c);
  if (torch_complex_has_function(c->op)) return torch_complex_function(c);
  if (IS_AMONG(c->op, padded)) return pads_zeros(c);
  if (IS_AMONG(c->op, sized)) return row(c, TORCH_SIZE);
  if (IS_AMONG(c->op, of_reals)) return with_zeros(call);
  if (IS_AMONG(c->op, drawn)) return by_parts(call);
  if (IS_AMONG(c->op, of_form)) return row(c, TORCH_REAL_PART);
  if (tcc_str_is(c->op, "aten.mH.default") || tcc_str_is(c->op, "aten.matrix_H.default") ||
      tcc_str_is(c->op, "aten.adjoint.default"))
    return adjoint(c);
  return IS_AMONG(c->op, linear) ? by_parts(call) : import_unsupported(c, "of complex numbers");
}

/* "aten.mul.Tensor" of "aten.mul_.Tensor"; no length: it is not in place. */
static TccStr plain_name(ImportCall *c) {
  size_t dot = c->op.length;
  while (dot > 0 && c->op.data[dot - 1] != '.') dot--;
  if (dot < 3 || c->op.data[dot - 2] != '_' || c->op.data[dot - 3] == '_') return (TccStr){0};
  return tcc_str(
      tcc_arena_printf(import_arena(c), "%.*s.%.*s", (int)(dot - 2), c->op.data, (int)(c->op.length - dot), c->op.data + dot));
}

/* "aten.permute.default" of "aten.permute_copy.default"; no length: it is no copy of a view. */
static TccStr view_name(ImportCall *c) {
  static const char suffix[] = "_copy";
  const size_t length = sizeof suffix - 1;
  size_t dot = c->op.length;
  while (dot > 0 && c->op.data[dot - 1] != '.') dot--;
  if (dot < length + 2 || memcmp(c->op.data + dot - 1 - length, suffix, length) != 0 || tcc_str_starts(c->op, "aten._to_copy"))
    return (TccStr){0};
  return tcc_str(tcc_arena_printf(import_arena(c), "%.*s.%.*s", (int)(dot - 1 - length), c->op.data, (int)(c->op.length - dot),
                                  c->op.data + dot));
}

static bool copied(TorchCall *call, TccStr view) {
  ImportCall *c = &call->call;
  const TccStr name = c->op;
  if (!call->schema.nparameters) torch_find_schema(view, &call->schema);
  c->op = view;
  const bool ok = functional(call);
  c->op = name;
  for (size_t i = 0; ok && i < call->noutputs; i++) {
    TorchTensor *t = call->outputs[i].tensor;
    if (call->outputs[i].kind != TORCH_TENSOR || !t->imaginary) return import_unsupported(c, "of complex numbers");
    if (!torch_complex_output(c, i, (TorchComplex){torch_read(c, t), torch_read(c, t->imaginary)})) return false;
  }
  return ok;
}

/* Both parts are written where self has them. */
static bool in_place(TorchCall *call, TccStr plain) {
  ImportCall *c = &call->call;
  const TccStr name = c->op;
  TorchTensor *to = torch_storage(c, "self");
  if (!call->schema.nparameters) torch_find_schema(plain, &call->schema);
  if (!to || !call->noutputs) return false;
  if (!to->imaginary) return import_unsupported(c, "writes complex numbers to real ones");
  c->op = plain;
  const bool ok = functional(call);
  c->op = name;
  TorchTensor *made = ok && call->outputs[0].kind == TORCH_TENSOR ? call->outputs[0].tensor : NULL;
  if (!made) return false;
  MlirValue real = torch_read(c, made), imaginary = made->imaginary ? torch_read(c, made->imaginary) : zeros_like(c, real);
  return torch_write(c, to, real) && torch_write(c, to->imaginary, imaginary) && torch_output_view(c, 0, to);
}

bool torch_complex(TorchCall *call) {
  ImportCall *c = &call->call;
  torch_find_schema(c->op, &call->schema);
  const TccStr plain = plain_name(c), view = view_name(c);
  if (view.length && !torch_find_op(c->op)) return copied(call, view);
  return plain.length ? in_place(call, plain) : functional(call);
}

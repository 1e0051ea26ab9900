/* ops_random.c - overloads that draw random numbers. The numbers are tcc's own (docs/random.md): distributions are torch's, the bits are not. */
#include "lib/frontend/torch/import_internal.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

/* A number or tensor that the overload may have under one of these names; otherwise a constant. */
static MlirValue parameter(ImportCall *c, const char *name, TccElem elem, double otherwise) {
  if (torch_argument(c, name) || torch_has_parameter(c, name)) return torch_operand(c, name, elem);
  return torch_constant(c, elem, otherwise);
}

static MlirValue uniform(ImportCall *c, TccElem elem, const ImportShape *s) {
  ImportStream stream;
  return import_stream(c, &stream) ? import_random_uniform(c, &stream, elem, s->rank, s->dims) : (MlirValue){NULL};
}

static MlirValue normal(ImportCall *c, TccElem elem, const ImportShape *s) {
  ImportStream stream;
  return import_stream(c, &stream) ? import_random_normal(c, &stream, elem, s->rank, s->dims) : (MlirValue){NULL};
}

/* x * scale + shift, which are the overload's parameters of these names. */
static MlirValue affine(ImportCall *c, MlirValue x, TccElem elem, const char *shift, const char *scale) {
  MlirValue a = parameter(c, scale, elem, 1), b = parameter(c, shift, elem, 0);
  return torch_add(c, torch_mul(c, x, a), b);
}

/* ln(1 - u), of u in [0, 1): finite */
static MlirValue log_of_rest(ImportCall *c, MlirValue u) { return tcc_build1(&c->b, TCC_OP_LOG, torch_from(c, 1, u)); }

static MlirValue drawn(ImportCall *c, TccElem wide, const ImportShape *s) {
  static const double pi = 3.141592653589793;
  MlirValue u;
  switch (c->kind) {
  case RANDOM_UNIFORM: {
    MlirValue from = parameter(c, "from", wide, 0), to = parameter(c, "to", wide, 1);
    return torch_add(c, torch_mul(c, uniform(c, wide, s), torch_sub(c, to, from)), from);
  }
  case RANDOM_NORMAL: return affine(c, normal(c, wide, s), wide, "mean", "std");
  case RANDOM_LOG_NORMAL: return tcc_build1(&c->b, TCC_OP_EXP, affine(c, normal(c, wide, s), wide, "mean", "std"));
  case RANDOM_EXPONENTIAL: return torch_neg(c, torch_div(c, log_of_rest(c, uniform(c, wide, s)), parameter(c, "lambd", wide, 1)));
  case RANDOM_CAUCHY:
    u = torch_times(c, torch_plus(c, uniform(c, wide, s), -0.5), pi);
    return affine(c, tcc_build1(&c->b, TCC_OP_TAN, u), wide, "median", "sigma");
  default: /* geometric: the first success is at ceil(ln(1 - u) / ln(1 - p)), 1 for u = 0 */
    u = torch_div(c, log_of_rest(c, uniform(c, wide, s)), log_of_rest(c, parameter(c, "p", wide, 0.5)));
    u = tcc_build1(&c->b, TCC_OP_CEIL, u);
    return u.ptr ? tcc_build2(&c->b, TCC_OP_MAX, u, torch_constant(c, wide, 1)) : u;
  }
}

bool torch_op_random(ImportCall *c) {
  ImportShape shape = torch_declared(c, 0);
  TccElem elem = torch_result(c, 0), wide = tcc_elem_is_float(elem) ? torch_wide(elem) : TCC_ELEM_F32;
  if (!elem || !shape.elem) return false;
  bool plain = c->kind == RANDOM_UNIFORM && !torch_has_parameter(c, "from"); /* rand of f16: no number that rounds to 1 */
  MlirValue r = plain ? uniform(c, elem, &shape) : drawn(c, wide, &shape);
  if (torch_call(c)->of_parts && c->kind == RANDOM_NORMAL) r = torch_times(c, r, sqrt(0.5)); /* of a complex number */
  return r.ptr && torch_output(c, 0, torch_convert(c, r, elem));
}

/* ---- flags ---- */
/* Ones with probability p, which is the overload's argument or the tensor itself. */
bool torch_op_bernoulli(ImportCall *c) {
  ImportShape shape = torch_declared(c, 0);
  TccElem elem = torch_result(c, 0);
  ImportStream stream;
  bool given = torch_has_parameter(c, "p");
  MlirValue p = given ? torch_operand(c, "p", TCC_ELEM_F64) : torch_tensor(c, "self");
  if (!elem || !p.ptr || !import_stream(c, &stream)) return false;
  if (given) p = torch_convert(c, p, elem == TCC_ELEM_F64 ? elem : TCC_ELEM_F32);
  MlirValue flags = import_random_flags(c, &stream, p, shape.rank, shape.dims);
  return flags.ptr && torch_output(c, 0, torch_convert(c, flags, elem));
}

MlirValue torch_kept(ImportCall *c, ImportStream *stream, double p, int rank, const TccExpr *const *dims) {
  return import_random_flags(c, stream, tcc_build_scalar(&c->b, TCC_ELEM_F32, 1 - p), rank, dims);
}

static MlirValue kept(ImportCall *c, double p, int rank, const TccExpr *const *dims) {
  ImportStream stream;
  return import_stream(c, &stream) ? torch_kept(c, &stream, p, rank, dims) : (MlirValue){NULL};
}

static bool probability(ImportCall *c, const char *name, double *out) {
  *out = torch_float(c, name);
  return !c->reason && ((*out >= 0 && *out <= 1) || import_invalid(c, "'%s' is no probability", name));
}

MlirValue torch_dropped(ImportCall *c, MlirValue x, MlirValue mask, double p) {
  return p == 1 ? torch_times(c, x, 0) : torch_if_number(c, mask, torch_times(c, x, 1 / (1 - p)), 0);
}

MlirValue torch_dropout(ImportCall *c, MlirValue x, double p) {
  ImportShape shape = import_shape(c, x);
  return x.ptr && p != 0 && !c->importer->options->no_dropout ? torch_dropped(c, x, kept(c, p, shape.rank, shape.dims), p) : x;
}

const char *torch_dropout_input(ImportCall *c) { return torch_argument(c, "self") ? "self" : "input"; }

/* kind DROPOUT_FEATURES: whole channels */
bool torch_op_dropout(ImportCall *c) {
  double p;
  const bool off = c->importer->options->no_dropout;
  const char *input = torch_dropout_input(c);
  if (!torch_bool(c, "train") || off || (torch_float(c, "p") == 0 && !c->reason))
    return !c->reason && torch_output_view(c, 0, torch_view_alias(c, torch_storage(c, input)));
  MlirValue x = torch_tensor(c, input);
  ImportShape shape = import_shape(c, x);
  if (!x.ptr || !probability(c, "p", &p)) return false;
  for (int i = 2; i < shape.rank && c->kind == DROPOUT_FEATURES; i++) shape.dims[i] = import_size(c, 1);
  return torch_output(c, 0, torch_dropped(c, x, kept(c, p, shape.rank, shape.dims), p));
}

/* The mask is a result, which the backward pass reads. */
bool torch_op_native_dropout(ImportCall *c) {
  double p = 0;
  MlirValue x = torch_tensor(c, "input"), mask;
  ImportShape shape = import_shape(c, x);
  bool train = (!torch_given(c, "train") || torch_bool(c, "train")) && !c->importer->options->no_dropout;
  if (!x.ptr || !probability(c, "p", &p)) return false;
  if (!train || p == 0) mask = torch_filled(c, tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 1), shape.rank, shape.dims);
  else mask = kept(c, p, shape.rank, shape.dims);
  return mask.ptr && torch_output(c, 0, train && p != 0 ? torch_dropped(c, x, mask, p) : x) && torch_output(c, 1, mask);
}

bool torch_op_native_dropout_backward(ImportCall *c) {
  TccElem elem = torch_result(c, 0); /* of integers torch's is f32 */
  MlirValue gradient = torch_tensor_as(c, "grad_output", elem), mask = torch_tensor_as(c, "mask", TCC_ELEM_BOOL);
  if (!gradient.ptr || !mask.ptr) return false;
  return torch_output(c, 0, torch_if_number(c, mask, torch_times(c, gradient, torch_float(c, "scale")), 0));
}

/* ---- slopes ---- */
static bool slope_bounds(ImportCall *c, double *lower, double *upper) {
  *lower = torch_float(c, "lower"), *upper = torch_float(c, "upper");
  return !c->reason && (*lower <= *upper || import_invalid(c, "slopes from %g to %g", *lower, *upper));
}

/* In training x <= 0 has a slope of its own, else all have the mean. The slopes, 1 where x > 0, are what becomes of "noise": in place, or as a
 * result. */
bool torch_op_rrelu(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  double lower, upper;
  if (!x.ptr || !slope_bounds(c, &lower, &upper)) return false;
  if (!tcc_elem_is_float(shape.elem)) return import_unsupported(c, "an activation of %s", tcc_elem_name(shape.elem));
  const TccElem wide = torch_wide(shape.elem);
  const bool train = torch_bool(c, "training"), functional = torch_call(c)->noutputs == 2;
  MlirValue w = torch_convert(c, x, wide);
  if (!train) {
    w = torch_if(c, torch_is(c, "gt", w, 0), w, torch_times(c, w, (lower + upper) / 2));
    return torch_output(c, 0, torch_convert(c, w, shape.elem)) && (!functional || torch_output(c, 1, torch_tensor(c, "noise")));
  }
  MlirValue drawn = torch_plus(c, torch_times(c, uniform(c, wide, &shape), upper - lower), lower);
  MlirValue slopes = torch_convert(c, torch_if_number(c, torch_is(c, "le", w, 0), drawn, 1), shape.elem);
  if (!functional && torch_has_parameter(c, "noise") && !torch_write(c, torch_storage(c, "noise"), slopes)) return false;
  return torch_output(c, 0, torch_convert(c, torch_mul(c, w, torch_convert(c, slopes, wide)), shape.elem)) &&
         (!functional || torch_output(c, 1, slopes));
}

/* Slopes that are as good as one number are not looked at. */
bool torch_op_rrelu_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_output"), x = torch_tensor(c, "self"), noise = torch_tensor(c, "noise");
  double lower, upper;
  if (!grad.ptr || !x.ptr || !noise.ptr || !slope_bounds(c, &lower, &upper)) return false;
  const TccElem elem = tcc_value_elem(grad), wide = torch_wide(elem);
  MlirValue g = torch_convert(c, grad, wide);
  if (torch_bool(c, "training") && upper - lower > 1e-6) g = torch_mul(c, g, torch_convert(c, noise, wide));
  else g = torch_if(c, torch_is(c, "gt", x, 0), g, torch_times(c, g, (lower + upper) / 2));
  return torch_output(c, 0, torch_convert(c, g, elem));
}

/* ---- integers ---- */
/* Numbers from low (0) on below high. Those of random() without bounds are all that the type holds exactly. */
bool torch_op_randint(ImportCall *c) {
  static const char *const ends[] = {"high", "to"}, *const begins[] = {"low", "from"};
  ImportShape shape = torch_declared(c, 0);
  TccElem elem = torch_result(c, 0);
  ImportStream stream;
  if (!elem || !shape.elem || !import_stream(c, &stream)) return false;
  int bits = elem == TCC_ELEM_F16 ? 11 : elem == TCC_ELEM_BF16 ? 8 : elem == TCC_ELEM_F32 ? 24 : elem == TCC_ELEM_F64 ? 53 : 0;
  if (!bits) bits = elem == TCC_ELEM_BOOL ? 1 : (int)tcc_elem_bits(elem) - (tcc_elem_is_signed(elem) ? 1 : 0);
  int64_t most = bits >= 63 ? INT64_MAX : ((int64_t)1 << bits) + (tcc_elem_is_float(elem) ? 1 : 0);
  MlirValue low = torch_constant(c, TCC_ELEM_I64, 0), high = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, most);
  for (int i = 0; i < 2; i++) {
    if (torch_given(c, begins[i])) low = torch_operand(c, begins[i], TCC_ELEM_I64);
    if (torch_given(c, ends[i])) high = torch_operand(c, ends[i], TCC_ELEM_I64);
  }
  MlirValue r = import_random_integers(c, &stream, low, torch_sub(c, high, low), shape.rank, shape.dims);
  return r.ptr && torch_output(c, 0, torch_convert(c, r, elem));
}

bool torch_op_randperm(ImportCall *c) {
  const TccExpr *n = torch_size(c, "n");
  TccElem elem = torch_result(c, 0);
  ImportStream stream;
  return n && elem && import_stream(c, &stream) && torch_output(c, 0, torch_convert(c, import_random_order(c, &stream, n), elem));
}

bool torch_op_multinomial(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self");
  ImportShape shape = import_shape(c, x);
  const TccExpr *count = torch_size(c, "num_samples"), *rows[2];
  bool again = torch_bool(c, "replacement");
  ImportStream stream;
  if (!x.ptr || !count || c->reason || !import_stream(c, &stream)) return false;
  if (shape.rank < 1 || shape.rank > 2) return import_invalid(c, "a tensor of rank %d", shape.rank);
  if (!again && !import_require_at_most(c, count, shape.dims[shape.rank - 1], "samples without repetition and classes"))
    return false;
  rows[0] = shape.rank == 2 ? shape.dims[0] : import_size(c, 1), rows[1] = shape.dims[shape.rank - 1];
  MlirValue weights = tcc_build_reshape(&c->b, torch_convert(c, x, torch_wide(shape.elem)), 2, rows);
  MlirValue r = import_random_classes(c, &stream, weights, count, again);
  return r.ptr && torch_output(c, 0, shape.rank == 2 ? r : tcc_build_reshape(&c->b, r, 1, &count));
}

/* ops_quantized.c - quantized_decomposed and torchao: how PyTorch's exports spell quantised models. q = clamp(round(x / scale) + zero point), x = (q - zero
 * point) * scale, as torch/ao/quantization/fx/_decomposed.py computes them: x is multiplied by the reciprocal of the scale. What is dequantised
 * has the form that products of bytes are found by (lib/ir/dequantize.h). */
#include "lib/frontend/torch/import.h"
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <float.h>
#include <math.h>

static MlirValue rounded(ImportCall *c, MlirValue x) { return tcc_build1(&c->b, TCC_OP_ROUND, x); }

MlirValue torch_one(ImportCall *c, const char *name, TccElem elem) {
  MlirValue x = torch_operand(c, name, elem);
  ImportShape shape = import_shape(c, x);
  if (!x.ptr || import_is_size(import_product(c, shape.dims, shape.rank), 1)) return tcc_build_reshape(&c->b, x, 0, NULL);
  import_unsupported(c, "'%s' of more than one element", name);
  return (MlirValue){NULL};
}

MlirValue torch_along(ImportCall *c, MlirValue v, const ImportShape *x, int64_t axis) {
  ImportShape shape = import_shape(c, v);
  if (!v.ptr) return v;
  if (shape.rank != 1) return import_unsupported(c, "parameters of rank %d", shape.rank), (MlirValue){NULL};
  return torch_channels(c, v, x->rank - (int)axis + 1);
}

static bool axis_of(ImportCall *c, const ImportShape *x, int64_t *out) {
  *out = torch_int(c, "axis");
  if (*out < 0) *out += x->rank;
  return !c->reason && ((*out >= 0 && *out < x->rank) || import_invalid(c, "axis %lld of %d", (long long)*out, x->rank));
}

static MlirValue clamped(ImportCall *c, MlirValue y, MlirValue low, MlirValue high) {
  MlirValue operands[] = {y, low, high};
  return y.ptr && low.ptr && high.ptr ? import_op(c, TCC_OP_CLAMP, operands, 3, NULL, 0) : (MlirValue){NULL};
}

/* scale and zero are of x's type; early: zero is added before rounding. */
static bool quantize(ImportCall *c, MlirValue x, MlirValue scale, MlirValue zero, bool early) {
  if (!x.ptr || !scale.ptr || !zero.ptr) return false;
  const TccElem elem = tcc_value_elem(x), f64 = TCC_ELEM_F64;
  MlirValue inverse = torch_convert(c, torch_div(c, torch_constant(c, f64, 1), torch_convert(c, scale, f64)), elem);
  MlirValue y = torch_mul(c, x, inverse);
  y = early ? rounded(c, torch_add(c, y, zero)) : torch_add(c, rounded(c, y), zero);
  return torch_answer(c, clamped(c, y, torch_one(c, "quant_min", elem), torch_one(c, "quant_max", elem)));
}

static bool dequantize(ImportCall *c, MlirValue q, MlirValue scale, MlirValue zero, TccElem elem) {
  MlirValue x = torch_convert(c, q, elem);
  if (zero.ptr) x = torch_sub(c, x, torch_convert(c, zero, elem));
  return scale.ptr && torch_answer(c, torch_mul(c, x, torch_convert(c, scale, elem)));
}

/* ---- one scale ---- */
bool torch_op_quantize_per_tensor(ImportCall *c) {
  return quantize(c, torch_tensor_as(c, "input", TCC_ELEM_F32), torch_one(c, "scale", TCC_ELEM_F64),
                  torch_one(c, "zero_point", TCC_ELEM_F32), false);
}

bool torch_op_dequantize_per_tensor(ImportCall *c) {
  return dequantize(c, torch_tensor(c, "input"), torch_one(c, "scale", TCC_ELEM_F32), torch_one(c, "zero_point", TCC_ELEM_F32),
                    TCC_ELEM_F32);
}

/* ---- a scale for each index of an axis ---- */
/* Computed in f64 where the scales are. */
static TccElem wide_of(MlirValue scales) {
  return scales.ptr && tcc_value_elem(scales) == TCC_ELEM_F64 ? TCC_ELEM_F64 : TCC_ELEM_F32;
}

bool torch_op_quantize_per_channel(ImportCall *c) {
  int64_t axis;
  MlirValue scales = torch_tensor(c, "scales");
  const TccElem wide = wide_of(scales);
  MlirValue x = torch_tensor_as(c, "input", wide);
  const ImportShape shape = import_shape(c, x);
  if (!x.ptr || !axis_of(c, &shape, &axis)) return false;
  MlirValue scale = torch_along(c, torch_convert(c, scales, wide), &shape, axis);
  return quantize(c, x, scale, torch_along(c, torch_tensor_as(c, "zero_points", wide), &shape, axis), false);
}

/* Zero points that the file has as zeros, as it has those of weights, are none: products find their operands then. */
static MlirValue zero_points(ImportCall *c) {
  MlirValue zero = torch_optional(c, "zero_points");
  size_t count;
  const void *data = zero.ptr ? import_small_data(c, zero, &count) : NULL;
  for (size_t i = 0; data && i < count; i++)
    if (tcc_elem_load_f64(tcc_value_elem(zero), data, i) != 0) return zero;
  return data ? (MlirValue){NULL} : zero;
}

bool torch_op_dequantize_per_channel(ImportCall *c) {
  int64_t axis;
  MlirValue scales = torch_tensor(c, "scales");
  const TccElem wide = wide_of(scales);
  MlirValue q = torch_tensor(c, "input"), zero = zero_points(c);
  const ImportShape shape = import_shape(c, q);
  if (!q.ptr || !axis_of(c, &shape, &axis)) return false;
  MlirValue scale = torch_along(c, torch_convert(c, scales, wide), &shape, axis);
  return dequantize(c, q, scale, torch_along(c, torch_convert(c, zero, wide), &shape, axis), wide);
}

/* ---- scales of what is there ---- */
static MlirValue larger(ImportCall *c, MlirValue x, double number) {
  return x.ptr ? tcc_build2(&c->b, TCC_OP_MAX, x, torch_constant(c, tcc_value_elem(x), number)) : x;
}
static MlirValue smaller(ImportCall *c, MlirValue x, double number) {
  return x.ptr ? tcc_build2(&c->b, TCC_OP_MIN, x, torch_constant(c, tcc_value_elem(x), number)) : x;
}

static bool parameters(ImportCall *c, MlirValue scale, MlirValue zero) {
  for (size_t i = 0; i < 2; i++) {
    MlirValue v = i ? zero : scale;
    const ImportShape declared = torch_declared(c, i);
    TccElem elem = torch_result(c, i);
    if (!v.ptr || !elem) return false;
    if (!torch_output(c, i, tcc_build_reshape(&c->b, torch_convert(c, v, elem), declared.rank, declared.dims))) return false;
  }
  return true;
}

/* kind 1: symmetric */
bool torch_op_choose_qparams(ImportCall *c) {
  int64_t axes[TCC_MAX_RANK], low = torch_int(c, "quant_min"), high = torch_int(c, "quant_max");
  const double eps = torch_float(c, "eps");
  MlirValue x = torch_tensor_as(c, "input", TCC_ELEM_F32);
  const int rank = import_shape(c, x).rank;
  if (!x.ptr || c->reason) return false;
  for (int i = 0; i < rank; i++) axes[i] = i;
  MlirValue least = smaller(c, tcc_build_reduce(&c->b, "min", x, axes, (size_t)rank, false), 0),
            most = larger(c, tcc_build_reduce(&c->b, "max", x, axes, (size_t)rank, false), 0);
  if (c->kind) {
    most = tcc_build2(&c->b, TCC_OP_MAX, torch_neg(c, least), most);
    MlirValue scale = larger(c, torch_times(c, most, 2 / (double)(high - low)), (float)eps);
    return parameters(c, scale, torch_constant(c, TCC_ELEM_I64, torch_elem(c, "dtype", TCC_ELEM_I8) == TCC_ELEM_U8 ? 128 : 0));
  }
  MlirValue scale = torch_div(c, torch_sub(c, most, least), torch_constant(c, TCC_ELEM_F32, (double)(high - low)));
  scale = larger(c, scale, (float)eps);
  MlirValue zero = torch_from(c, (double)low, rounded(c, torch_div(c, least, scale)));
  return parameters(c, scale, smaller(c, larger(c, zero, (double)low), (double)high));
}

/* Of each row; kind 1: symmetric. */
bool torch_op_choose_qparams_per_token(ImportCall *c) {
  MlirValue x = torch_tensor_as(c, "input", TCC_ELEM_F32);
  const int64_t axis = import_shape(c, x).rank - 1;
  if (!x.ptr || axis < 0) return x.ptr && import_unsupported(c, "a tensor without axes");
  if (c->kind) {
    MlirValue most = tcc_build_reduce(&c->b, "max", tcc_build1(&c->b, TCC_OP_ABS, x), &axis, 1, true);
    MlirValue scale = torch_div(c, larger(c, most, 1e-5), torch_constant(c, TCC_ELEM_F32, 127));
    return parameters(c, scale, torch_times(c, scale, 0));
  }
  MlirValue least = smaller(c, tcc_build_reduce(&c->b, "min", x, &axis, 1, true), 0),
            most = larger(c, tcc_build_reduce(&c->b, "max", x, &axis, 1, true), 0);
  MlirValue scale = larger(c, torch_div(c, torch_sub(c, most, least), torch_constant(c, TCC_ELEM_F32, 255)), FLT_EPSILON);
  MlirValue low = torch_div(c, least, scale), high = torch_div(c, most, scale);
  MlirValue above = torch_is(c, "gt", torch_add(c, torch_plus(c, low, -128), torch_plus(c, high, 127)), 0);
  MlirValue zero = torch_if(c, above, torch_from(c, -128, low), torch_from(c, 127, high));
  return parameters(c, scale, rounded(c, smaller(c, larger(c, zero, -128), 127)));
}

bool torch_op_quantize_per_token(ImportCall *c) {
  MlirValue scales = torch_tensor(c, "scales");
  const TccElem wide = wide_of(scales);
  return quantize(c, torch_tensor_as(c, "input", wide), torch_convert(c, scales, wide), torch_tensor_as(c, "zero_points", wide),
                  true);
}

bool torch_op_dequantize_per_token(ImportCall *c) {
  MlirValue scales = torch_tensor(c, "scales");
  return dequantize(c, torch_tensor(c, "input"), scales, torch_tensor(c, "zero_points"), wide_of(scales));
}

/* ---- torchao's: a scale for each block of elements; those of a group of a row's ---- */
typedef struct {
  int rank;                                                  /* of x with the axes that blocks divide as two */
  const TccExpr *whole[TCC_MAX_RANK], *blocks[TCC_MAX_RANK]; /* sizes so; the same with 1 for what is in a block */
  int64_t axes[TCC_MAX_RANK];                                /* in a block */
  size_t naxes;
} Blocks;

static bool split_axis(ImportCall *c, Blocks *b, const TccExpr *size, const TccExpr *block) {
  const bool divides = size != block && !import_is_size(block, 1);
  if (b->rank + 2 > TCC_MAX_RANK) return import_unsupported(c, "blocks along so many axes");
  if (divides) {
    const TccExpr *count = import_divide(c, size, block);
    if (!count) return false;
    b->whole[b->rank] = b->blocks[b->rank] = count, b->rank++;
  }
  b->whole[b->rank] = divides ? block : size;
  b->blocks[b->rank] = import_is_size(block, 1) ? size : import_size(c, 1);
  if (!import_is_size(block, 1)) b->axes[b->naxes++] = b->rank;
  b->rank++;
  return true;
}

static bool blocks_of(ImportCall *c, MlirValue x, Blocks *b) {
  const ImportShape shape = import_shape(c, x);
  const TccExpr *const *size;
  size_t count;
  *b = (Blocks){0};
  if (!x.ptr || !torch_sizes(c, "block_size", &size, &count)) return false;
  if (count != (size_t)shape.rank) return import_invalid(c, "blocks of %zu axes for %d", count, shape.rank);
  for (int i = 0; i < shape.rank; i++)
    if (!split_axis(c, b, shape.dims[i], size[i])) return false;
  return true;
}

/* Groups of a row's elements; one that is longer than the row is the row. */
static bool groups_of(ImportCall *c, MlirValue x, MlirValue scales, Blocks *b) {
  const ImportShape shape = import_shape(c, x), of = import_shape(c, scales);
  *b = (Blocks){0};
  int64_t group = torch_int(c, "group_size"), last;
  if (!x.ptr || !scales.ptr || c->reason) return false;
  if (shape.rank < 1 || of.rank < 1) return import_invalid(c, "a tensor without axes");
  const TccExpr *size = shape.dims[shape.rank - 1];
  const bool row = import_is_size(of.dims[of.rank - 1], 1) && tcc_expr_is_const(size, &last) && group > last;
  for (int i = 0; i < shape.rank; i++)
    if (!split_axis(c, b, shape.dims[i], i < shape.rank - 1 ? import_size(c, 1) : row ? size : import_size(c, group))) return false;
  return true;
}

static MlirValue in_blocks(ImportCall *c, MlirValue x, const Blocks *b) { return tcc_build_reshape(&c->b, x, b->rank, b->whole); }
static MlirValue of_blocks(ImportCall *c, MlirValue v, const Blocks *b) { return tcc_build_reshape(&c->b, v, b->rank, b->blocks); }

/* quant_min and quant_max, or what the integers have. */
static bool range_of(ImportCall *c, TccElem elem, double *low, double *high) {
  if (!elem) return false;
  const bool is_signed = elem != TCC_ELEM_U8 && elem != TCC_ELEM_U16 && elem != TCC_ELEM_U32;
  const int bits = (int)tcc_elem_bits(elem);
  *high = ldexp(1, bits - is_signed) - 1, *low = is_signed ? -ldexp(1, bits - 1) : 0;
  if (torch_given(c, "quant_min")) *low = torch_float(c, "quant_min");
  if (torch_given(c, "quant_max")) *high = torch_float(c, "quant_max");
  return !c->reason;
}

static bool quantize_blocks(ImportCall *c, MlirValue x, MlirValue scale, MlirValue zero, const Blocks *b, double low, double high,
                            bool early) {
  const ImportShape shape = import_shape(c, x);
  const TccElem elem = shape.elem;
  if (!x.ptr || !scale.ptr) return false;
  MlirValue y = torch_convert(c, torch_div(c, torch_constant(c, tcc_value_elem(scale), 1), of_blocks(c, scale, b)), elem);
  y = torch_mul(c, in_blocks(c, x, b), y);
  if (!early) y = rounded(c, y);
  if (zero.ptr) y = torch_add(c, y, torch_convert(c, of_blocks(c, zero, b), elem));
  if (early) y = rounded(c, y);
  y = smaller(c, larger(c, y, low), high);
  return torch_answer(c, tcc_build_reshape(&c->b, y, shape.rank, shape.dims));
}

static bool dequantize_blocks(ImportCall *c, MlirValue q, MlirValue scale, MlirValue zero, const Blocks *b, TccElem elem) {
  const ImportShape shape = import_shape(c, q);
  if (!q.ptr || !scale.ptr || !elem) return false;
  const TccElem own = tcc_value_elem(scale), wide = own == elem ? elem : TCC_ELEM_F32;
  MlirValue x = torch_convert(c, in_blocks(c, q, b), elem);
  if (zero.ptr) x = torch_sub(c, x, torch_convert(c, of_blocks(c, zero, b), elem));
  x = torch_mul(c, torch_convert(c, x, wide), torch_convert(c, of_blocks(c, scale, b), wide));
  return torch_answer(c, tcc_build_reshape(&c->b, x, shape.rank, shape.dims));
}

bool torch_op_quantize_affine(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input");
  double low, high;
  Blocks b;
  return blocks_of(c, x, &b) && range_of(c, torch_elem(c, "output_dtype", TCC_ELEM_NONE), &low, &high) &&
         quantize_blocks(c, x, torch_tensor(c, "scale"), torch_optional(c, "zero_point"), &b, low, high, false);
}

bool torch_op_dequantize_affine(ImportCall *c) {
  MlirValue q = torch_tensor(c, "input");
  Blocks b;
  return blocks_of(c, q, &b) &&
         dequantize_blocks(c, q, torch_tensor(c, "scale"), torch_optional(c, "zero_point"), &b, torch_result(c, 0));
}

/* kind 1: dequantised. */
bool torch_op_quantize_groups(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input"), scales = torch_tensor(c, "scales"), zeros = torch_optional(c, "zero_points");
  Blocks b;
  if (!groups_of(c, x, scales, &b)) return false;
  if (c->kind) return dequantize_blocks(c, x, scales, zeros, &b, torch_result(c, 0));
  return quantize_blocks(c, x, scales, zeros, &b, torch_float(c, "quant_min"), torch_float(c, "quant_max"), true);
}

bool torch_op_choose_qparams_affine(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input");
  const TccStr how = torch_string(c, "mapping_type");
  const bool symmetric = tcc_str_is(how, "SYMMETRIC"), unclipped = tcc_str_is(how, "SYMMETRIC_NO_CLIPPING_ERR");
  double low, high;
  int64_t all[TCC_MAX_RANK];
  Blocks b;
  if (!blocks_of(c, x, &b) || !range_of(c, torch_elem(c, "target_dtype", TCC_ELEM_NONE), &low, &high)) return false;
  if (!symmetric && !unclipped && !tcc_str_is(how, "ASYMMETRIC"))
    return import_unsupported(c, "the mapping '%.*s'", TCC_STR_ARG(how));
  const TccElem elem = tcc_value_elem(x);
  const double eps = torch_given(c, "eps")  ? torch_float(c, "eps")
                     : elem == TCC_ELEM_F16 ? 0x1p-14
                     : elem == TCC_ELEM_F64 ? DBL_MIN
                                            : FLT_MIN;
  x = in_blocks(c, x, &b);
  for (int i = 0; i < b.rank && !b.naxes; i++) all[i] = i; /* no axes are all of them to torch's amin */
  const int64_t *axes = b.naxes ? b.axes : all;
  const size_t naxes = b.naxes ? b.naxes : (size_t)b.rank;
  MlirValue least = smaller(c, tcc_build_reduce(&c->b, "min", x, axes, naxes, false), 0),
            most = larger(c, tcc_build_reduce(&c->b, "max", x, axes, naxes, false), 0), scale, zero;
  if (symmetric) {
    scale = torch_div(c, tcc_build2(&c->b, TCC_OP_MAX, torch_neg(c, least), most), torch_constant(c, elem, (high - low) / 2));
  } else if (unclipped) {
    scale = tcc_build2(&c->b, TCC_OP_MAX, torch_div(c, least, torch_constant(c, elem, low)),
                       torch_div(c, most, torch_constant(c, elem, high)));
  } else {
    scale = torch_div(c, torch_sub(c, most, least), torch_constant(c, elem, high - low));
  }
  scale = larger(c, scale, eps);
  if (symmetric || unclipped) zero = torch_plus(c, torch_times(c, scale, 0), trunc((high + low + 1) / 2));
  else zero = smaller(c, larger(c, torch_from(c, low, rounded(c, torch_div(c, least, scale))), low), high);
  return parameters(c, scale, zero);
}

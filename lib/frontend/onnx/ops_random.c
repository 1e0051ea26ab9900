/* ops_random.c - operators that draw random numbers. With a `seed` the numbers are the same in each run; without one they are those of
 * the inputs tcc.seed and tcc.offset (docs/random.md). */
#include "lib/frontend/onnx/import.h"
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

static bool stream_of(ImportCall *c, ImportStream *out) {
  if (!onnx_has_attribute(c, "seed")) return import_stream(c, out);
  if (tcc_str_is(c->op, "Dropout")) return import_stream_of(c, onnx_int(c, "seed", 0), 0, out); /* the others' are floats */
  float seed = (float)onnx_float(c, "seed", 0);
  uint32_t bits;
  memcpy(&bits, &seed, sizeof bits);
  return import_stream_of(c, (int64_t)bits, 0, out);
}

/* The attribute `shape`, or the shape of the input of an operator that is LIKE it. */
static bool result_shape(ImportCall *c, ImportShape *out) {
  const int64_t *sizes;
  size_t count = 0;
  *out = (ImportShape){.elem = TCC_ELEM_F32};
  if (c->kind >= RANDOM_LIKE) {
    if (!import_need(c, 1)) return false;
    *out = import_shape(c, import_input(c, 0));
  } else {
    if (!onnx_ints(c, "shape", &sizes, &count)) return import_invalid(c, "attribute 'shape' is missing");
    if (count > TCC_MAX_RANK) return import_unsupported(c, "a result of rank %zu", count);
    out->rank = (int)count;
    for (size_t i = 0; i < count; i++) {
      if (sizes[i] < 0) return import_invalid(c, "a negative size");
      out->dims[i] = import_size(c, sizes[i]);
    }
  }
  out->elem = onnx_elem(c, "dtype", out->elem);
  if (c->reason || !tcc_elem_is_float(out->elem) || tcc_elem_bits(out->elem) < 16)
    return import_invalid(c, "'dtype' must be a float type");
  return true;
}

static MlirValue scaled(ImportCall *c, MlirValue x, double scale, double shift) {
  return tcc_build2_number(&c->b, TCC_OP_ADD, tcc_build2_number(&c->b, TCC_OP_MUL, x, scale), shift);
}

bool onnx_op_random(ImportCall *c) {
  ImportShape s;
  ImportStream stream;
  if (!result_shape(c, &s) || !stream_of(c, &stream)) return false;
  TccElem wide = s.elem == TCC_ELEM_F64 ? s.elem : TCC_ELEM_F32;
  MlirValue r;
  if (c->kind % RANDOM_LIKE == RANDOM_NORMAL) {
    r = scaled(c, import_random_normal(c, &stream, wide, s.rank, s.dims), onnx_float(c, "scale", 1), onnx_float(c, "mean", 0));
  } else {
    double low = onnx_float(c, "low", 0), high = onnx_float(c, "high", 1);
    if (low == 0 && high == 1) wide = s.elem; /* as it is: in a narrow type no number rounds to 1 */
    r = scaled(c, import_random_uniform(c, &stream, wide, s.rank, s.dims), high - low, low);
  }
  return r.ptr && import_output(c, 0, tcc_build_convert(&c->b, r, s.elem));
}

bool onnx_op_bernoulli(ImportCall *c) {
  ImportStream stream;
  if (!import_need(c, 1) || !stream_of(c, &stream)) return false;
  MlirValue p = import_input(c, 0);
  ImportShape s = import_shape(c, p);
  TccElem elem = onnx_elem(c, "dtype", s.elem);
  if (!elem) return false;
  MlirValue flags = import_random_flags(c, &stream, p, s.rank, s.dims);
  return flags.ptr && import_output(c, 0, tcc_build_convert(&c->b, flags, elem));
}

/* The input is logarithms of weights, [batch, classes]. */
bool onnx_op_multinomial(ImportCall *c) {
  ImportStream stream;
  if (!import_need(c, 1) || !stream_of(c, &stream)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape s = import_shape(c, x);
  TccElem elem = onnx_elem(c, "dtype", TCC_ELEM_I32), wide = s.elem == TCC_ELEM_F64 ? s.elem : TCC_ELEM_F32;
  int64_t count = onnx_int(c, "sample_size", 1);
  if (s.rank != 2) return import_invalid(c, "an input of rank %d, not 2", s.rank);
  if (count < 0 || (elem != TCC_ELEM_I32 && elem != TCC_ELEM_I64)) return import_invalid(c, "'sample_size' or 'dtype' is wrong");
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  x = tcc_build_convert(&c->b, x, wide);
  MlirValue weights = import_op(c, TCC_OP_SOFTMAX, &x, 1, &axis, 1);
  MlirValue r = import_random_classes(c, &stream, weights, import_size(c, count), true);
  return r.ptr && import_output(c, 0, tcc_build_convert(&c->b, r, elem));
}

/* ---- dropout ---- */
/* A scalar input as f32 of rank 0; absent: otherwise. */
static MlirValue scalar_input(ImportCall *c, size_t index, double otherwise) {
  if (!import_has_input(c, index)) return tcc_build_scalar(&c->b, TCC_ELEM_F32, otherwise);
  return tcc_build_reshape(&c->b, tcc_build_convert(&c->b, import_input(c, index), TCC_ELEM_F32), 0, NULL);
}

/* Elements stay where a number of [0, 1) is at least the ratio. training: a bool of rank 0, or null for yes. */
static bool dropped(ImportCall *c, MlirValue x, MlirValue training) {
  ImportStream stream;
  ImportShape s = import_shape(c, x);
  if (!stream_of(c, &stream)) return false;
  TccElem wide = s.elem == TCC_ELEM_F64 ? s.elem : TCC_ELEM_F32;
  MlirValue one = tcc_build_scalar(&c->b, TCC_ELEM_F32, 1), zero = tcc_build_scalar(&c->b, s.elem, 0);
  MlirValue ratio = scalar_input(c, 1, onnx_float(c, "ratio", 0.5)),
            u = import_random_uniform(c, &stream, TCC_ELEM_F32, s.rank, s.dims);
  if (!ratio.ptr || !u.ptr) return false;
  MlirValue kept = tcc_build_compare(&c->b, "ge", u, ratio);
  MlirValue scale = tcc_build2(&c->b, TCC_OP_DIV, one, tcc_build2(&c->b, TCC_OP_SUB, one, ratio));
  if (training.ptr) {
    kept = tcc_build2(&c->b, TCC_OP_OR, kept, tcc_build1(&c->b, TCC_OP_NOT, training));
    scale = tcc_build_select(&c->b, training, scale, one);
  }
  MlirValue y = tcc_build2(&c->b, TCC_OP_MUL, tcc_build_convert(&c->b, x, wide), tcc_build_convert(&c->b, scale, wide));
  y = tcc_build_select(&c->b, kept, tcc_build_convert(&c->b, y, s.elem), zero);
  if (import_has_output(c, 1))
    if (!import_output(c, 1, tcc_build_convert(&c->b, kept, onnx_call(c)->opset < 10 ? s.elem : TCC_ELEM_BOOL))) return false;
  return import_output(c, 0, y);
}

/* Inference: the input, and a mask of ones. */
static bool passed(ImportCall *c, MlirValue x) {
  ImportShape s = import_shape(c, x);
  TccElem elem = onnx_call(c)->opset < 10 ? s.elem : TCC_ELEM_BOOL;
  MlirValue ones = elem == TCC_ELEM_BOOL ? tcc_build_scalar_i64(&c->b, elem, 1) : tcc_build_scalar(&c->b, elem, 1);
  if (import_has_output(c, 1) && !import_output(c, 1, tcc_build_broadcast(&c->b, ones, s.rank, s.dims))) return false;
  return import_output(c, 0, x);
}

bool onnx_op_dropout(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0), yes = {NULL};
  int64_t training = onnx_call(c)->opset < 7 ? !onnx_int(c, "is_test", 0) : 0;
  if (import_has_input(c, 2) && !import_known_constant(c, import_input(c, 2), &training) && !c->importer->options->no_dropout)
    return dropped(c, x, tcc_build_reshape(&c->b, import_input(c, 2), 0, NULL));
  if (training && import_has_input(c, 1) && tcc_value_kind(c->ir, import_input(c, 1)) == TCC_OP_CONSTANT) {
    size_t count; /* with ratio 0 nothing is dropped */
    const double *ratio = import_reals(c, 1, &count);
    training = !ratio || count != 1 || ratio[0] != 0;
  }
  return training && !c->importer->options->no_dropout ? dropped(c, x, yes) : passed(c, x);
}

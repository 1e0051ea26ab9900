/* scores.c - transforms of scores, and labels of the largest. */
#include "lib/frontend/onnx/scores.h"
#include "lib/frontend/onnx/text.h"
#include "tcc/op_kinds.h"

int onnx_choice(ImportCall *c, const char *attribute, const char *const *names, int count, const char *otherwise) {
  TccStr text = onnx_string(c, attribute, otherwise);
  for (int i = 0; i < count; i++)
    if (tcc_str_is(text, names[i])) return i;
  import_invalid(c, "%s '%.*s'", attribute, TCC_STR_ARG(text));
  return -1;
}

int onnx_post_transform(ImportCall *c) {
  static const char *const names[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  return onnx_choice(c, "post_transform", names, 5, "NONE");
}

MlirValue onnx_feature_rows(ImportCall *c) {
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  if (!import_need(c, 1)) return (MlirValue){NULL};
  if (shape.rank == 1) x = import_unsqueeze(c, x, 0);
  else if (shape.rank != 2) import_invalid(c, "the input must have the shape [N, F]");
  return c->reason ? (MlirValue){NULL} : tcc_build_convert(&c->b, x, shape.elem == TCC_ELEM_F64 ? shape.elem : TCC_ELEM_F32);
}

const double *onnx_real_list(ImportCall *c, const char *name, size_t *out_count) {
  const float *list;
  *out_count = 0;
  if (!onnx_floats(c, name, &list, out_count)) return NULL;
  double *out = TCC_NEW_ARRAY(import_arena(c), double, *out_count + 1);
  for (size_t i = 0; i < *out_count; i++) out[i] = list[i];
  return out;
}

MlirValue onnx_real_constant(ImportCall *c, TccElem elem, int rank, const int64_t *dims, const double *values) {
  size_t n = 1;
  for (int i = 0; i < rank; i++) n *= (size_t)dims[i];
  char *data = tcc_arena_alloc(import_arena(c), n * sizeof(double) + 1);
  for (size_t i = 0; i < n; i++) tcc_elem_store_f64(elem, data, i, values[i]);
  return tcc_build_constant(&c->b, elem, rank, dims, data);
}

/* e^(v - max), but of what is nearly 0 v * e^-max, divided by their sum; a half where that is 0. */
static MlirValue softmax_zero(ImportCall *c, MlirValue x) {
  const int64_t along = 1;
  const TccElem elem = tcc_value_elem(x);
  MlirValue most = tcc_build_reduce(&c->b, "max", x, &along, 1, true), zero = tcc_build_scalar(&c->b, elem, 0);
  MlirValue size = tcc_build1(&c->b, TCC_OP_ABS, x),
            far = tcc_build_compare(&c->b, "gt", size, tcc_build_scalar(&c->b, elem, 1e-7));
  MlirValue near = tcc_build2(&c->b, TCC_OP_MUL, x, tcc_build1(&c->b, TCC_OP_EXP, tcc_build1(&c->b, TCC_OP_NEG, most)));
  MlirValue e = tcc_build_select(&c->b, far, tcc_build1(&c->b, TCC_OP_EXP, tcc_build2(&c->b, TCC_OP_SUB, x, most)), near);
  MlirValue sum = tcc_build_reduce(&c->b, "sum", e, &along, 1, true), none = tcc_build_compare(&c->b, "eq", sum, zero);
  return tcc_build_select(&c->b, none, tcc_build_scalar(&c->b, elem, 0.5), tcc_build2(&c->b, TCC_OP_DIV, e, sum));
}

MlirValue onnx_transform(ImportCall *c, MlirValue scores, OnnxTransform how) {
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  if (!scores.ptr) return scores;
  switch (how) {
  case TRANSFORM_NONE: return scores;
  case TRANSFORM_SOFTMAX: return import_op(c, TCC_OP_SOFTMAX, &scores, 1, &axis, 1);
  case TRANSFORM_LOGISTIC: return tcc_build1(&c->b, TCC_OP_SIGMOID, scores);
  case TRANSFORM_SOFTMAX_ZERO: return softmax_zero(c, scores);
  default: import_unsupported(c, "post_transform PROBIT"); return (MlirValue){NULL};
  }
}

MlirValue onnx_two_scores(ImportCall *c, MlirValue s, bool negated, OnnxTransform how) {
  if (how == TRANSFORM_PROBIT) return onnx_transform(c, s, how);
  const bool negative = how == TRANSFORM_LOGISTIC || (negated && how == TRANSFORM_NONE);
  MlirValue other =
      negative ? tcc_build1(&c->b, TCC_OP_NEG, s) : tcc_build2(&c->b, TCC_OP_SUB, tcc_build_scalar(&c->b, tcc_value_elem(s), 1), s);
  MlirValue both[] = {other, s}, y = tcc_build_concat(&c->b, both, 2, 1);
  return how == TRANSFORM_LOGISTIC ? onnx_transform(c, y, how) : y;
}

MlirValue onnx_squared_distances(ImportCall *c, MlirValue a, MlirValue b) {
  static const int64_t turned[] = {1, 0}, features = 1;
  MlirValue apart = tcc_build2(&c->b, TCC_OP_SUB, import_unsqueeze(c, a, 2), tcc_build_transpose(&c->b, b, turned)); /* [M, F, K] */
  return tcc_build_reduce(&c->b, "sum", tcc_build2(&c->b, TCC_OP_MUL, apart, apart), &features, 1, false);
}

bool onnx_score_output(ImportCall *c, size_t output, MlirValue scores) {
  return import_output(c, output, scores.ptr ? tcc_build_convert(&c->b, scores, TCC_ELEM_F32) : scores);
}

size_t onnx_class_count(ImportCall *c, const char *ints) {
  const TccStr *strings;
  const int64_t *numbers;
  size_t n = 0;
  if (onnx_strings(c, "classlabels_strings", &strings, &n) && n) return n;
  if (onnx_ints(c, ints, &numbers, &n) && n) return n;
  import_invalid(c, "no labels of classes");
  return 0;
}

bool onnx_label_output(ImportCall *c, const char *ints, MlirValue scores) {
  const TccStr *strings;
  const int64_t *numbers;
  size_t n;
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, 1)}};
  MlirValue best = import_op(c, TCC_OP_ARG_REDUCE, &scores, 1, attrs, 2);
  if (onnx_strings(c, "classlabels_strings", &strings, &n) && n)
    return onnx_text_output(c, 0, tcc_build_gather(&c->b, onnx_text_constant(c, strings, n, 1, &(int64_t){(int64_t)n}), best, 0));
  if (!onnx_ints(c, ints, &numbers, &n) || !n) return import_invalid(c, "no labels of classes");
  return import_output(
      c, 0, tcc_build_gather(&c->b, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &(int64_t){(int64_t)n}, numbers), best, 0));
}

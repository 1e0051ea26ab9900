/* ops_linear.c - LinearRegressor and LinearClassifier: a product with coefficients, transformed.
 *
 * A classifier of two classes may have one score s. As onnxruntime has it, the class is the second where s > 0, and the scores are [1 - s, s]
 * unless they are transformed by LOGISTIC. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/scores.h"
#include "tcc/op_kinds.h"

/* x [N, F] times the coefficients of `count` targets, plus intercepts: [N, count]. Null after a reason. */
static MlirValue linear_scores(ImportCall *c, MlirValue x, size_t count, const double *intercepts) {
  size_t n;
  const double *coefficients = onnx_real_list(c, "coefficients", &n);
  const TccElem elem = tcc_value_elem(x);
  if (!n || n % count) import_invalid(c, "%zu coefficients for %zu scores", n, count);
  if (c->reason) return (MlirValue){NULL};
  const int64_t dims[] = {(int64_t)count, (int64_t)(n / count)}, along = 1;
  if (!import_require_equal(c, import_shape(c, x).dims[1], import_size(c, dims[1]),
                            "the features of the input, and of the coefficients"))
    return (MlirValue){NULL};
  MlirValue w = onnx_real_constant(c, elem, 2, dims, coefficients);
  MlirValue y = tcc_build_dot_general(&c->b, x, w, NULL, NULL, 0, &along, &along, 1);
  return intercepts ? tcc_build2(&c->b, TCC_OP_ADD, y, onnx_real_constant(c, elem, 1, dims, intercepts)) : y;
}

bool onnx_op_linear_regressor(ImportCall *c) {
  const int64_t targets = onnx_int(c, "targets", 1);
  const int how = onnx_post_transform(c);
  MlirValue x = onnx_feature_rows(c);
  size_t n;
  const double *intercepts = onnx_real_list(c, "intercepts", &n);
  if (!x.ptr || how < 0) return false;
  if (targets < 1 || targets > INT32_MAX) return import_invalid(c, "targets is %lld", (long long)targets);
  if (n && n != (size_t)targets) return import_invalid(c, "%zu intercepts for %lld targets", n, (long long)targets);
  return onnx_score_output(c, 0,
                           onnx_transform(c, linear_scores(c, x, (size_t)targets, n ? intercepts : NULL), (OnnxTransform)how));
}

bool onnx_op_linear_classifier(ImportCall *c) {
  const size_t classes = onnx_class_count(c, "classlabels_ints");
  const int how = onnx_post_transform(c);
  MlirValue x = onnx_feature_rows(c);
  size_t n, ncoefficients;
  const double *intercepts = onnx_real_list(c, "intercepts", &n);
  if (!x.ptr || how < 0 || !classes) return false;
  onnx_real_list(c, "coefficients", &ncoefficients);
  int64_t features = 0; /* without intercepts these say whether there is one score or one for each class */
  if (!n && !import_fix_size(c, import_shape(c, x).dims[1], &features)) return false;
  const size_t count = n ? n : features > 0 ? ncoefficients / (size_t)features : 0;
  const bool single = count == 1 && classes == 2;
  if (!single && count != classes) return import_invalid(c, "%zu scores for %zu classes", count, classes);
  MlirValue scores = linear_scores(c, x, count, n ? intercepts : NULL);
  if (!scores.ptr) return false;
  if (!single)
    return onnx_label_output(c, "classlabels_ints", scores) &&
           onnx_score_output(c, 1, onnx_transform(c, scores, (OnnxTransform)how));
  const TccElem elem = tcc_value_elem(scores); /* NaN is not above 0 */
  MlirValue zero = tcc_build_scalar(&c->b, elem, 0), is_second = tcc_build_compare(&c->b, "gt", scores, zero);
  MlirValue both[] = {tcc_build_broadcast(&c->b, zero, 2, import_shape(c, scores).dims), tcc_build_convert(&c->b, is_second, elem)};
  MlirValue y = onnx_two_scores(c, scores, false, (OnnxTransform)how);
  return onnx_label_output(c, "classlabels_ints", tcc_build_concat(&c->b, both, 2, 1)) && onnx_score_output(c, 1, y);
}

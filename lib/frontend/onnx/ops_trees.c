/* ops_trees.c - TreeEnsemble, TreeEnsembleRegressor, TreeEnsembleClassifier: what the leaves give (trees.h), aggregated and transformed.
 *
 * A classifier of two classes whose weights are all of one has one score s. As onnxruntime has it, the scores are [1 - s, s] if no weight is
 * negative, else [-s, s]; the class is the one with the larger. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/scores.h"
#include "lib/frontend/onnx/trees.h"
#include "tcc/op_kinds.h"
#include <float.h>

typedef enum { AGGREGATE_AVERAGE, AGGREGATE_SUM, AGGREGATE_MIN, AGGREGATE_MAX } Aggregate; /* numbers of TreeEnsemble-5 */

static double rest_of(Aggregate aggregate, TccElem elem) {
  const double most = elem == TCC_ELEM_F64 ? DBL_MAX : FLT_MAX;
  return aggregate == AGGREGATE_MIN ? most : aggregate == AGGREGATE_MAX ? -most : 0;
}

/* [N, targets] of what the trees give. */
static MlirValue aggregate_trees(ImportCall *c, const Forest *forest, MlirValue x, Aggregate aggregate) {
  const int64_t trees = 1;
  const char *kind = aggregate == AGGREGATE_MIN ? "min" : aggregate == AGGREGATE_MAX ? "max" : "sum";
  MlirValue sum = tcc_build_reduce(&c->b, kind, onnx_forest_leaves(c, forest, x), &trees, 1, false);
  return aggregate == AGGREGATE_AVERAGE ? tcc_build2_number(&c->b, TCC_OP_DIV, sum, (double)forest->roots.count) : sum;
}

/* Adds base_values, one or as many as there are targets. */
static MlirValue add_base(ImportCall *c, MlirValue scores, size_t targets) {
  size_t n;
  const double *base = onnx_reals_of(c, "base_values_as_tensor", "base_values", &n);
  const TccElem elem = tcc_value_elem(scores);
  if (!base || !n || !scores.ptr) return scores;
  if (n != 1 && n != targets) {
    import_invalid(c, "%zu base values for %zu targets", n, targets);
    return (MlirValue){NULL};
  }
  return tcc_build2(&c->b, TCC_OP_ADD, scores, onnx_real_constant(c, elem, 1, &(int64_t){(int64_t)n}, base));
}

static bool read_targets(ImportCall *c, size_t *out) {
  const int64_t n = onnx_int(c, "n_targets", 0);
  *out = (size_t)n;
  return (n > 0 && n <= INT32_MAX) || import_invalid(c, "n_targets is %lld", (long long)n);
}

bool onnx_op_tree_ensemble(ImportCall *c) {
  const int64_t aggregate = onnx_int(c, "aggregate_function", AGGREGATE_SUM), how = onnx_int(c, "post_transform", TRANSFORM_NONE);
  MlirValue x = onnx_feature_rows(c);
  Forest forest;
  size_t targets;
  if (!x.ptr || !read_targets(c, &targets)) return false;
  if (aggregate < AGGREGATE_AVERAGE || aggregate > AGGREGATE_MAX || how < TRANSFORM_NONE || how > TRANSFORM_PROBIT)
    return import_invalid(c, "aggregate_function %lld, post_transform %lld", (long long)aggregate, (long long)how);
  if (!onnx_read_ensemble(c, targets, rest_of((Aggregate)aggregate, tcc_value_elem(x)), &forest)) return false;
  MlirValue y = onnx_transform(c, aggregate_trees(c, &forest, x, (Aggregate)aggregate), (OnnxTransform)how);
  return import_output(c, 0, y.ptr ? tcc_build_convert(&c->b, y, import_shape(c, import_input(c, 0)).elem) : y);
}

bool onnx_op_tree_regressor(ImportCall *c) {
  static const char *const names[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  const int aggregate = onnx_choice(c, "aggregate_function", names, 4, "SUM"), how = onnx_post_transform(c);
  MlirValue x = onnx_feature_rows(c);
  Forest forest;
  size_t targets;
  if (!x.ptr || aggregate < 0 || how < 0 || !read_targets(c, &targets)) return false;
  if (!onnx_read_forest(c, "target", targets, rest_of((Aggregate)aggregate, tcc_value_elem(x)), &forest)) return false;
  MlirValue y = onnx_transform(c, add_base(c, aggregate_trees(c, &forest, x, (Aggregate)aggregate), targets), (OnnxTransform)how);
  return import_output(c, 0, y.ptr ? tcc_build_convert(&c->b, y, TCC_ELEM_F32) : y);
}

/* ---- TreeEnsembleClassifier ---- */
/* The one class that all weights are of; -1: there are several. */
static int64_t only_class(ImportCall *c, bool *out_negative) {
  const int64_t *ids;
  size_t n, nweights;
  const double *weights = onnx_reals_of(c, "class_weights_as_tensor", "class_weights", &nweights);
  *out_negative = false;
  for (size_t i = 0; i < nweights; i++) *out_negative |= weights[i] < 0;
  if (!onnx_ints(c, "class_ids", &ids, &n) || !n) return -1;
  for (size_t i = 1; i < n; i++)
    if (ids[i] != ids[0]) return -1;
  return ids[0];
}

/* [other, s] of the column `of` of the scores, s. */
static MlirValue two_scores(ImportCall *c, MlirValue scores, int64_t of, bool negative, OnnxTransform how) {
  const TccExpr *one = import_size(c, 1);
  MlirValue s = tcc_build_slice_axis(&c->b, scores, 1, import_size(c, of), 1, one);
  MlirValue other = negative ? tcc_build1(&c->b, TCC_OP_NEG, s)
                             : tcc_build2(&c->b, TCC_OP_SUB, tcc_build_scalar(&c->b, tcc_value_elem(scores), 1), s);
  MlirValue both[] = {other, s};
  MlirValue y = tcc_build_concat(&c->b, both, 2, 1);
  return negative || how != TRANSFORM_LOGISTIC ? onnx_transform(c, y, how) : y;
}

bool onnx_op_tree_classifier(ImportCall *c) {
  const size_t classes = onnx_class_count(c, "classlabels_int64s");
  const int how = onnx_post_transform(c);
  bool negative;
  MlirValue x = onnx_feature_rows(c);
  Forest forest;
  if (!x.ptr || how < 0) return false;
  if (!classes) return false;
  if (classes < 2) return import_unsupported(c, "%zu classes", classes);
  const int64_t only = only_class(c, &negative);
  if (!onnx_read_forest(c, "class", classes, 0, &forest)) return false;
  MlirValue scores = add_base(c, aggregate_trees(c, &forest, x, AGGREGATE_SUM), classes);
  if (!scores.ptr) return false;
  const bool binary = classes == 2 && only >= 0;
  MlirValue raw = binary ? two_scores(c, scores, only, negative, TRANSFORM_NONE) : scores;
  MlirValue y = binary ? two_scores(c, scores, only, negative, (OnnxTransform)how) : onnx_transform(c, scores, (OnnxTransform)how);
  return onnx_label_output(c, "classlabels_int64s", raw) &&
         import_output(c, 1, y.ptr ? tcc_build_convert(&c->b, y, TCC_ELEM_F32) : y);
}

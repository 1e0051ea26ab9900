/* ops_trees.c - TreeEnsemble, TreeEnsembleRegressor, TreeEnsembleClassifier: what the leaves give (trees.h), aggregated and transformed.
 *
 * A classifier of two classes whose weights are all of one has one score s. As onnxruntime has it, the scores are [1 - s, s] if no weight is
 * negative, else [-s, s]; the class is the one with the larger. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/text.h"
#include "lib/frontend/onnx/trees.h"
#include "tcc/op_kinds.h"
#include <float.h>

typedef enum { AGGREGATE_AVERAGE, AGGREGATE_SUM, AGGREGATE_MIN, AGGREGATE_MAX } Aggregate; /* numbers of TreeEnsemble-5 */
typedef enum { TRANSFORM_NONE, TRANSFORM_SOFTMAX, TRANSFORM_LOGISTIC, TRANSFORM_SOFTMAX_ZERO, TRANSFORM_PROBIT } Transform;

/* Which of the names the attribute has; -1 and a reason: none. */
static int choice(ImportCall *c, const char *attribute, const char *const *names, int count, const char *otherwise) {
  TccStr text = onnx_string(c, attribute, otherwise);
  for (int i = 0; i < count; i++)
    if (tcc_str_is(text, names[i])) return i;
  import_invalid(c, "%s '%.*s'", attribute, TCC_STR_ARG(text));
  return -1;
}

static int transform_name(ImportCall *c) {
  static const char *const names[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
  return choice(c, "post_transform", names, 5, "NONE");
}

/* Input 0 as [N, F], in f64 or f32. */
static MlirValue rows(ImportCall *c) {
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  if (!import_need(c, 1)) return (MlirValue){NULL};
  if (shape.rank == 1) x = import_unsqueeze(c, x, 0);
  else if (shape.rank != 2) import_invalid(c, "the input must have the shape [N, F]");
  return c->reason ? (MlirValue){NULL} : tcc_build_convert(&c->b, x, shape.elem == TCC_ELEM_F64 ? shape.elem : TCC_ELEM_F32);
}

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

static MlirValue transform(ImportCall *c, MlirValue scores, Transform how) {
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  switch (how) {
  case TRANSFORM_NONE: return scores;
  case TRANSFORM_SOFTMAX: return import_op(c, TCC_OP_SOFTMAX, &scores, 1, &axis, 1);
  case TRANSFORM_LOGISTIC: return tcc_build1(&c->b, TCC_OP_SIGMOID, scores);
  case TRANSFORM_SOFTMAX_ZERO: return softmax_zero(c, scores);
  default: import_unsupported(c, "post_transform PROBIT"); return (MlirValue){NULL};
  }
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
  char *data = tcc_arena_alloc(import_arena(c), n * sizeof(double));
  for (size_t i = 0; i < n; i++) tcc_elem_store_f64(elem, data, i, base[i]);
  return tcc_build2(&c->b, TCC_OP_ADD, scores, tcc_build_constant(&c->b, elem, 1, &(int64_t){(int64_t)n}, data));
}

static bool read_targets(ImportCall *c, size_t *out) {
  const int64_t n = onnx_int(c, "n_targets", 0);
  *out = (size_t)n;
  return (n > 0 && n <= INT32_MAX) || import_invalid(c, "n_targets is %lld", (long long)n);
}

bool onnx_op_tree_ensemble(ImportCall *c) {
  const int64_t aggregate = onnx_int(c, "aggregate_function", AGGREGATE_SUM), how = onnx_int(c, "post_transform", TRANSFORM_NONE);
  MlirValue x = rows(c);
  Forest forest;
  size_t targets;
  if (!x.ptr || !read_targets(c, &targets)) return false;
  if (aggregate < AGGREGATE_AVERAGE || aggregate > AGGREGATE_MAX || how < TRANSFORM_NONE || how > TRANSFORM_PROBIT)
    return import_invalid(c, "aggregate_function %lld, post_transform %lld", (long long)aggregate, (long long)how);
  if (!onnx_read_ensemble(c, targets, rest_of((Aggregate)aggregate, tcc_value_elem(x)), &forest)) return false;
  MlirValue y = transform(c, aggregate_trees(c, &forest, x, (Aggregate)aggregate), (Transform)how);
  return import_output(c, 0, y.ptr ? tcc_build_convert(&c->b, y, import_shape(c, import_input(c, 0)).elem) : y);
}

bool onnx_op_tree_regressor(ImportCall *c) {
  static const char *const names[] = {"AVERAGE", "SUM", "MIN", "MAX"};
  const int aggregate = choice(c, "aggregate_function", names, 4, "SUM"), how = transform_name(c);
  MlirValue x = rows(c);
  Forest forest;
  size_t targets;
  if (!x.ptr || aggregate < 0 || how < 0 || !read_targets(c, &targets)) return false;
  if (!onnx_read_forest(c, "target", targets, rest_of((Aggregate)aggregate, tcc_value_elem(x)), &forest)) return false;
  MlirValue y = transform(c, add_base(c, aggregate_trees(c, &forest, x, (Aggregate)aggregate), targets), (Transform)how);
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
static MlirValue two_scores(ImportCall *c, MlirValue scores, int64_t of, bool negative, Transform how) {
  const TccExpr *one = import_size(c, 1);
  MlirValue s = tcc_build_slice_axis(&c->b, scores, 1, import_size(c, of), 1, one);
  MlirValue other = negative ? tcc_build1(&c->b, TCC_OP_NEG, s)
                             : tcc_build2(&c->b, TCC_OP_SUB, tcc_build_scalar(&c->b, tcc_value_elem(scores), 1), s);
  MlirValue both[] = {other, s};
  MlirValue y = tcc_build_concat(&c->b, both, 2, 1);
  return negative || how != TRANSFORM_LOGISTIC ? transform(c, y, how) : y;
}

static bool give_labels(ImportCall *c, MlirValue scores, size_t classes) {
  const TccStr *strings;
  const int64_t *numbers, count = (int64_t)classes;
  size_t n;
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, 1)}};
  MlirValue best = import_op(c, TCC_OP_ARG_REDUCE, &scores, 1, attrs, 2);
  if (onnx_strings(c, "classlabels_strings", &strings, &n) && n)
    return onnx_text_output(c, 0, tcc_build_gather(&c->b, onnx_text_constant(c, strings, n, 1, &count), best, 0));
  onnx_ints(c, "classlabels_int64s", &numbers, &n);
  return import_output(c, 0, tcc_build_gather(&c->b, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &count, numbers), best, 0));
}

bool onnx_op_tree_classifier(ImportCall *c) {
  const TccStr *strings;
  const int64_t *numbers;
  size_t classes = 0;
  const int how = transform_name(c);
  bool negative;
  MlirValue x = rows(c);
  Forest forest;
  if (!x.ptr || how < 0) return false;
  if (!(onnx_strings(c, "classlabels_strings", &strings, &classes) && classes) &&
      !onnx_ints(c, "classlabels_int64s", &numbers, &classes))
    return import_invalid(c, "no labels of classes");
  if (classes < 2) return import_unsupported(c, "%zu classes", classes);
  const int64_t only = only_class(c, &negative);
  if (!onnx_read_forest(c, "class", classes, 0, &forest)) return false;
  MlirValue scores = add_base(c, aggregate_trees(c, &forest, x, AGGREGATE_SUM), classes);
  if (!scores.ptr) return false;
  const bool binary = classes == 2 && only >= 0;
  MlirValue raw = binary ? two_scores(c, scores, only, negative, TRANSFORM_NONE) : scores;
  MlirValue y = binary ? two_scores(c, scores, only, negative, (Transform)how) : transform(c, scores, (Transform)how);
  return give_labels(c, raw, classes) && import_output(c, 1, y.ptr ? tcc_build_convert(&c->b, y, TCC_ELEM_F32) : y);
}

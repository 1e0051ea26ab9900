/* ops_svm.c - SVMRegressor and SVMClassifier, as libsvm has them: a kernel function of each row and each support vector, weighted.
 *
 * A classifier has one score for each pair of classes, and each gives a vote. Of two classes the scores that are given are [-s, s]; with prob_a and
 * prob_b they are probabilities: those of pairs (Platt), coupled by the iteration of Wu, Lin and Weng, "Probability Estimates for Multi-class
 * Classification by Pairwise Coupling" (2004), algorithm 2, until its condition holds to 0.005 / classes, 100 times at most, as libsvm does it. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/scores.h"
#include "tcc/op_kinds.h"

typedef enum { KERNEL_LINEAR, KERNEL_POLY, KERNEL_RBF, KERNEL_SIGMOID } KernelType;

/* a [N, F] and b [V, F]: their products, [N, V]. */
static MlirValue products(ImportCall *c, MlirValue a, MlirValue b) {
  const int64_t along = 1;
  return tcc_build_dot_general(&c->b, a, b, NULL, NULL, 0, &along, &along, 1);
}

static MlirValue add_number(ImportCall *c, MlirValue x, double y) {
  return y != 0 ? tcc_build2_number(&c->b, TCC_OP_ADD, x, y) : x;
}

/* The kernel function of each row of x [N, F] and each of `count` vectors of as many numbers: [N, count]. */
static MlirValue kernel(ImportCall *c, MlirValue x, KernelType type, const char *vectors, int64_t count) {
  static const double none[3];
  size_t n;
  const double *params = onnx_real_list(c, "kernel_params", &n);
  if (n && n != 3) import_invalid(c, "%zu kernel_params, which are gamma, coef0 and degree", n);
  if (c->reason) return (MlirValue){NULL};
  if (!n) params = none;
  size_t all;
  const double *values = onnx_real_list(c, vectors, &all);
  const int64_t dims[] = {count, (int64_t)all / count};
  MlirValue v = onnx_real_constant(c, tcc_value_elem(x), 2, dims, values);
  if (type == KERNEL_RBF) {
    MlirValue square = onnx_squared_distances(c, x, v);
    return tcc_build1(&c->b, TCC_OP_EXP, tcc_build2_number(&c->b, TCC_OP_MUL, square, -params[0]));
  }
  MlirValue y = products(c, x, v);
  if (type == KERNEL_LINEAR) return y;
  y = add_number(c, tcc_build2_number(&c->b, TCC_OP_MUL, y, params[0]), params[1]);
  return type == KERNEL_SIGMOID ? tcc_build1(&c->b, TCC_OP_TANH, y) : tcc_build2_number(&c->b, TCC_OP_POW, y, params[2]);
}

static int kernel_type(ImportCall *c) {
  static const char *const names[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
  return onnx_choice(c, "kernel_type", names, 4, "LINEAR");
}

/* The attribute's numbers, at least `least` of them. NULL after a reason. */
static const double *numbers(ImportCall *c, const char *name, size_t least) {
  size_t n;
  const double *values = onnx_real_list(c, name, &n);
  if (n < least || !n) import_invalid(c, "%zu numbers in %s, and at least %zu are needed", n, name, least ? least : 1);
  return c->reason ? NULL : values;
}

/* Whether the attribute has `count` vectors of as many numbers as x has features. False after a reason. */
static bool are_vectors(ImportCall *c, const char *name, MlirValue x, size_t count) {
  size_t n;
  onnx_real_list(c, name, &n);
  if (!n || n % count) return import_invalid(c, "%zu numbers in %s for %zu vectors", n, name, count);
  return import_require_equal(c, import_shape(c, x).dims[1], import_size(c, (int64_t)(n / count)),
                              "the features of the input, and of the vectors");
}

bool onnx_op_svm_regressor(ImportCall *c) {
  const int64_t count = onnx_int(c, "n_supports", 0);
  const int type = kernel_type(c), how = onnx_post_transform(c);
  MlirValue x = onnx_feature_rows(c);
  if (!x.ptr || type < 0 || how < 0) return false;
  if (how != TRANSFORM_NONE) return import_unsupported(c, "a post_transform");
  if (count < 0 || count > INT32_MAX) return import_invalid(c, "n_supports is %lld", (long long)count);
  const TccElem elem = tcc_value_elem(x);
  const double *rho = numbers(c, "rho", 1), *coefficients = rho ? numbers(c, "coefficients", (size_t)count) : NULL;
  const char *vectors = count ? "support_vectors" : "coefficients";
  if (!coefficients || !are_vectors(c, vectors, x, count ? (size_t)count : 1)) return false;
  MlirValue y = count ? kernel(c, x, (KernelType)type, vectors, count) : kernel(c, x, KERNEL_LINEAR, vectors, 1);
  if (!y.ptr) return false;
  if (count) y = products(c, y, onnx_real_constant(c, elem, 2, (int64_t[]){1, count}, coefficients));
  y = add_number(c, y, rho[0]);
  if (onnx_int(c, "one_class", 0))
    y = tcc_build_select(&c->b, tcc_build_compare(&c->b, "gt", y, tcc_build_scalar(&c->b, elem, 0)),
                         tcc_build_scalar(&c->b, elem, 1), tcc_build_scalar(&c->b, elem, -1));
  return onnx_score_output(c, 0, y);
}

/* ---- SVMClassifier ---- */
enum { MOST_CLASSES = 1024 };

typedef struct {
  int64_t classes, pairs, vectors;
  const int64_t *of; /* how many vectors each class has, which lie class by class */
} Machine;

/* The weights of class i beside the others, [classes - 1, vectors of i]. */
static MlirValue class_weights(ImportCall *c, const Machine *m, TccElem elem, const double *coefficients, int64_t first,
                               int64_t count) {
  double *weights = TCC_NEW_ARRAY(import_arena(c), double, (size_t)((m->classes - 1) * count));
  for (int64_t row = 0; row < m->classes - 1; row++)
    for (int64_t v = 0; v < count; v++) weights[row * count + v] = coefficients[row * m->vectors + first + v];
  return onnx_real_constant(c, elem, 2, (int64_t[]){m->classes - 1, count}, weights);
}

/* The scores of all pairs of classes i < j, [N, pairs], of the kernel's values [N, vectors]: what the vectors of i give by row j - 1 of the
 * coefficients, and those of j by row i. */
static MlirValue pair_scores(ImportCall *c, const Machine *m, MlirValue k, const double *coefficients, const double *rho) {
  const TccElem elem = tcc_value_elem(k);
  const TccExpr *none[] = {import_shape(c, k).dims[0], import_size(c, m->classes - 1)};
  MlirValue *parts = TCC_NEW_ARRAY(import_arena(c), MlirValue, (size_t)m->classes);
  int64_t *first = TCC_NEW_ARRAY(import_arena(c), int64_t, (size_t)m->pairs), pair = 0, begin = 0;
  int64_t *second = TCC_NEW_ARRAY(import_arena(c), int64_t, (size_t)m->pairs);
  for (int64_t i = 0; i < m->classes; begin += m->of[i++]) {
    MlirValue mine = m->of[i] ? tcc_build_slice_axis(&c->b, k, 1, import_size(c, begin), 1, import_size(c, m->of[i])) : k;
    parts[i] = m->of[i] ? products(c, mine, class_weights(c, m, elem, coefficients, begin, m->of[i]))
                        : tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, elem, 0), 2, none);
    for (int64_t j = i + 1; j < m->classes; j++, pair++) {
      first[pair] = i * (m->classes - 1) + j - 1;
      second[pair] = j * (m->classes - 1) + i;
    }
  }
  MlirValue all = tcc_build_concat(&c->b, parts, (size_t)m->classes, 1);
  MlirValue a = tcc_build_gather(&c->b, all, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &m->pairs, first), 1);
  MlirValue b = tcc_build_gather(&c->b, all, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &m->pairs, second), 1);
  return tcc_build2(&c->b, TCC_OP_ADD, tcc_build2(&c->b, TCC_OP_ADD, a, b), onnx_real_constant(c, elem, 1, &m->pairs, rho));
}

/* [N, classes, classes]: at [i, j] what pairs i < j have in `upper`, at [j, i] what they have in `lower`, both [N, pairs], and 0 at [i, i]. */
static MlirValue square(ImportCall *c, const Machine *m, MlirValue upper, MlirValue lower) {
  const int64_t k = m->classes;
  const TccExpr *column[] = {import_shape(c, upper).dims[0], import_size(c, 1)};
  MlirValue zero = tcc_build_convert(&c->b, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0), tcc_value_elem(upper));
  MlirValue parts[] = {upper, lower, tcc_build_broadcast(&c->b, zero, 2, column)};
  int64_t *at = TCC_NEW_ARRAY(import_arena(c), int64_t, (size_t)(k * k)), pair = 0;
  for (int64_t i = 0; i < k; i++) {
    at[i * k + i] = 2 * m->pairs;
    for (int64_t j = i + 1; j < k; j++, pair++) at[i * k + j] = pair, at[j * k + i] = m->pairs + pair;
  }
  MlirValue index = tcc_build_constant(&c->b, TCC_ELEM_I64, 2, (int64_t[]){k, k}, at);
  return tcc_build_gather(&c->b, tcc_build_concat(&c->b, parts, 3, 1), index, 1);
}

static MlirValue sum_last(ImportCall *c, MlirValue x, bool keepdims) {
  const int64_t last = import_shape(c, x).rank - 1;
  return tcc_build_reduce(&c->b, "sum", x, &last, 1, keepdims);
}

/* How many of its pairs each class wins, [N, classes]: of i < j the first wins where the score is above 0. */
static MlirValue votes(ImportCall *c, const Machine *m, MlirValue scores) {
  MlirValue zero = tcc_build_scalar(&c->b, tcc_value_elem(scores), 0), one = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 1);
  MlirValue wins = tcc_build_convert(&c->b, tcc_build_compare(&c->b, "gt", scores, zero), TCC_ELEM_I64);
  return sum_last(c, square(c, m, wins, tcc_build2(&c->b, TCC_OP_SUB, one, wins)), false);
}

/* The probability of i beside j alone, r[:, i, j], [N, classes, classes] with 0 where i is j. */
static MlirValue pair_probabilities(ImportCall *c, const Machine *m, MlirValue scores, const double *a, const double *b) {
  const TccElem elem = tcc_value_elem(scores);
  MlirValue one = tcc_build_scalar(&c->b, elem, 1);
  MlirValue value =
      tcc_build2(&c->b, TCC_OP_ADD, tcc_build2(&c->b, TCC_OP_MUL, scores, onnx_real_constant(c, elem, 1, &m->pairs, a)),
                 onnx_real_constant(c, elem, 1, &m->pairs, b));
  MlirValue first = tcc_build1(&c->b, TCC_OP_SIGMOID, tcc_build1(&c->b, TCC_OP_NEG, value));
  first = tcc_build2(&c->b, TCC_OP_MIN, tcc_build2_number(&c->b, TCC_OP_MAX, first, 1e-7),
                     tcc_build2(&c->b, TCC_OP_SUB, one, tcc_build_scalar(&c->b, elem, 1e-7)));
  MlirValue second = tcc_build2(&c->b, TCC_OP_SUB, one, first);
  return square(c, m, first, second);
}

/* The coupled probabilities minimise p Q p over p that sum to one: Q[i, i] is the sum of r[j, i]^2, Q[i, j] = -r[j, i] r[i, j]. */
typedef struct {
  MlirValue q;          /* [N, K, K] */
  MlirValue diagonal;   /* [N, K] */
  MlirValue unit;       /* [K, K], ones where i is j */
  MlirValue p, qp, pqp; /* [N, K], Q p, and p Q p [N, 1] */
} Coupling;

static Coupling coupling(ImportCall *c, const Machine *m, MlirValue r) {
  const TccElem elem = tcc_value_elem(r);
  const int64_t k = m->classes, perm[] = {0, 2, 1}, along = 1;
  double *ones = TCC_NEW_ARRAY(import_arena(c), double, (size_t)(k * k));
  for (int64_t i = 0; i < k; i++) ones[i * k + i] = 1;
  Coupling s = {.unit = onnx_real_constant(c, elem, 2, (int64_t[]){k, k}, ones)};
  s.diagonal = tcc_build_reduce(&c->b, "sum", tcc_build2(&c->b, TCC_OP_MUL, r, r), &along, 1, false);
  MlirValue others = tcc_build2(&c->b, TCC_OP_MUL, r, tcc_build_transpose(&c->b, r, perm));
  s.q = tcc_build2(&c->b, TCC_OP_SUB, tcc_build2(&c->b, TCC_OP_MUL, s.unit, import_unsqueeze(c, s.diagonal, 1)), others);
  return s;
}

static void evaluate(ImportCall *c, Coupling *s) {
  s->qp = sum_last(c, tcc_build2(&c->b, TCC_OP_MUL, s->q, import_unsqueeze(c, s->p, 1)), false);
  s->pqp = sum_last(c, tcc_build2(&c->b, TCC_OP_MUL, s->p, s->qp), true);
}

/* Column i of x [..., K], kept as an axis; i is an i64 of rank 1 and size 1. */
static MlirValue column(ImportCall *c, MlirValue x, MlirValue i) {
  return tcc_build_gather(&c->b, x, i, import_shape(c, x).rank - 1);
}

/* Moves p[i] so that the condition holds for i, and scales p to sum to one. */
static void move_one(ImportCall *c, Coupling *s, MlirValue i) {
  TccBuilder *b = &c->b;
  MlirValue d = column(c, s->diagonal, i), at = column(c, s->qp, i);
  MlirValue diff = tcc_build2(b, TCC_OP_DIV, tcc_build2(b, TCC_OP_SUB, s->pqp, at), d),
            whole = tcc_build2_number(b, TCC_OP_ADD, diff, 1);
  MlirValue unit = tcc_build_gather(b, s->unit, i, 0), row = tcc_build_squeeze(b, tcc_build_gather(b, s->q, i, 1), 1);
  MlirValue gain = tcc_build2(
      b, TCC_OP_MUL, diff, tcc_build2(b, TCC_OP_ADD, tcc_build2(b, TCC_OP_MUL, diff, d), tcc_build2_number(b, TCC_OP_MUL, at, 2)));
  s->pqp = tcc_build2(b, TCC_OP_DIV, tcc_build2(b, TCC_OP_DIV, tcc_build2(b, TCC_OP_ADD, s->pqp, gain), whole), whole);
  s->qp = tcc_build2(b, TCC_OP_DIV, tcc_build2(b, TCC_OP_ADD, s->qp, tcc_build2(b, TCC_OP_MUL, diff, row)), whole);
  s->p = tcc_build2(b, TCC_OP_DIV, tcc_build2(b, TCC_OP_ADD, s->p, tcc_build2(b, TCC_OP_MUL, diff, unit)), whole);
}

/* Moves each of p in turn: a loop of K iterations. */
static bool move_all(ImportCall *c, const Machine *m, Coupling *s) {
  const int64_t zero = 0, size = 1;
  MlirValue first[] = {tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &size, &zero), s->p, s->qp, s->pqp}, in[4], out[4];
  ImportBody body;
  Coupling here = *s;
  import_body_open(c, &body);
  for (int i = 0; i < 4; i++) in[i] = import_body_argument(c, &body, tcc_value_type(first[i]));
  here.p = in[1], here.qp = in[2], here.pqp = in[3];
  move_one(c, &here, in[0]);
  MlirValue next[] = {tcc_build2_number(&c->b, TCC_OP_ADD, in[0], 1), here.p, here.qp, here.pqp};
  if (!import_body_close(c, &body, 4, first, next, import_size(c, m->classes), false, out)) {
    import_body_drop(c, &body, false);
    return false;
  }
  s->p = out[1];
  return true;
}

/* bool [N, 1]: rows where the condition does not hold yet. */
static MlirValue unfinished(ImportCall *c, const Machine *m, const Coupling *s) {
  const int64_t along = 1;
  MlirValue error = tcc_build1(&c->b, TCC_OP_ABS, tcc_build2(&c->b, TCC_OP_SUB, s->qp, s->pqp));
  error = tcc_build_reduce(&c->b, "max", error, &along, 1, true);
  return tcc_build_compare(&c->b, "ge", error, tcc_build_scalar(&c->b, tcc_value_elem(error), 0.005 / (double)m->classes));
}

static MlirValue any(ImportCall *c, MlirValue flags) {
  const int64_t axes[] = {0, 1};
  MlirValue found = tcc_build_reduce(&c->b, "max", tcc_build_convert(&c->b, flags, TCC_ELEM_I64), axes, 2, false);
  return tcc_build_compare(&c->b, "gt", found, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
}

/* [N, K]. Null after a reason. */
static MlirValue couple(ImportCall *c, const Machine *m, MlirValue r) {
  enum { MOST = 100 };
  const TccElem elem = tcc_value_elem(r);
  Coupling s = coupling(c, m, r);
  const TccExpr *dims[] = {import_shape(c, r).dims[0], import_size(c, m->classes)};
  MlirValue equal = tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, elem, 1.0 / (double)m->classes), 2, dims);
  MlirValue first[] = {tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 1), equal}, in[2], out[2];
  ImportBody body;
  import_body_open(c, &body);
  for (int i = 0; i < 2; i++) in[i] = import_body_argument(c, &body, tcc_value_type(first[i]));
  s.p = in[1];
  evaluate(c, &s);
  MlirValue open = unfinished(c, m, &s);
  bool ok = move_all(c, m, &s);
  MlirValue next[] = {ok ? any(c, open) : open, ok ? tcc_build_select(&c->b, open, s.p, in[1]) : in[1]};
  if (ok && import_body_close(c, &body, 2, first, next, import_size(c, MOST), true, out)) return out[1];
  import_body_drop(c, &body, false);
  return (MlirValue){NULL};
}

/* Without support vectors: a score for each class, by a row of coefficients each. */
static bool linear_machine(ImportCall *c, MlirValue x, size_t classes, OnnxTransform how) {
  const TccElem elem = tcc_value_elem(x);
  const double *rho = numbers(c, "rho", 1), *coefficients = rho ? numbers(c, "coefficients", 0) : NULL;
  size_t nprob, n;
  if (!coefficients || !are_vectors(c, "coefficients", x, classes)) return false;
  MlirValue scores = kernel(c, x, KERNEL_LINEAR, "coefficients", (int64_t)classes), ranked;
  if (!scores.ptr) return false;
  ranked = scores = add_number(c, scores, rho[0]);
  onnx_real_list(c, "prob_a", &nprob);
  if (classes == 2 && !nprob) { /* the second where the larger score says so, as onnxruntime has it */
    bool positive = true;
    const int64_t along = 1;
    onnx_real_list(c, "coefficients", &n);
    for (size_t i = 0; i < n; i++) positive = positive && coefficients[i] >= 0;
    MlirValue most = tcc_build_reduce(&c->b, "max", scores, &along, 1, true);
    MlirValue yes = tcc_build_compare(&c->b, positive ? "ge" : "gt", most, tcc_build_scalar(&c->b, elem, positive ? 0.5 : 0));
    MlirValue second = onnx_real_constant(c, elem, 2, (int64_t[]){1, 2}, (double[]){0, 1});
    ranked = tcc_build_select(&c->b, yes, second, scores);
  }
  return onnx_label_output(c, "classlabels_ints", ranked) && onnx_score_output(c, 1, onnx_transform(c, scores, how));
}

static bool read_machine(ImportCall *c, size_t classes, Machine *out) {
  size_t n;
  *out = (Machine){.classes = (int64_t)classes, .pairs = (int64_t)(classes * (classes - 1) / 2)};
  if (!onnx_ints(c, "vectors_per_class", &out->of, &n)) n = 0;
  for (size_t i = 0; i < n; i++) {
    if (out->of[i] < 0 || out->of[i] > INT32_MAX) return import_invalid(c, "vectors_per_class has %lld", (long long)out->of[i]);
    out->vectors += out->of[i];
  }
  if (out->vectors > INT32_MAX) return import_invalid(c, "%lld support vectors", (long long)out->vectors);
  return !out->vectors || n == classes || import_invalid(c, "%zu numbers in vectors_per_class for %zu classes", n, classes);
}

bool onnx_op_svm_classifier(ImportCall *c) {
  const size_t classes = onnx_class_count(c, "classlabels_ints");
  const int type = kernel_type(c), how = onnx_post_transform(c);
  MlirValue x = onnx_feature_rows(c);
  Machine m;
  size_t nprob;
  if (!x.ptr || !classes || type < 0 || how < 0) return false;
  if (classes < 2 || classes > MOST_CLASSES) return import_unsupported(c, "%zu classes; 2 to %d", classes, MOST_CLASSES);
  if (!read_machine(c, classes, &m)) return false;
  if (!m.vectors) return linear_machine(c, x, classes, (OnnxTransform)how);
  const size_t pairs = (size_t)m.pairs;
  const double *rho = numbers(c, "rho", pairs), *a = NULL, *b = NULL;
  const double *coefficients = rho ? numbers(c, "coefficients", (classes - 1) * (size_t)m.vectors) : NULL;
  if (!coefficients || !are_vectors(c, "support_vectors", x, (size_t)m.vectors)) return false;
  if (onnx_real_list(c, "prob_a", &nprob) && nprob) a = numbers(c, "prob_a", pairs);
  if (a) b = numbers(c, "prob_b", pairs);
  if (c->reason) return false;
  MlirValue k = kernel(c, x, (KernelType)type, "support_vectors", m.vectors);
  if (!k.ptr) return false;
  MlirValue scores = pair_scores(c, &m, k, coefficients, rho), y;
  if (a) y = onnx_transform(c, couple(c, &m, pair_probabilities(c, &m, scores, a, b)), (OnnxTransform)how);
  else y = classes == 2 ? onnx_two_scores(c, scores, true, (OnnxTransform)how) : onnx_transform(c, scores, (OnnxTransform)how);
  return y.ptr && onnx_label_output(c, "classlabels_ints", votes(c, &m, scores)) && onnx_score_output(c, 1, y);
}

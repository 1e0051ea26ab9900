/* ops_features.c - features of classical machine learning: counts of n-grams, elements that are picked, thresholds, scales, norms. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/scores.h"
#include "lib/frontend/onnx/text.h"
#include "tcc/op_kinds.h"

/* ---- TfIdfVectorizer ---- */
enum { MOST_TERMS = 1024 }; /* comparisons that are written out: elements of an n-gram, by distances between them */

/* The n-grams of `length` elements, one a row of `words`. */
typedef struct {
  int64_t length, count;
  const int64_t *words;
} Grams;

/* How often each of the n-grams is in the rows of x [N, C], its elements `distance` apart: i64 [N, count]. */
static MlirValue count_grams(ImportCall *c, MlirValue x, const Grams *grams, int64_t distance) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *size = shape.dims[1], *down[] = {size, import_size(c, 1)};
  const int64_t along = 1, count = grams->count, reach = (grams->length - 1) * distance;
  MlirValue place = import_iota(c, TCC_ELEM_I64, size), end = tcc_build_size(&c->b, size);
  MlirValue last = tcc_build2_number(&c->b, TCC_OP_SUB, end, 1), column;
  MlirValue fits = tcc_build_compare(&c->b, "lt", tcc_build2_number(&c->b, TCC_OP_ADD, place, (double)reach), end);
  MlirValue met = tcc_build_reshape(&c->b, fits, 2, down);
  int64_t *words = TCC_NEW_ARRAY(import_arena(c), int64_t, (size_t)count);
  for (int64_t k = 0; k < grams->length; k++) {
    for (int64_t g = 0; g < count; g++) words[g] = grams->words[g * grams->length + k];
    MlirValue at = tcc_build2(&c->b, TCC_OP_MIN, tcc_build2_number(&c->b, TCC_OP_ADD, place, (double)(k * distance)), last);
    column = import_unsqueeze(c, tcc_build_gather(&c->b, x, at, 1), 2);
    met = tcc_build2(&c->b, TCC_OP_AND, met,
                     tcc_build_compare(&c->b, "eq", column, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &count, words)));
  }
  return tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, met, TCC_ELEM_I64), &along, 1, false);
}

/* The counts of all n-grams of the pool, in its order: f32 [N, grams]. */
static MlirValue count_pool(ImportCall *c, MlirValue x, const int64_t *pool, size_t npool, const int64_t *starts, size_t nstarts,
                            size_t *out_grams) {
  const int64_t least = onnx_int(c, "min_gram_length", 1), most = onnx_int(c, "max_gram_length", 1),
                skips = onnx_int(c, "max_skip_count", 0);
  MlirValue *parts = TCC_NEW_ARRAY(import_arena(c), MlirValue, nstarts), sum;
  const TccExpr *dims[] = {import_shape(c, x).dims[0], NULL};
  size_t nparts = 0, terms = 0;
  for (size_t i = 0; i < nstarts; i++) {
    const int64_t length = (int64_t)i + 1, from = starts[i], to = i + 1 < nstarts ? starts[i + 1] : (int64_t)npool;
    if (from < 0 || to < from || to > (int64_t)npool || (to - from) % length) {
      import_invalid(c, "ngram_counts do not cut the pool into n-grams");
      return (MlirValue){NULL};
    }
    const Grams grams = {length, (to - from) / length, pool + from};
    if (!grams.count) continue;
    *out_grams += (size_t)grams.count;
    dims[1] = import_size(c, grams.count);
    sum = tcc_build_broadcast(&c->b, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0), 2, dims);
    for (int64_t distance = 1; length >= least && length <= most && distance <= (length == 1 ? 1 : skips + 1); distance++) {
      if ((terms += (size_t)length) > MOST_TERMS) {
        import_unsupported(c, "n-grams with more than %d comparisons", MOST_TERMS);
        return (MlirValue){NULL};
      }
      sum = tcc_build2(&c->b, TCC_OP_ADD, sum, count_grams(c, x, &grams, distance));
    }
    if (!sum.ptr) return sum;
    parts[nparts++] = sum;
  }
  if (!nparts) import_invalid(c, "no n-grams");
  return nparts ? tcc_build_convert(&c->b, tcc_build_concat(&c->b, parts, nparts, 1), TCC_ELEM_F32) : (MlirValue){NULL};
}

/* counts [N, grams] as columns of the output, [N, columns]: gram i is column to[i]. */
static MlirValue place_columns(ImportCall *c, MlirValue counts, const int64_t *to, int64_t grams, int64_t *out_columns) {
  *out_columns = 0;
  for (int64_t i = 0; i < grams; i++) {
    if (to[i] < 0 || to[i] > INT32_MAX) import_invalid(c, "ngram_indexes has %lld", (long long)to[i]);
    if (c->reason) return (MlirValue){NULL};
    if (to[i] >= *out_columns) *out_columns = to[i] + 1;
  }
  const TccExpr *rows = import_shape(c, counts).dims[0], *from[] = {rows, import_size(c, grams)},
                *made[] = {rows, import_size(c, *out_columns)};
  MlirValue index = tcc_build_broadcast(&c->b, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &grams, to), 2, from);
  MlirValue operands[] = {tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, TCC_ELEM_F32, 0), 2, made), index, counts};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 1)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}};
  return import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2);
}

/* Strings of the input as numbers, and those of the pool likewise: the place of the first that is equal there. */
static MlirValue number_strings(ImportCall *c, const int64_t **out_pool, size_t *out_count) {
  const TccStr *strings;
  if (!onnx_strings(c, "pool_strings", &strings, out_count)) {
    import_invalid(c, "pool_strings is missing");
    return (MlirValue){NULL};
  }
  TccMap *places = tcc_map_create(import_arena(c));
  int64_t *pool = TCC_NEW_ARRAY(import_arena(c), int64_t, *out_count + 1);
  for (size_t i = 0; i < *out_count; i++) {
    bool inserted;
    TccMapEntry *entry = tcc_map_put(places, strings[i], &inserted);
    if (inserted) entry->integer = (int64_t)i;
    pool[i] = entry->integer;
  }
  *out_pool = pool;
  return onnx_text_index(c, onnx_text(c, 0), strings, *out_count);
}

/* x [C] or [N, C] of integers or strings. A weight belongs to an n-gram of the pool. */
bool onnx_op_tfidf(ImportCall *c) {
  const int64_t *pool, *starts, *to;
  size_t npool, nstarts, nto, nweights, grams = 0;
  const float *weights;
  MlirValue x = onnx_is_text(c, 0) ? number_strings(c, &pool, &npool) : import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  if (!x.ptr || !c->noutputs) return import_invalid(c, "needs one input and one output");
  if (!onnx_is_text(c, 0) && !onnx_ints(c, "pool_int64s", &pool, &npool)) return import_invalid(c, "pool_int64s is missing");
  TccStr mode = onnx_string(c, "mode", "");
  const bool is_tf = tcc_str_is(mode, "TF"), is_idf = tcc_str_is(mode, "IDF");
  if (!is_tf && !is_idf && !tcc_str_is(mode, "TFIDF")) return import_invalid(c, "mode '%.*s'", TCC_STR_ARG(mode));
  if (!onnx_ints(c, "ngram_counts", &starts, &nstarts) || !onnx_ints(c, "ngram_indexes", &to, &nto))
    return import_invalid(c, "ngram_counts or ngram_indexes is missing");
  if (shape.rank < 1 || shape.rank > 2) return import_invalid(c, "the input must have rank 1 or 2");
  const TccExpr *rows[] = {shape.rank == 2 ? shape.dims[0] : import_size(c, 1), shape.dims[shape.rank - 1]};
  x = tcc_build_convert(&c->b, tcc_build_reshape(&c->b, x, 2, rows), TCC_ELEM_I64);
  MlirValue counts = count_pool(c, x, pool, npool, starts, nstarts, &grams);
  if (!counts.ptr) return false;
  if (nto != grams) return import_invalid(c, "%zu ngram_indexes for %zu n-grams", nto, grams);
  if (is_idf) {
    MlirValue met = tcc_build_compare(&c->b, "gt", counts, tcc_build_scalar(&c->b, TCC_ELEM_F32, 0));
    counts = tcc_build_convert(&c->b, met, TCC_ELEM_F32);
  }
  int64_t columns, count = (int64_t)grams;
  if (!is_tf && onnx_floats(c, "weights", &weights, &nweights)) {
    if (nweights != grams) return import_invalid(c, "%zu weights for %zu n-grams", nweights, grams);
    counts = tcc_build2(&c->b, TCC_OP_MUL, counts, tcc_build_constant(&c->b, TCC_ELEM_F32, 1, &count, weights));
  }
  MlirValue y = place_columns(c, counts, to, count, &columns);
  const TccExpr *flat = import_size(c, columns);
  return import_output(c, 0, shape.rank == 1 ? tcc_build_reshape(&c->b, y, 1, &flat) : y);
}

/* ---- ai.onnx.ml ---- */
/* Elements of x's last axis; a vector gives one row. */
bool onnx_op_pick_features(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue x = import_input(c, 0), index = import_index(c, import_input(c, 1));
  ImportShape shape = import_shape(c, x), picked = import_shape(c, index);
  if (shape.rank < 1) return import_invalid(c, "the input has no axis");
  const TccExpr *count = import_product(c, picked.dims, picked.rank);
  MlirValue y = import_gather_valid(c, x, tcc_build_reshape(&c->b, index, 1, &count), shape.rank - 1, TCC_VALID_UNSIGNED);
  return import_output(c, 0, shape.rank == 1 ? import_unsqueeze(c, y, 0) : y);
}

/* 1 where x is above the threshold, else 0. */
bool onnx_op_binarizer(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  TccElem elem = tcc_value_elem(x);
  MlirValue above =
      tcc_build_compare(&c->b, "gt", tcc_build_convert(&c->b, x, elem == TCC_ELEM_F32 ? elem : TCC_ELEM_F64),
                        tcc_build_scalar(&c->b, elem == TCC_ELEM_F32 ? elem : TCC_ELEM_F64, onnx_float(c, "threshold", 0)));
  return import_output(c, 0, tcc_build_convert(&c->b, above, elem));
}

/* Whether an attribute has one number or one for each feature: of x's last axis, which is the second at most. False after a reason. */
static bool one_or_each(ImportCall *c, const char *name, size_t count, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  if (shape.rank < 1) return import_invalid(c, "the input has no axis");
  if (!count) return import_invalid(c, "%s is missing", name);
  if (count == 1) return true;
  if (shape.rank > 2) return import_unsupported(c, "%zu numbers in %s for an input of rank %d", count, name, shape.rank);
  return import_require_equal(c, import_size(c, (int64_t)count), shape.dims[shape.rank - 1], name);
}

/* (x - offset) * scale. */
bool onnx_op_scaler(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  size_t noffset, nscale;
  const double *offset = onnx_real_list(c, "offset", &noffset), *scale = onnx_real_list(c, "scale", &nscale);
  if (!one_or_each(c, "offset", noffset, x) || !one_or_each(c, "scale", nscale, x)) return false;
  const TccElem elem = tcc_value_elem(x) == TCC_ELEM_F64 ? TCC_ELEM_F64 : TCC_ELEM_F32;
  const int64_t sizes[] = {(int64_t)noffset, (int64_t)nscale};
  x = tcc_build2(&c->b, TCC_OP_SUB, tcc_build_convert(&c->b, x, elem), onnx_real_constant(c, elem, 1, sizes, offset));
  x = tcc_build2(&c->b, TCC_OP_MUL, x, onnx_real_constant(c, elem, 1, sizes + 1, scale));
  return import_output(c, 0, tcc_build_convert(&c->b, x, TCC_ELEM_F32));
}

/* What is equal to the value to be replaced, NaN to NaN, becomes the value of its feature. */
bool onnx_op_imputer(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0), met, value;
  const TccElem elem = tcc_value_elem(x);
  const bool is_float = tcc_elem_is_float(elem);
  const char *name = is_float ? "imputed_value_floats" : "imputed_value_int64s";
  const double *reals = NULL;
  const int64_t *integers = NULL;
  size_t n = 0;
  if (is_float) reals = onnx_real_list(c, name, &n);
  else if (!onnx_ints(c, name, &integers, &n)) n = 0;
  if (!one_or_each(c, name, n, x)) return false;
  const int64_t count = (int64_t)n;
  if (is_float) {
    const double replaced = onnx_float(c, "replaced_value_float", 0);
    met = replaced != replaced ? tcc_build1(&c->b, TCC_OP_IS_NAN, x)
                               : tcc_build_compare(&c->b, "eq", x, tcc_build_scalar(&c->b, elem, replaced));
    value = onnx_real_constant(c, elem, 1, &count, reals);
  } else {
    met = tcc_build_compare(&c->b, "eq", tcc_build_convert(&c->b, x, TCC_ELEM_I64),
                            tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, onnx_int(c, "replaced_value_int64", 0)));
    value = tcc_build_convert(&c->b, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &count, integers), elem);
  }
  ImportShape shape = import_shape(c, x);
  return import_output(c, 0, tcc_build_select(&c->b, met, tcc_build_broadcast(&c->b, value, shape.rank, shape.dims), x));
}

/* Rows divided by their largest element, or by their norm of order 1 or 2; a row where that is 0 stays. The largest is not that of sizes, as ONNX
 * has it. */
bool onnx_op_normalizer(ImportCall *c) {
  static const char *const names[] = {"MAX", "L1", "L2"};
  enum { BY_MAX, BY_L1, BY_L2 };
  const int how = onnx_choice(c, "norm", names, 3, "MAX");
  if (how < 0 || !import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  if (shape.rank < 1 || shape.rank > 2) return import_invalid(c, "the input must have rank 1 or 2");
  const TccElem elem = shape.elem == TCC_ELEM_F64 ? TCC_ELEM_F64 : TCC_ELEM_F32;
  const int64_t last = shape.rank - 1;
  x = tcc_build_convert(&c->b, x, elem);
  MlirValue size = how == BY_MAX ? x : how == BY_L1 ? tcc_build1(&c->b, TCC_OP_ABS, x) : tcc_build2(&c->b, TCC_OP_MUL, x, x);
  size = tcc_build_reduce(&c->b, how == BY_MAX ? "max" : "sum", size, &last, 1, true);
  if (how == BY_L2) size = tcc_build1(&c->b, TCC_OP_SQRT, size);
  MlirValue none = tcc_build_compare(&c->b, "eq", size, tcc_build_scalar(&c->b, elem, 0));
  size = tcc_build_select(&c->b, none, tcc_build_scalar(&c->b, elem, 1), size);
  return import_output(c, 0, tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_DIV, x, size), TCC_ELEM_F32));
}

/* Inputs [N, ...] side by side, each as many columns as inputdimensions says: cut, or with zeros behind. A vector is one row. */
bool onnx_op_feature_vectorizer(ImportCall *c) {
  const int64_t *widths;
  size_t n;
  if (!onnx_ints(c, "inputdimensions", &widths, &n) || !n || n != c->ninputs)
    return import_invalid(c, "inputdimensions has no number for each of the %zu inputs", c->ninputs);
  if (!import_need(c, n)) return false;
  MlirValue *parts = TCC_NEW_ARRAY(import_arena(c), MlirValue, n);
  for (size_t i = 0; i < n; i++) {
    ImportShape shape = import_shape(c, import_input(c, i));
    if (widths[i] < 0 || widths[i] > INT32_MAX) return import_invalid(c, "inputdimensions has %lld", (long long)widths[i]);
    if (shape.rank < 1) return import_invalid(c, "input %zu has no axis", i);
    const bool vector = shape.rank == 1;
    const TccExpr *dims[] = {vector ? import_size(c, 1) : shape.dims[0],
                             import_product(c, shape.dims + !vector, shape.rank - !vector)};
    MlirValue flat = tcc_build_reshape(&c->b, import_input(c, i), 2, dims);
    parts[i] = tcc_build_convert(&c->b, import_fit_last(c, flat, import_size(c, widths[i])), TCC_ELEM_F32);
    if (!parts[i].ptr) return false;
  }
  return import_output(c, 0, tcc_build_concat(&c->b, parts, n, 1));
}

/* A row of scores as a map from labels to scores. There are no maps at a tensor program's border: the scores stay a tensor, whose columns are in the
 * order of the labels. */
bool onnx_op_zip_map(ImportCall *c) {
  const TccStr *strings;
  const int64_t *numbers;
  size_t n = 0;
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape shape = import_shape(c, x);
  if (!onnx_strings(c, "classlabels_strings", &strings, &n) && !onnx_ints(c, "classlabels_int64s", &numbers, &n))
    return import_invalid(c, "no labels of classes");
  if (shape.rank < 1 || shape.rank > 2) return import_invalid(c, "the input must have rank 1 or 2");
  if (!import_require_equal(c, import_size(c, (int64_t)n), shape.dims[shape.rank - 1], "labels, and scores of a row")) return false;
  return import_output(c, 0, shape.rank == 1 ? import_unsqueeze(c, x, 0) : x);
}

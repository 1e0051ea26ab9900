/* ops_labels.c - LabelEncoder, CategoryMapper and OneHotEncoder: each element is looked for among keys, and its place or the value there taken.
 *
 * Keys and values are numbers or strings (text.h), which stand in attributes. Comparing with each key is one kernel, as wide as there are keys. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/text.h"
#include "tcc/op_kinds.h"

/* Keys or values; strings: their bytes are in `tensor`, and themselves here. */
typedef struct {
  MlirValue tensor; /* [count], of strings [count, W] */
  bool is_text;
  size_t count;
  const TccStr *strings;
} Labels;

static Labels read_numbers(ImportCall *c, const char *name) {
  const int64_t *ints;
  size_t n;
  if (!onnx_ints(c, name, &ints, &n)) return (Labels){.count = 0};
  return (Labels){tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &(int64_t){(int64_t)n}, ints), .count = n};
}

static Labels of_strings(ImportCall *c, const TccStr *strings, size_t count) {
  const int64_t n = (int64_t)count;
  return (Labels){onnx_text_constant(c, strings, count, 1, &n), true, count, strings};
}

/* Those of the attribute STEM_strings, STEM_int64s, STEM_floats or STEM_tensor; without a tensor and without a reason: there is none. */
static Labels read_labels(ImportCall *c, const char *stem) {
  const char *ending[] = {"strings", "int64s", "floats", "tensor"};
  const char *names[4];
  const TccStr *strings;
  const float *floats;
  size_t n;
  for (int i = 0; i < 4; i++) names[i] = tcc_arena_printf(import_arena(c), "%s_%s", stem, ending[i]);
  if (onnx_strings(c, names[0], &strings, &n)) return of_strings(c, strings, n);
  if (onnx_has_attribute(c, names[1])) return read_numbers(c, names[1]);
  if (onnx_floats(c, names[2], &floats, &n))
    return (Labels){tcc_build_constant(&c->b, TCC_ELEM_F32, 1, &(int64_t){(int64_t)n}, floats), .count = n};
  const TccOnnxAttribute *a = onnx_attribute(c, names[3]);
  if (!a || !a->t) return (Labels){.count = 0};
  if (a->t->dims.count != 1) {
    import_invalid(c, "%s is no vector", names[3]);
    return (Labels){.count = 0};
  }
  if (a->t->data_type == TCC_ONNX_STRING) return of_strings(c, a->t->string_data.data, a->t->count);
  return (Labels){onnx_tensor(c, a->t, tcc_str(names[3]), IMPORT_CONSTANT), .count = a->t->count};
}

/* i64: the place of each element of x, numbers, among the keys; -1: it is none. NaN is NaN. */
static MlirValue find_number(ImportCall *c, MlirValue x, const Labels *keys) {
  ImportShape shape = import_shape(c, x);
  MlirValue column = import_unsqueeze(c, x, shape.rank), met = tcc_build_compare(&c->b, "eq", column, keys->tensor);
  if (tcc_elem_is_float(shape.elem))
    met = tcc_build2(
        &c->b, TCC_OP_OR, met,
        tcc_build2(&c->b, TCC_OP_AND, tcc_build1(&c->b, TCC_OP_IS_NAN, column), tcc_build1(&c->b, TCC_OP_IS_NAN, keys->tensor)));
  return onnx_first_true(c, met);
}

/* The same of input 0. */
static MlirValue find(ImportCall *c, const Labels *keys) {
  return keys->is_text ? onnx_text_index(c, onnx_text(c, 0), keys->strings, keys->count) : find_number(c, import_input(c, 0), keys);
}

/* values[index], and `otherwise`, one value, where the index is -1. */
static bool take(ImportCall *c, MlirValue index, const Labels *values, const Labels *otherwise) {
  MlirValue found = tcc_build_compare(&c->b, "ge", index, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
  MlirValue at = tcc_build2(&c->b, TCC_OP_MAX, index, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0)), other = otherwise->tensor;
  if (!values->is_text)
    return import_output(
        c, 0,
        tcc_build_select(&c->b, found, tcc_build_gather(&c->b, values->tensor, at, 0), tcc_build_reshape(&c->b, other, 0, NULL)));
  const TccExpr *x = onnx_text_width(c, values->tensor), *y = onnx_text_width(c, other),
                *width = tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, x, y);
  MlirValue strings = tcc_build_gather(&c->b, import_fit_last(c, values->tensor, width), at, 0);
  return onnx_text_output(c, 0,
                          tcc_build_select(&c->b, import_unsqueeze(c, found, import_shape(c, index).rank), strings,
                                           import_fit_last(c, tcc_build_reshape(&c->b, other, 1, &y), width)));
}

/* What an element becomes that is no key, of the values' kind. */
static Labels read_default(ImportCall *c, const Labels *values) {
  const TccElem elem = values->is_text ? TCC_ELEM_NONE : tcc_value_elem(values->tensor);
  const TccOnnxAttribute *a = onnx_attribute(c, "default_tensor");
  if (a && a->t && values->is_text && a->t->data_type == TCC_ONNX_STRING && a->t->count == 1)
    return of_strings(c, a->t->string_data.data, 1);
  if (a && a->t && !values->is_text && a->t->elem == elem && a->t->count == 1)
    return (Labels){onnx_tensor(c, a->t, tcc_str("default_tensor"), IMPORT_CONSTANT), .count = 1};
  if (a) import_invalid(c, "default_tensor is not one value of the type of the others");
  if (values->is_text) {
    TccStr *text = TCC_NEW(import_arena(c), TccStr);
    *text = onnx_string(c, "default_string", "_Unused");
    return of_strings(c, text, 1);
  }
  return (Labels){tcc_elem_is_float(elem) ? tcc_build_scalar(&c->b, elem, onnx_float(c, "default_float", -0.0))
                                          : tcc_build_scalar_i64(&c->b, elem, onnx_int(c, "default_int64", -1)),
                  .count = 1};
}

static bool map_labels(ImportCall *c, const Labels *keys, const Labels *values) {
  if (!keys->tensor.ptr || !values->tensor.ptr) return import_invalid(c, "keys or values are missing");
  if (!keys->count || keys->count != values->count) return import_invalid(c, "%zu keys and %zu values", keys->count, values->count);
  if (c->ninputs != 1 || c->noutputs != 1) return import_invalid(c, "needs one input and one output");
  const Labels otherwise = read_default(c, values);
  return take(c, find(c, keys), values, &otherwise);
}

/* i64 0 to count - 1. */
static Labels numbered(ImportCall *c, size_t count) {
  return (Labels){import_iota(c, TCC_ELEM_I64, import_size(c, (int64_t)count)), .count = count};
}

/* Of opset 1: strings and their numbers in classes_strings. */
bool onnx_op_label_encoder(ImportCall *c) {
  const TccStr *classes;
  size_t count;
  if (onnx_call(c)->opset == 1) {
    if (!onnx_strings(c, "classes_strings", &classes, &count)) return import_invalid(c, "classes_strings is missing");
    const Labels strings = of_strings(c, classes, count), numbers = numbered(c, count);
    return onnx_is_text(c, 0) ? map_labels(c, &strings, &numbers) : map_labels(c, &numbers, &strings);
  }
  const Labels keys = read_labels(c, "keys"), values = read_labels(c, "values");
  return map_labels(c, &keys, &values);
}

bool onnx_op_category_mapper(ImportCall *c) {
  const Labels strings = read_labels(c, "cats"), numbers = read_numbers(c, "cats_int64s");
  return onnx_is_text(c, 0) ? map_labels(c, &strings, &numbers) : map_labels(c, &numbers, &strings);
}

/* 1 at the place of each element among the categories, else 0: an axis more. Numbers that are no integers are cut to them. zeros = 0: an element that is
 * no category is an error of the run. */
bool onnx_op_one_hot_encoder(ImportCall *c) {
  if (c->ninputs != 1 || c->noutputs != 1) return import_invalid(c, "needs one input and one output");
  const bool is_text = onnx_is_text(c, 0);
  const TccStr *strings;
  size_t n = 0;
  Labels keys = {.count = 0};
  if (!is_text) keys = read_numbers(c, "cats_int64s");
  else if (onnx_strings(c, "cats_strings", &strings, &n)) keys = of_strings(c, strings, n);
  if (!keys.count) return import_invalid(c, "%s is missing", is_text ? "cats_strings" : "cats_int64s");
  MlirValue index = is_text ? find(c, &keys) : find_number(c, tcc_build_convert(&c->b, import_input(c, 0), TCC_ELEM_I64), &keys);
  if (!index.ptr) return false;
  ImportShape shape = import_shape(c, index);
  MlirValue place = import_iota(c, TCC_ELEM_I64, import_size(c, (int64_t)keys.count));
  MlirValue y =
      tcc_build_convert(&c->b, tcc_build_compare(&c->b, "eq", import_unsqueeze(c, index, shape.rank), place), TCC_ELEM_F32);
  if (onnx_int(c, "zeros", 1) || !shape.rank) return import_output(c, 0, y);
  int64_t axes[TCC_MAX_RANK];
  for (int i = 0; i < shape.rank; i++) axes[i] = i;
  MlirValue least = tcc_build_reduce(&c->b, "min", index, axes, (size_t)shape.rank, false);
  MlirValue known = tcc_build_compare(&c->b, "ge", least, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
  return import_output(c, 0, import_assert(c, y, known, tcc_str("OneHotEncoder: an element is no category, and zeros is 0")));
}

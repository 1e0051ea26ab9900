/* ops_maps.c - DictVectorizer and CastMap: a map becomes a row of a matrix.
 *
 * A map is its keys [N], or the bytes of strings [N, W], and its values [N], in any order; each key is there once. What stands at a place of the row is the sum
 * of the values whose key is that place's, of which there is one at most: arithmetic that every target has. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/text.h"
#include "tcc/op_kinds.h"

static const ImportValue *map_input(ImportCall *c) {
  if (c->ninputs == 1 && c->inputs[0].kind == IMPORT_MAP) return &c->inputs[0];
  import_invalid(c, "needs one input, a map");
  return NULL;
}

/* [1, P]: of each place the value [N] that is met there, bool [P, N], or 0. */
static MlirValue row_of(ImportCall *c, MlirValue met, MlirValue values) {
  if (!met.ptr || !values.ptr) return (MlirValue){NULL};
  const TccElem elem = tcc_value_elem(values);
  const TccExpr *row[] = {import_size(c, 1), import_shape(c, met).dims[0]};
  MlirValue zero = tcc_elem_is_float(elem) ? tcc_build_scalar(&c->b, elem, 0) : tcc_build_scalar_i64(&c->b, elem, 0);
  MlirValue sum = tcc_build_reduce(&c->b, "sum", tcc_build_select(&c->b, met, values, zero), (int64_t[]){1}, 1, false);
  return tcc_build_reshape(&c->b, sum, 2, row);
}

/* The value of each word of the vocabulary, 0 where the map has none. */
bool onnx_op_dict_vectorizer(ImportCall *c) {
  const ImportValue *map = map_input(c);
  const TccStr *words;
  const int64_t *numbers;
  size_t n = 0;
  if (!map) return false;
  MlirValue keys = map->items[0].tensor, met;
  if (map->items[0].kind == IMPORT_TEXT) {
    if (!onnx_strings(c, "string_vocabulary", &words, &n) || !n) return import_invalid(c, "string_vocabulary is missing");
    const int64_t count = (int64_t)n;
    met = onnx_text_equal(c, import_unsqueeze(c, onnx_text_constant(c, words, n, 1, &count), 1), import_unsqueeze(c, keys, 0));
  } else {
    if (!onnx_ints(c, "int64_vocabulary", &numbers, &n) || !n) return import_invalid(c, "int64_vocabulary is missing");
    const int64_t sizes[] = {(int64_t)n, 1};
    met = tcc_build_compare(&c->b, "eq", tcc_build_constant(&c->b, TCC_ELEM_I64, 2, sizes, numbers),
                            tcc_build_convert(&c->b, keys, TCC_ELEM_I64));
  }
  return import_output(c, 0, row_of(c, met, map->items[1].tensor));
}

/* The values in the order of their keys; or, of a sparse map, those of the keys 0 to max_map - 1, with zeros between them. */
bool onnx_op_cast_map(ImportCall *c) {
  const ImportValue *map = map_input(c);
  if (!map) return false;
  if (map->items[0].kind == IMPORT_TEXT) return import_invalid(c, "keys must be integers");
  const TccStr to = onnx_string(c, "cast_to", "TO_FLOAT"), form = onnx_string(c, "map_form", "DENSE");
  const bool sparse = tcc_str_is(form, "SPARSE"), whole = tcc_str_is(to, "TO_INT64");
  if (!sparse && !tcc_str_is(form, "DENSE")) return import_invalid(c, "map_form is '%.*s'", TCC_STR_ARG(form));
  if (!whole && !tcc_str_is(to, "TO_FLOAT")) return import_unsupported(c, "cast_to '%.*s'", TCC_STR_ARG(to));
  MlirValue keys = tcc_build_convert(&c->b, map->items[0].tensor, TCC_ELEM_I64), place = keys;
  const int64_t most = onnx_int(c, "max_map", 1);
  if (sparse && most < 1) return import_invalid(c, "max_map is %lld", (long long)most);
  if (!sparse) { /* how many keys are less */
    MlirValue less = tcc_build_compare(&c->b, "lt", keys, import_unsqueeze(c, keys, 1));
    place = tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, less, TCC_ELEM_I64), (int64_t[]){1}, 1, false);
  }
  MlirValue at = import_iota(c, TCC_ELEM_I64, sparse ? import_size(c, most) : import_shape(c, keys).dims[0]);
  MlirValue met = tcc_build_compare(&c->b, "eq", import_unsqueeze(c, at, 1), place);
  return import_output(c, 0, tcc_build_convert(&c->b, row_of(c, met, map->items[1].tensor), whole ? TCC_ELEM_I64 : TCC_ELEM_F32));
}

/* text.c - what operators on strings are made of; see text.h. */
#include "lib/frontend/onnx/text.h"
#include "tcc/op_kinds.h"

static const MlirValue null_value = {NULL};

bool onnx_is_text(const ImportCall *c, size_t input) { return input < c->ninputs && c->inputs[input].kind == IMPORT_TEXT; }

MlirValue onnx_text(ImportCall *c, size_t input) {
  if (onnx_is_text(c, input)) return c->inputs[input].tensor;
  import_invalid(c, import_has_input(c, input) ? "input %zu holds no strings" : "input %zu is missing", input);
  return null_value;
}

bool onnx_text_output(ImportCall *c, size_t index, MlirValue bytes) {
  if (!import_output(c, index, bytes)) return false;
  if (index < c->noutputs) c->outputs[index].kind = IMPORT_TEXT;
  return true;
}

MlirValue onnx_text_constant(ImportCall *c, const TccStr *strings, size_t count, int rank, const int64_t *dims) {
  int64_t all[TCC_MAX_RANK];
  size_t width = 1, bytes;
  for (size_t i = 0; i < count; i++) {
    if (strings[i].length && memchr(strings[i].data, 0, strings[i].length)) {
      import_unsupported(c, "a string with a zero byte in it");
      return null_value;
    }
    if (strings[i].length > width) width = strings[i].length;
  }
  if (rank >= TCC_MAX_RANK) {
    import_unsupported(c, "strings of rank %d", rank);
    return null_value;
  }
  if (!tcc_mul_size(count, width, &bytes) || bytes > IMPORT_MOST_DENSE) {
    import_unsupported(c, "%zu strings of up to %zu bytes", count, width);
    return null_value;
  }
  for (int i = 0; i < rank; i++) all[i] = dims[i];
  all[rank] = (int64_t)width;
  char *data = TCC_NEW_ARRAY(import_arena(c), char, bytes + 1);
  for (size_t i = 0; i < count; i++)
    if (strings[i].length) memcpy(data + i * width, strings[i].data, strings[i].length);
  return tcc_build_constant(&c->b, TCC_ELEM_U8, rank + 1, all, data);
}

MlirValue onnx_text_tensor(ImportCall *c, const TccOnnxTensor *tensor) {
  if (tensor->data == TCC_ONNX_DATA_STRINGS || !tensor->count)
    return onnx_text_constant(c, tensor->string_data.data, tensor->count, (int)tensor->dims.count, tensor->dims.data);
  import_unsupported(c, "strings in a file of their own");
  return null_value;
}

const TccExpr *onnx_text_width(ImportCall *c, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  return shape.rank ? shape.dims[shape.rank - 1] : import_size(c, 1);
}

MlirValue onnx_text_equal(ImportCall *c, MlirValue a, MlirValue b) {
  if (!a.ptr || !b.ptr) return null_value;
  const TccExpr *x = onnx_text_width(c, a), *y = onnx_text_width(c, b),
                *width = x == y ? x : tcc_expr_call(c->ir->exprs, TCC_EXPR_MAX, x, y);
  MlirValue same = tcc_build_compare(&c->b, "eq", import_fit_last(c, a, width), import_fit_last(c, b, width));
  const int64_t last = import_shape(c, same).rank - 1;
  return tcc_build_reduce(&c->b, "and", same, &last, 1, false);
}

MlirValue onnx_text_case(ImportCall *c, MlirValue x, bool upper) {
  MlirValue first = tcc_build_scalar_i64(&c->b, TCC_ELEM_U8, upper ? 'a' : 'A'),
            last = tcc_build_scalar_i64(&c->b, TCC_ELEM_U8, upper ? 'z' : 'Z');
  MlirValue letter =
      tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "ge", x, first), tcc_build_compare(&c->b, "le", x, last));
  MlirValue other = tcc_build2(&c->b, TCC_OP_XOR, x, tcc_build_scalar_i64(&c->b, TCC_ELEM_U8, 'a' ^ 'A'));
  return tcc_build_select(&c->b, letter, other, x);
}

MlirValue onnx_text_length(ImportCall *c, MlirValue x) {
  MlirValue is_byte = tcc_build_compare(&c->b, "ne", x, tcc_build_scalar_i64(&c->b, TCC_ELEM_U8, 0));
  const int64_t last = import_shape(c, x).rank - 1;
  return tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, is_byte, TCC_ELEM_I64), &last, 1, true);
}

MlirValue onnx_first_true(ImportCall *c, MlirValue met) {
  const int64_t last = import_shape(c, met).rank - 1;
  MlirValue number = tcc_build_convert(&c->b, met, TCC_ELEM_I32);
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, last)}};
  return tcc_build_select(&c->b, tcc_build_reduce(&c->b, "or", met, &last, 1, false),
                          import_op(c, TCC_OP_ARG_REDUCE, &number, 1, attrs, 2), tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, -1));
}

MlirValue onnx_text_index(ImportCall *c, MlirValue x, const TccStr *strings, size_t count) {
  const int64_t n = (int64_t)count;
  if (!x.ptr) return x;
  if (!count) {
    import_invalid(c, "no strings to look for");
    return null_value;
  }
  ImportShape shape = import_shape(c, x);
  return onnx_first_true(c,
                         onnx_text_equal(c, import_unsqueeze(c, x, shape.rank - 1), onnx_text_constant(c, strings, count, 1, &n)));
}

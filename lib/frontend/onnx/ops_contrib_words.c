/* ops_contrib_words.c - WordConvEmbedding: words as vectors, by a convolution over their characters. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

/* An attribute that names a size the inputs have anyway. */
static bool agrees(ImportCall *c, const char *name, const TccExpr *size) {
  int64_t given = onnx_int(c, name, -1);
  return given == -1 || import_require_equal(c, import_size(c, given), size, name);
}

/* How many characters of words i32 [S, W] are no pads, which are at most 0; none if the first is one. [S, 1] */
static MlirValue lengths(ImportCall *c, MlirValue words) {
  const int64_t axis = 1;
  MlirValue zero = tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, 0), held = tcc_build_compare(&c->b, "gt", words, zero);
  MlirValue first = tcc_build_slice_axis(&c->b, held, 1, import_size(c, 0), 1, import_size(c, 1));
  MlirValue count = tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, held, TCC_ELEM_I64), &axis, 1, true);
  return tcc_build_select(&c->b, first, count, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
}

/* Words i32 [S, W], weights [M, 1, K, E], bias [M], vectors of characters [V, E]: tanh of the convolution, its largest over the
 * windows that begin in a word and end in it, or in its first K places. */
bool onnx_op_word_conv_embedding(ImportCall *c) {
  enum { WORDS, WEIGHT, BIAS, TABLE };
  if (!import_need(c, 4)) return false;
  ImportShape words = import_shape(c, import_input(c, WORDS)), w = import_shape(c, import_input(c, WEIGHT)),
              bias = import_shape(c, import_input(c, BIAS)), table = import_shape(c, import_input(c, TABLE));
  int64_t width;
  if (words.rank != 2 || words.elem != TCC_ELEM_I32)
    return import_invalid(c, "Sequence of rank %d, %s", words.rank, tcc_elem_name(words.elem));
  const TccExpr *one = import_size(c, 1), *shape[] = {NULL, one, NULL, NULL};
  if (!import_require_shape(c, &w, 4, shape, "W") || table.rank != 2)
    return c->reason ? false : import_invalid(c, "C of rank %d", table.rank);
  if (!import_require_shape(c, &bias, 1, w.dims, "B") ||
      !import_require_equal(c, table.dims[1], w.dims[3], "the vectors of characters") || !import_fix_size(c, w.dims[2], &width) ||
      !import_require_at_most(c, w.dims[2], words.dims[1], "a window of W"))
    return false;
  if (!agrees(c, "embedding_size", w.dims[0]) || !agrees(c, "conv_window_size", w.dims[2]) ||
      !agrees(c, "char_embedding_size", table.dims[1]))
    return false;
  MlirValue x = tcc_build_gather(&c->b, import_input(c, TABLE), import_input(c, WORDS), 0);
  x = x.ptr ? onnx_windows(c, x, 1, width, 1) : x; /* [S, windows, E, K] */
  MlirValue kernel = tcc_build_reshape(&c->b, import_input(c, WEIGHT), 3, (const TccExpr *[]){w.dims[0], w.dims[2], w.dims[3]});
  const int64_t of_x[] = {3, 2}, of_w[] = {1, 2}, axis = 1;
  MlirValue y = tcc_build_dot_general(&c->b, x, kernel, NULL, NULL, 0, of_x, of_w, 2); /* [S, windows, M] */
  y = tcc_build1(&c->b, TCC_OP_TANH, tcc_build2(&c->b, TCC_OP_ADD, y, import_input(c, BIAS)));
  MlirValue length = lengths(c, import_input(c, WORDS)), wide = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, width);
  MlirValue last = tcc_build2(&c->b, TCC_OP_SUB, tcc_build2(&c->b, TCC_OP_MAX, length, wide), wide);
  const TccExpr *windows = import_size_add(c, import_size_sub(c, words.dims[1], w.dims[2]), one);
  MlirValue met = import_unsqueeze(c, tcc_build_compare(&c->b, "le", import_iota(c, TCC_ELEM_I64, windows), last), 2);
  y = tcc_build_select(&c->b, met, y, tcc_build_scalar(&c->b, TCC_ELEM_F32, -1e12));
  y = tcc_build_reduce(&c->b, "max", y, &axis, 1, false);
  MlirValue some = tcc_build_compare(&c->b, "gt", length, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0));
  return import_output(c, 0, tcc_build_select(&c->b, some, y, tcc_build_scalar(&c->b, TCC_ELEM_F32, 0)));
}

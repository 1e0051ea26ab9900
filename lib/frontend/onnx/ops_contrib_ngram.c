/* ops_contrib_ngram.c - n-grams of tokens: those that a text must not have twice.
 *
 * Meanings are those of onnxruntime's ContribOperators.md and of its CPU kernels. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <math.h>

static MlirValue number(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, value); }

/* bool [B, S]: whether the n - 1 tokens in front of a place are the last ones of its row ids [B, S], and all of them are there. */
static MlirValue repeats(ImportCall *c, MlirValue ids, int64_t n) {
  enum { MOST = 1 << 20 };
  ImportShape s = import_shape(c, ids);
  const int64_t across = 2, back = n - 1;
  const TccExpr *zero = import_size(c, 0), *one = import_size(c, 1), *none[] = {zero, zero}, *low[] = {zero, import_size(c, n)};
  MlirValue whole = tcc_build_compare(&c->b, "ge", import_iota(c, TCC_ELEM_I64, s.dims[1]), number(c, back));
  if (back == 0) return tcc_build_broadcast(&c->b, whole, 2, s.dims);
  if (n > MOST) {
    import_unsupported(c, "n-grams of %lld tokens", (long long)n);
    return (MlirValue){NULL};
  }
  /* n tokens more in front: a window before each place, and one that nothing is behind of, which is there without tokens, too */
  MlirValue padded = tcc_build_pad(&c->b, ids, (MlirValue){NULL}, low, none, "constant");
  const TccExpr *length = import_size_add(c, s.dims[1], import_size(c, back));
  MlirValue last = tcc_build_slice_axis(&c->b, padded, 1, import_size_add(c, s.dims[1], one), 1, import_size(c, back)),
            before = tcc_build_slice_axis(&c->b, padded, 1, zero, 1, length);
  if (!before.ptr || !last.ptr) return (MlirValue){NULL};
  before = tcc_build_slice_axis(&c->b, onnx_windows(c, before, 1, back, 1), 1, one, 1, s.dims[1]);
  MlirValue same = tcc_build_compare(&c->b, "eq", before, import_unsqueeze(c, last, 1));
  return tcc_build2(&c->b, TCC_OP_AND, tcc_build_reduce(&c->b, "and", same, &across, 1, false), whole);
}

/* ids [B, S], scores [B, V]: scores, -inf for each token with which the last ones would be an n-gram that is there. */
bool onnx_op_ngram_repeat_block(ImportCall *c) {
  if (!import_need(c, 2)) return false;
  MlirValue ids = import_input(c, 0), scores = import_input(c, 1);
  ImportShape s = import_shape(c, ids), v = import_shape(c, scores);
  const int64_t n = onnx_int(c, "ngram_size", 0), both[] = {0, 1};
  if (n < 1) return import_invalid(c, "ngram_size is %lld", (long long)n);
  if (s.elem != TCC_ELEM_I64 || !tcc_elem_is_float(v.elem))
    return import_invalid(c, "input_ids of %s, scores of %s", tcc_elem_name(s.elem), tcc_elem_name(v.elem));
  const TccExpr *rows[] = {s.dims[0], NULL};
  if (s.rank != 2) return import_invalid(c, "input_ids of rank %d", s.rank);
  if (!import_require_shape(c, &v, 2, rows, "scores")) return false;
  MlirValue met = repeats(c, ids, n), outside = tcc_build_size(&c->b, v.dims[1]);
  MlirValue known = tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "ge", ids, number(c, 0)),
                               tcc_build_compare(&c->b, "lt", ids, outside));
  known = tcc_build2(&c->b, TCC_OP_OR, known, tcc_build1(&c->b, TCC_OP_NOT, met));
  MlirValue at = import_assert(c, tcc_build_select(&c->b, met, ids, outside), /* what is outside is left out */
                               tcc_build_reduce(&c->b, "and", known, both, 2, false),
                               tcc_str("NGramRepeatBlock: a token is not in the vocabulary"));
  MlirValue put[] = {scores, at, tcc_build_broadcast(&c->b, tcc_build_scalar(&c->b, v.elem, -INFINITY), 2, s.dims)};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  return at.ptr && put[2].ptr && import_output(c, 0, import_op(c, TCC_OP_SCATTER_ELEMENTS, put, 3, &axis, 1));
}

/* ops_contrib_ngram.c - n-grams of tokens: those that a text must not have twice, where the last ones stand in another text, and hashes of them
 * (Engram).
 *
 * A hash of the last n tokens is the exclusive or of each times its multiplier, modulo as many numbers as a head has. Tokens in front of a text
 * are those of its history; where it begins anew, at the end of a text in it or at another segment, all in front of that place stand for none.
 * Meanings are those of onnxruntime's ContribOperators.md and of its CPU kernels. */
#include "lib/frontend/onnx/ops.h"
#include "lib/frontend/onnx/packed.h"
#include "tcc/op_kinds.h"
#include <math.h>

static MlirValue none(void) { return (MlirValue){NULL}; }
static MlirValue number(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, value); }

/* bool [B, S]: whether the n - 1 tokens in front of a place are the last ones of its row ids [B, S], and all of them are there. */
static MlirValue repeats(ImportCall *c, MlirValue ids, int64_t n) {
  enum { MOST = 1 << 20 };
  ImportShape s = import_shape(c, ids);
  const int64_t across = 2, back = n - 1;
  const TccExpr *zero = import_size(c, 0), *one = import_size(c, 1), *nothing[] = {zero, zero}, *low[] = {zero, import_size(c, n)};
  MlirValue whole = tcc_build_compare(&c->b, "ge", import_iota(c, TCC_ELEM_I64, s.dims[1]), number(c, back));
  if (back == 0) return tcc_build_broadcast(&c->b, whole, 2, s.dims);
  if (n > MOST) {
    import_unsupported(c, "n-grams of %lld tokens", (long long)n);
    return none();
  }
  /* n tokens more in front: a window before each place, and one that nothing is behind of, which is there without tokens, too */
  MlirValue padded = tcc_build_pad(&c->b, ids, none(), low, nothing, "constant");
  const TccExpr *length = import_size_add(c, s.dims[1], import_size(c, back));
  MlirValue last = tcc_build_slice_axis(&c->b, padded, 1, import_size_add(c, s.dims[1], one), 1, import_size(c, back)),
            before = tcc_build_slice_axis(&c->b, padded, 1, zero, 1, length);
  if (!before.ptr || !last.ptr) return none();
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

/* ---- where a text goes on in another one ---- */

/* How many of the predicted tokens [P] are taken: those that the source [S] has from place `from` on, and one more. */
static MlirValue taken(ImportCall *c, MlirValue source, MlirValue predicted, MlirValue from) {
  const TccExpr *size = import_shape(c, source).dims[0];
  const int64_t along = 0;
  MlirValue length = tcc_build_size(&c->b, size), place = import_iota(c, TCC_ELEM_I64, size);
  MlirValue at = tcc_build2(&c->b, TCC_OP_ADD, place, from);
  MlirValue same =
      tcc_build_compare(&c->b, "eq", tcc_build_gather(&c->b, source, at, 0), tcc_build_gather(&c->b, predicted, place, 0));
  same = tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_AND, same, tcc_build_compare(&c->b, "lt", at, length)), TCC_ELEM_I64);
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("min"))}, {"axis", tcc_attr_i64(c->ir, 0)}};
  if (!same.ptr) return same;
  MlirValue count = tcc_build_reduce(&c->b, "sum", import_op(c, TCC_OP_CUMULATIVE, &same, 1, attrs, 2), &along, 1, false);
  MlirValue fits =
      tcc_build_compare(&c->b, "eq", tcc_build2(&c->b, TCC_OP_ADD, tcc_build_size(&c->b, import_shape(c, predicted).dims[0]), from),
                        tcc_build2_number(&c->b, TCC_OP_ADD, length, 1));
  fits = tcc_build2(&c->b, TCC_OP_AND, fits, tcc_build_compare(&c->b, "ge", from, number(c, 0)));
  fits = tcc_build2(&c->b, TCC_OP_AND, fits, tcc_build_compare(&c->b, "le", from, length));
  return import_assert(
      c, tcc_build2_number(&c->b, TCC_OP_ADD, count, 1), fits,
      tcc_str("BifurcationDetector: pred_tokens must be as many as src_tokens from prev_suffix_match_idx on, and one"));
}

/* The last n tokens in the source: how often they stand in it, and behind the first of these. As many zeros as the longest n has
 * stand in front of the tokens and behind the source, whose own size is given. */
static void find_last(ImportCall *c, MlirValue tokens, MlirValue source, const TccExpr *size, int64_t n, MlirValue *out_count,
                      MlirValue *out_behind) {
  const TccExpr *whole = import_shape(c, tokens).dims[0], *length = import_size(c, n), *zero = import_size(c, 0);
  const int64_t along = 0, across = 1;
  MlirValue last = tcc_build_slice_axis(&c->b, tokens, 0, import_size_sub(c, whole, length), 1, length);
  MlirValue part =
      tcc_build_slice_axis(&c->b, source, 0, zero, 1, import_size_add(c, size, length)); /* one window more than there are places */
  MlirValue place = import_iota(c, TCC_ELEM_I64, import_size_add(c, size, import_size(c, 1))),
            length_of = tcc_build_size(&c->b, size);
  MlirValue behind = tcc_build2_number(&c->b, TCC_OP_ADD, place, (double)n);
  MlirValue same = part.ptr ? tcc_build_compare(&c->b, "eq", onnx_windows(c, part, 0, n, 1), last) : part;
  same = tcc_build2(&c->b, TCC_OP_AND, tcc_build_reduce(&c->b, "and", same, &across, 1, false),
                    tcc_build_compare(&c->b, "le", behind, length_of));
  *out_count = tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, same, TCC_ELEM_I64), &along, 1, false);
  *out_behind = tcc_build_reduce(&c->b, "min", tcc_build_select(&c->b, same, behind, number(c, INT64_MAX)), &along, 1, false);
}

/* Behind the place in the source where its last n tokens are those of the text, for the largest n from `least` to `most` up to which all are found; -1
 * where they stand there twice, or not at all. */
static MlirValue matched(ImportCall *c, MlirValue tokens, MlirValue source, int64_t least, int64_t most) {
  const TccExpr *size = import_shape(c, source).dims[0], *around = import_size(c, most), *zero = import_size(c, 0);
  MlirValue length = tcc_build_size(&c->b, import_shape(c, tokens).dims[0]), end = tcc_build_size(&c->b, size),
            found = number(c, -1);
  MlirValue goes = tcc_build_compare(&c->b, "ge", length, number(c, least));
  tokens = tcc_build_pad(&c->b, tokens, none(), &around, &zero, "constant");
  source = tcc_build_pad(&c->b, source, none(), &zero, &around, "constant");
  for (int64_t n = least; n <= most && tokens.ptr && source.ptr; n++) {
    MlirValue count, behind;
    find_last(c, tokens, source, size, n, &count, &behind);
    goes = tcc_build2(&c->b, TCC_OP_AND, goes, tcc_build_compare(&c->b, "ge", length, number(c, n)));
    goes = tcc_build2(&c->b, TCC_OP_AND, goes, tcc_build_compare(&c->b, "gt", count, number(c, 0)));
    MlirValue once = tcc_build_select(&c->b, tcc_build_compare(&c->b, "gt", count, number(c, 1)), number(c, -1), behind);
    found = tcc_build_select(&c->b, goes, once, found);
    goes = tcc_build2(&c->b, TCC_OP_AND, goes, tcc_build_compare(&c->b, "lt", behind, end));
  }
  return found;
}

/* src_tokens, cur_tokens, prev_suffix_match_idx, maybe pred_tokens: cur_tokens and what is taken of pred_tokens; where src_tokens go on. */
bool onnx_op_bifurcation_detector(ImportCall *c) {
  enum { SOURCE, CURRENT, FROM, PREDICTED, MOST_LENGTHS = 64 };
  const int64_t least = onnx_int(c, "min_ngram_size", 0), most = onnx_int(c, "max_ngram_size", 0);
  if (!import_need(c, 3)) return false;
  if (least < 1 || most < least) return import_invalid(c, "n-grams of %lld to %lld tokens", (long long)least, (long long)most);
  if (most > INT32_MAX || most - least >= MOST_LENGTHS)
    return import_unsupported(c, "n-grams of %lld to %lld tokens", (long long)least, (long long)most);
  for (size_t i = 0; i <= PREDICTED; i++) {
    ImportShape s = import_shape(c, import_input(c, i));
    if (import_has_input(c, i) && (s.elem != TCC_ELEM_I64 || (i != FROM && s.rank != 1)))
      return import_invalid(c, "input %zu of rank %d, %s", i, s.rank, tcc_elem_name(s.elem));
  }
  ImportShape at = import_shape(c, import_input(c, FROM));
  if (!import_require_equal(c, import_product(c, at.dims, at.rank), import_size(c, 1), "prev_suffix_match_idx")) return false;
  MlirValue tokens = import_input(c, CURRENT), source = import_input(c, SOURCE);
  if (import_has_input(c, PREDICTED)) {
    MlirValue predicted = import_input(c, PREDICTED);
    MlirValue count = taken(c, source, predicted, tcc_build_reshape(&c->b, import_input(c, FROM), 0, NULL));
    const TccExpr *size = import_counted_size(c, count, import_shape(c, predicted).dims[0]);
    if (!size) return false;
    MlirValue parts[] = {tokens, tcc_build_slice_axis(&c->b, predicted, 0, import_size(c, 0), 1, size)};
    if (!parts[1].ptr || !(tokens = tcc_build_concat(&c->b, parts, 2, 0)).ptr) return false;
  }
  return import_output(c, 0, tokens) &&
         (!import_has_output(c, 1) ||
          import_output(c, 1, tcc_build_reshape(&c->b, matched(c, tokens, source, least, most), at.rank, at.dims)));
}

/* ---- hashes ---- */

/* Places of the inputs that both operators have. */
typedef struct {
  size_t past, offsets, end, segments;
} HashInputs;

typedef struct {
  HashInputs at;
  int64_t size, heads; /* tokens of the longest n-gram; hashes of each length */
  TccElem elem;
  const TccExpr *history;   /* size - 1 */
  MlirValue sizes;          /* [size - 1, heads]: of each head; positive */
  MlirValue offsets;        /* the same form, or null */
  MlirValue missing, end;   /* of rank 0: what stands for no token; the end of a text, after which it begins anew, or null */
  const OnnxPacked *packed; /* null: rows of one length */
} Hash;

/* [sizes, heads] of an input of one axis. */
static MlirValue by_size(ImportCall *c, const Hash *h, size_t input, const char *what) {
  ImportShape s = import_shape(c, import_input(c, input));
  const TccExpr *form[] = {h->history, import_size(c, h->heads)}, *all = import_product(c, form, 2);
  return import_require_shape(c, &s, 1, &all, what) ? tcc_build_reshape(&c->b, import_input(c, input), 2, form) : none();
}

static bool read_numbers(ImportCall *c, Hash *h) {
  const int64_t both[] = {0, 1}, most = h->elem == TCC_ELEM_I32 ? INT32_MAX : INT64_MAX;
  MlirValue given = by_size(c, h, 2, "vocab_sizes"), zero = tcc_build_scalar_i64(&c->b, h->elem, 0);
  MlirValue fits = tcc_build_reduce(&c->b, "and", tcc_build_compare(&c->b, "gt", given, zero), both, 2, false);
  if (!fits.ptr) return false;
  h->sizes = import_assert(c, given, fits, tcc_str("n-gram hashes: vocab_sizes must be positive"));
  if (!import_has_input(c, h->at.offsets)) return h->sizes.ptr != NULL;
  h->offsets = by_size(c, h, h->at.offsets, "head_offsets");
  if (h->packed || !h->offsets.ptr) return h->offsets.ptr && h->sizes.ptr; /* packed ones wrap around */
  MlirValue room = tcc_build2(&c->b, TCC_OP_SUB, tcc_build_scalar_i64(&c->b, h->elem, most), given);
  fits = tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "ge", h->offsets, zero),
                    tcc_build_compare(&c->b, "le", h->offsets, room));
  fits = tcc_build_reduce(&c->b, "and", fits, both, 2, false);
  h->offsets =
      import_assert(c, h->offsets, fits, tcc_str("n-gram hashes: head_offsets must not be negative, and fit beside vocab_sizes"));
  return h->offsets.ptr && h->sizes.ptr;
}

static bool read_hash(ImportCall *c, Hash *h) {
  enum { MOST_TOKENS = 64 };
  ImportShape multipliers = import_shape(c, import_input(c, 1)), end = import_shape(c, import_input(c, h->at.end));
  const int64_t pad = onnx_int(c, "pad_id", 0);
  h->size = onnx_int(c, "max_ngram_size", 0), h->heads = onnx_int(c, "n_head_per_ngram", 0);
  h->elem = tcc_value_elem(import_input(c, 0));
  if (h->elem != TCC_ELEM_I32 && h->elem != TCC_ELEM_I64) return import_invalid(c, "input_ids of %s", tcc_elem_name(h->elem));
  if (h->size < 2 || h->heads < 1 || h->heads > INT32_MAX)
    return import_invalid(c, "%lld hashes of n-grams of up to %lld tokens", (long long)h->heads, (long long)h->size);
  if (h->size > MOST_TOKENS) return import_unsupported(c, "n-grams of %lld tokens", (long long)h->size);
  if (!onnx_has_attribute(c, "pad_id") || (h->elem == TCC_ELEM_I32 && pad != (int32_t)pad))
    return import_invalid(c, "pad_id is missing or out of range");
  if (multipliers.rank != 1) return import_invalid(c, "multipliers of rank %d", multipliers.rank);
  if (!import_require_at_most(c, import_size(c, h->size), multipliers.dims[0], "multipliers")) return false;
  if (end.rank) return import_invalid(c, "eos_token_id of rank %d", end.rank);
  const bool ends = import_has_input(c, h->at.end);
  h->history = import_size(c, h->size - 1);
  h->missing = ends ? import_input(c, h->at.end) : tcc_build_scalar_i64(&c->b, h->elem, pad);
  h->end = ends && onnx_int(c, "reset_on_eos", 0) ? h->missing : none();
  return read_numbers(c, h);
}

/* The ids in front of `rows` texts, [rows, size - 1]. */
static MlirValue history_of(ImportCall *c, const Hash *h, const TccExpr *rows) {
  const TccExpr *dims[] = {rows, h->history};
  ImportShape s = import_shape(c, import_input(c, h->at.past));
  if (!import_has_input(c, h->at.past)) return tcc_build_broadcast(&c->b, h->missing, 2, dims);
  return import_require_shape(c, &s, 2, dims, "past_ids") ? tcc_build_reshape(&c->b, import_input(c, h->at.past), 2, dims) : none();
}

/* Of ids or flags of all places, histories first: those that stand `back` places in front of each token. */
static MlirValue shifted(ImportCall *c, const Hash *h, MlirValue x, int64_t back) {
  if (h->packed) return tcc_build_gather(&c->b, x, onnx_packed_before(c, h->packed, back), 0);
  const TccExpr *length = import_size_sub(c, import_shape(c, x).dims[1], h->history);
  return tcc_build_slice_axis(&c->b, x, 1, import_size(c, h->size - 1 - back), 1, length);
}

/* Hashes of all lengths, [..., (size - 1) * heads]. anew: of each place, whether what follows begins anew; or null. */
static MlirValue hashes(ImportCall *c, const Hash *h, MlirValue ids, MlirValue anew) {
  MlirValue mix = none(), apart = none(), mixes = none();
  const TccExpr *one = import_size(c, 1);
  int rank = 0;
  for (int64_t k = 0; k < h->size; k++) {
    MlirValue token = shifted(c, h, ids, k), by = tcc_build_slice_axis(&c->b, import_input(c, 1), 0, import_size(c, k), 1, one);
    if (k > 0 && anew.ptr) {
      MlirValue here = shifted(c, h, anew, k);
      apart = apart.ptr ? tcc_build2(&c->b, TCC_OP_OR, apart, here) : here;
      token = tcc_build_select(&c->b, apart, h->missing, token);
    }
    token = tcc_build2(&c->b, TCC_OP_MUL, token, by);
    mix = k ? tcc_build2(&c->b, TCC_OP_XOR, mix, token) : token;
    if (!mix.ptr) return mix;
    rank = import_shape(c, mix).rank;
    MlirValue parts[] = {mixes, import_unsqueeze(c, mix, rank)};
    if (k > 0) mixes = k == 1 ? parts[1] : tcc_build_concat(&c->b, parts, 2, rank);
  }
  MlirValue y = tcc_build2(&c->b, TCC_OP_MOD, import_unsqueeze(c, mixes, rank + 1), h->sizes);
  if (h->offsets.ptr) y = tcc_build2(&c->b, TCC_OP_ADD, y, h->offsets);
  ImportShape s = import_shape(c, y);
  s.dims[rank] = import_size_mul(c, h->history, import_size(c, h->heads));
  return tcc_build_reshape(&c->b, y, rank + 1, s.dims);
}

/* bool: whether the next one along the last axis differs; what it is of the last one does not matter. */
static MlirValue differs_from_next(ImportCall *c, MlirValue x) {
  ImportShape s = import_shape(c, x);
  const TccExpr *zero = import_size(c, 0), *low[] = {zero, zero}, *high[] = {zero, zero};
  high[s.rank - 1] = import_size(c, 1);
  MlirValue next = tcc_build_pad(&c->b, x, none(), low, high, "constant");
  return tcc_build_compare(&c->b, "ne", x, tcc_build_slice_axis(&c->b, next, s.rank - 1, high[s.rank - 1], 1, s.dims[s.rank - 1]));
}

static MlirValue either(ImportCall *c, MlirValue x, MlirValue y) {
  return x.ptr && y.ptr ? tcc_build2(&c->b, TCC_OP_OR, x, y) : x.ptr ? x : y;
}

static MlirValue no_flags(ImportCall *c, const TccExpr *rows, const TccExpr *columns) {
  const TccExpr *dims[] = {rows, columns};
  return tcc_build_broadcast(&c->b, tcc_build_convert(&c->b, number(c, 0), TCC_ELEM_BOOL), 2, dims);
}

/* ids [B, S], multipliers [size], vocab_sizes [(size - 1) * heads], maybe past_ids, head_offsets, eos_token_id, segment_ids [B, S]: hashes, and the
 * last ids. */
bool onnx_op_ngram_hash_mapping(ImportCall *c) {
  Hash h = {.at = {3, 4, 5, 6}};
  if (!import_need(c, 3) || !read_hash(c, &h)) return false;
  MlirValue x = import_input(c, 0), segments = import_input(c, h.at.segments), anew = none();
  ImportShape s = import_shape(c, x), of = import_shape(c, segments);
  if (s.rank != 2) return import_invalid(c, "input_ids of rank %d", s.rank);
  if (segments.ptr && !import_require_shape(c, &of, 2, s.dims, "segment_ids")) return false;
  MlirValue parts[] = {history_of(c, &h, s.dims[0]), x}, ids = parts[0].ptr ? tcc_build_concat(&c->b, parts, 2, 1) : none();
  if (!ids.ptr) return false;
  if (h.end.ptr) anew = tcc_build_compare(&c->b, "eq", ids, h.end);
  if (segments.ptr) {
    MlirValue flags[] = {no_flags(c, s.dims[0], h.history), differs_from_next(c, segments)};
    anew = either(c, anew, tcc_build_concat(&c->b, flags, 2, 1));
  }
  return import_output(c, 0, hashes(c, &h, ids, anew)) &&
         (!import_has_output(c, 1) || import_output(c, 1, tcc_build_slice_axis(&c->b, ids, 1, s.dims[1], 1, h.history)));
}

/* The segments of all places, histories first, and whether what follows a place is another one. False: there are none. */
static bool read_segments(ImportCall *c, const Hash *h, size_t past_input, MlirValue *out, MlirValue *out_anew) {
  const OnnxPacked *p = h->packed;
  MlirValue segments = import_input(c, h->at.segments), past = import_input(c, past_input);
  ImportShape s = import_shape(c, segments), of_past = import_shape(c, past);
  const TccExpr *dims[] = {p->sequences, h->history}, *one = import_size(c, 1);
  if (!import_require_shape(c, &s, 1, &p->tokens, "segment_ids") ||
      (past.ptr && !import_require_shape(c, &of_past, 2, dims, "past_segment_ids")))
    return false;
  MlirValue first = import_unsqueeze(c, tcc_build_gather(&c->b, segments, p->start, 0), 1), before = no_flags(c, dims[0], dims[1]);
  MlirValue history = past.ptr ? tcc_build_reshape(&c->b, past, 2, dims) : tcc_build_broadcast(&c->b, first, 2, dims);
  if (past.ptr) {
    MlirValue next[] = {tcc_build_slice_axis(&c->b, history, 1, one, 1, import_size(c, h->size - 2)), first};
    before = tcc_build_compare(&c->b, "ne", history, h->size > 2 ? tcc_build_concat(&c->b, next, 2, 1) : first);
  }
  *out = onnx_packed_table(c, p, history, segments);
  *out_anew = onnx_packed_table(c, p, before, differs_from_next(c, segments));
  return out->ptr && out_anew->ptr;
}

/* The ids in front of what follows each captured token, [sequences, capacity, size - 1]; pad_id in slots that are not used. */
static MlirValue captured_ids(ImportCall *c, const Hash *h, MlirValue table, MlirValue count, int64_t capacity) {
  const OnnxPacked *p = h->packed;
  const TccExpr *slots = import_size(c, capacity), *grid[] = {slots, h->history}, *flat = import_product(c, grid, 2),
                *full[] = {p->sequences, grid[0], grid[1]};
  MlirValue pad = tcc_build_scalar_i64(&c->b, h->elem, onnx_int(c, "pad_id", 0));
  if (!capacity) return tcc_build_broadcast(&c->b, pad, 3, full);
  MlirValue at = tcc_build2(&c->b, TCC_OP_ADD, tcc_build_iota(&c->b, TCC_ELEM_I64, 0, 2, grid),
                            tcc_build_iota(&c->b, TCC_ELEM_I64, 1, 2, grid));
  at = tcc_build2_number(&c->b, TCC_OP_SUB, at, (double)(h->size - 2));
  MlirValue places = onnx_packed_places(c, p, tcc_build_reshape(&c->b, at, 1, &flat));
  MlirValue ids = tcc_build_reshape(&c->b, tcc_build_gather(&c->b, table, places, 0), 3, full);
  MlirValue used = import_unsqueeze(c, onnx_packed_captured(c, p, count, capacity), 2);
  return tcc_build_select(&c->b, used, ids, pad);
}

/* Of packed texts: ids [T], multipliers, vocab_sizes, cumulative_sequence_length, then as above, past_segment_ids, capture_count: hashes, the last
 * ids of each text, the last segments, and the ids behind each of the first tokens. */
bool onnx_op_varlen_ngram_hash_mapping(ImportCall *c) {
  enum { ENDS = 3, PAST_SEGMENTS = 8, COUNT = 9 };
  static const char message[] = "cumulative_sequence_length must begin with 0, grow, and end with the number of tokens";
  OnnxPacked p;
  Hash h = {.at = {4, 5, 6, 7}, .packed = &p};
  int64_t capacity;
  MlirValue anew = none(), segments = none(), of_segments = none();
  if (!import_need(c, 4) || !read_hash(c, &h)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape s = import_shape(c, x);
  const bool has_segments = import_has_input(c, h.at.segments);
  if (s.rank != 1) return import_invalid(c, "input_ids of rank %d", s.rank);
  if (!has_segments && (import_has_input(c, PAST_SEGMENTS) || import_has_output(c, 2)))
    return import_invalid(c, "past_segment_ids and present_segment_ids belong to segment_ids");
  if (!onnx_packed(c, import_input(c, ENDS), s.dims[0], h.history, true, tcc_str(message), &p) ||
      !onnx_capture_capacity(c, COUNT, p.sequences, &capacity))
    return false;
  MlirValue ids = onnx_packed_table(c, &p, history_of(c, &h, p.sequences), x);
  if (!ids.ptr) return false;
  if (h.end.ptr) anew = tcc_build_compare(&c->b, "eq", ids, h.end);
  if (has_segments && !read_segments(c, &h, PAST_SEGMENTS, &segments, &of_segments)) return false;
  MlirValue last = onnx_packed_places(c, &p, onnx_packed_last(c, &p));
  return import_output(c, 0, hashes(c, &h, ids, either(c, anew, of_segments))) &&
         (!import_has_output(c, 1) || import_output(c, 1, tcc_build_gather(&c->b, ids, last, 0))) &&
         (!import_has_output(c, 2) || import_output(c, 2, tcc_build_gather(&c->b, segments, last, 0))) &&
         (!import_has_output(c, 3) || import_output(c, 3, captured_ids(c, &h, ids, import_input(c, COUNT), capacity)));
}

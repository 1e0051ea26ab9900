/* search_scores.c - scores of next tokens: what repetition, n-grams, masks, lengths and temperature make of them, and the token that is taken.
 *
 * The processors and their order are those of onnxruntime's contrib_ops/cpu/transformers/logits_processor.h. What may not be taken has the
 * lowest finite score, as there, so that something can be taken where all is forbidden. Texts have room for all tokens; what lies behind
 * their length is never read. */
#include "lib/frontend/onnx/search.h"
#include "tcc/op_kinds.h"
#include <float.h>
#include <math.h>

static MlirValue lowest(const Search *s) { return tcc_build_scalar(&s->c->b, TCC_ELEM_F32, -FLT_MAX); }

static MlirValue both(const Search *s, MlirValue a, MlirValue b) { return tcc_build2(&s->c->b, TCC_OP_AND, a, b); }

/* x [rows, V] with `value` at the tokens [rows, n]; V stands for none. */
static MlirValue put(const Search *s, MlirValue x, MlirValue tokens, MlirValue value) {
  ImportShape shape = import_shape(s->c, tokens);
  TccNamedAttr axis = {"axis", tcc_attr_i64(s->c->ir, 1)};
  MlirValue operands[] = {x, tokens, tcc_build_broadcast(&s->c->b, value, 2, shape.dims)};
  return x.ptr && tokens.ptr && operands[2].ptr ? import_op(s->c, TCC_OP_SCATTER_ELEMENTS, operands, 3, &axis, 1)
                                                : (MlirValue){NULL};
}

static MlirValue places(const Search *s) { return import_iota(s->c, TCC_ELEM_I64, s->length); }

/* A token that a text has is less likely: scores below zero are multiplied, others divided. */
static MlirValue penalised(const Search *s, MlirValue x, MlirValue texts, MlirValue length) {
  ImportCall *c = s->c;
  const TccExpr *dims[] = {s->rows, import_size(c, s->vocabulary)};
  MlirValue there = tcc_build_compare(&c->b, "lt", places(s), length);
  MlirValue tokens = tcc_build_select(&c->b, there, texts, search_token(s, s->vocabulary));
  MlirValue zeros = tcc_build_broadcast(&c->b, search_token(s, 0), 2, dims);
  MlirValue seen = tcc_build_compare(&c->b, "ne", put(s, zeros, tokens, search_token(s, 1)), search_token(s, 0));
  MlirValue less =
      tcc_build_select(&c->b, tcc_build_compare(&c->b, "lt", x, tcc_build_scalar(&c->b, TCC_ELEM_F32, 0)),
                       tcc_build2(&c->b, TCC_OP_MUL, x, s->repetition), tcc_build2(&c->b, TCC_OP_DIV, x, s->repetition));
  return tcc_build_select(&c->b, seen, less, x);
}

/* A token that would end an n-gram which a text has is forbidden. */
static MlirValue without_ngrams(const Search *s, MlirValue x, MlirValue texts, MlirValue length) {
  ImportCall *c = s->c;
  const TccExpr *zero = import_size(c, 0), *low[] = {zero, zero}, *high[] = {zero, import_size(c, s->ngram)};
  MlirValue longer = tcc_build_pad(&c->b, texts, (MlirValue){NULL}, low, high, "constant");
  MlirValue met = tcc_build_compare(&c->b, "lt", tcc_build2_number(&c->b, TCC_OP_ADD, places(s), (double)s->ngram - 1), length);
  MlirValue first = tcc_build2_number(&c->b, TCC_OP_SUB, length, (double)s->ngram - 1);
  for (int64_t k = 0; k + 1 < s->ngram; k++) {
    MlirValue at = tcc_build2_number(&c->b, TCC_OP_ADD, first, (double)k);
    at = tcc_build2(&c->b, TCC_OP_MAX, at, search_number(s, 0));
    MlirValue last = import_unsqueeze(c, tcc_build_gather(&c->b, texts, at, 1), 1);
    MlirValue window = tcc_build_slice_axis(&c->b, longer, 1, import_size(c, k), 1, s->length);
    met = both(s, met, tcc_build_compare(&c->b, "eq", window, last));
  }
  MlirValue next = tcc_build_slice_axis(&c->b, longer, 1, import_size(c, s->ngram - 1), 1, s->length);
  return put(s, x, tcc_build_select(&c->b, met, next, search_token(s, s->vocabulary)), lowest(s));
}

/* [B, V] for each row. */
static MlirValue of_rows(const Search *s, MlirValue x) {
  ImportCall *c = s->c;
  const TccExpr *v = import_size(c, s->vocabulary), *dims[] = {s->batch, import_size(c, s->beams), v}, *rows[] = {s->rows, v};
  return tcc_build_reshape(&c->b, tcc_build_broadcast(&c->b, import_unsqueeze(c, x, 1), 3, dims), 2, rows);
}

static MlirValue allowed_ids(const Search *s) { return import_iota(s->c, TCC_ELEM_I64, import_size(s->c, s->vocabulary)); }

MlirValue search_process(const Search *s, MlirValue x, MlirValue texts, MlirValue length, bool first) {
  ImportCall *c = s->c;
  if (s->repetition.ptr) x = penalised(s, x, texts, length);
  if (s->ngram > 0) x = without_ngrams(s, x, texts, length);
  if (s->allowed.ptr) x = tcc_build_select(&c->b, s->allowed, x, lowest(s));
  if (s->first_allowed.ptr && first) x = tcc_build_select(&c->b, of_rows(s, s->first_allowed), x, lowest(s));
  if (s->least.ptr) {
    MlirValue short_ = tcc_build_compare(&c->b, "lt", length, s->least);
    MlirValue ends = both(s, tcc_build_compare(&c->b, "eq", allowed_ids(s), search_number(s, s->eos)), short_);
    x = tcc_build_select(&c->b, ends, lowest(s), x);
  }
  if (s->temperature.ptr) x = tcc_build2(&c->b, TCC_OP_DIV, x, s->temperature);
  if (s->presence.ptr) x = tcc_build2(&c->b, TCC_OP_SUB, x, tcc_build2_number(&c->b, TCC_OP_MUL, s->presence, s->presence_penalty));
  if (s->has_stamps) x = search_stamped(s, x, texts, length);
  return x;
}

MlirValue search_last_logits(const Search *s, MlirValue logits) {
  ImportCall *c = s->c;
  ImportShape shape = import_shape(c, logits);
  const TccExpr *one = import_size(c, 1), *v = import_size(c, s->vocabulary);
  if (shape.rank != 3 || !tcc_elem_is_float(shape.elem)) {
    import_invalid(c, "logits of rank %d, %s", shape.rank, tcc_elem_name(shape.elem));
    return (MlirValue){NULL};
  }
  if (!import_require_at_most(c, v, shape.dims[2], "vocab_size")) return (MlirValue){NULL};
  MlirValue x = tcc_build_slice_axis(&c->b, logits, 1, import_size_sub(c, shape.dims[1], one), 1, one);
  x = tcc_build_slice_axis(&c->b, tcc_build_squeeze(&c->b, x, 1), 1, import_size(c, 0), 1, v);
  x = tcc_build_convert(&c->b, x, TCC_ELEM_F32);
  bool is_batch = tcc_expr_known_equal(shape.dims[0], s->batch) && !tcc_expr_known_equal(s->batch, s->rows);
  if (is_batch) return of_rows(s, x);
  return import_require_equal(c, shape.dims[0], s->rows, "logits") ? x : (MlirValue){NULL};
}

/* ---- sampling ---- */
static MlirValue along(const Search *s, TccOpKind kind, MlirValue x) {
  TccNamedAttr axis = {"axis", tcc_attr_i64(s->c->ir, 1)};
  return x.ptr ? import_op(s->c, kind, &x, 1, &axis, 1) : x;
}

/* The scores with those filtered whose probability is not in the part top_p of the likeliest. */
static MlirValue filtered(const Search *s, MlirValue x) {
  ImportCall *c = s->c;
  const TccExpr *v = import_size(c, s->vocabulary), *one = import_size(c, 1), *zero = import_size(c, 0);
  TccNamedAttr attrs[] = {
      {"k", tcc_attr_exprs(c->ir, &v, 1)}, {"axis", tcc_attr_i64(c->ir, 1)}, {"largest", tcc_attr_bool(c->ir, s->custom)}};
  MlirValue sorted = x.ptr ? import_op(c, TCC_OP_TOPK, &x, 1, attrs, 3) : x;
  if (!sorted.ptr) return sorted;
  MlirValue order = mlirOperationGetResult(tcc_value_op(sorted), 1), place = allowed_ids(s), out;
  MlirValue sums = along(s, TCC_OP_CUMULATIVE, along(s, TCC_OP_SOFTMAX, sorted));
  if (s->custom) { /* the one behind a sum that is more than top_p; the last sum is looked at by nobody */
    const TccExpr *low[] = {zero, one}, *high[] = {zero, import_size(c, -1)};
    MlirValue before = tcc_build_pad(&c->b, sums, (MlirValue){NULL}, low, high, "constant");
    out = tcc_build_compare(&c->b, "gt", before, tcc_build_scalar(&c->b, TCC_ELEM_F32, s->top_p));
    out = both(s, out, tcc_build_compare(&c->b, "gt", place, search_number(s, 0)));
  } else {
    out = tcc_build_compare(&c->b, "le", sums, tcc_build_scalar(&c->b, TCC_ELEM_F32, (float)(1 - (float)s->top_p)));
    MlirValue may = tcc_build_compare(&c->b, "lt", place, search_number(s, s->vocabulary - s->kept));
    may = tcc_build2(&c->b, TCC_OP_OR, may, tcc_build_compare(&c->b, "eq", place, search_number(s, 0)));
    out = both(s, out, may);
  }
  MlirValue kept = tcc_build_select(&c->b, out, tcc_build_scalar(&c->b, TCC_ELEM_F32, s->filter), sorted);
  MlirValue operands[] = {x, order, kept};
  return kept.ptr ? import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, &attrs[1], 1) : kept;
}

/* i64 [rows]: where a number of [0, 1) falls among the probabilities of the scores. */
static MlirValue drawn(const Search *s, MlirValue x, MlirValue length) {
  ImportCall *c = s->c;
  const int64_t axis = 1;
  const TccExpr *inner = import_size(c, s->vocabulary - 1), *zero = import_size(c, 0), *one = import_size(c, 1);
  MlirValue ends = along(s, TCC_OP_CUMULATIVE, along(s, TCC_OP_SOFTMAX, x));
  MlirValue row = tcc_build2(&c->b, TCC_OP_SUB, length, tcc_build_size(&c->b, s->prompt));
  MlirValue u = import_unsqueeze(c, tcc_build_gather(&c->b, s->uniform, row, 0), 1);
  MlirValue total = tcc_build_slice_axis(&c->b, ends, 1, inner, 1, one);
  MlirValue at = tcc_build2(&c->b, TCC_OP_MUL, u, total);
  MlirValue below = tcc_build_compare(&c->b, "ge", at, tcc_build_slice_axis(&c->b, ends, 1, zero, 1, inner));
  return tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, below, TCC_ELEM_I64), &axis, 1, false);
}

/* ---- a token ---- */
static MlirValue appended(const Search *s, MlirValue texts, MlirValue length, MlirValue tokens) {
  MlirValue here = tcc_build_compare(&s->c->b, "eq", places(s), length);
  return tcc_build_select(&s->c->b, here, import_unsqueeze(s->c, tokens, 1), texts);
}

bool search_take(const Search *s, MlirValue logits, bool first, SearchState *state) {
  ImportCall *c = s->c;
  const int64_t axis = 0;
  MlirValue length = state->at[AT_LENGTH], x = search_process(s, search_last_logits(s, logits), state->at[AT_TEXTS], length, first);
  if (!x.ptr) return false;
  MlirValue tokens;
  if (s->kind == SEARCH_SAMPLING) {
    x = filtered(s, x);
    if (state->at[AT_LOGITS].ptr || first) state->at[AT_LOGITS] = import_has_output(c, 1) ? x : (MlirValue){NULL};
    tokens = drawn(s, x, length);
  } else {
    TccNamedAttr attrs[] = {{"kind", tcc_attr_str(c->ir, tcc_str("max"))}, {"axis", tcc_attr_i64(c->ir, 1)}};
    tokens = import_op(c, TCC_OP_ARG_REDUCE, &x, 1, attrs, 2);
  }
  tokens = tcc_build_convert(&c->b, tokens, TCC_ELEM_I32);
  MlirValue ended = tcc_build_compare(&c->b, "eq", tokens, search_token(s, s->eos));
  if (state->at[AT_ENDED].ptr) ended = tcc_build2(&c->b, TCC_OP_OR, ended, state->at[AT_ENDED]);
  tokens = tcc_build_select(&c->b, ended, search_token(s, s->pad), tokens);
  state->at[AT_ENDED] = ended;
  state->at[AT_TOKENS] = tokens;
  state->at[AT_TEXTS] = appended(s, state->at[AT_TEXTS], length, tokens);
  state->at[AT_LENGTH] = tcc_build2_number(&c->b, TCC_OP_ADD, length, 1);
  state->at[AT_GO] = tcc_build1(&c->b, TCC_OP_NOT, tcc_build_reduce(&c->b, "and", ended, &axis, 1, false));
  return state->at[AT_GO].ptr && state->at[AT_TEXTS].ptr;
}

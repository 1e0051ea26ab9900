/* search_beams.c - beams: which texts go on, and the hypotheses that have ended.
 *
 * Of the 2 beams best tokens of a batch's texts those that do not end one go on, the best first; an end among the best `beams` makes a
 * hypothesis, whose score is divided by a power of its length. A batch is done once it has as many as beams and none can become better. As
 * onnxruntime's beam_search_scorer.cc: also in that the score which decides of a batch whether one can become better is the best of scores `beams`
 * places on for each batch before it, where they lie 2 beams each. */
#include "lib/frontend/onnx/search.h"
#include "tcc/op_kinds.h"
#include <float.h>
#include <math.h>

static MlirValue real(const Search *s, double value) { return tcc_build_scalar(&s->c->b, TCC_ELEM_F32, value); }

static MlirValue filled(const Search *s, MlirValue value, int rank, const TccExpr *const *dims) {
  return tcc_build_broadcast(&s->c->b, value, rank, dims);
}

bool search_begin_beams(const Search *s, SearchState *state) {
  ImportCall *c = s->c;
  const TccExpr *beams = import_size(c, s->beams), *dims[] = {s->batch, beams, s->length};
  const TccExpr *all[] = {import_size_sub(c, s->length, s->prompt), s->batch, beams, import_size(c, s->vocabulary)};
  MlirValue first = tcc_build_compare(&c->b, "eq", import_iota(c, TCC_ELEM_I64, beams), search_number(s, 0));
  state->at[AT_SCORES] = filled(s, tcc_build_select(&c->b, first, real(s, 0), real(s, -1e9)), 2, dims);
  state->at[AT_ENDED] = filled(s, tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 0), 1, dims);
  state->at[AT_COUNT] = filled(s, search_number(s, 0), 1, dims);
  state->at[AT_BEST] = filled(s, real(s, -INFINITY), 2, dims);
  state->at[AT_FINISHED] = filled(s, search_token(s, s->pad), 3, dims);
  if (import_has_output(c, 2)) state->at[AT_ALL] = filled(s, real(s, 0), 4, all);
  return state->at[AT_FINISHED].ptr && (!import_has_output(c, 2) || state->at[AT_ALL].ptr);
}

/* The `count` greatest of x [B, n], the first of equal ones first, and their places. */
static MlirValue greatest(const Search *s, MlirValue x, int64_t count, MlirValue *out_places) {
  const TccExpr *k = import_size(s->c, count);
  TccNamedAttr attrs[] = {{"k", tcc_attr_exprs(s->c->ir, &k, 1)}, {"axis", tcc_attr_i64(s->c->ir, 1)}};
  MlirValue values = x.ptr ? import_op(s->c, TCC_OP_TOPK, &x, 1, attrs, 2) : x;
  *out_places = values.ptr ? mlirOperationGetResult(tcc_value_op(values), 1) : values;
  return values;
}

/* x [B, n] at places [B, m]. */
static MlirValue at(const Search *s, MlirValue x, MlirValue where) {
  MlirValue operands[] = {x, where};
  TccNamedAttr axis = {"axis", tcc_attr_i64(s->c->ir, 1)};
  return x.ptr && where.ptr ? import_op(s->c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1) : (MlirValue){NULL};
}

/* x [n, length] at the rows [B, m]: [B, m, length]. */
static MlirValue texts_at(const Search *s, MlirValue x, MlirValue rows) { return tcc_build_gather(&s->c->b, x, rows, 0); }

/* i64 [B, m]: places of batches' own as those of all, of which each has `each`. */
static MlirValue of_all(const Search *s, MlirValue where, int64_t each) {
  MlirValue first = tcc_build2_number(&s->c->b, TCC_OP_MUL, import_iota(s->c, TCC_ELEM_I64, s->batch), (double)each);
  return tcc_build2(&s->c->b, TCC_OP_ADD, where, import_unsqueeze(s->c, first, 1));
}

static MlirValue normalised(const Search *s, MlirValue scores, MlirValue length) {
  MlirValue n = tcc_build_convert(&s->c->b, length, TCC_ELEM_F32);
  if (s->length_penalty.ptr) n = tcc_build2(&s->c->b, TCC_OP_POW, n, s->length_penalty);
  return tcc_build2(&s->c->b, TCC_OP_DIV, scores, n);
}

/* Joins hypotheses [B, beams] whose scores, lengths and texts these are, where `given`; the best `beams` stay. */
static bool join(const Search *s, MlirValue scores, MlirValue rows, MlirValue given, MlirValue length, SearchState *state) {
  ImportCall *c = s->c;
  const int64_t axis = 1;
  const TccExpr *beams = import_size(c, s->beams), *two = import_size(c, 2 * s->beams);
  const TccExpr *flat[] = {import_size_mul(c, s->batch, two), s->length};
  MlirValue old = state->at[AT_COUNT], there, where;
  MlirValue both[] = {state->at[AT_BEST], tcc_build_select(&c->b, given, normalised(s, scores, length), real(s, -INFINITY))};
  there = tcc_build_compare(&c->b, "lt", import_iota(c, TCC_ELEM_I64, s->length), length);
  MlirValue texts = tcc_build_select(&c->b, there, texts_at(s, state->at[AT_TEXTS], rows), search_token(s, s->pad));
  MlirValue all[] = {state->at[AT_FINISHED], texts};
  MlirValue best = greatest(s, tcc_build_concat(&c->b, both, 2, 1), s->beams, &where);
  MlirValue joined = tcc_build_reshape(&c->b, tcc_build_concat(&c->b, all, 2, 1), 2, flat);
  MlirValue more = tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, given, TCC_ELEM_I64), &axis, 1, false);
  state->at[AT_BEST] = best;
  state->at[AT_FINISHED] = texts_at(s, joined, of_all(s, where, 2 * s->beams));
  state->at[AT_COUNT] = tcc_build2(&c->b, TCC_OP_MIN, tcc_build2(&c->b, TCC_OP_ADD, old, more), tcc_build_size(&c->b, beams));
  return state->at[AT_COUNT].ptr && state->at[AT_FINISHED].ptr;
}

/* bool [B]: a batch that has all hypotheses is done, by the best score of its candidates [B, 2 beams]. */
static MlirValue is_done(const Search *s, MlirValue candidates, MlirValue length, const SearchState *state) {
  ImportCall *c = s->c;
  const int64_t axis = 1;
  const TccExpr *flat = import_size_mul(c, s->batch, import_size(c, 2 * s->beams)), *one = import_size(c, 1);
  MlirValue full = tcc_build_compare(&c->b, "ge", state->at[AT_COUNT], search_number(s, s->beams));
  if (s->early) return full;
  MlirValue place = import_unsqueeze(c, import_iota(c, TCC_ELEM_I64, import_size(c, 2 * s->beams)), 0);
  MlirValue best = tcc_build_gather(&c->b, tcc_build_reshape(&c->b, candidates, 1, &flat), of_all(s, place, s->beams), 0);
  best = tcc_build_reduce(&c->b, "max", best, &axis, 1, false);
  MlirValue worst = tcc_build_slice_axis(&c->b, state->at[AT_BEST], 1, import_size(c, s->beams - 1), 1, one);
  worst = tcc_build_squeeze(&c->b, worst, 1);
  return tcc_build2(&c->b, TCC_OP_AND, full, tcc_build_compare(&c->b, "ge", worst, normalised(s, best, length)));
}

/* Where the first `beams` are that are true, of [B, 2 beams]. */
static MlirValue first_of(const Search *s, MlirValue true_ones) {
  ImportCall *c = s->c;
  MlirValue where, place = import_iota(c, TCC_ELEM_F32, import_size(c, 2 * s->beams));
  MlirValue early = tcc_build_select(&c->b, true_ones, tcc_build1(&c->b, TCC_OP_NEG, place), real(s, -INFINITY));
  greatest(s, early, s->beams, &where);
  return where;
}

/* Texts go on from the rows that they were made of, with their tokens; a batch that is done has pads behind the first text of all. */
static bool go_on(const Search *s, MlirValue where, MlirValue scores, MlirValue tokens, MlirValue rows, MlirValue done,
                  SearchState *state) {
  ImportCall *c = s->c;
  MlirValue length = state->at[AT_LENGTH], here = tcc_build_compare(&c->b, "eq", import_iota(c, TCC_ELEM_I64, s->length), length);
  state->at[AT_SCORES] = tcc_build_select(&c->b, done, real(s, 0), at(s, scores, where));
  MlirValue next = tcc_build_select(&c->b, done, search_token(s, s->pad), at(s, tokens, where));
  MlirValue from = tcc_build_select(&c->b, done, search_number(s, 0), at(s, rows, where));
  state->at[AT_TOKENS] = tcc_build_reshape(&c->b, next, 1, &s->rows);
  state->from = tcc_build_reshape(&c->b, from, 1, &s->rows);
  MlirValue texts = texts_at(s, state->at[AT_TEXTS], state->from);
  state->at[AT_TEXTS] = tcc_build_select(&c->b, here, import_unsqueeze(c, state->at[AT_TOKENS], 1), texts);
  state->at[AT_LENGTH] = tcc_build2_number(&c->b, TCC_OP_ADD, length, 1);
  return state->at[AT_TEXTS].ptr && state->from.ptr && state->at[AT_SCORES].ptr;
}

/* Scores [rows, V] of all tokens, that of their text added. */
static MlirValue summed(const Search *s, MlirValue logits, bool first, SearchState *state) {
  ImportCall *c = s->c;
  const TccExpr *beams = import_size(c, s->beams), *dims[] = {s->batch, beams, import_size(c, s->vocabulary)};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  MlirValue x = search_last_logits(s, logits);
  x = x.ptr ? import_op(c, TCC_OP_LOG_SOFTMAX, &x, 1, &axis, 1) : x;
  x = search_process(s, x, state->at[AT_TEXTS], state->at[AT_LENGTH], first);
  x = tcc_build_reshape(&c->b, x, 3, dims);
  x = tcc_build2(&c->b, TCC_OP_ADD, x, import_unsqueeze(c, state->at[AT_SCORES], 2));
  if (state->at[AT_ALL].ptr && x.ptr) {
    MlirValue row = tcc_build2(&c->b, TCC_OP_SUB, state->at[AT_LENGTH], tcc_build_size(&c->b, s->prompt));
    MlirValue operands[] = {state->at[AT_ALL], row, x};
    state->at[AT_ALL] = import_op(c, TCC_OP_DYNAMIC_UPDATE_SLICE, operands, 3, NULL, 0);
  }
  return x;
}

bool search_take_beams(const Search *s, MlirValue logits, bool first, bool may_end, SearchState *state) {
  ImportCall *c = s->c;
  const int64_t axis = 0;
  const TccExpr *flat[] = {s->batch, import_size(c, s->beams * s->vocabulary)};
  MlirValue places, length = state->at[AT_LENGTH];
  MlirValue scores = greatest(s, tcc_build_reshape(&c->b, summed(s, logits, first, state), 2, flat), 2 * s->beams, &places);
  MlirValue v = search_number(s, s->vocabulary);
  MlirValue tokens = tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_MOD, places, v), TCC_ELEM_I32);
  MlirValue rows = of_all(s, tcc_build2(&c->b, TCC_OP_DIV, places, v), s->beams);
  MlirValue ends = tcc_build_compare(&c->b, "eq", tokens, search_token(s, s->eos)),
            done = import_unsqueeze(c, state->at[AT_ENDED], 1);
  const TccExpr *zero = import_size(c, 0), *beams = import_size(c, s->beams);
  MlirValue best_ends = tcc_build_slice_axis(&c->b, ends, 1, zero, 1, beams);
  best_ends = tcc_build2(&c->b, TCC_OP_AND, best_ends, tcc_build1(&c->b, TCC_OP_NOT, done));
  if (!best_ends.ptr || !rows.ptr) return false;
  if (!join(s, tcc_build_slice_axis(&c->b, scores, 1, zero, 1, beams), tcc_build_slice_axis(&c->b, rows, 1, zero, 1, beams),
            best_ends, length, state))
    return false;
  MlirValue ended = tcc_build2(&c->b, TCC_OP_OR, state->at[AT_ENDED], is_done(s, scores, length, state));
  if (!go_on(s, first_of(s, tcc_build1(&c->b, TCC_OP_NOT, ends)), scores, tokens, rows, done, state)) return false;
  state->at[AT_ENDED] = ended;
  MlirValue all = may_end ? tcc_build_reduce(&c->b, "and", ended, &axis, 1, false) : tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 0);
  state->at[AT_GO] = tcc_build1(&c->b, TCC_OP_NOT, all);
  return state->at[AT_GO].ptr != NULL;
}

bool search_finish_beams(const Search *s, const SearchState *state) {
  ImportCall *c = s->c;
  const TccExpr *zero = import_size(c, 0), *beams = import_size(c, s->beams), *dims[] = {s->batch, beams};
  SearchState last = *state;
  MlirValue going = import_unsqueeze(c, tcc_build1(&c->b, TCC_OP_NOT, state->at[AT_ENDED]), 1);
  MlirValue rows = of_all(s, import_unsqueeze(c, import_iota(c, TCC_ELEM_I64, beams), 0), s->beams);
  if (!join(s, state->at[AT_SCORES], rows, tcc_build_broadcast(&c->b, going, 2, dims), state->at[AT_LENGTH], &last)) return false;
  MlirValue texts = tcc_build_slice_axis(&c->b, last.at[AT_FINISHED], 1, zero, 1, s->returned);
  if (!import_output(c, 0, texts)) return false;
  if (import_has_output(c, 1) && !import_output(c, 1, tcc_build_slice_axis(&c->b, last.at[AT_BEST], 1, zero, 1, s->returned)))
    return false;
  return !import_has_output(c, 2) || import_output(c, 2, state->at[AT_ALL]);
}

/* ops_contrib_search.c - texts written by a model inside of the model: onnxruntime's GreedySearch, Sampling, BeamSearch and WhisperBeamSearch.
 *
 * The node has the graphs of a decoder and maybe an encoder, which are asked for logits once for all tokens that a text begins with, and then, in a loop
 * of the run-time, for one more token at a time, with their caches: until all texts have ended, or are as long as they may be. What is done
 * with the logits: search_scores.c, search_beams.c; how the graphs are called: search_models.c. */
#include "lib/frontend/onnx/search.h"
#include "tcc/op_kinds.h"
#include <math.h>

/* Where inputs stand: greedy search and sampling, beam searches. -1: they lack it. */
typedef struct {
  int length, least, beams, returned, length_penalty, repetition, allowed, first_allowed, mask, processor, temperature;
} Places;

static const Places of_greedy = {1, 2, -1, -1, -1, 3, 4, 5, 6, -1, -1}, of_beams = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, -1},
                    of_whisper = {1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 14};

static bool given(ImportCall *c, int input) { return input >= 0 && import_has_input(c, (size_t)input); }

/* An input of one number, of rank 0; null: it is absent, or after a reason. */
static MlirValue one(ImportCall *c, int input, TccElem elem, const char *name) {
  if (!given(c, input)) return (MlirValue){NULL};
  MlirValue x = import_input(c, (size_t)input);
  ImportShape shape = import_shape(c, x);
  if (shape.rank > 1 || tcc_elem_is_float(shape.elem) != tcc_elem_is_float(elem)) {
    import_invalid(c, "%s of rank %d, %s", name, shape.rank, tcc_elem_name(shape.elem));
    return (MlirValue){NULL};
  }
  if (!import_require_equal(c, import_product(c, shape.dims, shape.rank), import_size(c, 1), name)) return (MlirValue){NULL};
  return tcc_build_reshape(&c->b, tcc_build_convert(&c->b, x, elem), 0, NULL);
}

/* A constant number of at least `least`. */
static bool constant(ImportCall *c, int input, int64_t otherwise, int64_t least, const char *name, int64_t *out) {
  size_t n;
  *out = otherwise;
  if (!given(c, input)) return true;
  const int64_t *values = import_constants(c, (size_t)input, &n);
  if (!values) return false;
  if (n != 1 || values[0] < least) return import_invalid(c, "%s is %lld", name, n == 1 ? (long long)values[0] : 0LL);
  *out = values[0];
  return true;
}

static bool size(ImportCall *c, int input, int64_t otherwise, const char *name, const TccExpr **out) {
  size_t n;
  *out = import_size(c, otherwise);
  if (!given(c, input)) return true;
  const TccExpr *const *values = import_sizes(c, (size_t)input, &n);
  if (!values) return false;
  if (n != 1) return import_invalid(c, "%s of %zu numbers", name, n);
  *out = values[0];
  return true;
}

/* A mask of the vocabulary, or one for each of the batch. */
static bool mask(Search *s, int input, int rank, const char *name, MlirValue *out) {
  ImportCall *c = s->c;
  if (!given(c, input)) return true;
  MlirValue x = import_input(c, (size_t)input);
  ImportShape shape = import_shape(c, x);
  const TccExpr *v = import_size(c, s->vocabulary), *of_batch[] = {s->batch, v};
  if (!import_require_shape(c, &shape, rank, rank == 1 ? &v : of_batch, name)) return false;
  if (tcc_elem_is_float(shape.elem)) return import_invalid(c, "%s of %s", name, tcc_elem_name(shape.elem));
  *out = tcc_build_compare(&c->b, "ne", tcc_build_convert(&c->b, x, TCC_ELEM_I32), search_token(s, 0));
  return out->ptr != NULL;
}

/* The number of tokens that the decoder knows, or fewer that the node says. */
static bool read_vocabulary(Search *s) {
  ImportCall *c = s->c;
  const TccOnnxGraph *decoder = onnx_graph(c, "decoder");
  if (!decoder) return false;
  s->vocabulary = onnx_int(c, "vocab_size", -1);
  if (s->vocabulary < 1) {
    const TccOnnxType *type = decoder->output.count ? decoder->output.data[0].type : NULL;
    const TccOnnxTensorType *logits = type ? type->tensor_type : NULL;
    if (!logits || !logits->shape || logits->shape->dim.count != 3 || logits->shape->dim.data[2].kind != TCC_ONNX_DIM_VALUE)
      return import_invalid(c, "the last size of the decoder's logits must be a number, or vocab_size given");
    s->vocabulary = logits->shape->dim.data[2].dim_value;
  }
  if (s->vocabulary < (s->beams_meet ? 2 : 1) || s->vocabulary > INT32_MAX / 4)
    return import_invalid(c, "a vocabulary of %lld tokens", (long long)s->vocabulary);
  return true;
}

static bool token_attribute(Search *s, const char *name, bool required, int64_t *out) {
  if (required && !onnx_has_attribute(s->c, name)) return import_invalid(s->c, "attribute '%s' is missing", name);
  *out = onnx_int(s->c, name, -1);
  return (*out >= -1 && *out <= INT32_MAX) || import_invalid(s->c, "%s is %lld", name, (long long)*out);
}

static bool read_attributes(Search *s) {
  ImportCall *c = s->c;
  enum { MOST_NGRAM = 64 };
  s->model = (int)onnx_int(c, "model_type", s->kind == SEARCH_WHISPER ? MODEL_WHISPER : MODEL_DECODER);
  if (s->model != MODEL_DECODER && !(s->kind == SEARCH_BEAM && s->model == MODEL_ENCODER_DECODER) &&
      !(s->kind == SEARCH_WHISPER && s->model == MODEL_WHISPER))
    return import_unsupported(c, "model_type %d", s->model);
  if (s->kind == SEARCH_WHISPER && s->model != MODEL_WHISPER) return import_invalid(c, "model_type %d", s->model);
  s->ngram = onnx_int(c, "no_repeat_ngram_size", 0);
  if (s->ngram > MOST_NGRAM) return import_unsupported(c, "n-grams of %lld tokens", (long long)s->ngram);
  s->early = onnx_int(c, "early_stopping", 0) == 1;
  return token_attribute(s, "pad_token_id", true, &s->pad) && token_attribute(s, "eos_token_id", true, &s->eos) &&
         token_attribute(s, "decoder_start_token_id", false, &s->start);
}

/* ---- inputs ---- */
static bool read_texts(Search *s) {
  ImportCall *c = s->c;
  ImportShape ids = import_shape(c, import_input(c, 0));
  const bool sound = s->model == MODEL_WHISPER;
  if (ids.rank != (sound ? 3 : 2)) return import_invalid(c, "input_ids of rank %d", ids.rank);
  if (!sound && ids.elem != TCC_ELEM_I32) return import_invalid(c, "input_ids of %s", tcc_elem_name(ids.elem));
  s->batch = ids.dims[0];
  s->prompt = s->model == MODEL_DECODER ? ids.dims[1] : import_size(c, 1);
  if (sound && import_has_input(c, 10)) {
    ImportShape begin = import_shape(c, import_input(c, 10));
    const TccExpr *rows[] = {s->batch, NULL};
    if (!import_require_shape(c, &begin, 2, rows, "decoder_input_ids")) return false;
    s->prompt = begin.dims[1];
  } else if (s->model != MODEL_DECODER && s->start < 0) {
    return import_invalid(c, "decoder_start_token_id is missing");
  }
  s->rows = import_size_mul(c, s->batch, import_size(c, s->beams));
  const int at = s->beams_meet ? 9 : 6;
  if (!given(c, at) || sound) return true;
  ImportShape shape = import_shape(c, import_input(c, (size_t)at));
  return import_require_shape(c, &shape, 2, ids.dims, "attention_mask");
}

/* A penalty that must be greater than 0. */
static bool positive(Search *s, int input, const char *name, MlirValue *out) {
  ImportCall *c = s->c;
  *out = one(c, input, TCC_ELEM_F32, name);
  if (!out->ptr) return !c->reason;
  size_t n;
  const double *known = import_known_reals(c, *out, &n);
  if (known && n == 1 && !(known[0] > 0)) return import_invalid(c, "%s is %g", name, known[0]);
  MlirValue holds = tcc_build_compare(&c->b, "gt", *out, tcc_build_scalar(&c->b, TCC_ELEM_F32, 0));
  *out = import_assert(c, *out, holds, tcc_str(tcc_arena_printf(import_arena(c), "%s must be greater than 0", name)));
  return out->ptr != NULL;
}

static bool read_inputs(Search *s, const Places *at) {
  ImportCall *c = s->c;
  if (!constant(c, at->beams, 1, 1, "num_beams", &s->beams) || !read_texts(s)) return false;
  if (s->beams > INT32_MAX / 4 / s->vocabulary) return import_unsupported(c, "%lld beams", (long long)s->beams);
  if (!size(c, at->length, 4096, "max_length", &s->length) || !size(c, at->returned, 1, "num_return_sequences", &s->returned))
    return false;
  if (!import_require_at_most(c, import_size_add(c, s->prompt, import_size(c, 1)), s->length, "max_length")) return false;
  if (!import_require_at_most(c, s->returned, import_size(c, s->beams), "num_return_sequences") ||
      !import_require_at_most(c, import_size(c, 1), s->returned, "num_return_sequences"))
    return false;
  s->least = one(c, at->least, TCC_ELEM_I64, "min_length");
  s->length_penalty = one(c, at->length_penalty, TCC_ELEM_F32, "length_penalty");
  if (c->reason || !positive(s, at->repetition, "repetition_penalty", &s->repetition)) return false;
  return mask(s, at->allowed, 1, "vocab_mask", &s->allowed) &&
         mask(s, at->first_allowed, 2, "prefix_vocab_mask", &s->first_allowed);
}

/* Tokens of Whisper's that its rules for timestamps name. */
static bool read_stamps(Search *s, int64_t processor) {
  const struct {
    const char *name;
    int64_t *out;
  } tokens[] = {{"beginning_timestamp_token_id", &s->stamps.first},
                {"no_timestamps_token_id", &s->stamps.none},
                {"start_of_lm_token_id", &s->stamps.language},
                {"translate_token_id", &s->stamps.translate},
                {"transcribe_token_id", &s->stamps.transcribe}};
  if (processor != 1) return import_unsupported(s->c, "logits_processor %lld", (long long)processor);
  for (size_t i = 0; i < sizeof tokens / sizeof *tokens; i++)
    if (!token_attribute(s, tokens[i].name, true, tokens[i].out)) return false;
  s->has_stamps = true;
  return true;
}

/* What the beam searches have, or do not. */
static bool read_beams(Search *s, const Places *at) {
  ImportCall *c = s->c;
  int64_t processor;
  if (s->kind == SEARCH_WHISPER && onnx_int(c, "decoder_output_cross_qk", 0))
    return import_unsupported(c, "decoder_output_cross_qk");
  for (size_t i = 12; i <= 13; i++)
    if (import_has_input(c, i)) return import_unsupported(c, "%s", i == 12 ? "cross_qk_layer_head" : "extra_decoding_ids");
  if (s->model != MODEL_WHISPER && import_has_input(c, 10)) return import_unsupported(c, "decoder_input_ids");
  for (size_t i = 3; i <= 4; i++)
    if (import_has_output(c, i)) return import_unsupported(c, "%s", i == 3 ? "cross_qk" : "non_speech_probs");
  if (!constant(c, at->processor, 0, 0, "logits_processor", &processor)) return false;
  if (processor && s->model == MODEL_WHISPER && !read_stamps(s, processor)) return false;
  return positive(s, at->temperature, "temperature", &s->temperature);
}

/* ---- sampling ---- */
/* Numbers for all draws: of `seed` always the same, else of the model's stream. */
static bool read_uniform(Search *s) {
  ImportCall *c = s->c;
  const TccExpr *dims[] = {import_size_sub(c, s->length, s->prompt), s->rows};
  ImportStream stream;
  if (import_has_input(c, 8)) {
    stream = (ImportStream){one(c, 8, TCC_ELEM_I64, "seed"), search_number(s, 0)};
    if (!stream.seed.ptr) return false;
  } else if (!import_stream(c, &stream)) {
    return false;
  }
  s->uniform = import_random_uniform(c, &stream, TCC_ELEM_F32, 2, dims);
  return s->uniform.ptr != NULL;
}

static bool read_sampling(Search *s) {
  ImportCall *c = s->c;
  double temperature = onnx_float(c, "temperature", 1);
  s->top_p = onnx_float(c, "top_p", 0);
  s->filter = onnx_float(c, "filter_value", -INFINITY);
  s->presence_penalty = onnx_float(c, "presence_penalty", 0);
  s->kept = onnx_int(c, "min_tokens_to_keep", 0);
  s->custom = onnx_int(c, "custom", 0) == 1;
  if (s->kept < 0 || s->kept > s->vocabulary) return import_invalid(c, "min_tokens_to_keep is %lld", (long long)s->kept);
  if (temperature > 0 && temperature != 1) s->temperature = tcc_build_scalar(&c->b, TCC_ELEM_F32, temperature);
  if (import_has_input(c, 7)) {
    ImportShape shape = import_shape(c, import_input(c, 7));
    const TccExpr *dims[] = {s->batch, import_size(c, s->vocabulary)};
    if (!import_require_shape(c, &shape, 2, dims, "presence_mask")) return false;
    s->presence = tcc_build_convert(&c->b, import_input(c, 7), TCC_ELEM_F32);
    if (!s->presence.ptr) return false;
  }
  return read_uniform(s);
}

/* ---- the loop ---- */
/* trips calls more at most: state as it is afterwards. */
static bool run_loop(const Search *s, const TccExpr *past, SearchState *state) {
  ImportCall *c = s->c;
  const size_t most = AT_CACHES + state->caches;
  MlirValue *initial = TCC_NEW_ARRAY(import_arena(c), MlirValue, most + 1),
            *results = TCC_NEW_ARRAY(import_arena(c), MlirValue, most + 1);
  MlirValue *out = TCC_NEW_ARRAY(import_arena(c), MlirValue, most + 1);
  SearchState *body = TCC_NEW(import_arena(c), SearchState);
  const TccExpr *written =
      s->model == MODEL_DECODER ? import_size_add(c, s->prompt, import_size(c, 1)) : import_size_add(c, past, import_size(c, 1));
  const TccExpr *trips = import_size_sub(c, s->length, written);
  ImportBody loop;
  size_t n = 0;
  *body = *state;
  import_body_open(c, &loop);
  for (size_t i = 0; i < most; i++) {
    if (!state->at[i].ptr) continue;
    initial[n++] = state->at[i];
    body->at[i] = import_body_argument(c, &loop, tcc_value_type(state->at[i]));
  }
  MlirValue before = tcc_build2_number(&c->b, TCC_OP_SUB, body->at[AT_LENGTH], 1);
  bool ok = search_step_model(s, past, before, body);
  n = 0;
  for (size_t i = 0; i < most; i++)
    if (state->at[i].ptr) results[n++] = body->at[i];
  ok = ok && import_body_close(c, &loop, n, initial, results, trips, true, out);
  if (!ok) {
    import_body_drop(c, &loop, false);
    return false;
  }
  n = 0;
  for (size_t i = 0; i < most; i++)
    if (state->at[i].ptr) state->at[i] = out[n++];
  return true;
}

bool onnx_op_text_search(ImportCall *c) {
  Search *s = TCC_NEW(import_arena(c), Search);
  *s = (Search){.c = c, .kind = c->kind, .beams_meet = c->kind >= SEARCH_BEAM, .beams = 1};
  const Places *at = c->kind == SEARCH_WHISPER ? &of_whisper : s->beams_meet ? &of_beams : &of_greedy;
  const TccExpr *past;
  if (!import_need(c, 1) || !read_attributes(s) || !read_vocabulary(s)) return false;
  if (!read_inputs(s, at) || (s->beams_meet && !read_beams(s, at))) return false;
  if (s->kind == SEARCH_SAMPLING && !read_sampling(s)) return false;
  SearchState *state = TCC_NEW(import_arena(c), SearchState);
  *state = (SearchState){0};
  state->at[AT_GO] = tcc_build_scalar_i64(&c->b, TCC_ELEM_BOOL, 1);
  if (!search_begin_model(s, state, &past) || !run_loop(s, past, state)) return false;
  if (s->beams_meet) return search_finish_beams(s, state);
  if (import_has_output(c, 1) && !import_output(c, 1, state->at[AT_LOGITS])) return false;
  return import_output(c, 0, state->at[AT_TEXTS]);
}

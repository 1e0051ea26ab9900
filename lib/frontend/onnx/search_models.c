/* search_models.c - the graphs that a search asks for logits: a decoder alone (GPT-2), or an encoder and a decoder (T5, Whisper).
 *
 * The first call, of all tokens that a text begins with, stands in front of the loop; one more token a call in its body. There the decoder's
 * caches lie at the end of room for all tokens (lib/frontend/import/grown.h), so that each iteration has the same sizes, and each drops the
 * oldest place. Graphs are as onnxruntime's convert_generation makes them, by the order of their inputs and outputs. */
#include "lib/frontend/import/grown.h"
#include "lib/frontend/onnx/search.h"
#include "tcc/op_kinds.h"

enum { MOST_INPUTS = SEARCH_MOST_CACHES + 8 };

static ImportValue tensor(MlirValue v) { return (ImportValue){.kind = IMPORT_TENSOR, .tensor = v}; }
static MlirValue none(void) { return (MlirValue){NULL}; }

/* x [batch, ...] for each row. */
static MlirValue for_rows(const Search *s, MlirValue x) {
  ImportCall *c = s->c;
  ImportShape wide = import_shape(c, x), flat = wide;
  if (!x.ptr || s->beams == 1) return x;
  if (wide.rank < 1 || wide.rank == TCC_MAX_RANK) {
    import_invalid(c, "a tensor of a batch has rank %d", wide.rank);
    return none();
  }
  for (int i = wide.rank++; i > 1; i--) wide.dims[i] = wide.dims[i - 1];
  wide.dims[1] = import_size(c, s->beams);
  flat.dims[0] = s->rows;
  return tcc_build_reshape(&c->b, tcc_build_broadcast(&c->b, import_unsqueeze(c, x, 1), wide.rank, wide.dims), flat.rank,
                           flat.dims);
}

static MlirValue as_token(const Search *s, MlirValue x) { return tcc_build_convert(&s->c->b, x, TCC_ELEM_I32); }

static MlirValue cumulative(const Search *s, MlirValue x, const char *kind, bool exclusive) {
  TccNamedAttr attrs[] = {{"kind", tcc_attr_str(s->c->ir, tcc_str(kind))},
                          {"axis", tcc_attr_i64(s->c->ir, 1)},
                          {"exclusive", tcc_attr_bool(s->c->ir, exclusive)}};
  return x.ptr ? import_op(s->c, TCC_OP_CUMULATIVE, &x, 1, attrs, 3) : x;
}

/* A graph whose results are all tensors. */
static bool call(const Search *s, const TccOnnxGraph *graph, const ImportValue *in, MlirValue *out) {
  ImportCall *c = s->c;
  size_t n = graph->output.count;
  ImportValue *values = TCC_NEW_ARRAY(import_arena(c), ImportValue, n + 1);
  if (!onnx_subgraph(c, graph, in, graph->input.count, values, n)) return false;
  for (size_t i = 0; i < n; i++) {
    if (values[i].kind != IMPORT_TENSOR) return import_invalid(c, "output %zu of a subgraph is no tensor", i);
    out[i] = values[i].tensor;
  }
  return true;
}

/* ---- caches ---- */
static int axis_of(const Search *s) { return s->model == MODEL_DECODER ? 3 : 2; } /* along which they grow */
static int rows_of(const Search *s) { return s->model == MODEL_DECODER ? 1 : 0; }

static const TccExpr *room(const Search *s) { return import_size_sub(s->c, s->length, import_size(s->c, 1)); }

/* x, of `size` places along the axis, at the end of room for `to`. */
static MlirValue at_end(const Search *s, MlirValue x, int axis, const TccExpr *size, const TccExpr *to) {
  ImportCall *c = s->c;
  ImportShape shape = import_shape(c, x);
  const TccExpr *low[TCC_MAX_RANK], *high[TCC_MAX_RANK];
  if (!x.ptr || axis >= shape.rank) {
    if (x.ptr) import_invalid(c, "a cache of rank %d", shape.rank);
    return none();
  }
  if (!import_require_equal(c, shape.dims[axis], size, "tokens of a cache")) return none();
  for (int i = 0; i < shape.rank; i++) low[i] = high[i] = import_size(c, 0);
  low[axis] = import_size_sub(c, to, size);
  return tcc_build_pad(&c->b, x, none(), low, high, "constant");
}

static bool keep_caches(const Search *s, const MlirValue *presents, size_t count, const TccExpr *size, SearchState *state) {
  if (count > SEARCH_MOST_CACHES) return import_unsupported(s->c, "%zu caches", count);
  state->caches = count;
  for (size_t i = 0; i < count; i++) {
    state->at[AT_CACHES + i] = at_end(s, presents[i], axis_of(s), size, room(s));
    if (!state->at[AT_CACHES + i].ptr) return false;
  }
  return true;
}

/* Constant sizes of an input's or output's type: of `rank` axes, as many as `count`. */
static bool sizes_of(const Search *s, const TccOnnxValueInfo *info, size_t rank, const size_t *axes, size_t count, int64_t *out) {
  const TccOnnxTensorType *type = info->type ? info->type->tensor_type : NULL;
  if (!type || !type->shape || type->shape->dim.count != rank)
    return import_invalid(s->c, "'%.*s' of a subgraph must have rank %zu", TCC_STR_ARG(info->name), rank);
  for (size_t i = 0; i < count; i++) {
    const TccOnnxDim *dim = &type->shape->dim.data[axes[i]];
    if (dim->kind != TCC_ONNX_DIM_VALUE || dim->dim_value < 1)
      return import_invalid(s->c, "axis %zu of '%.*s' of a subgraph must be a number", axes[i], TCC_STR_ARG(info->name));
    out[i] = dim->dim_value;
  }
  return true;
}

/* No tokens yet. */
static MlirValue empty(const Search *s, const ImportShape *shape) {
  MlirValue zero = tcc_build_scalar(&s->c->b, shape->elem, 0);
  return tcc_build_broadcast(&s->c->b, zero, shape->rank, shape->dims);
}

static TccElem elem_of(const TccOnnxValueInfo *info) {
  TccElem elem = info->type && info->type->tensor_type ? info->type->tensor_type->elem : TCC_ELEM_NONE;
  return tcc_elem_is_float(elem) ? elem : TCC_ELEM_F32;
}

/* ---- a decoder alone ---- */
enum { IDS, POSITIONS, MASK, PAST };

static bool check_decoder(const Search *s, const TccOnnxGraph *graph) {
  size_t in = graph->input.count, out = graph->output.count;
  if (out < 2) return import_invalid(s->c, "a decoder must have outputs logits and present_0");
  if (in == out + 3 || in == out + 4) return import_unsupported(s->c, "past and present in one buffer");
  return in == out + 2 || import_invalid(s->c, "a decoder with %zu outputs must have %zu inputs, not %zu", out, out + 2, in);
}

/* Masks and positions of the tokens that texts begin with: pads have neither, but the node may be given a mask. */
static void places(const Search *s, MlirValue ids, MlirValue *mask, MlirValue *positions, MlirValue *count) {
  ImportCall *c = s->c;
  const size_t given = s->beams_meet ? 9 : 6;
  const int64_t axis = 1;
  MlirValue words = tcc_build_compare(&c->b, "ne", ids, search_token(s, s->pad)), held = as_token(s, words);
  *mask = import_has_input(c, given) ? for_rows(s, as_token(s, import_input(c, given))) : held;
  *positions = tcc_build_select(&c->b, words, cumulative(s, held, "sum", true), search_token(s, 0));
  *count = tcc_build_reduce(&c->b, "sum", held, &axis, 1, true);
}

/* i32 [rows, length]: what a text begins with, and pads. */
static MlirValue with_pads(const Search *s, MlirValue ids) {
  ImportCall *c = s->c;
  const TccExpr *zero = import_size(c, 0), *low[] = {zero, zero}, *high[] = {zero, import_size_sub(c, s->length, s->prompt)};
  return tcc_build_pad(&c->b, ids, search_token(s, s->pad), low, high, "constant");
}

static bool begin_decoder(const Search *s, SearchState *state) {
  ImportCall *c = s->c;
  static const size_t heads[] = {0, 2, 4};
  const TccOnnxGraph *decoder = onnx_graph(c, "decoder"), *first = decoder;
  int64_t sizes[3];
  if (!decoder || !check_decoder(s, decoder)) return false;
  if (onnx_has_attribute(c, "init_decoder")) first = onnx_graph(c, "init_decoder");
  if (!first || !check_decoder(s, first)) return false;
  if (first->output.count != decoder->output.count) return import_invalid(c, "init_decoder has other caches than decoder");
  const TccOnnxValueInfo *past = &decoder->input.data[PAST];
  if (!sizes_of(s, past, 5, heads, 3, sizes)) return false;
  ImportShape shape = {
      elem_of(past), 5, {import_size(c, 2), s->rows, import_size(c, sizes[1]), import_size(c, 0), import_size(c, sizes[2])}};
  size_t n = decoder->output.count;
  ImportValue *in = TCC_NEW_ARRAY(import_arena(c), ImportValue, first->input.count + 1);
  MlirValue *out = TCC_NEW_ARRAY(import_arena(c), MlirValue, n + 1), ids = for_rows(s, import_input(c, 0)), mask, positions, count;
  places(s, ids, &mask, &positions, &count);
  in[IDS] = tensor(ids), in[POSITIONS] = tensor(positions), in[MASK] = tensor(mask);
  for (size_t i = PAST; i < first->input.count; i++) in[i] = tensor(empty(s, &shape));
  if (!mask.ptr || !positions.ptr || !call(s, first, in, out)) return false;
  state->at[AT_LENGTH] = tcc_build_size(&c->b, s->prompt);
  state->at[AT_TEXTS] = with_pads(s, ids);
  state->at[AT_POSITIONS] = count;
  const TccExpr *one = import_size(c, 1), *dims[] = {s->rows, one};
  MlirValue more[] = {mask, tcc_build_broadcast(&c->b, search_token(s, 1), 2, dims)};
  state->at[AT_MASK] = at_end(s, tcc_build_concat(&c->b, more, 2, 1), 1, import_size_add(c, s->prompt, one), s->length);
  if (!state->at[AT_TEXTS].ptr || !state->at[AT_MASK].ptr || !keep_caches(s, out + 1, n - 1, s->prompt, state)) return false;
  return s->beams_meet ? search_begin_beams(s, state) && search_take_beams(s, out[0], true, true, state)
                       : search_take(s, out[0], true, state);
}

/* ---- an encoder and a decoder ---- */
/* Pads in front of a text have no mask, unless the node is given one. */
static MlirValue encoder_mask(const Search *s) {
  ImportCall *c = s->c;
  if (import_has_input(c, 9)) return as_token(s, import_input(c, 9));
  MlirValue pads = tcc_build_compare(&c->b, "ne", import_input(c, 0), search_token(s, s->pad));
  return cumulative(s, as_token(s, pads), "max", false);
}

/* How many inputs of a decoder stand in front of its caches. */
static size_t before_caches(const Search *s, const TccOnnxGraph *decoder) {
  size_t n = s->model == MODEL_WHISPER ? 1 : 2;
  return n + (decoder->input.count > n && tcc_str_is(decoder->input.data[n].name, "encoder_hidden_states"));
}

static bool check_pair(const Search *s, const TccOnnxGraph *encoder, const TccOnnxGraph *decoder, bool starts) {
  ImportCall *c = s->c;
  size_t caches = decoder->output.count ? decoder->output.count - 1 : 0, first = before_caches(s, decoder);
  const TccOnnxTensorType *ids =
      decoder->input.count && decoder->input.data[0].type ? decoder->input.data[0].type->tensor_type : NULL;
  if (!caches || caches % 2) return import_invalid(c, "a decoder must have outputs logits, and keys and values of each layer");
  const size_t more = decoder->input.count - first - 2 * caches;
  if (decoder->input.count < first + 2 * caches || (more != 0 && more != 1 && more != 3))
    return import_invalid(c, "a decoder with %zu outputs must have %zu inputs, not %zu", decoder->output.count, first + 2 * caches,
                          decoder->input.count);
  size_t made = starts ? 2 + 2 * caches : caches;
  if (encoder->output.count != made)
    return import_invalid(c, "an encoder of %zu inputs must have %zu outputs beside this decoder, not %zu", encoder->input.count,
                          made, encoder->output.count);
  if (!ids || !ids->shape || ids->shape->dim.count != 2 || ids->shape->dim.data[1].kind != TCC_ONNX_DIM_VALUE ||
      ids->shape->dim.data[1].dim_value != 1)
    return import_unsupported(c, "a decoder that reads all tokens of a text, whose input_ids are not [batch, 1]");
  return true;
}

/* What the text of a batch begins with: i32 [batch, prompt]. */
static MlirValue begin_text(const Search *s) {
  const TccExpr *dims[] = {s->batch, s->prompt};
  if (s->model == MODEL_WHISPER && import_has_input(s->c, 10)) return as_token(s, import_input(s->c, 10));
  return tcc_build_broadcast(&s->c->b, search_token(s, s->start), 2, dims);
}

/* The decoder's inputs that stay: the encoder's mask, its hidden states, its keys and values. */
static bool keep_constants(const Search *s, const TccOnnxGraph *decoder, MlirValue mask, const MlirValue *out, bool starts,
                           SearchState *state) {
  const size_t caches = decoder->output.count - 1, given = s->model == MODEL_WHISPER ? 1 : 2;
  MlirValue *constant = TCC_NEW_ARRAY(import_arena(s->c), MlirValue, caches + 3);
  size_t n = 0;
  if (given == 2) constant[n++] = for_rows(s, mask);
  if (before_caches(s, decoder) > given) {
    if (!starts) return import_invalid(s->c, "an encoder that gives no encoder_hidden_states");
    constant[n++] = for_rows(s, out[1]);
  }
  for (size_t i = 0; i < caches; i++) constant[n++] = out[starts ? 2 + caches + i : i];
  state->constant = constant;
  return true;
}

static bool begin_pair(const Search *s, SearchState *state, const TccExpr **out_past) {
  ImportCall *c = s->c;
  const TccOnnxGraph *encoder = onnx_graph(c, "encoder"), *decoder = onnx_graph(c, "decoder");
  if (!encoder || !decoder) return false;
  const size_t given = s->model == MODEL_WHISPER ? 1 : 2;
  const bool starts = encoder->input.count == given + 1;
  if (!starts && (encoder->input.count != 2 || s->model == MODEL_WHISPER))
    return import_invalid(c, "an encoder of %zu inputs", encoder->input.count);
  if (!check_pair(s, encoder, decoder, starts)) return false;
  ImportValue in[3] = {tensor(import_input(c, 0))};
  MlirValue ids = begin_text(s), *out = TCC_NEW_ARRAY(import_arena(c), MlirValue, encoder->output.count + 1);
  if (given == 2) in[1] = tensor(encoder_mask(s));
  if (starts) in[given] = tensor(ids);
  if (!ids.ptr || (given == 2 && !in[1].tensor.ptr) || !call(s, encoder, in, out)) return false;
  const size_t caches = decoder->output.count - 1;
  for (size_t i = starts ? 2 : 0; i < encoder->output.count; i++)
    if (!(out[i] = for_rows(s, out[i])).ptr) return false;
  state->at[AT_LENGTH] = tcc_build_size(&c->b, s->prompt);
  state->at[AT_TEXTS] = with_pads(s, for_rows(s, ids));
  *out_past = starts ? s->prompt : import_size(c, 0);
  MlirValue *self = out + 2;
  if (!keep_constants(s, decoder, in[1].tensor, out, starts, state)) return false;
  if (!starts) { /* no tokens of the decoder's yet: caches of the sizes that those of the encoder's have */
    self = TCC_NEW_ARRAY(import_arena(c), MlirValue, caches + 1);
    for (size_t i = 0; i < caches; i++) {
      ImportShape shape = import_shape(c, out[i]);
      if (shape.rank != 4) return import_invalid(c, "keys of rank %d", shape.rank);
      shape.dims[2] = import_size(c, 0);
      self[i] = empty(s, &shape);
    }
  }
  if (!state->at[AT_TEXTS].ptr || !keep_caches(s, self, caches, *out_past, state) || !search_begin_beams(s, state)) return false;
  if (starts) return search_take_beams(s, out[0], true, false, state);
  state->at[AT_TOKENS] = tcc_build_reshape(&c->b, for_rows(s, ids), 1, &s->rows);
  return state->at[AT_TOKENS].ptr != NULL;
}

bool search_begin_model(const Search *s, SearchState *state, const TccExpr **out_past) {
  *out_past = s->prompt;
  return s->model == MODEL_DECODER ? begin_decoder(s, state) : begin_pair(s, state, out_past);
}

/* ---- another token ---- */
/* The type of a value whose axis has the sum in place of its size. */
static MlirType with_size(const Search *s, MlirValue x, int axis, const TccExpr *size) {
  ImportShape shape = import_shape(s->c, x);
  shape.dims[axis] = size;
  return tcc_tensor_type(s->c->ir, shape.elem, shape.rank, shape.dims);
}

typedef struct {
  MlirValue arguments[MOST_INPUTS]; /* in place of the body's */
  size_t count;
  ImportBody body;
} Growing;

/* An argument of the body, `size` long along the axis, in place of which x stands. */
static ImportValue grows(const Search *s, Growing *g, MlirValue x, int axis, const TccExpr *size) {
  g->arguments[g->count++] = x;
  return tensor(import_body_argument(s->c, &g->body, with_size(s, x, axis, size)));
}

/* What a decoder has whose past and present share a buffer: past_sequence_length; beam_width and cache_indirection. Its buffers are caches here
 * that become longer (past_grows), and rows have their own ones, so that nothing is indirect. */
static void feed_buffers(const Search *s, const TccExpr *past, ImportValue *in, size_t count) {
  const TccExpr *beams = import_size(s->c, s->beams);
  in[0] = tensor(as_token(s, tcc_build_sizes(&s->c->b, &past, 1)));
  if (count < 3) return;
  in[1] = tensor(as_token(s, tcc_build_sizes(&s->c->b, &beams, 1)));
  in[2] = (ImportValue){.kind = IMPORT_ABSENT};
}

/* Inputs of the decoder beside its own caches. */
static size_t feed(const Search *s, Growing *g, const TccOnnxGraph *decoder, const TccExpr *past, const SearchState *state,
                   ImportValue *in) {
  const MlirValue *constant = state->constant;
  const TccExpr *dims[] = {s->rows, import_size(s->c, 1)};
  in[IDS] = tensor(tcc_build_reshape(&s->c->b, state->at[AT_TOKENS], 2, dims));
  if (s->model == MODEL_DECODER) {
    in[POSITIONS] = tensor(state->at[AT_POSITIONS]);
    in[MASK] = grows(s, g, state->at[AT_MASK], 1, import_size_add(s->c, past, import_size(s->c, 1)));
    return PAST;
  }
  size_t n = before_caches(s, decoder);
  for (size_t i = 1; i < n; i++) in[i] = tensor(*constant++);
  const size_t cross = n + state->caches, behind = cross + state->caches;
  for (size_t i = cross; i < behind; i++) in[i] = tensor(*constant++);
  if (behind < decoder->input.count) feed_buffers(s, past, in + behind, decoder->input.count - behind);
  return n;
}

static bool decode(const Search *s, const TccExpr *least, MlirValue past, const SearchState *state, MlirValue *out) {
  ImportCall *c = s->c;
  const TccOnnxGraph *decoder = onnx_graph(c, "decoder");
  const TccExpr *symbol = tcc_expr_fresh(c->ir->exprs, "past");
  ImportGrowth growth = {symbol, least, room(s), tcc_build2(&c->b, TCC_OP_SUB, tcc_build_size(&c->b, room(s)), past)};
  Growing *g = TCC_NEW(import_arena(c), Growing);
  ImportValue *in = TCC_NEW_ARRAY(import_arena(c), ImportValue, decoder->input.count + 1);
  MlirValue *made = TCC_NEW_ARRAY(import_arena(c), MlirValue, decoder->output.count + 1);
  import_body_open(c, &g->body);
  size_t first = feed(s, g, decoder, symbol, state, in);
  for (size_t i = 0; i < state->caches; i++) in[first + i] = grows(s, g, state->at[AT_CACHES + i], axis_of(s), symbol);
  const TccExpr *outer = c->importer->growing;
  c->importer->growing = symbol;
  bool ok = growth.absent.ptr && call(s, decoder, in, made);
  c->importer->growing = outer;
  for (size_t i = 0; ok && i < state->caches; i++) {
    ImportShape shape = import_shape(c, made[1 + i]);
    const TccExpr *size = import_size_add(c, symbol, import_size(c, 1));
    ok = shape.rank > axis_of(s) && tcc_expr_known_equal(shape.dims[axis_of(s)], size);
    if (!ok) import_invalid(c, "a cache that the decoder gives is not the one it was given and a token more");
  }
  if (!ok) import_body_drop(c, &g->body, false);
  return ok && import_grown(c, &growth, &g->body, g->arguments, decoder->output.count, made, out);
}

bool search_step_model(const Search *s, const TccExpr *least, MlirValue past, SearchState *state) {
  ImportCall *c = s->c;
  const TccExpr *one = import_size(c, 1), *dims[] = {s->rows, one};
  MlirValue *out = TCC_NEW_ARRAY(import_arena(c), MlirValue, state->caches + 2);
  import_uncertain(c, 1);
  bool ok = decode(s, least, past, state, out);
  import_uncertain(c, -1);
  if (!ok || !(s->beams_meet ? search_take_beams(s, out[0], false, true, state) : search_take(s, out[0], false, state)))
    return false;
  for (size_t i = 0; i < state->caches; i++) {
    MlirValue kept = tcc_build_slice_axis(&c->b, out[1 + i], axis_of(s), one, 1, room(s));
    state->at[AT_CACHES + i] = state->from.ptr && s->beams > 1 ? tcc_build_gather(&c->b, kept, state->from, rows_of(s)) : kept;
  }
  if (s->model != MODEL_DECODER) return true;
  MlirValue more[] = {tcc_build_slice_axis(&c->b, state->at[AT_MASK], 1, one, 1, room(s)),
                      tcc_build_broadcast(&c->b, search_token(s, 1), 2, dims)};
  state->at[AT_MASK] = tcc_build_concat(&c->b, more, 2, 1);
  state->at[AT_POSITIONS] = tcc_build2_number(&c->b, TCC_OP_ADD, state->at[AT_POSITIONS], 1);
  return state->at[AT_MASK].ptr && state->at[AT_POSITIONS].ptr;
}

/* search.h - what the files of GreedySearch, Sampling and the beam searches share (ops_contrib_search.c).
 *
 * Rows are texts that are written: one, or one a beam, for each of the batch. */
#ifndef TCC_ONNX_SEARCH_H
#define TCC_ONNX_SEARCH_H
#include "lib/frontend/onnx/ops.h"

enum { MODEL_DECODER, MODEL_ENCODER_DECODER, MODEL_WHISPER }; /* model_type */

/* Attributes and inputs of the node. */
typedef struct {
  ImportCall *c;
  int kind, model;
  bool beams_meet; /* there are hypotheses: a beam search */
  int64_t vocabulary, pad, eos, ngram, beams, start;
  const TccExpr *batch, *rows, *prompt, *length, *returned; /* prompt: tokens that a text begins with; length: of all texts */
  MlirValue repetition, length_penalty, temperature;        /* f32 of rank 0, or null */
  MlirValue least;                                          /* i64 of rank 0: eos is not taken of shorter texts; null: 0 */
  MlirValue allowed, first_allowed, presence;               /* bool [V], bool [B, V], f32 [B, V], or null */
  bool early, has_stamps;                                   /* has_stamps: Whisper's rules for timestamps hold */
  struct {
    int64_t first, none, language, translate, transcribe; /* tokens: from `first` on, timestamps */
  } stamps;
  double top_p, filter, presence_penalty;
  int64_t kept;      /* tokens that sampling keeps in any case */
  bool custom;       /* of sampling: from the likeliest on */
  MlirValue uniform; /* f32 [length - prompt, rows] in [0, 1) */
} Search;

/* What the loop carries. Null entries are absent. */
enum {
  AT_GO,        /* bool: the search goes on */
  AT_LENGTH,    /* i64: of the texts */
  AT_TEXTS,     /* i32 [rows, length] */
  AT_TOKENS,    /* i32 [rows]: the last ones */
  AT_ENDED,     /* bool [rows], or of a beam search [batch] */
  AT_SCORES,    /* f32 [batch, beams]: of the texts */
  AT_COUNT,     /* i64 [batch]: hypotheses */
  AT_BEST,      /* f32 [batch, beams]: their scores, the best first */
  AT_FINISHED,  /* i32 [batch, beams, length]: they themselves */
  AT_ALL,       /* f32 [length - prompt, batch, beams, V]: the output `scores` */
  AT_LOGITS,    /* f32 [rows, V]: the output `filtered_logits` */
  AT_POSITIONS, /* i32 [rows, 1]: of the next token */
  AT_MASK,      /* i32 [rows, length]: the decoder's attention mask, at its end */
  AT_CACHES     /* these, and as many as there are */
};
enum { SEARCH_MOST_CACHES = 1024 };
typedef struct {
  MlirValue at[AT_CACHES + SEARCH_MOST_CACHES];
  size_t caches;
  const MlirValue *constant; /* inputs of the decoder that stay: the encoder's mask, hidden states, its caches; not carried */
  MlirValue from;            /* i32 or i64 [rows]: the row that each text goes on from; null: its own. Of the last step alone */
} SearchState;

/* ---- search_scores.c ---- */
/* scores f32 [rows, V] by the node's processors. first: nothing has been written. */
MlirValue search_process(const Search *s, MlirValue scores, MlirValue texts, MlirValue length, bool first);
/* As Whisper's timestamps ask for; search_timestamps.c. */
MlirValue search_stamped(const Search *s, MlirValue scores, MlirValue texts, MlirValue length);
/* Those of the last of logits [rows or batch, steps, V or more], as f32 [rows, V]; null after a reason. */
MlirValue search_last_logits(const Search *s, MlirValue logits);
/* The next token of each row, appended. row: of `uniform`, i64 of rank 0. */
bool search_take(const Search *s, MlirValue logits, bool first, SearchState *state);
/* ---- search_beams.c ---- */
bool search_begin_beams(const Search *s, SearchState *state);
bool search_take_beams(const Search *s, MlirValue logits, bool first, bool may_end, SearchState *state);
bool search_finish_beams(const Search *s, const SearchState *state);
/* ---- search_models.c ---- */
/* The first call, or calls, of the model: texts, caches and the first token if the model gives one. *out_past: how many tokens its caches have then. */
bool search_begin_model(const Search *s, SearchState *state, const TccExpr **out_past);
/* Another token, in the body of the loop. past: i64 of rank 0. */
bool search_step_model(const Search *s, const TccExpr *least, MlirValue past, SearchState *state);

/* ---- shorthands ---- */
static inline MlirValue search_number(const Search *s, int64_t value) {
  return tcc_build_scalar_i64(&s->c->b, TCC_ELEM_I64, value);
}
static inline MlirValue search_token(const Search *s, int64_t value) { return tcc_build_scalar_i64(&s->c->b, TCC_ELEM_I32, value); }
#endif

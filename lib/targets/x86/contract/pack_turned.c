/* pack_turned.c - see pack_turned.h.
 *
 * Numbers of 16 bits are turned as words of two: a vector of rows at one k and the vector at the next one become words, sixteen of which are a
 * square that is transposed in registers. Squares go along the rows, which lie side by side, one strip of a square's steps of k after the other; of
 * an image in blocks, whose steps of k lie side by side, along k in long strips: 7.5 GB/s of images in memory were read by short ones. */
#include "lib/targets/x86/contract/pack_turned.h"
#include "lib/codegen/emit/scalar.h"

typedef struct {
  TccKernelEmit *k;
  const TccMicroType *t;
  const TccPackSource *s;
  const TccPackCall *c;
  TccVal source, row, at; /* the batch entry at the first of the square's rows; that row; the first step of k */
  TccVal steps,
      strip; /* where each step of a strip of k is, in elements, steps that do not exist at the last that does; its first step */
  int64_t lda;
  bool whole;    /* all rows and steps exist */
  int64_t ahead; /* bytes to what is prefetched; 0: nothing */
} Square;

bool tcc_pack_turns_rows(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s) {
  int64_t across, along;
  if (t->engine != TCC_MICRO_TILES || t->k_group != 2 || t->packed_bytes != 2 || !tcc_micro_packs_as_is(t, s->view->elem))
    return false;
  if (!tcc_span_vectorizes(s->outer, t->lanes) || !tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->outer, s->tensor), &across) ||
      across != 1)
    return false;
  return !tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->k, s->tensor), &along) || along != 1;
}

/* A vector of rows at step `pair` of the square, as words; zeros where there is no such row or step. */
static TccVal load_half(const Square *q, TccVal step) {
  TccEmit *e = q->k->e;
  const char *half = tcc_emit_vector(e, "i16", q->t->lanes), *word = tcc_emit_vector(e, "i32", q->t->lanes);
  TccVal from = tcc_emit_gep(
      e, "i16", q->source,
      tcc_emit_load(e, "i64", tcc_emit_gep(e, "i64", q->steps, tcc_emit_add(e, tcc_emit_sub(e, q->at, q->strip), step))));
  if (q->ahead) tcc_emit_prefetch(e, tcc_emit_at(e, "i8", from, q->ahead), false, 3);
  if (q->whole) return tcc_emit_cast(e, "zext", half, word, tcc_emit_load(e, half, from));
  TccVal inside = tcc_emit_icmp(e, "slt", "i64", tcc_emit_add(e, q->at, step), q->c->kcount);
  TccVal exist = tcc_emit_select1(e, "i64", inside, tcc_emit_sub(e, q->c->count, q->row), tcc_emit_i64(e, 0));
  TccVal v = tcc_emit_masked_load(e, half, from, tcc_emit_mask(e, exist, q->t->lanes));
  return tcc_emit_cast(e, "zext", half, word, v);
}

static TccVal load_words(void *user, TccVal pair) {
  const Square *q = user;
  TccEmit *e = q->k->e;
  const char *word = tcc_emit_vector(e, "i32", q->t->lanes);
  TccVal step = tcc_emit_mul(e, pair, tcc_emit_i64(e, 2));
  TccVal low = load_half(q, step), high = load_half(q, tcc_emit_add(e, step, tcc_emit_i64(e, 1)));
  return tcc_emit_bin(e, "or", word, low, tcc_emit_bin(e, "shl", word, high, tcc_emit_int(e, word, 16)));
}

static void store_row(void *user, TccVal row, TccVal words) {
  const Square *q = user;
  TccEmit *e = q->k->e;
  TccVal to = tcc_emit_add(e, tcc_emit_mul(e, tcc_emit_add(e, q->row, row), tcc_emit_i64(e, q->lda)), q->at);
  tcc_emit_store(e, tcc_emit_vector(e, "i32", q->t->lanes), words, tcc_emit_gep(e, "i16", q->c->dst, to));
}

/* Bytes from a square to one that is turned when memory has answered, where steps of k share lines; else 0. */
static int64_t bytes_ahead(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s) {
  enum { LINE = 64, SQUARES = 4 };
  int64_t along;
  if (!tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->k, s->tensor), &along) || along <= 0) return 0;
  return 2 * along <= LINE ? SQUARES * 2 * along * 2 * t->lanes : 0;
}

/* `count` steps of k from the strip's first on: counted once for all rows, for it takes divisions where k goes in several steps. */
static void count_steps(const Square *q, TccVal count) {
  TccEmit *e = q->k->e;
  TccLoop step;
  TccVal last = tcc_emit_sub(e, q->c->kcount, tcc_emit_i64(e, 1));
  tcc_emit_for(e, &step, tcc_emit_i64(e, 0), count, 1, 0, NULL, NULL);
  TccVal k = tcc_emit_add(e, q->c->k0, tcc_emit_min(e, tcc_emit_add(e, q->strip, step.iv), last));
  tcc_emit_store(e, "i64", tcc_span_offset(q->k, q->s->k, q->s->tensor, k), tcc_emit_gep(e, "i64", q->steps, step.iv));
  tcc_emit_end_for(e, &step, NULL);
}

static void emit_square(Square *q, TccVal room) {
  TccEmit *e = q->k->e;
  const char *word = tcc_emit_vector(e, "i32", q->t->lanes);
  TccVal rows = tcc_emit_icmp(e, "sle", "i64", tcc_emit_add(e, q->row, tcc_emit_i64(e, q->t->lanes)), q->c->count),
         steps = tcc_emit_icmp(e, "sle", "i64", tcc_emit_add(e, q->at, tcc_emit_i64(e, 2 * q->t->lanes)), q->c->kcount);
  TccIf all;
  tcc_emit_if(e, &all, tcc_emit_bin(e, "and", "i1", rows, steps), 0, NULL);
  for (int whole = 1; whole >= 0; whole--) {
    q->whole = whole;
    tcc_emit_transpose_rows(e, word, room, &(TccTurnedRows){load_words, store_row, q});
    if (whole) tcc_emit_else(e, &all, NULL);
  }
  tcc_emit_end_if(e, &all, NULL);
}

void tcc_pack_turned_rows_emit(TccKernelEmit *k, const char *name, const TccMicroType *t, const TccPackSource *s, int64_t lda) {
  enum { STRIP = 512 };
  TccEmit *e = k->e;
  TccPackCall c;
  tcc_pack_open(k, name, &c);
  Square q = {k, t, s, &c, .lda = lda, .ahead = bytes_ahead(k, t, s)};
  const int64_t length = q.ahead ? STRIP : 2 * t->lanes;
  TccVal source = tcc_emit_gep(e, "i16", tcc_view_pointer(k, s->view), tcc_span_offset(k, s->batch, s->tensor, c.batch)),
         zero = tcc_emit_i64(e, 0), room = tcc_emit_alloca(e, tcc_emit_vector(e, "i32", t->lanes), tcc_emit_i64(e, 2 * t->lanes));
  TccLoop strip, at, row;
  q.steps = tcc_emit_alloca(e, "i64", tcc_emit_i64(e, length));
  tcc_emit_for(e, &strip, zero, c.kpadded, length, 0, NULL, NULL);
  TccVal end = tcc_emit_min(e, tcc_emit_add(e, strip.iv, tcc_emit_i64(e, length)), c.kpadded);
  q.strip = strip.iv;
  count_steps(&q, tcc_emit_sub(e, end, strip.iv));
  tcc_emit_for(e, &row, zero, c.padded, t->lanes, 0, NULL, NULL);
  q.row = row.iv;
  q.source = tcc_emit_gep(e, "i16", source, tcc_span_offset(k, s->outer, s->tensor, tcc_emit_add(e, c.outer, row.iv)));
  tcc_emit_for(e, &at, strip.iv, end, 2 * t->lanes, 0, NULL, NULL);
  q.at = at.iv;
  emit_square(&q, room);
  tcc_emit_end_for(e, &at, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &strip, NULL);
  tcc_emit_return(e, 0, NULL);
}

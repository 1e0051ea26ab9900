/* pack_turned.c - see pack_turned.h.
 *
 * Numbers of 16 bits are turned as words of two: a vector of rows at one k and the vector at the next one become words, sixteen of which are a
 * square that is transposed in registers. */
#include "lib/targets/x86/contract/pack_turned.h"
#include "lib/codegen/emit/scalar.h"

typedef struct {
  TccKernelEmit *k;
  const TccMicroType *t;
  const TccPackSource *s;
  const TccPackCall *c;
  TccVal source, row, at; /* the batch entry; the first of the square's rows and steps of k */
  int64_t lda;
} Square;

bool tcc_pack_turns_rows(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s) {
  int64_t across, along;
  if (t->engine != TCC_MICRO_TILES || t->k_group != 2 || t->packed_bytes != 2 || !tcc_micro_packs_as_is(t, s->view->elem))
    return false;
  if (s->outer->n != 1 || !tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->outer, s->tensor), &across) || across != 1)
    return false;
  return !tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->k, s->tensor), &along) || along != 1;
}

/* A vector of rows at step `at` of k, as words; zeros where there is no such row or step. */
static TccVal load_half(const Square *q, TccVal at) {
  TccEmit *e = q->k->e;
  const char *half = tcc_emit_vector(e, "i16", q->t->lanes), *word = tcc_emit_vector(e, "i32", q->t->lanes);
  TccVal offset = tcc_emit_add(e, tcc_span_offset(q->k, q->s->k, q->s->tensor, tcc_emit_add(e, q->c->k0, at)),
                               tcc_span_offset(q->k, q->s->outer, q->s->tensor, tcc_emit_add(e, q->c->outer, q->row)));
  TccVal exist = tcc_emit_select1(e, "i64", tcc_emit_icmp(e, "slt", "i64", at, q->c->kcount), tcc_emit_sub(e, q->c->count, q->row),
                                  tcc_emit_i64(e, 0));
  TccVal v = tcc_emit_masked_load(e, half, tcc_emit_gep(e, "i16", q->source, offset), tcc_emit_mask(e, exist, q->t->lanes));
  return tcc_emit_cast(e, "zext", half, word, v);
}

static TccVal load_words(void *user, TccVal pair) {
  const Square *q = user;
  TccEmit *e = q->k->e;
  const char *word = tcc_emit_vector(e, "i32", q->t->lanes);
  TccVal at = tcc_emit_add(e, q->at, tcc_emit_mul(e, pair, tcc_emit_i64(e, 2)));
  TccVal low = load_half(q, at), high = load_half(q, tcc_emit_add(e, at, tcc_emit_i64(e, 1)));
  return tcc_emit_bin(e, "or", word, low, tcc_emit_bin(e, "shl", word, high, tcc_emit_int(e, word, 16)));
}

static void store_row(void *user, TccVal row, TccVal words) {
  const Square *q = user;
  TccEmit *e = q->k->e;
  TccVal to = tcc_emit_add(e, tcc_emit_mul(e, tcc_emit_add(e, q->row, row), tcc_emit_i64(e, q->lda)), q->at);
  tcc_emit_store(e, tcc_emit_vector(e, "i32", q->t->lanes), words, tcc_emit_gep(e, "i16", q->c->dst, to));
}

void tcc_pack_turned_rows_emit(TccKernelEmit *k, const char *name, const TccMicroType *t, const TccPackSource *s, int64_t lda) {
  TccEmit *e = k->e;
  TccPackCall c;
  tcc_pack_open(k, name, &c);
  const char *word = tcc_emit_vector(e, "i32", t->lanes);
  TccVal source = tcc_emit_gep(e, "i16", tcc_view_pointer(k, s->view), tcc_span_offset(k, s->batch, s->tensor, c.batch)),
         zero = tcc_emit_i64(e, 0), room = tcc_emit_alloca(e, word, tcc_emit_i64(e, 2 * t->lanes));
  TccLoop at, row;
  tcc_emit_for(e, &at, zero, c.kpadded, 2 * t->lanes, 0, NULL, NULL);
  tcc_emit_for(e, &row, zero, c.padded, t->lanes, 0, NULL, NULL);
  Square square = {k, t, s, &c, source, row.iv, at.iv, lda};
  tcc_emit_transpose_rows(e, word, room, &(TccTurnedRows){load_words, store_row, &square});
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &at, NULL);
  tcc_emit_return(e, 0, NULL);
}

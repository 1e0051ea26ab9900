/* row_lanes.c - see row_lanes.h. */
#include "lib/targets/nvptx/row_lanes.h"
#include "lib/codegen/emit/scalar.h"

enum { SECTOR = 32, AT_ONCE = 8 /* requests on their way */ };

static int sector_elements(TccElem elem) { return SECTOR * 8 / (int)tcc_elem_bits(elem); }

bool nvptx_lanes_is_moved(const TccPull *p, const TccPullIndex *index, TccElem elem, int dim) {
  if (tcc_elem_bits(elem) < 8 || index->nterms || index->coef[dim] != tcc_expr_const(p->ir->exprs, 1)) return false;
  if (tcc_expr_multiple_of(index->offset) % sector_elements(elem)) return true;
  for (int d = 0; d < p->ndims; d++)
    if (d != dim && index->coef[d] && tcc_expr_multiple_of(index->coef[d]) % sector_elements(elem)) return true;
  return false;
}

TccVal nvptx_lanes_shift(TccPullEmit *e, const TccPullIndex *index, TccElem elem, int dim) {
  TccVal base, step, place = e->iv[dim];
  e->iv[dim] = tcc_emit_i64(e->k->e, 0);
  tcc_pull_emit_affine(e, index, &base, &step);
  e->iv[dim] = place;
  return tcc_emit_rem(e->k->e, base, tcc_emit_i64(e->k->e, sector_elements(elem)));
}

/* ---- lanes ---- */

static TccVal word_of_lane(TccEmit *t, TccVal word, TccVal lane) {
  TccVal all = tcc_emit_int(t, "i32", -1), clamp = tcc_emit_int(t, "i32", NVPTX_WARP - 1);
  return tcc_emit_call_intrinsic(t, "llvm.nvvm.shfl.sync.idx.i32", "i32", 4, (TccVal[]){all, word, lane, clamp},
                                 (const char *const[]){"i32", "i32", "i32", "i32"});
}

TccVal nvptx_lanes_exchange(TccEmit *t, TccElem elem, TccVal v, TccVal lane) {
  return nvptx_shuffle_words(t, elem, v, word_of_lane, lane);
}

/* Where the warp begins in sectors; a value comes from so many lanes on (direction 1), or goes there. */
static void begin(const NvptxRowLanes *w, NvptxLanesStream *s, const TccPullIndex *index, TccElem elem, int direction) {
  TccEmit *t = &w->n->e;
  if (s->shift) return;
  s->shift = nvptx_lanes_shift(w->emit, index, elem, w->dim);
  TccVal lane = direction > 0 ? tcc_emit_add(t, w->lane, s->shift) : tcc_emit_sub(t, w->lane, s->shift);
  lane = tcc_emit_bin(t, "and", "i64", lane, tcc_emit_i64(t, NVPTX_WARP - 1));
  s->partner = tcc_emit_cast(t, "trunc", "i64", "i32", lane);
  s->early = tcc_emit_icmp(t, "sge", "i64", w->lane, s->shift);
}

/* The lane's element of a request. */
static TccVal element_of(const NvptxRowLanes *w, const NvptxLanesStream *s, int request) {
  TccEmit *t = &w->n->e;
  TccVal first = tcc_emit_add(t, w->begin, tcc_emit_i64(t, (int64_t)request * NVPTX_WARP));
  return tcc_emit_sub(t, tcc_emit_add(t, first, w->lane), s->shift);
}

/* ---- reading ---- */

static TccStatus *request(const NvptxRowLanes *w, NvptxLanesStream *s, const TccPullNode *node, int number) {
  TccEmit *t = &w->n->e;
  if (s->had[number]) return NULL;
  TccVal last = tcc_emit_sub(t, w->end, tcc_emit_i64(t, 1)), at = element_of(w, s, number);
  w->emit->iv[w->dim] = tcc_emit_min(t, tcc_emit_max(t, at, w->begin), last);
  tcc_pull_emit_reset(w->emit);
  return tcc_pull_emit_node(w->emit, node, &s->had[number]);
}

TccStatus *nvptx_lanes_load(const NvptxRowLanes *w, NvptxLanesStream *s, const TccPullNode *node, int i, TccVal *out) {
  TccEmit *t = &w->n->e;
  const int ahead = i / AT_ONCE * AT_ONCE + AT_ONCE, last = ahead < w->count ? ahead : w->count;
  begin(w, s, &node->index, node->elem, 1);
  for (int number = 0; number <= last; number++) TCC_TRY(request(w, s, node, number));
  TccVal v = tcc_emit_select1(t, tcc_scalar_type(node->elem), s->early, s->had[i], s->had[i + 1]);
  *out = nvptx_lanes_exchange(t, node->elem, v, s->partner);
  return NULL;
}

/* ---- writing ---- */

static TccStatus *write(const NvptxRowLanes *w, NvptxLanesStream *s, int argument, TccElem elem, const TccPullIndex *index,
                        int number, TccVal value) {
  TccEmit *t = &w->n->e;
  TccIf inside;
  TccVal at = element_of(w, s, number), is_there = tcc_emit_icmp(t, "slt", "i64", at, w->end);
  if (number == 0) is_there = tcc_emit_bin(t, "and", "i1", is_there, s->early);
  if (number == w->count)
    is_there = tcc_emit_bin(t, "and", "i1", is_there, tcc_emit_bin(t, "xor", "i1", s->early, tcc_emit_int(t, "i1", 1)));
  tcc_emit_if(t, &inside, is_there, 0, NULL);
  w->emit->iv[w->dim] = at;
  TCC_TRY(tcc_pull_emit_store(w->emit, argument, elem, index, value));
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

TccStatus *nvptx_lanes_store(const NvptxRowLanes *w, NvptxLanesStream *s, int argument, TccElem elem, const TccPullIndex *index,
                             int i, TccVal value) {
  TccEmit *t = &w->n->e;
  begin(w, s, index, elem, -1);
  TccVal turned = nvptx_lanes_exchange(t, elem, value, s->partner), before = i ? s->had[0] : turned;
  TCC_TRY(write(w, s, argument, elem, index, i, tcc_emit_select1(t, tcc_scalar_type(elem), s->early, turned, before)));
  s->had[0] = turned;
  return i + 1 == w->count ? write(w, s, argument, elem, index, w->count, turned) : NULL;
}

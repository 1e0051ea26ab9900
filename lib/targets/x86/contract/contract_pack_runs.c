/* contract_pack_runs.c - packing by runs: k goes in several steps, the innermost of which vectors from a multiple of their lanes would leave. */
#include "lib/targets/x86/contract/contract_pack_internal.h"
#include "lib/targets/x86/contract/pack_transpose.h"

/* What is contracted lies in runs, the innermost step of k, whose elements are an even distance apart: places of an image that a
 * product's columns see through a window, say. */
bool tcc_pack_has_runs(TccKernelEmit *k, const TccPackSource *s) {
  int64_t stride;
  return s->k->n > 1 && tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->k, s->tensor), &stride) && stride > 0 &&
         (stride == 1 || tcc_elem_bits(s->view->elem) >= 32);
}

/* Opens a loop over the runs of k that meet the block: run->iv is where one begins, the value its length. Close with tcc_emit_end_for. */
static TccVal begin_runs(TccKernelEmit *k, const TccPackSource *s, const TccPackCall *c, TccLoop *run) {
  TccEmit *e = k->e;
  TccVal size = tcc_kernel_size(k, s->k->size[s->k->n - 1]);
  tcc_emit_for_by(e, run, tcc_emit_i64(e, 0), c->kcount, tcc_emit_i64(e, 1), 0, NULL, NULL);
  TccVal left = tcc_emit_sub(e, size, tcc_emit_rem(e, tcc_emit_add(e, c->k0, run->iv), size));
  run->step = tcc_emit_min(e, left, tcc_emit_sub(e, c->kcount, run->iv));
  return run->step;
}

/* `lanes` elements of a run at p; those at and beyond `count` are zero. Every other element is half of two vectors: a gather is slower. */
static TccVal load_run(TccKernelEmit *k, const TccPackSource *s, TccVal p, int lanes, TccVal count) {
  TccEmit *e = k->e;
  const TccExpr *stride = tcc_span_inner_stride(k->ir, s->k, s->tensor);
  int64_t known = 0;
  if (!tcc_expr_is_const(stride, &known) || known != 2) return tcc_pack_load_along(k, s->view->elem, p, stride, lanes, count);
  const char *memory = tcc_pack_memory_elem(s->view->elem), *vector = tcc_emit_vector(e, memory, lanes);
  TccVal low = tcc_emit_sub(e, tcc_emit_mul(e, count, tcc_emit_i64(e, 2)), tcc_emit_i64(e, 1)),
         high = tcc_emit_min(e, tcc_emit_sub(e, low, tcc_emit_i64(e, lanes)), tcc_emit_i64(e, lanes - 1));
  TccVal first = tcc_emit_masked_load(e, vector, p, tcc_emit_mask(e, low, lanes));
  TccVal second = tcc_emit_masked_load(e, vector, tcc_emit_at(e, memory, p, lanes), tcc_emit_mask(e, high, lanes));
  return tcc_emit_even(e, vector, first, second);
}

/* Runs go by whole vectors, the last of which begins as much earlier. */
bool tcc_pack_runs_by_whole_vectors(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s) {
  int64_t stride, size;
  if (!tcc_pack_avoids_masks(t) || t->lanes == 1 || !tcc_pack_has_runs(k, s)) return false;
  if (tcc_expr_is_const(s->k->size[s->k->n - 1], &size) && size < t->lanes) return false;
  return tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->k, s->tensor), &stride) && stride <= 2;
}

/* `lanes` elements of such a run at p. Of every other one the second half is read one place earlier: nothing behind the last is read. */
static TccVal load_whole(TccKernelEmit *k, const TccPackSource *s, TccVal p, int lanes) {
  TccEmit *e = k->e;
  enum { MOST_LANES = 64 };
  int64_t stride = 1;
  int index[MOST_LANES];
  const char *memory = tcc_pack_memory_elem(s->view->elem), *vector = tcc_emit_vector(e, memory, lanes);
  tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->k, s->tensor), &stride);
  TccVal first = tcc_emit_load(e, vector, p);
  if (stride == 1) return first;
  for (int i = 0; i < lanes; i++) index[i] = i < lanes / 2 ? 2 * i : 2 * i + 1;
  return tcc_emit_shuffle(e, vector, first, tcc_emit_load(e, vector, tcc_emit_at(e, memory, p, lanes - 1)), index);
}

/* out[0, length) = the run at p, of a vector at least. */
static void copy_run(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, TccVal p, TccVal out, TccVal length) {
  TccEmit *e = k->e;
  const char *memory = tcc_pack_memory_elem(s->view->elem), *packed = tcc_emit_vector(e, t->packed, t->lanes);
  TccVal last = tcc_emit_sub(e, length, tcc_emit_i64(e, t->lanes)),
         stride = tcc_kernel_size(k, tcc_span_inner_stride(k->ir, s->k, s->tensor));
  TccLoop x;
  tcc_emit_for(e, &x, tcc_emit_i64(e, 0), length, t->lanes, 0, NULL, NULL);
  TccVal at = tcc_emit_min(e, x.iv, last);
  TccVal v = load_whole(k, s, tcc_emit_gep(e, memory, p, tcc_emit_mul(e, at, stride)), t->lanes);
  tcc_emit_store(e, packed, tcc_pack_widen(e, s->view->elem, t->packed, t->lanes, v), tcc_emit_gep(e, t->packed, out, at));
  tcc_emit_end_for(e, &x, NULL);
}

/* A run a vector at a time from its start; something mends what is written behind it. */
static void copy_run_masked(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, TccVal begin, TccVal out,
                            TccVal length) {
  TccEmit *e = k->e;
  const char *memory = tcc_pack_memory_elem(s->view->elem), *packed = tcc_emit_vector(e, t->packed, t->lanes);
  const TccExpr *stride = tcc_span_inner_stride(k->ir, s->k, s->tensor);
  TccLoop x;
  tcc_emit_for(e, &x, tcc_emit_i64(e, 0), length, t->lanes, 0, NULL, NULL);
  TccVal p = tcc_emit_gep(e, memory, begin, tcc_emit_mul(e, x.iv, tcc_kernel_size(k, stride)));
  TccVal v = load_run(k, s, p, t->lanes, tcc_emit_sub(e, length, x.iv));
  tcc_emit_store(e, packed, tcc_pack_widen(e, s->view->elem, t->packed, t->lanes, v), tcc_emit_gep(e, t->packed, out, x.iv));
  tcc_emit_end_for(e, &x, NULL);
}

/* One row of k, a vector at a time from the start of each run; the next run mends what is written behind it. */
void tcc_pack_row_runs(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, const TccPackCall *c, TccVal from,
                       TccVal to) {
  TccEmit *e = k->e;
  const char *memory = tcc_pack_memory_elem(s->view->elem);
  TccLoop run;
  TccIf whole;
  TccVal length = begin_runs(k, s, c, &run);
  TccVal begin = tcc_emit_gep(e, memory, from, tcc_span_offset(k, s->k, s->tensor, tcc_emit_add(e, c->k0, run.iv)));
  TccVal out = tcc_emit_gep(e, t->packed, to, run.iv);
  const bool by_vectors = tcc_pack_runs_by_whole_vectors(k, t, s);
  if (by_vectors) {
    tcc_emit_if(e, &whole, tcc_emit_icmp(e, "sge", "i64", length, tcc_emit_i64(e, t->lanes)), 0, NULL);
    copy_run(k, t, s, begin, out, length);
    tcc_emit_else(e, &whole, NULL);
  }
  copy_run_masked(k, t, s, begin, out, length);
  if (by_vectors) tcc_emit_end_if(e, &whole, NULL);
  tcc_emit_end_for(e, &run, NULL);
}

/* Columns that are read along k in runs, as emit_transposing does it. Where each column begins is counted once: the way along k is the
 * same for all. */
typedef struct {
  TccKernelEmit *k;
  const TccMicroType *t;
  const TccPackSource *s;
  const TccPackCall *c;
  TccVal source, square, begins; /* begins: of each column of the panel, in elements from source on */
  TccVal addresses;              /* where columns that are transposed in registers begin */
  TccVal stage;                  /* where every other element of some columns is put; 0: columns have neighbours */
  int64_t nr;
} Runs;

enum { STAGE = 128 /* elements of a column */ };

/* `lanes` k-groups of a run at p as words of the panel; elements at and beyond `count` are zero. */
static TccVal load_k_groups(const Runs *r, TccVal p, TccVal count) {
  const TccMicroType *t = r->t;
  TccElem elem = r->s->view->elem;
  const int elements = t->lanes * t->k_group;
  TccVal v = load_run(r->k, r->s, p, elements, count);
  if (t->k_group == 1) return tcc_pack_widen(r->k->e, elem, t->packed, elements, v);
  return tcc_emit_cast(r->k->e, "bitcast", tcc_emit_vector(r->k->e, tcc_pack_memory_elem(elem), elements),
                       tcc_emit_vector(r->k->e, t->k_group_type, t->lanes), v);
}

/* The run from `at` on, by blocks through memory. */
static void transpose_run(const Runs *r, TccVal at, TccVal length) {
  TccKernelEmit *k = r->k;
  const TccMicroType *t = r->t;
  const TccPackSource *s = r->s;
  TccEmit *e = k->e;
  const char *memory = tcc_pack_memory_elem(s->view->elem), *to = tcc_emit_vector(e, t->k_group_type, t->lanes);
  const TccExpr *stride = tcc_span_inner_stride(k->ir, s->k, s->tensor);
  TccVal zero = tcc_emit_i64(e, 0), width = tcc_emit_i64(e, r->nr), lanes = tcc_emit_i64(e, t->lanes);
  TccLoop column, block, group;
  TccVal begin = tcc_emit_gep(e, memory, r->source, tcc_span_offset(k, s->k, s->tensor, tcc_emit_add(e, r->c->k0, at)));
  tcc_emit_for(e, &block, zero, length, t->lanes * t->k_group, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, memory, begin, tcc_emit_mul(e, block.iv, tcc_kernel_size(k, stride))),
         left = tcc_emit_sub(e, length, block.iv), rows = tcc_emit_min(e, lanes, tcc_emit_ceil_div(e, left, t->k_group));
  TccVal first = tcc_emit_div(e, tcc_emit_add(e, at, block.iv), tcc_emit_i64(e, t->k_group));
  TccVal dst = tcc_emit_gep(e, t->k_group_type, r->c->dst, tcc_emit_mul(e, first, width));
  tcc_emit_for(e, &group, zero, width, t->lanes, 0, NULL, NULL);
  tcc_emit_for(e, &column, zero, lanes, 1, 0, NULL, NULL);
  TccVal offset = tcc_emit_load(e, "i64", tcc_emit_gep(e, "i64", r->begins, tcc_emit_add(e, group.iv, column.iv)));
  TccVal v = load_k_groups(r, tcc_emit_gep(e, memory, from, offset), left);
  tcc_emit_store(e, to, v, tcc_emit_gep(e, to, r->square, column.iv));
  tcc_emit_end_for(e, &column, NULL);
  TccVal transposed = tcc_emit_transpose(e, to, r->square);
  tcc_emit_for(e, &column, zero, rows, 1, 0, NULL, NULL);
  TccVal row = tcc_emit_load(e, to, tcc_emit_gep(e, to, transposed, column.iv));
  TccVal place = tcc_emit_add(e, tcc_emit_mul(e, column.iv, width), group.iv);
  tcc_emit_store(e, to, row, tcc_emit_gep(e, t->k_group_type, dst, place));
  tcc_emit_end_for(e, &column, NULL);
  tcc_emit_end_for(e, &group, NULL);
  tcc_emit_end_for(e, &block, NULL);
}

/* `length` rows of the panel, lanes at least, at `to`, of columns whose addresses these are, from element `at` of each on. A last block of fewer
 * begins as much earlier. */
static void transpose_columns(const Runs *r, TccVal to, TccVal columns, TccVal at, TccVal length) {
  TccKernelEmit *k = r->k;
  TccEmit *e = k->e;
  const int64_t bytes = tcc_elem_bits(r->s->view->elem) / 8, lanes = r->t->lanes;
  TccVal next =
             tcc_emit_mul(e, tcc_kernel_size(k, tcc_span_inner_stride(k->ir, r->s->outer, r->s->tensor)), tcc_emit_i64(e, lanes)),
         size = tcc_emit_i64(e, bytes), width = tcc_emit_i64(e, r->nr), blocks = tcc_emit_div(e, length, tcc_emit_i64(e, lanes));
  tcc_pack_transpose_call(e, "transpose_columns", to, columns, tcc_emit_mul(e, at, size),
                          tcc_emit_mul(e, tcc_emit_add(e, at, next), size), blocks);
  TccIf rest;
  tcc_emit_if(e, &rest, tcc_emit_icmp(e, "ne", "i64", tcc_emit_rem(e, length, tcc_emit_i64(e, lanes)), tcc_emit_i64(e, 0)), 0,
              NULL);
  TccVal last = tcc_emit_sub(e, length, tcc_emit_i64(e, lanes)), from = tcc_emit_add(e, at, last);
  tcc_pack_transpose_call(e, "transpose_columns", tcc_emit_gep(e, r->t->packed, to, tcc_emit_mul(e, last, width)), columns,
                          tcc_emit_mul(e, from, size), tcc_emit_mul(e, tcc_emit_add(e, from, next), size), tcc_emit_i64(e, 1));
  tcc_emit_end_if(e, &rest, NULL);
}

/* Every other element of columns [group, group + lanes): put side by side first. */
static void transpose_spread_columns(const Runs *r, TccVal to, TccVal group, TccVal at, TccVal length) {
  TccEmit *e = r->k->e;
  const char *memory = tcc_pack_memory_elem(r->s->view->elem);
  TccLoop piece, column;
  TccVal zero = tcc_emit_i64(e, 0), lanes = tcc_emit_i64(e, r->t->lanes), begins = tcc_emit_gep(e, "i64", r->begins, group);
  tcc_emit_for(e, &piece, zero, length, STAGE, 0, NULL, NULL);
  TccVal from = tcc_emit_min(e, piece.iv, tcc_emit_sub(e, length, lanes)),
         count = tcc_emit_min(e, tcc_emit_i64(e, STAGE), tcc_emit_sub(e, length, from));
  TccVal place = tcc_emit_gep(e, memory, r->source, tcc_emit_add(e, at, tcc_emit_mul(e, from, tcc_emit_i64(e, 2))));
  tcc_emit_for(e, &column, zero, lanes, 1, 0, NULL, NULL);
  TccVal offset = tcc_emit_load(e, "i64", tcc_emit_gep(e, "i64", begins, column.iv));
  TccVal out = tcc_emit_gep(e, r->t->packed, r->stage, tcc_emit_mul(e, column.iv, tcc_emit_i64(e, STAGE)));
  copy_run(r->k, r->t, r->s, tcc_emit_gep(e, memory, place, offset), out, count);
  tcc_emit_end_for(e, &column, NULL);
  TccVal row = tcc_emit_gep(e, r->t->packed, to, tcc_emit_mul(e, from, tcc_emit_i64(e, r->nr)));
  transpose_columns(r, row, r->addresses, zero, count);
  tcc_emit_end_for(e, &piece, NULL);
}

/* The same by machine code, for a run of a vector at least. */
static void transpose_run_in_registers(const Runs *r, TccVal at, TccVal length) {
  TccKernelEmit *k = r->k;
  TccEmit *e = k->e;
  TccLoop group;
  TccVal along = tcc_span_offset(k, r->s->k, r->s->tensor, tcc_emit_add(e, r->c->k0, at));
  TccVal dst = tcc_emit_gep(e, r->t->packed, r->c->dst, tcc_emit_mul(e, at, tcc_emit_i64(e, r->nr)));
  tcc_emit_for(e, &group, tcc_emit_i64(e, 0), tcc_emit_i64(e, r->nr), r->t->lanes, 0, NULL, NULL);
  TccVal to = tcc_emit_gep(e, r->t->packed, dst, group.iv);
  if (r->stage) transpose_spread_columns(r, to, group.iv, along, length);
  else transpose_columns(r, to, tcc_emit_gep(e, TCC_PTR, r->addresses, group.iv), along, length);
  tcc_emit_end_for(e, &group, NULL);
}

/* Whether runs of f32 are transposed in registers of eight. */
bool tcc_pack_transposes_runs(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, int64_t nr) {
  return t->lanes == 8 && t->k_group == 1 && tcc_elem_bits(s->view->elem) == 32 && tcc_micro_packs_as_is(t, s->view->elem) &&
         tcc_pack_runs_by_whole_vectors(k, t, s) && tcc_pack_transpose_fits(nr * (int64_t)sizeof(float));
}

static TccVal addresses_of_columns(const Runs *r) {
  TccEmit *e = r->k->e;
  const char *memory = tcc_pack_memory_elem(r->s->view->elem);
  const int64_t count = r->stage ? r->t->lanes : r->nr;
  TccVal addresses = tcc_emit_alloca(e, TCC_PTR, tcc_emit_i64(e, count));
  TccLoop column;
  tcc_emit_for(e, &column, tcc_emit_i64(e, 0), tcc_emit_i64(e, count), 1, 0, NULL, NULL);
  TccVal from = r->stage
                    ? tcc_emit_gep(e, r->t->packed, r->stage, tcc_emit_mul(e, column.iv, tcc_emit_i64(e, STAGE)))
                    : tcc_emit_gep(e, memory, r->source, tcc_emit_load(e, "i64", tcc_emit_gep(e, "i64", r->begins, column.iv)));
  tcc_emit_store(e, TCC_PTR, from, tcc_emit_gep(e, TCC_PTR, addresses, column.iv));
  tcc_emit_end_for(e, &column, NULL);
  return addresses;
}

void tcc_pack_transposing_runs(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, TccVal source, const TccPackCall *c,
                               int64_t nr) {
  TccEmit *e = k->e;
  int64_t stride = 1;
  const bool in_registers = tcc_pack_transposes_runs(k, t, s, nr);
  TccVal zero = tcc_emit_i64(e, 0), width = tcc_emit_i64(e, nr), last = tcc_emit_sub(e, c->count, tcc_emit_i64(e, 1));
  Runs r = {.k = k, .t = t, .s = s, .c = c, .source = source, .nr = nr};
  r.square = tcc_emit_alloca(e, tcc_emit_vector(e, t->k_group_type, t->lanes), tcc_emit_i64(e, 2 * t->lanes));
  r.begins = tcc_emit_alloca(e, "i64", width);
  TccLoop column, run;
  TccIf whole;
  tcc_emit_for(e, &column, zero, width, 1, 0, NULL, NULL); /* columns that do not exist repeat the last */
  TccVal at = tcc_emit_add(e, c->outer, tcc_emit_min(e, column.iv, last));
  tcc_emit_store(e, "i64", tcc_span_offset(k, s->outer, s->tensor, at), tcc_emit_gep(e, "i64", r.begins, column.iv));
  tcc_emit_end_for(e, &column, NULL);
  tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->k, s->tensor), &stride);
  if (in_registers && stride == 2) r.stage = tcc_emit_alloca(e, t->packed, tcc_emit_i64(e, t->lanes * (int64_t)STAGE));
  if (in_registers) r.addresses = addresses_of_columns(&r);
  TccVal length = begin_runs(k, s, c, &run);
  if (in_registers) {
    tcc_emit_if(e, &whole, tcc_emit_icmp(e, "sge", "i64", length, tcc_emit_i64(e, t->lanes)), 0, NULL);
    transpose_run_in_registers(&r, run.iv, length);
    tcc_emit_else(e, &whole, NULL);
  }
  transpose_run(&r, run.iv, length);
  if (in_registers) tcc_emit_end_if(e, &whole, NULL);
  tcc_emit_end_for(e, &run, NULL);
}

/* Whether each k-group is a word of one run: runs are whole numbers of them, whose elements are packed as they are. */
static bool has_words(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s) {
  const int64_t bits = (int64_t)tcc_elem_bits(s->view->elem) * t->k_group;
  int64_t size, along;
  return t->k_group == 1 || (bits == 32 && t->k_group == 2 && tcc_micro_packs_as_is(t, s->view->elem) &&
                             tcc_expr_is_const(s->k->size[s->k->n - 1], &size) && size % t->k_group == 0 &&
                             tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->k, s->tensor), &along) && along == 1);
}

/* Whether vectors along k are cheaper than those along columns, which lie apart or in short pieces. */
bool tcc_pack_panel_has_runs(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s) {
  int64_t across, along = 0;
  bool straight = tcc_span_vectorizes(s->outer, t->lanes) &&
                  tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->outer, s->tensor), &across) && (across == 1 || across == 0);
  if (t->lanes == 1 || straight || !has_words(k, t, s) || !tcc_pack_has_runs(k, s)) return false;
  tcc_expr_is_const(tcc_span_inner_stride(k->ir, s->k, s->tensor), &along);
  return along <= 2 || !tcc_span_vectorizes(s->outer, t->lanes);
}

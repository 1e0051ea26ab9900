/* attention_prefetch.c - what attention prefetches while it multiplies.
 *
 * The rows of a head lie a page apart, so that no hardware sees them coming: reading keys, values and queries and writing the
 * result took a quarter of the time of BERT's attention. Each call of the second product prefetches one column of lines, a row a
 * step of its loop: of the keys and values of the block after this one, of the queries and the result of the tile after this
 * one. Which column is its number in a table of pointers and steps, which is made anew for each block. A row that a prefetch names
 * exists: an address without a page costs more than what it would spare. */
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/attention/attention_internal.h"

enum {
  MOST_FETCHES = 4,
  LINE = 64,
  TENSORS = 4,
  FEW_LINES = 4 /* without a loop: LLVM takes half the time for a function of one block */
};

static const char *const prefetch_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64"};

typedef struct {
  const TccSpan *outer, *rows, *row;
  int64_t lines, count;
} Stream; /* count: rows of a block or tile, at most */

static int64_t known(const TccExpr *size, int64_t most) {
  int64_t n;
  return tcc_expr_is_const(size, &n) && n < most ? n : most;
}

/* False where rows of the tensor are no runs of memory, or no steps of one length apart. */
static bool open(const Attention *a, int tensor, Stream *s) {
  bool of_keys = tensor == ATT_K || tensor == ATT_V;
  *s = (Stream){.outer = of_keys ? &a->read.kv_heads : &a->read.heads,
                .rows = of_keys ? &a->read.keys : &a->read.queries,
                .row = tensor == ATT_Q || tensor == ATT_K ? &a->read.depth : &a->read.width};
  int64_t stride;
  if (a->read.stacked && !of_keys) return false;
  if (s->rows->n != 1 || s->row->n != 1 || !tcc_expr_is_const(tcc_span_inner_stride(a->read.ir, s->row, tensor), &stride) ||
      stride != 1)
    return false;
  s->lines = tcc_ceil_div(
      (tensor == ATT_Q || tensor == ATT_K ? a->read.d : a->read.e) * (int64_t)tcc_elem_bits(a->read.view[tensor].elem), 8 * LINE);
  s->count = known(s->rows->count, of_keys ? a->plan.block : a->plan.panels * a->plan.nr);
  return s->lines > 0 && s->count > 0;
}

/* Columns of lines of all tensors, `fetches` lines wide. */
static int64_t columns(const Attention *a, int prefetches) {
  int64_t steps = known(a->read.keys.count, a->plan.block), n = 0;
  for (int t = 0; t < TENSORS && steps > 0; t++) { /* without keys nothing is multiplied, nor prefetched */
    Stream s;
    if (open(a, t, &s)) n += tcc_ceil_div(s.lines, prefetches) * tcc_ceil_div(s.count, steps);
  }
  return n;
}

void attention_prefetch_plan(Attention *a) {
  if (!a->read.gives_result) return; /* there is no second product */
  int64_t calls =
      tcc_ceil_div(known(a->read.queries.count, a->plan.panels * a->plan.nr), a->plan.nr) * tcc_ceil_div(a->read.e, a->plan.rows);
  a->plan.prefetches = 1;
  while (a->plan.prefetches < MOST_FETCHES && columns(a, a->plan.prefetches) > calls) a->plan.prefetches *= 2;
  a->plan.prefetch_columns = columns(a, a->plan.prefetches);
  if (!a->plan.prefetch_columns) a->plan.prefetches = 0;
}

void attention_prefetch_call(TccKernelEmit *k, const PrefetchCall *c) {
  TccVal args[] = {c->table, k->arguments, k->size_pointer, c->head, c->kv_head, c->q0, c->t0, c->kcount};
  tcc_emit_call(k->e, "prefetch", 8, args, prefetch_types, NULL);
}

/* The entries of chunk `chunk` of a tensor, `kcount` rows of it, from `table` on. */
static void emit_entries(TccKernelEmit *k, const Attention *a, int tensor, const Stream *s, int64_t chunk, TccVal table,
                         const TccVal *arg) {
  TccEmit *e = k->e;
  bool of_keys = tensor == ATT_K || tensor == ATT_V;
  const char *memory = tcc_scalar_memory_type(a->read.view[tensor].elem);
  TccVal zero = tcc_emit_i64(e, 0), kcount = arg[7];
  TccVal base = tcc_emit_gep(e, memory, tcc_view_pointer(k, &a->read.view[tensor]),
                             tcc_span_offset(k, s->outer, tensor, arg[of_keys ? 4 : 3]));
  TccVal total = tcc_kernel_size(k, s->rows->count), last = tcc_emit_max(e, zero, tcc_emit_sub(e, total, kcount));
  TccVal step = tcc_emit_mul(e, tcc_kernel_size(k, tcc_span_inner_stride(k->ir, s->rows, tensor)),
                             tcc_emit_i64(e, (int64_t)tcc_elem_bits(a->read.view[tensor].elem) / 8));
  step = tcc_emit_select1(e, "i64", tcc_emit_icmp(e, "sge", "i64", total, kcount), step, zero);
  TccVal row = tcc_emit_min(e, last, tcc_emit_add(e, arg[of_keys ? 6 : 5], tcc_emit_mul(e, tcc_emit_i64(e, chunk), kcount)));
  TccVal from = tcc_emit_gep(e, memory, base, tcc_span_offset(k, s->rows, tensor, row));
  const int64_t lines = tcc_ceil_div(s->lines, a->plan.prefetches), bytes = a->plan.prefetches * LINE;
  if (lines <= FEW_LINES) {
    for (int64_t i = 0; i < lines; i++) {
      tcc_emit_store(e, TCC_PTR, tcc_emit_at(e, "i8", from, i * bytes), tcc_emit_at(e, "i64", table, 2 * i));
      tcc_emit_store(e, "i64", step, tcc_emit_at(e, "i64", table, 2 * i + 1));
    }
    return;
  }
  TccLoop line;
  tcc_emit_for(e, &line, zero, tcc_emit_i64(e, lines), 1, 0, NULL, NULL);
  TccVal entry = tcc_emit_gep(e, "i64", table, tcc_emit_mul(e, line.iv, tcc_emit_i64(e, 2)));
  tcc_emit_store(e, TCC_PTR, tcc_emit_gep(e, "i8", from, tcc_emit_mul(e, line.iv, tcc_emit_i64(e, bytes))), entry);
  tcc_emit_store(e, "i64", step, tcc_emit_at(e, "i64", entry, 1));
  tcc_emit_end_for(e, &line, NULL);
}

/* Whether a block of keys takes some hundred times as long as the table that is made for it without optimisation (2 ms of LLVM's time less). */
static bool is_seldom_made(const Attention *a) {
  enum { STEPS = 1000000 /* multiply-adds: 602,000 for each table made PVT v2-b0 1.008 times as slow */ };
  int64_t queries = known(a->read.queries.count, a->plan.panels * a->plan.nr), keys = known(a->read.keys.count, a->plan.block);
  return queries * keys * (a->read.d + a->read.e) >= STEPS;
}

/* Table of [pointer, bytes of a step]; kcount: the steps of the product that prefetches. The first rows of all tensors come first:
 * where sizes are dynamic, a tile may make fewer calls than the table has room for. */
void attention_prefetch_emit(TccKernelEmit *k, const Attention *a) {
  static const int order[TENSORS] = {ATT_K, ATT_V, ATT_Q, ATT_R};
  TccEmit *e = k->e;
  TccVal arg[8];
  const bool optnone = e->optnone;
  e->optnone = is_seldom_made(a);
  tcc_emit_tell(e, TCC_TELL_PLACES);
  tcc_emit_function(e, "prefetch", true, 8, prefetch_types, NULL, arg);
  e->optnone = optnone;
  k->arguments = arg[1], k->size_pointer = arg[2];
  int64_t steps = known(a->read.keys.count, a->plan.block), at = 0;
  bool more = true;
  for (int64_t chunk = 0; more; chunk++) {
    more = false;
    for (int i = 0; i < TENSORS; i++) {
      Stream s;
      if (!open(a, order[i], &s) || chunk * steps >= s.count) continue;
      emit_entries(k, a, order[i], &s, chunk, tcc_emit_at(e, "i64", arg[0], at), arg);
      at += 2 * tcc_ceil_div(s.lines, a->plan.prefetches);
      more = more || (chunk + 1) * steps < s.count;
    }
  }
  tcc_emit_return(e, 0, NULL);
}

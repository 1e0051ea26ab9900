/* row.c - reductions: the threads of a block are a rectangle of rows and slices; a slice strides over its row, slices are folded.
 *
 * Three shapes of the rectangle. Rows whose elements follow each other in memory have slices side by side: a warp for a row of up to 1024
 * elements, eight rows a block; a block for a longer one. Where rows themselves are neighbours in memory (a reduction of outer axes) 32
 * rows lie side by side, and 8 slices of each, or 32 where rows are few and long. Slices of a warp are folded by shuffles, those of several warps through shared memory, in an
 * order of their own: the same bits each time. No thread leaves early, so that all come to the barriers: one behind the last row computes
 * the last row, and stores nothing.
 *
 * A slice takes a piece at a time: up to 16 bytes of its row that lie side by side, in one access, where all that is read and stored has them at
 * multiples of as many; else one element.
 *
 * Rows that begin anywhere in a sector: where they are held, lanes read and write from the begins of sectors on and exchange elements (row_lanes.h); loops
 * begin where a sector does, in front of the row.
 *
 * A row of known length is read once: each slice's elements have their own memo of pulled values (TccPullEmit), which straight code keeps in
 * registers from the first reduction to the results; a slice that is over takes the row's last piece and leaves it out. Else a loop for
 * each reduction, and one for the results, goes over the row again. */
#include "lib/codegen/read/row.h"
#include "lib/targets/nvptx/operand.h"
#include "lib/targets/nvptx/row_lanes.h"

enum {
  ROWS_PER_BLOCK = 8,
  LONG_ROW = 1024,
  BLOCK = 256,
  MANY_ROWS = 4096, /* taken for numbers that are not known */
  PIECES_AT_ONCE = 4,
  COLUMNS = 32,
  SLICES = 8,
  MANY_SLICES = 32, /* where there are few rows */
  MOST_AT_ONCE = 8, /* pieces */
  MOST_HELD = NVPTX_MOST_LANES_HELD,
  MOST_NODES = 256,
  MOST_HELD_NODES = 768 /* of all that are held: straight code */
};

typedef struct Row Row;
/* An element of a slice that is held. */
typedef struct {
  Row *row;
  int number;
} Held;

struct Row {
  TccRow read;
  NvptxKernel n;
  TccPullEmit *emit;                                                  /* of each element of a slice that is held; one, if none is */
  int nheld;                                                          /* elements of a slice, 0: loops */
  int run;                                                            /* elements of a piece, along the last of the dims */
  int row_dims[TCC_PULL_DIMS], nrow_dims, dims[TCC_PULL_DIMS], ndims; /* those that stay; those that are reduced */
  const TccExpr *rows, *pieces;                                       /* pieces of a row */
  bool across;                                                        /* rows are neighbours */
  int in_block, slices;                                               /* rows of a block, slices of a row */
  TccVal slice, row_of_block, exists;                                 /* of this thread; i1: its row is one */
  uint32_t shared;
  int nfolds;
  NvptxRowLanes lanes;                              /* count 0: elements of a slice are as many apart as there are slices */
  NvptxLanesStream *loads, stores[TCC_ROW_RESULTS]; /* by node id; by result */
  TccStatus *status;                                /* of a load among these */
  TccVal begin;                                     /* of loops: the slice's first piece */
  bool is_back;                                     /* which lies in front of the row in some slices */
};

static TccVal i64(Row *row, int64_t v) { return tcc_emit_i64(&row->n.e, v); }

/* ---- folding ---- */

static TccVal word_of_partner(TccEmit *t, TccVal word, TccVal bit) {
  int64_t known = 0;
  tcc_emit_known(t, bit, &known);
  return nvptx_shuffle_word(t, word, (int)known);
}

/* v of the thread whose lane differs in `bit`. */
static TccVal shuffle(TccEmit *t, TccElem elem, TccVal v, int bit) {
  return nvptx_shuffle_words(t, elem, v, word_of_partner, tcc_emit_i64(t, bit));
}

/* A value that is folded, and for arg_reduce the place that it comes from (-1: none yet). */
typedef struct {
  TccVal value, place;
} Best;

/* Whether b comes before a: more extreme, or equal and nearer to the end that is asked for; a NaN beats a number; some place beats none. */
static TccVal comes_before(TccEmit *t, const TccRowReduction *r, Best b, Best a) {
  const char *type = tcc_scalar_type(r->wide);
  bool f = tcc_elem_is_float(r->wide), u = tcc_elem_is_unsigned(r->wide);
  TccVal more, same;
  if (f) {
    TccVal b_nan = tcc_emit_fcmp(t, "uno", type, b.value, b.value), a_nan = tcc_emit_fcmp(t, "uno", type, a.value, a.value);
    TccVal a_number = tcc_emit_bin(t, "xor", "i1", a_nan, tcc_emit_int(t, "i1", 1));
    more = tcc_emit_bin(t, "or", "i1", tcc_emit_fcmp(t, r->max ? "ogt" : "olt", type, b.value, a.value),
                        tcc_emit_bin(t, "and", "i1", b_nan, a_number));
    same = tcc_emit_bin(t, "or", "i1", tcc_emit_fcmp(t, "oeq", type, b.value, a.value), tcc_emit_bin(t, "and", "i1", b_nan, a_nan));
  } else {
    more = tcc_emit_icmp(t, r->max ? (u ? "ugt" : "sgt") : (u ? "ult" : "slt"), type, b.value, a.value);
    same = tcc_emit_icmp(t, "eq", type, b.value, a.value);
  }
  TccVal nearer = tcc_emit_icmp(t, r->last ? "sgt" : "slt", "i64", b.place, a.place), none = tcc_emit_i64(t, 0);
  TccVal before = tcc_emit_bin(t, "or", "i1", more, tcc_emit_bin(t, "and", "i1", same, nearer));
  before = tcc_emit_bin(t, "or", "i1", before, tcc_emit_icmp(t, "slt", "i64", a.place, none));
  return tcc_emit_bin(t, "and", "i1", before, tcc_emit_icmp(t, "sge", "i64", b.place, none));
}

static Best combine(TccEmit *t, const TccRowReduction *r, Best a, Best b) {
  if (!r->is_arg) return (Best){.value = tcc_scalar_combine(t, r->kind, r->wide, 1, a.value, b.value)};
  TccVal take = comes_before(t, r, b, a);
  return (Best){tcc_emit_select(t, tcc_scalar_type(r->wide), take, b.value, a.value),
                tcc_emit_select(t, "i64", take, b.place, a.place)};
}

static Best neutral(Row *row, const TccRowReduction *r) {
  TccEmit *t = &row->n.e;
  return r->is_arg ? (Best){tcc_emit_zero(t, tcc_scalar_type(r->wide)), i64(row, -1)}
                   : (Best){.value = tcc_scalar_neutral(t, r->kind, r->wide, 1)};
}

/* Shared memory of one element for each of `count`; values of one fold, then those of another. */
typedef struct {
  const char *type; /* in memory */
  TccElem elem;
  TccVal base;
} Exchange;

static Exchange exchange(Row *row, TccElem elem, int count) {
  TccEmit *t = &row->n.e;
  const char *name = tcc_arena_printf(t->arena, "fold%d", row->nfolds++);
  Exchange x = {tcc_scalar_memory_type(elem), elem, 0};
  tcc_emit_shared(t, name, (size_t)count, x.type, NVPTX_SHARED_ALIGNMENT);
  row->shared += ((uint32_t)count * (elem == TCC_ELEM_BOOL ? 8 : tcc_elem_bits(elem)) / 8 + 15) / 16 * 16;
  x.base = tcc_emit_shared_address(t, name);
  return x;
}

static void put_shared(Row *row, const Exchange *x, TccVal at, TccVal v) {
  TccEmit *t = &row->n.e;
  tcc_emit_shared_store(t, x->type, tcc_scalar_to_memory(t, x->elem, 1, v), tcc_emit_shared_gep(t, x->type, x->base, at));
}

static TccVal get_shared(Row *row, const Exchange *x, TccVal at) {
  TccEmit *t = &row->n.e;
  return tcc_scalar_from_memory(t, x->elem, 1, tcc_emit_shared_load(t, x->type, tcc_emit_shared_gep(t, x->type, x->base, at)));
}

/* Parts of a row lie in shared memory `step` apart, from `first` on; each thread folds all of its row, in order. */
static Best fold_shared(Row *row, const TccRowReduction *r, Best v, TccVal put_at, TccVal puts, TccVal first, int step, int parts,
                        int count) {
  TccEmit *t = &row->n.e;
  Exchange values = exchange(row, r->wide, count), places = {0};
  TccIf branch;
  if (r->is_arg) places = exchange(row, TCC_ELEM_I64, count);
  if (puts) tcc_emit_if(t, &branch, puts, 0, NULL);
  put_shared(row, &values, put_at, v.value);
  if (r->is_arg) put_shared(row, &places, put_at, v.place);
  if (puts) tcc_emit_end_if(t, &branch, NULL);
  nvptx_barrier(&row->n);
  for (int i = 0; i < parts; i++) {
    TccVal at = tcc_emit_add(t, first, i64(row, (int64_t)i * step));
    Best part = {get_shared(row, &values, at), r->is_arg ? get_shared(row, &places, at) : 0};
    v = i ? combine(t, r, v, part) : part;
  }
  return v; /* no fold uses this memory again */
}

static Best fold(Row *row, const TccRowReduction *r, Best v) {
  TccEmit *t = &row->n.e;
  if (row->across) {
    TccVal column = row->row_of_block, at = tcc_emit_add(t, tcc_emit_mul(t, row->slice, i64(row, COLUMNS)), column);
    return fold_shared(row, r, v, at, 0, column, COLUMNS, row->slices, COLUMNS * row->slices);
  }
  for (int bit = NVPTX_WARP / 2; bit; bit /= 2) {
    Best other = {shuffle(t, r->wide, v.value, bit), r->is_arg ? shuffle(t, TCC_ELEM_I64, v.place, bit) : 0};
    v = combine(t, r, v, other);
  }
  int warps = row->slices / NVPTX_WARP;
  if (warps == 1) return v;
  TccVal warp = tcc_emit_div(t, row->slice, i64(row, NVPTX_WARP)), lane = tcc_emit_rem(t, row->slice, i64(row, NVPTX_WARP));
  return fold_shared(row, r, v, warp, tcc_emit_icmp(t, "eq", "i64", lane, i64(row, 0)), i64(row, 0), 1, warps, warps);
}

/* ---- reductions ---- */

/* The operand at the place that `emit` has. */
static TccStatus *element(Row *row, TccPullEmit *emit, const TccRowReduction *r, Best *out) {
  TccEmit *t = &row->n.e;
  TCC_TRY(tcc_pull_emit_node(emit, r->operand, &out->value));
  out->value = tcc_scalar_convert(t, r->elem, r->wide, 1, out->value);
  TccVal step;
  if (r->is_arg) tcc_pull_emit_affine(emit, &r->place, &out->place, &step);
  return NULL;
}

/* Where the slice's piece of number `piece`, in order, is in the row, behind whose end it may be. */
static TccVal piece_at(Row *row, int piece) {
  TccEmit *t = &row->n.e;
  if (!row->lanes.count) return tcc_emit_add(t, row->slice, i64(row, (int64_t)piece * row->slices));
  return tcc_emit_add(t, tcc_emit_add(t, row->lanes.begin, row->lanes.lane), i64(row, (int64_t)piece * NVPTX_WARP));
}

/* i1: this slice has that piece; 0: each slice has. Of a row of known length. */
static TccVal has_piece(Row *row, int piece) {
  int64_t pieces = 0, behind = (int64_t)(piece + 1) * row->slices;
  if (row->lanes.count) behind = (int64_t)(row->slices - NVPTX_WARP) * row->nheld + (int64_t)(piece + 1) * NVPTX_WARP;
  tcc_expr_is_const(row->pieces, &pieces);
  if (behind <= pieces) return 0;
  return tcc_emit_icmp(&row->n.e, "slt", "i64", piece_at(row, piece), i64(row, pieces));
}

static TccStatus *reduce_held(Row *row, const TccRowReduction *r, Best *out) {
  TccEmit *t = &row->n.e;
  for (int i = 0; i < row->nheld; i++) {
    Best v, none = neutral(row, r);
    TCC_TRY(element(row, &row->emit[i], r, &v));
    TccVal inside = has_piece(row, i / row->run);
    if (inside) {
      v.value = tcc_emit_select(t, tcc_scalar_type(r->wide), inside, v.value, none.value);
      if (r->is_arg) v.place = tcc_emit_select(t, "i64", inside, v.place, none.place);
    }
    *out = i ? combine(t, r, *out, v) : v;
  }
  return NULL;
}

/* The place of a piece's first element, and its others: all differ in a displacement alone. */
static void place_piece(Row *row, TccPullEmit *emit, TccVal piece, int within) {
  TccEmit *t = &row->n.e;
  int last = row->ndims ? row->dims[row->ndims - 1] : 0;
  if (within == 0 || row->nheld) tcc_pull_emit_place(emit, row->dims, row->ndims, tcc_emit_mul(t, piece, i64(row, row->run)));
  emit->run_dim = last, emit->moved[last] = within, emit->run = within || row->run == 1 ? 0 : row->run;
  emit->runs = row->run;
}

/* Pieces from *first on, so many at once while there are as many, so that as many reads are under way; gives where it ended. */
static TccStatus *reduce_pieces(Row *row, const TccRowReduction *r, int at_once, TccVal *first, Best *v) {
  TccEmit *t = &row->n.e;
  const char *types[3] = {"i64", tcc_scalar_type(r->wide), "i64"};
  const int n = r->is_arg ? 3 : 2;
  TccLoop loop;
  TccVal end = tcc_kernel_size(&row->n.k, row->pieces);
  if (at_once > 1) end = tcc_emit_sub(t, end, i64(row, (int64_t)(at_once - 1) * row->slices));
  tcc_emit_for(t, &loop, *first, end, (int64_t)at_once * row->slices, n, (TccVal[]){*first, v->value, v->place}, types);
  Best sum = {loop.in[1], n > 2 ? loop.in[2] : 0}, next[MOST_AT_ONCE * NVPTX_MOST_RUN];
  for (int i = 0; i < at_once * row->run; i++) {
    TccVal piece = i / row->run ? tcc_emit_add(t, loop.iv, i64(row, (int64_t)(i / row->run) * row->slices)) : loop.iv;
    place_piece(row, row->emit, piece, i % row->run);
    tcc_pull_emit_reset(row->emit);
    TCC_TRY(element(row, row->emit, r, &next[i]));
  }
  for (int i = 0; i < at_once * row->run; i++) sum = combine(t, r, sum, next[i]);
  TccVal after = tcc_emit_add(t, loop.iv, i64(row, (int64_t)at_once * row->slices));
  tcc_emit_end_for(t, &loop, (TccVal[]){after, sum.value, sum.place});
  *first = loop.out[0], *v = (Best){loop.out[1], n > 2 ? loop.out[2] : 0};
  return NULL;
}

/* The slice's first piece where it may lie in front of the row. */
static TccStatus *reduce_first(Row *row, const TccRowReduction *r, TccVal *first, Best *out) {
  TccEmit *t = &row->n.e;
  const char *types[2] = {tcc_scalar_type(r->wide), "i64"};
  TccIf inside;
  Best v;
  TccVal begun = tcc_emit_icmp(t, "sge", "i64", *first, i64(row, 0)),
         has = tcc_emit_icmp(t, "slt", "i64", *first, tcc_kernel_size(&row->n.k, row->pieces));
  tcc_emit_if(t, &inside, tcc_emit_bin(t, "and", "i1", begun, has), r->is_arg ? 2 : 1, types);
  place_piece(row, row->emit, *first, 0);
  tcc_pull_emit_reset(row->emit);
  TCC_TRY(element(row, row->emit, r, &v));
  tcc_emit_else(t, &inside, (TccVal[]){v.value, v.place});
  tcc_emit_end_if(t, &inside, (TccVal[]){out->value, out->place});
  *out = (Best){inside.out[0], r->is_arg ? inside.out[1] : 0};
  *first = tcc_emit_add(t, *first, i64(row, row->slices));
  return NULL;
}

static TccStatus *reduce_in_loop(Row *row, const TccRowReduction *r, Best *out) {
  TccVal first = row->begin;
  int at_once = MOST_AT_ONCE;
  while (at_once > 1 && (size_t)at_once * (size_t)row->run * row->read.pull.nodes.count > MOST_NODES / 2) at_once /= 2;
  *out = neutral(row, r);
  if (row->is_back) TCC_TRY(reduce_first(row, r, &first, out));
  if (at_once > 1) TCC_TRY(reduce_pieces(row, r, at_once, &first, out));
  return reduce_pieces(row, r, 1, &first, out);
}

static TccStatus *emit_reduction(Row *row, const TccRowReduction *r) {
  TccEmit *t = &row->n.e;
  Best v;
  TCC_TRY(row->nheld ? reduce_held(row, r, &v) : reduce_in_loop(row, r, &v));
  v = fold(row, r, v);
  TccElem elem = tcc_type_elem(tcc_value_type(mlirOperationGetResult(r->op, 0)));
  TccVal result =
      r->is_arg ? tcc_scalar_convert(t, TCC_ELEM_I64, elem, 1, v.place) : tcc_scalar_convert(t, r->wide, elem, 1, v.value);
  for (size_t k = 0; k < row->read.pull.nodes.count; k++) {
    TccPullNode *node = row->read.pull.nodes.data[k];
    if (node->kind != TCC_PULL_REDUCED || !mlirOperationEqual(node->op, r->op)) continue;
    for (int i = 0; i < (row->nheld ? row->nheld : 1); i++) row->emit[i].reduced[k] = result;
  }
  return NULL;
}

/* ---- results ---- */

static TccStatus *store_results(Row *row, TccPullEmit *emit, const TccVal *values, bool full) {
  for (int i = 0; i < row->read.nresults; i++) {
    const TccRowResult *r = &row->read.result[i];
    if (r->full == full) TCC_TRY(tcc_pull_emit_store(emit, r->argument, r->elem, &r->store, values[i]));
  }
  return NULL;
}

static TccStatus *pull_results(Row *row, TccPullEmit *emit, bool full, TccVal *out_values) {
  for (int i = 0; i < row->read.nresults; i++)
    if (row->read.result[i].full == full) TCC_TRY(tcc_pull_emit_node(emit, row->read.result[i].root, &out_values[i]));
  return NULL;
}

static bool has_results(const Row *row, bool full) {
  for (int i = 0; i < row->read.nresults; i++)
    if (row->read.result[i].full == full) return true;
  return false;
}

/* A full result's element of that number: exchanged, or where it is. */
static TccStatus *store_lane(Row *row, int result, int number, TccVal value) {
  TccEmit *t = &row->n.e;
  const TccRowResult *r = &row->read.result[result];
  NvptxLanesStream *stream = &row->stores[result];
  if (stream->moved) return nvptx_lanes_store(&row->lanes, stream, r->argument, r->elem, &r->store, number, value);
  TccIf inside;
  TccVal has = has_piece(row, number);
  if (has) tcc_emit_if(t, &inside, has, 0, NULL);
  TCC_TRY(tcc_pull_emit_store(&row->emit[number], r->argument, r->elem, &r->store, value));
  if (has) tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

/* In the order of elements: what is read for one lies before all that is stored for those before. */
static TccStatus *store_lanes(Row *row) {
  for (int i = 0; i < row->nheld; i++) {
    TccVal values[TCC_ROW_RESULTS];
    TCC_TRY(pull_results(row, &row->emit[i], true, values));
    for (int r = 0; r < row->read.nresults; r++)
      if (row->read.result[r].full) TCC_TRY(store_lane(row, r, i, values[r]));
  }
  return NULL;
}

/* All of a piece is read before any of it is stored, so that accesses of one element each can be joined. */
static TccStatus *store_held(Row *row) {
  TccEmit *t = &row->n.e;
  if (row->lanes.count) return store_lanes(row);
  for (int first = 0; first < row->nheld; first += row->run) {
    TccVal values[NVPTX_MOST_RUN][TCC_ROW_RESULTS], has = has_piece(row, first / row->run);
    TccIf inside;
    if (has) tcc_emit_if(t, &inside, has, 0, NULL);
    for (int i = 0; i < row->run; i++) TCC_TRY(pull_results(row, &row->emit[first + i], true, values[i]));
    for (int i = 0; i < row->run; i++) TCC_TRY(store_results(row, &row->emit[first + i], values[i], true));
    if (has) tcc_emit_end_if(t, &inside, NULL);
  }
  return NULL;
}

static TccStatus *store_in_loop(Row *row) {
  TccEmit *t = &row->n.e;
  TccVal values[NVPTX_MOST_RUN][TCC_ROW_RESULTS];
  TccLoop loop;
  TccIf begun;
  tcc_emit_for(t, &loop, row->begin, tcc_kernel_size(&row->n.k, row->pieces), row->slices, 0, NULL, NULL);
  if (row->is_back) tcc_emit_if(t, &begun, tcc_emit_icmp(t, "sge", "i64", loop.iv, i64(row, 0)), 0, NULL);
  for (int i = 0; i < row->run; i++) {
    place_piece(row, row->emit, loop.iv, i);
    tcc_pull_emit_reset(row->emit);
    TCC_TRY(pull_results(row, row->emit, true, values[i]));
  }
  for (int i = 0; i < row->run; i++) {
    place_piece(row, row->emit, loop.iv, i);
    TCC_TRY(store_results(row, row->emit, values[i], true));
  }
  if (row->is_back) tcc_emit_end_if(t, &begun, NULL);
  tcc_emit_end_for(t, &loop, NULL);
  return NULL;
}

/* What is one for a row is the first slice's. */
static TccStatus *store_reduced(Row *row) {
  TccEmit *t = &row->n.e;
  TccVal values[TCC_ROW_RESULTS];
  TccIf first;
  tcc_emit_if(t, &first, tcc_emit_icmp(t, "eq", "i64", row->slice, i64(row, 0)), 0, NULL);
  tcc_pull_emit_reset(row->emit);
  place_piece(row, row->emit, i64(row, 0), 0);
  TCC_TRY(pull_results(row, row->emit, false, values));
  TCC_TRY(store_results(row, row->emit, values, false));
  tcc_emit_end_if(t, &first, NULL);
  return NULL;
}

/* ---- the kernel ---- */

/* The warp's part of the row, if lanes exchange elements. */
static void place_lanes(Row *row, TccVal number) {
  TccEmit *t = &row->n.e;
  NvptxRowLanes *w = &row->lanes;
  TccVal warp = i64(row, NVPTX_WARP), each = i64(row, (int64_t)NVPTX_WARP * w->count);
  w->n = &row->n, w->emit = &row->emit[row->nheld], w->dim = row->dims[0];
  tcc_pull_emit_place(w->emit, row->row_dims, row->nrow_dims, number);
  w->lane = tcc_emit_rem(t, row->slice, warp);
  w->begin = row->slices == NVPTX_WARP ? i64(row, 0) : tcc_emit_mul(t, tcc_emit_div(t, row->slice, warp), each);
  w->end = tcc_emit_min(t, tcc_emit_add(t, w->begin, each), tcc_kernel_size(&row->n.k, row->pieces));
}

/* What loops go over along the row, and how many bytes of it. */
typedef struct {
  const TccPullIndex *index;
  TccElem elem;
} Stream;

static bool follows(const Row *row, const Stream *s) {
  const int dim = row->dims[0];
  return tcc_elem_bits(s->elem) >= 8 && !s->index->nterms && s->index->coef[dim] == tcc_expr_const(row->read.pull.ir->exprs, 1);
}

/* Whether two of them begin at the same place of a sector. */
static bool agree(const Row *row, const Stream *a, const Stream *b) {
  const TccPull *p = &row->read.pull;
  const int dim = row->dims[0];
  bool moved = nvptx_lanes_is_moved(p, a->index, a->elem, dim);
  if (moved != nvptx_lanes_is_moved(p, b->index, b->elem, dim)) return false;
  if (!moved) return true;
  for (int d = 0; d < p->ndims; d++)
    if (a->index->coef[d] != b->index->coef[d]) return false;
  return a->index->offset == b->index->offset && tcc_elem_bits(a->elem) == tcc_elem_bits(b->elem);
}

/* A slice's first piece: back by what a row begins behind a sector. */
static TccVal first_piece(Row *row) {
  const TccPull *p = &row->read.pull;
  TccEmit *t = &row->n.e;
  Stream all[TCC_ROW_RESULTS + MOST_NODES];
  size_t n = 0, most = 0;
  const Stream *best = NULL;
  if (row->across || row->run > 1 || row->ndims != 1) return row->slice;
  for (size_t i = 0; i < p->nodes.count && i < MOST_NODES; i++)
    if (p->nodes.data[i]->kind == TCC_PULL_LOAD) all[n++] = (Stream){&p->nodes.data[i]->index, p->nodes.data[i]->elem};
  for (int r = 0; r < row->read.nresults; r++)
    if (row->read.result[r].full) all[n++] = (Stream){&row->read.result[r].store, row->read.result[r].elem};
  for (size_t i = 0; i < n; i++) {
    size_t bits = 0;
    for (size_t j = 0; j < n && follows(row, &all[i]); j++)
      if (follows(row, &all[j]) && agree(row, &all[i], &all[j])) bits += tcc_elem_bits(all[j].elem);
    if (bits > most) most = bits, best = &all[i];
  }
  if (!best || !nvptx_lanes_is_moved(p, best->index, best->elem, row->dims[0])) return row->slice;
  row->emit->iv[row->dims[0]] = i64(row, 0);
  row->is_back = true;
  return tcc_emit_sub(t, row->slice, nvptx_lanes_shift(row->emit, best->index, best->elem, row->dims[0]));
}

static void place_thread(Row *row) {
  TccEmit *t = &row->n.e;
  TccVal fast = i64(row, row->across ? row->in_block : row->slices);
  TccVal inner = tcc_emit_rem(t, row->n.thread, fast), outer = tcc_emit_div(t, row->n.thread, fast);
  row->slice = row->across ? outer : inner, row->row_of_block = row->across ? inner : outer;
  TccVal number = tcc_emit_add(t, tcc_emit_mul(t, row->n.block, i64(row, row->in_block)), row->row_of_block);
  TccVal rows = tcc_kernel_size(&row->n.k, row->rows);
  row->exists = row->in_block == 1 ? 0 : tcc_emit_icmp(t, "slt", "i64", number, rows);
  if (row->exists) number = tcc_emit_min(t, number, tcc_emit_sub(t, rows, i64(row, 1)));
  for (int i = 0; i < (row->nheld ? row->nheld : 1); i++) {
    tcc_pull_emit_place(&row->emit[i], row->row_dims, row->nrow_dims, number);
  }
  if (row->lanes.count) place_lanes(row, number);
  for (int i = 0; i < row->nheld; i++) {
    TccVal piece = piece_at(row, i / row->run);
    if (has_piece(row, i / row->run))
      piece = tcc_emit_min(t, piece, tcc_emit_sub(t, tcc_kernel_size(&row->n.k, row->pieces), i64(row, 1)));
    place_piece(row, &row->emit[i], piece, i % row->run);
  }
  row->begin = row->nheld ? 0 : first_piece(row);
}

static TccStatus *emit_row(Row *row) {
  TccEmit *t = &row->n.e;
  TccIf exists;
  place_thread(row);
  for (int i = 0; i < row->read.nreductions; i++) TCC_TRY(emit_reduction(row, &row->read.reduction[i]));
  if (row->exists) tcc_emit_if(t, &exists, row->exists, 0, NULL);
  if (has_results(row, true)) TCC_TRY(row->nheld ? store_held(row) : store_in_loop(row));
  if (has_results(row, false)) TCC_TRY(store_reduced(row));
  if (row->exists) tcc_emit_end_if(t, &exists, NULL);
  return NULL;
}

/* Whether the innermost dim that is longer than one stays. */
static bool rows_are_neighbours(const Row *row) {
  for (int d = row->read.pull.ndims; d-- > 0;)
    if (row->read.pull.dim[d] != tcc_expr_const(row->read.pull.ir->exprs, 1)) return !row->read.dim_reduced[d];
  return false;
}

static bool has_guard(const TccPull *p) {
  for (size_t i = 0; i < p->nodes.count; i++)
    if (p->nodes.data[i]->kind == TCC_PULL_GUARD) return true;
  return false;
}

/* Elements of the longest access that all the kernel reads and stores along a row's last dim can have. */
static int longest_run(const Row *row, int last) {
  const TccPull *p = &row->read.pull;
  int run = NVPTX_MOST_RUN;
  for (size_t i = 0; i < p->nodes.count; i++) {
    const TccPullNode *node = p->nodes.data[i];
    const bool several = tcc_elem_bits(node->elem) == 4; /* in a byte: a run of them is a word */
    if (node->kind == TCC_PULL_LOAD && node->index.coef[last] && !several) run = nvptx_run_within(node->elem, run);
  }
  for (int i = 0; i < row->read.nresults; i++)
    if (row->read.result[i].full) run = nvptx_run_within(row->read.result[i].elem, run);
  for (; run > 1; run /= 2) {
    bool all = tcc_pull_has_runs(p, NULL, last, run, true);
    for (int i = 0; i < row->read.nresults && all; i++)
      all = !row->read.result[i].full || tcc_pull_has_runs(p, &row->read.result[i].store, last, run, true);
    if (all) break;
  }
  return run;
}

/* Threads for a long row of so many pieces: such that all have as many, where whole warps can; rather fewer that read four pieces each, since
 * what is under way hides how long memory takes, and rows wait at barriers for as many threads as they have. */
static int long_row_slices(int64_t pieces) {
  int even = 0;
  for (int slices = BLOCK; slices > NVPTX_WARP; slices -= NVPTX_WARP) {
    if (pieces % slices) continue;
    if (pieces / slices >= PIECES_AT_ONCE) return slices;
    if (!even) even = slices;
  }
  return even >= BLOCK / 2 ? even : BLOCK;
}

/* Rows that are neighbours, of so many elements: more threads for each where blocks would else leave multiprocessors empty, if what they hold
 * leaves them registers. */
static int slices_across(const Row *row, const TccMachine *machine, int64_t length) {
  int64_t rows = MANY_ROWS;
  tcc_expr_is_const(row->rows, &rows);
  return rows < (int64_t)4 * COLUMNS * machine->gpu.sms && length > MOST_HELD * MANY_SLICES ? MANY_SLICES : SLICES;
}

static void choose_shape(Row *row, const TccMachine *machine, const TccExpr *row_length) {
  TccExprPool *exprs = row->read.pull.ir->exprs;
  int64_t length = 0;
  bool known = tcc_expr_is_const(row_length, &length);
  row->across = rows_are_neighbours(row);
  row->in_block = row->across ? COLUMNS : known && length <= LONG_ROW ? ROWS_PER_BLOCK : 1;
  row->slices = row->across ? slices_across(row, machine, known ? length : MANY_ROWS) : row->in_block == 1 ? BLOCK : NVPTX_WARP;
  row->run = row->across || !row->ndims ? 1 : longest_run(row, row->dims[row->ndims - 1]);
  while (row->run > 1 &&
         ((known && length < (int64_t)row->run * row->slices) || (size_t)row->run * row->read.pull.nodes.count > MOST_NODES))
    row->run /= 2;
  if (known && row->in_block == 1 && row->run > 1) row->slices = long_row_slices(length / row->run);
  row->pieces = row->run > 1 ? tcc_expr_call(exprs, TCC_EXPR_FLOORDIV, row_length, tcc_expr_const(exprs, row->run)) : row_length;
  int64_t at_once = (int64_t)row->slices * row->run, held = (length + at_once - 1) / at_once * row->run;
  bool few = (int64_t)row->read.pull.nodes.count * held <= MOST_HELD_NODES;
  row->nheld = known && length > 0 && held <= MOST_HELD && (few || held <= 4) && !has_guard(&row->read.pull) ? (int)held : 0;
}

static bool held_value(void *user, const TccPullNode *node, TccVal *out) {
  const Held *held = user;
  Row *row = held->row;
  if (node->kind != TCC_PULL_LOAD || !row->loads[node->id].moved || row->status) return false;
  row->status = nvptx_lanes_load(&row->lanes, &row->loads[node->id], node, held->number, out);
  return !row->status;
}

/* Where rows begin inside of sectors, lanes of held ones exchange elements. */
static void choose_lanes(Row *row) {
  const TccPull *p = &row->read.pull;
  bool any = false;
  row->loads = TCC_NEW_ARRAY(p->arena, NvptxLanesStream, p->nodes.count + 1);
  if (!row->nheld || row->across || row->run > 1 || row->ndims != 1) return;
  for (size_t i = 0; i < p->nodes.count; i++) {
    const TccPullNode *node = p->nodes.data[i];
    if (node->kind != TCC_PULL_LOAD || (node->argument < 0 && node->count == 1)) continue;
    any |= row->loads[node->id].moved = nvptx_lanes_is_moved(p, &node->index, node->elem, row->dims[0]);
  }
  for (int r = 0; r < row->read.nresults; r++) {
    const TccRowResult *result = &row->read.result[r];
    if (result->full) any |= row->stores[r].moved = nvptx_lanes_is_moved(p, &result->store, result->elem, row->dims[0]);
  }
  row->lanes.count = any ? row->nheld : 0;
}

/* Whether all results are floats of 16 bits. */
static bool is_narrow(const Row *row) {
  for (int i = 0; i < row->read.nresults; i++)
    if (row->read.result[i].elem != TCC_ELEM_F16 && row->read.result[i].elem != TCC_ELEM_BF16) return false;
  return true;
}

static const char *shape_text(const Row *row) {
  return tcc_arena_printf(row->read.pull.ir->arena, "%d rows, %d slices%s, %d held, pieces of %d", row->in_block, row->slices,
                          row->across ? " across" : "", row->nheld, row->run);
}

TccStatus *nvptx_row(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Row *row = TCC_NEW(ir->arena, Row);
  TCC_TRY(tcc_row_read(ir, kernel, &row->read));
  row->nrow_dims = tcc_row_dims(&row->read, false, row->row_dims, &row->rows);
  const TccExpr *length;
  row->ndims = tcc_row_dims(&row->read, true, row->dims, &length);
  choose_shape(row, &target->machine, length);
  choose_lanes(row);
  nvptx_open(&row->n, ir, target, kernel);
  row->n.e.narrow = is_narrow(row);
  row->emit = TCC_NEW_ARRAY(ir->arena, TccPullEmit, row->nheld + 1);
  Held *held = TCC_NEW_ARRAY(ir->arena, Held, row->nheld + 1);
  for (int i = 0; i < row->nheld + 1; i++) {
    tcc_pull_emit_init(&row->emit[i], &row->n.k, &row->read.pull, 1);
    held[i] = (Held){row, i};
    if (row->lanes.count && i < row->nheld) row->emit[i].kept = held_value, row->emit[i].user = &held[i];
  }
  TccStatus *status = emit_row(row);
  if (!status) status = row->status;
  if (status) {
    nvptx_abandon(&row->n);
    return status;
  }
  const TccExpr *blocks = nvptx_blocks(ir, row->rows, row->in_block);
  return nvptx_close(&row->n, "nvptx.row", shape_text(row), blocks, (uint32_t)(row->in_block * row->slices), row->shared, out);
}

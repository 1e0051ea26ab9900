/* map_transpose.c - transposes: copies whose neighbours in memory lie along another dim than the result's.
 *
 * A nest is walked in blocks of the last two dims, so that whole lines of memory are read and written, from few enough
 * pages at a time for the first table of their addresses. Inside a block go, by what the sizes allow:
 *
 * registers  n columns of 128 bits from n w rows, w = 4, 2 or 1: the piece of row j n + k is quarter j of register k, which an
 *          insertion from memory puts there without a shuffle; log2 n rounds of unpacking inside the quarters then leave a
 *          column in each register. Rounds interleave rows i and i + n / 2: each turns the bits of an element's place, row
 *          and column, by one (Stone 1971). The last cell of a side that is no multiple begins earlier and writes a second
 *          time what is there already. Where nothing is near, or may be, neither side runs on in a page: the lines that follow in the result are asked
 *          for, and of the rows that come next each cell fetches a share, so that a line is prefetched once by the cells that lie in it.
 *          Where nothing is prefetched and both sides are long enough, the cells of a block are a routine, which all transposes of elements of so many bits share:
 *          LLVM takes 1.9 ms for the cells and 0.15 for a call of them, and a network has a dozen. They are as fast (0.88 to 1.04 of
 *          the time with distances that are constants, ten shapes).
 * scratch  lanes x lanes elements by way of scratch, masked at the borders: sides too short for a cell. Where a side is not known, the
 *          kernel has both ways and its size decides.
 * join     2 to 4 rows that become the short last dim (planes of an image to pixels): a vector of each is read, and
 *          selections of two registers at a time put the results together. One row that is repeated likewise.
 * part     the other way. */
#include "lib/targets/x86/map/map_transpose.h"

enum { ACROSS = 128, ALONG = 64, FEW = 4, PIXELS = 2048, LINE = 64 /* bytes */, LINES = 2, CELLS_OF_LINE = 4 };

static const char *memory_type(const TccTranspose *transpose) {
  return transpose->bits == 8 ? "i8" : transpose->bits == 16 ? "i16" : transpose->bits == 32 ? "i32" : "i64";
}

/* ---- choice ---- */

/* Long enough for vectors in scratch, most of whose places hold something. */
static bool is_long(const TccExpr *size) {
  int64_t n;
  return !tcc_expr_is_const(size, &n) || n >= 12;
}

static int64_t known_size(const TccExpr *size) {
  int64_t n;
  return tcc_expr_is_const(size, &n) ? n : 0;
}

/* What is not known has whole vectors and a masked rest, which a size that is known writes as a vector that begins earlier. */
static bool fills(const TccExpr *size, int lanes) {
  int64_t n;
  return !tcc_expr_is_const(size, &n) || n >= lanes;
}

/* How many rows of the result are the same one: the dim in front of both, where nothing is read along it. */
static int repeats(const TccPull *p, const TccPullNode *root) {
  int64_t times = p->ndims > 2 && !root->index.coef[p->ndims - 3] ? known_size(p->dim[p->ndims - 3]) : 1;
  return times >= 2 && times <= FEW ? (int)times : 1;
}

/* Rows of a block, at most so many: of as many as a size needs, all with about the same, so that threads have the same to do. */
static int64_t even_rows(int64_t height, int64_t most, int64_t cell) {
  if (!height) return most;
  const int64_t blocks = (height + most - 1) / most, rows = (height + blocks - 1) / blocks;
  return (rows + cell - 1) / cell * cell;
}

TccTranspose tcc_map_transpose_choose(const TccPull *p, const TccPullNode *root, const TccPullIndex *store, TccElem elem, int lanes,
                                      int64_t near) {
  TccTranspose transpose = {.bits = (int)tcc_elem_bits(elem)};
  int last = p->ndims - 1;
  if (last < 1 || root->kind != TCC_PULL_LOAD || root->argument < 0 || root->index.nterms || root->elem != elem ||
      transpose.bits < 8)
    return transpose;
  const TccExpr *one = tcc_expr_const(p->ir->exprs, 1), *along = root->index.coef[last];
  if (store->coef[last] != one || root->index.coef[last - 1] != one || along == one) return transpose;
  int64_t width = known_size(p->dim[last]), height = known_size(p->dim[last - 1]);
  int wide = lanes * 32 / transpose.bits;
  if (width >= 2 && width <= FEW && fills(p->dim[last - 1], lanes) && store->coef[last - 1] == p->dim[last])
    return (TccTranspose){
        TCC_TRANSPOSE_INTERLEAVE, transpose.bits, transpose.bits == 64 ? lanes / 2 : lanes, (int)width, repeats(p, root), false,
        {PIXELS, width}};
  if (!along) return transpose;
  if (height >= 2 && height <= FEW && fills(p->dim[last], lanes) && along == p->dim[last - 1])
    return (TccTranspose){TCC_TRANSPOSE_DEINTERLEAVE,
                          transpose.bits,
                          transpose.bits == 64 ? lanes / 2 : lanes,
                          (int)height,
                          1,
                          false,
                          {height, PIXELS}};
  int cell = 128 / transpose.bits; /* rows of a cell in the result, and the fewest columns */
  while (wide > cell && width && wide > width) wide /= 2;
  bool cells = (!width || wide <= width) && (!height || cell <= height);
  if (!cells && (!is_long(p->dim[last]) || !is_long(p->dim[last - 1]))) return transpose;
  double bytes = transpose.bits / 4;
  bool may_be_far = false;
  for (int d = 0; d < p->ndims; d++) {
    bytes *= (double)tcc_ir_likely(p->ir, p->dim[d]);
    may_be_far |= !tcc_expr_is_const(p->dim[d], NULL);
  }
  bool streams = cells && (!width || width > wide) && (may_be_far || bytes > (double)near);
  const int64_t most = streams ? LINES * 512 / transpose.bits : width && width < ALONG ? ACROSS * (ALONG / width) : ACROSS;
  return (TccTranspose){.kind = cells ? TCC_TRANSPOSE_REGISTERS : TCC_TRANSPOSE_SCRATCH,
                        .bits = transpose.bits,
                        .lanes = wide,
                        .side = !cells || !width || !height ? (transpose.bits == 64 ? lanes / 2 : lanes) : 0,
                        .streams = streams,
                        .block = {cells && !streams ? even_rows(height, most, cell) : most, ALONG}};
}

const TccExpr *tcc_map_transpose_blocks(const TccPull *p, const TccTranspose *transpose) {
  TccExprPool *exprs = p->ir->exprs;
  const TccExpr *blocks = tcc_expr_const(exprs, 1);
  for (int d = 0; d < p->ndims; d++) {
    int side = d - (p->ndims - 2);
    if (side == -1 && transpose->repeated > 1) continue;
    const TccExpr *n =
        side < 0 ? p->dim[d] : tcc_expr_call(exprs, TCC_EXPR_CEILDIV, p->dim[d], tcc_expr_const(exprs, transpose->block[side]));
    blocks = tcc_expr_mul(exprs, blocks, n);
  }
  return blocks;
}

int64_t tcc_map_transpose_scratch(const TccTranspose *transpose) {
  return 2 * (int64_t)transpose->side * transpose->side * transpose->bits / 8;
}

/* ---- emission ---- */

typedef struct {
  TccPullEmit *e;
  TccEmit *t;
  const TccTranspose *transpose;
  int last;
  const char *memory;
  TccVal from_begin, to_begin; /* the arguments */
  TccVal from, to;             /* the first elements, at e->iv */
  TccVal copy;                 /* elements between rows that are the same one, in `to` */
  TccVal step, pitch;          /* elements between neighbours of the last dim in `from`, of the last dim but one in `to` */
} Transposing;

static TccVal size_of(const Transposing *g, int d) { return tcc_kernel_size(g->e->k, g->e->p->dim[d]); }

static TccVal row_of(const Transposing *g, TccVal base, TccVal pitch, TccVal row) {
  return tcc_emit_gep(g->t, g->memory, base, tcc_emit_mul(g->t, row, pitch));
}

void tcc_map_transpose_unpack(TccEmit *t, const char *type, int n, TccVal *v) {
  int lanes = tcc_emit_lanes(type), index[2][64];
  for (int i = 0; i < lanes; i++) {
    index[0][i] = i % 2 * lanes + i / n * n + i % n / 2;
    index[1][i] = index[0][i] + n / 2;
  }
  for (int done = 1; done < n; done *= 2) {
    TccVal next[16];
    for (int i = 0; i < n; i++) next[i] = tcc_emit_shuffle(t, type, v[i / 2], v[i / 2 + n / 2], index[i % 2]);
    memcpy(v, next, sizeof *v * (size_t)n);
  }
}

static void prefetch_after_cell(const Transposing *g, int n) {
  TccEmit *t = g->t;
  int share = g->transpose->lanes / CELLS_OF_LINE, stored = g->transpose->lanes * g->transpose->bits / 8;
  TccVal cell = tcc_emit_rem(t, tcc_emit_div(t, g->e->iv[g->last - 1], tcc_emit_i64(t, n)), tcc_emit_i64(t, CELLS_OF_LINE));
  TccVal first = row_of(g, g->from, g->step,
                        tcc_emit_add(t, tcc_emit_i64(t, g->transpose->lanes), tcc_emit_mul(t, cell, tcc_emit_i64(t, share))));
  for (int k = 0; k < share; k++) tcc_emit_prefetch(t, row_of(g, first, g->step, tcc_emit_i64(t, k)), false, 3);
  for (int k = 0; k < n; k++)
    tcc_emit_prefetch(t, tcc_emit_at(t, "i8", row_of(g, g->to, g->pitch, tcc_emit_i64(t, k)), stored > LINE ? stored : LINE), true,
                      3);
}

static void emit_cell(const Transposing *g) {
  TccEmit *t = g->t;
  int n = 128 / g->transpose->bits, lanes = g->transpose->lanes;
  if (g->transpose->streams) prefetch_after_cell(g, n);
  const char *part = tcc_emit_vector(t, g->memory, n), *type = tcc_emit_vector(t, g->memory, lanes);
  TccVal v[16];
  for (int k = 0; k < n; k++)
    for (int j = 0; j < lanes / n; j++) {
      TccVal piece = tcc_emit_load(t, part, row_of(g, g->from, g->step, tcc_emit_i64(t, j * n + k)));
      if (lanes == n) v[k] = piece;
      else v[k] = tcc_emit_insert_vector(t, part, piece, type, j ? v[k] : tcc_emit_poison(t, type), j * n);
    }
  tcc_map_transpose_unpack(t, type, n, v);
  for (int k = 0; k < n; k++) tcc_emit_store(t, type, v[k], row_of(g, g->to, g->pitch, tcc_emit_i64(t, k)));
}

/* ---- a block's cells as a routine ---- */

enum { FROM, TO, STEP, PITCH, ROWS, COLUMNS, ROWS_LEFT, COLUMNS_LEFT, BLOCK_ARGS };
static const char *const block_types[BLOCK_ARGS] = {TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64", "i64"};

bool tcc_map_transpose_shares(const TccTranspose *transpose) {
  return transpose->kind == TCC_TRANSPOSE_REGISTERS && !transpose->streams && !transpose->side;
}

/* As emit_cell, but rows come one after the other: their distance is no constant, and its multiples would take all registers. */
static void emit_cell_by_rows(const Transposing *g) {
  TccEmit *t = g->t;
  int n = 128 / g->transpose->bits, lanes = g->transpose->lanes;
  const char *part = tcc_emit_vector(t, g->memory, n), *type = tcc_emit_vector(t, g->memory, lanes);
  TccVal v[16], from = g->from, to = g->to;
  for (int j = 0; j < lanes / n; j++)
    for (int k = 0; k < n; k++) {
      TccVal piece = tcc_emit_load(t, part, from);
      if (lanes == n) v[k] = piece;
      else v[k] = tcc_emit_insert_vector(t, part, piece, type, j ? v[k] : tcc_emit_poison(t, type), j * n);
      if (j * n + k + 1 < lanes) from = tcc_emit_gep(t, g->memory, from, g->step);
    }
  tcc_map_transpose_unpack(t, type, n, v);
  for (int k = 0; k < n; k++) {
    tcc_emit_store(t, type, v[k], to);
    if (k + 1 < n) to = tcc_emit_gep(t, g->memory, to, g->pitch);
  }
}

void tcc_map_transpose_routine(TccEmit *t, TccIr *ir, const TccTranspose *transpose) {
  const char key[] = {'t', (char)transpose->bits, (char)transpose->lanes};
  if (tcc_emit_routine_again(t, ir->routines, (TccStr){key, sizeof key}, "transpose")) return;
  TccVal arg[BLOCK_ARGS];
  tcc_emit_function(t, "transpose", true, BLOCK_ARGS, block_types, NULL, arg);
  Transposing g = {.t = t, .transpose = transpose, .memory = memory_type(transpose), .step = arg[STEP], .pitch = arg[PITCH]};
  const int n = 128 / transpose->bits, lanes = transpose->lanes;
  TccVal last_row = tcc_emit_sub(t, arg[ROWS_LEFT], tcc_emit_i64(t, n)),
         last_column = tcc_emit_sub(t, arg[COLUMNS_LEFT], tcc_emit_i64(t, lanes));
  TccLoop along, across;
  TccVal zero = tcc_emit_i64(t, 0);
  tcc_emit_for(t, &along, zero, arg[COLUMNS], lanes, 0, NULL, NULL);
  TccVal column = tcc_emit_min(t, along.iv, last_column); /* the last ones begin earlier */
  TccVal from = row_of(&g, arg[FROM], arg[STEP], column), to = tcc_emit_gep(t, g.memory, arg[TO], column);
  tcc_emit_for(t, &across, zero, arg[ROWS], n, 0, NULL, NULL);
  TccVal row = tcc_emit_min(t, across.iv, last_row);
  g.from = tcc_emit_gep(t, g.memory, from, row), g.to = row_of(&g, to, arg[PITCH], row);
  emit_cell_by_rows(&g);
  tcc_emit_end_for(t, &across, NULL);
  tcc_emit_end_for(t, &along, NULL);
  tcc_emit_return(t, 0, NULL);
  tcc_emit_routine_keep(t, ir->routines, (TccStr){key, sizeof key}, "transpose");
}

static void emit_scratch_block(const Transposing *g, TccVal scratch) {
  TccEmit *t = g->t;
  const int side = g->transpose->side;
  const char *type = tcc_emit_vector(t, g->memory, side);
  TccVal lanes = tcc_emit_i64(t, side), zero = tcc_emit_i64(t, 0);
  TccVal rows = tcc_emit_sub(t, size_of(g, g->last - 1), g->e->iv[g->last - 1]), inside = tcc_emit_mask(t, rows, side);
  TccVal rest = tcc_emit_sub(t, size_of(g, g->last), g->e->iv[g->last]), on = tcc_emit_mask(t, rest, side);
  TccLoop i;
  tcc_emit_for(t, &i, zero, tcc_emit_min(t, lanes, rest), 1, 0, NULL, NULL);
  tcc_emit_store(t, type, tcc_emit_masked_load(t, type, row_of(g, g->from, g->step, i.iv), inside),
                 tcc_emit_gep(t, type, scratch, i.iv));
  tcc_emit_end_for(t, &i, NULL);
  TccVal transposed = tcc_emit_transpose(t, type, scratch);
  tcc_emit_for(t, &i, zero, tcc_emit_min(t, lanes, rows), 1, 0, NULL, NULL);
  tcc_emit_masked_store(t, type, tcc_emit_load(t, type, tcc_emit_gep(t, type, transposed, i.iv)), row_of(g, g->to, g->pitch, i.iv),
                        on);
  tcc_emit_end_for(t, &i, NULL);
}

/* Where the piece of `width` elements at `at` begins: earlier if it would reach over the end. */
static TccVal inside(const Transposing *g, int d, TccVal at, int64_t width) {
  int64_t size;
  if (tcc_expr_is_const(g->e->p->dim[d], &size) && size % width == 0) return at;
  return tcc_emit_min(g->t, at, tcc_emit_sub(g->t, size_of(g, d), tcc_emit_i64(g->t, width)));
}

/* Where a cell at e->iv is read and written. */
static void begin_cell(Transposing *g, const TccPullIndex *from, const TccPullIndex *to) {
  TccVal base, place, unit;
  tcc_pull_emit_affine(g->e, from, &base, &g->step);
  tcc_pull_emit_affine(g->e, to, &place, &unit);
  g->from = tcc_emit_gep(g->t, g->memory, g->from_begin, base);
  g->to = tcc_emit_gep(g->t, g->memory, g->to_begin, place);
}

static TccVal joined_mask(const Transposing *g, TccVal places, int vector) {
  TccEmit *t = g->t;
  return places ? tcc_emit_mask(t, tcc_emit_sub(t, places, tcc_emit_i64(t, (int64_t)vector * g->transpose->lanes)),
                                g->transpose->lanes)
                : 0;
}

/* Element j of the `few` vectors read one after the other goes to place j of those written: lane and vector of its source. */
static TccVal selected(TccEmit *t, const char *type, const TccVal *in, int few, bool join, int o) {
  TccVal v = in[0];
  int lanes = tcc_emit_lanes(type), index[64];
  for (int s = 1; s < few; s++) { /* adds the lanes that come from vector s */
    for (int j = 0; j < lanes; j++) {
      int flat = join ? o * lanes + j : j * few + o, source = join ? flat % few : flat / lanes,
          lane = join ? flat / few : flat % lanes;
      index[j] = source == s ? lanes + lane : s > 1 ? j : source == 0 ? lane : 0;
    }
    v = tcc_emit_shuffle(t, type, v, in[s], index);
  }
  return v;
}

TccVal tcc_map_interleaved(TccEmit *t, const char *type, const TccVal *in, int few, int o) {
  return selected(t, type, in, few, true, o);
}

/* rest: 0, or how many of a vector's places there are. */
static void emit_few(const Transposing *g, TccVal rest) {
  TccEmit *t = g->t;
  int few = g->transpose->few, lanes = g->transpose->lanes;
  bool join = g->transpose->kind == TCC_TRANSPOSE_INTERLEAVE;
  const char *type = tcc_emit_vector(t, g->memory, lanes);
  TccVal in[FEW], one = tcc_emit_i64(t, lanes), inside = rest ? tcc_emit_mask(t, rest, lanes) : 0;
  TccVal places = rest ? tcc_emit_mul(t, rest, tcc_emit_i64(t, few)) : 0; /* on the side where rows stand joined */
  for (int i = 0; i < few; i++)
    in[i] = tcc_emit_masked_load(t, type, row_of(g, g->from, join ? g->step : one, tcc_emit_i64(t, i)),
                                 join ? inside : joined_mask(g, places, i));
  for (int o = 0; o < few; o++) {
    TccVal v = selected(t, type, in, few, join, o);
    TccVal to = row_of(g, g->to, join ? one : g->pitch, tcc_emit_i64(t, o));
    for (int r = 0; r < (join ? g->transpose->repeated : 1); r++)
      tcc_emit_masked_store(t, type, v, r ? row_of(g, to, g->copy, tcc_emit_i64(t, r)) : to,
                            join ? joined_mask(g, places, o) : inside);
  }
}

/* The cells of a short side, which is taken whole: at iv of the long one. */
static void emit_few_cells(Transposing *g, const TccPullIndex *from_index, const TccPullIndex *store, TccVal from, TccVal to) {
  TccEmit *t = g->t;
  int lanes = g->transpose->lanes, d = g->transpose->kind == TCC_TRANSPOSE_INTERLEAVE ? g->last - 1 : g->last;
  bool known = tcc_expr_is_const(g->e->p->dim[d], &(int64_t){0});
  TccVal width = tcc_emit_i64(t, lanes), whole = to;
  if (!known) whole = tcc_emit_add(t, from, tcc_emit_mul(t, tcc_emit_div(t, tcc_emit_sub(t, to, from), width), width));
  g->e->iv[2 * g->last - 1 - d] = tcc_emit_i64(t, 0);
  for (int part = 0; part < (known ? 1 : 2); part++) {
    TccLoop cell;
    tcc_emit_for(t, &cell, part ? whole : from, part ? to : whole, lanes, 0, NULL, NULL);
    g->e->iv[d] = known ? inside(g, d, cell.iv, lanes) : cell.iv;
    begin_cell(g, from_index, store);
    emit_few(g, part ? tcc_emit_sub(t, to, cell.iv) : 0);
    tcc_emit_end_for(t, &cell, NULL);
  }
}

/* A block's cells: in registers, or `scratch`. */
static void emit_cells(Transposing *g, const TccPullIndex *from_index, const TccPullIndex *store, const TccVal *from,
                       const TccVal *to, TccVal scratch) {
  TccEmit *t = g->t;
  const int last = g->last;
  int64_t across_by = scratch ? g->transpose->side : 128 / g->transpose->bits,
          along_by = scratch ? g->transpose->side : g->transpose->lanes;
  TccLoop along, across;
  tcc_emit_for(t, &along, from[1], to[1], along_by, 0, NULL, NULL);
  tcc_emit_for(t, &across, from[0], to[0], across_by, 0, NULL, NULL);
  g->e->iv[last] = scratch ? along.iv : inside(g, last, along.iv, along_by);
  g->e->iv[last - 1] = scratch ? across.iv : inside(g, last - 1, across.iv, across_by);
  begin_cell(g, from_index, store);
  if (scratch) emit_scratch_block(g, scratch);
  else emit_cell(g);
  tcc_emit_end_for(t, &across, NULL);
  tcc_emit_end_for(t, &along, NULL);
}

static void call_routine(Transposing *g, const TccPullIndex *from_index, const TccPullIndex *store, const TccVal *from,
                         const TccVal *to) {
  TccEmit *t = g->t;
  const int last = g->last;
  for (int side = 0; side < 2; side++) g->e->iv[last - 1 + side] = from[side];
  begin_cell(g, from_index, store);
  const TccVal args[BLOCK_ARGS] = {g->from,
                                   g->to,
                                   g->step,
                                   g->pitch,
                                   tcc_emit_sub(t, to[0], from[0]),
                                   tcc_emit_sub(t, to[1], from[1]),
                                   tcc_emit_sub(t, size_of(g, last - 1), from[0]),
                                   tcc_emit_sub(t, size_of(g, last), from[1])};
  tcc_emit_call(t, "transpose", BLOCK_ARGS, args, block_types, NULL);
}

void tcc_map_transpose_emit(TccPullEmit *e, const TccTranspose *transpose, const TccPullNode *root, int argument,
                            const TccPullIndex *store, TccVal block, TccVal scratch) {
  TccEmit *t = e->k->e;
  int last = e->p->ndims - 1;
  Transposing g = {.e = e, .t = t, .transpose = transpose, .last = last, .memory = memory_type(transpose)};
  TccVal from[2], to[2], row = block;
  for (int side = 2; side-- > 0;) {
    TccVal size = size_of(&g, last - 1 + side), blocks = tcc_emit_ceil_div(t, size, transpose->block[side]);
    TccVal at = side || last > 1 ? tcc_emit_rem(t, row, blocks) : row;
    row = tcc_emit_div(t, row, blocks);
    from[side] = tcc_emit_mul(t, at, tcc_emit_i64(t, transpose->block[side]));
    to[side] = tcc_emit_min(t, tcc_emit_add(t, from[side], tcc_emit_i64(t, transpose->block[side])), size);
  }
  for (int d = last - 1; d-- > 0;) {
    e->iv[d] = tcc_emit_i64(t, 0);
    if (d == last - 2 && transpose->repeated > 1) continue;
    e->iv[d] = d ? tcc_emit_rem(t, row, size_of(&g, d)) : row;
    if (d) row = tcc_emit_div(t, row, size_of(&g, d));
  }
  g.from_begin = tcc_emit_load_once(t, TCC_PTR, e->k->arguments, root->argument);
  g.to_begin = tcc_emit_load_once(t, TCC_PTR, e->k->arguments, argument);
  g.pitch = store->coef[last - 1] ? tcc_kernel_size(e->k, store->coef[last - 1]) : tcc_emit_i64(t, 0);
  if (transpose->kind == TCC_TRANSPOSE_INTERLEAVE || transpose->kind == TCC_TRANSPOSE_DEINTERLEAVE) {
    int side = transpose->kind == TCC_TRANSPOSE_DEINTERLEAVE;
    if (transpose->repeated > 1) g.copy = tcc_kernel_size(e->k, store->coef[last - 2]);
    emit_few_cells(&g, &root->index, store, from[side], to[side]);
    return;
  }
  if (transpose->shared) {
    call_routine(&g, &root->index, store, from, to);
    return;
  }
  bool cells = transpose->kind == TCC_TRANSPOSE_REGISTERS, decided = cells && transpose->side;
  TccIf fits;
  if (decided) {
    TccVal rows = tcc_emit_icmp(t, "sge", "i64", size_of(&g, last - 1), tcc_emit_i64(t, 128 / transpose->bits)),
           columns = tcc_emit_icmp(t, "sge", "i64", size_of(&g, last), tcc_emit_i64(t, transpose->lanes));
    tcc_emit_if(t, &fits, tcc_emit_bin(t, "and", "i1", rows, columns), 0, NULL);
  }
  if (cells) emit_cells(&g, &root->index, store, from, to, 0);
  if (decided) tcc_emit_else(t, &fits, NULL);
  if (transpose->side) emit_cells(&g, &root->index, store, from, to, scratch);
  if (decided) tcc_emit_end_if(t, &fits, NULL);
}

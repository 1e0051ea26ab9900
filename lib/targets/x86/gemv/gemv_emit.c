/* gemv_emit.c - the two loop nests of a contraction of few rows. See gemv.h.
 *
 *   along columns:  for one step in each of `unroll` parts of the depth: for each line of columns:
 *                     sums[row][columns] += x[row][step] * w[step][columns], summed over the steps first
 *   blocks with factors: for each block of the depth: for each line of columns: sums of the block in registers, times the factors
 *   along depth:    for each `unroll` columns: for each vector of depth:
 *                     sum[column][row] += x[row][depth] * w[column][depth]; then across the lanes
 *
 * Both read `unroll` lines side by side, a cache line of each in turn, and ask for what lies PREFETCH bytes further in the same
 * line, or where the line ends, in the one that comes next. Twice the distance costs two threads 8 % (int8: 780 us where it
 * takes 715), since what lies ahead takes the first cache from the sums. Lines side by side lie a known distance apart, so that one register addresses them all:
 * where each had its own multiplication, a thread read bytes at half the speed. */
#include "lib/targets/x86/gemv/gemv_internal.h"

enum { PREFETCH = 512, LINE = 64 };

enum { PARAMETERS = 8 };
static const char *const call_types[PARAMETERS] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64"};

void tcc_gemv_call(TccKernelEmit *k, const char *name, const TccGemvCall *call) {
  TccVal args[] = {call->rows, call->sums, k->arguments, k->size_pointer, call->from, call->to, call->begin, call->end};
  tcc_emit_call(k->e, name, PARAMETERS, args, call_types, NULL);
}

typedef struct {
  TccKernelEmit *k;
  TccEmit *e;
  const TccGemv *g;
  TccPullEmit pull;
  TccVal x, sums, from, to, begin, end; /* columns; steps or blocks of the depth */
  const char *vector;                   /* of f32 lanes */
  int line;                             /* vectors of the narrowest stream in a cache line */
  TccStatus *status;
} Nest;

/* A part of the right operand at a place, as f32; lanes that the mask leaves off are zero. */
static TccVal value_at(Nest *t, const TccPullNode *node, TccVal block, TccVal depth, TccVal column, TccVal mask) {
  TccPullEmit *p = &t->pull;
  TccVal v = 0;
  tcc_pull_emit_reset(p);
  if (t->g->read.block_dim >= 0) p->iv[t->g->read.block_dim] = block;
  p->iv[t->g->read.depth_dim] = depth;
  p->iv[t->g->read.column_dim] = column;
  p->mask = mask;
  TccStatus *status = tcc_pull_emit_node(p, node, &v);
  if (status) {
    if (t->status) tcc_status_destroy(status);
    else t->status = status;
    return tcc_emit_zero(t->e, t->vector);
  }
  v = tcc_scalar_convert(t->e, node->elem, TCC_ELEM_F32, t->g->form.lanes, v);
  return mask ? tcc_emit_select(t->e, t->vector, mask, v, tcc_emit_zero(t->e, t->vector)) : v;
}

static void prefetch_node(Nest *t, const TccPullNode *node) {
  TccVal base, step;
  tcc_pull_emit_affine(&t->pull, &node->index, &base, &step);
  TccVal from = node->argument < 0 ? tcc_emit_data(t->e, node->data, tcc_elem_bytes(node->elem, node->count))
                                   : tcc_emit_load_once(t->e, TCC_PTR, t->k->arguments, node->argument);
  if (tcc_elem_bits(node->elem) < 8) base = tcc_emit_div(t->e, base, tcc_emit_i64(t->e, 2));
  tcc_emit_prefetch(t->e, tcc_emit_gep(t->e, tcc_scalar_memory_type(node->elem), from, base), false, 3);
}

static void prefetch(Nest *t, TccVal block, TccVal depth, TccVal column) {
  TccPullEmit *p = &t->pull;
  if (t->g->read.block_dim >= 0) p->iv[t->g->read.block_dim] = block;
  p->iv[t->g->read.depth_dim] = depth;
  p->iv[t->g->read.column_dim] = column;
  for (size_t i = 0; i < t->g->read.pull.nodes.count; i++)
    if (tcc_gemv_streams(t->g, t->g->read.pull.nodes.data[i])) prefetch_node(t, t->g->read.pull.nodes.data[i]);
}

/* Position in the depth of (block, depth). */
static TccVal depth_at(Nest *t, TccVal block, TccVal depth) {
  if (t->g->read.block_dim < 0) return depth;
  return tcc_emit_add(t->e, tcc_emit_mul(t->e, block, tcc_kernel_size(t->k, t->g->read.k_at.coef[t->g->read.block_dim])), depth);
}

static TccVal x_pointer(Nest *t, int row, TccVal at) {
  return tcc_emit_gep(t->e, "f32", tcc_emit_at(t->e, "f32", t->x, row * t->g->plan.lda), at);
}

/* ---- along columns ---- */

enum { MOST_VECTORS = 4 }; /* of a line, in a row */

/* Steps side by side: `count` of them from (block, depth), each `spread` steps (or blocks) behind the one before; the next
 * iteration takes those `advance` further. rows, column: how far ahead lines are asked for. */
typedef struct {
  TccVal block, depth, rows, column;
  int count;
  int64_t spread, advance;
} Steps;

static void move_to(Nest *t, const Steps *s, int u) {
  int d = t->g->read.block_dim >= 0 ? t->g->read.block_dim : t->g->read.depth_dim;
  t->pull.moved[d] = u * s->spread;
}

/* Of a row that begins at x, step u. */
static TccVal step_x(Nest *t, const Steps *s, TccVal x, int u) {
  int64_t unit = 1;
  if (t->g->read.block_dim >= 0) tcc_expr_is_const(t->g->read.k_at.coef[t->g->read.block_dim], &unit);
  TccVal p = tcc_emit_at(t->e, "f32", x, u * s->spread * unit);
  return tcc_emit_splat(t->e, t->vector, tcc_emit_load(t->e, "f32", p));
}

typedef struct {
  TccVal one[TCC_GEMV_ROWS][8];
  bool hoisted;
} Factors;

typedef struct {
  TccVal depth, column;
} Prefetch; /* what is prefetched */

/* The line of step u of an iteration that is prefetched. */
static void prefetch_line(Nest *t, const Steps *s, const Prefetch *further, int u) {
  move_to(t, s, u);
  prefetch(t, s->block, further->depth, further->column); /* blocks follow each other: their rows are one run */
}

/* More rows than this are a loop around the steps, whose columns of the operand stay in registers: their code is no longer then, and no slower. */
enum { STRAIGHT_ROWS = 2 };

static bool has_row_loop(const TccGemv *g, const Factors *x) { return !x->hoisted && g->read.rows > STRAIGHT_ROWS; }

/* One row's sums at `to`: more by the steps w, times x or what is hoisted of it. They are summed first, which is an eighth of the roundings of the
 * long sum; behind conversions in two chains, as one of eight multiply-adds is then longer than what a core looks ahead over (bytes of 2048x2048, one
 * thread of a Zen 3: 0.211 to 0.184 ms, in four chains 0.198; f32 no different). */
static void add_row(Nest *t, const Steps *s, const TccVal *hoisted, const TccVal *w, TccVal x, TccVal to) {
  TccEmit *e = t->e;
  TccVal sums[2] = {0};
  const int chains = t->g->form.stream_bits < 32 ? 2 : 1;
  for (int u = 0; u < s->count; u++) {
    TccVal one = hoisted ? hoisted[u] : step_x(t, s, x, u), *sum = &sums[u % chains];
    *sum = *sum ? tcc_emit_fma(e, t->vector, one, w[u], *sum) : tcc_emit_bin(e, "fmul", t->vector, one, w[u]);
  }
  TccVal sum = sums[1] ? tcc_emit_bin(e, "fadd", t->vector, sums[0], sums[1]) : sums[0];
  tcc_emit_store(e, t->vector, tcc_emit_bin(e, "fadd", t->vector, tcc_emit_load(e, t->vector, to), sum), to);
}

/* One vector of columns from v on. prefetch: NULL, or lines that are asked for, one behind each load: all of them at once leave no room for
 * the misses of sums. */
static void emit_vector(Nest *t, const Steps *s, const Factors *x, const Prefetch *further, TccVal at, TccVal v, TccVal mask) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  static const char *const pointer[] = {TCC_PTR};
  TccVal w[8], sums = tcc_emit_gep(e, "f32", t->sums, tcc_emit_sub(e, v, t->from));
  for (int u = 0; u < s->count; u++) {
    move_to(t, s, u);
    w[u] = value_at(t, g->form.weight, s->block, s->depth, v, mask);
    if (further) prefetch_line(t, s, further, u);
  }
  move_to(t, s, 0);
  if (!has_row_loop(g, x)) {
    for (int r = 0; r < g->read.rows; r++)
      add_row(t, s, x->hoisted ? x->one[r] : NULL, w, x_pointer(t, r, at), tcc_emit_at(e, "f32", sums, r * g->plan.ldc));
    return;
  }
  TccLoop rows;
  TccVal from = x_pointer(t, 0, at);
  tcc_emit_for(e, &rows, tcc_emit_i64(e, 0), tcc_emit_i64(e, g->read.rows * g->plan.ldc), g->plan.ldc, 1, &from, pointer);
  add_row(t, s, NULL, w, rows.in[0], tcc_emit_gep(e, "f32", sums, rows.iv));
  from = tcc_emit_at(e, "f32", rows.in[0], g->plan.lda);
  tcc_emit_end_for(e, &rows, &from);
}

/* All columns of these steps. */
static void emit_steps(Nest *t, const Steps *s) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  TccVal at = depth_at(t, s->block, s->depth), width = tcc_emit_sub(e, t->to, t->from), zero = tcc_emit_i64(e, 0), whole = t->to;
  Factors x = {.hoisted = g->read.rows * s->count <= g->form.type.registers / 2};
  for (int u = 0; u < s->count; u++)
    for (int r = 0; x.hoisted && r < g->read.rows; r++) x.one[r][u] = step_x(t, s, x_pointer(t, r, at), u);
  int vectors = t->line < MOST_VECTORS ? t->line : MOST_VECTORS;
  int64_t line = (int64_t)t->line * g->form.lanes, group = (int64_t)vectors * g->form.lanes;
  if (g->read.columns % line) whole = tcc_emit_sub(e, t->to, tcc_emit_rem(e, width, tcc_emit_i64(e, line)));
  TccLoop lines, inner, tail;
  tcc_emit_for(e, &lines, t->from, whole, line, 0, NULL, NULL);
  TccVal there = tcc_emit_add(e, lines.iv, s->column), same = tcc_emit_icmp(e, "slt", "i64", there, t->to);
  TccVal column = tcc_emit_select1(e, "i64", same, there, tcc_emit_sub(e, there, width));
  TccVal later = tcc_emit_add(e, s->rows, tcc_emit_select1(e, "i64", same, zero, tcc_emit_i64(e, s->advance)));
  Prefetch further = {tcc_emit_add(e, s->depth, later), column};
  for (int u = 0; t->line > vectors && u < s->count; u++) prefetch_line(t, s, &further, u);
  TccVal v = lines.iv;
  if (t->line > vectors) {
    tcc_emit_for(e, &inner, lines.iv, tcc_emit_add(e, lines.iv, tcc_emit_i64(e, line)), group, 0, NULL, NULL);
    v = inner.iv;
  }
  for (int i = 0; i < vectors; i++)
    emit_vector(t, s, &x, i == 0 && t->line == vectors ? &further : NULL, at,
                tcc_emit_add(e, v, tcc_emit_i64(e, (int64_t)i * g->form.lanes)), 0);
  if (t->line > vectors) tcc_emit_end_for(e, &inner, NULL);
  tcc_emit_end_for(e, &lines, NULL);
  if (g->read.columns % line == 0) return;
  tcc_emit_for(e, &tail, whole, t->to, g->form.lanes, 0, NULL, NULL);
  emit_vector(t, s, &x, NULL, at, tail.iv,
              g->read.columns % g->form.lanes ? tcc_emit_mask(e, tcc_emit_sub(e, t->to, tail.iv), g->form.lanes) : 0);
  tcc_emit_end_for(e, &tail, NULL);
}

TccVal tcc_gemv_has_parts(TccEmit *e, const TccGemv *g, TccVal begin, TccVal end) {
  return tcc_emit_icmp(e, "sge", "i64", tcc_emit_sub(e, end, begin), tcc_emit_i64(e, g->plan.part * g->plan.unroll));
}

/* The depth [begin, end) in `unroll` parts of as many steps, or of as many blocks; a small tile, and what is left over, goes as
 * many at a time, then one by one. */
static void emit_along_columns(Nest *t) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  TccVal zero = tcc_emit_i64(e, 0), size = tcc_kernel_size(t->k, g->read.pull.dim[g->read.depth_dim]),
         width = tcc_emit_sub(e, t->to, t->from);
  bool blocks = g->read.block_dim >= 0;
  TccVal distance = tcc_emit_i64(e, PREFETCH * 8 / g->form.stream_bits), rows = tcc_emit_div(e, distance, width),
         column = tcc_emit_rem(e, distance, width);
  TccVal at = t->begin, parts = tcc_gemv_has_parts(e, g, t->begin, t->end);
  const int64_t most = g->plan.most_left;
  for (int phase = g->form.bytes ? 2 : 0; phase < 3; phase++) { /* behind gemv_bytes.c only what is rare is left */
    Steps s = {.rows = rows,
               .column = column,
               .count = phase < 2 ? g->plan.unroll : 1,
               .spread = phase ? 1 : g->plan.part,
               .advance = phase == 1 ? g->plan.unroll : 1};
    if (phase == 0   ? g->plan.part == 0
        : phase == 1 ? most < g->plan.unroll || g->plan.unroll == 1
                     : !g->plan.ragged && !g->form.bytes)
      continue;
    TccVal stop = t->end;
    if (phase == 0) stop = tcc_emit_add(e, at, tcc_emit_select1(e, "i64", parts, tcc_emit_i64(e, g->plan.part), zero));
    if (phase == 1) stop = tcc_emit_sub(e, t->end, tcc_emit_rem(e, tcc_emit_sub(e, t->end, at), tcc_emit_i64(e, g->plan.unroll)));
    TccLoop outer, inner;
    tcc_emit_for(e, &outer, at, stop, s.advance, 0, NULL, NULL);
    s.depth = outer.iv;
    if (blocks) {
      tcc_emit_for(e, &inner, zero, size, 1, 0, NULL, NULL);
      s.block = outer.iv, s.depth = inner.iv;
    }
    emit_steps(t, &s);
    if (blocks) tcc_emit_end_for(e, &inner, NULL);
    tcc_emit_end_for(e, &outer, NULL);
    if (phase == 0)
      at = tcc_emit_add(e, at, tcc_emit_select1(e, "i64", parts, tcc_emit_i64(e, g->plan.part * g->plan.unroll), zero));
    if (phase == 1) at = stop;
  }
}

/* ---- along columns, blocks of the depth with factors of their own ---- */

/* `vectors` of columns over one block: sums in registers, times the factor, added to the sums in memory. */
static void emit_block(Nest *t, const Steps *s, TccVal column, int vectors, TccVal mask) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  int count = vectors * (int)g->read.rows, dim = g->read.column_dim;
  TccVal sum[TCC_LOOP_MAX], zero = tcc_emit_i64(e, 0), x[TCC_GEMV_ROWS];
  const char *types[TCC_LOOP_MAX];
  for (int i = 0; i < count; i++) sum[i] = tcc_emit_zero(e, t->vector), types[i] = t->vector;
  TccVal there = tcc_emit_add(e, column, s->column), same = tcc_emit_icmp(e, "slt", "i64", there, t->to);
  there = tcc_emit_select1(e, "i64", same, there, tcc_emit_sub(e, there, tcc_emit_sub(e, t->to, t->from)));
  TccVal later = tcc_emit_add(e, tcc_emit_add(e, s->block, s->rows), tcc_emit_select1(e, "i64", same, zero, tcc_emit_i64(e, 1)));
  TccLoop steps;
  tcc_emit_for(e, &steps, zero, tcc_kernel_size(t->k, g->read.pull.dim[g->read.depth_dim]), 1, count, sum, types);
  if (!mask) prefetch(t, later, steps.iv, there);
  TccVal at = depth_at(t, s->block, steps.iv);
  for (int r = 0; r < g->read.rows; r++) x[r] = tcc_emit_splat(e, t->vector, tcc_emit_load(e, "f32", x_pointer(t, r, at)));
  for (int i = 0; i < vectors; i++) {
    t->pull.moved[dim] = (int64_t)i * g->form.lanes;
    TccVal w = value_at(t, g->form.weight, s->block, steps.iv, column, mask);
    for (int r = 0; r < g->read.rows; r++)
      sum[i * g->read.rows + r] = tcc_emit_fma(e, t->vector, x[r], w, steps.in[i * g->read.rows + r]);
  }
  t->pull.moved[dim] = 0;
  tcc_emit_end_for(e, &steps, sum);
  TccVal to = tcc_emit_gep(e, "f32", t->sums, tcc_emit_sub(e, column, t->from));
  for (int i = 0; i < vectors; i++) {
    t->pull.moved[dim] = (int64_t)i * g->form.lanes;
    TccVal factor = value_at(t, g->form.block_factor, s->block, zero, column, mask);
    for (int r = 0; r < g->read.rows; r++) {
      TccVal p = tcc_emit_at(e, "f32", to, r * g->plan.ldc + (int64_t)i * g->form.lanes);
      tcc_emit_store(e, t->vector,
                     tcc_emit_fma(e, t->vector, factor, steps.out[i * g->read.rows + r], tcc_emit_load(e, t->vector, p)), p);
    }
  }
  t->pull.moved[dim] = 0;
}

static void emit_blocks(Nest *t) {
  enum { MOST_SUMS = 16 };
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  int vectors = t->line < MOST_SUMS / (int)g->read.rows ? t->line : MOST_SUMS / (int)g->read.rows;
  int64_t group = (int64_t)vectors * g->form.lanes;
  TccVal width = tcc_emit_sub(e, t->to, t->from), distance = tcc_emit_i64(e, PREFETCH * 8 / g->form.stream_bits), whole = t->to;
  if (g->read.columns % group) whole = tcc_emit_sub(e, t->to, tcc_emit_rem(e, width, tcc_emit_i64(e, group)));
  Steps s = {.rows = tcc_emit_div(e, distance, width), .column = tcc_emit_rem(e, distance, width)};
  TccLoop blocks, columns;
  tcc_emit_for(e, &blocks, t->begin, t->end, 1, 0, NULL, NULL);
  s.block = blocks.iv;
  tcc_emit_for(e, &columns, t->from, whole, group, 0, NULL, NULL);
  emit_block(t, &s, columns.iv, vectors, 0);
  tcc_emit_end_for(e, &columns, NULL);
  if (g->read.columns % group) {
    tcc_emit_for(e, &columns, whole, t->to, g->form.lanes, 0, NULL, NULL);
    emit_block(t, &s, columns.iv, 1,
               g->read.columns % g->form.lanes ? tcc_emit_mask(e, tcc_emit_sub(e, t->to, columns.iv), g->form.lanes) : 0);
    tcc_emit_end_for(e, &columns, NULL);
  }
  tcc_emit_end_for(e, &blocks, NULL);
}

/* ---- along the depth ---- */

/* The sums of one row's columns, `apart` from each other at p. */
static void store_row(TccEmit *e, int lanes, int count, const TccVal *sum, TccVal p, int64_t apart) {
  const char *all = tcc_emit_vector(e, "f32", count);
  bool together = count >= 4 && count <= lanes && (count & (count - 1)) == 0;
  TccVal sums = together ? tcc_scalar_sums(e, lanes, count, sum) : 0;
  if (sums && apart == 1) {
    tcc_emit_store(e, all, sums, p);
    return;
  }
  for (int u = 0; u < count; u++) {
    TccVal one = sums ? tcc_emit_extract(e, all, sums, u) : tcc_scalar_fold(e, tcc_str("sum"), TCC_ELEM_F32, lanes, sum[u]);
    tcc_emit_store(e, "f32", one, tcc_emit_at(e, "f32", p, u * apart));
  }
}

void tcc_gemv_store_sums(TccEmit *e, const TccGemv *g, int lanes, const TccVal *sum, TccVal to, int64_t apart) {
  TccVal of_row[TCC_GEMV_LINES];
  for (int r = 0; r < g->read.rows; r++) {
    for (int u = 0; u < g->plan.unroll; u++) of_row[u] = sum[u * g->read.rows + r];
    store_row(e, lanes, g->plan.unroll, of_row, tcc_emit_at(e, "f32", to, r * g->plan.ldc), apart);
  }
}

/* Of a round over the depth: the block, the columns of this round and the first of the next. */
typedef struct {
  TccVal block, first, column[8], next;
} DepthRound;

/* Weights that lie some lines ahead of `at`, in these columns or the next ones. Blocks follow each other in memory. A line of memory may hold several
 * of them: it is asked for once. */
static void prefetch_ahead(Nest *t, const DepthRound *round, TccVal at, TccVal size) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  const int64_t apart = tcc_gemv_columns_apart(g);
  TccVal zero = tcc_emit_i64(e, 0);
  int64_t bits = 0, blocks_of_line = g->read.block_dim >= 0 && tcc_emit_known(e, size, &bits) && bits
                                         ? LINE * 8 / (bits * g->form.stream_bits)
                                         : 1;
  TccIf begins;
  if (blocks_of_line > 1)
    tcc_emit_if(e, &begins, tcc_emit_icmp(e, "eq", "i64", tcc_emit_rem(e, round->block, tcc_emit_i64(e, blocks_of_line)), zero), 0,
                NULL);
  TccVal there = tcc_emit_add(e, at, tcc_emit_i64(e, PREFETCH * 8 / g->form.stream_bits)), depth = tcc_emit_i64(e, g->read.depth);
  TccVal same = tcc_emit_icmp(e, "slt", "i64", depth_at(t, round->block, there), depth), behind = tcc_emit_sub(e, there, depth);
  there = tcc_emit_select1(e, "i64", same, there, g->read.block_dim < 0 ? tcc_emit_max(e, behind, zero) : behind);
  TccVal first = tcc_emit_select1(e, "i64", same, round->column[0], round->next);
  for (int u = 0; u < g->plan.unroll; u++) {
    t->pull.moved[g->read.column_dim] = u * apart;
    prefetch(t, round->block, there, first);
  }
  t->pull.moved[g->read.column_dim] = 0;
  if (blocks_of_line > 1) tcc_emit_end_if(e, &begins, NULL);
}

/* A vector along the depth from `v` on, of each row and column of the round, added to sum. Behind the end of a block x has what the next one
 * begins with, or, of the last one, nothing yet: zero times that may be NaN. */
static void add_products(Nest *t, const DepthRound *round, TccVal v, TccVal mask, TccVal *sum) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  const bool moves = g->read.columns % g->plan.unroll == 0;
  TccVal at = depth_at(t, round->block, v), x[TCC_GEMV_ROWS];
  for (int r = 0; r < g->read.rows; r++) {
    x[r] = tcc_emit_load(e, t->vector, x_pointer(t, r, at));
    if (mask && g->read.block_dim >= 0) x[r] = tcc_emit_select(e, t->vector, mask, x[r], tcc_emit_zero(e, t->vector));
  }
  for (int u = 0; u < g->plan.unroll; u++) {
    t->pull.moved[g->read.column_dim] = moves ? u * tcc_gemv_columns_apart(g) : 0;
    TccVal w = value_at(t, g->form.weight, round->block, v, moves ? round->first : round->column[u], mask);
    t->pull.moved[g->read.column_dim] = 0;
    for (int r = 0; r < g->read.rows; r++)
      sum[u * g->read.rows + r] = tcc_emit_fma(e, t->vector, x[r], w, sum[u * g->read.rows + r]);
  }
}

/* The loops over blocks and lines of the depth, and over the vectors of a line. */
static void sum_depth(Nest *t, DepthRound *round, TccVal *sum) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  const int lanes = g->form.lanes, count = g->plan.unroll * (int)g->read.rows;
  TccVal zero = tcc_emit_i64(e, 0), size = tcc_kernel_size(t->k, g->read.pull.dim[g->read.depth_dim]);
  const char *types[TCC_LOOP_MAX];
  int64_t line = (int64_t)t->line * lanes, known = 0;
  const bool ragged = !tcc_emit_known(e, size, &known) || known % lanes;
  TccLoop blocks, lines, vectors;
  for (int i = 0; i < count; i++) sum[i] = tcc_emit_zero(e, t->vector), types[i] = t->vector;
  if (g->read.block_dim >= 0) {
    tcc_emit_for(e, &blocks, zero, tcc_kernel_size(t->k, g->read.pull.dim[g->read.block_dim]), 1, count, sum, types);
    memcpy(sum, blocks.in, sizeof *sum * (size_t)count);
    round->block = blocks.iv;
  }
  tcc_emit_for(e, &lines, zero, size, line, count, sum, types);
  prefetch_ahead(t, round, lines.iv, size);
  memcpy(sum, lines.in, sizeof *sum * (size_t)count);
  TccVal v = lines.iv;
  if (t->line > 1) {
    TccVal end = tcc_emit_min(e, tcc_emit_add(e, lines.iv, tcc_emit_i64(e, line)), size);
    tcc_emit_for(e, &vectors, lines.iv, end, lanes, count, sum, types);
    memcpy(sum, vectors.in, sizeof *sum * (size_t)count);
    v = vectors.iv;
  }
  add_products(t, round, v, ragged ? tcc_emit_mask(e, tcc_emit_sub(e, size, v), lanes) : 0, sum);
  if (t->line > 1) {
    tcc_emit_end_for(e, &vectors, sum);
    memcpy(sum, vectors.out, sizeof *sum * (size_t)count);
  }
  tcc_emit_end_for(e, &lines, sum);
  memcpy(sum, lines.out, sizeof *sum * (size_t)count);
  if (g->read.block_dim >= 0) {
    tcc_emit_end_for(e, &blocks, sum);
    memcpy(sum, blocks.out, sizeof *sum * (size_t)count);
  }
}

static void emit_along_depth(Nest *t) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  const int64_t apart = tcc_gemv_columns_apart(g);
  TccVal last = tcc_emit_i64(e, g->read.columns - 1), sum[TCC_LOOP_MAX];
  TccLoop tiles, columns;
  tcc_emit_for(e, &tiles, t->from, t->to, apart * g->plan.unroll, 0, NULL, NULL);
  tcc_emit_for(e, &columns, tiles.iv, tcc_emit_add(e, tiles.iv, tcc_emit_i64(e, apart)), 1, 0, NULL, NULL);
  DepthRound round = {.first = columns.iv};
  for (int u = 0; u < g->plan.unroll; u++) { /* columns that do not exist repeat the last: nobody reads their sums */
    round.column[u] = tcc_emit_add(e, columns.iv, tcc_emit_i64(e, u * apart));
    if (g->read.columns % g->plan.unroll) round.column[u] = tcc_emit_min(e, round.column[u], last);
  }
  round.next = tcc_emit_add(e, columns.iv, tcc_emit_i64(e, apart > 1 ? 1 : g->plan.unroll));
  sum_depth(t, &round, sum);
  tcc_gemv_store_sums(e, g, g->form.lanes, sum, tcc_emit_gep(e, "f32", t->sums, tcc_emit_sub(e, columns.iv, t->from)), apart);
  tcc_emit_end_for(e, &columns, NULL);
  tcc_emit_end_for(e, &tiles, NULL);
}

void tcc_gemv_open(TccKernelEmit *k, const char *name, TccGemvCall *call) {
  TccVal arg[PARAMETERS];
  tcc_emit_function(k->e, name, true, PARAMETERS, call_types, NULL, arg);
  k->arguments = arg[2], k->size_pointer = arg[3];
  *call = (TccGemvCall){arg[0], arg[1], arg[4], arg[5], arg[6], arg[7]};
}

static void open_nest(Nest *t, TccKernelEmit *k, const char *name, const TccGemv *g) {
  TccGemvCall c;
  tcc_gemv_open(k, name, &c);
  *t = (Nest){.k = k, .e = k->e, .g = g, .x = c.rows, .sums = c.sums, .from = c.from, .to = c.to, .begin = c.begin, .end = c.end};
  t->vector = tcc_emit_vector(k->e, "f32", g->form.lanes);
  tcc_pull_emit_init(&t->pull, k, &g->read.pull, g->form.lanes);
  t->pull.dense = true; /* but for the ends that a mask guards */
}

TccStatus *tcc_gemv_emit_factor(TccKernelEmit *k, const char *name, const TccGemv *g) {
  Nest nest, *t = &nest;
  open_nest(t, k, name, g);
  TccEmit *e = t->e;
  TccVal none = tcc_emit_i64(e, 0);
  TccLoop columns;
  t->pull.lane_dim = g->read.column_dim;
  tcc_emit_for(e, &columns, t->from, t->to, g->form.lanes, 0, NULL, NULL);
  TccVal mask = tcc_emit_mask(e, tcc_emit_sub(e, t->to, columns.iv), g->form.lanes);
  TccVal factor = value_at(t, g->form.factor, none, none, columns.iv, mask);
  TccVal sums = tcc_emit_gep(e, "f32", t->sums, tcc_emit_sub(e, columns.iv, t->from));
  for (int r = 0; r < g->read.rows; r++) {
    TccVal p = tcc_emit_at(e, "f32", sums, r * g->plan.ldc);
    tcc_emit_store(e, t->vector, tcc_emit_bin(e, "fmul", t->vector, tcc_emit_load(e, t->vector, p), factor), p);
  }
  tcc_emit_end_for(e, &columns, NULL);
  tcc_emit_return(k->e, 0, NULL);
  return t->status;
}

/* The loads of a factor that go along columns. */
static void prefetch_factor(Nest *t, const TccPullNode *node) {
  if (node->kind == TCC_PULL_LOAD && node->index.coef[t->g->read.column_dim]) prefetch_node(t, node);
  for (int i = 0; i < node->nchildren; i++)
    if (node->child[i]) prefetch_factor(t, node->child[i]);
}

void tcc_gemv_emit_prefetch(TccKernelEmit *k, const char *name, const char *epilogue, const TccGemv *g) {
  Nest nest, *t = &nest;
  open_nest(t, k, name, g);
  TccEmit *e = t->e;
  TccVal zero = tcc_emit_i64(e, 0), rows = tcc_emit_i64(e, g->read.rows);
  TccLoop columns;
  t->pull.iv[g->read.depth_dim] = zero;
  if (g->read.block_dim >= 0) t->pull.iv[g->read.block_dim] = zero;
  tcc_emit_for(e, &columns, t->from, t->to, TCC_GEMV_PREFETCH, 0, NULL, NULL);
  for (int i = 0; g->form.factor && i < TCC_GEMV_PREFETCH; i += LINE / 4) {
    t->pull.iv[g->read.column_dim] = tcc_emit_add(e, columns.iv, tcc_emit_i64(e, i));
    prefetch_factor(t, g->form.factor);
  }
  TccEpilogueCall lines = {t->sums, zero, zero, columns.iv, rows, tcc_emit_i64(e, TCC_GEMV_PREFETCH)};
  if (epilogue) tcc_epilogue_call(k, epilogue, &lines);
  tcc_emit_end_for(e, &columns, NULL);
  tcc_emit_return(e, 0, NULL);
}

void tcc_gemv_emit_merge(TccKernelEmit *k, const char *name, const TccGemv *g) {
  Nest nest, *t = &nest;
  open_nest(t, k, name, g);
  TccEmit *e = t->e;
  TccVal size = tcc_emit_i64(e, tcc_round_up(g->read.columns, tcc_gemv_orders(g) ? LINE : g->form.lanes));
  TccLoop row, i;
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), tcc_emit_i64(e, g->read.rows * g->plan.ldc), g->plan.ldc, 0, NULL, NULL);
  tcc_emit_for(e, &i, row.iv, tcc_emit_add(e, row.iv, size), g->form.lanes, 0, NULL, NULL);
  TccVal to = tcc_emit_gep(e, "f32", t->sums, i.iv), more = tcc_emit_load(e, t->vector, tcc_emit_gep(e, "f32", t->x, i.iv));
  tcc_emit_store(e, t->vector, tcc_emit_bin(e, "fadd", t->vector, tcc_emit_load(e, t->vector, to), more), to);
  tcc_emit_end_for(e, &i, NULL);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_return(e, 0, NULL);
}

TccStatus *tcc_gemv_emit_columns(TccKernelEmit *k, const char *name, const TccGemv *g) {
  Nest t;
  open_nest(&t, k, name, g);
  t.line = LINE * 8 / (g->form.lanes * g->form.stream_bits);
  if (t.line < 1) t.line = 1;
  t.pull.lane_dim = g->form.along_depth ? g->read.depth_dim : g->read.column_dim;
  if (g->form.along_depth) emit_along_depth(&t);
  else if (g->form.block_factor) emit_blocks(&t);
  else emit_along_columns(&t);
  tcc_emit_return(k->e, 0, NULL);
  return t.status;
}

TccStatus *tcc_gemv_emit_clear(TccKernelEmit *k, const char *name, const TccGemv *g) {
  Nest t;
  TccLoop columns;
  open_nest(&t, k, name, g);
  TccVal p, zero = tcc_emit_zero(t.e, t.vector);
  TccVal width = tcc_emit_sub(t.e, t.to, t.from);
  if (tcc_gemv_orders(g)) width = tcc_emit_round_up(t.e, width, LINE);
  tcc_emit_for(t.e, &columns, tcc_emit_i64(t.e, 0), width, g->form.lanes, 0, NULL, NULL);
  p = tcc_emit_gep(t.e, "f32", t.sums, columns.iv);
  for (int r = 0; r < g->read.rows; r++) tcc_emit_store(t.e, t.vector, zero, tcc_emit_at(t.e, "f32", p, r * g->plan.ldc));
  tcc_emit_end_for(t.e, &columns, NULL);
  tcc_emit_return(k->e, 0, NULL);
  return t.status;
}

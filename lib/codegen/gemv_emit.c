/* gemv_emit.c - the two loop nests of a contraction of few rows. See gemv.h.
 *
 *   along columns:  for one step in each of `unroll` parts of the depth: for each vector of columns:
 *                     sums[row][columns] += x[row][step] * w[step][columns], summed over the steps first
 *   along depth:    for each `unroll` columns: for each vector of depth:
 *                     sum[column][row] += x[row][depth] * w[column][depth]; then across the lanes
 *
 * Both read `unroll` lines side by side, a cache line of each in turn, and ask for what lies AHEAD bytes further in the same
 * line, or where the line ends, in the one that comes next. The distance and the number of lines are those at which
 * bench/bandwidth.c reads the most. */
#include "lib/codegen/gemv_internal.h"

enum { AHEAD = 1024, LINE = 64 };

static const char *const call_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64"};

void tcc_gemv_call(TccKernelEmit *k, const char *name, TccVal rows, TccVal sums, TccVal from, TccVal to) {
  TccVal args[] = {rows, sums, k->arguments, k->size_pointer, from, to};
  tcc_emit_call(k->e, name, 6, args, call_types, NULL);
}

typedef struct {
  TccKernelEmit *k;
  TccEmit *e;
  const TccGemv *g;
  TccPullEmit pull;
  TccVal x, sums, from, to;
  const char *vector;          /* of f32 lanes */
  int line;                    /* vectors of the narrowest stream in a cache line */
  TccStatus *status;
} Nest;

/* A part of the right operand at a place, as f32; lanes that the mask leaves off are zero. */
static TccVal value_at(Nest *t, const TccPullNode *node, TccVal block, TccVal depth, TccVal column, TccVal mask) {
  TccPullEmit *p = &t->pull;
  TccVal v = 0;
  tcc_pull_emit_reset(p);
  if (t->g->block_dim >= 0) p->iv[t->g->block_dim] = block;
  p->iv[t->g->depth_dim] = depth;
  p->iv[t->g->column_dim] = column;
  p->mask = mask;
  TccStatus *status = tcc_pull_emit_node(p, node, &v);
  if (status) {
    if (t->status) tcc_status_destroy(status);
    else t->status = status;
    return tcc_emit_zero(t->e, t->vector);
  }
  v = tcc_scalar_convert(t->e, node->elem, TCC_ELEM_F32, t->g->lanes, v);
  return mask ? tcc_emit_select(t->e, t->vector, mask, v, tcc_emit_zero(t->e, t->vector)) : v;
}

static void prefetch(Nest *t, TccVal block, TccVal depth, TccVal column) {
  TccPullEmit *p = &t->pull;
  if (t->g->block_dim >= 0) p->iv[t->g->block_dim] = block;
  p->iv[t->g->depth_dim] = depth;
  p->iv[t->g->column_dim] = column;
  for (size_t i = 0; i < t->g->pull.nodes.count; i++) {
    const TccPullNode *node = t->g->pull.nodes.data[i];
    if (!tcc_gemv_streams(t->g, node)) continue;
    TccVal base, step;
    tcc_pull_emit_affine(p, &node->index, &base, &step);
    TccVal from = node->argument < 0 ? tcc_emit_data(t->e, node->data, tcc_elem_bytes(node->elem, node->count))
                                     : tcc_emit_load_once(t->e, TCC_PTR, t->k->arguments, node->argument);
    tcc_emit_prefetch(t->e, tcc_emit_gep(t->e, tcc_scalar_memory_type(node->elem), from, base), false, 3);
  }
}

/* Position in the depth of (block, depth). */
static TccVal depth_at(Nest *t, TccVal block, TccVal depth) {
  if (t->g->block_dim < 0) return depth;
  return tcc_emit_add(t->e, tcc_emit_mul(t->e, block, tcc_kernel_size(t->k, t->g->k_at.coef[t->g->block_dim])), depth);
}

static TccVal x_pointer(Nest *t, int row, TccVal at) {
  return tcc_emit_gep(t->e, "f32", tcc_emit_at(t->e, "f32", t->x, row * t->g->lda), at);
}

static TccVal broadcast_x(Nest *t, int row, TccVal at) {
  return tcc_emit_splat(t->e, t->vector, tcc_emit_load(t->e, "f32", x_pointer(t, row, at)));
}

/* ---- along columns ---- */

typedef struct { TccVal block, depth; } Step; /* a place in the depth */

/* One step in each of `count` lines, all columns of the tile. */
static void emit_steps(Nest *t, const Step *step, int count) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  TccVal x[TCC_GEMV_ROWS][8], at[8];
  bool hoisted = g->rows * count <= g->type.registers / 2;
  for (int u = 0; u < count; u++) {
    at[u] = depth_at(t, step[u].block, step[u].depth);
    for (int r = 0; hoisted && r < g->rows; r++) x[r][u] = broadcast_x(t, r, at[u]);
  }
  int64_t line = (int64_t)t->line * g->lanes, ahead = AHEAD / g->stream_bytes;
  TccLoop lines, vectors;
  tcc_emit_for(e, &lines, t->from, t->to, line, 0, NULL, NULL);
  TccVal there = tcc_emit_add(e, lines.iv, tcc_emit_i64(e, ahead)), width = tcc_emit_sub(e, t->to, t->from);
  TccVal same = tcc_emit_icmp(e, "slt", "i64", there, t->to);
  TccVal wrapped = tcc_emit_min(e, tcc_emit_sub(e, there, width), lines.iv); /* a tile narrower than the distance: the same columns */
  TccVal column = tcc_emit_select1(e, "i64", same, there, tcc_emit_max(e, wrapped, t->from));
  TccVal later = tcc_emit_select1(e, "i64", same, tcc_emit_i64(e, 0), tcc_emit_i64(e, 1));
  for (int u = 0; u < count; u++) prefetch(t, step[u].block, tcc_emit_add(e, step[u].depth, later), column);
  TccVal end = tcc_emit_min(e, tcc_emit_add(e, lines.iv, tcc_emit_i64(e, line)), t->to), v = lines.iv;
  if (t->line > 1) {
    tcc_emit_for(e, &vectors, lines.iv, end, g->lanes, 0, NULL, NULL);
    v = vectors.iv;
  }
  TccVal mask = g->columns % g->lanes ? tcc_emit_mask(e, tcc_emit_sub(e, t->to, v), g->lanes) : 0, w[8];
  TccVal sums = tcc_emit_gep(e, "f32", t->sums, tcc_emit_sub(e, v, t->from));
  for (int u = 0; u < count; u++) w[u] = value_at(t, g->weight, step[u].block, step[u].depth, v, mask);
  for (int r = 0; r < g->rows; r++) {
    TccVal sum = 0, to = tcc_emit_at(e, "f32", sums, r * g->ldc);
    for (int u = 0; u < count; u++) {
      TccVal one = hoisted ? x[r][u] : broadcast_x(t, r, at[u]);
      sum = u ? tcc_emit_fma(e, t->vector, one, w[u], sum) : tcc_emit_bin(e, "fmul", t->vector, one, w[u]);
    }
    tcc_emit_store(e, t->vector, tcc_emit_bin(e, "fadd", t->vector, tcc_emit_load(e, t->vector, to), sum), to);
  }
  if (t->line > 1) tcc_emit_end_for(e, &vectors, NULL);
  tcc_emit_end_for(e, &lines, NULL);
}

/* The depth is cut into `unroll` parts of as many steps, or of as many blocks; what is left over goes one by one. */
static void emit_along_columns(Nest *t) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  TccVal zero = tcc_emit_i64(e, 0), size = tcc_kernel_size(t->k, g->pull.dim[g->depth_dim]);
  bool blocks = g->block_dim >= 0;
  TccVal cut = blocks ? tcc_kernel_size(t->k, g->pull.dim[g->block_dim]) : size;
  TccVal part = tcc_emit_i64(e, g->part), whole = tcc_emit_i64(e, g->part * g->unroll);
  TccLoop loop, outer, inner;
  tcc_emit_for(e, &loop, zero, tcc_emit_sub(e, t->to, t->from), g->lanes, 0, NULL, NULL);
  for (int r = 0; r < g->rows; r++)
    tcc_emit_store(e, t->vector, tcc_emit_zero(e, t->vector), tcc_emit_at(e, "f32", tcc_emit_gep(e, "f32", t->sums, loop.iv), r * g->ldc));
  tcc_emit_end_for(e, &loop, NULL);
  for (int rest = 0; rest < (whole == cut ? 1 : 2); rest++) {
    int count = rest ? 1 : g->unroll;
    Step step[8];
    tcc_emit_for(e, &outer, rest ? whole : zero, rest ? cut : part, 1, 0, NULL, NULL);
    if (blocks) tcc_emit_for(e, &inner, zero, size, 1, 0, NULL, NULL);
    for (int u = 0; u < count; u++) {
      TccVal at = tcc_emit_add(e, outer.iv, tcc_emit_mul(e, part, tcc_emit_i64(e, u)));
      step[u] = blocks ? (Step){at, inner.iv} : (Step){0, at};
    }
    emit_steps(t, step, count);
    if (blocks) tcc_emit_end_for(e, &inner, NULL);
    tcc_emit_end_for(e, &outer, NULL);
  }
}

/* ---- along the depth ---- */

static void emit_along_depth(Nest *t) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  int lanes = g->lanes, count = g->unroll * (int)g->rows;
  TccVal zero = tcc_emit_i64(e, 0), last = tcc_emit_i64(e, g->columns - 1), block = 0, column[8], next[8], sum[TCC_LOOP_MAX];
  TccVal size = tcc_kernel_size(t->k, g->pull.dim[g->depth_dim]);
  const char *types[TCC_LOOP_MAX];
  int64_t line = (int64_t)t->line * lanes, known = 0;
  bool ragged = !tcc_emit_known(e, size, &known) || known % lanes;
  TccLoop columns, blocks, lines, vectors;
  tcc_emit_for(e, &columns, t->from, t->to, g->unroll, 0, NULL, NULL);
  for (int u = 0; u < g->unroll; u++) { /* columns that do not exist repeat the last: nobody reads their sums */
    column[u] = tcc_emit_add(e, columns.iv, tcc_emit_i64(e, u));
    next[u] = tcc_emit_add(e, column[u], tcc_emit_i64(e, g->unroll));
    if (g->columns % g->unroll) column[u] = tcc_emit_min(e, column[u], last);
  }
  for (int i = 0; i < count; i++) sum[i] = tcc_emit_zero(e, t->vector), types[i] = t->vector;
  if (g->block_dim >= 0) {
    tcc_emit_for(e, &blocks, zero, tcc_kernel_size(t->k, g->pull.dim[g->block_dim]), 1, count, sum, types);
    memcpy(sum, blocks.in, sizeof *sum * (size_t)count);
    block = blocks.iv;
  }
  tcc_emit_for(e, &lines, zero, size, line, count, sum, types);
  TccVal there = tcc_emit_add(e, lines.iv, tcc_emit_i64(e, AHEAD / g->stream_bytes));
  TccVal same = tcc_emit_icmp(e, "slt", "i64", there, size);
  if (g->block_dim < 0) there = tcc_emit_select1(e, "i64", same, there, tcc_emit_max(e, tcc_emit_sub(e, there, size), zero));
  for (int u = 0; u < g->unroll; u++) /* blocks follow each other in memory: their lines need no turn */
    prefetch(t, block, there, g->block_dim < 0 ? tcc_emit_select1(e, "i64", same, column[u], next[u]) : column[u]);
  memcpy(sum, lines.in, sizeof *sum * (size_t)count);
  TccVal v = lines.iv;
  if (t->line > 1) {
    TccVal end = tcc_emit_min(e, tcc_emit_add(e, lines.iv, tcc_emit_i64(e, line)), size);
    tcc_emit_for(e, &vectors, lines.iv, end, lanes, count, sum, types);
    memcpy(sum, vectors.in, sizeof *sum * (size_t)count);
    v = vectors.iv;
  }
  TccVal mask = ragged ? tcc_emit_mask(e, tcc_emit_sub(e, size, v), lanes) : 0, at = depth_at(t, block, v), x[TCC_GEMV_ROWS];
  for (int r = 0; r < g->rows; r++) x[r] = tcc_emit_load(e, t->vector, x_pointer(t, r, at));
  for (int u = 0; u < g->unroll; u++) {
    TccVal w = value_at(t, g->weight, block, v, column[u], mask);
    for (int r = 0; r < g->rows; r++) sum[u * g->rows + r] = tcc_emit_fma(e, t->vector, x[r], w, sum[u * g->rows + r]);
  }
  if (t->line > 1) {
    tcc_emit_end_for(e, &vectors, sum);
    memcpy(sum, vectors.out, sizeof *sum * (size_t)count);
  }
  tcc_emit_end_for(e, &lines, sum);
  memcpy(sum, lines.out, sizeof *sum * (size_t)count);
  if (g->block_dim >= 0) {
    tcc_emit_end_for(e, &blocks, sum);
    memcpy(sum, blocks.out, sizeof *sum * (size_t)count);
  }
  TccVal to = tcc_emit_gep(e, "f32", t->sums, tcc_emit_sub(e, columns.iv, t->from));
  for (int u = 0; u < g->unroll; u++)
    for (int r = 0; r < g->rows; r++) {
      TccVal total = tcc_scalar_fold(e, tcc_str("sum"), TCC_ELEM_F32, lanes, sum[u * g->rows + r]);
      tcc_emit_store(e, "f32", total, tcc_emit_at(e, "f32", to, r * g->ldc + u));
    }
  tcc_emit_end_for(e, &columns, NULL);
}

/* The factor of each column, at the end. */
static void emit_factor(Nest *t) {
  TccEmit *e = t->e;
  const TccGemv *g = t->g;
  TccVal none = tcc_emit_i64(e, 0);
  TccLoop columns;
  t->pull.lane_dim = g->column_dim;
  tcc_emit_for(e, &columns, t->from, t->to, g->lanes, 0, NULL, NULL);
  TccVal mask = tcc_emit_mask(e, tcc_emit_sub(e, t->to, columns.iv), g->lanes);
  TccVal factor = value_at(t, g->factor, none, none, columns.iv, mask);
  TccVal sums = tcc_emit_gep(e, "f32", t->sums, tcc_emit_sub(e, columns.iv, t->from));
  for (int r = 0; r < g->rows; r++) {
    TccVal p = tcc_emit_at(e, "f32", sums, r * g->ldc);
    tcc_emit_store(e, t->vector, tcc_emit_bin(e, "fmul", t->vector, tcc_emit_load(e, t->vector, p), factor), p);
  }
  tcc_emit_end_for(e, &columns, NULL);
}

TccStatus *tcc_gemv_emit_columns(TccKernelEmit *k, const char *name, const TccGemv *g) {
  const char *params[6];
  TccVal arg[6];
  memcpy(params, call_types, sizeof params);
  tcc_emit_function(k->e, name, true, 6, params, NULL, arg);
  k->arguments = arg[2], k->size_pointer = arg[3];
  Nest t = {.k = k, .e = k->e, .g = g, .x = arg[0], .sums = arg[1], .from = arg[4], .to = arg[5]};
  t.vector = tcc_emit_vector(k->e, "f32", g->lanes);
  t.line = LINE / (g->lanes * g->stream_bytes);
  if (t.line < 1) t.line = 1;
  tcc_pull_emit_init(&t.pull, k, &g->pull, g->lanes);
  t.pull.lane_dim = g->along_depth ? g->depth_dim : g->column_dim;
  if (g->along_depth) emit_along_depth(&t);
  else emit_along_columns(&t);
  if (g->factor) emit_factor(&t);
  tcc_emit_return(k->e, 0, NULL);
  return t.status;
}

/* gemv_depth.c - few rows times a right operand of bytes or halves of bytes, [N, K], in integers. See gemv_bytes.c for the idea.
 *
 * The depth runs along the lanes, so nothing is transposed: 64 bytes of a column, 64 or 128 steps, meet the slices of as
 * many steps. Halves of a byte are two steps: the slices of even ones lie together, and those of odd ones.
 *
 *   once for all columns:  for each group of steps: scale, slices [line of 64 bytes][half][plane], their sums by lanes
 *   then, `unroll` columns side by side:  for each group: sums in integers by lanes
 *                                         sum += (65536 high + 256 middle + low) * scale * scales of the column's blocks, by lanes
 *
 * A group is one block of the operand's scales or as many as share a line; without such scales, four lines. Its sums are by lanes,
 * so the slices of each lane have a power of two of their own: with one for all 512 steps, one large number among small ones took
 * three times the error of f32 sums, with 8 or 16 steps it is below. */
#include "lib/targets/x86/gemv/gemv_internal.h"
#include "tcc/op_kinds.h"

enum {
  PLANES = 3,
  LINE = 64,
  PREFETCH = 512,
  HEAD = TCC_GEMV_SLICES_HEAD,
  LANES = 16,
  MOST_LINES = 4,
  VECTORS = 8 /* of x in a line */
};

static int halves(const TccGemv *g) { return 8 / (int)tcc_elem_bits(g->form.bytes->elem); }
static int64_t line_steps(const TccGemv *g) { return (int64_t)LINE * halves(g); }

/* Steps that share one scale; the whole depth where nothing does. */
static int64_t block_steps(const TccGemv *g) {
  int64_t size = g->read.depth;
  if (g->form.block_scale) tcc_expr_is_const(g->read.pull.dim[g->read.depth_dim], &size);
  return size;
}

static int64_t group_lines(const TccGemv *g) {
  int64_t lines = g->read.depth / line_steps(g), count = MOST_LINES;
  if (g->form.block_scale) return block_steps(g) > line_steps(g) ? block_steps(g) / line_steps(g) : 1;
  while (lines % count) count /= 2;
  return count;
}

static int64_t group_words(const TccGemv *g) { return (group_lines(g) * halves(g) * PLANES + PLANES + 1) * LANES; }
static int64_t groups(const TccGemv *g) { return g->read.depth / (group_lines(g) * line_steps(g)); }
int64_t tcc_gemv_depth_slices(const TccGemv *g) { return HEAD + g->read.rows * groups(g) * group_words(g); }

static bool coefficient_is(const TccPullNode *load, int dim, int64_t value) {
  int64_t known;
  return load->index.coef[dim] ? tcc_expr_is_const(load->index.coef[dim], &known) && known == value : value == 0;
}

/* The scale of each column and block, as the last thing that happens to a weight. */
static const TccPullNode *block_scale(const TccGemv *g, const TccPullNode **w) {
  int64_t known;
  if (g->read.block_dim < 0 || !tcc_gemv_is_product(g, *w)) return NULL;
  for (int i = 0; i < 2; i++) {
    const TccPullNode *scale = (*w)->child[i];
    if (scale->kind != TCC_PULL_LOAD || scale->argument < 0 || scale->elem != TCC_ELEM_F32 || scale->index.nterms) continue;
    if (!coefficient_is(scale, g->read.depth_dim, 0) || !coefficient_is(scale, g->read.block_dim, 1)) continue;
    if (!scale->index.coef[g->read.column_dim] || !tcc_expr_is_const(scale->index.coef[g->read.column_dim], &known) ||
        !tcc_expr_is_const(scale->index.offset, &known))
      continue;
    *w = (*w)->child[1 - i];
    return scale;
  }
  return NULL;
}

void tcc_gemv_find_depth(TccGemv *g) {
  const TccPullNode *w = g->form.weight, *scale = block_scale(g, &w);
  int64_t size, known;
  if (!tcc_gemv_stored_numbers(g, w) || !tcc_expr_is_const(g->read.pull.dim[g->read.depth_dim], &size)) return;
  w = g->form.bytes;
  g->form.block_scale = scale;
  int64_t line = line_steps(g), lane = line / LANES;
  bool ok = g->read.depth % line == 0 && coefficient_is(w, g->read.depth_dim, 1) &&
            (g->read.block_dim < 0 || (coefficient_is(w, g->read.block_dim, size) &&
                                       tcc_expr_is_const(g->read.k_at.coef[g->read.block_dim], &known) && known == size));
  if (scale) ok = ok && (size < line ? size % lane == 0 && line % size == 0 : size % line == 0 && size / line <= MOST_LINES);
  if (!ok) g->form.bytes = g->form.block_scale = NULL;
}

/* ---- slices ---- */

static TccVal op(TccEmit *e, const char *name, TccVal a, TccVal b) {
  return tcc_emit_bin(e, name, tcc_emit_vector(e, "i32", LANES), a, b);
}

static TccVal odd_lanes(TccEmit *e, const char *type, TccVal a, TccVal b) {
  int index[LANES];
  for (int i = 0; i < LANES; i++) index[i] = 2 * i + 1;
  return tcc_emit_shuffle(e, type, a, b, index);
}

static int line_vectors(const TccGemv *g) { return 4 * halves(g); }

/* In each lane the largest of the steps that are summed with it: as many neighbours as there are vectors in a line. */
static TccVal largest_of_lane(TccEmit *e, const TccGemv *g, TccVal v) {
  const char *i32 = tcc_emit_vector(e, "i32", LANES);
  for (int apart = 1; apart < line_vectors(g); apart *= 2) {
    int index[LANES];
    for (int i = 0; i < LANES; i++) index[i] = i ^ apart;
    TccVal both[] = {v, tcc_emit_shuffle(e, i32, v, v, index)};
    v = tcc_emit_intrinsic(e, "umax", i32, 2, both);
  }
  return v;
}

/* Of vectors that say the same of such neighbours, once for each. */
static TccVal one_of_lane(TccEmit *e, const TccGemv *g, TccVal *v) {
  for (int count = line_vectors(g); count > 1; count /= 2)
    for (int i = 0; i < count / 2; i++) v[i] = tcc_emit_even(e, tcc_emit_vector(e, "i32", LANES), v[2 * i], v[2 * i + 1]);
  return v[0];
}

/* The slices of one line: x its first step, to its first plane, a scale for each vector. Adds to the sums of the planes. */
static void emit_line_slices(TccEmit *e, const TccGemv *g, TccVal x, const TccVal *scale, TccVal to, TccVal *sum) {
  const char *f32 = tcc_emit_vector(e, "f32", LANES), *i32 = tcc_emit_vector(e, "i32", LANES),
             *i8 = tcc_emit_vector(e, "i8", LANES);
  const char *bytes = tcc_emit_vector(e, "i8", LINE);
  TccVal slices[VECTORS], ones = tcc_emit_int(e, bytes, 1);
  int count = halves(g);
  for (int i = 0; i < line_vectors(g); i++)
    slices[i] = tcc_gemv_balanced(e, tcc_emit_load(e, f32, tcc_emit_at(e, "f32", x, i * LANES)), scale[i]);
  for (int h = 0; h < count; h++)
    for (int p = 0; p < PLANES; p++) {
      TccVal plane = tcc_emit_at(e, "i8", to, (h * PLANES + p) * LINE);
      for (int i = 0; i < 4; i++) {
        TccVal some = slices[i];
        if (count == 2)
          some = h ? odd_lanes(e, i32, slices[2 * i], slices[2 * i + 1]) : tcc_emit_even(e, i32, slices[2 * i], slices[2 * i + 1]);
        if (p) some = op(e, "lshr", some, tcc_emit_int(e, i32, 8 * p));
        tcc_emit_store(e, i8, tcc_emit_cast(e, "trunc", i32, i8, some), tcc_emit_at(e, "i8", plane, i * LANES));
      }
      sum[p] = tcc_gemv_dot(e, sum[p], ones, tcc_emit_load(e, bytes, plane));
    }
}

TccStatus *tcc_gemv_emit_depth_slices(TccKernelEmit *k, const char *name, const TccGemv *g) {
  TccEmit *e = k->e;
  TccGemvCall call;
  tcc_gemv_open(k, name, &call);
  const char *f32 = tcc_emit_vector(e, "f32", LANES), *i32 = tcc_emit_vector(e, "i32", LANES), *types[VECTORS];
  TccVal start[VECTORS], most[VECTORS], scale[VECTORS], back[VECTORS], sum[PLANES], offset,
      none = tcc_emit_i64(e, 0), head = tcc_gemv_slices_at(e, g, &call), nothing = tcc_emit_int(e, i32, 0);
  TCC_TRY(tcc_gemv_offset(k, g, &offset));
  tcc_emit_store(e, i32, nothing, head);
  for (int i = 0; i < VECTORS; i++) start[i] = nothing, types[i] = i32;
  TccLoop rows, group, vectors, lines;
  int64_t steps = group_lines(g) * line_steps(g);
  tcc_emit_for(e, &rows, none, tcc_emit_i64(e, g->read.rows), 1, 0, NULL, NULL);
  TccVal x = tcc_emit_gep(e, "f32", call.rows, tcc_emit_mul(e, rows.iv, tcc_emit_i64(e, g->plan.lda)));
  TccVal row = tcc_emit_at(
      e, "i32", tcc_emit_gep(e, "i32", head, tcc_emit_mul(e, rows.iv, tcc_emit_i64(e, groups(g) * group_words(g)))), HEAD);
  tcc_emit_for(e, &group, none, tcc_emit_i64(e, groups(g)), 1, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, "f32", x, tcc_emit_mul(e, group.iv, tcc_emit_i64(e, steps)));
  TccVal to = tcc_emit_gep(e, "i32", row, tcc_emit_mul(e, group.iv, tcc_emit_i64(e, group_words(g))));
  tcc_emit_for(e, &vectors, none, tcc_emit_i64(e, steps), line_steps(g), line_vectors(g), start, types);
  for (int i = 0; i < line_vectors(g); i++)
    most[i] = tcc_gemv_larger(e, vectors.in[i],
                              tcc_emit_load(e, f32, tcc_emit_at(e, "f32", tcc_emit_gep(e, "f32", from, vectors.iv), i * LANES)));
  tcc_emit_end_for(e, &vectors, most);
  TccVal odd = tcc_emit_load(e, i32, head);
  for (int i = 0; i < line_vectors(g); i++)
    odd = op(e, "or", odd, tcc_gemv_scale(e, largest_of_lane(e, g, vectors.out[i]), &scale[i], &back[i]));
  tcc_emit_store(e, i32, odd, head);
  tcc_emit_for(e, &lines, none, tcc_emit_i64(e, group_lines(g)), 1, PLANES, start, types);
  memcpy(sum, lines.in, sizeof sum);
  emit_line_slices(e, g, tcc_emit_gep(e, "f32", from, tcc_emit_mul(e, lines.iv, tcc_emit_i64(e, line_steps(g)))), scale,
                   tcc_emit_gep(e, "i8", to, tcc_emit_mul(e, lines.iv, tcc_emit_i64(e, halves(g) * PLANES * LINE))), sum);
  tcc_emit_end_for(e, &lines, sum);
  int64_t at = group_lines(g) * halves(g) * PLANES * LANES;
  for (int p = 0; p < PLANES; p++)
    tcc_emit_store(e, i32, op(e, "mul", lines.out[p], offset), tcc_emit_at(e, "i32", to, at + p * LANES));
  tcc_emit_store(e, i32, one_of_lane(e, g, back), tcc_emit_at(e, "i32", to, at + PLANES * LANES));
  tcc_emit_end_for(e, &group, NULL);
  tcc_emit_end_for(e, &rows, NULL);
  tcc_gemv_close_slices(e, head);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* ---- products ---- */

/* A line of a column as unsigned numbers, one or two steps to a byte. */
static void load_line(TccEmit *e, const TccGemv *g, TccVal p, TccVal *out) {
  const char *bytes = tcc_emit_vector(e, "i8", LINE), *i32 = tcc_emit_vector(e, "i32", LANES);
  TccVal w = tcc_emit_load(e, bytes, p);
  if (tcc_elem_is_signed(g->form.bytes->elem))
    w = tcc_emit_bin(e, "xor", bytes, w, tcc_emit_int(e, bytes, halves(g) == 2 ? -0x78 : -128));
  out[0] = w;
  if (halves(g) == 1) return;
  TccVal words = tcc_emit_cast(e, "bitcast", bytes, i32, w), low = tcc_emit_int(e, i32, 0x0f0f0f0f);
  out[0] = tcc_emit_cast(e, "bitcast", i32, bytes, op(e, "and", words, low));
  out[1] = tcc_emit_cast(e, "bitcast", i32, bytes, op(e, "and", op(e, "lshr", words, tcc_emit_int(e, i32, 4)), low));
}

/* The scales of a column's blocks in a group, in the lanes that belong to them; 0: none. */
static TccVal scales_of(TccKernelEmit *k, const TccGemv *g, TccVal column, TccVal group) {
  TccEmit *e = k->e;
  if (!g->form.block_scale) return 0;
  const char *f32 = tcc_emit_vector(e, "f32", LANES);
  int64_t pitch = 0, offset = 0, count = line_steps(g) / block_steps(g);
  tcc_expr_is_const(g->form.block_scale->index.coef[g->read.column_dim], &pitch);
  tcc_expr_is_const(g->form.block_scale->index.offset, &offset);
  TccVal p = tcc_emit_at(e, "f32", tcc_emit_load_once(e, TCC_PTR, k->arguments, g->form.block_scale->argument), offset);
  p = tcc_emit_gep(e, "f32", tcc_emit_gep(e, "f32", p, tcc_emit_mul(e, column, tcc_emit_i64(e, pitch))),
                   tcc_emit_mul(e, group, tcc_emit_i64(e, count > 1 ? count : 1)));
  if (count <= 1) return tcc_emit_splat(e, f32, tcc_emit_load(e, "f32", p));
  int index[LANES];
  for (int i = 0; i < LANES; i++) index[i] = i * (int)count / LANES;
  TccVal some = tcc_emit_masked_load(e, f32, p, count < LANES ? tcc_emit_mask(e, tcc_emit_i64(e, count), LANES) : 0);
  return tcc_emit_shuffle(e, f32, some, some, index);
}

/* Asks, in equal shares of all groups, for the scales of the next columns: they are one run of memory, of which each line of a
 * column would be a miss of its own. */
static void prefetch_scales(TccKernelEmit *k, const TccGemv *g, TccVal columns, TccVal group) {
  TccEmit *e = k->e;
  int64_t pitch = 0, offset = 0;
  if (!g->form.block_scale) return;
  tcc_expr_is_const(g->form.block_scale->index.coef[g->read.column_dim], &pitch);
  tcc_expr_is_const(g->form.block_scale->index.offset, &offset);
  int64_t all = g->plan.unroll * pitch * 4, share = (all + groups(g) - 1) / groups(g);
  TccVal p = tcc_emit_at(e, "f32", tcc_emit_load_once(e, TCC_PTR, k->arguments, g->form.block_scale->argument),
                         offset + g->plan.unroll * pitch);
  p = tcc_emit_gep(e, "f32", p, tcc_emit_mul(e, columns, tcc_emit_i64(e, pitch)));
  p = tcc_emit_gep(e, "i8", p, tcc_emit_mul(e, group, tcc_emit_i64(e, share)));
  for (int64_t at = 0; at < share; at += LINE) tcc_emit_prefetch(e, tcc_emit_at(e, "i8", p, at), false, 3);
}

/* What a group of a column adds to the sums of its rows. */
static void emit_group(TccKernelEmit *k, const TccGemv *g, TccVal slices, TccVal line, TccVal scales, TccVal *sum) {
  TccEmit *e = k->e;
  const char *f32 = tcc_emit_vector(e, "f32", LANES), *i32 = tcc_emit_vector(e, "i32", LANES),
             *bytes = tcc_emit_vector(e, "i8", LINE);
  int64_t at = group_lines(g) * halves(g) * PLANES * LANES;
  TccVal w[MOST_LINES][2];
  for (int64_t i = 0; i < group_lines(g); i++) load_line(e, g, tcc_emit_at(e, "i8", line, i * LINE), w[i]);
  for (int64_t r = 0; r < g->read.rows; r++) {
    TccVal part[PLANES], row = tcc_emit_at(e, "i32", slices, r * groups(g) * group_words(g));
    for (int p = 0; p < PLANES; p++) part[p] = tcc_emit_load(e, i32, tcc_emit_at(e, "i32", row, at + p * LANES));
    for (int64_t i = 0; i < group_lines(g) * halves(g); i++)
      for (int p = 0; p < PLANES; p++)
        part[p] = tcc_gemv_dot(e, part[p], w[i / halves(g)][i % halves(g)],
                               tcc_emit_load(e, bytes, tcc_emit_at(e, "i32", row, (i * PLANES + p) * LANES)));
    TccVal scale = tcc_emit_load(e, f32, tcc_emit_at(e, "i32", row, at + PLANES * LANES)), total = tcc_gemv_joined(e, part);
    if (scales) scale = tcc_emit_bin(e, "fmul", f32, scale, scales);
    sum[r] = tcc_emit_fma(e, f32, total, scale, sum[r]);
  }
}

void tcc_gemv_emit_depth(TccKernelEmit *k, const char *name, const char *plain, const TccGemv *g) {
  TccEmit *e = k->e;
  TccGemvCall call;
  TccIf odd;
  TccLoop tiles, columns, group;
  tcc_gemv_open(k, name, &call);
  int64_t pitch = 0, offset = 0, bytes = group_lines(g) * LINE;
  tcc_expr_is_const(g->form.bytes->index.coef[g->read.column_dim], &pitch);
  tcc_expr_is_const(g->form.bytes->index.offset, &offset);
  pitch /= halves(g), offset /= halves(g);
  int count = g->plan.unroll * (int)g->read.rows;
  bool ragged = g->read.columns % g->plan.unroll;
  const char *f32 = tcc_emit_vector(e, "f32", LANES), *types[TCC_LOOP_MAX];
  TccVal sum[TCC_LOOP_MAX], column[TCC_GEMV_LINES], line[TCC_GEMV_LINES], head = tcc_gemv_slices_at(e, g, &call),
                                                                          none = tcc_emit_i64(e, 0);
  TccVal weights = tcc_emit_at(e, "i8", tcc_emit_load_once(e, TCC_PTR, k->arguments, g->form.bytes->argument), offset);
  for (int i = 0; i < count; i++) sum[i] = tcc_emit_zero(e, f32), types[i] = f32;
  tcc_emit_if(e, &odd, tcc_emit_icmp(e, "ne", "i32", tcc_emit_load(e, "i32", head), tcc_emit_int(e, "i32", 0)), 0, NULL);
  tcc_gemv_call(k, plain, &call);
  tcc_emit_else(e, &odd, NULL);
  /* Scales of neighbours are one run of memory. */
  const int64_t apart = g->form.block_scale ? 1 : tcc_gemv_columns_apart(g);
  tcc_emit_for(e, &tiles, call.from, call.to, apart * g->plan.unroll, 0, NULL, NULL);
  tcc_emit_for(e, &columns, tiles.iv, tcc_emit_add(e, tiles.iv, tcc_emit_i64(e, apart)), 1, 0, NULL, NULL);
  TccVal first = tcc_emit_gep(e, "i8", weights, tcc_emit_mul(e, columns.iv, tcc_emit_i64(e, pitch)));
  for (int u = 0; u < g->plan.unroll; u++) { /* columns that do not exist repeat the last: nobody reads their sums */
    column[u] = tcc_emit_add(e, columns.iv, tcc_emit_i64(e, u * apart));
    if (ragged) column[u] = tcc_emit_min(e, column[u], tcc_emit_i64(e, g->read.columns - 1));
    line[u] = ragged ? tcc_emit_gep(e, "i8", weights, tcc_emit_mul(e, column[u], tcc_emit_i64(e, pitch)))
                     : tcc_emit_at(e, "i8", first, u * apart * pitch);
  }
  tcc_emit_for(e, &group, none, tcc_emit_i64(e, groups(g)), 1, count, sum, types);
  TccVal at = tcc_emit_mul(e, group.iv, tcc_emit_i64(e, bytes)),
         slices =
             tcc_emit_at(e, "i32", tcc_emit_gep(e, "i32", head, tcc_emit_mul(e, group.iv, tcc_emit_i64(e, group_words(g)))), HEAD);
  TccVal same = tcc_emit_icmp(e, "slt", "i64", tcc_emit_add(e, at, tcc_emit_i64(e, PREFETCH)), tcc_emit_i64(e, groups(g) * bytes));
  TccVal distance = tcc_emit_select1(e, "i64", same, tcc_emit_i64(e, PREFETCH),
                                     tcc_emit_i64(e, PREFETCH - groups(g) * bytes + (apart > 1 ? 1 : g->plan.unroll) * pitch));
  memcpy(sum, group.in, sizeof *sum * (size_t)count);
  prefetch_scales(k, g, columns.iv, group.iv);
  for (int u = 0; u < g->plan.unroll; u++) {
    TccVal here = tcc_emit_gep(e, "i8", line[u], at), prefetched = tcc_emit_gep(e, "i8", here, distance);
    for (int64_t i = 0; i < group_lines(g); i++) tcc_emit_prefetch(e, tcc_emit_at(e, "i8", prefetched, i * LINE), false, 3);
    emit_group(k, g, slices, here, scales_of(k, g, column[u], group.iv), &sum[u * g->read.rows]);
  }
  tcc_emit_end_for(e, &group, sum);
  tcc_gemv_store_sums(e, g, LANES, group.out, tcc_emit_gep(e, "f32", call.sums, tcc_emit_sub(e, columns.iv, call.from)), apart);
  tcc_emit_end_for(e, &columns, NULL);
  tcc_emit_end_for(e, &tiles, NULL);
  tcc_emit_end_if(e, &odd, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* gemv_bytes.c - few rows times a right operand of bytes, [K, N], in integers. See gemv.h; slices: gemv_slices.c.
 *
 * Bytes that become f32 one by one set the pace themselves: three instructions for 16 of them. `vpdpbusd` multiplies and adds
 * 64 at a time, if the left operand is bytes too. So `4 * quads` numbers of a row share a power of two, which makes of them
 * whole numbers below 2^23, and each of those is three slices of int8: 24 bits, as many as f32 has; their sums are exact.
 * (Products of integers in slices: Ozaki et al. 2012, "Error-free transformations of matrix multiplication"; balanced digits: Knuth, TAOCP 4.1.)
 *
 *   once for a tile of the depth:  for each group of `unroll` steps, one in each part of the tile or side by side: scale, slices, their sums
 *   then:  for each group: for each line of 64 columns:
 *            bytes of four steps transposed to four of one column, times the slices, summed up in registers
 *            sums[row][columns] += (65536 high + 256 middle + low) * scale
 *
 * Transposing bytes leaves the columns of a line in another order, in which their sums stay until the product is done (line_order).
 *
 * The instruction takes unsigned bytes of the weight (signed ones 128 higher) and signed slices; 128 and the zero point times
 * the sum of the slices is what a group's sums begin with, negative.
 *
 * A tile with infinities, NaN, or numbers near the ends of the range of f32 goes through the loop in f32 (gemv_emit.c). */
#include "lib/targets/x86/gemv/gemv_internal.h"

enum {
  PLANES = 3,
  LINE = 64,
  PREFETCH = 512,
  HEAD = TCC_GEMV_SLICES_HEAD,
  LANES = 16,
  MOST_QUADS = TCC_GEMV_LINES / 4,
  VECTORS = 4,
  LEAST_PART = 12
};
bool tcc_gemv_bytes_fit(const TccGemv *g, int64_t unroll, int64_t depths) {
  return g->form.along_depth || (unroll % 4 == 0 && unroll <= TCC_GEMV_LINES && g->read.depth / depths / unroll >= LEAST_PART);
}

/* ---- what lies where ---- */

/* Behind the rows of x, for each tile of the depth: HEAD words, the first not zero if the tile is for the loop in f32; then
 * for each row arrays with a word of each group: slices [plane][four steps], what sums begin with [plane], scale. */
static int64_t arrays(const TccGemv *g) { return PLANES * (g->plan.unroll / 4) + PLANES + 1; }
static int64_t left_start(const TccGemv *g) { return tcc_round_up(g->plan.part, LANES); } /* in an array */
static int64_t array_words(const TccGemv *g) { return left_start(g) + tcc_round_up(g->plan.most_left / g->plan.unroll, LANES); }

int64_t tcc_gemv_tile_slices(const TccGemv *g) { return HEAD + g->read.rows * arrays(g) * array_words(g); }

/* The groups of a tile, in two runs: those with a step in each part, then those whose steps follow each other.
 * first: step of group 0 in the tile; apart: between steps of a group; next: between groups; at: its word in the arrays. */
typedef struct {
  TccVal first, groups;
  int64_t apart, next, at;
} Run;

static int runs_of(TccEmit *e, const TccGemv *g, const TccGemvCall *call, Run *out) {
  TccVal zero = tcc_emit_i64(e, 0), parts = tcc_gemv_has_parts(e, g, call->begin, call->end);
  TccVal count = tcc_emit_select1(e, "i64", parts, tcc_emit_i64(e, g->plan.part), zero);
  out[0] = (Run){zero, count, g->plan.part, 1, 0};
  if (g->plan.most_left < g->plan.unroll) return 1;
  TccVal first = tcc_emit_mul(e, count, tcc_emit_i64(e, g->plan.unroll)),
         left = tcc_emit_sub(e, tcc_emit_sub(e, call->end, call->begin), first);
  out[1] = (Run){first, tcc_emit_div(e, left, tcc_emit_i64(e, g->plan.unroll)), 1, g->plan.unroll, left_start(g)};
  return 2;
}

static TccVal as_bytes(TccEmit *e, TccVal words) {
  return tcc_emit_cast(e, "bitcast", tcc_emit_vector(e, "i32", LANES), tcc_emit_vector(e, "i8", LINE), words);
}

/* ---- slices ---- */

typedef struct {
  TccEmit *e;
  const TccGemv *g;
  const char *f32, *i32;
} Slices;

static TccVal word(Slices *d, int64_t value) { return tcc_emit_int(d->e, d->i32, value); }
static TccVal op(Slices *d, const char *name, TccVal a, TccVal b) { return tcc_emit_bin(d->e, name, d->i32, a, b); }

/* Slices of four numbers, transposed: of each plane four bytes, as in a square of bytes first neighbours, then pairs change places
 * (byte by byte, LLVM's selection of instructions took 50 ms over it). */
static void transpose_slices(Slices *d, const TccVal *value, TccVal scale, TccVal four[PLANES]) {
  TccVal outer[2], inner[2]; /* of a pair: bytes 0, 0, 2, 2; bytes 1, 1 */
  for (int i = 0; i < 2; i++) {
    TccVal a = tcc_gemv_balanced(d->e, value[2 * i], scale), b = tcc_gemv_balanced(d->e, value[2 * i + 1], scale);
    TccVal ends = word(d, 0xff00ff), middle = word(d, 0xff00), byte = word(d, 8);
    outer[i] = op(d, "or", op(d, "and", a, ends), op(d, "shl", op(d, "and", b, ends), byte));
    inner[i] = op(d, "or", op(d, "lshr", op(d, "and", a, middle), byte), op(d, "and", b, middle));
  }
  TccVal half = word(d, 16);
  four[0] = op(d, "or", op(d, "and", outer[0], word(d, 0xffff)), op(d, "shl", outer[1], half));
  four[1] = op(d, "or", inner[0], op(d, "shl", inner[1], half));
  four[2] = op(d, "or", op(d, "lshr", outer[0], half), op(d, "and", outer[1], word(d, -65536)));
}

/* What the groups of a run are made with: one function for all kernels of as many lines (LLVM took 40 ms for the slices of a run, and each
 * depth had two). of: first step of the row's first group; to: the row's arrays there; words: of an array; offset:
 * of a stored weight from the number that it is, as unsigned byte: 128, and the zero point, negative. */
typedef struct {
  TccVal of, to, head, groups, apart, next, words, offset;
} Groups;
static const char GROUPS[] = "slice_groups";
static const char *const groups_types[] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i32"};
enum { GROUPS_PARAMETERS = sizeof groups_types / sizeof *groups_types };

static TccVal array_at(Slices *d, TccVal to, TccVal words, int64_t array) {
  return tcc_emit_gep(d->e, "i32", to, tcc_emit_mul(d->e, words, tcc_emit_i64(d->e, array)));
}

/* The steps of sixteen groups, which lie side by side or apart. */
static void load_steps(Slices *d, const Groups *r, TccVal x, TccVal exist, TccVal *value) {
  TccEmit *e = d->e;
  const char *types[TCC_GEMV_LINES];
  TccVal at[TCC_GEMV_LINES], got[TCC_GEMV_LINES];
  for (int u = 0; u < d->g->plan.unroll; u++)
    types[u] = d->f32, at[u] = tcc_emit_gep(e, "f32", x, tcc_emit_mul(e, r->apart, tcc_emit_i64(e, u)));
  TccIf beside;
  tcc_emit_if(e, &beside, tcc_emit_icmp(e, "eq", "i64", r->next, tcc_emit_i64(e, 1)), d->g->plan.unroll, types);
  for (int u = 0; u < d->g->plan.unroll; u++) got[u] = tcc_emit_load(e, d->f32, at[u]);
  tcc_emit_else(e, &beside, got);
  TccVal lanes =
      op(d, "mul", tcc_emit_iota(e, "i32", LANES), tcc_emit_splat(e, d->i32, tcc_emit_cast(e, "trunc", "i64", "i32", r->next)));
  for (int u = 0; u < d->g->plan.unroll; u++) got[u] = tcc_emit_gather(e, d->f32, at[u], d->i32, lanes, exist);
  tcc_emit_end_if(e, &beside, got);
  memcpy(value, beside.out, (size_t)d->g->plan.unroll * sizeof *value);
}

/* Sixteen groups, of which those of the mask exist. Returns 1 in lanes whose group is for f32. */
static TccVal emit_slices(Slices *d, const Groups *r, TccVal x, TccVal exist, TccVal to) {
  TccEmit *e = d->e;
  const TccGemv *g = d->g;
  int quads = g->plan.unroll / 4;
  TccVal value[TCC_GEMV_LINES], none = word(d, 0), most = none, scale, back;
  load_steps(d, r, x, exist, value);
  for (int u = 0; u < g->plan.unroll; u++) most = tcc_gemv_larger(e, most, value[u]);
  TccVal is_odd = tcc_gemv_scale(e, most, &scale, &back);
  tcc_emit_store(e, d->i32, back, array_at(d, to, r->words, arrays(g) - 1));
  TccVal sum[PLANES], ones = as_bytes(e, word(d, 0x01010101));
  for (int p = 0; p < PLANES; p++) sum[p] = none;
  for (int q = 0; q < quads; q++) {
    TccVal four[PLANES];
    transpose_slices(d, &value[q * 4], scale, four);
    for (int p = 0; p < PLANES; p++) {
      sum[p] = tcc_gemv_dot(e, sum[p], ones, as_bytes(e, four[p]));
      tcc_emit_store(e, d->i32, four[p], array_at(d, to, r->words, p * quads + q));
    }
  }
  TccVal offset = tcc_emit_splat(e, d->i32, r->offset);
  for (int p = 0; p < PLANES; p++)
    tcc_emit_store(e, d->i32, op(d, "mul", sum[p], offset), array_at(d, to, r->words, PLANES * quads + p));
  return is_odd;
}

static void emit_groups(Slices *d, const char *name) {
  TccEmit *e = d->e;
  TccVal arg[GROUPS_PARAMETERS];
  tcc_emit_function(e, name, true, GROUPS_PARAMETERS, groups_types, NULL, arg);
  Groups r = {arg[0], arg[1], arg[2], arg[3], arg[4], arg[5], arg[6], arg[7]};
  TccLoop groups;
  tcc_emit_for(e, &groups, tcc_emit_i64(e, 0), r.groups, LANES, 0, NULL, NULL);
  TccVal exist = tcc_emit_mask(e, tcc_emit_sub(e, r.groups, groups.iv), LANES);
  TccVal first = tcc_emit_gep(e, "f32", r.of, tcc_emit_mul(e, groups.iv, r.next));
  TccVal odd = emit_slices(d, &r, first, exist, tcc_emit_gep(e, "i32", r.to, groups.iv));
  odd = op(d, "or", tcc_emit_select(e, d->i32, exist, odd, word(d, 0)), tcc_emit_load(e, d->i32, r.head));
  tcc_emit_store(e, d->i32, odd, r.head);
  tcc_emit_end_for(e, &groups, NULL);
  tcc_emit_return(e, 0, NULL);
}

TccStatus *tcc_gemv_emit_tile_slices(TccKernelEmit *k, const char *name, const TccGemv *g) {
  TccEmit *e = k->e;
  TccGemvCall call;
  Slices slices = {.e = e, .g = g, .f32 = tcc_emit_vector(e, "f32", LANES), .i32 = tcc_emit_vector(e, "i32", LANES)}, *d = &slices;
  emit_groups(d, tcc_gemv_name(k, g, GROUPS));
  tcc_gemv_open(k, name, &call);
  TccVal offset, words = tcc_emit_i64(e, array_words(g));
  TCC_TRY(tcc_gemv_offset(k, g, &offset));
  offset = tcc_emit_extract(e, d->i32, offset, 0);
  TccVal head = tcc_gemv_slices_at(e, g, &call), none = tcc_emit_i64(e, 0);
  tcc_emit_store(e, d->i32, word(d, 0), head);
  Run run[2];
  int runs = runs_of(e, g, &call, run);
  for (int i = 0; i < runs; i++) {
    TccLoop rows;
    tcc_emit_for(e, &rows, none, tcc_emit_i64(e, g->read.rows), 1, 0, NULL, NULL);
    TccVal x = tcc_emit_gep(e, "f32", call.rows, tcc_emit_mul(e, rows.iv, tcc_emit_i64(e, g->plan.lda)));
    TccVal to =
        tcc_emit_at(e, "i32", tcc_emit_gep(e, "i32", head, tcc_emit_mul(e, rows.iv, tcc_emit_i64(e, arrays(g) * array_words(g)))),
                    HEAD + run[i].at);
    x = tcc_emit_gep(e, "f32", tcc_emit_gep(e, "f32", x, call.begin), run[i].first);
    TccVal args[] = {x, to, head, run[i].groups, tcc_emit_i64(e, run[i].apart), tcc_emit_i64(e, run[i].next), words, offset};
    tcc_emit_call(e, tcc_gemv_name(k, g, GROUPS), GROUPS_PARAMETERS, args, groups_types, NULL);
    tcc_emit_end_for(e, &rows, NULL);
  }
  tcc_gemv_close_slices(e, head);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

/* ---- products ---- */

typedef struct {
  TccEmit *e;
  const TccGemv *g;
  const TccGemvCall *call;
  const char *words, *bytes, *halves, *f32;
  int64_t pitch;
} Products;

/* As `vpunpckl*` and `vpunpckh*` do: elements of the lower or upper half of each 128 bits of a and b in turn. */
static TccVal unpack(TccEmit *e, const char *type, bool high, TccVal a, TccVal b) {
  int lanes = tcc_emit_lanes(type), quarter = lanes / 4, index[LINE];
  for (int i = 0; i < lanes; i++)
    index[i] = i / quarter * quarter + (high ? quarter / 2 : 0) + i % quarter / 2 + (i % 2 ? lanes : 0);
  return tcc_emit_shuffle(e, type, a, b, index);
}

/* Four lines of 64 columns, four steps -> out[v]: the four bytes of columns 16 i + 4 v + {0..3}, i = 0..3. */
static void transpose_bytes(Products *p, const TccVal *line, TccVal *out) {
  TccEmit *e = p->e;
  for (int high = 0; high < 2; high++) {
    TccVal ab = unpack(e, p->bytes, high, line[0], line[1]), cd = unpack(e, p->bytes, high, line[2], line[3]);
    ab = tcc_emit_cast(e, "bitcast", p->bytes, p->halves, ab), cd = tcc_emit_cast(e, "bitcast", p->bytes, p->halves, cd);
    for (int i = 0; i < 2; i++)
      out[2 * high + i] = tcc_emit_cast(e, "bitcast", p->halves, p->bytes, unpack(e, p->halves, i, ab, cd));
  }
}

static TccVal spread_word(Products *p, TccVal from, int64_t array) {
  TccVal one = tcc_emit_load(p->e, "i32", tcc_emit_at(p->e, "i32", from, array * array_words(p->g)));
  return tcc_emit_splat(p->e, p->words, one);
}

/* One row of a line. slices: its arrays at the group. */
static void emit_row(Products *p, TccVal slices, TccVal sums, TccVal w[MOST_QUADS][VECTORS]) {
  TccEmit *e = p->e;
  int quads = p->g->plan.unroll / 4;
  TccVal sum[VECTORS][PLANES], total[VECTORS];
  for (int plane = 0; plane < PLANES; plane++)
    for (int v = 0; v < VECTORS; v++) sum[v][plane] = spread_word(p, slices, PLANES * quads + plane);
  for (int q = 0; q < quads; q++)
    for (int plane = 0; plane < PLANES; plane++) {
      TccVal x = as_bytes(e, spread_word(p, slices, plane * quads + q));
      for (int v = 0; v < VECTORS; v++) sum[v][plane] = tcc_gemv_dot(e, sum[v][plane], w[q][v], x);
    }
  TccVal scale = tcc_emit_cast(e, "bitcast", p->words, p->f32, spread_word(p, slices, arrays(p->g) - 1));
  for (int v = 0; v < VECTORS; v++) total[v] = tcc_gemv_joined(e, sum[v]);
  for (int v = 0; v < VECTORS; v++) {
    TccVal to = tcc_emit_at(e, "f32", sums, v * LANES);
    tcc_emit_store(e, p->f32, tcc_emit_fma(e, p->f32, total[v], scale, tcc_emit_load(e, p->f32, to)), to);
  }
}

/* A line of columns of one group. line: its weights in the first step; prefetched: those prefetched, a line behind each load, since
 * all of them at once leave no room for the misses of sums; or 0. */
static void emit_line(Products *p, TccVal line, TccVal prefetched, int64_t apart, TccVal column, TccVal slices, TccVal mask) {
  TccEmit *e = p->e;
  const TccGemv *g = p->g;
  TccVal w[MOST_QUADS][VECTORS], four[4], sums = tcc_emit_gep(e, "f32", p->call->sums, tcc_emit_sub(e, column, p->call->from));
  for (int q = 0; q < g->plan.unroll / 4; q++) {
    for (int j = 0; j < 4; j++) {
      int64_t step = (q * 4 + j) * apart * p->pitch;
      four[j] = tcc_emit_masked_load(e, p->bytes, tcc_emit_at(e, "i8", line, step), mask);
      if (prefetched) tcc_emit_prefetch(e, tcc_emit_at(e, "i8", prefetched, step), false, 3);
      if (g->form.bytes->elem == TCC_ELEM_I8) four[j] = tcc_emit_bin(e, "xor", p->bytes, four[j], tcc_emit_int(e, p->bytes, -128));
    }
    transpose_bytes(p, four, w[q]);
  }
  if (g->read.rows == 1) {
    emit_row(p, slices, sums, w);
    return;
  }
  TccLoop rows;
  tcc_emit_for(e, &rows, tcc_emit_i64(e, 0), tcc_emit_i64(e, g->read.rows), 1, 0, NULL, NULL);
  emit_row(p, tcc_emit_gep(e, "i32", slices, tcc_emit_mul(e, rows.iv, tcc_emit_i64(e, arrays(g) * array_words(g)))),
           tcc_emit_gep(e, "f32", sums, tcc_emit_mul(e, rows.iv, tcc_emit_i64(e, g->plan.ldc))), w);
  tcc_emit_end_for(e, &rows, NULL);
}

/* The groups of a run. */
static void emit_run(Products *p, TccKernelEmit *k, const Run *run, TccVal slices) {
  TccEmit *e = p->e;
  const TccGemv *g = p->g;
  const TccGemvCall *call = p->call;
  int64_t offset = 0;
  tcc_expr_is_const(g->form.bytes->index.offset, &offset);
  TccVal weights = tcc_emit_at(e, "i8", tcc_emit_load_once(e, TCC_PTR, k->arguments, g->form.bytes->argument), offset);
  TccVal zero = tcc_emit_i64(e, 0), pitch = tcc_emit_i64(e, p->pitch), width = tcc_emit_sub(e, call->to, call->from),
         whole = call->to;
  TccVal wrap = tcc_emit_sub(e, tcc_emit_i64(e, run->next * p->pitch), width), distance = tcc_emit_i64(e, PREFETCH);
  if (g->read.columns % LINE) whole = tcc_emit_sub(e, call->to, tcc_emit_rem(e, width, tcc_emit_i64(e, LINE)));
  TccLoop groups, lines;
  tcc_emit_for(e, &groups, zero, run->groups, 1, 0, NULL, NULL);
  TccVal step = tcc_emit_add(e, tcc_emit_add(e, call->begin, run->first), tcc_emit_mul(e, groups.iv, tcc_emit_i64(e, run->next)));
  TccVal at = tcc_emit_gep(e, "i8", weights, tcc_emit_mul(e, step, pitch));
  TccVal words = tcc_emit_gep(e, "i32", slices, groups.iv);
  tcc_emit_for(e, &lines, call->from, whole, LINE, 0, NULL, NULL);
  TccVal line = tcc_emit_gep(e, "i8", at, lines.iv), there = tcc_emit_add(e, lines.iv, distance);
  TccVal next =
      tcc_emit_select1(e, "i64", tcc_emit_icmp(e, "slt", "i64", there, call->to), distance, tcc_emit_add(e, distance, wrap));
  TccVal prefetched = tcc_emit_gep(e, "i8", line, next);
  emit_line(p, line, prefetched, run->apart, lines.iv, words, 0);
  tcc_emit_end_for(e, &lines, NULL);
  if (g->read.columns % LINE) {
    TccIf some;
    tcc_emit_if(e, &some, tcc_emit_icmp(e, "slt", "i64", whole, call->to), 0, NULL);
    emit_line(p, tcc_emit_gep(e, "i8", at, whole), 0, run->apart, whole, words,
              tcc_emit_mask(e, tcc_emit_sub(e, call->to, whole), LINE));
    tcc_emit_end_if(e, &some, NULL);
  }
  tcc_emit_end_for(e, &groups, NULL);
}

/* v[j] has columns 16 i + 4 j + {0..3} in its quarter i -> v[i] has columns 16 i + {0..15}; and back, which is the same. */
static void line_order(TccEmit *e, const char *f32, TccVal *v) {
  TccVal half[VECTORS];
  int index[LANES];
  for (int side = 0; side < 2; side++)
    for (int pair = 0; pair < 2; pair++) {
      for (int i = 0; i < LANES; i++) index[i] = (i / 8 * LANES) + (i / 4 % 2 * 2 + side) * 4 + i % 4;
      half[side * 2 + pair] = tcc_emit_shuffle(e, f32, v[pair * 2], v[pair * 2 + 1], index);
    }
  for (int to = 0; to < VECTORS; to++) {
    for (int i = 0; i < LANES; i++) index[i] = (i / 8 * LANES) + (i / 4 % 2 * 2 + to / 2) * 4 + i % 4;
    v[to] = tcc_emit_shuffle(e, f32, half[to % 2 * 2], half[to % 2 * 2 + 1], index);
  }
  /* half[side][pair] = quarters side and side + 2 of v[2 pair], of v[2 pair + 1]; taken: quarter `to` of all four */
}

void tcc_gemv_emit_order(TccKernelEmit *k, const char *name, const TccGemv *g) {
  TccEmit *e = k->e;
  TccGemvCall call;
  tcc_gemv_open(k, name, &call);
  const char *f32 = tcc_emit_vector(e, "f32", LANES);
  TccLoop rows, lines;
  TccVal zero = tcc_emit_i64(e, 0), v[VECTORS];
  tcc_emit_for(e, &rows, zero, tcc_emit_i64(e, g->read.rows), 1, 0, NULL, NULL);
  TccVal row = tcc_emit_gep(e, "f32", call.sums, tcc_emit_mul(e, rows.iv, tcc_emit_i64(e, g->plan.ldc)));
  tcc_emit_for(e, &lines, zero, tcc_emit_sub(e, call.to, call.from), LINE, 0, NULL, NULL);
  TccVal line = tcc_emit_gep(e, "f32", row, lines.iv);
  for (int i = 0; i < VECTORS; i++) v[i] = tcc_emit_load(e, f32, tcc_emit_at(e, "f32", line, i * LANES));
  line_order(e, f32, v);
  for (int i = 0; i < VECTORS; i++) tcc_emit_store(e, f32, v[i], tcc_emit_at(e, "f32", line, i * LANES));
  tcc_emit_end_for(e, &lines, NULL);
  tcc_emit_end_for(e, &rows, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* The loop in f32, whose sums are in the order of columns. */
static void call_plain(TccKernelEmit *k, const char *plain, const char *order, const TccGemvCall *call) {
  tcc_gemv_call(k, order, call);
  tcc_gemv_call(k, plain, call);
  tcc_gemv_call(k, order, call);
}

void tcc_gemv_emit_bytes(TccKernelEmit *k, const char *name, const char *plain, const char *order, const TccGemv *g) {
  TccEmit *e = k->e;
  TccGemvCall call;
  TccIf odd;
  tcc_gemv_open(k, name, &call);
  Products p = {e,
                g,
                &call,
                tcc_emit_vector(e, "i32", LANES),
                tcc_emit_vector(e, "i8", LINE),
                tcc_emit_vector(e, "i16", LINE / 2),
                tcc_emit_vector(e, "f32", LANES),
                0};
  tcc_expr_is_const(g->form.bytes->index.coef[g->read.depth_dim], &p.pitch);
  TccVal head = tcc_gemv_slices_at(e, g, &call), flag = tcc_emit_load(e, "i32", head);
  tcc_emit_if(e, &odd, tcc_emit_icmp(e, "ne", "i32", flag, tcc_emit_int(e, "i32", 0)), 0, NULL);
  call_plain(k, plain, order, &call);
  tcc_emit_else(e, &odd, NULL);
  Run run[2];
  int runs = runs_of(e, g, &call, run);
  for (int i = 0; i < runs; i++) emit_run(&p, k, &run[i], tcc_emit_at(e, "i32", head, HEAD + run[i].at));
  if (g->read.depth % g->plan.unroll) { /* of the last tile alone: those of the others are whole groups */
    TccIf last;
    tcc_emit_if(e, &last, tcc_emit_icmp(e, "eq", "i64", call.end, tcc_emit_i64(e, g->read.depth)), 0, NULL);
    TccGemvCall rest = call;
    rest.begin = tcc_emit_sub(e, call.end, tcc_emit_i64(e, g->read.depth % g->plan.unroll));
    call_plain(k, plain, order, &rest);
    tcc_emit_end_if(e, &last, NULL);
  }
  tcc_emit_end_if(e, &odd, NULL);
  tcc_emit_return(e, 0, NULL);
}

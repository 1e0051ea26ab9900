/* product_split.c - products of f32 on sm_90a at the precision of f32: each operand is the sum of three numbers of bf16, and six products of these
 * (all but those below 2^-24 of the whole) are wgmma's.
 *
 * x = x0 + x1 + x2, each the nearest of what is left (Henry, Tang, Heinecke, Leveraging the bfloat16 artificial intelligence datatype for higher-precision
 * computations, 2019). Half of the warpgroups read both operands from memory, a stage ahead in registers, split them and write the parts into the ring, in
 * the order that memory has; the others multiply. Tensor cores cut their sums: those of each stage are added to the thread's in f32.
 *
 * For a tile of 128 x 128 and 32 of the depth the tensor cores take 1536 cycles; shared memory, 128 bytes a cycle, 1152 for what they read and 384 for the
 * parts; those who split about 500 slots of each scheduler, beside 100 of those who multiply (docs/notes/2026-11-gpu.md).
 *
 * An infinity would meet zeros in the small products, and what is nearest to the largest numbers is none of bf16: what is left of either is NaN,
 * so that those who split know. Such a stage comes twice: once as it is, of which the product of x0 alone is taken and finite sums are left out,
 * then with zeros for what is not finite, cut and not rounded. */
#include "lib/targets/nvptx/product_split.h"
#include "lib/targets/nvptx/product_tiles.h"
#include <math.h>

enum { WORDS = 4 /* of a load */, WORD_BYTES = 4, MOST_PIECES = 12, MOST_SUMS = NVPTX_SPLIT_MOST_COLUMNS / 2 };
enum {
  SPLIT_REGISTERS = 104,
  SUMS_REGISTERS = 152 /* of a thread, where two warpgroups have either */,
  SPLITTERS = 1 /* their barrier */
};

#define TRIPLE "!llvm.struct<(i32, i32, i32, f32)>"
#define FOUR_FLOATS "!llvm.struct<(f32, f32, f32, f32)>"

/* Three words of two numbers of bf16 each. */
typedef struct {
  TccVal part[NVPTX_SPLIT_PARTS];
} Parts;

typedef struct {
  NvptxTiles t;
  NvptxTile tile[2];
  int pieces[2];             /* of 16 bytes, of a thread, in each stage */
  TccVal row[2], k[2];       /* of the first piece, in the tile */
  TccVal begin[MOST_PIECES]; /* where a piece's parts lie in a part of the stage: from there, so many bytes behind */
  int64_t behind[MOST_PIECES];
} Split;

static TccVal i64(Split *w, int64_t v) { return tcc_emit_i64(&w->t.n->e, v); }
static TccVal i32(Split *w, int64_t v) { return tcc_emit_int(&w->t.n->e, "i32", v); }
static TccVal add(Split *w, TccVal a, TccVal b) { return tcc_emit_add(&w->t.n->e, a, b); }
static TccVal times(Split *w, TccVal a, int64_t b) { return tcc_emit_mul(&w->t.n->e, a, i64(w, b)); }
static TccVal below(Split *w, TccVal a, TccVal b) { return tcc_emit_icmp(&w->t.n->e, "slt", "i64", a, b); }
static TccVal narrow(Split *w, TccVal v) { return tcc_emit_cast(&w->t.n->e, "trunc", "i64", "i32", v); }
static int threads(const Split *w) { return w->t.fillers * NVPTX_WARP; }
static int part_bytes(const Split *w, int side) { return nvptx_tile_size(&w->tile[side]); }

/* ---- barriers ---- */

static void wait_for(Split *w, TccVal first, TccVal count, bool parity_before) {
  TccEmit *t = &w->t.n->e;
  TccVal stage, parity;
  nvptx_tiles_stage(&w->t, count, &stage, &parity);
  if (parity_before) parity = tcc_emit_sub(t, i64(w, 1), parity);
  nvptx_mbarrier_wait(w->t.n, nvptx_tiles_barrier(&w->t, first, stage), narrow(w, parity));
}

/* Arrives at a stage's barrier where `tells`. */
static void tell(Split *w, TccVal first, TccVal count, TccVal tells) {
  TccVal stage, parity;
  nvptx_tiles_stage(&w->t, count, &stage, &parity);
  tcc_emit_inline_asm(&w->t.n->e, "@$1 mbarrier.arrive.shared::cta.b64 _, [$0];", "r,b,~{memory}", NULL, 2,
                      (TccVal[]){nvptx_tiles_barrier(&w->t, first, stage), tells}, (const char *const[]){"i32", "i1"});
}

/* The word that says whether a stage is one of numbers that are not finite. */
static TccVal word_of(Split *w, TccVal count) {
  TccVal stage, parity;
  nvptx_tiles_stage(&w->t, count, &stage, &parity);
  return tcc_emit_bin(&w->t.n->e, "add", "i32", w->t.more, narrow(w, times(w, stage, WORD_BYTES)));
}

/* ---- parts ---- */

/* Of two numbers; left: what is NaN as soon as one of them was not finite, or is near the largest, is added to it. */
static Parts split(Split *w, TccVal x, TccVal y, TccVal *left) {
  static const char text[] = "{ .reg .b32 %split_x, %split_y, %split_u, %split_v; cvt.rn.bf16x2.f32 $0, $5, $4; "
                             "shl.b32 %split_u, $0, 16; and.b32 %split_v, $0, 0xffff0000; "
                             "sub.f32 %split_x, $4, %split_u; sub.f32 %split_y, $5, %split_v; "
                             "cvt.rn.bf16x2.f32 $1, %split_y, %split_x; "
                             "shl.b32 %split_u, $1, 16; and.b32 %split_v, $1, 0xffff0000; "
                             "sub.f32 %split_x, %split_x, %split_u; sub.f32 %split_y, %split_y, %split_v; "
                             "cvt.rn.bf16x2.f32 $2, %split_y, %split_x; "
                             "add.f32 %split_x, %split_x, %split_y; add.f32 $3, $6, %split_x; }";
  TccEmit *t = &w->t.n->e;
  Parts out;
  TccVal all = tcc_emit_inline_asm(t, text, "=&r,=&r,=&r,=&f,f,f,f", TRIPLE, 3, (TccVal[]){x, y, *left},
                                   (const char *const[]){"f32", "f32", "f32"});
  for (int i = 0; i < NVPTX_SPLIT_PARTS; i++) out.part[i] = tcc_emit_extract_value(t, TRIPLE, all, i, "i32");
  *left = tcc_emit_extract_value(t, TRIPLE, all, NVPTX_SPLIT_PARTS, "f32");
  return out;
}

static TccVal bits_and(Split *w, TccVal v, int64_t bits) { return tcc_emit_bin(&w->t.n->e, "and", "i32", v, i32(w, bits)); }
static TccVal highest(Split *w, TccVal v) { return bits_and(w, v, (int32_t)0xffff0000); }

/* The upper halves of two words side by side, the first one below. */
static TccVal pack(Split *w, TccVal x, TccVal y) {
  TccEmit *t = &w->t.n->e;
  return tcc_emit_bin(t, "or", "i32", tcc_emit_bin(t, "lshr", "i32", x, i32(w, 16)), highest(w, y));
}

/* f32 as a word whose upper half alone counts: NaN, infinities, and no zero that was none. */
static TccVal as_it_is(Split *w, TccVal x) {
  TccEmit *t = &w->t.n->e;
  TccVal bits = tcc_emit_cast(t, "bitcast", "f32", "i32", x), size = bits_and(w, bits, 0x7fffffff);
  TccVal tiny = tcc_emit_icmp(t, "ult", "i32", tcc_emit_bin(t, "sub", "i32", size, i32(w, 1)), i32(w, 0xffff));
  TccVal is_nan = tcc_emit_icmp(t, "ugt", "i32", size, i32(w, 0x7f800000));
  TccVal marks = tcc_emit_select1(t, "i32", is_nan, i32(w, 0x400000), i32(w, 0));
  return tcc_emit_bin(t, "or", "i32", bits, tcc_emit_select1(t, "i32", tiny, i32(w, 0x10000), marks));
}

static Parts split_as_it_is(Split *w, TccVal x, TccVal y) { return (Parts){{pack(w, as_it_is(w, x), as_it_is(w, y))}}; }

static TccVal finite_of(Split *w, TccVal x) {
  TccEmit *t = &w->t.n->e;
  TccVal size = tcc_emit_intrinsic(t, "fabs", "f32", 1, &x), infinity = tcc_emit_float(t, "f32", INFINITY);
  return tcc_emit_select1(t, "f32", tcc_emit_fcmp(t, "olt", "f32", size, infinity), x, tcc_emit_zero(t, "f32"));
}

/* Parts that are cut, so that all of them are finite. */
static Parts split_finite(Split *w, TccVal x, TccVal y) {
  TccEmit *t = &w->t.n->e;
  TccVal left[2] = {finite_of(w, x), finite_of(w, y)};
  Parts out;
  for (int i = 0; i < NVPTX_SPLIT_PARTS; i++) {
    TccVal high[2];
    for (int j = 0; j < 2; j++) {
      high[j] = highest(w, tcc_emit_cast(t, "bitcast", "f32", "i32", left[j]));
      left[j] = tcc_emit_bin(t, "fsub", "f32", left[j], tcc_emit_cast(t, "bitcast", "i32", "f32", high[j]));
    }
    out.part[i] = pack(w, high[0], high[1]);
  }
  return out;
}

/* ---- filling a stage ---- */

/* How far in the tile piece i is behind the first: along the depth if memory has rows there, else along rows. */
static int pieces_apart(const Split *w, int side, int i) {
  int fast = (w->tile[side].along_depth ? NVPTX_SPLIT_DEPTH : w->tile[side].rows) / WORDS;
  return i * threads(w) / fast;
}

/* What a thread reads of a side in each stage, and where its parts go. */
static void place_pieces(Split *w, int side) {
  TccEmit *t = &w->t.n->e;
  const NvptxTile *tile = &w->tile[side];
  TccVal fast = i64(w, (tile->along_depth ? NVPTX_SPLIT_DEPTH : tile->rows) / WORDS);
  TccVal moving = times(w, tcc_emit_rem(t, w->t.n->thread, fast), WORDS), other = tcc_emit_div(t, w->t.n->thread, fast);
  w->row[side] = tile->along_depth ? other : moving, w->k[side] = tile->along_depth ? moving : other;
  TccVal first = nvptx_tile_offset(w->t.n, tile, w->row[side], w->k[side]);
  for (int i = 0; i < w->pieces[side]; i++) {
    int apart = pieces_apart(w, side, i), pitch = tile->along_depth ? NVPTX_TILE_BYTES : NVPTX_ATOM_BYTES;
    int piece = side ? w->pieces[0] + i : i;
    bool same = apart % 8 == 0; /* the swizzle */
    w->begin[piece] = same ? first : nvptx_tile_offset(w->t.n, tile, w->row[side], add(w, w->k[side], i64(w, apart)));
    w->behind[piece] = same ? (int64_t)apart * pitch : 0;
  }
}

/* Bytes of memory between rows of the tensor that are so far apart. */
static TccVal rows_apart(Split *w, int side, int rows) {
  return times(w, tcc_kernel_size(&w->t.n->k, w->t.p->tensor[side].map.stride[1]), (int64_t)rows * WORD_BYTES);
}

static TccVal step_of(Split *w, int side) {
  if (w->tile[side].along_depth) return i64(w, NVPTX_SPLIT_DEPTH * WORD_BYTES);
  return rows_apart(w, side, NVPTX_SPLIT_DEPTH);
}

/* The first piece of the tile's first stage in memory. */
static TccVal begin_side(Split *w, int side) {
  return w->t.p->address(w->t.p->user, side, w->t.batch, add(w, w->t.first[side], w->row[side]), w->k[side]);
}

/* Whether the i'th piece of the stage at k0 is inside: nothing is asked of sizes that are multiples of a tile's. */
static TccVal is_inside(Split *w, int side, TccVal k0, int i) {
  TccEmit *t = &w->t.n->e;
  bool along = w->tile[side].along_depth;
  const TccExpr *rows = side ? w->t.p->columns : w->t.p->rows;
  TccVal row = add(w, w->t.first[side], w->row[side]), k = add(w, k0, w->k[side]), apart = i64(w, pieces_apart(w, side, i));
  if (along) row = add(w, row, apart);
  else k = add(w, k, apart);
  TccVal in_depth = below(w, tcc_expr_multiple_of(w->t.p->depth) % NVPTX_SPLIT_DEPTH ? k : k0, w->t.depth);
  if (tcc_expr_multiple_of(rows) % w->tile[side].rows == 0) return in_depth;
  return tcc_emit_bin(t, "and", "i1", below(w, row, w->t.size[side]), in_depth);
}

/* The pieces of the stage at k0; zeros outside. */
static void load(Split *w, int side, TccVal base, TccVal k0, TccVal *words) {
  static const char text[] = "{ mov.b32 $0, 0f00000000; mov.b32 $1, 0f00000000; mov.b32 $2, 0f00000000; mov.b32 $3, 0f00000000; "
                             "@$5 ld.global.v4.f32 {$0, $1, $2, $3}, [$4]; }";
  TccEmit *t = &w->t.n->e;
  for (int i = 0; i < w->pieces[side]; i++) {
    TccVal from = tcc_emit_gep(t, "i8", base, rows_apart(w, side, pieces_apart(w, side, i)));
    TccVal all = tcc_emit_inline_asm(t, text, "=&f,=&f,=&f,=&f,l,b,~{memory}", FOUR_FLOATS, 2,
                                     (TccVal[]){from, is_inside(w, side, k0, i)}, (const char *const[]){TCC_PTR, "i1"});
    for (int j = 0; j < WORDS; j++) words[i * WORDS + j] = tcc_emit_extract_value(t, FOUR_FLOATS, all, j, "f32");
  }
}

typedef enum { ROUNDED, AS_IT_IS, FINITE } Kind;

/* Writes the parts of a side's words to stage number `count`. ROUNDED: *left is NaN if not all are finite and less than the largest. */
static void fill(Split *w, int side, TccVal count, const TccVal *words, Kind kind, TccVal *left) {
  TccEmit *t = &w->t.n->e;
  const char *pair = tcc_emit_vector(t, "i32", 2);
  TccVal stage, parity;
  nvptx_tiles_stage(&w->t, count, &stage, &parity);
  TccVal begin = times(w, stage, nvptx_tiles_stage_bytes(&w->t));
  for (int i = 0; i < w->pieces[side]; i++) {
    const TccVal *x = words + i * WORDS;
    int piece = side ? w->pieces[0] + i : i;
    Parts two[2];
    for (int j = 0; j < 2; j++)
      two[j] = kind == ROUNDED    ? split(w, x[2 * j], x[2 * j + 1], left)
               : kind == AS_IT_IS ? split_as_it_is(w, x[2 * j], x[2 * j + 1])
                                  : split_finite(w, x[2 * j], x[2 * j + 1]);
    TccVal at = tcc_emit_shared_gep(t, "i8", w->t.memory, add(w, begin, w->begin[piece]));
    for (int part = 0; part < (kind == AS_IT_IS ? 1 : NVPTX_SPLIT_PARTS); part++) {
      TccVal v = tcc_emit_insert(t, pair, two[0].part[part], tcc_emit_poison(t, pair), 0);
      v = tcc_emit_insert(t, pair, two[1].part[part], v, 1);
      int64_t behind = w->behind[piece] + (side ? nvptx_tiles_tile_bytes(&w->t, 0) : 0) + (int64_t)part * part_bytes(w, side);
      tcc_emit_shared_store(t, pair, v, tcc_emit_shared_gep(t, "i8", at, i64(w, behind)));
    }
  }
}

/* All who split have written: one of them says what the stage is, and that it is full. */
static void publish(Split *w, TccVal count, int64_t word) {
  TccEmit *t = &w->t.n->e;
  TccVal one = tcc_emit_icmp(t, "eq", "i64", w->t.n->thread, i64(w, 0));
  tcc_emit_inline_asm(t, "@$2 st.shared.b32 [$0], $1;", "r,r,b,~{memory}", NULL, 3,
                      (TccVal[]){word_of(w, count), i32(w, word), one}, (const char *const[]){"i32", "i32", "i1"});
  tell(w, w->t.full, count, one);
}

/* Whether some thread's `left` is NaN, 0 or 1; all who split come here. */
static TccVal vote(Split *w, TccVal left) {
  TccEmit *t = &w->t.n->e;
  const char *text =
      tcc_arena_printf(w->t.n->k.ir->arena,
                       "{ .reg .pred %%split_p; setp.nan.f32 %%split_p, $1, $1; barrier.cta.red.or.aligned.pred %%split_p, %d, %d, "
                       "%%split_p; selp.b32 $0, 1, 0, %%split_p; }",
                       SPLITTERS, threads(w));
  TccVal any = tcc_emit_inline_asm(t, text, "=r,f,~{memory}", "i32", 1, &left, (const char *const[]){"f32"});
  return tcc_emit_cast(t, "zext", "i32", "i64", any);
}

/* The stage at k0 once more, which is seldom. */
static void fill_again(Split *w, TccVal count, const TccVal *base, TccVal k0, Kind kind) {
  TccVal words[MOST_PIECES * WORDS];
  for (int side = 0; side < 2; side++) {
    load(w, side, base[side], k0, words);
    fill(w, side, count, words, kind, NULL);
  }
  nvptx_fence_async(w->t.n);
  const char *text = tcc_arena_printf(w->t.n->k.ir->arena, "barrier.cta.sync.aligned %d, %d;", SPLITTERS, threads(w));
  tcc_emit_inline_asm(&w->t.n->e, text, "~{memory}", NULL, 0, NULL, NULL);
}

/* Fills the stage that comes next with the words of k0, or two of them, and loads the next words; the number of stages behind it. */
static TccVal fill_stage(Split *w, TccVal count, TccVal k0, const TccVal *base, TccVal *next_base, const TccVal *words,
                         TccVal *next_words) {
  TccEmit *t = &w->t.n->e;
  TccLoop twice;
  TccVal left = tcc_emit_zero(t, "f32"), next_k0 = add(w, k0, i64(w, NVPTX_SPLIT_DEPTH));
  wait_for(w, w->t.empty, count, true);
  for (int side = 0; side < 2; side++) {
    int first = side ? w->pieces[0] * WORDS : 0;
    fill(w, side, count, words + first, ROUNDED, &left);
    next_base[side] = tcc_emit_gep(t, "i8", base[side], step_of(w, side));
    load(w, side, next_base[side], next_k0, next_words + first);
  }
  nvptx_fence_async(w->t.n);
  tcc_emit_for(t, &twice, i64(w, 0), vote(w, left), 1, 1, &count, (const char *const[]){"i64"});
  fill_again(w, twice.in[0], base, k0, AS_IT_IS);
  publish(w, twice.in[0], 1);
  TccVal next = add(w, twice.in[0], i64(w, 1));
  wait_for(w, w->t.empty, next, true);
  fill_again(w, next, base, k0, FINITE);
  tcc_emit_end_for(t, &twice, &next);
  publish(w, twice.out[0], 0);
  return add(w, twice.out[0], i64(w, 1));
}

static void produce(Split *w) {
  enum { BESIDES = 3 /* carried: where both operands are, stages so far */ };
  TccEmit *t = &w->t.n->e;
  TccLoop tiles, steps;
  int nwords = (w->pieces[0] + w->pieces[1]) * WORDS;
  TccVal carried[MOST_PIECES * WORDS + BESIDES], *base = carried + nwords;
  const char *types[MOST_PIECES * WORDS + BESIDES];
  for (int i = 0; i < nwords; i++) types[i] = "f32";
  types[nwords] = types[nwords + 1] = TCC_PTR, types[nwords + 2] = "i64";
  for (int side = 0; side < 2; side++) place_pieces(w, side);
  nvptx_tiles_begin(&w->t, &tiles);
  for (int side = 0; side < 2; side++) {
    base[side] = begin_side(w, side);
    load(w, side, base[side], i64(w, 0), carried + (side ? w->pieces[0] * WORDS : 0));
  }
  carried[nwords + 2] = tiles.in[0];
  tcc_emit_for(t, &steps, i64(w, 0), w->t.depth, NVPTX_SPLIT_DEPTH, nwords + BESIDES, carried, types);
  carried[nwords + 2] = fill_stage(w, steps.in[nwords + 2], steps.iv, steps.in + nwords, base, steps.in, carried);
  tcc_emit_end_for(t, &steps, carried);
  tcc_emit_end_for(t, &tiles, &steps.out[nwords + 2]);
}

/* ---- products ---- */

typedef struct {
  const char *all, *highest, *constraints, *sums; /* texts of six products and of one; the type of what they give */
} Words;

/* Products of 16 of the depth: of part `left` and part `right`, `step` such pieces into the stage. */
static void put_product(Split *w, TccText *text, int left, int right, int step, bool first) {
  int nsums = w->t.shape.columns / 2, part[2] = {left, right};
  for (int side = 0; side < 2; side++) {
    NvptxMatrix m = nvptx_tile_matrix(&w->tile[side]);
    tcc_text_printf(text, "add.s64 %%split_%c, $%d, %d; ", side ? 'b' : 'a', nsums + side,
                    part[side] * part_bytes(w, side) / NVPTX_PIECE + step * m.step);
  }
  const char *operands = tcc_arena_printf(w->t.n->k.ir->arena, "%%split_a, %%split_b, %s, 1, 1, %d, %d",
                                          first ? "%split_n" : "%split_y", !w->tile[0].along_depth, !w->tile[1].along_depth);
  nvptx_wgmma_put(text, (const TccElem[]){TCC_ELEM_BF16, TCC_ELEM_BF16}, w->t.shape.columns, 0, operands);
}

/* The small ones first. */
static const char *products_text(Split *w, bool all) {
  enum { STEPS = NVPTX_SPLIT_DEPTH / 16, HIGHEST = 5 };
  static const int parts[][2] = {{2, 0}, {1, 1}, {0, 2}, {1, 0}, {0, 1}, {0, 0}};
  TccText text = {0};
  tcc_text_printf(&text, "{ .reg .pred %%split_n, %%split_y; .reg .b64 %%split_a, %%split_b; setp.ne.b32 %%split_n, 0, 0; "
                         "setp.eq.b32 %%split_y, 0, 0; wgmma.fence.sync.aligned; ");
  for (int i = all ? 0 : HIGHEST; i <= HIGHEST; i++)
    for (int step = 0; step < STEPS; step++)
      put_product(w, &text, parts[i][0], parts[i][1], step, i == (all ? 0 : HIGHEST) && step == 0);
  tcc_text_printf(&text, "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; }");
  return nvptx_text_keep(w->t.n->k.ir->arena, &text);
}

static Words words_of(Split *w) {
  TccArena *arena = w->t.n->k.ir->arena;
  TccText constraints = {0};
  for (int i = 0; i < w->t.shape.columns / 2; i++) tcc_text_printf(&constraints, "=&f,");
  tcc_text_printf(&constraints, "l,l,~{memory}");
  return (Words){products_text(w, true), products_text(w, false), nvptx_text_keep(arena, &constraints),
                 nvptx_sums_type(arena, "f32", w->t.shape.columns / 2)};
}

static TccVal descriptor(Split *w, int side, TccVal count) {
  TccEmit *t = &w->t.n->e;
  NvptxMatrix m = nvptx_tile_matrix(&w->tile[side]);
  TccVal stage, parity;
  nvptx_tiles_stage(&w->t, count, &stage, &parity);
  TccVal at = nvptx_shared_number(w->t.n, nvptx_tiles_at(&w->t, side ? nvptx_tiles_tile_bytes(&w->t, 0) : 0));
  at = add(w, tcc_emit_cast(t, "zext", "i32", "i64", at), times(w, stage, nvptx_tiles_stage_bytes(&w->t)));
  if (!side) at = add(w, at, times(w, w->t.group, m.rows));
  return nvptx_matrix_at(w->t.n, &m, at);
}

/* Adds a stage's products to the sums; those as_it_is where they are not finite. */
static void multiply(Split *w, const Words *words, TccVal count, bool as_it_is, TccVal *sums) {
  TccEmit *t = &w->t.n->e;
  TccVal args[2] = {descriptor(w, 0, count), descriptor(w, 1, count)}, zero = tcc_emit_zero(t, "f32");
  TccVal all = tcc_emit_inline_asm(t, as_it_is ? words->highest : words->all, words->constraints, words->sums, 2, args,
                                   (const char *const[]){"i64", "i64"});
  for (int i = 0; i < w->t.shape.columns / 2; i++) {
    TccVal v = tcc_emit_extract_value(t, words->sums, all, i, "f32"), size = tcc_emit_intrinsic(t, "fabs", "f32", 1, &v);
    if (as_it_is) v = tcc_emit_select1(t, "f32", tcc_emit_fcmp(t, "olt", "f32", size, tcc_emit_float(t, "f32", INFINITY)), zero, v);
    sums[i] = tcc_emit_bin(t, "fadd", "f32", sums[i], v);
  }
  tell(w, w->t.empty, count, tcc_emit_icmp(t, "eq", "i64", w->t.lane, i64(w, 0)));
}

static TccStatus *consume(Split *w) {
  TccEmit *t = &w->t.n->e;
  TccLoop tiles, steps, twice;
  int nsums = w->t.shape.columns / 2;
  Words words = words_of(w);
  TccVal sums[MOST_SUMS + 1]; /* and stages so far */
  const char *types[MOST_SUMS + 1];
  nvptx_tiles_begin(&w->t, &tiles);
  for (int i = 0; i < nsums; i++) sums[i] = tcc_emit_zero(t, "f32"), types[i] = "f32";
  sums[nsums] = tiles.in[0], types[nsums] = "i64";
  tcc_emit_for(t, &steps, i64(w, 0), w->t.steps, 1, nsums + 1, sums, types);
  wait_for(w, w->t.full, steps.in[nsums], false);
  TccVal word = word_of(w, steps.in[nsums]);
  word = tcc_emit_inline_asm(t, "ld.shared.b32 $0, [$1];", "=r,r,~{memory}", "i32", 1, &word, (const char *const[]){"i32"});
  tcc_emit_for(t, &twice, i64(w, 0), tcc_emit_cast(t, "zext", "i32", "i64", word), 1, nsums + 1, steps.in, types);
  memcpy(sums, twice.in, sizeof sums);
  multiply(w, &words, twice.in[nsums], true, sums);
  sums[nsums] = add(w, twice.in[nsums], i64(w, 1));
  wait_for(w, w->t.full, sums[nsums], false);
  tcc_emit_end_for(t, &twice, sums);
  memcpy(sums, twice.out, sizeof sums);
  multiply(w, &words, twice.out[nsums], false, sums);
  sums[nsums] = add(w, twice.out[nsums], i64(w, 1));
  tcc_emit_end_for(t, &steps, sums);
  memcpy(sums, steps.out, sizeof sums);
  TCC_TRY(nvptx_tiles_write(&w->t, sums));
  tcc_emit_end_for(t, &tiles, &steps.out[nsums]);
  return NULL;
}

/* ---- the kernel ---- */

/* The number of the block once more, so that neither side of the kernel carries it for the other. */
static TccVal block_again(NvptxKernel *n) {
  TccVal v = tcc_emit_inline_asm(&n->e, "mov.u32 $0, %ctaid.x;", "=r", "i32", 0, NULL, NULL);
  return tcc_emit_cast(&n->e, "zext", "i32", "i64", v);
}

TccStatus *nvptx_product_split(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) {
  TccEmit *t = &n->e;
  const NvptxTmaShape *s = &p->shape;
  Split w = {.t = {.n = n, .p = p, .shape = *s, .depth_step = NVPTX_SPLIT_DEPTH, .row_bytes = NVPTX_SPLIT_ROW_BYTES}};
  TccIf splits;
  w.t.fillers = s->groups * NVPTX_GROUP_WARPS, w.t.more_shared = nvptx_split_words(s);
  for (int side = 0; side < 2; side++) {
    w.tile[side] = (NvptxTile){side ? s->columns : s->groups * NVPTX_GROUP_ROWS, 2, p->along_depth[side]};
    w.pieces[side] = w.tile[side].rows * NVPTX_SPLIT_DEPTH / WORDS / threads(&w);
  }
  nvptx_tiles_prepare(&w.t);
  nvptx_tiles_init(&w.t);
  tcc_emit_if(t, &splits, below(&w, n->thread, i64(&w, threads(&w))), 0, NULL);
  if (s->groups > 1) nvptx_set_registers(n, false, SPLIT_REGISTERS);
  n->block = block_again(n);
  produce(&w);
  tcc_emit_else(t, &splits, NULL);
  if (s->groups > 1) nvptx_set_registers(n, true, SUMS_REGISTERS);
  n->block = block_again(n);
  TCC_TRY(consume(&w));
  tcc_emit_end_if(t, &splits, NULL);
  out->blocks = w.t.clusters, out->threads = (uint32_t)(2 * threads(&w));
  out->schedule = tcc_arena_printf(n->k.ir->arena, "wgmma of three parts, tile = %dx%dx%d, stages = %d, band = %d",
                                   nvptx_tiles_rows(&w.t), s->columns, NVPTX_SPLIT_DEPTH, s->stages, s->band);
  return NULL;
}

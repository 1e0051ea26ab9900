/* tile.c - see tile.h. Fragments: PTX ISA 9.7.14.5, matrix fragments for mma.m16n8k16 and m16n8k8; ldmatrix: 9.7.14.5.15. */
#include "lib/targets/nvptx/tile.h"

static TccVal i64(NvptxKernel *n, int64_t v) { return tcc_emit_i64(&n->e, v); }
static TccVal xor_of(NvptxKernel *n, TccVal a, TccVal b) { return tcc_emit_bin(&n->e, "xor", "i64", a, b); }
static TccVal shifted(NvptxKernel *n, TccVal v, int bits) { return tcc_emit_mul(&n->e, v, i64(n, INT64_C(1) << bits)); }
/* Bits [first, first + count) of v. */
static TccVal bits_of(NvptxKernel *n, TccVal v, int first, int count) {
  if (first) v = tcc_emit_bin(&n->e, "lshr", "i64", v, i64(n, first));
  return tcc_emit_bin(&n->e, "and", "i64", v, i64(n, (INT64_C(1) << count) - 1));
}

/* ---- where elements lie ---- */

static bool has_atoms(const NvptxTile *tile) { return !tile->along_depth && tile->bytes == 2; }

/* Bytes whose neighbours are rows. */
static bool is_turned(const NvptxTile *tile) { return !tile->along_depth && tile->bytes == 1; }

static int pitch(const NvptxTile *tile) {
  return tile->along_depth ? NVPTX_TILE_BYTES : has_atoms(tile) ? NVPTX_ATOM_BYTES : tile->rows * tile->bytes;
}

/* What pieces of a row of the tile are exchanged by. Rows of 64 bytes: two of them fill the banks. Rows of elements of four bytes are read
 * by four rows and two pieces at a time, those of two bytes by eight rows, turned bytes by eight of which two are neighbours and two begin four apart. */
static TccVal swizzle(NvptxKernel *n, const NvptxTile *tile, TccVal row) {
  if (tile->along_depth) return bits_of(n, row, 1, 2);
  if (is_turned(tile) && tile->rows == NVPTX_TILE_BYTES) return bits_of(n, row, 2, 2);
  if (is_turned(tile)) return tcc_emit_bin(&n->e, "or", "i64", bits_of(n, row, 0, 1), shifted(n, bits_of(n, row, 2, 2), 1));
  return tile->bytes == 4 ? shifted(n, bits_of(n, row, 0, 2), 1) : bits_of(n, row, 0, 3);
}

static TccVal piece_at(NvptxKernel *n, const NvptxTile *tile, TccVal row, TccVal piece) {
  TccEmit *t = &n->e;
  TccVal begin = tcc_emit_mul(t, row, i64(n, pitch(tile)));
  if (has_atoms(tile)) {
    TccVal pieces = i64(n, NVPTX_ATOM_BYTES / NVPTX_PIECE), atom = tcc_emit_div(t, piece, pieces);
    begin = tcc_emit_add(t, begin, tcc_emit_mul(t, atom, i64(n, (int64_t)nvptx_tile_depth(tile) * NVPTX_ATOM_BYTES)));
    piece = tcc_emit_rem(t, piece, pieces);
  }
  return tcc_emit_add(t, begin, shifted(n, xor_of(n, piece, swizzle(n, tile, row)), 4));
}

TccVal nvptx_tile_offset(NvptxKernel *n, const NvptxTile *tile, TccVal row, TccVal k) {
  TccEmit *t = &n->e;
  TccVal slow = tile->along_depth ? row : k, fast = tile->along_depth ? k : row, per_piece = i64(n, NVPTX_PIECE / tile->bytes);
  TccVal inside = tcc_emit_mul(t, tcc_emit_rem(t, fast, per_piece), i64(n, tile->bytes));
  return tcc_emit_add(t, piece_at(n, tile, slow, tcc_emit_div(t, fast, per_piece)), inside);
}

/* ---- fragments ---- */

/* Elements of four bytes whose neighbours are rows: no ldmatrix transposes those, each lane reads its own. */
static bool is_read_singly(const NvptxTile *tile) { return !tile->along_depth && tile->bytes == 4; }

NvptxFragments nvptx_fragments(NvptxKernel *n, const NvptxTile *tile, TccVal lane, TccVal first) {
  TccEmit *t = &n->e;
  TccVal offset;
  if (is_read_singly(tile)) {
    TccVal row = tcc_emit_add(t, first, bits_of(n, lane, 2, 3));
    offset = nvptx_tile_offset(n, tile, row, bits_of(n, lane, 0, 2));
  } else if (tile->along_depth) {
    TccVal row = tcc_emit_add(t, first, bits_of(n, lane, 0, 4));
    offset = piece_at(n, tile, row, bits_of(n, lane, 4, 1));
  } else if (is_turned(tile)) { /* 4 i, 4 i + 1 for a matrix's pairs of rows, 4 i + 2, 4 i + 3 for the next one's; then 16 on */
    TccVal k = tcc_emit_add(t, bits_of(n, lane, 0, 1), shifted(n, bits_of(n, lane, 1, 2), 2));
    k = tcc_emit_add(t, k, tcc_emit_add(t, shifted(n, bits_of(n, lane, 3, 1), 1), shifted(n, bits_of(n, lane, 4, 1), 4)));
    offset = piece_at(n, tile, k, tcc_emit_div(t, first, i64(n, NVPTX_PIECE)));
  } else {
    TccVal k = tcc_emit_add(t, bits_of(n, lane, 0, 3), shifted(n, bits_of(n, lane, 4, 1), 3));
    TccVal piece = tcc_emit_div(t, first, i64(n, NVPTX_PIECE / tile->bytes));
    offset = piece_at(n, tile, k, tcc_emit_add(t, piece, bits_of(n, lane, 3, 1)));
  }
  return (NvptxFragments){tile, offset};
}

static TccVal at_offset(NvptxKernel *n, TccVal base, TccVal offset, int64_t exchanged, int64_t added) {
  TccEmit *t = &n->e;
  if (exchanged) offset = xor_of(n, offset, i64(n, exchanged));
  TccVal p = tcc_emit_shared_gep(t, "i8", base, offset);
  return added ? tcc_emit_shared_gep(t, "i8", p, i64(n, added)) : p;
}

static void load_singly(NvptxKernel *n, const NvptxFragments *f, TccVal base, int group, int step, TccVal *out) {
  int row_pitch = pitch(f->tile), per_step = NVPTX_FRAGMENT_BYTES / 4;
  for (int r = 0; r < 4; r++) {
    int row = NVPTX_FRAGMENT_ROWS * group + 8 * (r % 2), k = step * per_step + 4 * (r / 2);
    out[r] = tcc_emit_shared_load(&n->e, "i32", at_offset(n, base, f->offset, (int64_t)row * 4, (int64_t)k * row_pitch));
  }
}

/* Words of (k, k + 1) of two rows each, then of (k + 2, k + 3): four of the depth of either row. */
static void turn(NvptxKernel *n, TccVal *words) {
  TccEmit *t = &n->e;
  static const char *const types[] = {"i32", "i32", "i32"};
  for (int half = 0; half < 4; half += 2) {
    TccVal two[] = {words[half], words[half + 1]};
    for (int i = 0; i < 2; i++) {
      TccVal args[] = {two[0], two[1], tcc_emit_int(t, "i32", i ? 0x7531 : 0x6420)};
      words[half + i] = tcc_emit_call_intrinsic(t, "llvm.nvvm.prmt", "i32", 3, args, types);
    }
  }
}

#define FOUR_WORDS "!llvm.struct<(i32, i32, i32, i32)>"
#define FOUR_FLOATS "!llvm.struct<(f32, f32, f32, f32)>"

void nvptx_fragment_load(NvptxKernel *n, const NvptxFragments *f, TccVal base, int group, int step, TccVal *out) {
  TccEmit *t = &n->e;
  const NvptxTile *tile = f->tile;
  if (is_read_singly(tile)) {
    load_singly(n, f, base, group, step, out);
    return;
  }
  int64_t rows = (int64_t)NVPTX_FRAGMENT_ROWS * group, exchanged, added;
  if (tile->along_depth) exchanged = (int64_t)step * NVPTX_FRAGMENT_BYTES, added = rows * pitch(tile);
  else exchanged = rows * tile->bytes, added = (int64_t)step * (NVPTX_FRAGMENT_BYTES / tile->bytes) * pitch(tile);
  TccVal p = at_offset(n, base, f->offset, exchanged, added);
  const char *name =
      tile->along_depth ? "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16" : "llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16";
  TccVal all = tcc_emit_call_intrinsic(t, name, FOUR_WORDS, 1, &p, (const char *const[]){"!llvm.ptr<3>"});
  for (int r = 0; r < 4; r++) out[r] = tcc_emit_extract_value(t, FOUR_WORDS, all, r, "i32");
  if (is_turned(tile)) turn(n, out);
}

void nvptx_mma(NvptxKernel *n, TccElem elem, const TccVal *a, const TccVal *b, TccVal *sums) {
  TccEmit *t = &n->e;
  const char *name = elem == TCC_ELEM_F16    ? "llvm.nvvm.mma.m16n8k16.row.col.f32.f32"
                     : elem == TCC_ELEM_BF16 ? "llvm.nvvm.mma.m16n8k16.row.col.bf16"
                                             : "llvm.nvvm.mma.m16n8k8.row.col.tf32",
             *word = elem == TCC_ELEM_F16 ? "vector<2xf16>" : "i32", *types[10];
  TccVal args[10];
  for (int i = 0; i < 6; i++) args[i] = tcc_emit_cast(t, "bitcast", "i32", word, i < 4 ? a[i] : b[i - 4]), types[i] = word;
  for (int i = 0; i < 4; i++) args[6 + i] = sums[i], types[6 + i] = "f32";
  TccVal all = tcc_emit_call_intrinsic(t, name, FOUR_FLOATS, 10, args, types);
  for (int i = 0; i < 4; i++) sums[i] = tcc_emit_extract_value(t, FOUR_FLOATS, all, i, "f32");
}

void nvptx_mma_bytes(NvptxKernel *n, TccElem left, TccElem right, const TccVal *a, const TccVal *b, TccVal *sums) {
  static const char *const names[2][2] = {{"s8", "s8.u8"}, {"u8.s8", "u8"}};
  TccEmit *t = &n->e;
  TccVal args[10];
  const char *types[10], *of = names[left == TCC_ELEM_U8][right == TCC_ELEM_U8];
  for (int i = 0; i < 10; i++) args[i] = i < 4 ? a[i] : i < 6 ? b[i - 4] : sums[i - 6], types[i] = "i32";
  const char *name = tcc_arena_printf(n->k.ir->arena, "llvm.nvvm.mma.m16n8k32.row.col.%s", of);
  TccVal all = tcc_emit_call_intrinsic(t, name, FOUR_WORDS, 10, args, types);
  for (int i = 0; i < 4; i++) sums[i] = tcc_emit_extract_value(t, FOUR_WORDS, all, i, "i32");
}

/* Of two tiles of 8 turned columns lane t has columns 4 t to 4 t + 3. */
void nvptx_turned_put(NvptxKernel *n, const char *sum, NvptxTurned turned, TccVal lane, TccVal base, int rows, int columns,
                      int span, const TccVal *sums) {
  TccEmit *t = &n->e;
  int wide = turned.columns ? 4 : 2, across = columns / (turned.columns ? 16 : 8), words = nvptx_turned_pitch(turned);
  const char *type = tcc_emit_vector(t, sum, wide);
  TccVal row = tcc_emit_mul(t, tcc_emit_div(t, lane, i64(n, 4)), i64(n, turned.rows ? 2 : 1)),
         column = tcc_emit_mul(t, tcc_emit_rem(t, lane, i64(n, 4)), i64(n, wide));
  TccVal own = tcc_emit_shared_gep(t, sum, base, tcc_emit_add(t, tcc_emit_mul(t, row, i64(n, words)), column));
  for (int i = 0; i < rows / 8 * across; i++) {
    int eight = i / across, c = i % across, down = turned.rows ? eight / 2 * 16 + eight % 2 : eight * 8;
    const TccVal *first = sums + eight / 2 * (span / 8 * 4) + (turned.columns ? 2 : 1) * c * 4 + eight % 2 * 2;
    TccVal v = tcc_emit_poison(t, type);
    for (int e = 0; e < wide; e++) v = tcc_emit_insert(t, type, turned.columns ? first[e % 2 * 4 + e / 2] : first[e], v, e);
    tcc_emit_shared_store(t, type, v, tcc_emit_shared_gep(t, sum, own, i64(n, (int64_t)down * words + (int64_t)c * 4 * wide)));
  }
}

void nvptx_sums_put(NvptxKernel *n, TccVal lane, TccVal base, int rows, int columns, int span, const TccVal *sums) {
  nvptx_turned_put(n, "f32", (NvptxTurned){0}, lane, base, rows, columns, span, sums);
}

/* ---- copies ---- */

void nvptx_copy_async(NvptxKernel *n, TccVal to, TccVal from, TccVal bytes) {
  TccEmit *t = &n->e;
  TccVal global = tcc_emit_cast(t, "addrspacecast", TCC_PTR, "!llvm.ptr<1>", from),
         count = tcc_emit_cast(t, "trunc", "i64", "i32", bytes);
  tcc_emit_call_intrinsic(t, "llvm.nvvm.cp.async.cg.shared.global.16.s", NULL, 3, (TccVal[]){to, global, count},
                          (const char *const[]){"!llvm.ptr<3>", "!llvm.ptr<1>", "i32"});
}

void nvptx_copy_commit(NvptxKernel *n) { tcc_emit_call_intrinsic(&n->e, "llvm.nvvm.cp.async.commit.group", NULL, 0, NULL, NULL); }

void nvptx_copy_wait(NvptxKernel *n, int pending) {
  TccVal count = tcc_emit_int(&n->e, "i32", pending);
  tcc_emit_call_intrinsic(&n->e, "llvm.nvvm.cp.async.wait.group", NULL, 1, &count, (const char *const[]){"i32"});
}

void nvptx_fence_async(NvptxKernel *n) {
  tcc_emit_inline_asm(&n->e, "fence.proxy.async.shared::cta;", "~{memory}", NULL, 0, NULL, NULL);
}

void nvptx_warp_barrier(NvptxKernel *n) {
  TccVal all = tcc_emit_int(&n->e, "i32", -1);
  tcc_emit_call_intrinsic(&n->e, "llvm.nvvm.bar.warp.sync", NULL, 1, &all, (const char *const[]){"i32"});
}

/* product_fma.c - products of f32 by fused multiply-adds, from a ring of tiles in shared memory: what is exact, and what older chips have.
 *
 * A thread has 8 x 8 sums, 64 x 32 a warp, in the places that sums of mma.sync have there (product_ring.h): rows 8 apart, columns in pairs 8 apart. Of an
 * operand whose neighbours are along the depth it reads four of the depth at a time, of one whose neighbours are columns two of these; lanes that read the
 * same bytes are given them at once. For four of the depth 256 multiply-adds stand beside 24 reads. */
#include "lib/targets/nvptx/product_ring.h"

enum { SPAN_ROWS = 64, SPAN_COLUMNS = 32, WIDE = 4 /* of the depth, read at once */, LANE_ROWS = 8, LANE_COLUMNS = 8, ELEMENT = 4 };

/* Where a lane's first row, and its first column, lie in their tiles, in bytes, at the stage's first of the depth. */
typedef struct {
  TccVal first[2];
} Lane;

static TccVal i64(NvptxRing *w, int64_t v) { return tcc_emit_i64(&w->n->e, v); }

static void begin(NvptxRing *w) {
  TccEmit *t = &w->n->e;
  Lane *lane = w->user;
  TccVal own[2] = {tcc_emit_div(t, w->lane, i64(w, 4)), tcc_emit_mul(t, tcc_emit_rem(t, w->lane, i64(w, 4)), i64(w, 2))};
  for (int side = 0; side < 2; side++)
    lane->first[side] = nvptx_tile_offset(
        w->n, &w->tile[side], tcc_emit_add(t, tcc_emit_mul(t, w->warp[side], i64(w, w->span[side])), own[side]), i64(w, 0));
}

/* Rows of the left operand are 8 apart; of the right one pairs of columns are. */
static int row_of(int side, int i) { return side ? i / 2 * 8 + i % 2 : i * 8; }

/* The swizzle of rows that are 8 apart is the same, so it moves no more than the pieces of the depth. out[i][j]: element k + j of row or column i. */
static void read_along(NvptxRing *w, int side, TccVal base, int k, TccVal (*out)[WIDE]) {
  TccEmit *t = &w->n->e;
  const Lane *lane = w->user;
  const char *four = tcc_emit_vector(t, "f32", WIDE);
  TccVal at = k ? tcc_emit_bin(t, "xor", "i64", lane->first[side], i64(w, k * ELEMENT)) : lane->first[side];
  TccVal first = tcc_emit_shared_gep(t, "i8", base, at);
  for (int i = 0; i < LANE_ROWS; i++) {
    int64_t behind = (int64_t)row_of(side, i) * NVPTX_TILE_BYTES;
    TccVal v = tcc_emit_shared_load(t, four, tcc_emit_shared_gep(t, "i8", first, i64(w, behind)));
    for (int j = 0; j < WIDE; j++) out[i][j] = tcc_emit_extract(t, four, v, j);
  }
}

/* Pieces of 16 bytes are exchanged by bits that a lane's first place has not: where a piece goes is known for each of the depth. */
static void read_across(NvptxRing *w, int side, TccVal base, int k, TccVal (*out)[WIDE]) {
  TccEmit *t = &w->n->e;
  const Lane *lane = w->user;
  int wide = side ? 2 : 1, pitch = w->tile[side].rows * ELEMENT;
  const char *type = tcc_emit_vector(t, "f32", wide);
  TccVal first = tcc_emit_shared_gep(t, "i8", base, lane->first[side]);
  for (int i = 0; i < LANE_ROWS; i += wide)
    for (int j = 0; j < WIDE; j++) {
      int piece = row_of(side, i) * ELEMENT / NVPTX_PIECE ^ (k + j) % 4 * 2;
      int64_t behind = (int64_t)(k + j) * pitch + (int64_t)piece * NVPTX_PIECE;
      TccVal v = tcc_emit_shared_load(t, type, tcc_emit_shared_gep(t, "i8", first, i64(w, behind)));
      for (int x = 0; x < wide; x++) out[i + x][j] = tcc_emit_extract(t, type, v, x);
    }
}

/* Sums in the order of fragments: 16 rows, then 8 columns, then the four of a lane. */
static int sum_of(int row, int column) { return (row / 2 * (SPAN_COLUMNS / 8) + column / 2) * 4 + row % 2 * 2 + column % 2; }

static void multiply_stage(NvptxRing *w, const TccVal *base, TccVal *sums) {
  for (int k = 0; k < nvptx_tile_depth(&w->tile[0]); k += WIDE) {
    TccVal v[2][LANE_ROWS][WIDE];
    for (int side = 0; side < 2; side++) (w->tile[side].along_depth ? read_along : read_across)(w, side, base[side], k, v[side]);
    for (int j = 0; j < WIDE; j++)
      for (int r = 0; r < LANE_ROWS; r++)
        for (int c = 0; c < LANE_COLUMNS; c++) {
          TccVal *sum = &sums[sum_of(r, c)];
          *sum = tcc_emit_fma(&w->n->e, "f32", v[0][r][j], v[1][c][j], *sum);
        }
  }
}

bool nvptx_product_fma_fits(const TccMachine *machine, const NvptxProduct *p) {
  return tcc_isa_gpu_chip(machine->isa) >= 80 && p->acc == TCC_ELEM_F32 && p->elem == TCC_ELEM_F32 &&
         nvptx_ring_is_large(machine, p);
}

TccStatus *nvptx_product_fma(NvptxKernel *n, const NvptxProduct *p, NvptxProductLaunch *out) {
  Lane lane;
  NvptxRing w = {.n = n, .p = p, .name = "fused multiply-adds", .begin = begin, .multiply = multiply_stage, .user = &lane};
  w.side = NVPTX_RING_LARGE;
  w.span[0] = SPAN_ROWS, w.span[1] = SPAN_COLUMNS;
  w.warps[0] = w.side / SPAN_ROWS, w.warps[1] = w.side / SPAN_COLUMNS;
  return nvptx_ring_emit(&w, out);
}

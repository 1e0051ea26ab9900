/* wgmma.c - see wgmma.h. */
#include "lib/targets/nvptx/wgmma.h"

NvptxMatrix nvptx_matrix(bool along_depth, int depth) {
  enum { PIECE = 16, ROW = 128 };
  const uint64_t swizzle_128 = UINT64_C(1) << 62, stride = UINT64_C(8) * ROW / PIECE << 32;
  uint64_t leading = along_depth ? 1 : (uint64_t)depth * ROW / PIECE;
  return (NvptxMatrix){swizzle_128 | stride | leading << 16, (along_depth ? 32 : 16 * ROW) / PIECE,
                       (along_depth ? NVPTX_GROUP_ROWS : depth) * ROW};
}

NvptxMatrix nvptx_tile_matrix(const NvptxTile *tile) {
  enum { EIGHT = 8, STEP_DEPTH = 16 };
  const uint64_t swizzle_128 = UINT64_C(1) << 62, swizzle_64 = UINT64_C(2) << 62;
  uint64_t atom = (uint64_t)nvptx_tile_depth(tile) * NVPTX_ATOM_BYTES;
  if (tile->along_depth)
    return (NvptxMatrix){swizzle_64 | UINT64_C(1) << 16 | (uint64_t)EIGHT * NVPTX_TILE_BYTES / NVPTX_PIECE << 32,
                         NVPTX_FRAGMENT_BYTES / NVPTX_PIECE, NVPTX_GROUP_ROWS * NVPTX_TILE_BYTES};
  return (NvptxMatrix){swizzle_128 | atom / NVPTX_PIECE << 16 | (uint64_t)EIGHT * NVPTX_ATOM_BYTES / NVPTX_PIECE << 32,
                       STEP_DEPTH * NVPTX_ATOM_BYTES / NVPTX_PIECE, (int)atom};
}

TccVal nvptx_matrix_at(NvptxKernel *n, const NvptxMatrix *m, TccVal address) {
  TccEmit *t = &n->e;
  return tcc_emit_bin(t, "or", "i64", tcc_emit_bin(t, "lshr", "i64", address, tcc_emit_i64(t, 4)),
                      tcc_emit_i64(t, (int64_t)m->fixed));
}

static const char *name_of(TccElem elem) {
  return elem == TCC_ELEM_F16 ? "f16" : elem == TCC_ELEM_BF16 ? "bf16" : elem == TCC_ELEM_U8 ? "u8" : "s8";
}

void nvptx_wgmma_put(TccText *text, const TccElem *of, int columns, int first, const char *operands) {
  const char *shape = tcc_elem_bits(of[0]) == 8 ? "k32.s32" : "k16.f32";
  tcc_text_printf(text, "wgmma.mma_async.sync.aligned.m64n%d%s.%s.%s {", columns, shape, name_of(of[0]), name_of(of[1]));
  for (int i = 0; i < columns / 2; i++) tcc_text_printf(text, "%s$%d", i ? ", " : "", first + i);
  tcc_text_printf(text, "}, %s; ", operands);
}

const char *nvptx_text_keep(TccArena *arena, TccText *text) {
  const char *out = tcc_arena_copy(arena, text->data, text->length);
  tcc_text_destroy(text);
  return out;
}

const char *nvptx_wgmma_flags(TccElem elem, const bool *along_depth) {
  static const char *const flags[2][2] = {{", 1, 1, 1, 1", ", 1, 1, 1, 0"}, {", 1, 1, 0, 1", ", 1, 1, 0, 0"}};
  return tcc_elem_bits(elem) == 8 ? "" : flags[along_depth[0]][along_depth[1]];
}

const char *nvptx_sums_type(TccArena *arena, const char *sum, int n) {
  TccText text = {0};
  for (int i = 0; i < n; i++) tcc_text_printf(&text, "%s%s", i ? ", " : "!llvm.struct<(", sum);
  tcc_text_printf(&text, ")>");
  return nvptx_text_keep(arena, &text);
}

void nvptx_set_registers(NvptxKernel *n, bool more, int registers) {
  const char *text = tcc_arena_printf(n->k.ir->arena, "setmaxnreg.%s.sync.aligned.u32 %d;", more ? "inc" : "dec", registers);
  tcc_emit_inline_asm(&n->e, text, "~{memory}", NULL, 0, NULL, NULL);
}

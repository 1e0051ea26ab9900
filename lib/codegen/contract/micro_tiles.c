/* micro_tiles.c - the register tile of a contraction in AMX tile registers. See micro.h.
 *
 * One or two tiles of a meet one to four of a panel: two by two where there are more than 16 rows, which loads four tiles for
 * four products; one by up to four for few rows, where the panel streams from memory. The emitter owns all eight registers and
 * names them itself: sums from 0, then a, then what is left for the panel in turns. There are no tails: rows that do not
 * exist give sums that nobody reads, words are padded to TCC_TILE_WORDS. A product flushes subnormal floats to zero. */
#include "lib/codegen/contract/micro.h"

enum { TILES = 8, ROW_BYTES = 64 };

static TccVal number(TccEmit *e, int tile) { return tcc_emit_int(e, "i8", tile); }

/* operation: "tileloadd64" or "tilestored64". */
static void transfer(TccEmit *e, const char *operation, int tile, TccVal p, int64_t stride) {
  tcc_emit_put(e, "llvm.call_intrinsic \"llvm.x86.%s\"(%%%d, %%%d, %%%d) : (i8, !llvm.ptr, i64) -> ()\n", operation,
               number(e, tile), p, tcc_emit_i64(e, stride));
}

static void clear(TccEmit *e, int tile) {
  tcc_emit_put(e, "llvm.call_intrinsic \"llvm.x86.tilezero\"(%%%d) : (i8) -> ()\n", number(e, tile));
}

static void multiply(TccEmit *e, const TccMicroType *t, int sum, int a, int b) {
  bool signed_a = t->a == TCC_ELEM_I8, signed_b = t->b == TCC_ELEM_I8;
  const char *of_bytes = signed_a ? signed_b ? "tdpbssd" : "tdpbsud" : signed_b ? "tdpbusd" : "tdpbuud";
  tcc_emit_put(e, "llvm.call_intrinsic \"llvm.x86.%s\"(%%%d, %%%d, %%%d) : (i8, i8, i8) -> ()\n",
               t->acc[0] == 'f' ? "tdpbf16ps" : of_bytes, number(e, sum), number(e, a), number(e, b));
}

void tcc_micro_tiles_begin(TccEmit *e) {
  unsigned char configuration[64] = {1}; /* palette 1: eight tiles; then bytes of a row as u16 from 16 on, rows from 48 on */
  for (int i = 0; i < TILES; i++) configuration[16 + 2 * i] = ROW_BYTES, configuration[48 + i] = TCC_TILE_ROWS;
  tcc_emit_put(e, "llvm.call_intrinsic \"llvm.x86.ldtilecfg\"(%%%d) : (!llvm.ptr) -> ()\n",
               tcc_emit_data(e, configuration, sizeof configuration));
}

void tcc_micro_tiles_end(TccEmit *e) { tcc_emit_put(e, "llvm.call_intrinsic \"llvm.x86.tilerelease\"() : () -> ()\n"); }

void tcc_micro_tiles_emit(TccEmit *e, const char *name, const TccMicro *m) {
  const TccMicroType *t = &m->type;
  int down = m->rows / TCC_TILE_ROWS, across = m->vectors, first_a = down * across, first_b = first_a + down,
      rest = TILES - first_b;
  int64_t panel_bytes = (int64_t)(m->panel ? m->panel : m->vectors) * ROW_BYTES, lda = m->lda * t->packed_bytes,
          ldc = m->ldc * t->acc_bytes;
  const char *params[] = {TCC_PTR " {llvm.noalias}", TCC_PTR " {llvm.noalias}", TCC_PTR " {llvm.noalias}", "i64", "i64", TCC_PTR};
  TccVal arg[6];
  tcc_emit_function(e, name, true, 6, params, NULL, arg);
  TccIf again;
  tcc_emit_if(e, &again, tcc_micro_adds(e, arg[4]), 0, NULL);
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < down; i++)
      for (int j = 0; j < across; j++)
        if (pass) clear(e, i * across + j);
        else transfer(e, "tileloadd64", i * across + j, tcc_emit_at(e, "i8", arg[2], i * TCC_TILE_ROWS * ldc + j * ROW_BYTES), ldc);
    if (pass == 0) tcc_emit_else(e, &again, NULL);
  }
  tcc_emit_end_if(e, &again, NULL);

  int64_t lines = (m->ahead ? m->ahead : 1) * TCC_TILE_WORDS / tcc_micro_turn(t);
  TccVal start[] = {arg[0], arg[1], arg[5]};
  TccLoop loop;
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), arg[3], TCC_TILE_WORDS, 3, start, (const char *const[]){TCC_PTR, TCC_PTR, TCC_PTR});
  for (int64_t i = 0; i < lines; i++) tcc_emit_prefetch(e, tcc_emit_at(e, "i8", loop.in[2], ROW_BYTES * i), false, 2);
  for (int j = 0; j < across; j++) {
    int b = first_b + j % rest;
    transfer(e, "tileloadd64", b, tcc_emit_at(e, "i8", loop.in[1], j * ROW_BYTES), panel_bytes);
    for (int i = 0; i < down; i++) {
      if (j == 0) transfer(e, "tileloadd64", first_a + i, tcc_emit_at(e, "i8", loop.in[0], i * TCC_TILE_ROWS * lda), lda);
      multiply(e, t, i * across + j, first_a + i, b);
    }
  }
  TccVal next[] = {tcc_emit_at(e, "i8", loop.in[0], ROW_BYTES), tcc_emit_at(e, "i8", loop.in[1], TCC_TILE_WORDS * panel_bytes),
                   tcc_emit_at(e, "i8", loop.in[2], ROW_BYTES * lines)};
  tcc_emit_end_for(e, &loop, next);

  for (int i = 0; i < down; i++)
    for (int j = 0; j < across; j++)
      transfer(e, "tilestored64", i * across + j, tcc_emit_at(e, "i8", arg[2], i * TCC_TILE_ROWS * ldc + j * ROW_BYTES), ldc);
  tcc_emit_return(e, 0, NULL);
}

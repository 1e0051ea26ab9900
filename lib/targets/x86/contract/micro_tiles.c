/* micro_tiles.c - the register tile of a contraction in AMX tile registers. See micro.h.
 *
 * One or two tiles of a meet one to four of a panel: two by two where there are more than 16 rows, which loads four tiles for
 * four products; one by up to four for few rows, where the panel streams from memory. The emitter owns all eight registers and
 * names them itself: sums from 0, then a, then what is left for the panel in turns. There are no tails: rows that do not
 * exist give sums that nobody reads, k-groups are padded to TCC_TILE_K_GROUPS. A product flushes subnormal floats to zero. */
#include "lib/targets/x86/contract/micro.h"

enum { TILES = 8, ROW_BYTES = 64 };

static TccVal number(TccEmit *e, int tile) { return tcc_emit_int(e, "i8", tile); }

/* operation: "llvm.x86.tileloadd64" or "llvm.x86.tilestored64". */
static void transfer(TccEmit *e, const char *operation, int tile, TccVal p, int64_t stride) {
  TccVal step = tcc_emit_i64(e, stride), args[] = {number(e, tile), p, step};
  tcc_emit_call_intrinsic(e, operation, NULL, 3, args, (const char *const[]){"i8", TCC_PTR, "i64"});
}

void tcc_micro_tile_load(TccEmit *e, int tile, TccVal from, int64_t stride) {
  transfer(e, "llvm.x86.tileloadd64", tile, from, stride);
}

void tcc_micro_tile_store(TccEmit *e, int tile, TccVal to, int64_t stride) {
  transfer(e, "llvm.x86.tilestored64", tile, to, stride);
}

void tcc_micro_tile_clear(TccEmit *e, int tile) {
  TccVal which = number(e, tile);
  tcc_emit_call_intrinsic(e, "llvm.x86.tilezero", NULL, 1, &which, (const char *const[]){"i8"});
}

static void multiply_by(TccEmit *e, const char *name, int sum, int a, int b) {
  TccVal right = number(e, b), left = number(e, a), args[] = {number(e, sum), left, right};
  tcc_emit_call_intrinsic(e, name, NULL, 3, args, (const char *const[]){"i8", "i8", "i8"});
}

void tcc_micro_tile_multiply_bytes(TccEmit *e, int sum, int a, int b) { multiply_by(e, "llvm.x86.tdpbusd", sum, a, b); }
void tcc_micro_tile_multiply_pairs(TccEmit *e, int sum, int a, int b) { multiply_by(e, "llvm.x86.tdpbf16ps", sum, a, b); }

static void multiply(TccEmit *e, const TccMicroType *t, int sum, int a, int b) {
  bool signed_a = t->a == TCC_ELEM_I8, signed_b = t->b == TCC_ELEM_I8;
  const char *name = t->acc[0] == 'f' ? "llvm.x86.tdpbf16ps"
                     : signed_a       ? signed_b ? "llvm.x86.tdpbssd" : "llvm.x86.tdpbsud"
                     : signed_b       ? "llvm.x86.tdpbusd"
                                      : "llvm.x86.tdpbuud";
  multiply_by(e, name, sum, a, b);
}

void tcc_micro_tiles_configure(TccEmit *e, const unsigned char configuration[64]) {
  TccVal bytes = tcc_emit_data(e, configuration, 64);
  tcc_emit_call_intrinsic(e, "llvm.x86.ldtilecfg", NULL, 1, &bytes, (const char *const[]){TCC_PTR});
}

void tcc_micro_tiles_begin(TccEmit *e) {
  unsigned char configuration[64] = {1}; /* palette 1: eight tiles; then bytes of a row as u16 from 16 on, rows from 48 on */
  for (int i = 0; i < TILES; i++) configuration[16 + 2 * i] = ROW_BYTES, configuration[48 + i] = TCC_TILE_ROWS;
  tcc_micro_tiles_configure(e, configuration);
}

void tcc_micro_tiles_end(TccEmit *e) { tcc_emit_call_intrinsic(e, "llvm.x86.tilerelease", NULL, 0, NULL, NULL); }

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
        if (pass) tcc_micro_tile_clear(e, i * across + j);
        else tcc_micro_tile_load(e, i * across + j, tcc_emit_at(e, "i8", arg[2], i * TCC_TILE_ROWS * ldc + j * ROW_BYTES), ldc);
    if (pass == 0) tcc_emit_else(e, &again, NULL);
  }
  tcc_emit_end_if(e, &again, NULL);

  int64_t lines = (m->prefetch < 0 ? 0 : m->prefetch ? m->prefetch : 1) * TCC_TILE_K_GROUPS / tcc_micro_unroll(t);
  TccVal start[] = {arg[0], arg[1], arg[5]};
  TccLoop loop;
  tcc_emit_for(e, &loop, tcc_emit_i64(e, 0), arg[3], TCC_TILE_K_GROUPS, 3, start, (const char *const[]){TCC_PTR, TCC_PTR, TCC_PTR});
  for (int64_t i = 0; i < lines; i++) tcc_emit_prefetch(e, tcc_emit_at(e, "i8", loop.in[2], ROW_BYTES * i), false, 2);
  for (int j = 0; j < across; j++) {
    int b = first_b + j % rest;
    tcc_micro_tile_load(e, b, tcc_emit_at(e, "i8", loop.in[1], j * ROW_BYTES), panel_bytes);
    for (int i = 0; i < down; i++) {
      if (j == 0) tcc_micro_tile_load(e, first_a + i, tcc_emit_at(e, "i8", loop.in[0], i * TCC_TILE_ROWS * lda), lda);
      multiply(e, t, i * across + j, first_a + i, b);
    }
  }
  TccVal next[] = {tcc_emit_at(e, "i8", loop.in[0], ROW_BYTES), tcc_emit_at(e, "i8", loop.in[1], TCC_TILE_K_GROUPS * panel_bytes),
                   tcc_emit_at(e, "i8", loop.in[2], ROW_BYTES * lines)};
  tcc_emit_end_for(e, &loop, next);

  for (int i = 0; i < down; i++)
    for (int j = 0; j < across; j++)
      tcc_micro_tile_store(e, i * across + j, tcc_emit_at(e, "i8", arg[2], i * TCC_TILE_ROWS * ldc + j * ROW_BYTES), ldc);
  tcc_emit_return(e, 0, NULL);
}

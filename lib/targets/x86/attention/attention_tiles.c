/* attention_tiles.c - attention's two products of bf16 in AMX tile registers.
 *
 * Both products stay as attention.c has them, transposed: block[key][query] = K q^T with keys as rows and queries as a packed panel, and
 * o[width][query] += V^T block. Their operands are what tile registers read (micro.h): keys are rows of a multiple of 32 numbers; values are
 * turned, 32 keys of 16 columns at a time, as words of two keys; weights are rounded to bf16, and those of two keys meet in a word. Their sum,
 * which divides the result, is that of the weights before. Keys up to a multiple of 32 have values and weights of 0. */
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/attention/attention_internal.h"
#include "lib/targets/x86/contract/contract_pack.h"

enum { ROWS = ATTENTION_TILE_ROWS, KEYS = ATTENTION_TILE_KEYS };

static const char *const narrow_types[] = {TCC_PTR, TCC_PTR, "i64"};

/* narrow_weights(to, s, count): to[key / 2][query][2] = s[key][query], zeros for keys from count to a multiple of KEYS. */
static void narrow_emit(TccEmit *e, const Attention *a) {
  int lanes = a->plan.type.lanes;
  int64_t nr = a->plan.nr;
  const char *acc = a->plan.type.acc, *type = tcc_emit_vector(e, acc, lanes), *half = tcc_emit_vector(e, "i16", lanes),
             *word = tcc_emit_vector(e, "i32", lanes);
  TccVal arg[3], zero, step;
  TccLoop key, query;
  tcc_emit_function(e, "narrow_weights", true, 3, narrow_types, NULL, arg);
  zero = tcc_emit_i64(e, 0), step = tcc_emit_i64(e, nr);
  TccVal end = tcc_emit_mul(e, tcc_emit_round_up(e, arg[2], KEYS), step);
  tcc_emit_for(e, &key, tcc_emit_mul(e, arg[2], step), end, lanes, 0, NULL, NULL);
  tcc_emit_store(e, type, tcc_emit_zero(e, type), tcc_emit_gep(e, acc, arg[1], key.iv));
  tcc_emit_end_for(e, &key, NULL);
  tcc_emit_for(e, &key, zero, end, 2 * nr, 0, NULL, NULL); /* by elements of s; a word for two of them */
  tcc_emit_for(e, &query, zero, step, lanes, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, acc, arg[1], tcc_emit_add(e, key.iv, query.iv)), both[2];
  for (int i = 0; i < 2; i++) {
    TccVal v = tcc_scalar_convert(e, TCC_ELEM_F32, TCC_ELEM_BF16, lanes, tcc_emit_load(e, type, tcc_emit_at(e, acc, from, i * nr)));
    both[i] = tcc_emit_cast(e, "zext", half, word, v);
  }
  TccVal high = tcc_emit_bin(e, "shl", word, both[1], tcc_emit_int(e, word, 16));
  TccVal to = tcc_emit_gep(e, "i32", arg[0], tcc_emit_add(e, tcc_emit_div(e, key.iv, tcc_emit_i64(e, 2)), query.iv));
  tcc_emit_store(e, word, tcc_emit_bin(e, "or", word, both[0], high), to);
  tcc_emit_end_for(e, &query, NULL);
  tcc_emit_end_for(e, &key, NULL);
  tcc_emit_return(e, 0, NULL);
}

bool attention_tiles_fit(TccIr *ir, const TccMachine *machine, MlirOperation kernel, const Attention *a) {
  int64_t stride;
  for (int i = ATT_Q; i <= ATT_V; i++)
    if (a->read.view[i].elem != TCC_ELEM_BF16) return false;
  TccMicroType type;
  return tcc_micro_type(machine, TCC_ELEM_BF16, TCC_ELEM_BF16, &type) && type.engine == TCC_MICRO_TILES && !type.llvm_tiles &&
         tcc_numerics(kernel) != TCC_NUMERICS_EAGER && a->read.width.n <= 1 &&
         tcc_expr_is_const(tcc_span_inner_stride(ir, &a->read.width, ATT_V), &stride) && stride == 1;
}

void attention_tiles_emit(TccKernelEmit *k, const Attention *a) {
  TccMicro scores = {.type = a->plan.tile,
                     .rows = ROWS,
                     .vectors = a->plan.vectors,
                     .lda = a->plan.lda,
                     .ldc = a->plan.nr,
                     .prefetch = -1},
           result = scores;
  result.lda = a->plan.ldv;
  tcc_micro_emit(k->e, "scores", &scores);
  tcc_micro_emit(k->e, "result", &result);
  TccPackSource q = {&a->read.view[ATT_Q], &a->read.heads, &a->read.queries, &a->read.depth, ATT_Q},
                keys = {&a->read.view[ATT_K], &a->read.kv_heads, &a->read.keys, &a->read.depth, ATT_K},
                values = {&a->read.view[ATT_V], &a->read.kv_heads, &a->read.width, &a->read.keys, ATT_V};
  tcc_pack_panel_emit(k, "pack_queries", &a->plan.tile, &q, a->plan.nr);
  tcc_pack_rows_emit(k, "copy_keys", &a->plan.tile, &keys, a->plan.lda);
  tcc_pack_rows_emit(k, "turn_values", &a->plan.tile, &values, a->plan.ldv);
  narrow_emit(k->e, a);
}

void attention_tiles_copy(TccKernelEmit *k, const Attention *a, const TilesCopy *c) {
  TccEmit *e = k->e;
  TccVal zero = tcc_emit_i64(e, 0), padded = tcc_emit_round_up(e, c->count, KEYS);
  TccPackCall keys = {
      c->keys, c->head, c->t0, c->count, padded, zero, tcc_emit_i64(e, a->read.d), tcc_emit_i64(e, a->plan.d_padded)};
  tcc_pack_call(k, "copy_keys", &keys);
  TccPackCall values = {c->values, c->head,  zero,  tcc_emit_i64(e, a->read.e), tcc_emit_i64(e, a->plan.e_padded),
                        c->t0,     c->count, padded};
  tcc_pack_call(k, "turn_values", &values);
}

/* to[rows][nr] of register tiles from `from`, lda numbers apart; to is added to where `adds`. */
static void products(TccEmit *e, const Attention *a, const char *name, TccVal from, int64_t lda, TccVal right, TccVal to,
                     TccVal rows, TccVal k_groups, bool adds) {
  TccLoop row;
  tcc_emit_for(e, &row, tcc_emit_i64(e, 0), rows, ROWS, 0, NULL, NULL);
  TccVal left = tcc_emit_gep(e, "i16", from, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, lda)));
  TccVal at = tcc_emit_gep(e, a->plan.type.acc, to, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, a->plan.nr)));
  tcc_micro_call(e, name, left, right, at, k_groups, tcc_emit_i64(e, adds), left);
  tcc_emit_end_for(e, &row, NULL);
}

void attention_tiles_scores(TccEmit *e, const Attention *a, TccVal keys, TccVal queries, TccVal s, TccVal count) {
  products(e, a, "scores", keys, a->plan.lda, queries, s, count, tcc_emit_i64(e, a->plan.d_padded / a->plan.tile.k_group), false);
}

void attention_tiles_result(TccEmit *e, const Attention *a, TccVal values, TccVal weights, TccVal s, TccVal o, TccVal count) {
  TccVal args[] = {weights, s, count},
         groups = tcc_emit_div(e, tcc_emit_round_up(e, count, KEYS), tcc_emit_i64(e, a->plan.tile.k_group));
  tcc_emit_call(e, "narrow_weights", 3, args, narrow_types, NULL);
  products(e, a, "result", values, a->plan.ldv, weights, o, tcc_emit_i64(e, a->plan.e_padded), groups, !a->plan.one_block);
}

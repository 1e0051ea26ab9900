/* conv_winograd_llvm.c - the inputs and the products of a Winograd convolution in the LLVM dialect: what conv_winograd_code.c says in machine
 * code, for who wants to read it or does without (TccMachine.llvm_tiles). Each sum has its products in the same order. */
#include "lib/targets/x86/conv/conv_winograd.h"

enum { SIDE = TCC_WINOGRAD_SIDE };

/* ---- products ---- */

void tcc_winograd_product_llvm(TccWinograd *w, const char *name) {
  enum { X, W, TO, CHUNKS, TABLE };
  static const char *const params[TCC_WINOGRAD_PRODUCT_ARGS] = {TCC_PTR, TCC_PTR, TCC_PTR, "i64", TCC_PTR};
  const TccConvBlocked *c = &w->conv;
  TccEmit *e = c->k->e;
  int tiles = w->plan.tiles, vectors = w->plan.vectors, side = w->plan.m + 2, lanes = c->read.shape.lanes, n = tiles * vectors;
  int64_t chunk_size = (int64_t)side * side * tiles * lanes, lines = w->plan.prefetch;
  const char *vector = c->vector, *types[TCC_LOOP_MAX];
  TccVal arg[TCC_WINOGRAD_PRODUCT_ARGS], init[TCC_LOOP_MAX], next[TCC_LOOP_MAX];
  TccLoop chunk, block, step;
  tcc_emit_function(e, name, true, TCC_WINOGRAD_PRODUCT_ARGS, params, NULL, arg);
  TccVal zero = tcc_emit_i64(e, 0), blocks = tcc_emit_load_once(e, "i64", arg[TABLE], TCC_WINOGRAD_BLOCKS);
  TccVal weights = tcc_emit_mul(e, blocks, tcc_emit_i64(e, (int64_t)lanes * vectors * lanes)); /* of this position */
  for (int i = 0; i < n; i++) types[i] = vector;
  for (int i = 0; i < 3; i++) types[n + i] = TCC_PTR;
  tcc_emit_for(e, &chunk, zero, arg[CHUNKS], 1, 3, (TccVal[]){arg[X], arg[TO], tcc_emit_gep(e, "f32", arg[W], weights)}, types + n);
  for (int i = 0; i < n; i++) init[i] = tcc_emit_zero(e, vector);
  init[n] = chunk.in[0], init[n + 1] = arg[W], init[n + 2] = chunk.in[2]; /* inputs, weights, what is prefetched */
  tcc_emit_for(e, &block, zero, blocks, 1, n + 3, init, types);
  tcc_emit_for(e, &step, zero, tcc_emit_i64(e, lanes), TCC_CONV_UNROLL, n + 3, block.in, types);
  memcpy(next, step.in, sizeof next);
  for (int64_t i = 0; i < lines; i++) tcc_emit_prefetch(e, tcc_emit_at(e, "f32", step.in[n + 2], TCC_CONV_LINE * i), false, 2);
  for (int u = 0; u < TCC_CONV_UNROLL; u++)
    for (int j = 0; j < vectors; j++) {
      TccVal b = tcc_emit_load(e, vector, tcc_emit_at(e, "f32", step.in[n + 1], ((int64_t)u * vectors + j) * lanes));
      for (int t = 0; t < tiles; t++) {
        TccVal a = tcc_emit_load(e, "f32", tcc_emit_at(e, "f32", step.in[n], (int64_t)t * lanes + u));
        next[t * vectors + j] = tcc_emit_fma(e, vector, tcc_emit_splat(e, vector, a), b, next[t * vectors + j]);
      }
    }
  next[n] = tcc_emit_at(e, "f32", step.in[n], TCC_CONV_UNROLL);
  next[n + 1] = tcc_emit_at(e, "f32", step.in[n + 1], (int64_t)TCC_CONV_UNROLL * vectors * lanes);
  next[n + 2] = tcc_emit_at(e, "f32", step.in[n + 2], TCC_CONV_LINE * lines);
  tcc_emit_end_for(e, &step, next);
  memcpy(next, step.out, sizeof next);
  next[n] = tcc_emit_at(e, "f32", step.out[n], (int64_t)(tiles - 1) * lanes);
  tcc_emit_end_for(e, &block, next);
  for (int t = 0; t < tiles; t++)
    for (int j = 0; j < vectors; j++)
      tcc_emit_store(e, vector, block.out[t * vectors + j],
                     tcc_emit_at(e, "f32", chunk.in[1], j * chunk_size + (int64_t)t * lanes));
  tcc_emit_end_for(e, &chunk, (TccVal[]){block.out[n], tcc_emit_at(e, "f32", chunk.in[1], vectors * chunk_size), block.out[n + 2]});
  tcc_emit_return(e, 0, NULL);
}

/* ---- inputs ---- */

enum { IMAGE, TO, PLACE, TOP, COLUMN, TILES, TABLE };

typedef struct {
  TccWinograd *w;
  TccWinogradSteps steps;
  int side;
  TccVal arg[TCC_WINOGRAD_INPUT_ARGS];
  TccVal row[SIDE], mask[SIDE]; /* where each row of the open block begins, or zeros; whether it moves */
} Input;

static TccVal size_of(const Input *in, int which) { return tcc_emit_load_once(in->w->conv.k->e, "i64", in->arg[TABLE], which); }

/* A row above or below the image is read at zeros without moving. */
static void find_rows(Input *in) {
  TccEmit *e = in->w->conv.k->e;
  TccVal zeros = tcc_emit_at(e, "i64", in->arg[TABLE], TCC_WINOGRAD_SIZES);
  for (int r = 0; r < in->side; r++) {
    TccVal number = tcc_emit_add(e, in->arg[TOP], tcc_emit_i64(e, r)),
           inside = tcc_emit_icmp(e, "ult", "i64", number, size_of(in, TCC_WINOGRAD_IN_H)),
           at = tcc_emit_gep(e, "f32", in->arg[IMAGE], tcc_emit_mul(e, number, size_of(in, TCC_WINOGRAD_X_ROW)));
    in->row[r] = tcc_emit_select1(e, TCC_PTR, inside, at, zeros);
    in->mask[r] = tcc_emit_select1(e, "i64", inside, tcc_emit_i64(e, -1), tcc_emit_i64(e, 0));
  }
}

static TccVal moved(const Input *in, int r, TccVal elements) {
  TccEmit *e = in->w->conv.k->e;
  return tcc_emit_gep(e, "f32", in->row[r], tcc_emit_bin(e, "and", "i64", elements, in->mask[r]));
}

/* A column of the image, transformed along its height; one beside the image is none. */
static void load_column(const Input *in, TccVal column, TccVal *out) {
  const TccConvBlocked *c = &in->w->conv;
  TccEmit *e = c->k->e;
  TccVal v[SIDE], none[SIDE];
  const char *types[SIDE];
  for (int r = 0; r < in->side; r++) types[r] = c->vector, none[r] = tcc_emit_zero(e, c->vector);
  TccIf inside;
  tcc_emit_if(e, &inside, tcc_emit_icmp(e, "ult", "i64", column, size_of(in, TCC_WINOGRAD_IN_W)), in->side, types);
  TccVal offset = tcc_emit_mul(e, column, tcc_emit_i64(e, c->read.x_pixel));
  for (int r = 0; r < in->side; r++) v[r] = tcc_emit_load(e, c->vector, moved(in, r, offset));
  tcc_emit_else(e, &inside, v);
  tcc_emit_end_if(e, &inside, none);
  tcc_winograd_combine(e, c->vector, &in->steps, inside.out, out);
}

/* The tiles of a row in one block of channels; neighbours share two columns. */
static void emit_tiles(const Input *in, TccVal to) {
  enum { SHARED = 2 };
  const TccConvBlocked *c = &in->w->conv;
  TccEmit *e = c->k->e;
  int m = in->side - SHARED, n = SHARED * in->side;
  TccVal init[SHARED * SIDE + 3], next[SHARED * SIDE + 3], high[SIDE][SIDE], out[SIDE]; /* high: [column][row] */
  const char *types[SHARED * SIDE + 3];
  TccVal one = tcc_emit_i64(e, 1), column = in->arg[COLUMN];
  for (int q = 0; q < SHARED; q++, column = tcc_emit_add(e, column, one)) load_column(in, column, init + q * in->side);
  for (int i = 0; i < n; i++) types[i] = c->vector;
  types[n] = TCC_PTR, types[n + 1] = types[n + 2] = "i64";
  init[n] = to, init[n + 1] = in->arg[PLACE], init[n + 2] = column;
  TccLoop tile;
  tcc_emit_for(e, &tile, tcc_emit_i64(e, 0), in->arg[TILES], 1, n + 3, init, types);
  for (int q = 0; q < SHARED; q++) memcpy(high[q], tile.in + q * in->side, sizeof *high);
  column = tile.in[n + 2];
  for (int q = SHARED; q < in->side; q++, column = tcc_emit_add(e, column, one)) load_column(in, column, high[q]);
  TccVal at = tile.in[n];
  for (int r = 0; r < in->side; r++) {
    TccVal v[SIDE];
    for (int q = 0; q < in->side; q++) v[q] = high[q][r];
    tcc_winograd_combine(e, c->vector, &in->steps, v, out);
    for (int q = 0; q < in->side; q++, at = tcc_emit_gep(e, "f32", at, size_of(in, TCC_WINOGRAD_POSITION)))
      tcc_emit_store(e, c->vector, out[q], at);
  }
  for (int q = 0; q < SHARED; q++) memcpy(next + q * in->side, high[m + q], (size_t)in->side * sizeof *next);
  next[n] = tile.in[n], next[n + 1] = tile.in[n + 1], next[n + 2] = column;
  tcc_winograd_advance(in->w, size_of(in, TCC_WINOGRAD_CHUNK), &next[n], &next[n + 1]);
  tcc_emit_end_for(e, &tile, next);
}

void tcc_winograd_input_llvm(TccWinograd *w, const char *name) {
  static const char *const params[TCC_WINOGRAD_INPUT_ARGS] = {TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", TCC_PTR};
  const TccConvBlocked *c = &w->conv;
  TccEmit *e = c->k->e;
  Input input = {.w = w, .side = w->plan.m + 2}, *in = &input;
  tcc_winograd_input_steps(w->plan.m, &in->steps);
  tcc_emit_function(e, name, true, TCC_WINOGRAD_INPUT_ARGS, params, NULL, in->arg);
  find_rows(in);
  TccVal carried[SIDE + 1];
  const char *types[SIDE + 1];
  for (int i = 0; i <= in->side; i++) types[i] = TCC_PTR, carried[i] = i < in->side ? in->row[i] : in->arg[TO];
  TccLoop block;
  tcc_emit_for(e, &block, tcc_emit_i64(e, 0), size_of(in, TCC_WINOGRAD_BLOCKS), 1, in->side + 1, carried, types);
  memcpy(in->row, block.in, (size_t)in->side * sizeof *in->row);
  emit_tiles(in, block.in[in->side]);
  for (int r = 0; r < in->side; r++) carried[r] = moved(in, r, size_of(in, TCC_WINOGRAD_X_BLOCK));
  carried[in->side] = tcc_emit_at(e, "f32", block.in[in->side], (int64_t)w->plan.tiles * c->read.shape.lanes);
  tcc_emit_end_for(e, &block, carried);
  tcc_emit_return(e, 0, NULL);
}

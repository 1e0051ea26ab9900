/* conv_winograd_steps.c - the three steps of a Winograd convolution. See conv_winograd.h.
 *
 * Inputs: a row of tiles is walked from left to right. Neighbouring tiles share two columns, so a tile loads m columns; each
 * is transformed along its height once, and the squares' rows then along their width. A row above or below the image is
 * read at zeros without moving, a column beside it too. Matrices: tcc/winograd.h. */
#include "lib/codegen/conv_winograd.h"
#include "lib/codegen/scalar.h"
#include "lib/codegen/product.h"
#include <assert.h>

enum { SIDE = TCC_WINOGRAD_SIDE };

/* ---- matrices as steps ---- */

/* Value `to` = from + factor * by (from < 0: factor * by). Values are numbered; the first are the inputs. Rows of B' and columns of A'
 * for points p and -p differ in the signs of their odd numbers alone: both halves are made once. */
typedef struct { int to, from, by; double factor; } Step;
typedef struct { int n, values, out[SIDE]; Step step[16]; } Steps;

static int put(Steps *s, int from, double factor, int by) {
  s->step[s->n++] = (Step){s->values, from, by, factor};
  return s->values++;
}

static void input_steps(int m, Steps *s) {
  const double (*b)[SIDE] = tcc_winograd_matrices(m)->input;
  *s = (Steps){.values = m + 2};
  if (m == 2) {
    for (int i = 0; i < 4; i++) s->out[i] = i == 1 ? put(s, 1, 1, 2) : i == 3 ? put(s, 1, -1, 3) : put(s, i, -1, i == 0 ? 2 : 1);
    return;
  }
  s->out[0] = put(s, put(s, 4, b[0][2], 2), b[0][0], 0);
  s->out[5] = put(s, put(s, 5, b[5][3], 3), b[5][1], 1);
  for (int i = 1; i < 5; i += 2) {
    int even = put(s, 4, b[i][2], 2), odd = put(s, 3, b[i][1] / b[i][3], 1);
    s->out[i] = put(s, even, b[i][3], odd), s->out[i + 1] = put(s, even, -b[i][3], odd);
  }
}

static void output_steps(int m, Steps *s) {
  const double (*a)[SIDE] = tcc_winograd_matrices(m)->output;
  *s = (Steps){.values = m + 2};
  int sum = put(s, 1, 1, 2), difference = put(s, 1, -1, 2);
  if (m == 2) {
    s->out[0] = put(s, 0, 1, sum), s->out[1] = put(s, difference, -1, 3);
    return;
  }
  int sum2 = put(s, 3, 1, 4), difference2 = put(s, 3, -1, 4);
  s->out[0] = put(s, put(s, 0, 1, sum), 1, sum2);
  s->out[1] = put(s, put(s, -1, a[1][1], difference), a[1][3], difference2);
  s->out[2] = put(s, put(s, -1, a[2][1], sum), a[2][3], sum2);
  s->out[3] = put(s, put(s, 5, a[3][1], difference), a[3][3], difference2);
}

static void combine(TccEmit *e, const char *type, const Steps *s, int nout, const TccVal *in, TccVal *out) {
  TccVal value[SIDE + 16];
  memcpy(value, in, sizeof *in * (size_t)(s->values - s->n));
  for (int i = 0; i < s->n; i++) {
    const Step *t = &s->step[i];
    TccVal factor = t->factor == 1 || t->factor == -1 ? 0 : tcc_emit_float(e, type, t->factor);
    if (t->from < 0) value[t->to] = tcc_emit_bin(e, "fmul", type, factor, value[t->by]);
    else if (!factor) value[t->to] = tcc_emit_bin(e, t->factor > 0 ? "fadd" : "fsub", type, value[t->from], value[t->by]);
    else value[t->to] = tcc_emit_fma(e, type, value[t->by], factor, value[t->from]);
  }
  for (int i = 0; i < nout; i++) out[i] = value[s->out[i]];
}

static TccVal size_of(TccEmit *e, TccVal table, int which) { return tcc_emit_load_once(e, "i64", table, which); }

/* Where the next tile of a row stands: the next place of the chunk, or the first one of the next chunk. */
static void advance(const TccWinograd *w, TccVal chunk, TccVal *at, TccVal *place) {
  TccEmit *e = w->conv.k->e;
  int64_t last = w->plan.tiles - 1, lanes = w->conv.shape.lanes;
  TccVal full = tcc_emit_icmp(e, "eq", "i64", *place, tcc_emit_i64(e, last));
  TccVal step = tcc_emit_select1(e, "i64", full, tcc_emit_sub(e, chunk, tcc_emit_i64(e, last * lanes)), tcc_emit_i64(e, lanes));
  *at = tcc_emit_gep(e, "f32", *at, step);
  *place = tcc_emit_select1(e, "i64", full, tcc_emit_i64(e, 0), tcc_emit_add(e, *place, tcc_emit_i64(e, 1)));
}

/* ---- inputs ---- */

typedef struct {
  const TccWinograd *w;
  TccVal arg[TCC_WINOGRAD_INPUT_ARGS], zeros;
  Steps steps;
  TccVal row[SIDE], moves[SIDE]; /* of each row: its pixel 0, all ones or 0 where it is read at zeros */
} Input;

/* An image column of all rows, transformed along the height. */
static void load_column(const Input *in, TccVal column, TccVal *out) {
  const TccConvBlocked *c = &in->w->conv;
  TccEmit *e = c->k->e;
  int side = in->w->plan.m + 2;
  TccVal inside = tcc_emit_icmp(e, "ult", "i64", column, size_of(e, in->arg[6], TCC_WINOGRAD_IN_W)), v[SIDE];
  TccVal offset = tcc_emit_mul(e, column, tcc_emit_i64(e, c->x_pixel));
  for (int r = 0; r < side; r++) {
    TccVal p = tcc_emit_gep(e, "f32", in->row[r], tcc_emit_bin(e, "and", "i64", offset, in->moves[r]));
    v[r] = tcc_emit_load(e, c->vector, tcc_emit_select1(e, TCC_PTR, inside, p, in->zeros));
  }
  combine(e, c->vector, &in->steps, side, v, out);
}

void tcc_winograd_input_emit(TccWinograd *w, const char *name) {
  const TccConvBlocked *c = &w->conv;
  TccEmit *e = c->k->e;
  int m = w->plan.m, side = m + 2, lanes = c->shape.lanes;
  static const char *const types[] = {TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", TCC_PTR};
  Input in = {.w = w};
  input_steps(m, &in.steps);
  tcc_emit_function(e, name, true, TCC_WINOGRAD_INPUT_ARGS, types, NULL, in.arg);
  TccVal table = in.arg[6], zero = tcc_emit_i64(e, 0), bottom[SIDE];
  in.zeros = tcc_emit_at(e, "i64", table, TCC_WINOGRAD_SIZES);
  for (int r = 0; r < side; r++) {
    TccVal at = tcc_emit_add(e, in.arg[3], tcc_emit_i64(e, r)), inside = tcc_emit_icmp(e, "ult", "i64", at, size_of(e, table, TCC_WINOGRAD_IN_H));
    bottom[r] = tcc_emit_select1(e, TCC_PTR, inside, tcc_emit_gep(e, "f32", in.arg[0], tcc_emit_mul(e, at, size_of(e, table, TCC_WINOGRAD_X_ROW))), in.zeros);
    in.moves[r] = tcc_emit_select1(e, "i64", inside, tcc_emit_i64(e, -1), zero);
  }
  TccVal position = size_of(e, table, TCC_WINOGRAD_POSITION);
  TccLoop block, tile;
  tcc_emit_for(e, &block, zero, size_of(e, table, TCC_WINOGRAD_BLOCKS), 1, 0, NULL, NULL);
  TccVal offset = tcc_emit_mul(e, block.iv, size_of(e, table, TCC_WINOGRAD_X_BLOCK));
  for (int r = 0; r < side; r++) in.row[r] = tcc_emit_gep(e, "f32", bottom[r], tcc_emit_bin(e, "and", "i64", offset, in.moves[r]));
  TccVal carried[2 * SIDE + 2];
  const char *carried_types[2 * SIDE + 2];
  for (int i = 0; i < 2 * side; i++) carried_types[i] = c->vector;
  carried_types[2 * side] = TCC_PTR, carried_types[2 * side + 1] = "i64";
  for (int q = 0; q < 2; q++) load_column(&in, tcc_emit_add(e, in.arg[4], tcc_emit_i64(e, q)), carried + q * side);
  carried[2 * side] = tcc_emit_gep(e, "f32", in.arg[1], tcc_emit_mul(e, block.iv, tcc_emit_i64(e, (int64_t)w->plan.tiles * lanes)));
  carried[2 * side + 1] = in.arg[2];
  tcc_emit_for(e, &tile, zero, in.arg[5], 1, 2 * side + 2, carried, carried_types);
  TccVal column[SIDE][SIDE], left = tcc_emit_add(e, in.arg[4], tcc_emit_mul(e, tile.iv, tcc_emit_i64(e, m)));
  for (int q = 0; q < 2; q++) memcpy(column[q], tile.in + q * side, sizeof(TccVal) * (size_t)side);
  for (int q = 2; q < side; q++) load_column(&in, tcc_emit_add(e, left, tcc_emit_i64(e, q)), column[q]);
  TccVal at = tile.in[2 * side], place = tile.in[2 * side + 1];
  for (int r = 0; r < side; r++) {
    TccVal v[SIDE], made[SIDE];
    for (int q = 0; q < side; q++) v[q] = column[q][r];
    combine(e, c->vector, &in.steps, side, v, made);
    for (int q = 0; q < side; q++) tcc_emit_store(e, c->vector, made[q], tcc_emit_gep(e, "f32", at, tcc_emit_mul(e, position, tcc_emit_i64(e, r * side + q))));
  }
  advance(w, size_of(e, table, TCC_WINOGRAD_CHUNK), &at, &place);
  for (int q = 0; q < 2; q++) memcpy(carried + q * side, column[side - 2 + q], sizeof(TccVal) * (size_t)side);
  carried[2 * side] = at, carried[2 * side + 1] = place;
  tcc_emit_end_for(e, &tile, carried);
  tcc_emit_end_for(e, &block, NULL);
  tcc_emit_return(e, 0, NULL);
}

/* ---- products ---- */

/* Machine code: the loop over chunks and that over blocks of channels around a product of one block. What is fetched for later moves on
 * with every turn of the product. */
void tcc_winograd_product_emit(TccWinograd *w, const char *name) {
  enum { X = TCC_RDI, W = TCC_RSI, TO = TCC_RDX, CHUNKS = TCC_RCX, TABLE = TCC_R8, AHEAD = TCC_R9, A = TCC_R10, B = TCC_R11, TAKEN = TCC_RAX, BLOCKS = TCC_RBX, BYTES = TCC_RBP };
  const TccConvBlocked *c = &w->conv;
  TccEmit *e = c->k->e;
  int tiles = w->plan.tiles, vectors = w->plan.vectors, side = w->plan.m + 2;
  int64_t row = (int64_t)c->shape.lanes * (int64_t)sizeof(float), square = side * side * tiles * row;
  TccProduct p = {.rows = tiles, .vectors = vectors, .registers = c->shape.registers, .broadcast = TCC_X86_BROADCAST32, .multiply = TCC_X86_FMADD_PS, .unroll = TCC_CONV_UNROLL,
                  .a_step = sizeof(float), .b_step = vectors * row, .npointers = 1, .a = {A}, .b = B, .lines = w->plan.fetch, .ahead = AHEAD, .taken = TAKEN, .bytes = BYTES};
  for (int t = 0; t < tiles; t++) p.offset[t] = t * row;
  assert(tcc_product_fits(&p));
  TccX86 x = {.arena = e->arena, .vector = (int)row};
  TccX86At blocks = tcc_x86_at(TABLE, TCC_WINOGRAD_BLOCKS * (int64_t)sizeof(int64_t)), chunk = tcc_x86_at(TABLE, TCC_WINOGRAD_CHUNK * (int64_t)sizeof(int64_t));
  tcc_x86_push(&x, BLOCKS), tcc_x86_push(&x, BYTES);
  tcc_x86_set(&x, BYTES, row);
  if (p.lines) { /* behind the weights of this position */
    tcc_x86_op_at(&x, TCC_X86_MOV, AHEAD, blocks);
    tcc_x86_multiply(&x, AHEAD, AHEAD, c->shape.lanes * vectors * row);
    tcc_x86_op(&x, TCC_X86_ADD, AHEAD, W);
  }
  tcc_x86_number(&x, TCC_X86_CMP_NUMBER, CHUNKS, 0);
  size_t none = tcc_x86_jump(&x, TCC_X86_LESS_EQUAL), each_chunk = tcc_x86_here(&x, false);
  tcc_product_clear(&x, tiles * vectors);
  tcc_x86_op(&x, TCC_X86_MOV, A, X), tcc_x86_op(&x, TCC_X86_MOV, B, W);
  tcc_x86_op_at(&x, TCC_X86_MOV, BLOCKS, blocks);
  size_t each_block = tcc_x86_here(&x, false);
  tcc_product_emit(&x, &p);
  tcc_x86_number(&x, TCC_X86_ADD_NUMBER, A, (tiles - 1) * row);
  tcc_x86_number(&x, TCC_X86_SUB_NUMBER, BLOCKS, 1);
  tcc_x86_jump_back(&x, TCC_X86_NOT_EQUAL, each_block);
  for (int t = 0; t < tiles; t++)
    for (int j = 0; j < vectors; j++) tcc_x86_vector_at(&x, TCC_X86_STORE, t * vectors + j, 0, tcc_x86_at(TO, j * square + t * row));
  tcc_x86_op_at(&x, TCC_X86_MOV, A, chunk);
  tcc_x86_multiply(&x, A, A, sizeof(float));
  tcc_x86_op(&x, TCC_X86_ADD, X, A);
  tcc_x86_number(&x, TCC_X86_ADD_NUMBER, TO, vectors * square);
  tcc_x86_number(&x, TCC_X86_SUB_NUMBER, CHUNKS, 1);
  tcc_x86_jump_back(&x, TCC_X86_NOT_EQUAL, each_chunk);
  tcc_x86_land(&x, none);
  tcc_x86_pop(&x, BYTES), tcc_x86_pop(&x, BLOCKS);
  tcc_x86_return(&x);
  tcc_emit_code(e, name, tcc_text_str(&x.bytes));
  tcc_text_destroy(&x.bytes);
}

/* ---- outputs ---- */

typedef struct {
  TccWinograd *w;
  TccVal arg[TCC_WINOGRAD_OUTPUT_ARGS + TCC_CONV_TENSORS], table;
  Steps steps;
  int ntensors;
  TccVal base[TCC_CONV_TENSORS]; /* of each tensor: the open tile's first pixel */
} Output;

static const char *memory_type(const TccConvBlocked *c, int tensor) {
  return tcc_scalar_memory_type(tensor ? c->epilogue.view[tensor - 1].elem : c->epilogue.result.elem);
}

/* One row of a tile's results into memory, those that lie in the image. */
static TccStatus *put_row(const Output *o, int row, const TccVal *sums, TccVal bias, TccVal left) {
  TccConvBlocked *c = &o->w->conv;
  TccEmit *e = c->k->e;
  int m = o->w->plan.m;
  TccVal base[TCC_CONV_TENSORS];
  for (int t = 0; t < o->ntensors; t++)
    base[t] = row ? tcc_emit_gep(e, memory_type(c, t), o->base[t], tcc_emit_mul(e, size_of(e, o->table, TCC_WINOGRAD_TENSORS + 2 * t + 1), tcc_emit_i64(e, row))) : o->base[t];
  for (int q = 0; q < m; q++) {
    TccIf inside;
    bool tested = q > 0 && c->shape.out[1] % m != 0;
    if (tested) tcc_emit_if(e, &inside, tcc_emit_icmp(e, "slt", "i64", tcc_emit_add(e, left, tcc_emit_i64(e, q)), size_of(e, o->table, TCC_WINOGRAD_OUT_W)), 0, NULL);
    TCC_TRY(tcc_conv_finish_emit(c, base, q, bias ? tcc_emit_bin(e, "fadd", c->vector, sums[q], bias) : sums[q]));
    if (tested) tcc_emit_end_if(e, &inside, NULL);
  }
  return NULL;
}

static TccStatus *put_tile(const Output *o, TccVal at, TccVal bias, TccVal left) {
  const TccConvBlocked *c = &o->w->conv;
  TccEmit *e = c->k->e;
  int m = o->w->plan.m, side = m + 2;
  int64_t position = (int64_t)o->w->plan.tiles * c->shape.lanes;
  TccVal high[SIDE][SIDE]; /* [column of the square][row of results] */
  for (int q = 0; q < side; q++) {
    TccVal v[SIDE];
    for (int r = 0; r < side; r++) v[r] = tcc_emit_load(e, c->vector, tcc_emit_at(e, "f32", at, (r * side + q) * position));
    combine(e, c->vector, &o->steps, m, v, high[q]);
  }
  for (int r = 0; r < m; r++) {
    TccVal v[SIDE], made[SIDE];
    for (int q = 0; q < side; q++) v[q] = high[q][r];
    combine(e, c->vector, &o->steps, m, v, made);
    TccIf inside;
    bool tested = r > 0 && c->shape.out[0] % m != 0;
    if (tested) tcc_emit_if(e, &inside, tcc_emit_icmp(e, "slt", "i64", tcc_emit_add(e, o->arg[5], tcc_emit_i64(e, r)), size_of(e, o->table, TCC_WINOGRAD_OUT_H)), 0, NULL);
    TCC_TRY(put_row(o, r, made, bias, left));
    if (tested) tcc_emit_end_if(e, &inside, NULL);
  }
  return NULL;
}

TccStatus *tcc_winograd_output_emit(TccWinograd *w, const char *name) {
  TccConvBlocked *c = &w->conv;
  TccEmit *e = c->k->e;
  int m = w->plan.m, side = m + 2, lanes = c->shape.lanes;
  int64_t square = (int64_t)side * side * w->plan.tiles * lanes;
  Output o = {.w = w, .ntensors = 1 + c->epilogue.nleaves};
  output_steps(m, &o.steps);
  const char *types[TCC_WINOGRAD_OUTPUT_ARGS + TCC_CONV_TENSORS] = {TCC_PTR, "i64", "i64", "i64", TCC_PTR, "i64", "i64", TCC_PTR};
  for (int t = 0; t < o.ntensors; t++) types[TCC_WINOGRAD_OUTPUT_ARGS + t] = TCC_PTR;
  tcc_emit_function(e, name, true, TCC_WINOGRAD_OUTPUT_ARGS + o.ntensors, types, NULL, o.arg);
  o.table = o.arg[7];
  TccVal zero = tcc_emit_i64(e, 0);
  TccLoop vector, tile;
  tcc_emit_for(e, &vector, zero, o.arg[3], 1, 0, NULL, NULL);
  TccVal bias = c->has_bias ? tcc_emit_load(e, c->vector, tcc_emit_gep(e, "f32", o.arg[4], tcc_emit_mul(e, vector.iv, tcc_emit_i64(e, lanes)))) : 0;
  TccVal carried[] = {tcc_emit_gep(e, "f32", o.arg[0], tcc_emit_mul(e, vector.iv, tcc_emit_i64(e, square))), o.arg[1]}, first[TCC_CONV_TENSORS];
  for (int t = 0; t < o.ntensors; t++) {
    const char *type = memory_type(c, t);
    first[t] = tcc_emit_gep(e, type, o.arg[TCC_WINOGRAD_OUTPUT_ARGS + t], tcc_emit_mul(e, vector.iv, size_of(e, o.table, TCC_WINOGRAD_TENSORS + 2 * t)));
  }
  tcc_emit_for(e, &tile, zero, o.arg[2], 1, 2, carried, (const char *const[]){TCC_PTR, "i64"});
  TccVal left = tcc_emit_mul(e, tile.iv, tcc_emit_i64(e, m));
  for (int t = 0; t < o.ntensors; t++)
    o.base[t] = tcc_emit_gep(e, memory_type(c, t), first[t], tcc_emit_mul(e, left, tcc_emit_i64(e, c->at[t].pixel)));
  TCC_TRY(put_tile(&o, tile.in[0], bias, tcc_emit_add(e, o.arg[6], left)));
  memcpy(carried, tile.in, sizeof carried);
  advance(w, tcc_emit_i64(e, w->plan.vectors * square), &carried[0], &carried[1]);
  tcc_emit_end_for(e, &tile, carried);
  tcc_emit_end_for(e, &vector, NULL);
  tcc_emit_return(e, 0, NULL);
  return NULL;
}

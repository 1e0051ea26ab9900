/* conv_winograd_code.c - the steps of a Winograd convolution as machine code. See conv_winograd.h, x86_code.h.
 *
 * Products: the pointer to inputs and the one to what is prefetched flow from a block to the next and from a chunk to the next, that to the
 * weights begins anew with each chunk.
 * Inputs: a row of tiles is walked from left to right. Neighbouring tiles share two columns, so a tile loads m columns. Each is
 * transformed along its height and stays in registers if there are enough; the two that are shared stand on the stack. Then the rows of
 * the square are transformed along their width. A row above or below the image is read at zeros without moving, a column beside it is none.
 * Outputs: the columns of a square of sums become m rows on the stack, each row m results in registers, which go through the epilogue. Rows
 * and columns beyond the image are left out, and all behind them with them. */
#include "lib/targets/x86/contract/product.h"
#include "lib/targets/x86/conv/conv_code.h"
#include "lib/targets/x86/conv/conv_winograd.h"
#include "lib/targets/x86/conv/conv_winograd_linear.h"

enum { SIDE = TCC_WINOGRAD_SIDE };

/* ---- products ---- */

bool tcc_winograd_product_emit(TccWinograd *w, const char *name) {
  enum {
    X = TCC_RDI,
    W = TCC_RSI,
    TO = TCC_RDX,
    CHUNKS = TCC_RCX,
    TABLE = TCC_R8,
    BLOCKS = TCC_R8,
    FIRST = TCC_R9,
    BLOCK = TCC_R10,
    PREFETCH = TCC_R11,
    TAKEN = TCC_RAX,
    BYTES = TCC_RBX
  };
  const TccConvBlocked *c = &w->conv;
  TccEmit *e = c->k->e;
  int tiles = w->plan.tiles, vectors = w->plan.vectors, side = w->plan.m + 2;
  TccX86 code = {.arena = e->arena, .vector = c->read.shape.lanes * 4}, *x = &code;
  int64_t chunk_size = (int64_t)side * side * tiles * x->vector;
  bool once = c->read.shape.lanes <= 2 * TCC_CONV_UNROLL; /* a block's steps need no loop */
  int unroll = once ? c->read.shape.lanes : TCC_CONV_UNROLL;
  TccProduct p = {.rows = tiles,
                  .vectors = vectors,
                  .registers = c->read.shape.registers,
                  .broadcast = TCC_X86_BROADCAST32,
                  .multiply = TCC_X86_FMADD_PS,
                  .unroll = unroll,
                  .once = once,
                  .a_step = 4,
                  .b_step = (int64_t)vectors * x->vector,
                  .npointers = 1,
                  .a = {X},
                  .b = W,
                  .lines = w->plan.prefetch * unroll / TCC_CONV_UNROLL,
                  .prefetch = PREFETCH,
                  .taken = TAKEN,
                  .bytes = BYTES};
  for (int t = 0; t < tiles; t++) p.offset[t] = (int64_t)t * x->vector;
  if (!tcc_product_fits(&p)) return false;
  if (c->k->machine->llvm_tiles) {
    tcc_winograd_product_llvm(w, name);
    return true;
  }
  tcc_x86_push(x, TCC_RBX);
  tcc_x86_set(x, BYTES, x->vector);
  tcc_x86_op(x, TCC_X86_MOV, FIRST, W);
  tcc_x86_op_at(x, TCC_X86_MOV, BLOCKS, tcc_x86_at(TABLE, 8 * TCC_WINOGRAD_BLOCKS));
  if (p.lines) { /* behind this position's weights */
    tcc_x86_multiply(x, PREFETCH, BLOCKS, c->read.shape.lanes * p.b_step);
    tcc_x86_op(x, TCC_X86_ADD, PREFETCH, W);
  }
  size_t chunk = tcc_x86_here(x, false);
  tcc_product_clear(x, tiles * vectors);
  tcc_x86_op(x, TCC_X86_MOV, W, FIRST);
  tcc_x86_op(x, TCC_X86_MOV, BLOCK, BLOCKS);
  size_t block = tcc_x86_here(x, false);
  tcc_product_emit(x, &p);
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, X, (int64_t)(tiles - 1) * x->vector);
  tcc_x86_number(x, TCC_X86_SUB_NUMBER, BLOCK, 1);
  tcc_x86_jump_back(x, TCC_X86_NOT_EQUAL, block);
  for (int t = 0; t < tiles; t++)
    for (int j = 0; j < vectors; j++)
      tcc_x86_vector_at(x, TCC_X86_STORE, t * vectors + j, 0, tcc_x86_at(TO, j * chunk_size + (int64_t)t * x->vector));
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, TO, vectors * chunk_size);
  tcc_x86_number(x, TCC_X86_SUB_NUMBER, CHUNKS, 1);
  tcc_x86_jump_back(x, TCC_X86_NOT_EQUAL, chunk);
  tcc_x86_pop(x, TCC_RBX);
  tcc_x86_return(x);
  tcc_emit_code(e, name, tcc_text_str(&x->bytes));
  tcc_text_destroy(&x->bytes);
  return true;
}

/* ---- matrices ---- */

typedef struct {
  TccX86 x;
  uint32_t free;
  bool lacks; /* there was no register: what was written is no code */
} Code;

static int take(Code *c) {
  c->lacks |= !c->free;
  if (!c->free) return 0;
  int reg = __builtin_ctz(c->free);
  c->free &= c->free - 1;
  return reg;
}

static void give(Code *c, int reg) { c->free |= 1u << reg; }

/* factor * by, added to `to` or, where that is new, alone. */
static void multiply(Code *c, bool add, int to, int by, double factor) {
  TccX86At at = tcc_x86_constant(&c->x, (float)factor);
  TccX86Vector op = add ? TCC_X86_FMADD_PS : TCC_X86_MUL_PS;
  if (c->x.vector == 64) {
    tcc_x86_vector_at(&c->x, op, to, by, at);
    return;
  }
  int number = take(c);
  tcc_x86_vector_at(&c->x, TCC_X86_BROADCAST32, number, 0, at);
  tcc_x86_vector(&c->x, op, to, by, number);
  give(c, number);
}

/* Registers `in` are given back behind their last use, `out` are new ones. */
static void combine(Code *c, const TccWinogradSteps *s, const int *in, int *out) {
  int reg[TCC_WINOGRAD_VALUES], left[TCC_WINOGRAD_VALUES] = {0}, inputs = s->values - s->n;
  for (int i = 0; i < inputs; i++) reg[i] = in[i];
  for (int i = 0; i < s->nout; i++) left[s->out[i]]++;
  for (int i = 0; i < s->n; i++) {
    if (s->step[i].from >= 0) left[s->step[i].from]++;
    left[s->step[i].by]++;
  }
  for (int i = 0; i < inputs; i++)
    if (!left[i]) give(c, reg[i]);
  for (int i = 0; i < s->n; i++) {
    const TccWinogradStep *t = &s->step[i];
    bool plain = t->factor == 1 || t->factor == -1, over = t->from >= 0 && left[t->from] == 1;
    int to = over ? reg[t->from] : take(c);
    if (t->from < 0) multiply(c, false, to, reg[t->by], t->factor);
    else if (plain) tcc_x86_vector(&c->x, t->factor > 0 ? TCC_X86_ADD_PS : TCC_X86_SUB_PS, to, reg[t->from], reg[t->by]);
    else {
      if (!over) tcc_x86_vector(&c->x, TCC_X86_MOVE, to, 0, reg[t->from]);
      multiply(c, true, to, reg[t->by], t->factor);
    }
    if (t->from >= 0) left[t->from]--; /* where that was the last use its register is the result's */
    if (--left[t->by] == 0) give(c, reg[t->by]);
    reg[t->to] = to;
  }
  for (int i = 0; i < s->nout; i++) out[i] = reg[s->out[i]];
}

/* ---- inputs ---- */

enum {
  TO = TCC_RDI,
  AT = TCC_RSI,
  OFFSET = TCC_RDX,
  COLUMN = TCC_RCX,
  PLACE = TCC_R8,
  LEFT = TCC_R9 /* tiles */,
  POSITION = TCC_R10,
  WIDTH = TCC_R11
};
static const int row_register[SIDE] = {TCC_RBX, TCC_RBP, TCC_R12, TCC_R13, TCC_R14, TCC_R15};
/* Words of the frame: of each row a mask and where it is read, 0 and zeros beyond the image; arguments. Vectors lie behind them. */
enum { MASK = 0, ROW = SIDE, OLD_STACK = 2 * SIDE, TABLE, FIRST_COLUMN, FIRST_PLACE, FIRST_TO, TILES, BLOCKS, WORDS };
enum { VECTORS = (WORDS * 8 + 63) / 64 * 64 };

typedef struct {
  Code c;
  const TccWinograd *w;
  TccWinogradSteps steps;
  int side;
  bool keeps;          /* a tile's new columns stay in registers */
  int reg[SIDE][SIDE]; /* [row][column] then */
} Input;

static TccX86At word(int which) { return tcc_x86_at(TCC_RSP, 8 * which); }
static TccX86At slot(const Input *in, int row, int column) {
  return tcc_x86_at(TCC_RSP, VECTORS + (int64_t)(row * in->side + column) * in->c.x.vector);
}
static void get(Input *in, int reg, TccX86At from) { tcc_x86_op_at(&in->c.x, TCC_X86_MOV, reg, from); }
static void put(Input *in, int reg, TccX86At to) { tcc_x86_op_at(&in->c.x, TCC_X86_MOV_OUT, reg, to); }

/* Bytes of a size of the table, in elements there. */
static void get_bytes(Input *in, int reg, int table, int which) {
  get(in, reg, tcc_x86_at(table, 8 * which));
  tcc_x86_multiply(&in->c.x, reg, reg, 4);
}

/* Arguments in registers; where rows are read. */
static void enter(Input *in) {
  enum {
    IMAGE = TCC_RDI,
    RESULT = TCC_RSI,
    AT_PLACE = TCC_RDX,
    TOP = TCC_RCX,
    COLUMNS = TCC_R8,
    COUNT = TCC_R9,
    SIZES = TCC_RBX,
    X_ROW = TCC_R10,
    ZEROS = TCC_R11,
    ALL = TCC_RBP,
    NONE = TCC_R12
  };
  TccX86 *x = &in->c.x;
  for (int i = 0; i < SIDE; i++) tcc_x86_push(x, row_register[i]);
  get(in, SIZES, tcc_x86_at(TCC_RSP, 8 * (SIDE + 1)));
  tcc_x86_op(x, TCC_X86_MOV, TCC_RAX, TCC_RSP);
  tcc_x86_number(x, TCC_X86_SUB_NUMBER, TCC_RSP, VECTORS + (int64_t)in->side * in->side * x->vector);
  tcc_x86_number(x, TCC_X86_AND_NUMBER, TCC_RSP, -64);
  put(in, TCC_RAX, word(OLD_STACK)), put(in, SIZES, word(TABLE)), put(in, COLUMNS, word(FIRST_COLUMN)),
      put(in, AT_PLACE, word(FIRST_PLACE));
  put(in, RESULT, word(FIRST_TO)), put(in, COUNT, word(TILES));
  get(in, TCC_RAX, tcc_x86_at(SIZES, 8 * TCC_WINOGRAD_BLOCKS)), put(in, TCC_RAX, word(BLOCKS));
  get_bytes(in, X_ROW, SIZES, TCC_WINOGRAD_X_ROW);
  tcc_x86_op_at(x, TCC_X86_LEA, ZEROS, tcc_x86_at(SIZES, 8 * TCC_WINOGRAD_SIZES));
  tcc_x86_set(x, NONE, 0);
  for (int r = 0; r < in->side; r++) {
    enum { PLACE_OF_ROW = TCC_RAX };
    tcc_x86_set(x, ALL, -1);
    tcc_x86_op(x, TCC_X86_MOV, PLACE_OF_ROW, TOP);
    tcc_x86_op(x, TCC_X86_IMUL, PLACE_OF_ROW, X_ROW);
    tcc_x86_op(x, TCC_X86_ADD, PLACE_OF_ROW, IMAGE);
    tcc_x86_op_at(x, TCC_X86_CMP, TOP, tcc_x86_at(SIZES, 8 * TCC_WINOGRAD_IN_H));
    tcc_x86_op(x, TCC_X86_CMOV_AE, PLACE_OF_ROW, ZEROS);
    tcc_x86_op(x, TCC_X86_CMOV_AE, ALL, NONE);
    put(in, PLACE_OF_ROW, word(ROW + r)), put(in, ALL, word(MASK + r));
    tcc_x86_number(x, TCC_X86_ADD_NUMBER, TOP, 1);
  }
  get_bytes(in, POSITION, SIZES, TCC_WINOGRAD_POSITION);
  get(in, WIDTH, tcc_x86_at(SIZES, 8 * TCC_WINOGRAD_IN_W));
}

/* The next column of the image, transformed along its height. */
static void load_column(Input *in, int *out) {
  Code *c = &in->c;
  int reg[SIDE];
  for (int r = 0; r < in->side; r++) reg[r] = take(c);
  tcc_x86_op(&c->x, TCC_X86_CMP, COLUMN, WIDTH);
  size_t beside = tcc_x86_jump(&c->x, TCC_X86_ABOVE_EQUAL);
  for (int r = 0; r < in->side; r++) {
    get(in, TCC_RAX, word(MASK + r));
    tcc_x86_op(&c->x, TCC_X86_AND, TCC_RAX, OFFSET);
    tcc_x86_vector_at(&c->x, TCC_X86_LOAD, reg[r], 0, tcc_x86_at_index(row_register[r], TCC_RAX, 0));
  }
  tcc_x86_op(&c->x, TCC_X86_CMP, COLUMN, WIDTH);
  size_t there = tcc_x86_jump(&c->x, TCC_X86_BELOW);
  tcc_x86_land(&c->x, beside);
  for (int r = 0; r < in->side; r++) tcc_x86_vector(&c->x, TCC_X86_XOR, reg[r], reg[r], reg[r]);
  tcc_x86_land(&c->x, there);
  tcc_x86_number(&c->x, TCC_X86_ADD_NUMBER, COLUMN, 1);
  tcc_x86_number(&c->x, TCC_X86_ADD_NUMBER, OFFSET, in->w->conv.read.x_pixel * 4);
  combine(c, &in->steps, reg, out);
}

static void load_to_stack(Input *in, int column) {
  int out[SIDE];
  load_column(in, out);
  for (int r = 0; r < in->side; r++) {
    tcc_x86_vector_at(&in->c.x, TCC_X86_STORE, out[r], 0, slot(in, r, column));
    give(&in->c, out[r]);
  }
}

/* A tile from its columns to all positions; its last two columns are the next one's first. */
static void put_tile(Input *in) {
  Code *c = &in->c;
  int m = in->side - 2;
  tcc_x86_op(&c->x, TCC_X86_MOV, AT, TO);
  for (int r = 0; r < in->side; r++) {
    int reg[SIDE], out[SIDE];
    for (int q = 0; q < in->side; q++) {
      bool held = in->keeps && q >= 2;
      reg[q] = held ? in->reg[r][q] : take(c);
      if (!held) tcc_x86_vector_at(&c->x, TCC_X86_LOAD, reg[q], 0, slot(in, r, q));
    }
    for (int q = 0; q < 2; q++) tcc_x86_vector_at(&c->x, TCC_X86_STORE, reg[m + q], 0, slot(in, r, q));
    combine(c, &in->steps, reg, out);
    for (int q = 0; q < in->side; q++) {
      tcc_x86_vector_at(&c->x, TCC_X86_STORE, out[q], 0, tcc_x86_at(AT, 0));
      tcc_x86_op(&c->x, TCC_X86_ADD, AT, POSITION);
      give(c, out[q]);
    }
  }
}

/* To the next tile's place, in this chunk or the next. */
static void advance(Input *in) {
  TccX86 *x = &in->c.x;
  int64_t last = in->w->plan.tiles - 1;
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, TO, x->vector);
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, PLACE, 1);
  tcc_x86_number(x, TCC_X86_CMP_NUMBER, PLACE, last + 1);
  size_t within = tcc_x86_jump(x, TCC_X86_NOT_EQUAL);
  tcc_x86_set(x, PLACE, 0);
  get(in, TCC_RAX, word(TABLE));
  get_bytes(in, TCC_RAX, TCC_RAX, TCC_WINOGRAD_CHUNK);
  tcc_x86_op(x, TCC_X86_ADD, TO, TCC_RAX);
  tcc_x86_number(x, TCC_X86_SUB_NUMBER, TO, (last + 1) * x->vector);
  tcc_x86_land(x, within);
}

static void begin_block(Input *in) {
  TccX86 *x = &in->c.x;
  for (int r = 0; r < in->side; r++) get(in, row_register[r], word(ROW + r));
  get(in, COLUMN, word(FIRST_COLUMN)), get(in, TO, word(FIRST_TO)), get(in, PLACE, word(FIRST_PLACE)), get(in, LEFT, word(TILES));
  tcc_x86_multiply(x, OFFSET, COLUMN, in->w->conv.read.x_pixel * 4);
}

/* What the next block of channels begins with. */
static void end_block(Input *in) {
  TccX86 *x = &in->c.x;
  get(in, TO, word(FIRST_TO));
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, TO, (int64_t)in->w->plan.tiles * x->vector);
  put(in, TO, word(FIRST_TO));
  get(in, AT, word(TABLE));
  get_bytes(in, AT, AT, TCC_WINOGRAD_X_BLOCK);
  for (int r = 0; r < in->side; r++) {
    get(in, TCC_RAX, word(MASK + r));
    tcc_x86_op(x, TCC_X86_AND, TCC_RAX, AT);
    tcc_x86_op(x, TCC_X86_ADD, TCC_RAX, row_register[r]);
    put(in, TCC_RAX, word(ROW + r));
  }
}

void tcc_winograd_input_emit(TccWinograd *w, const char *name) {
  const TccConvBlocked *conv = &w->conv;
  if (conv->k->machine->llvm_tiles) {
    tcc_winograd_input_llvm(w, name);
    return;
  }
  TccEmit *e = conv->k->e;
  int m = w->plan.m, registers = conv->read.shape.registers;
  Input input = {.w = w, .side = m + 2, .keeps = m * (m + 2) + m + 4 <= registers}, *in = &input;
  in->c = (Code){.x = {.arena = e->arena, .vector = conv->read.shape.lanes * 4},
                 .free = registers == 32 ? UINT32_MAX : (1u << registers) - 1};
  TccX86 *x = &in->c.x;
  tcc_winograd_input_steps(m, &in->steps);
  enter(in);
  size_t block = tcc_x86_here(x, false);
  begin_block(in);
  for (int q = 0; q < 2; q++) load_to_stack(in, q);
  size_t tile = tcc_x86_here(x, true);
  for (int q = 2; q < in->side; q++) {
    int out[SIDE];
    if (!in->keeps) load_to_stack(in, q);
    else load_column(in, out);
    for (int r = 0; r < in->side && in->keeps; r++) in->reg[r][q] = out[r];
  }
  put_tile(in);
  advance(in);
  tcc_x86_number(x, TCC_X86_SUB_NUMBER, LEFT, 1);
  tcc_x86_jump_back(x, TCC_X86_NOT_EQUAL, tile);
  end_block(in);
  get(in, TCC_RAX, word(BLOCKS));
  tcc_x86_number(x, TCC_X86_SUB_NUMBER, TCC_RAX, 1);
  put(in, TCC_RAX, word(BLOCKS));
  tcc_x86_jump_back(x, TCC_X86_NOT_EQUAL, block);
  get(in, TCC_RSP, word(OLD_STACK));
  for (int i = SIDE; i-- > 0;) tcc_x86_pop(x, row_register[i]);
  tcc_x86_return(x);
  tcc_x86_finish(x);
  tcc_emit_code(e, name, tcc_text_str(&x->bytes));
  tcc_text_destroy(&x->bytes);
}

/* ---- outputs ---- */

enum {
  SUMS_AT = TCC_RDI,
  SUMS_PLACE = TCC_RSI,
  TILES_LEFT = TCC_RDX,
  RESULT_COLUMN = TCC_RCX,
  BIAS_AT = TCC_R8,
  RESULT_ROW = TCC_R9,
  OUT_WIDTH = TCC_R10,
  OUT_HEIGHT = TCC_R11,
  MOST_TENSORS = 6
};
static const int tensor_register[MOST_TENSORS] = {TCC_RBX, TCC_RBP, TCC_R12, TCC_R13, TCC_R14, TCC_R15};
/* Words of the frame: what a vector of channels begins with; of each tensor its place there, its place at the open tile, and bytes from
 * a block of channels and from a row to the next. */
enum {
  STACK_BEFORE,
  VECTOR_SUMS,
  VECTOR_PLACE,
  VECTOR_TILES,
  VECTOR_COLUMN,
  VECTORS_LEFT,
  TENSOR_WORDS,
  TENSOR_VECTOR = 0,
  TENSOR_TILE,
  TENSOR_BLOCK,
  TENSOR_ROW,
  WORDS_OF_TENSOR
};
enum { OUTPUT_VECTORS = (TENSOR_WORDS * 8 + MOST_TENSORS * WORDS_OF_TENSOR * 8 + 63) / 64 * 64 };

typedef struct {
  Code c;
  const TccWinograd *w;
  TccWinogradSteps steps;
  TccConvFinish finish;
  int m, side, ntensors;
  bool keeps;          /* what the columns became stays in registers, not on the stack */
  int reg[SIDE][SIDE]; /* [row][column] then */
} Output;

static TccX86At word_of(int tensor, int which) { return word(TENSOR_WORDS + WORDS_OF_TENSOR * tensor + which); }
static TccX86At part(const Output *o, int row, int column) {
  return tcc_x86_at(TCC_RSP, OUTPUT_VECTORS + (int64_t)(row * o->side + column) * o->c.x.vector);
}
static void load_word(Output *o, int reg, TccX86At from) { tcc_x86_op_at(&o->c.x, TCC_X86_MOV, reg, from); }
static void store_word(Output *o, int reg, TccX86At to) { tcc_x86_op_at(&o->c.x, TCC_X86_MOV_OUT, reg, to); }

static void enter_output(Output *o) {
  enum { ARGUMENTS = 8 * (MOST_TENSORS + 1) /* behind rsp: the seventh */, TABLE_AT = TCC_RBX, OLD = TCC_RBP };
  TccX86 *x = &o->c.x;
  for (int i = 0; i < MOST_TENSORS; i++) tcc_x86_push(x, tensor_register[i]);
  tcc_x86_op(x, TCC_X86_MOV, OLD, TCC_RSP);
  tcc_x86_number(x, TCC_X86_SUB_NUMBER, TCC_RSP, OUTPUT_VECTORS + (int64_t)o->m * o->side * x->vector);
  tcc_x86_number(x, TCC_X86_AND_NUMBER, TCC_RSP, -64);
  store_word(o, OLD, word(STACK_BEFORE)), store_word(o, SUMS_AT, word(VECTOR_SUMS)), store_word(o, SUMS_PLACE, word(VECTOR_PLACE));
  store_word(o, TILES_LEFT, word(VECTOR_TILES)), store_word(o, TCC_RCX, word(VECTORS_LEFT));
  load_word(o, TCC_RAX, tcc_x86_at(OLD, ARGUMENTS)), store_word(o, TCC_RAX, word(VECTOR_COLUMN));
  load_word(o, TABLE_AT, tcc_x86_at(OLD, ARGUMENTS + 8));
  load_word(o, OUT_WIDTH, tcc_x86_at(TABLE_AT, 8 * TCC_WINOGRAD_OUT_W));
  load_word(o, OUT_HEIGHT, tcc_x86_at(TABLE_AT, 8 * TCC_WINOGRAD_OUT_H));
  for (int t = 0; t < o->ntensors; t++) {
    load_word(o, TCC_RAX, tcc_x86_at(OLD, ARGUMENTS + 16 + 8 * t)), store_word(o, TCC_RAX, word_of(t, TENSOR_VECTOR));
    for (int i = 0; i < 2; i++) { /* elements of four bytes */
      load_word(o, TCC_RAX, tcc_x86_at(TABLE_AT, 8 * (TCC_WINOGRAD_TENSORS + 2 * t + i)));
      tcc_x86_multiply(x, TCC_RAX, TCC_RAX, 4);
      store_word(o, TCC_RAX, word_of(t, TENSOR_BLOCK + i));
    }
  }
}

static void begin_vector(Output *o) {
  load_word(o, SUMS_AT, word(VECTOR_SUMS)), load_word(o, SUMS_PLACE, word(VECTOR_PLACE));
  load_word(o, TILES_LEFT, word(VECTOR_TILES)), load_word(o, RESULT_COLUMN, word(VECTOR_COLUMN));
  for (int t = 0; t < o->ntensors; t++)
    load_word(o, TCC_RAX, word_of(t, TENSOR_VECTOR)), store_word(o, TCC_RAX, word_of(t, TENSOR_TILE));
}

static void combine_columns(Output *o) {
  Code *c = &o->c;
  const int64_t position = (int64_t)o->w->plan.tiles * c->x.vector;
  for (int q = 0; q < o->side; q++) {
    int reg[SIDE], out[SIDE];
    for (int r = 0; r < o->side; r++)
      tcc_x86_vector_at(&c->x, TCC_X86_LOAD, reg[r] = take(c), 0, tcc_x86_at(SUMS_AT, (r * o->side + q) * position));
    combine(c, &o->steps, reg, out);
    for (int r = 0; r < o->m; r++) {
      o->reg[r][q] = out[r];
      if (!o->keeps) tcc_x86_vector_at(&c->x, TCC_X86_STORE, out[r], 0, part(o, r, q)), give(c, out[r]);
    }
  }
}

/* A jump where `number` places behind `first` is at the end of an axis or beyond; 0: a tile never reaches over it. */
static size_t jump_beyond(Output *o, int axis, int first, int number, int end) {
  const TccConvShape *s = &o->w->conv.read.shape;
  if (!number || (!s->dynamic && s->out[axis] % o->m == 0)) return 0;
  tcc_x86_op_at(&o->c.x, TCC_X86_LEA, TCC_RAX, tcc_x86_at(first, number));
  tcc_x86_op(&o->c.x, TCC_X86_CMP, TCC_RAX, end);
  return tcc_x86_jump(&o->c.x, TCC_X86_GREATER_EQUAL);
}

static void land_all(TccX86 *x, const size_t *jumps, int n) {
  for (int i = 0; i < n; i++)
    if (jumps[i]) tcc_x86_land(x, jumps[i]);
}

static void finish_row(Output *o, int row) {
  Code *c = &o->c;
  int reg[SIDE], out[SIDE];
  size_t beyond[SIDE];
  for (int q = 0; q < o->side; q++)
    if (o->keeps) reg[q] = o->reg[row][q];
    else tcc_x86_vector_at(&c->x, TCC_X86_LOAD, reg[q] = take(c), 0, part(o, row, q));
  combine(c, &o->steps, reg, out);
  for (int q = 0; q < o->m && o->w->conv.read.has_bias; q++)
    tcc_x86_vector_at(&c->x, TCC_X86_ADD_PS, out[q], out[q], tcc_x86_at(BIAS_AT, 0));
  for (int q = 0; q < o->m; q++) {
    beyond[q] = jump_beyond(o, 1, RESULT_COLUMN, q, OUT_WIDTH);
    c->free = tcc_conv_finish_sum(&o->finish, out[q], q, c->free);
  }
  land_all(&c->x, beyond, o->m);
}

static void finish_tile(Output *o) {
  TccX86 *x = &o->c.x;
  size_t beyond[SIDE];
  combine_columns(o);
  for (int t = 0; t < o->ntensors; t++) load_word(o, tensor_register[t], word_of(t, TENSOR_TILE));
  for (int r = 0; r < o->m; r++) {
    beyond[r] = jump_beyond(o, 0, RESULT_ROW, r, OUT_HEIGHT);
    for (int t = 0; t < o->ntensors && r; t++) tcc_x86_op_at(x, TCC_X86_ADD, tensor_register[t], word_of(t, TENSOR_ROW));
    finish_row(o, r);
  }
  land_all(x, beyond, o->m);
}

/* To the next tile, in this chunk or the next. */
static void next_tile(Output *o, int64_t chunk) {
  TccX86 *x = &o->c.x;
  const int64_t tiles = o->w->plan.tiles;
  for (int t = 0; t < o->ntensors; t++) {
    const int64_t bytes = 4 * o->m * o->w->conv.read.at[t].pixel;
    load_word(o, TCC_RAX, word_of(t, TENSOR_TILE));
    tcc_x86_number(x, TCC_X86_ADD_NUMBER, TCC_RAX, bytes);
    store_word(o, TCC_RAX, word_of(t, TENSOR_TILE));
  }
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, RESULT_COLUMN, o->m);
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, SUMS_AT, x->vector);
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, SUMS_PLACE, 1);
  tcc_x86_number(x, TCC_X86_CMP_NUMBER, SUMS_PLACE, tiles);
  size_t within = tcc_x86_jump(x, TCC_X86_NOT_EQUAL);
  tcc_x86_set(x, SUMS_PLACE, 0);
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, SUMS_AT, o->w->plan.vectors * chunk - tiles * x->vector);
  tcc_x86_land(x, within);
}

static void next_vector(Output *o, int64_t chunk) {
  TccX86 *x = &o->c.x;
  load_word(o, TCC_RAX, word(VECTOR_SUMS));
  tcc_x86_number(x, TCC_X86_ADD_NUMBER, TCC_RAX, chunk);
  store_word(o, TCC_RAX, word(VECTOR_SUMS));
  if (o->w->conv.read.has_bias) tcc_x86_number(x, TCC_X86_ADD_NUMBER, BIAS_AT, x->vector);
  for (int t = 0; t < o->ntensors; t++) {
    load_word(o, TCC_RAX, word_of(t, TENSOR_VECTOR));
    tcc_x86_op_at(x, TCC_X86_ADD, TCC_RAX, word_of(t, TENSOR_BLOCK));
    store_word(o, TCC_RAX, word_of(t, TENSOR_VECTOR));
  }
  load_word(o, TCC_RAX, word(VECTORS_LEFT));
  tcc_x86_number(x, TCC_X86_SUB_NUMBER, TCC_RAX, 1);
  store_word(o, TCC_RAX, word(VECTORS_LEFT));
}

static void output_loops(Output *o) {
  TccX86 *x = &o->c.x;
  const int64_t chunk = (int64_t)o->side * o->side * o->w->plan.tiles * x->vector;
  enter_output(o);
  o->c.free = tcc_conv_finish_begin(&o->finish, o->c.free);
  size_t vector = tcc_x86_here(x, false);
  begin_vector(o);
  size_t tile = tcc_x86_here(x, true);
  finish_tile(o);
  next_tile(o, chunk);
  tcc_x86_number(x, TCC_X86_SUB_NUMBER, TILES_LEFT, 1);
  tcc_x86_jump_back(x, TCC_X86_NOT_EQUAL, tile);
  next_vector(o, chunk);
  tcc_x86_jump_back(x, TCC_X86_NOT_EQUAL, vector);
  load_word(o, TCC_RSP, word(STACK_BEFORE));
  for (int i = MOST_TENSORS; i-- > 0;) tcc_x86_pop(x, tensor_register[i]);
  tcc_x86_return(x);
  tcc_x86_finish(x);
}

static bool output_code(TccWinograd *w, const char *name, const TccConvEpilogue *epilogue, bool keeps) {
  const TccConvBlocked *conv = &w->conv;
  const int registers = conv->read.shape.registers, m = w->plan.m, side = m + 2, transform = side + 4;
  Output output = {.w = w, .m = m, .side = side, .ntensors = 1 + conv->read.epilogue.nleaves, .keeps = keeps}, *o = &output;
  o->c = (Code){.x = {.arena = conv->k->e->arena, .vector = conv->read.shape.lanes * 4},
                .free = registers == 32 ? UINT32_MAX : (1u << registers) - 1};
  o->finish = (TccConvFinish){
      .x = &o->c.x, .c = conv, .f = epilogue, .tensor = tensor_register, .reserve = transform + (keeps ? (side - 1) * m : 0)};
  tcc_winograd_output_steps(m, &o->steps);
  output_loops(o);
  const bool fits = !o->finish.lacks && !o->c.lacks;
  if (fits) tcc_emit_code(conv->k->e, name, tcc_text_str(&o->c.x.bytes));
  tcc_text_destroy(&o->c.x.bytes);
  return fits;
}

bool tcc_winograd_output_code(TccWinograd *w, const char *name) {
  const TccConvBlocked *conv = &w->conv;
  TccConvEpilogue epilogue;
  if (conv->k->machine->llvm_tiles || 1 + conv->read.epilogue.nleaves > MOST_TENSORS ||
      !tcc_conv_code_epilogue_read(conv, &epilogue))
    return false;
  return output_code(w, name, &epilogue, true) || output_code(w, name, &epilogue, false);
}

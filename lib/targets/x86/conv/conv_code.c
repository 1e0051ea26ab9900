/* conv_code.c - tiles of convolutions as machine code. See conv_code.h, and conv_blocked_micro.c for what their arguments mean.
 *
 *   for each block of channels
 *     for each row t0 <= t < t1 and column of the window
 *       pointers to the pixels, those beside the image to zeros; sums += product over the lanes of the block
 *   sums to memory, or through the epilogue into the result
 *
 * The loop over k (product.h) needs few general registers: those that no zero-padded pointer takes hold the variables of the loops around
 * it, the innermost ones first, the others stand on the stack. On the stack alone first layers, where k is short, were 15 % slower. */
#include "lib/targets/x86/conv/conv_code.h"
#include "lib/targets/x86/contract/product.h"
#include "lib/targets/x86/conv/conv_columns.h"

enum { ARG_COLUMN = 6, ARG_DEPTH, ARG_FLAGS, ARG_PREFETCH, ARG_SIZES, ARG_TILES };
/* Variables; those from SUMS on are used once a block or less often. */
enum { X_TAP, W_TAP, ROWS, X_ROW, X_STEP, COLUMNS, COLUMN, PREFETCH_TAP, X, W, BLOCKS, PREFETCH, SUMS, T0, T1, VARIABLES };
enum { POOL = 10, VOLATILE = 4, MOST_RUN = 8 /* steps of a tap that need no loop */ };
/* First words on the stack of a function that has several tiles: arguments in registers, as the next tile is to find them, and tiles left. */
enum { KEPT_X, KEPT_W, KEPT_START, KEPT_SUMS, KEPT_T0, KEPT_T1, KEPT_TILES, KEPT };
static const int kept_register[KEPT_TILES] = {TCC_RDI, TCC_RSI, TCC_RDX, TCC_RCX, TCC_R8, TCC_R9};
static const int pool[POOL] = {TCC_R8, TCC_R9, TCC_R10, TCC_R11, TCC_RBX, TCC_RBP, TCC_R12, TCC_R13, TCC_R14, TCC_R15};

typedef struct {
  TccX86 x;
  TccConvBlocked *c;
  const TccConvGroup *groups, *g; /* g: the one that is written */
  int ngroups;
  bool row;                                /* the function computes all tiles of the groups, else of one group: */
  bool runs;                               /* as many as it is told, else one */
  int pixels, vectors, panel;              /* panel: vectors of a panel as weights and sums stand; its last one may have fewer */
  int64_t kw, run, taps, rest;             /* kw: columns of the window that are taken one by one */
  int64_t step_bytes;                      /* of weights in a step of k */
  int64_t tap_bytes, prefetch_bytes;       /* of weights, of what is prefetched meanwhile */
  int frame, used;                         /* words on the stack; registers of the pool */
  int reg_of[VARIABLES], place[VARIABLES]; /* register, or -1 and the place on the stack */
} Tile;

static TccX86At argument(const Tile *t, int which) {
  int saved = t->used > VOLATILE ? t->used - VOLATILE : 0;
  return tcc_x86_at(TCC_RSP, 8 * (t->frame + saved + 1 + which - 6));
}
static TccX86At kept(int which) { return tcc_x86_at(TCC_RSP, 8 * which); }
static TccX86At size(int sizes, int64_t which) { return tcc_x86_at(sizes, 8 * which); }

static void read_at(Tile *t, int reg, TccX86At from) { tcc_x86_op_at(&t->x, TCC_X86_MOV, reg, from); }
static void add(Tile *t, int reg, int64_t number) { tcc_x86_number(&t->x, TCC_X86_ADD_NUMBER, reg, number); }
static void lea(Tile *t, int reg, TccX86At at) { tcc_x86_op_at(&t->x, TCC_X86_LEA, reg, at); }

static void get(Tile *t, int reg, int variable) {
  if (t->reg_of[variable] >= 0) tcc_x86_op(&t->x, TCC_X86_MOV, reg, t->reg_of[variable]);
  else read_at(t, reg, tcc_x86_at(TCC_RSP, 8 * t->place[variable]));
}

static void set(Tile *t, int variable, int reg) {
  if (t->reg_of[variable] >= 0) tcc_x86_op(&t->x, TCC_X86_MOV, t->reg_of[variable], reg);
  else tcc_x86_op_at(&t->x, TCC_X86_MOV_OUT, reg, tcc_x86_at(TCC_RSP, 8 * t->place[variable]));
}

/* The flags are those of the sum. rax is overwritten. */
static void move(Tile *t, int variable, int64_t number) {
  if (t->reg_of[variable] >= 0) {
    add(t, t->reg_of[variable], number);
    return;
  }
  get(t, TCC_RAX, variable);
  add(t, TCC_RAX, number);
  set(t, variable, TCC_RAX);
}

static void move_by(Tile *t, int variable, int by) {
  get(t, TCC_RAX, variable);
  if (t->reg_of[by] >= 0) tcc_x86_op(&t->x, TCC_X86_ADD, TCC_RAX, t->reg_of[by]);
  else tcc_x86_op_at(&t->x, TCC_X86_ADD, TCC_RAX, tcc_x86_at(TCC_RSP, 8 * t->place[by]));
  set(t, variable, TCC_RAX);
}

/* Variables get what the first `zero_padded` registers of the pool leave. */
static void give_homes(Tile *t, int zero_padded, uint32_t variables) {
  t->used = zero_padded;
  for (int i = 0; i < VARIABLES; i++) {
    t->reg_of[i] = -1;
    if (!(variables >> i & 1)) continue;
    if (i < SUMS && t->used < POOL) t->reg_of[i] = pool[t->used++];
    else t->place[i] = t->frame++;
  }
}

static void enter(Tile *t) {
  for (int i = VOLATILE; i < t->used; i++) tcc_x86_push(&t->x, pool[i]);
  if (t->frame) tcc_x86_number(&t->x, TCC_X86_SUB_NUMBER, TCC_RSP, 8 * t->frame);
}

static void leave(Tile *t) {
  if (t->frame) add(t, TCC_RSP, 8 * t->frame);
  for (int i = t->used; i-- > VOLATILE;) tcc_x86_pop(&t->x, pool[i]);
  tcc_x86_return(&t->x);
}

/* Sums to the bytes behind `to`. */
static void store_sums(Tile *t, int to) {
  for (int p = 0; p < t->pixels; p++)
    for (int j = 0; j < t->vectors; j++)
      tcc_x86_vector_at(&t->x, TCC_X86_STORE, p * t->vectors + j, 0, tcc_x86_at(to, (int64_t)(p * t->panel + j) * t->x.vector));
}

/* ---- dense ---- */

/* The bias, from rdx, in the first pass; else zeros. */
static void begin_sums(Tile *t, bool whole) {
  TccConvBlocked *c = t->c;
  size_t later = 0;
  if (!whole || !c->read.has_bias) tcc_product_clear(&t->x, t->pixels * t->vectors);
  if (whole && !c->read.has_bias) return;
  if (!whole) {
    read_at(t, TCC_RSI, argument(t, ARG_FLAGS));
    tcc_x86_number(&t->x, TCC_X86_AND_NUMBER, TCC_RSI, 1);
    later = tcc_x86_jump(&t->x, TCC_X86_NOT_EQUAL);
  }
  for (int j = 0; j < t->vectors; j++) {
    tcc_x86_vector_at(&t->x, TCC_X86_LOAD, j, 0, tcc_x86_at(TCC_RDX, (int64_t)j * t->x.vector));
    for (int p = 1; p < t->pixels; p++) tcc_x86_vector(&t->x, TCC_X86_MOVE, p * t->vectors + j, 0, j);
  }
  if (!whole) tcc_x86_land(&t->x, later);
}

/* What the passes before this one left, to the sums of this one: sums of sums round less than one long chain. */
static void add_passes(Tile *t) {
  TccX86Vector add = t->c->read.shape.bytes ? TCC_X86_ADD_I32 : TCC_X86_ADD_PS;
  read_at(t, TCC_RAX, argument(t, ARG_FLAGS));
  tcc_x86_number(&t->x, TCC_X86_AND_NUMBER, TCC_RAX, 1);
  size_t first = tcc_x86_jump(&t->x, TCC_X86_EQUAL);
  get(t, TCC_RAX, SUMS);
  for (int p = 0; p < t->pixels; p++)
    for (int j = 0; j < t->vectors; j++) {
      int sum = p * t->vectors + j;
      tcc_x86_vector_at(&t->x, add, sum, sum, tcc_x86_at(TCC_RAX, (int64_t)(p * t->panel + j) * t->x.vector));
    }
  tcc_x86_land(&t->x, first);
}

static bool may_be_padding(const Tile *t, int pixel) {
  const TccConvShape *s = &t->c->read.shape;
  return tcc_conv_at_edge(t->c, t->g, pixel * s->stride[1], (s->kernel[1] - 1) * s->dilation[1]);
}

/* Windows of one pixel: pointers flow from a block of channels to the next, X_STEP is what x lacks to it. */
static bool flows(const Tile *t) {
  bool zero_padded = false;
  for (int i = 0; i < t->pixels; i++) zero_padded |= may_be_padding(t, i);
  return t->taps == 1 && !t->rest && !zero_padded;
}

/* The product of one tap, whose pointers are in these variables; rcx: bytes to take. */
static bool emit_tap(Tile *t, int x, int w, int prefetch, int unroll, int64_t x_step) {
  TccConvBlocked *c = t->c;
  const TccConvShape *s = &c->read.shape;
  bool others = false;
  int zero_padded = 0;
  int lines = (int)c->plan.ahead_lines * (unroll > TCC_CONV_UNROLL ? unroll / TCC_CONV_UNROLL : 1);
  TccProduct p = {.rows = t->pixels,
                  .vectors = t->vectors,
                  .registers = s->registers,
                  .broadcast = TCC_X86_BROADCAST32,
                  .multiply = s->wide    ? TCC_X86_MADD_I16
                              : s->bytes ? TCC_X86_DPBUSD
                              : s->pairs ? TCC_X86_DPBF16
                                         : TCC_X86_FMADD_PS,
                  .apart = s->wide,
                  .widens = s->wide,
                  .unroll = unroll,
                  .once = unroll == t->run && !t->rest,
                  .a_step = x_step * 4,
                  .b_step = t->step_bytes,
                  .lines = lines,
                  .b = TCC_RSI,
                  .prefetch = TCC_RDX,
                  .taken = TCC_RAX,
                  .bytes = TCC_RCX};
  if (!flows(t)) get(t, TCC_RDI, x);
  for (int i = 0; i < t->pixels; i++) {
    int64_t column = i * s->stride[1], at = column * c->read.x_pixel * 4;
    if (!may_be_padding(t, i)) {
      if (!others) p.a[p.npointers++] = TCC_RDI;
      others = true;
      for (p.pointer[i] = 0; p.a[p.pointer[i]] != TCC_RDI;) p.pointer[i]++;
      p.offset[i] = at;
      continue;
    }
    int to = pool[zero_padded++];
    if (zero_padded == 1) {
      read_at(t, TCC_RDX, argument(t, ARG_SIZES));
      read_at(t, TCC_RSI, size(TCC_RDX, TCC_CONV_SIZE_WIDTH));
      add(t, TCC_RDX, 8 * TCC_CONV_SIZES);
    }
    if (t->kw > 1) get(t, TCC_RAX, COLUMN);
    else read_at(t, TCC_RAX, argument(t, ARG_COLUMN));
    add(t, TCC_RAX, column);
    lea(t, to, tcc_x86_at(TCC_RDI, at));
    tcc_x86_op(&t->x, TCC_X86_CMP, TCC_RAX, TCC_RSI);
    tcc_x86_op(&t->x, TCC_X86_CMOV_AE, to, TCC_RDX);
    p.pointer[i] = p.npointers;
    p.a[p.npointers++] = to;
  }
  if (!flows(t)) {
    get(t, TCC_RSI, w);
    if (c->plan.ahead_lines) get(t, TCC_RDX, prefetch);
  }
  if (!tcc_product_fits(&p)) return false;
  tcc_product_emit(&t->x, &p);
  return true;
}

/* The taps of a block of channels, from X, W and AHEAD on. */
static bool emit_taps(Tile *t, int unroll, int64_t x_step) {
  TccConvBlocked *c = t->c;
  if (t->taps == 1) return emit_tap(t, X, W, PREFETCH, unroll, x_step);
  get(t, TCC_RDX, T0), get(t, TCC_RDI, T1);
  tcc_x86_op(&t->x, TCC_X86_SUB, TCC_RDI, TCC_RDX);
  size_t none = tcc_x86_jump(&t->x, TCC_X86_LESS_EQUAL);
  set(t, ROWS, TCC_RDI);
  get(t, TCC_RDI, X_STEP);
  tcc_x86_op(&t->x, TCC_X86_IMUL, TCC_RDI, TCC_RDX);
  get(t, TCC_RAX, X);
  tcc_x86_op(&t->x, TCC_X86_ADD, TCC_RDI, TCC_RAX);
  set(t, t->kw > 1 ? X_ROW : X_TAP, TCC_RDI);
  tcc_x86_multiply(&t->x, TCC_RSI, TCC_RDX, t->kw * t->tap_bytes);
  get(t, TCC_RAX, W);
  tcc_x86_op(&t->x, TCC_X86_ADD, TCC_RSI, TCC_RAX);
  set(t, W_TAP, TCC_RSI);
  if (c->plan.ahead_lines) {
    tcc_x86_multiply(&t->x, TCC_RDX, TCC_RDX, t->kw * t->prefetch_bytes);
    get(t, TCC_RAX, PREFETCH);
    tcc_x86_op(&t->x, TCC_X86_ADD, TCC_RDX, TCC_RAX);
    set(t, PREFETCH_TAP, TCC_RDX);
  }
  size_t row = tcc_x86_here(&t->x, false), column = 0;
  if (t->kw > 1) {
    get(t, TCC_RDI, X_ROW), set(t, X_TAP, TCC_RDI);
    read_at(t, TCC_RAX, argument(t, ARG_COLUMN)), set(t, COLUMN, TCC_RAX);
    tcc_x86_set(&t->x, TCC_RAX, t->kw), set(t, COLUMNS, TCC_RAX);
    column = tcc_x86_here(&t->x, false);
  }
  if (!emit_tap(t, X_TAP, W_TAP, PREFETCH_TAP, unroll, x_step)) return false;
  move(t, W_TAP, t->tap_bytes);
  if (c->plan.ahead_lines) move(t, PREFETCH_TAP, t->prefetch_bytes);
  if (t->kw > 1) {
    move(t, X_TAP, c->read.shape.dilation[1] * c->read.x_pixel * 4);
    move(t, COLUMN, c->read.shape.dilation[1]);
    move(t, COLUMNS, -1);
    tcc_x86_jump_back(&t->x, TCC_X86_NOT_EQUAL, column);
  }
  move_by(t, t->kw > 1 ? X_ROW : X_TAP, X_STEP);
  move(t, ROWS, -1);
  tcc_x86_jump_back(&t->x, TCC_X86_NOT_EQUAL, row);
  tcc_x86_land(&t->x, none);
  return true;
}

/* rcx: bytes of a pixel that are taken of a block: fewer in the image's last one. */
static void bytes_of_block(Tile *t, bool whole, int64_t x_step) {
  tcc_x86_set(&t->x, TCC_RCX, t->run * x_step * 4);
  if (!t->rest) return;
  get(t, TCC_RAX, BLOCKS);
  tcc_x86_number(&t->x, TCC_X86_CMP_NUMBER, TCC_RAX, 1);
  size_t others = tcc_x86_jump(&t->x, TCC_X86_NOT_EQUAL), more = 0;
  if (!whole) {
    read_at(t, TCC_RAX, argument(t, ARG_FLAGS));
    tcc_x86_number(&t->x, TCC_X86_AND_NUMBER, TCC_RAX, 4);
    more = tcc_x86_jump(&t->x, TCC_X86_EQUAL);
  }
  read_at(t, TCC_RAX, argument(t, ARG_SIZES));
  read_at(t, TCC_RCX, size(TCC_RAX, TCC_CONV_SIZE_REST));
  tcc_x86_multiply(&t->x, TCC_RCX, TCC_RCX, x_step * 4);
  tcc_x86_land(&t->x, others);
  if (!whole) tcc_x86_land(&t->x, more);
}

static uint32_t bit(int variable) { return 1u << variable; }

static bool choose_homes(Tile *t, bool sums) {
  uint32_t variables = bit(X) | bit(W) | bit(BLOCKS) | (flows(t) ? bit(X_STEP) : 0);
  if (t->c->plan.ahead_lines) variables |= bit(PREFETCH);
  if (sums) variables |= bit(SUMS);
  if (t->taps > 1)
    variables |=
        bit(X_TAP) | bit(W_TAP) | bit(ROWS) | bit(X_STEP) | bit(T0) | bit(T1) | (t->c->plan.ahead_lines ? bit(PREFETCH_TAP) : 0);
  if (t->kw > 1) variables |= bit(X_ROW) | bit(COLUMNS) | bit(COLUMN);
  int zero_padded = 0;
  for (int i = 0; i < t->pixels; i++) zero_padded += may_be_padding(t, i);
  if (zero_padded > POOL) return false;
  give_homes(t, zero_padded, variables);
  return true;
}

/* All of the window over all channels of a plain image, whose copy has its padding. */
static bool takes_columns(const Tile *t, bool whole) {
  const TccConvShape *s = &t->c->read.shape;
  return s->plain && whole && t->panel == 1 && tcc_conv_columns_fit(t->pixels, s->kernel[1], s->registers);
}

static void emit_columns(Tile *t, bool sums) {
  enum { ROW = TCC_RDX, REST = TCC_RAX };
  const TccConvShape *s = &t->c->read.shape;
  TccConvColumns columns = {.pixels = t->pixels,
                            .registers = s->registers,
                            .rows = s->kernel[0],
                            .columns = s->kernel[1],
                            .stride = s->stride[1],
                            .dilation = s->dilation[1],
                            .x = TCC_RDI,
                            .w = TCC_RSI,
                            .channels = TCC_RCX,
                            .row_bytes = ROW,
                            .rest_bytes = REST};
  if (sums) set(t, SUMS, TCC_RCX);
  set(t, X, TCC_RDI), set(t, W, TCC_RSI);
  begin_sums(t, true);
  read_at(t, TCC_RCX, argument(t, ARG_SIZES));
  read_at(t, ROW, size(TCC_RCX, TCC_CONV_SIZE_X_ROW));
  tcc_x86_multiply(&t->x, ROW, ROW, 4);
  tcc_x86_multiply(&t->x, TCC_RDI, ROW, columns.rows);
  read_at(t, REST, size(TCC_RCX, TCC_CONV_SIZE_X_BLOCK));
  tcc_x86_multiply(&t->x, REST, REST, 4);
  tcc_x86_op(&t->x, TCC_X86_SUB, REST, TCC_RDI);
  read_at(t, TCC_RCX, argument(t, ARG_DEPTH));
  get(t, TCC_RDI, X), get(t, TCC_RSI, W);
  tcc_conv_columns_emit(&t->x, &columns);
}

static bool emit_dense(Tile *t, bool whole, bool sums) {
  TccConvBlocked *c = t->c;
  const TccConvShape *s = &c->read.shape;
  int unroll = t->rest % 4 ? (t->rest % 2 ? 1 : 2) : TCC_CONV_UNROLL;
  if (s->plain || (!t->rest && t->run <= MOST_RUN)) unroll = t->run <= MOST_RUN ? (int)t->run : 1;
  int64_t x_step = s->plain ? s->dilation[1] : 1;
  if (t->taps > 1) set(t, T0, TCC_R8), set(t, T1, TCC_R9); /* on the stack, before anything takes these registers */
  if (sums) set(t, SUMS, TCC_RCX);
  set(t, X, TCC_RDI), set(t, W, TCC_RSI);
  if (c->plan.ahead_lines) {
    if (c->plan.prefetch_distance) lea(t, TCC_RAX, tcc_x86_at(TCC_RSI, c->plan.prefetch_distance));
    else read_at(t, TCC_RAX, argument(t, ARG_PREFETCH));
    set(t, PREFETCH, TCC_RAX);
  }
  if (t->taps > 1) {
    read_at(t, TCC_RAX, argument(t, ARG_SIZES));
    read_at(t, TCC_RAX, size(TCC_RAX, TCC_CONV_SIZE_X_ROW));
    tcc_x86_multiply(&t->x, TCC_RAX, TCC_RAX, 4);
    set(t, X_STEP, TCC_RAX);
  }
  bool flow = flows(t);
  if (flow) {
    read_at(t, TCC_RAX, argument(t, ARG_SIZES));
    read_at(t, TCC_RAX, size(TCC_RAX, TCC_CONV_SIZE_X_BLOCK));
    tcc_x86_multiply(&t->x, TCC_RAX, TCC_RAX, 4);
    add(t, TCC_RAX, -t->run * x_step * 4);
    set(t, X_STEP, TCC_RAX);
  }
  begin_sums(t, whole);
  read_at(t, TCC_RAX, argument(t, ARG_DEPTH));
  set(t, BLOCKS, TCC_RAX);
  tcc_x86_number(&t->x, TCC_X86_CMP_NUMBER, TCC_RAX, 0);
  size_t none = tcc_x86_jump(&t->x, TCC_X86_LESS_EQUAL), block;
  if (flow) {
    get(t, TCC_RDI, X), get(t, TCC_RSI, W);
    if (c->plan.ahead_lines) get(t, TCC_RDX, PREFETCH);
    bytes_of_block(t, whole, x_step);
    block = tcc_x86_here(&t->x, false);
    if (!emit_taps(t, unroll, x_step)) return false;
    tcc_x86_op(&t->x, TCC_X86_ADD, TCC_RDI, t->reg_of[X_STEP]);
    move(t, BLOCKS, -1);
    tcc_x86_jump_back(&t->x, TCC_X86_NOT_EQUAL, block);
    tcc_x86_land(&t->x, none);
    return true;
  }
  block = tcc_x86_here(&t->x, false);
  bytes_of_block(t, whole, x_step);
  if (!emit_taps(t, unroll, x_step)) return false;
  read_at(t, TCC_RAX, argument(t, ARG_SIZES));
  read_at(t, TCC_RAX, size(TCC_RAX, TCC_CONV_SIZE_X_BLOCK));
  tcc_x86_multiply(&t->x, TCC_RDI, TCC_RAX, 4);
  get(t, TCC_RAX, X);
  tcc_x86_op(&t->x, TCC_X86_ADD, TCC_RAX, TCC_RDI);
  set(t, X, TCC_RAX);
  move(t, W, t->taps * t->tap_bytes);
  if (c->plan.ahead_lines) move(t, PREFETCH, t->taps * t->prefetch_bytes);
  move(t, BLOCKS, -1);
  tcc_x86_jump_back(&t->x, TCC_X86_NOT_EQUAL, block);
  tcc_x86_land(&t->x, none);
  return true;
}

/* ---- one channel a group: lanes are channels; one load of an input column serves all outputs that see it ---- */

static void emit_depthwise(Tile *t, bool sums) {
  enum { TEMPORARIES = 3, TIMES = TCC_R8, END = TCC_R9, TABLE = TCC_R10, ROW = TCC_R11 };
  TccConvBlocked *c = t->c;
  const TccConvShape *s = &c->read.shape;
  int n = t->pixels, weights = n, first = n + (int)t->kw, spare = s->registers - first, temporary = 0;
  const bool known = !s->dynamic && t->g->end - t->g->first == n; /* a single tile: what lies beside the image is known */
  const int64_t left = t->g->first * s->stride[1] - s->pad[1];    /* its first column then */
  int64_t stride = s->stride[1], dilation = s->dilation[1], columns = (n - 1) * stride + (t->kw - 1) * dilation + 1;
  if (c->read.has_bias) {
    tcc_x86_vector_at(&t->x, TCC_X86_LOAD, 0, 0, tcc_x86_at(TCC_RDX, 0));
    for (int i = 1; i < n; i++) tcc_x86_vector(&t->x, TCC_X86_MOVE, i, 0, 0);
  } else {
    tcc_product_clear(&t->x, n);
  }
  if (sums) set(t, SUMS, TCC_RCX);
  read_at(t, TABLE, argument(t, ARG_SIZES));
  read_at(t, ROW, size(TABLE, TCC_CONV_SIZE_X_ROW));
  tcc_x86_multiply(&t->x, ROW, ROW, 4);
  lea(t, TCC_RDX, tcc_x86_at(TABLE, 8 * TCC_CONV_SIZES)); /* zeros */
  tcc_x86_op(&t->x, TCC_X86_MOV, TCC_RAX, TIMES);
  tcc_x86_op(&t->x, TCC_X86_IMUL, TCC_RAX, ROW);
  tcc_x86_op(&t->x, TCC_X86_ADD, TCC_RDI, TCC_RAX);
  tcc_x86_multiply(&t->x, TCC_RAX, TIMES, t->tap_bytes);
  tcc_x86_op(&t->x, TCC_X86_ADD, TCC_RSI, TCC_RAX);
  tcc_x86_op(&t->x, TCC_X86_CMP, TIMES, END);
  size_t none = tcc_x86_jump(&t->x, TCC_X86_GREATER_EQUAL), row = tcc_x86_here(&t->x, true);
  for (int64_t k = 0; k < t->kw; k++)
    tcc_x86_vector_at(&t->x, TCC_X86_LOAD, weights + (int)k, 0, tcc_x86_at(TCC_RSI, k * t->x.vector));
  for (int64_t at = 0; at < columns; at++) {
    int v = -1;
    if (known && (left + at < 0 || left + at >= s->in[1])) continue;
    for (int64_t k = 0; k < t->kw; k++) {
      int64_t from = at - k * dilation, offset = at * c->read.x_pixel * 4;
      if (from < 0 || from % stride != 0 || from / stride >= n) continue;
      if (v < 0) {
        v = first + temporary++ % (spare < TEMPORARIES ? spare : TEMPORARIES);
        bool edge = !known && tcc_conv_at_edge(c, t->g, at, 0);
        if (edge) {
          read_at(t, TCC_RAX, argument(t, ARG_COLUMN));
          add(t, TCC_RAX, at);
          lea(t, TCC_RCX, tcc_x86_at(TCC_RDI, offset));
          tcc_x86_op_at(&t->x, TCC_X86_CMP, TCC_RAX, size(TABLE, TCC_CONV_SIZE_WIDTH));
          tcc_x86_op(&t->x, TCC_X86_CMOV_AE, TCC_RCX, TCC_RDX);
        }
        tcc_x86_vector_at(&t->x, TCC_X86_LOAD, v, 0, edge ? tcc_x86_at(TCC_RCX, 0) : tcc_x86_at(TCC_RDI, offset));
      }
      tcc_x86_vector(&t->x, TCC_X86_FMADD_PS, (int)(from / stride), v, weights + (int)k);
    }
  }
  tcc_x86_op(&t->x, TCC_X86_ADD, TCC_RDI, ROW);
  add(t, TCC_RSI, t->tap_bytes);
  add(t, TIMES, 1);
  tcc_x86_op(&t->x, TCC_X86_CMP, TIMES, END);
  tcc_x86_jump_back(&t->x, TCC_X86_LESS, row);
  tcc_x86_land(&t->x, none);
}

/* ---- both ---- */

/* Displacements and steps are 32 bits wide. */
static bool within_reach(const Tile *t) {
  const TccConvBlocked *c = t->c;
  const TccConvShape *s = &c->read.shape;
  int64_t most = INT32_MAX / 8, reach = (t->pixels * s->stride[1] + s->kernel[1] * s->dilation[1]) * c->read.x_pixel;
  for (int i = 0; i <= c->read.epilogue.nleaves; i++)
    if (t->pixels * c->read.at[i].pixel > most) return false;
  return reach < most && t->taps * t->tap_bytes < most && t->taps * t->prefetch_bytes < most &&
         s->dilation[1] * c->read.x_pixel < most;
}

static bool choose_registers(Tile *t, bool whole, bool sums) {
  if (t->c->read.shape.depthwise) give_homes(t, 0, sums ? bit(SUMS) : 0);
  else if (takes_columns(t, whole)) give_homes(t, 0, bit(X) | bit(W) | (sums ? bit(SUMS) : 0));
  else return choose_homes(t, sums);
  return true;
}

/* From arguments in their registers; nothing is left in registers. */
static bool emit_one(Tile *t, bool whole, bool sums, const TccConvEpilogue *epilogue) {
  if (t->c->read.shape.depthwise) emit_depthwise(t, sums);
  else if (takes_columns(t, whole)) emit_columns(t, sums);
  else if (!emit_dense(t, whole, sums)) return false;
  if (!whole) add_passes(t);
  size_t to_epilogue = 0, done = 0;
  if (epilogue && !whole) {
    read_at(t, TCC_RAX, argument(t, ARG_FLAGS));
    tcc_x86_number(&t->x, TCC_X86_AND_NUMBER, TCC_RAX, 2);
    to_epilogue = tcc_x86_jump(&t->x, TCC_X86_EQUAL);
  }
  if (sums) {
    get(t, TCC_RAX, SUMS);
    store_sums(t, TCC_RAX);
  }
  if (to_epilogue) {
    done = tcc_x86_jump(&t->x, TCC_X86_ALWAYS);
    tcc_x86_land(&t->x, to_epilogue);
  }
  if (epilogue && !tcc_conv_code_epilogue_emit(&t->x, t->c, epilogue, t->pixels, t->vectors, argument(t, 0).offset)) return false;
  if (done) tcc_x86_land(&t->x, done);
  return true;
}

static void add_to(Tile *t, TccX86At at, int64_t number) {
  tcc_x86_set(&t->x, TCC_RAX, number);
  tcc_x86_op_at(&t->x, TCC_X86_ADD_OUT, TCC_RAX, at);
}

/* Arguments, in memory, from this tile to the next. Without an epilogue there are no tensors, and all sums wait. */
static void move_on(Tile *t, bool whole, bool sums, const TccConvEpilogue *epilogue) {
  const TccConvBlocked *c = t->c;
  int64_t columns = t->pixels * c->read.shape.stride[1], bytes = (int64_t)t->pixels * t->panel * t->x.vector;
  add_to(t, kept(KEPT_X), columns * c->read.x_pixel * 4);
  add_to(t, argument(t, ARG_COLUMN), columns);
  for (int i = 0; epilogue && i <= c->read.epilogue.nleaves; i++)
    if (c->read.at[i].pixel) add_to(t, argument(t, TCC_CONV_MICRO_ARGS + i), t->pixels * c->read.at[i].pixel * 4);
  if (sums && (!whole || !epilogue)) add_to(t, kept(KEPT_SUMS), bytes);
  if (c->plan.ahead_lines && !c->plan.prefetch_distance) {
    read_at(t, TCC_RAX, argument(t, ARG_DEPTH));
    tcc_x86_multiply(&t->x, TCC_RAX, TCC_RAX, t->taps * t->prefetch_bytes);
    tcc_x86_op_at(&t->x, TCC_X86_ADD_OUT, TCC_RAX, argument(t, ARG_PREFETCH));
  }
}

static void use_group(Tile *t, int i, int frame) { t->g = &t->groups[i], t->pixels = t->g->pixels, t->frame = frame; }

static void keep_arguments(Tile *t) {
  for (int i = 0; i < KEPT_TILES; i++) tcc_x86_op_at(&t->x, TCC_X86_MOV_OUT, kept_register[i], kept(i));
}

/* As many tiles as the argument says; the first one finds its arguments in their registers. */
static bool emit_run(Tile *t, bool whole, bool sums, const TccConvEpilogue *epilogue) {
  read_at(t, TCC_RAX, argument(t, ARG_TILES));
  tcc_x86_op_at(&t->x, TCC_X86_MOV_OUT, TCC_RAX, kept(KEPT_TILES));
  tcc_x86_number(&t->x, TCC_X86_CMP_NUMBER, TCC_RAX, 1);
  size_t single = tcc_x86_jump(&t->x, TCC_X86_EQUAL);
  keep_arguments(t);
  tcc_x86_land(&t->x, single);
  size_t next = tcc_x86_here(&t->x, false);
  if (!emit_one(t, whole, sums, epilogue)) return false;
  read_at(t, TCC_RAX, kept(KEPT_TILES));
  add(t, TCC_RAX, -1);
  tcc_x86_op_at(&t->x, TCC_X86_MOV_OUT, TCC_RAX, kept(KEPT_TILES));
  size_t done = tcc_x86_jump(&t->x, TCC_X86_EQUAL);
  move_on(t, whole, sums, epilogue);
  for (int k = 0; k < KEPT_TILES; k++) read_at(t, kept_register[k], kept(k));
  read_at(t, TCC_RAX, kept(KEPT_TILES));
  tcc_x86_number(&t->x, TCC_X86_CMP_NUMBER, TCC_RAX, 0);
  tcc_x86_jump_back(&t->x, TCC_X86_NOT_EQUAL, next); /* always */
  tcc_x86_land(&t->x, done);
  leave(t);
  return true;
}

static bool emit_body(Tile *t, const TccConvEpilogue *epilogue) {
  bool whole = t->c->read.shape.depthwise || t->c->plan.depth_blocks >= t->c->read.blocks, sums = !epilogue || !whole;
  const bool several = t->runs || (t->row && (t->ngroups > 1 || t->groups[0].end > t->groups[0].pixels));
  int used = 0, frame = 0, keeps = several ? KEPT : 0;
  for (int i = 0; i < t->ngroups; i++) { /* the stack is as large as the largest needs */
    use_group(t, i, keeps);
    if (!choose_registers(t, whole, sums)) return false;
    used = t->used > used ? t->used : used, frame = t->frame > frame ? t->frame : frame;
  }
  t->used = used, t->frame = frame;
  enter(t);
  if (keeps && !t->runs) keep_arguments(t);
  for (int i = 0; i < t->ngroups; i++) {
    use_group(t, i, keeps);
    choose_registers(t, whole, sums);
    t->used = used, t->frame = frame;
    int64_t tiles = t->row ? (t->g->end - t->g->first) / t->pixels : 1;
    if (t->runs) return emit_run(t, whole, sums, epilogue);
    if (tiles > 1) {
      tcc_x86_set(&t->x, TCC_RAX, tiles);
      tcc_x86_op_at(&t->x, TCC_X86_MOV_OUT, TCC_RAX, kept(KEPT_TILES));
    }
    size_t next = tcc_x86_here(&t->x, false);
    for (int k = 0; k < KEPT_TILES && (i > 0 || tiles > 1); k++) read_at(t, kept_register[k], kept(k));
    if (!emit_one(t, whole, sums, epilogue)) return false;
    if (tiles > 1 || i + 1 < t->ngroups) move_on(t, whole, sums, epilogue);
    if (tiles > 1) {
      read_at(t, TCC_RAX, kept(KEPT_TILES));
      add(t, TCC_RAX, -1);
      tcc_x86_op_at(&t->x, TCC_X86_MOV_OUT, TCC_RAX, kept(KEPT_TILES));
      tcc_x86_jump_back(&t->x, TCC_X86_NOT_EQUAL, next);
    }
  }
  leave(t);
  return true;
}

/* The last panel's vectors, where they are fewer, have a body of their own in the same function. */
static bool emit_tile(Tile *t, const TccConvEpilogue *epilogue) {
  int last = t->c->read.shape.depthwise ? 0 : (int)(t->c->read.out_blocks % t->panel);
  size_t narrow = 0;
  if (last) {
    read_at(t, TCC_RAX, argument(t, ARG_FLAGS));
    tcc_x86_shift_right(&t->x, TCC_RAX, 4);
    tcc_x86_number(&t->x, TCC_X86_CMP_NUMBER, TCC_RAX, last);
    narrow = tcc_x86_jump(&t->x, TCC_X86_LESS_EQUAL);
  }
  if (!emit_body(t, epilogue)) return false;
  if (last) {
    tcc_x86_land(&t->x, narrow);
    t->vectors = last, t->used = 0, t->frame = 0;
    if (!emit_body(t, epilogue)) return false;
  }
  tcc_x86_finish(&t->x);
  return true;
}

static bool emit_function(TccConvBlocked *c, const char *name, const TccConvGroup *groups, int ngroups, bool row,
                          const TccConvEpilogue *epilogue) {
  const TccConvShape *s = &c->read.shape;
  TccEmit *e = c->k->e;
  if (c->k->machine->llvm_tiles || (s->depthwise && (s->pairs || s->bytes))) return false;
  Tile t = {.x = {.arena = e->arena, .vector = s->lanes * 4}, .c = c, .groups = groups, .ngroups = ngroups, .row = row};
  t.runs = !row && (epilogue || c->runs);
  t.vectors = t.panel = s->depthwise ? 1 : c->plan.vectors;
  t.kw = s->plain ? 1 : s->kernel[1], t.taps = s->kernel[0] * t.kw, t.run = s->plain ? s->kernel[1] : tcc_conv_words(s);
  t.rest = tcc_conv_rest(s);
  t.step_bytes = (int64_t)t.panel * s->lanes * tcc_conv_word_bytes(s);
  t.tap_bytes = s->depthwise ? t.kw * t.x.vector : t.run * t.step_bytes;
  t.prefetch_bytes = s->depthwise ? 0 : t.run * c->plan.ahead_lines * TCC_CONV_LINE / TCC_CONV_UNROLL * 4;
  bool ok = true;
  for (int i = 0; i < ngroups; i++) {
    use_group(&t, i, 0);
    ok = ok && (s->depthwise ? t.pixels + t.kw + 1 <= s->registers : t.vectors <= 8) && within_reach(&t);
  }
  ok = ok && emit_tile(&t, epilogue);
  if (ok) tcc_emit_code(e, name, tcc_text_str(&t.x.bytes));
  tcc_text_destroy(&t.x.bytes);
  return ok;
}

bool tcc_conv_code_emit(TccConvBlocked *c, const char *name, const TccConvGroup *group, const TccConvEpilogue *epilogue) {
  return emit_function(c, name, group, 1, false, epilogue);
}

bool tcc_conv_code_row_emit(TccConvBlocked *c, const char *name, const TccConvGroup *groups, int ngroups,
                            const TccConvEpilogue *epilogue) {
  return emit_function(c, name, groups, ngroups, true, epilogue);
}

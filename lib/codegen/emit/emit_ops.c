/* emit_ops.c - arithmetic, vectors and memory, as ops of the LLVM dialect: i64 arithmetic is folded while it is written. See emit.h. */
#include "lib/codegen/emit/emit_internal.h"
#include "lib/codegen/emit/scalar.h"

/* ---- i64 arithmetic ---- */

TccVal tcc_emit_bin(TccEmit *e, const char *op, const char *type, TccVal a, TccVal b) {
  const TccLlvmForm form = op[0] == 'f' && !e->eager ? TCC_FORM_FLOAT_BINARY : TCC_FORM_BINARY;
  return emit_value(e, emit_op_of(form, op), type, a, b, 0)->result;
}

TccVal tcc_emit_add(TccEmit *e, TccVal a, TccVal b) {
  int64_t x, y;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (ka && kb) return tcc_emit_i64(e, x + y);
  if (ka && x == 0) return b;
  if (kb && y == 0) return a;
  return tcc_emit_bin(e, "add", "i64", a, b);
}

TccVal tcc_emit_sub(TccEmit *e, TccVal a, TccVal b) {
  int64_t x, y;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (ka && kb) return tcc_emit_i64(e, x - y);
  if (kb && y == 0) return a;
  return tcc_emit_bin(e, "sub", "i64", a, b);
}

TccVal tcc_emit_mul(TccEmit *e, TccVal a, TccVal b) {
  int64_t x, y;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (ka && kb) return tcc_emit_i64(e, x * y);
  if ((ka && x == 0) || (kb && y == 0)) return tcc_emit_i64(e, 0);
  if (ka && x == 1) return b;
  if (kb && y == 1) return a;
  return tcc_emit_bin(e, "mul", "i64", a, b);
}

/* LLVM makes a shift of a division by a power of two, but not where it does not optimise. */
static bool shifts(const TccEmit *e, int64_t divisor) {
  return e->function->role == TCC_LLVM_OPTNONE && divisor > 0 && (divisor & (divisor - 1)) == 0;
}

/* What is divided is a size or an index: below 2^63. */
static TccVal divide(TccEmit *e, const char *op, TccVal a, TccVal b) {
  TccVal result = tcc_emit_bin(e, op, "i64", a, b);
  e->body.data[e->body.count - 1].flag = true;
  return result;
}

TccVal tcc_emit_div(TccEmit *e, TccVal a, TccVal b) {
  int64_t x = 0, y = 0;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (kb && y == 1) return a;
  if (ka && kb && x >= 0 && y > 0) return tcc_emit_i64(e, x / y);
  if (kb && shifts(e, y)) return tcc_emit_bin(e, "lshr", "i64", a, tcc_emit_i64(e, __builtin_ctzll((uint64_t)y)));
  return divide(e, "udiv", a, b);
}

TccVal tcc_emit_rem(TccEmit *e, TccVal a, TccVal b) {
  int64_t x = 0, y = 0;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (kb && y == 1) return tcc_emit_i64(e, 0);
  if (ka && kb && x >= 0 && y > 0) return tcc_emit_i64(e, x % y);
  if (kb && shifts(e, y)) return tcc_emit_bin(e, "and", "i64", a, tcc_emit_i64(e, y - 1));
  return divide(e, "urem", a, b);
}

static TccVal pick(TccEmit *e, const char *predicate, bool want_less, TccVal a, TccVal b) {
  int64_t x, y;
  if (a == b) return a;
  if (tcc_emit_known(e, a, &x) && tcc_emit_known(e, b, &y)) return (x < y) == want_less ? a : b;
  return tcc_emit_select1(e, "i64", tcc_emit_icmp(e, predicate, "i64", a, b), a, b);
}

TccVal tcc_emit_min(TccEmit *e, TccVal a, TccVal b) { return pick(e, "slt", true, a, b); }

TccVal tcc_emit_max(TccEmit *e, TccVal a, TccVal b) { return pick(e, "sgt", false, a, b); }

TccVal tcc_emit_ceil_div(TccEmit *e, TccVal a, int64_t b) {
  return tcc_emit_div(e, tcc_emit_add(e, a, tcc_emit_i64(e, b - 1)), tcc_emit_i64(e, b));
}

TccVal tcc_emit_round_up(TccEmit *e, TccVal a, int64_t b) {
  return tcc_emit_mul(e, tcc_emit_ceil_div(e, a, b), tcc_emit_i64(e, b));
}

/* ---- ops ---- */

static TccVal put_intrinsic(TccEmit *e, TccLlvmOp op, const char *type, int n, const TccVal *args) {
  TccLlvmInst *inst = emit_value(e, op, type, 0, 0, 0);
  inst->n = (uint16_t)n, inst->list = emit_copy_list(e, n, args);
  return inst->result;
}

TccVal tcc_emit_fma(TccEmit *e, const char *type, TccVal a, TccVal b, TccVal c) {
  return put_intrinsic(e, TCC_LLVM_FMA, type, 3, (TccVal[]){a, b, c});
}

TccVal tcc_emit_icmp(TccEmit *e, const char *predicate, const char *type, TccVal a, TccVal b) {
  return emit_value(e, emit_op_of(TCC_FORM_ICMP, predicate), type, a, b, 0)->result;
}

TccVal tcc_emit_fcmp(TccEmit *e, const char *predicate, const char *type, TccVal a, TccVal b) {
  return emit_value(e, emit_op_of(TCC_FORM_FCMP, predicate), type, a, b, 0)->result;
}

static TccVal put_select(TccEmit *e, const char *type, const char *mask, TccVal condition, TccVal a, TccVal b) {
  TccLlvmInst *inst = emit_value(e, TCC_LLVM_SELECT, type, condition, a, b);
  inst->other = mask;
  return inst->result;
}

TccVal tcc_emit_select(TccEmit *e, const char *type, TccVal condition, TccVal a, TccVal b) {
  return put_select(e, type, tcc_emit_vector(e, "i1", tcc_emit_lanes(type)), condition, a, b);
}

TccVal tcc_emit_select1(TccEmit *e, const char *type, TccVal condition, TccVal a, TccVal b) {
  return a == b ? a : put_select(e, type, "i1", condition, a, b);
}

TccVal tcc_emit_cast(TccEmit *e, const char *op, const char *from, const char *to, TccVal v) {
  if (strcmp(from, to) == 0) return v;
  TccLlvmInst *inst = emit_value(e, emit_op_of(TCC_FORM_CAST, op), to, v, 0, 0);
  inst->other = from;
  return inst->result;
}

TccVal tcc_emit_any_lane(TccEmit *e, int lanes, TccVal condition) {
  if (lanes == 1) return condition;
  const char *word = tcc_arena_printf(e->arena, "i%d", lanes);
  return tcc_emit_icmp(e, "ne", word, tcc_emit_cast(e, "bitcast", tcc_emit_vector(e, "i1", lanes), word, condition),
                       tcc_emit_zero(e, word));
}

TccVal tcc_emit_intrinsic(TccEmit *e, const char *name, const char *type, int n, const TccVal *args) {
  char word[40];
  snprintf(word, sizeof word, "intr.%s", name);
  return put_intrinsic(e, emit_op_of(TCC_FORM_INTRINSIC, word), type, n, args);
}

static TccVal put_shuffle(TccEmit *e, const char *type, TccVal a, TccVal b, int n, const int *index) {
  TccLlvmInst *inst = emit_value(e, TCC_LLVM_SHUFFLE, type, a, b, 0);
  inst->n = (uint16_t)n, inst->list = emit_copy_list(e, n, index);
  return inst->result;
}

TccVal tcc_emit_splat(TccEmit *e, const char *type, TccVal scalar) {
  int lanes = tcc_emit_lanes(type);
  if (lanes == 1) return scalar;
  TccVal poison = tcc_emit_poison(e, type), zero = tcc_emit_i64(e, 0);
  TccLlvmInst *inst =
      emit_value(e, TCC_LLVM_SHUFFLE, type, emit_value(e, TCC_LLVM_INSERT, type, scalar, poison, zero)->result, poison, 0);
  inst->n = (uint16_t)lanes, inst->list = TCC_NEW_ARRAY(e->arena, int32_t, lanes); /* zeros */
  return inst->result;
}

TccVal tcc_emit_shuffle(TccEmit *e, const char *type, TccVal a, TccVal b, const int *index) {
  return put_shuffle(e, type, a, b, tcc_emit_lanes(type), index);
}

TccVal tcc_emit_slice(TccEmit *e, const char *type, TccVal v, int first, int lanes) {
  int index[64];
  for (int i = 0; i < lanes; i++) index[i] = first + i;
  return put_shuffle(e, type, v, v, lanes, index);
}

TccVal tcc_emit_insert(TccEmit *e, const char *type, TccVal scalar, TccVal v, int lane) {
  return emit_value(e, TCC_LLVM_INSERT, type, scalar, v, tcc_emit_i64(e, lane))->result;
}

TccVal tcc_emit_insert_vector(TccEmit *e, const char *part_type, TccVal part, const char *type, TccVal whole, int at) {
  TccLlvmInst *inst = emit_value(e, TCC_LLVM_INSERT_VECTOR, type, part, whole, 0);
  inst->other = part_type, inst->number = at;
  return inst->result;
}

TccVal tcc_emit_even(TccEmit *e, const char *type, TccVal a, TccVal b) {
  int lanes = tcc_emit_lanes(type), index[64];
  for (int i = 0; i < lanes; i++) index[i] = 2 * i;
  return tcc_emit_shuffle(e, type, a, b, index);
}

/* Rows i and i + lanes / 2 interleaved, log2(lanes) times over: each round turns the bits of an element's place, row and
 * column, by one (Stone 1971). The squares lie in memory and the rounds are a loop, since the 64 shuffles of 16 x 16 in one
 * block take the code generator long; two rounds at once, where their number is even, halve the stores. Eight rows are turned at once. */
enum { MOST_TURNED = 8 };
typedef struct {
  const char *type;
  int lanes, passes, n, index[2][64]; /* n rows are turned at a time, in each of the passes */
} Turn;

static Turn plan_turn(const char *type) {
  Turn t = {.type = type, .lanes = tcc_emit_lanes(type)};
  int rounds = 0;
  for (int i = 0; i < t.lanes; i++) {
    t.index[0][i] = i % 2 * t.lanes + i / 2;
    t.index[1][i] = t.index[0][i] + t.lanes / 2;
  }
  while (1 << rounds < t.lanes) rounds++;
  t.n = t.lanes == 8 ? 8 : rounds % 2 ? 2 : 4;
  t.passes = t.lanes == 8 ? 1 : rounds / (t.n / 2);
  return t;
}

/* Eight rows of eight: squares of 2, of 4 and of 8 places, by shuffles that stay within four lanes until the last. */
static void turn_eight(TccEmit *e, const char *type, TccVal rows[8]) {
  static const int index[3][2][8] = {{{0, 8, 1, 9, 4, 12, 5, 13}, {2, 10, 3, 11, 6, 14, 7, 15}},
                                     {{0, 1, 8, 9, 4, 5, 12, 13}, {2, 3, 10, 11, 6, 7, 14, 15}},
                                     {{0, 1, 2, 3, 8, 9, 10, 11}, {4, 5, 6, 7, 12, 13, 14, 15}}};
  TccVal twos[8], fours[8];
  for (int i = 0; i < 8; i++) twos[i] = tcc_emit_shuffle(e, type, rows[i / 2 * 2], rows[i / 2 * 2 + 1], index[0][i % 2]);
  for (int i = 0; i < 8; i++) { /* of rows 0 to 3 columns 0 and 4, 1 and 5, ...; then of rows 4 to 7 */
    const int pair = i / 4 * 4 + i % 4 / 2;
    fours[i] = tcc_emit_shuffle(e, type, twos[pair], twos[pair + 2], index[1][i % 2]);
  }
  for (int i = 0; i < 8; i++) rows[i] = tcc_emit_shuffle(e, type, fours[i % 4], fours[i % 4 + 4], index[2][i / 4]);
}

/* Rows i and i + n / 2, to 2 i and 2 i + 1, log2(n) times. */
static void turn_rows(TccEmit *e, const Turn *t, TccVal *rows) {
  if (t->n == 8) {
    turn_eight(e, t->type, rows);
    return;
  }
  TccVal next[MOST_TURNED];
  for (int d = t->n / 2; d > 0; d /= 2) {
    for (int i = 0; i < t->n; i++) next[i] = tcc_emit_shuffle(e, t->type, rows[i / 2], rows[i / 2 + t->n / 2], t->index[i % 2]);
    memcpy(rows, next, sizeof next);
  }
}

TccVal tcc_emit_transpose(TccEmit *e, const char *type, TccVal square) {
  const Turn t = plan_turn(type);
  if (t.lanes == 1) return square;
  const int step = t.lanes / t.n;
  TccVal zero = tcc_emit_i64(e, 0), start[2] = {square, tcc_emit_at(e, type, square, t.lanes)}, rows[MOST_TURNED];
  TccLoop pass, row;
  tcc_emit_for(e, &pass, zero, tcc_emit_i64(e, t.passes), 1, 2, start, (const char *const[]){TCC_PTR, TCC_PTR});
  tcc_emit_for(e, &row, zero, tcc_emit_i64(e, step), 1, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, type, pass.in[0], row.iv),
         to = tcc_emit_gep(e, type, pass.in[1], tcc_emit_mul(e, row.iv, tcc_emit_i64(e, t.n)));
  for (int i = 0; i < t.n; i++) rows[i] = tcc_emit_load(e, type, tcc_emit_at(e, type, from, i * step));
  turn_rows(e, &t, rows);
  for (int i = 0; i < t.n; i++) tcc_emit_store(e, type, rows[i], tcc_emit_at(e, type, to, i));
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &pass, (TccVal[]){pass.in[1], pass.in[0]});
  return pass.out[0];
}

void tcc_emit_transpose_rows(TccEmit *e, const char *type, TccVal square, const TccTurnedRows *ends) {
  const Turn t = plan_turn(type);
  if (t.lanes == 1) {
    ends->store(ends->user, tcc_emit_i64(e, 0), ends->load(ends->user, tcc_emit_i64(e, 0)));
    return;
  }
  const int step = t.lanes / t.n;
  for (int pass = 0; pass < t.passes; pass++) {
    TccVal from = tcc_emit_at(e, type, square, (pass + 1) % 2 * t.lanes), to = tcc_emit_at(e, type, square, pass % 2 * t.lanes),
           rows[MOST_TURNED];
    TccLoop row;
    tcc_emit_for(e, &row, tcc_emit_i64(e, 0), tcc_emit_i64(e, step), 1, 0, NULL, NULL);
    for (int i = 0; i < t.n; i++) {
      TccVal at = tcc_emit_add(e, row.iv, tcc_emit_i64(e, (int64_t)i * step));
      rows[i] = pass == 0 ? ends->load(ends->user, at) : tcc_emit_load(e, type, tcc_emit_gep(e, type, from, at));
    }
    turn_rows(e, &t, rows);
    for (int i = 0; i < t.n; i++) {
      TccVal at = tcc_emit_add(e, tcc_emit_mul(e, row.iv, tcc_emit_i64(e, t.n)), tcc_emit_i64(e, i));
      if (pass + 1 == t.passes) ends->store(ends->user, at, rows[i]);
      else tcc_emit_store(e, type, rows[i], tcc_emit_gep(e, type, to, at));
    }
    tcc_emit_end_for(e, &row, NULL);
  }
}

TccVal tcc_emit_extract(TccEmit *e, const char *type, TccVal v, int lane) {
  if (tcc_emit_lanes(type) == 1) return v;
  return emit_value(e, TCC_LLVM_EXTRACT, type, v, tcc_emit_i64(e, lane), 0)->result;
}

/* ---- memory ---- */

static TccVal put_gep(TccEmit *e, int space, const char *elem, TccVal p, const char *index_type, TccVal index) {
  TccLlvmInst *inst = emit_value(e, TCC_LLVM_GEP, elem, p, index, 0);
  inst->other = index_type, inst->space = (uint8_t)space;
  return inst->result;
}

TccVal tcc_emit_gep(TccEmit *e, const char *elem, TccVal p, TccVal index) {
  int64_t known;
  if (tcc_emit_known(e, index, &known) && known >= INT32_MIN / 2 && known <= INT32_MAX / 2) return tcc_emit_at(e, elem, p, known);
  return put_gep(e, 0, elem, p, "i64", index);
}

TccVal tcc_emit_at(TccEmit *e, const char *elem, TccVal p, int64_t index) {
  if (index == 0) return p;
  TccLlvmInst *inst = emit_value(e, TCC_LLVM_GEP_AT, elem, p, 0, 0);
  inst->number = index;
  return inst->result;
}

/* An op that touches memory, aligned as an element of its type is. */
static TccLlvmInst *touch(TccEmit *e, TccLlvmInst *inst) {
  inst->number = emit_elem_bytes(tcc_emit_elem(e, inst->type));
  return inst;
}

TccVal tcc_emit_load(TccEmit *e, const char *type, TccVal p) {
  return touch(e, emit_value(e, TCC_LLVM_LOAD, type, p, 0, 0))->result;
}

TccVal tcc_emit_aligned_load(TccEmit *e, const char *type, TccVal p, int64_t alignment) {
  if (!alignment) return tcc_emit_load(e, type, p);
  TccLlvmInst *inst = emit_value(e, TCC_LLVM_LOAD, type, p, 0, 0);
  inst->number = alignment;
  return inst->result;
}

TccVal tcc_emit_load_once(TccEmit *e, const char *type, TccVal p, int64_t index) {
  char key[120] = {TCC_LLVM_LOAD};
  size_t length = 1 + sizeof p + sizeof index, n = strlen(type);
  memcpy(key + 1, &p, sizeof p), memcpy(key + 1 + sizeof p, &index, sizeof index), memcpy(key + length, type, n);
  TccMapEntry *entry = tcc_map_put(e->constants, (TccStr){key, length + n}, NULL);
  if (!entry->integer) {
    TccLlvmInst at = {.op = TCC_LLVM_GEP_AT, .result = e->next++, .type = type, .v = {p}, .number = index},
                load = {.op = TCC_LLVM_LOAD, .result = e->next++, .type = type, .v = {at.result}};
    TCC_VEC_PUSH(e->arena, &e->head, at);
    TCC_VEC_PUSH(e->arena, &e->head, load);
    entry->integer = load.result;
  }
  return (TccVal)entry->integer;
}

void tcc_emit_store(TccEmit *e, const char *type, TccVal v, TccVal p) { touch(e, emit_inst(e, TCC_LLVM_STORE, type, v, p, 0)); }

void tcc_emit_aligned_store(TccEmit *e, const char *type, TccVal v, TccVal p, int64_t alignment) {
  if (!alignment) tcc_emit_store(e, type, v, p);
  else emit_inst(e, TCC_LLVM_STORE, type, v, p, 0)->number = alignment;
}

TccVal tcc_emit_masked_load(TccEmit *e, const char *type, TccVal p, TccVal mask) {
  if (!mask) return tcc_emit_load(e, type, p);
  return touch(e, emit_value(e, TCC_LLVM_MASKED_LOAD, type, p, mask, tcc_emit_zero(e, type)))->result;
}

/* step 0: lanes side by side; else every lane by itself, so far from the one before. */
static void store_lanes(TccEmit *e, const char *type, TccVal v, TccVal p, TccVal step, int first, int count) {
  const char *elem = tcc_emit_elem(e, type);
  int64_t known;
  if (!step) {
    TccVal part = count == tcc_emit_lanes(type) ? v
                  : count > 1                   ? tcc_emit_slice(e, type, v, first, count)
                                                : tcc_emit_extract(e, type, v, first);
    tcc_emit_store(e, tcc_emit_vector(e, elem, count), part, p);
    return;
  }
  const bool is_known = tcc_emit_known(e, step, &known);
  for (int i = 0; i < count; i++) {
    if (i && !is_known) p = tcc_emit_gep(e, elem, p, step);
    tcc_emit_store(e, elem, tcc_emit_extract(e, type, v, first + i), is_known ? tcc_emit_at(e, elem, p, i * known) : p);
  }
}

static TccVal behind_lanes(TccEmit *e, const char *elem, TccVal p, TccVal step, int lanes) {
  return step ? tcc_emit_gep(e, elem, p, tcc_emit_mul(e, step, tcc_emit_i64(e, lanes))) : tcc_emit_at(e, elem, p, lanes);
}

/* The first `count` lanes, fewer than all: half of a vector if there are as many, then half of what is left, and so on. */
static void store_pieces(TccEmit *e, const char *type, TccVal v, TccVal p, TccVal step, TccVal count) {
  const char *elem = tcc_emit_elem(e, type);
  for (int lanes = tcc_emit_lanes(type), half = lanes / 2; half; lanes = half, half /= 2) {
    const char *whole = tcc_emit_vector(e, elem, lanes), *part = tcc_emit_vector(e, elem, half);
    TccVal bit = tcc_emit_bin(e, "and", "i64", count, tcc_emit_i64(e, half)),
           low = half > 1 ? tcc_emit_slice(e, whole, v, 0, half) : tcc_emit_extract(e, whole, v, 0);
    TccIf has;
    tcc_emit_if(e, &has, tcc_emit_icmp(e, "ne", "i64", bit, tcc_emit_i64(e, 0)), half > 1 ? 2 : 0,
                (const char *const[]){part, TCC_PTR});
    if (half > 1) store_lanes(e, part, low, p, step, 0, half);
    else tcc_emit_store(e, part, low, p);
    if (half == 1) {
      tcc_emit_end_if(e, &has, NULL);
      break;
    }
    tcc_emit_else(e, &has, (TccVal[]){tcc_emit_slice(e, whole, v, half, half), behind_lanes(e, elem, p, step, half)});
    tcc_emit_end_if(e, &has, (TccVal[]){low, p});
    v = has.out[0], p = has.out[1];
  }
}

/* The same of a number of lanes that is known: each piece lies where the larger ones end. */
static void store_known_pieces(TccEmit *e, const char *type, TccVal v, TccVal p, int count) {
  const char *elem = tcc_emit_elem(e, type);
  for (int half = tcc_emit_lanes(type) / 2, at = 0; half; half /= 2) {
    if (!(count & half)) continue;
    store_lanes(e, type, v, tcc_emit_at(e, elem, p, at), 0, at, half);
    at += half;
  }
}

static void store_cut(TccEmit *e, const char *type, TccVal v, TccVal p, TccVal step, TccVal count) {
  TccIf fewer;
  tcc_emit_if_rare(e, &fewer, tcc_emit_icmp(e, "slt", "i64", count, tcc_emit_i64(e, tcc_emit_lanes(type))), 0, NULL);
  store_pieces(e, type, v, p, step, count);
  tcc_emit_else(e, &fewer, NULL);
  store_lanes(e, type, v, p, step, 0, tcc_emit_lanes(type));
  tcc_emit_end_if(e, &fewer, NULL);
}

void tcc_emit_masked_store(TccEmit *e, const char *type, TccVal v, TccVal p, TccVal mask) {
  int64_t lanes;
  bool known = mask && tcc_emit_known(e, mask, &lanes);
  TccVal count = mask && (size_t)mask < e->ninteger ? e->integer[mask].count : 0;
  if (!mask || (known && lanes >= tcc_emit_lanes(type))) tcc_emit_store(e, type, v, p);
  /* LLVM 22 makes a store of 32 bits of a mask of one lane whose value is truncated: bytes behind the element are overwritten. */
  else if (known && lanes == 1) tcc_emit_store(e, tcc_emit_elem(e, type), tcc_emit_extract(e, type, v, 0), p);
  else if (count && known && e->functions && e->functions->cuts_masks) store_known_pieces(e, type, v, p, (int)lanes);
  else if (count && e->functions && e->functions->cuts_masks) store_cut(e, type, v, p, 0, count);
  else touch(e, emit_inst(e, TCC_LLVM_MASKED_STORE, type, v, p, mask));
}

TccVal tcc_emit_gather(TccEmit *e, const char *type, TccVal p, const char *index_type, TccVal index, TccVal mask) {
  const char *elem = tcc_emit_elem(e, type);
  int lanes = tcc_emit_lanes(type);
  if (lanes == 1) return tcc_emit_load(e, type, tcc_emit_gep(e, elem, p, index));
  if (!mask) mask = tcc_emit_int(e, tcc_emit_vector(e, "i1", lanes), 1);
  TccVal pointers = put_gep(e, 0, elem, p, index_type, index);
  return touch(e, emit_value(e, TCC_LLVM_GATHER, type, pointers, mask, tcc_emit_zero(e, type)))->result;
}

static TccVal load_apart(TccEmit *e, const char *type, TccVal p, TccVal step, int count) {
  const char *elem = tcc_emit_elem(e, type);
  TccVal v = count < tcc_emit_lanes(type) ? tcc_emit_zero(e, type) : tcc_emit_poison(e, type), at = p;
  int64_t known;
  const bool is_known = tcc_emit_known(e, step, &known);
  for (int i = 0; i < count; i++) {
    if (is_known) at = tcc_emit_at(e, elem, p, i * known);
    else if (i) at = tcc_emit_gep(e, elem, at, step);
    v = tcc_emit_insert(e, type, tcc_emit_load(e, elem, at), v, i);
  }
  return v;
}

TccVal tcc_emit_load_steps(TccEmit *e, const char *type, TccVal p, TccVal step, TccVal mask) {
  const int lanes = tcc_emit_lanes(type);
  int64_t count = lanes;
  if (lanes == 1) return tcc_emit_load(e, type, p);
  if (e->functions && e->functions->steps_apart && (!mask || tcc_emit_known(e, mask, &count)))
    return load_apart(e, type, p, step, (int)count);
  const char *index = tcc_emit_vector(e, "i64", lanes);
  TccVal lane = tcc_emit_bin(e, "mul", index, tcc_emit_iota(e, "i64", lanes), tcc_emit_splat(e, index, step));
  return tcc_emit_gather(e, type, p, index, lane, mask);
}

void tcc_emit_scatter(TccEmit *e, const char *type, TccVal v, TccVal p, const char *index_type, TccVal index, TccVal mask) {
  const char *elem = tcc_emit_elem(e, type);
  int lanes = tcc_emit_lanes(type);
  if (lanes == 1) {
    tcc_emit_store(e, type, v, tcc_emit_gep(e, elem, p, index));
    return;
  }
  if (!mask) mask = tcc_emit_int(e, tcc_emit_vector(e, "i1", lanes), 1);
  TccVal pointers = put_gep(e, 0, elem, p, index_type, index);
  touch(e, emit_inst(e, TCC_LLVM_SCATTER, type, v, pointers, mask));
}

void tcc_emit_store_steps(TccEmit *e, const char *type, TccVal v, TccVal p, TccVal step, TccVal mask) {
  const int lanes = tcc_emit_lanes(type);
  int64_t known = lanes;
  const bool is_known = !mask || tcc_emit_known(e, mask, &known);
  TccVal count = mask && (size_t)mask < e->ninteger ? e->integer[mask].count : 0;
  if (lanes == 1) {
    tcc_emit_store(e, type, v, p);
  } else if (e->functions && e->functions->steps_apart && is_known) {
    store_lanes(e, type, v, p, step, 0, (int)known);
  } else if (e->functions && e->functions->steps_apart && count) {
    store_cut(e, type, v, p, step, count);
  } else {
    const char *index = tcc_emit_vector(e, "i64", lanes);
    TccVal lane = tcc_emit_bin(e, "mul", index, tcc_emit_iota(e, "i64", lanes), tcc_emit_splat(e, index, step));
    tcc_emit_scatter(e, type, v, p, index, lane, mask);
  }
}

/* Masks of bytes and halves are compared in bytes: lanes of 32 bits would be several registers. */
TccVal tcc_emit_mask(TccEmit *e, TccVal count, int lanes) {
  const char *elem = lanes > 16 ? "i8" : "i32", *type = tcc_emit_vector(e, elem, lanes);
  TccVal clamped = tcc_emit_max(e, tcc_emit_min(e, count, tcc_emit_i64(e, lanes)), tcc_emit_i64(e, 0));
  TccVal narrow = tcc_emit_cast(e, "trunc", "i64", elem, clamped);
  TccVal mask = tcc_emit_icmp(e, "slt", type, tcc_emit_iota(e, elem, lanes), tcc_emit_splat(e, type, narrow));
  emit_note_mask(e, mask, clamped);
  return mask;
}

TccVal tcc_emit_alloca(TccEmit *e, const char *elem, TccVal count) {
  TccLlvmInst *inst = emit_value(e, TCC_LLVM_ALLOCA, elem, count, 0, 0);
  inst->number = TCC_LLVM_ALIGNMENT;
  return inst->result;
}

void tcc_emit_relaxed_store(TccEmit *e, TccVal v, TccVal p) {
  emit_inst(e, TCC_LLVM_STORE_RELAXED, "i64", v, p, 0)->number = sizeof(int64_t);
}

TccVal tcc_emit_atomic_add(TccEmit *e, const char *type, TccVal p, TccVal v) {
  return emit_value(e, TCC_LLVM_ATOMIC_ADD, type, p, v, 0)->result;
}

TccVal tcc_emit_shared_address(TccEmit *e, const char *name) {
  TccLlvmInst *inst = emit_value(e, TCC_LLVM_ADDRESS, "!llvm.ptr<3>", 0, 0, 0);
  inst->symbol = emit_word(e, tcc_str(name));
  return inst->result;
}

TccVal tcc_emit_shared_gep(TccEmit *e, const char *elem, TccVal p, TccVal index) {
  return put_gep(e, TCC_LLVM_SHARED_SPACE, elem, p, "i64", index);
}

TccVal tcc_emit_shared_load(TccEmit *e, const char *type, TccVal p) {
  TccLlvmInst *inst = emit_value(e, TCC_LLVM_LOAD, type, p, 0, 0);
  inst->space = TCC_LLVM_SHARED_SPACE;
  return inst->result;
}

void tcc_emit_shared_store(TccEmit *e, const char *type, TccVal v, TccVal p) {
  emit_inst(e, TCC_LLVM_STORE, type, v, p, 0)->space = TCC_LLVM_SHARED_SPACE;
}

void tcc_emit_prefetch(TccEmit *e, TccVal p, bool write, int locality) {
  TccLlvmInst *inst = emit_inst(e, TCC_LLVM_PREFETCH, NULL, p, 0, 0);
  inst->flag = write, inst->number = locality;
}

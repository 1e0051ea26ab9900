/* emit_ops.c - arithmetic, vectors and memory, as text of the LLVM dialect: i64 arithmetic is folded while it is written. See emit.h. */
#include "lib/codegen/emit/emit_internal.h"
#include <inttypes.h>
#include <stdio.h>

/* ---- i64 arithmetic ---- */

TccVal tcc_emit_bin(TccEmit *e, const char *op, const char *type, TccVal a, TccVal b) {
  return tcc_emit_op(e, "llvm.%s %%%d, %%%d%s : %s", op, a, b, op[0] == 'f' ? " {fastmathFlags = #llvm.fastmath<contract>}" : "",
                     type);
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

TccVal tcc_emit_div(TccEmit *e, TccVal a, TccVal b) {
  int64_t x = 0, y = 0;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (kb && y == 1) return a;
  if (ka && kb && x >= 0 && y > 0) return tcc_emit_i64(e, x / y);
  return tcc_emit_bin(e, "udiv", "i64", a, b);
}

TccVal tcc_emit_rem(TccEmit *e, TccVal a, TccVal b) {
  int64_t x = 0, y = 0;
  bool ka = tcc_emit_known(e, a, &x), kb = tcc_emit_known(e, b, &y);
  if (kb && y == 1) return tcc_emit_i64(e, 0);
  if (ka && kb && x >= 0 && y > 0) return tcc_emit_i64(e, x % y);
  return tcc_emit_bin(e, "urem", "i64", a, b);
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

TccVal tcc_emit_fma(TccEmit *e, const char *type, TccVal a, TccVal b, TccVal c) {
  return tcc_emit_op(e, "llvm.intr.fma(%%%d, %%%d, %%%d) : (%s, %s, %s) -> %s", a, b, c, type, type, type, type);
}

TccVal tcc_emit_icmp(TccEmit *e, const char *predicate, const char *type, TccVal a, TccVal b) {
  return tcc_emit_op(e, "llvm.icmp \"%s\" %%%d, %%%d : %s", predicate, a, b, type);
}

TccVal tcc_emit_fcmp(TccEmit *e, const char *predicate, const char *type, TccVal a, TccVal b) {
  return tcc_emit_op(e, "llvm.fcmp \"%s\" %%%d, %%%d : %s", predicate, a, b, type);
}

TccVal tcc_emit_select(TccEmit *e, const char *type, TccVal condition, TccVal a, TccVal b) {
  const char *mask = tcc_emit_vector(e, "i1", tcc_emit_lanes(type));
  return tcc_emit_op(e, "llvm.select %%%d, %%%d, %%%d : %s, %s", condition, a, b, mask, type);
}

TccVal tcc_emit_select1(TccEmit *e, const char *type, TccVal condition, TccVal a, TccVal b) {
  return a == b ? a : tcc_emit_op(e, "llvm.select %%%d, %%%d, %%%d : i1, %s", condition, a, b, type);
}

TccVal tcc_emit_cast(TccEmit *e, const char *op, const char *from, const char *to, TccVal v) {
  return strcmp(from, to) == 0 ? v : tcc_emit_op(e, "llvm.%s %%%d : %s to %s", op, v, from, to);
}

TccVal tcc_emit_any_lane(TccEmit *e, int lanes, TccVal condition) {
  if (lanes == 1) return condition;
  const char *word = tcc_arena_printf(e->arena, "i%d", lanes);
  return tcc_emit_icmp(e, "ne", word, tcc_emit_cast(e, "bitcast", tcc_emit_vector(e, "i1", lanes), word, condition),
                       tcc_emit_zero(e, word));
}

TccVal tcc_emit_intrinsic(TccEmit *e, const char *name, const char *type, int n, const TccVal *args) {
  TccVal v = e->next++;
  tcc_emit_put(e, "%%%d = llvm.intr.%s(", v, name);
  for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%%%d", i ? ", " : "", args[i]);
  tcc_emit_put(e, ") : (");
  for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%s", i ? ", " : "", type);
  tcc_emit_put(e, ") -> %s\n", type);
  return v;
}

TccVal tcc_emit_splat(TccEmit *e, const char *type, TccVal scalar) {
  int lanes = tcc_emit_lanes(type);
  if (lanes == 1) return scalar;
  TccVal poison = tcc_emit_poison(e, type), zero = tcc_emit_i64(e, 0);
  TccVal first = tcc_emit_op(e, "llvm.insertelement %%%d, %%%d[%%%d : i64] : %s", scalar, poison, zero, type);
  TccVal v = e->next++;
  tcc_emit_put(e, "%%%d = llvm.shufflevector %%%d, %%%d [0", v, first, poison);
  for (int i = 1; i < lanes; i++) tcc_emit_put(e, ", 0");
  tcc_emit_put(e, "] : %s\n", type);
  return v;
}

TccVal tcc_emit_shuffle(TccEmit *e, const char *type, TccVal a, TccVal b, const int *index) {
  TccVal v = e->next++;
  tcc_emit_put(e, "%%%d = llvm.shufflevector %%%d, %%%d [", v, a, b);
  for (int i = 0; i < tcc_emit_lanes(type); i++) tcc_emit_put(e, "%s%d", i ? ", " : "", index[i]);
  tcc_emit_put(e, "] : %s\n", type);
  return v;
}

TccVal tcc_emit_even(TccEmit *e, const char *type, TccVal a, TccVal b) {
  int lanes = tcc_emit_lanes(type), index[64];
  for (int i = 0; i < lanes; i++) index[i] = 2 * i;
  return tcc_emit_shuffle(e, type, a, b, index);
}

/* Rows i and i + lanes / 2 interleaved, log2(lanes) times over: each round turns the bits of an element's place, row and
 * column, by one (Stone 1971). The squares lie in memory and the rounds are a loop, since the 64 shuffles of 16 x 16 in one
 * block take the code generator long; two rounds at once, where their number is even, halve the stores. */
TccVal tcc_emit_transpose(TccEmit *e, const char *type, TccVal square) {
  int lanes = tcc_emit_lanes(type), rounds = 0, index[2][64];
  if (lanes == 1) return square;
  for (int i = 0; i < lanes; i++) {
    index[0][i] = i % 2 * lanes + i / 2;
    index[1][i] = index[0][i] + lanes / 2;
  }
  while (1 << rounds < lanes) rounds++;
  int n = rounds % 2 ? 2 : 4, step = lanes / n;
  TccVal zero = tcc_emit_i64(e, 0), start[2] = {square, tcc_emit_at(e, type, square, lanes)}, rows[4], next[4];
  TccLoop round, row;
  tcc_emit_for(e, &round, zero, tcc_emit_i64(e, rounds), n / 2, 2, start, (const char *const[]){TCC_PTR, TCC_PTR});
  tcc_emit_for(e, &row, zero, tcc_emit_i64(e, step), 1, 0, NULL, NULL);
  TccVal from = tcc_emit_gep(e, type, round.in[0], row.iv),
         to = tcc_emit_gep(e, type, round.in[1], tcc_emit_mul(e, row.iv, tcc_emit_i64(e, n)));
  for (int i = 0; i < n; i++) rows[i] = tcc_emit_load(e, type, tcc_emit_at(e, type, from, i * step));
  for (int d = n / 2; d > 0; d /= 2) { /* rows i and i + n / 2, to 2 i and 2 i + 1 */
    for (int i = 0; i < n; i++) next[i] = tcc_emit_shuffle(e, type, rows[i / 2], rows[i / 2 + n / 2], index[i % 2]);
    memcpy(rows, next, sizeof rows);
  }
  for (int i = 0; i < n; i++) tcc_emit_store(e, type, rows[i], tcc_emit_at(e, type, to, i));
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_end_for(e, &round, (TccVal[]){round.in[1], round.in[0]});
  return round.out[0];
}

TccVal tcc_emit_extract(TccEmit *e, const char *type, TccVal v, int lane) {
  if (tcc_emit_lanes(type) == 1) return v;
  return tcc_emit_op(e, "llvm.extractelement %%%d[%%%d : i64] : %s", v, tcc_emit_i64(e, lane), type);
}

/* ---- memory ---- */

TccVal tcc_emit_gep(TccEmit *e, const char *elem, TccVal p, TccVal index) {
  int64_t known;
  if (tcc_emit_known(e, index, &known) && known >= INT32_MIN / 2 && known <= INT32_MAX / 2) return tcc_emit_at(e, elem, p, known);
  return tcc_emit_op(e, "llvm.getelementptr %%%d[%%%d] : (!llvm.ptr, i64) -> !llvm.ptr, %s", p, index, elem);
}

TccVal tcc_emit_at(TccEmit *e, const char *elem, TccVal p, int64_t index) {
  if (index == 0) return p;
  return tcc_emit_op(e, "llvm.getelementptr %%%d[%" PRId64 "] : (!llvm.ptr) -> !llvm.ptr, %s", p, index, elem);
}

TccVal tcc_emit_load(TccEmit *e, const char *type, TccVal p) {
  return tcc_emit_op(e, "llvm.load %%%d {alignment = %d : i64} : !llvm.ptr -> %s", p, emit_elem_bytes(tcc_emit_elem(e, type)),
                     type);
}

TccVal tcc_emit_load_once(TccEmit *e, const char *type, TccVal p, int64_t index) {
  char key[120];
  int length = snprintf(key, sizeof key, "load %%%d[%" PRId64 "] : %s", p, index, type);
  TccStr text = {key, (size_t)length};
  TccMapEntry *entry = tcc_map_put(e->constants, text, NULL);
  if (!entry->integer) {
    TccVal at = e->next++, v = e->next++;
    tcc_text_printf(&e->head, "%%%d = llvm.getelementptr %%%d[%" PRId64 "] : (!llvm.ptr) -> !llvm.ptr, %s\n", at, p, index, type);
    tcc_text_printf(&e->head, "%%%d = llvm.load %%%d : !llvm.ptr -> %s\n", v, at, type);
    entry->integer = v;
  }
  return (TccVal)entry->integer;
}

void tcc_emit_store(TccEmit *e, const char *type, TccVal v, TccVal p) {
  tcc_emit_put(e, "llvm.store %%%d, %%%d {alignment = %d : i64} : %s, !llvm.ptr\n", v, p, emit_elem_bytes(tcc_emit_elem(e, type)),
               type);
}

TccVal tcc_emit_masked_load(TccEmit *e, const char *type, TccVal p, TccVal mask) {
  if (!mask) return tcc_emit_load(e, type, p);
  return tcc_emit_op(e, "llvm.intr.masked.load %%%d, %%%d, %%%d {alignment = %d : i32} : (!llvm.ptr, vector<%dxi1>, %s) -> %s", p,
                     mask, tcc_emit_zero(e, type), emit_elem_bytes(tcc_emit_elem(e, type)), tcc_emit_lanes(type), type, type);
}

void tcc_emit_masked_store(TccEmit *e, const char *type, TccVal v, TccVal p, TccVal mask) {
  if (!mask) {
    tcc_emit_store(e, type, v, p);
    return;
  }
  tcc_emit_put(e, "llvm.intr.masked.store %%%d, %%%d, %%%d {alignment = %d : i32} : %s, vector<%dxi1> into !llvm.ptr\n", v, p, mask,
               emit_elem_bytes(tcc_emit_elem(e, type)), type, tcc_emit_lanes(type));
}

static TccVal lane_pointers(TccEmit *e, const char *elem, int lanes, TccVal p, const char *index_type, TccVal index) {
  return tcc_emit_op(e, "llvm.getelementptr %%%d[%%%d] : (!llvm.ptr, %s) -> vector<%dx!llvm.ptr>, %s", p, index, index_type, lanes,
                     elem);
}

TccVal tcc_emit_gather(TccEmit *e, const char *type, TccVal p, const char *index_type, TccVal index, TccVal mask) {
  const char *elem = tcc_emit_elem(e, type);
  int lanes = tcc_emit_lanes(type);
  if (lanes == 1) return tcc_emit_load(e, type, tcc_emit_gep(e, elem, p, index));
  if (!mask) mask = tcc_emit_int(e, tcc_emit_vector(e, "i1", lanes), 1);
  TccVal pointers = lane_pointers(e, elem, lanes, p, index_type, index);
  return tcc_emit_op(
      e, "llvm.intr.masked.gather %%%d, %%%d, %%%d {alignment = %d : i32} : (vector<%dx!llvm.ptr>, vector<%dxi1>, %s) -> %s",
      pointers, mask, tcc_emit_zero(e, type), emit_elem_bytes(elem), lanes, lanes, type, type);
}

void tcc_emit_scatter(TccEmit *e, const char *type, TccVal v, TccVal p, const char *index_type, TccVal index, TccVal mask) {
  const char *elem = tcc_emit_elem(e, type);
  int lanes = tcc_emit_lanes(type);
  if (lanes == 1) {
    tcc_emit_store(e, type, v, tcc_emit_gep(e, elem, p, index));
    return;
  }
  if (!mask) mask = tcc_emit_int(e, tcc_emit_vector(e, "i1", lanes), 1);
  TccVal pointers = lane_pointers(e, elem, lanes, p, index_type, index);
  tcc_emit_put(e,
               "llvm.intr.masked.scatter %%%d, %%%d, %%%d {alignment = %d : i32} : %s, vector<%dxi1> into vector<%dx!llvm.ptr>\n",
               v, pointers, mask, emit_elem_bytes(elem), type, lanes, lanes);
}

TccVal tcc_emit_mask(TccEmit *e, TccVal count, int lanes) {
  const char *type = tcc_emit_vector(e, "i32", lanes);
  TccVal clamped = tcc_emit_max(e, tcc_emit_min(e, count, tcc_emit_i64(e, lanes)), tcc_emit_i64(e, 0));
  TccVal narrow = tcc_emit_cast(e, "trunc", "i64", "i32", clamped);
  return tcc_emit_icmp(e, "slt", type, tcc_emit_iota(e, "i32", lanes), tcc_emit_splat(e, type, narrow));
}

void tcc_emit_prefetch(TccEmit *e, TccVal p, bool write, int locality) {
  tcc_emit_put(e, "\"llvm.intr.prefetch\"(%%%d) {cache = 1 : i32, hint = %d : i32, rw = %d : i32} : (!llvm.ptr) -> ()\n", p,
               locality, write);
}

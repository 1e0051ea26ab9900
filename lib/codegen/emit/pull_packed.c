/* pull_packed.c - see pull_packed.h. */
#include "lib/codegen/emit/pull_packed.h"

bool tcc_pull_packs_blocks(const TccPull *p, const TccPullIndex *store, TccElem elem) {
  const int64_t each = 8 / (int64_t)tcc_elem_bits(elem);
  int last = p->ndims - 1;
  if (store->nterms || last < 0 || store->coef[last] != tcc_expr_const(p->ir->exprs, 1) ||
      tcc_expr_multiple_of(store->offset) % each)
    return false;
  for (int d = 0; d < last; d++)
    if (store->coef[d] && tcc_expr_multiple_of(store->coef[d]) % each) return false;
  return last == 0 || tcc_expr_multiple_of(p->dim[last]) % each == 0;
}

/* Each byte of the result holds the low `bits` of as many lanes as go into it. */
static TccVal pack(TccEmit *t, int bits, int lanes, TccVal v) {
  const char *bytes = tcc_emit_vector(t, "i8", lanes);
  v = tcc_emit_bin(t, "and", bytes, v, tcc_emit_int(t, bytes, (1 << bits) - 1));
  for (; bits < 8; bits *= 2, lanes /= 2) {
    const char *pairs = tcc_emit_vector(t, "i16", lanes / 2), *from = tcc_emit_vector(t, "i8", lanes);
    TccVal pair = tcc_emit_cast(t, "bitcast", from, pairs, v);
    pair = tcc_emit_bin(t, "or", pairs, pair, tcc_emit_bin(t, "lshr", pairs, pair, tcc_emit_int(t, pairs, 8 - bits)));
    v = tcc_emit_cast(t, "trunc", pairs, tcc_emit_vector(t, "i8", lanes / 2), pair);
  }
  return v;
}

/* One element among the others of its byte. */
static void store_one(TccEmit *t, int bits, TccVal p, TccVal at, TccVal value) {
  const int each = 8 / bits;
  TccVal place = tcc_emit_gep(t, "i8", p, tcc_emit_bin(t, "lshr", "i64", at, tcc_emit_i64(t, each == 2 ? 1 : 2)));
  TccVal within = tcc_emit_bin(t, "and", "i64", at, tcc_emit_i64(t, each - 1));
  TccVal shift = tcc_emit_cast(t, "trunc", "i64", "i8", tcc_emit_mul(t, within, tcc_emit_i64(t, bits)));
  TccVal ones = tcc_emit_int(t, "i8", (1 << bits) - 1), all = tcc_emit_int(t, "i8", -1);
  TccVal others = tcc_emit_bin(t, "xor", "i8", tcc_emit_bin(t, "shl", "i8", ones, shift), all);
  TccVal own = tcc_emit_bin(t, "shl", "i8", tcc_emit_bin(t, "and", "i8", value, ones), shift);
  TccVal byte = tcc_emit_bin(t, "and", "i8", tcc_emit_load(t, "i8", place), others);
  tcc_emit_store(t, "i8", tcc_emit_bin(t, "or", "i8", byte, own), place);
}

void tcc_pull_emit_packed_store(TccPullEmit *e, TccVal p, TccElem elem, const TccPullIndex *flat, TccVal value) {
  TccEmit *t = e->k->e;
  const int bits = (int)tcc_elem_bits(elem), each = 8 / bits;
  TccVal base, step, mask = 0;
  tcc_pull_emit_affine(e, flat, &base, &step);
  if (e->lanes == 1) {
    store_one(t, bits, p, base, value);
    return;
  }
  const char *lanes = tcc_emit_vector(t, "i8", e->lanes), *bytes = tcc_emit_vector(t, "i8", e->lanes / each);
  if (e->mask) { /* the tensor's last byte: zeros behind its last element */
    value = tcc_emit_select(t, lanes, e->mask, value, tcc_emit_zero(t, lanes));
    mask = pack(t, bits, e->lanes, tcc_emit_cast(t, "zext", tcc_emit_vector(t, "i1", e->lanes), lanes, e->mask));
    mask = tcc_emit_icmp(t, "ne", bytes, mask, tcc_emit_zero(t, bytes));
  }
  TccVal at = tcc_emit_gep(t, "i8", p, tcc_emit_bin(t, "lshr", "i64", base, tcc_emit_i64(t, each == 2 ? 1 : 2)));
  int64_t on;
  value = pack(t, bits, e->lanes, value);
  if (e->mask && tcc_emit_known(t, e->mask, &on) && on <= each) /* no masked store of one lane: see tcc_emit_masked_store */
    tcc_emit_store(t, "i8", tcc_emit_extract(t, bytes, value, 0), at);
  else tcc_emit_masked_store(t, bytes, value, at, mask);
}

/* pull_emit.c - nodes to text, `lanes` wide. See pull_emit.h. */
#include "lib/codegen/emit/pull_emit.h"
#include "lib/codegen/emit/pull_nibbles.h"
#include "lib/codegen/emit/pull_packed.h"

void tcc_pull_emit_init(TccPullEmit *e, TccKernelEmit *k, const TccPull *p, int lanes) {
  *e = (TccPullEmit){.k = k, .p = p, .lanes = lanes, .lane_dim = -1};
  e->value = TCC_NEW_ARRAY(p->arena, TccVal, p->nodes.count + 1);
  e->single = TCC_NEW_ARRAY(p->arena, TccVal, p->nodes.count + 1);
  e->held = TCC_NEW_ARRAY(p->arena, TccVal, p->nodes.count + 1);
  e->reduced = TCC_NEW_ARRAY(p->arena, TccVal, p->nodes.count + 1);
  e->shared = TCC_NEW_ARRAY(p->arena, bool, p->nodes.count + 1);
  e->shared_dim = TCC_NEW(p->arena, int);
  *e->shared_dim = -2;
}

void tcc_pull_emit_place(TccPullEmit *e, const int *dims, int ndims, TccVal position) {
  for (int i = ndims; i-- > 1;) tcc_kernel_divide(e->k, position, e->p->dim[dims[i]], &position, &e->iv[dims[i]]);
  if (ndims > 0) e->iv[dims[0]] = position;
}

void tcc_pull_emit_reset(TccPullEmit *e) {
  memset(e->value, 0, sizeof *e->value * e->p->nodes.count);
  memcpy(e->single, e->held, sizeof *e->single * e->p->nodes.count);
}

void tcc_pull_emit_forget(TccPullEmit *e) {
  memset(e->held, 0, sizeof *e->held * e->p->nodes.count);
  tcc_pull_emit_reset(e);
}

void tcc_pull_emit_affine(TccPullEmit *e, const TccPullIndex *index, TccVal *base, TccVal *step) {
  TccEmit *t = e->k->e;
  *base = tcc_kernel_size(e->k, index->offset);
  *step = tcc_emit_i64(t, 0);
  TccVal moved = *step;
  for (int d = 0; d < e->p->ndims; d++) {
    if (!index->coef[d]) continue;
    TccVal coef = tcc_kernel_size(e->k, index->coef[d]);
    *base = tcc_emit_add(t, *base, tcc_emit_mul(t, e->iv[d], coef));
    if (e->moved[d]) moved = tcc_emit_add(t, moved, tcc_emit_mul(t, tcc_emit_i64(t, e->moved[d]), coef));
    if (d == e->lane_dim) *step = coef;
  }
  *base = tcc_emit_add(t, *base, moved);
}

/* ---- what all lanes share ---- */
static const bool *shared_nodes(const TccPullEmit *e) {
  if (*e->shared_dim != e->lane_dim) tcc_pull_lanes_share(e->p, e->lane_dim, e->shared), *e->shared_dim = e->lane_dim;
  return e->shared;
}

static bool is_shared_index(const TccPullEmit *e, const TccPullIndex *index) {
  return tcc_pull_lanes_share_index(index, e->lane_dim, shared_nodes(e));
}

/* The same nest, one lane: what it emits goes to e->single. */
static TccPullEmit one_lane(const TccPullEmit *e) {
  TccPullEmit one = *e;
  one.lanes = 1, one.lane_dim = -1, one.mask = 0, one.kept = NULL, one.value = e->single;
  return one;
}

static const char *index_type(TccPullEmit *e) { return tcc_emit_vector(e->k->e, "i64", e->lanes); }
static const char *flags_type(TccPullEmit *e) { return tcc_emit_vector(e->k->e, "i1", e->lanes); }
static TccVal splat_index(TccPullEmit *e, TccVal v) { return tcc_emit_splat(e->k->e, index_type(e), v); }

/* i64 lanes of an index */
static TccStatus *index_lanes(TccPullEmit *e, const TccPullIndex *index, TccVal *out) {
  TccEmit *t = e->k->e;
  TccVal base, step;
  int64_t known;
  tcc_pull_emit_affine(e, index, &base, &step);
  TccVal v = splat_index(e, base);
  if (e->lanes > 1 && (!tcc_emit_known(t, step, &known) || known != 0)) {
    TccVal lane = tcc_emit_iota(t, "i64", e->lanes);
    if (!tcc_emit_known(t, step, &known) || known != 1) lane = tcc_emit_bin(t, "mul", index_type(e), lane, splat_index(e, step));
    v = tcc_emit_bin(t, "add", index_type(e), v, lane);
  }
  for (int i = 0; i < index->nterms; i++) {
    TccVal term, scale = tcc_kernel_size(e->k, index->term[i].scale);
    TCC_TRY(tcc_pull_emit_node(e, index->term[i].node, &term));
    TccElem elem = index->term[i].node->elem;
    term = tcc_scalar_convert(t, elem, TCC_ELEM_I64, e->lanes, term);
    if (!tcc_emit_known(t, scale, &known) || known != 1) term = tcc_emit_bin(t, "mul", index_type(e), term, splat_index(e, scale));
    v = tcc_emit_bin(t, "add", index_type(e), v, term);
  }
  *out = v;
  return NULL;
}

/* Whether places along dim from a multiple of `run` on lie side by side at this index, from a multiple of as many elements on. */
static bool is_run(const TccPull *p, const TccPullIndex *index, int dim, int run) {
  if (index->coef[dim] != tcc_expr_const(p->ir->exprs, 1)) return false;
  if (tcc_expr_multiple_of(index->offset) % run) return false;
  for (int i = 0; i < index->nterms; i++)
    if (tcc_pull_moves(index->term[i].node, dim) || tcc_expr_multiple_of(index->term[i].scale) % run) return false;
  for (int d = 0; d < p->ndims; d++)
    if (d != dim && index->coef[d] && tcc_expr_multiple_of(index->coef[d]) % run) return false;
  return true;
}

/* Of the access that begins a run, in bytes; 0: that of its element. */
static int64_t run_alignment(const TccPullEmit *e, const TccPullIndex *index, TccElem elem) {
  enum { MOST = 16 };
  if (e->lanes > 1 || !e->run || !is_run(e->p, index, e->run_dim, e->run)) return 0;
  int64_t bytes = (int64_t)e->run * tcc_elem_bits(elem) / 8;
  return bytes < MOST ? bytes : MOST;
}

bool tcc_pull_has_runs(const TccPull *p, const TccPullIndex *store, int dim, int run, bool picked) {
  if (tcc_expr_multiple_of(p->dim[dim]) % run || (store && !is_run(p, store, dim, run))) return false;
  for (size_t i = 0; i < p->nodes.count; i++) {
    const TccPullNode *node = p->nodes.data[i];
    bool load = node->kind == TCC_PULL_LOAD, constant = load && node->argument < 0 && node->count == 1;
    if (!load && node->kind != TCC_PULL_OP && node->kind != TCC_PULL_INDEX && node->kind != TCC_PULL_REDUCED &&
        (!picked || tcc_pull_moves(node, dim)))
      return false;
    if (!load || constant) continue;
    if (!picked && (tcc_elem_bits(node->elem) < 8 || node->index.nterms)) return false;
    if (!tcc_pull_index_moves(&node->index, dim)) continue;
    if (!is_run(p, &node->index, dim, run) || run * tcc_elem_bits(node->elem) % 8) return false;
  }
  return true;
}

/* Of a run that begins with a byte, element `moved`: out of a word of 32 bits where the run has whole ones, else out of its byte. */
static TccStatus *emit_packed_of_run(TccPullEmit *e, const TccPullNode *node, TccVal p, TccVal *out) {
  enum { WORD_BITS = 32 };
  TccEmit *t = e->k->e;
  const int64_t bits = tcc_elem_bits(node->elem), moved = e->moved[e->run_dim];
  const bool words = e->runs * bits % WORD_BITS == 0;
  const char *type = words ? "i32" : "i8";
  const int64_t width = words ? WORD_BITS : 8, within = moved % (width / bits);
  int64_t alignment = run_alignment(e, &node->index, node->elem);
  TccVal first;
  e->moved[e->run_dim] = 0;
  TccStatus *status = index_lanes(e, &node->index, &first);
  e->moved[e->run_dim] = moved;
  if (status) return status;
  TccVal at = tcc_emit_gep(t, "i8", p, tcc_emit_bin(t, "lshr", "i64", first, tcc_emit_i64(t, bits == 4 ? 1 : 2)));
  at = tcc_emit_gep(t, "i8", at, tcc_emit_i64(t, (moved - within) * bits / 8));
  TccVal v = tcc_emit_aligned_load(t, type, at, words && !alignment ? width / 8 : alignment);
  if (tcc_elem_is_signed(node->elem)) {
    v = tcc_emit_bin(t, "shl", type, v, tcc_emit_int(t, type, width - bits * (within + 1)));
    v = tcc_emit_bin(t, "ashr", type, v, tcc_emit_int(t, type, width - bits));
  } else {
    v = tcc_emit_bin(t, "lshr", type, v, tcc_emit_int(t, type, bits * within));
    v = tcc_emit_bin(t, "and", type, v, tcc_emit_int(t, type, ((int64_t)1 << bits) - 1));
  }
  *out = words ? tcc_emit_cast(t, "trunc", type, "i8", v) : v;
  return NULL;
}

/* Elements below 8 bits share a byte, the first in its low bits: each goes to the top of the byte by halves, and down with its sign. */
static TccStatus *emit_packed(TccPullEmit *e, const TccPullNode *node, TccVal p, TccVal *out) {
  TccEmit *t = e->k->e;
  if (tcc_pull_is_dense(e, node)) return tcc_pull_emit_dense(e, node, p, out);
  if (e->lanes == 1 && e->runs > 1 && e->runs * tcc_elem_bits(node->elem) % 8 == 0 &&
      is_run(e->p, &node->index, e->run_dim, e->runs))
    return emit_packed_of_run(e, node, p, out);
  if (e->lanes > 1 && !e->guarded && is_shared_index(e, &node->index)) {
    TccPullEmit one = one_lane(e);
    TCC_TRY(emit_packed(&one, node, p, out));
    *out = tcc_emit_splat(t, tcc_emit_vector(t, "i8", e->lanes), *out);
    return NULL;
  }
  const char *index = index_type(e), *bytes = tcc_emit_vector(t, "i8", e->lanes);
  const int bits = (int)tcc_elem_bits(node->elem);
  TccVal at, byte;
  TCC_TRY(index_lanes(e, &node->index, &at));
  TccVal place = tcc_emit_bin(t, "lshr", index, at, tcc_emit_int(t, index, bits == 4 ? 1 : 2));
  byte =
      e->lanes == 1 ? tcc_emit_load(t, "i8", tcc_emit_gep(t, "i8", p, place)) : tcc_emit_gather(t, bytes, p, index, place, e->mask);
  for (int width = 4, which = 4 / bits; width >= bits; width /= 2, which /= 2) {
    TccVal odd =
        tcc_emit_icmp(t, "ne", index, tcc_emit_bin(t, "and", index, at, tcc_emit_int(t, index, which)), tcc_emit_int(t, index, 0));
    byte = tcc_emit_select(t, bytes, odd, byte, tcc_emit_bin(t, "shl", bytes, byte, tcc_emit_int(t, bytes, width)));
  }
  *out = tcc_emit_bin(t, tcc_elem_is_signed(node->elem) ? "ashr" : "lshr", bytes, byte, tcc_emit_int(t, bytes, 8 - bits));
  return NULL;
}

TccStatus *tcc_pull_emit_shared_terms(TccPullEmit *e, const TccPullIndex *index, TccVal *base, TccVal *step) {
  TccEmit *t = e->k->e;
  TccPullEmit one = one_lane(e);
  TccPullIndex terms = *index;
  TccVal moved;
  tcc_pull_emit_affine(e, index, base, step);
  if (!index->nterms) return NULL;
  terms.offset = tcc_expr_const(e->k->ir->exprs, 0);
  memset(terms.coef, 0, sizeof terms.coef);
  TCC_TRY(index_lanes(&one, &terms, &moved));
  *base = tcc_emit_add(t, moved, *base);
  return NULL;
}

static bool has_shared_terms(const TccPullEmit *e, const TccPullIndex *index) {
  bool shared = e->lanes > 1 && !e->guarded;
  for (int i = 0; i < index->nterms && shared; i++) shared = shared_nodes(e)[index->term[i].node->id];
  return shared;
}

/* The one term of an index that is the place of a lane where all lanes are inside, as in the middle of a padded row. NULL: there is none. */
static const TccPullNode *moved_term(const TccPullEmit *e, const TccPullIndex *index) {
  const TccPullNode *found = NULL;
  const TccExpr *one = tcc_expr_const(e->k->ir->exprs, 1);
  if (e->lanes == 1 || e->lane_dim < 0 || e->guarded || index->coef[e->lane_dim]) return NULL;
  for (int i = 0; i < index->nterms; i++) {
    const TccPullNode *node = index->term[i].node;
    if (shared_nodes(e)[node->id]) continue;
    bool moves = node->kind == TCC_PULL_MIRROR || node->kind == TCC_PULL_CYCLE || (node->kind == TCC_PULL_WRAP && !node->check);
    if (found || !moves || index->term[i].scale != one || node->child[0]->kind != TCC_PULL_INDEX) return NULL;
    const TccPullIndex *place = &node->child[0]->index;
    if (place->nterms || place->coef[e->lane_dim] != one) return NULL;
    found = node;
  }
  return found;
}

static TccStatus *emit_shared(TccPullEmit *e, const TccPullNode *node, unsigned char *seen) {
  if (!node || seen[node->id]) return NULL;
  seen[node->id] = 1;
  if (node->kind == TCC_PULL_GUARD) return NULL;
  for (int c = 0; c < node->nchildren; c++) TCC_TRY(emit_shared(e, node->child[c], seen));
  for (int i = 0; i < node->index.nterms; i++) TCC_TRY(emit_shared(e, node->index.term[i].node, seen));
  if (node->kind != TCC_PULL_LOAD) return NULL;
  const TccPullNode *moved = moved_term(e, &node->index); /* the others are the row of the place */
  if (!moved && !has_shared_terms(e, &node->index)) return NULL;
  TccPullEmit one = one_lane(e);
  TccVal v;
  for (int i = 0; i < node->index.nterms; i++)
    if (node->index.term[i].node != moved) TCC_TRY(tcc_pull_emit_node(&one, node->index.term[i].node, &v));
  return NULL;
}

TccStatus *tcc_pull_emit_shared(TccPullEmit *e, const TccPullNode *const *roots, int n, unsigned char *seen) {
  tcc_pull_emit_forget(e);
  for (int i = 0; i < n; i++) TCC_TRY(emit_shared(e, roots[i], seen));
  memcpy(e->held, e->single, sizeof *e->held * e->p->nodes.count);
  return NULL;
}

/* Every other element, of two vectors that reach no farther than the last of them; or elements from the back. */
static bool emit_stepped(TccPullEmit *e, const char *memory, TccVal first, int64_t step, TccVal *out) {
  TccEmit *t = e->k->e;
  const char *type = tcc_emit_vector(t, memory, e->lanes);
  int index[64], lanes = e->lanes;
  if (e->mask || e->guarded || (step != 2 && step != -1)) return false;
  TccVal low = tcc_emit_load(t, type, step == 2 ? first : tcc_emit_at(t, memory, first, 1 - lanes)), high = low;
  if (step == 2) high = tcc_emit_load(t, type, tcc_emit_at(t, memory, first, lanes - 1));
  for (int i = 0; i < lanes; i++) index[i] = step == -1 ? lanes - 1 - i : i < lanes / 2 ? 2 * i : 2 * i + 1;
  *out = tcc_emit_shuffle(t, type, low, high, index);
  return true;
}

/* Elements from p[start] on, of which those before `low` and from `high` on are not read. */
static TccVal emit_run(TccPullEmit *e, const char *memory, TccVal p, TccVal start, TccVal low, TccVal high) {
  TccEmit *t = e->k->e;
  TccVal all = tcc_emit_int(t, flags_type(e), 1), before = tcc_emit_mask(t, tcc_emit_sub(t, low, start), e->lanes),
         end = tcc_emit_mask(t, tcc_emit_sub(t, high, start), e->lanes),
         mask = tcc_emit_bin(t, "and", flags_type(e), end, tcc_emit_bin(t, "xor", flags_type(e), before, all));
  return tcc_emit_masked_load(t, tcc_emit_vector(t, memory, e->lanes), tcc_emit_gep(t, memory, p, start), mask);
}

/* A block across one or both ends of a row of `size` elements, reflected or repeated there: runs of memory, those outside read backwards. A
 * gather of as many lanes takes four times as long. */
static TccVal emit_across_ends(TccPullEmit *e, const char *memory, TccPullKind kind, TccVal p, TccVal first, TccVal size) {
  TccEmit *t = e->k->e;
  const char *type = tcc_emit_vector(t, memory, e->lanes);
  TccVal zero = tcc_emit_i64(t, 0), one = tcc_emit_i64(t, 1), last = tcc_emit_sub(t, size, one), low, high;
  if (kind == TCC_PULL_MIRROR) {
    int backwards[64];
    for (int i = 0; i < e->lanes; i++) backwards[i] = e->lanes - 1 - i;
    TccVal start = tcc_emit_sub(t, tcc_emit_i64(t, 1 - e->lanes), first);
    low = emit_run(e, memory, p, start, one, size);
    high = emit_run(e, memory, p, tcc_emit_add(t, start, tcc_emit_add(t, last, last)), zero, last);
    low = tcc_emit_shuffle(t, type, low, low, backwards), high = tcc_emit_shuffle(t, type, high, high, backwards);
  } else {
    low = tcc_emit_splat(t, type, tcc_emit_load(t, memory, p));
    high = tcc_emit_splat(t, type, tcc_emit_load(t, memory, tcc_emit_gep(t, memory, p, last)));
  }
  TccVal inside = emit_run(e, memory, p, first, zero, size),
         is_high = tcc_emit_mask(t, tcc_emit_sub(t, size, first), e->lanes), /* off there */
      is_low = tcc_emit_mask(t, tcc_emit_sub(t, zero, first), e->lanes);
  return tcc_emit_select(t, type, is_low, low, tcc_emit_select(t, type, is_high, inside, high));
}

/* 0: no condition. */
static TccVal both(TccPullEmit *e, TccVal a, TccVal b) { return a && b ? tcc_emit_bin(e->k->e, "and", "i1", a, b) : a ? a : b; }

/* Lane j of a block that is at the end of a row where it touches it, as a lane of the vector at that end: |first + j|, or 0 for what is below. At the high
 * end the same is counted from the last lane. */
static TccVal lanes_of_end(TccPullEmit *e, TccPullKind kind, TccVal from_end, bool low) {
  TccEmit *t = e->k->e;
  const char *type = tcc_emit_vector(t, "i32", e->lanes);
  TccVal at = tcc_emit_splat(t, type, tcc_emit_cast(t, "trunc", "i64", "i32", from_end)), lane = tcc_emit_iota(t, "i32", e->lanes),
         zero = tcc_emit_zero(t, type);
  TccVal x = tcc_emit_bin(t, low ? "add" : "sub", type, at, lane),
         mirrored = kind == TCC_PULL_MIRROR ? tcc_emit_bin(t, "sub", type, zero, x) : zero, args[] = {x, mirrored};
  x = tcc_emit_intrinsic(t, "smax", type, 2, args);
  return low ? x : tcc_emit_bin(t, "sub", type, tcc_emit_int(t, type, e->lanes - 1), x);
}

/* The same of a block that touches the end it is expected to, with an element of a row of a vector or more: the vector at that end, its lanes in
 * another order. Three runs under masks, whose ends are compared for each of them, take ten times as many instructions. */
static TccVal emit_at_end(TccPullEmit *e, const char *memory, TccPullKind kind, TccVal p, TccVal first, TccVal size) {
  TccEmit *t = e->k->e;
  const char *type = tcc_emit_vector(t, memory, e->lanes);
  const TccScalarFunctions *own = t->functions;
  if (!own || !own->permute || e->end == TCC_PULL_ANY_END || (strcmp(memory, "f32") != 0 && strcmp(memory, "i32") != 0))
    return emit_across_ends(e, memory, kind, p, first, size);
  const bool low = e->end == TCC_PULL_LOW_END;
  TccVal zero = tcc_emit_i64(t, 0), last = tcc_emit_sub(t, size, tcc_emit_i64(t, 1)), lanes = tcc_emit_i64(t, e->lanes);
  TccVal touches = tcc_emit_icmp(t, low ? "slt" : "sge", "i64", first, zero),
         reaches =
             low ? tcc_emit_icmp(t, "sgt", "i64", first, tcc_emit_i64(t, -e->lanes)) : tcc_emit_icmp(t, "sle", "i64", first, last);
  TccVal near = both(e, tcc_emit_icmp(t, "sge", "i64", size, lanes), both(e, touches, reaches));
  TccIf branch;
  tcc_emit_if(t, &branch, near, 1, &type);
  TccVal v = tcc_emit_load(t, type, low ? p : tcc_emit_gep(t, memory, p, tcc_emit_sub(t, size, lanes)));
  v = own->permute(t, type, v, lanes_of_end(e, kind, low ? first : tcc_emit_sub(t, last, first), low));
  tcc_emit_else(t, &branch, &v);
  v = emit_across_ends(e, memory, kind, p, first, size);
  tcc_emit_end_if(t, &branch, &v);
  return branch.out[0];
}

/* A load through such a term: a run of memory where the block is inside, else what its index says. */
static TccStatus *emit_moved(TccPullEmit *e, const TccPullNode *node, const TccPullNode *term, TccVal p, TccVal *out) {
  TccEmit *t = e->k->e;
  const char *memory = tcc_scalar_memory_type(node->elem), *type = tcc_emit_vector(t, memory, e->lanes);
  size_t bytes = sizeof *e->value * e->p->nodes.count;
  TccPullIndex others = node->index;
  TccVal first, step, base, values[2];
  others.nterms = 0;
  for (int i = 0; i < node->index.nterms; i++)
    if (node->index.term[i].node != term) others.term[others.nterms++] = node->index.term[i];
  TCC_TRY(tcc_pull_emit_shared_terms(e, &others, &base, &step));
  tcc_pull_emit_affine(e, &term->child[0]->index, &first, &step);
  if (e->inside) {
    *out = tcc_emit_masked_load(t, type, tcc_emit_gep(t, memory, p, tcc_emit_add(t, base, first)), e->mask);
    return NULL;
  }
  TccVal size = tcc_kernel_size(e->k, term->size), last = tcc_emit_add(t, first, tcc_emit_i64(t, e->lanes));
  TccVal inside = tcc_emit_bin(t, "and", "i1", tcc_emit_icmp(t, "sge", "i64", first, tcc_emit_i64(t, 0)),
                               tcc_emit_icmp(t, "sle", "i64", last, size));
  TccVal *saved = tcc_arena_alloc(e->p->arena, 2 * bytes + 1), *saved_single = saved + e->p->nodes.count;
  memcpy(saved, e->value, bytes);
  memcpy(saved_single, e->single, bytes);
  TccIf branch;
  tcc_emit_if(t, &branch, inside, 1, &type);
  values[0] = tcc_emit_masked_load(t, type, tcc_emit_gep(t, memory, p, tcc_emit_add(t, base, first)), e->mask);
  tcc_emit_else(t, &branch, &values[0]);
  if (term->kind == TCC_PULL_MIRROR || (term->kind == TCC_PULL_WRAP && term->divisor)) {
    values[1] = emit_at_end(e, memory, term->kind, tcc_emit_gep(t, memory, p, base), first, size);
  } else {
    TCC_TRY(index_lanes(e, &node->index, &values[1]));
    values[1] = tcc_emit_gather(t, type, p, index_type(e), values[1], e->mask);
  }
  tcc_emit_end_if(t, &branch, &values[1]);
  memcpy(e->value, saved, bytes); /* what a branch emitted is not valid outside of it */
  memcpy(e->single, saved_single, bytes);
  *out = branch.out[0];
  return NULL;
}

static TccStatus *emit_load(TccPullEmit *e, const TccPullNode *node, TccVal *out) {
  TccEmit *t = e->k->e;
  const char *memory = tcc_scalar_memory_type(node->elem), *type = tcc_emit_vector(t, memory, e->lanes);
  TccVal base, step, v;
  int64_t known = -1;
  if (node->argument < 0 && node->count == 1) { /* what it was asked for at is of no use, but reports what it checks */
    for (int i = 0; i < node->index.nterms; i++) TCC_TRY(tcc_pull_emit_node(e, node->index.term[i].node, &v));
    *out = tcc_scalar_number(t, node->elem, node->data, e->lanes);
    tcc_emit_note_number(t, *out);
    return NULL;
  }
  TccVal p = node->argument < 0 ? tcc_emit_data(t, node->data, tcc_elem_bytes(node->elem, node->count))
                                : tcc_kernel_argument(e->k, node->argument);
  if (tcc_elem_bits(node->elem) < 8) return emit_packed(e, node, p, out);
  if (e->lanes == 1) {
    TCC_TRY(index_lanes(e, &node->index, &v));
    v = tcc_emit_aligned_load(t, memory, tcc_emit_gep(t, memory, p, v), run_alignment(e, &node->index, node->elem));
  } else if (moved_term(e, &node->index)) {
    TCC_TRY(emit_moved(e, node, moved_term(e, &node->index), p, &v));
  } else if (!has_shared_terms(e, &node->index) && node->index.nterms) {
    TCC_TRY(index_lanes(e, &node->index, &v));
    v = tcc_emit_gather(t, type, p, index_type(e), v, e->mask);
  } else {
    TCC_TRY(tcc_pull_emit_shared_terms(e, &node->index, &base, &step));
    bool is_known = tcc_emit_known(t, step, &known);
    if (is_known && known == 0 && !e->guarded) {
      v = tcc_emit_splat(t, type, tcc_emit_load(t, memory, tcc_emit_gep(t, memory, p, base)));
    } else if (is_known && known == 1) {
      v = tcc_emit_masked_load(t, type, tcc_emit_gep(t, memory, p, base), e->mask);
    } else if (!is_known || !emit_stepped(e, memory, tcc_emit_gep(t, memory, p, base), known, &v)) {
      v = tcc_emit_load_steps(t, type, tcc_emit_gep(t, memory, p, base), step, e->mask);
    }
  }
  *out = tcc_scalar_from_memory(t, node->elem, e->lanes, v);
  return NULL;
}

static TccStatus *child_index(TccPullEmit *e, const TccPullNode *node, TccVal *out) {
  TCC_TRY(tcc_pull_emit_node(e, node->child[0], out));
  *out = tcc_scalar_convert(e->k->e, node->child[0]->elem, TCC_ELEM_I64, e->lanes, *out);
  return NULL;
}

static TccVal ibin(TccPullEmit *e, const char *op, TccVal a, TccVal b) { return tcc_emit_bin(e->k->e, op, index_type(e), a, b); }
static TccVal choose(TccPullEmit *e, const char *predicate, TccVal a, TccVal b, TccVal yes, TccVal no) {
  TccEmit *t = e->k->e;
  return tcc_emit_select(t, index_type(e), tcc_emit_icmp(t, predicate, index_type(e), a, b), yes, no);
}

/* One i1: not all lanes that count are inside. Without a mask it is one instruction less. */
static TccVal some_outside(TccPullEmit *e, TccVal inside, TccVal outside) {
  TccEmit *t = e->k->e;
  if (e->mask || e->lanes == 1) return tcc_emit_any_lane(t, e->lanes, outside);
  const char *word = tcc_arena_printf(t->arena, "i%d", e->lanes);
  return tcc_emit_icmp(t, "ne", word, tcc_emit_cast(t, "bitcast", flags_type(e), word, inside), tcc_emit_int(t, word, -1));
}

/* The index where it is inside, else 0: one comparison takes the place of two clamps. What was read is reported where it leads outside,
 * the greatest of all lanes, in a branch that no right run takes. */
static TccVal checked_index(TccPullEmit *e, const TccPullNode *node, TccVal index, TccVal size) {
  TccEmit *t = e->k->e;
  TccIf branch;
  TccVal inside = tcc_emit_icmp(t, "ult", index_type(e), index, size), /* as unsigned, a negative one is large */
      taken = tcc_emit_select(t, index_type(e), inside, index, tcc_emit_int(t, index_type(e), 0)),
         outside = tcc_emit_bin(t, "xor", flags_type(e), inside, tcc_emit_int(t, flags_type(e), 1));
  if (e->mask) outside = tcc_emit_bin(t, "and", flags_type(e), outside, e->mask);
  tcc_emit_if_rare(t, &branch, some_outside(e, inside, outside), 0, NULL);
  TccVal raw = index; /* a negative one was moved by the size, and is still negative */
  if (!node->natural) raw = choose(e, "slt", index, tcc_emit_int(t, index_type(e), 0), ibin(e, "sub", index, size), index);
  TccVal worst = tcc_emit_select(t, index_type(e), outside, raw, tcc_emit_int(t, index_type(e), INT64_MIN));
  for (int half = e->lanes / 2; half > 0; half /= 2) { /* lane 0 becomes the greatest */
    int other[64];
    for (int i = 0; i < e->lanes; i++) other[i] = (i + half) % e->lanes;
    TccVal swapped = tcc_emit_shuffle(t, index_type(e), worst, worst, other);
    worst = choose(e, "sgt", worst, swapped, worst, swapped);
  }
  tcc_kernel_fault(e->k, node->check - 1, tcc_emit_extract(t, index_type(e), worst, 0));
  tcc_emit_end_if(t, &branch, NULL);
  return taken;
}

/* v / size and v % size of lanes that are not negative. NULL: not wanted. */
static void divide(TccPullEmit *e, TccVal v, const TccExpr *size, TccVal *quotient, TccVal *rest) {
  if (e->lanes == 1) {
    tcc_kernel_divide(e->k, v, size, quotient, rest);
    return;
  }
  TccVal d = splat_index(e, tcc_kernel_size(e->k, size));
  if (quotient) *quotient = ibin(e, "udiv", v, d);
  if (rest) *rest = ibin(e, "urem", v, d);
}

/* A divisor that is not 0. Of a size of 0 no element is taken, but its index may be computed: lanes of a concatenation compute those of all operands. */
static const TccExpr *at_least_1(TccPullEmit *e, const TccExpr *size) {
  const TccExpr *one = tcc_expr_const(e->k->ir->exprs, 1);
  return tcc_expr_known_at_most(one, size) ? size : tcc_expr_call(e->k->ir->exprs, TCC_EXPR_MAX, size, one);
}

/* x mod size in [0, size); of a size of 0 anything. A negative x is as far from the end as -1 - x from the begin. */
static TccVal floor_mod(TccPullEmit *e, TccVal x, const TccExpr *size) {
  TccVal zero = tcc_emit_int(e->k->e, index_type(e), 0), all = tcc_emit_int(e->k->e, index_type(e), -1), rest;
  TccVal from_end = ibin(e, "xor", x, all), d = splat_index(e, tcc_kernel_size(e->k, size));
  divide(e, choose(e, "slt", x, zero, from_end, x), at_least_1(e, size), NULL, &rest);
  return choose(e, "slt", x, zero, ibin(e, "sub", ibin(e, "add", d, all), rest), rest);
}

static TccStatus *emit_index_op(TccPullEmit *e, const TccPullNode *node, TccVal *out) {
  TccEmit *t = e->k->e;
  TccVal x, size = splat_index(e, tcc_kernel_size(e->k, node->size)), zero = tcc_emit_int(t, index_type(e), 0),
            one = tcc_emit_int(t, index_type(e), 1);
  TCC_TRY(child_index(e, node, &x));
  TccVal last = ibin(e, "sub", size, one);
  switch (node->kind) {
  case TCC_PULL_DIVMOD:
    divide(e, x, at_least_1(e, node->divisor), &x, NULL);
    divide(e, x, at_least_1(e, node->size), NULL, out);
    return NULL;
  case TCC_PULL_CYCLE: x = floor_mod(e, x, node->size); break;
  case TCC_PULL_MIRROR: /* one period at most, by the op's rule: no division, which takes each lane 40 cycles */
    x = choose(e, "slt", x, zero, ibin(e, "sub", zero, x), x);
    x = choose(e, "sgt", x, last, ibin(e, "sub", ibin(e, "add", last, last), x), x);
    break;
  default: /* WRAP; a divisor marks one that is only clamped */
    if (!node->divisor && !node->natural) x = choose(e, "slt", x, zero, ibin(e, "add", x, size), x);
    if (!node->check || !e->k->reports) break;
    *out = checked_index(e, node, x, size);
    return NULL;
  }
  x = choose(e, "sgt", x, last, last, x);
  *out = choose(e, "slt", x, zero, zero, x);
  return NULL;
}

/* Whether all lanes of any block are on the same side of a bound: it moves with other dims only, or lies on the border of
 * two blocks (lane loops start at multiples of `lanes`). */
static bool splits_no_block(const TccPullEmit *e, const TccPullBound *bound) {
  const TccPullIndex *index = &bound->index;
  TccExprPool *exprs = e->k->ir->exprs;
  if (is_shared_index(e, index)) return true;
  const TccExpr *ends[] = {bound->low, bound->high};
  if (index->nterms || index->coef[e->lane_dim] != tcc_expr_const(exprs, 1) || tcc_expr_multiple_of(index->offset) % e->lanes)
    return false;
  for (int d = 0; d < e->p->ndims; d++)
    if (d != e->lane_dim && index->coef[d] && tcc_expr_multiple_of(index->coef[d]) % e->lanes) return false;
  for (int i = 0; i < 2; i++)
    if (ends[i] && tcc_expr_multiple_of(ends[i]) % e->lanes) return false;
  return true;
}

static bool is_branch(const TccPullEmit *e, const TccPullNode *guard) {
  bool branch = e->lanes == 1 || !e->guarded;
  for (int b = 0; b < guard->nbounds && branch && e->lanes > 1; b++) branch = splits_no_block(e, &guard->bound[b]);
  return branch;
}

/* The lanes that some bounds leave: those from `low` on and before `high` (i64) if `all` (i1) holds; 0: there is no such bound. */
typedef struct {
  TccVal low, high, all;
} LaneRange;

/* A bound of what is the same in all lanes, or grows by one from lane to lane, in scalars. False: it is neither. */
static bool narrow_range(TccPullEmit *e, const TccPullBound *bound, LaneRange *r) {
  TccEmit *t = e->k->e;
  TccVal at, step;
  int64_t known;
  if (e->lanes == 1 || bound->index.nterms) return false;
  tcc_pull_emit_affine(e, &bound->index, &at, &step);
  if (!tcc_emit_known(t, step, &known) || known < 0 || known > 1) return false;
  for (int side = 0; side < 2; side++) {
    const TccExpr *limit = side ? bound->high : bound->low;
    if (!limit) continue;
    TccVal end = tcc_kernel_size(e->k, limit);
    if (known == 0) {
      r->all = both(e, r->all, tcc_emit_icmp(t, side ? "slt" : "sge", "i64", at, end));
      continue;
    }
    end = tcc_emit_sub(t, end, at);
    if (side) r->high = r->high ? tcc_emit_min(t, r->high, end) : end;
    else r->low = r->low ? tcc_emit_max(t, r->low, end) : end;
  }
  return true;
}

/* i1 lanes; 0: there are no bounds. */
static TccVal range_lanes(TccPullEmit *e, const LaneRange *r) {
  TccEmit *t = e->k->e;
  const char *flags = flags_type(e);
  TccVal end = r->high;
  if (r->all) end = tcc_emit_select1(t, "i64", r->all, end ? end : tcc_emit_i64(t, e->lanes), tcc_emit_i64(t, 0));
  TccVal before_end = end ? tcc_emit_mask(t, end, e->lanes) : 0;
  if (!r->low) return before_end;
  TccVal begun = tcc_emit_bin(t, "xor", flags, tcc_emit_mask(t, r->low, e->lanes), tcc_emit_int(t, flags, 1));
  return before_end ? tcc_emit_bin(t, "and", flags, before_end, begun) : begun;
}

/* i1: that is all lanes; 0: there are no bounds. */
static TccVal range_is_whole(TccPullEmit *e, const LaneRange *r) {
  TccEmit *t = e->k->e;
  TccVal begun = r->low ? tcc_emit_icmp(t, "sle", "i64", r->low, tcc_emit_i64(t, 0)) : 0,
         before_end = r->high ? tcc_emit_icmp(t, "sge", "i64", r->high, tcc_emit_i64(t, e->lanes)) : 0;
  return both(e, both(e, r->all, begun), before_end);
}

/* Whether a guard reads a tensor inside and gives a number outside, as a padded one: then blocks that lie inside as a whole, most of a row, are
 * read without a mask. */
static bool is_padding(const TccPullEmit *e, const TccPullNode *node) {
  const TccPullNode *inside = node->child[0], *outside = node->child[1];
  bool number = !outside || (outside->kind == TCC_PULL_LOAD && outside->argument < 0 && outside->count == 1);
  return e->lanes > 1 && !e->guarded && number && inside && inside->kind == TCC_PULL_LOAD && inside->argument >= 0;
}

/* Whether such a guard is one of ranges of lanes. */
static bool is_padded_range(const TccPullEmit *e, const TccPullNode *node) {
  int64_t step;
  bool ranges = is_padding(e, node) && !is_branch(e, node);
  for (int b = 0; b < node->nbounds && ranges; b++) {
    const TccPullIndex *index = &node->bound[b].index;
    const TccExpr *coef = index->coef[e->lane_dim];
    ranges = !index->nterms && (!coef || (tcc_expr_is_const(coef, &step) && step >= 0 && step <= 1));
  }
  return ranges;
}

bool tcc_pull_emit_inside(TccPullEmit *e, TccVal *low, TccVal *end) {
  TccEmit *t = e->k->e;
  const TccPull *p = e->p;
  LaneRange range = {0};
  if (e->lanes == 1 || e->lane_dim < 0) return false;
  e->iv[e->lane_dim] = tcc_emit_i64(t, 0);
  for (size_t i = 0; i < p->nodes.count; i++) {
    const TccPullNode *node = p->nodes.data[i], *term = NULL;
    if (node->kind == TCC_PULL_LOAD && node->argument >= 0) term = moved_term(e, &node->index);
    if (term) {
      TccPullBound bound = {.index = term->child[0]->index, .low = tcc_expr_const(p->ir->exprs, 0), .high = term->size};
      narrow_range(e, &bound, &range);
    }
    if (node->kind != TCC_PULL_GUARD || !is_padded_range(e, node)) continue;
    for (int b = 0; b < node->nbounds; b++) narrow_range(e, &node->bound[b], &range);
  }
  if (!range.low && !range.high) return false;
  *low = range.low ? range.low : tcc_emit_i64(t, 0);
  *end = range.high ? tcc_emit_sub(t, range.high, tcc_emit_i64(t, e->lanes - 1)) : tcc_emit_i64(t, INT32_MAX);
  if (range.all) *end = tcc_emit_select1(t, "i64", range.all, *end, *low);
  return true;
}

/* What the bounds of a guard leave. */
typedef struct {
  TccVal flags;    /* i1 lanes of bounds that are no range; 0: there are none */
  LaneRange range; /* the others */
  bool never;
} Inside;

static TccStatus *read_bounds(TccPullEmit *e, const TccPullNode *guard, Inside *out) {
  TccEmit *t = e->k->e;
  *out = (Inside){0};
  for (int b = 0; b < guard->nbounds; b++) {
    const TccPullBound *bound = &guard->bound[b];
    TccVal at;
    if (narrow_range(e, bound, &out->range)) continue;
    TCC_TRY(index_lanes(e, &bound->index, &at));
    for (int side = 0; side < 2; side++) {
      const TccExpr *limit = side ? bound->high : bound->low;
      if (!limit) continue;
      int64_t place, end;
      if (tcc_emit_known(t, at, &place) && tcc_expr_is_const(limit, &end)) { /* the parts of an index, one behind the other */
        out->never |= side ? place >= end : place < end;
        continue;
      }
      TccVal ok = tcc_emit_icmp(t, side ? "slt" : "sge", index_type(e), at, splat_index(e, tcc_kernel_size(e->k, limit)));
      out->flags = out->flags ? tcc_emit_bin(t, "and", flags_type(e), out->flags, ok) : ok;
    }
  }
  return NULL;
}

/* What is emitted under a guard is not valid outside of it: the values before, to be put back behind each part. */
typedef struct {
  TccVal *value, *single;
  size_t bytes;
} Saved;

static Saved save_values(const TccPullEmit *e) {
  Saved saved = {.bytes = sizeof *e->value * e->p->nodes.count};
  saved.value = tcc_arena_alloc(e->p->arena, 2 * saved.bytes + 1), saved.single = saved.value + e->p->nodes.count;
  memcpy(saved.value, e->value, saved.bytes);
  memcpy(saved.single, e->single, saved.bytes);
  return saved;
}

static void restore_values(TccPullEmit *e, const Saved *saved) {
  memcpy(e->value, saved->value, saved->bytes);
  memcpy(e->single, saved->single, saved->bytes);
}

/* One of the sides, for all lanes. */
static TccStatus *emit_guard_branch(TccPullEmit *e, const TccPullNode *node, TccVal inside, const char *type, TccVal *out) {
  TccEmit *t = e->k->e;
  Saved saved = save_values(e);
  TccIf branch;
  tcc_emit_if(t, &branch, inside, 1, &type);
  for (int side = 0; side < 2; side++) {
    TccVal value = tcc_emit_zero(t, type);
    if (node->child[side]) TCC_TRY(tcc_pull_emit_node(e, node->child[side], &value));
    restore_values(e, &saved);
    if (side) tcc_emit_end_if(t, &branch, &value);
    else tcc_emit_else(t, &branch, &value);
  }
  *out = branch.out[0];
  return NULL;
}

/* Both sides, each under a mask. */
static TccStatus *emit_guard_masked(TccPullEmit *e, const TccPullNode *node, TccVal inside, const char *type, TccVal *out) {
  TccEmit *t = e->k->e;
  const char *flags = flags_type(e);
  Saved saved = save_values(e);
  TccVal outer_mask = e->mask, values[2];
  bool outer_guarded = e->guarded;
  e->guarded = true;
  for (int side = 0; side < 2; side++) {
    values[side] = tcc_emit_zero(t, type);
    if (!node->child[side]) continue;
    TccVal here = side ? tcc_emit_bin(t, "xor", flags, inside, tcc_emit_int(t, flags, 1)) : inside;
    e->mask = outer_mask ? tcc_emit_bin(t, "and", flags, outer_mask, here) : here;
    TCC_TRY(tcc_pull_emit_node(e, node->child[side], &values[side]));
    memcpy(e->value, saved.value, saved.bytes);
  }
  e->mask = outer_mask;
  e->guarded = outer_guarded;
  *out = tcc_emit_select(t, type, inside, values[0], values[1]);
  return NULL;
}

/* A block that is not inside as a whole. Of a row that is outside nothing is read: rows above an image lie in front of its tensor, and a processor spends
 * hundreds of cycles on a page that is not there, though all lanes are off. */
static TccStatus *emit_padded_part(TccPullEmit *e, const TccPullNode *node, const LaneRange *range, const char *type, TccVal *out) {
  TccEmit *t = e->k->e;
  TccVal value, outside = tcc_emit_zero(t, type);
  TccIf row;
  if (!range->all) return emit_guard_masked(e, node, range_lanes(e, range), type, out);
  if (node->child[1]) TCC_TRY(tcc_pull_emit_node(e, node->child[1], &outside));
  Saved saved = save_values(e);
  LaneRange columns = {.low = range->low, .high = range->high ? range->high : tcc_emit_i64(t, e->lanes)};
  tcc_emit_if(t, &row, range->all, 1, &type);
  TCC_TRY(emit_guard_masked(e, node, range_lanes(e, &columns), type, &value));
  restore_values(e, &saved);
  tcc_emit_else(t, &row, &value);
  tcc_emit_end_if(t, &row, &outside);
  *out = row.out[0];
  return NULL;
}

static TccStatus *emit_padded(TccPullEmit *e, const TccPullNode *node, const LaneRange *range, const char *type, TccVal *out) {
  TccEmit *t = e->k->e;
  Saved saved = save_values(e);
  TccVal value;
  TccIf whole;
  tcc_emit_if(t, &whole, range_is_whole(e, range), 1, &type);
  TCC_TRY(tcc_pull_emit_node(e, node->child[0], &value));
  restore_values(e, &saved);
  tcc_emit_else(t, &whole, &value);
  TCC_TRY(emit_padded_part(e, node, range, type, &value));
  restore_values(e, &saved);
  tcc_emit_end_if(t, &whole, &value);
  *out = whole.out[0];
  return NULL;
}

static TccStatus *emit_guard(TccPullEmit *e, const TccPullNode *node, TccVal *out) {
  TccEmit *t = e->k->e;
  bool branches = is_branch(e, node);
  if (e->inside && is_padded_range(e, node)) return tcc_pull_emit_node(e, node->child[0], out);
  TccPullEmit one = one_lane(e), *bounds = branches ? &one : e;
  const char *type = tcc_emit_vector(t, tcc_scalar_type(node->elem), e->lanes);
  Inside inside;
  TCC_TRY(read_bounds(bounds, node, &inside));
  bool ranged = inside.range.low || inside.range.high || inside.range.all;
  if (inside.never || (!inside.flags && !ranged)) {
    const TccPullNode *taken = node->child[inside.never];
    *out = tcc_emit_zero(t, type);
    return taken ? tcc_pull_emit_node(e, taken, out) : NULL;
  }
  if (branches) return emit_guard_branch(e, node, inside.flags, type, out);
  if (!inside.flags && is_padding(e, node)) return emit_padded(e, node, &inside.range, type, out);
  TccVal lanes = ranged ? range_lanes(e, &inside.range) : 0;
  if (lanes && inside.flags) lanes = tcc_emit_bin(t, "and", flags_type(e), inside.flags, lanes);
  return emit_guard_masked(e, node, lanes ? lanes : inside.flags, type, out);
}

static TccStatus *emit_op(TccPullEmit *e, const TccPullNode *node, TccVal *out) {
  TccVal x[4] = {0};
  for (int i = 0; i < node->nchildren; i++)
    if (node->child[i]) TCC_TRY(tcc_pull_emit_node(e, node->child[i], &x[i]));
  if (mlirOperationIsNull(node->op)) {
    *out = tcc_scalar_convert(e->k->e, node->child[0]->elem, node->elem, e->lanes, x[0]);
    return NULL;
  }
  return tcc_scalar_op(e->k->e, e->k->ir, node->op, e->lanes, x, out);
}

TccStatus *tcc_pull_emit_node(TccPullEmit *e, const TccPullNode *node, TccVal *out) {
  *out = e->value[node->id];
  if (*out) return NULL;
  if (e->kept && e->kept(e->user, node, out)) {
    e->value[node->id] = *out;
    return NULL;
  }
  switch (node->kind) {
  case TCC_PULL_LOAD: TCC_TRY(emit_load(e, node, out)); break;
  case TCC_PULL_OP:
    TCC_TRY(tcc_pull_emit_table(e, node, out));
    if (!*out) TCC_TRY(emit_op(e, node, out));
    break;
  case TCC_PULL_INDEX: TCC_TRY(index_lanes(e, &node->index, out)); break;
  case TCC_PULL_GUARD: TCC_TRY(emit_guard(e, node, out)); break;
  case TCC_PULL_REDUCED: *out = e->reduced[node->id]; break;
  default: TCC_TRY(emit_index_op(e, node, out)); break;
  }
  e->value[node->id] = *out;
  return NULL;
}

TccStatus *tcc_pull_emit_store(TccPullEmit *e, int argument, TccElem elem, const TccPullIndex *flat, TccVal value) {
  TccEmit *t = e->k->e;
  if (tcc_elem_bits(elem) < 8) {
    if (!e->packs) return TCC_ERROR(TCC_UNSUPPORTED, "a result of element type %s", tcc_elem_name(elem));
    tcc_pull_emit_packed_store(e, tcc_kernel_argument(e->k, argument), elem, flat, value);
    return NULL;
  }
  const char *memory = tcc_scalar_memory_type(elem), *type = tcc_emit_vector(t, memory, e->lanes);
  TccVal p = tcc_kernel_argument(e->k, argument), base, step;
  int64_t known = -1;
  value = tcc_scalar_to_memory(t, elem, e->lanes, value);
  tcc_pull_emit_affine(e, flat, &base, &step);
  TccVal at = tcc_emit_gep(t, memory, p, base);
  bool is_known = tcc_emit_known(t, step, &known);
  if (e->lanes == 1 || (is_known && known == 0)) {
    tcc_emit_aligned_store(t, memory, tcc_emit_extract(t, type, value, 0), at, run_alignment(e, flat, elem));
  } else if (is_known && known == 1) {
    tcc_emit_masked_store(t, type, value, at, e->mask);
  } else {
    tcc_emit_store_steps(t, type, value, at, step, e->mask);
  }
  return NULL;
}

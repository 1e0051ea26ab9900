/* pull_nibbles.c - elements of 4 bits by whole vectors.
 *
 * Words of eight elements are loaded into all lanes that take from them, and each lane shifts its own down: no byte is moved
 * across lanes. What is computed from an element and constants (a conversion, a zero point) has sixteen values: they are
 * computed here, with the same operations in f32, and looked up by `vpermps`, which reads four bits of a lane and so needs
 * no mask. */
#include "lib/codegen/emit/pull_nibbles.h"
#include "tcc/op_kinds.h"

enum { PER_WORD = 8, VALUES = 16 };

static bool varies(const TccPullNode *node, int dim) {
  if (node->index.coef[dim]) return true;
  for (int i = 0; i < node->index.nterms; i++)
    if (varies(node->index.term[i].node, dim)) return true;
  for (int i = 0; i < node->nchildren; i++)
    if (node->child[i] && varies(node->child[i], dim)) return true;
  return node->kind == TCC_PULL_GUARD || node->kind == TCC_PULL_REDUCED;
}

bool tcc_pull_starts_bytes(const TccPull *p, const TccPullIndex *index, int lane_dim) {
  int64_t known;
  if (lane_dim < 0 || !tcc_expr_is_const(index->offset, &known) || known % 2) return false;
  for (int i = 0; i < index->nterms; i++) /* a matrix that an index names: the same for all lanes */
    if (!tcc_expr_is_const(index->term[i].scale, &known) || known % 2 || varies(index->term[i].node, lane_dim)) return false;
  for (int d = 0; d < p->ndims; d++)
    if (index->coef[d] && (!tcc_expr_is_const(index->coef[d], &known) || (d == lane_dim ? known != 1 : known % 2))) return false;
  return index->coef[lane_dim];
}

bool tcc_pull_is_dense(const TccPullEmit *e, const TccPullNode *load) {
  return e->dense && !e->mask && tcc_elem_bits(load->elem) == 4 && e->lanes % PER_WORD == 0 &&
         tcc_pull_starts_bytes(e->p, &load->index, e->lane_dim);
}

/* Where each lane's element begins in its word. */
static TccVal places(TccPullEmit *e, const char *wide) {
  TccEmit *t = e->k->e;
  TccVal of_word = tcc_emit_bin(t, "and", wide, tcc_emit_iota(t, "i32", e->lanes), tcc_emit_int(t, wide, PER_WORD - 1));
  return tcc_emit_bin(t, "shl", wide, of_word, tcc_emit_int(t, wide, 2));
}

/* In each lane the word that its element is in. */
static TccStatus *emit_words(TccPullEmit *e, const TccPullNode *load, TccVal p, const char *wide, TccVal *out) {
  TccEmit *t = e->k->e;
  TccVal base, step, lane = tcc_emit_iota(t, "i32", e->lanes), word = 0;
  TccPullEmit still = *e;
  int64_t moved = 0, coef;
  for (int d = 0; d < e->p->ndims; d++) /* behind the halving a displacement again */
    if (e->moved[d] && load->index.coef[d] && tcc_expr_is_const(load->index.coef[d], &coef)) moved += e->moved[d] * coef;
  memset(still.moved, 0, sizeof still.moved);
  TCC_TRY(tcc_pull_emit_shared_terms(&still, &load->index, &base, &step));
  p = tcc_emit_at(t, "i8", tcc_emit_gep(t, "i8", p, tcc_emit_div(t, base, tcc_emit_i64(t, 2))), moved / 2);
  for (int i = 0; i < e->lanes / PER_WORD; i++) {
    TccVal one = tcc_emit_splat(t, wide, tcc_emit_load(t, "i32", tcc_emit_at(t, "i8", p, i * PER_WORD / 2)));
    word = i ? tcc_emit_select(t, wide, tcc_emit_icmp(t, "slt", wide, lane, tcc_emit_int(t, wide, PER_WORD * i)), word, one) : one;
  }
  *out = word;
  return NULL;
}

TccStatus *tcc_pull_emit_dense(TccPullEmit *e, const TccPullNode *load, TccVal p, TccVal *out) {
  TccEmit *t = e->k->e;
  const char *wide = tcc_emit_vector(t, "i32", e->lanes);
  TccVal word, place = places(e, wide);
  TCC_TRY(emit_words(e, load, p, wide, &word));
  if (tcc_elem_is_signed(load->elem)) {
    TccVal top = tcc_emit_int(t, wide, 28);
    word = tcc_emit_bin(t, "ashr", wide, tcc_emit_bin(t, "shl", wide, word, tcc_emit_bin(t, "sub", wide, top, place)), top);
  } else {
    word = tcc_emit_bin(t, "and", wide, tcc_emit_bin(t, "lshr", wide, word, place), tcc_emit_int(t, wide, 15));
  }
  *out = tcc_emit_cast(t, "trunc", wide, tcc_emit_vector(t, "i8", e->lanes), word);
  return NULL;
}

static bool evaluate(const TccPullEmit *e, const TccPullNode *node, int digit, const TccPullNode **load, float *out);

/* Whether one value of the load is below another, 1 or 0. */
static bool compare(const TccPullEmit *e, const TccPullNode *node, int digit, const TccPullNode **load, float *out) {
  float a, b;
  if (node->kind != TCC_PULL_OP || mlirOperationIsNull(node->op) || tcc_op_kind(e->k->ir, node->op) != TCC_OP_COMPARE ||
      !tcc_str_is(tcc_string(e->k->ir, node->op, "predicate"), "lt"))
    return false;
  if (node->child[0]->elem != TCC_ELEM_F32 || !evaluate(e, node->child[0], digit, load, &a) ||
      !evaluate(e, node->child[1], digit, load, &b))
    return false;
  *out = a < b;
  return true;
}

/* The value of a node where its one load of 4 bits is `digit`; false: something else is in it. */
static bool evaluate(const TccPullEmit *e, const TccPullNode *node, int digit, const TccPullNode **load, float *out) {
  if (node->kind == TCC_PULL_LOAD && tcc_elem_bits(node->elem) == 4 && !tcc_elem_is_float(node->elem) && node->argument >= 0) {
    if (*load && *load != node) return false;
    *load = node;
    *out = (float)(tcc_elem_is_signed(node->elem) && digit >= VALUES / 2 ? digit - VALUES : digit);
    return true;
  }
  if (node->kind == TCC_PULL_OP && !mlirOperationIsNull(node->op) && tcc_op_kind(e->k->ir, node->op) == TCC_OP_SELECT) {
    float c, a, b;
    if (!compare(e, node->child[0], digit, load, &c) || !evaluate(e, node->child[1], digit, load, &a) ||
        !evaluate(e, node->child[2], digit, load, &b))
      return false;
    *out = c != 0 ? a : b;
    return true;
  }
  if (node->elem != TCC_ELEM_F32) return false;
  if (node->kind == TCC_PULL_LOAD && node->argument < 0 && node->count == 1) {
    memcpy(out, node->data, sizeof *out);
    return true;
  }
  if (node->kind != TCC_PULL_OP || mlirOperationIsNull(node->op)) return false;
  TccOpKind kind = tcc_op_kind(e->k->ir, node->op);
  float a, b = 0;
  bool binary = kind == TCC_OP_SUB || kind == TCC_OP_ADD || kind == TCC_OP_MUL;
  if ((!binary && kind != TCC_OP_CONVERT) || !evaluate(e, node->child[0], digit, load, &a)) return false;
  if (binary && !evaluate(e, node->child[1], digit, load, &b)) return false;
  *out = kind == TCC_OP_SUB ? a - b : kind == TCC_OP_ADD ? a + b : kind == TCC_OP_MUL ? a * b : a;
  return true;
}

/* The machine's look-up for so many lanes. In eight of them it costs more than a conversion and a sum, but less than comparisons. */
static TccVal (*look_up(const TccPullEmit *e, const TccPullNode *node))(TccEmit *, const float *, TccVal) {
  TccEmit *t = e->k->e;
  const TccScalarFunctions *own = tcc_scalar_functions(t, tcc_emit_vector(t, "f32", e->lanes));
  if (own) return own->lookup;
  bool compares = !mlirOperationIsNull(node->op) && tcc_op_kind(e->k->ir, node->op) == TCC_OP_SELECT;
  return t->functions && e->lanes == 8 && compares ? t->functions->lookup_eight : NULL;
}

TccStatus *tcc_pull_emit_table(TccPullEmit *e, const TccPullNode *node, TccVal *out) {
  TccEmit *t = e->k->e;
  *out = 0;
  const TccPullNode *load = NULL;
  float value[VALUES];
  TccVal (*lookup)(TccEmit *, const float *, TccVal) = look_up(e, node);
  if (!e->dense || !lookup) return NULL;
  for (int digit = 0; digit < VALUES; digit++)
    if (!evaluate(e, node, digit, &load, &value[digit])) return NULL;
  if (!load || !tcc_pull_is_dense(e, load)) return NULL;
  const char *wide = tcc_emit_vector(t, "i32", e->lanes);
  TccVal p = tcc_kernel_argument(e->k, load->argument), word;
  TCC_TRY(emit_words(e, load, p, wide, &word));
  *out = lookup(t, value, tcc_emit_bin(t, "lshr", wide, word, places(e, wide)));
  return NULL;
}

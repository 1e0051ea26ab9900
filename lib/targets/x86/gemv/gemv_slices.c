/* gemv_slices.c - numbers of a row as slices of a byte: what gemv_bytes.c and gemv_depth.c share.
 *
 * A group of numbers shares a power of two, which makes of them whole numbers below 2^23; each is three slices from -128 to 127.
 * So a number is rounded to half of 2^-22 of the largest of its group, which is why groups are small: 8 numbers, 16 at most but
 * where the operand has scales of longer blocks.
 * A group with infinities, NaN, or only numbers near the ends of the range of f32 is for the loop in f32. */
#include "lib/ir/dequantize.h"
#include "lib/targets/x86/gemv/gemv_internal.h"
#include "tcc/op_kinds.h"

enum { LINE = 64, LANES = 16, PLANES = 3 };
enum { SIGN = 0x7fffffff, LEAST = 28 << 23, MOST = (254 << 23) - 1, ROUND_UP = 1 << 17 }; /* of the bits of an f32 */

/* ---- which operands ---- */

static TccOpKind kind_of(const void *ir, const void *node) {
  const TccPullNode *n = node;
  if (n->kind != TCC_PULL_OP) return TCC_OP_UNKNOWN;
  return mlirOperationIsNull(n->op) ? TCC_OP_CONVERT : tcc_op_kind((TccIr *)ir, n->op);
}
static TccElem elem_of(const void *ir, const void *node) {
  (void)ir;
  return ((const TccPullNode *)node)->elem;
}
static const void *operand_of(const void *ir, const void *node, int i) {
  (void)ir;
  return ((const TccPullNode *)node)->child[i];
}
static TccOperandGraph graph_of(const TccGemv *g) { return (TccOperandGraph){g->read.product.ir, kind_of, elem_of, operand_of}; }

static bool is_load(const TccPullNode *q) { return q && q->kind == TCC_PULL_LOAD && !q->index.nterms; }

/* A zero point of all: a byte that is converted, or a constant that could be one. */
static bool is_zero_point(const TccGemv *g, const TccPullNode *node) {
  const TccOperandGraph graph = graph_of(g);
  const TccPullNode *load = tcc_stored_number(&graph, node);
  float value;
  if (!load && node->kind == TCC_PULL_LOAD && node->argument < 0 && node->count == 1 && node->elem == TCC_ELEM_F32) {
    memcpy(&value, node->data, sizeof value);
    return tcc_is_zero_point(value);
  }
  if (!is_load(load)) return false;
  for (int d = 0; d < g->read.pull.ndims; d++)
    if (load->index.coef[d]) return false;
  return true;
}

bool tcc_gemv_stored_numbers(TccGemv *g, const TccPullNode *node) {
  const TccOperandGraph graph = graph_of(g);
  const void *zero;
  const TccPullNode *w = tcc_stored_difference(&graph, node, &zero);
  int64_t known;
  if (node->elem != TCC_ELEM_F32 || !is_load(w) || (zero && !is_zero_point(g, zero))) return false;
  if (w->argument < 0 || !tcc_gemv_streams(g, w) || !tcc_expr_is_const(w->index.offset, &known)) return false;
  if (!tcc_expr_is_const(w->index.coef[g->read.depth_dim], &known) || !tcc_expr_is_const(w->index.coef[g->read.column_dim], &known))
    return false;
  g->form.bytes = w, g->form.zero_point = zero;
  return true;
}

void tcc_gemv_find_bytes(const TccMachine *machine, TccGemv *g) {
  if (!(machine->isa & TCC_ISA_AVX512_VNNI) || g->form.lanes != LANES) return;
  if (g->form.along_depth) tcc_gemv_find_depth(g);
  else if (g->read.block_dim < 0 && tcc_gemv_stored_numbers(g, g->form.weight) && tcc_elem_bits(g->form.bytes->elem) != 8)
    g->form.bytes = NULL;
}

/* ---- where ---- */

int64_t tcc_gemv_slices(const TccGemv *g) {
  return !g->form.bytes ? 0 : g->form.along_depth ? tcc_gemv_depth_slices(g) : tcc_gemv_tile_slices(g);
}

TccVal tcc_gemv_slices_at(TccEmit *e, const TccGemv *g, const TccGemvCall *call) {
  TccVal first = tcc_emit_at(e, "f32", call->rows, g->read.rows * g->plan.lda + 64);
  TccVal tile = g->plan.depths > 1 ? tcc_gemv_tile_at(e, g, call->begin) : tcc_emit_i64(e, 0);
  return tcc_emit_gep(e, "f32", first, tcc_emit_mul(e, tile, tcc_emit_i64(e, tcc_gemv_slices(g))));
}

void tcc_gemv_close_slices(TccEmit *e, TccVal head) {
  TccVal odd = tcc_emit_load(e, tcc_emit_vector(e, "i32", LANES), head);
  tcc_emit_store(e, "i32", tcc_scalar_fold(e, tcc_str("max"), TCC_ELEM_I32, LANES, odd), head);
}

/* ---- lanes ---- */

static TccVal word(TccEmit *e, int64_t value) { return tcc_emit_int(e, tcc_emit_vector(e, "i32", LANES), value); }
static TccVal op(TccEmit *e, const char *name, TccVal a, TccVal b) {
  return tcc_emit_bin(e, name, tcc_emit_vector(e, "i32", LANES), a, b);
}
static TccVal as(TccEmit *e, const char *from, const char *to, TccVal v) {
  return tcc_emit_cast(e, "bitcast", tcc_emit_vector(e, from, LANES), tcc_emit_vector(e, to, LANES), v);
}

TccVal tcc_gemv_dot(TccEmit *e, TccVal sum, TccVal unsigned_bytes, TccVal signed_bytes) {
  const char *words = tcc_emit_vector(e, "i32", LANES), *bytes = tcc_emit_vector(e, "i8", LINE);
  return tcc_emit_call_intrinsic(e, "llvm.x86.avx512.vpdpbusd.512", words, 3, (TccVal[]){sum, unsigned_bytes, signed_bytes},
                                 (const char *const[]){words, bytes, bytes});
}

TccVal tcc_gemv_larger(TccEmit *e, TccVal most, TccVal value) {
  TccVal both[] = {most, op(e, "and", as(e, "f32", "i32", value), word(e, SIGN))};
  return tcc_emit_intrinsic(e, "umax", tcc_emit_vector(e, "i32", LANES), 2, both); /* NaN is the largest */
}

TccVal tcc_gemv_scale(TccEmit *e, TccVal most, TccVal *scale, TccVal *back) {
  const char *i32 = tcc_emit_vector(e, "i32", LANES);
  /* 2^22 <= most * scale < 2^23, where slices end at 127.5 * 65536: the last 64th of a binade counts as the next one */
  TccVal exponent = op(e, "lshr", op(e, "add", most, word(e, ROUND_UP)), word(e, 23)), place = word(e, 23), none = word(e, 0);
  *scale = as(e, "i32", "f32", op(e, "shl", op(e, "sub", word(e, 127 + 149), exponent), place));
  *back = op(e, "shl", op(e, "sub", exponent, word(e, 22)), place);
  TccVal odd = tcc_emit_icmp(e, "ugt", i32, op(e, "sub", most, word(e, LEAST)), word(e, MOST - LEAST)),
         some = tcc_emit_icmp(e, "ne", i32, most, none);
  return tcc_emit_select(e, i32, odd, tcc_emit_select(e, i32, some, word(e, 1), none), none);
}

TccVal tcc_gemv_balanced(TccEmit *e, TccVal value, TccVal scale) {
  const char *f32 = tcc_emit_vector(e, "f32", LANES);
  TccVal scaled = tcc_emit_bin(e, "fmul", f32, value, scale), balance = word(e, 0x808080);
  TccVal whole = tcc_emit_cast(e, "fptosi", f32, tcc_emit_vector(e, "i32", LANES), tcc_emit_intrinsic(e, "rint", f32, 1, &scaled));
  return op(e, "xor", op(e, "add", whole, balance), balance);
}

TccVal tcc_gemv_joined(TccEmit *e, const TccVal *planes) {
  const char *i32 = tcc_emit_vector(e, "i32", LANES), *f32 = tcc_emit_vector(e, "f32", LANES);
  TccVal low = op(e, "add", op(e, "shl", planes[1], word(e, 8)), planes[0]);
  return tcc_emit_fma(e, f32, tcc_emit_cast(e, "sitofp", i32, f32, planes[2]), tcc_emit_float(e, f32, 65536),
                      tcc_emit_cast(e, "sitofp", i32, f32, low));
}

TccStatus *tcc_gemv_offset(TccKernelEmit *k, const TccGemv *g, TccVal *out) {
  TccEmit *e = k->e;
  *out = word(e, g->form.bytes->elem == TCC_ELEM_I8 ? -128 : g->form.bytes->elem == TCC_ELEM_I4 ? -8 : 0);
  if (!g->form.zero_point) return NULL;
  TccPullEmit pull;
  TccVal zero;
  tcc_pull_emit_init(&pull, k, &g->read.pull, LANES);
  TCC_TRY(tcc_pull_emit_node(&pull, g->form.zero_point, &zero));
  *out = op(e, "sub", *out, tcc_emit_cast(e, "fptosi", tcc_emit_vector(e, "f32", LANES), tcc_emit_vector(e, "i32", LANES), zero));
  return NULL;
}

/* ops_attention.c - scaled dot product attention: whole, with the logarithm of each row's sum, its backward pass, and with dropout.
 *
 * Where the scores themselves are asked for, they are products and exponentials in f32 at least: S = q k^T * scale + mask, L = ln sum e^S,
 * P = e^(S - L). Backward (Dao et al. 2022, FlashAttention, appendix B): dV = P^T dO, dS = P * (dO V^T - rowsum(dO * O)), dQ = dS K * scale,
 * dK = dS^T Q * scale. Of known sizes that is done for a block of rows after the other, so that no matrix of all scores is in memory; with
 * causal a block has the keys alone that its rows see. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

typedef struct {
  MlirValue q, k, v, mask; /* of four axes; mask may be null */
  ImportShape shape;       /* of q as it is given */
  TccElem wide;            /* of scores */
  double scale;
  bool causal;
  int64_t first; /* row of the whole that is the first one here */
} Attention;

/* Of fewer rows or more blocks the products would be too small to be fast. */
enum { BLOCK_ROWS = 128, MOST_BLOCKS = 16 };

/* As [batch, heads, rows, columns]: axes before the heads are one, a tensor without heads has one. */
static MlirValue four_axes(ImportCall *c, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *dims[4] = {import_size(c, 1), import_size(c, 1)};
  int rank = shape.rank;
  if (!x.ptr || rank == 4) return x;
  if (rank < 2) {
    import_invalid(c, "rank %d", rank);
    return (MlirValue){NULL};
  }
  if (rank == 3) dims[0] = shape.dims[0];
  if (rank > 4) dims[0] = import_product(c, shape.dims, rank - 3), dims[1] = shape.dims[rank - 3];
  dims[2] = shape.dims[rank - 2];
  dims[3] = shape.dims[rank - 1];
  return tcc_build_reshape(&c->b, x, 4, dims);
}

/* A mask that broadcasts to [leading, rows, keys] of q as one of four axes. */
static MlirValue mask_of(ImportCall *c, MlirValue mask, const ImportShape *q) {
  ImportShape shape = import_shape(c, mask);
  const TccExpr *dims[TCC_MAX_RANK];
  if (!mask.ptr) return mask;
  if (shape.elem != TCC_ELEM_BOOL) mask = tcc_build_convert(&c->b, mask, q->elem);
  if (shape.rank == 4 && q->rank == 4) return mask;
  if (shape.rank <= 2 || q->rank == 4) {
    for (int i = 0; i < 4; i++) dims[i] = i < 4 - shape.rank ? import_size(c, 1) : shape.dims[i - (4 - shape.rank)];
    return tcc_build_reshape(&c->b, mask, 4, dims);
  }
  for (int i = 0; i < q->rank - 2; i++) dims[i] = q->dims[i];
  dims[q->rank - 2] = shape.dims[shape.rank - 2];
  dims[q->rank - 1] = shape.dims[shape.rank - 1];
  return four_axes(c, tcc_build_broadcast(&c->b, mask, q->rank, dims));
}

static bool read_attention(ImportCall *c, Attention *a) {
  MlirValue q = torch_tensor(c, "query"), k = torch_tensor(c, "key"), v = torch_tensor(c, "value"),
            mask = torch_optional(c, "attn_mask");
  *a = (Attention){.shape = import_shape(c, q), .causal = torch_bool(c, "is_causal")};
  int64_t depth;
  if (c->reason || !q.ptr || !k.ptr || !v.ptr) return false;
  if (a->shape.rank < 2 || import_shape(c, v).rank != a->shape.rank)
    return import_invalid(c, "ranks %d and %d", a->shape.rank, import_shape(c, v).rank);
  if (!torch_given(c, "scale") && !import_fix_size(c, a->shape.dims[a->shape.rank - 1], &depth)) return false;
  a->scale = torch_given(c, "scale") ? torch_float(c, "scale") : 1 / sqrt((double)depth);
  a->wide = torch_wide(a->shape.elem);
  a->q = four_axes(c, q), a->k = four_axes(c, k), a->v = four_axes(c, v), a->mask = mask_of(c, mask, &a->shape);
  return !c->reason && a->q.ptr && a->k.ptr && a->v.ptr && (a->mask.ptr || !mask.ptr);
}

/* [batch, heads, rows, x's columns] with the axes in front of the heads that q has. */
static MlirValue as_given(ImportCall *c, MlirValue x, const Attention *a) {
  ImportShape to = a->shape;
  if (!x.ptr || to.rank == 4) return x;
  to.dims[to.rank - 2] = import_shape(c, x).dims[2];
  to.dims[to.rank - 1] = import_shape(c, x).dims[3];
  return tcc_build_reshape(&c->b, x, to.rank, to.dims);
}

static MlirValue whole(ImportCall *c, const Attention *a) {
  const TccExpr *offset = import_size(c, 0);
  TccNamedAttr attrs[] = {{"scale", tcc_attr_f64(c->ir, a->scale)},
                          {"zero_masked", tcc_attr_bool(c->ir, a->mask.ptr != NULL)},
                          {"causal", tcc_attr_bool(c->ir, a->causal)},
                          {"offset", tcc_attr_exprs(c->ir, &offset, 1)}};
  MlirValue operands[] = {a->q, a->k, a->v, a->mask};
  return import_op(c, TCC_OP_ATTENTION, operands, 4, attrs, a->causal ? 4 : 2);
}

/* ---- scores ---- */
static MlirValue transposed(ImportCall *c, MlirValue x) {
  static const int64_t swap[] = {0, 1, 3, 2};
  return x.ptr ? tcc_build_transpose(&c->b, x, swap) : x;
}

static MlirValue product(ImportCall *c, MlirValue x, MlirValue y) {
  MlirValue operands[] = {x, y};
  return x.ptr && y.ptr ? import_op(c, TCC_OP_MATMUL, operands, 2, NULL, 0) : (MlirValue){NULL};
}

static MlirValue widened(ImportCall *c, const Attention *a, MlirValue x) { return torch_convert(c, x, a->wide); }

/* Heads of keys and values, each as often as q has heads for it. */
static MlirValue per_head(ImportCall *c, const Attention *a, MlirValue x) {
  ImportShape s = import_shape(c, x);
  const TccExpr *heads = import_shape(c, a->q).dims[1];
  if (s.dims[1] == heads || import_is_size(s.dims[1], 1)) return x;
  const TccExpr *times = import_divide(c, heads, s.dims[1]);
  if (!times) return (MlirValue){NULL};
  const TccExpr *one[] = {s.dims[0], s.dims[1], import_size(c, 1), s.dims[2], s.dims[3]},
                *many[] = {s.dims[0], s.dims[1], times, s.dims[2], s.dims[3]}, *all[] = {s.dims[0], heads, s.dims[2], s.dims[3]};
  return tcc_build_reshape(&c->b, tcc_build_broadcast(&c->b, tcc_build_reshape(&c->b, x, 5, one), 5, many), 4, all);
}

static MlirValue places(ImportCall *c, const TccExpr *size, int axis) {
  const TccExpr *dims[] = {import_size(c, 1), import_size(c, 1)};
  dims[axis] = size;
  return tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, size), 2, dims);
}

static MlirValue scores(ImportCall *c, const Attention *a) {
  MlirValue k = per_head(c, a, a->k);
  MlirValue s = torch_times(c, product(c, widened(c, a, a->q), transposed(c, widened(c, a, k))), a->scale);
  bool flags = a->mask.ptr && tcc_value_elem(a->mask) == TCC_ELEM_BOOL;
  if (a->mask.ptr && !flags) s = torch_add(c, s, widened(c, a, a->mask));
  if (flags) s = torch_if_number(c, a->mask, s, -INFINITY);
  if (!a->causal || !s.ptr) return s;
  ImportShape shape = import_shape(c, s);
  MlirValue row = places(c, shape.dims[2], 0);
  if (a->first) row = torch_plus(c, row, (double)a->first);
  return row.ptr ? torch_if_number(c, tcc_build_compare(&c->b, "le", places(c, shape.dims[3], 1), row), s, -INFINITY) : row;
}

/* ln sum e^s of each row, [batch, heads, rows]; 0 as the greatest where there is none, so that a row that is all masked gives -inf. */
static MlirValue log_sums(ImportCall *c, MlirValue s) {
  static const int64_t last[] = {3};
  if (!s.ptr) return s;
  MlirValue most = tcc_build_reduce(&c->b, "max", s, last, 1, true);
  most = torch_if(c, torch_is(c, "eq", most, -INFINITY), torch_constant(c, tcc_value_elem(s), 0), most);
  MlirValue sum = torch_sum(c, tcc_build1(&c->b, TCC_OP_EXP, torch_sub(c, s, most)), last, 1, true);
  return tcc_build_squeeze(&c->b, torch_add(c, tcc_build1(&c->b, TCC_OP_LOG, sum), most), 3);
}

/* ---- blocks of rows ---- */
static MlirValue part(ImportCall *c, MlirValue x, int axis, int64_t from, int64_t count) {
  if (!x.ptr || import_is_size(import_shape(c, x).dims[axis], 1)) return x;
  return tcc_build_slice_axis(&c->b, x, axis, import_size(c, from), 1, import_size(c, count));
}

typedef struct {
  int64_t rows, keys, each, n; /* n: how many blocks; 1 where sizes are not known or few */
} Blocks;

static Blocks blocks_of(ImportCall *c, const Attention *a) {
  Blocks b = {.n = 1};
  if (!tcc_expr_is_const(import_shape(c, a->q).dims[2], &b.rows) || !tcc_expr_is_const(import_shape(c, a->k).dims[2], &b.keys))
    return b;
  b.each = b.rows > BLOCK_ROWS * MOST_BLOCKS ? (b.rows + MOST_BLOCKS - 1) / MOST_BLOCKS : BLOCK_ROWS;
  if (b.rows >= 2 * b.each) b.n = (b.rows + b.each - 1) / b.each;
  return b;
}

static int64_t block_rows(const Blocks *b, int64_t i) { return i == b->n - 1 ? b->rows - i * b->each : b->each; }

/* Keys that block i sees. */
static int64_t block_keys(const Blocks *b, const Attention *a, int64_t i) {
  int64_t end = i * b->each + block_rows(b, i);
  return a->causal && end < b->keys ? end : b->keys;
}

static Attention block_of(ImportCall *c, const Attention *a, const Blocks *b, int64_t i) {
  Attention block = *a;
  if (b->n == 1) return block;
  int64_t from = i * b->each, rows = block_rows(b, i), keys = block_keys(b, a, i);
  block.first = from;
  block.q = part(c, a->q, 2, from, rows);
  block.k = part(c, a->k, 2, 0, keys), block.v = part(c, a->v, 2, 0, keys);
  block.mask = part(c, part(c, a->mask, 2, from, rows), 3, 0, keys);
  return block;
}

static MlirValue all_log_sums(ImportCall *c, const Attention *a) {
  MlirValue parts[MOST_BLOCKS];
  Blocks b = blocks_of(c, a);
  for (int64_t i = 0; i < b.n; i++) {
    Attention block = block_of(c, a, &b, i);
    parts[i] = log_sums(c, scores(c, &block));
    if (!parts[i].ptr) return parts[i];
  }
  return b.n == 1 ? parts[0] : tcc_build_concat(&c->b, parts, (size_t)b.n, 2);
}

/* all + more, which has the first keys; all may be null. */
static MlirValue sum_of_keys(ImportCall *c, MlirValue all, MlirValue more, int64_t missing) {
  if (missing && more.ptr) {
    const TccExpr *zero = import_size(c, 0), *low[] = {zero, zero, zero, zero},
                  *high[] = {zero, zero, import_size(c, missing), zero};
    more = tcc_build_pad(&c->b, more, (MlirValue){NULL}, low, high, "constant");
  }
  return all.ptr && more.ptr ? torch_add(c, all, more) : more;
}

/* ---- handlers ---- */
/* The rows of scores as probabilities, some of them dropped; a row that is all masked is 0 where there is a mask. */
static MlirValue probabilities(ImportCall *c, const Attention *a) {
  MlirValue s = scores(c, a);
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 3)};
  MlirValue p = s.ptr ? import_op(c, TCC_OP_SOFTMAX, &s, 1, &axis, 1) : s;
  if (p.ptr && a->mask.ptr) p = torch_if(c, tcc_build1(&c->b, TCC_OP_IS_NAN, p), torch_constant(c, a->wide, 0), p);
  return p;
}

static MlirValue weighted(ImportCall *c, const Attention *a, MlirValue p) {
  return torch_convert(c, product(c, p, widened(c, a, per_head(c, a, a->v))), a->shape.elem);
}

bool torch_op_attention(ImportCall *c) {
  Attention a;
  double p = torch_float(c, "dropout_p");
  if (!read_attention(c, &a)) return false;
  if (p < 0 || p > 1) return import_invalid(c, "'dropout_p' is no probability");
  MlirValue y = p == 0 ? whole(c, &a) : weighted(c, &a, torch_dropout(c, probabilities(c, &a), p));
  return torch_output(c, 0, as_given(c, y, &a));
}

/* query, key, value: the result, and the logarithm of each row's sum of exponentials in f32 at least. */
bool torch_op_flash_attention(ImportCall *c) {
  Attention a;
  if (torch_float(c, "dropout_p") != 0) return import_unsupported(c, "dropout, which torch has not here either");
  if (!read_attention(c, &a)) return false;
  bool asked = torch_call(c)->noutputs > 1 && torch_call(c)->names[1].length;
  if (!torch_output(c, 0, as_given(c, whole(c, &a), &a))) return false;
  return !asked || torch_output(c, 1, torch_convert(c, all_log_sums(c, &a), torch_result(c, 1)));
}

/* Of heads that share their keys: the sum over them. */
static MlirValue shared(ImportCall *c, MlirValue gradient, MlirValue like) {
  static const int64_t group[] = {2};
  ImportShape g = import_shape(c, gradient), s = import_shape(c, like);
  if (!gradient.ptr || g.dims[1] == s.dims[1]) return gradient;
  const TccExpr *times = import_divide(c, g.dims[1], s.dims[1]);
  const TccExpr *many[] = {s.dims[0], s.dims[1], times, s.dims[2], s.dims[3]};
  return times ? torch_sum(c, tcc_build_reshape(&c->b, gradient, 5, many), group, 1, false) : (MlirValue){NULL};
}

/* Gradients of a block's queries, and what it adds to those of its keys and values; null where something failed. */
typedef struct {
  MlirValue q, k, v;
} Gradients;

/* gradient, out and sums: of the block's rows. */
static Gradients block_gradients(ImportCall *c, const Attention *a, MlirValue gradient, MlirValue out, MlirValue sums) {
  static const int64_t last[] = {3};
  MlirValue s = scores(c, a), q = widened(c, a, a->q), k = widened(c, a, per_head(c, a, a->k)),
            v = widened(c, a, per_head(c, a, a->v));
  if (!s.ptr || !k.ptr || !v.ptr) return (Gradients){{NULL}, {NULL}, {NULL}};
  MlirValue p = tcc_build1(&c->b, TCC_OP_EXP, torch_sub(c, s, sums));
  p = torch_if(c, torch_is(c, "eq", sums, -INFINITY), torch_constant(c, a->wide, 0), p);
  MlirValue delta = torch_sum(c, torch_mul(c, gradient, out), last, 1, true);
  MlirValue ds = torch_times(c, torch_mul(c, p, torch_sub(c, product(c, gradient, transposed(c, v)), delta)), a->scale);
  return (Gradients){product(c, ds, k), shared(c, product(c, transposed(c, ds), q), a->k),
                     shared(c, product(c, transposed(c, p), gradient), a->v)};
}

bool torch_op_flash_attention_backward(ImportCall *c) {
  Attention a;
  MlirValue given[] = {torch_tensor(c, "grad_out"), torch_tensor(c, "out"), torch_tensor(c, "logsumexp")}, parts[MOST_BLOCKS];
  if (torch_float(c, "dropout_p") != 0) return import_unsupported(c, "dropout, which torch has not here either");
  if (!read_attention(c, &a) || !given[0].ptr || !given[1].ptr || !given[2].ptr) return false;
  if (a.shape.rank != 4) return import_invalid(c, "rank %d", a.shape.rank);
  MlirValue gradient = widened(c, &a, given[0]), out = widened(c, &a, given[1]),
            sums = import_unsqueeze(c, widened(c, &a, given[2]), 3);
  Gradients all = {{NULL}, {NULL}, {NULL}};
  Blocks b = blocks_of(c, &a);
  if (!sums.ptr) return false;
  for (int64_t i = 0; i < b.n; i++) {
    Attention block = block_of(c, &a, &b, i);
    int64_t from = i * b.each, rows = b.n == 1 ? 0 : block_rows(&b, i), missing = b.n == 1 ? 0 : b.keys - block_keys(&b, &a, i);
    Gradients d = b.n == 1 ? block_gradients(c, &block, gradient, out, sums)
                           : block_gradients(c, &block, part(c, gradient, 2, from, rows), part(c, out, 2, from, rows),
                                             part(c, sums, 2, from, rows));
    parts[i] = d.q;
    if (!d.q.ptr || !d.k.ptr || !d.v.ptr) return false;
    all.k = sum_of_keys(c, all.k, d.k, missing), all.v = sum_of_keys(c, all.v, d.v, missing);
  }
  all.q = b.n == 1 ? parts[0] : tcc_build_concat(&c->b, parts, (size_t)b.n, 2);
  MlirValue r[] = {all.q, all.k, all.v};
  for (size_t i = 0; i < 3; i++)
    if (!r[i].ptr || !torch_output(c, i, torch_convert(c, r[i], a.shape.elem))) return false;
  return true;
}

/* The result, and the probabilities that it is made of. */
bool torch_op_attention_math(ImportCall *c) {
  Attention a;
  if (torch_float(c, "dropout_p") != 0 || torch_given(c, "dropout_mask")) return import_unsupported(c, "dropout");
  if (!read_attention(c, &a)) return false;
  MlirValue p = probabilities(c, &a);
  return p.ptr && torch_output(c, 0, as_given(c, weighted(c, &a, p), &a)) &&
         torch_output(c, 1, as_given(c, torch_convert(c, p, a.shape.elem), &a));
}

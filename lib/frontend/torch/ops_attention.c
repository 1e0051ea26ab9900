/* ops_attention.c - scaled dot product attention: whole, with the logarithm of each row's sum, its backward pass, and with dropout.
 *
 * torch has an overload for each of its kernels, which differ in what they give beside the result: for CUDA tensors sums of rows in the shape
 * that the kernel writes, and where random numbers began (docs/random.md). One handler makes all of them, another all of their gradients; what
 * the graph declares decides shapes.
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
  MlirValue factor; /* of q, which has it, where the scale is not known: 1 / sqrt(depth) in `wide`; null, or scale is 1 */
  bool causal;
  int64_t first;  /* row of the whole that is the first one here */
  double p;       /* the share of probabilities that are dropped */
  MlirValue kept; /* which are not, [batch, heads, rows, keys]; null where p is 0 */
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
            mask = torch_optional(c, torch_has_parameter(c, "attn_bias") ? "attn_bias" : "attn_mask");
  *a = (Attention){.shape = import_shape(c, q), .causal = torch_bool(c, "is_causal")};
  int64_t depth;
  if (c->reason || !q.ptr || !k.ptr || !v.ptr) return false;
  if (a->shape.rank < 2 || import_shape(c, v).rank != a->shape.rank)
    return import_invalid(c, "ranks %d and %d", a->shape.rank, import_shape(c, v).rank);
  const TccExpr *columns = a->shape.dims[a->shape.rank - 1];
  a->wide = torch_wide(a->shape.elem);
  a->scale = torch_given(c, "scale") ? torch_float(c, "scale") : 1;
  if (!torch_given(c, "scale") && torch_is_fixed(c, columns)) {
    if (!import_fix_size(c, columns, &depth)) return false;
    a->scale = 1 / sqrt((double)depth);
  } else if (!torch_given(c, "scale")) {
    a->factor = tcc_build1(&c->b, TCC_OP_RSQRT, torch_convert(c, tcc_build_size(&c->b, columns), a->wide));
    q = torch_convert(c, torch_mul(c, torch_convert(c, q, a->wide), a->factor), a->shape.elem);
  }
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

/* The logarithms of the sums that it divides by, [batch, heads, rows]. */
static MlirValue whole_log_sums(ImportCall *c, const Attention *a) {
  const TccExpr *offset = import_size(c, 0);
  TccNamedAttr attrs[] = {{"scale", tcc_attr_f64(c->ir, a->scale)},
                          {"causal", tcc_attr_bool(c->ir, a->causal)},
                          {"offset", tcc_attr_exprs(c->ir, &offset, 1)}};
  MlirValue operands[] = {a->q, a->k, a->mask};
  return import_op(c, TCC_OP_ATTENTION_LOGSUMEXP, operands, 3, attrs, a->causal ? 3 : 1);
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
  block.kept = part(c, part(c, a->kept, 2, from, rows), 3, 0, keys);
  return block;
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

/* ---- of one of torch's kernels ---- */
/* Where results lie of the row kind of aten.def; 0: there is none. */
typedef struct {
  size_t queries, numbers, debug; /* sizes of the longest sequences; seed and offset; what was dropped */
} Results;
static const Results results_of[] = {[ATTENTION_CPU] = {0}, [ATTENTION_EFFICIENT] = {.numbers = 2}, [ATTENTION_DENSE] = {4, 6, 8}};

/* Dropout: what stays is decided by a stream of random numbers, which a forward pass takes and its backward pass is told. */
static bool read_dropout(ImportCall *c, double *p) {
  *p = torch_float(c, "dropout_p");
  if (c->reason) return false;
  if (*p < 0 || *p > 1) return import_invalid(c, "'dropout_p' is no probability");
  if (*p != 0 && c->kind == ATTENTION_CPU) return import_unsupported(c, "dropout, which torch has not here either");
  if (c->importer->options->no_dropout) *p = 0;
  return true;
}

static bool drop(ImportCall *c, Attention *a, double p, ImportStream *stream) {
  const ImportShape q = import_shape(c, a->q), k = import_shape(c, a->k);
  const TccExpr *dims[] = {q.dims[0], q.dims[1], q.dims[2], k.dims[2]};
  a->p = p;
  a->kept = torch_kept(c, stream, p, 4, dims);
  return a->kept.ptr != NULL;
}

/* FlashAttention's causal rows see as many keys from the end as there are rows behind them; torch takes it where both are equal in number, so that
 * it is the same. It is the one whose overload has no bias. */
static bool is_square(ImportCall *c, const Attention *a) {
  return !a->causal || c->kind != ATTENTION_DENSE || torch_has_parameter(c, "attn_bias") ||
         import_require_equal(c, import_shape(c, a->q).dims[2], import_shape(c, a->k).dims[2], "rows and keys of causal attention");
}

static bool asked(ImportCall *c, size_t index) { return torch_call(c)->noutputs > index && torch_call(c)->names[index].length; }

/* A result that says nothing: zeros, as many as the graph says. */
static bool no_result(ImportCall *c, size_t index) {
  if (!asked(c, index)) return true;
  const ImportShape s = torch_declared(c, index);
  const TccElem elem = torch_result(c, index);
  return elem && torch_output(c, index, torch_filled(c, torch_constant(c, elem, 0), s.rank, s.dims));
}

/* Sums [batch, heads, rows] as declared: of as many more rows as a kernel writes at once, which are infinite, or with an axis behind. */
static bool sums_result(ImportCall *c, const Attention *a) {
  if (!asked(c, 1)) return true;
  const ImportShape to = torch_declared(c, 1);
  if (to.rank && import_is_size(to.dims[to.rank - 1], 0)) return no_result(c, 1);
  MlirValue sums = torch_convert(c, a->kept.ptr ? log_sums(c, scores(c, a)) : whole_log_sums(c, a), torch_result(c, 1));
  const ImportShape made = import_shape(c, sums);
  if (!sums.ptr) return false;
  if (to.rank == 4 || (to.rank == 3 && a->shape.rank != 4)) sums = tcc_build_reshape(&c->b, sums, to.rank, to.dims);
  else if (to.rank == 3 && to.dims[2] != made.dims[2] && c->kind == ATTENTION_EFFICIENT) {
    const TccExpr *zero = import_size(c, 0), *low[] = {zero, zero, zero},
                  *high[] = {zero, zero, import_size_sub(c, to.dims[2], made.dims[2])};
    sums = tcc_build_pad(&c->b, sums, torch_constant(c, made.elem, INFINITY), low, high, "constant");
  }
  return torch_output(c, 1, sums);
}

/* Seed and offset; both are one result [2] where the graph says so, and the one behind it says nothing. */
static bool numbers_result(ImportCall *c, size_t index, const ImportStream *stream) {
  if (!stream->seed.ptr) return no_result(c, index) && no_result(c, index + 1);
  const MlirValue numbers[] = {stream->seed, stream->offset};
  const bool pair = torch_declared(c, index).rank == 1;
  const TccExpr *one = import_size(c, 1);
  MlirValue parts[2];
  for (size_t i = 0; i < 2; i++) {
    if (!asked(c, index + i)) continue;
    MlirValue number = torch_convert(c, numbers[i], torch_result(c, index + i));
    if (!pair && !torch_output(c, index + i, number)) return false;
  }
  if (!pair || !asked(c, index)) return true;
  for (size_t i = 0; i < 2; i++) parts[i] = tcc_build_reshape(&c->b, torch_convert(c, numbers[i], torch_result(c, index)), 1, &one);
  return torch_output(c, index, tcc_build_concat(&c->b, parts, 2, 0)) && no_result(c, index + 1);
}

static bool size_result(ImportCall *c, size_t index, MlirValue x) {
  return torch_output_number(c, index, (TorchNumber){.kind = TORCH_INTEGER, .size = import_shape(c, x).dims[2]});
}

/* query, key, value: the result, the logarithm of each row's sum of exponentials in f32 at least, and what else the kind has. */
bool torch_op_fused_attention(ImportCall *c) {
  const Results at = results_of[c->kind];
  Attention a;
  ImportStream stream = {{NULL}, {NULL}};
  double p;
  if (!read_dropout(c, &p) || !read_attention(c, &a) || !is_square(c, &a)) return false;
  if (torch_has_parameter(c, "return_debug_mask") && torch_bool(c, "return_debug_mask"))
    return import_unsupported(c, "a debug mask");
  MlirValue y;
  if (p == 0) y = whole(c, &a);
  else {
    ImportStream words;
    if (!import_stream(c, &stream)) return false;
    words = stream;
    if (!drop(c, &a, p, &words)) return false;
    y = weighted(c, &a, torch_dropped(c, probabilities(c, &a), a.kept, p));
  }
  if (!torch_output(c, 0, as_given(c, y, &a)) || !sums_result(c, &a)) return false;
  if (at.numbers && !numbers_result(c, at.numbers, &stream)) return false;
  if (!at.queries) return true;
  for (size_t i = 2; i < at.queries; i++)
    if (!no_result(c, i)) return false;
  return size_result(c, at.queries, a.q) && size_result(c, at.queries + 1, a.k) && no_result(c, at.debug);
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

/* Gradients of a block's queries, and what it adds to those of its keys and values; null where something failed. scores: of all scores, as
 * they are added to. */
typedef struct {
  MlirValue q, k, v, scores;
} Gradients;

/* gradient, out and sums: of the block's rows. */
static Gradients block_gradients(ImportCall *c, const Attention *a, MlirValue gradient, MlirValue out, MlirValue sums) {
  static const int64_t last[] = {3};
  MlirValue s = scores(c, a), q = widened(c, a, a->q), k = widened(c, a, per_head(c, a, a->k)),
            v = widened(c, a, per_head(c, a, a->v));
  if (!s.ptr || !k.ptr || !v.ptr) return (Gradients){{NULL}, {NULL}, {NULL}, {NULL}};
  MlirValue p = tcc_build1(&c->b, TCC_OP_EXP, torch_sub(c, s, sums));
  p = torch_if(c, torch_is(c, "eq", sums, -INFINITY), torch_constant(c, a->wide, 0), p);
  MlirValue delta = torch_sum(c, torch_mul(c, gradient, out), last, 1, true), dp = product(c, gradient, transposed(c, v)), used = p;
  if (a->kept.ptr) used = torch_dropped(c, p, a->kept, a->p), dp = torch_dropped(c, dp, a->kept, a->p);
  MlirValue sum = torch_mul(c, p, torch_sub(c, dp, delta)), ds = torch_times(c, sum, a->scale);
  MlirValue dq = product(c, ds, k);
  if (a->factor.ptr) dq = torch_mul(c, dq, a->factor);
  return (Gradients){dq, shared(c, product(c, transposed(c, ds), q), a->k),
                     shared(c, product(c, transposed(c, used), gradient), a->v), sum};
}

/* Sums of a forward pass, as sums_result gives them: [batch, heads, rows, 1]. */
static MlirValue given_sums(ImportCall *c, const Attention *a, MlirValue sums) {
  const TccExpr *rows = import_shape(c, a->q).dims[2];
  const ImportShape shape = import_shape(c, sums);
  sums = widened(c, a, sums);
  if (!sums.ptr || shape.rank == 4) return sums;
  if (shape.rank == 3 && c->kind == ATTENTION_EFFICIENT && shape.dims[2] != rows)
    sums = tcc_build_slice_axis(&c->b, sums, 2, import_size(c, 0), 1, rows);
  return import_unsqueeze(c, sums, 3);
}

/* The stream that a forward pass took, as numbers_result gives it. */
static bool given_stream(ImportCall *c, ImportStream *out) {
  MlirValue seed = torch_tensor_as(c, "philox_seed", TCC_ELEM_I64), numbers[] = {seed, torch_tensor(c, "philox_offset")};
  if (import_shape(c, seed).rank == 1)
    for (int64_t i = 0; i < 2; i++)
      numbers[i] = tcc_build_reshape(&c->b, tcc_build_slice_axis(&c->b, seed, 0, import_size(c, i), 1, import_size(c, 1)), 0, NULL);
  *out = (ImportStream){numbers[0], torch_convert(c, numbers[1], TCC_ELEM_I64)};
  return out->seed.ptr && out->offset.ptr;
}

/* A gradient of all scores as one of a mask, whose axes of size 1 stand for many. */
static MlirValue of_mask(ImportCall *c, MlirValue gradient, MlirValue mask) {
  const ImportShape s = import_shape(c, gradient), m = import_shape(c, mask);
  int64_t axes[4];
  size_t n = 0;
  for (int i = 0; i < 4 && gradient.ptr; i++)
    if (m.dims[i] != s.dims[i] && import_is_size(m.dims[i], 1)) axes[n++] = i;
  return n ? torch_sum(c, gradient, axes, n, true) : gradient;
}

bool torch_op_fused_attention_backward(ImportCall *c) {
  Attention a;
  MlirValue given[] = {torch_tensor(c, torch_has_parameter(c, "grad_out_") ? "grad_out_" : "grad_out"), torch_tensor(c, "out"),
                       torch_tensor(c, "logsumexp")},
            parts[MOST_BLOCKS];
  const bool *wanted = NULL;
  size_t nwanted = 0;
  double p;
  if (!read_dropout(c, &p) || !read_attention(c, &a) || !given[0].ptr || !given[1].ptr || !given[2].ptr || !is_square(c, &a))
    return false;
  if (a.shape.rank != 4) return import_invalid(c, "rank %d", a.shape.rank);
  if (torch_has_parameter(c, "grad_input_mask") && (!torch_bools(c, "grad_input_mask", &wanted, &nwanted) || nwanted != 4))
    return import_invalid(c, "'grad_input_mask' has %zu entries", nwanted);
  if (p != 0) {
    ImportStream stream;
    if (!given_stream(c, &stream) || !drop(c, &a, p, &stream)) return false;
  }
  MlirValue gradient = widened(c, &a, given[0]), out = widened(c, &a, given[1]), sums = given_sums(c, &a, given[2]);
  Gradients all = {{NULL}, {NULL}, {NULL}, {NULL}};
  const bool of_scores = wanted && wanted[3] && a.mask.ptr; /* then they are in memory whatever is done */
  Blocks b = of_scores ? (Blocks){.n = 1} : blocks_of(c, &a);
  if (!sums.ptr) return false;
  for (int64_t i = 0; i < b.n; i++) {
    Attention block = block_of(c, &a, &b, i);
    int64_t from = i * b.each, rows = b.n == 1 ? 0 : block_rows(&b, i), missing = b.n == 1 ? 0 : b.keys - block_keys(&b, &a, i);
    Gradients d = b.n == 1 ? block_gradients(c, &block, gradient, out, sums)
                           : block_gradients(c, &block, part(c, gradient, 2, from, rows), part(c, out, 2, from, rows),
                                             part(c, sums, 2, from, rows));
    parts[i] = d.q, all.scores = d.scores;
    if (!d.q.ptr || !d.k.ptr || !d.v.ptr) return false;
    all.k = sum_of_keys(c, all.k, d.k, missing), all.v = sum_of_keys(c, all.v, d.v, missing);
  }
  all.q = b.n == 1 ? parts[0] : tcc_build_concat(&c->b, parts, (size_t)b.n, 2);
  MlirValue r[] = {all.q, all.k, all.v};
  for (size_t i = 0; i < 3; i++)
    if ((!wanted || wanted[i]) && (!r[i].ptr || !torch_output(c, i, torch_convert(c, r[i], a.shape.elem)))) return false;
  return !of_scores || torch_output(c, 3, torch_convert(c, of_mask(c, all.scores, a.mask), torch_result(c, 3)));
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

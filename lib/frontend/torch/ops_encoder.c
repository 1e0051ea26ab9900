/* ops_encoder.c - what torch's transformer modules call in place of their parts when no gradient is asked for: attention of several heads with
 * its projections, and a whole layer of an encoder. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

/* ---- attention of several heads ---- */
typedef struct {
  MlirValue qkv_weight, qkv_bias; /* [3 E, E], [3 E]: of queries, keys and values */
  MlirValue out_weight, out_bias;
  MlirValue mask; /* bool, true where nothing is read; null: none */
  int64_t width, heads;
} Heads;

static MlirValue linear(ImportCall *c, MlirValue x, MlirValue weight, MlirValue bias) {
  MlirValue operands[] = {x, weight, bias};
  TccNamedAttr transposed = {"transposed", tcc_attr_bool(c->ir, true)};
  return x.ptr && weight.ptr ? import_op(c, TCC_OP_LINEAR, operands, 3, &transposed, 1) : (MlirValue){NULL};
}

/* mask_type 0: [L, S]; 1: keys of padding, [B, S]; 2: [B, H, L, S]. As one of four axes. One of numbers, of which torch's modules make 0 and
 * -inf, is true where it is not 0, as in eager mode. */
static bool read_mask(ImportCall *c, MlirValue *out) {
  MlirValue mask = torch_optional(c, "mask");
  ImportShape s = import_shape(c, mask);
  int64_t type = torch_given(c, "mask_type") ? torch_int(c, "mask_type") : 2;
  const TccExpr *one = import_size(c, 1), *dims[] = {one, one, one, one};
  *out = mask;
  if (c->reason || !mask.ptr) return !c->reason;
  if (s.elem != TCC_ELEM_BOOL) *out = mask = torch_is(c, "ne", mask, 0);
  if (!mask.ptr) return false;
  if (s.rank == 4) return true;
  if (s.rank != 2) return import_invalid(c, "a mask of rank %d", s.rank);
  dims[type == 1 ? 0 : 2] = s.dims[0], dims[3] = s.dims[1];
  *out = tcc_build_reshape(&c->b, mask, 4, dims);
  return out->ptr != NULL;
}

static bool read_heads(ImportCall *c, const char *heads, Heads *out) {
  *out = (Heads){.qkv_weight = torch_tensor(c, "qkv_weight"),
                 .qkv_bias = torch_tensor(c, "qkv_bias"),
                 .out_weight = torch_tensor(c, "proj_weight"),
                 .out_bias = torch_tensor(c, "proj_bias"),
                 .width = torch_int(c, "embed_dim"),
                 .heads = torch_int(c, heads)};
  if (c->reason || !read_mask(c, &out->mask)) return false;
  if (out->heads < 1 || out->width < 1 || out->width % out->heads)
    return import_invalid(c, "%lld elements in %lld heads", (long long)out->width, (long long)out->heads);
  return true;
}

/* Part `index` of queries, keys and values, as [B, H, L, E / H]: of x's projections to all three, or of x by the part's own weight. */
static MlirValue part(ImportCall *c, const Heads *h, MlirValue x, bool projected, int64_t index) {
  static const int64_t perm[] = {0, 2, 1, 3};
  const TccExpr *start = import_size(c, index * h->width), *width = import_size(c, h->width);
  MlirValue y;
  if (projected) y = tcc_build_slice_axis(&c->b, x, 2, start, 1, width);
  else
    y = linear(c, x, tcc_build_slice_axis(&c->b, h->qkv_weight, 0, start, 1, width),
               tcc_build_slice_axis(&c->b, h->qkv_bias, 0, start, 1, width));
  ImportShape s = import_shape(c, y);
  if (!y.ptr) return y;
  const TccExpr *dims[] = {s.dims[0], s.dims[1], import_size(c, h->heads), import_size(c, h->width / h->heads)};
  return tcc_build_transpose(&c->b, tcc_build_reshape(&c->b, y, 4, dims), perm);
}

/* [B, H, L, D] as [B, L, E], projected. */
static MlirValue join(ImportCall *c, const Heads *h, MlirValue x) {
  static const int64_t perm[] = {0, 2, 1, 3};
  ImportShape s = import_shape(c, x);
  const TccExpr *dims[] = {s.dims[0], s.dims[2], import_size(c, h->width)};
  if (!x.ptr) return x;
  return linear(c, tcc_build_reshape(&c->b, tcc_build_transpose(&c->b, x, perm), 3, dims), h->out_weight, h->out_bias);
}

/* given[3]: query, key, value [B, L, E]. out_weights: what each query reads of each key, [B, H, L, S]; NULL: nobody asks. */
static MlirValue attend(ImportCall *c, const Heads *h, const MlirValue *given, MlirValue *out_weights) {
  static const int64_t swap[] = {0, 1, 3, 2};
  const bool same = mlirValueEqual(given[0], given[1]) && mlirValueEqual(given[0], given[2]);
  const double scale = 1 / sqrt((double)(h->width / h->heads));
  MlirValue all = same ? linear(c, given[0], h->qkv_weight, h->qkv_bias) : (MlirValue){NULL}, p[3], keep = h->mask;
  for (int i = 0; i < 3; i++) {
    p[i] = part(c, h, same ? all : given[i], same, i);
    if (!p[i].ptr) return p[i];
  }
  if (!out_weights) {
    if (keep.ptr) keep = tcc_build1(&c->b, TCC_OP_NOT, keep);
    MlirValue operands[] = {p[0], p[1], p[2], keep};
    TccNamedAttr attrs[] = {{"scale", tcc_attr_f64(c->ir, scale)}, {"zero_masked", tcc_attr_bool(c->ir, keep.ptr != NULL)}};
    return join(c, h, import_op(c, TCC_OP_ATTENTION, operands, 4, attrs, 2));
  }
  MlirValue scores = tcc_build2(&c->b, TCC_OP_MATMUL, torch_times(c, p[0], scale), tcc_build_transpose(&c->b, p[1], swap));
  if (keep.ptr && scores.ptr) scores = torch_if(c, keep, torch_constant(c, tcc_value_elem(scores), -INFINITY), scores);
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 3)};
  *out_weights = scores.ptr ? import_op(c, TCC_OP_SOFTMAX, &scores, 1, &axis, 1) : scores;
  return join(c, h, tcc_build2(&c->b, TCC_OP_MATMUL, *out_weights, p[2]));
}

/* Outputs: [B, L, E], and the weights [B, H, L, S] or their mean over the heads [B, L, S], where they are needed. */
bool torch_op_multi_head_attention(ImportCall *c) {
  static const int64_t head_axis = 1;
  MlirValue given[] = {torch_tensor(c, "query"), torch_tensor(c, "key"), torch_tensor(c, "value")}, weights = {NULL};
  const bool needed = torch_bool(c, "need_weights");
  Heads h;
  if (c->reason || !read_heads(c, "num_head", &h)) return false;
  for (int i = 0; i < 3; i++)
    if (import_shape(c, given[i]).rank != 3) return import_invalid(c, "an input of rank %d", import_shape(c, given[i]).rank);
  if (!torch_output(c, 0, attend(c, &h, given, needed ? &weights : NULL))) return false;
  if (!needed) return torch_output_lacks(c, 1, "weights of an attention that was told to give none");
  return torch_output(c, 1, torch_bool(c, "average_attn_weights") ? tcc_build_mean(&c->b, weights, &head_axis, 1, false) : weights);
}

/* ---- a layer of an encoder ---- */
static MlirValue norm(ImportCall *c, MlirValue x, const char *weight, const char *bias) {
  MlirValue operands[] = {x, torch_tensor(c, weight), torch_tensor(c, bias)};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 2)}, {"eps", tcc_attr_f64(c->ir, torch_float(c, "eps"))}};
  return x.ptr && !c->reason ? import_op(c, TCC_OP_LAYER_NORM, operands, 3, attrs, 2) : (MlirValue){NULL};
}

/* x + f(norm(x)) or norm(x + f(x)), of attention and then of two products with an activation between them. */
bool torch_op_encoder_layer(ImportCall *c) {
  MlirValue x = torch_tensor(c, "src");
  const bool first = torch_bool(c, "norm_first");
  Heads h;
  if (c->reason || !read_heads(c, "num_heads", &h)) return false;
  if (import_shape(c, x).rank != 3) return import_invalid(c, "an input of rank %d", import_shape(c, x).rank);
  MlirValue in = first ? norm(c, x, "norm_weight_1", "norm_bias_1") : x, given[] = {in, in, in};
  if (!in.ptr) return false;
  x = torch_add(c, x, attend(c, &h, given, NULL));
  if (!first) x = norm(c, x, "norm_weight_1", "norm_bias_1");
  in = first ? norm(c, x, "norm_weight_2", "norm_bias_2") : x;
  MlirValue y = linear(c, in, torch_tensor(c, "ffn_weight_1"), torch_tensor(c, "ffn_bias_1"));
  y = tcc_build1(&c->b, torch_bool(c, "use_gelu") ? TCC_OP_GELU : TCC_OP_RELU, y);
  x = torch_add(c, x, linear(c, y, torch_tensor(c, "ffn_weight_2"), torch_tensor(c, "ffn_bias_2")));
  return torch_output(c, 0, first ? x : norm(c, x, "norm_weight_2", "norm_bias_2"));
}

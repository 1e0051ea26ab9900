/* ops_moe.c - onnxruntime's mixtures of experts: MoE and QMoE, and the router MoEGroupRouter.
 *
 *   choice, weight = topk(router, k)                       of each token; softmax of all or of the chosen
 *   order          = tokens' choices sorted by expert      so that each expert's rows lie together
 *   h              = act(ragged_dot(x[order / k], W1^T) + b1[expert])
 *   y              = sum over a token's choices of weight * (ragged_dot(h, W2^T) + b2[expert])
 *
 * A product of groups of rows reads the matrices of experts that were chosen, as they are stored. Meanings are those of onnxruntime's
 * ContribOperators.md and, where that is silent, of its CPU kernels: MoE takes its weights from the softmax of all experts, and so does QMoE of 3
 * bits; else that of the chosen ones. Of experts with one probability the first is chosen. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <math.h>

enum { EXPERT_LAYERS = 3 };

/* Places of the inputs of one layer; SIZE_MAX: the operator has none. */
typedef struct {
  size_t weight, bias, scale, zero;
} Places;

typedef enum { ACT_RELU, ACT_GELU, ACT_SILU, ACT_IDENTITY, ACT_RELU2, ACT_SWIGLU, ACT_GEGLU } Activation;

typedef struct {
  MlirValue weight, bias; /* [E, K, N], [E, N] or null; weight null: there is no such layer */
} Layer;

typedef struct {
  bool quantised, of_chosen; /* whose softmax the weights are: of the chosen experts alone */
  Activation act;
  int64_t fusion; /* 1: gates and values alternate, 2: gates come first */
  double alpha, beta, limit;
  bool limits_result;
  int64_t experts, chosen, hidden, inter;
  const TccExpr *tokens, *pairs;
  TccElem elem;
  Layer layer[EXPERT_LAYERS];
} Experts;

static MlirValue none(void) { return (MlirValue){NULL}; }
static bool is_gated(const Experts *e) { return e->act == ACT_SWIGLU || e->act == ACT_GEGLU; }

/* ---- attributes and shapes ---- */

static bool read_activation(ImportCall *c, Experts *e) {
  static const char *const names[] = {"relu", "gelu", "silu", "identity", "relu2", "swiglu", "geglu"};
  TccStr name = onnx_string(c, "activation_type", "relu");
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!tcc_str_is(name, names[i])) continue;
    e->act = (Activation)i;
    e->fusion = is_gated(e) ? onnx_int(c, "swiglu_fusion", 0) : 0;
    if (e->fusion < 0 || e->fusion > 2) return import_invalid(c, "swiglu_fusion is %lld", (long long)e->fusion);
    return e->act != ACT_GEGLU || e->fusion || import_invalid(c, "geglu without swiglu_fusion");
  }
  return import_unsupported(c, "activation_type '%.*s'", TCC_STR_ARG(name));
}

static bool read_attributes(ImportCall *c, Experts *e) {
  if (!read_activation(c, e)) return false;
  e->chosen = onnx_int(c, "k", 1);
  e->alpha = onnx_float(c, "activation_alpha", 1), e->beta = onnx_float(c, "activation_beta", 0);
  e->limit = onnx_float(c, "swiglu_limit", INFINITY);
  e->limits_result = onnx_int(c, "swiglu_limit_after_activation", 0) != 0;
  if (isnan(e->limit) || e->limit < 0) return import_invalid(c, "swiglu_limit is %g", e->limit);
  if (onnx_int(c, "use_sparse_mixer", 0) && e->chosen != 2) return import_invalid(c, "use_sparse_mixer with a k that is not 2");
  return true;
}

static bool read_shapes(ImportCall *c, Experts *e, const Places *second) {
  ImportShape x = import_shape(c, import_input(c, 0)), router = import_shape(c, import_input(c, 1)),
              fc2 = import_shape(c, import_input(c, second->weight));
  if (x.rank != 2 && x.rank != 3) return import_invalid(c, "input of rank %d", x.rank);
  if (fc2.rank != 3 || !tcc_expr_is_const(fc2.dims[0], &e->experts) || e->experts < 1)
    return import_invalid(c, "fc2_experts_weights must be [experts, hidden, inter], of known sizes");
  if (!tcc_expr_is_const(x.dims[x.rank - 1], &e->hidden) || e->hidden < 1)
    return import_unsupported(c, "a hidden size that is not known");
  e->elem = x.elem;
  if (!tcc_elem_is_float(x.elem)) return import_invalid(c, "input of %s", tcc_elem_name(x.elem));
  e->tokens = import_product(c, x.dims, x.rank - 1);
  e->pairs = import_size_mul(c, e->tokens, import_size(c, e->chosen));
  const TccExpr *routed[] = {e->tokens, import_size(c, e->experts)};
  if (!import_require_shape(c, &router, 2, routed, "router_probs")) return false;
  return (e->chosen >= 1 && e->chosen <= e->experts) ||
         import_invalid(c, "k is %lld of %lld experts", (long long)e->chosen, (long long)e->experts);
}

/* ---- layers ---- */

static int64_t bits_of(ImportCall *c, int layer) {
  static const char *const names[] = {"fc1_expert_weight_bits", "fc2_expert_weight_bits", "fc3_expert_weight_bits"};
  return onnx_int(c, names[layer], onnx_int(c, "expert_weight_bits", 4));
}

/* Matrices [E, N, K]; a model may say that they are [E, K, N], but they lie in memory as the others do. N < 0: any number. */
static bool read_layer(ImportCall *c, Experts *e, int which, const Places *at, int64_t rows, int64_t depth) {
  static const char *const names[] = {"fc1_experts_weights", "fc2_experts_weights", "fc3_experts_weights"};
  ImportShape w = import_shape(c, import_input(c, at->weight));
  const int64_t bits = e->quantised ? bits_of(c, which) : 8;
  const int64_t packed = e->experts * rows * depth * bits / 8;
  int64_t count;
  const TccExpr *dims[] = {import_size(c, e->experts), import_size(c, rows), import_size(c, depth)};
  if (w.rank != 3 || !tcc_expr_is_const(import_product(c, w.dims, w.rank), &count) || count != packed ||
      !import_is_size(w.dims[0], e->experts) || depth * bits % 8)
    return import_invalid(c, "%s must be [%lld, %lld, %lld%s]", names[which], (long long)e->experts, (long long)rows,
                          (long long)(depth * bits / 8),
                          e->quantised ? "] of u8, packed along its last axis: [E, N, K * bits / 8" : "");
  MlirValue value;
  if (e->quantised) {
    OnnxBlockWeight blocks = {.packed = import_input(c, at->weight),
                              .scale = import_input(c, at->scale),
                              .zero = import_input(c, at->zero),
                              .bits = bits,
                              .block = onnx_int(c, "block_size", 0),
                              .matrices = e->experts,
                              .rows = rows,
                              .depth = depth};
    value = onnx_block_weight(c, &blocks, TCC_ELEM_F32);
  } else {
    if (w.elem != e->elem) return import_invalid(c, "%s are of %s", names[which], tcc_elem_name(w.elem));
    value = tcc_build_reshape(&c->b, import_input(c, at->weight), 3, dims);
  }
  ImportShape bias = import_shape(c, import_input(c, at->bias));
  if (import_has_input(c, at->bias) && !import_require_shape(c, &bias, 2, dims, "the bias of experts")) return false;
  e->layer[which] = (Layer){tcc_build_transpose(&c->b, value, (int64_t[]){0, 2, 1}), import_input(c, at->bias)};
  return e->layer[which].weight.ptr != NULL;
}

static bool read_layers(ImportCall *c, Experts *e, const Places *at) {
  ImportShape second = import_shape(c, import_input(c, at[1].weight));
  for (int i = 0; i < EXPERT_LAYERS && e->quantised; i++) {
    const int64_t own = bits_of(c, i);
    if (own != 2 && own != 3 && own != 4 && own != 8) return import_unsupported(c, "experts of %lld bits", (long long)own);
    if (own == 3) e->of_chosen = false;
  }
  int64_t bits = e->quantised ? bits_of(c, 1) : 8, count;
  if (!tcc_expr_is_const(import_size_mul(c, second.dims[1], second.dims[2]), &count) || count * 8 % (bits * e->hidden))
    return import_invalid(c, "fc2_experts_weights must be [experts, %lld, inter]", (long long)e->hidden);
  e->inter = count * 8 / (bits * e->hidden);
  bool third = import_has_input(c, at[2].weight);
  if (third && e->fusion) return import_invalid(c, "fc3_experts_weights with swiglu_fusion");
  if (!third && is_gated(e) && !e->fusion) return import_invalid(c, "swiglu without swiglu_fusion lacks fc3_experts_weights");
  if (!third && import_has_input(c, at[2].bias)) return import_invalid(c, "fc3_experts_bias without fc3_experts_weights");
  return read_layer(c, e, 0, &at[0], e->fusion ? 2 * e->inter : e->inter, e->hidden) &&
         read_layer(c, e, 1, &at[1], e->hidden, e->inter) && (!third || read_layer(c, e, 2, &at[2], e->inter, e->hidden));
}

/* ---- routing ---- */

typedef struct {
  MlirValue weight, expert; /* [tokens, k]: of each choice */
  MlirValue order, sorted;  /* [tokens * k]: choices by expert, and their experts */
  MlirValue ends;           /* [experts]: behind the last of each */
} Routing;

static MlirValue top(ImportCall *c, MlirValue x, const TccExpr *k, int64_t axis, bool largest, MlirValue *out_at) {
  TccNamedAttr attrs[] = {{"k", tcc_attr_exprs(c->ir, &k, 1)},
                          {"axis", tcc_attr_i64(c->ir, axis)},
                          {"largest", tcc_attr_bool(c->ir, largest)},
                          {"sorted", tcc_attr_bool(c->ir, true)}};
  MlirValue values = x.ptr ? import_op(c, TCC_OP_TOPK, &x, 1, attrs, 4) : x;
  *out_at = values.ptr ? mlirOperationGetResult(tcc_value_op(values), 1) : values;
  return values;
}

static MlirValue softmax(ImportCall *c, MlirValue x) {
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  return x.ptr ? import_op(c, TCC_OP_SOFTMAX, &x, 1, &axis, 1) : x;
}

static MlirValue normalised(ImportCall *c, MlirValue weights) {
  const int64_t last = 1;
  MlirValue sum = tcc_build_reduce(&c->b, "sum", weights, &last, 1, true), zero = tcc_build_scalar(&c->b, TCC_ELEM_F32, 0);
  MlirValue ratio = tcc_build2(&c->b, TCC_OP_DIV, weights, sum);
  return tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", sum, zero), zero, ratio);
}

static MlirValue gather_along(ImportCall *c, MlirValue x, MlirValue at) {
  MlirValue operands[] = {x, at};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  return x.ptr && at.ptr ? import_op(c, TCC_OP_GATHER_ELEMENTS, operands, 2, &axis, 1) : none();
}

/* Of one choice by sparse mixer (Phi-3.5-MoE): its share of a softmax of those that are within 2 % of it, and what is left for the next. */
static MlirValue sparse_choice(ImportCall *c, MlirValue *scores, MlirValue magnitude, const Experts *e, MlirValue *out_expert) {
  const double eps = 0.02;
  MlirValue lowest = tcc_build_scalar(&c->b, TCC_ELEM_F32, -INFINITY),
            most = top(c, *scores, import_size(c, 1), 1, true, out_expert);
  MlirValue apart =
      tcc_build2(&c->b, TCC_OP_DIV, tcc_build2(&c->b, TCC_OP_SUB, most, *scores), tcc_build2(&c->b, TCC_OP_MAX, magnitude, most));
  MlirValue far = tcc_build_compare(&c->b, "gt", apart, tcc_build_scalar(&c->b, TCC_ELEM_F32, eps));
  MlirValue weight = gather_along(c, softmax(c, tcc_build_select(&c->b, far, lowest, *scores)), *out_expert);
  const TccExpr *dims[] = {import_size(c, 1), import_size(c, e->experts)};
  MlirValue own = tcc_build_compare(&c->b, "eq", tcc_build_iota(&c->b, TCC_ELEM_I64, 1, 2, dims), *out_expert);
  *scores = tcc_build_select(&c->b, own, lowest, *scores);
  return weight;
}

static void choose_sparsely(ImportCall *c, MlirValue scores, const Experts *e, Routing *r) {
  MlirValue magnitude = tcc_build1(&c->b, TCC_OP_ABS, scores), weights[2], experts[2];
  for (int i = 0; i < 2; i++) weights[i] = sparse_choice(c, &scores, magnitude, e, &experts[i]);
  r->weight = tcc_build_concat(&c->b, weights, 2, 1);
  r->expert = tcc_build_concat(&c->b, experts, 2, 1);
}

/* weights: of all experts, in place of a softmax; SIZE_MAX or not there: none. */
static bool choose(ImportCall *c, const Experts *e, size_t weights, Routing *r) {
  MlirValue scores = tcc_build_convert(&c->b, import_input(c, 1), TCC_ELEM_F32);
  const TccExpr *k = import_size(c, e->chosen), *dims[] = {e->tokens, import_size(c, e->experts)};
  const bool normalises = onnx_int(c, "normalize_routing_weights", 0) != 0;
  if (onnx_int(c, "use_sparse_mixer", 0)) {
    choose_sparsely(c, scores, e, r);
  } else if (import_has_input(c, weights)) {
    ImportShape given = import_shape(c, import_input(c, weights));
    if (!import_require_shape(c, &given, 2, dims, "router_weights")) return false;
    (void)top(c, scores, k, 1, true, &r->expert);
    r->weight = gather_along(c, tcc_build_convert(&c->b, import_input(c, weights), TCC_ELEM_F32), r->expert);
    if (normalises) r->weight = normalised(c, r->weight);
  } else if (e->of_chosen) {
    r->weight = softmax(c, top(c, scores, k, 1, true, &r->expert));
  } else {
    r->weight = top(c, softmax(c, scores), k, 1, true, &r->expert);
    if (normalises) r->weight = normalised(c, r->weight);
  }
  return r->weight.ptr && r->expert.ptr;
}

static bool sort_by_expert(ImportCall *c, const Experts *e, Routing *r) {
  const TccExpr *one = import_size(c, 1), *row[] = {one, e->pairs}, *column[] = {import_size(c, e->experts), one};
  const int64_t along = 1;
  r->sorted = top(c, tcc_build_reshape(&c->b, r->expert, 1, &e->pairs), e->pairs, 0, false, &r->order);
  MlirValue before = tcc_build_compare(&c->b, "le", tcc_build_reshape(&c->b, r->sorted, 2, row),
                                       tcc_build_iota(&c->b, TCC_ELEM_I64, 0, 2, column));
  r->ends = tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, before, TCC_ELEM_I64), &along, 1, false);
  return r->ends.ptr != NULL;
}

/* ---- rows ---- */

/* Products with the matrices of a layer, plus its bias, in f32. */
static MlirValue layer_of(ImportCall *c, const Layer *layer, const Routing *r, MlirValue rows) {
  MlirValue operands[] = {tcc_build_convert(&c->b, rows, tcc_value_elem(layer->weight)), layer->weight, r->ends};
  TccNamedAttr attr = {"ragged", tcc_attr_str(c->ir, tcc_str("rows"))};
  if (!operands[0].ptr) return none();
  MlirValue y = tcc_build_convert(&c->b, import_op(c, TCC_OP_RAGGED_DOT, operands, 3, &attr, 1), TCC_ELEM_F32);
  if (!layer->bias.ptr) return y;
  MlirValue bias = tcc_build_gather(&c->b, layer->bias, r->sorted, 0);
  return tcc_build2(&c->b, TCC_OP_ADD, y, tcc_build_convert(&c->b, bias, TCC_ELEM_F32));
}

/* Half `index` of rows [P, 2 I]: alternating, or one behind the other. */
static MlirValue half_of(ImportCall *c, const Experts *e, MlirValue rows, int64_t index) {
  const TccExpr *one = import_size(c, 1), *start = import_size(c, index), *flat[] = {e->pairs, import_size(c, e->inter)},
                *pairs[] = {flat[0], flat[1], import_size(c, 2)};
  if (e->fusion == 2) return tcc_build_slice_axis(&c->b, rows, 1, import_size_mul(c, start, flat[1]), 1, flat[1]);
  rows = tcc_build_reshape(&c->b, rows, 3, pairs);
  return tcc_build_reshape(&c->b, tcc_build_slice_axis(&c->b, rows, 2, start, 1, one), 2, flat);
}

static MlirValue clamped(ImportCall *c, MlirValue x, double low, double high) {
  if (isinf(low) && isinf(high)) return x;
  MlirValue operands[] = {x, isinf(low) ? none() : tcc_build_scalar(&c->b, TCC_ELEM_F32, low),
                          tcc_build_scalar(&c->b, TCC_ELEM_F32, high)};
  return x.ptr ? import_op(c, TCC_OP_CLAMP, operands, 3, NULL, 0) : x;
}

static MlirValue gelu(ImportCall *c, MlirValue x) {
  TccNamedAttr attr = {"approximate", tcc_attr_str(c->ir, tcc_str("tanh"))};
  return x.ptr ? import_op(c, TCC_OP_GELU, &x, 1, &attr, 1) : x;
}

static MlirValue swish(ImportCall *c, MlirValue x, double alpha) {
  TccNamedAttr attr = {"alpha", tcc_attr_f64(c->ir, alpha)};
  return x.ptr ? import_op(c, TCC_OP_SWISH, &x, 1, &attr, 1) : x;
}

static MlirValue gated(ImportCall *c, const Experts *e, MlirValue gate, MlirValue value) {
  if (e->act == ACT_GEGLU) return tcc_build2(&c->b, TCC_OP_MUL, gelu(c, gate), value);
  if (!e->limits_result) gate = clamped(c, gate, -INFINITY, e->limit);
  gate = swish(c, gate, e->alpha);
  if (e->limits_result) gate = clamped(c, gate, -INFINITY, e->limit);
  value = clamped(c, value, -e->limit, e->limit);
  if (e->beta != 0) value = tcc_build2_number(&c->b, TCC_OP_ADD, value, e->beta);
  return tcc_build2(&c->b, TCC_OP_MUL, gate, value);
}

static MlirValue activated(ImportCall *c, const Experts *e, MlirValue x) {
  switch (e->act) {
  case ACT_RELU: return tcc_build1(&c->b, TCC_OP_RELU, x);
  case ACT_RELU2: x = tcc_build1(&c->b, TCC_OP_RELU, x); return tcc_build2(&c->b, TCC_OP_MUL, x, x);
  case ACT_GELU: return gelu(c, x);
  case ACT_SILU: return swish(c, x, 1);
  default: return x;
  }
}

static MlirValue between(ImportCall *c, const Experts *e, const Routing *r, MlirValue rows) {
  MlirValue first = layer_of(c, &e->layer[0], r, rows);
  if (e->fusion) return gated(c, e, half_of(c, e, first, 0), half_of(c, e, first, 1));
  if (!e->layer[2].weight.ptr) return activated(c, e, first);
  MlirValue third = layer_of(c, &e->layer[2], r, rows);
  return is_gated(e) ? gated(c, e, first, third) : tcc_build2(&c->b, TCC_OP_MUL, activated(c, e, first), third);
}

/* Row p of y is choice order[p]: the sum of a token's choices by their weights. */
static MlirValue put_together(ImportCall *c, const Experts *e, const Routing *r, MlirValue y) {
  const int64_t along = 1;
  const TccExpr *k = import_size(c, e->chosen), *choices[] = {e->tokens, k};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 0)};
  MlirValue count = tcc_build_iota(&c->b, TCC_ELEM_I64, 0, 1, &e->pairs), operands[] = {count, r->order, count};
  MlirValue place = count.ptr ? import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, &axis, 1) : count;
  y = tcc_build_gather(&c->b, y, tcc_build_reshape(&c->b, place, 2, choices), 0);
  y = tcc_build2(&c->b, TCC_OP_MUL, y, import_unsqueeze(c, r->weight, 2));
  return tcc_build_convert(&c->b, tcc_build_reduce(&c->b, "sum", y, &along, 1, false), e->elem);
}

static bool experts(ImportCall *c, const Places *places, size_t weights, bool quantised) {
  Experts e = {.quantised = quantised, .of_chosen = quantised};
  Routing r = {0};
  if (!import_need(c, places[0].weight + 1)) return false;
  if (!import_has_input(c, places[1].weight)) return import_invalid(c, "fc2_experts_weights is missing");
  if (!read_attributes(c, &e) || !read_shapes(c, &e, &places[1]) || !read_layers(c, &e, places)) return false;
  if (!choose(c, &e, weights, &r) || !sort_by_expert(c, &e, &r)) return false;
  ImportShape shape = import_shape(c, import_input(c, 0));
  const TccExpr *flat[] = {e.tokens, import_size(c, e.hidden)};
  MlirValue token = tcc_build2(&c->b, TCC_OP_DIV, r.order, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, e.chosen));
  MlirValue x = tcc_build_gather(&c->b, tcc_build_reshape(&c->b, import_input(c, 0), 2, flat), token, 0);
  MlirValue y = put_together(c, &e, &r, layer_of(c, &e.layer[1], &r, between(c, &e, &r, x)));
  return import_output(c, 0, tcc_build_reshape(&c->b, y, shape.rank, shape.dims));
}

/* input, router_probs, then weights and bias of three layers. */
bool onnx_op_moe(ImportCall *c) {
  static const Places places[] = {{2, 3, SIZE_MAX, SIZE_MAX}, {4, 5, SIZE_MAX, SIZE_MAX}, {6, 7, SIZE_MAX, SIZE_MAX}};
  return experts(c, places, SIZE_MAX, false);
}

/* input, router_probs, weights, scales and bias of three layers, zero points of these, router_weights, then what other kinds of numbers need. */
bool onnx_op_qmoe(ImportCall *c) {
  enum { ROUTER_WEIGHTS = 14, OTHERS };
  static const Places places[] = {{2, 4, 3, 11}, {5, 7, 6, 12}, {8, 10, 9, 13}};
  TccStr type = onnx_string(c, "quant_type", "int");
  if (!tcc_str_is(type, "int")) return import_unsupported(c, "quant_type '%.*s'", TCC_STR_ARG(type));
  if (onnx_int(c, "weights_prepacked", -1) == 1)
    return import_unsupported(c, "weights_prepacked: weights in a layout for one device");
  for (size_t i = OTHERS; i < c->ninputs; i++)
    if (import_has_input(c, i)) return import_invalid(c, "input %zu, with a quant_type of int", i);
  for (size_t i = 0; i < EXPERT_LAYERS; i++)
    if (import_has_input(c, places[i].weight) && !import_has_input(c, places[i].scale))
      return import_invalid(c, "fc%zu_experts_weights without scales", i + 1);
  return experts(c, places, ROUTER_WEIGHTS, true);
}

/* ---- a router that chooses groups of experts first (DeepSeek-V3) ---- */
typedef struct {
  int64_t groups, chosen_groups, of_group, chosen; /* of_group: so many experts of a group, the best ones, are its score */
  const TccExpr *tokens, *experts, *group;         /* group: experts of one */
} Router;

static bool read_router(ImportCall *c, Router *r) {
  MlirValue logits = import_input(c, 0), weights = import_input(c, 2);
  ImportShape x = import_shape(c, logits), bias = import_shape(c, import_input(c, 1)), w = import_shape(c, weights);
  *r = (Router){onnx_int(c, "n_group", 1), onnx_int(c, "topk_group", 1), onnx_int(c, "group_topk", 2), onnx_int(c, "top_k", 0)};
  if (r->groups < 1 || r->chosen_groups < 1 || r->of_group < 1 || r->chosen < 1 || r->chosen_groups > r->groups)
    return import_invalid(c, "top_k %lld, %lld of %lld groups by %lld experts", (long long)r->chosen, (long long)r->chosen_groups,
                          (long long)r->groups, (long long)r->of_group);
  if (x.rank < 2 || !tcc_elem_is_float(x.elem)) return import_invalid(c, "logits of rank %d, %s", x.rank, tcc_elem_name(x.elem));
  if (weights.ptr && (x.rank != 2 || w.rank != 2)) return import_invalid(c, "a projection of rank %d of rank %d", w.rank, x.rank);
  if (weights.ptr && !import_require_equal(c, x.dims[1], w.dims[1], "projection_weight")) return false;
  r->tokens = import_product(c, x.dims, x.rank - 1);
  r->experts = weights.ptr ? w.dims[0] : x.dims[x.rank - 1];
  return import_require_shape(c, &bias, 1, &r->experts, "expert_bias") &&
         import_require_at_most(c, import_size(c, r->chosen), r->experts, "top_k") &&
         (r->group = import_divide(c, r->experts, import_size(c, r->groups)));
}

/* Bools like x [N, M]: the k largest of each row, the first of equal ones. */
static MlirValue largest(ImportCall *c, MlirValue x, const TccExpr *k) {
  const TccExpr *dims[2] = {import_shape(c, x).dims[0], import_shape(c, x).dims[1]}, *found[] = {dims[0], k};
  MlirValue at, no = tcc_build_convert(&c->b, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0), TCC_ELEM_BOOL);
  if (!x.ptr || !top(c, x, k, 1, true, &at).ptr) return none();
  MlirValue put[] = {tcc_build_broadcast(&c->b, no, 2, dims), at,
                     tcc_build_broadcast(&c->b, tcc_build1(&c->b, TCC_OP_NOT, no), 2, found)};
  TccNamedAttr axis = {"axis", tcc_attr_i64(c->ir, 1)};
  return put[0].ptr && put[2].ptr ? import_op(c, TCC_OP_SCATTER_ELEMENTS, put, 3, &axis, 1) : none();
}

/* Bools [tokens, experts]: the experts of the best groups. */
static MlirValue in_groups(ImportCall *c, const Router *r, MlirValue scores) {
  const TccExpr *split[] = {r->tokens, import_size(c, r->groups), r->group}, *flat[] = {r->tokens, r->experts};
  const int64_t along = 2;
  MlirValue at, best = top(c, tcc_build_reshape(&c->b, scores, 3, split),
                           tcc_expr_call(c->ir->exprs, TCC_EXPR_MIN, import_size(c, r->of_group), r->group), 2, true, &at);
  best = largest(c, tcc_build_reduce(&c->b, "sum", best, &along, 1, false), import_size(c, r->chosen_groups));
  return tcc_build_reshape(&c->b, tcc_build_broadcast(&c->b, import_unsqueeze(c, best, 2), 3, split), 2, flat);
}

/* logits, a bias of each expert that only counts in the choice, maybe a projection [experts, width] of what stands for logits then: logarithms of
 * sigmoids, router_sentinel where an expert is not chosen; or, of one group, all sigmoids with their bias and without. */
bool onnx_op_moe_group_router(ImportCall *c) {
  Router r;
  const bool all = import_has_output(c, 1) || import_has_output(c, 2), projects = import_has_input(c, 2);
  if (!import_need(c, 2) || !read_router(c, &r)) return false;
  if (all && (!import_has_output(c, 1) || !import_has_output(c, 2) || import_has_output(c, 0)))
    return import_invalid(c, "selection_scores and router_weights must be asked for together, and router_probs not beside them");
  if (all && r.groups != 1) return import_invalid(c, "selection_scores of %lld groups", (long long)r.groups);
  if (projects && !all) return import_invalid(c, "projection_weight without selection_scores");
  const TccElem elem = tcc_value_elem(import_input(c, 0));
  const TccExpr *flat[] = {r.tokens, r.experts};
  const int64_t width = 1;
  MlirValue x = tcc_build_convert(&c->b, import_input(c, 0), TCC_ELEM_F32);
  x = projects ? tcc_build_dot_general(&c->b, x, tcc_build_convert(&c->b, import_input(c, 2), TCC_ELEM_F32), NULL, NULL, 0, &width,
                                       &width, 1)
               : tcc_build_reshape(&c->b, x, 2, flat);
  MlirValue weight = tcc_build1(&c->b, TCC_OP_SIGMOID, x), score = tcc_build2(&c->b, TCC_OP_ADD, weight, import_input(c, 1));
  if (all) return import_output(c, 1, score) && import_output(c, 2, weight);
  MlirValue within = none(), lowest = tcc_build_scalar(&c->b, TCC_ELEM_F32, -INFINITY);
  if (r.chosen_groups < r.groups) score = tcc_build_select(&c->b, within = in_groups(c, &r, score), score, lowest);
  MlirValue met = largest(c, score, import_size(c, r.chosen));
  if (within.ptr) met = tcc_build2(&c->b, TCC_OP_AND, met, within); /* the groups may have fewer experts than top_k */
  MlirValue least = tcc_build2_number(&c->b, TCC_OP_MAX, weight, 1e-20),
            sentinel = tcc_build_scalar(&c->b, TCC_ELEM_F32, onnx_float(c, "router_sentinel", -10000));
  MlirValue y = tcc_build_select(&c->b, met, tcc_build1(&c->b, TCC_OP_LOG, least), sentinel);
  return import_output(c, 0, tcc_build_convert(&c->b, y, elem));
}

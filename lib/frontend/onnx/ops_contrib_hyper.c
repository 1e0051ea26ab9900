/* ops_contrib_hyper.c - residual streams side by side (hyper-connections, Zhu et al. 2024), and the gate of n-gram memories (Engram).
 *
 * Streams are [..., C, H], or [..., C * H] where num_branches says how many they are. Meanings are those of onnxruntime's ContribOperators.md
 * and of its CPU kernels: arithmetic in f32, rounded to the tensors' type at the end. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"

static MlirValue none(void) { return (MlirValue){NULL}; }
static MlirValue wide(ImportCall *c, MlirValue x) { return tcc_build_convert(&c->b, x, TCC_ELEM_F32); }
static MlirValue times(ImportCall *c, MlirValue x, MlirValue y) { return tcc_build2(&c->b, TCC_OP_MUL, x, y); }

typedef struct {
  ImportShape given, grouped; /* grouped: [..., C, H] */
  int prefix;                 /* axes in front of C */
} Streams;

static bool read_streams(ImportCall *c, Streams *s) {
  const int64_t branches = onnx_int(c, "num_branches", 0);
  s->given = s->grouped = import_shape(c, import_input(c, 0));
  const int rank = s->given.rank;
  if (branches < 0 || rank < (branches ? 1 : 2) || rank >= TCC_MAX_RANK)
    return import_invalid(c, "%lld branches of an input of rank %d", (long long)branches, rank);
  s->prefix = branches ? rank - 1 : rank - 2;
  if (!branches) return true;
  const TccExpr *count = import_size(c, branches), *width = s->given.dims[rank - 1];
  s->grouped.rank = rank + 1;
  s->grouped.dims[rank - 1] = count;
  return (s->grouped.dims[rank] = import_divide(c, width, count)) != NULL;
}

/* x, as it is given, as [..., C, H] of f32. */
static MlirValue grouped(ImportCall *c, const Streams *s, MlirValue x) {
  return wide(c, tcc_build_reshape(&c->b, x, s->grouped.rank, s->grouped.dims));
}

/* Numbers of each stream, [..., C] or [..., C, 1], or of all of its elements, [..., C, H] (`flat`: also [..., C * H]), for [..., C, H]. */
static MlirValue stream_gate(ImportCall *c, const Streams *s, size_t input, bool flat, const char *what) {
  ImportShape gate = import_shape(c, import_input(c, input)), like = s->grouped;
  const int p = s->prefix;
  const TccExpr *one = import_size(c, 1), *branches = like.dims[p];
  if (!tcc_elem_is_float(gate.elem)) {
    import_invalid(c, "%s of %s", what, tcc_elem_name(gate.elem));
    return none();
  }
  const bool is_flat = flat && s->given.rank == p + 1 && gate.rank == p + 1 && !tcc_expr_known_equal(gate.dims[p], branches) &&
                       tcc_expr_known_equal(gate.dims[p], s->given.dims[p]);
  if (is_flat) return import_require_shape(c, &gate, p + 1, s->given.dims, what) ? grouped(c, s, import_input(c, input)) : none();
  const bool has_features = gate.rank == p + 2 && !import_is_size(gate.dims[p + 1], 1);
  if (!has_features) like.dims[p + 1] = one;
  if (!import_require_shape(c, &gate, gate.rank == p + 1 ? p + 1 : p + 2, like.dims, what)) return none();
  return wide(c, tcc_build_reshape(&c->b, import_input(c, input), p + 2, like.dims));
}

/* One tensor of the streams: their sum, each times its gate. */
bool onnx_op_hyper_pre_mix(ImportCall *c) {
  Streams s;
  if (!import_need(c, 2) || !read_streams(c, &s)) return false;
  const int64_t along = s.prefix;
  MlirValue gate = stream_gate(c, &s, 1, true, "pre_mix");
  MlirValue sum = tcc_build_reduce(&c->b, "sum", times(c, grouped(c, &s, import_input(c, 0)), gate), &along, 1, false);
  const double scale = onnx_float(c, "reduction_scale", 1);
  if (scale != 1) sum = tcc_build2_number(&c->b, TCC_OP_MUL, sum, scale);
  return import_output(c, 0, tcc_build_convert(&c->b, sum, s.given.elem));
}

/* streams, block_output [..., H], post_mix, maybe stream_mix [..., C, C]: stream k is the sum of all, each by its number in column k, or itself;
 * and block_output times its gate. */
bool onnx_op_hyper_post_mix(ImportCall *c) {
  Streams s;
  if (!import_need(c, 3) || !read_streams(c, &s)) return false;
  ImportShape block = import_shape(c, import_input(c, 1)), mix = import_shape(c, import_input(c, 3)), reduced = s.grouped,
              square = s.grouped;
  int64_t batch[TCC_MAX_RANK];
  const int64_t along = s.prefix;
  for (int64_t i = 0; i < along; i++) batch[i] = i;
  reduced.dims[along] = reduced.dims[along + 1];
  square.dims[along + 1] = square.dims[along];
  if (!import_require_shape(c, &block, s.prefix + 1, reduced.dims, "block_output")) return false;
  MlirValue x = grouped(c, &s, import_input(c, 0)), gate = stream_gate(c, &s, 2, false, "post_mix");
  if (import_has_input(c, 3)) {
    if (!import_require_shape(c, &mix, s.prefix + 2, square.dims, "stream_mix")) return false;
    x = tcc_build_dot_general(&c->b, wide(c, import_input(c, 3)), x, batch, batch, (size_t)along, &along, &along, 1);
  }
  MlirValue added = times(c, gate, tcc_build_unsqueeze(&c->b, wide(c, import_input(c, 1)), along));
  MlirValue y = tcc_build_reshape(&c->b, tcc_build2(&c->b, TCC_OP_ADD, x, added), s.given.rank, s.given.dims);
  return import_output(c, 0, tcc_build_convert(&c->b, y, s.given.elem));
}

/* sqrt(mean(x^2) + epsilon) along the last axis, which stays. */
static MlirValue root_mean_square(ImportCall *c, MlirValue x) {
  const int64_t last = import_shape(c, x).rank - 1;
  MlirValue mean = tcc_build_mean(&c->b, times(c, x, x), &last, 1, true);
  return tcc_build1(&c->b, TCC_OP_SQRT, tcc_build2_number(&c->b, TCC_OP_ADD, mean, onnx_float(c, "epsilon", 1e-5)));
}

/* RMS norms of the last axis of streams; scale [H], [C, H] or [C * H]. */
bool onnx_op_branchwise_rms_norm(ImportCall *c) {
  Streams s;
  if (!import_need(c, 1) || !read_streams(c, &s)) return false;
  MlirValue x = grouped(c, &s, import_input(c, 0)), scale = import_input(c, 1);
  ImportShape w = import_shape(c, scale);
  const TccExpr *const *sides = s.grouped.dims + s.prefix;
  MlirValue y = tcc_build2(&c->b, TCC_OP_DIV, x, root_mean_square(c, x));
  if (scale.ptr) {
    const bool of_last = w.rank == 1 && w.dims[0] == sides[1];
    y = times(c, y, wide(c, of_last ? scale : tcc_build_reshape(&c->b, scale, 2, sides)));
  }
  return import_output(c, 0, tcc_build_convert(&c->b, tcc_build_reshape(&c->b, y, s.given.rank, s.given.dims), s.given.elem));
}

/* key and query [B, S, C, H], value [B, S, H], scales of both norms and of that of the second output, [C, H]: value times
 * sigmoid(sign(d) sqrt(max(|d|, 1e-6))), where d is the product of the norms of key and query, divided by sqrt(H); and its norm. */
bool onnx_op_engram_gate(ImportCall *c) {
  static const char *const names[] = {"key", "query", "value", "key_norm_scale", "query_norm_scale", "conv_norm_scale"};
  if (!import_need(c, 5)) return false;
  ImportShape key = import_shape(c, import_input(c, 0));
  if (key.rank != 4 || !tcc_elem_is_float(key.elem))
    return import_invalid(c, "key of rank %d, %s", key.rank, tcc_elem_name(key.elem));
  const TccExpr *of_value[] = {key.dims[0], key.dims[1], key.dims[3]}, *const *of_scale = key.dims + 2;
  MlirValue in[6];
  for (size_t i = 0; i < 6; i++) {
    ImportShape shape = import_shape(c, import_input(c, i));
    if (import_has_input(c, i) && !import_require_shape(c, &shape,
                                                        i < 2    ? 4
                                                        : i == 2 ? 3
                                                                 : 2,
                                                        i < 2    ? key.dims
                                                        : i == 2 ? of_value
                                                                 : of_scale,
                                                        names[i]))
      return false;
    in[i] = import_has_input(c, i) ? wide(c, import_input(c, i)) : none();
  }
  const int64_t last = 3;
  MlirValue dot = times(c, times(c, in[0], in[3]), times(c, in[1], in[4])),
            width = tcc_build1(&c->b, TCC_OP_SQRT, wide(c, tcc_build_size(&c->b, key.dims[3])));
  dot = tcc_build_reduce(&c->b, "sum", dot, &last, 1, true);
  dot = tcc_build2(&c->b, TCC_OP_DIV, dot, times(c, root_mean_square(c, in[0]), root_mean_square(c, in[1])));
  dot = tcc_build2(&c->b, TCC_OP_DIV, dot, width);
  MlirValue size = tcc_build2_number(&c->b, TCC_OP_MAX, tcc_build1(&c->b, TCC_OP_ABS, dot), 1e-6);
  MlirValue gate = times(c, tcc_build1(&c->b, TCC_OP_SIGN, dot), tcc_build1(&c->b, TCC_OP_SQRT, size));
  MlirValue gated = times(c, tcc_build1(&c->b, TCC_OP_SIGMOID, gate), tcc_build_unsqueeze(&c->b, in[2], 2));
  MlirValue y = tcc_build_convert(&c->b, gated, key.elem);
  if (!import_output(c, 0, y) || !import_has_output(c, 1)) return y.ptr != NULL;
  if (!in[5].ptr) return import_invalid(c, "gated_value_normed is asked for without conv_norm_scale");
  y = times(c, tcc_build2(&c->b, TCC_OP_DIV, wide(c, y), root_mean_square(c, gated)), in[5]);
  return import_output(c, 1, tcc_build_convert(&c->b, y, key.elem));
}

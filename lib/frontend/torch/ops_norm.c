/* ops_norm.c - batch, group, instance and layer norms, what they save for their gradients, and the gradients.
 *
 * Statistics are computed in f32 at least, sums over a batch in f64. With xhat = (x - mean) * rstd and g = grad * weight, the gradient of
 * all of them over the elements that share a mean is rstd * (g - mean(g) - xhat * mean(g * xhat)).
 *
 * Where a weight is of a channel, all three gradients are made of two sums for each channel, of grad and of grad * (x - mean): a pass over both tensors makes
 * the sums, another one the gradient of x, and nothing else is as large as x. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

typedef struct {
  MlirValue mean, var, rstd; /* with axes of size 1 where they were reduced */
} Statistics;

static MlirValue mean_of(ImportCall *c, MlirValue x, const int64_t *axes, size_t n) {
  return n && x.ptr ? tcc_build_mean(&c->b, x, axes, n, true) : x;
}

/* A mean over a batch is of f64, as PyTorch's on a CPU: running statistics keep its error, and what a norm before has centred has one of nothing. */
static MlirValue batch_mean(ImportCall *c, MlirValue x, const int64_t *axes, size_t n) {
  return torch_convert(c, mean_of(c, torch_convert(c, x, TCC_ELEM_F64), axes, n), tcc_value_elem(x));
}

/* The sum of f64 over axes that stay as axes of size 1. */
static MlirValue batch_sum(ImportCall *c, MlirValue x, const int64_t *axes, size_t n) {
  x = torch_convert(c, x, TCC_ELEM_F64);
  return n && x.ptr ? torch_sum(c, x, axes, n, true) : x;
}

/* x / count, of f64, in another type. */
static MlirValue shared_by(ImportCall *c, MlirValue x, const TccExpr *count, TccElem elem) {
  int64_t number;
  const bool known = tcc_expr_is_const(count, &number);
  MlirValue n =
      known ? torch_constant(c, TCC_ELEM_F64, (double)number) : torch_convert(c, tcc_build_size(&c->b, count), TCC_ELEM_F64);
  return torch_convert(c, torch_div(c, x, n), elem);
}

typedef MlirValue Mean(ImportCall *c, MlirValue x, const int64_t *axes, size_t n);

static Statistics statistics(ImportCall *c, Mean *mean, MlirValue x, const int64_t *axes, size_t n, double eps) {
  Statistics s = {.mean = mean(c, x, axes, n)};
  MlirValue centred = torch_sub(c, x, s.mean);
  s.var = mean(c, torch_mul(c, centred, centred), axes, n);
  s.rstd = tcc_build1(&c->b, TCC_OP_RSQRT, torch_plus(c, s.var, eps));
  return s;
}

/* A weight or bias of the channels, as f32 at least; `otherwise` for None. */
static MlirValue channel_vector(ImportCall *c, const char *name, const TccExpr *channels, TccElem elem, double otherwise) {
  MlirValue v = torch_optional(c, name);
  return v.ptr ? torch_convert(c, v, elem) : torch_filled(c, torch_constant(c, elem, otherwise), 1, &channels);
}

/* ---- batch norm ---- */
static MlirValue batch_norm(ImportCall *c, MlirValue x, MlirValue mean, MlirValue var, double eps) {
  ImportShape shape = import_shape(c, x);
  MlirValue operands[] = {x, channel_vector(c, "weight", shape.dims[1], shape.elem, 1),
                          channel_vector(c, "bias", shape.dims[1], shape.elem, 0), torch_convert(c, mean, shape.elem),
                          torch_convert(c, var, shape.elem)};
  TccNamedAttr attr = {"eps", tcc_attr_f64(c->ir, eps)};
  for (int i = 0; i < 5; i++)
    if (!operands[i].ptr) return operands[i];
  return import_op(c, TCC_OP_BATCH_NORM, operands, 5, &attr, 1);
}

/* A running statistic in the type that the graph says, if it says one. */
static bool running_output(ImportCall *c, size_t index, MlirValue v) {
  TccElem elem = torch_declared(c, index).elem;
  return torch_output(c, index, elem ? torch_convert(c, v, elem) : v);
}

/* running * (1 - momentum) + current * momentum, in running's type */
static MlirValue blend(ImportCall *c, MlirValue running, MlirValue current, double momentum) {
  if (!running.ptr) return running;
  TccElem elem = tcc_value_elem(running);
  MlirValue y = torch_add(c, torch_times(c, torch_convert(c, running, torch_wide(elem)), 1 - momentum),
                          torch_times(c, torch_convert(c, current, torch_wide(elem)), momentum));
  return torch_convert(c, y, elem);
}

static MlirValue flat(ImportCall *c, MlirValue v, const TccExpr *channels) { return tcc_build_reshape(&c->b, v, 1, &channels); }

/* Whether what is saved in eval() are the running statistics: on a CPU they are nothing, [0], on a GPU those that were used. */
static bool saves_running(ImportCall *c) {
  if (c->kind == BATCH_NORM_PLAIN) return false;
  const ImportShape saved = torch_declared(c, 1);
  return saved.rank == 1 && !import_is_size(saved.dims[0], 0);
}

bool torch_op_batch_norm(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input"), mean = {NULL}, var = {NULL};
  ImportShape shape = import_shape(c, x);
  bool running = torch_has_parameter(c, "running_mean") && torch_given(c, "running_mean");
  const bool cudnn = c->kind == BATCH_NORM_CUDNN;
  bool updates = c->kind == BATCH_NORM_UPDATE || c->kind == BATCH_NORM_UPDATE_FUNCTIONAL,
       reserves = updates || cudnn || c->kind == BATCH_NORM_NO_UPDATE; /* results 3: memory of other back ends */
  int running_results = c->kind == BATCH_NORM_FUNCTIONAL ? 3 : c->kind == BATCH_NORM_UPDATE_FUNCTIONAL ? 4 : 0;
  bool training = updates || (torch_has_parameter(c, "training") && torch_bool(c, "training"));
  double eps = torch_float(c, cudnn ? "epsilon" : "eps");
  if (!x.ptr || c->reason) return false;
  if (shape.rank < 2) return import_invalid(c, "an input of rank %d", shape.rank);
  const TccExpr *channels = shape.dims[1], *nothing = import_size(c, 0);
  TccElem wide = torch_wide(shape.elem);
  MlirValue old_mean = running ? torch_tensor(c, "running_mean") : mean, old_var = running ? torch_tensor(c, "running_var") : var;
  MlirValue empty = torch_filled(c, torch_constant(c, wide, 0), 1, &nothing), save_mean = empty, save_rstd = empty;
  if (!training && !running) return import_invalid(c, "no statistics");
  x = torch_convert(c, x, wide);
  if (training) {
    int64_t axes[TCC_MAX_RANK], count;
    size_t n = torch_other_axes(shape.rank, 1, axes);
    Statistics s = statistics(c, batch_mean, x, axes, n, eps);
    mean = flat(c, s.mean, channels), var = flat(c, s.var, channels);
    save_mean = mean, save_rstd = flat(c, s.rstd, channels);
    if (running) { /* the running variance is the unbiased one */
      const TccExpr *elements = import_product(c, shape.dims + 2, shape.rank - 2);
      elements = import_size_mul(c, elements, shape.dims[0]);
      MlirValue unbiased;
      if (tcc_expr_is_const(elements, &count)) unbiased = torch_times(c, var, (double)count / (double)(count - 1));
      else {
        MlirValue number = torch_convert(c, tcc_build_size(&c->b, elements), wide);
        unbiased = torch_mul(c, var, torch_div(c, number, torch_plus(c, number, -1)));
      }
      double momentum = torch_float(c, cudnn ? "exponential_average_factor" : "momentum");
      MlirValue new_mean = blend(c, old_mean, mean, momentum), new_var = blend(c, old_var, unbiased, momentum);
      if (running_results) {
        if (!running_output(c, running_results, new_mean) || !running_output(c, running_results + 1, new_var)) return false;
      } else if (!torch_write(c, torch_storage(c, "running_mean"), new_mean) ||
                 !torch_write(c, torch_storage(c, "running_var"), new_var)) {
        return false;
      }
    }
  } else {
    mean = old_mean, var = old_var;
    if (saves_running(c)) {
      save_mean = torch_convert(c, mean, wide);
      save_rstd = tcc_build1(&c->b, TCC_OP_RSQRT, torch_plus(c, torch_convert(c, var, wide), eps));
    }
    if (running_results && (!running_output(c, running_results, mean) || !running_output(c, running_results + 1, var)))
      return false;
  }
  if (!torch_output(c, 0, torch_convert(c, batch_norm(c, x, mean, var, eps), shape.elem))) return false;
  if (c->kind == BATCH_NORM_PLAIN) return true;
  TccElem saved = torch_result(c, 1);
  if (reserves && !torch_output(c, 3, torch_filled(c, torch_constant(c, TCC_ELEM_U8, 0), 1, &nothing))) return false;
  return saved && torch_output(c, 1, torch_convert(c, save_mean, saved)) && torch_output(c, 2, torch_convert(c, save_rstd, saved));
}

/* native_batch_norm_backward; kind BATCH_NORM_UPDATE: batch_norm_backward, with other names; BATCH_NORM_CUDNN: cudnn_batch_norm_backward, which is
 * of training and gives all three. */
bool torch_op_batch_norm_backward(ImportCall *c) {
  static const bool all[] = {true, true, true};
  const bool cudnn = c->kind == BATCH_NORM_CUDNN;
  MlirValue grad = torch_tensor(c, cudnn ? "grad_output" : "grad_out"), x = torch_tensor(c, "input"), mean, rstd;
  ImportShape shape = import_shape(c, x);
  const bool *mask = all;
  size_t nmask = 3, n;
  int64_t axes[TCC_MAX_RANK];
  if (!grad.ptr || !x.ptr || (!cudnn && !torch_bools(c, "output_mask", &mask, &nmask)) || nmask != 3) return false;
  const bool update = c->kind == BATCH_NORM_UPDATE, train = cudnn || torch_bool(c, update ? "update" : "train");
  const char *saved = update || cudnn ? "save_var" : "save_invstd";
  TccElem wide = torch_wide(shape.elem);
  n = torch_other_axes(shape.rank, 1, axes);
  mean = torch_tensor(c, train ? "save_mean" : "running_mean"), rstd = torch_tensor(c, train ? saved : "running_var");
  if (!mean.ptr || !rstd.ptr) return false;
  TccElem stat = tcc_value_elem(mean);
  mean = torch_convert(c, mean, wide), rstd = torch_convert(c, rstd, wide);
  if (!train) rstd = tcc_build1(&c->b, TCC_OP_RSQRT, torch_plus(c, rstd, torch_float(c, "eps")));
  rstd = torch_channels(c, rstd, shape.rank);
  grad = torch_convert(c, grad, wide);
  MlirValue centred = torch_sub(c, torch_convert(c, x, wide), torch_channels(c, mean, shape.rank));
  MlirValue sum = batch_sum(c, grad, axes, n), dot = batch_sum(c, torch_mul(c, grad, centred), axes, n);
  MlirValue weight = torch_channels(c, channel_vector(c, "weight", shape.dims[1], wide, 1), shape.rank);
  const TccExpr *channels = shape.dims[1];
  if (mask[0]) { /* a weight is of a channel, so it comes last: what cancels is not rounded by it before */
    MlirValue inner = grad;
    if (train) {
      const TccExpr *count = import_size_mul(c, import_product(c, shape.dims + 2, shape.rank - 2), shape.dims[0]);
      MlirValue slope = torch_mul(c, torch_mul(c, shared_by(c, dot, count, wide), rstd), rstd);
      inner = torch_sub(c, torch_sub(c, grad, shared_by(c, sum, count, wide)), torch_mul(c, centred, slope));
    }
    if (!torch_output(c, 0, torch_convert(c, torch_mul(c, inner, torch_mul(c, rstd, weight)), shape.elem))) return false;
  }
  TccElem own = torch_given(c, "weight") ? tcc_value_elem(torch_tensor(c, "weight")) : stat;
  MlirValue of_weight = flat(c, torch_mul(c, torch_convert(c, dot, wide), rstd), channels);
  return (!mask[1] || torch_output(c, 1, torch_convert(c, of_weight, own))) &&
         (!mask[2] || torch_output(c, 2, torch_convert(c, flat(c, sum, channels), own)));
}

/* ---- instance and group norm ---- */
static bool norm_of_groups(ImportCall *c, MlirValue x, int64_t groups, double eps, MlirValue *out) {
  ImportShape shape = import_shape(c, x);
  if (!x.ptr) return false;
  if (shape.rank < 2) return import_invalid(c, "an input of rank %d", shape.rank);
  if (groups > 0 && !import_divide(c, shape.dims[1], import_size(c, groups))) return false;
  TccElem wide = torch_wide(shape.elem);
  MlirValue operands[] = {torch_convert(c, x, wide), channel_vector(c, "weight", shape.dims[1], wide, 1),
                          channel_vector(c, "bias", shape.dims[1], wide, 0)};
  TccNamedAttr attrs[] = {{"groups", tcc_attr_i64(c->ir, groups)}, {"eps", tcc_attr_f64(c->ir, eps)}};
  if (!operands[1].ptr || !operands[2].ptr) return false;
  *out = torch_convert(c, import_op(c, TCC_OP_GROUP_NORM, operands, 3, attrs, 2), shape.elem);
  return out->ptr != NULL;
}

bool torch_op_group_norm(ImportCall *c) {
  MlirValue y;
  return norm_of_groups(c, torch_tensor(c, "input"), torch_int(c, "num_groups"), torch_float(c, "eps"), &y) &&
         torch_output(c, 0, y);
}

/* Each channel of each image by itself, however many there are: of N C images of one channel. */
static MlirValue norm_of_images(ImportCall *c, MlirValue x, double eps) {
  ImportShape s = import_shape(c, x);
  const TccElem wide = torch_wide(s.elem);
  const TccExpr *dims[TCC_MAX_RANK] = {import_size_mul(c, s.dims[0], s.dims[1]), import_size(c, 1)}, **one = &dims[1];
  for (int i = 2; i < s.rank; i++) dims[i] = s.dims[i];
  MlirValue operands[] = {tcc_build_reshape(&c->b, torch_convert(c, x, wide), s.rank, dims),
                          torch_filled(c, torch_constant(c, wide, 1), 1, one), torch_filled(c, torch_constant(c, wide, 0), 1, one)};
  TccNamedAttr attrs[] = {{"groups", tcc_attr_i64(c->ir, 1)}, {"eps", tcc_attr_f64(c->ir, eps)}};
  if (!operands[0].ptr) return operands[0];
  MlirValue y = tcc_build_reshape(&c->b, import_op(c, TCC_OP_GROUP_NORM, operands, 3, attrs, 2), s.rank, s.dims);
  y = torch_mul(c, y, torch_channels(c, channel_vector(c, "weight", s.dims[1], wide, 1), s.rank));
  y = torch_add(c, y, torch_channels(c, channel_vector(c, "bias", s.dims[1], wide, 0), s.rank));
  return torch_convert(c, y, s.elem);
}

bool torch_op_instance_norm(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input"), y;
  ImportShape shape = import_shape(c, x);
  int64_t channels;
  if (!x.ptr) return false;
  if (shape.rank < 2) return import_invalid(c, "an input of rank %d", shape.rank);
  if (!torch_bool(c, "use_input_stats")) {
    MlirValue wide = torch_convert(c, x, torch_wide(shape.elem));
    y = batch_norm(c, wide, torch_tensor(c, "running_mean"), torch_tensor(c, "running_var"), torch_float(c, "eps"));
    return torch_output(c, 0, torch_convert(c, y, shape.elem));
  }
  if (torch_given(c, "running_mean")) return import_unsupported(c, "running statistics that are written");
  const double eps = torch_float(c, "eps");
  if (!tcc_expr_is_const(shape.dims[1], &channels)) return torch_output(c, 0, norm_of_images(c, x, eps));
  return norm_of_groups(c, x, channels, eps, &y) && torch_output(c, 0, y);
}

/* x [N, C, ...] as [N, G, C / G, ...] with `axes` behind the channels. */
static MlirValue as_groups(ImportCall *c, MlirValue x, int64_t groups, int axes, const TccExpr *const *behind) {
  ImportShape s = import_shape(c, x);
  if (!x.ptr || s.rank < 2) return (MlirValue){NULL};
  if (axes + 3 > TCC_MAX_RANK) {
    import_unsupported(c, "rank %d", s.rank);
    return (MlirValue){NULL};
  }
  const TccExpr *each = import_divide(c, s.dims[1], import_size(c, groups)), *dims[TCC_MAX_RANK];
  if (!each) return (MlirValue){NULL};
  dims[0] = s.dims[0], dims[1] = import_size(c, groups), dims[2] = each;
  for (int i = 0; i < axes; i++) dims[3 + i] = behind[i];
  return tcc_build_reshape(&c->b, x, 3 + axes, dims);
}

/* Result, mean [N, G], rstd [N, G]. Statistics are over the axes of the norm's expansion, which computes them, too. */
bool torch_op_native_group_norm(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input"), y;
  ImportShape shape = import_shape(c, x);
  int64_t groups = torch_int(c, "group"), axes[TCC_MAX_RANK];
  double eps = torch_float(c, "eps");
  if (!x.ptr || c->reason || !norm_of_groups(c, x, groups, eps, &y) || !torch_output(c, 0, y)) return false;
  TccElem elem = tcc_value_elem(x);
  const TccExpr *per_group[] = {shape.dims[0], import_size(c, groups)};
  size_t n = 0;
  for (int i = 2; i <= shape.rank; i++) axes[n++] = i;
  MlirValue whole = as_groups(c, torch_convert(c, x, torch_wide(elem)), groups, shape.rank - 2, shape.dims + 2);
  Statistics s = statistics(c, mean_of, whole, axes, n, eps);
  return torch_output(c, 1, torch_convert(c, tcc_build_reshape(&c->b, s.mean, 2, per_group), torch_result(c, 1))) &&
         torch_output(c, 2, torch_convert(c, tcc_build_reshape(&c->b, s.rstd, 2, per_group), torch_result(c, 2)));
}

/* The sum over a batch of what has a number for each image and channel: [N, G, C / G, 1] to [C]. */
static MlirValue of_channels(ImportCall *c, MlirValue x, const TccExpr *channels) {
  static const int64_t batch = 0;
  return x.ptr ? flat(c, torch_sum(c, x, &batch, 1, false), channels) : x;
}

bool torch_op_native_group_norm_backward(ImportCall *c) {
  static const int64_t inside = 2, along = 3;
  MlirValue grad = torch_tensor(c, "grad_out"), x = torch_tensor(c, "input"), mean = torch_tensor(c, "mean"),
            rstd = torch_tensor(c, "rstd");
  ImportShape shape = import_shape(c, x);
  int64_t groups = torch_int(c, "group");
  const bool *mask;
  size_t nmask;
  if (!grad.ptr || !x.ptr || !mean.ptr || !rstd.ptr || !torch_bools(c, "output_mask", &mask, &nmask) || nmask != 3) return false;
  TccElem wide = torch_wide(shape.elem);
  const TccExpr *image = import_product(c, shape.dims + 2, shape.rank - 2), *one = import_size(c, 1),
                *each = shape.rank < 2 ? NULL : import_divide(c, shape.dims[1], import_size(c, groups));
  if (!each) return false;
  const TccExpr *per_group[] = {shape.dims[0], import_size(c, groups), one, one}, *of_group[] = {import_size(c, groups), each, one};
  mean = tcc_build_reshape(&c->b, torch_convert(c, mean, wide), 4, per_group);
  rstd = tcc_build_reshape(&c->b, torch_convert(c, rstd, wide), 4, per_group);
  MlirValue g = as_groups(c, torch_convert(c, grad, wide), groups, 1, &image);
  MlirValue centred = torch_sub(c, as_groups(c, torch_convert(c, x, wide), groups, 1, &image), mean);
  MlirValue sum = batch_sum(c, g, &along, 1), dot = batch_sum(c, torch_mul(c, g, centred), &along, 1);
  MlirValue weight = tcc_build_reshape(&c->b, channel_vector(c, "weight", shape.dims[1], wide, 1), 3, of_group);
  if (mask[0]) {
    const TccExpr *count = import_size_mul(c, each, image);
    MlirValue by = torch_convert(c, weight, TCC_ELEM_F64);
    MlirValue shift = shared_by(c, batch_sum(c, torch_mul(c, sum, by), &inside, 1), count, wide),
              slope = shared_by(c, batch_sum(c, torch_mul(c, dot, by), &inside, 1), count, wide);
    slope = torch_mul(c, torch_mul(c, slope, rstd), rstd);
    MlirValue dx = torch_sub(c, torch_sub(c, torch_mul(c, g, weight), shift), torch_mul(c, centred, slope));
    dx = tcc_build_reshape(&c->b, torch_mul(c, dx, rstd), shape.rank, shape.dims);
    if (!torch_output(c, 0, torch_convert(c, dx, shape.elem))) return false;
  }
  MlirValue of_weight = of_channels(c, torch_mul(c, dot, torch_convert(c, rstd, TCC_ELEM_F64)), shape.dims[1]);
  return (!mask[1] || torch_output(c, 1, torch_convert(c, of_weight, torch_result(c, 1)))) &&
         (!mask[2] || torch_output(c, 2, torch_convert(c, of_channels(c, sum, shape.dims[1]), torch_result(c, 2))));
}

/* ---- layer norm ---- */
static bool normalized_axes(ImportCall *c, const ImportShape *x, int64_t *axes, size_t *naxes) {
  const TccExpr *const *sizes;
  size_t n;
  if (!torch_sizes(c, "normalized_shape", &sizes, &n)) return false;
  if (n < 1 || n > (size_t)x->rank) return import_invalid(c, "normalized_shape has %zu entries", n);
  for (size_t i = 0; i < n; i++) axes[i] = x->rank - (int64_t)n + (int64_t)i;
  *naxes = n;
  return true;
}

/* Result, mean, rstd; of _fused_rms_norm (kind 1) result and rstd. */
bool torch_op_native_layer_norm(ImportCall *c) {
  MlirValue x = torch_tensor(c, "input");
  ImportShape shape = import_shape(c, x);
  int64_t axes[TCC_MAX_RANK];
  size_t n;
  if (!x.ptr || !normalized_axes(c, &shape, axes, &n)) return false;
  bool rms = c->kind == 1;
  TccElem wide = torch_wide(shape.elem);
  double least = shape.elem == TCC_ELEM_F64 ? 0x1p-52 : 0x1p-23, eps = torch_given(c, "eps") ? torch_float(c, "eps") : least;
  MlirValue w = torch_optional(c, "weight"), b = rms ? (MlirValue){NULL} : torch_optional(c, "bias"),
            wx = torch_convert(c, x, wide);
  MlirValue operands[] = {wx, w.ptr ? torch_convert(c, w, wide) : w, b.ptr ? torch_convert(c, b, wide) : b};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, axes[0])}, {"eps", tcc_attr_f64(c->ir, eps)}};
  MlirValue y = wx.ptr ? import_op(c, rms ? TCC_OP_RMS_NORM : TCC_OP_LAYER_NORM, operands, rms ? 2 : 3, attrs, 2) : wx;
  if (!torch_output(c, 0, torch_convert(c, y, shape.elem))) return false;
  if (rms) {
    MlirValue rstd = tcc_build1(&c->b, TCC_OP_RSQRT, torch_plus(c, mean_of(c, torch_mul(c, wx, wx), axes, n), eps));
    return torch_output(c, 1, torch_convert(c, rstd, torch_result(c, 1)));
  }
  Statistics s = statistics(c, mean_of, wx, axes, n, eps);
  return torch_output(c, 1, torch_convert(c, s.mean, torch_result(c, 1))) &&
         torch_output(c, 2, torch_convert(c, s.rstd, torch_result(c, 2)));
}

bool torch_op_native_layer_norm_backward(ImportCall *c) {
  bool rms = c->kind == 1;
  MlirValue grad = torch_tensor(c, "grad_out"), x = torch_tensor(c, "input"), rstd = torch_tensor(c, "rstd"),
            weight = torch_optional(c, "weight");
  ImportShape shape = import_shape(c, x);
  int64_t axes[TCC_MAX_RANK], outer[TCC_MAX_RANK];
  const bool *mask;
  size_t n, nmask, wanted = rms ? 2 : 3;
  if (!grad.ptr || !x.ptr || !rstd.ptr || !normalized_axes(c, &shape, axes, &n) || !torch_bools(c, "output_mask", &mask, &nmask) ||
      nmask != wanted)
    return false;
  TccElem wide = torch_wide(shape.elem);
  grad = torch_convert(c, grad, wide), x = torch_convert(c, x, wide), rstd = torch_convert(c, rstd, wide);
  if (!rms) x = torch_sub(c, x, torch_tensor_as(c, "mean", wide));
  MlirValue xhat = torch_mul(c, x, rstd), g = weight.ptr ? torch_mul(c, grad, torch_convert(c, weight, wide)) : grad;
  if (mask[0]) {
    MlirValue inner = torch_sub(c, g, torch_mul(c, xhat, batch_mean(c, torch_mul(c, g, xhat), axes, n)));
    if (!rms) inner = torch_sub(c, inner, mean_of(c, g, axes, n));
    if (!torch_output(c, 0, torch_convert(c, torch_mul(c, rstd, inner), shape.elem))) return false;
  }
  for (int64_t i = 0; i < axes[0]; i++) outer[i] = i;
  size_t nouter = (size_t)axes[0];
  MlirValue dw = torch_mul(c, grad, xhat), db = grad;
  if (nouter) dw = torch_sum(c, dw, outer, nouter, false), db = torch_sum(c, grad, outer, nouter, false);
  if (mask[1] && !torch_output(c, 1, torch_convert(c, dw, torch_result(c, 1)))) return false;
  return rms || !mask[2] || torch_output(c, 2, torch_convert(c, db, torch_result(c, 2)));
}

/* ---- weight norm: v, at the length g along an axis; of -1, as a whole ---- */
/* The axes over which a length is. */
static bool length_axes(ImportCall *c, int rank, int64_t *axes, size_t *n) {
  int64_t axis = torch_int(c, "dim");
  if (c->reason || (axis != -1 && !torch_axis(c, "dim", rank, &axis))) return false;
  *n = torch_other_axes(rank, axis, axes);
  return true;
}

static MlirValue sum_kept(ImportCall *c, MlirValue x, const int64_t *axes, size_t n) {
  return n ? torch_sum(c, x, axes, n, true) : x;
}

/* _weight_norm_interface has the lengths of v as a second result. */
bool torch_op_weight_norm(ImportCall *c) {
  MlirValue v = torch_tensor(c, "v"), g = torch_tensor(c, "g");
  const ImportShape shape = import_shape(c, v);
  const TccElem wide = torch_wide(shape.elem);
  int64_t axes[TCC_MAX_RANK];
  size_t n;
  if (!v.ptr || !g.ptr || !length_axes(c, shape.rank, axes, &n)) return false;
  v = torch_convert(c, v, wide);
  MlirValue length = tcc_build1(&c->b, TCC_OP_SQRT, sum_kept(c, torch_mul(c, v, v), axes, n));
  if (!torch_output(c, 0, torch_convert(c, torch_mul(c, v, torch_div(c, torch_convert(c, g, wide), length)), shape.elem)))
    return false;
  return torch_call(c)->noutputs < 2 || torch_output(c, 1, torch_convert(c, length, torch_result(c, 1)));
}

/* With w = v g / |v| and s = sum(grad v): the gradient of g is s / |v|, that of v is (grad - v s / |v|^2) g / |v|. */
bool torch_op_weight_norm_backward(ImportCall *c) {
  MlirValue grad = torch_tensor(c, "grad_w"), v = torch_tensor(c, "saved_v"), g = torch_tensor(c, "saved_g"),
            length = torch_tensor(c, "saved_norms");
  const ImportShape shape = import_shape(c, v);
  const TccElem wide = torch_wide(shape.elem);
  int64_t axes[TCC_MAX_RANK];
  size_t n;
  if (!grad.ptr || !v.ptr || !g.ptr || !length.ptr || !length_axes(c, shape.rank, axes, &n)) return false;
  grad = torch_convert(c, grad, wide), v = torch_convert(c, v, wide), length = torch_convert(c, length, wide);
  MlirValue dg = torch_div(c, sum_kept(c, torch_mul(c, grad, v), axes, n), length);
  MlirValue inner = torch_sub(c, grad, torch_mul(c, v, torch_div(c, dg, length)));
  MlirValue dv = torch_mul(c, inner, torch_div(c, torch_convert(c, g, wide), length));
  return torch_output(c, 0, torch_convert(c, dv, torch_result(c, 0))) &&
         torch_output(c, 1, torch_convert(c, dg, torch_result(c, 1)));
}

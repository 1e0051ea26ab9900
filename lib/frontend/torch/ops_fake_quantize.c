/* ops_fake_quantize.c - numbers that are quantised and dequantised at once, as models are trained that will be quantised:
 * y = (clamp(q) - zero point) * scale of q = round(x / scale) + zero point, and a mask of where q is not clamped, which gradients are
 * multiplied by. Kernels multiply by the reciprocal of the scale in f32, aten/src/ATen/native/quantized/FakeQuantPerTensorAffine.cpp. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

typedef struct {
  MlirValue scale, zero; /* f32; of a type to compute in, integers; both broadcast against x */
  bool channels;         /* one of each for an index of an axis */
  bool early;            /* the zero point is added before rounding */
  int64_t low, high;     /* ends of q */
} Grid;

static MlirValue rounded(ImportCall *c, MlirValue x) { return tcc_build1(&c->b, TCC_OP_ROUND, x); }

/* Between two numbers that x's type has. */
static MlirValue between(ImportCall *c, MlirValue x, double low, double high) {
  if (!x.ptr) return x;
  const TccElem elem = tcc_value_elem(x);
  x = tcc_build2(&c->b, TCC_OP_MAX, x, torch_constant(c, elem, low));
  return tcc_build2(&c->b, TCC_OP_MIN, x, torch_constant(c, elem, high));
}

/* q before it is clamped, in x's type. */
static MlirValue place(ImportCall *c, const Grid *g, MlirValue x) {
  if (!x.ptr || !g->scale.ptr || !g->zero.ptr) return (MlirValue){NULL};
  const TccElem elem = tcc_value_elem(x);
  MlirValue inverse = torch_div(c, torch_constant(c, TCC_ELEM_F32, 1), g->scale), zero = torch_convert(c, g->zero, elem);
  MlirValue q = torch_mul(c, x, torch_convert(c, inverse, elem));
  return g->early ? rounded(c, torch_add(c, q, zero)) : torch_add(c, rounded(c, q), zero);
}

/* A single scale multiplies in f32 whatever x is; zero points that are no integers are taken off in f64. */
static MlirValue on_grid(ImportCall *c, const Grid *g, MlirValue q) {
  if (!q.ptr) return q;
  const TccElem elem = tcc_value_elem(q), exact = g->early ? TCC_ELEM_F64 : g->channels ? elem : TCC_ELEM_F32;
  q = torch_convert(c, between(c, q, (double)g->low, (double)g->high), exact);
  q = torch_mul(c, torch_sub(c, q, torch_convert(c, g->zero, exact)), torch_convert(c, g->scale, exact));
  return torch_convert(c, q, elem);
}

static MlirValue inside(ImportCall *c, const Grid *g, MlirValue q) {
  return torch_both(c, torch_is(c, "ge", q, (double)g->low), torch_is(c, "le", q, (double)g->high));
}

/* Output 0, and the mask where the overload has one; on (bool, without axes; null: true): else x as it is. */
static bool answer(ImportCall *c, const Grid *g, MlirValue x, MlirValue on) {
  MlirValue wide = x.ptr ? torch_convert(c, x, torch_wide(tcc_value_elem(x))) : x, q = place(c, g, wide), y = on_grid(c, g, q);
  if (!torch_answer(c, on.ptr ? torch_if(c, on, y, wide) : y)) return false;
  if (torch_call(c)->noutputs < 2) return true;
  MlirValue mask = inside(c, g, q);
  return torch_output(c, 1, on.ptr ? torch_either(c, mask, tcc_build1(&c->b, TCC_OP_NOT, on)) : mask);
}

static bool ends(ImportCall *c, Grid *g) {
  g->low = torch_int(c, "quant_min"), g->high = torch_int(c, "quant_max");
  return !c->reason;
}

static bool axis_of(ImportCall *c, const char *name, const ImportShape *x, int64_t *out) {
  *out = torch_int(c, name);
  return !c->reason &&
         ((*out >= 0 && *out < x->rank) || import_invalid(c, "'%s' is %lld for %d axes", name, (long long)*out, x->rank));
}

/* Zero points that are learned are floats: the nearest integer, but in gradients of a single one what is 0.5 more, cut off. */
static MlirValue learned(ImportCall *c, const Grid *g, MlirValue zero, bool cut) {
  zero = torch_convert(c, zero, TCC_ELEM_F32);
  MlirValue near = between(c, cut ? torch_plus(c, zero, 0.5) : rounded(c, zero), (double)g->low, (double)g->high);
  return torch_convert(c, near, TCC_ELEM_I64);
}

/* The overload's scale and zero point; axis: of channels. */
static bool grid_of(ImportCall *c, MlirValue x, bool channels, bool learns, bool backward, Grid *g, int64_t *axis) {
  if (!x.ptr || !ends(c, g)) return false;
  g->channels = channels;
  if (channels) {
    const ImportShape shape = import_shape(c, x);
    MlirValue scale = torch_tensor_as(c, "scale", TCC_ELEM_F32), zero = torch_tensor(c, "zero_point");
    if (!scale.ptr || !zero.ptr || !axis_of(c, "axis", &shape, axis)) return false;
    g->early = !learns && tcc_elem_is_float(tcc_value_elem(zero));
    if (learns) zero = learned(c, g, zero, false);
    g->scale = torch_along(c, scale, &shape, *axis), g->zero = torch_along(c, zero, &shape, *axis);
  } else {
    g->scale = torch_one(c, "scale", TCC_ELEM_F32);
    g->zero = torch_one(c, "zero_point", learns ? TCC_ELEM_F32 : TCC_ELEM_I64);
    if (learns) g->zero = learned(c, g, g->zero, backward);
  }
  return g->scale.ptr && g->zero.ptr;
}

bool torch_op_fake_quantize(ImportCall *c) {
  const bool channels = c->kind % FAKE_LEARNED == FAKE_CHANNELS, learns = c->kind >= FAKE_LEARNED;
  Grid g = {0};
  int64_t axis;
  MlirValue x = torch_tensor(c, "self"), on = {NULL};
  if (!grid_of(c, x, channels, learns, false, &g, &axis)) return false;
  if (torch_has_parameter(c, "fake_quant_enabled")) on = torch_is(c, "ne", torch_one(c, "fake_quant_enabled", TCC_ELEM_I64), 0);
  return answer(c, &g, x, on);
}

/* Gradients of x, of its scale and of its zero point: those of the last two are sums over all that share them. */
bool torch_op_fake_quantize_backward(ImportCall *c) {
  const bool channels = c->kind == FAKE_CHANNELS;
  Grid g = {0};
  int64_t axis = 0, axes[TCC_MAX_RANK];
  MlirValue x = torch_tensor(c, "self"), dy = torch_tensor(c, "grad");
  if (!grid_of(c, x, channels, true, true, &g, &axis) || !dy.ptr) return false;
  const TccElem wide = torch_wide(tcc_value_elem(x));
  const int rank = import_shape(c, x).rank;
  x = torch_convert(c, x, wide), dy = torch_convert(c, dy, wide);
  MlirValue scale = torch_convert(c, g.scale, wide), zero = torch_convert(c, g.zero, wide), q = place(c, &g, x);
  MlirValue kept = inside(c, &g, q), nothing = torch_constant(c, wide, 0), end = torch_constant(c, wide, (double)g.low);
  const double factor = torch_float(c, "grad_factor");
  if (c->reason || !q.ptr) return false;
  end = torch_if(c, torch_is(c, "lt", q, (double)g.low), end, torch_constant(c, wide, (double)g.high));
  MlirValue error = torch_div(c, torch_sub(c, on_grid(c, &g, q), x), scale);
  MlirValue slope = torch_mul(c, dy, torch_if(c, kept, error, torch_sub(c, end, zero)));
  MlirValue shift = torch_if(c, kept, nothing, torch_neg(c, torch_mul(c, dy, scale)));
  if (!torch_output(c, 0, torch_convert(c, torch_if(c, kept, dy, nothing), import_shape(c, torch_tensor(c, "self")).elem)))
    return false;
  size_t count = (size_t)rank;
  for (int i = 0; i < rank; i++) axes[i] = i;
  if (channels) count = torch_other_axes(rank, axis, axes);
  for (size_t i = 0; i < 2; i++) {
    MlirValue sum = torch_times(c, torch_sum(c, i ? shift : slope, axes, count, false), factor);
    const ImportShape declared = torch_declared(c, i + 1);
    const TccElem elem = torch_result(c, i + 1);
    if (!elem || !torch_output(c, i + 1, tcc_build_reshape(&c->b, torch_convert(c, sum, elem), declared.rank, declared.dims)))
      return false;
  }
  return true;
}

/* ---- what is trained, with the ends of what was seen ---- */
enum { SEEN_LEAST, SEEN_MOST, SEEN_SCALE, SEEN_ZERO, SEEN };
static const char *const seen_names[SEEN] = {"running_min", "running_max", "scale", "zero_point"};

/* Scale (f32) and zero point (f64, an integer) for numbers from least to most, f32, as ATen/native/quantized/cpu/QuantUtils.h chooses them. */
static void choose(ImportCall *c, MlirValue least, MlirValue most, int64_t low, int64_t high, bool symmetric, MlirValue *scale,
                   MlirValue *zero) {
  const double tiny = 0x1p-128, threshold = 6.1e-5f, steps = (double)(high - low);
  const TccElem f32 = TCC_ELEM_F32, f64 = TCC_ELEM_F64;
  MlirValue both = torch_both(c, torch_is(c, "lt", least, 0), torch_is(c, "gt", most, 0));
  if (symmetric) {
    const double below = -(double)((high - low) / 2 + 1), above = (double)((high - low) / 2);
    MlirValue a = tcc_build1(&c->b, TCC_OP_ABS, torch_div(c, least, torch_constant(c, f32, below)));
    MlirValue b = tcc_build1(&c->b, TCC_OP_ABS, torch_div(c, most, torch_constant(c, f32, above)));
    MlirValue step = tcc_build2(&c->b, TCC_OP_MAX, a, b);
    least = torch_if(c, both, torch_times(c, step, below), least);
    most = torch_if(c, both, torch_times(c, step, above), most);
  }
  least = tcc_build2(&c->b, TCC_OP_MIN, least, torch_constant(c, f32, 0));
  most = tcc_build2(&c->b, TCC_OP_MAX, most, torch_constant(c, f32, 0));
  MlirValue s =
      torch_div(c, torch_sub(c, torch_convert(c, most, f64), torch_convert(c, least, f64)), torch_constant(c, f64, steps));
  s = torch_if(c, torch_is(c, "le", s, tiny), torch_constant(c, f64, 0.1), s);
  /* A scale below the least one is that one; the ends are then further apart. */
  MlirValue small = torch_is(c, "lt", s, threshold),
            factor = torch_div(c, torch_constant(c, f32, threshold), torch_convert(c, s, f32));
  MlirValue end = torch_constant(c, f32, (float)(threshold * steps)), least_is_0 = torch_is(c, "eq", least, 0),
            most_is_0 = torch_is(c, "eq", most, 0);
  MlirValue wider_least = torch_if(c, least_is_0, least, torch_if(c, most_is_0, torch_neg(c, end), torch_mul(c, least, factor)));
  MlirValue wider_most = torch_if(c, least_is_0, end, torch_mul(c, most, factor));
  least = torch_convert(c, torch_if(c, small, wider_least, least), f64);
  most = torch_convert(c, torch_if(c, small, wider_most, most), f64);
  s = torch_if(c, small, torch_constant(c, f64, threshold), s);
  MlirValue under = torch_div(c, least, s), over = torch_div(c, most, s);
  MlirValue error_under = torch_from(c, fabs((double)low), tcc_build1(&c->b, TCC_OP_ABS, under));
  MlirValue error_over = torch_from(c, fabs((double)high), tcc_build1(&c->b, TCC_OP_ABS, over));
  MlirValue first = error_under.ptr && error_over.ptr ? tcc_build_compare(&c->b, "lt", error_under, error_over) : error_under;
  MlirValue z = torch_if(c, first, torch_from(c, (double)low, under), torch_from(c, (double)high, over));
  if (symmetric) z = torch_if(c, both, torch_constant(c, f64, (double)(low + high) / 2), z);
  *scale = torch_convert(c, s, f32);
  *zero = rounded(c, between(c, z, (double)low, (double)high));
}

/* What was seen becomes what it is with x, by a running average; it begins as infinite. */
static MlirValue seen_with(ImportCall *c, MlirValue old, MlirValue now, double share) {
  MlirValue infinite = torch_is(c, "eq", tcc_build1(&c->b, TCC_OP_ABS, old), INFINITY);
  return torch_if(c, infinite, now, torch_add(c, old, torch_times(c, torch_sub(c, now, old), share)));
}

/* kind 1: what is written to the functional overload's arguments are results. */
bool torch_op_fake_quantize_observed(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), state[SEEN], next[SEEN];
  const ImportShape shape = import_shape(c, x);
  const bool channels = torch_bool(c, "per_row_fake_quant"), symmetric = torch_bool(c, "symmetric_quant");
  const double share = (float)torch_float(c, "averaging_const");
  int64_t axes[TCC_MAX_RANK], axis = 0;
  Grid g = {0};
  size_t count = (size_t)shape.rank;
  for (int i = 0; i < shape.rank; i++) axes[i] = i;
  if (!x.ptr || !ends(c, &g) || (channels && !axis_of(c, "ch_axis", &shape, &axis))) return false;
  if (channels) count = torch_other_axes(shape.rank, axis, axes);
  const TccExpr *const one = import_size(c, 1), *const *sizes = channels ? shape.dims + axis : &one;
  for (int i = 0; i < SEEN; i++) {
    state[i] = torch_tensor(c, seen_names[i]);
    if (!state[i].ptr) return false;
    const ImportShape has = import_shape(c, state[i]);
    if (import_product(c, has.dims, has.rank) != *sizes)
      return import_unsupported(c, "'%s' that has not as many elements as there are scales: run the model once before",
                                seen_names[i]);
    next[i] = tcc_build_reshape(&c->b, state[i], channels ? 1 : 0, sizes);
  }
  MlirValue observes = torch_is(c, "ne", torch_one(c, "observer_on", TCC_ELEM_I64), 0);
  MlirValue on = torch_is(c, "ne", torch_one(c, "fake_quant_on", TCC_ELEM_I64), 0), scale, zero;
  for (int i = 0; i < 2; i++) {
    const TccElem elem = tcc_value_elem(state[i]);
    MlirValue now = torch_convert(c, tcc_build_reduce(&c->b, i ? "max" : "min", x, axes, count, false), elem);
    next[i] = torch_if(c, observes, seen_with(c, next[i], now, share), next[i]);
  }
  choose(c, torch_convert(c, next[SEEN_LEAST], TCC_ELEM_F32), torch_convert(c, next[SEEN_MOST], TCC_ELEM_F32), g.low, g.high,
         symmetric, &scale, &zero);
  next[SEEN_SCALE] = torch_if(c, on, torch_convert(c, scale, tcc_value_elem(state[SEEN_SCALE])), next[SEEN_SCALE]);
  next[SEEN_ZERO] = torch_if(c, on, torch_convert(c, zero, tcc_value_elem(state[SEEN_ZERO])), next[SEEN_ZERO]);
  g.scale = torch_convert(c, next[SEEN_SCALE], TCC_ELEM_F32), g.zero = next[SEEN_ZERO];
  g.channels = channels;
  if (channels) g.scale = torch_along(c, g.scale, &shape, axis), g.zero = torch_along(c, g.zero, &shape, axis);
  if (!answer(c, &g, x, on)) return false;
  for (size_t i = 0; i < SEEN; i++) {
    const ImportShape was = import_shape(c, state[i]);
    MlirValue y = tcc_build_reshape(&c->b, next[i], was.rank, was.dims);
    if (c->kind ? !torch_output(c, i + 2, y) : !torch_write(c, torch_storage(c, seen_names[i]), y)) return false;
  }
  return true;
}

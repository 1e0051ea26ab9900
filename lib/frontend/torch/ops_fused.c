/* ops_fused.c - optimizers' steps of lists of parameters: `_fused_adam`, `_fused_adamw`. torch traces no others (_fused_sgd, rates that are
 * tensors), which have no kernels for types alone.
 *
 * The step is that of aten/src/ATen/native/cpu/FusedAdamKernel.cpp: powers of the betas in f64, the rest in the parameters' type, f32 for
 * 16 bits. Results are the lists in the order of the arguments, as they are after the step. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

enum { MOST_LISTS = 5 };
typedef struct {
  const MlirValue *lists[MOST_LISTS]; /* parameters, gradients, states */
  size_t nlists, count;               /* of tensors in each; a list may be empty, then it is NULL */
  MlirValue scale, skip;              /* what gradients are divided by; whether nothing is done (bool); null: neither */
  double decay;
  bool maximize;
} Fused;

static bool lists_of(ImportCall *c, Fused *f, const char *const *names, size_t nnames) {
  f->nlists = nnames;
  for (size_t i = 0; i < nnames; i++) {
    size_t count;
    if (!torch_tensors(c, names[i], &f->lists[i], &count)) return false;
    if (!i) f->count = count;
    if (count != f->count && (count || i < 2)) return import_invalid(c, "'%s' has %zu tensors, not %zu", names[i], count, f->count);
    if (!count) f->lists[i] = NULL;
  }
  f->decay = torch_float(c, "weight_decay");
  f->maximize = torch_bool(c, "maximize");
  f->scale = torch_optional(c, "grad_scale");
  MlirValue found = torch_optional(c, "found_inf");
  if (found.ptr) f->skip = torch_is(c, "eq", tcc_build_reshape(&c->b, found, 0, NULL), 1);
  if (f->scale.ptr) f->scale = tcc_build_reshape(&c->b, f->scale, 0, NULL);
  return !c->reason;
}

/* What tensor i of each list is, in the type to compute in. */
static TccElem load(ImportCall *c, const Fused *f, size_t i, MlirValue *now) {
  TccElem elem = torch_wide(tcc_value_elem(f->lists[0][i]));
  for (size_t k = 0; k < f->nlists; k++) now[k] = f->lists[k] ? torch_convert(c, f->lists[k][i], elem) : (MlirValue){NULL};
  return elem;
}

/* Results are the lists one behind the other. */
static bool store(ImportCall *c, const Fused *f, size_t i, const MlirValue *now) {
  for (size_t k = 0, before = 0; k < f->nlists; k++) {
    if (!f->lists[k]) continue;
    MlirValue old = f->lists[k][i], x = torch_convert(c, now[k], tcc_value_elem(old));
    if (!torch_output(c, before + i, f->skip.ptr ? torch_if(c, f->skip, old, x) : x)) return false;
    before += f->count;
  }
  return true;
}

/* The gradient as it is used; *kept becomes as it is given back, unscaled. */
static MlirValue gradient(ImportCall *c, const Fused *f, TccElem elem, MlirValue *kept) {
  if (f->scale.ptr) *kept = torch_div(c, *kept, torch_convert(c, f->scale, elem));
  return f->maximize ? torch_neg(c, *kept) : *kept;
}

/* 1 - beta^step, f64. */
static MlirValue correction(ImportCall *c, double beta, MlirValue step) {
  MlirValue base = tcc_build_scalar(&c->b, TCC_ELEM_F64, beta);
  return torch_from(c, 1, tcc_build2(&c->b, TCC_OP_POW, base, torch_convert(c, step, TCC_ELEM_F64)));
}

bool torch_op_fused_adam(ImportCall *c) {
  static const char *const names[] = {"self", "grads", "exp_avgs", "exp_avg_sqs", "max_exp_avg_sqs"};
  enum { PARAM, GRAD, MEAN, SQUARE, MOST };
  Fused f = {0};
  const MlirValue *steps;
  size_t nsteps;
  if (!lists_of(c, &f, names, 5) || !torch_tensors(c, "state_steps", &steps, &nsteps)) return false;
  double beta1 = torch_float(c, "beta1"), beta2 = torch_float(c, "beta2"), eps = torch_float(c, "eps");
  bool amsgrad = torch_bool(c, "amsgrad"), decoupled = c->kind == FUSED_ADAMW;
  MlirValue rate = torch_scalar(c, "lr", TCC_ELEM_F64);
  if (c->reason) return false;
  if (nsteps != f.count || !f.lists[MEAN] || !f.lists[SQUARE] || (amsgrad && !f.lists[MOST]))
    return !f.count || import_invalid(c, "states of %zu parameters are missing", f.count);
  for (size_t i = 0; i < f.count; i++) {
    MlirValue now[MOST_LISTS], step = tcc_build_reshape(&c->b, steps[i], 0, NULL);
    TccElem elem = load(c, &f, i, now);
    MlirValue g = gradient(c, &f, elem, &now[GRAD]), root, size;
    if (f.decay != 0 && decoupled)
      now[PARAM] = torch_sub(c, now[PARAM], torch_mul(c, now[PARAM], torch_convert(c, torch_times(c, rate, f.decay), elem)));
    else if (f.decay != 0) g = torch_add(c, g, torch_times(c, now[PARAM], f.decay));
    now[MEAN] = torch_add(c, now[MEAN], torch_times(c, torch_sub(c, g, now[MEAN]), 1 - beta1));
    now[SQUARE] = torch_add(c, torch_times(c, now[SQUARE], beta2), torch_times(c, torch_mul(c, g, g), 1 - beta2));
    if (amsgrad) now[MOST] = tcc_build2(&c->b, TCC_OP_MAX, now[MOST], now[SQUARE]);
    root = torch_convert(c, tcc_build1(&c->b, TCC_OP_SQRT, correction(c, beta2, step)), elem);
    root = torch_plus(c, torch_div(c, tcc_build1(&c->b, TCC_OP_SQRT, now[amsgrad ? MOST : SQUARE]), root), eps);
    size = torch_convert(c, torch_div(c, rate, correction(c, beta1, step)), elem);
    now[PARAM] = torch_sub(c, now[PARAM], torch_div(c, torch_mul(c, now[MEAN], size), root));
    if (!store(c, &f, i, now)) return false;
  }
  return !c->reason;
}

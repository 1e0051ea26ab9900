/* optimizer.c - tcc-optimizer: gradients become updates of the parameters, in the graph.
 *
 *   before: func @main(%x, %w {tcc.parameter}) -> (%loss, %g {tcc.name = "grad.w"})
 *   after:  func @main(%x, %w {tcc.parameter}, %step, %m, %v) -> (%loss, %step' {tcc.tied = 2}, %w' {tcc.tied = 1}, %m' {tcc.tied = 3}, ...)
 *
 * States are arguments behind all others, of the name of their parameter with a colon and the state's behind it: "w:exp_avg". The number
 * of steps done, "step", is one, too, so that a step is a function of its arguments. Each new value is a result tied to what it replaces,
 * which run-times write in place. What a step computes is what torch.optim does, with scalars in f64 as there (update.c); rates follow
 * schedules of the number of the step. With accumulate=K gradients are summed over K calls, the last of which updates. With loss=NAME a
 * call whose result of that name is not finite leaves all that is tied as it was: it can be done again, to see where that comes from. With
 * scale-interval=K the gradients are those of tcc-loss-scale, and a call in which they are not finite changes nothing but the factor, which
 * is halved; behind K calls in which they are it is doubled.
 *
 * Parameters of one type whose gradients are results of calls share a function of their update: what tcc-dedup-regions would find again of
 * some twenty ops for each parameter, at the cost of a call.
 *
 * requires: tcc-parameters, tcc-grad. ensures: no gradient of a parameter is a result. keeps: other results, arguments in their order. */
#include "passes/optimizer/optimizer.h"
#include "passes/optimizer/scale.h"
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

typedef struct {
  const char *name;
  OptimizerKind kind;
  double decay, eps; /* where no option says otherwise, as torch.optim has them */
} Known;
static const Known kinds[] = {{"sgd", OPTIMIZER_SGD, 0, 0},
                              {"adam", OPTIMIZER_ADAM, 0, 1e-8},
                              {"adamw", OPTIMIZER_ADAMW, 1e-2, 1e-8},
                              {"adagrad", OPTIMIZER_ADAGRAD, 0, 1e-10}};

/* ---- options ---- */
static TccStr text_of(Optimizer *o, const char *name) {
  TccStr text = tcc_str("");
  tcc_pass_option(o->run, name, &text);
  return text;
}

static bool option_error(Optimizer *o, const char *name, const char *want) {
  TccStr text = text_of(o, name);
  tcc_error(o->module, "tcc-optimizer: %s must be %s, not '%.*s'", name, want, TCC_STR_ARG(text));
  return o->failed = true;
}

/* A number in [least, most); absent where the text is empty. */
static double number(Optimizer *o, const char *name, double absent, double least, double most) {
  TccStr text = text_of(o, name);
  if (!text.length) return absent;
  char *copy = tcc_arena_printf(o->run->scratch, "%.*s", TCC_STR_ARG(text)), *end;
  double value = strtod(copy, &end);
  if (*end || !(value >= least && value < most))
    option_error(o, name, tcc_arena_printf(o->run->scratch, "a number from %g on, below %g", least, most));
  return value;
}

static const Known *kind_of(Optimizer *o) {
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (tcc_str_is(text_of(o, "kind"), kinds[i].name)) return &kinds[i];
  option_error(o, "kind", "sgd, adam, adamw or adagrad");
  return &kinds[0];
}

static OptimizerSchedule schedule_of(Optimizer *o) {
  static const char *const names[] = {"constant", "linear", "cosine"};
  for (int i = 0; i < 3; i++)
    if (tcc_str_is(text_of(o, "schedule"), names[i])) return (OptimizerSchedule)i;
  option_error(o, "schedule", "constant, linear or cosine");
  return OPTIMIZER_CONSTANT;
}

/* What only some kinds have would do nothing with another one. */
static void check_kinds(Optimizer *o, const Known *known) {
  enum { SGD = 1 << OPTIMIZER_SGD, ADAMS = 1 << OPTIMIZER_ADAM | 1 << OPTIMIZER_ADAMW, ADAGRAD = 1 << OPTIMIZER_ADAGRAD };
  static const struct {
    const char *option;
    unsigned kinds;
    const char *of;
  } owners[] = {{"momentum", SGD, "sgd"},
                {"beta1", ADAMS, "adam and adamw"},
                {"beta2", ADAMS, "adam and adamw"},
                {"eps", ADAMS | ADAGRAD, "adam, adamw and adagrad"},
                {"lr-decay", ADAGRAD, "adagrad"}};
  for (size_t i = 0; i < sizeof owners / sizeof *owners; i++)
    if (text_of(o, owners[i].option).length && !(owners[i].kinds >> known->kind & 1)) {
      tcc_error(o->module, "tcc-optimizer: %s is of %s, not of %s", owners[i].option, owners[i].of, known->name);
      o->failed = true;
    }
  if (o->nesterov && known->kind != OPTIMIZER_SGD) {
    tcc_error(o->module, "tcc-optimizer: nesterov is of sgd, not of %s", known->name);
    o->failed = true;
  }
}

static void read_options(Optimizer *o) {
  const double any = 1e300;
  const Known *known = kind_of(o);
  o->kind = known->kind;
  o->rate = number(o, "lr", 1e-3, 0, any);
  o->beta1 = number(o, "beta1", 0.9, 0, 1), o->beta2 = number(o, "beta2", 0.999, 0, 1);
  o->eps = number(o, "eps", known->eps, 0, any), o->decay = number(o, "decay", known->decay, 0, any);
  o->momentum = number(o, "momentum", 0, 0, any), o->rate_decay = number(o, "lr-decay", 0, 0, any);
  o->clip_norm = number(o, "clip-norm", 0, 0, any), o->clip_value = number(o, "clip-value", 0, 0, any);
  o->average = number(o, "ema", 0, 0, 1), o->floor = number(o, "floor", 0, 0, any);
  o->schedule = schedule_of(o);
  o->nesterov = tcc_pass_number(o->run, "nesterov") != 0, o->functions = tcc_pass_number(o->run, "functions") != 0;
  o->warmup = tcc_pass_number(o->run, "warmup"), o->steps = tcc_pass_number(o->run, "steps");
  o->accumulate = tcc_pass_number(o->run, "accumulate");
  o->scale_interval = tcc_pass_number(o->run, "scale-interval");
  if (o->accumulate < 1) option_error(o, "accumulate", "1 at least");
  if (o->schedule != OPTIMIZER_CONSTANT && o->steps <= o->warmup)
    option_error(o, "steps", "more than warmup where a schedule is not constant");
  if (!o->failed) check_kinds(o, known);
  if (o->nesterov && known->kind == OPTIMIZER_SGD && o->momentum == 0) option_error(o, "momentum", "more than 0 for nesterov");
}

/* Parameters whose names a pattern of no-decay takes do not decay. A pattern that takes none is an error: what it means would decay. */
static void keep_from_decay(Optimizer *o) {
  TccStr rest = text_of(o, "no-decay"), item;
  while (tcc_str_next(&rest, ',', &item)) {
    const char *pattern = tcc_arena_copy(o->run->scratch, item.data, item.length);
    bool taken = !item.length;
    for (size_t i = 0; i < o->parameters.count; i++) {
      if (fnmatch(pattern, o->parameters.data[i].name, 0)) continue;
      o->parameters.data[i].decays = false;
      taken = true;
    }
    if (taken) continue;
    tcc_error(o->module, "tcc-optimizer: no parameter is called as no-decay=%s says", pattern);
    o->failed = true;
  }
}

/* ---- ports ---- */
MlirValue optimizer_state(Optimizer *o, const char *name, MlirType type, int64_t *out_argument) {
  *out_argument = (int64_t)o->ports.arguments.count;
  return tcc_ports_add_argument(&o->ports, tcc_str(tcc_arena_printf(o->run->scratch, "%s", name)), type,
                                mlirOperationGetLocation(o->ports.func), false);
}

MlirValue optimizer_both(Optimizer *o, MlirValue a, MlirValue b) {
  return !a.ptr ? b : !b.ptr ? a : tcc_build2(o->b, TCC_OP_AND, a, b);
}

MlirValue optimizer_result(Optimizer *o, int64_t argument, MlirValue value, MlirValue when) {
  if (when.ptr && value.ptr) value = tcc_build_select(o->b, when, value, mlirBlockGetArgument(o->ports.block, argument));
  if (!value.ptr) o->failed = true;
  else tcc_ports_add_result(&o->ports, tcc_ports_name(o->ports.arguments.data[argument]), value, argument);
  return value;
}

/* Numbers of the arguments that are parameters, by name. */
static TccMap *parameters_by_name(const Optimizer *o) {
  TccMap *numbers = tcc_map_create(o->run->scratch);
  for (size_t i = 0; i < o->ports.arguments.count; i++) {
    MlirAttribute port = o->ports.arguments.data[i];
    bool inserted;
    if (mlirAttributeIsNull(tcc_ports_attribute(port, "tcc.parameter"))) continue;
    TccMapEntry *entry = tcc_map_put(numbers, tcc_ports_name(port), &inserted);
    if (inserted) entry->integer = (int64_t)i;
  }
  return numbers;
}

/* Takes the gradients of parameters off the results. */
static bool take_gradients(Optimizer *o) {
  static const TccStr prefix = {"grad.", 5};
  TccPorts *p = &o->ports;
  const TccMap *parameters = parameters_by_name(o);
  size_t kept = 0;
  for (size_t i = 0; i < p->results.count; i++) {
    TccStr name = tcc_ports_name(p->results.data[i]);
    bool is_gradient = name.length > prefix.length && !memcmp(name.data, prefix.data, prefix.length);
    if (is_gradient) name.data += prefix.length, name.length -= prefix.length;
    const TccMapEntry *parameter = is_gradient ? tcc_map_find(parameters, name) : NULL;
    if (!parameter) {
      p->results.data[kept] = p->results.data[i], p->returned.data[kept++] = p->returned.data[i];
      continue;
    }
    const char *text = tcc_arena_printf(o->run->scratch, "%.*s", TCC_STR_ARG(name));
    OptimizerParameter q = {.name = text,
                            .argument = parameter->integer,
                            .value = mlirBlockGetArgument(p->block, parameter->integer),
                            .gradient = p->returned.data[i],
                            .decays = true};
    TCC_VEC_PUSH(o->run->scratch, &o->parameters, q);
  }
  p->results.count = p->returned.count = kept;
  if (!o->parameters.count)
    return tcc_error(p->func, "tcc-optimizer: no result is the gradient of a parameter: tcc-parameters and tcc-grad come before"),
           false;
  return true;
}

/* ---- calls that change nothing ---- */
static MlirValue is_finite(Optimizer *o, MlirValue scalar) {
  MlirValue infinite = tcc_build_scalar(o->b, tcc_value_elem(scalar), INFINITY);
  return tcc_build_compare(o->b, "lt", tcc_build1(o->b, TCC_OP_ABS, scalar), infinite);
}

/* Whether the loss that an option names is; null where none does. */
static MlirValue loss_is_finite(Optimizer *o) {
  TccPorts *p = &o->ports;
  TccStr name = text_of(o, "loss");
  MlirValue loss = {NULL};
  for (size_t i = 0; i < p->results.count && name.length; i++)
    if (tcc_str_equal(tcc_ports_name(p->results.data[i]), name)) loss = p->returned.data[i];
  if (!name.length) return loss;
  if (loss.ptr && tcc_elem_is_float(tcc_value_elem(loss)) && tcc_type_rank(tcc_value_type(loss)) == 0) return is_finite(o, loss);
  option_error(o, "loss", "the name of a result that is a float scalar");
  return (MlirValue){NULL};
}

/* What the model itself writes in place keeps its value where the call changes nothing. */
static void keep_buffers(Optimizer *o) {
  TccPorts *p = &o->ports;
  for (size_t i = 0; i < p->results.count && o->finite.ptr; i++) {
    MlirAttribute tied = tcc_ports_attribute(p->results.data[i], "tcc.tied");
    if (mlirAttributeIsNull(tied)) continue;
    MlirValue before = mlirBlockGetArgument(p->block, (intptr_t)mlirIntegerAttrGetValueInt(tied));
    p->returned.data[i] = tcc_build_select(o->b, o->finite, p->returned.data[i], before);
  }
}

/* The argument of this name, whatever it is; -1: there is none. */
static int64_t argument_named(const Optimizer *o, const char *name) {
  for (size_t i = 0; i < o->ports.arguments.count; i++)
    if (tcc_str_is(tcc_ports_name(o->ports.arguments.data[i]), name)) return (int64_t)i;
  return -1;
}

/* Gradients of a scaled loss as those of the loss. */
static void unscale(Optimizer *o) {
  o->exponent = argument_named(o, TCC_SCALE_EXPONENT);
  if (o->exponent < 0) {
    tcc_error(o->ports.func, "tcc-optimizer: scale-interval without a scaled loss: tcc-loss-scale comes before");
    o->failed = true;
    return;
  }
  MlirValue inverse = tcc_build_loss_scale(o->b, mlirBlockGetArgument(o->ports.block, o->exponent), -1);
  for (size_t i = 0; i < o->parameters.count; i++) {
    MlirValue *g = &o->parameters.data[i].gradient;
    *g = tcc_build2(o->b, TCC_OP_MUL, *g, tcc_build_convert(o->b, inverse, tcc_value_elem(*g)));
  }
  o->finite = optimizer_both(o, o->loss, is_finite(o, optimizer_square_sum(o)));
}

/* The exponent falls by one where gradients were not finite, and rises by one behind so many calls in which they were. */
static void rescale(Optimizer *o) {
  TccBuilder *b = o->b;
  int64_t counter;
  MlirType type = tcc_tensor_type(o->ir, TCC_ELEM_I64, 0, NULL);
  MlirValue zero = tcc_build_scalar_i64(b, TCC_ELEM_I64, 0), one = tcc_build_scalar_i64(b, TCC_ELEM_I64, 1);
  MlirValue exponent = mlirBlockGetArgument(o->ports.block, o->exponent);
  MlirValue good = tcc_build2(b, TCC_OP_ADD, optimizer_state(o, "scale:finite", type, &counter), one);
  MlirValue grows = tcc_build_compare(b, "ge", good, tcc_build_scalar_i64(b, TCC_ELEM_I64, o->scale_interval));
  MlirValue more = tcc_build_select(b, grows, tcc_build2(b, TCC_OP_ADD, exponent, one), exponent);
  MlirValue less = tcc_build2(b, TCC_OP_SUB, exponent, one);
  optimizer_result(o, o->exponent, tcc_build_select(b, o->finite, more, less), o->loss);
  optimizer_result(o, counter, tcc_build_select(b, o->finite, tcc_build_select(b, grows, zero, good), zero), o->loss);
}

MlirLogicalResult tcc_pass_optimizer(TccPassRun *run, MlirOperation module) {
  Optimizer o = {.run = run, .ir = run->ir, .module = module};
  MlirOperation main = tcc_module_find(run->ir, module, tcc_str("main"));
  if (mlirOperationIsNull(main)) return tcc_error(module, "tcc-optimizer: the module has no function @main");
  read_options(&o);
  if (o.failed) return mlirLogicalResultFailure();
  tcc_ports_read(run->ir, run->scratch, main, &o.ports);
  if (!take_gradients(&o)) return mlirLogicalResultFailure();
  keep_from_decay(&o);
  o.builder = (TccBuilder){run->ir, o.ports.block, mlirBlockGetTerminator(o.ports.block), mlirOperationGetLocation(main)};
  o.b = &o.builder;
  o.finite = o.loss = loss_is_finite(&o);
  if (!o.failed && o.scale_interval) unscale(&o);
  if (!o.failed) keep_buffers(&o), optimizer_update(&o);
  if (!o.failed && o.scale_interval) rescale(&o);
  if (o.failed) return mlirLogicalResultFailure();
  tcc_ports_write(&o.ports);
  tcc_symbolic_forget(run->ir);
  return mlirLogicalResultSuccess();
}

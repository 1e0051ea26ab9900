/* loss.c - tcc-loss: a loss behind an output of a model that has none.
 *
 *   before: func @main(%x) -> (%y {tcc.name = "logits"})
 *   after:  func @main(%x, %t {tcc.name = "labels"}) -> (%y {tcc.name = "logits"}, %loss {tcc.name = "loss"})
 *
 * What the output is compared with becomes an input: "labels", the number of a class for each element but along `axis`, or "target", of the
 * output's own shape. The loss is the mean, of what torch.nn.functional computes under the same name, in f32 at least. A label that is
 * `ignore` counts for nothing; another that is no class is an error of the run.
 *
 * requires: valid types. ensures: one argument and one result more, behind the others. keeps: all else. An error, all at once: a kind that
 * there is not, an output that is not there or not float, names that are taken. */
#include "lib/ir/internal.h"
#include "lib/ir/ports.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include <math.h>
#include <stdlib.h>

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  TccPorts ports;
  TccBuilder builder, *b;
  MlirValue x;      /* the output, in f32 at least */
  MlirValue target; /* the new input; a float is converted to x's type */
  int axis, rank;
  int64_t ignored;
  double delta;
} Loss;

/* ---- losses: of each element, or null after a diagnostic ---- */
static MlirValue plus(Loss *l, MlirValue a, MlirValue b) { return tcc_build2(l->b, TCC_OP_ADD, a, b); }
static MlirValue minus(Loss *l, MlirValue a, MlirValue b) { return tcc_build2(l->b, TCC_OP_SUB, a, b); }
static MlirValue times(Loss *l, MlirValue a, MlirValue b) { return tcc_build2(l->b, TCC_OP_MUL, a, b); }
static MlirValue with(Loss *l, TccOpKind kind, MlirValue a, double b) { return tcc_build2_number(l->b, kind, a, b); }
static MlirValue of(Loss *l, TccOpKind kind, MlirValue a) { return tcc_build1(l->b, kind, a); }

/* The mean of all elements. */
static MlirValue mean(Loss *l, MlirValue each) {
  int64_t axes[TCC_MAX_RANK];
  for (int i = 0; i < l->rank; i++) axes[i] = i;
  return tcc_build_mean(l->b, each, axes, (size_t)l->rank, false);
}

static MlirValue sum(Loss *l, MlirValue each) {
  int64_t axes[TCC_MAX_RANK];
  if (!each.ptr) return each;
  int rank = tcc_type_rank(tcc_value_type(each));
  for (int i = 0; i < rank; i++) axes[i] = i;
  return tcc_build_reduce(l->b, "sum", each, axes, (size_t)rank, false);
}

static MlirValue cross_entropy(Loss *l) {
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(l->ir, l->axis)}, {"valid", tcc_attr_str(l->ir, tcc_str("unsigned"))}};
  TccElem elem = tcc_value_elem(l->x);
  MlirValue logs = tcc_build_value(l->b, TCC_OP_LOG_SOFTMAX, &l->x, 1, attrs, 1, NULL);
  MlirValue counts = tcc_build_compare(l->b, "ne", l->target, tcc_build_scalar_i64(l->b, TCC_ELEM_I64, l->ignored));
  MlirValue label = tcc_build_select(l->b, counts, l->target, tcc_build_scalar_i64(l->b, TCC_ELEM_I64, 0));
  MlirValue operands[] = {logs, tcc_build_unsqueeze(l->b, label, l->axis)};
  MlirValue picked = tcc_build_value(l->b, TCC_OP_GATHER_ELEMENTS, operands, 2, attrs, 2, NULL);
  MlirValue each = of(l, TCC_OP_NEG, tcc_build_squeeze(l->b, picked, l->axis)), none = tcc_build_scalar(l->b, elem, 0);
  MlirValue number = sum(l, tcc_build_convert(l->b, counts, elem));
  return tcc_build2(l->b, TCC_OP_DIV, sum(l, tcc_build_select(l->b, counts, each, none)), number);
}

/* Of logits: max(x, 0) - x t + ln(1 + e^-|x|), which is finite for any x. */
static MlirValue binary_cross_entropy(Loss *l) {
  MlirValue small = of(l, TCC_OP_LOG1P, of(l, TCC_OP_EXP, of(l, TCC_OP_NEG, of(l, TCC_OP_ABS, l->x))));
  return mean(l, plus(l, minus(l, with(l, TCC_OP_MAX, l->x, 0), times(l, l->x, l->target)), small));
}

static MlirValue mse(Loss *l) {
  MlirValue d = minus(l, l->x, l->target);
  return mean(l, times(l, d, d));
}

static MlirValue l1(Loss *l) { return mean(l, of(l, TCC_OP_ABS, minus(l, l->x, l->target))); }

/* With m = min(|d|, delta): m (|d| - m / 2). */
static MlirValue huber(Loss *l) {
  MlirValue d = of(l, TCC_OP_ABS, minus(l, l->x, l->target)), m = with(l, TCC_OP_MIN, d, l->delta);
  return mean(l, times(l, m, minus(l, d, with(l, TCC_OP_MUL, m, 0.5))));
}

typedef struct {
  const char *name;
  bool classes; /* the target is a class for each element but along the axis */
  MlirValue (*build)(Loss *l);
} Kind;
static const Kind kinds[] = {{"cross_entropy", true, cross_entropy},
                             {"binary_cross_entropy", false, binary_cross_entropy},
                             {"mse", false, mse},
                             {"l1", false, l1},
                             {"huber", false, huber}};

/* ---- options ---- */
static TccStr option(Loss *l, const char *name) {
  TccStr text = tcc_str("");
  tcc_pass_option(l->run, name, &text);
  return text;
}

static const Kind *read_kind(Loss *l) {
  TccStr text = option(l, "kind");
  TccText names = {0};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    if (tcc_str_is(text, kinds[i].name)) return tcc_text_destroy(&names), &kinds[i];
    tcc_text_printf(&names, "%s%s", i ? ", " : "", kinds[i].name);
  }
  tcc_error(l->ports.func, "tcc-loss: '%.*s' is neither an output nor a loss: losses are %s", TCC_STR_ARG(text), names.data);
  tcc_text_destroy(&names);
  return NULL;
}

static bool read_number(Loss *l, const char *name, double absent, double *out) {
  TccStr text = option(l, name);
  char *copy = tcc_arena_printf(l->run->scratch, "%.*s", TCC_STR_ARG(text)), *end;
  *out = text.length ? strtod(copy, &end) : absent;
  if (!text.length || !*end) return true;
  tcc_error(l->ports.func, "tcc-loss: %s must be a number, not '%s'", name, copy);
  return false;
}

/* The output that `of` names, or the only float one. */
static bool find_output(Loss *l, MlirValue *out) {
  TccStr name = option(l, "of");
  size_t found = 0, floats = 0;
  for (size_t i = 0; i < l->ports.results.count; i++) {
    MlirAttribute port = l->ports.results.data[i];
    bool is_float = tcc_elem_is_float(tcc_value_elem(l->ports.returned.data[i])), named = tcc_str_equal(tcc_ports_name(port), name);
    if (name.length ? !named : !is_float || !mlirAttributeIsNull(tcc_ports_attribute(port, "tcc.tied"))) continue;
    *out = l->ports.returned.data[i];
    found++, floats += is_float;
  }
  if (found == 1 && floats == 1) return true;
  if (!name.length) tcc_error(l->ports.func, "tcc-loss: of has to name an output: %d are float", (int)found);
  else if (!found) tcc_error(l->ports.func, "tcc-loss: no output is called '%.*s', as of says", TCC_STR_ARG(name));
  else tcc_error(l->ports.func, "tcc-loss: output '%.*s' has no float elements", TCC_STR_ARG(name));
  return false;
}

static bool is_free(Loss *l, const MlirAttribute *ports, size_t count, const char *name, const char *what) {
  for (size_t i = 0; i < count; i++)
    if (tcc_str_is(tcc_ports_name(ports[i]), name))
      return tcc_error(l->ports.func, "tcc-loss: the model has an %s '%s' already", what, name), false;
  return true;
}

/* What another loss has would do nothing. */
static bool check_owner(Loss *l, const Kind *kind, const char *name, bool takes, const char *owner) {
  if (takes || !option(l, name).length) return true;
  tcc_error(l->ports.func, "tcc-loss: %s is of %s, not of %s", name, owner, kind->name);
  return false;
}

static bool read_options(Loss *l, const Kind *kind) {
  double axis, ignored;
  const bool huber = strcmp(kind->name, "huber") == 0;
  bool ok = check_owner(l, kind, "axis", kind->classes, "cross_entropy");
  ok = check_owner(l, kind, "ignore", kind->classes, "cross_entropy") && ok;
  if (!check_owner(l, kind, "delta", huber, "huber") || !ok) return false;
  if (!read_number(l, "axis", -1, &axis) || !read_number(l, "ignore", -100, &ignored) || !read_number(l, "delta", 1, &l->delta))
    return false;
  if (axis != floor(axis) || ignored != floor(ignored))
    return tcc_error(l->ports.func, "tcc-loss: axis and ignore must be integers"), false;
  if (!(l->delta > 0)) return tcc_error(l->ports.func, "tcc-loss: delta must be more than 0"), false;
  l->axis = (int)(axis < 0 ? axis + l->rank : axis), l->ignored = (int64_t)ignored;
  if (axis >= -l->rank && axis < l->rank) return true;
  tcc_error(l->ports.func, "tcc-loss: axis %d is not in [-%d, %d)", (int)axis, l->rank, l->rank);
  return false;
}

/* The type of what the output is compared with. */
static MlirType target_type(Loss *l, const Kind *kind, MlirType type) {
  const TccExpr *dims[TCC_MAX_RANK];
  int rank = 0;
  if (!kind->classes) return type;
  for (int i = 0; i < l->rank; i++)
    if (i != l->axis) dims[rank++] = tcc_type_dim(l->ir, type, i);
  return tcc_tensor_type(l->ir, TCC_ELEM_I64, rank, dims);
}

MlirLogicalResult tcc_pass_loss(TccPassRun *run, MlirOperation module) {
  Loss l = {.run = run, .ir = run->ir};
  MlirOperation main = tcc_module_find(run->ir, module, tcc_str("main"));
  if (mlirOperationIsNull(main)) return tcc_error(module, "tcc-loss: the module has no function @main");
  tcc_ports_read(run->ir, run->scratch, main, &l.ports);
  const Kind *kind = read_kind(&l);
  const char *name = kind && kind->classes ? "labels" : "target";
  bool ok = find_output(&l, &l.x) && kind;
  ok = is_free(&l, l.ports.arguments.data, l.ports.arguments.count, name, "input") && ok;
  ok = is_free(&l, l.ports.results.data, l.ports.results.count, "loss", "output") && ok;
  if (!ok) return mlirLogicalResultFailure();
  l.rank = tcc_type_rank(tcc_value_type(l.x));
  if (!read_options(&l, kind)) return mlirLogicalResultFailure();
  MlirStringRef label = mlirStringRefCreateFromCString("loss");
  MlirLocation location = mlirLocationNameGet(run->ir->context, label, mlirOperationGetLocation(main));
  l.builder = (TccBuilder){run->ir, l.ports.block, mlirBlockGetTerminator(l.ports.block), location};
  l.b = &l.builder;
  MlirType type = target_type(&l, kind, tcc_value_type(l.x));
  TccElem elem = tcc_value_elem(l.x), wide = elem == TCC_ELEM_F64 ? elem : TCC_ELEM_F32;
  l.x = tcc_build_convert(l.b, l.x, wide);
  l.target = tcc_ports_add_argument(&l.ports, tcc_str(name), type, location, false);
  if (!kind->classes) l.target = tcc_build_convert(l.b, l.target, wide);
  MlirValue loss = kind->build(&l);
  if (!loss.ptr) return mlirLogicalResultFailure();
  tcc_ports_add_result(&l.ports, tcc_str("loss"), loss, -1);
  tcc_ports_write(&l.ports);
  tcc_symbolic_forget(run->ir);
  return mlirLogicalResultSuccess();
}

/* parameters.c - tcc-parameters: weights that are trained become arguments.
 *
 *   before: func @main(%x) { %w = tcc.weight {name = "w"} ... }
 *   after:  func @main(%x, %w {tcc.name = "w", tcc.parameter}) { ... }
 *
 * What changes from step to step is no weight: nothing that is made of it once would stay right. The arguments stand behind the model's
 * inputs, in the order of the weights. Names are matched as file names are (fnmatch); lists of patterns have commas between. A buffer (of
 * that attribute) is trained only where a pattern is its name. One that the model writes, as a batch norm its statistics, is a result of
 * its name: it becomes an argument that is no parameter, to which the result is tied.
 *
 *   before: %m = tcc.weight {name = "m", buffer = true} ... return %loss, %new : (... {tcc.name = "m"})
 *   after:  func @main(%x, %m {tcc.name = "m"}) -> (..., {tcc.name = "m", tcc.tied = 1})
 *
 * requires: verified types. ensures: @main has an argument for each float weight that a pattern of `train` takes and none of `freeze`, and
 * for each buffer that is written. keeps: other weights, the order of results. An error, all at once: a pattern that matches nothing, a matched weight or constant that is not float, one within
 * another function. */
#include "lib/ir/internal.h"
#include "lib/ir/ports.h"
#include "tcc/location.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include <fnmatch.h>

typedef struct {
  const char *text;
  bool matched, any; /* any: says that whatever there is is meant */
} Pattern;
typedef TCC_VEC(Pattern) Patterns;

typedef struct {
  TccPassRun *run;
  MlirOperation module;
  TccPorts ports;
  Patterns train, freeze;
  TccMap *arguments; /* name -> number of the argument */
  bool failed;
} Parameters;

static void read_patterns(Parameters *p, const char *option, Patterns *out) {
  TccStr text, item;
  if (!tcc_pass_option(p->run, option, &text)) return;
  while (tcc_str_next(&text, ',', &item)) {
    const char *one = tcc_arena_copy(p->run->scratch, item.data, item.length);
    if (item.length) TCC_VEC_PUSH(p->run->scratch, out, ((Pattern){one, false, tcc_str_is(item, "*")}));
  }
}

static const Pattern *match(Patterns *patterns, const char *name, bool buffer) {
  const Pattern *first = NULL;
  for (size_t i = 0; i < patterns->count; i++) {
    if (buffer ? strcmp(patterns->data[i].text, name) != 0 : fnmatch(patterns->data[i].text, name, 0)) continue;
    patterns->data[i].matched = true;
    if (!first || first->any) first = &patterns->data[i];
  }
  return first;
}

static void fail(Parameters *p, MlirOperation op, const char *name, const char *why) {
  tcc_error(op, "tcc-parameters: '%s' cannot be trained: %s", name, why);
  p->failed = true;
}

static void fail_type(Parameters *p, MlirOperation op, const char *name) {
  TccElem elem = tcc_value_elem(mlirOperationGetResult(op, 0));
  fail(p, op, name, tcc_arena_printf(p->run->scratch, "its elements are %s", tcc_elem_name(elem)));
}

static void become_argument(Parameters *p, MlirOperation weight, TccStr name, bool parameter) {
  bool first;
  MlirValue value = mlirOperationGetResult(weight, 0);
  TccMapEntry *entry = tcc_map_put(p->arguments, name, &first);
  if (first) {
    entry->integer = (int64_t)p->ports.arguments.count;
    tcc_ports_add_argument(&p->ports, name, tcc_value_type(value), mlirOperationGetLocation(weight), parameter);
  }
  MlirValue argument = mlirBlockGetArgument(p->ports.block, (intptr_t)entry->integer);
  if (!mlirTypeEqual(tcc_value_type(argument), tcc_value_type(value)))
    return fail(p, weight, tcc_arena_printf(p->run->scratch, "%.*s", TCC_STR_ARG(name)),
                "two weights of this name have different types");
  tcc_replace_uses(value, argument);
  for (size_t i = 0; i < p->ports.returned.count; i++)
    if (mlirValueEqual(p->ports.returned.data[i], value)) p->ports.returned.data[i] = argument;
  tcc_erase(weight);
}

/* The result of this name; -1: there is none. */
static int64_t result_named(const Parameters *p, TccStr name) {
  for (size_t i = 0; i < p->ports.results.count; i++)
    if (tcc_str_equal(tcc_ports_name(p->ports.results.data[i]), name)) return (int64_t)i;
  return -1;
}

/* A buffer that result `written` has the next value of. */
static void become_state(Parameters *p, MlirOperation weight, TccStr name, int64_t written) {
  MlirAttribute *port = &p->ports.results.data[written];
  become_argument(p, weight, name, false);
  if (mlirAttributeIsNull(tcc_ports_attribute(*port, "tcc.tied")))
    *port = tcc_ports_with(&p->ports, *port, "tcc.tied",
                           tcc_attr_i64(p->run->ir, tcc_map_find(p->arguments, tcc_ports_name(*port))->integer));
}

static void visit(Parameters *p, MlirOperation op, bool in_main) {
  TccStr name = tcc_string(p->run->ir, op, "name");
  const char *text = tcc_arena_printf(p->run->scratch, "%.*s", TCC_STR_ARG(name));
  bool buffer = tcc_bool(p->run->ir, op, "buffer"), frozen = match(&p->freeze, text, buffer) != NULL;
  const Pattern *pattern = match(&p->train, text, buffer);
  int64_t written = buffer && in_main ? result_named(p, name) : -1;
  if (written >= 0 && pattern) return fail(p, op, text, "the model writes it");
  if (written >= 0 && !frozen) return become_state(p, op, name, written);
  if (!pattern || frozen) return;
  if (!tcc_elem_is_float(tcc_value_elem(mlirOperationGetResult(op, 0)))) {
    if (!pattern->any) fail_type(p, op, text);
  } else if (!in_main) {
    fail(p, op, text, "a loop or a branch reads it");
  } else {
    become_argument(p, op, name, true);
  }
}

/* Whether a small tensor of integers, which is a constant, has a name that the pattern means; it is told. */
static bool tell_constant(Parameters *p, const char *pattern) {
  bool found = false;
  TCC_EACH_FUNCTION (func, p->module)
    TCC_EACH_OP (op, tcc_func_body(func)) {
      TccText name = {0};
      if (tcc_op_kind(p->run->ir, op) != TCC_OP_CONSTANT || tcc_elem_is_float(tcc_value_elem(mlirOperationGetResult(op, 0))) ||
          !tcc_location_name(mlirOperationGetLocation(op), &name))
        continue;
      bool meant = name.length && !fnmatch(pattern, name.data, 0);
      if (meant) fail_type(p, op, name.data);
      found |= meant;
      tcc_text_destroy(&name);
    }
  return found;
}

static void check_matched(Parameters *p, const Patterns *patterns, const char *option) {
  for (size_t i = 0; i < patterns->count; i++) {
    if (patterns->data[i].matched || patterns->data[i].any || tell_constant(p, patterns->data[i].text)) continue;
    tcc_error(p->module, "tcc-parameters: no weight is called as %s=%s says", option, patterns->data[i].text);
    p->failed = true;
  }
}

MlirLogicalResult tcc_pass_parameters(TccPassRun *run, MlirOperation module) {
  Parameters p = {.run = run, .module = module, .arguments = tcc_map_create(run->scratch)};
  MlirOperation main = tcc_module_find(run->ir, module, tcc_str("main"));
  if (mlirOperationIsNull(main)) return tcc_error(module, "tcc-parameters: the module has no function @main");
  tcc_ports_read(run->ir, run->scratch, main, &p.ports);
  for (size_t i = 0; i < p.ports.arguments.count; i++) { /* a name is one port's */
    TccStr name = tcc_ports_name(p.ports.arguments.data[i]);
    if (name.length) tcc_map_put(p.arguments, name, NULL)->integer = (int64_t)i;
  }
  read_patterns(&p, "train", &p.train);
  read_patterns(&p, "freeze", &p.freeze);
  TCC_EACH_FUNCTION (func, module) {
    TCC_VEC(MlirOperation) weights = {0};
    TCC_EACH_OP (op, tcc_func_body(func))
      if (tcc_op_kind(run->ir, op) == TCC_OP_WEIGHT) TCC_VEC_PUSH(run->scratch, &weights, op);
    for (size_t i = 0; i < weights.count; i++) visit(&p, weights.data[i], mlirOperationEqual(func, main));
  }
  check_matched(&p, &p.train, "train");
  check_matched(&p, &p.freeze, "freeze");
  if (p.failed) return mlirLogicalResultFailure();
  tcc_ports_write(&p.ports);
  tcc_symbolic_forget(run->ir);
  return mlirLogicalResultSuccess();
}

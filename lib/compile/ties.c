/* ties.c - outputs that the caller wants in place of inputs: a cache of keys and values that each step writes a row of.
 *
 * A tie names an output and an input, or many of them, where a * in both stands for the same text. Which memory such an output is written to
 * is the run-time's business: lib/runtime/graph.c. */
#include "lib/compile/compile_internal.h"
#include "lib/compile/plan.h"
#include "lib/ir/ports.h"
#include <string.h>

typedef struct {
  TccStr before, behind; /* of the * */
  bool many;
} Pattern;

typedef struct {
  TccPorts ports;
  bool *taken;   /* inputs that an output is in place of */
  TccText wrong; /* a line each */
} Ties;

static bool read_pattern(const char *text, Pattern *out) {
  const char *star = strchr(text, '*');
  *out = (Pattern){.before = star ? (TccStr){text, (size_t)(star - text)} : tcc_str(text),
                   .behind = tcc_str(star ? star + 1 : ""),
                   .many = star};
  return !star || !strchr(star + 1, '*');
}

/* Whether it is the pattern with some text in place of the *. */
static bool matches(const Pattern *p, TccStr name, TccStr *out_text) {
  size_t ends = p->before.length + p->behind.length;
  if (name.length < ends || (!p->many && name.length != ends)) return false;
  *out_text = (TccStr){name.data + p->before.length, name.length - ends};
  return tcc_str_equal((TccStr){name.data, p->before.length}, p->before) &&
         tcc_str_equal((TccStr){name.data + name.length - p->behind.length, p->behind.length}, p->behind);
}

static bool has(MlirAttribute port, const char *name) { return !mlirAttributeIsNull(tcc_ports_attribute(port, name)); }

static void wrong_types(Ties *t, TccStr output, MlirType made, TccStr input, MlirType read) {
  tcc_text_printf(&t->wrong, "\noutput '%.*s' is ", TCC_STR_ARG(output));
  mlirTypePrint(made, tcc_append, &t->wrong);
  tcc_text_printf(&t->wrong, ", input '%.*s' is ", TCC_STR_ARG(input));
  mlirTypePrint(read, tcc_append, &t->wrong);
}

static void tie(Ties *t, size_t output, TccStr input) {
  TccPorts *p = &t->ports;
  MlirAttribute *result = &p->results.data[output];
  TccStr name = tcc_ports_name(*result);
  size_t i = 0;
  while (i < p->arguments.count && !tcc_str_equal(tcc_ports_name(p->arguments.data[i]), input)) i++;
  if (i == p->arguments.count) {
    tcc_text_printf(&t->wrong, "\noutput '%.*s': there is no input '%.*s'", TCC_STR_ARG(name), TCC_STR_ARG(input));
    return;
  }
  MlirType made = mlirValueGetType(p->returned.data[output]), read = mlirValueGetType(mlirBlockGetArgument(p->block, (intptr_t)i));
  if (has(*result, "tcc.tied") || has(*result, "tcc.initial"))
    tcc_text_printf(&t->wrong, "\noutput '%.*s' is in place of an input already", TCC_STR_ARG(name));
  else if (t->taken[i])
    tcc_text_printf(&t->wrong, "\noutput '%.*s': another output is in place of input '%.*s'", TCC_STR_ARG(name),
                    TCC_STR_ARG(input));
  else if (!mlirTypeEqual(made, read)) wrong_types(t, name, made, input, read);
  else *result = tcc_ports_with(p, *result, "tcc.tied", tcc_attr_i64(p->ir, (int64_t)i));
  t->taken[i] = true;
}

static void tie_pattern(Ties *t, const TccCompileTie *given) {
  TccPorts *p = &t->ports;
  Pattern output, input;
  if (!read_pattern(given->output, &output) || !read_pattern(given->input, &input) || output.many != input.many) {
    tcc_text_printf(&t->wrong, "\n'%s' in place of '%s': both have one *, or none", given->output, given->input);
    return;
  }
  bool found = false;
  for (size_t i = 0; i < p->results.count; i++) {
    TccStr text, name = tcc_ports_name(p->results.data[i]);
    if (!matches(&output, name, &text)) continue;
    found = true;
    tie(t, i,
        tcc_str(
            tcc_arena_printf(p->arena, "%.*s%.*s%.*s", TCC_STR_ARG(input.before), TCC_STR_ARG(text), TCC_STR_ARG(input.behind))));
  }
  if (found) return;
  tcc_text_printf(&t->wrong, "\nno output is named '%s'; there %s", given->output, p->results.count == 1 ? "is" : "are");
  for (size_t i = 0; i < p->results.count; i++)
    tcc_text_printf(&t->wrong, "%s'%.*s'", i ? ", " : " ", TCC_STR_ARG(tcc_ports_name(p->results.data[i])));
}

TccStatus *tcc_driver_tie(TccIr *ir, MlirOperation module, const TccCompileOptions *options) {
  MlirOperation main = tcc_module_find(ir, module, tcc_str("main"));
  if (!options->nties || mlirOperationIsNull(main)) return NULL;
  Ties t = {0};
  tcc_ports_read(ir, ir->arena, main, &t.ports);
  t.taken = TCC_NEW_ARRAY(ir->arena, bool, t.ports.arguments.count + 1);
  for (size_t i = 0; i < t.ports.results.count; i++) {
    MlirAttribute tied = tcc_ports_attribute(t.ports.results.data[i], "tcc.tied");
    if (!mlirAttributeIsNull(tied)) t.taken[mlirIntegerAttrGetValueInt(tied)] = true;
  }
  for (size_t i = 0; i < options->nties; i++) tie_pattern(&t, &options->ties[i]);
  TccStatus *status = t.wrong.length ? TCC_ERROR(TCC_INVALID, "outputs in place of inputs:%s", t.wrong.data) : NULL;
  tcc_text_destroy(&t.wrong);
  if (!status) tcc_ports_write(&t.ports);
  return status;
}

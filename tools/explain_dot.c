/* explain_dot.c - what was made of a model as a graph in DOT: each call of a kernel is a node with the model's nodes and the ops that were
 * fused in it, each region a box of its own, what lies in memory between two of them an edge with its type. Weights and constants
 * are not drawn: each has one reader as a rule, and a graph of them hides the rest. */
#include "explain.h"
#include "tcc/plan.h"

typedef struct {
  const TccPlanHeader *plan;
  const TccCompiledKernel *kernels; /* for what is fused; none of an artifact */
  size_t nkernels;
  const uint32_t *indices;
  uint32_t index; /* of the function that is drawn */
  const TccPlanFunction *function;
  const TccPlanValue *values;     /* the function's */
  const TccPlanCommand *commands; /* likewise */
  TccText *out;
} Drawing;

static const char *text(const Drawing *d, TccPlanText at) { return tcc_plan_text(d->plan, at); }

/* Into a quoted string of DOT: a backslash would begin an escape. */
static void put_quoted(const Drawing *d, const char *line) {
  for (; *line; line++) {
    if (*line == '"' || *line == '\\') tcc_text_printf(d->out, "\\");
    if (*line == '\n') tcc_text_printf(d->out, "\\n");
    else tcc_text_printf(d->out, "%c", *line);
  }
}

static const char *fused(const Drawing *d, const char *function) {
  for (size_t i = 0; i < d->nkernels; i++)
    if (strcmp(d->kernels[i].function, function) == 0) return d->kernels[i].body;
  return "";
}

static void put_kernel(const Drawing *d, const TccPlanCommand *command) {
  enum { SHOWN = 3 };
  const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(d->plan, d->plan->calls) + command->index;
  const char *body = fused(d, text(d, call->name));
  for (uint32_t i = 0; i < command->nodes.count && i < SHOWN; i++) {
    put_quoted(d, text(d, d->indices[command->nodes.first + i]));
    tcc_text_printf(d->out, "\\n");
  }
  if (command->nodes.count > SHOWN) tcc_text_printf(d->out, "and %u more\\n", command->nodes.count - SHOWN);
  put_quoted(d, text(d, call->name));
  tcc_text_printf(d->out, " (");
  put_quoted(d, text(d, call->kind));
  tcc_text_printf(d->out, ")");
  if (!*body) return;
  tcc_text_printf(d->out, "\\n");
  put_quoted(d, body);
}

static void put_command(const Drawing *d, uint32_t at) {
  const TccPlanCommand *command = &d->commands[at];
  const TccPlanFunction *functions = tcc_plan_at(d->plan, d->plan->functions);
  const TccPlanSymbol *symbols = tcc_plan_at(d->plan, d->plan->symbols);
  bool callee = command->kind == TCC_PLAN_REGION || command->kind == TCC_PLAN_LOOP;
  tcc_text_printf(d->out, "    f%u_c%u [shape=%s, label=\"", d->index, at, callee ? "box3d" : "box");
  if (callee) {
    tcc_text_printf(d->out, "%s ", command->kind == TCC_PLAN_LOOP ? "loop of region" : "region");
    put_quoted(d, text(d, functions[command->index].name));
  } else if (command->kind == TCC_PLAN_COUNT) {
    tcc_text_printf(d->out, "count ");
    put_quoted(d, text(d, symbols[command->index].name));
  } else {
    put_kernel(d, command);
  }
  tcc_text_printf(d->out, "\"];\n");
}

/* The value whose bytes it is. */
static uint32_t origin(const Drawing *d, uint32_t value) {
  while (d->values[value].kind == TCC_PLAN_ALIAS) value = d->values[value].index;
  return value;
}

/* The name of the node that makes it; false: a weight, a constant, sizes, or absent. */
static bool put_maker(const Drawing *d, uint32_t value) {
  if (d->values[value].kind == TCC_PLAN_ARGUMENT) {
    tcc_text_printf(d->out, "    f%u_a%u", d->index, d->values[value].index);
    return true;
  }
  if (d->values[value].kind != TCC_PLAN_RESULT) return false;
  for (uint32_t c = 0; c < d->function->commands.count; c++)
    for (uint32_t i = 0; i < d->commands[c].results.count; i++)
      if (d->indices[d->commands[c].results.first + i] == value) {
        tcc_text_printf(d->out, "    f%u_c%u", d->index, c);
        return true;
      }
  return false;
}

/* kind: 'c' of a command, 'r' of a result of the function. */
static void put_edge(const Drawing *d, uint32_t value, char kind, uint32_t reader) {
  if (!put_maker(d, origin(d, value))) return;
  TccText type = {0};
  tcc_plan_print_value_type(d->plan, &d->values[value], &type);
  tcc_text_printf(d->out, " -> f%u_%c%u [label=\"", d->index, kind, reader);
  put_quoted(d, type.data ? type.data : "");
  tcc_text_printf(d->out, "\"];\n");
  tcc_text_destroy(&type);
}

/* An argument or a result of the function: main's have names. */
static void put_port(const Drawing *d, char kind, uint32_t i, TccPlanTable table) {
  const TccPlanPort *ports = tcc_plan_at(d->plan, table);
  tcc_text_printf(d->out, "    f%u_%c%u [shape=ellipse, label=\"", d->index, kind, i);
  if (d->index == 0 && i < table.count) put_quoted(d, text(d, ports[i].name));
  else tcc_text_printf(d->out, "%s %u", kind == 'a' ? "argument" : "result", i);
  tcc_text_printf(d->out, "\"];\n");
}

static void put_function(Drawing *d, uint32_t index) {
  d->index = index;
  d->function = (const TccPlanFunction *)tcc_plan_at(d->plan, d->plan->functions) + index;
  d->values = (const TccPlanValue *)tcc_plan_at(d->plan, d->plan->values) + d->function->values.first;
  d->commands = (const TccPlanCommand *)tcc_plan_at(d->plan, d->plan->commands) + d->function->commands.first;
  tcc_text_printf(d->out, "  subgraph cluster_%u {\n    label=\"", index);
  put_quoted(d, text(d, d->function->name));
  tcc_text_printf(d->out, "\";\n");
  for (uint32_t i = 0; i < d->function->arguments; i++) put_port(d, 'a', i, d->plan->inputs);
  for (uint32_t i = 0; i < d->function->commands.count; i++) put_command(d, i);
  for (uint32_t i = 0; i < d->function->results.count; i++) put_port(d, 'r', i, d->plan->outputs);
  for (uint32_t c = 0; c < d->function->commands.count; c++)
    for (uint32_t i = 0; i < d->commands[c].operands.count; i++) put_edge(d, d->indices[d->commands[c].operands.first + i], 'c', c);
  for (uint32_t i = 0; i < d->function->results.count; i++) put_edge(d, d->indices[d->function->results.first + i], 'r', i);
  tcc_text_printf(d->out, "  }\n");
}

void explain_dot(const TccPlanHeader *plan, const TccCompiledKernel *kernels, size_t nkernels, TccText *out) {
  Drawing d = {.plan = plan, .kernels = kernels, .nkernels = nkernels, .indices = tcc_plan_at(plan, plan->indices), .out = out};
  tcc_text_printf(
      out, "digraph model {\n  node [fontname=\"sans-serif\", fontsize=10];\n  edge [fontname=\"sans-serif\", fontsize=8];\n");
  for (uint32_t i = 0; i < plan->functions.count; i++) put_function(&d, i);
  tcc_text_printf(out, "}\n");
}

/* tcc-explain.c - what tcc does with a model: is it supported, which kernels are made of which ops and by whom, which
 * tensors lie in memory between them and why, which regions repeat, what the compile cache would reuse. What is in an artifact. */
#include "explain.h"
#include "tcc/cache.h"
#include "tools/common.h"
#include "tools/json_text.h"
#include <stdio.h>
#include <stdlib.h>

enum { OPT_INPUT = TCC_OPT_SHARED, OPT_DIM, OPT_TIE, OPT_PLAN, OPT_JSON, OPT_DOT, OPT_TRAIN, OPT_LOSS, OPT_OPTIMIZER, OPT_MEMORY };
static const TccOption table[] = {
    TCC_COMPILE_OPTIONS,
    TCC_FREEZE_OPTION,
    [OPT_INPUT] = {"--input", "NAME=FILE", "the value of an input that decides shapes: it is compiled in"},
    [OPT_DIM] = {"--dim", "NAME=N", "a symbolic size becomes this constant, as of tcc-compile"},
    [OPT_TIE] =
        {"--tie", "OUTPUT=INPUT",
         "the output is written in place of that input, as a cache that each run adds to; * in both stands\nfor the same text: "
         "--tie='present_*=past_*'"},
    [OPT_PLAN] = {"--plan", NULL, "print the plan: symbols, values, commands"},
    [OPT_JSON] = {"--json", NULL, "print the same as JSON, and nothing else"},
    [OPT_DOT] = {"--dot", NULL, "print the graph of kernels, regions and what lies between them in DOT, and nothing else"},
    [OPT_TRAIN] =
        {"--train", "[=PATTERNS]",
         "of the step of training that tcc-train makes, of these weights or all: what it keeps for its backward and why,\nand its memory against what is computed again"},
    [OPT_LOSS] = {"--loss", "LOSS", "with --train: as of tcc-train"},
    [OPT_OPTIMIZER] = {"--optimizer", "OPTIONS", "with --train: as of tcc-train"},
    [OPT_MEMORY] = {"--memory", "BYTES", "with --train: as of tcc-train"},
};
static const TccCommand command = {
    .name = "tcc-explain",
    .usage = "MODEL|ARTIFACT [options]",
    .summary = "Says what is supported, what is fused with what, which regions repeat, what the cache would reuse; of an artifact\n"
               "what it was made for and with, its inputs, outputs, files and kernels.",
    .options = table,
    .noptions = sizeof table / sizeof *table,
    .takes_models = true,
};

static void print_ports(const char *what, const TccCompiledPort *ports, size_t count) {
  for (size_t i = 0; i < count; i++) printf("%s '%s': %s\n", what, ports[i].name, ports[i].type);
}

/* What the kernel writes for others to read, and why they are others; the same said once. */
static void print_apart(const TccCompileResult *result, const char *kernel) {
  for (size_t i = 0; i < result->ntensors; i++) {
    const TccCompiledTensor *t = &result->tensors[i];
    bool said = !*t->readers || strcmp(t->maker, kernel) != 0;
    for (size_t k = 0; k < i && !said; k++)
      said = strcmp(result->tensors[k].maker, kernel) == 0 && strcmp(result->tensors[k].readers, t->readers) == 0 &&
             strcmp(result->tensors[k].why, t->why) == 0;
    if (!said) printf("      apart from %s: %s\n", t->readers, t->why);
  }
}

void explain_print_nodes(const char *const *nodes, size_t count) {
  enum { SHOWN = 4 };
  for (size_t i = 0; i < count && i < SHOWN; i++) printf("%s%s", i ? ", " : "      for: ", nodes[i]);
  if (count > SHOWN) printf(" and %zu more", count - SHOWN);
  if (count) printf("\n");
}

json_t *explain_nodes_json(const char *const *nodes, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) json_array_append_new(list, tcc_json_text(nodes[i]));
  return list;
}

static void print_kernels(const TccCompileResult *result) {
  size_t cached = 0, reference = 0, by_mlir = 0, cold = 0;
  printf("kernels:\n");
  for (size_t i = 0; i < result->nkernels; i++) {
    const TccCompiledKernel *kernel = &result->kernels[i];
    cached += kernel->cached;
    by_mlir += kernel->by_mlir;
    cold += kernel->cold;
    reference += strcmp(kernel->emitter, "reference") == 0;
    printf("  %s (%s): %u ops in one kernel, called %u times, by %s%s%s%s\n", kernel->function, kernel->kind, kernel->ops,
           kernel->calls, kernel->emitter, kernel->cached ? " (object from the cache)" : "",
           kernel->by_mlir ? " (object by way of MLIR)" : "", kernel->cold ? " (cold)" : "");
    printf("      fused: %s\n", kernel->body);
    explain_print_nodes(kernel->nodes, kernel->nnodes);
    if (*kernel->schedule) printf("      schedule: %s, by %s\n", kernel->schedule, kernel->chosen);
    if (*kernel->launch) printf("      launch: %s\n", kernel->launch);
    if (kernel->unpacked) printf("      right operand as it stands: %s\n", kernel->unpacked);
    print_apart(result, kernel->function);
  }
  printf("%zu kernel functions, %zu of them by the reference target, %zu objects from the cache, %zu by way of MLIR\n",
         result->nkernels, reference, cached, by_mlir);
  if (cold) printf("%zu kernel functions are cold: little effort is made of their code\n", cold);
}

static void print_tensors(const TccCompileResult *result) {
  printf("tensors in memory:\n");
  for (size_t i = 0; i < result->ntensors; i++) {
    const TccCompiledTensor *t = &result->tensors[i];
    printf("  %s: %s -> %s: %s", t->function, t->maker, *t->readers ? t->readers : "(returned)", t->type);
    if (t->bytes >= 0) printf(", %lld bytes", (long long)t->bytes);
    printf(": %s%s%s\n", t->why, *t->place ? "; " : "", t->place);
  }
}

static void print_remarks(const TccCompileResult *result) {
  if (result->nremarks) printf("almost:\n");
  for (size_t i = 0; i < result->nremarks; i++) {
    const TccCompiledRemark *r = &result->remarks[i];
    printf("  %s is almost %s: %s\n", *r->node ? r->node : "a product", r->almost, r->why);
  }
}

static json_t *json_remarks(const TccCompileResult *result) {
  json_t *list = json_array();
  for (size_t i = 0; i < result->nremarks; i++)
    json_array_append_new(list, json_pack("{s:o,s:s,s:o}", "node", tcc_json_text(result->remarks[i].node), "almost",
                                          result->remarks[i].almost, "why", tcc_json_text(result->remarks[i].why)));
  return list;
}

static json_t *json_ports(const TccCompiledPort *ports, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++)
    json_array_append_new(list, json_pack("{s:o,s:o}", "name", tcc_json_text(ports[i].name), "type", tcc_json_text(ports[i].type)));
  return list;
}

TccStatus *explain_print_json(json_t *root) {
  if (!root) return TCC_ERROR_NO_MEMORY();
  const bool written = json_dumpf(root, stdout, JSON_INDENT(1)) == 0;
  json_decref(root);
  if (!written && !ferror(stdout)) return TCC_ERROR_NO_MEMORY();
  putchar('\n'); /* what could not be written is told at the process's end */
  return NULL;
}

static TccStatus *print_json(const TccCompileResult *result) {
  json_t *kernels = json_array(), *tensors = json_array(), *regions = json_array();
  for (size_t i = 0; i < result->nkernels; i++) {
    const TccCompiledKernel *k = &result->kernels[i];
    json_array_append_new(kernels, json_pack("{s:s,s:s,s:s,s:s,s:o,s:s,s:s,s:s*,s:s*,s:I,s:I,s:b,s:b,s:b}", "function", k->function,
                                             "kind", k->kind, "emitter", k->emitter, "fused", k->body, "nodes",
                                             explain_nodes_json(k->nodes, k->nnodes), "schedule", k->schedule, "chosen_by",
                                             k->chosen, "launch", *k->launch ? k->launch : NULL, "right_operand_as_it_stands",
                                             k->unpacked, "ops", (json_int_t)k->ops, "calls", (json_int_t)k->calls, "cached",
                                             (int)k->cached, "by_mlir", (int)k->by_mlir, "cold", (int)k->cold));
  }
  for (size_t i = 0; i < result->ntensors; i++) {
    const TccCompiledTensor *t = &result->tensors[i];
    json_array_append_new(tensors, json_pack("{s:s,s:s,s:s,s:o,s:I,s:o,s:s}", "function", t->function, "maker", t->maker, "readers",
                                             t->readers, "type", tcc_json_text(t->type), "bytes", (json_int_t)t->bytes, "why",
                                             tcc_json_text(t->why), "place", t->place));
  }
  for (size_t i = 0; i < result->nregions; i++) {
    const TccCompiledRegion *r = &result->regions[i];
    json_array_append_new(regions, json_pack("{s:s,s:I,s:I,s:I}", "name", r->name, "kernels", (json_int_t)r->kernels, "ops",
                                             (json_int_t)r->ops, "calls", (json_int_t)r->calls));
  }
  json_t *root = json_pack("{s:o,s:o,s:o,s:o,s:o,s:o}", "inputs", json_ports(result->inputs, result->ninputs), "outputs",
                           json_ports(result->outputs, result->noutputs), "kernels", kernels, "tensors", tensors, "almost",
                           json_remarks(result), "regions", regions);
  return explain_print_json(root);
}

/* The plan is in the artifact, which a target without one has not. */
static TccStatus *print_dot(const TccCompileResult *result) {
  if (!result->artifact.length) return TCC_ERROR(TCC_UNSUPPORTED, "--dot draws an artifact, and this target makes none");
  char *memory = malloc(result->artifact.length + 64), *aligned = memory + (64 - (uintptr_t)memory % 64);
  if (!memory) return TCC_ERROR_NO_MEMORY();
  const TccPlanHeader *plan;
  TccText graph = {0};
  memcpy(aligned, result->artifact.data, result->artifact.length);
  TccStatus *status = tcc_artifact_plan(aligned, result->artifact.length, &plan);
  if (!status) explain_dot(plan, result->kernels, result->nkernels, &graph);
  if (!status) status = tcc_text_status(&graph);
  if (!status) printf("%s", graph.data);
  tcc_text_destroy(&graph);
  free(memory);
  return status;
}

static void print_result(const TccCompileResult *result, bool plan) {
  printf("supported\n");
  print_ports("input", result->inputs, result->ninputs);
  print_ports("output", result->outputs, result->noutputs);
  print_kernels(result);
  print_tensors(result);
  print_remarks(result);
  for (size_t i = 0; i < result->nregions; i++)
    printf("region %s: %u kernels, %u ops, called %u times\n", result->regions[i].name, result->regions[i].kernels,
           result->regions[i].ops, result->regions[i].calls);
  if (plan) printf("%s", result->plan.data);
}

/* What the cache would have done is asked before the compilation, which writes to it. */
static TccStatus *explain(const char *model, const TccCompileOptions *options, ExplainForm form, bool plan) {
  TccText key = {0}, cache_text = {0};
  TccCompileResult result;
  TccStatus *status = tcc_compile_key(model, options, &key);
  if (status) goto done;
  TccCache *cache = tcc_cache_open(!options->no_cache);
  tcc_cache_explain(cache, model, tcc_text_str(&key), &cache_text);
  tcc_text_put(&cache_text, "", 0); /* ends where the text has failed */
  tcc_cache_close(cache);
  status = tcc_compile(model, options, &result);
  tcc_progress(NULL, NULL);
  bool unsupported = status && tcc_status_code(status) == TCC_UNSUPPORTED; /* why: the error */
  bool answered = !status || unsupported;                                  /* any other error is all that there is to say */
  if (!status && form == EXPLAIN_JSON) status = print_json(&result);
  else if (!status && form == EXPLAIN_DOT) status = print_dot(&result);
  else if (!status) print_result(&result, plan);
  else if (unsupported && form == EXPLAIN_TEXT) printf("not supported\n");
  if (answered && form == EXPLAIN_TEXT) printf("cache:\n%s", cache_text.length ? cache_text.data : "");
  tcc_compile_result_destroy(&result);
done:
  tcc_text_destroy(&key);
  tcc_text_destroy(&cache_text);
  return status;
}

int main(int argc, char **argv) {
  TccArgs args = {.command = &command, .argc = argc, .argv = argv};
  TccCompileOptions options = {.explain = true, .specialise = true, .progress = tcc_progress};
  const char *model = NULL;
  ExplainForm form = EXPLAIN_TEXT;
  bool plan = false, for_models = false, training = false; /* for_models: an option that says nothing of an artifact */
  TccTrainOptions train = {0};
  for (TccArg arg = tcc_args_next(&args); arg.option != TCC_ARG_END; arg = tcc_args_next(&args)) {
    for_models |= arg.option >= 0 && arg.option < OPT_PLAN && arg.option != TCC_OPT_QUIET;
    if (tcc_compile_option(&command, &arg, &options)) continue;
    switch (arg.option) {
    case TCC_ARG_FILE:
      if (model) tcc_usage_error(&command, "one model at a time: '%s' and '%s'", model, arg.value);
      model = arg.value;
      break;
    case OPT_INPUT: tcc_add_input(&command, &arg, &options); break;
    case OPT_DIM: tcc_add_dim(&command, &arg, &options); break;
    case OPT_TIE: tcc_add_tie(&command, &arg, &options); break;
    case OPT_PLAN: plan = true; break;
    case OPT_TRAIN: training = true, train.train = arg.value; break;
    case OPT_LOSS: train.loss = arg.value; break;
    case OPT_OPTIMIZER: train.optimizer = arg.value; break;
    case OPT_MEMORY: train.memory = tcc_arg_bytes(&command, &arg); break;
    case OPT_JSON:
    case OPT_DOT:
      if (form) tcc_usage_error(&command, "either --json or --dot, once");
      form = arg.option == OPT_JSON ? EXPLAIN_JSON : EXPLAIN_DOT;
      break;
    }
  }
  if (plan && form) tcc_usage_error(&command, "--plan prints text, and goes with neither --json nor --dot");
  if (!model) tcc_usage_error(&command, "a model or an artifact is needed; see tcc-explain --help");
  bool compiled = tcc_is_artifact(model);
  if (compiled && for_models) tcc_usage_error(&command, "%s is compiled: it takes --plan, --json and --dot alone", model);
  if (!training && (train.loss || train.optimizer || train.memory))
    tcc_usage_error(&command, "--loss, --optimizer and --memory go with --train");
  if (training && (compiled || plan || form == EXPLAIN_DOT || options.ninputs || options.nties || options.freeze))
    tcc_usage_error(&command, "--train is about a model, and takes neither --plan, --dot, --input, --tie nor --freeze");
  train.compile = options;
  train.compile.explain = false;
  TccStatus *status = training   ? explain_train(model, &train, form)
                      : compiled ? explain_artifact(model, form, plan)
                                 : explain(model, &options, form, plan);
  tcc_compile_options_free(&options);
  return tcc_exit_status(&command, status);
}

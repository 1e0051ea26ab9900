/* tcc-explain.c - what tcc does with a model: is it supported, which kernels are made of which ops and by whom, which
 * regions repeat, what the compile cache would reuse. */
#include "tcc/cache.h"
#include "tcc/compile.h"
#include "tools/common.h"
#include <stdio.h>
#include <stdlib.h>

enum { OPT_TARGET, OPT_PLAN, OPT_NO_DEDUP, OPT_NO_CACHE };
static const TccOption table[] = {
    [OPT_TARGET] = {"--target", "TARGET", "x86[,MACHINE], nvptx[,sm_90a] or reference; default: this machine"},
    [OPT_PLAN] = {"--plan", NULL, "print the plan: symbols, values, commands"},
    [OPT_NO_DEDUP] = {"--no-dedup", NULL, "compile each copy of a repeated region"},
    [OPT_NO_CACHE] = {"--no-cache", NULL, "leave the compile cache alone"},
};
static const TccCommand command = {
    .name = "tcc-explain",
    .usage = "MODEL [options]",
    .summary = "Says what is supported, what is fused with what, which regions repeat, what the cache would reuse.",
    .options = table,
    .noptions = sizeof table / sizeof *table,
};

static void print_kernels(const TccCompileResult *result) {
  size_t cached = 0, reference = 0;
  printf("kernels:\n");
  for (size_t i = 0; i < result->nkernels; i++) {
    const TccCompiledKernel *kernel = &result->kernels[i];
    cached += kernel->cached;
    reference += strcmp(kernel->emitter, "reference") == 0;
    printf("  %s (%s): %u ops in one kernel, called %u times, by %s%s\n", kernel->function, kernel->kind, kernel->ops, kernel->calls, kernel->emitter,
           kernel->cached ? " (object from the cache)" : "");
    printf("      fused: %s\n", kernel->body);
    if (*kernel->schedule) printf("      schedule: %s\n", kernel->schedule);
  }
  printf("%zu kernel functions, %zu of them by the reference target, %zu objects from the cache\n", result->nkernels, reference, cached);
}

int main(int argc, char **argv) {
  TccArgs args = {.command = &command, .argc = argc, .argv = argv};
  TccCompileOptions options = {0};
  const char *model = NULL;
  bool plan = false;
  for (TccArg arg = tcc_args_next(&args); arg.option != TCC_ARG_END; arg = tcc_args_next(&args)) {
    switch (arg.option) {
    case TCC_ARG_FILE:
      if (model) tcc_usage_error(&command, "one model at a time: '%s' and '%s'", model, arg.value);
      model = arg.value;
      break;
    case OPT_TARGET: options.target = arg.value; break;
    case OPT_PLAN: plan = true; break;
    case OPT_NO_DEDUP: options.no_dedup = true; break;
    case OPT_NO_CACHE: options.no_cache = true; break;
    }
  }
  if (!model) tcc_usage_error(&command, "a model is needed; see tcc-explain --help");
  TccText key = {0}, cache_text = {0};
  TccStatus *status = tcc_compile_key(model, &options, &key);
  TccCompileResult result = {0};
  if (!status) {
    TccCache *cache = tcc_cache_open(!options.no_cache);
    tcc_cache_explain(cache, model, tcc_text_str(&key), &cache_text);
    tcc_cache_close(cache);
    status = tcc_compile(model, &options, &result);
    if (status && tcc_status_code(status) == TCC_UNSUPPORTED) printf("not supported:\n%s\n", tcc_status_message(status));
    if (!status) {
      printf("supported\n");
      print_kernels(&result);
      for (size_t i = 0; i < result.nregions; i++)
        printf("region %s: %u kernels, %u ops, called %u times\n", result.regions[i].name, result.regions[i].kernels, result.regions[i].ops, result.regions[i].calls);
      if (plan) printf("%s", result.plan.data);
    }
    printf("cache:\n%s", cache_text.length ? cache_text.data : "");
    tcc_compile_result_destroy(&result);
  }
  tcc_text_destroy(&key);
  tcc_text_destroy(&cache_text);
  return tcc_exit_status(&command, status);
}

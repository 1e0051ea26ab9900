/* tcc-compile.c - compiles a model ahead of time to an artifact that tcc-run and programs with libtccrt load. */
#include "tcc/compile.h"
#include "tcc/file.h"
#include "tools/common.h"
#include <stdio.h>
#include <stdlib.h>

enum { OPT_OUTPUT = TCC_OPT_SHARED, OPT_INPUT, OPT_DIM, OPT_TIMING };
static const TccOption table[] = {
    TCC_COMPILE_OPTIONS,
    [OPT_OUTPUT] = {"-o", "ARTIFACT", "the shared object to write; weights stay in the model's files, which must lie beside it"},
    [OPT_INPUT] = {"--input", "NAME=FILE", "the value of an input that decides shapes: it is compiled in"},
    [OPT_DIM] = {"--dim", "NAME=N", "a symbolic size, where the model can only be compiled for a constant"},
    [OPT_TIMING] = {"--timing", NULL, "print the time of each step to standard error"},
};
static const TccCommand command = {
    .name = "tcc-compile",
    .usage = "MODEL -o ARTIFACT [options]",
    .summary = "Compiles a model (.onnx, .mlir) to an artifact. The same input gives the same bytes.",
    .options = table,
    .noptions = sizeof table / sizeof *table,
    .epilogue =
        "--target may be given several times: one artifact for several machines, of which the loader takes what suits the CPU best.\n",
};

/* Compiles for each target in turn and writes one file with an artifact for each. */
static TccStatus *compile(const char *model, TccCompileOptions *options, const char *const *targets, size_t ntargets, bool timing,
                          const char *output) {
  TccText file = {0};
  TccStatus *status = NULL;
  for (size_t t = 0; t < ntargets && !status; t++) {
    TccCompileResult result;
    options->target = targets[t];
    status = tcc_compile(model, options, &result);
    tcc_progress(NULL, NULL);
    if (timing && ntargets > 1) fprintf(stderr, "%s:\n", targets[t]);
    for (size_t i = 0; timing && i < result.nphases; i++)
      fprintf(stderr, "%10.3f ms  %s\n", result.phases[i].ms, result.phases[i].name);
    if (!status) tcc_text_put(&file, result.artifact.data, result.artifact.length);
    if (status && ntargets > 1) status = tcc_status_context(status, "%s", targets[t]);
    tcc_compile_result_destroy(&result);
  }
  if (!status) status = tcc_file_write_quickly(output, file.data, file.length); /* whoever loads it checks its digest */
  tcc_text_destroy(&file);
  return status;
}

int main(int argc, char **argv) {
  TccArgs args = {.command = &command, .argc = argc, .argv = argv};
  TccCompileOptions options = {.progress = tcc_progress};
  const char *model = NULL, *output = NULL, *targets[16] = {NULL}; /* NULL: this machine */
  size_t ntargets = 0;
  bool timing = false;
  for (TccArg arg = tcc_args_next(&args); arg.option != TCC_ARG_END; arg = tcc_args_next(&args)) {
    if (arg.option == TCC_OPT_TARGET) {
      if (ntargets == sizeof targets / sizeof *targets) tcc_usage_error(&command, "more than %zu targets", ntargets);
      targets[ntargets++] = arg.value;
    }
    if (tcc_compile_option(&command, &arg, &options)) continue;
    switch (arg.option) {
    case TCC_ARG_FILE:
      if (model) tcc_usage_error(&command, "one model at a time: '%s' and '%s'", model, arg.value);
      model = arg.value;
      break;
    case OPT_OUTPUT: output = arg.value; break;
    case OPT_INPUT: tcc_add_input(&command, &arg, &options); break;
    case OPT_DIM: tcc_add_dim(&command, &arg, &options); break;
    case OPT_TIMING: timing = true; break;
    }
  }
  if (!model) tcc_usage_error(&command, "a model is needed; see tcc-compile --help");
  if (!output) tcc_usage_error(&command, "say where to write the artifact: -o FILE");
  TccStatus *status = compile(model, &options, targets, ntargets ? ntargets : 1, timing, output);
  tcc_compile_options_free(&options);
  return tcc_exit_status(&command, status);
}

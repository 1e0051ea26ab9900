/* tcc-compile.c - compiles a model ahead of time to an artifact that tcc-run and programs with libtccrt load. */
#include "tcc/compile.h"
#include "tcc/file.h"
#include "tcc/plan.h"
#include "tcc/ptxas.h"
#include "tools/common.h"
#include <stdio.h>
#include <stdlib.h>

enum { OPT_OUTPUT = TCC_OPT_SHARED, OPT_INPUT, OPT_DIM, OPT_TIE, OPT_EMBED, OPT_DIGEST, OPT_PTXAS, OPT_TIMING };
static const TccOption table[] = {
    TCC_COMPILE_OPTIONS,
    TCC_FREEZE_OPTION,
    [OPT_OUTPUT] = {"-o", "ARTIFACT", "the shared object to write; weights stay in the model's files, which must lie beside it"},
    [OPT_INPUT] = {"--input", "NAME=FILE", "the value of an input that decides shapes: it is compiled in"},
    [OPT_DIM] = {"--dim", "NAME=N", "a symbolic size becomes this constant: the artifact takes no other"},
    [OPT_TIE] =
        {"--tie", "OUTPUT=INPUT",
         "the output is written in place of that input, as a cache that each run adds to; * in both stands\nfor the same text: "
         "--tie='present_*=past_*'"},
    [OPT_EMBED] = {"--embed-weights", NULL,
                   "put the weights behind the artifact, in the same file: nothing else is needed to run it"},
    [OPT_DIGEST] = {"--digest-weights", NULL, "note digests of all bytes of the weights, for tcc-run --verify-weights=full"},
    [OPT_PTXAS] = {"--ptxas", "FILE",
                   "of targets on a GPU: the assembler that makes machine code to put beside the PTX, none, or find (default): "
                   "$TCC_PTXAS, else ptxas of $PATH, else PTX alone"},
    [OPT_TIMING] = {"--timing", NULL, "print the time of each step to standard error"},
};
static const TccCommand command = {
    .name = "tcc-compile",
    .usage = "MODEL -o ARTIFACT [options]",
    .summary = "Compiles a model to an artifact. The same input gives the same bytes.",
    .options = table,
    .noptions = sizeof table / sizeof *table,
    .takes_models = true,
    .epilogue =
        "--target may be given several times: one artifact for several machines, of which the loader takes what suits the CPU best.\n",
};

/* Weights that artifacts for several machines share must be the same pieces. */
static bool same_weights(const TccCompileResult *a, const TccCompileResult *b) {
  bool same = a->nweights == b->nweights;
  for (size_t i = 0; same && i < a->nweights; i++) same = tcc_str_equal(a->weights[i], b->weights[i]);
  return same;
}

/* The artifacts, and behind them the weights, if they are to be there. Whoever loads the file checks its digests. */
static TccStatus *write_file(const char *output, const TccText *artifacts, const TccCompileResult *result, bool weights) {
  static const char zeros[TCC_WEIGHTS_ALIGNMENT];
  if (!weights) return tcc_file_write_quickly(output, artifacts->data, artifacts->length);
  uint64_t bytes = 0;
  for (size_t i = 0; i < result->nweights; i++) bytes += result->weights[i].length;
  const TccWeightsRecord record = tcc_weights_record(artifacts->length, bytes);
  TccArena *arena = tcc_arena_create();
  TccStr *parts = TCC_NEW_ARRAY(arena, TccStr, result->nweights + 3);
  size_t count = 0;
  parts[count++] = tcc_text_str(artifacts);
  parts[count++] = (TccStr){zeros, record.offset - record.artifact_bytes};
  for (size_t i = 0; i < result->nweights; i++) parts[count++] = result->weights[i];
  parts[count++] = (TccStr){(const char *)&record, sizeof record};
  TccStatus *status = tcc_file_write_parts(output, parts, count);
  tcc_arena_destroy(arena);
  return status;
}

/* An artifact in the place of weights that it reads would be the end of these, and of itself. */
static TccStatus *check_weights(const char *output, const TccCompileResult *result) {
  for (size_t i = 0; i < result->nfiles; i++)
    if (tcc_same_file(output, result->files[i]))
      return TCC_ERROR(TCC_INVALID, "-o %s: weights of the model are in this file, it is not overwritten", output);
  return NULL;
}

/* Compiles for each target in turn and writes one file with an artifact for each. */
static TccStatus *compile(const char *model, TccCompileOptions *options, const char *const *targets, size_t ntargets, bool timing,
                          const char *output) {
  TccText file = {0};
  TccStatus *status = NULL;
  TccCompileResult first = {0}; /* it has the weights */
  for (size_t t = 0; t < ntargets && !status; t++) {
    TccCompileResult result;
    options->target = targets[t];
    status = tcc_compile(model, options, &result);
    tcc_progress(NULL, NULL);
    if (timing && ntargets > 1) fprintf(stderr, "%s:\n", targets[t]);
    for (size_t i = 0; timing && i < result.nphases; i++)
      fprintf(stderr, "%10.3f ms  %s\n", result.phases[i].ms, result.phases[i].name);
    if (!status) tcc_text_put(&file, result.artifact.data, result.artifact.length);
    if (!status) status = check_weights(output, &result);
    if (!status && t > 0 && !same_weights(&first, &result))
      status = TCC_ERROR(TCC_UNSUPPORTED, "it reads other weights than the first target: embed those of one target");
    if (status && ntargets > 1) status = tcc_status_context(status, "%s", targets[t]);
    if (t == 0) first = result;
    else tcc_compile_result_destroy(&result);
  }
  if (!status) status = write_file(output, &file, &first, options->embed_weights);
  tcc_compile_result_destroy(&first);
  tcc_text_destroy(&file);
  return status;
}

int main(int argc, char **argv) {
  TccArgs args = {.command = &command, .argc = argc, .argv = argv};
  TccCompileOptions options = {.progress = tcc_progress, .specialise = true, .ptxas = TCC_PTXAS_FIND};
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
    case OPT_TIE: tcc_add_tie(&command, &arg, &options); break;
    case OPT_EMBED: options.embed_weights = true; break;
    case OPT_DIGEST: options.digest_weights = true; break;
    case OPT_PTXAS: options.ptxas = arg.value; break;
    case OPT_TIMING: timing = true; break;
    }
  }
  if (!model) tcc_usage_error(&command, "a model is needed; see tcc-compile --help");
  if (!output) tcc_usage_error(&command, "say where to write the artifact: -o FILE");
  tcc_check_output(&command, "-o", output, model, "the model");
  tcc_check_output(&command, "-o", output, options.weights, "the file of --weights");
  TccStatus *status = tcc_file_check_name(output); /* said before the work, not behind it */
  if (!status) status = compile(model, &options, targets, ntargets ? ntargets : 1, timing, output);
  tcc_compile_options_free(&options);
  return tcc_exit_status(&command, status);
}

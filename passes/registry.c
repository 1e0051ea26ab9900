/* registry.c - the tables of passes and pipelines, and the options of a pass.
 *
 * MLIR cannot register a pass that was written in C by name, so tcc has its own table; pipeline.c parses and runs texts. */
#include "tcc/pass.h"
#include <assert.h>
#include <stdlib.h>

static const TccPassInfo passes[] = {
#define TCC_PASS(function, name, summary, options) {name, summary, options, tcc_pass_##function},
#include "passes/passes.def"
#undef TCC_PASS
};

static const TccPipelineInfo pipelines[] = {
#define TCC_PIPELINE(name, summary, text) {name, summary, text},
#include "passes/pipelines.def"
#undef TCC_PIPELINE
};

const TccPassInfo *tcc_pass_table(size_t *out_count) {
  *out_count = sizeof passes / sizeof *passes;
  return passes;
}

const TccPassInfo *tcc_pass_find(TccStr name) {
  for (size_t i = 0; i < sizeof passes / sizeof *passes; ++i)
    if (tcc_str_is(name, passes[i].name)) return &passes[i];
  return NULL;
}

const TccPipelineInfo *tcc_pipeline_table(size_t *out_count) {
  *out_count = sizeof pipelines / sizeof *pipelines;
  return pipelines;
}

const char *tcc_pipeline_text(TccStr name) {
  for (size_t i = 0; i < sizeof pipelines / sizeof *pipelines; ++i)
    if (tcc_str_is(name, pipelines[i].name)) return pipelines[i].text;
  return NULL;
}

int tcc_pass_number(const TccPassRun *run, const char *name) {
  TccStr text = {0};
  bool given = tcc_pass_option(run, name, &text);
  assert(given);
  return given ? atoi(text.data) : 0;
}

bool tcc_pass_option(const TccPassRun *run, const char *name, TccStr *out) {
  /* The run lists the defaults of the table first and what was given after them: the last one wins. */
  for (size_t i = run->noptions; i-- > 0;) {
    if (strcmp(run->options[2 * i], name) != 0) continue;
    *out = tcc_str(run->options[2 * i + 1]);
    return true;
  }
  return false;
}

/* explain.h - what the files of tcc-explain share. */
#ifndef TCC_TOOLS_EXPLAIN_H
#define TCC_TOOLS_EXPLAIN_H
#include "tcc/compile.h"
#include "tcc/plan.h"
#include "tcc/train.h"
#include <jansson.h>

typedef enum { EXPLAIN_TEXT, EXPLAIN_JSON, EXPLAIN_DOT } ExplainForm;

/* A line with the first nodes of a kernel, none if there is none; all of them as JSON. */
void explain_print_nodes(const char *const *nodes, size_t count);
json_t *explain_nodes_json(const char *const *nodes, size_t count);
TccStatus *explain_print_json(json_t *root) TCC_CHECKED; /* to standard output; takes root */

/* Prints what an artifact holds, of each machine that it has code for; none of its code is loaded. In DOT: the first machine's. */
TccStatus *explain_artifact(const char *path, ExplainForm form, bool plan) TCC_CHECKED;

/* Prints what a step of training keeps for its backward and why, and its memory against what is computed again. */
TccStatus *explain_train(const char *model, const TccTrainOptions *options, ExplainForm form) TCC_CHECKED;

/* Appends a plan, which must have been checked, as a graph in DOT. kernels: what is fused in each; NULL and 0 of an artifact. */
void explain_dot(const TccPlanHeader *plan, const TccCompiledKernel *kernels, size_t nkernels, TccText *out);
#endif

/* explain.h - what the files of tcc-explain share. */
#ifndef TCC_TOOLS_EXPLAIN_H
#define TCC_TOOLS_EXPLAIN_H
#include "tcc/compile.h"
#include <jansson.h>

/* A line with the first nodes of a kernel, none if there is none; all of them as JSON. */
void explain_print_nodes(const char *const *nodes, size_t count);
json_t *explain_nodes_json(const char *const *nodes, size_t count);
TccStatus *explain_print_json(json_t *root) TCC_CHECKED; /* to standard output; takes root */

/* Prints what an artifact holds, of each machine that it has code for; none of its code is loaded. */
TccStatus *explain_artifact(const char *path, bool plan, bool json) TCC_CHECKED;
#endif

/* import_table.c - ops.def as an array sorted by type, and as a page of documentation. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <stdlib.h>

static const OnnxOp table[] = {
#define ONNX_OP(type, domain, since, handler, kind, expansion)                                                                     \
  {type, sizeof type - 1, domain, since, onnx_op_##handler, kind, expansion},
#include "lib/frontend/onnx/ops.def"
#undef ONNX_OP
};
enum { TABLE_SIZE = sizeof table / sizeof *table };

static bool same_domain(TccStr a, const char *b) { return tcc_str_is(a, b) || (!*b && tcc_str_is(a, "ai.onnx")); }

const OnnxOp *onnx_find_op(TccStr domain, TccStr type, int64_t opset, const char **out_why) {
  const OnnxOp *found = NULL, *other = NULL;
  for (size_t i = 0; i < TABLE_SIZE; i++) {
    if (type.length != table[i].type_length || memcmp(type.data, table[i].type, type.length) ||
        !same_domain(domain, table[i].domain))
      continue;
    other = &table[i];
    if (table[i].since <= opset && (!found || table[i].since > found->since)) found = &table[i];
  }
  *out_why = opset == 0 ? "its domain is not imported by the model"
             : other    ? "in this old opset"
                        : "no such operator in tcc; tcc-translate --print-onnx-ops-doc lists them";
  return opset == 0 ? NULL : found;
}

int64_t onnx_newest_of_domain(TccStr domain) {
  int64_t newest = 0;
  for (size_t i = 0; i < TABLE_SIZE; i++)
    if (*table[i].domain && same_domain(domain, table[i].domain) && table[i].since > newest) newest = table[i].since;
  return newest;
}

static int by_name(const void *a, const void *b) {
  const OnnxOp *x = *(const OnnxOp *const *)a, *y = *(const OnnxOp *const *)b;
  int order = strcmp(x->domain, y->domain);
  return order ? order : strcmp(x->type, y->type) ? strcmp(x->type, y->type) : x->since - y->since;
}

void tcc_onnx_document(TccText *out) {
  const OnnxOp *sorted[TABLE_SIZE];
  for (size_t i = 0; i < TABLE_SIZE; i++) sorted[i] = &table[i];
  qsort(sorted, TABLE_SIZE, sizeof *sorted, by_name);
  tcc_text_printf(
      out,
      "# ONNX operators\n\nGenerated from lib/frontend/onnx/ops.def. What an operator becomes is in ops of the tcc dialect (ops.md).\n\n"
      "| operator | opsets from | becomes |\n|---|---|---|\n");
  for (size_t i = 0; i < TABLE_SIZE; i++)
    tcc_text_printf(out, "| %s%s%s | %d | %s |\n", sorted[i]->domain, *sorted[i]->domain ? "." : "", sorted[i]->type,
                    sorted[i]->since, sorted[i]->expansion);
}

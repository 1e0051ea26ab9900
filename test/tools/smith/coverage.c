/* coverage.c - which ops of the table random modules have. */
#include "tcc/op_kinds.h"
#include "test/tools/smith/graph.h"
#include <stdio.h>

static const char *left_out(const char *mnemonic) {
  static const struct {
    const char *mnemonic, *why;
  } table[] = {
#define SMITH_LEFT_OUT(mnemonic, why) {mnemonic, why},
#include "test/tools/smith/ops.def"
  };
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].mnemonic, mnemonic) == 0) return table[i].why;
  return NULL;
}

static size_t count_in(const char *text, const char *op) {
  char quoted[80];
  size_t count = 0;
  snprintf(quoted, sizeof quoted, "\"%s\"", op);
  for (const char *at = text; at && (at = strstr(at, quoted)); at++) count++;
  return count;
}

bool smith_coverage(TccIr *ir, uint64_t first, uint64_t count, size_t ops, bool large) {
  size_t made[TCC_OP_COUNT] = {0};
  bool right = true;
  for (uint64_t i = 0; i < count; i++) {
    SmithGraph g;
    TccStatus *status = smith_make(ir, first + i, ops, large, &g);
    for (int kind = TCC_OP_UNKNOWN + 1; !status && kind < TCC_OP_COUNT; kind++)
      made[kind] += count_in(g.module.data, tcc_op_name((TccOpKind)kind));
    right &= !status;
    tcc_status_destroy(status);
    smith_destroy(&g);
  }
  for (int kind = TCC_OP_UNKNOWN + 1; kind < TCC_OP_COUNT; kind++) {
    const char *name = tcc_op_name((TccOpKind)kind), *why = left_out(name + strlen("tcc."));
    if (!why) printf("%8zu %s\n", made[kind], name);
    else printf("%8zu %s: %s\n", made[kind], name, why);
    right &= !why == !!made[kind];
  }
  return right;
}

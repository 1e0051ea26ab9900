/* Size expressions from text: what parses prints, and what was printed parses to the same expression and evaluates alike. */
#include "tcc/expr.h"
#include <stdlib.h>

static bool value_of(TccStr name, int64_t *out, void *user) {
  (void)user;
  *out = 3 + (int64_t)(name.length % 5);
  return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 512) return 0;
  TccArena *arena = tcc_arena_create();
  TccExprPool *pool = tcc_expr_pool_create(arena);
  const TccExpr *e, *again;
  TccStatus *status = tcc_expr_parse(pool, (TccStr){(const char *)data, size}, &e);
  if (!status) {
    status = tcc_expr_parse(pool, tcc_str(tcc_expr_text(pool, e)), &again);
    if (status || again != e) abort();
    int64_t value;
    status = tcc_expr_eval(e, value_of, NULL, &value);
  }
  tcc_status_destroy(status);
  tcc_arena_destroy(arena);
  return 0;
}

/* Texts of sizes and conditions: what is taken prints, parses back to itself, and evaluates or says why not. */
#include "lib/frontend/torch/expr.h"
#include <stdlib.h>

static bool bind(TccStr name, int64_t *out, void *user) {
  (void)user;
  *out = (int64_t)(name.length * 7 % 11) + 1;
  return true;
}

static void visit(TccExprPool *pool, const TccExpr *e) {
  const TccExpr *again = NULL;
  int64_t value;
  TccStatus *status = tcc_expr_parse(pool, tcc_str(tcc_expr_text(pool, e)), &again);
  if (!status && again != e) abort();
  tcc_status_destroy(status);
  tcc_status_destroy(tcc_expr_eval(e, bind, NULL, &value));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static TccArena *arena;
  if (!arena) arena = tcc_arena_create();
  tcc_arena_reset(arena);
  TccExprPool *pool = tcc_expr_pool_create(arena);
  TccStr text = {(const char *)data, size};
  TccTorchConstraint constraint;
  const TccExpr *e;
  TccStatus *status = tcc_torch_expr(pool, text, &e);
  if (!status) visit(pool, e);
  tcc_status_destroy(status);
  status = tcc_torch_condition(pool, NULL, text, &constraint);
  if (!status) visit(pool, constraint.expr);
  tcc_status_destroy(status);
  if (tcc_expr_too_large(pool)) abort();
  return 0;
}

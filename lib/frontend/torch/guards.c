/* guards.c - what a program takes for granted of its sizes: its ranges and guards as constraints. */
#include "lib/frontend/torch/expr.h"

static bool always_holds(const TccTorchConstraint *c) {
  int64_t value;
  return c->equal ? tcc_expr_is_const(c->expr, &value) && value == 0 : tcc_expr_known_nonnegative(c->expr);
}

static void put_constraint(TccTorchConstraints *out, TccTorchConstraint constraint) {
  if (!always_holds(&constraint)) out->constraints[out->count++] = constraint;
}

static void put_unknown(TccArena *arena, TccTorchConstraints *out, TccStr text, const TccStatus *status) {
  const char *reason = tcc_status_message(status);
  out->unknown[out->nunknown] = text;
  out->reasons[out->nunknown++] = tcc_arena_copy(arena, reason, strlen(reason));
}

/* A range's name is an expression, too: `2*s0`. */
static void put_range(TccArena *arena, TccExprPool *pool, const TccTorchRange *range, TccTorchConstraints *out) {
  TccStr origin = tcc_str(tcc_arena_printf(arena, "range of %.*s", TCC_STR_ARG(range->symbol)));
  const TccExpr *e;
  TccStatus *status = tcc_torch_expr(pool, range->symbol, &e);
  if (status) put_unknown(arena, out, origin, status);
  if (!status && range->least > 2)
    put_constraint(out, (TccTorchConstraint){tcc_expr_sub(pool, e, tcc_expr_const(pool, range->least)), false, origin});
  if (!status && range->most != INT64_MAX)
    put_constraint(out, (TccTorchConstraint){tcc_expr_sub(pool, tcc_expr_const(pool, range->most), e), false, origin});
  tcc_status_destroy(status);
}

void tcc_torch_constraints(TccArena *arena, TccExprPool *pool, const TccTorchProgram *program, TccTorchConstraints *out) {
  size_t most = program->nguards + program->nranges;
  *out = (TccTorchConstraints){.constraints = TCC_NEW_ARRAY(arena, TccTorchConstraint, most + program->nranges),
                               .unknown = TCC_NEW_ARRAY(arena, TccStr, most),
                               .reasons = TCC_NEW_ARRAY(arena, const char *, most)};
  for (size_t i = 0; i < program->nranges; i++) put_range(arena, pool, &program->ranges[i], out);
  for (size_t i = 0; i < program->nguards; i++) {
    TccTorchConstraint constraint;
    TccStatus *status = tcc_torch_condition(pool, program, program->guards[i], &constraint);
    if (status) put_unknown(arena, out, program->guards[i], status);
    else put_constraint(out, constraint);
    tcc_status_destroy(status);
  }
}

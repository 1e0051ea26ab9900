/* emit_flow.c - loops and branches, as text of the LLVM dialect. See emit.h. */
#include "lib/codegen/emit/emit_internal.h"
#include <assert.h>

static void put_block(TccEmit *e, int block, int n, const TccVal *values, const char *const *types) {
  tcc_emit_put(e, "^b%d", block);
  if (n) {
    tcc_emit_put(e, "(");
    for (int i = 0; i < n; i++) tcc_emit_put(e, "%s%%%d: %s", i ? ", " : "", values[i], types[i]);
    tcc_emit_put(e, ")");
  }
  tcc_emit_put(e, ":\n");
}

/* cond_br to the body with (iv, carried) or to the exit with (carried). */
static void loop_branch(TccEmit *e, TccLoop *loop, TccVal iv, const TccVal *carried) {
  TccVal values[TCC_LOOP_MAX + 1];
  const char *types[TCC_LOOP_MAX + 1];
  values[0] = iv;
  types[0] = "i64";
  for (int i = 0; i < loop->n; i++) {
    values[i + 1] = carried[i];
    types[i + 1] = loop->type[i];
  }
  TccVal more = tcc_emit_icmp(e, "slt", "i64", iv, loop->upper);
  tcc_emit_put(e, "llvm.cond_br %%%d, ^b%d", more, loop->body);
  emit_values(e, loop->n + 1, values, types);
  tcc_emit_put(e, ", ^b%d", loop->exit);
  emit_values(e, loop->n, values + 1, types + 1);
  tcc_emit_put(e, "\n");
}

void tcc_emit_for(TccEmit *e, TccLoop *loop, TccVal lower, TccVal upper, int64_t step, int n, const TccVal *init,
                  const char *const *types) {
  tcc_emit_for_by(e, loop, lower, upper, tcc_emit_i64(e, step), n, init, types);
}

void tcc_emit_for_by(TccEmit *e, TccLoop *loop, TccVal lower, TccVal upper, TccVal step, int n, const TccVal *init,
                     const char *const *types) {
  assert(n <= TCC_LOOP_MAX);
  loop->n = n;
  loop->upper = upper;
  loop->step = step;
  loop->body = e->next++;
  loop->exit = e->next++;
  TccVal values[TCC_LOOP_MAX + 1];
  const char *all[TCC_LOOP_MAX + 1];
  loop->iv = values[0] = e->next++;
  all[0] = "i64";
  for (int i = 0; i < n; i++) {
    loop->type[i] = all[i + 1] = types[i];
    loop->in[i] = values[i + 1] = e->next++;
    loop->out[i] = e->next++;
  }
  loop_branch(e, loop, lower, init);
  put_block(e, loop->body, n + 1, values, all);
}

void tcc_emit_end_for(TccEmit *e, TccLoop *loop, const TccVal *next) {
  loop_branch(e, loop, tcc_emit_add(e, loop->iv, loop->step), next);
  put_block(e, loop->exit, loop->n, loop->out, loop->type);
}

void tcc_emit_if(TccEmit *e, TccIf *i, TccVal condition, int n, const char *const *types) {
  assert(n <= 16);
  i->then = e->next++;
  i->otherwise = e->next++;
  i->end = e->next++;
  i->n = n;
  i->has_else = false;
  for (int k = 0; k < n; k++) {
    i->type[k] = types[k];
    i->out[k] = e->next++;
  }
  tcc_emit_put(e, "llvm.cond_br %%%d, ^b%d, ^b%d\n", condition, i->then, i->otherwise);
  put_block(e, i->then, 0, NULL, NULL);
}

void tcc_emit_else(TccEmit *e, TccIf *i, const TccVal *yield) {
  i->has_else = true;
  tcc_emit_put(e, "llvm.br ^b%d", i->end);
  emit_values(e, i->n, yield, i->type);
  tcc_emit_put(e, "\n");
  put_block(e, i->otherwise, 0, NULL, NULL);
}

void tcc_emit_end_if(TccEmit *e, TccIf *i, const TccVal *yield) {
  assert(i->has_else || i->n == 0);
  int to = i->has_else ? i->end : i->otherwise;
  tcc_emit_put(e, "llvm.br ^b%d", to);
  emit_values(e, i->n, yield, i->type);
  tcc_emit_put(e, "\n");
  put_block(e, to, i->n, i->out, i->type);
}

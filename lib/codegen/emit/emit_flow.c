/* emit_flow.c - loops and branches, as ops of the LLVM dialect. See emit.h. */
#include "lib/codegen/emit/emit_internal.h"
#include <assert.h>

static void put_block(TccEmit *e, int block, int n, const TccVal *values, const char *const *types) {
  TccLlvmInst *inst = emit_inst(e, TCC_LLVM_LABEL, NULL, block, 0, 0);
  inst->n = (uint16_t)n, inst->list = emit_copy_list(e, n, values), inst->types = emit_copy_types(e, n, types);
}

static void put_branch(TccEmit *e, int block, int n, const TccVal *values, const char *const *types) {
  TccLlvmInst *inst = emit_inst(e, TCC_LLVM_BR, NULL, block, 0, 0);
  inst->n = (uint16_t)n, inst->list = emit_copy_list(e, n, values), inst->types = emit_copy_types(e, n, types);
}

/* cond_br to the body with (iv, carried) or to the exit with (carried). */
static void loop_branch(TccEmit *e, TccLoop *loop, TccVal iv, const TccVal *carried) {
  TccVal values[2 * TCC_LOOP_MAX + 1];
  const char *types[2 * TCC_LOOP_MAX + 1];
  values[0] = iv;
  types[0] = "i64";
  for (int i = 0; i < loop->n; i++) {
    values[i + 1] = values[i + 1 + loop->n] = carried[i];
    types[i + 1] = types[i + 1 + loop->n] = loop->type[i];
  }
  TccVal more = tcc_emit_icmp(e, "slt", "i64", iv, loop->upper);
  TccLlvmInst *inst = emit_inst(e, TCC_LLVM_COND_BR, NULL, more, loop->body, loop->exit);
  inst->n = (uint16_t)(loop->n + 1), inst->number = loop->n;
  inst->list = emit_copy_list(e, 2 * loop->n + 1, values), inst->types = emit_copy_types(e, 2 * loop->n + 1, types);
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

static void begin_if(TccEmit *e, TccIf *i, TccVal condition, bool rare, int n, const char *const *types) {
  assert(n <= TCC_IF_MAX);
  i->then = e->next++;
  i->otherwise = e->next++;
  i->end = e->next++;
  i->n = n;
  i->has_else = false;
  for (int k = 0; k < n; k++) {
    i->type[k] = types[k];
    i->out[k] = e->next++;
  }
  emit_inst(e, TCC_LLVM_COND_BR, NULL, condition, i->then, i->otherwise)->flag = rare;
  put_block(e, i->then, 0, NULL, NULL);
}

void tcc_emit_if(TccEmit *e, TccIf *i, TccVal condition, int n, const char *const *types) {
  begin_if(e, i, condition, false, n, types);
}

void tcc_emit_if_rare(TccEmit *e, TccIf *i, TccVal condition, int n, const char *const *types) {
  begin_if(e, i, condition, true, n, types);
}

void tcc_emit_else(TccEmit *e, TccIf *i, const TccVal *yield) {
  i->has_else = true;
  put_branch(e, i->end, i->n, yield, i->type);
  put_block(e, i->otherwise, 0, NULL, NULL);
}

void tcc_emit_end_if(TccEmit *e, TccIf *i, const TccVal *yield) {
  assert(i->has_else || i->n == 0);
  int to = i->has_else ? i->end : i->otherwise;
  put_branch(e, to, i->n, yield, i->type);
  put_block(e, to, i->n, i->out, i->type);
}

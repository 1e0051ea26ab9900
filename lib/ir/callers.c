/* callers.c - see callers.h. */
#include "lib/ir/callers.h"
#include "lib/ir/names.h"

typedef struct {
  TccIr *ir;
  TccArena *arena;
  TccMap *functions; /* name -> TccCallers */
} Search;

static void note_call(void *user, MlirOperation call) {
  const Search *s = user;
  TccMapEntry *entry = tcc_map_find(s->functions, tcc_callee_name(call));
  if (!entry) return;
  TccCallers *callers = entry->pointer;
  TccLoopCall loop;
  callers->loop = callers->loop || tcc_call_loop(s->ir, call, &loop);
  callers->blocks = callers->blocks || (callers->calls.count && !mlirBlockEqual(mlirOperationGetBlock(callers->calls.data[0]),
                                                                                mlirOperationGetBlock(call)));
  TCC_VEC_PUSH(s->arena, &callers->calls, call);
}

TccCallers *tcc_callers(TccIr *ir, TccArena *arena, MlirOperation module, size_t *out_count) {
  Search s = {ir, arena, tcc_map_create(arena)};
  size_t count = 0;
  TCC_EACH_FUNCTION (func, module) count++;
  TccCallers *all = TCC_NEW_ARRAY(arena, TccCallers, count + 1);
  *out_count = 0;
  TCC_EACH_FUNCTION (func, module) {
    TccCallers *callers = &all[(*out_count)++];
    callers->func = func;
    tcc_map_put(s.functions, tcc_function_name(func), NULL)->pointer = callers;
  }
  tcc_each_call(tcc_func_body(module), note_call, &s);
  return all;
}

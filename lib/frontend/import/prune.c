/* prune.c - the part of a loop's body that some of what it carries depends on; and which sizes are gone with the rest, and with bodies that were
 * dropped: what was asked of them is no constraint of the module. */
#include "lib/frontend/import/importer.h"
#include "lib/ir/op_symbols.h"
#include "tcc/op_kinds.h"

typedef struct {
  ImportCall *c;
  MlirBlock block;
  TccMap *needed;  /* pointers of the block's ops */
  TccMap *counted; /* size -> the op of the block that counts it */
  bool *arguments; /* that are needed, of the block */
  TCC_VEC(MlirOperation) work;
} Prune;

/* The function of `loops` that an op calls; null for another op. */
static MlirOperation callee_of(ImportCall *c, MlirOperation call) {
  MlirAttribute callee = tcc_attribute(call, "callee");
  if (mlirAttributeIsNull(callee)) return (MlirOperation){NULL};
  MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
  Importer *run = c->importer;
  for (size_t i = run->loops.count; i-- > 0;)
    if (run->loops.data[i].ptr && tcc_str_equal(tcc_function_name(run->loops.data[i]), (TccStr){name.data, name.length}))
      return run->loops.data[i];
  return (MlirOperation){NULL};
}

MlirOperation import_called_loop(ImportCall *c, MlirOperation call) {
  TccLoopCall loop;
  MlirOperation function = callee_of(c, call);
  return function.ptr && tcc_call_loop(c->ir, call, &loop) ? function : (MlirOperation){NULL};
}

static bool has_op(const TccMap *map, MlirOperation op) {
  const void *key = op.ptr;
  return tcc_map_find(map, tcc_key_pointer(&key)) != NULL;
}

static void need_op(Prune *p, MlirOperation op) {
  const void *key = op.ptr;
  bool inserted;
  if (mlirOperationIsNull(op) || !mlirBlockEqual(mlirOperationGetBlock(op), p->block)) return;
  tcc_map_put(p->needed, tcc_key_pointer(&key), &inserted);
  if (inserted) TCC_VEC_PUSH(import_arena(p->c), &p->work, op);
}

static void need(Prune *p, MlirValue value) {
  if (!mlirValueIsABlockArgument(value)) need_op(p, tcc_value_op(value));
  else if (mlirBlockEqual(mlirBlockArgumentGetOwner(value), p->block)) p->arguments[mlirBlockArgumentGetArgNumber(value)] = true;
}

/* The sizes that ops of a block, and of the loops in it, have. */
static void collect_symbols(ImportCall *c, MlirBlock block, TccMap *names) {
  TCC_EACH_OP (op, block) {
    tcc_op_symbols(c->ir, op, names);
    MlirOperation function = callee_of(c, op);
    if (function.ptr) collect_symbols(c, tcc_func_body(function), names);
  }
}

static void follow(Prune *p, MlirOperation op) {
  TccMap *names = tcc_map_create(import_arena(p->c));
  MlirOperation function = callee_of(p->c, op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) need(p, mlirOperationGetOperand(op, i));
  tcc_op_symbols(p->c->ir, op, names);
  if (function.ptr) collect_symbols(p->c, tcc_func_body(function), names);
  for (size_t i = 0; i < tcc_map_count(names); i++) {
    const TccMapEntry *counts = tcc_map_find(p->counted, tcc_map_at(names, i)->key);
    if (counts) need_op(p, (MlirOperation){counts->pointer});
  }
}

/* ---- what is gone ---- */
void import_forget_sizes(ImportCall *c, MlirBlock block) {
  TCC_EACH_OP (op, block)
    if (tcc_op_kind(c->ir, op) == TCC_OP_NONZERO) tcc_map_put(c->importer->gone, tcc_string(c->ir, op, "size"), NULL);
}

typedef struct {
  const TccMap *gone;
  bool found;
} Gone;

static void look_up(TccStr name, void *user) {
  Gone *g = user;
  g->found |= tcc_map_find(g->gone, name) != NULL;
}

bool import_is_gone(const Importer *run, const TccExpr *e) {
  Gone g = {.gone = run->gone};
  tcc_expr_symbols(e, look_up, &g);
  return g.found;
}

/* Destroys the ops that are not needed, and the functions that they alone call. */
static void erase_rest(Prune *p) {
  ImportCall *c = p->c;
  TCC_VEC(MlirOperation) rest = {0};
  TCC_EACH_OP (op, p->block)
    if (!has_op(p->needed, op)) TCC_VEC_PUSH(import_arena(c), &rest, op);
  while (rest.count) {
    MlirOperation op = rest.data[--rest.count], function = import_called_loop(c, op);
    if (tcc_op_kind(c->ir, op) == TCC_OP_NONZERO) tcc_map_put(c->importer->gone, tcc_string(c->ir, op, "size"), NULL);
    mlirOperationDestroy(op);
    if (function.ptr) import_forget_loop(c, function);
  }
  tcc_symbolic_forget(c->ir);
}

void import_body_prune(ImportCall *c, ImportBody *body, const bool *wanted, size_t *count, MlirValue *initial, MlirValue *results,
                       size_t *out_places) {
  TccArena *arena = import_arena(c);
  Prune p = {.c = c,
             .block = body->block,
             .needed = tcc_map_create(arena),
             .counted = tcc_map_create(arena),
             .arguments = TCC_NEW_ARRAY(arena, bool, *count + 1)};
  bool *seen = TCC_NEW_ARRAY(arena, bool, *count + 1), changed = true;
  TCC_EACH_OP (op, p.block)
    if (tcc_op_kind(c->ir, op) == TCC_OP_NONZERO) tcc_map_put(p.counted, tcc_string(c->ir, op, "size"), NULL)->pointer = op.ptr;
  memcpy(p.arguments, wanted, *count * sizeof *wanted);
  while (changed) { /* what is carried to a needed argument is needed itself */
    changed = false;
    for (size_t i = 0; i < *count; i++) {
      if (!p.arguments[i] || seen[i]) continue;
      seen[i] = changed = true;
      need(&p, results[i]);
    }
    while (p.work.count) follow(&p, p.work.data[--p.work.count]);
    for (size_t i = 0; i < *count; i++) changed |= p.arguments[i] && !seen[i];
  }
  erase_rest(&p);
  size_t kept = 0;
  for (size_t i = 0; i < *count; i++) {
    out_places[i] = p.arguments[i] ? kept : SIZE_MAX;
    if (!p.arguments[i]) {
      mlirBlockEraseArgument(p.block, (unsigned)kept);
      continue;
    }
    initial[kept] = initial[i], results[kept] = results[i];
    kept++;
  }
  *count = kept;
}

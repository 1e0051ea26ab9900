/* ir.c - TccIr itself: context, arena, pool, and maps keyed by the pointers that MLIR uniques. */
#include "lib/ir/internal.h"
#include "mlir-c/Dialect/Func.h"
#include "tcc/op_kinds.h"
#include <assert.h>
#include <stdlib.h>

enum { FEWEST_SLOTS = 32 };

/* Fibonacci hashing (Knuth, volume 3, 6.4): the upper bits of the product. */
static size_t slot_of(const TccPointerMap *map, const void *key) {
  size_t slot = ((uintptr_t)key >> 3) * UINT64_C(0x9E3779B97F4A7C15) >> 32 & (map->slot_count - 1);
  while (map->slots[slot].key && map->slots[slot].key != key) slot = (slot + 1) & (map->slot_count - 1);
  return slot;
}

void *tcc_pointer_map_get(const TccPointerMap *map, const void *key) {
  return map->slot_count ? map->slots[slot_of(map, key)].value : NULL;
}

void tcc_pointer_map_set(TccPointerMap *map, const void *key, void *value) {
  if (map->used * 2 >= map->slot_count) {
    TccPointerMap bigger = {.slot_count = map->slot_count ? map->slot_count * 2 : FEWEST_SLOTS, .arena = map->arena};
    bigger.slots = TCC_NEW_ARRAY(map->arena, TccPointerSlot, bigger.slot_count);
    for (size_t i = 0; i < map->slot_count; i++)
      if (map->slots[i].value) bigger.slots[slot_of(&bigger, map->slots[i].key)] = map->slots[i], bigger.used++;
    *map = bigger;
  }
  TccPointerSlot *slot = &map->slots[slot_of(map, key)];
  if (!slot->key) slot->key = key, map->used++;
  slot->value = value;
}

static MlirType make_elem_type(MlirContext context, TccElem elem) {
  return mlirTypeParseGet(context, mlirStringRefCreateFromCString(tcc_elem_name(elem)));
}

TccIr *tcc_ir_open(void) {
  TccArena *arena = tcc_arena_create();
  TccIr *ir = TCC_NEW(arena, TccIr);
  ir->arena = arena;
  ir->context = mlirContextCreateWithThreading(false); /* a TccIr belongs to one thread */
  ir->exprs = tcc_expr_pool_create(arena);
  ir->routines = tcc_map_create(arena);
  TccIrTables *tables = ir->tables = TCC_NEW(arena, TccIrTables);
  tables->kinds.arena = tables->types.arena = tables->symbolic.arena = tables->sound_types.arena = arena;
  tables->tensor_types = tcc_map_create(arena);
  tables->constants = tcc_map_create(arena);
  for (int elem = 1; elem < TCC_ELEM_COUNT; elem++) tables->elems[elem] = make_elem_type(ir->context, (TccElem)elem);
  tables->none = mlirNoneTypeGet(ir->context);
  tables->unknown = mlirLocationUnknownGet(ir->context);
  static const char *const keys[TCC_KEY_COUNT] = {"callee", "function_type", "sym_name", "sym_visibility", "tcc.kernel"};
  for (int key = 0; key < TCC_KEY_COUNT; key++)
    tables->keys[key] = mlirIdentifierGet(ir->context, mlirStringRefCreateFromCString(keys[key]));
  tables->private_visibility = mlirStringAttrGet(ir->context, mlirStringRefCreateFromCString("private"));
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__func__(), ir->context);
  return ir;
}

void tcc_ir_destroy(TccIr *ir) {
  if (!ir) return;
  if (!mlirContextIsNull(ir->context)) mlirContextDestroy(ir->context);
  tcc_arena_destroy(ir->arena); /* holds ir itself */
}

TccOpKind tcc_op_kind(TccIr *ir, MlirOperation op) {
  const TccOpRow *row = tcc_pointer_map_get(&ir->tables->kinds, mlirOperationGetName(op).ptr);
  return row ? row->kind : TCC_OP_UNKNOWN;
}

/* ---- values ---- */
TccElem tcc_value_elem(MlirValue value) { return value.ptr ? tcc_type_elem(mlirValueGetType(value)) : TCC_ELEM_NONE; }

MlirOperation tcc_value_op(MlirValue value) {
  return mlirValueIsAOpResult(value) ? mlirOpResultGetOwner(value) : (MlirOperation){NULL};
}

TccOpKind tcc_value_kind(TccIr *ir, MlirValue value) {
  MlirOperation op = tcc_value_op(value);
  return mlirOperationIsNull(op) ? TCC_OP_UNKNOWN : tcc_op_kind(ir, op);
}

bool tcc_value_is_none(TccIr *ir, MlirValue value) { return tcc_value_kind(ir, value) == TCC_OP_NONE; }

/* ---- walking and rewriting ---- */
void tcc_replace_uses(MlirValue from, MlirValue to) { mlirValueReplaceAllUsesOfWith(from, to); }

void tcc_erase(MlirOperation op) {
#ifndef NDEBUG
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    assert(mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, i))));
#endif
  mlirOperationDestroy(op);
}

MlirBlock tcc_func_body(MlirOperation func) {
  MlirRegion region = mlirOperationGetNumRegions(func) ? mlirOperationGetRegion(func, 0) : (MlirRegion){NULL};
  return mlirRegionIsNull(region) ? (MlirBlock){NULL} : mlirRegionGetFirstBlock(region);
}

MlirOperation tcc_module_find(TccIr *ir, MlirOperation module, TccStr symbol) {
  (void)ir;
  MlirStringRef attribute = mlirSymbolTableGetSymbolAttributeName();
  MlirBlock body = tcc_func_body(module);
  TCC_EACH_OP (op, body) {
    MlirAttribute name = mlirOperationGetAttributeByName(op, attribute);
    if (!mlirAttributeIsNull(name) && mlirAttributeIsAString(name) &&
        tcc_str_equal(tcc_from_ref(mlirStringAttrGetValue(name)), symbol) &&
        tcc_str_is(tcc_from_ref(mlirIdentifierStr(mlirOperationGetName(op))), "func.func"))
      return op;
  }
  return (MlirOperation){NULL};
}

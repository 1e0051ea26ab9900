/* dedup_kernels.c - merge kernel functions of equal content.
 *
 *   call @k0 ; call @k7            call @k0 ; call @k0
 *   func @k0 {...} func @k7 {...}  =>  func @k0 {...}
 *
 * Types and attributes are uniqued by MLIR, so the content of a function is a short sequence of pointers and operand
 * numbers; equal sequences are equal functions. Names and locations are not content. Linear in the ops of kernels.
 *
 * requires: fuse. ensures: no two kernel functions are equal but for names. keeps: the first of equal ones. */
#include "lib/ir/internal.h"
#include "tcc/pass.h"

static void put(TccText *key, const void *word) { tcc_text_put(key, (const char *)&word, sizeof word); }

static void put_attributes(TccText *key, MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++) {
    MlirNamedAttribute attribute = mlirOperationGetAttribute(op, i);
    MlirStringRef name = mlirIdentifierStr(attribute.name);
    if (name.length == 8 && !memcmp(name.data, "sym_name", 8)) continue;
    put(key, attribute.name.ptr);
    put(key, attribute.attribute.ptr);
  }
}

/* scratch: for this function alone. */
static void content_key(MlirOperation func, TccArena *scratch, TccText *key) {
  TccPointerMap numbers = {.arena = scratch};
  MlirBlock block = tcc_func_body(func);
  uintptr_t next = 1;
  put_attributes(key, func);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) {
    MlirValue argument = mlirBlockGetArgument(block, i);
    tcc_pointer_map_set(&numbers, argument.ptr, (void *)next++);
  }
  TCC_EACH_OP (op, block) {
    put(key, mlirOperationGetName(op).ptr);
    put_attributes(key, op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
      MlirValue value = mlirOperationGetOperand(op, i);
      put(key, tcc_pointer_map_get(&numbers, value.ptr));
    }
    for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++) {
      MlirValue result = mlirOperationGetResult(op, i);
      put(key, tcc_value_type(result).ptr);
      tcc_pointer_map_set(&numbers, result.ptr, (void *)next++);
    }
  }
}

MlirLogicalResult tcc_pass_dedup_kernels(TccPassRun *run, MlirOperation module) {
  const MlirStringRef callee = mlirStringRefCreateFromCString("callee"), symbol = mlirStringRefCreateFromCString("sym_name");
  TccMap *first = tcc_map_create(run->scratch), *renamed = tcc_map_create(run->scratch);
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  TccText key = {0};
  TccArena *scratch = tcc_arena_create();
  MlirOperation next;
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func); func = next) {
    next = mlirOperationGetNextInBlock(func);
    if (!tcc_kernel_kind(run->ir, func)) continue;
    tcc_text_clear(&key);
    content_key(func, scratch, &key);
    tcc_arena_reset(scratch);
    bool inserted;
    TccMapEntry *entry = tcc_map_put(first, tcc_text_str(&key), &inserted);
    MlirStringRef name = mlirStringAttrGetValue(mlirOperationGetAttributeByName(func, symbol));
    if (inserted) {
      entry->constant = func.ptr;
      continue;
    }
    tcc_map_put(renamed, (TccStr){name.data, name.length}, NULL)->constant = entry->constant;
    mlirOperationDestroy(func);
  }
  tcc_arena_destroy(scratch);
  tcc_text_destroy(&key);
  TCC_EACH_FUNCTION (func, module) {
    MlirBlock block = tcc_func_body(func);
    TCC_EACH_OP (op, block) {
      MlirAttribute target = mlirOperationGetAttributeByName(op, callee);
      if (mlirAttributeIsNull(target) || !mlirAttributeIsAFlatSymbolRef(target)) continue;
      MlirStringRef name = mlirFlatSymbolRefAttrGetValue(target);
      TccMapEntry *entry = tcc_map_find(renamed, (TccStr){name.data, name.length});
      if (!entry) continue;
      MlirAttribute kept = mlirOperationGetAttributeByName((MlirOperation){(void *)(uintptr_t)entry->constant}, symbol);
      mlirOperationSetAttributeByName(op, callee, mlirFlatSymbolRefAttrGet(run->ir->context, mlirStringAttrGetValue(kept)));
    }
  }
  return mlirLogicalResultSuccess();
}

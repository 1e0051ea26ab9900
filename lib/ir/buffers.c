/* buffers.c - see buffers.h. */
#include "lib/ir/buffers.h"
#include "lib/ir/names.h"

void tcc_buffers_read(TccIr *ir, TccArena *arena, MlirOperation module, TccBuffers *out) {
  *out = (TccBuffers){.ir = ir, .callees = tcc_map_create(arena)};
  TCC_EACH_FUNCTION (func, module) {
    TccCallee *callee = TCC_NEW(arena, TccCallee);
    *callee = (TccCallee){.function = func, .kind = tcc_kernel_kind(ir, func)};
    tcc_map_put(out->callees, tcc_function_name(func), NULL)->pointer = callee;
  }
}

TccCallee *tcc_buffers_callee(const TccBuffers *buffers, MlirOperation op) {
  if (mlirOperationIsNull(op) || !tcc_op_is_named(op, "func.call")) return NULL;
  TccMapEntry *entry = tcc_map_find(buffers->callees, tcc_callee_name(op));
  return entry ? entry->pointer : NULL;
}

bool tcc_buffers_is_call_of(const TccBuffers *buffers, MlirOperation op, TccKernelKind kind) {
  const TccCallee *callee = tcc_buffers_callee(buffers, op);
  return callee && callee->kind == kind;
}

bool tcc_buffers_is_alias(const TccBuffers *buffers, MlirOperation op) {
  return tcc_op_kind(buffers->ir, op) == TCC_OP_RESHAPE || tcc_buffers_is_call_of(buffers, op, TCC_KERNEL_SLICE);
}

MlirValue tcc_buffer_of(const TccBuffers *buffers, MlirValue value) {
  while (mlirValueIsAOpResult(value) && tcc_buffers_is_alias(buffers, mlirOpResultGetOwner(value)))
    value = mlirOperationGetOperand(mlirOpResultGetOwner(value), 0);
  return value;
}

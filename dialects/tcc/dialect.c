/* dialect.c - the tcc dialect, loaded from the op table through IRDL.
 *
 * Each row becomes an irdl.operation with its arity. Types and attributes are left open here (irdl.any, no attribute
 * constraint): tcc_op_verify checks them with messages that name the constraint, which IRDL cannot. */
#include "lib/ir/internal.h"
#include "mlir-c/Dialect/IRDL.h"
#include "tcc/op_kinds.h"
#include <assert.h>

static void put_values(TccText *text, const char *what, const char *prefix, size_t count) {
  if (!count) return;
  tcc_text_printf(text, "irdl.%s(", what);
  for (size_t i = 0; i < count; i++) tcc_text_printf(text, "%s%s%zu: %%%s%zu", i ? ", " : "", prefix, i, prefix, i);
  tcc_text_printf(text, ")\n");
}

static void put_dialect(TccText *text) {
  tcc_text_printf(text, "irdl.dialect @tcc {\n");
  for (int kind = 1; kind < TCC_OP_COUNT; kind++) {
    const TccOpRow *row = tcc_op_row((TccOpKind)kind);
    tcc_text_printf(text, "irdl.operation @%s {\n", row->name + strlen("tcc."));
    for (size_t i = 0; i < row->noperands; i++) tcc_text_printf(text, "%%o%zu = irdl.any\n", i);
    for (size_t i = 0; i < row->nresults; i++) tcc_text_printf(text, "%%r%zu = irdl.any\n", i);
    put_values(text, "operands", "o", row->noperands);
    put_values(text, "results", "r", row->nresults);
    tcc_text_printf(text, "}\n");
  }
  tcc_text_printf(text, "}\n");
}

TccIr *tcc_ir_create(void) {
  TccIr *ir = tcc_ir_open();
  mlirDialectHandleLoadDialect(mlirGetDialectHandle__irdl__(), ir->context);
  TccText text = {0};
  put_dialect(&text);
  MlirModule module = mlirModuleCreateParse(ir->context, tcc_ref(tcc_text_str(&text)));
  tcc_text_destroy(&text);
  bool loaded = !mlirModuleIsNull(module) && mlirLogicalResultIsSuccess(mlirLoadIRDLDialects(module));
  assert(loaded && "the op table makes a dialect"), (void)loaded;
  mlirModuleDestroy(module);
  for (int kind = 1; kind < TCC_OP_COUNT; kind++) {
    const TccOpRow *row = tcc_op_row((TccOpKind)kind);
    MlirIdentifier name = mlirIdentifierGet(ir->context, mlirStringRefCreateFromCString(row->name));
    tcc_pointer_map_set(&ir->tables->kinds, name.ptr, (void *)(uintptr_t)row);
  }
  return ir;
}

/* kernel_module.c - a kernel function as a model of its own, and what such a model computes: for comparing a kernel's results with those
 * of the interpreter or of another target. */
#include "lib/compile/compile_internal.h"
#include "mlir-c/Support.h"
#include "tcc/diagnostics.h"
#include "tcc/interp.h"

/* Of the module's attributes numerics say something of the kernel. */
const char *tcc_kernel_module_text(TccIr *ir, MlirOperation module, MlirOperation function, TccArena *arena) {
  static const char *const kept[] = {"sym_name", "function_type", "arg_attrs", "res_attrs"};
  MlirModule made = mlirModuleCreateEmpty(mlirLocationUnknownGet(ir->context));
  MlirOperation copy = mlirOperationClone(function);
  MlirAttribute numerics = tcc_attribute(module, "tcc.numerics");
  if (!mlirAttributeIsNull(numerics)) tcc_set_attribute(mlirModuleGetOperation(made), "tcc.numerics", numerics);
  for (intptr_t i = mlirOperationGetNumAttributes(copy); i-- > 0;) {
    const MlirStringRef name = mlirIdentifierStr(mlirOperationGetAttribute(copy, i).name);
    bool keep = false;
    for (size_t k = 0; k < sizeof kept / sizeof *kept; k++) keep |= tcc_str_is((TccStr){name.data, name.length}, kept[k]);
    if (!keep) mlirOperationRemoveAttributeByName(copy, name);
  }
  mlirOperationSetAttributeByName(copy, mlirStringRefCreateFromCString("sym_name"), tcc_attr_str(ir, tcc_str("main")));
  mlirBlockAppendOwnedOperation(mlirModuleGetBody(made), copy);
  TccText text = {0};
  tcc_text_put(&text, "", 0);
  mlirOperationPrint(mlirModuleGetOperation(made), tcc_append, &text);
  const char *out = tcc_arena_copy(arena, text.data, text.length);
  tcc_text_destroy(&text);
  mlirModuleDestroy(made);
  return out;
}

/* ---- models in text ---- */
typedef struct {
  TccIr *ir;
  MlirModule module;
  TccText diagnostics;
  MlirDiagnosticHandlerID handler;
} Parsed;

static MlirLogicalResult collect(MlirDiagnostic diagnostic, void *text) {
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) tcc_diagnostic_text(diagnostic, text);
  return mlirLogicalResultSuccess();
}

static TccStatus *parse(TccStr text, const TccCompileDim *dims, size_t ndims, Parsed *out) {
  out->ir = tcc_ir_create();
  out->handler = mlirContextAttachDiagnosticHandler(out->ir->context, collect, &out->diagnostics, NULL);
  out->module = mlirModuleCreateParse(out->ir->context, mlirStringRefCreate(text.data, text.length));
  if (mlirModuleIsNull(out->module))
    return TCC_ERROR(TCC_INVALID, "%s", out->diagnostics.length ? out->diagnostics.data : "does not parse");
  TccSize *sizes = TCC_NEW_ARRAY(out->ir->arena, TccSize, ndims + 1);
  for (size_t i = 0; i < ndims; i++) sizes[i] = (TccSize){tcc_str(dims[i].name), dims[i].size};
  tcc_ir_specialise(out->ir, mlirModuleGetOperation(out->module), sizes, ndims);
  return NULL;
}

static void destroy(Parsed *parsed) {
  if (!mlirModuleIsNull(parsed->module)) mlirModuleDestroy(parsed->module);
  mlirContextDetachDiagnosticHandler(parsed->ir->context, parsed->handler);
  tcc_text_destroy(&parsed->diagnostics);
  tcc_ir_destroy(parsed->ir);
}

TccStatus *tcc_module_specialise(TccStr text, const TccCompileDim *dims, size_t ndims, TccText *out) {
  Parsed parsed = {0};
  TccStatus *status = parse(text, dims, ndims, &parsed);
  if (!status) mlirOperationPrint(mlirModuleGetOperation(parsed.module), tcc_append, out);
  if (!status) status = tcc_text_status(out);
  destroy(&parsed);
  return status;
}

TccStatus *tcc_module_interpret(TccStr text, double shift, const TccHostTensor *const *inputs, size_t ninputs,
                                TccHostTensor ***out_outputs, size_t *out_count) {
  Parsed parsed = {0};
  *out_outputs = NULL, *out_count = 0;
  TccStatus *status = parse(text, NULL, 0, &parsed);
  if (!status)
    status = tcc_interpret_shifted(parsed.ir, mlirModuleGetOperation(parsed.module), tcc_str("main"), NULL, shift, inputs, ninputs,
                                   out_outputs, out_count);
  destroy(&parsed);
  return status;
}

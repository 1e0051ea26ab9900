/* names.c - the inputs and sizes that a caller names must be the module's: a name with a mistake in it would do nothing. */
#include "lib/compile/compile_internal.h"
#include "lib/compile/plan.h"

static void add_name(TccStr name, void *names) { tcc_map_put(names, name, NULL); }

static TccMap *input_names(TccIr *ir, MlirOperation main, MlirBlock body) {
  TccMap *names = tcc_map_create(ir->arena);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    add_name(tcc_plan_port_name(ir->arena, main, "arg_attrs", (uint32_t)i, "input"), names);
  return names;
}

static TccMap *size_names(TccIr *ir, MlirBlock body) {
  TccMap *names = tcc_map_create(ir->arena);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++) {
    MlirType type = mlirValueGetType(mlirBlockGetArgument(body, i));
    for (int axis = 0; axis < tcc_type_rank(type); axis++) {
      const TccExpr *size = tcc_type_dim(ir, type, axis);
      if (size) tcc_expr_symbols(size, add_name, names);
    }
  }
  return names;
}

static TccStatus *check(const char *what, const char *name, const TccMap *names) {
  if (tcc_map_find(names, tcc_str(name))) return NULL;
  TccText list = {0};
  for (size_t i = 0; i < tcc_map_count(names); i++)
    tcc_text_printf(&list, "%s'%.*s'", i ? ", " : "", TCC_STR_ARG(tcc_map_at(names, i)->key));
  TccStatus *status = TCC_ERROR(TCC_INVALID, "%s '%s'; it has %s", what, name, list.length ? list.data : "none at all");
  tcc_text_destroy(&list);
  return status;
}

TccStatus *tcc_driver_check_names(TccIr *ir, MlirOperation module, const TccCompileOptions *options) {
  MlirOperation main = tcc_module_find(ir, module, tcc_str("main"));
  MlirBlock body = mlirOperationIsNull(main) ? (MlirBlock){NULL} : tcc_func_body(main);
  if (mlirBlockIsNull(body)) return NULL; /* no plan without it */
  for (size_t i = 0; i < options->ninputs; i++)
    if (options->inputs[i].name[0] != '#')
      TCC_TRY(check("the model has no input", options->inputs[i].name, input_names(ir, main, body)));
  for (size_t i = 0; i < options->ndims; i++) TCC_TRY(check("the model has no size", options->dims[i].name, size_names(ir, body)));
  return NULL;
}

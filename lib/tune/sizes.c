/* sizes.c - what symbolic sizes are while kernels are measured: as given by name, as the inputs have them, else a guess. */
#include "lib/tune/tuner.h"
#include <inttypes.h>
#include <stdlib.h>

static TccStr argument_name(MlirOperation func, intptr_t index) {
  MlirAttribute all = tcc_attribute(func, "arg_attrs");
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all) || index >= mlirArrayAttrGetNumElements(all)) return (TccStr){0};
  MlirAttribute name =
      mlirDictionaryAttrGetElementByName(mlirArrayAttrGetElement(all, index), mlirStringRefCreateFromCString("tcc.name"));
  if (mlirAttributeIsNull(name) || !mlirAttributeIsAString(name)) return (TccStr){0};
  MlirStringRef text = mlirStringAttrGetValue(name);
  return (TccStr){text.data, text.length};
}

TccMap *tcc_tune_sizes(const TccTuning *t) {
  TccIr *ir = t->ir;
  TccMap *sizes = tcc_map_create(ir->arena);
  bool inserted;
  for (size_t i = 0; i < t->options->ndims; i++)
    tcc_map_put(sizes, tcc_str(t->options->dims[i].name), NULL)->integer = t->options->dims[i].size;
  MlirOperation main = tcc_module_find(ir, t->module, tcc_str("main"));
  if (mlirOperationIsNull(main)) return sizes;
  MlirBlock body = tcc_func_body(main);
  for (intptr_t a = 0; a < mlirBlockGetNumArguments(body); a++) {
    MlirType type = tcc_value_type(mlirBlockGetArgument(body, a));
    TccStr name = argument_name(main, a);
    for (size_t i = 0; i < t->options->ninputs; i++) {
      const TccCompileInput *input = &t->options->inputs[i];
      bool same = input->name[0] == '#' ? strtol(input->name + 1, NULL, 10) == a : tcc_str_is(name, input->name);
      for (int axis = 0; same && axis < tcc_type_rank(type) && axis < input->tensor->rank; axis++) {
        TccStr symbol;
        const TccExpr *size = tcc_type_dim(ir, type, axis);
        if (!size || !tcc_expr_is_symbol(size, &symbol)) continue;
        TccMapEntry *entry = tcc_map_put(sizes, symbol, &inserted);
        if (inserted) entry->integer = input->tensor->dims[axis];
      }
    }
  }
  return sizes;
}

static bool value_of(TccStr name, int64_t *out, void *user) {
  const TccMapEntry *entry = tcc_map_find(user, name);
  *out = entry ? entry->integer : TCC_TUNE_UNKNOWN_SIZE;
  return true;
}

TccStatus *tcc_tune_size(const TccMap *sizes, const TccExpr *e, int64_t *out) {
  *out = TCC_TUNE_UNKNOWN_SIZE;
  return e ? tcc_expr_eval(e, value_of, (void *)(uintptr_t)sizes, out) : NULL;
}

static void list(TccStr name, void *symbols) { tcc_map_put(symbols, name, NULL); }

TccMap *tcc_tune_symbols(TccIr *ir, MlirOperation kernel) {
  TccMap *symbols = tcc_map_create(ir->arena);
  MlirType type = mlirTypeAttrGetValue(tcc_attribute(kernel, "function_type"));
  intptr_t inputs = mlirFunctionTypeGetNumInputs(type), results = mlirFunctionTypeGetNumResults(type);
  for (intptr_t i = 0; i < inputs + results; i++) {
    MlirType one = i < inputs ? mlirFunctionTypeGetInput(type, i) : mlirFunctionTypeGetResult(type, i - inputs);
    for (int axis = 0; axis < tcc_type_rank(one); axis++) {
      const TccExpr *size = tcc_type_dim(ir, one, axis);
      if (size) tcc_expr_symbols(size, list, symbols);
    }
  }
  return symbols;
}

const char *tcc_tune_sizes_text(TccIr *ir, const TccMap *sizes, MlirOperation kernel) {
  TccMap *symbols = tcc_tune_symbols(ir, kernel);
  TccText all = {0};
  tcc_text_put(&all, "", 0);
  for (size_t i = 0; i < tcc_map_count(symbols); i++) {
    int64_t value;
    TccStr name = tcc_map_at(symbols, i)->key;
    value_of(name, &value, (void *)(uintptr_t)sizes);
    tcc_text_printf(&all, "%s%.*s=%" PRId64, i ? " " : "", TCC_STR_ARG(name), value);
  }
  const char *text = tcc_arena_copy(ir->arena, all.data, all.length);
  tcc_text_destroy(&all);
  return text;
}

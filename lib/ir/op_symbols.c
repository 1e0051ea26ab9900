/* op_symbols.c - see op_symbols.h. */
#include "lib/ir/op_symbols.h"
#include "lib/ir/internal.h"
#include <ctype.h>

static void add_symbol(TccStr name, void *names) { tcc_map_put(names, name, NULL); }

static void add_words(TccMap *names, MlirAttribute attr) {
  if (mlirAttributeIsAArray(attr))
    for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(attr); i++) add_words(names, mlirArrayAttrGetElement(attr, i));
  TccStr text = mlirAttributeIsAString(attr) ? tcc_from_ref(mlirStringAttrGetValue(attr)) : (TccStr){0};
  for (size_t at = 0, end; at < text.length; at = end + 1) {
    for (end = at; end < text.length && (isalnum((unsigned char)text.data[end]) || text.data[end] == '_');) end++;
    if (end > at) tcc_map_put(names, (TccStr){text.data + at, end - at}, NULL);
  }
}

void tcc_op_symbols(TccIr *ir, MlirOperation op, TccMap *names) {
  for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) {
    MlirType type = mlirValueGetType(mlirOperationGetResult(op, r));
    for (int axis = 0; axis < tcc_type_rank(type); axis++) {
      const TccExpr *size = tcc_type_dim(ir, type, axis);
      if (size) tcc_expr_symbols(size, add_symbol, names);
    }
  }
  MlirAttribute attrs = tcc_op_attributes(ir, op);
  for (intptr_t i = 0; i < mlirDictionaryAttrGetNumElements(attrs); i++)
    add_words(names, mlirDictionaryAttrGetElement(attrs, i).attribute);
}

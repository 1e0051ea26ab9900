/* attrs.c - attributes by name and type, with the defaults of ops.def where the IR leaves one out. */
#include "lib/ir/internal.h"
#include <assert.h>
#include <stdlib.h>

/* ---- one attribute ---- */
bool tcc_attr_read_i64(MlirAttribute attr, int64_t *out) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAInteger(attr)) return false;
  MlirType type = mlirAttributeGetType(attr);
  if (!mlirTypeIsAInteger(type) || mlirIntegerTypeGetWidth(type) != 64 || !mlirIntegerTypeIsSignless(type)) return false;
  *out = mlirIntegerAttrGetValueInt(attr);
  return true;
}

bool tcc_attr_read_f64(MlirAttribute attr, double *out) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAFloat(attr) || !mlirTypeIsAF64(mlirAttributeGetType(attr))) return false;
  *out = mlirFloatAttrGetValueDouble(attr);
  return true;
}

bool tcc_attr_read_bool(MlirAttribute attr, bool *out) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsABool(attr)) return false;
  *out = mlirBoolAttrGetValue(attr);
  return true;
}

bool tcc_attr_read_str(MlirAttribute attr, TccStr *out) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAString(attr)) return false;
  *out = tcc_from_ref(mlirStringAttrGetValue(attr));
  return true;
}

bool tcc_attr_read_ints(TccIr *ir, MlirAttribute attr, const int64_t **out, size_t *out_count) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsADenseI64Array(attr)) return false;
  size_t count = (size_t)mlirDenseArrayGetNumElements(attr);
  int64_t *values = TCC_NEW_ARRAY(ir->arena, int64_t, count ? count : 1);
  for (size_t i = 0; i < count; i++) values[i] = mlirDenseI64ArrayGetElement(attr, (intptr_t)i);
  *out = values, *out_count = count;
  return true;
}

bool tcc_attr_read_exprs(TccIr *ir, MlirAttribute attr, const TccExpr *const **out, size_t *out_count) {
  if (mlirAttributeIsNull(attr) || !mlirAttributeIsAArray(attr)) return false;
  size_t count = (size_t)mlirArrayAttrGetNumElements(attr);
  const TccExpr **values = TCC_NEW_ARRAY(ir->arena, const TccExpr *, count ? count : 1);
  for (size_t i = 0; i < count; i++) {
    MlirAttribute entry = mlirArrayAttrGetElement(attr, (intptr_t)i);
    int64_t number;
    TccStr text;
    if (tcc_attr_read_i64(entry, &number)) {
      values[i] = tcc_expr_const(ir->exprs, number);
    } else {
      if (!tcc_attr_read_str(entry, &text)) return false;
      TccStatus *status = tcc_expr_parse(ir->exprs, text, &values[i]);
      tcc_status_destroy(status);
      if (status) return false;
    }
  }
  *out = values, *out_count = count;
  return true;
}

/* ---- of an op ---- */
/* The default's text, if the row has one. */
static bool find_default(TccIr *ir, MlirOperation op, const char *name, TccStr *out) {
  TccOpKind kind = tcc_op_kind(ir, op);
  const TccAttrRow *row = kind ? tcc_op_attribute(kind, tcc_str(name)) : NULL;
  if (!row || !row->has_default) return false;
  *out = row->default_text;
  return true;
}

bool tcc_get_i64(TccIr *ir, MlirOperation op, const char *name, int64_t *out) {
  MlirAttribute attr = tcc_attribute(op, name);
  if (!mlirAttributeIsNull(attr)) return tcc_attr_read_i64(attr, out);
  TccStr text;
  if (!find_default(ir, op, name, &text)) return false;
  *out = strtoll(text.data, NULL, 10); /* ends at the ',' or NUL after it */
  return true;
}

bool tcc_get_f64(TccIr *ir, MlirOperation op, const char *name, double *out) {
  MlirAttribute attr = tcc_attribute(op, name);
  if (!mlirAttributeIsNull(attr)) return tcc_attr_read_f64(attr, out);
  TccStr text;
  if (!find_default(ir, op, name, &text)) return false;
  *out = strtod(text.data, NULL);
  return true;
}

bool tcc_get_bool(TccIr *ir, MlirOperation op, const char *name, bool *out) {
  MlirAttribute attr = tcc_attribute(op, name);
  if (!mlirAttributeIsNull(attr)) return tcc_attr_read_bool(attr, out);
  TccStr text;
  if (!find_default(ir, op, name, &text)) return false;
  *out = tcc_str_is(text, "true");
  return true;
}

bool tcc_get_str(TccIr *ir, MlirOperation op, const char *name, TccStr *out) {
  MlirAttribute attr = tcc_attribute(op, name);
  return mlirAttributeIsNull(attr) ? find_default(ir, op, name, out) : tcc_attr_read_str(attr, out);
}

bool tcc_get_ints(TccIr *ir, MlirOperation op, const char *name, const int64_t **out, size_t *out_count) {
  return tcc_attr_read_ints(ir, tcc_attribute(op, name), out, out_count); /* no row has a default list other than [] of exprs */
}

bool tcc_get_exprs(TccIr *ir, MlirOperation op, const char *name, const TccExpr *const **out, size_t *out_count) {
  MlirAttribute attr = tcc_attribute(op, name);
  if (!mlirAttributeIsNull(attr)) return tcc_attr_read_exprs(ir, attr, out, out_count);
  TccStr text;
  if (!find_default(ir, op, name, &text)) return false;
  *out = NULL, *out_count = 0; /* the only default in the table is [] */
  return true;
}

int64_t tcc_i64(TccIr *ir, MlirOperation op, const char *name) {
  int64_t value = 0;
  bool found = tcc_get_i64(ir, op, name, &value);
  assert(found), (void)found;
  return value;
}

double tcc_f64(TccIr *ir, MlirOperation op, const char *name) {
  double value = 0;
  bool found = tcc_get_f64(ir, op, name, &value);
  assert(found), (void)found;
  return value;
}

bool tcc_bool(TccIr *ir, MlirOperation op, const char *name) {
  bool value = false, found = tcc_get_bool(ir, op, name, &value);
  assert(found), (void)found;
  return value;
}

TccStr tcc_string(TccIr *ir, MlirOperation op, const char *name) {
  TccStr value = {NULL, 0};
  bool found = tcc_get_str(ir, op, name, &value);
  assert(found), (void)found;
  return value;
}

/* ---- making them ---- */
MlirAttribute tcc_attr_i64(TccIr *ir, int64_t value) { return mlirIntegerAttrGet(ir->tables->elems[TCC_ELEM_I64], value); }
MlirAttribute tcc_attr_f64(TccIr *ir, double value) {
  return mlirFloatAttrDoubleGet(ir->context, ir->tables->elems[TCC_ELEM_F64], value);
}
MlirAttribute tcc_attr_bool(TccIr *ir, bool value) { return mlirBoolAttrGet(ir->context, value); }
MlirAttribute tcc_attr_str(TccIr *ir, TccStr value) { return mlirStringAttrGet(ir->context, tcc_ref(value)); }
MlirAttribute tcc_attr_ints(TccIr *ir, const int64_t *values, size_t count) {
  return mlirDenseI64ArrayGet(ir->context, (intptr_t)count, values);
}
MlirAttribute tcc_attr_exprs(TccIr *ir, const TccExpr *const *values, size_t count) {
  MlirAttribute *entries = TCC_NEW_ARRAY(ir->arena, MlirAttribute, count ? count : 1);
  for (size_t i = 0; i < count; i++) {
    int64_t number;
    entries[i] = tcc_expr_is_const(values[i], &number) ? tcc_attr_i64(ir, number)
                                                       : tcc_attr_str(ir, tcc_str(tcc_expr_text(ir->exprs, values[i])));
  }
  return mlirArrayAttrGet(ir->context, (intptr_t)count, entries);
}

bool tcc_op_has_symbolic_attribute(TccIr *ir, MlirOperation op) {
  TccOpKind kind = tcc_op_kind(ir, op);
  const TccOpRow *row = kind ? tcc_op_row(kind) : NULL;
  for (size_t i = 0; row && i < row->nattributes; i++) {
    const TccExpr *const *values;
    size_t count;
    if (row->attributes[i].kind != TCC_ATTR_EXPRS) continue;
    MlirAttribute attr = mlirOperationGetAttributeByName(op, tcc_ref(row->attributes[i].name));
    if (!tcc_attr_read_exprs(ir, attr, &values, &count)) continue;
    for (size_t k = 0; k < count; k++)
      if (!tcc_expr_is_const(values[k], NULL)) return true;
  }
  return false;
}

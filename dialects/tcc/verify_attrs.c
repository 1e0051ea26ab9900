/* verify_attrs.c - attributes tcc.* are those of attrs.def, where it says and of the form that it says: a misspelt one would be ignored. */
#include "lib/ir/internal.h"
#include "lib/ir/names.h"
#include "mlir-c/BuiltinAttributes.h"

typedef enum { MODULE, FUNCTION, CALL, ARGUMENT, RESULT, OTHER } Holder;
typedef enum { STR, KIND, NUMERICS, INTS, EXPRS, STRINGS, UNIT, DICT, DICTS, ELEMENTS, INT } Form;
typedef struct {
  const char *name;
  Holder holder;
  Form form;
  const char *writer, *reader, *meaning;
} AttrRow;

static const AttrRow rows[] = {
#define TCC_ATTR(name, holder, form, writer, reader, meaning) {name, holder, form, writer, reader, meaning},
#include "dialects/tcc/attrs.def"
#undef TCC_ATTR
};
enum { ROWS = sizeof rows / sizeof *rows };

static const char *const holder_names[] = {"a module", "a function", "a call", "an argument", "a result", "this operation"};
static const struct {
  const char *name, *must;
} forms[] = {[STR] = {"string", "a string"},
             [KIND] = {"kind", "a kind of kernels"},
             [NUMERICS] = {"direct or eager", "'direct' or 'eager'"},
             [INTS] = {"ints", "array<i64>"},
             [EXPRS] = {"sizes", "a list of integers and size expressions"},
             [STRINGS] = {"strings", "a list of strings"},
             [UNIT] = {"unit", "without a value"},
             [DICT] = {"dictionary", "a dictionary"},
             [DICTS] = {"dictionaries", "a list of dictionaries"},
             [ELEMENTS] = {"elements", "dense elements"},
             [INT] = {"integer", "an integer"}};

static bool all_are(MlirAttribute list, bool (*is)(MlirAttribute)) {
  if (!mlirAttributeIsAArray(list)) return false;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(list); i++)
    if (!is(mlirArrayAttrGetElement(list, i))) return false;
  return true;
}

static bool has_form(TccIr *ir, Form form, MlirAttribute value) {
  const TccExpr *const *exprs;
  const int64_t *ints;
  size_t count;
  int64_t number;
  TccStr word;
  TccNumerics numerics;
  switch (form) {
  case STR: return mlirAttributeIsAString(value);
  case KIND: return tcc_attr_read_str(value, &word) && tcc_kernel_kind_named(word) != TCC_KERNEL_NONE;
  case NUMERICS: return tcc_attr_read_str(value, &word) && tcc_numerics_named(word, &numerics) && numerics != TCC_NUMERICS_FAST;
  case INTS: return tcc_attr_read_ints(ir, value, &ints, &count);
  case EXPRS: return tcc_attr_read_exprs(ir, value, &exprs, &count);
  case STRINGS: return all_are(value, mlirAttributeIsAString);
  case UNIT: return mlirAttributeIsAUnit(value);
  case DICT: return mlirAttributeIsADictionary(value);
  case DICTS: return all_are(value, mlirAttributeIsADictionary);
  case ELEMENTS: return mlirAttributeIsAElements(value);
  case INT: return tcc_attr_read_i64(value, &number);
  }
  return false;
}

/* The name of the table that is nearest among those that the holder may have; NULL if none is near. */
static const char *near_name(TccStr name, Holder holder) {
  const char *names[ROWS];
  size_t count = 0;
  for (size_t i = 0; i < ROWS; i++)
    if (rows[i].holder == holder) names[count++] = rows[i].name;
  return tcc_nearest(name, names, count);
}

static bool check(TccIr *ir, MlirOperation op, Holder holder, MlirNamedAttribute named) {
  TccStr name = tcc_from_ref(mlirIdentifierStr(named.name));
  if (!tcc_str_starts(name, "tcc.")) return true;
  for (size_t i = 0; i < ROWS; i++) {
    if (rows[i].holder != holder || !tcc_str_is(name, rows[i].name)) continue;
    if (has_form(ir, rows[i].form, named.attribute)) return true;
    tcc_error(op, "'%.*s' of %s must be %s", TCC_STR_ARG(name), holder_names[holder], forms[rows[i].form].must);
    return false;
  }
  const char *near = near_name(name, holder);
  tcc_error(op, "'%.*s' is no attribute of %s%s%s%s", TCC_STR_ARG(name), holder_names[holder], near ? "; did you mean '" : "",
            near ? near : "", near ? "'?" : "");
  return false;
}

static bool check_ports(TccIr *ir, MlirOperation func, Holder holder, const char *list) {
  MlirAttribute all = mlirOperationGetAttributeByName(func, mlirStringRefCreateFromCString(list));
  bool ok = true;
  if (mlirAttributeIsNull(all) || !mlirAttributeIsAArray(all)) return true;
  for (intptr_t i = 0; i < mlirArrayAttrGetNumElements(all); i++) {
    MlirAttribute port = mlirArrayAttrGetElement(all, i);
    for (intptr_t k = 0; mlirAttributeIsADictionary(port) && k < mlirDictionaryAttrGetNumElements(port); k++)
      ok = check(ir, func, holder, mlirDictionaryAttrGetElement(port, k)) && ok;
  }
  return ok;
}

bool tcc_attributes_verify(TccIr *ir, MlirOperation op) {
  Holder holder = tcc_op_is_named(op, "builtin.module") ? MODULE
                  : tcc_op_is_named(op, "func.func")    ? FUNCTION
                  : tcc_op_is_named(op, "func.call")    ? CALL
                                                        : OTHER;
  bool ok = true;
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(op); i++)
    ok = check(ir, op, holder, mlirOperationGetAttribute(op, i)) && ok;
  if (holder != FUNCTION) return ok;
  ok = check_ports(ir, op, ARGUMENT, "arg_attrs") && ok;
  return check_ports(ir, op, RESULT, "res_attrs") && ok;
}

void tcc_attributes_document(TccText *out) {
  tcc_text_printf(
      out,
      "# Attributes\n\n"
      "Generated from `dialects/tcc/attrs.def` by `tcc-opt --print-attributes-doc`; a test compares the two. `tcc-verify` refuses every\n"
      "other attribute `tcc.*` of these operations, and one of another form.\n\n"
      "| attribute | of | form | written by | read by | meaning |\n|---|---|---|---|---|---|\n");
  for (size_t i = 0; i < ROWS; i++)
    tcc_text_printf(out, "| `%s` | %s | %s | %s | %s | %s |\n", rows[i].name, holder_names[rows[i].holder],
                    forms[rows[i].form].name, rows[i].writer, rows[i].reader, rows[i].meaning);
}

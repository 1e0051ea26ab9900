/* gradcheck_case.c - cases of rows of grads.def: operands from text, and the op with them. */
#include "test/tools/interp/gradcheck_case.h"
#include "tcc/diagnostics.h"
#include "tcc/optable.h"
#include <stdlib.h>

const GradcheckCase gradcheck_cases[] = {
#define GRADCHECK(SYM, operands, attributes, type) {TCC_OP_##SYM, operands, attributes, type},
#include "test/tools/interp/gradcheck_cases.def"
};
const size_t gradcheck_count = sizeof gradcheck_cases / sizeof *gradcheck_cases;

static void read_fixed(const char **at, GradcheckOperands *out) {
  while (**at == ' ') ++*at;
  if (**at == '!') out->fixed[out->count - 1] = true, ++*at;
}

/* "2x3xf64", "2x3xf64 0.1 0.9": in a range, "2xi64 = 0 1": these, "none". Numbers of a range are apart, in a mixed order. */
static TccStatus *read_operand(const char **at, GradcheckOperands *out) {
  int64_t dims[TCC_HOST_MAX_RANK];
  int rank = 0;
  char *end;
  int operand = out->noperands++;
  if (!strncmp(*at, "none", 4)) {
    *at += 4;
    out->index[operand] = -1;
    return NULL;
  }
  while (**at >= '0' && **at <= '9') {
    dims[rank++] = strtoll(*at, &end, 10);
    *at = end + 1;
  }
  TccElem elem = TCC_ELEM_NONE;
  size_t length = strcspn(*at, " ;");
  for (int i = 1; i < TCC_ELEM_COUNT; i++)
    if (tcc_str_is((TccStr){*at, length}, tcc_elem_name((TccElem)i))) elem = (TccElem)i;
  if (!elem) return TCC_ERROR(TCC_INVALID, "no element type at '%s'", *at);
  *at += length;
  out->index[operand] = (int)out->count;
  TccHostTensor **t = &out->tensors[out->count++];
  TCC_TRY(tcc_host_tensor_create(elem, rank, dims, t));
  while (**at == ' ') ++*at;
  if (**at == '=') {
    ++*at;
    for (size_t i = 0; i < (*t)->count; i++, *at = end) tcc_elem_store_f64(elem, (*t)->data, i, strtod(*at, &end));
    read_fixed(at, out);
    return NULL;
  }
  double low = -1.37, high = 1.61;
  if (**at && **at != ';') {
    low = strtod(*at, &end);
    high = strtod(end, &end);
    *at = end;
  }
  read_fixed(at, out);
  size_t n = (*t)->count, stride = 7;
  while (n && n % stride == 0) stride += 4;
  for (size_t i = 0; i < n; i++)
    tcc_elem_store_f64(elem, (*t)->data, i,
                       low + (high - low) * ((double)((i * stride + 3 + 5 * (size_t)operand) % n) + 0.5) / (double)n);
  return NULL;
}

TccStatus *gradcheck_read(const char *text, GradcheckOperands *out) {
  while (*text) {
    TCC_TRY(read_operand(&text, out));
    while (*text == ' ' || *text == ';') text++;
  }
  return NULL;
}

void gradcheck_clear(GradcheckOperands *operands) {
  for (size_t i = 0; i < operands->count; i++) tcc_host_tensor_destroy(operands->tensors[i]);
}

TccStatus *gradcheck_build(TccBuilder *b, const GradcheckCase *c, const GradcheckOperands *operands, const MlirValue *values,
                           MlirOperation *out) {
  TccIr *ir = b->ir;
  MlirValue in[16];
  for (int i = 0; i < operands->noperands; i++) in[i] = operands->index[i] < 0 ? (MlirValue){NULL} : values[operands->index[i]];
  TccNamedAttr attrs[16];
  MlirAttribute dictionary =
      mlirAttributeParseGet(ir->context, mlirStringRefCreateFromCString(*c->attributes ? c->attributes : "{}"));
  if (mlirAttributeIsNull(dictionary)) return TCC_ERROR(TCC_INVALID, "attributes '%s'", c->attributes);
  size_t nattrs = (size_t)mlirDictionaryAttrGetNumElements(dictionary);
  for (size_t i = 0; i < nattrs; i++) {
    MlirNamedAttribute named = mlirDictionaryAttrGetElement(dictionary, (intptr_t)i);
    MlirStringRef name = mlirIdentifierStr(named.name);
    attrs[i] = (TccNamedAttr){tcc_arena_copy(ir->arena, name.data, name.length), named.attribute};
  }
  MlirType declared = *c->type ? mlirTypeParseGet(ir->context, mlirStringRefCreateFromCString(c->type)) : (MlirType){NULL};
  *out = tcc_build(b, c->kind, in, (size_t)operands->noperands, attrs, nattrs, *c->type ? &declared : NULL);
  return mlirOperationIsNull(*out) ? TCC_ERROR(TCC_INVALID, "the op is not valid") : NULL;
}

MlirLogicalResult gradcheck_collect(MlirDiagnostic diagnostic, void *user) {
  if (mlirDiagnosticGetSeverity(diagnostic) == MlirDiagnosticError) tcc_diagnostic_text(diagnostic, user);
  return mlirLogicalResultSuccess();
}

static const struct {
  const char *kind;
} rows[TCC_OP_COUNT] = {
#define TCC_GRAD(SYM, kind, linear, rule, text) [TCC_OP_##SYM] = {#kind},
#include "dialects/tcc/grads.def"
};

/* Nothing is to be checked of a row that is an error where a gradient has to pass. */
static bool is_none(TccOpKind kind) { return !strcmp(rows[kind].kind, "NONE"); }
static bool is_constant(TccOpKind kind) { return !strcmp(rows[kind].kind, "ZERO") && tcc_op_row(kind)->noperands == 0; }

bool gradcheck_needs_case(TccOpKind kind) { return !is_none(kind) && !is_constant(kind); }

static MlirAttribute name_of(TccIr *ir, const char *name) {
  MlirNamedAttribute attr = mlirNamedAttributeGet(mlirIdentifierGet(ir->context, mlirStringRefCreateFromCString("tcc.name")),
                                                  tcc_attr_str(ir, tcc_str(name)));
  return mlirDictionaryAttrGet(ir->context, 1, &attr);
}

void gradcheck_close_main(TccIr *ir, MlirOperation main, MlirValue loss, const char *result_name, const char *last) {
  MlirBlock block = tcc_func_body(main);
  MlirOperation end = mlirBlockGetTerminator(block);
  MlirLocation location = mlirOperationGetLocation(end);
  mlirOperationDestroy(end);
  mlirBlockAppendOwnedOperation(block, tcc_make_return(ir, location, 1, &loss));
  intptr_t n = mlirBlockGetNumArguments(block);
  MlirType *types = TCC_NEW_ARRAY(ir->arena, MlirType, n + 1), result = tcc_value_type(loss);
  MlirAttribute *names = TCC_NEW_ARRAY(ir->arena, MlirAttribute, n + 1), of_result = name_of(ir, result_name);
  for (intptr_t i = 0; i < n; i++) {
    types[i] = tcc_value_type(mlirBlockGetArgument(block, i));
    names[i] = name_of(ir, last && i == n - 1 ? last : tcc_arena_printf(ir->arena, "x%d", (int)i));
  }
  tcc_set_attribute(main, "function_type", mlirTypeAttrGet(mlirFunctionTypeGet(ir->context, n, types, 1, &result)));
  tcc_set_attribute(main, "arg_attrs", mlirArrayAttrGet(ir->context, n, names));
  tcc_set_attribute(main, "res_attrs", mlirArrayAttrGet(ir->context, 1, &of_result));
}

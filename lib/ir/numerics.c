/* numerics.c - the attribute tcc.numerics: what passes and kernels may do to numbers. */
#include "lib/ir/internal.h"

static const char key[] = "tcc.numerics";

bool tcc_numerics_named(TccStr word, TccNumerics *out) {
  for (int i = 0; i < TCC_NUMERICS_COUNT; i++)
    if (tcc_str_is(word, tcc_numerics_words[i])) return *out = (TccNumerics)i, true;
  return false;
}

TccNumerics tcc_numerics(MlirOperation op) {
  TccNumerics numerics = TCC_NUMERICS_FAST;
  TccStr word;
  if (tcc_attr_read_str(mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(key)), &word))
    tcc_numerics_named(word, &numerics);
  return numerics;
}

void tcc_set_numerics(TccIr *ir, MlirOperation op, TccNumerics numerics) {
  MlirStringRef name = mlirStringRefCreateFromCString(key);
  if (numerics == TCC_NUMERICS_FAST) mlirOperationRemoveAttributeByName(op, name);
  else mlirOperationSetAttributeByName(op, name, tcc_attr_str(ir, tcc_str(tcc_numerics_words[numerics])));
}

/* known_sizes.c - tcc-known-sizes: refuses sizes that nothing says.
 *
 *   func.func @main(%x: tensor<?x64xf32>)   ->   error: the size of axis 0 is not known: give it a name in the type's encoding
 *
 * A size may be unknown while types are worked out (tcc-infer-shapes); what lays out, fuses and plans asks every size for its expression.
 *
 * requires: a module that verifies. ensures: each result and argument of a tcc op or function has a size expression for each axis.
 * keeps: everything. */
#include "tcc/pass.h"

MlirLogicalResult tcc_pass_known_sizes(TccPassRun *run, MlirOperation module) {
  MlirOperation unknown;
  int axis;
  if (tcc_sizes_known(run->ir, module, &unknown, &axis)) return mlirLogicalResultSuccess();
  tcc_error(unknown, TCC_SIZE_UNKNOWN, axis);
  return mlirLogicalResultFailure();
}

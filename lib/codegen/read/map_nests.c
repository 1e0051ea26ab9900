/* map_nests.c - reads the results of a map kernel; see map_nests.h. */
#include "lib/codegen/read/map_nests.h"

/* Takes the results from `first` on, of so many, that have its shape. */
static TccStatus *read_nest(TccIr *ir, MlirOperation kernel, intptr_t first, intptr_t nresults, bool *taken, TccMapNest *nest) {
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  intptr_t arguments = mlirBlockGetNumArguments(block);
  MlirType shape = tcc_value_type(mlirOperationGetOperand(end, first));
  MlirValue *values = TCC_NEW_ARRAY(ir->arena, MlirValue, nresults);
  TccPullNode **roots = TCC_NEW_ARRAY(ir->arena, TccPullNode *, nresults);
  TccPullIndex *stores = TCC_NEW_ARRAY(ir->arena, TccPullIndex, nresults),
               **joined = TCC_NEW_ARRAY(ir->arena, TccPullIndex *, nresults);
  nest->results = TCC_NEW_ARRAY(ir->arena, TccMapResult, nresults);
  for (intptr_t r = first; r < nresults; r++) {
    MlirValue value = mlirOperationGetOperand(end, r);
    if (taken[r] || !tcc_type_same_shape(ir, tcc_value_type(value), shape)) continue;
    taken[r] = true;
    values[nest->count] = value;
    nest->results[nest->count++] = (TccMapResult){.elem = tcc_value_elem(value), .argument = (int)(arguments + r)};
  }
  if (!tcc_pull_results(&nest->pull, ir, kernel, values, nest->count, roots, stores)) return nest->pull.status;
  for (size_t i = 0; i < nest->count; i++) {
    nest->results[i].root = roots[i], nest->results[i].store = stores[i];
    joined[i] = &nest->results[i].store;
  }
  tcc_pull_join_dims(&nest->pull, joined, (int)nest->count);
  return NULL;
}

TccStatus *tcc_map_nests_read_first(TccIr *ir, MlirOperation kernel, intptr_t results, TccMapNest **out, size_t *out_count) {
  bool *taken = TCC_NEW_ARRAY(ir->arena, bool, results + 1);
  *out = TCC_NEW_ARRAY(ir->arena, TccMapNest, results + 1), *out_count = 0;
  for (intptr_t r = 0; r < results; r++)
    if (!taken[r]) TCC_TRY(read_nest(ir, kernel, r, results, taken, &(*out)[(*out_count)++]));
  return NULL;
}

TccStatus *tcc_map_nests_read(TccIr *ir, MlirOperation kernel, TccMapNest **out, size_t *out_count) {
  return tcc_map_nests_read_first(ir, kernel, mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel))), out,
                                  out_count);
}

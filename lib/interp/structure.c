/* structure.c - the ops that bring values in: constants, weights from mapped files, sizes. */
#include "lib/interp/run.h"
#include "mlir-c/Support.h"
#include <inttypes.h>

TccStatus *tcc_eval_none(TccEval *e) {
  (void)e; /* the driver marks the value as absent */
  return NULL;
}

TccStatus *tcc_eval_constant(TccEval *e) {
  size_t count;
  const void *splat = tcc_constant_splat(e->ir, mlirOperationGetResult(e->op, 0));
  if (splat) {
    tcc_cells_unpack(e->out[0]->elem, splat, 1, e->out[0]->at);
    for (int64_t i = 1; i < e->out[0]->count; i++) e->out[0]->at[i] = e->out[0]->at[0];
    return NULL;
  }
  const void *data = tcc_constant_data(e->ir, mlirOperationGetResult(e->op, 0), &count);
  if (!data && e->out[0]->count) return TCC_ERROR(TCC_UNSUPPORTED, "a constant of this kind");
  if ((int64_t)count != e->out[0]->count)
    return TCC_ERROR(TCC_INVALID, "%zu elements for a shape of %" PRId64, count, e->out[0]->count);
  tcc_cells_unpack(e->out[0]->elem, data, e->out[0]->count, e->out[0]->at);
  return NULL;
}

TccStatus *tcc_eval_sizes(TccEval *e) {
  size_t n;
  const TccExpr *const *values;
  if (!tcc_get_exprs(e->ir, e->op, "values", &values, &n) || (int64_t)n != e->out[0]->count)
    return TCC_ERROR(TCC_INVALID, "no values");
  for (size_t i = 0; i < n; i++) TCC_TRY(tcc_interp_expr(e->interp, values[i], &e->out[0]->at[i].i));
  return NULL;
}

MlirAttribute tcc_interp_source_names(TccInterp *interp) { return tcc_attribute(interp->module, "tcc.sources"); }

TccStatus *tcc_eval_weight(TccEval *e) {
  TccInterp *interp = e->interp;
  int64_t index = tcc_i64(e->ir, e->op, "source"), offset = tcc_i64(e->ir, e->op, "offset"),
          length = tcc_i64(e->ir, e->op, "length");
  if (index < 0 || (size_t)index >= interp->nsources)
    return TCC_ERROR(TCC_INVALID, "source %" PRId64 " of %zu", index, interp->nsources);
  TccFileMap *source = &interp->sources[index];
  if (!source->data) {
    MlirAttribute name = mlirArrayAttrGetElement(tcc_interp_source_names(interp), index);
    if (!mlirAttributeIsAString(name)) return TCC_ERROR(TCC_INVALID, "tcc.sources[%" PRId64 "] is no string", index);
    MlirStringRef text = mlirStringAttrGetValue(name);
    if (text.length && text.data[0] == '/')
      TCC_TRY(tcc_file_map(tcc_arena_copy(interp->ir->arena, text.data, text.length), source)); /* as the run-time does */
    else TCC_TRY(tcc_file_map_beneath(interp->weights_dir ? interp->weights_dir : "", (TccStr){text.data, text.length}, source));
  }
  TccArray *r = e->out[0];
  if (offset < 0 || length < 0 || (uint64_t)offset > source->length || (uint64_t)length > source->length - (uint64_t)offset)
    return TCC_ERROR(TCC_INVALID, "bytes [%" PRId64 ", +%" PRId64 ") are outside the file", offset, length);
  if (tcc_elem_bytes(r->elem, (size_t)r->count) != (size_t)length)
    return TCC_ERROR(TCC_INVALID, "%" PRId64 " bytes do not fit the type", length);
  tcc_cells_unpack(r->elem, (const char *)source->data + offset, r->count, r->at);
  return NULL;
}

/* ops_sequence.h - sequences whose elements are rows of a tensor. */
#ifndef TCC_ONNX_OPS_SEQUENCE_H
#define TCC_ONNX_OPS_SEQUENCE_H
#include "lib/frontend/onnx/ops.h"

/* The elements of a sequence of either kind, which must have one type, as rows: [length, shape of an element]. Null for an empty one of known
 * length. False after a reason. */
bool onnx_rows(ImportCall *c, const ImportValue *sequence, MlirValue *out);

/* Rows [length, shape of an element] joined along an axis of the elements. */
MlirValue onnx_join_rows(ImportCall *c, MlirValue rows, int64_t axis);

/* x with its axis 0 moved to `axis`, which may count from the end. */
MlirValue onnx_move_first(ImportCall *c, MlirValue x, int64_t axis);
/* x with `axis`, in [0, rank), moved to axis 0. */
MlirValue onnx_move_to_front(ImportCall *c, MlirValue x, int64_t axis);

/* One element more of a sequence of kind IMPORT_PARTS, at its beginning or at its end. False after a reason. */
bool onnx_add_part(ImportCall *c, ImportValue *parts, MlirValue part, bool in_front);
#endif

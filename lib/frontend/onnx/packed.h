/* packed.h - sequences of different lengths, one behind the other in one axis of tokens.
 *
 * Sequence i is tokens [ends[i], ends[i + 1]); the first entry is 0, the last the number of tokens. In front of each sequence may stand a history of
 * as many elements for all: a table [sequences * history + tokens, ...] has the histories first, and a place in it is computed from a position in its
 * sequence, which is negative in the history. Null in, null out. */
#ifndef TCC_ONNX_PACKED_H
#define TCC_ONNX_PACKED_H
#include "lib/frontend/onnx/import.h"

typedef struct {
  const TccExpr *tokens, *sequences, *history;
  MlirValue owner, at;     /* i64 [tokens]: the sequence of each, and the position in it */
  MlirValue start, length; /* i64 [sequences] */
} OnnxPacked;
/* i64 [tokens]: the sequence of each one. `ends` is [sequences + 1]; what is wrong with it ends the run with `message`. each: no sequence is empty. */
MlirValue onnx_token_owners(ImportCall *c, MlirValue ends, const TccExpr *tokens, bool each, TccStr message);
bool onnx_packed(ImportCall *c, MlirValue ends, const TccExpr *tokens, const TccExpr *history, bool each, TccStr message,
                 OnnxPacked *out);
/* [sequences, history, ...] and [tokens, ...] as one table. */
MlirValue onnx_packed_table(ImportCall *c, const OnnxPacked *p, MlirValue history, MlirValue x);
/* Places in the table: of each token, `back` positions before it; and of positions [sequences, n], counted in each sequence. */
MlirValue onnx_packed_before(ImportCall *c, const OnnxPacked *p, int64_t back);
MlirValue onnx_packed_places(ImportCall *c, const OnnxPacked *p, MlirValue positions);
/* i64 [sequences, history]: the positions of the last elements of each sequence. */
MlirValue onnx_packed_last(ImportCall *c, const OnnxPacked *p);
/* bool [sequences, capacity]: whether slot s is below `count`, i32 [sequences], and the sequence's length. */
MlirValue onnx_packed_captured(ImportCall *c, const OnnxPacked *p, MlirValue count, int64_t capacity);
/* The attribute state_update_capacity, which the input says how much of is used where it is not 0. False after a reason. */
bool onnx_capture_capacity(ImportCall *c, size_t count_input, const TccExpr *sequences, int64_t *out);
#endif

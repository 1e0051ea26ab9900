/* loop.h - what the ways in which a Loop becomes ops share: a function that the run-time calls again, or copies of its body (ops_loop.c); one or two
 * such functions where iterations decide sizes (loop_sized.c). */
#ifndef TCC_ONNX_LOOP_H
#define TCC_ONNX_LOOP_H
#include "lib/frontend/onnx/loop_append.h"

typedef struct {
  size_t carried, scans;
  const OnnxAppend *appends; /* of what is carried; NULL: none */
} OnnxLoopShape;

enum {
  LOOP_GO,
  LOOP_INDEX,
  LOOP_FIRST
}; /* what a Loop carries before its own values: whether it goes on, and the number of the iteration */

bool onnx_loop_appends(const OnnxLoopShape *shape, size_t k);
/* Whether a body gives back what it carries k-th: such a value is read where it is. */
bool onnx_loop_keeps(const TccOnnxGraph *body, size_t k);
/* The number of an iteration, or the condition, as the body declares it: exporters also have it as a vector of one element. */
ImportValue onnx_loop_counter(ImportCall *c, const TccOnnxGraph *body, size_t input, MlirValue value);
MlirValue onnx_zeros(ImportCall *c, const ImportShape *shape);
/* A row that the Concat of an append puts behind a value has that one's sizes on all axes but its own: where data of the iteration decide
 * them, the run says whether it has. */
MlirValue onnx_appended_row(ImportCall *c, const ImportBody *body, const OnnxAppend *append, const ImportValue *initial,
                            MlirValue row);
/* values: what iterations give for scan outputs; carries their rows, as many as trips, and puts each in its row. */
bool onnx_carry_rows(ImportCall *c, ImportBody *body, const TccExpr *trips, const ImportValue *values, size_t count,
                     const MlirValue *index, MlirValue *initial, MlirValue *results);
/* rows without those of iterations that did not run: of `most`, `count` (i64, rank 0) did. most NULL: all did. */
MlirValue onnx_rows_made(ImportCall *c, MlirValue rows, const TccExpr *most, MlirValue count);

/* The loop where iterations decide sizes of what leaves them. trips INT64_MAX: its condition alone ends it. False after a reason. */
bool onnx_sized_loop(ImportCall *c, const TccOnnxGraph *body, const OnnxLoopShape *shape, const TccExpr *trips);
#endif

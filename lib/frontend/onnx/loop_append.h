/* loop_append.h - values that the body of a Loop carries only to append to them. */
#ifndef TCC_ONNX_LOOP_APPEND_H
#define TCC_ONNX_LOOP_APPEND_H
#include "lib/frontend/onnx/ops.h"

typedef struct {
  size_t node;  /* of the body: a Concat of the value and a row, or a SequenceInsert at its end; SIZE_MAX: it is no such value */
  size_t casts; /* so many Cast and Identity lie between the value and that node; the value keeps its type, so they do nothing */
  TccStr row;   /* what an iteration appends */
  int64_t axis; /* of a Concat */
  bool is_sequence;
} OnnxAppend;

/* For each of the values that the body carries. NULL: the loop appends to none. */
const OnnxAppend *onnx_appends(ImportCall *c, const TccOnnxGraph *body, size_t carried);

/* The body without the nodes that append, its outputs the rows in place of what is carried. */
const TccOnnxGraph *onnx_without_appends(ImportCall *c, const TccOnnxGraph *body, const OnnxAppend *appends, size_t carried);

/* *out: `initial` with what the iterations appended behind it; rows: [iterations, shape of a row]. False after a reason. */
bool onnx_append_rows(ImportCall *c, const OnnxAppend *append, const ImportValue *initial, MlirValue rows, ImportValue *out);
#endif

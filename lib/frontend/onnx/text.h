/* text.h - tensors of strings.
 *
 * A tensor of strings [...] is its bytes in UTF-8, ui8 [..., W]: the last axis is as wide as the widest string at least, and zeros follow a string's
 * end, as NumPy has it in its type S. So no string has a zero in it, every operator on strings is arithmetic on bytes, and W is a size like any
 * other. A value of strings is IMPORT_TEXT: operators that do not know of strings refuse it. Null in, null out. */
#ifndef TCC_ONNX_TEXT_H
#define TCC_ONNX_TEXT_H
#include "lib/frontend/onnx/import.h"

MlirValue onnx_text(ImportCall *c, size_t input); /* its bytes; null and a reason for other values */
bool onnx_is_text(const ImportCall *c, size_t input);
bool onnx_text_output(ImportCall *c, size_t index, MlirValue bytes);
/* The strings of that shape. Null and a reason for one with a zero in it. */
MlirValue onnx_text_constant(ImportCall *c, const TccStr *strings, size_t count, int rank, const int64_t *dims);
MlirValue onnx_text_tensor(ImportCall *c, const TccOnnxTensor *tensor);
/* bool: whether strings are equal; shapes but for the last axis broadcast. */
MlirValue onnx_text_equal(ImportCall *c, MlirValue a, MlirValue b);
MlirValue onnx_text_case(ImportCall *c, MlirValue x, bool upper); /* of the 26 letters of ASCII */
MlirValue onnx_text_length(ImportCall *c, MlirValue x);           /* bytes: i64 [..., 1] */
/* i64: which of the strings each one of x is, the first of equal ones; -1: none. */
MlirValue onnx_text_index(ImportCall *c, MlirValue x, const TccStr *strings, size_t count);
/* i64: the first place along the last axis where met, of bools, is true; -1: nowhere. */
MlirValue onnx_first_true(ImportCall *c, MlirValue met);
/* Whether a node of op moves strings from inputs to outputs, as Gather and Concat do; *out_ok: what its handler returned, asked with their places. */
bool onnx_text_moved(ImportCall *c, const OnnxOp *op, bool *out_ok);
const TccExpr *onnx_text_width(ImportCall *c, MlirValue x);

/* Parts that strings are cut into; ops_text.c. Of a matrix of strings [N, W]. */
typedef struct {
  MlirValue x, place;     /* i64 [W] */
  const TccExpr *width;   /* W */
  int64_t most;           /* parts; 0: any number */
  int64_t before, behind; /* empty ones in front of the parts and behind those of the string that has most, if it has any */
  MlirValue begins, from; /* bool, i64 [N, W] or [W]: at a byte where the string is cut, the next part begins at `from` */
  MlirValue inside, part; /* bool, i64 [N, W]: the byte belongs to that part */
  MlirValue count;        /* i64 [N] */
} OnnxTextParts;
MlirValue onnx_text_parts(ImportCall *c, const OnnxTextParts *s); /* [N, T, W], T being the largest number of parts */
MlirValue onnx_running_sum(ImportCall *c, MlirValue marks);       /* i64 [N, W], of bools */
/* zeros [N, W + 1 + before + behind] with values at the places of the parts where met is true: they are set, or added. */
MlirValue onnx_by_part(ImportCall *c, const OnnxTextParts *s, MlirValue met, MlirValue values, const char *reduction);
#endif

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
#endif

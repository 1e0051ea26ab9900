/* ops.h - the handlers that ops.def names; each stands in the ops_*.c of its family. */
#ifndef TCC_ONNX_OPS_H
#define TCC_ONNX_OPS_H
#include "lib/frontend/onnx/import.h"

/* Numbers in the column `kind`. */
enum { COMPARE_EQ, COMPARE_GT, COMPARE_GE, COMPARE_LT, COMPARE_LE };
enum { GLOBAL_AVERAGE, GLOBAL_MAX, GLOBAL_LP };
enum {
  REDUCE_SUM,
  REDUCE_MEAN,
  REDUCE_MAX,
  REDUCE_MIN,
  REDUCE_PROD,
  REDUCE_L1,
  REDUCE_L2,
  REDUCE_LOG_SUM,
  REDUCE_LOG_SUM_EXP,
  REDUCE_SUM_SQUARE
};
enum { ARG_MAX, ARG_MIN };
enum { WINDOW_HANN, WINDOW_HAMMING, WINDOW_BLACKMAN };
/* RANDOM_LIKE is added where the shape is that of an input. */
enum { RANDOM_UNIFORM, RANDOM_NORMAL, RANDOM_LIKE };
enum { SEARCH_GREEDY, SEARCH_SAMPLING, SEARCH_BEAM, SEARCH_WHISPER };
enum { CUMULATIVE_SUM, CUMULATIVE_PROD };
enum { QLINEAR_AVERAGE_POOL, QLINEAR_GLOBAL_AVERAGE, QLINEAR_LEAKY_RELU, QLINEAR_SIGMOID, QLINEAR_SOFTMAX };

/* Of a recurrent operator, c->kind being its op: "sigmoid,tanh(0.5),..." for directions [first, last) in order; ONNX gives alpha and beta only for the
 * functions that take them. ops_recurrent.c */
bool onnx_activations(ImportCall *c, size_t directions, size_t first, size_t last, TccText *out);

typedef bool OnnxHandler(ImportCall *c);
/* Output 0 of another operator's handler, asked with x as the first of ninputs inputs and with that kind; null if it failed. */
MlirValue onnx_value_of(ImportCall *c, OnnxHandler *handler, int kind, MlirValue x, size_t ninputs);

/* A scale or zero point for x's shape: a scalar; a vector along axis; or blocks of `block` elements along axis. */
MlirValue onnx_spread(ImportCall *c, MlirValue v, const ImportShape *x, int64_t axis, int64_t block);
/* x / scale, rounded, + zero point (may be null), saturated to elem; ops_quantize.c. */
MlirValue onnx_quantize(ImportCall *c, MlirValue x, MlirValue scale, MlirValue zero, TccElem elem, int64_t saturate);
/* (q - zero point (may be null)) * scale, of the scale's type. */
MlirValue onnx_dequantize(ImportCall *c, MlirValue q, MlirValue scale, MlirValue zero);
/* (a - p)(b - q) of bytes, as i32; p is one or one a row, q one or one a column, or null. */
MlirValue onnx_matmul_integer(ImportCall *c, MlirValue a, MlirValue b, MlirValue p, MlirValue q);
/* x rounded, + zero point (may be null), saturated to elem. */
MlirValue onnx_round_to(ImportCall *c, MlirValue x, MlirValue zero, TccElem elem, int64_t saturate);

/* Matrices of numbers of 2, 4 or 8 bits, packed low bits first along their depth; ops_quantize_blocks.c. */
typedef struct {
  MlirValue packed, scale, zero; /* u8 [matrices, rows, depth * bits / 8]; a scale, and maybe a zero point, of each block */
  int64_t bits, block;           /* numbers of a block; 0: a whole row, whose scales and zero points have no axis for it */
  int64_t matrices, rows, depth;
} OnnxBlockWeight;
/* [matrices, rows, depth] of elem; null after a reason. */
MlirValue onnx_block_weight(ImportCall *c, const OnnxBlockWeight *w, TccElem elem);

/* Slices of `size` elements of x's axis, each `step` behind the one before: there are as many as fit, and their elements are a last axis more. */
MlirValue onnx_windows(ImportCall *c, MlirValue x, int64_t axis, int64_t size, int64_t step);
/* The slices of x along axis where mask, a vector of bools, is true: their number is data. */
MlirValue onnx_take_where(ImportCall *c, MlirValue x, int64_t axis, MlirValue mask);
/* Whether bounds of a Slice of opset 10 and later are data; *out_again: the caller gave them, and the walk begins again. */
bool onnx_slice_has_data(ImportCall *c, bool *out_again);
bool onnx_slice_by_data(ImportCall *c);
MlirValue onnx_condition(ImportCall *c, MlirValue value); /* as a scalar */
/* x with zeros behind it on each axis, up to the sizes `to`. */
MlirValue onnx_pad_end(ImportCall *c, MlirValue x, const TccExpr *const *to);

#define ONNX_OP(type, domain, since, handler, kind, expansion) bool onnx_op_##handler(ImportCall *c);
#include "lib/frontend/onnx/ops.def"
#undef ONNX_OP
#endif

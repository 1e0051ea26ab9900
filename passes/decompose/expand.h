/* expand.h - building blocks of the expansions of composite ops.
 *
 * An expansion builds primitive ops in front of the composite and returns its results. Values run through functions
 * that pass a null value on without building anything, so an expansion is written straight down and checked once at its
 * end: where something was null, exactly one diagnostic has been emitted. Float types narrower than 32 bits are
 * computed in f32: operands come in through tcc_ex_in and results leave through tcc_ex_out. */
#ifndef TCC_EXPAND_H
#define TCC_EXPAND_H
#include "tcc/ir.h"

typedef struct {
  TccIr *ir;
  TccBuilder *b; /* inserts before op */
  TccArena *scratch;
  MlirOperation op; /* the composite */
  TccOpKind kind;
  TccElem elem;    /* of operand 0 */
  TccElem compute; /* elem, or f32 for narrower floats */
} TccExpand;

/* Fills results; false after one diagnostic. */
typedef bool TccExpandFunction(TccExpand *x, MlirValue *results);

/* Rows of the table in decompose.c: SYM, function. */
// clang-format off
#define TCC_EXPANSIONS(X) \
  X(RELU, activation) X(LEAKY_RELU, activation) X(PRELU, activation) X(ELU, activation) X(SELU, activation) \
  X(CELU, activation) X(SIGMOID, activation) X(HARD_SIGMOID, activation) X(HARD_SWISH, activation) \
  X(SWISH, activation) X(SOFTPLUS, activation) X(SOFTSIGN, activation) X(MISH, activation) X(GELU, activation) \
  X(CLAMP, clamp) X(MEAN, mean) X(SOFTMAX, softmax) X(LOG_SOFTMAX, softmax) X(LAYER_NORM, norm) X(RMS_NORM, norm) \
  X(GROUP_NORM, group_norm) X(INSTANCE_NORM, group_norm) X(BATCH_NORM, batch_norm) X(LRN, lrn) X(LINEAR, linear) \
  X(MATMUL, matmul) X(ATTENTION, attention) X(ROTARY_EMBEDDING, rotary_embedding) X(EMBEDDING, embedding) \
  X(RESIZE, resize) X(LSTM, recurrent) X(GRU, recurrent) X(RNN, recurrent)
// clang-format on
#define X(SYM, function) TccExpandFunction tcc_expand_##function;
TCC_EXPANSIONS(X)
#undef X

/* ---- values; null in, null out ---- */
MlirValue tcc_ex_operand(TccExpand *x, int i);       /* null where it is tcc.none */
MlirValue tcc_ex_in(TccExpand *x, int i);            /* the same, converted to the computing type */
MlirValue tcc_ex_out(TccExpand *x, MlirValue value); /* converted to operand 0's type */
MlirValue tcc_ex_convert(TccExpand *x, MlirValue value, TccElem elem);
MlirValue tcc_ex_scalar(TccExpand *x, double value); /* of the computing type */
MlirValue tcc_ex1(TccExpand *x, TccOpKind kind, MlirValue a);
MlirValue tcc_ex2(TccExpand *x, TccOpKind kind, MlirValue a, MlirValue b);
MlirValue tcc_ex_times(TccExpand *x, MlirValue a, double factor); /* a itself for 1 */
MlirValue tcc_ex_plus(TccExpand *x, MlirValue a, double addend);  /* a itself for 0 */
MlirValue tcc_ex_compare(TccExpand *x, const char *predicate, MlirValue a, MlirValue b);
MlirValue tcc_ex_select(TccExpand *x, MlirValue c, MlirValue a, MlirValue b);
MlirValue tcc_ex_reduce(TccExpand *x, const char *kind, MlirValue a, const int64_t *axes, size_t naxes, bool keepdims);
MlirValue tcc_ex_mean(TccExpand *x, MlirValue a, const int64_t *axes, size_t naxes, bool keepdims);
MlirValue tcc_ex_reshape(TccExpand *x, MlirValue a, int rank, const TccExpr *const *dims);
MlirValue tcc_ex_broadcast(TccExpand *x, MlirValue a, int rank, const TccExpr *const *dims);
MlirValue tcc_ex_transpose(TccExpand *x, MlirValue a, const int64_t *perm);
MlirValue tcc_ex_gather(TccExpand *x, MlirValue a, MlirValue indices, int64_t axis);
MlirValue tcc_ex_concat(TccExpand *x, const MlirValue *values, size_t n, int64_t axis);
/* a[..., start + i * step, ...] for i in [0, size) of one axis */
MlirValue tcc_ex_slice(TccExpand *x, MlirValue a, int axis, int64_t start, int64_t step, const TccExpr *size);
/* The same without the axis: a[..., index, ...] */
MlirValue tcc_ex_at(TccExpand *x, MlirValue a, int axis, int64_t index);
MlirValue tcc_ex_dot(TccExpand *x, MlirValue a, MlirValue b, size_t nbatch, int64_t lhs_contract,
                     int64_t rhs_contract); /* batch axes 0 .. nbatch-1 */
MlirValue tcc_ex_iota(TccExpand *x, TccElem elem, int axis, int rank, const TccExpr *const *dims);
/* A size as a scalar of a number type: a constant, or read at run time. */
MlirValue tcc_ex_size(TccExpand *x, const TccExpr *size, TccElem elem);
/* softmax of a along one axis, in a's type */
MlirValue tcc_ex_softmax(TccExpand *x, MlirValue a, int64_t axis);

/* ---- shapes ---- */
typedef struct {
  int rank;
  const TccExpr *dims[TCC_MAX_RANK];
} TccShape;
/* False after a diagnostic if value is null (already reported) or a size is unknown. */
bool tcc_ex_shape(TccExpand *x, MlirValue value, TccShape *out);
const TccExpr *tcc_ex_const(TccExpand *x, int64_t value);
const TccExpr *tcc_ex_product(TccExpand *x, const TccExpr *const *dims, int n);
/* A static size; false after a diagnostic that names `what`. */
bool tcc_ex_static(TccExpand *x, const TccExpr *size, const char *what, int64_t *out);
/* A vector seen as [n, 1, ..., 1] with `after` trailing axes, so that it broadcasts along one axis. */
MlirValue tcc_ex_column(TccExpand *x, MlirValue vector, int after);
bool tcc_ex_fail(TccExpand *x, const char *format, ...) TCC_PRINTF(2, 3); /* emits; returns false */
#endif

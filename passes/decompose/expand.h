/* expand.h - building blocks of the expansions of composite ops.
 *
 * An expansion builds primitive ops in front of the composite and returns its results. Values run through functions
 * that pass a null value on without building anything, so an expansion is written straight down and checked once at its
 * end: where something was null, exactly one diagnostic has been emitted. Float types narrower than 32 bits are
 * computed in f32: operands come in through tcc_ex_in and results leave through tcc_ex_out. */
#ifndef TCC_EXPAND_H
#define TCC_EXPAND_H
#include "tcc/ir.h"
#include "tcc/pass.h"

typedef struct {
  TccIr *ir;
  TccBuilder *b; /* inserts before op */
  TccArena *scratch;
  MlirOperation op; /* the composite */
  TccOpKind kind;
  TccElem elem;    /* of operand 0 */
  TccElem compute; /* elem, or f32 for narrower floats */
  bool eager;      /* in the steps of PyTorch (tcc.numerics) */
  bool row_sums;   /* as of TccTarget */
} TccExpand;

/* Fills results; false after one diagnostic. */
typedef bool TccExpandFunction(TccExpand *x, MlirValue *results);

#define TCC_OP(SYM, mnemonic, level, operands, results, attributes, rule, traits, semantics)
#define TCC_COMPOSITE(SYM, mnemonic, operands, results, attributes, rule, expansion, traits, semantics)                            \
  TccExpandFunction tcc_expand_##expansion;
#include "dialects/tcc/ops.def"

/* Replaces a composite by its expansion and erases it. False after one diagnostic. eager: as of TccExpand. */
bool tcc_expand_op(TccPassRun *run, MlirOperation op, bool eager);

/* ---- values, beside the builders of ir.h; null in, null out ---- */
MlirValue tcc_ex_operand(TccExpand *x, int i);                    /* null where it is tcc.none */
MlirValue tcc_ex_in(TccExpand *x, int i);                         /* the same, converted to the computing type */
MlirValue tcc_ex_out(TccExpand *x, MlirValue value);              /* converted to operand 0's type */
MlirValue tcc_ex_scalar(TccExpand *x, double value);              /* of the computing type */
MlirValue tcc_ex_times(TccExpand *x, MlirValue a, double factor); /* a itself for 1 */
MlirValue tcc_ex_plus(TccExpand *x, MlirValue a, double addend);  /* a itself for 0 */
MlirValue tcc_ex_mean(TccExpand *x, MlirValue a, const int64_t *axes, size_t naxes, bool keepdims);
/* a[..., start + i * step, ...] for i in [0, size) of one axis */
MlirValue tcc_ex_slice(TccExpand *x, MlirValue a, int axis, int64_t start, int64_t step, const TccExpr *size);
/* The same without the axis: a[..., index, ...] */
MlirValue tcc_ex_at(TccExpand *x, MlirValue a, int axis, int64_t index);
MlirValue tcc_ex_dot(TccExpand *x, MlirValue a, MlirValue b, size_t nbatch, int64_t lhs_contract,
                     int64_t rhs_contract); /* batch axes 0 .. nbatch-1 */
/* Of [.., 1, K] and [.., K, N], under the batch axes of both: products summed over K, along which the matrix may lie (a transpose). */
MlirValue tcc_ex_row_sums(TccExpand *x, MlirValue a, MlirValue b, int rank);
/* pick.c: whether each row of a table, along axis 0, is computed from numbers of a byte or less; and gather(table, index [n], 0), of what such a table is
 * computed from, and of what a transpose turns. */
bool tcc_ex_is_narrow(TccExpand *x, MlirValue table);
MlirValue tcc_ex_pick(TccExpand *x, MlirValue table, MlirValue index);
/* A size as a scalar of a number type: a constant, or read at run time. */
MlirValue tcc_ex_size(TccExpand *x, const TccExpr *size, TccElem elem);
/* softmax of a along one axis, in a's type */
MlirValue tcc_ex_softmax(TccExpand *x, MlirValue a, int64_t axis);

/* Of a batch_norm: r = x * factor + shift, a number of each per channel. */
typedef struct {
  MlirValue factor, shift;
} TccChannelNorm;
TccChannelNorm tcc_ex_channel_norm(TccExpand *x);

/* ---- shapes ---- */
typedef struct {
  int rank;
  const TccExpr *dims[TCC_MAX_RANK];
} TccShape;
/* False after a diagnostic if value is null (already reported) or a size is unknown. */
bool tcc_ex_shape(TccExpand *x, MlirValue value, TccShape *out);
const TccExpr *tcc_ex_const(TccExpand *x, int64_t value);
const TccExpr *tcc_ex_product(TccExpand *x, const TccExpr *const *dims, int n);
/* A vector seen as [n, 1, ..., 1] with `after` trailing axes, so that it broadcasts along one axis. */
MlirValue tcc_ex_column(TccExpand *x, MlirValue vector, int after);
bool tcc_ex_fail(TccExpand *x, const char *format, ...) TCC_PRINTF(2, 3); /* emits; returns false */
#endif

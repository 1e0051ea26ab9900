/* ops.h - the handlers that aten.def names; each stands in the ops_*.c of its group. */
#ifndef TCC_TORCH_OPS_H
#define TCC_TORCH_OPS_H
#include "lib/frontend/torch/import.h"
#include "lib/frontend/torch/ops_kinds.h"

/* Kinds of handlers that several rows share. */
enum { COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE };
enum { COPY = 1 };
enum { RESHAPE = 1, DECLARED, RAVEL };
enum { LAST = 1, REVERSED };
enum { FILL_ZERO, FILL_ONE, FILL_VALUE };
enum {
  SYM_ADD,
  SYM_SUB,
  SYM_MUL,
  SYM_FLOORDIV,
  SYM_MOD,
  SYM_MAX,
  SYM_MIN,
  SYM_TRUEDIV,
  SYM_NEG,
  SYM_EQ,
  SYM_NE,
  SYM_GE,
  SYM_GT,
  SYM_LE,
  SYM_LT,
  SYM_AND,
  SYM_OR,
  SYM_NOT,
  SYM_NUMEL,
  SYM_POW,
  SYM_SHIFT,
  SYM_FLOAT,
  SYM_FLOOR,
  SYM_CEIL,
  SYM_TRUNC,
  SYM_ROUND
};

#define ATEN_OP(name, handler, kind, expansion) bool torch_op_##handler(ImportCall *c);
#include "lib/frontend/torch/aten.def"
#undef ATEN_OP
#endif

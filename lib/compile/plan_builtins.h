/* plan_builtins.h - kernels that are C functions of the run-time: which function, with what sizes, tiles and scratch. */
#ifndef TCC_COMPILE_PLAN_BUILTINS_H
#define TCC_COMPILE_PLAN_BUILTINS_H
#include "lib/codegen/read/concat_slice.h"
#include "lib/codegen/read/relayout.h"
#include "tcc/plan.h"

enum {
  TCC_CONCAT_SIZES = TCC_CONCAT_HEAD + 2 * TCC_CONCAT_MOST,
  TCC_BUILTIN_MOST_SIZES = (int)TCC_CONCAT_SIZES > (int)TCC_RELAYOUT_SIZES ? (int)TCC_CONCAT_SIZES : (int)TCC_RELAYOUT_SIZES
};

/* The arguments of a builtin in the order that its function in lib/runtime reads. scratch: bytes a thread. Expressions are the pool's. */
typedef struct {
  TccBuiltin builtin;
  const TccExpr *sizes[TCC_BUILTIN_MOST_SIZES];
  size_t nsizes;
  const TccExpr *tiles, *scratch;
} TccBuiltinCall;

/* The op of a kernel of kind builtin; null if it has none that is a C function. */
MlirOperation tcc_builtin_op(TccIr *ir, MlirOperation kernel);
/* Reads a kernel that tcc_kernel_is_builtin holds of. A kernel of another form is an error at it. */
MlirLogicalResult tcc_builtin_call_read(TccIr *ir, MlirOperation kernel, TccBuiltinCall *out);
#endif

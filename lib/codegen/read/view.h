/* view.h - where the elements of a value lie in memory, and loops over several values at once.
 *
 * A view is a chain of reshape, transpose, broadcast and slice, read as strides: each axis of the value is a row-major list
 * of (size, stride) steps into one argument of the kernel. A span joins one group of axes of several values (the rows of a
 * product and of its result, say) into the fewest common steps, so that the group is walked by one linear index; the common
 * case is a single step. Sizes and strides are expressions: known numbers become constants of the code, others slots of
 * the kernel's sizes[] argument, so that compiled code never computes a size. */
#ifndef TCC_CODEGEN_VIEW_H
#define TCC_CODEGEN_VIEW_H
#include "tcc/codegen.h"

enum { TCC_VIEW_STEPS = 8, TCC_SPAN_STEPS = 12 };

typedef struct {
  int n;
  const TccExpr *size[TCC_VIEW_STEPS], *stride[TCC_VIEW_STEPS];
} TccViewAxis; /* strides in elements */

typedef struct {
  int argument;     /* index into the kernel's arguments; -1: constant data */
  const void *data; /* of a constant: row-major bytes */
  size_t data_bytes;
  TccElem elem;
  const TccExpr *offset; /* elements */
  int rank;
  TccViewAxis axis[TCC_MAX_RANK];
} TccView;

/* The view of a value of a kernel: false if its chain ends at an op that computes, or cannot be written as strides. */
bool tcc_view_of(TccIr *ir, MlirValue value, TccView *out);
bool tcc_view_repeats(const TccView *view, int64_t axis); /* the same all along that axis */
/* How the elements of `root` lie in result `index` of the kernel, where only reshapes and transposes stand between. */
bool tcc_view_of_result(TccIr *ir, MlirOperation kernel, intptr_t index, MlirValue root, TccView *out);

/* Matrices of a table that lie where numbers say which data decide: entry i of an axis is entry indices[i] of the table, of `size` entries, a
 * negative one counted from the end, one outside the nearest inside. */
typedef struct {
  bool present;
  TccView indices; /* of rank 1 */
  const TccExpr *size;
} TccLookup;

/* A gather along axis 0 of a view by indices of rank 1 that are a view; any index is valid. out: of the result, its axis 0 being the
 * table's. False for anything else. */
bool tcc_lookup_of(TccIr *ir, MlirValue value, TccView *out, TccLookup *out_lookup);

typedef struct {
  int n, ntensors;
  const TccExpr *size[TCC_SPAN_STEPS];
  const TccExpr **stride[TCC_SPAN_STEPS]; /* [step][tensor] */
  const TccExpr *count;                   /* product of sizes */
  const TccLookup *lookup;                /* through which tensor lookup_tensor is walked, in one step; NULL: none is */
  int lookup_tensor;
} TccSpan;

void tcc_span_init(TccIr *ir, TccSpan *span, int ntensors);
/* Appends one axis (inner to those before): axes[t] is tensor t's, NULL where the tensor does not move along it. False if
 * the steps have no common refinement. */
bool tcc_span_append(TccIr *ir, TccSpan *span, const TccExpr *size, const TccViewAxis *const *axes);
/* Joins steps that all tensors walk evenly. Call once, after the last axis. */
void tcc_span_finish(TccIr *ir, TccSpan *span);
/* Whether `lanes` consecutive indices, from a multiple of `lanes`, stay within the innermost step (the tail is masked). */
bool tcc_span_vectorizes(const TccSpan *span, int lanes);
const TccExpr *tcc_span_inner_stride(TccIr *ir, const TccSpan *span, int tensor); /* 0 for an empty span */
#endif

/* pool_internal.h - what the parts of the pool emitter share: reading and rows (pool.c), windows (pool_window.c). */
#ifndef TCC_CODEGEN_POOL_INTERNAL_H
#define TCC_CODEGEN_POOL_INTERNAL_H
#include "lib/codegen/emit/scalar.h"
#include "lib/targets/x86/conv/conv.h"
#include "lib/targets/x86/map/pool.h"

typedef enum { POOL_MAX, POOL_SUM, POOL_AVG, POOL_INDEX } PoolKind;

typedef struct {
  TccIr *ir;
  MlirOperation op;
  TccConv window; /* kernel, strides, pads, dilations, sizes and strides of x */
  PoolKind kind;
  bool counts, include_pad, column_major;
  bool blocked; /* the innermost axis is one vector of channels */
  TccElem acc;  /* what a lane accumulates; i64 for indices */
  int lanes;
  int64_t positions; /* of the window */
  TccEpilogue epilogue;
  TccSpan rows, one, columns;
  int64_t rows_in_tile, line;
} Pool;

typedef struct {
  TccKernelEmit *k;
  const Pool *p;
  TccVal image;               /* pointer to the channel's first element */
  TccVal flat;                /* index of that element in the whole of x (pool_index) */
  TccVal start[TCC_MAX_RANK]; /* first input coordinate of the window, outer axes */
} PoolRow;

/* The window at output positions [first, first + lanes) of the row, of which `count` are left: the result in flight as p->acc. */
TccVal pool_window(const PoolRow *r, TccVal first, TccVal count);
/* The same at output column `at`, on blocked channels. */
TccVal pool_blocked_window(const PoolRow *r, TccVal at);
#endif

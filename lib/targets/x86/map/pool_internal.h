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
  bool ceil_mode;
  bool lines;   /* an axis at a time: pool_lines.c */
  bool blocked; /* the innermost axis is one vector of channels */
  bool stores;  /* lines: there is no epilogue, and windows of a row lie side by side in the result: they are stored there */
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
  TccVal counted;             /* lines: pool_count_rows, or 0 */
  TccVal size[2], step[2];    /* on blocked channels: rows and columns of the image, elements from one to the next */
} PoolRow;

/* The window at output positions [first, first + lanes) of the row, of which `count` are left: the result in flight as p->acc. */
TccVal pool_window(const PoolRow *r, TccVal first, TccVal count);
/* On blocked channels: the function NAME of all windows of a row, which depends on the window alone, so that layers share it; a call of it
 * for `count` output columns from `first` on. */
void pool_blocked_emit(TccKernelEmit *k, const Pool *p, const char *name);
void pool_blocked_call(const PoolRow *r, const char *name, TccVal to, TccVal first, TccVal count);
/* What a window that begins at `start` covers of [0, limit) on one axis: positions [*from, *to) of it. */
void pool_positions_inside(TccEmit *e, const TccConv *v, int axis, TccVal start, TccVal limit, TccVal *from, TccVal *to);
/* Sums by their number; count: lanes of it, or 0 for that of the window. */
TccVal pool_average(const Pool *p, TccEmit *e, const char *type, TccVal sum, TccVal count);

/* pool_lines.c: a line is scratch of so many elements of p->acc, POOL_LINES of them lie one behind the other at `lines`, then one for what each
 * window of a row counts. They are cleared once, filled
 * each for a row of the result, and read as often as the row has vectors; `at` is the output column of lane 0. */
enum { POOL_LINES = 4 };
bool pool_takes_lines(const Pool *p);
const TccExpr *pool_line_elements(const Pool *p);
void pool_clear_lines(TccKernelEmit *k, const Pool *p, TccVal lines);
void pool_fill_line(const PoolRow *r, TccVal line);
/* Of averages that count: how many rows each window of a row of the result has, in all lanes. 0: there is nothing to count. */
TccVal pool_count_rows(const PoolRow *r);
TccVal pool_line_window(const PoolRow *r, TccVal lines, TccVal line, TccVal at);
#endif

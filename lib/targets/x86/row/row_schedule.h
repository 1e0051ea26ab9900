/* row_schedule.h - schedules of rows: accumulators side by side, what is prefetched, blocks, tiles of work. */
#ifndef TCC_CODEGEN_ROW_SCHEDULE_H
#define TCC_CODEGEN_ROW_SCHEDULE_H
#include "tcc/tunable.h"

enum { TCC_ROW_MOST_SETS = 8, TCC_ROW_MOST_FETCH = 64 };
typedef struct {
  int64_t sets;     /* of accumulators side by side, where a loop's body is small; larger ones have a half or a fourth */
  int64_t prefetch; /* bytes ahead of the place that is written at which lines of results are prefetched; 1: they are not */
  int64_t fetch;    /* n > 1: operands of the row n - 1 further on are prefetched; 1: none are */
  int64_t block;    /* of a softmax, elements; 1: its rows are not cut */
  int64_t rows;     /* in a tile of work */
} TccRowChoice;

/* What there is to choose for. */
typedef struct {
  TccRowChoice heuristic;
  int64_t length, count; /* of a row, of rows, for likely sizes */
  size_t nodes;
  bool along;        /* lanes run along rows; else there is nothing to choose */
  bool has_places;   /* arg-reductions */
  bool writes;       /* there are results of the rows' shape */
  bool can_prefetch; /* there is a next row */
  bool can_cut;      /* a softmax that may go by blocks */
} TccRowWork;

extern const TccTunable tcc_row_tunable;
/* What row.c says of a kernel whose lanes run along its rows; false for others. */
bool tcc_row_work(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccRowWork *out);
/* The heuristic's choice, or that of the kernel's tcc.schedule. */
TccStatus *tcc_row_apply_schedule(MlirOperation kernel, const TccRowWork *work, TccRowChoice *out) TCC_CHECKED;
#endif

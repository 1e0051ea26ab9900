/* row_lanes.h - the elements of a row that lanes of a warp have side by side, where rows begin inside of sectors of 32 bytes.
 *
 * Where a row begins anywhere, each request of a warp for as many elements as it has lanes touches a sector more than it needs. Here requests are
 * moved back to where a sector begins, and elements that a lane got for another one change lanes: which lane computes what does not depend on
 * where the row lies, so that equal rows give equal bits. */
#ifndef TCC_NVPTX_ROW_LANES_H
#define TCC_NVPTX_ROW_LANES_H
#include "lib/targets/nvptx/nvptx.h"

enum { NVPTX_MOST_LANES_HELD = 32 };

/* Of a warp: element number i of a lane is begin + 32 i + lane of the row. */
typedef struct {
  NvptxKernel *n;
  TccPullEmit *emit; /* of one element anywhere: its dims but `dim` are set */
  int dim, count;    /* along the row; elements of a lane */
  TccVal lane, begin, end;
} NvptxRowLanes;

/* What is read or written so: in order, from element 0 to count - 1. */
typedef struct {
  bool moved; /* the others are read and written as they lie */
  TccVal shift /* elements from the begin of a sector */, partner /* i32: lane that has the value, or that it goes to */,
      early /* i1 */;
  TccVal had[NVPTX_MOST_LANES_HELD + 1]; /* read: by request; written: the last one alone */
} NvptxLanesStream;

/* Whether rows of this index, elements of which follow each other along dim, begin inside of sectors. */
bool nvptx_lanes_is_moved(const TccPull *p, const TccPullIndex *index, TccElem elem, int dim);
/* Element of the row, where a sector of it begins before: how many elements. */
TccVal nvptx_lanes_shift(TccPullEmit *e, const TccPullIndex *index, TccElem elem, int dim);
/* Element number i of the lane, which all lanes of the warp ask for together. */
TccStatus *nvptx_lanes_load(const NvptxRowLanes *w, NvptxLanesStream *s, const TccPullNode *node, int i, TccVal *out) TCC_CHECKED;
/* Takes element number i of the lane; what it completes is written, and with the last one the rest. */
TccStatus *nvptx_lanes_store(const NvptxRowLanes *w, NvptxLanesStream *s, int argument, TccElem elem, const TccPullIndex *index,
                             int i, TccVal value) TCC_CHECKED;
/* v of another lane (i32) of the warp. */
TccVal nvptx_lanes_exchange(TccEmit *t, TccElem elem, TccVal v, TccVal lane);
#endif

/* map_turned.h - maps of which an operand's neighbours in memory lie along the last dim but one. */
#ifndef TCC_X86_MAP_TURNED_H
#define TCC_X86_MAP_TURNED_H
#include "lib/codegen/emit/pull_emit.h"
#include "lib/codegen/read/map_nests.h"

typedef struct {
  int rows;              /* of a cell, which has a vector of columns; 0: nothing is turned */
  int64_t block;         /* rows of a tile */
  unsigned char *turned; /* by node id: what is turned in registers */
} TccTurned;

/* lanes: of the machine's vectors of 32 bits; tile: elements that a tile has about. */
TccTurned tcc_map_turned_choose(const TccMapNest *nest, int lanes, int64_t tile);
/* Number of tiles of the nest. */
const TccExpr *tcc_map_turned_tiles(const TccPull *p, const TccTurned *turned);
/* A tile's rows [*from, *to) of the last dim but one, where the other dims are set. */
void tcc_map_turned_place(TccPullEmit *e, const TccTurned *turned, TccVal tile, TccVal *from, TccVal *to);
/* All columns of the whole cells of these rows; out_end: where they end. */
TccStatus *tcc_map_turned_emit(TccPullEmit *e, const TccTurned *turned, const TccMapNest *nest, TccVal from, TccVal to,
                               TccVal *out_end) TCC_CHECKED;
#endif

/* contract_pack.h - copies of operands in the order in which the register tile (micro.h) reads them.
 *
 * A packer is an internal function of the kernel's module. It converts to the packed element type, follows any strides, and
 * pads with zeros. Rows: dst[row][k], row stride lda. Panel: dst[k / group][column][k % group], nr columns (Goto and van de
 * Geijn 2008). */
#ifndef TCC_CODEGEN_CONTRACT_PACK_H
#define TCC_CODEGEN_CONTRACT_PACK_H
#include "lib/codegen/emit/view_emit.h"
#include "lib/targets/x86/contract/micro.h"

/* An operand as batch x outer (rows or columns) x k; `tensor` is its number in each span. whole: what k of each call is a multiple of, as far
 * as is known, or 0. least: the fewest k of a panel, whose calls may take them in several strips; 0: not known. */
typedef struct {
  const TccView *view;
  const TccSpan *batch, *outer, *k;
  int tensor;
  int64_t whole, least;
  bool whole_vectors; /* of rows: each call has a multiple of a vector's lanes along k */
  bool seldom_met;    /* of panels: so little is computed with each that the loops around machine code stay near others (emit.h) */
  bool any_start;     /* of rows: k0 need not be a multiple of a vector's lanes, as it is otherwise where k is no single run */
} TccPackSource;

/* name(dst, arguments, sizes, batch, outer0, count, padded, k0, kcount, kpadded): rows [outer0, outer0 + count) into dst,
 * zero rows up to `padded`; k in [k0, k0 + kcount), zeros up to kpadded. May write one vector beyond the last row. */
void tcc_pack_rows_emit(TccKernelEmit *k, const char *name, const TccMicroType *type, const TccPackSource *source, int64_t lda);
/* The same for tiles of `rows` rows, k-major: dst[tile][k][row], `depth` k in each tile. Rows lie side by side in memory; `padded` is not
 * looked at, rows of the last tile that do not exist are zero. */
void tcc_pack_tiles_emit(TccKernelEmit *k, const char *name, const TccMicroType *type, const TccPackSource *source, int64_t rows,
                         int64_t depth);
/* As rows, for one panel of nr columns: `padded` is not looked at. */
void tcc_pack_panel_emit(TccKernelEmit *k, const char *name, const TccMicroType *type, const TccPackSource *source, int64_t nr);

/* Whether that reads along k and transposes in registers. */
bool tcc_pack_is_transposing(TccKernelEmit *k, const TccMicroType *type, const TccPackSource *source);

typedef struct {
  TccVal dst, batch, outer, count, padded, k0, kcount, kpadded;
} TccPackCall;
/* Opens a packer's function: what it gets; k's arguments and sizes are its own then. */
void tcc_pack_open(TccKernelEmit *k, const char *name, TccPackCall *call);
void tcc_pack_call(TccKernelEmit *k, const char *name, const TccPackCall *call);
#endif

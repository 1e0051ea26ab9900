/* pack_turned.h - rows of 16-bit numbers for tile registers that lie side by side in memory, as those of a transposed operand do: along k they
 * are as far apart as the operand is wide, and a copy of each by itself took longer than the product. */
#ifndef TCC_CODEGEN_PACK_TURNED_H
#define TCC_CODEGEN_PACK_TURNED_H
#include "lib/targets/x86/contract/contract_pack.h"

bool tcc_pack_turns_rows(TccKernelEmit *k, const TccMicroType *type, const TccPackSource *source);
/* As tcc_pack_rows_emit, for a source of which that is true; `padded` is a multiple of a vector's lanes, `kpadded` of twice as many. */
void tcc_pack_turned_rows_emit(TccKernelEmit *k, const char *name, const TccMicroType *type, const TccPackSource *source,
                               int64_t lda);
#endif

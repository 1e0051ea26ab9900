/* pull_packed.h - stores of elements of 4 and 2 bits, the first of a byte in its low bits. */
#ifndef TCC_CODEGEN_PULL_PACKED_H
#define TCC_CODEGEN_PULL_PACKED_H
#include "lib/codegen/emit/pull_emit.h"

/* Whether blocks of lanes from multiples of 8 on along the last dim begin and end with a byte, or with the tensor. Where they do not, elements
 * are stored one at a time, in the order of memory, by one thread. */
bool tcc_pull_packs_blocks(const TccPull *p, const TccPullIndex *store, TccElem elem);
/* value: i8 lanes, of which the low bits are stored at `flat` (elements). Of several lanes: as tcc_pull_packs_blocks asks. */
void tcc_pull_emit_packed_store(TccPullEmit *e, TccVal p, TccElem elem, const TccPullIndex *flat, TccVal value);
#endif

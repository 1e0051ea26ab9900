/* contract_pack_internal.h - what the parts of contract_pack.c share: elements, and packing by runs (contract_pack_runs.c). */
#ifndef TCC_X86_CONTRACT_PACK_INTERNAL_H
#define TCC_X86_CONTRACT_PACK_INTERNAL_H
#include "lib/targets/x86/contract/contract_pack.h"

/* The type of an element in memory. */
const char *tcc_pack_memory_elem(TccElem elem);
/* From the element in memory to the packed element, lane by lane. */
TccVal tcc_pack_widen(TccEmit *e, TccElem elem, const char *packed, int lanes, TccVal v);
/* `lanes` elements at p, p + stride, ...; lanes at and beyond `count` are zero; count 0: there are all of them. */
TccVal tcc_pack_load_along(TccKernelEmit *k, TccElem elem, TccVal p, const TccExpr *stride, int lanes, TccVal count);
/* Without mask registers a mask takes as long as what it is for. */
static inline bool tcc_pack_avoids_masks(const TccMicroType *t) { return t->registers < 32; }

/* contract_pack_runs.c */
/* Whether k goes in runs of neighbours, or of elements a constant step apart. */
bool tcc_pack_has_runs(TccKernelEmit *k, const TccPackSource *s);
/* Whether runs go by whole vectors, the last of which begins as much earlier. */
bool tcc_pack_runs_by_whole_vectors(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s);
/* Copies one row of k, whose elements begin at `from`, to `to`. */
void tcc_pack_row_runs(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, const TccPackCall *c, TccVal from,
                       TccVal to);
/* Whether vectors along k are cheaper than those along columns, which lie apart or in short pieces. */
bool tcc_pack_panel_has_runs(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s);
/* Whether a panel of nr such columns is transposed in registers, by the function "transpose_columns" (pack_transpose.h). */
bool tcc_pack_transposes_runs(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, int64_t nr);
/* Writes the panel of such columns; source: where the batch entry begins. */
void tcc_pack_transposing_runs(TccKernelEmit *k, const TccMicroType *t, const TccPackSource *s, TccVal source, const TccPackCall *c,
                               int64_t nr);
#endif

/* pull_nibbles.h - elements of 4 bits, two to a byte, that lanes take from whole bytes. See pull_nibbles.c. */
#ifndef TCC_CODEGEN_PULL_NIBBLES_H
#define TCC_CODEGEN_PULL_NIBBLES_H
#include "lib/codegen/emit/pull_emit.h"

/* Whether the lanes of this load follow each other from the first half of a byte on. */
bool tcc_pull_is_dense(const TccPullEmit *e, const TccPullNode *load);
/* Its lanes as bytes, from what lies at p. */
TccStatus *tcc_pull_emit_dense(TccPullEmit *e, const TccPullNode *load, TccVal p, TccVal *out) TCC_CHECKED;
/* A function of one such load and of constants, as a look-up; *out 0: it is none, or the machine has no look-up of 16. */
TccStatus *tcc_pull_emit_table(TccPullEmit *e, const TccPullNode *node, TccVal *out) TCC_CHECKED;
/* pull_emit.c: base and step of an index whose terms, if it has some, all lanes share. */
TccStatus *tcc_pull_emit_shared_terms(TccPullEmit *e, const TccPullIndex *index, TccVal *base, TccVal *step) TCC_CHECKED;
#endif

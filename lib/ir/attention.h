/* attention.h - attention, and what gives the logarithms of the sums of its rows. */
#ifndef TCC_IR_ATTENTION_H
#define TCC_IR_ATTENTION_H
#include "tcc/ir.h"

bool tcc_is_attention(TccOpKind kind);            /* tcc.attention or tcc.attention_logsumexp */
intptr_t tcc_attention_mask_at(MlirOperation op); /* the operand that is the mask of either */
/* Whether two of them have the same scores: operands q, k and mask, and what is done to their product. */
bool tcc_attention_same_scores(TccIr *ir, MlirOperation a, MlirOperation b);
/* The op of that kind which has the scores of `op`, in its block; null: there is none. */
MlirOperation tcc_attention_beside(TccIr *ir, MlirOperation op, TccOpKind kind);
#endif

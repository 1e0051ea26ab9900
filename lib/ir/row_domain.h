/* row_domain.h - what the reductions of a row kernel go over. */
#ifndef TCC_IR_ROW_DOMAIN_H
#define TCC_IR_ROW_DOMAIN_H
#include "tcc/ir.h"

/* The type of what the first reduction in a kernel reads; null: it has none. */
MlirType tcc_row_domain(TccIr *ir, MlirOperation kernel);
/* The axes that a reduce or arg_reduce goes over, as bits. */
uint32_t tcc_reduced_axes(TccIr *ir, MlirOperation reduction);
/* The axes of one place: whether they are reduced decides nothing. */
uint32_t tcc_single_axes(TccIr *ir, MlirType domain);
#endif

/* row_domain.h - what the reductions of a row kernel go over. */
#ifndef TCC_IR_ROW_DOMAIN_H
#define TCC_IR_ROW_DOMAIN_H
#include "tcc/ir.h"

/* The type of what the first reduction in a kernel reads; null: it has none. */
MlirType tcc_row_domain(TccIr *ir, MlirOperation kernel);
#endif

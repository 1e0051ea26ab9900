/* op_symbols.h - the symbols that the sizes of an op are made of. A size that an op counts (tcc.nonzero) is an operand that no SSA value stands for:
 * whoever deletes ops or puts them into another order looks here. */
#ifndef TCC_OP_SYMBOLS_H
#define TCC_OP_SYMBOLS_H
#include "tcc/ir.h"

/* Puts the symbols into names (key: the symbol): of the types of the op's results, and all words of its texts, since these may be
 * expressions. Those of operands' types are not among them: what makes the operands has them. */
void tcc_op_symbols(TccIr *ir, MlirOperation op, TccMap *names);
#endif

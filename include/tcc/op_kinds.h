/* op_kinds.h - an enumerator for each row of ops.def: TCC_OP_ADD and so on, the values of a TccOpKind.
 *
 * For who names ops, in .c files alone: whoever includes it is compiled again when the table changes. */
#ifndef TCC_OP_KINDS_H
#define TCC_OP_KINDS_H
#include "tcc/ir.h"

enum {
  TCC_OP_BEFORE_FIRST = TCC_OP_UNKNOWN,
#define TCC_OP(SYM, mnemonic, level, operands, results, attributes, rule, traits, semantics) TCC_OP_##SYM,
#include "dialects/tcc/ops.def"
  TCC_OP_COUNT
};
#endif

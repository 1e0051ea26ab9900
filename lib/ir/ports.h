/* ports.h - the arguments and results of a function with their attributes, to be added to.
 *
 * Read once, changed, written back once: the function's type, its attributes arg_attrs and res_attrs and its return then agree. */
#ifndef TCC_IR_PORTS_H
#define TCC_IR_PORTS_H
#include "tcc/ir.h"

typedef struct {
  TccIr *ir;
  TccArena *arena;
  MlirOperation func;
  MlirBlock block;
  TCC_VEC(MlirAttribute) arguments, results; /* dictionaries */
  TCC_VEC(MlirValue) returned;
} TccPorts;

void tcc_ports_read(TccIr *ir, TccArena *arena, MlirOperation func, TccPorts *out);
void tcc_ports_write(TccPorts *ports);
/* The attribute of an argument or result; null: it has none of this name. */
MlirAttribute tcc_ports_attribute(MlirAttribute port, const char *name);
TccStr tcc_ports_name(MlirAttribute port); /* tcc.name, or "" */
/* A further argument behind the others. parameter: it is trained (tcc.parameter). */
MlirValue tcc_ports_add_argument(TccPorts *ports, TccStr name, MlirType type, MlirLocation location, bool parameter);
/* A further result behind the others. tied: the argument in whose place it is written, or -1. */
void tcc_ports_add_result(TccPorts *ports, TccStr name, MlirValue value, int64_t tied);
/* An attribute more of a port: tcc.tied of a result. */
MlirAttribute tcc_ports_with(const TccPorts *ports, MlirAttribute port, const char *name, MlirAttribute value);
#endif

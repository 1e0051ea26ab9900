/* tensors.h - what goes into a model and comes out of it, what lies in memory between its kernels, and why. */
#ifndef TCC_CODEGEN_TENSORS_H
#define TCC_CODEGEN_TENSORS_H
#include "tcc/compile.h"
#include "tcc/ir.h"
#include "tcc/plan.h"

/* Lists the results of the calls of main and of regions in a module that all passes have seen, in their order. Memory is in
 * arena; walks over a module's calls look callees up by name, so only what explains asks for it. */
void tcc_tensors_list(TccIr *ir, MlirOperation module, TccArena *arena, TccCompiledTensor **out, size_t *out_count);
/* The inputs and outputs of the plan, types as a person writes them. Memory is in result->arena. */
void tcc_ports_list(const TccPlanHeader *plan, TccCompileResult *result);
/* Lists what passes say of a module (tcc.almost). Memory is in arena. */
void tcc_remarks_list(MlirOperation module, TccArena *arena, TccCompiledRemark **out, size_t *out_count);
#endif

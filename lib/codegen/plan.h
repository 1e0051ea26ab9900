/* plan.h - building plans (compiler side); the format is include/tcc/plan.h. */
#ifndef TCC_CODEGEN_PLAN_H
#define TCC_CODEGEN_PLAN_H
#include "tcc/codegen.h"
#include "tcc/plan.h"

/* ---- the tables of a plan while it grows; all memory is in ir->arena but for the texts ---- */
typedef struct {
  TccIr *ir;
  TccText texts, code, data;
  TccMap *text_map, *symbol_map, *expr_map, *constant_map;
  TCC_VEC(uint32_t) indices;
  TCC_VEC(TccPlanSymbol) symbols;
  TCC_VEC(bool) bound; /* per symbol: an input's dimension or a count gives it */
  TCC_VEC(TccPlanExpr) exprs;
  TCC_VEC(const TccExpr *) sources_of; /* per expression */
  TCC_VEC(TccPlanSource) sources;
  TCC_VEC(TccPlanWeight) weights;
  TCC_VEC(TccPlanConstant) constants;
  TCC_VEC(TccPlanKernel) kernels;
  TCC_VEC(TccPlanCall) calls;
  TCC_VEC(TccPlanValue) values;
  TCC_VEC(TccPlanCommand) commands;
  TCC_VEC(TccPlanFunction) functions;
  TCC_VEC(TccPlanPort) inputs, outputs;
  TCC_VEC(TccPlanConstraint) constraints;
  TCC_VEC(TccPlanPinned) pinned;
} TccPlanTables;

void tcc_plan_tables_open(TccPlanTables *tables, TccIr *ir);
void tcc_plan_tables_close(TccPlanTables *tables);
TccPlanText tcc_plan_put_text(TccPlanTables *tables, TccStr text);
uint32_t tcc_plan_put_symbol(TccPlanTables *tables, TccStr name);
uint32_t tcc_plan_put_expr(TccPlanTables *tables, const TccExpr *expr);
TccPlanRange tcc_plan_put_exprs(TccPlanTables *tables, const TccExpr *const *exprs, size_t count);
uint32_t tcc_plan_put_constant(TccPlanTables *tables, const void *bytes, size_t length); /* equal bytes once */
/* Name of a symbol that neither an input nor a count binds, or NULL. */
const char *tcc_plan_unbound_symbol(const TccPlanTables *tables);
/* Appends the block to out. */
void tcc_plan_serialise(TccPlanTables *tables, const TccTargetInfo *target, TccText *out);

/* The code of a kernel function of the module. NULL for one that is a C function of the run-time (tcc.kernel = "builtin", "relayout", "winograd", "join" or "part"). */
typedef const TccKernelCode *TccKernelLookup(TccStr function, void *user);
/* Appends the plan of module. requires: fuse, dedup-kernels, memory-plan. */
MlirLogicalResult tcc_plan_build(TccIr *ir, MlirOperation module, const TccTargetInfo *target, TccKernelLookup *lookup, void *user,
                                 TccText *out);
#endif

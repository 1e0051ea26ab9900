/* plan.h - building plans (compiler side); the format is include/tcc/plan.h. */
#ifndef TCC_CODEGEN_PLAN_H
#define TCC_CODEGEN_PLAN_H
#include "tcc/codegen.h"
#include "tcc/plan.h"
#include "tcc/sources.h"
#include "tcc/target.h"

/* ---- the tables of a plan while it grows; all memory is in ir->arena but for the texts ---- */
typedef struct {
  TccIr *ir;
  TccSpace space; /* of the values' buffers: the target's */
  TccText texts, code, data;
  TccMap *text_map, *symbol_map, *expr_map, *constant_map;
#define MEMBER(name, type) TCC_VEC(type) name;
  TCC_PLAN_TABLES(MEMBER)
#undef MEMBER
  TCC_VEC(bool) bound;                 /* per symbol: an input's dimension or a count gives it */
  TCC_VEC(const TccExpr *) sources_of; /* per expression */
} TccPlanTables;

void tcc_plan_tables_open(TccPlanTables *tables, TccIr *ir, TccSpace space);
void tcc_plan_tables_close(TccPlanTables *tables);
TccPlanText tcc_plan_put_text(TccPlanTables *tables, TccStr text);
uint32_t tcc_plan_put_symbol(TccPlanTables *tables, TccStr name);
uint32_t tcc_plan_put_expr(TccPlanTables *tables, const TccExpr *expr);
TccPlanExpr tcc_plan_expr(TccPlanTables *tables, const TccExpr *expr); /* of no table; its stage is -1 or 0 */
TccPlanWork tcc_plan_work(TccPlanTables *tables, MlirOperation kernel);
/* The operations of a kernel function and the bytes of memory that it reads and writes; NULL: not known. */
void tcc_kernel_work(TccIr *ir, MlirOperation kernel, const TccExpr **out_flops, const TccExpr **out_bytes);
TccPlanRange tcc_plan_put_exprs(TccPlanTables *tables, const TccExpr *const *exprs, size_t count);
uint32_t tcc_plan_put_constant(TccPlanTables *tables, const void *bytes, size_t length); /* equal bytes once */
uint64_t tcc_plan_put_data(TccPlanTables *tables, const void *bytes, size_t length);     /* where they are in `data` */
/* Names of the nodes that a call stands for, one text for each copy of the region that it is in; none if no node is known. */
TccPlanRange tcc_plan_put_nodes(TccPlanTables *tables, MlirLocation call);
/* The copy of its region that a call of one is. */
uint32_t tcc_plan_copy(MlirLocation call);
/* Name of a symbol that neither an input nor a count binds, or NULL. */
const char *tcc_plan_unbound_symbol(const TccPlanTables *tables);
/* Appends the block to out. */
void tcc_plan_serialise(TccPlanTables *tables, const TccTargetInfo *target, TccStr options, TccText *out);

/* The name of argument or result `index` of the entry, of which list is "arg_attrs" or "res_attrs": tcc.name, or otherwise_K. Borrowed, or
 * in the arena. */
TccStr tcc_plan_port_name(TccArena *arena, MlirOperation func, const char *list, uint32_t index, const char *otherwise);

/* The code of a kernel function of the module. NULL for one that is a C function of the run-time (tcc_kernel_is_builtin). */
typedef const TccKernelCode *TccKernelLookup(TccStr function, void *user);
/* The files that tcc.sources names, as the compilation saw them. */
typedef struct {
  const TccFileMap *maps; /* in that order; without data: it was not there */
  size_t count;
  const uint8_t *model; /* the digest of the first, if it is known */
  const TccSourceRead *reads;
  size_t nreads;
  bool digests; /* of all bytes of weights, not only samples */
  bool attach;  /* weights go behind the artifact */
  unsigned threads;
} TccPlanFiles;
/* Code of kernels for a device: PTX with the NUL behind it, or a cubin. */
typedef struct {
  TccImageKind kind;
  TccStr bytes;
  const char *const *symbols; /* of the kernels that it defines; some may be called by no command */
  size_t nsymbols;
} TccPlanCode;
/* Puts down what the files hold by which a plan knows them again. With files->attach weights get new places, and *out_weights
 * (in ir->arena) is what is to be written there, pieces and the zeros between them. */
TccStatus *tcc_plan_identify(TccPlanTables *tables, const TccPlanFiles *files, TccStr **out_weights, size_t *out_count) TCC_CHECKED;
/* What a plan is made of. All is borrowed. */
typedef struct {
  TccIr *ir;
  MlirOperation module;
  const TccTargetInfo *target;
  TccStr options;          /* what it says about how it was compiled */
  TccKernelLookup *lookup; /* and its user */
  void *user;
  const TccPlanFiles *files;
  const TccPlanCode *codes; /* images for a device, of the target's machine */
  size_t ncodes;
} TccPlanRequest;
/* Appends the plan to out. With request->files->attach *out_weights and *out_count are as tcc_plan_identify's.
 * requires: fuse, dedup-kernels, memory-plan. */
MlirLogicalResult tcc_plan_build(const TccPlanRequest *request, TccText *out, TccStr **out_weights, size_t *out_count);
#endif

/* variants.c - candidate schedules of each kernel, as attributes that one can read.
 *
 *   func @k3(...) {tcc.kernel = "contract"}
 *   =>  func @k3(...) {tcc.kernel = "contract", tcc.stable = array<i64: 1>,
 *                      tcc.variants = [{kc = 256, mb = 128, ...}, {kc = 512, ...}]}
 *
 * The first is the choice of the emitter's analytical rule, the others are legal ones that its cost model thinks best, in
 * that order (lib/codegen/tunable.h). The default pipeline asks for none (count=0): what the rule chooses needs no attribute;
 * where there are records, for the rule's choice (count=1). tcc.stable lists the
 * arguments that are weights at every call, which decides whether an operand will be packed ahead. A kernel that has
 * tcc.schedule already keeps it and gets no candidates.
 *
 * requires: dedup-kernels. ensures: tcc.variants is not empty where it is. keeps: bodies, calls. */
#include "lib/codegen/tunable.h"
#include "lib/ir/names.h"
#include "tcc/codegen.h"
#include "tcc/pass.h"
#include <stdlib.h>

typedef struct {
  TCC_VEC(MlirOperation) calls;
} Kernel;

static void set(MlirOperation op, const char *name, MlirAttribute value) {
  mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString(name), value);
}

static bool has(MlirOperation op, const char *name) {
  return !mlirAttributeIsNull(mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name)));
}

static void collect_calls(TccPassRun *run, MlirBlock block, TccMap *kernels) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (tcc_op_is_named(op, "func.call")) {
      TccMapEntry *entry = tcc_map_find(kernels, tcc_callee_name(op));
      Kernel *kernel = entry ? entry->pointer : NULL;
      if (kernel) TCC_VEC_PUSH(run->scratch, &kernel->calls, op);
    }
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(b);
           b = mlirBlockGetNextInRegion(b))
        collect_calls(run, b, kernels);
  }
}

static void set_stable(TccPassRun *run, const TccInit *init, MlirOperation func, const Kernel *kernel) {
  TCC_VEC(int64_t) stable = {0};
  intptr_t n = mlirBlockGetNumArguments(tcc_func_body(func));
  for (intptr_t i = 0; i < n && kernel->calls.count; i++) {
    bool all = true;
    for (size_t c = 0; c < kernel->calls.count; c++)
      all = all && tcc_init_is(init, mlirOperationGetOperand(kernel->calls.data[c], i));
    if (all) TCC_VEC_PUSH(run->scratch, &stable, i);
  }
  set(func, "tcc.stable", tcc_attr_ints(run->ir, stable.data, stable.count));
}

static void set_variants(TccPassRun *run, MlirOperation func, size_t count) {
  void *read;
  const TccTunable *tunable = tcc_tunable_of(run->target, run->ir, func, &read);
  if (!tunable) return;
  TccSchedule *all = TCC_NEW_ARRAY(run->scratch, TccSchedule, count);
  tunable->pick(read, &all[0]);
  size_t n = 1, found = count > 1 ? tunable->variants(read, all + 1, count - 1) : 0;
  for (size_t i = 1; i <= found; i++)
    if (!tcc_schedule_equal(&all[0], &all[i])) all[n++] = all[i];
  MlirAttribute *entries = TCC_NEW_ARRAY(run->scratch, MlirAttribute, n);
  for (size_t i = 0; i < n; i++) entries[i] = tcc_schedule_attr(run->ir, &all[i]);
  set(func, "tcc.variants", mlirArrayAttrGet(run->ir->context, (intptr_t)n, entries));
}

MlirLogicalResult tcc_pass_variants(TccPassRun *run, MlirOperation module) {
  TccStr text;
  long count = tcc_pass_option(run, "count", &text) ? strtol(text.data, NULL, 10) : -1;
  if (count < 0 || count > 1000) return tcc_error(module, "tcc-variants: count=%.*s is not from 0 to 1000", TCC_STR_ARG(text));
  if (count == 0 && !run->records) return mlirLogicalResultSuccess();
  if (strcmp(run->target->name, "x86") != 0) return mlirLogicalResultSuccess();
  TccMap *kernels = tcc_map_create(run->scratch);
  TCC_VEC(MlirOperation) functions = {0};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func);
       func = mlirOperationGetNextInBlock(func)) {
    TccStr kind;
    bool tunable = false;
    if (!tcc_op_is_named(func, "func.func") || !tcc_get_str(run->ir, func, "tcc.kernel", &kind) || has(func, "tcc.schedule"))
      continue;
    for (size_t i = 0; i < tcc_x86_tunable_count; i++) tunable = tunable || tcc_str_is(kind, tcc_x86_tunables[i]->kind);
    if (!tunable) continue;
    TCC_VEC_PUSH(run->scratch, &functions, func);
    MlirStringRef name = mlirStringAttrGetValue(mlirOperationGetAttributeByName(func, mlirStringRefCreateFromCString("sym_name")));
    tcc_map_put(kernels, (TccStr){name.data, name.length}, NULL)->pointer = TCC_NEW(run->scratch, Kernel);
  }
  if (!functions.count) return mlirLogicalResultSuccess();
  collect_calls(run, body, kernels);
  const TccInit *init = tcc_init_analyse(run->ir, module, run->scratch);
  for (size_t i = 0; i < functions.count; i++) {
    if (!has(functions.data[i], "tcc.stable")) set_stable(run, init, functions.data[i], tcc_map_at(kernels, i)->pointer);
    set_variants(run, functions.data[i], count ? (size_t)count : 1);
  }
  return mlirLogicalResultSuccess();
}

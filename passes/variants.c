/* variants.c - candidate schedules of each kernel, as attributes that one can read.
 *
 *   func @k3(...) {tcc.kernel = "contract"}
 *   =>  func @k3(...) {tcc.kernel = "contract", tcc.stable = array<i64: 1>,
 *                      tcc.variants = [{kc = 256, mb = 128, ...}, {kc = 512, ...}]}
 *
 * The first is the choice of the emitter's heuristic, the others are legal ones that its cost model thinks best, in
 * that order (tcc/tunable.h). The default pipeline asks for none (count=0): what the heuristic chooses needs no attribute;
 * where there are records, for the heuristic's choice (count=1). tcc.stable lists the
 * arguments that are weights at every call, which decides whether an operand will be packed ahead. A kernel that has
 * tcc.schedule already keeps it and gets no candidates.
 *
 * requires: dedup-kernels. ensures: tcc.variants is not empty where it is. keeps: bodies, calls. */
#include "lib/ir/names.h"
#include "tcc/pass.h"
#include "tcc/target.h"
#include <stdlib.h>

typedef struct {
  TCC_VEC(MlirOperation) calls;
} Kernel;

typedef struct {
  TccPassRun *run;
  TccMap *kernels;
} Calls;

static void note_call(void *user, MlirOperation call) {
  const Calls *calls = user;
  TccMapEntry *entry = tcc_map_find(calls->kernels, tcc_callee_name(call));
  Kernel *kernel = entry ? entry->pointer : NULL;
  if (kernel) TCC_VEC_PUSH(calls->run->scratch, &kernel->calls, call);
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
  tcc_set_attribute(func, "tcc.stable", tcc_attr_ints(run->ir, stable.data, stable.count));
}

static void set_variants(TccPassRun *run, MlirOperation func, size_t count) {
  void *read;
  const TccTunable *tunable = tcc_target_tunable(run->target, run->ir, func, &read);
  if (!tunable) return;
  TccSchedule *all = TCC_NEW_ARRAY(run->scratch, TccSchedule, count);
  tunable->pick(read, &all[0]);
  size_t n = 1, found = count > 1 ? tunable->variants(read, all + 1, count - 1) : 0;
  for (size_t i = 1; i <= found; i++)
    if (!tcc_schedule_equal(&all[0], &all[i])) all[n++] = all[i];
  MlirAttribute *entries = TCC_NEW_ARRAY(run->scratch, MlirAttribute, n);
  for (size_t i = 0; i < n; i++) entries[i] = tcc_schedule_attr(run->ir, &all[i]);
  tcc_set_attribute(func, "tcc.variants", mlirArrayAttrGet(run->ir->context, (intptr_t)n, entries));
}

MlirLogicalResult tcc_pass_variants(TccPassRun *run, MlirOperation module) {
  int count = tcc_pass_number(run, "count");
  if (count > 1000) return tcc_error(module, "tcc-variants: count=%d is above 1000", count);
  if (count == 0 && !run->records) return mlirLogicalResultSuccess();
  const TccTarget *target = run->target->of;
  TccMap *kernels = tcc_map_create(run->scratch);
  TCC_VEC(MlirOperation) functions = {0};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  TCC_EACH_FUNCTION (func, module) {
    bool tunable = false;
    TccKernelKind kind = tcc_kernel_kind(run->ir, func);
    if (!kind || tcc_has_attribute(func, "tcc.schedule")) continue;
    for (size_t i = 0; i < target->ntunables; i++) tunable = tunable || target->tunables[i]->kind == kind;
    if (!tunable) continue;
    TCC_VEC_PUSH(run->scratch, &functions, func);
    MlirStringRef name = mlirStringAttrGetValue(tcc_attribute(func, "sym_name"));
    tcc_map_put(kernels, (TccStr){name.data, name.length}, NULL)->pointer = TCC_NEW(run->scratch, Kernel);
  }
  if (!functions.count) return mlirLogicalResultSuccess();
  tcc_each_call(body, note_call, &(Calls){run, kernels});
  const TccInit *init = tcc_init_analyse(run->ir, module, run->scratch);
  for (size_t i = 0; i < functions.count; i++) {
    if (!tcc_has_attribute(functions.data[i], "tcc.stable"))
      set_stable(run, init, functions.data[i], tcc_map_at(kernels, i)->pointer);
    set_variants(run, functions.data[i], count ? (size_t)count : 1);
  }
  return mlirLogicalResultSuccess();
}

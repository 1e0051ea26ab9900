/* device.c - candidates of a device as artifacts, each of which is loaded and started as a model is: its main calls one of them.
 *
 * ptxas, which takes nearly all of the time, works on as many at once as the compilation has threads; what it makes is cached with other cubins. One that
 * it refuses, or that the plan does, is a candidate without a time. */
#include "lib/compile/artifact.h"
#include "lib/compile/compile_internal.h"
#include "lib/ir/names.h"
#include "lib/tune/tuner.h"
#include <pthread.h>
#include <stdatomic.h>

/* ---- cubins ---- */
typedef struct {
  const TccTuning *tuning;
  const TccCandidates *all;
  const TccText *objects;
  TccText *cubins;
  TccStatus **failed;
  TccLimit limit;
  _Atomic size_t next;
} Work;

static void *assemble(void *argument) {
  Work *w = argument;
  const TccTuning *t = w->tuning;
  for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->all->count;)
    if (!w->all->all[i].why)
      w->failed[i] =
          tcc_driver_cubin(t->cache, t->ptxas, t->target->machine.cpu, tcc_driver_ptx(&w->objects[i]), &w->limit, &w->cubins[i]);
  return NULL;
}

static void assemble_all(const TccTuning *t, const TccCandidates *all, const TccText *objects, TccText *cubins) {
  enum { MAX_THREADS = 64 };
  TccArena *arena = t->ir->arena;
  Work work = {t, all, objects, cubins, TCC_NEW_ARRAY(arena, TccStatus *, all->count), t->ir->limit, 0};
  pthread_t threads[MAX_THREADS];
  size_t wanted = t->options->jobs ? t->options->jobs : tcc_cpu_count(), started = 0;
  if (wanted > MAX_THREADS) wanted = MAX_THREADS;
  while (started + 1 < wanted && started + 1 < all->count && pthread_create(&threads[started], NULL, assemble, &work) == 0)
    started++;
  assemble(&work);
  for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
  for (size_t i = 0; i < all->count; i++) {
    if (!work.failed[i]) continue;
    all->all[i].why = tcc_arena_printf(arena, "%s", tcc_status_message(work.failed[i]));
    tcc_status_destroy(work.failed[i]);
  }
}

/* ---- artifacts ---- */
/* The module with one candidate alone. */
static MlirOperation module_of(TccIr *ir, MlirOperation module, const TccCandidate *candidate) {
  MlirOperation copy = mlirOperationClone(module);
  TCC_VEC(MlirOperation) others = {0};
  TCC_EACH_FUNCTION (func, copy) {
    TccStr name = tcc_function_name(func);
    if (tcc_str_is(name, "main")) {
      MlirBlock body = tcc_func_body(func);
      TCC_EACH_OP (op, body)
        if (tcc_op_is_named(op, "func.call") && !tcc_str_is(tcc_callee_name(op), candidate->name))
          TCC_VEC_PUSH(ir->arena, &others, op);
    } else if (!tcc_str_is(name, candidate->name)) {
      TCC_VEC_PUSH(ir->arena, &others, func);
    }
  }
  for (size_t i = 0; i < others.count; i++) mlirOperationDestroy(others.data[i]);
  return copy;
}

static const TccKernelCode *lookup(TccStr function, void *code) {
  (void)function; /* there is one */
  return code;
}

static TccStatus *make_artifact(const TccTuning *t, MlirOperation module, TccKernelCode *code, const TccPlanCode *images,
                                size_t nimages, TccText *out) {
  TccPlanFiles files = {0};
  TccText plan = {0};
  TccStr *weights;
  size_t nweights;
  TccStatus *status = NULL;
  const TccPlanRequest request = {t->ir, module, t->target, tcc_str(""), lookup, code, &files, images, nimages};
  if (mlirLogicalResultIsFailure(tcc_plan_build(&request, &plan, &weights, &nweights)))
    status = TCC_ERROR(TCC_UNSUPPORTED, "no plan for the kernel alone");
  if (!status) status = tcc_artifact_link(NULL, 0, tcc_text_str(&plan), false, out);
  tcc_text_destroy(&plan);
  if (status) return status;
  tcc_artifact_seal(out, (TccStr){0}, tcc_machine_needs(&t->target->machine));
  return tcc_text_status(out);
}

/* Sizes of the axes of main's arguments. */
static TccStatus *put_dims(const TccTuning *t, const TccMap *sizes, MlirOperation module, TccMeasureKernel *out) {
  TCC_VEC(int64_t) dims = {0};
  MlirBlock body = tcc_func_body(tcc_module_find(t->ir, module, tcc_str("main")));
  for (intptr_t a = 0; a < mlirBlockGetNumArguments(body); a++) {
    MlirType type = tcc_value_type(mlirBlockGetArgument(body, a));
    for (int axis = 0; axis < tcc_type_rank(type); axis++) {
      int64_t size;
      TCC_TRY(tcc_tune_size(sizes, tcc_type_dim(t->ir, type, axis), &size));
      TCC_VEC_PUSH(t->ir->arena, &dims, size);
    }
  }
  out->dims = dims.data, out->ndims = dims.count;
  return NULL;
}

static TccStatus *make(const TccTuning *t, MlirOperation module, TccCandidates *all, size_t i, TccKernelCode *code,
                       const TccText *object, const TccText *cubin) {
  TccArena *arena = t->ir->arena;
  TccStr ptx = tcc_driver_ptx(object);
  const char *symbols[] = {code->symbol};
  TccPlanCode images[] = {{TCC_IMAGE_PTX, {tcc_arena_copy(arena, ptx.data, ptx.length), ptx.length + 1}, symbols, 1},
                          {TCC_IMAGE_CUBIN, tcc_text_str(cubin), symbols, 1}};
  MlirOperation alone = module_of(t->ir, module, &all->all[i]);
  TccStatus *status = make_artifact(t, alone, code, images, cubin->length ? 2 : 1, &all->artifacts[i]);
  mlirOperationDestroy(alone);
  all->kernels[i].artifact = tcc_text_str(&all->artifacts[i]);
  return status;
}

TccStatus *tcc_candidates_artifacts(const TccTuning *t, const TccMap *sizes, MlirOperation module, TccKernelCode *codes,
                                    const TccText *objects, TccCandidates *all) {
  TccArena *arena = t->ir->arena;
  TccText *cubins = TCC_NEW_ARRAY(arena, TccText, all->count);
  TccStatus *status = NULL;
  all->artifacts = TCC_NEW_ARRAY(arena, TccText, all->count);
  if (t->ptxas) assemble_all(t, all, objects, cubins);
  for (size_t i = 0; i < all->count && !status; i++) {
    TccMeasureKernel *kernel = &all->kernels[i];
    kernel->artifact = (TccStr){"", 0}; /* of a device, whether or not it has code */
    status = put_dims(t, sizes, module, kernel);
    if (status || all->all[i].why) continue;
    TccStatus *failed = make(t, module, all, i, &codes[i], &objects[i], &cubins[i]);
    if (failed) all->all[i].why = tcc_arena_printf(arena, "%s", tcc_status_message(failed));
    tcc_status_destroy(failed);
  }
  for (size_t i = 0; i < all->count; i++) tcc_text_destroy(&cubins[i]);
  return status;
}

/* candidates.c - schedules of one kernel to functions that can be timed.
 *
 *   module {                                                    one clone for each schedule
 *     func private @c0_dot(...) {tcc.kernel = "contract", tcc.schedule = {...}}
 *     func private @c1_dot(...) {tcc.kernel = "contract", tcc.schedule = {...}}
 *     func private @main(%x) { %w = tcc.weight ...; call @c0_dot(%x, %w); call @c1_dot(%x, %w) }
 *   }
 *
 * goes through the passes after tcc-select; what tcc.stable lists comes from tcc.weight, as it does in the model. For a device, which packs no
 * weights, all operands are arguments of main, and so is a tensor for each symbol, which gives it: what is emitted becomes artifacts (device.c). */
#include "lib/compile/artifact.h"
#include "lib/compile/compile_internal.h"
#include "lib/tune/tuner.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include "tcc/plan.h"
#include <dlfcn.h>
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* ---- the module ---- */
static const char *clone_name(TccIr *ir, MlirOperation kernel, size_t number) {
  MlirStringRef name = mlirStringAttrGetValue(tcc_attribute(kernel, "sym_name"));
  size_t at = 0; /* "k3_dot_general" -> "c0_dot_general": what follows names the code */
  while (at < name.length && name.data[at] != '_') at++;
  return tcc_arena_printf(ir->arena, "c%zu%.*s", number, (int)(name.length - at), name.data + at);
}

static MlirValue make_weight(TccBuilder *b, MlirType type, intptr_t number) {
  TccIr *ir = b->ir;
  TccNamedAttr attrs[] = {{"name", tcc_attr_str(ir, tcc_str(tcc_arena_printf(ir->arena, "w%d", (int)number)))},
                          {"source", tcc_attr_i64(ir, 0)},
                          {"offset", tcc_attr_i64(ir, 0)},
                          {"length", tcc_attr_i64(ir, 0)}};
  int64_t count = 0;
  const TccExpr *elements = tcc_type_count(ir, type);
  if (elements && tcc_expr_is_const(elements, &count))
    attrs[3].value = tcc_attr_i64(ir, (int64_t)tcc_elem_bytes(tcc_type_elem(type), (size_t)count));
  MlirOperation weight = tcc_build(b, TCC_OP_WEIGHT, NULL, 0, attrs, 4, &type);
  return mlirOperationIsNull(weight) ? (MlirValue){NULL} : mlirOperationGetResult(weight, 0);
}

/* Arguments by whose sizes a model is told those that its kernel knows. */
static void add_symbols(TccIr *ir, MlirOperation kernel, MlirBlock body) {
  const TccMap *symbols = tcc_tune_symbols(ir, kernel);
  for (size_t i = 0; i < tcc_map_count(symbols); i++) {
    const TccExpr *size = tcc_expr_symbol(ir->exprs, tcc_map_at(symbols, i)->key);
    mlirBlockAddArgument(body, tcc_tensor_type(ir, TCC_ELEM_I8, 1, &size), mlirOperationGetLocation(kernel));
  }
}

static MlirModule make_module(const TccTuning *t, MlirOperation kernel, const TccSchedule *schedules, size_t count,
                              const char **names) {
  TccIr *ir = t->ir;
  MlirLocation location = mlirOperationGetLocation(kernel);
  MlirModule module = mlirModuleCreateEmpty(location);
  tcc_set_numerics(ir, mlirModuleGetOperation(module), tcc_numerics(t->module));
  const char *const kept[] = {"tcc.constraints", "tcc.constraint_origins"}; /* by which its ops have the types that they have */
  for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
    if (tcc_has_attribute(t->module, kept[i]))
      tcc_set_attribute(mlirModuleGetOperation(module), kept[i], tcc_attribute(t->module, kept[i]));
  MlirBlock functions = mlirModuleGetBody(module), source = tcc_func_body(kernel);
  intptr_t n = mlirBlockGetNumArguments(source), r = mlirOperationGetNumOperands(mlirBlockGetTerminator(source));
  MlirValue *operands = TCC_NEW_ARRAY(ir->arena, MlirValue, n + 1);
  MlirType *results = TCC_NEW_ARRAY(ir->arena, MlirType, r + 1);
  for (intptr_t i = 0; i < r; i++) results[i] = tcc_value_type(mlirOperationGetOperand(mlirBlockGetTerminator(source), i));
  MlirBlock body = mlirBlockCreate(0, NULL, NULL);
  MlirRegion region = mlirRegionCreate();
  mlirRegionAppendOwnedBlock(region, body);
  TccBuilder b = {.ir = ir, .block = body, .location = location};
  for (intptr_t i = 0; i < n; i++) {
    MlirType type = tcc_value_type(mlirBlockGetArgument(source, i));
    bool weight =
        !tcc_tune_on_device(t) && tcc_kernel_is_stable(ir, kernel, i) && tcc_type_rank(type) >= 0 && tcc_type_is_static(type);
    operands[i] = weight ? make_weight(&b, type, i) : mlirBlockAddArgument(body, type, location);
  }
  if (tcc_tune_on_device(t)) add_symbols(ir, kernel, body);
  for (size_t c = 0; c < count; c++) {
    MlirOperation clone = mlirOperationClone(kernel);
    names[c] = clone_name(ir, kernel, c);
    tcc_set_attribute(clone, "sym_name", tcc_attr_str(ir, tcc_str(names[c])));
    tcc_set_attribute(clone, "tcc.schedule", tcc_schedule_attr(ir, &schedules[c]));
    mlirOperationRemoveAttributeByName(clone, mlirStringRefCreateFromCString("tcc.variants"));
    mlirBlockAppendOwnedOperation(functions, clone);
    mlirBlockAppendOwnedOperation(body, tcc_make_call(ir, names[c], location, (size_t)n, operands, (size_t)r, results));
  }
  mlirBlockAppendOwnedOperation(body, tcc_make_return(ir, location, 0, NULL));
  mlirBlockAppendOwnedOperation(functions, tcc_make_function(ir, "main", TCC_KERNEL_NONE, location, region));
  return module;
}

/* ---- code ---- */
typedef struct {
  const TccMachine *machine;
  TccCandidates *all;
  const TccKernelCode *codes;
  bool on_device; /* objects are PTX */
  TccText *objects;
  TccStatus **failed;
  _Atomic size_t next;
} Work;

static void *compile(void *argument) {
  Work *w = argument;
  for (size_t i; (i = atomic_fetch_add(&w->next, 1)) < w->all->count;)
    if (!w->all->all[i].why) w->failed[i] = tcc_codegen_object(w->machine, &w->codes[i].llvm, w->on_device, &w->objects[i]);
  return NULL;
}

static void compile_all(const TccTuning *t, TccCandidates *all, const TccKernelCode *codes, TccText *objects) {
  enum { MAX_THREADS = 64 };
  TccIr *ir = t->ir;
  Work work = {.machine = &t->target->machine,
               .all = all,
               .codes = codes,
               .on_device = tcc_tune_on_device(t),
               .objects = objects,
               .failed = TCC_NEW_ARRAY(ir->arena, TccStatus *, all->count)};
  pthread_t threads[MAX_THREADS];
  size_t wanted = t->options->jobs ? t->options->jobs : tcc_cpu_count(), started = 0;
  if (wanted > MAX_THREADS) wanted = MAX_THREADS;
  while (started + 1 < wanted && started + 1 < all->count && pthread_create(&threads[started], NULL, compile, &work) == 0)
    started++;
  compile(&work);
  for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
  for (size_t i = 0; i < all->count; i++) {
    if (!work.failed[i]) continue;
    all->all[i].why = tcc_arena_printf(ir->arena, "%s", tcc_status_message(work.failed[i]));
    tcc_status_destroy(work.failed[i]);
  }
}

static TccStatus *load(TccStr library, TccCandidates *all, const TccKernelCode *codes) {
  all->file = memfd_create("tcc-tune", MFD_CLOEXEC);
  if (all->file < 0) return TCC_ERROR(TCC_IO, "memfd: %s", strerror(errno));
  for (size_t at = 0; at < library.length;) {
    ssize_t n = write(all->file, library.data + at, library.length - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return TCC_ERROR(TCC_IO, "memfd: %s", strerror(errno));
    at += (size_t)n;
  }
  char path[64];
  snprintf(path, sizeof path, "/proc/self/fd/%d", all->file);
  all->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!all->library) return TCC_ERROR(TCC_INTERNAL, "cannot load candidates: %s", dlerror());
  for (size_t i = 0; i < all->count; i++) {
    if (all->all[i].why) continue;
    void *function = dlsym(all->library, codes[i].symbol);
    if (!function) return TCC_ERROR(TCC_INTERNAL, "cannot load candidates: %s", dlerror());
    memcpy(&all->kernels[i].function, &function, sizeof function);
  }
  return NULL;
}

static TccStatus *link_and_load(const TccTuning *t, TccCandidates *all, const TccKernelCode *codes, const TccText *objects) {
  TccStr *linked = TCC_NEW_ARRAY(t->ir->arena, TccStr, all->count + 1);
  size_t n = 0;
  for (size_t i = 0; i < all->count; i++)
    if (!all->all[i].why) linked[n++] = tcc_text_str(&objects[i]);
  TccText library = {0};
  TccStatus *status = tcc_artifact_link(linked, n, tcc_str("candidates"), true, &library);
  if (!status) status = load(tcc_text_str(&library), all, codes);
  tcc_text_destroy(&library);
  return status;
}

/* ---- sizes ---- */
typedef struct {
  const int64_t *values;
  size_t count;
} Slots;

static bool slot_value(TccStr name, int64_t *out, void *user) {
  const Slots *slots = user;
  size_t number = name.length > 1 && name.data[0] == '$' ? strtoul(name.data + 1, NULL, 10) : SIZE_MAX;
  if (number >= slots->count) return false;
  *out = slots->values[number];
  return true;
}

/* Everything about a kernel but its function. */
static TccStatus *describe(const TccTuning *t, const TccMap *sizes, MlirOperation func, const TccKernelCode *code,
                           TccMeasureKernel *out) {
  TccIr *ir = t->ir;
  const TccIndexCheck *checks;
  size_t faults = TCC_FAULT_WORDS * tcc_index_checks(ir, func, &checks);
  int64_t *values = TCC_NEW_ARRAY(ir->arena, int64_t, faults + code->nsizes + 1) + faults, scratch;
  for (size_t i = 0; i < code->nsizes; i++) TCC_TRY(tcc_tune_size(sizes, code->sizes[i], &values[i]));
  Slots slots = {values, code->nsizes};
  TCC_TRY(tcc_expr_eval(code->tiles, slot_value, &slots, &out->tiles));
  TCC_TRY(tcc_expr_eval(code->scratch_bytes, slot_value, &slots, &scratch));
  out->sizes = values, out->scratch_bytes = (size_t)scratch;
  MlirType type = mlirTypeAttrGetValue(tcc_attribute(func, "function_type"));
  intptr_t inputs = mlirFunctionTypeGetNumInputs(type), results = mlirFunctionTypeGetNumResults(type);
  TccMeasureBuffer *buffers = TCC_NEW_ARRAY(ir->arena, TccMeasureBuffer, inputs + results + 1);
  for (intptr_t i = 0; i < inputs + results; i++) {
    MlirType one = i < inputs ? mlirFunctionTypeGetInput(type, i) : mlirFunctionTypeGetResult(type, i - inputs);
    if (tcc_type_rank(one) < 0) continue;
    size_t count = 1;
    for (int axis = 0; axis < tcc_type_rank(one); axis++) {
      int64_t size;
      TCC_TRY(tcc_tune_size(sizes, tcc_type_dim(ir, one, axis), &size));
      if (size < 0 || !tcc_mul_size(count, (size_t)size, &count) || count > SIZE_MAX / 32)
        return TCC_ERROR(TCC_NO_MEMORY, "a tensor of the kernel is too large");
    }
    buffers[i] = (TccMeasureBuffer){tcc_elem_bytes(tcc_type_elem(one), count), tcc_type_elem(one),
                                    i < inputs && tcc_kernel_is_stable(ir, func, i)};
  }
  out->buffers = buffers, out->nbuffers = (size_t)(inputs + results);
  return NULL;
}

/* Emits each clone; what cannot be emitted says why, what is the same code as another is left out. */
static void emit_all(const TccTuning *t, const TccMap *sizes, MlirOperation module, const char *const *names,
                     const TccSchedule *schedules, size_t count, TccCandidates *out, TccKernelCode *codes) {
  TccIr *ir = t->ir;
  TccMap *symbols = tcc_map_create(ir->arena), *parts = tcc_map_create(ir->arena);
  for (size_t i = 0; i < count; i++) {
    MlirOperation func = tcc_module_find(ir, module, tcc_str(names[i]));
    TccCandidate *candidate = &out->all[out->count];
    TccText text = {0};
    tcc_schedule_text(&schedules[i], &text);
    *candidate = (TccCandidate){schedules[i], names[i], tcc_arena_copy(ir->arena, text.data, text.length), NULL};
    tcc_text_destroy(&text);
    TccStatus *status = tcc_target_emit(t->target, ir, func, &codes[out->count]);
    bool inserted = true;
    if (!status) tcc_map_put(symbols, tcc_str(codes[out->count].symbol), &inserted);
    if (!status) status = describe(t, sizes, func, &codes[out->count], &out->kernels[out->count]);
    if (status) candidate->why = tcc_arena_printf(ir->arena, "%s", tcc_status_message(status));
    tcc_status_destroy(status);
    if (!inserted) continue;
    if (!candidate->why) codes[out->count].llvm = tcc_llvm_declare_routines(ir->arena, parts, &codes[out->count].llvm);
    out->count++;
  }
}

TccStatus *tcc_candidates_make(const TccTuning *t, const TccMap *sizes, MlirOperation kernel, const TccSchedule *schedules,
                               size_t count, TccCandidates *out) {
  TccIr *ir = t->ir;
  *out = (TccCandidates){.all = TCC_NEW_ARRAY(ir->arena, TccCandidate, count),
                         .kernels = TCC_NEW_ARRAY(ir->arena, TccMeasureKernel, count),
                         .file = -1};
  const char **names = TCC_NEW_ARRAY(ir->arena, const char *, count);
  TccKernelCode *codes = TCC_NEW_ARRAY(ir->arena, TccKernelCode, count);
  TccText *objects = TCC_NEW_ARRAY(ir->arena, TccText, count);
  MlirModule module = make_module(t, kernel, schedules, count, names);
  TccPipelineOptions pipeline = {.target = t->target};
  TccStatus *status = NULL;
  if (mlirLogicalResultIsFailure(tcc_pipeline_run(ir, mlirModuleGetOperation(module), tcc_str(t->rest), &pipeline))) {
    status = TCC_ERROR(TCC_INTERNAL, "the passes after tcc-select do not take the candidates");
    goto done;
  }
  emit_all(t, sizes, mlirModuleGetOperation(module), names, schedules, count, out, codes);
  compile_all(t, out, codes, objects);
  if (tcc_tune_on_device(t)) TCC_GOTO(tcc_candidates_artifacts(t, sizes, mlirModuleGetOperation(module), codes, objects, out));
  else TCC_GOTO(link_and_load(t, out, codes, objects));
done:
  for (size_t i = 0; i < count; i++) tcc_text_destroy(&objects[i]);
  mlirModuleDestroy(module);
  tcc_symbolic_forget(ir);
  if (status) tcc_candidates_release(out);
  return status;
}

void tcc_candidates_release(TccCandidates *candidates) {
  if (candidates->library) dlclose(candidates->library);
  if (candidates->file >= 0) close(candidates->file);
  for (size_t i = 0; candidates->artifacts && i < candidates->count; i++) tcc_text_destroy(&candidates->artifacts[i]);
  *candidates = (TccCandidates){.file = -1};
}

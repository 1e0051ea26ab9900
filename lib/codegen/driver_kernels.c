/* driver_kernels.c - kernel functions to objects.
 *
 * Emission reads the IR and runs on one thread; code generation, where the time goes, runs on several: each takes the next
 * object that nobody has. A kernel whose emitter says that it cannot goes to the reference target, and the report says so. */
#include "driver.h"
#include <pthread.h>
#include <stdatomic.h>

static TccStr string_attribute(MlirOperation op, const char *name) {
  MlirAttribute attribute = mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
  if (mlirAttributeIsNull(attribute) || !mlirAttributeIsAString(attribute)) return (TccStr){0};
  MlirStringRef text = mlirStringAttrGetValue(attribute);
  return (TccStr){text.data, text.length};
}

static TccStatus *emit_kernel(TccDriver *driver, TccDriverKernel *kernel) {
  TccStatus *status = driver->target->emit(driver->target, driver->ir, kernel->function, &kernel->code);
  bool is_reference = strcmp(driver->target->name, "reference") == 0;
  driver->calls_libc |= is_reference;
  if (!status || tcc_status_code(status) != TCC_UNSUPPORTED || is_reference) return status;
  const TccTargetInfo *reference;
  TccStatus *second = tcc_target_parse(driver->ir->arena, "reference", &reference);
  if (!second) second = reference->emit(reference, driver->ir, kernel->function, &kernel->code);
  if (second) { /* the first reason is the one to mend */
    tcc_status_destroy(second);
    return status;
  }
  tcc_status_destroy(status);
  driver->calls_libc = true;
  return NULL;
}

static void share_object(TccDriver *driver, TccDriverKernel *kernel) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(driver->by_symbol, tcc_str(kernel->code.symbol), &inserted);
  if (inserted) {
    entry->integer = (int64_t)driver->objects.count;
    TccDriverObject object = {.symbol = kernel->code.symbol, .text = kernel->code.text};
    TCC_VEC_PUSH(driver->ir->arena, &driver->objects, object);
  }
  kernel->object = (size_t)entry->integer;
}

TccStatus *tcc_driver_emit(TccDriver *driver) {
  TccArena *arena = driver->ir->arena;
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(driver->module));
  TccText failures = {0};
  TccCode code = TCC_UNSUPPORTED;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    TccDriverKernel kernel = {.function = op, .name = string_attribute(op, "sym_name"), .kind = string_attribute(op, "tcc.kernel")};
    if (kernel.kind.length == 0) continue;
    kernel.builtin = tcc_str_is(kernel.kind, "builtin");
    TccStatus *status = kernel.builtin ? NULL : emit_kernel(driver, &kernel);
    if (status) {
      tcc_text_printf(&failures, "%skernel '%.*s' (%.*s): %s", failures.length ? "\n" : "", TCC_STR_ARG(kernel.name), TCC_STR_ARG(kernel.kind),
                      tcc_status_message(status));
      if (tcc_status_code(status) != TCC_UNSUPPORTED) code = tcc_status_code(status);
      tcc_status_destroy(status);
      continue;
    }
    if (!kernel.builtin) share_object(driver, &kernel);
    tcc_map_put(driver->by_name, kernel.name, NULL)->integer = (int64_t)driver->kernels.count;
    TCC_VEC_PUSH(arena, &driver->kernels, kernel);
  }
  if (failures.length == 0) return NULL;
  TccStatus *status = TCC_ERROR(code, "%s", failures.data);
  tcc_text_destroy(&failures);
  return status;
}

/* ---- objects ---- */
typedef struct { TccDriver *driver; TccStr build; _Atomic size_t next; } Work;

static void make_object(Work *work, TccDriverObject *object) {
  const TccDriver *driver = work->driver;
  const TccMachine *machine = &driver->target->machine;
  TccText key = {0};
  char digest[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_hex(object->text.data, object->text.length, digest);
  tcc_text_printf(&key, "text: %s\ncpu: %s %s %s\n%.*s", digest, machine->triple, machine->cpu, machine->features, TCC_STR_ARG(work->build));
  object->cached = tcc_cache_read(driver->cache, "object", tcc_text_str(&key), &object->bytes);
  if (!object->cached) {
    object->status = tcc_codegen_object(machine, object->text, false, &object->bytes);
    if (!object->status) tcc_cache_write(driver->cache, "object", tcc_text_str(&key), tcc_text_str(&object->bytes));
  }
  tcc_text_destroy(&key);
}

static void *work_on_objects(void *argument) {
  Work *work = argument;
  size_t count = work->driver->objects.count;
  for (size_t i; (i = atomic_fetch_add(&work->next, 1)) < count;) make_object(work, &work->driver->objects.data[i]);
  return NULL;
}

TccStatus *tcc_driver_objects(TccDriver *driver) {
  enum { MAX_THREADS = 64 };
  TccText build = {0};
  tcc_cache_key_build(&build);
  Work work = {.driver = driver, .build = tcc_text_str(&build)};
  pthread_t threads[MAX_THREADS];
  size_t wanted = driver->options->threads ? driver->options->threads : tcc_cpu_count(), started = 0;
  if (wanted > driver->objects.count) wanted = driver->objects.count;
  if (wanted > MAX_THREADS) wanted = MAX_THREADS;
  while (started + 1 < wanted && pthread_create(&threads[started], NULL, work_on_objects, &work) == 0) started++;
  work_on_objects(&work); /* this thread too: fewer threads than wanted is only slower */
  for (size_t i = 0; i < started; i++) pthread_join(threads[i], NULL);
  tcc_text_destroy(&build);
  TccStatus *first = NULL;
  for (size_t i = 0; i < driver->objects.count; i++) {
    TccStatus *status = driver->objects.data[i].status;
    driver->objects.data[i].status = NULL;
    if (!first) first = tcc_status_context(status, "kernel '%s'", driver->objects.data[i].symbol);
    else tcc_status_destroy(status);
  }
  return first;
}

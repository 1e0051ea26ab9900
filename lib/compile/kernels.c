/* kernels.c - kernel functions to objects.
 *
 * Emission reads the IR and runs on one thread; code generation, where the time goes, runs on several, beginning with the
 * first kernel: each takes the longest one that nobody has, so that the last to end is a short one. The threads start before
 * the model is read and get the code generator ready meanwhile. What is in an object does not depend on who made it when.
 *
 * Cold kernels (cold.c) come last, in objects of their own: what they have in common with others is made with full effort.
 * A part (emit.h) is defined by the first kernel in this order that has it; the others declare it. A kernel whose emitter says that it cannot goes to the reference target, and the report says so. */
#include "lib/compile/compile_internal.h"
#include "tcc/clock.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* ---- objects ---- */
enum {
  MAX_THREADS = 64,
  OBJECT_WORK = 16 << 10, /* bytes of functions that kernels share one up to; of a model with many kernels, see most_work */
  FEW_KERNELS = 12,       /* threads would stand idle if these shared objects, unless little is made of them */
  LITTLE = 3              /* so many times as quickly is code made with little effort */
};

struct TccDriverPool {
  TccDriver *driver;
  TccText build;        /* the part of the keys that names this build */
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t changed;
  TccDriverObject *waiting; /* list of those that nobody has */
  bool closed;              /* no more will come */
  size_t offered, done;
  TccLimit limit;      /* as the compilation began with it */
  atomic_bool stopped; /* ptxas failed once: it would do so, or hang, for each */
  double said;         /* when progress is to be said next, in milliseconds: nothing of what takes a second */
  pthread_t threads[MAX_THREADS];
  size_t started;
};

TccStatus *tcc_driver_cubin(const TccCache *cache, const TccPtxas *ptxas, const char *chip, TccStr ptx, const TccLimit *limit,
                            TccText *out) {
  char digest[2 * TCC_DIGEST_BYTES + 1];
  TccText key = {0};
  tcc_digest_hex(ptx.data, ptx.length, digest);
  tcc_text_printf(&key, "ptx: %s\nchip: %s\nptxas: %s\n", digest, chip, ptxas->version);
  TccStatus *status = NULL;
  if (!tcc_cache_read(cache, "cubin", tcc_text_str(&key), out)) {
    status = tcc_ptxas_run(ptxas, chip, ptx, limit, out);
    if (!status) tcc_cache_write(cache, "cubin", tcc_text_str(&key), tcc_text_str(out));
  }
  tcc_text_destroy(&key);
  return status;
}

/* Of each object for a device its cubin, on the thread that made the object. */
static TccStatus *make_cubin(const TccDriverPool *pool, TccDriverObject *object) {
  const TccDriver *driver = pool->driver;
  return tcc_driver_cubin(driver->cache, driver->ptxas, driver->target->machine.cpu, tcc_driver_ptx(&object->bytes), &pool->limit,
                          &object->cubin);
}

static void make_object(TccDriverPool *pool, TccDriverObject *object) {
  if (atomic_load(&pool->stopped)) return;
  const TccDriver *driver = pool->driver;
  const TccMachine *machine = &driver->target->machine;
  TccText key = {0}, text = {0};
  char digest[2 * TCC_DIGEST_BYTES + 1];
  for (size_t i = 0; i < object->llvm.count; i++) {
    tcc_text_clear(&text);
    tcc_llvm_identity(&object->llvm.data[i], &text);
    tcc_digest_hex(text.data, text.length, digest);
    tcc_text_printf(&key, "text: %s\n", digest);
  }
  tcc_text_destroy(&text);
  tcc_text_printf(&key, "cpu: %s %s %s\neffort: %d\n%.*s", machine->triple, machine->cpu, machine->features, object->effort,
                  TCC_STR_ARG(tcc_text_str(&pool->build)));
  object->cached = tcc_cache_read(driver->cache, "object", tcc_text_str(&key), &object->bytes);
  TccLimit limit = pool->limit;
  char reason[96];
  if (!object->cached && tcc_limit_reached(&limit)) {
    object->status = TCC_ERROR(TCC_NO_MEMORY, "%s", tcc_limit_text(&limit, reason));
  } else if (!object->cached) {
    object->status = tcc_codegen_objects(machine, object->llvm.data, object->llvm.count, object->effort,
                                         tcc_driver_on_device(driver), &object->bytes);
    if (!object->status) tcc_cache_write(driver->cache, "object", tcc_text_str(&key), tcc_text_str(&object->bytes));
  }
  tcc_text_destroy(&key);
  if (object->status || !driver->ptxas) return;
  object->status = make_cubin(pool, object);
  if (object->status) atomic_store(&pool->stopped, true);
}

/* One more is done. Lines are said under the lock: a callback need not know of threads. */
static void count_object(TccDriverPool *pool) {
  enum { PAUSE_MS = 100 };
  const TccCompileOptions *o = pool->driver->options;
  pthread_mutex_lock(&pool->lock);
  pool->done++;
  double now = o->progress ? tcc_now_ms() : 0;
  if (o->progress && now >= pool->said) {
    char line[64];
    snprintf(line, sizeof line, "compile: object %zu of %zu", pool->done, pool->offered);
    o->progress(line, o->user);
    pool->said = now + PAUSE_MS;
  }
  pthread_mutex_unlock(&pool->lock);
}

static void offer(TccDriverPool *pool, TccDriverObject *object) {
  pthread_mutex_lock(&pool->lock);
  pool->offered++;
  object->next = pool->waiting;
  pool->waiting = object;
  pthread_cond_signal(&pool->changed);
  pthread_mutex_unlock(&pool->lock);
}

static size_t time_of(const TccDriverObject *object) { return object->work / (object->effort == TCC_EFFORT_LITTLE ? LITTLE : 1); }

/* The one with most to do that nobody has; waits for one until the pool is closed, then NULL. */
static TccDriverObject *take(TccDriverPool *pool) {
  pthread_mutex_lock(&pool->lock);
  while (!pool->waiting && !pool->closed) pthread_cond_wait(&pool->changed, &pool->lock);
  TccDriverObject **most = &pool->waiting;
  for (TccDriverObject **at = &pool->waiting; *at; at = &(*at)->next)
    if (time_of(*at) > time_of(*most)) most = at;
  TccDriverObject *object = *most;
  if (object) *most = object->next;
  pthread_mutex_unlock(&pool->lock);
  return object;
}

static void close_pool(TccDriverPool *pool, bool drop) {
  pthread_mutex_lock(&pool->lock);
  pool->closed = true;
  if (drop) pool->waiting = NULL;
  pthread_cond_broadcast(&pool->changed);
  pthread_mutex_unlock(&pool->lock);
}

static void work_on_objects(TccDriverPool *pool) {
  for (TccDriverObject *object; (object = take(pool));) {
    make_object(pool, object);
    count_object(pool);
  }
}

void tcc_driver_heap(void) {
  enum { EXPECTED = 12 << 20, PAGE = 4096, HUGE_PAGE = 2 << 20 };
  char *block = malloc(1); /* what follows it, up to the end of this thread's heap, is what malloc gives next */
  uintptr_t page = (uintptr_t)block / PAGE * PAGE, aligned = (page + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
  if (block) { /* advice: no error matters */
    madvise((void *)page, aligned - page, MADV_POPULATE_WRITE);
    madvise((void *)aligned, EXPECTED, MADV_HUGEPAGE);
  }
  free(block);
}

static void *work(void *argument) {
  TccDriverPool *pool = argument;
  tcc_driver_heap();
  if (!pool->driver->only_plan && !tcc_driver_on_device(pool->driver)) tcc_codegen_prepare(&pool->driver->target->machine);
  work_on_objects(pool);
  return NULL;
}

void tcc_driver_start(TccDriver *driver) {
  TccDriverPool *pool = driver->pool = TCC_NEW(driver->ir->arena, TccDriverPool);
  pool->driver = driver;
  pool->limit = driver->ir->limit;
  pool->said = tcc_now_ms() + 1000;
  tcc_cache_key_build(&pool->build);
  tcc_text_put(&pool->build, "", 0); /* ends where the key has failed */
  pthread_mutex_init(&pool->lock, NULL);
  pthread_cond_init(&pool->changed, NULL);
  size_t wanted = driver->options->threads ? driver->options->threads : tcc_cpu_count();
  if (wanted > MAX_THREADS) wanted = MAX_THREADS;
  /* this thread works too, once all is emitted: fewer threads than wanted is only slower */
  while (pool->started + 1 < wanted && pthread_create(&pool->threads[pool->started], NULL, work, pool) == 0) pool->started++;
}

static void join(TccDriverPool *pool) {
  while (pool->started) pthread_join(pool->threads[--pool->started], NULL);
}

void tcc_driver_stop(TccDriver *driver) {
  TccDriverPool *pool = driver->pool;
  if (!pool) return;
  close_pool(pool, true);
  join(pool);
  pthread_mutex_destroy(&pool->lock);
  pthread_cond_destroy(&pool->changed);
  tcc_text_destroy(&pool->build);
  driver->pool = NULL;
}

TccStatus *tcc_driver_objects(TccDriver *driver) {
  close_pool(driver->pool, false);
  work_on_objects(driver->pool);
  join(driver->pool);
  TccStatus *first = NULL;
  for (size_t i = 0; i < driver->objects.count; i++) {
    TccStatus *status = driver->objects.data[i]->status;
    driver->objects.data[i]->status = NULL;
    if (!first) first = tcc_status_context(status, "kernel '%s'", driver->objects.data[i]->symbol);
    else tcc_status_destroy(status);
  }
  return first;
}

/* ---- emission ---- */
static TccStatus *emit_kernel(TccDriver *driver, TccDriverKernel *kernel) {
  const TccTarget *target = driver->target->of, *fallback = target->fallback;
  TccStatus *status = tcc_target_emit(driver->target, driver->ir, kernel->function, &kernel->code);
  driver->calls_libc |= target->calls_libc;
  if (!status || tcc_status_code(status) != TCC_UNSUPPORTED || !fallback) return status;
  const TccTargetInfo other = {fallback, driver->target->machine};
  TccStatus *second = tcc_target_emit(&other, driver->ir, kernel->function, &kernel->code);
  if (second) { /* the first reason is the one to mend */
    tcc_status_destroy(second);
    return status;
  }
  tcc_status_destroy(status);
  driver->calls_libc |= fallback->calls_libc;
  return NULL;
}

static void close_object(TccDriver *driver, TccEffort effort) {
  if (driver->open[effort] && !driver->only_plan) offer(driver->pool, driver->open[effort]);
  driver->open[effort] = NULL;
}

/* How much the next kernels' object may have. */
typedef struct {
  TccEffort effort;
  size_t least;         /* however little is left */
  size_t kernels, seen; /* that will come at most, and those that came */
  size_t work;          /* what those are that have objects */
  size_t cores; /* of the machine that is compiled for: which kernels share one does not depend on threads. 0: all have the least */
} Sharing;

/* The more kernels there are, the more share one and the setting up of the code generator, and there are still tens of objects for threads to take. An
 * object for a device is what ptxas is called for, which takes longer than all else. */
static Sharing share(const TccDriver *driver, size_t kernels, TccEffort effort) {
  enum { STEP = 128 };
  Sharing sharing = {
      .effort = effort, .kernels = kernels, .cores = tcc_driver_on_device(driver) ? 0 : driver->target->machine.cores};
  if (kernels > FEW_KERNELS || effort == TCC_EFFORT_LITTLE)
    sharing.least = OBJECT_WORK * (1 + kernels / STEP) * (effort == TCC_EFFORT_LITTLE ? LITTLE : 1);
  return sharing;
}

/* A part of what is left, so that threads end together (guided self-scheduling: Polychronopoulos and Kuck 1987): PARTS for each core. But not more than
 * there was before, for a thread waits for the first ones. */
static size_t most_work(const Sharing *sharing) {
  enum { PARTS = 2 };
  if (!sharing->least || !sharing->seen || !sharing->cores) return sharing->least;
  size_t left = sharing->work / sharing->seen * (sharing->kernels - sharing->seen), part = left / PARTS / sharing->cores;
  if (part > sharing->work) part = sharing->work;
  return part > sharing->least ? part : sharing->least;
}

/* Goes on into the last object of that effort while it has at most so much. */
static TccDriverObject *add_to_object(TccDriver *driver, const TccDriverKernel *kernel, Sharing *sharing, TccLlvm llvm) {
  TccDriverObject **open = &driver->open[sharing->effort];
  TccArena *arena = driver->ir->arena;
  const size_t work = tcc_llvm_work(&llvm);
  if (*open && (*open)->work + work > most_work(sharing)) close_object(driver, sharing->effort);
  if (!*open) {
    *open = TCC_NEW(arena, TccDriverObject);
    **open = (TccDriverObject){.symbol = kernel->code.symbol, .index = driver->objects.count, .effort = sharing->effort};
    TCC_VEC_PUSH(arena, &driver->objects, *open);
  }
  TCC_VEC_PUSH(arena, &(*open)->llvm, llvm);
  (*open)->work += work, sharing->work += work;
  (*open)->by_mlir |= !llvm.module;
  return *open;
}

/* What no object has of a kernel. Of one that is not cold, the functions without optimisation have objects of their own: the code generator takes a quarter
 * of the time for them where it leaves out the passes of the others. */
static void share_object(TccDriver *driver, TccDriverKernel *kernel, Sharing sharing[TCC_EFFORT_COUNT]) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(driver->by_symbol, tcc_str(kernel->code.symbol), &inserted);
  if (inserted) {
    TccLlvm llvm = tcc_llvm_declare_routines(driver->ir->arena, driver->routines, &kernel->code.llvm),
            parts[TCC_EFFORT_COUNT] = {{0}};
    if (kernel->cold) parts[TCC_EFFORT_LITTLE] = llvm;
    else if (tcc_driver_on_device(driver)) parts[TCC_EFFORT_FULL] = llvm;
    else tcc_llvm_part(driver->ir->arena, &llvm, parts);
    for (int i = TCC_EFFORT_COUNT; i-- > 0;) /* one that has both is named by the object of what counts */
      if (parts[i].module || parts[i].text.data)
        entry->integer = (int64_t)add_to_object(driver, kernel, &sharing[i], parts[i])->index;
  }
  for (size_t i = 0; i < TCC_EFFORT_COUNT; i++) sharing[i].seen++;
  kernel->object = (size_t)entry->integer;
}

static size_t count_kernels(const TccDriver *driver) {
  size_t count = 0;
  TCC_EACH_FUNCTION (function, driver->module) {
    TccKernelKind kind = tcc_kernel_kind(driver->ir, function);
    count += kind && tcc_target_emits(driver->target, kind);
  }
  return count;
}

/* One whose code no kernel has that is not cold: its emitter, which is told so now, makes less of it. Maps alone ask for it. */
static TccStatus *emit_as_cold(TccDriver *driver, TccDriverKernel *kernel) {
  static const char cold[] = "tcc.cold";
  if (kernel->kind != TCC_KERNEL_MAP || tcc_has_attribute(kernel->function, cold) || driver->options->effort == TCC_EFFORT_LITTLE ||
      tcc_map_find(driver->by_symbol, tcc_str(kernel->code.symbol)))
    return NULL;
  tcc_set_attribute(kernel->function, cold, mlirUnitAttrGet(driver->ir->context));
  return emit_kernel(driver, kernel);
}

/* Behind all others. One whose code a kernel that is not cold has, too, has that kernel's object. */
static TccStatus *share_cold_objects(TccDriver *driver, size_t kernels) {
  Sharing sharing[TCC_EFFORT_COUNT] = {[TCC_EFFORT_LITTLE] = share(driver, kernels, TCC_EFFORT_LITTLE)};
  sharing[TCC_EFFORT_LITTLE].kernels = 0;
  for (size_t i = 0; i < driver->kernels.count; i++) sharing[TCC_EFFORT_LITTLE].kernels += driver->kernels.data[i].cold;
  close_object(driver, TCC_EFFORT_LITTLE);
  for (size_t i = 0; i < driver->kernels.count; i++)
    if (driver->kernels.data[i].cold) TCC_TRY(emit_as_cold(driver, &driver->kernels.data[i]));
  for (size_t i = 0; i < driver->kernels.count; i++)
    if (driver->kernels.data[i].cold) share_object(driver, &driver->kernels.data[i], sharing);
  return NULL;
}

/* What is for a device, or text that MLIR reads unless all is, is compiled with full effort. */
static bool is_cold(const TccDriver *driver, const TccPointerMap *cold, const TccDriverKernel *kernel) {
  if (driver->options->effort == TCC_EFFORT_LITTLE) return !tcc_driver_on_device(driver);
  return !tcc_driver_on_device(driver) && kernel->code.llvm.module && tcc_pointer_map_get(cold, kernel->function.ptr);
}

TccStatus *tcc_driver_emit(TccDriver *driver) {
  TccArena *arena = driver->ir->arena;
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(driver->module));
  const TccPointerMap cold = tcc_driver_cold(driver->ir, driver->module);
  const size_t count = count_kernels(driver);
  Sharing sharing[TCC_EFFORT_COUNT];
  for (TccEffort effort = 0; effort < TCC_EFFORT_COUNT; effort++) sharing[effort] = share(driver, count, effort);
  TccText failures = {0};
  TccCode code = TCC_UNSUPPORTED;
  TCC_EACH_OP (op, body) {
    TccDriverKernel kernel = {.function = op, .name = tcc_function_name(op), .kind = tcc_kernel_kind(driver->ir, op)};
    if (!kernel.kind) continue;
    kernel.builtin = !tcc_target_emits(driver->target, kernel.kind);
    if (tcc_limit_reached(&driver->ir->limit)) {
      tcc_text_destroy(&failures);
      char text[96];
      return TCC_ERROR(TCC_NO_MEMORY, "kernel '%.*s' (%s): %s", TCC_STR_ARG(kernel.name), tcc_kernel_kind_name(kernel.kind),
                       tcc_limit_text(&driver->ir->limit, text));
    }
    TccStatus *status = kernel.builtin ? NULL : emit_kernel(driver, &kernel);
    if (status) {
      tcc_text_printf(&failures, "%skernel '%.*s' (%s): %s", failures.length ? "\n" : "", TCC_STR_ARG(kernel.name),
                      tcc_kernel_kind_name(kernel.kind), tcc_status_message(status));
      if (tcc_status_code(status) != TCC_UNSUPPORTED) code = tcc_status_code(status);
      tcc_status_destroy(status);
      continue;
    }
    kernel.cold = !kernel.builtin && is_cold(driver, &cold, &kernel);
    if (!kernel.builtin && !kernel.cold) share_object(driver, &kernel, sharing);
    tcc_map_put(driver->by_name, kernel.name, NULL)->integer = (int64_t)driver->kernels.count;
    TCC_VEC_PUSH(arena, &driver->kernels, kernel);
  }
  TccStatus *again = share_cold_objects(driver, count);
  for (TccEffort effort = 0; effort < TCC_EFFORT_COUNT; effort++) close_object(driver, effort);
  if (failures.length == 0) return again;
  tcc_status_destroy(again);
  TccStatus *status = TCC_ERROR(code, "%s", failures.data);
  tcc_text_destroy(&failures);
  return status;
}

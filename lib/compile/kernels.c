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
  size_t coming;        /* what those are that come, where all are known; else 0 */
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
  if (sharing->coming) part = sharing->coming / sharing->cores; /* all of these are offered at once, the largest first */
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

/* What a kernel is called by behind its number: the ops that it has. */
static TccStr ops_of(TccStr name) {
  size_t at = 0;
  while (at < name.length && name.data[at] != '_') at++;
  return (TccStr){name.data + at, name.length - at};
}

/* Ops that several kernels have. */
static TccMap *common_ops(const TccDriver *driver) {
  TccMap *once = tcc_map_create(driver->ir->arena), *more = tcc_map_create(driver->ir->arena);
  TCC_EACH_FUNCTION (function, driver->module) {
    bool first;
    TccStr ops = ops_of(tcc_function_name(function));
    if (!tcc_kernel_kind(driver->ir, function)) continue;
    tcc_map_put(once, ops, &first);
    if (!first) tcc_map_put(more, ops, NULL);
  }
  return more;
}

/* By names the symbols that have them: the first one, and whether there is another. */
typedef struct {
  TccMap *first, *others;
} Names;

static void note_symbol(Names *names, TccStr name, const char *symbol) {
  TccMapEntry *entry = tcc_map_put(names->first, name, NULL);
  if (!entry->pointer) entry->pointer = (void *)(uintptr_t)symbol;
  else if (strcmp(entry->pointer, symbol) != 0) tcc_map_put(names->others, name, NULL);
}

/* Of kernels that come to have the same code with their numbers in sizes[], and have not otherwise, each has that: it is compiled once. One alone is
 * shorter as it is. They are known when all are emitted, and meanwhile other threads have the objects of those that cannot be told. */
static void share_told(TccDriver *driver) {
  TccArena *arena = driver->ir->arena;
  const size_t n = driver->kernels.count;
  Names alike = {tcc_map_create(arena), tcc_map_create(arena)}, same = {tcc_map_create(arena), tcc_map_create(arena)};
  TccKernelCode *told = TCC_NEW_ARRAY(arena, TccKernelCode, n + 1);
  TccStr *name = TCC_NEW_ARRAY(arena, TccStr, n + 1);
  for (size_t i = 0; i < n; i++) {
    const TccKernelCode *code = &driver->kernels.data[i].code;
    if (!code->tells) continue;
    const TccStr ops = ops_of(driver->kernels.data[i].name);
    name[i] = tcc_str(tcc_arena_printf(arena, "%.*s %zu", TCC_STR_ARG(ops), code->told_size));
    note_symbol(&alike, name[i], code->symbol);
  }
  for (size_t i = 0; i < n; i++) {
    const TccKernelCode *code = &driver->kernels.data[i].code;
    if (!code->tells || !tcc_map_find(alike.others, name[i])) continue;
    tcc_kernel_told(driver->ir, code, &told[i]);
    note_symbol(&same, tcc_str(told[i].symbol), code->symbol);
  }
  for (size_t i = 0; i < n; i++)
    if (told[i].symbol && tcc_map_find(same.others, tcc_str(told[i].symbol))) driver->kernels.data[i].code = told[i];
}

typedef struct {
  TccDriverKernel *kernel;
  size_t work, index;
} Waiting;

/* The largest first; equal ones stay in the module's order, so that nothing depends on the library's sort. */
static int by_work(const void *a, const void *b) {
  const Waiting *x = a, *y = b;
  if (x->work != y->work) return x->work > y->work ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

/* Behind those that cannot be told. */
static void share_told_objects(TccDriver *driver, Sharing sharing[TCC_EFFORT_COUNT]) {
  Waiting *waiting = TCC_NEW_ARRAY(driver->ir->arena, Waiting, driver->kernels.count + 1);
  TccMap *symbols = tcc_map_create(driver->ir->arena);
  size_t n = 0, coming = 0;
  for (size_t i = 0; i < driver->kernels.count; i++)
    if (driver->kernels.data[i].code.tells && !driver->kernels.data[i].cold)
      waiting[n++] = (Waiting){.kernel = &driver->kernels.data[i], .index = i};
  share_told(driver);
  for (size_t i = 0; i < n; i++) {
    bool is_new;
    tcc_map_put(symbols, tcc_str(waiting[i].kernel->code.symbol), &is_new);
    if (is_new) coming += waiting[i].work = tcc_llvm_work(&waiting[i].kernel->code.llvm);
  }
  qsort(waiting, n, sizeof *waiting, by_work);
  for (size_t i = 0; i < n; i++) {
    sharing[TCC_EFFORT_FULL].coming = coming;
    share_object(driver, waiting[i].kernel, sharing);
    coming -= waiting[i].work;
  }
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
  const TccMap *common = common_ops(driver);
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
    if (!tcc_map_find(common, ops_of(kernel.name))) kernel.code.tells = 0; /* it is alone */
    if (!kernel.builtin && !kernel.cold && !kernel.code.tells) share_object(driver, &kernel, sharing);
    tcc_map_put(driver->by_name, kernel.name, NULL)->integer = (int64_t)driver->kernels.count;
    TCC_VEC_PUSH(arena, &driver->kernels, kernel);
  }
  share_told_objects(driver, sharing);
  TccStatus *again = share_cold_objects(driver, count);
  for (TccEffort effort = 0; effort < TCC_EFFORT_COUNT; effort++) close_object(driver, effort);
  if (failures.length == 0) return again;
  tcc_status_destroy(again);
  TccStatus *status = TCC_ERROR(code, "%s", failures.data);
  tcc_text_destroy(&failures);
  return status;
}

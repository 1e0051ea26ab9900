/* driver_kernels.c - kernel functions to objects.
 *
 * Emission reads the IR and runs on one thread; code generation, where the time goes, runs on several, beginning with the
 * first text: each takes the longest one that nobody has, so that the last to end is a short one. The threads start before
 * the model is read and get the code generator ready meanwhile. What is in an object does not depend on who made it when.
 *
 * A part (emit.h) is defined by the first kernel, in the module's order, that has it; the others declare it. A kernel whose emitter says that it cannot goes to the reference target, and the report says so. */
#include "driver.h"
#include "tcc/clock.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

/* ---- objects ---- */
enum {
  MAX_THREADS = 64,
  OBJECT_WORK = 16 << 10 /* bytes of functions in kernels that share one, at most */,
  FEW_KERNELS = 12 /* threads would stand idle if these shared objects */
};

struct TccDriverPool {
  TccDriver *driver;
  TccText build;        /* the part of the keys that names this build */
  pthread_mutex_t lock; /* of what follows */
  pthread_cond_t changed;
  TccDriverObject *waiting; /* list of those that nobody has */
  bool closed;              /* no more will come */
  size_t offered, done;
  double said; /* when progress is to be said next, in milliseconds: nothing of what takes a second */
  pthread_t threads[MAX_THREADS];
  size_t started;
};

static void make_object(const TccDriverPool *pool, TccDriverObject *object) {
  const TccDriver *driver = pool->driver;
  const TccMachine *machine = &driver->target->machine;
  TccText key = {0};
  char digest[2 * TCC_DIGEST_BYTES + 1];
  for (size_t i = 0; i < object->texts.count; i++) {
    tcc_digest_hex(object->texts.data[i].data, object->texts.data[i].length, digest);
    tcc_text_printf(&key, "text: %s\n", digest);
  }
  tcc_text_printf(&key, "cpu: %s %s %s\n%.*s", machine->triple, machine->cpu, machine->features,
                  TCC_STR_ARG(tcc_text_str(&pool->build)));
  object->cached = tcc_cache_read(driver->cache, "object", tcc_text_str(&key), &object->bytes);
  if (!object->cached) {
    object->status = tcc_codegen_objects(machine, object->texts.data, object->texts.count, false, &object->bytes, &object->by_mlir);
    if (!object->status) tcc_cache_write(driver->cache, "object", tcc_text_str(&key), tcc_text_str(&object->bytes));
  }
  tcc_text_destroy(&key);
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

/* The one with most to do that nobody has; waits for one until the pool is closed, then NULL. */
static TccDriverObject *take(TccDriverPool *pool) {
  pthread_mutex_lock(&pool->lock);
  while (!pool->waiting && !pool->closed) pthread_cond_wait(&pool->changed, &pool->lock);
  TccDriverObject **most = &pool->waiting;
  for (TccDriverObject **at = &pool->waiting; *at; at = &(*at)->next)
    if ((*at)->work > (*most)->work) most = at;
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
  tcc_codegen_prepare(&pool->driver->target->machine);
  work_on_objects(pool);
  return NULL;
}

void tcc_driver_start(TccDriver *driver) {
  TccDriverPool *pool = driver->pool = TCC_NEW(driver->ir->arena, TccDriverPool);
  pool->driver = driver;
  pool->said = tcc_now_ms() + 1000;
  tcc_cache_key_build(&pool->build);
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

static const char function_begin[] = "llvm.func hidden @", function_end[] = "\n}\n";
static const char code_begin[] = "llvm.mlir.global hidden constant @", code_end[] = "\n";

static const char *next_of(TccStr text, const char *word) {
  const char *at = memmem(text.data, text.length, word, strlen(word));
  return at ? at : text.data + text.length;
}

static void keep_text(char *out, size_t *length, const char *from, const char *end) {
  memcpy(out + *length, from, (size_t)(end - from));
  *length += (size_t)(end - from);
}

/* What is left of a function is its signature, of machine code its name and type. */
TccStr tcc_parts_declare(TccArena *arena, TccMap *parts, TccStr text) {
  char *out = tcc_arena_alloc(arena, text.length + 1);
  size_t length = 0;
  const char *end = text.data + text.length, *function = next_of(text, function_begin), *code = next_of(text, code_begin);
  while (text.length) {
    bool is_code = code < function;
    const char *at = is_code ? code : function;
    keep_text(out, &length, text.data, at);
    text.data = at, text.length = (size_t)(end - at);
    if (!text.length) break;
    const char *close =
        is_code ? next_of(text, code_end) + sizeof code_end - 1 : next_of(text, function_end) + sizeof function_end - 1;
    const char *name = at + (is_code ? sizeof code_begin : sizeof function_begin) - 1,
               *round = memchr(name, '(', (size_t)(close - name)); /* all are there: emit.c wrote them */
    bool first;
    tcc_map_put(parts, (TccStr){name, (size_t)(round - name)}, &first);
    if (first) {
      keep_text(out, &length, at, close);
    } else if (is_code) {
      keep_text(out, &length, at, round + 1);
      keep_text(out, &length, next_of((TccStr){round, (size_t)(close - round)}, ")"), close);
    } else {
      keep_text(out, &length, at, next_of(text, " {\n"));
      out[length++] = '\n';
    }
    text.data = close, text.length = (size_t)(end - close);
    if (is_code) code = next_of(text, code_begin);
    else function = next_of(text, function_begin);
  }
  return (TccStr){out, length};
}

/* What the code generator has to do: constants and machine code, three characters a byte, are next to nothing; vectors of 64-bit
 * elements have no register that holds them, and taking them apart takes as long again (MiniLM: a mask gathered by 64-bit indices takes as long as a contraction of three times the text). */
static size_t work_of(TccStr text) {
  static const char constant[] = "llvm.mlir.global ", wide[] = "xi64>";
  size_t work = 0;
  for (const char *at = text.data, *end = at + text.length, *line; at < end; at = line) {
    line = memchr(at, '\n', (size_t)(end - at));
    line = line ? line + 1 : end;
    if ((size_t)(line - at) < sizeof constant || memcmp(at, constant, sizeof constant - 1) != 0)
      work += (size_t)(line - at) << (memmem(at, (size_t)(line - at), wide, sizeof wide - 1) != NULL);
  }
  return work;
}

static void close_object(TccDriver *driver) {
  if (driver->open) offer(driver->pool, driver->open);
  driver->open = NULL;
}

/* Kernels of a model with many go on into the last object while it is small: which ones does not depend on threads. */
static void share_object(TccDriver *driver, TccDriverKernel *kernel, bool many) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(driver->by_symbol, tcc_str(kernel->code.symbol), &inserted);
  if (inserted) {
    TccArena *arena = driver->ir->arena;
    TccStr text = tcc_parts_declare(arena, driver->parts, kernel->code.text);
    size_t work = work_of(text);
    if (!many || (driver->open && driver->open->work + work > OBJECT_WORK)) close_object(driver);
    if (!driver->open) {
      driver->open = TCC_NEW(arena, TccDriverObject);
      *driver->open = (TccDriverObject){.symbol = kernel->code.symbol};
      TCC_VEC_PUSH(arena, &driver->objects, driver->open);
    }
    entry->integer = (int64_t)driver->objects.count - 1;
    TCC_VEC_PUSH(arena, &driver->open->texts, text);
    driver->open->work += work;
  }
  kernel->object = (size_t)entry->integer;
}

bool tcc_kind_is_builtin(TccStr kind) {
  static const char *const kinds[] = {"builtin", "relayout", "winograd", "join", "part"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (tcc_str_is(kind, kinds[i])) return true;
  return false;
}

TccStatus *tcc_driver_emit(TccDriver *driver) {
  TccArena *arena = driver->ir->arena;
  MlirBlock body = mlirModuleGetBody(mlirModuleFromOperation(driver->module));
  int count = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    TccStr kind = string_attribute(op, "tcc.kernel");
    count += kind.length && !tcc_kind_is_builtin(kind);
  }
  bool many = count > FEW_KERNELS;
  TccText failures = {0};
  TccCode code = TCC_UNSUPPORTED;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    TccDriverKernel kernel = {.function = op, .name = string_attribute(op, "sym_name"), .kind = string_attribute(op, "tcc.kernel")};
    if (kernel.kind.length == 0) continue;
    kernel.builtin = tcc_kind_is_builtin(kernel.kind);
    TccStatus *status = kernel.builtin ? NULL : emit_kernel(driver, &kernel);
    if (status) {
      tcc_text_printf(&failures, "%skernel '%.*s' (%.*s): %s", failures.length ? "\n" : "", TCC_STR_ARG(kernel.name),
                      TCC_STR_ARG(kernel.kind), tcc_status_message(status));
      if (tcc_status_code(status) != TCC_UNSUPPORTED) code = tcc_status_code(status);
      tcc_status_destroy(status);
      continue;
    }
    if (!kernel.builtin) share_object(driver, &kernel, many);
    tcc_map_put(driver->by_name, kernel.name, NULL)->integer = (int64_t)driver->kernels.count;
    TCC_VEC_PUSH(arena, &driver->kernels, kernel);
  }
  close_object(driver);
  if (failures.length == 0) return NULL;
  TccStatus *status = TCC_ERROR(code, "%s", failures.data);
  tcc_text_destroy(&failures);
  return status;
}

/* Each allocation of each call fails in turn, alone and with all behind it: the call says TCC_NO_MEMORY, or does without; it leaves
 * nothing behind, and the next call works.
 *
 *     no_memory             a plan by hand: a model of it, contexts, runs
 *     no_memory ARTIFACT    loading, too, and what is kept of packed weights, in $TCC_CACHE_DIR, which is empty */
#include "sample_plan.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
int main(void) { return 77; } /* they have an allocator of their own */
#else

/* ---- an allocator that fails, in place of the C library's ---- */
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t count, size_t bytes);
void *__libc_realloc(void *memory, size_t bytes);
void *__libc_memalign(size_t alignment, size_t bytes);
void __libc_free(void *memory);
TCC_EXPORT void *memalign(size_t alignment, size_t bytes);

static _Atomic long fail_at = -1, seen, alive; /* fail_at: the number of the allocation; alive: blocks that nobody has freed */
static bool all_behind;

static bool fails(void) {
  if (fail_at < 0) return false;
  long number = atomic_fetch_add(&seen, 1);
  if (all_behind ? number < fail_at : number != fail_at) return false;
  errno = ENOMEM;
  return true;
}
static void *counted(void *memory) {
  if (memory) alive++;
  return memory;
}
TCC_EXPORT void *malloc(size_t bytes) { return fails() ? NULL : counted(__libc_malloc(bytes)); }
TCC_EXPORT void *calloc(size_t count, size_t bytes) { return fails() ? NULL : counted(__libc_calloc(count, bytes)); }
TCC_EXPORT void *realloc(void *memory, size_t bytes) {
  if (fails()) return NULL;
  void *moved = __libc_realloc(memory, bytes);
  return memory ? moved : counted(moved);
}
TCC_EXPORT void *memalign(size_t alignment, size_t bytes) { return fails() ? NULL : counted(__libc_memalign(alignment, bytes)); }
TCC_EXPORT void *aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
TCC_EXPORT int posix_memalign(void **out, size_t alignment, size_t bytes) {
  void *memory = memalign(alignment, bytes);
  if (memory) *out = memory;
  return memory ? 0 : ENOMEM;
}
TCC_EXPORT void free(void *memory) {
  if (memory) alive--;
  __libc_free(memory);
}

/* Maps of files; the C library's own calls do not come here. */
TCC_EXPORT void *mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
  if (fails()) return MAP_FAILED;
  return (void *)syscall(SYS_mmap, address, bytes, protection, flags, fd, offset);
}

/* ---- calls ---- */
static int failures;
static void *block, *file_bytes;
static size_t file_length;
static const char *path;
static unsigned threads;
static TccModel *model;
static TccContext *context;

static TccStatus *create_model(void) {
  static const TccLoadOptions options = {.threads = 1};
  return tcc_model_create((TccArtifact){.plan = block}, find, NULL, &options, &model);
}
static TccStatus *load(void) { return tcc_model_load(path, &(TccLoadOptions){.threads = 1}, &model); }
static TccStatus *load_cached(void) { return tcc_model_load(path, &(TccLoadOptions){.threads = 1, .cache = true}, &model); }
static TccStatus *load_memory(void) {
  static char folder[4096];
  const char *slash = strrchr(path, '/');
  snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - path) : 1, slash ? path : ".");
  return tcc_model_load_memory(file_bytes, file_length, &(TccLoadOptions){.threads = 1, .weights_dir = folder}, &model);
}
/* The key of a file, and of bytes of it; as if it were a model. */
static TccStatus *make_key(void) {
  static const TccCompileOptions options = {0};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  char list[4096];
  const int length = snprintf(list, sizeof list, "read 0 16 %s\n", name);
  TccText key = {0};
  TccWatch watch = {0};
  bool changed = false;
  tcc_watch_add(&watch, path);
  TccStatus *status = tcc_compile_key(path, &options, &key);
  bool whole = !status && tcc_key_put_parts(path, &options, (TccStr){list, (size_t)length}, &watch, &key);
  if (!status) status = tcc_text_status(&key);
  if (!status) status = tcc_watch_check(&watch, &changed);
  if (!status && changed) status = TCC_ERROR(TCC_MISMATCH, "nothing has changed");
  if (!status && !whole) status = TCC_ERROR(TCC_NO_MEMORY, "a part could not be read");
  tcc_text_destroy(&key);
  tcc_watch_destroy(&watch);
  return status;
}
static TccStatus *load_missing(void) { return tcc_model_load("/nonexistent/model.so", NULL, &model); }
static TccStatus *load_stranger(void) { return tcc_model_load("/proc/self/exe", NULL, &model); }
static TccStatus *create_context(void) { return tcc_context_create(model, &(TccContextOptions){.threads = threads}, &context); }
static TccStatus *keep(void) { return tcc_model_keep(model) ? NULL : TCC_ERROR(TCC_NO_MEMORY, "not kept"); }

/* Runs the model with `rows` in place of each size that varies (of all, if it is negative); stride: between the elements of its inputs. */
static TccStatus *run_sized(int64_t rows, int64_t stride) {
  enum { MOST = 8 };
  static _Alignas(64) char zeros[1 << 22];
  TccTensor inputs[MOST], outputs[MOST] = {0};
  int64_t shapes[MOST][TCC_PLAN_MAX_RANK], strides[MOST][TCC_PLAN_MAX_RANK];
  size_t ninputs = tcc_model_input_count(model), noutputs = tcc_model_output_count(model);
  if (ninputs > MOST || noutputs > MOST) abort();
  for (size_t i = 0; i < ninputs; i++) {
    const TccPortInfo *port = tcc_model_input(model, i);
    int64_t step = stride;
    for (int axis = port->rank - 1; axis >= 0; axis--) {
      shapes[i][axis] = port->dims[axis] < 0 || rows < 0 ? rows : port->dims[axis];
      strides[i][axis] = step;
      step *= shapes[i][axis];
    }
    if (step * 8 > (int64_t)sizeof zeros) abort();
    inputs[i] = (TccTensor){.data = zeros,
                            .device = {TCC_DEVICE_CPU, 0},
                            .rank = port->rank,
                            .dtype = port->dtype,
                            .shape = shapes[i],
                            .strides = strides[i]};
  }
  if (block) ((float *)zeros)[0] = 1; /* one element of the input is not zero: a later stage has something */
  TccStatus *status = tcc_context_run(context, inputs, ninputs, outputs, noutputs);
  bool right = status || !block || (((float *)outputs[0].data)[1] == 16 && outputs[2].shape[1] == 1);
  return right ? status : TCC_ERROR(TCC_MISMATCH, "wrong result");
}
static TccStatus *run_some(void) { return run_sized(3, 1); }
static TccStatus *run_more(void) { return run_sized(5, 1); }
static TccStatus *run_strided(void) { return run_sized(3, 2); }
static TccStatus *run_wrong(void) { return run_sized(-1, 1); }

static void destroy_model(void) {
  tcc_model_destroy(model);
  model = NULL;
}
/* Without this file a cache does not know how much it holds: the next write lists its entries, of which make_entry makes one. */
static void forget_used(void) {
  static char name[4096];
  const char *cache = getenv("TCC_CACHE_DIR");
  snprintf(name, sizeof name, "%s/used", cache);
  unlink(name);
}
static void make_entry(void) {
  static const char *const parts[] = {"", "/model", "/model/00"};
  const char *cache = getenv("TCC_CACHE_DIR");
  char name[4096];
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    snprintf(name, sizeof name, "%s%s", cache, parts[i]);
    mkdir(name, 0700);
  }
  snprintf(name, sizeof name, "%s/model/00/entry", cache);
  int fd = open(name, O_WRONLY | O_CREAT, 0600);
  if (fd < 0) exit(1);
  close(fd);
}

static void destroy_uncounted(void) {
  destroy_model();
  forget_used();
}

/* A model is kept once: another one takes its place. */
static void unkeep(void) {
  char *entry = tcc_cache_path(model->packed.cache, "packed", tcc_text_str(&model->packed.key));
  if (!entry || unlink(entry) != 0) exit(1);
  free(entry);
  destroy_model();
  TccStatus *status = load_cached();
  if (status) exit(1);
}

static void destroy_context(void) {
  tcc_context_destroy(context);
  context = NULL;
}

/* ---- one call, again and again ---- */
typedef TccStatus *Call(void);
typedef struct {
  const char *name;
  Call *call;
  void (*undo)(void);
  TccCode expected; /* where there is memory */
  bool counts;      /* what is alive after call and undo is what was before */
} Case;

static TccCode code_of(TccStatus *status) {
  TccCode code = tcc_status_code(status);
  if (status && !*tcc_status_message(status)) code = TCC_INTERNAL;
  tcc_status_destroy(status);
  return code;
}

static void complain(const Case *c, long n, const char *what, TccCode code) {
  printf("failed: %s, allocation %ld%s: %s (%s)\n", c->name, n, all_behind ? " and all behind" : "", what, tcc_code_name(code));
  failures++;
}

/* The number of allocations that the call makes. */
static long fail_each(const Case *c) {
  long n = 0, most = 0;
  if (code_of(c->call()) != c->expected) complain(c, -1, "without a failure", TCC_INTERNAL);
  if (c->undo) c->undo();
  for (bool done = false; !done; n++) {
    long before = alive;
    seen = 0;
    fail_at = n;
    TccStatus *status = c->call();
    fail_at = -1;
    done = seen <= n;
    most = seen > most ? seen : most;
    TccCode code = code_of(status);
    dlerror(), dlerror(); /* the C library keeps the text of its last error until it is asked again */
    if (code != c->expected && (code != TCC_NO_MEMORY || done)) complain(c, n, "another answer", code);
    if (!code && c->undo) c->undo();
    if (code && (c->undo == destroy_model || c->undo == destroy_uncounted) && model)
      complain(c, n, "a model in spite of the error", code);
    if (code && c->undo == destroy_context && context) complain(c, n, "a context in spite of the error", code);
    if (c->counts && alive != before) complain(c, n, "blocks are left", code);
    code = code_of(c->call());
    if (code != c->expected) complain(c, n, "the next call does not work", code);
    if (c->undo) c->undo();
  }
  return most;
}

static void fail_both(const Case *c, bool allocates) {
  all_behind = false;
  long count = fail_each(c);
  all_behind = true;
  fail_each(c);
  if ((count > 0) != allocates) complain(c, count, "so many allocations", TCC_INTERNAL);
}

static void must(Call *call) {
  TccStatus *status = call();
  if (!status) return;
  printf("failed: %s\n", tcc_status_message(status));
  exit(1);
}

/* Runs of a new context for each failure, since one remembers the sizes that it ran. */
static TccStatus *first_run(void) {
  TccStatus *status = create_context();
  if (!status) status = run_some();
  if (!status) status = run_more();
  if (!status) status = run_strided();
  destroy_context();
  return status;
}

static void test_model(void) {
  for (threads = 1; threads <= 3; threads += 2) {
    const Case contexts[] = {{"create a context", create_context, destroy_context, TCC_OK, threads == 1},
                             {"the first runs", first_run, NULL, TCC_OK, threads == 1}};
    for (size_t i = 0; i < sizeof contexts / sizeof *contexts; i++) fail_both(&contexts[i], true);
    must(create_context);
    must(run_some);
    must(run_strided);
    fail_both(&(Case){"a run of sizes seen before", run_some, NULL, TCC_OK, true}, false);
    fail_both(&(Case){"a run of wrong sizes", run_wrong, NULL, TCC_INVALID, true}, true);
    fail_both(&(Case){"a run of sizes seen before", run_some, NULL, TCC_OK, true}, false);
    destroy_context();
  }
}

static void test_plan(void) {
  size_t bytes;
  block = make_plan(&bytes);
  fail_both(&(Case){"make a model", create_model, destroy_model, TCC_OK, true}, true);
  must(create_model);
  test_model();
  destroy_model();
  free(block);
}

static void read_file(void) {
  FILE *file = fopen(path, "rb");
  if (!file) exit(1);
  file_bytes = malloc(1 << 22);
  file_length = fread(file_bytes, 1, 1 << 22, file);
  fclose(file);
}

static void test_artifact(void) {
  read_file();
  fail_both(&(Case){"load", load, destroy_model, TCC_OK, true}, true);
  fail_both(&(Case){"load from memory", load_memory, destroy_model, TCC_OK, true}, true);
  fail_both(&(Case){"load what is not there", load_missing, NULL, TCC_NOT_FOUND, true}, true);
  fail_both(&(Case){"load what is no artifact", load_stranger, NULL, TCC_INVALID, true}, true);
  fail_both(&(Case){"make a key", make_key, NULL, TCC_OK, true}, true);
  make_entry();
  fail_both(&(Case){"load without an entry", load_cached, destroy_uncounted, TCC_OK, true}, true);
  must(load_cached);
  test_model();
  if (tcc_model_info(model)->packed_mapped) complain(&(Case){.name = "load"}, 0, "mapped before it is kept", TCC_OK);
  fail_both(&(Case){"keep", keep, unkeep, TCC_OK, true}, true);
  must(keep);
  destroy_model();
  fail_both(&(Case){"load with an entry", load_cached, destroy_model, TCC_OK, true}, true);
  must(load_cached);
  if (!tcc_model_info(model)->packed_mapped) complain(&(Case){.name = "load"}, 0, "not mapped", TCC_OK);
  test_model();
  destroy_model();
  free(file_bytes);
}

int main(int argc, char **argv) {
  path = argc > 1 ? argv[1] : NULL;
  if (path) test_artifact();
  else test_plan();
  return failures != 0;
}
#endif

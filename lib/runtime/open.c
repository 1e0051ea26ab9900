/* open.c - from a path to a loaded model: an artifact as it is, a model by way of the compile cache.
 *
 * A hit costs a digest of the model file and the load of the artifact; the compiler library (MLIR and LLVM) is loaded on a
 * miss only. Inputs that decide shapes are compiled in: the cache first answers which inputs those are for this model
 * (kind "inputs"), then their values are parts of the key of the artifact. Weight files beside the model are not hashed: a
 * change of weights recompiles nothing, and their sizes are checked when they are bound. */
#include "internal.h"
#include "tcc/cache.h"
#include "tcc/clock.h"
#include "tcc/compile.h"
#include "tcc/tune.h"
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

TccStatus *tcc_compile_key(const char *model, const TccCompileOptions *options, TccText *key) {
  TccFileMap map;
  TCC_TRY(tcc_file_map(model, &map));
  char digest[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_hex(map.data, map.length, digest);
  tcc_file_unmap(&map);
  const char *slash = strrchr(model, '/');
  tcc_text_printf(key, "model: %s %s\n", slash ? slash + 1 : model, digest); /* the name: weights refer to it */
  tcc_text_printf(key, "options: target %s, mode %s, numerics %s, regions %s\n", options->target ? options->target : "x86",
                  options->mode ? options->mode : "default", options->numerics ? options->numerics : "fast",
                  options->no_dedup ? "off" : "on");
  for (size_t i = 0; i < options->ndims; i++)
    tcc_text_printf(key, "size: %s %lld\n", options->dims[i].name, (long long)options->dims[i].size);
  tcc_records_key(key);
  tcc_cache_key_machine(key);
  tcc_cache_key_build(key);
  return NULL;
}

/* Adds the values of the inputs that were compiled in, listed as "K NAME" one a line; false if one is not given. */
static bool add_inputs(const TccCompileOptions *options, TccStr names, TccText *key) {
  while (names.length) {
    const char *end = memchr(names.data, '\n', names.length);
    TccStr line = {names.data, end ? (size_t)(end - names.data) : names.length};
    names.data += line.length + (end != NULL);
    names.length -= line.length + (end != NULL);
    const char *space = memchr(line.data, ' ', line.length);
    if (!space) return false;
    TccStr number = {line.data, (size_t)(space - line.data)}, name = {space + 1, line.length - number.length - 1};
    const TccHostTensor *tensor = NULL;
    for (size_t i = 0; i < options->ninputs && !tensor; i++) {
      const char *given = options->inputs[i].name;
      if (tcc_str_is(name, given) || (given[0] == '#' && tcc_str_is(number, given + 1))) tensor = options->inputs[i].tensor;
    }
    if (!tensor) return false;
    char digest[2 * TCC_DIGEST_BYTES + 1];
    tcc_digest_hex(tensor->data, tensor->bytes, digest);
    tcc_text_printf(key, "input: %.*s %s", TCC_STR_ARG(name), digest);
    for (int axis = 0; axis < tensor->rank; axis++) tcc_text_printf(key, " %lld", (long long)tensor->dims[axis]);
    tcc_text_printf(key, "\n");
  }
  return true;
}

typedef TccStatus *CompileFunction(const char *, const TccCompileOptions *, TccCompileResult *);
typedef void DestroyFunction(TccCompileResult *);

static TccStatus *load_compiler(CompileFunction **out_compile, DestroyFunction **out_destroy) {
  char *folder = tcc_library_dir();
  TccText path = {0};
  tcc_text_printf(&path, "%s/libtcccompiler-static.so", folder ? folder : "."); /* an option of the build */
  if (access(path.data, R_OK) != 0) {
    tcc_text_clear(&path);
    tcc_text_printf(&path, "%s/libtcccompiler.so", folder ? folder : ".");
  }
  free(folder);
  TccStatus *status = NULL;
  /* Lazy: binding the 40,000 functions that MLIR and LLVM call of each other at once takes longer than most compilations.
   * It stays loaded: LLVM does not unload cleanly. */
  void *handle = dlopen(path.data, RTLD_LAZY | RTLD_LOCAL);
  void *compile = handle ? dlsym(handle, "tcc_compile") : NULL,
       *destroy = handle ? dlsym(handle, "tcc_compile_result_destroy") : NULL;
  if (!compile || !destroy) status = TCC_ERROR(TCC_NOT_FOUND, "the compiler cannot be loaded: %s", dlerror());
  memcpy(out_compile, &compile, sizeof compile);
  memcpy(out_destroy, &destroy, sizeof destroy);
  tcc_text_destroy(&path);
  return status;
}

/* Lets go of the pages of code and constants: clean pages of files, which whoever needs them again gets again. The compiler's
 * are 55 MB, which would be in memory beside the weights. */
static int drop_constants(struct dl_phdr_info *object, size_t bytes, void *user) {
  enum { LARGE = 1 << 20 };
  (void)bytes, (void)user;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (size_t i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W || segment->p_memsz < LARGE) continue;
    uintptr_t begin = (object->dlpi_addr + segment->p_vaddr + page - 1) & ~(page - 1);
    uintptr_t end = (object->dlpi_addr + segment->p_vaddr + segment->p_memsz) & ~(page - 1);
    if (begin < end) madvise((void *)begin, end - begin, MADV_DONTNEED); /* advice: no error matters */
  }
  return 0;
}

void tcc_compiler_preload(void) {
  CompileFunction *compile;
  DestroyFunction *destroy;
  tcc_status_destroy(load_compiler(&compile, &destroy)); /* a failure shows when a model is compiled */
}

/* Names of the inputs that the artifact has values of. */
static void put_pinned(const TccModel *model, TccText *names) {
  const TccPlanHeader *plan = model->plan;
  const TccPlanPinned *pinned = tcc_plan_at(plan, plan->pinned);
  tcc_text_put(names, "", 0);
  for (size_t i = 0; i < plan->pinned.count; i++)
    tcc_text_printf(names, "%u %s\n", pinned[i].input, model->inputs[pinned[i].input].name);
}

static void add_sizes(const TccCompileOptions *options, TccText *key) {
  for (size_t i = 0; i < options->ninputs; i++) {
    tcc_text_printf(key, "sizes: %s", options->inputs[i].name);
    for (int axis = 0; axis < options->inputs[i].tensor->rank; axis++)
      tcc_text_printf(key, " %lld", (long long)options->inputs[i].tensor->dims[axis]);
    tcc_text_printf(key, "\n");
  }
}

/* *key: under which the artifact was looked for; measuring changes what it will be found under. */
static TccStatus *compile_model(const char *path, const TccCompileOptions *options, const TccLoadOptions *load,
                                const TccCache *cache, bool sized, TccText *key, TccModel **out, TccOpenReport *report) {
  CompileFunction *compile = NULL;
  DestroyFunction *destroy = NULL;
  double start = tcc_now_ms();
  TCC_TRY(load_compiler(&compile, &destroy));
  report->compiled = true;
  dl_iterate_phdr(drop_constants, NULL); /* relocations: read once */
  report->phases[report->nphases++] = (TccPhase){"load compiler", tcc_now_ms() - start};
  TccCompileResult result;
  TccText names = {0}, full = {0};
  TccStatus *status = compile(path, options, &result);
  report->import_ms = result.import_ms;
  report->compile_ms = result.compile_ms + report->phases[0].ms;
  report->cache_hits += result.cache_hits;
  report->cache_misses += result.cache_misses;
  size_t room = sizeof report->phases / sizeof *report->phases;
  for (size_t i = 0; i < result.nphases && report->nphases < room; i++) {
    const char *name = result.phases[i].name; /* outlives the result: the report's user frees nothing */
    char *copy = strdup(name);
    if (copy) report->phases[report->nphases++] = (TccPhase){copy, result.phases[i].ms};
  }
  if (status) goto done;
  if (options->mode && strcmp(options->mode, "max-autotune") == 0) {
    tcc_text_clear(key);
    TCC_GOTO(tcc_compile_key(path, options, key));
    if (sized) add_sizes(options, key);
  }
  double begin = tcc_now_ms();
  dl_iterate_phdr(drop_constants, NULL);
  malloc_trim(0);
  TCC_GOTO(tcc_model_load_memory(result.artifact.data, result.artifact.length, load, out));
  report->load_ms = tcc_now_ms() - begin;
  put_pinned(*out, &names);
  tcc_text_put(&full, key->data, key->length);
  if (add_inputs(options, tcc_text_str(&names), &full)) {
    tcc_cache_write(cache, "inputs", tcc_text_str(key), tcc_text_str(&names));
    tcc_cache_write_sealed(cache, "model", tcc_text_str(&full), tcc_text_str(&result.artifact));
  }
done:
  destroy(&result);
  tcc_text_destroy(&names);
  tcc_text_destroy(&full);
  return status;
}

/* The artifact of this key, if the cache has one that loads. */
static bool load_cached(const TccCompileOptions *options, const TccLoadOptions *load, const TccCache *cache, TccStr key,
                        TccModel **out, TccText *explain) {
  TccText names = {0}, full = {0};
  bool known = tcc_cache_read(cache, "inputs", key, &names);
  tcc_text_put(&names, "", 0);
  tcc_text_put(&full, key.data, key.length);
  known = known && add_inputs(options, tcc_text_str(&names), &full);
  char *path = known ? tcc_cache_path(cache, "model", tcc_text_str(&full)) : NULL;
  TccStatus *status = path ? tcc_model_load(path, load, out) : NULL;
  bool damaged = status && (tcc_status_code(status) == TCC_INVALID || tcc_status_code(status) == TCC_INCOMPATIBLE);
  if (damaged) tcc_cache_reject(cache, path, tcc_status_message(status));
  if (explain && path) tcc_text_printf(explain, "model: %s %s\n", status ? "miss" : "hit", path);
  else if (explain) tcc_text_printf(explain, "model: miss\n");
  bool loaded = path && !status;
  tcc_status_destroy(status);
  free(path);
  tcc_text_destroy(&names);
  tcc_text_destroy(&full);
  return loaded;
}

/* Whether the inputs that are known have the sizes that the model was compiled for. An importer may have taken sizes from
 * them (a loop unrolled over an axis): then the cache has an artifact of this model for other sizes. */
static bool fits(const TccModel *model, const TccCompileOptions *options) {
  for (size_t i = 0; i < options->ninputs; i++) {
    const TccHostTensor *tensor = options->inputs[i].tensor;
    const char *name = options->inputs[i].name;
    for (size_t k = 0; k < model->graph.input_count; k++) {
      const TccPortInfo *port = &model->inputs[k];
      bool same = name[0] == '#' ? strtoul(name + 1, NULL, 10) == k : strcmp(name, port->name) == 0;
      if (same && tensor->rank != port->rank) return false;
      for (int axis = 0; same && axis < tensor->rank; axis++)
        if (port->dims[axis] >= 0 && port->dims[axis] != tensor->dims[axis]) return false;
    }
  }
  return true;
}

static bool is_artifact(const char *path) {
  TccFileMap map;
  TccStatus *status = tcc_file_map(path, &map);
  bool yes = !status && map.length > 4 && memcmp(map.data, "\177ELF", 4) == 0;
  tcc_status_destroy(status);
  tcc_file_unmap(&map);
  return yes;
}

TccStatus *tcc_model_open(const char *path, const TccCompileOptions *options, const TccLoadOptions *load, TccModel **out,
                          TccOpenReport *report, TccText *explain) {
  *out = NULL;
  *report = (TccOpenReport){0};
  double start = tcc_now_ms();
  if (is_artifact(path)) {
    TccStatus *status = tcc_model_load(path, load, out);
    report->artifact = true;
    report->load_ms = tcc_now_ms() - start;
    return status;
  }
  TccLoadOptions with_folder = load ? *load : (TccLoadOptions){0};
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  if (!with_folder.weights_dir) with_folder.weights_dir = folder;
  TccText key = {0};
  TccCache *cache = tcc_cache_open(!options->no_cache);
  TccStatus *status = tcc_compile_key(path, options, &key);
  if (!status && explain) tcc_cache_explain(cache, path, tcc_text_str(&key), explain);
  if (!status) {
    bool loaded = load_cached(options, &with_folder, cache, tcc_text_str(&key), out, explain), sized = false;
    if (loaded && !fits(*out, options)) {
      tcc_model_destroy(*out);
      *out = NULL;
      add_sizes(options, &key);
      sized = true;
      loaded = load_cached(options, &with_folder, cache, tcc_text_str(&key), out, explain);
    }
    if (loaded) {
      report->cache_hits++;
      report->load_ms = tcc_now_ms() - start;
      report->phases[report->nphases++] = (TccPhase){"load", report->load_ms};
    } else {
      report->cache_misses++;
      status = compile_model(path, options, &with_folder, cache, sized, &key, out, report);
      if (!status) tcc_cache_remember(cache, path, tcc_text_str(&key));
    }
  }
  tcc_cache_close(cache);
  tcc_text_destroy(&key);
  free(folder);
  return status;
}

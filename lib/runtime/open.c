/* open.c - from a path to a loaded model: an artifact as it is, a model by way of the compile cache.
 *
 * A hit costs the key (compile_key.c: a digest of the model but for its weights) and the load of the artifact; the compiler library (MLIR and
 * LLVM) is loaded on a miss only. An artifact is stored under the key of the bytes that it was made of, which the compiler gives with it. */
#include "internal.h"
#include "tcc/cache.h"
#include "tcc/clock.h"
#include "tcc/compile.h"
#include "tcc/wire.h"
#include <dlfcn.h>
#include <link.h>
#include <malloc.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

static TccStatus *find_function(void *library, const char *name, void *out) {
  void *function = dlsym(library, name);
  memcpy(out, &function, sizeof function); /* ISO C has no cast from data to function pointers */
  return function ? NULL : TCC_ERROR(TCC_NOT_FOUND, "the compiler cannot be loaded: %s", dlerror());
}

TccStatus *tcc_compiler_load(TccCompiler *out) {
  *out = (TccCompiler){0};
  char *folder = tcc_library_dir();
  if (!folder) return TCC_ERROR_NO_MEMORY();
  TccText path = {0};
  tcc_text_printf(&path, "%s/libtcccompiler-static.so", folder); /* an option of the build */
  if (!path.failed && access(path.data, R_OK) != 0) {
    tcc_text_clear(&path);
    tcc_text_printf(&path, "%s/libtcccompiler.so", folder);
  }
  free(folder);
  TccStatus *status = tcc_text_status(&path);
  /* Lazy: binding the 40,000 functions that MLIR and LLVM call of each other at once takes longer than most compilations.
   * It stays loaded: LLVM does not unload cleanly. */
  void *library = status ? NULL : dlopen(path.data, RTLD_LAZY | RTLD_LOCAL);
  tcc_text_destroy(&path);
  TCC_TRY(status);
  if (!library) return TCC_ERROR(TCC_NOT_FOUND, "the compiler cannot be loaded: %s", dlerror());
  TCC_TRY(find_function(library, "tcc_compile", &out->compile));
  TCC_TRY(find_function(library, "tcc_compile_memory", &out->compile_memory));
  TCC_TRY(find_function(library, "tcc_compile_result_destroy", &out->compile_result_destroy));
  TCC_TRY(find_function(library, "tcc_module_specialise", &out->module_specialise));
  return find_function(library, "tcc_module_interpret", &out->module_interpret);
}

/* Lets go of the pages of the compiler's code and constants: clean pages of a file, which whoever needs them again gets again. They
 * are 55 MB, which would be in memory beside the weights. Other libraries of the process are left alone. inside: an address in it. */
static int drop_constants(struct dl_phdr_info *object, size_t bytes, void *inside) {
  enum { LARGE = 1 << 20 };
  (void)bytes;
  bool found = false;
  for (size_t i = 0; i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    found |= segment->p_type == PT_LOAD && (uintptr_t)inside - (object->dlpi_addr + segment->p_vaddr) < segment->p_memsz;
  }
  for (size_t i = 0; found && i < object->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD || segment->p_flags & PF_W || segment->p_memsz < LARGE) continue;
    tcc_file_drop_pages((const void *)(object->dlpi_addr + segment->p_vaddr), segment->p_memsz);
  }
  return found;
}

static void drop_compiler(const TccCompiler *compiler) {
  void *inside;
  memcpy(&inside, &compiler->compile, sizeof inside);
  dl_iterate_phdr(drop_constants, inside);
}

void tcc_compiler_preload(void) {
  TccCompiler compiler;
  tcc_status_destroy(tcc_compiler_load(&compiler)); /* a failure shows when a model is compiled */
}

/* ---- by way of the cache ---- */
typedef struct {
  const char *path;
  TccStr bytes; /* of a model in memory, whose name `path` is; else data is NULL */
  const TccCompileOptions *options;
  TccLoadOptions load;
  TccCache *cache;
  TccText key;    /* the first level: under which the artifact is looked for */
  bool sized;     /* sizes of inputs are in it */
  TccWatch watch; /* the files that the key was made of */
  TccOpenReport *report;
  TccText *explain;
} Opening;

/* Under the key of what was compiled, which need not be what it was looked for under: the file may have been replaced meanwhile. */
static void store(const Opening *o, const TccModel *model, const TccCompileResult *result) {
  const TccPlanHeader *plan = model->plan;
  const TccPlanSpecialised *specialised = tcc_plan_at(plan, plan->specialised);
  TccText list = {0}, full = {0};
  tcc_text_put(&list, "", 0);
  for (size_t i = 0; i < plan->specialised.count; i++)
    tcc_text_printf(&list, "input %u %s\n", specialised[i].input, model->inputs[specialised[i].input].name);
  tcc_text_put(&full, o->key.data, o->key.length);
  bool whole = tcc_key_put_parts(o->path, o->options, tcc_text_str(&list), NULL, &full);
  for (size_t i = 0; i < result->nreads; i++) {
    const TccCompiledRead *read = &result->reads[i];
    tcc_text_printf(&list, "read %llu %llu %s\n", (unsigned long long)read->offset, (unsigned long long)read->length, read->file);
    tcc_key_put_read(tcc_str(read->file), read->offset, read->length, read->digest, &full);
  }
  if (whole && !list.failed && !full.failed) {
    tcc_cache_write(o->cache, "inputs", tcc_text_str(&o->key), tcc_text_str(&list));
    tcc_cache_write(o->cache, "model", tcc_text_str(&full), tcc_text_str(&result->artifact));
  }
  tcc_text_destroy(&list);
  tcc_text_destroy(&full);
}

static TccStatus *copy_phases(const TccCompileResult *result, TccOpenReport *report) {
  size_t room = sizeof report->phases / sizeof *report->phases;
  report->arena = tcc_arena_create();
  for (size_t i = 0; i < result->nphases && report->nphases < room; i++) {
    const char *name = tcc_arena_copy(report->arena, result->phases[i].name, strlen(result->phases[i].name));
    if (!name) return TCC_ERROR_NO_MEMORY();
    report->phases[report->nphases++] = (TccPhase){name, result->phases[i].ms};
  }
  return NULL;
}

void tcc_open_report_destroy(TccOpenReport *report) {
  tcc_arena_destroy(report->arena);
  *report = (TccOpenReport){0};
}

static TccStatus *compile_model(Opening *o, TccModel **out) {
  TccCompiler compiler;
  TccOpenReport *report = o->report;
  double start = tcc_now_ms();
  TCC_TRY(tcc_compiler_load(&compiler));
  report->compiled = true;
  drop_compiler(&compiler); /* relocations: read once */
  report->phases[report->nphases++] = (TccPhase){"load compiler", tcc_now_ms() - start};
  TccCompileResult result;
  TccStatus *status = o->bytes.data ? compiler.compile_memory(o->path, o->bytes, o->options, &result)
                                    : compiler.compile(o->path, o->options, &result);
  report->import_ms = result.import_ms;
  report->compile_ms = result.compile_ms + report->phases[0].ms;
  report->cache_hits += result.cache_hits;
  report->cache_misses += result.cache_misses;
  if (status) goto done;
  TCC_GOTO(copy_phases(&result, report));
  tcc_text_clear(&o->key);
  tcc_key_put(o->path, result.model_digest, o->options, &o->key); /* measuring changes it, and who replaces the model */
  if (o->sized) tcc_key_put_sizes(o->options, &o->key);
  TCC_GOTO(tcc_text_status(&o->key));
  double begin = tcc_now_ms();
  drop_compiler(&compiler);
  malloc_trim(0);
  TccLoadOptions load = o->load;
  load.verify = TCC_VERIFY_LAYOUT; /* it was compiled of these files */
  TCC_GOTO(tcc_model_load_compiled(o->path, result.artifact.data, result.artifact.length, false, &load, out));
  report->load_ms = tcc_now_ms() - begin;
  store(o, *out, &result);
done:
  compiler.compile_result_destroy(&result);
  return status;
}

TccStatus *tcc_artifact_of_memory(const char *name, TccStr bytes, const TccCompileOptions *options, TccText *out) {
  TccCompiler compiler;
  *out = (TccText){0};
  TCC_TRY(tcc_compiler_load(&compiler));
  TccCompileResult result;
  TccStatus *status = compiler.compile_memory(name, bytes, options, &result);
  if (!status) tcc_text_put(out, result.artifact.data, result.artifact.length);
  compiler.compile_result_destroy(&result);
  return status ? status : tcc_text_status(out);
}

/* The artifact of this key, if the cache has one that loads. TCC_MISMATCH: it has one, and the weights are not its own. */
static TccStatus *load_cached(Opening *o, TccModel **out) {
  TccText list = {0}, full = {0}, bytes = {0};
  bool known = tcc_cache_read(o->cache, "inputs", tcc_text_str(&o->key), &list);
  tcc_text_put(&full, o->key.data, o->key.length);
  known = known && !list.failed && tcc_key_put_parts(o->path, o->options, tcc_text_str(&list), &o->watch, &full) && !full.failed;
  known = known && tcc_cache_read(o->cache, "model", tcc_text_str(&full), &bytes);
  char *path = known ? tcc_cache_path(o->cache, "model", tcc_text_str(&full)) : NULL;
  TccLoadOptions load = o->load;
  load.verify = TCC_VERIFY_NONE; /* the key is made of them */
  TccStatus *status = path ? tcc_model_load_compiled(o->path, bytes.data, bytes.length, true, &load, out) : NULL;
  bool damaged = status && (tcc_status_code(status) == TCC_INVALID || tcc_status_code(status) == TCC_INCOMPATIBLE);
  if (damaged) tcc_cache_reject(o->cache, path, tcc_status_message(status));
  if (o->explain && path) tcc_text_printf(o->explain, "model: %s %s\n", status ? "miss" : "hit", path);
  else if (o->explain) tcc_text_printf(o->explain, "model: miss\n");
  if (status && tcc_status_code(status) != TCC_MISMATCH) {
    tcc_status_destroy(status);
    status = NULL;
  }
  free(path);
  tcc_text_destroy(&bytes);
  tcc_text_destroy(&list);
  tcc_text_destroy(&full);
  return status;
}

/* Whether the inputs that are known are the model's, and have the sizes that it was compiled for. An importer may have taken sizes from
 * them (a loop unrolled over an axis): then the cache has an artifact of this model for other sizes. Of a name that the model does not have
 * the compilation says what there is. */
static bool fits(const TccModel *model, const TccCompileOptions *options) {
  for (size_t i = 0; i < options->ninputs; i++) {
    const TccHostTensor *tensor = options->inputs[i].tensor;
    const char *name = options->inputs[i].name;
    bool found = name[0] == '#';
    for (size_t k = 0; k < tcc_model_input_count(model); k++) {
      const TccPortInfo *port = &model->inputs[k];
      bool same = name[0] == '#' ? strtoul(name + 1, NULL, 10) == k : strcmp(name, port->name) == 0;
      found |= same;
      if (same && tensor->rank != port->rank) return false;
      for (int axis = 0; same && axis < tensor->rank; axis++)
        if (port->dims[axis] >= 0 && port->dims[axis] != tensor->dims[axis]) return false;
    }
    if (!found) return false;
  }
  return true;
}

bool tcc_is_artifact(const char *path) {
  TccFileMap map;
  TccStatus *status = tcc_file_map(path, &map);
  bool yes = !status && map.length > 4 && memcmp(map.data, "\177ELF", 4) == 0;
  tcc_status_destroy(status);
  tcc_file_unmap(&map);
  return yes;
}

static TccStatus *put_key(Opening *o) {
  if (!o->bytes.data) return tcc_compile_key(o->path, o->options, &o->key);
  uint8_t digest[TCC_DIGEST_BYTES];
  TCC_TRY(tcc_wire_digest(o->path, o->bytes, digest));
  tcc_key_put(o->path, digest, o->options, &o->key);
  return tcc_text_status(&o->key);
}

static TccStatus *open_once(Opening *o, TccModel **out) {
  double start = tcc_now_ms();
  if (!o->bytes.data) tcc_watch_add(&o->watch, o->path);
  TCC_TRY(put_key(o));
  if (o->explain && !o->bytes.data) tcc_cache_explain(o->cache, o->path, tcc_text_str(&o->key), o->explain);
  TCC_TRY(load_cached(o, out));
  if (*out && !fits(*out, o->options)) {
    tcc_model_destroy(*out);
    *out = NULL;
    tcc_key_put_sizes(o->options, &o->key);
    o->sized = true;
    TCC_TRY(tcc_text_status(&o->key));
    TCC_TRY(load_cached(o, out));
  }
  if (*out) {
    o->report->cache_hits++;
    o->report->load_ms = tcc_now_ms() - start;
    o->report->phases[o->report->nphases++] = (TccPhase){"load", o->report->load_ms};
    return NULL;
  }
  o->report->cache_misses++;
  TCC_TRY(compile_model(o, out));
  if (!o->bytes.data) tcc_cache_remember(o->cache, o->path, tcc_text_str(&o->key));
  return NULL;
}

/* Key, code and weights come from files that are opened one after the other: what was replaced or written to in between is opened again. */
static TccStatus *open_model(Opening *o, TccModel **out) {
  enum { MOST_TRIES = 4 };
  TccStatus *status = NULL;
  for (int tries = 1;; tries++) {
    status = open_once(o, out);
    bool changed = false;
    TccStatus *unknown = tcc_watch_check(&o->watch, &changed);
    tcc_watch_destroy(&o->watch);
    o->watch = (TccWatch){0};
    if (!unknown && !changed) return status;
    tcc_status_destroy(status);
    tcc_model_destroy(*out);
    *out = NULL;
    if (unknown) return unknown;
    if (tries == MOST_TRIES) return TCC_ERROR(TCC_IO, "%s: it is being written to while it is read", o->path);
    tcc_text_clear(&o->key);
    o->sized = false;
    tcc_open_report_destroy(o->report);
  }
}

static TccStatus *open_source(const char *path, TccStr bytes, const TccCompileOptions *options, const TccLoadOptions *load,
                              TccModel **out, TccOpenReport *report, TccText *explain) {
  TccCompileOptions compile = *options;
  Opening o = {.path = path,
               .bytes = bytes,
               .options = &compile,
               .load = load ? *load : (TccLoadOptions){0},
               .report = report,
               .explain = explain};
  const char *slash = strrchr(path, '/');
  char *folder = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
  if (!folder) return TCC_ERROR_NO_MEMORY();
  compile.weights_dir = o.load.weights_dir;
  if (!o.load.weights_dir) o.load.weights_dir = folder;
  o.cache = tcc_cache_open(!options->no_cache);
  TccStatus *status = open_model(&o, out);
  tcc_cache_close(o.cache);
  tcc_text_destroy(&o.key);
  free(folder);
  return status;
}

TccStatus *tcc_model_open(const char *path, const TccCompileOptions *options, const TccLoadOptions *load, TccModel **out,
                          TccOpenReport *report, TccText *explain) {
  *out = NULL;
  *report = (TccOpenReport){0};
  double start = tcc_now_ms();
  const bool artifact = tcc_is_artifact(path);
  if (artifact && options->weights)
    return TCC_ERROR(TCC_UNSUPPORTED, "%s is compiled, and %s has weights for a model: compile it with them", path,
                     options->weights);
  if (!artifact) return open_source(path, (TccStr){0}, options, load, out, report, explain);
  TccStatus *status = tcc_model_load(path, load, out);
  report->artifact = true;
  report->load_ms = tcc_now_ms() - start;
  return status;
}

TccStatus *tcc_model_open_memory(const char *name, TccStr bytes, const TccCompileOptions *options, const TccLoadOptions *load,
                                 TccModel **out, TccOpenReport *report, TccText *explain) {
  *out = NULL;
  *report = (TccOpenReport){0};
  if (!bytes.data) bytes.data = "";
  return open_source(name, bytes, options, load, out, report, explain);
}

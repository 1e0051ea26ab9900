/* upstream_loaded.c - upstream.h by libtccupstream.so, which stands beside the run-time's library and is loaded when a kernel asks. */
#include "lib/upstream/upstream.h"
#include "tcc/cache.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static TccStatus *(*lower)(TccStr text, const char *pipeline, TccText *out);
static TccStatus *(*bitcode)(TccStr text, TccText *out);
static char reason[512]; /* why it is not loaded */

static void find(void *library, const char *name, void *out) {
  void *function = dlsym(library, name);
  memcpy(out, &function, sizeof function); /* ISO C has no cast from data to function pointers */
}

/* It stays loaded: LLVM does not unload cleanly. */
static void load(void) {
  char *folder = tcc_library_dir();
  TccText path = {0};
  tcc_text_printf(&path, "%s/libtccupstream.so", folder ? folder : ".");
  void *library = path.failed ? NULL : dlopen(path.data, RTLD_LAZY | RTLD_LOCAL);
  const char *error = library ? NULL : path.failed ? "out of memory" : dlerror();
  if (library) find(library, "tcc_upstream_lower", &lower), find(library, "tcc_upstream_bitcode", &bitcode);
  if (!error && (!lower || !bitcode)) error = "libtccupstream.so is of another version";
  if (error) snprintf(reason, sizeof reason, "%s", error);
  tcc_text_destroy(&path);
  free(folder);
}

static TccStatus *need(void) {
  pthread_once(&once, load);
  return *reason ? TCC_ERROR(TCC_NOT_FOUND, "MLIR's passes cannot be loaded: %s", reason) : NULL;
}

TccStatus *tcc_upstream_lower(TccStr text, const char *pipeline, TccText *out) {
  TCC_TRY(need());
  return lower(text, pipeline, out);
}

TccStatus *tcc_upstream_bitcode(TccStr text, TccText *out) {
  TCC_TRY(need());
  return bitcode(text, out);
}

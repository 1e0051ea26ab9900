/* library.c - libraries of formats, loaded when an image of the format is seen: libtccrt needs none of them itself. */
#include "lib/image/format.h"
#include <dlfcn.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* A library that lacks a function is as good as none. */
static bool load(ImageLibrary *library) {
  void *handle = dlopen(library->file, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
  for (size_t i = 0; i < library->count; i++) {
    void *address = dlsym(handle, library->functions[i].name);
    if (!address) {
      dlclose(handle);
      return false;
    }
    memcpy(library->functions[i].pointer, &address, sizeof address); /* ISO C has no cast from data to function pointers */
  }
  return true;
}

bool tcc_image_library_load(ImageLibrary *library) {
  pthread_mutex_lock(&lock);
  if (!library->loaded) library->loaded = load(library);
  bool loaded = library->loaded;
  pthread_mutex_unlock(&lock);
  return loaded;
}

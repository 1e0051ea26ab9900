/* compile.c - the compiler's entries: the steps of lib/compile, with the tuner for mode max-autotune. */
#include "tcc/tuner.h"

TccStatus *tcc_compile(const char *model, const TccCompileOptions *options, TccCompileResult *out) {
  return tcc_compile_with(model, (TccStr){0}, options, tcc_tune_module, out);
}

TccStatus *tcc_compile_memory(const char *name, TccStr bytes, const TccCompileOptions *options, TccCompileResult *out) {
  if (!bytes.data) bytes.data = "";
  return tcc_compile_with(name, bytes, options, tcc_tune_module, out);
}

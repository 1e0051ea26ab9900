/* kinds.c - the table of kernel kinds. */
#include "tcc/kinds.h"

enum { EMITTED, RUNTIME };
enum { SOME, WHOLE };
enum { APART, JOIN };

static const struct {
  const char *name;
  bool builtin, whole, joined;
} kinds[] = {
    [TCC_KERNEL_NONE] = {"", false, false, false},
#define TCC_KERNEL(SYM, name, code, reads, readers) [TCC_KERNEL_##SYM] = {name, code == RUNTIME, reads == WHOLE, readers == JOIN},
#include "tcc/kinds.def"
};

static const char *const builtins[] = {
#define TCC_BUILTIN(SYM, name, function) name,
#include "tcc/kinds.def"
};

TccKernelKind tcc_kernel_kind_named(TccStr name) {
  for (TccKernelKind kind = TCC_KERNEL_NONE + 1; kind < TCC_KERNEL_COUNT; kind++)
    if (tcc_str_is(name, kinds[kind].name)) return kind;
  return TCC_KERNEL_NONE;
}

const char *tcc_kernel_kind_name(TccKernelKind kind) { return kinds[kind].name; }
bool tcc_kernel_is_builtin(TccKernelKind kind) { return kinds[kind].builtin; }
bool tcc_kernel_reads_whole(TccKernelKind kind) { return kinds[kind].whole; }
bool tcc_kernel_takes_readers(TccKernelKind kind) { return kinds[kind].joined; }

TccBuiltin tcc_builtin_named(const char *name) {
  TccBuiltin builtin = 0;
  while (builtin < TCC_BUILTIN_COUNT && strcmp(name, builtins[builtin]) != 0) builtin++;
  return builtin;
}

const char *tcc_builtin_name(TccBuiltin builtin) { return builtins[builtin]; }

/* record_key.c - see record_key.h. */
#include "tcc/record_key.h"
#include "tcc/cache.h"
#include "tcc/digest.h"
#include "tcc/target.h"
#include <pthread.h>
#include <stdio.h>

/* Asking the CPU traps where it is a virtual one, tenths of a millisecond in all: once for a process. */
static char machine[512];
static pthread_once_t machine_once = PTHREAD_ONCE_INIT;

static void read_machine(void) {
  TccText text = {0};
  tcc_cache_key_machine(&text);
  tcc_text_put(&text, "", 0);            /* ends where the key has failed */
  size_t from = text.length > 9 ? 9 : 0; /* "machine: NAME\n" */
  snprintf(machine, sizeof machine, "%.*s", (int)(text.length - from - 1), text.data + from);
  tcc_text_destroy(&text);
}

TccRecordKey tcc_record_key(TccIr *ir, const TccTargetInfo *target, const TccTunable *tunable, MlirOperation kernel,
                            unsigned threads) {
  static const char *const own[] = {"tcc.schedule", "tcc.variants"};
  char digest[2 * TCC_DIGEST_BYTES + 1];
  TccText text = {0};
  MlirOperation copy = mlirOperationClone(kernel);
  for (size_t i = 0; i < sizeof own / sizeof *own; i++)
    mlirOperationRemoveAttributeByName(copy, mlirStringRefCreateFromCString(own[i]));
  mlirOperationSetAttributeByName(copy, mlirStringRefCreateFromCString("sym_name"), tcc_attr_str(ir, tcc_str("kernel")));
  mlirOperationPrint(copy, tcc_append, &text);
  mlirOperationDestroy(copy);
  tcc_digest_hex(text.data, text.length, digest);
  TccRecordKey key = {.digest = tcc_arena_copy(ir->arena, digest, strlen(digest)), .threads = threads};
  tcc_text_clear(&text);
  const TccMachine *m = &target->machine;
  tcc_digest_hex(m->features, strlen(m->features), digest);
  key.target = tcc_arena_printf(ir->arena, "%s %s %.16s%s%s", target->of->name, m->cpu, digest, *m->sizes ? " " : "", m->sizes);
  pthread_once(&machine_once, read_machine);
  key.machine = machine;
  key.emitter = tcc_arena_printf(ir->arena, "%s/%d", tunable->names.emitter, tunable->version);
  tcc_text_destroy(&text);
  return key;
}

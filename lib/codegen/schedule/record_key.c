/* record_key.c - see record_key.h. */
#include "tcc/record_key.h"
#include "tcc/cache.h"
#include "tcc/digest.h"
#include "tcc/measure.h"
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

/* The device of this process, which asking for may start its driver: once for a chip. In arena. */
static const char *device_of(TccArena *arena, const TccMachine *m) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static char name[TCC_MEASURE_DEVICE_NAME];
  static uint64_t isa; /* that was asked for; 0: none yet */
  pthread_mutex_lock(&lock);
  if (isa != m->isa) {
    TccStatus *status = tcc_measure_device(m->isa, name);
    if (status) name[0] = 0;
    tcc_status_destroy(status);
    isa = m->isa;
  }
  const char *found = name[0] ? tcc_arena_printf(arena, "%s", name) : NULL;
  pthread_mutex_unlock(&lock);
  return found;
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
  if (target->of->space == TCC_SPACE_DEVICE) {
    key.machine = device_of(ir->arena, m);
    key.threads = 0;
  } else {
    pthread_once(&machine_once, read_machine);
    key.machine = machine;
  }
  key.emitter = tcc_arena_printf(ir->arena, "%s/%d", tunable->names.emitter, tunable->version);
  tcc_text_destroy(&text);
  return key;
}

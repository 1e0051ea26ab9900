/* tunable.c - the table of emitters with schedules. */
#include "lib/codegen/tunable.h"
#include "lib/codegen/contract_schedule.h"

const TccTunable *const tcc_x86_tunables[] = {&tcc_contract_tunable};
const size_t tcc_x86_tunable_count = sizeof tcc_x86_tunables / sizeof *tcc_x86_tunables;

const TccTunable *tcc_tunable_of(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, void **out_read) {
  TccStr kind;
  *out_read = NULL;
  if (strcmp(target->name, "x86") != 0 || !tcc_get_str(ir, kernel, "tcc.kernel", &kind)) return NULL;
  for (size_t i = 0; i < tcc_x86_tunable_count; i++) {
    if (!tcc_str_is(kind, tcc_x86_tunables[i]->kind)) continue;
    *out_read = tcc_x86_tunables[i]->read(target, ir, kernel);
    if (*out_read) return tcc_x86_tunables[i];
  }
  return NULL;
}

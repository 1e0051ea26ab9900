/* tunable.c - the table of emitters with schedules. */
#include "lib/codegen/tunable.h"
#include "lib/codegen/attention/attention_schedule.h"
#include "lib/codegen/contract/contract_schedule.h"
#include "lib/codegen/conv/conv_schedule.h"
#include "lib/codegen/gemv/gemv_schedule.h"
#include "lib/codegen/map/map_schedule.h"
#include "lib/codegen/row/row_schedule.h"

const TccTunable *const tcc_x86_tunables[] = {&tcc_gemv_tunable, &tcc_contract_tunable, &tcc_attention_tunable,
                                              &tcc_conv_tunable, &tcc_map_tunable,      &tcc_row_tunable};
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

void tcc_shortlist_offer(TccShortlist *list, const TccSchedule *schedule, double cost) {
  size_t room = list->room < TCC_SHORTLIST_MOST ? list->room : TCC_SHORTLIST_MOST;
  for (size_t i = 0; i < list->count; i++)
    if (tcc_schedule_equal(schedule, &list->schedule[i])) return;
  size_t at = list->count < room ? list->count++ : room; /* insertion: the list is short */
  for (; at > 0 && list->cost[at - 1] > cost; at--)
    if (at < room) list->schedule[at] = list->schedule[at - 1], list->cost[at] = list->cost[at - 1];
  if (at < room) list->schedule[at] = *schedule, list->cost[at] = cost;
}

size_t tcc_shortlist_spread(const TccShortlist *list, size_t key, size_t most, TccSchedule *out, size_t room) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count && kept < room; i++) {
    size_t alike = 0;
    for (size_t k = 0; k < kept; k++) {
      bool same = true;
      for (size_t p = 0; p < key; p++) same = same && out[k].param[p].value == list->schedule[i].param[p].value;
      alike += same;
    }
    if (alike < most) out[kept++] = list->schedule[i];
  }
  return kept;
}

bool tcc_kernel_is_stable(TccIr *ir, MlirOperation kernel, intptr_t argument) {
  const int64_t *stable;
  size_t n;
  if (!tcc_get_ints(ir, kernel, "tcc.stable", &stable, &n)) return false;
  for (size_t i = 0; i < n; i++)
    if (stable[i] == argument) return true;
  return false;
}

/* tunable.c - lists of the cheapest schedules. See tunable.h. */
#include "tcc/tunable.h"

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

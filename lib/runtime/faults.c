/* faults.c - indices that are outside of their axis: what kernels report in front of their sizes (TCC_FAULT_WORDS), as a status.
 *
 * A kernel goes on with an index inside. An axis without elements has none, so a command that would read there is replaced by one
 * that reports only: what a loop without iterations does not run is not reported. */
#include "internal.h"

static const TccPlanCheck *checks_of(const TccPlanHeader *plan, const TccPlanCall *call) {
  return (const TccPlanCheck *)tcc_plan_at(plan, plan->checks) + call->checks.first;
}

static bool is_empty(const TccPlanCheck *check, const int64_t *exprs) {
  return check->reads && exprs[check->size] == 0 && exprs[check->count] > 0;
}

/* Tile t: the t-th check has seen a fault. */
static void report(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)arguments, (void)scratch;
  for (int64_t t = begin; t < end; t++) ((int64_t *)(uintptr_t)sizes)[tcc_fault_word(t, TCC_FAULT_SEEN)] = 1;
}

bool tcc_faults_empty(const TccPlanHeader *plan, const TccPlanCall *call, const int64_t *exprs, TccCommand *command) {
  const TccPlanCheck *checks = checks_of(plan, call);
  bool empty = false;
  for (uint32_t i = 0; i < call->checks.count; i++) empty |= is_empty(&checks[i], exprs);
  if (empty) *command = (TccCommand){report, command->arguments, command->sizes, call->checks.count, true, NULL, NULL};
  return empty;
}

TccStatus *tcc_faults_take(const TccPlanHeader *plan, const TccPlanCall *call, const int64_t *exprs, int64_t *sizes) {
  const TccPlanCheck *checks = checks_of(plan, call);
  int64_t found = -1;
  for (uint32_t i = 0; i < call->checks.count; i++) { /* `report` says all of them: an empty axis comes first */
    int64_t *seen = &sizes[tcc_fault_word(i, TCC_FAULT_SEEN)];
    if (*seen && (found < 0 || (exprs[checks[found].size] && is_empty(&checks[i], exprs)))) found = i;
    *seen = 0;
  }
  if (found < 0) return NULL;
  const TccPlanCheck *check = &checks[found];
  const char *where = tcc_plan_text(plan, check->where);
  int64_t size = exprs[check->size];
  if (*tcc_plan_text(plan, check->message)) return TCC_ERROR(TCC_INVALID, "%s: %s", where, tcc_plan_text(plan, check->message));
  if (is_empty(check, exprs)) return TCC_ERROR(TCC_INVALID, "%s: an index into axis %u, which has no elements", where, check->axis);
  return TCC_ERROR(TCC_INVALID, "%s: index %lld is outside [%lld, %lld), axis %u", where,
                   (long long)sizes[tcc_fault_word(found, TCC_FAULT_INDEX)],
                   (long long)(check->valid == TCC_PLAN_INDEX_UNSIGNED ? 0 : -size), (long long)size, check->axis);
}

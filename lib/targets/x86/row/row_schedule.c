/* row_schedule.c - see row_schedule.h.
 *
 * A row kernel walks memory a few times with little to compute between: how many chains of additions hide their latency, how far ahead
 * lines are worth asking for, whether a softmax reads its row once by blocks, depends on where operands lie when it is called, which no
 * kernel knows. The heuristic takes it that they come from memory if all of them exceed the second cache. */
#include "lib/targets/x86/row/row_schedule.h"
#include <inttypes.h>

static const char *const names[] = {"ahead", "block", "fetch", "rows", "sets"};
#define SCHEDULE_NAMES {"x86.row", sizeof names / sizeof *names, names}
static const TccScheduleNames schedule_names = SCHEDULE_NAMES;

enum { MOST_PREFETCH = 65536, MOST_BLOCK = 65536, MOST_ROWS = 65536, MOST_PLACES = 4, LEAST_BLOCK = 64 };

static void *read(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel) {
  TccRowWork *work = TCC_NEW(ir->arena, TccRowWork);
  return tcc_row_work(target, ir, kernel, work) ? work : NULL;
}

static void set(TccSchedule *s, const TccRowChoice *c) {
  *s = (TccSchedule){
      .count = 5,
      .param = {{names[0], c->prefetch}, {names[1], c->block}, {names[2], c->fetch}, {names[3], c->rows}, {names[4], c->sets}}};
}

static TccRowChoice get(const TccSchedule *s) {
  return (TccRowChoice){.prefetch = tcc_schedule_get(s, "ahead"),
                        .block = tcc_schedule_get(s, "block"),
                        .fetch = tcc_schedule_get(s, "fetch"),
                        .rows = tcc_schedule_get(s, "rows"),
                        .sets = tcc_schedule_get(s, "sets")};
}

static TccStatus *check(const void *kernel, const TccSchedule *s) {
  const TccRowWork *work = kernel;
  TccRowChoice c = get(s);
  int64_t most = work->has_places ? MOST_PLACES : TCC_ROW_MOST_SETS;
  if (c.sets > most || (c.sets & (c.sets - 1)))
    return TCC_ERROR(TCC_INVALID, "sets = %" PRId64 ": a power of two of at most %" PRId64, c.sets, most);
  if (c.prefetch > MOST_PREFETCH || (c.prefetch > 1 && !work->writes))
    return TCC_ERROR(TCC_INVALID, "ahead = %" PRId64 ": %s", c.prefetch,
                     work->writes ? "at most 65536 bytes" : "no row is written");
  int64_t furthest = !work->can_prefetch ? 1 : c.block > 1 ? 2 : TCC_ROW_MOST_FETCH;
  if (c.fetch > furthest)
    return TCC_ERROR(TCC_INVALID, "fetch = %" PRId64 ": %s", c.fetch,
                     !work->can_prefetch ? "there is no next row"
                     : c.block > 1       ? "1 or 2 with blocks"
                                         : "at most 64");
  if (c.block > 1 && !work->can_cut)
    return TCC_ERROR(TCC_INVALID, "block = %" PRId64 ": only rows of a softmax along lanes are cut", c.block);
  if (c.block > MOST_BLOCK || (c.block > 1 && c.block % LEAST_BLOCK))
    return TCC_ERROR(TCC_INVALID, "block = %" PRId64 ": 1, or a multiple of %d of at most %d", c.block, LEAST_BLOCK, MOST_BLOCK);
  if (c.rows > MOST_ROWS) return TCC_ERROR(TCC_INVALID, "rows = %" PRId64 ": there are at most %d in a tile", c.rows, MOST_ROWS);
  return NULL;
}

TccStatus *tcc_row_apply_schedule(MlirOperation kernel, const TccRowWork *work, TccRowChoice *out) {
  TccSchedule s;
  *out = work->heuristic;
  TCC_TRY(tcc_schedule_read(kernel, &schedule_names, &s));
  if (!s.count) return NULL;
  if (!work->along) return TCC_ERROR(TCC_INVALID, "tcc.schedule: lanes of this kernel are rows: there is nothing to choose");
  TCC_TRY(tcc_status_context(check(work, &s), "tcc.schedule"));
  *out = get(&s);
  return NULL;
}

static void pick(const void *kernel, TccSchedule *out) { set(out, &((const TccRowWork *)kernel)->heuristic); }

static double distance(int64_t a, int64_t b) { return a == b ? 0 : a > b ? (double)a / (double)b : (double)b / (double)a; }

/* Elements, and a little for each step away from the heuristic. */
static double cost(const void *kernel, const TccSchedule *s) {
  const TccRowWork *work = kernel;
  const TccRowChoice c = get(s), *heuristic = &work->heuristic;
  double away = distance(c.sets, heuristic->sets) + 2 * distance(c.fetch, heuristic->fetch) + distance(c.rows, heuristic->rows);
  away += c.prefetch == 1 || heuristic->prefetch == 1 ? 2 * (c.prefetch != heuristic->prefetch)
                                                      : distance(c.prefetch, heuristic->prefetch);
  away += c.block == 1 || heuristic->block == 1 ? 2 * (c.block != heuristic->block) : distance(c.block, heuristic->block);
  return (double)work->length * (double)work->count * (double)work->nodes / 16 * (1 + 0.01 * away);
}

static size_t variants(const void *kernel, TccSchedule *out, size_t room) {
  const TccRowWork *work = kernel;
  TccShortlist list = {.schedule = out, .room = room};
  const int64_t aheads[] = {1, 1024, 2048, 4096}, cuts[] = {1, 512, 1024, 2048}, sizes[] = {1, 4, 16};
  const int64_t fetched[] = {1, 2, work->heuristic.fetch};
  int ways = !work->can_prefetch ? 1 : work->heuristic.fetch > 2 ? 3 : 2;
  int64_t most = work->has_places ? MOST_PLACES : TCC_ROW_MOST_SETS;
  for (int64_t sets = 1; sets <= most; sets *= 2)
    for (int a = 0; a < (work->writes ? 4 : 1); a++)
      for (int f = 0; f < ways; f++)
        for (int b = 0; b < (work->can_cut ? 4 : 1); b++)
          for (int r = 0; r < 4; r++) {
            TccRowChoice c = {.sets = sets,
                              .prefetch = aheads[a],
                              .fetch = fetched[f],
                              .block = cuts[b],
                              .rows = r == 3 ? work->heuristic.rows : sizes[r]};
            TccSchedule s;
            set(&s, &c);
            if (c.rows <= work->count) tcc_shortlist_offer(&list, &s, cost(kernel, &s));
          }
  return list.count;
}

static void shape(const void *kernel, TccText *out) {
  const TccRowWork *work = kernel;
  tcc_text_printf(out, "%" PRId64 "x%" PRId64 ", %zu nodes", work->count, work->length, work->nodes);
}

const TccTunable tcc_row_tunable = {
    .kind = TCC_KERNEL_ROW,
    .names = SCHEDULE_NAMES,
    .version = 2,
    .read = read,
    .pick = pick,
    .variants = variants,
    .cost = cost,
    .check = check,
    .shape = shape,
};

/* The thread team: every tile once, no command before the one in front of it, with more threads than tiles and than CPUs,
 * narrow commands and runs of one-tile ones between wide ones, many runs, a thread that the system does not run, the rest of a share that is left to its thread, what threads ask for ahead (at addresses that do not
 * exist, too); and the placement of buffers against a slow check. */
#include "lib/runtime/internal.h"
#include <immintrin.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

enum { TILES = 7, COMMANDS = 40, RUNS = 300 };

static int failures;
static int tiles_of(int command) { return command % 7 >= 5 ? 1 : TILES; }

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

/* Each tile of command c adds up all tiles of command c - 1 and one more: any tile that is missing, doubled or early shows. */
static void sum_before(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const int64_t *before = arguments[0];
  int64_t *after = arguments[1], *sum = scratch;
  for (int64_t t = begin; t < end; t++) {
    *sum = 1;
    for (int64_t i = 0; i < sizes[0]; i++) *sum += before[i] % 1000;
    after[t] += *sum % 1000;
  }
}

static void test_team(unsigned threads) {
  static const TccAllocator allocator;
  static int64_t values[COMMANDS + 1][TILES], expected[COMMANDS + 1][TILES], sizes[1] = {TILES};
  static const TccPrefetch fetches[] = {
      {0, 2, 0, 8, 64}, {1, 8, -64, 1 << 20, 4096}, {0, 1, 0, 0, 0}, {0, UINT32_MAX, INT64_MAX, INT64_MIN, INT64_MAX}};
  void *arguments[COMMANDS][2];
  TccCommand commands[COMMANDS];
  TccTeam *team;
  TccStatus *status = tcc_team_create(&allocator, threads, &team);
  if (status) {
    printf("failed: %s\n", tcc_status_message(status));
    failures++;
    return;
  }
  expect(!tcc_team_prepare(team, 64) && tcc_team_threads(team) == threads, "prepare");
  for (int c = 0; c < COMMANDS; c++) {
    arguments[c][0] = values[c], arguments[c][1] = values[c + 1];
    commands[c] = (TccCommand){
        sum_before, arguments[c], sizes, tiles_of(c), c % 5 == 3 || c == 0 || c == COMMANDS - 1, c % 3 ? &fetches[c % 4] : NULL};
  }
  memset(values, 0, sizeof values);
  memset(expected, 0, sizeof expected);
  for (int r = 0; r < RUNS; r++) {
    tcc_team_run(team, commands, COMMANDS, NULL);
    for (int c = 0; c < COMMANDS; c++) {
      int64_t sum = 1;
      for (int i = 0; i < TILES; i++) sum += expected[c][i] % 1000;
      for (int i = 0; i < tiles_of(c); i++) expected[c + 1][i] += sum % 1000;
    }
  }
  expect(memcmp(values, expected, sizeof values) == 0, "every tile once and in order");
  tcc_team_destroy(team);
}

/* Waits until all tiles but one have begun, so that no thread can do them alone; the last one sleeps. */
static void sleep_in_last(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  _Atomic int64_t *begun = arguments[0];
  for (int64_t t = begin; t < end; t++) {
    atomic_fetch_add(begun, 1);
    if (t + 1 == sizes[0]) usleep(20000);
    else
      while (atomic_load(begun) < sizes[0]) sched_yield();
  }
}

/* The time of a command is that of its slowest thread, whichever that is. */
static void test_times(void) {
  enum { THREADS = 3 };
  static const TccAllocator allocator;
  static int64_t values[2][TILES], sizes[1] = {TILES}, three[1] = {THREADS};
  _Atomic int64_t begun = 0;
  void *arguments[2] = {values[0], values[1]}, *meeting[1] = {&begun};
  TccCommand commands[4] = {{sum_before, arguments, sizes, TILES, false, NULL},
                            {sum_before, arguments, sizes, TILES, true, NULL},
                            {sleep_in_last, meeting, three, THREADS, false, NULL},
                            {sum_before, arguments, sizes, 1, false, NULL}};
  TccCommandTime times[4] = {{-1, -1}, {-1, -1}, {-1, -1}, {-1, -1}};
  TccTeam *team;
  if (tcc_team_create(&allocator, THREADS, &team)) abort();
  expect(!tcc_team_prepare(team, 64), "prepare");
  tcc_team_run(team, commands, 4, times);
  for (int i = 0; i < 4; i++) expect(times[i].nanoseconds >= 0 && times[i].times == 1, "a time for each command");
  expect(times[2].nanoseconds >= 20e6, "a command lasts as long as its slowest thread");
  expect(values[1][0] == 3 && values[1][6] == 2, "a timed run");
  tcc_team_destroy(team);
}

/* ---- what is left to a thread ---- */
enum { QUICK = 4096, DELAY_TICKS = 3000, PAUSE_EVERY = 8, TOGETHER = 20 };
typedef struct {
  pthread_t caller;
  _Atomic bool own_done; /* the calling thread has done its share */
  int64_t taken;         /* tiles of the other's share that it did as well */
} Helping;

/* The calling thread's share takes some microseconds; the other one is late for its second piece, by less than that. */
static void be_late(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)sizes, (void)scratch;
  Helping *helping = arguments[0];
  if (pthread_equal(pthread_self(), helping->caller)) {
    if (begin >= QUICK / 2) helping->taken += end - begin;
    for (int64_t t = begin; t < end; t += PAUSE_EVERY) _mm_pause();
    if (end == QUICK / 2) atomic_store(&helping->own_done, true);
    return;
  }
  if (begin == QUICK / 2 || begin > QUICK * 3 / 4) return; /* its first piece, a third, and those behind its second one */
  while (!atomic_load(&helping->own_done)) _mm_pause();
  for (const uint64_t from = __rdtsc(); __rdtsc() - from < DELAY_TICKS;) _mm_pause();
}

/* Runs of `count` commands in which the calling thread took nothing of the other's share. */
static int runs_alone(size_t count) {
  static const TccAllocator allocator;
  Helping helping = {.caller = pthread_self()};
  void *arguments[1] = {&helping};
  const TccCommand commands[2] = {{be_late, arguments, NULL, QUICK, false, NULL, NULL},
                                  {be_late, arguments, NULL, 1, true, NULL, NULL}};
  TccTeam *team;
  int alone = 0;
  if (tcc_team_create(&allocator, 2, &team) || tcc_team_prepare(team, 64)) abort();
  for (int run = 0; run < TOGETHER; run++) {
    helping.taken = 0;
    atomic_store(&helping.own_done, false);
    tcc_team_run(team, commands, count, NULL);
    alone += helping.taken == 0;
  }
  tcc_team_destroy(team);
  return alone;
}

/* Lines that a thread wrote in the last run lie in its cache: where a run has one command, the rest of its share is left to it. Sanitizers make
 * that rest take longer than it is left. */
static void test_rest_is_left(void) {
#if defined __SANITIZE_THREAD__ || defined __SANITIZE_ADDRESS__
  const bool timed = false;
#else
  const bool timed = true;
#endif
  int alone = 0;
  if (tcc_cpu_count() < 2 || !timed) return;
  for (int time = 0; time < 5000 && alone < TOGETHER / 2; time++, usleep(200))
    alone = runs_alone(1); /* both threads must have a CPU */
  expect(alone >= TOGETHER / 2, "the rest of a share is left to its thread");
  expect(runs_alone(2) < TOGETHER / 2, "but not where other commands follow");
}

/* ---- a thread that the system does not run ---- */
static pthread_t worker;
static _Atomic bool held, let_go;

static void hold(int signal) {
  (void)signal;
  atomic_store(&held, true);
  while (!atomic_load(&let_go)) usleep(1000);
}

/* A tile for each of two threads, which meet. */
static void meet(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)sizes, (void)scratch;
  _Atomic int64_t *begun = arguments[0];
  if (!pthread_equal(pthread_self(), *(pthread_t *)arguments[1])) worker = pthread_self();
  atomic_fetch_add(begun, end - begin);
  while (atomic_load(begun) < 2) sched_yield();
}

/* It holds no tile: the others do all, whether they meet it at the beginning of a run or between two commands. */
static void test_absent(void) {
  static const TccAllocator allocator;
  static int64_t values[3][TILES], sizes[1] = {TILES};
  _Atomic int64_t begun = 0;
  pthread_t self = pthread_self();
  void *meeting[2] = {&begun, &self}, *arguments[2][2] = {{values[0], values[1]}, {values[1], values[2]}};
  TccCommand first = {meet, meeting, sizes, 2, false, NULL, NULL};
  TccCommand commands[2] = {{sum_before, arguments[0], sizes, TILES, false, NULL, NULL},
                            {sum_before, arguments[1], sizes, TILES, false, NULL, NULL}};
  TccTeam *team;
  if (tcc_team_create(&allocator, 2, &team) || tcc_team_prepare(team, 64)) abort();
  tcc_team_run(team, &first, 1, NULL);
  signal(SIGUSR1, hold);
  pthread_kill(worker, SIGUSR1);
  while (!atomic_load(&held)) sched_yield();
  alarm(60); /* a team that waits for it ends here */
  for (int run = 0; run < 100; run++) tcc_team_run(team, commands, 2, NULL);
  alarm(0);
  expect(values[1][0] == 100 && values[1][TILES - 1] == 100, "a team without its second thread");
  atomic_store(&let_go, true);
  tcc_team_destroy(team);
}

static void test_offsets(void) {
  enum { BUFFERS = 400, ALIVE = 20 };
  TccOffsets offsets = {0};
  struct {
    size_t at, bytes;
    bool alive;
  } buffers[BUFFERS] = {0};
  unsigned random = 1;
  size_t most = 0, now = 0;
  for (int i = 0; i < BUFFERS; i++) {
    random = random * 1103515245u + 12345u;
    buffers[i].bytes = 64 * (1 + (random >> 16) % 30);
    expect(tcc_offsets_take(&offsets, buffers[i].bytes, &buffers[i].at), "take");
    buffers[i].alive = true;
    now += buffers[i].bytes;
    most = now > most ? now : most;
    for (int k = 0; k < i; k++)
      if (buffers[k].alive)
        expect(buffers[k].at + buffers[k].bytes <= buffers[i].at || buffers[i].at + buffers[i].bytes <= buffers[k].at,
               "no overlap");
    int old = i - ALIVE + (int)(random % 7);
    if (old < 0 || old >= i || !buffers[old].alive) continue;
    buffers[old].alive = false;
    now -= buffers[old].bytes;
    expect(tcc_offsets_give(&offsets, buffers[old].at, buffers[old].bytes), "give");
  }
  expect(offsets.end >= most && offsets.end <= 2 * most, "room is used again");
  for (int i = 0; i < BUFFERS; i++)
    if (buffers[i].alive) expect(tcc_offsets_give(&offsets, buffers[i].at, buffers[i].bytes), "give");
  expect(offsets.count == 1 && offsets.free[0].bytes == offsets.end, "free blocks merge");
  size_t huge;
  expect(!tcc_offsets_take(&offsets, SIZE_MAX - 100, &huge), "a size beyond the address space");
  free(offsets.free);
}

static void test_lifetimes(void) {
  enum { BUFFERS = 200 };
  TccLifetime buffers[BUFFERS];
  uint32_t order[BUFFERS], placed[BUFFERS];
  unsigned random = 7;
  size_t end = 0, most = 0;
  for (size_t i = 0; i < BUFFERS; i++) {
    random = random * 1103515245u + 12345u;
    buffers[i] = (TccLifetime){.bytes = 64 * (1 + (random >> 16) % 30), .first = i, .last = i + random % 9};
    if (random % 50 == 0) buffers[i].last = SIZE_MAX;
  }
  size_t packed = tcc_lifetimes_pack(buffers, BUFFERS, order, placed);
  for (size_t i = 0; i < BUFFERS; i++) {
    size_t now = 0;
    for (size_t k = 0; k < BUFFERS; k++) {
      now += buffers[k].first <= i && i <= buffers[k].last ? buffers[k].bytes : 0;
      bool together = k != i && buffers[k].first <= buffers[i].last && buffers[i].first <= buffers[k].last;
      if (together)
        expect(buffers[k].offset + buffers[k].bytes <= buffers[i].offset ||
                   buffers[i].offset + buffers[i].bytes <= buffers[k].offset,
               "no overlap");
    }
    most = now > most ? now : most;
    end = buffers[i].offset + buffers[i].bytes > end ? buffers[i].offset + buffers[i].bytes : end;
  }
  expect(end == packed && packed >= most && packed * 5 <= most * 6, "at most a fifth above what is alive");
}

int main(void) {
  static const unsigned threads[] = {1, 2, 3, 8, 16};
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) test_team(threads[i]);
  test_times();
  test_rest_is_left();
  test_absent();
  test_offsets();
  test_lifetimes();
  return failures != 0;
}

/* The CPUs of a team's threads: none of them may run where the calling thread does, also when that has moved; one that others keep from its CPU
 * may run anywhere for a while; a mask of fewer CPUs than threads is left alone. */
#include "lib/runtime/internal.h"
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static int failures;
static cpu_set_t whole;

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

typedef struct {
  _Atomic int64_t begun;
  pthread_t caller;
  cpu_set_t other; /* the mask of the thread that does not call */
  int cpus[2];     /* of the calling thread, the other one */
} Meeting;

/* A tile for each of two threads, which meet. */
static void meet(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)sizes, (void)scratch;
  Meeting *meeting = arguments[0];
  const bool other = !pthread_equal(pthread_self(), meeting->caller);
  if (other) sched_getaffinity(0, sizeof meeting->other, &meeting->other);
  meeting->cpus[other] = sched_getcpu();
  atomic_fetch_add(&meeting->begun, end - begin);
  while (atomic_load(&meeting->begun) < 2) sched_yield();
}

/* The calling thread did not move during the run. */
static bool meet_once(TccTeam *team, Meeting *meeting) {
  *meeting = (Meeting){.caller = pthread_self()};
  void *arguments[1] = {meeting};
  const TccCommand command = {meet, arguments, NULL, 2, false, NULL, NULL};
  const int before = sched_getcpu();
  tcc_team_run(team, &command, 1, NULL);
  return before == meeting->cpus[0] && before == sched_getcpu();
}

static void move_to(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  expect(sched_setaffinity(0, sizeof one, &one) == 0, "a mask of one CPU");
}

/* The first or the last CPU of the mask. */
static int some_cpu(bool last) {
  int found = -1;
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &whole) && (found < 0 || last)) found = cpu;
  return found;
}

/* A team's first run: a thread that others keep from its CPU in it may run anywhere in those that follow. */
static void test_team(void) {
  static const TccAllocator allocator;
  int seen = 0;
  for (int run = 0; run < 40; run++) {
    TccTeam *team;
    Meeting meeting;
    if (tcc_team_create(&allocator, 2, &team) || tcc_team_prepare(team, 64)) abort();
    move_to(some_cpu(run % 2)); /* and back to all, where it stays for a while */
    sched_setaffinity(0, sizeof whole, &whole);
    if (run % 4 == 0) usleep(2000); /* the other thread sleeps by now */
    const bool stayed = meet_once(team, &meeting);
    tcc_team_destroy(team);
    if (!stayed) continue;
    seen++;
    expect(!CPU_ISSET(meeting.cpus[0], &meeting.other), "no thread may run where the calling one does");
    expect(meeting.cpus[0] != meeting.cpus[1], "nor does one");
    expect(CPU_COUNT(&meeting.other) == CPU_COUNT(&whole) - 1, "all other CPUs are for the only other thread");
  }
  expect(seen > 0, "the calling thread stayed where it was");
}

/* A mask of one CPU, which the threads of a team inherit. */
static void test_few_cpus(void) {
  static const TccAllocator allocator;
  TccTeam *team;
  Meeting meeting;
  move_to(some_cpu(true));
  if (tcc_team_create(&allocator, 2, &team) || tcc_team_prepare(team, 64)) abort();
  expect(meet_once(team, &meeting), "it stays on the CPU that it has");
  expect(CPU_COUNT(&meeting.other) == 1 && CPU_ISSET(meeting.cpus[0], &meeting.other), "two threads on one CPU");
  tcc_team_destroy(team);
  sched_setaffinity(0, sizeof whole, &whole);
}

/* ---- a spread without a team ---- */
static TccSpread *spread;
static pthread_barrier_t turn;
static double on_cpu_ms; /* of the 20 ms that a piece took it */

static double clock_ms(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void *take_long(void *argument) {
  TccSpreadThread *thread = &spread->threads[0];
  for (int piece = 0; piece < 3; piece++) {
    pthread_barrier_wait(&turn);
    thread->wall = clock_ms(CLOCK_MONOTONIC) - 20;
    thread->own = clock_ms(CLOCK_THREAD_CPUTIME_ID) - on_cpu_ms;
    tcc_spread_delayed(spread, thread);
    pthread_barrier_wait(&turn);
  }
  return argument;
}

/* CPUs on which the thread may run after such a piece. */
static int cpus_after(double ms) {
  cpu_set_t set;
  on_cpu_ms = ms;
  pthread_barrier_wait(&turn);
  pthread_barrier_wait(&turn);
  return pthread_getaffinity_np(spread->threads[0].handle, sizeof set, &set) == 0 ? CPU_COUNT(&set) : -1;
}

/* CPUs on which the thread may run; -1 where the calling thread's is one of them. */
static int cpus_without(int cpu) {
  cpu_set_t set;
  if (pthread_getaffinity_np(spread->threads[0].handle, sizeof set, &set) != 0 || CPU_ISSET(cpu, &set)) return -1;
  return CPU_COUNT(&set);
}

/* The calling thread moves; then others keep the only other one from its CPU. */
static void test_spread(void) {
  const int all = CPU_COUNT(&whole), cpu = some_cpu(false), last = some_cpu(true);
  spread = calloc(1, sizeof *spread + sizeof *spread->threads);
  if (!spread) abort();
  spread->others = 1;
  tcc_spread_reset(spread);
  pthread_barrier_init(&turn, NULL, 2);
  if (pthread_create(&spread->threads[0].handle, NULL, take_long, NULL) != 0) abort();
  for (int move = 0; move < 4; move++) {
    const int to = move % 2 ? last : cpu;
    tcc_spread_follow(spread, to);
    expect(cpus_without(to) == all - 1, "where the calling thread went");
  }
  tcc_spread_follow(spread, cpu);
  expect(cpus_after(19) == all - 1 && !spread->loose, "a long piece alone");
  expect(cpus_after(10) == all && spread->loose, "half of the time taken by others");
  const double pause = spread->threads[0].pause;
  tcc_spread_follow(spread, cpu);
  expect(spread->loose, "for a while");
  spread->threads[0].loose_until = 1;
  tcc_spread_follow(spread, cpu);
  expect(!spread->loose && cpus_without(cpu) == all - 1, "and no longer");
  expect(cpus_after(10) == all && spread->threads[0].pause == 2 * pause, "longer where it did not last");
  pthread_join(spread->threads[0].handle, NULL);
  pthread_barrier_destroy(&turn);
  free(spread);
}

int main(void) {
  if (sched_getaffinity(0, sizeof whole, &whole) != 0 || CPU_COUNT(&whole) < 2) return 0;
  test_team();
  test_few_cpus();
  test_spread();
  return failures != 0;
}

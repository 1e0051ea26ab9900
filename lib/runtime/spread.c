/* spread.c - on which CPUs the threads of a team may run: not where the calling thread runs, and no two of them on the same.
 *
 * A scheduler puts a thread that wakes up on an idle CPU if it knows one. In a virtual machine it often does not: an idle CPU that the
 * host has taken back counts as a busy one (vcpu_is_preempted), and some pack threads on purpose. The thread then waits on the CPU of
 * who woke it until a balancing tick some milliseconds later, and two threads take as long as one. So the CPUs of the
 * calling thread's mask, but for its own, are dealt out to the others: each has a part of them, in which the scheduler is free.
 * The calling thread's own mask is the caller's business. Where it has moved when a run begins, the CPU that it left takes
 * the place of the one where it is, which is one call of the system for one thread.
 *
 * A part may be busy with other programs. A thread that they keep from its CPU in the midst of a piece delays a short run by more than it helps; the
 * scheduler would have left it on the caller's CPU, which then does all alone. So a thread that was kept for an eighth
 * of its time and a good part of a run may run anywhere for a while, longer each time that this does not last.
 *
 * Where the mask has fewer CPUs than the team has threads, or the system refuses, nothing is restricted. */
#include "internal.h"
#include <time.h>

enum {
  RECENT_MS = 64 /* the process may have been stopped in a longer time */,
  KEPT_SHARE = 8,
  PAUSE_MS = 64,
  MOST_PAUSE_MS = 2048,
  LASTING = 16
};

static double clock_ms(clockid_t id) {
  struct timespec t;
  clock_gettime(id, &t);
  return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* CPUs in order, in as many runs as there are other threads. */
static void deal(TccSpread *spread) {
  const unsigned others = spread->others, count = (unsigned)CPU_COUNT(&spread->allowed) - 1;
  unsigned at = 0;
  for (unsigned i = 0; i < others; i++) CPU_ZERO(&spread->threads[i].cpus);
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, &spread->allowed) && cpu != spread->caller) CPU_SET(cpu, &spread->threads[at++ * others / count].cpus);
}

static void restrict_thread(TccSpread *spread, TccSpreadThread *thread) {
  if (pthread_setaffinity_np(thread->handle, sizeof thread->cpus, &thread->cpus) != 0) spread->off = true;
  thread->restricted_at = clock_ms(CLOCK_MONOTONIC);
  thread->loose_until = 0;
}

/* Those whose pause is over. */
static void restrict_loose(TccSpread *spread) {
  const double now = clock_ms(CLOCK_MONOTONIC);
  spread->loose = false;
  for (unsigned i = 0; i < spread->others; i++) {
    TccSpreadThread *thread = &spread->threads[i];
    if (thread->loose_until == 0) continue;
    if (thread->loose_until <= now) restrict_thread(spread, thread);
    else spread->loose = true;
  }
}

void tcc_spread_reset(TccSpread *spread) {
  spread->caller = -1;
  spread->off = spread->loose = false;
  memset(spread->threads, 0, spread->others * sizeof *spread->threads);
}

void tcc_spread_follow(TccSpread *spread, int cpu) {
  cpu_set_t allowed;
  const int before = spread->caller;
  if (spread->off) return;
  if (spread->loose) restrict_loose(spread);
  if (cpu == before) return;
  spread->caller = cpu;
  if (sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) <= (int)spread->others) return;
  const bool same = before >= 0 && CPU_EQUAL(&allowed, &spread->allowed);
  spread->allowed = allowed;
  if (!same) deal(spread);
  for (unsigned i = 0; i < spread->others; i++) {
    TccSpreadThread *thread = &spread->threads[i];
    if (same && !CPU_ISSET(cpu, &thread->cpus)) continue;
    if (same) CPU_CLR(cpu, &thread->cpus), CPU_SET(before, &thread->cpus);
    if (thread->loose_until == 0) restrict_thread(spread, thread);
  }
}

void tcc_spread_begin(TccSpreadThread *thread) {
  thread->wall = clock_ms(CLOCK_MONOTONIC);
  thread->own = clock_ms(CLOCK_THREAD_CPUTIME_ID);
}

void tcc_spread_delayed(TccSpread *spread, TccSpreadThread *thread) {
  const double wall = thread->wall, own = thread->own;
  tcc_spread_begin(thread);
  const double time = thread->wall - wall, kept = time - (thread->own - own);
  if (time > RECENT_MS || kept * KEPT_SHARE < time || spread->off || thread->restricted_at == 0 || thread->loose_until != 0) return;
  const bool lasted = thread->wall - thread->restricted_at > LASTING * thread->pause;
  thread->pause = lasted || thread->pause == 0 ? PAUSE_MS : thread->pause < MOST_PAUSE_MS ? 2 * thread->pause : MOST_PAUSE_MS;
  thread->loose_until = thread->wall + thread->pause;
  if (sched_setaffinity(0, sizeof spread->allowed, &spread->allowed) != 0) spread->off = true;
  spread->loose = true;
}

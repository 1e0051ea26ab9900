/* team.c - threads that walk a list of commands together.
 *
 * Every thread goes through the same list and takes its share of each command's tiles; the calling thread is one of them.
 * Between two commands stands a barrier, left out where both run on the calling thread alone (a single tile). A barrier is
 * a counter and a generation; waiting spins for a bounded time, then sleeps in the kernel (futex), so that an idle team
 * costs nothing and an oversubscribed machine makes progress. The design is that of the sense-reversing central barrier
 * (Mellor-Crummey and Scott 1991). Who waits prefetches what the next command reads first, where that is a weight (TccPrefetch):
 * memory would stand idle otherwise while one thread ends its last tile. All threads run with the default MXCSR: denormals are
 * kept, as the compiled code assumes.
 *
 * A fork copies the team but not its threads: it counts in the child, and a team of another count than its threads were made at
 * gets new ones before it runs (tcc_team_prepare). There is no lock that a fork could find held. */
#include "internal.h"
#include <errno.h>
#include <immintrin.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PIECE_DIVISOR = 3, SPIN_PAUSES = 2000, MXCSR_DEFAULT = 0x1f80, PREFETCH_BYTES = 256 << 10 /* of a second cache */ };

typedef enum { READY_GO = 1, READY_GIVE_UP = 2 } Readiness;
typedef struct {
  TccTeam *team;
  unsigned index;
  pthread_t thread;
  char *scratch; /* behind its head */
  size_t scratch_bytes;
  double began[2], ended[2]; /* of the last two commands, while they are timed */
  const TccCommand *next;    /* what it has prefetched: lines of each run of this command's */
  uint64_t lines;
  _Alignas(TCC_CACHE_LINE) _Atomic int64_t taken; /* tiles of this member's share of the command that someone has taken */
} Member;

struct TccTeam {
  const TccAllocator *allocator;
  unsigned threads, spins;
  unsigned forks; /* when its threads were made */
  bool started;   /* they were */
  _Alignas(TCC_CACHE_LINE) _Atomic unsigned arrived;
  _Alignas(TCC_CACHE_LINE) _Atomic unsigned generation;
  _Atomic unsigned sleepers, ready;                /* ready: 0 threads are being made, else Readiness */
  _Alignas(TCC_CACHE_LINE) int64_t count_of_tiles; /* TccScratchHead.count */
  _Alignas(TCC_CACHE_LINE) const TccCommand *commands;
  size_t count;
  double *nanoseconds; /* of each command, or NULL: then nothing is timed */
  bool stop;
  Member members[];
};

static void sleep_on(_Atomic unsigned *word, unsigned value) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0); }

static inline bool is_wide(const TccCommand *command) { return command->tiles > 1 && !command->serial; }

/* The first of a member's own tiles. */
static int64_t share_start(const TccCommand *command, unsigned index, unsigned threads) {
  int64_t share = command->tiles / threads, rest = command->tiles % threads;
  return index * share + (index < rest ? index : rest);
}

/* The command that a member that waits in front of this one shares in next, if it is known what it will read. */
static const TccCommand *next_prefetched(const TccTeam *team, const TccCommand *command) {
  const TccCommand *end = team->commands + team->count;
  while (command < end && !is_wide(command)) command++;
  return command < end && command->prefetch ? command : NULL;
}

/* Prefetches the next line of each run; false when all that is worth it is on its way. Addresses need not exist. */
static bool prefetch_line(const TccTeam *team, Member *member, const TccCommand *next) {
  const TccPrefetch *prefetch = next->prefetch;
  if (member->next != next) member->next = next, member->lines = 0;
  if (member->lines >= PREFETCH_BYTES / TCC_CACHE_LINE / prefetch->streams) return false;
  uint64_t run = (uint64_t)prefetch->pitch / TCC_CACHE_LINE,
           group = run ? member->lines / run : 0; /* runs that end go on behind the last */
  uint64_t at = (uint64_t)(uintptr_t)next->arguments[prefetch->operand] + (uint64_t)prefetch->offset +
                (uint64_t)prefetch->step * (uint64_t)share_start(next, member->index, team->threads) +
                group * prefetch->streams * (uint64_t)prefetch->pitch + (member->lines - group * run) * TCC_CACHE_LINE;
  for (uint32_t i = 0; i < prefetch->streams; i++)
    _mm_prefetch((const char *)(uintptr_t)(at + i * (uint64_t)prefetch->pitch), _MM_HINT_T1);
  member->lines++;
  return true;
}

/* Waits for the team; meanwhile prefetches what `next` reads first (or NULL). */
static void wait_all(TccTeam *team, Member *member, const TccCommand *next) {
  unsigned generation = atomic_load_explicit(&team->generation, memory_order_relaxed);
  if (atomic_fetch_add_explicit(&team->arrived, 1, memory_order_acq_rel) + 1 == team->threads) {
    atomic_store_explicit(&team->arrived, 0, memory_order_relaxed);
    for (unsigned i = 0; i < team->threads; i++) atomic_store_explicit(&team->members[i].taken, 0, memory_order_relaxed);
    atomic_store(&team->generation, generation + 1);
    if (atomic_load(&team->sleepers)) syscall(SYS_futex, &team->generation, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
    return;
  }
  for (unsigned i = 0; i < team->spins; i++) {
    if (atomic_load_explicit(&team->generation, memory_order_acquire) != generation) return;
    if (!next || !prefetch_line(team, member, next)) _mm_pause();
  }
  atomic_fetch_add(&team->sleepers, 1); /* sequentially consistent with the store of generation: no wake-up is lost */
  while (atomic_load(&team->generation) == generation) sleep_on(&team->generation, generation);
  atomic_fetch_sub(&team->sleepers, 1);
}

/* A third of what is left of a share, from *at on; false where nothing is. */
static bool take_piece(_Atomic int64_t *taken, int64_t count, int64_t *at, int64_t *end) {
  *at = atomic_load_explicit(taken, memory_order_relaxed);
  do {
    if (*at >= count) return false;
    *end = *at + (count - *at + PIECE_DIVISOR - 1) / PIECE_DIVISOR;
  } while (!atomic_compare_exchange_weak_explicit(taken, at, *end, memory_order_relaxed, memory_order_relaxed));
  return true;
}

/* Each thread has a share of the tiles, the same range for each command of as many tiles, and takes it in pieces, smaller
 * towards its end; who is done takes pieces of the others' shares, since threads of one machine need not be equally fast
 * (guided self-scheduling, Polychronopoulos and Kuck 1987, a share a thread). Between two commands that use `taken` stands a
 * barrier, whose last thread sets it to zero. */
static inline void run_share(const TccCommand *command, Member *member, unsigned threads) {
  if (!is_wide(command) || threads == 1) {
    if (member->index == 0 && command->tiles > 0)
      command->function(command->arguments, command->sizes, member->scratch, 0, command->tiles);
    return;
  }
  int64_t share = command->tiles / threads, rest = command->tiles % threads;
  TccScratchHead *head = member->scratch ? (TccScratchHead *)member->scratch - 1 : NULL;
  if (head) head->own_end = -1;
  for (unsigned turn = 0, i = member->index; turn < threads; turn++, i = i + 1 < threads ? i + 1 : 0) {
    int64_t first = share_start(command, i, threads), count = share + (i < rest ? 1 : 0), at, end;
    if (head) head->first = first;
    while (take_piece(&member->team->members[i].taken, count, &at, &end))
      command->function(command->arguments, command->sizes, member->scratch, first + at, first + end);
  }
}

/* Where the list goes on behind command i: the same for all threads. left: iterations that are left, of loops by depth. wait: called
 * before a condition is read, and when it has been; NULL: nobody else is there. */
static inline size_t follow(const TccCommand *command, size_t i, int64_t *left, TccTeam *team, Member *member) {
  const TccJump *jump = command->jump;
  bool holds = true;
  if (jump->conditional) { /* the first thread may write it before the wait and after it */
    if (team) wait_all(team, member, NULL);
    holds = *(const char *)command->arguments[jump->carried] != 0;
    if (team) wait_all(team, member, NULL);
  }
  return tcc_jump_next(jump, i, holds, left);
}

static void walk(TccTeam *team, Member *member) {
  bool pending = false, first = true; /* pending: a command since the last barrier ran on other threads */
  int64_t left[TCC_LOOP_DEPTH];
  for (size_t i = 0; i < team->count;) {
    const TccCommand *command = &team->commands[i];
    bool wide = is_wide(command);
    if (!first && (wide || pending)) wait_all(team, member, next_prefetched(team, command));
    pending = wide;
    first = false;
    run_share(command, member, team->threads);
    i = command->jump ? follow(command, i, left, team, member) : i + 1;
  }
  wait_all(team, member, NULL);
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Every thread notes when it began and ended; a barrier stands behind each command. A thread that comes late, because it was
 * asleep or another program had its CPU, finds nothing left to do, so that no thread's own time says how long a command took. */
static void walk_timed(TccTeam *team, Member *member) {
  const size_t count = team->count; /* behind the last barrier the next run may set another */
  int64_t left[TCC_LOOP_DEPTH];
  size_t next;
  for (size_t i = 0, turn = 0; i < count; i = next, turn++) {
    const TccCommand *command = &team->commands[i];
    unsigned members = is_wide(command) ? team->threads : 1;
    double *began = &member->began[turn % 2], *ended = &member->ended[turn % 2];
    *began = now();
    run_share(command, member, team->threads);
    *ended = now();
    next = command->jump ? follow(command, i, left, team->threads > 1 ? team : NULL, member)
                         : i + 1; /* commands may be gone behind the last barrier */
    if (team->threads > 1) wait_all(team, member, next_prefetched(team, command + 1));
    if (member->index != 0) continue;
    double first = *began, last = *ended;
    for (unsigned m = 1; m < members; m++) { /* written again behind the next barrier only */
      first = team->members[m].began[turn % 2] < first ? team->members[m].began[turn % 2] : first;
      last = team->members[m].ended[turn % 2] > last ? team->members[m].ended[turn % 2] : last;
    }
    team->nanoseconds[i] += last - first;
  }
}

static void *work(void *argument) {
  Member *member = argument;
  TccTeam *team = member->team;
  _mm_setcsr(MXCSR_DEFAULT);
  while (atomic_load(&team->ready) == 0) sleep_on(&team->ready, 0);
  if (atomic_load(&team->ready) == READY_GIVE_UP) return NULL;
  for (;;) {
    wait_all(team, member, NULL);
    if (team->stop) return NULL;
    if (team->nanoseconds) walk_timed(team, member);
    else walk(team, member);
  }
}

static void run_alone(const TccTeam *team, const TccCommand *commands, size_t count) {
  int64_t left[TCC_LOOP_DEPTH];
  for (size_t i = 0; i < count;) {
    const TccCommand *command = &commands[i];
    if (command->tiles > 0) command->function(command->arguments, command->sizes, team->members[0].scratch, 0, command->tiles);
    i = command->jump ? follow(command, i, left, NULL, NULL) : i + 1;
  }
}

static bool any_wide(const TccCommand *commands, size_t first, size_t last) {
  while (first < last && !is_wide(&commands[first])) first++;
  return first < last;
}

/* What comes before the first wide command and after the last needs no team; a loop is in it as a whole or not at all. */
static void trim(const TccCommand *commands, size_t count, size_t *out_first, size_t *out_last) {
  size_t first = 0, last = count;
  while (first < count) {
    size_t next = commands[first].jump ? first + (size_t)commands[first].jump->jump : first + 1;
    if (any_wide(commands, first, next)) break;
    first = next;
  }
  while (last > first) {
    size_t begin = commands[last - 1].jump ? (size_t)((int64_t)last - 2 + commands[last - 1].jump->jump) : last - 1;
    if (any_wide(commands, begin, last)) break;
    last = begin;
  }
  *out_first = first;
  *out_last = last;
}

void tcc_team_run(TccTeam *team, const TccCommand *commands, size_t count, double *out_nanoseconds) {
  unsigned saved = _mm_getcsr();
  _mm_setcsr(MXCSR_DEFAULT);
  size_t first = 0, last = count;
  if (out_nanoseconds) memset(out_nanoseconds, 0, count * sizeof *out_nanoseconds);
  else if (team->threads == 1) first = count;
  else trim(commands, count, &first, &last);
  run_alone(team, commands, first);
  if (first < last) {
    team->commands = commands + first;
    team->count = last - first;
    team->nanoseconds = out_nanoseconds;
    if (team->threads > 1) wait_all(team, &team->members[0], NULL);
    if (out_nanoseconds) walk_timed(team, &team->members[0]);
    else walk(team, &team->members[0]);
  }
  run_alone(team, commands + last, count - last);
  _mm_setcsr(saved);
}

/* ---- life ---- */
/* Whether its threads are there, or it needs none. */
static bool is_alive(const TccTeam *team) { return team->threads == 1 || (team->started && team->forks == tcc_forks()); }

static void let_go(TccTeam *team, Readiness readiness) {
  atomic_store(&team->ready, readiness);
  syscall(SYS_futex, &team->ready, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* All but the calling thread. What others left in the counters of barriers, on the other side of a fork, is forgotten. */
static TccStatus *start_threads(TccTeam *team) {
  team->started = false;
  team->forks = tcc_forks();
  atomic_store(&team->arrived, 0);
  atomic_store(&team->sleepers, 0);
  atomic_store(&team->ready, 0);
  for (unsigned i = 0; i < team->threads; i++) atomic_store(&team->members[i].taken, 0);
  for (unsigned i = 1; i < team->threads; i++) {
    int error = pthread_create(&team->members[i].thread, NULL, work, &team->members[i]);
    if (!error) continue;
    let_go(team, READY_GIVE_UP);
    for (unsigned j = 1; j < i; j++) pthread_join(team->members[j].thread, NULL);
    return TCC_ERROR(TCC_NO_MEMORY, "cannot start thread %u of %u: %s", i + 1, team->threads, strerror(error));
  }
  let_go(team, READY_GO);
  team->started = true;
  return NULL;
}

TccStatus *tcc_team_create(const TccAllocator *allocator, unsigned threads, TccTeam **out) {
  *out = NULL;
  if (threads == 0) threads = tcc_cpu_count();
  if (threads > 1024) return TCC_ERROR(TCC_INVALID, "%u threads: the limit is 1024", threads);
  TCC_TRY(tcc_forks_watch());
  size_t bytes = tcc_align(sizeof(TccTeam) + threads * sizeof(Member));
  TccTeam *team = aligned_alloc(TCC_CACHE_LINE, bytes);
  if (!team) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  memset(team, 0, bytes);
  team->allocator = allocator;
  team->spins = threads <= tcc_cpu_count() ? SPIN_PAUSES : 0;
  team->threads = threads;
  for (unsigned i = 0; i < threads; i++) team->members[i] = (Member){.team = team, .index = i};
  TccStatus *status = start_threads(team);
  if (status) free(team);
  else *out = team;
  return status;
}

static void release_scratch(TccTeam *team, Member *member) {
  if (member->scratch)
    tcc_release(team->allocator, member->scratch - sizeof(TccScratchHead), sizeof(TccScratchHead) + member->scratch_bytes);
  member->scratch = NULL;
  member->scratch_bytes = 0;
}

void tcc_team_destroy(TccTeam *team) {
  if (!team) return;
  bool join = team->threads > 1 && is_alive(team);
  if (join) {
    team->stop = true;
    wait_all(team, &team->members[0], NULL);
  }
  for (unsigned i = 0; i < team->threads; i++) {
    if (i > 0 && join) pthread_join(team->members[i].thread, NULL);
    release_scratch(team, &team->members[i]);
  }
  free(team);
}

unsigned tcc_team_threads(const TccTeam *team) { return team->threads; }

TccStatus *tcc_team_prepare(TccTeam *team, size_t bytes) {
  if (!is_alive(team)) TCC_TRY(start_threads(team));
  for (unsigned i = 0; i < team->threads; i++) {
    Member *member = &team->members[i];
    if (member->scratch_bytes >= bytes) continue;
    release_scratch(team, member);
    size_t all;
    char *memory = tcc_add_size(sizeof(TccScratchHead), bytes, &all) ? tcc_allocate(team->allocator, all) : NULL;
    if (!memory) return TCC_ERROR(TCC_NO_MEMORY, "out of memory for kernels");
    member->scratch = memory + sizeof(TccScratchHead);
    member->scratch_bytes = bytes;
    for (unsigned j = 0; j < team->threads; j++) /* the first thread's may have moved */
      if (team->members[j].scratch)
        ((TccScratchHead *)team->members[j].scratch)[-1] =
            (TccScratchHead){.common = team->members[0].scratch, .count = &team->count_of_tiles, .own_end = -1};
  }
  return NULL;
}

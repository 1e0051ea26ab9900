/* team.c - threads that share the tiles of a list of commands.
 *
 * No command waits for a thread: it ends when its tiles are done, whoever did them. Each thread has a share of the tiles, the same range
 * for each command of as many tiles, and takes it in pieces, smaller towards its end; who is done takes pieces of the others' shares
 * (guided self-scheduling, Polychronopoulos and Kuck 1987, a share a thread). Who does the last piece of a command is its driver:
 * it runs the commands that follow by itself, up to the next that is shared, and publishes that one. So a thread that the system does
 * not run, because another program has its CPU, delays a command by the piece that it holds at most, and a team of which only
 * the caller runs is as fast as one thread.
 *
 * A word of each share says how many of its tiles nobody has taken. To take some changes it by compare-and-swap; only then is
 * the command looked at, since until its last piece is reported the command stays. Hence a thread that was gone for a while
 * either fails or takes tiles of the command that is there now. Who finds nothing waits: it spins for a bounded time, lets
 * others have its CPU now and then, and sleeps in the kernel (futex). Meanwhile it prefetches what the next command reads first, where
 * that is a weight (TccPrefetch): memory would stand idle otherwise while one thread ends its last tile. All threads run with the
 * default MXCSR: denormals are kept, as the compiled code assumes.
 *
 * A fork copies the team but not its threads: it counts in the child, and a team of another count than its threads were made at
 * gets new ones before it runs (tcc_team_prepare). There is no lock that a fork could find held. */
#include "internal.h"
#include <errno.h>
#include <immintrin.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { LONG_TICKS = 2000000, LONG_PART = 4, LONG_TILE_TICKS = 6000, MOST_WAIT_TICKS = 60000 }; /* of the time stamp counter */
enum { PIECE_DIVISOR = 3, SPIN_PAUSES = 2000, YIELD_PAUSES = 256, MXCSR_DEFAULT = 0x1f80 };
enum { PREFETCH_BYTES = 256 << 10 /* of a second cache */ };

typedef enum { READY_GO = 1, READY_GIVE_UP = 2 } Readiness;
/* What a thread that waits prefetches: a copy, since the commands may be gone meanwhile. */
typedef struct {
  uint64_t at, pitch, lines;
  uint32_t streams;
} Ahead;
typedef struct {
  TccTeam *team;
  unsigned index;
  char *scratch; /* behind its head */
  size_t scratch_bytes;
  TccTraceRing *trace; /* NULL: nobody wants to know */
  Ahead ahead;
  _Alignas(TCC_CACHE_LINE) _Atomic int64_t left; /* tiles of this member's share of the command that nobody has taken */
} Member;

struct TccTeam {
  const TccAllocator *allocator;
  unsigned threads, spins;
  unsigned forks;     /* when its threads were made */
  bool started;       /* they were */
  TccSpread *spread;  /* NULL: there is only the calling thread */
  uint64_t run_ticks; /* of the time stamp counter, of the last run */
  /* The driver's, and to be read by who holds a piece. */
  _Alignas(TCC_CACHE_LINE) const TccCommand *commands;
  size_t count, at;                                /* at: the command that is shared */
  int64_t iterations[TCC_LOOP_DEPTH];              /* that are left, of loops by depth */
  TccCommandTime *times;                           /* of each command, or NULL: then nothing is timed */
  double began;                                    /* the one that is shared */
  _Alignas(TCC_CACHE_LINE) _Atomic int64_t undone; /* tiles that are not reported */
  _Alignas(TCC_CACHE_LINE) _Atomic unsigned epoch; /* counts what those who wait look for: a command, the end */
  _Atomic bool finished, stop;
  _Alignas(TCC_CACHE_LINE) _Atomic unsigned sleepers;
  _Atomic unsigned ready;                          /* 0 threads are being made, else Readiness */
  _Alignas(TCC_CACHE_LINE) int64_t count_of_tiles; /* TccScratchHead.count */
  Member members[];
};

static void sleep_on(_Atomic unsigned *word, unsigned value) { syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, NULL, NULL, 0); }
static void wake(_Atomic unsigned *word, int most) { syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, most, NULL, NULL, 0); }

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline bool is_wide(const TccTeam *team, const TccCommand *command) {
  return command->tiles > 1 && !command->serial && team->threads > 1;
}

/* The first of a member's own tiles; of index `threads`: behind the last. */
static inline int64_t share_start(const TccCommand *command, unsigned index, unsigned threads) {
  int64_t share = command->tiles / threads, rest = command->tiles % threads;
  return index * share + (index < rest ? index : rest);
}

/* ---- waiting ---- */
/* What is worth prefetching for the next command that is shared, if it is known what it will read. */
static Ahead look_ahead(const TccTeam *team, const Member *member) {
  const TccCommand *next = team->commands + team->at + 1, *end = team->commands + team->count;
  while (next < end && !is_wide(team, next)) next++;
  if (next >= end || !next->prefetch || !next->prefetch->streams) return (Ahead){0};
  const TccPrefetch *prefetch = next->prefetch;
  return (Ahead){.at = (uint64_t)(uintptr_t)next->arguments[prefetch->operand] + (uint64_t)prefetch->offset +
                       (uint64_t)prefetch->step * (uint64_t)share_start(next, member->index, team->threads),
                 .pitch = (uint64_t)prefetch->pitch,
                 .streams = prefetch->streams};
}

/* Prefetches the next line of each run; false when all that is worth it is on its way. Addresses need not exist. */
static bool prefetch_line(Ahead *ahead) {
  if (!ahead->streams || ahead->lines >= PREFETCH_BYTES / TCC_CACHE_LINE / ahead->streams) return false;
  uint64_t run = ahead->pitch / TCC_CACHE_LINE, group = run ? ahead->lines / run : 0; /* runs that end go on behind the last */
  uint64_t at = ahead->at + group * ahead->streams * ahead->pitch + (ahead->lines - group * run) * TCC_CACHE_LINE;
  for (uint32_t i = 0; i < ahead->streams; i++) _mm_prefetch((const char *)(uintptr_t)(at + i * ahead->pitch), _MM_HINT_T1);
  ahead->lines++;
  return true;
}

static void note_time(TccCommandTime *time, double nanoseconds) {
  time->nanoseconds += nanoseconds;
  time->times++;
}

/* What the member did from `begin` until now. */
static void write_down(Member *member, double begin, size_t command, int64_t first, int64_t tiles) {
  tcc_trace_put(member->trace, &(TccTraceRecord){begin, now(), command, first, tiles});
}

/* Until the epoch is another; a CPU is let to who waits for it now and then: it may have the piece that this one waits for. */
static void wait_for_change(TccTeam *team, Member *member, unsigned epoch) {
  for (unsigned i = 1; i <= team->spins; i++) {
    if (atomic_load_explicit(&team->epoch, memory_order_acquire) != epoch) return;
    if (i % YIELD_PAUSES == 0) sched_yield();
    else if (!prefetch_line(&member->ahead)) _mm_pause();
  }
  atomic_fetch_add(&team->sleepers, 1); /* sequentially consistent with the change of epoch: no wake-up is lost */
  while (atomic_load(&team->epoch) == epoch) sleep_on(&team->epoch, epoch);
  atomic_fetch_sub(&team->sleepers, 1);
  if (member->index) tcc_spread_begin(&team->spread->threads[member->index - 1]);
}

/* Tells those who wait; most: of those who sleep. */
static void change_epoch(TccTeam *team, int most) {
  atomic_fetch_add(&team->epoch, 1);
  if (atomic_load(&team->sleepers)) wake(&team->epoch, most);
}

/* ---- the driver ---- */
/* Where the list goes on behind the command that is done. */
static size_t follow(TccTeam *team) {
  const TccJump *jump = team->commands[team->at].jump;
  if (!jump) return team->at + 1;
  const bool holds = !jump->conditional || *(const char *)team->commands[team->at].arguments[jump->carried] != 0;
  return tcc_jump_next(jump, team->at, holds, team->iterations);
}

static void publish(TccTeam *team, const TccCommand *command) {
  atomic_store_explicit(&team->undone, command->tiles, memory_order_relaxed);
  for (unsigned i = 0; i < team->threads; i++)
    atomic_store_explicit(&team->members[i].left,
                          share_start(command, i + 1, team->threads) - share_start(command, i, team->threads),
                          memory_order_release);
  change_epoch(team, command->tiles - 1 < INT_MAX ? (int)command->tiles - 1 : INT_MAX);
}

/* From team->at on to the next command that is shared, or the end. */
static void drive(TccTeam *team, Member *member) {
  for (; team->at < team->count; team->at = follow(team)) {
    const TccCommand *command = &team->commands[team->at];
    if (team->times) team->began = now();
    if (is_wide(team, command)) {
      publish(team, command);
      return;
    }
    if (command->tiles > 0) {
      const double begin = member->trace ? now() : 0;
      if (member->scratch) ((TccScratchHead *)member->scratch - 1)->own_end = -1;
      command->function(command->arguments, command->sizes, member->scratch, 0, command->tiles);
      if (member->trace) write_down(member, begin, team->at, 0, command->tiles);
    }
    if (team->times) note_time(&team->times[team->at], now() - team->began);
  }
  atomic_store(&team->finished, true);
  if (member->index) change_epoch(team, INT_MAX); /* the caller waits, who may be any of those who sleep */
}

/* ---- tiles ---- */
/* A third of what nobody has taken of a share, if that is more than `keep`. */
static bool take_piece(_Atomic int64_t *word, int64_t keep, int64_t *left, int64_t *piece) {
  *left = atomic_load_explicit(word, memory_order_relaxed);
  do {
    if (*left <= keep) return false;
    *piece = (*left + PIECE_DIVISOR - 1) / PIECE_DIVISOR;
  } while (!atomic_compare_exchange_weak_explicit(word, left, *left - *piece, memory_order_acquire, memory_order_relaxed));
  return true;
}

/* Takes tiles of share i and does them while more than `keep` are left. Returns how many; first: the member has done none of the command. */
static int64_t take_tiles(TccTeam *team, Member *member, unsigned i, int64_t keep, bool first) {
  int64_t done = 0, left, piece;
  while (take_piece(&team->members[i].left, keep, &left, &piece)) {
    const TccCommand *command = &team->commands[team->at];
    /* Scratch may have been another before the piece was taken. */
    TccScratchHead *head = member->scratch ? (TccScratchHead *)member->scratch - 1 : NULL;
    if (head && first && done == 0) head->own_end = -1;
    if (head) head->first = share_start(command, i, team->threads);
    const int64_t at = share_start(command, i + 1, team->threads) - left;
    const double begin = member->trace ? now() : 0;
    command->function(command->arguments, command->sizes, member->scratch, at, at + piece);
    if (member->trace) write_down(member, begin, team->at, at, piece);
    done += piece;
  }
  return done;
}

/* The others' shares, when the member's own tiles took it so many ticks. Where the run has no other command, half of a share is left to its thread
 * for as long again: what that wrote in the last run lies in its cache, and a tile that changes hands moves its lines twice, now and in
 * the next run, where the thread is late for it and loses more. Tiles that take long are not worth such a wait. */
static int64_t help_others(TccTeam *team, Member *member, int64_t own, uint64_t ticks) {
  const uint64_t begin = __rdtsc(), most = own && ticks / (uint64_t)own > LONG_TILE_TICKS ? LONG_TILE_TICKS : MOST_WAIT_TICKS;
  int64_t done = own;
  bool all = own == 0 || team->count > 1;
  for (bool left = true; left; all = all || __rdtsc() - begin > (ticks < most ? ticks : most)) {
    left = false;
    for (unsigned turn = 1, i = member->index; turn < team->threads; turn++) {
      i = i + 1 < team->threads ? i + 1 : 0;
      done += take_tiles(team, member, i, all ? 0 : own / 2, done == 0);
      left |= atomic_load_explicit(&team->members[i].left, memory_order_relaxed) > 0;
    }
    if (left) _mm_pause();
  }
  return done;
}

/* A time that the others may have waited for: about a millisecond, and a good part of a run. */
static bool is_long(const TccTeam *team, uint64_t ticks) { return ticks > LONG_TICKS && ticks > team->run_ticks / LONG_PART; }

/* Takes tiles and does them, its own share's first; false: there were none. Until it reports them the command is not done, so
 * all pieces of a call are of one command. */
static bool take_part(TccTeam *team, Member *member) {
  const uint64_t begin = team->spread ? __rdtsc() : 0;
  const int64_t own = take_tiles(team, member, member->index, 0, true);
  const int64_t done = team->spread ? help_others(team, member, own, __rdtsc() - begin) : own;
  if (done == 0) return false;
  if (member->index && is_long(team, __rdtsc() - begin))
    tcc_spread_delayed(team->spread, &team->spread->threads[member->index - 1]);
  member->ahead = look_ahead(team, member);
  if (atomic_fetch_sub_explicit(&team->undone, done, memory_order_acq_rel) != done) return true;
  if (team->times) note_time(&team->times[team->at], now() - team->began);
  team->at = follow(team);
  drive(team, member);
  return true;
}

/* Until *end. */
static void serve(TccTeam *team, Member *member, _Atomic bool *end) {
  for (;;) {
    unsigned epoch = atomic_load(&team->epoch);
    if (atomic_load(end)) return;
    if (take_part(team, member)) continue;
    const double begin = member->trace ? now() : 0;
    wait_for_change(team, member, epoch);
    if (member->trace) write_down(member, begin, TCC_TRACE_WAIT, 0, 0);
  }
}

static void *work(void *argument) {
  Member *member = argument;
  TccTeam *team = member->team;
  _mm_setcsr(MXCSR_DEFAULT);
  while (atomic_load(&team->ready) == 0) sleep_on(&team->ready, 0);
  if (atomic_load(&team->ready) == READY_GO) serve(team, member, &team->stop);
  return NULL;
}

void tcc_team_run(TccTeam *team, const TccCommand *commands, size_t count, TccCommandTime *out_times) {
  unsigned saved = _mm_getcsr();
  _mm_setcsr(MXCSR_DEFAULT);
  if (out_times) memset(out_times, 0, count * sizeof *out_times);
  team->commands = commands;
  team->count = count;
  team->at = 0;
  team->times = out_times;
  const uint64_t begin = team->spread ? __rdtsc() : 0;
  if (team->spread) {
    const int cpu = sched_getcpu();
    if (cpu != team->spread->caller || atomic_load_explicit(&team->spread->loose, memory_order_relaxed))
      tcc_spread_follow(team->spread, cpu);
  }
  atomic_store_explicit(&team->finished, false, memory_order_relaxed);
  drive(team, &team->members[0]);
  serve(team, &team->members[0], &team->finished);
  if (team->spread) team->run_ticks = __rdtsc() - begin;
  _mm_setcsr(saved);
}

/* ---- life ---- */
/* Whether its threads are there, or it needs none. */
static bool is_alive(const TccTeam *team) { return team->threads == 1 || (team->started && team->forks == tcc_forks()); }

static void let_go(TccTeam *team, Readiness readiness) {
  atomic_store(&team->ready, readiness);
  wake(&team->ready, INT_MAX);
}

/* All but the calling thread. What others left in the counters, on the other side of a fork, is forgotten. */
static TccStatus *start_threads(TccTeam *team) {
  team->started = false;
  team->forks = tcc_forks();
  if (team->spread) tcc_spread_reset(team->spread);
  atomic_store(&team->sleepers, 0);
  atomic_store(&team->ready, 0);
  for (unsigned i = 0; i < team->threads; i++) atomic_store(&team->members[i].left, 0);
  for (unsigned i = 1; i < team->threads; i++) {
    int error = pthread_create(&team->spread->threads[i - 1].handle, NULL, work, &team->members[i]);
    if (!error) continue;
    let_go(team, READY_GIVE_UP);
    for (unsigned j = 1; j < i; j++) pthread_join(team->spread->threads[j - 1].handle, NULL);
    return TCC_ERROR(TCC_NO_MEMORY, "cannot start thread %u of %u: %s", i + 1, team->threads, strerror(error));
  }
  let_go(team, READY_GO);
  team->started = true;
  return NULL;
}

static void release_scratch(TccTeam *team, Member *member) {
  if (member->scratch)
    tcc_release(team->allocator, member->scratch - sizeof(TccScratchHead), sizeof(TccScratchHead) + member->scratch_bytes);
  member->scratch = NULL;
  member->scratch_bytes = 0;
}

/* Of a team whose threads have ended. */
static void release_team(TccTeam *team) {
  for (unsigned i = 0; i < team->threads; i++) {
    release_scratch(team, &team->members[i]);
    free(team->members[i].trace);
  }
  free(team->spread);
  free(team);
}

static TccStatus *create(const TccAllocator *allocator, unsigned threads, bool traced, TccTeam **out) {
  *out = NULL;
  if (threads == 0) threads = tcc_cpu_count();
  if (threads > TCC_MOST_THREADS) return TCC_ERROR(TCC_INVALID, "%u threads: the limit is %d", threads, TCC_MOST_THREADS);
  TCC_TRY(tcc_forks_watch());
  size_t bytes = tcc_align(sizeof(TccTeam) + threads * sizeof(Member));
  TccTeam *team = aligned_alloc(TCC_CACHE_LINE, bytes);
  if (!team) return TCC_ERROR_NO_MEMORY();
  memset(team, 0, bytes);
  team->allocator = allocator;
  team->spins = threads <= tcc_cpu_count() ? SPIN_PAUSES : 0;
  team->threads = threads;
  if (threads > 1) team->spread = calloc(1, sizeof(TccSpread) + (threads - 1) * sizeof(TccSpreadThread));
  TccStatus *status = threads > 1 && !team->spread ? TCC_ERROR_NO_MEMORY() : NULL;
  if (team->spread) team->spread->others = threads - 1;
  for (unsigned i = 0; i < threads; i++) {
    team->members[i] = (Member){.team = team, .index = i, .trace = traced && !status ? tcc_trace_ring() : NULL};
    if (traced && !status && !team->members[i].trace) status = TCC_ERROR_NO_MEMORY();
  }
  if (!status) status = start_threads(team);
  if (status) release_team(team);
  else *out = team;
  return status;
}

TccStatus *tcc_team_create(const TccAllocator *allocator, unsigned threads, TccTeam **out) {
  return create(allocator, threads, false, out);
}

TccStatus *tcc_team_create_traced(const TccAllocator *allocator, unsigned threads, TccTeam **out) {
  return create(allocator, threads, true, out);
}

TccTraceRing *tcc_team_trace(const TccTeam *team, unsigned thread) { return team->members[thread].trace; }

void tcc_team_destroy(TccTeam *team) {
  if (!team) return;
  if (team->threads > 1 && is_alive(team)) {
    atomic_store(&team->stop, true);
    change_epoch(team, INT_MAX);
    for (unsigned i = 1; i < team->threads; i++) pthread_join(team->spread->threads[i - 1].handle, NULL);
  }
  release_team(team);
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

/* measure.c - see include/tcc/measure.h.
 *
 * Parent and child speak through two pipes: a request is two kernels and a time, an answer is two numbers. The child
 * dies with its parent. Buffers are the child's, made once and grown: all kernels of one measurer are variants of one. */
#include "tcc/measure.h"
#include "internal.h"
#include "tcc/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_COPIES = 64, MOST_SAMPLES = 200, PATTERN = 1 << 20 };
typedef struct {
  uint64_t index, reference;
  double budget_ms, hopeless;
} Request;
typedef struct {
  double ms, ratio;
} Answer;

struct TccMeasurer {
  const TccMeasureKernel *kernels;
  size_t count, cold_bytes;
  unsigned threads;
  pid_t child; /* 0: none */
  int to_child, from_child;
};

/* ---- the child ---- */
typedef struct {
  void *copy[MOST_COPIES];
  size_t bytes, copies;
} Pool;
typedef struct {
  const TccMeasurer *measurer;
  TccTeam *team;
  Pool *pools; /* per argument position */
  void **arguments;
  size_t npools, round;
  char *pattern[TCC_ELEM_COUNT];
} Child;
static const TccAllocator allocator;

static _Noreturn void give_up(void) { _exit(3); }

/* A megabyte of values for buffers of this type. */
static const char *pattern_of(Child *c, TccElem elem) {
  if (c->pattern[elem]) return c->pattern[elem];
  char *bytes = c->pattern[elem] = calloc(1, PATTERN);
  if (!bytes) give_up();
  uint64_t state = 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < PATTERN / 8; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    double value = (double)(int64_t)state / 9223372036854775808.0;
    uint32_t high = (uint32_t)(state >> 40);
    if (elem == TCC_ELEM_F64) ((double *)bytes)[i] = value;
    else if (elem == TCC_ELEM_F32) ((float *)bytes)[2 * i] = ((float *)bytes)[2 * i + 1] = (float)value;
    else if (elem == TCC_ELEM_F16 || elem == TCC_ELEM_BF16)
      for (int k = 0; k < 4; k++)
        ((uint16_t *)bytes)[4 * i + k] = (uint16_t)((elem == TCC_ELEM_F16 ? 0x3000 : 0x3e00) | ((high >> k) & 0x80ff));
  }
  return bytes;
}

static void *make_copy(Child *c, const TccMeasureBuffer *buffer, size_t bytes) {
  char *memory = tcc_allocate(&allocator, bytes);
  if (!memory) give_up();
  const char *pattern = pattern_of(c, buffer->elem);
  for (size_t at = 0; at < bytes; at += PATTERN) memcpy(memory + at, pattern, bytes - at < PATTERN ? bytes - at : PATTERN);
  return memory;
}

/* Buffers for every variant: as large as any of them needs. */
static void make_pools(Child *c) {
  const TccMeasurer *m = c->measurer;
  size_t cold = 0;
  for (size_t i = 0; i < m->count; i++)
    if (m->kernels[i].nbuffers > c->npools) c->npools = m->kernels[i].nbuffers;
  c->pools = calloc(c->npools + 1, sizeof *c->pools);
  c->arguments = calloc(c->npools + 1, sizeof *c->arguments);
  if (!c->pools || !c->arguments) give_up();
  const TccMeasureBuffer **first = calloc(c->npools + 1, sizeof *first);
  if (!first) give_up();
  for (size_t i = 0; i < m->count; i++)
    for (size_t b = 0; b < m->kernels[i].nbuffers; b++) {
      if (!first[b]) first[b] = &m->kernels[i].buffers[b];
      if (m->kernels[i].buffers[b].bytes > c->pools[b].bytes) c->pools[b].bytes = m->kernels[i].buffers[b].bytes;
    }
  for (size_t b = 0; b < c->npools; b++)
    if (first[b] && first[b]->cold) cold += c->pools[b].bytes;
  size_t copies = cold ? m->cold_bytes / cold + 1 : 1;
  if (copies > MOST_COPIES) copies = MOST_COPIES;
  for (size_t b = 0; b < c->npools; b++) {
    if (!first[b]) continue;
    c->pools[b].copies = first[b]->cold ? copies : 1;
    for (size_t i = 0; i < c->pools[b].copies; i++) c->pools[b].copy[i] = make_copy(c, first[b], c->pools[b].bytes + 256);
  }
  free(first);
}

/* Milliseconds of one of `repeat` runs. */
static double time_kernel(Child *c, const TccMeasureKernel *kernel, size_t repeat) {
  double start = tcc_now_ms();
  for (size_t i = 0; i < repeat; i++, c->round++) {
    for (size_t b = 0; b < kernel->nbuffers; b++) c->arguments[b] = c->pools[b].copy[c->round % c->pools[b].copies];
    TccCommand command = {.function = kernel->function, .arguments = c->arguments, .sizes = kernel->sizes, .tiles = kernel->tiles};
    tcc_team_run(c->team, &command, 1, NULL);
  }
  return (tcc_now_ms() - start) / (double)repeat;
}

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* A sample is long enough for the clock; short kernels run several times in one. */
static Answer measure(Child *c, const Request *request) {
  static const double shortest_ms = 0.05;
  const TccMeasureKernel *kernel = &c->measurer->kernels[request->index], *reference = &c->measurer->kernels[request->reference];
  bool alone = kernel == reference;
  double times[MOST_SAMPLES], ratios[MOST_SAMPLES];
  if (tcc_team_prepare(c->team, kernel->scratch_bytes) || tcc_team_prepare(c->team, reference->scratch_bytes)) give_up();
  if (!alone) time_kernel(c, reference, 1);
  double first = time_kernel(c, kernel, 1), beside = alone ? first : time_kernel(c, reference, 1);
  if (request->hopeless > 0 && first > request->hopeless * beside) return (Answer){first, first / beside};
  size_t repeat = first < shortest_ms ? (size_t)(shortest_ms / (first + 1e-4)) + 1 : 1, n = 0;
  for (double start = tcc_now_ms(); n < MOST_SAMPLES && (n < 2 || tcc_now_ms() - start < request->budget_ms); n++) {
    times[n] = time_kernel(c, kernel, repeat);
    ratios[n] = alone ? 1 : times[n] / time_kernel(c, reference, repeat);
  }
  qsort(times, n, sizeof *times, by_value);
  qsort(ratios, n, sizeof *ratios, by_value);
  return (Answer){times[n / 4], n % 2 ? ratios[n / 2] : (ratios[n / 2 - 1] + ratios[n / 2]) / 2};
}

static _Noreturn void serve(const TccMeasurer *m, int in, int out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int s = 1; s < NSIG; s++) signal(s, SIG_DFL); /* a crash ends the child and says nothing */
  Child c = {.measurer = m};
  TccStatus *status = tcc_team_create(&allocator, m->threads, &c.team);
  if (status) give_up();
  make_pools(&c);
  for (Request request; read(in, &request, sizeof request) == sizeof request;) {
    Answer answer = measure(&c, &request);
    if (write(out, &answer, sizeof answer) != sizeof answer) break;
  }
  _exit(0);
}

/* ---- the parent ---- */
static void stop(TccMeasurer *m, int *out_result) {
  if (!m->child) return;
  kill(m->child, SIGKILL);
  while (waitpid(m->child, out_result, 0) < 0 && errno == EINTR) {}
  close(m->to_child);
  close(m->from_child);
  m->child = 0;
}

static TccStatus *start(TccMeasurer *m) {
  int to[2], from[2];
  if (pipe2(to, O_CLOEXEC)) return TCC_ERROR(TCC_IO, "pipe: %s", strerror(errno));
  if (pipe2(from, O_CLOEXEC)) {
    close(to[0]), close(to[1]);
    return TCC_ERROR(TCC_IO, "pipe: %s", strerror(errno));
  }
  fflush(NULL);
  pid_t child = fork();
  if (child == 0) {
    close(to[1]), close(from[0]);
    serve(m, to[0], from[1]);
  }
  close(to[0]), close(from[1]);
  m->to_child = to[1], m->from_child = from[0];
  if (child < 0) {
    close(to[1]), close(from[0]);
    return TCC_ERROR(TCC_IO, "fork: %s", strerror(errno));
  }
  m->child = child;
  return NULL;
}

TccStatus *tcc_measurer_create(const TccMeasureKernel *kernels, size_t count, unsigned threads, size_t cold_bytes,
                               TccMeasurer **out) {
  *out = NULL;
  if (tcc_cpu_isa() & TCC_ISA_AMX)
    TCC_TRY(tcc_cpu_allow_amx()); /* candidates are no artifact, whose loading asks; children inherit it */
  *out = calloc(1, sizeof **out);
  if (!*out) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  **out = (TccMeasurer){.kernels = kernels, .count = count, .threads = threads, .cold_bytes = cold_bytes};
  return NULL;
}

void tcc_measurer_destroy(TccMeasurer *measurer) {
  if (!measurer) return;
  int result;
  stop(measurer, &result);
  free(measurer);
}

/* What ended the child, as the reason why the kernel has no time. */
static TccStatus *crashed(TccMeasurer *m) {
  int result = 0;
  while (waitpid(m->child, &result, 0) < 0 && errno == EINTR) {}
  close(m->to_child), close(m->from_child);
  m->child = 0;
  if (WIFSIGNALED(result)) return TCC_ERROR(TCC_MISMATCH, "crashed: signal %d", WTERMSIG(result));
  return TCC_ERROR(TCC_MISMATCH, "ended with status %d", WEXITSTATUS(result));
}

TccStatus *tcc_measurer_run(TccMeasurer *m, size_t index, size_t reference, double budget_ms, double hopeless, double limit_ms,
                            double *out_ms, double *out_ratio) {
  *out_ms = *out_ratio = -1;
  if (!m->child) TCC_TRY(start(m));
  Request request = {index, reference, budget_ms, hopeless};
  Answer answer;
  void (*before)(int) = signal(SIGPIPE, SIG_IGN);
  bool sent = write(m->to_child, &request, sizeof request) == sizeof request;
  signal(SIGPIPE, before);
  if (!sent) return crashed(m);
  double deadline = tcc_now_ms() + limit_ms;
  for (;;) {
    double left = deadline - tcc_now_ms();
    struct pollfd wait = {.fd = m->from_child, .events = POLLIN};
    int ready = left > 0 ? poll(&wait, 1, (int)ceil(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    if (read(m->from_child, &answer, sizeof answer) != sizeof answer) return crashed(m);
    *out_ms = answer.ms, *out_ratio = answer.ratio;
    return NULL;
  }
  int result;
  stop(m, &result);
  return TCC_ERROR(TCC_MISMATCH, "took more than %.0f ms", limit_ms);
}

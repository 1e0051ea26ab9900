/* measure.c - see include/tcc/measure.h.
 *
 * Parent and child speak through two pipes: a request is two kernels and a time, an answer is two numbers. The child
 * dies with its parent. Buffers are the child's, made once and grown: all kernels of one measurer are variants of one. */
#include "measure_child.h"
#include "tcc/clock.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_COPIES = 64, MOST_SAMPLES = 200, PATTERN = 1 << 20 };
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

static TccStatus *time_kernel(void *child, uint64_t index, size_t repeat, double *out_ms) {
  Child *c = child;
  const TccMeasureKernel *kernel = &c->measurer->kernels[index];
  TCC_TRY(tcc_team_prepare(c->team, kernel->scratch_bytes));
  double start = tcc_now_ms();
  for (size_t i = 0; i < repeat; i++, c->round++) {
    for (size_t b = 0; b < kernel->nbuffers; b++) c->arguments[b] = c->pools[b].copy[c->round % c->pools[b].copies];
    TccCommand command = {.function = kernel->function, .arguments = c->arguments, .sizes = kernel->sizes, .tiles = kernel->tiles};
    tcc_team_run(c->team, &command, 1, NULL);
  }
  *out_ms = (tcc_now_ms() - start) / (double)repeat;
  return NULL;
}

/* ---- what both kinds of child do ---- */
static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* A sample is long enough for the clock; short kernels run several times in one. */
TccStatus *tcc_measure_answer(TccMeasureTime *time, void *child, const TccMeasureRequest *r, TccMeasureAnswer *out) {
  static const double shortest_ms = 0.05;
  const bool alone = r->index == r->reference;
  double times[MOST_SAMPLES], ratios[MOST_SAMPLES], first, beside, other = 0, spent = 0;
  if (!alone) TCC_TRY(time(child, r->reference, 1, &beside));
  TCC_TRY(time(child, r->index, 1, &first));
  beside = first;
  if (!alone) TCC_TRY(time(child, r->reference, 1, &beside));
  *out = (TccMeasureAnswer){.ms = first, .ratio = first / beside};
  if (r->hopeless > 0 && first > r->hopeless * beside) return NULL;
  size_t repeat = first < shortest_ms ? (size_t)(shortest_ms / (first + 1e-4)) + 1 : 1, n = 0;
  for (; n < MOST_SAMPLES && (n < 2 || spent < r->budget_ms); n++) {
    TCC_TRY(time(child, r->index, repeat, &times[n]));
    if (!alone) TCC_TRY(time(child, r->reference, repeat, &other));
    ratios[n] = alone ? 1 : times[n] / other;
    spent += (times[n] + other) * (double)repeat;
  }
  qsort(times, n, sizeof *times, by_value);
  qsort(ratios, n, sizeof *ratios, by_value);
  out->ms = times[n / 4], out->ratio = n % 2 ? ratios[n / 2] : (ratios[n / 2 - 1] + ratios[n / 2]) / 2;
  return NULL;
}

static _Noreturn void serve(const TccMeasurer *m, int in, int out) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  for (int s = 1; s < NSIG; s++) signal(s, SIG_DFL); /* a crash ends the child and says nothing */
  Child c = {.measurer = m};
  TccStatus *status = tcc_team_create(&allocator, m->threads, &c.team);
  if (status) give_up();
  make_pools(&c);
  for (TccMeasureRequest request; read(in, &request, sizeof request) == sizeof request;) {
    TccMeasureAnswer answer;
    if (tcc_measure_answer(time_kernel, &c, &request, &answer)) give_up();
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

/* What the child of a device reads; -1 with errno. */
static int make_file(const TccMeasurer *m) {
  const TccMeasureHead head = {m->count, m->kernels[0].ndims, m->cold_bytes};
  int file = memfd_create("tcc-measure", MFD_CLOEXEC);
  if (file < 0) return -1;
  bool ok = tcc_file_put(file, &head, sizeof head) && tcc_file_put(file, m->kernels[0].dims, head.dims * sizeof(int64_t));
  for (size_t i = 0; i < m->count && ok; i++) ok = tcc_file_put(file, &(uint64_t){m->kernels[i].artifact.length}, sizeof(uint64_t));
  for (size_t i = 0; i < m->count && ok; i++) ok = tcc_file_put(file, m->kernels[i].artifact.data, m->kernels[i].artifact.length);
  if (ok) return file;
  close(file);
  return -1;
}

/* Descriptors of the parent stand behind those that the child gets. */
static int set_actions(posix_spawn_file_actions_t *actions, const int from[3], int moved[3]) {
  static const int to[3] = {STDIN_FILENO, STDOUT_FILENO, TCC_MEASURE_FILE};
  int error = posix_spawn_file_actions_init(actions);
  for (int i = 0; i < 3 && !error; i++) {
    moved[i] = fcntl(from[i], F_DUPFD_CLOEXEC, TCC_MEASURE_FILE + 1);
    error = moved[i] < 0 ? errno : posix_spawn_file_actions_adddup2(actions, moved[i], to[i]);
  }
  return error;
}

/* posix_spawn takes no memory of this process along, and any of its threads may call it. */
static TccStatus *spawn(const TccMeasurer *m, int in, int out, pid_t *out_child) {
  char *folder = tcc_library_dir(), *arguments[] = {"tcc-measure", NULL};
  int moved[3] = {-1, -1, -1}, file = make_file(m), error = file < 0 ? errno : 0;
  posix_spawn_file_actions_t actions = {0};
  TccText path = {0};
  tcc_text_printf(&path, "%s/tcc-measure", folder ? folder : ".");
  TccStatus *status = tcc_text_status(&path);
  if (!error && !status) {
    error = set_actions(&actions, (int[]){in, out, file}, moved);
    if (!error) error = posix_spawn(out_child, path.data, &actions, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&actions);
  }
  if (!status && error)
    status = TCC_ERROR(TCC_NOT_FOUND, "kernels of a device cannot be measured: %s: %s", path.data, strerror(error));
  for (int i = 0; i < 3; i++)
    if (moved[i] >= 0) close(moved[i]);
  if (file >= 0) close(file);
  tcc_text_destroy(&path);
  free(folder);
  return status;
}

static TccStatus *begin(TccMeasurer *m, int in, int out, int close_in, int close_out, pid_t *out_child) {
  if (m->kernels[0].artifact.data) return spawn(m, in, out, out_child);
  fflush(NULL);
  *out_child = fork();
  if (*out_child < 0) return TCC_ERROR(TCC_IO, "fork: %s", strerror(errno));
  if (*out_child) return NULL;
  close(close_in), close(close_out);
  serve(m, in, out);
}

static TccStatus *start(TccMeasurer *m) {
  int to[2], from[2];
  pid_t child;
  if (pipe2(to, O_CLOEXEC)) return TCC_ERROR(TCC_IO, "pipe: %s", strerror(errno));
  if (pipe2(from, O_CLOEXEC)) {
    close(to[0]), close(to[1]);
    return TCC_ERROR(TCC_IO, "pipe: %s", strerror(errno));
  }
  TccStatus *status = begin(m, to[0], from[1], to[1], from[0], &child);
  close(to[0]), close(from[1]);
  if (status) {
    close(to[1]), close(from[0]);
    return status;
  }
  m->to_child = to[1], m->from_child = from[0], m->child = child;
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
  TccMeasureRequest request = {index, reference, budget_ms, hopeless};
  TccMeasureAnswer answer;
  void (*before)(int) = signal(SIGPIPE, SIG_IGN);
  bool sent = write(m->to_child, &request, sizeof request) == sizeof request;
  signal(SIGPIPE, before);
  if (!sent) return crashed(m);
  double deadline = tcc_now_ms() + limit_ms;
  int result;
  for (;;) {
    double left = deadline - tcc_now_ms();
    struct pollfd wait = {.fd = m->from_child, .events = POLLIN};
    int ready = left > 0 ? poll(&wait, 1, (int)ceil(left)) : 0;
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) break;
    if (read(m->from_child, &answer, sizeof answer) != sizeof answer) return crashed(m);
    if (answer.error[0]) {
      stop(m, &result);
      return TCC_ERROR(TCC_MISMATCH, "%s", answer.error);
    }
    *out_ms = answer.ms, *out_ratio = answer.ratio;
    return NULL;
  }
  stop(m, &result);
  return TCC_ERROR(TCC_MISMATCH, "took more than %.0f ms", limit_ms);
}

/* Threads that the system does not give, and forks: the child of a process that has run a context runs it too, with threads of its
 * own, creates others, and destroys them; the parent goes on; other threads may be running and creating contexts meanwhile. */
#include "plan_builder.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WIDTH = 64, ROWS = 256, CHILD_SECONDS = 60 };

static int failures;
static _Atomic int threads_left = -1; /* that may be started; -1: any number */
static _Atomic bool stop;

/* In place of the C library's. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*start)(void *), void *argument) {
  int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
  void *address = dlsym(RTLD_NEXT, "pthread_create");
  memcpy(&real, &address, sizeof real);
  if (threads_left == 0) return EAGAIN;
  if (threads_left > 0) threads_left--;
  return real(thread, attributes, start, argument);
}

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

/* r[i, j] = x[i, j] + 1; a tile is a row */
static void add_one(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  for (int64_t i = begin * sizes[0]; i < end * sizes[0]; i++) ((float *)arguments[1])[i] = ((const float *)arguments[0])[i] + 1;
}

static TccKernelFunction *find(const char *symbol, void *user) {
  (void)user, (void)symbol;
  return add_one;
}

/* main(x: f32[A, WIDTH]) -> x + 3 */
static TccModel *make_model(void **out_block) {
  Plan p;
  plan_open(&p);
  plan_symbol(&p, "A", 0);
  uint32_t call = plan_call(&p, "add_one", false, "64", "A");
  for (int i = 0; i < 4; i++) plan_value(&p, i ? TCC_PLAN_RESULT : TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "A, 64", 0);
  for (uint32_t i = 0; i < 3; i++) plan_command(&p, TCC_PLAN_KERNEL, call, LIST(&p, i), LIST(&p, i + 1), (TccPlanRange){0, 0});
  TccPlanFunction entry = {
      .name = plan_text(&p, "main"), .values = {0, 4}, .commands = {0, 3}, .arguments = 1, .results = LIST(&p, 3)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  TccPlanPort x = {plan_text(&p, "x"), 0, -1}, y = {plan_text(&p, "y"), 3, -1};
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.outputs, y);
  size_t bytes;
  *out_block = plan_finish(&p, &bytes);
  TccModel *model;
  TccLoadOptions options = {.threads = 1};
  TccStatus *status = tcc_plan_check(*out_block, bytes);
  if (!status) status = tcc_model_create((TccArtifact){.plan = *out_block}, find, NULL, &options, &model);
  if (status) abort();
  return model;
}

static TccCode code_of(TccStatus *status) {
  TccCode code = tcc_status_code(status);
  tcc_status_destroy(status);
  return code;
}

static TccCode create(TccModel *model, unsigned threads, TccContext **out) {
  return code_of(tcc_context_create(model, &(TccContextOptions){.threads = threads}, out));
}

static TccCode run(TccContext *context, int64_t rows) {
  static _Thread_local float x[ROWS * WIDTH];
  for (int i = 0; i < ROWS * WIDTH; i++) x[i] = (float)i;
  int64_t shape[2] = {rows, WIDTH};
  TccTensor input = {.data = x, .device = {TCC_DEVICE_CPU, 0}, .rank = 2, .dtype = {TCC_DTYPE_FLOAT, 32, 1}, .shape = shape},
            out = {0};
  TccCode code = code_of(tcc_context_run(context, &input, 1, &out, 1));
  for (int64_t i = 0; code == TCC_OK && i < rows * WIDTH; i++)
    if (((float *)out.data)[i] != (float)i + 3) code = TCC_MISMATCH;
  return code;
}

/* ---- threads that cannot be had ---- */
static void test_no_threads(TccModel *model) {
  TccContext *context;
  for (int given = 0; given < 3; given++) {
    threads_left = given;
    expect(create(model, 4, &context) == TCC_NO_MEMORY && !context, "no threads, no context");
    threads_left = -1;
  }
  expect(create(model, 4, &context) == TCC_OK && run(context, ROWS) == TCC_OK, "the next context");
  tcc_context_destroy(context);
}

/* ---- forks ---- */
typedef void Child(TccModel *model, TccContext *context);

#if defined(__SANITIZE_ADDRESS__)
/* The state of a thread of this process, as a letter of proc(5); 'S' of one that has ended. */
static char state_of(const char *thread) {
  char path[300], line[300];
  snprintf(path, sizeof path, "/proc/self/task/%s/stat", thread);
  FILE *file = fopen(path, "r");
  const char *name_ends = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
  if (file) fclose(file);
  return name_ends ? name_ends[2] : 'S';
}

/* A sanitizer's allocator has locks of its own, and a child inherits one for good that a thread, as while it starts, holds at the fork. */
static void wait_for_others(void) {
  char own[32];
  snprintf(own, sizeof own, "%d", (int)gettid());
  for (bool busy = true; busy;) {
    DIR *tasks = opendir("/proc/self/task");
    if (!tasks) abort();
    busy = false;
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks))
      busy |= task->d_name[0] != '.' && strcmp(task->d_name, own) != 0 && state_of(task->d_name) != 'S';
    closedir(tasks);
    if (busy) usleep(1000);
  }
}
#else
static void wait_for_others(void) {}
#endif

/* The child ends with the number of its failures; one that hangs is ended by its alarm. */
static void fork_to(Child *child, TccModel *model, TccContext *context, const char *what) {
  fflush(stdout);
  wait_for_others();
  pid_t pid = fork();
  if (pid == 0) {
    alarm(CHILD_SECONDS);
    failures = 0;
    child(model, context);
    fflush(stdout);
    _exit(failures);
  }
  int result = -1;
  expect(pid > 0 && waitpid(pid, &result, 0) == pid, "fork");
  if (WIFSIGNALED(result)) printf("signal %d\n", WTERMSIG(result));
  expect(WIFEXITED(result) && WEXITSTATUS(result) == 0, what);
}

static void run_both(TccModel *model, TccContext *context) {
  TccContext *own;
  expect(run(context, ROWS) == TCC_OK && run(context, ROWS) == TCC_OK, "child: the parent's context");
  expect(run(context, ROWS - 3) == TCC_OK, "child: sizes that the parent did not run");
  expect(create(model, 3, &own) == TCC_OK && run(own, ROWS) == TCC_OK, "child: a context of its own");
  tcc_context_destroy(own);
  expect(run(context, ROWS) == TCC_OK, "child: the parent's context again");
}

static void run_and_destroy(TccModel *model, TccContext *context) {
  run_both(model, context);
  tcc_context_destroy(context);
}

static void destroy(TccModel *model, TccContext *context) {
  (void)model;
  tcc_context_destroy(context);
}

static void fork_again(TccModel *model, TccContext *context) {
  fork_to(run_and_destroy, model, context, "a grandchild");
  run_both(model, context);
  fork_to(run_and_destroy, model, context, "a grandchild whose parent ran");
}

static void run_without_threads(TccModel *model, TccContext *context) {
  (void)model;
  for (int given = 0; given < 3; given++) {
    threads_left = given;
    expect(run(context, ROWS) == TCC_NO_MEMORY, "child: no threads");
  }
  threads_left = -1;
  expect(run(context, ROWS) == TCC_OK, "child: threads later");
  tcc_context_destroy(context);
}

static void fail_and_destroy(TccModel *model, TccContext *context) {
  (void)model;
  threads_left = 1;
  expect(run(context, ROWS) == TCC_NO_MEMORY, "child: no threads");
  tcc_context_destroy(context);
}

static void test_forks(TccModel *model, unsigned threads) {
  TccContext *context;
  expect(create(model, threads, &context) == TCC_OK, "context");
  if (!context) return;
  fork_to(run_both, model, context, "a fork before the first run");
  expect(run(context, ROWS) == TCC_OK, "parent");
  fork_to(destroy, model, context, "a child that destroys the context");
  fork_to(run_and_destroy, model, context, "a child that runs and destroys the context");
  fork_to(fork_again, model, context, "a child that forks");
  if (threads > 3) fork_to(run_without_threads, model, context, "a child without threads");
  if (threads > 3) fork_to(fail_and_destroy, model, context, "a child without threads that gives up");
  expect(run(context, ROWS) == TCC_OK && run(context, 5) == TCC_OK, "the parent after forks");
  tcc_context_destroy(context);
}

/* ---- forks while others are busy ---- */
static void *stay_busy(void *model) {
  TccContext *context = NULL;
  bool ok = true;
  for (int turn = 0; ok && !atomic_load(&stop); turn++) {
    if (turn % 4 == 0) {
      tcc_context_destroy(context);
      ok = create(model, 2, &context) == TCC_OK;
    }
    ok = ok && run(context, 1 + turn % ROWS) == TCC_OK;
  }
  tcc_context_destroy(context);
  return ok ? NULL : model;
}

static void test_busy(TccModel *model) {
  pthread_t threads[2];
  TccContext *context;
  expect(create(model, 2, &context) == TCC_OK && run(context, ROWS) == TCC_OK, "context");
  for (int i = 0; i < 2; i++) expect(pthread_create(&threads[i], NULL, stay_busy, model) == 0, "thread");
  for (int i = 0; i < 20; i++) fork_to(run_both, model, context, "a fork while other threads run contexts");
  expect(run(context, ROWS) == TCC_OK, "parent");
  stop = true;
  for (int i = 0; i < 2; i++) {
    void *failed;
    expect(pthread_join(threads[i], &failed) == 0 && !failed, "the others");
  }
  tcc_context_destroy(context);
}

int main(void) {
  void *block;
  TccModel *model = make_model(&block);
  test_no_threads(model);
#if defined(__SANITIZE_THREAD__)
  (void)test_forks, (void)test_busy; /* it ends a child that starts threads */
#else
  static const unsigned threads[] = {1, 2, 4};
  for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) test_forks(model, threads[i]);
#if defined(__SANITIZE_ADDRESS__)
  (void)test_busy; /* its allocator's locks stay taken in a child that is forked while another thread allocates */
#else
  test_busy(model);
#endif
#endif
  tcc_model_destroy(model);
  free(block);
  return failures != 0;
}

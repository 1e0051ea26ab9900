/* run_suite.c - tcc-run --suite: every case below a directory, each in a child process, so that a crash is a line of the
 * report and not the end of it.
 *
 * A case is a directory with model.onnx and data sets test_data_set_K. Children are forked, not executed anew, from a
 * process that has loaded the compiler library and has one thread; a child that hangs is ended after a minute. */
#include "run.h"
#include "tools/common.h"
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CASE_SECONDS = 60, MAX_CHILDREN = 64, MESSAGE_BYTES = 4096 };

typedef struct {
  char **paths;
  size_t count;
} Cases;

static void add_case(Cases *cases, const char *path) {
  char **grown = realloc(cases->paths, (cases->count + 1) * sizeof *grown);
  if (!grown) return;
  cases->paths = grown;
  cases->paths[cases->count++] = strdup(path);
}

static void find_cases(const char *path, Cases *cases, int depth) {
  TccText name = {0};
  tcc_text_printf(&name, "%s/model.onnx", path);
  bool is_case = access(name.data, R_OK) == 0;
  if (is_case) add_case(cases, path);
  DIR *folder = is_case || depth > 8 ? NULL : opendir(path);
  for (struct dirent *entry; folder && (entry = readdir(folder));) {
    if (entry->d_name[0] == '.' || (entry->d_type != DT_DIR && entry->d_type != DT_UNKNOWN && entry->d_type != DT_LNK)) continue;
    tcc_text_clear(&name);
    tcc_text_printf(&name, "%s/%s", path, entry->d_name);
    find_cases(name.data, cases, depth + 1);
  }
  if (folder) closedir(folder);
  tcc_text_destroy(&name);
}

static int by_name(const void *a, const void *b) { return strcmp(*(char *const *)a, *(char *const *)b); }

/* All data sets of a case; without any, the model is compiled and that is all. */
static TccStatus *check_case(const RunOptions *options, const char *path) {
  RunOptions one = *options;
  TccText model = {0}, data = {0};
  tcc_text_printf(&model, "%s/model.onnx", path);
  one.model = model.data;
  one.check = true;
  TccStatus *status = NULL;
  for (size_t k = 0; !status; k++) {
    tcc_text_clear(&data);
    tcc_text_printf(&data, "%s/test_data_set_%zu", path, k);
    if (access(data.data, R_OK) != 0) {
      if (k == 0) status = TCC_ERROR(TCC_NOT_FOUND, "no test_data_set_0");
      break;
    }
    one.data = data.data;
    status = run_case(&one);
    if (status && k > 0) status = tcc_status_context(status, "test_data_set_%zu", k);
  }
  tcc_text_destroy(&model);
  tcc_text_destroy(&data);
  return status;
}

/* ---- children ---- */
typedef struct {
  pid_t process;
  int pipe;
  size_t index;
  char message[MESSAGE_BYTES];
  size_t length;
} Child;

/* The child writes one letter, P, U or F, and the reason. */
static bool start_child(const RunOptions *options, const char *path, size_t index, Child *out) {
  int ends[2];
  if (pipe(ends) != 0) return false;
  fflush(NULL);
  pid_t process = fork();
  if (process < 0) {
    close(ends[0]);
    close(ends[1]);
    return false;
  }
  if (process == 0) {
    close(ends[0]);
    alarm(CASE_SECONDS);
    freopen("/dev/null", "w", stderr);
    TccStatus *status = check_case(options, path);
    bool unsupported = status && tcc_status_code(status) == TCC_UNSUPPORTED;
    dprintf(ends[1], "%c%s", !status ? 'P' : unsupported ? 'U' : 'F', status ? tcc_status_message(status) : "");
    _exit(0);
  }
  close(ends[1]);
  *out = (Child){.process = process, .pipe = ends[0], .index = index};
  return true;
}

typedef struct {
  char letter;
  char *reason;
} Outcome;

static void finish_child(Child *child, Outcome *outcome) {
  int result = 0;
  close(child->pipe);
  while (waitpid(child->process, &result, 0) < 0 && errno == EINTR) {}
  TccText reason = {0};
  if (WIFSIGNALED(result) && WTERMSIG(result) == SIGALRM) tcc_text_printf(&reason, "still running after %d seconds", CASE_SECONDS);
  else if (WIFSIGNALED(result)) tcc_text_printf(&reason, "ended by signal %d (%s)", WTERMSIG(result), strsignal(WTERMSIG(result)));
  else if (child->length == 0) tcc_text_printf(&reason, "ended with exit status %d and said nothing", WEXITSTATUS(result));
  else tcc_text_put(&reason, child->message + 1, child->length - 1);
  bool whole = WIFEXITED(result) && child->length > 0;
  *outcome = (Outcome){whole ? child->message[0] : 'F', reason.data};
}

/* Prints the reason in one line. */
static void print_outcome(const char *name, const Outcome *outcome) {
  const char *word = outcome->letter == 'P' ? "PASS" : outcome->letter == 'U' ? "UNSUPPORTED" : "FAIL";
  printf("%s %s", word, name);
  if (outcome->letter != 'P') {
    printf(": ");
    for (const char *at = outcome->reason; *at; at++) putchar(*at == '\n' ? ' ' : *at);
  }
  printf("\n");
}

int run_suite(const RunOptions *options) {
  Cases cases = {0};
  find_cases(options->suite, &cases, 0);
  if (cases.count == 0) {
    fprintf(stderr, "tcc-run: error: %s: no model.onnx below\n", options->suite);
    return TCC_EXIT_FAILED;
  }
  qsort(cases.paths, cases.count, sizeof *cases.paths, by_name);
  Outcome *outcomes = calloc(cases.count, sizeof *outcomes);
  Child *children = calloc(MAX_CHILDREN, sizeof *children);
  if (!outcomes || !children) return TCC_EXIT_FAILED;
  long cores = sysconf(_SC_NPROCESSORS_ONLN);
  size_t limit = cores < 1 ? 1 : cores > MAX_CHILDREN ? MAX_CHILDREN : (size_t)cores, running = 0, next = 0, printed = 0;
  size_t counts[3] = {0}, skip = strlen(options->suite);
  tcc_compiler_preload();
  while (printed < cases.count) {
    while (running < limit && next < cases.count && start_child(options, cases.paths[next], next, &children[running])) {
      running++;
      next++;
    }
    struct pollfd polls[MAX_CHILDREN];
    for (size_t i = 0; i < running; i++) polls[i] = (struct pollfd){children[i].pipe, POLLIN, 0};
    if (running == 0 || (poll(polls, running, -1) < 0 && errno != EINTR)) break;
    for (size_t i = running; i-- > 0;) {
      if (!polls[i].revents) continue;
      char rest[256]; /* of a message too long to keep */
      Child *child = &children[i];
      bool full = child->length == sizeof child->message;
      ssize_t n = read(child->pipe, full ? rest : child->message + child->length,
                       full ? sizeof rest : sizeof child->message - child->length);
      if (n > 0 && !full) child->length += (size_t)n;
      if (n > 0) continue;
      finish_child(child, &outcomes[child->index]);
      children[i] = children[--running];
      polls[i] = polls[running];
    }
    for (; printed < cases.count && outcomes[printed].letter; printed++) {
      const char *name = cases.paths[printed] + skip;
      print_outcome(*name == '/' ? name + 1 : name, &outcomes[printed]);
      counts[outcomes[printed].letter == 'P' ? 0 : outcomes[printed].letter == 'U' ? 2 : 1]++;
      free(outcomes[printed].reason);
    }
    fflush(stdout);
  }
  printf("%zu passed, %zu failed, %zu skipped\n", counts[0], counts[1], counts[2]);
  for (size_t i = 0; i < cases.count; i++) free(cases.paths[i]);
  free(cases.paths);
  free(outcomes);
  free(children);
  return counts[1] || printed < cases.count ? TCC_EXIT_FAILED : TCC_EXIT_OK;
}

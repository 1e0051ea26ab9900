/* reduce_run.c - runs a command on a candidate and says how it ended; see reduce.h. */
#include "tcc/clock.h"
#include "tools/reduce.h"
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* The word with the model's path for {} and the folder for {data}. */
static char *replaced(const char *word, const char *model, const char *data) {
  TccText text = {0};
  tcc_text_put(&text, "", 0);
  while (*word) {
    if (strncmp(word, "{}", 2) == 0) tcc_text_printf(&text, "%s", model), word += 2;
    else if (strncmp(word, "{data}", 6) == 0) tcc_text_printf(&text, "%s", data), word += 6;
    else tcc_text_put(&text, word++, 1);
  }
  char *out = text.failed ? NULL : strdup(text.data);
  tcc_text_destroy(&text);
  return out;
}

static bool contains(FILE *file, const char *wanted) {
  TccText text = {0};
  char buffer[4096];
  tcc_text_put(&text, "", 0);
  rewind(file);
  for (size_t got; (got = fread(buffer, 1, sizeof buffer, file)) > 0;) tcc_text_put(&text, buffer, got);
  const bool found = text.data && memmem(text.data, text.length, wanted, strlen(wanted));
  tcc_text_destroy(&text);
  return found;
}

/* The child leads a group of its own, so that what it starts ends with it. */
static pid_t start(char **words, FILE *output) {
  const pid_t child = fork();
  if (child != 0) return child;
  setpgid(0, 0);
  dup2(fileno(output), STDOUT_FILENO);
  dup2(fileno(output), STDERR_FILENO);
  execvp(words[0], words);
  _exit(127);
}

static TccStatus *wait_for(pid_t child, double seconds, int *out_status) {
  const double begin = tcc_now_ms();
  int how;
  for (;;) {
    const pid_t done = waitpid(child, &how, WNOHANG);
    if (done == child) break;
    if (done < 0 && errno != EINTR) return TCC_ERROR(TCC_IO, "the command is lost: %s", strerror(errno));
    if (tcc_now_ms() - begin > seconds * 1000) {
      kill(-child, SIGKILL);
      kill(child, SIGKILL);
      waitpid(child, &how, 0);
      *out_status = REDUCE_HANGS;
      return NULL;
    }
    usleep(2000);
  }
  kill(-child, SIGKILL); /* what it left behind */
  *out_status = WIFSIGNALED(how) ? 128 + WTERMSIG(how) : WEXITSTATUS(how);
  return NULL;
}

TccStatus *reduce_run(const ReduceCommand *command, const char *model, const char *data, ReduceOutcome *out) {
  *out = (ReduceOutcome){0};
  char **words = calloc(command->count + 1, sizeof *words);
  FILE *output = tmpfile();
  TccStatus *status = NULL;
  if (!words) TCC_GOTO(TCC_ERROR(TCC_NO_MEMORY, "out of memory"));
  if (!output) TCC_GOTO(TCC_ERROR(TCC_IO, "no temporary file: %s", strerror(errno)));
  for (size_t i = 0; i < command->count; i++)
    if (!(words[i] = replaced(command->words[i], model, data))) TCC_GOTO(TCC_ERROR(TCC_NO_MEMORY, "out of memory"));
  const pid_t child = start(words, output);
  if (child < 0) TCC_GOTO(TCC_ERROR(TCC_IO, "no process: %s", strerror(errno)));
  TCC_GOTO(wait_for(child, command->seconds, &out->status));
  if (out->status == 127) TCC_GOTO(TCC_ERROR(TCC_NOT_FOUND, "%s: there is no such command, or it ended with 127", words[0]));
  out->matches = !command->match || contains(output, command->match);
done:
  for (size_t i = 0; words && i < command->count; i++) free(words[i]);
  free(words);
  if (output) fclose(output);
  return status;
}

TccStatus *reduce_clear(const char *folder) {
  DIR *directory = opendir(folder);
  if (!directory) return TCC_ERROR(TCC_IO, "%s: %s", folder, strerror(errno));
  for (struct dirent *entry; (entry = readdir(directory));) {
    int number, length = 0;
    if ((sscanf(entry->d_name, "input_%d.npy%n", &number, &length) == 1 ||
         sscanf(entry->d_name, "output_%d.npy%n", &number, &length) == 1) &&
        length && !entry->d_name[length])
      unlinkat(dirfd(directory), entry->d_name, 0);
  }
  closedir(directory);
  return NULL;
}

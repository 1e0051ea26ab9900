/* ptxas.c - see tcc/ptxas.h.
 *
 * The program runs in a process group of its own, so that a script around it and what that has started end together when the time is over. */
#include "tcc/ptxas.h"
#include "tcc/clock.h"
#include "tcc/file.h"
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;
enum {
  RUN_SECONDS = 300,    /* that ptxas may take, unless the compilation has a limit: the largest kernels take some ten */
  VERSION_SECONDS = 20, /* to say its version */
  SAID_BYTES = 64 << 10 /* of what it says that are kept */
};
#define SOURCE "kernels.ptx"
#define RESULT "kernels.cubin"

/* ---- a program ---- */

/* Reads what comes until the other end is closed; false: the time is over first. */
static bool listen_until(int fd, double end, TccText *said) {
  char bytes[4096];
  for (;;) {
    double left = end - tcc_now_ms();
    if (left <= 0) return false;
    struct pollfd wait = {.fd = fd, .events = POLLIN};
    if (poll(&wait, 1, left < 1000 ? (int)left + 1 : 1000) <= 0) continue;
    ssize_t n = read(fd, bytes, sizeof bytes);
    if (n == 0 || (n < 0 && errno != EINTR)) return true;
    if (n > 0 && said->length < SAID_BYTES) tcc_text_put(said, bytes, (size_t)n);
  }
}

/* A process may close its output and go on. */
static bool wait_until(pid_t process, double end, int *out_status) {
  const struct timespec pause = {.tv_nsec = 1000 * 1000};
  for (;;) {
    pid_t ended = waitpid(process, out_status, WNOHANG);
    if (ended == process) return true;
    if (ended < 0 && errno != EINTR) return *out_status = 0, true; /* its parent does not want to know (SIGCHLD is ignored) */
    if (tcc_now_ms() >= end) return false;
    nanosleep(&pause, NULL);
  }
}

static int spawn(const char *path, char *const *arguments, const char *folder, int output, pid_t *out) {
  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
  int error = posix_spawn_file_actions_init(&files);
  if (error) return error;
  error = posix_spawnattr_init(&attributes);
  if (!error) {
    error = posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    if (!error) error = posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
    if (!error) error = posix_spawn_file_actions_adddup2(&files, output, STDERR_FILENO);
    if (!error && folder) error = posix_spawn_file_actions_addchdir_np(&files, folder);
    if (!error) error = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
    if (!error) error = posix_spawnattr_setpgroup(&attributes, 0);
    if (!error) error = posix_spawn(out, path, &files, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
  }
  posix_spawn_file_actions_destroy(&files);
  return error;
}

/* The first line of what a program said, behind ": ". */
static TccStatus *failed(TccCode code, const char *path, const char *how, const TccText *said) {
  size_t length = 0;
  while (length < said->length && length < 300 && said->data[length] != '\n') length++;
  return TCC_ERROR(code, "%s %s%s%.*s", path, how, length ? ": " : "", (int)length, length ? said->data : "");
}

static TccStatus *run(const char *path, char *const *arguments, const char *folder, double seconds, const TccLimit *limit,
                      TccText *said) {
  double start = tcc_now_ms(), end = start + seconds * 1000;
  if (limit->seconds > 0 && limit->end < end) end = limit->end;
  int ends[2], status = 0;
  pid_t process;
  if (pipe2(ends, O_CLOEXEC)) return TCC_ERROR(TCC_IO, "%s: no pipe: %s", path, strerror(errno));
  int error = spawn(path, arguments, folder, ends[1], &process);
  close(ends[1]);
  if (error) {
    close(ends[0]);
    return TCC_ERROR(TCC_INVALID, "%s does not start: %s", path, strerror(error));
  }
  bool ended = listen_until(ends[0], end, said) && wait_until(process, end, &status);
  if (!ended) {
    kill(-process, SIGKILL);
    waitpid(process, &status, 0);
  }
  close(ends[0]);
  char how[80];
  TCC_TRY(tcc_text_status(said));
  if (!ended) {
    snprintf(how, sizeof how, "did not end within %.1f s", (end - start) / 1000);
    return failed(TCC_NO_MEMORY, path, how, said);
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return NULL;
  if (WIFSIGNALED(status)) snprintf(how, sizeof how, "ended by signal %d", WTERMSIG(status));
  else snprintf(how, sizeof how, "failed with status %d", WEXITSTATUS(status));
  return failed(TCC_INVALID, path, how, said);
}

/* ---- which ---- */
static bool is_program(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

/* A file if there is a slash in the name, else what $PATH has; heap, or NULL. */
static char *program(const char *name) {
  if (strchr(name, '/')) return is_program(name) ? realpath(name, NULL) : NULL;
  const char *at = getenv("PATH");
  TccText path = {0};
  char *found = NULL;
  while (at && *at && !found) {
    size_t length = strcspn(at, ":");
    tcc_text_clear(&path);
    if (length) tcc_text_printf(&path, "%.*s/%s", (int)length, at, name);
    if (length && !path.failed && is_program(path.data)) found = realpath(path.data, NULL);
    at += length + (at[length] == ':');
  }
  tcc_text_destroy(&path);
  return found;
}

TccStatus *tcc_ptxas_find(TccArena *arena, const char *which, const TccLimit *limit, const TccPtxas **out) {
  *out = NULL;
  const char *told = strcmp(which, TCC_PTXAS_FIND) == 0 ? getenv("TCC_PTXAS") : which;
  if (told && strcmp(told, TCC_PTXAS_NONE) == 0) return NULL;
  bool named = told && *told;
  char *path = program(named ? told : "ptxas");
  if (!path) return named ? TCC_ERROR(TCC_NOT_FOUND, "ptxas: '%s' is no program", told) : NULL;
  char *const arguments[] = {path, "--version", NULL};
  TccText said = {0};
  TccStatus *status = run(path, arguments, NULL, VERSION_SECONDS, limit, &said);
  if (!status && !said.length) status = TCC_ERROR(TCC_INVALID, "%s says no version", path);
  if (!status) {
    TccPtxas *ptxas = TCC_NEW(arena, TccPtxas);
    *out = ptxas;
    *ptxas = (TccPtxas){tcc_arena_copy(arena, path, strlen(path)), tcc_arena_copy(arena, said.data, said.length)};
  }
  tcc_text_destroy(&said);
  free(path);
  return status;
}

/* ---- PTX to a cubin ---- */

/* Who is to take it for machine code is the driver; this is about programs that end well and write something else. */
static bool is_cubin(const TccFileMap *map) {
  const Elf64_Ehdr *header = map->data;
  return map->length >= sizeof *header && memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
         header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_machine == EM_CUDA;
}

static TccStatus *assemble(const TccPtxas *ptxas, const char *chip, const char *folder, const char *source, const char *result,
                           TccStr ptx, const TccLimit *limit, TccText *out) {
  char arch[40];
  snprintf(arch, sizeof arch, "-arch=%s", chip);
  char *const arguments[] = {(char *)ptxas->path, arch, SOURCE, "-o", RESULT, NULL};
  TccText said = {0};
  TccFileMap map = {0};
  TccStatus *status = tcc_file_write_quickly(source, ptx.data, ptx.length);
  if (!status) status = run(ptxas->path, arguments, folder, RUN_SECONDS, limit, &said);
  if (!status && access(result, F_OK) != 0) status = TCC_ERROR(TCC_INVALID, "%s wrote no cubin", ptxas->path);
  if (!status) status = tcc_file_map(result, &map);
  if (!status && !is_cubin(&map)) status = TCC_ERROR(TCC_INVALID, "what %s wrote is no cubin", ptxas->path);
  if (!status) tcc_text_put(out, map.data, map.length);
  if (!status) status = tcc_text_status(out);
  tcc_file_unmap(&map);
  tcc_text_destroy(&said);
  return status;
}

TccStatus *tcc_ptxas_run(const TccPtxas *ptxas, const char *chip, TccStr ptx, const TccLimit *limit, TccText *out) {
  const char *place = getenv("TMPDIR");
  TccText folder = {0}, source = {0}, result = {0};
  tcc_text_printf(&folder, "%s/tcc-ptxas-XXXXXX", place && *place ? place : "/tmp");
  TccStatus *status = tcc_text_status(&folder);
  bool made = !status && mkdtemp(folder.data) != NULL;
  if (!status && !made) status = TCC_ERROR(TCC_IO, "no folder %s for ptxas: %s", folder.data, strerror(errno));
  if (made) {
    tcc_text_printf(&source, "%s/" SOURCE, folder.data);
    tcc_text_printf(&result, "%s/" RESULT, folder.data);
    status = tcc_text_status(&source);
    if (!status) status = tcc_text_status(&result);
    if (!status) status = assemble(ptxas, chip, folder.data, source.data, result.data, ptx, limit, out);
    if (!source.failed) unlink(source.data);
    if (!result.failed) unlink(result.data);
    rmdir(folder.data);
  }
  tcc_text_destroy(&folder);
  tcc_text_destroy(&source);
  tcc_text_destroy(&result);
  return status;
}

/* Mapped files, the refusals of tcc_file_map_beneath, and atomic writes. */
#include "tcc/file.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static int failures;

static void expect(bool ok, const char *what) {
  if (ok) return;
  printf("failed: %s\n", what);
  failures++;
}

/* code TCC_OK: name must open and hold "inside". */
static void beneath(const char *directory, const char *name, size_t length, TccCode code) {
  TccFileMap map;
  TccStatus *status = tcc_file_map_beneath(directory, (TccStr){name, length}, &map);
  bool ok = tcc_status_code(status) == code && (code || (map.length == 6 && memcmp(map.data, "inside", 6) == 0));
  if (!ok) {
    printf("beneath '%s': got %s (%s), want %s\n", name, tcc_code_name(tcc_status_code(status)),
           status ? tcc_status_message(status) : "", tcc_code_name(code));
    failures++;
  }
  tcc_status_destroy(status);
  tcc_file_unmap(&map);
}

static void make_files(void) {
  expect(mkdir("sub", 0777) == 0 && mkdir("model", 0777) == 0, "mkdir");
  expect(!tcc_file_write("secret", "secret", 6) && !tcc_file_write("model/data", "inside", 6), "write");
  expect(!tcc_directory_make("model/a/b/c") && !tcc_directory_make("model/a/b/c/"), "directory_make twice");
  expect(!tcc_file_write("model/a/b/c/data", "inside", 6) && !tcc_file_write("model/shared", "inside", 6), "write");
  expect(symlink("../secret", "model/link") == 0 && symlink("data", "model/near") == 0, "symlink");
  expect(symlink("..", "model/up") == 0 && symlink("a", "model/down") == 0, "symlink");
  expect(link("model/shared", "model/hard") == 0 && mkfifo("model/fifo", 0600) == 0, "link, mkfifo");
}

static void refusals(void) {
#define BENEATH(name, code) beneath("model", name, sizeof name - 1, code)
  BENEATH("data", TCC_OK);
  BENEATH("a/b/c/data", TCC_OK);
  BENEATH("./data", TCC_OK);
  BENEATH("", TCC_INVALID);
  BENEATH("../secret", TCC_INVALID);
  BENEATH("a/../../secret", TCC_INVALID);
  BENEATH("a/..", TCC_INVALID);
  BENEATH("/etc/passwd", TCC_INVALID);
  BENEATH("a//b/c/data", TCC_INVALID);
  BENEATH("data/", TCC_INVALID);
  BENEATH("da\0ta", TCC_INVALID);
  BENEATH("link", TCC_INVALID);
  BENEATH("near", TCC_INVALID);
  BENEATH("up/secret", TCC_INVALID);
  BENEATH("down/b/c/data", TCC_INVALID);
  BENEATH("hard", TCC_INVALID);
  BENEATH("fifo", TCC_INVALID);
  BENEATH("a", TCC_INVALID);
  BENEATH("missing", TCC_NOT_FOUND);
  BENEATH("missing/data", TCC_NOT_FOUND);
  beneath("", "model/data", 10, TCC_OK);
  char name[5000];
  memset(name, 'x', sizeof name);
  beneath("model", name, sizeof name, TCC_INVALID);
}

static void mapping(void) {
  TccFileMap map;
  TccStatus *status = tcc_file_map("model", &map);
  expect(tcc_status_code(status) == TCC_INVALID && !map.data, "a directory");
  tcc_status_destroy(status);
  status = tcc_file_map("model/fifo", &map);
  expect(tcc_status_code(status) == TCC_INVALID, "a FIFO");
  tcc_status_destroy(status);
  status = tcc_file_map("/dev/null", &map);
  expect(tcc_status_code(status) == TCC_INVALID, "a device");
  tcc_status_destroy(status);
  status = tcc_file_map("nothing", &map);
  expect(tcc_status_code(status) == TCC_NOT_FOUND, "no file");
  tcc_status_destroy(status);
  expect(!tcc_file_write("empty", NULL, 0) && !tcc_file_map("empty", &map) && map.length == 0, "an empty file");
  tcc_file_unmap(&map);
}

static void writing(void) {
  TccFileMap map;
  struct stat fifo;
  char got[4] = {0};
  int reader = open("model/fifo", O_RDWR | O_NONBLOCK);
  expect(reader >= 0 && !tcc_file_write("model/fifo", "abc", 3) && read(reader, got, 3) == 3 && memcmp(got, "abc", 3) == 0,
         "into a FIFO");
  expect(stat("model/fifo", &fifo) == 0 && S_ISFIFO(fifo.st_mode), "which is still there");
  close(reader);
  expect(!tcc_file_write("out", "first", 5) && !tcc_file_map("out", &map), "first");
  expect(!tcc_file_write("out", "second version", 14), "second");
  expect(map.length == 5 && memcmp(map.data, "first", 5) == 0, "the old bytes stay for who has them");
  tcc_file_unmap(&map);
  expect(!tcc_file_write_quickly("quick", "first", 5) && !tcc_file_write_quickly("quick", "two", 3) &&
             !tcc_file_map("quick", &map) && map.length == 3 && memcmp(map.data, "two", 3) == 0,
         "quickly");
  tcc_file_unmap(&map);
  TccStatus *status = tcc_file_write("missing/out", "x", 1);
  expect(tcc_status_code(status) == TCC_NOT_FOUND, "write into a missing directory");
  tcc_status_destroy(status);
  status = tcc_file_write("model", "x", 1); /* a directory cannot be replaced; nothing may be left */
  expect(tcc_status_code(status) == TCC_INVALID && system("ls | grep -q tmp") != 0, "write over a directory");
  tcc_status_destroy(status);
  status = tcc_directory_make("out/sub");
  expect(tcc_status_code(status) == TCC_IO, "a directory in a file");
  tcc_status_destroy(status);
}

/* From here on the kernel has no openat2, as before 5.6. */
static bool forget_openat2(void) {
  struct sock_filter code[] = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
                               BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat2, 0, 1),
                               BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  struct sock_fprog program = {sizeof code / sizeof *code, code};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int main(void) {
  char folder[] = "/tmp/tcc-file-XXXXXX", remove[64];
  if (!mkdtemp(folder) || chdir(folder) != 0) return 1;
  make_files();
  refusals();
  mapping();
  writing();
  if (forget_openat2()) refusals();
  TccArena *arena = tcc_arena_create();
  expect(!strcmp(tcc_path_directory(arena, "a/b/c"), "a/b") && !strcmp(tcc_path_directory(arena, "/c"), "/") &&
             !strcmp(tcc_path_directory(arena, "c"), ""),
         "path_directory");
  tcc_arena_destroy(arena);
  snprintf(remove, sizeof remove, "rm -rf %s", folder);
  return system(remove) != 0 || failures;
}

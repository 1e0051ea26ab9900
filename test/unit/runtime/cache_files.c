/* The files of the compile cache: for their user alone whatever the umask; not read where another could have written them; what is no
 * regular file is left alone; what killed writers leave goes away; all kinds together stay below the limit. */
#include "lib/runtime/cache_files.h"
#include "tcc/cache.h"
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int failures;
static char folder[64];
static TccCache *cache;

static void expect(bool ok, const char *what, const char *how) {
  if (ok) return;
  printf("failed: %s: %s\n", what, how);
  failures++;
}

static TccStr str(const char *text) { return (TccStr){text, strlen(text)}; }

static bool reads(const char *kind, const char *key, const char *payload) {
  TccText out = {0};
  bool found = tcc_cache_read(cache, kind, str(key), &out), same = found && tcc_str_is(tcc_text_str(&out), payload);
  tcc_text_destroy(&out);
  expect(same == found, key, "read something else");
  return found;
}

static unsigned mode_of(const char *path) {
  struct stat info;
  return lstat(path, &info) == 0 ? info.st_mode : 0;
}

static void start(const char *name) {
  char path[128];
  snprintf(path, sizeof path, "%s/%s/deep", folder, name);
  setenv("TCC_CACHE_DIR", path, 1);
  tcc_cache_close(cache);
  cache = tcc_cache_open(true);
  expect(cache, name, "opens");
}

static void private_whatever_the_umask(void) {
  static const mode_t masks[] = {0, 022, 0777};
  for (size_t i = 0; i < sizeof masks / sizeof *masks; i++) {
    char name[16];
    snprintf(name, sizeof name, "umask%zu", i);
    mode_t before = umask(masks[i]);
    start(name);
    tcc_cache_write(cache, "model", str("key"), str("payload"));
    umask(before);
    expect(reads("model", "key", "payload"), name, "is there");
    char *path = tcc_cache_path(cache, "model", str("key"));
    expect(mode_of(path) == (S_IFREG | 0600), name, "a file's mode");
    for (int up = 0; up < 4; up++) {
      *strrchr(path, '/') = 0;
      expect(mode_of(path) == (S_IFDIR | 0700), path, "a folder's mode");
    }
    free(path);
  }
}

static bool make_fifo(const char *path) { return mkfifo(path, 0600) == 0; }
static bool make_folder(const char *path) { return mkdir(path, 0700) == 0; }
static bool make_link(const char *path) { return symlink("/dev/zero", path) == 0; }
static bool make_dangling(const char *path) { return symlink("nowhere", path) == 0; }

static void left_alone(void) {
  bool (*const make[])(const char *) = {make_fifo, make_folder, make_link, make_dangling};
  start("special");
  for (size_t i = 0; i < sizeof make / sizeof *make; i++) {
    tcc_cache_write(cache, "model", str("key"), str("payload"));
    char *path = tcc_cache_path(cache, "model", str("key"));
    expect(unlink(path) == 0 && make[i](path), "special", "made");
    const unsigned before = mode_of(path);
    expect(!reads("model", "key", ""), "special", "is not read");
    tcc_cache_write(cache, "model", str("key"), str("payload"));
    expect(mode_of(path) == before && before, "special", "is as it was");
    expect(remove(path) == 0, "special", "removed");
    free(path);
  }
}

/* Writes an entry, changes something of it or of a folder above it, and looks whether it is read, and whether it is there. */
static void changed(const char *what, int up, bool (*change)(const char *path), bool stays) {
  start(what);
  tcc_cache_write(cache, "object", str("key"), str("payload"));
  expect(reads("object", "key", "payload"), what, "is read at first");
  char *path = tcc_cache_path(cache, "object", str("key")), *changed_path = strdup(path);
  for (int i = 0; i < up; i++) *strrchr(changed_path, '/') = 0;
  expect(change(changed_path), what, "changed");
  expect(!reads("object", "key", "payload"), what, "is not read");
  expect((mode_of(path) != 0) == stays, what, "is there or not");
  tcc_cache_close(cache);
  cache = tcc_cache_open(true);
  expect((cache != NULL) == (up != 3), what, "the cache opens");
  free(changed_path);
  free(path);
}

static bool for_group(const char *path) { return chmod(path, mode_of(path) & 0700 ? (mode_of(path) & 0700) | 020 : 0) == 0; }
static bool for_all(const char *path) { return chmod(path, 01777) == 0; }
static bool give_away(const char *path) { return chown(path, 65534, (gid_t)-1) == 0; }

static void others_could_write(void) {
  changed("group-file", 0, for_group, false);
  changed("group-shard", 1, for_group, true);
  changed("group-kind", 2, for_group, true);
  changed("group-cache", 3, for_group, true);
  changed("all-cache", 3, for_all, true);
  if (geteuid() != 0) return; /* who is not root cannot give files away */
  changed("foreign-file", 0, give_away, false);
  changed("foreign-shard", 1, give_away, true);
  changed("foreign-kind", 2, give_away, true);
  changed("foreign-cache", 3, give_away, true);
  char path[128];
  snprintf(path, sizeof path, "%s/home", folder);
  expect(mkdir(path, 0700) == 0 && give_away(path), "a home of another user", "made");
  snprintf(path, sizeof path, "%s/home/.cache/tcc", folder);
  setenv("TCC_CACHE_DIR", path, 1);
  tcc_cache_close(cache);
  cache = tcc_cache_open(true);
  expect(!cache && !mode_of(path), "a home of another user", "nothing is made there");
}

/* ---- killed writers, and room ---- */
static size_t bytes_below, temporaries;

static int count_file(const char *path) { /* as du does, of files */
  struct stat info;
  if (lstat(path, &info) != 0) return 0;
  bytes_below += (size_t)info.st_blocks * 512;
  temporaries += strstr(path, ".tmp") != NULL;
  return 0;
}

static void count(void) {
  char command[256], line[512];
  snprintf(command, sizeof command, "find '%s' -type f", tcc_cache_dir(cache));
  FILE *files = popen(command, "r");
  bytes_below = temporaries = 0;
  while (files && fgets(line, sizeof line, files)) {
    line[strcspn(line, "\n")] = 0;
    count_file(line);
  }
  expect(files && pclose(files) == 0, "find", "runs");
}

static void killed_writer(const char *key, size_t bytes) {
  pid_t child = fork();
  if (child == 0) {
    TccCacheFile file;
    if (!tcc_cache_begin(cache, "packed", str(key), bytes, &file) || fallocate(file.fd, 0, 0, (off_t)bytes) != 0) _exit(1);
    raise(SIGKILL);
  }
  int status = 0;
  expect(child > 0 && waitpid(child, &status, 0) == child && WIFSIGNALED(status), key, "a writer was killed");
}

static void nothing_of_killed_writers(void) {
  TccCacheFile file;
  start("killed");
  killed_writer("a", 100000);
  count();
  expect(temporaries == 1, "killed", "it leaves a temporary");
  expect(tcc_cache_begin(cache, "packed", str("a"), 100000, &file), "killed", "begins");
  count();
  expect(temporaries == 1, "killed", "the same entry again: only the one that is being written");
  TccCacheFile other; /* and two who write at once do not take each other's */
  expect(tcc_cache_begin(cache, "packed", str("a"), 100000, &other), "killed", "two at once");
  expect(tcc_file_put(file.fd, "one", 3) && tcc_cache_commit(&file), "killed", "the first");
  expect(tcc_file_put(other.fd, "two", 3) && tcc_cache_commit(&other), "killed", "the second");
  count();
  expect(temporaries == 0, "killed", "nothing is left");
  setenv("TCC_PACKED_MB", "1", 1);
  for (int i = 0; i < 10; i++) { /* ten entries of 300 KB, each writer killed: none counts for ever */
    char key[16];
    snprintf(key, sizeof key, "k%d", i);
    killed_writer(key, 300000);
    count();
    expect(bytes_below <= 1 << 20, "killed", "below the limit");
  }
  expect(tcc_cache_begin(cache, "packed", str("k"), 900000, &file), "killed", "there is room for a large one");
  count();
  expect(temporaries == 1, "killed", "made by removing the others");
  tcc_cache_abandon(&file);
  unsetenv("TCC_PACKED_MB");
}

static void all_kinds_are_limited(void) {
  static const char *const kinds[] = {"model", "object", "inputs", "last", "packed", "verified"};
  static char large[50000];
  start("limit");
  setenv("TCC_PACKED_MB", "1", 1);
  const TccStr payload = {large, sizeof large};
  for (int i = 0; i < 60; i++) {
    char key[16];
    snprintf(key, sizeof key, "k%d", i);
    tcc_cache_write(cache, kinds[i % 6], str(key), payload);
    usleep(5000); /* the order of use is that of times, which tick */
  }
  count();
  expect(bytes_below <= 1 << 20 && bytes_below > 1 << 19, "limit", "all kinds together");
  TccText out = {0};
  expect(tcc_cache_read(cache, kinds[59 % 6], str("k59"), &out), "limit", "the last is there");
  tcc_text_destroy(&out);
  expect(!tcc_cache_read(cache, kinds[0], str("k0"), &out), "limit", "the first is not");
  TccCacheFile file;
  expect(!tcc_cache_begin(cache, "packed", str("huge"), 2 << 20, &file), "limit", "more than all");
  unsetenv("TCC_PACKED_MB");
}

int main(void) {
  alarm(120); /* a FIFO that is opened for writing waits for ever */
  snprintf(folder, sizeof folder, "/tmp/tcc-cache-files-XXXXXX");
  if (!mkdtemp(folder)) return 1;
  private_whatever_the_umask();
  left_alone();
  others_could_write();
  nothing_of_killed_writers();
  all_kinds_are_limited();
  tcc_cache_close(cache);
  char command[256];
  snprintf(command, sizeof command, "chmod -R u+rwx '%s'; rm -rf '%s'", folder, folder);
  if (system(command) != 0) return 1;
  if (!failures) printf("ok\n");
  return failures != 0;
}

/* file.c - see include/tcc/file.h.
 *
 * Opening untrusted names follows the layers of ONNX's ExternalDataSecurity.md: openat2 with RESOLVE_BENEATH and
 * RESOLVE_NO_SYMLINKS lets the kernel do containment and symbolic links in one step; kernels before 5.6 and sandboxes that
 * lack it get the same by opening component after component with O_NOFOLLOW. What was opened is then checked by fstat on the
 * descriptor, never by name. */
#include "tcc/file.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* O_NONBLOCK: opening a FIFO must not wait for its writer. O_NOCTTY: nor may a terminal become ours. */
enum { OPEN_FLAGS = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY };

static TccStatus *system_error(const char *name) {
  TccCode code = errno == ENOENT || errno == ENOTDIR ? TCC_NOT_FOUND : errno == ENOMEM ? TCC_NO_MEMORY : TCC_IO;
  return TCC_ERROR(code, "%s: %s", name, strerror(errno));
}

static TccStatus *map_descriptor(int fd, const char *name, bool one_link, TccFileMap *out) {
  TccStatus *status = NULL;
  struct stat info;
  if (fstat(fd, &info) != 0) status = system_error(name);
  else if (!S_ISREG(info.st_mode)) status = TCC_ERROR(TCC_INVALID, "%s: not a regular file", name);
  else if (one_link && info.st_nlink > 1)
    status = TCC_ERROR(TCC_INVALID, "%s: a file with several hard links is not read as external data", name);
  else if (info.st_size > 0) {
    void *data = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (data == MAP_FAILED)
      status = TCC_ERROR(errno == ENOMEM ? TCC_NO_MEMORY : TCC_IO, "%s: cannot map: %s", name, strerror(errno));
    else *out = (TccFileMap){data, (size_t)info.st_size};
  }
  close(fd);
  return status;
}

TccStatus *tcc_file_map_descriptor(int fd, const char *name, TccFileMap *out) {
  *out = (TccFileMap){0};
  return map_descriptor(fd, name, false, out);
}

TccStatus *tcc_file_map(const char *path, TccFileMap *out) {
  *out = (TccFileMap){0};
  int fd = open(path, OPEN_FLAGS);
  if (fd < 0) return errno == ENXIO ? TCC_ERROR(TCC_INVALID, "%s: not a regular file", path) : system_error(path);
  return map_descriptor(fd, path, false, out);
}

void tcc_file_unmap(TccFileMap *map) {
  if (map->data) munmap((void *)map->data, map->length);
  *map = (TccFileMap){0};
}

/* Where the whole pages begin; out_bytes: of them. */
static char *whole_pages(const void *data, size_t length, size_t *out_bytes) {
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), begin = ((uintptr_t)data + page - 1) & ~(page - 1),
                  end = ((uintptr_t)data + length) & ~(page - 1);
  *out_bytes = begin < end ? end - begin : 0;
  return (char *)(uintptr_t)data + (begin - (uintptr_t)data);
}

size_t tcc_file_whole_pages(const void *data, size_t length) {
  size_t bytes;
  whole_pages(data, length, &bytes);
  return bytes;
}

void tcc_file_drop_pages(const void *data, size_t length) {
  size_t bytes;
  char *begin = whole_pages(data, length, &bytes);
  if (bytes) madvise(begin, bytes, MADV_DONTNEED); /* advice: no error matters */
}

/* ---- names that untrusted input gives ---- */

/* NULL if every component is there and stays below. */
static const char *why_unsafe(TccStr name) {
  if (!name.length) return "is empty";
  if (name.length >= PATH_MAX) return "is too long";
  if (memchr(name.data, 0, name.length)) return "contains a NUL";
  if (name.data[0] == '/') return "is absolute";
  for (size_t start = 0; start <= name.length;) {
    const char *slash = memchr(name.data + start, '/', name.length - start);
    TccStr part = {name.data + start, slash ? (size_t)(slash - name.data) - start : name.length - start};
    if (!part.length) return "has an empty component";
    if (tcc_str_is(part, "..")) return "leaves its directory";
    start += part.length + 1;
  }
  return NULL;
}

static int open_beneath_stepwise(int directory, char *name) {
  int at = dup(directory);
  for (char *part = name; at >= 0;) {
    char *slash = strchr(part, '/');
    if (slash) *slash = 0;
    int next = openat(at, part, OPEN_FLAGS | O_NOFOLLOW | (slash ? O_DIRECTORY : 0));
    int error = errno;
    struct stat info; /* a link in the place of a directory comes as ENOTDIR: tell it apart for the message */
    if (next < 0 && error == ENOTDIR && fstatat(at, part, &info, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(info.st_mode)) error = ELOOP;
    close(at);
    errno = error;
    if (slash) *slash = '/';
    if (next < 0 || !slash) return next;
    at = next;
    part = slash + 1;
  }
  return -1;
}

static int open_beneath(int directory, char *name) {
  struct open_how how = {.flags = OPEN_FLAGS | O_NOFOLLOW,
                         .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS};
  int fd = (int)syscall(SYS_openat2, directory, name, &how, sizeof how);
  if (fd >= 0 || (errno != ENOSYS && errno != EPERM)) return fd;
  return open_beneath_stepwise(directory, name);
}

TccStatus *tcc_file_map_beneath(const char *directory, TccStr name, TccFileMap *out) {
  *out = (TccFileMap){0};
  const char *why = why_unsafe(name);
  if (why) return TCC_ERROR(TCC_INVALID, "the file name '%.*s' %s", name.length > 200 ? 200 : (int)name.length, name.data, why);
  int at = open(*directory ? directory : ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (at < 0) return system_error(directory);
  char *text = strndup(name.data, name.length);
  TccStatus *status;
  int fd = text ? open_beneath(at, text) : -1;
  if (!text) status = TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  else if (fd >= 0) status = map_descriptor(fd, text, true, out);
  else if (errno == ELOOP || errno == EXDEV)
    status = TCC_ERROR(TCC_INVALID, "the file name '%s' leads through a symbolic link", text);
  else if (errno == ENXIO) status = TCC_ERROR(TCC_INVALID, "%s: not a regular file", text);
  else status = system_error(text);
  free(text);
  close(at);
  return status;
}

/* ---- writing ---- */

bool tcc_file_put(int fd, const void *data, size_t length) {
  for (const char *at = data; length;) {
    ssize_t n = write(fd, at, length);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    at += n;
    length -= (size_t)n;
  }
  return true;
}

void tcc_random_name(char out[TCC_RANDOM_NAME]) {
  uint64_t number;
  if (getrandom(&number, sizeof number, 0) != sizeof number) { /* a system without it: a name that is taken is refused by O_EXCL */
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    number = ((uint64_t)getpid() << 32) ^ ((uint64_t)now.tv_nsec << 20) ^ (uint64_t)(uintptr_t)out;
  }
  snprintf(out, TCC_RANDOM_NAME, "%016llx", (unsigned long long)number);
}

/* The rename is durable once the directory is. A file system that cannot sync directories has done all it can. */
static void sync_directory(const char *path) {
  const char *slash = strrchr(path, '/');
  char *directory = slash ? strndup(path, slash == path ? 1 : (size_t)(slash - path)) : strdup(".");
  int fd = directory ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
  if (fd >= 0) {
    (void)fsync(fd);
    close(fd);
  }
  free(directory);
}

/* What is no regular file keeps its place: a rename by root would put one where /dev/null is. */
static bool is_special(const char *path) {
  struct stat found;
  return stat(path, &found) == 0 && !S_ISREG(found.st_mode);
}

static bool put_parts(int fd, const TccStr *parts, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (!tcc_file_put(fd, parts[i].data, parts[i].length)) return false;
  return true;
}

static TccStatus *write_in_place(const char *path, const TccStr *parts, size_t count) {
  int fd = open(path, O_WRONLY | O_CLOEXEC);
  if (fd < 0) return system_error(path);
  bool ok = put_parts(fd, parts, count);
  int error = errno;
  if (close(fd) != 0 && ok) ok = false, error = errno;
  return ok ? NULL : TCC_ERROR(TCC_IO, "%s: %s", path, strerror(error));
}

TccStatus *tcc_file_check_name(const char *path) {
  struct stat found;
  size_t length = strlen(path), end = length;
  if (stat(path, &found) == 0 ? S_ISDIR(found.st_mode) : length && path[length - 1] == '/')
    return TCC_ERROR(TCC_INVALID, "%s: a folder, not the name of a file", path);
  while (end && path[end - 1] != '/') end--;
  char *folder = end ? strndup(path, end) : strdup(".");
  if (!folder) return TCC_ERROR_NO_MEMORY();
  TccStatus *status = NULL;
  if (stat(folder, &found) != 0) status = TCC_ERROR(TCC_NOT_FOUND, "%s: its folder cannot be reached: %s", path, strerror(errno));
  free(folder);
  return status;
}

static TccStatus *write_and_rename(const char *path, const TccStr *parts, size_t count, bool durable) {
  TCC_TRY(tcc_file_check_name(path));
  if (is_special(path)) return write_in_place(path, parts, count);
  char name[TCC_RANDOM_NAME]; /* nobody else's: not that of another thread or process, and none that was put there before */
  tcc_random_name(name);
  TccText temporary = {0};
  tcc_text_printf(&temporary, "%s.%s.tmp", path, name);
  if (temporary.failed) {
    tcc_text_destroy(&temporary);
    return TCC_ERROR_NO_MEMORY();
  }
  TccStatus *status = NULL;
  int fd = open(temporary.data, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  if (fd < 0) {
    status = system_error(path);
  } else {
    bool ok = put_parts(fd, parts, count);
    ok = ok && (!durable || fsync(fd) == 0);
    int error = errno;
    if (close(fd) != 0 && ok) ok = false, error = errno;
    if (ok && rename(temporary.data, path) != 0) ok = false, error = errno;
    if (ok && durable) sync_directory(path);
    if (!ok) {
      unlink(temporary.data);
      status = TCC_ERROR(TCC_IO, "%s: %s", path, strerror(error));
    }
  }
  tcc_text_destroy(&temporary);
  return status;
}

TccStatus *tcc_file_write(const char *path, const void *data, size_t length) {
  return write_and_rename(path, &(TccStr){data, length}, 1, true);
}

TccStatus *tcc_file_write_quickly(const char *path, const void *data, size_t length) {
  return write_and_rename(path, &(TccStr){data, length}, 1, false);
}

TccStatus *tcc_file_write_parts(const char *path, const TccStr *parts, size_t count) {
  return write_and_rename(path, parts, count, false);
}

TccStatus *tcc_file_write_durably(const char *path, const TccStr *parts, size_t count) {
  return write_and_rename(path, parts, count, true);
}

TccStatus *tcc_directory_make(const char *path) {
  char *text = strdup(path);
  if (!text) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  TccStatus *status = NULL;
  for (char *slash = text; slash && !status;) {
    slash = strchr(slash + 1, '/');
    if (slash) *slash = 0;
    struct stat info;
    if (mkdir(text, 0700) == 0) chmod(text, 0700); /* a umask may have taken from that */
    else if (errno != EEXIST || stat(text, &info) != 0 || !S_ISDIR(info.st_mode))
      status = TCC_ERROR(TCC_IO, "%s: %s", text, strerror(errno == EEXIST ? ENOTDIR : errno));
    if (slash) *slash = '/';
  }
  free(text);
  return status;
}

const char *tcc_path_directory(TccArena *arena, const char *path) {
  const char *slash = strrchr(path, '/');
  if (!slash) return "";
  return tcc_arena_copy(arena, path, slash == path ? 1 : (size_t)(slash - path));
}

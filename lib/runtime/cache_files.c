/* cache_files.c - see cache_files.h.
 *
 * Entries are code, so only what this user wrote is read: each folder and file must be the effective user's and writable by nobody
 * else, which is asked of what is open, never of a name. Who owns the folders' folder can take them away but not put others in their
 * place. Folders are made with mode 0700 and files with 0600, whatever the umask.
 *
 * A cache is DIR/KIND/XX/NAME, XX and NAME the digest of the key. DIR/used holds how many bytes were written since the entries were
 * last listed, and had then: only if that is above the limit they are listed again, the temporaries of dead processes removed, and the
 * entries that were not used for longest, until there is a sixteenth of the limit to spare. */
#include "cache_files.h"
#include "internal.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

static const char *const kinds[] = {"model", "object", "cubin", "inputs", "last", "packed", "verified"};
enum { LIMIT_MB = 4096, BLOCK = 4096, LOCK_MS = 100, SPARE = 16 };

/* ---- whose ---- */
static const char *why_not(const struct stat *info) {
  if (info->st_uid != geteuid()) return "belongs to another user";
  return info->st_mode & (S_IWGRP | S_IWOTH) ? "can be written by other users" : NULL;
}

static void refuse(const char *folder, const char *why) {
  static atomic_flag said = ATOMIC_FLAG_INIT;
  if (!atomic_flag_test_and_set(&said)) fprintf(stderr, "tcc: the cache folder %s %s: it is not used\n", folder, why);
}

bool tcc_cache_trusted(const char *directory) {
  struct stat info;
  if (stat(directory, &info) == 0) {
    const char *why = S_ISDIR(info.st_mode) ? why_not(&info) : NULL; /* what is no folder has no entries */
    if (why) refuse(directory, why);
    return !why;
  }
  if (errno != ENOENT) return true; /* nothing can be there, which costs time only */
  /* Not in the folder of another user, as root with the HOME of one would: what is root's there would be in the way of that user. */
  char *path = strdup(directory);
  bool own = path != NULL;
  for (char *slash = path; own && (slash = strrchr(path, '/'));) {
    slash[slash == path] = 0;
    if (stat(path, &info) == 0) {
      own = info.st_uid == geteuid() || info.st_uid == 0;
      break;
    }
    if (slash == path) break;
  }
  if (path && !own) refuse(directory, "would be in a folder of another user");
  free(path);
  return own;
}

/* A folder in `at`, which is below DIR/`above`; -1 if there is none, or it is not to be trusted. */
static int open_folder(const TccCache *cache, int at, const char *above, const char *name, bool make) {
  if (make && mkdirat(at, name, 0700) == 0) fchmodat(at, name, 0700, 0); /* a umask may have taken from that */
  int fd = openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  struct stat info;
  if (fd < 0) return -1;
  const char *why = fstat(fd, &info) == 0 ? why_not(&info) : "cannot be looked at";
  if (!why) return fd;
  TccText path = {0};
  tcc_text_printf(&path, "%s/%s%s", tcc_cache_dir(cache), above, name);
  refuse(path.failed ? name : path.data, why);
  tcc_text_destroy(&path);
  close(fd);
  return -1;
}

/* The folder of the cache itself, which may be behind a symbolic link. */
static int open_root(const TccCache *cache, bool make) {
  const char *directory = tcc_cache_dir(cache);
  if (make) tcc_status_destroy(tcc_directory_make(directory)); /* where it cannot be made it cannot be opened */
  int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  struct stat info;
  const char *why = fd >= 0 && fstat(fd, &info) == 0 ? why_not(&info) : NULL;
  if (!why) return fd;
  refuse(directory, why);
  close(fd);
  return -1;
}

/* ---- reading ---- */
typedef struct {
  char kind[16], shard[3];
  char name[2 * TCC_DIGEST_BYTES + 1];
} Place;

static Place place_of(const char *kind, TccStr key) {
  Place place;
  snprintf(place.kind, sizeof place.kind, "%s/", kind);
  tcc_digest_hex(key.data, key.length, place.name);
  memcpy(place.shard, place.name, 2);
  place.shard[2] = 0;
  memmove(place.name, place.name + 2, sizeof place.name - 2);
  return place;
}

static int open_place(const TccCache *cache, int root, const char *kind, const Place *place, bool make) {
  int of_kind = root >= 0 ? open_folder(cache, root, "", kind, make) : -1;
  int folder = of_kind >= 0 ? open_folder(cache, of_kind, place->kind, place->shard, make) : -1;
  if (of_kind >= 0) close(of_kind);
  return folder;
}

int tcc_cache_find(const TccCache *cache, const char *kind, TccStr key, struct stat *out_info) {
  if (!cache) return -1;
  const Place place = place_of(kind, key);
  const int root = open_root(cache, false), folder = open_place(cache, root, kind, &place, false);
  if (root >= 0) close(root);
  if (folder < 0) return -1;
  /* O_NONBLOCK: opening a FIFO must not wait for its writer. */
  int fd = openat(folder, place.name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  const bool there = fd >= 0 || errno == ELOOP || errno == ENXIO;
  const char *why = NULL;
  if (fd < 0 || fstat(fd, out_info) != 0 || !S_ISREG(out_info->st_mode)) why = "is no regular file; left alone";
  else if (why_not(out_info)) why = why_not(out_info);
  const bool reject = why && fd >= 0 && S_ISREG(out_info->st_mode);
  if (why && there) {
    char *path = tcc_cache_path(cache, kind, key);
    if (reject) tcc_cache_reject(cache, path, why);
    else fprintf(stderr, "tcc: cache entry %s %s\n", path ? path : place.name, why);
    free(path);
  }
  close(folder);
  if (why && fd >= 0) close(fd);
  return why ? -1 : fd;
}

void tcc_cache_used(const TccCache *cache, const char *kind, TccStr key) {
  char *path = tcc_cache_path(cache, kind, key);
  if (path) utimensat(AT_FDCWD, path, NULL, AT_SYMLINK_NOFOLLOW); /* a cache that is read-only keeps the time it has */
  free(path);
}

/* ---- how much room ---- */
typedef struct {
  Place place;
  uint64_t bytes;
  int64_t used;
} Entry;
typedef struct {
  int root;
  TccArena *arena;
  TCC_VEC(Entry) entries;
  uint64_t bytes;
  bool failed; /* there was no memory to list all */
} Listing;

static int64_t nanoseconds(struct timespec time) { return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec; }
static uint64_t size_of(const struct stat *info) { return (uint64_t)info->st_blocks * 512; }

static bool is_temporary(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot && strcmp(dot, ".tmp") == 0;
}

/* Removes a temporary that nobody writes. False: somebody does, or it is not to be touched. */
static bool remove_dead(int folder, const char *name) {
  int fd = openat(folder, name, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  struct stat info;
  bool dead = fd >= 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
              unlinkat(folder, name, 0) == 0;
  if (fd >= 0) close(fd);
  return dead;
}

/* Calls visit for each name in the folder; closes it. False if it cannot be read. */
static bool walk(int folder, void (*visit)(int folder, const char *name, void *user), void *user) {
  DIR *directory = fdopendir(folder);
  if (!directory) {
    close(folder);
    return false;
  }
  for (const struct dirent *item = readdir(directory); item; item = readdir(directory))
    if (item->d_name[0] != '.') visit(dirfd(directory), item->d_name, user);
  closedir(directory);
  return true;
}

static void visit_dead(int folder, const char *name, void *user) {
  (void)user;
  if (is_temporary(name)) remove_dead(folder, name);
}

typedef struct {
  Listing *listing;
  const TccCache *cache;
  Place place;
} Visit;

static TccStatus *list(Listing *listing, Entry entry) {
  TCC_VEC_TRY_PUSH(listing->arena, &listing->entries, entry);
  listing->bytes += entry.bytes;
  return NULL;
}

static void visit_entry(int folder, const char *name, void *user) {
  Visit *visit = user;
  struct stat info;
  if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) return;
  if (is_temporary(name)) {
    if (!remove_dead(folder, name)) visit->listing->bytes += size_of(&info);
    return;
  }
  Entry entry = {visit->place, size_of(&info), nanoseconds(info.st_mtim)};
  if (strlen(name) >= sizeof entry.place.name) return; /* none of ours */
  snprintf(entry.place.name, sizeof entry.place.name, "%s", name);
  if (strcmp(visit->place.kind, "packed/") == 0) { /* its use does not change its own times: see packed.c */
    char seen[sizeof(Place) + 16];
    snprintf(seen, sizeof seen, "verified/%s/%s", visit->place.shard, name);
    struct stat memo;
    if (fstatat(visit->listing->root, seen, &memo, AT_SYMLINK_NOFOLLOW) == 0 && nanoseconds(memo.st_mtim) > entry.used)
      entry.used = nanoseconds(memo.st_mtim);
  }
  TccStatus *status = list(visit->listing, entry);
  if (status) visit->listing->failed = true;
  tcc_status_destroy(status);
}

static void visit_shard(int of_kind, const char *name, void *user) {
  Visit *visit = user;
  if (strlen(name) != 2) return;
  snprintf(visit->place.shard, sizeof visit->place.shard, "%s", name);
  int folder = open_folder(visit->cache, of_kind, visit->place.kind, name, false);
  if (folder >= 0 && !walk(folder, visit_entry, visit)) visit->listing->failed = true;
}

static int by_use(const void *a, const void *b) {
  int64_t x = ((const Entry *)a)->used, y = ((const Entry *)b)->used;
  return (x > y) - (x < y);
}

/* Removes what is too much, the entries that were not used for longest; processes that have one mapped keep it. Returns the bytes of
 * what is left; UINT64_MAX, and nothing is removed, if there is no memory to list all. */
static uint64_t sweep(const TccCache *cache, int root, uint64_t target) {
  Listing listing = {.root = root, .arena = tcc_arena_create()};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    Visit visit = {.listing = &listing, .cache = cache};
    snprintf(visit.place.kind, sizeof visit.place.kind, "%s/", kinds[i]);
    int folder = open_folder(cache, root, "", kinds[i], false);
    if (folder >= 0 && !walk(folder, visit_shard, &visit)) listing.failed = true;
  }
  if (listing.entries.count) qsort(listing.entries.data, listing.entries.count, sizeof(Entry), by_use);
  for (size_t i = 0; i < listing.entries.count && listing.bytes > target && !listing.failed; i++) {
    const Entry *entry = &listing.entries.data[i];
    char path[sizeof(Place) + 16];
    snprintf(path, sizeof path, "%s%s/%s", entry->place.kind, entry->place.shard, entry->place.name);
    if (unlinkat(root, path, 0) == 0) listing.bytes -= entry->bytes;
  }
  tcc_arena_destroy(listing.arena);
  return listing.failed ? UINT64_MAX : listing.bytes;
}

uint64_t tcc_cache_limit(bool *out_off) {
  const char *text = getenv("TCC_PACKED_MB");
  char *end = NULL;
  unsigned long long megabytes = text ? strtoull(text, &end, 10) : LIMIT_MB;
  if (text && (end == text || *end || megabytes > UINT64_MAX >> 20)) megabytes = LIMIT_MB;
  if (out_off) *out_off = megabytes == 0;
  return (uint64_t)(megabytes ? megabytes : LIMIT_MB) << 20;
}

/* DIR/used, locked; -1 if somebody holds the lock for long (a process that is stopped), or it cannot be written. */
static int open_used(int root) {
  int fd = openat(root, "used", O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0600);
  struct stat info;
  bool ok = fd >= 0 && fchmod(fd, 0600) == 0 && fstat(fd, &info) == 0 && S_ISREG(info.st_mode);
  for (int i = 0; ok && flock(fd, LOCK_EX | LOCK_NB) != 0; i++) {
    ok = errno == EWOULDBLOCK && i < LOCK_MS;
    if (ok) nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
  }
  if (ok) return fd;
  if (fd >= 0) close(fd);
  return -1;
}

/* Counts so many more bytes, if there is room for them or can be made. */
static bool reserve(const TccCache *cache, int root, uint64_t bytes) {
  const uint64_t limit = tcc_cache_limit(NULL);
  bytes = (bytes + BLOCK - 1) & ~(uint64_t)(BLOCK - 1);
  if (bytes > limit) return false;
  int fd = open_used(root);
  if (fd < 0) return false;
  uint64_t used = 0, rest = limit - bytes;
  if (pread(fd, &used, sizeof used, 0) != sizeof used || used > rest) used = sweep(cache, root, rest - rest / SPARE);
  bool ok = used <= rest;
  used += ok ? bytes : 0;
  ok &= pwrite(fd, &used, sizeof used, 0) == sizeof used;
  close(fd);
  return ok;
}

/* ---- writing ---- */
/* A process that writes a larger file than it may gets a signal. */
static bool may_write(uint64_t bytes) {
  struct rlimit most;
  return getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur == RLIM_INFINITY || bytes <= most.rlim_cur;
}

/* A program whose standard files are closed would write what it says into the entry. */
static int above_standard(int fd) {
  if (fd < 0 || fd > STDERR_FILENO) return fd;
  int other = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
  close(fd);
  return other;
}

static bool is_replaceable(int folder, const char *name) {
  struct stat info;
  return fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 ? errno == ENOENT : S_ISREG(info.st_mode);
}

bool tcc_cache_begin(const TccCache *cache, const char *kind, TccStr key, uint64_t bytes, TccCacheFile *out) {
  *out = (TccCacheFile){.folder = -1, .fd = -1};
  if (!cache || !may_write(bytes)) return false;
  const Place place = place_of(kind, key);
  const int root = open_root(cache, true);
  if (root < 0) return false;
  int folder = open_place(cache, root, kind, &place, true);
  if (folder >= 0 && is_replaceable(folder, place.name)) {
    int names = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (names >= 0) (void)walk(names, visit_dead, NULL); /* whoever was killed while it wrote this entry left its temporary here */
    if (reserve(cache, root, bytes)) {
      char random[TCC_RANDOM_NAME];
      tcc_random_name(random);
      memcpy(out->name, place.name, sizeof out->name);
      snprintf(out->temporary, sizeof out->temporary, "%s.%s.tmp", place.name, random);
      out->fd = above_standard(openat(folder, out->temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    }
  }
  close(root);
  if (out->fd < 0) {
    if (folder >= 0) close(folder);
    return false;
  }
  out->folder = folder;
  if (fchmod(out->fd, 0600) == 0 && flock(out->fd, LOCK_EX | LOCK_NB) == 0) return true;
  tcc_cache_abandon(out);
  return false;
}

bool tcc_cache_commit(TccCacheFile *file) {
  bool ok = is_replaceable(file->folder, file->name) && renameat(file->folder, file->temporary, file->folder, file->name) == 0;
  if (!ok) unlinkat(file->folder, file->temporary, 0);
  close(file->fd);
  close(file->folder);
  *file = (TccCacheFile){.folder = -1, .fd = -1};
  return ok;
}

void tcc_cache_abandon(TccCacheFile *file) {
  if (file->fd >= 0) unlinkat(file->folder, file->temporary, 0);
  tcc_cache_leave(file);
}

void tcc_cache_leave(TccCacheFile *file) {
  if (file->fd < 0) return;
  close(file->fd);
  close(file->folder);
  *file = (TccCacheFile){.folder = -1, .fd = -1};
}

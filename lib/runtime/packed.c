/* packed.c - what initial steps make of weights, kept on disk between processes.
 *
 * Packing costs 0.4 ms a megabyte at every start; a file of packed weights lies in large folios of the page cache, and the next
 * process maps it by huge pages: 256 MB in 1.5 ms, shared with all that run the model.
 *
 * An entry (kind "packed" of the compile cache) is this header, its key, padding to a page, and the block that lay_out_block
 * describes. The key is text like every key: the digest of the artifact, the build of this run-time (whose builtins pack
 * too), whether the weights were compared with those of the compilation (TccVerify: any others must not pass for these), and each
 * weight file by device, inode, size, and the times of its last change of content and of status. The name of a file is no part of
 * it. Weight files are not read to know them: who changes one without changing any of these is not seen.
 *
 * A load that finds no entry packs in memory, so that the first results are there as soon as may be: packing into pages of a
 * mapped file takes half as long again. tcc_model_keep writes the block while it sums it, on all threads (packed_sum.c), then
 * the header, which has a digest of itself and of the key and the sum, and renames the file.
 *
 * Summing a block takes as long as reading it from memory, too long for every start. So an entry of kind "verified", with the same
 * key, remembers of which file (device, inode, size, times) the sum was found right, and since which start of the machine: whatever
 * is written to a file changes its ctime, which nobody can set, and what a crash of the machine lost is lost at its next
 * start. If anything differs the block is summed before it is used. Its times tick: a file that was changed less than 20 ms ago is
 * not remembered. Nothing in an entry is code or an address. */
#include "cache_files.h"
#include "internal.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define PACKED_MAGIC "TCCPACK2"
enum {
  PAGE = 4096,             /* the block begins on one */
  LEAST_BYTES = 64 << 10,  /* smaller blocks are packed in less time than a file is opened */
  SUM_BYTES = 256 << 10,   /* blocks up to here are summed in less time than it takes to look whether they were */
  SPARE_BYTES = 256 << 20, /* left free on the disk */
  TICK_NS = 20000000,      /* clocks of file systems tick every few milliseconds */
};

typedef struct {
  char magic[8];
  uint8_t digest[TCC_DIGEST_BYTES]; /* of all behind it: this header's rest and the key */
  uint32_t header_bytes, key_bytes;
  uint64_t block_offset, block_bytes;
  uint8_t sum[TCC_DIGEST_BYTES]; /* of the block */
} PackedHeader;
enum { SIGNED_FROM = offsetof(PackedHeader, header_bytes) };

/* ---- the format ---- */
size_t tcc_packed_offset(TccStr key) { return (sizeof(PackedHeader) + key.length + PAGE - 1) & ~(size_t)(PAGE - 1); }

void tcc_packed_header(TccStr key, size_t block_bytes, const uint8_t sum[TCC_DIGEST_BYTES], TccText *out) {
  size_t start = out->length;
  PackedHeader header = {.header_bytes = sizeof header,
                         .key_bytes = (uint32_t)key.length,
                         .block_offset = tcc_packed_offset(key),
                         .block_bytes = block_bytes};
  memcpy(header.magic, PACKED_MAGIC, sizeof header.magic);
  memcpy(header.sum, sum, sizeof header.sum);
  tcc_text_put(out, (const char *)&header, sizeof header);
  tcc_text_put(out, key.data, key.length);
  if (out->failed) return;
  tcc_digest(out->data + start + SIGNED_FROM, sizeof header - SIGNED_FROM + key.length,
             (uint8_t *)out->data + start + offsetof(PackedHeader, digest));
}

TccStatus *tcc_packed_check(const void *bytes, size_t length, TccStr key, size_t block_bytes, const void **out,
                            const uint8_t **out_sum) {
  *out = NULL;
  PackedHeader header;
  if (length < sizeof header || memcmp(bytes, PACKED_MAGIC, sizeof header.magic) != 0)
    return TCC_ERROR(TCC_INVALID, "no packed weights");
  memcpy(&header, bytes, sizeof header);
  if (header.header_bytes != sizeof header || header.key_bytes > length - sizeof header)
    return TCC_ERROR(TCC_INVALID, "damaged: sizes do not add up");
  uint8_t digest[TCC_DIGEST_BYTES];
  tcc_digest((const char *)bytes + SIGNED_FROM, sizeof header - SIGNED_FROM + header.key_bytes, digest);
  if (memcmp(digest, header.digest, sizeof digest) != 0) return TCC_ERROR(TCC_INVALID, "damaged: the digest does not match");
  if (!tcc_str_equal((TccStr){(const char *)bytes + sizeof header, header.key_bytes}, key))
    return TCC_ERROR(TCC_INVALID, "holds something else");
  if (header.block_bytes != block_bytes || header.block_offset != tcc_packed_offset(key) || header.block_offset > length ||
      length - header.block_offset != block_bytes)
    return TCC_ERROR(TCC_INVALID, "damaged: sizes do not add up");
  *out = (const char *)bytes + header.block_offset;
  *out_sum = (const uint8_t *)bytes + offsetof(PackedHeader, sum);
  return NULL;
}

static TccStatus *verify(const void *block, size_t bytes, unsigned threads, const uint8_t expected[TCC_DIGEST_BYTES]) {
  uint8_t sum[TCC_DIGEST_BYTES];
  TCC_TRY(tcc_packed_sum(block, bytes, threads, sum));
  return memcmp(sum, expected, sizeof sum) == 0 ? NULL
                                                : TCC_ERROR(TCC_INVALID, "damaged: the sum of the packed weights does not match");
}

/* ---- the key ---- */
static int64_t age_of(struct timespec time) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return (int64_t)(now.tv_sec - time.tv_sec) * 1000000000 + (now.tv_nsec - time.tv_nsec);
}

static void put_stamp(const struct stat *info, TccText *out) {
  tcc_text_printf(out, "device %llx inode %llu, %lld bytes of %lld.%09ld, %lld.%09ld\n", (unsigned long long)info->st_dev,
                  (unsigned long long)info->st_ino, (long long)info->st_size, (long long)info->st_mtim.tv_sec,
                  info->st_mtim.tv_nsec, (long long)info->st_ctim.tv_sec, info->st_ctim.tv_nsec);
}

static bool has_weights(const TccPlanHeader *plan, uint32_t source) {
  const TccPlanWeight *weights = tcc_plan_at(plan, plan->weights);
  for (size_t i = 0; i < plan->weights.count; i++)
    if (weights[i].source == source) return true;
  return false;
}

/* False if a weight file is not there, or (key->failed) there is no memory. *settled: none has been written so lately that a change
 * from now on might leave its times as they are. */
static bool put_key(const TccModel *model, TccText *key, bool *settled) {
  char digest[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_hex(model->artifact.digest, sizeof model->artifact.digest, digest);
  tcc_text_printf(key, "artifact: %s\n", digest);
  tcc_cache_key_runtime(key);
  tcc_text_printf(key, "weights: %s\n", model->packed.compared ? "those that it was compiled with" : "any");
  const TccPlanSource *sources = tcc_plan_at(model->plan, model->plan->sources);
  *settled = true;
  bool found = true;
  TccArena *arena = tcc_arena_create();
  for (uint32_t i = 0; found && i < model->plan->sources.count; i++) {
    struct stat info;
    const bool asked = sources[i].identity != TCC_IDENTITY_NONE || has_weights(model->plan, i);
    if (sources[i].kind == TCC_SOURCE_DATA || !asked) continue;
    const char *path =
        sources[i].kind == TCC_SOURCE_ATTACHED ? model->artifact.path : tcc_source_path(arena, model, i, model->packed.directory);
    if (!path && sources[i].kind == TCC_SOURCE_FILE && model->packed.directory) key->failed = true;
    bool there = path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    found = there || !has_weights(model->plan, i);
    if (!there) tcc_text_printf(key, "weights: a file that has none\n");
    if (!there) continue;
    tcc_text_printf(key, "weights: ");
    put_stamp(&info, key);
    if (age_of(info.st_mtim) < TICK_NS) *settled = false;
  }
  tcc_arena_destroy(arena);
  return found && !key->failed;
}

/* ---- what was verified ---- */
/* The file as it is, and this start of the machine; false if that cannot be known. */
static bool put_state(const struct stat *info, TccText *out) {
  char boot[64];
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  ssize_t length = fd >= 0 ? read(fd, boot, sizeof boot) : -1;
  if (fd >= 0) close(fd);
  if (length <= 0) return false;
  tcc_text_printf(out, "boot %.*s", (int)length, boot);
  put_stamp(info, out);
  return true;
}

static bool is_verified(const TccPacked *packed, const struct stat *info) {
  TccText state = {0}, memo = {0};
  bool same = put_state(info, &state) && tcc_cache_read(packed->cache, "verified", tcc_text_str(&packed->key), &memo) &&
              tcc_str_equal(tcc_text_str(&state), tcc_text_str(&memo));
  tcc_text_destroy(&state);
  tcc_text_destroy(&memo);
  return same;
}

/* info: of before the block was summed. */
static void remember(const TccPacked *packed, int fd, const struct stat *info, int64_t age) {
  struct stat now;
  TccText state = {0}, again = {0};
  if (age >= TICK_NS && fstat(fd, &now) == 0 && put_state(info, &state) && put_state(&now, &again) &&
      tcc_str_equal(tcc_text_str(&state), tcc_text_str(&again)))
    tcc_cache_write(packed->cache, "verified", tcc_text_str(&packed->key), tcc_text_str(&state));
  tcc_text_destroy(&state);
  tcc_text_destroy(&again);
}

/* ---- reading ---- */
static void map_entry(TccModel *model, unsigned threads) {
  TccPacked *packed = &model->packed;
  const TccStr key = tcc_text_str(&packed->key);
  struct stat info;
  int fd = tcc_cache_find(packed->cache, "packed", key, &info);
  if (fd < 0) return;
  const uint8_t *sum;
  const int64_t age = age_of(info.st_ctim);
  TccStatus *status = tcc_file_map_descriptor(dup(fd), "packed", &packed->map);
  if (!status) {
    madvise((void *)packed->map.data, packed->map.length,
            MADV_HUGEPAGE); /* advice: pages that come from the disk come in large folios */
    status = tcc_packed_check(packed->map.data, packed->map.length, key, model->block_bytes, &packed->block, &sum);
  }
  const bool small = model->block_bytes <= SUM_BYTES;
  const bool known = !status && !small && is_verified(packed, &info);
  if (!status && !known) status = verify(packed->block, model->block_bytes, threads, sum);
  if (!status && !known && !small) remember(packed, fd, &info, age);
  if (!status) tcc_cache_used(packed->cache, small ? "packed" : "verified", key); /* the times of a large one are remembered */
  if (status) tcc_file_unmap(&packed->map);
  if (status && tcc_status_code(status) == TCC_INVALID) {
    char *path = tcc_cache_path(packed->cache, "packed", key);
    tcc_cache_reject(packed->cache, path, tcc_status_message(status));
    free(path);
  }
  packed->found = !status;
  tcc_status_destroy(status);
  close(fd);
}

/* ---- opening ---- */
void tcc_packed_open(TccModel *model, const char *directory, bool compared, unsigned threads) {
  TccPacked *packed = &model->packed;
  bool off, settled;
  tcc_cache_limit(&off);
  packed->file = (TccCacheFile){.folder = -1, .fd = -1};
  packed->threads = threads;
  packed->compared = compared;
  if (model->block_bytes < LEAST_BYTES || off) return;
  TccStatus *status = tcc_forks_watch();
  tcc_status_destroy(status);
  if (status) return;
  packed->cache = tcc_cache_open(true);
  packed->directory = directory ? strdup(directory) : NULL;
  pthread_mutex_init(&packed->lock, NULL); /* cannot fail on Linux */
  packed->forks = tcc_forks();
  if (!packed->cache || (directory && !packed->directory) || !put_key(model, &packed->key, &settled)) {
    tcc_packed_close(model);
    return;
  }
  map_entry(model, threads);
  packed->wanted = !packed->found && settled;
}

void tcc_packed_close(TccModel *model) {
  TccPacked *packed = &model->packed;
  const bool own = packed->forks == tcc_forks();
  if (packed->has_keeper && own) pthread_join(packed->keeper, NULL);
  tcc_file_unmap(&packed->map);
  if (packed->cache && own) tcc_cache_abandon(&packed->file);
  else if (packed->cache) tcc_cache_leave(&packed->file);
  tcc_cache_close(packed->cache);
  free(packed->directory);
  tcc_text_destroy(&packed->key);
  *packed = (TccPacked){0};
}

/* ---- keeping ---- */
static bool has_room(const TccCache *cache, uint64_t bytes) {
  struct statvfs disk;
  return statvfs(tcc_cache_dir(cache), &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize >= bytes + SPARE_BYTES;
}

/* Takes the blocks of the disk: writing to a mapping for which there are none is a signal. */
static bool allocate(int fd, size_t bytes) {
  if (fallocate(fd, 0, 0, (off_t)bytes) == 0) return true;
  if (errno != EOPNOTSUPP) return false;
  static const char zeros[64 << 10];
  for (size_t at = 0; at < bytes; at += sizeof zeros)
    if (!tcc_file_put(fd, zeros, bytes - at < sizeof zeros ? bytes - at : sizeof zeros)) return false;
  return true;
}

/* The file of the entry with room for all of it; false where that cannot be. */
static bool begin_entry(TccPacked *packed, TccStr key, size_t bytes) {
  if (!tcc_cache_begin(packed->cache, "packed", key, bytes, &packed->file)) return false;
  return has_room(packed->cache, bytes) && allocate(packed->file.fd, bytes);
}

/* *again: there was no memory, so the next call tries again. */
static bool make_entry(const TccModel *model, TccPacked *packed, bool *again) {
  TccText key = {0}, header = {0};
  bool settled, ok = false;
  uint8_t sum[TCC_DIGEST_BYTES];
  const TccStr mine = tcc_text_str(&packed->key);
  const size_t offset = tcc_packed_offset(mine);
  if (put_key(model, &key, &settled) && tcc_str_equal(tcc_text_str(&key), mine) && /* nothing changed meanwhile */
      begin_entry(packed, mine, offset + model->block_bytes)) {
    TccStatus *status = tcc_packed_write(model->block, model->block_bytes, packed->threads, packed->file.fd, offset, sum);
    if (!status) tcc_packed_header(mine, model->block_bytes, sum, &header);
    ok = !status && !header.failed && pwrite(packed->file.fd, header.data, header.length, 0) == (ssize_t)header.length;
    *again = header.failed || (status && tcc_status_code(status) == TCC_NO_MEMORY);
    tcc_status_destroy(status);
  }
  *again = *again || key.failed;
  if (ok) ok = tcc_cache_commit(&packed->file);
  else tcc_cache_abandon(&packed->file);
  tcc_text_destroy(&key);
  tcc_text_destroy(&header);
  return ok;
}

bool tcc_model_keep(const TccModel *model) {
  TccPacked *packed = (TccPacked *)&model->packed; /* what a model is does not change: only whether it is kept */
  if (!packed->cache || packed->found) return packed->found;
  if (packed->forks != tcc_forks()) return packed->kept;
  pthread_mutex_lock(&packed->lock);
  if (packed->wanted) packed->wanted = false, packed->kept = make_entry(model, packed, &packed->wanted);
  const bool kept = packed->kept;
  pthread_mutex_unlock(&packed->lock);
  return kept;
}

/* Signals are for the program's own threads. */
static void *keep(void *model) {
  (void)tcc_model_keep(model);
  return NULL;
}

void tcc_packed_keep(TccModel *model) {
  TccPacked *packed = &model->packed;
  if (!packed->cache || !packed->wanted) return;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  packed->has_keeper =
      pthread_create(&packed->keeper, NULL, keep, model) == 0; /* without a thread it is as if there were no room */
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

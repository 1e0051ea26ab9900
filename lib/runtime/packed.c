/* packed.c - what initial steps make of weights, kept on disk between processes.
 *
 * Packing costs 0.4 ms a megabyte at every start; a file of packed weights that is written in large pieces lies in large
 * folios of the page cache, and the next process maps it by huge pages: 256 MB in 1.5 ms, shared with all that run the model.
 *
 * An entry (kind "packed" of the compile cache) is this header, its key, padding to a page, and the block that lay_out_block
 * describes. The key is text like every key: the digest of the artifact, the build of this run-time (whose builtins pack
 * too), and each weight file by device, inode, size, and the times of its last change of content and of status. The name of a
 * file is no part of it. Weight files are not read to know them: who changes one without changing any of these is not seen.
 *
 * The digest covers header and key. The block, hundreds of megabytes, has a sum over one line of each 64 KiB instead: writing
 * and renaming makes an entry whole for every process, so all that is to be found is what a crash of the machine lost of a file
 * that nobody waited for, and that is missing in pages or more. Nothing in an entry is code or an address: a wrong block makes
 * wrong numbers, as a wrong weight file does. */
#include "internal.h"
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define PACKED_MAGIC "TCCPACK1"
enum {
  PAGE = 4096, /* the block begins on one */
  SAMPLE_STEP = 64 << 10,
  SAMPLE_BYTES = 64,
  LEAST_BYTES = 64 << 10,  /* smaller blocks are packed in less time than a file is opened */
  LIMIT_MB = 4096,         /* of all entries together */
  SPARE_BYTES = 256 << 20, /* left free on the disk */
  STALE_SECONDS = 3600,    /* of temporary files: their writer was killed */
};

typedef struct {
  char magic[8];
  uint8_t digest[TCC_DIGEST_BYTES]; /* of all behind it: this header's rest and the key */
  uint32_t header_bytes, key_bytes;
  uint64_t block_offset, block_bytes;
  uint64_t sample;
} PackedHeader;
enum { SIGNED_FROM = offsetof(PackedHeader, header_bytes) };

/* ---- the format ---- */
static uint64_t sample_block(const void *block, size_t bytes) {
  uint64_t sum = bytes;
  for (size_t at = 0; at < bytes; at += SAMPLE_STEP) {
    size_t length = bytes - at < SAMPLE_BYTES ? bytes - at : SAMPLE_BYTES;
    sum = tcc_hash((const char *)block + at, length, sum);
  }
  size_t tail = bytes < SAMPLE_BYTES ? bytes : SAMPLE_BYTES;
  return tcc_hash((const char *)block + bytes - tail, tail, sum);
}

void tcc_packed_header(TccStr key, const void *block, size_t block_bytes, TccText *out) {
  static const char zeros[PAGE];
  size_t start = out->length, offset = (sizeof(PackedHeader) + key.length + PAGE - 1) & ~(size_t)(PAGE - 1);
  PackedHeader header = {.header_bytes = sizeof header,
                         .key_bytes = (uint32_t)key.length,
                         .block_offset = offset,
                         .block_bytes = block_bytes,
                         .sample = sample_block(block, block_bytes)};
  memcpy(header.magic, PACKED_MAGIC, sizeof header.magic);
  tcc_text_put(out, (const char *)&header, sizeof header);
  tcc_text_put(out, key.data, key.length);
  tcc_digest(out->data + start + SIGNED_FROM, sizeof header - SIGNED_FROM + key.length,
             (uint8_t *)out->data + start + offsetof(PackedHeader, digest));
  tcc_text_put(out, zeros, offset - sizeof header - key.length);
}

TccStatus *tcc_packed_check(const void *bytes, size_t length, TccStr key, size_t block_bytes, const void **out) {
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
  if (header.block_bytes != block_bytes || header.block_offset % PAGE != 0 || header.block_offset > length ||
      length - header.block_offset != block_bytes)
    return TCC_ERROR(TCC_INVALID, "damaged: sizes do not add up");
  const char *block = (const char *)bytes + header.block_offset;
  if (sample_block(block, block_bytes) != header.sample) return TCC_ERROR(TCC_INVALID, "damaged: pages are missing");
  *out = block;
  return NULL;
}

/* ---- the key ---- */
/* False if a weight file is not there, or (settled, if given) has been written so lately that a change from now on might leave
 * its times as they are: clocks of file systems tick every few milliseconds. */
static bool put_key(const TccModel *model, TccText *key, bool *settled) {
  enum { TICK_NS = 20000000 };
  char digest[2 * TCC_DIGEST_BYTES + 1];
  tcc_digest_hex(model->artifact.digest, sizeof model->artifact.digest, digest);
  tcc_text_printf(key, "artifact: %s\n", digest);
  tcc_cache_key_runtime(key);
  const TccPlanSource *sources = tcc_plan_at(model->plan, model->plan->sources);
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  *settled = true;
  bool found = true;
  TccArena *arena = tcc_arena_create();
  for (uint32_t i = 0; found && i < model->plan->sources.count; i++) {
    struct stat info;
    if (sources[i].embedded) continue;
    const char *path = tcc_source_path(arena, model->plan, i, model->packed.directory);
    found = path && stat(path, &info) == 0 && S_ISREG(info.st_mode);
    if (!found) break;
    tcc_text_printf(key, "weights: device %llx inode %llu, %lld bytes of %lld.%09ld, %lld.%09ld\n", (unsigned long long)info.st_dev,
                    (unsigned long long)info.st_ino, (long long)info.st_size, (long long)info.st_mtim.tv_sec, info.st_mtim.tv_nsec,
                    (long long)info.st_ctim.tv_sec, info.st_ctim.tv_nsec);
    int64_t age = (int64_t)(now.tv_sec - info.st_mtim.tv_sec) * 1000000000 + (now.tv_nsec - info.st_mtim.tv_nsec);
    if (age < TICK_NS) *settled = false;
  }
  tcc_arena_destroy(arena);
  return found;
}

static uint64_t limit_bytes(void) {
  const char *text = getenv("TCC_PACKED_MB");
  char *end = NULL;
  unsigned long long megabytes = text ? strtoull(text, &end, 10) : LIMIT_MB;
  if (text && (end == text || *end || megabytes > UINT64_MAX >> 20)) megabytes = LIMIT_MB;
  return (uint64_t)megabytes << 20;
}

/* ---- reading ---- */
void tcc_packed_open(TccModel *model, const char *directory) {
  TccPacked *packed = &model->packed;
  if (model->block_bytes < LEAST_BYTES || limit_bytes() == 0) return;
  packed->cache = tcc_cache_open(true);
  packed->directory = directory ? strdup(directory) : NULL;
  bool settled;
  if (!packed->cache || (directory && !packed->directory) || !put_key(model, &packed->key, &settled)) {
    tcc_packed_close(model);
    return;
  }
  char *path = tcc_cache_path(packed->cache, "packed", tcc_text_str(&packed->key));
  TccStatus *status = tcc_file_map(path, &packed->map);
  bool missing = status != NULL;
  if (!status) {
    madvise((void *)packed->map.data, packed->map.length,
            MADV_HUGEPAGE); /* advice: pages that come from the disk come in large folios */
    status = tcc_packed_check(packed->map.data, packed->map.length, tcc_text_str(&packed->key), model->block_bytes, &packed->block);
  }
  if (status) tcc_file_unmap(&packed->map);
  if (status && !missing) tcc_cache_reject(packed->cache, path, tcc_status_message(status));
  if (!status) utimensat(AT_FDCWD, path, NULL, 0); /* the time of last use; a cache that is read-only has none */
  tcc_status_destroy(status);
  free(path);
  if (!settled) packed->unsettled = true;
}

void tcc_packed_close(TccModel *model) {
  TccPacked *packed = &model->packed;
  tcc_file_unmap(&packed->map);
  tcc_cache_close(packed->cache);
  free(packed->directory);
  tcc_text_destroy(&packed->key);
  *packed = (TccPacked){0};
}

/* ---- writing ---- */
typedef struct {
  char *path;
  uint64_t bytes;
  int64_t used;
} Entry;
typedef struct {
  TccArena *arena;
  TCC_VEC(Entry) entries;
  uint64_t bytes;
} Folder;

static void list_folder(Folder *folder, const char *path, int depth) {
  DIR *directory = opendir(path);
  if (!directory) return;
  for (const struct dirent *item = readdir(directory); item; item = readdir(directory)) {
    if (item->d_name[0] == '.') continue;
    struct stat info;
    char *name = tcc_arena_printf(folder->arena, "%s/%s", path, item->d_name);
    if (lstat(name, &info) != 0) continue;
    const char *dot = strrchr(item->d_name, '.');
    if (S_ISDIR(info.st_mode) && depth > 0) list_folder(folder, name, depth - 1);
    if (!S_ISREG(info.st_mode)) continue;
    bool temporary = dot && strcmp(dot, ".tmp") == 0;
    if (temporary && time(NULL) - info.st_mtim.tv_sec > STALE_SECONDS) unlink(name);
    if (temporary) continue;
    Entry entry = {name, (uint64_t)info.st_blocks * 512, (int64_t)info.st_mtim.tv_sec * 1000000000 + info.st_mtim.tv_nsec};
    TCC_VEC_PUSH(folder->arena, &folder->entries, entry);
    folder->bytes += entry.bytes;
  }
  closedir(directory);
}

static int by_use(const void *a, const void *b) {
  int64_t x = ((const Entry *)a)->used, y = ((const Entry *)b)->used;
  return (x > y) - (x < y);
}

/* Removes the entries that were not used for longest until `bytes` more are within the limit. Processes that have one mapped
 * keep it. False if there is no room on the disk. */
static bool make_room(const TccCache *cache, uint64_t bytes) {
  Folder folder = {.arena = tcc_arena_create()};
  const char *path = tcc_arena_printf(folder.arena, "%s/packed", tcc_cache_dir(cache));
  list_folder(&folder, path, 1);
  if (folder.entries.count) qsort(folder.entries.data, folder.entries.count, sizeof(Entry), by_use);
  for (size_t i = 0; i < folder.entries.count && folder.bytes + bytes > limit_bytes(); i++)
    if (unlink(folder.entries.data[i].path) == 0) folder.bytes -= folder.entries.data[i].bytes;
  struct statvfs disk;
  bool room = statvfs(tcc_cache_dir(cache), &disk) == 0 && (uint64_t)disk.f_bavail * disk.f_frsize >= bytes + SPARE_BYTES;
  tcc_arena_destroy(folder.arena);
  return room && folder.bytes + bytes <= limit_bytes();
}

bool tcc_model_keep(const TccModel *model) {
  const TccPacked *packed = &model->packed;
  if (packed->map.data) return true;
  if (!packed->cache || packed->unsettled) return false;
  TccText key = {0}, header = {0};
  bool settled, kept = false;
  char *path = NULL;
  TccArena *arena = tcc_arena_create();
  TccStatus *status = NULL;
  if (!put_key(model, &key, &settled) || !tcc_str_equal(tcc_text_str(&key), tcc_text_str(&packed->key)))
    goto done; /* changed meanwhile */
  path = tcc_cache_path(packed->cache, "packed", tcc_text_str(&key));
  tcc_packed_header(tcc_text_str(&key), model->block, model->block_bytes, &header);
  TCC_GOTO(tcc_directory_make(tcc_path_directory(arena, path)));
  if (model->block_bytes > limit_bytes() || !make_room(packed->cache, header.length + model->block_bytes)) goto done;
  const TccStr parts[] = {tcc_text_str(&header), {model->block, model->block_bytes}};
  TCC_GOTO(tcc_file_write_parts(path, parts, 2));
  kept = true;
done:
  tcc_status_destroy(status); /* a full or read-only disk costs only the time of the next start */
  tcc_arena_destroy(arena);
  free(path);
  tcc_text_destroy(&key);
  tcc_text_destroy(&header);
  return kept;
}

/* cache_files.h - the files of the compile cache: whose they are, how they are written, how much room they take. */
#ifndef TCC_RUNTIME_CACHE_FILES_H
#define TCC_RUNTIME_CACHE_FILES_H
#include "tcc/cache.h"
#include "tcc/file.h"
#include <sys/stat.h>

/* An entry that is being written, under a random name in its folder. It is locked: what is there without a lock is of a process that
 * was killed, and is removed. */
typedef struct {
  int folder, fd;
  char name[2 * TCC_DIGEST_BYTES + 1], temporary[2 * TCC_DIGEST_BYTES + TCC_RANDOM_NAME + 5];
} TccCacheFile;

/* Whether a folder is this user's own, or there is none and it would be; says why not, once in a process. */
bool tcc_cache_trusted(const char *directory);
/* Opens an entry for reading. -1 if there is none, or (said in one line) it is no regular file. One that another user may have written is
 * rejected. out_info: of it. */
int tcc_cache_find(const TccCache *cache, const char *kind, TccStr key, struct stat *out_info);
/* Says that an entry was used just now: its time of last change is that of its last use. */
void tcc_cache_used(const TccCache *cache, const char *kind, TccStr key);
/* Makes room for an entry of so many bytes within the cache's limit and begins to write one. False: there is no place, which costs time only. */
bool tcc_cache_begin(const TccCache *cache, const char *kind, TccStr key, uint64_t bytes, TccCacheFile *out);
/* Both end the writing: the entry is there now (false if that failed), or nothing is. */
bool tcc_cache_commit(TccCacheFile *file);
void tcc_cache_abandon(TccCacheFile *file);
void tcc_cache_leave(TccCacheFile *file); /* in a child of the process that writes it: that one goes on */
/* Bytes that all entries together may have: TCC_PACKED_MB. *out_off: it says 0, so no packed weights are kept. */
uint64_t tcc_cache_limit(bool *out_off);
#endif

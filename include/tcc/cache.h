/* cache.h - the compile cache: models and kernels by the content of what they were made from. No MLIR: a run that hits the
 * cache does not load the compiler.
 *
 * A key is text, one part a line ("machine: ..."), so that a miss can be explained by comparing it with the last one. An
 * entry is a file named by the key's digest: the payload, the key as notes, and the record of plan.h with magic, version
 * and digest. Entries are written to a temporary file and renamed; all of it is checked when it is read, and a damaged one
 * is reported, removed and counts as a miss. What another user owns or could have written is not read, what is no regular file is
 * left alone, both with a line on stderr. A cache that cannot be written is no error: only the time is lost.
 * Functions are thread-safe and safe among processes. */
#ifndef TCC_CACHE_H
#define TCC_CACHE_H
#include "tcc/plan.h"

typedef struct TccCache TccCache;
/* The cache of this user: $TCC_CACHE_DIR, $XDG_CACHE_HOME/tcc or ~/.cache/tcc; NULL if there is no place or enabled is
 * false, or if the folder is not this user's own. Every function takes NULL as a cache that is always empty. */
TCC_EXPORT TccCache *tcc_cache_open(bool enabled);
TCC_EXPORT void tcc_cache_close(TccCache *cache);
TCC_EXPORT const char *tcc_cache_dir(const TccCache *cache);
/* Where the entry of this kind ("model", "object", "cubin", "inputs", "last", "packed", "verified") and key is or would be; heap. NULL without a
 * cache, or without memory. */
TCC_EXPORT char *tcc_cache_path(const TccCache *cache, const char *kind, TccStr key);
/* Appends the payload to out; false on a miss. */
TCC_EXPORT bool tcc_cache_read(const TccCache *cache, const char *kind, TccStr key, TccText *out);
/* payload is sealed with the key as its notes. */
TCC_EXPORT void tcc_cache_write(const TccCache *cache, const char *kind, TccStr key, TccStr payload);
/* Removes and reports an entry whose loading failed. */
TCC_EXPORT void tcc_cache_reject(const TccCache *cache, const char *path, const char *why);

/* A key that `failed` for want of memory is none: whoever made it looks before it is used. */
/* Appends the parts that name this build: "tcc: BUILD-ID", "llvm: VERSION SIZE TIME", and (machine) this CPU. */
TCC_EXPORT void tcc_cache_key_build(TccText *key);
TCC_EXPORT void tcc_cache_key_machine(TccText *key);
/* Appends "runtime: VERSION BUILD-ID" of the library (or program) that this function is in. */
TCC_EXPORT void tcc_cache_key_runtime(TccText *key);
/* The folder of libtccrt, with the compiler library beside it; heap. NULL: no memory. */
TCC_EXPORT char *tcc_library_dir(void);
/* Appends how this key differs from the last one that was remembered for the model at `model`: lines that went, "- ...", and that
 * came, "+ ...". */
TCC_EXPORT void tcc_cache_explain(const TccCache *cache, const char *model, TccStr key, TccText *out);
TCC_EXPORT void tcc_cache_remember(const TccCache *cache, const char *model, TccStr key);
#endif

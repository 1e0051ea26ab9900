/* sources.h - the files that a model's weights lie in: the model itself is number 0, files beside it follow as they are met.
 *
 * What is compiled in is read through tcc_sources_take alone, since a place has no pointer into a file: so the list of ranges that a
 * compilation depends on is whole by construction. No MLIR. Not thread-safe. */
#ifndef TCC_SOURCES_H
#define TCC_SOURCES_H
#include "tcc/digest.h"
#include "tcc/elem.h"
#include "tcc/file.h"

typedef struct TccSources TccSources;
/* Where a tensor's elements lie, in the form of tensor.h but perhaps unaligned. */
typedef struct {
  int64_t file;        /* number of the file that holds the bytes; -1: none does (decoded) */
  uint64_t offset;     /* in the file */
  size_t length;       /* bytes */
  const void *decoded; /* the bytes, if no file holds them; they live as long as who decoded them says */
} TccSourcePlace;

/* Maps the model. weights_dir: where the other files lie; NULL: beside it. */
TCC_EXPORT TccStatus *tcc_sources_open(const char *model_path, const char *weights_dir, TccSources **out) TCC_CHECKED;
/* The same of a model in memory, which outlives the sources; `name` stands for it in messages. */
TCC_EXPORT TccStatus *tcc_sources_open_memory(const char *name, TccStr bytes, TccSources **out) TCC_CHECKED;
TCC_EXPORT void tcc_sources_close(TccSources *sources); /* unmaps all; NULL does nothing */
/* Lets go of the pages of the files: who reads them again gets them again. A byte that was read may have mapped 2 MB, which count as the process's memory. */
TCC_EXPORT void tcc_sources_drop_pages(const TccSources *sources);
TCC_EXPORT size_t tcc_sources_count(const TccSources *sources);
TCC_EXPORT const TccFileMap *tcc_sources_file(const TccSources *sources, size_t index);
TCC_EXPORT const char *tcc_sources_name(const TccSources *sources, size_t index); /* relative to the model's directory */
TCC_EXPORT const char *tcc_sources_path(const TccSources *sources,
                                        size_t index); /* as it was opened; as long as the sources are open */
/* The number of the file `location` beneath the directory; it is opened once. Errors as for tcc_file_map_beneath, with where it was
 * looked for. The model's own name is the model, wherever the others are. */
TCC_EXPORT TccStatus *tcc_sources_beside(TccSources *sources, TccStr location, int64_t *out_number) TCC_CHECKED;
/* Takes over a mapped file that the caller chose, wherever it lies, and empties *map. Its name is relative where it lies in the folder of the others,
 * else absolute: no folder is looked in for it when the artifact is loaded. TCC_IO where its folder cannot be found. */
TCC_EXPORT TccStatus *tcc_sources_adopt(TccSources *sources, const char *path, TccFileMap *map, int64_t *out_number) TCC_CHECKED;
/* `length` bytes at `offset` of a file. TCC_INVALID where it does not have them. */
TCC_EXPORT TccStatus *tcc_sources_place(const TccSources *sources, int64_t file, uint64_t offset, size_t length,
                                        TccSourcePlace *out) TCC_CHECKED;

/* The elements at a place, to be compiled in, as long as the sources are open; a bool is 0 or 1. That they were read is noted under
 * `name`, a tensor's: what is made of them is right for these bytes alone. */
TCC_EXPORT const void *tcc_sources_take(TccSources *sources, TccStr name, TccElem elem, const TccSourcePlace *place);
/* The same bytes for a choice that is right whatever they are. Nothing is noted, and a bool may be any byte. */
TCC_EXPORT const void *tcc_sources_peek(const TccSources *sources, const TccSourcePlace *place);
/* Notes that a reader decoded bytes of a file. */
TCC_EXPORT void tcc_sources_note(TccSources *sources, TccStr name, int64_t file, uint64_t offset, uint64_t length);

/* What was taken, each range once. Of the model itself only what its digest leaves out is listed. */
typedef struct {
  TccStr name; /* of a tensor that is there */
  uint32_t file;
  uint64_t offset, length;
  uint8_t digest[TCC_DIGEST_BYTES];
} TccSourceRead;
TCC_EXPORT const TccSourceRead *tcc_sources_reads(const TccSources *sources, size_t *out_count);
/* Digest of the model but for its large tensors' numbers (tcc_wire_digest), as it was when it was opened. */
TCC_EXPORT const uint8_t *tcc_sources_digest(const TccSources *sources);
/* Whether any of this differs by now: files are mapped, and who writes to one in place changes what is being compiled. The path of the
 * first such file, or NULL. */
TCC_EXPORT const char *tcc_sources_changed(const TccSources *sources);
#endif

/* safetensors.h - files of named tensors (huggingface/safetensors), one or several with an index. No MLIR.
 *
 * A file is a length of 8 bytes, a JSON header of that length, and the tensors' bytes, which stay in the mapped file. The reader checks
 * what the format promises: names once each, sizes that agree with types and offsets, bytes that are covered from the first to the last
 * without gap or overlap, so that a file means the same to every reader. An index (model.safetensors.index.json) says which file of its own
 * folder has which tensor: those names must be plain file names that end in .safetensors. After opening, functions are thread-safe. */
#ifndef TCC_SAFETENSORS_H
#define TCC_SAFETENSORS_H
#include "tcc/elem.h"
#include "tcc/file.h"

typedef struct {
  TccStr name;
  TccStr type;  /* as the format spells it: "BF16" */
  TccElem elem; /* TCC_ELEM_NONE: tcc has none for it */
  size_t rank;
  const int64_t *dims;
  size_t count; /* elements */
  size_t bytes;
  size_t file;   /* which of the files */
  size_t offset; /* in the file; of any alignment */
} TccSafetensor;

typedef struct {
  const char *path;
  TccFileMap map;
} TccSafetensorsFile;

typedef struct {
  TccArena *arena;
  TccSafetensorsFile *files;
  TccSafetensorsFile index; /* path NULL: there is none */
  TccSafetensor *tensors;   /* in the order of the headers; of an index, in its order */
  size_t nfiles, count;
  TccMap *by_name;
} TccSafetensors;

/* Opens a file of tensors, or an index (a name that ends in .json) and all its files. TCC_INVALID with place, TCC_NOT_FOUND for a file,
 * or for tensors that an index names and its files have not, all told at once. */
TCC_EXPORT TccStatus *tcc_safetensors_open(const char *path, TccSafetensors **out) TCC_CHECKED;
TCC_EXPORT void tcc_safetensors_close(TccSafetensors *tensors); /* NULL is fine */
/* NULL: there is none of this name. */
TCC_EXPORT const TccSafetensor *tcc_safetensors_find(const TccSafetensors *tensors, TccStr name);
TCC_EXPORT const void *tcc_safetensors_data(const TccSafetensors *tensors, const TccSafetensor *tensor);
/* Appends the tensors of one file's bytes, which outlive them. For tcc_safetensors_open, and tests. */
TCC_EXPORT TccStatus *tcc_safetensors_read(TccArena *arena, TccStr bytes, const char *name, size_t file, TccSafetensor **out,
                                           size_t *out_count) TCC_CHECKED;
#endif

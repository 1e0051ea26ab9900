/* file.h - files as mapped bytes, and files written whole or not at all. No MLIR.
 *
 * Inputs are mapped read-only: nothing is copied, pages come in as they are touched. Only regular files are taken; a FIFO,
 * a device or a directory is refused without waiting for it. A file that another process truncates while it is mapped
 * raises SIGBUS: tcc does not guard against its user. Functions are thread-safe. */
#ifndef TCC_FILE_H
#define TCC_FILE_H
#include "tcc/base.h"

typedef struct {
  const void *data;
  size_t length;
} TccFileMap; /* data is page-aligned; NULL for an empty file */

/* Maps path. TCC_NOT_FOUND if it does not exist, TCC_INVALID if it is no regular file, TCC_IO otherwise. */
TCC_EXPORT TccStatus *tcc_file_map(const char *path, TccFileMap *out) TCC_CHECKED;
/* The same for a file that is open, and closes it; name: for messages. */
TCC_EXPORT TccStatus *tcc_file_map_descriptor(int fd, const char *name, TccFileMap *out) TCC_CHECKED;
/* Maps a file that untrusted input names relative to a directory ("" is the current one). Refuses with TCC_INVALID what
 * could leave the directory or is not what it seems: absolute names, "..", symbolic links in any component below the
 * directory, files with several hard links, no regular files, NUL and empty components (the attacks in ONNX's
 * ExternalDataSecurity.md). The kernel resolves the name once, so nothing can be exchanged between check and use. */
TCC_EXPORT TccStatus *tcc_file_map_beneath(const char *directory, TccStr name, TccFileMap *out) TCC_CHECKED;
TCC_EXPORT void tcc_file_unmap(TccFileMap *map); /* leaves it empty; an empty one is fine */
/* Bytes of the whole pages between data and data + length. */
TCC_EXPORT size_t tcc_file_whole_pages(const void *data, size_t length);
/* Lets go of these pages, which are mapped from a file and clean: they are not in memory until somebody reads them again. */
TCC_EXPORT void tcc_file_drop_pages(const void *data, size_t length);

/* What bytes of a file seem to be, to be said behind "it is": "a NumPy file", "text", "empty"; NULL: nothing that is known. */
#define TCC_FILE_TEXT "text"
#define TCC_FILE_BYTECODE "MLIR bytecode"
#define TCC_FILE_ELF "a shared object or a program"
TCC_EXPORT const char *tcc_file_kind(const void *data, size_t length);

/* Whether path can be the name of a file to write, before there is something to write: TCC_INVALID for a folder, TCC_NOT_FOUND where its
 * folder does not exist. All that write ask it. */
TCC_EXPORT TccStatus *tcc_file_check_name(const char *path) TCC_CHECKED;
/* Writes a new file and renames it to path: a reader sees the old bytes or all of the new ones, also after a crash. A
 * device or FIFO is written to where it is. */
TCC_EXPORT TccStatus *tcc_file_write(const char *path, const void *data, size_t length) TCC_CHECKED;
/* The same without waiting for the disk: a reader in a running system sees the old bytes or all of the new ones; after a
 * crash of the machine the file may be empty or cut short. For caches, whose readers check what they read. */
TCC_EXPORT TccStatus *tcc_file_write_quickly(const char *path, const void *data, size_t length) TCC_CHECKED;
/* The same of several pieces, one behind the other. */
TCC_EXPORT TccStatus *tcc_file_write_parts(const char *path, const TccStr *parts, size_t count) TCC_CHECKED;
/* Of several pieces, and on the disk when it returns, as tcc_file_write. */
TCC_EXPORT TccStatus *tcc_file_write_durably(const char *path, const TccStr *parts, size_t count) TCC_CHECKED;
/* Writes all of it at the position of fd; false, with errno, if that fails. */
TCC_EXPORT bool tcc_file_put(int fd, const void *data, size_t length);
enum { TCC_RANDOM_NAME = 17 };
/* 16 hexadecimal digits that nobody can foresee, and a NUL. */
TCC_EXPORT void tcc_random_name(char out[TCC_RANDOM_NAME]);
/* Makes a directory and its parents, for this user alone (0700, whatever the umask); existing ones are fine as they are. */
TCC_EXPORT TccStatus *tcc_directory_make(const char *path) TCC_CHECKED;
/* "a/b" of "a/b/c", "/" of "/c", "" of "c". In the arena; NULL where that has no memory. */
TCC_EXPORT const char *tcc_path_directory(TccArena *arena, const char *path);
#endif

/* file_kind.c - what a file is by its first bytes, for messages to who gave the wrong one. */
#include "tcc/file.h"

const char *tcc_file_kind(const void *data, size_t length) {
  static const struct {
    const char *begin;
    size_t length;
    const char *kind;
  } kinds[] = {{"\177ELF", 4, TCC_FILE_ELF},
               {"\223NUMPY", 6, "a NumPy file"},
               {"ML\357R", 4, TCC_FILE_BYTECODE},
               {"SQLite format 3", 15, "a database"},
               {"\211HDF", 4, "an HDF5 file"},
               {"PK\3\4", 4, "a zip archive, as of PyTorch or NumPy"},
               {"GGUF", 4, "a GGUF file"},
               {"version https://git-lfs", 23, "a pointer of Git LFS, whose data is not here: `git lfs pull`"}};
  TccStr bytes = {length ? data : "", length};
  if (!length) return "empty";
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (length >= kinds[i].length && !memcmp(bytes.data, kinds[i].begin, kinds[i].length)) return kinds[i].kind;
  size_t printable = 0, looked_at = length < 512 ? length : 512;
  for (size_t i = 0; i < looked_at; i++) {
    unsigned char c = (unsigned char)bytes.data[i];
    printable += (c >= ' ' && c != 127) || (c >= '\t' && c <= '\r');
  }
  return printable == looked_at ? TCC_FILE_TEXT : NULL;
}

/* tensor.h - tensors in host memory and the files that hold them (.npy, TensorProto .pb), for commands and the compiler. No MLIR; not in the
 * run-time library.
 *
 * A host tensor is dense, row-major and little endian; bool is a byte 0 or 1, types below 8 bits are packed with the first
 * element in the low bits. It owns its bytes. Nothing here is shared between threads. */
#ifndef TCC_TENSOR_H
#define TCC_TENSOR_H
#include "tcc/elem.h"
#include <stdio.h>

enum { TCC_HOST_MAX_RANK = 16 };

typedef struct {
  TccElem elem;
  int rank;
  int64_t dims[TCC_HOST_MAX_RANK];
  size_t count; /* elements */
  size_t bytes; /* tcc_elem_bytes(elem, count) */
  void *data;   /* heap, 64-byte aligned; never NULL */
  char *name;   /* heap, NUL-terminated, from the file; may be NULL */
  bool is_text; /* ui8: the last axis is a string's bytes in UTF-8 and zeros behind its end */
} TccHostTensor;

/* Zeroed data. TCC_INVALID for a negative dimension or a rank above the limit, TCC_NO_MEMORY if it does not fit. */
TCC_EXPORT TccStatus *tcc_host_tensor_create(TccElem elem, int rank, const int64_t *dims, TccHostTensor **out) TCC_CHECKED;
TCC_EXPORT void tcc_host_tensor_destroy(TccHostTensor *tensor);

/* One serialised TensorProto: raw_data or the typed fields, no external data, no segments. Strings are as wide as the widest, and have no zeros. */
TCC_EXPORT TccStatus *tcc_host_tensor_parse_proto(const void *bytes, size_t length, TccHostTensor **out) TCC_CHECKED;
/* What a file of NumPy's format, versions 1 to 3, says of itself; data is borrowed, of the elements' bytes at least, not aligned. */
typedef struct {
  TccElem elem;
  int rank;
  int64_t dims[TCC_HOST_MAX_RANK];
  bool fortran;  /* order */
  int64_t width; /* of strings (|S5): bytes of each, the last of dims; 0: no strings */
  const void *data;
} TccNpy;
TCC_EXPORT TccStatus *tcc_npy_parse(const void *bytes, size_t length, TccNpy *out) TCC_CHECKED;
/* A file of tokens as llm.c has it: 256 int32, of which the first three are 20240520, 1 and the number of tokens, then uint16 each. Tokens are
 * borrowed; bytes must be aligned to 2. TCC_INVALID: another file, or one that is cut short. */
TCC_EXPORT TccStatus *tcc_tokens_parse(const void *bytes, size_t length, const uint16_t **out_tokens,
                                       int64_t *out_count) TCC_CHECKED;
/* NumPy's format, versions 1 to 3, C or Fortran order (transposed to row-major), little endian. */
TCC_EXPORT TccStatus *tcc_host_tensor_parse_npy(const void *bytes, size_t length, TccHostTensor **out) TCC_CHECKED;
/* Reads path by its ending (.npy, else TensorProto). */
TCC_EXPORT TccStatus *tcc_host_tensor_read(const char *path, TccHostTensor **out) TCC_CHECKED;
/* Tensors in their order, and of each file that they were read from how many it holds as a list; -1: it is a tensor. Begins zeroed. */
typedef struct {
  TccHostTensor **tensors;
  size_t count;
  int64_t *lengths;
  size_t files;
} TccHostTensors;
/* Appends a TensorProto, or what a SequenceProto or an OptionalProto holds, of lists in it too. Errors are those of the tensor. */
TCC_EXPORT TccStatus *tcc_host_tensors_parse(const void *bytes, size_t length, TccHostTensors *out) TCC_CHECKED;
TCC_EXPORT TccStatus *tcc_host_tensors_read(const char *path, TccHostTensors *out) TCC_CHECKED; /* by its ending, too */
/* The files STEM_K.pb or .npy of a folder, K = 0, 1, ... until one is missing. */
TCC_EXPORT TccStatus *tcc_host_tensors_read_folder(const char *folder, const char *stem, TccHostTensors *out) TCC_CHECKED;
TCC_EXPORT TccStatus *tcc_host_tensors_push(TccHostTensors *tensors, TccHostTensor *tensor) TCC_CHECKED; /* takes the tensor */
TCC_EXPORT void tcc_host_tensors_clear(TccHostTensors *tensors);
/* Writes NumPy's format 1; a type that NumPy lacks is written as the unsigned integer of its width (bfloat16: <u2). */
TCC_EXPORT TccStatus *tcc_host_tensor_write_npy(const TccHostTensor *tensor, const char *path) TCC_CHECKED;

/* How far got may be from want. */
typedef struct {
  double rmse_limit; /* >= 0: floats are compared by root mean square error over the finite elements of want; < 0: by rtol, atol */
  double rtol,
      atol; /* |got - want| <= atol + spread * RMS + rtol * |want| for each element; the RMS is that of want's finite elements */
  double spread;
  const char *hint; /* said behind a difference of values: how to allow more; may be NULL */
} TccTolerance;
/* TCC_MISMATCH says where, by how much, beside what, and what is allowed. NaN equals NaN, infinities must be equal; integers and bool must be equal,
 * unless the rule is by rtol and atol, which then holds for them too. Where want is text, got may be wider or narrower by zeros. A .npy want of <u2 is compared with a bfloat16 got as bits. */
TCC_EXPORT TccStatus *tcc_host_tensor_compare(const TccHostTensor *got, const TccHostTensor *want,
                                              const TccTolerance *tolerance) TCC_CHECKED;
#endif

/* torch.h - a .pt2 as torch.export.save of torch 2.9 and newer writes it, or the JSON of its graph alone. No MLIR.
 *
 *   ROOT/archive_format "pt2", archive_version "0", byteorder "little"
 *   ROOT/models/MODEL.json                            the graph (torch_graph.h)
 *   ROOT/data/weights/MODEL_weights_config.json       name -> member, sizes, strides, offset; so constants/MODEL_constants_config.json
 *   ROOT/data/weights/weight_N, constants/tensor_N    the bytes of a storage each
 *
 * Weights stay where they are: a storage is a span of the file, which is not touched until somebody reads it. Pickles, example inputs
 * and compiled code in an archive are never read. What is opened is checked: every parameter, buffer and constant of the signature has a
 * weight of its type and sizes, and each weight's elements lie in its storage. One thread. */
#ifndef TCC_TORCH_H
#define TCC_TORCH_H
#include "tcc/torch_graph.h"

typedef struct {
  const struct TccZipMember *member;
  TccStr name;     /* of the member */
  uint64_t offset; /* in the file */
  size_t size;     /* bytes, inflated */
  bool stored;     /* they stand in the file as they are; else compressed */
  TccStr bytes;    /* once they were read */
} TccTorchStorage;

typedef struct {
  TccStr name;              /* "layers.0.weight" */
  TccTorchStorage *storage; /* tied weights and views of each other have the same */
  TccTorchMeta meta;        /* sizes, strides and offset are literals, not negative */
  size_t count;             /* elements */
  bool row_major;           /* dense from the offset on, the last axis fastest */
  bool parameter,
      constant; /* else a buffer that is saved; constant: of constants_config: a lifted one, or a buffer that is not saved */
} TccTorchWeight;

typedef struct {
  const char *name;   /* of the file, for messages */
  struct TccZip *zip; /* NULL: a graph alone */
  TccStr root, model;
  TccTorchProgram *program;
  TccTorchWeight *weights; /* in the order of the archive */
  size_t nweights;
  TccMap *by_name, *storages;
} TccTorchArchive;

/* Reads an archive, or the JSON of a graph. bytes and name outlive it. TCC_UNSUPPORTED for other layouts that torch has written, with
 * the line of Python that writes this one. */
TCC_EXPORT TccStatus *tcc_torch_archive_read(TccArena *arena, TccStr bytes, const char *name, TccTorchArchive **out) TCC_CHECKED;
/* NULL: there is none. */
TCC_EXPORT const TccTorchWeight *tcc_torch_weight(const TccTorchArchive *archive, TccStr name);
/* Its first element, of any alignment (torch stores at multiples of 64); others by strides. Inflated into the arena if it is compressed,
 * once for a storage. check_crc: the CRC-32 of its storage is compared, so all of it is read. TCC_UNSUPPORTED for a type that tcc has not. */
TCC_EXPORT TccStatus *tcc_torch_weight_data(const TccTorchArchive *archive, const TccTorchWeight *weight, bool check_crc,
                                            TccArena *arena, const void **out) TCC_CHECKED;
#endif

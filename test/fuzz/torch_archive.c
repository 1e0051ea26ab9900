/* Bytes of a .pt2: the zip's directory, configurations of weights, graphs, and every byte of every weight that is taken. */
#include "lib/frontend/torch/zip.h"
#include "tcc/torch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static TccArena *arena;
  if (!arena) arena = tcc_arena_create();
  tcc_arena_reset(arena);
  TccStr bytes = {(const char *)data, size};
  TccTorchArchive *archive;
  TccZip *zip;
  TccStatus *status = tcc_zip_open(arena, bytes, "fuzz", &zip);
  for (size_t i = 0; !status && i < zip->count; i++) {
    TccStr member;
    TccStatus *read = tcc_zip_read(zip, &zip->members[i], true, arena, &member);
    tcc_status_destroy(read);
  }
  tcc_status_destroy(status);
  status = tcc_torch_archive_read(arena, bytes, "fuzz", &archive);
  volatile unsigned sum = 0; /* so that a weight that leaves the input is seen */
  for (size_t i = 0; !status && i < archive->nweights; i++) {
    const TccTorchWeight *weight = &archive->weights[i];
    const void *first;
    TccStatus *read = tcc_torch_weight_data(archive, weight, false, arena, &first);
    size_t last = 0;
    for (size_t k = 0; k < weight->meta.rank; k++)
      last += (size_t)(weight->meta.sizes[k].value - 1) * (size_t)weight->meta.strides[k].value;
    if (!read && weight->count) {
      size_t element = tcc_elem_bytes(weight->meta.elem, 1);
      sum += *(const unsigned char *)first + ((const unsigned char *)first)[last * element + element - 1];
    }
    tcc_status_destroy(read);
  }
  tcc_status_destroy(status);
  return 0;
}

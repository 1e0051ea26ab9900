/* Entries of packed weights: any bytes are refused or give a block that lies inside. The first byte says how large the block
 * should be and whether the bytes are made into an entry first, so that what is behind the digest is reached too. */
#include "lib/runtime/internal.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 2) return 0;
  const TccStr key = {(const char *)data + 1, (data[0] & 15) && (data[0] & 15u) < size ? (size_t)(data[0] & 15) : 1};
  size_t block_bytes = (size_t)(data[0] >> 5) * 64 + 1;
  TccText entry = {0};
  if (data[0] & 16 && size - 1 >= block_bytes) {
    static const uint8_t sum[TCC_DIGEST_BYTES];
    tcc_packed_header(key, block_bytes, sum, &entry);
    while (entry.length < tcc_packed_offset(key)) tcc_text_put(&entry, "", 1);
    tcc_text_put(&entry, (const char *)data + 1, size - 1 < block_bytes + data[1] % 3u ? size - 1 : block_bytes + data[1] % 3u);
  } else {
    tcc_text_put(&entry, (const char *)data + 1, size - 1);
  }
  const void *block;
  const uint8_t *sum;
  TccStatus *status = tcc_packed_check(entry.data, entry.length, key, block_bytes, &block, &sum);
  if (!status && ((const char *)block < entry.data || (const char *)block + block_bytes != entry.data + entry.length)) abort();
  tcc_status_destroy(status);
  tcc_text_destroy(&entry);
  return 0;
}

/* digest.c - see include/tcc/digest.h. */
#include "tcc/digest.h"
#include <blake2.h>
#include <stdio.h>

void tcc_digest(const void *bytes, size_t length, uint8_t out[TCC_DIGEST_BYTES]) {
  static const char zero;
  blake2b(out, length ? bytes : &zero, NULL, TCC_DIGEST_BYTES, length, 0); /* libb2 refuses NULL, though nothing is read */
}

void tcc_digest_hex(const void *bytes, size_t length, char out[2 * TCC_DIGEST_BYTES + 1]) {
  uint8_t digest[TCC_DIGEST_BYTES];
  tcc_digest(bytes, length, digest);
  for (size_t i = 0; i < sizeof digest; i++) snprintf(out + 2 * i, 3, "%02x", digest[i]);
}

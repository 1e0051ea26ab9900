/* digest.h - content addresses: BLAKE2b with 256 bits (RFC 7693), by libb2. Thread-safe. No MLIR. */
#ifndef TCC_DIGEST_H
#define TCC_DIGEST_H
#include "tcc/base.h"

enum { TCC_DIGEST_BYTES = 32 };
TCC_EXPORT void tcc_digest(const void *bytes, size_t length, uint8_t out[TCC_DIGEST_BYTES]);
/* The same as lower-case hexadecimal text with a NUL. */
TCC_EXPORT void tcc_digest_hex(const void *bytes, size_t length, char out[2 * TCC_DIGEST_BYTES + 1]);
#endif

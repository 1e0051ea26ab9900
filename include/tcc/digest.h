/* digest.h - content addresses: BLAKE2b with 256 bits (RFC 7693). Thread-safe. No MLIR. */
#ifndef TCC_DIGEST_H
#define TCC_DIGEST_H
#include "tcc/base.h"

enum { TCC_DIGEST_BYTES = 32 };
/* bytes may be NULL if length is 0. */
TCC_EXPORT void tcc_digest(const void *bytes, size_t length, uint8_t out[TCC_DIGEST_BYTES]);
/* The same as lower-case hexadecimal text with a NUL. */
TCC_EXPORT void tcc_digest_hex(const void *bytes, size_t length, char out[2 * TCC_DIGEST_BYTES + 1]);
TCC_EXPORT void tcc_digest_text(const uint8_t digest[TCC_DIGEST_BYTES], char out[2 * TCC_DIGEST_BYTES + 1]);

/* Of bytes as a tree: of the digests, one behind the other, of pieces of TCC_DIGEST_SMALL_LEAF bytes, the last of which may be shorter. One thread makes
 * it several times as fast as tcc_digest where the machine has vectors of 512 bits. TCC_NO_MEMORY. */
enum { TCC_DIGEST_SMALL_LEAF = 1 << 12 };
TCC_EXPORT TccStatus *tcc_digest_tree(const void *bytes, size_t length, uint8_t out[TCC_DIGEST_BYTES]) TCC_CHECKED;

/* Of bytes that are too many to be read: 64 of them at the start, at the end, and after each third. What differs elsewhere has the
 * same sample. */
TCC_EXPORT uint64_t tcc_digest_sample(const void *bytes, size_t length);
/* Of `count` pieces of any lengths, by several threads: out[i] is the digest of the digests of the leaves of piece i, which are
 * TCC_DIGEST_LEAF bytes each but for the last. threads 0 is one. TCC_NO_MEMORY. */
enum { TCC_DIGEST_LEAF = 1 << 20 };
TCC_EXPORT TccStatus *tcc_digest_pieces(const TccStr *pieces, size_t count, unsigned threads,
                                        uint8_t (*out)[TCC_DIGEST_BYTES]) TCC_CHECKED;
#endif

/* tokens.c - files of tokens for training, as llm.c writes them. */
#include "tcc/tensor.h"
#include <string.h>

TccStatus *tcc_tokens_parse(const void *bytes, size_t length, const uint16_t **out_tokens, int64_t *out_count) {
  enum { HEADER = 1024, MAGIC = 20240520, VERSION = 1 };
  int32_t head[3];
  *out_tokens = NULL, *out_count = 0;
  if (length < HEADER) return TCC_ERROR(TCC_INVALID, "no file of tokens: the header takes %d bytes", HEADER);
  memcpy(head, bytes, sizeof head);
  if (head[0] != MAGIC || head[1] != VERSION) return TCC_ERROR(TCC_INVALID, "no file of tokens of version %d", VERSION);
  size_t available = (length - HEADER) / sizeof(uint16_t);
  if (head[2] < 0 || (size_t)head[2] > available)
    return TCC_ERROR(TCC_INVALID, "the file has %zu tokens, its header says %d", available, head[2]);
  *out_tokens = (const uint16_t *)((const char *)bytes + HEADER), *out_count = head[2];
  return NULL;
}

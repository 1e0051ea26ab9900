/* Files of tokens: the first and the last one of those that a file says to have. */
#include "tcc/tensor.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const uint16_t *tokens;
  int64_t count;
  volatile unsigned sum = 0; /* so that a token outside of the input is seen */
  TccStatus *status = tcc_tokens_parse(data, size, &tokens, &count);
  if (!status && count) sum += tokens[0] + (unsigned)tokens[count - 1];
  tcc_status_destroy(status);
  return 0;
}

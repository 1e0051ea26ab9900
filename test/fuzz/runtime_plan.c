/* Plans: bytes that pass the check can be printed; and whole artifacts up to the point where the loader would take over.
 * The first byte says which. */
#include "tcc/plan.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size < 8) return 0;
  /* The first 8 bytes keep the rest aligned, as it is in a loaded artifact. */
  size_t length = size - 8;
  void *block = aligned_alloc(64, (length + 64) & ~(size_t)63);
  if (!block) return 0;
  memcpy(block, data + 8, length);
  TccStatus *status;
  if (data[0] & 1) {
    TccArtifactRecord record;
    TccStr notes;
    status = NULL;
    for (size_t end = length; end > 0 && !status; end -= status ? 0 : tcc_artifact_bytes(&record))
      status = tcc_artifact_check(block, end, &record, &notes);
  } else {
    status = tcc_plan_check(block, length);
    TccText text = {0};
    if (!status) tcc_plan_print(block, &text);
    tcc_text_destroy(&text);
  }
  tcc_status_destroy(status);
  free(block);
  return 0;
}

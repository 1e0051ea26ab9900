/* loop.c - what a loop carries goes from one iteration to the next. */
#include "internal.h"

void tcc_loop_copy(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)begin, (void)end;
  int64_t n = sizes[0];
  const int64_t *bytes = sizes + 1, *waiting = bytes + n;
  for (int64_t i = 0; i < n; i++)
    if (waiting[i] >= 0) memcpy((char *)scratch + waiting[i], arguments[i], (size_t)bytes[i]);
  for (int64_t i = 0; i < n; i++) {
    const void *from = waiting[i] >= 0 ? (const char *)scratch + waiting[i] : arguments[i];
    if (from != arguments[n + i]) memcpy(arguments[n + i], from, (size_t)bytes[i]);
  }
}

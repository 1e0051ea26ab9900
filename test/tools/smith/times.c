/* times.c - see times.h. One child at a time adds to the table. */
#include "test/tools/smith/times.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MOST_TIMES = 96 };
typedef struct {
  char name[40];
  double ms;
} Time;
static Time *times; /* MOST_TIMES, or NULL */

void smith_times_start(void) {
  void *memory = mmap(NULL, MOST_TIMES * sizeof *times, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  times = memory == MAP_FAILED ? NULL : memory;
}

void smith_times_add(const char *name, double ms) {
  for (int i = 0; times && i < MOST_TIMES; i++) {
    if (!times[i].name[0]) snprintf(times[i].name, sizeof times[i].name, "%s", name);
    if (strncmp(times[i].name, name, sizeof times[i].name - 1) != 0) continue;
    times[i].ms += ms;
    return;
  }
}

static int by_time(const void *a, const void *b) {
  const Time *x = a, *y = b;
  return (x->ms < y->ms) - (x->ms > y->ms);
}

void smith_times_print(double seeds) {
  if (!times || seeds < 1) return;
  qsort(times, MOST_TIMES, sizeof *times, by_time);
  for (int i = 0; i < MOST_TIMES && times[i].name[0]; i++)
    fprintf(stderr, "%10.2f ms a seed  %s\n", times[i].ms / seeds, times[i].name);
}

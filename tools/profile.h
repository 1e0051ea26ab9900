/* profile.h - where the time of runs goes, kernel by kernel, for the commands that run something. */
#ifndef TCC_TOOLS_PROFILE_H
#define TCC_TOOLS_PROFILE_H
#include "tcc/runtime.h"
#include "tools/common.h"
#include <jansson.h>

/* Times of kernels, of the last PROFILE_RUNS runs (profile.c). */
enum { PROFILE_RUNS = 15 };
typedef struct {
  struct ProfileRow *rows; /* one for each kernel, in order */
  size_t count, room, at;  /* at: of the next event */
  bool failed;             /* out of memory */
  double peak, reads;      /* GFLOP/s and GB/s of the machine; 0: not known */
} Profile;
void profile_take(const TccProfileEvent *event, void *profile);
/* What so many threads of this machine (0: one for each CPU) can do at most, by which kernels are measured: about a quarter of a second. */
void profile_measure_machine(Profile *profile, unsigned threads);
/* A line for each kernel, in the order of the run or the longest first; sums of kernel functions and of kinds; the sum. */
TccStatus *profile_print(const Profile *profile, bool longest_first) TCC_CHECKED;
/* Into a report, if there is a profile: `profile`, an object for each kernel, in order; `profile_kinds`, sums by kind, the longest first. */
void profile_add_json(const Profile *profile, json_t *report);
/* Writes a report, which it takes. TCC_IO. */
TccStatus *profile_write_json(json_t *report, const char *path) TCC_CHECKED;
void profile_destroy(Profile *profile);
/* The value of --profile: whether the longest are first. Another one ends the command. */
bool profile_parse(const TccCommand *command, const TccArg *arg);
#endif

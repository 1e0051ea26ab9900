/* schedule.h - a schedule: what an emitter may choose, as numbers that one can read on the kernel function.
 *
 *   func.func private @k3(...) attributes {tcc.kernel = "contract", tcc.schedule = {kc = 256, mb = 128, nb = 96, rows = 8, vectors = 3}}
 *
 * An emitter that finds tcc.schedule applies it or says what is wrong with it; without one its heuristic chooses. A
 * schedule is complete: it names each parameter of its emitter once, so that what it means does not depend on the heuristic. */
#ifndef TCC_SCHEDULE_H
#define TCC_SCHEDULE_H
#include "tcc/ir.h"

enum { TCC_SCHEDULE_PARAMS = 8 };
typedef struct {
  const char *name;
  int64_t value;
} TccScheduleParam; /* value >= 1 */
typedef struct {
  size_t count;
  TccScheduleParam param[TCC_SCHEDULE_PARAMS];
} TccSchedule;

/* The parameters of an emitter, in the order in which its schedules list them. */
typedef struct {
  const char *emitter;
  size_t count;
  const char *const *name;
} TccScheduleNames;

/* tcc.schedule of a kernel; out->count is 0 if it has none. TCC_INVALID names what is unknown, missing or no number. */
TccStatus *tcc_schedule_read(MlirOperation kernel, const TccScheduleNames *names, TccSchedule *out) TCC_CHECKED;
/* The same of "rows = 8, vectors = 3". */
TccStatus *tcc_schedule_parse(TccStr text, const TccScheduleNames *names, TccSchedule *out) TCC_CHECKED;
MlirAttribute tcc_schedule_attr(TccIr *ir, const TccSchedule *schedule);
void tcc_schedule_text(const TccSchedule *schedule, TccText *out);
/* The parameter "vectors" of a kernel's schedule, which decides how weights are packed; 0 without one of at most `most`. */
int64_t tcc_schedule_vectors(MlirOperation kernel, const TccScheduleNames *names, int64_t most);
/* The value of a parameter that the schedule has. */
int64_t tcc_schedule_get(const TccSchedule *schedule, const char *name);
bool tcc_schedule_equal(const TccSchedule *a, const TccSchedule *b); /* of one emitter */
#endif

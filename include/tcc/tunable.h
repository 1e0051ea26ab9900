/* tunable.h - what an emitter answers about its schedules: the table that tcc-variants and the tuner walk.
 *
 * The functions share what `read` has read of one kernel. A schedule that `variants` gives is legal: the emitter takes it.
 * Costs order candidates, so that only good ones are measured; their unit is the cycle of a core, their scale is rough. */
#ifndef TCC_TUNABLE_H
#define TCC_TUNABLE_H
#include "tcc/codegen.h"
#include "tcc/schedule.h"

typedef struct TccTunable {
  TccKernelKind kind;
  TccScheduleNames names; /* emitter and parameters */
  int version;            /* of the emitter: part of the key of every record */
  /* NULL if this emitter does not take the kernel. tcc.stable (docs/kernels.md) must be set. In ir->arena. */
  void *(*read)(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel);
  void (*pick)(const void *kernel, TccSchedule *out);                    /* the heuristic */
  size_t (*variants)(const void *kernel, TccSchedule *out, size_t room); /* by cost; without the heuristic's choice, perhaps with */
  double (*cost)(const void *kernel, const TccSchedule *schedule);
  TccStatus *(*check)(const void *kernel, const TccSchedule *schedule); /* TCC_INVALID says what is wrong */
  void (*shape)(const void *kernel, TccText *out);                      /* "128x3072x768 f32", for tables */
} TccTunable;

/* The cheapest schedules that were offered, by cost, each once. */
enum { TCC_SHORTLIST_MOST = 128 };
typedef struct {
  TccSchedule *schedule;
  size_t count, room;
  double cost[TCC_SHORTLIST_MOST];
} TccShortlist;
void tcc_shortlist_offer(TccShortlist *list, const TccSchedule *schedule, double cost);
/* The cheapest `room` of them, at most `most` of which agree in their first `key` parameters: a model is less certain of some
 * choices than of others. */
size_t tcc_shortlist_spread(const TccShortlist *list, size_t key, size_t most, TccSchedule *out, size_t room);

/* Whether tcc.stable lists the argument: a weight at every call. */
bool tcc_kernel_is_stable(TccIr *ir, MlirOperation kernel, intptr_t argument);
#endif

/* map_schedule.h - schedules of maps: vectors side by side in a loop. */
#ifndef TCC_CODEGEN_MAP_SCHEDULE_H
#define TCC_CODEGEN_MAP_SCHEDULE_H
#include "tcc/tunable.h"

enum { TCC_MAP_MOST_VECTORS = 8 };
/* What there is to choose for; of the largest of the kernel's nests. */
typedef struct {
  int64_t elements; /* -1: dynamic */
  size_t nodes;     /* of its body */
  int vectors;      /* the heuristic's choice */
} TccMapWork;

extern const TccTunable tcc_map_tunable;
/* What map.c says of a kernel; false if it has no loop whose body may stand several times (transposes, large bodies). */
bool tcc_map_work(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccMapWork *out);
/* The kernel's tcc.schedule; 0 without one. */
TccStatus *tcc_map_apply_schedule(MlirOperation kernel, int *out_vectors) TCC_CHECKED;
#endif

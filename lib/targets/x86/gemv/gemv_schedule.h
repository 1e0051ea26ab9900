/* gemv_schedule.h - schedules of contractions of few rows: lines read side by side, columns of a tile and of a walk. */
#ifndef TCC_CODEGEN_GEMV_SCHEDULE_H
#define TCC_CODEGEN_GEMV_SCHEDULE_H
#include "lib/targets/x86/gemv/gemv_internal.h"
#include "tcc/tunable.h"

extern const TccTunable tcc_gemv_tunable;
/* Puts the kernel's tcc.schedule, if it has one, in place of the heuristic's choice. */
TccStatus *tcc_gemv_apply_schedule(TccGemv *g) TCC_CHECKED;
#endif

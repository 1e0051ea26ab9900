/* attention_schedule.h - schedules of attention: the register tile, panels of queries in a tile, keys in a block. */
#ifndef TCC_CODEGEN_ATTENTION_SCHEDULE_H
#define TCC_CODEGEN_ATTENTION_SCHEDULE_H
#include "lib/targets/x86/attention/attention_internal.h"
#include "tcc/tunable.h"

extern const TccTunable tcc_attention_tunable;
/* Reads a kernel of kind "attention" and decides how it is cut: its tcc.schedule, else by heuristic. */
TccStatus *attention_plan(TccIr *ir, const TccMachine *machine, MlirOperation kernel, Attention *a) TCC_CHECKED;
#endif

/* attention_schedule.h - schedules of attention: the register tile, panels of queries in a tile, keys in a block. */
#ifndef TCC_CODEGEN_ATTENTION_SCHEDULE_H
#define TCC_CODEGEN_ATTENTION_SCHEDULE_H
#include "lib/codegen/attention/attention_internal.h"
#include "lib/codegen/tunable.h"

extern const TccTunable tcc_attention_tunable;
/* Puts the kernel's tcc.schedule, if it has one, in place of the rule's choice. */
TccStatus *attention_obey(MlirOperation kernel, Attention *a) TCC_CHECKED;
#endif

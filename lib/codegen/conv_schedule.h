/* conv_schedule.h - schedules of convolutions on blocked channels: register tile, what is walked together, who does what. */
#ifndef TCC_CODEGEN_CONV_SCHEDULE_H
#define TCC_CODEGEN_CONV_SCHEDULE_H
#include "lib/codegen/conv_plan.h"
#include "lib/codegen/tunable.h"

extern const TccTunable tcc_conv_tunable;
/* Puts the kernel's tcc.schedule, if it has one, in place of the rule's plan. vectors: what the weights are packed for. */
TccStatus *tcc_conv_obey(MlirOperation kernel, const TccConvShape *shape, int vectors, TccConvPlan *plan) TCC_CHECKED;
/* Vectors of a panel of weights in the kernel's schedule; 0 if it has none. */
int tcc_conv_scheduled_vectors(MlirOperation kernel);
#endif

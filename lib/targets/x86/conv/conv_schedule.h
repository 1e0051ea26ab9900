/* conv_schedule.h - schedules of convolutions on blocked channels: register tile, what is walked together, who does what. */
#ifndef TCC_CODEGEN_CONV_SCHEDULE_H
#define TCC_CODEGEN_CONV_SCHEDULE_H
#include "lib/targets/x86/conv/conv_winograd.h"
#include "tcc/tunable.h"

extern const TccTunable tcc_conv_tunable;
/* Puts the kernel's tcc.schedule, if it has one, in place of the heuristic's plan. vectors: what the weights are packed for. */
TccStatus *tcc_conv_apply_schedule(MlirOperation kernel, const TccConvShape *shape, int vectors, TccConvPlan *plan) TCC_CHECKED;
/* The same for a kernel whose conv_blocked has winograd > 1; without a schedule the heuristic's plan. */
TccStatus *tcc_winograd_apply_schedule(MlirOperation kernel, const TccConvBlocked *conv, TccWinogradPlan *plan) TCC_CHECKED;
/* Whether a kernel around a conv_blocked that is direct yet is to be computed by Winograd's filtering: by its schedule, else by the
 * heuristic, for which its weights must be weights at every call. */
bool tcc_winograd_wanted(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, MlirOperation op, TccWinogradPlan *plan);
/* Vectors of a panel of weights in the kernel's schedule; 0 if it has none. */
int tcc_conv_scheduled_vectors(MlirOperation kernel);
#endif

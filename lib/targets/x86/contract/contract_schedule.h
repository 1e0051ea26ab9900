/* contract_schedule.h - schedules of contractions: the register tile and the three blocks of contract.h. */
#ifndef TCC_CODEGEN_CONTRACT_SCHEDULE_H
#define TCC_CODEGEN_CONTRACT_SCHEDULE_H
#include "lib/targets/x86/contract/contract.h"
#include "tcc/tunable.h"

extern const TccTunable tcc_contract_tunable;
/* Puts the kernel's tcc.schedule, if it has one, in place of the heuristic's choice in *plan. */
TccStatus *tcc_contract_apply_schedule(MlirOperation kernel, const TccMicroType *type, const TccContractSizes *sizes,
                                       TccContractPlan *plan) TCC_CHECKED;
/* Whether the product's right operand will be packed ahead where tcc-pack-weights finds it worth it; tcc.stable must be set. */
bool tcc_contract_can_pack(TccIr *ir, MlirOperation kernel, MlirOperation dot);
/* Width in vectors of the register tile that tcc.schedule asks for; 0 if there is none, or none that can be. */
int64_t tcc_contract_scheduled_vectors(MlirOperation kernel);
#endif

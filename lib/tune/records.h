/* records.h - from a kernel function to the key of its record. */
#ifndef TCC_TUNE_RECORDS_H
#define TCC_TUNE_RECORDS_H
#include "lib/codegen/tunable.h"
#include "tcc/tune.h"

/* Key of a kernel that `tunable` takes. The digest is of the function's text without its name and its schedules. Text in ir->arena. */
TccRecordKey tcc_record_key(TccIr *ir, const TccTargetInfo *target, const TccTunable *tunable, MlirOperation kernel,
                            unsigned threads);
#endif

/* record_key.h - from a kernel function to the key of its record. */
#ifndef TCC_RECORD_KEY_H
#define TCC_RECORD_KEY_H
#include "tcc/tunable.h"
#include "tcc/tune.h"

/* Key of a kernel that `tunable` takes. The digest is of the function's text without its name and its schedules. Text in ir->arena. */
TccRecordKey tcc_record_key(TccIr *ir, const TccTargetInfo *target, const TccTunable *tunable, MlirOperation kernel,
                            unsigned threads);
#endif

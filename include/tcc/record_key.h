/* record_key.h - from a kernel function to the key of its record. */
#ifndef TCC_RECORD_KEY_H
#define TCC_RECORD_KEY_H
#include "tcc/tunable.h"
#include "tcc/tune.h"

/* Key of a kernel that `tunable` takes. The digest is of the function's text without its name and its schedules. Of a target whose kernels run on
 * a device the machine is the device of this process, NULL where that is none that the code is for, and threads are 0. Text in ir->arena. */
TccRecordKey tcc_record_key(TccIr *ir, const TccTargetInfo *target, const TccTunable *tunable, MlirOperation kernel,
                            unsigned threads);
#endif

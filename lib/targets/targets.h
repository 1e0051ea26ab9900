/* targets.h - the instances of the table of targets. */
#ifndef TCC_TARGETS_H
#define TCC_TARGETS_H
#include "tcc/target.h"

#define TCC_TARGET(name) extern const TccTarget tcc_target_##name;
#include "lib/targets/targets.def"
#undef TCC_TARGET
#endif

/* scalar.h - the target of scalar.c, which tcc-scalar registers. */
#ifndef TCC_TEST_SCALAR_H
#define TCC_TEST_SCALAR_H
#include "tcc/target.h"

extern const TccTarget tcc_target_scalar;
#endif

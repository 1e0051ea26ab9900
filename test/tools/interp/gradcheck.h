/* gradcheck.h - derivatives of tcc-grad against differences, and its modes against each other. */
#ifndef TCC_GRADCHECK_H
#define TCC_GRADCHECK_H
#include "tcc/ir.h"
#include "tcc/tensor.h"

/* Checks the rows of the op table, or the one of this name; a line for each that fails, and one with counts. False if any did. */
bool gradcheck_ops(const char *only);
/* Gradients of the same cases in f32 as a target compiles them (gradcheck_twin.c), one of `every`. */
bool gradcheck_twins(const char *only, const char *target, size_t every);
/* Checks the first float scalar result of @main, as it depends on its float weights (without any, arguments), on these inputs. limit: of the
 * relative error. */
TccStatus *gradcheck_module(TccIr *ir, MlirOperation module, const char *weights_dir, TccHostTensor *const *inputs, size_t ninputs,
                            double limit) TCC_CHECKED;
#endif

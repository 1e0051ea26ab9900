/* interp.h - the interpreter: runs a module of tcc ops slowly and exactly, as the oracle for importers, passes and
 * code.
 *
 * Floats are double from input to output: they are rounded where the module converts to a narrower type, and once more
 * when a result leaves in its element type. Integers wrap in their own width. Every op has its own direct definition
 * here, composites included, and nothing is shared with the emitters. */
#ifndef TCC_INTERP_H
#define TCC_INTERP_H
#include "tcc/ir.h"
#include "tcc/tensor.h"

/* Runs `function` of a module that tcc-verify accepts (func.func, or "" for the first public one) on inputs, in the
 * order of its arguments. Symbols of the argument types are bound by the inputs' shapes. weights_dir: where the files
 * of tcc.sources lie, but for those with absolute names; may be NULL if there are none. *out_outputs: one tensor per result, a malloc'ed array of
 * *out_count, the caller destroys each and frees the array. Errors: TCC_INVALID for inputs that do not fit the types or
 * an index out of range, TCC_UNSUPPORTED for ops that it cannot run, TCC_NOT_FOUND for the function or a weight file.
 * The message names the op. Not thread-safe per TccIr. */
TCC_EXPORT TccStatus *tcc_interpret(TccIr *ir, MlirOperation module, TccStr function, const char *weights_dir,
                                    const TccHostTensor *const *inputs, size_t ninputs, TccHostTensor ***out_outputs,
                                    size_t *out_count) TCC_CHECKED;
/* The same, where tcc.round rounds x + shift * |x|: a number that is as good as halfway between two integers goes to the other one, as it may
 * in arithmetic that rounds. */
TCC_EXPORT TccStatus *tcc_interpret_shifted(TccIr *ir, MlirOperation module, TccStr function, const char *weights_dir, double shift,
                                            const TccHostTensor *const *inputs, size_t ninputs, TccHostTensor ***out_outputs,
                                            size_t *out_count) TCC_CHECKED;
#endif

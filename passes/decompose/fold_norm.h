/* fold_norm.h - norms of batches that become a part of the weights in front of them. */
#ifndef TCC_FOLD_NORM_H
#define TCC_FOLD_NORM_H
#include "tcc/codegen.h"
#include "tcc/pass.h"

/* Puts the batch_norm `op` into the weights of the convolution that it reads and erases it, if nobody else reads the convolution and all
 * that both read beside the image is the same in each run. False: nothing has changed. */
bool tcc_fold_batch_norm(TccPassRun *run, const TccInit *init, MlirOperation op);
#endif

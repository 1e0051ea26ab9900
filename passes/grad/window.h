/* window.h - what rules of convolutions, pools and windows share. */
#ifndef TCC_GRAD_WINDOW_H
#define TCC_GRAD_WINDOW_H
#include "passes/grad/grad.h"
#include "tcc/window.h"

/* The adjoint of a convolution by its image, which has this type: g [N, M, places] through weights [M, C / groups, kernel]. */
MlirValue grad_spread_windows(GradOp *a, const TccWindow *w, MlirValue g, MlirValue weights, MlirType type);
#endif

/* window.h - what rules of convolutions, pools and windows share. */
#ifndef TCC_GRAD_WINDOW_H
#define TCC_GRAD_WINDOW_H
#include "passes/grad/grad.h"

typedef struct {
  int spatial;
  const int64_t *strides, *pads, *dilations; /* pads: those in front, then those behind */
  int64_t groups;
} GradWindow;

/* An op of x, weights and the window; pads: its own. more: a further attribute with an entry for each spatial axis, or NULL. Attributes that
 * op does not have are left out. */
MlirValue grad_build_window(GradOp *a, TccOpKind kind, MlirValue x, MlirValue weights, const GradWindow *window,
                            const int64_t *pads, const int64_t *more, const char *more_name);
/* The adjoint of a convolution by its image, which has this type: g [N, M, places] through weights [M, C / groups, kernel]. */
MlirValue grad_spread_windows(GradOp *a, const GradWindow *w, MlirValue g, MlirValue weights, MlirType type);
#endif

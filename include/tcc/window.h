/* window.h - windows that go over an image: the adjoint of a convolution by its image. Builders as of ir.h: null values in, null value out. */
#ifndef TCC_WINDOW_H
#define TCC_WINDOW_H
#include "tcc/ir.h"
#include "tcc/kinds.h"

typedef struct {
  int spatial;
  const int64_t *strides, *pads, *dilations; /* of each spatial axis; pads: those in front, then those behind */
  int64_t groups;
} TccWindow;

/* An op of x, weights and the window; pads: its own. more: a further attribute with an entry for each spatial axis, or NULL. Attributes that
 * op does not have are left out. */
MlirValue tcc_build_window(TccBuilder *b, TccOpKind kind, MlirValue x, MlirValue weights, const TccWindow *window,
                           const int64_t *pads, const int64_t *more, const char *more_name);

/* The adjoint of a convolution by its image, which has this type: g [N, M, places] through weights [M, C / groups, kernel], by convolutions of
 * stride 1. False, and nothing is built: some axis needs a conv_transpose. Else *out, which is null after an error, of which one diagnostic
 * has been emitted. */
bool tcc_build_spread_windows(TccBuilder *b, TccArena *scratch, const TccWindow *window, MlirValue g, MlirValue weights,
                              MlirType type, MlirValue *out);
#endif

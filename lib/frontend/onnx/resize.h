/* resize.h - Resize to sizes that the run decides: ops_resize_data.c. */
#ifndef TCC_ONNX_RESIZE_H
#define TCC_ONNX_RESIZE_H
#include "lib/frontend/onnx/import.h"

/* The scale of an axis. */
typedef struct {
  bool is_known;
  double known;
  MlirValue value; /* f64, rank 0; of a known one, too */
} OnnxScale;

/* The entries of an input (`name`: scales, roi), of which there must be `count`: known ones of what is joined part by part stay so. False, and a
 * reason. */
bool onnx_read_scales(ImportCall *c, const char *name, size_t input, size_t count, OnnxScale *out);

typedef struct {
  int64_t axis;
  MlirValue scale;      /* f64, rank 0 */
  MlirValue begin, end; /* likewise, of tf_crop_and_resize: the region */
  const TccExpr
      *size; /* of the result; NULL: as the scale says when the model runs, which is an error for one that is not positive */
  TccStr mode, coordinates, nearest; /* as in ONNX */
  double cubic;
} OnnxResizeAxis;
/* x interpolated along one axis. Null, and a reason. */
MlirValue onnx_resize_axis(ImportCall *c, MlirValue x, const OnnxResizeAxis *axis);
/* y, which x became, with `value` where its place along the axis lies outside of x. Null for null. */
MlirValue onnx_resize_outside(ImportCall *c, MlirValue x, MlirValue y, const OnnxResizeAxis *axis, double value);
#endif

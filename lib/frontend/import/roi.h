/* roi.h - regions of interest of images, for every importer. x is [N, C, H, W]; a null value after a reason. */
#ifndef TCC_FRONTEND_IMPORT_ROI_H
#define TCC_FRONTEND_IMPORT_ROI_H
#include "lib/frontend/import/import.h"

/* The cells of a region. */
typedef struct {
  const TccExpr *rows, *columns;
  int64_t samples; /* along each axis of a cell; 0: as many as it has pixels */
  double scale;    /* of boxes to pixels */
  bool half_pixel; /* 0 is the edge of the first pixel, not its middle; else a region is at least one pixel large */
  bool is_max;     /* the largest of the weighted pixels, not the samples' mean */
  const TccExpr *
      own; /* position-sensitive, of half_pixel alone: a cell has that many channels of its own, c * rows * columns + the cell's number of x; else NULL */
  bool
      but_last; /* import_ps_roi_pool: the last row and column of pixels are in no cell, as in torchvision's results and not in its gradients */
} ImportRoi;

/* boxes [R, 4] as x1, y1, x2, y2, the image of each [R]: [R, C, rows, columns]. */
MlirValue import_roi_align(ImportCall *c, MlirValue x, MlirValue boxes, MlirValue batch, const ImportRoi *roi);
/* boxes [R, 5] as image, x1, y1, x2, y2: the largest pixel of each of rows * columns cells, 0 where it has none: [R, C, rows, columns]. place, unless it
 * is NULL: where the first of them lies, i64 in row-major order of the image; -1 where there is none. */
MlirValue import_max_roi_pool(ImportCall *c, MlirValue x, MlirValue boxes, const TccExpr *rows, const TccExpr *columns,
                              double scale, MlirValue *place);
/* Position-sensitive, as ImportRoi.own: the mean of a cell's pixels in its own channels: [R, own, rows, columns]. */
MlirValue import_ps_roi_pool(ImportCall *c, MlirValue x, MlirValue boxes, const ImportRoi *roi);
/* boxes [R, 4] as y1, x1, y2, x2 in shares of the image, the image of each [R]: [R, C, size[0], size[1]]; `otherwise` outside of the image. */
MlirValue import_crop_and_resize(ImportCall *c, MlirValue x, MlirValue boxes, MlirValue batch, const TccExpr *const size[2],
                                 bool nearest, double otherwise);
#endif

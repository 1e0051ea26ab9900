/* sample.h - reading an image at given coordinates, for every importer. */
#ifndef TCC_FRONTEND_IMPORT_SAMPLE_H
#define TCC_FRONTEND_IMPORT_SAMPLE_H
#include "lib/frontend/import/import.h"

enum { IMPORT_MOST_SAMPLED = 3 }; /* spatial axes */

typedef struct {
  enum { IMPORT_SAMPLE_LINEAR, IMPORT_SAMPLE_NEAREST, IMPORT_SAMPLE_CUBIC } mode;
  enum { IMPORT_PAD_ZEROS, IMPORT_PAD_BORDER, IMPORT_PAD_REFLECTION } padding; /* of what lies outside of the image */
  bool align_corners; /* -1 and 1 are the centres of the outermost pixels, not their edges */
} ImportSampling;

/* x [N, C, sizes of 1 to 3 axes ...] at the normalised coordinates of grid [N, points ..., axes], whose last axis is x, y, z: the image's
 * axes from the back. The result is [N, C, points ...] in x's type; coordinates are computed in the grid's. Null after a reason. */
MlirValue import_grid_sample(ImportCall *c, MlirValue x, MlirValue grid, const ImportSampling *s);
/* x [N, C, sizes of 1 to 3 axes ...] at at[d] [N, points], positions along its spatial axis d in pixels, of which 0 is the middle of the
 * first: [N, C, points] in x's type. Null after a reason. */
MlirValue import_sample(ImportCall *c, MlirValue x, const MlirValue *at, const ImportSampling *s);

/* A convolution whose taps are moved; deform.c. */
typedef struct {
  int64_t strides[2], dilations[2], pads[4], groups, offset_groups; /* pads: of rows and columns in front, then behind */
} ImportDeform;
/* x [N, C, H, W], w [M, C / groups, kh, kw], offset [N, offset groups * kh * kw * 2, oh, ow] in pixels (y, x), bias [M], mask as offset with one
 * number a tap; bias and mask may be null. [N, M, oh, ow]; null after a reason. */
MlirValue import_deform_conv(ImportCall *c, MlirValue x, MlirValue w, MlirValue offset, MlirValue bias, MlirValue mask,
                             const ImportDeform *given);
#endif

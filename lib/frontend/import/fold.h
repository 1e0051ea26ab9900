/* fold.h - windows summed into an image, for every importer. */
#ifndef TCC_FRONTEND_IMPORT_FOLD_H
#define TCC_FRONTEND_IMPORT_FOLD_H
#include "lib/frontend/import/import.h"

enum { IMPORT_MOST_FOLDED = TCC_MAX_RANK / 2 }; /* spatial axes: positions have two dims an axis */

typedef struct {
  int axes;
  const TccExpr *image[IMPORT_MOST_FOLDED],
      *block[IMPORT_MOST_FOLDED]; /* sizes of the image without its padding, and of a window */
  int64_t strides[IMPORT_MOST_FOLDED], dilations[IMPORT_MOST_FOLDED], low[IMPORT_MOST_FOLDED], high[IMPORT_MOST_FOLDED];
} ImportFold;

/* x [N, C * elements of a window, windows], both in row-major order, as the sum of its windows [N, C, image ...]; what lies in the
 * padding is dropped. Null after a reason. */
MlirValue import_fold(ImportCall *c, MlirValue x, const ImportFold *f);
#endif

/* grown.h - a body of a loop in whose iterations tensors become longer: caches of keys and values. */
#ifndef TCC_FRONTEND_IMPORT_GROWN_H
#define TCC_FRONTEND_IMPORT_GROWN_H
#include "lib/frontend/import/import.h"

/* A number that each iteration has another value of, and that sizes of a body are sums of. */
typedef struct {
  const TccExpr *symbol;       /* what the body has for it */
  const TccExpr *least, *room; /* it is between the two */
  MlirValue absent;            /* room less the number: i64 of rank 0 */
} ImportGrowth;

/* What was built in `body` since it was opened, built anew around the place where it was opened, with `room` in place of the number: an
 * axis as long as the number and k more has room + k places, of which the first `absent` hold nothing. arguments stand for those of body; they
 * are zero in such places. out gets what `results` became. The body is dropped. False, with a reason, where something in it cannot be
 * done without knowing the number. */
bool import_grown(ImportCall *c, const ImportGrowth *growth, ImportBody *body, const MlirValue *arguments, size_t nresults,
                  const MlirValue *results, MlirValue *out);
#endif

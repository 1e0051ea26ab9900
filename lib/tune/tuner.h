/* tuner.h - measuring the candidate schedules of a module's kernels.
 *
 * A kernel is measured as it will run: its function is cloned once for each candidate into a module of its own, which goes
 * through the passes that follow tcc-select (so weights are packed for the candidate), is emitted, compiled and linked; then
 * a tournament by successive halving (Jamieson and Talwalkar 2016) gives ever more time to ever fewer candidates. */
#ifndef TCC_TUNE_TUNER_H
#define TCC_TUNE_TUNER_H
#include "tcc/compile.h"
#include "tcc/measure.h"
#include "tcc/record_key.h"
#include "tcc/target.h"
#include "tcc/tuner.h"

/* ---- values of symbolic sizes (sizes.c) ---- */
enum { TCC_TUNE_UNKNOWN_SIZE = 64 };             /* what a size counts as that nothing gives */
TccMap *tcc_tune_sizes(const TccTuning *tuning); /* symbol -> integer: from dims, then inputs */
TccStatus *tcc_tune_size(const TccMap *sizes, const TccExpr *e, int64_t *out) TCC_CHECKED;
TccMap *tcc_tune_symbols(TccIr *ir, MlirOperation kernel); /* those of the kernel's types, in order of appearance */
/* "B=1 S=128" for the symbols of the kernel's types, in order of appearance. In ir->arena. */
const char *tcc_tune_sizes_text(TccIr *ir, const TccMap *sizes, MlirOperation kernel);

/* ---- candidates (candidates.c) ---- */
typedef struct {
  TccSchedule schedule;
  const char *name; /* of its function in the module */
  const char *text; /* of the schedule */
  const char *why;  /* it has no code; NULL if it has */
} TccCandidate;
typedef struct {
  TccCandidate *all;         /* the first is the heuristic's choice; candidates that are the same code stand once */
  TccMeasureKernel *kernels; /* one for each */
  size_t count;
  void *library;
  int file;
  TccText *artifacts; /* of a device, one for each */
} TccCandidates;
TccStatus *tcc_candidates_make(const TccTuning *tuning, const TccMap *sizes, MlirOperation kernel, const TccSchedule *schedules,
                               size_t count, TccCandidates *out) TCC_CHECKED;
void tcc_candidates_release(TccCandidates *candidates);

/* ---- candidates of a device (device.c) ---- */
static inline bool tcc_tune_on_device(const TccTuning *t) { return t->target->of->space == TCC_SPACE_DEVICE; }
/* codes, objects: of each candidate; objects: PTX, of those without a reason why they have no code. Sets `artifact`, `dims` of their kernels, which
 * candidates->artifacts own, or their `why`. module: as emitted; main calls each candidate once. */
TccStatus *tcc_candidates_artifacts(const TccTuning *tuning, const TccMap *sizes, MlirOperation module, TccKernelCode *codes,
                                    const TccText *objects, TccCandidates *candidates) TCC_CHECKED;
#endif

/* options.h - options of a compilation that are one of several words: an enumerator for each row of options.def. No MLIR.
 *
 * Commands turn words into these once; everything behind them has the enumerators alone. */
#ifndef TCC_OPTIONS_H
#define TCC_OPTIONS_H
#include "tcc/base.h"

typedef enum {
#define TCC_MODE(SYM, word) TCC_MODE_##SYM,
#include "tcc/options.def"
  TCC_MODE_COUNT
} TccMode;
typedef enum {
#define TCC_NUMERICS(SYM, word) TCC_NUMERICS_##SYM,
#include "tcc/options.def"
  TCC_NUMERICS_COUNT
} TccNumerics;
typedef enum {
#define TCC_INDICES(SYM, word) TCC_INDICES_##SYM,
#include "tcc/options.def"
  TCC_INDICES_COUNT
} TccIndices;
typedef enum {
#define TCC_AUTOCAST(SYM, word) TCC_AUTOCAST_##SYM,
#include "tcc/options.def"
  TCC_AUTOCAST_COUNT
} TccAutocast;
typedef enum {
#define TCC_EFFORT(SYM, word) TCC_EFFORT_##SYM,
#include "tcc/options.def"
  TCC_EFFORT_COUNT
} TccEffort;

/* The mode that artifact and cache know it by: others than MAX_AUTOTUNE have the same artifact. */
static inline TccMode tcc_mode_of_artifact(TccMode mode) { return mode == TCC_MODE_MAX_AUTOTUNE ? mode : TCC_MODE_DEFAULT; }

/* The words, in the order of the enumerators. */
TCC_EXPORT extern const char *const tcc_mode_words[TCC_MODE_COUNT];
TCC_EXPORT extern const char *const tcc_numerics_words[TCC_NUMERICS_COUNT];
TCC_EXPORT extern const char *const tcc_indices_words[TCC_INDICES_COUNT];
TCC_EXPORT extern const char *const tcc_autocast_words[TCC_AUTOCAST_COUNT];
TCC_EXPORT extern const char *const tcc_effort_words[TCC_EFFORT_COUNT];
#endif

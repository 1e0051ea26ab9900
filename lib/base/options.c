/* options.c - the words of options.def. */
#include "tcc/options.h"

const char *const tcc_mode_words[] = {
#define TCC_MODE(SYM, word) word,
#include "tcc/options.def"
};
const char *const tcc_numerics_words[] = {
#define TCC_NUMERICS(SYM, word) word,
#include "tcc/options.def"
};
const char *const tcc_indices_words[] = {
#define TCC_INDICES(SYM, word) word,
#include "tcc/options.def"
};
const char *const tcc_effort_words[] = {
#define TCC_EFFORT(SYM, word) word,
#include "tcc/options.def"
};
const char *const tcc_autocast_words[] = {
#define TCC_AUTOCAST(SYM, word) word,
#include "tcc/options.def"
};

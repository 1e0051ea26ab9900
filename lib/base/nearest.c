/* nearest.c - the known word that a mistyped one was probably meant to be.
 *
 * Levenshtein distance (two-row dynamic programme), with a bound that grows with the word: a third of its length, at
 * least one edit. Words are short (names of options, passes, ops); longer ones than MAX_WORD are never near. */
#include "tcc/base.h"

enum { MAX_WORD = 64 };

static size_t distance(TccStr a, TccStr b) {
  size_t row[MAX_WORD + 1];
  for (size_t j = 0; j <= b.length; ++j) row[j] = j;
  for (size_t i = 1; i <= a.length; ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.length; ++j) {
      size_t replace = diagonal + (a.data[i - 1] != b.data[j - 1]);
      diagonal = row[j];
      size_t other = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      row[j] = replace < other ? replace : other;
    }
  }
  return row[b.length];
}

const char *tcc_nearest(TccStr word, const char *const *words, size_t count) {
  if (word.length > MAX_WORD) return NULL;
  const char *best = NULL;
  size_t least = word.length < 6 ? 1 : word.length / 3;
  for (size_t i = 0; i < count; ++i) {
    TccStr candidate = tcc_str(words[i]);
    if (candidate.length > MAX_WORD) continue;
    size_t d = distance(word, candidate);
    if (d <= least && (!best || d < least)) best = words[i], least = d;
  }
  return best;
}

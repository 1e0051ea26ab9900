/* sizes.c - what must hold of two sizes, and how it is said that it does not. */
#include "tcc/expr.h"
#include <stdlib.h>

bool tcc_sizes_hold(TccSizeRelation relation, int64_t left, int64_t right) {
  switch (relation) {
  case TCC_SIZES_AT_MOST: return left <= right;
  case TCC_SIZES_EQUAL: return left == right;
  default: return right != 0 && left % right == 0;
  }
}

static bool is_number(const char *text) {
  char *end;
  strtoll(text, &end, 10);
  return !*end;
}

TccStatus *tcc_sizes_error(TccSizeRelation relation, const char *left_text, int64_t left, const char *right_text, int64_t right,
                           const char *origin) {
  const char *verb = relation == TCC_SIZES_EQUAL ? "equal" : relation == TCC_SIZES_MULTIPLE ? "be a multiple of" : "be at most";
  if (is_number(left_text)) { /* "5 must be at most 'n'": a size is what must be something */
    const char *text = left_text;
    int64_t value = left;
    left_text = right_text, left = right, right_text = text, right = value;
    if (relation == TCC_SIZES_AT_MOST) verb = "be at least";
  }
  const char *before = *origin ? " (" : "", *after = *origin ? ")" : "";
  if (is_number(right_text))
    return TCC_ERROR(TCC_INVALID, "sizes do not agree: '%s' (%lld) must %s %s%s%s%s", left_text, (long long)left, verb, right_text,
                     before, origin, after);
  return TCC_ERROR(TCC_INVALID, "sizes do not agree: '%s' (%lld) must %s '%s' (%lld)%s%s%s", left_text, (long long)left, verb,
                   right_text, (long long)right, before, origin, after);
}

/* unicode.c - UTF-8 and the few properties that BERT's basic tokenisation asks for; tables in unicode.def. */
#include "unicode.h"
#include <stdlib.h>

typedef struct {
  uint32_t first, last;
} Range;

static const Range marks[] = {
#define MARK(first, last) {first, last},
#include "unicode.def"
#undef MARK
};
static const Range punctuation[] = {
#define PUNCTUATION(first, last) {first, last},
#include "unicode.def"
#undef PUNCTUATION
};
static const Range controls[] = {
#define CONTROL(first, last) {first, last},
#include "unicode.def"
#undef CONTROL
};
static const struct {
  uint32_t first, last, step;
  int32_t delta;
} folds[] = {
#define FOLD(first, last, step, delta) {first, last, step, delta},
#include "unicode.def"
#undef FOLD
};
static const struct {
  uint32_t point, to[UNICODE_FOLD_MAX];
} expansions[] = {
#define EXPAND(point, a, b, c) {point, {a, b, c}},
#include "unicode.def"
#undef EXPAND
};
#define COUNT(table) (sizeof(table) / sizeof *(table))

static bool contains(const Range *ranges, size_t count, uint32_t point) {
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (ranges[middle].last < point) low = middle + 1;
    else high = middle;
  }
  return low < count && ranges[low].first <= point;
}

/* RFC 3629: no overlong forms, no surrogates, nothing above 10FFFF. */
uint32_t unicode_next(const char **at, const char *end) {
  const unsigned char *p = (const unsigned char *)*at;
  size_t left = (size_t)(end - *at), length;
  uint32_t point, least;
  if (p[0] < 0x80) {
    *at += 1;
    return p[0];
  } else if (p[0] >= 0xC2 && p[0] <= 0xDF) {
    length = 2, point = p[0] & 0x1F, least = 0x80;
  } else if (p[0] >= 0xE0 && p[0] <= 0xEF) {
    length = 3, point = p[0] & 0x0F, least = 0x800;
  } else if (p[0] >= 0xF0 && p[0] <= 0xF4) {
    length = 4, point = p[0] & 0x07, least = 0x10000;
  } else {
    *at += 1;
    return UNICODE_BAD;
  }
  for (size_t i = 1; i < length; ++i) {
    if (i >= left || (p[i] & 0xC0) != 0x80) {
      *at += i;
      return UNICODE_BAD;
    }
    point = point << 6 | (p[i] & 0x3F);
  }
  *at += length;
  return point < least || point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF) ? UNICODE_BAD : point;
}

size_t unicode_put(uint32_t point, char *out) {
  if (point < 0x80) {
    out[0] = (char)point;
    return 1;
  }
  size_t length = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  for (size_t i = length; i-- > 1; point >>= 6) out[i] = (char)(0x80 | (point & 0x3F));
  out[0] = (char)((0xF00 >> length & 0xFF) | point);
  return length;
}

/* Hangul syllables decompose by arithmetic: The Unicode Standard, section 3.12. */
static size_t fold_hangul(uint32_t point, uint32_t *out) {
  uint32_t index = point - 0xAC00, tail = index % 28;
  out[0] = 0x1100 + index / (21 * 28);
  out[1] = 0x1161 + index % (21 * 28) / 28;
  out[2] = 0x11A7 + tail;
  return tail ? 3 : 2;
}

size_t unicode_fold(uint32_t point, uint32_t *out) {
  out[0] = point;
  if (point < 0x80) {
    if (point >= 'A' && point <= 'Z') out[0] = point + ('a' - 'A');
    return 1;
  }
  if (point >= 0xAC00 && point <= 0xD7A3) return fold_hangul(point, out);
  if (contains(marks, COUNT(marks), point)) return 0;
  for (size_t i = 0; i < COUNT(expansions); ++i) {
    if (expansions[i].point != point) continue;
    size_t count = 0;
    while (count < UNICODE_FOLD_MAX && expansions[i].to[count]) {
      out[count] = expansions[i].to[count];
      ++count;
    }
    return count;
  }
  size_t low = 0, high = COUNT(folds);
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (folds[middle].last < point) low = middle + 1;
    else high = middle;
  }
  if (low < COUNT(folds) && folds[low].first <= point && (point - folds[low].first) % folds[low].step == 0)
    out[0] = (uint32_t)((int32_t)point + folds[low].delta);
  return 1;
}

bool unicode_is_space(uint32_t point) {
  return (point >= 9 && point <= 13) || point == ' ' || point == 0x85 || point == 0xA0 || point == 0x1680 ||
         (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 || point == 0x202F || point == 0x205F ||
         point == 0x3000;
}

bool unicode_is_control(uint32_t point) {
  return point != '\t' && point != '\n' && point != '\r' && contains(controls, COUNT(controls), point);
}

bool unicode_is_punctuation(uint32_t point) {
  if (point < 0x80)
    return (point >= 33 && point <= 47) || (point >= 58 && point <= 64) || (point >= 91 && point <= 96) ||
           (point >= 123 && point <= 126);
  return contains(punctuation, COUNT(punctuation), point);
}

bool unicode_is_ideograph(uint32_t point) {
  static const Range blocks[] = {{0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xF900, 0xFAFF},   {0x20000, 0x2A6DF},
                                 {0x2A700, 0x2B73F}, {0x2B740, 0x2B81F}, {0x2B920, 0x2CEAF}, {0x2F800, 0x2FA1F}};
  return contains(blocks, COUNT(blocks), point);
}

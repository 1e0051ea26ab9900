/* regex.h - a regular expression of RE2's syntax as a table of states that reads a string in UTF-8 byte by byte. */
#ifndef TCC_ONNX_REGEX_H
#define TCC_ONNX_REGEX_H
#include "tcc/base.h"

enum { REGEX_NO, REGEX_YES, REGEX_START }; /* states; the first two stay, and are reached behind the end alone, NO sooner too */

typedef struct {
  unsigned char kind_of[256]; /* of a byte; of 0, which stands behind the string's end, 0 */
  size_t kinds, states;
  int32_t *next;   /* [states, kinds] */
  bool conditions; /* some of it holds by what stands around: ^, $, \b, \B */
} Regex;

/* The whole string must match. NULL, or why not: *unsupported says whether RE2 has it. The text is the arena's. */
const char *regex_compile(TccArena *arena, TccStr pattern, Regex *out, bool *unsupported);
#endif

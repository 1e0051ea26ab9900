/* regex_parse.h - the tree of a regular expression, between regex_parse.c and regex.c. */
#ifndef TCC_ONNX_REGEX_PARSE_H
#define TCC_ONNX_REGEX_PARSE_H
#include "tcc/base.h"

typedef enum {
  TREE_EMPTY,
  TREE_BYTES,
  TREE_OTHERS,
  TREE_THEN,
  TREE_OR,
  TREE_REPEAT,
  TREE_BEGIN,
  TREE_END,
  TREE_WORD,
  TREE_NO_WORD
} RegexKind;

/* BYTES: one byte of a set; OTHERS: one character that is not ASCII; THEN, OR: a and b; REPEAT: a, least to most times (-1: any number). The
 * others are conditions between characters: the string's ends, and where words end or not. */
typedef struct RegexTree RegexTree;
struct RegexTree {
  RegexKind kind;
  bool bytes[256];
  const RegexTree *a, *b;
  int least, most;
};

static inline bool regex_is_word(int byte) {
  return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') || (byte >= 'a' && byte <= 'z') || byte == '_';
}
/* NULL, or why not. */
const char *regex_parse(TccArena *arena, TccStr pattern, const RegexTree **out, bool *unsupported);
#endif

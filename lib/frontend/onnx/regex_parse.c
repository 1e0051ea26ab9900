/* regex_parse.c - RE2's syntax to a tree, by recursive descent (github.com/google/re2/wiki/Syntax).
 *
 * Lazy quantifiers, groups and their names mean nothing where a whole string is matched. Left out, by name: flags, \p, \C, \Q, and characters that are
 * not ASCII in brackets. */
#include "lib/frontend/onnx/regex_parse.h"
#include <ctype.h>

enum { MOST_DEPTH = 100, MOST_REPEAT = 1000 };

typedef struct {
  TccArena *arena;
  const unsigned char *at, *end;
  int depth;
  const char *why;
  bool unsupported;
} Parser;

static const RegexTree *fail(Parser *p, const char *why) {
  if (!p->why) p->why = why;
  return NULL;
}

static const RegexTree *lacks(Parser *p, const char *what) {
  if (!p->why) p->unsupported = true;
  return fail(p, what);
}

static RegexTree *make(Parser *p, RegexKind kind, const RegexTree *a, const RegexTree *b) {
  RegexTree *tree = TCC_NEW(p->arena, RegexTree);
  tree->kind = kind;
  tree->a = a, tree->b = b;
  return tree;
}

static const RegexTree *one_byte(Parser *p, int byte) {
  RegexTree *tree = make(p, TREE_BYTES, NULL, NULL);
  tree->bytes[byte] = true;
  return tree;
}

static bool more(const Parser *p) { return p->at < p->end && !p->why; }
static bool take(Parser *p, int byte) {
  if (!more(p) || *p->at != byte) return false;
  p->at++;
  return true;
}

/* The bytes of a character in UTF-8, one after the other. */
static const RegexTree *character(Parser *p, uint32_t c) {
  if (c < 0x80) return one_byte(p, (int)c);
  const int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  static const int first[] = {0, 0, 0xc0, 0xe0, 0xf0};
  const RegexTree *tree = one_byte(p, first[n] | (int)(c >> 6 * (n - 1)));
  for (int i = n - 2; i >= 0; i--) tree = make(p, TREE_THEN, tree, one_byte(p, 0x80 | (int)(c >> 6 * i & 63)));
  return tree;
}

/* ---- sets ---- */
typedef struct {
  bool bytes[128], others; /* of ASCII; all characters that are not */
} Set;

static void add(Set *set, bool (*is)(int byte), bool inverse) {
  for (int b = 1; b < 128; b++) set->bytes[b] |= is(b) != inverse;
  set->others |= inverse;
}
static bool is_digit(int b) { return b >= '0' && b <= '9'; }
static bool is_space(int b) { return b == ' ' || b == '\t' || b == '\n' || b == '\f' || b == '\r'; }

/* \d and its kind; false: it is another escape. */
static bool add_perl(Set *set, int letter) {
  switch (letter) {
  case 'd':
  case 'D': add(set, is_digit, letter == 'D'); return true;
  case 'w':
  case 'W': add(set, regex_is_word, letter == 'W'); return true;
  case 's':
  case 'S': add(set, is_space, letter == 'S'); return true;
  default: return false;
  }
}

static const RegexTree *of_set(Parser *p, const Set *set) {
  RegexTree *tree = make(p, TREE_BYTES, NULL, NULL);
  memcpy(tree->bytes, set->bytes, sizeof set->bytes);
  return set->others ? make(p, TREE_OR, tree, make(p, TREE_OTHERS, NULL, NULL)) : tree;
}

/* The character of an escape that is none of \d's kind, behind the backslash. */
static uint32_t escaped(Parser *p) {
  static const char letters[] = "afnrtv", meant[] = "\a\f\n\r\t\v";
  if (!more(p)) return fail(p, "a backslash at the end"), 0;
  const int c = *p->at++;
  const char *letter = c ? strchr(letters, c) : NULL;
  if (letter) return (uint32_t)meant[letter - letters];
  if (c < 128 && !isalnum(c)) return (uint32_t)c;
  if (c != 'x') return lacks(p, "an escape of other letters than abdfnrstvwxzABDSW"), 0;
  const bool braces = take(p, '{');
  uint32_t value = 0;
  int digits = 0;
  for (; more(p) && isxdigit(*p->at) && digits < (braces ? 6 : 2); digits++, p->at++)
    value = value * 16 + (uint32_t)(isdigit(*p->at) ? *p->at - '0' : (*p->at | 32) - 'a' + 10);
  if (!digits || (braces && !take(p, '}')) || (!braces && digits != 2) || value > 0x10ffff) fail(p, "a broken \\x");
  return value;
}

/* [:alpha:] and its kind, behind "[:". */
static void add_named(Parser *p, Set *set) {
  static const struct {
    const char *name;
    int (*is)(int byte);
  } names[] = {{"alnum", isalnum}, {"alpha", isalpha}, {"blank", isblank}, {"cntrl", iscntrl},
               {"digit", isdigit}, {"graph", isgraph}, {"lower", islower}, {"print", isprint},
               {"punct", ispunct}, {"space", isspace}, {"upper", isupper}, {"xdigit", isxdigit}};
  const bool inverse = take(p, '^');
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const size_t n = strlen(names[i].name);
    if ((size_t)(p->end - p->at) < n + 2 || memcmp(p->at, names[i].name, n) || p->at[n] != ':' || p->at[n + 1] != ']') continue;
    for (int b = 1; b < 128; b++) set->bytes[b] |= (names[i].is(b) != 0) != inverse;
    set->others |= inverse;
    p->at += n + 2;
    return;
  }
  lacks(p, "a named set that POSIX lacks");
}

/* A character in brackets. */
static uint32_t in_brackets(Parser *p) {
  if (take(p, '\\')) return escaped(p);
  return *p->at++;
}

/* Behind the opening bracket. */
static const RegexTree *brackets(Parser *p) {
  Set set = {{false}, false};
  const bool inverse = take(p, '^');
  for (bool first = true; more(p) && (first || *p->at != ']'); first = false) {
    if (p->end - p->at > 1 && p->at[0] == '[' && p->at[1] == ':') {
      p->at += 2;
      add_named(p, &set);
      continue;
    }
    if (p->end - p->at > 1 && p->at[0] == '\\' && add_perl(&set, p->at[1])) {
      p->at += 2;
      continue;
    }
    const uint32_t low = in_brackets(p);
    uint32_t high = low;
    if (p->end - p->at > 1 && p->at[0] == '-' && p->at[1] != ']') {
      p->at++;
      high = in_brackets(p);
    }
    if (high < low) return fail(p, "a range that is empty");
    if (high >= 128) return lacks(p, "characters in brackets that are not ASCII");
    for (uint32_t c = low; c <= high && !p->why; c++) set.bytes[c] = c > 0;
  }
  if (!take(p, ']')) return fail(p, "a bracket that is not closed");
  for (int b = 1; inverse && b < 128; b++) set.bytes[b] = !set.bytes[b];
  set.others = set.others != inverse;
  return of_set(p, &set);
}

/* ---- the tree ---- */
static const RegexTree *alternatives(Parser *p);

static const RegexTree *escape(Parser *p) {
  Set set = {{false}, false};
  if (!more(p)) return fail(p, "a backslash at the end");
  const int c = *p->at;
  const RegexKind kind = c == 'b' ? TREE_WORD : c == 'B' ? TREE_NO_WORD : c == 'A' ? TREE_BEGIN : c == 'z' ? TREE_END : TREE_EMPTY;
  if (kind != TREE_EMPTY || add_perl(&set, c)) {
    p->at++;
    return kind != TREE_EMPTY ? make(p, kind, NULL, NULL) : of_set(p, &set);
  }
  const uint32_t value = escaped(p);
  return p->why ? NULL : value ? character(p, value) : lacks(p, "a zero byte");
}

/* Behind the opening parenthesis. */
static const RegexTree *group(Parser *p) {
  if (take(p, '?')) {
    const bool named = take(p, 'P') || (p->end - p->at > 1 && p->at[0] == '<');
    if (named && take(p, '<'))
      while (more(p) && *p->at++ != '>') {}
    else if (named || !take(p, ':')) return lacks(p, "flags of a group");
  }
  if (p->depth++ > MOST_DEPTH) return lacks(p, "groups nested deeper than 100");
  const RegexTree *tree = alternatives(p);
  p->depth--;
  return take(p, ')') ? tree : fail(p, "a parenthesis that is not closed");
}

static const RegexTree *atom(Parser *p) {
  Set set = {{false}, false};
  const int c = *p->at++;
  switch (c) {
  case '(': return group(p);
  case '[': return brackets(p);
  case '\\': return escape(p);
  case '^': return make(p, TREE_BEGIN, NULL, NULL);
  case '$': return make(p, TREE_END, NULL, NULL);
  case '.':
    for (int b = 1; b < 128; b++) set.bytes[b] = b != '\n';
    set.others = true;
    return of_set(p, &set);
  case '*':
  case '+':
  case '?': return fail(p, "nothing to repeat");
  case 0: return lacks(p, "a zero byte");
  default: break;
  }
  const RegexTree *tree = one_byte(p, c);
  while (c >= 0xc0 && more(p) && (*p->at & 0xc0) == 0x80) tree = make(p, TREE_THEN, tree, one_byte(p, *p->at++));
  return tree;
}

static bool number(Parser *p, int *out) {
  const unsigned char *begin = p->at;
  for (*out = 0; more(p) && isdigit(*p->at); p->at++)
    if (*out <= MOST_REPEAT) *out = *out * 10 + (*p->at - '0');
  return p->at > begin;
}

/* {m}, {m,} or {m,n}; false: the brace is a character, and nothing is taken. */
static bool bounds(Parser *p, int *least, int *most) {
  const unsigned char *begin = p->at;
  bool ok = take(p, '{') && number(p, least);
  *most = *least;
  if (ok && take(p, ',') && !number(p, most)) *most = -1;
  ok = ok && take(p, '}');
  if (!ok) p->at = begin;
  return ok;
}

static const RegexTree *repeated(Parser *p) {
  const RegexTree *tree = atom(p);
  for (bool again = false; more(p); again = true) {
    int least = 0, most = -1;
    if (take(p, '*')) least = 0;
    else if (take(p, '+')) least = 1;
    else if (take(p, '?')) most = 1;
    else if (!bounds(p, &least, &most)) break;
    if (again) return fail(p, "a repetition of a repetition");
    if (least > MOST_REPEAT || most > MOST_REPEAT || (most >= 0 && most < least)) return fail(p, "a wrong number of repetitions");
    take(p, '?');
    RegexTree *outer = make(p, TREE_REPEAT, tree, NULL);
    outer->least = least, outer->most = most;
    tree = outer;
  }
  return tree;
}

static const RegexTree *sequence(Parser *p) {
  const RegexTree *tree = make(p, TREE_EMPTY, NULL, NULL);
  while (more(p) && *p->at != '|' && *p->at != ')') tree = make(p, TREE_THEN, tree, repeated(p));
  return tree;
}

static const RegexTree *alternatives(Parser *p) {
  const RegexTree *tree = sequence(p);
  while (take(p, '|')) tree = make(p, TREE_OR, tree, sequence(p));
  return tree;
}

const char *regex_parse(TccArena *arena, TccStr pattern, const RegexTree **out, bool *unsupported) {
  const unsigned char *begin = (const unsigned char *)(pattern.length ? pattern.data : "");
  Parser p = {.arena = arena, .at = begin, .end = begin + pattern.length};
  *out = alternatives(&p);
  if (!p.why && p.at < p.end) fail(&p, "a parenthesis that nothing opens");
  *unsupported = p.unsupported;
  return p.why;
}

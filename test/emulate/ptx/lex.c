/* lex.c - the characters of PTX: names, numbers, comments; section 4 of the PTX ISA. */
#include "parser.h"
#include <ctype.h>

void parser_fail(Parser *p, const char *what, ...) {
  char text[400];
  va_list list;
  va_start(list, what);
  vsnprintf(text, sizeof text, what, list);
  va_end(list);
  snprintf(p->error, p->room, "line %d: %s", p->line, text);
  longjmp(p->stop, 1);
}

void *module_memory(EmuModule *m, size_t bytes) {
  m->memory = realloc(m->memory, (m->nmemory + 1) * sizeof *m->memory);
  void *made = aligned_alloc(64, (bytes + 64) & ~(size_t)63);
  if (!m->memory || !made) abort();
  m->memory[m->nmemory++] = made;
  return memset(made, 0, (bytes + 64) & ~(size_t)63);
}

/* ---- characters ---- */
void lex_skip(Parser *p) {
  for (;; p->at++) {
    if (*p->at == '\n') p->line++;
    if (*p->at == 0 || !isspace((unsigned char)*p->at)) return;
  }
}

bool lex_take(Parser *p, char c) {
  lex_skip(p);
  if (*p->at != c) return false;
  p->at++;
  return true;
}

void lex_need(Parser *p, char c) {
  if (!lex_take(p, c)) parser_fail(p, "'%c' expected before '%.20s'", c, p->at);
}

static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.' || c == ':'; }

/* A copy of a name; dots as well where `dots`. */
const char *lex_name(Parser *p, bool dots) {
  lex_skip(p);
  char *from = p->at;
  while (is_name(*p->at) && (dots || *p->at != '.') && !(*p->at == ':' && p->at[1] != ':' && p->at[-1] != ':')) p->at++;
  if (p->at == from) parser_fail(p, "a name expected before '%.20s'", p->at);
  char *copy = module_memory(p->module, (size_t)(p->at - from) + 1);
  return memcpy(copy, from, (size_t)(p->at - from));
}

uint64_t lex_number(Parser *p, char *out_kind) {
  lex_skip(p);
  *out_kind = 'i';
  bool negative = *p->at == '-';
  if (negative) p->at++;
  char *end;
  uint64_t bits;
  if (p->at[0] == '0' && (p->at[1] == 'f' || p->at[1] == 'F' || p->at[1] == 'd' || p->at[1] == 'D')) {
    *out_kind = (char)tolower(p->at[1]);
    bits = strtoull(p->at + 2, &end, 16);
  } else {
    bits = strtoull(p->at, &end, 0);
    if (*end == 'U') end++;
  }
  if (end == p->at) parser_fail(p, "a number expected before '%.20s'", p->at);
  p->at = end;
  return negative ? 0 - bits : bits;
}

void lex_strip_comments(char *text) {
  for (char *c = text; *c; c++) {
    if (c[0] == '/' && c[1] == '/')
      for (; *c && *c != '\n'; c++) *c = ' ';
    if (c[0] == '/' && c[1] == '*')
      for (; *c && !(c[0] == '*' && c[1] == '/'); c++)
        if (*c != '\n') *c = ' ';
    if (c[0] == '*' && c[1] == '/') c[0] = c[1] = ' ';
    if (!*c) return;
  }
}

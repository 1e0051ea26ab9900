/* expr_parse.c - text to expression: sums, products, parentheses and the five functions, by recursive descent.
 *
 * Nested products can be exponentially longer in normal form than in the text. So the text, its depth, the number of
 * monomials, their degree and the length of the normal form are bounded, far above what sizes of a model need. The text
 * of a modest expression fits into MOST_INPUT: MOST_OUTPUT, and for each monomial 20 digits, a sign and its products. */
#include "lib/base/expr_internal.h"

enum { MOST_INPUT = 1 << 16, MOST_DEPTH = 64, MOST_TERMS = 256, MOST_DEGREE = 32, MOST_OUTPUT = 1 << 15 };

typedef struct {
  TccExprPool *pool;
  TccStr text;
  size_t at;
  int depth;
} Parser;

static TccStatus *parse_sum(Parser *p, const TccExpr **out);

static void skip_spaces(Parser *p) {
  while (p->at < p->text.length && p->text.data[p->at] == ' ') p->at++;
}

static bool accept(Parser *p, char c) {
  skip_spaces(p);
  if (p->at >= p->text.length || p->text.data[p->at] != c) return false;
  p->at++;
  return true;
}

static TccStatus *fail(const Parser *p, const char *what) {
  int shown = p->text.length > 200 ? 200 : (int)p->text.length;
  return TCC_ERROR(TCC_INVALID, "size expression '%.*s': %s at column %zu", shown, p->text.data, what, p->at + 1);
}

bool tcc_expr_modest(const TccExpr *e) {
  size_t length = 0;
  bool ok = e->nterms <= MOST_TERMS;
  for (size_t i = 0; ok && i < e->nterms; i++) {
    ok = e->terms[i].natoms <= MOST_DEGREE;
    for (size_t k = 0; ok && k < e->terms[i].natoms; k++) ok = (length += strlen(e->terms[i].atoms[k]->text)) <= MOST_OUTPUT;
  }
  return ok;
}

bool tcc_expr_modest_product(const TccExpr *a, const TccExpr *b) {
  return a->nterms <= MOST_TERMS && b->nterms <= MOST_TERMS && a->nterms * b->nterms <= MOST_TERMS;
}

static TccStatus *bounded(const Parser *p, const TccExpr *e) { return tcc_expr_modest(e) ? NULL : fail(p, "too large"); }

static TccStatus *parse_number(Parser *p, const TccExpr **out) {
  int64_t value = 0;
  while (p->at < p->text.length && p->text.data[p->at] >= '0' && p->text.data[p->at] <= '9')
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, p->text.data[p->at++] - '0', &value))
      return fail(p, "the number is too large");
  *out = tcc_expr_const(p->pool, value);
  return NULL;
}

static TccStatus *parse_quoted(Parser *p, const TccExpr **out) {
  TccText name = {0};
  p->at++;
  while (p->at < p->text.length && p->text.data[p->at] != '\'') {
    if (p->text.data[p->at] == '\\' && p->at + 1 < p->text.length) p->at++;
    tcc_text_put(&name, &p->text.data[p->at++], 1);
  }
  TccStatus *status = NULL;
  if (p->at == p->text.length) status = fail(p, "a quote is open");
  else if (name.failed) status = tcc_text_status(&name);
  else if (!name.length) status = fail(p, "a name is empty");
  else if (memchr(name.data, 0, name.length)) status = fail(p, "a name holds a NUL");
  else *out = tcc_expr_symbol(p->pool, tcc_text_str(&name));
  p->at++;
  tcc_text_destroy(&name);
  return status;
}

static TccStatus *parse_call(Parser *p, TccStr name, const TccExpr **out) {
  static const char *const names[] = {"floordiv", "ceildiv", "mod", "min", "max"};
  for (int f = 0; f < 5; f++) {
    if (!tcc_str_is(name, names[f])) continue;
    const TccExpr *a, *b;
    TCC_TRY(parse_sum(p, &a));
    if (!accept(p, ',')) return fail(p, "',' expected");
    TCC_TRY(parse_sum(p, &b));
    if (!accept(p, ')')) return fail(p, "')' expected");
    *out = tcc_expr_call(p->pool, (TccExprFunction)f, a, b);
    return bounded(p, *out);
  }
  return fail(p, "unknown function");
}

static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static TccStatus *parse_atom(Parser *p, const TccExpr **out) {
  skip_spaces(p);
  if (p->at == p->text.length) return fail(p, "an operand is missing");
  char c = p->text.data[p->at];
  if (is_digit(c)) return parse_number(p, out);
  if (c == '\'') return parse_quoted(p, out);
  if (accept(p, '(')) {
    TCC_TRY(parse_sum(p, out));
    return accept(p, ')') ? NULL : fail(p, "')' expected");
  }
  if (!is_letter(c)) return fail(p, "unexpected character");
  size_t first = p->at;
  while (p->at < p->text.length && (is_letter(p->text.data[p->at]) || is_digit(p->text.data[p->at]) || p->text.data[p->at] == '.'))
    p->at++;
  TccStr name = {p->text.data + first, p->at - first};
  if (accept(p, '(')) return parse_call(p, name, out);
  *out = tcc_expr_symbol(p->pool, name);
  return NULL;
}

static TccStatus *parse_product(Parser *p, const TccExpr **out) {
  const TccExpr *factor;
  TCC_TRY(parse_atom(p, out));
  while (accept(p, '*')) {
    TCC_TRY(parse_atom(p, &factor));
    if (!tcc_expr_modest_product(*out, factor)) return fail(p, "too large");
    *out = tcc_expr_mul(p->pool, *out, factor);
    TCC_TRY(bounded(p, *out));
  }
  return NULL;
}

static TccStatus *parse_sum(Parser *p, const TccExpr **out) {
  if (++p->depth > MOST_DEPTH) return fail(p, "nested too deeply");
  const TccExpr *term;
  bool negative = accept(p, '-');
  TCC_TRY(parse_product(p, out));
  if (negative) *out = tcc_expr_sub(p->pool, tcc_expr_const(p->pool, 0), *out);
  for (;;) {
    bool plus = accept(p, '+'), minus = !plus && accept(p, '-');
    if (!plus && !minus) break;
    TCC_TRY(parse_product(p, &term));
    *out = plus ? tcc_expr_add(p->pool, *out, term) : tcc_expr_sub(p->pool, *out, term);
    if ((*out)->nterms > MOST_TERMS) return fail(p, "too large");
  }
  p->depth--;
  return NULL;
}

TccStatus *tcc_expr_parse(TccExprPool *pool, TccStr text, const TccExpr **out) {
  Parser parser = {pool, text, 0, 0};
  const TccExpr *result = NULL;
  *out = NULL;
  if (text.length > MOST_INPUT) return fail(&parser, "the text is too long");
  TCC_TRY(parse_sum(&parser, &result));
  skip_spaces(&parser);
  if (parser.at < text.length) return fail(&parser, "unexpected text");
  TCC_TRY(bounded(&parser, result));
  *out = result;
  return NULL;
}

/* expr_eval.c - values of size expressions: substitution, evaluation, and byte code for the run-time.
 *
 * Code is postfix: K and eight bytes pushes a constant, V and four bytes a symbol's value, the others act on the top
 * two values. The stack is small and fixed; code that needs more is refused when it is compiled into deeper nests than
 * it holds, which no size of a model does. All arithmetic is checked. */
#include "lib/base/expr_internal.h"
#include <limits.h>

static bool floor_divide(int64_t a, int64_t b, int64_t *out) {
  if (b == 0 || (a == INT64_MIN && b == -1)) return false;
  *out = a / b - (a % b != 0 && (a < 0) != (b < 0));
  return true;
}

bool tcc_expr_apply(TccExprFunction f, int64_t a, int64_t b, int64_t *out) {
  int64_t quotient;
  switch (f) {
  case TCC_EXPR_MIN: *out = a < b ? a : b; return true;
  case TCC_EXPR_MAX: *out = a > b ? a : b; return true;
  default: break;
  }
  if (!floor_divide(a, b, &quotient)) return false;
  if (f == TCC_EXPR_MOD) *out = a - quotient * b;
  else *out = quotient + (f == TCC_EXPR_CEILDIV && a % b != 0);
  return true;
}

const TccExpr *tcc_expr_substitute(TccExprPool *pool, const TccExpr *e, const TccExpr *(*find)(TccStr name, void *user),
                                   void *user) {
  const TccExpr *sum = tcc_expr_const(pool, 0);
  for (size_t i = 0; i < e->nterms; i++) {
    const TccExpr *product = tcc_expr_const(pool, e->terms[i].coefficient);
    for (size_t k = 0; k < e->terms[i].natoms; k++) {
      const Atom *atom = e->terms[i].atoms[k];
      const TccExpr *value = NULL;
      if (atom->is_symbol) {
        value = find(atom->name, user);
        if (!value) value = tcc_expr_symbol(pool, atom->name);
      } else {
        value = tcc_expr_call(pool, atom->function, tcc_expr_substitute(pool, atom->a, find, user),
                              tcc_expr_substitute(pool, atom->b, find, user));
      }
      product = tcc_expr_mul(pool, product, value);
    }
    sum = tcc_expr_add(pool, sum, product);
  }
  return sum;
}

typedef TCC_VEC(const Atom *) Seen;

static void visit_symbols(const TccExpr *e, Seen *seen, TccArena *arena, void (*visit)(TccStr name, void *user), void *user) {
  for (size_t i = 0; i < e->nterms; i++)
    for (size_t k = 0; k < e->terms[i].natoms; k++) {
      const Atom *atom = e->terms[i].atoms[k];
      if (!atom->is_symbol) {
        visit_symbols(atom->a, seen, arena, visit, user);
        visit_symbols(atom->b, seen, arena, visit, user);
        continue;
      }
      bool known = false;
      for (size_t s = 0; s < seen->count; s++) known = known || seen->data[s] == atom;
      if (known) continue;
      TCC_VEC_PUSH(arena, seen, atom);
      visit(atom->name, user);
    }
}

void tcc_expr_symbols(const TccExpr *e, void (*visit)(TccStr name, void *user), void *user) {
  Seen seen = {0};
  visit_symbols(e, &seen, e->pool->arena, visit, user);
}

TccStatus *tcc_expr_eval(const TccExpr *e, bool (*value)(TccStr name, int64_t *out, void *user), void *user, int64_t *out) {
  int64_t sum = 0;
  *out = 0;
  for (size_t i = 0; i < e->nterms; i++) {
    int64_t product = e->terms[i].coefficient;
    for (size_t k = 0; k < e->terms[i].natoms; k++) {
      const Atom *atom = e->terms[i].atoms[k];
      int64_t factor = 0, a, b;
      if (atom->is_symbol) {
        if (!value(atom->name, &factor, user)) return TCC_ERROR(TCC_INVALID, "size '%.*s' is not bound", TCC_STR_ARG(atom->name));
      } else {
        TCC_TRY(tcc_expr_eval(atom->a, value, user, &a));
        TCC_TRY(tcc_expr_eval(atom->b, value, user, &b));
        if (!tcc_expr_apply(atom->function, a, b, &factor))
          return TCC_ERROR(TCC_INVALID, "'%s' divides by zero or overflows", atom->text);
      }
      if (__builtin_mul_overflow(product, factor, &product)) return TCC_ERROR(TCC_INVALID, "a size overflows");
    }
    if (__builtin_add_overflow(sum, product, &sum)) return TCC_ERROR(TCC_INVALID, "a size overflows");
  }
  *out = sum;
  return NULL;
}

/* ---- byte code ---- */
enum { CODE_CONSTANT = 'K', CODE_SYMBOL = 'V', CODE_ADD = '+', CODE_MULTIPLY = '*', STACK = 64 };
static const char function_codes[] = {'/', '^', '%', 'm', 'M'}; /* in the order of TccExprFunction */

static void put_constant(TccText *out, int64_t value) {
  char code = CODE_CONSTANT;
  tcc_text_put(out, &code, 1);
  tcc_text_put(out, (const char *)&value, sizeof value);
}

static void put_code(TccText *out, char code) { tcc_text_put(out, &code, 1); }

void tcc_expr_compile(const TccExpr *e, int (*number)(TccStr name, void *user), void *user, TccText *out_code) {
  if (!e->nterms) put_constant(out_code, 0);
  for (size_t i = 0; i < e->nterms; i++) {
    const Term *term = &e->terms[i];
    bool started = term->coefficient != 1 || !term->natoms;
    if (started) put_constant(out_code, term->coefficient);
    for (size_t k = 0; k < term->natoms; k++) {
      const Atom *atom = term->atoms[k];
      if (atom->is_symbol) {
        int32_t index = number(atom->name, user);
        put_code(out_code, CODE_SYMBOL);
        tcc_text_put(out_code, (const char *)&index, sizeof index);
      } else {
        tcc_expr_compile(atom->a, number, user, out_code);
        tcc_expr_compile(atom->b, number, user, out_code);
        put_code(out_code, function_codes[atom->function]);
      }
      if (started) put_code(out_code, CODE_MULTIPLY);
      started = true;
    }
    if (i) put_code(out_code, CODE_ADD);
  }
}

bool tcc_expr_run(const unsigned char *code, size_t length, const int64_t *symbols, size_t nsymbols, int64_t *out) {
  int64_t stack[STACK];
  size_t depth = 0, at = 0;
  while (at < length) {
    unsigned char op = code[at++];
    if (op == CODE_CONSTANT || op == CODE_SYMBOL) {
      int32_t index;
      size_t bytes = op == CODE_CONSTANT ? sizeof *stack : sizeof index;
      if (length - at < bytes || depth == STACK) return false;
      if (op == CODE_CONSTANT) {
        memcpy(&stack[depth++], code + at, bytes);
      } else {
        memcpy(&index, code + at, bytes);
        if (index < 0 || (size_t)index >= nsymbols) return false;
        stack[depth++] = symbols[index];
      }
      at += bytes;
      continue;
    }
    if (depth < 2) return false;
    int64_t b = stack[--depth], a = stack[depth - 1], *result = &stack[depth - 1];
    const char *function = op ? memchr(function_codes, op, sizeof function_codes) : NULL;
    if (op == CODE_ADD        ? __builtin_add_overflow(a, b, result)
        : op == CODE_MULTIPLY ? __builtin_mul_overflow(a, b, result)
                              : !function || !tcc_expr_apply((TccExprFunction)(function - function_codes), a, b, result))
      return false;
  }
  if (depth != 1) return false;
  *out = stack[0];
  return true;
}

/* ---- byte code as text ---- */
static void join(TccText *a, char op, const TccText *b) {
  static const char *const functions[] = {"floordiv", "ceildiv", "mod", "min", "max"}; /* in the order of TccExprFunction */
  TccText text = {0};
  if (op == CODE_ADD && b->data[0] == '-') tcc_text_printf(&text, "%s - %s", a->data, b->data + 1);
  else if (op == CODE_ADD) tcc_text_printf(&text, "%s + %s", a->data, b->data);
  else if (op == CODE_MULTIPLY && strcmp(a->data, "-1") == 0) tcc_text_printf(&text, "-%s", b->data);
  else if (op == CODE_MULTIPLY) tcc_text_printf(&text, "%s*%s", a->data, b->data);
  else
    tcc_text_printf(&text, "%s(%s, %s)",
                    functions[(const char *)memchr(function_codes, op, sizeof function_codes) - function_codes], a->data, b->data);
  tcc_text_destroy(a);
  *a = text;
}

bool tcc_expr_code_text(const unsigned char *code, size_t length, const char *(*name)(int32_t index, void *user), void *user,
                        TccText *out) {
  TccText stack[STACK];
  size_t depth = 0, at = 0;
  bool ok = true;
  while (ok && at < length) {
    char op = (char)code[at++];
    if (op == CODE_CONSTANT || op == CODE_SYMBOL) {
      int64_t value;
      int32_t index;
      size_t bytes = op == CODE_CONSTANT ? sizeof value : sizeof index;
      ok = length - at >= bytes && depth < STACK;
      if (!ok) break;
      stack[depth] = (TccText){0};
      tcc_text_put(&stack[depth], "", 0); /* a name may be empty */
      memcpy(op == CODE_CONSTANT ? (void *)&value : (void *)&index, code + at, bytes);
      if (op == CODE_CONSTANT) tcc_text_printf(&stack[depth++], "%lld", (long long)value);
      else tcc_text_printf(&stack[depth++], "%s", name(index, user));
      at += bytes;
      continue;
    }
    ok = depth >= 2 && (op == CODE_ADD || op == CODE_MULTIPLY || (op && memchr(function_codes, op, sizeof function_codes)));
    if (!ok) break;
    depth--;
    join(&stack[depth - 1], op, &stack[depth]);
    tcc_text_destroy(&stack[depth]);
  }
  ok = ok && depth == 1;
  if (ok) tcc_text_put(out, stack[0].data, stack[0].length);
  while (depth) tcc_text_destroy(&stack[--depth]);
  return ok;
}

/* Size expressions: the normal form as text, and agreement of every operation with plain arithmetic on random values. */
#include "tcc/expr.h"
#include <stdio.h>
#include <stdlib.h>

static int failures;
static TccArena *arena;
static TccExprPool *pool;

static const TccExpr *parse(const char *text) {
  const TccExpr *e = NULL;
  TccStatus *status = tcc_expr_parse(pool, tcc_str(text), &e);
  if (status) {
    printf("%s\n", tcc_status_message(status));
    tcc_status_destroy(status);
    ++failures;
    return tcc_expr_const(pool, 0);
  }
  return e;
}

static void expect_text(const char *text, const char *want) {
  const char *got = tcc_expr_text(pool, parse(text));
  if (strcmp(got, want) == 0 && parse(got) == parse(text)) return;
  printf("'%s' prints as '%s', want '%s'\n", text, got, want);
  ++failures;
}

static void expect_error(const char *text) {
  const TccExpr *e;
  TccStatus *status = tcc_expr_parse(pool, tcc_str(text), &e);
  if (!status || e) printf("'%s' parses\n", text), ++failures;
  tcc_status_destroy(status);
}

static void expect_fact(const char *text, bool want) {
  if (tcc_expr_known_nonnegative(parse(text)) == want) return;
  printf("'%s' is %s non-negative\n", text, want ? "not found" : "said to be");
  ++failures;
}

static void expect_quotient(const char *a, const char *b, const char *want) {
  const TccExpr *got = tcc_expr_divide_exactly(pool, parse(a), parse(b));
  if (want ? got == parse(want) : !got) return;
  printf("(%s) / (%s) is %s\n", a, b, got ? tcc_expr_text(pool, got) : "not exact");
  ++failures;
}

/* ---- random expressions beside their values ---- */
enum { SYMBOLS = 3, ROUNDS = 4000 };
static int64_t values[SYMBOLS];
static const char *const names[SYMBOLS] = {"B", "S", "T"};

static bool value_of(TccStr name, int64_t *out, void *user) {
  (void)user;
  for (int i = 0; i < SYMBOLS; i++)
    if (tcc_str_is(name, names[i])) return *out = values[i], true;
  return false;
}

static int number_of(TccStr name, void *user) {
  (void)user;
  for (int i = 0; i < SYMBOLS; i++)
    if (tcc_str_is(name, names[i])) return i;
  return -1;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static const TccExpr *random_expr(int depth, int64_t *out) {
  int kind = depth == 0 ? rand() % 2 : 2 + rand() % 8;
  int64_t x, y = 1 + rand() % 6;
  if (kind == 0) return *out = rand() % 9 - 4, tcc_expr_const(pool, *out);
  if (kind == 1) {
    int i = rand() % SYMBOLS;
    return *out = values[i], tcc_expr_symbol(pool, tcc_str(names[i]));
  }
  const TccExpr *a = random_expr(depth - 1, &x), *b = kind >= 7 ? tcc_expr_const(pool, y) : random_expr(depth - 1, &y);
  switch (kind) {
  case 2: return *out = x + y, tcc_expr_add(pool, a, b);
  case 3: return *out = x - y, tcc_expr_sub(pool, a, b);
  case 4: return *out = x * y, tcc_expr_mul(pool, a, b);
  case 5: return *out = x < y ? x : y, tcc_expr_call(pool, TCC_EXPR_MIN, a, b);
  case 6: return *out = x > y ? x : y, tcc_expr_call(pool, TCC_EXPR_MAX, a, b);
  case 7: return *out = floor_div(x, y), tcc_expr_call(pool, TCC_EXPR_FLOORDIV, a, b);
  case 8: return *out = -floor_div(-x, y), tcc_expr_call(pool, TCC_EXPR_CEILDIV, a, b);
  default: return *out = x - floor_div(x, y) * y, tcc_expr_call(pool, TCC_EXPR_MOD, a, b);
  }
}

static void check_random(void) {
  TccText code = {0};
  for (int round = 0; round < ROUNDS && failures < 10; round++) {
    for (int i = 0; i < SYMBOLS; i++) values[i] = rand() % 40;
    int64_t want, evaluated = 0, ran = 0;
    const TccExpr *e = random_expr(4, &want);
    TccStatus *status = tcc_expr_eval(e, value_of, NULL, &evaluated);
    tcc_text_clear(&code);
    tcc_expr_compile(e, number_of, NULL, &code);
    bool ok = !status && evaluated == want && parse(tcc_expr_text(pool, e)) == e;
    ok = ok && tcc_expr_run((const unsigned char *)code.data, code.length, values, SYMBOLS, &ran) && ran == want;
    ok = ok && !(want < 0 && tcc_expr_known_nonnegative(e));
    int64_t factor = tcc_expr_multiple_of(e);
    ok = ok && (factor ? want % factor == 0 : want == 0);
    if (!ok) printf("'%s' is %lld, want %lld\n", tcc_expr_text(pool, e), (long long)evaluated, (long long)want), ++failures;
    tcc_status_destroy(status);
  }
  tcc_text_destroy(&code);
}

static const TccExpr *replace(TccStr name, void *user) {
  (void)user;
  return tcc_str_is(name, "S") ? parse("2*T") : NULL;
}

static void collect(TccStr name, void *text) { tcc_text_printf(text, "%.*s ", TCC_STR_ARG(name)); }

int main(void) {
  arena = tcc_arena_create();
  pool = tcc_expr_pool_create(arena);
  expect_text("S*B*2+1", "2*B*S + 1");
  expect_text("S - S", "0");
  expect_text("1 - S", "-S + 1");
  expect_text("(B + 1)*(S - 1)", "B*S - B + S - 1");
  expect_text("floordiv(4*S + 6, 4)", "S + 1");
  expect_text("floordiv(2*S + 1, 4)", "floordiv(S, 2)");
  expect_text("ceildiv(S, 2)", "floordiv(S + 1, 2)");
  expect_text("floordiv(floordiv(S, 2), 3)", "floordiv(S, 6)");
  expect_text("floordiv(B*S, S)", "B");
  expect_text("mod(5*S + 7, 4)", "mod(S + 3, 4)");
  expect_text("mod(8*S, 4)", "0");
  expect_text("max(S + 1, S)", "S + 1");
  expect_text("min(T, S)", "min(S, T)");
  expect_text("max(1, S)", "max(S, 1)");
  expect_text("'batch size' + 1", "'batch size' + 1");
  expect_text("$0*x.y", "$0*x.y");
  static const char *const wrong[] = {"", "S +", "S T", "(S", "foo(S, 1)", "min(S)", "99999999999999999999", "'", "S $ *", "3S"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) expect_error(wrong[i]);
  char deep[400];
  memset(deep, '(', sizeof deep - 1);
  deep[sizeof deep - 1] = 0;
  expect_error(deep);
  expect_quotient("2*B*S", "S", "2*B");
  expect_quotient("S*T + T", "S + 1", "T");
  expect_quotient("2*S + 1", "2", NULL);
  expect_quotient("S", "T", NULL);
  expect_quotient("S", "0", NULL);
  expect_fact("B*S + 3", true);
  expect_fact("S - 1", false);
  expect_fact("max(S, 1) - 1", true);
  expect_fact("S - min(S, T)", true);
  expect_fact("S - floordiv(S, 2)", true);
  expect_fact("min(S, T) - 1", false);
  check_random();
  if (tcc_expr_substitute(pool, parse("floordiv(S, 2) + B*S"), replace, NULL) != parse("2*B*T + T")) puts("substitute"), ++failures;
  TccText symbols = {0};
  tcc_expr_symbols(parse("B*S + max(S, floordiv(T, 3))"), collect, &symbols);
  if (strcmp(symbols.data, "B S T ") != 0) printf("symbols: %s\n", symbols.data), ++failures;
  tcc_text_destroy(&symbols);
  if (tcc_expr_fresh(pool, "S") == tcc_expr_fresh(pool, "S")) puts("fresh symbols are equal"), ++failures;
  tcc_arena_destroy(arena);
  return failures != 0;
}

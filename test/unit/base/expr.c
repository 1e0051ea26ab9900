/* Size expressions: the normal form by examples; its soundness on random expressions against plain arithmetic. */
#include "lib/base/expr_internal.h"
#include <stdio.h>
#include <stdlib.h>

static int failures;
static TccExprPool *pool;

#define expect(condition) ((condition) ? (void)0 : (void)(printf("line %d: %s\n", __LINE__, #condition), failures++))

/* ---- examples ---- */

static const TccExpr *parse(const char *text) {
  const TccExpr *e;
  TccStatus *status = tcc_expr_parse(pool, tcc_str(text), &e);
  if (!status) return e;
  printf("'%s': %s\n", text, tcc_status_message(status));
  tcc_status_destroy(status);
  failures++;
  return tcc_expr_const(pool, 0);
}

static void normal(const char *text, const char *want) {
  const char *got = tcc_expr_text(pool, parse(text));
  if (strcmp(got, want) != 0) printf("'%s' is '%s', want '%s'\n", text, got, want), failures++;
  if (parse(got) != parse(text)) printf("'%s' does not parse back to itself\n", got), failures++;
}

static void refuse(const char *text, size_t length) {
  const TccExpr *e;
  TccStatus *status = tcc_expr_parse(pool, (TccStr){text, length}, &e);
  if (!status || e) printf("'%.*s' was taken\n", length > 60 ? 60 : (int)length, text), failures++;
  tcc_status_destroy(status);
}

static void quotient(const char *a, const char *b, const char *want) {
  const TccExpr *q = tcc_expr_divide_exactly(pool, parse(a), parse(b));
  const char *got = q ? tcc_expr_text(pool, q) : "none";
  if (strcmp(got, want) != 0) printf("(%s) / (%s) is %s, want %s\n", a, b, got, want), failures++;
}

static void quotient_of_unknown(void) {
  if (tcc_expr_divide_exactly(pool, NULL, parse("S")) || tcc_expr_divide_exactly(pool, parse("S"), NULL))
    printf("an unknown size has a quotient\n"), failures++;
}

static void nonnegative(const char *text, bool want) {
  if (tcc_expr_known_nonnegative(parse(text)) != want)
    printf("'%s' is%s known to be non-negative\n", text, want ? " not" : ""), failures++;
}

static void examples(void) {
  normal("0", "0");
  normal("S + B", "B + S");
  normal("1 + S*B*2", "2*B*S + 1");
  normal("(a + b)*(a - b)", "a*a - b*b");
  normal("S - S", "0");
  normal("-(S - 3)", "-S + 3");
  normal("floordiv(2*S + 1, 2)", "S");
  normal("floordiv(4*S + 6, 4)", "S + 1");
  normal("floordiv(6*S + 3, 4)", "S + floordiv(S + 1, 2)");
  normal("floordiv(S + 5, 2)", "floordiv(S + 1, 2) + 2");
  normal("ceildiv(S, 2)", "floordiv(S + 1, 2)");
  normal("floordiv(floordiv(S, 2), 3)", "floordiv(S, 6)");
  normal("mod(3*S + 4, 3)", "1");
  normal("mod(S*H, H)", "0");
  normal("min(S, S + 1)", "S");
  normal("max(0, S - 1)", "max(S - 1, 0)");
  normal("max(S, 0)", "S");
  normal("floordiv(-7, 2)", "-4");
  normal("ceildiv(-7, 2)", "-3");
  normal("mod(-7, 2)", "1");
  normal("'a b' + '\\''", "'\\'' + 'a b'");
  normal("floordiv(S, T)", "floordiv(S, T)");
  normal("x.1 + $0", "$0 + x.1");
  quotient_of_unknown();
  quotient("2*B*S", "S", "2*B");
  quotient("B*S + S", "S", "B + 1");
  quotient("B*B - S*S", "B - S", "B + S");
  quotient("B + 1", "2", "none");
  quotient("B", "0", "none");
  nonnegative("S", true);
  nonnegative("S - 1", false);
  nonnegative("max(S, 1) - 1", true);
  nonnegative("S - min(S, T)", true);
  nonnegative("S - floordiv(S, 2)", true);
  nonnegative("mod(S, 3)", true);
  static const char *const bad[] = {
      "",     "+",  "S +", "(S", "S)", "2 S", "floordiv(S)", "floordiv(S, 2", "sqrt(S)", "'", "''", "9223372036854775808",
      "S//2", "a,b"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) refuse(bad[i], strlen(bad[i]));
  refuse("'a\0b'", 5);
  char deep[2000];
  memset(deep, '(', sizeof deep);
  refuse(deep, sizeof deep);
  TccStr name;
  int64_t value;
  if (!tcc_expr_is_symbol(parse("S"), &name) || !tcc_str_is(name, "S") || tcc_expr_is_symbol(parse("2*S"), NULL))
    printf("is_symbol\n"), failures++;
  if (!tcc_expr_is_const(parse("2 - 5"), &value) || value != -3 || tcc_expr_is_const(parse("S"), NULL))
    printf("is_const\n"), failures++;
  if (tcc_expr_fresh(pool, "u") == tcc_expr_fresh(pool, "u")) printf("fresh symbols are equal\n"), failures++;
  if (tcc_expr_multiple_of(parse("6*S + 4")) != 2 || tcc_expr_multiple_of(parse("0")) != 0) printf("multiple_of\n"), failures++;
  if (tcc_expr_magnitude(parse("6*S - 4*T*T + 1")) != 11 || tcc_expr_magnitude(parse("0")) != 0 ||
      tcc_expr_magnitude(parse("9223372036854775807*S + T")) != INT64_MAX)
    printf("magnitude\n"), failures++;
}

/* A text whose normal form would be exponential in its length must be refused quickly. */
static void hostile(void) {
  TccText text = {0};
  tcc_text_printf(&text, "a");
  for (int i = 0; i < 40; i++) {
    TccText next = {0};
    tcc_text_printf(&next, "max((%s)*(", text.data);
    for (int k = 0; k < 60; k++) tcc_text_printf(&next, "%sx%d", k ? "+" : "", k);
    tcc_text_printf(&next, "),y)");
    tcc_text_destroy(&text);
    text = next;
  }
  refuse(text.data, text.length);
  tcc_text_clear(&text);
  for (int i = 0; i < 100000; i++) tcc_text_printf(&text, "%sa", i ? "*" : "");
  refuse(text.data, text.length);
  tcc_text_destroy(&text);
}

/* A detector keeps at most 300 boxes of each class, and of all of them: proofs that one of the two is the smaller number end at an example
 * against them, before they try each class' minimum in turn (they made 3 MB of sums, each time). */
static void many_minima(void) {
  TccArena *arena = tcc_arena_create();
  TccExprPool *own = tcc_expr_pool_create(arena);
  const TccExpr *most = tcc_expr_const(own, 300), *sum = tcc_expr_const(own, 0);
  for (int i = 0; i < 90; i++) sum = tcc_expr_add(own, sum, tcc_expr_call(own, TCC_EXPR_MIN, tcc_expr_fresh(own, "n"), most));
  const size_t before = tcc_map_count(own->exprs);
  const TccExpr *kept = tcc_expr_call(own, TCC_EXPR_MIN, sum, most);
  expect(kept != sum && kept != most && tcc_map_count(own->exprs) - before < 8);
  expect(!tcc_expr_known_at_most(sum, most) && !tcc_expr_known_at_most(most, sum) && tcc_expr_known_at_most(kept, most));
  expect(tcc_expr_known_nonnegative(sum) && !tcc_expr_never_at_most(sum, most));
  tcc_arena_destroy(arena);
}

/* What is assumed holds for multiples too; what cannot be is refused. */
static void assumptions(void) {
  const TccExpr *h = tcc_expr_symbol(pool, tcc_str("h")), *two = tcc_expr_const(pool, 2), *one = tcc_expr_const(pool, 1);
  const TccExpr *half = tcc_expr_call(pool, TCC_EXPR_FLOORDIV, h, two), *even = tcc_expr_mul(pool, half, two);
  size_t count;
  tcc_expr_forget_assumptions(pool);
  expect(!tcc_expr_known_equal(h, even) && !tcc_expr_agree(h, even) && tcc_expr_could_assume(pool));
  expect(!tcc_expr_divide_known(pool, h, two) && tcc_expr_divide_known(pool, tcc_expr_mul(pool, h, two), two) == h);
  tcc_expr_forget_assumptions(pool);
  tcc_expr_assume(pool, true);
  expect(!tcc_expr_agree(h, tcc_expr_add(pool, h, one)) && !tcc_expr_agree(tcc_expr_add(pool, h, one), tcc_expr_const(pool, 0)));
  tcc_expr_assumptions(pool, &count);
  expect(count == 0 && !tcc_expr_could_assume(pool));
  expect(tcc_expr_agree(h, even));
  tcc_expr_assume(pool, false);
  expect(tcc_expr_divide_known(pool, h, two) == half && !tcc_expr_divide_known(pool, h, tcc_expr_const(pool, 3)));
  expect(!tcc_expr_divide_known(pool, h, tcc_expr_const(pool, 0)) && !tcc_expr_divide_known(pool, NULL, two));
  const TccExpr *w = tcc_expr_symbol(pool, tcc_str("w")), *four = tcc_expr_const(pool, 4);
  expect(tcc_expr_known_equal(tcc_expr_mul(pool, h, w), tcc_expr_mul(pool, even, w)) && !tcc_expr_known_equal(h, w));
  tcc_expr_assumptions(pool, &count);
  expect(count == 1);
  tcc_expr_forget_assumptions(pool);
  const TccExpr *quarter = tcc_expr_call(pool, TCC_EXPR_FLOORDIV, even, four); /* a remainder of 0: a product */
  tcc_expr_assume_zero(pool, tcc_expr_call(pool, TCC_EXPR_MOD, even, four));
  expect(tcc_expr_known_equal(tcc_expr_mul(pool, even, w), tcc_expr_mul(pool, tcc_expr_mul(pool, quarter, four), w)));
  tcc_expr_forget_assumptions(pool);
  const TccExpr *chain[5]; /* c0 = c1, c2 = c1, c3 = 2 c2, c0 = c4: all follow */
  for (int i = 0; i < 5; i++) chain[i] = tcc_expr_symbol(pool, tcc_str((const char *[]){"c0", "c1", "c2", "c3", "c4"}[i]));
  tcc_expr_assume_zero(pool, tcc_expr_sub(pool, chain[0], chain[1]));
  tcc_expr_assume_zero(pool, tcc_expr_sub(pool, chain[2], chain[1]));
  tcc_expr_assume_zero(pool, tcc_expr_sub(pool, chain[3], tcc_expr_mul(pool, chain[2], two)));
  tcc_expr_assume_zero(pool, tcc_expr_sub(pool, chain[0], chain[4]));
  expect(tcc_expr_known_equal(chain[0], chain[2]) && tcc_expr_known_equal(chain[4], chain[2]));
  expect(tcc_expr_known_equal(tcc_expr_mul(pool, chain[3], chain[0]),
                              tcc_expr_mul(pool, two, tcc_expr_mul(pool, chain[1], chain[4]))));
  expect(!tcc_expr_known_equal(chain[3], chain[0]));
  tcc_expr_forget_assumptions(pool);
  expect(!tcc_expr_known_equal(h, even));
}

static void expect_message(TccStatus *status, const char *want) {
  if (!status || strcmp(tcc_status_message(status), want))
    printf("%s, not: %s\n", status ? tcc_status_message(status) : "-", want), failures++;
  tcc_status_destroy(status);
}

static void relations(void) {
  const TccExpr *s = tcc_expr_symbol(pool, tcc_str("s")), *four = tcc_expr_const(pool, 4), *less, *more;
  tcc_expr_sides(pool, tcc_expr_sub(pool, tcc_expr_mul(pool, s, four), tcc_expr_const(pool, 8)), &less, &more);
  expect(less == tcc_expr_const(pool, 2) && more == s);
  expect(tcc_expr_known_at_most(s, tcc_expr_add(pool, s, four)) && !tcc_expr_known_at_most(s, four));
  expect(tcc_expr_never_at_most(tcc_expr_add(pool, s, four), s) && !tcc_expr_never_at_most(four, s) &&
         !tcc_expr_never_at_most(s, s));
  expect(tcc_sizes_hold(TCC_SIZES_AT_MOST, 3, 3) && !tcc_sizes_hold(TCC_SIZES_EQUAL, 3, 4) &&
         tcc_sizes_hold(TCC_SIZES_MULTIPLE, 6, 3) && !tcc_sizes_hold(TCC_SIZES_MULTIPLE, 6, 0));
  expect_message(tcc_sizes_error(TCC_SIZES_EQUAL, "c", 5, "a", 3, "node 'y', Add"),
                 "sizes do not agree: 'c' (5) must equal 'a' (3) (node 'y', Add)");
  expect_message(tcc_sizes_error(TCC_SIZES_AT_MOST, "5", 5, "b", 3, ""), "sizes do not agree: 'b' (3) must be at least 5");
  expect_message(tcc_sizes_error(TCC_SIZES_AT_MOST, "s", 200, "128", 128, ""), "sizes do not agree: 's' (200) must be at most 128");
  expect_message(tcc_sizes_error(TCC_SIZES_MULTIPLE, "h", 5, "2", 2, "tcc.conv"),
                 "sizes do not agree: 'h' (5) must be a multiple of 2 (tcc.conv)");
}

/* ---- random expressions ---- */
enum { SYMBOLS = 3, BINDINGS = 6, KEPT = 64, ROUNDS = 30000 };
static int64_t bindings[BINDINGS][SYMBOLS] = {{0, 0, 0}, {1, 1, 1}, {2, 3, 5}, {7, 4, 0}, {12, 1, 6}, {100, 37, 8}};
typedef struct {
  const TccExpr *e;
  bool defined[BINDINGS];
  int64_t value[BINDINGS];
} Sample;

static uint64_t seed = 1;
static unsigned draw(unsigned below) {
  seed = seed * 6364136223846793005u + 1442695040888963407u;
  return (unsigned)(seed >> 33) % below;
}

static bool bind(TccStr name, int64_t *out, void *user) {
  *out = ((const int64_t *)user)[name.data[0] - 'a'];
  return true;
}
static const char *name_of(int32_t index, void *user) {
  static const char *const names[] = {"a", "b", "c", "d", "e", "f", "g", "h"};
  return (void)user, names[index];
}
static int number(TccStr name, void *user) { return (void)user, name.data[0] - 'a'; }

static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

static Sample leaf(void) {
  Sample s = {0};
  unsigned symbol = draw(SYMBOLS + 2);
  int64_t constant = (int64_t)draw(9) - 3;
  char name = (char)('a' + symbol);
  s.e = symbol < SYMBOLS ? tcc_expr_symbol(pool, (TccStr){&name, 1}) : tcc_expr_const(pool, constant);
  for (int i = 0; i < BINDINGS; i++) s.defined[i] = true, s.value[i] = symbol < SYMBOLS ? bindings[i][symbol] : constant;
  return s;
}

static Sample join(const Sample *a, const Sample *b) {
  Sample s = {0};
  unsigned op = draw(8);
  s.e = op == 0   ? tcc_expr_add(pool, a->e, b->e)
        : op == 1 ? tcc_expr_sub(pool, a->e, b->e)
        : op == 2 ? tcc_expr_mul(pool, a->e, b->e)
                  : tcc_expr_call(pool, (TccExprFunction)(op - 3), a->e, b->e);
  for (int i = 0; i < BINDINGS; i++) {
    int64_t x = a->value[i], y = b->value[i], *out = &s.value[i];
    s.defined[i] = a->defined[i] && b->defined[i] && (op < 3 || op > 5 || y != 0);
    if (!s.defined[i]) continue;
    switch (op) {
    case 0: *out = x + y; break;
    case 1: *out = x - y; break;
    case 2: *out = x * y; break;
    case 3: *out = floor_divide(x, y); break;
    case 4: *out = -floor_divide(-x, y); break;
    case 5: *out = x - floor_divide(x, y) * y; break;
    case 6: *out = x < y ? x : y; break;
    default: *out = x > y ? x : y;
    }
    if (llabs(*out) > 1000000) s.defined[i] = false;
  }
  return s;
}

static void check(const Sample *s) {
  TccText code = {0};
  tcc_expr_compile(s->e, number, NULL, &code);
  const char *text = tcc_expr_text(pool, s->e);
  TccText code_text = {0};
  bool same = parse(text) == s->e && tcc_expr_code_text((const unsigned char *)code.data, code.length, name_of, NULL, &code_text) &&
              strcmp(code_text.data, text) == 0;
  tcc_text_destroy(&code_text);
  for (int i = 0; i < BINDINGS; i++) {
    if (!s->defined[i]) continue;
    int64_t value, run;
    TccStatus *status = tcc_expr_eval(s->e, bind, bindings[i], &value);
    bool ok = !status && value == s->value[i];
    tcc_status_destroy(status);
    bool ran = tcc_expr_run((const unsigned char *)code.data, code.length, bindings[i], SYMBOLS, &run) && run == s->value[i];
    bool sign = s->value[i] >= 0 || !tcc_expr_known_nonnegative(s->e);
    int64_t multiple = tcc_expr_multiple_of(s->e);
    bool divides = multiple ? s->value[i] % multiple == 0 : s->value[i] == 0;
    if (ok && ran && sign && divides && same) continue;
    printf("'%s' at binding %d: want %lld; eval %d (%lld), run %d, non-negative %d, multiple %d, parse %d\n", text, i,
           (long long)s->value[i], ok, (long long)value, ran, sign, divides, same);
    failures++;
    break;
  }
  tcc_text_destroy(&code);
}

static void random_expressions(void) {
  Sample kept[KEPT];
  for (int i = 0; i < KEPT; i++) kept[i] = leaf();
  for (int round = 0; round < ROUNDS && failures < 10; round++) {
    Sample s = join(&kept[draw(KEPT)], &kept[draw(KEPT)]);
    size_t length = strlen(tcc_expr_text(pool, s.e));
    check(&s);
    kept[draw(KEPT)] = length < 120 ? s : leaf();
    const Sample *a = &kept[draw(KEPT)], *b = &kept[draw(KEPT)];
    const TccExpr *q = tcc_expr_divide_exactly(pool, a->e, b->e);
    for (int i = 0; q && i < BINDINGS; i++) {
      int64_t value;
      if (!a->defined[i] || !b->defined[i] || b->value[i] == 0) continue;
      TccStatus *status = tcc_expr_eval(q, bind, bindings[i], &value);
      if (status || value * b->value[i] != a->value[i])
        printf("(%s) / (%s) is not %s\n", tcc_expr_text(pool, a->e), tcc_expr_text(pool, b->e), tcc_expr_text(pool, q)), failures++;
      tcc_status_destroy(status);
    }
  }
}

int main(void) {
  TccArena *arena = tcc_arena_create();
  pool = tcc_expr_pool_create(arena);
  examples();
  hostile();
  many_minima();
  assumptions();
  relations();
  random_expressions();
  tcc_arena_destroy(arena);
  return failures != 0;
}

/* Sizes and conditions as torch spells them: against sympy's own values, by hand, guards of a program, and what is refused. */
#include "lib/frontend/torch/expr.h"
#include <stdio.h>
#include <stdlib.h>

static int failures;
static TccArena *arena;
static TccExprPool *pool;

static const struct {
  bool condition;
  const char *text;
  int64_t values[3];
} samples[] = {
#define TCC_TORCH_SAMPLE(condition, text, a, b, c) {condition, text, {a, b, c}},
#include "test/unit/frontend/torch/expr_samples.def"
#undef TCC_TORCH_SAMPLE
};
static const int64_t bindings[3][3] = {{2, 3, 0}, {7, 64, 5}, {31, 10, 12}};

static bool bind(TccStr name, int64_t *out, void *user) {
  const int64_t *binding = user;
  if (name.length != 2) return false;
  *out = name.data[0] == 'u' ? binding[2] : binding[name.data[1] - '0'];
  return true;
}

static void check_samples(void) {
  for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
    for (int k = 0; k < 3; k++) {
      TccTorchConstraint constraint = {0};
      const TccExpr *e = NULL;
      int64_t value = 0;
      TccStr text = tcc_str(samples[i].text);
      TccStatus *status =
          samples[i].condition ? tcc_torch_condition(pool, NULL, text, &constraint) : tcc_torch_expr(pool, text, &e);
      if (samples[i].condition) e = constraint.expr;
      if (!status) status = tcc_expr_eval(e, bind, (void *)(uintptr_t)bindings[k], &value);
      if (!status && samples[i].condition) value = constraint.equal ? value == 0 : value >= 0;
      if (status || value != samples[i].values[k])
        printf("'%s': %lld, want %lld (%s)\n", samples[i].text, (long long)value, (long long)samples[i].values[k],
               status ? tcc_status_message(status) : "no error"),
            failures++;
      tcc_status_destroy(status);
    }
}

static void expect(const char *text, const char *want) {
  const TccExpr *e;
  TccStatus *status = tcc_torch_expr(pool, tcc_str(text), &e);
  const char *got = status ? tcc_status_message(status) : tcc_expr_text(pool, e);
  if (status || strcmp(got, want) != 0) printf("'%s': got '%s', want '%s'\n", text, got, want), failures++;
  tcc_status_destroy(status);
}

static void expect_condition(const TccTorchProgram *program, const char *text, const char *want, bool equal) {
  TccTorchConstraint c;
  TccStatus *status = tcc_torch_condition(pool, program, tcc_str(text), &c);
  const char *got = status ? tcc_status_message(status) : tcc_expr_text(pool, c.expr);
  if (status || strcmp(got, want) != 0 || c.equal != equal) printf("'%s': got '%s', want '%s'\n", text, got, want), failures++;
  tcc_status_destroy(status);
}

static void refuse(const TccTorchProgram *program, bool condition, const char *text, const char *message) {
  const TccExpr *e;
  TccTorchConstraint c;
  TccStatus *status = condition ? tcc_torch_condition(pool, program, tcc_str(text), &c) : tcc_torch_expr(pool, tcc_str(text), &e);
  if (!status || !strstr(tcc_status_message(status), message))
    printf("'%.60s': got '%s', want '%s'\n", text, status ? tcc_status_message(status) : "no error", message), failures++;
  tcc_status_destroy(status);
}

static void spellings(void) {
  expect("2*s0 + 1", "2*s0 + 1");
  expect("Add(Mul(Integer(2), Symbol('s0', positive=True, integer=True)), Integer(1))", "2*s0 + 1");
  expect("(s0 // 2)", "floordiv(s0, 2)");
  expect("s0//2*2 + s0 % 2", "2*floordiv(s0, 2) + mod(s0, 2)");
  expect("Add(FloorDiv(Add(Symbol('s0', positive=True, integer=True), Integer(-1)), Integer(2)), Integer(1))",
         "floordiv(s0 + 1, 2)");
  expect("-2**2 + s0**2*3", "3*s0*s0 - 4"); /* a power binds tighter than a sign */
  expect("10 - 3 - 2", "5");
  expect("Max(1, s0)", "max(s0, 1)");
  expect("Mul(Rational(1, 2), Mul(Integer(6), Symbol('s0')))", "3*s0");
  expect("s0/2 + s1/2", "floordiv(s0 + s1, 2)"); /* a size is an integer, so nothing is lost */
  expect("Mul(Rational(3, 2), Symbol('s0'))", "floordiv(s0, 2) + s0");
  expect("CeilToInt(IntTrueDiv(s0, 4))", "floordiv(s0 + 3, 4)");
  expect("TruncToInt(s0/3)", "floordiv(s0, 3)");
  expect("TruncToInt(Mul(Float('0.375', precision=53), ToFloat(Symbol('s0', integer=True))))", "floordiv(3*s0, 8)");
  expect("RoundToInt(IntTrueDiv(s0, 3))", "floordiv(s0 + 1, 3)");
  expect("LShift(s0, 3)", "8*s0");
  expect("RShift(s0, 2)", "floordiv(s0, 4)");
  expect("s0*s1/s1", "s0");
  expect("6/-3 + s0", "s0 - 2");
  expect("Symbol('a b', integer=True) + 1", "'a b' + 1");
}

static void conditions(void) {
  expect_condition(NULL, "s0 <= 128", "-s0 + 128", false);
  expect_condition(NULL, "s0 < s1", "-s0 + s1 - 1", false);
  expect_condition(NULL, "Eq(s0, 2*s1)", "s0 - 2*s1", true);
  expect_condition(NULL, "s0 % 8 == 0", "mod(s0, 8)", true);
  expect_condition(NULL, "s0/2 >= s1/3", "3*s0 - 2*s1", false);
  expect_condition(NULL, "not s0 > 3", "-s0 + 3", false);
  expect_condition(NULL, "1 < s0 <= 9", "min(-s0 + 9, s0 - 2)", false);
  expect_condition(NULL, "(s1*torch.sym_max(1, s0 // 2)) == s1*4", "max(floordiv(s0, 2), 1)*s1 - 4*s1", true);
  expect_condition(NULL, "s0 != 1", "max(-s0 + 1, s0 - 1) - 1", false);
  expect_condition(NULL, "(s0 >= 4) | (s1 >= 4)", "max(s0 - 4, s1 - 4)", false);
  refuse(NULL, true, "s0 + 1", "a number where a condition is expected");
  refuse(NULL, false, "s0 > 1", "a condition where a number is expected");
  refuse(NULL, true, "(s0 > 1) + 1 > 0", "a condition where a number is expected");
}

static void limits(void) {
  char text[1 << 15];
  refuse(NULL, false, "", "an operand is missing at column 1");
  refuse(NULL, false, "s0 +", "an operand is missing at column 5");
  refuse(NULL, false, "s0 s1", "unexpected text at column 4");
  refuse(NULL, false, "(s0", "')' expected");
  refuse(NULL, false, "Piecewise((s0, s0 > 1), (1, True))", "an unknown function");
  refuse(NULL, false, "s0**s1", "a power that is no small constant");
  refuse(NULL, false, "s0**33", "a power that is no small constant");
  refuse(NULL, false, "s0/s1", "a quotient by a size");
  refuse(NULL, false, "s0//0", "a division by zero");
  refuse(NULL, false, "s0/0", "a division by zero");
  refuse(NULL, false, "9223372036854775808", "the number is too large");
  refuse(NULL, false, "1.5", "a number that is no integer");
  refuse(NULL, false, "Float('0.1', precision=53)", "a number that is no short binary fraction");
  refuse(NULL, false, "Add()", "unexpected character");
  refuse(NULL, false, "Mod(s0)", "too few arguments");
  refuse(NULL, false, "Mod(s0, 2, 3)", "too many arguments");
  refuse(NULL, false, "Symbol(s0)", "a string expected");
  refuse(NULL, false, "Symbol('s0', integer=1)", "True or False expected");
  refuse(NULL, false, "Symbol('s0", "a quote is open");
  refuse(NULL, false, "oo", "infinity");
  refuse(NULL, false, "(s0+s1+a+b+c)**32", "too large");
  refuse(NULL, false, "L['x'].size()[0]", "an argument that is no tensor or integer");
  memset(text, '(', 100), text[100] = 0;
  refuse(NULL, false, text, "nested too deeply");
  for (int i = 0; i < 100; i++) memcpy(text + 3 * i, "2**", 4);
  refuse(NULL, false, text, "nested too deeply");
  memset(text, '1', sizeof text - 1), text[sizeof text - 1] = 0;
  refuse(NULL, false, text, "the text is too long");
  TccText nested = {0}; /* each level doubles the text */
  tcc_text_printf(&nested, "s0");
  for (int i = 0; i < 12; i++) {
    TccText outer = {0};
    tcc_text_printf(&outer, "Max(%s, %s + a%d)", nested.data, i % 2 ? "s1" : "s0", i);
    tcc_text_destroy(&nested);
    nested = outer;
  }
  const TccExpr *e;
  TccStatus *status = tcc_torch_expr(pool, tcc_text_str(&nested), &e);
  if (status) printf("%s\n", tcc_status_message(status)), failures++;
  tcc_status_destroy(status);
  tcc_text_destroy(&nested);
}

static const char program_text[] =
    "{\"schema_version\": {\"major\": 8, \"minor\": 20}, \"range_constraints\": {\"s0\": {\"min_val\": 2, \"max_val\": 128},"
    " \"2*s1\": {\"min_val\": 5, \"max_val\": null}, \"f(s1)\": {\"min_val\": 5, \"max_val\": null}},"
    " \"guards_code\": [\"L['x'].size()[0] == L['past'][1].size()[1]\", \"L['x'].size()[0] % 2 == 0\", \"L['n'] <= 7\","
    " \"L['x'].dim() == 1\", \"8*L['x'].stride()[0] <= L['x']._base.size()[0]*L['x']._base.stride()[1] + L['x'].storage_offset()\","
    " \"Ne(L['x']._base.storage_offset(), 3)\", \"L['Some.Arg']['k'].size()[0] != 3\", \"L['d'][0].size()[0] == 1\", \"L['x'].size()[1] == 4\","
    " \"L['x'].size()[2] == 4\"],"
    " \"graph_module\": {\"graph\": {\"inputs\": [{\"as_tensor\": {\"name\": \"x\"}}, {\"as_tensor\": {\"name\": \"past_1\"}},"
    " {\"as_sym_int\": {\"as_name\": \"n\"}}, {\"as_tensor\": {\"name\": \"some_arg_k\"}}, {\"as_tensor\": {\"name\": \"d_0\"}},"
    " {\"as_tensor\": {\"name\": \"d_0_1\"}}],"
    " \"outputs\": [], \"nodes\": [], \"tensor_values\": {"
#define META(sizes, strides)                                                                                                       \
  "{\"dtype\": 7, \"sizes\": [" sizes "], \"strides\": [" strides "], \"storage_offset\": {\"as_int\": 0}}"
#define SYM(text) "{\"as_expr\": {\"expr_str\": \"" text "\", \"hint\": null}}"
#define INT(n) "{\"as_int\": " #n "}"
    "\"x\": " META(SYM("Symbol('s0', integer=True)") ", " INT(4), INT(4) ", " INT(1)) ", \"past_1\": " META(INT(3) ", " SYM("s0"), SYM("s0") ", " INT(1)) ", \"some_arg_k\": " META(
        SYM("s1"),
        INT(1)) ", \"d_0\": " META(SYM("s1"),
                                   INT(1)) ", \"d_0_1\": " META(SYM("s1"),
                                                                INT(1)) "}, \"sym_int_values\": {\"n\": " SYM("u0 + 1") "}},"
                                                                                                                        " \"signature\": {\"input_specs\": [{\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"x\"}}}},"
                                                                                                                        " {\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"past_1\"}}}}, {\"user_input\": {\"arg\": {\"as_sym_int\": {\"as_name\": "
                                                                                                                        "\"n\"}}}}, {\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"some_arg_k\"}}}},"
                                                                                                                        " {\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": \"d_0\"}}}}, {\"user_input\": {\"arg\": {\"as_tensor\": {\"name\": "
                                                                                                                        "\"d_0_1\"}}}}], \"output_specs\": []}}}";

/* Constraints of a whole program: equal sizes say nothing, a lower bound of 2 and what is said of memory are none, paths are names of inputs. */
static void guards(void) {
  static const char *const wanted[] = {"-s0 + 128", "2*s1 - 5", "mod(s0, 2)", "-u0 + 6", "max(-s1 + 3, s1 - 3) - 1"};
  static const char *const unknown[] = {"an unknown function", "neither its size nor", "whose name is not unique",
                                        "an axis that the tensor has not"};
  TccTorchProgram *program;
  TccTorchConstraints all;
  TccStatus *status = tcc_torch_graph_read(arena, tcc_str(program_text), "guards", &program);
  if (status) {
    printf("%s\n", tcc_status_message(status)), failures++;
    tcc_status_destroy(status);
    return;
  }
  tcc_torch_constraints(arena, pool, program, &all);
  if (all.count != 5 || all.nunknown != 4) printf("%zu constraints, %zu unknown\n", all.count, all.nunknown), failures++;
  for (size_t i = 0; i < all.count && i < 5; i++) {
    const char *got = tcc_expr_text(pool, all.constraints[i].expr);
    if (strcmp(got, wanted[i]) != 0) printf("constraint %zu: got '%s', want '%s'\n", i, got, wanted[i]), failures++;
  }
  for (size_t i = 0; i < all.nunknown && i < 4; i++)
    if (!strstr(all.reasons[i], unknown[i])) printf("guard %zu: '%s', want '%s'\n", i, all.reasons[i], unknown[i]), failures++;
}

int main(void) {
  arena = tcc_arena_create();
  pool = tcc_expr_pool_create(arena);
  check_samples();
  spellings();
  conditions();
  limits();
  guards();
  if (tcc_expr_too_large(pool)) printf("an expression was too large for the pool\n"), failures++;
  tcc_arena_destroy(arena);
  return failures != 0;
}

/* expr.c - Python's expressions by recursive descent, evaluated as they are read.
 *
 * A value is a quotient of a size expression and a positive constant, or a condition: an expression that must be >= 0 (or 0). So
 * conditions compose by arithmetic: both hold if the smaller one is >= 0, one does if the larger is, and e >= 0 fails if -e - 1 >= 0. */
#include "lib/frontend/torch/expr.h"
#include <math.h>
#include <stdlib.h>

enum { MOST_INPUT = 1 << 14, MOST_DEPTH = 64, MOST_POWER = 32, MOST_ARGS = 64, MOST_FRACTION = 1 << 16 };

typedef struct {
  const TccExpr *e;
  int64_t divisor; /* > 0; of a condition 1 */
  bool condition, equal;
} Value;

typedef struct {
  TccExprPool *pool;
  const TccTorchProgram *program; /* or NULL */
  TccStr text;
  size_t at;
  int depth;
  bool of_memory;    /* it reads where an input's elements lie in memory */
  TccStatus *status; /* the first error: then nothing is read any more */
} Parser;

static Value parse_or(Parser *p);

/* ---- errors ---- */
static Value fail(Parser *p, TccCode code, const char *what) {
  int shown = p->text.length > 200 ? 200 : (int)p->text.length;
  if (!p->status) p->status = TCC_ERROR(code, "'%.*s': %s at column %zu", shown, p->text.data, what, p->at + 1);
  return (Value){tcc_expr_const(p->pool, 0), 1, false, false};
}
static Value invalid(Parser *p, const char *what) { return fail(p, TCC_INVALID, what); }
static Value unknown(Parser *p, const char *what) { return fail(p, TCC_UNSUPPORTED, what); }

/* ---- arithmetic; all results are bounded ---- */
static const TccExpr *constant(Parser *p, int64_t value) { return tcc_expr_const(p->pool, value); }

static const TccExpr *checked(Parser *p, const TccExpr *e) {
  if (!p->status && tcc_expr_modest(e)) return e;
  return unknown(p, "too large").e;
}

static const TccExpr *product(Parser *p, const TccExpr *a, const TccExpr *b) {
  if (p->status || !tcc_expr_modest_product(a, b)) return unknown(p, "too large").e;
  return checked(p, tcc_expr_mul(p->pool, a, b));
}

static const TccExpr *call(Parser *p, TccExprFunction f, const TccExpr *a, const TccExpr *b) {
  return p->status ? a : checked(p, tcc_expr_call(p->pool, f, a, b));
}

static const TccExpr *sum(Parser *p, const TccExpr *a, const TccExpr *b) { return checked(p, tcc_expr_add(p->pool, a, b)); }
static const TccExpr *difference(Parser *p, const TccExpr *a, const TccExpr *b) { return checked(p, tcc_expr_sub(p->pool, a, b)); }
static const TccExpr *negative(Parser *p, const TccExpr *e) { return difference(p, constant(p, 0), e); }

static Value number(const TccExpr *e) { return (Value){e, 1, false, false}; }
static Value condition(const TccExpr *e, bool equal) { return (Value){e, 1, true, equal}; }

/* a and b over one divisor, which is given back. */
static int64_t align(Parser *p, Value *a, Value *b) {
  int64_t divisor;
  if (a->condition || b->condition) invalid(p, "a condition where a number is expected");
  if (a->divisor == b->divisor) return a->divisor;
  if (__builtin_mul_overflow(a->divisor, b->divisor, &divisor)) return unknown(p, "too large").divisor;
  a->e = product(p, a->e, constant(p, b->divisor));
  b->e = product(p, b->e, constant(p, a->divisor));
  return a->divisor = b->divisor = divisor;
}

static Value add(Parser *p, Value a, Value b) {
  int64_t divisor = align(p, &a, &b);
  return (Value){sum(p, a.e, b.e), divisor, false, false};
}

static Value subtract(Parser *p, Value a, Value b) {
  int64_t divisor = align(p, &a, &b);
  return (Value){difference(p, a.e, b.e), divisor, false, false};
}

static Value multiply(Parser *p, Value a, Value b) {
  Value result = {NULL, 1, false, false};
  if (a.condition || b.condition) return invalid(p, "a condition where a number is expected");
  if (__builtin_mul_overflow(a.divisor, b.divisor, &result.divisor)) return unknown(p, "too large");
  result.e = product(p, a.e, b.e);
  const TccExpr *exact = result.divisor == 1 ? NULL : tcc_expr_divide_exactly(p->pool, result.e, constant(p, result.divisor));
  return exact ? number(exact) : result;
}

/* A quotient that is not rounded. */
static Value divide(Parser *p, Value a, Value b) {
  int64_t by;
  align(p, &a, &b);
  if (p->status) return a;
  const TccExpr *exact = tcc_expr_divide_exactly(p->pool, a.e, b.e);
  if (exact) return number(checked(p, exact));
  if (!tcc_expr_is_const(b.e, &by)) return unknown(p, "a quotient by a size");
  if (by == 0 || by == INT64_MIN) return invalid(p, "a division by zero");
  if (by < 0) a.e = negative(p, a.e);
  return (Value){a.e, by < 0 ? -by : by, false, false};
}

/* floordiv, ceildiv or mod of a and b. */
static Value rounded(Parser *p, TccExprFunction f, Value a, Value b) {
  int64_t by, divisor = align(p, &a, &b);
  if (p->status) return a;
  if (tcc_expr_is_const(b.e, &by) && by == 0) return invalid(p, "a division by zero");
  Value result = number(call(p, f, a.e, b.e));
  if (f == TCC_EXPR_MOD) result.divisor = divisor; /* (a/d) mod (b/d) = (a mod b)/d */
  return result;
}

/* To an integer. */
static Value round_value(Parser *p, TccExprFunction f, Value a) {
  if (a.condition) return invalid(p, "a condition where a number is expected");
  return a.divisor == 1 ? a : number(call(p, f, a.e, constant(p, a.divisor)));
}

/* To the nearest integer, of two the even one: floor(a + 1/2), less 1 if that is odd and a lies between. */
static Value round_nearest(Parser *p, Value a) {
  if (a.condition) return invalid(p, "a condition where a number is expected");
  if (a.divisor == 1) return a;
  int64_t twice;
  if (__builtin_mul_overflow(a.divisor, 2, &twice)) return unknown(p, "too large");
  const TccExpr *moved = sum(p, product(p, a.e, constant(p, 2)), constant(p, a.divisor)), *by = constant(p, twice);
  const TccExpr *up = call(p, TCC_EXPR_FLOORDIV, moved, by), *one = constant(p, 1);
  if (a.divisor % 2) return number(up);
  const TccExpr *between = difference(p, one, call(p, TCC_EXPR_MIN, call(p, TCC_EXPR_MOD, moved, by), one));
  return number(difference(p, up, product(p, between, call(p, TCC_EXPR_MOD, up, constant(p, 2)))));
}

static Value extreme(Parser *p, TccExprFunction f, Value a, Value b) {
  int64_t divisor = align(p, &a, &b);
  return (Value){call(p, f, a.e, b.e), divisor, false, false};
}

static Value power(Parser *p, Value base, Value exponent) {
  int64_t n;
  if (exponent.condition || exponent.divisor != 1 || !tcc_expr_is_const(exponent.e, &n) || n < -MOST_POWER || n > MOST_POWER)
    return unknown(p, "a power that is no small constant");
  Value result = number(constant(p, 1));
  for (int64_t i = 0; i < (n < 0 ? -n : n) && !p->status; i++) result = multiply(p, result, base);
  return n < 0 ? divide(p, number(constant(p, 1)), result) : result;
}

/* a shifted by b bits. */
static Value shifted(Parser *p, bool left, Value a, Value b) {
  Value factor = power(p, number(constant(p, 2)), b);
  return left ? multiply(p, a, factor) : rounded(p, TCC_EXPR_FLOORDIV, a, factor);
}

/* ---- conditions ---- */

/* As an expression that must be >= 0. */
static const TccExpr *at_least_zero(Parser *p, Value v) {
  if (!v.condition) return invalid(p, "a number where a condition is expected").e;
  return v.equal ? call(p, TCC_EXPR_MIN, v.e, negative(p, v.e)) : v.e;
}

static Value negate(Parser *p, Value v) {
  if (!v.condition) return invalid(p, "a number where a condition is expected");
  const TccExpr *e = v.equal ? call(p, TCC_EXPR_MAX, v.e, negative(p, v.e)) : negative(p, v.e);
  return condition(difference(p, e, constant(p, 1)), false);
}

static Value both(Parser *p, Value a, Value b) {
  return condition(call(p, TCC_EXPR_MIN, at_least_zero(p, a), at_least_zero(p, b)), false);
}
static Value either(Parser *p, Value a, Value b) {
  return condition(call(p, TCC_EXPR_MAX, at_least_zero(p, a), at_least_zero(p, b)), false);
}

typedef enum { EQUAL, DIFFERENT, AT_LEAST, AT_MOST, MORE, LESS } Comparison;

static Value compare(Parser *p, Comparison how, Value a, Value b) {
  if (a.condition && b.condition && (how == EQUAL || how == DIFFERENT)) {
    Value same = either(p, both(p, a, b), both(p, negate(p, a), negate(p, b)));
    return how == EQUAL ? same : negate(p, same);
  }
  align(p, &a, &b);
  switch (how) {
  case EQUAL: return condition(difference(p, a.e, b.e), true);
  case DIFFERENT: return negate(p, condition(difference(p, a.e, b.e), true));
  case AT_LEAST: return condition(difference(p, a.e, b.e), false);
  case AT_MOST: return condition(difference(p, b.e, a.e), false);
  case MORE: return condition(difference(p, difference(p, a.e, b.e), constant(p, 1)), false);
  default: return condition(difference(p, difference(p, b.e, a.e), constant(p, 1)), false);
  }
}

/* ---- words ---- */
static void skip_spaces(Parser *p) {
  while (p->at < p->text.length && (p->text.data[p->at] == ' ' || p->text.data[p->at] == '\n')) p->at++;
}

static bool accept(Parser *p, const char *word) {
  size_t length = strlen(word);
  skip_spaces(p);
  if (p->status || p->text.length - p->at < length || memcmp(p->text.data + p->at, word, length) != 0) return false;
  p->at += length;
  return true;
}

static void expect(Parser *p, const char *word) {
  char what[32];
  if (accept(p, word) || p->status) return;
  snprintf(what, sizeof what, "'%s' expected", word);
  invalid(p, what);
}

static bool is_letter(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* A word of letters that is no beginning of a longer one. */
static bool accept_keyword(Parser *p, const char *word) {
  size_t before = p->at;
  if (!accept(p, word)) return false;
  char next = p->at < p->text.length ? p->text.data[p->at] : ' ';
  if (!is_letter(next) && !is_digit(next)) return true;
  p->at = before;
  return false;
}

/* An identifier, with what dots join to it; empty: there is none. */
static TccStr identifier(Parser *p) {
  skip_spaces(p);
  size_t first = p->at;
  while (!p->status && p->at < p->text.length) {
    char c = p->text.data[p->at];
    if (!is_letter(c) && (p->at == first || !(is_digit(c) || c == '.'))) break;
    p->at++;
  }
  return (TccStr){p->text.data + first, p->at - first};
}

static TccStr string(Parser *p) {
  skip_spaces(p);
  char quote = p->at < p->text.length ? p->text.data[p->at] : 0;
  size_t first = p->at + 1;
  if (quote != '\'' && quote != '"') return invalid(p, "a string expected"), (TccStr){0};
  for (p->at++; p->at < p->text.length && p->text.data[p->at] != quote; p->at++)
    if (p->text.data[p->at] == '\\') return unknown(p, "an escape in a string"), (TccStr){0};
  if (p->at == p->text.length) return invalid(p, "a quote is open"), (TccStr){0};
  return (TccStr){p->text.data + first, p->at++ - first};
}

static Value literal(Parser *p) {
  int64_t value = 0;
  while (p->at < p->text.length && is_digit(p->text.data[p->at])) {
    int digit = p->text.data[p->at] - '0';
    if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, digit, &value))
      return unknown(p, "the number is too large");
    p->at++;
  }
  if (p->at < p->text.length && (p->text.data[p->at] == '.' || is_letter(p->text.data[p->at])))
    return unknown(p, "a number that is no integer");
  return number(constant(p, value));
}

/* ---- the program's arguments ---- */

/* The name that torch's exporter gives the input at a path: its keys, joined (torch/_export/utils.py, placeholder_naming_pass). */
static void put_key(TccText *name, const char *key, size_t length) {
  if (name->length) tcc_text_put(name, "_", 1);
  for (size_t i = 0; i < length; i++) {
    char c = key[i];
    if (c >= 'A' && c <= 'Z') c = (char)(c - 'A' + 'a');
    if (!is_letter(c) && !is_digit(c)) c = '_';
    tcc_text_put(name, &c, 1);
  }
}

static const TccTorchInput *find_input(const TccTorchProgram *program, TccStr name) {
  for (size_t i = 0; program && i < program->ninputs; i++) {
    const TccTorchInput *input = &program->inputs[i];
    bool named = input->arg.kind == TCC_TORCH_TENSOR || input->arg.kind == TCC_TORCH_SYM_INT;
    if (input->kind == TCC_TORCH_INPUT_USER && named && tcc_str_equal(input->arg.text, name)) return input;
  }
  return NULL;
}

/* Two inputs of one name get numbers behind it: then a path does not say which. */
static bool ambiguous(const TccTorchProgram *program, TccStr name) {
  for (size_t i = 0; program && i < program->ninputs; i++) {
    const TccTorchInput *input = &program->inputs[i];
    if (input->kind != TCC_TORCH_INPUT_USER || input->arg.kind != TCC_TORCH_TENSOR) continue;
    TccStr other = input->arg.text;
    if (other.length < name.length + 2 || memcmp(other.data, name.data, name.length) != 0 || other.data[name.length] != '_')
      continue;
    bool digits = true;
    for (size_t k = name.length + 1; k < other.length; k++) digits = digits && is_digit(other.data[k]);
    if (digits) return true;
  }
  return false;
}

static Value size_value(Parser *p, const TccTorchSize *size) {
  const TccExpr *e = NULL;
  if (p->status) return number(constant(p, 0));
  p->status = tcc_torch_size_expr(p->pool, size, &e);
  return number(p->status ? constant(p, 0) : e);
}

/* Behind .size or .stride: ()[k]. */
static Value axis_number(Parser *p) {
  expect(p, "(");
  expect(p, ")");
  expect(p, "[");
  Value index = parse_or(p);
  expect(p, "]");
  return index;
}

/* Of an input how its elements lie in memory, or a tensor that it is a view of: .stride()[k], .storage_offset(), ._base and what stands behind that. */
static bool accept_memory(Parser *p) {
  const bool base = accept(p, "._base"), strides = accept(p, ".stride");
  if (strides || (base && accept(p, ".size"))) axis_number(p);
  else if (accept(p, ".storage_offset")) expect(p, "("), expect(p, ")");
  else return base;
  return true;
}

/* What the input is whose name is known, and what of it stands behind: .size()[k], or nothing for an integer. */
static Value input_value(Parser *p, TccStr name) {
  const TccTorchInput *input = find_input(p->program, name);
  const TccTorchValue *value = input ? tcc_torch_value(p->program->graph, input->arg.text) : NULL;
  int64_t axis;
  if (!value) return unknown(p, "an argument that is no tensor or integer of the program");
  if (value->kind == TCC_TORCH_VALUE_INT) return size_value(p, &value->size);
  if (value->kind != TCC_TORCH_VALUE_TENSOR) return unknown(p, "an argument that is no tensor or integer of the program");
  if (accept_memory(p)) {
    p->of_memory = true;
    return number(constant(p, 1));
  }
  if (!accept(p, ".size")) return unknown(p, "something of a tensor that is neither its size nor its place in memory");
  Value index = axis_number(p);
  if (p->status) return index;
  if (index.condition || index.divisor != 1 || !tcc_expr_is_const(index.e, &axis) || axis < 0 || (size_t)axis >= value->meta.rank)
    return invalid(p, "an axis that the tensor has not");
  return size_value(p, &value->meta.sizes[axis]);
}

/* Behind `L`: ['x'][0]... */
static Value argument(Parser *p) {
  TccText name = {0};
  int keys = 0;
  for (; !p->status && accept(p, "["); keys++) {
    skip_spaces(p);
    bool quoted = p->at < p->text.length && !is_digit(p->text.data[p->at]);
    size_t first = p->at;
    TccStr key = quoted ? string(p) : (literal(p), (TccStr){p->text.data + first, p->at - first});
    if (!p->status) put_key(&name, key.data, key.length);
    expect(p, "]");
  }
  Value result;
  if (p->status) result = number(constant(p, 0));
  else if (!name.length) result = invalid(p, "a name of an argument expected");
  else if (keys > 1 && ambiguous(p->program, tcc_text_str(&name))) result = unknown(p, "an argument whose name is not unique");
  else result = input_value(p, tcc_text_str(&name));
  tcc_text_destroy(&name);
  return result;
}

/* ---- functions ---- */
typedef enum {
  F_ADD,
  F_MUL,
  F_POW,
  F_QUOTIENT,
  F_FLOORDIV,
  F_CEILDIV,
  F_MOD,
  F_MAX,
  F_MIN,
  F_FLOOR,
  F_CEIL,
  F_TRUNC,
  F_ROUND,
  F_LEFT,
  F_RIGHT,
  F_SAME,
  F_ABS,
  F_INDEX,
  F_AND,
  F_OR,
  F_NOT,
  F_COMPARE
} Function;

static const struct {
  const char *name;
  Function function;
  size_t least, most; /* arguments */
  Comparison comparison;
} functions[] = {
    {"Add", F_ADD, 1, MOST_ARGS, 0},
    {"Mul", F_MUL, 1, MOST_ARGS, 0},
    {"Pow", F_POW, 2, 2, 0},
    {"PowByNatural", F_POW, 2, 2, 0},
    {"Integer", F_SAME, 1, 1, 0},
    {"Identity", F_SAME, 1, 1, 0},
    {"ToFloat", F_SAME, 1, 1, 0},
    {"torch.sym_float", F_SAME, 1, 1, 0},
    {"Rational", F_QUOTIENT, 2, 2, 0},
    {"IntTrueDiv", F_QUOTIENT, 2, 2, 0},
    {"FloatTrueDiv", F_QUOTIENT, 2, 2, 0},
    {"FloorDiv", F_FLOORDIV, 2, 2, 0},
    {"CleanDiv", F_FLOORDIV, 2, 2, 0},
    {"CeilDiv", F_CEILDIV, 2, 2, 0},
    {"Mod", F_MOD, 2, 2, 0},
    {"PythonMod", F_MOD, 2, 2, 0},
    {"ModularIndexing", F_INDEX, 3, 3, 0},
    {"Max", F_MAX, 1, MOST_ARGS, 0},
    {"max", F_MAX, 1, MOST_ARGS, 0},
    {"torch.sym_max", F_MAX, 2, 2, 0},
    {"Min", F_MIN, 1, MOST_ARGS, 0},
    {"min", F_MIN, 1, MOST_ARGS, 0},
    {"torch.sym_min", F_MIN, 2, 2, 0},
    {"floor", F_FLOOR, 1, 1, 0},
    {"math.floor", F_FLOOR, 1, 1, 0},
    {"FloorToInt", F_FLOOR, 1, 1, 0},
    {"ceiling", F_CEIL, 1, 1, 0},
    {"math.ceil", F_CEIL, 1, 1, 0},
    {"CeilToInt", F_CEIL, 1, 1, 0},
    {"TruncToInt", F_TRUNC, 1, 1, 0},
    {"math.trunc", F_TRUNC, 1, 1, 0},
    {"RoundToInt", F_ROUND, 1, 1, 0},
    {"LShift", F_LEFT, 2, 2, 0},
    {"RShift", F_RIGHT, 2, 2, 0},
    {"Abs", F_ABS, 1, 1, 0},
    {"abs", F_ABS, 1, 1, 0},
    {"And", F_AND, 1, MOST_ARGS, 0},
    {"Or", F_OR, 1, MOST_ARGS, 0},
    {"Not", F_NOT, 1, 1, 0},
    {"torch.sym_not", F_NOT, 1, 1, 0},
    {"Eq", F_COMPARE, 2, 2, EQUAL},
    {"Equality", F_COMPARE, 2, 2, EQUAL},
    {"Ne", F_COMPARE, 2, 2, DIFFERENT},
    {"Unequality", F_COMPARE, 2, 2, DIFFERENT},
    {"Ge", F_COMPARE, 2, 2, AT_LEAST},
    {"GreaterThan", F_COMPARE, 2, 2, AT_LEAST},
    {"Le", F_COMPARE, 2, 2, AT_MOST},
    {"LessThan", F_COMPARE, 2, 2, AT_MOST},
    {"Gt", F_COMPARE, 2, 2, MORE},
    {"StrictGreaterThan", F_COMPARE, 2, 2, MORE},
    {"Lt", F_COMPARE, 2, 2, LESS},
    {"StrictLessThan", F_COMPARE, 2, 2, LESS},
};

/* Of the arguments so far and the next; of the first alone for those that have one. */
static Value fold(Parser *p, Function f, Value a, Value b) {
  switch (f) {
  case F_ADD: return add(p, a, b);
  case F_MUL: return multiply(p, a, b);
  case F_MAX: return extreme(p, TCC_EXPR_MAX, a, b);
  case F_MIN: return extreme(p, TCC_EXPR_MIN, a, b);
  case F_AND: return both(p, a, b);
  default: return either(p, a, b);
  }
}

static Value apply(Parser *p, size_t row, const Value *args, size_t count) {
  Function f = functions[row].function;
  Value a = args[0];
  switch (f) {
  case F_SAME: return a;
  case F_POW: return power(p, a, args[1]);
  case F_QUOTIENT: return divide(p, a, args[1]);
  case F_FLOORDIV: return rounded(p, TCC_EXPR_FLOORDIV, a, args[1]);
  case F_CEILDIV: return rounded(p, TCC_EXPR_CEILDIV, a, args[1]);
  case F_MOD: return rounded(p, TCC_EXPR_MOD, a, args[1]);
  case F_INDEX: return rounded(p, TCC_EXPR_MOD, rounded(p, TCC_EXPR_FLOORDIV, a, args[1]), args[2]);
  case F_FLOOR: return round_value(p, TCC_EXPR_FLOORDIV, a);
  case F_CEIL: return round_value(p, TCC_EXPR_CEILDIV, a);
  case F_TRUNC:
    if (a.divisor != 1 && !tcc_expr_known_nonnegative(a.e))
      return unknown(p, "a quotient that may be negative, and is rounded to zero");
    return round_value(p, TCC_EXPR_FLOORDIV, a);
  case F_ROUND: return round_nearest(p, a);
  case F_LEFT: return shifted(p, true, a, args[1]);
  case F_RIGHT: return shifted(p, false, a, args[1]);
  case F_ABS: return extreme(p, TCC_EXPR_MAX, a, subtract(p, number(constant(p, 0)), a));
  case F_NOT: return negate(p, a);
  case F_COMPARE: return compare(p, functions[row].comparison, a, args[1]);
  default:
    for (size_t i = 1; i < count && !p->status; i++) a = fold(p, f, a, args[i]);
    return a;
  }
}

/* Behind `Symbol(`: its name, and what sympy takes for granted of it. */
static Value symbol(Parser *p) {
  TccStr name = string(p);
  while (accept(p, ",")) {
    identifier(p);
    expect(p, "=");
    if (!accept_keyword(p, "True") && !accept_keyword(p, "False")) return invalid(p, "True or False expected");
  }
  expect(p, ")");
  if (p->status) return number(constant(p, 0));
  if (!name.length || memchr(name.data, 0, name.length)) return invalid(p, "a symbol has no name");
  return number(tcc_expr_symbol(p->pool, name));
}

/* Behind `Float(`: a quotient by a power of two, as which a product with a size is what it is in doubles, and its precision. */
static Value binary_fraction(Parser *p) {
  TccStr digits = string(p);
  char text[32], *end = text;
  if (accept(p, ",")) {
    identifier(p);
    expect(p, "=");
    skip_spaces(p);
    literal(p);
  }
  expect(p, ")");
  if (p->status) return number(constant(p, 0));
  snprintf(text, sizeof text, "%.*s", (int)digits.length, digits.data);
  double value = strtod(text, &end);
  int64_t divisor = 1;
  if (!digits.length || digits.length >= sizeof text || *end) return invalid(p, "a number expected");
  while (value != floor(value) && divisor < MOST_FRACTION) value *= 2, divisor *= 2;
  if (value != floor(value) || fabs(value) > MOST_FRACTION) return unknown(p, "a number that is no short binary fraction");
  return (Value){constant(p, (int64_t)value), divisor, false, false};
}

static Value function(Parser *p, TccStr name) {
  Value args[MOST_ARGS];
  size_t count = 0, row = 0, rows = sizeof functions / sizeof *functions;
  if (tcc_str_is(name, "Symbol")) return symbol(p);
  if (tcc_str_is(name, "Float")) return binary_fraction(p);
  while (row < rows && !tcc_str_is(name, functions[row].name)) row++;
  if (row == rows) return unknown(p, "an unknown function");
  do {
    if (count == functions[row].most) return unknown(p, "too many arguments");
    args[count++] = parse_or(p);
  } while (!p->status && accept(p, ","));
  expect(p, ")");
  if (count < functions[row].least) return invalid(p, "too few arguments");
  return p->status ? args[0] : apply(p, row, args, count);
}

/* ---- the grammar, from the tightest operators to the loosest ---- */
static Value parse_atom(Parser *p) {
  skip_spaces(p);
  if (p->status || p->at == p->text.length) return invalid(p, "an operand is missing");
  if (is_digit(p->text.data[p->at])) return literal(p);
  if (accept(p, "(")) {
    Value inner = parse_or(p);
    expect(p, ")");
    return inner;
  }
  TccStr name = identifier(p);
  if (!name.length) return invalid(p, "unexpected character");
  if (tcc_str_is(name, "True") || tcc_str_is(name, "true")) return condition(constant(p, 0), false);
  if (tcc_str_is(name, "False") || tcc_str_is(name, "false")) return condition(constant(p, -1), false);
  if (accept(p, "(")) return function(p, name);
  if (tcc_str_is(name, "L") && accept(p, "[")) {
    p->at--;
    return argument(p);
  }
  if (memchr(name.data, '.', name.length)) return unknown(p, "something of an object");
  if (tcc_str_is(name, "oo") || tcc_str_is(name, "int_oo")) return unknown(p, "infinity");
  return number(tcc_expr_symbol(p->pool, name));
}

static Value parse_unary(Parser *p);

static Value parse_power(Parser *p) {
  if (++p->depth > MOST_DEPTH) return unknown(p, "nested too deeply");
  Value base = parse_atom(p);
  if (accept(p, "**")) base = power(p, base, parse_unary(p));
  p->depth--;
  return base;
}

static Value parse_unary(Parser *p) {
  bool minus = false;
  for (;;) {
    if (accept(p, "-")) minus = !minus;
    else if (!accept(p, "+")) break;
  }
  Value value = parse_power(p);
  return minus ? subtract(p, number(constant(p, 0)), value) : value;
}

static Value parse_product(Parser *p) {
  Value value = parse_unary(p);
  while (!p->status) {
    if (accept(p, "//")) value = rounded(p, TCC_EXPR_FLOORDIV, value, parse_unary(p));
    else if (accept(p, "/")) value = divide(p, value, parse_unary(p));
    else if (accept(p, "%")) value = rounded(p, TCC_EXPR_MOD, value, parse_unary(p));
    else if (accept(p, "*")) value = multiply(p, value, parse_unary(p));
    else break;
  }
  return value;
}

static Value parse_sum(Parser *p) {
  Value value = parse_product(p);
  while (!p->status) {
    if (accept(p, "+")) value = add(p, value, parse_product(p));
    else if (accept(p, "-")) value = subtract(p, value, parse_product(p));
    else break;
  }
  return value;
}

/* a < b <= c is a < b and b <= c. */
static Value parse_comparison(Parser *p) {
  static const char *const signs[] = {"==", "!=", ">=", "<=", ">", "<"};
  Value left = parse_sum(p), result = left;
  for (int links = 0; !p->status; links++) {
    int how = 0;
    while (how < 6 && !accept(p, signs[how])) how++;
    if (how == 6) break;
    Value right = parse_sum(p), link = compare(p, (Comparison)how, left, right);
    result = links ? both(p, result, link) : link;
    left = right;
  }
  return result;
}

static Value parse_not(Parser *p) {
  bool inverted = false;
  while (accept_keyword(p, "not") || accept(p, "~")) inverted = !inverted;
  Value value = parse_comparison(p);
  return inverted ? negate(p, value) : value;
}

static Value parse_and(Parser *p) {
  Value value = parse_not(p);
  while (!p->status && (accept_keyword(p, "and") || accept(p, "&"))) value = both(p, value, parse_not(p));
  return value;
}

static Value parse_or(Parser *p) {
  Value value = parse_and(p);
  while (!p->status && (accept_keyword(p, "or") || accept(p, "|"))) value = either(p, value, parse_and(p));
  return value;
}

/* What says something of the memory of the exported program's inputs holds for a compiled program: it reads its arguments by their own strides. */
static TccStatus *parse(TccExprPool *pool, const TccTorchProgram *program, TccStr text, bool wants_condition, Value *out) {
  Parser parser = {.pool = pool, .program = program, .text = text}, *p = &parser;
  if (text.length > MOST_INPUT) {
    unknown(p, "the text is too long");
    return p->status;
  }
  *out = parse_or(p);
  skip_spaces(p);
  if (!p->status && p->at < text.length) invalid(p, "unexpected text");
  if (!p->status && out->condition != wants_condition)
    invalid(p, wants_condition ? "a number where a condition is expected" : "a condition where a number is expected");
  if (!p->status && p->of_memory) *out = condition(constant(p, 0), true);
  if (!p->status && !wants_condition) *out = round_value(p, TCC_EXPR_FLOORDIV, *out); /* an integer: nothing is lost */
  return p->status;
}

TccStatus *tcc_torch_expr(TccExprPool *pool, TccStr text, const TccExpr **out) {
  Value value;
  *out = NULL;
  TCC_TRY(parse(pool, NULL, text, false, &value));
  *out = value.e;
  return NULL;
}

TccStatus *tcc_torch_size_expr(TccExprPool *pool, const TccTorchSize *size, const TccExpr **out) {
  *out = NULL;
  if (size->text.length) return tcc_torch_expr(pool, size->text, out);
  if (size->value == INT64_MIN) return TCC_ERROR(TCC_INVALID, "a size is neither a number nor an expression");
  *out = tcc_expr_const(pool, size->value);
  return NULL;
}

TccStatus *tcc_torch_condition(TccExprPool *pool, const TccTorchProgram *program, TccStr text, TccTorchConstraint *out) {
  Value value;
  *out = (TccTorchConstraint){0};
  TCC_TRY(parse(pool, program, text, true, &value));
  *out = (TccTorchConstraint){value.e, value.equal, text};
  return NULL;
}

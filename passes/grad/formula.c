/* formula.c - the formulas of grads.def, built as ops while they are read.
 *
 *   formulas = group {group}        group   = ["[" attribute "=" word "]"] one {";" one}        one = operand ":" sum
 *   sum      = product {("+"|"-") product}   product = factor {("*"|"/") factor}
 *   factor   = "-" factor | "(" sum ")" | number | name | function "(" sum {"," sum} ")"
 *
 * A number alone is kept as one until it meets a value, whose element type it takes. What is computed twice is one op after
 * tcc-simplify. A text that cannot be read is a fault of the table: gradcheck reads all of them. */
#include "passes/grad/grad.h"
#include <stdlib.h>

typedef struct {
  MlirValue value; /* null: the number */
  double number;
} Term;

typedef struct {
  GradOp *a;
  const char *at;
  MlirValue g;
  TccElem elem;
  bool failed;
} Reader;

static void skip(Reader *r) {
  while (*r->at == ' ') r->at++;
}

static bool take(Reader *r, char c) {
  skip(r);
  if (*r->at != c) return false;
  r->at++;
  return true;
}

static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

static TccStr word(Reader *r) {
  skip(r);
  TccStr text = {r->at, 0};
  while (is_letter(text.data[text.length])) text.length++;
  r->at += text.length;
  return text;
}

static Term fault(Reader *r, const char *what) {
  if (!r->failed) grad_fail(r->a, "grads.def: %s at '%s'", what, r->at);
  r->failed = true;
  return (Term){{NULL}, 0};
}

static MlirValue as_value(Reader *r, Term t) { return t.value.ptr ? t.value : tcc_build_scalar(r->a->b, r->elem, t.number); }

static Term of(Reader *r, MlirValue value) {
  if (!value.ptr) r->failed = true;
  return (Term){value, 0};
}

static Term combine(Reader *r, char operation, Term a, Term b) {
  TccOpKind kind = operation == '+' ? TCC_OP_ADD : operation == '-' ? TCC_OP_SUB : operation == '*' ? TCC_OP_MUL : TCC_OP_DIV;
  if (r->failed || (!a.value.ptr && !b.value.ptr)) return r->failed ? a : fault(r, "two numbers");
  return of(r, tcc_build2(r->a->b, kind, as_value(r, a), as_value(r, b)));
}

static Term sum(Reader *r);

/* An operand as it is computed with: floats and integers in the computing type, bool as it is. */
static MlirValue operand_in(Reader *r, int i) {
  MlirValue value = grad_operand(r->a, i);
  return tcc_value_elem(value) == TCC_ELEM_BOOL ? value : tcc_build_convert(r->a->b, value, r->elem);
}

static Term name(Reader *r, TccStr text) {
  const TccOpRow *row = tcc_op_row(r->a->kind);
  double number;
  if (tcc_str_is(text, "g")) return of(r, tcc_build_convert(r->a->b, r->g, r->elem));
  for (size_t i = 0; i < row->noperands; i++)
    if (tcc_str_equal(text, row->operands[i].name)) return of(r, operand_in(r, (int)i));
  if (tcc_str_is(text, "r")) return of(r, tcc_build_convert(r->a->b, grad_result(r->a), r->elem));
  char attribute[32];
  snprintf(attribute, sizeof attribute, "%.*s", TCC_STR_ARG(text));
  if (tcc_get_f64(r->a->ir, r->a->op, attribute, &number)) return (Term){{NULL}, number};
  return fault(r, "no operand or attribute of this name in front of");
}

static Term call(Reader *r, TccStr text) {
  static const char *const predicates[] = {"lt", "le", "gt", "ge", "eq", "ne"};
  MlirValue in[3];
  int n = 0;
  do {
    Term t = sum(r);
    if (r->failed || n == 3) return fault(r, "too many operands");
    in[n++] = as_value(r, t);
  } while (take(r, ','));
  if (!take(r, ')')) return fault(r, "no ')'");
  for (int i = 0; i < 6 && n == 2; i++)
    if (tcc_str_is(text, predicates[i])) return of(r, tcc_build_compare(r->a->b, predicates[i], in[0], in[1]));
  for (int kind = 1; kind < TCC_OP_COUNT; kind++) {
    const TccOpRow *row = tcc_op_row(kind);
    if (row->noperands == (size_t)n && tcc_str_is(text, row->name + sizeof "tcc." - 1))
      return of(r, tcc_build_value(r->a->b, kind, in, (size_t)n, NULL, 0, NULL));
  }
  return fault(r, "no such function in front of");
}

static Term factor(Reader *r) {
  skip(r);
  if (r->failed) return (Term){{NULL}, 0};
  if (take(r, '-')) {
    Term t = factor(r);
    if (!t.value.ptr) return (Term){{NULL}, -t.number};
    return of(r, tcc_build1(r->a->b, TCC_OP_NEG, t.value));
  }
  if (take(r, '(')) {
    Term t = sum(r);
    return take(r, ')') ? t : fault(r, "no ')'");
  }
  if (*r->at >= '0' && *r->at <= '9') {
    char *end;
    Term t = {{NULL}, strtod(r->at, &end)};
    r->at = end;
    return t;
  }
  TccStr text = word(r);
  if (!text.length) return fault(r, "nothing to compute with");
  return take(r, '(') ? call(r, text) : name(r, text);
}

static Term product(Reader *r) {
  Term t = factor(r);
  for (skip(r); !r->failed && (*r->at == '*' || *r->at == '/'); skip(r)) {
    char operation = *r->at++;
    t = combine(r, operation, t, factor(r));
  }
  return t;
}

static Term sum(Reader *r) {
  Term t = product(r);
  for (skip(r); !r->failed && (*r->at == '+' || *r->at == '-'); skip(r)) {
    char operation = *r->at++;
    t = combine(r, operation, t, product(r));
  }
  return t;
}

/* Reads "[attribute = word]"; whether the op has it. */
static bool condition(Reader *r) {
  TccStr attribute = word(r), have;
  char text[32];
  snprintf(text, sizeof text, "%.*s", TCC_STR_ARG(attribute));
  take(r, '=');
  TccStr want = word(r);
  take(r, ']');
  return tcc_get_str(r->a->ir, r->a->op, text, &have) && tcc_str_equal(have, want);
}

MlirValue grad_formula(GradOp *a, const char *text, int i, MlirValue g, bool *out_failed) {
  TccStr wanted = tcc_op_row(a->kind)->operands[i].name;
  Reader r = {.a = a, .at = text, .g = g, .elem = grad_compute(tcc_value_elem(g))};
  bool holds = true;
  for (skip(&r); *r.at; skip(&r)) {
    if (take(&r, '[')) holds = condition(&r);
    TccStr target = word(&r);
    if (!take(&r, ':')) break;
    if (holds && tcc_str_equal(target, wanted)) {
      Term t = sum(&r);
      MlirValue value = r.failed ? (MlirValue){NULL} : as_value(&r, t);
      *out_failed = !value.ptr;
      return value;
    }
    while (*r.at && *r.at != ';') r.at++;
    take(&r, ';');
  }
  *out_failed = false;
  return (MlirValue){NULL};
}

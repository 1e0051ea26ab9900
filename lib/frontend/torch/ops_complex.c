/* ops_complex.c - elementary functions of complex numbers, as formulas of their parts.
 *
 * With z = a + b i: e^z = e^a (cos b + i sin b); the others are made of real functions of a and b in forms that keep their digits near zeros and do not
 * leave the range where the result does not (Kahan 1987, Branch Cuts for Complex Elementary Functions). */
#include "lib/frontend/torch/import_complex.h"
#include "lib/frontend/torch/ops_build.h"
#include "tcc/op_kinds.h"
#include <math.h>

static MlirValue f1(ImportCall *c, TccOpKind kind, MlirValue x) { return tcc_build1(&c->b, kind, x); }
static MlirValue magnitude(ImportCall *c, MlirValue x) { return f1(c, TCC_OP_ABS, x); }
static TorchComplex times(ImportCall *c, TorchComplex x, double factor) {
  return (TorchComplex){torch_times(c, x.real, factor), torch_times(c, x.imaginary, factor)};
}
static TorchComplex turned(ImportCall *c, TorchComplex x) { return (TorchComplex){torch_neg(c, x.imaginary), x.real}; } /* i x */

/* ---- of both parts; the imaginary one is there ---- */
static TorchComplex exponential(ImportCall *c, TorchComplex x) {
  MlirValue size = f1(c, TCC_OP_EXP, x.real), sine = torch_mul(c, size, f1(c, TCC_OP_SIN, x.imaginary));
  MlirValue real = torch_is(c, "eq", x.imaginary, 0); /* then infinite sizes have no direction to be 0 of */
  return (TorchComplex){torch_if(c, real, size, torch_mul(c, size, f1(c, TCC_OP_COS, x.imaginary))),
                        torch_if(c, real, x.imaginary, sine)};
}

/* e^z - 1 */
static TorchComplex exponential_less(ImportCall *c, TorchComplex x) {
  MlirValue half = f1(c, TCC_OP_SIN, torch_times(c, x.imaginary, 0.5));
  MlirValue real = torch_mul(c, f1(c, TCC_OP_EXPM1, x.real), f1(c, TCC_OP_COS, x.imaginary));
  return (TorchComplex){torch_sub(c, real, torch_times(c, torch_mul(c, half, half), 2)),
                        torch_mul(c, f1(c, TCC_OP_EXP, x.real), f1(c, TCC_OP_SIN, x.imaginary))};
}

/* log |z| + i angle; near |z| = 1 by log1p(|z|^2 - 1) / 2, whose square does not lose what differs. */
static TorchComplex logarithm(ImportCall *c, TorchComplex x) {
  MlirValue a = magnitude(c, x.real), b = magnitude(c, x.imaginary);
  MlirValue most = tcc_build2(&c->b, TCC_OP_MAX, a, b), least = tcc_build2(&c->b, TCC_OP_MIN, a, b);
  MlirValue rest = torch_add(c, torch_mul(c, torch_plus(c, most, -1), torch_plus(c, most, 1)), torch_mul(c, least, least));
  MlirValue near = torch_both(c, torch_is(c, "gt", most, 0.5), torch_is(c, "lt", most, 2));
  MlirValue size =
      torch_if(c, near, torch_times(c, f1(c, TCC_OP_LOG1P, rest), 0.5), f1(c, TCC_OP_LOG, torch_complex_magnitude(c, x)));
  return (TorchComplex){size, tcc_build2(&c->b, TCC_OP_ATAN2, x.imaginary, x.real)};
}

static TorchComplex logarithm_more(ImportCall *c, TorchComplex x) { /* log(1 + z) */
  MlirValue square = torch_add(c, torch_mul(c, x.real, torch_plus(c, x.real, 2)), torch_mul(c, x.imaginary, x.imaginary));
  MlirValue near = torch_is(c, "lt", magnitude(c, square), 3);
  TorchComplex far = logarithm(c, (TorchComplex){torch_plus(c, x.real, 1), x.imaginary});
  return (TorchComplex){torch_if(c, near, torch_times(c, f1(c, TCC_OP_LOG1P, square), 0.5), far.real), far.imaginary};
}

static TorchComplex logarithm_2(ImportCall *c, TorchComplex x) { return times(c, logarithm(c, x), 1.4426950408889634); }
static TorchComplex logarithm_10(ImportCall *c, TorchComplex x) { return times(c, logarithm(c, x), 0.4342944819032518); }
static TorchComplex exponential_2(ImportCall *c, TorchComplex x) { return exponential(c, times(c, x, 0.6931471805599453)); }

/* s = sqrt((|z| + |a|) / 2) is the larger part, b / (2 s) the other. */
static TorchComplex root(ImportCall *c, TorchComplex x) {
  MlirValue halves = torch_add(c, torch_times(c, torch_complex_magnitude(c, x), 0.5), torch_times(c, magnitude(c, x.real), 0.5));
  MlirValue s = f1(c, TCC_OP_SQRT, halves), none = torch_is(c, "eq", s, 0), t = torch_div(c, torch_times(c, x.imaginary, 0.5), s);
  t = torch_if(c, none, x.imaginary, t);
  MlirValue right = torch_is(c, "ge", x.real, 0), below = torch_is(c, "lt", x.imaginary, 0);
  return (TorchComplex){torch_if(c, right, s, magnitude(c, t)), torch_if(c, right, t, torch_if(c, below, torch_neg(c, s), s))};
}

/* 1 / z, scaled by the greater part. */
static TorchComplex inverse(ImportCall *c, TorchComplex x) {
  return torch_complex_quotient(c, (TorchComplex){torch_constant(c, tcc_value_elem(x.real), 1), {NULL}}, x);
}
static TorchComplex inverse_root(ImportCall *c, TorchComplex x) { return inverse(c, root(c, x)); }
static TorchComplex square(ImportCall *c, TorchComplex x) { return torch_complex_product(c, x, x); }

static TorchComplex hyperbolic_sine(ImportCall *c, TorchComplex x) {
  return (TorchComplex){torch_mul(c, f1(c, TCC_OP_SINH, x.real), f1(c, TCC_OP_COS, x.imaginary)),
                        torch_mul(c, f1(c, TCC_OP_COSH, x.real), f1(c, TCC_OP_SIN, x.imaginary))};
}
static TorchComplex hyperbolic_cosine(ImportCall *c, TorchComplex x) {
  return (TorchComplex){torch_mul(c, f1(c, TCC_OP_COSH, x.real), f1(c, TCC_OP_COS, x.imaginary)),
                        torch_mul(c, f1(c, TCC_OP_SINH, x.real), f1(c, TCC_OP_SIN, x.imaginary))};
}
/* (t (1 + u^2) + i u / cosh^2 a) / (1 + t^2 u^2), t = tanh a, u = tan b */
static TorchComplex hyperbolic_tangent(ImportCall *c, TorchComplex x) {
  MlirValue t = f1(c, TCC_OP_TANH, x.real), u = f1(c, TCC_OP_TAN, x.imaginary), uu = torch_mul(c, u, u),
            cosh = f1(c, TCC_OP_COSH, x.real);
  MlirValue below = torch_plus(c, torch_mul(c, torch_mul(c, t, t), uu), 1);
  return (TorchComplex){torch_div(c, torch_mul(c, t, torch_plus(c, uu, 1)), below),
                        torch_div(c, torch_div(c, torch_div(c, u, cosh), cosh), below)};
}
/* sin z = -i sinh(i z), cos z = cosh(i z), tan z = -i tanh(i z) */
static TorchComplex back(ImportCall *c, TorchComplex x) { return (TorchComplex){x.imaginary, torch_neg(c, x.real)}; }
static TorchComplex sine(ImportCall *c, TorchComplex x) { return back(c, hyperbolic_sine(c, turned(c, x))); }
static TorchComplex cosine(ImportCall *c, TorchComplex x) { return hyperbolic_cosine(c, turned(c, x)); }
static TorchComplex tangent(ImportCall *c, TorchComplex x) { return back(c, hyperbolic_tangent(c, turned(c, x))); }

/* 1 / (1 + e^-z) = (1 + tanh(z / 2)) / 2; left of -1 e^z / (1 + e^z), which is small there. */
static TorchComplex logistic(ImportCall *c, TorchComplex x) {
  TorchComplex middle = times(c, hyperbolic_tangent(c, times(c, x, 0.5)), 0.5), e = exponential(c, x);
  TorchComplex small = torch_complex_quotient(c, e, (TorchComplex){torch_plus(c, e.real, 1), e.imaginary});
  MlirValue left = torch_is(c, "lt", x.real, -1);
  return (TorchComplex){torch_if(c, left, small.real, torch_plus(c, middle.real, 0.5)),
                        torch_if(c, left, small.imaginary, middle.imaginary)};
}
static TorchComplex swish(ImportCall *c, TorchComplex x) { return torch_complex_product(c, x, logistic(c, x)); }

typedef TorchComplex Formula(ImportCall *c, TorchComplex x);
static const struct {
  const char *name;
  Formula *formula;
} functions[] = {{"exp", exponential},
                 {"exp2", exponential_2},
                 {"expm1", exponential_less},
                 {"log", logarithm},
                 {"log2", logarithm_2},
                 {"log10", logarithm_10},
                 {"log1p", logarithm_more},
                 {"sqrt", root},
                 {"rsqrt", inverse_root},
                 {"reciprocal", inverse},
                 {"square", square},
                 {"sin", sine},
                 {"cos", cosine},
                 {"tan", tangent},
                 {"sinh", hyperbolic_sine},
                 {"cosh", hyperbolic_cosine},
                 {"tanh", hyperbolic_tangent},
                 {"sigmoid", logistic},
                 {"silu", swish}};

/* "aten.exp.default" */
static Formula *find(TccStr op) {
  static const char prefix[] = "aten.", suffix[] = ".default";
  const size_t around = sizeof prefix + sizeof suffix - 2;
  for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
    const size_t length = strlen(functions[i].name);
    if (op.length == length + around && memcmp(op.data + sizeof prefix - 1, functions[i].name, length) == 0 &&
        memcmp(op.data + op.length - (sizeof suffix - 1), suffix, sizeof suffix - 1) == 0)
      return functions[i].formula;
  }
  return NULL;
}

bool torch_complex_has_function(TccStr op) { return find(op) != NULL; }

static bool operand(ImportCall *c, const char *name, TorchComplex *out) {
  return torch_complex_operand(c, name, torch_complex_elem(c, 0), out) && (torch_complex_fill(c, out), out->imaginary.ptr);
}

bool torch_complex_function(ImportCall *c) {
  TorchComplex x;
  return operand(c, "self", &x) && torch_complex_output(c, 0, find(c->op)(c, x));
}

/* ---- powers ---- */
/* z^w = e^(w log z); 0^w is 0, and 1 where w is. */
static TorchComplex power(ImportCall *c, TorchComplex z, TorchComplex w) {
  TorchComplex r = exponential(c, torch_complex_product(c, w, logarithm(c, z)));
  MlirValue none = torch_both(c, torch_is(c, "eq", z.real, 0), torch_is(c, "eq", z.imaginary, 0));
  MlirValue flat = torch_both(c, torch_is(c, "eq", w.real, 0), torch_is(c, "eq", w.imaginary, 0));
  MlirValue at_none = torch_convert(c, flat, tcc_value_elem(z.real));
  return (TorchComplex){torch_if(c, none, at_none, r.real), torch_if_number(c, f1(c, TCC_OP_NOT, none), r.imaginary, 0)};
}

/* Of exponents that are small whole numbers by products, of halves by roots. */
bool torch_complex_power(ImportCall *c) {
  const TccTorchArg *given = torch_argument(c, "exponent");
  TorchComplex z, w;
  if (!operand(c, "self", &z)) return false;
  if (given && (given->kind == TCC_TORCH_INT || given->kind == TCC_TORCH_FLOAT)) {
    const double n = given->kind == TCC_TORCH_INT ? (double)given->integer : given->number;
    if (n == 0.5) return torch_complex_output(c, 0, root(c, z));
    if (n == 1) return torch_complex_output(c, 0, z);
    if (n == 2 || n == 3) return torch_complex_output(c, 0, n == 2 ? square(c, z) : torch_complex_product(c, square(c, z), z));
    if (n == -1 || n == -2) return torch_complex_output(c, 0, inverse(c, n == -1 ? z : square(c, z)));
  }
  return operand(c, "exponent", &w) && torch_complex_output(c, 0, power(c, z, w));
}

/* ---- gradients of what a layer calls ---- */
/* g conj(y') of y = tanh z, y' = 1 - y^2, and of the logistic function, y' = y (1 - y) */
bool torch_complex_slope(ImportCall *c) {
  TorchComplex g, y;
  if (!operand(c, "grad_output", &g) || !operand(c, "output", &y)) return false;
  TorchComplex s = square(c, y);
  const bool tanh = tcc_str_is(c->op, "aten.tanh_backward.default");
  TorchComplex slope = {tanh ? torch_from(c, 1, s.real) : torch_sub(c, y.real, s.real),
                        tanh ? s.imaginary : torch_sub(c, s.imaginary, y.imaginary)};
  return torch_complex_output(c, 0,
                              torch_complex_product(c, g, slope)); /* the conjugate: the sign of its imaginary part is turned */
}

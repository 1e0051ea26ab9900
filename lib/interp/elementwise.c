/* elementwise.c - scalar definitions of the elementwise ops, one switch each for doubles and for integers, and the loop
 * that broadcasts up to three operands as NumPy does. */
#include "lib/interp/internal.h"
#include "tcc/op_kinds.h"
#include "tcc/random.h"
#include <math.h>

/* Walks the result row by row: offsets of the operands at the row's start, their steps along the last axis. */
typedef struct {
  int n;
  int rank;
  int64_t dims[TCC_MAX_RANK], index[TCC_MAX_RANK], strides[3][TCC_MAX_RANK], offset[3], step[3];
  int64_t row, length, rows;
} Rows;

static TccStatus *rows_start(TccEval *e, int n, Rows *rows) {
  const TccArray *out = e->out[0];
  *rows = (Rows){.n = n, .rank = out->rank};
  memcpy(rows->dims, out->dims, sizeof out->dims);
  for (int k = 0; k < n; k++) {
    if (!e->in[k]) continue;
    if (!tcc_broadcast_strides(e->in[k], out->rank, out->dims, rows->strides[k]))
      return TCC_ERROR(TCC_INVALID, "operand %d does not broadcast to the result", k);
    rows->step[k] = out->rank ? rows->strides[k][out->rank - 1] : 0;
  }
  rows->length = out->rank ? out->dims[out->rank - 1] : 1;
  rows->rows = rows->length ? out->count / rows->length : 0;
  return NULL;
}

/* Sets offset[] for the next row; false after the last. */
static bool rows_next(Rows *rows) {
  if (rows->row == rows->rows) return false;
  int outer = rows->rank ? rows->rank - 1 : 0;
  if (rows->row++) tcc_next_index(outer, rows->dims, rows->index);
  for (int k = 0; k < rows->n; k++) {
    rows->offset[k] = 0;
    for (int i = 0; i < outer; i++) rows->offset[k] += rows->index[i] * rows->strides[k][i];
  }
  return true;
}

/* ---- one operand ---- */
static double unary_double(TccOpKind kind, double x) {
  switch (kind) {
  case TCC_OP_NEG: return -x;
  case TCC_OP_ABS: return fabs(x);
  case TCC_OP_SIGN: return isnan(x) ? x : (double)((x > 0) - (x < 0));
  case TCC_OP_FLOOR: return floor(x);
  case TCC_OP_CEIL: return ceil(x);
  case TCC_OP_ROUND: return nearbyint(x);
  case TCC_OP_TRUNC: return trunc(x);
  case TCC_OP_SQRT: return sqrt(x);
  case TCC_OP_RSQRT: return 1 / sqrt(x);
  case TCC_OP_RECIPROCAL: return 1 / x;
  case TCC_OP_EXP: return exp(x);
  case TCC_OP_EXPM1: return expm1(x);
  case TCC_OP_LOG: return log(x);
  case TCC_OP_LOG1P: return log1p(x);
  case TCC_OP_SIN: return sin(x);
  case TCC_OP_COS: return cos(x);
  case TCC_OP_TAN: return tan(x);
  case TCC_OP_ASIN: return asin(x);
  case TCC_OP_ACOS: return acos(x);
  case TCC_OP_ATAN: return atan(x);
  case TCC_OP_SINH: return sinh(x);
  case TCC_OP_COSH: return cosh(x);
  case TCC_OP_TANH: return tanh(x);
  case TCC_OP_ASINH: return asinh(x);
  case TCC_OP_ACOSH: return acosh(x);
  case TCC_OP_ATANH: return atanh(x);
  case TCC_OP_ERF: return erf(x);
  default: return NAN;
  }
}

static int64_t unary_integer(TccOpKind kind, TccElem elem, int64_t x) {
  bool is_unsigned = tcc_elem_is_unsigned(elem);
  uint64_t u = (uint64_t)x;
  switch (kind) {
  case TCC_OP_NEG: return (int64_t)-u;
  case TCC_OP_ABS: return !is_unsigned && x < 0 ? (int64_t)-u : x;
  case TCC_OP_SIGN: return is_unsigned ? x != 0 : (x > 0) - (x < 0);
  case TCC_OP_NOT: return elem == TCC_ELEM_BOOL ? !x : ~x;
  default: return x; /* floor and the like of an integer */
  }
}

TccStatus *tcc_eval_unary(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  bool negative = true, positive = true;
  if (e->kind == TCC_OP_IS_INF) {
    negative = tcc_bool(e->ir, e->op, "negative");
    positive = tcc_bool(e->ir, e->op, "positive");
  }
  for (int64_t i = 0; i < r->count; i++) {
    double value = x->is_float ? x->at[i].f : 0;
    if (e->kind == TCC_OP_IS_NAN) r->at[i].i = isnan(value);
    else if (e->kind == TCC_OP_IS_INF) r->at[i].i = isinf(value) && (value > 0 ? positive : negative);
    else if (x->is_float) r->at[i].f = unary_double(e->kind, e->kind == TCC_OP_ROUND ? value + e->shift * fabs(value) : value);
    else r->at[i].i = tcc_wrap(x->elem, unary_integer(e->kind, x->elem, x->at[i].i));
  }
  return NULL;
}

/* ---- conversions ---- */

/* A float8 without saturation; false: elem is none that has a fraction. */
static bool round_unsaturated(TccElem elem, double value, double *out) {
  TccSmallFloat format;
  if (tcc_elem_bits(elem) != 8 || !tcc_elem_small_float(elem, &format)) return false;
  *out = tcc_small_float_load(format, tcc_small_float_store(format, value, false));
  return true;
}

static int64_t double_to_integer(TccElem elem, double value) {
  if (elem == TCC_ELEM_BOOL) return value != 0;
  if (isnan(value)) return tcc_wrap(elem, INT64_MIN);
  if (elem == TCC_ELEM_U64 && value >= 0x1p63) return value < 0x1p64 ? (int64_t)(uint64_t)value : -1;
  if (value >= 0x1p63 || value < -0x1p63) return tcc_wrap(elem, INT64_MIN);
  return tcc_wrap(elem, (int64_t)value);
}

/* As the element in memory; an infinity stays one, which a store of 8 bits would saturate. */
static double rounded(TccElem elem, double value) { return isinf(value) ? value : tcc_round_to(elem, value); }

TccStatus *tcc_eval_convert(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  if (!r->is_float) {
    for (int64_t i = 0; i < r->count; i++)
      r->at[i].i = x->is_float ? double_to_integer(r->elem, rounded(x->elem, x->at[i].f)) : tcc_wrap(r->elem, x->at[i].i);
    return NULL;
  }
  bool saturate = tcc_bool(e->ir, e->op, "saturate");
  /* f32 -> f64 and f16 -> f32 keep what the double holds. */
  bool widening = x->is_float && (x->elem == r->elem || tcc_elem_bits(r->elem) > tcc_elem_bits(x->elem));
  for (int64_t i = 0; i < r->count; i++) {
    double value = tcc_cell_double(x, i);
    if (widening) r->at[i].f = value;
    else if (saturate || !round_unsaturated(r->elem, value, &r->at[i].f)) r->at[i].f = tcc_round_to(r->elem, value);
  }
  return NULL;
}

TccStatus *tcc_eval_bitcast(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  size_t bytes = tcc_elem_bytes(x->elem, (size_t)x->count);
  if (x->count != r->count || bytes != tcc_elem_bytes(r->elem, (size_t)r->count))
    return TCC_ERROR(TCC_INVALID, "operand and result differ in width");
  void *packed = tcc_interp_scratch(e, bytes);
  if (!packed) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  tcc_cells_pack(x->elem, x->at, x->count, packed);
  tcc_cells_unpack(r->elem, packed, r->count, r->at);
  return NULL;
}

/* ---- two operands ---- */
static double floor_mod(double a, double b) {
  double r = fmod(a, b);
  if (r != 0) return (r < 0) != (b < 0) ? r + b : r;
  return copysign(0, b);
}

static double binary_double(TccOpKind kind, double a, double b) {
  switch (kind) {
  case TCC_OP_ADD: return a + b;
  case TCC_OP_SUB: return a - b;
  case TCC_OP_MUL: return a * b;
  case TCC_OP_DIV: return a / b;
  case TCC_OP_POW: return pow(a, b);
  case TCC_OP_MOD: return floor_mod(a, b);
  case TCC_OP_FMOD: return fmod(a, b);
  case TCC_OP_MIN: return isnan(a) || isnan(b) ? NAN : a < b ? a : b;
  case TCC_OP_MAX: return isnan(a) || isnan(b) ? NAN : a > b ? a : b;
  case TCC_OP_ATAN2: return atan2(a, b);
  default: return NAN;
  }
}

static int64_t integer_power(TccElem elem, int64_t a, int64_t b) {
  if (tcc_elem_is_signed(elem) && b < 0) return a == 1 ? 1 : a == -1 ? (b & 1 ? -1 : 1) : 0;
  uint64_t result = 1, base = (uint64_t)a;
  for (uint64_t n = (uint64_t)b; n; n >>= 1, base *= base)
    if (n & 1) result *= base;
  return (int64_t)result;
}

static int64_t binary_integer(TccOpKind kind, TccElem elem, int64_t a, int64_t b) {
  bool is_unsigned = elem == TCC_ELEM_U64; /* narrower unsigned values are non-negative as int64 */
  unsigned bits = tcc_elem_bits(elem);
  uint64_t ua = (uint64_t)a, ub = (uint64_t)b;
  switch (kind) {
  case TCC_OP_ADD: return (int64_t)(ua + ub);
  case TCC_OP_SUB: return (int64_t)(ua - ub);
  case TCC_OP_MUL: return (int64_t)(ua * ub);
  case TCC_OP_DIV:
    if (b == 0) return 0;
    if (is_unsigned) return (int64_t)(ua / ub);
    return b == -1 ? (int64_t)-ua : a / b;
  case TCC_OP_MOD:
  case TCC_OP_FMOD: {
    if (b == 0 || (b == -1 && !is_unsigned)) return 0;
    if (is_unsigned) return (int64_t)(ua % ub);
    int64_t r = a % b;
    return kind == TCC_OP_MOD && r != 0 && (r < 0) != (b < 0) ? r + b : r;
  }
  case TCC_OP_POW: return integer_power(elem, a, b);
  case TCC_OP_MIN: return is_unsigned ? (ua < ub ? a : b) : a < b ? a : b;
  case TCC_OP_MAX: return is_unsigned ? (ua > ub ? a : b) : a > b ? a : b;
  case TCC_OP_AND: return a & b;
  case TCC_OP_OR: return a | b;
  case TCC_OP_XOR: return a ^ b;
  case TCC_OP_SHIFT_LEFT: return ub >= bits ? 0 : (int64_t)(ua << ub);
  case TCC_OP_SHIFT_RIGHT:
    if (tcc_elem_is_signed(elem)) return a >> (ub >= bits ? 63 : ub);
    return ub >= bits ? 0 : (int64_t)(ua >> ub);
  default: return 0;
  }
}

TccStatus *tcc_eval_binary(TccEval *e) {
  const TccArray *a = e->in[0], *b = e->in[1];
  TccArray *r = e->out[0];
  Rows rows;
  TCC_TRY(rows_start(e, 2, &rows));
  int64_t at = 0;
  while (rows_next(&rows)) {
    for (int64_t i = 0; i < rows.length; i++, at++) {
      int64_t ia = rows.offset[0] + i * rows.step[0], ib = rows.offset[1] + i * rows.step[1];
      if (r->is_float) {
        r->at[at].f = binary_double(e->kind, tcc_cell_double(a, ia), tcc_cell_double(b, ib));
      } else if (b->is_float) { /* pow(integer, float) */
        r->at[at].i = double_to_integer(r->elem, binary_double(e->kind, tcc_cell_double(a, ia), b->at[ib].f));
      } else {
        r->at[at].i = tcc_wrap(r->elem, binary_integer(e->kind, r->elem, a->at[ia].i, b->at[ib].i));
      }
    }
  }
  return NULL;
}

/* ---- compare, select, clamp ---- */
typedef enum { EQ, NE, LT, LE, GT, GE, PREDICATES } Predicate;

static bool holds(Predicate predicate, int less, int equal, int greater) {
  switch (predicate) {
  case EQ: return equal;
  case NE: return !equal;
  case LT: return less;
  case LE: return less || equal;
  case GT: return greater;
  default: return greater || equal;
  }
}

TccStatus *tcc_eval_compare(TccEval *e) {
  static const char *const names[PREDICATES] = {"eq", "ne", "lt", "le", "gt", "ge"};
  Predicate predicate = EQ;
  while (predicate < PREDICATES && !tcc_eval_str_is(e, "predicate", names[predicate])) predicate++;
  const TccArray *a = e->in[0], *b = e->in[1];
  Rows rows;
  TCC_TRY(rows_start(e, 2, &rows));
  int64_t at = 0;
  while (rows_next(&rows)) {
    for (int64_t i = 0; i < rows.length; i++, at++) {
      TccCell x = a->at[rows.offset[0] + i * rows.step[0]], y = b->at[rows.offset[1] + i * rows.step[1]];
      bool result;
      if (a->is_float) result = holds(predicate, x.f<y.f, x.f == y.f, x.f> y.f);
      else if (a->elem == TCC_ELEM_U64)
        result = holds(predicate, (uint64_t)x.i<(uint64_t)y.i, x.i == y.i, (uint64_t)x.i>(uint64_t) y.i);
      else result = holds(predicate, x.i<y.i, x.i == y.i, x.i> y.i);
      e->out[0]->at[at].i = result;
    }
  }
  return NULL;
}

TccStatus *tcc_eval_select(TccEval *e) {
  Rows rows;
  TCC_TRY(rows_start(e, 3, &rows));
  int64_t at = 0;
  while (rows_next(&rows)) {
    for (int64_t i = 0; i < rows.length; i++, at++) {
      int k = e->in[0]->at[rows.offset[0] + i * rows.step[0]].i ? 1 : 2;
      e->out[0]->at[at] = e->in[k]->at[rows.offset[k] + i * rows.step[k]];
    }
  }
  return NULL;
}

TccStatus *tcc_eval_random(TccEval *e) {
  Rows rows;
  TCC_TRY(rows_start(e, 3, &rows));
  int64_t at = 0;
  while (rows_next(&rows)) {
    for (int64_t i = 0; i < rows.length; i++, at++) {
      uint64_t x[3];
      for (int k = 0; k < 3; k++) x[k] = (uint64_t)e->in[k]->at[rows.offset[k] + i * rows.step[k]].i;
      e->out[0]->at[at].i = tcc_philox_word(x[1], x[2], x[0]);
    }
  }
  return NULL;
}

TccStatus *tcc_eval_clamp(TccEval *e) {
  TccArray *r = e->out[0];
  Rows rows;
  TCC_TRY(rows_start(e, 3, &rows));
  int64_t at = 0;
  while (rows_next(&rows)) {
    for (int64_t i = 0; i < rows.length; i++, at++) {
      TccCell value = e->in[0]->at[rows.offset[0] + i * rows.step[0]];
      for (int k = 1; k <= 2; k++) {
        if (!e->in[k]) continue;
        TccCell limit = e->in[k]->at[rows.offset[k] + i * rows.step[k]];
        TccOpKind kind = k == 1 ? TCC_OP_MAX : TCC_OP_MIN;
        if (r->is_float) value.f = binary_double(kind, value.f, limit.f);
        else value.i = binary_integer(kind, r->elem, value.i, limit.i);
      }
      r->at[at] = value;
    }
  }
  return NULL;
}

/* ---- activations ---- */
static double softplus(double x) { return x > 0 ? x + log1p(exp(-x)) : log1p(exp(x)); }

static double activation(TccOpKind kind, double x, double alpha, double beta) {
  switch (kind) {
  case TCC_OP_RELU: return x < 0 ? 0 : x;
  case TCC_OP_LEAKY_RELU: return x < 0 ? alpha * x : x;
  case TCC_OP_ELU: return x < 0 ? alpha * expm1(x) : x;
  case TCC_OP_SELU: return beta * (x < 0 ? alpha * expm1(x) : x);
  case TCC_OP_CELU: return x < 0 ? alpha * expm1(x / alpha) : x;
  case TCC_OP_SIGMOID: return 1 / (1 + exp(-x));
  case TCC_OP_HARD_SIGMOID: return isnan(x) ? x : fmax(0, fmin(1, alpha * x + beta));
  case TCC_OP_HARD_SWISH: return isnan(x) ? x : x * fmax(0, fmin(1, x / 6 + 0.5));
  case TCC_OP_SWISH: return x / (1 + exp(-alpha * x));
  case TCC_OP_SOFTPLUS: return softplus(x);
  case TCC_OP_SOFTSIGN: return x / (1 + fabs(x));
  case TCC_OP_MISH: return x * tanh(softplus(x));
  case TCC_OP_GELU:
    if (alpha != 0) return x / 2 * (1 + tanh(sqrt(2 / M_PI) * (x + 0.044715 * x * x * x)));
    return x / 2 * (1 + erf(x * M_SQRT1_2));
  default: return NAN;
  }
}

TccStatus *tcc_eval_activation(TccEval *e) {
  const TccArray *x = e->in[0];
  TccArray *r = e->out[0];
  double alpha = 0, beta = 0;
  if (e->kind == TCC_OP_GELU) alpha = tcc_eval_str_is(e, "approximate", "tanh");
  else tcc_get_f64(e->ir, e->op, "alpha", &alpha);
  tcc_get_f64(e->ir, e->op, e->kind == TCC_OP_SELU ? "gamma" : "beta", &beta);
  for (int64_t i = 0; i < r->count; i++) {
    if (x->is_float) r->at[i].f = activation(e->kind, x->at[i].f, alpha, beta);
    else r->at[i].i = tcc_elem_is_signed(x->elem) && x->at[i].i < 0 ? 0 : x->at[i].i; /* relu of integers */
  }
  return NULL;
}

TccStatus *tcc_eval_prelu(TccEval *e) {
  const TccArray *x = e->in[0], *slope = e->in[1];
  TccArray *r = e->out[0];
  Rows rows;
  TCC_TRY(rows_start(e, 2, &rows));
  int64_t at = 0;
  while (rows_next(&rows)) {
    for (int64_t i = 0; i < rows.length; i++, at++) {
      TccCell v = x->at[rows.offset[0] + i * rows.step[0]], s = slope->at[rows.offset[1] + i * rows.step[1]];
      if (r->is_float) r->at[at].f = v.f < 0 ? v.f * s.f : v.f;
      else r->at[at].i = tcc_elem_is_signed(r->elem) && v.i < 0 ? tcc_wrap(r->elem, (int64_t)((uint64_t)v.i * (uint64_t)s.i)) : v.i;
    }
  }
  return NULL;
}

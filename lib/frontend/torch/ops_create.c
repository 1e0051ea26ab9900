/* ops_create.c - overloads that make tensors of nothing but sizes and numbers. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

bool torch_op_fill(ImportCall *c) {
  static const char *const names[] = {"fill_value", "value", "s"};
  ImportShape shape = torch_declared(c, 0);
  TccElem elem = torch_result(c, 0);
  MlirValue value = {NULL};
  if (!elem || !shape.elem) return false;
  if (c->kind != FILL_VALUE) value = tcc_build_scalar(&c->b, elem, c->kind == FILL_ONE);
  for (size_t i = 0; c->kind == FILL_VALUE && i < sizeof names / sizeof *names; i++)
    if (torch_argument(c, names[i])) value = torch_scalar(c, names[i], elem);
  if (!value.ptr) return import_invalid(c, "no value");
  return torch_output(c, 0, shape.rank ? tcc_build_broadcast(&c->b, value, shape.rank, shape.dims) : value);
}

static bool is_number(ImportCall *c, const char *name, int64_t value) {
  TorchNumber n = torch_number(c, name);
  return n.size ? import_is_size(n.size, value) : !n.value.ptr && n.real == (double)value;
}

/* start + i * step; torch counts in the type of the result, reals in f64. */
bool torch_op_arange(ImportCall *c) {
  TccElem elem = torch_result(c, 0), inner = tcc_elem_is_float(elem) ? TCC_ELEM_F64 : TCC_ELEM_I64;
  ImportShape shape = torch_declared(c, 0);
  if (!elem || shape.rank != 1) return import_invalid(c, "the graph does not say how large it is");
  bool from = torch_argument(c, "start") && !is_number(c, "start", 0),
       steps = torch_argument(c, "step") && !is_number(c, "step", 1);
  if (!from && !steps) return torch_output(c, 0, import_iota(c, elem, shape.dims[0]));
  MlirValue value = import_iota(c, inner, shape.dims[0]);
  if (steps) value = tcc_build2(&c->b, TCC_OP_MUL, value, torch_scalar(c, "step", inner));
  if (from) value = tcc_build2(&c->b, TCC_OP_ADD, value, torch_scalar(c, "start", inner));
  return value.ptr && torch_output(c, 0, tcc_build_convert(&c->b, value, elem));
}

/* `count` values from start to end, which are of type elem, computed in type `between`; as in torch from the nearer end. */
static MlirValue space(ImportCall *c, TccElem elem, TccElem between, const TccExpr *count) {
  const TccExpr *last = import_size_sub(c, count, import_size(c, 1));
  MlirValue start = tcc_build_convert(&c->b, torch_scalar(c, "start", elem), between),
            end = tcc_build_convert(&c->b, torch_scalar(c, "end", elem), between);
  MlirValue steps = tcc_build_convert(&c->b, tcc_build_size(&c->b, last), between),
            step = tcc_build2(&c->b, TCC_OP_SUB, end, start);
  step = tcc_build2(&c->b, TCC_OP_DIV, step, tcc_build2(&c->b, TCC_OP_MAX, steps, tcc_build_scalar(&c->b, between, 1)));
  MlirValue index = import_iota(c, TCC_ELEM_I64, count), left = tcc_build_size(&c->b, last);
  MlirValue behind = tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_SUB, left, index), between);
  MlirValue half = tcc_build_size(&c->b, tcc_expr_call(c->ir->exprs, TCC_EXPR_FLOORDIV, count, import_size(c, 2)));
  MlirValue first = tcc_build_compare(&c->b, "lt", index, half);
  first = tcc_build2(&c->b, TCC_OP_OR, first, tcc_build_compare(&c->b, "eq", left, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0)));
  index = tcc_build_convert(&c->b, index, between);
  MlirValue up = tcc_build2(&c->b, TCC_OP_ADD, start, tcc_build2(&c->b, TCC_OP_MUL, step, index)),
            down = tcc_build2(&c->b, TCC_OP_SUB, end, tcc_build2(&c->b, TCC_OP_MUL, step, behind));
  return tcc_build_select(&c->b, first, up, down);
}

/* linspace and logspace, base ^ what linspace gives. Integers are computed in f64 and f32, and cut off; one element is start as it was given. */
bool torch_op_space(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  ImportShape shape = torch_declared(c, 0);
  if (!elem || shape.rank != 1) return import_invalid(c, "the graph does not say how large it is");
  bool real = tcc_elem_is_float(elem), power = c->kind == SPACE_POWER;
  MlirValue value;
  if (import_is_size(shape.dims[0], 1))
    value = tcc_build_reshape(&c->b, torch_scalar(c, "start", power ? TCC_ELEM_F64 : elem), 1, shape.dims);
  else value = space(c, elem, real ? elem : power ? TCC_ELEM_F32 : TCC_ELEM_F64, shape.dims[0]);
  if (power)
    value = tcc_build2(&c->b, TCC_OP_POW, tcc_build_scalar(&c->b, TCC_ELEM_F64, torch_float(c, "base")),
                       tcc_build_convert(&c->b, value, TCC_ELEM_F64));
  if (power && !real) { /* a whole power is that number, however it was rounded */
    MlirValue whole = tcc_build1(&c->b, TCC_OP_ROUND, value);
    MlirValue far = tcc_build1(&c->b, TCC_OP_ABS, tcc_build2(&c->b, TCC_OP_SUB, value, whole)),
              room = tcc_build2_number(&c->b, TCC_OP_MUL, tcc_build1(&c->b, TCC_OP_ABS, whole), 1e-12);
    value = tcc_build_select(&c->b, tcc_build_compare(&c->b, "le", far, room), whole, value);
  }
  return value.ptr && torch_output(c, 0, tcc_build_convert(&c->b, value, elem));
}

/* Column less row, at each place of a matrix of that shape: i64 [rows, columns]. */
static MlirValue offsets(ImportCall *c, const TccExpr *rows, const TccExpr *columns) {
  const TccExpr *dims[] = {rows, columns};
  return tcc_build2(&c->b, TCC_OP_SUB, tcc_build_iota(&c->b, TCC_ELEM_I64, 1, 2, dims),
                    tcc_build_iota(&c->b, TCC_ELEM_I64, 0, 2, dims));
}

bool torch_op_eye(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  ImportShape shape = torch_declared(c, 0);
  if (!elem || shape.rank != 2) return import_invalid(c, "the graph does not say how large it is");
  MlirValue zero = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0);
  return torch_output(
      c, 0, tcc_build_convert(&c->b, tcc_build_compare(&c->b, "eq", offsets(c, shape.dims[0], shape.dims[1]), zero), elem));
}

/* tril and triu: zeros above or below a diagonal. kind: which side stays. */
bool torch_op_triangle(ImportCall *c) {
  MlirValue x = torch_tensor(c, "self"), diagonal = torch_scalar(c, "diagonal", TCC_ELEM_I64);
  ImportShape shape = import_shape(c, x);
  if (!x.ptr || !diagonal.ptr) return false;
  if (shape.rank < 2) return import_invalid(c, "rank %d", shape.rank);
  MlirValue stays = tcc_build_compare(&c->b, c->kind == TRIANGLE_LOWER ? "le" : "ge",
                                      offsets(c, shape.dims[shape.rank - 2], shape.dims[shape.rank - 1]), diagonal);
  MlirValue zero =
      tcc_elem_is_float(shape.elem) ? tcc_build_scalar(&c->b, shape.elem, 0) : tcc_build_scalar_i64(&c->b, shape.elem, 0);
  return torch_output(c, 0, tcc_build_select(&c->b, stays, x, zero));
}

/* Rows and columns of the elements of a triangle, row by row: constants. */
bool torch_op_triangle_indices(ImportCall *c) {
  enum { MOST = 1 << 20 };
  int64_t rows = torch_int(c, "row"), columns = torch_int(c, "col"), offset = torch_int(c, "offset"), count = 0;
  TccElem elem = torch_result(c, 0);
  if (c->reason || !elem) return false;
  if (rows < 0 || columns < 0 || rows > MOST || columns > MOST || rows * columns > MOST)
    return import_unsupported(c, "a matrix of %lld by %lld", (long long)rows, (long long)columns);
  int64_t *places = TCC_NEW_ARRAY(import_arena(c), int64_t, (size_t)(2 * rows * columns) + 1);
  for (int pass = 0; pass < 2; pass++)
    for (int64_t i = 0; i < rows; i++)
      for (int64_t j = 0; j < columns; j++)
        if (c->kind == TRIANGLE_LOWER ? j - i <= offset : j - i >= offset) places[count++] = pass ? j : i;
  int64_t dims[] = {2, count / 2};
  return torch_output(c, 0, tcc_build_convert(&c->b, tcc_build_constant(&c->b, TCC_ELEM_I64, 2, dims, places), elem));
}

/* ---- windows ---- */
static double bessel_i0(double x) { /* sum of ((x / 2)^k / k!)^2 */
  double term = 1, sum = 1;
  for (int k = 1; k < 500 && term > 1e-17 * sum; k++) term *= (x / (2 * k)) * (x / (2 * k)), sum += term;
  return sum;
}

/* The element at t = i / N of a window; a and b: the arguments that there are. */
static double window_at(int kind, double t, double a, double b) {
  static const double two_pi = 6.283185307179586;
  switch (kind) {
  case WINDOW_HANN: return 0.5 - 0.5 * cos(two_pi * t);
  case WINDOW_HAMMING: return a - b * cos(two_pi * t);
  case WINDOW_BLACKMAN: return 0.42 - 0.5 * cos(two_pi * t) + 0.08 * cos(2 * two_pi * t);
  case WINDOW_BARTLETT: return 1 - fabs(2 * t - 1);
  default: return bessel_i0(a * sqrt(fmax(0, 1 - (2 * t - 1) * (2 * t - 1)))) / bessel_i0(a);
  }
}

/* hann_window and its kin, in the type of the result. A periodic one is the first part of one that is longer by an element. */
bool torch_op_window(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  const bool periodic = torch_has_parameter(c, "periodic") ? torch_bool(c, "periodic") : true, kaiser = c->kind == WINDOW_KAISER;
  const double a = torch_has_parameter(c, kaiser ? "beta" : "alpha") ? torch_float(c, kaiser ? "beta" : "alpha")
                   : kaiser                                          ? 12
                                                                     : 0.54;
  const double b = !kaiser && torch_has_parameter(c, "beta") ? torch_float(c, "beta") : 0.46;
  const TccExpr *size = torch_size(c, "window_length");
  int64_t n;
  enum { MOST = 1 << 24 };
  if (!elem || !size || c->reason || !torch_fixed(c, size, &n)) return false;
  if (n < 0 || n > MOST) return import_unsupported(c, "a window of %lld elements", (long long)n);
  double *values = TCC_NEW_ARRAY(import_arena(c), double, (size_t)n + 1);
  for (int64_t i = 0; i < n; i++) values[i] = n == 1 ? 1 : window_at(c->kind, (double)i / (double)(periodic ? n : n - 1), a, b);
  return torch_output(c, 0, torch_convert(c, tcc_build_constant(&c->b, TCC_ELEM_F64, 1, &n, values), elem));
}

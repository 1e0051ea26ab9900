/* ops_resize_data.c - Resize by scales that the graph computes: exporters write the quotient of two sizes, or of a size and a number, where
 * the sizes themselves would do; and by known ones that make no expression of a symbolic size. The size of an axis is counted (floor of size times scale in f32, as onnxruntime has it), and its elements are
 * gathered: the nearest, or the sum of two or four with their weights. Coordinates are those of tcc.resize (lib/interp/resize.c), in f64; since the
 * weights are separable, one axis comes after another. */
#include "lib/frontend/onnx/resize.h"
#include "tcc/op_kinds.h"

static MlirValue plus(ImportCall *c, MlirValue x, double y) { return tcc_build2_number(&c->b, TCC_OP_ADD, x, y); }
static MlirValue times(ImportCall *c, MlirValue x, double y) { return tcc_build2_number(&c->b, TCC_OP_MUL, x, y); }
static MlirValue two(ImportCall *c, TccOpKind kind, MlirValue x, MlirValue y) { return tcc_build2(&c->b, kind, x, y); }
static MlirValue real(ImportCall *c, double x) { return tcc_build_scalar(&c->b, TCC_ELEM_F64, x); }
static MlirValue real_size(ImportCall *c, const TccExpr *size) {
  return tcc_build_convert(&c->b, tcc_build_size(&c->b, size), TCC_ELEM_F64);
}
static MlirValue is(ImportCall *c, const char *how, MlirValue x, double y) { return tcc_build_compare(&c->b, how, x, real(c, y)); }

/* ---- scales ---- */
static bool add_scales(ImportCall *c, const char *name, MlirValue value, size_t count, OnnxScale *out) {
  size_t n;
  const double *known = import_known_reals(c, value, &n);
  if (!known && tcc_value_kind(c->ir, value) == TCC_OP_CONCAT) {
    MlirOperation op = tcc_value_op(value);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
      MlirValue part = mlirOperationGetOperand(op, i);
      int64_t length;
      if (!tcc_expr_is_const(import_shape(c, part).dims[0], &length)) return import_unsupported(c, "%s of unknown number", name);
      if (!add_scales(c, name, part, (size_t)length, out)) return false;
      out += length;
    }
    return true;
  }
  for (size_t i = 0; i < count; i++) {
    MlirValue one = tcc_build_slice_axis(&c->b, value, 0, import_size(c, (int64_t)i), 1, import_size(c, 1));
    out[i] = (OnnxScale){.is_known = known != NULL,
                         .known = known ? known[i] : 0,
                         .value = tcc_build_reshape(&c->b, tcc_build_convert(&c->b, one, TCC_ELEM_F64), 0, NULL)};
    if (!out[i].value.ptr) return false;
  }
  return true;
}

bool onnx_read_scales(ImportCall *c, const char *name, size_t input, size_t count, OnnxScale *out) {
  MlirValue value = import_input(c, input);
  ImportShape shape = import_shape(c, value);
  int64_t length;
  if (shape.rank != 1 || !tcc_expr_is_const(shape.dims[0], &length)) return import_unsupported(c, "%s of unknown number", name);
  if ((size_t)length != count) return import_invalid(c, "%s has %lld entries", name, (long long)length);
  return add_scales(c, name, value, count, out);
}

/* ---- one axis ---- */
/* floor(size * scale), in f32. Scales that are not positive break a constraint, as negative sizes do. */
static const TccExpr *counted_size(ImportCall *c, const TccExpr *size, MlirValue scale) {
  MlirValue product = two(c, TCC_OP_MUL, tcc_build_convert(&c->b, tcc_build_size(&c->b, size), TCC_ELEM_F32),
                          tcc_build_convert(&c->b, scale, TCC_ELEM_F32));
  MlirValue count = tcc_build_convert(&c->b, tcc_build1(&c->b, TCC_OP_FLOOR, product), TCC_ELEM_I64);
  return import_counted_size(
      c, tcc_build_select(&c->b, is(c, "gt", scale, 0), count, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, -1)), NULL);
}

/* Where in the input each element of the result is, f64 [to]. */
static MlirValue coordinates_of(ImportCall *c, const OnnxResizeAxis *axis, const TccExpr *from, const TccExpr *to) {
  MlirValue i = import_iota(c, TCC_ELEM_F64, to), in = real_size(c, from), out = real_size(c, to), scale = axis->scale;
  MlirValue length = two(c, TCC_OP_MUL, scale, in), centre = plus(c, two(c, TCC_OP_DIV, plus(c, i, 0.5), scale), -0.5);
  if (tcc_str_is(axis->coordinates, "half_pixel")) return centre;
  if (tcc_str_is(axis->coordinates, "asymmetric")) return two(c, TCC_OP_DIV, i, scale);
  if (tcc_str_is(axis->coordinates, "tf_half_pixel_for_nn")) return plus(c, centre, 0.5);
  if (tcc_str_is(axis->coordinates, "pytorch_half_pixel")) return tcc_build_select(&c->b, is(c, "eq", out, 1), real(c, 0), centre);
  if (tcc_str_is(axis->coordinates, "align_corners")) {
    MlirValue at = two(c, TCC_OP_DIV, two(c, TCC_OP_MUL, i, plus(c, in, -1)), plus(c, length, -1));
    return tcc_build_select(&c->b, is(c, "eq", length, 1), real(c, 0), at);
  }
  if (tcc_str_is(axis->coordinates, "half_pixel_symmetric")) {
    MlirValue share = plus(c, times(c, two(c, TCC_OP_DIV, out, length), -1), 1);
    return two(c, TCC_OP_ADD, two(c, TCC_OP_MUL, times(c, in, 0.5), share), centre);
  }
  if (tcc_str_is(axis->coordinates, "tf_crop_and_resize") && axis->begin.ptr) {
    MlirValue last = plus(c, in, -1), span = two(c, TCC_OP_SUB, axis->end, axis->begin);
    MlirValue middle = times(c, two(c, TCC_OP_MUL, two(c, TCC_OP_ADD, axis->begin, axis->end), last), 0.5);
    MlirValue step = two(c, TCC_OP_DIV, two(c, TCC_OP_MUL, span, last), plus(c, length, -1));
    MlirValue at = two(c, TCC_OP_ADD, two(c, TCC_OP_MUL, axis->begin, last), two(c, TCC_OP_MUL, i, step));
    return tcc_build_select(&c->b, is(c, "eq", length, 1), middle, at);
  }
  import_unsupported(c, "scales that are data, with coordinates '%.*s'", TCC_STR_ARG(axis->coordinates));
  return (MlirValue){NULL};
}

/* x at floor + k along the axis, the nearest inside in place of what is outside. */
static MlirValue tap(ImportCall *c, MlirValue x, int64_t axis, const TccExpr *from, MlirValue floor, int k) {
  MlirValue at = two(c, TCC_OP_MAX, plus(c, floor, k), real(c, 0));
  at = two(c, TCC_OP_MIN, at, real_size(c, import_size_sub(c, from, import_size(c, 1))));
  return tcc_build_gather(&c->b, x, tcc_build_convert(&c->b, at, TCC_ELEM_I64), axis);
}

static MlirValue nearest_of(ImportCall *c, TccStr how, MlirValue at) {
  MlirValue low = tcc_build1(&c->b, TCC_OP_FLOOR, at), ratio = two(c, TCC_OP_SUB, at, low);
  if (tcc_str_is(how, "floor")) return low;
  if (tcc_str_is(how, "ceil")) return tcc_build1(&c->b, TCC_OP_CEIL, at);
  MlirValue down = is(c, tcc_str_is(how, "round_prefer_floor") ? "le" : "lt", ratio, 0.5);
  return tcc_build_select(&c->b, down, low, plus(c, low, 1));
}

MlirValue onnx_resize_outside(ImportCall *c, MlirValue x, MlirValue y, const OnnxResizeAxis *axis, double value) {
  if (!y.ptr) return y;
  ImportShape shape = import_shape(c, y);
  const TccExpr *from = import_shape(c, x).dims[axis->axis], *along[TCC_MAX_RANK] = {shape.dims[axis->axis]};
  MlirValue at = coordinates_of(c, axis, from, along[0]), last = plus(c, real_size(c, from), -1);
  MlirValue outside = two(c, TCC_OP_OR, is(c, "lt", at, 0), tcc_build_compare(&c->b, "gt", at, last));
  for (int i = 1; i < shape.rank; i++) along[i] = import_size(c, 1);
  outside = tcc_build_reshape(&c->b, outside, shape.rank - (int)axis->axis, along);
  return tcc_build_select(&c->b, outside, tcc_build_scalar(&c->b, shape.elem, value), y);
}

/* The weight of an element at a distance, which is not negative, from 0 to 1 or (outer) from 1 to 2: Keys' kernel. */
static MlirValue cubic(ImportCall *c, MlirValue x, double a, bool outer) {
  if (outer) return plus(c, two(c, TCC_OP_MUL, plus(c, two(c, TCC_OP_MUL, plus(c, times(c, x, a), -5 * a), x), 8 * a), x), -4 * a);
  return plus(c, two(c, TCC_OP_MUL, plus(c, times(c, x, a + 2), -(a + 3)), two(c, TCC_OP_MUL, x, x)), 1);
}

MlirValue onnx_resize_axis(ImportCall *c, MlirValue x, const OnnxResizeAxis *axis) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *from = shape.dims[axis->axis], *to = axis->size ? axis->size : counted_size(c, from, axis->scale);
  MlirValue at = to ? coordinates_of(c, axis, from, to) : (MlirValue){NULL};
  if (!at.ptr) return at;
  if (tcc_str_is(axis->mode, "nearest")) return tap(c, x, axis->axis, from, nearest_of(c, axis->nearest, at), 0);
  const bool is_cubic = tcc_str_is(axis->mode, "cubic");
  if (is_cubic && !tcc_elem_is_float(shape.elem)) {
    import_unsupported(c, "scales that are data, of integers in mode 'cubic'");
    return (MlirValue){NULL};
  }
  const TccElem sums = shape.elem == TCC_ELEM_F64 ? TCC_ELEM_F64 : TCC_ELEM_F32;
  const TccExpr *along[TCC_MAX_RANK] = {to};
  for (int i = 1; i < shape.rank; i++) along[i] = import_size(c, 1);
  MlirValue low = tcc_build1(&c->b, TCC_OP_FLOOR, at), ratio = two(c, TCC_OP_SUB, at, low), sum = {NULL};
  MlirValue rest = plus(c, times(c, ratio, -1), 1); /* to the element behind */
  for (int k = is_cubic ? -1 : 0; k <= (is_cubic ? 2 : 1); k++) {
    MlirValue weight = !is_cubic ? (k ? ratio : rest)
                       : k < 1   ? cubic(c, k ? plus(c, ratio, 1) : ratio, axis->cubic, k != 0)
                                 : cubic(c, k == 1 ? rest : plus(c, rest, 1), axis->cubic, k == 2);
    weight = tcc_build_reshape(&c->b, tcc_build_convert(&c->b, weight, sums), shape.rank - (int)axis->axis, along);
    MlirValue part = two(c, TCC_OP_MUL, tcc_build_convert(&c->b, tap(c, x, axis->axis, from, low, k), sums), weight);
    sum = sum.ptr ? two(c, TCC_OP_ADD, sum, part) : part;
  }
  return tcc_build_convert(&c->b, sum, shape.elem);
}

/* ops_steps.c - steps that handlers of several families have in common. */
#include "lib/frontend/torch/ops_build.h"
#include <math.h>

MlirValue torch_build2(ImportCall *c, TccOpKind kind, MlirValue a, MlirValue b) {
  if (a.ptr && tcc_value_elem(a) == TCC_ELEM_BOOL) {
    if (kind == TCC_OP_ADD || kind == TCC_OP_MAX) kind = TCC_OP_OR;
    if (kind == TCC_OP_MUL || kind == TCC_OP_MIN) kind = TCC_OP_AND;
  }
  return tcc_build2(&c->b, kind, a, b);
}

MlirValue torch_channels(ImportCall *c, MlirValue v, int rank) {
  ImportShape shape = import_shape(c, v);
  if (!v.ptr) return v;
  while (shape.rank >= 1 && shape.rank < rank - 1) shape.dims[shape.rank++] = import_size(c, 1);
  return tcc_build_reshape(&c->b, v, shape.rank, shape.dims);
}

size_t torch_other_axes(int rank, int64_t axis, int64_t *out) {
  size_t n = 0;
  for (int64_t i = 0; i < rank; i++)
    if (i != axis) out[n++] = i;
  return n;
}

MlirValue torch_move_axis(ImportCall *c, MlirValue x, int64_t from, int64_t to) {
  int64_t perm[TCC_MAX_RANK];
  int rank = import_shape(c, x).rank;
  if (from == to || !x.ptr) return x;
  for (int64_t i = 0, source = 0; i < rank; i++) {
    if (i == to) {
      perm[i] = from;
      continue;
    }
    if (source == from) source++;
    perm[i] = source++;
  }
  return tcc_build_transpose(&c->b, x, perm);
}

double *torch_axis_matrix(ImportCall *c, int64_t rows, int64_t columns) {
  enum { MOST = 1 << 25 };
  if (rows < 0 || columns < 0 || rows > MOST || columns > MOST || rows * columns > MOST)
    return import_unsupported(c, "a matrix of %lld by %lld", (long long)rows, (long long)columns), NULL;
  return TCC_NEW_ARRAY(import_arena(c), double, rows *columns + 1);
}

MlirValue torch_axis_product(ImportCall *c, MlirValue x, int64_t axis, const double *matrix, int64_t rows, int64_t columns) {
  if (!x.ptr || !matrix) return (MlirValue){NULL};
  TccElem elem = tcc_value_elem(x);
  int64_t dims[] = {rows, columns}, first = 0;
  MlirAttribute values =
      mlirDenseElementsAttrDoubleGet(tcc_tensor_type_static(c->ir, TCC_ELEM_F64, 2, dims), rows * columns, matrix);
  TccNamedAttr attr = {"value", values};
  MlirValue m = torch_convert(c, import_op(c, TCC_OP_CONSTANT, NULL, 0, &attr, 1), elem);
  int rank = import_shape(c, x).rank;
  return torch_move_axis(c, tcc_build_dot_general(&c->b, x, m, NULL, NULL, 0, &axis, &first, 1), rank - 1, axis);
}

bool torch_fixed(ImportCall *c, const TccExpr *size, int64_t *out) { return import_fix_size(c, size, out); }

bool torch_broadcast_all(ImportCall *c, MlirValue *values, size_t count, ImportShape *out) {
  *out = import_shape(c, values[0]);
  for (size_t i = 1; i < count; i++) {
    ImportShape next = import_shape(c, values[i]);
    if (!values[i].ptr || !import_broadcast_shape(c, out, &next, out)) return false;
  }
  for (size_t i = 0; i < count; i++) values[i] = tcc_build_broadcast(&c->b, values[i], out->rank, out->dims);
  return values[0].ptr != NULL;
}

bool torch_operands(ImportCall *c, const char *const *names, size_t count, TccElem elem, MlirValue *out, ImportShape *shape) {
  for (size_t i = 0; i < count; i++) {
    out[i] = torch_operand(c, names[i], elem);
    if (!out[i].ptr) return false;
  }
  return torch_broadcast_all(c, out, count, shape);
}

MlirValue torch_any(ImportCall *c, MlirValue x) {
  int64_t axes[TCC_MAX_RANK];
  size_t n = torch_other_axes(import_shape(c, x).rank, -1, axes);
  return n && x.ptr ? tcc_build_reduce(&c->b, "or", x, axes, n, false) : x;
}

bool torch_iterate(ImportCall *c, MlirValue go, MlirValue *values, size_t count, TorchIteration *step, const void *user) {
  MlirValue initial[TORCH_MOST_CARRIED + 1] = {go}, results[TORCH_MOST_CARRIED + 1], out[TORCH_MOST_CARRIED + 1];
  ImportBody body;
  if (!go.ptr) return false;
  for (size_t i = 0; i < count; i++) {
    initial[i + 1] = values[i];
    if (!values[i].ptr) return false;
  }
  import_body_open(c, &body);
  import_uncertain(c, 1);
  import_body_argument(c, &body, tcc_value_type(go));
  for (size_t i = 0; i < count; i++) results[i + 1] = import_body_argument(c, &body, tcc_value_type(values[i]));
  results[0] = step(c, results + 1, user);
  import_uncertain(c, -1);
  if (!import_body_close(c, &body, count + 1, initial, results, import_size(c, INT64_MAX), true, out)) {
    import_body_drop(c, &body, false);
    return false;
  }
  for (size_t i = 0; i < count; i++) values[i] = out[i + 1];
  return true;
}

bool torch_has_parameter(ImportCall *c, const char *name) {
  return torch_schema_parameter(&torch_call(c)->schema, tcc_str(name)) != NULL;
}

MlirValue torch_norm(ImportCall *c, MlirValue sizes, double p, const int64_t *axes, size_t naxes, bool keepdims) {
  const bool extreme = isinf(p);
  MlirValue terms = sizes;
  if (p == 0) terms = torch_convert(c, torch_is(c, "ne", sizes, 0), tcc_value_elem(sizes));
  else if (p == 2) terms = torch_mul(c, sizes, sizes);
  else if (p != 1 && !extreme) terms = tcc_build2_number(&c->b, TCC_OP_POW, sizes, p);
  if (naxes && terms.ptr) terms = tcc_build_reduce(&c->b, !extreme ? "sum" : p > 0 ? "max" : "min", terms, axes, naxes, keepdims);
  if (p == 2) return tcc_build1(&c->b, TCC_OP_SQRT, terms);
  return p == 0 || p == 1 || extreme ? terms : tcc_build2_number(&c->b, TCC_OP_POW, terms, 1 / p);
}

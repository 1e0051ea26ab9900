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

/* Whether the argument is a number that is known, as an integer. */
static bool known_integer(ImportCall *c, const char *name, int64_t *out) {
  const TccTorchArg *argument = torch_argument(c, name);
  if (argument && argument->kind == TCC_TORCH_TENSOR) return false;
  const TorchNumber n = torch_number(c, name);
  if (n.kind == TORCH_INTEGER) return !n.value.ptr && n.size && tcc_expr_is_const(n.size, out);
  if (n.value.ptr || n.holds || n.real != n.real) return false;
  *out = n.real >= 0x1p63 ? INT64_MAX : n.real <= -0x1p63 ? INT64_MIN : (int64_t)n.real;
  return true;
}

MlirValue torch_bound(ImportCall *c, TccOpKind kind, MlirValue x, const char *name) {
  const TccElem elem = tcc_value_elem(x);
  const bool is_upper = kind == TCC_OP_MIN;
  int64_t value;
  if (x.ptr && !tcc_elem_is_float(elem) && elem != TCC_ELEM_BOOL && known_integer(c, name, &value)) {
    const unsigned unused = 64 - tcc_elem_bits(elem);
    const bool is_signed = tcc_elem_is_signed(elem);
    const int64_t least = is_signed ? INT64_MIN >> unused : 0,
                  most = is_signed || !unused ? INT64_MAX >> unused : INT64_MAX >> (unused - 1);
    if (is_upper ? value >= most : value <= least) return x;
    if (is_upper ? value < least : value > most) {
      import_invalid(c, "'%s' is %lld, which no %s is", name, (long long)value, tcc_elem_name(elem));
      return (MlirValue){NULL};
    }
  }
  return torch_build2(c, kind, x, torch_operand(c, name, elem));
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

/* ---- products with a constant matrix ---- */
/* How many rows each column adds up, the same number of them side by side with one weight for all; 0: it is not so. */
static int64_t equal_blocks(const double *matrix, int64_t rows, int64_t columns) {
  const int64_t size = columns > 0 && rows % columns == 0 ? rows / columns : 0;
  for (int64_t r = 0; size > 1 && r < rows; r++)
    for (int64_t o = 0; o < columns; o++)
      if (matrix[r * columns + o] != (r / size == o ? matrix[0] : 0)) return 0;
  return size > 1 ? size : 0;
}

static MlirValue block_sums(ImportCall *c, MlirValue x, int64_t axis, int64_t size, double weight) {
  const ImportShape from = import_shape(c, x);
  const TccExpr *split[TCC_MAX_RANK];
  const int64_t summed = axis + 1;
  for (int i = 0, to = 0; i < from.rank; i++) {
    int64_t length;
    split[to++] = from.dims[i];
    if (i != axis || !tcc_expr_is_const(from.dims[i], &length)) continue;
    split[to - 1] = import_size(c, length / size), split[to++] = import_size(c, size);
  }
  MlirValue sums = tcc_build_reduce(&c->b, "sum", tcc_build_reshape(&c->b, x, from.rank + 1, split), &summed, 1, false);
  return weight == 1 ? sums : torch_times(c, sums, weight);
}

/* The most rows that a column adds up. */
static int64_t most_taps(const double *matrix, int64_t rows, int64_t columns) {
  int64_t most = 0;
  for (int64_t o = 0; o < columns; o++) {
    int64_t taps = 0;
    for (int64_t r = 0; r < rows; r++) taps += matrix[r * columns + o] != 0;
    most = taps > most ? taps : most;
  }
  return most;
}

/* The rows that columns add up, one tap after the other: sum over t of x[row t of the column] * its weight. */
static MlirValue tap_sums(ImportCall *c, MlirValue x, int64_t axis, const double *matrix, int64_t rows, int64_t columns,
                          int64_t taps) {
  int64_t *row = TCC_NEW_ARRAY(import_arena(c), int64_t, (size_t)columns),
          *next = TCC_NEW_ARRAY(import_arena(c), int64_t, (size_t)columns), dims[TCC_MAX_RANK];
  double *weight = TCC_NEW_ARRAY(import_arena(c), double, (size_t)columns);
  const int rank = import_shape(c, x).rank;
  MlirValue sum = {NULL};
  for (int i = 0; i < rank; i++) dims[i] = i == axis ? columns : 1;
  for (int64_t o = 0; o < columns; o++) next[o] = 0;
  for (int64_t t = 0; t < taps; t++) {
    for (int64_t o = 0; o < columns; o++) {
      int64_t r = next[o];
      while (r < rows && matrix[r * columns + o] == 0) r++;
      weight[o] = r < rows ? matrix[r * columns + o] : 0;
      row[o] = r < rows ? r : t ? row[o] : 0;
      next[o] = r < rows ? r + 1 : r;
    }
    MlirAttribute values = mlirDenseElementsAttrDoubleGet(tcc_tensor_type_static(c->ir, TCC_ELEM_F64, rank, dims), columns, weight);
    TccNamedAttr attr = {"value", values};
    MlirValue w = torch_convert(c, import_op(c, TCC_OP_CONSTANT, NULL, 0, &attr, 1), tcc_value_elem(x));
    MlirValue read = tcc_build_gather(&c->b, x, tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &columns, row), axis);
    MlirValue part = tcc_build2(&c->b, TCC_OP_MUL, read, w);
    sum = t ? tcc_build2(&c->b, TCC_OP_ADD, sum, part) : part;
  }
  return sum;
}

MlirValue torch_axis_product(ImportCall *c, MlirValue x, int64_t axis, const double *matrix, int64_t rows, int64_t columns) {
  enum { TAP = 64 /* rows of a product take as long as reading one by its index */, MOST_TAPS = 8 };
  if (!x.ptr || !matrix) return (MlirValue){NULL};
  TccElem elem = tcc_value_elem(x);
  int64_t dims[] = {rows, columns}, first = 0;
  const int64_t size = equal_blocks(matrix, rows, columns), taps = rows >= TAP ? most_taps(matrix, rows, columns) : 0;
  if (size && tcc_elem_is_float(elem) && import_shape(c, x).rank < TCC_MAX_RANK) return block_sums(c, x, axis, size, matrix[0]);
  if (taps > 0 && taps <= MOST_TAPS && taps * TAP <= rows && tcc_elem_is_float(elem))
    return tap_sums(c, x, axis, matrix, rows, columns, taps);
  MlirAttribute values =
      mlirDenseElementsAttrDoubleGet(tcc_tensor_type_static(c->ir, TCC_ELEM_F64, 2, dims), rows * columns, matrix);
  TccNamedAttr attr = {"value", values};
  MlirValue m = torch_convert(c, import_op(c, TCC_OP_CONSTANT, NULL, 0, &attr, 1), elem);
  int rank = import_shape(c, x).rank;
  return torch_move_axis(c, tcc_build_dot_general(&c->b, x, m, NULL, NULL, 0, &axis, &first, 1), rank - 1, axis);
}

bool torch_fixed(ImportCall *c, const TccExpr *size, int64_t *out) { return import_fix_size(c, size, out); }
bool torch_is_fixed(ImportCall *c, const TccExpr *size) {
  int64_t value;
  return tcc_expr_is_const(size, &value) || import_size_is_given(c, size);
}

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

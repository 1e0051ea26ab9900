/* rules_index.c - adjoints of gathers, scatters and top-k. The adjoint of reading at indices is adding at them.
 *
 * Where `valid` is any, gathers count negative indices from the end and clamp the others, but scatters leave those out: so indices of
 * gathers are made plain first. */
#include "passes/grad/grad.h"
#include <math.h>

static MlirType type_of(const GradOp *a, int i) { return tcc_value_type(mlirOperationGetOperand(a->op, i)); }

static MlirValue integer(GradOp *a, MlirValue like, int64_t value) {
  return tcc_build_scalar_i64(a->b, tcc_value_elem(like), value);
}

/* i + n where i < 0; sizes broadcasts to indices. */
static MlirValue from_the_end(GradOp *a, MlirValue indices, MlirValue sizes) {
  MlirValue below = tcc_build_compare(a->b, "lt", indices, integer(a, indices, 0));
  return tcc_build_select(a->b, below, tcc_build2(a->b, TCC_OP_ADD, indices, sizes), indices);
}

/* Indices in [0, size). */
static MlirValue plain(GradOp *a, MlirValue indices, MlirValue sizes) {
  if (tcc_valid(a->ir, a->op) == TCC_VALID_UNSIGNED) return indices;
  indices = from_the_end(a, indices, sizes);
  if (tcc_valid(a->ir, a->op) == TCC_VALID_SIGNED) return indices;
  MlirValue last = tcc_build2(a->b, TCC_OP_SUB, sizes, integer(a, indices, 1));
  return tcc_build2(a->b, TCC_OP_MAX, tcc_build2(a->b, TCC_OP_MIN, indices, last), integer(a, indices, 0));
}

static MlirValue axis_size(GradOp *a, int operand, int axis, MlirValue like) {
  return grad_size_as(a->b, tcc_type_dim(a->ir, type_of(a, operand), axis), tcc_value_elem(like));
}

/* scatter_elements with these attributes, or scatter_nd where axis is negative. */
static MlirValue scatter(GradOp *a, MlirValue x, MlirValue indices, MlirValue updates, int axis, const char *reduction,
                         const char *valid) {
  if (!x.ptr || !indices.ptr || !updates.ptr) return (MlirValue){NULL};
  TccNamedAttr attrs[] = {{"reduction", tcc_attr_str(a->ir, tcc_str(reduction))},
                          {"valid", tcc_attr_str(a->ir, tcc_str(valid))},
                          {"axis", tcc_attr_i64(a->ir, axis)}};
  MlirValue operands[] = {x, indices, updates};
  return tcc_build_value(a->b, axis < 0 ? TCC_OP_SCATTER_ND : TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, axis < 0 ? 2 : 3, NULL);
}

static MlirValue gather_elements(GradOp *a, MlirValue x, MlirValue indices, int axis, const char *valid) {
  if (!x.ptr || !indices.ptr) return (MlirValue){NULL};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(a->ir, axis)}, {"valid", tcc_attr_str(a->ir, tcc_str(valid))}};
  MlirValue operands[] = {x, indices};
  return tcc_build_value(a->b, TCC_OP_GATHER_ELEMENTS, operands, 2, attrs, 2, NULL);
}

static MlirValue gather_nd(GradOp *a, MlirValue x, MlirValue indices, const char *valid) {
  if (!x.ptr || !indices.ptr) return (MlirValue){NULL};
  TccNamedAttr attr = {"valid", tcc_attr_str(a->ir, tcc_str(valid))};
  MlirValue operands[] = {x, indices};
  return tcc_build_value(a->b, TCC_OP_GATHER_ND, operands, 2, &attr, 1, NULL);
}

/* 0 of `size` along axis, with g added at indices there: g has the axes of indices in the place of axis. The indexed axis goes to the
 * front and back. */
MlirValue grad_add_at(GradOp *a, MlirValue g, MlirValue indices, int axis, const TccExpr *size) {
  GradShape s = grad_shape(a->ir, g), at = grad_shape(a->ir, indices), zeros = {1, {size}};
  int64_t front[TCC_MAX_RANK], back[TCC_MAX_RANK];
  if (!g.ptr || !indices.ptr) return (MlirValue){NULL};
  if (at.rank == TCC_MAX_RANK) {
    grad_fail(a, "with indices of rank %d has no derivative", TCC_MAX_RANK);
    return (MlirValue){NULL};
  }
  for (int i = 0; i < s.rank; i++) front[i] = i < at.rank ? axis + i : i < at.rank + axis ? i - at.rank : i;
  for (int i = 0; i < s.rank; i++)
    if (i < axis || i >= axis + at.rank) zeros.dims[zeros.rank++] = s.dims[i];
  for (int i = 0; i < zeros.rank; i++) back[i] = i < axis ? i + 1 : i == axis ? 0 : i;
  MlirValue rows = tcc_build_transpose(a->b, g, front), x = grad_full(a->b, tcc_value_elem(g), 0, &zeros);
  MlirValue tuples = tcc_build_unsqueeze(a->b, indices, at.rank);
  return tcc_build_transpose(a->b, scatter(a, x, tuples, rows, -1, "add", "unsigned"), back);
}

bool tcc_grad_gather(GradOp *a) {
  int axis = (int)tcc_i64(a->ir, a->op, "axis");
  MlirValue indices = grad_operand(a, 1);
  grad_give(
      a, 0,
      grad_add_at(a, a->g[0], plain(a, indices, axis_size(a, 0, axis, indices)), axis, tcc_type_dim(a->ir, type_of(a, 0), axis)));
  return true;
}

/* Whether each line of x along the axis is read at one index, as a cross-entropy reads its labels. */
static bool reads_lines_once(GradOp *a, int axis) {
  MlirType x = type_of(a, 0), indices = type_of(a, 1);
  for (int i = 0; i < tcc_type_rank(x); i++) {
    const TccExpr *want = i == axis ? tcc_expr_const(a->ir->exprs, 1) : tcc_type_dim(a->ir, x, i);
    if (tcc_type_dim(a->ir, indices, i) != want) return false;
  }
  return true;
}

/* g at one index of each line, 0 elsewhere: elementwise, so nothing has to be filled and written to, as a scatter would have it. */
static MlirValue at_index(GradOp *a, MlirValue indices, int axis) {
  const TccExpr *dims[TCC_MAX_RANK], *size = tcc_type_dim(a->ir, type_of(a, 0), axis);
  const int rank = tcc_type_rank(type_of(a, 0));
  int64_t known;
  for (int i = 0; i < rank; i++) dims[i] = i == axis ? size : tcc_expr_const(a->ir->exprs, 1);
  if (tcc_expr_is_const(size, &known) && known <= INT32_MAX) indices = tcc_build_convert(a->b, indices, TCC_ELEM_I32);
  MlirValue places = tcc_build_iota(a->b, tcc_value_elem(indices), axis, rank, dims);
  MlirValue here = tcc_build_compare(a->b, "eq", places, indices);
  return tcc_build_select(a->b, here, a->g[0], tcc_build_scalar(a->b, tcc_value_elem(a->g[0]), 0));
}

bool tcc_grad_gather_elements(GradOp *a) {
  int axis = (int)tcc_i64(a->ir, a->op, "axis");
  MlirValue indices = grad_operand(a, 1);
  indices = plain(a, indices, axis_size(a, 0, axis, indices));
  if (reads_lines_once(a, axis)) return grad_give(a, 0, at_index(a, indices, axis)), true;
  grad_give(a, 0, scatter(a, grad_zeros(a->b, type_of(a, 0)), indices, a->g[0], axis, "add", "unsigned"));
  return true;
}

/* The sizes of axes first, first + 1, ... as a vector of the type of like. */
static MlirValue sizes_from(GradOp *a, int operand, int first, int count, MlirValue like) {
  const TccExpr *sizes[TCC_MAX_RANK];
  for (int i = 0; i < count; i++) sizes[i] = tcc_type_dim(a->ir, type_of(a, operand), first + i);
  return tcc_build_convert(a->b, tcc_build_sizes(a->b, sizes, (size_t)count), tcc_value_elem(like));
}

static int tuple_length(GradOp *a, MlirValue indices) {
  int64_t depth = 0;
  MlirType type = tcc_value_type(indices);
  tcc_expr_is_const(tcc_type_dim(a->ir, type, tcc_type_rank(type) - 1), &depth);
  return (int)depth;
}

/* Batch axes become part of the tuples. */
bool tcc_grad_gather_nd(GradOp *a) {
  int batch = (int)tcc_i64(a->ir, a->op, "batch_dims");
  MlirValue indices = grad_operand(a, 1), parts[TCC_MAX_RANK + 1];
  GradShape shape = grad_shape(a->ir, indices);
  int depth = tuple_length(a, indices);
  if (depth) indices = plain(a, indices, sizes_from(a, 0, batch, depth, indices));
  shape.dims[shape.rank - 1] = grad_const(a, 1);
  for (int i = 0; i < batch; i++) parts[i] = tcc_build_iota(a->b, tcc_value_elem(indices), i, shape.rank, shape.dims);
  parts[batch] = indices;
  if (batch) indices = tcc_build_concat(a->b, parts, (size_t)batch + 1, shape.rank - 1);
  grad_give(a, 0, scatter(a, grad_zeros(a->b, type_of(a, 0)), indices, a->g[0], -1, "add", "unsigned"));
  return true;
}

bool tcc_grad_topk(GradOp *a) {
  if (!a->g[0].ptr) return true;
  MlirValue indices = mlirOperationGetResult(a->op, 1);
  grad_give(a, 0,
            scatter(a, grad_zeros(a->b, type_of(a, 0)), indices, a->g[0], (int)tcc_i64(a->ir, a->op, "axis"), "add", "unsigned"));
  return true;
}

/* ---- scatters: both kinds read and write through `read` and `write` ---- */
typedef struct {
  GradOp *a;
  int axis; /* negative: scatter_nd */
  MlirValue x, indices, updates, r, g;
  const char *valid;  /* of writes */
  MlirValue written;  /* bool like updates: whether the index is inside; null: all are */
  MlirValue readable; /* indices that can be read at */
} Scatter;

static MlirValue write(Scatter *s, MlirValue x, MlirValue updates, const char *reduction) {
  return scatter(s->a, x, s->indices, updates, s->axis, reduction, s->valid);
}

static MlirValue read(Scatter *s, MlirValue x) {
  return s->axis < 0 ? gather_nd(s->a, x, s->readable, "unsigned") : gather_elements(s->a, x, s->readable, s->axis, "unsigned");
}

static MlirValue op2(Scatter *s, TccOpKind kind, MlirValue x, MlirValue y) { return tcc_build2(s->a->b, kind, x, y); }
static MlirValue number(Scatter *s, double value) { return tcc_build_scalar(s->a->b, tcc_value_elem(s->g), value); }
static MlirValue equal(Scatter *s, MlirValue x, MlirValue y) { return tcc_build_compare(s->a->b, "eq", x, y); }
static MlirValue as_number(Scatter *s, MlirValue condition) { return tcc_build_convert(s->a->b, condition, tcc_value_elem(s->g)); }
static MlirValue choose(Scatter *s, MlirValue c, MlirValue x, MlirValue y) { return tcc_build_select(s->a->b, c, x, y); }
static MlirValue where_written(Scatter *s, MlirValue v) { return s->written.ptr ? choose(s, s->written, v, number(s, 0)) : v; }

/* Indices that may be out of range: which are inside, one for each update, and the indices clamped. */
static void find_written(Scatter *s) {
  GradOp *a = s->a;
  s->readable = s->indices;
  if (tcc_valid(a->ir, a->op) == TCC_VALID_UNSIGNED) return;
  int depth = s->axis < 0 ? tuple_length(a, s->indices) : 0;
  if (s->axis < 0 && !depth) return;
  MlirValue sizes = s->axis < 0 ? sizes_from(a, 0, 0, depth, s->indices) : axis_size(a, 0, s->axis, s->indices);
  s->readable = plain(a, s->indices, sizes);
  if (tcc_valid(a->ir, a->op) == TCC_VALID_SIGNED) return;
  MlirValue inside = equal(s, s->readable, from_the_end(a, s->indices, sizes));
  if (s->axis < 0) {
    int64_t last = tcc_type_rank(tcc_value_type(inside)) - 1;
    inside = tcc_build_reduce(a->b, "and", inside, &last, 1, false);
    GradShape u = grad_shape(a->ir, s->updates);
    GradShape one = u;
    for (int i = (int)last; i < one.rank; i++) one.dims[i] = grad_const(a, 1);
    inside = tcc_build_broadcast(a->b, tcc_build_reshape(a->b, inside, one.rank, one.dims), u.rank, u.dims);
  }
  s->written = inside;
}

/* The update that a place keeps is the last one written there: each update's number is written, too, and read again. */
static MlirValue is_kept(Scatter *s) {
  TccBuilder *b = s->a->b;
  GradShape u = grad_shape(s->a->ir, s->updates);
  const TccExpr *count = grad_const(s->a, 1);
  for (int i = 0; i < u.rank; i++) count = tcc_expr_mul(b->ir->exprs, count, u.dims[i]);
  MlirValue numbers = tcc_build_reshape(b, tcc_build_iota(b, TCC_ELEM_I64, 0, 1, &count), u.rank, u.dims);
  MlirValue places = grad_zeros(b, tcc_type_with_elem(b->ir, type_of(s->a, 0), TCC_ELEM_I64));
  return equal(s, read(s, write(s, places, numbers, "none")), numbers);
}

static void scatter_none(Scatter *s) {
  GradOp *a = s->a;
  if (a->wanted[0]) grad_give(a, 0, write(s, s->g, grad_zeros(a->b, type_of(a, 2)), "none"));
  if (a->wanted[2]) grad_give(a, 2, where_written(s, choose(s, is_kept(s), read(s, s->g), number(s, 0))));
}

static void scatter_add(Scatter *s) {
  if (s->a->wanted[0]) grad_give(s->a, 0, s->g);
  if (s->a->wanted[2]) grad_give(s->a, 2, where_written(s, read(s, s->g)));
}

/* Where k factors of a place are 0, the product of the others than factor f is that of all that are not 0, but 0 where f is another. */
static MlirValue others(Scatter *s, MlirValue factor, MlirValue nonzero_product, MlirValue zeros) {
  MlirValue is_zero = equal(s, factor, number(s, 0)), none = equal(s, zeros, number(s, 0)), one = equal(s, zeros, number(s, 1));
  MlirValue quotient = op2(s, TCC_OP_DIV, nonzero_product, choose(s, is_zero, number(s, 1), factor));
  return choose(s, is_zero, choose(s, one, nonzero_product, number(s, 0)), choose(s, none, quotient, number(s, 0)));
}

static void scatter_mul(Scatter *s) {
  GradOp *a = s->a;
  MlirValue zero = number(s, 0), one = number(s, 1), x_zero = equal(s, s->x, zero), u_zero = equal(s, s->updates, zero);
  MlirValue product = write(s, choose(s, x_zero, one, s->x), choose(s, u_zero, one, s->updates), "mul");
  MlirValue zeros = write(s, as_number(s, x_zero), as_number(s, u_zero), "add");
  if (a->wanted[0]) grad_give(a, 0, op2(s, TCC_OP_MUL, s->g, others(s, s->x, product, zeros)));
  if (!a->wanted[2]) return;
  MlirValue rest = others(s, s->updates, read(s, product), read(s, zeros));
  grad_give(a, 2, where_written(s, op2(s, TCC_OP_MUL, read(s, s->g), rest)));
}

/* All that reach the extreme share its cotangent. */
static void scatter_extreme(Scatter *s) {
  GradOp *a = s->a;
  MlirValue x_has = as_number(s, equal(s, s->x, s->r));
  MlirValue u_has = where_written(s, as_number(s, equal(s, s->updates, read(s, s->r))));
  MlirValue share = op2(s, TCC_OP_DIV, s->g, write(s, x_has, u_has, "add"));
  if (a->wanted[0]) grad_give(a, 0, op2(s, TCC_OP_MUL, share, x_has));
  if (a->wanted[2]) grad_give(a, 2, op2(s, TCC_OP_MUL, read(s, share), u_has));
}

bool tcc_grad_scatter(GradOp *a) {
  static const char *const valids[] = {[TCC_VALID_ANY] = "any", [TCC_VALID_SIGNED] = "signed", [TCC_VALID_UNSIGNED] = "unsigned"};
  Scatter s = {.a = a, .axis = a->kind == TCC_OP_SCATTER_ND ? -1 : (int)tcc_i64(a->ir, a->op, "axis"), .g = a->g[0]};
  s.x = grad_operand(a, 0), s.indices = grad_operand(a, 1), s.updates = grad_operand(a, 2), s.r = grad_result(a);
  s.valid = valids[tcc_valid(a->ir, a->op)];
  find_written(&s);
  TccStr reduction = tcc_string(a->ir, a->op, "reduction");
  if (tcc_str_is(reduction, "none")) scatter_none(&s);
  else if (tcc_str_is(reduction, "add")) scatter_add(&s);
  else if (tcc_str_is(reduction, "mul")) scatter_mul(&s);
  else scatter_extreme(&s);
  return true;
}

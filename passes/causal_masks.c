/* causal_masks.c - masks of attention that are triangles become its attribute, those that hide nothing go.
 *
 *   %m = tcc.select(tcc.compare(%j, %i) {le}, 0, -inf)       =>   %r = tcc.attention %q, %k, %v, none {causal = true}
 *   %r = tcc.attention %q, %k, %v, %m
 *
 * Exporters write a causal mask as a tensor: a weight (whose triangle the importer saw), a slice of one, or comparisons of
 * two iotas where the length is dynamic. Attention that knows it skips the keys that nobody sees and reads no mask at all.
 * A value is followed backwards in a small abstract domain: a linear function of its index (ramp), or one of two numbers
 * on either side of a diagonal (triangle; a uniform value is one with equal sides). Arguments of functions are what all
 * their callers pass. Each value is looked at once.
 *
 * requires: recompose. ensures: an argument of a private function that lost its last reader here is gone, at its calls too.
 * keeps: results; a row that sees no key at all is left alone where its mask is finite. */
#include "lib/ir/attention.h"
#include "lib/ir/internal.h"
#include "lib/ir/names.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include <math.h>

enum { MOST_DEPTH = 64 };
static const double hidden = -1e9; /* what is added to a score at most for its weight to vanish beside any other */

typedef enum { BAND_UNKNOWN, BAND_TRIANGLE, BAND_RAMP } BandForm;
typedef struct {
  BandForm form;
  double inside, outside;      /* triangle: where index[column] <= index[row] + offset, and elsewhere */
  int row, column;             /* counted from the last axis, which is 0; row > column */
  const TccExpr *offset;       /* triangle and ramp */
  int8_t factor[TCC_MAX_RANK]; /* ramp: offset + sum of factor[axis from the last] * index */
} Band;

typedef struct {
  MlirOperation op;
  TCC_VEC(MlirOperation) calls;
} Function;
typedef struct {
  TccIr *ir;
  TccArena *arena;
  TccMap *functions;    /* name -> Function */
  TccPointerMap bodies; /* block -> Function */
  TccPointerMap known;  /* value -> Band */
} Masks;

static const Band *band_of(Masks *m, MlirValue value, int depth);

static Band unknown(void) { return (Band){.form = BAND_UNKNOWN}; }

static Band uniform(Masks *m, double value) {
  return (Band){
      .form = BAND_TRIANGLE, .inside = value, .outside = value, .row = 1, .column = 0, .offset = tcc_expr_const(m->ir->exprs, 0)};
}

static bool is_uniform(const Band *b) { return b->form == BAND_TRIANGLE && b->inside == b->outside; }

static bool same_band(const Band *a, const Band *b) {
  if (a->form != b->form) return false;
  if (a->form == BAND_RAMP) return a->offset == b->offset && !memcmp(a->factor, b->factor, sizeof a->factor);
  return a->form == BAND_TRIANGLE && a->inside == b->inside && a->outside == b->outside && a->row == b->row &&
         a->column == b->column && a->offset == b->offset;
}

/* ---- views ---- */

static bool is_unit(TccIr *ir, MlirType type, int axis) { /* counted from the last */
  int rank = tcc_type_rank(type);
  return axis >= rank || tcc_type_dim(ir, type, rank - 1 - axis) == tcc_expr_const(ir->exprs, 1);
}

/* The band of a value of type `from` that is broadcast to type `to`: the index along a unit axis stays 0. */
static Band stretched(TccIr *ir, const Band *x, MlirType from, MlirType to) {
  Band r = *x;
  if (x->form == BAND_RAMP)
    for (int axis = 0; axis < TCC_MAX_RANK; axis++)
      if (is_unit(ir, from, axis)) r.factor[axis] = 0;
  if (x->form == BAND_TRIANGLE && !is_uniform(x))
    for (int i = 0; i < 2; i++) {
      int axis = i ? x->row : x->column;
      if (is_unit(ir, from, axis) && !is_unit(ir, to, axis)) return unknown();
    }
  return r;
}

/* Axes from the last of x that become axes from the last of r, where a reshape only adds or drops unit axes; -1: gone. */
static bool unit_reshape(TccIr *ir, MlirType x, MlirType r, int to[TCC_MAX_RANK]) {
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  int xrank = tcc_type_rank(x), rrank = tcc_type_rank(r), at = 0;
  for (int axis = 0; axis < xrank; axis++) {
    const TccExpr *size = tcc_type_dim(ir, x, xrank - 1 - axis);
    to[axis] = -1;
    if (size == one) continue;
    while (at < rrank && tcc_type_dim(ir, r, rrank - 1 - at) == one) at++;
    if (!size || at == rrank || tcc_type_dim(ir, r, rrank - 1 - at) != size) return false;
    to[axis] = at++;
  }
  while (at < rrank)
    if (tcc_type_dim(ir, r, rrank - 1 - at++) != one) return false;
  return true;
}

/* The same value as `type`, with its axes renumbered; an axis that is gone had index 0. */
static Band renumbered(TccIr *ir, MlirType type, const Band *x, const int to[TCC_MAX_RANK]) {
  Band r = *x;
  if (is_uniform(x)) return r;
  if (x->form == BAND_RAMP) {
    memset(r.factor, 0, sizeof r.factor);
    for (int axis = 0; axis < TCC_MAX_RANK; axis++)
      if (x->factor[axis] && to[axis] >= 0) r.factor[to[axis]] = x->factor[axis];
    return r;
  }
  r.column = to[x->column];
  r.row = to[x->row];
  if (r.column < 0) return unknown();                                     /* one key */
  if (r.row < 0 && is_unit(ir, type, r.column + 1)) r.row = r.column + 1; /* one query: index 0 there */
  return r.row > r.column ? r : unknown();
}

static Band reshaped(Masks *m, MlirOperation op, const Band *x) {
  int to[TCC_MAX_RANK];
  memset(to, -1, sizeof to);
  if (is_uniform(x)) return *x;
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0));
  if (!unit_reshape(m->ir, tcc_value_type(mlirOperationGetOperand(op, 0)), type, to)) return unknown();
  return renumbered(m->ir, type, x, to);
}

static Band transposed(Masks *m, MlirOperation op, const Band *x) {
  const int64_t *perm;
  size_t rank;
  int to[TCC_MAX_RANK];
  memset(to, -1, sizeof to);
  if (!tcc_get_ints(m->ir, op, "perm", &perm, &rank)) return unknown();
  for (size_t axis = 0; axis < rank; axis++) to[rank - 1 - (size_t)perm[axis]] = (int)(rank - 1 - axis);
  return renumbered(m->ir, tcc_value_type(mlirOperationGetResult(op, 0)), x, to);
}

static Band sliced(Masks *m, MlirOperation op, const Band *x) {
  TccExprPool *pool = m->ir->exprs;
  const TccExpr *const *starts;
  const int64_t *steps;
  size_t rank, n;
  Band r = *x;
  if (!tcc_get_exprs(m->ir, op, "starts", &starts, &rank) || !tcc_get_ints(m->ir, op, "steps", &steps, &n) || n != rank)
    return unknown();
  for (size_t i = 0; i < rank; i++) {
    int axis = (int)(rank - 1 - i);
    if (x->form == BAND_RAMP && x->factor[axis]) {
      if (steps[i] != 1) return unknown();
      r.offset = tcc_expr_add(pool, r.offset, tcc_expr_mul(pool, tcc_expr_const(pool, x->factor[axis]), starts[i]));
    } else if (x->form == BAND_TRIANGLE && !is_uniform(x) && (axis == x->row || axis == x->column)) {
      if (steps[i] != 1) return unknown();
      r.offset = axis == x->row ? tcc_expr_add(pool, r.offset, starts[i]) : tcc_expr_sub(pool, r.offset, starts[i]);
    }
  }
  return r;
}

/* ---- elementwise ---- */

static bool on_numbers(Masks *m, MlirOperation op, const double x[3], double *out) {
  TccStr predicate;
  switch (tcc_op_kind(m->ir, op)) {
  case TCC_OP_NEG: *out = -x[0]; return true;
  case TCC_OP_NOT: *out = !(x[0] != 0); return tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0))) == TCC_ELEM_BOOL;
  case TCC_OP_CONVERT:
    *out = tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0))) == TCC_ELEM_BOOL ? x[0] != 0 : x[0];
    return *out == trunc(*out) || tcc_elem_is_float(tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0))));
  case TCC_OP_ADD: *out = x[0] + x[1]; return true;
  case TCC_OP_SUB: *out = x[0] - x[1]; return true;
  case TCC_OP_MUL: *out = x[0] * x[1]; return true;
  case TCC_OP_AND:
    *out = x[0] != 0 && x[1] != 0;
    return tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0))) == TCC_ELEM_BOOL;
  case TCC_OP_OR:
    *out = x[0] != 0 || x[1] != 0;
    return tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0))) == TCC_ELEM_BOOL;
  case TCC_OP_SELECT: *out = x[0] != 0 ? x[1] : x[2]; return true;
  case TCC_OP_COMPARE:
    predicate = tcc_string(m->ir, op, "predicate");
    *out = tcc_str_is(predicate, "eq")   ? x[0] == x[1]
           : tcc_str_is(predicate, "ne") ? x[0] != x[1]
           : tcc_str_is(predicate, "lt") ? x[0] < x[1]
           : tcc_str_is(predicate, "le") ? x[0] <= x[1]
           : tcc_str_is(predicate, "gt") ? x[0] > x[1]
                                         : x[0] >= x[1];
    return true;
  default: return false;
  }
}

/* a + sign * b of ramps, where a uniform integer is one without an index. */
static bool combine(Masks *m, const Band *a, const Band *b, int sign, Band *out) {
  TccExprPool *pool = m->ir->exprs;
  const TccExpr *offset[2];
  const Band *side[2] = {a, b};
  *out = (Band){.form = BAND_RAMP};
  for (int i = 0; i < 2; i++) {
    bool small = is_uniform(side[i]) && side[i]->inside == trunc(side[i]->inside) && fabs(side[i]->inside) < 1e15;
    if (side[i]->form != BAND_RAMP && !small) return false;
    offset[i] = small ? tcc_expr_const(pool, (int64_t)side[i]->inside) : side[i]->offset;
    for (int axis = 0; axis < TCC_MAX_RANK && !small; axis++) {
      int sum = out->factor[axis] + (i ? sign : 1) * side[i]->factor[axis];
      if (sum < -1 || sum > 1) return false;
      out->factor[axis] = (int8_t)sum;
    }
  }
  out->offset = sign > 0 ? tcc_expr_add(pool, offset[0], offset[1]) : tcc_expr_sub(pool, offset[0], offset[1]);
  return true;
}

/* Comparison of two ramps whose difference falls along one axis and rises along another: a triangle of booleans. */
static Band compared(Masks *m, MlirOperation op, const Band *a, const Band *b) {
  TccExprPool *pool = m->ir->exprs;
  TccStr predicate = tcc_string(m->ir, op, "predicate");
  bool less = tcc_str_is(predicate, "lt") || tcc_str_is(predicate, "le"),
       strict = tcc_str_is(predicate, "lt") || tcc_str_is(predicate, "gt");
  if (!less && !tcc_str_is(predicate, "gt") && !tcc_str_is(predicate, "ge")) return unknown();
  Band d; /* true where d >= 0 */
  if (!combine(m, less ? b : a, less ? a : b, -1, &d)) return unknown();
  if (strict) d.offset = tcc_expr_sub(pool, d.offset, tcc_expr_const(pool, 1));
  int axes[2], n = 0;
  for (int axis = 0; axis < TCC_MAX_RANK; axis++) {
    if (!d.factor[axis]) continue;
    if (n == 2) return unknown();
    axes[n++] = axis;
  }
  if (n != 2 || d.factor[axes[0]] == d.factor[axes[1]]) return unknown();
  if (d.factor[axes[0]] < 0) /* row - column + offset >= 0 */
    return (Band){.form = BAND_TRIANGLE, .inside = 1, .outside = 0, .row = axes[1], .column = axes[0], .offset = d.offset};
  /* column >= row - offset: all but column <= row - offset - 1 */
  const TccExpr *offset = tcc_expr_sub(pool, tcc_expr_const(pool, -1), d.offset);
  return (Band){.form = BAND_TRIANGLE, .inside = 0, .outside = 1, .row = axes[1], .column = axes[0], .offset = offset};
}

static Band elementwise(Masks *m, MlirOperation op, TccOpKind kind, int depth) {
  intptr_t n = mlirOperationGetNumOperands(op);
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0));
  Band bands[3], *x[3] = {&bands[0], &bands[1], &bands[2]};
  if (n < 1 || n > 3) return unknown();
  for (intptr_t i = 0; i < n; i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    bands[i] = stretched(m->ir, band_of(m, operand, depth + 1), tcc_value_type(operand), type);
    if (bands[i].form == BAND_UNKNOWN) return unknown();
  }
  bool ramps = x[0]->form == BAND_RAMP || (n > 1 && x[1]->form == BAND_RAMP);
  Band sum;
  if (ramps && (kind == TCC_OP_ADD || kind == TCC_OP_SUB))
    return combine(m, x[0], x[1], kind == TCC_OP_ADD ? 1 : -1, &sum) ? sum : unknown();
  if (ramps && kind == TCC_OP_COMPARE) return compared(m, op, x[0], x[1]);
  if (ramps && kind == TCC_OP_CONVERT) { /* between integers; indices of 2^31 are no concern of masks */
    TccElem elem = tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0)));
    return elem == TCC_ELEM_I64 || elem == TCC_ELEM_I32 ? *x[0] : unknown();
  }
  const Band *shape = x[0];
  double in[3], out[3];
  for (intptr_t i = 0; i < n; i++) {
    if (x[i]->form != BAND_TRIANGLE) return unknown();
    if (is_uniform(shape)) shape = x[i];
    bool lined = is_uniform(x[i]) || (x[i]->row == shape->row && x[i]->column == shape->column && x[i]->offset == shape->offset);
    if (!lined) return unknown();
    in[i] = x[i]->inside, out[i] = x[i]->outside;
  }
  Band r = *shape;
  return on_numbers(m, op, in, &r.inside) && on_numbers(m, op, out, &r.outside) && !isnan(r.inside) && !isnan(r.outside)
             ? r
             : unknown();
}

/* ---- sources ---- */

/* Constant integers that rise or fall by one along some axes: iotas whose length was known. */
static Band constant_ramp(Masks *m, MlirValue value, const void *data, size_t count) {
  const TccTypeInfo *type = tcc_type_info(m->ir, tcc_value_type(value));
  const double first = tcc_elem_load_f64(type->elem, data, 0);
  int64_t size[TCC_MAX_RANK], at[TCC_MAX_RANK] = {0}, stride = 1;
  Band r = {.form = BAND_RAMP};
  if (!tcc_elem_is_integer(type->elem) || fabs(first) >= 1e15) return unknown();
  for (int axis = 0; axis < type->rank; axis++) { /* from the last */
    if (!tcc_expr_is_const(type->dims[type->rank - 1 - axis], &size[axis])) return unknown();
    double step = size[axis] > 1 ? tcc_elem_load_f64(type->elem, data, (size_t)stride) - first : 0;
    if (step < -1 || step > 1) return unknown();
    r.factor[axis] = (int8_t)step;
    stride *= size[axis];
  }
  for (size_t i = 0; i < count; i++) {
    double expected = first;
    for (int axis = 0; axis < type->rank; axis++) expected += (double)(r.factor[axis] * at[axis]);
    if (tcc_elem_load_f64(type->elem, data, i) != expected) return unknown();
    for (int axis = 0; axis < type->rank && ++at[axis] == size[axis]; axis++) at[axis] = 0;
  }
  r.offset = tcc_expr_const(m->ir->exprs, (int64_t)first);
  return r;
}

static Band constant(Masks *m, MlirValue value) {
  size_t count;
  TccElem elem = tcc_type_elem(tcc_value_type(value));
  if (!elem || tcc_elem_bits(elem) < 8) return unknown();
  const void *splat = tcc_constant_splat(m->ir, value), *data = splat ? splat : tcc_constant_data(m->ir, value, &count);
  if (splat) count = 1;
  if (!data || !count) return unknown();
  double first = tcc_elem_load_f64(elem, data, 0);
  for (size_t i = 1; i < count; i++)
    if (tcc_elem_load_f64(elem, data, i) != first) return constant_ramp(m, value, data, count);
  return isnan(first) ? unknown() : uniform(m, first);
}

static Band weight(Masks *m, MlirOperation op) {
  const TccExpr *const *offset;
  size_t n;
  if (!tcc_get_exprs(m->ir, op, "triangle", &offset, &n) || n != 1) return unknown();
  return (Band){.form = BAND_TRIANGLE,
                .inside = tcc_f64(m->ir, op, "inside"),
                .outside = tcc_f64(m->ir, op, "outside"),
                .row = 1,
                .column = 0,
                .offset = offset[0]};
}

static Band iota(Masks *m, MlirOperation op) {
  Band r = {.form = BAND_RAMP, .offset = tcc_expr_const(m->ir->exprs, 0)};
  r.factor[tcc_type_rank(tcc_value_type(mlirOperationGetResult(op, 0))) - 1 - tcc_i64(m->ir, op, "axis")] = 1;
  return r;
}

/* A scalar size, or several that are equal. */
static Band sizes(Masks *m, MlirValue value) {
  size_t n;
  const TccExpr *const *known = tcc_symbolic_value(m->ir, value, &n);
  for (size_t i = 0; known && i < n; i++)
    if (!known[i] || known[i] != known[0]) return unknown();
  return known && n ? (Band){.form = BAND_RAMP, .offset = known[0]} : unknown();
}

static Band argument(Masks *m, MlirValue value, int depth) {
  Function *function = tcc_pointer_map_get(&m->bodies, mlirBlockArgumentGetOwner(value).ptr);
  if (!function || !function->calls.count) return unknown();
  const Band *all = NULL;
  for (size_t i = 0; i < function->calls.count; i++) {
    TccLoopCall loop;
    if (tcc_call_loop(m->ir, function->calls.data[i], &loop) && mlirBlockArgumentGetArgNumber(value) < loop.carried)
      return unknown();
    const Band *one = band_of(m, mlirOperationGetOperand(function->calls.data[i], mlirBlockArgumentGetArgNumber(value)), depth + 1);
    if (one->form == BAND_UNKNOWN || (all && !same_band(all, one))) return unknown();
    all = one;
  }
  return *all;
}

static Band look(Masks *m, MlirValue value, int depth) {
  if (mlirValueIsABlockArgument(value)) return argument(m, value, depth);
  MlirOperation op = mlirOpResultGetOwner(value);
  TccOpKind kind = tcc_op_kind(m->ir, op);
  switch (kind) {
  case TCC_OP_CONSTANT: return constant(m, value);
  case TCC_OP_WEIGHT: return weight(m, op);
  case TCC_OP_IOTA: return iota(m, op);
  case TCC_OP_SIZES: return sizes(m, value);
  case TCC_OP_BROADCAST:
    return stretched(m->ir, band_of(m, mlirOperationGetOperand(op, 0), depth + 1), tcc_value_type(mlirOperationGetOperand(op, 0)),
                     tcc_value_type(value));
  case TCC_OP_RESHAPE: return reshaped(m, op, band_of(m, mlirOperationGetOperand(op, 0), depth + 1));
  case TCC_OP_TRANSPOSE: return transposed(m, op, band_of(m, mlirOperationGetOperand(op, 0), depth + 1));
  case TCC_OP_SLICE: return sliced(m, op, band_of(m, mlirOperationGetOperand(op, 0), depth + 1));
  default: return tcc_op_has_trait(kind, 'E') ? elementwise(m, op, kind, depth) : unknown();
  }
}

static const Band *band_of(Masks *m, MlirValue value, int depth) {
  const Band *known = tcc_pointer_map_get(&m->known, value.ptr);
  if (known) return known;
  Band *band = TCC_NEW(m->arena, Band);
  if (depth < MOST_DEPTH) *band = look(m, value, depth);
  tcc_pointer_map_set(&m->known, value.ptr, band);
  return band;
}

/* ---- rewriting ---- */

/* Whether the mask hides nothing. */
static bool is_open(Masks *m, MlirValue mask) {
  const Band *band = band_of(m, mask, 0);
  return is_uniform(band) && (tcc_type_elem(tcc_value_type(mask)) == TCC_ELEM_BOOL ? band->inside != 0 : band->inside == 0);
}

/* Whether the mask of rank 4 hides exactly the keys that `causal` with *out_offset hides. */
static bool is_causal(Masks *m, MlirValue mask, MlirType scores, const TccExpr **out_offset) {
  const Band stretch = stretched(m->ir, band_of(m, mask, 0), tcc_value_type(mask), scores), *band = &stretch;
  if (band->form != BAND_TRIANGLE || is_uniform(band) || band->row != 1 || band->column != 0) return false;
  *out_offset = band->offset;
  if (tcc_type_elem(tcc_value_type(mask)) == TCC_ELEM_BOOL) return band->inside != 0 && band->outside == 0;
  if (band->inside != 0) return false;
  return (isinf(band->outside) && band->outside < 0) || (band->outside <= hidden && tcc_expr_known_nonnegative(band->offset));
}

static void rewrite(Masks *m, MlirBlock block, MlirOperation op) {
  const TccExpr *offset;
  const intptr_t at = tcc_attention_mask_at(op);
  MlirValue mask = mlirOperationGetOperand(op, at);
  if (tcc_value_is_none(m->ir, mask)) return;
  const bool open = is_open(m, mask);
  if (!open && tcc_bool(m->ir, op, "causal")) return;
  const TccExpr *dims[4];
  for (int axis = 0; axis < 4; axis++)
    dims[axis] = tcc_type_dim(m->ir, tcc_value_type(mlirOperationGetOperand(op, axis == 3)), axis == 3 ? 2 : axis);
  if (!open && !is_causal(m, mask, tcc_tensor_type(m->ir, TCC_ELEM_F32, 4, dims), &offset)) return;
  TccBuilder b = {m->ir, block, op, mlirOperationGetLocation(op)};
  MlirOperation none = tcc_build(&b, TCC_OP_NONE, NULL, 0, NULL, 0, NULL);
  mlirOperationSetOperand(op, at, mlirOperationGetResult(none, 0));
  if (open) return;
  tcc_set_attribute(op, "causal", tcc_attr_bool(m->ir, true));
  tcc_set_attribute(op, "offset", tcc_attr_exprs(m->ir, &offset, 1));
}

/* Drops arguments that nobody reads from a private function and from its calls; what a loop carries stays. */
static void drop_arguments(Masks *m, Function *function) {
  MlirBlock body = tcc_func_body(function->op);
  TccLoopCall loop = {0};
  intptr_t kept = 0;
  for (size_t c = 0; c < function->calls.count; c++)
    if (tcc_call_loop(m->ir, function->calls.data[c], &loop) && loop.carried > kept) kept = loop.carried;
  for (intptr_t i = mlirBlockGetNumArguments(body); i-- > kept;) {
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(body, i)))) continue;
    mlirBlockEraseArgument(body, (unsigned)i);
    for (size_t c = 0; c < function->calls.count; c++) {
      MlirOperation call = function->calls.data[c];
      intptr_t n = mlirOperationGetNumOperands(call), left = 0;
      MlirValue *operands = TCC_NEW_ARRAY(m->arena, MlirValue, (size_t)n);
      for (intptr_t k = 0; k < n; k++)
        if (k != i) operands[left++] = mlirOperationGetOperand(call, k);
      mlirOperationSetOperands(call, left, operands);
    }
  }
  MlirStringRef name = mlirStringRefCreateFromCString("function_type");
  MlirType old = mlirTypeAttrGetValue(mlirOperationGetAttributeByName(function->op, name));
  size_t ninputs = (size_t)mlirBlockGetNumArguments(body), nresults = (size_t)mlirFunctionTypeGetNumResults(old);
  MlirType *types = TCC_NEW_ARRAY(m->arena, MlirType, ninputs + nresults);
  for (size_t i = 0; i < ninputs; i++) types[i] = tcc_value_type(mlirBlockGetArgument(body, (intptr_t)i));
  for (size_t i = 0; i < nresults; i++) types[ninputs + i] = mlirFunctionTypeGetResult(old, (intptr_t)i);
  MlirType type = mlirFunctionTypeGet(m->ir->context, (intptr_t)ninputs, types, (intptr_t)nresults, types + ninputs);
  mlirOperationSetAttributeByName(function->op, name, mlirTypeAttrGet(type));
}

static void find_functions(Masks *m, MlirOperation module) {
  TCC_EACH_FUNCTION (func, module) {
    Function *function = TCC_NEW(m->arena, Function);
    function->op = func;
    tcc_map_put(m->functions, tcc_function_name(func), NULL)->pointer = function;
    tcc_pointer_map_set(&m->bodies, tcc_func_body(func).ptr, function);
  }
  for (size_t i = 0; i < tcc_map_count(m->functions); i++) {
    MlirBlock body = tcc_func_body(((Function *)tcc_map_at(m->functions, i)->pointer)->op);
    TCC_EACH_OP (op, body) {
      TccMapEntry *entry = tcc_op_is_named(op, "func.call") ? tcc_map_find(m->functions, tcc_callee_name(op)) : NULL;
      if (entry) TCC_VEC_PUSH(m->arena, &((Function *)entry->pointer)->calls, op);
    }
  }
}

MlirLogicalResult tcc_pass_causal_masks(TccPassRun *run, MlirOperation module) {
  Masks m = {.ir = run->ir,
             .arena = run->scratch,
             .functions = tcc_map_create(run->scratch),
             .bodies = {.arena = run->scratch},
             .known = {.arena = run->scratch}};
  find_functions(&m, module);
  for (size_t i = 0; i < tcc_map_count(m.functions); i++) {
    MlirBlock body = tcc_func_body(((Function *)tcc_map_at(m.functions, i)->pointer)->op);
    TCC_EACH_OP (op, body)
      if (tcc_is_attention(tcc_op_kind(run->ir, op))) rewrite(&m, body, op);
  }
  for (size_t i = tcc_map_count(m.functions); i-- > 0;) {
    Function *function = tcc_map_at(m.functions, i)->pointer;
    bool described = tcc_has_attribute(function->op, "arg_attrs");
    if (function->calls.count && !described) drop_arguments(&m, function);
  }
  return mlirLogicalResultSuccess();
}

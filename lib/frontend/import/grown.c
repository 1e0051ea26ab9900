/* grown.c - a body whose tensors become longer in each iteration, as one of fixed sizes.
 *
 *   k: [H, P + 1, D]                         k: [H, R + 1, D], whose first R - P rows hold nothing
 *   softmax(q k^T) v                 ->      softmax(row < R - P ? -inf : q k^T) v
 *
 * The run-time plans the memory of a loop once, so what a loop carries keeps its type. A cache that an iteration makes longer lies at the end of
 * an axis with room for all: what is joined behind it stays there, what counts from its end does too, and elementwise ops do not care. What
 * combines the elements of such an axis (softmax, reduce, products over it) is given what changes nothing in the places that hold
 * nothing; what computes with its length or with places along it (sizes, iota, slices) subtracts what is absent. So results are those of the
 * body as it is, whatever it makes of its masks. Any other op on such an axis is refused. */
#include "lib/frontend/import/grown.h"
#include "lib/frontend/import/importer.h"
#include "tcc/op_kinds.h"
#include <math.h>

enum { MOST_OPERANDS = 16, MOST_ATTRIBUTES = 24 };

/* A value as it was built anew. zero: the places of its grown axes that hold nothing are 0. */
typedef struct {
  MlirValue value;
  bool zero;
} Made;

typedef struct {
  ImportCall *c;
  const ImportGrowth *g;
  TccMap *made;     /* pointer of a value -> Made */
  MlirOperation op; /* at hand, of the body */
  TccOpKind kind;
  size_t count; /* of operands */
  Made in[MOST_OPERANDS];
  ImportShape from[MOST_OPERANDS], to;  /* of the operands and of the first result, in the body */
  uint32_t grown[MOST_OPERANDS], grows; /* axes of these that the number is a part of */
} Copy;

static MlirValue none(void) { return (MlirValue){NULL}; }
static MlirValue number(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, value); }

static bool refuse(Copy *cp, const char *why) {
  return import_unsupported(cp->c, "%s, %s", tcc_op_name(cp->kind), why[0] ? why : "along an axis that a loop makes longer");
}

/* ---- sizes ---- */
typedef struct {
  TccStr name;
  const TccExpr *value;
  bool found;
} Symbol;

static void note(TccStr name, void *user) {
  Symbol *s = user;
  s->found |= tcc_str_equal(name, s->name);
}

static const TccExpr *replaced(TccStr name, void *user) {
  Symbol *s = user;
  return tcc_str_equal(name, s->name) ? s->value : NULL;
}

static bool mentions(const ImportGrowth *g, const TccExpr *e) {
  Symbol s = {0};
  tcc_expr_is_symbol(g->symbol, &s.name);
  if (e) tcc_expr_symbols(e, note, &s);
  return s.found;
}

static const TccExpr *with(ImportCall *c, const ImportGrowth *g, const TccExpr *e, const TccExpr *value) {
  Symbol s = {.value = value};
  tcc_expr_is_symbol(g->symbol, &s.name);
  return e ? tcc_expr_substitute(c->ir->exprs, e, replaced, &s) : NULL;
}

/* How often the number is a part of the sum e. */
static bool multiple(ImportCall *c, const ImportGrowth *g, const TccExpr *e, int64_t *out) {
  const TccExpr *at[3];
  int64_t again;
  for (int i = 0; i < 3; i++) at[i] = with(c, g, e, import_size(c, i));
  return tcc_expr_is_const(import_size_sub(c, at[1], at[0]), out) && tcc_expr_is_const(import_size_sub(c, at[2], at[1]), &again) &&
         again == *out;
}

/* Axes of a shape that the number is a part of: it and a constant more. */
static bool find_grown(Copy *cp, const ImportShape *shape, uint32_t *out) {
  *out = 0;
  for (int i = 0; i < shape->rank; i++) {
    if (!mentions(cp->g, shape->dims[i])) continue;
    if (!tcc_expr_is_const(import_size_sub(cp->c, shape->dims[i], cp->g->symbol), NULL))
      return refuse(cp, "a size that is not what a loop makes longer and a constant more");
    *out |= 1u << i;
  }
  return true;
}

static bool has(uint32_t axes, int64_t axis) { return axis >= 0 && axis < TCC_MAX_RANK && (axes >> axis & 1); }

static ImportShape with_room(Copy *cp, const ImportShape *shape) {
  ImportShape out = *shape;
  for (int i = 0; i < out.rank; i++) out.dims[i] = with(cp->c, cp->g, out.dims[i], cp->g->room);
  return out;
}

/* ---- places that hold nothing ---- */
/* bool [1, ..., size, ..., 1]: a place along the axis holds something. */
static MlirValue holds(Copy *cp, int rank, int axis, const TccExpr *size) {
  ImportCall *c = cp->c;
  const TccExpr *dims[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) dims[i] = i == axis ? size : import_size(c, 1);
  return tcc_build_reshape(&c->b, tcc_build_compare(&c->b, "ge", import_iota(c, TCC_ELEM_I64, size), cp->g->absent), rank, dims);
}

/* Operand i with `value` in the places along these axes that hold nothing. */
static MlirValue filled(Copy *cp, size_t i, uint32_t axes, MlirValue value) {
  MlirValue x = cp->in[i].value;
  ImportShape shape = import_shape(cp->c, x);
  for (int a = 0; a < shape.rank; a++)
    if (has(axes & cp->grown[i], a)) x = tcc_build_select(&cp->c->b, holds(cp, shape.rank, a, shape.dims[a]), x, value);
  return x;
}

static MlirValue scalar(Copy *cp, TccElem elem, double value) {
  return tcc_elem_is_float(elem) ? tcc_build_scalar(&cp->c->b, elem, value) : tcc_build_scalar_i64(&cp->c->b, elem, (int64_t)value);
}

/* ---- an op anew ---- */
static size_t read_attributes(Copy *cp, TccNamedAttr *out, bool *out_grows) {
  TccIr *ir = cp->c->ir;
  size_t n = tcc_named_attributes(cp->op, out, MOST_ATTRIBUTES), count;
  *out_grows = false;
  for (size_t i = 0; i < n; i++) {
    const TccExpr *const *values;
    if (!mlirAttributeIsAArray(out[i].value) || !tcc_get_exprs(ir, cp->op, out[i].name, &values, &count)) continue;
    const TccExpr **anew = TCC_NEW_ARRAY(ir->arena, const TccExpr *, count + 1);
    for (size_t k = 0; k < count; k++) {
      *out_grows |= mentions(cp->g, values[k]);
      anew[k] = with(cp->c, cp->g, values[k], cp->g->room);
    }
    out[i].value = tcc_attr_exprs(ir, anew, count);
  }
  return n;
}

static bool keep(Copy *cp, MlirValue from, MlirValue to, bool zero) {
  bool inserted;
  const void *key = from.ptr;
  char *name = tcc_arena_copy(import_arena(cp->c), (const char *)&key, sizeof key);
  TccMapEntry *entry = tcc_map_put(cp->made, (TccStr){name, sizeof key}, &inserted);
  Made *made = TCC_NEW(import_arena(cp->c), Made);
  *made = (Made){to, zero};
  entry->pointer = made;
  return to.ptr != NULL;
}

static Made find(Copy *cp, MlirValue from) {
  const void *key = from.ptr;
  const TccMapEntry *entry = tcc_map_find(cp->made, (TccStr){(const char *)&key, sizeof key});
  return entry ? *(const Made *)entry->pointer : (Made){.value = from}; /* of outside */
}

static bool give(Copy *cp, MlirValue value, bool zero) { return keep(cp, mlirOperationGetResult(cp->op, 0), value, zero); }

/* The op with these operands, and its sizes and attributes with room. */
static bool again(Copy *cp, const MlirValue *operands, bool zero) {
  TccNamedAttr attrs[MOST_ATTRIBUTES];
  bool grows;
  size_t n = read_attributes(cp, attrs, &grows);
  ImportShape to = with_room(cp, &cp->to);
  MlirType type = tcc_tensor_type(cp->c->ir, to.elem, to.rank, to.dims);
  if (mlirTypeIsNull(type)) return refuse(cp, "a negative size");
  MlirOperation made =
      tcc_build(&cp->c->b, cp->kind, operands, cp->count, attrs, n, tcc_op_has_trait(cp->kind, 'X') ? &type : NULL);
  if (mlirOperationIsNull(made)) return false;
  for (intptr_t i = 0; i < mlirOperationGetNumResults(cp->op); i++)
    if (!keep(cp, mlirOperationGetResult(cp->op, i), mlirOperationGetResult(made, i), zero)) return false;
  return true;
}

static bool as_it_is(Copy *cp, bool zero) {
  MlirValue operands[MOST_OPERANDS];
  for (size_t i = 0; i < cp->count; i++) operands[i] = cp->in[i].value;
  return again(cp, operands, zero);
}

static bool plain(Copy *cp) {
  MlirOperation made = mlirOperationClone(cp->op);
  for (size_t i = 0; i < cp->count; i++) mlirOperationSetOperand(made, (intptr_t)i, cp->in[i].value);
  mlirBlockAppendOwnedOperation(cp->c->b.block, made);
  for (intptr_t i = 0; i < mlirOperationGetNumResults(cp->op); i++)
    keep(cp, mlirOperationGetResult(cp->op, i), mlirOperationGetResult(made, i), false);
  return true;
}

/* ---- rules ---- */
static int64_t integer(Copy *cp, const char *name) {
  int64_t value = 0;
  tcc_get_i64(cp->c->ir, cp->op, name, &value);
  return value;
}

/* Operands that broadcast: an axis that grows is that of each of them, or of size 1. */
static bool copy_elementwise(Copy *cp) {
  for (size_t i = 0; i < cp->count; i++)
    for (int a = 0; a < cp->from[i].rank; a++) {
      int at = cp->to.rank - cp->from[i].rank + a;
      if (has(cp->grows, at) && !has(cp->grown[i], a) && !import_is_size(cp->from[i].dims[a], 1)) return refuse(cp, "");
    }
  return as_it_is(cp, cp->kind == TCC_OP_CONVERT && cp->in[0].zero);
}

static bool copy_sizes(Copy *cp) {
  ImportCall *c = cp->c;
  const TccExpr *const *values;
  size_t n;
  if (!tcc_get_exprs(c->ir, cp->op, "values", &values, &n)) return refuse(cp, "");
  int64_t *often = TCC_NEW_ARRAY(import_arena(c), int64_t, n + 1), count = (int64_t)n;
  const TccExpr **sizes = TCC_NEW_ARRAY(import_arena(c), const TccExpr *, n + 1);
  for (size_t i = 0; i < n; i++) {
    if (!multiple(c, cp->g, values[i], &often[i])) return refuse(cp, "a size that is no sum");
    sizes[i] = with(c, cp->g, values[i], cp->g->room);
  }
  MlirValue times = tcc_build_constant(&c->b, TCC_ELEM_I64, 1, &count, often);
  MlirValue less = tcc_build2(&c->b, TCC_OP_MUL, times, cp->g->absent);
  return give(cp, tcc_build2(&c->b, TCC_OP_SUB, tcc_build_sizes(&c->b, sizes, n), less), false);
}

static bool copy_iota(Copy *cp) {
  if (!has(cp->grows, integer(cp, "axis"))) return as_it_is(cp, false);
  ImportShape to = with_room(cp, &cp->to);
  MlirValue places = tcc_build_iota(&cp->c->b, to.elem, integer(cp, "axis"), to.rank, to.dims);
  return give(cp, tcc_build2(&cp->c->b, TCC_OP_SUB, places, tcc_build_convert(&cp->c->b, cp->g->absent, to.elem)), false);
}

static bool copy_concat(Copy *cp) {
  int64_t axis = integer(cp, "axis");
  if (!has(cp->grows, axis)) return as_it_is(cp, cp->in[0].zero && cp->in[1].zero);
  if (!has(cp->grown[0], axis) || has(cp->grown[1], axis)) return refuse(cp, "something in front of what a loop makes longer");
  return as_it_is(cp, cp->in[0].zero && (cp->grows & ~(1u << axis)) == 0);
}

/* x's elements from `start` of the room on, less what is absent: `size` of them. */
static MlirValue slice_at(Copy *cp, MlirValue x, int axis, const TccExpr *start, bool less, const TccExpr *size) {
  ImportCall *c = cp->c;
  ImportShape shape = import_shape(c, x);
  MlirValue starts[TCC_MAX_RANK], at = tcc_build_size(&c->b, start);
  at = tcc_build2(&c->b, less ? TCC_OP_SUB : TCC_OP_ADD, at, cp->g->absent);
  for (int i = 0; i < shape.rank; i++) starts[i] = import_unsqueeze(c, i == axis ? at : number(c, 0), 0);
  shape.dims[axis] = size;
  MlirValue operands[] = {x, tcc_build_concat(&c->b, starts, (size_t)shape.rank, 0)};
  return operands[1].ptr ? import_op_typed(c, TCC_OP_DYNAMIC_SLICE, operands, 2, NULL, 0, &shape) : none();
}

/* The first elements of an axis that does not grow, as many as one that does has: none where that holds nothing. */
static MlirValue spread(Copy *cp, MlirValue x, int axis, const TccExpr *start, const TccExpr *size) {
  ImportCall *c = cp->c;
  MlirValue at = tcc_build2(&c->b, TCC_OP_SUB, import_iota(c, TCC_ELEM_I64, size), cp->g->absent);
  at = tcc_build2(&c->b, TCC_OP_ADD, tcc_build2(&c->b, TCC_OP_MAX, at, number(c, 0)), tcc_build_size(&c->b, start));
  return tcc_build_gather(&c->b, x, at, axis);
}

static MlirValue slice_axis(Copy *cp, MlirValue x, int axis, const TccExpr *start, int64_t step, bool *zero) {
  ImportCall *c = cp->c;
  const ImportGrowth *g = cp->g;
  const TccExpr *to = with(c, g, cp->to.dims[axis], g->room), *from = with(c, g, start, g->room);
  bool before = has(cp->grown[0], axis), after = has(cp->grows, axis), moves = mentions(g, start);
  int64_t often = 0;
  if (!before && !after && !moves) return tcc_build_slice_axis(&c->b, x, axis, from, step, to);
  if ((step != 1 && !import_is_size(to, 1)) || !multiple(c, g, start, &often)) return none();
  if (after && moves) return none();
  *zero = *zero && (!after || import_is_size(start, 0));
  if (before && after) return tcc_build_slice_axis(&c->b, x, axis, from, 1, to);
  if (after) return spread(cp, x, axis, start, to);
  if (before && often == 1) return tcc_build_slice_axis(&c->b, x, axis, from, 1, to);
  if (before && often == 0) return slice_at(cp, x, axis, from, false, to);
  return !before && often == 1 ? slice_at(cp, x, axis, from, true, to) : none();
}

static bool copy_slice(Copy *cp) {
  const TccExpr *const *starts;
  const int64_t *steps;
  size_t n, nsteps;
  if (!tcc_get_exprs(cp->c->ir, cp->op, "starts", &starts, &n) || !tcc_get_ints(cp->c->ir, cp->op, "steps", &steps, &nsteps))
    return refuse(cp, "");
  MlirValue x = cp->in[0].value;
  bool zero = cp->in[0].zero;
  for (size_t i = 0; i < n && x.ptr; i++) x = slice_axis(cp, x, (int)i, starts[i], steps[i], &zero);
  return x.ptr ? give(cp, x, zero) : !cp->c->reason && refuse(cp, "");
}

/* Axes that grow keep what is in front of them. */
static bool copy_reshape(Copy *cp) {
  ImportCall *c = cp->c;
  int a = 0;
  for (int r = 0; r < cp->to.rank; r++) {
    if (!has(cp->grows, r)) continue;
    while (a < cp->from[0].rank && !has(cp->grown[0], a)) a++;
    if (a == cp->from[0].rank || !tcc_expr_known_equal(cp->from[0].dims[a], cp->to.dims[r]) ||
        !tcc_expr_known_equal(import_product(c, cp->from[0].dims, a), import_product(c, cp->to.dims, r)))
      return refuse(cp, "");
    a++;
  }
  while (a < cp->from[0].rank && !has(cp->grown[0], a)) a++;
  return a == cp->from[0].rank ? as_it_is(cp, cp->in[0].zero) : refuse(cp, "");
}

/* Indices in places that hold nothing become 0. */
static bool copy_gather(Copy *cp, int64_t axis) {
  if (has(cp->grown[0], axis)) return refuse(cp, "");
  MlirValue operands[] = {cp->in[0].value, filled(cp, 1, UINT32_MAX, scalar(cp, cp->from[1].elem, 0))};
  return again(cp, operands, false);
}

static bool copy_reduce(Copy *cp) {
  const int64_t *axes;
  size_t n;
  TccStr kind = {0};
  uint32_t over = 0;
  if (!tcc_get_ints(cp->c->ir, cp->op, "axes", &axes, &n) || !tcc_get_str(cp->c->ir, cp->op, "kind", &kind)) return refuse(cp, "");
  for (size_t i = 0; i < n; i++) over |= 1u << axes[i];
  TccElem elem = cp->from[0].elem;
  bool extreme = tcc_str_is(kind, "max") || tcc_str_is(kind, "min");
  if (extreme && (over & cp->grown[0]) && !tcc_elem_is_float(elem)) return refuse(cp, "");
  double neutral = tcc_str_is(kind, "max")   ? -INFINITY
                   : tcc_str_is(kind, "min") ? INFINITY
                                             : (double)(tcc_str_is(kind, "prod") || tcc_str_is(kind, "and"));
  MlirValue x = filled(cp, 0, over, scalar(cp, elem, neutral));
  return again(cp, &x, false);
}

static bool copy_cumulative(Copy *cp) {
  TccStr kind = tcc_str("sum");
  tcc_get_str(cp->c->ir, cp->op, "kind", &kind);
  bool along = has(cp->grown[0], integer(cp, "axis"));
  if (along && !tcc_str_is(kind, "sum") && !tcc_str_is(kind, "prod")) return refuse(cp, "");
  MlirValue x = filled(cp, 0, along ? 1u << integer(cp, "axis") : 0, scalar(cp, cp->from[0].elem, tcc_str_is(kind, "prod")));
  return again(cp, &x, false);
}

static bool copy_softmax(Copy *cp) {
  uint32_t along = 1u << integer(cp, "axis");
  MlirValue x = filled(cp, 0, along, scalar(cp, cp->from[0].elem, -INFINITY));
  return again(cp, &x, cp->kind == TCC_OP_SOFTMAX && (cp->grown[0] & ~along) == 0);
}

/* A product over axis i of a and axis j of b. */
static bool copy_product(Copy *cp, uint32_t a, uint32_t b) {
  MlirValue operands[MOST_OPERANDS], zero = scalar(cp, cp->from[0].elem, 0);
  uint32_t over[] = {a, b};
  for (size_t i = 0; i < cp->count; i++)
    operands[i] = i < 2 && !cp->in[i].zero && (over[i] & cp->grown[i])
                      ? filled(cp, i, over[i], i ? scalar(cp, cp->from[1].elem, 0) : zero)
                      : cp->in[i].value;
  return again(cp, operands, false);
}

static bool copy_dot_general(Copy *cp) {
  const int64_t *axes[2];
  size_t n[2];
  uint32_t over[2] = {0};
  if (!tcc_get_ints(cp->c->ir, cp->op, "lhs_contract", &axes[0], &n[0]) ||
      !tcc_get_ints(cp->c->ir, cp->op, "rhs_contract", &axes[1], &n[1]))
    return refuse(cp, "");
  for (int side = 0; side < 2; side++)
    for (size_t i = 0; i < n[side]; i++) over[side] |= 1u << axes[side][i];
  return copy_product(cp, over[0], over[1]);
}

static bool copy_matmul(Copy *cp) {
  int a = cp->from[0].rank, b = cp->from[1].rank;
  return copy_product(cp, 1u << (a - 1), 1u << (b > 1 ? b - 2 : 0));
}

/* Keys and values that hold nothing are masked. Values must be numbers there. */
static bool copy_attention(Copy *cp) {
  enum { Q, K, V, MASK };
  ImportCall *c = cp->c;
  const TccExpr *const *offset;
  size_t n = 0;
  bool causal = false, masked = cp->count > MASK && !tcc_value_is_none(c->ir, cp->in[MASK].value);
  int64_t often = 0;
  tcc_get_bool(c->ir, cp->op, "causal", &causal);
  if (cp->grown[Q] || (cp->grown[K] | cp->grown[V]) != 1u << 2 || cp->grown[K] != cp->grown[V]) return refuse(cp, "");
  if (causal &&
      (!tcc_get_exprs(c->ir, cp->op, "offset", &offset, &n) || n != 1 || !multiple(c, cp->g, offset[0], &often) || often != 1))
    return refuse(cp, "causal, and not from its end on");
  MlirValue operands[] = {cp->in[Q].value, cp->in[K].value, cp->in[V].value, cp->in[MASK].value};
  if (!cp->in[V].zero) operands[V] = filled(cp, V, UINT32_MAX, scalar(cp, cp->from[V].elem, 0));
  MlirValue there = holds(cp, 4, 3, import_shape(c, operands[K]).dims[2]);
  if (!masked) operands[MASK] = there;
  else if (cp->from[MASK].elem == TCC_ELEM_BOOL) operands[MASK] = tcc_build2(&c->b, TCC_OP_AND, operands[MASK], there);
  else operands[MASK] = tcc_build_select(&c->b, there, operands[MASK], scalar(cp, cp->from[MASK].elem, -INFINITY));
  return operands[MASK].ptr && again(cp, operands, false);
}

/* What works on the elements of its last axes, which do not grow. */
static bool copy_inner(Copy *cp, int64_t axis) {
  for (int i = (int)axis; i < cp->from[0].rank; i++)
    if (has(cp->grown[0], i)) return refuse(cp, "");
  for (size_t i = 1; i < cp->count; i++)
    if (cp->grown[i]) return refuse(cp, "");
  return as_it_is(cp, false);
}

static bool copy_grown(Copy *cp) {
  if (tcc_op_has_trait(cp->kind, 'E')) return copy_elementwise(cp);
  switch (cp->kind) {
  case TCC_OP_TRANSPOSE:
  case TCC_OP_BROADCAST: return cp->kind == TCC_OP_TRANSPOSE ? as_it_is(cp, cp->in[0].zero) : copy_elementwise(cp);
  case TCC_OP_SIZES: return copy_sizes(cp);
  case TCC_OP_IOTA: return copy_iota(cp);
  case TCC_OP_CONCAT: return copy_concat(cp);
  case TCC_OP_SLICE: return copy_slice(cp);
  case TCC_OP_RESHAPE: return copy_reshape(cp);
  case TCC_OP_GATHER: return copy_gather(cp, integer(cp, "axis"));
  case TCC_OP_EMBEDDING: return copy_gather(cp, 0);
  case TCC_OP_REDUCE: return copy_reduce(cp);
  case TCC_OP_CUMULATIVE: return copy_cumulative(cp);
  case TCC_OP_SOFTMAX:
  case TCC_OP_LOG_SOFTMAX: return copy_softmax(cp);
  case TCC_OP_DOT_GENERAL: return copy_dot_general(cp);
  case TCC_OP_MATMUL: return copy_matmul(cp);
  case TCC_OP_ATTENTION: return copy_attention(cp);
  case TCC_OP_LINEAR: return copy_inner(cp, cp->from[0].rank - 1);
  case TCC_OP_LAYER_NORM:
  case TCC_OP_RMS_NORM: return copy_inner(cp, integer(cp, "axis"));
  default: return refuse(cp, "");
  }
}

static bool copy_op(Copy *cp) {
  TccNamedAttr attrs[MOST_ATTRIBUTES];
  bool any;
  cp->kind = tcc_op_kind(cp->c->ir, cp->op);
  cp->count = (size_t)mlirOperationGetNumOperands(cp->op);
  if (cp->kind == TCC_OP_UNKNOWN || cp->kind == TCC_OP_NONZERO)
    return import_unsupported(cp->c, "a loop, a branch or a size that depends on data beside what a loop makes longer");
  if (cp->count > MOST_OPERANDS || mlirOperationGetNumResults(cp->op) < 1) return refuse(cp, "");
  read_attributes(cp, attrs, &any);
  for (size_t i = 0; i < cp->count; i++) {
    MlirValue operand = mlirOperationGetOperand(cp->op, (intptr_t)i);
    cp->in[i] = find(cp, operand);
    cp->from[i] = tcc_value_is_none(cp->c->ir, operand) ? (ImportShape){0} : import_shape(cp->c, operand);
    if (!find_grown(cp, &cp->from[i], &cp->grown[i])) return false;
    any |= cp->grown[i] != 0;
  }
  if (cp->kind == TCC_OP_NONE) return plain(cp);
  cp->to = import_shape(cp->c, mlirOperationGetResult(cp->op, 0));
  if (!find_grown(cp, &cp->to, &cp->grows)) return false;
  return any || cp->grows ? copy_grown(cp) : plain(cp);
}

/* What the body asks of sizes holds for all values of the number if it does for the first and the last. */
static void constrain(ImportCall *c, const ImportGrowth *g, const TccExpr **asked, size_t count) {
  for (size_t i = 0; i < count; i++) {
    import_constrain(c->importer, with(c, g, asked[i], g->least));
    import_constrain(c->importer, with(c, g, asked[i], g->room));
  }
}

bool import_grown(ImportCall *c, const ImportGrowth *growth, ImportBody *body, const MlirValue *arguments, size_t nresults,
                  const MlirValue *results, MlirValue *out) {
  Copy cp = {.c = c, .g = growth, .made = tcc_map_create(import_arena(c))};
  Importer *run = c->importer;
  MlirLocation location = c->b.location;
  bool ok = !c->reason && !run->restart;
  size_t nasked = run->constraints.count - body->constraints;
  const TccExpr **asked = TCC_NEW_ARRAY(import_arena(c), const TccExpr *, nasked + 1);
  for (size_t i = 0; i < nasked; i++) asked[i] = run->constraints.data[body->constraints + i];
  for (intptr_t i = 0; ok && i < mlirBlockGetNumArguments(body->block); i++)
    ok = keep(&cp, mlirBlockGetArgument(body->block, i), arguments[i], true);
  c->b.block = run->b.block = body->outer;
  for (cp.op = mlirBlockGetFirstOperation(body->block); ok && !mlirOperationIsNull(cp.op);
       cp.op = mlirOperationGetNextInBlock(cp.op)) {
    c->b.location = mlirOperationGetLocation(cp.op);
    ok = copy_op(&cp);
  }
  c->b.location = location;
  for (size_t i = 0; ok && i < nresults; i++) ok = (out[i] = find(&cp, results[i]).value).ptr != NULL;
  import_body_drop(c, body, false);
  if (ok) constrain(c, growth, asked, nasked);
  return ok && !c->reason;
}

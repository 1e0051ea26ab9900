/* linalg_move.c - views and data movement: every element of the result extracts the element that it is. */
#include "lib/targets/reference/linalg_text.h"
#include "tcc/op_kinds.h"

/* Emits the index of the operand's element that result index i reads; false if kind is no view. */
static bool source_index(LinalgText *t, MlirOperation op, TccOpKind kind, const int *i, int *out) {
  TccIr *ir = t->ir;
  MlirValue x = mlirOperationGetOperand(op, 0);
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0)), from = tcc_value_type(x);
  int rank = tcc_type_rank(type), from_rank = tcc_type_rank(from);
  switch (kind) {
  case TCC_OP_TRANSPOSE: {
    const int64_t *perm;
    size_t n;
    if (!tcc_get_ints(ir, op, "perm", &perm, &n)) return false;
    for (size_t k = 0; k < n; k++) out[perm[k]] = i[k];
    return true;
  }
  case TCC_OP_BROADCAST:
    for (int a = 0; a < from_rank; a++) {
      bool unit = tcc_type_dim(ir, from, a) == tcc_expr_const(ir->exprs, 1);
      out[a] = unit ? linalg_index_constant(t, 0) : i[rank - from_rank + a];
    }
    return true;
  case TCC_OP_SLICE: {
    const TccExpr *const *starts;
    const int64_t *steps;
    size_t n, nsteps;
    if (!tcc_get_exprs(ir, op, "starts", &starts, &n) || !tcc_get_ints(ir, op, "steps", &steps, &nsteps)) return false;
    for (size_t k = 0; k < n; k++)
      out[k] = linalg_add(t, linalg_size(t, starts[k]), linalg_mul(t, i[k], linalg_index_constant(t, steps[k])));
    return true;
  }
  case TCC_OP_UNFOLD: {
    const int64_t *strides, *dilations;
    size_t n, ndilations;
    if (!tcc_get_ints(ir, op, "strides", &strides, &n) || !tcc_get_ints(ir, op, "dilations", &dilations, &ndilations)) return false;
    out[0] = i[0], out[1] = i[1];
    for (size_t k = 0; k < n; k++)
      out[2 + k] = linalg_add(t, linalg_mul(t, i[2 + n + k], linalg_index_constant(t, strides[k])),
                              linalg_mul(t, i[2 + k], linalg_index_constant(t, dilations[k])));
    return true;
  }
  case TCC_OP_RESHAPE: { /* row-major position, taken apart again */
    int flat = linalg_index_constant(t, 0);
    for (int k = 0; k < rank; k++) flat = linalg_add(t, linalg_mul(t, flat, linalg_size(t, tcc_type_dim(ir, type, k))), i[k]);
    for (int a = from_rank; a-- > 0;) {
      int size = linalg_size(t, tcc_type_dim(ir, from, a));
      out[a] = linalg_op(t, "arith.remui %%v%d, %%v%d : index", flat, size);
      flat = linalg_op(t, "arith.divui %%v%d, %%v%d : index", flat, size);
    }
    return true;
  }
  case TCC_OP_DYNAMIC_SLICE: {
    MlirValue starts = mlirOperationGetOperand(op, 1);
    for (int a = 0; a < rank; a++) {
      int at = linalg_index_constant(t, a);
      int start = linalg_op(t, "arith.index_cast %%v%d : i64 to index", linalg_extract(t, starts, &at));
      int most = linalg_sub(t, linalg_dim(t, x, a), linalg_size(t, tcc_type_dim(ir, type, a)));
      out[a] = linalg_add(t, linalg_clamp(t, start, linalg_index_constant(t, 0), most), i[a]);
    }
    return true;
  }
  default: return false;
  }
}

/* An index read from a tensor, op's n-th: negative ones count from the end where they are valid, and none leaves the tensor. */
static int checked_index(LinalgText *t, MlirOperation op, int n, int raw, TccElem elem, int size) {
  int read =
      linalg_op(t, tcc_elem_is_unsigned(elem) ? "arith.index_castui %%v%d : %s to index" : "arith.index_cast %%v%d : %s to index",
                raw, linalg_elem(elem));
  int zero = linalg_index_constant(t, 0), index = read;
  if (tcc_valid(t->ir, op) != TCC_VALID_UNSIGNED) {
    int negative = linalg_op(t, "arith.cmpi slt, %%v%d, %%v%d : index", read, zero), wrapped = linalg_add(t, read, size);
    index = linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : index", negative, wrapped, read);
  }
  linalg_fault(t, op, n, read, index, size);
  return linalg_clamp(t, index, zero, linalg_sub(t, size, linalg_index_constant(t, 1)));
}

static int gathered(LinalgText *t, MlirOperation op, TccOpKind kind, const int *i) {
  TccIr *ir = t->ir;
  MlirValue x = mlirOperationGetOperand(op, 0), indices = mlirOperationGetOperand(op, 1);
  int rank = tcc_type_rank(tcc_value_type(x)), index_rank = tcc_type_rank(tcc_value_type(indices)), at[TCC_MAX_RANK];
  TccElem elem = tcc_type_elem(tcc_value_type(indices));
  if (kind == TCC_OP_GATHER) {
    int axis = (int)tcc_i64(ir, op, "axis");
    for (int a = 0; a < axis; a++) at[a] = i[a];
    at[axis] = checked_index(t, op, 0, linalg_extract(t, indices, i + axis), elem, linalg_dim(t, x, axis));
    for (int a = axis + 1; a < rank; a++) at[a] = i[a - 1 + index_rank];
  } else if (kind == TCC_OP_GATHER_ELEMENTS) {
    int axis = (int)tcc_i64(ir, op, "axis");
    for (int a = 0; a < rank; a++) at[a] = i[a];
    at[axis] = checked_index(t, op, 0, linalg_extract(t, indices, i), elem, linalg_dim(t, x, axis));
  } else {
    int batch = (int)tcc_i64(ir, op, "batch_dims"), place[TCC_MAX_RANK];
    int64_t depth;
    if (!tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(indices), index_rank - 1), &depth)) {
      linalg_fail(t, "the last size of the indices must be static");
      return 0;
    }
    for (int a = 0; a < index_rank - 1; a++) place[a] = i[a];
    for (int a = 0; a < batch; a++) at[a] = i[a];
    for (int d = 0; d < (int)depth; d++) {
      place[index_rank - 1] = linalg_index_constant(t, d);
      at[batch + d] = checked_index(t, op, d, linalg_extract(t, indices, place), elem, linalg_dim(t, x, batch + d));
    }
    for (int a = batch + (int)depth; a < rank; a++) at[a] = i[index_rank - 1 + a - batch - (int)depth];
  }
  return linalg_extract(t, x, at);
}

/* The index that pad reads along one axis; *inside is and-ed with whether the element is x's own (constant mode). */
static int padded_axis(LinalgText *t, TccStr mode, int i, int low, int size, int *inside) {
  int p = linalg_sub(t, i, low), zero = linalg_index_constant(t, 0), one = linalg_index_constant(t, 1),
      last = linalg_sub(t, size, one);
  if (tcc_str_is(mode, "reflect")) { /* period 2(n - 1), mirrored */
    int period = linalg_op(t, "arith.maxsi %%v%d, %%v%d : index", linalg_mul(t, last, linalg_index_constant(t, 2)), one);
    int r = linalg_op(t, "arith.remsi %%v%d, %%v%d : index", p, period);
    r = linalg_op(t, "arith.remsi %%v%d, %%v%d : index", linalg_add(t, r, period), period);
    int mirrored = linalg_sub(t, linalg_mul(t, last, linalg_index_constant(t, 2)), r);
    int over = linalg_op(t, "arith.cmpi sgt, %%v%d, %%v%d : index", r, last);
    p = linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : index", over, mirrored, r);
  } else if (tcc_str_is(mode, "wrap")) {
    int safe = linalg_op(t, "arith.maxsi %%v%d, %%v%d : index", size, one);
    int r = linalg_op(t, "arith.remsi %%v%d, %%v%d : index", p, safe);
    p = linalg_op(t, "arith.remsi %%v%d, %%v%d : index", linalg_add(t, r, safe), safe);
  } else if (tcc_str_is(mode, "constant")) {
    *inside = linalg_op(t, "arith.andi %%v%d, %%v%d : i1", *inside, linalg_inside(t, p, size));
  }
  return linalg_clamp(t, p, zero, last);
}

/* extract under a condition, so that an empty operand is never read */
static int guarded_extract(LinalgText *t, int condition, MlirValue x, const int *at, int otherwise) {
  const char *elem = linalg_elem(tcc_type_elem(tcc_value_type(x)));
  int number = linalg_text_fresh(t);
  linalg_put(t, "  %%v%d = scf.if %%v%d -> (%s) {\n", number, condition, elem);
  int value = linalg_extract(t, x, at);
  linalg_put(t, "  scf.yield %%v%d : %s\n  } else {\n  scf.yield %%v%d : %s\n  }\n", value, elem, otherwise, elem);
  return number;
}

static int padded(LinalgText *t, MlirOperation op, const int *i) {
  TccIr *ir = t->ir;
  MlirValue x = mlirOperationGetOperand(op, 0), fill = mlirOperationGetOperand(op, 1);
  TccStr mode = tcc_string(ir, op, "mode");
  const TccExpr *const *low;
  size_t n;
  if (!tcc_get_exprs(ir, op, "low", &low, &n)) return 0;
  int at[TCC_MAX_RANK], inside = linalg_op(t, "arith.constant true");
  for (size_t a = 0; a < n; a++) at[a] = padded_axis(t, mode, i[a], linalg_size(t, low[a]), linalg_dim(t, x, (int)a), &inside);
  int otherwise = tcc_value_is_none(ir, fill) ? linalg_zero(t, tcc_type_elem(tcc_value_type(x))) : linalg_extract(t, fill, NULL);
  return guarded_extract(t, inside, x, at, otherwise);
}

static int concatenated(LinalgText *t, MlirOperation op, const int *i) {
  MlirValue a = mlirOperationGetOperand(op, 0), b = mlirOperationGetOperand(op, 1);
  int axis = (int)tcc_i64(t->ir, op, "axis"), rank = tcc_type_rank(tcc_value_type(a)), at[TCC_MAX_RANK];
  const char *elem = linalg_elem(tcc_type_elem(tcc_value_type(a)));
  int size = linalg_dim(t, a, axis), first = linalg_op(t, "arith.cmpi slt, %%v%d, %%v%d : index", i[axis], size);
  int number = linalg_text_fresh(t);
  linalg_put(t, "  %%v%d = scf.if %%v%d -> (%s) {\n", number, first, elem);
  linalg_put(t, "  scf.yield %%v%d : %s\n  } else {\n", linalg_extract(t, a, i), elem);
  for (int k = 0; k < rank; k++) at[k] = i[k];
  at[axis] = linalg_sub(t, i[axis], size);
  linalg_put(t, "  scf.yield %%v%d : %s\n  }\n", linalg_extract(t, b, at), elem);
  return number;
}

static int counted(LinalgText *t, MlirOperation op, TccOpKind kind, MlirType type, const int *i) {
  TccElem elem = tcc_type_elem(type);
  int integer;
  if (kind == TCC_OP_IOTA) {
    integer = linalg_op(t, "arith.index_cast %%v%d : index to i64", i[tcc_i64(t->ir, op, "axis")]);
  } else { /* sizes: a chain of selections over its few entries */
    const TccExpr *const *values;
    size_t n;
    if (!tcc_get_exprs(t->ir, op, "values", &values, &n)) return 0;
    integer = linalg_op(t, "arith.constant 0 : i64");
    for (size_t k = 0; k < n; k++) {
      int here = linalg_op(t, "arith.cmpi eq, %%v%d, %%v%d : index", i[0], linalg_index_constant(t, (int64_t)k));
      int value = linalg_op(t, "arith.index_cast %%v%d : index to i64", linalg_size(t, values[k]));
      integer = linalg_op(t, "arith.select %%v%d, %%v%d, %%v%d : i64", here, value, integer);
    }
  }
  return linalg_convert(t, integer, TCC_ELEM_I64, elem);
}

bool linalg_move(LinalgText *t, MlirOperation op, TccOpKind kind) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType type = tcc_value_type(result);
  int i[TCC_MAX_RANK + 1], at[TCC_MAX_RANK], value;
  switch (kind) {
  case TCC_OP_TRANSPOSE:
  case TCC_OP_BROADCAST:
  case TCC_OP_SLICE:
  case TCC_OP_UNFOLD:
  case TCC_OP_RESHAPE:
  case TCC_OP_DYNAMIC_SLICE:
  case TCC_OP_GATHER:
  case TCC_OP_GATHER_ELEMENTS:
  case TCC_OP_GATHER_ND:
  case TCC_OP_PAD:
  case TCC_OP_CONCAT:
  case TCC_OP_IOTA:
  case TCC_OP_SIZES: break;
  default: return false;
  }
  int number = linalg_fill_begin(t, type, i);
  if (kind == TCC_OP_GATHER || kind == TCC_OP_GATHER_ELEMENTS || kind == TCC_OP_GATHER_ND) value = gathered(t, op, kind, i);
  else if (kind == TCC_OP_PAD) value = padded(t, op, i);
  else if (kind == TCC_OP_CONCAT) value = concatenated(t, op, i);
  else if (kind == TCC_OP_IOTA || kind == TCC_OP_SIZES) value = counted(t, op, kind, type, i);
  else value = source_index(t, op, kind, i, at) ? linalg_extract(t, mlirOperationGetOperand(op, 0), at) : 0;
  linalg_fill_end(t, type, value);
  linalg_text_bind(t, result, number);
  return true;
}

/* concat_slice.c - see concat_slice.h. The body is walked from its result to the arguments; reshapes keep the order of elements. */
#include "lib/codegen/read/concat_slice.h"
#include "tcc/op_kinds.h"

typedef struct {
  TccIr *ir;
  MlirBlock body;
  TccElem elem;
  TccConcatSlice *out;
} Reading;

static const TccExpr *bytes_of(const Reading *r, const TccExpr *elements) {
  return tcc_expr_mul(r->ir->exprs, elements, tcc_expr_const(r->ir->exprs, tcc_elem_bits(r->elem) / 8));
}

/* The number of the argument that value is, behind reshapes; -1: it is none. */
static int64_t argument_of(const Reading *r, MlirValue value) {
  while (tcc_value_kind(r->ir, value) == TCC_OP_RESHAPE) value = mlirOperationGetOperand(tcc_value_op(value), 0);
  return mlirValueIsABlockArgument(value) && mlirBlockEqual(mlirBlockArgumentGetOwner(value), r->body)
             ? mlirBlockArgumentGetArgNumber(value)
             : -1;
}

static bool is_outermost(TccIr *ir, MlirType type, int64_t axis) {
  for (int64_t i = 0; i < axis; i++)
    if (tcc_type_dim(ir, type, (int)i) != tcc_expr_const(ir->exprs, 1)) return false;
  return true;
}

static bool read_join(Reading *r, MlirValue result) {
  MlirValue left[TCC_CONCAT_MOST];
  size_t waiting = 0;
  const TccExpr *at = tcc_expr_const(r->ir->exprs, 0);
  left[waiting++] = result;
  while (waiting) {
    MlirValue value = left[--waiting];
    while (tcc_value_kind(r->ir, value) == TCC_OP_RESHAPE) value = mlirOperationGetOperand(tcc_value_op(value), 0);
    if (tcc_value_kind(r->ir, value) == TCC_OP_CONCAT) {
      MlirOperation op = tcc_value_op(value);
      if (!is_outermost(r->ir, tcc_value_type(value), tcc_i64(r->ir, op, "axis")) || waiting + 2 > TCC_CONCAT_MOST) return false;
      left[waiting++] = mlirOperationGetOperand(op, 1);
      left[waiting++] = mlirOperationGetOperand(op, 0);
      continue;
    }
    int64_t operand = argument_of(r, value);
    const TccExpr *count = tcc_type_count(r->ir, tcc_value_type(value));
    if (operand < 0 || !count || r->out->count == TCC_CONCAT_MOST) return false;
    r->out->operand[r->out->count] = (uint32_t)operand;
    r->out->offset[r->out->count++] = at;
    at = tcc_expr_add(r->ir->exprs, at, bytes_of(r, count));
  }
  r->out->bytes = at;
  return r->out->count > 1;
}

/* The elements of x before the first of `slice`, if those of the slice are one run of x; else NULL. */
static const TccExpr *run_offset(TccIr *ir, MlirOperation slice) {
  MlirType x = tcc_value_type(mlirOperationGetOperand(slice, 0)), y = tcc_value_type(mlirOperationGetResult(slice, 0));
  const TccExpr *const *starts, *one = tcc_expr_const(ir->exprs, 1), *step = one, *offset = tcc_expr_const(ir->exprs, 0);
  const int64_t *steps;
  size_t nstarts, nsteps;
  int rank = tcc_type_rank(x), first = 0;
  if (!tcc_get_exprs(ir, slice, "starts", &starts, &nstarts) || !tcc_get_ints(ir, slice, "steps", &steps, &nsteps) ||
      nstarts != (size_t)rank || nsteps != (size_t)rank)
    return NULL;
  while (first < rank && tcc_type_dim(ir, y, first) == one) first++;
  for (int axis = rank; axis-- > 0;) {
    const TccExpr *size = tcc_type_dim(ir, x, axis);
    if (!size || (axis > first && tcc_type_dim(ir, y, axis) != size) || (axis >= first && steps[axis] != 1)) return NULL;
    offset = tcc_expr_add(ir->exprs, offset, tcc_expr_mul(ir->exprs, starts[axis], step));
    step = tcc_expr_mul(ir->exprs, step, size);
  }
  return offset;
}

static bool read_part(Reading *r, MlirValue result) {
  const TccExpr *at = tcc_expr_const(r->ir->exprs, 0), *count = tcc_type_count(r->ir, tcc_value_type(result));
  MlirValue value = result;
  for (;; value = mlirOperationGetOperand(tcc_value_op(value), 0)) {
    TccOpKind kind = tcc_value_kind(r->ir, value);
    if (kind == TCC_OP_RESHAPE) continue;
    if (kind != TCC_OP_SLICE) break;
    const TccExpr *offset = run_offset(r->ir, tcc_value_op(value));
    if (!offset) return false;
    at = tcc_expr_add(r->ir->exprs, at, offset);
  }
  if (argument_of(r, value) != 0 || !count) return false;
  r->out->count = 1;
  r->out->offset[0] = bytes_of(r, at);
  r->out->bytes = bytes_of(r, count);
  return r->out->is_slice = true;
}

bool tcc_concat_slice_read(TccIr *ir, MlirOperation kernel, TccConcatSlice *out) {
  *out = (TccConcatSlice){0};
  Reading r = {ir, tcc_func_body(kernel), TCC_ELEM_NONE, out};
  MlirOperation end = mlirBlockGetTerminator(r.body);
  if (mlirOperationGetNumOperands(end) != 1) return false;
  MlirValue result = mlirOperationGetOperand(end, 0);
  r.elem = tcc_type_elem(tcc_value_type(result));
  if (r.elem == TCC_ELEM_NONE || tcc_elem_bits(r.elem) % 8) return false;
  if (read_join(&r, result)) return true;
  *out = (TccConcatSlice){0};
  return mlirBlockGetNumArguments(r.body) == 1 && read_part(&r, result);
}

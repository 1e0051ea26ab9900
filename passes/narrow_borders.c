/* narrow_borders.c - hand stored numbers to a region, which widens them itself.
 *
 *   %1 = convert %q : u8 -> f32                     %2 = call @block(%q, %zero)
 *   %2 = call @block(%1)                      =>    %5 = call @block(%p, %z)
 *   %4 = (convert %p : u8 -> f32) - %z              @block(%x, %y):
 *   %5 = call @block(%4)                              %w = (convert %x : u8 -> f32) - %y
 *   @block(%x): ...                                   ...
 *
 * A product with one number, ((convert %p) - %z) * %s, goes with them likewise.
 *
 * The ops of which a region consists end where its copies differ: the residual of a quantised network's first block has a zero point, that of
 * the others none, so that what was widened, four times the bytes, lay in memory. Operands of all calls must be conversions from one
 * type of 8 or 16 bits to f32, or differences of such a conversion and one number, or products of either and one number; which of them is made the same by
 * a zero and a one. Views of what is stored
 * that are the same at all calls go with the conversion.
 *
 * requires: nothing. ensures: nothing. keeps: results. */
#include "lib/ir/callers.h"
#include "lib/ir/internal.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

/* What a value is widened from; zero, factor: null where nothing is subtracted or multiplied. */
typedef struct {
  MlirValue stored, zero, factor;
} Narrow;

static MlirValue operand(MlirValue v, intptr_t i) { return mlirOperationGetOperand(tcc_value_op(v), i); }

static bool read_conversion(TccIr *ir, MlirValue v, MlirValue *out) {
  if (mlirValueIsABlockArgument(v) || tcc_value_kind(ir, v) != TCC_OP_CONVERT || tcc_value_elem(v) != TCC_ELEM_F32) return false;
  *out = operand(v, 0);
  TccElem elem = tcc_value_elem(*out);
  return elem == TCC_ELEM_U8 || elem == TCC_ELEM_I8 || elem == TCC_ELEM_F16 || elem == TCC_ELEM_BF16;
}

/* Whether v is of that kind, of a value of its type and of one number. */
static bool is_with_number(TccIr *ir, MlirValue v, TccOpKind kind) {
  return !mlirValueIsABlockArgument(v) && tcc_value_kind(ir, v) == kind && tcc_type_rank(tcc_value_type(operand(v, 1))) == 0 &&
         mlirTypeEqual(tcc_value_type(operand(v, 0)), tcc_value_type(v));
}

static bool read_narrow(TccIr *ir, MlirValue v, Narrow *out) {
  *out = (Narrow){0};
  if (is_with_number(ir, v, TCC_OP_MUL)) out->factor = operand(v, 1), v = operand(v, 0);
  if (is_with_number(ir, v, TCC_OP_SUB)) out->zero = operand(v, 1), v = operand(v, 0);
  return read_conversion(ir, v, &out->stored);
}

/* Of all calls' operand; false: they are of several types, or something else. *out_zeros, *out_factors: whether one of them has such. */
static bool read_operands(TccPassRun *run, const TccCallers *region, intptr_t argument, Narrow *out, bool *out_zeros,
                          bool *out_factors) {
  MlirType type = {NULL};
  *out_zeros = *out_factors = false;
  for (size_t i = 0; i < region->calls.count; i++) {
    if (!read_narrow(run->ir, mlirOperationGetOperand(region->calls.data[i], argument), &out[i])) return false;
    if (i && !mlirTypeEqual(tcc_value_type(out[i].stored), type)) return false;
    type = tcc_value_type(out[i].stored);
    *out_zeros |= !mlirValueIsNull(out[i].zero), *out_factors |= !mlirValueIsNull(out[i].factor);
  }
  MlirType widened = tcc_value_type(mlirBlockGetArgument(tcc_func_body(region->func), argument));
  for (size_t i = 0; i < region->calls.count; i++)
    if (!mlirTypeEqual(tcc_value_type(mlirOperationGetOperand(region->calls.data[i], argument)), widened)) return false;
  return true;
}

/* ---- views ---- */

enum { MOST_VIEWS = 4 };

static bool is_view(TccIr *ir, MlirValue v) {
  return mlirValueIsAOpResult(v) && (tcc_value_kind(ir, v) == TCC_OP_TRANSPOSE || tcc_value_kind(ir, v) == TCC_OP_RESHAPE);
}

static bool is_same_view(TccIr *ir, MlirValue a, MlirValue b) {
  return is_view(ir, b) && tcc_value_kind(ir, a) == tcc_value_kind(ir, b) && mlirTypeEqual(tcc_value_type(a), tcc_value_type(b)) &&
         mlirTypeEqual(tcc_value_type(operand(a, 0)), tcc_value_type(operand(b, 0))) &&
         mlirAttributeEqual(tcc_attribute(tcc_value_op(a), "perm"), tcc_attribute(tcc_value_op(b), "perm"));
}

/* The views through which all calls see what is stored, the last one first; from: what is stored then. */
static size_t skip_views(TccIr *ir, Narrow *from, size_t ncalls, MlirValue *out) {
  for (size_t n = 0; n < MOST_VIEWS; n++) {
    MlirValue view = from[0].stored;
    if (!is_view(ir, view)) return n;
    for (size_t i = 1; i < ncalls; i++)
      if (!is_same_view(ir, view, from[i].stored)) return n;
    out[n] = view;
    for (size_t i = 0; i < ncalls; i++) from[i].stored = operand(from[i].stored, 0);
  }
  return MOST_VIEWS;
}

/* out_first: what reads v itself; as it was where there are no views. */
static MlirValue build_views(TccBuilder *b, MlirValue v, const MlirValue *views, size_t n, MlirValue *out_first) {
  for (size_t all = n; n-- > 0;) {
    MlirOperation op = tcc_value_op(views[n]);
    const int64_t *perm;
    size_t rank;
    MlirType type = tcc_value_type(views[n]);
    if (tcc_op_kind(b->ir, op) == TCC_OP_RESHAPE) v = tcc_build_value(b, TCC_OP_RESHAPE, &v, 1, NULL, 0, &type);
    else v = tcc_get_ints(b->ir, op, "perm", &perm, &rank) ? tcc_build_transpose(b, v, perm) : (MlirValue){NULL};
    if (mlirValueIsNull(v)) return v;
    if (n + 1 == all) *out_first = v;
  }
  return v;
}

static void erase_unused(TccIr *ir, MlirValue v) {
  while (!mlirValueIsABlockArgument(v) && mlirOpOperandIsNull(mlirValueGetFirstUse(v)) &&
         (is_view(ir, v) || tcc_value_kind(ir, v) == TCC_OP_MUL || tcc_value_kind(ir, v) == TCC_OP_SUB ||
          tcc_value_kind(ir, v) == TCC_OP_CONVERT)) {
    MlirOperation op = tcc_value_op(v);
    v = mlirOperationGetOperand(op, 0);
    tcc_erase(op);
  }
}

/* `number`, or where it is null the one that changes nothing, becomes an operand of the call; its type. */
static MlirType add_number(TccIr *ir, MlirOperation call, MlirValue number, double none) {
  TccBuilder b = {ir, mlirOperationGetBlock(call), call, mlirOperationGetLocation(call)};
  if (mlirValueIsNull(number)) number = tcc_build_scalar(&b, TCC_ELEM_F32, none);
  tcc_call_add_operand(ir, call, number);
  return tcc_value_type(number);
}

static void narrow(TccPassRun *run, const TccCallers *region, intptr_t argument, Narrow *from, bool zeros, bool factors) {
  TccIr *ir = run->ir;
  MlirBlock body = tcc_func_body(region->func);
  MlirValue value = mlirBlockGetArgument(body, argument);
  MlirOperation first = mlirBlockGetFirstOperation(body);
  TccBuilder b = {ir, body, first, mlirOperationGetLocation(first)};
  MlirValue views[MOST_VIEWS], reader = {NULL};
  size_t nviews = skip_views(ir, from, region->calls.count, views);
  tcc_func_set_argument_type(ir, region->func, argument, tcc_value_type(from[0].stored));
  MlirValue seen = build_views(&b, value, views, nviews, &reader);
  MlirValue widened = tcc_build_convert(&b, seen, TCC_ELEM_F32), made = widened;
  if (!nviews) reader = widened;
  for (size_t i = 0; i < region->calls.count; i++) {
    MlirOperation call = region->calls.data[i];
    MlirValue old = mlirOperationGetOperand(call, argument);
    mlirOperationSetOperand(call, argument, from[i].stored);
    if (zeros) {
      MlirType type = add_number(ir, call, from[i].zero, 0);
      if (i == 0) made = tcc_build2(&b, TCC_OP_SUB, made, tcc_func_add_argument(ir, region->func, type));
    }
    if (factors) {
      MlirType type = add_number(ir, call, from[i].factor, 1);
      if (i == 0) made = tcc_build2(&b, TCC_OP_MUL, made, tcc_func_add_argument(ir, region->func, type));
    }
    erase_unused(ir, old);
  }
  tcc_replace_uses(value, made);
  mlirOperationSetOperand(tcc_value_op(reader), 0, value);
}

MlirLogicalResult tcc_pass_narrow_borders(TccPassRun *run, MlirOperation module) {
  size_t count;
  const TccCallers *regions = tcc_callers(run->ir, run->scratch, module, &count);
  for (size_t i = 0; i < count; i++) {
    const TccCallers *region = &regions[i];
    if (!region->calls.count || region->loop || tcc_has_attribute(region->func, "arg_attrs")) continue;
    intptr_t narguments = mlirBlockGetNumArguments(tcc_func_body(region->func));
    Narrow *from = TCC_NEW_ARRAY(run->scratch, Narrow, region->calls.count);
    bool zeros, factors;
    for (intptr_t a = 0; a < narguments; a++)
      if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirBlockGetArgument(tcc_func_body(region->func), a))) &&
          read_operands(run, region, a, from, &zeros, &factors))
        narrow(run, region, a, from, zeros, factors);
  }
  return mlirLogicalResultSuccess();
}

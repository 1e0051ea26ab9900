/* plan_builtins.c - the readers of kernels that are C functions of the run-time, one for each function. */
#include "lib/compile/plan_builtins.h"
#include "tcc/fft.h"
#include "tcc/image.h"
#include "tcc/op_kinds.h"

typedef struct {
  TccIr *ir;
  TccBuiltinCall *call;
} Reader;

static const TccExpr *number(const Reader *r, int64_t value) { return tcc_expr_const(r->ir->exprs, value); }
static const TccExpr *times(const Reader *r, const TccExpr *a, const TccExpr *b) { return tcc_expr_mul(r->ir->exprs, a, b); }
static const TccExpr *dim(const Reader *r, MlirType type, int64_t axis) { return tcc_type_dim(r->ir, type, (int)axis); }
static void put(const Reader *r, const TccExpr *size) { r->call->sizes[r->call->nsizes++] = size; }
static void put_number(const Reader *r, int64_t value) { put(r, number(r, value)); }

static const TccExpr *product_of_dims(const Reader *r, MlirType type, int64_t begin, int64_t end) {
  const TccExpr *product = number(r, 1);
  for (int64_t axis = begin; axis < end; axis++) product = times(r, product, dim(r, type, axis));
  return product;
}

/* Puts the position of operand `index` of op among the kernel's arguments. One value may be several operands. */
static MlirLogicalResult put_operand(const Reader *r, MlirOperation kernel, MlirOperation op, intptr_t index) {
  MlirBlock body = tcc_func_body(kernel);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    if (mlirValueEqual(mlirOperationGetOperand(op, index), mlirBlockGetArgument(body, i))) {
      put_number(r, i);
      return mlirLogicalResultSuccess();
    }
  return tcc_error(kernel, "plan: a builtin kernel must hold its op alone");
}

/* Puts the position of result `index` of op among the kernel's arguments and, behind them, results; 0: it is not returned. */
static void put_result(const Reader *r, MlirOperation kernel, MlirOperation op, intptr_t index) {
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  int64_t position = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end) && !position; i++)
    if (mlirValueEqual(mlirOperationGetOperand(end, i), mlirOperationGetResult(op, index)))
      position = mlirBlockGetNumArguments(tcc_func_body(kernel)) + i;
  put_number(r, position);
}

static MlirLogicalResult read_relayout(const Reader *r, MlirOperation kernel) {
  TccRelayout relayout;
  if (!tcc_relayout_read(r->ir, kernel, &relayout))
    return tcc_error(kernel, "plan: a relayout kernel must be views and paddings with zeros of its only argument");
  r->call->builtin = TCC_BUILTIN_RELAYOUT;
  for (size_t i = 0; i < relayout.nsizes; i++) put_number(r, relayout.sizes[i]);
  r->call->tiles = number(r, relayout.tiles);
  return mlirLogicalResultSuccess();
}

/* [O, I, 3, 3] or [P, B, 3, 3, L, V * L] to [P', m + 2, m + 2, B, L, V' * L]. */
static MlirLogicalResult read_winograd(const Reader *r, MlirOperation kernel) {
  MlirBlock body = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(body);
  int64_t from[6] = {0}, to[6] = {0};
  bool fits = mlirBlockGetNumArguments(body) == 1 && mlirOperationGetNumOperands(end) == 1;
  MlirType w = fits ? tcc_value_type(mlirBlockGetArgument(body, 0)) : (MlirType){NULL},
           u = fits ? tcc_value_type(mlirOperationGetOperand(end, 0)) : w;
  bool plain = fits && tcc_type_rank(w) == 4;
  fits = fits && (plain || tcc_type_rank(w) == 6) && tcc_type_rank(u) == 6 && tcc_type_elem(w) == TCC_ELEM_F32;
  for (int i = 0; i < 6 && fits; i++)
    fits = (i >= tcc_type_rank(w) || tcc_expr_is_const(dim(r, w, i), &from[i])) && tcc_expr_is_const(dim(r, u, i), &to[i]);
  int64_t lanes = to[4], outputs = plain ? from[0] : from[0] * from[5];
  fits = fits && from[2] == 3 && from[3] == 3 && (to[1] == 4 || to[1] == 6) && to[2] == to[1] && (lanes == 8 || lanes == 16) &&
         to[5] % lanes == 0;
  fits = fits && (plain ? from[1] == to[3] * lanes : to[3] == from[1] && lanes == from[4] && from[5] % lanes == 0);
  if (!fits) return tcc_error(kernel, "plan: a winograd kernel must transform weights of 3x3 into panels");
  const int64_t sizes[TCC_WINOGRAD_WEIGHTS_SIZES] = {
      [TCC_WINOGRAD_WEIGHTS_M] = to[1] - 2,        [TCC_WINOGRAD_WEIGHTS_OUTPUTS] = outputs,
      [TCC_WINOGRAD_WEIGHTS_BLOCKS] = to[3],       [TCC_WINOGRAD_WEIGHTS_LANES] = lanes,
      [TCC_WINOGRAD_WEIGHTS_MADE] = to[5] / lanes, [TCC_WINOGRAD_WEIGHTS_VECTORS] = plain ? 0 : from[5] / lanes};
  r->call->builtin = TCC_BUILTIN_WINOGRAD;
  for (int i = 0; i < TCC_WINOGRAD_WEIGHTS_SIZES; i++) put_number(r, sizes[i]);
  r->call->tiles = number(r, to[0] * to[3]);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_concat_slice(const Reader *r, MlirOperation kernel) {
  TccConcatSlice places;
  if (!tcc_concat_slice_read(r->ir, kernel, &places))
    return tcc_error(kernel,
                     "plan: a kernel of kind concat or slice must be operands one behind the other, or a run of its only operand");
  r->call->builtin = places.is_slice ? TCC_BUILTIN_SLICE : TCC_BUILTIN_CONCAT;
  put(r, places.bytes);
  if (!places.is_slice) {
    put_number(r, mlirBlockGetNumArguments(tcc_func_body(kernel)));
    put_number(r, (int64_t)places.count);
  }
  for (size_t i = 0; i < places.count; i++) {
    put(r, places.offset[i]);
    if (!places.is_slice) put_number(r, places.operand[i]);
  }
  r->call->tiles = tcc_expr_call(r->ir->exprs, TCC_EXPR_CEILDIV, places.bytes, number(r, TCC_IN_PLACE_TILE));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_non_max_suppression(const Reader *r, MlirOperation kernel, MlirOperation op) {
  MlirType scores = tcc_value_type(mlirOperationGetOperand(op, 1));
  const TccExpr *boxes = dim(r, scores, 2), *classes = dim(r, scores, 1);
  r->call->builtin = TCC_BUILTIN_NON_MAX_SUPPRESSION;
  put(r, boxes);
  put(r, classes);
  put_number(r, tcc_bool(r->ir, op, "center"));
  for (intptr_t i = 0; i < 5; i++)
    if (mlirLogicalResultIsFailure(put_operand(r, kernel, op, i))) return mlirLogicalResultFailure();
  put_result(r, kernel, op, 0);
  r->call->tiles = times(r, dim(r, scores, 0), classes);
  r->call->scratch = times(r, boxes, number(r, TCC_NON_MAX_SUPPRESSION_SCRATCH));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_dynamic_update_slice(const Reader *r, MlirOperation kernel, MlirOperation op) {
  MlirType type = tcc_value_type(mlirOperationGetOperand(op, 0));
  if (tcc_elem_bits(tcc_type_elem(type)) % 8) return tcc_error(op, "plan: rows of elements that are no whole bytes");
  const TccExpr *bytes = number(r, (int64_t)tcc_elem_bytes(tcc_type_elem(type), 1));
  r->call->builtin = TCC_BUILTIN_DYNAMIC_UPDATE_SLICE;
  put(r, times(r, bytes, product_of_dims(r, type, 1, tcc_type_rank(type))));
  put(r, dim(r, type, 0));
  for (intptr_t i = 0; i < 3; i++)
    if (mlirLogicalResultIsFailure(put_operand(r, kernel, op, i))) return mlirLogicalResultFailure();
  put_result(r, kernel, op, 0);
  r->call->tiles = number(r, 1);
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_topk(const Reader *r, MlirOperation kernel, MlirOperation op, MlirType type) {
  const TccExpr *const *k;
  size_t nk;
  if (!tcc_get_exprs(r->ir, op, "k", &k, &nk) || nk != 1) return tcc_error(op, "plan: topk needs one k");
  const int64_t axis = tcc_i64(r->ir, op, "axis");
  const TccExpr *outer = product_of_dims(r, type, 0, axis), *inner = product_of_dims(r, type, axis + 1, tcc_type_rank(type));
  const bool last = tcc_bool(r->ir, op, "last");
  r->call->builtin = TCC_BUILTIN_TOPK;
  put_number(r, tcc_type_elem(type));
  put(r, dim(r, type, axis));
  put(r, inner);
  put(r, k[0]);
  put_number(r, tcc_bool(r->ir, op, "largest"));
  put_result(r, kernel, op, 0);
  put_result(r, kernel, op, 1);
  put_number(r, last);
  r->call->tiles = times(r, outer, inner);
  r->call->scratch = last ? times(r, dim(r, type, axis), number(r, sizeof(uint64_t))) : times(r, k[0], number(r, TCC_TOPK_SCRATCH));
  return mlirLogicalResultSuccess();
}

static MlirLogicalResult read_nonzero(const Reader *r, MlirOperation op, MlirType type) {
  const int rank = tcc_type_rank(type);
  r->call->builtin = TCC_BUILTIN_NONZERO;
  put_number(r, tcc_type_elem(type));
  put_number(r, rank);
  put(r, tcc_expr_symbol(r->ir->exprs, tcc_string(r->ir, op, "size")));
  for (int axis = 0; axis < rank; axis++) put(r, dim(r, type, axis));
  r->call->tiles = number(r, 1);
  return mlirLogicalResultSuccess();
}

/* Pixels of an encoded image, or its size. */
static MlirLogicalResult read_image(const Reader *r, MlirOperation kernel, MlirOperation op, MlirType type) {
  const TccStr format = tcc_op_kind(r->ir, op) == TCC_OP_DECODE_IMAGE ? tcc_string(r->ir, op, "format") : tcc_str("");
  r->call->builtin = format.length ? TCC_BUILTIN_DECODE_IMAGE : TCC_BUILTIN_IMAGE_SIZE;
  r->call->tiles = number(r, 1);
  put(r, dim(r, type, 0));
  if (!format.length) return mlirLogicalResultSuccess();
  MlirType pixels = tcc_value_type(mlirOperationGetResult(op, 0));
  put(r, dim(r, pixels, 0));
  put(r, dim(r, pixels, 1));
  put_number(r, tcc_pixel_format(format));
  put_result(r, kernel, op, 0);
  put_result(r, kernel, op, 1);
  return mlirLogicalResultSuccess();
}

static const struct {
  TccOpKind kind;
  TccBuiltin builtin;
} factorisations[] = {
    {TCC_OP_LU, TCC_BUILTIN_LU},
    {TCC_OP_PIVOTS_TO_PERMUTATION, TCC_BUILTIN_PIVOTS_TO_PERMUTATION},
    {TCC_OP_CHOLESKY, TCC_BUILTIN_CHOLESKY},
    {TCC_OP_GEQRF, TCC_BUILTIN_GEQRF},
    {TCC_OP_HOUSEHOLDER_PRODUCT, TCC_BUILTIN_HOUSEHOLDER_PRODUCT},
    {TCC_OP_EIGH, TCC_BUILTIN_EIGH},
    {TCC_OP_SVD, TCC_BUILTIN_SVD},
};

static TccBuiltin factorisation_of(TccOpKind kind) {
  size_t i = 0, count = sizeof factorisations / sizeof *factorisations;
  while (i < count && factorisations[i].kind != kind) i++;
  return i < count ? factorisations[i].builtin : TCC_BUILTIN_COUNT;
}

/* Bytes in which a matrix [m, n] lies in doubles, and `more` numbers. */
static const TccExpr *doubles(const Reader *r, const TccExpr *m, const TccExpr *n, const TccExpr *more) {
  const TccExpr *row = tcc_expr_add(r->ir->exprs, n, number(r, TCC_LINALG_PADDING));
  return times(r, number(r, sizeof(double)), tcc_expr_add(r->ir->exprs, times(r, m, row), more));
}

/* Bytes of a block of reflectors of m elements (TccReflectors): V; T and V' V. */
static const TccExpr *reflectors(const Reader *r, const TccExpr *m) {
  const TccExpr *block = number(r, TCC_LINALG_BLOCK), *none = number(r, 0);
  return tcc_expr_add(r->ir->exprs, doubles(r, m, block, none), doubles(r, times(r, number(r, 2), block), block, none));
}

/* Scratch of lib/runtime/linalg_*.c for matrices [m, n]. */
static const TccExpr *factor_scratch(const Reader *r, TccBuiltin builtin, bool full, const TccExpr *m, const TccExpr *n) {
  TccExprPool *pool = r->ir->exprs;
  const TccExpr *none = number(r, 0), *block = number(r, TCC_LINALG_BLOCK), *matrix = doubles(r, m, n, none),
                *sides = tcc_expr_add(pool, m, n), *result;
  switch (builtin) {
  case TCC_BUILTIN_PIVOTS_TO_PERMUTATION: return none;
  case TCC_BUILTIN_GEQRF:
  case TCC_BUILTIN_HOUSEHOLDER_PRODUCT: /* reflectors; two products; tau */
    result = tcc_expr_add(pool, matrix, reflectors(r, m));
    return tcc_expr_add(pool, result, doubles(r, number(r, 2 * TCC_LINALG_BLOCK), n, n));
  case TCC_BUILTIN_EIGH: /* vectors; what a block takes and four of n; reflectors; two products */
    result = tcc_expr_add(pool, tcc_expr_add(pool, matrix, matrix), doubles(r, block, n, times(r, number(r, 4), n)));
    return tcc_expr_add(pool, result, tcc_expr_add(pool, reflectors(r, n), doubles(r, times(r, number(r, 2), n), block, none)));
  case TCC_BUILTIN_SVD: /* a or its transposed; u and v of min(m, n) rows, or square ones; what a block takes; vectors; reflectors; two products */
    result = tcc_expr_add(pool, matrix, doubles(r, n, m, none));
    if (full) result = tcc_expr_add(pool, result, tcc_expr_add(pool, doubles(r, m, m, none), doubles(r, n, n, none)));
    else result = tcc_expr_add(pool, result, tcc_expr_add(pool, matrix, doubles(r, n, m, none)));
    result = tcc_expr_add(pool, result, doubles(r, times(r, number(r, 2), sides), block, times(r, number(r, 6), sides)));
    result = tcc_expr_add(pool, result, doubles(r, times(r, number(r, 3), block), sides, none));
    return tcc_expr_add(pool, result, reflectors(r, sides));
  default: return matrix;
  }
}

/* A tile is a matrix. */
static MlirLogicalResult read_factor(const Reader *r, MlirOperation kernel) {
  MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel));
  const TccBuiltin builtin = factorisation_of(tcc_op_kind(r->ir, op));
  if (builtin == TCC_BUILTIN_COUNT) return tcc_error(kernel, "plan: a factor kernel must hold its op alone");
  MlirType type = tcc_value_type(mlirOperationGetOperand(op, 0));
  const bool permutes = builtin == TCC_BUILTIN_PIVOTS_TO_PERMUTATION,
             full = builtin == TCC_BUILTIN_SVD && tcc_bool(r->ir, op, "full");
  const intptr_t rank = tcc_type_rank(type), noperands = mlirOperationGetNumOperands(op);
  const TccExpr *columns = dim(r, type, rank - 1), *rows = permutes ? NULL : dim(r, type, rank - 2);
  if (permutes) rows = dim(r, tcc_value_type(mlirOperationGetResult(op, 0)), rank - 1);
  r->call->builtin = builtin;
  put_number(r, tcc_type_elem(type));
  put(r, rows);
  put(r, columns);
  if (builtin == TCC_BUILTIN_HOUSEHOLDER_PRODUCT) put(r, dim(r, tcc_value_type(mlirOperationGetOperand(op, 1)), rank - 2));
  else put_number(r, full);
  for (intptr_t i = 0; i < 2; i++) {
    if (i >= noperands) put_number(r, 0);
    else if (mlirLogicalResultIsFailure(put_operand(r, kernel, op, i))) return mlirLogicalResultFailure();
  }
  for (intptr_t i = 0; i < 3; i++) {
    if (i >= mlirOperationGetNumResults(op)) put_number(r, 0);
    else put_result(r, kernel, op, i);
  }
  r->call->tiles = product_of_dims(r, type, 0, permutes ? rank - 1 : rank - 2);
  r->call->scratch = factor_scratch(r, builtin, full, rows, columns);
  return mlirLogicalResultSuccess();
}

/* A tile is so many lines that some eight of them are there to be shared, an even number. */
static MlirLogicalResult read_fft(const Reader *r, MlirOperation kernel) {
  TccExprPool *pool = r->ir->exprs;
  MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)), none = {NULL};
  if (tcc_op_kind(r->ir, op) == TCC_OP_NONE) none = op, op = mlirOperationGetNextInBlock(op);
  const TccOpKind kind = tcc_op_kind(r->ir, op);
  if (kind != TCC_OP_FFT && kind != TCC_OP_IRFFT) return tcc_error(kernel, "plan: an fft kernel must hold its op alone");
  const bool to_real = kind == TCC_OP_IRFFT, half = !to_real && tcc_bool(r->ir, op, "half"),
             inverse = !to_real && tcc_bool(r->ir, op, "inverse");
  MlirType type = tcc_value_type(mlirOperationGetOperand(op, 0)),
           whole = to_real ? tcc_value_type(mlirOperationGetResult(op, 0)) : type;
  const int64_t axis = tcc_i64(r->ir, op, "axis");
  int64_t length;
  const TccExpr *n = dim(r, whole, axis), *inner = product_of_dims(r, type, axis + 1, tcc_type_rank(type)),
                *lines = times(r, product_of_dims(r, type, 0, axis), inner), *two = number(r, 2),
                *pairs = tcc_expr_call(pool, TCC_EXPR_CEILDIV, lines, number(r, 16));
  pairs =
      tcc_expr_call(pool, TCC_EXPR_MIN, tcc_expr_call(pool, TCC_EXPR_MAX, pairs, number(r, 1)), number(r, TCC_FFT_MOST_LINES / 2));
  r->call->builtin = TCC_BUILTIN_FFT;
  put_number(r, tcc_type_elem(type));
  put(r, n);
  put(r, inner);
  put(r, lines);
  put(r, times(r, two, pairs));
  put_number(r, to_real ? TCC_FFT_TO_REAL
                : half  ? (inverse ? TCC_FFT_INVERSE_HALF : TCC_FFT_FORWARD_HALF)
                        : (inverse ? TCC_FFT_INVERSE : TCC_FFT_FORWARD));
  if (!mlirOperationIsNull(none)) {
    put_number(r, 0);
  } else {
    if (mlirLogicalResultIsFailure(put_operand(r, kernel, op, 1))) return mlirLogicalResultFailure();
    const TccExpr **position = &r->call->sizes[r->call->nsizes - 1];
    *position = tcc_expr_add(pool, *position, number(r, 1)); /* which may be that of x */
  }
  put_result(r, kernel, op, 0);
  if (to_real) put_number(r, 0);
  else put_result(r, kernel, op, 1);
  r->call->tiles = tcc_expr_call(pool, TCC_EXPR_CEILDIV, lines, times(r, two, pairs));
  r->call->scratch = tcc_expr_is_const(n, &length)
                         ? number(r, tcc_fft_scratch(length))
                         : tcc_expr_add(pool, times(r, number(r, TCC_FFT_SCRATCH_ANY), n), number(r, TCC_FFT_SCRATCH_MORE));
  r->call->scratch = times(r, r->call->scratch, number(r, (int64_t)tcc_elem_bytes(tcc_type_elem(type), 1)));
  return mlirLogicalResultSuccess();
}

static bool is_builtin_op(TccOpKind kind) {
  switch (kind) {
  case TCC_OP_TOPK:
  case TCC_OP_NONZERO:
  case TCC_OP_DYNAMIC_UPDATE_SLICE:
  case TCC_OP_NON_MAX_SUPPRESSION:
  case TCC_OP_IMAGE_SIZE:
  case TCC_OP_DECODE_IMAGE: return true;
  default: return false;
  }
}

MlirOperation tcc_builtin_op(TccIr *ir, MlirOperation kernel) {
  MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel));
  while (!mlirOperationIsNull(op) && !is_builtin_op(tcc_op_kind(ir, op))) op = mlirOperationGetNextInBlock(op);
  return op;
}

static MlirLogicalResult read_op(const Reader *r, MlirOperation kernel) {
  MlirOperation op = tcc_builtin_op(r->ir, kernel);
  if (mlirOperationIsNull(op)) return tcc_error(kernel, "plan: a builtin kernel without an op that is a function of the run-time");
  const TccOpKind kind = tcc_op_kind(r->ir, op);
  if (kind == TCC_OP_DYNAMIC_UPDATE_SLICE) return read_dynamic_update_slice(r, kernel, op);
  if (kind == TCC_OP_NON_MAX_SUPPRESSION) return read_non_max_suppression(r, kernel, op);
  MlirValue x = mlirOperationGetOperand(op, 0);
  if (mlirBlockGetNumArguments(tcc_func_body(kernel)) != 1 || !mlirValueEqual(x, mlirBlockGetArgument(tcc_func_body(kernel), 0)))
    return tcc_error(kernel, "plan: a builtin kernel must hold its op alone");
  if (kind == TCC_OP_IMAGE_SIZE || kind == TCC_OP_DECODE_IMAGE) return read_image(r, kernel, op, tcc_value_type(x));
  return kind == TCC_OP_TOPK ? read_topk(r, kernel, op, tcc_value_type(x)) : read_nonzero(r, op, tcc_value_type(x));
}

MlirLogicalResult tcc_builtin_call_read(TccIr *ir, MlirOperation kernel, TccBuiltinCall *out) {
  *out = (TccBuiltinCall){.scratch = tcc_expr_const(ir->exprs, 0)};
  const Reader r = {ir, out};
  switch (tcc_kernel_kind(ir, kernel)) {
  case TCC_KERNEL_RELAYOUT: return read_relayout(&r, kernel);
  case TCC_KERNEL_WINOGRAD: return read_winograd(&r, kernel);
  case TCC_KERNEL_FACTOR: return read_factor(&r, kernel);
  case TCC_KERNEL_FFT: return read_fft(&r, kernel);
  case TCC_KERNEL_CONCAT:
  case TCC_KERNEL_SLICE: return read_concat_slice(&r, kernel);
  default: return read_op(&r, kernel);
  }
}

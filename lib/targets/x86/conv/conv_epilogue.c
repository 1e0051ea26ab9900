/* conv_epilogue.c - a vector of a convolution's results through the epilogue into memory.
 *
 * Lanes are channels, so that every leaf is a vector beside the result's, or one value for all lanes. Values that several ops of
 * the epilogue read are computed once. */
#include "lib/codegen/emit/scalar.h"
#include "lib/codegen/read/kernel.h"
#include "lib/targets/x86/conv/conv_blocked.h"

enum { MOST_VALUES = 64, LANES = 16, FOUR = TCC_CONV_FOUR };

typedef struct {
  TccConvBlocked *c;
  int64_t pixel;
  const TccVal *base;
  TccVal acc, sum; /* acc: the anchor's value; sum: before it was rounded to its type */
  int n;
  struct {
    MlirValue value;
    TccVal v;
  } known[MOST_VALUES];
} Finish;

static TccVal address(const Finish *f, int tensor, TccElem elem) {
  TccConvBlocked *c = f->c;
  return tcc_emit_at(c->k->e, tcc_scalar_memory_type(elem), f->base[tensor], f->pixel * c->read.at[tensor].pixel);
}

static TccVal load_leaf(const Finish *f, int leaf) {
  TccConvBlocked *c = f->c;
  TccEmit *e = c->k->e;
  int lanes = c->read.shape.lanes;
  TccElem elem = c->read.epilogue.view[leaf].elem;
  const char *scalar = tcc_scalar_memory_type(elem), *type = tcc_emit_vector(e, scalar, lanes);
  TccVal p = address(f, leaf + 1, elem), v;
  if (c->number[leaf]) v = tcc_emit_splat(e, type, tcc_emit_load_once(e, scalar, c->number[leaf], 0));
  else if (c->read.at[leaf + 1].lane == 0) v = tcc_emit_splat(e, type, tcc_emit_load(e, scalar, p));
  else v = tcc_emit_load(e, type, p);
  return tcc_scalar_from_memory(e, elem, lanes, v);
}

/* ---- quantised to bytes ---- */

typedef struct {
  MlirValue x, number; /* number: the zero point that is an operand of the kernel; null where it is `zero` */
  int64_t zero, low, high;
  bool is_signed;
  bool difference; /* of `number`: how far it is above that is meant */
} Quantized;

/* The other operand of op, a `kind` of one and an integer of at most `most` in magnitude; null if it is another. */
static MlirValue beside_integer(TccIr *ir, MlirValue value, TccOpKind kind, int64_t most, int64_t *out) {
  if (tcc_value_kind(ir, value) != kind) return (MlirValue){NULL};
  for (int i = 0; i < 2; i++) {
    MlirValue number = mlirOperationGetOperand(tcc_value_op(value), i);
    TccElem elem;
    const void *data = tcc_read_number(ir, number, &elem);
    double v = data && elem == TCC_ELEM_F32 ? tcc_elem_load_f64(elem, data, 0) : 0.5;
    if (v < (double)-most || v > (double)most || v != (double)(int64_t)v) continue;
    *out = (int64_t)v;
    return mlirOperationGetOperand(tcc_value_op(value), 1 - i);
  }
  return (MlirValue){NULL};
}

/* x of x + number, an operand of the kernel; else null. */
static MlirValue beside_leaf(const TccConvBlocked *c, MlirValue value, MlirValue *out) {
  const TccEpilogue *ep = &c->read.epilogue;
  if (tcc_value_kind(c->read.ir, value) != TCC_OP_ADD) return (MlirValue){NULL};
  MlirValue x = mlirOperationGetOperand(tcc_value_op(value), 0), number = mlirOperationGetOperand(tcc_value_op(value), 1);
  for (int i = 0; i < ep->nleaves; i++) {
    if (!mlirValueEqual(ep->leaf[i], number) || tcc_type_rank(tcc_value_type(number)) != 0 || ep->view[i].elem != TCC_ELEM_F32)
      continue;
    *out = number;
    return x;
  }
  return (MlirValue){NULL};
}

/* value = convert(min(max(round(x) + zero, low), high)) to bytes that these are ends of, x of f32. */
static bool read_quantized(const TccConvBlocked *c, MlirValue value, Quantized *q) {
  enum { MOST_BYTE = 255 };
  TccIr *ir = c->read.ir;
  TccElem elem = tcc_value_elem(value);
  if (tcc_value_kind(ir, value) != TCC_OP_CONVERT || (elem != TCC_ELEM_U8 && elem != TCC_ELEM_I8)) return false;
  MlirValue x = mlirOperationGetOperand(tcc_value_op(value), 0), rounded;
  if (tcc_value_elem(x) != TCC_ELEM_F32) return false;
  x = beside_integer(ir, x, TCC_OP_MIN, MOST_BYTE, &q->high);
  if (!mlirValueIsNull(x)) x = beside_integer(ir, x, TCC_OP_MAX, MOST_BYTE, &q->low);
  if (mlirValueIsNull(x)) return false;
  *q = (Quantized){.low = q->low, .high = q->high};
  rounded = beside_integer(ir, x, TCC_OP_ADD, MOST_BYTE, &q->zero);
  if (mlirValueIsNull(rounded)) rounded = beside_leaf(c, x, &q->number);
  if (!mlirValueIsNull(rounded)) x = rounded;
  if (tcc_value_kind(ir, x) != TCC_OP_ROUND) return false;
  q->x = mlirOperationGetOperand(tcc_value_op(x), 0);
  q->is_signed = elem == TCC_ELEM_I8;
  int64_t least = elem == TCC_ELEM_U8 ? 0 : INT8_MIN, most = elem == TCC_ELEM_U8 ? UINT8_MAX : INT8_MAX;
  return q->low >= least && q->high <= most && q->low <= q->high;
}

/* Whether what saturates to bytes cuts what is below `low`: INT32_MIN and a zero point stay negative. */
static bool packs_low(const Quantized *q) {
  return mlirValueIsNull(q->number) && q->zero >= 0 && q->low == (q->is_signed ? INT8_MIN : 0);
}

/* The integers of four vectors as bytes, one vector's behind the other's, in words. */
static TccVal pack(TccEmit *e, const Quantized *q, const TccVal *integers) {
  static const int turned[] = {0, 4, 8, 12, 1, 5, 9, 13, 2, 6, 10, 14, 3, 7, 11, 15}; /* of four lanes of each vector in turns */
  const char *words = tcc_emit_vector(e, "i32", LANES), *halves = tcc_emit_vector(e, "i16", 2 * LANES),
             *bytes = tcc_emit_vector(e, "i8", FOUR * LANES), *const two_words[] = {words, words},
             *const two_halves[] = {halves, halves};
  TccVal half[2];
  for (int i = 0; i < 2; i++)
    half[i] = tcc_emit_call_intrinsic(e, "llvm.x86.avx512.packssdw.512", halves, 2, integers + (ptrdiff_t)2 * i, two_words);
  TccVal packed = tcc_emit_call_intrinsic(e, q->is_signed ? "llvm.x86.avx512.packsswb.512" : "llvm.x86.avx512.packuswb.512", bytes,
                                          2, half, two_halves);
  TccVal word = tcc_emit_cast(e, "bitcast", bytes, words, packed);
  return tcc_emit_shuffle(e, words, word, word, turned);
}

static bool takes_quantized(const TccConvBlocked *c, MlirValue value, Quantized *q) {
  const TccScalarFunctions *functions = c->k->e->functions;
  return functions && functions->to_i32 && c->read.shape.lanes == LANES && read_quantized(c, value, q);
}

/* A conversion to f32 of what is quantised, or how far that is above the zero point, which nobody adds then. */
static bool widens_quantized(const TccConvBlocked *c, MlirValue value, Quantized *q) {
  TccIr *ir = c->read.ir;
  bool difference = tcc_value_kind(ir, value) == TCC_OP_SUB;
  MlirValue converted = difference ? mlirOperationGetOperand(tcc_value_op(value), 0) : value;
  if (tcc_value_kind(ir, converted) != TCC_OP_CONVERT || tcc_value_elem(converted) != TCC_ELEM_F32 ||
      !takes_quantized(c, mlirOperationGetOperand(tcc_value_op(converted), 0), q))
    return false;
  if (!difference) return true;
  MlirValue below = mlirOperationGetOperand(tcc_value_op(value), 1);
  if (!mlirValueIsNull(q->number)) return q->difference = mlirValueEqual(below, q->number);
  TccElem elem;
  const void *data = tcc_read_number(ir, below, &elem);
  if (!data || elem != TCC_ELEM_F32 || tcc_elem_load_f64(elem, data, 0) != (double)q->zero) return false;
  q->low -= q->zero, q->high -= q->zero, q->zero = 0;
  return true;
}

/* A conversion to f32 of what the convolution gives in bf16 reads the sum, unless each op rounds (docs/numerics.md). */
static bool reads_sum(const Finish *f, MlirOperation op) {
  TccConvBlocked *c = f->c;
  return c->read.shape.pairs && !c->k->e->eager && tcc_op_kind(c->read.ir, op) == TCC_OP_CONVERT &&
         mlirValueEqual(mlirOperationGetOperand(op, 0), c->read.epilogue.anchor) &&
         tcc_value_elem(mlirOperationGetResult(op, 0)) == TCC_ELEM_F32;
}

static TccStatus *value_of(Finish *f, MlirValue value, TccVal *out);

/* What a zero point makes of the ends: of floats that are rounded, of integers; itself as an integer (0: none), and how far that is above it as it is. */
typedef struct {
  TccVal most, least, zero, above;
} Ends;

static TccStatus *ends_of(Finish *f, const Quantized *q, Ends *out) {
  TccEmit *e = f->c->k->e;
  const char *floats = tcc_emit_vector(e, "f32", LANES), *integers = tcc_emit_vector(e, "i32", LANES);
  *out = (Ends){tcc_emit_float(e, floats, (double)(q->high - q->zero)), tcc_emit_int(e, integers, q->low - q->zero), 0, 0};
  if (q->zero) out->zero = tcc_emit_int(e, integers, q->zero);
  if (mlirValueIsNull(q->number)) return NULL;
  TccVal number, whole;
  TCC_TRY(value_of(f, q->number, &number));
  whole = tcc_emit_intrinsic(e, "floor", floats, 1, &number); /* bytes have no fraction */
  out->zero = e->functions->to_i32(e, whole);
  out->most = tcc_emit_bin(e, "fsub", floats, out->most, whole);
  out->least = tcc_emit_bin(e, "sub", integers, out->least, out->zero);
  out->above = tcc_emit_bin(e, "fsub", floats, whole, number);
  return NULL;
}

/* q->x in integers of 32 bits. Numbers that are too large are cut before they are rounded, those that are too small, and NaN, become INT32_MIN, and are
 * cut unless `packs` does that. */
static TccStatus *quantize(Finish *f, const Quantized *q, bool packs, TccVal *out) {
  TccEmit *e = f->c->k->e;
  const char *floats = tcc_emit_vector(e, "f32", LANES), *integers = tcc_emit_vector(e, "i32", LANES);
  Ends ends;
  TccVal x;
  TCC_TRY(value_of(f, q->x, &x));
  TCC_TRY(ends_of(f, q, &ends));
  TccVal large = tcc_emit_fcmp(e, "ogt", floats, x, ends.most);
  TccVal both[] = {e->functions->to_i32(e, tcc_emit_select(e, floats, large, ends.most, x)), ends.least};
  *out = packs ? both[0] : tcc_emit_intrinsic(e, "smax", integers, 2, both);
  if (ends.zero && !q->difference) *out = tcc_emit_bin(e, "add", integers, *out, ends.zero);
  return NULL;
}

/* The same as floats; of a difference from an operand that is no integer with its fraction. */
static TccStatus *quantize_to_floats(Finish *f, const Quantized *q, TccVal *out) {
  TccEmit *e = f->c->k->e;
  const char *floats = tcc_emit_vector(e, "f32", LANES);
  Ends ends;
  TCC_TRY(quantize(f, q, false, out));
  *out = tcc_emit_cast(e, "sitofp", tcc_emit_vector(e, "i32", LANES), floats, *out);
  if (!q->difference) return NULL;
  TCC_TRY(ends_of(f, q, &ends));
  *out = tcc_emit_bin(e, "fadd", floats, *out, ends.above);
  return NULL;
}

static TccStatus *value_of(Finish *f, MlirValue value, TccVal *out) {
  TccConvBlocked *c = f->c;
  const TccEpilogue *ep = &c->read.epilogue;
  *out = f->acc;
  if (mlirValueEqual(value, ep->anchor)) return NULL;
  if (tcc_read_number(c->read.ir, value, NULL)) {
    *out = tcc_scalar_constant(c->k->e, c->read.ir, value, c->read.shape.lanes);
    return NULL;
  }
  for (int i = 0; i < f->n; i++)
    if (mlirValueEqual(f->known[i].value, value)) {
      *out = f->known[i].v;
      return NULL;
    }
  bool found = false;
  for (int i = 0; i < ep->nleaves && !found; i++)
    if (mlirValueEqual(ep->leaf[i], value)) {
      *out = load_leaf(f, i);
      found = true;
    }
  Quantized quantized;
  bool widens = !found && widens_quantized(c, value, &quantized);
  if (widens) {
    TCC_TRY(quantize_to_floats(f, &quantized, out));
  } else if (!found && takes_quantized(c, value, &quantized)) {
    TCC_TRY(quantize(f, &quantized, false, out));
    *out = tcc_emit_cast(c->k->e, "trunc", tcc_emit_vector(c->k->e, "i32", LANES), tcc_emit_vector(c->k->e, "i8", LANES), *out);
  } else if (!found && reads_sum(f, tcc_value_op(value))) {
    *out = f->sum;
  } else if (!found) {
    MlirOperation op = tcc_value_op(value);
    TccVal operand[4] = {0};
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op) && i < 4; i++)
      if (!tcc_value_is_none(c->read.ir, mlirOperationGetOperand(op, i)))
        TCC_TRY(value_of(f, mlirOperationGetOperand(op, i), &operand[i]));
    TCC_TRY(tcc_scalar_op(c->k->e, c->read.ir, op, c->read.shape.lanes, operand, out));
  }
  if (f->n == MOST_VALUES) return TCC_ERROR(TCC_UNSUPPORTED, "more than %d values in an epilogue", MOST_VALUES);
  f->known[f->n].value = value;
  f->known[f->n++].v = *out;
  return NULL;
}

static Finish begin(TccConvBlocked *c, const TccVal *base, int64_t pixel, TccVal acc) {
  Finish f = {.c = c, .pixel = pixel, .base = base, .acc = acc, .sum = acc};
  if (c->read.shape.pairs) f.acc = tcc_scalar_convert(c->k->e, TCC_ELEM_F32, TCC_ELEM_BF16, c->read.shape.lanes, acc);
  return f;
}

TccStatus *tcc_conv_epilogue_emit(TccConvBlocked *c, const TccVal *base, int64_t pixel, TccVal acc) {
  TccEmit *e = c->k->e;
  TccElem elem = c->read.epilogue.result.elem;
  Finish f = begin(c, base, pixel, acc);
  TccVal v;
  TCC_TRY(value_of(&f, c->read.epilogue.root, &v));
  v = tcc_scalar_to_memory(e, elem, c->read.shape.lanes, v);
  tcc_emit_store(e, tcc_emit_vector(e, tcc_scalar_memory_type(elem), c->read.shape.lanes), v, address(&f, 0, elem));
  return NULL;
}

bool tcc_conv_epilogue_takes_four(const TccConvBlocked *c) {
  Quantized quantized;
  return c->read.at[0].pixel == LANES && takes_quantized(c, c->read.epilogue.root, &quantized);
}

static bool is_known(const TccExpr *e) {
  int64_t n;
  return tcc_expr_is_const(e, &n);
}

bool tcc_conv_epilogue_takes_blocks(const TccConvBlocked *c) {
  Quantized quantized;
  for (int t = 0; t <= c->read.epilogue.nleaves; t++)
    if (!is_known(c->read.at[t].block)) return false;
  return c->read.at[0].block == tcc_expr_const(c->read.ir->exprs, LANES) && !c->read.shape.depthwise &&
         c->plan.vectors % FOUR == 0 && c->read.out_blocks % c->plan.vectors == 0 &&
         takes_quantized(c, c->read.epilogue.root, &quantized);
}

TccStatus *tcc_conv_epilogue_emit_blocks(TccConvBlocked *c, const TccVal *base, int first, const TccVal *acc) {
  TccEmit *e = c->k->e;
  Quantized quantized;
  TccVal integers[FOUR], at[TCC_CONV_TENSORS];
  read_quantized(c, c->read.epilogue.root, &quantized);
  for (int j = 0; j < FOUR; j++) {
    for (int t = 0; t <= c->read.epilogue.nleaves; t++) {
      int64_t block = 0;
      tcc_expr_is_const(c->read.at[t].block, &block);
      TccElem elem = t ? c->read.epilogue.view[t - 1].elem : c->read.epilogue.result.elem;
      at[t] = tcc_emit_at(e, tcc_scalar_memory_type(elem), base[t], (first + j) * block);
    }
    Finish f = begin(c, at, 0, acc[j]);
    TCC_TRY(quantize(&f, &quantized, packs_low(&quantized), &integers[j]));
  }
  tcc_emit_store(e, tcc_emit_vector(e, "i32", LANES), pack(e, &quantized, integers),
                 tcc_emit_at(e, "i8", base[0], (int64_t)first * LANES));
  return NULL;
}

TccStatus *tcc_conv_epilogue_emit_four(TccConvBlocked *c, const TccVal *base, int64_t pixel, int count, const TccVal *acc) {
  TccEmit *e = c->k->e;
  Quantized quantized;
  TccVal integers[FOUR];
  read_quantized(c, c->read.epilogue.root, &quantized);
  for (int p = 0; p < count; p++) {
    Finish f = begin(c, base, pixel + p, acc[p]);
    TCC_TRY(quantize(&f, &quantized, packs_low(&quantized), &integers[p]));
  }
  for (int p = count; p < FOUR; p++) integers[p] = integers[p - 1];
  TccVal some = count < FOUR ? tcc_emit_mask(e, tcc_emit_i64(e, (int64_t)count * (LANES / FOUR)), LANES) : 0,
         to = tcc_emit_at(e, "i8", base[0], pixel * LANES);
  tcc_emit_masked_store(e, tcc_emit_vector(e, "i32", LANES), pack(e, &quantized, integers), to, some);
  return NULL;
}

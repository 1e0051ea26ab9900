/* linalg_text.c - the frame of the linalg writer: names, types, sizes, elementwise ops. */
#include "lib/targets/reference/linalg_text.h"
#include "tcc/abi.h"
#include "tcc/op_kinds.h"
#include <stdio.h>

void linalg_put(LinalgText *t, const char *format, ...) {
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(t->out, format, args);
  va_end(args);
}

int linalg_op(LinalgText *t, const char *format, ...) {
  int number = t->next++;
  tcc_text_printf(t->out, "  %%v%d = ", number);
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(t->out, format, args);
  va_end(args);
  tcc_text_put(t->out, "\n", 1);
  return number;
}

void linalg_fail(LinalgText *t, const char *format, ...) {
  if (t->status) return;
  TccText text = {0};
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(&text, format, args);
  va_end(args);
  TccOpKind kind = tcc_op_kind(t->ir, t->op);
  t->status =
      TCC_ERROR(TCC_UNSUPPORTED, "reference: %s: %s", kind == TCC_OP_UNKNOWN ? "an argument" : tcc_op_name(kind), text.data);
  tcc_text_destroy(&text);
}

const char *linalg_elem(TccElem elem) {
  switch (elem) {
  case TCC_ELEM_F32: return "f32";
  case TCC_ELEM_F64: return "f64";
  case TCC_ELEM_F16: return "f16";
  case TCC_ELEM_BF16: return "bf16";
  case TCC_ELEM_BOOL: return "i1";
  case TCC_ELEM_I8:
  case TCC_ELEM_U8:
  case TCC_ELEM_I4:
  case TCC_ELEM_U4:
  case TCC_ELEM_I2:
  case TCC_ELEM_U2: return "i8";
  case TCC_ELEM_I16:
  case TCC_ELEM_U16: return "i16";
  case TCC_ELEM_I32:
  case TCC_ELEM_U32: return "i32";
  case TCC_ELEM_I64:
  case TCC_ELEM_U64: return "i64";
  default: return NULL;
  }
}

static const char *elem_or_fail(LinalgText *t, TccElem elem) {
  const char *name = linalg_elem(elem);
  if (!name) linalg_fail(t, "element type %s does not compute", tcc_elem_name(elem));
  return name ? name : "f32";
}

void linalg_put_type(LinalgText *t, MlirType type) {
  linalg_put(t, "tensor<");
  for (int axis = 0; axis < tcc_type_rank(type); axis++) {
    int64_t size;
    if (tcc_expr_is_const(tcc_type_dim(t->ir, type, axis), &size)) linalg_put(t, "%lldx", (long long)size);
    else linalg_put(t, "?x");
  }
  linalg_put(t, "%s>", elem_or_fail(t, tcc_type_elem(type)));
}

int linalg_text_fresh(LinalgText *t) { return t->next++; }

void linalg_text_bind(LinalgText *t, MlirValue value, int number) {
  tcc_map_put(t->names, tcc_key_pointer((const void *const *)&value.ptr), NULL)->integer = number;
}

int linalg_text_number(LinalgText *t, MlirValue value) {
  return (int)tcc_map_find(t->names, tcc_key_pointer((const void *const *)&value.ptr))->integer;
}

/* ---- sizes: slot i is %s<i> ---- */

static void add_slot(LinalgText *t, const TccExpr *e) {
  if (tcc_expr_is_const(e, NULL)) return;
  for (size_t i = 0; i < t->slots.count; i++)
    if (t->slots.data[i] == e) return;
  TCC_VEC_PUSH(t->ir->arena, &t->slots, e);
}

static void add_type_slots(LinalgText *t, MlirType type) {
  for (int axis = 0; axis < tcc_type_rank(type); axis++) {
    const TccExpr *size = tcc_type_dim(t->ir, type, axis);
    if (size) add_slot(t, size);
    else linalg_fail(t, "axis %d has an unknown size", axis);
  }
}

TccStatus *linalg_text_begin(LinalgText *t, TccIr *ir, TccText *out, MlirOperation kernel) {
  *t = (LinalgText){.ir = ir, .out = out, .names = tcc_map_create(ir->arena), .op = kernel};
  MlirBlock block = tcc_func_body(kernel);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(block); i++) add_type_slots(t, tcc_value_type(mlirBlockGetArgument(block, i)));
  TCC_EACH_OP (op, block) {
    if (tcc_op_kind(ir, op) == TCC_OP_UNKNOWN && !mlirOperationEqual(op, mlirBlockGetTerminator(block))) {
      MlirStringRef name = mlirIdentifierStr(mlirOperationGetName(op));
      return TCC_ERROR(TCC_UNSUPPORTED, "reference: '%.*s' is no op of tcc", (int)name.length, name.data);
    }
    t->op = op;
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) add_type_slots(t, tcc_value_type(mlirOperationGetResult(op, r)));
    static const char *const lists[] = {"starts", "low", "high", "values", "offset"};
    if (tcc_op_kind(ir, op) == TCC_OP_UNKNOWN) continue;
    for (size_t l = 0; l < sizeof lists / sizeof *lists; l++) {
      const TccExpr *const *exprs;
      size_t count;
      if (mlirAttributeIsNull(mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(lists[l])))) continue;
      if (!tcc_get_exprs(ir, op, lists[l], &exprs, &count)) continue;
      for (size_t i = 0; i < count; i++) add_slot(t, exprs[i]);
    }
  }
  TccStatus *status = t->status;
  t->status = NULL;
  t->op = kernel;
  return status;
}

void linalg_text_sizes(LinalgText *t, const char *sizes_name) {
  for (size_t i = 0; i < t->slots.count; i++) {
    linalg_put(t, "  %%i%zu = arith.constant %zu : index\n", i, i);
    linalg_put(t, "  %%l%zu = tensor.extract %s[%%i%zu] : tensor<%zuxi64>\n", i, sizes_name, i, t->slots.count);
    linalg_put(t, "  %%s%zu = arith.index_cast %%l%zu : i64 to index\n", i, i);
  }
}

int linalg_index_constant(LinalgText *t, int64_t value) { return linalg_op(t, "arith.constant %lld : index", (long long)value); }

int linalg_size(LinalgText *t, const TccExpr *e) {
  int64_t value;
  if (tcc_expr_is_const(e, &value)) return linalg_index_constant(t, value);
  for (size_t i = 0; i < t->slots.count; i++)
    if (t->slots.data[i] == e) {
      int zero = linalg_index_constant(t, 0);
      return linalg_op(t, "arith.addi %%s%zu, %%v%d : index", i, zero);
    }
  linalg_fail(t, "size %s is no slot of the kernel", tcc_expr_text(t->ir->exprs, e));
  return linalg_index_constant(t, 0);
}

int linalg_dim(LinalgText *t, MlirValue value, int axis) {
  return linalg_size(t, tcc_type_dim(t->ir, tcc_value_type(value), axis));
}

int linalg_add(LinalgText *t, int a, int b) { return linalg_op(t, "arith.addi %%v%d, %%v%d : index", a, b); }
int linalg_sub(LinalgText *t, int a, int b) { return linalg_op(t, "arith.subi %%v%d, %%v%d : index", a, b); }
int linalg_mul(LinalgText *t, int a, int b) { return linalg_op(t, "arith.muli %%v%d, %%v%d : index", a, b); }
int linalg_clamp(LinalgText *t, int x, int low, int high) {
  int y = linalg_op(t, "arith.minsi %%v%d, %%v%d : index", x, high);
  return linalg_op(t, "arith.maxsi %%v%d, %%v%d : index", y, low);
}
int linalg_inside(LinalgText *t, int x, int size) {
  int zero = linalg_index_constant(t, 0);
  int low = linalg_op(t, "arith.cmpi sge, %%v%d, %%v%d : index", x, zero);
  int high = linalg_op(t, "arith.cmpi slt, %%v%d, %%v%d : index", x, size);
  return linalg_op(t, "arith.andi %%v%d, %%v%d : i1", low, high);
}

void linalg_fault(LinalgText *t, MlirOperation op, int n, int raw, int index, int size) {
  int check = tcc_index_check_of(t->ir, op);
  if (!t->faults || check < 0) return;
  int outside = linalg_op(t, "arith.cmpi uge, %%v%d, %%v%d : index", index, size);
  linalg_put(t, "  scf.if %%v%d {\n", outside);
  int value[] = {linalg_op(t, "arith.index_cast %%v%d : index to i64", raw), linalg_op(t, "arith.constant 1 : i64")};
  static const int word[] = {TCC_FAULT_INDEX, TCC_FAULT_SEEN};
  for (int i = 0; i < 2; i++) {
    int at = linalg_index_constant(t, (int64_t)t->faults + tcc_fault_word(check + n, word[i]));
    linalg_put(t, "  memref.store %%v%d, %%faults[%%v%d] : memref<%zuxi64>\n", value[i], at, t->faults);
  }
  linalg_put(t, "  }\n");
}

/* ---- generics ---- */

static int put_empty(LinalgText *t, MlirType type) {
  int rank = tcc_type_rank(type), dims[TCC_MAX_RANK], n = 0;
  for (int axis = 0; axis < rank; axis++)
    if (!tcc_expr_is_const(tcc_type_dim(t->ir, type, axis), NULL)) dims[n++] = linalg_size(t, tcc_type_dim(t->ir, type, axis));
  int number = t->next++;
  linalg_put(t, "  %%v%d = tensor.empty(", number);
  for (int i = 0; i < n; i++) linalg_put(t, "%s%%v%d", i ? ", " : "", dims[i]);
  linalg_put(t, ") : ");
  linalg_put_type(t, type);
  linalg_put(t, "\n");
  return number;
}

static void put_identity(LinalgText *t, int rank) {
  linalg_put(t, "affine_map<(");
  for (int pass = 0; pass < 2; pass++) {
    for (int i = 0; i < rank; i++) linalg_put(t, "%sd%d", i ? ", " : "", i);
    linalg_put(t, pass ? ")>" : ") -> (");
  }
}

static void put_parallel(LinalgText *t, int rank) {
  linalg_put(t, "iterator_types = [");
  for (int i = 0; i < rank; i++) linalg_put(t, "%s\"parallel\"", i ? ", " : "");
  linalg_put(t, "]");
}

int linalg_fill_begin(LinalgText *t, MlirType type, int *out_index) {
  int empty = put_empty(t, type), number = t->next++, rank = tcc_type_rank(type);
  linalg_put(t, "  %%v%d = linalg.generic {indexing_maps = [", number);
  put_identity(t, rank);
  linalg_put(t, "], ");
  put_parallel(t, rank);
  linalg_put(t, "} outs(%%v%d : ", empty);
  linalg_put_type(t, type);
  linalg_put(t, ") {\n  ^bb0(%%o%d: %s):\n", number, elem_or_fail(t, tcc_type_elem(type)));
  for (int i = 0; i < rank; i++) out_index[i] = linalg_op(t, "linalg.index %d : index", i);
  return number;
}

void linalg_fill_end(LinalgText *t, MlirType type, int value) {
  linalg_put(t, "  linalg.yield %%v%d : %s\n  } -> ", value, elem_or_fail(t, tcc_type_elem(type)));
  linalg_put_type(t, type);
  linalg_put(t, "\n");
}

int linalg_extract(LinalgText *t, MlirValue tensor, const int *index) {
  MlirType type = tcc_value_type(tensor);
  int from = linalg_text_number(t, tensor), number = t->next++;
  linalg_put(t, "  %%v%d = tensor.extract %%v%d[", number, from);
  for (int i = 0; i < tcc_type_rank(type); i++) linalg_put(t, "%s%%v%d", i ? ", " : "", index[i]);
  linalg_put(t, "] : ");
  linalg_put_type(t, type);
  linalg_put(t, "\n");
  return number;
}

bool linalg_packed(MlirType type) { return tcc_elem_bits(tcc_type_elem(type)) < 8; }

int linalg_unpack(LinalgText *t, MlirType type, int bytes) {
  int index[TCC_MAX_RANK], filled = linalg_fill_begin(t, type, index), at = linalg_index_constant(t, 0);
  for (int axis = 0; axis < tcc_type_rank(type); axis++)
    at = linalg_add(t, linalg_mul(t, at, linalg_size(t, tcc_type_dim(t->ir, type, axis))), index[axis]);
  int bits = (int)tcc_elem_bits(tcc_type_elem(type)), each = linalg_index_constant(t, 8 / bits);
  int byte = linalg_op(t, "arith.divui %%v%d, %%v%d : index", at, each),
      place = linalg_op(t, "arith.remui %%v%d, %%v%d : index", at, each);
  int all = linalg_op(t, "tensor.extract %%v%d[%%v%d] : tensor<?xi8>", bytes, byte);
  /* The element goes to the top of the byte, and from there down with its sign. */
  int top = linalg_op(t, "arith.constant %d : i8", 8 - bits), width = linalg_op(t, "arith.constant %d : i8", bits);
  int start = linalg_op(t, "arith.muli %%v%d, %%v%d : i8", linalg_op(t, "arith.index_cast %%v%d : index to i8", place), width);
  int high = linalg_op(t, "arith.shli %%v%d, %%v%d : i8", all, linalg_op(t, "arith.subi %%v%d, %%v%d : i8", top, start));
  const char *shift = tcc_elem_is_unsigned(tcc_type_elem(type)) ? "arith.shrui" : "arith.shrsi";
  linalg_fill_end(t, type, linalg_op(t, "%s %%v%d, %%v%d : i8", shift, high, top));
  return filled;
}

/* Elementwise with NumPy broadcasting: a unit axis is read at 0. */
static void elementwise(LinalgText *t, MlirOperation op, TccOpKind kind) {
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0));
  int rank = tcc_type_rank(type), numbers[4], count = 0;
  const TccExpr *one = tcc_expr_const(t->ir->exprs, 1);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    numbers[count++] = linalg_text_number(t, mlirOperationGetOperand(op, i));
  int empty = put_empty(t, type), number = t->next++;
  linalg_put(t, "  %%v%d = linalg.generic {indexing_maps = [", number);
  for (int i = 0; i < count; i++) {
    MlirType operand = tcc_value_type(mlirOperationGetOperand(op, i));
    int operand_rank = tcc_type_rank(operand);
    linalg_put(t, "affine_map<(");
    for (int d = 0; d < rank; d++) linalg_put(t, "%sd%d", d ? ", " : "", d);
    linalg_put(t, ") -> (");
    for (int a = 0; a < operand_rank; a++) {
      int d = rank - operand_rank + a;
      bool unit = tcc_type_dim(t->ir, operand, a) == one && tcc_type_dim(t->ir, type, d) != one;
      if (unit) linalg_put(t, "%s0", a ? ", " : "");
      else linalg_put(t, "%sd%d", a ? ", " : "", d);
    }
    linalg_put(t, ")>, ");
  }
  put_identity(t, rank);
  linalg_put(t, "], ");
  put_parallel(t, rank);
  linalg_put(t, "} ins(");
  for (int i = 0; i < count; i++) linalg_put(t, "%s%%v%d", i ? ", " : "", numbers[i]);
  linalg_put(t, " : ");
  for (int i = 0; i < count; i++) {
    if (i) linalg_put(t, ", ");
    linalg_put_type(t, tcc_value_type(mlirOperationGetOperand(op, i)));
  }
  linalg_put(t, ") outs(%%v%d : ", empty);
  linalg_put_type(t, type);
  linalg_put(t, ") {\n  ^bb0(");
  int scalars[4];
  for (int i = 0; i < count; i++) {
    scalars[i] = t->next++;
    linalg_put(t, "%%v%d: %s, ", scalars[i], elem_or_fail(t, tcc_type_elem(tcc_value_type(mlirOperationGetOperand(op, i)))));
  }
  linalg_put(t, "%%o%d: %s):\n", number, elem_or_fail(t, tcc_type_elem(type)));
  linalg_fill_end(t, type, linalg_scalar(t, op, kind, scalars));
  linalg_text_bind(t, mlirOperationGetResult(op, 0), number);
}

/* Element i of a constant. */
static int constant_element(LinalgText *t, TccElem elem, const void *data, size_t i) {
  unsigned bits = linalg_bits(elem);
  if (!tcc_elem_is_float(elem))
    return linalg_op(t, bits == 1 ? "arith.constant %s" : "arith.constant %s : i%u",
                     bits == 1 ? (tcc_elem_load_i64(elem, data, i) ? "true" : "false")
                               : tcc_arena_printf(t->ir->arena, "%lld", (long long)tcc_elem_load_i64(elem, data, i)),
                     bits);
  uint64_t pattern = 0; /* as bits, so that NaN and infinity need no spelling of their own */
  memcpy(&pattern, (const char *)data + i * (bits / 8), bits / 8);
  return linalg_op(t, "arith.constant 0x%0*llX : %s", (int)bits / 4, (unsigned long long)pattern, elem_or_fail(t, elem));
}

static void constant(LinalgText *t, MlirOperation op) {
  MlirValue result = mlirOperationGetResult(op, 0);
  MlirType type = tcc_value_type(result);
  TccElem elem = tcc_type_elem(type);
  const void *splat = linalg_packed(type) ? NULL : tcc_constant_splat(t->ir, result);
  if (splat && elem_or_fail(t, elem)) {
    int index[TCC_MAX_RANK], number = linalg_fill_begin(t, type, index);
    linalg_fill_end(t, type, constant_element(t, elem, splat, 0));
    linalg_text_bind(t, result, number);
    return;
  }
  size_t count;
  const void *data = tcc_constant_data(t->ir, result, &count);
  if (!data) {
    linalg_fail(t, "its data cannot be read");
    return;
  }
  if (count == 0) {
    linalg_text_bind(t, result, put_empty(t, type));
    return;
  }
  int *scalars = TCC_NEW_ARRAY(t->ir->arena, int, count);
  for (size_t i = 0; i < count; i++) scalars[i] = constant_element(t, elem, data, i);
  int number = t->next++;
  linalg_put(t, "  %%v%d = tensor.from_elements ", number);
  for (size_t i = 0; i < count; i++) linalg_put(t, "%s%%v%d", i ? ", " : "", scalars[i]);
  linalg_put(t, " : ");
  linalg_put_type(t, type);
  linalg_put(t, "\n");
  linalg_text_bind(t, result, number);
}

/* Elements of less than a byte are taken out of their bytes where they come in: they can be moved, but neither computed nor stored. */
static bool is_out_of_reach(MlirOperation op, TccOpKind kind, MlirOperation end) {
  MlirValue result = mlirOperationGetResult(op, 0);
  bool stored = false;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(end); i++) stored |= mlirValueEqual(mlirOperationGetOperand(end, i), result);
  return kind != TCC_OP_CONSTANT && linalg_packed(tcc_value_type(result)) && (stored || tcc_op_has_trait(kind, 'E'));
}

TccStatus *linalg_text_body(LinalgText *t, MlirOperation kernel) {
  MlirBlock block = tcc_func_body(kernel);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op) && !t->status;
       op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(t->ir, op);
    t->op = op;
    if (kind == TCC_OP_UNKNOWN || kind == TCC_OP_NONE) continue; /* the return; absent operands */
    if (is_out_of_reach(op, kind, mlirBlockGetTerminator(block)))
      linalg_fail(t, "computes elements of type %s", tcc_elem_name(tcc_type_elem(tcc_value_type(mlirOperationGetResult(op, 0)))));
    else if (kind == TCC_OP_CONSTANT) constant(t, op);
    else if (tcc_op_has_trait(kind, 'E') && tcc_op_level(kind) == TCC_LEVEL_PRIM) elementwise(t, op, kind);
    else if (!linalg_move(t, op, kind) && !linalg_contract(t, op, kind)) linalg_fail(t, "has no linalg form");
  }
  TccStatus *status = t->status;
  t->status = NULL;
  return status;
}

/* channels_last.c - images of convolutions with their channels side by side, [N, C, H, W] -> [N, H, W, C]: tensor maps and copies of 16 bytes then bring
 * many of one pixel at once.
 *
 *   %1 = call @conv0(%0, %w)                    %p = call @channels_last0(%w)    transposed, once if %w is a weight
 *   %2 = call @conv1(%1, %v, %0)                %1 = call @conv0_last0(%q, %p)   %q: of %0, which is an input and stays
 *                                           =>  %2 = call @conv1_last1(%1, ...)
 *   func @conv1(%a: tensor<NxCxHxW>) {          func @conv1_last1(%a: tensor<NxHxWxC>) {
 *     conv(%a, ...)                               conv(transpose(%a), ...)
 *
 * A tensor and all that it is passed on as, to functions and back, have one layout. It is the new one if a convolution reads it that is done so
 * and everybody else who makes or reads it is a kernel that goes through memory in any order; otherwise the convolution gets a copy of its own.
 * Tensors of the same shape from which such a one is made elementwise, by pooling or as a residual follow it. Kernels stay exact: they undo the
 * layout by views, on which emitters look (conv.c). Where channels are no multiple of 16 bytes, as the three of a picture, image and weights are filled up
 * with zeros, which change no sum.
 *
 * requires: fuse, dedup-kernels. ensures: nothing more is computed. keeps: results; arguments and results of public functions. */
#include "lib/ir/names.h"
#include "lib/targets/nvptx/passes/passes.h"
#include "mlir-c/BuiltinAttributes.h"
#include "mlir-c/BuiltinTypes.h"
#include "tcc/codegen.h"
#include "tcc/op_kinds.h"

enum { LEAST_RANK = 3, MOST_RANK = 5, MOST_OPERANDS = 62, PIECE_BITS = 128 };
/* Fewer filters are summed by a thread each; more zeros than that many channels for one are not worth it. */
enum { FEW_CHANNELS = 8, MOST_FILLED = 4 };

/* One layout. */
typedef struct Class {
  struct Class *parent; /* NULL: it is the root of those that are joined */
  bool wanted, refused;
} Class;

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  MlirOperation module;
  TccMap *functions; /* name -> function */
  TccMap *classes;   /* value -> Class */
  TccMap *clones;    /* (kernel, layouts) -> name */
  TccMap *makers;    /* type -> name of the function that transposes it */
  TccMap *made;      /* tcc_call_make_operand */
  TCC_VEC(MlirValue) values;
  TCC_VEC(MlirOperation) replaced; /* kernels that have clones */
} Layouts;

static bool is_bytes(MlirType type) { return tcc_type_elem(type) == TCC_ELEM_I8 || tcc_type_elem(type) == TCC_ELEM_U8; }
static bool is_half(MlirType type) { return tcc_type_elem(type) == TCC_ELEM_F16 || tcc_type_elem(type) == TCC_ELEM_BF16; }

/* What may have another layout: sums of f32 beside images of bytes and of 16 bits, too. */
static bool is_image(MlirType type) {
  if (!mlirTypeIsARankedTensor(type)) return false;
  int rank = tcc_type_rank(type);
  return (is_bytes(type) || is_half(type) || tcc_type_elem(type) == TCC_ELEM_F32) && rank >= LEAST_RANK && rank <= MOST_RANK;
}

/* ---- classes ---- */

static Class *class_of(Layouts *l, MlirValue value) {
  bool inserted;
  TccMapEntry *entry = tcc_map_put(l->classes, tcc_key_pointer((const void *const *)&value.ptr), &inserted);
  if (inserted) {
    entry->pointer = TCC_NEW(l->run->scratch, Class);
    TCC_VEC_PUSH(l->run->scratch, &l->values, value);
  }
  Class *c = entry->pointer;
  while (c->parent) c = c->parent;
  return c;
}

static void join(Layouts *l, MlirValue a, MlirValue b) {
  if (!is_image(tcc_value_type(a))) return;
  Class *x = class_of(l, a), *y = class_of(l, b);
  if (x == y) return;
  y->parent = x, x->wanted |= y->wanted, x->refused |= y->refused;
}

static void refuse(Layouts *l, MlirValue value) {
  if (is_image(tcc_value_type(value))) class_of(l, value)->refused = true;
}

static bool is_last(Layouts *l, MlirValue value) {
  if (!is_image(tcc_value_type(value))) return false;
  const Class *c = class_of(l, value);
  return c->wanted && !c->refused;
}

/* ---- kernels ---- */

/* Elements of 16 bytes, of which channels must be a multiple. */
static int64_t piece_of(MlirType type) { return PIECE_BITS / (int64_t)tcc_elem_bits(tcc_type_elem(type)); }

static bool has_one_use(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

/* What a convolution reads. */
typedef struct {
  intptr_t image, weights; /* arguments; weights -1: their channels lie side by side */
  int64_t channels;        /* that both are filled up to with zeros; 0: they stay as many as they are */
} Reads;

/* Products of these are done in pieces of 16 bytes. */
static bool is_copied(MlirOperation kernel, MlirType type) {
  return is_bytes(type) || is_half(type) || (tcc_type_elem(type) == TCC_ELEM_F32 && tcc_numerics(kernel) == TCC_NUMERICS_FAST);
}

/* Whether the kernel is a convolution whose image and weights are to have their channels side by side. */
static bool reads_channels(Layouts *l, MlirOperation kernel, Reads *out) {
  TccIr *ir = l->ir;
  int64_t filters, channels;
  MlirOperation conv = {NULL};
  if (tcc_kernel_kind(ir, kernel) != TCC_KERNEL_CONV) return false;
  TCC_EACH_OP (op, tcc_func_body(kernel))
    if (tcc_op_kind(ir, op) == TCC_OP_CONV) conv = op;
  if (mlirOperationIsNull(conv)) return false;
  MlirValue x = mlirOperationGetOperand(conv, 0), w = mlirOperationGetOperand(conv, 1);
  MlirType type = tcc_value_type(x), of = tcc_value_type(w);
  if (!mlirValueIsABlockArgument(x) || !mlirValueIsABlockArgument(w) || mlirValueEqual(x, w) || !is_image(type) ||
      (is_bytes(type) ? !is_bytes(of) : tcc_type_elem(type) != tcc_type_elem(of)) || !is_copied(kernel, type) ||
      tcc_i64(ir, conv, "groups") != 1 || !tcc_type_is_static(of))
    return false;
  tcc_expr_is_const(tcc_type_dim(ir, of, 0), &filters), tcc_expr_is_const(tcc_type_dim(ir, of, 1), &channels);
  *out = (Reads){mlirBlockArgumentGetArgNumber(x), mlirBlockArgumentGetArgNumber(w), 0};
  if (filters <= FEW_CHANNELS || channels < 1) return false;
  int64_t whole = tcc_round_up(channels, piece_of(type));
  if (whole != channels) {
    if (whole > MOST_FILLED * channels || !has_one_use(x) || !has_one_use(w)) return false;
    out->channels = whole;
  } else if (tcc_type_count(ir, of) == tcc_expr_const(ir->exprs, filters * channels)) out->weights = -1;
  return true;
}

static bool reads_in_any_order(TccKernelKind kind) {
  return kind == TCC_KERNEL_MAP || kind == TCC_KERNEL_CONV || kind == TCC_KERNEL_POOL || kind == TCC_KERNEL_ROW;
}

static bool writes_in_any_order(Layouts *l, MlirOperation kernel) {
  TccKernelKind kind = tcc_kernel_kind(l->ir, kernel);
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  if ((kind != TCC_KERNEL_MAP && kind != TCC_KERNEL_CONV && kind != TCC_KERNEL_POOL) || mlirOperationGetNumOperands(end) != 1)
    return false;
  TccOpKind last = tcc_value_kind(l->ir, mlirOperationGetOperand(end, 0));
  return last != TCC_OP_UNKNOWN && last != TCC_OP_RESHAPE && last != TCC_OP_TRANSPOSE;
}

/* ---- who makes and reads what ---- */

static void visit_kernel_call(Layouts *l, MlirOperation call, MlirOperation kernel) {
  Reads of;
  intptr_t n = mlirOperationGetNumOperands(call);
  bool reads = reads_channels(l, kernel, &of), any = reads_in_any_order(tcc_kernel_kind(l->ir, kernel)) && n <= MOST_OPERANDS;
  for (intptr_t i = 0; i < n; i++) {
    MlirValue v = mlirOperationGetOperand(call, i);
    if (!any || (reads && (i == of.weights || (i == of.image && of.channels)))) refuse(l, v);
    else if (reads && i == of.image) class_of(l, v)->wanted = true;
  }
  for (intptr_t r = 0; r < mlirOperationGetNumResults(call); r++)
    if (!any || !writes_in_any_order(l, kernel)) refuse(l, mlirOperationGetResult(call, r));
}

static void visit_function_call(Layouts *l, MlirOperation call, MlirOperation callee) {
  MlirBlock body = tcc_func_body(callee);
  MlirOperation end = mlirBlockGetTerminator(body);
  TccLoopCall loop = {.carried = 0};
  bool loops = tcc_call_loop(l->ir, call, &loop);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    join(l, mlirOperationGetOperand(call, i), mlirBlockGetArgument(body, i));
  for (intptr_t r = 0; r < mlirOperationGetNumResults(call); r++) {
    join(l, mlirOperationGetResult(call, r), mlirOperationGetOperand(end, r));
    if (loops && r < loop.carried) join(l, mlirOperationGetResult(call, r), mlirOperationGetOperand(call, r));
  }
}

/* The function with a body that is called; null: none. */
static MlirOperation callee_of(Layouts *l, MlirOperation op) {
  TccMapEntry *entry = tcc_op_is_named(op, "func.call") ? tcc_map_find(l->functions, tcc_callee_name(op)) : NULL;
  return entry ? (MlirOperation){entry->pointer} : (MlirOperation){NULL};
}

static bool is_private(MlirOperation func) { return tcc_has_attribute(func, "sym_visibility"); }

static void visit(Layouts *l, MlirOperation func) {
  MlirBlock body = tcc_func_body(func);
  for (intptr_t i = 0; !is_private(func) && i < mlirBlockGetNumArguments(body); i++) refuse(l, mlirBlockGetArgument(body, i));
  TCC_EACH_OP (op, body) {
    MlirOperation callee = callee_of(l, op);
    if (!mlirOperationIsNull(callee)) {
      if (tcc_kernel_kind(l->ir, callee) != TCC_KERNEL_NONE) visit_kernel_call(l, op, callee);
      else visit_function_call(l, op, callee);
      continue;
    }
    if (is_private(func) && tcc_op_is_named(op, "func.return")) continue;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) refuse(l, mlirOperationGetOperand(op, i));
    for (intptr_t r = 0; r < mlirOperationGetNumResults(op); r++) refuse(l, mlirOperationGetResult(op, r));
  }
}

static bool have_one_shape(Layouts *l, MlirValue a, MlirValue b) {
  MlirType type = tcc_value_type(b);
  return mlirTypeEqual(tcc_type_with_elem(l->ir, tcc_value_type(a), tcc_type_elem(type)), type);
}

/* Operands of the same shape as a result of the new layout follow it, and a pooled image. */
static bool follow(Layouts *l, MlirOperation func) {
  bool changed = false;
  TCC_VEC(MlirOperation) ops = {0};
  TCC_EACH_OP (op, tcc_func_body(func)) TCC_VEC_PUSH(l->run->scratch, &ops, op);
  for (size_t at = ops.count; at-- > 0;) { /* from the end, so that chains are followed at once */
    MlirOperation here = ops.data[at], callee = callee_of(l, here);
    if (mlirOperationIsNull(callee) || tcc_kernel_kind(l->ir, callee) == TCC_KERNEL_NONE || mlirOperationGetNumResults(here) != 1)
      continue;
    MlirValue result = mlirOperationGetResult(here, 0);
    bool pools = tcc_kernel_kind(l->ir, callee) == TCC_KERNEL_POOL;
    if (!is_last(l, result)) continue;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(here); i++) {
      MlirValue v = mlirOperationGetOperand(here, i);
      if (!is_image(tcc_value_type(v)) || !(have_one_shape(l, v, result) || (pools && i == 0)) || class_of(l, v)->refused ||
          class_of(l, v)->wanted)
        continue;
      class_of(l, v)->wanted = changed = true;
    }
  }
  return changed;
}

/* ---- rewriting ---- */

static void orders(int rank, int64_t *to_last, int64_t *back) {
  for (int i = 0; i < rank; i++) to_last[i] = i == 0 ? 0 : i == rank - 1 ? 1 : i + 1;
  for (int i = 0; i < rank; i++) back[to_last[i]] = i;
}

/* channels: how many it gets; 0: as many as it has. */
static MlirType type_last(Layouts *l, MlirType type, int64_t channels) {
  const TccExpr *dims[MOST_RANK];
  int64_t order[MOST_RANK], back[MOST_RANK];
  int rank = tcc_type_rank(type);
  orders(rank, order, back);
  for (int i = 0; i < rank; i++) dims[i] = tcc_type_dim(l->ir, type, (int)order[i]);
  if (channels) dims[rank - 1] = tcc_expr_const(l->ir->exprs, channels);
  return tcc_tensor_type(l->ir, tcc_type_elem(type), rank, dims);
}

/* The function's type is what its block and its return say. */
static void set_function_type(Layouts *l, MlirOperation func) {
  MlirBlock body = tcc_func_body(func);
  MlirOperation end = mlirBlockGetTerminator(body);
  intptr_t nin = mlirBlockGetNumArguments(body), nout = mlirOperationGetNumOperands(end);
  MlirType *types = TCC_NEW_ARRAY(l->run->scratch, MlirType, nin + nout + 1);
  for (intptr_t i = 0; i < nin; i++) types[i] = tcc_value_type(mlirBlockGetArgument(body, i));
  for (intptr_t i = 0; i < nout; i++) types[nin + i] = tcc_value_type(mlirOperationGetOperand(end, i));
  MlirType type = mlirFunctionTypeGet(mlirOperationGetContext(func), nin, types, nout, types + nin);
  tcc_set_attribute(func, "function_type", mlirTypeAttrGet(type));
}

static void put_argument_last(Layouts *l, MlirOperation func, intptr_t argument, int64_t channels) {
  MlirBlock body = tcc_func_body(func);
  MlirValue v = mlirBlockGetArgument(body, argument);
  int64_t order[MOST_RANK], back[MOST_RANK];
  orders(tcc_type_rank(tcc_value_type(v)), order, back);
  mlirValueSetType(v, type_last(l, tcc_value_type(v), channels));
  TccBuilder b = {
      .ir = l->ir, .block = body, .before = mlirBlockGetFirstOperation(body), .location = mlirOperationGetLocation(func)};
  MlirValue plain = tcc_build_transpose(&b, v, back);
  tcc_replace_uses(v, plain);
  mlirOperationSetOperand(tcc_value_op(plain), 0, v);
}

static void put_result_last(Layouts *l, MlirOperation func) {
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(func));
  MlirValue v = mlirOperationGetOperand(end, 0);
  int64_t order[MOST_RANK], back[MOST_RANK];
  orders(tcc_type_rank(tcc_value_type(v)), order, back);
  TccBuilder b = {.ir = l->ir, .block = tcc_func_body(func), .before = end, .location = mlirOperationGetLocation(end)};
  mlirOperationSetOperand(end, 0, tcc_build_transpose(&b, v, order));
}

/* layouts: a bit for each operand, then, the last one, for the result. */
static const char *clone_of(Layouts *l, MlirOperation kernel, uint64_t layouts) {
  const uint64_t key[] = {(uintptr_t)kernel.ptr, layouts};
  bool inserted;
  TccMapEntry *entry = tcc_map_put(l->clones, (TccStr){(const char *)key, sizeof key}, &inserted);
  if (!inserted) return entry->constant;
  TccStr of = tcc_function_name(kernel);
  char *name = tcc_arena_printf(l->run->scratch, "%.*s_last%zu", TCC_STR_ARG(of), tcc_map_count(l->clones) - 1);
  Reads by;
  bool reads = reads_channels(l, kernel, &by);
  MlirOperation func = mlirOperationClone(kernel);
  tcc_set_attribute(func, "sym_name", tcc_attr_str(l->ir, tcc_str(name)));
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(tcc_func_body(func)); i++)
    if (layouts >> i & 1) put_argument_last(l, func, i, reads && (i == by.image || i == by.weights) ? by.channels : 0);
  if (layouts >> MOST_OPERANDS & 1) put_result_last(l, func);
  set_function_type(l, func);
  mlirBlockInsertOwnedOperationBefore(tcc_func_body(l->module), kernel, func);
  TCC_VEC_PUSH(l->run->scratch, &l->replaced, kernel);
  entry->pointer = name;
  return name;
}

/* With zeros behind its channels. */
static MlirValue fill_channels(TccBuilder *b, MlirValue x, int64_t channels) {
  TccIr *ir = b->ir;
  const TccExpr *low[MOST_RANK], *high[MOST_RANK];
  int rank = tcc_type_rank(tcc_value_type(x));
  for (int i = 0; i < rank; i++) low[i] = high[i] = tcc_expr_const(ir->exprs, 0);
  high[1] = tcc_expr_sub(ir->exprs, tcc_expr_const(ir->exprs, channels), tcc_type_dim(ir, tcc_value_type(x), 1));
  return tcc_build_pad(b, x, (MlirValue){NULL}, low, high, "constant");
}

/* The function that makes a tensor's channels lie side by side, of which there are so many then (0: as many as before). */
static const char *maker_of(Layouts *l, MlirOperation before, MlirType type, int64_t channels) {
  const uint64_t key[] = {(uintptr_t)type.ptr, (uint64_t)channels};
  bool inserted;
  TccMapEntry *entry = tcc_map_put(l->makers, (TccStr){(const char *)key, sizeof key}, &inserted);
  if (!inserted) return entry->constant;
  int64_t order[MOST_RANK], back[MOST_RANK];
  orders(tcc_type_rank(type), order, back);
  MlirLocation location = mlirOperationGetLocation(before);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(1, &type, &location);
  mlirRegionAppendOwnedBlock(region, block);
  TccBuilder b = {.ir = l->ir, .block = block, .location = location};
  MlirValue filled = mlirBlockGetArgument(block, 0);
  if (channels) filled = fill_channels(&b, filled, channels);
  MlirValue result = tcc_build_transpose(&b, filled, order);
  mlirBlockAppendOwnedOperation(block, tcc_make_return(l->ir, location, 1, &result));
  char *name = tcc_arena_printf(l->run->scratch, "channels_last%zu", tcc_map_count(l->makers) - 1);
  MlirOperation func = tcc_make_function(l->ir, name, TCC_KERNEL_MAP, location, region);
  mlirBlockInsertOwnedOperationBefore(tcc_func_body(l->module), before, func);
  entry->pointer = name;
  return name;
}

/* Before any type is changed: what is last is told by plain types. */
static void rewrite_call(Layouts *l, MlirOperation call, MlirOperation kernel) {
  static const char why[] = "channels side by side, as they are copied";
  Reads of;
  bool reads = reads_channels(l, kernel, &of);
  uint64_t layouts = 0;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++) {
    MlirValue v = mlirOperationGetOperand(call, i);
    MlirType type = tcc_value_type(v);
    if (is_last(l, v)) layouts |= UINT64_C(1) << i;
    else if (reads && (i == of.image || i == of.weights)) {
      const char *maker = maker_of(l, kernel, type, of.channels);
      tcc_call_make_operand(l->ir, l->made, call, i, maker, type_last(l, type, of.channels), why);
      layouts |= UINT64_C(1) << i;
    }
  }
  if (mlirOperationGetNumResults(call) == 1 && is_last(l, mlirOperationGetResult(call, 0))) layouts |= UINT64_C(1) << MOST_OPERANDS;
  if (!layouts) return;
  const char *name = clone_of(l, kernel, layouts);
  tcc_set_attribute(call, "callee", mlirFlatSymbolRefAttrGet(mlirOperationGetContext(call), mlirStringRefCreateFromCString(name)));
}

static void rewrite(Layouts *l, MlirOperation func) {
  TCC_EACH_OP (op, tcc_func_body(func)) {
    MlirOperation callee = callee_of(l, op);
    if (!mlirOperationIsNull(callee) && tcc_kernel_kind(l->ir, callee) != TCC_KERNEL_NONE) rewrite_call(l, op, callee);
  }
}

/* Kernels that nobody calls any more. */
static void erase_replaced(Layouts *l) {
  TccMap *called = tcc_map_create(l->run->scratch), *gone = tcc_map_create(l->run->scratch);
  TCC_EACH_FUNCTION (func, l->module)
    TCC_EACH_OP (op, tcc_func_body(func))
      if (tcc_op_is_named(op, "func.call")) tcc_map_put(called, tcc_callee_name(op), NULL);
  for (size_t i = 0; i < l->replaced.count; i++) {
    MlirOperation kernel = l->replaced.data[i];
    bool first;
    tcc_map_put(gone, tcc_key_pointer((const void *const *)&kernel.ptr), &first);
    if (first && !tcc_map_find(called, tcc_function_name(kernel))) mlirOperationDestroy(kernel);
  }
}

static bool is_kernel(Layouts *l, MlirOperation func) { return tcc_kernel_kind(l->ir, func) != TCC_KERNEL_NONE; }

MlirLogicalResult tcc_pass_channels_last(TccPassRun *run, MlirOperation module) {
  TccArena *arena = run->scratch;
  const TccMachine *machine = &run->target->machine;
  Layouts l = {.run = run,
               .ir = run->ir,
               .module = module,
               .functions = tcc_map_create(arena),
               .classes = tcc_map_create(arena),
               .clones = tcc_map_create(arena),
               .makers = tcc_map_create(arena),
               .made = tcc_map_create(arena)};
  if (tcc_isa_gpu_chip(machine->isa) < 80) return mlirLogicalResultSuccess();
  TCC_EACH_FUNCTION (func, module) tcc_map_put(l.functions, tcc_function_name(func), NULL)->pointer = func.ptr;
  TCC_EACH_FUNCTION (func, module)
    if (!is_kernel(&l, func)) visit(&l, func);
  for (bool changed = true; changed;) {
    changed = false;
    TCC_EACH_FUNCTION (func, module)
      if (!is_kernel(&l, func)) changed |= follow(&l, func);
  }
  TCC_EACH_FUNCTION (func, module)
    if (!is_kernel(&l, func)) rewrite(&l, func);
  bool *last = TCC_NEW_ARRAY(arena, bool, l.values.count + 1);
  for (size_t i = 0; i < l.values.count; i++) last[i] = is_last(&l, l.values.data[i]);
  for (size_t i = 0; i < l.values.count; i++)
    if (last[i]) mlirValueSetType(l.values.data[i], type_last(&l, tcc_value_type(l.values.data[i]), 0));
  TCC_EACH_FUNCTION (func, module)
    if (!is_kernel(&l, func)) set_function_type(&l, func);
  erase_replaced(&l);
  return mlirLogicalResultSuccess();
}

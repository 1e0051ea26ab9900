/* fuse_weight_dequant.c - narrow weights stay in the type that they are stored in.
 *
 *   %d = call @k1(%q, %s)                       call @k2(%x, %q, %s)
 *   call @k2(%x, %d)                            func @k2(%x: tensor<1x512xf32>, %q: tensor<512x96xi8>, %s: tensor<96xf32>)
 *   func @k1(%q, %s)  {map}                =>     %0 = tcc.convert %q
 *     tcc.mul(tcc.convert %q, %s)                 %1 = tcc.mul %0, %s
 *   func @k2(%x, %d)  {contract}                  tcc.dot_general(%x, %1)
 *     tcc.dot_general(%x, %d)
 *
 * A product of few rows takes as long as its right operand takes to be read. An operand that some elementwise ops
 * make from fewer bytes (a conversion from 16 bits, a dequantisation) is therefore better made where it is read, each time,
 * than once and for all in f32: a half to an eighth of the time and of the memory. The map kernel that makes it moves into the
 * contraction, if the target says of what comes out that it reads such an operand as it lies (TccTarget.reads_narrow).
 *
 * requires: fuse, dedup-kernels. ensures: nothing calls a map kernel that moved, but for other readers. keeps: results. */
#include "lib/ir/names.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include "tcc/target.h"

enum { OPS_MAX = 48 /* a look-up of 16 numbers has 30 */, NODES_MAX = 32, LEAVES_MAX = 16 };

typedef struct {
  MlirOperation func;
  TccStr name;
  bool contract, light; /* a contraction; a map that may move */
  size_t gone;          /* calls that were erased */
  TCC_VEC(MlirOperation) calls;
} Kernel;

typedef struct {
  TccIr *ir;
  TccArena *arena;
  const TccTargetInfo *target;
  TccMap *kernels; /* symbol -> Kernel */
} Streaming;

static MlirAttribute attribute(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
}

static Kernel *callee(const Streaming *s, MlirOperation call) {
  if (mlirOperationIsNull(call) || !tcc_op_is_named(call, "func.call")) return NULL;
  TccMapEntry *entry = tcc_map_find(s->kernels, tcc_callee_name(call));
  return entry ? entry->pointer : NULL;
}

static void note_call(void *user, MlirOperation call) {
  Streaming *s = user;
  Kernel *kernel = callee(s, call);
  if (kernel) TCC_VEC_PUSH(s->arena, &kernel->calls, call);
}

/* ---- what may move ---- */

static bool is_view(TccOpKind kind) {
  return kind == TCC_OP_RESHAPE || kind == TCC_OP_TRANSPOSE || kind == TCC_OP_BROADCAST || kind == TCC_OP_SLICE;
}

/* The argument that the right operand of the kernel's dot_general is a view of, read nowhere else; -1: none. */
static intptr_t operand_argument(TccIr *ir, MlirOperation func) {
  MlirValue value = {NULL};
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(func)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op))
    if (tcc_op_kind(ir, op) == TCC_OP_DOT_GENERAL) value = mlirOperationGetOperand(op, 1);
  while (!mlirValueIsNull(value)) {
    MlirOpOperand use = mlirValueGetFirstUse(value);
    if (mlirOpOperandIsNull(use) || !mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))) return -1;
    if (mlirValueIsABlockArgument(value)) return mlirBlockArgumentGetArgNumber(value);
    MlirOperation op = tcc_value_op(value);
    TccOpKind kind = tcc_op_kind(ir, op);
    if (!is_view(kind)) return -1;
    value = mlirOperationGetOperand(op, 0);
  }
  return -1;
}

/* Ops whose operands and result are of one type of numbers, but for the condition of a select. */
static bool keeps_type(TccOpKind kind) {
  return is_view(kind) || kind == TCC_OP_SELECT || kind == TCC_OP_SUB || kind == TCC_OP_MUL || kind == TCC_OP_ADD;
}

/* One result, made by elementwise arithmetic and views alone. */
static bool is_light(TccIr *ir, MlirOperation func) {
  MlirBlock body = tcc_func_body(func);
  MlirOperation end = mlirBlockGetTerminator(body);
  int ops = 0;
  for (MlirOperation op = mlirBlockGetFirstOperation(body); !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(ir, op);
    if (kind == TCC_OP_CONSTANT || kind == TCC_OP_NONE) continue;
    if (kind != TCC_OP_CONVERT && kind != TCC_OP_COMPARE && !keeps_type(kind)) return false;
    if (++ops > OPS_MAX) return false;
  }
  return mlirOperationGetNumOperands(end) == 1 && mlirBlockGetNumArguments(body) > 0 &&
         mlirBlockGetNumArguments(body) <= LEAVES_MAX;
}

/* How an operand is made: a tree of reshapes and light map kernels over leaves. Trees of equal keys differ in leaves alone. */
typedef struct {
  TccText key;
  int nodes;
  size_t nleaves;
  MlirValue leaf[LEAVES_MAX];
  int64_t bits; /* of the leaves; -1: a size is not known */
} Making;

static void put(Making *m, const void *word) { tcc_text_put(&m->key, (const char *)&word, sizeof word); }

static bool read_making(const Streaming *s, MlirValue value, Making *m) {
  if (++m->nodes > NODES_MAX) return false;
  MlirOperation op = tcc_value_op(value);
  Kernel *map = mlirOperationIsNull(op) ? NULL : callee(s, op);
  put(m, tcc_value_type(value).ptr);
  if (tcc_value_kind(s->ir, value) == TCC_OP_RESHAPE) return read_making(s, mlirOperationGetOperand(op, 0), m);
  put(m, map && map->light ? map->func.ptr : NULL);
  if (map && map->light) {
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      if (!read_making(s, mlirOperationGetOperand(op, i), m)) return false;
    return true;
  }
  size_t at = 0;
  while (at < m->nleaves && !mlirValueEqual(m->leaf[at], value)) at++;
  put(m, (void *)(uintptr_t)at);
  if (at < m->nleaves) return true;
  int64_t count;
  if (at == LEAVES_MAX || !tcc_expr_is_const(tcc_type_count(s->ir, tcc_value_type(value)), &count)) return false;
  m->bits += count * tcc_elem_bits(tcc_type_elem(tcc_value_type(value)));
  m->leaf[m->nleaves++] = value;
  return true;
}

/* Whether it is made from tensors that have fewer bytes together. */
static bool widens(TccIr *ir, MlirValue operand, const Making *m) {
  int64_t count;
  MlirType type = tcc_value_type(operand);
  return tcc_expr_is_const(tcc_type_count(ir, type), &count) && m->bits * 4 <= count * tcc_elem_bits(tcc_type_elem(type)) * 3;
}

/* ---- building ---- */

static void bind(TccMap *values, MlirValue from, MlirValue to) {
  tcc_map_put(values, tcc_key_pointer((const void *const *)&from.ptr), NULL)->constant = to.ptr;
}

static bool is_bound(TccMap *values, MlirValue value) {
  return tcc_map_find(values, tcc_key_pointer((const void *const *)&value.ptr)) != NULL;
}

static MlirValue bound(TccMap *values, MlirValue value) {
  return (MlirValue){tcc_map_find(values, tcc_key_pointer((const void *const *)&value.ptr))->constant};
}

static void clone_op(TccMap *values, MlirBlock block, MlirOperation op) {
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
    mlirOperationSetOperand(clone, i, bound(values, mlirOperationGetOperand(op, i)));
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    bind(values, mlirOperationGetResult(op, i), mlirOperationGetResult(clone, i));
  mlirBlockAppendOwnedOperation(block, clone);
}

/* What makes `value`, leaves being bound. */
static void clone_making(const Streaming *s, TccMap *values, MlirBlock block, MlirValue value) {
  if (is_bound(values, value)) return;
  MlirOperation op = tcc_value_op(value);
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) clone_making(s, values, block, mlirOperationGetOperand(op, i));
  if (tcc_op_kind(s->ir, op) == TCC_OP_RESHAPE) {
    clone_op(values, block, op);
    return;
  }
  MlirBlock body = tcc_func_body(callee(s, op)->func);
  MlirOperation end = mlirBlockGetTerminator(body);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    bind(values, mlirBlockGetArgument(body, i), bound(values, mlirOperationGetOperand(op, i)));
  for (MlirOperation inner = mlirBlockGetFirstOperation(body); !mlirOperationEqual(inner, end);
       inner = mlirOperationGetNextInBlock(inner))
    clone_op(values, block, inner);
  bind(values, value, bound(values, mlirOperationGetOperand(end, 0)));
}

/* ---- in f32 ---- */

static bool is_half(MlirValue value) {
  TccElem elem = tcc_type_elem(tcc_value_type(value));
  return elem == TCC_ELEM_F16 || elem == TCC_ELEM_BF16;
}

static MlirValue widened(const Streaming *s, TccMap *wide, TccBuilder *b, MlirValue value);

/* The op once more, of operands in f32 where they are floats of 16 bits. */
static MlirValue widened_op(const Streaming *s, TccMap *wide, TccBuilder *b, MlirOperation op) {
  MlirValue operands[3];
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++) operands[i] = widened(s, wide, b, mlirOperationGetOperand(op, i));
  MlirOperation clone = mlirOperationClone(op);
  for (intptr_t i = 0; i < n; i++) mlirOperationSetOperand(clone, i, operands[i]);
  MlirValue result = mlirOperationGetResult(clone, 0);
  mlirValueSetType(result, tcc_type_with_elem(s->ir, tcc_value_type(result), TCC_ELEM_F32));
  mlirBlockAppendOwnedOperation(b->block, clone);
  return result;
}

static MlirValue widened_constant(const Streaming *s, TccBuilder *b, MlirValue value) {
  size_t count;
  MlirType type = tcc_value_type(value);
  const void *data = tcc_constant_data(s->ir, value, &count);
  if (!data || tcc_type_rank(type) > 0) return tcc_build_convert(b, value, TCC_ELEM_F32);
  return tcc_build_scalar(b, TCC_ELEM_F32, tcc_elem_load_f64(tcc_type_elem(type), data, 0));
}

/* A value of floats of 16 bits as f32, with no rounding on the way but where the model rounds f32; others as they are. */
static MlirValue widened(const Streaming *s, TccMap *wide, TccBuilder *b, MlirValue value) {
  if (!is_half(value)) return value;
  if (is_bound(wide, value)) return bound(wide, value);
  MlirValue result, from = value;
  TccOpKind kind = tcc_value_kind(s->ir, value);
  if (keeps_type(kind)) {
    result = widened_op(s, wide, b, tcc_value_op(value));
  } else if (kind == TCC_OP_CONSTANT) {
    result = widened_constant(s, b, value);
  } else {
    if (kind == TCC_OP_CONVERT) from = mlirOperationGetOperand(tcc_value_op(value), 0);
    if (tcc_elem_bits(tcc_type_elem(tcc_value_type(from))) > 16) from = value;
    result = tcc_build_convert(b, from, TCC_ELEM_F32);
  }
  bind(wide, value, result);
  return result;
}

/* The same value, computed in f32 and rounded once. What it was made of before stays, unread. */
static MlirValue rounded_once(const Streaming *s, MlirBlock block, MlirLocation location, MlirValue value) {
  if (!is_half(value) || mlirValueIsABlockArgument(value)) return value;
  TccBuilder b = {.ir = s->ir, .block = block, .location = location};
  return tcc_build_convert(&b, widened(s, tcc_map_create(s->arena), &b, value), tcc_type_elem(tcc_value_type(value)));
}

/* Of a body: ops whose results nobody reads. */
static void erase_unread(const Streaming *s, MlirBlock block) {
  TCC_VEC(MlirOperation) ops = {0};
  MlirOperation end = mlirBlockGetTerminator(block);
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
    TCC_VEC_PUSH(s->arena, &ops, op);
  for (size_t i = ops.count; i-- > 0;)
    if (mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(ops.data[i], 0)))) mlirOperationDestroy(ops.data[i]);
}

/* The contraction with the making of `operand`, its argument `at`, inside: arguments are the others, then the leaves. Detached. */
static MlirOperation join(const Streaming *s, const Kernel *kernel, const char *name, intptr_t at, MlirValue operand,
                          const Making *m) {
  MlirBlock from = tcc_func_body(kernel->func);
  MlirLocation location = mlirOperationGetLocation(kernel->func);
  TccMap *values = tcc_map_create(s->arena);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  mlirRegionAppendOwnedBlock(region, block);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(from); i++) {
    MlirValue argument = mlirBlockGetArgument(from, i);
    if (i != at) bind(values, argument, mlirBlockAddArgument(block, tcc_value_type(argument), location));
  }
  for (size_t i = 0; i < m->nleaves; i++)
    bind(values, m->leaf[i], mlirBlockAddArgument(block, tcc_value_type(m->leaf[i]), location));
  clone_making(s, values, block, operand);
  bind(values, mlirBlockGetArgument(from, at), rounded_once(s, block, location, bound(values, operand)));
  for (MlirOperation op = mlirBlockGetFirstOperation(from); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
    clone_op(values, block, op);
  erase_unread(s, block);
  MlirOperation joined = tcc_make_function(s->ir, name, TCC_KERNEL_CONTRACT, location, region);
  if (tcc_numerics(kernel->func) != TCC_NUMERICS_FAST) tcc_set_numerics(s->ir, joined, tcc_numerics(kernel->func));
  return joined;
}

/* Erases what made a value that nobody reads any more. */
static void erase_unused(const Streaming *s, MlirValue value) {
  if (mlirValueIsABlockArgument(value) || !mlirOpOperandIsNull(mlirValueGetFirstUse(value))) return;
  MlirOperation op = tcc_value_op(value);
  Kernel *map = callee(s, op);
  bool view = tcc_op_kind(s->ir, op) == TCC_OP_RESHAPE;
  if (!view && (!map || !map->light)) return;
  if (map) map->gone++;
  MlirValue operands[LEAVES_MAX];
  intptr_t n = mlirOperationGetNumOperands(op);
  for (intptr_t i = 0; i < n; i++) operands[i] = mlirOperationGetOperand(op, i);
  mlirOperationDestroy(op);
  for (intptr_t i = 0; i < n; i++) {
    bool again = false; /* an operand given twice is looked at once */
    for (intptr_t j = 0; j < i && !again; j++) again = mlirValueEqual(operands[i], operands[j]);
    if (!again) erase_unused(s, operands[i]);
  }
}

static void replace_call(const Streaming *s, const char *name, MlirOperation call, intptr_t at, const Making *m) {
  intptr_t given = mlirOperationGetNumOperands(call);
  MlirValue operand = mlirOperationGetOperand(call, at), *operands = TCC_NEW_ARRAY(s->arena, MlirValue, (size_t)given + m->nleaves);
  size_t n = 0;
  for (intptr_t i = 0; i < given; i++)
    if (i != at) operands[n++] = mlirOperationGetOperand(call, i);
  for (size_t i = 0; i < m->nleaves; i++) operands[n++] = m->leaf[i];
  MlirType type = tcc_value_type(mlirOperationGetResult(call, 0));
  MlirOperation joined = tcc_make_call(s->ir, name, mlirOperationGetLocation(call), n, operands, 1, &type);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, joined);
  MlirAttribute why = mlirOperationGetAttributeByName(call, mlirStringRefCreateFromCString("tcc.why"));
  if (!mlirAttributeIsNull(why)) mlirOperationSetAttributeByName(joined, mlirStringRefCreateFromCString("tcc.why"), why);
  tcc_replace_uses(mlirOperationGetResult(call, 0), mlirOperationGetResult(joined, 0));
  mlirOperationDestroy(call);
  erase_unused(s, operand);
}

/* Calls whose operand is made alike share a contraction of their own; the kernel stays for calls that do not. */
static void try_kernel(Streaming *s, Kernel *kernel) {
  intptr_t at = kernel->calls.count ? operand_argument(s->ir, kernel->func) : -1;
  if (at < 0 || mlirOperationGetNumResults(kernel->calls.data[0]) != 1) return;
  TccMap *names = tcc_map_create(s->arena); /* key of a making -> name of its contraction, "" where the emitter does not take it */
  size_t left = 0, made = 0;
  for (size_t i = 0; i < kernel->calls.count; i++) {
    MlirOperation call = kernel->calls.data[i];
    MlirValue operand = mlirOperationGetOperand(call, at);
    Making m = {0};
    TccMapEntry *entry = NULL;
    if (read_making(s, operand, &m) && m.nodes > 1 && widens(s->ir, operand, &m)) {
      entry = tcc_map_put(names, tcc_text_str(&m.key), NULL);
      if (!entry->constant) {
        const char *name = tcc_arena_printf(s->arena, "%.*s_%zu", TCC_STR_ARG(kernel->name), made);
        MlirOperation joined = join(s, kernel, name, at, operand, &m);
        bool accepted = s->target->of->reads_narrow(s->target, s->ir, joined);
        entry->constant = accepted ? name : "";
        if (accepted) mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(kernel->func), kernel->func, joined);
        else mlirOperationDestroy(joined);
        made += accepted;
      }
    }
    tcc_text_destroy(&m.key);
    if (entry && *(const char *)entry->constant) replace_call(s, entry->constant, call, at, &m);
    else left++;
  }
  if (left == 0) mlirOperationDestroy(kernel->func);
}

MlirLogicalResult tcc_pass_fuse_weight_dequant(TccPassRun *run, MlirOperation module) {
  if (tcc_numerics(module) == TCC_NUMERICS_EAGER || !run->target->of->reads_narrow) return mlirLogicalResultSuccess();
  Streaming s = {.ir = run->ir, .arena = run->scratch, .target = run->target, .kernels = tcc_map_create(run->scratch)};
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  TCC_VEC(Kernel *) kernels = {0};
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func);
       func = mlirOperationGetNextInBlock(func)) {
    TccKernelKind kind = tcc_kernel_kind(run->ir, func);
    if (!kind) continue;
    Kernel *kernel = TCC_NEW(run->scratch, Kernel);
    MlirStringRef name = mlirStringAttrGetValue(attribute(func, "sym_name"));
    *kernel = (Kernel){.func = func, .contract = kind == TCC_KERNEL_CONTRACT};
    kernel->light = kind == TCC_KERNEL_MAP && is_light(run->ir, func);
    kernel->name = (TccStr){tcc_arena_copy(run->scratch, name.data, name.length), name.length};
    tcc_map_put(s.kernels, kernel->name, NULL)->pointer = kernel;
    TCC_VEC_PUSH(run->scratch, &kernels, kernel);
  }
  tcc_each_call(body, note_call, &s);
  for (size_t i = 0; i < kernels.count; i++)
    if (kernels.data[i]->contract) try_kernel(&s, kernels.data[i]);
  for (size_t i = 0; i < kernels.count; i++)
    if (kernels.data[i]->gone && kernels.data[i]->gone == kernels.data[i]->calls.count) mlirOperationDestroy(kernels.data[i]->func);
  return mlirLogicalResultSuccess();
}

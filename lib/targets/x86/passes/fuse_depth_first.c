/* fuse_depth_first.c - convolutions beside depthwise ones become one kernel that goes depth first, by strips of rows with line buffers.
 *
 *   %1 = call @k1(%x, %w1)                                 call @depth_first0(%x, %w1, %w2)
 *   %2 = call @k2(%1, %w2)                                 func @depth_first0(%x, %w1, %w2) {tcc.kernel = "conv"}
 *   func @k1(%x, %w1)  {tcc.kernel = "conv"}                 %0 = tcc.conv_blocked(%x, %w1)
 *     tcc.conv_blocked(%x, %w1), tcc.max              =>     %1 = tcc.max(%0, ...)
 *   func @k2(%1, %w2)  {tcc.kernel = "conv"}                 %2 = tcc.conv_blocked(%1, %w2)
 *     tcc.conv_blocked(%1, %w2)                              return %2
 *
 * A call whose result the next convolution alone reads moves into it, and that one, longer now, into the next. Whether it is worth it
 * the emitter knows (lib/targets/x86/conv/conv_depth_first.h). A schedule of one of them, also a measured one, was for a kernel that is no more.
 *
 * requires: winograd, pack-weights; the target x86. ensures: no kernel that lost its last call here is left. keeps: results, bit for
 * bit. */
#include "lib/ir/internal.h"
#include "lib/ir/names.h"
#include "lib/targets/x86/conv/conv_depth_first.h"
#include "lib/targets/x86/passes/passes.h"
#include "tcc/codegen.h"
#include "tcc/location.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"
#include "tcc/tunable.h"

typedef struct {
  MlirOperation func, conv; /* its first conv_blocked */
  size_t calls;
  bool lost; /* a call */
} Kernel;

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  MlirBlock body;
  TccMap *kernels; /* symbol -> Kernel */
  TccMap *joined;  /* (kernel, kernel, operand) -> Kernel, NULL where it is not wanted */
  TCC_VEC(Kernel *) all;
  size_t count;
} DepthFirst;

static MlirAttribute attribute(MlirOperation op, const char *name) {
  return mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString(name));
}

static Kernel *called(const DepthFirst *s, MlirOperation call) {
  TccMapEntry *entry = tcc_map_find(s->kernels, tcc_callee_name(call));
  return entry ? entry->pointer : NULL;
}

static Kernel *add_kernel(DepthFirst *s, MlirOperation func) {
  Kernel *k = TCC_NEW(s->run->scratch, Kernel);
  *k = (Kernel){.func = func};
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(func)); !mlirOperationIsNull(op) && mlirOperationIsNull(k->conv);
       op = mlirOperationGetNextInBlock(op))
    if (tcc_op_kind(s->ir, op) == TCC_OP_CONV_BLOCKED) k->conv = op;
  MlirStringRef name = mlirStringAttrGetValue(attribute(func, "sym_name"));
  if (mlirOperationIsNull(k->conv)) return NULL;
  tcc_map_put(s->kernels, (TccStr){name.data, name.length}, NULL)->pointer = k;
  TCC_VEC_PUSH(s->run->scratch, &s->all, k);
  return k;
}

/* ---- one function of two ---- */

/* Clones the body's ops but the return into `block`; gives what it returned. */
static MlirValue clone_body(MlirOperation func, MlirBlock block, TccPointerMap *inside) {
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(func));
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(func)); !mlirOperationEqual(op, end);
       op = mlirOperationGetNextInBlock(op)) {
    MlirOperation clone = mlirOperationClone(op);
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(clone); i++)
      mlirOperationSetOperand(clone, i, (MlirValue){tcc_pointer_map_get(inside, mlirOperationGetOperand(clone, i).ptr)});
    mlirBlockAppendOwnedOperation(block, clone);
    for (intptr_t i = 0; i < mlirOperationGetNumResults(clone); i++)
      tcc_pointer_map_set(inside, mlirOperationGetResult(op, i).ptr, (void *)(uintptr_t)mlirOperationGetResult(clone, i).ptr);
  }
  return (MlirValue){tcc_pointer_map_get(inside, mlirOperationGetOperand(end, 0).ptr)};
}

/* Arguments of a and of b, but for number `at` of b, which is a's result. */
static MlirOperation join(DepthFirst *s, const Kernel *a, const Kernel *b, intptr_t at, const char *name) {
  TccIr *ir = s->ir;
  TccPointerMap inside = {.arena = s->run->scratch};
  MlirLocation location = mlirOperationGetLocation(b->conv);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL), bodies[] = {tcc_func_body(a->func), tcc_func_body(b->func)};
  TCC_VEC(int64_t) stable = {0};
  mlirRegionAppendOwnedBlock(region, block);
  for (int f = 0; f < 2; f++)
    for (intptr_t i = 0; i < mlirBlockGetNumArguments(bodies[f]); i++) {
      MlirValue argument = mlirBlockGetArgument(bodies[f], i);
      if (f == 1 && i == at) continue;
      if (tcc_kernel_is_stable(ir, f ? b->func : a->func, i))
        TCC_VEC_PUSH(s->run->scratch, &stable, (int64_t)mlirBlockGetNumArguments(block));
      MlirValue made = mlirBlockAddArgument(block, tcc_value_type(argument), location);
      tcc_pointer_map_set(&inside, argument.ptr, (void *)(uintptr_t)made.ptr);
    }
  MlirValue between = clone_body(a->func, block, &inside);
  tcc_pointer_map_set(&inside, mlirBlockGetArgument(bodies[1], at).ptr, (void *)(uintptr_t)between.ptr);
  MlirValue result = clone_body(b->func, block, &inside);
  mlirBlockAppendOwnedOperation(block, tcc_make_return(ir, location, 1, &result));
  MlirOperation func = tcc_make_function(ir, name, TCC_KERNEL_CONV, location, region);
  tcc_set_numerics(ir, func, tcc_numerics(b->func));
  if (stable.count)
    mlirOperationSetAttributeByName(func, mlirStringRefCreateFromCString("tcc.stable"),
                                    tcc_attr_ints(ir, stable.data, stable.count));
  mlirBlockInsertOwnedOperationBefore(s->body, b->func, func);
  return func;
}

static Kernel *joined(DepthFirst *s, const Kernel *a, const Kernel *b, intptr_t at) {
  const void *key[] = {a->func.ptr, b->func.ptr, (const void *)at};
  bool inserted;
  TccMapEntry *entry = tcc_map_put(s->joined, (TccStr){(const char *)key, sizeof key}, &inserted);
  if (!inserted) return entry->pointer;
  entry->pointer = NULL;
  MlirOperation func = join(s, a, b, at, tcc_arena_printf(s->run->scratch, "depth_first%zu", s->count));
  if (!tcc_conv_depth_first_wanted(s->run->target, s->ir, func)) {
    mlirOperationDestroy(func);
    return NULL;
  }
  s->count++;
  return entry->pointer = add_kernel(s, func);
}

/* ---- calls ---- */

static void drop(Kernel *k, MlirOperation call) {
  mlirOperationDestroy(call);
  k->calls--, k->lost = true;
}

/* The call that takes the place of this one and of the one before it, or this one. */
static MlirOperation take_in(DepthFirst *s, MlirOperation call) {
  Kernel *b = called(s, call);
  MlirValue x = b ? mlirOperationGetOperand(b->conv, 0) : (MlirValue){NULL};
  if (!b || !mlirValueIsABlockArgument(x) || mlirOperationGetNumResults(call) != 1) return call;
  intptr_t at = mlirBlockArgumentGetArgNumber(x);
  MlirValue between = mlirOperationGetOperand(call, at);
  MlirOperation before = mlirValueIsAOpResult(between) ? tcc_value_op(between) : (MlirOperation){NULL};
  if (mlirOperationIsNull(before) || !tcc_op_is_named(before, "func.call") || mlirOperationGetNumResults(before) != 1 ||
      !mlirBlockEqual(mlirOperationGetBlock(before), mlirOperationGetBlock(call)) ||
      !mlirOpOperandIsNull(mlirOpOperandGetNextUse(mlirValueGetFirstUse(between))))
    return call;
  Kernel *a = called(s, before), *both = a ? joined(s, a, b, at) : NULL;
  if (!both) return call;
  TCC_VEC(MlirValue) operands = {0};
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(before); i++)
    TCC_VEC_PUSH(s->run->scratch, &operands, mlirOperationGetOperand(before, i));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(call); i++)
    if (i != at) TCC_VEC_PUSH(s->run->scratch, &operands, mlirOperationGetOperand(call, i));
  MlirStringRef name = mlirStringAttrGetValue(attribute(both->func, "sym_name"));
  MlirType type = tcc_value_type(mlirOperationGetResult(call, 0));
  const MlirLocation nodes[] = {mlirOperationGetLocation(before), mlirOperationGetLocation(call)};
  MlirOperation made = tcc_make_call(s->ir, tcc_arena_copy(s->run->scratch, name.data, name.length),
                                     tcc_location_fuse(s->ir, nodes, 2), operands.count, operands.data, 1, &type);
  MlirAttribute why = attribute(call, "tcc.why");
  if (!mlirAttributeIsNull(why)) mlirOperationSetAttributeByName(made, mlirStringRefCreateFromCString("tcc.why"), why);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(call), call, made);
  tcc_replace_uses(mlirOperationGetResult(call, 0), mlirOperationGetResult(made, 0));
  both->calls++;
  drop(b, call), drop(a, before);
  return made;
}

static void walk_calls(DepthFirst *s, MlirBlock block, bool join_them) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (tcc_op_is_named(op, "func.call")) {
      Kernel *k = called(s, op);
      if (join_them) op = take_in(s, op);
      else if (k) k->calls++;
    }
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(b);
           b = mlirBlockGetNextInRegion(b))
        walk_calls(s, b, join_them);
  }
}

MlirLogicalResult tcc_pass_fuse_depth_first(TccPassRun *run, MlirOperation module) {
  DepthFirst s = {.run = run,
                  .ir = run->ir,
                  .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)),
                  .kernels = tcc_map_create(run->scratch),
                  .joined = tcc_map_create(run->scratch)};
  for (MlirOperation func = mlirBlockGetFirstOperation(s.body); !mlirOperationIsNull(func);
       func = mlirOperationGetNextInBlock(func))
    if (tcc_kernel_kind(run->ir, func) == TCC_KERNEL_CONV) add_kernel(&s, func);
  if (s.all.count < 2) return mlirLogicalResultSuccess();
  walk_calls(&s, s.body, false);
  walk_calls(&s, s.body, true);
  for (size_t i = 0; i < s.all.count; i++)
    if (s.all.data[i]->lost && !s.all.data[i]->calls) mlirOperationDestroy(s.all.data[i]->func);
  return mlirLogicalResultSuccess();
}

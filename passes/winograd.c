/* winograd.c - weights of 3x3 convolutions transformed for Winograd's filtering, where that is faster.
 *
 *   call @k3(%x, %w)                                      %u = call @winograd0(%w)
 *   func @k3(%x, %w: tensor<4x4x3x3x16x64xf32>)       =>  call @k3(%x, %u)
 *     conv_blocked(%x, %w)                                func @k3(%x, %u: tensor<4x4x4x4x16x64xf32>)
 *                                                           conv_blocked(%x, %u) {winograd = 2}
 *                                                         func @winograd0(%w) {tcc.kernel = "winograd"}
 *
 * The kernel's schedule decides if it has one, else the rule (lib/codegen/conv_winograd.h). Weights must be weights at every call:
 * the run-time then transforms them once (lib/runtime/winograd.c); the body of @winograd0 says what that is in plain ops.
 *
 * With --numerics=direct no kernel is.
 *
 * requires: select; the target x86. ensures: what tcc-pack-weights meets of these is packed. keeps: results but for rounding. */
#include "lib/codegen/conv_schedule.h"
#include "mlir-c/Dialect/Func.h"
#include "tcc/codegen.h"
#include "tcc/pass.h"

typedef struct { MlirOperation func, conv; TccWinogradPlan plan; TCC_VEC(MlirOperation) calls; } Kernel;

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  MlirBlock body;
  TccMap *kernels; /* symbol -> Kernel */
  TccMap *makers;  /* what one makes -> the name of the function */
  TccMap *made;    /* (block, weight, maker) -> value */
} Winograd;

static bool is_named(MlirOperation op, const char *name) {
  return mlirStringRefEqual(mlirIdentifierStr(mlirOperationGetName(op)), mlirStringRefCreateFromCString(name));
}

static void set(MlirOperation op, const char *name, MlirAttribute value) { mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString(name), value); }

static void collect_calls(Winograd *p, MlirBlock block) {
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op)) {
    if (is_named(op, "func.call")) {
      MlirStringRef callee = mlirFlatSymbolRefAttrGetValue(mlirOperationGetAttributeByName(op, mlirStringRefCreateFromCString("callee")));
      TccMapEntry *entry = tcc_map_find(p->kernels, (TccStr){callee.data, callee.length});
      Kernel *kernel = entry ? entry->pointer : NULL;
      if (kernel) TCC_VEC_PUSH(p->run->scratch, &kernel->calls, op);
    }
    for (intptr_t r = 0; r < mlirOperationGetNumRegions(op); r++)
      for (MlirBlock b = mlirRegionGetFirstBlock(mlirOperationGetRegion(op, r)); !mlirBlockIsNull(b); b = mlirBlockGetNextInRegion(b)) collect_calls(p, b);
  }
}

/* ---- what the transform is, in plain ops ---- */

static MlirValue reshape(TccBuilder *b, MlirValue x, int rank, const int64_t *dims) {
  const TccExpr *e[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) e[i] = tcc_expr_const(b->ir->exprs, dims[i]);
  return tcc_build_reshape(b, x, rank, e);
}

/* [squares of positions, taps]: the square of a tap's weight at a position, G[i][k] * G[j][l]. */
static MlirValue matrix(TccBuilder *b, int m) {
  static const double two[4][3] = {{1, 0, 0}, {0.5, 0.5, 0.5}, {0.5, -0.5, 0.5}, {0, 0, 1}};
  static const double four[6][3] = {{1.0 / 4, 0, 0}, {-1.0 / 6, -1.0 / 6, -1.0 / 6}, {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                    {1.0 / 24, 1.0 / 12, 1.0 / 6}, {1.0 / 24, -1.0 / 12, 1.0 / 6}, {0, 0, 1}};
  const double (*g)[3] = m == 2 ? two : four;
  int side = m + 2;
  float value[TCC_WINOGRAD_SIDE * TCC_WINOGRAD_SIDE * 9];
  for (int i = 0; i < side * side * 9; i++) value[i] = (float)(g[i / 9 / side][i % 9 / 3] * g[i / 9 % side][i % 3]);
  return tcc_build_constant(b, TCC_ELEM_F32, 2, (const int64_t[]){side * side, 9}, value);
}

/* w [P, B, 3, 3, L, V * L] -> [P', m + 2, m + 2, B, L, V' * L]. */
static MlirValue build_transform(TccBuilder *b, MlirValue w, int64_t lanes, const TccWinogradPlan *p) {
  TccIr *ir = b->ir;
  int64_t size[6], side = p->m + 2;
  for (int i = 0; i < 6; i++) tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(w), i), &size[i]);
  int64_t old = size[5] / lanes, have = size[0] * old, need = p->panels * p->vectors;
  w = reshape(b, w, 6, (const int64_t[]){size[0], size[1], 9, lanes, old, lanes});
  w = reshape(b, tcc_build_transpose(b, w, (const int64_t[]){0, 4, 1, 2, 3, 5}), 5, (const int64_t[]){have, size[1], 9, lanes, lanes});
  const TccExpr *zero = tcc_expr_const(ir->exprs, 0), *sizes[5];
  if (need < have) {
    const TccExpr *starts[] = {zero, zero, zero, zero, zero};
    for (int i = 0; i < 5; i++) sizes[i] = i ? tcc_type_dim(ir, tcc_value_type(w), i) : tcc_expr_const(ir->exprs, need);
    w = tcc_build_slice(b, w, starts, (const int64_t[]){1, 1, 1, 1, 1}, sizes);
  } else if (need > have) {
    const TccExpr *low[] = {zero, zero, zero, zero, zero}, *high[] = {tcc_expr_const(ir->exprs, need - have), zero, zero, zero, zero};
    TccNamedAttr attrs[] = {{"low", tcc_attr_exprs(ir, low, 5)}, {"high", tcc_attr_exprs(ir, high, 5)}, {"mode", tcc_attr_str(ir, tcc_str("constant"))}};
    MlirValue operands[] = {w, {NULL}};
    w = mlirOperationGetResult(tcc_build(b, TCC_OP_PAD, operands, 2, attrs, 3, NULL), 0);
  }
  const int64_t left[] = {1}, right[] = {2};
  TccNamedAttr attrs[] = {{"lhs_batch", tcc_attr_ints(ir, left, 0)}, {"rhs_batch", tcc_attr_ints(ir, left, 0)}, {"lhs_contract", tcc_attr_ints(ir, left, 1)}, {"rhs_contract", tcc_attr_ints(ir, right, 1)}};
  MlirValue operands[] = {matrix(b, p->m), w};
  MlirValue u = mlirOperationGetResult(tcc_build(b, TCC_OP_DOT_GENERAL, operands, 2, attrs, 4, NULL), 0); /* [positions, blocks of outputs, B, L, L] */
  u = reshape(b, u, 6, (const int64_t[]){side * side, p->panels, p->vectors, size[1], lanes, lanes});
  u = tcc_build_transpose(b, u, (const int64_t[]){1, 0, 3, 4, 2, 5});
  return reshape(b, u, 6, (const int64_t[]){p->panels, side, side, size[1], lanes, p->vectors * lanes});
}

/* The function that makes what the kernel wants of weights of this type, made once, in front of the kernel. */
static const char *maker_of(Winograd *p, const Kernel *k, MlirType weight, int64_t lanes, MlirType *out_type) {
  TccIr *ir = p->ir;
  MlirLocation location = mlirOperationGetLocation(k->conv);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(1, &weight, &location);
  mlirRegionAppendOwnedBlock(region, block);
  TccBuilder b = {.ir = ir, .block = block, .location = location};
  MlirValue result = build_transform(&b, mlirBlockGetArgument(block, 0), lanes, &k->plan);
  *out_type = tcc_value_type(result);
  mlirBlockAppendOwnedOperation(block, tcc_make_return(ir, location, 1, &result));
  const void *key[] = {weight.ptr, out_type->ptr};
  bool inserted;
  TccMapEntry *entry = tcc_map_put(p->makers, (TccStr){(const char *)key, sizeof key}, &inserted);
  if (!inserted) {
    mlirRegionDestroy(region);
    return entry->pointer;
  }
  char *name = tcc_arena_printf(p->run->scratch, "winograd%zu", tcc_map_count(p->makers) - 1);
  entry->pointer = name;
  mlirBlockInsertOwnedOperationBefore(p->body, k->func, tcc_make_function(ir, name, "winograd", location, region));
  return name;
}

/* ---- kernels and their calls ---- */

/* A record of the tuner may want what the user does not. */
static void keep_direct(const Winograd *p, const Kernel *k) {
  TccWinogradPlan plan;
  MlirStringRef schedule = mlirStringRefCreateFromCString("tcc.schedule");
  if (mlirAttributeIsNull(mlirOperationGetAttributeByName(k->func, schedule)) || !tcc_winograd_wanted(p->run->target, p->ir, k->func, k->conv, &plan)) return;
  mlirOperationRemoveAttributeByName(k->func, schedule);
}

static void transform_kernel(Winograd *p, const TccInit *init, Kernel *k) {
  MlirValue w = mlirOperationGetOperand(k->conv, 1);
  if (!k->calls.count || !mlirValueIsABlockArgument(w) || !tcc_winograd_wanted(p->run->target, p->ir, k->func, k->conv, &k->plan)) return;
  MlirOpOperand use = mlirValueGetFirstUse(w);
  if (!mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))) return;
  intptr_t argument = mlirBlockArgumentGetArgNumber(w);
  for (size_t i = 0; i < k->calls.count; i++)
    if (!tcc_init_is(init, mlirOperationGetOperand(k->calls.data[i], argument))) return;
  MlirType type;
  const char *maker = maker_of(p, k, tcc_value_type(w), tcc_i64(p->ir, k->conv, "lanes"), &type);
  tcc_func_set_argument_type(p->ir, k->func, argument, type);
  set(k->conv, "winograd", tcc_attr_i64(p->ir, k->plan.m));
  const char *why = p->run->explain ? "transformed once, when the model is loaded, for Winograd's filtering" : NULL;
  for (size_t i = 0; i < k->calls.count; i++) tcc_call_make_operand(p->ir, p->made, k->calls.data[i], argument, maker, type, why);
}

MlirLogicalResult tcc_pass_winograd(TccPassRun *run, MlirOperation module) {
  if (strcmp(run->target->name, "x86") != 0) return mlirLogicalResultSuccess();
  Winograd p = {.run = run, .ir = run->ir, .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)), .kernels = tcc_map_create(run->scratch),
                .makers = tcc_map_create(run->scratch), .made = tcc_map_create(run->scratch)};
  TCC_VEC(Kernel *) kernels = {0};
  for (MlirOperation func = mlirBlockGetFirstOperation(p.body); !mlirOperationIsNull(func); func = mlirOperationGetNextInBlock(func)) {
    TccStr kind;
    if (!is_named(func, "func.func") || !tcc_get_str(run->ir, func, "tcc.kernel", &kind) || !tcc_str_is(kind, "conv")) continue;
    Kernel *k = TCC_NEW(run->scratch, Kernel);
    k->func = func;
    for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(func)); !mlirOperationIsNull(op); op = mlirOperationGetNextInBlock(op))
      if (tcc_op_kind(run->ir, op) == TCC_OP_CONV_BLOCKED) k->conv = op;
    if (mlirOperationIsNull(k->conv)) continue;
    MlirStringRef name = mlirStringAttrGetValue(mlirOperationGetAttributeByName(func, mlirStringRefCreateFromCString("sym_name")));
    tcc_map_put(p.kernels, (TccStr){name.data, name.length}, NULL)->pointer = k;
    TCC_VEC_PUSH(run->scratch, &kernels, k);
  }
  if (!kernels.count) return mlirLogicalResultSuccess();
  collect_calls(&p, p.body);
  const TccInit *init = tcc_init_analyse(run->ir, module, run->scratch);
  for (size_t i = 0; i < kernels.count; i++)
    if (run->direct) keep_direct(&p, kernels.data[i]);
    else transform_kernel(&p, init, kernels.data[i]);
  return mlirLogicalResultSuccess();
}

/* winograd.c - weights of 3x3 convolutions transformed for Winograd's filtering, where that is faster.
 *
 *   %p = call @k2_transpose(%w)                             %u = call @winograd0(%w)
 *   call @k3(%x, %p)                                        call @k3(%x, %u)
 *   func @k3(%x, %p: tensor<4x4x3x3x16x64xf32>)         =>  func @k3(%x, %u: tensor<4x4x4x4x16x64xf32>)
 *     conv_blocked(%x, %p)                                    conv_blocked(%x, %u) {winograd = 2}
 *   func @k2_transpose(%w: tensor<256x64x3x3xf32>)          func @winograd0(%w) {tcc.kernel = "winograd"}
 *
 * Where a kernel did nothing but put the model's weights into panels (lib/codegen/read/relayout.h) they are transformed as the model has
 * them, and that kernel goes with its last call: no weight is moved twice, no panels are kept. Panels that are made in another way, of
 * weights that are computed, are transformed as they stand.
 *
 * The kernel's schedule decides if it has one, else the heuristic (lib/targets/x86/conv/conv_winograd.h). Weights must be weights at every call:
 * the run-time then transforms them once (lib/runtime/winograd.c); the body of @winograd0 says what that is in plain ops.
 *
 * Where tcc.numerics is direct or eager no kernel is.
 *
 * requires: select; the target x86. ensures: what tcc-pack-weights meets of these is packed; no kernel that lost its last call here is left. keeps: results but for rounding. */
#include "tcc/winograd.h"
#include "lib/codegen/read/relayout.h"
#include "lib/ir/names.h"
#include "lib/targets/x86/conv/conv_schedule.h"
#include "lib/targets/x86/passes/passes.h"
#include "mlir-c/Dialect/Func.h"
#include "tcc/codegen.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

typedef struct {
  MlirOperation func, conv;
  TccWinogradPlan plan;
  TCC_VEC(MlirOperation) calls;
} Kernel;
/* A kernel that may do no more than make panels; outputs: -1 if it is not known yet, 0 if it does more. */
typedef struct {
  MlirOperation func;
  size_t calls;
  int64_t outputs;
} Panels;

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  MlirBlock body;
  TccMap *kernels;             /* symbol -> Kernel */
  TccMap *panels;              /* symbol -> Panels */
  TccMap *plain;               /* panels of a weight -> the weight */
  TCC_VEC(MlirOperation) idle; /* calls that made panels for kernels which read them no longer */
  TccMap *makers;              /* what one makes -> the name of the function */
  TccMap *made;                /* (block, weight, maker) -> value */
} Winograd;

static void set(MlirOperation op, const char *name, MlirAttribute value) {
  mlirOperationSetAttributeByName(op, mlirStringRefCreateFromCString(name), value);
}

static void *called(TccMap *functions, MlirOperation call) {
  TccMapEntry *entry = tcc_map_find(functions, tcc_callee_name(call));
  return entry ? entry->pointer : NULL;
}

static void note_call(void *user, MlirOperation call) {
  Winograd *p = user;
  Kernel *kernel = called(p->kernels, call);
  Panels *panels = called(p->panels, call);
  if (kernel) TCC_VEC_PUSH(p->run->scratch, &kernel->calls, call);
  if (panels) panels->calls++;
}

/* ---- what the transform is, in plain ops ---- */

static MlirValue reshape(TccBuilder *b, MlirValue x, int rank, const int64_t *dims) {
  const TccExpr *e[TCC_MAX_RANK];
  for (int i = 0; i < rank; i++) e[i] = tcc_expr_const(b->ir->exprs, dims[i]);
  return tcc_build_reshape(b, x, rank, e);
}

/* [positions squared, taps]: the square of a tap's weight at a position, G[i][k] * G[j][l]. */
static MlirValue matrix(TccBuilder *b, int m) {
  const double (*g)[3] = tcc_winograd_matrices(m)->filter;
  int side = m + 2;
  float value[TCC_WINOGRAD_SIDE * TCC_WINOGRAD_SIDE * 9];
  for (int i = 0; i < side * side * 9; i++) value[i] = (float)(g[i / 9 / side][i % 9 / 3] * g[i / 9 % side][i % 3]);
  return tcc_build_constant(b, TCC_ELEM_F32, 2, (const int64_t[]){side * side, 9}, value);
}

/* Output channels, the first dim of w, to `need`. */
static MlirValue fit_outputs(TccBuilder *b, MlirValue w, int64_t need) {
  TccIr *ir = b->ir;
  int rank = tcc_type_rank(tcc_value_type(w));
  const TccExpr *zero = tcc_expr_const(ir->exprs, 0), *low[TCC_MAX_RANK], *other[TCC_MAX_RANK];
  int64_t have, step[TCC_MAX_RANK];
  tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(w), 0), &have);
  if (need == have) return w;
  for (int i = 0; i < rank; i++) low[i] = zero, step[i] = 1, other[i] = need < have ? tcc_type_dim(ir, tcc_value_type(w), i) : zero;
  other[0] = tcc_expr_const(ir->exprs, need < have ? need : need - have);
  if (need < have) return tcc_build_slice(b, w, low, step, other);
  return tcc_build_pad(b, w, (MlirValue){NULL}, low, other, "constant");
}

/* w [O, I, 3, 3] or [P, B, 3, 3, L, V * L] -> [P', m + 2, m + 2, B, L, V' * L]. */
static MlirValue build_transform(TccBuilder *b, MlirValue w, int64_t lanes, const TccWinogradPlan *p) {
  TccIr *ir = b->ir;
  int64_t size[6], side = p->m + 2, need = p->panels * p->vectors;
  int rank = tcc_type_rank(tcc_value_type(w));
  for (int i = 0; i < rank; i++) tcc_expr_is_const(tcc_type_dim(ir, tcc_value_type(w), i), &size[i]);
  int64_t blocks = rank == 4 ? size[1] / lanes : size[1];
  if (rank == 4) {
    w = reshape(b, fit_outputs(b, w, need * lanes), 5, (const int64_t[]){need, lanes, blocks, lanes, 9});
    w = tcc_build_transpose(b, w, (const int64_t[]){0, 2, 4, 3, 1});
  } else {
    int64_t old = size[5] / lanes;
    w = reshape(b, w, 6, (const int64_t[]){size[0], blocks, 9, lanes, old, lanes});
    w = fit_outputs(b,
                    reshape(b, tcc_build_transpose(b, w, (const int64_t[]){0, 4, 1, 2, 3, 5}), 5,
                            (const int64_t[]){size[0] * old, blocks, 9, lanes, lanes}),
                    need);
  }
  /* [positions, blocks of outputs, B, L, L] */
  MlirValue u = tcc_build_dot_general(b, matrix(b, p->m), w, NULL, NULL, 0, (const int64_t[]){1}, (const int64_t[]){2}, 1);
  u = reshape(b, u, 6, (const int64_t[]){side * side, p->panels, p->vectors, blocks, lanes, lanes});
  u = tcc_build_transpose(b, u, (const int64_t[]){1, 0, 3, 4, 2, 5});
  return reshape(b, u, 6, (const int64_t[]){p->panels, side, side, blocks, lanes, p->vectors * lanes});
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
  mlirBlockInsertOwnedOperationBefore(p->body, k->func, tcc_make_function(ir, name, TCC_KERNEL_WINOGRAD, location, region));
  return name;
}

/* ---- kernels and their calls ---- */

/* A record of the tuner may want what the user does not. */
static void keep_direct(const Winograd *p, const Kernel *k) {
  TccWinogradPlan plan;
  MlirStringRef schedule = mlirStringRefCreateFromCString("tcc.schedule");
  if (mlirAttributeIsNull(mlirOperationGetAttributeByName(k->func, schedule)) ||
      !tcc_winograd_wanted(p->run->target, p->ir, k->func, k->conv, &plan))
    return;
  mlirOperationRemoveAttributeByName(k->func, schedule);
}

/* ---- the model's weights ---- */

/* The kernel whose call makes these panels of weights that stand as a model has them; NULL where that is not so. */
static Panels *maker_of_panels(Winograd *p, MlirValue w) {
  MlirOperation op = mlirValueIsAOpResult(w) ? tcc_value_op(w) : (MlirOperation){NULL};
  Panels *panels = !mlirOperationIsNull(op) && tcc_op_is_named(op, "func.call") ? called(p->panels, op) : NULL;
  if (panels && panels->outputs < 0 && !tcc_relayout_makes_panels(p->ir, panels->func, &panels->outputs)) panels->outputs = 0;
  return panels && panels->outputs ? panels : NULL;
}

/* The weights that stand in panels w: [O, I, 3, 3]. */
static MlirValue plain_weights(Winograd *p, const Panels *panels, MlirValue w, int64_t inputs) {
  TccMapEntry *entry = tcc_map_put(p->plain, (TccStr){(const char *)&w.ptr, sizeof w.ptr}, NULL);
  MlirOperation call = tcc_value_op(w);
  if (!entry->constant) {
    TccBuilder b = {.ir = p->ir, .block = mlirOperationGetBlock(call), .before = call, .location = mlirOperationGetLocation(call)};
    MlirValue source = mlirOperationGetOperand(call, 0), made;
    if (mlirValueIsAOpResult(source) && tcc_op_kind(p->ir, tcc_value_op(source)) == TCC_OP_RESHAPE)
      source = mlirOperationGetOperand(tcc_value_op(source), 0);
    made = reshape(&b, source, 4, (const int64_t[]){panels->outputs, inputs, 3, 3});
    entry->constant = made.ptr;
    TCC_VEC_PUSH(p->run->scratch, &p->idle, call);
  }
  return (MlirValue){entry->constant};
}

static bool is_read(MlirOperation op) {
  for (intptr_t i = 0; i < mlirOperationGetNumResults(op); i++)
    if (!mlirOpOperandIsNull(mlirValueGetFirstUse(mlirOperationGetResult(op, i)))) return true;
  return false;
}

static void remove_idle(Winograd *p) {
  for (size_t i = 0; i < p->idle.count; i++) {
    MlirOperation call = p->idle.data[i];
    if (is_read(call)) continue;
    Panels *panels = called(p->panels, call);
    MlirValue source = mlirOperationGetOperand(call, 0);
    mlirOperationDestroy(call);
    if (mlirValueIsAOpResult(source) && tcc_op_kind(p->ir, tcc_value_op(source)) == TCC_OP_RESHAPE &&
        !is_read(tcc_value_op(source)))
      mlirOperationDestroy(tcc_value_op(source));
    if (--panels->calls == 0) mlirOperationDestroy(panels->func);
  }
}

static void transform_kernel(Winograd *p, const TccInit *init, Kernel *k) {
  MlirValue w = mlirOperationGetOperand(k->conv, 1);
  if (!k->calls.count || !mlirValueIsABlockArgument(w) || !tcc_winograd_wanted(p->run->target, p->ir, k->func, k->conv, &k->plan))
    return;
  MlirOpOperand use = mlirValueGetFirstUse(w);
  if (!mlirOpOperandIsNull(mlirOpOperandGetNextUse(use))) return;
  intptr_t argument = mlirBlockArgumentGetArgNumber(w);
  for (size_t i = 0; i < k->calls.count; i++)
    if (!tcc_init_is(init, mlirOperationGetOperand(k->calls.data[i], argument))) return;
  MlirType type;
  int64_t lanes = tcc_i64(p->ir, k->conv, "lanes"), channels = tcc_i64(p->ir, k->conv, "channels");
  const char *why = p->run->explain ? "transformed once, when the model is loaded, for Winograd's filtering" : NULL;
  for (size_t i = 0; i < k->calls.count; i++) {
    MlirOperation call = k->calls.data[i];
    MlirValue operand = mlirOperationGetOperand(call, argument);
    Panels *panels = maker_of_panels(p, operand);
    if (panels) mlirOperationSetOperand(call, argument, operand = plain_weights(p, panels, operand, channels));
    const char *maker = maker_of(p, k, tcc_value_type(operand), lanes, &type);
    tcc_call_make_operand(p->ir, p->made, call, argument, maker, type, why);
  }
  tcc_func_set_argument_type(p->ir, k->func, argument, type);
  set(k->conv, "winograd", tcc_attr_i64(p->ir, k->plan.m));
}

MlirLogicalResult tcc_pass_winograd(TccPassRun *run, MlirOperation module) {
  Winograd p = {.run = run,
                .ir = run->ir,
                .body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0)),
                .kernels = tcc_map_create(run->scratch),
                .panels = tcc_map_create(run->scratch),
                .plain = tcc_map_create(run->scratch),
                .makers = tcc_map_create(run->scratch),
                .made = tcc_map_create(run->scratch)};
  TCC_VEC(Kernel *) kernels = {0};
  for (MlirOperation func = mlirBlockGetFirstOperation(p.body); !mlirOperationIsNull(func);
       func = mlirOperationGetNextInBlock(func)) {
    TccKernelKind kind = tcc_kernel_kind(run->ir, func);
    if (!kind) continue;
    MlirStringRef name = mlirStringAttrGetValue(mlirOperationGetAttributeByName(func, mlirStringRefCreateFromCString("sym_name")));
    if (kind == TCC_KERNEL_MAP) {
      Panels *panels = TCC_NEW(run->scratch, Panels);
      *panels = (Panels){.func = func, .outputs = -1};
      tcc_map_put(p.panels, (TccStr){name.data, name.length}, NULL)->pointer = panels;
    }
    if (kind != TCC_KERNEL_CONV) continue;
    Kernel *k = TCC_NEW(run->scratch, Kernel);
    k->func = func;
    for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(func)); !mlirOperationIsNull(op);
         op = mlirOperationGetNextInBlock(op))
      if (tcc_op_kind(run->ir, op) == TCC_OP_CONV_BLOCKED) k->conv = op;
    if (mlirOperationIsNull(k->conv)) continue;
    tcc_map_put(p.kernels, (TccStr){name.data, name.length}, NULL)->pointer = k;
    TCC_VEC_PUSH(run->scratch, &kernels, k);
  }
  if (!kernels.count) return mlirLogicalResultSuccess();
  tcc_each_call(p.body, note_call, &p);
  const TccInit *init = tcc_init_analyse(run->ir, module, run->scratch);
  bool direct = tcc_numerics(module) != TCC_NUMERICS_FAST;
  for (size_t i = 0; i < kernels.count; i++)
    if (direct) keep_direct(&p, kernels.data[i]);
    else transform_kernel(&p, init, kernels.data[i]);
  remove_idle(&p);
  return mlirLogicalResultSuccess();
}

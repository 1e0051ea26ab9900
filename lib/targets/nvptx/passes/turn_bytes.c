/* turn_bytes.c - weights of products of bytes with the depth side by side, [K, N] -> [N, K]: as warpgroups read them, which have no instruction that
 * transposes bytes.
 *
 *   %1 = call @k3(%x, %w)                       %t = call @turned0(%w)
 *   func @k3(%x, %w: tensor<768x3072xi8>)   =>  %1 = call @k3(%x, %t)
 *     dot_general(%x, %w)                       func @k3(%x, %t: tensor<3072x768xi8>)
 *                                                 dot_general(%x, transpose(%t))
 *
 * A weight must be one at every call of the kernel; the run-time sees that what turns it depends on weights alone and does it once.
 *
 * requires: fuse, dedup-kernels. ensures: nothing more is computed in a run. keeps: results. */
#include "lib/ir/callers.h"
#include "lib/ir/names.h"
#include "lib/targets/nvptx/passes/passes.h"
#include "lib/targets/nvptx/product.h"
#include "mlir-c/BuiltinTypes.h"
#include "tcc/op_kinds.h"

typedef struct {
  TccPassRun *run;
  TccIr *ir;
  MlirOperation module;
  TccInit *init;
  TccMap *makers; /* type -> name of the function that turns it */
  TccMap *made;   /* tcc_call_make_operand */
} Turning;

static bool has_one_use(MlirValue value) {
  MlirOpOperand use = mlirValueGetFirstUse(value);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

/* The argument that is turned; -1: none. Its last two axes are the depth and what stays. */
static intptr_t weight_of(Turning *t, const TccCallers *kernel) {
  TccIr *ir = t->ir;
  MlirOperation dot = {NULL};
  const int64_t *contract;
  size_t n;
  TCC_EACH_OP (op, tcc_func_body(kernel->func)) {
    if (tcc_op_kind(ir, op) != TCC_OP_DOT_GENERAL) continue;
    if (!mlirOperationIsNull(dot)) return -1;
    dot = op;
  }
  if (mlirOperationIsNull(dot) || !tcc_get_ints(ir, dot, "rhs_contract", &contract, &n)) return -1;
  MlirValue w = mlirOperationGetOperand(dot, 1);
  int rank = tcc_type_rank(tcc_value_type(w));
  if (!mlirValueIsABlockArgument(w) || !has_one_use(w) || n != 1 || contract[0] != rank - 2 ||
      !nvptx_contract_is_turned(t->run->target, ir, kernel->func))
    return -1;
  intptr_t argument = mlirBlockArgumentGetArgNumber(w);
  for (size_t i = 0; i < kernel->calls.count; i++)
    if (!tcc_init_is(t->init, mlirOperationGetOperand(kernel->calls.data[i], argument))) return -1;
  return kernel->calls.count ? argument : -1;
}

static const int64_t *last_two_exchanged(Turning *t, int rank) {
  int64_t *order = TCC_NEW_ARRAY(t->run->scratch, int64_t, rank);
  for (int i = 0; i < rank; i++) order[i] = i < rank - 2 ? i : 2 * rank - 3 - i;
  return order;
}

/* The function that turns a tensor of that type; *out_type: into. */
static const char *maker_of(Turning *t, MlirOperation before, MlirType type, MlirType *out_type) {
  bool inserted;
  int rank = tcc_type_rank(type);
  const TccExpr *dims[TCC_MAX_RANK];
  const int64_t *order = last_two_exchanged(t, rank);
  for (int i = 0; i < rank; i++) dims[i] = tcc_type_dim(t->ir, type, (int)order[i]);
  *out_type = tcc_tensor_type(t->ir, tcc_type_elem(type), rank, dims);
  TccMapEntry *entry = tcc_map_put(t->makers, tcc_key_pointer((const void *const *)&type.ptr), &inserted);
  if (!inserted) return entry->constant;
  MlirLocation location = mlirOperationGetLocation(before);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(1, &type, &location);
  mlirRegionAppendOwnedBlock(region, block);
  TccBuilder b = {.ir = t->ir, .block = block, .location = location};
  MlirValue result = tcc_build_transpose(&b, mlirBlockGetArgument(block, 0), order);
  mlirBlockAppendOwnedOperation(block, tcc_make_return(t->ir, location, 1, &result));
  char *name = tcc_arena_printf(t->run->scratch, "turned%zu", tcc_map_count(t->makers) - 1);
  MlirOperation func = tcc_make_function(t->ir, name, TCC_KERNEL_MAP, location, region);
  mlirBlockInsertOwnedOperationBefore(tcc_func_body(t->module), before, func);
  entry->pointer = name;
  return name;
}

static void turn(Turning *t, const TccCallers *kernel, intptr_t argument) {
  static const char why[] = "the depth side by side, as warpgroups read bytes";
  MlirBlock body = tcc_func_body(kernel->func);
  MlirValue w = mlirBlockGetArgument(body, argument);
  MlirType type = tcc_value_type(w), turned;
  const char *maker = maker_of(t, kernel->func, type, &turned);
  tcc_func_set_argument_type(t->ir, kernel->func, argument, turned);
  TccBuilder b = {
      .ir = t->ir, .block = body, .before = mlirBlockGetFirstOperation(body), .location = mlirOperationGetLocation(kernel->func)};
  MlirValue plain = tcc_build_transpose(&b, w, last_two_exchanged(t, tcc_type_rank(type)));
  tcc_replace_uses(w, plain);
  mlirOperationSetOperand(tcc_value_op(plain), 0, w);
  for (size_t i = 0; i < kernel->calls.count; i++)
    tcc_call_make_operand(t->ir, t->made, kernel->calls.data[i], argument, maker, turned, why);
}

MlirLogicalResult tcc_pass_turn_bytes(TccPassRun *run, MlirOperation module) {
  TccArena *arena = run->scratch;
  Turning t = {.run = run, .ir = run->ir, .module = module, .makers = tcc_map_create(arena), .made = tcc_map_create(arena)};
  size_t count;
  const TccCallers *functions = tcc_callers(run->ir, arena, module, &count);
  t.init = tcc_init_analyse(run->ir, module, arena);
  for (size_t i = 0; i < count; i++) {
    if (tcc_kernel_kind(run->ir, functions[i].func) != TCC_KERNEL_CONTRACT) continue;
    intptr_t argument = weight_of(&t, &functions[i]);
    if (argument >= 0) turn(&t, &functions[i], argument);
  }
  return mlirLogicalResultSuccess();
}

/* dual_products.c - a product that nobody but the epilogue of another one of the same left operand reads becomes a part of that: a gate and what it gates.
 *
 *   %u = call @up(%x, %v)                      =>      %r = call @gate_dual(%x, %v, %w)
 *   %r = call @gate(%x, %w, %u)
 *
 *   @gate(%x, %w, %u): multiply(silu(dot_general(%x, %w)), %u)
 *   @gate_dual(%x, %v, %w): %u = dot_general(%x, %v); multiply(silu(dot_general(%x, %w)), %u)
 *
 * The kernel has sums of both, whose tiles have columns of either right operand in turns (NvptxProduct.dual): the left operand is read once, %u is no tensor,
 * and there is one launch less. CUTLASS's dual GEMM (examples/45_dual_gemm) does this with two accumulators; TensorRT-LLM's generated kernels and Quack want rows of both
 * weights in turns in memory; vLLM joins both weights to one and activates in a kernel of its own. Either is a copy of weights where they are inputs of the model.
 * requires: fuse, dedup-kernels. ensures: nothing is computed twice. keeps: results, to the bit where parts of sums stay the same. */
#include "lib/ir/names.h"
#include "lib/targets/nvptx/passes/group.h"
#include "lib/targets/nvptx/passes/passes.h"
#include "lib/targets/nvptx/product.h"
#include "tcc/location.h"
#include "tcc/op_kinds.h"

static bool sizes_are_known(TccIr *ir, MlirOperation kernel) {
  MlirBlock body = tcc_func_body(kernel);
  MlirValue result = mlirOperationGetOperand(mlirBlockGetTerminator(body), 0);
  for (intptr_t i = 0; i < mlirBlockGetNumArguments(body); i++)
    if (!tcc_type_count(ir, tcc_value_type(mlirBlockGetArgument(body, i)))) return false;
  return tcc_type_count(ir, tcc_value_type(result)) != NULL;
}

/* A kernel's only product; null: it has none, or several, or makes its left operand otherwise than by views, or has sizes without a name. */
static MlirOperation product_of(TccIr *ir, MlirOperation kernel) {
  const TccIndexCheck *checks;
  MlirOperation dot = {NULL}, none = {NULL};
  if (mlirOperationIsNull(kernel) || tcc_kernel_kind(ir, kernel) != TCC_KERNEL_CONTRACT ||
      tcc_index_checks(ir, kernel, &checks) > 0 ||
      mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel))) != 1 || !sizes_are_known(ir, kernel))
    return none;
  TCC_EACH_OP (op, tcc_func_body(kernel)) {
    if (tcc_op_kind(ir, op) != TCC_OP_DOT_GENERAL) continue;
    if (!mlirOperationIsNull(dot)) return none;
    dot = op;
  }
  return mlirOperationIsNull(dot) || nvptx_argument_of(ir, mlirOperationGetOperand(dot, 0)) < 0 ? none : dot;
}

static bool is_elementwise(TccIr *ir, MlirOperation op) {
  TccOpKind kind = tcc_op_kind(ir, op);
  return kind != TCC_OP_UNKNOWN && tcc_op_has_trait(kind, 'E');
}

/* Whether all that reads an argument is an elementwise op of its shape. */
static bool is_read_elementwise(TccIr *ir, MlirValue argument) {
  for (MlirOpOperand use = mlirValueGetFirstUse(argument); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    MlirOperation op = mlirOpOperandGetOwner(use);
    if (!is_elementwise(ir, op) ||
        !tcc_type_same_shape(ir, tcc_value_type(mlirOperationGetResult(op, 0)), tcc_value_type(argument)))
      return false;
  }
  return true;
}

static bool has_one_use(MlirValue v) {
  MlirOpOperand use = mlirValueGetFirstUse(v);
  return !mlirOpOperandIsNull(use) && mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
}

typedef struct {
  MlirOperation call[2], kernel[2]; /* the one that is read, the one that reads it */
  intptr_t operand;                 /* of the latter, that is the former's result */
} Pair;

/* What an operand of a call to `kernel`, which has one product, makes of the two; false: no pair. */
static bool find_pair(NvptxGrouping *g, MlirOperation call, MlirOperation kernel, intptr_t operand, Pair *out) {
  TccIr *ir = g->ir;
  MlirValue v = mlirOperationGetOperand(call, operand);
  if (!mlirValueIsAOpResult(v) || !has_one_use(v)) return false;
  *out = (Pair){{mlirOpResultGetOwner(v), call}, {{NULL}, kernel}, operand};
  out->kernel[0] = nvptx_grouping_kernel(g, out->call[0]);
  MlirOperation dot[2] = {product_of(ir, out->kernel[0]), product_of(ir, kernel)};
  if (mlirOperationIsNull(dot[0])) return false;
  MlirType type = tcc_value_type(mlirOperationGetResult(dot[0], 0));
  MlirValue root = mlirOperationGetOperand(mlirBlockGetTerminator(tcc_func_body(out->kernel[0])), 0), left[2];
  MlirOperation last = tcc_value_op(root);
  for (int i = 0; i < 2; i++)
    left[i] = mlirOperationGetOperand(out->call[i], nvptx_argument_of(ir, mlirOperationGetOperand(dot[i], 0)));
  return mlirValueEqual(left[0], left[1]) && mlirTypeEqual(type, tcc_value_type(mlirOperationGetResult(dot[1], 0))) &&
         tcc_type_same_shape(ir, type, tcc_value_type(root)) && (mlirOperationEqual(last, dot[0]) || is_elementwise(ir, last)) &&
         tcc_numerics(out->kernel[0]) == tcc_numerics(kernel) &&
         is_read_elementwise(ir, mlirBlockGetArgument(tcc_func_body(kernel), operand));
}

/* Operands of both calls, each once, without the one that joins them; of[i][j]: which one is operand j of call i. */
typedef struct {
  TCC_VEC(MlirValue) all;
  intptr_t *of[2];
} Operands;

static void collect(NvptxGrouping *g, const Pair *p, Operands *out) {
  TccArena *arena = g->run->scratch;
  *out = (Operands){0};
  for (int i = 0; i < 2; i++) {
    intptr_t n = mlirOperationGetNumOperands(p->call[i]);
    out->of[i] = TCC_NEW_ARRAY(arena, intptr_t, n + 1);
    for (intptr_t j = 0; j < n; j++) {
      MlirValue v = mlirOperationGetOperand(p->call[i], j);
      size_t at = 0;
      if (i == 1 && j == p->operand) {
        out->of[i][j] = -1;
        continue;
      }
      while (at < out->all.count && !mlirValueEqual(out->all.data[at], v)) at++;
      if (at == out->all.count) TCC_VEC_PUSH(arena, &out->all, v);
      out->of[i][j] = (intptr_t)at;
    }
  }
}

static MlirOperation make_kernel(NvptxGrouping *g, const Pair *p, const Operands *operands, const char *name) {
  MlirLocation location = mlirOperationGetLocation(p->kernel[1]);
  MlirRegion region = mlirRegionCreate();
  MlirBlock block = mlirBlockCreate(0, NULL, NULL);
  MlirValue joined = {NULL};
  mlirRegionAppendOwnedBlock(region, block);
  for (size_t i = 0; i < operands->all.count; i++) mlirBlockAddArgument(block, tcc_value_type(operands->all.data[i]), location);
  for (int i = 0; i < 2; i++) {
    intptr_t n = mlirOperationGetNumOperands(p->call[i]);
    MlirValue *arguments = TCC_NEW_ARRAY(g->run->scratch, MlirValue, n + 1);
    for (intptr_t j = 0; j < n; j++)
      arguments[j] = operands->of[i][j] < 0 ? joined : mlirBlockGetArgument(block, operands->of[i][j]);
    nvptx_grouping_put(g, p->kernel[i], arguments, block, &joined);
  }
  mlirBlockAppendOwnedOperation(block, tcc_make_return(g->ir, location, 1, &joined));
  MlirOperation func = tcc_make_function(g->ir, name, TCC_KERNEL_CONTRACT, location, region);
  if (tcc_numerics(p->kernel[1]) != TCC_NUMERICS_FAST) tcc_set_numerics(g->ir, func, tcc_numerics(p->kernel[1]));
  mlirBlockInsertOwnedOperationBefore(tcc_func_body(g->module), p->kernel[1], func);
  return func;
}

/* Its name, one for all pairs of these kernels with these operands; NULL: the target has no such kernel. */
static const char *kernel_of(NvptxGrouping *g, const Pair *p, const Operands *operands) {
  TccText key = {0};
  for (int i = 0; i < 2; i++) {
    tcc_text_put(&key, (const char *)&p->kernel[i].ptr, sizeof p->kernel[i].ptr);
    tcc_text_put(&key, (const char *)operands->of[i], (size_t)mlirOperationGetNumOperands(p->call[i]) * sizeof *operands->of[i]);
  }
  bool inserted;
  TccMapEntry *entry = tcc_map_put(g->joined, tcc_text_str(&key), &inserted);
  tcc_text_destroy(&key);
  if (!inserted) return entry->constant;
  const char *name = tcc_arena_printf(g->run->scratch, "%.*s_dual", TCC_STR_ARG(tcc_function_name(p->kernel[1])));
  name = nvptx_grouping_name(g, name);
  MlirOperation kernel = make_kernel(g, p, operands, name);
  if (nvptx_contract_is_dual(g->run->target, g->ir, kernel)) entry->constant = name;
  else mlirOperationDestroy(kernel);
  return entry->constant;
}

static bool join(NvptxGrouping *g, const Pair *p) {
  Operands operands;
  collect(g, p, &operands);
  const char *name = kernel_of(g, p, &operands);
  if (!name) return false;
  MlirLocation locations[2] = {mlirOperationGetLocation(p->call[0]), mlirOperationGetLocation(p->call[1])};
  MlirValue result = mlirOperationGetResult(p->call[1], 0);
  MlirType type = tcc_value_type(result);
  MlirOperation call =
      tcc_make_call(g->ir, name, tcc_location_fuse(g->ir, locations, 2), operands.all.count, operands.all.data, 1, &type);
  MlirAttribute why = tcc_attribute(p->call[1], "tcc.why");
  if (!mlirAttributeIsNull(why)) tcc_set_attribute(call, "tcc.why", why);
  mlirBlockInsertOwnedOperationBefore(mlirOperationGetBlock(p->call[1]), p->call[1], call);
  tcc_replace_uses(result, mlirOperationGetResult(call, 0));
  for (int i = 2; i-- > 0;) {
    TCC_VEC_PUSH(g->run->scratch, &g->replaced, p->kernel[i]);
    mlirOperationDestroy(p->call[i]);
  }
  return true;
}

static void visit(NvptxGrouping *g, MlirBlock block) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    MlirOperation kernel = nvptx_grouping_kernel(g, op);
    Pair pair;
    if (mlirOperationIsNull(product_of(g->ir, kernel))) continue;
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++)
      if (find_pair(g, op, kernel, i, &pair) && join(g, &pair)) break;
  }
}

MlirLogicalResult tcc_pass_dual_products(TccPassRun *run, MlirOperation module) {
  NvptxGrouping g;
  nvptx_grouping_init(&g, run, module);
  for (size_t i = 0; i < g.blocks.count; i++) visit(&g, g.blocks.data[i]);
  nvptx_grouping_finish(&g);
  return mlirLogicalResultSuccess();
}

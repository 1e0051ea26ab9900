/* group_siblings.c - small map kernels that stand beside each other, or share an operand, become one launch: the rotation of queries and that of keys.
 *
 *   %q = call @rotate_q(%a, %cos, %sin)
 *   %k = call @rotate_k(%b, %cos, %sin)      =>      %q, %k = call @rotate_q_x2(%a, %cos, %sin, %b)
 *
 * The kernel has a nest for each shape of its results (lib/codegen/read/map_nests.h), as that of a fused kernel with several results has; the same threads go
 * through them one after the other. As what they do takes no longer than a launch, that is a launch saved. XLA and Inductor do the same to kernels of like
 * sizes (horizontal fusion, combo kernels). A call moves up to the first one of its launch: past no other call, unless both read the same, so that tensors do
 * not live longer than they have to.
 *
 * requires: fuse, dedup-kernels; behind group-maps, which knows better where kernels are alike. ensures: nothing. keeps: results, to the bit. */
#include "lib/codegen/read/members.h"
#include "lib/ir/names.h"
#include "lib/targets/nvptx/map_tiles.h"
#include "lib/targets/nvptx/passes/group.h"
#include "lib/targets/nvptx/passes/passes.h"
#include "tcc/target.h"

/* So few elements, turned along a dim of so few, may be read with sectors that come several times: a launch costs more. */
enum { MOST_SIBLINGS = 4, FEW_TURNED = 65536, SHORT_SIDE = 16 };

/* A scatter and its twin of the same index are joined as well, as are keys and values that go into a cache: in either all threads read all indices. */
typedef struct {
  NvptxGrouping all;
  const TccInit *init;
  TccMap *sizes; /* kernel -> elements of its results; 0: it is none that is joined */
} Siblings;

typedef struct {
  NvptxGroup members;
  int64_t elements;
} Group;
typedef struct {
  TCC_VEC(Group *) all;
  bool beside; /* no call stands behind the last member of the last one */
} Groups;

/* ---- which kernels ---- */

/* Whether tiles of shared memory turn what it reads, which a kernel of one nest alone has, and it shall have them. */
static bool is_turned(TccIr *ir, MlirOperation kernel, int64_t elements) {
  TccMapNest *nests;
  NvptxMapTile tile;
  size_t count;
  TccStatus *status = tcc_map_nests_read(ir, kernel, &nests, &count); /* said when the kernel is emitted */
  bool turned = status || (count == 1 && nvptx_map_is_turned(&nests[0], &tile));
  bool small = !status && turned && elements <= FEW_TURNED && (tile.side[0] < SHORT_SIDE || tile.side[1] < SHORT_SIDE);
  tcc_status_destroy(status);
  return turned && !small;
}

static int64_t count_elements(TccIr *ir, MlirOperation kernel) {
  const TccIndexCheck *checks;
  MlirOperation end = mlirBlockGetTerminator(tcc_func_body(kernel));
  int64_t all = 0, count;
  if (tcc_kernel_kind(ir, kernel) != TCC_KERNEL_MAP || tcc_has_attribute(kernel, "tcc.members") ||
      tcc_index_checks(ir, kernel, &checks) > 0)
    return 0;
  for (intptr_t r = 0; r < mlirOperationGetNumOperands(end); r++) {
    MlirValue v = mlirOperationGetOperand(end, r);
    if (tcc_elem_bits(tcc_value_elem(v)) < 8 || !tcc_expr_is_const(tcc_type_count(ir, tcc_value_type(v)), &count)) return 0;
    all += count;
  }
  return is_turned(ir, kernel, all) ? 0 : all;
}

static bool is_scatter(Siblings *g, MlirOperation kernel) {
  return !mlirOperationIsNull(kernel) && tcc_kernel_kind(g->all.ir, kernel) == TCC_KERNEL_SCATTER;
}

static int64_t elements_of(Siblings *g, MlirOperation kernel) {
  bool is_new;
  TccMapEntry *entry = tcc_map_put(g->sizes, tcc_key_pointer((const void *const *)&kernel.ptr), &is_new);
  if (is_new) entry->integer = count_elements(g->all.ir, kernel);
  return entry->integer;
}

/* ---- which calls ---- */

static bool share_an_operand(TccIr *ir, MlirOperation a, MlirOperation b) {
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(a); i++) {
    MlirValue v = mlirOperationGetOperand(a, i);
    for (intptr_t j = 0; j < mlirOperationGetNumOperands(b) && !nvptx_is_scalar(ir, v); j++)
      if (mlirValueEqual(v, mlirOperationGetOperand(b, j))) return true;
  }
  return false;
}

/* As many elements as the machine has threads at once take no longer than a launch. */
static bool may_join(Siblings *g, const Group *group, bool beside, MlirOperation call, MlirOperation kernel, int64_t elements) {
  const NvptxMember *first = group->members.data;
  const TccGpu *gpu = &g->all.run->target->machine.gpu;
  return !is_scatter(g, first->kernel) && group->members.count < MOST_SIBLINGS &&
         group->elements + elements <= (int64_t)gpu->sms * gpu->threads && tcc_numerics(first->kernel) == tcc_numerics(kernel) &&
         (beside || share_an_operand(g->all.ir, first->call, call)) &&
         mlirOperationGetNumResults(first->call) == mlirOperationGetNumResults(call) &&
         nvptx_group_may_stand(g->all.ir, call, first->call) && !nvptx_group_is_read_between(g->all.ir, first->call, call);
}

/* Of a scatter's kernel the argument that has its indices; -1: it has none such. */
static intptr_t index_of(TccIr *ir, MlirOperation kernel) {
  MlirOperation op = tcc_value_op(mlirOperationGetOperand(mlirBlockGetTerminator(tcc_func_body(kernel)), 0));
  return mlirOperationIsNull(op) || mlirOperationGetNumOperands(op) < 2 ? -1
                                                                        : nvptx_argument_of(ir, mlirOperationGetOperand(op, 1));
}

static bool are_twins(Siblings *g, const Group *group, MlirOperation call, MlirOperation kernel) {
  const NvptxMember *first = group->members.data;
  const intptr_t index = index_of(g->all.ir, kernel);
  return group->members.count < MOST_SIBLINGS && mlirOperationEqual(first->kernel, kernel) && index >= 0 &&
         mlirValueEqual(mlirOperationGetOperand(first->call, index), mlirOperationGetOperand(call, index)) &&
         nvptx_group_may_stand(g->all.ir, call, first->call) && !nvptx_group_is_read_between(g->all.ir, first->call, call);
}

static void find_group(Siblings *g, Groups *groups, MlirOperation call) {
  TccArena *arena = g->all.run->scratch;
  MlirOperation kernel = nvptx_grouping_kernel(&g->all, call);
  const bool beside = groups->beside, scatter = is_scatter(g, kernel);
  int64_t elements = mlirOperationIsNull(kernel) ? 0 : scatter ? 1 : elements_of(g, kernel);
  if (tcc_op_is_named(call, "func.call") && nvptx_group_is_of_weights(g->init, call)) return; /* once, before all others */
  if (tcc_op_is_named(call, "func.call")) groups->beside = elements > 0;
  if (!elements) return;
  Group *group = groups->all.count ? groups->all.data[groups->all.count - 1] : NULL;
  bool joins =
      group && (scatter ? beside && are_twins(g, group, call, kernel) : may_join(g, group, beside, call, kernel, elements));
  if (!joins) {
    group = TCC_NEW(arena, Group);
    TCC_VEC_PUSH(arena, &groups->all, group);
  }
  group->elements += elements;
  TCC_VEC_PUSH(arena, &group->members, ((NvptxMember){call, kernel}));
}

/* A call is asked of the last map kernel before it alone. */
static void visit(Siblings *g, MlirBlock block) {
  Groups groups = {0};
  TCC_EACH_OP (op, block) find_group(g, &groups, op);
  for (size_t i = 0; i < groups.all.count; i++)
    if (groups.all.data[i]->members.count > 1) nvptx_grouping_join(&g->all, &groups.all.data[i]->members, false);
}

MlirLogicalResult tcc_pass_group_siblings(TccPassRun *run, MlirOperation module) {
  Siblings g = {.init = tcc_init_analyse(run->ir, module, run->scratch), .sizes = tcc_map_create(run->scratch)};
  nvptx_grouping_init(&g.all, run, module);
  for (size_t i = 0; i < g.all.blocks.count; i++) visit(&g, g.all.blocks.data[i]);
  nvptx_grouping_finish(&g.all);
  return mlirLogicalResultSuccess();
}

/* fuse_budget.c - how often a kernel computes a value, and how much code that takes.
 *
 * Emitters pull: a kernel computes a value once for each index at which one of its ops asks for it. Elementwise ops of one shape
 * ask at their own index, where the value is known already; views, concatenations, paddings and gathers ask at others. So `y` is
 * computed three times in y + roll(y), 3^k times behind k of them, and as many copies of its code are needed. A group keeps the
 * pulls of its members: a member, an index, and for how many elements it is asked there. What joins the group gets its pulls
 * from those of its readers.
 *
 * An index is a hash of the ops that lead to it from the index of the result: equal numbers are equal indices. What stands behind
 * a border (a part of a concatenation, the inside of a padding) has an index of its own, since what is computed there is known
 * nowhere else. Lanes on both sides of a border compute both.
 *
 * Two limits, beyond which a value is stored. Code: MOST_PULLS. Time: what a kernel computes again is the work of at most
 * MOST_AGAIN simple operations for each element that it goes through; no value that it computes again is computed more than
 * MOST_PER_ELEMENT times for each of these, nor, from SMALL elements on, more than MOST_TIMES for each of its own unless that is less work than a
 * kernel of its own costs (TccTarget.launch_operations). (A broadcast of a short vector repeats an operation for each element, which takes
 * no longer than to read what was stored.) Sizes that are not known count as tcc_ir_likely has them. */
#include "passes/fuse/fuse_groups.h"
#include "tcc/op_kinds.h"

enum {
  MOST_PULLS = 128,
  MOST_AGAIN = 8,
  MOST_TIMES = 8,
  MOST_PER_ELEMENT = 2,
  SMALL = 1024,
  LANES = 16 /* of the widest vectors */
};

/* Worth storing rather than computing once per reader of a broadcast. */
bool fuse_is_expensive(TccOpKind kind) {
  return kind != TCC_OP_UNKNOWN && (tcc_op_has_trait(kind, 'T') || tcc_op_has_trait(kind, 'S'));
}

/* From floats to integers of 64 bits, which few machines do with vectors. */
static bool converts_lane_by_lane(const FuseNode *node) {
  if (node->kind != TCC_OP_CONVERT) return false;
  TccElem from = tcc_type_elem(tcc_value_type(mlirOperationGetOperand(node->op, 0))),
          to = tcc_type_elem(tcc_value_type(mlirOperationGetResult(node->op, 0)));
  return tcc_elem_is_float(from) && !tcc_elem_is_float(to) && tcc_elem_bits(to) == 64;
}

/* In simple operations; views cost nothing. */
static double cost_of(const FuseNode *node) {
  if (node->class == CLASS_VIEW || node->class == CLASS_RESHAPE) return 0;
  if (fuse_is_expensive(node->kind)) return 8;
  if (converts_lane_by_lane(node)) return LANES;
  return node->class == CLASS_INDEXED ? 2 : 1;
}

/* ---- indices ---- */

static uint64_t mix(uint64_t index, const void *data, size_t bytes) { return tcc_hash(data, bytes, index * 31 + 1); }

static uint64_t mix_shape(TccIr *ir, uint64_t index, MlirType type) {
  for (int axis = 0; axis < tcc_type_rank(type); axis++) {
    const TccExpr *size = tcc_type_dim(ir, type, axis);
    index = mix(index, &size, sizeof size);
  }
  return index;
}

/* The index at which an op other than an elementwise one asks for its operand. */
static uint64_t mix_op(TccIr *ir, uint64_t index, const FuseNode *node, intptr_t operand) {
  const intptr_t which[] = {(intptr_t)node->kind, operand};
  index = mix(index, which, sizeof which);
  for (intptr_t i = 0; i < mlirOperationGetNumAttributes(node->op); i++) {
    const void *value = mlirOperationGetAttribute(node->op, i).attribute.ptr;
    index = mix(index, &value, sizeof value);
  }
  index = mix_shape(ir, index, tcc_value_type(mlirOperationGetOperand(node->op, 0)));
  return mix_shape(ir, index, tcc_value_type(mlirOperationGetResult(node->op, 0)));
}

static double likely_size(TccIr *ir, MlirType type, int axis) {
  const TccExpr *size = tcc_type_dim(ir, type, axis);
  int64_t known;
  if (size && tcc_expr_is_const(size, &known)) return (double)known;
  return size ? (double)tcc_ir_likely(ir, size) : TCC_LIKELY_SIZE;
}

static double likely_count(TccIr *ir, MlirType type, int first_axis) {
  double count = 1;
  for (int axis = first_axis; axis < tcc_type_rank(type); axis++) count *= likely_size(ir, type, axis);
  return count;
}

/* Whether the last axis of a part ends within a block of lanes. */
static bool cuts_lanes(TccIr *ir, MlirType part) {
  const TccExpr *size = tcc_type_dim(ir, part, tcc_type_rank(part) - 1);
  return !size || tcc_expr_multiple_of(size) % LANES != 0;
}

/* The part of the elements of a concatenation or padding for which an operand is computed. */
static double share_of(TccIr *ir, const FuseNode *node, intptr_t operand) {
  MlirType whole = tcc_value_type(mlirOperationGetResult(node->op, 0)),
           first = tcc_value_type(mlirOperationGetOperand(node->op, 0)),
           part = tcc_value_type(mlirOperationGetOperand(node->op, operand));
  int last = tcc_type_rank(whole) - 1;
  bool along_lanes = last < 0 || tcc_type_dim(ir, first, last) != tcc_type_dim(ir, whole, last);
  double share = likely_count(ir, part, 0) / likely_count(ir, whole, 0);
  return share > 1 || (along_lanes && (last < 0 || cuts_lanes(ir, first))) || (node->kind == TCC_OP_PAD && operand > 0) ? 1 : share;
}

typedef struct {
  uint64_t index;
  double elements;
} Pull;

/* How `user`, pulled as `at`, pulls its operand; out_places: at so many different indices, the first of which this is. */
static Pull pull_of(TccIr *ir, const FuseNode *user, intptr_t operand, Pull at, int64_t *out_places) {
  MlirValue value = mlirOperationGetOperand(user->op, operand), result = mlirOperationGetResult(user->op, 0);
  MlirType from = tcc_value_type(value), to = tcc_value_type(result);
  *out_places = 1;
  if (user->class == CLASS_ANCHOR) /* a reduction, which walks through all of it */
    return (Pull){0, likely_count(ir, from, 0)};
  if (user->class == CLASS_ELEMENT || user->kind == TCC_OP_BROADCAST)
    return mlirTypeEqual(from, to) || tcc_type_same_shape(ir, from, to) ? at : (Pull){mix_shape(ir, at.index, from), at.elements};
  Pull pull = {mix_op(ir, at.index, user, operand), at.elements};
  if (user->class != CLASS_INDEXED) return pull;
  if (user->kind == TCC_OP_CONCAT || user->kind == TCC_OP_PAD) {
    pull.elements *= share_of(ir, user, operand);
    return pull;
  }
  /* A gather: where it reads depends on its indices, of which a row that all lanes share needs one. */
  MlirValue indices = mlirOperationGetOperand(user->op, 1);
  pull.index = mix(pull.index, &indices.ptr, sizeof indices.ptr);
  if (operand == 0) return pull;
  if (user->kind == TCC_OP_DYNAMIC_SLICE || user->kind == TCC_OP_GATHER_ND)
    tcc_expr_is_const(tcc_type_dim(ir, from, tcc_type_rank(from) - 1), out_places);
  MlirType data = tcc_value_type(mlirOperationGetOperand(user->op, 0));
  if (user->kind == TCC_OP_GATHER && likely_count(ir, data, (int)tcc_i64(ir, user->op, "axis") + 1) >= LANES)
    pull.elements *= likely_count(ir, from, 0) / likely_count(ir, to, 0);
  return pull;
}

/* ---- groups ---- */

/* Elements of a node's result. Neighbours often have one type. */
static double elements_of(FuseGraph *graph, const FuseNode *node) {
  MlirType type = tcc_value_type(mlirOperationGetResult(node->op, 0));
  if (!mlirTypeEqual(type, graph->counted)) graph->elements = likely_count(graph->ir, graph->counted = type, 0);
  return graph->elements;
}

/* Where the pulls of a member begin. */
static size_t first_pull(const FuseGroup *group, const FuseNode *member) {
  size_t at = member->first_pull; /* in the group that it joined last */
  if (at < group->pulls.count && group->pulls.data[at].node == member) return at;
  for (at = 0; at < group->pulls.count && group->pulls.data[at].node != member;) at++;
  return at;
}

/* The pulls of `node` by the members of a group. More than MOST_PULLS: only so many are written. */
static size_t pulls_of(const FuseGraph *graph, const FuseGroup *group, const FuseNode *node, Pull *out) {
  size_t count = 0;
  for (size_t u = 0; u < node->results[0].uses; u++) {
    const FuseUse *use = &node->results[0].use[u];
    if (!fuse_in_group(use->user, group)) continue;
    for (size_t i = first_pull(group, use->user); i < group->pulls.count && group->pulls.data[i].node == use->user; i++) {
      const FusePull *reader = &group->pulls.data[i];
      int64_t places;
      Pull pull = pull_of(graph->ir, use->user, use->operand, (Pull){reader->index, reader->elements}, &places);
      for (int64_t place = 0; place < places; place++, pull.index = mix(pull.index, &place, sizeof place)) {
        size_t at = 0;
        while (at < count && out[at].index != pull.index) at++;
        if (at == MOST_PULLS) return MOST_PULLS + 1;
        if (at == count) out[count++] = pull;
        else if (out[at].elements < pull.elements) out[at].elements = pull.elements;
      }
    }
  }
  return count;
}

bool fuse_is_read_at_root(const FuseGraph *graph, const FuseGroup *group, const FuseNode *node) {
  Pull pulls[MOST_PULLS];
  return pulls_of(graph, group, node, pulls) == 1 && pulls[0].index == 0;
}

static void add_pull(FuseGraph *graph, FuseGroup *group, FuseNode *node, const Pull *pull, bool first) {
  if (first) node->first_pull = group->pulls.count;
  group->code += node->class >= CLASS_ELEMENT;
  TCC_VEC_PUSH(graph->arena, &group->pulls, ((FusePull){node, pull->index, pull->elements}));
}

void fuse_budget_start(FuseGraph *graph, FuseGroup *group) {
  if (group->kind != TCC_KERNEL_MAP && group->kind != TCC_KERNEL_ROW) return; /* views of operands alone */
  group->elements = likely_count(graph->ir, group->domain, 0);
  for (size_t m = 0; m < group->members.count; m++) {
    FuseNode *node = group->members.data[m];
    add_pull(graph, group, node, &(Pull){0, elements_of(graph, node)}, true);
  }
}

const char *fuse_budget_take(FuseGraph *graph, FuseGroup *group, FuseNode *node) {
  static const char code[] = "size: its reader's kernel would need its code for too many different indices";
  static const char again[] = "cost: its reader's kernel would compute it again too many times";
  if (group->kind != TCC_KERNEL_MAP && group->kind != TCC_KERNEL_ROW) return NULL;
  Pull pulls[MOST_PULLS];
  size_t n = pulls_of(graph, group, node, pulls);
  double cost = cost_of(node), elements = 0, size = elements_of(graph, node);
  if (n > MOST_PULLS || (cost > 0 && group->code + n > MOST_PULLS)) return code;
  for (size_t i = 0; i < n; i++) elements += pulls[i].elements;
  double more = elements > size ? cost * (elements - size) : 0;
  if (more > 0 && (group->again + more > MOST_AGAIN * group->elements || elements > MOST_PER_ELEMENT * group->elements ||
                   (size >= SMALL && elements > MOST_TIMES * size && more > graph->target->of->launch_operations)))
    return again;
  group->again += more;
  for (size_t i = 0; i < n; i++) add_pull(graph, group, node, &pulls[i], i == 0);
  return NULL;
}

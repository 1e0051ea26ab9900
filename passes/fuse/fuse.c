/* fuse.c - group primitive ops into kernel functions.
 *
 *   %0 = tcc.dot_general %x, %w        %2 = call @k0_dot_general_add_max(%x, %w, %b)
 *   %1 = tcc.add %0, %b          =>
 *   %2 = tcc.max %1, %zero
 *
 * Two phases over each block, both linear in its uses. Phase 1, forward: each anchor (contraction, convolution, reduction,
 * attention ...), a reduction with others of the same rows, takes the elementwise ops that follow it, as long as nothing outside would have to run in between
 * (positions, see fuse_groups.h). Kernels other than row kernels keep one result: growth is rolled back to the last point
 * where a single value left the group. Phase 2, backward: what is left joins the one kernel that reads it if that kernel
 * can compute it in place, is copied if it only moves indices or takes no more reading than its result, is written by a map that reads it
 * (fuse_results.c), or becomes the root of a map kernel of its own. The idea of pulling producers into their only reader is the inlining of Halide and TVM;
 * anchors with epilogues are what XLA and Inductor do for matmul templates.
 *
 * Ops that depend on weights alone are kept apart from those that do not: the run-time computes them once. What a kernel computes
 * again because it reads a value at several indices has a budget (fuse_budget.c).
 *
 * Each decision against fusing gives its reason, which tcc-explain shows (fuse_why.c).
 *
 * requires: composites that the target does not keep are decomposed; functions have one block each.
 * ensures:  main and regions hold func.calls, weights, constants, none and reshapes; docs/kernels.md.
 * keeps:    order of results, names of functions. */
#include "lib/ir/attention.h"
#include "lib/ir/row_domain.h"
#include "passes/fuse/fuse_groups.h"
#include "tcc/op_kinds.h"
#include "tcc/pass.h"

enum { MAX_MEMBERS = 64, MAX_ROW_RESULTS = 4, MOST_STORED = 1 << 16 /* elements of a constant that are all equal */ };

/* ---- phase 1 ---- */

typedef struct {
  double low, high;
  size_t results;
} Window; /* where the group's call may stand; values that leave it */

static Window window_of(const FuseGroup *group) {
  Window w = {-1.0, 1e300, 0};
  for (size_t m = 0; m < group->members.count; m++) {
    const FuseNode *node = group->members.data[m];
    for (intptr_t i = 0; i < node->operands; i++) {
      const FuseNode *producer = node->producers[i];
      if (producer && !fuse_in_group(producer, group) && producer->position > w.low) w.low = producer->position;
    }
    for (intptr_t r = 0; r < node->nresults; r++) {
      bool leaves = false;
      for (size_t u = 0; u < node->results[r].uses; u++) {
        const FuseNode *user = node->results[r].use[u].user;
        if (fuse_in_group(user, group)) continue;
        leaves = true;
        if (user->position < w.high) w.high = user->position;
      }
      w.results += leaves;
    }
  }
  return w;
}

static bool is_reduction(TccOpKind kind) { return kind == TCC_OP_REDUCE || kind == TCC_OP_ARG_REDUCE; }

/* The type of x reduced as `reduction` reduces it, with the axes kept or not. */
static bool is_reduced_shape(TccIr *ir, MlirOperation reduction, MlirType type) {
  MlirType domain = tcc_value_type(mlirOperationGetOperand(reduction, 0));
  int rank = tcc_type_rank(domain), r = tcc_type_rank(type);
  uint32_t reduced = tcc_reduced_axes(ir, reduction);
  const TccExpr *one = tcc_expr_const(ir->exprs, 1);
  bool keep = r == rank;
  int at = 0;
  for (int axis = 0; axis < rank; axis++) {
    bool gone = reduced >> axis & 1;
    if (gone && !keep) continue;
    if (at >= r || tcc_type_dim(ir, type, at) != (gone ? one : tcc_type_dim(ir, domain, axis))) return false;
    at++;
  }
  return at == r;
}

static bool same_reduction_axes(TccIr *ir, MlirOperation a, MlirOperation b) {
  return tcc_type_same_shape(ir, tcc_value_type(mlirOperationGetOperand(a, 0)), tcc_value_type(mlirOperationGetOperand(b, 0))) &&
         is_reduced_shape(ir, a, tcc_value_type(mlirOperationGetResult(b, 0))) &&
         is_reduced_shape(ir, b, tcc_value_type(mlirOperationGetResult(a, 0)));
}

/* Why `node`, a reader of the group, may not become part of it as far as shapes go; NULL if it may. */
static const char *why_apart(const FuseGraph *graph, const FuseGroup *group, const FuseNode *node) {
  static const char shape[] = "shape: its reader has another shape than what the kernel writes";
  static const char moves[] =
      "shape: its reader moves, gathers or joins elements; only elementwise ops of the result's own shape join a tile";
  TccIr *ir = graph->ir;
  if (node->init != group->init) return "weights: what depends on weights alone is computed once, when the model is loaded";
  if (group->kind == TCC_KERNEL_ROW && is_reduction(node->kind))
    return same_reduction_axes(ir, group->anchor->op, node->op) ? NULL : fuse_anchor_why(node->kind, TCC_KERNEL_ROW);
  if (node->class == CLASS_ANCHOR) return fuse_anchor_why(node->kind, group->kind);
  if (node->class != CLASS_ELEMENT) return moves;
  if (group->kind == TCC_KERNEL_ATTENTION) return "kind: attention has no epilogue: its tiles are written as they are";
  if (!tcc_kernel_takes_readers(group->kind))
    return "kind: nothing joins a scatter, a scan, a gradient of weights or a function of the run-time";
  MlirType type = tcc_value_type(mlirOperationGetResult(node->op, 0));
  if (tcc_elem_bits(tcc_type_elem(type)) < 8)
    return "type: parts of bytes are written by maps alone, which share no byte between threads";
  if (tcc_type_same_shape(ir, type, group->domain)) return NULL;
  return group->kind == TCC_KERNEL_ROW && is_reduced_shape(ir, group->anchor->op, type) ? NULL : shape;
}

/* Ungrouped readers of a member, appended to the queue in order of position. */
static void queue_readers(FuseGraph *graph, FuseGroup *group, FuseNode *node, FuseNode **queue, size_t *count, size_t capacity) {
  for (intptr_t r = 0; r < node->nresults; r++)
    for (size_t u = 0; u < node->results[r].uses; u++) {
      FuseNode *user = node->results[r].use[u].user;
      if (user->groups.count && !fuse_in_group(user, group))
        fuse_note(graph, mlirOperationGetResult(node->op, r), user->op,
                  "kind: its reader is in another kernel already, and a kernel has one anchor");
      if (user->groups.count || *count == capacity) continue;
      const char *apart = why_apart(graph, group, user);
      if (apart) {
        fuse_note(graph, mlirOperationGetResult(node->op, r), user->op, apart);
        continue;
      }
      size_t at = *count;
      bool known = false;
      for (size_t i = 0; i < *count && !known; i++) known = queue[i] == user;
      if (known) continue;
      while (at > 0 && queue[at - 1]->position > user->position) queue[at] = queue[at - 1], at--;
      queue[at] = user;
      ++*count;
    }
}

static void note_operands(FuseGraph *graph, const FuseNode *node, const char *why) {
  for (intptr_t i = 0; graph->why && i < mlirOperationGetNumOperands(node->op); i++)
    fuse_note(graph, mlirOperationGetOperand(node->op, i), node->op, why);
}

static void truncate(FuseGraph *graph, FuseGroup *group, size_t count, const char *why) {
  while (group->members.count > count) {
    FuseNode *node = group->members.data[--group->members.count];
    node->groups.count--;
    note_operands(graph, node, why);
  }
}

/* ---- dequantised operands of epilogues ---- */

static bool has_one_element(const FuseGraph *graph, MlirValue v) {
  const TccExpr *count = tcc_type_count(graph->ir, tcc_value_type(v));
  return count && count == tcc_expr_const(graph->ir->exprs, 1);
}

/* The operand that a conversion from bytes, or a difference or a product with one number, is made of, in the shape of the result; -1: node is another. */
static intptr_t rescaled_operand(const FuseGraph *graph, const FuseNode *node) {
  MlirType type = tcc_value_type(mlirOperationGetResult(node->op, 0));
  if (node->kind == TCC_OP_CONVERT) {
    TccElem from = tcc_value_elem(mlirOperationGetOperand(node->op, 0));
    return (from == TCC_ELEM_U8 || from == TCC_ELEM_I8) && tcc_type_elem(type) == TCC_ELEM_F32 ? 0 : -1;
  }
  if (node->kind != TCC_OP_SUB && node->kind != TCC_OP_MUL) return -1;
  for (intptr_t i = 0; i < (node->kind == TCC_OP_MUL ? 2 : 1); i++)
    if (mlirTypeEqual(tcc_value_type(mlirOperationGetOperand(node->op, i)), type) &&
        has_one_element(graph, mlirOperationGetOperand(node->op, 1 - i)))
      return i;
  return -1;
}

/* Whether it is a stored byte, brought to its scale: whoever reads a quarter of the bytes does that on the way. */
static bool is_dequantized(const FuseGraph *graph, const FuseNode *node) {
  enum { MOST_OPS = 3 /* a conversion, a difference, a product */ };
  for (int i = 0; i < MOST_OPS && node && node->class == CLASS_ELEMENT; i++) {
    intptr_t operand = rescaled_operand(graph, node);
    if (operand < 0 || node->kind == TCC_OP_CONVERT) return operand >= 0;
    node = node->producers[operand];
  }
  return false;
}

/* A convolution of bytes whose channels are in no blocks, or a product of bytes where the target says so. */
static bool sums_bytes(const FuseGraph *graph, const FuseNode *anchor) {
  const TccByteProducts *bytes = graph->target->of->bytes;
  if (!anchor || tcc_value_elem(mlirOperationGetResult(anchor->op, 0)) != TCC_ELEM_I32) return false;
  return anchor->kind == TCC_OP_CONV || (anchor->kind == TCC_OP_DOT_GENERAL && bytes && bytes->rescales);
}

/* Whether an epilogue on blocks of channels, or of sums of bytes, brings an operand to its scale. out_converts: what it is made of lies in memory. */
static bool rescales_in_epilogue(const FuseGraph *graph, const FuseGroup *group, const FuseNode *user, const FuseNode *node,
                                 bool *out_converts) {
  *out_converts = node->kind == TCC_OP_CONVERT;
  bool takes = group->anchor && (group->anchor->kind == TCC_OP_CONV_BLOCKED || sums_bytes(graph, group->anchor));
  return (group->kind == TCC_KERNEL_CONV || group->kind == TCC_KERNEL_CONTRACT) && takes && user->class == CLASS_ELEMENT &&
         node->class == CLASS_ELEMENT && rescaled_operand(graph, node) >= 0;
}

/* Of sums of bytes: bytes that their epilogue brings to a scale for other epilogues, which can do that themselves, are what it writes. */
static void leave_bytes(FuseGraph *graph, FuseGroup *group) {
  const size_t count = group->members.count;
  const FuseNode *last = count ? group->members.data[count - 1] : NULL;
  bool converts;
  if (!last || !sums_bytes(graph, group->anchor) || !is_dequantized(graph, last)) return;
  for (size_t u = 0; u < last->results[0].uses; u++) {
    const FuseNode *user = last->results[0].use[u].user;
    for (size_t g = 0; g < user->groups.count; g++)
      if (!sums_bytes(graph, user->groups.data[g]->anchor) ||
          !rescales_in_epilogue(graph, user->groups.data[g], user, last, &converts))
        return;
    if (!user->groups.count) return;
  }
  size_t kept = count;
  for (const FuseNode *node = last; kept && node == group->members.data[kept - 1]; kept--) {
    if (node->kind == TCC_OP_CONVERT) {
      truncate(graph, group, kept - 1, "cost: it is stored as bytes, which its reader brings to their scale");
      return;
    }
    node = node->producers[rescaled_operand(graph, node)];
  }
}

/* A convolution on blocked channels reads and writes whole vectors of channels, which lie where a view says, its pixels a constant
 * distance apart. result: the view is of what it writes, else of what it reads. */
static bool keeps_lanes(TccIr *ir, const FuseNode *node, bool result) {
  const int64_t *perm;
  size_t n;
  if (node->kind != TCC_OP_TRANSPOSE || !tcc_get_ints(ir, node->op, "perm", &perm, &n) || n != 5 || perm[4] != 4) return false;
  MlirType memory = tcc_value_type(result ? mlirOperationGetResult(node->op, 0) : mlirOperationGetOperand(node->op, 0));
  int at = (int)perm[3];
  for (int i = 0; i < 5 && result; i++)
    if (perm[i] == 3) at = i;
  while (++at < 5)
    if (!tcc_expr_is_const(tcc_type_dim(ir, memory, at), NULL)) return false;
  return true;
}

/* Whether the pixels that a window reads, together with those beside it along the image's rows, crowd few sets of the first cache: those of blocks of
 * channels that the view `node` finds among all channels of a pixel are as far from each other as pixels are. One channel a group reads each of them once for
 * each tap, and is quicker from a copy: 512 channels of 14 x 14 pixels in 0.64 of the time, 320 of 28 x 28, whose distance is 5 x 256 bytes, in 1.44. */
static bool crowds_cache(const FuseGraph *graph, const FuseNode *user, const FuseNode *node) {
  enum { LINE = 64, SETS = 64 /* a page of lines */, L1_BYTES = 32 << 10 /* of a machine that does not say */ };
  TccIr *ir = graph->ir;
  const int64_t l1 = graph->target->machine.l1_bytes, ways = (l1 ? l1 : L1_BYTES) / (SETS * LINE);
  const int64_t *perm;
  size_t n;
  MlirType memory = tcc_value_type(mlirOperationGetOperand(node->op, 0)),
           weight = tcc_value_type(mlirOperationGetOperand(user->op, 1));
  int64_t rows, columns, width, distance = tcc_elem_bytes(tcc_type_elem(memory), 1), size;
  const bool single = tcc_i64(ir, user->op, "groups") == tcc_i64(ir, user->op, "channels") && tcc_type_rank(weight) == 4;
  if (!single || !tcc_get_ints(ir, node->op, "perm", &perm, &n) || !tcc_expr_is_const(tcc_type_dim(ir, weight, 1), &rows) ||
      !tcc_expr_is_const(tcc_type_dim(ir, weight, 2), &columns) ||
      !tcc_expr_is_const(tcc_type_dim(ir, memory, (int)perm[3]), &width))
    return false;
  for (int i = (int)perm[3] + 1; i < (int)n; i++) {
    if (!tcc_expr_is_const(tcc_type_dim(ir, memory, i), &size)) return false;
    distance *= size;
  }
  if (rows * columns == 1 || distance < LINE) return false;
  int64_t sets = SETS;
  for (int64_t d = distance; d % (2 * LINE) == 0 && sets > 1; d /= 2) sets /= 2;
  return rows * width > 2 * sets * ways;
}

/* A transpose that alone reads the single result of a contraction, attention or convolution becomes its output layout. */
static void absorb_transpose(FuseGraph *graph, FuseGroup *group) {
  bool blocked = group->anchor->kind == TCC_OP_CONV_BLOCKED;
  if (group->kind != TCC_KERNEL_CONTRACT && group->kind != TCC_KERNEL_ATTENTION && !blocked) return;
  FuseNode *only = NULL;
  for (size_t m = 0; m < group->members.count; m++) {
    const FuseResult *result = &group->members.data[m]->results[0];
    for (size_t u = 0; u < result->uses; u++) {
      FuseNode *user = result->use[u].user;
      if (fuse_in_group(user, group)) continue;
      if (only && only != user) return;
      only = user;
    }
  }
  if (only && blocked && !keeps_lanes(graph->ir, only, true)) return;
  if (only && only->kind == TCC_OP_TRANSPOSE && !only->groups.count) fuse_group_join(graph, group, only);
}

/* Whether the last axis of a value lies in memory as it is, as far as views say that its reader takes with it. */
static bool keeps_last_axis(const FuseGraph *graph, MlirValue value) {
  for (FuseNode *node = fuse_producer(graph, value); node; node = fuse_producer(graph, value)) {
    if (node->class != CLASS_VIEW && node->class != CLASS_RESHAPE) return true;
    value = mlirOperationGetOperand(node->op, 0);
    int last = tcc_type_rank(tcc_value_type(value)) - 1;
    const int64_t *perm;
    size_t n;
    if (node->kind == TCC_OP_RESHAPE) continue;
    if (node->kind != TCC_OP_TRANSPOSE || !tcc_get_ints(graph->ir, node->op, "perm", &perm, &n) || perm[last] != last) return false;
  }
  return true;
}

/* The kernel of an attention has the sums of its rows: it gives their logarithms, too. */
static void absorb_sums(FuseGraph *graph, FuseGroup *group) {
  if (group->anchor->kind != TCC_OP_ATTENTION) return;
  MlirOperation beside = tcc_attention_beside(graph->ir, group->anchor->op, TCC_OP_ATTENTION_LOGSUMEXP);
  FuseNode *sums = mlirOperationIsNull(beside) ? NULL : fuse_node_of(graph, beside);
  if (!sums || sums->groups.count || sums->init != group->init || !tcc_target_keeps(graph->target, graph->ir, beside)) return;
  fuse_group_join(graph, group, sums);
  const Window w = window_of(group);
  if (w.low >= w.high)
    truncate(graph, group, group->members.count - 1,
             "order: between the two something has to run that reads the one or makes what the other needs");
}

/* What joins the keys or the values of an attention, which somebody else reads as well: [B, G, T, D] along T, of two operands. */
static FuseNode *joined_operand(const FuseGraph *graph, const FuseGroup *group, intptr_t operand) {
  MlirValue value = mlirOperationGetOperand(group->anchor->op, operand);
  FuseNode *node = fuse_producer(graph, value);
  if (!node || node->kind != TCC_OP_CONCAT || node->groups.count || node->init != group->init ||
      mlirOperationGetNumOperands(node->op) != 2 || tcc_i64(graph->ir, node->op, "axis") != 2)
    return NULL;
  for (intptr_t i = 0; i < 2; i++)
    if (!keeps_last_axis(graph, mlirOperationGetOperand(node->op, i))) return NULL;
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use))
    if (!fuse_in_group(fuse_node_of(graph, mlirOpOperandGetOwner(use)), group)) return node;
  return NULL;
}

/* A step of a decoder reads each key and value once: it writes those that the next step will read while it has them. */
static void absorb_joins(FuseGraph *graph, FuseGroup *group) {
  if (group->anchor->kind != TCC_OP_ATTENTION || !tcc_target_joins(graph->target, graph->ir, group->anchor->op) ||
      !keeps_last_axis(graph, mlirOperationGetOperand(group->anchor->op, 0)))
    return;
  FuseNode *joins[] = {joined_operand(graph, group, 1), joined_operand(graph, group, 2)};
  if (!joins[0] || !joins[1] || joins[0] == joins[1]) return;
  const int64_t *perm;
  size_t n, count = group->members.count;
  for (size_t m = 0; m < count; m++) /* behind the attention: one that moves the result's last axis */
    if (group->members.data[m]->kind == TCC_OP_TRANSPOSE &&
        (!tcc_get_ints(graph->ir, group->members.data[m]->op, "perm", &perm, &n) || perm[n - 1] != (int64_t)n - 1))
      return;
  for (int i = 0; i < 2; i++) fuse_group_join(graph, group, joins[i]);
  Window w = window_of(group);
  if (w.low >= w.high)
    truncate(graph, group, count, "order: between the two something has to run that reads the one or makes what the other needs");
}

/* ---- reductions of the same rows ---- */
enum { MOST_SHARED = 16, MOST_BETWEEN = 6 /* elementwise ops between what is read and a reduction of it */, MOST_ASKED = 64 };

typedef struct {
  FuseGraph *graph;
  FuseGroup *group;
  MlirValue shared[MOST_SHARED]; /* of the rows' shape: what the group's reduction is made of */
  size_t nshared, asked;
  FuseNode *found[MAX_ROW_RESULTS];
  size_t nfound;
} Siblings;

/* Whether a value has an element for each of the rows. */
static bool is_of_rows(const Siblings *s, MlirValue value) {
  return tcc_type_same_shape(s->graph->ir, tcc_value_type(value), s->group->domain);
}

static void find_shared(Siblings *s, MlirValue value, int between) {
  if (!is_of_rows(s, value) || s->nshared == MOST_SHARED) return;
  for (size_t i = 0; i < s->nshared; i++)
    if (mlirValueEqual(s->shared[i], value)) return;
  s->shared[s->nshared++] = value;
  const FuseNode *node = fuse_producer(s->graph, value);
  if (!node || node->class != CLASS_ELEMENT || node->groups.count || between == MOST_BETWEEN) return;
  for (intptr_t i = 0; i < node->operands; i++) find_shared(s, mlirOperationGetOperand(node->op, i), between + 1);
}

static void find_readers(Siblings *s, MlirValue value, int between) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    FuseNode *user = fuse_node_of(s->graph, mlirOpOperandGetOwner(use));
    if (!user || user->groups.count || user->init != s->group->init || s->asked++ >= MOST_ASKED) continue;
    if (user->class == CLASS_ELEMENT && between < MOST_BETWEEN && is_of_rows(s, mlirOperationGetResult(user->op, 0)))
      find_readers(s, mlirOperationGetResult(user->op, 0), between + 1);
    if (user->kind != TCC_OP_REDUCE || !same_reduction_axes(s->graph->ir, s->group->anchor->op, user->op)) continue;
    bool known = s->nfound == MAX_ROW_RESULTS;
    for (size_t i = 0; i < s->nfound && !known; i++) known = s->found[i] == user;
    if (!known) s->found[s->nfound++] = user;
  }
}

/* Other reductions of the same rows that are made of what the group's is: one pass over it does all, as of the gradient of a norm the sums of g and of g * x. */
static void join_siblings(FuseGraph *graph, FuseGroup *group) {
  if (group->kind != TCC_KERNEL_ROW || group->anchor->kind != TCC_OP_REDUCE) return;
  Siblings s = {.graph = graph, .group = group};
  find_shared(&s, mlirOperationGetOperand(group->anchor->op, 0), 0);
  for (size_t i = 0; i < s.nshared; i++) find_readers(&s, s.shared[i], 0);
  for (size_t i = 0; i < s.nfound; i++) {
    fuse_group_join(graph, group, s.found[i]);
    const Window w = window_of(group);
    if (w.low >= w.high || w.results > MAX_ROW_RESULTS)
      truncate(graph, group, group->members.count - 1,
               "order: between the two something has to run that reads the one or makes what the other needs");
  }
}

static void grow(FuseGraph *graph, FuseGroup *group) {
  FuseNode *queue[MAX_MEMBERS * 2];
  join_siblings(graph, group);
  size_t queued = 0, next = 0, best = group->members.count;
  Window w = window_of(group), at_best = w;
  for (size_t m = 0; m < best; m++) queue_readers(graph, group, group->members.data[m], queue, &queued, MAX_MEMBERS * 2);
  while (next < queued && group->members.count < MAX_MEMBERS) {
    FuseNode *node = queue[next++];
    fuse_group_join(graph, group, node);
    w = window_of(group);
    if (w.low >= w.high || (group->kind == TCC_KERNEL_ROW && w.results > MAX_ROW_RESULTS)) {
      truncate(graph, group, group->members.count - 1,
               w.low >= w.high ? "order: between the two something has to run that reads the one or makes what the other needs"
                               : "results: a kernel would write too many tensors");
      continue;
    }
    if (group->kind == TCC_KERNEL_ROW || w.results <= 1) best = group->members.count, at_best = w;
    size_t kept = queued - next; /* readers queued so far stay sorted together with the new ones */
    memmove(queue, queue + next, kept * sizeof *queue);
    queued = kept, next = 0;
    queue_readers(graph, group, node, queue, &queued, MAX_MEMBERS * 2);
  }
  truncate(graph, group, best, "results: two values would leave the kernel, which writes one");
  leave_bytes(graph, group);
  absorb_transpose(graph, group);
  absorb_sums(graph, group);
  absorb_joins(graph, group);
  w = group->members.count == best ? at_best : window_of(group);
  double last = 0;
  for (size_t m = 0; m < group->members.count; m++)
    if (group->members.data[m]->position > last) last = group->members.data[m]->position;
  group->position = last < w.high ? last : (w.low + w.high) / 2;
  for (size_t m = 0; m < group->members.count; m++) group->members.data[m]->position = group->position;
}

static TccKernelKind kind_of_anchor(TccOpKind kind) {
  switch (kind) {
  case TCC_OP_REDUCE:
  case TCC_OP_ARG_REDUCE: return TCC_KERNEL_ROW;
  case TCC_OP_DOT_GENERAL: return TCC_KERNEL_CONTRACT;
  case TCC_OP_CONV:
  case TCC_OP_CONV_BLOCKED:
  case TCC_OP_CONV_TRANSPOSE: return TCC_KERNEL_CONV;
  case TCC_OP_POOL:
  case TCC_OP_POOL_INDEX: return TCC_KERNEL_POOL;
  case TCC_OP_ATTENTION:
  case TCC_OP_ATTENTION_LOGSUMEXP: return TCC_KERNEL_ATTENTION;
  case TCC_OP_SCATTER_ELEMENTS:
  case TCC_OP_SCATTER_ND: return TCC_KERNEL_SCATTER;
  case TCC_OP_CUMULATIVE: return TCC_KERNEL_SCAN;
  case TCC_OP_TRIANGULAR_SOLVE: return TCC_KERNEL_SOLVE;
  case TCC_OP_CONV_FILTER_GRAD: return TCC_KERNEL_FILTER_GRAD;
  case TCC_OP_LU:
  case TCC_OP_PIVOTS_TO_PERMUTATION:
  case TCC_OP_CHOLESKY:
  case TCC_OP_GEQRF:
  case TCC_OP_HOUSEHOLDER_PRODUCT:
  case TCC_OP_EIGH:
  case TCC_OP_SVD: return TCC_KERNEL_FACTOR;
  case TCC_OP_FFT:
  case TCC_OP_IRFFT: return TCC_KERNEL_FFT;
  default: return TCC_KERNEL_BUILTIN;
  }
}

static void start_anchor(FuseGraph *graph, FuseNode *node) {
  TccKernelKind kind = kind_of_anchor(node->kind);
  MlirValue shape = kind == TCC_KERNEL_ROW ? mlirOperationGetOperand(node->op, 0) : mlirOperationGetResult(node->op, 0);
  FuseGroup *group = fuse_group_add(graph, kind, node, tcc_value_type(shape));
  group->anchor = node;
  if (tcc_kernel_takes_readers(kind)) grow(graph, group);
  fuse_budget_start(graph, group);
}

static MlirLogicalResult grow_anchors(FuseGraph *graph) {
  for (size_t i = 0; i < graph->count; i++) {
    FuseNode *node = &graph->nodes[i];
    if (node->class != CLASS_ANCHOR || node->groups.count) continue;
    if (mlirLogicalResultIsFailure(tcc_limit_check(graph->ir, node->op))) return mlirLogicalResultFailure();
    if (node->kind == TCC_OP_ATTENTION_LOGSUMEXP) { /* the attention takes it, also where it follows */
      MlirOperation attention = tcc_attention_beside(graph->ir, node->op, TCC_OP_ATTENTION);
      FuseNode *other = mlirOperationIsNull(attention) ? NULL : fuse_node_of(graph, attention);
      if (other && !other->groups.count) start_anchor(graph, other);
    }
    if (!node->groups.count) start_anchor(graph, node);
  }
  return mlirLogicalResultSuccess();
}

/* ---- phase 2 ---- */

static bool is_strided_view(const FuseGraph *graph, const FuseNode *node) {
  if (node->class == CLASS_VIEW) return true;
  if (node->class != CLASS_RESHAPE) return false;
  return fuse_reshape_splits(graph->ir, tcc_value_type(mlirOperationGetOperand(node->op, 0)),
                             tcc_value_type(mlirOperationGetResult(node->op, 0)));
}

/* A reshape is worth having inside a kernel when an elementwise op behind it can be computed there, or when it only splits
 * the axes of a view; otherwise it stays outside, where it costs nothing. A weight is padded and transposed in one go. */
static bool reshape_may_enter(const FuseGraph *graph, const FuseNode *node) {
  MlirValue x = mlirOperationGetOperand(node->op, 0);
  const FuseNode *producer = node->producers[0];
  if (!producer || producer->groups.count) return false;
  MlirOpOperand use = mlirValueGetFirstUse(x);
  if (producer->class == CLASS_ELEMENT) return mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
  if (producer->kind == TCC_OP_PAD && producer->init) return mlirOpOperandIsNull(mlirOpOperandGetNextUse(use));
  return producer->class == CLASS_VIEW && is_strided_view(graph, node);
}

/* A conversion of floats of 16 bits to more: whoever reads half of the bytes converts them on the way. */
static bool is_widening(const FuseNode *node) {
  if (node->kind != TCC_OP_CONVERT) return false;
  TccElem from = tcc_value_elem(mlirOperationGetOperand(node->op, 0)), to = tcc_value_elem(mlirOperationGetResult(node->op, 0));
  return (from == TCC_ELEM_F16 || from == TCC_ELEM_BF16) && (to == TCC_ELEM_F32 || to == TCC_ELEM_F64);
}

/* Whether an epilogue of the group converts what it reads. */
static bool widens_in_epilogue(const FuseGroup *group, const FuseNode *user, const FuseNode *node) {
  return tcc_kernel_takes_readers(group->kind) && group->kind != TCC_KERNEL_MAP && group->kind != TCC_KERNEL_ROW &&
         user->class == CLASS_ELEMENT && is_widening(node);
}

/* Whether `node` picks the matrices of a product's batch from a table: the product reads each where it lies. */
static bool is_lookup(const FuseGraph *graph, const FuseGroup *group, const FuseNode *user, intptr_t operand,
                      const FuseNode *node) {
  const int64_t *batch;
  size_t n;
  int64_t entries;
  if (group->kind != TCC_KERNEL_CONTRACT || user->kind != TCC_OP_DOT_GENERAL || operand != 1 || node->kind != TCC_OP_GATHER ||
      tcc_i64(graph->ir, node->op, "axis") != 0 || tcc_valid(graph->ir, node->op) != TCC_VALID_ANY ||
      !tcc_get_ints(graph->ir, user->op, "rhs_batch", &batch, &n) || n != 1 || batch[0] != 0)
    return false;
  MlirType from = tcc_value_type(mlirOperationGetOperand(node->op, 1)), to = tcc_value_type(mlirOperationGetResult(node->op, 0));
  return tcc_type_rank(from) == 1 && !(tcc_expr_is_const(tcc_type_dim(graph->ir, to, 0), &entries) && entries == 1);
}

/* Whether a gather picks rows of a transpose of which few elements lie side by side in what it reads, and more of them than there are: as one copy all of
 * a row lie side by side. */
static bool picks_turned_rows(const FuseGraph *graph, const FuseNode *user, intptr_t operand, const FuseNode *node) {
  enum { SIDE_BY_SIDE = 32 };
  TccIr *ir = graph->ir;
  const int64_t *perm;
  size_t n;
  if (node->kind != TCC_OP_TRANSPOSE || user->kind != TCC_OP_GATHER || operand != 0) return false;
  if (!tcc_get_ints(ir, node->op, "perm", &perm, &n)) return false;
  MlirType type = tcc_value_type(mlirOperationGetResult(node->op, 0));
  size_t kept = n;
  int64_t elements = 1;
  for (; kept > 0 && elements < SIDE_BY_SIDE && perm[kept - 1] == (int64_t)kept - 1; kept--) {
    const int64_t size = tcc_ir_likely(ir, tcc_type_dim(ir, type, (int)kept - 1));
    elements = size < SIDE_BY_SIDE ? elements * size : SIDE_BY_SIDE;
  }
  if (elements >= SIDE_BY_SIDE || tcc_i64(ir, user->op, "axis") + 1 >= (int64_t)n) return false;
  MlirType picked = tcc_value_type(mlirOperationGetResult(user->op, 0));
  return tcc_ir_likely(ir, tcc_type_count(ir, picked)) > tcc_ir_likely(ir, tcc_type_count(ir, type));
}

/* Why `group` cannot compute `node` where `user`, one of its members, reads it; NULL if it can. out_views_only: only views may follow. */
static const char *why_stored(const FuseGraph *graph, const FuseGroup *group, const FuseNode *user, intptr_t operand,
                              const FuseNode *node, bool *out_views_only) {
  static const char again[] =
      "cost: its reader finds elements through computed indices or broadcasts them, and would compute them again";
  *out_views_only = true;
  if (group->members.count >= MAX_MEMBERS) return "size: its reader's kernel has as many ops as a kernel may have";
  bool converts;
  if (widens_in_epilogue(group, user, node) && !user->views_only) return NULL;
  if (!node->init && rescales_in_epilogue(graph, group, user, node, &converts) && !user->views_only) {
    *out_views_only = converts;
    return NULL;
  }
  if (node->init && !group->init && node->class != CLASS_VIEW)
    return "weights: what depends on weights alone is computed once, when the model is loaded";
  if (user->kind == TCC_OP_CONV_BLOCKED && operand == 0 && keeps_lanes(graph->ir, node, false))
    return crowds_cache(graph, user, node)
               ? "cost: pixels lie as far apart as few sets of the first cache, so that windows read a copy"
               : NULL;
  if (user->kind == TCC_OP_CONV_BLOCKED) return fuse_anchor_why(user->kind, TCC_KERNEL_MAP);
  if (user->class == CLASS_ANCHOR && !is_reduction(user->kind)) {
    bool operand_view = (group->kind == TCC_KERNEL_CONTRACT || group->kind == TCC_KERNEL_ATTENTION) && is_strided_view(graph, node);
    return operand_view || is_lookup(graph, group, user, operand, node)
               ? NULL
               : fuse_anchor_why(user->kind, node->class == CLASS_ELEMENT ? TCC_KERNEL_MAP : TCC_KERNEL_NONE);
  }
  if (group->kind == TCC_KERNEL_ATTENTION && user->kind == TCC_OP_CONCAT) /* see absorb_joins */
    return is_strided_view(graph, node) ? NULL : "kind: attention joins keys and values from parts that lie in memory";
  if (user->views_only)
    return is_strided_view(graph, node) ? NULL : "views: it is read through a view of an operand, behind which only views can be";
  if (group->kind != TCC_KERNEL_MAP && group->kind != TCC_KERNEL_ROW)
    return node->class == CLASS_VIEW
               ? NULL
               : "kind: what an epilogue reads beside its product lies in memory, or is a view of what does, or one of 16 bits, or, on blocks of channels and beside sums of bytes, "
                 "brought to a scale";
  *out_views_only = false;
  if (node->class == CLASS_RESHAPE)
    return reshape_may_enter(graph, node)
               ? NULL
               : "shape: a reshape stands between, which costs nothing there; behind it the reader has another shape than the kernel";
  if (picks_turned_rows(graph, user, operand, node))
    return "cost: its reader picks more elements of it than it has, which a copy has side by side";
  if (node->class == CLASS_VIEW) return NULL;
  if ((node->kind == TCC_OP_CONCAT || node->kind == TCC_OP_PAD) && group->kind != TCC_KERNEL_MAP)
    return "kind: concatenations and paddings are computed in maps alone";
  if (user->class == CLASS_INDEXED && user->kind != TCC_OP_CONCAT && operand == 0) return again;
  if (!fuse_is_expensive(node->kind)) return NULL;
  return tcc_type_count(graph->ir, tcc_value_type(mlirOperationGetResult(node->op, 0))) == tcc_type_count(graph->ir, group->domain)
             ? NULL
             : again;
}

/* Notes `why` for the readers of `node` that are in the group. */
static void note_readers(FuseGraph *graph, const FuseGroup *group, const FuseNode *node, const char *why) {
  for (size_t u = 0; graph->why && u < node->results[0].uses; u++)
    if (fuse_in_group(node->results[0].use[u].user, group))
      fuse_note(graph, mlirOperationGetResult(node->op, 0), node->results[0].use[u].user->op, why);
}

/* Whether node is a simple operation on one large operand and small ones, as a norm's difference from its mean: who computes it again reads the
 * large one in its place, and nobody writes it. */
static bool is_light(const FuseGraph *graph, const FuseNode *node) {
  enum { SMALL_PART = 8 };
  TccIr *ir = graph->ir;
  if (node->class != CLASS_ELEMENT || (node->kind != TCC_OP_ADD && node->kind != TCC_OP_SUB && node->kind != TCC_OP_MUL))
    return false;
  MlirType type = tcc_value_type(mlirOperationGetResult(node->op, 0));
  const int64_t elements = tcc_ir_likely(ir, tcc_type_count(ir, type));
  int large = 0;
  for (intptr_t i = 0; i < node->operands; i++) {
    MlirType from = tcc_value_type(mlirOperationGetOperand(node->op, i));
    if (tcc_type_elem(from) != tcc_type_elem(type)) return false;
    large += tcc_ir_likely(ir, tcc_type_count(ir, from)) > elements / SMALL_PART;
  }
  return large == 1;
}

static bool streams(const FuseGroup *group) { return group->kind == TCC_KERNEL_ROW || group->kind == TCC_KERNEL_MAP; }

static void place(FuseGraph *graph, FuseNode *node) {
  FuseGroup *wanted[MAX_MEMBERS];
  size_t nwanted = 0;
  bool views_only = false, stored = false, lookup = true; /* of each reader */
  for (size_t u = 0; u < node->results[0].uses; u++) {
    FuseNode *user = node->results[0].use[u].user;
    intptr_t operand = node->results[0].use[u].operand;
    if (!user->groups.count) stored = true;
    for (size_t g = 0; g < user->groups.count; g++) {
      FuseGroup *group = user->groups.data[g];
      bool only = false, known = false;
      const char *why = why_stored(graph, group, user, operand, node, &only);
      if (why || nwanted == MAX_MEMBERS) {
        fuse_note(graph, mlirOperationGetResult(node->op, 0), user->op, why ? why : "uses: too many kernels read it");
        stored = true;
        continue;
      }
      views_only |= only;
      lookup &= is_lookup(graph, group, user, operand, node);
      for (size_t i = 0; i < nwanted && !known; i++) known = wanted[i] == group;
      if (!known) wanted[nwanted++] = group;
    }
  }
  bool light = is_light(graph, node);
  for (size_t i = 0; i < nwanted; i++) light = light && streams(wanted[i]);
  bool copied = light || node->class == CLASS_VIEW || node->class == CLASS_RESHAPE || is_widening(node) ||
                is_dequantized(graph, node) || lookup,
       joins = !stored && (nwanted == 1 || copied);
  const char *exceeds = NULL;
  for (size_t i = 0; joins && i < nwanted && !exceeds; i++) exceeds = fuse_budget_take(graph, wanted[i], node);
  if (joins && nwanted && !exceeds) {
    node->views_only = views_only;
    for (size_t i = 0; i < nwanted; i++) fuse_group_join(graph, wanted[i], node);
    if (nwanted == 1) node->position = wanted[0]->position;
    return;
  }
  if (node->class == CLASS_RESHAPE) return; /* stays outside as an alias */
  for (size_t i = 0; i < nwanted; i++)
    note_readers(graph, wanted[i], node,
                 exceeds       ? exceeds
                 : nwanted > 1 ? "uses: several kernels read it, each would compute it again"
                               : "uses: it is stored for another reader, so this one reads it there");
  FuseGroup *writer = fuse_writer(graph, node, wanted, nwanted);
  if (writer) {
    fuse_group_join(graph, writer, node);
    node->position = writer->position;
    return;
  }
  FuseGroup *own = fuse_group_add(graph, TCC_KERNEL_MAP, node, tcc_value_type(mlirOperationGetResult(node->op, 0)));
  own->position = node->position;
  fuse_budget_start(graph, own);
}

static bool leaves_cheap(const FuseNode *node) {
  for (size_t u = 0; u < node->results[0].uses; u++) {
    const FuseNode *user = node->results[0].use[u].user;
    if (!user->groups.count) return true;
    if (user->class == CLASS_ANCHOR && !is_reduction(user->kind)) return true;
  }
  return false;
}

static MlirLogicalResult pull_producers(FuseGraph *graph) {
  for (size_t i = graph->count; i-- > 0;) {
    FuseNode *node = &graph->nodes[i];
    if (node->groups.count) continue;
    if (mlirLogicalResultIsFailure(tcc_limit_check(graph->ir, node->op))) return mlirLogicalResultFailure();
    if (node->class >= CLASS_RESHAPE && node->class < CLASS_ANCHOR) place(graph, node);
    /* iota and sizes that a kernel reads as a buffer need a kernel that writes it; constants lie in the artifact. */
    if (node->class == CLASS_CHEAP && node->kind != TCC_OP_CONSTANT && node->kind != TCC_OP_NONE && leaves_cheap(node)) {
      FuseGroup *own = fuse_group_add(graph, TCC_KERNEL_MAP, node, tcc_value_type(mlirOperationGetResult(node->op, 0)));
      own->position = node->position;
    }
  }
  return mlirLogicalResultSuccess();
}

/* Names of the functions that loops run; for reasons only. */
static TccMap *find_loop_bodies(TccPassRun *run, MlirOperation module) {
  TccMap *bodies = tcc_map_create(run->scratch);
  TCC_EACH_FUNCTION (func, module) {
    TCC_EACH_OP (op, tcc_func_body(func)) {
      TccLoopCall loop;
      MlirAttribute callee = tcc_attribute(op, "callee");
      if (mlirAttributeIsNull(callee) || !tcc_call_loop(run->ir, op, &loop)) continue;
      MlirStringRef name = mlirFlatSymbolRefAttrGetValue(callee);
      tcc_map_put(bodies, (TccStr){name.data, name.length}, NULL);
    }
  }
  return bodies;
}

/* Whether all that read a constant are scatters into it, whose kernels have its number (fuse_is_filled). */
static bool is_only_filled(TccIr *ir, MlirValue value) {
  for (MlirOpOperand use = mlirValueGetFirstUse(value); !mlirOpOperandIsNull(use); use = mlirOpOperandGetNextUse(use)) {
    TccOpKind kind = tcc_op_kind(ir, mlirOpOperandGetOwner(use));
    if ((kind != TCC_OP_SCATTER_ELEMENTS && kind != TCC_OP_SCATTER_ND) || mlirOpOperandGetOperandNumber(use) != 0) return false;
  }
  return true;
}

/* A constant of many equal elements is a number that each reader has at every index, and one that has to lie in memory is written there when the
 * model is loaded: nowhere is there room for 2^34 of them, and an artifact has better use for some 100 KB. */
static void spread_splats(TccIr *ir, MlirBlock block) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (tcc_op_kind(ir, op) != TCC_OP_CONSTANT) continue;
    MlirValue value = mlirOperationGetResult(op, 0);
    MlirType type = tcc_value_type(value);
    int64_t elements;
    if (!tcc_expr_is_const(tcc_type_count(ir, type), &elements) || elements <= MOST_STORED) continue;
    const void *splat = tcc_constant_splat(ir, value);
    const TccExpr *dims[TCC_MAX_RANK];
    if (!splat || is_only_filled(ir, value)) continue;
    for (int axis = 0; axis < tcc_type_rank(type); axis++) dims[axis] = tcc_type_dim(ir, type, axis);
    TccBuilder b = {.ir = ir, .block = block, .before = op, .location = mlirOperationGetLocation(op)};
    MlirValue one = tcc_build_constant(&b, tcc_type_elem(type), 0, NULL, splat);
    tcc_replace_uses(value, tcc_build_broadcast(&b, one, tcc_type_rank(type), dims));
    tcc_erase(op);
  }
}

/* Kernels are made: what reads a barrier reads what the barrier does. */
static void drop_barriers(TccIr *ir, MlirBlock block) {
  MlirOperation next;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationIsNull(op); op = next) {
    next = mlirOperationGetNextInBlock(op);
    if (tcc_op_kind(ir, op) != TCC_OP_BARRIER) continue;
    tcc_replace_uses(mlirOperationGetResult(op, 0), mlirOperationGetOperand(op, 0));
    tcc_erase(op);
  }
}

/* The body of a function that has one and is no kernel; null for others. */
static MlirBlock body_to_fuse(TccIr *ir, MlirOperation func) {
  const MlirBlock none = {NULL};
  if (!tcc_str_is(tcc_str(mlirIdentifierStr(mlirOperationGetName(func)).data), "func.func")) return none;
  if (mlirOperationGetNumRegions(func) == 0 || mlirBlockIsNull(mlirRegionGetFirstBlock(mlirOperationGetRegion(func, 0))))
    return none;
  if (tcc_kernel_kind(ir, func)) return none;
  return tcc_func_body(func);
}

MlirLogicalResult tcc_pass_fuse(TccPassRun *run, MlirOperation module) {
  MlirBlock body = mlirRegionGetFirstBlock(mlirOperationGetRegion(module, 0));
  TCC_EACH_OP (func, body)
    if (!mlirBlockIsNull(body_to_fuse(run->ir, func))) spread_splats(run->ir, body_to_fuse(run->ir, func));
  TccInit *init = tcc_init_analyse(run->ir, module, run->scratch);
  FuseKernels kernels = {.names = tcc_map_create(run->scratch)};
  TccMap *bodies = run->explain ? find_loop_bodies(run, module) : NULL;
  MlirOperation next;
  for (MlirOperation func = mlirBlockGetFirstOperation(body); !mlirOperationIsNull(func); func = next) {
    next = mlirOperationGetNextInBlock(func);
    MlirBlock block = body_to_fuse(run->ir, func);
    if (mlirBlockIsNull(block)) continue;
    FuseGraph graph;
    fuse_graph_build(&graph, run->ir, run->target, run->scratch, block, init);
    if (run->explain) graph.why = tcc_map_create(run->scratch);
    MlirStringRef name = mlirStringAttrGetValue(tcc_attribute(func, "sym_name"));
    graph.main = mlirStringRefEqual(name, mlirStringRefCreateFromCString("main"));
    graph.numerics = tcc_numerics(module);
    graph.loop = bodies && tcc_map_find(bodies, (TccStr){name.data, name.length});
    if (mlirLogicalResultIsFailure(grow_anchors(&graph)) || mlirLogicalResultIsFailure(pull_producers(&graph)))
      return mlirLogicalResultFailure();
    if (mlirLogicalResultIsFailure(fuse_outline(&graph, body, func, &kernels))) return mlirLogicalResultFailure();
    drop_barriers(run->ir, block);
  }
  return mlirLogicalResultSuccess();
}

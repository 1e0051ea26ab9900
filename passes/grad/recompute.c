/* recompute.c - which values of a forward function its backward computes again instead of keeping them: a minimum cut.
 *
 * A value that the backward needs is either kept, which costs its bytes, written and read, times what a byte is said to be worth, or made
 * again, which costs the work of its op and needs the op's operands. Both kinds of cost are in bytes of memory traffic; FLOPS_PER_BYTE
 * turns arithmetic into them. The cheapest choice for all values together is a minimum cut (project selection: Rhys, Balinski, 1970;
 * Jain et al., Checkmate, 2020, have the same costs as an integer programme):
 *
 *   source -- work of the op --> op -- bytes of a result --> result --> ops that read it, without limit
 *                                                            result --> sink, without limit, if the backward reads it
 *
 * An op on the sink's side is computed again, a result is kept whose op is on the source's side and itself is not. Where two choices cost
 * the same, the one that keeps less is taken: the source's side is what can be reached in the residual network, the smallest there is. */
#include "passes/grad/grad.h"
#include <assert.h>
#include <math.h>
#include <string.h>

enum { FLOPS_PER_BYTE = 16 }; /* of a core or a multiprocessor with its part of the memory's bandwidth, as a magnitude */

typedef struct {
  size_t to;
  double left; /* capacity that is not used */
  size_t next; /* edge of the same node; edges lie in pairs, e ^ 1 is the other direction */
} Edge;

enum { SOURCE, SINK, FIRST, NO_EDGE = 0 }; /* edges 0 and 1 are no edges */
typedef struct {
  Grad *grad;
  TCC_VEC(Edge) edges;
  TCC_VEC(size_t) first;     /* edge of each node */
  TccPointerMap values, ops; /* node of a value, of an op, as a pointer */
} Cut;

/* ---- the network ---- */
static size_t add_node(Cut *c) {
  TCC_VEC_PUSH(c->grad->scratch, &c->first, NO_EDGE);
  return c->first.count - 1;
}

static void add_edge(Cut *c, size_t from, size_t to, double capacity) {
  Edge there = {to, capacity, c->first.data[from]}, back = {from, 0, c->first.data[to]};
  c->first.data[from] = c->edges.count;
  TCC_VEC_PUSH(c->grad->scratch, &c->edges, there);
  c->first.data[to] = c->edges.count;
  TCC_VEC_PUSH(c->grad->scratch, &c->edges, back);
}

/* Breadth first from the source over what has capacity left: how far each node is, from 1 on; 0: it is not reached. */
static bool find_levels(const Cut *c, size_t *level, size_t *queue) {
  size_t head = 0, tail = 0;
  memset(level, 0, c->first.count * sizeof *level);
  level[SOURCE] = 1;
  for (queue[tail++] = SOURCE; head < tail; head++)
    for (size_t e = c->first.data[queue[head]]; e != NO_EDGE; e = c->edges.data[e].next) {
      size_t to = c->edges.data[e].to;
      if (level[to] || c->edges.data[e].left <= 0) continue;
      level[to] = level[queue[head]] + 1;
      queue[tail++] = to;
    }
  return level[SINK] != 0;
}

/* Sends what a path of `n` edges has left, and returns how many of them lie in front of the first that is full now. */
static size_t send(Cut *c, const size_t *path, size_t n) {
  size_t full = 0;
  for (size_t i = 1; i < n; i++)
    if (c->edges.data[path[i]].left < c->edges.data[path[full]].left) full = i;
  double least = c->edges.data[path[full]].left;
  assert(isfinite(least)); /* each op can be made again or its results kept */
  for (size_t i = 0; i < n; i++) {
    c->edges.data[path[i]].left -= least;
    c->edges.data[path[i] ^ 1].left += least;
  }
  return full;
}

/* Fills all shortest paths. next: of each node, the edge from which on one may still lead on; path: room for all nodes. */
static void fill_paths(Cut *c, size_t *level, size_t *next, size_t *path) {
  size_t n = 0;
  memcpy(next, c->first.data, c->first.count * sizeof *next);
  for (;;) {
    size_t at = n ? c->edges.data[path[n - 1]].to : SOURCE;
    if (at == SINK) {
      n = send(c, path, n);
      continue;
    }
    while (next[at] != NO_EDGE && (c->edges.data[next[at]].left <= 0 || level[c->edges.data[next[at]].to] != level[at] + 1))
      next[at] = c->edges.data[next[at]].next;
    if (next[at] != NO_EDGE) {
      path[n++] = next[at];
      continue;
    }
    if (!n) return;
    level[at] = 0; /* leads nowhere */
    n--;
  }
}

/* Dinic, 1970: graphs have 10^5 ops, and shortest paths of one length are many. Returns the levels of what is reached in the end. */
static size_t *saturate(Cut *c) {
  TccArena *arena = c->grad->scratch;
  size_t n = c->first.count, *level = TCC_NEW_ARRAY(arena, size_t, n), *next = TCC_NEW_ARRAY(arena, size_t, n),
         *path = TCC_NEW_ARRAY(arena, size_t, n);
  while (find_levels(c, level, path)) fill_paths(c, level, next, path);
  return level;
}

/* ---- costs, in bytes of memory traffic ---- */
static double dim(TccIr *ir, MlirValue value, int axis) {
  int rank = tcc_type_rank(tcc_value_type(value));
  return axis + rank >= 0 && axis < rank
             ? (double)tcc_ir_likely(ir, tcc_type_dim(ir, tcc_value_type(value), axis < 0 ? axis + rank : axis))
             : 1;
}

static double elements(TccIr *ir, MlirValue value) {
  double n = 1;
  for (int axis = 0; axis < tcc_type_rank(tcc_value_type(value)); axis++) n *= dim(ir, value, axis);
  return n;
}

double grad_bytes(TccIr *ir, MlirValue value) {
  return tcc_type_rank(tcc_value_type(value)) < 0 ? 0 : elements(ir, value) * tcc_elem_bits(tcc_value_elem(value)) / 8;
}

bool grad_is_free(TccOpKind kind) {
  return kind == TCC_OP_NONE || kind == TCC_OP_CONSTANT || kind == TCC_OP_WEIGHT || kind == TCC_OP_SIZES;
}

/* Whether it makes fewer bits of what it reads, as products of mixed precision do: these read it in memory. */
static bool is_narrowing(TccOpKind kind, MlirOperation op) {
  return kind == TCC_OP_CONVERT && tcc_elem_bits(tcc_value_elem(mlirOperationGetResult(op, 0))) <
                                       tcc_elem_bits(tcc_value_elem(mlirOperationGetOperand(op, 0)));
}

/* An elementwise op is computed where it is read: no traffic. Trait T: as long as storing and loading f32, or a little less. */
double grad_work(TccIr *ir, TccOpKind kind, MlirOperation op) {
  if (!tcc_op_has_trait(kind, 'P') && !grad_is_free(kind)) return INFINITY;
  if (tcc_op_has_trait(kind, 'V') || !mlirOperationGetNumOperands(op)) return 0;
  double most = 0, traffic = 0, count = elements(ir, mlirOperationGetResult(op, 0));
  if (tcc_op_has_trait(kind, 'E') && !is_narrowing(kind, op))
    return count * (tcc_op_has_trait(kind, 'T') ? 96 : tcc_op_has_trait(kind, 'S') ? 16 : 1) / FLOPS_PER_BYTE;
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (tcc_type_rank(tcc_value_type(operand)) >= 0) most = fmax(most, elements(ir, operand));
    traffic += grad_bytes(ir, operand);
  }
  for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++) traffic += grad_bytes(ir, mlirOperationGetResult(op, j));
  double flops = tcc_op_has_trait(kind, 'N') && tcc_op_flops(ir, op) ? (double)tcc_ir_likely(ir, tcc_op_flops(ir, op))
                                                                     : 16 * fmax(most, count);
  return traffic + flops / FLOPS_PER_BYTE;
}

/* ---- of a function ---- */
static size_t value_node(Cut *c, MlirValue value) { return (size_t)(uintptr_t)tcc_pointer_map_get(&c->values, value.ptr); }

static void add_value(Cut *c, MlirValue value, size_t from, double price) {
  size_t node = add_node(c);
  double cost = price > 0 ? 2 * grad_bytes(c->grad->ir, value) * price : 0;
  tcc_pointer_map_set(&c->values, value.ptr, (void *)(uintptr_t)node);
  add_edge(c, from, node, cost);
}

static void add_op(Cut *c, MlirOperation op, bool late) {
  TccIr *ir = c->grad->ir;
  TccOpKind kind = tcc_op_kind(ir, op);
  bool made_anyway = grad_is_free(kind);
  double price = made_anyway ? 1 : late ? 0 : c->grad->keep_price;
  size_t node = add_node(c);
  tcc_pointer_map_set(&c->ops, op.ptr, (void *)(uintptr_t)node);
  add_edge(c, SOURCE, node, made_anyway ? 0 : grad_work(ir, kind, op));
  for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) {
    size_t operand = value_node(c, mlirOperationGetOperand(op, i));
    if (operand) add_edge(c, operand, node, INFINITY);
  }
  for (intptr_t j = 0; j < mlirOperationGetNumResults(op); j++) add_value(c, mlirOperationGetResult(op, j), node, price);
}

static void need(Cut *c, MlirValue value) {
  size_t node = value.ptr ? value_node(c, value) : 0;
  if (node) add_edge(c, node, SINK, INFINITY);
}

void grad_recompute(Grad *g, const GradCut *cut, TccPointerMap *out) {
  MlirBlock block = cut->block;
  Cut c = {.grad = g, .values.arena = g->scratch, .ops.arena = g->scratch};
  Edge none = {0};
  for (int i = 0; i < FIRST; i++) {
    add_node(&c);
    TCC_VEC_PUSH(g->scratch, &c.edges, none);
  }
  out->arena = g->scratch;
  for (intptr_t i = 0; i < cut->narguments; i++)
    add_value(&c, mlirBlockGetArgument(block, i), SOURCE, cut->alive[i] ? 0 : g->keep_price);
  MlirOperation op = mlirBlockGetFirstOperation(block), end = mlirBlockGetTerminator(block);
  for (; !mlirOperationEqual(op, cut->marker); op = mlirOperationGetNextInBlock(op))
    add_op(&c, op, cut->late && tcc_pointer_map_get(cut->late, op.ptr));
  for (op = mlirOperationGetNextInBlock(op); !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op))
    for (intptr_t i = 0; i < mlirOperationGetNumOperands(op); i++) need(&c, mlirOperationGetOperand(op, i));
  for (size_t i = 0; i < cut->ngradients; i++) need(&c, cut->gradients[i]);
  const size_t *level = saturate(&c);
  for (op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, cut->marker); op = mlirOperationGetNextInBlock(op)) {
    size_t node = (size_t)(uintptr_t)tcc_pointer_map_get(&c.ops, op.ptr);
    if (!level[node]) tcc_pointer_map_set(out, op.ptr, op.ptr);
  }
  if (g->run->explain) grad_note_saved(g, cut, out);
}

void grad_order_again(Grad *g, const TccPointerMap *again, TccPointerMap *listed, MlirValue value, GradOps *out) {
  typedef struct {
    MlirOperation op;
    intptr_t next; /* operand */
  } Visit;
  TCC_VEC(Visit) stack = {0};
  Visit first = {tcc_value_op(value), 0};
  if (mlirOperationIsNull(first.op) || !tcc_pointer_map_get(again, first.op.ptr) || tcc_pointer_map_get(listed, first.op.ptr))
    return;
  TCC_VEC_PUSH(g->scratch, &stack, first);
  tcc_pointer_map_set(listed, first.op.ptr, first.op.ptr);
  while (stack.count) {
    Visit *top = &stack.data[stack.count - 1];
    if (top->next == mlirOperationGetNumOperands(top->op)) {
      TCC_VEC_PUSH(g->scratch, out, top->op);
      stack.count--;
      continue;
    }
    Visit below = {tcc_value_op(mlirOperationGetOperand(top->op, top->next++)), 0};
    if (mlirOperationIsNull(below.op) || !tcc_pointer_map_get(again, below.op.ptr) || tcc_pointer_map_get(listed, below.op.ptr))
      continue;
    TCC_VEC_PUSH(g->scratch, &stack, below);
    tcc_pointer_map_set(listed, below.op.ptr, below.op.ptr);
  }
}

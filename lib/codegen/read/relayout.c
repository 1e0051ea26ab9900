/* relayout.c - see relayout.h.
 *
 * Pulling (pull.h) gives the source's index as an affine function of the result's, under bounds where something was padded.
 * Dims of size one go, neighbours that both sides walk evenly become one; what is left are the loops of the builtin. */
#include "lib/codegen/read/relayout.h"
#include "lib/codegen/read/pull.h"
#include "tcc/op_kinds.h"

enum { BLOCK_ROWS = 64, BLOCK_COLUMNS = 256, ROWS_ALONG = 8, BLOCK_ALONG = 16384, TILE_ELEMENTS = 32768 };

typedef struct {
  int64_t offset, low, high, step[TCC_RELAYOUT_DIMS];
} Bound;
typedef struct {
  int ndims, nbounds;
  int64_t offset, size[TCC_RELAYOUT_DIMS], step[TCC_RELAYOUT_DIMS];
  Bound bound[TCC_RELAYOUT_BOUNDS];
} Walk;

static bool add_bound(const TccPull *p, const TccPullBound *from, Walk *w) {
  int64_t least, most;
  Bound b;
  if (!tcc_pull_known_index(p, &from->index, &b.offset, b.step)) return false;
  least = most = b.offset;
  for (int d = 0; d < w->ndims; d++) *(b.step[d] < 0 ? &least : &most) += b.step[d] * (w->size[d] - 1);
  b.low = least, b.high = most + 1;
  if (from->low && !tcc_expr_is_const(from->low, &b.low)) return false;
  if (from->high && !tcc_expr_is_const(from->high, &b.high)) return false;
  if (b.low <= least && most < b.high) return true; /* holds everywhere */
  if (w->nbounds == TCC_RELAYOUT_BOUNDS) return false;
  w->bound[w->nbounds++] = b;
  return true;
}

static bool read_walk(const TccPull *p, const TccPullNode *node, TccElem elem, Walk *w) {
  if (p->ndims > TCC_RELAYOUT_DIMS) return false;
  w->ndims = p->ndims;
  for (int d = 0; d < p->ndims; d++)
    if (!tcc_expr_is_const(p->dim[d], &w->size[d]) || w->size[d] < 1) return false;
  while (node->kind == TCC_PULL_GUARD) {
    if (!tcc_pull_is_zero(node->child[1])) return false;
    for (int i = 0; i < node->nbounds; i++)
      if (!add_bound(p, &node->bound[i], w)) return false;
    node = node->child[0];
  }
  return node->kind == TCC_PULL_LOAD && node->argument == 0 && node->elem == elem &&
         tcc_pull_known_index(p, &node->index, &w->offset, w->step);
}

static void remove_dim(Walk *w, int d) {
  size_t behind = (size_t)(w->ndims - d - 1);
  memmove(w->size + d, w->size + d + 1, behind * sizeof *w->size);
  memmove(w->step + d, w->step + d + 1, behind * sizeof *w->step);
  for (int i = 0; i < w->nbounds; i++) memmove(w->bound[i].step + d, w->bound[i].step + d + 1, behind * sizeof *w->bound[i].step);
  w->ndims--;
}

static bool walks_evenly(const Walk *w, int d) {
  bool even = w->step[d] == w->step[d + 1] * w->size[d + 1];
  for (int i = 0; i < w->nbounds; i++) even = even && w->bound[i].step[d] == w->bound[i].step[d + 1] * w->size[d + 1];
  return even;
}

static void join_dims(Walk *w) {
  for (int d = w->ndims; d-- > 0;)
    if (w->size[d] == 1) remove_dim(w, d);
  for (int d = w->ndims - 1; d-- > 0;) {
    if (!walks_evenly(w, d)) continue;
    w->size[d + 1] *= w->size[d];
    remove_dim(w, d);
  }
  if (w->ndims == 0) w->size[w->ndims] = 1, w->step[w->ndims++] = 1;
}

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

static void write_sizes(const Walk *w, TccElem elem, TccRelayout *out) {
  int last = w->ndims - 1, run = last - 1;
  bool along = w->step[last] == 1; /* rows are copied whole, whatever separates them */
  for (int d = 0; d < last && !along; d++)
    if (w->step[d] == 1) run = d;
  int64_t *at = out->sizes, columns = least(w->size[last], along ? BLOCK_ALONG : BLOCK_COLUMNS), rows = 1;
  if (run >= 0) rows = least(w->size[run], along ? least(ROWS_ALONG, tcc_ceil_div(BLOCK_ALONG, columns)) : BLOCK_ROWS);
  int64_t blocks = tcc_ceil_div(w->size[last], columns), per = tcc_ceil_div(TILE_ELEMENTS, rows * columns);
  for (int d = 0; d < last; d++) blocks *= d == run ? tcc_ceil_div(w->size[d], rows) : w->size[d];
  at[TCC_RELAYOUT_BYTES] = tcc_elem_bits(elem) / 8;
  at[TCC_RELAYOUT_NDIMS] = w->ndims;
  at[TCC_RELAYOUT_NBOUNDS] = w->nbounds;
  at[TCC_RELAYOUT_OFFSET] = w->offset;
  at[TCC_RELAYOUT_RUN] = run;
  at[TCC_RELAYOUT_ROWS] = rows;
  at[TCC_RELAYOUT_COLUMNS] = columns;
  at[TCC_RELAYOUT_BLOCKS] = per;
  at += TCC_RELAYOUT_HEAD;
  for (int d = 0; d < w->ndims; d++) *at++ = w->size[d], *at++ = w->step[d];
  for (int i = 0; i < w->nbounds; i++) {
    const Bound *b = &w->bound[i];
    *at++ = b->offset, *at++ = b->low, *at++ = b->high;
    for (int d = 0; d < w->ndims; d++) *at++ = b->step[d];
  }
  out->nsizes = (size_t)(at - out->sizes);
  out->tiles = tcc_ceil_div(blocks, per);
}

bool tcc_relayout_read(TccIr *ir, MlirOperation kernel, TccRelayout *out) {
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  if (mlirBlockGetNumArguments(block) != 1 || mlirOperationGetNumOperands(end) != 1) return false;
  MlirValue result = mlirOperationGetOperand(end, 0);
  MlirType type = tcc_value_type(result);
  TccElem elem = tcc_type_elem(type);
  if (!tcc_type_is_static(type) || tcc_elem_bits(elem) % 8 || tcc_elem_bits(elem) > 64) return false;
  for (MlirOperation op = mlirBlockGetFirstOperation(block); !mlirOperationEqual(op, end); op = mlirOperationGetNextInBlock(op)) {
    switch (tcc_op_kind(ir, op)) {
    case TCC_OP_RESHAPE:
    case TCC_OP_TRANSPOSE:
    case TCC_OP_SLICE:
    case TCC_OP_UNFOLD:
    case TCC_OP_BROADCAST:
    case TCC_OP_PAD:
    case TCC_OP_CONSTANT:
    case TCC_OP_NONE: break;
    default: return false;
    }
  }
  TccPull *p = TCC_NEW(ir->arena, TccPull);
  TccPullIndex store;
  TccPullNode *root = tcc_pull_result(p, ir, kernel, result, &store);
  tcc_status_destroy(p->status); /* a kernel that does not pull is not one of these */
  Walk w = {0};
  if (!root || !read_walk(p, root, elem, &w)) return false;
  join_dims(&w);
  write_sizes(&w, elem, out);
  return true;
}

bool tcc_relayout_makes_panels(TccIr *ir, MlirOperation kernel, int64_t *outputs) {
  enum { P, B, H, W, L, V, RANK };
  MlirBlock block = tcc_func_body(kernel);
  MlirOperation end = mlirBlockGetTerminator(block);
  if (mlirBlockGetNumArguments(block) != 1 || mlirOperationGetNumOperands(end) != 1) return false;
  MlirType from = tcc_value_type(mlirBlockGetArgument(block, 0)), to = tcc_value_type(mlirOperationGetOperand(end, 0));
  if (tcc_type_rank(to) != RANK || !tcc_type_is_static(to) || !tcc_type_is_static(from)) return false;
  Walk w = {.ndims = RANK};
  int64_t all = 1, size;
  for (int i = 0; i < RANK; i++) tcc_expr_is_const(tcc_type_dim(ir, to, i), &w.size[i]);
  for (int i = 0; i < tcc_type_rank(from); i++) all *= tcc_expr_is_const(tcc_type_dim(ir, from, i), &size) ? size : 0;
  int64_t taps = w.size[H] * w.size[W], output = w.size[B] * w.size[L] * taps, most = w.size[P] * w.size[V];
  if (output < 1 || all % output || all / output < 1 || all / output > most) return false;
  *outputs = all / output;
  const int64_t step[RANK] = {w.size[V] * output, w.size[L] * taps, w.size[W], 1, taps, output};
  memcpy(w.step, step, sizeof step);
  if (*outputs < most) w.bound[w.nbounds++] = (Bound){.high = *outputs, .step = {[P] = w.size[V], [V] = 1}};
  TccRelayout wanted, have;
  join_dims(&w);
  write_sizes(&w, tcc_type_elem(to), &wanted);
  return tcc_relayout_read(ir, kernel, &have) && have.nsizes == wanted.nsizes &&
         !memcmp(have.sizes, wanted.sizes, sizeof *have.sizes * have.nsizes);
}

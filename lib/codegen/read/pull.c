/* pull.c - from values and indices to nodes: index arithmetic, dims, elementwise ops. See pull.h; views are in pull_views.c. */
#include "lib/codegen/read/pull_internal.h"
#include "lib/ir/row_domain.h"
#include "tcc/op_kinds.h"

void tcc_pull_init(TccPull *p, TccIr *ir, MlirOperation kernel) {
  memset(p, 0, sizeof *p);
  p->ir = ir, p->arena = ir->arena, p->kernel = kernel, p->split = -1;
  p->memo = tcc_map_create(p->arena);
}

void *pull_fail(TccPull *p, const char *format, ...) {
  if (p->status) return NULL;
  TccText text = {0};
  va_list args;
  va_start(args, format);
  tcc_text_vprintf(&text, format, args);
  va_end(args);
  p->status = TCC_ERROR(TCC_UNSUPPORTED, "%s", text.data);
  tcc_text_destroy(&text);
  return NULL;
}

/* ---- indices ---- */

TccPullIndex tcc_pull_constant(TccPull *p, const TccExpr *value) {
  (void)p;
  return (TccPullIndex){.offset = value};
}

/* Index of one axis that is dim d. */
static TccPullIndex dim_index(TccPull *p, int d) {
  if (p->dim[d] == number(p, 1)) return tcc_pull_constant(p, number(p, 0));
  TccPullIndex index = {.offset = number(p, 0)};
  index.coef[d] = number(p, 1);
  return index;
}

bool tcc_pull_is_constant(const TccPull *p, const TccPullIndex *a, const TccExpr **out) {
  for (int d = 0; d < p->ndims; d++)
    if (a->coef[d]) return false;
  *out = a->offset;
  return a->nterms == 0;
}

bool tcc_pull_lanes_share_index(const TccPullIndex *index, int lane_dim, const bool *shared) {
  if (lane_dim >= 0 && index->coef[lane_dim]) return false;
  for (int i = 0; i < index->nterms; i++)
    if (!shared[index->term[i].node->id]) return false;
  return true;
}

static bool lanes_share(const TccPullNode *node, int lane_dim, const bool *shared) {
  if (node->kind == TCC_PULL_REDUCED || node->kind == TCC_PULL_GUARD || tcc_elem_bits(node->elem) < 8) return false;
  if (node->kind == TCC_PULL_LOAD || node->kind == TCC_PULL_INDEX)
    return tcc_pull_lanes_share_index(&node->index, lane_dim, shared);
  for (int c = 0; c < node->nchildren; c++)
    if (node->child[c] && !shared[node->child[c]->id]) return false;
  return true;
}

void tcc_pull_lanes_share(const TccPull *p, int lane_dim, bool *shared) {
  for (size_t i = 0; i < p->nodes.count; i++) shared[i] = lanes_share(p->nodes.data[i], lane_dim, shared);
}

TccPullNode *pull_new_node(TccPull *p, TccPullKind kind, TccElem elem) {
  TccPullNode *node = TCC_NEW(p->arena, TccPullNode);
  node->kind = kind;
  node->elem = elem;
  node->id = (int)p->nodes.count;
  TCC_VEC_PUSH(p->arena, &p->nodes, node);
  return node;
}

TccPullNode *pull_index_node(TccPull *p, const TccPullIndex *index) {
  if (index->nterms == 1 && index->offset == number(p, 0) && index->term[0].scale == number(p, 1)) {
    bool plain = true;
    for (int d = 0; d < p->ndims; d++) plain &= !index->coef[d];
    if (plain) return index->term[0].node;
  }
  TccPullNode *node = pull_new_node(p, TCC_PULL_INDEX, TCC_ELEM_I64);
  node->index = *index;
  for (int d = 0; d < p->ndims; d++) p->indexed[d] |= index->coef[d] != NULL;
  return node;
}

TccPullIndex tcc_pull_add(TccPull *p, const TccPullIndex *a, const TccPullIndex *b) {
  TccPullIndex r = *a;
  r.offset = plus(p, a->offset, b->offset);
  for (int d = 0; d < p->ndims; d++) {
    if (!b->coef[d]) continue;
    r.coef[d] = a->coef[d] ? plus(p, a->coef[d], b->coef[d]) : b->coef[d];
    if (r.coef[d] == number(p, 0)) r.coef[d] = NULL;
  }
  for (int t = 0; t < b->nterms; t++) {
    int same = 0;
    while (same < r.nterms && r.term[same].node != b->term[t].node) same++;
    if (same < r.nterms) {
      r.term[same].scale = plus(p, r.term[same].scale, b->term[t].scale);
    } else if (r.nterms < TCC_PULL_TERMS) {
      r.term[r.nterms++] = b->term[t];
    } else { /* sum what there is into one computed value */
      TccPullNode *sum = pull_index_node(p, &r);
      r = (TccPullIndex){.offset = number(p, 0), .nterms = 1};
      r.term[0].node = sum, r.term[0].scale = number(p, 1);
      r.term[r.nterms++] = b->term[t];
    }
  }
  return r;
}

TccPullIndex tcc_pull_scale(TccPull *p, const TccPullIndex *a, const TccExpr *factor) {
  TccPullIndex r = *a;
  if (factor == number(p, 0)) return tcc_pull_constant(p, factor);
  r.offset = times(p, a->offset, factor);
  for (int d = 0; d < p->ndims; d++)
    if (a->coef[d]) r.coef[d] = times(p, a->coef[d], factor);
  for (int t = 0; t < a->nterms; t++) r.term[t].scale = times(p, a->term[t].scale, factor);
  return r;
}

TccPullIndex tcc_pull_flat(TccPull *p, MlirType type, const TccPullIndex *index) {
  TccPullIndex flat = tcc_pull_constant(p, number(p, 0));
  for (int axis = 0; axis < tcc_type_rank(type); axis++) {
    flat = tcc_pull_scale(p, &flat, tcc_type_dim(p->ir, type, axis));
    flat = tcc_pull_add(p, &flat, &index[axis]);
  }
  return flat;
}

void tcc_pull_dims_of(TccIr *ir, MlirType type, TccPullDims *out) {
  out->count = tcc_type_rank(type);
  for (int a = 0; a < out->count; a++) out->size[a] = tcc_type_dim(ir, type, a), out->axis[a] = a;
}

bool tcc_pull_resplit(TccPull *p, TccPullDims *dims) {
  int extra = p->nparts - 1, at = p->split;
  if (at < 0 || extra < 1 || dims->count + extra > TCC_PULL_DIMS) {
    pull_fail(p, "views that divide the result's axes in too many ways");
    return false;
  }
  size_t tail = (size_t)(dims->count - at - 1);
  memmove(dims->size + at + 1 + extra, dims->size + at + 1, sizeof *dims->size * tail);
  memmove(dims->axis + at + 1 + extra, dims->axis + at + 1, sizeof *dims->axis * tail);
  for (int i = 0; i <= extra; i++) dims->size[at + i] = p->part[i], dims->axis[at + i] = dims->axis[at];
  dims->count += extra;
  return true;
}

void tcc_pull_use_dims(TccPull *p, const TccPullDims *dims, int rank, TccPullIndex *out_index) {
  p->ndims = dims->count;
  memcpy(p->dim, dims->size, sizeof *dims->size * (size_t)dims->count);
  for (int a = 0; a < rank; a++) {
    out_index[a] = tcc_pull_constant(p, number(p, 0));
    for (int d = 0; d < dims->count; d++) {
      if (dims->axis[d] != a) continue;
      TccPullIndex dim = dim_index(p, d);
      out_index[a] = tcc_pull_scale(p, &out_index[a], p->dim[d]);
      out_index[a] = tcc_pull_add(p, &out_index[a], &dim);
    }
  }
}

TccPullIndex pull_computed(TccPull *p, TccPullNode *node) {
  TccPullIndex index = {.offset = number(p, 0), .nterms = 1};
  index.term[0].node = node, index.term[0].scale = number(p, 1);
  return index;
}

static bool reports(TccPullNode *node) {
  if (node->reports) return node->reports > 0;
  bool found = node->check != 0;
  for (int i = 0; i < node->nchildren && !found; i++) found = node->child[i] && reports(node->child[i]);
  for (int t = 0; t < node->index.nterms && !found; t++) found = reports(node->index.term[t].node);
  node->reports = found ? 1 : -1;
  return found;
}

TccPullIndex pull_only_place(TccPull *p, const TccPullIndex *asked) {
  TccPullIndex at = tcc_pull_constant(p, number(p, 0));
  for (int t = 0; t < asked->nterms; t++) {
    if (!reports(asked->term[t].node)) continue;
    at.term[at.nterms].node = asked->term[t].node;
    at.term[at.nterms++].scale = number(p, 0);
  }
  return at;
}

/* ---- ops ---- */

/* The value of a tensor without axes, which checks indices that were asked for: what it is loaded with reports them. */
static TccPullNode *checked(TccPull *p, const TccPullNode *value, const TccPullIndex *checks) {
  const bool computed = value->kind == TCC_PULL_OP && value->nchildren && value->child[0];
  TccPullNode *child = computed ? checked(p, value->child[0], checks) : NULL;
  if (computed ? !child : value->kind != TCC_PULL_LOAD)
    return computed ? NULL : pull_fail(p, "a checked index into a value without axes");
  TccPullNode *node = pull_new_node(p, value->kind, value->elem);
  const int id = node->id;
  *node = *value;
  node->id = id, node->reports = 0;
  if (computed) node->child[0] = child;
  else node->index = tcc_pull_add(p, &node->index, checks);
  return node;
}

/* An operand that has axes is asked for at `at`, the first of them with the checks of axes that it has not. */
static TccPullNode *pull_operand(TccPull *p, MlirOperation op, TccPullIndex *at, const TccPullIndex *checks) {
  const MlirValue operand = mlirOperationGetOperand(op, 0);
  const bool has_axes = tcc_type_rank(tcc_value_type(operand)) > 0;
  if (checks->nterms && has_axes) at[0] = tcc_pull_add(p, &at[0], checks);
  TccPullNode *value = tcc_pull_value(p, operand, at);
  return value && checks->nterms && !has_axes ? checked(p, value, checks) : value;
}

static TccPullNode *op_node(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0));
  TccPullNode *child[4] = {0};
  intptr_t n = mlirOperationGetNumOperands(op);
  int rank = tcc_type_rank(type);
  for (intptr_t i = 0; i < n && i < 4; i++) {
    MlirValue operand = mlirOperationGetOperand(op, i);
    if (tcc_value_is_none(p->ir, operand)) continue;
    MlirType from = tcc_value_type(operand);
    int from_rank = tcc_type_rank(from);
    TccPullIndex at[TCC_MAX_RANK];
    for (int a = 0; a < from_rank; a++) {
      bool unit = tcc_type_dim(p->ir, from, a) == number(p, 1);
      at[a] = unit ? pull_only_place(p, &index[rank - from_rank + a]) : index[rank - from_rank + a];
    }
    child[i] = tcc_pull_value(p, operand, at);
    if (!child[i]) return NULL;
  }
  TccPullNode *node = pull_new_node(p, TCC_PULL_OP, tcc_type_elem(type));
  node->op = op;
  node->nchildren = (int)n;
  memcpy(node->child, child, sizeof child);
  return node;
}

static TccPullNode *load_node(TccPull *p, TccElem elem, int argument, const void *data, size_t count, const TccPullIndex *flat) {
  TccPullNode *node = pull_new_node(p, TCC_PULL_LOAD, elem);
  node->argument = argument, node->data = data, node->count = count;
  node->index = *flat;
  return node;
}

/* A reduction asked for by a row kernel: at the row's own index only, which an axis of one place is no part of. */
static TccPullNode *reduced_node(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  MlirType type = tcc_value_type(mlirOperationGetResult(op, 0)), domain = tcc_value_type(mlirOperationGetOperand(op, 0));
  if (!p->rows) return pull_fail(p, "a reduction outside of a row kernel");
  int rank = tcc_type_rank(domain), at = 0;
  bool keep = tcc_bool(p->ir, op, "keepdims");
  const uint32_t reduced = tcc_reduced_axes(p->ir, op), single = tcc_single_axes(p->ir, domain);
  for (int axis = 0; axis < rank; axis++) {
    bool gone = reduced >> axis & 1;
    if (gone && !keep) continue;
    TccPullIndex want = gone ? tcc_pull_constant(p, number(p, 0)) : p->axis[axis];
    if (!(single >> axis & 1) && memcmp(&want, &index[at], sizeof want)) return pull_fail(p, "a reduction read at another row");
    at++;
  }
  TccPullNode *node = pull_new_node(p, TCC_PULL_REDUCED, tcc_type_elem(type));
  node->op = op;
  return node;
}

/* What views of the operand at other indices are. */
static TccPullNode *pull_transpose(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  TccPullIndex at[TCC_MAX_RANK];
  const int64_t *perm;
  size_t n;
  if (!tcc_get_ints(p->ir, op, "perm", &perm, &n)) return pull_fail(p, "transpose without perm");
  for (size_t i = 0; i < n; i++) at[perm[i]] = index[i];
  return tcc_pull_value(p, mlirOperationGetOperand(op, 0), at);
}

static TccPullNode *pull_broadcast(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  TccPullIndex at[TCC_MAX_RANK];
  MlirType from = tcc_value_type(mlirOperationGetOperand(op, 0));
  int rank = tcc_type_rank(tcc_value_type(mlirOperationGetResult(op, 0))), from_rank = tcc_type_rank(from);
  for (int a = 0; a < from_rank; a++)
    at[a] = tcc_type_dim(p->ir, from, a) == number(p, 1) ? pull_only_place(p, &index[rank - from_rank + a])
                                                         : index[rank - from_rank + a];
  TccPullIndex checks = tcc_pull_constant(p, number(p, 0)); /* of axes that the operand has not */
  for (int a = 0; a < rank - from_rank; a++) {
    const TccPullIndex place = pull_only_place(p, &index[a]);
    checks = tcc_pull_add(p, &checks, &place);
  }
  return pull_operand(p, op, at, &checks);
}

static TccPullNode *pull_slice(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  TccPullIndex at[TCC_MAX_RANK];
  const TccExpr *const *starts;
  const int64_t *steps;
  size_t n, nsteps;
  if (!tcc_get_exprs(p->ir, op, "starts", &starts, &n) || !tcc_get_ints(p->ir, op, "steps", &steps, &nsteps))
    return pull_fail(p, "slice without starts");
  for (size_t a = 0; a < n; a++) {
    TccPullIndex moved = tcc_pull_scale(p, &index[a], number(p, steps[a])), start = tcc_pull_constant(p, starts[a]);
    at[a] = tcc_pull_add(p, &moved, &start);
  }
  return tcc_pull_value(p, mlirOperationGetOperand(op, 0), at);
}

static TccPullNode *pull_unfold(TccPull *p, MlirOperation op, const TccPullIndex *index) {
  TccPullIndex at[TCC_MAX_RANK];
  const int64_t *strides, *dilations;
  size_t n, ndilations;
  if (!tcc_get_ints(p->ir, op, "strides", &strides, &n) || !tcc_get_ints(p->ir, op, "dilations", &dilations, &ndilations))
    return pull_fail(p, "unfold without its window");
  at[0] = index[0], at[1] = index[1];
  for (size_t i = 0; i < n; i++) {
    TccPullIndex within = tcc_pull_scale(p, &index[2 + i], number(p, dilations[i]));
    TccPullIndex window = tcc_pull_scale(p, &index[2 + n + i], number(p, strides[i]));
    at[2 + i] = tcc_pull_add(p, &window, &within);
  }
  return tcc_pull_value(p, mlirOperationGetOperand(op, 0), at);
}

static bool is_anchor(const TccPull *p, MlirOperation op) {
  return (!mlirOperationIsNull(p->anchor) && mlirOperationEqual(op, p->anchor)) ||
         (!mlirOperationIsNull(p->second_anchor) && mlirOperationEqual(op, p->second_anchor));
}

static TccPullNode *anchor_node(TccPull *p, MlirOperation op, MlirType type, const TccPullIndex *index) {
  size_t rank = (size_t)tcc_type_rank(type);
  if (!mlirOperationIsNull(p->second_anchor)) {
    if (!p->anchored) p->anchored = memcpy(TCC_NEW_ARRAY(p->arena, TccPullIndex, rank + 1), index, rank * sizeof *index);
    else if (memcmp(p->anchored, index, rank * sizeof *index) != 0)
      return pull_fail(p, "two anchors that are read at different places");
  }
  TccPullNode *node = pull_new_node(p, TCC_PULL_REDUCED, tcc_type_elem(type));
  node->op = op;
  return node;
}

static TccPullNode *make(TccPull *p, MlirValue value, const TccPullIndex *index) {
  TccIr *ir = p->ir;
  MlirType type = tcc_value_type(value);
  if (!mlirValueIsAOpResult(value)) {
    TccPullIndex flat = tcc_pull_flat(p, type, index);
    return load_node(p, tcc_type_elem(type), (int)mlirBlockArgumentGetArgNumber(value), NULL, 0, &flat);
  }
  MlirOperation op = tcc_value_op(value);
  TccOpKind kind = tcc_op_kind(ir, op);
  if (is_anchor(p, op)) return anchor_node(p, op, type, index);
  switch (kind) {
  case TCC_OP_CONSTANT: {
    size_t count;
    const void *data = tcc_constant_data(ir, value, &count);
    if (!data) return pull_fail(p, "a constant whose data cannot be read");
    TccPullIndex flat = tcc_pull_flat(p, type, index);
    return load_node(p, tcc_type_elem(type), -1, data, count, &flat);
  }
  case TCC_OP_TRANSPOSE: return pull_transpose(p, op, index);
  case TCC_OP_BROADCAST: return pull_broadcast(p, op, index);
  case TCC_OP_SLICE: return pull_slice(p, op, index);
  case TCC_OP_UNFOLD: return pull_unfold(p, op, index);
  case TCC_OP_RESHAPE: {
    TccPullIndex at[TCC_MAX_RANK], checks;
    if (!pull_reshape_index(p, tcc_value_type(mlirOperationGetOperand(op, 0)), type, index, at, &checks)) return NULL;
    return pull_operand(p, op, at, &checks);
  }
  case TCC_OP_GATHER:
  case TCC_OP_GATHER_ELEMENTS:
  case TCC_OP_GATHER_ND: return pull_gather(p, op, kind, index);
  case TCC_OP_DYNAMIC_SLICE: return pull_dynamic_slice(p, op, index);
  case TCC_OP_PAD: return pull_pad(p, op, index);
  case TCC_OP_CONCAT: return pull_concat(p, op, index);
  case TCC_OP_IOTA:
  case TCC_OP_SIZES: return pull_count(p, op, kind, index);
  case TCC_OP_REDUCE:
  case TCC_OP_ARG_REDUCE: return reduced_node(p, op, index);
  default: break;
  }
  if (kind == TCC_OP_UNKNOWN || !tcc_op_has_trait(kind, 'E')) return pull_fail(p, "'%s' in a kernel that pulls", tcc_op_name(kind));
  return op_node(p, op, index);
}

TccPullNode *tcc_pull_value(TccPull *p, MlirValue value, const TccPullIndex *index) {
  if (p->status || p->split >= 0) return NULL;
  int rank = tcc_type_rank(tcc_value_type(value));
  TccText key = {0};
  tcc_text_put(&key, (const char *)&value.ptr, sizeof value.ptr);
  for (int a = 0; a < rank; a++) tcc_text_put(&key, (const char *)&index[a], sizeof index[a]);
  TccMapEntry *known = tcc_map_find(p->memo, tcc_text_str(&key));
  TccPullNode *node = known ? known->pointer : make(p, value, index);
  if (!known && node) tcc_map_put(p->memo, tcc_text_str(&key), NULL)->pointer = node;
  tcc_text_destroy(&key);
  return node;
}

/* Pulls values of one shape over these dims, split where reshapes ask for it. */
static bool pull_all(TccPull *p, TccIr *ir, MlirOperation kernel, MlirOperation anchor, const MlirValue *values, size_t n,
                     TccPullDims *dims, TccPullIndex *index, TccPullNode **roots) {
  for (;;) {
    size_t done = 0;
    tcc_pull_init(p, ir, kernel);
    p->anchor = anchor;
    tcc_pull_use_dims(p, dims, tcc_type_rank(tcc_value_type(values[0])), index);
    while (done < n && (roots[done] = tcc_pull_value(p, values[done], index)) != NULL) done++;
    if (p->status) return false;
    if (done == n) return true;
    if (!tcc_pull_resplit(p, dims)) return false;
  }
}

TccPullNode *tcc_pull_over(TccPull *p, TccIr *ir, MlirOperation kernel, MlirOperation anchor, MlirValue value, TccPullDims *dims,
                           TccPullIndex *index) {
  TccPullNode *root;
  return pull_all(p, ir, kernel, anchor, &value, 1, dims, index, &root) ? root : NULL;
}

bool tcc_pull_results(TccPull *p, TccIr *ir, MlirOperation kernel, const MlirValue *results, size_t n, TccPullNode **roots,
                      TccPullIndex *stores) {
  TccPullDims dims;
  TccPullIndex index[TCC_MAX_RANK];
  tcc_pull_dims_of(ir, tcc_value_type(results[0]), &dims);
  if (!pull_all(p, ir, kernel, (MlirOperation){NULL}, results, n, &dims, index, roots)) return false;
  for (size_t i = 0; i < n; i++) stores[i] = tcc_pull_flat(p, tcc_value_type(results[i]), index);
  return true;
}

TccPullNode *tcc_pull_result(TccPull *p, TccIr *ir, MlirOperation kernel, MlirValue result, TccPullIndex *store) {
  TccPullNode *root;
  return tcc_pull_results(p, ir, kernel, &result, 1, &root, store) ? root : NULL;
}

/* ---- joining dims ---- */

static bool walks_evenly(TccPull *p, const TccPullIndex *index, int d) {
  const TccExpr *inner = index->coef[d + 1], *outer = index->coef[d];
  if (!inner || !outer) return !inner && !outer;
  return outer == times(p, inner, p->dim[d + 1]);
}

/* Dims d and d + 1 become one, which walks with the coefficient of one of them: of the inner, or if that has one place alone, of the outer. */
static void drop_dim(TccPull *p, TccPullIndex *index, int d, bool single) {
  if (!single) index->coef[d] = index->coef[d + 1];
  for (int i = d + 1; i + 1 < p->ndims; i++) index->coef[i] = index->coef[i + 1];
  index->coef[p->ndims - 1] = NULL;
}

/* Whether a dim of one place goes into its neighbour: not if a store is along it alone, as a row's reduced dims are kept apart from others. */
static bool dissolves(TccPullIndex *const *stores, int nstores, int unit, int into) {
  bool goes = true;
  for (int s = 0; s < nstores && goes; s++) goes = !stores[s]->coef[unit] || stores[s]->coef[into];
  return goes;
}

static bool can_join(TccPull *p, TccPullIndex *const *stores, int nstores, int d) {
  const TccExpr *one = number(p, 1);
  if (p->dim[d + 1] == one && dissolves(stores, nstores, d + 1, d)) return true; /* the index there is 0 */
  if (p->dim[d] == one && p->dim[d + 1] != one && dissolves(stores, nstores, d, d + 1)) return true;
  bool even = !p->indexed[d] && !p->indexed[d + 1];
  for (size_t n = 0; n < p->nodes.count && even; n++)
    if (p->nodes.data[n]->kind == TCC_PULL_LOAD) even = walks_evenly(p, &p->nodes.data[n]->index, d);
  for (int s = 0; s < nstores && even; s++) even = walks_evenly(p, stores[s], d);
  return even;
}

void tcc_pull_join_dims(TccPull *p, TccPullIndex *const *stores, int nstores) {
  for (int d = p->ndims - 1; d-- > 0;) {
    if (!can_join(p, stores, nstores, d)) continue;
    const bool single = p->dim[d + 1] == number(p, 1);
    for (size_t n = 0; n < p->nodes.count; n++) {
      drop_dim(p, &p->nodes.data[n]->index, d, single);
      for (int b = 0; b < p->nodes.data[n]->nbounds; b++) drop_dim(p, &p->nodes.data[n]->bound[b].index, d, single);
    }
    for (int s = 0; s < nstores; s++) drop_dim(p, stores[s], d, single);
    p->dim[d] = times(p, p->dim[d], p->dim[d + 1]);
    if (!single) p->indexed[d] = p->indexed[d + 1];
    for (int i = d + 1; i + 1 < p->ndims; i++) p->dim[i] = p->dim[i + 1], p->indexed[i] = p->indexed[i + 1];
    p->ndims--;
  }
}

bool tcc_pull_index_moves(const TccPullIndex *index, int dim) {
  bool any = index->coef[dim] != NULL;
  for (int i = 0; i < index->nterms && !any; i++) any = tcc_pull_moves(index->term[i].node, dim);
  return any;
}

bool tcc_pull_moves(const TccPullNode *node, int dim) {
  bool any = node->kind == TCC_PULL_GUARD ||
             ((node->kind == TCC_PULL_LOAD || node->kind == TCC_PULL_INDEX) && tcc_pull_index_moves(&node->index, dim));
  for (int c = 0; c < node->nchildren && !any; c++) any = node->child[c] && tcc_pull_moves(node->child[c], dim);
  return any;
}

const TccPullNode *tcc_pull_before_rounding(TccIr *ir, const TccPullNode *node) {
  bool half = node->elem == TCC_ELEM_F16 || node->elem == TCC_ELEM_BF16;
  if (!half || node->kind != TCC_PULL_OP || mlirOperationIsNull(node->op) || tcc_op_kind(ir, node->op) != TCC_OP_CONVERT)
    return node;
  return node->child[0]->elem == TCC_ELEM_F32 ? node->child[0] : node;
}

bool tcc_pull_known_index(const TccPull *p, const TccPullIndex *index, int64_t *offset, int64_t *step) {
  if (index->nterms || !tcc_expr_is_const(index->offset, offset)) return false;
  for (int d = 0; d < p->ndims; d++) {
    step[d] = 0;
    if (index->coef[d] && !tcc_expr_is_const(index->coef[d], &step[d])) return false;
  }
  return true;
}

bool tcc_pull_is_zero(const TccPullNode *node) {
  static const char zeros[16];
  if (!node) return true; /* a pad without a value */
  size_t bytes = tcc_elem_bits(node->elem) / 8;
  return node->kind == TCC_PULL_LOAD && node->argument < 0 && node->count == 1 && bytes <= sizeof zeros &&
         !memcmp(node->data, zeros, bytes);
}

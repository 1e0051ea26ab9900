/* scatter.c - scatters, whose order matters: a thread has all of a line to itself, and goes along it in order.
 *
 * A scatter is done by one thread for each element behind the indexed axes (scatter_nd), or for each line along the axis (scatter_elements):
 * it copies what is its own of the operand and then takes the updates one after the other, so that later ones win and sums have one order.
 * Threads side by side have neighbours in memory.
 *
 * Of a scatter_nd with few elements behind the indexed axes, as the gradient of an embedding is, several threads share an element's column: each
 * has every so manieth row. All of them read all indices, which are the same for a warp, and take the updates of their own rows, in order. */
#include "lib/targets/nvptx/nvptx.h"
#include "tcc/op_kinds.h"

enum {
  THREADS = 128,
  MOST_SHARES = 64, /* threads of a column: each reads all indices */
  ENOUGH_THREADS = 1 << 16
};

typedef struct {
  TccIr *ir;
  MlirOperation op;
  NvptxKernel n;
  TccElem elem;
  int result; /* buffer */
} Walk;

static TccVal i64(Walk *w, int64_t v) { return tcc_emit_i64(&w->n.e, v); }
static TccVal size_of(Walk *w, const TccExpr *e) { return tcc_kernel_size(&w->n.k, e); }

static const TccExpr *product(TccIr *ir, MlirType type, int from, int to) {
  const TccExpr *p = tcc_expr_const(ir->exprs, 1);
  for (int a = from; a < to; a++) p = tcc_expr_mul(ir->exprs, p, tcc_type_dim(ir, type, a));
  return p;
}

/* Operands of these kernels are arguments or constants. */
static TccStatus *pointer(Walk *w, int operand, TccVal *out) {
  MlirValue value = mlirOperationGetOperand(w->op, operand);
  *out = 0;
  if (!mlirValueIsAOpResult(value)) {
    *out = tcc_kernel_argument(&w->n.k, (int)mlirBlockArgumentGetArgNumber(value));
    return NULL;
  }
  size_t count;
  const void *data = tcc_value_kind(w->ir, value) == TCC_OP_CONSTANT ? tcc_constant_data(w->ir, value, &count) : NULL;
  if (!data) return TCC_ERROR(TCC_UNSUPPORTED, "an operand that is computed inside the kernel");
  *out = tcc_emit_data(&w->n.e, data, tcc_elem_bytes(tcc_type_elem(tcc_value_type(value)), count));
  return NULL;
}

static TccVal load(Walk *w, TccElem elem, TccVal p, TccVal at) {
  TccEmit *t = &w->n.e;
  const char *type = tcc_scalar_memory_type(elem);
  return tcc_scalar_from_memory(t, elem, 1, tcc_emit_load(t, type, tcc_emit_gep(t, type, p, at)));
}

static void store(Walk *w, TccVal p, TccVal at, TccVal v) {
  TccEmit *t = &w->n.e;
  const char *type = tcc_scalar_memory_type(w->elem);
  tcc_emit_store(t, type, tcc_scalar_to_memory(t, w->elem, 1, v), tcc_emit_gep(t, type, p, at));
}

/* to[at] = v, or combined with what is there. */
static void update(Walk *w, TccVal to, TccVal at, TccVal v) {
  TccEmit *t = &w->n.e;
  TccStr reduction = tcc_string(w->ir, w->op, "reduction");
  TccElem wide = tcc_elem_accumulator(w->elem);
  if (!tcc_str_is(reduction, "none")) {
    TccVal there = tcc_scalar_convert(t, w->elem, wide, 1, load(w, w->elem, to, at));
    v = tcc_scalar_combine(t, reduction, wide, 1, there, tcc_scalar_convert(t, w->elem, wide, 1, v));
    v = tcc_scalar_convert(t, wide, w->elem, 1, v);
  }
  store(w, to, at, v);
}

/* Indices of an update, and whether all of them are inside. */
typedef struct {
  int n;
  TccVal raw[TCC_MAX_RANK], index[TCC_MAX_RANK], size[TCC_MAX_RANK], ok;
} Place;

/* The index at p as i64, negative ones from the end where they are valid. */
static TccVal read_index(Walk *w, Place *place, TccVal p, TccVal at, TccVal size) {
  TccEmit *t = &w->n.e;
  TccElem elem = tcc_type_elem(tcc_value_type(mlirOperationGetOperand(w->op, 1)));
  TccVal raw = tcc_scalar_convert(t, elem, TCC_ELEM_I64, 1, load(w, elem, p, at)), index = raw;
  if (tcc_valid(w->ir, w->op) != TCC_VALID_UNSIGNED)
    index = tcc_emit_select1(t, "i64", tcc_emit_icmp(t, "slt", "i64", raw, i64(w, 0)), tcc_emit_add(t, raw, size), raw);
  TccVal inside = tcc_emit_icmp(t, "ult", "i64", index, size); /* as unsigned, a negative one is large */
  place->ok = place->n ? tcc_emit_bin(t, "and", "i1", place->ok, inside) : inside;
  place->raw[place->n] = raw, place->index[place->n] = index, place->size[place->n++] = size;
  return index;
}

/* Reports those of a place that are outside, where the op says which are valid. */
static void report(Walk *w, const Place *place) {
  TccEmit *t = &w->n.e;
  int check = tcc_index_check_of(w->ir, w->op);
  for (int i = 0; i < place->n && check >= 0; i++) {
    TccIf branch;
    tcc_emit_if(t, &branch, tcc_emit_icmp(t, "uge", "i64", place->index[i], place->size[i]), 0, NULL);
    tcc_kernel_fault(&w->n.k, check + i, place->raw[i]);
    tcc_emit_end_if(t, &branch, NULL);
  }
}

/* Where an update lands, if all its indices are inside and it is this thread's; else it is reported. */
static void update_if_inside(Walk *w, const Place *at, TccVal own, TccVal to, TccVal offset, TccVal values, TccVal from) {
  TccEmit *t = &w->n.e;
  TccIf inside, mine;
  tcc_emit_if(t, &inside, at->ok, 0, NULL);
  if (own) tcc_emit_if(t, &mine, own, 0, NULL);
  update(w, to, offset, load(w, w->elem, values, from));
  if (own) tcc_emit_end_if(t, &mine, NULL);
  tcc_emit_else(t, &inside, NULL);
  report(w, at);
  tcc_emit_end_if(t, &inside, NULL);
}

typedef struct {
  TccVal x, indices, updates, to;
  const void *filled; /* the element that all of x are; then there is no x */
} Buffers;

static TccStatus *open_buffers(Walk *w, Buffers *b) {
  b->x = 0;
  b->filled = tcc_constant_splat(w->ir, mlirOperationGetOperand(w->op, 0));
  if (!b->filled) TCC_TRY(pointer(w, 0, &b->x));
  TCC_TRY(pointer(w, 1, &b->indices));
  TCC_TRY(pointer(w, 2, &b->updates));
  b->to = tcc_kernel_argument(&w->n.k, w->result);
  return NULL;
}

/* count elements, `step` apart from `first` on, as they are; none where the result lies in the operand's place. */
static void copy_line(Walk *w, const Buffers *b, TccVal first, TccVal step, TccVal count) {
  TccEmit *t = &w->n.e;
  TccLoop loop;
  TccIf apart;
  TccVal number = b->filled ? load(w, w->elem, tcc_emit_data(t, b->filled, tcc_elem_bytes(w->elem, 1)), i64(w, 0)) : 0;
  if (!b->filled) tcc_emit_if(t, &apart, tcc_emit_icmp(t, "ne", TCC_PTR, b->x, b->to), 0, NULL);
  tcc_emit_for(t, &loop, i64(w, 0), count, 1, 0, NULL, NULL);
  TccVal at = tcc_emit_add(t, first, tcc_emit_mul(t, loop.iv, step));
  store(w, b->to, at, b->filled ? number : load(w, w->elem, b->x, at));
  tcc_emit_end_for(t, &loop, NULL);
  if (!b->filled) tcc_emit_end_if(t, &apart, NULL);
}

/* How many threads a column of `rows` has, a power of two: so many that the device is busy. */
static int64_t shares_of(const Walk *w, const TccExpr *tail, const TccExpr *rows) {
  int64_t shares = 1, columns = tcc_ir_likely(w->ir, tail), least = tcc_ir_likely(w->ir, rows);
  while (shares < MOST_SHARES && 2 * shares * columns <= ENOUGH_THREADS && 2 * shares <= least) shares *= 2;
  return shares;
}

/* Some threads for each element behind the indexed axes. */
static TccStatus *emit_scatter_nd(Walk *w, TccVal thread, const TccExpr **out_threads) {
  TccEmit *t = &w->n.e;
  MlirType type = tcc_value_type(mlirOperationGetOperand(w->op, 0)), index_type = tcc_value_type(mlirOperationGetOperand(w->op, 1));
  int rank = tcc_type_rank(type), index_rank = tcc_type_rank(index_type);
  int64_t depth;
  Buffers b;
  TCC_TRY(open_buffers(w, &b));
  if (!tcc_expr_is_const(tcc_type_dim(w->ir, index_type, index_rank - 1), &depth))
    return TCC_ERROR(TCC_UNSUPPORTED, "scatter_nd with a dynamic depth of its indices");
  const TccExpr *columns = product(w->ir, type, (int)depth, rank), *rows = product(w->ir, type, 0, (int)depth);
  const int64_t shares = shares_of(w, columns, rows);
  *out_threads = tcc_expr_mul(w->ir->exprs, columns, tcc_expr_const(w->ir->exprs, shares));
  TccVal tail = size_of(w, columns), count = size_of(w, product(w->ir, index_type, 0, index_rank - 1)), share = 0, own = 0,
         column = thread, mine = size_of(w, rows);
  TccIf inside;
  TccLoop loop;
  Place at = {0};
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", thread, size_of(w, *out_threads)), 0, NULL);
  if (shares > 1) {
    nvptx_divide(&w->n.k, thread, columns, &share, &column);
    mine = tcc_emit_div(t, tcc_emit_add(t, tcc_emit_sub(t, mine, share), i64(w, shares - 1)), i64(w, shares));
  }
  copy_line(w, &b, thread, tcc_emit_mul(t, tail, i64(w, shares)), mine); /* thread: share * tail + column */
  tcc_emit_for(t, &loop, i64(w, 0), count, 1, 0, NULL, NULL);
  TccVal row = i64(w, 0);
  for (int d = 0; d < (int)depth; d++) {
    TccVal size = size_of(w, tcc_type_dim(w->ir, type, d)),
           from = tcc_emit_add(t, tcc_emit_mul(t, loop.iv, i64(w, depth)), i64(w, d));
    row = tcc_emit_add(t, tcc_emit_mul(t, row, size), read_index(w, &at, b.indices, from, size));
  }
  if (!at.n) at.ok = tcc_emit_int(t, "i1", 1);
  if (shares > 1) own = tcc_emit_icmp(t, "eq", "i64", tcc_emit_bin(t, "and", "i64", row, i64(w, shares - 1)), share);
  TccVal offset = tcc_emit_add(t, tcc_emit_mul(t, row, tail), column);
  update_if_inside(w, &at, own, b.to, offset, b.updates, tcc_emit_add(t, tcc_emit_mul(t, loop.iv, tail), column));
  tcc_emit_end_for(t, &loop, NULL);
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

/* One thread for each line of the operand along the axis; lines that the indices do not have are copied alone. */
static TccStatus *emit_scatter_elements(Walk *w, TccVal thread, const TccExpr **out_threads) {
  TccEmit *t = &w->n.e;
  MlirType type = tcc_value_type(mlirOperationGetOperand(w->op, 0)), index_type = tcc_value_type(mlirOperationGetOperand(w->op, 1));
  int rank = tcc_type_rank(type), axis = (int)tcc_i64(w->ir, w->op, "axis");
  Buffers b;
  TccVal place[TCC_MAX_RANK] = {0}, rest = thread, first = i64(w, 0), index_first = i64(w, 0), has = tcc_emit_int(t, "i1", 1);
  TCC_TRY(open_buffers(w, &b));
  *out_threads = tcc_expr_mul(w->ir->exprs, product(w->ir, type, 0, axis), product(w->ir, type, axis + 1, rank));
  TccVal step = size_of(w, product(w->ir, type, axis + 1, rank)),
         index_step = size_of(w, product(w->ir, index_type, axis + 1, rank));
  TccIf inside, covered;
  TccLoop loop;
  Place at = {0};
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", thread, size_of(w, *out_threads)), 0, NULL);
  for (int a = rank; a-- > 0;) {
    if (a == axis) continue;
    nvptx_divide(&w->n.k, rest, tcc_type_dim(w->ir, type, a), &rest, &place[a]);
    TccVal exists = tcc_emit_icmp(t, "slt", "i64", place[a], size_of(w, tcc_type_dim(w->ir, index_type, a)));
    has = tcc_emit_bin(t, "and", "i1", has, exists);
  }
  place[axis] = i64(w, 0);
  for (int a = 0; a < rank; a++) {
    first = tcc_emit_add(t, tcc_emit_mul(t, first, size_of(w, tcc_type_dim(w->ir, type, a))), place[a]);
    index_first = tcc_emit_add(t, tcc_emit_mul(t, index_first, size_of(w, tcc_type_dim(w->ir, index_type, a))), place[a]);
  }
  TccVal length = size_of(w, tcc_type_dim(w->ir, type, axis));
  copy_line(w, &b, first, step, length);
  tcc_emit_if(t, &covered, has, 0, NULL);
  tcc_emit_for(t, &loop, i64(w, 0), size_of(w, tcc_type_dim(w->ir, index_type, axis)), 1, 0, NULL, NULL);
  TccVal from = tcc_emit_add(t, index_first, tcc_emit_mul(t, loop.iv, index_step));
  TccVal index = read_index(w, &at, b.indices, from, length);
  update_if_inside(w, &at, 0, b.to, tcc_emit_add(t, first, tcc_emit_mul(t, index, step)), b.updates, from);
  tcc_emit_end_for(t, &loop, NULL);
  tcc_emit_end_if(t, &covered, NULL);
  tcc_emit_end_if(t, &inside, NULL);
  return NULL;
}

/* The op that makes a result. */
static TccStatus *find_op(Walk *w, MlirOperation kernel, intptr_t result) {
  MlirBlock block = tcc_func_body(kernel);
  w->op = tcc_value_op(mlirOperationGetOperand(mlirBlockGetTerminator(block), result));
  w->result = (int)(mlirBlockGetNumArguments(block) + result);
  TccOpKind kind = mlirOperationIsNull(w->op) ? TCC_OP_UNKNOWN : tcc_op_kind(w->ir, w->op);
  if (kind != TCC_OP_SCATTER_ND && kind != TCC_OP_SCATTER_ELEMENTS)
    return TCC_ERROR(TCC_UNSUPPORTED, "'%s' at the end of the kernel", tcc_op_name(kind));
  w->elem = tcc_type_elem(tcc_value_type(mlirOperationGetOperand(w->op, 0)));
  if (!tcc_elem_computes(w->elem)) return TCC_ERROR(TCC_UNSUPPORTED, "element type %s does not compute", tcc_elem_name(w->elem));
  return NULL;
}

static TccStatus *emit_op(Walk *w, TccVal thread, const TccExpr **out_threads) {
  return tcc_op_kind(w->ir, w->op) == TCC_OP_SCATTER_ND ? emit_scatter_nd(w, thread, out_threads)
                                                        : emit_scatter_elements(w, thread, out_threads);
}

/* Several scatters in one kernel (tcc-group-siblings) are done by the same threads, one after the other. */
TccStatus *nvptx_scatter(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  intptr_t results = mlirOperationGetNumOperands(mlirBlockGetTerminator(tcc_func_body(kernel)));
  Walk w = {.ir = ir};
  if (results < 1) return TCC_ERROR(TCC_UNSUPPORTED, "a kernel with %d results", (int)results);
  for (intptr_t r = results; r-- > 0;) TCC_TRY(find_op(&w, kernel, r));
  nvptx_open(&w.n, ir, target, kernel);
  const TccExpr *most = NULL;
  TccVal thread = nvptx_global_thread(&w.n, THREADS);
  TccStatus *status = NULL;
  for (intptr_t r = 0; r < results && !status; r++) {
    const TccExpr *threads = NULL;
    status = find_op(&w, kernel, r);
    if (!status) status = emit_op(&w, thread, &threads);
    if (!status) most = most && most != threads ? tcc_expr_call(ir->exprs, TCC_EXPR_MAX, most, threads) : threads;
  }
  if (status) {
    nvptx_abandon(&w.n);
    return status;
  }
  return nvptx_close(&w.n, "nvptx.scatter", "", nvptx_blocks(ir, most, THREADS), THREADS, 0, out);
}

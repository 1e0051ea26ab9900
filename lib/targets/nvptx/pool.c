/* pool.c - windows over the spatial axes: one thread for each output, which walks the places of its window in order. */
#include "lib/codegen/read/kernel.h"
#include "lib/targets/nvptx/operand.h"

enum { THREADS = 256 };
typedef enum { MAX, SUM, AVERAGE, INDEX } Kind;

typedef struct {
  TccIr *ir;
  MlirOperation op;
  Kind kind;
  bool counts, include_pad, column_major;
  int rank; /* spatial axes */
  const int64_t *kernel, *strides, *pads, *dilations;
  int64_t places;    /* of a window */
  TccElem elem, acc; /* of what is carried: x's for INDEX, else its accumulator; of the result before the epilogue */
  NvptxOperand x;
  NvptxResult result;
  NvptxKernel n;
} Pool;

/* What goes from place to place: the value, then the flat index of the largest (INDEX; -1: none yet) or the places that count. */
typedef struct {
  TccVal value, second;
} Carried;

static TccStatus *read_pool(Pool *p, TccIr *ir, MlirOperation kernel) {
  p->ir = ir;
  p->op = tcc_read_find(ir, kernel, TCC_OP_POOL);
  bool index = mlirOperationIsNull(p->op);
  if (index) p->op = tcc_read_find(ir, kernel, TCC_OP_POOL_INDEX);
  if (mlirOperationIsNull(p->op)) return TCC_ERROR(TCC_UNSUPPORTED, "no pool in a pool kernel");
  size_t n;
  if (!tcc_get_ints(ir, p->op, "kernel", &p->kernel, &n) || !tcc_get_ints(ir, p->op, "strides", &p->strides, &n) ||
      !tcc_get_ints(ir, p->op, "pads", &p->pads, &n) || !tcc_get_ints(ir, p->op, "dilations", &p->dilations, &n))
    return TCC_ERROR(TCC_INVALID, "a pool without its window");
  TCC_TRY(nvptx_operand_read(ir, kernel, mlirOperationGetOperand(p->op, 0), &p->x));
  TCC_TRY(nvptx_result_read(ir, kernel, p->op, &p->result));
  TccStr kind = index ? (TccStr){0} : tcc_string(ir, p->op, "kind");
  p->kind = index ? INDEX : tcc_str_is(kind, "max") ? MAX : tcc_str_is(kind, "avg") ? AVERAGE : SUM;
  p->include_pad = !index && tcc_bool(ir, p->op, "count_include_pad"),
  p->column_major = index && tcc_bool(ir, p->op, "column_major");
  p->rank = tcc_type_rank(p->x.type) - 2, p->places = 1;
  bool padded = tcc_bool(ir, p->op, "ceil_mode");
  for (int i = 0; i < p->rank; i++) padded |= p->pads[i] || p->pads[p->rank + i], p->places *= p->kernel[i];
  p->counts = p->kind == AVERAGE && padded;
  TccElem elem = tcc_type_elem(p->x.type);
  if (!tcc_elem_computes(elem) || elem == TCC_ELEM_BOOL) return TCC_ERROR(TCC_UNSUPPORTED, "a pool of %s", tcc_elem_name(elem));
  p->elem = tcc_elem_accumulator(elem), p->acc = index ? TCC_ELEM_I64 : p->elem;
  return NULL;
}

static TccVal i64(Pool *p, int64_t v) { return tcc_emit_i64(&p->n.e, v); }
static TccVal both(Pool *p, TccVal a, TccVal b) { return a ? tcc_emit_bin(&p->n.e, "and", "i1", a, b) : b; }

/* Flat index of a place in the image of one channel: row-major, or with the first axis fastest. */
static TccVal flat_index(Pool *p, const TccVal *at) {
  TccEmit *t = &p->n.e;
  TccVal flat = i64(p, 0);
  for (int i = 0; i < p->rank; i++) {
    int axis = p->column_major ? p->rank - 1 - i : i;
    flat = tcc_emit_add(t, tcc_emit_mul(t, flat, tcc_kernel_size(&p->n.k, tcc_type_dim(p->ir, p->x.type, axis + 2))), at[axis]);
  }
  return flat;
}

static void take_larger(Pool *p, TccVal inside, TccVal x, const TccVal *at, Carried *c) {
  TccEmit *t = &p->n.e;
  const char *type = tcc_scalar_type(p->elem);
  TccVal larger = tcc_elem_is_float(p->elem) ? tcc_emit_fcmp(t, "ogt", type, x, c->value)
                                             : tcc_emit_icmp(t, tcc_elem_is_signed(p->elem) ? "sgt" : "ugt", type, x, c->value);
  TccVal none = tcc_emit_icmp(t, "slt", "i64", c->second, i64(p, 0));
  TccVal take = both(p, inside, tcc_emit_bin(t, "or", "i1", larger, none));
  c->value = tcc_emit_select(t, type, take, x, c->value);
  c->second = tcc_emit_select(t, "i64", take, flat_index(p, at), c->second);
}

/* One place of the window. outer: image and channel, then the output's coordinates. */
static TccStatus *visit(Pool *p, const TccVal *outer, const TccVal *tap, Carried *c) {
  TccEmit *t = &p->n.e;
  TccVal index[TCC_MAX_RANK] = {outer[0], outer[1]}, inside = 0, padded = 0, x;
  for (int i = 0; i < p->rank; i++) {
    TccVal size = tcc_kernel_size(&p->n.k, tcc_type_dim(p->ir, p->x.type, i + 2));
    TccVal at =
        tcc_emit_add(t, tcc_emit_mul(t, outer[i + 2], i64(p, p->strides[i])), tcc_emit_mul(t, tap[i], i64(p, p->dilations[i])));
    index[i + 2] = tcc_emit_sub(t, at, i64(p, p->pads[i]));
    inside = both(p, inside, tcc_emit_icmp(t, "ult", "i64", index[i + 2], size));
    TccVal end = tcc_emit_add(t, size, i64(p, p->pads[i] + p->pads[p->rank + i]));
    if (p->counts && p->include_pad) padded = both(p, padded, tcc_emit_icmp(t, "slt", "i64", at, end));
  }
  const char *type = tcc_scalar_type(p->elem);
  TCC_TRY(nvptx_operand_inside(&p->x, inside, index, p->elem, &x));
  if (p->kind == INDEX) {
    take_larger(p, inside, x, index + 2, c);
    return NULL;
  }
  TccStr combine = tcc_str(p->kind == MAX ? "max" : "sum");
  x = tcc_emit_select(t, type, inside, x, tcc_scalar_neutral(t, combine, p->elem, 1));
  c->value = tcc_scalar_combine(t, combine, p->elem, 1, c->value, x);
  if (p->counts) c->second = tcc_emit_add(t, c->second, tcc_emit_cast(t, "zext", "i1", "i64", p->include_pad ? padded : inside));
  return NULL;
}

/* All places, the innermost axis fastest. */
static TccStatus *walk(Pool *p, const TccVal *outer, int axis, TccVal *tap, Carried *c) {
  if (axis == p->rank) return visit(p, outer, tap, c);
  const char *types[2] = {tcc_scalar_type(p->elem), "i64"};
  int n = p->kind == INDEX || p->counts ? 2 : 1;
  TccLoop loop;
  tcc_emit_for(&p->n.e, &loop, i64(p, 0), i64(p, p->kernel[axis]), 1, n, (TccVal[]){c->value, c->second}, types);
  Carried in = {loop.in[0], n > 1 ? loop.in[1] : 0};
  tap[axis] = loop.iv;
  TCC_TRY(walk(p, outer, axis + 1, tap, &in));
  tcc_emit_end_for(&p->n.e, &loop, (TccVal[]){in.value, in.second});
  *c = (Carried){loop.out[0], n > 1 ? loop.out[1] : 0};
  return NULL;
}

static TccVal average(Pool *p, const Carried *c) {
  TccEmit *t = &p->n.e;
  const char *type = tcc_scalar_type(p->elem);
  TccVal count = p->counts ? c->second : i64(p, p->places);
  if (!tcc_elem_is_float(p->elem)) count = tcc_emit_max(t, count, i64(p, 1)); /* an empty window: 0 / 1 */
  count = tcc_scalar_convert(t, TCC_ELEM_I64, p->elem, 1, count);
  return tcc_emit_bin(t,
                      tcc_elem_is_float(p->elem)    ? "fdiv"
                      : tcc_elem_is_signed(p->elem) ? "sdiv"
                                                    : "udiv",
                      type, c->value, count);
}

/* Of the whole of x; a window without an element points at the channel's first. */
static TccVal whole_index(Pool *p, const TccVal *outer, TccVal flat) {
  TccEmit *t = &p->n.e;
  TccVal channel = tcc_emit_mul(t, outer[0], tcc_kernel_size(&p->n.k, tcc_type_dim(p->ir, p->x.type, 1)));
  channel = tcc_emit_add(t, channel, outer[1]);
  for (int i = 0; i < p->rank; i++)
    channel = tcc_emit_mul(t, channel, tcc_kernel_size(&p->n.k, tcc_type_dim(p->ir, p->x.type, i + 2)));
  return tcc_emit_add(t, channel, tcc_emit_max(t, flat, i64(p, 0)));
}

static TccStatus *emit_pool(Pool *p, const TccExpr **out_blocks) {
  TccEmit *t = &p->n.e;
  int rank = p->rank + 2;
  const TccExpr *sizes[TCC_MAX_RANK], *count = tcc_type_count(p->ir, p->result.type);
  TccVal thread = nvptx_global_thread(&p->n, THREADS), taken[TCC_MAX_RANK], outer[TCC_MAX_RANK], tap[TCC_MAX_RANK];
  TccIf inside;
  tcc_emit_if(t, &inside, tcc_emit_icmp(t, "slt", "i64", thread, tcc_kernel_size(&p->n.k, count)), 0, NULL);
  bool last = nvptx_result_is_inner(&p->result, 1);
  int axis[TCC_MAX_RANK]; /* threads follow memory: channels come behind what is pooled where they lie side by side */
  for (int i = 0; i < rank; i++) axis[i] = !last || i == 0 ? i : i == rank - 1 ? 1 : i + 1;
  for (int i = 0; i < rank; i++) sizes[i] = tcc_type_dim(p->ir, p->result.type, axis[i]);
  nvptx_take_apart(&p->n.k, sizes, rank, thread, taken);
  for (int i = 0; i < rank; i++) outer[axis[i]] = taken[i];
  Carried c = {tcc_scalar_neutral(t, tcc_str(p->kind == MAX || p->kind == INDEX ? "max" : "sum"), p->elem, 1),
               i64(p, p->kind == INDEX ? -1 : 0)};
  TCC_TRY(walk(p, outer, 0, tap, &c));
  TccVal value = p->kind == AVERAGE ? average(p, &c) : p->kind == INDEX ? whole_index(p, outer, c.second) : c.value;
  for (int i = 0; i < rank; i++) nvptx_result_set_axes(&p->result, i, 1, outer[i]);
  TCC_TRY(nvptx_result_store(&p->result, p->acc, value));
  tcc_emit_end_if(t, &inside, NULL);
  *out_blocks = nvptx_blocks(p->ir, count, THREADS);
  return NULL;
}

TccStatus *nvptx_pool(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Pool *p = TCC_NEW(ir->arena, Pool);
  const TccExpr *blocks = NULL;
  TCC_TRY(read_pool(p, ir, kernel));
  nvptx_open(&p->n, ir, target, kernel);
  nvptx_operand_begin(&p->x, &p->n);
  nvptx_result_begin(&p->result, &p->n);
  TccStatus *status = emit_pool(p, &blocks);
  if (status) {
    nvptx_abandon(&p->n);
    return status;
  }
  return nvptx_close(&p->n, "nvptx.pool", "", blocks, THREADS, 0, out);
}

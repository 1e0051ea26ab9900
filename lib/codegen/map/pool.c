/* pool.c - windows over the spatial axes, vectorised along the innermost output axis.
 *
 * One output row (image, channel, outer positions) at a time: each vector of the row walks the positions of the window,
 * padding being lanes that are off. Rows go through a scratch line into the epilogue. Averages count the elements of a
 * window as they are met, where padding or ceil_mode can leave a window partly outside.
 *
 * Channels in blocks of one vector (block_layout.c: a third axis, with windows of one) make a vector one position: a row is
 * then a row of the image, and a window the part of it that lies inside, walked without a mask. */
#include "lib/codegen/map/pool.h"
#include "lib/codegen/conv/conv.h"
#include "lib/codegen/emit/scalar.h"
#include <math.h>

typedef enum { POOL_MAX, POOL_SUM, POOL_AVG, POOL_INDEX } PoolKind;

typedef struct {
  TccIr *ir;
  MlirOperation op;
  TccConv window; /* kernel, strides, pads, dilations, sizes and strides of x */
  PoolKind kind;
  bool counts, include_pad, column_major;
  bool blocked; /* the innermost axis is one vector of channels */
  TccElem acc;  /* what a lane accumulates; i64 for indices */
  int lanes;
  int64_t positions; /* of the window */
  TccEpilogue epilogue;
  TccSpan rows, one, columns;
  int64_t rows_in_tile, line;
} Pool;

/* ---- reading ---- */

static TccStatus *read_window(TccIr *ir, Pool *p) {
  TccConv *v = &p->window;
  MlirType xt = tcc_value_type(mlirOperationGetOperand(p->op, 0)), rt = tcc_value_type(mlirOperationGetResult(p->op, 0));
  v->rank = tcc_type_rank(xt) - 2;
  const int64_t *kernel, *strides, *pads, *dilations;
  size_t n;
  if (v->rank < 1 || !tcc_get_ints(ir, p->op, "kernel", &kernel, &n) || !tcc_get_ints(ir, p->op, "strides", &strides, &n) ||
      !tcc_get_ints(ir, p->op, "pads", &pads, &n) || !tcc_get_ints(ir, p->op, "dilations", &dilations, &n))
    return TCC_ERROR(TCC_INVALID, "a pool without its window");
  if (!tcc_view_of(ir, mlirOperationGetOperand(p->op, 0), &v->x))
    return TCC_ERROR(TCC_UNSUPPORTED, "the pool's input is not a strided view");
  for (int i = 0; i < v->rank + 2; i++)
    if (v->x.axis[i].n != 1) return TCC_ERROR(TCC_UNSUPPORTED, "the pool's input is a joined view");
  v->image_stride = v->x.axis[0].stride[0];
  v->channel_stride = v->x.axis[1].stride[0];
  p->positions = 1;
  bool ceil_mode = tcc_bool(ir, p->op, "ceil_mode"), padded = false;
  for (int i = 0; i < v->rank; i++) {
    v->kernel[i] = kernel[i], v->stride[i] = strides[i], v->pad[i] = pads[i], v->dilation[i] = dilations[i];
    v->pad_end[i] = pads[v->rank + i];
    padded = padded || pads[i] || p->window.pad_end[i];
    p->positions *= kernel[i];
    v->in[i] = tcc_type_dim(ir, xt, i + 2);
    v->out[i] = tcc_type_dim(ir, rt, i + 2);
    v->step[i] = v->x.axis[i + 2].stride[0];
  }
  p->counts = p->kind == POOL_AVG && (ceil_mode || (padded && !p->include_pad));
  return NULL;
}

static TccStatus *read_spans(TccIr *ir, Pool *p) {
  int ntensors = 1 + p->epilogue.nleaves, rank = p->window.rank + 2;
  MlirType rt = tcc_value_type(p->epilogue.anchor);
  tcc_span_init(ir, &p->rows, ntensors), tcc_span_init(ir, &p->one, ntensors), tcc_span_init(ir, &p->columns, ntensors);
  for (int i = 0; i < rank; i++) {
    const TccViewAxis *axes[1 + TCC_EPILOGUE_LEAVES] = {0};
    tcc_epilogue_axes(ir, &p->epilogue, i, 0, axes);
    if (!tcc_span_append(ir, i + 1 + p->blocked < rank ? &p->rows : &p->columns, tcc_type_dim(ir, rt, i), axes))
      return TCC_ERROR(TCC_UNSUPPORTED, "views around the pool do not line up");
  }
  tcc_span_finish(ir, &p->rows), tcc_span_finish(ir, &p->columns);
  return NULL;
}

static bool is_blocked(const Pool *p) {
  const TccConv *v = &p->window;
  int64_t size, last = v->rank - 1;
  return p->kind != POOL_INDEX && v->rank == 3 && v->kernel[last] == 1 && v->stride[last] == 1 && v->pad[last] == 0 &&
         v->pad_end[last] == 0 && tcc_expr_is_const(v->in[last], &size) && size == p->lanes && tcc_window_contiguous(v);
}

static TccStatus *read_pool(TccIr *ir, const TccMachine *machine, MlirOperation kernel, Pool *p) {
  p->ir = ir;
  for (MlirOperation op = mlirBlockGetFirstOperation(tcc_func_body(kernel)); !mlirOperationIsNull(op);
       op = mlirOperationGetNextInBlock(op)) {
    TccOpKind kind = tcc_op_kind(ir, op);
    if (kind == TCC_OP_POOL || kind == TCC_OP_POOL_INDEX) p->op = op;
  }
  if (mlirOperationIsNull(p->op)) return TCC_ERROR(TCC_UNSUPPORTED, "no pool in a pool kernel");
  if (tcc_op_kind(ir, p->op) == TCC_OP_POOL_INDEX) {
    p->kind = POOL_INDEX;
    p->column_major = tcc_bool(ir, p->op, "column_major");
  } else {
    TccStr kind = tcc_string(ir, p->op, "kind");
    p->kind = tcc_str_is(kind, "max") ? POOL_MAX : tcc_str_is(kind, "avg") ? POOL_AVG : POOL_SUM;
    p->include_pad = tcc_bool(ir, p->op, "count_include_pad");
  }
  TCC_TRY(read_window(ir, p));
  TccElem elem = p->window.x.elem;
  if (!tcc_scalar_type(elem) || elem == TCC_ELEM_BOOL) return TCC_ERROR(TCC_UNSUPPORTED, "a pool of %s", tcc_elem_name(elem));
  p->acc = p->kind == POOL_INDEX ? TCC_ELEM_I64 : tcc_scalar_accumulator(elem);
  int bits = (int)tcc_elem_bits(p->acc) < 32 ? 32 : (int)tcc_elem_bits(p->acc);
  p->lanes = tcc_vector_bits(machine) / bits;
  if (!tcc_window_contiguous(&p->window) && tcc_elem_bits(elem) < 32) p->lanes = 1;
  p->blocked = is_blocked(p);
  TCC_TRY(tcc_epilogue_read(ir, kernel, mlirOperationGetResult(p->op, 0), &p->epilogue));
  TCC_TRY(read_spans(ir, p));
  int64_t width = 256;
  tcc_expr_is_const(p->columns.count, &width);
  p->line = 256; /* positions of a row that are finished at once: the scratch line */
  int64_t work = (width < 1 ? 1 : width) * p->positions;
  p->rows_in_tile = work >= 16384 ? 1 : 16384 / work;
  return NULL;
}

/* ---- emission ---- */

typedef struct {
  TccKernelEmit *k;
  const Pool *p;
  TccVal image;               /* pointer to the channel's first element */
  TccVal flat;                /* index of that element in the whole of x (pool_index) */
  TccVal start[TCC_MAX_RANK]; /* first input coordinate of the window, outer axes */
} Row;

static TccVal unit(const Pool *p, TccEmit *e, const char *type) {
  return tcc_elem_is_float(p->acc) ? tcc_emit_float(e, type, 1.0) : tcc_emit_int(e, type, 1);
}

/* Strides of x's elements in the flat index: row-major, or with the first spatial axis fastest. */
static TccVal flat_stride(const Row *r, int axis) {
  const TccConv *v = &r->p->window;
  TccVal stride = tcc_emit_i64(r->k->e, 1);
  for (int i = 0; i < v->rank; i++)
    if (r->p->column_major ? i < axis : i > axis) stride = tcc_emit_mul(r->k->e, stride, tcc_kernel_size(r->k, v->in[i]));
  return stride;
}

/* The window at output positions [first, first + lanes) of the row: result in flight as p->acc. */
static TccVal emit_window(const Row *r, TccVal first, TccVal count) {
  TccEmit *e = r->k->e;
  const Pool *p = r->p;
  const TccConv *v = &p->window;
  int inner = v->rank - 1, n = v->rank;
  TccElem elem = v->x.elem, value_elem = p->kind == POOL_INDEX ? elem : p->acc;
  const char *type = tcc_emit_vector(e, tcc_scalar_type(value_elem), p->lanes), *index = tcc_emit_vector(e, "i64", p->lanes);
  const char *coordinate = tcc_emit_vector(e, "i32", p->lanes), *bits = tcc_emit_vector(e, "i1", p->lanes);
  TccStr combine = tcc_str(p->kind == POOL_MAX || p->kind == POOL_INDEX ? "max" : "sum");
  TccVal neutral = tcc_scalar_neutral(e, combine, value_elem, p->lanes), init[TCC_MAX_RANK + 3], next[TCC_MAX_RANK + 3];
  const char *types[TCC_MAX_RANK + 3];
  TccVal zero = tcc_emit_i64(e, 0), lanes_on = p->lanes > 1 ? tcc_emit_mask(e, count, p->lanes) : 0;
  for (int i = 0; i < n; i++) init[i] = zero, types[i] = "i64";
  int value = n, second = n + 1; /* carried: window position, value, and the index or the count */
  init[value] = neutral, types[value] = type;
  bool two = p->kind == POOL_INDEX || p->counts;
  if (p->kind == POOL_INDEX) init[second] = tcc_emit_int(e, index, -1), types[second] = index;
  if (p->counts) init[second] = tcc_emit_zero(e, type), types[second] = type;
  TccLoop tap;
  tcc_emit_for(e, &tap, zero, tcc_emit_i64(e, p->positions), 1, n + 1 + two, init, types);
  TccVal offset = zero, inside = 0, padded = 0, flat = zero;
  for (int i = 0; i < inner; i++) {
    TccVal at = tcc_emit_add(e, r->start[i], tcc_emit_mul(e, tap.in[i], tcc_emit_i64(e, v->dilation[i]))),
           size = tcc_kernel_size(r->k, v->in[i]);
    TccVal ok = tcc_emit_icmp(e, "ult", "i64", at, size);
    inside = inside ? tcc_emit_bin(e, "and", "i1", inside, ok) : ok;
    if (p->counts && p->include_pad) { /* coordinates from -pad on are never below it */
      ok = tcc_emit_icmp(e, "slt", "i64", at, tcc_emit_add(e, size, tcc_emit_i64(e, p->window.pad_end[i])));
      padded = padded ? tcc_emit_bin(e, "and", "i1", padded, ok) : ok;
    }
    offset = tcc_emit_add(e, offset, tcc_emit_mul(e, at, tcc_kernel_size(r->k, v->step[i])));
    if (p->kind == POOL_INDEX) flat = tcc_emit_add(e, flat, tcc_emit_mul(e, at, flat_stride(r, i)));
  }
  TccVal size = tcc_kernel_size(r->k, v->in[inner]), limit = inside ? tcc_emit_select1(e, "i64", inside, size, zero) : size;
  TccVal from = tcc_emit_sub(e, tcc_emit_mul(e, first, tcc_emit_i64(e, v->stride[inner])), tcc_emit_i64(e, v->pad[inner]));
  from = tcc_emit_add(e, from, tcc_emit_mul(e, tap.in[inner], tcc_emit_i64(e, v->dilation[inner])));
  TccVal at, mask, row = tcc_emit_gep(e, tcc_scalar_memory_type(elem), r->image, offset);
  TccVal x = tcc_window_load(r->k, v, p->lanes, row, from, limit, lanes_on, &at, &mask);
  x = tcc_scalar_convert(e, elem, value_elem, p->lanes, tcc_scalar_from_memory(e, elem, p->lanes, x));
  if (p->kind == POOL_INDEX) {
    TccVal here = tcc_emit_cast(e, "sext", coordinate, index, at);
    here = tcc_emit_bin(e, "mul", index, here, tcc_emit_splat(e, index, flat_stride(r, inner)));
    here = tcc_emit_bin(e, "add", index, here, tcc_emit_splat(e, index, tcc_emit_add(e, flat, r->flat)));
    TccElem wide = tcc_scalar_accumulator(elem);
    const char *compared = tcc_emit_vector(e, tcc_scalar_type(wide), p->lanes);
    TccVal a = tcc_scalar_convert(e, elem, wide, p->lanes, x), b = tcc_scalar_convert(e, elem, wide, p->lanes, tap.in[value]);
    const char *greater = tcc_elem_is_float(elem) ? "ogt" : tcc_elem_is_signed(elem) ? "sgt" : "ugt";
    TccVal better = tcc_elem_is_float(elem) ? tcc_emit_fcmp(e, greater, compared, a, b) : tcc_emit_icmp(e, greater, compared, a, b);
    TccVal none = tcc_emit_icmp(e, "slt", index, tap.in[second], tcc_emit_zero(e, index));
    better = tcc_emit_bin(e, "and", bits, tcc_emit_bin(e, "or", bits, better, none), mask);
    next[value] = tcc_emit_select(e, type, better, x, tap.in[value]);
    next[second] = tcc_emit_select(e, index, better, here, tap.in[second]);
  } else {
    x = tcc_emit_select(e, type, mask, x, neutral);
    next[value] = tcc_scalar_combine(e, combine, p->acc, p->lanes, tap.in[value], x);
  }
  if (p->counts) {
    TccVal counted = mask;
    if (p->include_pad) {
      TccVal bound = tcc_emit_cast(e, "trunc", "i64", "i32", tcc_emit_add(e, size, tcc_emit_i64(e, v->pad_end[inner])));
      counted = tcc_emit_icmp(e, "slt", coordinate, at, tcc_emit_splat(e, coordinate, bound));
      if (padded) counted = tcc_emit_bin(e, "and", bits, counted, tcc_emit_splat(e, bits, padded));
    }
    TccVal more = tcc_emit_select(e, type, counted, unit(p, e, type), tcc_emit_zero(e, type));
    next[second] = tcc_emit_bin(e, tcc_elem_is_float(p->acc) ? "fadd" : "add", type, tap.in[second], more);
  }
  TccVal carry = tcc_emit_i64(e, 1);
  for (int i = n; i-- > 0;) {
    TccVal up = tcc_emit_add(e, tap.in[i], carry), wraps = tcc_emit_icmp(e, "eq", "i64", up, tcc_emit_i64(e, v->kernel[i]));
    next[i] = tcc_emit_select1(e, "i64", wraps, zero, up);
    carry = tcc_emit_cast(e, "zext", "i1", "i64", wraps);
  }
  tcc_emit_end_for(e, &tap, next);

  if (p->kind == POOL_INDEX) { /* a window without an element points at the first */
    TccVal none = tcc_emit_icmp(e, "slt", index, tap.out[second], tcc_emit_zero(e, index));
    return tcc_emit_select(e, index, none, tcc_emit_splat(e, index, r->flat), tap.out[second]);
  }
  if (p->kind != POOL_AVG) return tap.out[value];
  bool is_float = tcc_elem_is_float(p->acc);
  if (is_float) {
    TccVal divisor = p->counts ? tap.out[second] : tcc_emit_float(e, type, (double)p->positions);
    return tcc_emit_bin(e, "fdiv", type, tap.out[value], divisor);
  }
  TccVal divisor = tcc_emit_int(e, type, p->positions);
  if (p->counts) { /* an empty window: 0 / 1 */
    TccVal empty = tcc_emit_icmp(e, "eq", type, tap.out[second], tcc_emit_zero(e, type));
    divisor = tcc_emit_select(e, type, empty, unit(p, e, type), tap.out[second]);
  }
  return tcc_emit_bin(e, tcc_elem_is_signed(p->acc) ? "sdiv" : "udiv", type, tap.out[value], divisor);
}

/* What a window that begins at `start` covers of [0, limit): positions [*from, *to) of it. */
static void positions_inside(TccEmit *e, const TccConv *v, int axis, TccVal start, TccVal limit, TccVal *from, TccVal *to) {
  TccVal zero = tcc_emit_i64(e, 0);
  *from = tcc_emit_ceil_div(e, tcc_emit_max(e, tcc_emit_sub(e, zero, start), zero), v->dilation[axis]);
  *to = tcc_emit_min(e, tcc_emit_ceil_div(e, tcc_emit_max(e, tcc_emit_sub(e, limit, start), zero), v->dilation[axis]),
                     tcc_emit_i64(e, v->kernel[axis]));
}

/* The window of output column `at` of the row, on blocked channels. */
static TccVal emit_blocked_window(const Row *r, TccVal at) {
  TccEmit *e = r->k->e;
  const Pool *p = r->p;
  const TccConv *v = &p->window;
  TccElem elem = v->x.elem;
  const char *memory = tcc_scalar_memory_type(elem), *type = tcc_emit_vector(e, tcc_scalar_type(p->acc), p->lanes);
  TccStr combine = tcc_str(p->kind == POOL_MAX ? "max" : "sum");
  TccVal value = tcc_scalar_neutral(e, combine, p->acc, p->lanes), start[2], from[2], to[2], size[2];
  start[0] = r->start[0],
  start[1] = tcc_emit_sub(e, tcc_emit_mul(e, at, tcc_emit_i64(e, v->stride[1])), tcc_emit_i64(e, v->pad[1]));
  for (int i = 0; i < 2; i++)
    size[i] = tcc_kernel_size(r->k, v->in[i]), positions_inside(e, v, i, start[i], size[i], &from[i], &to[i]);
  TccLoop row, column;
  tcc_emit_for(e, &row, from[0], to[0], 1, 1, &value, &type);
  TccVal y = tcc_emit_add(e, start[0], tcc_emit_mul(e, row.iv, tcc_emit_i64(e, v->dilation[0])));
  TccVal line = tcc_emit_gep(e, memory, r->image, tcc_emit_mul(e, y, tcc_kernel_size(r->k, v->step[0])));
  tcc_emit_for(e, &column, from[1], to[1], 1, 1, &row.in[0], &type);
  TccVal x = tcc_emit_add(e, start[1], tcc_emit_mul(e, column.iv, tcc_emit_i64(e, v->dilation[1])));
  x = tcc_emit_load(e, tcc_emit_vector(e, memory, p->lanes),
                    tcc_emit_gep(e, memory, line, tcc_emit_mul(e, x, tcc_kernel_size(r->k, v->step[1]))));
  x = tcc_scalar_convert(e, elem, p->acc, p->lanes, tcc_scalar_from_memory(e, elem, p->lanes, x));
  TccVal next = tcc_scalar_combine(e, combine, p->acc, p->lanes, column.in[0], x);
  tcc_emit_end_for(e, &column, &next);
  tcc_emit_end_for(e, &row, &column.out[0]);
  if (p->kind != POOL_AVG) return row.out[0];
  bool is_float = tcc_elem_is_float(p->acc);
  TccVal count = tcc_emit_i64(e, p->positions);
  if (p->counts) {
    for (int i = 0; i < 2 && p->include_pad; i++) /* from -pad to the end of the padding behind */
      positions_inside(e, v, i, start[i], tcc_emit_add(e, size[i], tcc_emit_i64(e, v->pad_end[i])), &from[i], &to[i]),
          from[i] = tcc_emit_i64(e, 0);
    TccVal rows = tcc_emit_max(e, tcc_emit_sub(e, to[0], from[0]), tcc_emit_i64(e, 0)),
           columns = tcc_emit_max(e, tcc_emit_sub(e, to[1], from[1]), tcc_emit_i64(e, 0));
    count = tcc_emit_mul(e, rows, columns);
    if (!is_float) count = tcc_emit_max(e, count, tcc_emit_i64(e, 1)); /* an empty window: 0 / 1 */
  }
  TccVal divisor = tcc_emit_splat(e, type, tcc_scalar_convert(e, TCC_ELEM_I64, p->acc, 1, count));
  return tcc_emit_bin(e, is_float ? "fdiv" : tcc_elem_is_signed(p->acc) ? "sdiv" : "udiv", type, row.out[0], divisor);
}

static void emit_row(TccKernelEmit *k, const Pool *p, TccVal scratch, TccVal row) {
  TccEmit *e = k->e;
  const TccConv *v = &p->window;
  Row r = {.k = k, .p = p};
  TccVal rest = row;
  for (int i = v->rank - 2 - p->blocked; i >= 0; i--) {
    TccVal size = tcc_kernel_size(k, v->out[i]), at = tcc_emit_rem(e, rest, size);
    rest = tcc_emit_div(e, rest, size);
    r.start[i] = tcc_emit_sub(e, tcc_emit_mul(e, at, tcc_emit_i64(e, v->stride[i])), tcc_emit_i64(e, v->pad[i]));
  }
  TccVal channels = tcc_kernel_size(k, tcc_type_dim(k->ir, tcc_value_type(mlirOperationGetOperand(p->op, 0)), 1));
  TccVal image = tcc_emit_mul(e, tcc_emit_div(e, rest, channels), tcc_kernel_size(k, v->image_stride));
  image = tcc_emit_add(e, image, tcc_emit_mul(e, tcc_emit_rem(e, rest, channels), tcc_kernel_size(k, v->channel_stride)));
  r.image = tcc_emit_gep(e, tcc_scalar_memory_type(v->x.elem), tcc_view_pointer(k, &v->x), image);
  r.flat = rest;
  for (int i = 0; p->kind == POOL_INDEX && i < v->rank; i++) r.flat = tcc_emit_mul(e, r.flat, tcc_kernel_size(k, v->in[i]));

  const char *elem = tcc_scalar_type(p->acc), *type = tcc_emit_vector(e, elem, p->lanes);
  TccVal zero = tcc_emit_i64(e, 0), width = tcc_kernel_size(k, p->columns.count);
  TccLoop piece, x;
  tcc_emit_for(e, &piece, zero, width, p->line, 0, NULL, NULL);
  TccVal length = tcc_emit_min(e, tcc_emit_i64(e, p->line), tcc_emit_sub(e, width, piece.iv));
  tcc_emit_for(e, &x, zero, length, p->lanes, 0, NULL, NULL);
  TccVal at = tcc_emit_add(e, piece.iv, x.iv);
  TccVal result = p->blocked ? emit_blocked_window(&r, tcc_emit_div(e, at, tcc_emit_i64(e, p->lanes)))
                             : emit_window(&r, at, tcc_emit_sub(e, length, x.iv));
  tcc_emit_store(e, type, result, tcc_emit_gep(e, elem, scratch, x.iv));
  tcc_emit_end_for(e, &x, NULL);
  TccEpilogueCall call = {scratch, row, zero, piece.iv, tcc_emit_i64(e, 1), length};
  tcc_epilogue_call(k, "finish", &call);
  tcc_emit_end_for(e, &piece, NULL);
}

TccStatus *tcc_pool_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Pool *p = TCC_NEW(ir->arena, Pool);
  TCC_TRY(read_pool(ir, &target->machine, kernel, p));
  TccEmit emit, *e = &emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, e, ir, &target->machine, kernel);
  TccEpilogueBlock block = {&p->epilogue, &p->rows, &p->one, &p->columns, 0, p->acc, p->line, p->lanes};
  TccStatus *status = tcc_epilogue_emit(&k, "finish", &block);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  TccKernelEntry entry;
  tcc_kernel_entry(&k, &entry);
  TccVal size = tcc_emit_i64(e, p->rows_in_tile), rows = tcc_kernel_size(&k, p->rows.count);
  TccLoop row;
  TccVal end = tcc_emit_min(e, tcc_emit_mul(e, entry.end, size), rows);
  tcc_emit_for(e, &row, tcc_emit_mul(e, entry.begin, size), end, 1, 0, NULL, NULL);
  emit_row(&k, p, entry.scratch, row.iv);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_return(e, 0, NULL);
  TccExprPool *pool = ir->exprs;
  const TccExpr *tiles =
      tcc_expr_call(pool, TCC_EXPR_CEILDIV, tcc_kernel_slot(&k, p->rows.count), tcc_expr_const(pool, p->rows_in_tile));
  const char *schedule = tcc_arena_printf(ir->arena, "x86.pool/1 lanes=%d rows=%lld", p->lanes, (long long)p->rows_in_tile);
  tcc_kernel_finish(&k, "x86.pool", schedule, tiles, tcc_expr_const(pool, (p->line + 16) * 8), out);
  return NULL;
}

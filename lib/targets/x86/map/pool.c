/* pool.c - windows over the spatial axes, vectorised along the innermost output axis.
 *
 * One output row (image, channel, outer positions) at a time: each vector of the row walks the positions of the window,
 * padding being lanes that are off. Rows go through a scratch line into the epilogue; an axis at a time and without an epilogue
 * they go into the result. Averages count the elements of a window as they are met, where padding or ceil_mode can leave a window
 * partly outside.
 *
 * Where maxima and sums of rows side by side are asked for, an axis at a time: pool_lines.c.
 *
 * Channels in blocks of one vector (block_layout.c: a third axis, with windows of one) make a vector one position: a row is
 * then a row of the image, and a window the part of it that lies inside, walked without a mask. */
#include "lib/targets/x86/map/pool_internal.h"
#include "tcc/op_kinds.h"

enum {
  LINE = 256,        /* positions of a row that are finished at once, in a scratch line: 2 KB of the first cache at most */
  LINE_SLACK = 16,   /* behind it: the last vector of a row is stored whole */
  TILE_WORK = 16384, /* elements that the windows of a tile read: enough that a tile is worth handing to a thread */
  MOST_BYTES = 8,    /* of what a lane accumulates */
  SCRATCH = (POOL_LINES * LINE + LINE_SLACK) * MOST_BYTES
};

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
  bool padded = false;
  p->ceil_mode = tcc_bool(ir, p->op, "ceil_mode");
  for (int i = 0; i < v->rank; i++) {
    v->kernel[i] = kernel[i], v->stride[i] = strides[i], v->pad[i] = pads[i], v->dilation[i] = dilations[i];
    v->pad_end[i] = pads[v->rank + i];
    padded = padded || pads[i] || p->window.pad_end[i];
    p->positions *= kernel[i];
    v->in[i] = tcc_type_dim(ir, xt, i + 2);
    v->out[i] = tcc_type_dim(ir, rt, i + 2);
    v->step[i] = v->x.axis[i + 2].stride[0];
  }
  p->counts = p->kind == POOL_AVG && (p->ceil_mode || (padded && !p->include_pad));
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

/* Nothing but the pool's result is stored, rows evenly and their elements side by side. */
static bool stores_windows(const Pool *p) {
  const TccEpilogue *ep = &p->epilogue;
  int64_t stride;
  return p->lines && p->lanes > 1 && mlirValueEqual(ep->root, ep->anchor) && ep->bias < 0 && ep->result.elem == p->acc &&
         p->rows.n <= 1 && tcc_span_vectorizes(&p->columns, p->lanes) &&
         tcc_expr_is_const(tcc_span_inner_stride(p->ir, &p->columns, 0), &stride) && stride == 1;
}

/* Lanes of less than 32 bits that fill a register, where they are stored as they are, and an image's row has as many. */
static void widen_lines(const TccMachine *machine, Pool *p) {
  const int bits = (int)tcc_elem_bits(p->acc), lanes = p->lanes;
  int64_t width;
  const bool fixed = tcc_expr_is_const(p->window.in[p->window.rank - 1], &width);
  if (bits < 32) p->lanes = tcc_vector_bits(machine) / bits;
  while (p->lanes > lanes && fixed && width < p->lanes) p->lanes /= 2;
  p->stores = stores_windows(p);
  if (!p->stores) p->lanes = lanes;
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
  if (!tcc_elem_computes(elem) || tcc_elem_bits(elem) < 8 || elem == TCC_ELEM_BOOL)
    return TCC_ERROR(TCC_UNSUPPORTED, "a pool of %s", tcc_elem_name(elem));
  p->acc = p->kind == POOL_INDEX ? TCC_ELEM_I64 : tcc_elem_accumulator(elem);
  int bits = (int)tcc_elem_bits(p->acc) < 32 ? 32 : (int)tcc_elem_bits(p->acc);
  p->lanes = tcc_vector_bits(machine) / bits;
  p->blocked = is_blocked(p);
  p->lines = pool_takes_lines(p);
  if (!p->lines && !tcc_window_contiguous(&p->window) && tcc_elem_bits(elem) < 32) p->lanes = 1;
  TCC_TRY(tcc_epilogue_read(ir, kernel, mlirOperationGetResult(p->op, 0), &p->epilogue));
  TCC_TRY(read_spans(ir, p));
  widen_lines(machine, p);
  int64_t width = LINE; /* a guess where it is dynamic */
  tcc_expr_is_const(p->columns.count, &width);
  p->line = LINE;
  int64_t work = (width < 1 ? 1 : width) * p->positions;
  p->rows_in_tile = work >= TILE_WORK ? 1 : TILE_WORK / work;
  return NULL;
}

/* ---- emission ---- */

/* The outer positions of a row of the result, but the innermost axis, and the number of its channel among those of all images. */
typedef struct {
  TccVal at[TCC_MAX_RANK], channel;
} Place;

static int outer_axes(const Pool *p) { return p->window.rank - 1 - p->blocked; }

static Place place_of_row(TccKernelEmit *k, const Pool *p, TccVal row) {
  Place place = {.channel = row};
  for (int i = outer_axes(p); i-- > 0;) tcc_kernel_divide(k, place.channel, p->window.out[i], &place.channel, &place.at[i]);
  return place;
}

/* Of the next row: a division for each takes as long as a row of some vectors. */
static Place place_behind(TccKernelEmit *k, const Pool *p, const Place *place) {
  TccEmit *e = k->e;
  Place next = *place;
  TccVal carry = tcc_emit_i64(e, 1), zero = tcc_emit_i64(e, 0);
  for (int i = outer_axes(p); i-- > 0;) {
    TccVal up = tcc_emit_add(e, place->at[i], carry),
           wraps = tcc_emit_icmp(e, "eq", "i64", up, tcc_kernel_size(k, p->window.out[i]));
    next.at[i] = tcc_emit_select1(e, "i64", wraps, zero, up);
    carry = tcc_emit_cast(e, "zext", "i1", "i64", wraps);
  }
  next.channel = tcc_emit_add(e, place->channel, carry);
  return next;
}

static PoolRow place_row(TccKernelEmit *k, const Pool *p, const Place *place) {
  TccEmit *e = k->e;
  const TccConv *v = &p->window;
  PoolRow r = {.k = k, .p = p};
  TccVal image, channel, stride = tcc_kernel_size(k, v->channel_stride);
  for (int i = 0; i < outer_axes(p); i++)
    r.start[i] = tcc_emit_sub(e, tcc_emit_mul(e, place->at[i], tcc_emit_i64(e, v->stride[i])), tcc_emit_i64(e, v->pad[i]));
  const TccExpr *channels = tcc_type_dim(k->ir, tcc_value_type(mlirOperationGetOperand(p->op, 0)), 1);
  if (v->image_stride == tcc_expr_mul(k->ir->exprs, channels, v->channel_stride)) {
    image = tcc_emit_mul(e, place->channel, stride);
  } else {
    tcc_kernel_divide(k, place->channel, channels, &image, &channel);
    image = tcc_emit_add(e, tcc_emit_mul(e, image, tcc_kernel_size(k, v->image_stride)), tcc_emit_mul(e, channel, stride));
  }
  r.image = tcc_emit_gep(e, tcc_scalar_memory_type(v->x.elem), tcc_view_pointer(k, &v->x), image);
  r.flat = place->channel;
  for (int i = 0; p->kind == POOL_INDEX && i < v->rank; i++) r.flat = tcc_emit_mul(e, r.flat, tcc_kernel_size(k, v->in[i]));
  return r;
}

/* A loop over `count` rows from a place on: the row at hand. */
typedef struct {
  TccLoop loop;
  Place place;
  PoolRow row;
} RowLoop;

static int pack_place(const Pool *p, const Place *place, TccVal *out) {
  const int n = outer_axes(p);
  memcpy(out, place->at, (size_t)n * sizeof *out);
  out[n] = place->channel;
  return n + 1;
}

static void begin_rows(TccKernelEmit *k, const Pool *p, const Place *first, TccVal count, RowLoop *rows) {
  const char *types[TCC_MAX_RANK + 1];
  TccVal init[TCC_MAX_RANK + 1];
  const int n = pack_place(p, first, init);
  for (int i = 0; i < n; i++) types[i] = "i64";
  tcc_emit_for(k->e, &rows->loop, tcc_emit_i64(k->e, 0), count, 1, n, init, types);
  memcpy(rows->place.at, rows->loop.in, (size_t)(n - 1) * sizeof *rows->place.at);
  rows->place.channel = rows->loop.in[n - 1];
  rows->row = place_row(k, p, &rows->place);
}

static void end_rows(TccKernelEmit *k, const Pool *p, RowLoop *rows) {
  TccVal next[TCC_MAX_RANK + 1];
  Place behind = place_behind(k, p, &rows->place);
  pack_place(p, &behind, next);
  tcc_emit_end_for(k->e, &rows->loop, next);
}

/* Columns [from, from + length) of a row to `to`. line: of its rows combined, or 0. */
static void emit_columns(const PoolRow *r, TccVal to, TccVal lines, TccVal line, TccVal from, TccVal length) {
  TccEmit *e = r->k->e;
  const Pool *p = r->p;
  const char *elem = tcc_scalar_type(p->acc), *type = tcc_emit_vector(e, elem, p->lanes);
  if (p->blocked) {
    TccVal lanes = tcc_emit_i64(e, p->lanes);
    pool_blocked_call(r, "windows", to, tcc_emit_div(e, from, lanes), tcc_emit_div(e, length, lanes));
    return;
  }
  TccLoop x;
  tcc_emit_for(e, &x, tcc_emit_i64(e, 0), length, p->lanes, 0, NULL, NULL);
  TccVal at = tcc_emit_add(e, from, x.iv), left = tcc_emit_sub(e, length, x.iv);
  TccVal result = p->lines ? pool_line_window(r, lines, line, at) : pool_window(r, at, left);
  tcc_emit_masked_store(e, type, result, tcc_emit_gep(e, elem, to, x.iv), p->stores ? tcc_emit_mask(e, left, p->lanes) : 0);
  tcc_emit_end_for(e, &x, NULL);
}

/* Where columns from `from` on of a row lie in the result. */
static TccVal place_in_result(TccKernelEmit *k, const Pool *p, TccVal row, TccVal from) {
  TccVal offset = tcc_emit_add(k->e, tcc_span_offset(k, &p->rows, 0, row), tcc_span_offset(k, &p->columns, 0, from));
  return tcc_emit_gep(k->e, tcc_scalar_type(p->acc), tcc_view_pointer(k, &p->epilogue.result), offset);
}

/* Pieces of `count` rows from `row` on: emit_columns, then the epilogue. With lines the rows' lines are all filled before one is read, since
 * a vector that was stored in two parts is not read before both have left the queue of stores. */
static void emit_rows(TccKernelEmit *k, const Pool *p, const TccKernelEntry *entry, TccVal row, TccVal count) {
  TccEmit *e = k->e;
  const char *elem = tcc_scalar_type(p->acc);
  TccVal zero = tcc_emit_i64(e, 0), width = tcc_kernel_size(k, p->columns.count),
         lines = tcc_emit_at(e, "i8", entry->scratch, SCRATCH), size = 0;
  const Place first = place_of_row(k, p, row);
  TccLoop piece;
  RowLoop rows;
  if (p->lines) {
    size = tcc_kernel_size(k, pool_line_elements(p));
    begin_rows(k, p, &first, count, &rows);
    pool_fill_line(&rows.row, tcc_emit_gep(e, elem, lines, tcc_emit_mul(e, rows.loop.iv, size)));
    end_rows(k, p, &rows);
  }
  tcc_emit_for(e, &piece, zero, width, p->line, 0, NULL, NULL);
  TccVal length = tcc_emit_min(e, tcc_emit_i64(e, p->line), tcc_emit_sub(e, width, piece.iv));
  begin_rows(k, p, &first, count, &rows);
  TccVal to = p->stores ? place_in_result(k, p, tcc_emit_add(e, row, rows.loop.iv), piece.iv)
                        : tcc_emit_gep(e, elem, entry->scratch, tcc_emit_mul(e, rows.loop.iv, tcc_emit_i64(e, p->line)));
  if (p->lines) rows.row.counted = pool_count_rows(&rows.row);
  emit_columns(&rows.row, to, lines, p->lines ? tcc_emit_gep(e, elem, lines, tcc_emit_mul(e, rows.loop.iv, size)) : 0, piece.iv,
               length);
  end_rows(k, p, &rows);
  TccEpilogueCall call = {entry->scratch, zero, row, piece.iv, count, length};
  if (!p->stores) tcc_epilogue_call(k, "epilogue", &call);
  tcc_emit_end_for(e, &piece, NULL);
}

TccStatus *tcc_pool_emit(const TccTargetInfo *target, TccIr *ir, MlirOperation kernel, TccKernelCode *out) {
  Pool *p = TCC_NEW(ir->arena, Pool);
  TCC_TRY(read_pool(ir, &target->machine, kernel, p));
  TccEmit emit, *e = &emit;
  TccKernelEmit k;
  tcc_kernel_init(&k, e, ir, target, kernel);
  TccEpilogueBlock block = {&p->epilogue, &p->one, &p->rows, &p->columns, 0, p->acc, p->line, p->lanes};
  TccStatus *status = p->stores ? NULL : tcc_epilogue_emit(&k, "epilogue", &block);
  if (status) {
    tcc_kernel_abandon(&k);
    return status;
  }
  if (p->blocked) pool_blocked_emit(&k, p, "windows");
  TccKernelEntry entry;
  tcc_kernel_entry(&k, &entry);
  if (p->lines) pool_clear_lines(&k, p, tcc_emit_at(e, "i8", entry.scratch, SCRATCH));
  TccVal size = tcc_emit_i64(e, p->rows_in_tile), rows = tcc_kernel_size(&k, p->rows.count);
  TccLoop row;
  TccVal end = tcc_emit_min(e, tcc_emit_mul(e, entry.end, size), rows), one = tcc_emit_i64(e, 1);
  tcc_emit_for(e, &row, tcc_emit_mul(e, entry.begin, size), end, p->lines ? POOL_LINES : 1, 0, NULL, NULL);
  emit_rows(&k, p, &entry, row.iv, p->lines ? tcc_emit_min(e, tcc_emit_i64(e, POOL_LINES), tcc_emit_sub(e, end, row.iv)) : one);
  tcc_emit_end_for(e, &row, NULL);
  tcc_emit_return(e, 0, NULL);
  TccExprPool *pool = ir->exprs;
  const TccExpr *tiles =
      tcc_expr_call(pool, TCC_EXPR_CEILDIV, tcc_kernel_slot(&k, p->rows.count), tcc_expr_const(pool, p->rows_in_tile));
  const char *schedule = tcc_arena_printf(ir->arena, "x86.pool/1 lanes=%d rows=%lld%s", p->lanes, (long long)p->rows_in_tile,
                                          p->lines ? " lines" : "");
  const TccExpr *scratch = tcc_expr_const(pool, SCRATCH + LINE_SLACK * MOST_BYTES);
  if (p->lines)
    scratch = tcc_expr_add(
        pool, scratch,
        tcc_expr_mul(pool, tcc_kernel_slot(&k, pool_line_elements(p)), tcc_expr_const(pool, (POOL_LINES + 1) * MOST_BYTES)));
  tcc_kernel_tell(&k, 0);
  tcc_kernel_finish(&k, "x86.pool", schedule, tiles, scratch, out);
  return NULL;
}

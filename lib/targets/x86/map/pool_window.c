/* pool_window.c - one window of a pool. Lanes are output positions side by side, each with a part of its window outside of x:
 * positions of the window are walked for all of them, under masks, and of a large window only those at which a lane may have an element.
 * On blocked channels lanes are channels, and the walk keeps inside. */
#include "lib/targets/x86/map/pool_internal.h"

enum {
  CLIPPED = 128, /* positions of a window from which on finding those inside takes less time than the others */
  STRAIGHT = 16  /* of one on blocked channels that are straight code, at most */
};

static TccVal unit(const Pool *p, TccEmit *e, const char *type) {
  return tcc_elem_is_float(p->acc) ? tcc_emit_float(e, type, 1.0) : tcc_emit_int(e, type, 1);
}

/* Strides of x's elements in the flat index: row-major, or with the first spatial axis fastest. */
static TccVal flat_stride(const PoolRow *r, int axis) {
  const TccConv *v = &r->p->window;
  TccVal stride = tcc_emit_i64(r->k->e, 1);
  for (int i = 0; i < v->rank; i++)
    if (r->p->column_major ? i < axis : i > axis) stride = tcc_emit_mul(r->k->e, stride, tcc_kernel_size(r->k, v->in[i]));
  return stride;
}

void pool_positions_inside(TccEmit *e, const TccConv *v, int axis, TccVal start, TccVal limit, TccVal *from, TccVal *to) {
  TccVal zero = tcc_emit_i64(e, 0);
  *from = tcc_emit_ceil_div(e, tcc_emit_max(e, tcc_emit_sub(e, zero, start), zero), v->dilation[axis]);
  *to = tcc_emit_min(e, tcc_emit_ceil_div(e, tcc_emit_max(e, tcc_emit_sub(e, limit, start), zero), v->dilation[axis]),
                     tcc_emit_i64(e, v->kernel[axis]));
}

/* One window of `lanes` output positions side by side, walked position by position. Carried through the loop: the coordinates in the
 * window, the value, and where there is a second one the index (pool_index) or the count (averages). */
typedef struct {
  const PoolRow *r;
  TccElem elem;                                 /* of the value: x's for pool_index, else the accumulator's */
  const char *type, *index, *coordinate, *bits; /* vectors of it, of i64, i32 and i1 */
  TccStr combine;
  TccLoop tap;
  bool clipped; /* coordinates go from `from` to `to`, else through the window */
  TccVal from[TCC_MAX_RANK], to[TCC_MAX_RANK];
  TccVal lanes_on;       /* lanes that are in the row */
  TccVal inside, padded; /* scalars: the outer coordinates are in x, in the padded x; 0: there are none */
  TccVal offset, flat;   /* of the outer coordinates: in elements from the image, in the flat index */
  TccVal at, mask, x;    /* what was read: inner coordinates, lanes that are in x, values */
} Window;

static bool has_second(const Pool *p) { return p->kind == POOL_INDEX || p->counts; }

/* first: the output position of lane 0. Averages that count padding see that, too. */
static void clip(Window *w, TccVal first) {
  TccEmit *e = w->r->k->e;
  const Pool *p = w->r->p;
  const TccConv *v = &p->window;
  const int inner = v->rank - 1;
  w->clipped = p->positions >= CLIPPED;
  for (int i = 0; w->clipped && i < v->rank; i++) {
    TccVal size = tcc_kernel_size(w->r->k, v->in[i]), start = w->r->start[i], unused;
    if (i == inner) start = tcc_emit_sub(e, tcc_emit_mul(e, first, tcc_emit_i64(e, v->stride[i])), tcc_emit_i64(e, v->pad[i]));
    TccVal last = i == inner ? tcc_emit_add(e, start, tcc_emit_i64(e, (p->lanes - 1) * v->stride[i])) : start;
    if (p->counts && p->include_pad) { /* no coordinate is below -pad */
      w->from[i] = tcc_emit_i64(e, 0);
      pool_positions_inside(e, v, i, start, tcc_emit_add(e, size, tcc_emit_i64(e, v->pad_end[i])), &unused, &w->to[i]);
    } else {
      pool_positions_inside(e, v, i, start, size, &unused, &w->to[i]);
      pool_positions_inside(e, v, i, last, size, &w->from[i], &unused);
    }
  }
}

static TccVal all_positions(const Window *w) {
  TccEmit *e = w->r->k->e;
  TccVal all = tcc_emit_i64(e, w->clipped ? 1 : w->r->p->positions);
  for (int i = 0; w->clipped && i < w->r->p->window.rank; i++)
    all = tcc_emit_mul(e, all, tcc_emit_max(e, tcc_emit_sub(e, w->to[i], w->from[i]), tcc_emit_i64(e, 0)));
  return all;
}

static void begin_positions(Window *w, TccVal count) {
  TccEmit *e = w->r->k->e;
  const Pool *p = w->r->p;
  int n = p->window.rank, value = n, second = n + 1;
  TccVal init[TCC_MAX_RANK + 3] = {0}, neutral = tcc_scalar_neutral(e, w->combine, w->elem, p->lanes), zero = tcc_emit_i64(e, 0);
  const char *types[TCC_MAX_RANK + 3];
  w->lanes_on = p->lanes > 1 ? tcc_emit_mask(e, count, p->lanes) : 0;
  for (int i = 0; i < n; i++) init[i] = w->clipped ? w->from[i] : zero, types[i] = "i64";
  init[value] = neutral, types[value] = w->type;
  if (p->kind == POOL_INDEX) init[second] = tcc_emit_int(e, w->index, -1), types[second] = w->index;
  if (p->counts) init[second] = tcc_emit_zero(e, w->type), types[second] = w->type;
  tcc_emit_for(e, &w->tap, zero, all_positions(w), 1, n + 1 + has_second(p), init, types);
  w->offset = w->flat = zero;
}

static void place_outer(Window *w) {
  TccEmit *e = w->r->k->e;
  const Pool *p = w->r->p;
  const TccConv *v = &p->window;
  for (int i = 0; i < v->rank - 1; i++) {
    TccVal at = tcc_emit_add(e, w->r->start[i], tcc_emit_mul(e, w->tap.in[i], tcc_emit_i64(e, v->dilation[i]))),
           size = tcc_kernel_size(w->r->k, v->in[i]);
    TccVal ok = tcc_emit_icmp(e, "ult", "i64", at, size);
    w->inside = w->inside ? tcc_emit_bin(e, "and", "i1", w->inside, ok) : ok;
    if (p->counts && p->include_pad) { /* coordinates from -pad on are never below it */
      ok = tcc_emit_icmp(e, "slt", "i64", at, tcc_emit_add(e, size, tcc_emit_i64(e, v->pad_end[i])));
      w->padded = w->padded ? tcc_emit_bin(e, "and", "i1", w->padded, ok) : ok;
    }
    w->offset = tcc_emit_add(e, w->offset, tcc_emit_mul(e, at, tcc_kernel_size(w->r->k, v->step[i])));
    if (p->kind == POOL_INDEX) w->flat = tcc_emit_add(e, w->flat, tcc_emit_mul(e, at, flat_stride(w->r, i)));
  }
}

/* first: the output position of lane 0. */
static void read_inner(Window *w, TccVal first, TccVal size) {
  TccEmit *e = w->r->k->e;
  const Pool *p = w->r->p;
  const TccConv *v = &p->window;
  const int inner = v->rank - 1;
  TccElem elem = v->x.elem;
  TccVal limit = w->inside ? tcc_emit_select1(e, "i64", w->inside, size, tcc_emit_i64(e, 0)) : size;
  TccVal from = tcc_emit_sub(e, tcc_emit_mul(e, first, tcc_emit_i64(e, v->stride[inner])), tcc_emit_i64(e, v->pad[inner]));
  from = tcc_emit_add(e, from, tcc_emit_mul(e, w->tap.in[inner], tcc_emit_i64(e, v->dilation[inner])));
  TccVal row = tcc_emit_gep(e, tcc_scalar_memory_type(elem), w->r->image, w->offset);
  w->x = tcc_window_load(w->r->k, v, p->lanes, row, from, limit, w->lanes_on, &w->at, &w->mask);
  w->x = tcc_scalar_convert(e, elem, w->elem, p->lanes, tcc_scalar_from_memory(e, elem, p->lanes, w->x));
}

/* The first of the largest elements, and its flat index. */
static void take_larger(const Window *w, TccVal *next_value, TccVal *next_index) {
  TccEmit *e = w->r->k->e;
  const Pool *p = w->r->p;
  int value = p->window.rank, second = value + 1;
  TccVal here = tcc_emit_cast(e, "sext", w->coordinate, w->index, w->at);
  here = tcc_emit_bin(e, "mul", w->index, here, tcc_emit_splat(e, w->index, flat_stride(w->r, p->window.rank - 1)));
  here = tcc_emit_bin(e, "add", w->index, here, tcc_emit_splat(e, w->index, tcc_emit_add(e, w->flat, w->r->flat)));
  TccElem wide = tcc_elem_accumulator(w->elem);
  const char *compared = tcc_emit_vector(e, tcc_scalar_type(wide), p->lanes);
  TccVal a = tcc_scalar_convert(e, w->elem, wide, p->lanes, w->x),
         b = tcc_scalar_convert(e, w->elem, wide, p->lanes, w->tap.in[value]);
  const char *greater = tcc_elem_is_float(w->elem) ? "ogt" : tcc_elem_is_signed(w->elem) ? "sgt" : "ugt";
  TccVal better =
      tcc_elem_is_float(w->elem) ? tcc_emit_fcmp(e, greater, compared, a, b) : tcc_emit_icmp(e, greater, compared, a, b);
  TccVal none = tcc_emit_icmp(e, "slt", w->index, w->tap.in[second], tcc_emit_zero(e, w->index));
  better = tcc_emit_bin(e, "and", w->bits, tcc_emit_bin(e, "or", w->bits, better, none), w->mask);
  *next_value = tcc_emit_select(e, w->type, better, w->x, w->tap.in[value]);
  *next_index = tcc_emit_select(e, w->index, better, here, w->tap.in[second]);
}

/* One more where this position counts. size: of x along the innermost axis. */
static TccVal count_position(const Window *w, TccVal size) {
  TccEmit *e = w->r->k->e;
  const Pool *p = w->r->p;
  TccVal counted = w->mask;
  if (p->include_pad) {
    TccVal end = tcc_emit_add(e, size, tcc_emit_i64(e, p->window.pad_end[p->window.rank - 1]));
    TccVal bound = tcc_emit_cast(e, "trunc", "i64", "i32", end);
    counted = tcc_emit_icmp(e, "slt", w->coordinate, w->at, tcc_emit_splat(e, w->coordinate, bound));
    if (w->padded) counted = tcc_emit_bin(e, "and", w->bits, counted, tcc_emit_splat(e, w->bits, w->padded));
  }
  TccVal more = tcc_emit_select(e, w->type, counted, unit(p, e, w->type), tcc_emit_zero(e, w->type));
  return tcc_emit_bin(e, tcc_elem_is_float(p->acc) ? "fadd" : "add", w->type, w->tap.in[p->window.rank + 1], more);
}

/* The next coordinates in the window, the innermost fastest. */
static void step_coordinates(const Window *w, TccVal *next) {
  TccEmit *e = w->r->k->e;
  const TccConv *v = &w->r->p->window;
  TccVal carry = tcc_emit_i64(e, 1), zero = tcc_emit_i64(e, 0);
  for (int i = v->rank; i-- > 0;) {
    TccVal up = tcc_emit_add(e, w->tap.in[i], carry),
           wraps = tcc_emit_icmp(e, "eq", "i64", up, w->clipped ? w->to[i] : tcc_emit_i64(e, v->kernel[i]));
    next[i] = tcc_emit_select1(e, "i64", wraps, w->clipped ? w->from[i] : zero, up);
    carry = tcc_emit_cast(e, "zext", "i1", "i64", wraps);
  }
}

TccVal pool_average(const Pool *p, TccEmit *e, const char *type, TccVal sum, TccVal count) {
  if (tcc_elem_is_float(p->acc))
    return tcc_emit_bin(e, "fdiv", type, sum, p->counts ? count : tcc_emit_float(e, type, (double)p->positions));
  TccVal divisor = tcc_emit_int(e, type, p->positions);
  if (p->counts) { /* an empty window: 0 / 1 */
    TccVal empty = tcc_emit_icmp(e, "eq", type, count, tcc_emit_zero(e, type));
    divisor = tcc_emit_select(e, type, empty, unit(p, e, type), count);
  }
  return tcc_emit_bin(e, tcc_elem_is_signed(p->acc) ? "sdiv" : "udiv", type, sum, divisor);
}

TccVal pool_window(const PoolRow *r, TccVal first, TccVal count) {
  TccEmit *e = r->k->e;
  const Pool *p = r->p;
  Window w = {.r = r, .elem = p->kind == POOL_INDEX ? p->window.x.elem : p->acc};
  w.type = tcc_emit_vector(e, tcc_scalar_type(w.elem), p->lanes), w.index = tcc_emit_vector(e, "i64", p->lanes);
  w.coordinate = tcc_emit_vector(e, "i32", p->lanes), w.bits = tcc_emit_vector(e, "i1", p->lanes);
  w.combine = tcc_str(p->kind == POOL_MAX || p->kind == POOL_INDEX ? "max" : "sum");
  int n = p->window.rank, value = n, second = n + 1;
  TccVal next[TCC_MAX_RANK + 3];
  clip(&w, first);
  begin_positions(&w, count);
  place_outer(&w);
  TccVal size = tcc_kernel_size(r->k, p->window.in[n - 1]);
  read_inner(&w, first, size);
  if (p->kind == POOL_INDEX) {
    take_larger(&w, &next[value], &next[second]);
  } else {
    TccVal x = tcc_emit_select(e, w.type, w.mask, w.x, tcc_scalar_neutral(e, w.combine, w.elem, p->lanes));
    next[value] = tcc_scalar_combine(e, w.combine, p->acc, p->lanes, w.tap.in[value], x);
  }
  if (p->counts) next[second] = count_position(&w, size);
  step_coordinates(&w, next);
  tcc_emit_end_for(e, &w.tap, next);
  if (p->kind == POOL_INDEX) { /* a window without an element points at the first */
    TccVal none = tcc_emit_icmp(e, "slt", w.index, w.tap.out[second], tcc_emit_zero(e, w.index));
    return tcc_emit_select(e, w.index, none, tcc_emit_splat(e, w.index, r->flat), w.tap.out[second]);
  }
  return p->kind == POOL_AVG ? pool_average(p, e, w.type, w.tap.out[value], p->counts ? w.tap.out[second] : 0) : w.tap.out[value];
}

/* ---- blocked channels ---- */

/* A window of an image whose lanes are channels. */
typedef struct {
  const PoolRow *r;
  const char *type; /* a vector of what a lane accumulates */
  TccVal start[2], from[2], to[2];
} Blocked;

static TccVal blocked_element(const Blocked *w, TccVal row, TccVal column) {
  TccEmit *e = w->r->k->e;
  const Pool *p = w->r->p;
  const TccConv *v = &p->window;
  const char *memory = tcc_scalar_memory_type(v->x.elem);
  TccVal at[2] = {row, column}, x = w->r->image;
  for (int i = 0; i < 2; i++) {
    at[i] = tcc_emit_add(e, w->start[i], tcc_emit_mul(e, at[i], tcc_emit_i64(e, v->dilation[i])));
    x = tcc_emit_gep(e, memory, x, tcc_emit_mul(e, at[i], w->r->step[i]));
  }
  x = tcc_emit_load(e, tcc_emit_vector(e, memory, p->lanes), x);
  return tcc_scalar_convert(e, v->x.elem, p->acc, p->lanes, tcc_scalar_from_memory(e, v->x.elem, p->lanes, x));
}

static TccVal blocked_combine(const Blocked *w, TccVal a, TccVal b) {
  const Pool *p = w->r->p;
  return tcc_scalar_combine(w->r->k->e, tcc_str(p->kind == POOL_MAX ? "max" : "sum"), p->acc, p->lanes, a, b);
}

/* All positions, one after the other: rows and then columns, as the loop has them. */
static TccVal blocked_straight(const Blocked *w) {
  TccEmit *e = w->r->k->e;
  const int64_t *kernel = w->r->p->window.kernel;
  TccVal value = 0;
  for (int64_t y = 0; y < kernel[0]; y++)
    for (int64_t x = 0; x < kernel[1]; x++) {
      TccVal element = blocked_element(w, tcc_emit_i64(e, y), tcc_emit_i64(e, x));
      value = value ? blocked_combine(w, value, element) : element;
    }
  return value;
}

static TccVal blocked_loop(const Blocked *w) {
  TccEmit *e = w->r->k->e;
  const Pool *p = w->r->p;
  TccVal value = tcc_scalar_neutral(e, tcc_str(p->kind == POOL_MAX ? "max" : "sum"), p->acc, p->lanes);
  TccLoop row, column;
  tcc_emit_for(e, &row, w->from[0], w->to[0], 1, 1, &value, &w->type);
  tcc_emit_for(e, &column, w->from[1], w->to[1], 1, 1, &row.in[0], &w->type);
  TccVal next = blocked_combine(w, column.in[0], blocked_element(w, row.iv, column.iv));
  tcc_emit_end_for(e, &column, &next);
  tcc_emit_end_for(e, &row, &column.out[0]);
  return row.out[0];
}

/* A small window that lies inside is straight code. */
static TccVal blocked_value(const Blocked *w) {
  TccEmit *e = w->r->k->e;
  const Pool *p = w->r->p;
  if (p->positions > STRAIGHT) return blocked_loop(w);
  TccVal all = 0;
  for (int i = 0; i < 2; i++) {
    TccVal whole = tcc_emit_icmp(e, "eq", "i64", tcc_emit_sub(e, w->to[i], w->from[i]), tcc_emit_i64(e, p->window.kernel[i]));
    all = i ? tcc_emit_bin(e, "and", "i1", all, whole) : whole;
  }
  TccIf inside;
  tcc_emit_if(e, &inside, all, 1, &w->type);
  TccVal value = blocked_straight(w);
  tcc_emit_else(e, &inside, &value);
  value = blocked_loop(w);
  tcc_emit_end_if(e, &inside, &value);
  return inside.out[0];
}

static TccVal blocked_window(const PoolRow *r, TccVal at) {
  TccEmit *e = r->k->e;
  const Pool *p = r->p;
  const TccConv *v = &p->window;
  const char *type = tcc_emit_vector(e, tcc_scalar_type(p->acc), p->lanes);
  Blocked w = {.r = r, .type = type};
  TccVal *start = w.start, *from = w.from, *to = w.to;
  const TccVal *size = r->size;
  start[0] = r->start[0],
  start[1] = tcc_emit_sub(e, tcc_emit_mul(e, at, tcc_emit_i64(e, v->stride[1])), tcc_emit_i64(e, v->pad[1]));
  for (int i = 0; i < 2; i++) pool_positions_inside(e, v, i, start[i], size[i], &from[i], &to[i]);
  const TccVal value = blocked_value(&w);
  if (p->kind != POOL_AVG) return value;
  bool is_float = tcc_elem_is_float(p->acc);
  TccVal count = tcc_emit_i64(e, p->positions);
  if (p->counts) {
    for (int i = 0; i < 2 && p->include_pad; i++) /* from -pad to the end of the padding behind */
      pool_positions_inside(e, v, i, start[i], tcc_emit_add(e, size[i], tcc_emit_i64(e, v->pad_end[i])), &from[i], &to[i]),
          from[i] = tcc_emit_i64(e, 0);
    TccVal rows = tcc_emit_max(e, tcc_emit_sub(e, to[0], from[0]), tcc_emit_i64(e, 0)),
           columns = tcc_emit_max(e, tcc_emit_sub(e, to[1], from[1]), tcc_emit_i64(e, 0));
    count = tcc_emit_mul(e, rows, columns);
    if (!is_float) count = tcc_emit_max(e, count, tcc_emit_i64(e, 1)); /* an empty window: 0 / 1 */
  }
  TccVal divisor = tcc_emit_splat(e, type, tcc_scalar_convert(e, TCC_ELEM_I64, p->acc, 1, count));
  return tcc_emit_bin(e, is_float ? "fdiv" : tcc_elem_is_signed(p->acc) ? "sdiv" : "udiv", type, value, divisor);
}

/* windows(to, image, first input row, first output column, output columns, rows and columns of the image, elements from one to the next of each);
 * from a column to the next it is as a rule a vector, and then no argument that is looked at */
enum { TO, IMAGE, START, FIRST, COUNT, ROWS, COLUMNS, ROW_STEP, COLUMN_STEP, WINDOWS_ARGS };
static const char *const windows_types[WINDOWS_ARGS] = {TCC_PTR, TCC_PTR, "i64", "i64", "i64", "i64", "i64", "i64", "i64"};

void pool_blocked_emit(TccKernelEmit *k, const Pool *p, const char *name) {
  TccEmit *e = k->e;
  const char *elem = tcc_scalar_type(p->acc);
  TccVal arg[WINDOWS_ARGS];
  int64_t step;
  tcc_emit_function(e, name, true, WINDOWS_ARGS, windows_types, NULL, arg);
  if (tcc_expr_is_const(p->window.step[1], &step)) arg[COLUMN_STEP] = tcc_emit_i64(e, step);
  const PoolRow r = {.k = k,
                     .p = p,
                     .image = arg[IMAGE],
                     .start = {arg[START]},
                     .size = {arg[ROWS], arg[COLUMNS]},
                     .step = {arg[ROW_STEP], arg[COLUMN_STEP]}};
  TccLoop x;
  tcc_emit_for(e, &x, tcc_emit_i64(e, 0), arg[COUNT], 1, 0, NULL, NULL);
  const TccVal result = blocked_window(&r, tcc_emit_add(e, arg[FIRST], x.iv)),
               to = tcc_emit_gep(e, elem, arg[TO], tcc_emit_mul(e, x.iv, tcc_emit_i64(e, p->lanes)));
  tcc_emit_store(e, tcc_emit_vector(e, elem, p->lanes), result, to);
  tcc_emit_end_for(e, &x, NULL);
  tcc_emit_return(e, 0, NULL);
}

void pool_blocked_call(const PoolRow *r, const char *name, TccVal to, TccVal first, TccVal count) {
  const TccConv *v = &r->p->window;
  const TccVal arg[WINDOWS_ARGS] = {to,
                                    r->image,
                                    r->start[0],
                                    first,
                                    count,
                                    tcc_kernel_size(r->k, v->in[0]),
                                    tcc_kernel_size(r->k, v->in[1]),
                                    tcc_kernel_size(r->k, v->step[0]),
                                    tcc_kernel_size(r->k, v->step[1])};
  tcc_emit_call(r->k->e, name, WINDOWS_ARGS, arg, windows_types, NULL);
}

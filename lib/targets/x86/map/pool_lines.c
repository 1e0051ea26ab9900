/* pool_lines.c - windows of rows that lie in memory one element behind the other, an axis at a time.
 *
 * Maxima and sums are separable: the rows of a window are combined first, whole vectors of the image side by side, into a line
 * in scratch whose ends are the padding, neutral elements. The columns of a window are then a few vectors of that line: neighbours where
 * windows move by one, every other element of two vectors where they move by two. No element is read under a mask but the last of a
 * row, and each row of the image is read once for each window's row, not once for each of its positions. */
#include "lib/targets/x86/map/pool_internal.h"
#include "tcc/target.h"

enum { MOST_ROWS = 8 /* of a window that are straight code */, MOST_COLUMNS = 16 };
/* A line holds its padding and a vector of windows: strides and pads of models are far below, those above would take it out of the cache. */
enum { MOST_STRIDE = 64, MOST_PAD = 512 };

bool pool_takes_lines(const Pool *p) {
  const TccConv *v = &p->window;
  const int inner = v->rank - 1;
  int64_t step;
  return p->kind != POOL_INDEX && !p->blocked && v->rank <= 2 && v->kernel[inner] <= MOST_COLUMNS && p->positions > 1 &&
         v->stride[inner] <= MOST_STRIDE && v->pad[inner] <= MOST_PAD && v->pad_end[inner] <= MOST_PAD &&
         tcc_elem_bits(v->x.elem) >= 8 && tcc_expr_is_const(v->step[inner], &step) && step == 1;
}

/* What is read from a line: its padding and, for the last vector of a row, beyond. */
const TccExpr *pool_line_elements(const Pool *p) {
  const TccConv *v = &p->window;
  TccExprPool *exprs = p->ir->exprs;
  int inner = v->rank - 1;
  return tcc_expr_add(exprs, v->in[inner],
                      tcc_expr_const(exprs, v->pad[inner] + v->pad_end[inner] + v->stride[inner] * (p->lanes + 1) + 2 * p->lanes));
}

static TccStr combine_of(const Pool *p) { return tcc_str(p->kind == POOL_MAX ? "max" : "sum"); }

/* How many columns of each window are counted; first: where that of lane 0 begins in a line. */
static TccVal count_columns(TccKernelEmit *k, const Pool *p, TccVal first) {
  TccEmit *e = k->e;
  const TccConv *v = &p->window;
  int inner = v->rank - 1;
  bool is_float = tcc_elem_is_float(p->acc);
  const char *type = tcc_emit_vector(e, tcc_scalar_type(p->acc), p->lanes), *place = tcc_emit_vector(e, "i32", p->lanes);
  TccVal one = is_float ? tcc_emit_float(e, type, 1) : tcc_emit_int(e, type, 1), zero = tcc_emit_zero(e, type), columns = zero;
  TccVal limit = tcc_kernel_size(k, v->in[inner]),
         lane = p->lanes > 1
                    ? tcc_emit_bin(e, "mul", place, tcc_emit_iota(e, "i32", p->lanes), tcc_emit_int(e, place, v->stride[inner]))
                    : tcc_emit_int(e, place, 0);
  if (p->include_pad) limit = tcc_emit_add(e, limit, tcc_emit_i64(e, v->pad_end[inner] + v->pad[inner]));
  TccVal end = tcc_emit_splat(e, place, tcc_emit_cast(e, "trunc", "i64", "i32", limit));
  for (int64_t tap = 0; tap < v->kernel[inner]; tap++) { /* below 0 is a large number; padding that counts begins at 0 */
    TccVal way = tcc_emit_i64(e, tap * v->dilation[inner] - (p->include_pad ? 0 : v->pad[inner])),
           at = tcc_emit_splat(e, place, tcc_emit_cast(e, "trunc", "i64", "i32", tcc_emit_add(e, first, way)));
    TccVal counted = tcc_emit_icmp(e, "ult", place, tcc_emit_bin(e, "add", place, at, lane), end);
    columns = tcc_emit_bin(e, is_float ? "fadd" : "add", type, columns, tcc_emit_select(e, type, counted, one, zero));
  }
  return columns;
}

void pool_clear_lines(TccKernelEmit *k, const Pool *p, TccVal lines) {
  TccEmit *e = k->e;
  const char *elem = tcc_scalar_type(p->acc), *type = tcc_emit_vector(e, elem, p->lanes);
  TccVal end = tcc_emit_mul(e, tcc_kernel_size(k, pool_line_elements(p)), tcc_emit_i64(e, POOL_LINES));
  TccVal neutral = tcc_scalar_neutral(e, combine_of(p), p->acc, p->lanes);
  TccLoop x;
  tcc_emit_for(e, &x, tcc_emit_i64(e, 0), end, p->lanes, 0, NULL, NULL);
  tcc_emit_store(e, type, neutral, tcc_emit_gep(e, elem, lines, x.iv));
  tcc_emit_end_for(e, &x, NULL);
  if (!p->counts) return;
  int inner = p->window.rank - 1;
  TccVal counts = tcc_emit_gep(e, elem, lines, end);
  tcc_emit_for(e, &x, tcc_emit_i64(e, 0), tcc_kernel_size(k, p->window.out[inner]), p->lanes, 0, NULL, NULL);
  TccVal first = tcc_emit_mul(e, x.iv, tcc_emit_i64(e, p->window.stride[inner]));
  tcc_emit_store(e, type, count_columns(k, p, first), tcc_emit_gep(e, elem, counts, x.iv));
  tcc_emit_end_for(e, &x, NULL);
}

/* Where a row of the window begins, and the rows of it that are inside: all of them in a window of one axis. */
typedef struct {
  TccVal start, from, to;
} Rows;

static int64_t kernel_rows(const TccConv *v) { return v->rank > 1 ? v->kernel[0] : 1; }

static TccVal load_vector(const PoolRow *r, TccVal row, TccVal x, TccVal mask) {
  TccEmit *e = r->k->e;
  const Pool *p = r->p;
  TccElem elem = p->window.x.elem;
  const char *memory = tcc_scalar_memory_type(elem);
  TccVal v = tcc_emit_masked_load(e, tcc_emit_vector(e, memory, p->lanes), tcc_emit_gep(e, memory, row, x), mask);
  return tcc_scalar_convert(e, elem, p->acc, p->lanes, tcc_scalar_from_memory(e, elem, p->lanes, v));
}

/* The image's row that meets row `tap` of the window. */
static TccVal image_row(const PoolRow *r, const Rows *rows, TccVal tap) {
  TccEmit *e = r->k->e;
  const TccConv *v = &r->p->window;
  if (v->rank == 1) return r->image;
  TccVal at = tcc_emit_add(e, rows->start, tcc_emit_mul(e, tap, tcc_emit_i64(e, v->dilation[0])));
  return tcc_emit_gep(e, tcc_scalar_memory_type(v->x.elem), r->image, tcc_emit_mul(e, at, tcc_kernel_size(r->k, v->step[0])));
}

/* One vector of the line. image: the image's row of each row of the window, all of which are inside; or NULL. */
static void combine_rows(const PoolRow *r, const Rows *rows, const TccVal *image, TccVal x, TccVal mask, TccVal to) {
  TccEmit *e = r->k->e;
  const Pool *p = r->p;
  const char *elem = tcc_scalar_type(p->acc), *type = tcc_emit_vector(e, elem, p->lanes);
  TccStr combine = combine_of(p);
  TccVal value = 0;
  if (image) {
    for (int64_t tap = 0; tap < kernel_rows(&p->window); tap++) {
      TccVal v = load_vector(r, image[tap], x, mask);
      value = tap ? tcc_scalar_combine(e, combine, p->acc, p->lanes, value, v) : v;
    }
  } else {
    TccLoop tap;
    value = tcc_scalar_neutral(e, combine, p->acc, p->lanes);
    tcc_emit_for(e, &tap, rows->from, rows->to, 1, 1, &value, &type);
    value = tcc_scalar_combine(e, combine, p->acc, p->lanes, tap.in[0], load_vector(r, image_row(r, rows, tap.iv), x, mask));
    tcc_emit_end_for(e, &tap, &value);
    value = tap.out[0];
  }
  tcc_emit_masked_store(e, type, value, tcc_emit_gep(e, elem, to, x), mask);
}

/* all: every row of the window is inside: their addresses stand outside of the loop. */
static void fill(const PoolRow *r, const Rows *rows, bool all, TccVal line) {
  TccEmit *e = r->k->e;
  const TccConv *v = &r->p->window;
  int lanes = r->p->lanes;
  TccVal size = tcc_kernel_size(r->k, v->in[v->rank - 1]), count = tcc_emit_i64(e, lanes),
         whole = tcc_emit_mul(e, tcc_emit_div(e, size, count), count), image[MOST_ROWS];
  TccVal to = tcc_emit_at(e, tcc_scalar_type(r->p->acc), line, v->pad[v->rank - 1]);
  for (int64_t tap = 0; all && tap < kernel_rows(v); tap++) image[tap] = image_row(r, rows, tcc_emit_i64(e, tap));
  TccLoop x;
  tcc_emit_for(e, &x, tcc_emit_i64(e, 0), whole, lanes, 0, NULL, NULL);
  combine_rows(r, rows, all ? image : NULL, x.iv, 0, to);
  tcc_emit_end_for(e, &x, NULL);
  tcc_emit_for(e, &x, whole, size, lanes, 0, NULL, NULL); /* once at most */
  TccVal mask = tcc_emit_mask(e, tcc_emit_sub(e, size, x.iv), lanes);
  if (tcc_elem_bits(r->p->window.x.elem) >= 32) {
    combine_rows(r, rows, all ? image : NULL, x.iv, mask, to);
  } else { /* nothing reads less under a mask: the row's last vector again */
    TccIf wide;
    tcc_emit_if(e, &wide, tcc_emit_icmp(e, "sge", "i64", size, count), 0, NULL);
    combine_rows(r, rows, all ? image : NULL, tcc_emit_sub(e, size, count), 0, to);
    tcc_emit_else(e, &wide, NULL);
    combine_rows(r, rows, all ? image : NULL, x.iv, mask, to);
    tcc_emit_end_if(e, &wide, NULL);
  }
  tcc_emit_end_for(e, &x, NULL);
}

static Rows rows_of(const PoolRow *r) {
  TccEmit *e = r->k->e;
  const TccConv *v = &r->p->window;
  Rows rows = {tcc_emit_i64(e, 0), tcc_emit_i64(e, 0), tcc_emit_i64(e, kernel_rows(v))};
  if (v->rank > 1) {
    rows.start = r->start[0];
    pool_positions_inside(e, v, 0, rows.start, tcc_kernel_size(r->k, v->in[0]), &rows.from, &rows.to);
  }
  return rows;
}

void pool_fill_line(const PoolRow *r, TccVal line) {
  TccEmit *e = r->k->e;
  const TccConv *v = &r->p->window;
  Rows rows = rows_of(r);
  bool inside = v->rank == 1 || (!v->pad[0] && !v->pad_end[0] && !r->p->ceil_mode), brief = kernel_rows(v) <= MOST_ROWS;
  if (inside && brief) {
    fill(r, &rows, true, line);
  } else if (!brief) {
    fill(r, &rows, false, line);
  } else {
    TccVal count = tcc_emit_sub(e, rows.to, rows.from);
    TccIf all;
    tcc_emit_if(e, &all, tcc_emit_icmp(e, "eq", "i64", count, tcc_emit_i64(e, kernel_rows(v))), 0, NULL);
    fill(r, &rows, true, line);
    tcc_emit_else(e, &all, NULL);
    fill(r, &rows, false, line);
    tcc_emit_end_if(e, &all, NULL);
  }
}

/* Elements first, first + stride, ... of the line. */
static TccVal read_line(const PoolRow *r, TccVal line, TccVal first) {
  TccEmit *e = r->k->e;
  const Pool *p = r->p;
  int64_t stride = p->window.stride[p->window.rank - 1];
  const char *elem = tcc_scalar_type(p->acc), *type = tcc_emit_vector(e, elem, p->lanes);
  TccVal at = tcc_emit_gep(e, elem, line, first);
  if (stride == 1 || p->lanes == 1) return tcc_emit_load(e, type, at);
  if (stride == 2)
    return tcc_emit_even(e, type, tcc_emit_load(e, type, at), tcc_emit_load(e, type, tcc_emit_at(e, elem, at, p->lanes)));
  return tcc_emit_load_steps(e, type, at, tcc_emit_i64(e, stride), 0);
}

TccVal pool_count_rows(const PoolRow *r) {
  TccEmit *e = r->k->e;
  const Pool *p = r->p;
  const TccConv *v = &p->window;
  if (!p->counts || v->rank == 1) return 0;
  Rows rows = rows_of(r);
  if (p->include_pad) {
    TccVal size = tcc_emit_add(e, tcc_kernel_size(r->k, v->in[0]), tcc_emit_i64(e, v->pad_end[0]));
    pool_positions_inside(e, v, 0, rows.start, size, &rows.from, &rows.to);
    rows.from = tcc_emit_i64(e, 0);
  }
  TccVal count = tcc_emit_max(e, tcc_emit_sub(e, rows.to, rows.from), tcc_emit_i64(e, 0));
  return tcc_emit_splat(e, tcc_emit_vector(e, tcc_scalar_type(p->acc), p->lanes),
                        tcc_scalar_convert(e, TCC_ELEM_I64, p->acc, 1, count));
}

TccVal pool_line_window(const PoolRow *r, TccVal lines, TccVal line, TccVal at) {
  TccEmit *e = r->k->e;
  const Pool *p = r->p;
  const TccConv *v = &p->window;
  int inner = v->rank - 1;
  const char *type = tcc_emit_vector(e, tcc_scalar_type(p->acc), p->lanes);
  TccVal first = tcc_emit_mul(e, at, tcc_emit_i64(e, v->stride[inner])), value = 0;
  for (int64_t tap = 0; tap < v->kernel[inner]; tap++) {
    TccVal x = read_line(r, line, tcc_emit_add(e, first, tcc_emit_i64(e, tap * v->dilation[inner])));
    value = tap ? tcc_scalar_combine(e, combine_of(p), p->acc, p->lanes, value, x) : x;
  }
  if (p->kind != POOL_AVG) return value;
  TccVal count = 0;
  if (p->counts) {
    TccVal counted =
        tcc_emit_add(e, tcc_emit_mul(e, tcc_kernel_size(r->k, pool_line_elements(p)), tcc_emit_i64(e, POOL_LINES)), at);
    count = tcc_emit_load(e, type, tcc_emit_gep(e, tcc_scalar_type(p->acc), lines, counted));
    if (r->counted) count = tcc_emit_bin(e, tcc_elem_is_float(p->acc) ? "fmul" : "mul", type, count, r->counted);
  }
  return pool_average(p, e, type, value, count);
}

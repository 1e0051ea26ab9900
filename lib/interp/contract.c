/* contract.c - contractions: operands are brought to [batch, m, k] and [batch, k, n] and multiplied with the inner loop
 * along n, four rows at a time, so that a row of b is read once for four of c; convolutions go through columns (im2col)
 * and their adjoint through col2im. */
#include "lib/interp/internal.h"
#include "lib/ir/dot_axes.h"
#include <inttypes.h>

void tcc_matmul_double(int64_t m, int64_t n, int64_t k, const double *a, const double *b, double *c) {
  enum { BLOCK = 512 }; /* columns of c and b that stay in the first-level cache */
  for (int64_t from = 0; from < n; from += BLOCK) {
    int64_t width = n - from < BLOCK ? n - from : BLOCK;
    int64_t i = 0;
    for (; i + 4 <= m; i += 4) {
      double *c0 = c + i * n + from, *c1 = c0 + n, *c2 = c1 + n, *c3 = c2 + n;
      for (int64_t p = 0; p < k; p++) {
        const double *row = b + p * n + from;
        double a0 = a[i * k + p], a1 = a[(i + 1) * k + p], a2 = a[(i + 2) * k + p], a3 = a[(i + 3) * k + p];
        for (int64_t j = 0; j < width; j++) {
          double value = row[j];
          c0[j] += a0 * value;
          c1[j] += a1 * value;
          c2[j] += a2 * value;
          c3[j] += a3 * value;
        }
      }
    }
    for (; i < m; i++) {
      double *row_c = c + i * n + from;
      for (int64_t p = 0; p < k; p++) {
        const double *row = b + p * n + from;
        double value = a[i * k + p];
        for (int64_t j = 0; j < width; j++) row_c[j] += value * row[j];
      }
    }
  }
}

static void matmul_cells(bool is_float, int64_t m, int64_t n, int64_t k, const TccCell *a, const TccCell *b, TccCell *c) {
  if (is_float) {
    tcc_matmul_double(m, n, k, &a->f, &b->f, &c->f);
    return;
  }
  for (int64_t i = 0; i < m; i++)
    for (int64_t p = 0; p < k; p++)
      for (int64_t j = 0; j < n; j++)
        c[i * n + j].i = (int64_t)((uint64_t)c[i * n + j].i + (uint64_t)a[i * k + p].i * (uint64_t)b[p * n + j].i);
}

static void wrap_all(TccArray *r) {
  if (r->is_float) return;
  for (int64_t i = 0; i < r->count; i++) r->at[i].i = tcc_wrap(r->elem, r->at[i].i);
}

/* Cells of x with its axes in the given order, in scratch memory of the op. */
static TccCell *permuted(TccEval *e, const TccArray *x, const int64_t *order) {
  int64_t own[TCC_MAX_RANK], dims[TCC_MAX_RANK], strides[TCC_MAX_RANK];
  tcc_strides(x->rank, x->dims, own);
  for (int i = 0; i < x->rank; i++) dims[i] = x->dims[order[i]], strides[i] = own[order[i]];
  TccCell *cells = tcc_interp_scratch(e, (size_t)x->count * sizeof *cells);
  if (cells) tcc_cells_copy(cells, x->rank, dims, x->at, 0, strides);
  return cells;
}

static int64_t count_along(const TccArray *x, const int *axes, int naxes) {
  int64_t count = 1;
  for (int i = 0; i < naxes; i++) count *= x->dims[axes[i]];
  return count;
}

static int put_axes(int64_t *order, int at, const int *axes, int naxes) {
  for (int i = 0; i < naxes; i++) order[at++] = axes[i];
  return at;
}

TccStatus *tcc_eval_dot_general(TccEval *e) {
  const TccArray *a = e->in[0], *b = e->in[1];
  TccArray *r = e->out[0];
  TccDotAxes d;
  if (!tcc_dot_axes(e->ir, e->op, &d)) return TCC_ERROR(TCC_INVALID, "no axes");
  for (int i = 0; i < d.nbatch; i++)
    if (a->dims[d.batch[0][i]] != b->dims[d.batch[1][i]]) return TCC_ERROR(TCC_INVALID, "batch axis %d differs", i);
  for (int i = 0; i < d.ncontract; i++)
    if (a->dims[d.contract[0][i]] != b->dims[d.contract[1][i]]) return TCC_ERROR(TCC_INVALID, "contracted axis %d differs", i);
  int64_t batches = count_along(a, d.batch[0], d.nbatch), k = count_along(a, d.contract[0], d.ncontract);
  int64_t m = count_along(a, d.free[0], d.nfree[0]), n = count_along(b, d.free[1], d.nfree[1]);
  if (batches * m * n != r->count) return TCC_ERROR(TCC_INVALID, "the result does not have the product's shape");
  int64_t order_a[TCC_MAX_RANK], order_b[TCC_MAX_RANK]; /* [batch, m, k] and [batch, k, n] */
  int at_a = put_axes(order_a, 0, d.batch[0], d.nbatch), at_b = put_axes(order_b, 0, d.batch[1], d.nbatch);
  put_axes(order_a, put_axes(order_a, at_a, d.free[0], d.nfree[0]), d.contract[0], d.ncontract);
  put_axes(order_b, put_axes(order_b, at_b, d.contract[1], d.ncontract), d.free[1], d.nfree[1]);
  TccCell *pa = permuted(e, a, order_a), *pb = permuted(e, b, order_b);
  if (!pa || !pb) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (int64_t i = 0; i < batches; i++) matmul_cells(r->is_float, m, n, k, pa + i * m * k, pb + i * k * n, r->at + i * m * n);
  wrap_all(r);
  return NULL;
}

/* Substitution, from the row with one element on. */
TccStatus *tcc_eval_triangular_solve(TccEval *e) {
  const TccArray *a = e->in[0], *b = e->in[1];
  TccArray *r = e->out[0];
  const int64_t n = b->dims[b->rank - 2], m = b->dims[b->rank - 1], batches = tcc_product(b->dims, 0, b->rank - 2);
  const bool upper = tcc_bool(e->ir, e->op, "upper"), unit = tcc_bool(e->ir, e->op, "unit");
  if (a->count != batches * n * n) return TCC_ERROR(TCC_INVALID, "a does not have as many rows as b");
  for (int64_t k = 0; k < batches; k++) {
    const TccCell *ak = a->at + k * n * n, *bk = b->at + k * n * m;
    TccCell *rk = r->at + k * n * m;
    for (int64_t step = 0; step < n; step++) {
      const int64_t i = upper ? n - 1 - step : step, first = upper ? i + 1 : 0, end = upper ? n : i;
      for (int64_t c = 0; c < m; c++) {
        double sum = bk[i * m + c].f;
        for (int64_t j = first; j < end; j++) sum -= ak[i * n + j].f * rk[j * m + c].f;
        rk[i * m + c].f = unit ? sum : sum / ak[i * n + i].f;
      }
    }
  }
  return NULL;
}

TccStatus *tcc_eval_matmul(TccEval *e) {
  TccArray a = *e->in[0], b = *e->in[1], *r = e->out[0];
  if (a.rank == 0 || b.rank == 0) return TCC_ERROR(TCC_INVALID, "a scalar operand");
  if (a.rank == 1) a.rank = 2, a.dims[1] = a.dims[0], a.dims[0] = 1; /* a row */
  if (b.rank == 1) b.rank = 2, b.dims[1] = 1;                        /* a column */
  int64_t m = a.dims[a.rank - 2], k = a.dims[a.rank - 1], n = b.dims[b.rank - 1];
  if (b.dims[b.rank - 2] != k) return TCC_ERROR(TCC_INVALID, "inner sizes %" PRId64 " and %" PRId64, k, b.dims[b.rank - 2]);
  int batch_rank = (a.rank > b.rank ? a.rank : b.rank) - 2;
  int64_t dims[TCC_MAX_RANK], sa[TCC_MAX_RANK], sb[TCC_MAX_RANK], index[TCC_MAX_RANK] = {0};
  TccArray batch_a = a, batch_b = b;
  batch_a.rank -= 2, batch_b.rank -= 2;
  for (int i = 0; i < batch_rank; i++) {
    int ia = i - batch_rank + batch_a.rank, ib = i - batch_rank + batch_b.rank;
    int64_t da = ia < 0 ? 1 : a.dims[ia], db = ib < 0 ? 1 : b.dims[ib];
    dims[i] = da == 1 ? db : da;
  }
  if (!tcc_broadcast_strides(&batch_a, batch_rank, dims, sa) || !tcc_broadcast_strides(&batch_b, batch_rank, dims, sb))
    return TCC_ERROR(TCC_INVALID, "batch axes do not broadcast");
  if (tcc_product(dims, 0, batch_rank) * m * n != r->count)
    return TCC_ERROR(TCC_INVALID, "the result does not have the product's shape");
  if (r->count == 0) return NULL;
  TccCell *to = r->at;
  do {
    int64_t oa = 0, ob = 0;
    for (int i = 0; i < batch_rank; i++) oa += index[i] * sa[i], ob += index[i] * sb[i];
    matmul_cells(r->is_float, m, n, k, a.at + oa * m * k, b.at + ob * k * n, to);
    to += m * n;
  } while (tcc_next_index(batch_rank, dims, index));
  wrap_all(r);
  return NULL;
}

TccStatus *tcc_eval_linear(TccEval *e) {
  const TccArray *x = e->in[0], *w = e->in[1], *bias = e->in[2];
  TccArray *r = e->out[0];
  bool transposed = tcc_bool(e->ir, e->op, "transposed");
  int64_t k = x->dims[x->rank - 1], m = k ? x->count / k : 0, n = w->dims[transposed ? 0 : 1];
  if (w->count != n * k || r->count != (k ? m * n : r->count)) return TCC_ERROR(TCC_INVALID, "sizes of x and w do not fit");
  const TccCell *wt = w->at;
  if (transposed && !(wt = permuted(e, w, (int64_t[]){1, 0}))) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  matmul_cells(r->is_float, m, n, k, x->at, wt, r->at);
  if (bias) {
    int64_t strides[TCC_MAX_RANK];
    if (!tcc_broadcast_strides(bias, r->rank, r->dims, strides)) return TCC_ERROR(TCC_INVALID, "bias does not broadcast");
    TccCell *full = tcc_interp_scratch(e, (size_t)r->count * sizeof *full);
    if (!full) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
    tcc_cells_copy(full, r->rank, r->dims, bias->at, 0, strides);
    for (int64_t i = 0; i < r->count; i++) {
      if (r->is_float) r->at[i].f += full[i].f;
      else r->at[i].i = (int64_t)((uint64_t)r->at[i].i + (uint64_t)full[i].i);
    }
  }
  wrap_all(r);
  return NULL;
}

/* Row by row, in whatever groups `ends` has; see ragged_dot in ops.def. */
TccStatus *tcc_eval_ragged_dot(TccEval *e) {
  const TccArray *a = e->in[0], *b = e->in[1], *ends = e->in[2];
  TccArray *r = e->out[0];
  bool by_rows = tcc_str_is(tcc_string(e->ir, e->op, "ragged"), "rows");
  int64_t rows = a->dims[by_rows ? 0 : 1], groups = ends->count, n = b->dims[b->rank - 1];
  int64_t m = by_rows ? a->dims[1] : a->dims[0]; /* of a row of a, or of its transpose */
  const TccCell *at = by_rows ? a->at : permuted(e, a, (int64_t[]){1, 0});
  if (!at) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  if (r->count != (by_rows ? rows : groups * m) * n || b->count != (by_rows ? groups * m : rows) * n)
    return TCC_ERROR(TCC_INVALID, "sizes of a, b and ends do not fit");
  for (int64_t t = 0; t < rows; t++) {
    int64_t g = 0;
    for (int64_t i = 0; i < groups; i++) g += ends->at[i].i <= t;
    if (g == groups) continue;
    if (by_rows) matmul_cells(r->is_float, 1, n, m, at + t * m, b->at + g * m * n, r->at + t * n);
    else matmul_cells(r->is_float, m, n, 1, at + t * m, b->at + t * n, r->at + g * m * n);
  }
  return NULL;
}

/* ---- convolution ---- */
typedef struct {
  int spatial; /* number of spatial axes */
  const int64_t *strides, *pads, *dilations;
  int64_t image[TCC_MAX_RANK], kernel[TCC_MAX_RANK], grid[TCC_MAX_RANK]; /* sizes: the padded side, the window, the other side */
  int64_t image_count, kernel_count, grid_count;
} Windows;

static TccStatus *windows_make(TccEval *e, const TccArray *image, const TccArray *w, const TccArray *grid, Windows *out) {
  size_t n;
  *out = (Windows){.spatial = image->rank - 2, .image_count = 1, .kernel_count = 1, .grid_count = 1};
  if (image->rank < 2 || w->rank != image->rank || grid->rank != image->rank)
    return TCC_ERROR(TCC_INVALID, "ranks of x and w differ");
  out->strides = tcc_eval_ints(e, "strides", &n);
  out->dilations = tcc_eval_ints(e, "dilations", &n);
  out->pads = tcc_eval_ints(e, "pads", &n);
  for (int i = 0; i < out->spatial; i++) {
    out->image_count *= out->image[i] = image->dims[i + 2];
    out->kernel_count *= out->kernel[i] = w->dims[i + 2];
    out->grid_count *= out->grid[i] = grid->dims[i + 2];
  }
  return NULL;
}

/* Calls for every window position o and kernel position k: the flat image index, or -1 in the padding. */
static int64_t image_index(const Windows *w, const int64_t *o, const int64_t *k) {
  int64_t flat = 0;
  for (int i = 0; i < w->spatial; i++) {
    int64_t at = o[i] * w->strides[i] + k[i] * w->dilations[i] - w->pads[i];
    if (at < 0 || at >= w->image[i]) return -1;
    flat = flat * w->image[i] + at;
  }
  return flat;
}

/* table[k * grid_count + o] = image index: the same for all channels and images. */
static int64_t *index_table(TccEval *e, const Windows *w) {
  int64_t *table = tcc_interp_scratch(e, (size_t)(w->kernel_count * w->grid_count) * sizeof *table);
  if (!table || !w->kernel_count || !w->grid_count) return table;
  int64_t k[TCC_MAX_RANK] = {0}, at = 0;
  do {
    int64_t o[TCC_MAX_RANK] = {0};
    do table[at++] = image_index(w, o, k);
    while (tcc_next_index(w->spatial, w->grid, o));
  } while (tcc_next_index(w->spatial, w->kernel, k));
  return table;
}

static void add_bias(TccArray *r, const TccArray *bias) {
  int64_t inner = tcc_product(r->dims, 2, r->rank);
  for (int64_t i = 0; bias && i < r->count; i++) {
    TccCell value = bias->at[i / inner % bias->count];
    if (r->is_float) r->at[i].f += value.f;
    else r->at[i].i = (int64_t)((uint64_t)r->at[i].i + (uint64_t)value.i);
  }
  wrap_all(r);
}

TccStatus *tcc_eval_conv(TccEval *e) {
  const TccArray *x = e->in[0], *w = e->in[1], *bias = e->in[2];
  TccArray *r = e->out[0];
  Windows win;
  TCC_TRY(windows_make(e, x, w, r, &win));
  int64_t groups = tcc_i64(e->ir, e->op, "groups"), channels = x->dims[1], out_channels = w->dims[0];
  if (groups <= 0 || channels != w->dims[1] * groups || out_channels % groups || r->dims[1] != out_channels ||
      (bias && bias->count != out_channels))
    return TCC_ERROR(TCC_INVALID, "channels of x, w and bias do not fit");
  int64_t cg = channels / groups, mg = out_channels / groups, depth = cg * win.kernel_count;
  int64_t *table = index_table(e, &win);
  TccCell *columns = tcc_interp_scratch(e, (size_t)(depth * win.grid_count) * sizeof *columns);
  if (!table || !columns) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (int64_t image = 0; image < x->dims[0]; image++) {
    for (int64_t g = 0; g < groups; g++) {
      TccCell *to = columns;
      for (int64_t c = 0; c < cg; c++) {
        const TccCell *plane = x->at + ((image * channels) + g * cg + c) * win.image_count;
        for (int64_t i = 0; i < win.kernel_count * win.grid_count; i++, to++) {
          if (table[i] >= 0) *to = plane[table[i]];
          else *to = (TccCell){.i = 0}; /* the bits of 0.0 too */
        }
      }
      matmul_cells(r->is_float, mg, win.grid_count, depth, w->at + g * mg * depth, columns,
                   r->at + (image * out_channels + g * mg) * win.grid_count);
    }
  }
  add_bias(r, bias);
  return NULL;
}

/* r[m, c, k] += g[n, m, o] columns[n, c, k, o]: the product of a group of an image, its columns turned. */
TccStatus *tcc_eval_conv_filter_grad(TccEval *e) {
  const TccArray *x = e->in[0], *g = e->in[1];
  TccArray *r = e->out[0];
  Windows win;
  TCC_TRY(windows_make(e, x, r, g, &win));
  int64_t groups = tcc_i64(e->ir, e->op, "groups"), channels = x->dims[1], out_channels = g->dims[1];
  if (groups <= 0 || channels % groups || out_channels % groups) return TCC_ERROR(TCC_INVALID, "channels of x and g do not fit");
  int64_t cg = channels / groups, mg = out_channels / groups, depth = cg * win.kernel_count;
  int64_t *table = index_table(e, &win);
  TccCell *columns = tcc_interp_scratch(e, (size_t)(depth * win.grid_count) * sizeof *columns);
  if (!table || !columns) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (int64_t image = 0; image < x->dims[0]; image++)
    for (int64_t group = 0; group < groups; group++) {
      for (int64_t at = 0; at < depth * win.grid_count; at++) {
        int64_t line = at / win.grid_count, o = at % win.grid_count, c = line / win.kernel_count, k = line % win.kernel_count;
        const TccCell *plane = x->at + (image * channels + group * cg + c) * win.image_count;
        int64_t from = table[k * win.grid_count + o];
        columns[o * depth + line] = from < 0 ? (TccCell){.i = 0} : plane[from];
      }
      matmul_cells(r->is_float, mg, depth, win.grid_count, g->at + (image * out_channels + group * mg) * win.grid_count, columns,
                   r->at + group * mg * depth);
    }
  wrap_all(r);
  return NULL;
}

TccStatus *tcc_eval_conv_transpose(TccEval *e) {
  const TccArray *x = e->in[0], *w = e->in[1], *bias = e->in[2];
  TccArray *r = e->out[0];
  Windows win; /* the result is the padded side, x the grid of window positions */
  TCC_TRY(windows_make(e, r, w, x, &win));
  int64_t groups = tcc_i64(e->ir, e->op, "groups"), channels = x->dims[1], out_channels = r->dims[1];
  if (groups <= 0 || channels % groups || w->dims[0] != channels || out_channels != w->dims[1] * groups ||
      (bias && bias->count != out_channels))
    return TCC_ERROR(TCC_INVALID, "channels of x, w and bias do not fit");
  int64_t cg = channels / groups, mg = out_channels / groups, depth = mg * win.kernel_count;
  int64_t *table = index_table(e, &win);
  TccCell *columns = tcc_interp_scratch(e, (size_t)(depth * win.grid_count) * sizeof *columns);
  TccCell *transposed = tcc_interp_scratch(e, (size_t)(depth * cg) * sizeof *transposed);
  if (!table || !columns || !transposed) return TCC_ERROR(TCC_NO_MEMORY, "out of memory");
  for (int64_t image = 0; image < x->dims[0]; image++) {
    for (int64_t g = 0; g < groups; g++) {
      tcc_cells_copy(transposed, 2, (int64_t[]){depth, cg}, w->at + g * cg * depth, 0, (int64_t[]){1, depth});
      memset(columns, 0, (size_t)(depth * win.grid_count) * sizeof *columns);
      matmul_cells(r->is_float, depth, win.grid_count, cg, transposed, x->at + (image * channels + g * cg) * win.grid_count,
                   columns);
      const TccCell *from = columns;
      for (int64_t m = 0; m < mg; m++) {
        TccCell *plane = r->at + (image * out_channels + g * mg + m) * win.image_count;
        for (int64_t i = 0; i < win.kernel_count * win.grid_count; i++, from++) {
          if (table[i] < 0) continue;
          if (r->is_float) plane[table[i]].f += from->f;
          else plane[table[i]].i = (int64_t)((uint64_t)plane[table[i]].i + (uint64_t)from->i);
        }
      }
    }
  }
  add_bias(r, bias);
  return NULL;
}

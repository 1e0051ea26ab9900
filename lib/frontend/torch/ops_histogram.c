/* ops_histogram.c - elements and points counted by bins. */
#include "lib/frontend/torch/ops.h"
#include "lib/frontend/torch/ops_build.h"

static MlirValue flat(ImportCall *c, MlirValue x) {
  ImportShape shape = import_shape(c, x);
  const TccExpr *all = import_product(c, shape.dims, shape.rank);
  return tcc_build_reshape(&c->b, x, 1, &all);
}

/* Weights [n] summed by bin [n]: [bins]. */
static MlirValue summed(ImportCall *c, MlirValue bin, MlirValue weight, const TccExpr *bins) {
  MlirValue operands[] = {torch_filled(c, torch_constant(c, tcc_value_elem(weight), 0), 1, &bins), bin, weight};
  TccNamedAttr attrs[] = {{"axis", tcc_attr_i64(c->ir, 0)}, {"reduction", tcc_attr_str(c->ir, tcc_str("add"))}};
  if (!operands[0].ptr || !bin.ptr || !weight.ptr) return (MlirValue){NULL};
  return import_op(c, TCC_OP_SCATTER_ELEMENTS, operands, 3, attrs, 2);
}

/* The same where `inside`. */
static MlirValue summed_by_bin(ImportCall *c, MlirValue bin, MlirValue inside, MlirValue weight, int64_t bins) {
  return summed(c, torch_if(c, inside, bin, torch_constant(c, TCC_ELEM_I64, 0)),
                torch_if(c, inside, weight, torch_constant(c, tcc_value_elem(weight), 0)), import_size(c, bins));
}

/* How often each number is in self [n], or the sum of its weights: as many as the largest asks for, and at least minlength. A
 * negative number makes the size negative. */
bool torch_op_bincount(ImportCall *c) {
  TccElem elem = torch_result(c, 0);
  MlirValue x = torch_tensor_as(c, "self", TCC_ELEM_I64);
  const TccExpr *bins = torch_size(c, "minlength"), *n;
  const int64_t axis = 0;
  if (!elem || !x.ptr || !bins) return false;
  if (import_shape(c, x).rank != 1) return import_invalid(c, "rank %d", import_shape(c, x).rank);
  n = import_shape(c, x).dims[0];
  if (!import_is_size(n, 0)) {
    MlirValue most = torch_plus(c, tcc_build_reduce(&c->b, "max", x, &axis, 1, false), 1),
              least = tcc_build_reduce(&c->b, "min", x, &axis, 1, false);
    MlirValue count = tcc_build2(&c->b, TCC_OP_MAX, most, tcc_build_size(&c->b, bins));
    bins = import_counted_size(c, torch_if(c, torch_is(c, "lt", least, 0), least, count), NULL);
  }
  MlirValue weight =
      torch_given(c, "weights") ? torch_tensor_as(c, "weights", elem) : torch_filled(c, torch_constant(c, elem, 1), 1, &n);
  return bins && torch_output(c, 0, summed(c, x, weight, bins));
}

/* The outermost edges: as given, or the extremes of x where both are equal, and `room` farther on each side where those are. */
static void outer_edges(ImportCall *c, MlirValue x, double low, double high, double room, MlirValue out[2]) {
  TccElem elem = tcc_value_elem(x);
  const int64_t axis = 0;
  const bool empty = import_is_size(import_shape(c, x).dims[0], 0);
  out[0] = torch_constant(c, elem, low), out[1] = torch_constant(c, elem, high);
  if (low == high && !empty) {
    out[0] = tcc_build_reduce(&c->b, "min", x, &axis, 1, false);
    out[1] = tcc_build_reduce(&c->b, "max", x, &axis, 1, false);
  }
  if (low != high) return;
  MlirValue same = tcc_build_compare(&c->b, "eq", out[0], out[1]);
  MlirValue below = torch_plus(c, out[0], -room), above = torch_plus(c, out[1], room);
  out[0] = torch_if(c, same, below, out[0]), out[1] = torch_if(c, same, above, out[1]);
}

static MlirValue within(ImportCall *c, MlirValue x, MlirValue low, MlirValue high) {
  return tcc_build2(&c->b, TCC_OP_AND, tcc_build_compare(&c->b, "ge", x, low), tcc_build_compare(&c->b, "le", x, high));
}

/* self's elements counted by `bins` bins of equal width from min to max; the last has max as well. */
bool torch_op_histc(ImportCall *c) {
  int64_t bins = torch_int(c, "bins");
  double low = torch_float(c, "min"), high = torch_float(c, "max");
  TccElem elem = torch_result(c, 0), wide = tcc_elem_is_float(elem) ? torch_wide(elem) : TCC_ELEM_F64;
  MlirValue x = elem ? flat(c, torch_tensor_as(c, "self", wide)) : (MlirValue){NULL}, edge[2];
  if (!x.ptr || c->reason) return false;
  if (bins < 1 || low > high) return import_invalid(c, "%lld bins from %g to %g", (long long)bins, low, high);
  outer_edges(c, x, low, high, 1, edge);
  MlirValue at = torch_div(c, torch_times(c, torch_sub(c, x, edge[0]), (double)bins), torch_sub(c, edge[1], edge[0]));
  MlirValue inside = within(c, x, edge[0], edge[1]), last = torch_constant(c, TCC_ELEM_I64, (double)bins - 1);
  at = torch_if_number(c, inside, at, 0);
  at = tcc_build2(&c->b, TCC_OP_MIN, torch_convert(c, at, TCC_ELEM_I64), last);
  ImportShape shape = import_shape(c, x);
  MlirValue ones = torch_filled(c, torch_constant(c, wide, 1), 1, shape.dims);
  return torch_output(c, 0, torch_convert(c, summed_by_bin(c, at, inside, ones, bins), elem));
}

/* bins + 1 edges of equal width, from given outer ones or those of x; the upper half counted from the last. */
static MlirValue even_edges(ImportCall *c, MlirValue x, int64_t bins, const double *range) {
  TccElem elem = tcc_value_elem(x);
  const bool empty = import_is_size(import_shape(c, x).dims[0], 0);
  MlirValue edge[2];
  outer_edges(c, x, range ? range[0] : 0, range ? range[1] : empty, 0.5, edge);
  MlirValue index = import_iota(c, elem, import_size(c, bins + 1));
  MlirValue width = torch_div(c, torch_sub(c, edge[1], edge[0]), torch_constant(c, elem, (double)bins));
  return torch_if(c, torch_is(c, "lt", index, (double)((bins + 1) / 2)), torch_add(c, edge[0], torch_mul(c, index, width)),
                  torch_sub(c, edge[1], torch_mul(c, torch_from(c, (double)bins, index), width)));
}

static MlirValue edge_at(ImportCall *c, MlirValue edges, int64_t place) {
  return tcc_build_reshape(&c->b, tcc_build_slice_axis(&c->b, edges, 0, import_size(c, place), 1, import_size(c, 1)), 0, NULL);
}

/* The bin of each of x [n], and whether it lies in one; the last bin has its upper edge as well. */
static MlirValue bins_of(ImportCall *c, MlirValue x, MlirValue edges, int64_t bins, MlirValue *inside) {
  *inside = within(c, x, edge_at(c, edges, 0), edge_at(c, edges, bins));
  MlirValue at = torch_plus(c, torch_count_before(c, edges, x, true), -1);
  return tcc_build2(&c->b, TCC_OP_MIN, at, torch_constant(c, TCC_ELEM_I64, (double)bins - 1));
}

static MlirValue widths(ImportCall *c, MlirValue edges, int64_t bins) {
  const TccExpr *size = import_size(c, bins);
  return torch_sub(c, tcc_build_slice_axis(&c->b, edges, 0, import_size(c, 1), 1, size),
                   tcc_build_slice_axis(&c->b, edges, 0, import_size(c, 0), 1, size));
}

static MlirValue weights_of(ImportCall *c, TccElem elem, const TccExpr *count) {
  return torch_given(c, "weight") ? flat(c, torch_tensor_as(c, "weight", elem))
                                  : torch_filled(c, torch_constant(c, elem, 1), 1, &count);
}

/* histogram: counts, or weights, by edges; density: divided by the sum and the width of a bin. Outputs: these, and the edges. */
bool torch_op_histogram(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue x = elem ? flat(c, torch_tensor_as(c, "self", wide)) : (MlirValue){NULL}, edges, inside;
  int64_t bins, zero = 0;
  if (!x.ptr) return false;
  if (c->kind == HISTOGRAM_EDGES) {
    edges = torch_tensor_as(c, "bins", wide);
    ImportShape shape = import_shape(c, edges);
    if (!edges.ptr || !torch_fixed(c, shape.dims[0], &bins)) return false;
    bins--;
  } else {
    const double *range = NULL;
    size_t count = 0;
    bins = torch_int(c, "bins");
    if (c->reason || (torch_given(c, "range") && !torch_floats(c, "range", &range, &count))) return false;
    edges = bins < 1 ? x : even_edges(c, x, bins, count == 2 ? range : NULL);
  }
  if (bins < 1 || !edges.ptr) return c->reason ? false : import_invalid(c, "%lld bins", (long long)bins);
  MlirValue at = bins_of(c, x, edges, bins, &inside);
  MlirValue y = summed_by_bin(c, at, inside, weights_of(c, wide, import_shape(c, x).dims[0]), bins);
  if (torch_bool(c, "density") && y.ptr) y = torch_div(c, y, torch_mul(c, torch_sum(c, y, &zero, 1, true), widths(c, edges, bins)));
  return torch_output(c, 0, torch_convert(c, y, elem)) && torch_output(c, 1, torch_convert(c, edges, elem));
}

/* ---- histograms of points: self [..., D] ---- */
typedef struct {
  int64_t dims;           /* D */
  const TccExpr *points;  /* the axes before */
  MlirValue x;            /* [points, D] */
  const MlirValue *edges; /* of each axis, or NULL */
  const int64_t *bins;    /* of each axis */
  const double *range;    /* two for each axis, or NULL */
} Points;

static bool read_points(ImportCall *c, TccElem elem, Points *out) {
  MlirValue x = torch_tensor_as(c, "self", elem);
  ImportShape shape = import_shape(c, x);
  size_t count, nrange = 0;
  *out = (Points){0};
  if (!x.ptr) return false;
  if (shape.rank < 2) return import_invalid(c, "points of rank %d", shape.rank);
  if (!torch_fixed(c, shape.dims[shape.rank - 1], &out->dims)) return false;
  if (c->kind == HISTOGRAM_EDGES) {
    if (!torch_tensors(c, "bins", &out->edges, &count)) return false;
    int64_t *bins = TCC_NEW_ARRAY(import_arena(c), int64_t, count + 1);
    for (size_t i = 0; i < count; i++) {
      if (import_shape(c, out->edges[i]).rank != 1) return import_invalid(c, "edges that are no vector");
      if (!torch_fixed(c, import_shape(c, out->edges[i]).dims[0], &bins[i])) return false;
      bins[i]--;
    }
    out->bins = bins;
  } else if (!torch_ints(c, "bins", &out->bins, &count) ||
             (torch_given(c, "range") && !torch_floats(c, "range", &out->range, &nrange))) {
    return false;
  }
  if ((int64_t)count != out->dims || out->dims < 1 || (nrange && (int64_t)nrange != 2 * out->dims))
    return import_invalid(c, "%zu numbers of bins for points of %lld", count, (long long)out->dims);
  for (size_t i = 0; i < count; i++)
    if (out->bins[i] < 1) return import_invalid(c, "%lld bins", (long long)out->bins[i]);
  out->points = import_product(c, shape.dims, shape.rank - 1);
  const TccExpr *dims[] = {out->points, shape.dims[shape.rank - 1]};
  out->x = tcc_build_reshape(&c->b, x, 2, dims);
  return out->x.ptr != NULL;
}

/* Coordinate d of the points, and its edges. */
static MlirValue coordinate(ImportCall *c, const Points *p, int64_t d, MlirValue *edges) {
  MlirValue x = tcc_build_squeeze(&c->b, tcc_build_slice_axis(&c->b, p->x, 1, import_size(c, d), 1, import_size(c, 1)), 1);
  *edges = p->edges ? torch_convert(c, p->edges[d], tcc_value_elem(x))
                    : even_edges(c, x, p->bins[d], p->range ? p->range + 2 * d : NULL);
  return x;
}

/* Counts, or weights, by the bins of all coordinates; kind HISTOGRAM_EDGES: edges are given; HISTOGRAM_EDGES_ALONE: the edges are what is asked
 * for. density: divided by the sum and the volume of a bin. */
bool torch_op_histogram_of_points(ImportCall *c) {
  TccElem elem = torch_result(c, 0), wide = torch_wide(elem);
  MlirValue edges[TCC_MAX_RANK], at = torch_constant(c, TCC_ELEM_I64, 0), inside = {NULL}, here;
  ImportShape to = {.elem = wide};
  int64_t all = 1, axes[TCC_MAX_RANK];
  Points p;
  if (!elem || !read_points(c, wide, &p)) return false;
  if (p.dims > TCC_MAX_RANK) return import_unsupported(c, "points of %lld", (long long)p.dims);
  for (int64_t d = 0; d < p.dims; d++) {
    MlirValue x = coordinate(c, &p, d, &edges[d]);
    if (!edges[d].ptr) return false;
    if (c->kind == HISTOGRAM_EDGES_ALONE) {
      if (!torch_output(c, (size_t)d, torch_convert(c, edges[d], elem))) return false;
      continue;
    }
    if (all > ((int64_t)1 << 40) / p.bins[d]) return import_unsupported(c, "that many bins");
    MlirValue bin = bins_of(c, x, edges[d], p.bins[d], &here);
    at = torch_add(c, torch_times(c, at, (double)p.bins[d]), bin);
    inside = d ? torch_both(c, inside, here) : here;
    all *= p.bins[d], axes[d] = d, to.dims[to.rank++] = import_size(c, p.bins[d]);
  }
  if (c->kind == HISTOGRAM_EDGES_ALONE) return true;
  MlirValue y = summed_by_bin(c, at, inside, weights_of(c, wide, p.points), all);
  y = tcc_build_reshape(&c->b, y, to.rank, to.dims);
  if (torch_bool(c, "density")) {
    y = torch_div(c, y, torch_sum(c, y, axes, (size_t)p.dims, true));
    for (int64_t d = 0; d < p.dims; d++) {
      const TccExpr *line[TCC_MAX_RANK];
      for (int64_t i = 0; i < p.dims; i++) line[i] = i == d ? to.dims[d] : import_size(c, 1);
      y = torch_div(c, y, tcc_build_reshape(&c->b, widths(c, edges[d], p.bins[d]), to.rank, line));
    }
  }
  return torch_output(c, 0, torch_convert(c, y, elem));
}

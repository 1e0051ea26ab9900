/* roi.c - regions of interest of images, for every importer: RoiAlign (He et al. 2017, Mask R-CNN), MaxRoiPool (Girshick 2015, Fast R-CNN), the
 * position-sensitive ones (Dai et al. 2016, R-FCN), CropAndResize (TensorFlow). */
#include "lib/frontend/import/roi.h"
#include "tcc/op_kinds.h"
#include <math.h>

static MlirValue plus(ImportCall *c, MlirValue x, double y) { return y == 0 ? x : tcc_build2_number(&c->b, TCC_OP_ADD, x, y); }
static MlirValue times(ImportCall *c, MlirValue x, double y) { return tcc_build2_number(&c->b, TCC_OP_MUL, x, y); }
static MlirValue both(ImportCall *c, MlirValue a, MlirValue b) { return tcc_build2(&c->b, TCC_OP_AND, a, b); }
static MlirValue size_as(ImportCall *c, TccElem elem, const TccExpr *size) {
  return tcc_build_convert(&c->b, tcc_build_size(&c->b, size), elem);
}

/* x / n, a product where n is known. */
static MlirValue share_of(ImportCall *c, MlirValue x, const TccExpr *n) {
  int64_t known;
  if (tcc_expr_is_const(n, &known)) return times(c, x, 1.0 / (double)known);
  return x.ptr ? tcc_build2(&c->b, TCC_OP_DIV, x, size_as(c, tcc_value_elem(x), n)) : x;
}

static MlirValue column(ImportCall *c, MlirValue boxes, int64_t at) {
  return tcc_build_slice_axis(&c->b, boxes, 1, import_size(c, at), 1, import_size(c, 1));
}

/* ---- samples between pixels ---- */
/* Of each sample along an axis the pixels on both sides (i64), and their weights: [regions, cells, samples of a cell]. */
typedef struct {
  MlirValue low, high, low_weight, high_weight;
} Sides;

/* The pixels that cells read along an axis: [regions, cells, samples of a cell, pixels of a sample], or [regions, cells, pixels of a cell, 1]. */
typedef struct {
  MlirValue pixel, weight;
  MlirValue is_sample; /* [regions, 1, samples]: a region has that many; null: all have all */
  MlirValue count;     /* [regions, 1], their number, below 0 where the region ends before it begins; null likewise */
  const TccExpr *samples;
} RoiAxis;

/* `at`, a place in pixels, between 0 and size - 1. NaN and what is far outside must be no index. */
static MlirValue held_at(ImportCall *c, MlirValue at, MlirValue inside, const TccExpr *size) {
  const TccElem elem = tcc_value_elem(at);
  MlirValue last = plus(c, size_as(c, elem, size), -1), zero = tcc_build_scalar(&c->b, elem, 0);
  return tcc_build2(&c->b, TCC_OP_MIN, tcc_build2(&c->b, TCC_OP_MAX, tcc_build_select(&c->b, inside, at, zero), zero), last);
}

/* Weights are 0 where `inside` is false. */
static Sides between_pixels(ImportCall *c, MlirValue at, MlirValue inside, const TccExpr *size) {
  const TccElem elem = tcc_value_elem(at);
  MlirValue held = held_at(c, at, inside, size), last = plus(c, size_as(c, elem, size), -1),
            zero = tcc_build_scalar(&c->b, elem, 0);
  MlirValue low = tcc_build1(&c->b, TCC_OP_FLOOR, held), fraction = tcc_build2(&c->b, TCC_OP_SUB, held, low);
  return (Sides){.low = tcc_build_convert(&c->b, low, TCC_ELEM_I64),
                 .high = tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_MIN, plus(c, low, 1), last), TCC_ELEM_I64),
                 .low_weight = tcc_build_select(&c->b, inside, plus(c, times(c, fraction, -1), 1), zero),
                 .high_weight = tcc_build_select(&c->b, inside, fraction, zero)};
}

/* [regions, cells, samples, 2] */
static MlirValue of_both_sides(ImportCall *c, MlirValue low, MlirValue high) {
  MlirValue sides[] = {import_unsqueeze(c, low, 3), import_unsqueeze(c, high, 3)};
  return sides[0].ptr && sides[1].ptr ? tcc_build_concat(&c->b, sides, 2, 3) : (MlirValue){NULL};
}

/* Both sides of each sample. False after a reason. */
static bool two_pixels(ImportCall *c, const Sides *s, RoiAxis *out) {
  out->pixel = of_both_sides(c, s->low, s->high);
  out->weight = of_both_sides(c, s->low_weight, s->high_weight);
  return out->pixel.ptr && out->weight.ptr;
}

/* Samples of a cell that are at most a pixel apart lie between one pixel more than they are: as one sample between these pixels, from `first` [regions, cells, 1]
 * on. A mean along both axes is a sum of products of such weights. False after a reason. */
static bool joined_pixels(ImportCall *c, const Sides *s, MlirValue first, const TccExpr *size, RoiAxis *out) {
  static const int64_t of_sample = 2;
  const TccExpr *one = import_size(c, 1), *pixels = import_size_add(c, out->samples, one), *to[] = {one, one, pixels};
  MlirValue places[] = {s->low, s->high}, weights[] = {s->low_weight, s->high_weight}, sum = {NULL};
  MlirValue pixel = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, pixels), 3, to),
            most = tcc_build_size(&c->b, out->samples);
  if (!first.ptr) return false;
  MlirValue zero = tcc_build_scalar(&c->b, tcc_value_elem(s->low_weight), 0);
  first = tcc_build_convert(&c->b, tcc_build1(&c->b, TCC_OP_FLOOR, first), TCC_ELEM_I64);
  for (int i = 0; i < 2; i++) {
    MlirValue at = tcc_build2(&c->b, TCC_OP_SUB, places[i], first);
    at = tcc_build2(&c->b, TCC_OP_MIN, at, most); /* they are a pixel apart but for rounding */
    MlirValue is_it = tcc_build_compare(&c->b, "eq", import_unsqueeze(c, at, 3), import_unsqueeze(c, pixel, 2));
    MlirValue part = tcc_build_select(&c->b, is_it, import_unsqueeze(c, weights[i], 3), zero);
    sum = i ? tcc_build2(&c->b, TCC_OP_ADD, sum, part) : part;
  }
  MlirValue last = tcc_build2_number(&c->b, TCC_OP_SUB, tcc_build_size(&c->b, size), 1);
  out->weight = import_unsqueeze(c, tcc_build_reduce(&c->b, "sum", sum, &of_sample, 1, false), 3);
  out->pixel = import_unsqueeze(c, tcc_build2(&c->b, TCC_OP_MIN, tcc_build2(&c->b, TCC_OP_ADD, first, pixel), last), 3);
  return out->weight.ptr && out->pixel.ptr;
}

/* How many samples a cell of each region has where the model does not say: as many as it has pixels. False after a reason. */
static bool count_samples(ImportCall *c, MlirValue length, const TccExpr *cells, RoiAxis *out) {
  static const int64_t axes[] = {0, 1};
  const TccElem elem = tcc_value_elem(length);
  /* a product may be above an integer */
  MlirValue n = tcc_build1(&c->b, TCC_OP_CEIL, tcc_build2(&c->b, TCC_OP_DIV, length, size_as(c, elem, cells)));
  MlirValue zero = tcc_build_scalar(&c->b, elem, 0);
  out->count = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", n, n), n, zero); /* NaN: none */
  MlirValue most = tcc_build2_number(&c->b, TCC_OP_MAX, tcc_build_reduce(&c->b, "max", out->count, axes, 2, false), 0);
  out->samples = import_counted_size(c, tcc_build_convert(&c->b, most, TCC_ELEM_I64), NULL);
  if (!out->samples) return false;
  const TccExpr *to[] = {import_size(c, 1), import_size(c, 1), out->samples};
  MlirValue i = tcc_build_reshape(&c->b, import_iota(c, elem, out->samples), 3, to);
  out->is_sample = tcc_build_compare(&c->b, "lt", i, import_unsqueeze(c, out->count, 2));
  return out->is_sample.ptr != NULL;
}

/* Regions along an axis, in pixels. */
typedef struct {
  const TccExpr *cells;
  MlirValue start, length; /* [regions, 1] */
} Span;

/* Where samples are whose numbers in their cells begin from 0, [1, 1, samples]: [regions, cells, samples]. The middle of sample i of a cell lies at (i + 1/2) / samples
 * of it. samples 0: as many as were counted. */
static MlirValue sample_positions(ImportCall *c, const Span *span, MlirValue sample, int64_t samples, const RoiAxis *axis) {
  const TccElem elem = tcc_value_elem(span->start);
  const TccExpr *one = import_size(c, 1), *of_cell[] = {one, span->cells, one};
  MlirValue cell = tcc_build_reshape(&c->b, import_iota(c, elem, span->cells), 3, of_cell);
  sample = plus(c, sample, 0.5);
  MlirValue share =
      samples ? times(c, sample, 1.0 / (double)samples)
              : tcc_build2(&c->b, TCC_OP_DIV, sample, import_unsqueeze(c, tcc_build2_number(&c->b, TCC_OP_MAX, axis->count, 1), 2));
  MlirValue step = share_of(c, tcc_build2(&c->b, TCC_OP_ADD, cell, share), span->cells);
  return tcc_build2(&c->b, TCC_OP_ADD, import_unsqueeze(c, span->start, 2),
                    tcc_build2(&c->b, TCC_OP_MUL, import_unsqueeze(c, span->length, 2), step));
}

/* RoiAlign's samples along an axis of `size` pixels, between columns `from` and from + 2 of boxes [regions, 4], which are in pixels. */
static bool roi_axis(ImportCall *c, MlirValue boxes, int64_t from, const TccExpr *size, const TccExpr *cells, const ImportRoi *roi,
                     RoiAxis *out) {
  const TccElem elem = tcc_value_elem(boxes);
  *out = (RoiAxis){.samples = import_size(c, roi->samples)};
  Span span = {.cells = cells, .start = column(c, boxes, from)};
  span.length = tcc_build2(&c->b, TCC_OP_SUB, column(c, boxes, from + 2), span.start);
  if (!roi->half_pixel) span.length = tcc_build2_number(&c->b, TCC_OP_MAX, span.length, 1);
  if (!roi->samples && !count_samples(c, span.length, cells, out)) return false;
  const TccExpr *one = import_size(c, 1), *of_sample[] = {one, one, out->samples}, *of_first[] = {one, one, one};
  MlirValue sample = tcc_build_reshape(&c->b, import_iota(c, elem, out->samples), 3, of_sample);
  MlirValue at = sample_positions(c, &span, sample, roi->samples, out);
  MlirValue inside = both(c, tcc_build_compare(&c->b, "ge", at, tcc_build_scalar(&c->b, elem, -1)),
                          tcc_build_compare(&c->b, "le", at, size_as(c, elem, size)));
  Sides sides = between_pixels(c, at, out->is_sample.ptr ? both(c, inside, out->is_sample) : inside, size);
  if (roi->samples || roi->is_max) return two_pixels(c, &sides, out);
  MlirValue zero = tcc_build_reshape(&c->b, tcc_build_scalar(&c->b, elem, 0), 3, of_first);
  MlirValue first = sample_positions(c, &span, zero, 0, out);
  return joined_pixels(c, &sides, held_at(c, first, tcc_build_compare(&c->b, "eq", first, first), size), size, out);
}

/* ---- images with channels last: those of a pixel are read together ---- */
/* Of [regions, cells, samples, sides] along an axis, as [regions, rows, columns, samples, samples, sides, sides]. */
static MlirValue along(ImportCall *c, MlirValue x, bool is_rows) {
  ImportShape s = import_shape(c, x);
  const TccExpr *one = import_size(c, 1);
  const TccExpr *rows[] = {s.dims[0], s.dims[1], one, s.dims[2], one, s.dims[3], one},
                *columns[] = {s.dims[0], one, s.dims[1], one, s.dims[2], one, s.dims[3]};
  return tcc_build_reshape(&c->b, x, 7, is_rows ? rows : columns);
}

/* [regions, cells, samples] as [regions, cells, samples, 1]. */
static MlirValue one_side(ImportCall *c, MlirValue x) { return import_unsqueeze(c, x, 3); }

/* Images as rows of pixels, [images * H * W, C], and which of them those of the images `batch` at rows and columns of pixels (i64) are, where these are as `along`
 * gives them: [regions, rows, columns, samples, samples, sides]. own: of the cell's own channels, whose images lie one behind the other. */
typedef struct {
  MlirValue pixels, at, in_image; /* in_image: at, from the image's first pixel on */
} PixelRows;

static PixelRows pixel_rows(ImportCall *c, MlirValue x, MlirValue batch, MlirValue row, MlirValue column_at, const TccExpr *own) {
  static const int64_t channels_last[] = {0, 2, 3, 1}, cells_first[] = {0, 2, 3, 4, 1};
  ImportShape s = import_shape(c, x);
  const TccExpr *plane = import_size_mul(c, s.dims[2], s.dims[3]), *one = import_size(c, 1), *image = plane, *channels = s.dims[1];
  row = tcc_build2(&c->b, TCC_OP_MUL, row, tcc_build_size(&c->b, s.dims[3]));
  MlirValue at = tcc_build2(&c->b, TCC_OP_ADD, row, column_at);
  ImportShape to = import_shape(c, at);
  if (own) {
    const TccExpr *of_cell[] = {one, to.dims[1], to.dims[2], one, one, one, one},
                  *cells = import_size_mul(c, to.dims[1], to.dims[2]);
    const TccExpr *split[] = {s.dims[0], own, cells, s.dims[2], s.dims[3]};
    MlirValue cell = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, cells), 7, of_cell);
    at = tcc_build2(&c->b, TCC_OP_ADD, at, tcc_build2(&c->b, TCC_OP_MUL, cell, tcc_build_size(&c->b, plane)));
    image = import_size_mul(c, cells, plane), channels = own;
    x = tcc_build_transpose(&c->b, tcc_build_reshape(&c->b, x, 5, split), cells_first);
  } else {
    x = tcc_build_transpose(&c->b, x, channels_last);
  }
  const TccExpr *first_of[] = {to.dims[0], one, one, one, one, one}, *pixels[] = {import_size_mul(c, s.dims[0], image), channels};
  to.dims[5] = import_size_mul(c, to.dims[5], to.dims[6]);
  MlirValue first =
      tcc_build2(&c->b, TCC_OP_MUL, tcc_build_convert(&c->b, import_index(c, batch), TCC_ELEM_I64), tcc_build_size(&c->b, image));
  at = tcc_build_reshape(&c->b, at, 6, to.dims);
  return (PixelRows){.pixels = tcc_build_reshape(&c->b, x, 2, pixels),
                     .at = tcc_build2(&c->b, TCC_OP_ADD, at, tcc_build_reshape(&c->b, first, 6, first_of)),
                     .in_image = at};
}

/* The pixels around each sample, weighted: [regions, rows, columns, samples, samples, pixels of a sample, C]. own: of the cell's own channels. */
static MlirValue pixels_of(ImportCall *c, MlirValue x, MlirValue batch, const RoiAxis axes[2], const TccExpr *own) {
  const RoiAxis *y = &axes[0], *w = &axes[1];
  PixelRows p = pixel_rows(c, x, batch, along(c, y->pixel, true), along(c, w->pixel, false), own);
  MlirValue weight = tcc_build2(&c->b, TCC_OP_MUL, along(c, y->weight, true), along(c, w->weight, false));
  ImportShape to = import_shape(c, p.at);
  to.dims[6] = import_size(c, 1);
  weight = tcc_build_convert(&c->b, tcc_build_reshape(&c->b, weight, 7, to.dims), import_shape(c, x).elem);
  /* of an image that is not there there is no pixel either */
  MlirValue r = import_gather_valid(c, p.pixels, p.at, 0, TCC_VALID_UNSIGNED);
  return r.ptr ? tcc_build2(&c->b, TCC_OP_MUL, r, weight) : r;
}

static const int64_t sample_axes[] = {3, 4, 5}; /* samples, and the pixels around */

/* [regions, rows, columns, C] as [regions, C, rows, columns]. */
static MlirValue channels_first(ImportCall *c, MlirValue x) {
  static const int64_t perm[] = {0, 3, 1, 2};
  return tcc_build_transpose(&c->b, x, perm);
}

/* The samples of each cell as one: their mean, or the largest of all weighted pixels; 0 where there is none, of own channels NaN. */
static MlirValue join_samples(ImportCall *c, MlirValue r, const RoiAxis axes[2], const ImportRoi *roi) {
  const TccElem elem = tcc_value_elem(r);
  const RoiAxis *y = &axes[0], *w = &axes[1];
  MlirValue zero = tcc_build_scalar(&c->b, elem, 0), n = {NULL}; /* samples of each cell */
  if (y->count.ptr) {
    MlirValue counts[2];
    for (int d = 0; d < 2; d++) counts[d] = roi->own ? axes[d].count : tcc_build2_number(&c->b, TCC_OP_MAX, axes[d].count, 0);
    n = tcc_build2(&c->b, TCC_OP_MUL, counts[0], counts[1]);
    n = tcc_build_convert(&c->b, import_unsqueeze(c, import_unsqueeze(c, n, 2), 3), elem);
  }
  if (!roi->is_max) {
    r = tcc_build_reduce(&c->b, "sum", r, sample_axes, 3, false);
    if (n.ptr && roi->own) {
      MlirValue none = tcc_build_compare(&c->b, "eq", n, zero), one = tcc_build_scalar(&c->b, elem, 1);
      r = tcc_build2(&c->b, TCC_OP_DIV, r, tcc_build_select(&c->b, none, one, n)); /* so that the gradient is 0 */
      return tcc_build_select(&c->b, none, tcc_build_scalar(&c->b, elem, NAN), r);
    }
    if (n.ptr) return tcc_build2(&c->b, TCC_OP_DIV, r, tcc_build2_number(&c->b, TCC_OP_MAX, n, 1));
    MlirValue all = size_as(c, elem, import_size_mul(c, y->samples, w->samples));
    return tcc_build2(&c->b, TCC_OP_DIV, r, all);
  }
  if (!n.ptr) return tcc_build_reduce(&c->b, "max", r, sample_axes, 3, false);
  MlirValue here = both(c, along(c, one_side(c, y->is_sample), true), along(c, one_side(c, w->is_sample), false));
  r = tcc_build_reduce(&c->b, "max", tcc_build_select(&c->b, here, r, tcc_build_scalar(&c->b, elem, -INFINITY)), sample_axes, 3,
                       false);
  return tcc_build_select(&c->b, tcc_build_compare(&c->b, "gt", n, zero), r, zero);
}

static bool check_regions(ImportCall *c, int64_t columns, MlirValue x, MlirValue boxes, MlirValue batch) {
  ImportShape s = import_shape(c, x), rois = import_shape(c, boxes), which = import_shape(c, batch);
  if (s.rank != 4 || rois.rank != 2 || (batch.ptr && which.rank != 1))
    return import_invalid(c, "inputs of ranks %d, %d and %d", s.rank, rois.rank, which.rank);
  return import_require_equal(c, rois.dims[1], import_size(c, columns), "a box") &&
         (!batch.ptr || import_require_equal(c, rois.dims[0], which.dims[0], "boxes and their images"));
}

static bool check_cells(ImportCall *c, const TccExpr *rows, const TccExpr *columns, int64_t samples) {
  const TccExpr *one = import_size(c, 1), *most = import_size(c, INT16_MAX);
  if (samples < 0 || samples > INT16_MAX) return import_invalid(c, "%lld samples", (long long)samples);
  return import_require_at_most(c, one, rows, "rows of cells") && import_require_at_most(c, rows, most, "rows of cells") &&
         import_require_at_most(c, one, columns, "columns of cells") &&
         import_require_at_most(c, columns, most, "columns of cells");
}

/* Each cell has its own channels. */
static bool check_own(ImportCall *c, const TccExpr *channels, const ImportRoi *roi) {
  const TccExpr *cells = import_size_mul(c, roi->rows, roi->columns);
  return import_require_equal(c, channels, import_size_mul(c, roi->own, cells), "channels of all cells");
}

/* The samples along both axes of images [N, C, H, W]. False after a reason. */
static bool roi_axes(ImportCall *c, MlirValue boxes, const ImportShape *image, const ImportRoi *roi, RoiAxis out[2]) {
  boxes = plus(c, times(c, boxes, roi->scale), roi->half_pixel ? -0.5 : 0);
  return roi_axis(c, boxes, 1, image->dims[2], roi->rows, roi, &out[0]) &&
         roi_axis(c, boxes, 0, image->dims[3], roi->columns, roi, &out[1]);
}

MlirValue import_roi_align(ImportCall *c, MlirValue x, MlirValue boxes, MlirValue batch, const ImportRoi *roi) {
  RoiAxis axes[2];
  if (!check_regions(c, 4, x, boxes, batch) || !check_cells(c, roi->rows, roi->columns, roi->samples)) return (MlirValue){NULL};
  ImportShape s = import_shape(c, x);
  if (!roi_axes(c, boxes, &s, roi, axes)) return (MlirValue){NULL};
  if (roi->own && !check_own(c, s.dims[1], roi)) return (MlirValue){NULL};
  MlirValue r = pixels_of(c, x, batch, axes, roi->own);
  return r.ptr ? channels_first(c, join_samples(c, r, axes, roi)) : r;
}

/* ---- CropAndResize ---- */
/* Places of `cells` pixels from the corner `from` of boxes [regions, 4] to the corner from + 2, in shares of the image: [regions, cells, 1]. Of one pixel the
 * middle. */
static MlirValue crop_positions(ImportCall *c, MlirValue boxes, int64_t from, const TccExpr *size, const TccExpr *cells) {
  const TccElem elem = tcc_value_elem(boxes);
  const TccExpr *to[] = {import_size(c, 1), cells};
  MlirValue reach = plus(c, size_as(c, elem, size), -1), n = plus(c, size_as(c, elem, cells), -1),
            zero = tcc_build_scalar(&c->b, elem, 0);
  MlirValue start = tcc_build2(&c->b, TCC_OP_MUL, column(c, boxes, from), reach),
            end = tcc_build2(&c->b, TCC_OP_MUL, column(c, boxes, from + 2), reach);
  MlirValue step =
      tcc_build2(&c->b, TCC_OP_DIV, tcc_build2(&c->b, TCC_OP_SUB, end, start), tcc_build2_number(&c->b, TCC_OP_MAX, n, 1));
  MlirValue i = tcc_build_reshape(&c->b, import_iota(c, elem, cells), 2, to);
  MlirValue at = tcc_build2(&c->b, TCC_OP_ADD, start, tcc_build2(&c->b, TCC_OP_MUL, step, i));
  at = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", i, n), end, at); /* exactly */
  MlirValue middle = times(c, tcc_build2(&c->b, TCC_OP_ADD, start, end), 0.5);
  return import_unsqueeze(c, tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", n, zero), middle, at), 2);
}

/* x >= 0 to the nearest integer, halves up. */
static MlirValue round_up(ImportCall *c, MlirValue x) { return tcc_build1(&c->b, TCC_OP_FLOOR, plus(c, x, 0.5)); }

MlirValue import_crop_and_resize(ImportCall *c, MlirValue x, MlirValue boxes, MlirValue batch, const TccExpr *const size[2],
                                 bool nearest, double otherwise) {
  const MlirValue none = {NULL};
  MlirValue outside = none;
  if (!check_regions(c, 4, x, boxes, batch)) return none;
  ImportShape s = import_shape(c, x);
  RoiAxis axes[2];
  boxes = tcc_build_convert(&c->b, boxes, tcc_elem_accumulator(s.elem));
  for (int d = 0; d < 2; d++) {
    MlirValue at = crop_positions(c, boxes, d, s.dims[2 + d], size[d]);
    const TccElem elem = tcc_value_elem(at);
    MlirValue reach = plus(c, size_as(c, elem, s.dims[2 + d]), -1);
    MlirValue inside =
        both(c, tcc_build_compare(&c->b, "ge", at, tcc_build_scalar(&c->b, elem, 0)), tcc_build_compare(&c->b, "le", at, reach));
    axes[d] = (RoiAxis){.samples = import_size(c, 1)};
    Sides sides = between_pixels(c, nearest ? round_up(c, at) : at, inside, s.dims[2 + d]);
    if (!two_pixels(c, &sides, &axes[d])) return none;
    MlirValue beyond = along(c, one_side(c, tcc_build1(&c->b, TCC_OP_NOT, inside)), d == 0);
    outside = d ? tcc_build2(&c->b, TCC_OP_OR, outside, beyond) : beyond;
  }
  MlirValue r = pixels_of(c, x, batch, axes, NULL);
  if (!r.ptr) return none;
  r = tcc_build_reduce(&c->b, "sum", r, sample_axes, 3, false);
  const TccExpr *cells[] = {import_shape(c, r).dims[0], size[0], size[1], import_size(c, 1)};
  outside = tcc_build_reshape(&c->b, outside, 4, cells);
  r = tcc_build_select(&c->b, outside, tcc_build_scalar(&c->b, s.elem, otherwise), r);
  return channels_first(c, r);
}

/* ---- MaxRoiPool ---- */
/* To the nearest integer, halves away from zero. */
static MlirValue round_away(ImportCall *c, MlirValue x) {
  MlirValue negative = tcc_build_compare(&c->b, "lt", x, tcc_build_scalar(&c->b, tcc_value_elem(x), 0));
  return tcc_build_select(&c->b, negative, tcc_build1(&c->b, TCC_OP_CEIL, plus(c, x, -0.5)), round_up(c, x));
}

/* The pixels of each cell along an axis, between columns `from` and from + 2 of rois [regions, 5], whose ends belong to it: of all as many as the largest has, the last
 * one again where it has fewer. */
typedef struct {
  MlirValue pixel; /* i64 [regions, cells, of a cell] */
  MlirValue some;  /* bool [regions, cells]: it has a pixel */
} CellPixels;

static bool cell_pixels(ImportCall *c, MlirValue rois, int64_t from, const TccExpr *cells, const TccExpr *size, CellPixels *out) {
  static const int64_t axes[] = {0, 1};
  const TccElem elem = tcc_value_elem(rois);
  const TccExpr *of_cell[] = {import_size(c, 1), cells}, *most = size;
  MlirValue start = round_away(c, column(c, rois, from)), end = round_away(c, column(c, rois, from + 2)),
            zero = tcc_build_scalar(&c->b, elem, 0), last = size_as(c, elem, size),
            none = tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, 0);
  MlirValue length = tcc_build2_number(&c->b, TCC_OP_MAX, plus(c, tcc_build2(&c->b, TCC_OP_SUB, end, start), 1), 1);
  MlirValue step = tcc_build2(&c->b, TCC_OP_DIV, length, size_as(c, elem, cells)), bounds[2];
  MlirValue cell = tcc_build_reshape(&c->b, import_iota(c, elem, cells), 2, of_cell);
  for (int i = 0; i < 2; i++) {
    MlirValue at = tcc_build2(&c->b, TCC_OP_MUL, plus(c, cell, i), step);
    at = tcc_build2(&c->b, TCC_OP_ADD, tcc_build1(&c->b, i ? TCC_OP_CEIL : TCC_OP_FLOOR, at), start);
    at = tcc_build_select(&c->b, tcc_build_compare(&c->b, "gt", at, zero), at, zero); /* NaN: none */
    bounds[i] = tcc_build_convert(&c->b, tcc_build2(&c->b, TCC_OP_MIN, at, last), TCC_ELEM_I64);
  }
  MlirValue count = tcc_build2(&c->b, TCC_OP_MAX, tcc_build2(&c->b, TCC_OP_SUB, bounds[1], bounds[0]), none);
  out->some = tcc_build_compare(&c->b, "gt", count, none);
  if (import_may_count(c))
    most = import_counted_size(c, tcc_build2(&c->b, TCC_OP_MAX, tcc_build_reduce(&c->b, "max", count, axes, 2, false), none), size);
  if (!most) return false;
  const TccExpr *of_pixel[] = {import_size(c, 1), import_size(c, 1), most};
  MlirValue i = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, most), 3, of_pixel);
  i = tcc_build2(&c->b, TCC_OP_MIN, i, import_unsqueeze(c, tcc_build2_number(&c->b, TCC_OP_SUB, count, 1), 2));
  i = tcc_build2(&c->b, TCC_OP_ADD, tcc_build2(&c->b, TCC_OP_MAX, i, none), import_unsqueeze(c, bounds[0], 2));
  /* of a cell without pixels at the image's end it is none of the image */
  out->pixel = tcc_build2(&c->b, TCC_OP_MIN, i, tcc_build2_number(&c->b, TCC_OP_SUB, tcc_build_size(&c->b, size), 1));
  return out->pixel.ptr != NULL;
}

/* Where in its image the first of the largest of r [regions, rows, columns, of a row, of a column, 1, C] is, -1 where a cell has no pixel:
 * i64 [regions, C, rows, columns]. at: as PixelRows.in_image. */
static MlirValue places_of(ImportCall *c, MlirValue r, MlirValue largest, MlirValue at, MlirValue some) {
  ImportShape all = import_shape(c, r), one = all, pixel = all;
  for (int i = 3; i < 6; i++) one.dims[i] = import_size(c, 1);
  pixel.dims[6] = import_size(c, 1);
  MlirValue is_it = tcc_build_compare(&c->b, "eq", r, tcc_build_reshape(&c->b, largest, 7, one.dims));
  MlirValue place = tcc_build_select(&c->b, is_it, tcc_build_reshape(&c->b, at, 7, pixel.dims),
                                     tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, INT64_MAX));
  place = tcc_build_reduce(&c->b, "min", place, sample_axes, 3, false);
  return channels_first(c, tcc_build_select(&c->b, some, place, tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, -1)));
}

/* boxes [regions, 5] in pixels, in the type that x is computed in. *batch: the image of each. */
static MlirValue boxes_in_pixels(ImportCall *c, MlirValue x, MlirValue boxes, double scale, MlirValue *batch) {
  MlirValue rois = tcc_build_convert(&c->b, boxes, tcc_elem_accumulator(tcc_value_elem(x)));
  const TccExpr *regions = import_shape(c, rois).dims[0];
  *batch = tcc_build_reshape(&c->b, tcc_build_convert(&c->b, column(c, rois, 0), TCC_ELEM_I64), 1, &regions);
  return times(c, rois, scale);
}

MlirValue import_max_roi_pool(ImportCall *c, MlirValue x, MlirValue boxes, const TccExpr *rows, const TccExpr *columns,
                              double scale, MlirValue *place) {
  const MlirValue none = {NULL};
  CellPixels in_columns, in_rows;
  if (!check_regions(c, 5, x, boxes, none) || !check_cells(c, rows, columns, 0)) return none;
  ImportShape s = import_shape(c, x);
  MlirValue batch, rois = boxes_in_pixels(c, x, boxes, scale, &batch);
  if (!cell_pixels(c, rois, 1, columns, s.dims[3], &in_columns) || !cell_pixels(c, rois, 2, rows, s.dims[2], &in_rows)) return none;
  PixelRows p =
      pixel_rows(c, x, batch, along(c, one_side(c, in_rows.pixel), true), along(c, one_side(c, in_columns.pixel), false), NULL);
  MlirValue r =
      import_gather_valid(c, p.pixels, p.at, 0, TCC_VALID_UNSIGNED); /* the images of regions have no pixels of their own */
  if (!r.ptr) return none;
  MlirValue largest = tcc_build_reduce(&c->b, "max", r, sample_axes, 3, false);
  MlirValue some = import_unsqueeze(c, both(c, import_unsqueeze(c, in_rows.some, 2), import_unsqueeze(c, in_columns.some, 1)), 3);
  if (place) *place = places_of(c, r, largest, p.in_image, some);
  return channels_first(c, tcc_build_select(&c->b, some, largest, tcc_build_scalar(&c->b, s.elem, 0)));
}

/* ---- position-sensitive pools ---- */
/* bool [regions, cells, size]: the pixels of each cell, between columns `from` and from + 2 of rois [regions, 5], whose ends do not belong to it. */
static MlirValue is_in_cell(ImportCall *c, MlirValue rois, int64_t from, const TccExpr *cells, const TccExpr *size) {
  const TccElem elem = tcc_value_elem(rois);
  const TccExpr *of_cell[] = {import_size(c, 1), cells}, *of_pixel[] = {import_size(c, 1), import_size(c, 1), size};
  MlirValue start = round_away(c, column(c, rois, from)), end = round_away(c, column(c, rois, from + 2));
  MlirValue length = tcc_build2_number(&c->b, TCC_OP_MAX, tcc_build2(&c->b, TCC_OP_SUB, end, start), 1);
  MlirValue step = tcc_build2(&c->b, TCC_OP_DIV, length, size_as(c, elem, cells));
  MlirValue cell = tcc_build_reshape(&c->b, import_iota(c, elem, of_cell[1]), 2, of_cell);
  MlirValue low = tcc_build1(&c->b, TCC_OP_FLOOR, tcc_build2(&c->b, TCC_OP_MUL, cell, step)),
            high = tcc_build1(&c->b, TCC_OP_CEIL, tcc_build2(&c->b, TCC_OP_MUL, plus(c, cell, 1), step));
  low = import_unsqueeze(c, tcc_build2(&c->b, TCC_OP_ADD, low, start), 2);
  high = import_unsqueeze(c, tcc_build2(&c->b, TCC_OP_ADD, high, start), 2);
  MlirValue pixel = tcc_build_reshape(&c->b, import_iota(c, elem, size), 3, of_pixel);
  return both(c, tcc_build_compare(&c->b, "ge", pixel, low), tcc_build_compare(&c->b, "lt", pixel, high));
}

/* How many pixels each cell has, i64 [regions, cells]. */
static MlirValue pixel_count(ImportCall *c, MlirValue is_in) {
  static const int64_t last = 2;
  return tcc_build_reduce(&c->b, "sum", tcc_build_convert(&c->b, is_in, TCC_ELEM_I64), &last, 1, false);
}

/* Of [regions, cells, size] the last pixel is in no cell. */
static MlirValue but_last(ImportCall *c, MlirValue is_in) {
  ImportShape s = import_shape(c, is_in);
  const TccExpr *one = import_size(c, 1), *of_pixel[] = {one, one, s.dims[2]};
  MlirValue pixel = tcc_build_reshape(&c->b, import_iota(c, TCC_ELEM_I64, s.dims[2]), 3, of_pixel);
  return both(c, is_in, tcc_build_compare(&c->b, "lt", pixel, tcc_build_size(&c->b, import_size_sub(c, s.dims[2], one))));
}

MlirValue import_ps_roi_pool(ImportCall *c, MlirValue x, MlirValue boxes, const ImportRoi *roi) {
  static const int64_t plane[] = {4, 5};
  const TccExpr *rows = roi->rows, *columns = roi->columns;
  if (!check_regions(c, 5, x, boxes, (MlirValue){NULL}) || !check_cells(c, rows, columns, 0)) return (MlirValue){NULL};
  ImportShape s = import_shape(c, x);
  if (!check_own(c, s.dims[1], roi)) return (MlirValue){NULL};
  const TccExpr *one = import_size(c, 1), *regions = import_shape(c, boxes).dims[0];
  const TccExpr *split[] = {regions, roi->own, rows, columns, s.dims[2], s.dims[3]};
  const TccExpr *of_rows[] = {regions, one, rows, one, s.dims[2], one},
                *of_columns[] = {regions, one, one, columns, one, s.dims[3]};
  MlirValue batch, rois = boxes_in_pixels(c, x, boxes, roi->scale, &batch);
  MlirValue y = tcc_build_reshape(&c->b, import_gather_valid(c, x, import_index(c, batch), 0, TCC_VALID_UNSIGNED), 6, split);
  MlirValue in_columns = is_in_cell(c, rois, 1, columns, s.dims[3]), in_rows = is_in_cell(c, rois, 2, rows, s.dims[2]);
  if (roi->but_last) in_columns = but_last(c, in_columns), in_rows = but_last(c, in_rows);
  MlirValue here = both(c, tcc_build_reshape(&c->b, in_rows, 6, of_rows), tcc_build_reshape(&c->b, in_columns, 6, of_columns));
  y = tcc_build_reduce(&c->b, "sum", tcc_build_select(&c->b, here, y, tcc_build_scalar(&c->b, s.elem, 0)), plane, 2, false);
  MlirValue count = tcc_build2(&c->b, TCC_OP_MUL, import_unsqueeze(c, pixel_count(c, in_rows), 2),
                               import_unsqueeze(c, pixel_count(c, in_columns), 1));
  count = tcc_build2_number(&c->b, TCC_OP_MAX, tcc_build_convert(&c->b, count, s.elem), 1);
  return tcc_build2(&c->b, TCC_OP_DIV, y, import_unsqueeze(c, count, 1));
}

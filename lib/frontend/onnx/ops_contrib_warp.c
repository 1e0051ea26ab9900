/* ops_contrib_warp.c - onnxruntime's DynamicTimeWarping: the cheapest way through a matrix of costs [M, N] from its first element to its last
 * (Sakoe and Chiba 1978), as speech models give times to words by.
 *
 * What a way to an element costs depends on its neighbours on the left, above, and between these: on the two diagonals before its own. So a loop goes over
 * diagonals, each computed at once, and writes down where each element's way comes from; a second one walks back. Diagonal d has row i at place i + 1 and
 * column d - i; place 0 and what is outside of the matrix cost infinitely much. How long the way is is data. */
#include "lib/frontend/onnx/ops.h"
#include "tcc/op_kinds.h"
#include <math.h>

enum { FROM_BOTH, FROM_ABOVE, FROM_LEFT };

typedef struct {
  const TccExpr *rows, *columns, *places, *steps; /* places: rows + 1; steps: rows + columns, of which the last does nothing */
  MlirValue cost;                                 /* f32 [rows * columns + 1] */
} Warp;

static MlirValue none(void) { return (MlirValue){NULL}; }
static MlirValue number(ImportCall *c, int64_t value) { return tcc_build_scalar_i64(&c->b, TCC_ELEM_I64, value); }
static MlirValue plus(ImportCall *c, MlirValue x, MlirValue y) { return tcc_build2(&c->b, TCC_OP_ADD, x, y); }
static MlirValue less(ImportCall *c, MlirValue x, MlirValue y) { return tcc_build_compare(&c->b, "lt", x, y); }
static MlirValue both(ImportCall *c, MlirValue x, MlirValue y) { return tcc_build2(&c->b, TCC_OP_AND, x, y); }
static MlirValue infinite(ImportCall *c) { return tcc_build_scalar(&c->b, TCC_ELEM_F32, INFINITY); }

static MlirValue row_written(ImportCall *c, MlirValue x, MlirValue at, MlirValue row) {
  MlirValue operands[] = {x, at, row};
  return x.ptr && row.ptr ? import_op(c, TCC_OP_DYNAMIC_UPDATE_SLICE, operands, 3, NULL, 0) : none();
}

/* Each place has what the one before it has. */
static MlirValue moved(ImportCall *c, MlirValue x) {
  const TccExpr *low = import_size(c, 1), *high = import_size(c, -1);
  return tcc_build_pad(&c->b, x, infinite(c), &low, &high, "constant");
}

/* The diagonal `step`, and i32: where each place comes from. before, last: the two diagonals in front of it. */
static MlirValue diagonal(ImportCall *c, const Warp *w, MlirValue step, MlirValue before, MlirValue last, MlirValue *out_from) {
  MlirValue zero = number(c, 0), width = tcc_build_size(&c->b, w->columns);
  MlirValue row = tcc_build2_number(&c->b, TCC_OP_SUB, import_iota(c, TCC_ELEM_I64, w->places), 1);
  MlirValue column = tcc_build2(&c->b, TCC_OP_SUB, step, row);
  MlirValue inside = both(c, tcc_build_compare(&c->b, "ge", row, zero),
                          both(c, tcc_build_compare(&c->b, "ge", column, zero), less(c, column, width)));
  MlirValue at = tcc_build_select(&c->b, inside, plus(c, tcc_build2(&c->b, TCC_OP_MUL, row, width), column), zero);
  MlirValue across = moved(c, before), above = moved(c, last);
  MlirValue is_across = both(c, less(c, across, above), less(c, across, last)),
            is_above = both(c, less(c, above, across), less(c, above, last));
  MlirValue least = tcc_build_select(&c->b, is_across, across, tcc_build_select(&c->b, is_above, above, last));
  *out_from = tcc_build_select(&c->b, is_across, tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, FROM_BOTH),
                               tcc_build_select(&c->b, is_above, tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, FROM_ABOVE),
                                                tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, FROM_LEFT)));
  return tcc_build_select(&c->b, inside, plus(c, least, tcc_build_gather(&c->b, w->cost, at, 0)), infinite(c));
}

/* i32 [steps, places]: of each diagonal, where its places come from. */
static MlirValue origins(ImportCall *c, const Warp *w) {
  enum { STEP, BEFORE, LAST, FROM, CARRIED };
  const TccExpr *grid[] = {w->steps, w->places};
  MlirValue nowhere = tcc_build_broadcast(&c->b, infinite(c), 1, &w->places), place = import_iota(c, TCC_ELEM_I64, w->places);
  MlirValue start = tcc_build_select(&c->b, tcc_build_compare(&c->b, "eq", place, number(c, 0)),
                                     tcc_build_scalar(&c->b, TCC_ELEM_F32, 0), nowhere);
  MlirValue initial[CARRIED] = {number(c, 0), start, nowhere,
                                tcc_build_broadcast(&c->b, tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, 0), 2, grid)};
  MlirValue argument[CARRIED], results[CARRIED], out[CARRIED], from;
  if (!start.ptr || !initial[FROM].ptr) return none();
  ImportBody body;
  import_body_open(c, &body);
  for (int i = 0; i < CARRIED; i++) argument[i] = import_body_argument(c, &body, tcc_value_type(initial[i]));
  results[LAST] = diagonal(c, w, argument[STEP], argument[BEFORE], argument[LAST], &from);
  results[BEFORE] = argument[LAST];
  results[FROM] = row_written(c, argument[FROM], argument[STEP], from);
  results[STEP] = plus(c, argument[STEP], number(c, 1));
  if (results[LAST].ptr && results[FROM].ptr && import_body_close(c, &body, CARRIED, initial, results, w->steps, false, out))
    return out[FROM];
  import_body_drop(c, &body, false);
  return none();
}

/* i32 [steps, 2]: the rows and columns of the way, the last one in the last row; in front of the first one -1. */
static MlirValue walked_back(ImportCall *c, const Warp *w, MlirValue from) {
  enum { STEP, ROW, COLUMN, WAY, CARRIED };
  const TccExpr *two[] = {w->steps, import_size(c, 2)}, *flat = import_size_mul(c, w->steps, w->places);
  MlirValue one = number(c, 1), zero = number(c, 0);
  MlirValue initial[CARRIED] = {tcc_build2_number(&c->b, TCC_OP_SUB, tcc_build_size(&c->b, w->steps), 1),
                                tcc_build2_number(&c->b, TCC_OP_SUB, tcc_build_size(&c->b, w->rows), 1),
                                tcc_build2_number(&c->b, TCC_OP_SUB, tcc_build_size(&c->b, w->columns), 1),
                                tcc_build_broadcast(&c->b, tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, -1), 2, two)};
  MlirValue argument[CARRIED], results[CARRIED], out[CARRIED];
  from = tcc_build_reshape(&c->b, from, 1, &flat);
  if (!from.ptr || !initial[WAY].ptr) return none();
  ImportBody body;
  import_body_open(c, &body);
  for (int i = 0; i < CARRIED; i++) argument[i] = import_body_argument(c, &body, tcc_value_type(initial[i]));
  MlirValue row = argument[ROW], column = argument[COLUMN];
  MlirValue goes = both(c, tcc_build_compare(&c->b, "ge", row, zero), tcc_build_compare(&c->b, "ge", column, zero));
  MlirValue at = plus(c, tcc_build2(&c->b, TCC_OP_MUL, plus(c, row, column), tcc_build_size(&c->b, w->places)), plus(c, row, one));
  MlirValue came = tcc_build_gather(&c->b, from, tcc_build_select(&c->b, goes, at, zero), 0);
  MlirValue ends[] = {import_unsqueeze(c, row, 0), import_unsqueeze(c, column, 0)};
  MlirValue here = ends[0].ptr && ends[1].ptr ? tcc_build_concat(&c->b, ends, 2, 0) : none();
  here = tcc_build_select(&c->b, goes, here, number(c, -1));
  results[WAY] = row_written(c, argument[WAY], argument[STEP], tcc_build_convert(&c->b, here, TCC_ELEM_I32));
  MlirValue up = tcc_build_compare(&c->b, "ne", came, tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, FROM_LEFT)),
            left = tcc_build_compare(&c->b, "ne", came, tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, FROM_ABOVE));
  results[ROW] = tcc_build_select(&c->b, both(c, goes, up), tcc_build2_number(&c->b, TCC_OP_SUB, row, 1), row);
  results[COLUMN] = tcc_build_select(&c->b, both(c, goes, left), tcc_build2_number(&c->b, TCC_OP_SUB, column, 1), column);
  results[STEP] = tcc_build2_number(&c->b, TCC_OP_SUB, argument[STEP], 1);
  if (results[WAY].ptr && results[ROW].ptr && results[COLUMN].ptr &&
      import_body_close(c, &body, CARRIED, initial, results, w->steps, false, out))
    return out[WAY];
  import_body_drop(c, &body, false);
  return none();
}

/* Costs [M, N] or [1, M, N]: rows and columns, i32 [2, length]. */
bool onnx_op_time_warping(ImportCall *c) {
  if (!import_need(c, 1)) return false;
  MlirValue x = import_input(c, 0);
  ImportShape s = import_shape(c, x);
  const TccExpr *one = import_size(c, 1), *zero = import_size(c, 0);
  const int64_t turned[] = {1, 0};
  if (s.elem != TCC_ELEM_F32 || (s.rank != 2 && s.rank != 3))
    return import_invalid(c, "costs of rank %d, %s", s.rank, tcc_elem_name(s.elem));
  if (s.rank == 3 && !import_require_equal(c, s.dims[0], one, "the first size")) return false;
  Warp w = {.rows = s.dims[s.rank - 2], .columns = s.dims[s.rank - 1]};
  w.places = import_size_add(c, w.rows, one), w.steps = import_size_add(c, w.rows, w.columns);
  const TccExpr *flat = import_size_mul(c, w.rows, w.columns);
  w.cost = tcc_build_pad(&c->b, tcc_build_reshape(&c->b, x, 1, &flat), none(), &zero, &one, "constant");
  MlirValue way = w.cost.ptr ? walked_back(c, &w, origins(c, &w)) : none();
  MlirValue first = tcc_build_slice_axis(&c->b, way, 1, zero, 1, one);
  if (!first.ptr) return false;
  MlirValue met = tcc_build_compare(&c->b, "ge", tcc_build_squeeze(&c->b, first, 1), tcc_build_scalar_i64(&c->b, TCC_ELEM_I32, 0));
  return import_output(c, 0, tcc_build_transpose(&c->b, onnx_take_where(c, way, 0, met), turned));
}

/* sample_plan.h - a plan that has all that the run-time does: a region called twice, work on weights, a reshape, sizes that depend on
 * data. */
#ifndef TCC_TEST_SAMPLE_PLAN_H
#define TCC_TEST_SAMPLE_PLAN_H
#include "plan_builder.h"

static size_t doublings; /* calls of double_all */

/* r[i, j] = x[i, j] + w[j]; a tile is a row; sizes: rows, columns */
static inline void add_row(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  const float *x = arguments[0], *w = arguments[1];
  float *r = arguments[2], *row = scratch;
  for (int64_t i = begin; i < end; i++) {
    for (int64_t j = 0; j < sizes[1]; j++) row[j] = x[i * sizes[1] + j] + w[j];
    memcpy(r + i * sizes[1], row, (size_t)sizes[1] * sizeof *r);
  }
}

/* r[i] = 2 w[i]; one tile */
static inline void double_all(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch, (void)begin, (void)end;
  for (int64_t i = 0; i < sizes[0]; i++) ((float *)arguments[1])[i] = 2 * ((const float *)arguments[0])[i];
  doublings++;
}

static inline TccKernelFunction *find(const char *symbol, void *user) {
  (void)user;
  return strcmp(symbol, "add_row") == 0 ? add_row : strcmp(symbol, "double_all") == 0 ? double_all : NULL;
}

/* main(x: f32[B, 4]) -> layer(layer(x, 2 w), 2 w) as [B, 4], the same as [4 B], coordinates of non-zero x: i64[2, N] */
static inline void *make_plan(size_t *bytes) {
  Plan p;
  plan_open(&p);
  plan_symbol(&p, "B", 0);
  uint32_t n = plan_symbol(&p, "N", 1);
  const float w[4] = {1, 2, 3, 4};
  uint32_t constant = plan_constant(&p, w, sizeof w);
  uint32_t add = plan_call(&p, "add_row", false, "B, 4", "B"), twice = plan_call(&p, "double_all", false, "4", "1");
  uint32_t nonzero = plan_call(&p, "nonzero", true, tcc_arena_printf(p.arena, "%d, 2, N, B, 4", TCC_ELEM_F32), "1");
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "B, 4", 0);
  plan_value(&p, TCC_PLAN_CONSTANT, TCC_ELEM_F32, "4", constant);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "B, 4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "B, 4", 0);
  plan_value(&p, TCC_PLAN_ALIAS, TCC_ELEM_F32, "4*B", 4);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_I64, "2, N", 0);
  TccPlanRange none = {0, 0};
  plan_command(&p, TCC_PLAN_KERNEL, twice, LIST(&p, 1), LIST(&p, 2), none);
  plan_command(&p, TCC_PLAN_REGION, 1, LIST(&p, 0, 2), LIST(&p, 3), none);
  plan_command(&p, TCC_PLAN_REGION, 1, LIST(&p, 3, 2), LIST(&p, 4), none);
  plan_command(&p, TCC_PLAN_COUNT, n, LIST(&p, 0), none, none);
  plan_command(&p, TCC_PLAN_KERNEL, nonzero, LIST(&p, 0), LIST(&p, 6), none);
  TccPlanFunction entry = {
      .name = plan_text(&p, "main"), .values = {0, 7}, .commands = {0, 5}, .arguments = 1, .results = LIST(&p, 4, 5, 6)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "B, 4", 0);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "4", 1);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "B, 4", 0);
  plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "B, 4", 0);
  plan_command(&p, TCC_PLAN_KERNEL, add, LIST(&p, 0, 1), LIST(&p, 2), none);
  plan_command(&p, TCC_PLAN_KERNEL, add, LIST(&p, 2, 1), LIST(&p, 3), LIST(&p, 0, 0));
  TccPlanFunction layer = {
      .name = plan_text(&p, "layer"), .values = {7, 4}, .commands = {5, 2}, .arguments = 2, .results = LIST(&p, 3), .ops = 2};
  TCC_VEC_PUSH(p.arena, &p.functions, layer);
  TccPlanConstraint limit = {TCC_SIZES_AT_MOST,  plan_expr(&p, "B"),   plan_expr(&p, "100"),
                             plan_text(&p, "B"), plan_text(&p, "100"), plan_text(&p, "node 'y', Add")};
  TCC_VEC_PUSH(p.arena, &p.constraints, limit);
  TccPlanPort x = {plan_text(&p, "x"), 0, -1}, y = {plan_text(&p, "y"), 4, -1}, flat = {plan_text(&p, "flat"), 5, -1},
              where = {plan_text(&p, "where"), 6, -1};
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.outputs, y);
  TCC_VEC_PUSH(p.arena, &p.outputs, flat);
  TCC_VEC_PUSH(p.arena, &p.outputs, where);
  return plan_finish(&p, bytes);
}

/* y[i, j] must be x[i, j] + 4 * 2 * (j + 1): four additions of the doubled weight. */
static inline bool is_result(const float *y, const float *x, int64_t rows) {
  for (int64_t i = 0; i < 4 * rows; i++)
    if (y[i] != x[i] + 8 * (float)(i % 4 + 1)) return false;
  return true;
}

static inline TccTensor tensor(void *data, int32_t rank, int64_t *shape, int64_t *strides) {
  return (TccTensor){.data = data,
                     .device = {TCC_DEVICE_CPU, 0},
                     .rank = rank,
                     .dtype = {TCC_DTYPE_FLOAT, 32, 1},
                     .shape = shape,
                     .strides = strides};
}

#endif

/* Sizes whose products no tensor has: a stride of 0 or memory that is not there lets a caller ask for any. Each is an error before
 * anything is copied, or a result without elements; the context works afterwards. */
#include "plan_builder.h"
#include <stdio.h>

static int failures;
static _Atomic size_t rows_computed;

/* r[i, j] = x[i, j] + 1; a tile is a row */
static void add_one(void *const *arguments, const int64_t *sizes, void *scratch, int64_t begin, int64_t end) {
  (void)scratch;
  const float *x = arguments[0];
  float *r = arguments[1];
  rows_computed += (size_t)(end - begin);
  for (int64_t i = begin * sizes[0]; i < end * sizes[0]; i++) r[i] = x[i] + 1;
}

static TccKernelFunction *find(const char *symbol, void *user) {
  (void)user;
  return strcmp(symbol, "add_one") == 0 ? add_one : NULL;
}

/* More than any machine has is not asked of the system, which a sanitizer would report. */
static void *allocate(size_t bytes, size_t alignment, void *user) {
  (void)user;
  return bytes > 1 << 20 ? NULL : aligned_alloc(alignment, bytes);
}
static void release(void *memory, size_t bytes, void *user) { (void)bytes, (void)user, free(memory); }

typedef enum { SHAPE, IDENTITY, ADD_ONE, NONZERO, JOIN } Kind;
static const char *const names[] = {"shape", "identity", "add_one", "nonzero", "concat"};

/* main(x: f32[A, B]) -> its sizes, itself, x + 1, coordinates of what is not zero, or x twice, one behind the other */
static TccModel *make_model(Kind kind, void **out_block) {
  Plan p;
  TccPlanRange none = {0, 0};
  plan_open(&p);
  plan_symbol(&p, "A", 0);
  plan_symbol(&p, "B", 0);
  plan_value(&p, TCC_PLAN_ARGUMENT, TCC_ELEM_F32, "A, B", 0);
  uint32_t commands = 0, result = kind != IDENTITY;
  if (kind == SHAPE) {
    plan_value(&p, TCC_PLAN_SIZES, TCC_ELEM_I64, "2", 0);
    p.values.data[1].sizes = plan_exprs(&p, "A, B");
  } else if (kind == ADD_ONE) {
    uint32_t call = plan_call(&p, "add_one", false, "B", "A");
    plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "A, B", 0);
    plan_command(&p, TCC_PLAN_KERNEL, call, LIST(&p, 0), LIST(&p, 1), none);
    commands = 1;
  } else if (kind == NONZERO) {
    uint32_t n = plan_symbol(&p, "N", 1);
    uint32_t call = plan_call(&p, "nonzero", true, tcc_arena_printf(p.arena, "%d, 2, N, A, B", TCC_ELEM_F32), "1");
    plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_I64, "2, N", 0);
    plan_command(&p, TCC_PLAN_COUNT, n, LIST(&p, 0), none, none);
    plan_command(&p, TCC_PLAN_KERNEL, call, LIST(&p, 0), LIST(&p, 1), none);
    commands = 2;
  } else if (kind == JOIN) {
    uint32_t call = plan_call(&p, "concat", true, "8*A*B, 1, 2, 0, 0, 4*A*B, 0", "ceildiv(8*A*B, 65536)");
    plan_value(&p, TCC_PLAN_RESULT, TCC_ELEM_F32, "2*A, B", 0);
    plan_command(&p, TCC_PLAN_KERNEL, call, LIST(&p, 0), LIST(&p, 1), none);
    commands = 1;
  }
  TccPlanFunction entry = {.name = plan_text(&p, "main"),
                           .values = {0, (uint32_t)p.values.count},
                           .commands = {0, commands},
                           .arguments = 1,
                           .results = LIST(&p, result)};
  TCC_VEC_PUSH(p.arena, &p.functions, entry);
  TccPlanPort x = {plan_text(&p, "x"), 0, -1}, y = {plan_text(&p, "y"), result, -1};
  TCC_VEC_PUSH(p.arena, &p.inputs, x);
  TCC_VEC_PUSH(p.arena, &p.outputs, y);
  size_t bytes;
  *out_block = plan_finish(&p, &bytes);
  TccStatus *status = tcc_plan_check(*out_block, bytes);
  TccModel *model = NULL;
  TccLoadOptions options = {.allocator = {allocate, release, NULL}, .threads = 1};
  if (!status) status = tcc_model_create((TccArtifact){.plan = *out_block}, find, NULL, &options, &model);
  if (status) {
    printf("failed: %s: %s\n", names[kind], tcc_status_message(status));
    exit(1);
  }
  return model;
}

static TccCode run(TccContext *context, void *data, int64_t a, int64_t b, int64_t *strides, TccTensor *out) {
  int64_t shape[2] = {a, b};
  TccTensor x = {.data = data,
                 .device = {TCC_DEVICE_CPU, 0},
                 .rank = 2,
                 .dtype = {TCC_DTYPE_FLOAT, 32, 1},
                 .shape = shape,
                 .strides = strides};
  *out = (TccTensor){0};
  TccStatus *status = tcc_context_run(context, &x, 1, out, 1);
  TccCode code = tcc_status_code(status);
  tcc_status_destroy(status);
  return code;
}

static void test(Kind kind, unsigned threads) {
  static const int64_t huge[][2] = {{3, 6148914691236517206}, {(int64_t)1 << 32, (int64_t)1 << 32},
                                    {(int64_t)1 << 62, 4},    {(int64_t)1 << 62, 5},
                                    {INT64_MAX, INT64_MAX},   {INT64_MAX, 2},
                                    {(int64_t)1 << 57, 1},    {1, (int64_t)1 << 61}};
  static const int64_t empty[][2] = {{0, 0}, {0, 5}, {5, 0}, {0, INT64_MAX / 16}, {INT64_MAX / 16, 0}};
  void *block;
  TccModel *model = make_model(kind, &block);
  TccContext *context;
  TccContextOptions options = {.threads = threads};
  TccStatus *status = tcc_context_create(model, &options, &context);
  if (status) exit(1);
  float one[4] = {1, 1, 1, 1}; /* one[0] is read at any size, with strides of 0 */
  int64_t zeros[2] = {0, 0};
  TccTensor out;
  for (size_t i = 0; i < sizeof huge / sizeof *huge; i++)
    for (int way = 0; way < 3; way++) { /* strides of 0, memory that is not aligned, and memory that is not there */
      const int64_t a = huge[i][0], b = huge[i][1];
      if (way == 2 && a >> 57 == 1) continue; /* this fits the address space, so a caller's word for it is taken */
      TccCode code = run(context, way == 1 ? (char *)one + 1 : (void *)one, a, b, way == 0 ? zeros : NULL, &out);
      bool too_large = code == TCC_NO_MEMORY || code == TCC_INVALID; /* a size expression that overflows is invalid */
      if (!too_large)
        printf("failed: %s of %lld x %lld, way %d: %s\n", names[kind], (long long)a, (long long)b, way, tcc_code_name(code)),
            failures++;
      code = run(context, one, 1, 3, zeros, &out);
      if (code != TCC_OK) printf("failed: %s afterwards: %s\n", names[kind], tcc_code_name(code)), failures++;
    }
  size_t before = rows_computed;
  for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
    TccCode code = run(context, i % 2 ? one : NULL, empty[i][0], empty[i][1], zeros, &out);
    if (code != TCC_OK)
      printf("failed: %s of %lld x %lld: %s\n", names[kind], (long long)empty[i][0], (long long)empty[i][1], tcc_code_name(code)),
          failures++;
  }
  if (rows_computed != before) printf("failed: %s computes %zu rows of nothing\n", names[kind], rows_computed - before), failures++;
  if (run(context, one, -1, 3, zeros, &out) != TCC_INVALID || run(context, one, INT64_MIN, 1, zeros, &out) != TCC_INVALID)
    printf("failed: %s takes a negative size\n", names[kind]), failures++;
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  free(block);
}

/* The stride of an axis of size 1 may be anything. */
static void test_strides(void) {
  void *block;
  TccModel *model = make_model(ADD_ONE, &block);
  TccContext *context;
  TccStatus *status = tcc_context_create(model, NULL, &context);
  if (status) exit(1);
  float x[6] = {0, -1, 1, -1, 2, -1};
  TccTensor out;
  int64_t strides[2] = {2, INT64_MAX}, turned[2] = {INT64_MIN, 2};
  bool ok = run(context, x, 3, 1, strides, &out) == TCC_OK;
  for (int i = 0; ok && i < 3; i++) ok = ((float *)out.data)[i] == (float)i + 1;
  ok = ok && run(context, x, 1, 3, turned, &out) == TCC_OK;
  for (int i = 0; ok && i < 3; i++) ok = ((float *)out.data)[i] == (float)i + 1;
  if (!ok) printf("failed: strides of axes of size 1\n"), failures++;
  tcc_context_destroy(context);
  tcc_model_destroy(model);
  free(block);
}

/* What tcc_context_shapes says is what a run gives; what data decides is -1. */
static void test_shapes(void) {
  float ones[12] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  int64_t shape[2] = {3, 4};
  TccTensor x = {.data = ones, .device = {TCC_DEVICE_CPU, 0}, .rank = 2, .dtype = {TCC_DTYPE_FLOAT, 32, 1}, .shape = shape};
  for (int kind = SHAPE; kind <= JOIN; kind++) {
    void *block;
    TccModel *model = make_model((Kind)kind, &block);
    TccContext *context;
    TccTensor said, out;
    TccStatus *status = tcc_context_create(model, NULL, &context);
    if (status) exit(1);
    for (int turn = 0; turn < 2; turn++) { /* before a run and after one */
      int64_t sizes[2] = {0};
      status = tcc_context_shapes(context, &x, 1, &said, 1);
      for (int axis = 0; !status && axis < said.rank; axis++) sizes[axis] = said.shape[axis];
      bool same = !status && !said.data && !said.strides && run(context, ones, 3, 4, NULL, &out) == TCC_OK &&
                  said.rank == out.rank && tcc_dtype_elem(said.dtype) == tcc_dtype_elem(out.dtype);
      for (int axis = 0; same && axis < out.rank; axis++) same = sizes[axis] == (kind == NONZERO ? -1 : out.shape[axis]);
      if (!same) printf("failed: the shape of %s\n", names[kind]), failures++;
    }
    shape[0] = -3;
    status = tcc_context_shapes(context, &x, 1, &said, 1);
    if (tcc_status_code(status) != TCC_INVALID) printf("failed: %s has a shape for a negative size\n", names[kind]), failures++;
    tcc_status_destroy(status);
    shape[0] = 3;
    tcc_context_destroy(context);
    tcc_model_destroy(model);
    free(block);
  }
}

int main(void) {
  test_shapes();
  for (int kind = SHAPE; kind <= JOIN; kind++)
    for (unsigned threads = 1; threads <= 2; threads++) test((Kind)kind, threads);
  test_strides();
  return failures != 0;
}

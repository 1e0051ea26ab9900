/* gemm.c - one matrix product by tcc, oneDNN and OpenBLAS, in one process, turn by turn.
 *
 *     gemm M N K WEIGHTS COUNT ROUNDS THREADS NAME=ARTIFACT...      prints one JSON object
 *
 * Products in a model meet weights that come from memory, so each engine walks over COUNT different right operands of the
 * file WEIGHTS ([COUNT][K][N] f32, row-major), which together exceed the caches; rows and results are the same buffers for
 * all. An artifact has COUNT left operands, COUNT results, and its weights inside ("in-call" in its name: as COUNT more
 * inputs). A round times each engine once, in turning order; figures are nanoseconds of one product, in all rounds.
 * oneDNN's matmul has its weights packed before, in the layout that it asks for. */
#include "bench/kernels/timing.h"
#include <cblas.h>
#include <dnnl.h>
#include <fcntl.h>
#include <math.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MAX_COUNT = 128 };

typedef struct {
  int64_t m, n, k;
  int count, threads;
  float *weights, *a, *c, *expected;
} Problem;
typedef struct Engine Engine;
struct Engine {
  char name[64];
  void (*run)(Engine *engine, const Problem *p, int first, int count); /* these weights, one after the other */
  const Problem *problem;
  TccContext *context;
  TccTensor in[2 * MAX_COUNT], out[MAX_COUNT];
  int inputs;
  dnnl_primitive_t matmul;
  dnnl_memory_t rows, result, packed[MAX_COUNT];
  dnnl_stream_t stream;
};

static void onednn(dnnl_status_t status) {
  if (status != dnnl_success) fail("oneDNN refuses");
}

/* ---- engines ---- */

static void run_tcc(Engine *engine, const Problem *p, int first, int count) {
  (void)first, (void)count;
  check(tcc_context_run(engine->context, engine->in, (size_t)engine->inputs, engine->out, (size_t)p->count));
}

static int64_t shape_a[2], shape_b[2], shape_c[2];

static TccTensor tensor(float *data, int64_t *shape) {
  return (TccTensor){.data = data, .device = {TCC_DEVICE_CPU, 0}, .rank = 2, .dtype = {TCC_DTYPE_FLOAT, 32, 1}, .shape = shape};
}

static void open_tcc(Engine *engine, const Problem *p, char *spec) {
  char *path = strchr(spec, '=');
  if (!path) fail("an artifact is NAME=FILE");
  snprintf(engine->name, sizeof engine->name, "%.*s", (int)(path - spec), spec);
  TccModel *model;
  check(tcc_model_load(path + 1, NULL, &model));
  check(tcc_context_create(model, &(TccContextOptions){.threads = (unsigned)p->threads}, &engine->context));
  engine->inputs = (int)tcc_model_input_count(model);
  if ((engine->inputs != p->count && engine->inputs != 2 * p->count) || tcc_model_output_count(model) != (size_t)p->count)
    fail("another model");
  for (int i = 0; i < p->count; i++) {
    engine->in[i] = tensor(p->a, shape_a);
    engine->in[p->count + i] = tensor(p->weights + p->k * p->n * i, shape_b);
    engine->out[i] = tensor(p->c, shape_c);
  }
  engine->run = run_tcc;
}

static void run_onednn(Engine *engine, const Problem *p, int first, int count) {
  (void)p;
  for (int i = first; i < first + count; i++) {
    dnnl_exec_arg_t arguments[] = {
        {DNNL_ARG_SRC, engine->rows}, {DNNL_ARG_WEIGHTS, engine->packed[i]}, {DNNL_ARG_DST, engine->result}};
    onednn(dnnl_primitive_execute(engine->matmul, engine->stream, 3, arguments));
    onednn(dnnl_stream_wait(engine->stream));
  }
}

static void open_onednn(Engine *engine, const Problem *p, bool packed) {
  snprintf(engine->name, sizeof engine->name, packed ? "onednn-packed" : "onednn");
  dnnl_engine_t cpu;
  onednn(dnnl_engine_create(&cpu, dnnl_cpu, 0));
  onednn(dnnl_stream_create(&engine->stream, cpu, 0));
  dnnl_memory_desc_t a, plain, b, c;
  dnnl_dims_t da = {p->m, p->k}, db = {p->k, p->n}, dc = {p->m, p->n};
  onednn(dnnl_memory_desc_init_by_tag(&a, 2, da, dnnl_f32, dnnl_ab));
  onednn(dnnl_memory_desc_init_by_tag(&plain, 2, db, dnnl_f32, dnnl_ab));
  onednn(dnnl_memory_desc_init_by_tag(&b, 2, db, dnnl_f32, packed ? dnnl_format_tag_any : dnnl_ab));
  onednn(dnnl_memory_desc_init_by_tag(&c, 2, dc, dnnl_f32, dnnl_ab));
  dnnl_matmul_desc_t description;
  dnnl_primitive_desc_t primitive;
  onednn(dnnl_matmul_desc_init(&description, &a, &b, NULL, &c));
  onednn(dnnl_primitive_desc_create(&primitive, &description, NULL, cpu, NULL));
  onednn(dnnl_primitive_create(&engine->matmul, primitive));
  onednn(dnnl_memory_create(&engine->rows, &a, cpu, p->a));
  onednn(dnnl_memory_create(&engine->result, &c, cpu, p->c));
  const dnnl_memory_desc_t *asked = dnnl_primitive_desc_query_md(primitive, dnnl_query_weights_md, 0);
  for (int i = 0; i < p->count; i++) {
    dnnl_memory_t from;
    float *weights = p->weights + p->k * p->n * i;
    onednn(dnnl_memory_create(&from, &plain, cpu, weights));
    if (!packed) {
      engine->packed[i] = from;
      continue;
    }
    onednn(dnnl_memory_create(&engine->packed[i], asked, cpu, memory(dnnl_memory_desc_get_size(asked))));
    dnnl_primitive_desc_t how;
    dnnl_primitive_t reorder;
    onednn(dnnl_reorder_primitive_desc_create(&how, &plain, cpu, asked, cpu, NULL));
    onednn(dnnl_primitive_create(&reorder, how));
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, engine->packed[i]}};
    onednn(dnnl_primitive_execute(reorder, engine->stream, 2, arguments));
    onednn(dnnl_stream_wait(engine->stream));
  }
  engine->run = run_onednn;
}

static void run_openblas(Engine *engine, const Problem *p, int first, int count) {
  (void)engine;
  for (int i = first; i < first + count; i++)
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, (int)p->m, (int)p->n, (int)p->k, 1, p->a, (int)p->k,
                p->weights + p->k * p->n * i, (int)p->n, 0, p->c, (int)p->n);
}

static void wake(void *engine) {
  Engine *e = engine;
  e->run(e, e->problem, 0, e->problem->threads > 1 ? 1 : 0);
}

static double turn(void *engine) {
  Engine *e = engine;
  double start = now();
  e->run(e, e->problem, 0, e->problem->count);
  return (now() - start) / e->problem->count;
}

int main(int argc, char **argv) {
  if (argc < 8) fail("usage: gemm M N K WEIGHTS COUNT ROUNDS THREADS NAME=ARTIFACT...");
  Problem p = {.m = atol(argv[1]), .n = atol(argv[2]), .k = atol(argv[3]), .count = atoi(argv[5]), .threads = atoi(argv[7])};
  int rounds = atoi(argv[6]), engines = 0;
  if (p.count < 1 || p.count > MAX_COUNT || rounds < 1 || argc - 8 > MOST_ENGINES - 3)
    fail("count, rounds or artifacts out of range");
  size_t bytes = (size_t)(p.k * p.n * p.count) * sizeof(float);
  p.weights = read_weights(argv[4], bytes);
  p.a = memory((size_t)(p.m * p.k) * sizeof(float)), p.c = memory((size_t)(p.m * p.n) * sizeof(float));
  p.expected = memory((size_t)(p.m * p.n) * sizeof(float));
  for (int64_t i = 0; i < p.m * p.k; i++) p.a[i] = (float)(i * 7919 % 2003 - 1001) * 1e-3f;
  shape_a[0] = shape_c[0] = p.m, shape_a[1] = shape_b[0] = p.k, shape_b[1] = shape_c[1] = p.n;

  Engine *engine = memory(MOST_ENGINES * sizeof *engine);
  for (int i = 8; i < argc; i++) open_tcc(&engine[engines++], &p, argv[i]);
  open_onednn(&engine[engines++], &p, true);
  open_onednn(&engine[engines++], &p, false);
  snprintf(engine[engines].name, sizeof engine->name, "openblas"), engine[engines++].run = run_openblas;
  Timed timed[MOST_ENGINES];
  run_openblas(NULL, &p, p.count - 1, 1);
  memcpy(p.expected, p.c, (size_t)(p.m * p.n) * sizeof(float));
  for (int i = 0; i < engines; i++) {
    engine[i].problem = &p, timed[i] = (Timed){engine[i].name, &engine[i], wake, turn};
    memset(p.c, 0xff, (size_t)(p.m * p.n) * sizeof(float));
    engine[i].run(&engine[i], &p, 0, p.count);
    for (int64_t j = 0; j < p.m * p.n; j++)
      if (!(fabsf(p.c[j] - p.expected[j]) <= 1e-5f * sqrtf((float)p.k) + 1e-4f * fabsf(p.expected[j]))) {
        fprintf(stderr, "gemm: %s: element %ld is %g, not %g\n", engine[i].name, (long)j, (double)p.c[j], (double)p.expected[j]);
        return 1;
      }
  }
  char head[64];
  snprintf(head, sizeof head, "\"flops\": %.6g, ", 2.0 * (double)p.m * (double)p.n * (double)p.k);
  time_in_turn(head, timed, engines, rounds, p.threads);
  return 0;
}

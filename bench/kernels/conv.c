/* conv.c - one convolution by tcc and oneDNN, in one process, turn by turn.
 *
 *     conv N,C,H,W,M,K,STRIDE,PAD,GROUPS WEIGHTS COUNT ROUNDS THREADS NAME=ARTIFACT...      prints one JSON object
 *
 * Convolutions in a model meet weights that come from memory, so each engine walks over COUNT different weights of the file
 * WEIGHTS ([COUNT][M][C / GROUPS][K][K] f32), which together exceed the caches; the image and the result are the same
 * buffers for all. A ReLU follows. oneDNN has image, weights and result in the layouts that it asks for; an artifact has
 * COUNT inputs and COUNT results, [N, C / L, H, W, L] for L = 16 or, with --avx2, 8, or (fewer channels than L, rank 4) as in ONNX. A round times each
 * engine once, in turning order; figures are nanoseconds of one convolution, in all rounds. */
#include "bench/kernels/timing.h"
#include <dnnl.h>
#include <fcntl.h>
#include <math.h>
#include <unistd.h>

enum { MAX_COUNT = 512 };
static int64_t lanes = 16;

typedef struct {
  int64_t n, c, h, w, m, k, stride, pad, groups, oh, ow;
  int count, threads;
  float *weights, *x, *y, *expected;
} Problem;
typedef struct Engine Engine;
struct Engine {
  char name[64];
  void (*run)(Engine *engine, const Problem *p);
  const Problem *problem;
  TccContext *context;
  TccTensor in[MAX_COUNT], out[MAX_COUNT];
  int64_t in_shape[5], out_shape[5];
  float *image, *result;
  dnnl_primitive_t primitive;
  dnnl_memory_t source, target, packed[MAX_COUNT];
  dnnl_stream_t stream;
  dnnl_engine_t cpu;
  dnnl_memory_desc_t plain_target;
};

static void onednn(dnnl_status_t status) {
  if (status != dnnl_success) fail("oneDNN refuses");
}

/* ---- engines ---- */

static void run_tcc(Engine *e, const Problem *p) {
  check(tcc_context_run(e->context, e->in, (size_t)p->count, e->out, (size_t)p->count));
}

/* [n, c, h, w] <-> what an artifact takes. */
static void move_blocks(float *blocked, float *plain, int64_t n, int64_t c, int64_t size, bool is_blocked, bool to_blocked) {
  for (int64_t i = 0; i < n; i++)
    for (int64_t j = 0; j < c; j++)
      for (int64_t s = 0; s < size; s++) {
        float *b = blocked + (is_blocked ? ((i * (c / lanes) + j / lanes) * size + s) * lanes + j % lanes : (i * c + j) * size + s);
        float *a = plain + (i * c + j) * size + s;
        *(to_blocked ? b : a) = to_blocked ? *a : *b;
      }
}

static TccTensor tensor(float *data, int rank, int64_t *shape) {
  return (TccTensor){.data = data, .device = {TCC_DEVICE_CPU, 0}, .rank = rank, .dtype = {TCC_DTYPE_FLOAT, 32, 1}, .shape = shape};
}

static int shape_of(int64_t *shape, int64_t n, int64_t c, int64_t h, int64_t w) {
  int64_t plain[] = {n, c, h, w}, blocked[] = {n, c / lanes, h, w, lanes};
  bool is_blocked = c % lanes == 0;
  memcpy(shape, is_blocked ? blocked : plain, sizeof(int64_t) * (is_blocked ? 5 : 4));
  return is_blocked ? 5 : 4;
}

static void open_tcc(Engine *e, const Problem *p, char *spec) {
  char *path = strchr(spec, '=');
  if (!path) fail("an artifact is NAME=FILE");
  snprintf(e->name, sizeof e->name, "%.*s", (int)(path - spec), spec);
  TccModel *model;
  check(tcc_model_load(path + 1, NULL, &model));
  check(tcc_context_create(model, &(TccContextOptions){.threads = (unsigned)p->threads}, &e->context));
  if (tcc_model_input_count(model) != (size_t)p->count || tcc_model_output_count(model) != (size_t)p->count) fail("another model");
  e->image = memory((size_t)(p->n * p->c * p->h * p->w) * sizeof(float)),
  e->result = memory((size_t)(p->n * p->m * p->oh * p->ow) * sizeof(float));
  int in = shape_of(e->in_shape, p->n, p->c, p->h, p->w), out = shape_of(e->out_shape, p->n, p->m, p->oh, p->ow);
  move_blocks(e->image, p->x, p->n, p->c, p->h * p->w, in == 5, true);
  for (int i = 0; i < p->count; i++) e->in[i] = tensor(e->image, in, e->in_shape), e->out[i] = tensor(e->result, out, e->out_shape);
  e->run = run_tcc;
}

static void run_onednn(Engine *e, const Problem *p) {
  for (int i = 0; i < p->count; i++) {
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_SRC, e->source}, {DNNL_ARG_WEIGHTS, e->packed[i]}, {DNNL_ARG_DST, e->target}};
    onednn(dnnl_primitive_execute(e->primitive, e->stream, 3, arguments));
    onednn(dnnl_stream_wait(e->stream));
  }
}

static void reorder(const Engine *e, const dnnl_memory_desc_t *from_md, dnnl_memory_t from, const dnnl_memory_desc_t *to_md,
                    dnnl_memory_t to) {
  dnnl_primitive_desc_t how;
  dnnl_primitive_t primitive;
  onednn(dnnl_reorder_primitive_desc_create(&how, from_md, e->cpu, to_md, e->cpu, NULL));
  onednn(dnnl_primitive_create(&primitive, how));
  dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
  onednn(dnnl_primitive_execute(primitive, e->stream, 2, arguments));
  onednn(dnnl_stream_wait(e->stream));
  dnnl_primitive_destroy(primitive), dnnl_primitive_desc_destroy(how);
}

static dnnl_memory_t in_layout(const Engine *e, const dnnl_memory_desc_t *plain, const dnnl_memory_desc_t *asked, float *data) {
  dnnl_memory_t from, to;
  onednn(dnnl_memory_create(&from, plain, e->cpu, data));
  onednn(dnnl_memory_create(&to, asked, e->cpu, memory(dnnl_memory_desc_get_size(asked))));
  reorder(e, plain, from, asked, to);
  return to;
}

static void open_onednn(Engine *e, const Problem *p) {
  snprintf(e->name, sizeof e->name, "onednn");
  onednn(dnnl_engine_create(&e->cpu, dnnl_cpu, 0));
  onednn(dnnl_stream_create(&e->stream, e->cpu, 0));
  bool grouped = p->groups > 1;
  dnnl_dims_t dx = {p->n, p->c, p->h, p->w}, dy = {p->n, p->m, p->oh, p->ow}, dense = {p->m, p->c, p->k, p->k},
              split = {p->groups, p->m / p->groups, p->c / p->groups, p->k, p->k}, strides = {p->stride, p->stride},
              pads = {p->pad, p->pad};
  dnnl_memory_desc_t x, y, w, any_x, any_y, any_w;
  onednn(dnnl_memory_desc_init_by_tag(&x, 4, dx, dnnl_f32, dnnl_abcd));
  onednn(dnnl_memory_desc_init_by_tag(&y, 4, dy, dnnl_f32, dnnl_abcd));
  onednn(dnnl_memory_desc_init_by_tag(&w, grouped ? 5 : 4, grouped ? split : dense, dnnl_f32, grouped ? dnnl_abcde : dnnl_abcd));
  onednn(dnnl_memory_desc_init_by_tag(&any_x, 4, dx, dnnl_f32, dnnl_format_tag_any));
  onednn(dnnl_memory_desc_init_by_tag(&any_y, 4, dy, dnnl_f32, dnnl_format_tag_any));
  onednn(dnnl_memory_desc_init_by_tag(&any_w, grouped ? 5 : 4, grouped ? split : dense, dnnl_f32, dnnl_format_tag_any));
  dnnl_convolution_desc_t description;
  dnnl_primitive_desc_t primitive;
  dnnl_primitive_attr_t attributes;
  dnnl_post_ops_t after;
  onednn(dnnl_convolution_forward_desc_init(&description, dnnl_forward_inference, dnnl_convolution_direct, &any_x, &any_w, NULL,
                                            &any_y, strides, pads, pads));
  onednn(dnnl_post_ops_create(&after));
  onednn(dnnl_post_ops_append_eltwise(after, 1, dnnl_eltwise_relu, 0, 0));
  onednn(dnnl_primitive_attr_create(&attributes));
  onednn(dnnl_primitive_attr_set_post_ops(attributes, after));
  onednn(dnnl_primitive_desc_create(&primitive, &description, attributes, e->cpu, NULL));
  onednn(dnnl_primitive_create(&e->primitive, primitive));
  const dnnl_memory_desc_t *asked = dnnl_primitive_desc_query_md(primitive, dnnl_query_weights_md, 0);
  e->source = in_layout(e, &x, dnnl_primitive_desc_query_md(primitive, dnnl_query_src_md, 0), p->x);
  e->target = in_layout(e, &y, dnnl_primitive_desc_query_md(primitive, dnnl_query_dst_md, 0), p->y);
  int64_t size = p->m * (p->c / p->groups) * p->k * p->k;
  for (int i = 0; i < p->count; i++) e->packed[i] = in_layout(e, &w, asked, p->weights + size * i);
  e->plain_target = y;
  e->run = run_onednn;
}

/* The last result of an engine, as in ONNX. */
static void fetch(Engine *e, const Problem *p) {
  if (e->context) {
    move_blocks(e->result, p->y, p->n, p->m, p->oh * p->ow, p->m % lanes == 0, false);
    return;
  }
  const dnnl_memory_desc_t *md;
  dnnl_memory_t to;
  onednn(dnnl_memory_get_memory_desc(e->target, &md));
  onednn(dnnl_memory_create(&to, &e->plain_target, e->cpu, p->y));
  reorder(e, md, e->target, &e->plain_target, to);
}

static void wake(void *engine) {
  Engine *e = engine;
  if (e->problem->threads > 1) e->run(e, e->problem);
}

static double turn(void *engine) {
  Engine *e = engine;
  double start = now();
  e->run(e, e->problem);
  return (now() - start) / e->problem->count;
}

int main(int argc, char **argv) {
  Problem p = {0};
  if (argc < 6 ||
      sscanf(argv[1], "%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld,%ld", &p.n, &p.c, &p.h, &p.w, &p.m, &p.k, &p.stride, &p.pad, &p.groups) != 9)
    fail("usage: conv N,C,H,W,M,K,STRIDE,PAD,GROUPS WEIGHTS COUNT ROUNDS THREADS NAME=ARTIFACT...");
  p.count = atoi(argv[3]), p.threads = atoi(argv[5]);
  if (avx2_alone()) lanes = 8;
  int rounds = atoi(argv[4]), engines = 0;
  if (p.count < 1 || p.count > MAX_COUNT || rounds < 1 || argc - 6 > MOST_ENGINES - 1)
    fail("count, rounds or artifacts out of range");
  p.oh = (p.h + 2 * p.pad - p.k) / p.stride + 1, p.ow = (p.w + 2 * p.pad - p.k) / p.stride + 1;
  int64_t nx = p.n * p.c * p.h * p.w, ny = p.n * p.m * p.oh * p.ow;
  p.weights = read_weights(argv[2], (size_t)(p.m * (p.c / p.groups) * p.k * p.k * p.count) * sizeof(float));
  p.x = memory((size_t)nx * sizeof(float)), p.y = memory((size_t)ny * sizeof(float)),
  p.expected = memory((size_t)ny * sizeof(float));
  for (int64_t i = 0; i < nx; i++) p.x[i] = (float)(i * 7919 % 2003 - 1001) * 1e-3f;

  Engine *engine = memory(MOST_ENGINES * sizeof *engine);
  open_onednn(&engine[engines++], &p);
  for (int i = 6; i < argc; i++) open_tcc(&engine[engines++], &p, argv[i]);
  Timed timed[MOST_ENGINES];
  for (int i = 0; i < engines; i++) {
    engine[i].problem = &p, timed[i] = (Timed){engine[i].name, &engine[i], wake, turn};
    engine[i].run(&engine[i], &p);
    fetch(&engine[i], &p);
    if (i == 0) memcpy(p.expected, p.y, (size_t)ny * sizeof(float));
    for (int64_t j = 0; j < ny; j++)
      if (!(fabsf(p.y[j] - p.expected[j]) <= 1e-5f * sqrtf((float)(p.c / p.groups * p.k * p.k)) + 1e-4f * fabsf(p.expected[j]))) {
        fprintf(stderr, "conv: %s: element %ld is %g, not %g\n", engine[i].name, (long)j, (double)p.y[j], (double)p.expected[j]);
        return 1;
      }
  }
  char head[64];
  snprintf(head, sizeof head, "\"flops\": %.6g, ", 2.0 * (double)(ny * (p.c / p.groups) * p.k * p.k));
  time_in_turn(head, timed, engines, rounds, p.threads);
  return 0;
}

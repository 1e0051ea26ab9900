/* gpu_weights.c - weights, constants and what initial steps make of them, on a device.
 *
 * Each is uploaded once, from where its file is mapped, into one of two blocks: what later steps read, and what only initial steps do, which
 * goes when they have run. Then the host's copies go, too. Large ones go through two pinned pieces in turn: while the device takes one, the other
 * is filled from the file, and neither the file's pages nor a copy of them need be locked. */
#include "gpu.h"
#include <stdio.h>

static size_t round_up(size_t bytes) { return (bytes + TCC_DEVICE_ALIGNMENT - 1) & ~(size_t)(TCC_DEVICE_ALIGNMENT - 1); }

typedef struct {
  TccModel *model;
  TccGpu *gpu;
  const int64_t *exprs; /* constants; others are not asked for */
  size_t *bytes, *offset;
  void *block[2];
  size_t size[2];
} Binding;

static bool is_passing(const TccNode *node) { return node->last == TCC_NEVER && !node->is_output; }

/* Where each static value lies: block 0, or 1 if only initial steps use it. */
static TccStatus *lay_out(Binding *b) {
  TccModel *model = b->model;
  for (uint32_t n = 0; n < model->graph.node_count; n++) {
    const TccNode *node = &model->graph.nodes[n];
    if (node->root != n || node->place != TCC_PLACE_STATIC) continue;
    b->bytes[n] = node->kind == TCC_PLAN_SIZES ? node->sizes.count * sizeof(int64_t) : tcc_static_bytes(model, node);
    size_t *size = &b->size[is_passing(node)];
    if (b->bytes[n] > SIZE_MAX / 2 - *size - TCC_DEVICE_ALIGNMENT)
      return TCC_ERROR(TCC_NO_MEMORY, "weights are larger than the address space");
    b->offset[n] = *size;
    *size += round_up(b->bytes[n]);
  }
  return NULL;
}

/* ---- pinned pieces ---- */
enum { PIECE_BYTES = 4 << 20, PINNED_BYTES = 1 << 20 }; /* a piece; weights that are smaller in all go without */
typedef struct {
  char *piece[2];
  void *taken[2]; /* events: the device has taken what is in the piece */
  unsigned next;
} Pieces;

static void close_pieces(TccGpu *gpu, Pieces *p) {
  for (int i = 0; i < 2; i++) {
    tcc_gpu_unpin(gpu, p->piece[i]);
    tcc_gpu_mark_destroy(gpu, p->taken[i]);
  }
}

/* Without pinned memory, which is scarce, the driver stages the copies. */
static TccStatus *open_pieces(TccGpu *gpu, size_t bytes, Pieces *p) {
  *p = (Pieces){0};
  for (int i = 0; i < 2 && bytes >= PINNED_BYTES; i++) {
    p->piece[i] = tcc_gpu_pinned(gpu, PIECE_BYTES);
    TCC_TRY(tcc_gpu_mark_create(gpu, &p->taken[i]));
  }
  return NULL;
}

static TccStatus *upload_pieces(TccGpu *gpu, Pieces *p, char *to, const char *from, size_t bytes) {
  if (!p->piece[0] || !p->piece[1]) return tcc_gpu_upload(gpu, to, from, bytes);
  for (size_t at = 0, some; at < bytes; at += some) {
    const unsigned i = p->next++ % 2;
    some = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
    TCC_TRY(tcc_gpu_mark_wait(gpu, p->taken[i]));
    memcpy(p->piece[i], from + at, some);
    TCC_TRY(tcc_gpu_upload(gpu, to + at, p->piece[i], some));
    TCC_TRY(tcc_gpu_mark(gpu, p->taken[i]));
  }
  return NULL;
}

static TccStatus *upload_all(Binding *b, const char *directory, Pieces *pieces) {
  TccModel *model = b->model;
  for (uint32_t n = 0; n < model->graph.node_count; n++) {
    TccNode *node = &model->graph.nodes[n];
    if (node->root != n || node->place != TCC_PLACE_STATIC) continue;
    void *to = (char *)b->block[is_passing(node)] + b->offset[n];
    if (node->kind != TCC_PLAN_RESULT) {
      TCC_TRY(tcc_weights_bind_node(model, n, directory));
      TCC_TRY(upload_pieces(b->gpu, pieces, to, node->data, b->bytes[n]));
    }
    node->data = to;
  }
  return tcc_gpu_wait(b->gpu);
}

static TccStatus *upload(Binding *b, const char *directory) {
  Pieces pieces;
  TccStatus *status = open_pieces(b->gpu, b->size[0] + b->size[1], &pieces);
  if (!status) status = upload_all(b, directory, &pieces);
  close_pieces(b->gpu, &pieces);
  return status;
}

/* ---- the initial steps ---- */
typedef struct {
  void **arguments;
  int64_t *sizes;
  void *faults; /* on the device */
  TccTeam *team;
} Initial;

static TccStatus *read_faults(const Binding *b, const Initial *run, const TccStep *step, const TccPlanCall *call) {
  size_t words = TCC_FAULT_WORDS * call->checks.count;
  if (!words) return NULL;
  TCC_TRY(tcc_gpu_download(b->gpu, run->sizes + step->sizes - words, (int64_t *)run->faults + step->sizes - words,
                           words * sizeof(int64_t)));
  return tcc_faults_take(b->model->plan, call, b->exprs, run->sizes + step->sizes);
}

static TccStatus *run_step(const Binding *b, const Initial *run, const TccStep *step) {
  const TccModel *model = b->model;
  const TccPlanHeader *plan = model->plan;
  const TccPlanCall *call = (const TccPlanCall *)tcc_plan_at(plan, plan->calls) + step->index;
  const uint32_t *indices = tcc_plan_at(plan, plan->indices);
  for (uint32_t i = 0; i < step->operands + step->results; i++)
    run->arguments[step->slots + i] = model->graph.nodes[model->graph.nodes[model->graph.slots[step->slots + i]].root].data;
  for (uint32_t i = 0; i < call->sizes.count; i++) run->sizes[step->sizes + i] = b->exprs[indices[call->sizes.first + i]];
  TccCommand command = {.arguments = run->arguments + step->slots, .sizes = run->sizes + step->sizes};
  if (tcc_faults_empty(plan, call, b->exprs, &command)) {
    command.function(command.arguments, command.sizes, NULL, 0, command.tiles);
    return tcc_faults_take(plan, call, b->exprs, run->sizes + step->sizes);
  }
  const TccGpuStep s = {.model = model,
                        .step = step,
                        .arguments = run->arguments + step->slots,
                        .exprs = b->exprs,
                        .sizes = run->sizes + step->sizes,
                        .faults = (int64_t *)run->faults + step->sizes,
                        .tiles = b->exprs[call->tiles],
                        .team = run->team};
  TCC_TRY(tcc_gpu_step(b->gpu, &s));
  return read_faults(b, run, step, call);
}

static TccStatus *run_initial(const Binding *b, unsigned threads) {
  const TccGraph *graph = &b->model->graph;
  TccArena *arena = tcc_arena_create();
  Initial run = {.arguments = TCC_NEW_ARRAY(arena, void *, graph->slot_count + 1),
                 .sizes = TCC_NEW_ARRAY(arena, int64_t, graph->size_count + 1)};
  TccStatus *status = run.arguments && run.sizes ? NULL : TCC_ERROR_NO_MEMORY();
  size_t bytes = (graph->size_count + 1) * sizeof(int64_t);
  if (!status) status = tcc_team_create(&b->model->allocator, threads, &run.team);
  if (!status) status = tcc_gpu_allocate(b->gpu, bytes, "faults of kernels", &run.faults);
  if (!status) status = tcc_gpu_zero(b->gpu, run.faults, bytes);
  for (size_t i = 0; !status && i < graph->initial_count; i++) status = run_step(b, &run, &graph->initial[i]);
  if (!status) status = tcc_gpu_wait(b->gpu);
  tcc_gpu_release(b->gpu, run.faults);
  tcc_team_destroy(run.team);
  tcc_arena_destroy(arena);
  return status;
}

/* ---- binding ---- */
static TccStatus *bind(Binding *b, const TccLoadOptions *options) {
  TccModel *model = b->model;
  const char *directory = options ? options->weights_dir : NULL;
  const unsigned threads = options ? options->threads : 0;
  TCC_TRY(tcc_identity_check(model, directory, options ? options->verify : TCC_VERIFY_SAMPLES, threads));
  TCC_TRY(lay_out(b));
  TCC_TRY(tcc_gpu_allocate(b->gpu, b->size[0], "weights", &b->block[0]));
  model->block = b->block[0], model->block_bytes = b->size[0];
  if (b->size[1]) TCC_TRY(tcc_gpu_allocate(b->gpu, b->size[1], "weights that are made into others", &b->block[1]));
  TCC_TRY(upload(b, directory));
  if (model->graph.initial_count) TCC_TRY(run_initial(b, threads));
  return NULL;
}

static void release_host(TccModel *model) {
  for (size_t n = 0; n < model->graph.node_count; n++) {
    tcc_release(&model->allocator, model->owned[n].data, model->owned[n].bytes);
    model->owned[n].data = NULL;
  }
  for (size_t i = 0; model->sources && i < model->plan->sources.count; i++) tcc_file_unmap(&model->sources[i]);
}

TccStatus *tcc_gpu_weights_bind(TccModel *model, const TccLoadOptions *options) {
  const TccPlanExpr *records = tcc_plan_at(model->plan, model->plan->exprs);
  TccArena *arena = tcc_arena_create();
  int64_t *exprs = TCC_NEW_ARRAY(arena, int64_t, model->plan->exprs.count + 1);
  Binding b = {.model = model,
               .gpu = model->gpu,
               .exprs = exprs,
               .bytes = TCC_NEW_ARRAY(arena, size_t, model->graph.node_count + 1),
               .offset = TCC_NEW_ARRAY(arena, size_t, model->graph.node_count + 1)};
  TccStatus *status = tcc_arena_array(model->arena, 1, 1) && exprs && b.bytes && b.offset ? NULL : TCC_ERROR_NO_MEMORY();
  if (!status && !(model->sources = tcc_arena_array(model->arena, sizeof *model->sources, model->plan->sources.count + 1)))
    status = TCC_ERROR_NO_MEMORY();
  for (size_t i = 0; !status && i < model->plan->exprs.count; i++) exprs[i] = records[i].constant;
  if (!status) status = tcc_gpu_enter(model->gpu);
  if (!status) {
    status = bind(&b, options);
    tcc_gpu_release(model->gpu, b.block[1]);
    tcc_gpu_leave(model->gpu);
    release_host(model);
  }
  tcc_arena_destroy(arena);
  return status;
}

void tcc_gpu_weights_release(TccModel *model) {
  release_host(model);
  TccStatus *status = tcc_gpu_enter(model->gpu);
  if (!status) {
    tcc_gpu_release(model->gpu, model->block);
    tcc_gpu_leave(model->gpu);
  }
  tcc_status_destroy(status);
  model->block = NULL;
}

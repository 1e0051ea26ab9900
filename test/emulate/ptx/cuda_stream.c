/* cuda_stream.c - what the look-alike of CUDA's driver does in order: streams, events, graphs.
 *
 * A stream keeps what it is given until somebody waits for it, or for what comes behind it; so a result that is read too early, or memory
 * that another stream's work still needs, is wrong here as well. A copy from memory of the host that is not pinned takes it at once, as the
 * driver does. A stream that captures puts the same nodes into a graph, whose nodes are done in any order in which each comes behind those that it
 * waits for: the seed says which. */
#include "cuda.h"
#include <unistd.h>

typedef enum { NODE_KERNEL, NODE_COPY, NODE_FILL, NODE_WAIT, NODE_GRAPH, NODE_CLOCK } NodeKind;
typedef struct Graph Graph;
typedef struct Stream Stream;
/* What the device's clock says where an event was recorded: the event's, and a node's that has not been done. */
typedef struct {
  unsigned references;
  bool reached;
  uint64_t nanoseconds;
} Clock;
typedef struct {
  NodeKind kind;
  EmuLaunch launch; /* parameters: of this node */
  bool traps, hangs;
  const void **regions;
  size_t *region_bytes, nregions;
  void *to;
  const void *from;
  size_t bytes;
  void *taken; /* what `from` was; NULL: it is read when the node is done */
  unsigned char value;
  Stream *stream; /* WAIT: so many nodes of this one are done first */
  uint64_t number;
  const Graph *graph;
  Clock *clock;
  size_t *before, nbefore; /* in a graph: nodes of it that are done first */
} Node;
struct Graph {
  Node *nodes;
  size_t count, room, first; /* of a queue: the nodes before it are done */
};
struct Stream {
  Graph queue;
  uint64_t done; /* nodes that are behind us, from the first on */
  Graph *captured;
  void **last; /* nodes of it, their numbers + 1, that the next one waits for */
  size_t nlast;
  bool invalid; /* what was captured */
  struct Stream *next;
};
typedef struct {
  Stream *stream;
  uint64_t number;
  bool timed;
  Clock *clock; /* NULL: not recorded yet, or not timed */
} Event;

static Stream legacy, per_thread = {.next = &legacy}, *streams = &per_thread;
static __thread Stream *capturing;
static struct {
  const void **memory;
  size_t *bytes, count;
} regions; /* of the next launch */

static Stream *find(void *handle) {
  if (!handle || handle == (void *)1) return &legacy;
  if (handle == (void *)2) return &per_thread;
  Stream *s = streams;
  while (s && s != handle) s = s->next;
  return s;
}

bool is_capturing(void) {
  if (capturing) capturing->invalid = true;
  return capturing != NULL;
}

/* ---- nodes ---- */
/* bytes NULL: zeros. */
static void *copy_of(const void *bytes, size_t count) {
  void *copy = calloc(count + 1, 1);
  if (!copy) abort();
  if (count && bytes) memcpy(copy, bytes, count);
  return copy;
}

static void append(Graph *graph, const Node *node) {
  if (graph->count == graph->room) {
    graph->room = graph->room ? 2 * graph->room : 16;
    graph->nodes = realloc(graph->nodes, graph->room * sizeof *graph->nodes);
    if (!graph->nodes) abort();
  }
  graph->nodes[graph->count++] = *node;
}

static void drop_clock(Clock *clock) {
  if (clock && --clock->references == 0) free(clock);
}

static void drop_node(Node *node) {
  drop_clock(node->clock);
  free((void *)(uintptr_t)node->launch.parameters);
  free(node->regions);
  free(node->region_bytes);
  free(node->taken);
  free(node->before);
}

static void drop_graph(Graph *graph) {
  for (size_t i = graph->first; i < graph->count; i++) drop_node(&graph->nodes[i]);
  free(graph->nodes);
  *graph = (Graph){0};
}

static void drain(Stream *stream, uint64_t number);

static void run_kernel(const Node *node) {
  while (node->hangs) pause();
  if (node->traps) {
    fprintf(stderr, "emulator: %s traps, as it was told to\n", emu_kernel_name(node->launch.kernel));
    state.broken = true;
    return;
  }
  emu_regions(state.device, node->regions, node->region_bytes, node->nregions);
  if (emu_launch(state.device, &node->launch)) return;
  fprintf(stderr, "emulator: %s", emu_report(state.device));
  emu_forget(state.device);
  state.broken = true;
}

static void run_node(const Node *node);

static bool is_ready(const Node *node, const bool *done) {
  bool ready = true;
  for (size_t i = 0; i < node->nbefore; i++) ready &= done[node->before[i]];
  return ready;
}

/* Of the nodes that wait for nobody any one comes next. */
static void run_graph(const Graph *graph) {
  static uint64_t random;
  bool *done = calloc(graph->count + 1, sizeof *done);
  size_t *ready = calloc(graph->count + 1, sizeof *ready);
  if (!done || !ready) abort();
  for (size_t left = graph->count; left; left--) {
    size_t n = 0;
    for (size_t i = 0; i < graph->count; i++)
      if (!done[i] && is_ready(&graph->nodes[i], done)) ready[n++] = i;
    random = (random + state.seed) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    size_t next = ready[(random >> 32) % n];
    run_node(&graph->nodes[next]);
    done[next] = true;
  }
  free(done);
  free(ready);
}

static void run_node(const Node *node) {
  if (state.broken) return;
  switch (node->kind) {
  case NODE_KERNEL: run_kernel(node); break;
  case NODE_COPY: memmove(node->to, node->taken ? node->taken : node->from, node->bytes); break;
  case NODE_FILL: memset(node->to, node->value, node->bytes); break;
  case NODE_WAIT: drain(node->stream, node->number); break;
  case NODE_GRAPH: run_graph(node->graph); break;
  case NODE_CLOCK: node->clock->reached = true, node->clock->nanoseconds = emu_clock(state.device); break;
  }
}

/* Does what the stream was given before its node of this number. */
static void drain(Stream *stream, uint64_t number) {
  Graph *queue = &stream->queue;
  while (stream->done < number && queue->first < queue->count) {
    Node node = queue->nodes[queue->first++];
    if (queue->first == queue->count) queue->first = queue->count = 0;
    stream->done++;
    run_node(&node);
    drop_node(&node);
  }
}

void drain_all(void) {
  for (Stream *s = streams; s; s = s->next) drain(s, UINT64_MAX);
}

static void set_last(Stream *stream, void *const *nodes, size_t count) {
  void **last = copy_of(nodes, count * sizeof *nodes);
  free(stream->last);
  stream->last = last, stream->nlast = count;
}

static void capture_node(Stream *stream, Node *node) {
  node->before = copy_of(NULL, stream->nlast * sizeof *node->before);
  for (node->nbefore = 0; node->nbefore < stream->nlast; node->nbefore++)
    node->before[node->nbefore] = (size_t)(uintptr_t)stream->last[node->nbefore] - 1;
  append(stream->captured, node);
  set_last(stream, (void *[]){(void *)(uintptr_t)stream->captured->count}, 1);
}

/* Takes what the node has. */
static CUresult submit(void *handle, Node *node) {
  Stream *stream = find(handle);
  if (!stream) return drop_node(node), INVALID_HANDLE;
  pthread_mutex_lock(&state.lock);
  if (stream->captured) capture_node(stream, node);
  else append(&stream->queue, node);
  pthread_mutex_unlock(&state.lock);
  return SUCCESS;
}

/* ---- copies ---- */
static unsigned long copied;

/* Not of the driver: bytes that copies were given. */
API unsigned long tccEmulateCopied(void) { return __atomic_load_n(&copied, __ATOMIC_RELAXED); }

static CUresult submit_copy(void *to, const void *from, size_t bytes, bool take, void *stream) {
  __atomic_add_fetch(&copied, bytes, __ATOMIC_RELAXED);
  Node node = {.kind = NODE_COPY, .to = to, .from = from, .bytes = bytes, .taken = take ? copy_of(from, bytes) : NULL};
  return submit(stream, &node);
}
API CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes, void *stream) {
  ENTER(true);
  if (!on_device(to, bytes) || (bytes && !on_host(from))) return INVALID_VALUE;
  return submit_copy((void *)(uintptr_t)to, from, bytes, !is_pinned(from), stream);
}
API CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes, void *stream) {
  ENTER(true);
  if (!on_device(from, bytes) || (bytes && !on_host(to))) return INVALID_VALUE;
  return submit_copy(to, (void *)(uintptr_t)from, bytes, false, stream);
}
API CUresult cuMemcpyDtoDAsync_v2(CUdeviceptr to, CUdeviceptr from, size_t bytes, void *stream) {
  ENTER(true);
  if (!on_device(from, bytes) || !on_device(to, bytes)) return INVALID_VALUE;
  return submit_copy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes, false, stream);
}
API CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char value, size_t bytes, void *stream) {
  ENTER(true);
  if (!on_device(to, bytes)) return INVALID_VALUE;
  Node node = {.kind = NODE_FILL, .to = (void *)(uintptr_t)to, .bytes = bytes, .value = value};
  return submit(stream, &node);
}

/* ---- launches ---- */
/* Not of the driver: the tensors that the next launch may touch, so that an access outside of one is found (emu_regions). */
API CUresult tccEmulateRegions(const void *const *memory, const size_t *bytes, size_t count) {
  ENTER(true);
  pthread_mutex_lock(&state.lock);
  free(regions.memory);
  free(regions.bytes);
  regions.memory = copy_of(memory, count * sizeof *memory);
  regions.bytes = copy_of(bytes, count * sizeof *bytes);
  regions.count = count;
  pthread_mutex_unlock(&state.lock);
  return SUCCESS;
}

static CUresult read_launch(const TccCudaLaunch *config, Function *f, void **parameters, void **extra, EmuLaunch *out) {
  if (!parameters || extra) return INVALID_VALUE;
  if (config->dynamic_shared + emu_kernel_static_shared(f->kernel) > 48 * 1024 && (int)config->dynamic_shared > f->dynamic_shared)
    return INVALID_VALUE;
  *out = (EmuLaunch){.kernel = f->kernel, .cluster = {1, 1, 1}, .dynamic_shared = config->dynamic_shared};
  memcpy(out->grid, config->grid, sizeof out->grid);
  memcpy(out->block, config->block, sizeof out->block);
  for (unsigned i = 0; i < config->nattributes; i++) {
    if (config->attributes[i].id != 4) return INVALID_VALUE; /* CLUSTER_DIMENSION */
    memcpy(out->cluster, config->attributes[i].value, sizeof out->cluster);
  }
  void *values = copy_of(NULL, emu_kernel_parameter_bytes(f->kernel));
  out->parameters = values;
  if (emu_kernel_gather(f->kernel, parameters, values)) return SUCCESS;
  fprintf(stderr, "emulator: the launch of %s gives more or fewer parameters than it has\n", emu_kernel_name(f->kernel));
  free(values);
  return INVALID_VALUE;
}

/* Parameters come one by one. One buffer of them (extra) is as the machine code has them, not as C or the PTX would lay them out: ptxas aligns a
 * tensor map by its place in the bank of constants, where parameters begin at 0x210 on sm_90, and the driver refuses (701) a buffer that is
 * not so. The list ends with NULL here, which the driver does not look at.
 * What goes wrong in a kernel is said by what waits for it. */
API CUresult cuLaunchKernelEx(const TccCudaLaunch *config, void *function, void **parameters, void **extra) {
  ENTER(true);
  Node node = {.kind = NODE_KERNEL, .traps = ((Function *)function)->traps, .hangs = ((Function *)function)->hangs};
  CUresult result = read_launch(config, function, parameters, extra, &node.launch);
  if (result) return result;
  pthread_mutex_lock(&state.lock);
  node.regions = regions.memory, node.region_bytes = regions.bytes, node.nregions = regions.count;
  regions.memory = NULL, regions.bytes = NULL, regions.count = 0;
  result = submit(config->stream, &node);
  pthread_mutex_unlock(&state.lock);
  return result;
}

/* ---- streams and events ---- */
API CUresult cuStreamCreate(void **out, unsigned flags) {
  ENTER(true);
  (void)flags;
  Stream *stream = *out = calloc(1, sizeof *stream);
  if (!stream) return OUT_OF_MEMORY;
  pthread_mutex_lock(&state.lock);
  stream->next = streams;
  streams = stream;
  pthread_mutex_unlock(&state.lock);
  return SUCCESS;
}
API CUresult cuStreamDestroy_v2(void *handle) {
  bool fails = told_to_fail(__func__); /* it is gone, too: who destroys does not try again */
  pthread_mutex_lock(&state.lock);
  Stream **at = &streams;
  while (*at && *at != handle) at = &(*at)->next;
  Stream *stream = *at;
  if (stream) {
    drain(stream, UINT64_MAX);
    *at = stream->next;
    drop_graph(&stream->queue);
    free(stream->last);
    free(stream);
  }
  pthread_mutex_unlock(&state.lock);
  return fails ? state.fail_code : stream ? SUCCESS : INVALID_HANDLE;
}

static CUresult wait_for(Stream *stream, uint64_t number) {
  if (!stream) return INVALID_HANDLE;
  if (is_capturing()) return CAPTURE_UNSUPPORTED;
  pthread_mutex_lock(&state.lock);
  drain(stream, number);
  pthread_mutex_unlock(&state.lock);
  return state.broken ? LAUNCH_FAILED : SUCCESS;
}
API CUresult cuStreamSynchronize(void *stream) {
  ENTER(true);
  return wait_for(find(stream), UINT64_MAX);
}
API CUresult cuEventCreate(void **out, unsigned flags) {
  enum { DISABLE_TIMING = 2 };
  ENTER(true);
  Event *event = *out = calloc(1, sizeof *event);
  if (!event) return OUT_OF_MEMORY;
  event->stream = &legacy;
  event->timed = !(flags & DISABLE_TIMING);
  return SUCCESS;
}

/* A timed event stands in the stream itself: its time is the clock's when the stream comes there. */
static CUresult submit_clock(Event *event, void *stream) {
  Clock *clock = calloc(1, sizeof *clock);
  if (!clock) return OUT_OF_MEMORY;
  drop_clock(event->clock);
  clock->references = 2;
  event->clock = clock;
  Node node = {.kind = NODE_CLOCK, .clock = clock};
  return submit(stream, &node);
}
API CUresult cuEventRecord(void *event, void *handle) {
  ENTER(true);
  Stream *stream = find(handle);
  Event *e = event;
  if (!stream) return INVALID_HANDLE;
  if (stream->captured) return CAPTURE_UNSUPPORTED; /* nobody here needs it */
  if (e->timed) {
    CUresult result = submit_clock(e, handle);
    if (result) return result;
  }
  e->stream = stream, e->number = stream->done + stream->queue.count - stream->queue.first;
  return SUCCESS;
}
API CUresult cuEventElapsedTime(float *out_ms, void *from, void *to) {
  ENTER(true);
  const Event *a = from, *b = to;
  if (!a->timed || !b->timed || !a->clock || !b->clock) return INVALID_HANDLE;
  if (!a->clock->reached || !b->clock->reached) return state.broken ? LAUNCH_FAILED : NOT_READY;
  *out_ms = (float)((double)(b->clock->nanoseconds - a->clock->nanoseconds) / 1e6);
  return SUCCESS;
}
API CUresult cuEventSynchronize(void *event) {
  ENTER(true);
  const Event *e = event;
  return find(e->stream) || e->stream == &legacy || e->stream == &per_thread ? wait_for(e->stream, e->number) : SUCCESS;
}
API CUresult cuEventQuery(void *event) {
  ENTER(true);
  const Event *e = event;
  if (is_capturing()) return CAPTURE_UNSUPPORTED;
  if (state.broken) return LAUNCH_FAILED;
  const Stream *stream = find(e->stream);
  return !stream || stream->done >= e->number ? SUCCESS : NOT_READY;
}
API CUresult cuEventDestroy_v2(void *event) {
  pthread_mutex_lock(&state.lock);
  if (event) drop_clock(((Event *)event)->clock);
  pthread_mutex_unlock(&state.lock);
  free(event);
  return told_to_fail(__func__) ? state.fail_code : SUCCESS;
}
API CUresult cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  ENTER(true);
  (void)flags;
  const Event *e = event;
  const bool gone = e->stream != &legacy && e->stream != &per_thread && !find(e->stream); /* it did all before it went */
  Node node = {.kind = NODE_WAIT, .stream = gone ? &legacy : e->stream, .number = gone ? 0 : e->number};
  return submit(stream, &node);
}

/* ---- graphs ---- */
API CUresult cuStreamBeginCapture_v2(void *handle, int mode) {
  enum { THREAD_LOCAL = 1 };
  ENTER(true);
  Stream *stream = find(handle);
  if (!stream) return INVALID_HANDLE;
  if (mode != THREAD_LOCAL) return INVALID_VALUE; /* the one that is known here */
  if (stream == &legacy || stream->captured) return CAPTURE_UNSUPPORTED;
  stream->captured = calloc(1, sizeof *stream->captured);
  if (!stream->captured) return OUT_OF_MEMORY;
  stream->invalid = false;
  set_last(stream, NULL, 0);
  capturing = stream;
  return SUCCESS;
}
/* Told to fail, it ends the capture all the same. */
API CUresult cuStreamEndCapture(void *handle, void **out) {
  bool fails = told_to_fail(__func__);
  Stream *stream = find(handle);
  *out = NULL;
  if (!stream || !stream->captured || stream != capturing) return ILLEGAL_STATE;
  if (fails || stream->invalid || state.broken) {
    drop_graph(stream->captured);
    free(stream->captured);
  } else {
    *out = stream->captured;
  }
  stream->captured = NULL, capturing = NULL;
  return fails ? state.fail_code : stream->invalid ? CAPTURE_INVALIDATED : state.broken ? LAUNCH_FAILED : SUCCESS;
}
API CUresult cuStreamGetCaptureInfo_v2(void *handle, int *status, uint64_t *id, void **graph, void *const **nodes, size_t *count) {
  ENTER(true);
  Stream *stream = find(handle);
  if (!stream) return INVALID_HANDLE;
  *status = stream->captured != NULL, *id = 1, *graph = stream->captured, *nodes = stream->last, *count = stream->nlast;
  return SUCCESS;
}
API CUresult cuStreamUpdateCaptureDependencies(void *handle, void **nodes, size_t count, unsigned flags) {
  enum { SET = 1 };
  ENTER(true);
  Stream *stream = find(handle);
  if (!stream || !stream->captured) return stream ? ILLEGAL_STATE : INVALID_HANDLE;
  if (flags != SET) return INVALID_VALUE; /* the one that is known here */
  for (size_t i = 0; i < count; i++)
    if ((uintptr_t)nodes[i] - 1 >= stream->captured->count) return INVALID_VALUE;
  set_last(stream, nodes, count);
  return SUCCESS;
}
/* How far a graph could be done at once. */
static void describe(const Graph *graph) {
  const char *path = getenv("TCC_EMULATE_GRAPHS");
  FILE *file = path ? fopen(path, "a") : NULL;
  size_t *length = calloc(graph->count + 1, sizeof *length), longest = 0;
  if (!length) abort();
  for (size_t i = 0; i < graph->count; i++) {
    for (size_t k = 0; k < graph->nodes[i].nbefore; k++)
      if (length[graph->nodes[i].before[k]] > length[i]) length[i] = length[graph->nodes[i].before[k]];
    if (++length[i] > longest) longest = length[i];
  }
  if (file) fprintf(file, "graph of %zu nodes, at most %zu behind each other\n", graph->count, longest), fclose(file);
  free(length);
}
/* A copy: the graph may go. */
API CUresult cuGraphInstantiateWithFlags(void **out, void *graph, unsigned long long flags) {
  ENTER(true);
  *out = NULL;
  if (flags) return INVALID_VALUE;
  Graph *made = calloc(1, sizeof *made);
  if (!made) return OUT_OF_MEMORY;
  for (size_t i = 0; i < ((Graph *)graph)->count; i++) {
    Node node = ((Graph *)graph)->nodes[i];
    if (node.launch.parameters)
      node.launch.parameters = copy_of(node.launch.parameters, emu_kernel_parameter_bytes(node.launch.kernel));
    node.regions = copy_of(node.regions, node.nregions * sizeof *node.regions);
    node.region_bytes = copy_of(node.region_bytes, node.nregions * sizeof *node.region_bytes);
    if (node.taken) node.taken = copy_of(node.taken, node.bytes);
    node.before = copy_of(node.before, node.nbefore * sizeof *node.before);
    append(made, &node);
  }
  describe(made);
  *out = made;
  return SUCCESS;
}
API CUresult cuGraphLaunch(void *instance, void *stream) {
  ENTER(true);
  if (!instance) return INVALID_HANDLE;
  Node node = {.kind = NODE_GRAPH, .graph = instance};
  return submit(stream, &node);
}
static CUresult destroy_graph(Graph *graph) {
  pthread_mutex_lock(&state.lock);
  drain_all();
  if (graph) drop_graph(graph);
  pthread_mutex_unlock(&state.lock);
  free(graph);
  return SUCCESS;
}
API CUresult cuGraphExecDestroy(void *instance) {
  bool fails = told_to_fail(__func__);
  return destroy_graph(instance), fails ? state.fail_code : SUCCESS;
}
API CUresult cuGraphDestroy(void *graph) {
  bool fails = told_to_fail(__func__);
  return destroy_graph(graph), fails ? state.fail_code : SUCCESS;
}

__attribute__((destructor)) static void forget_streams(void) {
  free(regions.memory);
  free(regions.bytes);
  for (Stream *s = streams; s; s = s->next) drop_graph(&s->queue);
}

/* gpu_order.c - which launches and copies of a captured graph wait for which: those that touch the same bytes, one of them to write.
 *
 * Bytes are those of the buffers as they lie in memory, so that tensors of branches that share a place in the arena, one after the other, keep
 * their order, and so do kernels that use the device's one scratch. What cannot be written, weights, counts for nothing. Before each
 * operation the capturing stream is told which nodes it waits for, in place of the node before it; behind it the stream knows the new node
 * (cuStreamUpdateCaptureDependencies, cuStreamGetCaptureInfo). Bytes that a later operation writes as a whole are left out: who touches them
 * waits for that one, which waits for all before. */
#include "gpu_driver.h"

enum { SET_DEPENDENCIES = 1 };

static bool put(TccGpuAccesses *list, TccGpuAccess access) {
  if (list->count == list->room) {
    size_t room = list->room ? 2 * list->room : 64;
    TccGpuAccess *data = realloc(list->data, room * sizeof *data);
    if (!data) return false;
    list->data = data, list->room = room;
  }
  list->data[list->count++] = access;
  return true;
}

TccStatus *tcc_gpu_touch(TccGpu *gpu, const void *memory, size_t bytes, bool writes) {
  const char *begin = memory;
  if (!gpu->order || !bytes) return NULL;
  return put(&gpu->order->next, (TccGpuAccess){begin, begin + bytes, writes, NULL}) ? NULL : TCC_ERROR_NO_MEMORY();
}

static bool conflict(const TccGpuAccess *a, const TccGpuAccess *b) {
  return (a->writes || b->writes) && a->begin < b->end && b->begin < a->end;
}

/* The nodes that the next operation waits for, each once: a list that is freed. */
static void **find_nodes(const TccGpuOrder *order, size_t *out_count) {
  void **nodes = malloc((order->past.count + 1) * sizeof *nodes);
  size_t count = 0;
  for (size_t i = 0; nodes && i < order->past.count; i++) {
    const TccGpuAccess *past = &order->past.data[i];
    bool waits = false, known = false;
    for (size_t k = 0; k < order->next.count && !waits; k++) waits = conflict(past, &order->next.data[k]);
    for (size_t k = 0; k < count && waits && !known; k++) known = nodes[k] == past->node;
    if (waits && !known) nodes[count++] = past->node;
  }
  *out_count = count;
  return nodes;
}

TccStatus *tcc_gpu_order_begin(TccGpu *gpu) {
  size_t count;
  if (!gpu->order) return NULL;
  void **nodes = find_nodes(gpu->order, &count);
  if (!nodes) return TCC_ERROR_NO_MEMORY();
  int error = gpu->cuda->cuStreamUpdateCaptureDependencies(gpu->stream, nodes, count, SET_DEPENDENCIES);
  free(nodes);
  return error ? tcc_cuda_error(gpu->cuda, "cuStreamUpdateCaptureDependencies", error, "the graph of a run") : NULL;
}

/* Whether one of the operation's own writes has all of it. */
static bool is_covered(const TccGpuAccesses *now, const TccGpuAccess *past) {
  for (size_t i = 0; i < now->count; i++)
    if (now->data[i].writes && now->data[i].begin <= past->begin && past->end <= now->data[i].end) return true;
  return false;
}

TccStatus *tcc_gpu_order_end(TccGpu *gpu) {
  TccGpuOrder *order = gpu->order;
  int capturing;
  uint64_t id;
  void *graph, *const *nodes;
  size_t count, left = 0;
  if (!order) return NULL;
  TCC_CUDA_TRY(gpu->cuda, cuStreamGetCaptureInfo_v2, (gpu->stream, &capturing, &id, &graph, &nodes, &count), "the graph of a run");
  if (count != 1) return TCC_ERROR(TCC_INTERNAL, "an operation of a graph has left %zu nodes", count);
  for (size_t i = 0; i < order->past.count; i++)
    if (!is_covered(&order->next, &order->past.data[i])) order->past.data[left++] = order->past.data[i];
  order->past.count = left;
  for (size_t i = 0; i < order->next.count; i++) {
    order->next.data[i].node = nodes[0];
    if (!put(&order->past, order->next.data[i])) return TCC_ERROR_NO_MEMORY();
  }
  order->next.count = 0;
  return NULL;
}

void tcc_gpu_order_destroy(TccGpuOrder *order) {
  free(order->past.data);
  free(order->next.data);
  *order = (TccGpuOrder){0};
}

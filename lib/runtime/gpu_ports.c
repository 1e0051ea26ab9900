/* gpu_ports.c - inputs and outputs of a run on a device.
 *
 * A dense tensor on the device is read and written where it lies; of one with gaps or another order the device makes a dense copy. What lies on the
 * host is copied, through a dense copy there. So are elements of less than a byte with gaps on the device. */
#include "gpu_ports.h"

enum { PIECE = 16 }; /* kernels read and write in aligned pieces of so many bytes (TCC_DEVICE_ALIGNMENT) */

static char *first_byte(const TccTensor *tensor) { return tensor->data ? (char *)tensor->data + tensor->byte_offset : NULL; }
static bool is_aligned(const void *data) { return (uintptr_t)data % PIECE == 0; }

TccStatus *tcc_gpu_check_address(const TccModel *model, const TccTensor *tensor, const TccPortInfo *port, const char *what,
                                 size_t index) {
  if (!tensor->data || !tcc_tensor_on_device(tensor) || tcc_gpu_owns(model->gpu, first_byte(tensor))) return NULL;
  for (int32_t axis = 0; axis < tensor->rank; axis++)
    if (tensor->shape[axis] == 0) return NULL;
  return TCC_ERROR(TCC_INVALID, "%s %zu '%s' is said to be on CUDA device %d, but its address is none of that device's memory",
                   what, index, port->name, tensor->device.id);
}

/* ---- tensors with gaps ---- */
/* Bytes from the lowest element of a tensor to the end of the highest, and how far the first one is from the lowest. */
static TccStatus *span_of(const TccTensor *tensor, TccElem elem, size_t *out_bytes, size_t *out_first) {
  const size_t width = tcc_elem_bytes(elem, 1);
  size_t before = 0, behind = 0;
  bool fits = true;
  for (int32_t axis = 0; axis < tensor->rank && fits; axis++) {
    const int64_t stride = tensor->strides[axis], steps = tensor->shape[axis] - 1;
    const uint64_t distance = stride < 0 ? -(uint64_t)stride : (uint64_t)stride;
    size_t *side = stride < 0 ? &before : &behind, far;
    fits = !__builtin_mul_overflow(distance, (uint64_t)steps * width, &far) && tcc_add_size(*side, far, side);
  }
  fits = fits && tcc_add_size(before, behind, out_bytes) && tcc_add_size(*out_bytes, width, out_bytes);
  *out_first = before;
  return fits ? NULL : TCC_ERROR(TCC_NO_MEMORY, "a tensor is too large for the address space");
}

/* The span of a tensor of the device, on the host: *out views it; *out_span is freed by the caller. */
static TccStatus *fetch_span(TccGpu *gpu, const TccTensor *tensor, TccElem elem, char **out_span, size_t *out_bytes,
                             TccTensor *out) {
  size_t first;
  *out_span = NULL;
  TCC_TRY(span_of(tensor, elem, out_bytes, &first));
  char *span = *out_span = malloc(*out_bytes);
  if (!span) return TCC_ERROR_NO_MEMORY();
  *out = *tensor;
  out->data = span + first, out->byte_offset = 0, out->device = (TccDevice){TCC_DEVICE_CPU, 0};
  return tcc_gpu_download(gpu, span, first_byte(tensor) - first, *out_bytes);
}

TccStatus *tcc_gpu_pack(TccGpu *gpu, const TccTensor *tensor, TccElem elem, size_t bytes, void *out) {
  if (!tcc_tensor_on_device(tensor)) {
    tcc_tensor_pack(tensor, elem, bytes, out);
    return NULL;
  }
  char *span;
  size_t length;
  TccTensor view;
  TccStatus *status = fetch_span(gpu, tensor, elem, &span, &length, &view);
  if (!status) tcc_tensor_pack(&view, elem, bytes, out);
  free(span);
  return status;
}

/* ---- inputs ---- */
/* The bytes of an input of the host, dense. */
static TccStatus *dense_on_host(TccInstance *instance, size_t index, const TccTensor *input, TccElem elem, size_t bytes,
                                const void **out) {
  *out = first_byte(input);
  if (tcc_tensor_is_dense(input) || !bytes) return NULL;
  if (!tcc_instance_reserve(instance, &instance->packed[index], bytes)) return TCC_ERROR_NO_MEMORY();
  void *packed = (void *)instance->packed[index].offset;
  *out = packed;
  return tcc_gpu_pack(instance->model->gpu, input, elem, bytes, packed);
}

/* Whether an output is this input as it was, although another one is written there when the run is over. */
static bool is_kept(const TccGraph *graph, uint32_t node) {
  for (size_t i = 0; i < graph->output_count; i++)
    if (graph->outputs[i].reads_tied && graph->nodes[graph->outputs[i].node].root == node) return true;
  return false;
}

static bool is_unread(const TccNode *node) { return node->last == TCC_NEVER && !node->is_output; }

TccStatus *tcc_gpu_input(TccInstance *instance, size_t index, const TccTensor *input) {
  const TccGraph *graph = &instance->model->graph;
  TccGpu *gpu = instance->model->gpu;
  const uint32_t node = graph->input_nodes[index];
  const size_t bytes = instance->bytes[node];
  const bool there = tcc_tensor_on_device(input), dense = tcc_tensor_is_dense(input);
  const bool is_state = index >= tcc_model_input_count(instance->model);
  if (!is_state) TCC_TRY(tcc_gpu_check_address(instance->model, input, &instance->model->inputs[index], "input", index));
  if (there && dense && bytes && !instance->copied[index] && is_aligned(first_byte(input)) && !is_kept(graph, node)) {
    tcc_instance_point(instance, node, first_byte(input));
    return NULL;
  }
  TCC_TRY(tcc_instance_reserve_device(instance, &instance->staged[index], bytes ? bytes : 1, "inputs"));
  void *to = (void *)instance->staged[index].offset;
  tcc_instance_point(instance, node, to);
  if (there && dense) return tcc_gpu_copy(gpu, to, first_byte(input), bytes);
  if (dense && is_unread(&graph->nodes[node])) return NULL; /* its size matters alone */
  if (there && tcc_gpu_strided_fits(input, (TccElem)graph->nodes[node].elem))
    return tcc_gpu_copy_strided(gpu, input, (TccElem)graph->nodes[node].elem, to, false);
  const void *data;
  TCC_TRY(dense_on_host(instance, index, input, (TccElem)graph->nodes[node].elem, bytes, &data));
  return tcc_gpu_upload(gpu, to, data, bytes);
}

TccStatus *tcc_gpu_input_equals(TccInstance *instance, size_t index, const TccTensor *input, const void *bytes, bool *out) {
  const uint32_t node = instance->model->graph.input_nodes[index];
  const size_t length = instance->bytes[node];
  if (!tcc_tensor_on_device(input)) {
    const void *data = tcc_tensor_is_dense(input) ? (const void *)first_byte(input) : (const void *)instance->packed[index].offset;
    *out = memcmp(data, bytes, length) == 0;
    return NULL;
  }
  void *copy = malloc(length);
  if (!copy) return TCC_ERROR_NO_MEMORY();
  TccStatus *status = tcc_gpu_download(instance->model->gpu, copy, instance->pointers[node], length);
  *out = !status && memcmp(copy, bytes, length) == 0;
  free(copy);
  return status;
}

/* ---- outputs ---- */
bool tcc_gpu_writes_there(const TccInstance *instance, size_t index, const TccTensor *target) {
  return tcc_tensor_on_device(target) && !instance->copied[instance->model->graph.input_count + index] &&
         is_aligned(first_byte(target));
}

/* Into a tensor of the device with gaps: what lies in them is written back as it was. */
static TccStatus *scatter(TccGpu *gpu, const void *dense, TccElem elem, size_t bytes, const TccTensor *target) {
  char *span;
  size_t length;
  TccTensor view;
  TccStatus *status = fetch_span(gpu, target, elem, &span, &length, &view);
  if (!status) {
    tcc_tensor_unpack(dense, elem, bytes, &view);
    status = tcc_gpu_upload(gpu, first_byte(target) - ((char *)view.data - span), span, length);
  }
  if (!status) status = tcc_gpu_wait(gpu); /* the span goes */
  free(span);
  return status;
}

static TccStatus *download_copy(TccInstance *instance, size_t index, const void *result, size_t bytes, void **out) {
  if (!tcc_instance_reserve(instance, &instance->copies[index], bytes)) return TCC_ERROR_NO_MEMORY();
  *out = (void *)instance->copies[index].offset;
  return tcc_gpu_download(instance->model->gpu, *out, result, bytes);
}

/* The result in memory of the context. What is a weight or an input is copied: the caller may write there. */
static TccStatus *keep(TccInstance *instance, size_t index, const void *result, size_t bytes, TccTensor *target) {
  if (!tcc_tensor_on_device(target)) return download_copy(instance, index, result, bytes, &target->data);
  target->data = (void *)(uintptr_t)result;
  if (instance->model->graph.outputs[index].direct) return NULL;
  TccBlock *block = &instance->gpu_copies[index];
  TCC_TRY(tcc_instance_reserve_device(instance, block, bytes ? bytes : 1, "outputs"));
  target->data = (void *)block->offset;
  return tcc_gpu_copy(instance->model->gpu, target->data, result, bytes);
}

TccStatus *tcc_gpu_output(TccInstance *instance, size_t index, TccElem elem, size_t bytes, TccTensor *target) {
  TccGpu *gpu = instance->model->gpu;
  const TccGraph *graph = &instance->model->graph;
  const void *result = instance->pointers[graph->nodes[graph->outputs[index].node].root];
  if (!target->data) return keep(instance, index, result, bytes, target);
  char *data = first_byte(target);
  const bool there = tcc_tensor_on_device(target);
  if (tcc_tensor_is_dense(target)) {
    if (!there) return tcc_gpu_download(gpu, data, result, bytes);
    return data == result ? NULL : tcc_gpu_copy(gpu, data, result, bytes);
  }
  if (!bytes) return NULL;
  if (there && tcc_gpu_strided_fits(target, elem)) return tcc_gpu_copy_strided(gpu, target, elem, (void *)(uintptr_t)result, true);
  void *copy;
  TCC_TRY(download_copy(instance, index, result, bytes, &copy));
  if (there) return scatter(gpu, copy, elem, bytes, target);
  tcc_tensor_unpack(copy, elem, bytes, target);
  return NULL;
}

/* ports.c - the tensors of a run: where inputs are read, where outputs are written, and copies where they must lie elsewhere.
 *
 * A tensor is used where it lies if it is dense, aligned, and on the side where the kernels run; else there is a copy. A model of a device takes
 * tensors of the host and of its device alike, and so gives them (gpu_ports.c). */
#include "gpu_ports.h"

static bool same_dtype(TccDtype a, TccDtype b) { return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes; }

enum { DLPACK_COMPLEX = 5 }; /* a type of DLPack that no port has */

static const char *element_name(TccDtype dtype) {
  TccElem elem = tcc_dtype_elem(dtype);
  if (dtype.code == DLPACK_COMPLEX) return dtype.bits == 64 ? "complex64" : "complex128";
  return elem == TCC_ELEM_NONE ? "of an unknown kind" : tcc_elem_name(elem);
}

static TccStatus *check_place(const TccGpu *gpu, const TccTensor *tensor, const TccPortInfo *port, const char *what, size_t index) {
  if (tensor->device.type == TCC_DEVICE_CPU || tensor->device.type == TCC_DEVICE_CUDA_HOST) return NULL;
  if (!tcc_tensor_on_device(tensor))
    return TCC_ERROR(TCC_INVALID, "%s %zu '%s' is on device type %d, not in host memory", what, index, port->name,
                     tensor->device.type);
  if (!gpu)
    return TCC_ERROR(TCC_INVALID, "%s %zu '%s' is on CUDA device %d, not in host memory, where it is wanted", what, index,
                     port->name, tensor->device.id);
  if (tensor->device.id == tcc_gpu_ordinal(gpu)) return NULL;
  return TCC_ERROR(TCC_INVALID, "%s %zu '%s' is on CUDA device %d, the model is on device %d", what, index, port->name,
                   tensor->device.id, tcc_gpu_ordinal(gpu));
}

TccStatus *tcc_port_check(const TccGpu *gpu, const TccTensor *tensor, const TccPortInfo *port, const char *what, size_t index) {
  TCC_TRY(check_place(gpu, tensor, port, what, index));
  if (!same_dtype(tensor->dtype, port->dtype))
    return TCC_ERROR(TCC_INVALID, "%s %zu '%s' has element type %s, expected %s", what, index, port->name,
                     element_name(tensor->dtype), element_name(port->dtype));
  if (tensor->rank != port->rank)
    return TCC_ERROR(TCC_INVALID, "%s %zu '%s' has rank %d, expected %d", what, index, port->name, tensor->rank, port->rank);
  if (tensor->rank && !tensor->shape) return TCC_ERROR(TCC_INVALID, "%s %zu '%s' has no shape", what, index, port->name);
  if (tensor->strides && tensor->dtype.bits % 8 != 0 && !tcc_tensor_is_dense(tensor))
    return TCC_ERROR(TCC_INVALID, "%s %zu '%s': elements of %u bits must be dense", what, index, port->name, tensor->dtype.bits);
  return NULL;
}

static bool aligned(const void *data, TccElem elem) {
  size_t bytes = tcc_elem_bytes(elem, 1);
  return (uintptr_t)data % (bytes ? bytes : 1) == 0;
}

/* ---- inputs ---- */
static TccStatus *place_on_host(TccInstance *instance, size_t i, const TccTensor *input) {
  const uint32_t node = instance->model->graph.input_nodes[i];
  const TccElem elem = (TccElem)instance->model->graph.nodes[node].elem;
  char *data = input->data ? (char *)input->data + input->byte_offset : NULL;
  if (!tcc_tensor_is_dense(input) || !aligned(data, elem)) {
    size_t bytes = instance->bytes[node];
    if (!tcc_instance_reserve(instance, &instance->staged[i], bytes)) return TCC_ERROR_NO_MEMORY();
    data = (char *)instance->staged[i].offset;
    tcc_tensor_pack(input, elem, bytes, data);
  }
  tcc_instance_point(instance, node, data);
  return NULL;
}

/* Whether input i has the value that was compiled in. */
static TccStatus *compare_value(TccInstance *instance, uint32_t i, const TccTensor *input, const TccPlanConstant *constant) {
  const TccModel *model = instance->model;
  const void *wanted = (const char *)tcc_plan_at(model->plan, model->plan->data) + constant->offset;
  const uint32_t node = model->graph.input_nodes[i];
  bool same = instance->bytes[node] == constant->length;
  if (same && constant->length) {
    if (model->gpu) TCC_TRY(tcc_gpu_input_equals(instance, i, input, wanted, &same));
    else same = memcmp(instance->pointers[node], wanted, constant->length) == 0;
  }
  if (same) return NULL;
  return TCC_ERROR(TCC_INVALID, "input %u '%s' decides shapes and its value was compiled in: compile again for this value", i,
                   model->inputs[i].name);
}

TccStatus *tcc_instance_set_inputs(TccInstance *instance, const TccTensor *inputs) {
  const TccGraph *graph = &instance->model->graph;
  for (size_t i = 0; i < graph->input_count; i++)
    TCC_TRY(instance->model->gpu ? tcc_gpu_input(instance, i, &inputs[i]) : place_on_host(instance, i, &inputs[i]));
  const TccPlanHeader *plan = graph->plan;
  const TccPlanSpecialised *specialised = tcc_plan_at(plan, plan->specialised);
  const TccPlanConstant *constants = tcc_plan_at(plan, plan->constants);
  for (size_t i = 0; i < plan->specialised.count; i++)
    TCC_TRY(compare_value(instance, specialised[i].input, &inputs[specialised[i].input], &constants[specialised[i].constant]));
  return NULL;
}

/* ---- outputs ---- */
/* The tensor that an output goes to; NULL: memory of the context. A tied output without data of its own goes to its input. */
static const TccTensor *target_of(const TccOutput *info, const TccTensor *output, const TccTensor *inputs) {
  return output->data ? output : info->tied >= 0 ? &inputs[info->tied] : NULL;
}

/* Whether an output goes to a state, which lies where it does in each run. */
static bool is_state(const TccModel *model, const TccOutput *info, const TccTensor *output) {
  return !output->data && info->tied >= 0 && (size_t)info->tied >= tcc_model_input_count(model);
}

/* The memory that an output goes to without a copy, or NULL. */
static void *direct_target(const TccInstance *instance, size_t index, const TccTensor *output, const TccTensor *inputs) {
  const TccOutput *info = &instance->model->graph.outputs[index];
  const TccTensor *target = target_of(info, output, inputs);
  if (!target || !info->direct || !tcc_tensor_is_dense(target)) return NULL;
  char *data = (char *)target->data + target->byte_offset;
  if (instance->model->gpu ? !tcc_gpu_writes_there(instance, index, target)
                           : !aligned(data, (TccElem)instance->model->graph.nodes[info->node].elem))
    return NULL;
  return output->data || info->tied_direct ? data : NULL;
}

/* The memory of the context for a direct output. */
static TccStatus *home_of(TccInstance *instance, size_t i, void **out) {
  const TccGraph *graph = &instance->model->graph;
  const uint32_t root = graph->nodes[graph->outputs[i].node].root;
  *out = instance->homes[i];
  if (!tcc_node_is_apart(instance->model, &graph->nodes[root])) return NULL;
  TccBlock *block = instance->model->gpu ? &instance->gpu_copies[i] : &instance->copies[i];
  const size_t bytes = instance->bytes[root];
  TCC_TRY(tcc_instance_reserve_device(instance, block, bytes ? bytes : 1, "outputs"));
  *out = (void *)block->offset;
  return NULL;
}

TccStatus *tcc_instance_set_outputs(TccInstance *instance, uint32_t stage, const TccTensor *inputs, const TccTensor *outputs) {
  const TccModel *model = instance->model;
  for (size_t i = 0; i < model->graph.output_count; i++) {
    const TccOutput *info = &model->graph.outputs[i];
    const TccNode *node = &model->graph.nodes[info->node];
    if (info->stage != stage) continue;
    int64_t *shape = instance->shapes + i * TCC_PLAN_MAX_RANK;
    for (uint32_t axis = 0; axis < node->rank; axis++) shape[axis] = tcc_instance_dim(instance, node, axis);
    const TccTensor *target = target_of(info, &outputs[i], inputs);
    if (target) TCC_TRY(tcc_port_check(model->gpu, target, &model->outputs[i], "output", i));
    for (uint32_t axis = 0; target && axis < node->rank; axis++)
      if (target->shape[axis] != shape[axis])
        return TCC_ERROR(TCC_INVALID, "output %zu '%s', axis %u: the memory given has size %lld, the result %lld", i,
                         model->outputs[i].name, axis, (long long)target->shape[axis], (long long)shape[axis]);
    if (target && model->gpu && !is_state(model, info, &outputs[i]))
      TCC_TRY(tcc_gpu_check_address(model, target, &model->outputs[i], "output", i));
    if (!info->direct) continue;
    void *data = direct_target(instance, i, &outputs[i], inputs);
    if (!data) TCC_TRY(home_of(instance, i, &data));
    tcc_instance_point(instance, node->root, data);
  }
  return NULL;
}

/* Outputs that are inputs as they were, before other outputs are written there. For a device such inputs are copies. */
static TccStatus *save_inputs(TccInstance *instance) {
  const TccGraph *graph = &instance->model->graph;
  for (size_t i = 0; i < graph->output_count; i++) {
    const uint32_t root = graph->nodes[graph->outputs[i].node].root;
    const size_t bytes = instance->bytes[root];
    if (!graph->outputs[i].reads_tied || instance->model->gpu) continue;
    if (!tcc_instance_reserve(instance, &instance->copies[i], bytes)) return TCC_ERROR_NO_MEMORY();
    if (bytes) memcpy((void *)instance->copies[i].offset, instance->pointers[root], bytes);
  }
  return NULL;
}

static TccStatus *give_on_host(TccInstance *instance, size_t i, TccElem elem, size_t bytes, TccTensor *target) {
  const TccOutput *info = &instance->model->graph.outputs[i];
  const void *result =
      info->reads_tied ? (void *)instance->copies[i].offset : instance->pointers[instance->model->graph.nodes[info->node].root];
  if (!target->data) {
    target->data = instance->pointers[instance->model->graph.nodes[info->node].root];
    if (!info->direct) {
      if (!tcc_instance_reserve(instance, &instance->copies[i], bytes)) return TCC_ERROR_NO_MEMORY();
      target->data = (void *)instance->copies[i].offset;
    }
  }
  if ((char *)target->data + target->byte_offset != result) tcc_tensor_unpack(result, elem, bytes, target);
  return NULL;
}

TccStatus *tcc_instance_deliver(TccInstance *instance, const TccTensor *inputs, TccTensor *outputs) {
  const TccModel *model = instance->model;
  TCC_TRY(save_inputs(instance));
  for (size_t i = 0; i < model->graph.output_count; i++) {
    const TccOutput *info = &model->graph.outputs[i];
    const TccNode *node = &model->graph.nodes[info->node];
    const TccElem elem = (TccElem)node->elem;
    size_t bytes;
    const bool stays = model->gpu && tcc_tensor_on_device(&outputs[i]);
    TccTensor whole = {.data = NULL,
                       .device = stays ? outputs[i].device : (TccDevice){TCC_DEVICE_CPU, 0},
                       .rank = node->rank,
                       .dtype = model->outputs[i].dtype,
                       .shape = instance->shapes + i * TCC_PLAN_MAX_RANK};
    if (!tcc_elem_dense_bytes(elem, whole.shape, node->rank, NULL, &bytes))
      return TCC_ERROR(TCC_NO_MEMORY, "output %zu '%s' is too large for the address space", i, model->outputs[i].name);
    const TccTensor *given = target_of(info, &outputs[i], inputs);
    TccTensor target = given ? *given : whole;
    TCC_TRY(model->gpu ? tcc_gpu_output(instance, i, elem, bytes, &target) : give_on_host(instance, i, elem, bytes, &target));
    outputs[i] = target;
  }
  return NULL;
}

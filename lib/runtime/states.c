/* states.c - what a model keeps from run to run: memory of a context, which a run reads and writes in place.
 *
 * To the graph a state is an input, and an output that is tied to it, so a kernel that may write over its operand does so where the state
 * lies, and nothing is copied. Where no kernel may, the result is copied there when the run is over. A model
 * of a device has its states there (gpu_states.c). */
#include "gpu_ports.h"

static size_t first_of(const TccModel *model) { return tcc_model_input_count(model); }

/* What a state holds at first. */
static TccStatus *fill(const TccModel *model, TccStates *states, size_t k) {
  const TccNode *root = &model->graph.nodes[model->graph.nodes[model->graph.initial_nodes[k]].root];
  void *to = states->inputs[first_of(model) + k].data;
  if (!states->bytes[k]) return NULL;
  if (model->gpu) return tcc_gpu_state_fill(model->gpu, to, root->data, states->bytes[k]);
  memcpy(to, root->data, states->bytes[k]);
  return NULL;
}

static TccStatus *make(TccModel *model, TccStates *states, size_t k) {
  const TccPortInfo *port = tcc_model_state(model, k);
  TccTensor *state = &states->inputs[first_of(model) + k];
  TccElem elem = tcc_dtype_elem(port->dtype);
  *state = (TccTensor){.device = {model->gpu ? TCC_DEVICE_CUDA : TCC_DEVICE_CPU, model->gpu ? tcc_gpu_ordinal(model->gpu) : 0},
                       .rank = port->rank,
                       .dtype = port->dtype,
                       .shape = (int64_t *)port->dims /* nobody writes it */};
  bool fits =
      tcc_elem_dense_bytes(elem, port->dims, (size_t)port->rank, NULL, &states->bytes[k]) && states->bytes[k] < SIZE_MAX / 2;
  if (fits && model->gpu) TCC_TRY(tcc_gpu_state_make(model->gpu, states->bytes[k], &state->data));
  else state->data = fits ? tcc_allocate(&model->allocator, tcc_align(states->bytes[k] + 1)) : NULL;
  if (!state->data) return TCC_ERROR(TCC_NO_MEMORY, "no memory for the %zu bytes of the state '%s'", states->bytes[k], port->name);
  return fill(model, states, k);
}

TccStatus *tcc_states_create(TccModel *model, TccStates *out) {
  const TccGraph *graph = &model->graph;
  TccStatus *status = NULL;
  *out = (TccStates){0};
  if (!graph->state_count) return NULL;
  out->inputs = calloc(graph->input_count, sizeof *out->inputs);
  out->outputs = calloc(graph->output_count, sizeof *out->outputs);
  out->bytes = calloc(graph->state_count, sizeof *out->bytes);
  if (!out->inputs || !out->outputs || !out->bytes) status = TCC_ERROR_NO_MEMORY();
  for (size_t k = 0; !status && k < graph->state_count; k++) status = make(model, out, k);
  return status;
}

void tcc_states_destroy(TccModel *model, TccStates *states) {
  for (size_t k = 0; states->inputs && states->bytes && k < model->graph.state_count; k++) {
    void *state = states->inputs[first_of(model) + k].data;
    if (model->gpu) tcc_gpu_state_release(model->gpu, state);
    else tcc_release(&model->allocator, state, tcc_align(states->bytes[k] + 1));
  }
  free(states->inputs);
  free(states->outputs);
  free(states->bytes);
  *states = (TccStates){0};
}

const TccTensor *tcc_states_inputs(const TccModel *model, TccStates *states, const TccTensor *inputs) {
  if (!states->inputs) return inputs;
  if (first_of(model)) memcpy(states->inputs, inputs, first_of(model) * sizeof *inputs);
  return states->inputs;
}

TccTensor *tcc_states_outputs(const TccModel *model, TccStates *states, const TccTensor *outputs) {
  if (!states->outputs) return (TccTensor *)outputs;
  memset(states->outputs, 0, model->graph.output_count * sizeof *outputs);
  if (tcc_model_output_count(model)) memcpy(states->outputs, outputs, tcc_model_output_count(model) * sizeof *outputs);
  return states->outputs;
}

/* ---- by name ---- */
static TccStatus *number_of(const TccModel *model, const char *name, size_t *out) {
  TccText all = {0};
  for (*out = 0; *out < model->graph.state_count; ++*out) {
    const char *known = tcc_model_state(model, *out)->name;
    if (strcmp(known, name) == 0) {
      tcc_text_destroy(&all);
      return NULL;
    }
    tcc_text_printf(&all, "%s'%s'", *out ? ", " : "", known);
  }
  TccStatus *status = all.length ? TCC_ERROR(TCC_NOT_FOUND, "the model has no state '%s'; it has %s", name, all.data)
                                 : TCC_ERROR(TCC_NOT_FOUND, "the model has no state '%s'; it has none at all", name);
  tcc_text_destroy(&all);
  return status;
}

TccStatus *tcc_states_find(const TccModel *model, const TccStates *states, const char *name, TccTensor *out) {
  size_t k;
  *out = (TccTensor){0};
  TCC_TRY(number_of(model, name, &k));
  *out = states->inputs[first_of(model) + k];
  return NULL;
}

/* A tensor that a state's value is copied from or to is one like it. */
static TccStatus *check_value(const TccModel *model, const TccGpu *gpu, size_t k, const TccTensor *value) {
  const TccPortInfo *port = tcc_model_state(model, k);
  TCC_TRY(tcc_port_check(gpu, value, port, "state", k));
  if (gpu) {
    TCC_TRY(tcc_gpu_enter(model->gpu));
    TccStatus *status = tcc_gpu_check_address(model, value, port, "state", k);
    tcc_gpu_leave(model->gpu);
    TCC_TRY(status);
  }
  bool empty = false;
  for (int32_t axis = 0; axis < port->rank; axis++) {
    if (value->shape[axis] != port->dims[axis])
      return TCC_ERROR(TCC_INVALID, "state %zu '%s', axis %d: size %lld, expected %lld", k, port->name, axis,
                       (long long)value->shape[axis], (long long)port->dims[axis]);
    empty |= port->dims[axis] == 0;
  }
  return empty || value->data ? NULL : TCC_ERROR(TCC_INVALID, "state %zu '%s' has no data", k, port->name);
}

TccStatus *tcc_states_copy(const TccModel *model, const TccStates *states, const char *name, const TccTensor *to) {
  size_t k;
  TCC_TRY(number_of(model, name, &k));
  const TccElem elem = tcc_dtype_elem(tcc_model_state(model, k)->dtype);
  const void *state = states->inputs[first_of(model) + k].data;
  TCC_TRY(check_value(model, NULL, k, to));
  if (!states->bytes[k]) return NULL;
  if (model->gpu) return tcc_gpu_state_read(model->gpu, state, elem, states->bytes[k], to);
  tcc_tensor_unpack(state, elem, states->bytes[k], to);
  return NULL;
}

TccStatus *tcc_states_set(const TccModel *model, TccStates *states, const char *name, const TccTensor *value) {
  size_t k;
  TCC_TRY(number_of(model, name, &k));
  const TccElem elem = tcc_dtype_elem(tcc_model_state(model, k)->dtype);
  void *state = states->inputs[first_of(model) + k].data;
  TCC_TRY(check_value(model, model->gpu, k, value));
  if (!states->bytes[k]) return NULL;
  if (model->gpu) return tcc_gpu_state_write(model->gpu, state, elem, states->bytes[k], value);
  tcc_tensor_pack(value, elem, states->bytes[k], state);
  return NULL;
}

TccStatus *tcc_states_reset(const TccModel *model, TccStates *states, const char *name) {
  size_t k = 0;
  if (name) {
    TCC_TRY(number_of(model, name, &k));
    return fill(model, states, k);
  }
  for (; k < model->graph.state_count; k++) TCC_TRY(fill(model, states, k));
  return NULL;
}

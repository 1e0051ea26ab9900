/* run.c - one run of a model: memory for its results, the run itself without the GIL, results as Python objects.
 *
 * Results are written straight into memory that Python gets: of the library whose tensors went in, by its allocator, or tcc's. Only what
 * has sizes that depend on data is copied out of the context. */
#include "python/native/native.h"

#include <stdlib.h>

/* ---- slots ---- */
static size_t place(size_t *bytes, size_t count, size_t width) {
  size_t at = *bytes;
  *bytes += (count * width + 15) / 16 * 16;
  return at;
}

static NativeSlot *create_slot(NativeModel *model) {
  size_t bytes = 0, in = model->ninputs, out = model->noutputs;
  place(&bytes, 1, sizeof(NativeSlot));
  size_t inputs = place(&bytes, in, sizeof(TccTensor)), outputs = place(&bytes, out, sizeof(TccTensor));
  size_t owners = place(&bytes, in, sizeof(NativeOwner)), managed = place(&bytes, out, sizeof(DlVersioned *));
  size_t tensors = place(&bytes, out, sizeof(PyObject *)), scalars = place(&bytes, in, sizeof(int64_t));
  size_t values = place(&bytes, in + out, sizeof(PyObject *));
  size_t versions = place(&bytes, in, sizeof(uint64_t));
  size_t shapes = place(&bytes, 2 * NATIVE_MAX_RANK * out, sizeof(int64_t));
  char *block = calloc(1, bytes);
  NativeSlot *slot = (NativeSlot *)block;
  if (!slot) return (void *)PyErr_NoMemory();
  *slot = (NativeSlot){.inputs = (TccTensor *)(block + inputs),
                       .outputs = (TccTensor *)(block + outputs),
                       .owners = (NativeOwner *)(block + owners),
                       .managed = (DlVersioned **)(block + managed),
                       .tensors = (PyObject **)(block + tensors),
                       .values = (PyObject **)(block + values),
                       .scalars = (int64_t *)(block + scalars),
                       .versions = (uint64_t *)(block + versions),
                       .shapes = (int64_t *)(block + shapes)};
  TccContextOptions options = {.threads = model->threads, .graphs = model->graphs};
  slot->seen = native_seen_create(in);
  TccStatus *status = slot->seen ? tcc_context_create(model->model, &options, &slot->context) : NULL;
  if (slot->seen && !status) return slot;
  free(slot->seen);
  free(slot);
  return status ? native_raise(status) : (void *)PyErr_NoMemory();
}

NativeSlot *native_slot_take(NativeModel *model) {
  NativeSlot *slot = model->slots;
  if (slot) {
    model->slots = slot->next;
    return slot;
  }
  if (model->has_states && model->has_slot)
    return native_fail(TCC_INVALID, "another thread is in a call of this model, which has states: its calls follow each other");
  slot = create_slot(model);
  model->has_slot |= slot != NULL;
  return slot;
}

void native_slot_give(NativeModel *model, NativeSlot *slot) {
  slot->next = model->slots;
  model->slots = slot;
}

/* ---- memory for results ---- */
/* What code of Python raised that the allocator asked (a mode of torch that dispatches there), an interrupt of it too, stays. */
static void set_error(void *user, const char *kind, const char *message) {
  (void)user;
  if (PyErr_Occurred()) return;
  native_fail(TCC_NO_MEMORY, "no memory for a result: %s: %s", kind, message);
}

/* Memory for output i, dense in the order of these sizes, on a device if it is the exchange's; NULL: an exception is set. */
static void *allocate(NativeSlot *slot, size_t i, const DlExchange *exchange, TccDevice device, const int64_t *sizes) {
  TccTensor *output = &slot->outputs[i];
  if (!exchange) {
    slot->tensors[i] = native_tensor_create(output->dtype, output->rank, sizes);
    return slot->tensors[i] ? native_tensor_view(slot->tensors[i])->data : NULL;
  }
  TccTensor prototype = {.device = device, .rank = output->rank, .dtype = output->dtype, .shape = (int64_t *)sizes};
  if (exchange->allocate(&prototype, &slot->managed[i], NULL, set_error) != 0) {
    slot->managed[i] = NULL;
    if (!PyErr_Occurred()) PyErr_NoMemory();
    return NULL;
  }
  output->device = device;
  static char none[1]; /* of a tensor without elements */
  return slot->managed[i]->tensor.data ? (char *)slot->managed[i]->tensor.data + slot->managed[i]->tensor.byte_offset : none;
}

void native_strides(const NativeResult *result, int32_t rank, const int64_t *shape, int64_t *out_strides) {
  int64_t step = 1;
  for (int32_t k = rank - 1; k >= 0; k--) {
    const int axis = result && result->ordered ? result->order[k] : k;
    out_strides[axis] = step;
    step *= shape[axis] > 0 ? shape[axis] : 1;
  }
}

/* Output i as a new tensor of its library, whose function is asked for it: a third of what DLPack's allocator and its tensor around that take. */
static void *make_tensor(NativeSlot *slot, size_t i, const DlExchange *exchange, const NativeResult *result) {
  static char none[1]; /* of a tensor without elements */
  TccTensor view;
  NativeOwner owner;
  PyObject *tensor = slot->tensors[i] = PyObject_Call(result->make, result->with, NULL);
  if (!tensor || native_view(tensor, exchange, &view, &owner) != 0) return NULL;
  return view.data ? (char *)view.data + view.byte_offset : none;
}

/* Memory for the outputs whose sizes are known. */
static int prepare(NativeModel *model, NativeSlot *slot, const DlExchange *exchange, const NativeResult *results) {
  for (size_t i = 0; i < model->noutputs; i++) {
    TccTensor *output = &slot->outputs[i];
    const bool known = output->rank == 0 || output->shape[0] >= 0, ordered = results && results[i].ordered && exchange;
    if (!known || (results && (results[i].tied || results[i].number))) continue;
    int64_t *sizes = slot->shapes + 2 * NATIVE_MAX_RANK * i, *strides = sizes + NATIVE_MAX_RANK;
    native_strides(exchange && results ? &results[i] : NULL, output->rank, output->shape, strides);
    if (results && results[i].make && slot->device.type == TCC_DEVICE_CPU) {
      output->data = make_tensor(slot, i, exchange, &results[i]);
    } else {
      for (int32_t k = 0; k < output->rank; k++) sizes[k] = output->shape[ordered ? results[i].order[k] : k];
      output->data = allocate(slot, i, exchange, slot->device, sizes);
    }
    if (!output->data) return -1;
    output->strides = strides;
  }
  return 0;
}

/* ---- results ---- */
static PyObject *give_number(const TccTensor *output) {
  const char *data = (const char *)output->data + output->byte_offset;
  TccElem elem = tcc_dtype_elem(output->dtype);
  return tcc_elem_is_float(elem) ? PyFloat_FromDouble(tcc_elem_load_f64(elem, data, 0))
                                 : PyLong_FromLongLong(tcc_elem_load_i64(elem, data, 0));
}

/* A tensor of the library, which is given, on its device. */
static PyObject *to_device(PyObject *tensor, int id) {
  PyObject *method = PyObject_GetAttrString(tensor, "cuda"), *number = method ? PyLong_FromLong(id) : NULL;
  PyObject *there = number ? PyObject_CallFunctionObjArgs(method, number, NULL) : NULL;
  Py_XDECREF(number);
  Py_XDECREF(method);
  Py_DECREF(tensor);
  return there;
}

static PyObject *give_result(NativeSlot *slot, size_t i, const DlExchange *exchange, const NativeResult *result) {
  TccTensor *output = &slot->outputs[i];
  bool moves = false;
  if (result && result->number) return give_number(output);
  if (!slot->managed[i] && !slot->tensors[i]) { /* its sizes are known now */
    size_t bytes = 0;
    void *data = allocate(slot, i, exchange, (TccDevice){TCC_DEVICE_CPU, 0}, output->shape);
    if (!data || !tcc_elem_dense_bytes(tcc_dtype_elem(output->dtype), output->shape, (size_t)output->rank, NULL, &bytes))
      return NULL;
    if (bytes) memcpy(data, (const char *)output->data + output->byte_offset, bytes);
    moves = slot->device.type != TCC_DEVICE_CPU;
  } else if (slot->managed[i] && result && result->ordered) { /* the library reads them when it takes the memory */
    slot->managed[i]->tensor.shape = output->shape;
    slot->managed[i]->tensor.strides = output->strides;
  }
  if (slot->tensors[i]) {
    PyObject *tensor = slot->tensors[i];
    slot->tensors[i] = NULL;
    return tensor;
  }
  void *object = NULL;
  DlVersioned *managed = slot->managed[i];
  slot->managed[i] = NULL;
  if (exchange->to_object(managed, &object) != 0) return NULL;
  return moves ? to_device(object, slot->device.id) : object;
}

static void clear(NativeModel *model, NativeSlot *slot) {
  for (size_t i = 0; i < model->noutputs; i++) {
    if (slot->managed[i] && slot->managed[i]->deleter) slot->managed[i]->deleter(slot->managed[i]);
    slot->managed[i] = NULL;
    Py_CLEAR(slot->tensors[i]);
  }
}

/* Sizes of the outputs, with data and strides NULL. */
static TccStatus *read_shapes(NativeModel *model, NativeSlot *slot) {
  if (!model->fixed) return tcc_context_shapes(slot->context, slot->inputs, model->ninputs, slot->outputs, model->noutputs);
  for (size_t i = 0; i < model->noutputs; i++) {
    const TccPortInfo *port = tcc_model_output(model->model, i);
    slot->outputs[i] =
        (TccTensor){.device = {TCC_DEVICE_CPU, 0}, .rank = port->rank, .dtype = port->dtype, .shape = (int64_t *)port->dims};
  }
  return NULL;
}

int native_run(NativeModel *model, NativeSlot *slot, const DlExchange *exchange, const NativeResult *results, PyObject **give) {
  size_t given = 0;
  if (native_device_set(model, slot, exchange) != 0) return -1;
  TccStatus *status = read_shapes(model, slot);
  if (status) return native_raise(status), -1;
  int result = prepare(model, slot, exchange, results);
  if (result == 0) {
    bool keep = model->keep;
    model->keep = false;
    const TccRunOptions options = {.versions = slot->versions, .stream = slot->stream, .late_checks = true};
    Py_BEGIN_ALLOW_THREADS status =
        tcc_context_run_with(slot->context, slot->inputs, model->ninputs, slot->outputs, model->noutputs, &options);
    if (!status && keep) tcc_model_keep(model->model);
    Py_END_ALLOW_THREADS if (status) native_raise(status), result = -1;
  }
  for (size_t i = 0; result == 0 && i < model->noutputs; i++) {
    if (results && results[i].tied) continue;
    give[given] = give_result(slot, i, exchange, results ? &results[i] : NULL);
    if (give[given]) given++;
    else result = -1;
  }
  if (result == 0) return 0;
  while (given--) Py_CLEAR(give[given]);
  clear(model, slot);
  return -1;
}

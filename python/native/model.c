/* model.c - the type tcc.Model: a loaded artifact that is called with arrays. */
#include "python/native/native.h"

#include <stdlib.h>

PyTypeObject *native_model_type;
static PyTypeObject *port_type;

/* ---- opening ---- */
/* A name of a model, whose bytes need not be UTF-8. */
static PyObject *name_of(const char *name) { return PyUnicode_DecodeUTF8(name, (Py_ssize_t)strlen(name), "replace"); }

/* The sizes of a port: numbers, names of symbols, None for what is neither. */
static PyObject *port_shape(const TccPortInfo *port) {
  PyObject *shape = PyTuple_New(port->rank);
  for (int32_t axis = 0; shape && axis < port->rank; axis++) {
    PyObject *size = port->dims[axis] >= 0     ? PyLong_FromLongLong(port->dims[axis])
                     : port->dim_symbols[axis] ? name_of(port->dim_symbols[axis])
                                               : Py_BuildValue("");
    if (!size || PyTuple_SetItem(shape, axis, size) != 0) Py_CLEAR(shape);
  }
  return shape;
}

static PyObject *make_port(const TccPortInfo *port) {
  PyObject *self = PyStructSequence_New(port_type);
  PyObject *name = name_of(port->name), *dtype = name ? PyUnicode_FromString(native_dtype_name(port->dtype)) : NULL;
  PyObject *shape = dtype ? port_shape(port) : NULL;
  if (self && name && dtype && shape) {
    PyStructSequence_SetItem(self, 0, name);
    PyStructSequence_SetItem(self, 1, dtype);
    PyStructSequence_SetItem(self, 2, shape);
    return self;
  }
  Py_XDECREF(self);
  Py_XDECREF(name);
  Py_XDECREF(dtype);
  Py_XDECREF(shape);
  return NULL;
}

static PyObject *make_ports(const TccModel *model, size_t count, const TccPortInfo *(*get)(const TccModel *, size_t)) {
  PyObject *ports = PyTuple_New((Py_ssize_t)count);
  for (size_t i = 0; ports && i < count; i++) {
    PyObject *port = make_port(get(model, i));
    if (!port || PyTuple_SetItem(ports, (Py_ssize_t)i, port) != 0) Py_CLEAR(ports);
  }
  return ports;
}

static PyObject *make_report(const TccModel *model, const TccOpenReport *report) {
  const TccModelInfo *info = tcc_model_info(model);
  return Py_BuildValue("{s:s,s:s,s:O,s:O,s:d,s:d,s:d,s:n,s:n,s:n,s:n,s:n}", "target", info->target, "machine", info->machine,
                       "artifact", report->artifact ? Py_True : Py_False, "compiled", report->compiled ? Py_True : Py_False,
                       "import_ms", report->import_ms, "compile_ms", report->compile_ms, "load_ms", report->load_ms, "kernels",
                       (Py_ssize_t)info->kernels_launched, "kernels_unique", (Py_ssize_t)info->kernels_unique, "regions",
                       (Py_ssize_t)info->region_count, "packed_bytes", (Py_ssize_t)info->packed_bytes, "static_bytes",
                       (Py_ssize_t)info->static_bytes);
}

/* Takes the model. */
static PyObject *make_model(TccModel *model, const TccOpenReport *report, const NativeOptions *options) {
  allocfunc allocate = (allocfunc)PyType_GetSlot(native_model_type, Py_tp_alloc);
  NativeModel *self = (NativeModel *)allocate(native_model_type, 0);
  if (!self) {
    tcc_model_destroy(model);
    return NULL;
  }
  self->model = model;
  self->threads = options->compile.threads;
  self->keep = options->load.cache;
  self->graphs = options->compile.mode == TCC_MODE_REDUCE_OVERHEAD;
  self->ninputs = tcc_model_input_count(model);
  self->noutputs = tcc_model_output_count(model);
  self->has_states = tcc_model_state_count(model) > 0;
  self->fixed = true;
  for (size_t i = 0; i < self->ninputs; i++) self->is_static |= tcc_model_input(model, i)->is_static;
  for (size_t i = 0; i < self->noutputs; i++)
    for (int32_t axis = 0; axis < tcc_model_output(model, i)->rank; axis++)
      self->fixed &= tcc_model_output(model, i)->dims[axis] >= 0;
  self->inputs = make_ports(model, self->ninputs, tcc_model_input);
  self->outputs = self->inputs ? make_ports(model, self->noutputs, tcc_model_output) : NULL;
  self->states = self->outputs ? make_ports(model, tcc_model_state_count(model), tcc_model_state) : NULL;
  self->report = self->states ? make_report(model, report) : NULL;
  if (!self->report) {
    Py_DECREF(self);
    return NULL;
  }
  return (PyObject *)self;
}

/* What was opened without the GIL, as an object; an interrupt that came meanwhile ends it. */
static PyObject *finish_opening(TccStatus *status, TccModel *model, TccOpenReport *report, const NativeOptions *options) {
  PyObject *made = NULL;
  if (status) native_raise(status);
  else if (PyErr_CheckSignals() != 0) tcc_model_destroy(model);
  else made = make_model(model, report, options);
  tcc_open_report_destroy(report);
  return made;
}

PyObject *native_open(const char *path, NativeOptions *options) {
  TccModel *model = NULL;
  TccOpenReport report;
  TccStatus *status;
  if (options->of_models && tcc_is_artifact(path))
    return native_fail(TCC_INVALID, "%s is compiled: the option '%s' is for models", path, options->of_models);
  Py_BEGIN_ALLOW_THREADS status = tcc_model_open(path, &options->compile, &options->load, &model, &report, NULL);
  Py_END_ALLOW_THREADS return finish_opening(status, model, &report, options);
}

PyObject *native_load(const char *path, NativeOptions *options) {
  TccModel *model = NULL;
  TccOpenReport report = {.artifact = true};
  TccStatus *status;
  Py_BEGIN_ALLOW_THREADS status = tcc_model_load(path, &options->load, &model);
  Py_END_ALLOW_THREADS return finish_opening(status, model, &report, options);
}

PyObject *native_load_memory(TccStr bytes, NativeOptions *options) {
  TccModel *model = NULL;
  TccOpenReport report = {.artifact = true};
  TccStatus *status;
  Py_BEGIN_ALLOW_THREADS status = tcc_model_load_memory(bytes.data, bytes.length, &options->load, &model);
  Py_END_ALLOW_THREADS return finish_opening(status, model, &report, options);
}

PyObject *native_artifact_memory(const char *name, TccStr bytes, NativeOptions *options) {
  TccText artifact;
  TccStatus *status;
  Py_BEGIN_ALLOW_THREADS status = tcc_artifact_of_memory(name, bytes, &options->compile, &artifact);
  Py_END_ALLOW_THREADS PyObject *made =
      status ? native_raise(status) : PyBytes_FromStringAndSize(artifact.data, (Py_ssize_t)artifact.length);
  tcc_text_destroy(&artifact);
  return made;
}

PyObject *native_open_memory(const char *name, TccStr bytes, NativeOptions *options) {
  TccModel *model = NULL;
  TccOpenReport report;
  TccStatus *status;
  Py_BEGIN_ALLOW_THREADS status = tcc_model_open_memory(name, bytes, &options->compile, &options->load, &model, &report, NULL);
  Py_END_ALLOW_THREADS return finish_opening(status, model, &report, options);
}

/* ---- calling ---- */
static bool is_name(PyObject *text, const char *name) {
  const char *utf8 = PyUnicode_AsUTF8AndSize(text, NULL);
  PyErr_Clear();
  return utf8 && strcmp(utf8, name) == 0;
}

/* The arguments in the order of the inputs, borrowed; false: one is missing, unknown or given twice. */
static bool order_arguments(const NativeModel *self, PyObject *args, PyObject *named, PyObject **objects) {
  size_t count = (size_t)PyTuple_Size(args);
  if (count > self->ninputs) {
    native_fail(TCC_INVALID, "%zu arrays for a model with %zu inputs", count, self->ninputs);
    return false;
  }
  for (size_t i = 0; i < count; i++) objects[i] = PyTuple_GetItem(args, (Py_ssize_t)i);
  PyObject *key, *value;
  for (Py_ssize_t at = 0; named && PyDict_Next(named, &at, &key, &value);) {
    size_t i = 0;
    while (i < self->ninputs && !is_name(key, tcc_model_input(self->model, i)->name)) i++;
    if (i == self->ninputs || objects[i]) {
      native_fail(TCC_INVALID, i == self->ninputs ? "the model has no input %R; it has %R" : "the input %R is given twice", key,
                  self->inputs);
      return false;
    }
    objects[i] = value;
  }
  for (size_t i = 0; i < self->ninputs; i++)
    if (!objects[i]) {
      native_fail(TCC_INVALID, "the input '%s' is missing", tcc_model_input(self->model, i)->name);
      return false;
    }
  return true;
}

/* Runs the model on these objects; give gets its outputs. */
static int call(NativeModel *self, PyObject **objects, PyObject **give) {
  NativeSlot *slot = native_slot_take(self);
  if (!slot) return -1;
  const DlExchange *first = NULL;
  int result = 0;
  for (size_t i = 0; result == 0 && i < self->ninputs; i++) {
    const DlExchange *exchange;
    native_seen_forget(slot->seen, i);
    result = native_exchange(Py_TYPE(objects[i]), &exchange);
    if (result == 0) result = native_view(objects[i], exchange, &slot->inputs[i], &slot->owners[i]);
    if (result != 0) native_error_of("input %zu '%s'", i, tcc_model_input(self->model, i)->name);
    if (result == 0) result = native_device_pack(self, i, objects[i], exchange, &slot->inputs[i], &slot->owners[i]);
    if (!first) first = result == 0 ? exchange : NULL;
    const int negated = result == 0 ? native_is_negated(objects[i], exchange) : 0;
    if (negated > 0)
      native_fail(TCC_UNSUPPORTED, "input %zu '%s' has its negative bit set: give x.resolve_neg()", i,
                  tcc_model_input(self->model, i)->name);
    if (negated != 0) result = -1;
  }
  if (self->is_static) self->calls++;
  for (size_t i = 0; i < self->ninputs && self->is_static; i++)
    slot->versions[i] = self->calls; /* arrays do not say if they changed */
  if (result == 0) result = native_run(self, slot, first, NULL, give);
  for (size_t i = 0; i < self->ninputs; i++) native_release(&slot->owners[i]);
  native_slot_give(self, slot);
  return result;
}

static PyObject *model_call(PyObject *object, PyObject *args, PyObject *named) {
  NativeModel *self = (NativeModel *)object;
  PyObject **objects = calloc(self->ninputs + self->noutputs + 1, sizeof *objects), **give = objects + self->ninputs, *made = NULL;
  if (!objects) return PyErr_NoMemory();
  if (order_arguments(self, args, named, objects) && call(self, objects, give) == 0) {
    if (self->noutputs == 1) {
      made = give[0];
    } else if ((made = PyTuple_New((Py_ssize_t)self->noutputs)) != NULL) {
      for (size_t i = 0; i < self->noutputs; i++) PyTuple_SetItem(made, (Py_ssize_t)i, give[i]);
    } else {
      for (size_t i = 0; i < self->noutputs; i++) Py_DECREF(give[i]);
    }
  }
  free(objects);
  return made;
}

static void model_dealloc(PyObject *object) {
  NativeModel *self = (NativeModel *)object;
  PyTypeObject *type = Py_TYPE(object);
  while (self->slots) {
    NativeSlot *next = self->slots->next;
    tcc_context_destroy(self->slots->context);
    free(self->slots->seen);
    free(self->slots);
    self->slots = next;
  }
  tcc_model_destroy(self->model);
  Py_XDECREF(self->inputs);
  Py_XDECREF(self->outputs);
  Py_XDECREF(self->states);
  Py_XDECREF(self->report);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

static PyObject *model_repr(PyObject *self) {
  return PyUnicode_FromFormat("tcc.Model(inputs=%R, outputs=%R)", ((NativeModel *)self)->inputs, ((NativeModel *)self)->outputs);
}

/* forget(address): what was made of the static input there; None: of all. */
static PyObject *model_forget(PyObject *self, PyObject *address) {
  void *data = address == Py_None ? NULL : PyLong_AsVoidPtr(address);
  if (PyErr_Occurred()) return NULL;
  tcc_model_forget(((NativeModel *)self)->model, data);
  return Py_BuildValue("");
}

static PyObject *get(PyObject *value) {
  Py_INCREF(value);
  return value;
}
static PyObject *get_inputs(PyObject *self, void *closure) {
  (void)closure;
  return get(((NativeModel *)self)->inputs);
}
static PyObject *get_outputs(PyObject *self, void *closure) {
  (void)closure;
  return get(((NativeModel *)self)->outputs);
}
static PyObject *get_states(PyObject *self, void *closure) {
  (void)closure;
  return get(((NativeModel *)self)->states);
}
static PyObject *get_report(PyObject *self, void *closure) {
  (void)closure;
  return get(((NativeModel *)self)->report);
}

int native_model_ready(PyObject *module) {
  static PyStructSequence_Field fields[] = {
      {"name", NULL}, {"dtype", NULL}, {"shape", "sizes: numbers, names of symbols, None for other expressions"}, {NULL, NULL}};
  static PyStructSequence_Desc port = {"tcc.Port", "An input or output of a model.", fields, 3};
  static PyGetSetDef properties[] = {
      {"inputs", get_inputs, NULL, "a Port for each input, in order", NULL},
      {"outputs", get_outputs, NULL, "a Port for each output, in order", NULL},
      {"states", get_states, NULL, "a Port for each state: what the model keeps from call to call", NULL},
      {"report", get_report, NULL, "what opening did: times in ms, target, kernels", NULL},
      {0}};
  static PyMethodDef methods[] = {
      {"forget", model_forget, METH_O, "forget(address): what was made of the static input at this address; None: of all"},
      {"state", native_state_get, METH_O, "state(name): a Tensor of the state's own memory, which each call changes"},
      {"set_state", native_state_set, METH_VARARGS, "set_state(name, array): copies the array into the state"},
      {"reset_state", native_state_reset, METH_VARARGS,
       "reset_state(name): the state as it was at first; without a name: all of them"},
      {NULL, NULL, 0, NULL}};
  static PyType_Slot slots[] = {
      {Py_tp_methods, methods},
      {Py_tp_doc, "A compiled model: model(x, y), or model(x=..., y=...), gives a tensor, or a tuple of them."},
      {Py_tp_call, model_call},
      {Py_tp_dealloc, model_dealloc},
      {Py_tp_repr, model_repr},
      {Py_tp_getset, properties},
      {0, NULL}};
  static PyType_Spec spec = {"tcc.Model", sizeof(NativeModel), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
  port_type = PyStructSequence_NewType(&port);
  native_model_type = (PyTypeObject *)PyType_FromSpec(&spec);
  if (!port_type || !native_model_type) return -1;
  Py_INCREF(port_type); /* the module's; the other one is this file's */
  Py_INCREF(native_model_type);
  if (PyModule_AddObject(module, "Port", (PyObject *)port_type) != 0) return -1;
  return PyModule_AddObject(module, "Model", (PyObject *)native_model_type);
}

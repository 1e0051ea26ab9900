/* callable.c - the type tcc._native.Callable: a model as the function of a graph that torch compiled, called with one list of all arguments.
 *
 * torch's AOTAutograd calls it with a list ("boxed"), which is emptied, so that what nobody else holds is freed. Arguments are matched with
 * the model's inputs by name once; those that the model does not have are not looked at. Numbers stand for inputs without axes. */
#include "python/native/native.h"

#include <stdlib.h>

typedef enum { GIVE_RESULT, GIVE_ARGUMENT, GIVE_OBJECT } GiveKind;
typedef struct {
  GiveKind kind;
  size_t index; /* of what the model gives, of the arguments, of the objects */
} Give;

typedef struct {
  PyObject_HEAD NativeModel *model;
  const DlExchange *exchange;
  PyObject *hold, *version; /* called with static tensors that are new; NULL: none are; "_version" */
  PyObject *like, *constants,
      *objects;           /* the type whose tensors results are; tensors behind the arguments; what is given as it is */
  PyObject *make, *types; /* a function (sizes, strides, type) of that library, and its types by names of ours; NULL: none */
  size_t narguments, ngive;
  size_t *from; /* per input of the model: its argument */
  NativeResult *results;
  Give *give;
  bool passes_on;                                /* see `watch` */
  PyObject *namespace, *flag, *recorder, *title; /* the same; NULL: nobody watches */
  PyObject *wrapped;                             /* what AOTAutograd's cache keeps of it; NULL: nothing */
} Callable;

/* ---- making one ---- */
static int match_inputs(Callable *self, PyObject *names) {
  Py_ssize_t count = PyTuple_Size(names);
  self->from = calloc(self->model->ninputs + 1, sizeof *self->from);
  if (!self->from) return PyErr_NoMemory(), -1;
  self->narguments = (size_t)(count - PyTuple_Size(self->constants));
  for (size_t i = 0; i < self->model->ninputs; i++) {
    const char *name = tcc_model_input(self->model->model, i)->name;
    Py_ssize_t k = 0;
    while (k < count && PyUnicode_CompareWithASCIIString(PyTuple_GetItem(names, k), name) != 0) k++;
    if (k == count) return native_fail(TCC_INTERNAL, "the model's input '%s' is none of the graph's: %R", name, names), -1;
    self->from[i] = (size_t)k;
  }
  return 0;
}

/* The next output of the model that is not tied. */
static NativeResult *next_result(Callable *self, size_t *output) {
  while (*output < self->model->noutputs && tcc_model_output(self->model->model, *output)->tied >= 0)
    self->results[(*output)++].tied = true;
  return *output < self->model->noutputs ? &self->results[(*output)++] : NULL;
}

static int read_order(PyObject *order, const TccPortInfo *port, NativeResult *result) {
  if (order == Py_None) return 0;
  if (!PyTuple_Check(order) || PyTuple_Size(order) != port->rank)
    return native_fail(TCC_INTERNAL, "the output '%s' has %d axes, the graph's %R", port->name, (int)port->rank, order), -1;
  result->ordered = true;
  for (Py_ssize_t k = 0; k < port->rank; k++) result->order[k] = (int8_t)PyLong_AsLong(PyTuple_GetItem(order, k));
  return PyErr_Occurred() ? -1 : 0;
}

/* Sizes that are known make the function's arguments once for all calls. */
static int read_make(Callable *self, const TccPortInfo *port, NativeResult *result) {
  PyObject *type = self->make && self->model->fixed ? PyDict_GetItemString(self->types, native_dtype_name(port->dtype)) : NULL;
  if (!type || port->rank > NATIVE_MAX_RANK) return 0;
  int64_t strides[NATIVE_MAX_RANK];
  native_strides(result, port->rank, port->dims, strides);
  PyObject *sizes = native_numbers(port->dims, port->rank), *steps = sizes ? native_numbers(strides, port->rank) : NULL;
  if (steps) result->with = PyTuple_Pack(3, sizes, steps, type);
  Py_XDECREF(sizes);
  Py_XDECREF(steps);
  result->make = self->make;
  return result->with ? 0 : -1;
}

/* outputs: for each output of the graph ("tensor", order or None), ("number", None), ("argument", K) or ("object", X). */
static int read_outputs(Callable *self, PyObject *outputs) {
  size_t count = (size_t)PyTuple_Size(outputs), output = 0, given = 0;
  self->results = calloc(self->model->noutputs + 1, sizeof *self->results);
  self->give = calloc(count + 1, sizeof *self->give);
  if (!self->results || !self->give) return PyErr_NoMemory(), -1;
  for (size_t i = 0; i < count; i++) {
    const char *kind;
    PyObject *value;
    if (!PyArg_ParseTuple(PyTuple_GetItem(outputs, (Py_ssize_t)i), "sO", &kind, &value)) return -1;
    Give *give = &self->give[self->ngive++];
    if (strcmp(kind, "argument") == 0) {
      *give = (Give){GIVE_ARGUMENT, PyLong_AsSize_t(value)};
      if (PyErr_Occurred()) return -1;
      if (give->index >= self->narguments) return native_fail(TCC_INTERNAL, "there is no argument %R", value), -1;
    } else if (strcmp(kind, "object") == 0) {
      *give = (Give){GIVE_OBJECT, (size_t)PyList_Size(self->objects)};
      if (PyList_Append(self->objects, value) != 0) return -1;
    } else {
      NativeResult *result = next_result(self, &output);
      if (!result) return native_fail(TCC_INTERNAL, "the graph has more outputs than the model"), -1;
      *give = (Give){GIVE_RESULT, given++};
      result->number = strcmp(kind, "number") == 0;
      const TccPortInfo *port = tcc_model_output(self->model->model, output - 1);
      if (!result->number && (read_order(value, port, result) != 0 || read_make(self, port, result) != 0)) return -1;
    }
  }
  return next_result(self, &output) ? native_fail(TCC_INTERNAL, "the model has more outputs than the graph"), -1 : 0;
}

static PyObject *callable_new(PyTypeObject *type, PyObject *args, PyObject *named) {
  static char *keywords[] = {"model", "names", "outputs", "like", "constants", "hold", "empty", NULL};
  PyObject *model, *names, *outputs, *like, *constants, *hold = Py_None, *empty = Py_None, *make = NULL, *types = NULL;
  if (!PyArg_ParseTupleAndKeywords(args, named, "O!O!O!OO!|OO:Callable", keywords, native_model_type, &model, &PyTuple_Type, &names,
                                   &PyTuple_Type, &outputs, &like, &PyTuple_Type, &constants, &hold, &empty))
    return NULL;
  if (empty != Py_None && !PyArg_ParseTuple(empty, "OO!:empty", &make, &PyDict_Type, &types)) return NULL;
  allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
  Callable *self = (Callable *)allocate(type, 0);
  if (!self) return NULL;
  Py_INCREF(model);
  Py_INCREF(constants);
  self->model = (NativeModel *)model;
  self->constants = constants;
  self->passes_on = true;
  self->objects = PyList_New(0);
  Py_XINCREF(make), Py_XINCREF(types);
  self->make = make, self->types = types;
  bool ok = self->objects && PyTuple_Size(names) >= PyTuple_Size(constants);
  if (ok && self->model->is_static && hold == Py_None)
    native_fail(TCC_INVALID, "a model with static inputs needs someone to hold them"), ok = false;
  if (ok && self->model->is_static) {
    Py_INCREF(hold);
    self->hold = hold;
    self->version = PyUnicode_InternFromString("_version");
    ok = self->version != NULL;
  }
  if (ok && PyType_Check(like)) {
    ok = native_exchange((PyTypeObject *)like, &self->exchange) == 0;
    if (ok && !self->exchange)
      native_fail(TCC_UNSUPPORTED, "%R has no DLPack exchange API: torch 2.11 or newer has", like), ok = false;
  }
  if (ok && match_inputs(self, names) == 0 && read_outputs(self, outputs) == 0) return (PyObject *)self;
  Py_DECREF(self);
  return NULL;
}

static void callable_dealloc(PyObject *object) {
  Callable *self = (Callable *)object;
  PyTypeObject *type = Py_TYPE(object);
  Py_XDECREF(self->constants);
  Py_XDECREF(self->objects);
  Py_XDECREF(self->hold);
  Py_XDECREF(self->version);
  Py_XDECREF(self->namespace);
  Py_XDECREF(self->flag);
  Py_XDECREF(self->recorder);
  Py_XDECREF(self->title);
  Py_XDECREF(self->wrapped);
  for (size_t i = 0; self->results && i < self->model->noutputs; i++) Py_XDECREF(self->results[i].with);
  Py_XDECREF(self->model);
  Py_XDECREF(self->make);
  Py_XDECREF(self->types);
  free(self->from);
  free(self->results);
  free(self->give);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

/* ---- calling it ---- */
/* A number as an input without axes. */
static int put_number(const TccPortInfo *port, PyObject *value, int64_t *scalar, TccTensor *out) {
  TccElem elem = tcc_dtype_elem(port->dtype);
  if (port->rank == 1 && tcc_dtype_elem(port->dtype) == TCC_ELEM_BOOL &&
      PyLong_Check(value)) { /* a size: nobody reads its elements */
    *scalar = PyLong_AsLongLong(value);
    *out = (TccTensor){.data = scalar, .device = {TCC_DEVICE_CPU, 0}, .rank = 1, .dtype = port->dtype, .shape = scalar};
    return PyErr_Occurred() ? -1 : 0;
  }
  if (port->rank != 0) return native_fail(TCC_INVALID, "the input '%s' is a tensor, not %R", port->name, value), -1;
  if (tcc_elem_is_float(elem)) tcc_elem_store_f64(elem, scalar, 0, PyFloat_AsDouble(value));
  else tcc_elem_store_i64(elem, scalar, 0, PyLong_AsLongLong(value));
  *out = (TccTensor){.data = scalar, .device = {TCC_DEVICE_CPU, 0}, .dtype = port->dtype};
  return PyErr_Occurred() ? -1 : 0;
}

static int put_argument(Callable *self, NativeSlot *slot, size_t i, PyObject *value) {
  const DlExchange *exchange;
  native_seen_forget(slot->seen, i);
  if (native_exchange(Py_TYPE(value), &exchange) != 0) return -1;
  if (!exchange && (PyLong_Check(value) || PyFloat_Check(value)))
    return put_number(tcc_model_input(self->model->model, i), value, &slot->scalars[i], &slot->inputs[i]);
  if (native_view(value, exchange, &slot->inputs[i], &slot->owners[i]) != 0) return -1;
  native_seen_keep(slot->seen, i, value, exchange, &slot->inputs[i]);
  return native_device_pack(self->model, i, value, exchange, &slot->inputs[i], &slot->owners[i]);
}

/* The counter that torch raises when a tensor is written. */
static int read_version(Callable *self, PyObject *value, uint64_t *out) {
  PyObject *version = PyObject_GetAttr(value, self->version);
  *out = version ? PyLong_AsUnsignedLongLong(version) : 0;
  Py_XDECREF(version);
  if (!PyErr_Occurred()) return 0;
  if (!native_forget_error()) return -1;
  native_fail(
      TCC_UNSUPPORTED,
      "a static input without a version (a tensor of inference mode): what is made of it could not be kept up to date. Compile without freeze");
  return -1;
}

/* Tells who holds static tensors which ones the last run had, if these are others than before: as long as what was made of them is kept,
 * their memory must not come again as another tensor's. */
static int hold_statics(Callable *self, NativeSlot *slot, PyObject *const *values) {
  const uint64_t set = tcc_context_static_set(slot->context);
  if (set == slot->set) return 0;
  PyObject *list = PyList_New(0), *done = NULL;
  bool ok = list != NULL;
  for (size_t i = 0; ok && i < self->model->ninputs; i++)
    if (tcc_model_input(self->model->model, i)->is_static) ok = PyList_Append(list, values[i]) == 0;
  if (ok) done = PyObject_CallFunctionObjArgs(self->hold, list, NULL);
  if (done) slot->set = set;
  Py_XDECREF(list);
  Py_XDECREF(done);
  return done ? 0 : -1;
}

static PyObject *collect(const Callable *self, PyObject *arguments, PyObject **given) {
  PyObject *made = PyTuple_New((Py_ssize_t)self->ngive);
  for (size_t i = 0; made && i < self->ngive; i++) {
    PyObject *value = self->give[i].kind == GIVE_RESULT     ? given[self->give[i].index]
                      : self->give[i].kind == GIVE_ARGUMENT ? PyTuple_GetItem(arguments, (Py_ssize_t)self->give[i].index)
                                                            : PyList_GetItem(self->objects, (Py_ssize_t)self->give[i].index);
    Py_INCREF(value);
    PyTuple_SetItem(made, (Py_ssize_t)i, value);
  }
  return made;
}

/* The argument of input i of the model, borrowed. */
static PyObject *argument_of(const Callable *self, PyObject *arguments, size_t i) {
  const size_t at = self->from[i];
  return at < self->narguments ? PyTuple_GetItem(arguments, (Py_ssize_t)at)
                               : PyTuple_GetItem(self->constants, (Py_ssize_t)(at - self->narguments));
}

static int put_arguments(Callable *self, NativeSlot *slot, PyObject *arguments, PyObject **values) {
  for (size_t i = 0; i < self->model->ninputs; i++) {
    values[i] = argument_of(self, arguments, i);
    if (!native_seen_same(slot->seen, i, values[i]) && put_argument(self, slot, i, values[i]) != 0) return -1;
    if (self->hold && tcc_model_input(self->model->model, i)->is_static && read_version(self, values[i], &slot->versions[i]) != 0)
      return -1;
  }
  return 0;
}

static PyObject *run(Callable *self, PyObject *arguments) {
  NativeModel *model = self->model;
  NativeSlot *slot = native_slot_take(model);
  if (!slot) return NULL;
  PyObject **values = slot->values, **given = values + model->ninputs, *made = NULL;
  int result = put_arguments(self, slot, arguments, values);
  if (result == 0) result = native_run(model, slot, self->exchange, self->results, given);
  if (result == 0 && self->hold) result = hold_statics(self, slot, values);
  if (result == 0) made = collect(self, arguments, given);
  for (size_t i = 0; i < model->noutputs; i++) Py_CLEAR(given[i]);
  for (size_t i = 0; i < model->ninputs; i++)
    if (slot->owners[i].release) native_release(&slot->owners[i]);
  native_slot_give(model, slot);
  return made;
}

static PyObject *call_list(PyObject *object, PyObject *list) {
  Callable *self = (Callable *)object;
  if (!list || !(PyList_Check(list) || PyTuple_Check(list)))
    return native_fail(TCC_INVALID, "one list with all arguments is wanted");
  PyObject *arguments = PySequence_Tuple(list), *made = NULL;
  if (arguments && PyList_Check(list) && PyList_SetSlice(list, 0, PyList_Size(list), NULL) != 0) Py_CLEAR(arguments);
  if (arguments && (size_t)PyTuple_Size(arguments) != self->narguments)
    native_fail(TCC_INVALID, "%zd arguments for a graph with %zu", PyTuple_Size(arguments), self->narguments);
  else if (arguments) made = run(self, arguments);
  Py_XDECREF(arguments);
  return made;
}

static PyObject *callable_call(PyObject *object, PyObject *args, PyObject *named) {
  Callable *self = (Callable *)object;
  PyObject *list = PyTuple_Size(args) == 1 && (!named || PyDict_Size(named) == 0) ? PyTuple_GetItem(args, 0) : NULL;
  if (list && self->namespace && PyDict_GetItem(self->namespace, self->flag) == Py_True)
    return PyObject_CallFunctionObjArgs(self->recorder, object, self->title, list, NULL);
  return call_list(object, list);
}

/* ---- who watches it ---- */
static PyObject *watch(PyObject *object, PyObject *args) {
  Callable *self = (Callable *)object;
  PyObject *namespace, *flag, *recorder, *title;
  int passes_on;
  if (!PyArg_ParseTuple(args, "O!UOOp:watch", &PyDict_Type, &namespace, &flag, &recorder, &title, &passes_on)) return NULL;
  if (self->namespace) return native_fail(TCC_INVALID, "the function is watched already");
  Py_INCREF(namespace), Py_INCREF(flag), Py_INCREF(recorder), Py_INCREF(title);
  self->namespace = namespace, self->flag = flag, self->recorder = recorder, self->title = title;
  self->passes_on = passes_on != 0;
  Py_INCREF(Py_None);
  return Py_None;
}

/* What functools.wraps copies to a function around it: torch wraps compiled backward graphs so, which want a list as before. */
static PyObject *get_dict(PyObject *self, void *closure) {
  (void)closure;
  return ((Callable *)self)->passes_on ? Py_BuildValue("{s:O}", "_boxed_call", Py_True) : PyDict_New();
}

/* ---- what AOTAutograd's cache asks of it: see python/tcc/aot_cache.py ---- */
static PyObject *get_wrapped(PyObject *self, void *closure) {
  (void)closure;
  PyObject *wrapped = ((Callable *)self)->wrapped;
  if (!wrapped) return PyErr_SetString(PyExc_AttributeError, "__wrapped__"), NULL;
  Py_INCREF(wrapped);
  return wrapped;
}

static int set_wrapped(PyObject *self, PyObject *value, void *closure) {
  (void)closure;
  PyObject *before = ((Callable *)self)->wrapped;
  Py_XINCREF(value);
  ((Callable *)self)->wrapped = value;
  Py_XDECREF(before);
  return 0;
}

/* It takes a list, always: torch asks for that, and says so itself of what it loaded. */
static PyObject *get_boxed(PyObject *self, void *closure) {
  (void)self, (void)closure;
  return PyBool_FromLong(1);
}

static int set_boxed(PyObject *self, PyObject *value, void *closure) {
  (void)self, (void)closure;
  return value == Py_True ? 0 : (native_fail(TCC_INVALID, "the function takes one list"), -1);
}

static PyObject *post_compile(PyObject *self, PyObject *args, PyObject *named) {
  (void)self, (void)args, (void)named;
  Py_INCREF(Py_None);
  return Py_None;
}

int native_callable_ready(PyObject *module) {
  static PyGetSetDef properties[] = {{"__dict__", get_dict, NULL, NULL, NULL},
                                     {"__wrapped__", get_wrapped, set_wrapped, NULL, NULL},
                                     {"_boxed_call", get_boxed, set_boxed, NULL, NULL},
                                     {0}};
  static PyMethodDef methods[] = {
      {"post_compile", (PyCFunction)(void (*)(void))post_compile, METH_VARARGS | METH_KEYWORDS,
       "post_compile(...): nothing is left to do once it is loaded"},
      {"run", call_list, METH_O, "run(arguments): the call itself, watched or not"},
      {"watch", watch, METH_VARARGS,
       "watch(namespace, flag, recorder, title, passes_on): while namespace[flag] is True, a call is recorder(self, title, arguments). "
       "passes_on: whether what functools.wraps puts around it has its _boxed_call."},
      {0}};
  static PyType_Slot slots[] = {
      {Py_tp_doc,
       "Callable(model, names, outputs, like, constants): a model as the function of a graph. names: of its arguments, then of the constants; like: the type whose tensors results become, or None; empty: "
       "(function, types): that library's function of sizes, strides and type for a tensor in host memory, and its types by name."},
      {Py_tp_new, callable_new},
      {Py_tp_dealloc, callable_dealloc},
      {Py_tp_call, callable_call},
      {Py_tp_getset, properties},
      {Py_tp_methods, methods},
      {0, NULL}};
  static PyType_Spec spec = {"tcc._native.Callable", sizeof(Callable), 0, Py_TPFLAGS_DEFAULT, slots};
  PyObject *type = PyType_FromSpec(&spec);
  return type ? PyModule_AddObject(module, "Callable", type) : -1;
}

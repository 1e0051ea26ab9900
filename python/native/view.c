/* view.c - the memory of Python's arrays as TccTensor, by the quickest of three ways that the object knows.
 *
 * The exchange protocol of DLPack 1.3 is a table of C functions at the object's type: torch fills in a tensor in some 40 ns, and nothing
 * is to be released. Else the object's __dlpack__ gives a capsule, else it has the buffer protocol. */
#include "python/native/native.h"

/* ---- the exchange protocol ---- */
/* Tables of the types that were seen last; types are few: torch.Tensor, torch.nn.Parameter. A type is held, so that no other gets its
 * address. */
enum { KNOWN_TYPES = 8 };
static struct {
  PyTypeObject *type;
  const DlExchange *exchange;
} known[KNOWN_TYPES];
static size_t next_known;

/* Whether a subclass answers for its operations itself (torch's FakeTensor, DTensor ...): its memory is not what it says. -1: an interrupt. */
static int is_dispatched(PyObject *type) {
  PyObject *mine = PyObject_GetAttrString(type, "__torch_dispatch__");
  if (!mine) return native_forget_error() ? 0 : -1;
  PyObject *name = PyObject_GetAttrString(mine, "__name__");
  if (!name && !native_forget_error()) {
    Py_DECREF(mine);
    return -1;
  }
  const bool disabled =
      name && PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "_disabled_torch_dispatch_impl") == 0;
  Py_XDECREF(name);
  Py_DECREF(mine);
  return !disabled;
}

static int find_exchange(PyObject *type, const DlExchange **out) {
  PyObject *capsule = PyObject_GetAttrString(type, "__dlpack_c_exchange_api__");
  if (!capsule) return native_forget_error() ? 0 : -1;
  const DlExchange *exchange = PyCapsule_GetPointer(capsule, "dlpack_exchange_api");
  Py_DECREF(capsule); /* the table lives as long as the process */
  if (!exchange) return -1;
  while (exchange && exchange->version.major > DL_MAJOR) exchange = exchange->previous;
  if (!exchange || exchange->version.major != DL_MAJOR || !exchange->view_object) return 0;
  const int dispatched = is_dispatched(type);
  if (dispatched < 0) return -1;
  if (dispatched)
    return native_fail(TCC_UNSUPPORTED, "a tensor of the subclass %R, whose memory cannot be read directly", type), -1;
  *out = exchange;
  return 0;
}

int native_exchange(PyTypeObject *type, const DlExchange **out) {
  for (size_t i = 0; i < KNOWN_TYPES; i++)
    if (known[i].type == type) {
      *out = known[i].exchange;
      return 0;
    }
  *out = NULL;
  if (find_exchange((PyObject *)type, out) != 0) return -1;
  PyTypeObject *old = known[next_known].type;
  Py_INCREF(type);
  known[next_known].type = type;
  known[next_known].exchange = *out;
  next_known = (next_known + 1) % KNOWN_TYPES;
  Py_XDECREF(old); /* which may run code that comes back here */
  return 0;
}

/* ---- what goes wrong ---- */
/* The exception of the object's own code as tcc.Error: its first line, without the stack of the library that torch puts behind it. What is no
 * error (an interrupt, the end of the program) stays as it is. */
static int refuse(PyObject *object) {
  if (native_is_interrupted()) return -1;
  PyObject *type, *value, *trace;
  PyErr_Fetch(&type, &value, &trace);
  PyObject *text = value ? PyObject_Str(value) : NULL, *lines = text ? PyUnicode_Splitlines(text, 0) : NULL;
  const bool readable = lines && PyList_Size(lines) > 0;
  if (!native_forget_error()) { /* interrupted while the text was made: that is what is raised */
  } else if (readable)
    native_fail(TCC_UNSUPPORTED, "%R has no memory that can be read: %U", (PyObject *)Py_TYPE(object), PyList_GetItem(lines, 0));
  else native_fail(TCC_UNSUPPORTED, "%R has no memory that can be read", (PyObject *)Py_TYPE(object));
  Py_XDECREF(text);
  Py_XDECREF(lines);
  Py_XDECREF(type);
  Py_XDECREF(value);
  Py_XDECREF(trace);
  return -1;
}

/* ---- __dlpack__ ---- */
static void release_versioned(void *owner) {
  DlVersioned *managed = owner;
  if (managed->deleter) managed->deleter(managed);
}

static void release_managed(void *owner) {
  DlManaged *managed = owner;
  if (managed->deleter) managed->deleter(managed);
}

/* Whether the object says that it lies on a CUDA device. -1: an interrupt. */
static int is_on_cuda(PyObject *object) {
  PyObject *method = PyObject_GetAttrString(object, "__dlpack_device__"), *pair = method ? PyObject_CallObject(method, NULL) : NULL;
  int type = 0, id = 0;
  const bool says = pair && PyTuple_Check(pair) && PyArg_ParseTuple(pair, "ii", &type, &id);
  Py_XDECREF(pair);
  Py_XDECREF(method);
  if (!says && PyErr_Occurred() && !native_forget_error()) return -1;
  return says && type == TCC_DEVICE_CUDA;
}

/* Of a CUDA device: what makes it has to be done for whoever goes on in the legacy default stream, 1 in DLPack. */
static PyObject *ask_dlpack(PyObject *object, PyObject *method) {
  PyObject *none = PyTuple_New(0), *version = Py_BuildValue("{s:(ii)}", "max_version", DL_MAJOR, 0);
  const int on_cuda = version ? is_on_cuda(object) : 0;
  if (on_cuda < 0) Py_CLEAR(version);
  if (on_cuda > 0) {
    PyObject *stream = PyLong_FromLong(1);
    if (!stream || PyDict_SetItemString(version, "stream", stream) != 0) Py_CLEAR(version);
    Py_XDECREF(stream);
  }
  PyObject *capsule = none && version ? PyObject_Call(method, none, version) : NULL;
  if (!capsule && none && version && PyErr_ExceptionMatches(PyExc_TypeError)) { /* a producer of before DLPack 1 */
    PyErr_Clear();
    capsule = PyObject_Call(method, none, NULL);
  }
  Py_XDECREF(none);
  Py_XDECREF(version);
  return capsule;
}

static int take_capsule(PyObject *object, PyObject *capsule, TccTensor *out, NativeOwner *owner) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) {
    DlVersioned *managed = PyCapsule_GetPointer(capsule, "dltensor_versioned");
    if (PyCapsule_SetName(capsule, "used_dltensor_versioned") != 0) return -1;
    *owner = (NativeOwner){managed, release_versioned};
    if (managed->version.major != DL_MAJOR) {
      native_release(owner);
      native_fail(TCC_UNSUPPORTED, "a tensor of another version of DLPack");
      return -1;
    }
    *out = managed->tensor;
    return 0;
  }
  if (!PyCapsule_IsValid(capsule, "dltensor")) {
    native_fail(TCC_INVALID, "%R is no tensor: its __dlpack__ gave no capsule of DLPack, or one that was used before",
                (PyObject *)Py_TYPE(object));
    return -1;
  }
  DlManaged *managed = PyCapsule_GetPointer(capsule, "dltensor");
  if (PyCapsule_SetName(capsule, "used_dltensor") != 0) return -1;
  *owner = (NativeOwner){managed, release_managed};
  *out = managed->tensor;
  return 0;
}

/* ---- the buffer protocol ---- */
typedef struct {
  Py_buffer buffer;
  int64_t strides[NATIVE_MAX_RANK];
} Buffer;

static void release_buffer(void *owner) {
  PyBuffer_Release(&((Buffer *)owner)->buffer);
  PyMem_Free(owner);
}

/* The element type of a format of the module struct. */
static bool read_format(const char *format, Py_ssize_t size, TccDtype *out) {
  if (!format) format = "B";
  if (strchr("@=<", format[0])) format++;
  if (!format[0] || format[1]) return false;
  const char *kinds[] = {"bhilqn", "BHILQN", "efd"};
  const uint8_t codes[] = {TCC_DTYPE_INT, TCC_DTYPE_UINT, TCC_DTYPE_FLOAT};
  *out = (TccDtype){TCC_DTYPE_BOOL, (uint8_t)(8 * size), 1};
  if (format[0] == '?') return size == 1;
  for (int i = 0; i < 3; i++)
    if (strchr(kinds[i], format[0])) return out->code = codes[i], true;
  return false;
}

static int take_buffer(PyObject *object, TccTensor *out, NativeOwner *owner) {
  Buffer *mine = PyMem_Calloc(1, sizeof *mine);
  if (!mine) return PyErr_NoMemory(), -1;
  Py_buffer *buffer = &mine->buffer;
  if (PyObject_GetBuffer(object, buffer, PyBUF_RECORDS_RO) != 0) {
    PyMem_Free(mine);
    return -1;
  }
  *owner = (NativeOwner){mine, release_buffer};
  TccDtype dtype;
  bool ok = buffer->ndim <= NATIVE_MAX_RANK && buffer->itemsize > 0 && read_format(buffer->format, buffer->itemsize, &dtype);
  for (int axis = 0; ok && buffer->strides && axis < buffer->ndim; axis++) { /* ctypes gives none, whatever is asked for */
    mine->strides[axis] = buffer->strides[axis] / buffer->itemsize;
    ok = buffer->strides[axis] % buffer->itemsize == 0;
  }
  if (!ok) {
    native_fail(TCC_UNSUPPORTED, "a buffer of format '%s' and %d axes", buffer->format ? buffer->format : "B", buffer->ndim);
    native_release(owner);
    return -1;
  }
  *out = (TccTensor){.data = buffer->buf,
                     .device = {TCC_DEVICE_CPU, 0},
                     .rank = buffer->ndim,
                     .dtype = dtype,
                     .shape = (int64_t *)buffer->shape, /* Py_ssize_t, which has 64 bits here */
                     .strides = buffer->strides ? mine->strides : NULL};
  return 0;
}

/* Of an object without DLPack. */
static int view_buffer(PyObject *object, TccTensor *out, NativeOwner *owner) {
  if (take_buffer(object, out, owner) == 0) return 0;
  if (PyErr_ExceptionMatches(native_error_type)) return -1;
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return refuse(object);
  PyErr_Clear();
  native_fail(TCC_INVALID, "%R is no tensor: it has neither DLPack nor the buffer protocol", (PyObject *)Py_TYPE(object));
  return -1;
}

int native_view(PyObject *object, const DlExchange *exchange, TccTensor *out, NativeOwner *owner) {
  *owner = (NativeOwner){0};
  if (exchange) return exchange->view_object(object, out) == 0 ? 0 : refuse(object);
  PyObject *method = PyObject_GetAttrString(object, "__dlpack__");
  if (!method && !PyErr_ExceptionMatches(PyExc_AttributeError)) return refuse(object);
  if (!method) {
    PyErr_Clear();
    return view_buffer(object, out, owner);
  }
  PyObject *capsule = ask_dlpack(object, method);
  Py_DECREF(method);
  if (!capsule) return refuse(object);
  int result = take_capsule(object, capsule, out, owner);
  Py_DECREF(capsule);
  return result;
}

int native_is_negated(PyObject *object, const DlExchange *exchange) {
  if (!exchange) return 0;
  PyObject *method = PyObject_GetAttrString(object, "is_neg"), *answer = method ? PyObject_CallObject(method, NULL) : NULL;
  const int yes = answer ? answer == Py_True : native_forget_error() ? 0 : -1;
  Py_XDECREF(method);
  Py_XDECREF(answer);
  return yes;
}

int native_read(PyObject *object, const DlExchange **out_exchange, TccTensor *out, NativeOwner *owner) {
  *owner = (NativeOwner){0};
  if (native_exchange(Py_TYPE(object), out_exchange) != 0 || native_view(object, *out_exchange, out, owner) != 0) return -1;
  size_t count = 0, bytes;
  const int negated = native_is_negated(object, *out_exchange);
  if (negated > 0) native_fail(TCC_UNSUPPORTED, "%R has its negative bit set: give x.resolve_neg()", (PyObject *)Py_TYPE(object));
  if (negated != 0) return native_release(owner), -1;
  if (out->device.type != TCC_DEVICE_CPU)
    native_fail(TCC_UNSUPPORTED, "a tensor on device type %d, not in host memory", (int)out->device.type);
  else if (out->rank < 0 || out->rank > NATIVE_MAX_RANK)
    native_fail(TCC_UNSUPPORTED, "a tensor of %d axes, more than %d", (int)out->rank, NATIVE_MAX_RANK);
  else if (tcc_dtype_elem(out->dtype) == TCC_ELEM_NONE)
    native_fail(TCC_UNSUPPORTED, "a tensor of an element type that tcc does not have (of DLPack, code %d of %d bits)",
                (int)out->dtype.code, (int)out->dtype.bits);
  else if (!tcc_elem_dense_bytes(tcc_dtype_elem(out->dtype), out->shape, (size_t)out->rank, &count, &bytes))
    native_fail(TCC_NO_MEMORY, "a tensor that is larger than the address space");
  else if (!out->data && count > 0) native_fail(TCC_INVALID, "%R has no memory: it was let go", (PyObject *)Py_TYPE(object));
  else return 0;
  native_release(owner);
  return -1;
}

void native_release(NativeOwner *owner) {
  if (owner->release) owner->release(owner->owner);
  *owner = (NativeOwner){0};
}

/* ---- copies ---- */
static char *copy_axis(const TccTensor *view, size_t width, int axis, const char *from, char *to) {
  if (axis == view->rank) return memcpy(to, from, width), to + width;
  for (int64_t i = 0; i < view->shape[axis]; i++)
    to = copy_axis(view, width, axis + 1, from + (ptrdiff_t)(i * view->strides[axis]) * (ptrdiff_t)width, to);
  return to;
}

void native_copy_dense(const TccTensor *view, TccElem elem, void *to) {
  const char *from = (const char *)view->data + view->byte_offset;
  size_t bytes = 0;
  if (!tcc_elem_dense_bytes(elem, view->shape, (size_t)view->rank, NULL, &bytes) || !bytes) return;
  if (view->strides) copy_axis(view, tcc_elem_bytes(elem, 1), 0, from, to);
  else memcpy(to, from, bytes);
}

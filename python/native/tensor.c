/* tensor.c - the type tcc.Tensor: memory with an element type and a shape, for results, and a view of any array.
 *
 * It gives its memory to others by DLPack and, where the element type has a letter in the module struct, by the buffer protocol; who
 * has it keeps the tensor alive. */
#include "python/native/native.h"

#include <stdlib.h>

struct NativeTensor {
  PyObject_HEAD TccTensor tensor;
  int64_t shape[NATIVE_MAX_RANK], strides[NATIVE_MAX_RANK];
  Py_ssize_t byte_strides[NATIVE_MAX_RANK];
  void *memory;   /* of its own, or NULL */
  PyObject *base; /* whose memory it is, or NULL */
  NativeOwner owner;
};
PyTypeObject *native_tensor_type;

/* ---- element types: the names that NumPy, ml_dtypes and torch use; the letter of the module struct, if it has one ---- */
static const struct {
  TccElem elem;
  const char *name, *format;
} types[] = {{TCC_ELEM_F32, "float32", "f"},
             {TCC_ELEM_F64, "float64", "d"},
             {TCC_ELEM_F16, "float16", "e"},
             {TCC_ELEM_BF16, "bfloat16", NULL},
             {TCC_ELEM_I64, "int64", "q"},
             {TCC_ELEM_I32, "int32", "i"},
             {TCC_ELEM_I16, "int16", "h"},
             {TCC_ELEM_I8, "int8", "b"},
             {TCC_ELEM_U64, "uint64", "Q"},
             {TCC_ELEM_U32, "uint32", "I"},
             {TCC_ELEM_U16, "uint16", "H"},
             {TCC_ELEM_U8, "uint8", "B"},
             {TCC_ELEM_BOOL, "bool", "?"},
             {TCC_ELEM_F8E4M3FN, "float8_e4m3fn", NULL},
             {TCC_ELEM_F8E4M3FNUZ, "float8_e4m3fnuz", NULL},
             {TCC_ELEM_F8E5M2, "float8_e5m2", NULL},
             {TCC_ELEM_F8E5M2FNUZ, "float8_e5m2fnuz", NULL},
             {TCC_ELEM_F8E8M0FNU, "float8_e8m0fnu", NULL},
             {TCC_ELEM_I4, "int4", NULL},
             {TCC_ELEM_U4, "uint4", NULL},
             {TCC_ELEM_F4E2M1FN, "float4_e2m1fn", NULL},
             {TCC_ELEM_I2, "int2", NULL},
             {TCC_ELEM_U2, "uint2", NULL}};
enum { TYPES = sizeof types / sizeof *types };

const char *native_dtype_name(TccDtype dtype) {
  TccElem elem = tcc_dtype_elem(dtype);
  for (size_t i = 0; i < TYPES; i++)
    if (types[i].elem == elem) return types[i].name;
  return "?";
}

TccElem native_dtype_find(const char *name) {
  for (size_t i = 0; i < TYPES; i++)
    if (strcmp(types[i].name, name) == 0) return types[i].elem;
  return TCC_ELEM_NONE;
}

static const char *format_of(TccDtype dtype) {
  TccElem elem = tcc_dtype_elem(dtype);
  for (size_t i = 0; i < TYPES; i++)
    if (types[i].elem == elem) return types[i].format;
  return NULL;
}

/* ---- life ---- */
/* An object without memory, of the shape and strides of `like`; strides NULL: dense. */
static NativeTensor *create(const TccTensor *like) {
  if (like->rank < 0 || like->rank > NATIVE_MAX_RANK)
    return native_fail(TCC_UNSUPPORTED, "a tensor of %d axes, more than %d", (int)like->rank, NATIVE_MAX_RANK);
  allocfunc allocate = (allocfunc)PyType_GetSlot(native_tensor_type, Py_tp_alloc);
  NativeTensor *self = (NativeTensor *)allocate(native_tensor_type, 0);
  if (!self) return NULL;
  self->tensor = *like;
  self->tensor.shape = self->shape;
  self->tensor.strides = self->strides;
  int64_t step = 1;
  for (int axis = like->rank - 1; axis >= 0; axis--) {
    self->shape[axis] = like->shape[axis];
    self->strides[axis] = like->strides ? like->strides[axis] : step;
    self->byte_strides[axis] = (Py_ssize_t)(self->strides[axis] * ((like->dtype.bits + 7) / 8));
    step *= like->shape[axis] > 0 ? like->shape[axis] : 1;
  }
  return self;
}

PyObject *native_tensor_create(TccDtype dtype, int32_t rank, const int64_t *shape) {
  size_t bytes;
  if (!tcc_elem_dense_bytes(tcc_dtype_elem(dtype), shape, (size_t)rank, NULL, &bytes) || bytes > PY_SSIZE_T_MAX - 64)
    return native_fail(TCC_NO_MEMORY, "a tensor that is larger than the address space");
  TccTensor like = {.device = {TCC_DEVICE_CPU, 0}, .rank = rank, .dtype = dtype, .shape = (int64_t *)shape};
  NativeTensor *self = create(&like);
  if (!self) return NULL;
  self->tensor.data = self->memory = aligned_alloc(64, (bytes + 64) & ~(size_t)63); /* one byte at least: data is never NULL */
  if (!self->memory) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  return (PyObject *)self;
}

const TccTensor *native_tensor_view(PyObject *tensor) { return &((NativeTensor *)tensor)->tensor; }

static PyObject *tensor_new(PyTypeObject *type, PyObject *args, PyObject *named) {
  static char *names[] = {"array", NULL};
  (void)type;
  PyObject *array;
  if (!PyArg_ParseTupleAndKeywords(args, named, "O:Tensor", names, &array)) return NULL;
  const DlExchange *exchange;
  TccTensor view;
  NativeOwner owner;
  if (native_read(array, &exchange, &view, &owner) != 0) return NULL;
  NativeTensor *self = create(&view);
  if (!self) {
    native_release(&owner);
    return NULL;
  }
  self->owner = owner;
  self->base = array;
  Py_INCREF(array);
  return (PyObject *)self;
}

PyObject *native_tensor_borrow(const TccTensor *view, PyObject *base) {
  NativeTensor *self = create(view);
  if (!self) return NULL;
  self->base = base;
  Py_INCREF(base);
  return (PyObject *)self;
}

static void tensor_dealloc(PyObject *object) {
  NativeTensor *self = (NativeTensor *)object;
  PyTypeObject *type = Py_TYPE(object);
  free(self->memory);
  native_release(&self->owner);
  Py_XDECREF(self->base);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(object);
  Py_DECREF(type);
}

/* ---- what is told about it ---- */
PyObject *native_numbers(const int64_t *values, int32_t count) {
  PyObject *tuple = PyTuple_New(count);
  for (int32_t i = 0; tuple && i < count; i++) {
    PyObject *number = PyLong_FromLongLong(values[i]);
    if (!number || PyTuple_SetItem(tuple, i, number) != 0) Py_CLEAR(tuple);
  }
  return tuple;
}

static PyObject *get_shape(PyObject *self, void *closure) {
  (void)closure;
  return native_numbers(((NativeTensor *)self)->shape, ((NativeTensor *)self)->tensor.rank);
}
static PyObject *get_strides(PyObject *self, void *closure) {
  (void)closure;
  return native_numbers(((NativeTensor *)self)->strides, ((NativeTensor *)self)->tensor.rank);
}
static PyObject *get_dtype(PyObject *self, void *closure) {
  (void)closure;
  return PyUnicode_FromString(native_dtype_name(((NativeTensor *)self)->tensor.dtype));
}
static PyObject *get_ndim(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromLong(((NativeTensor *)self)->tensor.rank);
}
static size_t byte_count(const NativeTensor *self) {
  size_t bytes = 0;
  return tcc_elem_dense_bytes(tcc_dtype_elem(self->tensor.dtype), self->shape, (size_t)self->tensor.rank, NULL, &bytes) ? bytes : 0;
}
static PyObject *get_nbytes(PyObject *self, void *closure) {
  (void)closure;
  return PyLong_FromSize_t(byte_count((NativeTensor *)self));
}

static PyObject *tensor_repr(PyObject *object) {
  PyObject *shape = get_shape(object, NULL);
  PyObject *text =
      shape ? PyUnicode_FromFormat("tcc.Tensor(%s, shape=%R)", native_dtype_name(((NativeTensor *)object)->tensor.dtype), shape)
            : NULL;
  Py_XDECREF(shape);
  return text;
}

/* The same bytes as another element type of the same width: for NumPy, which has no bfloat16. */
static PyObject *tensor_view(PyObject *object, PyObject *name) {
  NativeTensor *self = (NativeTensor *)object;
  const char *text = PyUnicode_AsUTF8AndSize(name, NULL);
  if (!text) return NULL;
  TccElem elem = native_dtype_find(text);
  if (elem == TCC_ELEM_NONE) return native_fail(TCC_INVALID, "no element type '%s'", text);
  TccTensor like = self->tensor;
  like.dtype = tcc_elem_dtype(elem);
  if (like.dtype.bits != self->tensor.dtype.bits)
    return native_fail(TCC_INVALID, "%s has not the width of %s", text, native_dtype_name(self->tensor.dtype));
  NativeTensor *made = create(&like);
  if (made) {
    made->base = object;
    Py_INCREF(object);
  }
  return (PyObject *)made;
}

/* ---- to others: DLPack ---- */
static void drop(PyObject *object) {
  if (!Py_IsInitialized()) return; /* the process ends */
  PyGILState_STATE state = PyGILState_Ensure();
  Py_XDECREF(object);
  PyGILState_Release(state);
}
static void delete_versioned(DlVersioned *self) {
  drop(self->context);
  free(self);
}
static void delete_managed(DlManaged *self) {
  drop(self->context);
  free(self);
}
static void free_capsule(PyObject *capsule) {
  if (PyCapsule_IsValid(capsule, "dltensor_versioned")) delete_versioned(PyCapsule_GetPointer(capsule, "dltensor_versioned"));
  if (PyCapsule_IsValid(capsule, "dltensor")) delete_managed(PyCapsule_GetPointer(capsule, "dltensor"));
}

static PyObject *give_capsule(PyObject *object, bool versioned, bool copied) {
  const NativeTensor *self = (NativeTensor *)object;
  void *made = NULL;
  if (versioned) {
    DlVersioned *managed = calloc(1, sizeof *managed);
    if (managed) *managed = (DlVersioned){{DL_MAJOR, 0}, object, delete_versioned, copied ? DL_COPIED : 0, self->tensor};
    made = managed;
  } else {
    DlManaged *managed = calloc(1, sizeof *managed);
    if (managed) *managed = (DlManaged){self->tensor, object, delete_managed};
    made = managed;
  }
  PyObject *capsule = made ? PyCapsule_New(made, versioned ? "dltensor_versioned" : "dltensor", free_capsule) : PyErr_NoMemory();
  if (capsule) Py_INCREF(object); /* the capsule's */
  else free(made);
  return capsule;
}

static PyObject *tensor_dlpack(PyObject *object, PyObject *args, PyObject *named) {
  static char *names[] = {"stream", "max_version", "dl_device", "copy", NULL};
  NativeTensor *self = (NativeTensor *)object;
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  int major = 0, minor = 0, type = TCC_DEVICE_CPU, id = 0;
  if (!PyArg_ParseTupleAndKeywords(args, named, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy)) return NULL;
  if (version != Py_None && !PyArg_ParseTuple(version, "ii", &major, &minor)) return NULL;
  if (device != Py_None && !PyArg_ParseTuple(device, "ii", &type, &id)) return NULL;
  if (stream != Py_None || type != TCC_DEVICE_CPU || id != 0) {
    PyErr_SetString(PyExc_BufferError, "a tcc.Tensor is in host memory: it has no stream and goes to no other device");
    return NULL;
  }
  if (copy != Py_True) return give_capsule(object, major >= DL_MAJOR, false);
  PyObject *twin = native_tensor_create(self->tensor.dtype, self->tensor.rank, self->shape);
  if (!twin) return NULL;
  native_copy_dense(&self->tensor, tcc_dtype_elem(self->tensor.dtype), ((NativeTensor *)twin)->memory);
  PyObject *capsule = give_capsule(twin, major >= DL_MAJOR, true);
  Py_DECREF(twin);
  return capsule;
}

static PyObject *tensor_device(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  return Py_BuildValue("(ii)", TCC_DEVICE_CPU, 0);
}

/* ---- to others: buffers ---- */
static int tensor_buffer(PyObject *object, Py_buffer *out, int flags) {
  NativeTensor *self = (NativeTensor *)object;
  const char *format = format_of(self->tensor.dtype);
  out->obj = NULL;
  if (!format) {
    PyErr_Format(PyExc_BufferError, "%s is no type of the buffer protocol: use DLPack, or view(\"%s\")",
                 native_dtype_name(self->tensor.dtype), self->tensor.dtype.bits == 16 ? "uint16" : "uint8");
    return -1;
  }
  bool dense = true;
  int64_t step = 1;
  for (int axis = self->tensor.rank - 1; axis >= 0; axis--) {
    dense &= self->shape[axis] <= 1 || self->strides[axis] == step;
    step *= self->shape[axis];
  }
  if ((flags & PyBUF_STRIDES) != PyBUF_STRIDES && !dense) {
    PyErr_SetString(PyExc_BufferError, "the tensor is not contiguous");
    return -1;
  }
  *out = (Py_buffer){.buf = (char *)self->tensor.data + self->tensor.byte_offset,
                     .obj = object,
                     .len = (Py_ssize_t)byte_count(self),
                     .itemsize = self->tensor.dtype.bits / 8,
                     .ndim = self->tensor.rank,
                     .format = flags & PyBUF_FORMAT ? (char *)format : NULL,
                     .shape = flags & PyBUF_ND ? (Py_ssize_t *)self->shape : NULL,
                     .strides = (flags & PyBUF_STRIDES) == PyBUF_STRIDES ? self->byte_strides : NULL};
  Py_INCREF(object);
  return 0;
}

int native_tensor_ready(PyObject *module) {
  static PyGetSetDef properties[] = {{"shape", get_shape, NULL, "sizes of the axes", NULL},
                                     {"strides", get_strides, NULL, "distances along the axes, in elements", NULL},
                                     {"dtype", get_dtype, NULL, "element type: 'float32', 'bfloat16', ...", NULL},
                                     {"ndim", get_ndim, NULL, "number of axes", NULL},
                                     {"nbytes", get_nbytes, NULL, "bytes of its elements", NULL},
                                     {0}};
  static PyMethodDef methods[] = {
      {"view", tensor_view, METH_O, "view(dtype): the same bytes as another element type of the same width"},
      {"__dlpack__", (PyCFunction)(void (*)(void))tensor_dlpack, METH_VARARGS | METH_KEYWORDS, "a DLPack capsule of its memory"},
      {"__dlpack_device__", tensor_device, METH_NOARGS, "(1, 0): host memory"},
      {0}};
  static PyType_Slot slots[] = {{Py_tp_doc, "Tensor(array): a view of the memory of an array."},
                                {Py_tp_new, tensor_new},
                                {Py_tp_dealloc, tensor_dealloc},
                                {Py_tp_repr, tensor_repr},
                                {Py_tp_getset, properties},
                                {Py_tp_methods, methods},
                                {Py_bf_getbuffer, tensor_buffer},
                                {0, NULL}};
  static PyType_Spec spec = {"tcc.Tensor", sizeof(NativeTensor), 0, Py_TPFLAGS_DEFAULT, slots};
  native_tensor_type = (PyTypeObject *)PyType_FromSpec(&spec);
  if (!native_tensor_type) return -1;
  Py_INCREF(native_tensor_type); /* the module's; the other one is this file's */
  return PyModule_AddObject(module, "Tensor", (PyObject *)native_tensor_type);
}

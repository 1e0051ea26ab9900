/* module.c - the extension module tcc._native. python/tcc/__init__.py is what users see of it. */
#include "python/native/native.h"
#include "tcc/cache.h"

typedef PyObject *Open(const char *path, NativeOptions *options);

/* f(path, options=None) */
static PyObject *open_path(PyObject *args, Open *open) {
  PyObject *path, *dict = NULL, *model = NULL;
  if (!PyArg_ParseTuple(args, "O&|O!", PyUnicode_FSConverter, &path, &PyDict_Type, &dict)) return NULL;
  NativeOptions options;
  if (native_options_read(dict, &options) == 0) model = open(PyBytes_AsString(path), &options);
  native_options_destroy(&options);
  Py_DECREF(path);
  return model;
}

static PyObject *module_compile(PyObject *self, PyObject *args) {
  (void)self;
  return open_path(args, native_open);
}

static PyObject *module_load(PyObject *self, PyObject *args) {
  (void)self;
  return open_path(args, native_load);
}

/* (name, bytes, options={}) for a function of both, with the options read. */
static PyObject *open_bytes(PyObject *args, PyObject *(*open)(const char *, TccStr, NativeOptions *)) {
  const char *name;
  PyObject *bytes, *dict = NULL, *made = NULL;
  if (!PyArg_ParseTuple(args, "sS|O!", &name, &bytes, &PyDict_Type, &dict)) return NULL;
  NativeOptions options;
  TccStr text = {PyBytes_AsString(bytes), (size_t)PyBytes_Size(bytes)}; /* the caller's arguments hold it */
  if (native_options_read(dict, &options) == 0) made = open(name, text, &options);
  native_options_destroy(&options);
  return made;
}

static PyObject *module_compile_memory(PyObject *self, PyObject *args) {
  (void)self;
  return open_bytes(args, native_open_memory);
}

static PyObject *module_artifact_memory(PyObject *self, PyObject *args) {
  (void)self;
  return open_bytes(args, native_artifact_memory);
}

static PyObject *load_bytes(const char *name, TccStr bytes, NativeOptions *options) {
  (void)name;
  return native_load_memory(bytes, options);
}

static PyObject *module_load_memory(PyObject *self, PyObject *args) {
  (void)self;
  return open_bytes(args, load_bytes);
}

static PyObject *module_options(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  return native_options_names();
}

static PyObject *module_gpu_chip(PyObject *self, PyObject *capability) {
  static const struct {
    unsigned number;
    const char *chip, *letter;
  } known[] = {
#define TCC_GPU_CHIP(number, letter, ptx, processors, threads, registers, shared, block_shared, l2_megabytes)                      \
  {number, "sm_" #number letter, letter},
#include "tcc/gpu_chips.def"
#undef TCC_GPU_CHIP
  };
  (void)self;
  unsigned long number = PyLong_AsUnsignedLong(capability);
  if (PyErr_Occurred()) return NULL;
  for (size_t i = sizeof known / sizeof *known; i-- > 0;)
    if (known[i].number == number || (known[i].number < number && !known[i].letter[0])) return PyUnicode_FromString(known[i].chip);
  return native_fail(TCC_UNSUPPORTED, "cuda:0 is an sm_%lu, %s is the oldest chip that tcc compiles for", number, known[0].chip);
}

static PyObject *module_tolerance(PyObject *self, PyObject *args) {
  const char *dtype;
  double least, relative;
  (void)self;
  if (!PyArg_ParseTuple(args, "s", &dtype)) return NULL;
  TccElem elem = native_dtype_find(dtype);
  if (!elem) return native_fail(TCC_INVALID, "there is no element type '%s'", dtype);
  relative = tcc_elem_tolerance(elem, &least);
  return Py_BuildValue("(dd)", relative, least);
}

static PyObject *module_build(PyObject *self, PyObject *unused) {
  (void)self, (void)unused;
  TccText text = {0};
  tcc_cache_key_build(&text);
  PyObject *made = text.failed ? PyErr_NoMemory() : PyUnicode_FromStringAndSize(text.data, (Py_ssize_t)text.length);
  tcc_text_destroy(&text);
  return made;
}

static PyMethodDef functions[] = {
    {"compile", module_compile, METH_VARARGS, "compile(path, options={}) -> Model"},
    {"load", module_load, METH_VARARGS, "load(path, options={}) -> Model: of an artifact"},
    {"compile_memory", module_compile_memory, METH_VARARGS,
     "compile_memory(name, bytes, options={}) -> Model: of a model in memory"},
    {"artifact_memory", module_artifact_memory, METH_VARARGS,
     "artifact_memory(name, bytes, options={}) -> bytes: of a model in memory"},
    {"load_memory", module_load_memory, METH_VARARGS, "load_memory(name, bytes, options={}) -> Model: of an artifact in memory"},
    {"learn_tensors", native_seen_learn, METH_VARARGS,
     "learn_tensors(samples, changes) -> bool: how a tensor of torch shows that it is as it was; see seen.c. samples: (tensor, addresses of its implementation, its storage, its memory), changes: (tensor, function that changes it) each"},
    {"gpu_chip", module_gpu_chip, METH_O,
     "gpu_chip(capability) -> str: the chip to compile for, of one with this compute capability times ten"},
    {"tolerance", module_tolerance, METH_VARARGS,
     "tolerance(dtype) -> (relative, least): how far results of this type may be from those of another order of computation"},
    {"options", module_options, METH_NOARGS, "the names of all options"},
    {"build", module_build, METH_NOARGS, "build() -> str: names this build of tcc and its LLVM, as keys of the compile cache do"},
    {0}};
static struct PyModuleDef definition = {PyModuleDef_HEAD_INIT, "_native", NULL, -1, functions, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__native(void);
PyMODINIT_FUNC PyInit__native(void) {
  PyObject *module = PyModule_Create(&definition);
  if (!module) return NULL;
  native_error_type = PyErr_NewExceptionWithDoc(
      "tcc.Error", "What tcc says is wrong. code: 'invalid', 'unsupported', 'not found' ...", PyExc_RuntimeError, NULL);
  bool ok = native_error_type && PyModule_AddStringConstant(module, "__version__", tcc_runtime_version()) == 0;
  if (ok) {
    Py_INCREF(native_error_type); /* the module's; the other one is error.c's */
    ok = PyModule_AddObject(module, "Error", native_error_type) == 0 && native_tensor_ready(module) == 0 &&
         native_model_ready(module) == 0 && native_callable_ready(module) == 0;
  }
  if (ok) return module;
  Py_DECREF(module);
  return NULL;
}

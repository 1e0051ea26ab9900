/* options.c - options of a compilation and of loading, from a dict: one table says which there are. */
#include "python/native/native.h"

#include <stddef.h>
#include <stdlib.h>

typedef enum { TEXT, WORD, COUNT, SECONDS, YES, NO, DIMS, INPUTS } Kind; /* NO: the field says the opposite */
typedef struct {
  const char *name;
  Kind kind;
  size_t offset;            /* in NativeOptions */
  const char *const *words; /* WORD: of an enumeration, which is an int, in its order */
  size_t nwords;
  bool of_artifacts; /* what is compiled takes it, too */
} Option;
static const char *const verify_words[] = {"samples", "layout", "full", "none"}; /* TccVerify */
#define AT(field) offsetof(NativeOptions, field)
static const Option options[] = {
    {"target", TEXT, AT(compile.target)},
    {"mode", WORD, AT(compile.mode), tcc_mode_words, TCC_MODE_COUNT},
    {"numerics", WORD, AT(compile.numerics), tcc_numerics_words, TCC_NUMERICS_COUNT},
    {"autocast", WORD, AT(compile.autocast), tcc_autocast_words, TCC_AUTOCAST_COUNT},
    {"indices", WORD, AT(compile.indices), tcc_indices_words, TCC_INDICES_COUNT},
    {"effort", WORD, AT(compile.effort), tcc_effort_words, TCC_EFFORT_COUNT},
    {"threads", COUNT, AT(compile.threads), .of_artifacts = true},
    {"dims", DIMS, 0},
    {"inputs", INPUTS, 0},
    {"dedup", NO, AT(compile.no_dedup)},
    {"freeze", YES, AT(compile.freeze)},
    {"cache", NO, AT(compile.no_cache), .of_artifacts = true},
    {"packed_cache", YES, AT(load.cache), .of_artifacts = true},
    {"weights", TEXT, AT(compile.weights)},
    {"weights_dir", TEXT, AT(load.weights_dir), .of_artifacts = true},
    {"verify_weights", WORD, AT(load.verify), verify_words, 4, .of_artifacts = true},
    {"compile_time", SECONDS, AT(compile.compile_seconds)},
    {"compile_memory", COUNT, AT(compile.compile_megabytes)},
    {"tune_time", SECONDS, AT(compile.tune_seconds)},
};
enum { OPTIONS = sizeof options / sizeof *options };
_Static_assert(sizeof(TccMode) == sizeof(int) && sizeof(TccNumerics) == sizeof(int) && sizeof(TccIndices) == sizeof(int) &&
                   sizeof(TccAutocast) == sizeof(int) && sizeof(TccEffort) == sizeof(int) && sizeof(TccVerify) == sizeof(int),
               "read_word writes ints");

PyObject *native_options_names(void) {
  PyObject *names = PyTuple_New(OPTIONS);
  for (Py_ssize_t i = 0; names && i < OPTIONS; i++) {
    PyObject *name = PyUnicode_FromString(options[i].name);
    if (!name || PyTuple_SetItem(names, i, name) != 0) Py_CLEAR(names);
  }
  return names;
}

static int unknown(PyObject *name) {
  PyObject *names = native_options_names(), *comma = PyUnicode_FromString(", ");
  PyObject *list = names && comma ? PyUnicode_Join(comma, names) : NULL;
  if (list) native_fail(TCC_INVALID, "there is no option %R; the options are %U", name, list);
  Py_XDECREF(names);
  Py_XDECREF(comma);
  Py_XDECREF(list);
  return -1;
}

static int wrong(const Option *option, const char *wanted) {
  native_fail(TCC_INVALID, "the option '%s' is %s", option->name, wanted);
  return -1;
}

/* The text lives as long as the options: str, or what os.fspath takes. One with a zero in it is none. */
static int read_text(NativeOptions *out, const Option *option, PyObject *value, const char **text) {
  PyObject *path = PyUnicode_Check(value) ? Py_BuildValue("O", value) : PyOS_FSPath(value);
  Py_ssize_t length = 0;
  *text = NULL;
  if (path && PyUnicode_Check(path) && PyList_Append(out->kept, path) == 0) *text = PyUnicode_AsUTF8AndSize(path, &length);
  Py_XDECREF(path);
  if (*text && strlen(*text) == (size_t)length) return 0;
  if (PyErr_Occurred() && !native_forget_error()) return -1;
  return wrong(option, "a text");
}

static int read_word(NativeOptions *out, const Option *option, PyObject *value, void *field) {
  const char *text;
  if (read_text(out, option, value, &text) != 0) return -1;
  for (size_t i = 0; i < option->nwords; i++)
    if (strcmp(option->words[i], text) == 0) {
      const int number = (int)i;
      memcpy(field, &number, sizeof number);
      return 0;
    }
  PyObject *words = PyUnicode_FromString(option->words[0]);
  for (size_t i = 1; words && i < option->nwords; i++) {
    PyObject *longer = PyUnicode_FromFormat("%U, %s", words, option->words[i]);
    Py_DECREF(words);
    words = longer;
  }
  if (words) native_fail(TCC_INVALID, "the option '%s' is one of %U, not '%s'", option->name, words, text);
  Py_XDECREF(words);
  return -1;
}

/* An integer, NumPy's too, from 0 on; of: what of the option it is, NULL: all. */
static int read_count(const Option *option, const char *of, PyObject *value, long long most, long long *out) {
  PyObject *number = PyBool_Check(value) ? NULL : PyNumber_Index(value);
  *out = number ? PyLong_AsLongLong(number) : -1;
  Py_XDECREF(number);
  if (PyErr_Occurred() && !native_forget_error()) return -1;
  if (*out >= 0 && *out <= most) return 0;
  if (of) native_fail(TCC_INVALID, "the option '%s' has for '%s' %R, which is no size", option->name, of, value);
  else native_fail(TCC_INVALID, "the option '%s' is an integer from 0 to %lld, not %R", option->name, most, value);
  return -1;
}

/* A copy that lives as long as the options, borrowed: to read an entry can call code that changes the dict. NULL: it is none. */
static PyObject *own_dict(NativeOptions *out, PyObject *dict) {
  PyObject *copy = PyDict_Check(dict) ? PyDict_Copy(dict) : NULL;
  if (copy && PyList_Append(out->kept, copy) != 0) Py_CLEAR(copy);
  Py_XDECREF(copy);
  return copy;
}

static int read_dims(NativeOptions *out, const Option *option, PyObject *given) {
  PyObject *dict = own_dict(out, given);
  if (!dict) return wrong(option, "a dict of names and sizes");
  TccCompileDim *dims = calloc((size_t)PyDict_Size(dict) + 1, sizeof *dims);
  out->compile.dims = dims;
  if (!dims) return PyErr_NoMemory(), -1;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);) {
    TccCompileDim *dim = &dims[out->compile.ndims];
    long long size;
    if (read_text(out, option, key, &dim->name) != 0 || read_count(option, dim->name, value, INT64_MAX, &size) != 0) return -1;
    dim->size = size;
    out->compile.ndims++;
  }
  return 0;
}

static int read_input(PyObject *array, const TccHostTensor **out) {
  const DlExchange *exchange;
  TccTensor view;
  NativeOwner owner;
  if (native_read(array, &exchange, &view, &owner) != 0) return -1;
  TccHostTensor *tensor = NULL;
  TccElem elem = tcc_dtype_elem(view.dtype);
  TccStatus *status = tcc_host_tensor_create(elem, view.rank, view.shape, &tensor);
  if (!status) native_copy_dense(&view, elem, tensor->data);
  native_release(&owner);
  *out = tensor;
  return status ? native_raise(status), -1 : 0;
}

static int read_inputs(NativeOptions *out, const Option *option, PyObject *given) {
  PyObject *dict = own_dict(out, given);
  if (!dict) return wrong(option, "a dict of names and arrays");
  TccCompileInput *inputs = calloc((size_t)PyDict_Size(dict) + 1, sizeof *inputs);
  out->compile.inputs = inputs;
  if (!inputs) return PyErr_NoMemory(), -1;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);) {
    TccCompileInput *input = &inputs[out->compile.ninputs];
    if (read_text(out, option, key, &input->name) != 0) return -1;
    if (read_input(value, &input->tensor) != 0) return native_error_of("the option 'inputs', '%s'", input->name), -1;
    out->compile.ninputs++;
  }
  return 0;
}

static int read_option(NativeOptions *out, const Option *option, PyObject *value) {
  char *field = (char *)out + option->offset;
  const char *text;
  long long count;
  switch (option->kind) {
  case TEXT:
    if (read_text(out, option, value, &text) != 0) return -1;
    memcpy(field, &text, sizeof text);
    return 0;
  case WORD: return read_word(out, option, value, field);
  case COUNT:
    if (read_count(option, NULL, value, option->offset == AT(compile.threads) ? 1024 : INT32_MAX, &count) != 0) return -1;
    if (option->offset == AT(compile.threads)) out->compile.threads = out->load.threads = (unsigned)count;
    else out->compile.compile_megabytes = (size_t)count;
    return 0;
  case SECONDS: {
    double seconds = PyFloat_AsDouble(value);
    if (PyErr_Occurred() && !native_forget_error()) return -1;
    if (!(seconds > 0)) return wrong(option, "a positive number of seconds");
    memcpy(field, &seconds, sizeof seconds);
    return 0;
  }
  case YES:
  case NO:
    if (!PyBool_Check(value)) return wrong(option, "True or False");
    *(bool *)field = (value == Py_True) == (option->kind == YES);
    return 0;
  case DIMS: return read_dims(out, option, value);
  case INPUTS: return read_inputs(out, option, value);
  }
  return -1;
}

int native_options_read(PyObject *given, NativeOptions *out) {
  *out = (NativeOptions){.compile = {.specialise = true}, .load = {.cache = true}, .kept = PyList_New(0)};
  if (!out->kept) return -1;
  PyObject *key, *value, *dict = given ? own_dict(out, given) : NULL;
  if (given && !dict) return -1;
  for (Py_ssize_t at = 0; dict && PyDict_Next(dict, &at, &key, &value);) {
    size_t i = 0;
    while (i < OPTIONS && !(PyUnicode_Check(key) && PyUnicode_CompareWithASCIIString(key, options[i].name) == 0)) i++;
    if (i == OPTIONS) return unknown(key);
    if (value != Py_None && read_option(out, &options[i], value) != 0) return -1;
    if (value != Py_None && !options[i].of_artifacts && !out->of_models) out->of_models = options[i].name;
  }
  out->load.cache &= !out->compile.no_cache;
  if (out->compile.tune_seconds == 0 || out->compile.mode == TCC_MODE_MAX_AUTOTUNE) return 0;
  native_fail(TCC_INVALID, "the option 'tune_time' is of the mode 'max-autotune', which measures kernels");
  return -1;
}

void native_options_destroy(NativeOptions *out) {
  for (size_t i = 0; i < out->compile.ninputs; i++) tcc_host_tensor_destroy((TccHostTensor *)out->compile.inputs[i].tensor);
  free((void *)out->compile.inputs);
  free((void *)out->compile.dims);
  Py_XDECREF(out->kept);
  *out = (NativeOptions){0};
}

/* error.c - tcc.Error: a status of the library as an exception, with the library's own text and its code as the attribute `code`. */
#include "python/native/native.h"

PyObject *native_error_type;

static void *raise(TccCode code, PyObject *message) {
  PyObject *error = message ? PyObject_CallFunctionObjArgs(native_error_type, message, NULL) : NULL;
  PyObject *name = error ? PyUnicode_FromString(tcc_code_name(code)) : NULL;
  if (name && PyObject_SetAttrString(error, "code", name) == 0) PyErr_SetObject(native_error_type, error);
  Py_XDECREF(name);
  Py_XDECREF(error);
  Py_XDECREF(message);
  return NULL;
}

bool native_is_interrupted(void) { return PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception); }

bool native_forget_error(void) {
  if (native_is_interrupted()) return false;
  PyErr_Clear();
  return true;
}

void *native_raise(TccStatus *status) {
  const char *text = tcc_status_message(status);
  raise(tcc_status_code(status), PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace"));
  tcc_status_destroy(status);
  return NULL;
}

void *native_fail(TccCode code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  PyObject *message = PyUnicode_FromFormatV(format, args);
  va_end(args);
  return raise(code, message);
}

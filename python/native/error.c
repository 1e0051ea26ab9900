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

void native_error_of(const char *format, ...) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  va_list args;
  va_start(args, format);
  PyObject *place = PyErr_GivenExceptionMatches(type, native_error_type) ? PyUnicode_FromFormatV(format, args) : NULL;
  va_end(args);
  PyObject *code = place ? PyObject_GetAttrString(error, "code") : NULL;
  PyObject *message = code ? PyUnicode_FromFormat("%U: %S", place, error) : NULL;
  PyObject *named = message ? PyObject_CallFunctionObjArgs(native_error_type, message, NULL) : NULL;
  if (named && PyObject_SetAttrString(named, "code", code) == 0) PyErr_SetObject(native_error_type, named);
  else PyErr_Restore(type, error, trace), type = error = trace = NULL;
  Py_XDECREF(named), Py_XDECREF(message), Py_XDECREF(code), Py_XDECREF(place);
  Py_XDECREF(type), Py_XDECREF(error), Py_XDECREF(trace);
}

void *native_fail(TccCode code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  PyObject *message = PyUnicode_FromFormatV(format, args);
  va_end(args);
  return raise(code, message);
}

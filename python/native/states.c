/* states.c - what a model keeps from run to run, for Python: read, written and set back between runs.
 *
 * States are a context's, and a model with states has one context in Python: its calls follow each other, and a call while another thread
 * is in one is an error. */
#include "python/native/native.h"

/* The context of a model's states, with the name of one (NULL: none is given, where that may be); NULL: an exception is set. */
static NativeSlot *take(NativeModel *self, PyObject *name, const char **out_name) {
  *out_name = name ? PyUnicode_AsUTF8AndSize(name, NULL) : NULL;
  return name && !*out_name ? NULL : native_slot_take(self);
}

PyObject *native_state_get(PyObject *object, PyObject *name) {
  NativeModel *self = (NativeModel *)object;
  const char *text;
  NativeSlot *slot = take(self, name, &text);
  if (!slot) return NULL;
  TccTensor state;
  TccStatus *status = tcc_context_state_get(slot->context, text, &state);
  const bool there = !status && state.device.type != TCC_DEVICE_CPU;
  PyObject *copy = there ? native_tensor_create(state.dtype, state.rank, state.shape) : NULL;
  if (copy) status = tcc_context_state_copy(slot->context, text, native_tensor_view(copy));
  native_slot_give(self, slot);
  if (status) {
    Py_CLEAR(copy);
    return native_raise(status);
  }
  return there ? copy : native_tensor_borrow(&state, object);
}

PyObject *native_state_set(PyObject *object, PyObject *args) {
  NativeModel *self = (NativeModel *)object;
  PyObject *name, *array;
  const char *text;
  const DlExchange *exchange;
  TccTensor value;
  NativeOwner owner;
  if (!PyArg_ParseTuple(args, "UO:set_state", &name, &array)) return NULL;
  if (native_read(array, &exchange, &value, &owner) != 0) return native_error_of("state %R", name), NULL;
  NativeSlot *slot = take(self, name, &text);
  TccStatus *status = slot ? tcc_context_state_set(slot->context, text, &value) : NULL;
  if (slot) native_slot_give(self, slot);
  native_release(&owner);
  if (status) return native_raise(status);
  return slot ? Py_BuildValue("") : NULL;
}

PyObject *native_state_reset(PyObject *object, PyObject *args) {
  NativeModel *self = (NativeModel *)object;
  PyObject *name = NULL;
  const char *text;
  if (!PyArg_ParseTuple(args, "|U:reset_state", &name)) return NULL;
  NativeSlot *slot = take(self, name, &text);
  if (!slot) return NULL;
  TccStatus *status = tcc_context_state_reset(slot->context, text);
  native_slot_give(self, slot);
  return status ? native_raise(status) : Py_BuildValue("");
}

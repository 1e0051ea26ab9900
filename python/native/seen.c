/* seen.c - arguments that are as they were in the call before: their views are in the slot already.
 *
 * A model's parameters are the same objects call after call, and torch's view of each takes 42 ns. What that view is follows from the bytes of
 * three of torch's objects: the Python object points to a TensorImpl, that has sizes and strides and points to a StorageImpl, that has the
 * address. So where these bytes are equal to those of the call before, so is the view. Nothing is taken for granted of what the bytes mean;
 * but for the two pointers on the way, which are looked for in tensors whose addresses torch tells. What is more, each way to change a view
 * that torch has is tried: if one is not seen, or an object looks otherwise than expected, every view is torch's in every call. */
#include "python/native/native.h"

#include <malloc.h>
#include <stdlib.h>

enum { IMPL_BYTES = 256, STORAGE_BYTES = 128, WORD = sizeof(void *) };

struct NativeSeen {
  PyObject *object; /* borrowed, and looked into only if it comes again; NULL: look at the tensor */
  PyTypeObject *type;
  const char *impl;
  char impl_bytes[IMPL_BYTES], storage_bytes[STORAGE_BYTES];
};

/* Where what is in torch's objects. What comes before, counts of references, changes from call to call. */
typedef struct {
  const DlExchange *exchange; /* of these tensors; NULL: nothing is known */
  size_t impl;                /* in the Python object */
  size_t storage, impl_end;   /* in the TensorImpl */
  size_t data, storage_end;   /* in the StorageImpl */
} Layout;
static Layout known; /* found once, never changed again */

static const char *pointer_at(const void *object, size_t at) { return *(const char *const *)((const char *)object + at); }

static bool is_same(const Layout *layout, const NativeSeen *one, PyObject *value) {
  if (one->object != value || one->type != Py_TYPE(value) || pointer_at(value, layout->impl) != one->impl) return false;
  return memcmp(one->impl + layout->storage, one->impl_bytes, layout->impl_end - layout->storage) == 0 &&
         memcmp(pointer_at(one->impl, layout->storage) + layout->data, one->storage_bytes, layout->storage_end - layout->data) == 0;
}

static void keep(const Layout *layout, NativeSeen *one, PyObject *value, const TccTensor *view) {
  const char *impl = pointer_at(value, layout->impl), *storage = pointer_at(impl, layout->storage);
  const char *sizes = (const char *)view->shape, *strides = (const char *)view->strides, *end = impl + layout->impl_end;
  const bool inside = sizes >= impl && sizes < end && strides >= impl && strides < end;
  if (!storage || (view->rank > 0 && !inside)) return; /* sizes and strides of many axes lie elsewhere */
  memcpy(one->impl_bytes, impl + layout->storage, layout->impl_end - layout->storage);
  memcpy(one->storage_bytes, storage + layout->data, layout->storage_end - layout->data);
  one->object = value, one->type = Py_TYPE(value), one->impl = impl;
}

NativeSeen *native_seen_create(size_t count) { return calloc(count + 1, sizeof(NativeSeen)); }

bool native_seen_same(const NativeSeen *seen, size_t i, PyObject *value) { return is_same(&known, &seen[i], value); }

void native_seen_forget(NativeSeen *seen, size_t i) { seen[i].object = NULL; }

void native_seen_keep(NativeSeen *seen, size_t i, PyObject *value, const DlExchange *exchange, const TccTensor *view) {
  if (exchange && exchange == known.exchange && view->device.type == TCC_DEVICE_CPU) keep(&known, &seen[i], value, view);
}

/* ---- finding out where what is ---- */
/* Bits of the words of an object that have this value. */
static uint64_t words_with(const void *object, size_t bytes, const void *value) {
  uint64_t found = 0;
  for (size_t i = 0; i < bytes / WORD && i < 64; i++)
    if (pointer_at(object, i * WORD) == value) found |= (uint64_t)1 << i;
  return found;
}

static bool only_bit(uint64_t bits, size_t *out_offset) {
  *out_offset = (size_t)__builtin_ctzll(bits | (uint64_t)1 << 63) * WORD;
  return bits && !(bits & (bits - 1));
}

/* samples: (tensor, address of its TensorImpl, of its StorageImpl, of its memory) each. Lengths are those of the allocations. */
static bool find_layout(PyObject *samples, Layout *out) {
  uint64_t in_object = ~(uint64_t)0, in_impl = in_object, in_storage = in_object;
  *out = (Layout){.impl_end = IMPL_BYTES, .storage_end = STORAGE_BYTES};
  for (Py_ssize_t i = 0; i < PyTuple_Size(samples); i++) {
    PyObject *tensor;
    unsigned long long impl, storage, data;
    const DlExchange *exchange;
    if (!PyArg_ParseTuple(PyTuple_GetItem(samples, i), "OKKK", &tensor, &impl, &storage, &data) ||
        native_exchange(Py_TYPE(tensor), &exchange) != 0)
      return false;
    PyObject *size = PyObject_GetAttrString((PyObject *)Py_TYPE(tensor), "__basicsize__");
    const size_t object_bytes = size ? PyLong_AsSize_t(size) : 0;
    Py_XDECREF(size);
    if (PyErr_Occurred() || !exchange || (out->exchange && out->exchange != exchange) || !impl || !storage || !data) return false;
    const void *impl_at = (const void *)(uintptr_t)impl, *storage_at = (const void *)(uintptr_t)storage;
    const size_t impl_bytes = malloc_usable_size((void *)(uintptr_t)impl),
                 storage_bytes = malloc_usable_size((void *)(uintptr_t)storage);
    out->exchange = exchange;
    if (impl_bytes < out->impl_end) out->impl_end = impl_bytes;
    if (storage_bytes < out->storage_end) out->storage_end = storage_bytes;
    in_object &= words_with(tensor, object_bytes, impl_at);
    in_impl &= words_with(impl_at, impl_bytes, storage_at);
    in_storage &= words_with(storage_at, storage_bytes, (const void *)(uintptr_t)data);
  }
  return out->exchange && only_bit(in_object, &out->impl) && only_bit(in_impl, &out->storage) && only_bit(in_storage, &out->data) &&
         out->impl_end < IMPL_BYTES && out->storage_end < STORAGE_BYTES;
}

/* ---- trying it ---- */
typedef struct {
  TccTensor tensor;
  int64_t shape[NATIVE_MAX_RANK], strides[NATIVE_MAX_RANK];
} View;

static int read_view(PyObject *tensor, const DlExchange *exchange, View *out) {
  NativeOwner owner;
  memset(out, 0, sizeof *out);
  if (native_view(tensor, exchange, &out->tensor, &owner) != 0 || out->tensor.rank > NATIVE_MAX_RANK) return -1;
  const size_t bytes = (size_t)out->tensor.rank * sizeof(int64_t);
  memcpy(out->shape, out->tensor.shape, bytes);
  memcpy(out->strides, out->tensor.strides, bytes);
  return 0;
}

static bool equal_views(const View *a, const View *b) {
  return (char *)a->tensor.data + a->tensor.byte_offset == (char *)b->tensor.data + b->tensor.byte_offset &&
         a->tensor.rank == b->tensor.rank && memcmp(&a->tensor.dtype, &b->tensor.dtype, sizeof a->tensor.dtype) == 0 &&
         memcmp(a->shape, b->shape, sizeof a->shape) == 0 && memcmp(a->strides, b->strides, sizeof a->strides) == 0;
}

/* Whether the tensor is the same until it changes, and whether a change of its view is seen. */
static bool sees(const Layout *layout, PyObject *tensor, PyObject *change) {
  NativeSeen one = {0};
  View before, after;
  if (read_view(tensor, layout->exchange, &before) != 0) return false;
  keep(layout, &one, tensor, &before.tensor);
  if (!is_same(layout, &one, tensor)) return false;
  PyObject *done = PyObject_CallObject(change, NULL);
  if (!done) return false;
  const bool same = is_same(layout, &one, tensor), read = read_view(tensor, layout->exchange, &after) == 0;
  Py_DECREF(done);
  return read && (!same || equal_views(&before, &after));
}

PyObject *native_seen_learn(PyObject *module, PyObject *args) {
  PyObject *samples, *changes, *tensor, *change;
  Layout found;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!O!:learn_tensors", &PyTuple_Type, &samples, &PyTuple_Type, &changes)) return NULL;
  bool ok = find_layout(samples, &found);
  for (Py_ssize_t i = 0; ok && i < PyTuple_Size(changes); i++)
    ok = PyArg_ParseTuple(PyTuple_GetItem(changes, i), "OO", &tensor, &change) && sees(&found, tensor, change);
  if (PyErr_Occurred()) return NULL;
  if (ok && !known.exchange) known = found;
  return PyBool_FromLong(ok);
}

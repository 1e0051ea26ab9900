/* native.h - what the files of the extension module tcc._native share.
 *
 * The module is a thin layer over libtccrt in Python's limited API of 3.10: one file serves all later Pythons, and it knows no NumPy and no
 * torch. Tensors come and go by DLPack (dlpack.h) or the buffer protocol, without copies. Functions that give a PyObject * give a new
 * reference, or NULL with an exception set; those that give an int give 0, or -1 with an exception set. All hold the GIL. */
#ifndef TCC_NATIVE_H
#define TCC_NATIVE_H
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include "python/native/dlpack.h"
#include "tcc/compile.h"

/* The buffer protocol is in the limited API since 3.11; its structure and slots are the same in 3.10. */
#ifndef PyBUF_SIMPLE
typedef struct {
  void *buf;
  PyObject *obj;
  Py_ssize_t len, itemsize;
  int readonly, ndim;
  char *format;
  Py_ssize_t *shape, *strides, *suboffsets;
  void *internal;
} Py_buffer;
int PyObject_GetBuffer(PyObject *object, Py_buffer *view, int flags);
void PyBuffer_Release(Py_buffer *view);
enum { PyBUF_FORMAT = 4, PyBUF_ND = 8, PyBUF_STRIDES = 0x18, PyBUF_RECORDS_RO = 0x1c };
#define Py_bf_getbuffer 1
#define Py_bf_releasebuffer 2
#endif

/* ---- errors ---- */
extern PyObject *native_error_type;                       /* tcc.Error */
void *native_raise(TccStatus *status);                    /* sets it from the status, which is destroyed; NULL */
void *native_fail(TccCode code, const char *format, ...); /* the same; %U, %R and so on, as of PyUnicode_FromFormat */
/* Puts what the error is about in front of its text, where it is a tcc.Error; another one stays as it is. */
void native_error_of(const char *format, ...);
/* Whether what is pending is no error but an interrupt or the end of the program (not an Exception of Python), which nobody may drop. */
bool native_is_interrupted(void);
/* Drops the error that code of Python ended with which was asked in passing. False: native_is_interrupted(), and it stays. */
bool native_forget_error(void);

/* ---- tensors ---- */
enum { NATIVE_MAX_RANK = TCC_HOST_MAX_RANK };

/* What keeps the memory of a view; all zero: nobody, the object that it was taken from does. */
typedef struct {
  void *owner;
  void (*release)(void *owner);
} NativeOwner;

/* The table of the exchange protocol that this type has; NULL, without an exception: it has none. Looked up once for each type. A subclass
 * that does not let its memory be read directly (__torch_dispatch__) is an error: -1. */
int native_exchange(PyTypeObject *type, const DlExchange **out);
/* A view of the memory of an object that has the exchange protocol, DLPack or buffers. It lives as long as the object, and until the owner is
 * released. exchange: its type's, or NULL. */
int native_view(PyObject *object, const DlExchange *exchange, TccTensor *out, NativeOwner *out_owner);
void native_release(NativeOwner *owner);
/* The same of what a user gives by itself, with checked device, rank, element type and memory; out_exchange: its type's, or NULL. */
int native_read(PyObject *object, const DlExchange **out_exchange, TccTensor *out, NativeOwner *out_owner);
/* Whether it is a tensor of torch with its sign still to be changed, which DLPack does not say. A graph that Dynamo guards need not ask.
 * 1, 0, or -1: it was interrupted. */
int native_is_negated(PyObject *object, const DlExchange *exchange);
/* Copies the elements in row-major order. */
void native_copy_dense(const TccTensor *view, TccElem elem, void *to);

/* ---- arguments that come again: see seen.c ---- */
/* What was seen of each input of a slot in its last call. */
typedef struct NativeSeen NativeSeen;
NativeSeen *native_seen_create(size_t count); /* to be freed; NULL: no memory */
/* Whether input i is this object and its view is the one that was kept. */
bool native_seen_same(const NativeSeen *seen, size_t i, PyObject *value);
void native_seen_forget(NativeSeen *seen, size_t i); /* before the slot gets another view */
/* The object's view, which the slot has now, may serve again. */
void native_seen_keep(NativeSeen *seen, size_t i, PyObject *value, const DlExchange *exchange, const TccTensor *view);
PyObject *native_seen_learn(PyObject *module, PyObject *args); /* learn_tensors(samples, changes) */

typedef struct NativeTensor NativeTensor;
extern PyTypeObject *native_tensor_type;
/* A tensor of uninitialised memory of its own; data points into it. */
PyObject *native_tensor_create(TccDtype dtype, int32_t rank, const int64_t *shape);
const TccTensor *native_tensor_view(PyObject *tensor);
PyObject *native_tensor_borrow(const TccTensor *view, PyObject *base); /* of memory that lives as long as base */
int native_tensor_ready(PyObject *module);
PyObject *native_numbers(const int64_t *values, int32_t count); /* a tuple of them */
const char *native_dtype_name(TccDtype dtype);                  /* "float32"; "?" */
TccElem native_dtype_find(const char *name);                    /* TCC_ELEM_NONE: no such type */

/* ---- options ---- */
typedef struct {
  TccCompileOptions compile;
  TccLoadOptions load;
  PyObject *kept;        /* a list of what texts are borrowed from */
  const char *of_models; /* an option that was given which only models take; NULL: none */
} NativeOptions;
/* Reads a dict of options; one that is not known is an error that names those that are. *out must be destroyed in either case. */
int native_options_read(PyObject *dict, NativeOptions *out);
void native_options_destroy(NativeOptions *options);
PyObject *native_options_names(void); /* a tuple */

/* ---- models ---- */
/* A context with room for the arguments of a run. Slots that are not in use are in a list of the model: each run takes one, or makes
 * one, so that as many threads run as like, each with a context of its own. */
typedef struct NativeSlot {
  TccContext *context;
  struct NativeSlot *next;
  TccTensor *inputs, *outputs;
  NativeOwner *owners;   /* per input */
  DlVersioned **managed; /* per output: memory of another library */
  PyObject **tensors;    /* per output: a tensor of ours */
  PyObject **values;     /* per input: its argument, borrowed; then per output: what is given, or NULL */
  int64_t *scalars;      /* per input: the number that it points to */
  uint64_t *versions;    /* per input: of a static one */
  NativeSeen *seen;      /* per input */
  uint64_t set;          /* of static inputs: the last one that was told */
  int64_t *shapes;       /* per output, NATIVE_MAX_RANK each: sizes in the order in which they lie in memory, then strides */
  TccDevice device;      /* of the inputs of this run */
  void *stream;          /* where its work goes; NULL: the model's own */
} NativeSlot;

/* How a result is given to Python. */
typedef struct {
  bool tied;    /* written in place of the input that it is tied to; not given */
  bool number;  /* given as an int */
  bool ordered; /* in memory the axes lie in this order, the outermost first */
  int8_t order[NATIVE_MAX_RANK];
  PyObject *make,
      *with; /* on the host, a function of its library and the arguments that it makes this tensor of; NULL: DLPack does */
} NativeResult;

typedef struct {
  PyObject_HEAD TccModel *model;
  NativeSlot *slots; /* that are not in use */
  size_t ninputs, noutputs;
  bool fixed;      /* all outputs have constant sizes */
  bool is_static;  /* some inputs are */
  bool has_states; /* its only slot has them */
  bool has_slot;   /* a slot was made */
  uint64_t calls;  /* by model(...), of one with static inputs */
  bool keep;       /* packed weights are to be kept once the first results are out */
  bool graphs;     /* see TccContextOptions */
  unsigned threads;
  PyObject *inputs, *outputs, *states, *report; /* for Python */
} NativeModel;
extern PyTypeObject *native_model_type;
int native_model_ready(PyObject *module);
PyObject *native_open(const char *path, NativeOptions *options);                          /* a file: model or artifact */
PyObject *native_load(const char *path, NativeOptions *options);                          /* an artifact */
PyObject *native_load_memory(TccStr bytes, NativeOptions *options);                       /* an artifact in memory */
PyObject *native_artifact_memory(const char *name, TccStr bytes, NativeOptions *options); /* the bytes of a model's artifact */
PyObject *native_open_memory(const char *name, TccStr bytes, NativeOptions *options);     /* a model in memory */
/* A slot that nobody else has. TCC_INVALID: the model has states, and another thread has its only one. */
NativeSlot *native_slot_take(NativeModel *model);
void native_slot_give(NativeModel *model, NativeSlot *slot);
/* Distances along the axes of a dense tensor, in elements; result: in whose order the axes lie, or NULL: row-major. */
void native_strides(const NativeResult *result, int32_t rank, const int64_t *shape, int64_t *out_strides);
/* Runs the model on slot->inputs. exchange: whose tensors results become; NULL: tcc's. results: for each output, or NULL: a tensor
 * each, row-major. give gets a new reference for each output that is not tied, in order. */
int native_run(NativeModel *model, NativeSlot *slot, const DlExchange *exchange, const NativeResult *results, PyObject **give);

/* ---- devices: see device.c ---- */
/* Once all inputs of a run are in the slot: sets its device and stream. exchange: whose tensors results become, or NULL. Inputs on the host and
 * on a device at once are an error, but for numbers. */
int native_device_set(NativeModel *model, NativeSlot *slot, const DlExchange *exchange);
/* A tensor of a device that has gaps, as one of its library without, unless the model writes to it. */
int native_device_pack(NativeModel *model, size_t input, PyObject *object, const DlExchange *exchange, TccTensor *view,
                       NativeOwner *owner);

/* ---- states: methods of tcc.Model ---- */
PyObject *native_state_get(PyObject *model, PyObject *name);   /* a tcc.Tensor of the state's own memory */
PyObject *native_state_set(PyObject *model, PyObject *args);   /* (name, array) */
PyObject *native_state_reset(PyObject *model, PyObject *args); /* (name), or () of all */

int native_callable_ready(PyObject *module);
#endif

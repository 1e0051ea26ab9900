/* dlpack.h - the structures of DLPack 1 that pass between libraries, with TccTensor in place of DLTensor, whose layout it has. */
#ifndef TCC_DLPACK_H
#define TCC_DLPACK_H
#include "tcc/runtime.h"

enum { DL_MAJOR = 1, DL_READ_ONLY = 1, DL_COPIED = 2 };
typedef struct {
  uint32_t major, minor;
} DlVersion;

/* In a capsule "dltensor". */
typedef struct DlManaged {
  TccTensor tensor;
  void *context;
  void (*deleter)(struct DlManaged *self);
} DlManaged;

/* In a capsule "dltensor_versioned". Of another major version only the deleter may be used. */
typedef struct DlVersioned {
  DlVersion version;
  void *context;
  void (*deleter)(struct DlVersioned *self);
  uint64_t flags;
  TccTensor tensor;
} DlVersioned;

/* The attribute __dlpack_c_exchange_api__ of a type: a capsule "dlpack_exchange_api". Functions that give an int give 0, or -1 with a
 * Python exception set. */
typedef struct DlExchange {
  DlVersion version;
  struct DlExchange *previous; /* of an older major version, or NULL */
  /* Memory for a tensor of the prototype's type and shape. It calls fail exactly when it gives -1. */
  int (*allocate)(TccTensor *prototype, DlVersioned **out, void *user,
                  void (*fail)(void *user, const char *kind, const char *message));
  int (*from_object)(void *object, DlVersioned **out);
  int (*to_object)(DlVersioned *tensor, void **out_object); /* takes the tensor */
  int (*view_object)(void *object, TccTensor *out);         /* borrowed from the object; may be NULL */
  int (*stream)(int device_type, int32_t device, void **out);
} DlExchange;
#endif

/* import_complex.h - complex tensors as pairs of real ones; see import_complex.c. */
#ifndef TCC_TORCH_IMPORT_COMPLEX_H
#define TCC_TORCH_IMPORT_COMPLEX_H
#include "lib/frontend/torch/import_internal.h"

typedef struct {
  MlirValue real, imaginary; /* imaginary null: 0 everywhere */
} TorchComplex;

/* Whether the node takes or gives a complex tensor. */
bool torch_is_complex(TorchCall *call);
/* As torch_handle, of such a node. */
bool torch_complex(TorchCall *call);

TccElem torch_complex_elem(ImportCall *c, size_t index); /* of the parts of output `index`; NONE: it is real */
/* An argument, a tensor or a number, as parts of this type. */
bool torch_complex_operand(ImportCall *c, const char *name, TccElem elem, TorchComplex *out);
bool torch_complex_output(ImportCall *c, size_t index, TorchComplex value);
TorchComplex torch_complex_product(ImportCall *c, TorchComplex a, TorchComplex b);

/* ---- ops_fourier.c ---- */
bool torch_fourier_complex(ImportCall *c), torch_fourier_real(ImportCall *c), torch_fourier_to_real(ImportCall *c);
#endif

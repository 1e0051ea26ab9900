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
/* The same of an item of a list of tensors. */
bool torch_complex_item(ImportCall *c, const TccTorchArg *list, size_t index, TccElem elem, TorchComplex *out);
void torch_complex_fill(ImportCall *c, TorchComplex *x); /* imaginary parts that are null become zeros */
TorchComplex torch_complex_product(ImportCall *c, TorchComplex a, TorchComplex b);
TorchComplex torch_complex_quotient(ImportCall *c, TorchComplex a, TorchComplex b);
MlirValue torch_complex_magnitude(ImportCall *c, TorchComplex x);
/* What a program gives and takes of complex numbers: their parts as a last axis of two. A real tensor is itself; NULL, and a reason, for none. */
TorchTensor *torch_complex_pairs(ImportCall *c, TorchTensor *t);
TorchTensor *torch_complex_from_pairs(ImportCall *c, TorchTensor *pairs); /* views of it */
TccElem torch_complex_part(const TccTorchMeta *meta);                     /* the type of the parts; NONE: not complex */

/* ---- ops_complex.c ---- */
bool torch_complex_has_function(TccStr op); /* "aten.exp.default" */
bool torch_complex_function(ImportCall *c), torch_complex_power(ImportCall *c), torch_complex_slope(ImportCall *c);
/* ---- ops_conv.c ---- */
bool torch_complex_conv(ImportCall *c);
/* ---- ops_products.c ---- */
/* What is linear in a and in b. */
typedef MlirValue TorchBilinear(ImportCall *c, const void *context, MlirValue a, MlirValue b);
TorchComplex torch_complex_bilinear(ImportCall *c, TorchBilinear *f, const void *context, TorchComplex a, TorchComplex b);
TorchComplex torch_complex_sum(ImportCall *c, TorchComplex a, TorchComplex b);
bool torch_complex_matmul(ImportCall *c), torch_complex_addmm(ImportCall *c), torch_complex_linear(ImportCall *c),
    torch_complex_einsum(ImportCall *c);

/* ---- ops_linalg.c ---- */
bool torch_complex_solve(ImportCall *c);
/* ---- ops_fourier.c ---- */
bool torch_fourier_complex(ImportCall *c), torch_fourier_real(ImportCall *c), torch_fourier_to_real(ImportCall *c),
    torch_fourier_named(ImportCall *c), torch_fourier_short(ImportCall *c), torch_fourier_short_back(ImportCall *c);
#endif

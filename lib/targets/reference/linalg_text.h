/* linalg_text.h - kernel functions as linalg on tensors, written as text.
 *
 * Shared by the pass tcc-kernels-to-linalg, which puts the text back into the module, and by the reference target, which
 * lowers it with upstream passes. What a tcc op means is said here a second time, apart from the emitters, on purpose. */
#ifndef TCC_LINALG_TEXT_H
#define TCC_LINALG_TEXT_H
#include "tcc/ir.h"

typedef struct {
  TccIr *ir;
  TccText *out;
  TccMap *names;                  /* value -> SSA number */
  TCC_VEC(const TccExpr *) slots; /* distinct dynamic sizes, in order of first occurrence */
  int next;                       /* next SSA number */
  MlirOperation op;               /* being written: the place of errors */
  size_t faults;                  /* words of the memref %faults, which end where sizes begin (TCC_FAULT_WORDS); 0: there is none */
  TccStatus *status;              /* first failure */
} LinalgText;

/* Collects the kernel's size slots. TCC_UNSUPPORTED: a size is unknown, or an op is none of tcc's, as in a kernel that is linalg already. */
TccStatus *linalg_text_begin(LinalgText *t, TccIr *ir, TccText *out, MlirOperation kernel) TCC_CHECKED;
/* Writes the constants of the sizes, given the name of a tensor<nxi64> that holds them (not used if there are none). */
void linalg_text_sizes(LinalgText *t, const char *sizes_name);
int linalg_text_fresh(LinalgText *t);
void linalg_text_bind(LinalgText *t, MlirValue value, int number);
int linalg_text_number(LinalgText *t, MlirValue value);
/* Writes all ops of the kernel's body but its return. TCC_UNSUPPORTED names the op and why. */
TccStatus *linalg_text_body(LinalgText *t, MlirOperation kernel) TCC_CHECKED;

/* Elements narrower than a byte lie two to a byte in memory, the first in the low bits, and one to a byte in the text.
 * unpack: the tensor of `type` from the tensor<?xi8> that holds its bytes. */
bool linalg_packed(MlirType type);
int linalg_unpack(LinalgText *t, MlirType type, int bytes);

/* Pieces that the families of ops share. */
void linalg_put_type(LinalgText *t, MlirType type); /* tensor<?x4xf32>: signless, no encoding */
const char *linalg_elem(TccElem elem);              /* signless spelling, NULL if it cannot compute */
unsigned linalg_bits(TccElem elem);                 /* of that type */
int linalg_size(LinalgText *t, const TccExpr *e);   /* index value of a size */
int linalg_dim(LinalgText *t, MlirValue value, int axis);
int linalg_index_constant(LinalgText *t, int64_t value);
int linalg_op(LinalgText *t, const char *format, ...) TCC_PRINTF(2, 3); /* "%n = ..." */
void linalg_put(LinalgText *t, const char *format, ...) TCC_PRINTF(2, 3);
void linalg_fail(LinalgText *t, const char *format, ...) TCC_PRINTF(2, 3);
/* Scalar arithmetic for an elementwise op; x are scalars of the operands' types. */
int linalg_scalar(LinalgText *t, MlirOperation op, TccOpKind kind, const int *x);
int linalg_random(LinalgText *t, int index, int seed, int offset); /* linalg_random.c */
int linalg_combine(LinalgText *t, TccStr kind, TccElem elem, int a, int b);
int linalg_neutral(LinalgText *t, TccStr kind, TccElem elem);
int linalg_zero(LinalgText *t, TccElem elem);
/* Accumulation type (ops.def: f32 for the narrow floats), and conversions to and from it. */
TccElem linalg_accumulator(TccElem elem);
int linalg_convert(LinalgText *t, int x, TccElem from, TccElem to);
/* %r = linalg.generic over the whole of `type` with all-parallel loops and no inputs: begin gives the loop indices, end
 * yields. The body may extract from anything. */
int linalg_fill_begin(LinalgText *t, MlirType type, int *out_index);
void linalg_fill_end(LinalgText *t, MlirType type, int value);
int linalg_extract(LinalgText *t, MlirValue tensor, const int *index);
/* Where %faults has a place for it, writes there if `index` is not in [0, size): op's n-th of a tuple, which was `raw` in memory. */
void linalg_fault(LinalgText *t, MlirOperation op, int n, int raw, int index, int size);
/* Index arithmetic. */
int linalg_add(LinalgText *t, int a, int b);
int linalg_sub(LinalgText *t, int a, int b);
int linalg_mul(LinalgText *t, int a, int b);
int linalg_clamp(LinalgText *t, int x, int low, int high);
int linalg_inside(LinalgText *t, int x, int size);                     /* i1: 0 <= x < size */
bool linalg_move(LinalgText *t, MlirOperation op, TccOpKind kind);     /* views and data movement */
void linalg_solve(LinalgText *t, MlirOperation op);                    /* linalg_solve.c */
bool linalg_contract(LinalgText *t, MlirOperation op, TccOpKind kind); /* reductions, contractions, windows, scans */
#endif

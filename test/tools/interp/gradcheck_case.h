/* gradcheck_case.h - cases of gradcheck_cases.def as operands and ops. */
#ifndef TCC_GRADCHECK_CASE_H
#define TCC_GRADCHECK_CASE_H
#include "tcc/ir.h"
#include "tcc/op_kinds.h"
#include "tcc/tensor.h"

typedef struct {
  TccOpKind kind;
  const char *operands, *attributes, *type;
} GradcheckCase;
extern const GradcheckCase gradcheck_cases[];
extern const size_t gradcheck_count;

typedef struct {
  TccHostTensor *tensors[16];
  bool fixed[16];           /* not differentiated */
  size_t count;             /* of tensors */
  int noperands, index[16]; /* which tensor; -1: absent */
} GradcheckOperands;

TccStatus *gradcheck_read(const char *text,
                          GradcheckOperands *out) TCC_CHECKED; /* what it has made so far, too, is gradcheck_clear's */
void gradcheck_clear(GradcheckOperands *operands);
/* The op of a case; values: of its tensors. */
TccStatus *gradcheck_build(TccBuilder *b, const GradcheckCase *c, const GradcheckOperands *operands, const MlirValue *values,
                           MlirOperation *out) TCC_CHECKED;
MlirValue gradcheck_sum(TccBuilder *b, MlirValue value);                    /* of all elements */
MlirLogicalResult gradcheck_collect(MlirDiagnostic diagnostic, void *text); /* errors into a TccText */
/* Ends @main with the loss, called result_name, as its only result; arguments are called x0, x1, ..., the last one `last` unless that is NULL. */
void gradcheck_close_main(TccIr *ir, MlirOperation main, MlirValue loss, const char *result_name, const char *last);
bool gradcheck_needs_case(TccOpKind kind);
#endif

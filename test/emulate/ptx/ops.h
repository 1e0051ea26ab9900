/* ops.h - decoding of instructions that do more than compute, each beside what it does. */
#ifndef EMU_OPS_H
#define EMU_OPS_H
#include "internal.h"

/* NULL, or what is wrong. */
typedef const char *Decode(Parser_ *parser, const Statement *s, Inst *inst);
Decode decode_ld, decode_st, decode_atom;                                              /* access.c */
Decode decode_bar, decode_shfl, decode_vote, decode_redux, decode_elect, decode_fence; /* sync.c */
Decode decode_mma, decode_matrix;                                                      /* tensor.c */
Decode decode_cp;                                                                      /* copy.c */
Decode decode_bulk;                                                                    /* bulk.c */
Decode decode_mbarrier, decode_copy_arrive;                                            /* mbarrier.c */
Decode decode_wgmma;                                                                   /* wgmma.c */
Decode decode_mapa;                                                                    /* cluster.c */

/* A row of A or a column of B along K, and the exponents of its numbers, which each of its sums needs: biased as in f64, those of zeros and of what
 * is not finite so far outside that sums of two show them. */
enum { TENSOR_K = 32, EXPONENT_OF_ZERO = -4096, EXPONENT_OF_SPECIAL = 10000 };
typedef struct TensorVector {
  double value[TENSOR_K];
  int16_t exponent[TENSOR_K];
} TensorVector;
void tensor_exponents(TensorVector *vectors, unsigned count, unsigned k);
/* What tensor cores make of sign * (a[0] * b[0] + ...) + c, before it is rounded, and how f32 is rounded (tensor.c). k: a multiple of 4. */
double tensor_sum(const TensorVector *a, const TensorVector *b, unsigned k, double c, double sign);
float tensor_round(double sum);
/* An exact sum of integers in 32 bits: cut to them, or wrapped around. */
uint32_t tensor_integer(double sum, bool saturates);

/* A source of that type: a register, a number, the address of a name. */
const char *op_source(Parser_ *parser, const RawOperand *raw, Type type, Operand *out);
const char *op_destination(Parser_ *parser, const RawOperand *raw, Operand *out);
/* Room for so many sources. */
Operand *op_sources(Parser_ *parser, Inst *inst, int count);
const char *op_address(Parser_ *parser, const RawOperand *raw, Operand *out, int64_t *out_offset);
bool op_has(const Statement *s, const char *part);
/* The type that is named last, or so many before it. */
Type op_type(const Statement *s, int from_last);
const char *op_unknown_part(const Statement *s, const char *known);
Space op_space(const Statement *s);
#endif

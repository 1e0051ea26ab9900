/* elem.h - element types: one row each. ONNX numbers are TensorProto.DataType. No MLIR.
 *
 * TCC_ELEM(SYM, mlir spelling, bits, ONNX number, numpy spelling or "", class)
 * Unsigned integers are unsigned in the type (ui8 ...); signless integers are signed; i1 is bool and takes a byte in
 * memory. Types below 8 bits are packed, first element in the low bits. class: F float, S signed, U unsigned, B bool. */
#ifndef TCC_ELEM_H
#define TCC_ELEM_H
#include "tcc/base.h"

#define TCC_ELEMS(TCC_ELEM)                                                                                                        \
  TCC_ELEM(F32, "f32", 32, 1, "<f4", F)                                                                                            \
  TCC_ELEM(U8, "ui8", 8, 2, "|u1", U)                                                                                              \
  TCC_ELEM(I8, "i8", 8, 3, "|i1", S)                                                                                               \
  TCC_ELEM(U16, "ui16", 16, 4, "<u2", U)                                                                                           \
  TCC_ELEM(I16, "i16", 16, 5, "<i2", S)                                                                                            \
  TCC_ELEM(I32, "i32", 32, 6, "<i4", S)                                                                                            \
  TCC_ELEM(I64, "i64", 64, 7, "<i8", S)                                                                                            \
  TCC_ELEM(BOOL, "i1", 8, 9, "|b1", B)                                                                                             \
  TCC_ELEM(F16, "f16", 16, 10, "<f2", F)                                                                                           \
  TCC_ELEM(F64, "f64", 64, 11, "<f8", F)                                                                                           \
  TCC_ELEM(U32, "ui32", 32, 12, "<u4", U)                                                                                          \
  TCC_ELEM(U64, "ui64", 64, 13, "<u8", U)                                                                                          \
  TCC_ELEM(BF16, "bf16", 16, 16, "", F)                                                                                            \
  TCC_ELEM(F8E4M3FN, "f8E4M3FN", 8, 17, "", F)                                                                                     \
  TCC_ELEM(F8E4M3FNUZ, "f8E4M3FNUZ", 8, 18, "", F)                                                                                 \
  TCC_ELEM(F8E5M2, "f8E5M2", 8, 19, "", F)                                                                                         \
  TCC_ELEM(F8E5M2FNUZ, "f8E5M2FNUZ", 8, 20, "", F)                                                                                 \
  TCC_ELEM(U4, "ui4", 4, 21, "", U)                                                                                                \
  TCC_ELEM(I4, "i4", 4, 22, "", S)                                                                                                 \
  TCC_ELEM(F8E8M0FNU, "f8E8M0FNU", 8, 24, "", F)                                                                                   \
  TCC_ELEM(F4E2M1FN, "f4E2M1FN", 4, 23, "", F)                                                                                     \
  TCC_ELEM(U2, "ui2", 2, 25, "", U)                                                                                                \
  TCC_ELEM(I2, "i2", 2, 26, "", S)

typedef enum {
  TCC_ELEM_NONE = 0,
#define TCC_ELEM(SYM, mlir, bits, onnx, npy, kind) TCC_ELEM_##SYM,
  TCC_ELEMS(TCC_ELEM)
#undef TCC_ELEM
      TCC_ELEM_COUNT
} TccElem;

/* A float of at most 16 bits: fields, and how its largest exponent is spent. IEEE: infinities and NaN; FN: NaN alone, where all bits
 * are ones; FNUZ: NaN is the negative zero; FINITE: numbers only. */
typedef enum { TCC_SMALL_IEEE, TCC_SMALL_FN, TCC_SMALL_FNUZ, TCC_SMALL_FINITE } TccSmallKind;
typedef struct {
  int fraction, exponent, bias;
  TccSmallKind kind;
} TccSmallFloat;
/* False: elem is wider, no float, or f8E8M0FNU, which has no fraction and no sign. */
TCC_EXPORT bool tcc_elem_small_float(TccElem elem, TccSmallFloat *out);
TCC_EXPORT unsigned tcc_small_float_largest(TccSmallFloat format); /* the bits of the largest number */
TCC_EXPORT unsigned tcc_small_float_nan(TccSmallFloat format);     /* the bits of a NaN; of FINITE the negative zero */
TCC_EXPORT double tcc_small_float_load(TccSmallFloat format, unsigned bits);
/* To nearest even. Beyond the largest number: that with `saturate`, otherwise infinity, or NaN where there is none; FINITE always saturates. */
TCC_EXPORT unsigned tcc_small_float_store(TccSmallFloat format, double value, bool saturate);

TCC_EXPORT const char *tcc_elem_name(TccElem elem);       /* MLIR spelling */
TCC_EXPORT unsigned tcc_elem_bits(TccElem elem);          /* in memory; bool is 8 */
TCC_EXPORT size_t tcc_elem_bytes(TccElem elem, size_t n); /* bytes of n elements, sub-byte types rounded up */
/* Elements (out_count may be NULL) and bytes of a dense tensor of these sizes; one of them is 0: there are none. False: a size is
 * negative, or the tensor is larger than the address space: more than SIZE_MAX bits, so that sums of a few such sizes cannot overflow. */
TCC_EXPORT bool tcc_elem_dense_bytes(TccElem elem, const int64_t *dims, size_t rank, size_t *out_count,
                                     size_t *out_bytes) TCC_CHECKED;
TCC_EXPORT bool tcc_elem_is_float(TccElem elem);
TCC_EXPORT bool tcc_elem_is_signed(TccElem elem);      /* signed integer */
TCC_EXPORT bool tcc_elem_is_unsigned(TccElem elem);    /* unsigned integer, not bool */
TCC_EXPORT bool tcc_elem_is_integer(TccElem elem);     /* signed or unsigned, not bool */
TCC_EXPORT bool tcc_elem_computes(TccElem elem);       /* takes part in arithmetic; floats below 16 bits and none do not */
TCC_EXPORT TccElem tcc_elem_accumulator(TccElem elem); /* that sums are kept in: f32 for f16 and bf16, else the type itself */
TCC_EXPORT TccElem tcc_elem_from_onnx(int data_type);  /* TCC_ELEM_NONE if unknown */
/* For messages: "string", "complex64", "f32"; of each number something. */
TCC_EXPORT const char *tcc_elem_onnx_name(int64_t data_type);
TCC_EXPORT const char *tcc_elem_numpy(TccElem elem);
/* How far results of another order of computation may be away, of themselves and of the RMS of all: two roundings to the type where that is more
 * than one part in a thousand; 0 for integers. out_least: how far in any case; may be NULL. */
TCC_EXPORT double tcc_elem_tolerance(TccElem elem, double *out_least);
/* Value conversions, exact to the type's rounding (nearest even; floats below 16 bits as ONNX Cast saturate=1). Element i of data. */
TCC_EXPORT double tcc_elem_load_f64(TccElem elem, const void *data, size_t i);
TCC_EXPORT int64_t tcc_elem_load_i64(TccElem elem, const void *data, size_t i);
TCC_EXPORT void tcc_elem_store_f64(TccElem elem, void *data, size_t i, double value);
TCC_EXPORT void tcc_elem_store_i64(TccElem elem, void *data, size_t i, int64_t value);
/* data, or a copy with every byte 0 or 1 where some are not: another value would not select what it should. */
TCC_EXPORT const void *tcc_elem_clean_bools(TccArena *arena, const void *data, size_t bytes);
#endif

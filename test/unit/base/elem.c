/* Element types: every bit pattern of the small types survives a round trip through double, and rounding is to nearest even. */
#include "tcc/elem.h"
#include <math.h>
#include <stdio.h>

static int failures;

static void round_trip(TccElem elem) {
  for (unsigned bits = 0; bits < 1u << tcc_elem_bits(elem); bits++) {
    unsigned char in[2] = {bits & 255, (unsigned char)(bits >> 8)}, out[2] = {0, 0};
    double value = tcc_elem_load_f64(elem, in, 0);
    tcc_elem_store_f64(elem, out, 0, value);
    if (isinf(value) && tcc_elem_bits(elem) == 8) value = copysign(57344, value), tcc_elem_store_f64(elem, in, 0, value); /* saturates */
    if (isnan(value) ? isnan(tcc_elem_load_f64(elem, out, 0)) : memcmp(in, out, 2) == 0) continue;
    printf("%s: bits %x load as %g and store as %x\n", tcc_elem_name(elem), bits, value, out[0] | out[1] << 8);
    if (++failures > 20) return;
  }
}

static void stores(TccElem elem, double value, double want) {
  unsigned char data[8] = {0};
  tcc_elem_store_f64(elem, data, 0, value);
  double got = tcc_elem_load_f64(elem, data, 0);
  if (got == want || (isnan(got) && isnan(want))) return;
  printf("%s: %.17g stores as %.17g, want %.17g\n", tcc_elem_name(elem), value, got, want);
  ++failures;
}

int main(void) {
  static const TccElem small[] = {TCC_ELEM_F16,    TCC_ELEM_BF16,       TCC_ELEM_F8E4M3FN, TCC_ELEM_F8E4M3FNUZ, TCC_ELEM_F8E5M2,
                                  TCC_ELEM_F8E5M2FNUZ, TCC_ELEM_F8E8M0FNU, TCC_ELEM_I4,   TCC_ELEM_U4,      TCC_ELEM_I8,
                                  TCC_ELEM_U8,     TCC_ELEM_I16,        TCC_ELEM_U16};
  for (size_t i = 0; i < sizeof small / sizeof *small; i++) round_trip(small[i]);
  stores(TCC_ELEM_F16, 2049, 2048);
  stores(TCC_ELEM_F16, 2051, 2052);
  stores(TCC_ELEM_F16, 65519, 65504);
  stores(TCC_ELEM_F16, 65520, INFINITY);
  stores(TCC_ELEM_F16, 0x1p-25, 0);
  stores(TCC_ELEM_F16, 0x1.8p-25, 0x1p-24);
  stores(TCC_ELEM_BF16, 1 + 0x1p-8, 1);
  stores(TCC_ELEM_BF16, 1 + 0x1.8p-7, 1 + 0x1p-6);
  stores(TCC_ELEM_F8E4M3FN, 1e6, 448);
  stores(TCC_ELEM_F8E4M3FN, -INFINITY, -448);
  stores(TCC_ELEM_F8E4M3FN, NAN, NAN);
  stores(TCC_ELEM_F8E5M2, 1e6, 57344);
  stores(TCC_ELEM_F8E4M3FNUZ, 1e6, 240);
  stores(TCC_ELEM_F8E4M3FNUZ, -0.0, 0);
  stores(TCC_ELEM_F8E5M2FNUZ, 1e6, 57344);
  stores(TCC_ELEM_F8E8M0FNU, 3, 4);
  stores(TCC_ELEM_F8E8M0FNU, -4, 4);
  stores(TCC_ELEM_F8E8M0FNU, 0, 0x1p-127);
  stores(TCC_ELEM_F8E8M0FNU, INFINITY, NAN);
  stores(TCC_ELEM_BOOL, 0.5, 1);
  unsigned char packed[2] = {0, 0};
  for (int i = 0; i < 3; i++) tcc_elem_store_i64(TCC_ELEM_I4, packed, (size_t)i, i - 2);
  if (packed[0] != 0xFE || packed[1] != 0 || tcc_elem_load_i64(TCC_ELEM_I4, packed, 0) != -2 || tcc_elem_bytes(TCC_ELEM_I4, 3) != 2)
    puts("i4 is not packed low bits first"), ++failures;
  uint64_t large = UINT64_MAX;
  if (tcc_elem_load_f64(TCC_ELEM_U64, &large, 0) != 18446744073709551616.0) puts("ui64"), ++failures;
  for (int elem = 1; elem < TCC_ELEM_COUNT; elem++)
    if (tcc_elem_from_onnx(tcc_elem_to_onnx((TccElem)elem)) != (TccElem)elem) puts("ONNX numbers"), ++failures;
  return failures != 0;
}
